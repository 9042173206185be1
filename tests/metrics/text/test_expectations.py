"""Expectations: which answers meet the checks of their questions, and what is said of those that do not."""

import json
import math
import time

import pytest
from builders import make_item, make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.expectations import NO_CHECKS, ExpectationChecks
from neraca.metrics.text.numbers import placed_numbers
from neraca.records import FAILED, LEFT_OUT, Answer, Hit

HOTEL = "Puede cancelar hasta 48 horas antes.\nCuesta 1.250,50 euros; el niño no paga."


def why(text, language="es", hits=(), **checks):
    """What is said of one answer; "" if it meets all checks."""
    item = make_item(extra=checks, tags={"language": language} if language else {})
    part = make_scorable([(item, Answer(item="1", text=text, hits=hits))])
    (failed,) = part.view(ExpectationChecks).failed
    assert score_metric(Metric.of("Expectations"), part).per_answer.tolist() == [0.0 if failed else 1.0]
    return failed


@pytest.mark.parametrize(
    "column, cell",
    [
        ("must_contain", "48 horas | Cuesta"),
        ("must_contain", "antes. Cuesta"),  # a line break is white space
        ("must_contain", "nin\u0303o"),  # the same letter in another Unicode form
        ("icontains", "CUESTA"),
        ("contains-any", "72, 48"),
        ("must_not_contain", "72 horas|cuesta"),
        ("not-icontains", "72 horas"),
        ("must_match", r"\b\d{2} horas"),
        ("must_match", r"(?m)^Cuesta"),
        ("must_not_match", r"\d{3} horas"),
        ("must_start_with", "Puede"),
        ("must_not_equal", "Puede"),
        ("must_equal_number", "48"),
        ("must_equal_number", "1250.5 | 48"),
        ("must_equal_number", "50 ± 2"),
        ("max_words", "13"),
        ("min_words", "13"),
    ],
)
def test_what_holds(column, cell):
    assert why(HOTEL, **{column: cell}) == ""


@pytest.mark.parametrize(
    "column, cell, reason",
    [
        ("must_contain", "48 horas|72 horas|24", '"72 horas", "24" is not there'),
        ("must_contain", "cuesta", '"cuesta" is not there (but with other capitals; icontains takes it)'),
        ("contains-any", "72, 24", '"72" or "24" is not there'),
        ("must_not_contain", "x|48 horas", '"48 horas" is there'),
        ("not-icontains", "CUESTA", '"CUESTA" is there'),
        ("must_match", "^Cuesta", '"^Cuesta" matches nothing'),
        ("must_not_match", r"\d+ horas", r'"\d+ horas" matches'),
        ("must_start_with", "puede", '"puede" is not its beginning'),
        ("must_equal", "Puede", '"Puede" is not the answer'),
        ("must_equal_number", "72 ± 2", "72 ± 2 is not among its numbers (48, 1.250,50)"),
        ("must_equal_number", "1998", "1998 is not among its numbers (48, 1.250,50)"),
        ("max_words", "12", "it has 13 words, more than 12"),
        ("min_words", "14", "it has 13 words, fewer than 14"),
        ("must_be_json", "yes", "it is no JSON"),
        ("must_contain_json", "yes", "there is no JSON in it"),
        ("must_cite", "yes", "it cites no source"),
        ("must_cite", "rules.pdf", '"rules.pdf" is not cited'),
    ],
)
def test_what_does_not_hold_and_the_reason(column, cell, reason):
    assert why(HOTEL, **{column: cell}).startswith(f"{column}: {reason}")


@pytest.mark.parametrize(
    "text, number, language, holds",
    [
        ("Son 1.250", "1250", "es", True),
        ("It is 1.250", "1250", "en", False),
        ("1.250", "1250", "", True),  # both readings are possible, and one fits
        ("-5 grados", "-5", "es", True),
        ("5 grados", "-5", "es", False),
        ("de 2-3 noches", "-3", "es", False),
        ("covid-19", "19", "es", True),
        ("harga 1,2 juta", "1200000", "id", True),
        ("harga 1,2 juta", "1.2", "id", True),
        ("٤٨ ساعة", "48", "ar", True),
        ("el 12.05.2024", "12", "es", False),
        ("0.1 + 0.2 = 0.30000000000000004", "0.3", "en", True),
        ("ninguno", "0", "es", False),
    ],
)
def test_numbers_in_a_text(text, number, language, holds):
    assert (why(text, language, must_equal_number=number) == "") is holds


@pytest.mark.parametrize(
    "text, cell",
    [
        ("قال مُحَمَّد نعم", "محمد"),
        ("هذا كتـــاب جديد", "كتاب"),
        ("ثلاث غُرَفٍ كبيرة", "غرف"),
        ("السعر ١٢٥٠ درهم", "السعر 1250"),
        ("السعر ۱۲۵۰ درهم", "السعر 1250"),
        ("السعر 1250 درهم", "السعر ١٢٥٠"),
        ("كتاب", "كِتَابٌ"),
    ],
)
def test_harakat_tatweel_and_the_script_of_digits_play_no_part_in_checks_of_texts(text, cell):
    for column in ("must_contain", "icontains", "contains-any"):
        assert why(text, "ar", **{column: cell}) == ""
    for column in ("must_not_contain", "not-icontains"):
        assert why(text, "ar", **{column: cell}).endswith(" is there")
    assert why(text, "ar", must_equal=text.translate({0x640: None})) == ""


def test_a_regular_expression_and_other_letters_stay_literal():
    assert why("كتـــاب ١٢٥٠", "ar", must_match="كتاب").endswith("matches nothing")
    assert why("١٢٥٠", "ar", must_match="1250").endswith("matches nothing")
    assert why("احمد", "ar", must_contain="أحمد").endswith("is not there")


def test_a_value_of_marks_alone_is_not_everywhere():
    assert why("كتاب", "ar", must_contain="\N{ARABIC TATWEEL}").endswith("is not there")


def test_places_and_signs_of_numbers():
    placed = [(*place, sign) for *place, sign, _ in placed_numbers("a -1 \N{MINUS SIGN}2 --3 x-4 5-6", "en")]
    assert placed == [(3, 4, True), (6, 7, True), (10, 11, False), (14, 15, False), (16, 17, False), (18, 19, False)]


@pytest.mark.parametrize(
    "text, cell, holds",
    [
        ("Abre a las 18:30.", "8:30", False),
        ("Abre a las 18:30 y a las 8:30.", "8:30", True),
        ("Cuesta 1.500 euros.", "500", False),
        ("It costs 1,500.", "1", False),
        ("It costs 500, not 600.", "500", True),
        ("Room A12", "A1", False),
        ("Room A1.", "A1", True),
        ("السعر ١٢٥٠٠ درهم", "1250", False),
    ],
)
def test_a_text_that_ends_in_digits_is_not_found_inside_a_longer_number(text, cell, holds):
    for column in ("must_contain", "icontains", "contains-any"):
        reason = f'{column}: "{cell}" is not there (only inside a longer number)'
        assert why(text, **{column: cell}) == ("" if holds else reason)
    assert (why(text, must_not_contain=cell) == "") is not holds


def test_the_beginning_of_a_longer_number_is_no_beginning():
    assert why("48 hours", must_start_with="4").endswith("is not its beginning")
    assert why("48 hours", must_start_with="48") == ""


def test_a_near_miss_is_named_for_the_value_that_is_not_there():
    assert why("Room 12, A3", must_contain="A3|1") == 'must_contain: "1" is not there (only inside a longer number)'
    assert why("ROOM 12", must_contain="12|room|1").endswith("(but with other capitals; icontains takes it)")
    assert why("room", must_contain="room|z") == 'must_contain: "z" is not there'
    assert why("See doc12.", must_cite="doc1") == 'must_cite: "doc1" is not cited'


SCHEMA = json.dumps({"type": "object", "required": ["hours"], "properties": {"hours": {"const": 48}}})


@pytest.mark.parametrize(
    "column, text, holds",
    [
        ("must_be_json", '{"hours": 48}', True),
        ("must_be_json", '\n```json\n{"hours": 48}\n```\n', True),
        ("must_be_json", 'Sure: {"hours": 48}', False),
        ("must_be_json", '{"hours": 72}', False),
        ("must_be_json", "[" * 100_000, False),
        ("must_contain_json", 'Sure: {"hours": 48} [1]', True),
        ("must_contain_json", 'Not {"hours": 72}, but {"x": {"hours": 48}}', False),
        ("must_contain_json", "[" * 3_000 + '{"hours": 48}', False),
    ],
)
def test_json(column, text, holds):
    assert (why(text, **{column: SCHEMA}) == "") is holds


HITS = (Hit(id="rules", text="Hotel rules", fields={"url": "https://hotel.example/rules.pdf"}), Hit(id="faq"))


@pytest.mark.parametrize(
    "text, source, holds",
    [
        ("See RULES.pdf.", "rules.pdf", True),
        ("Up to 48 hours [1].", "rules.pdf", True),
        ("Up to 48 hours [2].", "rules.pdf", False),  # it cites, but another source
        ("Up to 48 hours.", "rules.pdf", True),  # it cites nothing in the text: the sources beside it count
        ("Up to 48 hours.", "prices", False),
        ("Up to 48 hours [2].", "yes", True),
    ],
)
def test_sources(text, source, holds):
    assert (why(text, hits=HITS, must_cite=source) == "") is holds


def test_a_source_in_the_text_is_an_address_where_no_name_is_asked_for():
    assert why("See https://hotel.example", must_cite="yes") == ""


@pytest.mark.parametrize("status", [*sorted(FAILED), "complete"])
def test_an_answer_without_text_meets_nothing(status):
    text = "" if status == "complete" else "no hay"
    part = make_scorable([(make_item(extra={"must_not_contain": "x"}), Answer(item="1", text=text, status=status))])
    assert score_metric(Metric.of("Expectations"), part).per_answer.tolist() == [0]
    assert part.view(ExpectationChecks).failed[0].startswith("must_not_contain: there is no answer")


def test_an_answer_that_is_left_out_or_has_no_checks_is_unscored():
    pairs = [
        (make_item(str(n), extra={"must_contain": "x"}), Answer(item=str(n), text="x", status=s))
        for n, s in enumerate(LEFT_OUT)
    ]
    pairs.append((make_item("9", extra={"must_contain": " "}), Answer(item="9", text="x")))
    part = make_scorable(pairs)
    assert list(score_metric(Metric.of("Expectations"), part).why) == [*LEFT_OUT.values(), NO_CHECKS]
    assert part.view(ExpectationChecks).failed == ["", "", ""]


def test_the_share_of_checks_and_the_kind_of_value():
    part = make_scorable([(make_item(extra={"must_contain": "x", "max_words": 1}), Answer(item="1", text="x y"))])
    assert score_metric(Metric.of("Expectations(share=true)"), part).per_answer.tolist() == [0.5]
    assert (Metric.of("Expectations").binary, Metric.of("Expectations(share=true)").binary) == (True, False)


def test_a_regular_expression_takes_no_longer_than_its_text():
    started = time.process_time()
    assert why("a" * 50_000 + "!", must_match="^(a+)+$").startswith("must_match")
    assert time.process_time() - started < 5  # a backtracking engine would take 2^50,000 steps


def test_a_metric_of_checks_says_what_a_table_without_them_lacks():
    from neraca import text

    with pytest.raises(SpecError, match="add a column with what an answer must contain"):
        text(["a"], ["a"], "Expectations")


WORDS = st.sampled_from(["48 hours", "72", "Yes", "no"])
ROWS = st.tuples(WORDS, WORDS, st.sampled_from(["complete", "error", "suspect"]))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["complete", "error", "suspect"])), min_size=1, max_size=6),
    st.randoms(),
)
def test_order_repetition_and_other_rows_change_no_value(rows, chance):
    def scored(chosen):
        pairs = [
            (make_item(str(n), extra={"must_contain": cell}), Answer(item=str(n), text=text, status=status))
            for n, (cell, text, status) in enumerate(chosen)
        ]
        values = score_metric(Metric.of("Expectations"), make_scorable(pairs)).per_answer.tolist()
        return [None if math.isnan(value) else value for value in values]

    expected = [
        None if status == "suspect" else float(status == "complete" and cell in text) for cell, text, status in rows
    ]
    assert scored(rows) == expected
    assert scored(rows + rows) == expected + expected
    order = list(range(len(rows)))
    chance.shuffle(order)
    assert scored([rows[place] for place in order]) == [expected[place] for place in order]
