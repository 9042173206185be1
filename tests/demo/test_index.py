"""The vector index lasts, and is never seen half-built."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neraca.demo import LISTINGS
from neraca.demo.index import Embedding, Index, ngrams, text_of

FEW = [json.loads(line) for line in LISTINGS.read_text(encoding="utf-8").splitlines()[:150]]
BUILD = """
import sys, time
from pathlib import Path
from demo.test_index import FEW
from neraca.demo.index import Embedding, Index

fit = Embedding.fit

def slow_fit(texts):
    Path(sys.argv[1], "fits").open("a").write("x")
    time.sleep(float(sys.argv[2]))
    return fit(texts)

Embedding.fit = slow_fit
index = Index(FEW, Path(sys.argv[1]))
print(max(index.similarities("rumah di Johor").values()) > 0.1)
index.close()
"""


def similarities(folder):
    index = Index(FEW, folder)
    try:
        return index.similarities("rumah dengan kolam renang di Johor")
    finally:
        index.close()


def build(folder: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(folder), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])


def test_it_is_built_once_by_one_of_two_processes(tmp_path):
    processes = [build(tmp_path, 0.3) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in processes] == ["True"] * 2
    assert (tmp_path / "fits").read_text() == "x"


def test_a_build_that_was_killed_is_done_again(tmp_path):
    process = build(tmp_path, seconds=60)
    deadline = time.monotonic() + 60
    while not (tmp_path / "fits").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = similarities(tmp_path)
    assert len(again) == len(FEW)
    assert again == similarities(tmp_path), "and opened the next time"


@pytest.mark.parametrize("name", ["chroma.sqlite3", "embedding.npz"])
def test_a_damaged_index_is_named(tmp_path, name):
    similarities(tmp_path)
    (path,) = tmp_path.glob(f"*/{name}")
    path.write_bytes(b"not an index")
    with pytest.raises(OSError, match=re.escape(f"the index in {path.parent} can be neither read nor built")):
        similarities(tmp_path)


def test_the_embedding_applies_what_scikit_learn_learnt():
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    texts = list(map(text_of, FEW))
    words = TfidfVectorizer(analyzer=ngrams, sublinear_tf=True, min_df=2)
    svd = TruncatedSVD(128, random_state=0).fit(words.fit_transform(texts))
    questions = ["rumah dekat kampus", "gudang gudang di Sunggal"]
    expected = normalize(svd.transform(words.transform(questions))).tolist()
    embed = Embedding(Embedding.fit(texts))
    assert list(map(embed, questions)) == [pytest.approx(row, abs=1e-9) for row in expected]
    assert set(embed("")) == {0.0}
