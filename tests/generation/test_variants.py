"""Variants of questions share the right answers, and are compared with their questions in pairs."""

from collections import Counter

import pytest
from rapidfuzz.distance import OSA

import neraca
from neraca.demo import LISTINGS
from neraca.errors import InputError, SpecError
from neraca.records import Item

HOMES = (
    Item(id="a", query="Do you have a house in Leeds?", relevant={"h": 1.0}, tags={"language": "en"}),
    Item(id="b", query="flat", relevant={}, expects="none", tags={"language": "en"}),
    Item(id="c1", query="Please find a cheap house.", session="s", tags={"language": "en"}),
    Item(id="c2", query="And 3 or 4?", session="s", tags={"language": "en"}),
)


def dataset(items=HOMES):
    return neraca.Dataset(tuple(items))


def queries(variants, name):
    return {item.tags["variant_of"]: item.query for item in variants.dataset if item.tags["variant"] == name}


def test_keywords_are_what_is_left_without_words_that_people_leave_out():
    variants = neraca.add_variants(dataset(), "keywords")
    assert queries(variants, "keywords") == {"a": "house in Leeds", "c1": "cheap house", "c2": "3 or 4"}
    assert (variants.made, variants.unchanged) == ({"keywords": 3}, {"keywords": ("b",)})


@pytest.mark.parametrize(
    ("language", "question", "keywords"),
    [
        ("id", "Apakah ada rumah tanpa garasi di Medan?", "rumah tanpa garasi Medan"),
        ("es", "¿Tienen una casa sin garaje en León, por favor?", "casa sin garaje León"),
        ("ar", "هل لديكم بيت بدون مسبح؟", "بيت بدون مسبح"),
        ("es", "Busco una casa con al menos 6 dormitorios", "casa al menos 6 dormitorios"),
        ("es", "¿Hay una casa con por lo menos 2 baños?", "casa por lo menos 2 baños"),
        ("es", "Busco un coche con precio de unos 24.000 €.", "coche precio unos 24.000 €"),
        (
            "es",
            "¿Hay un piso a menos de 3 km de la playa, de 900 € como mucho?",
            "piso a menos de 3 km playa, 900 € como mucho",
        ),
        ("id", "Apakah ada rumah di bawah 500 juta?", "rumah di bawah 500 juta"),
        ("id", "Ada kos paling sedikit 3 kamar, sekitar 2 juta?", "kos paling sedikit 3 kamar, sekitar 2 juta"),
        ("ar", "هل لديكم بيت لا يقل عن 3 غرف؟", "بيت لا يقل عن 3 غرف"),
        ("ar", "أبحث عن بيت في حدود 900 ألف، 3 غرف على الأقل", "بيت في حدود 900 ألف، 3 غرف على الأقل"),
        (
            "en",
            "Is there a flat with or without a lift, at least 2 rooms?",
            "flat with or without lift, at least 2 rooms",
        ),
        ("en", "I'm looking for a flat with no lift, at most 90,000", "flat no lift, at most 90,000"),
    ],
)
def test_words_that_change_what_is_sought_stay(language, question, keywords):
    item = Item(id="q", query=question, tags={"language": language})
    assert queries(neraca.add_variants(dataset([item]), "keywords"), "keywords") == {"q": keywords}


def test_a_variant_shares_everything_but_its_words():
    variants = neraca.add_variants(dataset(), "keywords, typo")
    by_id = variants.dataset.by_id
    assert [item.id for item in variants.dataset][:4] == ["a", "b", "c1", "c2"]
    assert by_id["a"].tags == {"language": "en", "variant": "original", "variant_of": "a"}
    assert by_id["a~typo"].relevant == {"h": 1.0}
    assert by_id["a~typo"].tags == {"language": "en", "variant": "typo", "variant_of": "a"}
    assert [by_id[name].session for name in ("c1~typo", "c2~typo", "c1~keywords", "a~keywords")] == [
        *("s~typo", "s~typo", "s~keywords", None)
    ]
    assert by_id["c2~typo"].query == "And 3 or 4?"  # no word is long enough, and the turn before it is misspelt


def test_a_misspelling_is_near_and_no_word_of_another_question():
    items = neraca.generate(LISTINGS, 20, kinds="constraint", language="id").dataset
    variants = neraca.add_variants(items, "typo", seed=3)
    words = Counter(word for item in items for word in item.query.casefold().split())
    for item in items:
        wrong = queries(variants, "typo")[item.id]
        changed = [(old, new) for old, new in zip(item.query.split(), wrong.split(), strict=True) if old != new]
        assert 1 <= len(changed) <= max(1, len(item.query.split()) // 3)
        for old, new in changed:
            assert (OSA.distance(old, new), old[0], words[new.casefold()]) == (1, new[0], 0)
            assert [letter for letter in old if letter.isdigit()] == [letter for letter in new if letter.isdigit()]


def test_equal_seeds_give_equal_variants():
    first, again, other = (neraca.add_variants(dataset(), "typo", seed=seed) for seed in (1, 1, 2))
    assert first.dataset.items == again.dataset.items != other.dataset.items


def test_what_cannot_be_made_is_said():
    with pytest.raises(SpecError, match="there is no variant 'tpyo'; did you mean typo"):
        neraca.add_variants(dataset(), "tpyo")
    with pytest.raises(SpecError, match="there are variants already"):
        neraca.add_variants(neraca.add_variants(dataset(), "typo").dataset, "keywords")
    french = dataset([Item(id="q", query="Où est la gare ?", tags={"language": "fr"})])
    with pytest.raises(SpecError, match="question q is in fr, and there are lists of words to leave out for en, id"):
        neraca.add_variants(french, "keywords")


def scored(folder):
    """Return the scores of a system that misses misspelt questions: 20 questions, of which the last is not misspelt."""
    items = [Item(id=f"q{n}", query=f"house {n}" if n < 19 else "flat", relevant={"h": 1.0}) for n in range(20)]
    variants = neraca.add_variants(dataset(items), "typo", language="en")
    run = neraca.ask(
        variants.dataset, lambda query: {"text": "", "hits": [{"id": "h" if "house" in query.split() else "x"}]}, folder
    )
    return neraca.score([run], "P@1")


def test_variants_are_compared_with_their_questions_in_pairs(tmp_path):
    scores = neraca.by_variant(scored(tmp_path / "run"))
    assert [run.name for run in scores.runs] == ["run (original)", "run (typo)"]
    assert [scores.mean("P@1", run.name) for run in scores.runs] == [19 / 20, 0]
    assert scores.why("P@1", "run (typo)") == {19: "the question has no such variant"}
    (difference,) = neraca.compare(scores, against="run (original)", test="sign")
    assert (difference.difference, difference.n) == (-1.0, 19)


def test_a_run_without_variants_is_an_error(tmp_path):
    run = neraca.ask(dataset(HOMES[:1]), lambda query: {"text": "", "hits": [{"id": "h"}]}, tmp_path / "run")
    with pytest.raises(InputError, match="its questions have no variants"):
        neraca.by_variant(neraca.score([run], "P@1"))
