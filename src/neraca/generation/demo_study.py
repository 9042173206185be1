"""Make a new study about the table of the demonstration: conversations in its twelve categories."""

from __future__ import annotations

from random import Random

from neraca.datasets.dataset import Dataset
from neraca.demo import LISTINGS
from neraca.errors import InputError
from neraca.generation.constraint_draws import ConstraintDraws, Constraints
from neraca.generation.question_set import QuestionSet, make_item
from neraca.generation.record_search import RecordSearch
from neraca.generation.records_table import read_records
from neraca.generation.sessions import Sessions, Turn
from neraca.generation.wording import Wording
from neraca.records import Item

#: Category of a first question → the columns that it asks about.  Each is asked once, and the first five twice.
CATEGORIES = {
    "location_simple": ("property_type", "district"),
    "location_price": ("property_type", "district", "price"),
    "feature_search": ("property_type", "facilities"),
    "nearby_search": ("property_type", "listing_type", "nearby"),
    "project_search": ("property_type", "complex"),
    "location_price_spec": ("property_type", "district", "price", "bedrooms"),
    "location_intent": ("property_type", "listing_type", "district"),
    "property_type": ("property_type", "listing_type", "district"),
    "nearby_price": ("property_type", "nearby", "price"),
    "complex_query": ("property_type", "listing_type", "district", "price", "bedrooms", "facilities"),
}
#: Categories of second questions: for other results of the same, and for something else.
MORE, CHANGED = "context_followup", "context_modify"
#: Every so many conversations begin with a question that no record meets.
_EMPTY = 5
_TRIES = 5


def demo_study(seed: int = 0) -> QuestionSet:
    """Make 30 questions in 15 conversations about the property table of the demonstration, in its twelve categories.

    Each conversation has a first question of one of ten categories, and a second that asks for more or changes the
    request.  Right answers are looked up in the table.  Equal seeds give equal questions.
    """
    table = read_records(LISTINGS, "id")
    random = Random(seed)
    draws, wording = ConstraintDraws(table, RecordSearch(table), random), Wording(table, random)
    sessions = Sessions(draws, wording, random)
    categories = [*CATEGORIES, *list(CATEGORIES)[:5]]
    items: list[Item] = []
    for number, category in enumerate(categories, 1):
        strata = ["none", "few", "many"] if number % _EMPTY == 0 else random.sample(["few", "many"], 2)
        constraints = _drawn(draws, category, [*strata, "one", "none"])
        first = Turn("first", wording.first(constraints, category == "location_intent"), constraints)
        for _ in range(_TRIES):  # a second question to which there is an answer, if one is found
            turns = sessions.continued(first, 2, ["another"] if number % 2 else [])
            if draws.search.meeting(turns[-1].constraints).any():
                break
        for turn in turns:
            kind = category if turn.kind == "first" else MORE if turn.kind == "another" else CHANGED
            tags = {"kind": "followup", "turn": turn.kind, "category": kind}
            name, session = f"q{len(items) + 1:02}", f"s{number}"
            items.append(make_item(name, turn.text, turn.constraints, draws, wording, session=session, **tags))
    return QuestionSet(Dataset(tuple(items), "demonstration"), table, {"followup": 2 * len(categories)}, seed)


def _drawn(draws: ConstraintDraws, category: str, strata: list[str]) -> Constraints:
    """Return constraints on the columns of a category, from the first stratum that has some."""
    drawn = next(filter(None, (draws.draw(stratum, CATEGORIES[category]) for stratum in strata)), None)
    if drawn is None:
        raise InputError(f"{LISTINGS}: no question of the category {category} was found")
    return drawn
