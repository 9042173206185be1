"""The same stems as NLTK's PorterStemmer, for every word of Python's library and for letters at random."""

import random
import re
import sysconfig
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem import PorterStemmer

from neraca.metrics.text.porter import porter

THEIRS = PorterStemmer().stem
#: Suffixes of all steps, and pieces of them.
ENDINGS = (
    *("", "s", "es", "ies", "sses", "ed", "eed", "ied", "ing", "y", "e", "ll", "lle", "at", "bl", "iz"),
    *("ational", "tional", "enci", "anci", "izer", "bli", "abli", "alli", "ationalli", "tionalli", "entli", "eli"),
    *("ousli", "ization", "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti"),
    *("fulli", "fully", "logi", "logy", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance"),
    *("ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "sion", "tion", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize", "ally"),
)


def different(words):
    return {word: (porter(word), THEIRS(word)) for word in words if porter(word) != THEIRS(word)}


def test_words_of_the_standard_library():
    """Its sources and documentation have some 19,000 different ones."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [*library.glob("*.py"), *(library / "pydoc_data").glob("*.py"), *(library / "idlelib").rglob("*.txt")]
    words = {
        word for path in files for word in re.findall(r"[^\W\d_]+", path.read_text(encoding="utf-8", errors="replace"))
    }
    assert len(words) > 15_000
    assert different(words) == {}


@pytest.mark.parametrize("letters", ["aeiouybcdlst", "abcdefghijklmnopqrstuvwxyz", "aeyslntg", "ay", "aéßİñИع東yes"])
def test_letters_at_random(letters):
    drawn = random.Random(4)
    words = {
        "".join(drawn.choices(letters, k=drawn.randint(0, 6))) + drawn.choice(ENDINGS) + drawn.choice(("", *ENDINGS))
        for _ in range(20_000)
    }
    assert different(words) == {}


@given(st.text(max_size=8), st.sampled_from(ENDINGS))
@settings(max_examples=500)
@example("", "")
@example("İ", "s")
@example("\ud800", "ing")
def test_any_text(text, ending):
    assert porter(text + ending) == THEIRS(text + ending)
