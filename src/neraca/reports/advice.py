"""What to mend first, and how: sentences that follow from the intervals of the stages, and never say more than these.

A stage is called weak only where its whole interval is below what is enough, and lower than another only where the
test says so; where the data leave it open, that is what is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neraca.reports.escape import line
from neraca.reports.number_format import count, listed, number, p_value, percent_level, span
from neraca.scores.causes import Causes
from neraca.scores.scores import Scores
from neraca.scores.stages import ENOUGH, FEWEST, Stages, Standing, stages

WHAT = {
    "knowledge": "what the knowledge base has",
    "finding": "what is found",
    "ranking": "the order of what is found",
    "grounding": "how answers keep to what was found",
    "answering": "how answers are made of what was found",
}
#: What it means that a stage is weak, and what may mend it.
MEANS = {
    "knowledge": "Part of what the references say is in no document of the knowledge base.",
    "finding": "Part of what the references say is in none of the contexts.",
    "ranking": "Contexts that do not help stand before those that do, or none helps.",
    "grounding": "Answers say what none of their contexts says.",
    "answering": "Everything was found, and the answers still differ from the references.",
}
_RETRIEVE = (
    "other embeddings, words and vectors together, rewriting the query (above all of follow-up questions), more results"
)
MEND = {
    "knowledge": (
        "Add documents that say it; no other retrieval and no other prompt helps on these questions. Where the system "
        "is not to know it, let the reference say so."
    ),
    "finding": (
        "First look whether the knowledge base has it (the judge corpus can tell); if not, add it. If it does: "
        f"{_RETRIEVE}."
    ),
    "ranking": "Re-rank the results, cut documents into other chunks, filter by what the question asks, return fewer.",
    "grounding": (
        "Tell the prompt to say only what the contexts say, and to say so where they do not have it; lower the "
        "temperature; try another model."
    ),
    "answering": "Change the prompt (show it a good answer), lower the temperature, try another model.",
}


#: The same of what is found, where somebody looked in the knowledge base.
MEANS_THERE = "Part of what the references say is in the knowledge base, and in none of the contexts."
MEND_THERE = f"What may help: {_RETRIEVE}."
#: At which questions a stage is looked at, where it is not at all.
WHERE = {
    "finding": " where the knowledge base has all that the reference says",
    "answering": " where the contexts have all that the reference says",
}
#: Questions that are named for a stage.
MOST = 5


@dataclass(frozen=True)
class Example:
    """A question that shows it: its number in the dataset from 1, its id, the value."""

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
    """Say for each run which stage to mend first; None where no metric of a stage was scored."""
    every = stages(scores, enough)
    return (
        Advised(tuple(_advice(scores, one, enough) for one in every), _how(scores, every[0], enough)) if every else None
    )


def _how(scores: Scores, stages: Stages, enough: float) -> str:
    many = len(stages.standings)
    together = f", so that the {many} of a run hold together at {percent_level(scores.level)}" if many > 1 else ""
    why = (
        f"A bad answer is one with {stages.causes.metric} below {enough:g}; it comes from what is found where the "
        f"contexts lack that much of the reference{_there(stages)}, else from the answer where that much of it is in "
        "no context, else from the order where bad answers are shown to go with a worse one, else from how answers are "
        "made. "
        if stages.causes
        else ""
    )
    return why + (
        f"A stage is called weak where its whole interval is below {enough:g} (a convention), and good where none of "
        f"it is. Intervals here are at {percent_level(round(stages.level, 4))}{together}. With fewer than {FEWEST} "
        "independent questions nothing is said of a stage."
    )


def _advice(scores: Scores, stages: Stages, enough: float) -> Advice:
    run, first, why = line(stages.run), stages.first, stages.causes
    absent = tuple(_absent(scores, stages))
    if first is None:
        details = [*_from_where(stages, None), *absent, *_others(stages, None, enough)]
        return Advice(run, _nothing(run, stages), tuple(details))
    details = [f"{_means(stages, first.stage)} {_mend(stages, first.stage)}"]
    if why and why.first == first.stage:
        headline = f"{run}, to mend first: {WHAT[first.stage]}. {_share(why, first.stage)}."
        details += [*_from_where(stages, first), *absent, *_others(stages, first, enough)]
        metric, places = why.metric, why.places[first.stage][:MOST]
    else:
        headline = f"{run}, to mend first: {WHAT[first.stage]}. {_told(first)}, below {enough:g}."
        details += [*_why_first(stages, first), *absent, *_others(stages, first, enough)]
        metric, places = first.metric, first.worst
    scored = scores.run(stages.run)
    values = scored.values(metric)
    shown = tuple(Example(p + 1, line(str(scored.ids[p]), 60), float(values[p])) for p in places)
    return Advice(run, headline, tuple(details), metric, shown)


def _there(stages: Stages) -> str:
    """What else is said of what is found, where somebody looked in the knowledge base."""
    return " (from what the knowledge base has, where that lacks as much)" if stages.of("knowledge") else ""


def _means(stages: Stages, stage: str) -> str:
    """What it means that a stage is weak."""
    return MEANS_THERE if stage == "finding" and stages.of("knowledge") else MEANS[stage]


def _mend(stages: Stages, stage: str) -> str:
    """What may mend a stage."""
    return MEND_THERE if stage == "finding" and stages.of("knowledge") else MEND[stage]


def _absent(scores: Scores, stages: Stages) -> Iterator[str]:
    """Which questions no retriever could have answered."""
    if not stages.absent:
        return
    ids = [line(str(scores.run(stages.run).ids[place]), 60) for place in stages.absent[:MOST]]
    more = len(stages.absent) - len(ids)
    named = listed([*ids, *([f"{more:,} more"] if more else [])])
    if len(stages.absent) == 1:
        yield (
            f"Not there: no retriever could have answered question {named}, because claims of its reference stand in "
            "no document. It does not count against what is found."
        )
    else:
        yield (
            f"Not there: no retriever could have answered questions {named}, because claims of their references stand "
            "in no document. They do not count against what is found."
        )


def _share(why: Causes, stage: str) -> str:
    """How many of the bad answers come from a stage."""
    many = len(why.places[stage])
    if many == why.bad:
        return f"All {many:,} bad answers come from there" if many > 1 else "The one bad answer comes from there"
    return f"{many:,} of the {why.bad:,} bad answers {'comes' if many == 1 else 'come'} from there"


def _from_where(stages: Stages, first: Standing | None) -> Iterator[str]:
    """Where the other bad answers come from, and what speaks for it."""
    why = stages.causes
    if why is None:
        return
    name = first.stage if first else ""
    counts = [(stage, len(places)) for stage, places in why.places.items() if places and stage != name]
    if counts:
        told = listed([f"{many:,} {'comes' if many == 1 else 'come'} from {WHAT[stage]}" for stage, many in counts])
        yield f"{'Of the others' if first else f'Of the {why.bad:,} bad answers'}, {told}."
    if why.cleared:
        here = count(why.cleared, "bad answer")
        yield (
            f"On the questions of {here} {listed([line(name) for name in why.others])} answered well from the same "
            "contexts, so that neither these nor their order is to blame there."
        )


def _told(one: Standing) -> str:
    """A metric's value and interval, on which questions."""
    where = WHERE[one.stage] if one.chosen else ""
    if math.isnan(one.score.value):
        return f"{one.metric} is not known{where}"
    bounds = span(one.score.low, one.score.high, 2) or "no interval"
    return f"{one.metric} is {number(one.score.value, 2)} ({bounds}; {count(one.score.n, 'question')}){where}"


def _nothing(run: str, stages: Stages) -> str:
    outcome, why = stages.of("outcome"), stages.causes
    if outcome and outcome.verdict == "good":
        return f"{run}: nothing to mend, the answers are good."
    if outcome and why and why.second and outcome.verdict == "weak":
        return (
            f"{run}: the answers are not good enough, but the data do not show which to mend first, "
            f"{WHAT[why.first]} or {WHAT[why.second]}."
        )
    if outcome and outcome.verdict == "weak":
        return f"{run}: the answers are not good enough, but the data do not show at which stage that happens."
    if all(one.verdict == "good" for one in stages.standings):
        return f"{run}: every stage that was measured is good."
    return f"{run}: no stage is shown to be weak."


def _why_first(stages: Stages, first: Standing) -> Iterator[str]:
    """Why this one of several weak ones."""
    others = [one for one in stages.weak if one is not first]
    shown = {one.higher: one for one in stages.lower if one.lower == first.stage}
    for one in others:
        if lower := shown.get(one.stage):
            yield (
                f"On the {lower.n:,} questions scored in both it is lower than {one.metric} by "
                f"{number(lower.difference, 2)} ({_p(lower.p)} by a paired t-test, with Holm's correction)."
            )
    open_ = [one.metric for one in others if one.stage not in shown and _after(first, one)]
    if open_:
        yield (
            f"That it is lower than {listed(open_)} is not shown; it comes first because the later stages rest on it."
        )


def _after(first: Standing, one: Standing) -> bool:
    names = list(WHAT)
    return names.index(one.stage) > names.index(first.stage)


def _p(p: float) -> str:
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _others(stages: Stages, first: Standing | None, enough: float) -> Iterator[str]:
    """What is known of the other stages."""
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
            yield f"{_told(one)}, below {enough:g}; no bad answer is shown to come from there."
        elif one.verdict == "weak":
            yield f"Weak as well: {WHAT[one.stage]}. {_told(one)}. {_mend(stages, one.stage)}"
        else:
            yield f"{_told(one)}{_doubt(one, enough)}."
    if outcome := stages.of("outcome"):
        yield _outcome(stages, outcome, first, enough)


def _harmless(stages: Stages, one: Standing) -> bool:
    """Whether answers were scored, and none that is bad is put down to this weak stage."""
    outcome = stages.of("outcome")
    good = outcome is not None and outcome.verdict == "good"
    return good or (stages.causes is not None and not stages.causes.places.get(one.stage))


def _doubt(one: Standing, enough: float) -> str:
    if one.verdict == "good":
        return f": not below {enough:g}"
    if one.clusters < FEWEST:
        return f", on too few independent questions ({one.clusters}) to say more"
    return f"; the data do not show whether it is below {enough:g}"


def _outcome(stages: Stages, outcome: Standing, first: Standing | None, enough: float) -> str:
    """How good the answers are all in all, and what follows."""
    start = f"All in all {_told(outcome)}"
    if outcome.verdict != "weak":
        good = outcome.verdict == "good" and first is not None
        return f"{start}{_doubt(outcome, enough)}{', although a stage before is weak' if good else ''}."
    if stages.of("answering") is None:
        return f"{start}, below {enough:g}. Score ContextRecall too, to tell what was not found from what was not used."
    answering = stages.of("answering")
    if answering and answering.verdict == "weak":
        return f"{start}, below {enough:g}."
    if first is None:
        return f"{start}, below {enough:g}; more questions may show where it comes from."
    return f"{start}, below {enough:g}; it rests on the stages before, so look again when these are mended."


def shown_by(examples: Sequence[Example], metric: str) -> str:
    """The words before the questions that show it."""
    return f"The {'question' if len(examples) == 1 else 'questions'} with the lowest {metric}"
