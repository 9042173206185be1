"""Advise which stage of a system to mend first, and how, from the intervals of the stages.

A stage is called weak only if its whole interval is below what is enough, and lower than another only if the test says
so.  If the data leave it open, the advice says that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neraca.counts_and_lists import count, form, listed
from neraca.number_format import number, p_equals, percent_level, span
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.stage_words import WHAT, WHERE, means, mend, task_of, where_knowledge_is
from neraca.scores.causes import Causes
from neraca.scores.scores import Scores
from neraca.scores.stages import ENOUGH, FEWEST, Stages, Standing, stages
from neraca.translation import say

#: The most questions that are named as examples of a stage.
MOST = 5


@dataclass(frozen=True)
class Example:
    """An example question: its number in the dataset from 1, its id and its value."""

    number: int
    id: str
    value: float


@dataclass(frozen=True)
class Advice:
    """Advice on one run.

    Attributes
    ----------
    headline, details
        What to mend first, or that no stage is shown to need it; the reasons and remedies.
    metric
        The metric of the examples; "" without any.
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
    """Advice on each run, and in `how` the rules by which it was made."""

    runs: tuple[Advice, ...]
    how: str


def advice(scores: Scores, enough: float = ENOUGH) -> Advised | None:
    """Say for each run which stage to mend first; None if no metric of a stage was scored."""
    stages_by_run = stages(scores, enough)
    if not stages_by_run:
        return None
    advice_by_run = tuple(_advice(scores, stages_of_run, enough) for stages_of_run in stages_by_run)
    return Advised(advice_by_run, _how(scores, stages_by_run[0], enough))


def _how(scores: Scores, stages: Stages, enough: float) -> str:
    n_stages = len(stages.standings)
    joint_level = (
        say(", so that the {many} of a run hold together at {level}", many=n_stages, level=percent_level(scores.level))
        if n_stages > 1
        else ""
    )
    definition = (
        say(
            "A bad answer is one with {metric} below {enough:g}; it comes from what is found where "
            "the contexts lack that much of the reference{there}, else from the answer where that "
            "much of it is in no context, else from the order where bad answers are shown to go with "
            "a worse one, else from how answers are made. ",
            metric=stages.causes.metric,
            enough=enough,
            there=where_knowledge_is(stages),
        )
        if stages.causes
        else ""
    )
    return definition + (
        say(
            "A stage is called weak where its whole interval is below {enough:g} (a convention), and "
            "good where none of it is. Intervals here are at {level}{together}. With fewer than "
            "{fewest} independent questions nothing is said of a stage.",
            enough=enough,
            level=percent_level(round(stages.level, 4)),
            together=joint_level,
            fewest=FEWEST,
        )
    )


def _advice(scores: Scores, stages: Stages, enough: float) -> Advice:
    run, weak_stage, causes = line(stages.run), stages.first, stages.causes
    absent = tuple(_absent(scores, stages))
    if weak_stage is None:
        details = [*_origins(stages, None), *absent, *_other_stages(stages, None, enough)]
        return Advice(run, _headline_without_stage(run, stages), tuple(details))
    details = [f"{means(stages, weak_stage.stage)} {mend(stages, weak_stage.stage)}"]
    if causes and causes.first == weak_stage.stage:
        headline = say(
            "{run}, to mend first: {what}. {share}.",
            run=run,
            what=task_of(weak_stage.stage),
            share=_share_from_stage(causes, weak_stage.stage),
        )
        outcome = stages.of("outcome")
        if outcome and outcome.verdict != "weak":
            headline = say("{headline} All in all {failing}.", headline=headline, failing=_failing(causes))
        details += [*_origins(stages, weak_stage), *absent, *_other_stages(stages, weak_stage, enough)]
        metric, rows = causes.metric, causes.places[weak_stage.stage][:MOST]
    else:
        headline = say(
            "{run}, to mend first: {what}. {told}, below {enough:g}.",
            run=run,
            what=task_of(weak_stage.stage),
            told=_value_sentence(weak_stage),
            enough=enough,
        )
        details += [*_why_first(stages, weak_stage), *absent, *_other_stages(stages, weak_stage, enough)]
        metric, rows = weak_stage.metric, weak_stage.worst
    scored = scores.run(stages.run)
    values = scored.values(metric)
    examples = tuple(Example(p + 1, line(str(scored.ids[p]), 60), float(values[p])) for p in rows)
    return Advice(run, headline, tuple(details), metric, examples)


def _absent(scores: Scores, stages: Stages) -> Iterator[str]:
    """Name the questions whose answer is in no document."""
    if not stages.absent:
        return
    ids = [line(str(scores.run(stages.run).ids[place]), 60) for place in stages.absent[:MOST]]
    n_more = len(stages.absent) - len(ids)
    names = listed([*ids, *([say("{n:,} more", n=n_more)] if n_more else [])])
    if len(stages.absent) == 1:
        yield (
            say(
                "Not there: no retriever could have answered question {named}, because claims of its "
                "reference stand in no document. It does not count against what is found.",
                named=names,
            )
        )
    else:
        yield (
            say(
                "Not there: no retriever could have answered questions {named}, because claims of their "
                "references stand in no document. They do not count against what is found.",
                named=names,
            )
        )


def _share_from_stage(causes: Causes, stage: str) -> str:
    """Say how many of the bad answers come from a stage."""
    n = len(causes.places[stage])
    if n == causes.bad:
        return (
            say("All {many:,} bad answers come from there", many=n)
            if n > 1
            else say("The one bad answer comes from there")
        )
    return say(
        "{many:,} of the {bad:,} bad answers {come} from there",
        many=n,
        bad=causes.bad,
        come=form(n, "comes", "come"),
    )


def _failing(causes: Causes) -> str:
    """Say how many of all answers are bad."""
    return say("{bad:,} of {n:,} answers {are} bad", bad=causes.bad, n=causes.scored, are=form(causes.bad, "is", "are"))


def _origins(stages: Stages, weak_stage: Standing | None) -> Iterator[str]:
    """Say where the other bad answers come from, with the evidence."""
    causes = stages.causes
    if causes is None:
        return
    stage_name = weak_stage.stage if weak_stage else ""
    counts = [(stage, len(places)) for stage, places in causes.places.items() if places and stage != stage_name]
    if counts:
        origins = listed(
            [
                say("{many:,} {come} from {what}", many=n, come=form(n, "comes", "come"), what=task_of(stage))
                for stage, n in counts
            ]
        )
        if weak_stage:
            yield say("Of the others, {told}.", told=origins)
        else:
            yield say("Of the {n:,} bad answers, {told}.", n=causes.bad, told=origins)
    if causes.cleared:
        cleared_answers = count(causes.cleared, "bad answer")
        yield (
            say(
                "On the questions of {answers} {runs} answered well from the same contexts, so that neither "
                "these nor their order is to blame there.",
                answers=cleared_answers,
                runs=listed([line(name) for name in causes.others]),
            )
        )


def _value_sentence(standing: Standing) -> str:
    """Return the metric's value and interval at a stage, and the number of questions."""
    condition = say(WHERE[standing.stage]) if standing.chosen else ""
    if math.isnan(standing.score.value):
        return say("{metric} is not known{where}", metric=standing.metric, where=condition)
    bounds = span(standing.score.low, standing.score.high, 2) or say("no interval")
    return say(
        "{metric} is {value} ({bounds}; {questions}){where}",
        metric=standing.metric,
        value=number(standing.score.value, 2),
        bounds=bounds,
        questions=count(standing.score.n, "question"),
        where=condition,
    )


def _headline_without_stage(run: str, stages: Stages) -> str:
    outcome, causes = stages.of("outcome"), stages.causes
    if outcome and causes and outcome.verdict != "weak":
        return say("{run}: {failing}; {origin}.", run=run, failing=_failing(causes), origin=_origin(causes))
    if outcome and outcome.verdict == "good":
        return say("{run}: nothing to mend, the answers are good.", run=run)
    if outcome and causes and causes.second and outcome.verdict == "weak":
        return say(
            "{run}: the answers are not good enough, but the data do not show which to mend first, {what} or {other}.",
            run=run,
            what=task_of(causes.first),
            other=task_of(causes.second),
        )
    if outcome and outcome.verdict == "weak":
        return say(
            "{run}: the answers are not good enough, but the data do not show at which stage that happens.", run=run
        )
    if all(standing.verdict == "good" for standing in stages.standings):
        return say("{run}: every stage that was measured is good.", run=run)
    return say("{run}: no stage is shown to be weak.", run=run)


def _origin(causes: Causes) -> str:
    """Say where most bad answers come from if that may be chance."""
    n_first, n_second = len(causes.places[causes.first]), len(causes.places[causes.second]) if causes.second else 0
    if not n_second:
        return say("{share}, but so few may be chance", share=_all_from(causes, n_first))
    if n_first == n_second:
        return say(
            "as many come from {what} as from {other}, {many:,} each",
            what=task_of(causes.first),
            other=task_of(causes.second),
            many=n_first,
        )
    return say(
        "most of them, {many:,}, come from {what}, but that may be chance ({second:,} from {other})",
        many=n_first,
        what=task_of(causes.first),
        second=n_second,
        other=task_of(causes.second),
    )


def _all_from(causes: Causes, n: int) -> str:
    if n == 1:
        return say("it comes from {what}", what=task_of(causes.first))
    return say("all of them come from {what}", what=task_of(causes.first))


def _why_first(stages: Stages, weak_stage: Standing) -> Iterator[str]:
    """Say why this stage comes first among several weak ones."""
    other_weak = [standing for standing in stages.weak if standing is not weak_stage]
    comparison_by_stage = {lower.higher: lower for lower in stages.lower if lower.lower == weak_stage.stage}
    for standing in other_weak:
        if lower := comparison_by_stage.get(standing.stage):
            yield (
                say(
                    "On the {n:,} questions scored in both it is lower than {metric} by {difference} ({p} by "
                    "a paired t-test, with Holm's correction).",
                    n=lower.n,
                    metric=standing.metric,
                    difference=number(lower.difference, 2),
                    p=p_equals(lower.p),
                )
            )
    undecided = [
        standing.metric
        for standing in other_weak
        if standing.stage not in comparison_by_stage and _after(weak_stage, standing)
    ]
    if undecided:
        yield (
            say(
                "That it is lower than {metrics} is not shown; it comes first because the later stages rest on it.",
                metrics=listed(undecided),
            )
        )


def _after(weak_stage: Standing, standing: Standing) -> bool:
    names = list(WHAT)
    return names.index(standing.stage) > names.index(weak_stage.stage)


def _other_stages(stages: Stages, weak_stage: Standing | None, enough: float) -> Iterator[str]:
    """Yield what the data show about the other stages."""
    for standing in stages.standings:
        if (
            standing.stage == "outcome"
            or (standing is weak_stage and not stages.causes)
            or (standing.stage == "answering" and stages.causes)
        ):
            continue
        if standing is weak_stage:
            yield f"{_value_sentence(standing)}."
        elif standing.verdict == "weak" and _harmless(stages, standing):
            yield say(
                "{told}, below {enough:g}; no bad answer is shown to come from there.",
                told=_value_sentence(standing),
                enough=enough,
            )
        elif standing.verdict == "weak":
            yield say(
                "Weak as well: {what}. {told}. {mend}",
                what=task_of(standing.stage),
                told=_value_sentence(standing),
                mend=mend(stages, standing.stage),
            )
        else:
            yield f"{_value_sentence(standing)}{_doubt(standing, enough)}."
    if outcome := stages.of("outcome"):
        yield _outcome(stages, outcome, weak_stage, enough)


def _harmless(stages: Stages, standing: Standing) -> bool:
    """Return whether answers were scored and no bad answer comes from this weak stage."""
    outcome = stages.of("outcome")
    good = outcome is not None and outcome.verdict == "good"
    return good or (stages.causes is not None and not stages.causes.places.get(standing.stage))


def _doubt(standing: Standing, enough: float) -> str:
    if standing.verdict == "good":
        return say(": not below {enough:g}", enough=enough)
    if standing.clusters < FEWEST:
        return say(", on too few independent questions ({clusters}) to say more", clusters=standing.clusters)
    return say("; the data do not show whether it is below {enough:g}", enough=enough)


def _outcome(stages: Stages, outcome: Standing, weak_stage: Standing | None, enough: float) -> str:
    """Say how good the answers are overall, and what follows from that."""
    start = say("All in all {told}", told=_value_sentence(outcome))
    if outcome.verdict != "weak":
        good = outcome.verdict == "good" and weak_stage is not None and weak_stage.verdict == "weak"
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
    if weak_stage is None:
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
    plural = "The questions with the lowest {metric}"
    return say("The question with the lowest {metric}" if len(examples) == 1 else plural, metric=metric)
