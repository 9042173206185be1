"""The expected change of a comparison: by hand, and against scoring everything anew."""

import random

import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.scores.pool_effect import expected_changes, grade_chances
from neraca.scores.trec import trec

A, B = {"q": ["x", "y"]}, {"q": ["y", "z"]}


def changes(metric, rankings=(A, B), judged=None, candidates=None):
    return expected_changes(rankings, judged or {}, candidates or {"q": ["x", "y", "z"]}, Metric.of(metric))


def test_by_hand():
    """With chance 1/2 a document is relevant.  RR: x gives A 1; y gives A 1/2 and B 1; z gives B 1/2."""
    assert changes("P@1") == {("q", "x"): 0.5, ("q", "y"): 0.5, ("q", "z"): 0.0}
    assert changes("RR") == {("q", "x"): 0.5, ("q", "y"): 0.25, ("q", "z"): 0.25}


def test_questions_share_the_change_and_pairs_of_runs_are_averaged():
    """P@1 over two questions: half.  Three runs, of which C begins with x as A does: x moves A-B and B-C, not A-C."""
    two = {"q": ["x"], "r": []}
    assert changes("P@1", candidates=two) == {("q", "x"): 0.25}
    assert changes("P@1", rankings=(A, B, A), candidates={"q": ["x"]}) == {("q", "x"): pytest.approx(0.5 * 2 / 3)}


def test_what_is_judged_says_how_likely_grades_are():
    assert grade_chances([0, 0, 2, -2]) == {0: 4 / 6, 1: 1 / 6, 2: 1 / 6}
    after = changes("P@1", judged={"other": {"a": 0, "b": 0}})
    assert after["q", "x"] == 0.25, "one of four is relevant"


@pytest.mark.parametrize("metric", ["nDCG@5", "AP", "RBP(p=0.8)", "Bpref", "P@3"])
def test_as_scoring_anew_with_one_judgment_more(metric):
    draws = random.Random(7)
    docs = [f"d{n}" for n in range(14)]
    runs = {name: {q: draws.sample(docs, 9) for q in ("q1", "q2")} for name in ("a", "b", "c")}
    qrels = {q: {d: draws.randrange(3) for d in docs[:5]} for q in ("q1", "q2")}
    qrels["q1"]["top"] = 2
    candidates = dict.fromkeys(("q1", "q2"), docs[5:])

    def differences(judged):
        scored = {
            name: {q: {d: -place for place, d in enumerate(hits)} for q, hits in run.items()}
            for name, run in runs.items()
        }
        a, b, c = (row.value for row in trec(judged, scored, metric).overall())
        return [a - b, a - c, b - c]

    before = differences(qrels)
    chances = grade_chances(grade for known in qrels.values() for grade in known.values())
    found = changes(metric, list(runs.values()), qrels, candidates)
    for (question, document), value in found.items():
        expected = 0.0
        for grade, chance in chances.items():
            after = differences({**qrels, question: {**qrels[question], document: int(grade)}})
            expected += chance * sum(abs(x - y) for x, y in zip(after, before, strict=True)) / 3
        assert value == pytest.approx(expected, abs=1e-12), (question, document)


def test_one_run_alone_and_a_metric_of_texts():
    with pytest.raises(SpecError, match="needs two runs at least"):
        changes("P@1", rankings=(A,))
    with pytest.raises(SpecError, match="needs more than judged documents"):
        changes("ROUGE-L")
