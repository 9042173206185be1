"""The two-way analysis of variance by question, beside statsmodels and by hand."""

import math

import numpy as np
import pytest

from neraca.stats.tests.two_way import two_way


@pytest.mark.parametrize("shape", [(12, 2, 2), (7, 3, 2), (9, 3, 4)])
def test_statistics_are_those_of_statsmodels(shape):
    pandas = pytest.importorskip("pandas")
    anova = pytest.importorskip("statsmodels.stats.anova")
    n, a, b = shape
    chance = np.random.default_rng(0)
    values = chance.normal(size=shape) + chance.normal(size=(n, 1, 1)) + np.arange(a)[:, None] * 0.4
    rows = [(i, j, k, values[i, j, k]) for i in range(n) for j in range(a) for k in range(b)]
    table = pandas.DataFrame(rows, columns=["question", "prompt", "model", "value"])
    expected = anova.AnovaRM(table, "value", "question", within=["prompt", "model"]).fit().anova_table
    for effect, (_, row) in zip(two_way(values), expected.iterrows(), strict=True):
        assert effect.f == pytest.approx(row["F Value"])
        assert (effect.df, effect.df_error) == (row["Num DF"], row["Den DF"])
        if effect.epsilon == 1:
            assert effect.p == pytest.approx(row["Pr > F"])
        else:
            assert 1 / effect.df <= effect.epsilon < 1


def test_two_levels_are_the_paired_t_test():
    from scipy.stats import ttest_rel

    values = np.random.default_rng(1).normal([[0.0, 0.3], [0.5, 0.9]], size=(15, 2, 2))
    first, second, _ = two_way(values)
    assert first.p == pytest.approx(ttest_rel(values[:, 0].mean(axis=1), values[:, 1].mean(axis=1)).pvalue)
    assert second.p == pytest.approx(ttest_rel(values[:, :, 0].mean(axis=1), values[:, :, 1].mean(axis=1)).pvalue)


def test_shares_by_hand():
    """Means 0, 2 / 4, 6: the rows differ by 4, the columns by 2, so their squares are as 16 to 4."""
    means = np.array([[0.0, 2.0], [4.0, 6.0]])
    effects = two_way(means[None] + np.array([[[-1.0]], [[0.0]], [[1.0]]]))
    assert [effect.share for effect in effects] == pytest.approx([0.8, 0.2, 0.0])
    assert [effect.p for effect in effects[:2]] == [0.0, 0.0], "every question says the same"
    assert math.isnan(effects[2].p)


def test_the_correction_by_hand():
    """Contrasts with variances 2 and 1 that do not covary: (2 + 1)² / (2 (4 + 1)) = 0.9."""
    root2, root6 = math.sqrt(2), math.sqrt(6)
    contrasts = np.array([[1 / root2, -1 / root2, 0], [1 / root6, 1 / root6, -2 / root6]])
    z = np.array([[root2, 0], [-root2, 0], [0, 1], [0, -1]])
    by_level = z @ contrasts  # (4, 3), with these contrasts
    values = np.stack([by_level, by_level], axis=2)
    first, *_ = two_way(values)
    assert first.epsilon == pytest.approx(0.9)


def test_equal_cells_have_no_shares_and_one_question_no_test():
    effects = two_way(np.ones((4, 2, 3)))
    assert all(math.isnan(effect.share) and math.isnan(effect.p) for effect in effects)
    (first, _, _) = two_way(np.array([[[0.0, 0.0], [1.0, 1.0]]]))
    assert first.share == 1
    assert math.isnan(first.p)


def test_order_of_questions_and_of_factors_changes_nothing():
    values = np.random.default_rng(2).normal(size=(8, 2, 3))
    effects, turned = two_way(values), two_way(values[::-1].transpose(0, 2, 1))
    for one, other in zip(effects, (turned[1], turned[0], turned[2]), strict=True):
        assert (one.f, one.p, one.share) == pytest.approx((other.f, other.p, other.share))
