"""Rows that are read from an object store and scored into it."""

from __future__ import annotations

import random

import polars as pl
import pytest
from s3_server import bucket, s3_server
from scores.engine.slow_rows import small_units

from neraca import object_stores
from neraca.comparisons.compare_folders import compare_folders
from neraca.scores.engine import local
from neraca.scores.engine.score_unit import score_unit
from neraca.scores.engine.scored import ScoredFolder
from neraca.scores.score_parquet import ScaleOptions, score_parquet

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install 'neraca[s3]'")
ONE = ScaleOptions(workers=1)


@pytest.fixture(scope="module")
def server():
    with s3_server() as url:
        yield url


@pytest.fixture
def s3(server, monkeypatch):
    small_units(monkeypatch)
    return bucket(server, monkeypatch)


@pytest.fixture
def data(tmp_path):
    """Rows of texts that hardly shrink, in ten row groups."""
    chance = random.Random(0)
    texts = [" ".join(f"{chance.getrandbits(64):x}" for _ in range(20)) for _ in range(500)]
    frame = pl.DataFrame({"id": range(500), "response": texts, "reference": texts[1:] + texts[:1]})
    frame.write_parquet(tmp_path / "data.parquet", row_group_size=50)
    return tmp_path / "data.parquet"


def contents(address):
    return {
        one.address.removeprefix(address): object_stores.read_bytes(one.address)
        for one in object_stores.list_files(address)
    }


@pytest.mark.parametrize("workers", [1, 2])
def test_the_bytes_are_those_of_this_machine(s3, data, tmp_path, workers):
    object_stores.write_bytes(f"{s3}/in/data.parquet", data.read_bytes())
    how = ScaleOptions(workers=workers)
    found = score_parquet(f"{s3}/in", "TokenF1", f"{s3}/out", how)
    here = score_parquet(data, "TokenF1", tmp_path / "here", ONE)
    assert contents(f"{s3}/out") == contents(str(tmp_path / "here"))
    assert found.rows() == here.rows()
    assert ScoredFolder.of(f"{s3}/out").rows_done == 500
    (difference,) = compare_folders([found, here])
    assert difference.n == 500
    assert difference.identical


def test_only_the_bytes_of_a_unit_are_fetched_and_each_key_is_put_once(s3, data, monkeypatch):
    object_stores.write_bytes(f"{s3}/data.parquet", data.read_bytes())
    read, write = object_stores.read_bytes, object_stores.write_bytes
    fetched, put = [], []

    def reading(address, start=0, end=None):
        got = read(address, start, end)
        fetched.append((address, len(got)))
        return got

    monkeypatch.setattr(object_stores, "read_bytes", reading)
    monkeypatch.setattr(object_stores, "write_bytes", lambda address, data: (put.append(address), write(address, data)))
    score_parquet(f"{s3}/data.parquet", "TokenF1", f"{s3}/out", ONE)
    of_data = [size for address, size in fetched if address.endswith("data.parquet")]
    size = data.stat().st_size
    assert max(of_data) < size / 8
    assert sum(of_data) < 1.3 * size
    assert len(put) == len(set(put)) == 10 + 2, "units, what was asked for, and what it came to"


def test_what_was_begun_goes_on(s3, data, monkeypatch):
    object_stores.write_bytes(f"{s3}/data.parquet", data.read_bytes())
    done = []

    def stopping(job, unit):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(unit.name)
        score_unit(job, unit)

    monkeypatch.setattr(local, "score_unit", stopping)
    with pytest.raises(KeyboardInterrupt):
        score_parquet(f"{s3}/data.parquet", "TokenF1", f"{s3}/out", ONE)
    monkeypatch.setattr(local, "score_unit", lambda job, unit: (done.append(unit.name), score_unit(job, unit)))
    score_parquet(f"{s3}/data.parquet", "TokenF1", f"{s3}/out", ONE)
    assert len(done) == len(set(done)) == 10
