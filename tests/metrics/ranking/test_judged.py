import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scorable, make_verdict

from neraca import notes, score, trec
from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.judged import judged


@pytest.mark.parametrize(
    "grades, at, of, value",
    [
        ([1, None, 0, -2], 0, "returned", 3 / 4),
        ([1, None, 0, -2], 3, "returned", 2 / 3),
        ([1, None, 0, -2], 8, "returned", 3 / 4),
        ([1, None, 0, -2], 8, "k", 3 / 8),
        ([1, -1, 0, -2], 0, "returned", 3 / 4),
        ([1, -1, 0, -2], 3, "returned", 2 / 3),
        ([1, -1, 0, -2], 8, "k", 3 / 8),
        ([-1, -1], 1, "returned", 0),
        ([1, None, 0, -1], 2, "k", 1 / 2),
        ([None, None], 1, "returned", 0),
        ([], 5, "k", 0),
    ],
)
def test_by_hand(grades, at, of, value):
    assert judged(ranking(grades, unseen=[1]), at=at, of=of) == pytest.approx([value])


@pytest.mark.parametrize("at", [0, 5])
def test_nothing_returned_is_no_share_of_what_was_returned(at):
    assert np.isnan(judged(ranking([], unseen=[1]), at=at))


def test_a_document_that_comes_again_needs_no_judgement():
    batch = make_scorable([(make_item(relevant={"a": 1}), make_answer("x x a y"))])
    assert score_metric(Metric.of("Judged"), batch).rows[0, 0] == 2 / 4


@pytest.mark.parametrize(
    "wrong, message",
    [({"of": "all"}, "of is k or returned, not 'all'"), ({"of": "k"}, r"needs a cutoff .* write Judged\(of=k\)@10")],
)
def test_words_that_do_not_fit(wrong, message):
    with pytest.raises(SpecError, match=message):
        judged(ranking([1]), **wrong)


def test_hits_of_which_none_is_judged_are_0_and_the_note_has_the_value_of_the_metric(tmp_path):
    """Of five answers one is judged whole, three have hits that nobody judged, one of them where nothing is right.

    Judged@5 is 1, 0, 0 and 0, and undefined for the empty answer: .25.
    """
    items = [
        make_item(name, expects=expects) for name, expects in zip("12345", ["results"] * 4 + ["none"], strict=True)
    ]
    answers = [make_answer(docs, name) for name, docs in zip("12345", ["a", "b", "c d", "", "e"], strict=True)]
    verdicts = [make_verdict("a", "relevance", 1, "human:ana")]
    runs = [make_run(tmp_path / name, items, answers, verdicts) for name in ("s1", "s2")]
    scores = score(runs, "Judged@5 P@5")
    assert (scores["Judged@5"]["s1"], scores.runs[0].why("Judged@5")) == (0.25, {3: "nothing was returned"})
    assert "Judged@5 is 0.250 (s1) and 0.250 (s2): unjudged documents" in str(notes(scores))


def test_runs_in_the_format_of_trec_have_the_same_value(tmp_path):
    """Query 2 has qrels, and none of its hits is in them."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 z 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n2 Q0 b 1 2 x\n")
    assert trec(tmp_path / "qrels", [tmp_path / "x.run"], "Judged@5")["Judged@5"]["x"] == 0.5
