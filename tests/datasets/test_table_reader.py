"""Tables read batch by batch, and whole."""

import subprocess
import sys

import polars as pl
import pytest

from neraca.datasets.table_reader import READABLE, TableReader, read_table
from neraca.datasets.table_writer import WRITABLE, write_table
from neraca.errors import InputError

ROWS = [{"a": f"{n}", "b": text} for n, text in enumerate(["x", 'q"u,o;t', "two\nlines", "شقة 😀", " ", "=1", "é"])]


@pytest.mark.parametrize("suffix", WRITABLE)
def test_blocks_have_the_rows_of_the_table(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(path, ROWS)
    table, found = read_table(path), TableReader(path, rows=3)
    for _ in range(2):  # it can be gone through again
        blocks = list(found)
        assert [len(block) for block in blocks] == [3, 3, 1]
        assert [row for block in blocks for row in block.rows] == table.rows
        assert [value for block in blocks for value in block.column("b")] == [row["b"] for row in table.rows]
        places = [block.place(row) for block in blocks for row in range(len(block))]
        assert places == [table.place(row) for row in range(len(table))]
        assert {block.columns for block in blocks} == {table.columns}
        assert blocks[-1].share == pytest.approx(1)
        assert [block.share for block in blocks] == sorted(block.share for block in blocks)
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
        assert [row["b"] for block in TableReader(path, rows=3) for row in block.rows] == [row["b"] for row in ROWS], (
            suffix
        )


def test_a_block_ends_before_it_grows_too_long(tmp_path):
    """The first one of a Parquet file shows how long rows are."""
    for suffix, sizes in ((".csv", [2, 2, 2, 2, 1]), (".jsonl", [2, 2, 2, 2, 1]), (".parquet", [3, 1, 1, 1, 1, 1, 1])):
        write_table(tmp_path / f"t{suffix}", [{"a": "x" * 700}] * 9)
        assert [len(block) for block in TableReader(tmp_path / f"t{suffix}", rows=3, characters=1_000)] == sizes


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
        assert str(found.value) == str(whole.value)
    with pytest.raises(InputError, match="no such file"):
        TableReader(tmp_path / "none.csv")
    with pytest.raises(InputError, match="delimiter"):
        TableReader(tmp_path / "empty.jsonl", delimiter=";")


def test_two_files_can_be_read_at_once(tmp_path):
    """The limit of csv's cells belongs to the process: whoever reads must not keep others waiting."""
    for name in ("a.csv", "b.csv"):
        write_table(tmp_path / name, ROWS)
    pairs = zip(*(TableReader(tmp_path / name, rows=3) for name in ("a.csv", "b.csv")), strict=True)
    assert all(one.rows == other.rows for one, other in pairs)


def test_a_file_that_goes_meanwhile(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    source = TableReader(tmp_path / "in.csv")
    (tmp_path / "in.csv").unlink()
    with pytest.raises(InputError, match=r"in\.csv: cannot be read: No such file"):
        list(source)


# files and options


def test_files_that_are_not_there_or_not_read(tmp_path, file, refused):
    refused(tmp_path / "none.csv", "no such file; check the name and the folder")
    refused(tmp_path, "is a folder; name a file in it")
    refused(file("q.ods", b""), ".ods is not read; use one of .csv .tsv")
    refused(file("q", b""), "a name without ending is not read")
    refused(file("q.csv.zip", b""), "is compressed; unpack it first, or pack it as .gz or .zst")


def test_an_error_of_the_system(tmp_path, refused):
    path = tmp_path / "q.csv"
    path.symlink_to("/proc/self/mem")  # opens, and then fails to be read, even for root
    refused(path, "cannot be read: Input/output error")


def test_options_that_do_not_apply(file, tmp_path, refused, sheet):
    refused(file("q.csv", "a\n1\n"), "have sheets; leave --sheet out", sheet="x")
    refused(file("q.jsonl", "{}"), "have a delimiter; leave --delimiter out", delimiter=",")
    refused(sheet(tmp_path / "q.xlsx", ["a"]), ".xlsx knows its own encoding", encoding="utf-8")


def test_polars_and_openpyxl_are_imported_when_used():
    code = "import sys, neraca.datasets.read_dataset; print({'polars', 'openpyxl', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
