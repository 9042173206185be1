"""The vector index lasts, is rebuilt when it must be, and is never seen half-built."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neraca.demo import index as index_module
from neraca.demo.embed import LocalEmbedding
from neraca.demo.index import fingerprint, open_index
from neraca.demo.listings import load

FEW = load()[:40]
BUILD = """
import sys, time
from pathlib import Path
from neraca.demo.embed import LocalEmbedding
from neraca.demo.index import open_index
from neraca.demo.listings import load

class Embedding(LocalEmbedding):
    def fit(self, texts, folder):
        super().fit(texts, folder)
        Path(sys.argv[1], "fits").open("a").write("x")
        time.sleep(float(sys.argv[2]))

index = open_index(load()[:40], Embedding(), Path(sys.argv[1]))
print(index.size, max(index.similarities("rumah di Johor").values()) > 0.1)
index.close()
"""


class Counting(LocalEmbedding):
    """Counts how often it had to learn."""

    fits = 0

    def fit(self, texts, folder):
        type(self).fits += 1
        super().fit(texts, folder)


@pytest.fixture
def counting():
    Counting.fits = 0
    return Counting


def opened(folder, listings=FEW, embedding=LocalEmbedding):
    index = open_index(listings, embedding(), folder)
    try:
        return index.size, index.similarities("rumah dengan kolam renang di Johor")
    finally:
        index.close()


def indexes(folder):
    return [path.name for path in folder.iterdir() if path.is_dir()]


def test_it_is_built_once_and_lasts(tmp_path, counting):
    first = opened(tmp_path, embedding=counting)
    again = opened(tmp_path, embedding=counting)
    assert first == again
    assert (counting.fits, first[0], len(indexes(tmp_path))) == (1, 40, 1)


def test_changed_listings_are_another_index(tmp_path, counting):
    opened(tmp_path, embedding=counting)
    changed = [dataclasses.replace(FEW[0], description="Rumah apung."), *FEW[1:]]
    opened(tmp_path, changed, counting)
    assert (counting.fits, len(indexes(tmp_path))) == (2, 2)


def test_the_fingerprint_tells_embeddings_apart():
    class Other(LocalEmbedding):
        name = "other"

    assert fingerprint(FEW, LocalEmbedding()) == fingerprint(FEW, LocalEmbedding())
    assert fingerprint(FEW, LocalEmbedding()) != fingerprint(FEW, Other())


@pytest.mark.parametrize("damaged", ["chroma.sqlite3", "embedding.npz"])
@pytest.mark.parametrize("content", [None, b"not what it was"])
def test_a_damaged_index_is_built_anew(tmp_path, counting, damaged, content):
    before = opened(tmp_path, embedding=counting)
    path = tmp_path / indexes(tmp_path)[0] / damaged
    path.unlink() if content is None else path.write_bytes(content)
    assert opened(tmp_path, embedding=counting) == before
    assert counting.fits == 2


def test_an_index_that_lacks_listings_is_built_anew(tmp_path, counting):
    opened(tmp_path, embedding=counting)
    client = index_module._client(tmp_path / indexes(tmp_path)[0])
    client.get_collection(index_module.COLLECTION, embedding_function=None).delete(ids=[FEW[0].id])
    client.close()
    assert opened(tmp_path, embedding=counting)[0] == 40
    assert counting.fits == 2


@pytest.mark.parametrize("refusals", [2, 1000])
def test_a_folder_is_moved_as_soon_as_the_system_lets_it_go(tmp_path, monkeypatch, counting, refusals):
    """Windows moves no folder in which a file is still open, and Chroma lets go of one a moment after its end."""
    rename, refused = Path.rename, []

    def refuse(path, target):
        refused.append(path)
        if len(refused) <= refusals:
            raise PermissionError(13, "Access is denied", str(path))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(index_module, "LETTING_GO_SECONDS", 0.5)
    if refusals == 2:
        assert opened(tmp_path, embedding=counting)[0] == 40
    else:
        with pytest.raises(PermissionError):
            opened(tmp_path, embedding=counting)
        assert indexes(tmp_path) == []


def test_a_failed_build_leaves_nothing(tmp_path):
    class Broken(LocalEmbedding):
        def embed(self, texts):
            raise ConnectionError("no route")

    with pytest.raises(ConnectionError, match="no route"):
        opened(tmp_path, embedding=Broken)
    assert indexes(tmp_path) == []


def build(folder: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(folder), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_for(path: Path) -> None:
    for _ in range(2400):
        if path.exists() and path.stat().st_size:
            return
        time.sleep(0.05)
    raise TimeoutError(path)


def test_a_build_that_was_killed_is_done_again(tmp_path):
    process = build(tmp_path, seconds=60)
    wait_for(tmp_path / "fits")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [name.startswith("building-") for name in indexes(tmp_path)] == [True]
    assert opened(tmp_path)[0] == 40
    assert [name.startswith("index-") for name in indexes(tmp_path)] == [True]


def test_of_two_processes_one_builds_and_both_work(tmp_path):
    processes = [build(tmp_path, seconds=0.3) for _ in range(2)]
    assert [process.communicate()[0].split() for process in processes] == [["40", "True"]] * 2
    assert (tmp_path / "fits").read_text() == "x"
