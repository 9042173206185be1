"""Check written questions by rules: quotes, words that point at a text, copied sentences, the language."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from neraca.generation.drafts import NEXT, Check, Draft
from neraca.judges.outcome import Outcome, not_applicable
from neraca.judges.rules.phrases import Phrases, fold
from neraca.language_detection import Detected, find_language, script_of, stop_words
from neraca.languages import language_of
from neraca.unicode_words import compared_form, unicode_words

#: Fewest words of a quote.
QUOTE_WORDS = 3
#: A question is copied if it has a run of at least so many words of the text, which are this share of its words.
COPIED = ((6, 0.75), (8, 0.5))
#: Common words of another language without any of the language asked for, and the lead of another one otherwise.
FOREIGN, FOREIGN_LEAD = 2, 3
#: The languages that few words tell apart too rarely.
_ALIKE = {"id": {"ms"}, "ms": {"id"}, "es": {"gl", "ca", "pt"}, "no": {"da"}, "da": {"no"}, "hr": {"sr"}, "sr": {"hr"}}


class RuleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language in `question_rules.toml`, which explains them."""

    deictic: tuple[str, ...]
    unless_in_text: tuple[str, ...]
    asking: tuple[str, ...]


def check_by_rules(draft: Draft, language: str) -> list[Check]:
    """Return the outcomes of all rules that look at one question; `language` is the code of the language asked for."""
    rules = {"grounded": grounded(draft), "standalone": standalone(draft, language), "copied": copied(draft)}
    return [Check(aspect, outcome) for aspect, outcome in {**rules, "language": in_language(draft, language)}.items()]


def grounded(draft: Draft) -> Outcome:
    """Return whether each quote stands in its document word for word, but for case, accents and punctuation."""
    if not draft.quotes and not draft.answerable:
        return not_applicable("a question without an answer needs no quote")
    if not draft.quotes:
        return Outcome(0.0, "no words of a document are quoted")
    texts = {window.document.id: _spaced(window.whole) for window in draft.windows}
    for quote in draft.quotes:
        words = _spaced(quote.text)
        if quote.document not in texts:
            return Outcome(0.0, f"a quote names no document that was shown: {quote.text}")
        if len(words.split()) < QUOTE_WORDS:
            return Outcome(0.0, f"a quote of fewer than {QUOTE_WORDS} words: {quote.text}")
        if words not in texts[quote.document]:
            return Outcome(0.0, f"not in {quote.document}: {quote.text}")
    quoted = {quote.document for quote in draft.quotes}
    if len(draft.windows) > 1 and draft.answerable and len(quoted) < 2:
        return Outcome(0.0, f"only {', '.join(quoted)} is quoted, though two documents are needed")
    return Outcome(1.0)


def standalone(draft: Draft, language: str) -> Outcome:
    """Return whether nothing in a question points at a text that the asker has not seen."""
    if draft.kind == NEXT and not draft.standalone:
        return Outcome(0.0, "what it leaves out is not said")
    question = fold(f"{draft.question} {draft.standalone}")
    text = fold(" ".join(window.whole for window in draft.windows))
    for code in dict.fromkeys((language, "en")):
        if code not in rule_words():
            continue
        words = rule_words()[code]
        phrase = Phrases(words.deictic).first(question)
        if phrase is None and (weaker := Phrases(words.unless_in_text).first(question)):
            phrase = None if weaker.split()[-1] in text else weaker
        if phrase:
            return Outcome(0.0, f"“{phrase}” points at a text that the asker has not seen")
    return Outcome(1.0)


def copied(draft: Draft) -> Outcome:
    """Return whether a question is put in other words than the texts."""
    words = _words(draft.question)
    run = max((longest_run(words, _words(window.whole)) for window in draft.windows), default=0)
    if any(run >= least and run >= share * len(words) for least, share in COPIED):
        return Outcome(0.0, f"{run} of its {len(words)} words stand together in the document")
    return Outcome(1.0, f"at most {run} of its {len(words)} words stand together in the document")


def in_language(draft: Draft, language: str) -> Outcome:
    """Return whether a question is in the language asked for; few words or only names do not tell, and pass."""
    detected = find_language([draft.question])
    alike = _ALIKE.get(language, set()) | {language}
    if isinstance(detected, Detected):
        return Outcome(float(detected.code in alike), f"it is {detected}")
    scripts = Counter(filter(None, map(script_of, draft.question)))
    own = {script_of(word[0]) for code in alike for word in stop_words().get(code, ())} - {""}
    if own and sum(scripts[name] for name in own) < scripts.total() / 2:
        return Outcome(0.0, f"it is in {scripts.most_common(1)[0][0]} letters")
    words = {form for word in draft.question.split() for form in unicode_words(compared_form(word))}
    counts = {code: len(words & telling) for code, telling in _telling_words().items() if code not in alike}
    asked_for = max(len(words & _telling_words().get(code, frozenset())) for code in alike)
    rival = max(counts, key=lambda code: counts[code])
    if counts[rival] >= (FOREIGN if not asked_for else asked_for + FOREIGN_LEAD):
        names = f"{language_of(rival).name}, {asked_for} are {language_of(language).name}"
        return Outcome(0.0, f"{counts[rival]} of its words are common ones of {names}")
    return Outcome(1.0)


def longest_run(words: Sequence[str], text: Sequence[str]) -> int:
    """Return the length of the longest run of words that both have.

    >>> longest_run("who may park in the yard".split(), "guests may park in the north yard".split())
    4
    """
    longest, before = 0, dict[int, int]()
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text):
        places.setdefault(word, []).append(place)
    for word in words:
        now = {place: before.get(place - 1, 0) + 1 for place in places.get(word, ())}
        longest, before = max([longest, *now.values()]), now
    return longest


@cache
def rule_words() -> dict[str, RuleWords]:
    """Return code of a language → its words for the rules."""
    text = (files("neraca.generation") / "question_rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, RuleWords])


@cache
def _telling_words() -> dict[str, frozenset[str]]:
    """Return code → the most common words of a language, and the words that begin its questions."""
    asking = {code: frozenset(map(compared_form, words.asking)) for code, words in rule_words().items()}
    return {code: words | asking.get(code, frozenset()) for code, words in stop_words().items()}


def _words(text: str) -> list[str]:
    return unicode_words(fold(text))


def _spaced(text: str) -> str:
    """Return the words of a text with a space before and after each, so that whole words are looked for."""
    return f" {' '.join(_words(text))} "
