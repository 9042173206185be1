"""People's scores of a table as scores like those of any metric."""

import pytest

from neraca.datasets.table_writer import write_table
from neraca.reports.sentences.notes import notes
from neraca.scores.sources.people import scores_of_people
from neraca.scores.sources.text_table import TextTable

ROWS = [
    {"reference": "a", "old": "a", "new": "b", "h1": 1, "h2": 4, "s": "x", "kind": "k"},
    {"reference": "b", "old": "b", "new": "b", "h1": 2, "h2": "", "s": "x", "kind": "k"},
    {"reference": "c", "old": "b", "new": "c", "h1": 6, "h2": 5, "s": "y", "kind": "m"},
]


@pytest.fixture
def table(tmp_path):
    rows = [{("session" if name == "s" else name): value for name, value in row.items()} for row in ROWS]
    write_table(tmp_path / "in.csv", rows)

    def score(**given):
        return TextTable(path=tmp_path / "in.csv", metrics="TokenRecall", average=False, **given).score()

    return score


def test_each_system_has_the_scores_of_its_own_column(table):
    found = scores_of_people(table(responses=["old", "new"], human=["h1", "h2"], groups=["kind"], level=0.9))
    assert [(row.run, row.metric, row.value, row.n, row.unscored) for row in found.overall()] == [
        ("old", "HumanScore", 3.0, 3, 0),
        ("new", "HumanScore", 4.5, 2, 1),
    ]
    assert found.level == 0.9
    assert found.why("HumanScore", "new") == {1: "nobody scored it"}
    assert [(row.group, row.value) for row in found.by_group("kind") if row.run == "old"] == [
        ("kind=k", 1.5),
        ("kind=m", 6.0),
    ]


def test_rows_of_one_session_stay_one_source_of_chance(table):
    found = scores_of_people(table(responses=["old"], human=["h1"]))
    assert found.runs[0].clusters.tolist() == [0, 0, 1]


def test_several_peoples_columns_of_one_system_stand_alone(table):
    found = scores_of_people(table(responses=["new"], human=["h1", "h2"]))
    assert [(row.run, row.value) for row in found.overall()] == [("h1", 3.0), ("h2", 4.5)]


def test_without_people_there_is_nothing(table):
    assert scores_of_people(table(responses=["old"])) is None


def test_a_column_of_which_nobody_can_tell_whose_it_is_is_told(tmp_path):
    write_table(tmp_path / "in.csv", [{"reference": "a", "old": "a", "new": "b", "rating": 3}])
    found = TextTable(path=tmp_path / "in.csv", responses=["old", "new"]).score()
    assert scores_of_people(found) is None
    (told,) = [note for note in notes(found) if "rating" in note]
    assert told.startswith("people's scores (column 'rating') are not used: nobody can tell which of 2 systems they")
    alone = TextTable(path=tmp_path / "in.csv", responses=["old"]).score()
    assert scores_of_people(alone).overall()[0].value == 3
    assert not [note for note in notes(alone) if "not used: nobody" in note]
