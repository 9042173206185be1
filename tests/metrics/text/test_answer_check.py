"""neraca.check: one answer, by the checks that the columns of a table have."""

import pytest
from builders import make_item, make_scorable

import neraca
from neraca.errors import InputError, SpecError
from neraca.metrics.text.answer_check import has_checks
from neraca.metrics.text.expectations import ExpectationChecks
from neraca.records import Answer, Hit

HOTEL = "You can cancel up to 48 hours before. It costs 1,250.50 euros [1]."


@pytest.mark.parametrize(
    "checks",
    [
        {"must_contain": ["48 hours", "euros"], "max_words": 13, "min_words": 3},
        {"must_contain_any": ["72 hours", "48 hours"], "must_not_contain": {"sorry", "As an AI"}},
        {"icontains": "IT COSTS", "must_start_with": "You can", "must_not_start_with": "Sorry"},
        {"must_equal": HOTEL, "must_not_equal": "Yes.", "must_match": r"\d+ hours", "must_not_match": "(?i)sorry"},
        {"must_equal_number": [48, 1250.5]},
        {"must_equal_number": 50, "tolerance": 2},
        {"must_equal_number": "50 ± 5 %"},
        {"must_cite": True, "expects": "results"},
    ],
)
def test_an_answer_that_meets_its_checks_is_true(checks):
    checked = neraca.check({"text": HOTEL, "hits": [{"id": "rules", "text": "48 hours"}]}, language="en", **checks)
    assert checked.failed == []
    assert checked
    assert checked.met == [name for name in checks if name != "tolerance"]


def test_the_reasons_are_those_of_a_table():
    cells = {"must_contain": "72 hours", "max_words": "5", "must_equal_number": "49", "must_cite": "rules"}
    part = make_scorable([(make_item(extra=cells), Answer(item="1", text=HOTEL))])
    checked = neraca.check(HOTEL, must_contain="72 hours", max_words=5, must_equal_number=49, must_cite="rules")
    assert sorted(checked.failed) == sorted(part.view(ExpectationChecks).failed[0].split("; "))
    assert len(checked.failed) == 4


def test_a_list_is_exact_and_a_text_is_read_as_a_cell():
    assert neraca.check("a|b", must_contain=["a|b"])
    assert not neraca.check("b, a", must_contain=["a|b"])
    assert neraca.check("b, a", must_contain="a|b")


def test_json_may_have_a_schema():
    schema = {"type": "object", "required": ["price"]}
    assert neraca.check('{"price": 3}', must_be_json=schema)
    assert not neraca.check("{}", must_be_json=schema)
    assert neraca.check('It is {"price": 3}.', must_contain_json=True)


def test_what_is_printed():
    checked = neraca.check("Up to 72 hours.", must_contain="48 hours", max_words=10)
    assert repr(checked) == '<1 of 2 checks failed: must_contain: "48 hours" is not there>'
    assert repr(neraca.check("Yes.", max_words=1)) == "<1 check met>"
    assert '"48 hours" is not there' in str(checked)
    assert checked.rows() == [
        {"check": "must_contain", "met": False, "why": '"48 hours" is not there'},
        {"check": "max_words", "met": True, "why": ""},
    ]


@pytest.mark.parametrize(
    "answer, expects, why",
    [
        ("Sorry, I do not know.", "none", ""),
        ("", "none", ""),
        ("Elvis does.", "none", "it does not decline"),
        ("Elvis does.", "results", ""),
        ("Sorry, I do not know.", "results", "it declines"),
        ("", "results", "it is empty"),
        ([{"id": "a"}], "none", "it does not decline"),
        ([{"id": "a"}], "results", ""),
        (Answer(item="1", status="timeout"), "none", "there is no answer (timeout)"),
    ],
)
def test_a_refusal_is_checked_by_what_the_question_expects(answer, expects, why):
    reason = neraca.check(answer, expects=expects).reasons["expects"]
    assert why in reason
    assert bool(why) == bool(reason)


def test_a_question_brings_its_columns_its_language_and_what_it_expects():
    item = make_item(expects="results", extra={"must_equal_number": "1250.5", "note": "x"}, tags={"language": "es"})
    answer = Answer(item="1", text="Cuesta 1.250,50 euros.", hits=(Hit(id="a"),))
    assert list(neraca.check(answer, item, max_words=3).reasons) == ["must_equal_number", "max_words", "expects"]
    assert neraca.check(answer, item)
    assert has_checks(item)
    assert not has_checks(make_item(extra={"must_contain": "", "note": "x"}))


@pytest.mark.parametrize(
    "checks, keywords, message",
    [
        (None, {}, "nothing to check"),
        ({}, {"must_be_json": False}, "nothing to check"),
        ({"must_contian": "x"}, {}, "did you mean must_contain"),
        ({"colour": "red"}, {}, "colour is not the name of a check"),
        ({}, {"tolerance": 2}, "needs must_equal_number"),
        ({"max_words": 3}, {"max_words": 4}, "max_words stands in `checks` and as a keyword"),
        (None, {"expects": "nothing"}, "'results' or 'none'"),
        (None, {"max_words": 3, "language": "xx"}, "xx"),
    ],
)
def test_a_check_that_does_not_exist_is_an_error(checks, keywords, message):
    with pytest.raises(SpecError, match=message):
        neraca.check("x", checks, **keywords)


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"max_words": "few"}, "check: max_words must be a whole number"),
        ({"must_contain": ["a", 1]}, "must be a list of texts or of numbers"),
        ({"must_match": object()}, "found object"),
        ({"must_match": "("}, "check: must_match .* is no regular expression"),
    ],
)
def test_a_value_that_cannot_be_read_is_an_error(keywords, message):
    with pytest.raises(InputError, match=message):
        neraca.check("x", **keywords)
