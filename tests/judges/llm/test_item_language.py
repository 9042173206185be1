"""Which language the items of a run are in, and who said so."""

import pytest

from neraca.judges.llm.item_language import ItemLanguages
from neraca.records import Answer, Hit, Item

#: Short questions, as people put them to a search.
QUESTIONS = {
    "en": (
        "What is the cheapest house in Medan?",
        "show me flats with a pool and a garden",
        "Which of these has the lowest price?",
        "houses for sale under 2 million",
        "3 bedroom apartment near the station",
    ),
    "es": (
        "¿Cuál es la casa más barata de Madrid?",
        "piso de 3 habitaciones en el centro",
        "casas en venta por menos de 2 millones",
        "¿Qué hoteles tienen piscina y parking?",
        "apartamento cerca de la playa con terraza",
    ),
    "id": (
        "Berapa harga rumah di Cemara Asri?",
        "Apakah ada rumah dengan tiga kamar tidur di Medan?",
        "Saya mencari ruko untuk disewa karena kantor kami pindah",
        "Rumah mana yang paling murah dan memiliki kolam renang?",
        "apakah biaya listrik sudah termasuk harga sewa?",
        "Rumah dijual di kota Medan yang ada garasi untuk dua mobil",
    ),
}
LISTING = "Rumah ini berada di kota Medan dan memiliki tiga kamar tidur. Harga sudah termasuk biaya listrik dan mobil."


def pairs(*questions, tags=None, **answer):
    items = [Item(id=str(n), query=query, tags=tags or {}) for n, query in enumerate(questions)]
    return [(item, Answer(item=item.id, **answer)) for item in items]


@pytest.mark.parametrize("code, name", [("en", "English"), ("es", "Spanish"), ("id", "Indonesian")])
def test_short_questions_of_one_language_tell_it_together(code, name):
    judged = pairs(*QUESTIONS[code])
    found = ItemLanguages.of(judged)
    assert {found.language_of(item) for item, _ in judged} == {code}
    assert found.note.startswith(f"language found in the questions, not said: {name} ({code}): ")
    assert found.note.endswith(f"; say it with --language {code}")
    assert ItemLanguages.of(judged, "auto") == found


def test_questions_of_two_languages_are_not_guessed_whatever_the_hits_are_written_in():
    judged = pairs(*QUESTIONS["en"], *QUESTIONS["es"], hits=(Hit(id="h", text=LISTING),))
    unknown = ItemLanguages.of(judged)
    assert {unknown.language_of(item) for item, _ in judged} == {""}
    assert unknown.note.startswith("language not said and not clear in the questions (it may be ")
    assert ": numbers that differ by language are missing; say it with --language " in unknown.note


def test_questions_that_are_too_short_are_read_with_answers_and_hits():
    short = ("rumah murah Medan", "apartemen dekat kampus", "ruko 2 lantai")
    assert ItemLanguages.of(pairs(*short)).default == ""
    note = "language found in questions, references, answers and hits, not said: Indonesian (id): "
    for text, hit in (
        (LISTING, Hit(id="h")),
        ("", Hit(id="h", text=LISTING)),
        ("", Hit(id="h", fields={"description": LISTING})),
    ):
        found = ItemLanguages.of(pairs(*short, text=text, hits=(hit,)))
        assert found.default == "id"
        assert found.note.startswith(note)
    item = Item(id="1", query="rumah murah", references=(LISTING,))
    assert ItemLanguages.of([(item, Answer(item="1"))]).default == "id"


def test_too_little_text_is_unclear():
    unknown = ItemLanguages.of(pairs("rumah murah Medan"))
    assert unknown.default == ""
    assert unknown.note.startswith("language not said and not clear in questions, references, answers and hits (")


def test_what_questions_say_goes_first_and_only_the_others_are_looked_at():
    judged = [*pairs(*QUESTIONS["en"]), *pairs(*QUESTIONS["es"], tags={"language": "es"})]
    found = ItemLanguages.of(judged)
    assert [found.language_of(item) for item, _ in judged] == ["en"] * 5 + ["es"] * 5
    assert found.note.startswith(
        "language as the questions say: Spanish (es) of 5; language found in the questions, not said: English (en): "
    )
    told = ItemLanguages.of(judged, "Indonesian")
    assert [told.language_of(item) for item, _ in judged] == ["id"] * 5 + ["es"] * 5
    assert told.note == (
        "language as the questions say: Spanish (es) of 5; language as said to the judge: Indonesian (id)"
    )


def test_where_all_questions_say_theirs_nothing_is_looked_for():
    judged = pairs(*QUESTIONS["en"], tags={"language": "id"})
    assert ItemLanguages.of(judged) == ItemLanguages("", "language as the questions say: Indonesian (id) of 5")


def test_trials_of_a_question_count_once():
    item = Item(id="1", query="?", tags={"language": "id"})
    judged = [(item, Answer(item="1", trial=trial)) for trial in range(3)]
    assert ItemLanguages.of(judged).note == "language as the questions say: Indonesian (id) of 1"
