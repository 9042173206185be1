"""Models that are loaded in actors of a Ray cluster: one on each processor, or on each share of a GPU."""

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

#: Returns the function from texts, at least one, to vectors of any length but 0.
Load = Callable[[], Callable[[Sequence[str]], ArrayLike]]
#: Share of a GPU that an actor takes where nothing else is said: these models are small.
GPUS = 0.25


class RayActors:
    """Where embeddings are computed instead of in a thread of this process; to be entered and left.

    Parameters
    ----------
    address
        Of a cluster; "": one of this machine alone is started.
    workers
        Processes of a cluster that is started; 0: as many as there are processors.
    gpus
        Share of a GPU for each actor, above 0 and at most 1; where the cluster has none, each takes a processor.

    Raises
    ------
    SpecError
        The share is none.
    MissingExtra, RunError
        When it is entered: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str = "", workers: int = 0, gpus: float = GPUS) -> None:
        if not 0 < gpus <= 1:
            raise SpecError(f"the share of a GPU for each process is above 0 and at most 1, not {gpus:g}")
        self._address, self._workers, self._gpus = address, workers, gpus
        self._stack = ExitStack()
        self._ray: Any = None
        self._begun: list[Any] = []

    def __enter__(self) -> Self:
        self._ray = self._stack.enter_context(ray_cluster(self._address, self._workers))
        return self

    def __exit__(self, *raised: object) -> None:
        for actor in self._begun:
            self._ray.kill(actor)
        self._begun.clear()
        self._stack.close()

    @property
    def needs(self) -> tuple[int, dict[str, float]]:
        """How many actors there may be, and what each of them takes."""
        there = self._ray.cluster_resources()
        if there.get("GPU", 0) >= 1:
            return int(there["GPU"]) * int(1 / self._gpus), {"num_gpus": self._gpus, "num_cpus": 0}
        return max(1, int(there.get("CPU", 1))), {"num_cpus": 1}

    def begin(self, load: Load) -> list[Any]:
        """Start the actors, each of which loads the model; one that dies is started again, `TRIES` times at most."""
        number, each = self.needs
        kind = self._ray.remote(max_restarts=TRIES, max_task_retries=TRIES, **each)(_Encoder)
        actors = [kind.remote(load) for _ in range(number)]
        self._begun += actors
        return actors

    async def encode(self, actor: Any, texts: Sequence[str], model: str) -> Any:
        """What an actor makes of texts; raises `RunError` where it cannot."""
        try:
            return await asyncio.wrap_future(actor.encode.remote(list(texts)).future())
        except self._ray.exceptions.RayError as lost:
            raise RunError(f"{model}: Ray could not embed {len(texts)} texts: {lost}") from lost


class _Encoder:
    """What an actor is: a model, loaded once."""

    def __init__(self, load: Load) -> None:
        self._encode = load()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.asarray(self._encode(texts), np.float64)
