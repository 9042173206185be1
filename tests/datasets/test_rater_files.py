"""A file of judgments of each rater: joined by query and document, whatever the format."""

import pytest

from neraca.datasets.rater_files import read_rater_files
from neraca.errors import InputError


@pytest.fixture
def files(tmp_path):
    """A filled table of a pool with questions, and qrels of TREC; they share d1 of q1 and d1 of q2."""
    (tmp_path / "ana.csv").write_text(
        "query_id,question,document_id,grade\nq1,a house,d1,2\nq1,a house,d2,\nq2,a flat,d1,0\n"
    )
    (tmp_path / "bob.qrels").write_text("q1 0 d1 1\nq1 0 d3 1\nq1 0 d4 -1\nq2 0 d1 0\n")
    return tmp_path / "ana.csv", tmp_path / "bob.qrels"


def test_each_file_is_a_rater_and_an_empty_grade_is_no_judgment(files):
    table = read_rater_files(files)
    assert table.raters == ("ana", "bob")
    assert {(v.by, v.item, v.about): v.value for v in table.verdicts} == {
        ("human:ana", "q1", "hit:d1"): 2,
        ("human:ana", "q2", "hit:d1"): 0,
        ("human:bob", "q1", "hit:d1"): 1,
        ("human:bob", "q1", "hit:d3"): 1,
        ("human:bob", "q2", "hit:d1"): 0,
    }
    assert {item.id: item.query for item in table.items} == {"q1": "a house", "q2": "a flat"}
    assert table.notes == ("documents that only one of the files judges: 1 of 3",)


def test_files_without_a_document_in_common_are_refused_with_their_ids(files, tmp_path):
    (tmp_path / "other.qrels").write_text("1 0 D1 1\n")
    with pytest.raises(InputError, match=r"no document is judged in two of these files .*ana.csv: q1, d1; .*: 1, D1"):
        read_rater_files([files[0], tmp_path / "other.qrels"])


def test_two_raters_of_one_name_are_refused(files, tmp_path):
    (tmp_path / "again").mkdir()
    same = tmp_path / "again" / "bob.qrels"
    same.write_text(files[1].read_text())
    with pytest.raises(InputError, match="two raters would be called 'bob'; rename one of the files"):
        read_rater_files([files[1], same])
