"""Tell a change of the mix of turns from a change of quality, by weighting later turns to the mix of the reference.

This is post-stratification: the later mean of each group, such as a language, gets the share that the group has in the
reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neraca.categorical import Categorical
from neraca.comparisons.drift_periods import Periods
from neraca.comparisons.drift_result import GroupShift, MixShift, StratumShare
from neraca.comparisons.turns_in_time import ANSWERED, CATEGORY, LANGUAGE, LENGTH, TurnsInTime, lengths
from neraca.datasets.columns import tag_named
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.stats.intervals.interval import mean
from neraca.stats.intervals.reference_difference import period_mean, reference_difference

#: With more values a tag is no mix but a name of each turn.
MOST_STRATA = 50


def factors_of(periods: Periods, turns: TurnsInTime, tags: Sequence[str]) -> dict[str, Categorical]:
    """Return the groups of turns whose mix is looked at: name → the group of each turn.

    These are the tags asked for, and the category, the language, the length of the question, and whether there is an
    answer.  Those of which all turns are in one group, or that have more than `MOST_STRATA` groups, are left out.

    Raise `SpecError` if no question has a tag asked for.
    """
    run_tags = periods.run.tags
    tags = [tag_named(tag, run_tags) for tag in tags]
    for tag in tags:
        if tag not in run_tags:
            tag_names = ", ".join(sorted(run_tags)) or "none"
            raise SpecError(f"no item has the tag {tag!r} to group by; known: {tag_names}")
    names = dict.fromkeys([*tags, CATEGORY, LANGUAGE])
    factors = {name: run_tags[name] for name in names if name in run_tags}
    if LANGUAGE not in factors and (languages := turns.languages) is not None:
        factors[LANGUAGE] = languages
    factors[LENGTH] = lengths(turns.words, periods.in_reference)
    factors[ANSWERED] = Categorical.of(("unanswered", "answered")[has] for has in turns.answered.tolist())
    timed = periods.in_reference | periods.since
    sizes = {name: len(np.unique(column.codes[timed])) for name, column in factors.items()}
    return {name: column for name, column in factors.items() if 1 < sizes[name] <= MOST_STRATA}


def stratum_shares(periods: Periods, factors: Mapping[str, Categorical]) -> list[StratumShare]:
    """Return the share of each group in the reference and since, the largest of the reference first."""
    reference, since = periods.in_reference, periods.since
    shares = []
    for factor, column in factors.items():
        sizes = [np.bincount(column.codes[rows], minlength=len(column.words)) for rows in (reference, since)]
        of_factor = [
            StratumShare(
                factor=factor,
                stratum=word,
                reference=float(before / max(1, reference.sum())),
                since=float(after / max(1, since.sum())),
                n_reference=before,
                n_since=after,
            )
            for word, before, after in zip(column.words, *(counts.tolist() for counts in sizes), strict=True)
            if before or after
        ]
        shares += sorted(of_factor, key=lambda share: (-share.n_reference, -share.n_since, share.stratum))
    return shares


def mix_shift(periods: Periods, metric: Metric, factor: str, column: Categorical) -> MixShift | None:
    """Return a metric's difference with the mix of the reference; None if it is no mean, or nothing is scored."""
    values = periods.run.values(metric)
    raw = periods.difference(metric, periods.since)
    rows = periods.run.rows(metric)
    if raw is None or metric.total is not mean or not bool((rows[~np.isnan(rows).any(axis=1), -1] == 1).all()):
        return None
    scored = ~np.isnan(values)
    codes, k = column.codes.astype(np.int64), len(column.words)
    parts = periods.in_reference & scored, periods.since & scored
    before, after = (np.bincount(codes[part], minlength=k) for part in parts)
    common = (before > 0) & (after > 0)
    new, gone = int(after[before == 0].sum()), float(before[after == 0].sum() / before.sum())
    result = MixShift(factor=factor, metric=str(metric), raw=raw.difference, reweighted=None, new=new, gone=gone)
    if not common.any():
        return result
    shares = np.where(common, before, 0) / before[common].sum()
    reference, since = (
        period_mean(
            values[rows],
            periods.run.clusters[rows],
            metric.definition.limits,
            strata=codes[rows],
            shares=shares,
            count=periods.sessions,
        )
        for rows in (part & common[codes] for part in parts)
    )
    limits = metric.definition.limits_of_difference
    difference = reference_difference(reference, since, 0, limits, periods.scores.level)
    return replace(result, reweighted=periods.unadjusted(metric, difference))


def group_shifts(periods: Periods, metric: Metric, tag: str) -> list[GroupShift]:
    """Return a metric's difference since the reference for each value of a tag, the most frequent ones first."""
    column = periods.run.tags[tag]
    scored = ~np.isnan(periods.run.rows(metric)).any(axis=1)
    shifts = []
    for code, word in enumerate(column.words):
        within = column.codes == code
        difference = periods.difference(metric, periods.since & within, within=within)
        if difference is not None:
            shifts.append(
                GroupShift(
                    tag=tag,
                    value=word,
                    metric=str(metric),
                    n_reference=int((periods.in_reference & within & scored).sum()),
                    n_since=int((periods.since & within & scored).sum()),
                    shift=periods.unadjusted(metric, difference),
                )
            )
    return sorted(shifts, key=lambda group: (-group.n_reference - group.n_since, group.value))
