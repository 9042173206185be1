"""What a value of rankings rests on: judged hits, and the order of tied ones."""

import math
from itertools import permutations, product

import numpy as np
import polars as pl
import pytest

import neraca
from neraca.comparisons.compare import compare
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.scores.export import query_rows
from neraca.scores.ranking_basis import NO_BASIS, ranking_basis
from neraca.scores.trec import trec

QRELS = {"q": {"a": 1, "b": 2, "c": 0}}
#: Five documents with one score, by id: y, x, c, b, a.
FLAT = {"q": dict.fromkeys("abcxy", 1.0)}


@metric("TestFirstRank", better="lower", high=math.inf)
def first_rank(ranking: Ranking):
    return np.array([float(ranking.rank[ranking.grades > 0].min())])


def basis(run, name, qrels=QRELS):
    scores = trec(qrels, {"run": run}, [name])
    return ranking_basis(scores.run(), scores.metrics[0])


def test_one_score_for_all_by_hand():
    """The two relevant documents stand at 4 and 5; at best at 1 and 2, at worst where they are."""
    found = basis(FLAT, "AP")
    assert (found.tied, found.worst, found.best) == pytest.approx((1, (1 / 4 + 2 / 5) / 2, 1))
    assert trec(QRELS, FLAT, "AP").mean("AP") == pytest.approx((1 / 4 + 2 / 5) / 2)


@pytest.mark.parametrize(
    "name", ["AP", "RR", "P@2", "nDCG@3", "nDCG", "ERR@3", "RBP(p=0.8)", "R@2", "Bpref", "Condensed(AP)"]
)
def test_every_order_of_tied_documents_lies_between(name):
    """All orders within two groups of tied documents, brought about by other scores."""
    groups = ("axb", "cyd")
    qrels = {"q": {"a": 1, "b": 2, "c": 0, "d": 1, "z": 1}}
    values = []
    for orders in product(*map(permutations, groups)):
        ranking = "".join(map("".join, orders))
        run = {"q": {doc: float(-place) for place, doc in enumerate(ranking)}}
        values.append(trec(qrels, {"run": run}, name).mean(name))
    tied = {"q": {doc: float(-place) for place, group in enumerate(groups) for doc in group}}
    found = basis(tied, name, qrels)
    assert (found.worst, found.best) == pytest.approx((min(values), max(values)))


def test_where_less_is_better_the_best_is_the_least():
    found = basis(FLAT, "TestFirstRank")
    assert (found.worst, found.best) == (4, 1)


def test_few_ties_are_counted_and_not_followed():
    """2 of 200 lines are tied: 1 %, and not more."""
    scores = {f"d{place:03}": float(-place) for place in range(200)}
    found = basis({"q": scores | {"d001": 0.0}}, "AP", {"q": {"d001": 1}})
    assert found.tied == 0.01
    assert np.isnan([found.worst, found.best]).all()
    found = basis({"q": scores | {"d001": 0.0, "d002": 0.0}}, "AP", {"q": {"d001": 1}})
    assert (found.tied, found.worst, found.best) == (0.015, pytest.approx(1 / 3), 1)


def test_ties_of_queries_that_nobody_judged_are_not_counted():
    assert basis({"q": {"a": 2.0, "b": 1.0}, "other": {"x": 1.0, "y": 1.0}}, "AP").tied == 0


def test_a_file_a_mapping_and_a_frame_have_the_same_ties(tmp_path):
    run = FLAT | {"p": {"a": 3.0, "b": 2.0, "x": 2.0}, "unjudged": {"a": 1.0, "b": 1.0}}
    qrels = QRELS | {"p": {"b": 1}}
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    scattered = sorted(rows, key=lambda row: row[1])
    for name, lines in (("a.run", rows), ("b.run", scattered)):
        (tmp_path / name).write_text("".join(f"{query} Q0 {doc} 0 {score} t\n" for query, doc, score in lines))
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    bases = [basis(source, "AP", qrels) for source in (run, tmp_path / "a.run", tmp_path / "b.run", frame)]
    assert bases[0].tied == 7 / 8
    assert bases[0].best == pytest.approx((1 + 1 / 2) / 2)
    assert bases[1:] == [pytest.approx(bases[0])] * 3


def test_subtopics_have_a_share_of_ties_and_no_range():
    found = basis(FLAT, "alpha_nDCG@5")
    assert found.tied == 1
    assert np.isnan([found.worst, found.best]).all()


def test_what_looks_at_no_ranking_rests_on_none():
    scores = neraca.text(["one"], ["one"], "TokenF1")
    assert ranking_basis(scores.run(), scores.metrics[0]) is NO_BASIS


def test_rows_of_differences_and_of_means_have_it():
    """Of the first two documents of `flat`, x and y, nobody judged any; of `other` one."""
    scores = trec(QRELS, {"flat": FLAT, "other": {"q": {"b": 2.0, "x": 1.0}}}, "P@2")
    (row,) = compare(scores).rows()
    assert [row[f"{name}_a"] for name in ("judged", "tied", "worst", "best")] == [0, 1, 0, 1]
    assert (row["judged_b"], row["tied_b"]) == (0.5, 0)
    assert math.isnan(row["best_b"])
    flat, other = query_rows(scores, basis=True)
    assert (flat["judged"], flat["worst"], flat["best"], other["judged"]) == (0, 0, 1, 0.5)
