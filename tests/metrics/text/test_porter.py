import pytest

from neraca.metrics.text.porter import porter


@pytest.mark.parametrize(
    "word, stem",
    [
        # Porter (1980), the examples of steps 1 and 5 and the two words at the end, followed through all steps
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("caress", "caress"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("bled", "bled"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("tanned", "tan"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("fizzed", "fizz"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("controlling", "control"),
        ("rolling", "roll"),
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
    ],
)
def test_words_of_the_paper(word, stem):
    assert porter(word) == stem


@pytest.mark.parametrize(
    "word, stem",
    [
        ("ties", "tie"),  # four letters keep ie; the paper has ti
        ("died", "die"),
        ("spied", "spi"),
        ("fly", "fli"),
        ("enjoy", "enjoy"),
        ("by", "by"),
        ("skies", "sky"),
        ("dying", "die"),
        ("inning", "inning"),
        ("geology", "geolog"),
        ("hopefully", "hope"),
        ("radically", "radic"),
        ("upping", "up"),
        ("oped", "ope"),  # vc counts as short, so the e comes back
    ],
)
def test_extensions_of_nltk(word, stem):
    assert porter(word) == stem


@pytest.mark.parametrize(
    "word, stem",
    [
        ("", ""),
        ("S", "s"),
        ("is", "is"),
        ("RUNNING", "run"),
        ("İs", "i\u0307s"),  # two letters that are three in lower case: nothing is taken away
        ("东京", "东京"),
        ("niños", "niño"),
        ("12s", "12"),
        ("yyyyed", "yyyi"),  # c v c v before it, so `ed` falls; then y stands after a consonant
    ],
)
def test_words_that_are_none(word, stem):
    assert porter(word) == stem


def test_a_very_long_word_takes_no_time():
    """Each letter is looked at a few times only, also in runs of y, whose kind hangs on all before them."""
    assert porter("y" * 100_000 + "ing") == "y" * 99_999 + "i"
