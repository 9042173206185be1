"""What differs between two texts is read from the texts: what is said holds of them, and nothing else is said."""

import unicodedata

import pytest

from neraca.reports.sentences.text_difference import difference_of
from neraca.translation import written_in

REFERENCE = "The library on Mill Street opens at 9 on Sundays."
LOOK = "the same words; what differs: "
MORE = "says what is expected"


@pytest.mark.parametrize(
    "response, sentence",
    [
        (REFERENCE, "the texts are the same"),
        (f"  {REFERENCE}\n", "the texts are the same"),
        (REFERENCE.lower(), f"{LOOK}capitals"),
        (REFERENCE[:-1], f"{LOOK}punctuation"),
        (REFERENCE[:-1].upper(), f"{LOOK}capitals and punctuation"),
        (REFERENCE.replace("Mill Street", "Mill  Street"), f"{LOOK}spaces"),
        (REFERENCE.replace(" ", "\u00a0"), f"{LOOK}how characters are stored"),
        ("At 9 on Sundays, not later, the library on Mill Street opens.", f"{MORE} in another order, and more besides"),
        ("On Sundays the library on Mill Street opens at 9.", "the same words, in another order"),
        (REFERENCE.replace("9", "10"), "one number differs: 10, where 9 is expected"),
        (f"Yes: {REFERENCE}", f"{MORE}, and more besides"),
        ("The library opens at 9.", "what it says is expected, and part is missing"),
        ("At 9 opens the library.", "what it says is expected, in another order, and part is missing"),
        ("", "the answer is empty"),
        (REFERENCE.replace("Street", "Road"), ""),
    ],
)
def test_of_one_sentence(response, sentence):
    assert difference_of(response, [REFERENCE]).sentence == sentence


@pytest.mark.parametrize(
    "response, reference, sentence",
    [
        ("كِتَابٌ جَدِيد", "كتاب جديد", f"{LOOK}marks on letters"),
        ("كتـــاب", "كتاب", f"{LOOK}marks on letters"),
        ("Peru se llama Perú", "Perú se llama Perú", f"{LOOK}marks on letters"),
        (
            unicodedata.normalize("NFD", "ṣalāh"),
            unicodedata.normalize("NFC", "ṣalāh"),
            f"{LOOK}how characters are stored",
        ),
        ("a well-known book", "a well known book", f"{LOOK}punctuation"),
        ("\u200fكتاب", "كتاب", f"{LOOK}how characters are stored"),
        ("It pays 5%", "It pays 5", f"{LOOK}signs, such as % or -"),
        ("It is -5 degrees", "It is 5 degrees", f"{LOOK}signs, such as % or -"),
        ("3.5 km", "35 km", "one number differs: 3.5, where 35 is expected"),
        ("from 3 to 5", "from 4 to 6", ""),  # two numbers
        ("five cats", "5 cats", ""),  # a word is no number
    ],
)
def test_of_two_texts(response, reference, sentence):
    assert difference_of(response, [reference]).sentence == sentence


def test_other_words_are_described_by_their_order_and_spelling():
    synonyms = difference_of("the automobile is quick", ["the car is fast"])
    assert (synonyms.kind, synonyms.shared, synonyms.ordered, synonyms.forms) == ("words", 2, True, False)
    forms = difference_of("two houses were sold", ["two house were sold"])
    assert (forms.kind, forms.shared, forms.ordered, forms.forms) == ("words", 3, True, True)
    turned = difference_of("sold quickly were three", ["three were sold slowly"])
    assert (turned.kind, turned.shared, turned.ordered) == ("words", 3, False)


def test_the_nearest_of_several_references_counts():
    assert difference_of("two floors", ["a garden", "Two floors", " "]).sentence == f"{LOOK}capitals"
    assert difference_of("two floors", [" "]).sentence == ""


def test_in_another_language_of_the_report():
    with written_in("es"):
        assert difference_of("Two floors", ["two floors."]).sentence == (
            "las mismas palabras; lo que difiere: mayúsculas y puntuación"
        )
