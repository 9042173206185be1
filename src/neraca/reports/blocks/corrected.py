"""A judge's numbers corrected by people's labels, in plain words, and as a section of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neraca.comparisons.corrected import CorrectedDifference, corrected_differences
from neraca.comparisons.difference import Difference
from neraca.number_format import number, percent_level, signed, span
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.parts import Finding
from neraca.reports.sentences.unit import noun, nouns
from neraca.reports.translation import say
from neraca.result import Table
from neraca.scores.judge_corrections import CorrectedScore, CorrectedScores, Correction, corrections, labels_beside
from neraca.scores.scores import Scores
from neraca.scores.sources.people_labels import ROGAN_GLADEN


@dataclass(frozen=True)
class CorrectedSection:
    """What the report says of corrected numbers: tables of values and of differences, and sentences."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]


def section(scores: Scores, differences: Sequence[Difference], primary: str) -> CorrectedSection | None:
    """What the report says; None where no correction was asked for."""
    if scores.labels is None:
        return None
    values, compared = corrections(scores), corrected_differences(scores, differences, primary)
    tables = [values.table()._replace(title=say("Values"))]
    tables += [compared.table(1 - scores.level)._replace(title=say("Differences"))] if compared else []
    sentences = [*of_differences(compared, scores), *of_scores(values, scores)]
    return CorrectedSection(tuple(tables), tuple(dict.fromkeys(sentences)))


def led_by_labels(found: Finding, scores: Scores, differences: Sequence[Difference], primary: str) -> Finding:
    """What the judge's numbers say, led by what people's labels say of the primary metric, which comes first."""
    compared = corrected_differences(scores, [d for d in differences if d.metric == primary], primary)
    said = [_difference(one, scores) for one in compared if not one.correction.why]
    if not compared:
        values = [one for one in corrections(scores) if one.metric == primary and not one.correction.why]
        said = [_value(one, scores) for one in values]
    if not said:
        return Finding(say("By the judge alone, uncorrected: {headline}", headline=found.headline), found.details)
    return Finding(said[0], (*said[1:], say("By the judge alone: {headline}", headline=found.headline), *found.details))


def of_scores(corrected: CorrectedScores, scores: Scores) -> list[str]:
    """How the values were corrected, which were not, and what to beware of."""
    done = [one for one in corrected if not one.correction.why]
    named = [
        (
            say(
                "{metric} of {run}{group}", metric=one.metric, run=one.run, group=f" ({one.group})" if one.group else ""
            ),
            one.correction,
        )
        for one in corrected
    ]
    return [*_method(done[0].correction if done else None, scores), *_not_corrected(named), *_cautions(named)]


def of_differences(corrected: Sequence[CorrectedDifference], scores: Scores) -> list[str]:
    """What the labels say of the runs, how differences were corrected, which were not, and what to beware of."""
    texts = [_difference(one, scores) for one in corrected if not one.correction.why]
    return [*texts, *of_corrections(corrected, scores)]


def of_corrections(corrected: Sequence[CorrectedDifference], scores: Scores) -> list[str]:
    """How the differences were corrected, which were not, and what to beware of."""
    done = [one.correction for one in corrected if not one.correction.why]
    named = [(say("{metric} of {a} − {b}", metric=one.metric, a=one.a, b=one.b), one.correction) for one in corrected]
    return [*_method(done[0] if done else None, scores), *_not_corrected(named), *_cautions(named)]


def _value(one: CorrectedScore, scores: Scores) -> str:
    c = one.correction
    return say(
        "{metric} of {run} is {value} ({bounds}) by {labels}, and {raw} by the judge alone.",
        metric=line(one.metric),
        run=line(one.run),
        value=number(c.value),
        bounds=span(c.low, c.high),
        labels=labels_of(c, scores),
        raw=number(c.raw),
    )


def _difference(one: CorrectedDifference, scores: Scores) -> str:
    c = one.correction
    found = say("{better} is better", better=line(one.better)) if one.better else say("no difference is shown")
    return say(
        "{metric} by {labels}: {found}; {a} − {b} is {value} ({bounds}), and {raw} by the judge alone.",
        metric=line(one.metric),
        labels=labels_of(c, scores),
        found=found,
        a=line(one.a),
        b=line(one.b),
        value=signed(c.value),
        bounds=span(c.low, c.high),
        raw=signed(c.raw),
    )


def labels_of(one: Correction, scores: Scores) -> str:
    """From how many labels: `people's labels of 60 of 200 questions`."""
    unit = scores.unit
    of = say(" of {n:,}", n=one.n) if unit.by == "question" else ""
    return say(
        "people's labels of {labels:,}{of} {units}",
        labels=one.labels,
        of=of,
        units=noun(unit) if one.labels == 1 and (not of) else nouns(unit),
    )


def _method(one: Correction | None, scores: Scores) -> list[str]:
    if one is None:
        return []
    names = {"ppi": say("prediction-powered inference"), ROGAN_GLADEN: say("Rogan and Gladen's formula")}
    how = names[one.method.partition("(")[0]]
    drawn = "" if labels_beside(scores).sample is not None else say(", taken as drawn at random")
    return [
        say(
            "Corrected by {how} from what people labelled{drawn}; {level} intervals.",
            how=how,
            drawn=drawn,
            level=percent_level(scores.level),
        )
    ]


def _not_corrected(named: Sequence[tuple[str, Correction]]) -> list[str]:
    return [say("Not corrected: {text}.", text=text) for text in _by_text([(name, one.why) for name, one in named])]


def _cautions(named: Sequence[tuple[str, Correction]]) -> list[str]:
    return [say("Beware: {text}.", text=text) for text in _by_text([(name, one.caution) for name, one in named])]


def _by_text(named: Sequence[tuple[str, str]]) -> list[str]:
    """`P@5 of a and P@5 of b (why)`, names of one reason together."""
    by_text: dict[str, list[str]] = {}
    for name, text in named:
        if text:
            by_text.setdefault(text, []).append(line(name))
    return [f"{listed(names)} ({text})" for text, names in by_text.items()]


def columns(one: Correction, difference: CorrectedDifference | None = None) -> dict[str, Any]:
    """The columns that a flat row of a score or a difference gets beside the judge's."""
    row = {"corrected": one.value, "corrected_low": one.low, "corrected_high": one.high, "labels": one.labels}
    if difference is not None:
        row |= {"corrected_p": one.p, "corrected_p_adjusted": difference.p_adjusted}
    return {**row, "correction": one.method, "not_corrected": one.why, "caution": one.caution}


def of_rule(one: Correction) -> str:
    """What stands beside a rule of a gate: from how many labels, and what the judge alone says; or why not."""
    if one.why:
        return say(" By the judge alone it is {raw}; not corrected: {why}.", raw=number(one.raw), why=one.why)
    return say(
        " Corrected by {labels} of people; by the judge alone it is {raw}.",
        labels=count(one.labels, "label"),
        raw=number(one.raw),
    )
