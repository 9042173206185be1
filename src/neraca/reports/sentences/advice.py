"""Advice on which stage to mend first, and how.  It follows from the intervals of the stages and claims no more.

A stage is called weak only where its whole interval is below what is enough, and lower than another only where the
test says so; where the data leave it open, that is what is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neraca.number_format import number, p_value, percent_level, span
from neraca.reports.counts_and_lists import count, form, listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.stage_words import WHAT, WHERE, means, mend, there, what
from neraca.reports.translation import say
from neraca.scores.causes import Causes
from neraca.scores.scores import Scores
from neraca.scores.stages import ENOUGH, FEWEST, Stages, Standing, stages

#: Questions that are named as examples of a stage.
MOST = 5


@dataclass(frozen=True)
class Example:
    """An example question: its number in the dataset from 1, its id, the value."""

    number: int
    id: str
    value: float


@dataclass(frozen=True)
class Advice:
    """Advice on one run.

    Attributes
    ----------
    headline, details
        What to mend first, or that nothing is shown to need it; why, and how.
    metric
        Of the examples; "" without any.
    examples
        The questions with the lowest values at that stage.
    """

    run: str
    headline: str
    details: tuple[str, ...]
    metric: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Advised:
    """Advice on each run, and `how` it was come by."""

    runs: tuple[Advice, ...]
    how: str


def advice(scores: Scores, enough: float = ENOUGH) -> Advised | None:
    """Say for each run which stage to mend first; None if no metric of a stage was scored."""
    every = stages(scores, enough)
    return (
        Advised(tuple(_advice(scores, one, enough) for one in every), _how(scores, every[0], enough)) if every else None
    )


def _how(scores: Scores, stages: Stages, enough: float) -> str:
    many = len(stages.standings)
    together = (
        say(", so that the {many} of a run hold together at {level}", many=many, level=percent_level(scores.level))
        if many > 1
        else ""
    )
    why = (
        say(
            "A bad answer is one with {metric} below {enough:g}; it comes from what is found where "
            "the contexts lack that much of the reference{there}, else from the answer where that "
            "much of it is in no context, else from the order where bad answers are shown to go with "
            "a worse one, else from how answers are made. ",
            metric=stages.causes.metric,
            enough=enough,
            there=there(stages),
        )
        if stages.causes
        else ""
    )
    return why + (
        say(
            "A stage is called weak where its whole interval is below {enough:g} (a convention), and "
            "good where none of it is. Intervals here are at {level}{together}. With fewer than "
            "{fewest} independent questions nothing is said of a stage.",
            enough=enough,
            level=percent_level(round(stages.level, 4)),
            together=together,
            fewest=FEWEST,
        )
    )


def _advice(scores: Scores, stages: Stages, enough: float) -> Advice:
    run, first, why = line(stages.run), stages.first, stages.causes
    absent = tuple(_absent(scores, stages))
    if first is None:
        details = [*_from_where(stages, None), *absent, *_others(stages, None, enough)]
        return Advice(run, _nothing(run, stages), tuple(details))
    details = [f"{means(stages, first.stage)} {mend(stages, first.stage)}"]
    if why and why.first == first.stage:
        headline = say(
            "{run}, to mend first: {what}. {share}.", run=run, what=what(first.stage), share=_share(why, first.stage)
        )
        outcome = stages.of("outcome")
        if outcome and outcome.verdict != "weak":
            headline = say("{headline} All in all {failing}.", headline=headline, failing=_failing(why))
        details += [*_from_where(stages, first), *absent, *_others(stages, first, enough)]
        metric, places = why.metric, why.places[first.stage][:MOST]
    else:
        headline = say(
            "{run}, to mend first: {what}. {told}, below {enough:g}.",
            run=run,
            what=what(first.stage),
            told=_told(first),
            enough=enough,
        )
        details += [*_why_first(stages, first), *absent, *_others(stages, first, enough)]
        metric, places = first.metric, first.worst
    scored = scores.run(stages.run)
    values = scored.values(metric)
    shown = tuple(Example(p + 1, line(str(scored.ids[p]), 60), float(values[p])) for p in places)
    return Advice(run, headline, tuple(details), metric, shown)


def _absent(scores: Scores, stages: Stages) -> Iterator[str]:
    """Name the questions that no retriever could have answered."""
    if not stages.absent:
        return
    ids = [line(str(scores.run(stages.run).ids[place]), 60) for place in stages.absent[:MOST]]
    more = len(stages.absent) - len(ids)
    named = listed([*ids, *([say("{n:,} more", n=more)] if more else [])])
    if len(stages.absent) == 1:
        yield (
            say(
                "Not there: no retriever could have answered question {named}, because claims of its "
                "reference stand in no document. It does not count against what is found.",
                named=named,
            )
        )
    else:
        yield (
            say(
                "Not there: no retriever could have answered questions {named}, because claims of their "
                "references stand in no document. They do not count against what is found.",
                named=named,
            )
        )


def _share(why: Causes, stage: str) -> str:
    """Say how many of the bad answers come from a stage."""
    many = len(why.places[stage])
    if many == why.bad:
        return (
            say("All {many:,} bad answers come from there", many=many)
            if many > 1
            else say("The one bad answer comes from there")
        )
    return say(
        "{many:,} of the {bad:,} bad answers {come} from there",
        many=many,
        bad=why.bad,
        come=form(many, "comes", "come"),
    )


def _failing(why: Causes) -> str:
    """Say how many of all answers are bad."""
    return say("{bad:,} of {n:,} answers {are} bad", bad=why.bad, n=why.scored, are=form(why.bad, "is", "are"))


def _from_where(stages: Stages, first: Standing | None) -> Iterator[str]:
    """Say where the other bad answers come from, with the evidence."""
    why = stages.causes
    if why is None:
        return
    name = first.stage if first else ""
    counts = [(stage, len(places)) for stage, places in why.places.items() if places and stage != name]
    if counts:
        told = listed(
            [
                say("{many:,} {come} from {what}", many=many, come=form(many, "comes", "come"), what=what(stage))
                for stage, many in counts
            ]
        )
        if first:
            yield say("Of the others, {told}.", told=told)
        else:
            yield say("Of the {n:,} bad answers, {told}.", n=why.bad, told=told)
    if why.cleared:
        here = count(why.cleared, "bad answer")
        yield (
            say(
                "On the questions of {answers} {runs} answered well from the same contexts, so that neither "
                "these nor their order is to blame there.",
                answers=here,
                runs=listed([line(name) for name in why.others]),
            )
        )


def _told(one: Standing) -> str:
    """Return a metric's value and interval, and the questions it rests on."""
    where = say(WHERE[one.stage]) if one.chosen else ""
    if math.isnan(one.score.value):
        return say("{metric} is not known{where}", metric=one.metric, where=where)
    bounds = span(one.score.low, one.score.high, 2) or say("no interval")
    return say(
        "{metric} is {value} ({bounds}; {questions}){where}",
        metric=one.metric,
        value=number(one.score.value, 2),
        bounds=bounds,
        questions=count(one.score.n, "question"),
        where=where,
    )


def _nothing(run: str, stages: Stages) -> str:
    outcome, why = stages.of("outcome"), stages.causes
    if outcome and why and outcome.verdict != "weak":
        return say("{run}: {failing}; {origin}.", run=run, failing=_failing(why), origin=_origin(why))
    if outcome and outcome.verdict == "good":
        return say("{run}: nothing to mend, the answers are good.", run=run)
    if outcome and why and why.second and outcome.verdict == "weak":
        return say(
            "{run}: the answers are not good enough, but the data do not show which to mend first, {what} or {other}.",
            run=run,
            what=what(why.first),
            other=what(why.second),
        )
    if outcome and outcome.verdict == "weak":
        return say(
            "{run}: the answers are not good enough, but the data do not show at which stage that happens.", run=run
        )
    if all(one.verdict == "good" for one in stages.standings):
        return say("{run}: every stage that was measured is good.", run=run)
    return say("{run}: no stage is shown to be weak.", run=run)


def _origin(why: Causes) -> str:
    """Say where most bad answers come from if that may be chance."""
    many, second = len(why.places[why.first]), len(why.places[why.second]) if why.second else 0
    if not second:
        return say("{share}, but so few may be chance", share=_all_from(why, many))
    if many == second:
        return say(
            "as many come from {what} as from {other}, {many:,} each",
            what=what(why.first),
            other=what(why.second),
            many=many,
        )
    return say(
        "most of them, {many:,}, come from {what}, but that may be chance ({second:,} from {other})",
        many=many,
        what=what(why.first),
        second=second,
        other=what(why.second),
    )


def _all_from(why: Causes, many: int) -> str:
    if many == 1:
        return say("it comes from {what}", what=what(why.first))
    return say("all of them come from {what}", what=what(why.first))


def _why_first(stages: Stages, first: Standing) -> Iterator[str]:
    """Say why this stage comes first among several weak ones."""
    others = [one for one in stages.weak if one is not first]
    shown = {one.higher: one for one in stages.lower if one.lower == first.stage}
    for one in others:
        if lower := shown.get(one.stage):
            yield (
                say(
                    "On the {n:,} questions scored in both it is lower than {metric} by {difference} ({p} by "
                    "a paired t-test, with Holm's correction).",
                    n=lower.n,
                    metric=one.metric,
                    difference=number(lower.difference, 2),
                    p=_p(lower.p),
                )
            )
    open_ = [one.metric for one in others if one.stage not in shown and _after(first, one)]
    if open_:
        yield (
            say(
                "That it is lower than {metrics} is not shown; it comes first because the later stages rest on it.",
                metrics=listed(open_),
            )
        )


def _after(first: Standing, one: Standing) -> bool:
    names = list(WHAT)
    return names.index(one.stage) > names.index(first.stage)


def _p(p: float) -> str:
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _others(stages: Stages, first: Standing | None, enough: float) -> Iterator[str]:
    """Yield what the data show about the other stages."""
    for one in stages.standings:
        if (
            one.stage == "outcome"
            or (one is first and not stages.causes)
            or (one.stage == "answering" and stages.causes)
        ):
            continue
        if one is first:
            yield f"{_told(one)}."
        elif one.verdict == "weak" and _harmless(stages, one):
            yield say(
                "{told}, below {enough:g}; no bad answer is shown to come from there.", told=_told(one), enough=enough
            )
        elif one.verdict == "weak":
            yield say(
                "Weak as well: {what}. {told}. {mend}",
                what=what(one.stage),
                told=_told(one),
                mend=mend(stages, one.stage),
            )
        else:
            yield f"{_told(one)}{_doubt(one, enough)}."
    if outcome := stages.of("outcome"):
        yield _outcome(stages, outcome, first, enough)


def _harmless(stages: Stages, one: Standing) -> bool:
    """Return whether answers were scored and no bad one comes from this weak stage."""
    outcome = stages.of("outcome")
    good = outcome is not None and outcome.verdict == "good"
    return good or (stages.causes is not None and not stages.causes.places.get(one.stage))


def _doubt(one: Standing, enough: float) -> str:
    if one.verdict == "good":
        return say(": not below {enough:g}", enough=enough)
    if one.clusters < FEWEST:
        return say(", on too few independent questions ({clusters}) to say more", clusters=one.clusters)
    return say("; the data do not show whether it is below {enough:g}", enough=enough)


def _outcome(stages: Stages, outcome: Standing, first: Standing | None, enough: float) -> str:
    """Say how good the answers are overall, and what follows from it."""
    start = say("All in all {told}", told=_told(outcome))
    if outcome.verdict != "weak":
        good = outcome.verdict == "good" and first is not None and first.verdict == "weak"
        return f"{start}{_doubt(outcome, enough)}{say(', although a stage before is weak') if good else ''}."
    if stages.of("answering") is None:
        return say(
            "{start}, below {enough:g}. Score ContextRecall too, to tell what was not found from what was not used.",
            start=start,
            enough=enough,
        )
    answering = stages.of("answering")
    if answering and answering.verdict == "weak":
        return say("{start}, below {enough:g}.", start=start, enough=enough)
    if first is None:
        return say(
            "{start}, below {enough:g}; more questions may show where it comes from.", start=start, enough=enough
        )
    return say(
        "{start}, below {enough:g}; it rests on the stages before, so look again when these are mended.",
        start=start,
        enough=enough,
    )


def shown_by(examples: Sequence[Example], metric: str) -> str:
    """Return the words before the example questions."""
    several = "The questions with the lowest {metric}"
    return say("The question with the lowest {metric}" if len(examples) == 1 else several, metric=metric)
