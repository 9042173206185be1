"""A run in every form, through every reader: all find the same as a slow oracle."""

import gzip
import random
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.datasets.trec.data_frames import read_run_frame
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.run_file import read_run_file
from neraca.datasets.trec.run_mapping import read_rankings, read_run_mapping
from neraca.errors import InputError

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}


def plain(found):
    """As plain lists."""
    columns = (found.owner, found.rank, found.place, found.returned)
    return tuple(column.tolist() for column in columns), found.unjudged_queries


def float32(score):
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")


def oracle(rows, qrels, single=False):
    """Sort all documents of each query by (score, id), falling, and look up those that are judged."""
    columns, returned, places = [], [], [(query, doc) for query, docs in qrels.items() for doc in docs]
    for number, query in enumerate(qrels):
        mine = [(float32(score) if single else score, doc) for name, doc, score in rows if name == query]
        returned.append(len(mine))
        for rank, (_, doc) in enumerate(sorted(mine, reverse=True), start=1):
            if doc in qrels[query]:
                columns.append((number, rank, places.index((query, doc))))
    owner, rank, place = ([row[column] for row in columns] for column in range(3))
    return (owner, rank, place, returned), len({query for query, _, _ in rows} - set(qrels))


# random runs

IDS = st.one_of(
    st.text("ab1", min_size=1, max_size=3),  # prefixes of each other
    st.integers(0, 10**12).map(str),
    st.builds("{}{}{}".format, st.sampled_from(("", "x" * 7, "x" * 15, "x" * 23)), st.integers(0, 3), st.text("yz")),
    st.text("aé日𝄞\x7f\x85\xa0\u3000", min_size=1, max_size=5),
    st.sampled_from(("#a", "a#", "-", "0", "NaN")),
)
MIXED = (
    *(
        "0",
        "0.0",
        "-0",
        "-0.0",
        "1",
        "1.0",
        "+1",
        "-1",
        "1e0",
        "1E-3",
        "0.001",
        ".5",
        "5.",
        "0.5",
        "2.50",
        "2.5",
        "-2.5",
    ),
    *("inf", "-inf", "Infinity", "1e400", "-1e39", "1e39", "12345678", "123456789", "12345678.12345678"),
    *("1234567.12345678", "0.1234567890123456", "0.12345678901234561", "1.00000001", "1.00000002"),
    *("16777216", "16777217", "9007199254740992", "9007199254740993"),
)
FIXED = [
    st.decimals(-(10**whole), 10**whole, places=places).map(lambda value: f"{value:f}")
    for whole, places in ((1, 0), (1, 1), (3, 4), (8, 7), (9, 6), (2, 9))
]
SCORES = [st.sampled_from(MIXED), st.sampled_from(("3", "2.5")), st.floats(allow_nan=False).map(repr), *FIXED]


def queries_alone(name):
    return not name.startswith("#")


@st.composite
def runs(draw):
    """(rows as (query, document, text of the score), query → document → grade)."""
    queries = draw(st.lists(IDS.filter(queries_alone), min_size=1, max_size=5, unique=True))
    docs = draw(st.lists(IDS, min_size=1, max_size=12, unique=True))
    score = draw(st.sampled_from(SCORES))
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(queries), st.sampled_from(docs)), min_size=1, max_size=40, unique=True)
    )
    rows = [(query, doc, draw(score)) for query, doc in pairs]
    order = draw(st.sampled_from(("falling", "shuffled", "scattered")))
    if order != "scattered":
        rows.sort(key=lambda row: (queries.index(row[0]), -float(row[2]) if order == "falling" else 0))
    known = st.dictionaries(st.sampled_from([*docs, "other"]), st.integers(-1, 3), min_size=1)
    names = draw(st.lists(st.sampled_from([*queries, "missing"]), min_size=1, max_size=6, unique=True))
    return rows, {query: draw(known) for query in names}


def written(rows, messy):
    """The run as a file; `messy` is the seed of its irregularities, 0: none."""
    chance = random.Random(messy)
    lines = []
    for number, (query, doc, score) in enumerate(rows, start=1):
        fields = (query, "Q0", doc, str(number), score, "tag")
        gaps = [chance.choice((" ", "\t", "  ", " \t ")) if messy else " " for _ in range(5)] + [""]
        line = "".join(field + gap for field, gap in zip(fields, gaps, strict=True))
        if messy:
            line = chance.choice(("", "", " ", "\t")) + line + chance.choice(("", "", " "))
            noise = chance.choice((None, None, None, "", " ", "#", "# a b c d e", " # é"))
            lines += [line] if noise is None else [noise, line]
        else:
            lines.append(line)
    end = chance.choice(("\n", "\r\n")) if messy else "\n"
    text = end.join(lines) + (chance.choice(("", end, end * 3)) if messy else end)
    return (b"\xef\xbb\xbf" if messy and chance.random() < 0.3 else b"") + text.encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@settings(max_examples=100)
@given(runs(), st.sampled_from((0, 0, 1, 2, 3, 4, 5)), st.integers(1, 200), st.booleans())
def test_every_reader_finds_what_the_oracle_finds(folder, drawn, messy, size, single):
    texts, grades = drawn
    qrels = Qrels.of_mapping(grades)
    rows = [(query, doc, float(score)) for query, doc, score in texts]
    expected = oracle(rows, grades, single)
    path, packed = folder / "run", folder / "packed"
    path.write_bytes(written(texts, messy))
    packed.write_bytes(gzip.compress(path.read_bytes(), 1, mtime=0))
    run = {}
    for query, doc, score in rows:
        run.setdefault(query, {})[doc] = score
    columns = dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    assert plain(read_run_file(path, qrels, single)) == expected
    assert plain(read_run_file(path, qrels, single, size)) == expected
    assert plain(read_run_file(packed, qrels, single, size)) == expected
    assert plain(read_run_mapping(run, qrels, single)) == expected
    assert plain(read_run_frame(pl.DataFrame(columns), qrels, single)) == expected
    assert plain(read_run_frame(pd.DataFrame(columns), qrels, single)) == expected


@pytest.mark.parametrize("scattered", (False, True))
@pytest.mark.parametrize("size", (1 << 12, 1 << 14))
def test_a_run_of_thousands_of_lines(folder, size, scattered):
    chance = random.Random(size + scattered)
    rows, grades = [], {}
    for query in range(60):
        docs = [f"doc-{number}" for number in chance.sample(range(10**6), chance.choice((1, 3, 40, 300)))]
        rows += [(f"{query}", doc, f"{chance.gauss(10, 3):.{chance.choice((1, 1, 4))}f}") for doc in docs]
        grades[f"{query}"] = {doc: chance.randint(0, 3) for doc in [*chance.sample(docs, min(20, len(docs))), "x"]}
    for query in ("7", "8", "59"):
        del grades[query]
    if scattered:
        chance.shuffle(rows)
    path = folder / "run"
    path.write_bytes(written(rows, 0))
    expected = oracle([(query, doc, float(score)) for query, doc, score in rows], grades)
    qrels = Qrels.of_mapping(grades)
    assert plain(read_run_file(path, qrels, block_size=size)) == expected
    assert expected[1] == 3


# by hand


def test_the_rule_of_order():
    """Score falling, then id falling; half of the documents are tied."""
    run = {"q1": {"x": 2.0, "a": 1.0, "c": 1.0, "d": 1.0, "b": 3.0}}
    expected = ([0, 0, 0], [1, 4, 5], [1, 2, 0], [5, 0]), 0  # b 3.0, x 2.0, d, c, a
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS))) == expected


def test_single_precision_makes_ties():
    run = {"q1": {"a": 1.00000002, "b": 1.00000001}}
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS)))[0][1:3] == ([1, 2], [0, 1])
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS), single=True))[0][1:3] == ([1, 2], [1, 0])


def test_whole_numbers_are_ranked_in_double_precision():
    """As from a file: 2^53 + 1 and 2^53 are the same double."""
    run = {"q1": {"a": 2**53 + 1, "b": 2**53}, "q2": {"a": -(2**53), "b": -(2**53) - 1}}
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS))) == (([0, 0, 1], [1, 2, 2], [1, 0, 3], [2, 2]), 0)


def test_unjudged_queries_and_empty_rankings():
    run = {"q9": {"a": 1.0}, "q2": {}, "q8": {}}
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS))) == (([], [], [], [0, 0]), 2)
    assert plain(read_run_mapping({}, Qrels.of_mapping(QRELS))) == (([], [], [], [0, 0]), 0)


def test_numbers_of_other_kinds_are_scores():
    expected = ([0, 0], [1, 2], [1, 0], [2, 0]), 0
    for kind in (int, np.float32, np.int64, np.float64):
        run = {"q1": {"a": kind(1), "b": kind(2)}}
        assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS))) == expected


@pytest.mark.parametrize(
    "scores, words",
    [
        ({"x": 1.0, "a": float("nan")}, "run: query 'q1', document 'a': the score is not a number (NaN)"),
        ({"x": float("nan"), "y": 2.0, "a": 1.0}, "run: query 'q1', document 'x': the score is not a number (NaN)"),
        ({"a": None}, "run: query 'q1' has a score that is not a number: "),
        ({"a": 1.0, "b": None}, "run: query 'q1' has a score that is not a number: "),
        ({"a": "1.5"}, "run: query 'q1' has a score that is not a number: "),
        ({"a": "1.5", "b": "0.5"}, "run: query 'q1' has a score that is not a number: "),
        ({"a": 1.0, "b": "good"}, "run: query 'q1' has a score that is not a number: "),
        ({"a": 1.0, "b": "2.5"}, "run: query 'q1' has a score that is not a number: "),
        ({"a": [1.0]}, "run: query 'q1' has a score that is not a number: "),
        ({"a": 10**400, "b": 1}, "run: query 'q1' has a score that is not a number: int too large"),
    ],
)
@pytest.mark.parametrize("single", (False, True))
def test_what_is_no_score(scores, words, single):
    with pytest.raises(InputError) as told:
        read_run_mapping({"q2": {"a": 1.0}, "q1": scores}, Qrels.of_mapping(QRELS), single)
    assert str(told.value).startswith(words)


def test_infinite_scores_of_both_signs_are_no_nan():
    run = {"q1": {"a": float("inf"), "b": float("-inf"), "c": 0.0}}
    assert plain(read_run_mapping(run, Qrels.of_mapping(QRELS)))[0][:3] == ([0, 0, 0], [1, 2, 3], [0, 2, 1])


def test_rankings_without_scores():
    """A document that comes again counts where it came first; its other ranks are judged (-1) and stay."""
    run = {"q1": ["x", "c", "c", "a", "c"], "q2": [], "q9": ["a"]}
    found = read_rankings(run, Qrels.of_mapping(QRELS))
    assert plain(found) == (([0, 0, 0, 0], [2, 3, 4, 5], [2, -1, 0, -1], [5, 0]), 1)
    assert plain(read_rankings({}, Qrels.of_mapping(QRELS))) == (([], [], [], [0, 0]), 0)


# what is imported


def test_scoring_loads_numpy_alone(tmp_path):
    """Neither packages for data frames, nor numpy's masked arrays, which take as long as reading a small run."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 0.5 x\nq1 Q0 b 2 0.5 x\nq2 Q0 a 1 0.5 x\n")
    code = (
        "import sys\nfrom neraca.scores.trec import trec\n"
        "trec('qrels', 'run', ['nDCG@10', 'AP', 'RR', 'P@10', 'R@1000'])\n"
        "print({'numpy', 'numpy.ma', 'polars', 'pandas', 'scipy', 'openpyxl'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("{'numpy'}\n", "")
