"""Reasons of the judge `rules` in the language of a report: all that it writes is known here."""

import re
from string import Formatter

import pytest

from neraca.judges.rules.rules_judge import RulesJudge
from neraca.records import Answer, Constraint, Hit, Item, Near
from neraca.reports.sentences.rule_reasons import TEMPLATES, rule_reason
from neraca.reports.translation import written_in

CONSTRAINTS = [
    *(Constraint(**{end: 1000.0}, tolerance=share) for end in ("min", "max") for share in (None, 0.1)),
    *(Constraint(min=1000, max=2000, tolerance=share) for share in (None, 0.1)),
    Constraint(about=1500),
    Constraint(exact=1500),
    Constraint(equals="rumah", synonyms=["hunian"]),
    Constraint(equals=["rumah", "ruko"]),
    Constraint(equals=True),
    Constraint(contains_any=["Johor", "Cemara"], fields=["x", "y"]),
    Constraint(contains_any=["Johor"], near=Near(lat=3.6, lng=98.7, radius_km=3, name="Cemara")),
    Constraint(near=Near(lat=3.6, lng=98.7, radius_km=3)),
]
FIELDS = [
    *({"x": value, "y": "Medan"} for value in (1500, 500, 2500, "rumah", "hunian", "gudang", True, False, "di Johor")),
    {"x": "2 sampai 3"},
    {"x": {"a": 1}},
    {"x": "Medan"},
    {"lat": 3.9, "lng": 98.7},
    {},
]
ENGLISH = re.compile(r"\b(is|are|not|wanted|outside|within|above|below|least|most|contains?|allowed|from|no|or|and)\b")


def reasons():
    """All that the judge writes on these constraints and hits."""
    hits = tuple(Hit(id=str(n), fields=fields) for n, fields in enumerate(FIELDS))
    for constraint in CONSTRAINTS:
        item = Item(id="q", query="rumah", constraints={"x": constraint}, tags={"language": "id"})
        yield from (verdict.why for verdict in RulesJudge().judge([(item, Answer(item="q", hits=hits))]))


@pytest.mark.parametrize("language", ["id", "es"])
def test_no_reason_of_the_judge_stays_english(language):
    written = {*reasons()}
    assert len(written) > 60
    with written_in(language):
        english = {why for why in written if (words := ENGLISH.findall(rule_reason(why))) and {*words} - {"no"}}
    assert english == set()


def test_each_template_is_of_a_reason_that_the_judge_writes():
    unused = []
    written = [part for why in reasons() for part in why.split("; ")]
    for template in TEMPLATES:
        pattern = "".join(re.escape(text) + (".+" if name else "") for text, name, _, _ in Formatter().parse(template))
        if not any(re.fullmatch(pattern, part) for part in written):
            unused.append(template)
    assert unused == []


def test_numbers_are_written_as_the_language_does_and_names_stay():
    with written_in("id"):
        assert rule_reason("price 54,000,000 is outside 1,000,000,000 to 1,999,999,999; no floors") == (
            "price 54.000.000 di luar 1.000.000.000 sampai 1.999.999.999; tidak ada floors"
        )
        assert rule_reason("12.7 km from Marelan 1,5, allowed 3 km") == "12,7 km dari Marelan 1,5, diizinkan 3 km"
        assert rule_reason("somebody's own words") == "somebody's own words"
    with written_in("es"):
        assert rule_reason("district and address do not contain johor or kim") == (
            "district y address no contienen johor o kim"
        )
    assert rule_reason("x 999 is below 1,000") == "x 999 is below 1,000"
