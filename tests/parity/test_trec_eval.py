"""`neraca.scores.trec_eval.trec_eval` beside trec_eval 9, as pytrec_eval calls it, for each measure, on drawn data.

Release 10 rounds recall points in another way, divides nothing by memory that was never set, and has `rbp` and `unj`.
"""

import random

import pytest
import pytrec_eval

from neraca.scores.trec_eval.trec_eval import TrecEvalOptions, trec_eval

#: Not a value of a query, or rounded differently since.
LEFT_OUT = {"runid", "relstring", "num_q", "gm_map", "gm_bpref", "iprec_at_recall", "11pt_avg"}
MEASURES = sorted(pytrec_eval.supported_measures - LEFT_OUT)


def drawn(draw):
    """Qrels and a run of a few queries, some with grades and tied scores."""
    qrels, run = {}, {}
    for query in map(str, range(draw.randint(1, 4))):
        docs = [f"d{number}" for number in range(draw.randint(1, 25))]
        grades = {doc: draw.choice((0, 0, 0, 1, 1, 2, 3, -1)) for doc in docs if draw.random() < 0.7}
        qrels[query] = {**grades, "d0": max(0, grades.get("d0", 0))}  # pytrec_eval crashes where all are negative
        scores = {doc: float(draw.choice((1, 2, 3, 40, 50))) for doc in (*docs, "x", "y") if draw.random() < 0.6}
        run[query] = scores or {"x": 1.0}
    return qrels, run


@pytest.mark.parametrize("seed", range(40))
def test_every_measure_of_trec_eval_9(seed, tmp_path):
    draw = random.Random(seed)
    qrels, run = drawn(draw)
    level = draw.choice((1, 1, 2))
    judged, ranked = tmp_path / "qrels", tmp_path / "run"
    judged.write_text("".join(f"{q} 0 {doc} {grade}\n" for q, docs in qrels.items() for doc, grade in docs.items()))
    ranked.write_text("".join(f"{q} Q0 {doc} 1 {score} t\n" for q, docs in run.items() for doc, score in docs.items()))
    options = TrecEvalOptions(per_query=True, level=level)
    lines = [line.split("\t") for line in trec_eval(judged, ranked, MEASURES, options).splitlines()]
    printed = {(query, name.strip()): float(value) for name, query, value in lines}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES), relevance_level=level).evaluate(run)
    for query, values in theirs.items():
        for name, value in values.items():
            assert printed[query, name] == pytest.approx(value, abs=5.1e-5), (query, name)
