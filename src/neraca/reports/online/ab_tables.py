"""Tables of an A/B test: its effects, the same before adjustment and by the bootstrap, days and segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from neraca.number_format import DASH, exact, integer, number, p_value, percent, percent_level, signed, span
from neraca.online.experiment import ArmEffect, Experiment
from neraca.reports.formats.visible_text import line
from neraca.reports.online.ab_sentences import arm_name, relative_change
from neraca.result import Table
from neraca.translation import say, say_all


def effects_table(experiment: Experiment) -> Table:
    """Return the table of effects; two arms have a column each, more arms a row each."""
    rows = [
        [
            *_names(experiment, e, "*" if e.adjusted else ""),
            number(e.effect.a),
            number(e.effect.b),
            signed(e.effect.difference),
            span(e.low, e.high) or DASH,
            relative_change(e.relative) if math.isfinite(e.relative) else DASH,
            p_value(e.p_adjusted) if math.isfinite(e.p_adjusted) else DASH,
            _verdict(e) if experiment.trusted else "",
        ]
        for e in experiment.effects
    ]
    if experiment.options.looks == "daily":
        title = say("Effects, intervals valid whenever you look")
    else:
        title = say("Effects, intervals valid at the planned end alone")
    columns = [*_columns(experiment), _interval(experiment), *say_all("relative", "p", "verdict")]
    return _table(experiment, columns, rows, title, "effects")


def plain_tables(experiment: Experiment) -> Iterator[Table]:
    """Yield the values before adjustment, which a dashboard shows, beside the adjusted; nothing without any."""
    rows = [
        [
            *_names(experiment, e),
            number(e.plain.a),
            number(e.plain.b),
            signed(e.plain.difference),
            span(*e.plain_bounds) or DASH,
            signed(e.effect.difference),
            percent(1 - e.effect.error / e.plain.error),
        ]
        for e in experiment.effects
        if e.adjusted
    ]
    if rows:
        columns = [*_columns(experiment), _interval(experiment), *say_all("adjusted", "narrower by")]
        yield _table(experiment, columns, rows, say("Before adjustment, as on a dashboard"), "plain")


def bootstrap_table(experiment: Experiment) -> Table:
    """Return the differences without adjustment at this look, by formula and by the bootstrap over users."""
    rows = [
        [
            e.metric.name,
            arm_name(e.arm, 30),
            signed(e.plain.difference),
            span(e.plain.low, e.plain.high) or DASH,
            span(*e.bootstrap) or DASH,
        ]
        for e in experiment.effects
    ]
    title = say("{level} intervals for one look, without adjustment", level=percent_level(experiment.options.level))
    columns = say_all("metric", "arm", "difference", "delta method", "users drawn again")
    return Table(columns, rows, title, 2, name="bootstrap")


def days_table(experiment: Experiment) -> Table:
    """Return the differences in the first metric at the end of the last days."""
    rows = [
        [str(d.day + 1), arm_name(e.arm, 30), integer(d.users), signed(d.difference), span(d.low, d.high) or DASH]
        for e in experiment.of(experiment.metrics[0].name)
        for d in e.days[-14 if len(experiment.users) == 2 else -3 :]
    ]
    columns = say_all("day", "arm", "users", "difference", "interval")
    return Table(columns, rows, say("The last days"), 2, name="days")


def segment_table(experiment: Experiment) -> Table:
    """Return the first metric's effect in each segment."""
    rows = [
        [
            line(f"{segment.name}={segment.value or say('(none)')}", 40),
            arm_name(segment.arm, 30),
            integer(segment.users),
            signed(segment.effect.difference),
            span(segment.effect.low, segment.effect.high) or DASH,
        ]
        for segment in experiment.segments
    ]
    columns = say_all("segment", "arm", "users", "difference", "interval")
    title = say("{metric} by segment, intervals for one look", metric=experiment.metrics[0].name)
    return Table(columns, rows, title, 2, name="segments")


def _verdict(e: ArmEffect) -> str:
    if e.guard:
        return say("{state}, margin {margin}", state=say(e.guard), margin=exact(e.margin))
    return say("{run} better", run=arm_name(e.better, 20)) if e.better else ""


def _interval(experiment: Experiment) -> str:
    return say("{level} interval", level=percent_level(experiment.options.level))


def _columns(experiment: Experiment) -> list[str]:
    """Return the headings of names and values: with two arms a column for each, with more a column for the arm."""
    control, *others = (arm_name(arm, 20) for arm in experiment.users)
    if len(others) == 1:
        return [say("metric"), control, others[0], say("difference")]
    return [*say_all("metric", "arm"), control, *say_all("arm's", "difference")]


def _names(experiment: Experiment, e: ArmEffect, mark: str = "") -> list[str]:
    name = e.metric.name + mark
    return [name] if len(experiment.users) == 2 else [name, arm_name(e.arm, 30)]


def _table(
    experiment: Experiment, columns: Sequence[str], rows: Iterable[Sequence[str]], title: str, name: str
) -> Table:
    return Table(columns, list(rows), title, 1 if len(experiment.users) == 2 else 2, name=name)
