"""Write constraints as a question in the words of a language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from neraca.datasets.constraint_columns import attribute_word
from neraca.generation.nouns_and_amounts import after_number, is_plural
from neraca.generation.records_table import Records
from neraca.generation.words import wordings
from neraca.judges.rules.phrases import fold
from neraca.number_format import MARKS, exact, numbers_in
from neraca.records import Constraint

#: The roles of fields in the order of their words.
ROLES = ("noun", "modifier", "place", "estate", "distance", "near")

#: Names of columns that are states, the verb before a name, and words before which a "not" stands.
_STATE = re.compile(r"(?:is|in|on|for|en|di|siap)\s|(?:.*\s)?\w{3,}(?:ed|able)$", re.IGNORECASE)
_VERB = re.compile(r"(?:is|has|have|with)\s+", re.IGNORECASE)
_IN_FRONT = re.compile(r"(?:in|on|for|en|di|siap)\s", re.IGNORECASE)
#: Endings of English singulars that look like plurals.
_SINGULAR_S = ("us", "is", "lens", "gas")
#: The beginning of a Spanish word before which "y" becomes "e".
_SOUNDS_I = re.compile(r"h?[ií](?![aeo])", re.IGNORECASE)


class Wording:
    """Writes questions about records in the language of the records."""

    def __init__(self, records: Records, random: Random) -> None:
        self._fields = {field.name: field for field in records.fields}
        self._language = records.language
        self._words = wordings()[records.language]
        self._random = random

    def first(self, constraints: Mapping[str, Constraint], purpose: bool = False) -> str:
        """Return a question that stands alone, with `purpose` one that says what for."""
        by_role = {self._fields[name].role: (name, constraint) for name, constraint in constraints.items()}
        parts = [(name, constraint) for name, constraint in constraints.items() if not self._fields[name].role]
        what = [self._phrase(*by_role[role]) for role in ROLES if role in by_role]
        if "noun" not in by_role:
            what.insert(0, self._words.any)
        states = [self._part(*part) for part in parts if self._is_state(*part)]
        absent = [self._part(*part) for part in parts if self._is_absent(*part)]
        present = [self._part(*part) for part in parts if not (self._is_state(*part) or self._is_absent(*part))]
        if present:
            what.append(self._words.with_)
        if present or absent:
            what.append(self._joined([*present, *absent]))
        sentences = self._words.moved if purpose else self._words.first
        if "noun" in by_role and self._is_bare_plural(str(by_role["noun"][1].equals)):
            sentences = sentences[: max(1, len(sentences) - 1)]
        return self._sentence(sentences, what=self._words.comma.join([" ".join(what), *states]))

    def why(self, right_answers: int, total: int, near_misses: Mapping[str, int]) -> str:
        """Return why the right answers are right: how many there are, and would be without a constraint."""
        parts = [self._words.why.format(n=right_answers, total=total)]
        parts += [self._words.without.format(n=n, field=self._name(name)) for name, n in near_misses.items()]
        return self._words.semicolon.join([parts[0], *filter(None, [self._words.comma.join(parts[1:])])])

    def next(self, turn: str, name: str = "", constraint: Constraint | None = None) -> str:
        """Return the next turn of a conversation: `narrow`, `change`, `drop` or `another`."""
        parts = "" if constraint is None else self._phrase(name, constraint)
        sentences = getattr(self._words, turn)
        # Only the first sentence takes a place, the name of a thing or a state in the place of "price at most 5".
        is_bare = constraint is not None and bool(
            self._fields[name].role or self._is_state(name, constraint) or self._is_absent(name, constraint)
        )
        return self._sentence(sentences[:1] if is_bare else sentences, parts=parts, field=self._name(name))

    def _phrase(self, name: str, constraint: Constraint) -> str:
        """Return a constraint as a part of a question, a place with its preposition."""
        role = self._fields[name].role
        if role in ("place", "estate"):
            return self._words.place.format(value=constraint.equals)
        if role == "distance" and constraint.near is not None:
            return self._words.distance.format(radius=f"{constraint.near.radius_km:g}", value=constraint.near.name)
        if role == "near":
            return self._words.near.format(value=constraint.equals or constraint.contains_any[0])
        noun = str(constraint.equals)
        return self._with_article(noun) if role == "noun" else noun if role else self._part(name, constraint)

    def _part(self, name: str, constraint: Constraint) -> str:
        """Return a constraint in words: "price at most 500,000"."""
        field, word = self._fields[name], self._name(name)
        if field.kind == "flag":
            has_it, word = constraint.equals is not False, _VERB.sub("", word)
            if has_it or not self._is_state(name, constraint):
                return self._words.flag[not has_it].format(field=word)
            before, _, last = ("", "", word) if _IN_FRONT.match(word) else word.rpartition(" ")
            return " ".join(filter(None, [before, self._words.not_, last]))
        if field.kind == "words":
            return self._words.words.format(field=word, value=constraint.contains_any[0])
        if field.kind == "category" and self._is_state(name, constraint):
            return str(constraint.equals)
        if field.kind == "category":
            return self._words.category.format(field=word, value=constraint.equals)
        both = constraint.min is not None and constraint.max is not None
        exact_or_bound = (kind for kind in ("exact", "about", "min", "max") if getattr(constraint, kind) is not None)
        kind = "between" if both else next(exact_or_bound)
        value = constraint.exact if constraint.exact is not None else constraint.about
        numbers = {"low": constraint.min, "high": constraint.max, "value": value}
        written = {key: self._number(name, number) for key, number in numbers.items()}
        if field.kind == "year":
            return self._words.year[kind].format(field=word, **written)
        if field.kind != "count":
            return self._words.number[kind].format(field=word, **written)
        if not is_plural(word, self._language):  # a floor, a rating: a number that counts nothing
            return (self._words.number | {"exact": self._words.category})[kind].format(field=word, **written)
        number = next(number for number in numbers.values() if number is not None)
        return self._words.count[kind].format(field=after_number(word, number, self._language), **written)

    def _number(self, name: str, value: float | None) -> str:
        """Write a number with the marks of the language; a year without them."""
        if value is None:
            return ""
        field = self._fields[name]
        if field.kind == "year":
            return f"{value:.0f}"
        with numbers_in(self._language if self._language in MARKS else "en"):
            number = exact(value)
        amount = number if field.currency is None else field.currency.written(number)
        return amount + (field.unit and ("" if field.unit.startswith("/") else " ") + field.unit)

    def _is_state(self, name: str, constraint: Constraint) -> bool:
        """Return whether "with" cannot stand before the words of a constraint: in stock, unfurnished."""
        word = self._name(name)
        if self._fields[name].kind == "category":
            return len(word) > 3 and fold(word) in fold(str(constraint.equals))
        return self._fields[name].kind == "flag" and _STATE.match(word) is not None

    def _is_absent(self, name: str, constraint: Constraint) -> bool:
        is_flag = self._fields[name].kind == "flag" and constraint.equals is False
        return is_flag and not self._is_state(name, constraint)

    def _is_bare_plural(self, noun: str) -> bool:
        return bool(self._words.article) and is_plural(noun, self._language) and not noun.endswith(_SINGULAR_S)

    def _with_article(self, noun: str) -> str:
        """Return a noun with its article, in a language that has one for all nouns in the singular."""
        if not noun or not self._words.article or self._is_bare_plural(noun):
            return noun
        return f"{self._words.article[noun[0].casefold() in 'aeiou']} {noun}"

    def _name(self, name: str) -> str:
        """Return what people call a field: its usual word in the language, else the column's own name."""
        return attribute_word(name, self._language) or name.replace("_", " ").strip()

    def _joined(self, parts: Sequence[str]) -> str:
        if len(parts) == 1:
            return parts[0]
        is_e = self._language == "es" and _SOUNDS_I.match(parts[-1])
        return f"{self._words.comma.join(parts[:-1])}{' e ' if is_e else self._words.and_}{parts[-1]}"

    def _sentence(self, sentences: Sequence[str], **words: Any) -> str:
        text = self._random.choice(sentences).format(**words)
        return text[0].upper() + text[1:]
