"""Reasons of the judge `rules` in the language of a report: all that it writes is known here."""

import re
from string import Formatter

import openpyxl
import pytest

from neraca.datasets.expectations import read_expectations
from neraca.datasets.json_schema import DEEPEST, violation
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.rules_judge import RulesJudge
from neraca.metrics.text.expectation_checks import failures
from neraca.records import Answer, Constraint, Hit, Item, Near, Verdict
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.reports.sentences.reasons import (
    CHECK_TEMPLATES,
    REASONS,
    TEMPLATES,
    check_reason,
    reason,
    rule_reason,
    source_words,
    verdict_reason,
)
from neraca.scores.score import score
from neraca.stats.intervals.fewest import too_few_for_interval
from neraca.translation import LANGUAGES, translations, written_in

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
SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "maxProperties": 9,
    "properties": {
        "name": True,
        "deep": {"$ref": "#"},
        "kind": {"enum": ["a"]},
        "fixed": {"const": 1},
        "low": {"minimum": 2},
        "high": {"maximum": 2},
        "above": {"exclusiveMinimum": 2},
        "below": {"exclusiveMaximum": 2},
        "step": {"multipleOf": 2},
        "code": {"pattern": "^x"},
        "list": {"minItems": 3},
        "set": {"uniqueItems": True},
        "any": {"anyOf": [{"const": 1}]},
        "one": {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        "no": {"not": {"type": "number"}},
    },
}
CHECKS = [  # column, cell, answer
    ("must_contain", "48 jam", "48 JAM"),
    ("must_contain", "48 jam | 2 hari", "besok"),
    ("must_contain_any", "48 jam | 2 hari", "besok"),
    ("must_contain", "500", "1,500"),
    ("must_contain", "48 jam", ""),
    ("must_not_contain", "48 jam", "48 jam"),
    ("must_equal", "ya", "tidak"),
    ("must_not_equal", "ya", "ya"),
    ("must_start_with", "ya", "tidak"),
    ("must_not_start_with", "ya", "ya"),
    ("must_match", "^ya", "tidak"),
    ("must_not_match", "^ya", "ya"),
    ("must_equal_number", "48", "tidak"),
    ("must_equal_number", "48", "72 jam"),
    ("must_cite", "a.pdf", "b"),
    ("must_cite", "yes", "b"),
    ("max_words", "1", "satu dua"),
    ("min_words", "3", "satu dua"),
    ("must_be_json", "yes", "tidak"),
    ("must_contain_json", "yes", "tidak"),
]
ENGLISH = re.compile(r"\b(is|are|not|wanted|outside|within|above|below|least|most|contains?|allowed|from|no|or|and)\b")


def fits(template: str, text: str) -> bool:
    """Return whether a template can make a text."""
    pattern = "".join(re.escape(part) + (".+" if name else "") for part, name, _, _ in Formatter().parse(template))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def reasons():
    """All that the judge writes on these constraints and hits."""
    hits = tuple(Hit(id=str(n), fields=fields) for n, fields in enumerate(FIELDS))
    for constraint in CONSTRAINTS:
        item = Item(id="q", query="rumah", constraints={"x": constraint}, tags={"language": "id"})
        yield from (verdict.why for verdict in RulesJudge().judge([(item, Answer(item="q", hits=hits))]))
    for language, price in (("", "Rp 1,500"), ("", "1 500"), ("", "3 mn"), ("es", "1.500")):
        item = Item(id="q", query="x", constraints={"price": Constraint(max=9)}, tags={"language": language})
        answer = Answer(item="q", hits=(Hit(id="h", fields={"price": price}),))
        yield from (verdict.why for verdict in RulesJudge().judge([(item, answer)]))


@pytest.mark.parametrize("language", ["id", "es"])
def test_no_reason_of_the_judge_stays_english(language):
    written = {*reasons()}
    assert len(written) > 60
    with written_in(language):
        english = {why for why in written if (words := ENGLISH.findall(rule_reason(why))) and {*words} - {"no"}}
    assert english == set()


def test_each_template_is_of_a_reason_that_the_judge_writes():
    written = [part for why in reasons() for part in why.split("; ")]
    assert [template for template in TEMPLATES if not any(fits(template, part) for part in written)] == []


def check_failures():
    """All that is written on failed checks, with their columns."""
    for column, cell, text in CHECKS:
        yield from failures(read_expectations({column: cell}), Answer(item="q", text=text))
    yield from failures(read_expectations({"must_equal": "a"}), Answer(item="q", status="timeout"))
    deep = {"name": 1}
    for _ in range(DEEPEST + 2):
        deep = {"name": 1, "deep": deep}
    fields = {"kind": "b", "fixed": 2, "low": 1, "high": 3, "above": 2, "below": 2, "step": 3, "code": "y", "one": 1}
    lists = {"list": [1], "set": [1, 1], "any": 2, "no": 1, "other": 1}
    values = [*({"name": 1, key: value} for key, value in {**fields, **lists}.items()), {}, 3, deep]
    values.append({"name": 1, **{f"x{n}": n for n in range(9)}})
    for value in values:
        yield f"must_be_json: {violation(value, SCHEMA, lambda pattern, text: text.startswith('x'))}"


@pytest.mark.parametrize("language", ["id", "es"])
def test_no_reason_of_a_check_stays_english(language):
    english = re.compile(r"\b(is|it|has|not|than|there|its|no (answer|JSON|multiple|field)|matche?s|fits|holds)\b")
    with written_in(language):
        translated = {re.sub(r"JSON \(.*", "", check_reason(why)) for why in check_failures()}  # what a decoder says
        assert {why for why in translated if english.search(why)} == set()


def test_each_template_of_a_check_is_written():
    whys = [failure.partition(": ")[2] for failure in check_failures()]
    assert [template for template in CHECK_TEMPLATES if not any(fits(template, why) for why in whys)] == []


def test_a_failed_check_keeps_its_column_and_values():
    with written_in("es"):
        assert check_reason('must_contain_any: "48 horas" or "2 días" is not there') == (
            'must_contain_any: no está "48 horas" o "2 días"'
        )
    with written_in("id"):
        assert check_reason("max_words: it has 1250 words, more than 1000") == (
            "max_words: berisi 1250 kata, lebih dari 1000"
        )
        assert check_reason("must_be_json: $.n is 2.5, more than 2") == "must_be_json: $.n adalah 2,5, lebih dari 2"


def test_a_number_that_may_be_two_keeps_its_text_and_its_or_is_translated():
    unknown, spanish = read_number("Rp 1,500").note, read_number("1.500", "es").note
    with written_in("id"):
        assert rule_reason(f"price: {unknown}") == (
            'price: "Rp 1,500" berarti 1.500 dalam bahasa Inggris dan 1,5 atau 1.500 dalam bahasa Indonesia; sebutkan '
            'bahasanya: [dataset] language = "en" (atau --language en)'
        )
        assert rule_reason(f"price: {spanish}") == (
            'price: "1.500" mungkin 1,5 atau 1.500 dalam bahasa Spanyol; sebutkan yang mana: language = "es-ES" atau '
            '"es-MX"'
        )


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


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_reasons_of_other_rooms_are_translated_with_their_numbers(language):
    assert [text for text in REASONS if language not in translations().get(text, {})] == []
    with written_in(language):
        for why in (
            "nobody judged it: quality",
            "llm:x did not judge the claims of the reference",
            "it claims nothing",
        ):
            assert reason(why) != why
        assert reason("of a kind that nobody knows") == "of a kind that nobody knows"
        assert "the reference" not in reason("llm:x did not judge the claims of the reference")
        assert reason("mean of 2 raters: ana 4.5, budi 3").endswith(": ana 4,5, budi 3")
        assert verdict_reason("human:all raters", "majority of 2 raters, which is level: a 0, b 1") != ""
        assert verdict_reason("llm:x", "no floors") == "no floors"
        assert source_words("human:all raters") != "human:all raters"
    assert reason("nobody judged it: quality") == "nobody judged it: quality"


def test_counts_of_observations_are_read_as_the_code_writes_them():
    with written_in("es"):
        assert reason(too_few_for_interval(1)) == "1 observación; un intervalo requiere al menos 3"
        assert reason(too_few_for_interval(2)) == "2 observaciones; un intervalo requiere al menos 3"


@pytest.mark.parametrize("suffix", [".xlsx", ".md", ".html"])
@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_ratings_by_several_people_are_described_in_the_language_of_the_report(folder, tmp_path, suffix, language):
    """Two people rate the first question alike, and nobody the second; in text and cells no English reason is left."""
    items = [Item(id=f"q{n}", query=f"pregunta {n}") for n in range(2)]
    answers = [Answer(item=item.id, text="jawaban") for item in items]
    verdicts = [
        Verdict(item="q0", about="answer", aspect="quality", value=value, by=f"human:{name}")
        for name, value in (("ana", 4.5), ("budi", 3.0))
    ]
    run = folder(f"run{suffix[1:]}{language}", items, answers, verdicts)
    path = tmp_path / f"report{suffix}"
    write_report(path, report(score([run], "Rubric(quality)"), language=language))
    if suffix == ".xlsx":
        sheets = openpyxl.load_workbook(path).worksheets
        text = "\n".join(str(cell) for sheet in sheets for row in sheet.iter_rows(values_only=True) for cell in row)
    else:
        text = path.read_text(encoding="utf-8")
    english = ("nobody judged", "all raters", "raters: ana", "mean of 2", "observation;")
    assert [words for words in english if words in text] == []
    with written_in(language):
        assert reason("nobody judged it: quality") in text
