"""Models that embed in actors of a Ray cluster, instead of in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.models.adaptive_concurrency import AdaptiveLimit
from neraca.models.embed_batches import unit
from neraca.models.ray_actors import Load, RayActors

#: Batches that wait at each actor, so that none is idle while another one is put together.
_PENDING = 2


class ActorModel:
    """A model in several actors, each of which works on one batch at a time.

    Parameters
    ----------
    key
        See `neraca.models.embed_batches.Source`: that of the same model in this process.
    load
        See `neraca.models.ray_actors.Load`; it is called in each actor.
    actors
        Where.
    """

    #: Small batches, so that the answers that are judged at a time keep many actors busy.
    most = 16
    paid = False

    def __init__(self, key: Mapping[str, str], load: Load, actors: RayActors) -> None:
        self.key = key
        self._load = load
        self._actors = actors

    @cached_property
    def _pool(self) -> list[Any]:
        return self._actors.begin(self._load)

    @cached_property
    def _busy(self) -> list[int]:
        return [0] * len(self._pool)

    @cached_property
    def _turn(self) -> AdaptiveLimit:
        places = _PENDING * len(self._pool)
        return AdaptiveLimit(places, first=places)

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Source`; the actor with the fewest batches gets them."""
        number = await self._turn.enter()
        place = self._busy.index(min(self._busy))
        self._busy[place] += 1
        try:
            made = await self._actors.encode(self._pool[place], texts, self.key["model"])
        finally:
            self._busy[place] -= 1
            self._turn.leave(number, "answered")
        return unit(made, len(texts))

    def estimate(self, texts: Sequence[str]) -> None:
        """Count nothing, because a model on machines of one's own costs nothing."""
