"""The report on drift: what changed since the reference, bucket by bucket, and what may explain it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.comparisons.drift_result import Drift, Shift, Trend
from neraca.comparisons.turns_in_time import ANSWERED, LANGUAGE
from neraca.number_format import DASH, integer, number, p_value, percent, percent_level, signed, span
from neraca.reports.blocks.block import Block, Cell, Document, Figure, Heading, Sentences, opening
from neraca.reports.figures.bucket_plot import Line, Marks, Point, bucket_plot
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences import drift as words
from neraca.reports.sentences.reasons import reason
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: Sections that the terminal leaves out.
ON_PAGES = ("looks", "mix-shares")
#: A page folds a table of more buckets.
MOST_OPEN = 14


def drift_document(drift: Drift, language: str = "en") -> Document:
    """Make the blocks of a report on drift in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(say("{run} over time", run=line(drift.run)), tuple(_blocks(drift)), language)


def _blocks(drift: Drift) -> Iterator[Block]:
    yield from opening(
        words.lead(drift),
        _values_figure(drift, 0),
        unshown=words.unshown(drift),
        notes=tuple(words.cautions(drift)),
    )
    yield Heading(say("Since the reference"), "since", say("Since"))
    yield _since_table(drift)
    if drift.correct:
        yield Heading(say("By people's labels"), "labels", say("Labels"))
        yield from _label_blocks(drift)
    if drift.changes:
        yield Heading(say("Changes of the system"), "changes", say("Changes"))
        yield Sentences(tuple(words.change_sentences(drift)), "words")
    yield Heading(say("Over time"), "buckets", say("Over time"))
    for place, trend in enumerate(drift.trends):
        if place:
            yield _values_figure(drift, place)
        yield _bucket_table(drift, trend)
    yield Heading(say("Look by look"), "looks", say("Looks"))
    yield from _looks(drift)
    if drift.mix:
        yield Heading(say("Mix of questions"), "mix", say("Mix"))
        yield _mix_table(drift)
        yield Sentences(tuple(words.mix_sentences(drift)))
        yield Heading(say("Groups of questions"), "mix-shares", say("Groups"))
        yield _shares_table(drift)
    if drift.groups:
        yield Heading(say("By tag"), "tags", say("Tags"))
        yield Sentences((say("Each interval holds at every look for its own group alone; it decides nothing."),))
        yield _groups_table(drift)
    yield Heading(say("How this was made"), "method", say("Method"))
    yield Sentences(tuple(words.how_made(drift)))


def _interval_heading(drift: Drift) -> str:
    return say("{level} interval at every look", level=percent_level(drift.level))


def _shift_cells(shift: Shift | None, alpha: float, why: str = "") -> tuple[str, str, str, str]:
    """Return the cells of a difference, its interval, its adjusted p, and what is shown."""
    if shift is None:
        return DASH, reason(why) or DASH, DASH, DASH
    interval = span(shift.low, shift.high) or reason(shift.why)
    verdict = Cell(say(shift.verdict), bold=True) if shift.verdict else DASH
    return signed(shift.difference), interval, p_value(shift.p_adjusted, alpha), verdict


def _since_table(drift: Drift) -> Table:
    alpha = 1 - drift.level
    rows = [
        (
            line(str(t.metric)),
            number(t.reference.value),
            number(t.since.value),
            *_shift_cells(t.shift, alpha, t.why),
            integer(t.since.n),
            integer(t.since.unscored),
        )
        for t in drift.trends
    ]
    columns = (
        *say_all("metric", "reference", "since", "difference"),
        _interval_heading(drift),
        *say_all("adjusted p", "shown", "n", "unscored"),
    )
    title = say("All since {day}, beside the reference", day=words.began(drift))
    return Table(columns, rows, title, name="since")


def _bucket_table(drift: Drift, trend: Trend) -> Table:
    """Return the buckets of a metric; those without a turn have a row too."""
    first, last = drift.reference.first, drift.reference.last
    rows = []
    for place, (bucket, score) in enumerate(zip(drift.buckets.buckets, trend.buckets, strict=True)):
        why = say("reference") if first <= place <= last else say("may still fill") if bucket in drift.filling else ""
        rows.append(
            (
                bucket.name,
                Cell(number(score.value), span(score.low, score.high)),
                integer(score.n),
                integer(score.unscored),
                *_shift_cells(trend.shifts[place], 1 - drift.level, why),
            )
        )
    columns = (
        say(drift.buckets.every),
        *say_all("value", "n", "unscored", "difference"),
        _interval_heading(drift),
        *say_all("adjusted p", "shown"),
    )
    title = say("{metric} by {bucket}", metric=line(str(trend.metric)), bucket=say(drift.buckets.every))
    depth = 1 if len(rows) > MOST_OPEN else 0
    return Table(columns, rows, title, most=len(rows), name=f"buckets {trend.metric}", depth=depth)


def _values_figure(drift: Drift, place: int) -> Figure:
    """Draw a metric in each bucket."""
    trend = drift.trends[place]
    metric = line(str(trend.metric))
    values = [(score.value, score.low, score.high) for score in trend.buckets]
    shown = [bool(shift and shift.verdict) for shift in trend.shifts]
    points = [
        Point(bucket.name, *value, is_shown)
        for bucket, value, is_shown in zip(drift.buckets.buckets, values, shown, strict=True)
    ]
    heading = say("{metric} by {bucket}", metric=metric, bucket=say(drift.buckets.every))
    drawn = bucket_plot(
        f"values{place}",
        heading,
        metric,
        points,
        trend.metric.definition.limits,
        Marks((drift.reference.first, drift.reference.last), trend.reference.value, _lines(drift)),
    )
    caption = say(
        "{metric} by {bucket}, {level} intervals; shaded: the reference, blue: a shown difference",
        metric=metric,
        bucket=say(drift.buckets.every),
        level=percent_level(drift.level),
    )
    lines = say(", dashed: changes") if drift.changes else ""
    alone = say("; by the judge alone") if drift.correct else ""
    return Figure(f"values{place}", f"{caption}{lines}{alone}", drawn)


def _lines(drift: Drift) -> list[Line]:
    """Return a line for each change of the system, at its day."""
    lines = []
    for n, change in enumerate(drift.changes[: words.MOST_CHANGES], 1):
        place = drift.buckets.place_of(change.day)
        bucket = drift.buckets.buckets[place]
        days = (bucket.last - bucket.first).days + 1
        lines.append(Line(place + (change.day - bucket.first).days / days, str(n), words.change_words(change)))
    return lines


def _looks(drift: Drift) -> Iterator[Block]:
    """Draw the difference of all since the reference, as it was at the end of each bucket."""
    yield Sentences(
        (
            say(
                "The difference of all since the reference, as it was at the end of each {bucket}. Blue: shown, with p "
                "adjusted over all metrics.",
                bucket=say(drift.buckets.every),
            ),
        ),
        "words",
    )
    for place, trend in enumerate(drift.trends):
        looks = [
            Point(bucket.name, look.difference, look.low, look.high, bool(look.verdict))
            for bucket, look in zip(drift.buckets.buckets, trend.looks, strict=True)
            if look is not None
        ]
        if not looks:
            continue
        metric = line(str(trend.metric))
        heading = say("Difference in {metric}, look by look", metric=metric)
        axis = say("Difference in {metric}", metric=metric)
        drawn = bucket_plot(f"looks{place}", heading, axis, looks, (-math.inf, math.inf), Marks(level=0.0))
        caption = say(
            "All since the reference minus the reference, as it was at the end of each {bucket}: {metric}",
            bucket=say(drift.buckets.every),
            metric=metric,
        )
        yield Figure(f"looks{place}", caption, drawn)


def _label_blocks(drift: Drift) -> Iterator[Block]:
    """Yield the values by the judge and by people's labels, and their differences."""
    alpha, rows, why = 1 - drift.level, [], []
    for trend in drift.trends:
        if not (corrected := trend.corrected):
            continue
        names = [bucket.name for bucket in drift.buckets.buckets]
        parts = [(say("reference"), corrected.reference), (say("since"), corrected.since)]
        for name, part in [*parts, *zip(names, corrected.buckets, strict=True)]:
            rows.append(
                (
                    line(str(trend.metric)),
                    name,
                    number(part.raw),
                    number(part.value),
                    span(part.low, part.high) or reason(part.why),
                    integer(part.labels),
                    integer(part.n),
                )
            )
        difference = _shift_cells(corrected.shift, alpha, corrected.reference.why or corrected.since.why)
        why.append(
            say(
                "{metric} by people's labels: a difference of {difference} ({interval}), adjusted p {p}; {labels:,} "
                "labelled in the reference and {more:,} since.",
                metric=line(str(trend.metric)),
                difference=difference[0],
                interval=difference[1],
                p=difference[2],
                labels=corrected.reference.labels,
                more=corrected.since.labels,
            )
        )
    yield Sentences(
        (*why, say("Corrected by prediction-powered inference; all other numbers are by the judge alone.")), "words"
    )
    columns = say_all("metric", "period", "by the judge", "corrected", "interval", "labels", "n")
    yield Table(columns, rows, say("By people's labels"), 2, most=len(rows), name="labels")


def _mix_table(drift: Drift) -> Table:
    rows = []
    for mix in drift.mix:
        shift = mix.reweighted
        rows.append(
            (
                line(mix.metric),
                line(say(mix.factor)),
                signed(mix.raw),
                signed(shift.difference) if shift else DASH,
                (span(shift.low, shift.high) or reason(shift.why)) if shift else DASH,
                signed(mix.by_mix),
            )
        )
    columns = (
        *say_all("metric", "mix of", "difference", "with the reference's mix"),
        _interval_heading(drift),
        say("by the mix"),
    )
    return Table(columns, rows, say("Differences with the mix of the reference"), 2, name="mix")


def _shares_table(drift: Drift) -> Table:
    rows = [
        (
            line(say(share.factor)),
            (reason(share.stratum) if share.factor in (ANSWERED, LANGUAGE) else line(share.stratum, 40))
            or say("(none)"),
            percent(share.reference),
            percent(share.since),
            integer(share.n_reference),
            integer(share.n_since),
        )
        for share in drift.shares
    ]
    columns = say_all("mix of", "group", "reference", "since", "turns, reference", "turns, since")
    return Table(columns, rows, say("Shares of turns"), 2, name="mix-shares")


def _groups_table(drift: Drift) -> Table:
    rows = [
        (
            line(f"{group.tag}={group.value or say('(none)')}", 40),
            line(group.metric),
            *_shift_cells(group.shift, 1 - drift.level)[:2],
            integer(group.n_reference),
            integer(group.n_since),
        )
        for group in drift.groups
    ]
    columns = (
        *say_all("group", "metric", "difference"),
        _interval_heading(drift),
        *say_all("turns, reference", "turns, since"),
    )
    return Table(columns, rows, say("Differences by tag"), 2, name="tags")
