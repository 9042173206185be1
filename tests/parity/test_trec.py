"""The same numbers, question by question, as trec_eval (through pytrec_eval and ir_measures) and scikit-learn.

Differences that are meant:
- an answer without hits: SetP is 0 there and not defined here; a question without relevant documents: SetR is 0
  there and not defined here; such an answer to such a question is a correct empty here and in no mean;
- a document that is returned twice is an error there, and gains nothing the second time here;
- the beta of SetF there is the square of the one here, which is van Rijsbergen's;
- IPrec: recall times the number of relevant documents is rounded there, with an error of the last digit for some
  numbers, and not here; shown below;
- the grade -1 is "not judged" to Judged and Condensed; to Judged there it is a judgement;
- Condensed: a grade below -1 is a judgement here; there, with judged_only, no negative grade is.

ERR has no implementation there but a Perl script: it is held to tests/oracle.py.
"""

import warnings

import numpy as np
import pytest
import pytrec_eval
from builders import make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Hit, Item
from neraca.stats.intervals.interval import interval

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # there are invalid escapes in the strings of a package that it imports
    import ir_measures

#: Measuring coverage here would double the time, and other tests reach the same lines.
pytestmark = pytest.mark.no_cover

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
    "SetF": "SetF",
    "SetF(rel=2)": "SetF(rel=2)",
    "SetF(beta=2)": "SetF(beta=4.0)",
    "SetF(beta=0.5)": "SetF(beta=0.25)",
    "R@5": "R@5",
    "R(rel=2)@5": "R(rel=2)@5",
    "R@1000": "R@1000",
    "Rprec": "Rprec",
    "Rprec(rel=2)": "Rprec(rel=2)",
    "NumRet": "NumRet",
    "NumRel": "NumRel",
    "NumRelRet": "NumRet(rel=1)",
    "NumRelRet(rel=2)": "NumRet(rel=2)",
    "Bpref": "Bpref",
    "Bpref(rel=2)": "Bpref(rel=2)",
    "InfAP": "infAP",
    "InfAP(rel=2)": "infAP(rel=2)",
    "Judged": "Judged",
    "Judged@5": "Judged@5",
    "Judged@30": "Judged@30",
    "Compat": "Compat",
    "Compat(p=0.8)": "Compat(p=0.8)",
}
JUDGED_ONLY = {
    "Condensed(P@5)": "P(judged_only=True)@5",
    "Condensed(P(rel=2)@5)": "P(rel=2,judged_only=True)@5",
    "Condensed(RR)": "RR(judged_only=True)",
    "Condensed(AP)": "AP(judged_only=True)",
    "Condensed(AP@10)": "AP(judged_only=True)@10",
    "Condensed(nDCG@10)": "nDCG(judged_only=True)@10",
    "Condensed(Rprec)": "Rprec(judged_only=True)",
    "Condensed(SetP)": "SetP(judged_only=True)",
    "Condensed(SetF)": "SetF(judged_only=True)",
    "Condensed(R@5)": "R(judged_only=True)@5",
}
RECALLS = tuple(number / 10 for number in range(11))
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
    "SetF": "set_F",
    "R@5": "recall_5",
    "R@1000": "recall_1000",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "InfAP": "infAP",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
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
    """Labels as they are; where all of them are negative as 0, because trec_eval crashes on those."""
    return {query: labels if max(labels.values()) >= 0 else dict.fromkeys(labels, 0) for query, labels, _ in drawn}


def run_of(drawn):
    """Scores that fall with the rank, so that nothing is tied."""
    return {query: {doc: float(100 - rank) for rank, doc in enumerate(docs)} for query, _, docs in drawn}


def batch_of(drawn):
    return make_scorable(
        [
            (
                Item(id=query, query="?", relevant={doc: float(grade) for doc, grade in labels.items()}),
                Answer(item=query, hits=tuple(Hit(id=doc) for doc in docs)),
            )
            for query, labels, docs in drawn
        ]
    )


def ours(names, drawn):
    """Metric → value of each question, None where it is not defined."""
    part = batch_of(drawn)  # once for all metrics: building it takes most of the time
    return {name: by_query(score_metric(Metric.of(name), part).rows[:, 0], drawn) for name in names}


def by_query(values, drawn):
    return {query: None if np.isnan(value) else value for (query, _, _), value in zip(drawn, values, strict=True)}


def theirs_by_ir_measures(names, drawn):
    """Their name → query → value."""
    measures = {ir_measures.parse_measure(name): name for name in names}
    values = {name: {} for name in names}
    for found in ir_measures.iter_calc(list(measures), qrels_of(drawn), run_of(drawn)):
        values[measures[found.measure]][found.query_id] = found.value
    return values


@settings(max_examples=50)
@given(rankings())
def test_ir_measures(drawn):
    judged = [
        (query, {doc: grade if grade != -1 else 0 for doc, grade in of.items()}, docs) for query, of, docs in drawn
    ]
    theirs = theirs_by_ir_measures(set(IR_MEASURES.values()), drawn)
    values = ours(IR_MEASURES, drawn) | ours([name for name in IR_MEASURES if name.startswith("Judged")], judged)
    for name, reference in IR_MEASURES.items():
        for query, value in values[name].items():
            if value is None:
                assert name.startswith("SetR")
                assert theirs[reference][query] == 0
            else:
                assert value == pytest.approx(theirs[reference][query], abs=1e-9), (name, query)


@settings(max_examples=50)
@given(rankings())
def test_judged_documents_only(drawn):
    known = [(query, {doc: max(grade, 0) for doc, grade in labels.items()}, docs) for query, labels, docs in drawn]
    theirs = theirs_by_ir_measures(JUDGED_ONLY.values(), known)
    values = ours(JUDGED_ONLY, known)
    for name, reference in JUDGED_ONLY.items():
        for query, value in values[name].items():
            if value is None:  # nothing that was returned is judged
                assert name in ("Condensed(SetP)", "Condensed(SetF)")
                assert theirs[reference][query] == 0
            else:
                assert value == pytest.approx(theirs[reference][query], abs=1e-9), (name, query)


def test_grades_below_minus_one_are_judgements_in_a_condensed_list():
    drawn = [("1", {"a": -2, "b": 1}, ["a", "x", "b"])]
    assert theirs_by_ir_measures(["RR(judged_only=True)"], drawn) == {"RR(judged_only=True)": {"1": 1}}
    assert ours(["Condensed(RR)"], drawn) == {"Condensed(RR)": {"1": 1 / 2}}


@settings(max_examples=50)
@given(rankings())
def test_interpolated_precision(drawn):
    theirs = theirs_by_ir_measures([f"IPrec@{recall}" for recall in RECALLS], drawn)
    known = {query: sum(grade >= 1 for grade in labels.values()) for query, labels, _ in drawn}
    values = ours([f"IPrec({recall})" for recall in RECALLS], drawn)
    for recall in RECALLS:
        for query, value in values[f"IPrec({recall})"].items():
            if not rounded_too_low(recall, known[query]):
                assert value == pytest.approx(theirs[f"IPrec@{recall}"][query], abs=1e-9), (recall, query)


def rounded_too_low(recall, known):
    """Whether trec_eval 9 asks for fewer relevant documents than this recall needs, such as 2 for 0.7 of 3."""
    return int(recall * known + 0.9) < round(recall * known * 10) / 10


def test_trec_eval_9_rounds_some_recalls_too_low():
    assert [(x, known) for x in RECALLS for known in range(1, 5) if rounded_too_low(x, known)] == [(0.7, 3)]
    drawn = [("1", {"a": 1, "b": 1, "c": 1}, ["a", "b", "x", "c"])]
    assert theirs_by_ir_measures(["IPrec@0.7"], drawn) == {"IPrec@0.7": {"1": 1}}  # that of recall 2/3
    assert ours(["IPrec(0.7)"], drawn) == {"IPrec(0.7)": {"1": 3 / 4}}


@settings(max_examples=50)
@given(rankings())
def test_counts_are_added_over_the_questions(drawn):
    names = {"NumRet": "NumRet", "NumRel": "NumRel", "NumRelRet": "NumRet(rel=1)"}
    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in names.values()], qrels_of(drawn), run_of(drawn)
    )
    for name, reference in names.items():
        metric = Metric.of(name)
        found = interval(score_metric(metric, batch_of(drawn)).rows, metric.total)
        assert found.value == theirs[ir_measures.parse_measure(reference)], name
        assert found.n == len(drawn)


@settings(max_examples=60)
@given(rankings())
def test_pytrec_eval(drawn):
    qrels = qrels_of(drawn)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run_of(drawn))
    values = ours(TREC_EVAL, drawn)
    for name, reference in TREC_EVAL.items():
        for query, value in values[name].items():
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
    gains_by_name = {f"DCG@{at}": grades, f"DCG(gains=exp)@{at}": [2**grade - 1 for grade in grades]}
    values = ours(gains_by_name, drawn)
    for name, gains in gains_by_name.items():
        assert values[name]["1"] == pytest.approx(dcg_score([gains], [falling], k=at))


def test_empty_answers_differ_as_documented():
    drawn = [("1", {"a": 1}, [])]
    theirs = {
        str(found.measure): found.value
        for found in ir_measures.iter_calc([ir_measures.SetP, ir_measures.RR], {"1": {"a": 1}}, {"1": {}})
    }
    assert theirs == {"SetP": 0, "RR": 0}
    assert ours(["SetP", "RR"], drawn) == {"SetP": {"1": None}, "RR": {"1": 0}}
