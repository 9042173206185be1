"""Embeddings by actors of Ray: real processes, which are killed, and shares of a GPU that is said to be there."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from neraca.errors import RunError, SpecError
from neraca.models.embed_actors import ActorModel
from neraca.models.embed_batches import BatchingEmbedder, LocalModel
from neraca.models.model_session import ModelSession
from neraca.models.ray_actors import RayActors

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'neraca[ray]'")
TEXTS = [f"text {'x' * number}" for number in range(200)]


def loader(folder: Path, seconds: float = 0.02):
    """A model whose vector is (length of the text, 1), slow, and whose processes leave their numbers in a folder."""

    def load():
        import os
        import time

        import numpy as np

        (folder / str(os.getpid())).touch()

        def encode(texts):
            time.sleep(seconds)
            return np.array([[len(text), 1.0] for text in texts])

        return encode

    return load


def embedded(source, cache: Path) -> np.ndarray:
    """Each text by a task of its own, as judges ask."""

    async def all_of_them():
        return await asyncio.gather(*(pool.embed([text]) for text in TEXTS))

    with ModelSession(cache) as session:
        pool = BatchingEmbedder("x", source, session)
        return np.concatenate(asyncio.run(all_of_them()))


def test_actors_make_the_vectors_of_this_process_and_one_of_them_may_die(tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()
    here = embedded(LocalModel({"model": "x"}, loader(tmp_path, 0)), tmp_path / "here.sqlite")

    async def kill_one():
        while not (there := list(pids.iterdir())):
            await asyncio.sleep(0.01)
        os.kill(int(there[0].name), signal.SIGKILL)

    class Killing(ActorModel):
        killed = False

        async def vectors(self, texts):
            if not Killing.killed:
                Killing.killed = True
                await kill_one()
            return await super().vectors(texts)

    with RayActors(workers=2) as actors:
        assert actors.needs == (2, {"num_cpus": 1})
        model = Killing({"model": "x"}, loader(pids), actors)
        model._pool  # noqa: B018 - begun before the first is killed
        there = embedded(model, tmp_path / "there.sqlite")
    assert Killing.killed
    assert len(list(pids.iterdir())) >= 3, "two actors, and one that took the place of another"
    assert here.tobytes() == there.tobytes()
    assert not ray.is_initialized(), "what was started is ended"


def test_vectors_of_this_process_are_known_to_actors(tmp_path):
    """The cache is the same: nothing is embedded again because it is done elsewhere."""
    here = embedded(LocalModel({"model": "x"}, loader(tmp_path, 0)), tmp_path / "one.sqlite")
    with RayActors(workers=1) as actors:
        model = ActorModel({"model": "x"}, loader(tmp_path), actors)
        again = embedded(model, tmp_path / "one.sqlite")
        assert "_pool" not in model.__dict__, "no actor was needed"
    assert here.tobytes() == again.tobytes()


def test_each_actor_takes_its_share_of_a_gpu(tmp_path):
    ray.init(
        address="local", num_cpus=1, num_gpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False
    )
    try:
        with RayActors(gpus=0.4) as actors:
            assert actors.needs == (2, {"num_gpus": 0.4, "num_cpus": 0})
            begun = actors.begin(loader(tmp_path))
            made = ray.get([actor.encode.remote(["ab"]) for actor in begun])
            assert [vectors.tolist() for vectors in made] == [[[2.0, 1.0]]] * 2
            assert len({path.name for path in tmp_path.iterdir()}) == 2
            left = ray.available_resources()["GPU"]
            assert left == pytest.approx(0.2)
        until = time.monotonic() + 20
        while ray.available_resources().get("GPU") != 1 and time.monotonic() < until:
            time.sleep(0.1)
        assert ray.available_resources()["GPU"] == 1, "what was begun is ended in a cluster that goes on"
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_a_model_that_no_machine_can_load_is_said_in_our_words(tmp_path):
    def load():
        raise ModuleNotFoundError("no package on this machine")

    with RayActors(workers=1) as actors, pytest.raises(RunError, match=r"x: Ray could not embed (?s:.*)no package"):
        embedded(ActorModel({"model": "x"}, load, actors), tmp_path / "cache.sqlite")


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_of_a_gpu_is_above_0_and_at_most_1(share):
    with pytest.raises(SpecError, match="share of a GPU"):
        RayActors(gpus=share)
