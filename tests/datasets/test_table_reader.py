"""Tables read and written block by block."""

from __future__ import annotations

import math
from datetime import date

import polars as pl
import pytest

from neraca.datasets import table_reader as module
from neraca.datasets.table import READABLE, WRITABLE, read_table, write_table
from neraca.datasets.table_reader import TableReader
from neraca.datasets.table_writer import table_writer
from neraca.errors import InputError

ROWS = [{"a": f"{n}", "b": text} for n, text in enumerate(["x", 'q"u,o;t', "two\nlines", "شقة 😀", " ", "=1", "é"])]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of three rows."""
    monkeypatch.setattr(module, "ROWS", 3)
    monkeypatch.setattr(module, "_FIRST", 2)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_blocks_have_the_rows_of_the_table(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(path, ROWS)
    table, found = read_table(path), TableReader(path)
    for _ in range(2):  # it can be gone through again
        blocks = list(found)
        assert [len(block) for block in blocks] in ([3, 3, 1], [2, 3, 2])
        assert [row for block in blocks for row in block.rows] == table.rows
        assert [value for block in blocks for value in block.column("b")] == [row["b"] for row in table.rows]
        places = [block.place(row) for block in blocks for row in range(len(block))]
        assert places == [table.place(row) for row in range(len(table))]
        assert {block.columns for block in blocks} == {table.columns}
        assert blocks[-1].read == pytest.approx(1)
        assert [block.read for block in blocks] == sorted(block.read for block in blocks)
    assert found.columns == table.columns
    assert found.header == table.header


def test_every_readable_ending_is_read(tmp_path):
    for suffix in READABLE:
        path = tmp_path / f"t{suffix}"
        if suffix in (".arrow", ".feather", ".ipc"):
            frame = pl.DataFrame(ROWS)
            (frame.write_ipc if suffix != ".ipc" else frame.write_ipc_stream)(path)
        else:
            write_table(
                path.with_suffix(".csv" if suffix == ".txt" else ".xlsx" if suffix == ".xlsm" else suffix), ROWS
            )
            if suffix in (".txt", ".xlsm"):
                path.with_suffix(".csv" if suffix == ".txt" else ".xlsx").rename(path)
        assert [row["b"] for block in TableReader(path) for row in block.rows] == [row["b"] for row in ROWS], suffix


def test_a_block_ends_before_it_grows_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHARACTERS", 1_000)
    for suffix in (".csv", ".jsonl", ".parquet"):
        write_table(tmp_path / f"t{suffix}", [{"a": "x" * 700}] * 9)
        assert max(len(block) for block in TableReader(tmp_path / f"t{suffix}")) == 2


def test_the_same_errors_as_for_the_whole_table(tmp_path):
    bad = {
        "empty.csv": b"",
        "long.csv": b"a,b\n1,2\n1,2,3\n",
        "open.csv": b'a,b\n1,"2\n',
        "latin.csv": "a,b\né,2\n".encode("cp1252"),
        "empty.jsonl": b"\n",
        "list.jsonl": b'{"a":1}\n[1]\n',
        "broken.jsonl": b'{"a":1}\n{"a":\n',
        "latin.jsonl": '{"a":"é"}'.encode("cp1252"),
        "broken.parquet": b"PAR1 no",
        "twice.csv": b"a,a\n1,2\n",
        "broken.json": b"[",
        "no.xyz": b"",
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError) as whole:
            read_table(tmp_path / name)
        with pytest.raises(InputError) as found:
            list(TableReader(tmp_path / name))
        if name != "broken.parquet":
            assert str(found.value) == str(whole.value)
    with pytest.raises(InputError, match="no such file"):
        TableReader(tmp_path / "none.csv")
    with pytest.raises(InputError, match="delimiter"):
        TableReader(tmp_path / "empty.jsonl", delimiter=";")


def test_two_files_can_be_read_at_once(tmp_path):
    """The limit of csv's cells belongs to the process: whoever reads must not keep others waiting."""
    for name in ("a.csv", "b.csv"):
        write_table(tmp_path / name, ROWS)
    pairs = zip(TableReader(tmp_path / "a.csv"), TableReader(tmp_path / "b.csv"), strict=True)
    assert all(one.rows == other.rows for one, other in pairs)


# writing


def added(blocks):
    for block in blocks:
        numbers = [None if n % 2 else 0.1 * n for n in block.numbers]
        yield block, {"score": numbers, "why": [None if n else "odd" for n in numbers]}


KINDS = {"score": "float", "why": "other"}


def write(source, out):
    blocks = TableReader(source)
    with table_writer(out, blocks, KINDS) as writer:
        for block, new in added(blocks):
            writer.write(block, new)


@pytest.mark.parametrize("to", WRITABLE)
@pytest.mark.parametrize("of", [".csv", ".jsonl", ".parquet", ".xlsx", ".json"])
def test_from_every_format_to_every_format(tmp_path, of, to):
    source, out = tmp_path / f"in{of}", tmp_path / f"out{to}"
    write_table(source, ROWS)
    write(source, out)
    table = read_table(out)
    assert table.columns == ("a", "b", "score", "why")
    kept = [{name: row.get(name) for name in ("a", "b")} for row in table.rows]
    assert kept == read_table(source).rows
    for row, number in zip(
        table.rows,
        TableReader(source)._table.numbers
        if of in (".xlsx", ".json")
        else [n for block in TableReader(source) for n in block.numbers],
        strict=True,
    ):
        expected = None if number % 2 else 0.1 * number
        assert (float(row["score"]) if row.get("score") not in (None, "") else None) == expected  # every digit
        assert (row.get("why") or "") == ("odd" if expected is None else "")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name])


def test_a_frames_columns_keep_their_types(tmp_path):
    frame = pl.DataFrame(
        {
            "day": [date(2024, 1, n) for n in range(1, 8)],
            "n": pl.Series([1, None, 3, 4, 5, 6, 7], dtype=pl.Int16),
            "list": [["a"], [], None, ["b", "c"], [], [], []],
            "kind": pl.Series(list("xyxyxyx"), dtype=pl.Categorical),
            "nested": [{"p": n, "q": None} for n in range(7)],
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    write(tmp_path / "in.parquet", tmp_path / "out.parquet")
    found = pl.read_parquet(tmp_path / "out.parquet")
    assert found.select(frame.columns).equals(frame)
    assert found.select(frame.columns).schema == frame.schema
    assert found.schema["score"] == pl.Float64
    assert found.schema["why"] == pl.String


def test_a_type_is_that_of_the_whole_column(tmp_path):
    """Numbers at first, text at the end: the blocks alone would not fit together."""
    rows = [{"a": 1, "b": 1.5, "c": True} for _ in range(5)] + [{"a": "x", "b": None, "d": ["y"]}]
    write_table(tmp_path / "in.jsonl", rows)
    write(tmp_path / "in.jsonl", tmp_path / "out.parquet")
    write_table(tmp_path / "whole.parquet", rows)
    whole, found = pl.read_parquet(tmp_path / "whole.parquet"), pl.read_parquet(tmp_path / "out.parquet")
    assert found.drop("score", "why").equals(whole)


def test_names_that_look_like_patterns(tmp_path):
    folder = tmp_path / "day=1 [a]*"
    folder.mkdir()
    for to in (".csv", ".parquet"):
        write_table(folder / "x[1]*.parquet", ROWS)
        write(folder / "x[1]*.parquet", folder / f"out[2]*{to}")
        assert len(read_table(folder / f"out[2]*{to}")) == len(ROWS)
        assert read_table(folder / f"out[2]*{to}").columns == ("a", "b", "score", "why")


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("to", WRITABLE)
def test_after_an_error_all_is_as_it_was(tmp_path, to, stop):
    write_table(tmp_path / "in.csv", ROWS)
    out = tmp_path / f"out{to}"
    out.write_bytes(b"before")
    blocks = TableReader(tmp_path / "in.csv")
    with pytest.raises(stop), table_writer(out, blocks, KINDS) as writer:  # noqa: PT012
        for block, new in added(blocks):
            writer.write(block, new)
            raise stop
    assert out.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", out.name]


def test_what_cannot_be_written_is_found_before_the_work(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    blocks = TableReader(tmp_path / "in.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "same.csv").symlink_to(tmp_path / "in.csv")
    (tmp_path / "file").write_text("")
    for name, told in (
        ("in.csv", "is the table that is read"),
        ("same.csv", "is the table that is read"),
        ("out.doc", r"\.doc is not written"),
        ("folder.csv", "is a folder"),
    ):
        with pytest.raises(InputError, match=told), table_writer(tmp_path / name, blocks, KINDS):
            raise AssertionError("work began")
    with pytest.raises(OSError, match="file"), table_writer(tmp_path / "file" / "out.csv", blocks, KINDS):
        raise AssertionError("work began")


def test_a_value_that_a_format_cannot_carry(tmp_path):
    write_table(tmp_path / "in.jsonl", [{"a": "nul \0"}])
    with pytest.raises(InputError, match=r"out\.csv: a cell holds a NUL"):
        write(tmp_path / "in.jsonl", tmp_path / "out.csv")
    write_table(tmp_path / "in.jsonl", [{"a": "x" * 40_000}])
    with pytest.raises(InputError, match=r"out\.xlsx: row 1, column a: 40,000 characters"):
        write(tmp_path / "in.jsonl", tmp_path / "out.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_half_a_character_is_no_text(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"a": "\\ud800", "b": NaN}')
    for to in (".csv", ".jsonl"):
        with pytest.raises(InputError, match=rf"out\{to}: a value cannot be written"):
            write(tmp_path / "in.jsonl", tmp_path / f"out{to}")


def test_without_new_columns_it_is_a_copy(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    source = TableReader(tmp_path / "in.csv")
    with table_writer(tmp_path / "out.jsonl", source, {}) as writer:
        for block in source:
            writer.write(block, {})
    assert read_table(tmp_path / "out.jsonl").rows == ROWS


def test_a_file_that_goes_meanwhile(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    source = TableReader(tmp_path / "in.csv")
    (tmp_path / "in.csv").unlink()
    with pytest.raises(InputError, match=r"in\.csv: cannot be read: No such file"):
        list(source)


def test_nan_of_a_file_is_nothing(tmp_path):
    pl.DataFrame({"a": [1.5, math.nan]}).write_parquet(tmp_path / "in.parquet")
    (block,) = TableReader(tmp_path / "in.parquet")
    assert block.column("a") == [1.5, None]
