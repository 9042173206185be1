"""The jury: one verdict from the verdicts of several judges on the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from neraca.errors import SpecError
from neraca.judges.judge import withdrawn
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.runs.session_contents import is_on_session
from neraca.verdicts.opinions import opinions_by_aspect
from neraca.verdicts.source import JURY


class JuryResult(NamedTuple):
    """The verdicts that a jury wrote into one run."""

    run: Run
    verdicts: int
    undecided: int
    new_verdicts: int


def jury(verdicts: Iterable[Verdict], judges: Sequence[str] = ("llm",)) -> Iterator[Verdict]:
    """Yield a verdict by `llm:jury` on each answer, hit and conversation on which at least two judges decided.

    The value is the median of their values.  For yes or no this is the majority; if as many say yes as no, the value
    is None.  `why` lists the judges with their values.

    Parameters
    ----------
    verdicts
        The verdicts on one run, oldest first.
    judges
        Members of the jury, as in `by`.

    Raises
    ------
    SpecError
        If one of `judges` gave no verdict on an answer or a hit.

    Examples
    --------
    >>> verdicts = [
    ...     Verdict(item="1", about="answer", aspect="valid", by=f"llm:{name}", value=value)
    ...     for name, value in (("a", 1), ("b", 0), ("c", 1))
    ... ]
    >>> [(verdict.by, verdict.value, verdict.why) for verdict in jury(verdicts)]
    [('llm:jury', 1.0, 'llm:a 1, llm:b 0, llm:c 1')]
    """
    all_verdicts = list(verdicts)
    content = {(v.item, v.trial, is_on_session(v.about)): v.of for v in all_verdicts if v.of}
    for aspect, opinions_by_thing in opinions_by_aspect([all_verdicts], judges).items():
        yes_no = {v.value for opinions in opinions_by_thing.values() for v in opinions.values()} <= {0.0, 1.0}
        for (_, item, trial, about), opinions in opinions_by_thing.items():
            if len(opinions) < 2:
                continue
            value_by_judge = {name: v.value for name, v in sorted(opinions.items()) if v.value is not None}
            value: float | None = float(median(value_by_judge.values()))
            why = ", ".join(f"{name} {value:g}" for name, value in value_by_judge.items())
            caution = next((v.caution for _, v in sorted(opinions.items()) if v.caution), "")
            if yes_no and value == 0.5:
                value, why = None, f"as many say yes as no: {why}"
            of = content.get((item, trial, is_on_session(about)), "")
            yield Verdict(
                item=item,
                trial=trial,
                about=about,
                aspect=aspect,
                value=value,
                by=JURY,
                why=why,
                caution=caution if value is not None else "",
                of=of,
            )


def write_jury(
    runs: Sequence[Run], verdicts_by_run: Sequence[Sequence[Verdict]], judges: Sequence[str] = ()
) -> list[JuryResult]:
    """Write the verdicts of a jury into the runs, and withdraw earlier ones that it no longer gives.

    Nothing is written if the jury cannot decide on one of the runs.

    Parameters
    ----------
    runs, verdicts_by_run
        The runs, and the current verdicts of each.
    judges
        Members of the jury, as in `by`; empty: all models.

    Raises
    ------
    SpecError
        If the jury is named as its own member, or a member gave no verdict in one of the runs.
    """
    if JURY in judges:
        raise SpecError(f"{JURY} cannot sit in the jury; name its members with --judges")
    verdicts_of_jury = []
    for run, verdicts in zip(runs, verdicts_by_run, strict=True):
        try:
            verdicts_of_jury.append(list(jury(verdicts, judges or ("llm",))))
        except SpecError as error:
            raise SpecError(f"{run.path}: no jury can sit: {error}") from None
    return [_write(run, decided) for run, decided in zip(runs, verdicts_of_jury, strict=True)]


def _write(run: Run, decided: list[Verdict]) -> JuryResult:
    places = {(verdict.item, verdict.trial, verdict.about, verdict.aspect) for verdict in decided}
    with run.writing():
        obsolete = [
            withdrawn(old)
            for old in run.verdicts()
            if old.by == JURY and (old.item, old.trial, old.about, old.aspect) not in places
        ]
        new = run.add_verdicts([*decided, *obsolete])
    return JuryResult(run, len(decided), sum(verdict.value is None for verdict in decided), new)
