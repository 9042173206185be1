import math

import numpy as np
import pytest

from neraca.stats.intervals.rogan_gladen import rogan_gladen


def items(right, missed, wrong, rejected, ones, zeros):
    """Labels and values: of those that people call 1 and 0 how many the judge calls 1 and 0, and the unlabelled."""
    labels = np.repeat([1.0, 1, 0, 0, np.nan, np.nan], [right, missed, wrong, rejected, ones, zeros])
    return labels, np.repeat([1.0, 0, 1, 0, 1, 0], [right, missed, wrong, rejected, ones, zeros])


def test_the_value_is_that_of_judgy():
    # judgy 0.1.0: estimate_success_rate of these labels, with a share of 60 of 100 among all: 0.49090909090909096
    labels, values = items(10, 2, 3, 5, 47, 33)
    assert rogan_gladen(labels, values).value == pytest.approx(0.49090909090909096, abs=1e-12)


def test_the_interval_is_that_of_lang_and_reiczigel():
    # 200 items of which 100 are 1; Se = 18 of 20, Sp = 24 of 30.  By the paper, with z² = 3.841459:
    # p' = .5, n' = 203.8415; Se' = 19/22; Sp' = 25/32; theta' = (.5 + .78125 - 1) / (.6448864) = .4361233
    labels, values = items(18, 2, 6, 24, 76, 74)
    z2 = 3.841458820694124
    theta = (0.5 + 25 / 32 - 1) / (19 / 22 + 25 / 32 - 1)
    yes, no = 19 / 22 * 3 / 22 / 22, 25 / 32 * 7 / 32 / 32
    middle = theta + 2 * z2 * (theta * yes - (1 - theta) * no)
    half = math.sqrt(z2 * (0.25 / (200 + z2) + theta**2 * yes + (1 - theta) ** 2 * no)) / (19 / 22 + 25 / 32 - 1)
    result = rogan_gladen(labels, values)
    assert (result.low, result.high) == pytest.approx((middle - half, middle + half), abs=1e-9)
    assert (result.value, result.labels, result.items) == (pytest.approx(0.3 / 0.7), 50, 200)
    assert (result.sensitivity, result.specificity) == (0.9, 0.8)


def test_sessions_widen_it():
    labels, values = items(18, 2, 6, 24, 76, 74)
    alone, together = (rogan_gladen(labels, values, clusters=c) for c in (np.arange(200), np.arange(200) // 4))
    assert alone == rogan_gladen(labels, values)
    assert together.high - together.low > 1.2 * (alone.high - alone.low)


def test_a_judge_no_better_than_chance_and_labels_all_the_same_give_nothing():
    assert math.isnan(rogan_gladen(*items(2, 2, 2, 2, 5, 5)).value)
    assert math.isnan(rogan_gladen(*items(5, 2, 0, 0, 5, 5)).value)


def test_it_stays_within_0_and_1():
    result = rogan_gladen(*items(10, 0, 5, 5, 0, 60))
    assert (result.value, result.low) == (0, 0)
