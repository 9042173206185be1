"""What is said about an experiment that is planned, and about offline metrics beside users."""

import pytest

from neraca.metaeval.correlate import correlate
from neraca.online.interleaving.sensitivity import Design, PlanOptions, SensitivityPlan
from neraca.reports.formats.terminal import to_screen
from neraca.reports.online import offline_online
from neraca.reports.online.interleaving_plan import plan_document, plan_table

NOBODY = Design(0.001, -0.01, 0.012, 0.8, None, 5000, None)


def plan(effect=0.1, searches=400, ab_effect=0.05, ab_searches=4000, chance=NOBODY, method="team_draft"):
    between = (None, None) if searches is None else (300, 600)
    interleaving = Design(effect, effect - 0.02, effect + 0.02, 0.8, searches, between[0] or 9000, between[1])
    ab = Design(ab_effect, ab_effect, ab_effect, 0.7, ab_searches, ab_searches, ab_searches)
    return SensitivityPlan("old", "new", method, PlanOptions(), 30, interleaving, ab, chance)


@pytest.mark.parametrize(
    "given, said",
    [
        (
            {},
            "Interleaving needs about 400 searches to tell that users prefer old; an A/B test on click-through needs ",
        ),
        ({}, "needs about 4,000, 10 times as many."),
        ({"effect": -0.1, "ab_effect": -0.05}, "users prefer new;"),
        ({"ab_searches": 100}, "needs about 100, and so fewer. That is so where one ranker often finds nothing"),
        ({"ab_searches": None}, "would never tell: both have the same"),
        ({"searches": None}, "did not tell old from new in 20,000 simulated searches: more than 9,000 searches"),
        ({"ab_effect": -0.05}, "the ranker that wins by interleaving has the lower click-through"),
        ({}, "Users who click by chance prefer nobody"),
        (
            {"chance": Design(-0.03, -0.05, -0.01, 0.8, 4000, 3000, 6000), "method": "balanced"},
            "would seem to prefer new on these rankings: −0.030 (−0.050 to −0.010). One such check in twenty looks so "
            "by chance; repeat it with another --seed, or take team_draft.",
        ),
    ],
)
def test_a_plan_in_words(given, said):
    assert said in to_screen(plan_document(plan(**given)), 0, 0)


def test_the_directions_are_not_mentioned_where_they_agree():
    assert "lower click-through" not in to_screen(plan_document(plan()), 0, 0)


def test_the_table_of_a_plan():
    columns, rows, title, *_ = plan_table(plan(searches=None))
    assert title == "Searches needed for 80 % power at 5 %: old minus new"
    assert list(columns) == ["design", "difference", "95 % interval", "searches", "between"]
    assert [row[3:] for row in rows] == [["–", "more than 9,000"], ["4,000", "–"], ["–", "–"]]


USERS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]


@pytest.mark.parametrize(
    "metrics, said",
    [
        ({"AP": [1, 2, 3, 4, 5, 6, 8, 7], "RR": [1, 2, 3, 4, 5, 7, 6, 8]}, ["cannot be told from it."]),
        ({"AP": [1, 2, 3, 4, 5, 6, 8, 7]}, ["AP agrees most with users."]),
        ({"AP": [3, 1, 2, 4, 4, 2, 1, 3]}, ["On 8 queries no metric is shown to go with what users preferred"]),
        ({"AP": [8, 7, 6, 5, 4, 3, 1, 2], "RR": [8, 7, 6, 5, 3, 4, 2, 1]}, ["no metric is shown", "go against users."]),
    ],
)
def test_offline_metrics_in_words(metrics, said):
    text = " ".join(offline_online.sentences(correlate(metrics, human={"users": USERS})))
    assert all(part in text for part in said), text
