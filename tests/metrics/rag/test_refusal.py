"""Refusals: counts and totals by hand, whose word counts, and what is neither answer nor refusal."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scorable
from judged_answers import say

import neraca
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import UNANSWERABLE
from neraca.metrics.rag.refusal import UNSAID
from neraca.records import Verdict

NO, YES = "I do not know.", "It costs 5."
METRICS = ("RefusalPrecision", "RefusalRecall", "RefusalF1")


def totals(*rows):
    """The three metrics, and the reasons, of rows of (expects, text, declines, status)."""
    pairs, said = [], []
    for n, (expects, text, declines, status) in enumerate(rows):
        pairs.append((make_item(str(n), expects=expects), make_answer(item=str(n), text=text, status=status)))
        if declines is not None:
            said.append(Verdict(item=str(n), about="answer", aspect="declines", value=declines, by="phrases"))
    part = make_scorable(pairs, said)
    counts = [score_metric(Metric.of(name), part) for name in METRICS]
    sums = [one.rows[~np.isnan(one.rows).any(axis=1)].sum(axis=0) for one in counts]
    return [float(one.metric.total(total)) for one, total in zip(counts, sums, strict=True)], list(counts[0].why)


def test_by_hand():
    """Six questions without an answer, five declined; of four others one declined: 5/6, 5/6, 10/12."""
    rows = [("none", NO, 1, "complete")] * 5 + [("none", YES, 0, "complete")]
    rows += [("results", YES, 0, "complete")] * 3 + [("results", NO, 1, "complete")]
    assert totals(*rows)[0] == pytest.approx([5 / 6, 5 / 6, 10 / 12])


def test_who_never_declines_has_no_precision_and_no_recall():
    precision, recall, f1 = totals(("none", YES, 0, "complete"), ("results", YES, 0, "complete"))[0]
    assert (np.isnan(precision), recall, f1) == (True, 0, 0)


def test_a_complete_empty_answer_declines_and_a_failed_one_does_not():
    assert totals(("none", "", None, "complete"))[0] == [1, 1, 1]
    assert totals(("none", "", None, "complete"), ("none", "", None, "timeout"))[0] == [1, 1, 1]
    assert totals(("none", NO, 1, "complete"), ("results", "", None, "error"))[0] == [1, 1, 1]
    assert totals(("none", NO, 1, "complete"), ("results", "", None, "complete"))[0][0] == 1 / 2


def test_what_is_not_known_is_unscored_with_the_reason():
    why = totals((None, NO, 1, "complete"), ("none", NO, None, "complete"), ("none", NO, 1, "suspect"))[1]
    assert why[0] == UNSAID
    assert "whether it declines" in why[1]
    assert why[2] == "suspect: the answer may not be whole"


def test_a_person_overrules_the_phrases_and_a_model_comes_before_them():
    pairs = [(make_item(expects="none"), make_answer(text=NO))]
    said = [say("answer", "declines", 1, by="phrases"), say("answer", "declines", 0, by="llm:m")]
    recall = Metric.of("RefusalRecall")
    assert recall.total(score_metric(recall, make_scorable(pairs, said)).rows[0]) == 0
    ana = [*said, say("answer", "declines", 1, by="human:Ana")]
    assert recall.total(score_metric(recall, make_scorable(pairs, ana)).rows[0]) == 1
    assert recall.total(score_metric(Metric.of("RefusalRecall(by=phrases)"), make_scorable(pairs, said)).rows[0]) == 1


@pytest.mark.parametrize("name", ["AnswerRelevance", "AnswerCorrectness(weight=1)", "ContextPrecision"])
def test_good_answers_to_what_cannot_be_answered_are_undefined_for_every_system_alike(name):
    item = make_item(expects="none", references=("nothing",))
    said = [say("answer", "claims", 0), say("answer", "declines", 1), say("answer", "contexts", 0)]
    for answer in (make_answer(text=NO), make_answer(text=YES), make_answer(status="error")):
        counts = score_metric(Metric.of(name), make_scorable([(item, answer)], said))
        assert (np.isnan(counts.each[0]), counts.why[0]) == (True, UNANSWERABLE)


def test_two_versions_are_told_apart(tmp_path):
    """v1 answers six questions that nothing answers, v2 declines five of them; both answer six others."""
    items = [make_item(str(n), expects="none" if n < 6 else "results") for n in range(12)]
    for name, declined in (("v1", 0), ("v2", 5)):
        texts = [NO if n < declined else YES for n in range(12)]
        make_run(tmp_path / name, items, [make_answer(item=str(n), text=text) for n, text in enumerate(texts)])
        neraca.judge(tmp_path / name, "declines")
    scores = neraca.score([tmp_path / "v1", tmp_path / "v2"], "RefusalRecall RefusalF1")
    assert "declines" not in str(neraca.notes(scores))
    assert [scores.mean("RefusalRecall", run) for run in ("v1", "v2")] == pytest.approx([0, 5 / 6])
    assert [scores.mean("RefusalF1", run) for run in ("v1", "v2")] == pytest.approx([0, 10 / 11])


def test_refusals_of_questions_that_say_nothing_are_noted(tmp_path):
    items = [make_item(str(n)) for n in range(3)]
    make_run(tmp_path / "v2", items, [make_answer(item=str(n), text=NO if n else YES) for n in range(3)])
    neraca.judge(tmp_path / "v2", "declines")
    notes = str(neraca.notes(neraca.score(tmp_path / "v2", "Words")))
    assert "v2 declines 2 questions, and nobody says whether anything answers them" in notes
