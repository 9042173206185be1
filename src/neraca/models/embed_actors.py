"""Embed texts in the actors of a Ray cluster instead of in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.models.adaptive_concurrency import AdaptiveLimit
from neraca.models.embed_batches import unit
from neraca.models.ray_actors import Load, RayActors

#: Batches in progress or waiting at each actor, so that no actor is idle while the next batch is prepared.
_PENDING = 2


class ActorModel:
    """A model in several actors, each of which works on one batch at a time.

    Parameters
    ----------
    key
        See `neraca.models.embed_batches.Source`; the same as for the model in this process.
    load
        See `neraca.models.ray_actors.Load`; called in each actor.
    actors
        The actors to use.
    """

    #: Small batches, so that the answers judged at one time keep many actors busy.
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
        """Return unit vectors from the actor with the fewest batches; see `Source.vectors`."""
        number = await self._turn.enter()
        place = self._busy.index(min(self._busy))
        self._busy[place] += 1
        try:
            vectors = await self._actors.encode(self._pool[place], texts, self.key["model"])
        finally:
            self._busy[place] -= 1
            self._turn.leave(number, "answered")
        return unit(vectors, len(texts))

    def estimate(self, texts: Sequence[str]) -> None:
        """Count nothing, because a model on the user's own machines costs nothing."""
