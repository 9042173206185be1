"""How texts are read: names such as `word+stem-articles`, and that cutting at spaces changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.languages import languages
from neraca.metrics.text.encoded_texts import spellings, tokenize
from neraca.metrics.text.tokenizer import KINDS, Tokenizer, kind_of

ALL = [
    *KINDS,
    *("word+number", "word+case", "word+plain", "word+fold", "space+case+plain+fold", "word+number+plain+fold"),
    *("word+stem-articles", "space-articles", "google+stem", "nltk+stem", "13a+lower", "split+lower", "char+lower"),
]
SIGNS = (
    " \t\n\r\x1c\u00a0\u3000\u200b\u00ad\u200d\u0301\u0308\u00b4\u064b.,;:!?-_'’\"`&<>$%0123"
    "٣½²ßİıIΣσςñéÀﬁ東ーกำहिन्اأَالbcdTHEanthe"
)
TEXTS = st.text(st.sampled_from(SIGNS), max_size=40) | st.text(max_size=30)
SNIPPETS = [
    "the ",
    "a ",
    "&quot;",
    "&amp;lt;",
    "<skipped>",
    "-\n",
    "1.5",
    "1,",
    " .",
    ", ",
    "l'",
    "ال",
    "-",
    "5-6",
    "İ",
]
MADE = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=3), max_size=12).map("".join)


@pytest.mark.parametrize("tokens", ALL)
@pytest.mark.parametrize("language", ["en", "tr", "ar"])
@given(text=TEXTS | MADE)
def test_reading_each_spelling_by_itself_is_reading_the_whole_text(tokens, language, text):
    way = Tokenizer(*_parts(tokens), language)
    whole = Tokenizer(*_parts(tokens), language)
    assert way.words(text) == whole.spelt(text)


def _parts(tokens):
    made = Tokenizer.of(tokens, "en")
    return made.kind, made.options


@pytest.mark.parametrize("tokens", ALL)
@given(texts=st.lists(TEXTS, max_size=5))
def test_many_texts_are_read_as_one_is(tokens, texts):
    way = Tokenizer.of(tokens, "es")
    found = tokenize(spellings(texts), [way] * len(texts))
    got = [[found.vocabulary[n] for n in found.ids[a:b]] for a, b in zip(found.starts, found.starts[1:], strict=False)]
    assert got == [way.words(text) for text in texts]


def test_names_are_canonical_and_equal_readings_are_one():
    assert str(Tokenizer.of(" word-articles+stem ", "Spanish")) == "word+stem-articles"
    assert Tokenizer.of("word-articles+stem", "es-MX") is Tokenizer.of("word+stem-articles", "spa")
    assert repr(Tokenizer.of("char")) == "Tokenizer('char', '')"
    assert str(Tokenizer.of("space+fold+plain+case")) == "space+case+plain+fold"


@pytest.mark.parametrize(
    "tokens, told",
    [
        ("wrod", "did you mean word"),
        ("", "known: 13a, char"),
        ("word+stme", r"word does not go with \+stme; there are word\+number"),
        ("word-stem", "word does not go with -stem"),
        ("word+articles", r"does not go with \+articles"),
        ("space+number", r"space does not go with \+number"),
        ("squad-articles", "there are squad alone"),
        ("sklearn+stem", "there are sklearn alone"),
        ("word stem", "no such way to read words"),
        ("nonsense", r"known: 13a, .*; after word and space also \+number \+case \+marks \+plain \+fold \+stem"),
    ],
)
def test_a_wrong_name_says_what_there_is(tokens, told):
    with pytest.raises(SpecError, match=told):
        Tokenizer.of(tokens)


def test_a_stemmer_needs_a_language_that_has_one():
    with pytest.raises(SpecError, match="a stemmer needs the language of the text; languages with one: ar, ca"):
        Tokenizer.of("word+stem")
    with pytest.raises(SpecError, match="there is no stemmer of Vietnamese"):
        Tokenizer.of("word+stem", "vi")
    assert Tokenizer.of("word+maystem").words("houses") == ["houses"]
    assert Tokenizer.of("word+maystem", "vi").words("houses") == ["houses"]
    assert Tokenizer.of("word+maystem", "en").words("houses") == ["hous"]


@pytest.mark.parametrize(
    "language, text, left",
    [
        ("en", "The cat and a dog an hour", "cat and dog hour"),
        ("es", "El gato y una casa, los unos", "gato y casa"),
        ("de", "Der Hund in einem Haus", "hund in haus"),
        ("fr", "L'eau des lacs, une île", "eau lacs île"),
        ("it", "L'acqua e gli alberi", "acqua e alberi"),
        ("id", "sebuah rumah, seorang guru, seekor kucing, suatu hari", "rumah guru kucing hari"),
        ("ar", "البيت الكبير", "البيت الكبير"),
        ("zh", "the 东", "the 东"),
        ("", "the cat", "the cat"),
    ],
)
def test_without_articles(language, text, left):
    assert Tokenizer.of("word-articles", language).words(text) == left.split()


def test_articles_are_known_however_they_are_written():
    assert Tokenizer.of("word+case-articles", "en").words("The Cat THE") == ["Cat"]
    assert Tokenizer.of("word+plain-articles", "ro").words("niște case") == ["case"]
    assert Tokenizer.of("word+fold-articles", "yi").words("דאָס בוך") == ["בוך"]
    assert Tokenizer.of("word+fold-prefixes", "ar").words("ٱلبيت اللّه") == ["بيت", "الله"]


@pytest.mark.parametrize(
    "tokens, text, left",
    [
        ("word-articles-prefixes", "البيت الكبير في المدينة و بيت", "بيت كبير في مدينة و بيت"),
        ("word+marks-prefixes", "اَلْبَيْتُ", "بَيْتُ"),
        ("word-prefixes", "الله الذي الم", "الله الذي الم"),
    ],
)
def test_articles_of_one_word_with_the_next_are_cut_where_that_is_asked(tokens, text, left):
    assert Tokenizer.of(tokens, "ar").words(text) == left.split()


@pytest.mark.parametrize("one, other", [("اللهم", "لهم"), ("الهام", "هام"), ("التقى", "تقى"), ("البر", "بر")])
def test_words_that_begin_with_the_letters_of_the_article_stay_other_words(one, other):
    way = Tokenizer.of("word-articles", "ar")
    assert way.words(one) == [one]
    assert way.words(other) == [other]


@pytest.mark.parametrize("language", ["ar", "fa"])
def test_harakat_and_tatweel_play_no_part_and_letters_do(language):
    way = Tokenizer.of("word", language)
    assert way.words("ٱلْكِتَابُ كتـــاب ًـ") == ["الكتاب", "كتاب"]
    assert way.words("أحمد") != way.words("احمد")
    assert Tokenizer.of("word+marks", language).words("كِتَاب") == ["كِتَاب"]
    assert Tokenizer.of("word").words("كِتَاب") == ["كِتَاب"]


@pytest.mark.parametrize("code", [code for code, known in languages().items() if known.articles or known.prefixes])
def test_every_article_of_every_language_falls_away_alone(code):
    known = languages()[code]
    for tokens in ("word-articles", "word+plain+fold-articles", "space-articles"):
        assert Tokenizer.of(tokens, code).words(" ".join(known.articles)) == []


def test_facts():
    assert [Tokenizer.of(t).case for t in ("word", "word+case", "google", "13a", "13a+lower", "split")] == [
        *("lower", "kept", "lower", "kept", "lower", "kept")
    ]
    assert [Tokenizer.of(t).norm for t in ("word", "space", "char", "nltk")] == ["nfkc", "nfkc", "nfc", "no"]
    assert Tokenizer.of("char+nfkc").norm == "nfkc"
    assert Tokenizer.of("word-articles", "en").drops_articles
    assert not Tokenizer.of("word-articles", "th").drops_articles
    assert not Tokenizer.of("word", "en").drops_articles
    assert Tokenizer.of("google+stem").stems
    assert [Tokenizer.of(t).own for t in ("word", "space", "char", "squad")] == [True, True, False, False]


def test_kind_of():
    assert [kind_of(t) for t in ("13a+lower", " space-articles", "raw", "", "wordy+stem")] == [
        *("13a", "space", "", "", "")
    ]


def test_it_forgets_when_it_knows_too_much():
    class Forgetful(Tokenizer):
        most_spellings = 2

    way = Forgetful("word", (), "")
    assert way.words("á b c d á b") == ["á", "b", "c", "d", "á", "b"]  # of ASCII alone nothing is remembered
    assert 0 < len(way._words_by_spelling) <= 2
