"""Agreement of judges and people as a section of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from neraca.metaeval.agreement import JudgeAgreement, agreement
from neraca.number_format import integer, number, percent, percent_level, span
from neraca.records import Item
from neraca.reports.blocks.agreement import Disagreement, disagreements, grade_table, shares, value_of
from neraca.reports.blocks.tables import answered
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.agreement import sentences
from neraca.reports.translation import say, say_all
from neraca.result import Table
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.scores import Scores
from neraca.verdicts.opinions import opinions_by_aspect
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import CATEGORICAL, JURY, source_of

#: So many things on which judges differ are shown, and so many aspects are told in sentences.
SHOWN, TOLD = 10, 3


class JudgesSection(NamedTuple):
    """The section on judges and people: tables and sentences."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]


def section(scores: Scores) -> JudgesSection | None:
    """Compare the judges of all runs together; None where no two decided on the same aspect of anything."""
    runs = answered(scores)
    tables = [_compared(part.column("verdicts").table) for part in runs]
    if not any(map(len, tables)):
        return None
    items = [*{item.id: item for part in runs for item in part.column("item_records")}.values()]
    agreements = agreement(items, *tables, level=scores.level)
    if not agreements:
        return None
    opinions = opinions_by_aspect(tables)
    level = percent_level(scores.level)
    made = [_agree(agreements, say("How far judges agree, with {level} intervals", level=level))]
    columns, graded = grade_table(agreements)
    made += [Table(columns, graded, say("Grades, near ones counted in part"))] if graded else []
    if differing := disagreements(opinions):
        made.append(_differing(differing, items, [part.name for part in runs]))
    return JudgesSection(tuple(made), tuple(sentences(agreements, opinions, items, scores.level, TOLD)))


def _compared(verdicts: VerdictTable) -> VerdictTable:
    """The verdicts on aspects that two judges decided on; what one judge alone did is not worth its time."""
    names = [name.partition("#")[0] for name in verdicts.by.words]
    judges = np.array([source_of(name) in CATEGORICAL and name not in (JURY, TOGETHER) for name in names], dtype=bool)
    distinct, codes = np.unique(names, return_inverse=True)
    by_judges = judges[verdicts.by.codes]
    pairs = np.unique(
        verdicts.aspect.codes[by_judges].astype(np.int64) * len(distinct) + codes[verdicts.by.codes[by_judges]]
    )
    several = np.bincount(pairs // max(1, len(distinct)), minlength=len(verdicts.aspect.words)) > 1
    return verdicts.take(by_judges & several[verdicts.aspect.codes])


def _agree(agreements: Sequence[JudgeAgreement], title: str) -> Table:
    rows = [
        [
            line(agreement.aspect, 40),
            listed([line(name, 60) for name in agreement.judges]),
            _cell(percent(agreement.agreement.value), shares(agreement.agreement)),
            *(
                _cell(number(e.value, 2), span(e.low, e.high, 2))
                for e in (agreement.kappa, agreement.ac1, agreement.alpha)
            ),
            integer(agreement.agreement.n),
        ]
        for agreement in agreements
    ]
    return Table([*say_all("aspect", "judges", "agree", "kappa", "AC1", "alpha", "n")], rows, title, names=2)


def _cell(value: str, bounds: str) -> str:
    return f"{value} ({bounds})" if bounds else value


def _differing(differing: Sequence[Disagreement], items: Iterable[Item], runs: Sequence[str]) -> Table:
    """The things on which judges differ most, with what each of them says and why."""
    query = {item.id: item.query for item in items}
    rows = []
    for disagreement in differing[:SHOWN]:
        run, item, _, about = disagreement.thing
        hit = "" if about == "answer" else f"{line(about.removeprefix('hit:'), 60)}, "
        opinions = "; ".join(
            f"{line(name, 60)} {value_of(verdict):g}{f' ({line(verdict.why, 100)})' if verdict.why else ''}"
            for name, verdict in disagreement.opinions.items()
        )
        rows.append(
            [
                line(disagreement.aspect, 40),
                f"{hit}{line(item, 60)}: {line(query[item], 100)}",
                line(runs[run], 60),
                opinions,
            ]
        )
    title = say("Where they differ most ({n} of {all:,})", n=len(rows), all=len(differing))
    return Table([*say_all("aspect", "Question", "Run", "What they say")], rows, title, names=4)
