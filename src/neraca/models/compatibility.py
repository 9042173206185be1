"""Remember which parameters and reply modes an endpoint refuses for a model."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from neraca.translation import say

#: Modes of demanding the form of a reply, best first, with descriptions for messages.
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
    """Parameters to leave out of requests to a model, and modes of demanding the form of replies.

    Parameters
    ----------
    stored
        The last value passed to `store`, in any process; None: there is none.
    store
        Called with each new state, to save it.

    Attributes
    ----------
    probed
        Whether it was found out, in this process, that the endpoint ignores schemas or not.
    """

    def __init__(self, stored: bytes | None, store: Callable[[bytes], None]) -> None:
        self._record = msgspec.json.decode(stored, type=_Record) if stored else _Record()
        self._works: dict[str, str] = {}
        self._useless: dict[str, set[str]] = {}
        self._store = store
        self.probed = False

    @property
    def unproven(self) -> bool:
        """Whether no mode ever worked, and it was not found out whether the endpoint ignores schemas."""
        return not (self._works or self._record.modes or self.probed)

    @property
    def dropped(self) -> list[str]:
        """Names of the parameters to leave out, sorted."""
        return self._record.dropped

    def drop(self, parameter: str) -> None:
        """Leave a parameter out of later requests, and save this."""
        if parameter not in self._record.dropped:
            self._record.dropped = sorted([*self._record.dropped, parameter])
            self._save()

    def modes(self, kind: str) -> tuple[str, ...]:
        """Return the modes to try for a kind of reply, best first.

        If a mode works for this kind, return it alone.  Otherwise start with the stored mode of this kind, or with a
        mode of another kind, or with the best mode, and add all worse modes.  Modes with useless replies come last.
        """
        if kind in self._works:
            return (self._works[kind],)
        stored = self._record.modes
        first = stored.get(kind) or next(iter([*self._works.values(), *stored.values()]), _BEST)
        modes = tuple(MODES)[list(MODES).index(first) :]
        return tuple(sorted(modes, key=lambda mode: mode in self._useless.get(kind, ())))

    def fail(self, kind: str, mode: str) -> None:
        """Note that a mode gave a useless reply.  Until some mode works, try it last."""
        useless = self._useless.setdefault(kind, set())
        useless.add(mode)
        if len(useless) == len(MODES):
            useless.clear()

    def use(self, kind: str, mode: str, *, declined: bool) -> None:
        """Use this mode for a kind of reply from now on, unless another mode already works for it.

        Store the mode only if the endpoint `declined` a better one, which it would do again in the next process.  If
        the better mode gave a useless reply, this may have been chance.
        """
        if self._works.setdefault(kind, mode) == mode and declined and self._record.modes.get(kind) != mode:
            self._record.modes[kind] = mode
            self._save()

    @property
    def notes(self) -> list[str]:
        """Sentences for messages: parameters left out, and modes other than the best."""
        modes = dict.fromkeys([*self._works.values(), *self._record.modes.values()])
        notes = [say("asked without {parameter}, which it does not accept", parameter=name) for name in self.dropped]
        template = "the form of replies is demanded by {mode}, because {best} failed"
        best = say(MODES[_BEST])
        return notes + [say(template, mode=say(MODES[mode]), best=best) for mode in modes if mode != _BEST]

    def _save(self) -> None:
        self._store(msgspec.json.encode(self._record))
