"""Files by address, on this machine and on a server that speaks S3."""

from __future__ import annotations

import sys

import pytest
from s3_server import bucket, s3_server

from neraca import object_stores
from neraca.errors import InputError, MissingExtra

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install 'neraca[s3]'")


@pytest.fixture(scope="module")
def server():
    with s3_server() as url:
        yield url


@pytest.fixture(params=["local", "s3"])
def folder(request, tmp_path, monkeypatch):
    """The address of an empty folder."""
    return str(tmp_path) if request.param == "local" else bucket(request.getfixturevalue("server"), monkeypatch)


@pytest.fixture
def s3(server, monkeypatch):
    return bucket(server, monkeypatch)


def test_what_was_written_is_listed_and_read(folder):
    for name in ("b/two.parquet", "a/one höchst.parquet", "a/note.txt", "_log/no.parquet", "a/.hidden.parquet"):
        object_stores.write_bytes(object_stores.join_address(folder, name), name.encode())
    found = object_stores.list_files(folder, ".parquet")
    assert [one.address.replace("\\", "/").split("/")[-2:] for one in found] == [
        ["a", "one höchst.parquet"],
        ["b", "two.parquet"],
    ]
    assert [one.size for one in found] == [len("a/one höchst.parquet".encode()), len("b/two.parquet")]
    assert object_stores.list_files(found[1].address) == [found[1]]
    assert object_stores.exists(found[0].address)
    assert not object_stores.exists(object_stores.join_address(folder, "a"))


@pytest.mark.parametrize(("start", "end"), [(0, None), (2, 5), (-3, None), (-300, None), (4, 400), (0, 2)])
def test_some_bytes_are_those_of_a_slice(folder, start, end):
    address = object_stores.join_address(folder, "some.bin")
    object_stores.write_bytes(address, b"0123456789")
    assert object_stores.read_bytes(address, start, end) == b"0123456789"[start:end]


def test_what_is_written_again_takes_the_place(folder):
    address = object_stores.join_address(folder, "some.bin")
    for data in (b"long before", b"now"):
        object_stores.write_bytes(address, data)
        assert object_stores.exists(address)
        assert object_stores.read_bytes(address) == data


def test_what_is_not_there_is_named(folder):
    with pytest.raises(InputError, match=r"none\.parquet: there is no such file"):
        object_stores.read_bytes(object_stores.join_address(folder, "none.parquet"))
    assert object_stores.list_files(object_stores.join_address(folder, "none")) == []


def test_a_bucket_that_is_not_there_and_refused_keys_are_said_without_the_keys(s3, monkeypatch):
    with pytest.raises(InputError) as told:
        object_stores.write_bytes("s3://no-such-bucket-anywhere/a.parquet", b"x")
    assert "s3://no-such-bucket-anywhere/a.parquet" in str(told.value)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError) as told:
        object_stores.write_bytes(f"{s3}/a.parquet", b"x")
    assert "are the keys where the store's own tools look for them?" in str(told.value)
    assert "hidden-secret" not in str(told.value)


def test_a_kind_of_store_that_nobody_knows_is_said():
    with pytest.raises(InputError, match="no object store is called ssss"):
        object_stores.list_files("ssss://bucket/a")


def test_a_store_without_an_extra_is_not_given_one(monkeypatch):
    monkeypatch.setitem(sys.modules, "adlfs", None)
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingExtra, match=r"there is no extra for az, only for s3 and gs; .*adlfs"):
        object_stores.write_bytes("az://bucket/a", b"")
    with pytest.raises(MissingExtra, match=r"pip install 'neraca\[gs\]'"):
        object_stores.write_bytes("gs://bucket/a", b"")
    with pytest.raises(InputError, match="no object store is called zz"):
        object_stores.write_bytes("zz://bucket/a", b"")
