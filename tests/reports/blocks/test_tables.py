"""What the tables of counts leave out, and that they say so."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict
from drawn import to_html, to_markdown

from neraca import report, score
from neraca.scores.confusion import Confusion

LEVEL = [make_verdict("b", "relevance", value, f"human:{name}") for name, value in (("ana", 1), ("budi", 0))]


@pytest.fixture
def counted(tmp_path):
    """The report of a run that returns a, b and c where results are expected, and d where nothing is."""

    def make(*verdicts, constraints=""):
        items = [make_item("1", constraints, expects="results"), make_item("2", expects="none")]
        run = make_run(tmp_path / "run", items, [make_answer("a b c", "1"), make_answer("d", "2")], verdicts)
        return report(score([run], "RR"))

    return make


def test_hits_that_nobody_decided_are_left_out_and_counted(counted):
    """Ana and Budi are level on b, nobody judged c and d."""
    made = counted(make_verdict("a", "relevance", 1, "human:ana"), *LEVEL)
    hits = made.counts[0].hits
    assert hits == Confusion(tp=1, fp=0, fn=0, tn=0, unscored=0, unjudged=3)
    assert "| run | 1 | 0 | 0 | 0 | 1.000 | 1.000 | 1.000 | 1.000 | 3 | 0 |" in to_markdown(made)
    page = to_html(made)
    assert '<span class="of" dir="auto">Hits left out</span> 3</td>' in page


def test_no_matrix_of_hits_where_no_hit_was_judged(counted):
    assert "No confusion matrix of hits: no answer has judged hits." in to_markdown(counted(*LEVEL))


def test_no_matrix_of_questions_where_no_judge_checked_constraints(counted):
    """A hit where nothing is expected would be the one false positive of a matrix of nothing else."""
    made = counted(make_verdict("a", "relevance", 1, "human:ana"))
    assert made.counts[0].questions.fp == 1
    assert "or no judge checked constraints of hits" in to_markdown(made)


def test_a_matrix_of_questions_where_constraints_were_checked(counted):
    made = counted(*(make_verdict(doc, "price", 1) for doc in "abc"), constraints="price")
    assert "| run | 1 | 1 | 0 | 0 | 0.500 |" in to_markdown(made)
