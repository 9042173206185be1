"""What an endpoint does not take from requests to one model: found out by a refusal, and remembered."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

#: How the shape of a reply can be demanded, best first.
MODES = {
    "native": "its own schema",
    "tool": "the schema of a tool",
    "prompted": "words in the prompt",
}
_BEST, *_ = MODES


class _Record(msgspec.Struct):
    dropped: list[str] = []
    modes: dict[str, str] = {}


class Compatibility:
    """The parameters that are left out, and how the shape of a reply is demanded.

    Parameters
    ----------
    stored
        What `store` got last, in whatever process; None: nothing.
    store
        Keeps what was found out.
    """

    def __init__(self, stored: bytes | None, store: Callable[[bytes], None]) -> None:
        self._record = msgspec.json.decode(stored, type=_Record) if stored else _Record()
        self._works: dict[str, str] = {}
        self._store = store

    @property
    def dropped(self) -> list[str]:
        """The names of the parameters that are left out, sorted."""
        return self._record.dropped

    def drop(self, parameter: str) -> None:
        """Leave out a parameter from now on."""
        if parameter not in self._record.dropped:
            self._record.dropped = sorted([*self._record.dropped, parameter])
            self._save()

    def modes(self, kind: str) -> tuple[str, ...]:
        """Return the modes to try for a reply of this name: the one that works, else all from the first that may work.

        That is the mode in which replies of another name came.
        """
        if kind in self._works:
            return (self._works[kind],)
        stored = self._record.modes
        first = stored.get(kind) or next(iter([*self._works.values(), *stored.values()]), _BEST)
        return tuple(MODES)[list(MODES).index(first) :]

    def use(self, kind: str, mode: str, *, declined: bool) -> None:
        """Demand replies of this name in this mode from now on, unless one is known to work already.

        `declined`: the endpoint refused a better mode, and so will the next process be refused.  Where it took the
        better mode and the reply was of no use, that may have been chance, and is not stored.
        """
        if self._works.setdefault(kind, mode) == mode and declined and self._record.modes.get(kind) != mode:
            self._record.modes[kind] = mode
            self._save()

    @property
    def notes(self) -> list[str]:
        """What a reader must know of how the model is asked, for messages."""
        modes = dict.fromkeys([*self._works.values(), *self._record.modes.values()])
        notes = [f"asked without {parameter}, which it does not take" for parameter in self.dropped]
        shape = "the shape of replies is demanded by {}, since {} failed"
        return notes + [shape.format(MODES[mode], MODES[_BEST]) for mode in modes if mode != _BEST]

    def _save(self) -> None:
        self._store(msgspec.json.encode(self._record))
