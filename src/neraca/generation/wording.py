"""Write constraints as a question in the words of a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from neraca.datasets.constraint_columns import attribute_word
from neraca.generation.nouns_and_amounts import after_number, is_plural
from neraca.generation.records_table import Records
from neraca.generation.words import wordings
from neraca.number_format import MARKS, exact, numbers_in
from neraca.records import Constraint

#: The roles of fields in the order of their words.
ROLES = ("noun", "modifier", "place", "estate", "distance", "near")


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
        if parts:
            what += [self._words.with_, self._joined([self._part(*part) for part in parts])]
        return self._sentence(self._words.moved if purpose else self._words.first, what=" ".join(what))

    def why(self, right_answers: int, total: int, near_misses: Mapping[str, int]) -> str:
        """Return why the right answers are right: how many there are, and would be without a constraint."""
        parts = [self._words.why.format(n=right_answers, total=total)]
        parts += [self._words.without.format(n=n, field=self._name(name)) for name, n in near_misses.items()]
        return "; ".join([parts[0], *filter(None, [", ".join(parts[1:])])])

    def next(self, turn: str, name: str = "", constraint: Constraint | None = None) -> str:
        """Return the next turn of a conversation: `narrow`, `change`, `drop` or `another`."""
        parts = "" if constraint is None else self._phrase(name, constraint)
        sentences = getattr(self._words, turn)
        # Only the first sentence takes a place or the name of a thing in the place of "price at most 5".
        is_bare = constraint is not None and self._fields[name].role
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
            return self._words.flag[constraint.equals is False].format(field=word)
        if field.kind == "words":
            return self._words.words.format(field=word, value=constraint.contains_any[0])
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

    def _with_article(self, noun: str) -> str:
        """Return a noun with its article, in a language that has one for all nouns."""
        if not noun or not self._words.article:
            return noun
        return f"{self._words.article[noun[0].casefold() in 'aeiou']} {noun}"

    def _name(self, name: str) -> str:
        """Return what people call a field: its usual word in the language, else the column's own name."""
        return attribute_word(name, self._language) or name.replace("_", " ").strip()

    def _joined(self, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {self._words.and_} {parts[-1]}"

    def _sentence(self, sentences: Sequence[str], **words: Any) -> str:
        text = self._random.choice(sentences).format(**words)
        return text[0].upper() + text[1:]
