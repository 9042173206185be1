"""Sentences on drift: what changed since the reference, what may explain it, and what to beware of."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.comparisons.drift_result import WHY, Drift, MixShift, Shift, Trend
from neraca.comparisons.recorded_changes import RecordedChange
from neraca.comparisons.time_buckets import REFERENCE_DAYS, REFERENCE_SESSIONS
from neraca.comparisons.turns_in_time import MOST_DETECTED
from neraca.counts_and_lists import count, listed
from neraca.number_format import integer, number, p_equals, percent, percent_level, signed, span
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.drawn import drawn_notes
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.unit import nouns, observation
from neraca.stats.intervals.reference_difference import FEWEST_SESSIONS
from neraca.translation import say

#: Verdict → words after the name of a metric.
_IS = {"better": "is better", "worse": "is worse", "higher": "is higher", "lower": "is lower"}
#: Kind of bucket → words for a time in it.
_IN_BUCKET = {"day": "on {name}", "week": "in the week of {name}", "month": "in {name}"}
#: Kind of bucket → words for several, and for several others.
BUCKETS = {"day": "days", "week": "weeks", "month": "months"}
_OTHERS = {
    "day": ("other day", "other days"),
    "week": ("other week", "other weeks"),
    "month": ("other month", "other months"),
}
#: At most this number of changes of the system are named one by one.
MOST_CHANGES = 20


def reference_words(drift: Drift) -> str:
    """Return the reference as days, such as `2026-10-05 to 2026-10-11`."""
    first, last = (drift.buckets.buckets[place] for place in (drift.reference.first, drift.reference.last))
    return say("{first} to {last}", first=first.first.isoformat(), last=last.last.isoformat())


def began(drift: Drift) -> str:
    """Return the first day after the reference."""
    return drift.buckets.buckets[drift.reference.last + 1].first.isoformat()


def lead(drift: Drift) -> str:
    """Say what changed since the reference; if nothing is shown, give the difference in the first metric."""
    shown = [trend for trend in drift.trends if trend.decisive and trend.decisive.verdict]
    if shown:
        return " ".join(_changed(trend, drift) for trend in shown[:3]) + _more(len(shown) - 3)
    compared = [trend for trend in drift.trends if trend.decisive and not math.isnan(trend.decisive.low)]
    if not compared:
        return _nothing_compared(drift)
    first = compared[0]
    unshown_sentence = say(
        "No change is shown since {day} in {metrics}{labels}: the difference in {metric} is {size}.",
        day=began(drift),
        metrics=listed([line(str(trend.metric)) for trend in compared]),
        labels=_by_labels(first),
        metric=line(str(first.metric)),
        size=size(first.decisive),
    )
    if _by_labels(first) and first.shift and first.shift.verdict:
        by_judge = say(
            "By the judge alone it {verdict}: {size}.", verdict=_verdict_words(first.shift), size=size(first.shift)
        )
        return f"{unshown_sentence} {by_judge}"
    in_buckets = [sentence for trend in drift.trends if (sentence := _bucket_changed(trend, drift))]
    if in_buckets:
        return " ".join([*in_buckets[:3], unshown_sentence])
    return unshown_sentence


def _nothing_compared(drift: Drift) -> str:
    trend = drift.trends[0]
    why = trend.decisive.why if trend.decisive else trend.why
    return say("Nothing can be said about drift yet. {metric}: {why}.", metric=line(str(trend.metric)), why=reason(why))


def _by_labels(trend: Trend) -> str:
    return say(" by people's labels") if trend.corrected and trend.corrected.shift else ""


def size(shift: Shift | None) -> str:
    """Return a difference with its interval."""
    if shift is None:
        return "–"
    interval = span(shift.low, shift.high)
    return signed(shift.difference) + (f" ({interval})" if interval else "")


def _more(n: int) -> str:
    return say(" So did {metrics} (see the table).", metrics=count(n, "more metric")) if n > 0 else ""


def _verdict_words(shift: Shift) -> str:
    return say(_IS[shift.verdict]) if shift.verdict else ""


def _changed(trend: Trend, drift: Drift) -> str:
    """Say how a metric changed since the reference."""
    shift, by_labels = trend.decisive, _by_labels(trend)
    if shift is None:
        return ""
    before, after = trend.reference.value, trend.since.value
    if trend.corrected and by_labels:
        before, after = trend.corrected.reference.value, trend.corrected.since.value
    return say(
        "{metric} {verdict} since {day}{labels}: {after} after {before} in the reference, a difference of {size}, {p}.",
        metric=line(str(trend.metric)),
        verdict=_verdict_words(shift),
        day=began(drift),
        labels=by_labels,
        after=number(after),
        before=number(before),
        size=size(shift),
        p=p_equals(shift.p_adjusted, 1 - drift.level),
    )


def _bucket_changed(trend: Trend, drift: Drift) -> str:
    """Say in which buckets a metric differs from the reference; "" if there are none."""
    shown = [(place, shift) for place, shift in enumerate(trend.shifts) if shift is not None and shift.verdict]
    if not shown:
        return ""
    place, last = shown[-1]
    others = say("; also in {n}", n=count(len(shown) - 1, *_OTHERS[drift.buckets.every])) if shown[1:] else ""
    return say(
        "{metric} {verdict} {bucket}: a difference of {size} from the reference{others}.",
        metric=line(str(trend.metric)),
        verdict=_verdict_words(last),
        bucket=say(_IN_BUCKET[drift.buckets.every], name=drift.buckets.buckets[place].name),
        size=size(last),
        others=others,
    )


def unshown(drift: Drift) -> str:
    """Name the metrics in which no change is shown; "" if the decision says so already."""
    shown = [trend for trend in drift.trends if trend.decisive and trend.decisive.verdict]
    others = [trend for trend in drift.trends if trend not in shown and trend.decisive]
    if not shown or not others:
        return ""
    parts = [f"{line(str(trend.metric))}: {size(trend.decisive)}" for trend in others]
    return say("A change in {metrics}.", metrics="; ".join(parts))


def cautions(drift: Drift) -> Iterator[str]:
    """Yield what to know before trusting the result, the gravest first."""
    for trend in drift.trends:
        if trend.decisive and trend.decisive.verdict:
            yield from (_by_mix(mix) for mix in drift.mix if mix.metric == str(trend.metric) and _explains(mix))
    for trend in drift.trends:
        place = trend.first_shown
        if place is not None and trend.shift and not trend.shift.verdict:
            yield say(
                "A change in {metric} was shown at the end of {bucket}, and no longer is: it was there then.",
                metric=line(str(trend.metric)),
                bucket=drift.buckets.buckets[place].name,
            )
    yield from _reference_limits(drift)
    yield from drawn_notes(drift.scores)
    yield from _losses(drift)
    endless = [t for t in drift.trends if t.shift and not t.shift.why and not all(map(math.isfinite, _range(t)))]
    if endless:
        yield say(
            "Values of {metrics} have no upper end. Where a few of them are far larger than all others, false alarms "
            "are a little more frequent (6 % of simulated years, not 5 %).",
            metrics=listed([line(str(trend.metric)) for trend in endless]),
        )


def _range(trend: Trend) -> tuple[float, float]:
    low, high = trend.metric.definition.limits
    return low, high


def _explains(mix: MixShift) -> bool:
    """Return whether a change of the mix makes at least half of the difference."""
    return mix.reweighted is not None and mix.raw * mix.by_mix > 0 and abs(mix.by_mix) >= abs(mix.raw) / 2


def _by_mix(mix: MixShift) -> str:
    return say(
        "Much of the difference in {metric} comes with other questions: with the reference's mix of {factor} it is "
        "{size}, not {raw}.",
        metric=line(mix.metric),
        factor=line(say(mix.factor)),
        size=size(mix.reweighted),
        raw=signed(mix.raw),
    )


def _reference_limits(drift: Drift) -> Iterator[str]:
    """Say what the reference cannot show, and what came before it."""
    limited = [t for t in drift.trends if t.shift and not math.isnan(t.shift.low) and not t.shift.verdict]
    if limited:
        parts = [f"{number(trend.smallest)} ({line(str(trend.metric))})" for trend in limited]
        yield say(
            "With a reference of {sessions}, no difference below {sizes} is ever shown, however long you wait. A "
            "longer reference shows smaller ones; choose it before you look.",
            sessions=f"{integer(drift.reference_sessions)} {nouns(drift.unit)}",
            sizes=listed(parts),
        )
    finished = [shift for trend in drift.trends for shift in trend.shifts if shift]
    few = sum(shift.why == WHY["few"] for shift in finished)
    if 2 * few > len(finished):
        yield say(
            "Most {buckets} have fewer than {n} and are not compared one by one; a longer --every has more.",
            buckets=say(BUCKETS[drift.buckets.every]),
            n=f"{FEWEST_SESSIONS} {nouns(drift.unit)}",
        )
    if drift.before:
        yield say("{turns} before the reference: shown, and not compared.", turns=count(drift.before, "turn"))


def _losses(drift: Drift) -> Iterator[str]:
    """Say which turns are missing in the numbers."""
    unscored = [
        say("{metric} {n:,} of {all:,}", metric=line(str(t.metric)), n=n, all=n + t.reference.n + t.since.n)
        for t in drift.trends
        if (n := t.reference.unscored + t.since.unscored)
    ]
    if unscored:
        yield say("Unscored turns, which no value includes: {metrics}.", metrics=listed(unscored))
    if drift.untimed:
        yield say(
            "Answers without a time, or with one more than a year away from all others: {n:,}. They are left out.",
            n=drift.untimed,
        )
    if drift.lacking:
        yield say("Questions without an answer: {n:,}. They are left out.", n=drift.lacking)
    if drift.undetected:
        yield say(
            "The language of questions is not detected in more than {most:,} turns: give them a tag language.",
            most=MOST_DETECTED,
        )
    empty = sum(not (drift.buckets.places == place).any() for place in range(len(drift.buckets.buckets)))
    if empty:
        yield say(
            "{empty} of {n:,} {buckets} have no turn.",
            empty=integer(empty),
            n=len(drift.buckets.buckets),
            buckets=say(BUCKETS[drift.buckets.every]),
        )


def change_sentences(drift: Drift) -> list[str]:
    """Say when the model, the prompt or the version changed; the numbers are those of the lines in the figures."""
    changes = [
        say("Line {n}: {change}", n=n, change=change_words(change))
        for n, change in enumerate(drift.changes[:MOST_CHANGES], 1)
    ]
    if len(drift.changes) > MOST_CHANGES:
        changes.append(say("… and {n:,} more", n=len(drift.changes) - MOST_CHANGES))
    return changes


def change_words(change: RecordedChange) -> str:
    """Return a change of the system, such as `model: a → b on 2026-11-12`."""
    return say(
        "{attribute}: {before} → {after} on {day}",
        attribute=say(change.attribute),
        before=line(change.before, 60),
        after=line(change.after, 60),
        day=change.day.isoformat(),
    )


def how_made(drift: Drift) -> list[str]:
    """Say how the numbers were made."""
    level, several = percent_level(drift.level), len(drift.trends) > 1
    metrics = count(len(drift.trends), "metric")
    every = say(BUCKETS[drift.buckets.every])
    chosen = (
        say("as asked for ({asked})", asked=line(drift.reference.asked))
        if drift.reference.asked
        else say(
            "the first {buckets}, as many as have {n} and {days} days",
            buckets=every,
            n=f"{REFERENCE_SESSIONS} {nouns(drift.unit)}",
            days=REFERENCE_DAYS,
        )
    )
    return [
        say(
            "Reference: {days}, {chosen}; {turns}.",
            days=reference_words(drift),
            chosen=chosen,
            turns=f"{integer(drift.reference_sessions)} {nouns(drift.unit)}",
        ),
        say(
            "Look as often as you like: if nothing changes, the chance that a change is ever shown is at most {alpha}, "
            "in all {buckets}{metrics} together.",
            alpha=percent(1 - drift.level),
            buckets=every,
            metrics=say(" and all {metrics}", metrics=metrics) if several else "",
        ),
        say(
            "The {level} intervals of all differences of one metric hold together at every look. All since the "
            "reference spends half of the chance of an error; each of the {buckets} is compared once, when it is over, "
            "and spends less the later it comes. p is adjusted for that{holm}.",
            level=level,
            buckets=every,
            holm=say(", and by Holm's method over {metrics}", metrics=metrics) if several else "",
        ),
        say("Intervals of values are ordinary {level} intervals, for one look.", level=level),
        say("Differences need {n} in both periods. Days are in UTC.", n=f"{FEWEST_SESSIONS} {nouns(drift.unit)}"),
        say("One observation: {unit}.", unit=observation(drift.unit)),
    ]


def mix_sentences(drift: Drift) -> list[str]:
    """Say how the mix was evened out, and what could not be."""
    sentences = [
        say(
            "Each group of turns gets the share that it has in the reference. What then remains of a difference is no "
            "change of the mix. These intervals explain; they decide nothing."
        )
    ]
    for mix in drift.mix:
        if mix.new or mix.gone:
            sentences.append(
                say(
                    "{metric} by {factor}: {new} since the reference in groups that it lacks, and {gone} of the "
                    "reference in groups without a turn since, are left out.",
                    metric=line(mix.metric),
                    factor=line(say(mix.factor)),
                    new=count(mix.new, "turn"),
                    gone=percent(mix.gone),
                )
            )
    return sentences
