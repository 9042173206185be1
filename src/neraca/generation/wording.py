"""Write constraints as a question in the words of a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from neraca.datasets.constraint_columns import attribute_word, recognise_constraint
from neraca.generation.records_table import Records
from neraca.generation.words import wordings
from neraca.number_format import MARKS, exact, numbers_in
from neraca.records import Constraint


class Wording:
    """Writes questions about records in the language of the records."""

    def __init__(self, records: Records, random: Random) -> None:
        self._fields = {field.name: field for field in records.fields}
        self._language = records.language
        self._words = wordings()[records.language]
        self._random = random

    def first(self, constraints: Mapping[str, Constraint]) -> str:
        """Return a question that stands alone."""
        by_role = {self._fields[name].role: constraint.equals for name, constraint in constraints.items()}
        parts = [(name, constraint) for name, constraint in constraints.items() if not self._fields[name].role]
        noun = str(by_role["noun"]) if "noun" in by_role else ""
        what = [self._with_article(noun) or self._words.any, *filter(None, [str(by_role.get("modifier", ""))])]
        if "place" in by_role:
            what.append(self._words.place.format(value=by_role["place"]))
        if parts:
            what += [self._words.with_, self._joined([self._part(*part) for part in parts])]
        return self._sentence(self._words.first, what=" ".join(what))

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
        if role == "place":
            return self._words.place.format(value=constraint.equals)
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
        kinds = self._words.count if field.kind == "count" else self._words.number
        both = constraint.min is not None and constraint.max is not None
        kind = (
            "between"
            if both
            else next(k for k in ("exact", "about", "min", "max") if getattr(constraint, k) is not None)
        )
        value = constraint.exact if constraint.exact is not None else constraint.about
        numbers = {"low": constraint.min, "high": constraint.max, "value": value}
        return kinds[kind].format(field=word, **{key: self._number(name, value) for key, value in numbers.items()})

    def _number(self, name: str, value: float | None) -> str:
        """Write a number with the marks of the language; a year without them."""
        if value is None:
            return ""
        attribute = recognise_constraint(name)
        if attribute and attribute.name == "year":
            return f"{value:.0f}"
        with numbers_in(self._language if self._language in MARKS else "en"):
            return exact(value)

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
