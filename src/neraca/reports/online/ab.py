"""An A/B test in words: what it decides, what it rests on, and whether it can be trusted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from neraca.number_format import DASH, integer, number, p_equals, p_value, percent, percent_level, signed, span
from neraca.online.experiment import ArmEffect, Experiment
from neraca.reports.blocks.block import Block, Document, Figure, Heading, Sentences, opening
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.figures.forest import Line, forest, short
from neraca.reports.figures.sequence_plot import sequence_plot
from neraca.reports.formats.escape import line
from neraca.reports.online.exclusions import left_out
from neraca.reports.online.log_contents import contents_sentences
from neraca.result import Table

#: In a check of A against A, a test is reported if its error rate exceeds the level by this share.
TOO_OFTEN = 1.5
#: Code → the reason that there is no test, in words.
WHY = {
    "no_users": "an arm has no users",
    "one_user": "an arm has a single user",
    "no_denominator": "an arm has nothing to count it by",
    "not_finite": "a value is not finite",
    "no_variance": "all users have the same value",
    "few_users": "with fewer than 20 users in an arm one does not look yet",
}


def title(experiment: Experiment) -> str:
    """Name the arms."""
    arms = [_arm(arm) for arm in experiment.users]
    return f"A/B test: {listed(arms)}" if len(arms) < 4 else f"A/B test of {len(arms)} arms against {arms[0]}"


def lead(experiment: Experiment) -> str:
    """Return the decision in a sentence."""
    if not experiment.trusted:
        return f"Do not trust this test yet: {split_sentence(experiment)}"
    deciding = [e for e in experiment.effects if e.decides]
    if not deciding:
        return "Nothing was measured of which one direction is better, so nothing is decided."
    primary = [e for e in deciding if e.metric == deciding[0].metric]
    effects = [e for e in primary if e.better]
    broken = [e for e in experiment.effects if e.guard == "broken"]
    but = f" But a guardrail is broken: {listed([guard_words(e) for e in broken])}." if broken else ""
    if effects:
        return " ".join(effect_sentence(e) for e in effects) + but
    first = primary[0]
    if len(primary) > 1:
        arms = count(len(primary), "arm")
        control = _arm(experiment.control)
        return f"None of {arms} is shown to be better or worse than {control} by {first.metric.name}.{but}"
    arms_of_pair = f"{_arm(first.arm)} or {_arm(experiment.control)}"
    size = f"{signed(first.effect.difference)}{_interval(first)}"
    words = f"It is not decided whether {arms_of_pair} is better by {first.metric.name}"
    if first.contradicted:
        again = f"but with users drawn again it may be zero ({span(*first.bootstrap)})"
        return f"{words}: the difference is {size}, {again}.{but}"
    return f"{words}: the difference is {size}.{but}"


def effect_sentence(e: ArmEffect) -> str:
    """Return one effect in a sentence."""
    other = e.control if e.better == e.arm else e.arm
    relative = f", {_percent(e.relative)}" if math.isfinite(e.relative) else ""
    plain = f" (before adjustment {number(e.plain.b)} against {number(e.plain.a)})" if e.adjusted else ""
    return (
        f"{_arm(e.better)} is better than {_arm(other)} by {e.metric.name} ({e.metric.words}): "
        f"{number(e.effect.b)} of {_arm(e.arm)} against {number(e.effect.a)} of {_arm(e.control)}{plain}"
        f"{relative}, a difference of {signed(e.effect.difference)}{_interval(e)}."
    )


def guard_words(e: ArmEffect) -> str:
    """Say whether a guardrail held."""
    return (
        f"{e.metric.name} of {_arm(e.arm)}, {signed(e.effect.difference)}{_interval(e)}, allowed to be worse by "
        f"{number(e.margin)}"
    )


def directions(experiment: Experiment) -> str:
    """Say whether the shown effects agree, such as more clicks and fewer reformulations."""
    effects = [e for e in experiment.effects if e.better] if experiment.trusted else []
    if len({e.metric for e in effects}) < 2 or len(experiment.users) > 2:
        return ""
    by_arm = {arm: [e.metric.name for e in effects if e.better == arm] for arm in experiment.users}
    parts = [
        f"{listed(names)} favour{'s' if len(names) == 1 else ''} {_arm(arm)}" for arm, names in by_arm.items() if names
    ]
    if len(parts) == 1:
        shown = effects[0].better
        others = [e.metric.name for e in experiment.effects if _points_away(e, shown)]
        if not others:
            return f"All that is shown points the same way: {parts[0]}."
        point = "points" if len(others) == 1 else "point"
        return f"{parts[0]}. {listed(others)} {point} the other way, which is not shown to be a difference."
    return (
        f"What is shown does not point one way: {'; '.join(parts)}. More clicks need not mean more success: people "
        "click more where they do not find, too. Decide which metric stands for what your users came for."
    )


def _points_away(e: ArmEffect, arm: str) -> bool:
    """Return whether a metric, by a difference that is not shown, is worse in the arm."""
    if e.better or e.metric.higher_is_better is None or not e.effect.difference:
        return False
    return ((e.effect.difference > 0) == e.metric.higher_is_better) != (arm == e.arm)


def split_sentence(experiment: Experiment) -> str:
    """Say how users divide, and whether that is as planned."""
    divided = " to ".join(integer(n) for n in experiment.users.values())
    names = listed([_arm(arm) for arm in experiment.users])
    p = experiment.split.p
    if experiment.trusted:
        return f"Users divide {divided} ({names}), as planned (sample-ratio check, {p_equals(p)})."
    return (
        f"users divide {divided} ({names}), which chance would not do under the planned split (sample-ratio check, "
        f"{p_equals(p)}). Something keeps users of one arm out of the log, and they may be of another kind: find "
        "the cause (redirects, crashes, bots, filters on one arm) before you read any effect."
    )


def table(experiment: Experiment) -> Table:
    """Return the table of effects; two arms have a column each, more arms a row each."""
    level = percent_level(experiment.options.level)
    control, *others = (_arm(arm, 20) for arm in experiment.users)
    two = len(others) == 1
    columns = ["metric", *([] if two else ["arm"]), control, others[0] if two else "arm's", "difference"]
    rows = [
        [
            e.metric.name + ("*" if e.adjusted else ""),
            *([] if two else [_arm(e.arm, 30)]),
            number(e.effect.a),
            number(e.effect.b),
            signed(e.effect.difference),
            span(e.low, e.high) or DASH,
            _percent(e.relative),
            p_value(e.p_adjusted) if math.isfinite(e.p_adjusted) else DASH,
            (e.guard or (f"{_arm(e.better, 20)} better" if e.better else "")) if experiment.trusted else "",
        ]
        for e in experiment.effects
    ]
    kind = "valid whenever you look" if experiment.options.looks == "daily" else "valid at the planned end alone"
    heading = [*columns, f"{level} interval", "relative", "p", "verdict"]
    return Table(heading, rows, f"Effects, intervals {kind}", 1 if two else 2, name="effects")


def read(experiment: Experiment) -> list[str]:
    """Say what was read from the log, and what makes it doubtful."""
    e = experiment
    return [*contents_sentences(e.contents, e.exclusions, e.unused, e.earlier), *e.doubts]


def sentences(experiment: Experiment) -> list[str]:
    """Return the decision and the notes for the terminal."""
    return [*filter(None, [lead(experiment), directions(experiment), segment_warning(experiment), *checks(experiment)])]


def checks(experiment: Experiment) -> list[str]:
    """Say whether the test itself is sound: the split, A against A, unscored metrics, adjustment."""
    texts = [split_sentence(experiment)] if experiment.trusted else []
    texts += _unmeasured(experiment)
    texts += [*_reasons(experiment), *_without_p(experiment)]
    if any(e.adjusted for e in experiment.effects):
        texts.append(
            "Metrics with * are adjusted by what the same users did before the test (CUPED): their intervals are "
            "narrower. A dashboard shows the values before adjustment. --no-cuped leaves the adjustment out."
        )
    texts += _self_check(experiment)
    if experiment.options.looks == "once":
        texts.append(
            "These intervals hold at an end that was planned before the start; who looks earlier needs --looks daily."
        )
    texts += [_apart(e) for e in experiment.effects if e.rough]
    return texts


def ab_document(experiment: Experiment) -> Document:
    """Make the blocks of an A/B test's report."""
    name = experiment.metrics[0].name
    first, level = experiment.of(name), percent_level(experiment.options.level)
    shown = [effect_sentence(e) for e in experiment.effects if e.better and e.metric != first[0].metric]
    unshown = [e for e in experiment.effects if not e.better and e.metric.higher_is_better is not None]
    arms = Counter(e.metric.name for e in unshown)
    others = len(experiment.users) - 1
    of_arms = {name: f" (of {n} of {others} arms)" if n < others else "" for name, n in arms.items()}
    undecided = listed([f"{name}{few}" for name, few in of_arms.items()])
    trusted = experiment.trusted
    blocks: list[Block] = [
        *opening(
            lead(experiment),
            Figure("effect", f"{name} with {level} intervals", _forest(experiment, first, level)),
            shown=" ".join(shown[:3]) if trusted else "",
            unshown=f"A difference in {undecided}." if undecided and trusted else "",
            notes=[] if trusted else [_capital(split_sentence(experiment))],
        ),
        Heading("Effects", "effects", "Effects"),
        Sentences([*filter(None, [directions(experiment)])]),
        table(experiment),
        *plain_tables(experiment),
        *_over_days(experiment),
    ]
    if experiment.segments:
        blocks += [Heading("Segments", "segments", "Segments"), Sentences((segment_warning(experiment),))]
        blocks += segment_tables(experiment)
    blocks += [Heading("Checks", "checks", "Checks"), Sentences(checks(experiment)), bootstrap_table(experiment)]
    blocks += [Heading("What was read", "read", "Read"), Sentences(tuple(read(experiment)))]
    blocks += left_out(experiment.events, experiment.exclusions)
    return Document(title(experiment), tuple(blocks))


def bootstrap_table(experiment: Experiment) -> Table:
    """Return the differences without adjustment at this look, by formula and by the bootstrap over users."""
    level = percent_level(experiment.options.level)
    rows = [
        [
            e.metric.name,
            _arm(e.arm, 30),
            signed(e.plain.difference),
            span(e.plain.low, e.plain.high) or DASH,
            span(*e.bootstrap) or DASH,
        ]
        for e in experiment.effects
    ]
    columns = ["metric", "arm", "difference", "delta method", "users drawn again"]
    return Table(columns, rows, f"{level} intervals for one look, without adjustment", 2)


def plain_tables(experiment: Experiment) -> list[Table]:
    """Return the values before adjustment, which a dashboard shows, beside the adjusted; nothing without any."""
    control, *others = (_arm(arm, 20) for arm in experiment.users)
    two = len(others) == 1
    rows = [
        [
            e.metric.name,
            *([] if two else [_arm(e.arm, 30)]),
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
    columns = ["metric", *([] if two else ["arm"]), control, others[0] if two else "arm's", "difference"]
    heading = [*columns, f"{percent_level(experiment.options.level)} interval", "adjusted", "narrower by"]
    title = "Before adjustment, as on a dashboard"
    return [Table(heading, rows, title, 1 if two else 2, name="plain")] if rows else []


def _over_days(experiment: Experiment) -> Iterator[Block]:
    begun = date(1970, 1, 1) + timedelta(days=experiment.first_day)
    name = experiment.metrics[0].name
    yield Heading("Over days", "days", "Days")
    for place, e in enumerate(experiment.of(name)):
        drawn = sequence_plot(f"days{place}", f"{name} over days", e.days)
        yield Figure(f"days{place}", f"{_arm(e.arm)} minus {_arm(e.control)}", drawn)
    sentence = (
        f"{name} of all users seen until the end of each day, day 1 being {begun.isoformat()} (UTC). The intervals "
        "hold at every look together: once one of them leaves zero the test may stop. They are not adjusted by what "
        "users did before."
    )
    yield Sentences((sentence,))
    rows = [
        [str(d.day + 1), _arm(e.arm, 30), integer(d.users), signed(d.difference), span(d.low, d.high) or DASH]
        for e in experiment.of(name)
        for d in e.days[-14 if len(experiment.users) == 2 else -3 :]
    ]
    yield Table(["day", "arm", "users", "difference", "interval"], rows, "The last days", 2, name="days")


def segment_tables(experiment: Experiment) -> list[Table]:
    """Return the first metric's effect in each segment; nothing without segments."""
    rows = [
        [
            line(f"{one.name}={one.value or '(none)'}", 40),
            _arm(one.arm, 30),
            integer(one.users),
            signed(one.effect.difference),
            span(one.effect.low, one.effect.high) or DASH,
        ]
        for one in experiment.segments
    ]
    columns = ["segment", "arm", "users", "difference", "interval"]
    name = experiment.metrics[0].name
    return [Table(columns, rows, f"{name} by segment, intervals for one look", 2)] if rows else []


def segment_warning(experiment: Experiment) -> str:
    """Warn that segments raise questions and settle none; "" without segments."""
    if not experiment.segments:
        return ""
    return (
        f"Segments are {count(len(experiment.segments), 'look')} at parts of the users: of 20 parts without any effect "
        "one shows one by chance. Take them as questions for the next test, not as findings."
    )


def _forest(experiment: Experiment, effects: Sequence[ArmEffect], level: str) -> str:
    lines = [
        Line(
            f"{_arm(e.arm, 15)} − {_arm(e.control, 15)}",
            e.effect.difference,
            e.low,
            e.high,
            signed(e.effect.difference),
            bool(e.better),
        )
        for e in effects
    ]
    return forest("effect", f"Differences with {level} intervals", lines, -math.inf, math.inf, zero=True)


def _reasons(experiment: Experiment) -> Iterator[str]:
    """Yield one sentence for each reason that effects have no interval."""
    for why in dict.fromkeys(e.why for e in experiment.effects if e.why):
        names = dict.fromkeys(e.metric.name for e in experiment.effects if e.why == why)
        yield f"There is no interval of {listed([*names])}: {WHY[why]}."


def _unmeasured(experiment: Experiment) -> Iterator[str]:
    """Name the metrics that the log cannot measure, with the reason."""
    for why in dict.fromkeys(experiment.unmeasured.values()):
        names = [name for name, reason in experiment.unmeasured.items() if reason == why]
        yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} not measured: {why}."


def _without_p(experiment: Experiment) -> Iterator[str]:
    """Say why metrics that have an interval have no p."""
    without = [e for e in experiment.effects if not e.why and not math.isfinite(e.p_adjusted)]
    guards = [*dict.fromkeys(e.metric.name for e in without if not math.isnan(e.margin))]
    diagnostics = [*dict.fromkeys(e.metric.name for e in without if math.isnan(e.margin))]
    if diagnostics:
        verb = "has" if len(diagnostics) == 1 else "have"
        yield f"{listed(diagnostics)} {verb} no p: neither direction is better, so nothing is tested."
    if guards:
        verb = "has" if len(guards) == 1 else "have"
        yield f"{listed(guards)} {verb} no p: a guardrail is judged by its interval and its margin."


def _self_check(experiment: Experiment) -> Iterator[str]:
    check = experiment.check
    if check is None:
        return
    allowed = 1 - experiment.options.level
    shares = {name: n / check.splits for name, n in check.found.items()}
    noise = 2 * math.sqrt(allowed * (1 - allowed) / check.splits)
    often = [f"{name} {percent(share)}" for name, share in shares.items() if share > TOO_OFTEN * allowed + noise]
    how = f"Split {check.splits:,} times at random into halves, {check.users:,} users of this log"
    if often:
        yield (
            f"{how} differ too often where there is no difference: {listed(often)} (at most {percent(allowed)} may). "
            "Do not trust these metrics."
        )
    else:
        worst = percent(max(shares.values(), default=0.0))
        yield (
            f"{how} differ in at most {worst} of the splits by any metric, as chance does ({percent(allowed)}): the "
            "tests keep their promise on this log."
        )


def _apart(e: ArmEffect) -> str:
    return (
        f"Of {e.metric.name} the formula's interval ({span(e.plain.low, e.plain.high)}) and that of users drawn again "
        f"({span(*e.bootstrap)}) differ: a few users weigh heavily, and both are rough"
        + ("; only the second holds zero, so nothing is decided." if e.contradicted else ".")
    )


def _arm(name: str, length: int = 40) -> str:
    """Return the name of an arm on one line, with both of its ends if it is long."""
    return short(line(name), length)


def _interval(e: ArmEffect) -> str:
    bounds = span(e.low, e.high)
    return f" ({bounds})" if bounds else ""


def _percent(relative: float) -> str:
    return f"{signed(round(100 * relative, 1)).rstrip('0').rstrip('.')} %" if math.isfinite(relative) else DASH


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
