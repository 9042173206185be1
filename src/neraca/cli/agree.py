"""`neraca agree`: how far judges agree, where they do not, and what they say together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.errors import InputError, SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.records import Item, Verdict
    from neraca.runs.run import Run


def command(
    runs: options.Runs,
    judges: Annotated[
        list[str],
        typer.Option(
            help='Who is compared: "llm human" is all models and people, "llm:openai:gpt-4o-mini human:Ana" these two; '
            "default people, rules and models.",
            show_default=False,
        ),
    ] = [],
    jury: Annotated[
        bool,
        typer.Option("--jury", help="Write what the judges say together (default all models) as verdicts by llm:jury."),
    ] = False,
    level: options.Level = 0.95,
    seed: Annotated[int, typer.Option(help="Of the intervals, which are made by resampling sessions.", min=0)] = 0,
    json: options.Json = False,
) -> None:
    """How far judges agree on answers and hits, aspect by aspect, and where they differ most."""
    from neraca.metaeval.agreement import agreement
    from neraca.reports import agreement as words
    from neraca.reports.escape import visible
    from neraca.reports.number_format import percent_level
    from neraca.runs.run import Run
    from neraca.verdicts.current import current_verdicts

    opened = [Run(path) for path in dict.fromkeys(runs)]
    items = _items(opened)
    said = [current_verdicts(run) for run in opened]
    wanted = _wanted(judges, said)
    found = agreement(items, *said, judges=wanted, level=level, seed=seed)
    sat = _sit(opened, said, wanted) if jury else []
    told = words.heard(said, wanted)
    names = [str(run.path) for run in opened]
    differing = words.disagreements(told)
    sentences = words.sentences(found, told, items, level)
    if json:
        if not found:
            for sentence in sentences:
                speak(sentence)
        show.jsonl([*words.rows(found), *words.opinion_rows(differing, names), *sat])
        return
    if found:
        show.table(f"how far judges agree, with {percent_level(level)} intervals", *words.table(found))
    for sentence in [*sentences, *words.shown(differing, items, names), *map(_ruled, sat)]:
        print(visible(sentence))


def _items(runs: Sequence[Run]) -> list[Item]:
    """The questions of all runs; raises `InputError` where one id stands for two questions."""
    found: dict[str, tuple[Item, Run]] = {}
    for run in runs:
        for item in run.items:
            known, first = found.setdefault(item.id, (item, run))
            if (known.query, known.session) != (item.query, item.session):
                raise InputError(
                    f"question {item.id!r} of {run.path} is not that of {first.path}; compare judges on runs over the "
                    "same dataset, or on each run alone"
                )
    return [item for item, _ in found.values()]


def _wanted(words: list[str], said: Sequence[Sequence[Verdict]]) -> list[str]:
    """The judges named, several in one word or each in a word of its own, as where a name has a space.

    Raises `SpecError` for one who wrote nothing.
    """
    bys = {verdict.by for verdicts in said for verdict in verdicts}
    known = sorted({name for by in bys for name in (by, by.partition("#")[0], by.partition(":")[0])})
    names = dict.fromkeys(name for word in words for name in ([word] if word in known else word.split()))
    if strange := next((name for name in names if name not in known), ""):
        raise SpecError(f"nobody called {strange!r} wrote a verdict in these runs; {nearest(strange, known)}")
    return list(names)


def _sit(runs: Sequence[Run], said: Sequence[Sequence[Verdict]], wanted: list[str]) -> list[dict[str, object]]:
    """Write the verdicts of a jury into the runs; what it said earlier and says no more is withdrawn."""
    from neraca.judges.judge import withdrawn
    from neraca.metaeval.agreement import JURY, jury

    if JURY in wanted:
        raise SpecError(f"{JURY} cannot sit in the jury; name its members with --judges")
    rulings = []
    for run, verdicts in zip(runs, said, strict=True):
        try:
            rulings.append(list(jury(verdicts, wanted or ("llm",))))
        except SpecError as error:
            raise SpecError(f"{run.path}: no jury can sit: {error}") from None
    rows: list[dict[str, object]] = []
    for run, ruling in zip(runs, rulings, strict=True):
        now = {(one.item, one.trial, one.about, one.aspect) for one in ruling}
        with run.writing():
            gone = [
                withdrawn(old)
                for old in run.verdicts()
                if old.by == JURY and (old.item, old.trial, old.about, old.aspect) not in now
            ]
            new = run.add_verdicts([*ruling, *gone])
        level = sum(one.value is None for one in ruling)
        row = {"run": str(run.path), "by": JURY, "verdicts": len(ruling), "undecided": level, "new_verdicts": new}
        rows.append(row)
    return rows


def _ruled(row: dict[str, object]) -> str:
    if not row["verdicts"]:
        return f"{row['run']}: no verdict by {row['by']}: no two of its judges decided on the same thing"
    level = f", of which {row['undecided']:,} say that yes and no are level" if row["undecided"] else ""
    return f"{row['run']}: verdicts by {row['by']}: {row['verdicts']:,}{level}; new ones: {row['new_verdicts']:,}"
