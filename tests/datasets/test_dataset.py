import json
from dataclasses import FrozenInstanceError

import msgspec
import openpyxl
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neraca.datasets.cells import EDGE, trimmed
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_writer import WRITABLE, write_table
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import InputError
from neraca.records import Constraint, Item, Near


def refused(path, *words, **options):
    with pytest.raises(InputError) as told:
        read_dataset(path, **options)
    for part in words:
        assert part in str(told.value)
    return str(told.value)


FULL = Dataset(
    (
        Item(
            id="007",
            query="شقة في ميدان؟\nsecond line",
            session="s1",
            references=('Yes, "two"', "[no]"),
            relevant={"d1": 2.0, "d;2": 0.0},
            expects="results",
            constraints={
                "price": Constraint(max=900.0, tolerance=0.05),
                "place": Constraint(near=Near(lat=3.5, lng=98.6, radius_km=3.0, name="Medan"), contains_any=["a"]),
                "kind": Constraint(equals=["house", 3.0, True], synonyms=["rumah"], fields=["type"]),
            },
            expected_calls=({"name": "search", "args": {"max": 900, "deep": [1.5, None]}},),
            tags={"category": "price", "level": "1", "odd ": " x"},
            extra={
                "response": "ok",
                "note": "n",
                "number": 1,
                "nested": {"a": [1.0]},
                "none": None,
                "query": "clash",
                "": "e",
            },
        ),
        Item(
            id="b", query="q😀", session="s1", references=("one",), extra={"response": "=1", "tags": "a", "extra": "x"}
        ),
        Item(id="c", query="none", expects="none", relevant={}, references=("[1] x",), extra={"response": "r"}),
    ),
    "somewhere",
)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_everything_comes_back_from_every_format(tmp_path, suffix):
    write_dataset(tmp_path / f"q{suffix}", FULL)
    found = read_dataset(tmp_path / f"q{suffix}")
    assert found.items == FULL.items
    assert found.fingerprint == FULL.fingerprint
    assert found.source == str(tmp_path / f"q{suffix}")


@pytest.mark.parametrize("suffix", WRITABLE)
@pytest.mark.parametrize(
    "item",
    [
        Item(id="1", query="q", extra={"answer": "a", "question": "b", "Tag:x": "c", "QID": "d", "extra": "e"}),
        Item(id="1", query="q", extra={"response": "", "empty": None}),
        Item(id="1", query="q", extra={" a": "1", "a": "2", "": "3"}),
        Item(id="1", query="q", references=('["a"]',)),
        Item(id="1", query="q", references=("[]",)),
        Item(id="1", query="q", references=(" a ",), tags={"category": "", "": "x", "a ": "y"}),
        Item(id="1", query="q", relevant={"a": 0.5}, constraints={"a": Constraint(equals=False)}),
    ],
)
def test_awkward_items_come_back_from_every_format(tmp_path, suffix, item):
    write_dataset(tmp_path / f"q{suffix}", Dataset((item,)))
    assert read_dataset(tmp_path / f"q{suffix}").items == (item,)


def test_what_is_plain_text_gets_its_own_column(tmp_path):
    write_dataset(tmp_path / "q.csv", FULL)
    header = (tmp_path / "q.csv").read_text().split("\n", 1)[0].strip()
    assert header == (
        "id,query,session,references,relevant,expects,constraints,expected_calls,category,tag:level,tags,extra,response"
    )


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXT = st.text(CHARACTERS, max_size=8)
TRIMMED = TEXT.map(trimmed).filter(bool)
NUMBER = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.none() | st.booleans() | NUMBER | TEXT
NESTED = st.recursive(PLAIN, lambda s: st.lists(s, max_size=3) | st.dictionaries(TEXT, s, max_size=3), max_leaves=4)
ITEM = st.builds(
    Item,
    id=TRIMMED,
    query=TRIMMED,
    session=st.none() | TRIMMED,
    references=st.lists(TEXT.filter(lambda text: text.strip(EDGE)), max_size=3).map(tuple),
    relevant=st.none() | st.dictionaries(TEXT.filter(bool), NUMBER.map(float), max_size=3),
    expects=st.sampled_from([None, "none", "results"]),
    constraints=st.dictionaries(
        TEXT.filter(lambda text: text.strip(EDGE)),
        st.builds(Constraint, min=NUMBER.map(float), equals=st.none() | st.lists(TEXT, min_size=1, max_size=2)),
        max_size=2,
    ),
    expected_calls=st.lists(st.dictionaries(TEXT, NESTED, max_size=2), max_size=2).map(tuple),
    tags=st.dictionaries(TEXT | st.just("category"), TEXT, max_size=3),
    extra=st.dictionaries(TEXT | st.sampled_from(["response", "answer", "tag:x", "id"]), NESTED, max_size=3),
)


@pytest.mark.parametrize("suffix", WRITABLE)
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(items=st.lists(ITEM, min_size=1, max_size=4, unique_by=lambda item: item.id))
def test_any_data_set_comes_back_from_every_format(tmp_path, suffix, items):
    dataset = Dataset(tuple(items))
    write_dataset(tmp_path / f"q{suffix}", dataset)
    found = read_dataset(tmp_path / f"q{suffix}")
    assert found.items == dataset.items
    assert found.fingerprint == dataset.fingerprint


@pytest.mark.parametrize(
    "item,words",
    [
        (Item(id="", query="q"), "its id is empty, has space"),
        (
            Item(id="a", query=" q"),
            "question 'a': its question is empty, has space around it or is a mark such as NaN: \" q\"",
        ),
        (Item(id="a", query="q", session=""), "its session is empty"),
        (Item(id="a", query="q", session="NaN"), "its session is empty, has space around it or is a mark such as NaN"),
        (Item(id="a", query="q", references=(" ",)), "a reference is empty"),
    ],
)
def test_what_would_not_come_back_is_not_written(tmp_path, item, words):
    with pytest.raises(InputError) as told:
        write_dataset(tmp_path / "q.csv", Dataset((item,)))
    assert words in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_marks_for_a_missing_value_are_empty_cells_and_counted(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("id,query,reference,session,category,price\n1,far?,nan,NaN,#N/A,NaN\n2,None,null,s,a,1\n", "utf-8")
    dataset = read_dataset(path)
    first, second = dataset
    assert (first.references, first.session, first.tags) == ((), None, {})
    assert (second.query, second.references, second.session) == ("None", ("null",), "s")
    assert dataset.marks == {"reference": 1, "session": 1, "category": 1}
    assert "column 'session': 1 cell holds a mark such as NaN or #N/A, read as an empty cell" in dataset.column_notes
    item = Item(id="a", query="q", references=("NaN",), tags={"kind": "nan"})  # exact, and so kept
    write_dataset(path, Dataset((item,)))
    assert read_dataset(path).items == (item,)
    path.write_text("id,query\n1,NaN\n", "utf-8")
    refused(path, "line 2, column query: the question is empty")


# -- the data set itself


def test_a_data_set_is_a_frozen_row_of_items():
    dataset = Dataset((Item(id="a", query="1"), Item(id="b", query="2")), "x")
    assert len(dataset) == 2
    assert [item.id for item in dataset] == ["a", "b"]
    assert dataset.by_id["b"].query == "2"
    assert dataset.by_id is dataset.by_id
    with pytest.raises(FrozenInstanceError):
        dataset.source = "y"
    with pytest.raises(InputError, match="x: two questions have the id 'a'"):
        Dataset((Item(id="a", query="1"), Item(id="a", query="2")), "x")
    assert len(Dataset(())) == 0


def test_the_fingerprint_is_of_the_items_alone():
    one, two = Item(id="a", query="1"), Item(id="b", query="2")
    assert Dataset((one, two), "x").fingerprint == Dataset((one, two), "y").fingerprint
    assert Dataset((one, two)).fingerprint != Dataset((two, one)).fingerprint
    assert Dataset((one,)).fingerprint != Dataset((Item(id="a", query="1", relevant={}),)).fingerprint


def test_equal_items_have_equal_fingerprints():
    one = Item(id="a", query="q", extra={"n": 1, "m": {"x": [2.0]}}, expected_calls=({"v": 3},))
    two = Item(id="a", query="q", extra={"m": {"x": [2]}, "n": 1.0}, expected_calls=({"v": 3.0},))
    assert one == two
    assert Dataset((one,)).fingerprint == Dataset((two,)).fingerprint


def test_sessions_in_order_of_first_occurrence():
    rows = [("1", "s"), ("2", None), ("3", "t"), ("4", "s"), ("5", None), ("6", "2")]
    dataset = Dataset(tuple(Item(id=name, query="q", session=session) for name, session in rows))
    assert [[item.id for item in items] for items in dataset.sessions()] == [["1", "4"], ["2"], ["3"], ["5"], ["6"]]


# -- reading


def test_a_small_csv(csv):
    path = csv("Question;Ground Truth;Category;Harga\nWhere?;Here;place;1,5\n")
    assert read_dataset(path).items == (
        Item(id="1", query="Where?", references=("Here",), tags={"category": "place"}, extra={"Harga": "1,5"}),
    )


def test_ids_are_positions_when_no_column_gives_them(csv):
    assert [item.id for item in read_dataset(csv("query\na\n\nb\n"))] == ["1", "2"]
    assert [item.id for item in read_dataset(csv("query,id\na,007\nb,7\n"))] == ["007", "7"]


def test_ragas_columns(tmp_path):
    row = {"user_input": "q", "retrieved_contexts": ["c1", "c2"], "response": "r", "reference": "g"}
    for suffix in (".jsonl", ".parquet"):
        write_table(tmp_path / f"q{suffix}", [row])
        (item,) = read_dataset(tmp_path / f"q{suffix}")
        assert item == Item(
            id="1", query="q", references=("g",), extra={"retrieved_contexts": ["c1", "c2"], "response": "r"}
        )


def test_ragas_until_0_1_and_squad(tmp_path):
    write_table(
        tmp_path / "q.jsonl", [{"question": "q", "answer": "said", "contexts": ["c"], "ground_truths": ["g", "h"]}]
    )
    (item,) = read_dataset(tmp_path / "q.jsonl")
    assert item.references == ("g", "h")
    assert item.extra == {"answer": "said", "contexts": ["c"]}
    frame = pl.DataFrame({"id": ["x"], "question": ["q"], "answers": [{"text": ["a", "b"], "answer_start": [1, 2]}]})
    frame.write_ipc_stream(tmp_path / "s.arrow")
    assert read_dataset(tmp_path / "s.arrow").items == (Item(id="x", query="q", references=("a", "b")),)


def test_nested_columns_of_parquet(tmp_path):
    frame = pl.DataFrame(
        {
            "query": ["a", "b"],
            "relevant": [{"d1": 1, "d2": None}, {"d1": None, "d2": None}],
            "constraints": [{"price": {"max": 9, "min": None}, "size": None}, {"price": None, "size": {"max": None}}],
            "tags": [{"level": 1, "lang": None}, {"level": None, "lang": None}],
        },
        schema_overrides={
            "relevant": pl.Struct({"d1": pl.Int64, "d2": pl.Int64}),
            "constraints": pl.Struct(
                {"price": pl.Struct({"max": pl.Int64, "min": pl.Int64}), "size": pl.Struct({"max": pl.Int64})}
            ),
            "tags": pl.Struct({"level": pl.Int64, "lang": pl.String}),
        },
    )
    frame.write_parquet(tmp_path / "q.parquet")
    assert read_dataset(tmp_path / "q.parquet").items == (
        Item(id="1", query="a", relevant={"d1": 1}, constraints={"price": Constraint(max=9)}, tags={"level": "1"}),
        Item(id="2", query="b"),
    )


def test_numbers_of_a_sheet_become_text(tmp_path):
    book = openpyxl.Workbook()
    for row in (["id", "query", "session", "reference", "category", "n"], [3.0, 2024, 1.0, 4.5, 7, 2.0], ["x", "q"]):
        book.active.append(row)
    book.save(tmp_path / "q.xlsx")
    assert read_dataset(tmp_path / "q.xlsx").items == (
        Item(id="3", query="2024", session="1", references=("4.5",), tags={"category": "7"}, extra={"n": 2}),
        Item(id="x", query="q", extra={"n": None}),
    )


def test_mapped_columns(csv):
    path = csv("Frage,Nr,Stufe,answer,Antwort\nWo?,9,a,b,c\n")
    columns = {"query": "Frage", "id": "Nr", "tag:level": "Stufe", "references": "Antwort"}
    assert read_dataset(path, columns=columns).items == (
        Item(id="9", query="Wo?", tags={"level": "a"}, references=("c",), extra={"answer": "b"}),
    )
    refused(path, 'questions.csv line 1: no column "Fragen" for query (found: Frage, Nr', columns={"query": "Fragen"})
    refused(path, "no column for the question (found: Frage, Nr, Stufe, answer, Antwort)")


def test_one_column_may_play_two_roles(csv):
    (item,) = read_dataset(csv("q\nx\n"), columns={"query": "q", "references": "q", "tag:t": "q"})
    assert item == Item(id="1", query="x", references=("x",), tags={"t": "x"})


def test_recognition_turned_off_keeps_the_column(csv):
    path = csv("query,conversation\nq,[1]\n")
    assert read_dataset(path, columns={"session": ""}).items == (
        Item(id="1", query="q", extra={"conversation": "[1]"}),
    )


def test_tags_objects_columns_and_lists(csv, tmp_path):
    path = csv('query,tags,tag:level,category\na,"{""lang"": ""id"", ""n"": 3, ""no"": null}",2,\nb,"x;y",,c\n')
    one, two = read_dataset(path)
    assert (one.tags, one.extra) == ({"lang": "id", "n": "3", "level": "2"}, {})
    assert (two.tags, two.extra) == ({"category": "c"}, {"tags": "x;y"})
    write_table(tmp_path / "q.jsonl", [{"query": "a", "tags": ["x"]}, {"query": "b", "tags": None}, {"query": "c"}])
    assert [item.extra for item in read_dataset(tmp_path / "q.jsonl")] == [{"tags": ["x"]}, {}, {}]


def test_extra_is_opened_when_it_is_an_object(csv):
    path = csv('query,extra,a\nq,"{""n"": 1, ""query"": 2, ""a"": 3}",own\nr,text,x\n')
    one, two = read_dataset(path)
    assert one.extra == {"n": 1, "query": 2, "a": "own"}
    assert two.extra == {"extra": "text", "a": "x"}


def test_empty_values_of_unknown_columns_are_kept(csv, tmp_path):
    assert read_dataset(csv("query,response\nq,\n")).items[0].extra == {"response": ""}
    (tmp_path / "q.jsonl").write_text('{"query": "a", "response": null}\n{"query": "b"}\n')
    assert [item.extra for item in read_dataset(tmp_path / "q.jsonl")] == [{"response": None}, {}]


def test_the_question_is_trimmed_and_extras_are_not(csv):
    (item,) = read_dataset(csv('query,id,note\n"  a\tb\n", x , y \n'))
    assert (item.query, item.id, item.extra) == ("a\tb", "x", {"note": " y "})


def test_not_judged_and_nothing_relevant(csv):
    items = read_dataset(csv("query,qrels\na,\nb,{}\nc,[]\nd,d1|d2\n"))
    assert [item.relevant for item in items] == [None, {}, {}, {"d1": 1.0, "d2": 1.0}]


def test_nested_values_of_json_need_no_quotes(tmp_path):
    row = {"query": "q", "constraints": {"price": {"max": 9}}, "relevant": ["d1"], "expected_calls": {"name": "f"}}
    (tmp_path / "q.json").write_text(json.dumps({"data": [row]}))
    assert read_dataset(tmp_path / "q.json").items == (
        Item(
            id="1",
            query="q",
            constraints={"price": Constraint(max=9)},
            relevant={"d1": 1},
            expected_calls=({"name": "f"},),
        ),
    )


def test_what_is_read_is_valid_by_its_types(tmp_path):
    write_dataset(tmp_path / "q.csv", FULL)
    for item in read_dataset(tmp_path / "q.csv"):
        assert msgspec.json.decode(msgspec.json.encode(item), type=Item) == item


@pytest.mark.parametrize("name", ["q.jsonl", "q.csv", "q.parquet", "q.json"])
def test_no_expected_calls_and_nothing_said_of_them_stay_two_things(tmp_path, name):
    items = (Item(id="1", query="a", expected_calls=()), Item(id="2", query="b"))
    items += (Item(id="3", query="c", expected_calls=({"name": "find"},)),)
    write_dataset(tmp_path / name, Dataset(items, "q"))
    assert [item.expected_calls for item in read_dataset(tmp_path / name)] == [(), None, ({"name": "find"},)]
    assert Dataset(items[:1], "q").fingerprint != Dataset((Item(id="1", query="a"),), "q").fingerprint


def test_a_null_says_nothing_of_expected_calls(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"query": "a", "expected_calls": null}\n{"query": "b", "expected_calls": []}\n')
    assert [item.expected_calls for item in read_dataset(tmp_path / "q.jsonl")] == [None, ()]
