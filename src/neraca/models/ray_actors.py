"""Load embedding models in the actors of a Ray cluster: one on each processor, or on each share of a GPU."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.concurrency import TRIES
from neraca.errors import RunError, SpecError
from neraca.ray_cluster import ray_cluster

#: Loads a model, and returns the function from texts (at least one) to vectors of any length but 0.
Load = Callable[[], Callable[[Sequence[str]], ArrayLike]]
#: Default share of a GPU for an actor; these models are small.
GPUS = 0.25


class RayActors:
    """A context manager for actors that compute embeddings outside this process.

    Parameters
    ----------
    address
        Address of a cluster; "": start a cluster on this machine.
    workers
        Number of processes of a cluster that is started; 0: one for each processor.
    gpus
        Share of a GPU for each actor, above 0 and at most 1.  If the cluster has no GPU, each actor takes a processor.

    Raises
    ------
    SpecError
        The share of a GPU is out of range.
    MissingExtra, RunError
        On entering: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str = "", workers: int = 0, gpus: float = GPUS) -> None:
        if not 0 < gpus <= 1:
            raise SpecError(f"the share of a GPU for each process must be above 0 and at most 1, not {gpus:g}")
        self._address, self._workers, self._gpus = address, workers, gpus
        self._stack = ExitStack()
        self._ray: Any = None
        self._actors: list[Any] = []

    def __enter__(self) -> Self:
        self._ray = self._stack.enter_context(ray_cluster(self._address, self._workers))
        return self

    def __exit__(self, *raised: object) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors.clear()
        self._stack.close()

    @property
    def needs(self) -> tuple[int, dict[str, float]]:
        """Number of actors that fit in the cluster, and the resources of each."""
        resources = self._ray.cluster_resources()
        if resources.get("GPU", 0) >= 1:
            return int(resources["GPU"]) * int(1 / self._gpus), {"num_gpus": self._gpus, "num_cpus": 0}
        return max(1, int(resources.get("CPU", 1))), {"num_cpus": 1}

    def begin(self, load: Load) -> list[Any]:
        """Start the actors, each of which loads the model; restart an actor that dies, at most `TRIES` times."""
        number, resources = self.needs
        kind = self._ray.remote(max_restarts=TRIES, max_task_retries=TRIES, **resources)(_Encoder)
        actors = [kind.remote(load) for _ in range(number)]
        self._actors += actors
        return actors

    async def encode(self, actor: Any, texts: Sequence[str], model: str) -> Any:
        """Return the vectors that an actor computes for texts; raise `RunError` if Ray fails."""
        try:
            return await asyncio.wrap_future(actor.encode.remote(list(texts)).future())
        except self._ray.exceptions.RayError as lost:
            raise RunError(f"{model}: Ray could not embed {len(texts)} texts: {lost}") from lost


class _Encoder:
    """A model that is loaded once, in an actor."""

    def __init__(self, load: Load) -> None:
        self._encode = load()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.asarray(self._encode(texts), np.float64)
