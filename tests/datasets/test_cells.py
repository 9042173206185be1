import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from neraca.datasets import cells
from neraca.errors import InputError


@pytest.mark.parametrize(
    "value,text",
    [
        (None, ""),
        (math.nan, ""),
        ("", ""),
        ("x", "x"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (0.1, "0.1"),
        ([1, "ü"], '[1,"ü"]'),
        ({"a": {"b": None}}, '{"a":{"b":null}}'),
        ((1,), "[1]"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1, 8, 30), "2024-03-01T08:30:00"),
        (Decimal("1.5"), "1.5"),
    ],
)
def test_plain_text(value, text):
    assert cells.plain_text(value) == text


@pytest.mark.parametrize(
    "value,plain",
    [
        (math.nan, None),
        (Decimal("2.5"), 2.5),
        (Decimal("NaN"), None),
        (datetime(2024, 3, 1), "2024-03-01"),
        (b"a", "YQ=="),
        (time(8, 30), "08:30:00"),
        ({1: (math.nan, 2)}, {"1": [None, 2]}),
        (1 + 2j, "(1+2j)"),
        (datetime(2024, 3, 1, tzinfo=UTC), "2024-03-01T00:00:00+00:00"),
    ],
)
def test_plain(value, plain):
    assert cells.plain(value) == plain


@pytest.mark.parametrize("value", [None, "", " \t\n", "﻿", "\x00", math.nan])
def test_blank(value):
    assert cells.blank(value)


@pytest.mark.parametrize("value", [0, False, [], {}, "0", "a"])
def test_not_blank(value):
    assert not cells.blank(value)


@pytest.mark.parametrize(
    "value,text", [(3.0, "3"), (3, "3"), (2.5, "2.5"), ("007", "007"), (" a b\n", "a b"), (True, "true")]
)
def test_words(value, text):
    assert cells.words(value) == text


def test_words_of_a_list():
    with pytest.raises(InputError, match=r'must be text, found \["a"\]'):
        cells.words(["a"])


def test_the_edge_of_a_question_is_cut_and_its_inside_kept():
    assert cells.question("\ufeff\x00\t a\n b \u200b\u3000") == "a\n b"
    assert cells.question("‏شقة؟‏") == "‏شقة؟‏"  # right-to-left marks carry meaning
    for empty in ("", " ", None, "\x07"):
        with pytest.raises(InputError, match="the question is empty"):
            cells.question(empty)
    with pytest.raises(InputError, match=r"the id is empty.*delete the column"):
        cells.identity(" ")


@pytest.mark.parametrize(
    "value,found",
    [
        (None, ()),
        ("", ()),
        (" ", ()),
        ("a", ("a",)),
        (" a ", (" a ",)),
        (["a", "", None, "b"], ("a", "b")),
        (3.0, ("3",)),
        ('["a", "b"]', ("a", "b")),
        ("[1] says", ("[1] says",)),
        ("[1, 2]", ("[1, 2]",)),
        ("[]", ()),
        ([1, 2.5], ("1", "2.5")),
        ({"text": ["a"], "answer_start": [3]}, ("a",)),
        ({"text": "a"}, ("a",)),
        ("[" * 100000, ("[" * 100000,)),
    ],
)
def test_references(value, found):
    assert cells.references(value) == found


def test_references_that_are_objects():
    with pytest.raises(InputError, match="must be text"):
        cells.references([{"a": 1}])


@pytest.mark.parametrize(
    "value,found",
    [
        (None, None),
        ("", None),
        (" ", None),
        ("results", "results"),
        ("Results ", "results"),
        ("none", "none"),
        ("NONE", "none"),
        ("no results", "none"),
        ("nothing", "none"),
        ("some", "results"),
    ],
)
def test_expects(value, found):
    assert cells.expects(value) == found


@pytest.mark.parametrize("value", ["yes", "no", True, False, 0, 3, ["none"], "null", "results none"])
def test_expects_is_conservative(value):
    with pytest.raises(InputError, match='must be "results", "none" or empty, found'):
        cells.expects(value)


@pytest.mark.parametrize(
    "value,found",
    [
        (None, None),
        ("", None),
        ("  ", None),
        ({}, {}),
        ("{}", {}),
        ([], {}),
        ("[]", {}),
        ("d1", {"d1": 1.0}),
        ("d1;d2 | d3;", {"d1": 1, "d2": 1, "d3": 1}),
        ('{"d1": 2, "d2": 0}', {"d1": 2, "d2": 0}),
        (["a", 7], {"a": 1, "7": 1}),
        ({"d": -1}, {"d": -1}),
        (17.0, {"17": 1}),
        ('["a,b"]', {"a,b": 1}),
        ("a,b;c", {"a,b": 1, "c": 1}),
        ({"d1": 1, "d2": None}, {"d1": 1}),
        ({"d1": None}, None),
        ("My file.pdf", {"My file.pdf": 1}),
        ([" a "], {" a ": 1}),
    ],
)
def test_relevant(value, found):
    assert cells.relevant(value) == found


@pytest.mark.parametrize(
    "value,words",
    [
        ({"d": math.nan}, "the grade of d must be a number, found"),
        ({"d": "2"}, 'grade of d must be a number, found "2"'),
        ("NaN", "NaN is what programs write where there is nothing"),
        (" #N/A ", "leave it empty"),
        ('{"d": null}', "the grade of d is null"),
        ('{"d": 2, "e": 1, "d": 1}', "d has two grades, 2 and 1; keep one"),
        ({"d": True}, "found true"),
        ({"d": math.inf}, 'found "inf"'),
        ({"": 1}, "document id is empty"),
        ([""], "document id is empty"),
        ('{"d": NaN}', "not valid JSON"),
        ("{d: 1}", "not valid JSON"),
        ("d1,d2", "separate ids by ; or |"),
        (" ;| ", r"no document id.*write \[\]"),
        ([["a"]], "must be text"),
    ],
)
def test_relevant_that_cannot_be(value, words):
    with pytest.raises(InputError, match=words):
        cells.relevant(value)


def test_calls():
    assert cells.calls(None) == ()
    assert cells.calls('[{"name": "a", "args": {"x": 1}}]') == ({"name": "a", "args": {"x": 1}},)
    assert cells.calls({"name": "a"}) == ({"name": "a"},)
    for wrong in ('["a"]', "3", [1]):
        with pytest.raises(InputError, match="must be a list of objects such as"):
            cells.calls(wrong)
    with pytest.raises(InputError, match="not valid JSON"):
        cells.calls("[" * 100_000)


def test_a_long_value_is_cut_in_messages():
    assert len(cells.shown("x" * 1000)) == 60
    assert cells.shown({"a": "é"}) == '{"a":"é"}'
