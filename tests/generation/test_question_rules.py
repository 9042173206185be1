"""The rules that look at one written question: quotes, words that point at a text, copied sentences, language."""

import pytest

from neraca.generation.documents import Document
from neraca.generation.drafts import Draft, Quote, Window
from neraca.generation.question_duplicates import check_answers
from neraca.generation.question_rules import check_by_rules, longest_run

TEXT = "Guests may keep a bicycle in the north yard for 12 days, free of charge. “Dogs” are welcome, too."


def draft(question="Where can guests leave their bikes?", quotes=("guests may keep a bicycle",), **changes):
    document = Document("yard.md", "The yard", changes.pop("text", TEXT), "yard.md")
    window = Window(document, "The yard", document.text, range(1))
    quoted = tuple(Quote("yard.md", text) for text in quotes)
    return Draft(
        **{"kind": "single", "question": question, "answer": "", "quotes": quoted, "windows": [window], **changes}
    )


def failed(of, language="en"):
    return {check.aspect for check in check_by_rules(of, language) if not check.passed}


@pytest.mark.parametrize(
    "quotes, grounded",
    [
        (["Guests may keep a bicycle in the north yard"], True),
        (["GUESTS  may\nkeep a bicycle"], True),
        (['"Dogs" are welcome too'], True),  # quotation marks and the comma differ
        (["Guests may keep a bicycle in the south yard"], False),
        (["guests may keep a bicycle", "cats are welcome too"], False),
        (["free charge"], False),  # not together
        (["12 days"], False),  # too short to tell
        (["uests may keep a bicycle"], False),  # no whole word
        ([], False),
    ],
)
def test_quotes_stand_in_the_document_word_for_word(quotes, grounded):
    assert ("grounded" not in failed(draft(quotes=quotes))) is grounded


def test_an_unanswerable_question_needs_no_quote_and_one_about_two_documents_needs_both():
    assert failed(draft(kind="out_of_scope", quotes=())) == set()
    assert failed(draft(kind="near_miss", quotes=["cats are welcome too"])) == {"grounded"}
    one = draft(kind="multi")
    other = Window(
        Document("gate.md", "", "The gate closes at nine every night.", "gate.md"),
        "",
        "The gate closes at nine",
        range(1),
    )
    assert failed(draft(kind="multi", windows=[*one.windows, other])) == {"grounded"}
    both = (*one.quotes, Quote("gate.md", "The gate closes at nine"))
    assert failed(draft(kind="multi", windows=[*one.windows, other], quotes=[])) == {"grounded"}
    assert (
        failed(Draft(kind="multi", question=one.question, answer="", quotes=both, windows=[*one.windows, other]))
        == set()
    )


@pytest.mark.parametrize(
    "language, question",
    [
        ("en", "What does this passage say about bikes?"),
        ("en", "According to the document, where do bikes stay?"),
        ("en", "Which rule is mentioned in the text?"),
        ("en", "What does the author think of bikes?"),
        ("id", "Menurut dokumen ini, di mana sepeda boleh disimpan?"),
        ("id", "Apa yang dijelaskan dalam teks tersebut tentang sepeda?"),
        ("es", "¿Qué dice el texto sobre las bicicletas?"),
        ("es", "¿Dónde se dejan las bicicletas según el documento?"),
        ("ar", "ماذا يقول هذا النص عن الدراجات؟"),
        ("ar", "أين تُترك الدراجات وفقًا للوثيقة؟"),
        ("id", "What does this text say about sepeda?"),  # models fall back on English
    ],
)
def test_a_question_that_points_at_a_text_is_refused(language, question):
    assert "standalone" in failed(draft(question), language)


@pytest.mark.parametrize(
    "language, question, text",
    [
        ("en", "Where can guests leave their bikes?", TEXT),
        ("en", "Who signs the document for the yard?", "The document is signed by the owner of the yard."),
        ("en", "Which documents does a guest need?", "Guests bring papers."),
        ("en", "How do I send a text message to the desk?", TEXT),
        ("id", "Di mana tamu boleh menyimpan sepeda?", "Tamu boleh menyimpan sepeda di halaman utara."),
        ("es", "¿Dónde pueden dejar la bicicleta los huéspedes?", "Los huéspedes pueden usar el patio norte."),
        ("ar", "أين يمكن للنزلاء ترك دراجاتهم؟", "يمكن للضيوف ترك الدراجة في الفناء الشمالي."),
    ],
)
def test_a_plain_question_passes_in_each_language(language, question, text):
    quotes = [" ".join(text.rstrip(".").split()[:4])]
    assert failed(draft(question, quotes, text=text), language) == set()


@pytest.mark.parametrize(
    "question, copied",
    [
        ("Guests may keep a bicycle in the north yard for 12 days?", True),
        ("Is it true that guests may keep a bicycle in the north yard for 12 days?", True),
        ("How long may guests keep a bicycle in the yard?", False),
        ("A bicycle in the north?", False),  # all of its words, but only five
    ],
)
def test_a_question_in_the_words_of_the_document_is_refused(question, copied):
    assert ("copied" in failed(draft(question))) is copied


@pytest.mark.parametrize(
    "asked_for, question, passes",
    [
        ("en", "Di mana tamu boleh menyimpan sepeda?", False),
        ("en", "¿Dónde pueden dejar su bicicleta los huéspedes?", False),
        ("en", "أين يمكن للنزلاء ترك دراجاتهم؟", False),
        ("id", "Where can guests leave their bikes?", False),
        ("id", "¿Cuánto cuesta dejar la bicicleta?", False),
        ("id", "Berapa lama sepeda boleh disimpan?", True),
        ("id", "Berapa harga Microsoft Office Home and Student?", True),
        ("es", "How long can a bike stay in the yard?", False),
        ("es", "¿Cuánto tiempo se queda una bicicleta en el patio?", True),
        ("ar", "Where can guests leave their bikes?", False),
        ("ar", "كم يوما يمكن ترك الدراجة؟", True),
        ("en", "Opening hours of Kota Lama?", True),  # only names: nothing tells
    ],
)
def test_another_language_is_refused_and_too_few_words_are_not(asked_for, question, passes):
    assert ("language" not in failed(draft(question), asked_for)) is passes


def test_the_longest_run_is_found_wherever_it_stands():
    assert longest_run(list("abcxabcd"), list("zabcdabc")) == 4
    assert longest_run([], list("a")) == longest_run(list("a"), []) == 0


@pytest.mark.parametrize(
    "answer, reading, agree",
    [
        ("for 12 days", "12", True),
        ("for 12 days", "for 21 days", False),
        ("in the north yard", "the yard to the north of the house", True),
        ("in the north yard", "Ask the porter.", False),
        ("Yes", "Yes, they are welcome", True),
        ("bicycles", "Bicycle storage is free", True),
    ],
)
def test_answers_disagree_only_where_numbers_or_all_words_differ(answer, reading, agree):
    assert (check_answers(answer, reading, "en").value == 1) is agree
