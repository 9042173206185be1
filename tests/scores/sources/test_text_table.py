"""Tables of references and responses, scored and written block by block."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neraca
from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError, NeracaError, SpecError
from neraca.metrics.metric import METRICS
from neraca.reports.sentences.notes import notes
from neraca.scores.sources.text_columns import find_columns
from neraca.scores.sources.text_table import TextTable

ROWS = [
    {"question": "q1", "reference": "two floors", "response": "It has two floors.", "kind": "a"},
    {"question": "q2", "reference": "the red car", "response": "The car", "kind": "b"},
    {"question": "q3", "reference": "", "response": "hello", "kind": "a"},
    {"question": "q4", "reference": "yes", "response": "", "kind": ""},
]
RECALL = [1.0, 2 / 3, None, 0.0]


def table(folder: Path, rows: list[dict[str, Any]] = ROWS, name: str = "in.csv", **given: Any) -> TextTable:
    write_table(folder / name, rows)
    return TextTable(path=folder / name, **{"metrics": "TokenRecall ExactMatch", **given})


def scored(folder: Path, rows: list[dict[str, Any]] = ROWS, **given: Any) -> list[dict[str, Any]]:
    """The rows as they are written."""
    table(folder, rows, out=folder / "out.jsonl", **given).score()
    return read_table(folder / "out.jsonl").rows


def test_a_column_for_each_metric_after_those_that_were_there(tmp_path):
    found = scored(tmp_path, bands=(0.4, 0.3, 0.2), why=True)
    assert [list(row) for row in found] == [[*ROWS[0], "TokenRecall", "ExactMatch", "Average", "Band", "why"]] * 4
    assert [{name: row[name] for name in ROWS[0]} for row in found] == ROWS
    assert [row["TokenRecall"] for row in found] == RECALL
    assert [row["Average"] for row in found] == [0.5, 1 / 3, None, 0.0]
    assert [row["Band"] for row in found] == ["excellent", "good", None, "poor"]
    assert [row["why"] for row in found] == [None, None, "the item has no reference", None]


def test_without_the_average(tmp_path):
    assert list(scored(tmp_path, average=False)[0]) == [*ROWS[0], "TokenRecall", "ExactMatch"]
    assert list(scored(tmp_path, metrics="TokenRecall Words")[0]) == [*ROWS[0], "TokenRecall", "Words"]


def test_an_average_that_was_asked_for_is_the_one(tmp_path):
    row = scored(tmp_path, metrics="TokenRecall Average(ExactMatch,TokenRecall,TokenF1)")[0]
    assert list(row)[4:] == ["TokenRecall", "Average", "Band"]
    assert row["Average"] == pytest.approx((0 + 1 + 2 / 3) / 3)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl", ".json", ".parquet"])
def test_a_file_says_the_same_as_lists_do(tmp_path, suffix):
    found = table(tmp_path, name=f"in{suffix}").score()
    lists = neraca.text([row["reference"] for row in ROWS], [row["response"] for row in ROWS], "TokenRecall ExactMatch")
    assert found.values("TokenRecall") == pytest.approx(lists.values("TokenRecall"), nan_ok=True)
    assert [score.low for score in found.overall()[:2]] == [score.low for score in lists.overall()]
    assert found.mean("Average") == pytest.approx(5 / 18)


def test_values_come_back_digit_by_digit(tmp_path):
    for suffix in (".csv", ".parquet", ".xlsx"):
        task = table(tmp_path, out=tmp_path / f"out{suffix}")
        values = [value for value in task.score().values("TokenRecall").tolist() if value == value]
        cells = [row["TokenRecall"] for row in read_table(tmp_path / f"out{suffix}").rows]
        assert [float(cell) for cell in cells if cell not in (None, "")] == values


def test_where_a_block_ends_does_not_matter(tmp_path):
    draw = random.Random(3)
    words = ["casa", "perro", "gato", "niño", "el", "la", "3", "شقة", "rojo"]
    rows = [
        {
            "reference": " ".join(draw.choices(words, k=draw.randint(0, 8))),
            "old": " ".join(draw.choices(words, k=4)),
            "new": " ".join(draw.choices(words, k=6)),
            "language": draw.choice(["es", "", "Arabic"]),
            "kind": draw.choice("ab"),
            "session": draw.choice(["", "s1", "s2"]),
            "h1": draw.random(),
            "h2": draw.random(),
        }
        for _ in range(120)
    ]
    given = {"responses": ("old", "new"), "groups": ["kind"], "human": ("h1", "h2"), "language": "es", "why": True}
    given["metrics"] = "TokenRecall METEOR TFIDF(idf=corpus) CorpusBLEU"
    one = table(tmp_path, rows, "in.jsonl", out=tmp_path / "one.csv", **given).score()
    two = table(tmp_path, rows, "in.jsonl", out=tmp_path / "two.csv", block_rows=7, **given).score()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert (one.overall(), list(notes(one)), str(one)) == (two.overall(), list(notes(two)), str(two))
    assert (
        one.facts["human"]["people"].tolist()
        == two.facts["human"]["people"].tolist()
        == [
            *(row["h1"] for row in rows),
            *(row["h2"] for row in rows),
        ]
    )
    assert neraca.compare(one) == neraca.compare(two)


def test_several_systems(tmp_path):
    rows = [{"expected": "a b", "old": "a", "new": "a b"}, {"expected": "c", "old": "", "new": "c"}]
    found = scored(tmp_path, rows, responses=("new", "old"))
    names = ["TokenRecall", "ExactMatch", "Average", "Band"]
    assert list(found[0]) == ["expected", "old", "new", *(f"{s} {name}" for s in ("new", "old") for name in names)]
    assert [row["old TokenRecall"] for row in found] == [0.5, 0]
    assert [row["new TokenRecall"] for row in found] == [1, 1]


@pytest.mark.parametrize("second", ["", "It has floors", None])
def test_several_references(tmp_path, second):
    rows = [{"r1": "no", "r2": "it has two floors", "r3": second, "answer": "It has two floors"}]
    assert scored(tmp_path, rows, references=("r1", "r2", "r3"))[0]["ExactMatch"] == 1
    for cell in (["no", "it has two floors"], '["no", "it has two floors"]'):
        rows = [{"references": cell, "response": "It has two floors"}]
        assert scored(tmp_path, rows, name="in.jsonl")[0]["ExactMatch"] == 1


def test_a_column_says_the_language_of_each_row(tmp_path):
    rows = [{"reference": "casas", "response": "casa", "language": said} for said in ("es", "", "Spanish", "id")]
    metric = "TokenRecall(tokens=word+stem)"
    assert [row[metric] for row in scored(tmp_path, rows, metrics=metric, language="id")] == [1, 0, 1, 0]
    rows[2]["language"] = "Klingon"
    with pytest.raises(SpecError, match=r"in\.csv line 4, column 'language': no language is called 'Klingon'"):
        scored(tmp_path, rows)


def test_the_language_is_found(tmp_path):
    text = "La casa de mi abuela está en el centro de la ciudad, pero no tiene jardín y los vecinos se quejan"
    rows = [{"reference": text, "response": "las casas"}] * 3
    found = table(tmp_path, rows, metrics="METEOR TFIDF(idf=corpus)", language="auto", block_rows=1).score()
    assert "language:es(auto)" in found.signatures["METEOR"]
    assert found.mean("METEOR") == table(tmp_path, rows, metrics="METEOR", language="es").score().mean("METEOR")


def test_groups(tmp_path):
    found = table(tmp_path, groups=["kind"]).score()
    scores = {(score.group, score.metric): (score.value, score.n, score.unscored) for score in found.by_group("kind")}
    assert scores["kind=a", "TokenRecall"] == (1.0, 1, 1)
    assert scores["kind=b", "TokenRecall"] == (2 / 3, 1, 0)
    assert scores["kind=", "TokenRecall"] == (0, 1, 0)
    many = [{"reference": "a", "response": "a", "kind": f"{n}"} for n in range(1_001)]
    with pytest.raises(SpecError, match="more than 1,000 values"):
        table(tmp_path, many, groups=["kind"]).score()


def test_peoples_scores(tmp_path):
    rows = [dict(row, rating=score) for row, score in zip(ROWS, ["4", " 3.5 ", "", "good"], strict=True)]
    found = table(tmp_path, rows).score()
    np.testing.assert_equal(found.facts["human"]["rating"], [4, 3.5, np.nan, np.nan])
    assert "column 'rating': 1 cell is no number and left out, such as \"good\" (line 5)" in notes(found)


def test_a_decimal_comma_among_peoples_scores_is_told_with_its_row_and_the_remedy(tmp_path):
    rows = [dict(row, rating=score) for row, score in zip(ROWS, ["4", "good", "4,5", "3"], strict=True)]
    assert (
        "column 'rating': 2 cells are no number and left out, such as \"good\" (line 3); "
        "if a comma is a decimal comma there, write a point (4.5)"
    ) in list(notes(table(tmp_path, rows).score()))


def test_a_column_of_peoples_scores_without_a_number_is_told(tmp_path):
    rows = [dict(row, rating=score) for row, score in zip(ROWS, ["good", "bad", "", "good"], strict=True)]
    assert "column 'rating': 3 cells are no number and left out, such as \"good\" (line 2); none is a number" in list(
        notes(table(tmp_path, rows).score())
    )


def test_marks_for_a_missing_value_are_empty_cells_and_told(tmp_path):
    """A row without a reference is unscored, and an empty response counts as 0; an answer can be `null`."""
    texts = [("so", "NaN"), ("nan", "so"), ("so", "null"), ("#N/A and so", "#N/A and so")]
    rows = [{"reference": reference, "response": response} for reference, response in texts]
    scores = table(tmp_path, rows, metrics="ExactMatch").score()
    assert [*scores.runs[0].values(scores.metrics[0])] == pytest.approx([0, math.nan, 0, 1], nan_ok=True)
    told = list(notes(scores))
    assert "column 'response': 1 cell holds a mark such as NaN or #N/A, read as an empty cell" in told
    assert "column 'reference': 1 cell holds a mark such as NaN or #N/A, read as an empty cell" in told
    assert sum("column 'response': 1 cell holds the word None or null" in note for note in told) == 1
    assert not [note for note in (notes(table(tmp_path).score())) if "cell" in note]


def test_a_metric_that_needs_contexts_says_that_no_column_has_them(tmp_path):
    told = "no column has contexts; call it one of retrieved_contexts, contexts, retrieval_context, context"
    assert told in list(notes(table(tmp_path, metrics="Average(OverlapSupport,TokenF1)").score()))
    assert told not in list(notes(table(tmp_path).score()))
    rows = [dict(row, contexts="x") for row in ROWS]
    assert told not in list(notes(table(tmp_path, rows, metrics="OverlapSupport").score()))


def test_what_an_average_is_made_of_needs_the_language_too(tmp_path):
    told = "the language is not known: words are compared without their stems, and articles count as words"
    assert told in list(notes(table(tmp_path, metrics="Average(TokenF1)").score()))
    assert told not in list(notes(table(tmp_path, metrics="Average(ROUGE-L)").score()))


def test_sessions_are_one_source_of_chance(tmp_path):
    """A row without a session stands alone; space around a name is not part of it."""
    given = [("two", "s"), ("a", " s "), ("floors", "t"), ("two", ""), ("two", " ")]
    rows = [dict(ROWS[0], response=text, session=name) for text, name in given]
    found = table(tmp_path, rows).score()
    clusters = found.run().clusters.tolist()
    assert clusters[0] == clusters[1]
    assert len(set(clusters)) == 4
    assert any("source of chance" in note for note in notes(found))


def test_what_an_average_is_made_of(tmp_path):
    """Not of errors, of what is neither good nor bad, or of what says something of all rows together alone."""
    found = table(tmp_path, metrics="TokenRecall TER Words CorpusBLEU ROUGE-1").score()
    assert str(found.average) == "Average(TokenRecall,ROUGE-1)"


def test_without_references_where_none_is_needed(tmp_path):
    """The rarer a word is among all contexts, the more it weighs, contexts of other blocks included."""
    draw = random.Random(2)
    words = [f"word{n}" for n in range(12)]
    rows = [
        {"response": " ".join(draw.choices(words, k=4)) + ".", "contexts": [" ".join(draw.choices(words, k=k))]}
        for k in draw.choices(range(1, 12), k=40)
    ]
    one = scored(tmp_path, rows, name="in.jsonl", metrics="OverlapStem Words")
    assert scored(tmp_path, rows, name="in.jsonl", metrics="OverlapStem Words", block_rows=7) == one
    assert len({row["OverlapStem"] for row in one}) > 10
    with pytest.raises(InputError, match="no column for the reference"):
        scored(tmp_path, rows, name="in.jsonl", metrics="OverlapStem TokenF1")


def test_metrics_of_ones_own_see_the_other_columns(tmp_path):
    before = dict(METRICS._objects)

    @neraca.metric("Sees")
    def sees(query: str, reference: str, contexts: list[str]) -> float:
        return float((query, reference, contexts) == ("q1", "two floors", ["x", "y"]))

    @neraca.metric("Fails")
    def fails(reference: str, response: str) -> float:
        return 1 / len(response)

    try:
        rows = [dict(row, retrieved_contexts='["x", "y"]') for row in ROWS]
        assert [row["Sees"] for row in scored(tmp_path, rows, metrics="Sees")] == [1, 0, None, 0]
        with pytest.raises(NeracaError, match="Fails: failed on item 'line 5': ZeroDivisionError"):
            scored(tmp_path, rows, metrics="Fails")
    finally:
        METRICS._objects = before


def test_numbers_are_read_as_they_are_written(tmp_path):
    rows = [{"reference": 3.0, "response": 3}, {"reference": "3.0", "response": 3.5}]
    found = scored(tmp_path, rows, name="in.jsonl", metrics="ExactMatch")
    assert [row["ExactMatch"] for row in found] == [1, 0]
    assert [row["reference"] for row in found] == [3.0, "3.0"]


@pytest.mark.parametrize(
    ("columns", "references", "responses"),
    [
        (["question", "ground_truth", "answer"], "ground_truth", "answer"),
        (["answer", "response"], "answer", "response"),
        (["answer", "prediction"], "answer", "prediction"),
        (["Expected Output", "actual_output"], "Expected Output", "actual_output"),
        (["user_input", "reference", "response", "retrieved_contexts"], "reference", "response"),
        (["expected", "output", "hypothesis"], "expected", "output"),
        (["answers", "actual_response"], "answers", "actual_response"),
    ],
)
def test_columns_are_recognised(columns, references, responses):
    found = find_columns(columns, "t.csv")
    assert (found.references, found.responses) == ((references,), (responses,))


def test_columns_that_might_have_been_meant_are_named(tmp_path):
    rows = [{"reference": "a", "expected": "b", "response": "a", "output": "b"}]
    (note,) = [note for note in (notes(table(tmp_path, rows).score())) if "not used" in note]
    assert "the reference is reference, the response is response; not used: expected, output" in note


@pytest.mark.parametrize(
    ("columns", "given", "told"),
    [
        (["question", "answer"], {}, "t.csv: no column for the response (found: question, answer)"),
        (["response"], {}, "no column for the reference (found: response); call it reference, or name it with"),
        (["reference", "response"], {"responses": ["new"]}, 'no column "new" (found: reference, response)'),
        (["reference", "response"], {"groups": ["kind"]}, 'no column "kind"'),
        (["reference", "a", "b"], {"responses": ["a", "b", "a"]}, "column 'a' is named twice among --reference"),
        (["a", "b"], {"references": ["a"], "responses": ["a"]}, "column 'a' is named twice"),
        (["reference", "a", "h"], {"responses": ["a"], "human": ["h", "h"]}, "column 'h' is named twice"),
        (["reference", "a", "b", "h"], {"responses": ["a", "b"], "human": ["h"]}, "2 response columns, but 1 of"),
    ],
)
def test_columns_that_are_not_there(columns, given, told):
    with pytest.raises((InputError, SpecError)) as error:
        find_columns(columns, "t.csv", **given)
    assert told in str(error.value)


def test_a_column_of_a_metrics_name_is_not_overwritten(tmp_path):
    rows = [dict(row, TokenRecall="mine") for row in ROWS]
    assert table(tmp_path, rows).score().mean("TokenRecall") == pytest.approx(5 / 9)  # nothing is written
    with pytest.raises(InputError, match=r"in\.csv line 1: there is a column 'TokenRecall' already"):
        scored(tmp_path, rows)
    rows = [dict(row, Average=1) for row in ROWS]
    with pytest.raises(InputError, match="or --no-average"):
        scored(tmp_path, rows)
    assert scored(tmp_path, rows, average=False)[0]["Average"] == "1"


def test_what_is_wrong_is_said_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"in\.jsonl line 2, column 'response': must be text, found \[1\]"):
        scored(tmp_path, [ROWS[0], dict(ROWS[1], response=[1])], name="in.jsonl")
    with pytest.raises(SpecError, match="three numbers that fall"):
        scored(tmp_path, bands=(0.1, 0.2, 0.3))
    with pytest.raises(SpecError, match="a share such as"):
        scored(tmp_path, level=2.0)
    (tmp_path / "head.csv").write_text("reference,response\n")
    with pytest.raises(InputError, match="there is no row below the names"):
        TextTable(path=tmp_path / "head.csv", out=tmp_path / "out.csv").score()
    assert not (tmp_path / "out.csv").exists()


def test_progress_reaches_the_end(tmp_path):
    for name in ("in.csv", "in.jsonl", "in.parquet"):
        seen: list[tuple[int, int, str]] = []
        table(tmp_path, name=name, block_rows=1).score(lambda *told, seen=seen: seen.append(told))
        assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
        assert seen[-1] == (100, 100, "4 rows")


def test_plain_headings_are_those_of_peoples_scripts(tmp_path):
    """And the names of metrics may be theirs."""
    names = "rouge_l bleu cosine_similarity token_f1 average_score"
    rows = scored(tmp_path, metrics=names, headings="plain")
    added = [name for name in rows[0] if name not in ROWS[0]]
    assert added == ["rouge_l", "bleu", "cosine_similarity", "token_f1", "average_score", "band"]
    again = scored(tmp_path, metrics="ROUGE-L BLEU TFIDF TokenF1")
    assert [row["average_score"] for row in rows] == [row["Average"] for row in again]
    with pytest.raises(SpecError, match="headings are names or plain, not 'lower'"):
        scored(tmp_path, headings="lower")


def test_columns_that_are_not_used_are_told(tmp_path):
    rows = [{"pertanyaan": "q", "kunci_jawaban": "two", "jawaban": "two", "sumber": "web", "catgory": "a"}]
    scores = table(tmp_path, rows, metrics="TokenRecall").score()
    assert scores.mean("TokenRecall") == 1
    assert "columns not used: sumber, catgory; did you mean category for catgory?" in list(notes(scores))
    assert not [
        note for note in notes(table(tmp_path, metrics="TokenRecall", groups=["kind"]).score()) if "not used" in note
    ]


def test_scores_of_people_are_numbers_in_a_workbook(tmp_path):
    """And other columns of digits stay text: they may be names."""
    rows = [{"code": "007", "reference": "a", "response": "a", "human": "4.5"}]
    rows.append({"code": "008", "reference": "a", "response": "b", "human": "good"})
    write_table(tmp_path / "in.csv", rows)
    TextTable(path=tmp_path / "in.csv", metrics="TokenRecall", out=tmp_path / "out.xlsx").score()
    found = read_table(tmp_path / "out.xlsx").rows
    assert [(row["code"], row["human"]) for row in found] == [("007", 4.5), ("008", "good")]


def test_rows_have_the_ids_that_their_table_gives(tmp_path):
    rows = [
        {"id": "q7", "reference": "red shoes", "response": "red shoes"},
        {"id": "q2", "reference": "blue hat", "response": "hat"},
    ]
    scores = table(tmp_path, rows, metrics="TokenF1").score()
    assert scores.by_item("TokenF1") == {"q7": 1.0, "q2": pytest.approx(2 / 3)}
    twice = table(tmp_path, [rows[0], rows[1] | {"id": "q7"}], metrics="TokenF1").score()
    assert list(twice.by_item("TokenF1")) == ["0", "1"], "an id that two rows have names neither"


def test_rows_that_repeat_an_id_are_counted_and_named(tmp_path):
    rows = [{"id": name, **row} for name, row in zip(["a", "b", " a ", ""], ROWS, strict=True)]
    said = [note for note in notes(table(tmp_path, rows).score()) if "the id of an earlier row" in note]
    assert [note.partition(",")[0] for note in said] == ["column 'id': 1 row repeats the id of an earlier row"]
    assert "such as row 3 that of row 1, and each counts as a row of its own" in said[0]
    by_id = table(tmp_path, rows, unit="id").score()
    assert not any("the id of an earlier row" in note for note in notes(by_id))
    other = table(tmp_path, [{"id": str(n), **row} for n, row in enumerate(ROWS)]).score()
    assert not any("the id of an earlier row" in note for note in notes(other))
