"""What users did before an A/B test: plain and adjusted values, users without history, tea-tasting on the same log."""

import numpy as np
import polars as pl
import pytest
import tea_tasting as tt
from online.test_ab import AT, DAY, click, experiment, search

from neraca.stats.moments import Moments
from neraca.stats.tests.cuped import narrowest_effect

METRICS = ("click_through", "searches", "revenue", "conversion")


@pytest.fixture(scope="module")
def rows():
    """A log of 300 users, of whom a third came only after the start; these search more and click less."""
    rng = np.random.default_rng(8)
    made = []
    for u in range(300):
        arm, habit, new = "AB"[u % 2], rng.beta(2, 2), u % 3 == 0
        activity = rng.gamma(2.0, 2.0)
        for n in range(1 + rng.poisson(activity + 3 * new)):
            made += _visit(rng, f"u{u}", arm, n, AT + 20 * DAY + n * 3600, habit * (0.5 if new else 1))
        for n in range(100, 100 if new else 101 + rng.poisson(activity)):
            made += _visit(rng, f"u{u}", "", n, AT + (n - 100) * 3600, habit)
    return made


def _visit(rng, user, arm, n, at, rate):
    yield search(user, arm, n, at, session=f"{user}-{n}")
    if rng.random() < rate:
        yield click(user, n, at + 5, session=f"{user}-{n}")
    if rng.random() < 0.2 * rate:
        value = round(float(rng.gamma(2.0, 10.0)), 2)
        yield {"action": "purchase", "user": user, "session": f"{user}-{n}", "time": at + 60, "value": value}


def _table(rows):
    """Return a row for each user, with 0 for what a user did not do, as tea-tasting takes it."""
    users = {}
    arms = {row["user"]: row["variant"] for row in rows if row.get("variant")}
    for row in rows:
        user = users.setdefault(row["user"], dict.fromkeys(f"{c}{t}" for c in ("s", "c", "v", "k") for t in ("", "0")))
        time = "" if row["time"] >= AT + 20 * DAY else "0"
        column = {"search": "s", "click": "c", "purchase": "v"}[row["action"]] + time
        user[column] = (user[column] or 0) + row.get("value", 1)
        if row["action"] == "purchase":
            user["k" + time] = 1
    frame = pl.DataFrame([{"variant": int(arms[name] == "B"), **user} for name, user in users.items()])
    return frame.fill_null(0)


def test_no_interval_is_wider_than_that_of_tea_tasting(tmp_path, rows):
    result = experiment(tmp_path, rows, *METRICS, looks="once")
    theirs = tt.Experiment(
        click_through=tt.RatioOfMeans("c", "s", "c0", "s0"),
        searches=tt.Mean("s", "s0"),
        revenue=tt.Mean("v", "v0"),
        conversion=tt.Mean("k", "k0"),
    ).analyze(_table(rows))
    for effect in result.effects:
        width = theirs[effect.metric.name].effect_size_ci_upper - theirs[effect.metric.name].effect_size_ci_lower
        assert effect.adjusted
        assert effect.high - effect.low <= width * (1 + 1e-9), effect.metric.name


def test_plain_values_are_those_without_adjustment(tmp_path, rows):
    with_cuped = experiment(tmp_path, rows, *METRICS)
    without = experiment(tmp_path, rows, *METRICS, cuped=False)
    for adjusted, plain in zip(with_cuped.effects, without.effects, strict=True):
        assert not plain.adjusted
        assert adjusted.plain == plain.plain == plain.effect
        assert adjusted.plain_bounds == plain.plain_bounds == (plain.low, plain.high)
        assert adjusted.effect.error < plain.effect.error
    assert [row["plain_difference"] for row in with_cuped.rows()] == [row["difference"] for row in without.rows()]


def test_who_is_new_explains_a_ratio_of_users_without_history(tmp_path):
    """Users with history all have the same one, so that only being new explains: every second user is new.

    Old users click in 2 of 2 and 1 of 2 searches, new ones in 1 of 2 and 0 of 2, in each arm alike.
    """
    made = []
    for u in range(80):
        new, arm = u % 2, "AB"[u // 2 % 2]
        clicked = (2, 1, 1, 0)[2 * new + u // 4 % 2]
        made += [search(f"u{u}", arm, n, AT + 9 * DAY + n) for n in range(2)]
        made += [click(f"u{u}", n, AT + 9 * DAY + n) for n in range(clicked)]
        if not new:
            made += [search(f"u{u}", "", 9, AT), click(f"u{u}", 9, AT)]
    (effect,) = experiment(tmp_path, made, "click_through").effects
    assert effect.adjusted
    # plain: of 20 users each with 1, 1/2, 1/2, 0 the variance is 1/8; without the 1/4 between new and old it is 1/16
    assert (effect.plain.error**2, effect.effect.error**2) == pytest.approx((2 * (1 / 8) / 39, 2 * (1 / 16) / 39))


def test_the_choice_of_covariates_finds_no_difference_too_often():
    """Of 500 A/A tests with 200 users 5 % may find a difference: 16 to 35 with a chance of 95 %."""
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(500):
        new = rng.random(200) < 0.4
        activity = rng.gamma(2.0, 1.0, 200)
        searches, before = 1 + rng.poisson(activity), np.where(new, 0, 1 + rng.poisson(activity))
        rate = rng.beta(2, 3, 200)
        clicks, clicks_before = rng.binomial(searches, rate), rng.binomial(before, rate)
        columns = np.column_stack([clicks, searches, clicks_before, before, new, np.ones(200)]).astype(float)
        effect, _ = narrowest_effect(Moments.of(columns[::2]), Moments.of(columns[1::2]))
        found += effect.p < 0.05
    assert 16 <= found <= 35
