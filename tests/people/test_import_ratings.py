"""Files of ratings into runs: when each word was said, whose it is, and what a file says in two ways."""

import json
import os
import unicodedata
from pathlib import Path

import pytest
from builders import make_run

from neraca.people.import_ratings import read_table
from neraca.people.pair_task import PairTasks
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
    assert (
        "ratings-ana.csv: line 2 and line 3 contradict each other on 'Flat with lift' at the same time "
        "(result with the id d1: 0 and 1); none of these is taken. Correct them, or keep only one" in told.err
    )
    assert not list(Run("runs/s0").verdicts())
    assert told.code == 2
    assert "nothing was imported from ratings-ana.csv; see above" in told.err


def test_an_answer_rated_in_two_ways_in_one_table_is_left_out_and_the_rest_taken(cli, task):
    write_table("ratings-ana.csv", [f"1,1,5,far,{task},1,", f"1,1,1,,{task},1,"])
    told = cli("rate", "import", "ratings-ana.csv")
    assert "line 2 and line 3 contradict each other on 'Flat with lift' at the same time (quality: 5 and 1)" in told.err
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


def grades_of_runs(*words):
    """State the grades of hits in the manifest of each run, as an earlier import does."""
    for name in ("s0", "s1"):
        Run(f"runs/{name}").update(scale_words={"relevance": {str(n): word for n, word in enumerate(words)}})


def write_grade(grade, task, grades=""):
    key = RatingTasks.of([Run("runs/s0")]).tasks[0].hits[0].key
    write_json("ana.json", [(task, f"hit:{key}", grade, AT), (task, "quality", 4, AT)])
    content = json.loads(Path("ana.json").read_text(encoding="utf-8"))
    Path("ana.json").write_text(json.dumps(content | {"grades": grades}), encoding="utf-8")
    write_table("ana.csv", [f"1,1,4,,{task},{grade},{AT}"])
    if grades:
        rows = Path("ana.csv").read_text(encoding="utf-8").splitlines()
        Path("ana.csv").write_text(f'{rows[0]},grades\n{rows[1]},"{grades}"\n', encoding="utf-8")


@pytest.mark.parametrize("file", ["ana.json", "ana.csv"])
@pytest.mark.parametrize("stated_by", ["file", "runs"])
@pytest.mark.parametrize("grade", [3, 5])
def test_a_grade_above_those_that_a_file_or_run_states_is_refused_in_tables_and_json(cli, task, file, stated_by, grade):
    """The study has 0 to 2: the message names these choices, and quality is imported."""
    if stated_by == "runs":
        grades_of_runs("no", "partly", "yes")
    write_grade(grade, task, "0=no;1=partly;2=yes" if stated_by == "file" else "")
    told = cli("rate", "import", file)
    assert (told.code, qualities()) == (3, [4])
    assert f"result with the id d1: {grade} is not one of 0, 1, 2; correct it, or rate again" in told.err
    assert {v.aspect for v in Run("runs/s0").verdicts()} == {"quality"}


def test_the_highest_grade_of_the_study_is_imported(cli, task):
    grades_of_runs("no", "partly", "yes")
    write_grade(2, task, "0=no;1=partly;2=yes")
    assert cli("rate", "import", "ana.json").code == 0
    assert {v.value for v in Run("runs/s0").verdicts() if v.aspect == "relevance"} == {2}


def test_grades_that_cannot_be_read_are_an_error_that_names_the_file(cli, task):
    write_grade(1, task, "good;bad")
    told = cli("rate", "import", "ana.json")
    assert (told.code, "ana.json: grades: cannot read 'good'" in told.err) == (2, True)


QUESTIONS = [Item(id="q4", query="Flat with lift"), Item(id="q5", query="House"), Item(id="q7", query="Garage")]


@pytest.fixture
def three_questions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = [Answer(item=item.id, text="one", hits=(HIT,)) for item in QUESTIONS]
    other = [Answer(item="q5", text="other", hits=(HIT,))]
    return [make_run(tmp_path / f"runs/s{n}", QUESTIONS, each) for n, each in enumerate((answers, other))]


@pytest.mark.parametrize(
    ("id", "query", "words"),
    [
        (
            "q99",
            "Garage",
            "line 2: there is no question q99; its text is that of q7: correct the id, or leave the cell",
        ),
        ("q99", "House", "line 2: there is no question q99; its text is that of q5"),
        ("99", "Garage", "line 2: there is no question 99; its text is that of q7"),
        ("q4", "Garage", "line 2: q4 is another question than its text, which is that of q7"),
        ("1", "Garage", "line 2: 1 is another question than its text, which is that of q7"),
        ("q4", "Boat", "line 2: 'Boat' is no answer of these runs"),
        ("q5", "House", "line 2: 'House' has 2 answers"),
    ],
)
def test_an_id_that_does_not_fit_the_text_of_its_question_is_refused(cli, three_questions, id, query, words):
    """The text of q5 has two answers; that of q7 has one."""
    Path("ana.csv").write_text(f"query_id,question,response_quality\n{id},{query},4\n", encoding="utf-8")
    told = cli("rate", "import", "ana.csv")
    assert words in told.err
    assert (told.code, [list(run.verdicts()) for run in three_questions]) == (2, [[], []])


@pytest.mark.parametrize("id", ["q7", "3", ""])
def test_the_id_number_or_text_of_a_question_is_enough(cli, three_questions, id):
    Path("ana.csv").write_text(f"query_id,question,response_quality\n{id},Garage,4\n", encoding="utf-8")
    told = cli("rate", "import", "ana.csv")
    assert told.code == 0, told.err
    assert [(v.item, v.value) for v in Run("runs/s0").verdicts()] == [("q7", 4)]


def test_two_questions_of_one_text_are_told_apart_by_their_ids(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items = [Item(id="q1", query="And cheaper?", session="a"), Item(id="q2", query="And cheaper?", session="b")]
    make_run(tmp_path / "runs/s0", items, [Answer(item=item.id, text="one", hits=(HIT,)) for item in items])
    Path("ana.csv").write_text("query_id,question,response_quality\nq2,And cheaper?,4\n", encoding="utf-8")
    assert cli("rate", "import", "ana.csv").code == 0
    assert [(v.item, v.value) for v in Run("runs/s0").verdicts()] == [("q2", 4)]


AT = "2001-01-01T11:00:00.000Z"


def test_json_that_says_two_things_at_one_time_is_named_and_neither_is_taken(cli, task):
    key = RatingTasks.of([Run("runs/s0")]).tasks[0].hits[0].key
    said = [(task, "quality", 5, AT), (task, f"hit:{key}", 1, AT), (task, "quality", 2, AT), (task, "note", "far", AT)]
    write_json("ana.json", said)
    told = cli("rate", "import", "ana.json")
    assert (
        "ana.json: rating 1 and rating 3 contradict each other on 'Flat with lift' at the same time "
        "(quality: 5 and 2); none of these is taken" in told.err
    )
    assert (told.code, qualities()) == (3, [])
    assert {v.aspect for v in Run("runs/s0").verdicts()} == {"relevance", "note"}


def test_an_equal_rating_of_the_same_time_counts_once_and_is_counted(cli, task):
    write_json("ana.json", [(task, "quality", 5, AT), (task, "quality", 5, AT)])
    told = cli("rate", "import", "ana.json")
    assert "ana.json: ratings that repeat an equal one of the same time, and count once with it: 1" in told.err
    assert (told.code, qualities()) == (0, [5])
    assert "1 answer rated by ana, 1 new verdict\n" in told.out


def test_the_newest_rating_counts_wherever_it_stands_in_the_file(cli, task):
    write_json("ana.json", [(task, "quality", 5, "2001-01-02T11:00:00.000Z"), (task, "quality", 2, AT)])
    assert cli("rate", "import", "ana.json").code == 0
    assert qualities() == [5]


def test_ratings_without_a_value_are_counted(cli, task):
    write_json("ana.json", [(task, "quality", 5, AT), (task, "note", "far", AT)])
    content = json.loads(Path("ana.json").read_text(encoding="utf-8"))
    del content["ratings"][0]["value"]
    Path("ana.json").write_text(json.dumps(content), encoding="utf-8")
    told = cli("rate", "import", "ana.json")
    assert "ratings without a value, which only withdraw an earlier rating of the same person: 1" in told.err
    assert (told.code, qualities()) == (0, [])


@pytest.mark.parametrize("time, why", [("kemarin", "no time such as"), ("2999-01-01T00:00:00Z", "in the future")])
def test_a_time_that_cannot_be_true_is_said_and_not_stored(cli, task, time, why):
    write_json("ana.json", [(task, "quality", 5, time), (task, "note", "far", time)])
    os.utime("ana.json", (946_717_200, 946_717_200))  # 2000-01-01 09:00 UTC
    told = cli("rate", "import", "ana.json")
    assert f"ana.json rating 1 and rating 2: at is '{time}', which is {why}" in told.err
    assert "all 2 lines or ratings without a time of rating (rated_at) count as said when" in told.err
    assert told.code == 3
    assert {v.at for v in Run("runs/s0").verdicts()} == {"2000-01-01T09:00:00.000Z"}


def pair_file(ratings):
    task = PairTasks.of([Run("runs/s0"), Run("runs/s1")]).tasks[0].id
    write_json("pairs-ana.json", [(task, on, value, at) for on, value, at in ratings])
    return "pairs-ana.json"


def preferences():
    return [v for v in Run("runs/s0").verdicts() if v.aspect.startswith("preferred")]


def test_pairs_get_the_same_checks(cli, task):
    told = cli("rate", "import", pair_file([("preferred", "left", AT), ("preferred", "right", AT)]))
    assert (
        "rating 1 and rating 2 contradict each other on 'Flat with lift' at the same time (better answer: A and B); "
        "none of these is taken" in told.err
    )
    assert preferences() == []
    told = cli("rate", "import", pair_file([("preferred", "left", "kemarin")]))
    assert "rating 1: at is 'kemarin', which is no time" in told.err
    assert not [v for v in preferences() if v.at == "kemarin"]


def test_messages_are_in_the_language_and_the_words_of_the_page(cli, task):
    file = pair_file([("preferred", "both", AT)])
    told = cli("rate", "import", file, "--report-language", "es")
    assert "mejor respuesta: 'both' no es ninguno de A (left), igual de buenas (tie), B (right)" in told.err
    told = cli("rate", "import", file, "--report-language", "id")
    assert "jawaban yang lebih baik: 'both' tidak termasuk A (left), sama baik (tie), B (right)" in told.err


def test_all_that_two_lines_contradict_stands_in_one_message(cli, task):
    write_table("ratings-ana.csv", [f"1,1,5,far,{task},1,", f"1,1,1,near,{task},0,"])
    told = cli("rate", "import", "ratings-ana.csv")
    (message,) = [line for line in told.err.splitlines() if "contradict" in line]
    assert "(result with the id d1: 1 and 0; quality: 5 and 1; note: 'far' and 'near')" in message
    assert "1 problem (see above)" in told.out


def test_a_value_that_is_not_allowed_is_refused_and_contradicts_another_one(cli, task):
    """Which of 9 and 4 the person meant is unknown, so 4 is left out too."""
    write_json("ana.json", [(task, "quality", 9, AT), (task, "quality", 4, AT), (task, "note", "far", AT)])
    told = cli("rate", "import", "ana.json")
    assert "rating 1: quality: 9 is not one of 0, 1, 2, 3, 4, 5; correct it, or rate again" in told.err
    assert "rating 1 and rating 2 contradict each other on 'Flat with lift' at the same time (quality: 9" in told.err
    assert (told.code, qualities()) == (3, [])
