"""Units as tasks of Ray: a real cluster on this machine, whose processes and nodes are killed."""

from __future__ import annotations

import sys
import threading
import time

import pytest
from scores.engine.slow_rows import SlowRows, files, forget_letters, killing, small_units

from neraca.errors import MissingExtra, NeracaError, RunError
from neraca.scores.score_parquet import ScaleOptions, score_parquet

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'neraca[ray]'")
from ray.cluster_utils import Cluster  # noqa: E402


@pytest.fixture
def rows(tmp_path, monkeypatch):
    small_units(monkeypatch)
    yield SlowRows(tmp_path, seconds=0.2)
    forget_letters()


def options(rows, engine="ray", address="", workers=2):
    return ScaleOptions(engine=engine, address=address, plugins=[rows.plugin], workers=workers)


def test_a_worker_is_killed_and_the_bytes_are_those_of_one_process(rows, tmp_path):
    killed = killing(rows.pids)
    told = []
    score_parquet(rows.data, "Letters", tmp_path / "ray", options(rows), lambda *how: told.append(how))
    assert len(killed()) == 1
    assert len({path.name for path in rows.pids.iterdir()}) >= 3, "two workers, and one that took the place of another"
    assert told[-1][:2] == (240, 240)
    assert not ray.is_initialized(), "what was started is ended"
    score_parquet(rows.data, "Letters", tmp_path / "local", options(rows, "local", workers=1))
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    rows.values(tmp_path / "ray")


def test_a_cluster_that_is_there_loses_a_machine(rows, tmp_path):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        second = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()

        def lose() -> None:
            while len(list((tmp_path / "out/values").glob("*.parquet"))) < 3:
                time.sleep(0.05)
            cluster.remove_node(second, allow_graceful=False)

        losing = threading.Thread(target=lose, daemon=True)
        losing.start()
        score_parquet(rows.data, "Letters", tmp_path / "out", options(rows, address=cluster.address))
        losing.join(30)
        assert len(cluster.list_all_nodes()) == 1
    finally:
        cluster.shutdown()
    rows.values(tmp_path / "out")


def test_what_cannot_be_done_is_said_in_our_words(rows, tmp_path, monkeypatch):
    with pytest.raises(RunError, match=r"the Ray cluster at 127\.0\.0\.1:1 cannot be used"):
        score_parquet(rows.data, "Letters", tmp_path / "out", options(rows, address="127.0.0.1:1"))
    rows.plugin.write_text(
        "import neraca\n\n@neraca.metric('Letters', high=1000)\ndef letters(response: str) -> float:\n"
        "    return 1.0 if 'xxxx' in response else 1 / 0\n"
    )
    forget_letters()
    with pytest.raises(NeracaError, match=r"Letters: failed on item 'row \d+': ZeroDivisionError"):
        score_parquet(rows.data, "Letters", tmp_path / "broken", options(rows))
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'neraca\[ray\]'"):
        score_parquet(rows.data, "Letters", tmp_path / "third", options(rows))
