"""The files of a folder of work: what is written is found again, and other work is refused."""

import polars as pl
import pytest

from neraca.datasets.work_unit import sources_of, units_of
from neraca.errors import InputError, RunError
from neraca.runs.work_folder import SCORED, SCORES, VALUES, WorkFolder, WorkManifest


@pytest.fixture
def sources(tmp_path):
    pl.DataFrame({"id": ["a", "b", "c", "d", "e"]}).write_parquet(tmp_path / "rows.parquet", row_group_size=2)
    return sources_of([str(tmp_path / "rows.parquet")])


def manifest(sources, *metrics):
    return WorkManifest.of(sources, metrics, {"id": "id"}, {})


def test_the_same_work_goes_on_and_other_work_is_refused(sources, tmp_path):
    folder = WorkFolder(str(tmp_path / "out"))
    folder.begin(SCORED, manifest(sources, "TokenF1"))
    folder.begin(SCORED, manifest(sources, "TokenF1"))
    assert folder.manifest(SCORED).rows == 5
    with pytest.raises(RunError, match="holds results of something else: metrics were 1 and are 2"):
        folder.begin(SCORED, manifest(sources, "TokenF1", "BLEU"))


def test_units_are_found_in_the_order_of_their_rows_without_files_that_were_not_finished(sources, tmp_path):
    folder = WorkFolder(str(tmp_path / "out"))
    assert folder.units(VALUES) == []
    names = [unit.name for unit in units_of(sources, rows=1)]
    for name in reversed(names):
        folder.write(name.encode(), VALUES, name)
    leftover = tmp_path / "out" / VALUES / f".{names[0]}.x1"
    leftover.write_bytes(b"half")
    assert folder.units(VALUES) == names == ["000000000000.parquet", "000000000002.parquet", "000000000004.parquet"]
    assert folder.read(VALUES, names[2]) == b"000000000004.parquet"
    folder.remove_unfinished()
    assert not leftover.exists()
    assert folder.units(VALUES) == names


def test_a_file_that_is_missing_or_broken_is_named(tmp_path):
    folder = WorkFolder(str(tmp_path))
    assert not folder.has(SCORES)
    with pytest.raises(InputError, match=r"scores\.jsonl: there is no such file"):
        folder.read(SCORES)
    folder.write(b"{", SCORED)
    with pytest.raises(InputError, match=r"scored\.json: cannot be read"):
        folder.manifest(SCORED)
