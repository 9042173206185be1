"""How texts fall into words in other libraries."""

from neraca.metrics.text.tokenizer import Tokenizer
from neraca.metrics.text.word_splitters import letters, mt13a, sklearn, squad


def words(text, tokens):
    return Tokenizer.of(tokens).words(text)


def test_other_libraries_ways():
    assert words("Ñandú's 2nd Été", "google") == ["and", "s", "2nd", "t"]
    assert sklearn("A cat sat, é ok") == ["cat", "sat", "ok"]
    assert squad("The U.S.A.: a man, an-other thé") == ["usa", "man", "another", "thé"]
    assert words("Don't  stop\tNOW", "nltk") == ["don't", "stop", "now"]
    assert mt13a("It costs $3.50, e.g. 5-6 &quot;x&quot;\n") == [
        *("It", "costs", "$", "3.50", ",", "e", ".", "g", ".", "5", "-", "6", '"', "x", '"'),
    ]
    assert letters(" a\u00a0é\x1c") == ["a", "é"]
