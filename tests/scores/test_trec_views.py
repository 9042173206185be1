"""The views of a run with qrels."""

import numpy as np
import pytest

from neraca.errors import InputError, SpecError
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.counts import check_offered
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.outcome import Outcomes
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.subtopics import Subtopics
from neraca.scores.trec import trec

QRELS = {"q1": {"a": 0, "b": 2, "c": 1}, "q2": {"x": 0}, "q3": {"a": -1, "d": 3}}
#: Of q1 b at rank 1 and a at rank 4, of q3 d at rank 2.
RUN = {"q1": {"b": 5, "?": 4, "??": 3, "a": 2, "???": 1}, "q3": {"?": 2, "d": 1}, "q9": {"a": 1}}
EXPECTED = {
    "grades": [2, 0, 3],
    "rank": [1, 4, 2],
    "owner": [0, 0, 2],
    "returned": [5, 0, 2],
    "pool": [2, 1, 0, 0, 3, -1],
    "pool_owner": [0, 0, 0, 1, 2, 2],
    "pool_rank": [1, 2, 3, 1, 1, 2],
}


def part_of(run=RUN, qrels=QRELS):
    return trec(qrels, run, "RR").runs[0].scorable


def test_the_judged_hits_and_all_that_is_known():
    view = part_of().view(Ranking)
    assert {name: getattr(view, name).tolist() for name in EXPECTED} == EXPECTED
    assert (view.top, view.n, list(view.failed), list(view.expects)) == (3, 3, [False] * 3, [""] * 3)
    assert list(view.undecided) == list(view.unscored) == ["", "", ""]


def test_the_largest_grade_is_at_least_one():
    assert part_of({"q1": {"a": 1}}, {"q1": {"a": -1, "b": 0.5}}).view(Ranking).top == 1


@pytest.fixture
def diversity(tmp_path):
    """Subtopics 1 and 2 of q1, 9 of q3; d stands in no subtopic of q1."""
    qrels = tmp_path / "diversity.qrels"
    qrels.write_text("q1 1 b 2\nq1 2 b 1\nq1 2 c 1\nq1 1 a 0\nq3 9 d 3\nq3 9 a 0\n")
    return qrels


def test_subtopics(diversity):
    view = part_of(qrels=diversity).view(Subtopics)
    assert view.hits == [[(1, {"1", "2"})], [(2, {"9"})]]
    assert [sorted(known) for known in view.pool] == [[("b", {"1", "2"}), ("c", {"2"})], [("d", {"9"})]]


def test_without_subtopics_all_that_is_relevant_is_of_one():
    without = part_of().view(Subtopics)
    assert without.hits == [[(1, {"0"})], [], [(2, {"0"})]]
    assert [sorted(known) for known in without.pool] == [[("b", {"0"}), ("c", {"0"})], [], [("d", {"0"})]]


def test_a_document_that_comes_again_gains_nothing():
    part = part_of()
    ranked = part.column("grades")
    assert np.isneginf(type(ranked).of([["b", "b", "x"]], [QRELS["q1"]]).grade).tolist() == [False, True]


@pytest.mark.parametrize("grade", (2e15, 10**20))
def test_a_grade_that_is_too_large(grade):
    with pytest.raises(InputError, match=r"a grade is too large: (2e\+15|1e\+20); grades go up to 1e\+15"):
        part_of(qrels={**QRELS, "q2": {"x": grade}})


@pytest.mark.parametrize(
    "name, expected", [("Success@1", [1, 0, 0]), ("Success@2", [1, 0, 1]), ("Coverage", [1, 0, 1])]
)
def test_metrics_of_other_views(name, expected):
    assert trec(QRELS, RUN, name).values(name).tolist() == expected


def test_a_view_is_made_once():
    part = part_of()
    assert part.view(Ranking) is part.view(Ranking)
    assert part.view(Outcomes) is part.view(Outcomes)


def test_what_can_be_had_of_judged_documents():
    part = part_of()
    for name in ("RR", "StRecall@5", "Success", "NumRet"):
        check_offered(Metric.of(name), part)
    with pytest.raises(SpecError, match="PassRatio needs more than judged documents"):
        check_offered(Metric.of("PassRatio"), part)
    assert not set(Checks.needs) <= {"grades", "known", "subtopics"}
