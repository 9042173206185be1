"""Claims found again in the text of an answer: nothing of the text is lost, and what is marked is what was judged."""

from hypothesis import given
from hypothesis import strategies as st

from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.claims_in_text import mark_claims
from neraca.reports.html import to_html
from neraca.reports.markdown import to_markdown
from neraca.reports.report import report
from neraca.scores.score import score

TEXT = "Yes, there is one. The house in Jl. Sudirman has a big garden and four rooms! It costs two million.\nCall us."


def claims(*judged):
    """Verdicts on claims: (text, supported)."""
    verdicts = []
    for n, (text, supported) in enumerate(judged, 1):
        common = {"item": "q", "about": f"claim:{n}", "by": "llm:judge"}
        verdicts.append(Verdict(aspect="claim", value=1.0, why=text, **common))
        verdicts.append(Verdict(aspect="supported", value=supported, **common))
    return verdicts


def test_each_claim_marks_the_sentence_that_says_it():
    made = mark_claims(TEXT, claims(("The house has a garden", 1.0), ("It costs two million", 0.0)))
    assert [(part.text, part.mark) for part in made.parts if part.mark] == [
        ("The house in Jl. Sudirman has a big garden and four rooms!", "supported"),
        ("It costs two million.", "not supported"),
    ]
    assert (made.supported, made.claims, made.unsupported) == (1, 2, ("It costs two million",))
    assert made.elsewhere == ()


def test_one_unsupported_claim_is_enough_for_its_sentence():
    made = mark_claims(TEXT, claims(("The house has a garden", 1.0), ("The house has four rooms", 0.0)))
    assert [part.mark for part in made.parts if part.mark] == ["not supported"]


def test_a_claim_in_no_sentence_and_one_without_a_decision():
    made = mark_claims(TEXT, claims(("Schools are near", 0.0), ("The house has a garden", None)))
    assert made.elsewhere == ("Schools are near",)
    assert made.claims == 1
    assert [part for part in made.parts if part.mark] == []


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=30), st.sampled_from([0.0, 1.0, None])), max_size=4))
def test_the_parts_together_are_the_text(text, judged):
    assert "".join(part.text for part in mark_claims(text, claims(*judged)).parts) == text


def test_they_stand_in_the_report_and_do_nothing(folder):
    text = "It has <b>four</b> rooms. It is dear."
    verdicts = claims(("It has <b>four</b> rooms", 1.0), ("It is dear", 0.0), ("<script>alert(1)</script> near", 0.0))
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
