"""Write verdicts of people into runs: a newer verdict replaces an older one, in any order of arrival."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from neraca.errors import InputError
from neraca.people.quality_scale import QUALITY, conflict_with, ends_of, scale_words
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.translation import say


class Written(msgspec.Struct):
    """Counts of the verdicts of people that were written into one run, or left out.

    Attributes
    ----------
    new
        Verdicts where this person had none, or had withdrawn it.
    replaced
        Verdicts that replace another one of the same person.
    confirmed
        Verdicts that the same person gave before, with the same value.
    withdrawn
        Verdicts of the same person that were withdrawn.
    older
        Verdicts left out because a newer one of the same person exists.
    contradicted
        Verdicts withdrawn because the same person gave another value at the same time.
    examples
        For each of `replaced`, `older` and `contradicted`: an earlier verdict and the new one.
    """

    new: int = 0
    replaced: int = 0
    confirmed: int = 0
    withdrawn: int = 0
    older: int = 0
    contradicted: int = 0
    examples: dict[str, tuple[Verdict, Verdict]] = {}

    @property
    def changes(self) -> int:
        """The number of verdicts that differ from before."""
        return self.new + self.replaced + self.withdrawn + self.contradicted


def write_verdicts(
    runs: Sequence[Run], verdicts: Sequence[Iterable[Verdict]], scale: str = "", grades: str = ""
) -> list[Written]:
    """Add verdicts to each run, so that the newest verdict of a person on a subject counts, in any order of arrival.

    A newer verdict with the same value is written too, because its time matters for later ones.  If two verdicts with
    the same time differ, both are withdrawn.  `scale` is that of the quality of answers (`parse_scale`); the manifest
    of a run that gets a quality states it, unless it is the usual one.  The manifest also keeps the words of its values
    and those of the grades of hits (`grades_text`); words that it has already stay.  Return the counts for each run.

    Raises
    ------
    RunError
        If another process writes to one of the runs.
    InputError
        If people rated the quality in one of the runs on another scale; nothing is written then.
    """
    listed = [list(of_run) for of_run in verdicts]
    graded = [any(verdict.aspect == QUALITY for verdict in of_run) for of_run in listed]
    for run, has_quality in zip(runs, graded, strict=True):
        if has_quality and (reason := conflict_with(run, scale, run.verdicts())):
            raise InputError(
                say("{reason}; a mean of both means nothing. Rate on one scale, or in a copy of the run", reason=reason)
            )
    counts_by_run = []
    for run, of_run, has_quality in zip(runs, listed, graded, strict=True):
        with run.writing():
            if has_quality and (ends := ends_of(scale)):
                run.update(scales={**run.manifest.scales, QUALITY: ends})
            _keep_words(run, scale_words(scale, grades), {verdict.aspect for verdict in of_run})
            standing = {subject_of(verdict): verdict for verdict in run.verdicts()}
            counts = Written()
            joined = (_join(verdict, standing, counts) for verdict in of_run)
            run.add_verdicts(verdict for verdict in joined if verdict is not None)
        counts_by_run.append(counts)
    return counts_by_run


def _keep_words(run: Run, own_words: Mapping[str, Mapping[str, str]], aspects: Collection[str]) -> None:
    """Add the words of the scales of these aspects to the manifest; those that are there stay."""
    words = dict(run.manifest.scale_words)
    for aspect, by_value in own_words.items():
        if aspect in aspects:
            earlier = words.get(aspect, {})
            words[aspect] = {**by_value, **{value: text for value, text in earlier.items() if text}}
    if words != run.manifest.scale_words:
        run.update(scale_words=words)


def subject_of(verdict: Verdict) -> tuple[str, int, str, str, str]:
    """Return the subject of a verdict and its author, on which the newest verdict counts."""
    return verdict.item, verdict.trial, verdict.about, verdict.aspect, verdict.by


def _join(verdict: Verdict, standing: dict[tuple[str, int, str, str, str], Verdict], counts: Written) -> Verdict | None:
    """Return the verdict to write, if any, and count it."""
    earlier = standing.get(subject_of(verdict))
    order = 1 if earlier is None or not verdict.at else _compare(verdict.at, earlier.at)
    if earlier is not None and _content(earlier) == _content(verdict):
        counts.confirmed += verdict.status != "withdrawn"
        if order <= 0 or not verdict.at:
            return None
    if earlier is not None and order < 0:
        _count(counts, "older", earlier, verdict)
        return None
    if earlier is not None and order == 0 and _content(earlier)[:3] != _content(verdict)[:3]:
        if earlier.status == "withdrawn":
            return None
        _count(counts, "contradicted", earlier, verdict)
        why = f"said in two ways at the same time: {_value(earlier)} and {_value(verdict)}"
        verdict = replace(verdict, value=None, status="withdrawn", why=why)
    elif earlier is None or _content(earlier) != _content(verdict):
        _count_content(counts, earlier, verdict)
    standing[subject_of(verdict)] = verdict
    return verdict


def _count_content(written: Written, earlier: Verdict | None, verdict: Verdict) -> None:
    if verdict.status == "withdrawn":
        written.withdrawn += earlier is not None and earlier.status != "withdrawn"
    elif earlier is None or earlier.status == "withdrawn":
        written.new += 1
    else:
        _count(written, "replaced", earlier, verdict)


def _count(written: Written, kind: str, earlier: Verdict, verdict: Verdict) -> None:
    setattr(written, kind, getattr(written, kind) + 1)
    written.examples.setdefault(kind, (earlier, verdict))


def _content(verdict: Verdict) -> tuple[float | None, str, str, str]:
    return verdict.value, verdict.status, verdict.why, verdict.of


def _value(verdict: Verdict) -> str:
    return verdict.status if verdict.value is None else f"{verdict.value:g}"


def _compare(time: str, reference: str) -> int:
    """Return -1, 0 or 1: a time is before, at or after the reference; a time that cannot be read is before all.

    >>> _compare("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"), _compare("2026-01-31T09:30:00Z", "")
    (0, 1)
    """
    first, second = _instant(time), _instant(reference)
    return (first > second) - (first < second)


def _instant(time: str) -> float:
    try:
        at = datetime.fromisoformat(time)
    except ValueError:
        return float("-inf")
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
