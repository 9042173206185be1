"""The card of generated questions says how many there are, what they ask about, and what they cannot show."""

import pytest
from builders import make_answer, make_run

import neraca
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.terminal import to_text
from neraca.reports.question_card import card_document

ROWS = [
    {"id": str(n), "city": "Leeds" if n % 2 else "York", "price": None if n == 3 else n, "note": f"n{n}"}
    for n in range(30)
]


def test_the_card_counts_questions_fields_and_missing_values():
    text = to_markdown(card_document(neraca.generate(ROWS, 10, kinds="constraint", language="en")))
    assert (
        "**10 questions about 30 records of questions, 0 of them in 0 sessions; seed 0, no model was asked.**" in text
    )
    assert "| constraint | 10 |" in text
    assert "a record without a value is no right answer to a question about it: price 1" in text
    assert "- note: most of its values occur once, as names and codes do" in text
    assert "they do not rank the models that write answers" in text


HOMES = [
    {"id": str(n), "town": ("York", "New York", "Hull")[n % 3], "size": f"{50 + n} m2", "price": f"£{90 + n},000"}
    for n in range(30)
]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            (
                'cells that cannot be read as a number count as empty: price 1 ("£950.000")',
                "amounts without the unit or currency of the others are taken to be in it: size 2 (m2), price 1 (£)",
                "texts that stand in a longer one of their column are not asked for: town: York (New York)",
            ),
        ),
        ("es", ("cuentan como vacías: price 1", "se toman en ella: size 2", "más largo de su columna: town: York")),
        ("id", ("dihitung kosong: price 1", "dianggap memakainya: size 2", "tidak ditanyakan: town: York")),
    ],
)
def test_the_card_names_what_was_not_read_taken_for_granted_or_not_asked_for(language, sentences):
    rows = [dict(home) for home in HOMES]
    rows[4]["price"], rows[5]["price"], rows[6]["size"], rows[7]["size"] = "£950.000", "97000", "56", 57
    text = to_markdown(card_document(neraca.generate(rows, 6, language="en"), language))
    for sentence in sentences:
        assert sentence in text
    clean = to_markdown(card_document(neraca.generate(HOMES, 6, language="en", columns={"town": ""}), "en"))
    assert not any(words in clean for words in ("cannot be read", "amounts without", "stand in a longer"))


def test_too_few_questions_are_said_with_their_number():
    questions = neraca.generate(ROWS[:2], 300, kinds="constraint", language="en")
    text = to_text(card_document(questions))
    assert f"{len(questions)} of 300 questions of the kind constraint were found" in " ".join(text.split())


@pytest.mark.parametrize("language", ["id", "es"])
def test_the_card_is_written_in_the_language_of_the_report(language):
    english = to_markdown(card_document(neraca.generate(ROWS, 6, language="en")))
    other = to_markdown(card_document(neraca.generate(ROWS, 6, language="en"), language))
    sentences = {
        line for line in english.splitlines() if line.startswith(("- ", "#", "**")) and ": most of" not in line
    }
    assert len(sentences) > 5
    assert not sentences & set(other.splitlines())


def test_scores_say_that_questions_are_generated(tmp_path):
    items = neraca.generate(ROWS, 6, language="en").dataset.items
    own = neraca.Item(id="own", query="mine?", relevant={"1": 1.0})
    answers = [make_answer("1 2", item.id) for item in (*items, own)]
    run = make_run(tmp_path / "run", [*items, own], answers)
    (note,) = (note for note in neraca.notes(neraca.score([run], "P@5")) if "generated" in note)
    assert note.startswith("6 of 7 questions are generated questions: they compare settings of a retriever well")
    only = make_run(tmp_path / "only", [own], answers[-1:])
    assert not [note for note in neraca.notes(neraca.score([only], "P@5")) if "generated" in note]
