"""The same numbers, question by question, as trec_eval (through pytrec_eval and ir_measures) and scikit-learn.

Differences that are meant:
- an answer without hits: SetP is 0 there and not defined here; a question without relevant documents: SetR is 0
  there and not defined here; such an answer to such a question is a correct empty here and in no mean;
- a document that is returned twice is an error there, and gains nothing the second time here.
"""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from builders import make_batch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score

from neraca.metrics.metric import Metric
from neraca.records import Answer, Hit, Item

DOCS = tuple(f"d{number:02}" for number in range(25))

#: Ours → theirs; a grade of 2 for what is relevant, cutoffs inside and beyond the list.
IR_MEASURES = {
    "P@5": "P@5",
    "P(rel=2)@5": "P(rel=2)@5",
    "P@30": "P@30",
    "RR": "RR",
    "RR(rel=2)": "RR(rel=2)",
    "RR@3": "RR@3",
    "AP": "AP",
    "AP(rel=2)": "AP(rel=2)",
    "AP@10": "AP@10",
    "nDCG": "nDCG",
    "nDCG@3": "nDCG@3",
    "nDCG@10": "nDCG@10",
    "Success@1": "Success@1",
    "Success@5": "Success@5",
    "Success(rel=2)@5": "Success(rel=2)@5",
    "SetP": "SetP",
    "SetP(rel=2)": "SetP(rel=2)",
    "SetR": "SetR",
    "SetR(rel=2)": "SetR(rel=2)",
}
TREC_EVAL = {
    "P@5": "P_5",
    "P@10": "P_10",
    "RR": "recip_rank",
    "AP": "map",
    "AP@10": "map_cut_10",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "Success@1": "success_1",
    "SetP": "set_P",
    "SetR": "set_recall",
}


@st.composite
def rankings(draw):
    """Some questions: graded labels (negative ones too), rankings with documents that nobody judged."""
    found = []
    for number in range(draw(st.integers(1, 4))):
        labels = draw(st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 4), min_size=1, max_size=20))
        docs = draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=25, unique=True))
        found.append((str(number), labels, docs))
    return found


def qrels_of(drawn):
    """Negative grades are "not relevant" to trec_eval; as 0, because its Python binding crashes on some of them."""
    return {query: {doc: max(grade, 0) for doc, grade in labels.items()} for query, labels, _ in drawn}


def run_of(drawn):
    """Scores that fall with the rank, so that nothing is tied."""
    return {query: {doc: float(100 - rank) for rank, doc in enumerate(docs)} for query, _, docs in drawn}


def ours(name, drawn):
    """Value of each question, None where it is not defined."""
    pairs = [
        (
            Item(id=query, query="?", relevant={doc: float(grade) for doc, grade in labels.items()}),
            Answer(item=query, hits=tuple(Hit(id=doc) for doc in docs)),
        )
        for query, labels, docs in drawn
    ]
    values = Metric.of(name).score(make_batch(pairs)).rows[:, 0]
    return {query: None if np.isnan(value) else value for (query, _, _), value in zip(drawn, values, strict=True)}


@settings(max_examples=150)
@given(rankings())
def test_ir_measures(drawn):
    theirs = {name: {} for name in IR_MEASURES.values()}
    measures = [ir_measures.parse_measure(name) for name in theirs]
    for found in ir_measures.iter_calc(measures, qrels_of(drawn), run_of(drawn)):
        theirs[str(found.measure)][found.query_id] = found.value
    for name, reference in IR_MEASURES.items():
        for query, value in ours(name, drawn).items():
            if value is None:
                assert name.startswith("SetR")
                assert theirs[reference][query] == 0
            else:
                assert value == pytest.approx(theirs[reference][query], abs=1e-9), (name, query)


@settings(max_examples=150)
@given(rankings())
def test_pytrec_eval(drawn):
    qrels = qrels_of(drawn)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run_of(drawn))
    for name, reference in TREC_EVAL.items():
        for query, value in ours(name, drawn).items():
            if value is None:
                assert name == "SetR"
                assert max(qrels[query].values()) < 1
            else:
                assert value == pytest.approx(theirs[query][reference], abs=1e-9), (name, query)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=20), st.integers(1, 25))
def test_dcg_of_scikit_learn(grades, at):
    drawn = [
        ("1", {f"d{rank}": grade for rank, grade in enumerate(grades)}, [f"d{rank}" for rank in range(len(grades))])
    ]
    falling = np.arange(len(grades), 0, -1.0)
    for name, gains in ((f"DCG@{at}", grades), (f"DCG(gains=exp)@{at}", [2**grade - 1 for grade in grades])):
        assert ours(name, drawn)["1"] == pytest.approx(dcg_score([gains], [falling], k=at))


def test_empty_answers_differ_as_documented():
    drawn = [("1", {"a": 1}, [])]
    theirs = {
        str(found.measure): found.value
        for found in ir_measures.iter_calc([ir_measures.SetP, ir_measures.RR], {"1": {"a": 1}}, {"1": {}})
    }
    assert theirs == {"SetP": 0, "RR": 0}
    assert ours("SetP", drawn) == {"1": None}
    assert ours("RR", drawn) == {"1": 0}
