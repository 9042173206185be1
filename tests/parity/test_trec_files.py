"""`neraca.trec` gives the numbers of trec_eval and ndeval, query by query, whatever holds the qrels and the run.

The same drawn data go in as files, mappings and data frames of polars and pandas.  Scores are such that single
precision holds them exactly; they are tied often.

Differences that are meant, besides those in test_trec.py:
- a judged query that the run lacks counts as 0, as by trec_eval -c; pytrec_eval leaves it out;
- num_rel is over all judged queries; trec_eval -c and ir_measures leave out those that the run lacks.
"""

import gzip
import math
import random
import warnings

import pandas as pd
import polars as pl
import pyndeval
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.errors import InputError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # there are invalid escapes in the strings of a package that it imports
    import ir_measures

#: Measuring coverage here would double the time, and other tests reach the same lines.
pytestmark = pytest.mark.no_cover

QUERIES = ("301", "302", "303", "zz")
DOCS = (*(f"d{number}" for number in range(1, 13)), "D2", "d-1", "é", "日本", "d1_", "~")
SCORES = (-3.5, -0.25, 0.0, 0.125, 1.0, 2.0, 1024.0)
MEASURES = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "recip_rank": "RR",
    "P_5": "P@5",
    "recall_10": "R@10",
    "success_1": "Success@1",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "iprec_at_recall_0.50": "IPrec(0.5)",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
COUNTS = ("num_ret", "num_rel", "num_rel_ret")


def qrels_text(qrels):
    """A qrels file with its lines in any order, spaces or tabs between the fields."""
    draw = random.Random(0)
    lines = [
        draw.choice(" \t").join((query, "0", doc, str(grade)))
        for query, docs in qrels.items()
        for doc, grade in docs.items()
    ]
    draw.shuffle(lines)
    return "\n".join(lines) + draw.choice(["", "\n"])


def run_text(run):
    """A run file with its lines in any order and ranks that mean nothing."""
    draw = random.Random(0)
    lines = [f"{query} Q0 {doc} {draw.randint(0, 9)} {score!r} tag" for query, doc, score in rows(run)]
    draw.shuffle(lines)
    return "\n".join(lines) + "\n"


def rows(found):
    return [(query, doc, value) for query, docs in found.items() for doc, value in docs.items()]


def forms(qrels, run, folder):
    """Everything that may hold these qrels and this run: what it is called, and the two."""
    (folder / "qrels.txt").write_text(qrels_text(qrels), encoding="utf-8")
    (folder / "a.run").write_text(run_text(run), encoding="utf-8")
    (folder / "b.run.gz").write_bytes(gzip.compress((folder / "a.run").read_bytes(), mtime=0))
    run_rows = random.Random(1).sample(rows(run), len(rows(run)))
    yield "files", folder / "qrels.txt", str(folder / "a.run")
    yield "packed file", str(folder / "qrels.txt"), folder / "b.run.gz"
    yield "mappings", qrels, run
    yield (
        "polars",
        pl.DataFrame(rows(qrels), schema=["query_id", "doc_id", "relevance"], orient="row"),
        pl.DataFrame(run_rows, schema=["query", "document", "score"], orient="row"),
    )
    yield (
        "pandas",
        pd.DataFrame(rows(qrels), columns=["qid", "docno", "label"]),
        pd.DataFrame(run_rows, columns=["qid", "docno", "score"]),
    )


def grades():
    return st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 4), min_size=1, max_size=12)


@st.composite
def collections(draw):
    """Qrels and a run; either may have queries that the other one lacks.

    Where all grades of a query are negative they are 0, because trec_eval crashes on those.
    """
    qrels = draw(st.dictionaries(st.sampled_from(QUERIES), grades(), min_size=1))
    scored = st.dictionaries(st.sampled_from(DOCS), st.sampled_from(SCORES), min_size=1, max_size=len(DOCS))
    run = draw(st.dictionaries(st.sampled_from(QUERIES), scored, min_size=1))
    return {query: g if max(g.values()) >= 0 else dict.fromkeys(g, 0) for query, g in qrels.items()}, run


def expected(measure, qrels, run, theirs):
    """What is right for each judged query, by trec_eval where the run has the query, and by the rules where not."""
    for query, judged in qrels.items():
        nothing = max(judged.values()) < 1
        if (measure == "set_recall" and nothing) or (measure == "set_P" and query not in run):
            yield query, math.nan
        elif query in run:
            yield query, theirs[query][measure]
        elif measure == "set_F" and nothing:
            yield query, math.nan
        else:
            yield query, float(sum(grade > 0 for grade in judged.values())) if measure == "num_rel" else 0.0


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(collections())
def test_every_form_gives_trec_evals_numbers(tmp_path, drawn):
    qrels, run = drawn
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    for name, judgments, ranking in forms(qrels, run, tmp_path):
        if not qrels.keys() & run.keys():
            with pytest.raises(InputError, match="none of its queries is judged"):
                neraca.trec(judgments, ranking, list(MEASURES))
            continue
        found = neraca.trec(judgments, ranking, list(MEASURES))
        for measure, ours in MEASURES.items():
            right = dict(expected(measure, qrels, run, theirs))
            assert found.by_item(ours) == pytest.approx(right, abs=1e-9, nan_ok=True), (name, measure)
            values = [value for value in right.values() if not math.isnan(value)]
            whole = sum(values) if measure in COUNTS else sum(values) / len(values) if values else math.nan
            assert found.mean(measure) == pytest.approx(whole, abs=1e-9, nan_ok=True), (name, measure)


@settings(max_examples=50)
@given(collections())
def test_only_answered_queries_are_what_pytrec_eval_averages(drawn):
    qrels, run = drawn
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    if theirs:
        found = neraca.trec(qrels, run, list(MEASURES), only_answered=True)
        for measure in ("map", "ndcg_cut_10", "set_P", "num_rel", "num_ret"):
            values = [each[measure] for each in theirs.values()]
            assert found.by_item(measure).keys() == theirs.keys()
            assert found.mean(measure) == pytest.approx(pytrec_eval.compute_aggregated_measure(measure, values))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(collections(), st.integers(1, 3))
def test_means_are_those_of_ir_measures_over_the_same_files(tmp_path, drawn, rel):
    """It also takes the mean over all judged queries; its parameter rel is trec_eval's -l."""
    qrels, run = drawn
    if not qrels.keys() & run.keys():
        return
    (tmp_path / "qrels.txt").write_text(qrels_text(qrels), encoding="utf-8")
    (tmp_path / "a.run").write_text(run_text(run), encoding="utf-8")
    names = ["P(rel={})@5", "AP(rel={})", "RR(rel={})", "R(rel={})@10", "Rprec(rel={})", "Success(rel={})@3"]
    measures = {name: ir_measures.parse_measure(name.format(rel)) for name in [*names, "nDCG@10"]}
    theirs = ir_measures.calc_aggregate(
        measures.values(),
        ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt")),
        ir_measures.read_trec_run(str(tmp_path / "a.run")),
    )
    for name in measures:
        level = rel if "rel" in name else None
        plain = name.replace("(rel={})", "")
        found = neraca.trec(tmp_path / "qrels.txt", tmp_path / "a.run", plain, relevant_from=level)
        assert found.mean(plain) == pytest.approx(theirs[measures[name]], abs=1e-9), name


# single precision


def test_scores_that_single_precision_cannot_tell_apart(tmp_path):
    """1 + 2^-30 rounds to 1: there "b" and "a" are tied, and "b" comes first as the greater id; here "a" does."""
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1 + 2**-30, "b": 1.0}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run) == {"1": {"recip_rank": 0.5}}
    for name, judgments, ranking in forms(qrels, run, tmp_path):
        assert neraca.trec(judgments, ranking, "RR").mean("RR") == 1, name
        assert neraca.trec(judgments, ranking, "RR", single=True).mean("RR") == 0.5, name


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(grades(), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 40), min_size=1))
def test_single_precision_is_pytrec_evals(tmp_path, judged, steps):
    """Scores that differ by less than single precision tells, by just as much, or by more."""
    qrels = {"1": judged if max(judged.values()) >= 0 else dict.fromkeys(judged, 0)}
    run = {"1": {doc: 16_777_216 + step / 8 for doc, step in steps.items()}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run)
    for name, judgments, ranking in forms(qrels, run, tmp_path):
        found = neraca.trec(judgments, ranking, "map ndcg", single=True)
        assert {m: found.mean(m) for m in ("map", "ndcg")} == pytest.approx(theirs["1"], abs=1e-9), name


# diversity


@st.composite
def diverse(draw):
    """Qrels of subtopics and a run without ties."""
    topics = st.dictionaries(st.sampled_from("1237"), st.integers(-1, 2), min_size=1)
    judged = st.dictionaries(st.sampled_from(DOCS), topics, min_size=1, max_size=10)
    qrels = draw(st.dictionaries(st.sampled_from(QUERIES[:3]), judged, min_size=1))
    run = {query: draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True)) for query in qrels}
    return qrels, {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in run.items()}


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(diverse())
def test_diversity_qrels_are_scored_as_ndeval_does(tmp_path, drawn):
    qrels, run = drawn
    triples = [
        (query, topic, doc, grade)
        for query, docs in qrels.items()
        for doc, topics in docs.items()
        for topic, grade in topics.items()
    ]
    (tmp_path / "qrels.txt").write_text("".join("{} {} {} {}\n".format(*row) for row in triples), encoding="utf-8")
    (tmp_path / "a.run").write_text(run_text(run), encoding="utf-8")
    names = {"alpha_nDCG@10": "alpha-nDCG@10", "ERR_IA@10": "ERR-IA@10", "StRecall@10": "strec@10", "NRBP": "NRBP"}
    theirs = pyndeval.ndeval(triples, rows(run), names.values())
    frame = pl.DataFrame(triples, schema=["query", "subtopic", "document", "grade"], orient="row")
    for judgments in (tmp_path / "qrels.txt", frame, pd.DataFrame(triples, columns=frame.columns)):
        found = neraca.trec(judgments, tmp_path / "a.run", list(names))
        for ours, reference in names.items():
            right = {query: theirs[query][reference] for query in qrels}
            assert found.by_item(ours) == pytest.approx(right, abs=1e-9), ours


# numbers that others published


#: github.com/terrierteam/ir_measures, test/test_pytrec_eval.py: texts that go in, and what is expected of trec_eval.
PUBLISHED_QRELS = "0 0 D0 0\n0 0 D1 1\n0 0 D2 2\n0 0 D3 2\n0 0 D4 0\n1 0 D0 1\n1 0 D3 2\n1 0 D5 0\n"
PUBLISHED_RUN = """\
0 0 D0 1 0.8 run
0 0 D2 2 0.7 run
0 0 D1 3 0.3 run
0 0 D3 4 0.4 run
0 0 D4 5 0.1 run
1 0 D1 1 0.8 run
1 0 D4 2 0.7 run
1 0 D3 3 0.3 run
1 0 D2 4 0.4 run
"""


@pytest.mark.parametrize(
    "name, first, second, mean",
    [
        ("SetP", 0.6, 0.25, 0.425),
        ("SetP(rel=2)", 0.4, 0.25, 0.325),
        ("SetR", 1, 0.5, 0.75),
        ("SetR(rel=2)", 1, 1, 1),
        ("Success@2", 1, 0, 0.5),
        ("Success(rel=3)@2", 0, 0, 0),
        ("NumRet", 5, 4, 9),
    ],
)
def test_numbers_published_for_trec_eval(tmp_path, name, first, second, mean):
    (tmp_path / "qrels").write_text(PUBLISHED_QRELS)
    (tmp_path / "run").write_text(PUBLISHED_RUN)
    found = neraca.trec(tmp_path / "qrels", tmp_path / "run", name)
    assert found.by_item(name) == pytest.approx({"0": first, "1": second})
    assert found.mean(name) == pytest.approx(mean)


@pytest.mark.parametrize(
    "name, first, second",
    [("AP", 0.8333, 0.125), ("InfAP", 0.8333, 0.1875), ("AP(rel=2)", 0.3333, 0.25), ("InfAP(rel=2)", 0.3333, 0.375)],
)
def test_numbers_published_for_trec_eval_with_negative_grades(tmp_path, name, first, second):
    """Same source, test_infAP: a grade of -1 is a document that was in the pool and not judged."""
    (tmp_path / "qrels").write_text(
        "0 0 D0 1\n0 0 D1 -1\n0 0 D2 0\n0 0 D3 2\n0 0 D4 0\n1 0 D0 1\n1 0 D3 2\n1 0 D4 -1\n1 0 D5 0\n"
    )
    (tmp_path / "run").write_text(PUBLISHED_RUN)
    assert neraca.trec(tmp_path / "qrels", tmp_path / "run", name).by_item(name) == pytest.approx(
        {"0": first, "1": second}, abs=5e-5
    )


def test_numbers_published_for_ndeval(tmp_path):
    """github.com/terrierteam/ir_measures, test/test_pyndeval.py, test_ERR_IA."""
    (tmp_path / "qrels").write_text(
        "0 0 D0 0\n0 0 D1 1\n0 0 D2 1\n0 1 D2 1\n0 1 D3 2\n0 0 D4 0\n1 0 D0 1\n1 0 D3 2\n1 1 D5 2\n"
    )
    second = "1 0 D1 1 0.8 run\n1 0 D3 2 0.7 run\n1 0 D4 3 0.3 run\n1 0 D2 4 0.4 run\n"
    (tmp_path / "run").write_text(PUBLISHED_RUN[: PUBLISHED_RUN.index("1 0 D1")] + second)
    found = neraca.trec(tmp_path / "qrels", tmp_path / "run", "ERR_IA@20")
    assert found.by_item("ERR_IA@20") == pytest.approx({"0": 0.4659, "1": 0.1803}, abs=5e-5)
    assert found.mean("ERR_IA@20") == pytest.approx(0.3231, abs=5e-5)
