"""What stands in the corpus, and what was found of that: by hand."""

import pytest
from builders import make_scorable
from judged_answers import ANA, GONE, judged, outcome, value, verdict_on, why
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

BY = "llm:m#corpus"
#: Of five claims three stand in the corpus; of these the first two are supported by a context, and the fourth as well.
CLAIMS = [("a", 1, 1), ("a b", 0, 1), ("", 1, 1), ("b", 0, 0), ("", 0, 0)]
NOBODY_LOOKED = [("a", 1), ("", 0)]


def test_by_hand():
    view = judged([], CLAIMS)
    assert value("CorpusCoverage", view) == pytest.approx(3 / 5)
    assert value("FindableRecall", view) == pytest.approx(2 / 3)
    assert value("ContextRecall", view) == pytest.approx(3 / 5), "the fourth was found though nobody saw it there"


def test_where_nothing_is_there_no_retriever_is_blamed():
    view = judged([], [("", 0, 0), ("", 1, 0)])
    assert value("CorpusCoverage", view) == 0
    assert why("FindableRecall", view) == "no claim of the reference stands in the corpus"
    assert value("ContextRecall", view) == 0


def test_a_reference_that_claims_nothing_has_neither():
    view = judged([], [])
    nothing = verdict_on("answer", "corpus_claims", 0, BY)
    assert why("CorpusCoverage", view, nothing) == "the reference claims nothing"
    bare = {"references": (" ",)}
    assert (
        why("CorpusCoverage", view, item=bare) == why("FindableRecall", view, item=bare) == "the item has no reference"
    )


def test_a_failed_answer_found_nothing_of_what_is_there():
    view = judged([], CLAIMS)
    failed = {"status": "error"}
    assert value("CorpusCoverage", view, answer=failed) == pytest.approx(3 / 5)
    assert value("FindableRecall", view, answer=failed) == 0
    assert value("ContextRecall", view, answer=failed) == 0


def test_what_nobody_could_tell_is_said():
    view = judged([], CLAIMS)
    assert why("CorpusCoverage", view, changes={"reference:2 in_corpus": "no reply"}) == "reference 2: no reply"
    assert why("FindableRecall", view, changes={"reference:2 in_corpus": "no reply"}) == "reference 2: no reply"
    silent = {"reference:2 in_corpus": GONE}
    assert why("CorpusCoverage", view, changes=silent) == "reference 2: nobody said whether it stands in the corpus"
    assert why("CorpusCoverage", view, changes={"answer corpus_claims": "down"}) == "down"
    assert why("FindableRecall", view, changes={"reference:1 supported": "no reply"}) == "reference 1: no reply"
    assert why("CorpusCoverage", judged([], NOBODY_LOOKED)) == "nobody judged what stands in the corpus"
    assert why("FindableRecall", judged([], NOBODY_LOOKED)) == "nobody judged what stands in the corpus"


def test_people_overrule_the_judge_and_say_what_is_no_claim():
    view = judged([], CLAIMS)
    assert value("CorpusCoverage", view, verdict_on("reference:4", "in_corpus", 1, ANA)) == pytest.approx(4 / 5)
    assert value("FindableRecall", view, verdict_on("reference:4", "in_corpus", 1, ANA)) == pytest.approx(3 / 4)
    none = verdict_on("reference:3", "claim", 0, ANA)
    assert value("CorpusCoverage", view, none) == pytest.approx(2 / 4)
    assert value("FindableRecall", view, none) == 1
    alone = [verdict_on(f"reference:{n}", "in_corpus", n == 1, ANA) for n in range(1, 6)]
    assert value("CorpusCoverage(by=human)", view, *alone) == pytest.approx(1 / 5)


def test_claims_of_another_judging_are_not_mixed():
    view = judged([], [*CLAIMS[:4], ("", 0)])
    assert value("CorpusCoverage", view) == pytest.approx(3 / 4)
    message = "the corpus was searched for 4 claims, the contexts for 5; judge again"
    assert why("FindableRecall", view) == message
    (item,), (answer,) = view.part.column("items"), view.part.column("answers")
    moved = [replace(v, by="llm:n#corpus") if v.by == BY else v for v in view.verdicts.table]
    counts = score_metric(Metric.of("FindableRecall"), make_scorable([(item, answer)], moved))
    assert counts.why[0] == "contexts were judged by llm:m, the corpus by llm:n; let one model judge both"


def test_a_judge_is_chosen_by_its_model_or_its_prompts():
    view = judged([], CLAIMS)
    for by in ("llm:m", "llm"):
        assert value(f"FindableRecall(by={by})", view) == pytest.approx(2 / 3)
    other = [verdict_on("answer", "corpus_claims", 1, "llm:n"), verdict_on("reference:1", "in_corpus", 0, "llm:n")]
    with pytest.raises(SpecError, match="several judges decided on corpus_claims: llm:m, llm:n"):
        outcome("CorpusCoverage", view, *other)
    assert value("CorpusCoverage(by=llm:n)", view, *other) == 0
    assert value("FindableRecall(by=llm:m)", view, *other) == pytest.approx(2 / 3)
    (item,), (answer,) = view.part.column("items"), view.part.column("answers")
    hashed = [replace(v, by="llm:m#claims") if v.by == "llm:m" else v for v in view.verdicts.table]
    counts = score_metric(Metric.of("FindableRecall(by=llm:m#claims)"), make_scorable([(item, answer)], hashed))
    assert counts.per_answer.tolist() == pytest.approx([2 / 3]), "the corpus is judged by other prompts"


def test_questions_are_told_apart():
    """Four answers: all is there and found; nothing is there; there and not found; there, and the target failed."""
    parts = [
        judged([], [("a", 1, 1), ("b", 1, 1)]),
        judged([], [("", 1, 0)]),
        judged([], [("", 1, 1), ("", 0, 1), ("", 0, 0)]),
        judged([], [("a", 1, 1), ("b", 1, 1)]),
    ]
    pairs, said = [], []
    for number, view in enumerate(parts):
        (item,), (answer,) = view.part.column("items"), view.part.column("answers")
        pairs.append(
            (
                replace(item, id=str(number)),
                replace(answer, item=str(number), status="error" if number == 3 else "complete"),
            )
        )
        said += [replace(v, item=str(number)) for v in view.verdicts.table]
    part = make_scorable(pairs, said)
    assert score_metric(Metric.of("CorpusCoverage"), part).per_answer.tolist() == pytest.approx([1, 0, 2 / 3, 1])
    found = score_metric(Metric.of("FindableRecall"), part)
    assert found.per_answer[[0, 2, 3]].tolist() == [1, 0, 0]
    assert found.why == ("", "no claim of the reference stands in the corpus", "", "")
