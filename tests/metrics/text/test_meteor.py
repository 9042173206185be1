import json

import pytest
from builders import make_answer, make_item, make_scorable
from hard_texts import HARD, random_pairs

from neraca.errors import InputError, SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.pair_counts_python import align, chunks
from neraca.metrics.text.tokenizer import Tokenizer

KNOWN = ("en", "es", "id", "ar", "fa", "tr", "he", "th", "zh")
ZWNJ = "\u200c"


def part_of(*made, language=""):
    """Of (reference, response, language of the item or "")."""
    pairs = [
        (
            make_item(str(number), references=(reference,), tags={"language": code} if code else {}),
            make_answer(item=str(number), text=response),
        )
        for number, (reference, response, code) in enumerate(made)
    ]
    return make_scorable(pairs, language=language)


def values(name, *made, language=""):
    return score_metric(Metric.of(name), part_of(*made, language=language)).rows[:, 0].tolist()


@pytest.mark.parametrize(
    "reference, response, expected",
    [
        ("a b c d", "a b c d", 1 - 0.5 / 64),  # four words in one chunk
        ("a b c d", "c d a b", 1 - 0.5 * (2 / 4) ** 3),  # in two
        ("a b", "a b c d", 0.5 / (0.9 * 0.5 + 0.1) * (1 - 0.5 / 8)),  # P = 1/2, R = 1: recall weighs nine times
        ("a b c d", "a b", 0.5 / (0.9 + 0.1 * 0.5) * (1 - 0.5 / 8)),  # P = 1, R = 1/2
        ("a", "a", 0.5),
        ("a b", "c d", 0.0),
        ("a b", "", 0.0),
        ("a b", "?!", 0.0),
    ],
)
def test_by_hand(reference, response, expected):
    assert values("METEOR", (reference, response, "")) == pytest.approx([expected])
    assert Metric.of("METEOR").pair(reference, response) == pytest.approx(expected)


def test_a_reference_without_words_has_no_value_and_says_why():
    column = score_metric(Metric.of("METEOR"), part_of(("...", "a", "")))
    assert column.why == ("no reference has a word in it",)


def test_a_response_takes_the_last_partner_from_its_end():
    """The last "a" of the response takes the last of the reference, though the other would make fewer chunks."""
    assert align(["x", "a", "b"], ["a", "b", "y", "a"]) == {2: 1, 1: 3}
    assert chunks(align(["x", "a", "b"], ["a", "b", "y", "a"])) == 2


def test_stages_follow_each_other():
    """ "cats" has an equal word, so its stem is not asked; "cat" takes what is left, "dog" means "hound"."""
    ours, theirs = ["cat", "cats", "dog"], ["cats", "hound", "cats"]
    stems = ["cat", "cat", "dog"], ["cat", "hound", "cat"]
    assert align(ours, theirs) == {1: 2}
    assert align(ours, theirs, stems) == {1: 2, 0: 0}
    assert align(ours, theirs, stems, {"dog": {"hound"}}) == {1: 2, 0: 0, 2: 1}
    assert align(ours, theirs, None, {"dog": {"hound"}, "cat": ["cats"]}) == {1: 2, 0: 0, 2: 1}


def test_each_text_has_the_stemmer_of_its_own_language():
    """Houses and casas lose their endings; the third has no language, the fourth one without a stemmer."""
    made = ("two houses", "two house"), ("dos casas", "dos casa"), ("dos casas", "dos casa"), ("dos casas", "dos casa")
    found = values("METEOR", *((*pair, code) for pair, code in zip(made, ("en", "es", "", "th"), strict=True)))
    both, one = 1 - 0.5 / 8, 0.5 * 0.5
    assert found == pytest.approx([both, both, one, one])


def test_the_language_of_the_data_set_and_of_the_metric_count_too():
    made = ("dos casas", "dos casa", "")
    assert values("METEOR", made, language="es") == pytest.approx([1 - 0.5 / 8])
    assert values("METEOR(language=Spanish)", made) == pytest.approx([1 - 0.5 / 8])
    assert values("METEOR(language=es,stem=false)", made) == pytest.approx([0.25])
    assert values("METEOR(language=id)", made) == pytest.approx([0.25])


def test_stems_that_are_asked_for_must_be_there():
    assert Metric.of("METEOR(stem=true)").pair("dos casas", "dos casa", "es") == pytest.approx(1 - 0.5 / 8)
    with pytest.raises(SpecError, match="a stemmer needs the language"):
        Metric.of("METEOR(stem=true)").pair("dos casas", "dos casa")
    with pytest.raises(SpecError, match="no stemmer of Thai"):
        Metric.of("METEOR(stem=true,language=th)").pair("a", "a")
    with pytest.raises(SpecError, match=r"char does not go with \+stem"):
        Metric.of("METEOR(stem=true,tokens=char)").pair("a", "a")


def test_other_readings_are_aligned_as_they_are():
    assert Metric.of("METEOR(tokens=char)").pair("ab", "ab", "en") == pytest.approx(1 - 0.5 / 8)
    assert Metric.of("METEOR(tokens=word+stem)").pair("two houses", "two house", "en") == pytest.approx(1 - 0.5 / 8)
    assert Metric.of("METEOR(tokens=google)").pair("two houses", "two house") == pytest.approx(1 - 0.5 / 8)
    assert Metric.of("METEOR(tokens=google,stem=false)").pair("two houses", "two house") == pytest.approx(0.25)


@pytest.mark.parametrize("tokens", ["word", "word+number+fold-articles", "space+plain", "nltk", "google"])
@pytest.mark.parametrize("code", KNOWN)
def test_words_and_stems_stand_one_to_one(tokens, code):
    own = tokens not in ("nltk", "google")
    words, stems = Tokenizer.of(tokens, code), Tokenizer.of(f"{tokens}+{'may' if own else ''}stem", code)
    persian = f"{ZWNJ}می{ZWNJ}رود {ZWNJ} نمی{ZWNJ}دانم{ZWNJ}"
    for text in (*HARD, persian, f"a{ZWNJ} {ZWNJ}b", "l'eau d'or al-kitab الكتاب"):
        assert len(words.words(text)) == len(stems.words(text)), text


@pytest.mark.parametrize("wrong", ["alpha=1.5", "alpha=-1", "gamma=2", "beta=-1"])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(SpecError, match="alpha and gamma are from 0 to 1, beta is 0 or more"):
        Metric.of(f"METEOR({wrong})").pair("a", "a")


def test_stem_is_true_or_false():
    with pytest.raises(SpecError, match="stem is true or false, not 'porter'"):
        Metric.of("METEOR(stem=porter)").pair("a", "a")


# synonyms


def test_synonyms_are_read_as_the_words_are(tmp_path):
    """Rumah = Hunian; "Houses" of the table stands for "house" too, where stems are compared."""
    (tmp_path / "table.csv").write_text("Rumah, hunian\nHouses; Homes\n", encoding="utf-8")
    name = f"METEOR(synonyms={tmp_path}/table.csv)"
    made = ("RUMAH besar", "hunian besar", "id"), ("one house", "one home", "en"), ("one house", "one home", "")
    assert values(name, *made) == pytest.approx([1 - 0.5 / 8, 1 - 0.5 / 8, 0.25])
    assert values("METEOR", *made) == pytest.approx([0.25, 0.25, 0.25])


def test_a_single_pair_is_aligned_as_in_a_table_of_several_languages(tmp_path):
    (tmp_path / "table.json").write_text(json.dumps([["house", "Medan"], ["cat", "dog", "sky"]]), encoding="utf-8")
    for code in KNOWN[:4]:
        made = [(one + " x", other, code) for one, other in random_pairs(1, 200)]
        for name in ("METEOR", "METEOR(stem=false)", f"METEOR(synonyms={tmp_path}/table.json)"):
            alone = [Metric.of(name).pair(*pair) for pair in made]
            assert alone == pytest.approx(values(name, *made), abs=1e-12)


def test_a_table_that_is_not_there_is_an_error():
    with pytest.raises(InputError, match=r"nowhere.csv: no such file of synonyms"):
        Metric.of("METEOR(synonyms=nowhere.csv)").pair("a", "a")


def test_synonyms_are_read_with_the_tokens_of_nltk_where_a_metric_has_these(tmp_path):
    """NLTK's METEOR takes words as they stand between white space, "can't." with its point, and only lowers them."""
    (tmp_path / "table.csv").write_text("Can't., cannot\n", encoding="utf-8")
    name = f"METEOR(synonyms={tmp_path}/table.csv,tokens=nltk)"
    assert values(name, ("I can't.", "I cannot", "en")) == pytest.approx([1 - 0.5 / 8])
