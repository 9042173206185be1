"""Runs that are read block by block: where blocks end, and documents whose hashes are equal."""

import gzip

import numpy as np
import pytest

from neraca.datasets.trec.line_fields import PAD, LineFields
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import JudgedFinder
from neraca.datasets.trec.run_file import RunLines, read_run_file
from neraca.errors import InputError


@pytest.fixture
def judged_columns(tmp_path):
    """(owner, rank, place, returned, strangers) of a run, read in blocks of this size."""

    def of(lines, grades, size=64):
        path = tmp_path / "the.run"
        path.write_text("".join(lines))
        one = read_run_file(path, Qrels.of_mapping(grades), block_size=size)
        return *(column.tolist() for column in (one.owner, one.rank, one.place, one.returned)), one.unjudged_queries

    return of


def ranked(query, *docs):
    """Lines of a query, best first."""
    return [f"{query} Q0 {doc} {rank} {9999 - rank} x\n" for rank, doc in enumerate(docs, start=1)]


# blocks

THREE = [*ranked("q1", "a", "b", "c"), *ranked("q2", "d"), *ranked("q3", "e", "f")]
GRADES = {"q3": {"f": 1}, "q1": {"c": 1, "a": 1}, "q2": {"d": 1, "e": 1}}
FOUND = [0, 1, 1, 2], [2, 1, 3, 1], [0, 2, 1, 3], [2, 3, 1], 0  # by query of the qrels, then rank


@pytest.mark.parametrize("size", range(1, 150))
def test_a_block_may_end_anywhere(judged_columns, monkeypatch, size):
    """And no file whose queries are in one place each is read as a whole."""
    monkeypatch.setattr(JudgedFinder, "scattered", None)
    assert len("".join(THREE)) < 150
    assert judged_columns(THREE, GRADES, size) == FOUND
    assert judged_columns(["# one\n", *THREE[:2], "\n", *THREE[2:5], "#\n", *THREE[5:], "# end"], GRADES, size) == FOUND
    assert judged_columns([line.replace("\n", "\r\n") for line in THREE], GRADES, size) == FOUND


@pytest.mark.parametrize("size", (10, 100, 1000))
def test_one_enormous_query(judged_columns, size):
    """It is larger than all blocks; what was read is not looked at again and again."""
    docs = [f"d{number:05}" for number in range(3000)]
    lines = [*ranked("q0", "a"), *ranked("q1", *docs), *ranked("q2", "a")]
    grades = {"q1": {docs[0]: 1, docs[2999]: 1, docs[1500]: 1}, "q2": {"a": 1}}
    assert judged_columns(lines, grades, size) == ([0, 0, 0, 1], [1, 1501, 3000, 1], [0, 2, 1, 3], [3000, 1], 1)
    assert judged_columns(lines[1:-1], grades, size) == ([0, 0, 0], [1, 1501, 3000], [0, 2, 1], [3000, 0], 0)


def test_a_block_without_a_line_of_a_run(judged_columns):
    assert judged_columns(["#\n" * 100, *THREE, "#\n" * 100], GRADES, 16) == FOUND
    with pytest.raises(InputError, match=r"the\.run: there is no document in it"):
        judged_columns(["#\n" * 100], GRADES, 16)


@pytest.mark.parametrize("size", (8, 30, 64, 1000))
def test_scattered_queries(judged_columns, size):
    """Judged ones and others, far apart and alternating; those that were found first are not counted twice."""
    assert judged_columns([*THREE[3:], *THREE[:3]], GRADES, size) == FOUND
    assert judged_columns([THREE[0], THREE[4], THREE[1], THREE[3], THREE[5], THREE[2]], GRADES, size) == FOUND
    others = [f"q{9 - number % 2} 0 a{number} 0 1 x\n" for number in range(9)]
    assert judged_columns([*THREE, *others], GRADES, size) == (*FOUND[:4], 2)
    assert judged_columns([*others[:1], *THREE, "\n", *others[1:]], GRADES, size) == (*FOUND[:4], 2)


def test_a_scattered_file_with_a_byte_order_mark_and_gzip(tmp_path):
    lines = "".join(["\ufeff", THREE[0], THREE[3], THREE[1], THREE[4], THREE[2], THREE[5].rstrip("\n")])
    (tmp_path / "run").write_bytes(gzip.compress(lines.encode(), mtime=0))
    one = read_run_file(tmp_path / "run", Qrels.of_mapping(GRADES))
    assert (one.rank.tolist(), one.place.tolist()) == FOUND[1:3]


def test_ties_of_thousands(judged_columns):
    """All have the same score: 10 000 documents, the greatest id first."""
    lines = [f"q1 Q0 d{number:04} 1 0.5 x\n" for number in range(10_000)]
    grades = {"q1": {"d0000": 1, "d9999": 1, "d9990": 1, "d": 1}}
    assert judged_columns(lines, grades, 1 << 12) == ([0, 0, 0], [1, 10, 10_000], [1, 2, 0], [10_000], 0)


def test_rows_of_a_query_that_is_not_whole():
    data = "".join(THREE).encode()
    whole = bytes(PAD) + data + bytes(PAD)
    rows = RunLines.of("the.run", whole, PAD, PAD + len(data), 1)
    assert (rows.queries, rows.starts.tolist(), len(rows)) == (["q1", "q2", "q3"], [0, 3, 4], 6)
    before = rows.before(4)
    assert (before.queries, before.starts.tolist(), len(before)) == (["q1", "q2"], [0, 3], 4)
    assert before.documents(np.array([3, 0])) == [b"d", b"a"]


# hashes that are equal

MANY = {"q1": {f"d{number}": 1 for number in range(0, 40, 3)}, "q2": {"d1": 1, "d2": 0, "other": 1}, "q3": {"d1": 1}}
LINES = [*ranked("q2", "d3", "d2", "d1"), *ranked("q1", *(f"d{number}" for number in range(40))), *ranked("q4", "d1")]


@pytest.mark.parametrize("few", (1, 2, 5))
def test_documents_of_one_hash_are_told_apart(judged_columns, monkeypatch, few):
    """All documents share a few hashes: neither a wrong match, nor one that is missed, nor a false duplicate."""
    expected = judged_columns(LINES, MANY)
    assert expected[1] == [*range(1, 41, 3), 2, 3]
    hashes = LineFields.hashes
    monkeypatch.setattr(LineFields, "hashes", lambda lines, column: hashes(lines, column) % np.uint64(few))
    scattered = [line for start in (0, 1) for line in LINES[start::2]]
    for size in (16, 300, 10_000):
        assert judged_columns(LINES, MANY, size) == expected
        assert judged_columns(scattered, MANY, size) == expected
        with pytest.raises(InputError, match=r"line 45: query 'q1' has the document 'd7' already in line 11"):
            judged_columns([*LINES, "q1 Q0 d7 1 1 x\n"], MANY, size)


def test_documents_of_one_hash_by_chance(judged_columns):
    """Ids of 16 characters in which the eighth and the last differ by what the hash lets cancel out."""
    one, other = "documentb00000000"[1:], "document800000002"[1:]
    hashes = LineFields.of_texts([one.encode(), other.encode()]).hashes(0)
    assert hashes[0] == hashes[1]
    lines = ranked("q1", "x", one, other)
    assert judged_columns(lines, {"q1": {one: 1}}) == ([0], [2], [0], [3], 0)
    assert judged_columns(lines, {"q1": {other: 1}}) == ([0], [3], [0], [3], 0)
    assert judged_columns(lines, {"q1": {other: 1, one: 0}}) == ([0, 0], [2, 3], [1, 0], [3], 0)
    assert judged_columns(ranked("q1", one), {"q1": {other: 1}}) == ([], [], [], [1], 0)
    assert judged_columns(ranked("q1", other), {"q1": {one: 1, other: 0}}) == ([0], [1], [1], [1], 0)


# as trec_eval reads


@pytest.mark.parametrize("size", (16, 10_000))
def test_words_after_the_tag_are_passed_over_where_this_is_asked(tmp_path, size):
    path = tmp_path / "the.run"
    lines = ["q1 Q0 a 1 3 tag\n", "q1 Q0 b 1 2 tag and more\n", "q2 Q0 a 1 1 tag more\n", "q1 Q0 c 1 9 tag\n"]
    path.write_text("".join(lines))
    qrels = Qrels.of_mapping({"q1": {"a": 1, "b": 1}, "q2": {"a": 1}})
    judged = read_run_file(path, qrels, block_size=size, surplus=True)
    assert (judged.owner.tolist(), judged.rank.tolist()) == ([0, 0, 1], [2, 3, 1])
    with pytest.raises(InputError, match=r"the.run line 2: a line has 6 fields"):
        read_run_file(path, qrels, block_size=size)


def test_equal_scores_may_stand_by_rising_ids(tmp_path):
    path = tmp_path / "the.run"
    path.write_text("".join(f"q1 Q0 {doc} 1 {score} x\n" for doc, score in zip("cabd", "7778", strict=True)))
    qrels = Qrels.of_mapping({"q1": {"a": 1, "c": 1}})
    ranks = {rising: read_run_file(path, qrels, rising=rising).rank.tolist() for rising in (False, True)}
    assert ranks == {False: [2, 4], True: [2, 4]}  # d, c, b, a; and d, a, b, c
    places = {rising: read_run_file(path, qrels, rising=rising).place.tolist() for rising in (False, True)}
    assert places == {False: [1, 0], True: [0, 1]}


def test_rankings_may_end_earlier(tmp_path):
    path = tmp_path / "the.run"
    path.write_text("".join(ranked("q1", "a", "x", "b") + ranked("q2", "a")))
    judged = read_run_file(path, Qrels.of_mapping({"q1": {"a": 1, "b": 1}, "q2": {"a": 1}})).down_to(2)
    assert (judged.owner.tolist(), judged.rank.tolist(), judged.returned.tolist()) == ([0, 1], [1, 1], [2, 1])
