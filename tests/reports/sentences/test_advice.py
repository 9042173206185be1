"""What to mend first: every sentence follows from the intervals, and none says more."""

import re
from dataclasses import replace

import numpy as np
from builders import make_run
from drawn import to_html, to_markdown
from staged import around, staged

from neraca.metrics.rag.example import judged
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.questions import questions
from neraca.reports.report import report
from neraca.reports.sentences.advice import advice
from neraca.reports.sentences.stage_words import MEND
from neraca.scores.score import score

METRICS = "ContextRecall ContextPrecision Faithfulness ClaimF"


def advice_on(values, **more):
    (one,) = advice(staged(values, **more)).runs
    return one


def test_what_is_not_found_is_mended_first_and_how():
    one = advice_on({"ContextRecall": around(0.5), "ContextPrecision": around(0.9), "Faithfulness": around(0.9)})
    assert one.headline.startswith(
        "shop, to mend first: what is found. ContextRecall is 0.50 (0.47 to 0.53; 30 questions)"
    )
    assert one.headline.endswith(", below 0.8.")
    for word in ("knowledge base", "embeddings", "rewriting the query"):
        assert word in one.details[0]
    assert [(e.number, e.id, round(e.value, 2)) for e in one.examples[:2]] == [(1, "q0", 0.4), (6, "q5", 0.4)]
    assert one.metric == "ContextRecall"
    assert "ContextPrecision is 0.90 (0.87 to 0.93; 30 questions): not below 0.8." in one.details


def test_each_stage_has_its_own_remedies():
    for metric, words in (
        ("ContextPrecision", ("Re-rank", "chunks")),
        ("Faithfulness", ("prompt", "temperature", "model")),
        ("Supported", ("prompt", "temperature", "model")),
    ):
        one = advice_on({metric: [0.0, 1.0, 0.0, 0.0] * 10})
        assert all(word in one.details[0] for word in words)
    complete = advice_on({"ContextRecall": [1.0] * 30, "AnswerCorrectness": around(0.4)})
    assert complete.headline == (
        "shop, to mend first: how answers are made of what was found. All 30 bad answers come from there."
    )
    assert all(word in complete.details[0] for word in ("prompt", "temperature", "model"))


def test_the_difference_that_decides_is_told_with_its_p():
    one = advice_on({"ContextRecall": around(0.6), "Faithfulness": around(0.4, step=0.06)})
    assert "to mend first: how answers keep to what was found" in one.headline
    said = r"On the 30 questions scored in both it is lower than ContextRecall by 0\.20 \(p < 0\.001 .*\)\."
    assert any(re.fullmatch(said, d) for d in one.details)
    assert any(d.startswith("Weak as well: what is found. ContextRecall is 0.60") for d in one.details)


def test_a_difference_that_is_not_shown_is_not_told():
    noise = np.random.default_rng(1).normal(0, 0.1, (2, 30))
    one = advice_on({"ContextRecall": 0.52 + noise[1], "Faithfulness": 0.5 + noise[0]})
    assert "to mend first: what is found" in one.headline
    assert not any("it is lower than" in d and "not shown" not in d for d in one.details)
    assert (
        "That it is lower than Faithfulness is not shown; it comes first because the later stages rest on it."
        in one.details
    )


def test_of_three_weak_stages_only_what_is_shown_is_said():
    noise = np.random.default_rng(5).normal(0, 0.1, (2, 40))
    values = {"ContextRecall": 0.42 + noise[0], "ContextPrecision": around(0.7, 40), "Faithfulness": 0.4 + noise[1]}
    one = advice_on(values)
    assert "to mend first: what is found" in one.headline
    assert any("it is lower than ContextPrecision by 0." in d for d in one.details)
    assert [d for d in one.details if "is not shown" in d] == [
        "That it is lower than Faithfulness is not shown; it comes first because the later stages rest on it."
    ]


def test_nothing_is_advised_where_nothing_is_shown():
    one = advice_on({"ContextRecall": around(0.78, step=0.1), "Faithfulness": around(0.9)})
    assert one.headline == "shop: no stage is shown to be weak."
    assert any("the data do not show whether it is below 0.8" in d for d in one.details)
    few = advice_on({"ContextRecall": around(0.1, 12)})
    assert few.headline == "shop: no stage is shown to be weak."
    assert "on too few independent questions (12) to say more" in few.details[0]
    assert few.examples == ()
    silent = advice_on({"Faithfulness": [None] * 30})
    assert silent.details == ("Faithfulness is not known, on too few independent questions (0) to say more.",)
    good = advice_on({"ContextRecall": around(0.95, step=0.02), "Faithfulness": around(0.9)})
    assert good.headline == "shop: every stage that was measured is good."
    for made in (one, few, silent, good):
        assert not any(remedy in d for d in made.details for remedy in MEND.values())


def test_bad_answers_alone_do_not_say_where():
    one = advice_on({"AnswerCorrectness": around(0.3)})
    assert "the data do not show at which stage" in one.headline
    assert "Score ContextRecall too" in one.details[-1]
    open_ = advice_on({"ContextRecall": around(0.79, 40, step=0.05), "AnswerCorrectness": around(0.3, 40)})
    assert open_.headline.endswith(
        "the data do not show which to mend first, what is found or how answers are made of what was found."
    )
    assert open_.details[0] == (
        "Of the 40 bad answers, 24 come from what is found and 16 come from how answers are made of what was found."
    )
    assert open_.details[-1].endswith("more questions may show where it comes from.")


def test_what_rests_on_a_weak_stage_is_not_blamed_for_it():
    recall, right = [1.0] * 25 + around(0.3, 25), around(0.9, 25) + around(0.1, 25)
    one = advice_on({"ContextRecall": recall, "AnswerCorrectness": right})
    assert "to mend first: what is found" in one.headline
    assert one.details[-1].endswith("it rests on the stages before, so look again when these are mended.")
    good = advice_on({"ContextPrecision": around(0.3), "AnswerCorrectness": around(0.9)})
    assert good.headline == "shop: nothing to mend, the answers are good."
    assert good.details[0].endswith("below 0.8; no bad answer is shown to come from there.")


#: Of 40 questions 12 are in no document; what is there was found, and said.
LACKING = {
    "CorpusCoverage": [0.0] * 12 + [1.0] * 28,
    "ContextRecall": [0.0] * 12 + [1.0] * 28,
    "FindableRecall": [None] * 12 + [0.9, 1.0] * 14,
    "ClaimF": [0.0, 0.1] * 6 + [0.9, 1.0] * 14,
}


def test_what_is_not_there_is_told_from_what_is_not_found():
    one = advice_on(LACKING)
    assert one.headline == (
        "shop, to mend first: what the knowledge base has. All 12 bad answers come from there. All in all 12 of 40 "
        "answers are bad."
    )
    assert one.details[0].startswith("Part of what the references say is in no document of the knowledge base. Add")
    assert one.details[1] == (
        "Not there: no retriever could have answered questions q0, q1, q2, q3, q4 and 7 more, because claims of their "
        "references stand in no document. They do not count against what is found."
    )
    assert any(
        d.startswith("FindableRecall is 0.95 (") and d.endswith("28 questions): not below 0.8.") for d in one.details
    )
    assert [example.id for example in one.examples] == ["q0", "q2", "q4", "q6", "q8"]
    words = advice(staged(LACKING)).how
    assert "lack that much of the reference (from what the knowledge base has, where that lacks as much), else" in words


def test_of_what_is_there_and_not_found_nobody_says_to_look_whether_it_is_there():
    values = LACKING | {
        "CorpusCoverage": [1.0] * 39 + [0.5],
        "FindableRecall": [0.0] * 12 + [0.9, 1.0] * 14,
    }
    one = advice_on(values)
    assert "to mend first: what is found" in one.headline
    assert one.details[0] == (
        "Part of what the references say is in the knowledge base, and in none of the contexts. What may help: other "
        "embeddings, words and vectors together, rewriting the query (above all of follow-up questions), more results."
    )
    assert not any("Not there" in d for d in one.details), "the last question was answered well all the same"
    gone = advice_on(values | {"CorpusCoverage": [0.5] + [1.0] * 39})
    assert any(
        d == "Not there: no retriever could have answered question q0, because claims of its reference stand in no "
        "document. It does not count against what is found."
        for d in gone.details
    )


def test_without_a_score_of_answers_it_is_told_as_well():
    corpus = {name: LACKING[name] for name in ("CorpusCoverage", "ContextRecall")}
    one = advice_on(corpus)
    assert "ContextRecall is 1.00 (" in " ".join(one.details)
    assert "28 questions) where the knowledge base has all that the reference says" in " ".join(one.details)
    assert one.headline == "shop: no stage is shown to be weak."
    assert one.details[0].startswith("Not there: no retriever could have answered questions q0")
    few = advice_on({name: [0.0] * 30 + values[:10] for name, values in corpus.items()})
    assert "to mend first: what the knowledge base has. CorpusCoverage is 0.0" in few.headline
    assert few.details[1].startswith("Not there")


def test_it_says_what_it_rests_on():
    words = advice(staged({"ContextRecall": around(0.5), "Faithfulness": around(0.5)})).how
    assert "below 0.8" in words
    assert "Intervals here are at 97.5 %, so that the 2 of a run hold together at 95 %." in words
    assert "A bad answer" not in words
    beside = advice(staged({"ContextRecall": around(0.5), "AnswerCorrectness": around(0.5)})).how
    assert beside.startswith("A bad answer is one with AnswerCorrectness below 0.8; it comes from what is found where")
    alone = advice(staged({"ContextRecall": around(0.5)})).how
    assert "Intervals here are at 95 %. With" in alone


def test_without_a_stage_there_is_no_advice():
    assert advice(staged({"TokenF1": around(0.1)})) is None


def rag_run(path, ids):
    """A run whose contexts have nothing of what the references say."""
    items = [Item(id=one, query="?", references=("something",)) for one in ids]
    answers = [Answer(item=one, hits=(Hit(id="a", text="?"), Hit(id="b", text="?")), text="x") for one in ids]
    said = judged([("a", 1)], [("", 0), ("", 1)]).verdicts.table
    verdicts = [
        Verdict(item=one, about=v.about, aspect=v.aspect, value=v.value, by=v.by, why=v.why)
        for one in ids
        for v in said
    ]
    return make_run(path, items, answers, verdicts)


def test_it_stands_in_the_report_and_links_to_the_questions(tmp_path):
    hostile = "q </a><script>alert(1)</script>"
    made = report(score([rag_run(tmp_path / "rag", [hostile, *(f"q{n}" for n in range(24))])], METRICS))
    assert "to mend first: what is found" in made.advice.runs[0].headline
    page, text = to_html(made), to_markdown(made)
    assert '<h2 id="advice">' in page
    assert '<a href="#advice">' in page
    assert '<a href="#q-2" dir="auto">q0</a> (0.67)' in page
    assert "<script>alert(1)" not in page
    assert "## What to mend first" in text
    assert "The questions with the lowest ClaimF: `` " not in text
    assert "`q0` (0.67)" in text
    assert made.advice.how in page.replace("\u00a0", " ")


def test_a_question_that_is_not_shown_is_named_without_a_link(tmp_path):
    scores = score([rag_run(tmp_path / "rag", [f"q{n}" for n in range(24)])], METRICS)
    page = to_html(replace(report(scores), questions=questions(scores, str(scores.metrics[0]), 1)))
    assert '<a href="#q-2"' not in page
    assert '<span dir="auto">q1</span> (0.67)' in page


def test_a_report_without_stages_says_what_to_judge(search_runs):
    made = report(score(search_runs(6), "nDCG@10"))
    assert made.advice is None
    assert '<a href="#advice">' not in to_html(made)
    assert "- What to mend first: No stage of a run was measured." in to_markdown(made)


def bad_of_88(grounding, answering):
    """88 answers of which some are wrong, by claims that no context supports or for all that was found."""
    bad = grounding + answering
    return advice_on(
        {
            "ContextRecall": [1.0] * 88,
            "Faithfulness": [0.0] * grounding + [1.0] * (88 - grounding),
            "AnswerCorrectness": [0.0] * bad + [1.0] * (88 - bad),
        }
    )


def test_the_headline_follows_from_the_share_of_bad_answers_and_not_from_their_mean():
    """The mean is 77 / 88 = .875; 8 against 3 may be chance, 11 against 0 is none."""
    eight = bad_of_88(8, 3)
    assert eight.headline == (
        "shop: 11 of 88 answers are bad; most of them, 8, come from how answers keep to what was found, but that may "
        "be chance (3 from how answers are made of what was found)."
    )
    assert "AnswerCorrectness is 0.88" in " ".join(eight.details)
    eleven = bad_of_88(11, 0)
    assert eleven.headline == (
        "shop, to mend first: how answers keep to what was found. All 11 bad answers come from there. All in all 11 of "
        "88 answers are bad."
    )
    tied, one = bad_of_88(3, 3), bad_of_88(1, 0)
    assert "6 of 88 answers are bad; as many come from" in tied.headline
    assert one.headline.endswith(
        "1 of 88 answers is bad; it comes from how answers keep to what was found, but so few may be chance."
    )
    assert "all of them come from" in bad_of_88(2, 0).headline
    assert bad_of_88(0, 0).headline == "shop: nothing to mend, the answers are good."
