"""Analyse an A/B test from its log: the effect of each arm, its interval, and checks of the test itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.ab_measurable import DOUBTFUL, FEWEST_USERS, doubts, two_rules, unmeasured_metrics
from neraca.online.ab_metrics import OF_CONVERSIONS, USUAL, OnlineMetric, online_metrics
from neraca.online.ab_sums import ArmSums, ExperimentSums, experiment_sums
from neraca.online.experiment import AbOptions, ArmEffect, DayEffect, Experiment, Segment, SelfCheck
from neraca.online.search_log import SearchLog
from neraca.online.times import written_time
from neraca.stats.daily_moments import DailyMoments
from neraca.stats.intervals.confidence_sequence import always_valid
from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import moments_of_halves
from neraca.stats.tests.arm_permutation import arm_permutation
from neraca.stats.tests.correction import holm
from neraca.stats.tests.cuped import narrowest_effect
from neraca.stats.tests.ratio_test import ratio_p_values, ratio_test
from neraca.stats.tests.sample_ratio import sample_ratio
from neraca.stats.tests.user_bootstrap import bootstrap_differences

#: Splits of the users that are tested at a time.
SPLITS = 20
#: Names of arms that are taken for the control; without one of them, the first name in the alphabet is.
NAMES_OF_CONTROLS = {"control", "baseline", "base", "default", "current", "old", "off", "none", "original"}


def ab(log: SearchLog, metrics: Sequence[str] = (), options: AbOptions | None = None) -> Experiment:
    """Analyse the log of an A/B test.

    Parameters
    ----------
    log
        A log whose searches name the arm of their user.
    metrics
        Names that `online_metric` accepts, the deciding metric first; default the usual ones.
    options
        Settings of the analysis.

    Raises
    ------
    InputError
        The log has no event or fewer than two arms, or it lacks the data for a metric.
    SpecError
        A metric or an arm is unknown.
    """
    options = options or AbOptions()
    chosen = online_metrics(metrics) or online_metrics([*USUAL, *OF_CONVERSIONS])
    chosen += [metric for metric in online_metrics([*options.guards]) if metric not in chosen]
    sums = experiment_sums(log, chosen)
    arms = _control_first(sums, log, options)
    required = [metric.name for metric in chosen] if metrics else [*options.guards]
    unmeasured = unmeasured_metrics(log, chosen, required, sums.contents, two_rules(sums, arms))
    if not metrics:
        chosen, sums = _without_metrics(chosen, sums, unmeasured)
    users = {arm: sums.arms[arm].users for arm in arms}
    planned = [options.shares.get(arm, 1.0) if options.shares else 1.0 for arm in arms]
    return Experiment(
        users=users,
        split=sample_ratio([*users.values()], planned),
        effects=_corrected(_effects(sums, arms, chosen, options)),
        segments=_segments(sums, arms, chosen, options),
        check=_self_check(sums, chosen, options),
        exclusions=tuple(log.exclusions),
        options=options,
        events=log.events,
        contents=sums.contents,
        earlier=sums.earlier,
        unused=tuple(log.unused),
        unmeasured=unmeasured,
        doubts=doubts(sums, arms, log, chosen),
        first_day=sums.first_day,
        metrics=tuple(chosen),
    )


def _control_first(sums: ExperimentSums, log: SearchLog, options: AbOptions) -> list[str]:
    """Return the names of the arms, the control first."""
    by_name = sorted(sums.arms, key=lambda arm: (arm.casefold() not in NAMES_OF_CONTROLS, arm))
    arms = [arm for arm in log.options.arms if arm in sums.arms] or by_name
    if len(arms) < 2:
        raise InputError(_why_no_arms(arms, log))
    control = options.control or arms[0]
    for arm in (control, *options.shares):
        if arm not in arms:
            raise SpecError(f"no arm is called {arm!r}; there are: {', '.join(arms)}")
    if options.shares and len(options.shares) < len(arms):
        missing = [arm for arm in arms if arm not in options.shares]
        raise SpecError(f"--share {missing[0]}: give the planned share of every arm, or of none")
    return [control, *(arm for arm in arms if arm != control)]


def _why_no_arms(arms: Sequence[str], log: SearchLog) -> str:
    """Say why there are fewer than two arms, and what to do."""
    left_out = next((e for e in log.exclusions if e.reason in ("no_time", "no_user", "broken") and not arms), None)
    if left_out is not None and left_out.n > log.events / 2:
        example = f" (the first: {left_out.example})" if left_out.example else ""
        return f"{left_out.n:,} of {log.events:,} events cannot be used: {left_out.what}{example}; {left_out.remedy}"
    options = log.options
    if not arms and (math.isfinite(options.since) or math.isfinite(options.until)):
        times = [written_time(at, "%Y-%m-%d") for at in (log.window.first, log.window.last)]
        return (
            f"no event in an arm lies between --since and --until; give other dates: the events of the log are from "
            f"{times[0]} to {times[1]} (UTC)"
        )
    present = f"only {arms[0]!r}" if arms else "none"
    fields = [fields.fields["variant"] for _, fields in log.fields if "variant" in fields.fields]
    counts = {exclusion.reason: exclusion for exclusion in log.exclusions}
    name_it = "name the field that holds the arm: --column variant=FIELD"
    if fields and (several := counts.get("both_arms")):
        return (
            f"{several.n:,} {several.what}, are left out, and then the log has {present}: {fields[0]!r} must hold the "
            f"same arm in all rows of a user, or be empty; {name_it}"
        )
    cells = ""
    if (without_arm := counts.get("no_arm")) and arms:
        cells = f" ({without_arm.searches:,} searches have an empty one)"
    read = f": {fields[0]!r} is empty in every search" if fields and not arms else ""
    return f"an A/B test compares two arms, and the log has {present}{cells}{read}; {name_it}"


def _without_metrics(
    metrics: list[OnlineMetric], sums: ExperimentSums, unmeasured: Mapping[str, str]
) -> tuple[list[OnlineMetric], ExperimentSums]:
    """Leave out metrics that cannot be measured, and those of conversions if the log has no conversions."""
    empty = [
        index
        for index, metric in enumerate(metrics)
        if metric.name in unmeasured
        or (metric.name in OF_CONVERSIONS and all(arm.moments[index].mean[0] == 0 for arm in sums.arms.values()))
    ]
    nonempty = [index for index in range(len(metrics)) if index not in empty]
    return [metrics[index] for index in nonempty], sums.of_metrics(nonempty)


def _effects(
    sums: ExperimentSums, arms: Sequence[str], metrics: Sequence[OnlineMetric], options: AbOptions
) -> list[ArmEffect]:
    control = sums.arms[arms[0]]
    effects = []
    for arm in arms[1:]:
        pair = control, sums.arms[arm]
        intervals = bootstrap_differences(pair[0].buckets, pair[1].buckets, level=options.level, seed=options.seed)
        for index, metric in enumerate(metrics):
            effect = _effect(index, metric, (arms[0], arm), pair, options, sums.before and options.cuped)
            resampled = intervals[index]
            bootstrap = (math.nan, math.nan) if effect.plain.why else (resampled.low, resampled.high)
            permuted = _permuted(sums, (arms[0], arm), index, options.seed) if effect.decides else math.nan
            effects.append(replace(effect, bootstrap=bootstrap, p_permuted=permuted))
    order = [metric.name for metric in metrics]
    return sorted(effects, key=lambda e: order.index(e.metric.name))


def _permuted(sums: ExperimentSums, arms: tuple[str, str], index: int, seed: int) -> float:
    """Return p by exchanging users between two arms, if they are so few that the test is doubted; else NaN."""
    users = [sums.arms[arm].users for arm in arms]
    if not min(users) < FEWEST_USERS or max(users) >= DOUBTFUL:
        return math.nan
    a, b = (sums.sample[sums.sample_arms == arm, index] for arm in arms)
    return arm_permutation(a, b, seed)


def _effect(
    index: int,
    metric: OnlineMetric,
    names: tuple[str, str],
    sums: tuple[ArmSums, ArmSums],
    options: AbOptions,
    cuped: bool,
) -> ArmEffect:
    """Return the effect of one arm on one metric, adjusted by what users did before the experiment if that helps."""
    a, b = (arm.moments[index] for arm in sums)
    tested = [0.0, *(sign * options.guards[metric.name] for sign in (-1, 1) if metric.name in options.guards)]
    unadjusted = ratio_test(a, b, level=options.level)
    adjusts = cuped and not unadjusted.why  # history cannot explain a metric that does not vary
    effect, covariates = narrowest_effect(a, b, level=options.level) if adjusts else (unadjusted, ())
    plain, valid = unadjusted, effect
    if options.looks == "daily":
        plain, valid = (always_valid(e, options.tuned_for, options.level) for e in (plain, valid))
    unadjusted, plain, effect, valid = (
        e.within(metric.limits_of_difference, tested) for e in (unadjusted, plain, effect, valid)
    )
    return ArmEffect(
        metric=metric,
        control=names[0],
        arm=names[1],
        plain=unadjusted,
        effect=effect,
        adjusted=bool(covariates),
        plain_bounds=(plain.low, plain.high),
        why=valid.why,
        low=valid.low,
        high=valid.high,
        p=valid.p,
        p_adjusted=valid.p,
        bootstrap=(math.nan, math.nan),
        days=_days(metric, sums[0].days[index], sums[1].days[index], options),
        margin=options.guards.get(metric.name, math.nan),
        alpha=1 - options.level,
    )


def _days(metric: OnlineMetric, a: DailyMoments, b: DailyMoments, options: AbOptions) -> tuple[DayEffect, ...]:
    """Return the difference at the end of each day. An arm without later events keeps the value of its last day."""
    days = []
    for day in range(max(a.days, b.days)):
        effect = ratio_test(a.at(0, min(day, a.days - 1)), b.at(0, min(day, b.days - 1)), level=options.level)
        at_every_look = always_valid(effect, options.tuned_for, options.level)
        bounded = at_every_look.within(metric.limits_of_difference)
        days.append(DayEffect(day, effect.n, effect.difference, bounded.low, bounded.high))
    return tuple(days)


def _corrected(effects: Sequence[ArmEffect]) -> tuple[ArmEffect, ...]:
    """Adjust p-values by Holm's method: one family for the first metric, another for all other metrics."""
    deciding = [e for e in effects if e.decides]
    adjusted_p: dict[tuple[str, str], float] = {}
    for first in (True, False):
        family = [e for e in deciding if (e.metric == deciding[0].metric) == first]
        p = holm(np.array([e.p for e in family]))
        adjusted_p |= {(e.metric.name, e.arm): float(value) for e, value in zip(family, p, strict=True)}
    return tuple(replace(e, p_adjusted=adjusted_p.get((e.metric.name, e.arm), math.nan)) for e in effects)


def _segments(
    sums: ExperimentSums, arms: Sequence[str], metrics: Sequence[OnlineMetric], options: AbOptions
) -> tuple[Segment, ...]:
    """Return the effect on the first metric for each value of each segment, without adjustment."""
    control, segments = sums.arms[arms[0]], []
    for name, values in control.segments.items():
        for value, of_control in values.items():
            for arm in arms[1:]:
                of_arm = sums.arms[arm].segments.get(name, {}).get(value)
                if of_arm is None:
                    continue
                effect = ratio_test(of_control[0], of_arm[0], level=options.level)
                effect = effect.within(metrics[0].limits_of_difference)
                segments.append(Segment(name, value, effect.n, metrics[0], arm, effect))
    return tuple(sorted(segments, key=lambda segment: (segment.name, -segment.users)))


def _self_check(sums: ExperimentSums, metrics: Sequence[OnlineMetric], options: AbOptions) -> SelfCheck | None:
    """Test random halves of the users against each other, many times, and count significant differences."""
    sample: Floats = sums.sample
    if not options.checks or len(sample) < 100:
        return None
    rng = np.random.default_rng(options.seed)
    significant = dict.fromkeys((metric.name for metric in metrics), 0)
    for start in range(0, options.checks, SPLITS):
        halves = rng.random((min(SPLITS, options.checks - start), len(sample))) < 0.5
        for index, metric in enumerate(metrics):
            p = ratio_p_values(*moments_of_halves(sample[:, index], halves))
            significant[metric.name] += int((p < 1 - options.level).sum())
    return SelfCheck(options.checks, len(sample), significant)
