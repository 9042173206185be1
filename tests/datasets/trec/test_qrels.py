import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.datasets.trec.qrels import Qrels
from neraca.errors import InputError

LINES = "q2 0 d1 1\nq1 0 d2 0\nq1 0 d1 -2\nq2 0 é 3\n"
GRADES = {"q2": {"d1": 1, "é": 3}, "q1": {"d2": 0, "d1": -2}}
TOPICS = "q1 1 a 1\nq1 2 a 3\nq1 2 b 0\nq2 1 a 0\nq1 3 a -1\nq1 1 b -2\nq2 9 c 2\n"


@pytest.fixture
def read(tmp_path):
    def of(content, size=16):
        path = tmp_path / "the.qrels"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Qrels.read(path, size)

    return of


@pytest.fixture
def refused(read, tmp_path):
    def check(content, told):
        with pytest.raises(InputError) as error:
            read(content)
        assert str(error.value) == f"{tmp_path / 'the.qrels'}{told}"

    return check


# files


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.rstrip("\n"),
        LINES.replace(" ", "\t"),
        LINES.replace(" ", "  \t"),
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", " \n\n"),
        LINES.replace("q", " q"),
        "\ufeff# grades\n" + LINES + "#\n",
        LINES.replace(" 1\n", " +01\n"),
        gzip.compress(LINES.encode(), mtime=0),
    ],
)
@pytest.mark.parametrize("size", (4, 30, 1 << 19))
def test_forms(read, tmp_path, content, size):
    found = read(content, size)
    assert found.grades == GRADES
    assert (found.queries, found.lengths) == (["q2", "q1"], [2, 2])
    assert (found.documents, found.flat) == (["d1", "é", "d2", "d1"], [1, 3, 0, -2])
    assert (found.subtopics, found.source) == ({}, str(tmp_path / "the.qrels"))


def test_one_line(read):
    assert read("q1 0 d1 1").grades == {"q1": {"d1": 1}}


@given(
    st.dictionaries(
        st.text("q1é", min_size=1, max_size=3),
        st.dictionaries(st.text("d1é\xa0", min_size=1), st.integers(-3, 10**30), min_size=1),
        min_size=1,
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_written_is_read(tmp_path_factory, grades, chance):
    lines = [f"{query} 0 {doc} {grade}\n" for query, docs in grades.items() for doc, grade in docs.items()]
    chance.shuffle(lines)
    path = tmp_path_factory.getbasetemp() / "the.qrels"
    path.write_text("".join(lines), encoding="utf-8")
    assert Qrels.read(path).grades == grades


@pytest.mark.parametrize(
    "line, told",
    [
        ("q1 0 d1", "a line has 4 fields (query, subtopic, document, grade); found 3 in 'q1 0 d1'"),
        ("q1 0 d1 1 x", "a line has 4 fields (query, subtopic, document, grade); found 5 in 'q1 0 d1 1 x'"),
        (
            "q1 Q0 d1 1 2.5 a",
            "a line has 4 fields (query, subtopic, document, grade); found 6 in 'q1 Q0 d1 1 2.5 a'; that is the line "
            "of a run: name the qrels first, then the runs",
        ),
        ("q1 0 d1 1.0", "the grade '1.0' is not a whole number"),
        ("q1 0 d1 1.5", "the grade '1.5' is not a whole number"),
        ("q1 0 d1 nan", "the grade 'nan' is not a whole number"),
        ("q1 0 d1 1_0", "the grade '1_0' is not a whole number"),
        ("q1 0 d1 é", "the grade 'é' is not a whole number"),
        (f"q1 0 d1 {'1' * 400}", f"the grade '{'1' * 80}' is not a whole number"),
        ("q9 0 d2 5", "query 'q9' has the document 'd2' already in line 3"),
    ],
)
def test_a_bad_line_is_told_with_its_number(refused, line, told):
    before = "# a comment\n\nq9 0 d2 1\nq8 0 d2 1\n \nq9 0 d3 1\n"
    refused(f"{before}{line}\nq7 0 x 1\n", f" line 7: {told}")
    refused(f"{before}  {line} \nq7 0 x 1\n".replace("\n", "\r\n"), f" line 7: {told}")


def test_what_is_not_utf8(refused):
    told = "(0x{}) is not UTF-8; save the file as UTF-8"
    refused("q1 0 d1 1\n#\nq1 0 d2 1\nq1 0 ö 1\n".encode("latin-1"), f" line 4: byte 6 {told.format('f6')}")


def test_files_without_judgments(refused):
    refused("", ": the file is empty")
    refused("# nothing\n\n", ": there is no judgment in it")


# subtopics


def test_subtopics(read):
    found = read(TOPICS)
    assert found.grades == {"q1": {"a": 3, "b": 0}, "q2": {"a": 0, "c": 2}}
    assert found.topics("q1") == {"a": {"1", "2"}, "b": set()}
    assert found.topics("q2") == {"a": set(), "c": {"9"}}
    assert (found.documents, found.flat, found.lengths) == (["a", "b", "a", "c"], [3, 0, 0, 2], [2, 2])


def test_without_subtopics_there_is_one(read):
    assert read(LINES).topics("q2") == {"d1": {"0"}, "é": {"0"}}
    assert read(LINES).topics("q1") == {"d2": set(), "d1": set()}
    assert read("q1 7 a 1\n").topics("q1") == {"a": {"0"}}


def test_a_document_that_stands_twice_for_a_subtopic(refused):
    refused(TOPICS + "\nq1 2 a 3\n", " line 9: query 'q1' has the document 'a' already in line 2")
    refused("q1 1 a 1\nq1 1 a 2\nq1 2 b 1\n", " line 2: query 'q1' has the document 'a' already in line 1")


def test_columns(read):
    columns = [["q1", "q1"], ["0", "0"], ["a", "b"], [1, 2]]
    assert Qrels.of_rows(*columns, "here") == Qrels({"q1": {"a": 1, "b": 2}}, {}, "here")
    assert Qrels.of_rows(*columns[:2], ["a", "a"], [1, 2], "here") is None


# mappings


def test_mappings_stay_as_they_are():
    grades = {"q1": {"a": 0.5, "b": -1, "c": True, "d": np.float32(2.5), "e": np.int64(3)}, "q2": {}}
    found = Qrels.of_mapping(grades, "mine")
    assert found.grades is grades
    assert (found.flat, found.lengths, found.source) == ([0.5, -1, 1, 2.5, 3], [5, 0], "mine")
    assert Qrels.of_mapping({"q1": {"a": 1e308, "b": 1e308}}).flat == [1e308, 1e308]  # their sum is infinite


@pytest.mark.parametrize(
    "grades, told",
    [
        ({}, "qrels: there is no judgment in it"),
        ({"q1": {}, "q2": {}}, "qrels: there is no judgment in it"),
        ({"q1": {"a": 1, "b": None}}, "qrels: query 'q1', document 'b': the grade None is not a number"),
        ({"q1": {"a": "1"}}, "qrels: query 'q1', document 'a': the grade '1' is not a number"),
        ({"q1": {"a": math.nan}}, "qrels: query 'q1', document 'a': the grade nan is not a number"),
        ({"q1": {"x": np.float32(1), "a": math.inf}}, "qrels: query 'q1', document 'a': the grade inf is not a number"),
        ({"q1": {"x": math.inf, "a": -math.inf}}, "qrels: query 'q1', document 'x': the grade inf is not a number"),
        ({"q1": {"a": 10**400}}, f"qrels: query 'q1', document 'a': the grade 1{'0' * 79} is not a number"),
        ({"q1": ["a"]}, "qrels: query 'q1' has ['a']; document → grade is needed there"),
        ({"q1": 1}, "qrels: query 'q1' has 1; document → grade is needed there"),
        ({1: {"a": 1}}, "qrels: query 1: ids are texts, not int"),
        ({"q1": {"a": 1, 2: 1}}, "qrels: query 'q1', document 2: ids are texts, not int"),
    ],
)
def test_what_is_no_judgment(grades, told):
    with pytest.raises(InputError) as error:
        Qrels.of_mapping(grades)
    assert str(error.value) == told
