"""Files of ratings into runs: when each word was said, whose it is, and what a file says in two ways."""

import json
import os
import unicodedata
from pathlib import Path

import pytest
from builders import make_run

from neraca.people.import_ratings import read_table
from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item
from neraca.runs.run import Run
from neraca.verdicts.current import current_verdicts

ITEM = Item(id="q4", query="Flat with lift")
HIT = Hit(id="d1", text="a flat")


@pytest.fixture
def task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = [Answer(item="q4", text="one", hits=(HIT,))], [Answer(item="q4", text="other", hits=(HIT,))]
    runs = [make_run(tmp_path / f"runs/s{n}", [ITEM], each) for n, each in enumerate(answers)]
    return RatingTasks.of(runs).tasks[0].id


def write_json(name, ratings, rater="ana"):
    said = [{"id": f"{n}", "task": task, "on": on, "value": v, "at": at} for n, (task, on, v, at) in enumerate(ratings)]
    Path(name).write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": rater, "ratings": said}), encoding="utf-8")


def write_table(name, rows):
    lines = ["query_id,results_count,response_quality,notes,answer,ratings,rated_at", *rows]
    Path(name).write_text("\n".join(lines), encoding="utf-8")


def qualities():
    return [v.value for v in current_verdicts(Run("runs/s0")) if v.aspect == "quality"]


@pytest.mark.parametrize("first", ["ana.json", "ana.csv"])
def test_an_old_table_without_times_does_not_undo_a_newer_word(cli, task, first):
    """The page's words are of 2001, those of the table of the day when it was changed: a year earlier."""
    write_json("ana.json", [(task, "quality", 5, "2001-01-01T11:00:00.000Z")])
    write_table("ana.csv", [f"1,1,1,,{task},,"])
    os.utime("ana.csv", (946_717_200, 946_717_200))  # 2000-01-01 09:00 UTC
    told = {name: cli("rate", "import", name) for name in sorted(("ana.json", "ana.csv"), key=lambda one: one != first)}
    assert qualities() == [5]
    assert "line 2 without a time of rating (rated_at) counts as said when" in told["ana.csv"].err
    assert "when the file was last changed, 2000-01-01T09:00:00.000Z" in told["ana.csv"].err
    if first == "ana.json":
        assert "0 new verdicts, 1 left out because a newer word of the same person stands" in told["ana.csv"].out
    else:
        assert "0 new verdicts, 1 changed" in told["ana.json"].out
        assert "quality of 'Flat with lift', 1 said at 2000-01-01T09:00:00.000Z, and 5 said at" in told["ana.json"].out


def test_a_table_whose_only_ratings_are_in_an_unknown_column_is_an_error_that_names_it(cli, task):
    Path("ana.csv").write_text(f"query_id,results_count,answer,rating\n1,1,{task},1\n", encoding="utf-8")
    refused = cli("rate", "import", "ana.csv")
    assert refused.code == 2
    assert "the column 'rating' is not read: did you mean ratings?" in refused.err
    assert "nothing was imported from ana.csv" in refused.err


def test_a_withdrawal_is_said_and_no_new_verdict(cli, task):
    write_json("ana.json", [(task, "quality", 5, "2001-01-01T11:00:00.000Z")])
    write_json("back.json", [(task, "quality", None, "2001-01-01T12:00:00.000Z")])
    cli("rate", "import", "ana.json")
    assert "ana, 0 new verdicts, 1 withdrawal\n" in cli("rate", "import", "back.json").out
    assert qualities() == []


def test_what_was_taken_back_is_not_counted_as_rated(cli, task):
    other = RatingTasks.of([Run("runs/s0"), Run("runs/s1")]).tasks[1].id
    at = "2026-01-01T11:00:00.000Z"
    write_json("ana.json", [(task, "quality", 5, at), (other, "quality", None, at)])
    assert "1 answer rated by ana" in cli("rate", "import", "ana.json").out


def test_a_hit_graded_in_two_ways_in_one_table_is_named_by_both_lines_and_not_taken(cli, task):
    second = RatingTasks.of([Run("runs/s1")]).tasks[0].id
    write_table("ratings-ana.csv", [f"1,1,,,{task},0,", f"1,1,,,{second},1,"])
    told = cli("rate", "import", "ratings-ana.csv")
    assert "of the same result of the same question it says 0 (line 2) and 1 (line 3) at the same time" in told.err
    assert not list(Run("runs/s0").verdicts())
    assert told.code == 2
    assert "nothing was imported from ratings-ana.csv; see above" in told.err


def test_an_answer_rated_in_two_ways_in_one_table_is_left_out_and_the_rest_taken(cli, task):
    write_table("ratings-ana.csv", [f"1,1,5,far,{task},1,", f"1,1,1,,{task},1,"])
    told = cli("rate", "import", "ratings-ana.csv")
    assert "of the same answer (quality) it says 5.0 (line 2) and 1.0 (line 3) at the same time" in told.err
    assert qualities() == []
    assert {v.aspect for v in Run("runs/s0").verdicts()} == {"note", "relevance"}
    assert told.code == 3, "a part was not taken"


def test_with_times_of_their_own_the_newer_line_counts(cli, task):
    write_table("ratings-ana.csv", [f"1,1,5,,{task},,2001-01-02", f"1,1,1,,{task},,2001-01-01"])
    assert cli("rate", "import", "ratings-ana.csv").code == 0
    assert qualities() == [5]


def test_a_note_that_says_both_is_neither(tmp_path):
    empty = make_run(tmp_path / "run", [ITEM], [Answer(item="q4", text="nothing")])
    tasks = RatingTasks.of([empty])
    table = tmp_path / "ana.csv"
    table.write_text(
        f"query_id,results_count,notes,answer\n1,0,no data exists; should have results,{tasks.tasks[0].id}\n",
        encoding="utf-8",
    )
    told, ratings = read_table(table, tasks)
    assert ratings == []
    assert "notes say both 'no data exists' and 'should have results'; neither is taken" in told.problems[0]


def test_one_name_typed_in_two_ways_is_one_rater(cli, task):
    for form in ("NFC", "NFD"):
        rater = unicodedata.normalize(form, "José")
        write_json("j.json", [(task, "quality", 5, "2001-01-01T11:00:00.000Z")], rater)
        cli("rate", "import", "j.json")
    assert [v.by for v in Run("runs/s0").verdicts()] == [f"human:{unicodedata.normalize('NFC', 'José')}"]


def test_a_rating_on_an_unknown_aspect_is_told_with_the_near_one(cli, task):
    write_json("ana.json", [(task, "qualtiy", 5, "2001-01-01T11:00:00.000Z")])
    told = cli("rate", "import", "ana.json")
    assert "a rating on 'qualtiy'; did you mean quality?" in told.err
    assert told.code == 2


def test_a_grade_above_those_of_the_template_is_not_taken(cli, task):
    """The table asks for yes or no; a 2 is refused with its line, and quality is taken."""
    Path("ana.csv").write_text(
        f"query_id,answer,ratings,response_quality,top_grade\n1,{task},2,4,1\n", encoding="utf-8"
    )
    told = cli("rate", "import", "ana.csv")
    assert (told.code, qualities()) == (3, [4])
    assert "line 2: ratings is '2', but a grade is at most 1 (top_grade)" in told.err
    assert not [v for v in current_verdicts(Run("runs/s0")) if v.aspect == "relevance"]


def test_a_cell_that_is_empty_now_is_said_and_takes_no_earlier_word_back(cli, task):
    write_table("ana.csv", [f"1,1,4,,{task},1,2001-01-01T11:00:00.000Z"])
    assert "earlier word" not in cli("rate", "import", "ana.csv").err
    write_table("ana.csv", [f"1,1,,,{task},1,2001-01-01T12:00:00.000Z"])
    again = cli("rate", "import", "ana.csv")
    assert "1 rating that ana gave before is not in its cells now; the earlier word stands." in again.err
    assert qualities() == [4]


def test_names_that_differ_only_in_capitals_are_asked_about(cli, task):
    for rater in ("ana", "Ana"):
        write_json(f"{rater}.json", [(task, "quality", 5, "2001-01-01T11:00:00.000Z")], rater)
        imported = cli("rate", "import", f"{rater}.json")
    assert "Ana and ana count as two people; if they are one, add --rater ana" in imported.err
