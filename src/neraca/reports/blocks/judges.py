"""Make the section of a report on the agreement of judges and people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from neraca.counts_and_lists import listed
from neraca.metaeval.agreement import agreement, items_by_unit
from neraca.metaeval.judged_aspect import JudgeAgreement
from neraca.number_format import integer, number, percent, percent_level, span
from neraca.records import Item
from neraca.reports.blocks.agreement import (
    Disagreement,
    disagreements,
    kinds_of_kappa,
    opinion_words,
    shares,
)
from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.blocks.tables import answered
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.agreement import chosen_labels, left_out_pairs, merged_pairs, sentences
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.reasons import source_words, verdict_reason
from neraca.reports.sentences.scale_words import ScaleWords, words_of_scales
from neraca.result import Table
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.scores import Scores
from neraca.translation import say, say_all
from neraca.verdicts.opinions import opinions_by_aspect
from neraca.verdicts.pair_decisions import BESIDE, PREFERENCES, MergedPairs, is_on_pair, merge_pairs
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import CATEGORICAL, JURY, source_of

#: The most disagreements that are shown, and the most aspects that are described in sentences.
SHOWN, DESCRIBED = 10, 3


def section(scores: Scores) -> FinishedSection | None:
    """Compare the judges of all runs together; None if no two decided on the same aspect of the same answer or hit.

    One observation is what it is for the scores: a session, a question, or a tag.
    """
    runs = answered(scores)
    stored = [part.column("verdicts").table for part in runs]
    folders = [part.column("run") for part in runs if part.offers("run")]
    tables, merged = merge_pairs(folders, stored) if len(folders) == len(runs) else (stored, MergedPairs())
    verdict_tables = list(map(_judged_twice, tables))
    if not any(map(len, verdict_tables)):
        return None
    all_items = [*{item.id: item for part in runs for item in part.column("item_records")}.values()]
    _, items = items_by_unit(all_items, scores.unit.asked)
    agreements = agreement(items, *verdict_tables, level=scores.level)
    if not agreements:
        return None
    opinions = opinions_by_aspect(verdict_tables)
    level = percent_level(scores.level)
    shown = [_agreement_table(agreements, say("How far judges agree, with {level} intervals", level=level))]
    if any(agreement.grades for agreement in agreements):
        shown.append(
            _grade_table(agreements, say("Grades, near ones counted in part, with {level} intervals", level=level))
        )
    if differing := disagreements(opinions):
        shown.append(_disagreement_table(differing, items, [part.name for part in runs], words_of_scales(scores)))
    cautions = [*chosen_labels(stored), *(merged_pairs(merged) if PREFERENCES in opinions else [])]
    described = sentences(agreements, opinions, items, scores.level, DESCRIBED)
    return FinishedSection(
        tuple(shown),
        (*described, *cautions, *left_out_pairs(scores.facts.get("pairs_not_shown", {}))),
        {"agreement": agreements.rows()},
    )


def _judged_twice(verdicts: VerdictTable) -> VerdictTable:
    """Return the verdicts on aspects that two judges decided on; the others cost time and cannot be compared."""
    names = [name.partition("#")[0] for name in verdicts.by.words]
    judges = np.array([source_of(name) in CATEGORICAL and name not in (JURY, TOGETHER) for name in names], dtype=bool)
    distinct, codes = np.unique(names, return_inverse=True)
    by_judges = judges[verdicts.by.codes]
    pairs = np.unique(
        verdicts.aspect.codes[by_judges].astype(np.int64) * len(distinct) + codes[verdicts.by.codes[by_judges]]
    )
    several = np.bincount(pairs // max(1, len(distinct)), minlength=len(verdicts.aspect.words)) > 1
    return verdicts.take(by_judges & several[verdicts.aspect.codes])


def _agreement_table(agreements: Sequence[JudgeAgreement], title: str) -> Table:
    rows = [
        [
            aspect_words(agreement.aspect),
            listed([line(source_words(name), 60) for name in agreement.judges]),
            Cell(percent(agreement.agreement.value), shares(agreement.agreement)),
            *(
                Cell(number(e.value, 2), span(e.low, e.high, 2))
                for e in (agreement.kappa, agreement.ac1, agreement.alpha)
            ),
            integer(agreement.agreement.n),
        ]
        for agreement in agreements
    ]
    columns = [*say_all("aspect", "judges", "agree", "kappa", "AC1", "alpha", "n")]
    return Table(columns, rows, title, names=2, name="agreement")


def _grade_table(agreements: Sequence[JudgeAgreement], title: str) -> Table:
    """Make a table of the kappas and ICC of grades."""
    rows = [
        [
            aspect_words(agreement.aspect),
            *(
                Cell(number(e.value, 2), span(e.low, e.high, 2))
                for e in (grades.kappa_by_weights["linear"], grades.kappa_by_weights["quadratic"])
            ),
            *(Cell(number(e.value, 2), span(e.low, e.high, 2)) for e in (grades.icc, grades.icc_mean)),
            integer(grades.icc.n),
        ]
        for agreement in agreements
        if (grades := agreement.grades) is not None
    ]
    kind = kinds_of_kappa(agreements)
    kappas = say("kappa, linear ({kind})", kind=kind), say("kappa, quadratic ({kind})", kind=kind)
    columns = [say("aspect"), *kappas, *say_all("ICC(2,1)", "ICC(2,k)", "n of ICC")]
    return Table(columns, rows, title, name="grades")


def _disagreement_table(
    differing: Sequence[Disagreement], items: Iterable[Item], runs: Sequence[str], words: ScaleWords
) -> Table:
    """Make a table of the largest disagreements, with the verdict and the reason of each judge."""
    query = {item.id: item.query for item in items}
    rows = []
    for disagreement in differing[:SHOWN]:
        run, item, _, about = disagreement.thing
        hit = f"{say('id {id}', id=line(about.removeprefix('hit:'), 60))}, " if about.startswith("hit:") else ""
        beside = f" − {line(about.removeprefix(BESIDE), 60)}" if is_on_pair(about) else ""
        opinions = [
            f"{line(source_words(name), 60)} {opinion_words(verdict, disagreement, runs, words)}"
            f"{_in_brackets(verdict_reason(verdict.by, verdict.why))}"
            for name, verdict in disagreement.opinions.items()
        ]
        rows.append(
            [
                aspect_words(disagreement.aspect),
                f"{hit}{line(item, 60)}: {line(query[item], 100)}",
                f"{line(runs[run], 60)}{beside}",
                "; ".join(opinions),
            ]
        )
    title = say("Where they differ most ({n} of {all:,})", n=len(rows), all=len(differing))
    return Table([*say_all("aspect", "Question", "Run", "What they say")], rows, title, names=4)


def _in_brackets(why: str) -> str:
    return f" ({line(why, 100)})" if why else ""
