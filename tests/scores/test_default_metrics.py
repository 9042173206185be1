"""Which metrics are scored where nobody names any."""

from builders import make_answer, make_item, make_run, make_scorable
from msgspec.structs import replace

from neraca.metrics.rag.example import judged
from neraca.records import Answer, Item, Verdict
from neraca.scores.default_metrics import CALLED, RANKED, WORDED, default_metrics, several_judges
from neraca.scores.score import score

WORDS = [Item(id="1", query="?", references=("two",))]


def verdict_on(aspect, by="llm:m#abcdef", about="answer"):
    return Verdict(item="1", about=about, aspect=aspect, value=1.0, by=by)


def chosen(items, verdicts=(), by=""):
    return default_metrics([make_scorable([(item, Answer(item=item.id)) for item in items], verdicts)], by)


def test_questions_alone_choose():
    assert chosen([make_item("1")]) == RANKED
    assert chosen(WORDS) == WORDED
    assert chosen([make_item("1", "price", references=("two",))]) == (*RANKED, *WORDED)


def test_answers_in_words_alone_are_no_searches_that_found_nothing():
    item = Item(id="1", query="?", references=("two",), expects="results")
    in_words, with_hit = Answer(item="1", text="two"), make_answer("d1")
    assert default_metrics([make_scorable([(item, in_words)])]) == WORDED
    assert default_metrics([make_scorable([(item, in_words)]), make_scorable([(item, with_hit)])]) == (*RANKED, *WORDED)
    unsaid = Item(id="1", query="?", expects="results")
    assert default_metrics([make_scorable([(unsaid, in_words)])]) == RANKED, "nothing else can be scored"


def test_expected_calls_are_compared():
    item = make_item("1", expected_calls=({"name": "stop"},))
    assert chosen([make_item("2"), item]) == CALLED
    assert chosen([item, make_item("2", "price", references=("two",))]) == (*CALLED, *RANKED, *WORDED)
    assert chosen([item], [verdict_on("valid")]) == ("Valid", *CALLED)


def test_what_a_judge_decided_is_scored_first():
    claims = [verdict_on("claims"), verdict_on("contexts"), verdict_on("declines")]
    assert chosen([make_item("1")], claims) == ("ContextPrecision", "Faithfulness")
    both = [*claims, verdict_on("reference_claims")]
    assert chosen(WORDS, both) == ("ContextRecall", "ContextPrecision", "Faithfulness", "ClaimF", *WORDED)
    close = [*both, verdict_on("similarity", "embed:minilm"), verdict_on("question", "embed:minilm", "question:1")]
    assert {"AnswerCorrectness", "AnswerRelevance"} < set(chosen(WORDS, close))
    assert chosen([make_item("1")], [verdict_on("sql_equivalent", "rules:sql")]) == ("SQLEquivalent",)


def test_what_applies_to_no_answer_is_not_scored():
    why = {"value": None, "why": "the item has no reference", "status": "not_applicable"}
    without = replace(verdict_on("reference_claims"), **why)
    claims = [verdict_on("claims"), verdict_on("contexts"), verdict_on("declines")]
    assert chosen([make_item("1")], [*claims, without]) == ("ContextPrecision", "Faithfulness")
    failed = replace(without, status="unscored", why="no reply")
    assert "ContextRecall" in chosen([make_item("1")], [*claims, failed]), "what failed is shown, with its reason"


def test_a_judge_of_the_corpus_adds_what_was_findable():
    there = verdict_on("corpus_claims", "llm:m#c0c0c0")
    assert chosen(WORDS, [there]) == ("CorpusCoverage", *WORDED)
    both = [there, verdict_on("reference_claims"), verdict_on("contexts")]
    assert chosen(WORDS, both)[:3] == ("CorpusCoverage", "ContextRecall", "FindableRecall")


def test_people_and_verdicts_on_hits_choose_nothing():
    assert chosen(WORDS, [verdict_on("claims", "human:Ana"), verdict_on("claims", "rules", "hit:d")]) == WORDED


def test_of_several_judges_one_must_be_chosen():
    jury = [
        verdict_on("valid", "llm:a#111111"),
        verdict_on("valid", "llm:a#222222"),
        verdict_on("valid", "llm:b#111111"),
    ]
    assert chosen(WORDS, jury[:2]) == ("Valid", *WORDED)  # the same model with two prompts is one judge
    assert chosen(WORDS, jury) == WORDED
    assert chosen(WORDS, jury, "llm:b") == ("Valid", *WORDED)


def test_a_jury_counts_where_it_decided_in_every_run_and_only_on_whole_answers():
    two = [verdict_on(aspect, by) for aspect in ("valid", "claims") for by in ("llm:a", "llm:b")]
    voted = [*two, verdict_on("valid", "llm:jury"), verdict_on("claims", "llm:jury")]
    assert chosen(WORDS, voted) == ("Valid(by=llm:jury)", *WORDED), "nobody votes on lists of claims"
    assert chosen(WORDS, voted, "llm:jury")[:2] == ("Faithfulness", "Valid"), "whoever names it gets it"
    both = [make_scorable([(WORDS[0], Answer(item="1"))], verdicts) for verdicts in (two, voted)]
    assert default_metrics(both) == WORDED


def test_what_several_judges_decided_is_named_with_the_metrics_left_out_and_the_jury_first():
    two = [verdict_on(aspect, by) for aspect in ("valid", "supported", "claims") for by in ("llm:a#1", "llm:b")]
    parts = [
        make_scorable([(WORDS[0], Answer(item="1"))], verdicts)
        for verdicts in (two, [*two, verdict_on("valid", "llm:jury")])
    ]
    of_claims, valid, supported = several_judges(parts)
    assert (of_claims.metrics, of_claims.can_vote) == (("Faithfulness",), False)
    assert (valid.metrics, valid.judges, valid.can_vote) == (("Valid",), ("llm:jury", "llm:a", "llm:b"), True)
    assert (supported.aspects, supported.judges) == (("supported",), ("llm:a", "llm:b"))
    assert several_judges(parts[:1], "llm:b") == []


def test_they_can_all_be_scored(tmp_path):
    said = judged([("a", 1)], [("a", 1)], similarity=0.5, questions=[0.5], valid=1, supported=1)
    run = make_run(tmp_path / "run", said.part.column("items"), said.part.column("answers"), said.verdicts.table)
    scores = score([run])
    names = [str(metric) for metric in scores.metrics]
    assert names[:7] == [
        "ContextRecall",
        "ContextPrecision",
        "Faithfulness",
        "ClaimF",
        "AnswerCorrectness",
        "AnswerRelevance",
        "Valid",
    ]
    assert all(one.n == 1 for one in scores.overall() if one.metric in names[:7])


def test_a_run_without_answers_has_metrics_too(tmp_path):
    run = make_run(tmp_path / "run", WORDS, [Answer(item="1", text="two")])
    assert [str(metric) for metric in score([run]).metrics] == list(WORDED)
