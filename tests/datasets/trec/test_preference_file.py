from pathlib import Path

import pytest

from neraca.datasets.trec.preference_file import PreferenceFile
from neraca.errors import InputError


def written(folder: Path, text: str) -> Path:
    path = folder / "prefs"
    path.write_text(text)
    return path


def test_lists_of_groups_of_queries(tmp_path):
    file = PreferenceFile.read(
        written(tmp_path, "q1 ann 0 b 2.5\nq1  ann\t1 a 1\n# none\nq1 bob 0 a 3\n\nq2 ann 0 c 0\n")
    )
    assert file.groups == {
        "q1": {"ann": {"0": {"b": 2.5}, "1": {"a": 1.0}}, "bob": {"0": {"a": 3.0}}},
        "q2": {"ann": {"0": {"c": 0.0}}},
    }


def test_qrels_are_a_list_for_each_group(tmp_path):
    file = PreferenceFile.read(written(tmp_path, "q1 0 b 2\nq1 1 b 1.5\nq1 0 a -1\n"), qrels=True)
    assert file.groups == {"q1": {"0": {"0": {"b": 2.0, "a": -1.0}}, "1": {"0": {"b": 1.5}}}}


def test_each_document_has_the_highest_of_its_levels(tmp_path):
    qrels = PreferenceFile.read(written(tmp_path, "q1 x 0 b 2\nq1 x 1 b 3\nq1 y 0 b 1\nq1 y 0 a 0\n")).judged()
    assert qrels.documents == ["a", "b"]
    assert qrels.grades == {"q1": {"a": 0.0, "b": 3.0}}
    assert qrels.source.endswith("prefs")


@pytest.mark.parametrize("qrels, lines", [(False, "q g 0 a 1\nq g 0 a 1\n"), (True, "q g a 1\nq g a 2\n")])
def test_a_document_stands_once_in_a_list(tmp_path, qrels, lines):
    path = written(tmp_path, lines)
    with pytest.raises(InputError, match=r"prefs line 2: query 'q' has the document 'a' twice in the group g"):
        PreferenceFile.read(path, qrels=qrels)
