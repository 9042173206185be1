"""The card of a judge: how far it agrees with labels, for this judge, this prompt, this model and these examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neraca.metaeval.judge_validation import FEWEST_OF_CLASS, JudgeValidation, ValidatedGroup
from neraca.number_format import DASH, integer, number, percent, percent_level, percent_span, signed, span
from neraca.reports.blocks.block import Block, Cell, Document, Heading, Sentences
from neraca.reports.formats.visible_text import clip, line
from neraca.reports.sentences.reasons import reason
from neraca.result import Table
from neraca.stats.intervals.interval import Estimate
from neraca.translation import say, say_all, written_in

#: The most mistakes of the judge, and the most reasons for undecided examples, that are shown.
SHOWN_MISTAKES, SHOWN_REASONS = 20, 3
_LONGEST = 80
#: A judge with its model.
_WITH_MODEL = re.compile(r"(.+) \(([^()]+)\)")


def validation_document(validation: JudgeValidation, language: str = "en") -> Document:
    """Make the blocks of the card in a language of `LANGUAGES`."""
    with written_in(language):
        title = say("How far the judge agrees with labels: {judges}", judges=line(_in_short(validation.judges), 80))
        return Document(title, tuple(_blocks(validation)), language)


def _blocks(validation: JudgeValidation) -> Iterator[Block]:
    yield Sentences((_lead(validation), *_beside_commoner_label(validation.all)), "lead")
    yield Sentences(tuple(_cautions(validation)))
    yield Heading(say("Judge and examples"), "judge", say("Judge"))
    yield _judges(validation)
    yield Sentences(tuple(_conditions(validation)), "words")
    yield Heading(say("Agreement with the labels"), "agreement", say("Agreement"))
    yield _agreement(validation)
    yield _scores(validation)
    yield Sentences(tuple(_readings(validation)), "words")
    yield Heading(say("Scores and labels"), "calibration", say("Calibration"))
    yield _calibration(validation)
    if validation.mistakes:
        yield Heading(say("Where judge and label differ"), "mistakes")
        yield _mistakes(validation)
        if len(validation.mistakes) > SHOWN_MISTAKES:
            text = say("{shown:,} of {n:,} are shown.", shown=SHOWN_MISTAKES, n=len(validation.mistakes))
            yield Sentences((text,), "words")


def _in_short(judges: Iterable[str]) -> str:
    """Name judges, and once the model if it is the same.

    >>> _in_short(["valid (openai:m)", "supported (openai:m)"])
    'openai:m (valid, supported)'
    >>> _in_short(["valid (openai:m)", "supported (openai:n)"])
    'valid (openai:m), supported (openai:n)'
    """
    named = [_WITH_MODEL.fullmatch(judge) for judge in judges]
    models = {match[2] if match else "" for match in named}
    if len(named) > 1 and len(models) == 1 and "" not in models:
        return f"{models.pop()} ({', '.join(match[1] for match in named if match)})"
    return ", ".join(judges)


def _conditions(validation: JudgeValidation) -> Iterator[str]:
    """Say when and with what the card was made."""
    if validation.day:
        yield say("Made on {day} with Neraca {version}.", day=validation.day, version=validation.version)
    if validation.endpoints:
        yield say("The model was served at {urls}.", urls=line(", ".join(validation.endpoints), 200))
    if ids := line(", ".join(validation.served), 200):
        one = len(validation.served) == 1
        yield (
            say("The server lists it as {ids}.", ids=ids)
            if one
            else say("Its replies are of more than one model: {ids}.", ids=ids)
        )
    if validation.temperatures:
        yield say("Temperature: {values}.", values=", ".join(map("{:g}".format, validation.temperatures)))


def _lead(validation: JudgeValidation) -> str:
    group = validation.all
    if group.confusion is None:
        return say("The judge decided on none of {n:,} labelled examples.", n=group.n)
    agree, facts = group.confusion.agree, {"decided": group.n - group.undecided, "n": group.n}
    if not span(agree.low, agree.high):
        return say(
            "On {decided:,} of {n:,} labelled examples that it decided, the judge says the same as the label in "
            "{share}.",
            share=percent(agree.value),
            **facts,
        )
    return say(
        "On {decided:,} of {n:,} labelled examples that it decided, the judge says the same as the label in {share} "
        "({interval}).",
        share=percent(agree.value),
        interval=percent_span(agree.low, agree.high),
        **facts,
    )


def _beside_commoner_label(group: ValidatedGroup) -> Iterator[str]:
    """Say how often the commoner label alone is right, and whether the judge is shown to be better."""
    if group.confusion is None:
        return
    yield say("Whoever always says the commoner label agrees on {share}.", share=percent(group.commoner_label))
    if group.shown_better:
        return
    if group.confusion.agree.value > group.commoner_label:
        yield say("This judge is not shown to be better than that: label more examples, or take another model.")
    else:
        yield say("This judge is not shown to be better than that: take another model.")


def _cautions(validation: JudgeValidation) -> Iterator[str]:
    group = validation.all
    if group.confusion is not None:
        yield _bias(group.confusion.bias)
    if group.undecided:
        yield say("{n:,} undecided examples are in none of these figures.", n=group.undecided)
        for why, count in list(validation.undecided_reasons.items())[:SHOWN_REASONS]:
            yield f"{integer(count)} × {clip(why, 2 * _LONGEST)}"
    if group.confusion is not None and group.few:
        yield say(
            "There are only {right:,} right and {wrong:,} wrong examples; figures of so few say little.",
            right=group.right,
            wrong=group.wrong,
        )
    yield from validation.notes
    yield from _about_labels(validation)


def _bias(bias: Estimate) -> str:
    """Say by how much the judge's share of right examples is too high or too low."""
    return say(
        "The share that it calls right minus the share that is labelled right: {bias} ({interval}). So much would "
        "--correct ppi take off its scores of data like these.",
        bias=signed(bias.value),
        interval=span(bias.low, bias.high) or say("no interval"),
    )


def _about_labels(validation: JudgeValidation) -> Iterator[str]:
    raters = validation.labellers
    if raters is not None:
        yield say(
            "The labellers agree on {share} of {n:,} examples ({between}); kappa {kappa} ({interval}).",
            share=percent(raters.agreement.value),
            n=raters.agreement.n,
            between=percent_span(raters.agreement.low, raters.agreement.high) or say("no interval"),
            kappa=number(raters.kappa.value, 2),
            interval=span(raters.kappa.low, raters.kappa.high, 2) or say("no interval"),
        )
    if validation.shipped:
        apart = round((1 - raters.agreement.value) * raters.agreement.n) if raters is not None else 0
        yield say(
            "The examples were written by a model, and two labellers saw neither each other's labels nor the author's "
            "intention; where they differ, the intention counts ({n:,} of {all:,}). No domain expert labelled them, "
            "and written examples are easier than real ones: a judge that does well here may still fail on your data.",
            n=apart,
            all=raters.agreement.n if raters is not None else 0,
        )


def _judges(validation: JudgeValidation) -> Table:
    rows = [[line(name), line(by), validation.data, validation.data_hash] for name, by in validation.judges.items()]
    columns = say_all("judge", "verdicts by (model and hash of the prompt)", "examples", "hash of the examples")
    return Table(list(columns), rows, names=2, name="judge")


def _agreement(validation: JudgeValidation) -> Table:
    columns = say_all("group", "n", "undecided", "right", "wrong", "agree", "right as right", "wrong as wrong")
    rows = []
    for group in validation.groups:
        figures = group.estimates()
        cells = [_cell(figures.get(name), shares=True) for name in ("agree", "sensitivity", "specificity")]
        counts = map(integer, (group.n, group.undecided, group.right, group.wrong))
        rows.append([line(group.group or say("all examples"), 40), *counts, *cells])
    title = say("Agreement, with {level} intervals", level=percent_level(validation.level))
    return Table(list(columns), rows, title, name="agreement")


def _scores(validation: JudgeValidation) -> Table:
    columns = say_all("group", "AUROC", "Brier score", "calibration error", "judge − label")
    rows = []
    for group in validation.groups:
        figures = group.estimates()
        cells = [_cell(figures.get(name)) for name in ("auroc", "brier", "calibration")]
        rows.append([line(group.group or say("all examples"), 40), *cells, _cell(figures.get("bias"), sign=True)])
    title = say("Scores and bias, with {level} intervals", level=percent_level(validation.level))
    return Table(list(columns), rows, title, name="scores")


def _cell(estimate: Estimate | None, *, shares: bool = False, sign: bool = False) -> str:
    if estimate is None or not estimate.n:
        return DASH
    if shares:
        return Cell(percent(estimate.value), percent_span(estimate.low, estimate.high))
    value = signed(estimate.value) if sign else number(estimate.value)
    return Cell(value, span(estimate.low, estimate.high))


def _readings(validation: JudgeValidation) -> Iterator[str]:
    if small := [group.group for group in validation.groups if not group.estimates()]:
        yield say(
            "A dash: fewer than {fewest} right or {fewest} wrong examples, or more than a tenth undecided ({groups:,} "
            "of {n:,} groups).",
            fewest=FEWEST_OF_CLASS,
            groups=len(small),
            n=len(validation.groups),
        )
    yield say(
        "Right as right is the sensitivity, wrong as wrong the specificity. AUROC is the chance that a right example "
        "has a higher score than a wrong one; 0.5 is chance. The Brier score is the mean squared distance of score and "
        "label, the calibration error the mean distance of score and share of right examples; 0 is best in both."
    )


def _calibration(validation: JudgeValidation) -> Table:
    rows = [
        [
            span(part.low, part.high, 1),
            number(part.score),
            Cell(percent(part.right.value), percent_span(part.right.low, part.right.high)),
            integer(part.right.n),
        ]
        for part in validation.bins
    ]
    columns = say_all("score of the judge", "mean score", "labelled right", "n")
    return Table(list(columns), rows, name="calibration")


def _mistakes(validation: JudgeValidation) -> Table:
    rows = [
        [
            line(mistake.id),
            line(mistake.kind) or DASH,
            line(mistake.question, _LONGEST),
            say("right") if mistake.label else say("wrong"),
            line(reason(mistake.why), _LONGEST),
        ]
        for mistake in validation.mistakes[:SHOWN_MISTAKES]
    ]
    columns = say_all("example", "kind", "question", "label", "reason of the judge")
    return Table(list(columns), rows, names=5, name="mistakes")
