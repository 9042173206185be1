"""Claims found again in the text of an answer: nothing of the text is lost, and what is marked is what was judged."""

from drawn import to_html, to_markdown
from hypothesis import given
from hypothesis import strategies as st

from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.claims_in_text import Claim, mark_claims
from neraca.reports.report import report
from neraca.scores.score import score

TEXT = "Yes, there is one. The house in Jl. Sudirman has a big garden and four rooms! It costs two million.\nCall us."


def claims(*judged):
    """Claims: (text, whether it is supported)."""
    return [Claim(*one) for one in judged]


def verdicts_of(by, *judged):
    """What a judge of claims says of the answer to q: (text, supported)."""
    common = {"item": "q", "by": by}
    verdicts = [Verdict(about="answer", aspect="claims", value=len(judged), **common)]
    for n, (text, supported) in enumerate(judged, 1):
        verdicts.append(Verdict(about=f"claim:{n}", aspect="claim", value=1.0, why=text, **common))
        verdicts.append(Verdict(about=f"claim:{n}", aspect="supported", value=supported, **common))
    return verdicts


def marked(folder, verdicts, metric="Faithfulness"):
    """What the report marks in one answer, and its value of the metric."""
    scores = score([folder("new", [Item(id="q", query="?")], [Answer(item="q", text=TEXT)], verdicts)], metric)
    made = report(scores).questions[0].sides[0].replies[0].marked
    return made.supported, made.claims, [part.mark for part in made.parts if part.mark], scores.runs[0].values(metric)


def test_each_claim_marks_the_sentence_that_says_it():
    made = mark_claims(TEXT, claims(("The house has a garden", True), ("It costs two million", False)))
    assert [(part.text, part.mark) for part in made.parts if part.mark] == [
        ("The house in Jl. Sudirman has a big garden and four rooms!", "supported"),
        ("It costs two million.", "not supported"),
    ]
    assert (made.supported, made.claims, made.unsupported) == (1, 2, ("It costs two million",))
    assert made.elsewhere == ()


def test_one_unsupported_claim_is_enough_for_its_sentence():
    made = mark_claims(TEXT, claims(("The house has a garden", True), ("The house has four rooms", False)))
    assert [part.mark for part in made.parts if part.mark] == ["not supported"]


def test_a_claim_in_no_sentence():
    made = mark_claims(TEXT, claims(("Schools are near", False)))
    assert made.elsewhere == ("Schools are near",)
    assert [part for part in made.parts if part.mark] == []


JUDGED = verdicts_of("llm:a", ("The house has a garden", 1.0), ("It costs two million", 0.0))


def test_a_claim_without_a_decision_is_not_marked(folder):
    judged = verdicts_of("llm:a", ("It costs two million", 1.0), ("The house has a garden", None))
    assert marked(folder, judged)[:3] == (1, 1, ["supported"])


def test_what_a_person_says_of_a_claim_stands_in_place_of_the_judges_word(folder):
    reviewed = Verdict(item="q", about="claim:2@llm:a", aspect="supported", by="human:Ana", value=1.0)
    assert marked(folder, JUDGED) == (1, 2, ["supported", "not supported"], [0.5])
    assert marked(folder, [*JUDGED, reviewed]) == (2, 2, ["supported", "supported"], [1.0])
    none = Verdict(item="q", about="claim:2@llm:a", aspect="claim", by="human:Ana", value=0.0)
    assert marked(folder, [*JUDGED, none]) == (1, 1, ["supported"], [1.0])


def test_claims_of_two_judges_are_not_mixed(folder):
    both = [*JUDGED, *verdicts_of("llm:b", ("It costs two million", 1.0))]
    assert marked(folder, both, "Faithfulness(by=llm:a)") == (1, 2, ["supported", "not supported"], [0.5])
    assert marked(folder, both, "Faithfulness(by=llm:b)") == (1, 1, ["supported"], [1.0])


def test_no_claim_is_marked_where_nobody_chose_one_of_two_judges(folder):
    both = [*JUDGED, *verdicts_of("llm:b", ("It costs two million", 1.0))]
    assert marked(folder, both, "Words")[:3] == (0, 0, [])


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=30), st.booleans()), max_size=4))
def test_the_parts_together_are_the_text(text, judged):
    assert "".join(part.text for part in mark_claims(text, claims(*judged)).parts) == text


def test_they_stand_in_the_report_and_do_nothing(folder):
    text = "It has <b>four</b> rooms. It is dear."
    verdicts = verdicts_of(
        "llm:a", ("It has <b>four</b> rooms", 1.0), ("It is dear", 0.0), ("<script>alert(1)</script> near", 0.0)
    )
    run = folder(
        "new", [Item(id="q", query="?")], [Answer(item="q", text=text, hits=(Hit(id="a", text="x"),))], verdicts
    )
    made = report(score([run], "P@5"))
    page = to_html(made)
    assert (
        '<mark class="yes">It has &lt;b&gt;four&lt;/b&gt; rooms.<span class="hidden"> (supported)</span></mark>' in page
    )
    assert '<mark class="no">It is dear.<span class="hidden"> (not supported)</span></mark>' in page
    assert "1 of 3 claims are supported by a context. Not supported, and in no sentence shown: " in page
    assert "<script>alert" not in page
    assert "1 of 3 claims are supported by a context; not supported: `It is dear`, " in to_markdown(made)
