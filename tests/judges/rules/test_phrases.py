import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.judges.rules.phrases import Phrases, Synonyms, bare, fold


@pytest.mark.parametrize(
    "text, folded",
    [
        *[("Café", "cafe"), ("CAFE\u0301", "cafe"), ("STRASSE", "strasse"), ("straße", "strasse"), ("İzmir", "izmir")],
        *[("niño", "nino"), ("ＡＣ", "ac"), (" a \n\t b ", "a b"), ("مَدرسة", "مدرسة"), ("", "")],
    ],
)
def test_case_accents_and_space_fold(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize("phrase", ["ac", "kim", "3"])
@pytest.mark.parametrize("text", ["acara", "mac", "kimia", "hakim", "ac2", "13", "3a", ""])
def test_parts_of_words_do_not_match(phrase, text):
    assert Phrases([phrase]).first(fold(text)) is None


@pytest.mark.parametrize(
    "text", ["AC", "ada ac.", "(ac)", "ac/tv", "full-ac", "full_ac", "ac_split", "water_heater,ac", "acara, ac"]
)
def test_whole_words_match_beside_any_mark(text):
    assert Phrases(["ac"]).first(fold(text)) == "ac"


def test_phrases_match_over_space_hyphen_and_underscore_only():
    phrases = Phrases(["Kolam Renang"])
    for text in ["kolam renang", "kolam  renang", "Kolam-Renang", "kolam_renang"]:
        assert phrases.first(fold(text)) is not None
    for text in ["kolam ikan renang", "kolamrenang", "kolam, renang", "kolam\0renang", "kolam renangan"]:
        assert phrases.first(fold(text)) is None


def test_a_phrase_with_marks_is_taken_literally():
    assert Phrases(["c++"]).first("a c++ course") == "c++"
    assert Phrases(["c++"]).first("a ccc course") is None


def test_marks_around_a_phrase_do_not_count():
    assert bare(" -_- ") == ""
    assert Phrases([" -ac_ "]).first("ac, tv") == "ac"


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


def test_scripts_without_spaces_match_anywhere():
    assert Phrases(["駅"]).first(fold("東京駅前")) == "駅"
    assert Phrases(["สระ"]).first(fold("มีสระว่าย")) is not None


def test_leftmost_phrase_is_named_and_the_longer_of_two():
    assert Phrases(["kolam", "kolam renang", "ac"]).first("kolam renang, ac") == "kolam renang"


@given(st.lists(st.sampled_from(["ac", "kim", "a c", "ki"]), min_size=1), st.text(alphabet="ackim -", max_size=20))
def test_agrees_with_a_slow_search_over_word_lists(phrases, text):
    words = re.split(r"[\s-]+", text)
    runs = {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    assert (Phrases(phrases).first(fold(text)) is not None) == any(phrase in runs for phrase in phrases)


@given(st.dictionaries(st.sampled_from("abcde"), st.lists(st.sampled_from("ABCDEF"), max_size=3)), st.data())
def test_synonyms_are_symmetric_and_a_word_is_its_own(groups, data):
    same = Synonyms(groups)
    one, other = data.draw(st.sampled_from("abcdef")), data.draw(st.sampled_from("abcdef"))
    assert one in same.of(one)
    assert (other in same.of(one)) == (one in same.of(other))


def test_groups_that_share_a_word_do_not_merge():
    same = Synonyms({"house": ["home"], "flat": ["home"]})
    assert same.of("home") == {"home", "house", "flat"}
    assert same.of("house") == {"house", "home"}
