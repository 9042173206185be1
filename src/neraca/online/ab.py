"""An A/B test from its log: how the arms differ in what users do, how sure, and whether the test itself is sound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.ab_metrics import OF_CONVERSIONS, USUAL, OnlineMetric, online_metrics
from neraca.online.ab_sums import ArmSums, ExperimentSums, experiment_sums
from neraca.online.experiment import AbOptions, ArmEffect, DayEffect, Experiment, Segment, SelfCheck
from neraca.online.search_log import SearchLog
from neraca.stats.confidence_sequence import always_valid
from neraca.stats.correction import holm
from neraca.stats.daily_moments import DailyMoments
from neraca.stats.interval import Floats
from neraca.stats.moments import Moments
from neraca.stats.ratio_test import adjusted, ratio_test
from neraca.stats.sample_ratio import sample_ratio
from neraca.stats.user_bootstrap import bootstrap_differences


def ab(log: SearchLog, metrics: Sequence[str] = (), options: AbOptions | None = None) -> Experiment:
    """Analyse the log of an A/B test.

    Parameters
    ----------
    log
        In which searches say the arm of their user.
    metrics
        Names as of `online_metric`, the one that decides first; default the usual ones.
    options
        How it is analysed.

    Raises
    ------
    InputError
        There are not two arms, or no event at all.
    SpecError
        A metric or an arm is unknown.
    """
    options = options or AbOptions()
    chosen = online_metrics(metrics) or online_metrics([*USUAL, *OF_CONVERSIONS])
    chosen += [metric for metric in online_metrics([*options.guards]) if metric not in chosen]
    sums = experiment_sums(log, chosen)
    arms = _ordered(sums, log, options)
    if not metrics:
        chosen, sums = _without_conversions(chosen, sums)
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
        first_day=sums.first_day,
        metrics=tuple(chosen),
    )


def _ordered(sums: ExperimentSums, log: SearchLog, options: AbOptions) -> list[str]:
    """The arms, the control first."""
    there = [arm for arm in log.options.arms if arm in sums.arms] or sorted(sums.arms)
    if len(there) < 2:
        found = f"only {there[0]!r}" if there else "none"
        raise InputError(
            f"an A/B test compares two arms, and the log has {found}; name the field that says the arm: "
            "--column variant=FIELD"
        )
    control = options.control or there[0]
    for arm in (control, *options.shares):
        if arm not in there:
            raise SpecError(f"no arm is called {arm!r}; there are: {', '.join(there)}")
    if options.shares and len(options.shares) < len(there):
        missing = [arm for arm in there if arm not in options.shares]
        raise SpecError(f"--share {missing[0]}: give the planned share of every arm, or of none")
    return [control, *(arm for arm in there if arm != control)]


def _without_conversions(
    metrics: list[OnlineMetric], sums: ExperimentSums
) -> tuple[list[OnlineMetric], ExperimentSums]:
    """Leave out metrics of conversions where there are none."""
    empty = [
        place
        for place, metric in enumerate(metrics)
        if metric.name in OF_CONVERSIONS and all(arm.moments[place].mean[0] == 0 for arm in sums.arms.values())
    ]
    kept = [place for place in range(len(metrics)) if place not in empty]
    return [metrics[place] for place in kept], sums.of_metrics(kept)


def _effects(
    sums: ExperimentSums, arms: Sequence[str], metrics: Sequence[OnlineMetric], options: AbOptions
) -> list[ArmEffect]:
    control = sums.arms[arms[0]]
    effects = []
    for arm in arms[1:]:
        pair = control, sums.arms[arm]
        drawn = bootstrap_differences(pair[0].buckets, pair[1].buckets, level=options.level, seed=options.seed)
        for place, metric in enumerate(metrics):
            effect = _effect(place, metric, (arms[0], arm), pair, options, sums.before)
            effects.append(replace(effect, bootstrap=(drawn[place].low, drawn[place].high)))
    order = [metric.name for metric in metrics]
    return sorted(effects, key=lambda e: order.index(e.metric.name))


def _effect(
    place: int,
    metric: OnlineMetric,
    names: tuple[str, str],
    sums: tuple[ArmSums, ArmSums],
    options: AbOptions,
    before: bool,
) -> ArmEffect:
    """How one arm differs from the control in one metric."""
    a, b = (arm.moments[place] for arm in sums)
    tested = [0.0, *(sign * options.guards[metric.name] for sign in (-1, 1) if metric.name in options.guards)]
    plain = ratio_test(a, b, level=options.level)
    by_before = ratio_test(*adjusted(a, b), level=options.level) if before else plain
    effect = plain if by_before.why else by_before
    counted = always_valid(effect, options.tuned_for, options.level) if options.looks == "daily" else effect
    plain, effect, counted = (one.within(metric.limits_of_difference, tested) for one in (plain, effect, counted))
    return ArmEffect(
        metric=metric,
        control=names[0],
        arm=names[1],
        plain=plain,
        effect=effect,
        adjusted=before and not by_before.why,
        why=counted.why,
        low=counted.low,
        high=counted.high,
        p=counted.p,
        p_adjusted=counted.p,
        bootstrap=(math.nan, math.nan),
        days=_days(metric, sums[0].days[place], sums[1].days[place], options),
        margin=options.guards.get(metric.name, math.nan),
        alpha=1 - options.level,
    )


def _days(metric: OnlineMetric, a: DailyMoments, b: DailyMoments, options: AbOptions) -> tuple[DayEffect, ...]:
    """The difference at the end of each day; where one arm has no more events, its last day holds on."""
    days = []
    for day in range(max(a.days, b.days)):
        effect = ratio_test(a.at(0, min(day, a.days - 1)), b.at(0, min(day, b.days - 1)), level=options.level)
        at_every_look = always_valid(effect, options.tuned_for, options.level)
        shown = at_every_look.within(metric.limits_of_difference)
        days.append(DayEffect(day, effect.n, effect.difference, shown.low, shown.high))
    return tuple(days)


def _corrected(effects: Sequence[ArmEffect]) -> tuple[ArmEffect, ...]:
    """Correct p by Holm: of the first metric over its arms, of all others together."""
    deciding = [e for e in effects if e.decides]
    adjusted_p: dict[tuple[str, str], float] = {}
    for first in (True, False):
        family = [e for e in deciding if (e.metric == deciding[0].metric) == first]
        p = holm(np.array([e.p for e in family]))
        adjusted_p |= {(e.metric.name, e.arm): float(one) for e, one in zip(family, p, strict=True)}
    return tuple(replace(e, p_adjusted=adjusted_p.get((e.metric.name, e.arm), math.nan)) for e in effects)


def _segments(
    sums: ExperimentSums, arms: Sequence[str], metrics: Sequence[OnlineMetric], options: AbOptions
) -> tuple[Segment, ...]:
    """The first metric's effect for each value of each segment, by the plain test."""
    control, found = sums.arms[arms[0]], []
    for name, values in control.segments.items():
        for value, moments in values.items():
            for arm in arms[1:]:
                other = sums.arms[arm].segments.get(name, {}).get(value)
                if other is None:
                    continue
                effect = ratio_test(moments[0], other[0], level=options.level)
                effect = effect.within(metrics[0].limits_of_difference)
                found.append(Segment(name, value, effect.n, metrics[0], arm, effect))
    return tuple(sorted(found, key=lambda one: (one.name, -one.users)))


def _self_check(sums: ExperimentSums, metrics: Sequence[OnlineMetric], options: AbOptions) -> SelfCheck | None:
    """Split users of the log at random in two halves, again and again, and test them against each other."""
    sample: Floats = sums.sample
    if not options.checks or len(sample) < 100:
        return None
    rng = np.random.default_rng(options.seed)
    found = dict.fromkeys((metric.name for metric in metrics), 0)
    for _ in range(options.checks):
        half = rng.random(len(sample)) < 0.5
        for place, metric in enumerate(metrics):
            pair = (Moments.of(sample[side, place]) for side in (half, ~half))
            found[metric.name] += ratio_test(*pair, level=options.level).p < 1 - options.level
    return SelfCheck(options.checks, len(sample), found)
