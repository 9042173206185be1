"""The first documents of a run file, in the order in which `neraca trec` ranks them."""

import gzip
import random

import pytest

from neraca.datasets.trec.top_documents import top_documents, top_of_scores
from neraca.errors import InputError
from neraca.scores.trec import trec

LINES = "q1 Q0 a 9 1.0 t\nq1 Q0 b 1 3.0 t\nq2 Q0 z 1 1 t\nq1 Q0 c 2 3.0 t\nq1 Q0 d 3 2.5 t\n"


@pytest.mark.parametrize("block_size", [30, 1 << 18])
def test_by_score_then_by_falling_id_and_the_rank_column_does_not_count(tmp_path, block_size):
    file = tmp_path / "a.run"
    file.write_text(LINES)
    assert top_documents(file, 3, block_size) == {"q1": ["c", "b", "d"], "q2": ["z"]}


def test_gzip_and_a_long_ranking_of_which_little_is_kept(tmp_path):
    scores = {f"d{n:05}": random.Random(n).random() for n in range(9000)}
    file = tmp_path / "a.run.gz"
    file.write_bytes(gzip.compress("".join(f"q Q0 {d} 1 {s!r} t\n" for d, s in scores.items()).encode()))
    assert top_documents(file, 7) == {"q": sorted(scores, key=scores.__getitem__, reverse=True)[:7]}


def test_the_order_is_that_of_trec(tmp_path):
    """A document that is relevant alone has the reciprocal of its rank."""
    draws = random.Random(4)
    run = {"q": {f"d{n}": float(draws.randrange(4)) for n in range(30)}}
    for rank, document in enumerate(top_of_scores(run, 30)["q"], start=1):
        assert trec({"q": {document: 1}}, run, "RR").overall()[0].value == pytest.approx(1 / rank)


def test_a_document_twice_and_a_score_that_is_none(tmp_path):
    file = tmp_path / "a.run"
    file.write_text("q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(InputError, match="query 'q' has the document 'a' twice"):
        top_documents(file, 5)
    file.write_text("q Q0 a 1 2 t\nq Q0 b 2 x t\n")
    with pytest.raises(InputError, match="line 2: the score 'x' is not a number"):
        top_documents(file, 5)
