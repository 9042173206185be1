"""Columns with checks of answers: which are recognised, how cells are read, and what cannot be read."""

import pytest

from neraca import read_dataset
from neraca.datasets.expectations import Bound, expectation_columns, read_expectations, without_expectations
from neraca.errors import InputError


def values(column, cell, **more):
    (check,) = read_expectations({column: cell, **more})
    return check.values


def test_names_of_promptfoo_and_of_other_languages_are_taken_in_any_spelling():
    names = ["query", "Must contain", "not-icontains", "debe_contener", "harus_memuat", "is-json", "expect", "price"]
    assert expectation_columns(names) == ("Must contain", "not-icontains", "debe_contener", "harus_memuat", "is-json")


def test_a_tolerance_is_a_check_only_beside_a_number():
    assert expectation_columns(["tolerance", "must_contain"]) == ("must_contain",)
    assert without_expectations({"a": 1, "tolerance": 2, "must_equal_number": 3}) == {"a": 1}


@pytest.mark.parametrize(
    "column, cell, expected",
    [
        ("must_contain", "48 hours | two days", ("48 hours", "two days")),
        ("must_contain", "48 hours\r\ntwo, or three", ("48 hours", "two, or three")),
        ("must_contain", '["a|b", "c"]', ("a|b", "c")),
        ("must_contain", ["a|b", "c"], ("a|b", "c")),
        ("must_contain", 48.0, ("48",)),
        ("must_contain", "[1] says", ("[1] says",)),
        ("contains-any", "red, blue", ("red", "blue")),
        ("contains-any", "red, or so | blue", ("red, or so", "blue")),
        ("must_match", "a|b", ("a|b",)),
        ("regex", "[0-9]+", ("[0-9]+",)),
        ("must_equal", "a, b|c", ("a, b|c",)),
        ("must_equal_number", "48", (Bound(48.0),)),
        ("must_equal_number", 48, (Bound(48.0),)),
        ("must_equal_number", "1.234,5 | 1 250 000 | 12,5 %", (Bound(1234.5), Bound(1250000.0), Bound(12.5))),
        ("must_equal_number", "200 ± 5 %", (Bound(200.0, 10.0),)),
        ("must_equal_number", "-3 +- 0.5", (Bound(-3.0, 0.5),)),
        ("max_words", "60", (60,)),
        ("must_be_json", True, (True,)),
        ("must_be_json", '{"type": "array"}', ({"type": "array"},)),
        ("must_cite", "sí", ("",)),
        ("must_cite", "rules.pdf", ("rules.pdf",)),
    ],
)
def test_how_a_cell_is_read(column, cell, expected):
    assert values(column, cell) == expected


def test_the_tolerance_of_its_own_column_counts_where_the_cell_gives_none():
    assert values("must_equal_number", "100|7 ± 1", tolerance="5 %") == (Bound(100.0, 5.0), Bound(7.0, 1.0))


@pytest.mark.parametrize("cell", ["", "  ", None, float("nan")])
def test_an_empty_cell_checks_nothing(cell):
    assert read_expectations({"must_contain": cell, "max_words": cell, "must_be_json": cell}) == ()


@pytest.mark.parametrize("column, cell", [("must_be_json", "no"), ("must_be_json", False), ("must_cite", "tidak")])
def test_no_checks_nothing(column, cell):
    assert read_expectations({column: cell}) == ()


@pytest.mark.parametrize(
    "column, cell, problem",
    [
        ("must_contain", " | ", "holds an empty value"),
        ("must_match", "(a", "unclosed group"),
        ("must_match", "(?!a)b", "must_not_match says what must not be there"),
        ("must_match", "a{1000}{1000}{1000}", "size limit"),
        ("must_match", "a" * 10_001, "at most 10,000"),
        ("must_equal_number", "forty", "must be a number such as 48"),
        ("must_equal_number", "1.234", "may be 1234 or 1.2340; write the one"),
        ("must_equal_number", "48 ± few", "must be a number"),
        ("must_equal_number", "48 ± -2", "not negative"),
        ("must_equal_number", "inf", "must be a number"),
        ("must_contain", '["10 kg", ', "looks like a JSON list of texts, but cannot be read as one"),
        ("must_not_contain", "['10 kg', '5 kg']", "looks like a JSON list"),
        ("must_contain", '["10 kg", 5]', "looks like a JSON list"),
        ("must_equal", '["10 kg"', "looks like a JSON list"),
        ("max_words", "0", "at least 1"),
        ("min_words", 0, "at least 1"),
        ("max_words", "1.5", "whole number of words"),
        ("max_words", "-3", "whole number of words"),
        ("must_be_json", "maybe", "must be yes, or a JSON schema"),
        ("must_be_json", "[1]", "must be yes, or a JSON schema"),
        ("must_be_json", '{"type": "objekt"}', "schema, #/type"),
        ("must_be_json", '{"properties": {"a": {"pattern": "("}}}', "no regular expression"),
        ("must_be_json", '{"requird": ["a"]}', "this keyword is not known here"),
        ("must_be_json", '{"$ref": "#"}', "refers to itself"),
        ("must_be_json", '{"$ref": "#/$defs/a"}', "nothing is at"),
    ],
)
def test_a_cell_that_cannot_be_read_is_an_error_with_a_remedy(column, cell, problem):
    with pytest.raises(InputError, match=f"column '{column}': ") as caught:
        read_expectations({column: cell})
    assert problem in str(caught.value)


def test_a_question_file_is_refused_before_anything_is_asked_and_all_bad_cells_are_named(tmp_path):
    (tmp_path / "q.csv").write_text("query,must_match,max_words\na,(,5\nb,x,many\nc,x,3\n")
    with pytest.raises(InputError) as caught:
        read_dataset(tmp_path / "q.csv")
    first, second = str(caught.value).splitlines()
    assert "q.csv line 2, column must_match: " in first
    assert "q.csv line 3, column max_words: " in second


def test_checks_are_named_and_do_not_make_another_data_set(tmp_path):
    (tmp_path / "q.csv").write_text("id,query,note\n1,a,n\n")
    (tmp_path / "more.csv").write_text("id,query,must_contain,note,colour\n1,a,x,n,\n")
    plain, checked = read_dataset(tmp_path / "q.csv"), read_dataset(tmp_path / "more.csv")
    assert checked.column_notes[1] == "read as checks of answers: must_contain; rename a column that is none"
    assert "must_contain" not in checked.column_notes[0]
    assert checked.items[0].extra["must_contain"] == "x"
    (tmp_path / "more.csv").write_text("id,query,must_contain,note\n1,a,x,n\n")
    assert read_dataset(tmp_path / "more.csv").fingerprint == plain.fingerprint
