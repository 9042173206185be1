"""The judge that needs no model: whether each hit has what the question asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.constraint import Check, Terms, prepare
from neraca.judges.geo import locator
from neraca.judges.judge import JUDGES
from neraca.judges.numbers import Style, parse_number
from neraca.judges.outcome import Outcome, missing
from neraca.judges.words import Synonyms, fold
from neraca.records import Answer, Hit, Item, Verdict
from neraca.settings import read_settings

if TYPE_CHECKING:
    from neraca.models.model_session import ModelSession


class RulesSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.rules]` in a study.

    Attributes
    ----------
    synonyms
        Groups of words that `equals` takes for the same: `house = ["rumah", "home"]`.  Any word of a group equals
        any other; the key is one of them.
    fields
        Aspect → where in a hit to look; a constraint's own `fields` win.
    lat, lng
        Names of the coordinates, dotted where nested; both or neither (then the usual names are tried).
    style
        How numbers in text are written: `id` (M is miliar) or `en` (M is million).
    units
        Unit words beside the usual ones after which a number keeps its value: `["gb"]`.
    """

    synonyms: dict[str, list[str]] = {}
    fields: dict[str, list[str]] = {}
    lat: str = ""
    lng: str = ""
    style: Style = "id"
    units: list[str] = []


@JUDGES.register("rules")
class Rules:
    """Judges every hit of every answer by the constraints of its item.

    One verdict for each hit id and constraint: 1 pass, 0 fail, without a value and `missing` where the hit
    has no such data.  What an item does not constrain, and answers that failed, get none.

    Parameters
    ----------
    settings
        See `RulesSettings`; raises `SpecError` where one is unknown or wrong.

    Examples
    --------
    >>> from neraca.records import Constraint, Hit
    >>> item = Item(id="q1", query="rumah 3 lantai", constraints={"floors": Constraint(exact=3)})
    >>> answer = Answer(item="q1", hits=(Hit(id="h7", fields={"floors": "2 lantai"}),))
    >>> [(v.about, v.aspect, v.value, v.why) for v in Rules({}).judge([(item, answer)])]
    [('hit:h7', 'floors', 0.0, 'floors: 2, wanted 3')]
    """

    by = "rules"
    settings_type = RulesSettings

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        chosen = _settings(settings or {})
        self._terms = Terms(
            synonyms=Synonyms(chosen.synonyms),
            fields=chosen.fields,
            locate=locator(chosen.lat, chosen.lng),
            number=partial(parse_number, style=chosen.style, units=frozenset(map(fold, chosen.units))),
        )

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Verdicts in the order of the pairs, then hits, then constraints; no model is asked.

        A constraint that nothing could satisfy raises `InputError` before the first verdict.
        """
        items = {id(item): item for item, _ in pairs}
        checks = {key: self._prepare(item) for key, item in items.items()}
        return self._verdicts(pairs, checks)

    def _verdicts(
        self, pairs: Sequence[tuple[Item, Answer]], checks: Mapping[int, list[tuple[str, Check]]]
    ) -> Iterator[Verdict]:
        for item, answer in pairs:
            prepared = checks[id(item)]
            if answer.failed or not prepared:
                continue
            distinct: dict[str, Hit] = {}
            for hit in answer.hits:
                distinct.setdefault(hit.id, hit)
            for hit in distinct.values():
                about = f"hit:{hit.id}"
                for aspect, check in prepared:
                    value, why = check(hit)
                    outcome = missing(why) if value is None else Outcome(value, why)
                    yield outcome.on(answer, about, aspect, self.by)

    def _prepare(self, item: Item) -> list[tuple[str, Check]]:
        try:
            made = [(name, prepare(name, asked, self._terms)) for name, asked in item.constraints.items()]
        except InputError as error:
            raise InputError(f"item {item.id}, {error}") from error
        return [(name, check) for name, check in made if check is not None]


def _settings(given: Mapping[str, Any]) -> RulesSettings:
    settings = read_settings(RulesSettings, given, "judge rules")
    if bool(settings.lat) != bool(settings.lng):
        raise SpecError("judge rules: give both lat and lng, or neither")
    words = [word for canonical, group in settings.synonyms.items() for word in (canonical, *group)]
    if not all(map(fold, words)):
        raise SpecError("judge rules: a word in synonyms is empty; take it out")
    return settings
