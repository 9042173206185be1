"""Tables of the agreement of judges, and their largest disagreements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neraca.counts_and_lists import listed
from neraca.metaeval.judge_confusion import NAMED_COLUMNS, JudgeConfusion
from neraca.metaeval.judged_aspect import GradeAgreement, JudgeAgreement
from neraca.number_format import DASH, integer, localised, number, percent, percent_span, span
from neraca.records import Item, Verdict
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.reasons import source_words, verdict_reason
from neraca.reports.sentences.scale_words import NO_WORDS, ScaleWords, value_in_words
from neraca.result import Table
from neraca.runs.session_contents import SESSION
from neraca.stats.intervals.interval import Estimate
from neraca.translation import say, say_all
from neraca.verdicts.opinions import Opinions, Thing
from neraca.verdicts.pair_decisions import BESIDE, is_on_pair
from neraca.verdicts.source import is_human


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A judged part of an answer on which judges differ.

    Attributes
    ----------
    aspect
        The aspect that they judged.
    thing
        Which run (from 0), item, trial and part of the answer.
    opinions
        Judge → verdict, by name.
    spread
        The largest minus the smallest value, as a share of the range of the aspect's values; above 0.
    """

    aspect: str
    thing: Thing
    opinions: Mapping[str, Verdict]
    spread: float


def disagreements(by_aspect: Opinions) -> list[Disagreement]:
    """Return everything on which judges differ, the most telling first.

    The widest spread comes first.  Among equals, a person against a program comes before other disagreements, and the
    first of each aspect before the second of any.
    """
    ranked: list[tuple[tuple[float, bool, int], Disagreement]] = []
    for aspect, things in by_aspect.items():
        values = [value_of(verdict) for opinions in things.values() for verdict in opinions.values()]
        widest = max(values, default=0.0) - min(values, default=0.0)
        count_by_kind = {False: 0, True: 0}
        for thing, opinions in things.items():
            numbers = [value_of(verdict) for verdict in opinions.values()]
            if len(set(numbers)) < 2:
                continue
            spread = (max(numbers) - min(numbers)) / widest
            overruled = _overruled(opinions)
            ranked.append(
                (
                    (-spread, not overruled, count_by_kind[overruled]),
                    Disagreement(aspect, thing, dict(sorted(opinions.items())), spread),
                )
            )
            count_by_kind[overruled] += 1
    return [disagreement for _, disagreement in sorted(ranked, key=lambda pair: pair[0])]


def has_grades(things: Mapping[Thing, Mapping[str, Verdict]]) -> bool:
    """Return whether there are values other than yes, no and a tie."""
    return any(value_of(verdict) not in (0, 0.5, 1) for opinions in things.values() for verdict in opinions.values())


def value_of(verdict: Verdict) -> float:
    """Return the value of a verdict; NaN without a value."""
    return math.nan if verdict.value is None else verdict.value


def _overruled(opinions: Mapping[str, Verdict]) -> bool:
    """Return whether a person and a program disagree."""
    people = {verdict.value for name, verdict in opinions.items() if is_human(name)}
    programs = {verdict.value for name, verdict in opinions.items() if not is_human(name)}
    return any(by_person != by_program for by_person in people for by_program in programs)


def opinion_rows(differing: Iterable[Disagreement], runs: Sequence[str]) -> list[dict[str, object]]:
    """Return a flat row for each judge's verdict on each disagreement; `runs` are the names of the runs."""
    return [
        {
            "aspect": disagreement.aspect,
            "run": runs[disagreement.thing[0]],
            "item": disagreement.thing[1],
            "trial": disagreement.thing[2],
            "about": disagreement.thing[3],
            "judge": name,
            "value": verdict.value,
            "why": verdict.why,
        }
        for disagreement in differing
        for name, verdict in disagreement.opinions.items()
    ]


def table(agreements: Sequence[JudgeAgreement]) -> tuple[list[str], list[list[str]]]:
    """Return names of columns and rows of text."""
    groups = ["group"] if any(agreement.group for agreement in agreements) else []
    columns = ["agree", "interval", "kappa", "interval", "AC1", "interval", "alpha", "interval", "n", "judges"]
    columns = ["aspect", *groups, *columns]
    cells = [
        [
            aspect_words(agreement.aspect),
            *([line(agreement.group, 60)] if groups else []),
            percent(agreement.agreement.value),
            shares(agreement.agreement) or DASH,
            *(text for estimate in (agreement.kappa, agreement.ac1, agreement.alpha) for text in _cells(estimate)),
            integer(agreement.agreement.n),
            listed([line(source_words(name), 60) for name in agreement.judges]),
        ]
        for agreement in agreements
    ]
    return [*say_all(*columns)], cells


def grade_table(agreements: Sequence[JudgeAgreement]) -> tuple[list[str], list[list[str]]]:
    """Return names of columns and rows of text for aspects with grades; [] if there are none."""
    kappa = say("weighted kappa ({kind})", kind=kinds_of_kappa(agreements))
    iccs = say_all("interval", "ICC(2,1)", "interval", "ICC(2,k)", "interval", "n of ICC")
    cells = [
        [
            aspect_words(agreement.aspect),
            *(text for estimate in _graded(agreement.grades) for text in _cells(estimate)),
            integer(agreement.grades.icc.n),
        ]
        for agreement in agreements
        if agreement.grades
    ]
    return [say("aspect"), kappa, *iccs], cells


def kinds_of_kappa(agreements: Sequence[JudgeAgreement]) -> str:
    """Name the kappas of the aspects with grades: Cohen for two raters, Fleiss for three or more.

    Fleiss' kappa is not the mean of Cohen's kappas of all pairs.
    """
    return ", ".join(dict.fromkeys(agreement.kappa_of for agreement in agreements if agreement.grades))


def _graded(grades: GradeAgreement) -> tuple[Estimate, Estimate, Estimate]:
    return grades.weighted_kappa, grades.icc, grades.icc_mean


def _cells(estimate: Estimate) -> tuple[str, str]:
    return number(estimate.value), span(estimate.low, estimate.high) or DASH


def shares(estimate: Estimate) -> str:
    """Write the interval of a share, or "" if there is none."""
    return percent_span(estimate.low, estimate.high)


def disagreement_lines(
    differing: Sequence[Disagreement],
    items: Sequence[Item],
    runs: Sequence[str],
    at_most: int = 5,
    words: ScaleWords = NO_WORDS,
) -> list[str]:
    """Return the most telling disagreements as lines of text: the place, then each judge's verdict and why.

    `words` are those of the values of people's scales.
    """
    if not differing:
        return []
    query = {item.id: item.query for item in items}
    more = len(differing) > at_most
    lines = [
        say("Where they differ most ({n} of {all:,}; all with --json):", n=at_most, all=len(differing))
        if more
        else say("They differ:")
    ]
    for disagreement in differing[:at_most]:
        verdicts = [
            _verdict_line(name, verdict, opinion_words(verdict, disagreement, runs, words))
            for name, verdict in disagreement.opinions.items()
        ]
        lines += [_place(disagreement, query, runs), *verdicts]
    return lines


def _place(disagreement: Disagreement, query: Mapping[str, str], runs: Sequence[str]) -> str:
    """Return the aspect, the place and the question of a disagreement."""
    run, item, trial, about = disagreement.thing
    name = line(runs[run], 100)
    question = say("question {item}", item=line(item, 60))
    if about == SESSION:
        question = say("the conversation up to {question}", question=question)
    elif about.startswith("hit:"):
        question = say(
            "the result with the id {id} of {question}", id=line(about.removeprefix("hit:"), 60), question=question
        )
    elif is_on_pair(about):
        name = listed(_run_names(disagreement, runs))
    trial_label = f" ({say('trial {n}', n=trial + 1)})" if trial else ""
    place = say("{question}{trial} of {run}", question=question, trial=trial_label, run=name)
    return f"{aspect_words(disagreement.aspect)}, {place}: {line(query[item], 120)}"


def _verdict_line(name: str, verdict: Verdict, opinion: str) -> str:
    why = f": {line(verdict_reason(name, verdict.why), 160)}" if verdict.why else ""
    return f"  {say('{who} says {value}', who=line(source_words(name), 60), value=opinion)}{why}"


def opinion_words(
    verdict: Verdict, disagreement: Disagreement, runs: Sequence[str], words: ScaleWords = NO_WORDS
) -> str:
    """Return the value of one of the verdicts on which judges differ, a person's with its words on the scale.

    Of a pair, return the run whose answer is better.
    """
    value = value_of(verdict)
    if not is_on_pair(disagreement.thing[3]):
        by_value = words.get(disagreement.aspect, {}) if is_human(verdict.by) else {}
        return value_in_words(value, by_value.get(value, ""))
    first, second = _run_names(disagreement, runs)
    return say("even") if value == 0.5 else say("{run} is better", run=first if value > 0.5 else second)


def _run_names(disagreement: Disagreement, runs: Sequence[str]) -> tuple[str, str]:
    """Return the names of the two runs of a disagreement on a pair of answers."""
    run, *_, about = disagreement.thing
    return line(Path(runs[run]).name, 60), line(about.removeprefix(BESIDE), 60)


def confusion_table(confusion: JudgeConfusion, words: ScaleWords = NO_WORDS) -> Table:
    """Return how often people gave the value of the row and the judge the value of the column.

    The rows have the words of the values on people's scale.
    """
    table = confusion.table()
    by_value = words.get(confusion.aspect, {})
    names = [value_in_words(value, by_value.get(value, "")) for value in confusion.scale]
    rows = [(name, *row[1:]) for name, row in zip(names, table.rows, strict=True)]
    values = [localised(f"{value:g}") for value in confusion.scale]
    if len(values) > NAMED_COLUMNS:
        columns = [say("people"), *values]
        title = say(
            "{aspect}: people in the rows, {judge} in the columns", aspect=confusion.aspect, judge=confusion.judge
        )
    else:
        columns = [say("people"), *(say("judge {value}", value=value) for value in values)]
        title = say("{aspect}: people and {judge}", aspect=confusion.aspect, judge=confusion.judge)
    return table._replace(columns=columns, rows=rows, title=title)
