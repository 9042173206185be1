"""Refusals: counts and totals by hand, whose word counts, and what is neither answer nor refusal."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scorable
from drawn import to_markdown
from judged_answers import verdict_on

import neraca
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import UNANSWERABLE
from neraca.metrics.rag.refusal import UNSAID
from neraca.metrics.rag.valid import DECLINED
from neraca.records import Verdict
from neraca.reports.sentences.refusals import refusal_sentences
from neraca.scores import confusion

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
    said = [verdict_on("answer", "declines", 1, by="phrases"), verdict_on("answer", "declines", 0, by="llm:m")]
    recall = Metric.of("RefusalRecall")
    assert recall.total(score_metric(recall, make_scorable(pairs, said)).rows[0]) == 0
    ana = [*said, verdict_on("answer", "declines", 1, by="human:Ana")]
    assert recall.total(score_metric(recall, make_scorable(pairs, ana)).rows[0]) == 1
    assert recall.total(score_metric(Metric.of("RefusalRecall(by=phrases)"), make_scorable(pairs, said)).rows[0]) == 1


@pytest.mark.parametrize("name", ["AnswerRelevance", "AnswerCorrectness(weight=1)", "ContextPrecision", "Valid"])
def test_good_answers_to_what_cannot_be_answered_are_undefined_for_every_system_alike(name):
    item = make_item(expects="none", references=("nothing",))
    said = [verdict_on("answer", "claims", 0), verdict_on("answer", "declines", 1), verdict_on("answer", "contexts", 0)]
    said.append(verdict_on("answer", "valid", 0))
    for answer in (make_answer(text=NO), make_answer(text=YES), make_answer(status="error")):
        counts = score_metric(Metric.of(name), make_scorable([(item, answer)], said))
        assert (np.isnan(counts.per_answer[0]), counts.why[0]) == (True, UNANSWERABLE)


def verdicts_on(number, refuses, hits):
    """What a judge of claims, `valid` and `supported` say of nonsense, of a refusal, and of good answers.

    Nonsense is what its contexts are useful for, because there is no reference to compare them with.
    """
    nonsense = number < 6 and not refuses
    whole = {"claims": 0 if refuses else 1, "contexts": hits, "declines": refuses, "valid": not refuses}
    whole["supported"] = not nonsense
    rows = [("answer", aspect, float(value), "llm:m") for aspect, value in whole.items()]
    rows += [(f"hit:d{rank}", "useful", 0.0 if refuses else 1.0, "llm:m") for rank in range(hits)]
    if not refuses:
        rows += [("claim:1", "claim", 1.0, "llm:m"), ("claim:1", "supported", float(not nonsense), "llm:m")]
        rows.append(("question:1", "question", 0.8, "embed:e#llm:m"))
    return [
        Verdict(item=str(number), about=about, aspect=aspect, value=value, by=by) for about, aspect, value, by in rows
    ]


@pytest.mark.parametrize("hits", [0, 2], ids=["without contexts", "with contexts"])
def test_no_default_number_favours_nonsense_over_right_refusals(tmp_path, hits):
    """v1 answers six questions that nothing answers, v2 declines five of them; both answer six others."""
    items = [make_item(str(n), expects="none" if n < 6 else "results") for n in range(12)]
    for name, declined in (("v1", 0), ("v2", 5)):
        docs = " ".join(f"d{rank}" for rank in range(hits))
        answers = [make_answer(docs, item=str(n), text=NO if n < declined else YES) for n in range(12)]
        said = [verdict for n in range(12) for verdict in verdicts_on(n, n < declined, hits)]
        make_run(tmp_path / name, items, answers, said)
        neraca.judge(tmp_path / name, "declines")
    scores = neraca.score([tmp_path / "v1", tmp_path / "v2"])
    metrics = [str(metric) for metric in scores.metrics]
    expected = {"RefusalF1", "AnswerRelevance", "ContextPrecision", "Faithfulness", "Valid", "Supported"}
    assert expected <= set(metrics)
    assert ("Success" in metrics) == bool(hits), "answers in words alone are no searches that found nothing"
    means = {name: [scores.mean(name, run) for run in ("v1", "v2")] for name in metrics}
    assert {name for name, (first, second) in means.items() if first > second} == set(), means
    assert means["RefusalF1"] == pytest.approx([0, 10 / 11])
    for name in ("AnswerRelevance", "ContextPrecision", "Valid"):
        assert means[name][0] == means[name][1], name
    # Six good answers are supported, and six, or one, of nonsense is not; five refusals have no value.
    assert means["Faithfulness"] == means["Supported"] == pytest.approx([6 / 12, 6 / 7])
    recall = neraca.score([tmp_path / "v1", tmp_path / "v2"], "RefusalRecall")
    assert [recall.mean("RefusalRecall", run) for run in ("v1", "v2")] == pytest.approx([0, 5 / 6])
    named = [note for note in neraca.notes(scores) if "declines" in note]
    assert all("label some of the answers" in note for note in named), "that two judges decided on it is no trouble"
    outcomes = [confusion.outcomes_in_words(run.scorable) for run in scores.runs]
    names = ("answered", "rightly refused", "wrongly refused", "answered what cannot be answered", "failed")
    assert [[one[name] for name in (*names, "not decided")] for one in outcomes] == [
        [6, 0, 0, 6, 0, 0],
        [6, 5, 0, 1, 0, 0],
    ]
    assert "answers in words: answered 6, rightly refused 5" in list(refusal_sentences(scores))[1]
    page = to_markdown(neraca.report(scores))
    assert "| rightly refused | 0 (0 %) | 5 (42 %) |" in page


def test_outcomes_in_words_by_hand():
    """Each outcome once; a failed answer is neither right nor wrong, and who is not judged is not decided."""
    rows = [("results", YES, 0, "complete"), ("none", NO, 1, "complete"), ("none", "", None, "complete")]
    rows += [("results", NO, 1, "complete"), ("results", "", None, "complete"), ("none", YES, 0, "complete")]
    rows += [("none", "", None, "error"), ("results", "", None, "timeout")]
    rows += [("none", NO, None, "complete"), (None, NO, 1, "complete"), ("none", NO, 1, "suspect")]
    pairs = [
        (make_item(str(n), expects=expects), make_answer(item=str(n), text=text, status=status))
        for n, (expects, text, _, status) in enumerate(rows)
    ]
    said = [
        Verdict(item=str(n), about="answer", aspect="declines", value=value, by="phrases")
        for n, (_, _, value, _) in enumerate(rows)
        if value is not None
    ]
    part = make_scorable(pairs, said)
    assert list(confusion.outcomes_in_words(part).values()) == [1, 2, 2, 1, 2, 3]
    assert confusion.outcomes_in_words(make_scorable(pairs)) == {}, "nobody decided which of them decline"


@pytest.mark.parametrize("name", ["Success", "QuerySuccess", "QueryAccuracy"])
def test_a_right_refusal_beside_hits_is_worth_a_correct_empty_answer(name):
    item, said = make_item(expects="none"), [verdict_on("answer", "declines", 1, by="phrases")]
    metric = Metric.of(name)

    def worth(answer, verdicts):
        return float(metric.total(score_metric(metric, make_scorable([(item, answer)], verdicts)).rows[0]))

    assert worth(make_answer("a b", text=NO), said) == worth(make_answer(), ()) == 1
    assert worth(make_answer("a b", text=YES), ()) == worth(make_answer("a b", text=NO, status="error"), said) == 0


@pytest.mark.parametrize("docs", ["", "a b"])
def test_the_same_refusal_has_the_same_value_of_supported_with_contexts_and_without(docs):
    said = [verdict_on("answer", "supported", 1 if docs else 0), verdict_on("answer", "declines", 1, by="phrases")]
    counts = score_metric(Metric.of("Supported"), make_scorable([(make_item(), make_answer(docs, text=NO))], said))
    assert (np.isnan(counts.per_answer[0]), counts.why[0]) == (True, DECLINED)


def test_refusals_of_questions_that_say_nothing_are_noted(tmp_path):
    items = [make_item(str(n)) for n in range(3)]
    make_run(tmp_path / "v2", items, [make_answer(item=str(n), text=NO if n else YES) for n in range(3)])
    neraca.judge(tmp_path / "v2", "declines")
    notes = str(neraca.notes(neraca.score(tmp_path / "v2", "Words")))
    assert "v2 declines 2 questions, and nobody says whether anything answers them" in notes


def test_a_judge_that_decided_on_one_answer_leaves_the_others_to_the_phrases(tmp_path):
    """Rightly refused 1 (by the model), answered what cannot be answered 2 (by phrases): F1 is 2 / (2 + 2)."""
    items = [make_item(str(n), expects="none") for n in range(3)]
    answers = [make_answer(item=str(n), text=YES) for n in range(3)]
    said = [Verdict(item=str(n), about="answer", aspect="declines", value=0, by="phrases") for n in range(3)]
    said.append(Verdict(item="0", about="answer", aspect="declines", value=1, by="llm:m"))
    scores = neraca.score([make_run(tmp_path / "run", items, answers, said)], "RefusalF1")
    assert scores.mean("RefusalF1") == 0.5
    assert "rightly refused 1, wrongly refused 0, answered what cannot be answered 2" in str(
        list(refusal_sentences(scores))
    )


def test_an_answer_in_words_to_what_cannot_be_answered_is_no_correct_empty_one():
    item = make_item("0", expects="none")
    for declines, value in ((0, 0), (1, 1), (None, 1)):
        said = (
            []
            if declines is None
            else [Verdict(item="0", about="answer", aspect="declines", value=declines, by="phrases")]
        )
        part = make_scorable([(item, make_answer(item="0", text=YES))], said)
        assert float(score_metric(Metric.of("Success"), part).values[0]) == value, declines
        p = float(score_metric(Metric.of("P@5"), part).values[0])
        assert p == 0 if declines == 0 else np.isnan(p)
