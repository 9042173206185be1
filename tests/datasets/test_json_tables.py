"""JSON and JSON Lines as tables."""

from neraca.datasets.table_reader import read_table


def test_json_lines_places_and_missing_keys(file):
    table = read_table(file("q.jsonl", '\n{"a": 1}\n\n{"b": [1, {"c": null}]}'))
    assert table.columns == ("a", "b")
    assert table.rows == [{"a": 1}, {"b": [1, {"c": None}]}]
    assert [table.place(0), table.place(1)] == ["line 2", "line 4"]
    assert table.header == str(table.path)


def test_json_lines_that_cannot_be(file, refused):
    refused(file("q.jsonl", '{"a":1}\n{"a":\n'), "q.jsonl line 2: not a JSON object")
    refused(file("q.jsonl", '{"a":1}\n[1]\n'), "q.jsonl line 2: must be a JSON object, found [1]")
    refused(file("q.jsonl", "[" * 100_000), "q.jsonl line 1: not a JSON object")
    refused(file("q.jsonl", "\n"), "the file is empty")


def test_nan_is_none(file, refused):
    assert read_table(file("q.jsonl", '{"a": NaN, "b": "NaN"}\n')).rows == [{"a": None, "b": "NaN"}]
    assert read_table(file("q.json", '[{"a": [NaN]}]')).rows == [{"a": [None]}]
    refused(file("q.json", '[{"a": NaN, "b": Infinity}]'), "not valid JSON")
    refused(file("q.json", '[{"a": NaN'), "not valid JSON")
    refused(file("q.jsonl", '{"a": NaN'), "line 1: not a JSON object")


def test_json_with_the_list_inside(file):
    assert read_table(file("q.json", '{"version": 1, "data": [{"a": 1}], "tags": ["x"]}')).rows == [{"a": 1}]
    table = read_table(file("q.json", '[{"a": 1}, {"b": 2}]'))
    assert table.columns == ("a", "b")
    assert table.place(1) == "row 2"


def test_json_that_cannot_be(file, refused):
    refused(
        file("q.json", '{"a": [{"x": 1}], "b": [{"x": 1}]}'), 'have one such list inside ({"data": [...]}); found a, b'
    )
    refused(file("q.json", '{"a": 1}'), "found a")
    refused(file("q.json", "{}"), "found nothing")
    refused(file("q.json", "3"), "must be a list of objects, found 3")
    refused(file("q.json", '[{"a": 1}, "x"]'), 'q.json row 2: must be an object, found "x"')
    refused(file("q.json", '[{"a": 1},\n\n {"a" 1}]'), "q.json line 3: not valid JSON")
    refused(file("q.json", '{"a": 1}\n{"a": 2}\n'), "line 2 (one object a line? then its name must end in .jsonl)")
    refused(file("q.json", ""), "not valid JSON")
    refused(file("q.json", b'[{"a": "\xe9"}]'), "byte 9 (0xe9) is not UTF-8")
