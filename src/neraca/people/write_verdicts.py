"""Verdicts of people into runs: a newer word replaces an older one, whatever comes in first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from neraca.records import Verdict
from neraca.runs.run import Run


class Written(msgspec.Struct):
    """How many verdicts of people were written into one run, and why others were not.

    Attributes
    ----------
    new
        Where this person had said nothing, or had withdrawn it.
    replaced
        Where they replace another word of the same person.
    withdrawn
        Where a word of the same person was taken back.
    older
        Left out, because a newer word of the same person stands.
    contradicted
        Withdrawn, because the same person said something else at the very same time.
    examples
        For each of `replaced`, `older` and `contradicted`: an earlier word, and the word that came in.
    """

    new: int = 0
    replaced: int = 0
    withdrawn: int = 0
    older: int = 0
    contradicted: int = 0
    examples: dict[str, tuple[Verdict, Verdict]] = {}

    @property
    def changes(self) -> int:
        """How many verdicts say something else than before."""
        return self.new + self.replaced + self.withdrawn + self.contradicted


def write_verdicts(runs: Sequence[Run], verdicts: Sequence[Iterable[Verdict]]) -> list[Written]:
    """Add verdicts to each run, so that of one person on one thing the newest stands, in whatever order they come.

    A newer word that says the same is written too, since it is older than what may come next.  Of two words with the
    same time that differ neither stands.  Returns what was done in each run.

    Raises
    ------
    RunError
        When another process writes to one of the runs.
    """
    done = []
    for run, given in zip(runs, verdicts, strict=True):
        with run.writing():
            standing = {_place(verdict): verdict for verdict in run.verdicts()}
            written = Written()
            run.add_verdicts(joined for one in given if (joined := _join(one, standing, written)) is not None)
        done.append(written)
    return done


def _place(verdict: Verdict) -> tuple[str, int, str, str, str]:
    return verdict.item, verdict.trial, verdict.about, verdict.aspect, verdict.by


def _join(
    verdict: Verdict, standing: dict[tuple[str, int, str, str, str], Verdict], written: Written
) -> Verdict | None:
    """Return what is to be written, if anything, and count it."""
    earlier = standing.get(_place(verdict))
    order = 1 if earlier is None or not verdict.at else _compare(verdict.at, earlier.at)
    if earlier is not None and _word(earlier) == _word(verdict) and (order <= 0 or not verdict.at):
        return None
    if earlier is not None and order < 0:
        _count(written, "older", earlier, verdict)
        return None
    if earlier is not None and order == 0 and _word(earlier)[:3] != _word(verdict)[:3]:
        if earlier.status == "withdrawn":
            return None
        _count(written, "contradicted", earlier, verdict)
        why = f"said in two ways at the same time: {_value(earlier)} and {_value(verdict)}"
        verdict = replace(verdict, value=None, status="withdrawn", why=why)
    elif earlier is None or _word(earlier) != _word(verdict):
        _count_word(written, earlier, verdict)
    standing[_place(verdict)] = verdict
    return verdict


def _count_word(written: Written, earlier: Verdict | None, verdict: Verdict) -> None:
    if verdict.status == "withdrawn":
        written.withdrawn += earlier is not None and earlier.status != "withdrawn"
    elif earlier is None or earlier.status == "withdrawn":
        written.new += 1
    else:
        _count(written, "replaced", earlier, verdict)


def _count(written: Written, kind: str, earlier: Verdict, verdict: Verdict) -> None:
    setattr(written, kind, getattr(written, kind) + 1)
    written.examples.setdefault(kind, (earlier, verdict))


def _word(verdict: Verdict) -> tuple[float | None, str, str, str]:
    return verdict.value, verdict.status, verdict.why, verdict.of


def _value(verdict: Verdict) -> str:
    return verdict.status if verdict.value is None else f"{verdict.value:g}"


def _compare(time: str, other: str) -> int:
    """Return -1, 0 or 1: whether a time is before, at or after another; a time that cannot be read is before all.

    >>> _compare("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"), _compare("2026-01-31T09:30:00Z", "")
    (0, 1)
    """
    first, second = _instant(time), _instant(other)
    return (first > second) - (first < second)


def _instant(time: str) -> float:
    try:
        at = datetime.fromisoformat(time)
    except ValueError:
        return float("-inf")
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
