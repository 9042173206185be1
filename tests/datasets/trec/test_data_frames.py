"""Runs and qrels in data frames; `test_ranked_judgments.py` holds them to the same oracle as files."""

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from neraca.datasets.trec import data_frames
from neraca.datasets.trec.data_frames import read_qrels_frame, read_run_frame
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.run_mapping import read_run_mapping
from neraca.errors import InputError

QRELS = Qrels.of_mapping({"1": {"10": 1, "11": 0, "12": 2}, "2": {"10": 1}})
RUN = {"query": ["2", "2", "1", "1"], "document": ["10", "11", "11", "10"], "score": [0.5, 0.7, 3, 1]}
FOUND = [0, 0, 1], [1, 2, 2], [1, 0, 3], [2, 2], 0
GRADES = {"query": ["1", "1", "2"], "document": ["a", "b", "a"], "grade": [2, 0, -1]}
FRAMES = (pl.DataFrame, pd.DataFrame)


def judged_columns(frame, **options):
    one = read_run_frame(frame, QRELS, **options)
    return *(list(map(int, column)) for column in (one.owner, one.rank, one.place, one.returned)), one.unjudged_queries


def refused(reader, frame, *words):
    with pytest.raises(InputError) as error:
        reader(frame)
    for part in words:
        assert part in str(error.value)
    assert "\n" not in str(error.value)


# what is understood


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    "query, document, score",
    [
        ("query", "document", "score"),
        ("query_id", "doc_id", "score"),  # ir_datasets and ir_measures
        ("qid", "docno", "score"),  # PyTerrier
        ("Query-ID", "Corpus ID", "Score"),  # BEIR, and as people write
        ("topic", "docid", "sim"),
        ("topic_id", "document_id", "SCORE"),
    ],
)
def test_names_of_columns(frame, query, document, score):
    names = dict(zip(RUN, (query, document, score), strict=True))
    columns = {names[name]: values for name, values in RUN.items()}
    assert judged_columns(frame(columns)) == FOUND
    assert judged_columns(frame({"rank": [1, 2, 3, 4], **columns, "tag": ["x"] * 4})) == FOUND


@pytest.mark.parametrize("frame", FRAMES)
def test_names_of_columns_of_qrels(frame):
    for names in (("qid", "docno", "label"), ("query_id", "doc_id", "relevance"), ("query-id", "corpus-id", "score")):
        columns = dict(zip(names, GRADES.values(), strict=True))
        assert read_qrels_frame(frame(columns)).grades == {"1": {"a": 2, "b": 0}, "2": {"a": -1}}


@pytest.mark.parametrize("frame", FRAMES)
def test_an_id_is_preferred_to_a_text(frame):
    """A frame of PyTerrier has the question's text as `query` and a number of its own as `docid`."""
    columns = {"qid": RUN["query"], "query": ["a text"] * 4, "docid": range(4), "docno": RUN["document"]}
    assert judged_columns(frame({**columns, "score": RUN["score"]})) == FOUND


NUMBERS = {"query": [2, 2, 1, 1], "document": [10, 11, 11, 10], "score": [5, 7, 3, 1]}


@pytest.mark.parametrize("kind", (pl.Int64, pl.UInt8, pl.String, pl.Categorical, pl.Enum(["1", "2", "10", "11"])))
def test_kinds_of_polars(kind):
    frame = pl.DataFrame(NUMBERS).with_columns(pl.col("query", "document").cast(pl.String).cast(kind))
    assert judged_columns(frame) == FOUND
    for score in (pl.Float32, pl.Int16, pl.Decimal(10, 2), pl.String):
        assert judged_columns(frame.with_columns(pl.col("score").cast(score))) == FOUND
    assert judged_columns(pl.concat([frame[:1], frame[1:3], frame[3:]], rechunk=False)) == FOUND


@pytest.mark.parametrize("kind", ("int64", "Int64", "uint8", "object", "str", "string", "category"))
def test_kinds_of_pandas(kind):
    frame = pd.DataFrame(NUMBERS)
    text = frame.astype({"query": "str", "document": "str"}).astype({"query": kind, "document": kind})
    assert judged_columns(text) == FOUND
    for score in ("float32", "Float64", "int8", "object", "str"):
        assert judged_columns(text.astype({"score": score})) == FOUND
    assert judged_columns(text.set_index(pd.Index([7, 7, 3, 0]))) == FOUND
    assert judged_columns(text.set_index(pd.Index(["a", "b", "c", "d"]))) == FOUND


def test_texts_and_numbers_in_one_column():
    frame = pd.DataFrame({**RUN, "document": pd.Series([10, "11", 11, "10"], dtype=object)})
    assert judged_columns(frame) == FOUND


@pytest.mark.parametrize("frame", FRAMES)
def test_scores_may_be_infinite_and_tied(frame):
    columns = {"query": ["1"] * 4, "document": ["10", "11", "12", "13"], "score": [-math.inf, math.inf, 0.0, -0.0]}
    assert judged_columns(frame(columns)) == ([0, 0, 0], [1, 3, 4], [1, 2, 0], [4, 0], 0)


@pytest.mark.parametrize("frame", FRAMES)
def test_single_precision(frame):
    columns = {"query": ["1"] * 2, "document": ["10", "11"], "score": [1.00000002, 1.00000001]}
    assert judged_columns(frame(columns))[1:3] == ([1, 2], [0, 1])
    assert judged_columns(frame(columns), single=True)[1:3] == ([1, 2], [1, 0])


@pytest.mark.parametrize("frame", FRAMES)
def test_scattered_and_unjudged_queries(frame):
    rows = [("7", "a", 1), ("1", "11", 3), ("2", "11", 7), ("1", "10", 1), ("7", "b", 1), ("2", "10", 5), ("8", "a", 1)]
    columns = dict(zip(RUN, map(list, zip(*rows, strict=True)), strict=True))
    assert judged_columns(frame(columns)) == (*FOUND[:4], 2)


@pytest.mark.parametrize("frame", FRAMES)
def test_one_row(frame):
    assert judged_columns(frame({"query": ["2"], "document": ["10"], "score": [1]})) == ([1], [1], [3], [0, 1], 0)


@pytest.mark.parametrize("frame", FRAMES)
def test_grades_and_subtopics(frame):
    assert read_qrels_frame(frame(GRADES)) == Qrels({"1": {"a": 2, "b": 0}, "2": {"a": -1}})
    assert read_qrels_frame(frame({**GRADES, "iteration": [0, 0, 0]})).subtopics == {}
    half = read_qrels_frame(frame({**GRADES, "grade": [0.5, 1e308, -1]}))
    assert half.flat == [0.5, 1e308, -1]
    topics = {"query": ["1", "1", "1"], "subtopic": [1, 2, 1], "document": ["a", "a", "b"], "grade": [1, 2, 0]}
    qrels = read_qrels_frame(frame(topics))
    assert (qrels.grades, qrels.topics("1")) == (
        {"1": {"a": 2, "b": 0}},
        {"a": {"1", "2"}, "b": set()},
    )


# hashes that are equal


@pytest.mark.parametrize("few", (1, 2, 3))
def test_ids_of_one_hash_are_told_apart(monkeypatch, few):
    hashes = data_frames._hashes
    monkeypatch.setattr(data_frames, "_hashes", lambda column: hashes(column) % np.uint64(few))
    rows = [(str(query), f"{doc}", doc % 7) for query in range(5) for doc in range(20)]
    qrels = Qrels.of_mapping({str(query): {f"{doc}": 1 for doc in range(0, 30, query + 1)} for query in range(4)})
    run = {query: {doc: float(score) for name, doc, score in rows if name == query} for query in "01234"}
    expected = read_run_mapping(run, qrels)
    for order in (rows, [row for start in range(3) for row in rows[start::3]]):
        got = read_run_frame(pl.DataFrame(order, schema=list(RUN), orient="row"), qrels)
        for name in ("owner", "rank", "place", "returned"):
            assert getattr(got, name).tolist() == list(getattr(expected, name)), name
        assert got.unjudged_queries == 1


# what is refused


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", RUN)
def test_a_column_that_is_missing(frame, name):
    left = {key: values for key, values in RUN.items() if key != name}
    refused(judged_columns, frame(left), f"run: no column '{name}' in the data frame (found: {', '.join(left)})")
    if name != "score":
        left = {key: values for key, values in GRADES.items() if key != name}
        refused(read_qrels_frame, frame(left), f"qrels: no column '{name}' in the data frame")


@pytest.mark.parametrize("missing", (None, math.nan, pd.NA, pd.NaT))
@pytest.mark.parametrize("name", RUN)
def test_a_value_that_is_missing_in_pandas(name, missing):
    values = [*RUN[name][:2], missing, *RUN[name][3:]]
    wanted = "a number" if name == "score" else "an id"
    told = f"run: column '{name}' has None in row 2 (counted from 0); {wanted} is needed there"
    refused(judged_columns, pd.DataFrame({**RUN, name: pd.Series(values, dtype=object)}), told)
    for kind in ("category", "float64" if name == "score" else "str", "Float64" if name == "score" else "string"):
        refused(
            judged_columns, pd.DataFrame({**RUN, name: pd.Series([*values[:2], None, *values[3:]], dtype=kind)}), told
        )


@pytest.mark.parametrize("name", RUN)
def test_a_value_that_is_missing_in_polars(name):
    wanted = "a number" if name == "score" else "an id"
    told = f"run: column '{name}' has None in row 1 (counted from 0); {wanted} is needed there"
    refused(judged_columns, pl.DataFrame({**RUN, name: [RUN[name][0], None, *RUN[name][2:]]}), told)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    "value, told", [("good", "'good'"), ("1_0", "'1_0'"), ("", "''"), ("nan", "'nan'"), (math.nan, "n")]
)
def test_what_is_no_number(frame, value, told):
    scores = ["0.5", value, "1", "1"] if isinstance(value, str) else [0.5, value, 1.0, 1.0]
    row = "in row 1 (counted from 0); a number is needed there"
    told = told if isinstance(value, str) else "None" if frame is pd.DataFrame else "nan"
    refused(judged_columns, frame({**RUN, "score": scores}), f"run: column 'score' has {told} {row}")
    grades = [*scores[:3]]
    refused(read_qrels_frame, frame({**GRADES, "grade": grades}), f"qrels: column 'grade' has {told} {row}")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("value", (math.inf, -math.inf))
def test_grades_are_finite(frame, value):
    refused(
        read_qrels_frame, frame({**GRADES, "grade": [1.0, 2.0, value]}), f"qrels: column 'grade' has {value} in row 2"
    )


@pytest.mark.parametrize("frame", FRAMES)
def test_values_of_other_kinds(frame):
    refused(
        judged_columns,
        frame({**RUN, "document": [["a"]] * 4}),
        "run: column 'document'",
        "that cannot be read as an id",
    )
    refused(
        judged_columns, frame({**RUN, "score": [[1]] * 4}), "run: column 'score'", "that cannot be read as a number"
    )
    refused(
        judged_columns, frame({**RUN, "query": [object()] * 4}), "run: column 'query'", "that cannot be read as an id"
    )
    refused(judged_columns, frame({**RUN, "query": [b"a", b"b", b"c", b"\xff"]}), "run: column 'query'")


@pytest.mark.parametrize("frame", FRAMES)
def test_empty_frames(frame):
    refused(judged_columns, frame({name: [] for name in RUN}), "run: the data frame is empty")
    refused(judged_columns, frame({}), "run: no column 'query' in the data frame (found: )")
    refused(read_qrels_frame, frame({name: [] for name in GRADES}), "qrels: there is no judgment in it")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("scattered", (False, True))
@pytest.mark.parametrize("query", ("2", "9"))
def test_a_document_that_stands_twice(frame, scattered, query):
    queries = [query, "1" if scattered else query, query, "1"]
    columns = {"query": queries, "document": ["10", "11", "10", "12"], "score": [3, 2, 1, 0]}
    told = f"run: row 2 (counted from 0): query '{query}' has the document '10' already in row 0"
    refused(judged_columns, frame(columns), told)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_document_that_is_judged_twice(frame):
    twice = {"query": ["1", "2", "1"], "document": ["a", "a", "a"], "grade": [1, 1, 1]}
    refused(read_qrels_frame, frame(twice), "qrels: a document is judged twice for a query in the data frame")
    refused(read_qrels_frame, frame({**twice, "subtopic": [1, 2, 1]}), "qrels: a document is judged twice for a query")
    assert read_qrels_frame(frame({**twice, "subtopic": [1, 2, 3]})).lengths == [1, 1]


def test_dates_are_no_scores():
    days = [datetime.date(2024, 1, day) for day in range(1, 5)]
    refused(judged_columns, pl.DataFrame({**RUN, "score": [[day] for day in days]}), "run: column 'score'")


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([["1", "a", 1.0, 2.0]], columns=["query", "document", "score", "score"])
    with pytest.raises(InputError, match="several columns 'score'; keep one"):
        read_run_frame(frame, Qrels.of_mapping({"1": {"a": 1}}))
