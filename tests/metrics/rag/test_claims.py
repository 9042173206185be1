"""What is read from the verdicts, and every reason why something cannot be: of all metrics that need it alike."""

import pytest
from judged_answers import ANA, GONE, judged, outcome, value, verdict_on, why

from neraca.metrics.rag.claims import NO_TEXT, Claims
from neraca.records import Hit

#: Two of three claims are supported and right, one is neither; one of two claims of the reference was found and said.
USUAL = judged([("a", 1), ("a b", 1), ("", 0)], [("a", 1), ("", 0)], useful=[1, 0, 1], text="So it is [1].")
ON_ANSWER = ("Faithfulness", "ClaimPrecision", "Hallucination", "SelfKnowledge", "NoiseSensitivity", "CitationRecall")
ON_BOTH = ("ClaimPrecision", "ClaimF", "Hallucination", "SelfKnowledge", "NoiseSensitivity")
ON_REFERENCE = ("ContextRecall", "ContextUtilisation", "ClaimRecall", "ClaimF", "AnswerCorrectness(weight=1)")
ON_CONTEXTS = ("Faithfulness", "Hallucination", "SelfKnowledge", "CitationRecall", "CitationPrecision")
EMPTY = {"text": "", "hits": ()}
every = pytest.mark.parametrize


def test_what_is_read():
    claims = Claims.by(USUAL, "")
    assert claims.answer.supported.tolist() == claims.answer.agreed.tolist() == [1, 1, 0]
    assert claims.answer.n.tolist() == [3]
    assert list(zip(claims.answer.claim, claims.answer.context, strict=True)) == [(0, 0), (1, 0), (1, 1)]
    assert claims.contexts.useful.tolist() == [1, 0, 1]
    assert claims.contexts.rank.tolist() == [1, 2, 3]
    assert claims.declines.tolist() == [0]
    assert Claims.by(USUAL, "") is claims, "read once for all metrics"


@every(
    "name, expected",
    [("Faithfulness", 2 / 3), ("ClaimPrecision", 2 / 3), ("ClaimRecall", 1 / 2), ("ContextRecall", 1 / 2)],
)
def test_usual(name, expected):
    assert value(name, USUAL) == pytest.approx(expected)


@every("name", ON_ANSWER)
def test_an_answer_that_claims_nothing(name):
    nothing = judged([], [("a", 1)], text="I do not know [1].")
    assert why(name, nothing) in ("the answer claims nothing", "the answer claims nothing, or its reference does not")


@every("name", ("Faithfulness", "NoiseSensitivity", "Hallucination", "ClaimPrecision", "CitationPrecision"))
@every("status", ("error", "timeout", "refused"))
def test_a_failed_answer_claims_nothing_whatever_was_said_of_it(name, status):
    """So it has no faults of claims, and 0 of what is good in claims, if its question can be answered."""
    fault = name in ("NoiseSensitivity", "Hallucination")
    assert value(name, USUAL, answer={"status": status}) == (None if fault else 0)
    if name != "ClaimPrecision":  # the reference claims something that the answer does not
        assert value(name, USUAL, answer={"status": status}, item={"expects": "none"}) is None


@every("name", ("ContextRecall", "ClaimRecall", "ClaimF", "AnswerCorrectness", "AnswerRelevance", "ContextPrecision"))
def test_a_failed_answer_missed_all(name):
    failed = {"status": "error"}
    assert value(name, judged([("a", 1)], similarity=0.9), answer=failed, changes={"answer similarity": GONE}) == 0
    assert value(name, USUAL, changes=dict.fromkeys(map(place_of, USUAL.verdicts.table), GONE), answer=failed) == 0


def place_of(verdict):
    return f"{verdict.about} {verdict.aspect}"


@every("name", ON_REFERENCE)
def test_a_failed_answer_beside_a_reference_that_claims_nothing(name):
    changes = {"answer reference_claims": 0}
    assert value(name, USUAL, changes=changes, answer={"status": "error"}) is None
    unknown = value(name, USUAL, changes={"answer reference_claims": "x"}, answer={"status": "error"})
    assert unknown == 0, "whatever the reference says was missed"


def test_a_suspect_answer_is_not_scored():
    for name in (*ON_ANSWER, *ON_REFERENCE, "Valid", "ContextPrecision", "AnswerRelevance"):
        assert why(name, USUAL, answer={"status": "suspect"}).startswith("suspect"), name


@every("name", (*ON_REFERENCE, *ON_BOTH))
@every("references", [(), ("", " \n")])
def test_no_reference(name, references):
    assert why(name, USUAL, item={"references": references}) == "the item has no reference"


@every("name", (*ON_REFERENCE, *ON_BOTH))
def test_a_reference_that_claims_nothing(name):
    reasons = ("claims nothing", "claims nothing, or its reference does not", "no context supports a claim")
    assert any(reason in why(name, USUAL, changes={"answer reference_claims": 0}) for reason in reasons)


@every("name", ON_ANSWER)
def test_the_first_call_failed(name):
    failed = {"answer claims": "the model gave no usable reply"}
    assert why(name, USUAL, changes=failed) == "the model gave no usable reply"
    assert why(name, USUAL, changes={"answer claims": GONE}) == "llm:m did not judge the claims of the answer"


@every("name", (*ON_REFERENCE, *ON_BOTH))
def test_the_claims_of_the_reference_are_not_known(name):
    assert why(name, USUAL, changes={"answer reference_claims": "429"}) == "429"
    told = "llm:m did not judge the claims of the reference"
    assert why(name, USUAL, changes={"answer reference_claims": GONE}) == told


@every("name", ON_CONTEXTS)
def test_the_second_call_failed(name):
    changes = {"answer contexts": "timeout", **{f"claim:{n} supported": GONE for n in (1, 2, 3)}}
    assert why(name, USUAL, changes=changes) == "claim 1: timeout"
    changes |= {f"claim:{n} supported": "other" for n in (1, 2, 3)}
    assert why(name, USUAL, changes=changes) == "claim 1: other"


@every("name", ON_CONTEXTS)
def test_one_claim_of_which_nobody_could_tell(name):
    assert why(name, USUAL, changes={"claim:2 supported": "not in the reply"}) == ("claim 2: not in the reply")
    assert why(name, USUAL, changes={"claim:2 supported": GONE}) == (
        "claim 2: nobody said whether a context supports it"
    )
    assert (
        value(name, USUAL, verdict_on("claim:2", "supported", 0, by=ANA), changes={"claim:2 supported": "x"})
        is not None
    )
    assert value("ClaimPrecision", USUAL, changes={"claim:2 supported": "x"}) == pytest.approx(2 / 3)


@every("name", ON_BOTH)
def test_one_claim_of_which_nobody_knows_whether_it_is_right(name):
    assert why(name, USUAL, changes={"claim:3 correct": "no"}) == "claim 3: no"
    assert why(name, USUAL, changes={"claim:3 correct": GONE}) == "claim 3: nobody said whether it is correct"
    assert value("Faithfulness", USUAL, changes={"claim:3 correct": GONE}) == pytest.approx(2 / 3)


@every("name", ("ClaimRecall", "ClaimF", "ContextUtilisation", "AnswerCorrectness(weight=1)"))
def test_one_claim_of_the_reference_of_which_nobody_knows_whether_it_is_stated(name):
    assert why(name, USUAL, changes={"reference:2 stated": "no"}) == "reference 2: no"
    assert why(name, USUAL, changes={"reference:2 stated": GONE}) == "reference 2: nobody said whether it is stated"
    assert value("ContextRecall", USUAL, changes={"reference:2 stated": GONE}) == 0.5


def test_nothing_was_retrieved():
    bare = judged([("", 1), ("", 0)], [("", 1), ("", 0)], useful=[], text="Two rooms.")
    for gone in ({}, {f"{side}:{n} supported": GONE for side in ("claim", "reference") for n in (1, 2)}):
        assert value("Faithfulness", bare, changes=gone) == 0
        assert value("ContextRecall", bare, changes=gone) == 0
        assert value("NoiseSensitivity", bare, changes=gone) == 0
        assert value("Hallucination", bare, changes=gone) == value("SelfKnowledge", bare, changes=gone) == 0.5
        assert why("ContextUtilisation", bare, changes=gone) == "no context supports a claim of the reference"
    assert value("ClaimF", bare) == 0.5


def test_hits_without_text_are_no_proof_that_nothing_is_supported():
    """A target that names its documents only: the judge saw none of them, whatever it says."""
    unseen = judged([("", 1)], [("", 1)], useful=[0, 0])
    for name in ("Faithfulness", "ContextRecall", "ContextUtilisation", "Hallucination", "CitationRecall"):
        assert why(name, unseen, changes={"answer contexts": 0}).endswith(NO_TEXT), name
    assert why("ContextPrecision", unseen, changes={"answer contexts": 0}) == NO_TEXT
    assert value("ClaimF", unseen, changes={"answer contexts": 0}) == 1
    assert (
        value("Faithfulness", unseen, verdict_on("claim:1", "supported", 1, by=ANA), changes={"answer contexts": 0})
        == 1
    )


@every("overruled, expected", [(1, 1 / 2), (2, 1 / 2), (3, 1)])
def test_a_person_says_that_a_claim_is_none(overruled, expected):
    ana = verdict_on(f"claim:{overruled}", "claim", 0, by=ANA)
    assert value("Faithfulness", USUAL, ana) == value("ClaimPrecision", USUAL, ana) == expected
    assert value("Faithfulness", USUAL, ana, changes={f"claim:{overruled} supported": "x"}) == expected
    assert value("Faithfulness", USUAL, ana, verdict_on(f"claim:{overruled}", "claim", 1, by=ANA)) == pytest.approx(
        2 / 3
    )


def test_a_person_says_that_all_claims_are_none():
    assert why("Faithfulness", USUAL, *(verdict_on(f"claim:{n}", "claim", 0, by=ANA) for n in (1, 2, 3)))
    none = [verdict_on(f"reference:{n}", "claim", 0, by=ANA) for n in (1, 2)]
    assert why("ContextRecall", USUAL, *none) == why("ClaimF", USUAL, *none) == "the reference claims nothing"
    assert value("ClaimRecall", USUAL, none[1]) == 1


def test_a_claim_beyond_their_number_is_left_from_an_earlier_judging():
    stale = (
        verdict_on("claim:4", "supported", 0),
        verdict_on("claim:4", "claim", 1),
        verdict_on("reference:3", "supported", 1),
    )
    assert value("Faithfulness", USUAL, *stale) == pytest.approx(2 / 3)
    assert value("ContextRecall", USUAL, *stale) == 1 / 2


def test_half_a_yes_is_no():
    assert value("Faithfulness", USUAL, verdict_on("claim:1", "supported", 0.5, by=ANA)) == pytest.approx(1 / 3)


def test_which_context_supports_it_is_not_asked_where_none_does():
    """A person says that a claim is not supported: the contexts that the judge named for it count no more."""
    assert value("CitationPrecision", judged([("a", 1)], text="[1]")) == 1
    ana = verdict_on("claim:1", "supported", 0, by=ANA)
    assert value("CitationPrecision", judged([("a", 1)], text="[1]"), ana) == 0


@every("name", ("NoiseSensitivity", "CitationPrecision", "CitationRecall"))
def test_supported_by_nobody_knows_which_context(name):
    ana = verdict_on("claim:3", "supported", 1, by=ANA)
    assert why(name, USUAL, ana) == "somebody says that a claim is supported, but not by which context"
    assert value(name, USUAL, ana, verdict_on("claim:3", "hit:c", 1, by=ANA)) is not None
    assert why(name, USUAL, ana, verdict_on("claim:3", "hit:c", 0, by=ANA))
    assert why(name, USUAL, ana, verdict_on("claim:3", "hit:zzz", 1, by=ANA)), "no such hit"


def test_the_trials_of_an_item_are_judged_apart():
    second = verdict_on("claim:2", "supported", 1, by=ANA)
    assert outcome("Faithfulness", USUAL, type(second)(**{**fields(second), "trial": 1})) == outcome(
        "Faithfulness", USUAL
    )


def fields(verdict):
    return {name: getattr(verdict, name) for name in verdict.__struct_fields__}


def test_a_document_that_came_twice_is_one_context():
    twice = (Hit(id="b", text="?"), Hit(id="b", text="?"), Hit(id="a", text="?"))
    voices = judged([("a", 1)], useful=[1, 0])
    assert value("ContextPrecision", voices, answer={"hits": twice}) == 1 / 2  # useful: no, (again), yes
    again = (twice[2], twice[2], twice[0])
    assert value("ContextPrecision", voices, answer={"hits": again}) == 1  # yes, (again), no
