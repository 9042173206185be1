"""The views of a run with qrels, over plain lists and over numpy."""

from types import SimpleNamespace

import numpy as np
import pytest

from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.errors import InputError
from neraca.metrics import vector
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.metric import Metric
from neraca.metrics.ranking import pooled
from neraca.metrics.ranking.outcome import Outcomes, Returned
from neraca.metrics.ranking.pooled import Pooled
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.subtopics import Subtopics

QRELS = Qrels({"q1": {"a": 0, "b": 2, "c": 1}, "q2": {}, "q3": {"a": -1, "d": 3}})
#: Of q1 b at rank 1 and a at rank 4, of q3 d at rank 2.
JUDGED = RankedJudgments([0, 0, 2], [1, 4, 2], [1, 0, 4], [5, 0, 2], 1)
EXPECTED = {
    "grades": [2, 0, 3],
    "rank": [1, 4, 2],
    "owner": [0, 0, 2],
    "returned": [5, 0, 2],
    "pool": [2, 1, 0, 3, -1],
    "pool_owner": [0, 0, 0, 2, 2],
    "pool_rank": [1, 2, 3, 1, 2],
}


def arrays(judged):
    columns = (judged.owner, judged.rank, judged.place, judged.returned)
    return RankedJudgments(*map(np.array, columns), judged.unjudged_queries)


@pytest.fixture
def no_numpy(monkeypatch):
    """As in a process that has not loaded it."""
    monkeypatch.setattr(pooled, "sys", SimpleNamespace(modules={}))


def check(view, numpy):
    assert {name: list(getattr(view, name)) for name in EXPECTED} == EXPECTED
    assert all(isinstance(getattr(view, name), np.ndarray if numpy else vector.Vector) for name in EXPECTED)
    assert (view.top, view.n, list(view.failed), list(view.expects)) == (3, 3, [False] * 3, [""] * 3)
    assert view.undecided == view.unscored == ["", "", ""]


def test_a_little_is_kept_in_lists(no_numpy, monkeypatch):
    check(Pooled(JUDGED, QRELS).view(Ranking), numpy=False)
    monkeypatch.setattr(pooled, "FEW", 5)
    check(Pooled(JUDGED, QRELS).view(Ranking), numpy=False)


def test_much_is_kept_in_arrays(no_numpy, monkeypatch):
    check(Pooled(arrays(JUDGED), QRELS).view(Ranking), numpy=True)
    monkeypatch.setattr(pooled, "FEW", 4)
    check(Pooled(JUDGED, QRELS).view(Ranking), numpy=True)


def test_where_numpy_is_there_already_it_is_used():
    check(Pooled(JUDGED, QRELS).view(Ranking), numpy=True)


def test_the_largest_grade_is_at_least_one():
    low = Qrels({"q1": {"a": -1, "b": 0.5}})
    assert Pooled(RankedJudgments([], [], [], [0], 0), low).view(Ranking).top == 1


@pytest.mark.parametrize("judged", (JUDGED, arrays(JUDGED)))
def test_subtopics(judged):
    topics = {
        "q1": {"a": frozenset(), "b": frozenset({"1", "2"}), "c": frozenset({"2"})},
        "q2": {},
        "q3": {"a": frozenset(), "d": frozenset({"9"})},
    }
    view = Pooled(judged, Qrels(QRELS.grades, topics)).view(Subtopics)
    assert view.hits == [[(1, {"1", "2"})], [], [(2, {"9"})]]
    assert view.pool == [[("c", {"2"}), ("b", {"1", "2"})], [], [("d", {"9"})]]
    without = Pooled(judged, QRELS).view(Subtopics)
    assert without.hits == [[(1, {"0"})], [], [(2, {"0"})]]
    assert without.pool == [[("c", {"0"}), ("b", {"0"})], [], [("d", {"0"})]]


AGAIN = RankedJudgments([0, 0, 2, 2], [1, 2, 1, 2], [1, -1, 4, -1], [2, 0, 2], 0)  # q1: b, b; q3: d, d


@pytest.mark.parametrize("judged", (AGAIN, arrays(AGAIN)))
def test_a_document_that_comes_again_gains_nothing(no_numpy, judged):
    batch = Pooled(judged, QRELS)
    assert list(batch.view(Ranking).grades) == [2, -np.inf, 3, -np.inf]
    assert batch.view(Subtopics).hits == [[(1, {"0"})], [], [(1, {"0"})]]


@pytest.mark.parametrize("judged", (JUDGED, arrays(JUDGED)))
@pytest.mark.parametrize("grade", (2e15, 10**20))
def test_a_grade_that_is_too_large(no_numpy, judged, grade):
    high = Qrels({**QRELS.grades, "q2": {"x": grade}}, source="the.qrels")
    with pytest.raises(InputError, match=r"the\.qrels: a grade is too large: (2e\+15|1e\+20); grades go up to 1e\+15"):
        Pooled(judged, high).view(Ranking)


@pytest.mark.parametrize("judged", (JUDGED, arrays(JUDGED)))
def test_metrics_of_other_views(judged):
    batch = Pooled(judged, QRELS)
    for name, expected in (("Success@1", [1, 0, 0]), ("Success@2", [1, 0, 1]), ("Coverage", [1, 0, 1])):
        metric = Metric.of(name)
        assert list(metric(batch.view(metric.view))) == expected, name


def test_a_view_is_made_once():
    batch = Pooled(JUDGED, QRELS)
    assert batch.view(Ranking) is batch.view(Ranking)
    assert batch.view(Outcomes) is batch.view(Outcomes)


def test_what_can_be_had_of_judged_documents():
    batch = Pooled(JUDGED, QRELS)
    assert [batch.has(kind) for kind in (Ranking, Subtopics, Outcomes, Returned)] == [True] * 4
    assert not batch.has(Checks)
    assert not batch.has(type("Ranking", (), {}))  # of another house
    assert not batch.has(None)
    assert batch.why_not() == ["", "", ""]
