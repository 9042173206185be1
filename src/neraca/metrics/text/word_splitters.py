"""Split texts as other libraries do, to reproduce their numbers; our own splitter is `unicode_words`."""

from __future__ import annotations

import re
import string
from collections.abc import Callable

Split = Callable[[str], list[str]]

_GOOGLE = re.compile(r"[a-z0-9]+")
_SKLEARN = re.compile(r"\b\w\w+\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MT = (
    (re.compile(r"([\{-\~\[-\`!-\&\(-\+\:-\@\/])"), r" \1 "),  # mteval puts spaces around spaces too
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def google(text: str) -> list[str]:
    """Split as rouge_score does: runs of a-z and 0-9 after lower-casing; every other letter is lost."""
    return _GOOGLE.findall(text.lower())


def lower(text: str) -> list[str]:
    """Split a text as it is given to NLTK's METEOR: at white space, in lower case."""
    return text.lower().split()


def sklearn(text: str) -> list[str]:
    """Split as scikit-learn's vectorizers do: lower case, words of two letters or more."""
    return _SKLEARN.findall(text.lower())


def squad(text: str) -> list[str]:
    """Split as the evaluation script of SQuAD does: lower case, ASCII punctuation deleted, then a, an and the."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def mt13a(text: str) -> list[str]:
    """Split as mteval-v13a does in the form of sacreBLEU, with case kept.

    >>> mt13a("Hello, world: 3.5 at 5-6.")
    ['Hello', ',', 'world', ':', '3.5', 'at', '5', '-', '6', '.']
    """
    line = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, letter in _ENTITIES:
            line = line.replace(entity, letter)
    line = f" {line} "
    for pattern, replacement in _MT:
        line = pattern.sub(replacement, line)
    return line.split()


def letters(text: str) -> list[str]:
    """Return every character except white space.

    >>> letters("a b")
    ['a', 'b']
    """
    return list("".join(text.split()))


def punctuation_apart(text: str) -> list[str]:
    """Split as chrF++ does: at white space, and one ASCII sign off a word's end, otherwise off its start.

    >>> punctuation_apart("(hi) it's 3.5 ...")
    ['(hi', ')', "it's", '3.5', '..', '.']
    """
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += word[0], word[1:]
        else:
            words.append(word)
    return words
