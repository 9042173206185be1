"""The sentences on an A/B test: its decision, its basis, and whether it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from neraca.counts_and_lists import count, listed
from neraca.number_format import MINUS, exact, integer, number, p_equals, p_value, percent, signed, span
from neraca.online.experiment import ArmEffect, Experiment
from neraca.reports.figures.labels import short
from neraca.reports.formats.visible_text import line
from neraca.reports.online.messages import translated
from neraca.translation import say

#: In a check of A against A, a test is reported if its error rate exceeds the level by this share.
TOO_OFTEN = 1.5
#: Code → the reason that there is no test, in words.
WHY = {
    "no_users": "an arm has no users",
    "one_user": "an arm has a single user",
    "no_denominator": "an arm has nothing to count it by",
    "not_finite": "a value is not finite",
    "no_variance": "it does not vary, all users have the same value",
    "few_users": "with fewer than 20 users in an arm one does not look yet",
}


def title(experiment: Experiment) -> str:
    """Name the arms."""
    arms = [arm_name(arm) for arm in experiment.users]
    if len(arms) < 4:
        return say("A/B test: {arms}", arms=listed(arms))
    return say("A/B test of {n:,} arms against {control}", n=len(arms) - 1, control=arms[0])


def lead(experiment: Experiment) -> str:
    """Return the decision in a sentence."""
    if not experiment.trusted:
        split = split_sentence(experiment)
        return say("Do not trust this test yet: {reason}", reason=split[0].lower() + split[1:])
    deciding = [e for e in experiment.effects if e.decides]
    if not deciding:
        return say("Nothing was measured of which one direction is better, so nothing is decided.")
    primary = [e for e in deciding if e.metric == deciding[0].metric]
    significant = [e for e in primary if e.better]
    sentences = [effect_sentence(e) for e in significant] or [_undecided(primary, experiment)]
    broken = [e for e in experiment.effects if e.guard == "broken"]
    if broken:
        sentences.append(say("But a guardrail is broken: {guards}.", guards=listed([_guard(e) for e in broken])))
    return " ".join(sentences)


def _undecided(effects: list[ArmEffect], experiment: Experiment) -> str:
    """Say that no arm is shown to be better by the first metric."""
    first, control = effects[0], arm_name(experiment.control)
    if len(effects) > 1:
        return say(
            "None of {arms} is shown to be better or worse than {control} by {metric}.",
            arms=count(len(effects), "arm"),
            control=control,
            metric=first.metric.name,
        )
    facts = {"arm": arm_name(first.arm), "control": control, "metric": first.metric.name, "size": _size(first)}
    if first.contradicted:
        return say(
            "It is not decided whether {arm} or {control} is better by {metric}: the difference is {size}, but with "
            "users drawn again it may be zero ({interval}).",
            interval=span(*first.bootstrap),
            **facts,
        )
    return say("It is not decided whether {arm} or {control} is better by {metric}: the difference is {size}.", **facts)


def effect_sentence(e: ArmEffect) -> str:
    """Return one effect in a sentence."""
    plain = relative = ""
    if e.adjusted:
        plain = say(" (before adjustment {arm} against {control})", arm=number(e.plain.b), control=number(e.plain.a))
    if math.isfinite(e.relative):
        relative = f", {relative_change(e.relative)}"
    return say(
        "{better} is better than {worse} by {metric} ({words}): {value} of {arm} against {other} of {control}{plain}"
        "{relative}, a difference of {size}.",
        better=arm_name(e.better),
        worse=arm_name(e.control if e.better == e.arm else e.arm),
        metric=e.metric.name,
        words=translated(e.metric.words),
        value=number(e.effect.b),
        arm=arm_name(e.arm),
        other=number(e.effect.a),
        control=arm_name(e.control),
        plain=plain,
        relative=relative,
        size=_size(e),
    )


def _guard(e: ArmEffect) -> str:
    return say(
        "{metric} of {arm}, {size}, allowed to be worse by {margin}",
        metric=e.metric.name,
        arm=arm_name(e.arm),
        size=_size(e),
        margin=number(e.margin),
    )


def directions(experiment: Experiment) -> Iterator[str]:
    """Say whether the shown effects agree, such as more clicks and fewer reformulations."""
    effects = [e for e in experiment.effects if e.better] if experiment.trusted else []
    if len({e.metric for e in effects}) < 2 or len(experiment.users) > 2:
        return
    metrics_by_arm = {arm: [e.metric.name for e in effects if e.better == arm] for arm in experiment.users}
    parts = [
        say(
            "{metrics} favours {arm}" if len(names) == 1 else "{metrics} favour {arm}",
            metrics=listed(names),
            arm=arm_name(arm),
        )
        for arm, names in metrics_by_arm.items()
        if names
    ]
    if len(parts) > 1:
        yield say(
            "What is shown does not point one way: {parts}. More clicks need not mean more success: people click more "
            "where they do not find, too. Decide which metric stands for what your users came for.",
            parts="; ".join(parts),
        )
        return
    others = [e.metric.name for e in experiment.effects if _points_away(e, effects[0].better)]
    if not others:
        yield say("All that is shown points the same way: {part}.", part=parts[0])
        return
    yield f"{parts[0]}. " + say(
        "{metrics} points the other way, which is not shown to be a difference."
        if len(others) == 1
        else "{metrics} point the other way, which is not shown to be a difference.",
        metrics=listed(others),
    )


def _points_away(e: ArmEffect, arm: str) -> bool:
    """Return whether a metric, by a difference that is not shown, is worse in the arm."""
    if e.better or e.metric.higher_is_better is None or not e.effect.difference:
        return False
    return ((e.effect.difference > 0) == e.metric.higher_is_better) != (arm == e.arm)


def split_sentence(experiment: Experiment) -> str:
    """Say how users divide, and whether that is as planned."""
    facts = {
        "users": divided([*experiment.users.values()]),
        "arms": listed([arm_name(arm) for arm in experiment.users], len(experiment.users)),
        "p": p_equals(experiment.split.p),
    }
    if experiment.trusted:
        return say("Users divide {users} ({arms}), as planned (sample-ratio check, {p}).", **facts)
    return say(
        "Users divide {users} ({arms}), which chance would not do under the planned split (sample-ratio check, {p}). "
        "Something keeps users of one arm out of the log, and they may be of another kind: find the cause (redirects, "
        "crashes, bots, filters on one arm) before you read any effect.",
        **facts,
    )


def divided(users: Sequence[int]) -> str:
    """Write how many users each arm has, such as "985 to 1,011"."""
    return reduce(lambda before, n: say("{a} to {b}", a=before, b=n), map(integer, users))


def checks(experiment: Experiment) -> Iterator[str]:
    """Say whether the test itself is sound: the split, A against A, unscored metrics, adjustment."""
    if experiment.trusted:
        yield split_sentence(experiment)
    if not experiment.options.control:
        yield say("The control is {arm}; --control NAME chooses another arm.", arm=arm_name(experiment.control))
    yield from unmeasured_sentences(experiment.unmeasured)
    yield from _reasons(experiment)
    yield from _without_p(experiment)
    yield from _permuted(experiment)
    if any(e.adjusted for e in experiment.effects):
        yield say(
            "Metrics with * are adjusted by what the same users did before the test (CUPED): their intervals are "
            "narrower. A dashboard shows the values before adjustment. --no-cuped leaves the adjustment out."
        )
    yield from _self_check(experiment)
    if experiment.options.looks == "once":
        yield say(
            "These intervals hold at an end that was planned before the start; who looks earlier needs --looks daily."
        )
    yield from (_apart(e) for e in experiment.effects if e.rough)


def segment_warning(experiment: Experiment) -> str:
    """Warn that segments raise questions and settle none."""
    return say(
        "Segments are {looks} at parts of the users: of 20 parts without any effect one shows one by chance. Take them "
        "as questions for the next test, not as findings.",
        looks=count(len(experiment.segments), "look"),
    )


def _reasons(experiment: Experiment) -> Iterator[str]:
    """Yield one sentence for each reason that effects have no interval."""
    for why in dict.fromkeys(e.why for e in experiment.effects if e.why):
        names = dict.fromkeys(e.metric.name for e in experiment.effects if e.why == why)
        yield say(
            "There is no interval and no test of {metrics}: {reason}.", metrics=listed([*names]), reason=say(WHY[why])
        )


def unmeasured_sentences(reasons: Mapping[str, str]) -> Iterator[str]:
    """Name the metrics that the log cannot measure, with the reason."""
    for reason in dict.fromkeys(reasons.values()):
        names = [name for name, why in reasons.items() if why == reason]
        yield say(
            "{metrics} is not measured: {reason}." if len(names) == 1 else "{metrics} are not measured: {reason}.",
            metrics=listed(names),
            reason=translated(reason),
        )


def _without_p(experiment: Experiment) -> Iterator[str]:
    """Say why metrics that have an interval have no p."""
    without_p = [e for e in experiment.effects if not e.why and not math.isfinite(e.p_adjusted)]
    guards = [*dict.fromkeys(e.metric.name for e in without_p if not math.isnan(e.margin))]
    diagnostics = [*dict.fromkeys(e.metric.name for e in without_p if math.isnan(e.margin))]
    if diagnostics:
        yield say(
            "{metrics} has no p: neither direction is better, so nothing is tested."
            if len(diagnostics) == 1
            else "{metrics} have no p: neither direction is better, so nothing is tested.",
            metrics=listed(diagnostics),
        )
    if guards:
        yield say(
            "{metrics} has no p: a guardrail is judged by its interval and its margin."
            if len(guards) == 1
            else "{metrics} have no p: a guardrail is judged by its interval and its margin.",
            metrics=listed(guards),
        )


def _permuted(experiment: Experiment) -> Iterator[str]:
    """Give p by exchanging users between arms, if there are few."""
    several = len(experiment.users) > 2
    p = [
        f"{e.metric.name}{f' ({arm_name(e.arm, 20)})' if several else ''} {p_value(e.p_permuted)}"
        for e in experiment.effects
        if math.isfinite(e.p_permuted)
    ]
    if p:
        yield say(
            "Users are few, so they were exchanged between the arms, which assumes nothing about how they vary "
            "(permutation test, one look): p of {p}. An arm is called better only if this p, too, is below {allowed}.",
            p=listed(p, len(p)),
            allowed=percent(1 - experiment.options.level),
        )


def _self_check(experiment: Experiment) -> Iterator[str]:
    check = experiment.check
    if check is None:
        return
    allowed = 1 - experiment.options.level
    shares = {name: n / check.splits for name, n in check.found.items()}
    noise = 2 * math.sqrt(allowed * (1 - allowed) / check.splits)
    too_often = [f"{name} {percent(share)}" for name, share in shares.items() if share > TOO_OFTEN * allowed + noise]
    facts = {"splits": check.splits, "users": check.users, "allowed": percent(allowed)}
    if too_often:
        yield say(
            "Split {splits:,} times at random into halves, {users:,} users of this log differ too often where there is "
            "no difference: {metrics} (at most {allowed} may). Do not trust these metrics.",
            metrics=listed(too_often),
            **facts,
        )
    else:
        yield say(
            "Split {splits:,} times at random into halves, {users:,} users of this log differ in at most {worst} of "
            "the splits by any metric, as chance does ({allowed}): the tests keep their promise on this log.",
            worst=percent(max(shares.values(), default=0.0)),
            **facts,
        )


def _apart(e: ArmEffect) -> str:
    facts = {
        "metric": e.metric.name,
        "formula": span(e.plain.low, e.plain.high),
        "bootstrap": span(*e.bootstrap),
    }
    if e.contradicted:
        return say(
            "Of {metric} the formula's interval ({formula}) and that of users drawn again ({bootstrap}) differ: a few "
            "users weigh heavily, and both are rough; only the second holds zero, so nothing is decided.",
            **facts,
        )
    return say(
        "Of {metric} the formula's interval ({formula}) and that of users drawn again ({bootstrap}) differ: a few "
        "users weigh heavily, and both are rough.",
        **facts,
    )


def arm_name(name: str, length: int = 40) -> str:
    """Return the name of an arm on one line, with both of its ends if it is long."""
    return short(line(name), length)


def relative_change(relative: float) -> str:
    """Write a relative change in per cent, with at most one decimal.

    >>> relative_change(0.1234), relative_change(-0.5), relative_change(10)
    ('+12.3 %', '−50 %', '+1,000 %')
    """
    rounded = round(100 * relative, 1)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else ""
    return f"{sign}{exact(abs(rounded))} %"


def _size(e: ArmEffect) -> str:
    """Return the difference, with its interval if there is one."""
    bounds = span(e.low, e.high)
    return f"{signed(e.effect.difference)} ({bounds})" if bounds else signed(e.effect.difference)
