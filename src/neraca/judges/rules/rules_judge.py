"""The judge `rules`: whether each hit meets the constraints of its question.  It needs no model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.item_language import ItemLanguages
from neraca.judges.rules.constraint import Check, CheckContext, prepare, usual_units
from neraca.judges.rules.geo import locator
from neraca.judges.rules.number_styles import folded
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import Synonyms, fold
from neraca.languages import parse_language
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.settings import read_settings

#: Number of distinct constraints kept in memory.
PREPARED = 10_000

if TYPE_CHECKING:
    from neraca.models.model_session import ModelSession


class RulesSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `rules`, from the table `[judges.rules]`.

    Attributes
    ----------
    synonyms
        Groups of words that `equals` treats as equal: `house = ["rumah", "home"]`.  The key belongs to its group.
    fields
        Aspect → fields of a hit to read.  A constraint's own `fields` take precedence.
    lat, lng
        Names of the coordinates, dotted if nested.  Set both or neither; without them the usual names are tried.
    language
        Language of numbers in text for items that do not name their language: `id` (M is miliar), `en` (M is million),
        `es-MX`.  "" or `auto`: detected from the questions.
    units
        Unit words beside the usual ones (GB, m², km, kamar, …) after which a number keeps its value: `["sacks"]`.
    style
        The older name of `language`.
    """

    synonyms: dict[str, list[str]] = {}
    fields: dict[str, list[str]] = {}
    lat: str = ""
    lng: str = ""
    language: str = ""
    units: list[str] = []
    style: str = ""


@JUDGES.register("rules")
class RulesJudge:
    """Judges every hit of every answer by the constraints of its item.

    One verdict for each hit id and constraint: 1 pass, 0 fail, or `missing` if the hit lacks the data.  Failed answers
    get no verdicts.

    Examples
    --------
    >>> from neraca.records import Constraint, Hit
    >>> item = Item(id="q1", query="rumah 3 lantai", constraints={"floors": Constraint(exact=3)})
    >>> answer = Answer(item="q1", hits=(Hit(id="h7", fields={"floors": "2 lantai"}),))
    >>> [(v.about, v.aspect, v.value, v.why) for v in RulesJudge().judge([(item, answer)])]
    [('hit:h7', 'floors', 0.0, 'floors: 2, wanted 3')]
    """

    by = "rules"
    settings_type = RulesSettings

    @settings_as_keywords(RulesSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        options = _read_settings(settings or {})
        self._language = options.language or options.style
        self._units = frozenset(map(folded, options.units))
        self._synonyms = Synonyms(options.synonyms)
        self._fields = options.fields
        self._locate = locator(options.lat, options.lng)

    def note(self, pairs: Sequence[tuple[Item, Answer]]) -> str:
        """Return a note on the language in which numbers are read; "" if no constraint asks for a number."""
        return self._languages(pairs).note

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs, then hits, then constraints; no model is asked.

        Before the first verdict a constraint that nothing could satisfy raises `InputError`, and an unknown language
        raises `SpecError`.
        """
        languages = self._languages(pairs)
        answered = ((item, answer.hits) for item, answer in pairs if answer.replied)
        constraints = ((name, c, hits) for item, hits in answered for name, c in item.constraints.items())
        units = usual_units(constraints, self._fields)
        in_language = cache(partial(self._context_in, units=units))
        checks_by_constraints: dict[tuple[str, bytes], list[tuple[str, Check]]] = {}

        def checks_of(item: Item) -> list[tuple[str, Check]]:
            language = languages.language_of(item)
            key = language, msgspec.msgpack.encode(item.constraints)
            if key not in checks_by_constraints:
                if len(checks_by_constraints) >= PREPARED:
                    checks_by_constraints.clear()
                checks_by_constraints[key] = _prepare(item, in_language(language))
            return checks_by_constraints[key]

        for item, _ in pairs:
            checks_of(item)
        return self._verdicts(pairs, checks_of)

    def _languages(self, pairs: Sequence[tuple[Item, Answer]]) -> ItemLanguages:
        if not any(_asks_for_a_number(constraint) for item, _ in pairs for constraint in item.constraints.values()):
            return ItemLanguages("", "")
        return ItemLanguages.of(pairs, self._language)

    def _verdicts(
        self, pairs: Sequence[tuple[Item, Answer]], checks_of: Callable[[Item], list[tuple[str, Check]]]
    ) -> Iterator[Verdict]:
        for item, answer in pairs:
            checks = checks_of(item)
            if not answer.replied or not checks:
                continue
            distinct: dict[str, Hit] = {}
            for hit in answer.hits:
                distinct.setdefault(hit.id, hit)
            for hit in distinct.values():
                about = f"hit:{hit.id}"
                for aspect, check in checks:
                    yield check(hit).on(answer, about, aspect, self.by)

    def _context_in(self, language: str, units: Mapping[tuple[str, str], str]) -> CheckContext:
        number_reader = partial(read_number, language=language, units=self._units)
        return CheckContext(self._synonyms, self._fields, self._locate, number_reader, units)


def _prepare(item: Item, context: CheckContext) -> list[tuple[str, Check]]:
    try:
        checks = [(name, prepare(name, constraint, context)) for name, constraint in item.constraints.items()]
    except InputError as error:
        raise InputError(f"item {item.id}, {error}") from error
    return [(name, check) for name, check in checks if check is not None]


def _asks_for_a_number(constraint: Constraint) -> bool:
    equals = constraint.equals if isinstance(constraint.equals, list) else [constraint.equals]
    values = [*equals, *constraint.synonyms, constraint.min, constraint.max, constraint.exact, constraint.about]
    return any(
        any(map(str.isdecimal, value)) if isinstance(value, str) else value is not None and not isinstance(value, bool)
        for value in values
    )


def _read_settings(table: Mapping[str, Any]) -> RulesSettings:
    settings = read_settings(RulesSettings, table, "judge rules")
    if bool(settings.lat) != bool(settings.lng):
        raise SpecError("judge rules: give both lat and lng, or neither")
    words = [word for canonical, group in settings.synonyms.items() for word in (canonical, *group)]
    if not all(map(fold, words)):
        raise SpecError("judge rules: a word in synonyms is empty; take it out")
    try:
        language, style = parse_language(settings.language), parse_language(settings.style)
    except SpecError as error:
        raise SpecError(f"judge rules: {error}") from error
    if settings.language and settings.style and language != style:
        conflict = f"language is {settings.language!r} and style, its older name, {settings.style!r}"
        raise SpecError(f"judge rules: {conflict}; leave style out")
    return settings
