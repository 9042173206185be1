"""The report of an A/B test: the decision, what it rests on, and whether it can be trusted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from neraca.counts_and_lists import listed
from neraca.number_format import percent_level, signed
from neraca.online.experiment import ArmEffect, Experiment
from neraca.reports.blocks.block import Block, Document, Figure, Heading, Sentences, opening
from neraca.reports.figures.forest import Line, forest
from neraca.reports.figures.sequence_plot import goes_beyond, sequence_plot
from neraca.reports.formats.visible_text import line
from neraca.reports.online.ab_sentences import (
    arm_name,
    checks,
    directions,
    effect_sentence,
    lead,
    segment_warning,
    split_sentence,
    title,
)
from neraca.reports.online.ab_tables import bootstrap_table, days_table, effects_table, plain_tables, segment_table
from neraca.reports.online.log_contents import contents_sentences
from neraca.reports.online.log_section import log_blocks
from neraca.reports.online.messages import translated
from neraca.translation import say, written_in

#: Sections that the terminal leaves out.
ON_PAGES = ("days", "bootstrap")


def ab_document(experiment: Experiment, language: str = "en") -> Document:
    """Make the blocks of an A/B test's report in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(title(experiment), tuple(_blocks(experiment)), language)


def read(experiment: Experiment) -> list[str]:
    """Say what was read from the log, and what makes it doubtful."""
    e = experiment
    contents = contents_sentences(e.contents, e.exclusions, e.unused, e.earlier)
    return [*contents, *map(translated, e.doubts)]


def _blocks(experiment: Experiment) -> Iterator[Block]:
    first = experiment.of(experiment.metrics[0].name)
    what_was_read, *contents = contents_sentences(
        experiment.contents, experiment.exclusions, experiment.unused, experiment.earlier
    )
    shown = [effect_sentence(e) for e in experiment.effects if e.better and e.metric != first[0].metric]
    doubts = [translated(doubt) for doubt in experiment.doubts]
    decision, *more = opening(
        lead(experiment),
        _forest(experiment, first),
        shown=" ".join(shown[:3]) if experiment.trusted else "",
        unshown=_unshown(experiment) if experiment.trusted else "",
        notes=doubts if experiment.trusted else [split_sentence(experiment), *doubts],
    )
    yield from (decision, Sentences((what_was_read,), "words"), *more)
    yield Heading(say("Effects"), "effects", say("Effects"))
    if sentences := tuple(directions(experiment)):
        yield Sentences(sentences)
    yield effects_table(experiment)
    yield from plain_tables(experiment)
    yield from _over_days(experiment)
    if experiment.segments:
        yield Heading(say("Segments"), "segments", say("Segments"))
        yield Sentences((segment_warning(experiment),))
        yield segment_table(experiment)
    yield Heading(say("Checks"), "checks", say("Checks"))
    yield Sentences(tuple(checks(experiment)))
    yield Heading(say("Formula and bootstrap"), "bootstrap", say("Bootstrap"))
    yield bootstrap_table(experiment)
    yield from log_blocks(experiment.events, experiment.exclusions, contents)


def _unshown(experiment: Experiment) -> str:
    """Name the metrics in which no difference is shown; "" if there are none."""
    tested = [e for e in experiment.effects if e.metric.higher_is_better is not None and not e.effect.why]
    others = len(experiment.users) - 1
    metrics = [
        name if n == others else say("{metric} (of {n} of {arms} arms)", metric=name, n=n, arms=others)
        for name, n in Counter(e.metric.name for e in tested if not e.better).items()
    ]
    return say("A difference in {metrics}.", metrics=listed(metrics)) if metrics else ""


def _over_days(experiment: Experiment) -> Iterator[Block]:
    name = experiment.metrics[0].name
    yield Heading(say("Over days"), "days", say("Days"))
    for place, e in enumerate(experiment.of(name)):
        title = say("{metric} over days", metric=name)
        drawn = sequence_plot(f"days{place}", title, say("Difference in {metric}", metric=name), e.days)
        caption = say("{arm} minus {control}", arm=arm_name(e.arm), control=arm_name(e.control))
        yield Figure(f"days{place}", caption, drawn)
    sentence = say(
        "{metric} of all users seen until the end of each day, day 1 being {date} (UTC). The intervals hold at "
        "every look together: once one of them leaves zero the test may stop. They are not adjusted by what users did "
        "before.",
        metric=name,
        date=(date(1970, 1, 1) + timedelta(days=experiment.first_day)).isoformat(),
    )
    beyond = say("An arrow marks an interval that goes on beyond the figure.")
    cut = any(goes_beyond(e.days) for e in experiment.of(name))
    yield Sentences((sentence, beyond) if cut else (sentence,))
    yield days_table(experiment)


def _forest(experiment: Experiment, effects: Sequence[ArmEffect]) -> Figure:
    level = percent_level(experiment.options.level)
    lines = [
        Line(
            line(e.arm),
            e.effect.difference,
            e.low,
            e.high,
            signed(e.effect.difference),
            bool(e.better),
            line(e.control) if len(experiment.users) == 2 else "",
        )
        for e in effects
    ]
    metric = experiment.metrics[0].name
    title, axis = say("Differences with {level} intervals", level=level), say("Difference in {metric}", metric=metric)
    drawn = forest("effect", title, axis, lines, (-math.inf, math.inf), zero=True)
    caption = say("{metric} with {level} intervals", metric=metric, level=level)
    return Figure("effect", caption, drawn)
