"""What counts as one observation; the numbers of sessions are given, six being the fewest that show chance."""

import math
from dataclasses import replace

import numpy as np
import pytest

from neraca.categorical import Categorical
from neraca.comparisons.compare import compare
from neraca.comparisons.gate import gate
from neraca.errors import SpecError
from neraca.metaeval.correlate import correlate
from neraca.scores.scoring import by_unit
from neraca.scores.sources.values import values
from neraca.scores.trec import trec
from neraca.scores.unit import Unit, clusters_of, enough, few, unit_of

RNG = np.random.default_rng(3)
OLD = RNG.random(30).round(3)
NEW = (OLD + 0.2 + RNG.normal(0, 0.05, 30)).round(3)


def made(sessions, unit="auto", **more):
    """Thirty questions in so many sessions; the new system is clearly better."""
    names = [f"s{n * sessions // 30}" for n in range(30)]
    return values({"new": NEW, "old": OLD}, sessions=names, unit=unit, **more)


@pytest.mark.parametrize(
    "sessions, unit, by, tested",
    [
        (1, "auto", "question", True),
        (1, "session", "session", False),
        (1, "question", "question", True),
        (2, "auto", "session", False),
        (5, "auto", "session", False),
        (5, "session", "session", False),
        (5, "question", "question", True),
        (6, "auto", "session", True),
        (6, "question", "question", True),
        (30, "auto", "question", True),
        (30, "session", "question", True),
    ],
)
def test_the_unit_decides_whether_there_is_a_test_and_an_interval(sessions, unit, by, tested):
    scores = made(sessions, unit)
    (found,) = compare(scores)
    assert (scores.unit.by, scores.unit.sessions) == (by, sessions)
    assert found.tested == tested
    intervals = [score.low for score in scores.overall()] + [found.low, found.effect_low]
    assert [not math.isnan(low) for low in intervals] == [tested] * 4
    assert (found.better == "new") == tested


def test_one_session_counts_as_its_questions_do_alone_and_only_that_is_assumed():
    alone, one, asked = made(30), made(1), made(1, "question")
    assert compare(alone) == compare(one) == compare(asked)
    assert one.overall() == alone.overall()
    assert [scores.unit.assumed for scores in (alone, one, asked)] == [False, True, False]
    assert values({"a": [0.5]}, sessions=["s"]).unit.assumed is False


def test_a_tag_makes_the_observations():
    users = [f"u{n % 7}" if n < 28 else "" for n in range(30)]
    scores = made(5, "user", tags={"user": users})
    assert scores.unit == Unit(asked="user", by="user", items=30, groups=9, sessions=5)  # 7 users, and two without one
    by_session = values({"new": NEW, "old": OLD}, sessions=users)
    assert compare(scores) == compare(by_session)
    few_users = made(30, "user", tags={"user": [f"u{n % 5}" for n in range(30)]})
    assert (few_users.unit.too_few, compare(few_users)[0].tested) == (True, False)


def test_an_unknown_tag_is_named():
    with pytest.raises(SpecError, match=r"auto, session, question, or a tag of the questions, not 'usr'; did"):
        made(5, "usr", tags={"user": ["a"] * 30})
    with pytest.raises(SpecError, match="no question has a tag"):
        made(5, "user")
    with pytest.raises(SpecError, match="no question has a tag"):
        made(5, "user", tags={"user": [""] * 30})


def test_a_group_of_items_from_few_sessions_has_no_interval():
    topics = ["a" if n < 20 else "b" for n in range(30)]
    found = made(10, tags={"topic": topics}).by_group("topic")
    assert [(score.group, math.isnan(score.low)) for score in found] == [
        ("topic=a", False),  # seven sessions
        ("topic=a", False),
        ("topic=b", True),  # of four
        ("topic=b", True),
    ]


def test_what_is_scored_decides_and_not_what_was_asked():
    """Of ten sessions five are scored in both."""
    scores = values(
        {"new": np.where(np.arange(30) < 15, NEW, np.nan), "old": OLD}, sessions=[f"s{n // 3}" for n in range(30)]
    )
    assert not compare(scores)[0].tested
    assert [math.isnan(score.low) for score in scores.overall()] == [True, False]


def test_correlations_count_the_same_observations():
    noise = RNG.random(30)
    for sessions, known in ((1, True), (5, False), (6, True)):
        (row,) = correlate(_one(sessions), human={"people": OLD + noise}).with_human
        assert math.isnan(row.low) != known


def _one(sessions):
    return values({"old": OLD}, sessions=[f"s{n * sessions // 30}" for n in range(30)])


RULES = ["Value >= baseline"]


def test_a_gate_never_takes_the_questions_of_a_session_for_independent_by_itself():
    for sessions, unit, outcome in (
        (1, "auto", "undecided"),
        (1, "question", "pass"),
        (5, "auto", "undecided"),
        (5, "question", "pass"),
        (6, "auto", "pass"),
        (30, "auto", "pass"),
    ):
        found = gate(made(sessions, unit), rules=RULES)
        assert found.outcome == outcome
        (decision,) = found.decisions
        assert math.isnan(decision.p) == (outcome == "undecided")
        assert math.isnan(decision.low) == (outcome == "undecided")
        assert decision.sessions == (30 if unit == "question" else sessions)


def test_a_gate_of_shares_from_few_sessions_is_undecided():
    """Right on all of thirty questions: of one source of chance that is no evidence for more than 2 %."""
    queries = [f"q{n}" for n in range(30)]
    scores = trec({q: {"d": 1} for q in queries}, {"new": {q: {"d": 1.0} for q in queries}}, "P@1")
    one = replace(scores, runs=tuple(replace(run, sessions=np.zeros(30, int)) for run in scores.runs))
    for unit, outcome in (("session", "undecided"), ("auto", "undecided"), ("question", "pass")):
        (decision,) = gate(by_unit(one, unit), rules=["P@1 > 0.02"]).decisions
        assert decision.outcome == outcome
        assert math.isnan(decision.low) == (outcome == "undecided")


def test_the_unit_can_be_changed_without_scoring_again():
    scores = made(6)
    assert compare(by_unit(scores, "question")) == compare(made(6, "question"))
    assert compare(by_unit(by_unit(scores, "question"), "session")) == compare(scores)


def test_numbers_of_sessions_by_hand():
    assert clusters_of(["b", "a", "b", "", " ", None]).tolist() == [0, 1, 0, 2, 3, 4]
    assert clusters_of([]).tolist() == []
    tags = {"user": Categorical.of(["x", "", "x", ""])}
    assert unit_of("user", np.arange(4), tags)[1].tolist() == [0, 1, 0, 2]
    assert [few(groups, items) for groups, items in ((5, 6), (6, 7), (5, 5), (1, 1), (0, 0))] == [True, *[False] * 4]
    assert enough(np.array([3, 3, 1, 2, 4, 5])).tolist() == [0] * 6
    assert enough(np.array([3, 3, 1, 2, 4, 5, 6])).tolist() == [3, 3, 1, 2, 4, 5, 6]
