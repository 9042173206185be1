"""Describe a judge's numbers corrected by people's labels, in sentences and as a section of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neraca.comparisons.corrected import CorrectedDifference, corrected_differences
from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, listed
from neraca.number_format import number, percent_level, signed, span
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.blocks.table_words import translated
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.parts import Finding
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.unit import noun, nouns
from neraca.scores.judge_corrections import CorrectedScore, CorrectedScores, Correction, corrections, labels_beside
from neraca.scores.scores import Scores
from neraca.scores.sources.people_labels import ROGAN_GLADEN
from neraca.translation import say


def section(scores: Scores, differences: Sequence[Difference], primary: str) -> FinishedSection | None:
    """Make the section; None if no correction was asked for."""
    if scores.labels is None:
        return None
    values, compared = corrections(scores), corrected_differences(scores, differences, primary)
    tables = [translated(values.table())._replace(title=say("Values"))]
    tables += [translated(compared.table(1 - scores.level))._replace(title=say("Differences"))] if compared else []
    sentences = [*of_differences(compared, scores), *of_scores(values, scores)]
    return FinishedSection(tuple(tables), tuple(dict.fromkeys(sentences)))


def led_by_labels(finding: Finding, scores: Scores, differences: Sequence[Difference], primary: str) -> Finding:
    """Put the result by people's labels in the primary metric before the result by the judge alone."""
    compared = corrected_differences(scores, [d for d in differences if d.metric == primary], primary)
    results = [_difference(difference, scores) for difference in compared if not difference.correction.why]
    if not compared:
        corrected = [score for score in corrections(scores) if score.metric == primary and not score.correction.why]
        results = [_value(score, scores) for score in corrected]
    if not results:
        return Finding(say("By the judge alone, uncorrected: {headline}", headline=finding.headline), finding.details)
    return Finding(
        results[0], (*results[1:], say("By the judge alone: {headline}", headline=finding.headline), *finding.details)
    )


def of_scores(scores_and_corrections: CorrectedScores, scores: Scores) -> list[str]:
    """Say how the values were corrected, which were not corrected, and what to beware of."""
    named_corrections = [
        (
            say(
                "{metric} of {run}{group}",
                metric=score.metric,
                run=score.run,
                group=f" ({score.group})" if score.group else "",
            ),
            score.correction,
        )
        for score in scores_and_corrections
    ]
    return _remarks(named_corrections, scores)


def of_differences(corrected: Sequence[CorrectedDifference], scores: Scores) -> list[str]:
    """Say which run is better by the labels; then the same as `of_corrections`."""
    texts = [_difference(difference, scores) for difference in corrected if not difference.correction.why]
    return [*texts, *of_corrections(corrected, scores)]


def of_corrections(corrected: Sequence[CorrectedDifference], scores: Scores) -> list[str]:
    """Say how the differences were corrected, which were not corrected, and what to beware of."""
    named_corrections = [
        (say("{metric} of {a} − {b}", metric=difference.metric, a=difference.a, b=difference.b), difference.correction)
        for difference in corrected
    ]
    return _remarks(named_corrections, scores)


def _remarks(named_corrections: Sequence[tuple[str, Correction]], scores: Scores) -> list[str]:
    first_made = next((correction for _, correction in named_corrections if not correction.why), None)
    reasons = _by_text([(name, reason(correction.why)) for name, correction in named_corrections])
    cautions = _by_text([(name, reason(correction.caution)) for name, correction in named_corrections])
    return [
        *_method(first_made, scores),
        *(say("Not corrected: {text}.", text=text) for text in reasons),
        *(say("Beware: {text}.", text=text) for text in cautions),
    ]


def _value(score: CorrectedScore, scores: Scores) -> str:
    c = score.correction
    return say(
        "{metric} of {run} is {value} ({bounds}) by {labels}, and {raw} by the judge alone.",
        metric=line(score.metric),
        run=line(score.run),
        value=number(c.value),
        bounds=span(c.low, c.high),
        labels=labels_of(c, scores),
        raw=number(c.raw),
    )


def _difference(difference: CorrectedDifference, scores: Scores) -> str:
    c = difference.correction
    result = (
        say("{better} is better", better=line(difference.better))
        if difference.better
        else say("no difference is shown")
    )
    return say(
        "{metric} by {labels}: {found}; {a} − {b} is {value} ({bounds}), and {raw} by the judge alone.",
        metric=line(difference.metric),
        labels=labels_of(c, scores),
        found=result,
        a=line(difference.a),
        b=line(difference.b),
        value=signed(c.value),
        bounds=span(c.low, c.high),
        raw=signed(c.raw),
    )


def labels_of(correction: Correction, scores: Scores) -> str:
    """Return the number of labels, such as `people's labels of 60 of 200 questions`."""
    unit = scores.unit
    total = say(" of {n:,}", n=correction.n) if unit.by == "question" else ""
    return say(
        "people's labels of {labels:,}{of} {units}",
        labels=correction.labels,
        of=total,
        units=noun(unit) if correction.labels == 1 and (not total) else nouns(unit),
    )


def _method(correction: Correction | None, scores: Scores) -> list[str]:
    if correction is None:
        return []
    names = {"ppi": say("prediction-powered inference"), ROGAN_GLADEN: say("Rogan and Gladen's formula")}
    name = names[correction.method.partition("(")[0]]
    sampling = "" if labels_beside(scores).sample is not None else say(", taken as drawn at random")
    return [
        say(
            "Corrected by {how} from what people labelled{drawn}; {level} intervals.",
            how=name,
            drawn=sampling,
            level=percent_level(scores.level),
        )
    ]


def _by_text(named_texts: Sequence[tuple[str, str]]) -> list[str]:
    """Return `P@5 of a and P@5 of b (why)` for each text, with all its names."""
    names_by_text: dict[str, list[str]] = {}
    for name, text in named_texts:
        if text:
            names_by_text.setdefault(text, []).append(line(name))
    return [f"{listed(names)} ({text})" for text, names in names_by_text.items()]


def columns(correction: Correction, difference: CorrectedDifference | None = None) -> dict[str, Any]:
    """Return the columns that a flat row of a score or a difference gets beside the judge's."""
    row = {
        "corrected": correction.value,
        "corrected_low": correction.low,
        "corrected_high": correction.high,
        "labels": correction.labels,
    }
    if difference is not None:
        row |= {"corrected_p": correction.p, "corrected_p_adjusted": difference.p_adjusted}
    return {**row, "correction": correction.method, "not_corrected": correction.why, "caution": correction.caution}


def of_rule(correction: Correction) -> str:
    """Say beside a rule of a gate how it was corrected, with the judge's own number, or why it was not corrected."""
    if correction.why:
        return say(
            " By the judge alone it is {raw}; not corrected: {why}.",
            raw=number(correction.raw),
            why=reason(correction.why),
        )
    return say(
        " Corrected by {labels} of people; by the judge alone it is {raw}.",
        labels=count(correction.labels, "label"),
        raw=number(correction.raw),
    )
