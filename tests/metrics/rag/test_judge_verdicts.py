import pytest
from builders import make_answer, make_item, make_scorable
from judged_answers import ANA, GONE, judged, outcome, value, verdict_on, why

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts
from neraca.metrics.scorable import RunGroup
from neraca.records import Verdict
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.judge_verdicts import Judges

#: Judge m: two claims, the first is supported.  Judge n#2: one claim, which is.
M = judged([("a", 1), ("", 0)])
PAIR = (M.part.column("items")[0], M.part.column("answers")[0])
N = [
    verdict_on(about, aspect, number, by="llm:n#2")
    for about, aspect, number in (
        ("answer", "claims", 1),
        ("answer", "reference_claims", 1),
        ("answer", "contexts", 2),
        ("answer", "declines", 0),
        ("claim:1", "supported", 1),
        ("claim:1", "hit:b", 1),
        ("claim:1", "correct", 1),
        ("reference:1", "supported", 1),
        ("reference:1", "stated", 1),
    )
]


def test_of_several_judges_one_must_be_named():
    with pytest.raises(SpecError, match=r"several judges .*claims.*: llm:m, llm:n; .*by=llm:m.*--by llm:m"):
        outcome("Faithfulness", M, *N)
    assert value("Faithfulness(by=llm:m)", M, *N) == 0.5
    assert value("Faithfulness(by=llm:n)", M, *N) == value("Faithfulness(by=llm:n#2)", M, *N) == 1
    assert value("Faithfulness", M, *N, by="llm:n") == 1
    assert value("Faithfulness(by=llm:m)", M, *N, by="llm:n") == 0.5, "the metric's own wish goes first"


def test_a_judge_of_that_kind_alone_is_the_one():
    assert value("Faithfulness", M, by="llm") == 0.5
    assert value("Faithfulness(by=llm)", M) == 0.5
    with pytest.raises(SpecError, match="several judges"):
        outcome("Faithfulness", M, *N, by="llm")


def test_claims_of_one_judge_never_meet_verdicts_of_another():
    """n says that claim 2 is supported: that is no claim of its own, and not m's claim 2."""
    stray = verdict_on("claim:2", "supported", 1, by="llm:n#2")
    assert value("Faithfulness(by=llm:m)", M, *N, stray) == 0.5
    assert value("Faithfulness(by=llm:n)", M, *N, stray) == 1


def test_a_judge_that_is_not_there():
    with pytest.raises(SpecError, match="by=llm:mm: it did not judge this; did you mean llm:m"):
        outcome("Faithfulness(by=llm:mm)", M)
    assert why("Faithfulness", M, by="rules") == "nobody judged the claims of the answer"
    assert why("Valid", M) == "nobody judged it: valid"
    assert why("Valid(by=llm:mm)", M) == "nobody judged it: valid", "nobody at all judged that"


def test_the_prompt_that_was_used_last_counts():
    def by_prompt(hash, supported, at):
        return [
            Verdict(item="1", about=about, aspect=aspect, value=number, by=f"llm:m#{hash}", at=at)
            for about, aspect, number in (
                ("answer", "claims", 1),
                ("answer", "contexts", 1),
                ("claim:1", "supported", supported),
            )
        ]

    item, answer = make_item("1"), make_answer("a")
    old, new = by_prompt("aaa", 0, "2026-01-01"), by_prompt("bbb", 1, "2026-02-01")
    for said in ([*old, *new], [*new, *old]):
        batch = make_scorable([(item, answer)], said)
        assert score_metric(Metric.of("Faithfulness"), batch).rows[0, 0] == 1
        assert score_metric(Metric.of("Faithfulness(by=llm:m)"), batch).rows[0, 0] == 1
        assert score_metric(Metric.of("Faithfulness(by=llm:m#aaa)"), batch).rows[0, 0] == 0
    for said, expected in (([*by_prompt("a", 0, ""), *by_prompt("b", 1, "")], 1), (by_prompt("b", 1, ""), 1)):
        assert score_metric(Metric.of("Faithfulness"), make_scorable([(item, answer)], said)).rows[0, 0] == expected


def test_runs_that_are_scored_together_hear_one_judge():
    """The second run was judged by n alone, which judged the first one too: m must not be taken for the first."""
    runs = [make_scorable([PAIR], said) for said in (M.verdicts.table, N)]
    RunGroup(runs)
    for run in runs:
        with pytest.raises(SpecError, match="several judges"):
            score_metric(Metric.of("Faithfulness"), run)
    counts = [score_metric(Metric.of("Faithfulness(by=llm:n)"), run) for run in runs]
    assert counts[1].rows[0, 0] == 1
    assert counts[0].why == ("llm:n#2 did not judge the claims of the answer",)


def test_people_overrule_a_judge_whom_nobody_named():
    ana = verdict_on("claim:2", "supported", 1, by=ANA)
    assert value("Faithfulness", M, ana) == 1
    assert value("Faithfulness", M, verdict_on("claim:1", "supported", 0, by=ANA)) == 0
    assert value("Faithfulness", M, ana, verdict_on("claim:2", "supported", 0, by="human:Ben")) == 0.5, "the newer one"


def test_a_judge_that_is_named_counts_alone():
    """The judge m supports one of two claims, whatever Ana says of the other."""
    ana = verdict_on("claim:2", "supported", 1, by=ANA)
    assert value("Faithfulness(by=llm:m)", M, *N, ana) == value("Faithfulness", M, *N, ana, by="llm:m") == 0.5
    both = [
        verdict_on("answer", "valid", grade, by=by)
        for by, grade in (("llm:m", 1), (ANA, 0), ("human:all raters", None))
    ]
    assert value("Valid(by=llm:m)", M, *both) == value("Valid", M, *both, by="llm") == 1
    assert value("Valid", M, *both) is None, "people are level, and come before the judge"


def test_a_person_can_say_whose_claim_it_is():
    ana = verdict_on("claim:1@llm:m", "supported", 0, by=ANA)
    assert value("Faithfulness", M, ana) == 0
    nobody = judged([])
    gone = {f"{one.about} {one.aspect}": GONE for one in nobody.verdicts.table}
    for about, supported in (("claim:1@llm:m", 1), ("claim:1@llm:n#2", 0), ("claim:1@llm:n#1", 1)):
        said = [*N, verdict_on(about, "supported", 0, by=ANA)]
        assert value("Faithfulness", nobody, *said, changes=gone) == supported, about


def test_an_id_with_an_at_sign_is_an_id():
    verdicts = judged([("a", 1)], useful=[1])
    hits = tuple(type(hit)(id="a@b", text="?") for hit in PAIR[1].hits[:1])
    said = [verdict_on("hit:a@b", "useful", 0), verdict_on("hit:a@b", "useful", 1, by=ANA)]
    assert value("ContextPrecision", verdicts, *said, answer={"hits": hits}) == 1


def test_people_alone_decide_on_the_claims_that_a_judge_found():
    both = [verdict_on("claim:1", "supported", 0, by=ANA), verdict_on("claim:2", "supported", 1, by="human:Ben")]
    assert value("Faithfulness", M, *both, by="human") == 0.5
    assert value("Faithfulness(by=human)", M, *both) == 0.5
    assert why("Faithfulness(by=human:Ben)", M, *both) == "claim 1: nobody said whether a context supports it"
    assert why("Faithfulness", M, by="human") == "claim 1: nobody said whether a context supports it"
    with pytest.raises(SpecError, match="several judges"):
        outcome("Faithfulness(by=human)", M, *N, *both)


def test_what_a_judge_decided_is_not_heard_where_people_are_asked_alone():
    said = judged([("a", 1)], useful=[1, 0], questions=[0.5])
    assert why("ContextPrecision(by=human)", said) == "0 of 2 contexts were judged useful or not"
    ana = [verdict_on("hit:a", "useful", 0, by=ANA), verdict_on("hit:b", "useful", 1, by=ANA)]
    assert value("ContextPrecision(by=human)", said, *ana) == 0.5
    assert why("ContextPrecision(by=human)", said, ana[1]) == "1 of 2 contexts were judged useful or not"
    assert why("AnswerRelevance(by=human)", said) == "llm:m did not judge whether it answers"
    assert value("AnswerRelevance(by=human)", said, verdict_on("answer", "declines", 0, by=ANA)) == 0.5


def test_ratings_by_people_need_no_judge():
    assert value("Valid", judged(), verdict_on("answer", "valid", 1, by=ANA)) == 1
    assert value("Valid(by=human)", judged(valid=0), verdict_on("answer", "valid", 1, by=ANA)) == 1
    assert why("Valid(by=human)", judged(valid=0)) == "nobody judged it: valid"
    assert value("Rubric(tone,by=human:Ana)", judged(tone=2), verdict_on("answer", "tone", 5, by=ANA)) == 5
    assert value("Rubric(tone)", judged(tone=2), verdict_on("answer", "tone", 5, by="llm:m")) == 5, "the newest"


def test_rules_come_before_models():
    assert value("Valid", judged(valid=0), verdict_on("answer", "valid", 1, by="rules")) == 1
    assert value("Valid(by=llm:m)", judged(valid=0), verdict_on("answer", "valid", 1, by="rules")) == 0
    assert value("Valid", judged(valid=0), verdict_on("answer", "valid", 1, by="nli:my-own")) == 0, "others come last"


def test_a_screen_by_common_words_is_no_judge():
    screen = [verdict_on("answer", "claims", 1, by="overlap"), verdict_on("claim:1", "supported", 1, by="overlap")]
    assert score_metric(Metric.of("Faithfulness"), make_scorable([PAIR], screen)).why[0]
    assert value("Faithfulness", M, *screen) == 0.5


def test_embeddings_are_heard_beside_any_judge_that_was_asked_for():
    close = judged([("a", 1)], similarity=0.4)
    other = verdict_on("answer", "similarity", 0.8, by="embed:f")
    assert value("Similarity", close, by="llm:m") == value("AnswerCorrectness(weight=0)", close, by="llm:m") == 0.4
    with pytest.raises(SpecError, match="several judges decided on similarity: embed:e, embed:f"):
        outcome("Similarity", close, other)
    assert value("Similarity(embed=f)", close, other) == value("Similarity", close, other, by="embed:f") == 0.8
    assert why("Similarity", close, by="human") == "nobody judged it: similarity"


EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def test_newest_is_by_time_then_by_place():
    said = [Verdict(item="1", about="answer", aspect="valid", value=1, by="llm:m", at=at) for at in (LATE, EARLY)]
    assert Judges.of([VerdictTable.made(said)]).newest == {"valid": {"llm:m": (LATE, 0)}}
    assert list(JudgeVerdicts.of(make_scorable([])).of_judge(["valid"])) == []
