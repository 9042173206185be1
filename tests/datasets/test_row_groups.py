"""The footers of Parquet files: which rows stand where, for files that polars and DuckDB wrote."""

import duckdb
import polars as pl
import pytest

from neraca.datasets.row_groups import TAIL, footer_length, read_footer
from neraca.errors import InputError


def footer(path):
    data = path.read_bytes()
    length = footer_length(data[-TAIL:], "file")
    return read_footer(data[-TAIL - length : -TAIL], "file")


def test_groups_are_those_that_were_written(tmp_path):
    frame = pl.DataFrame({"id": range(25), "text": ["x" * n for n in range(25)], "other": [None] * 25})
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=10)
    found = footer(tmp_path / "a.parquet")
    assert found.columns == ("id", "text", "other")
    assert [(group.first, group.rows) for group in found.groups] == [(0, 10), (10, 10), (20, 5)]
    assert found.rows == 25
    # bytes of groups lie behind each other, between the first magic word and the footer
    ends = [4, *(place for group in found.groups for place in (group.start, group.end))]
    assert ends == sorted(ends)
    assert ends[-1] < (tmp_path / "a.parquet").stat().st_size


def test_they_are_those_that_duckdb_reads_from_the_same_file(tmp_path):
    path = tmp_path / "b.parquet"
    made = "select range as id, [{'about': 'answer', 'value': 1.5}] as verdicts, map {'d1': 2} as relevant"
    duckdb.sql(f"copy ({made} from range(10000)) to '{path}' (format parquet, row_group_size 2048, codec zstd)")
    found = footer(path)
    known = duckdb.sql(
        "select row_group_id, any_value(row_group_num_rows), min(coalesce(dictionary_page_offset, data_page_offset)) "
        f"from parquet_metadata('{path}') group by row_group_id order by row_group_id"
    ).fetchall()
    assert [group.rows for group in found.groups] == [rows for _, rows, _ in known]
    assert [group.start for group in found.groups] == [start for *_, start in known]
    assert found.columns == ("id", "verdicts", "relevant"), "of nested columns the names at the top"


@pytest.mark.parametrize("data", [b"", b"PAR1", b"id,text\n1,hello\n", b"PAR1" + b"\0" * 40])
def test_what_is_no_parquet_file_is_refused(data):
    with pytest.raises(InputError, match=r"data\.parquet: not a Parquet file, or an incomplete one"):
        footer_length(data[-TAIL:], "data.parquet")


def test_a_footer_that_is_cut_or_mixed_up_is_refused(tmp_path):
    pl.DataFrame({"id": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    length = footer_length(data[-TAIL:], "a")
    whole = data[-TAIL - length : -TAIL]
    for broken in (whole[: length // 3], whole[7:], b"\0" + whole):
        with pytest.raises(InputError, match="footer of this Parquet file cannot be read"):
            read_footer(broken, "a.parquet")
