"""`neraca agree`, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_run

from neraca.metaeval.agreement import agreement
from neraca.people.pair_task import PairTasks
from neraca.people.pair_verdicts import verdicts_of_pairs
from neraca.people.rating import Rating
from neraca.records import Answer, Item, Verdict
from neraca.runs.run import Run, content_of
from neraca.scores.score import score
from neraca.verdicts.source import JURY

Cli = Callable[..., Any]
ITEMS = [Item(id=f"q{n}", query=f"How many rooms has flat {n}?") for n in range(30)]
ANSWERS = [Answer(item=item.id, text="Two.") for item in ITEMS]


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def verdicts_by(by: str, values: list[float], aspect: str = "valid", of: str = "") -> list[Verdict]:
    return [
        Verdict(item=f"q{n}", about="answer", aspect=aspect, by=by, value=value, why=f"as {by} sees it", of=of)
        for n, value in enumerate(values)
    ]


def add(run: Run, *verdicts: Verdict) -> None:
    with run.writing():
        run.add_verdicts(verdicts)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two models differ on q0 to q5; Ana, who looked at four, says what the second says."""
    monkeypatch.chdir(tmp_path)
    said = [
        *verdicts_by("llm:openai:a#3fa2c1", [1, 0] * 15),
        *verdicts_by("llm:b#aaaaaa", [0, 1] * 3 + [1, 0] * 12),
        *verdicts_by("human:Ana Maria", [0, 1, 0, 1]),
        *verdicts_by("rules", [1], "price"),
    ]
    return make_run(Path("old"), ITEMS, ANSWERS, said)


def test_table_sentences_and_what_is_most_telling(cli: Cli, run: Run) -> None:
    told = cli("agree", run.path)
    assert told.code == 0, told.err
    assert "how far judges agree, with 95 % intervals" in told.out
    said = " ".join(told.out.split())
    assert "valid: of every two of human:Ana Maria, llm:b and llm:openai:a," in said
    assert "is also said by llm:b 4 times of 4 and llm:openai:a 0 times of 4." in said
    assert "price (only rules)" in said
    assert "Where they differ most (5 of 6; all with --json): valid, question q0 of old" in said
    assert "valid, question q0 of old: How many rooms has flat 0? human:Ana Maria says 0: as human:Ana Maria" in said


def test_json_has_a_row_for_each_aspect_then_every_disagreement(cli: Cli, run: Run) -> None:
    told = cli("agree", run.path, "--judges", "llm", "--seed", "3", "--level", "0.9", "--json")
    assert (told.code, told.err) == (0, "")
    first, *others = rows(told.out)
    (found,) = agreement(ITEMS, run.verdicts(), judges=["llm"], seed=3, level=0.9)
    assert list(first) == [
        *("aspect", "judges", "agreement", "agreement_low", "agreement_high", "agreement_why"),
        *("kappa", "kappa_low", "kappa_high", "kappa_why", "kappa_of", "ac1", "ac1_low", "ac1_high", "ac1_why"),
        *("alpha", "alpha_low", "alpha_high", "alpha_why", "n", "raters", "decisions"),
    ]
    assert (first["aspect"], first["judges"], first["n"]) == ("valid", "llm:b, llm:openai:a", 30)
    assert (first["raters"], first["decisions"]) == (2, 60), "both decided on all"
    assert (first["agreement_low"], first["kappa_high"]) == (found.agreement.low, found.kappa.high)
    assert first != rows(cli("agree", run.path, "--judges", "llm", "--level", "0.9", "--json").out)[0]  # another seed
    assert round((1 - first["agreement"]) * 30) == len(others) / 2
    assert list(others[0]) == ["aspect", "run", "item", "trial", "about", "judge", "value", "why"]
    assert {row["run"] for row in others} == {"old"}


@pytest.mark.parametrize("judges", [["--judges", "llm:b human"], ["--judges", "llm:b", "--judges", "human:Ana Maria"]])
def test_judges_can_be_chosen(cli: Cli, run: Run, judges: list[str]) -> None:
    row, *beside = rows(cli("agree", run.path, *judges, "--json").out)
    cells = {(one["people_say"], one["judge_says"]): one["count"] for one in beside}
    assert cells == {(0, 0): 2, (0, 1): 0, (1, 0): 0, (1, 1): 2}
    assert (row["judges"], row["agreement"], row["n"]) == ("human:Ana Maria, llm:b", 1, 4)
    assert (row["agreement_low"], row["kappa"]) == (None, 1)


def test_an_encoding_has_a_table_to_read(cli: Cli, run: Run, tmp_path: Path) -> None:
    """Run folders are UTF-8: the option would do nothing there, as in `neraca score`."""
    error = f"--encoding latin-1: says how a table is read, and {run.path} is none; leave it out"
    for command in ("agree", "score", "pool"):
        told = cli(command, run.path, "--encoding", "latin-1")
        assert (told.code, told.err.strip()) == (2, f"neraca: {error}")
    table = tmp_path / "raters.csv"
    table.write_bytes("id,José,Ana\n1,1,1\n2,0,1\n3,0,0\n".encode("latin-1"))
    assert "raters: José, Ana" in cli("agree", table, "--encoding", "latin-1").err


def test_who_wrote_nothing_is_named(cli: Cli, run: Run) -> None:
    told = cli("agree", run.path, "--judges", "llm:openai:c")
    assert told.code == 2
    assert "nobody called 'llm:openai:c' wrote a verdict in these runs; did you mean llm:openai:a" in told.err


def test_why_nothing_can_be_compared(cli: Cli, run: Run) -> None:
    told = cli("agree", run.path, "--judges", "llm:b")
    assert told.code == 0
    assert told.out.startswith("Nothing can be compared with one judge alone, llm:b.")
    beside = cli("agree", run.path, "--judges", "llm:b", "--json")
    assert (beside.out, "Nothing can be compared with one judge alone" in beside.err) == ("", True)
    assert "Nothing can be compared: no two" in cli("agree", run.path, "--judges", "llm:b rules").out
    assert cli("agree").code == 2


def test_several_runs_and_the_same_one_twice(cli: Cli, run: Run) -> None:
    make_run(Path("new"), ITEMS, ANSWERS, [*verdicts_by("llm:b", [1] * 5), *verdicts_by("llm:openai:a", [1] * 5)])
    (row,) = [r for r in rows(cli("agree", "old", "new", "old", "--judges", "llm", "--json").out) if "n" in r]
    assert row["n"] == 35


def test_runs_over_other_questions_are_refused(cli: Cli, run: Run) -> None:
    make_run(Path("other"), [Item(id="q0", query="Is there a lift?")], [Answer(item="q0", text="Yes.")])
    told = cli("agree", "old", "other")
    assert (told.code, "question 'q0' of other differs from that of old" in told.err) == (2, True)


def test_verdicts_on_an_earlier_answer_are_not_compared(cli: Cli, run: Run) -> None:
    gone = content_of(Answer(item="q0", text="Three."))
    make_run(Path("new"), ITEMS, ANSWERS, [*verdicts_by("llm:b", [1] * 5), *verdicts_by("llm:a", [1] * 5, of=gone)])
    assert cli("agree", "new").out.startswith("Nothing can be compared with one judge alone, llm:b.")


# the jury


def ruled(run: Run) -> dict[str, float | None]:
    return {v.item: v.value for v in run.verdicts() if v.by == JURY and v.status != "withdrawn"}


def test_a_jury_writes_what_most_say_and_a_metric_reads_it(cli: Cli, run: Run) -> None:
    add(run, *verdicts_by("llm:c", [1] * 30))
    told = cli("agree", run.path, "--jury")
    assert told.code == 0, told.err
    assert "old: verdicts by llm:jury: 30; new ones: 30" in told.out
    models = [{v.item: v.value for v in run.verdicts() if v.by.startswith(by)} for by in ("llm:o", "llm:b", "llm:c")]
    majority = {item.id: float(sum(said[item.id] or 0 for said in models) >= 2) for item in ITEMS}
    assert ruled(run) == majority
    (total,) = score([run], f"Valid(by={JURY})").overall()
    assert (total.value, total.n) == (pytest.approx(sum(majority.values()) / 30), 30), "a jury that is named is alone"
    again = cli("agree", run.path, "--jury")
    assert "old: verdicts by llm:jury: 30; new ones: 0" in again.out
    assert JURY not in again.out.partition("old: verdicts")[0]  # it is no judge among others
    (row,) = [r for r in rows(cli("agree", run.path, "--judges", f"{JURY} human", "--json").out) if "n" in r]
    assert (row["judges"], row["n"]) == ("human:Ana Maria, llm:jury", 4)


def test_who_sits_in_the_jury_can_be_chosen_and_a_level_one_is_undecided(cli: Cli, run: Run) -> None:
    told = cli("agree", run.path, "--jury", "--judges", "human llm:openai:a", "--json")
    assert rows(told.out)[-1] == {"run": "old", "by": JURY, "verdicts": 4, "undecided": 4, "new_verdicts": 4}
    assert ruled(run) == dict.fromkeys(("q0", "q1", "q2", "q3"))
    told = cli("agree", run.path, "--jury", "--judges", "human llm:openai:a")
    assert "llm:jury: 4, of which 4 say that yes and no are level; new ones: 0" in told.out


def test_what_a_jury_says_no_more_is_withdrawn(cli: Cli, run: Run) -> None:
    cli("agree", run.path, "--jury")
    add(run, Verdict(item="q7", about="answer", aspect="valid", by="llm:b#aaaaaa", value=None, why="down"))
    assert ruled(run)["q7"] is not None
    assert "llm:jury: 29, of which" in cli("agree", run.path, "--jury").out
    assert "q7" not in ruled(run)
    (gone,) = [v for v in run.verdicts() if v.by == JURY and v.item == "q7"]
    assert (gone.value, gone.status) == (None, "withdrawn")
    lines = len(Path("old/verdicts.jsonl").read_text().splitlines())
    cli("agree", run.path, "--jury")
    assert len(Path("old/verdicts.jsonl").read_text().splitlines()) == lines


def test_a_jury_that_cannot_sit_writes_nothing_anywhere(cli: Cli, run: Run) -> None:
    make_run(Path("new"), ITEMS, ANSWERS, verdicts_by("human:Ana Maria", [1] * 5))
    told = cli("agree", "old", "new", "--jury")
    assert (told.code, "new: no jury can sit: no verdict on an answer or a hit is by 'llm'" in told.err) == (2, True)
    assert ruled(run) == {}
    told = cli("agree", "old", "--jury", "--judges", "rules human")
    assert "old: no verdict by llm:jury: no two of its judges decided on the same thing" in told.out
    cli("agree", "old", "--jury")
    told = cli("agree", "old", "--jury", "--judges", f"{JURY} llm")
    assert (told.code, "llm:jury cannot sit in the jury" in told.err) == (2, True)


def test_names_do_not_steer_the_terminal(cli: Cli, run: Run) -> None:
    add(run, Verdict(item="q0", about="answer", aspect="valid", by="human:\x1b[31m", value=1, why="\x1b[2J"))
    told = cli("agree", run.path)
    assert "human:\ufffd[31m" in told.out
    assert "\x1b" not in told.out
    make_run(Path("r\x1b[31m"), ITEMS, ANSWERS, verdicts_by("llm:b", [1] * 5))
    told = cli("agree", "r\x1b[31m", "--jury")
    assert "r\ufffd[31m: no verdict by llm:jury" in told.out
    assert "\x1b" not in told.out


def test_what_is_no_run_folder_is_passed_over_and_named(cli: Cli, run: Run) -> None:
    Path("report.html").write_text("<html>")
    told = cli("agree", run.path, "report.html")
    assert told.code == 0
    assert told.out == cli("agree", run.path).out
    assert told.err == "neraca: no run folder, passed over: report.html\n"
    assert "nowhere: not a run folder" in cli("agree", run.path, "nowhere").err


def test_people_beside_judges_and_groups_and_raters(cli: Cli, run: Run) -> None:
    add(run, *verdicts_by("human:Budi", [1, 1, 0, 1]))
    told = cli("agree", run.path, "--raters", "--wide")
    assert "judges beside people" in told.out
    assert "how good each person's ratings are" in told.out
    people = [row for row in rows(cli("agree", run.path, "--raters", "--json").out) if "rater" in row]
    assert {(row["rater"], row["ratings"], row["others"]) for row in people} == {
        ("human:Ana Maria", 4, 0.75),
        ("human:Budi", 4, 0.75),
    }
    none = cli("agree", run.path, "-g", "colour")
    assert (none.code, "no question has the tag 'colour'" in none.err) == (2, True)


def test_grades_have_a_table_of_people_by_judge(cli: Cli, run: Run) -> None:
    add(run, *verdicts_by("human:Budi", [5, 3, 3, 4], "quality"), *verdicts_by("llm:b", [5, 5, 3, 4], "quality"))
    out = cli("agree", run.path, "--wide").out
    assert "quality: people and llm:b" in out
    assert "judge 5" in out


def test_a_plan_is_written_and_read_back(cli: Cli, run: Run, tmp_path: Path) -> None:
    words = ("agree", run.path, "--plan", tmp_path / "plan.csv", "-m", "Valid", "--by", "llm:b")
    told = cli(*words, "--labels", "30")
    assert told.code == 0, told.err
    assert "30 questions are drawn into" in " ".join(told.out.split())
    assert (tmp_path / "plan.csv").read_text().startswith("item,draw,stratum,probability,query")
    (row,) = rows(cli(*words, "--width", "0.5", "--human-cost", "2", "--model-cost", "0.1", "--json").out)
    assert (row["metric"], row["of"], row["pilot"]) == ("Valid", "old", 0)
    assert row["cheapest_labels"] >= 30
    few = cli(*words, "--labels", "9")
    assert (few.code, "holds from 30 labels" in few.err) == (2, True)


def test_identical_ratings_under_two_names_are_reported(cli: Cli, tmp_path: Path) -> None:
    """A second download of one person's ratings agrees with kappa 1; five verdicts alike are hardly chance."""
    values = [1, 0, 1, 1, 0, 1]
    run = make_run(
        tmp_path / "twice", ITEMS, ANSWERS, [*verdicts_by("human:ani", values), *verdicts_by("human:ani (1)", values)]
    )
    sentence = "erhaps one person under two names: ani and ani (1) gave alike all 6 verdicts of ani"
    assert sentence in " ".join(cli("agree", run.path).out.split())
    assert {"rater": "ani", "same_as": "ani (1)", "verdicts": 6} in rows(cli("agree", run.path, "--json").out)
    assert sentence in " ".join(cli("score", run.path, "-m", "Aspect(valid)").err.split())
    assert cli("report", run.path, "--to", tmp_path / "r.md", "-m", "Aspect(valid)").code == 0
    assert sentence in " ".join((tmp_path / "r.md").read_text(encoding="utf-8").split())
    other = [*verdicts_by("human:ani", values), *verdicts_by("human:beni", [1 - value for value in values])]
    differing = make_run(tmp_path / "two", ITEMS, ANSWERS, other)
    assert "gave the same" not in cli("agree", differing.path).out
    few = [*verdicts_by("human:ani", values[:4]), *verdicts_by("human:ani (1)", values[:4])]
    assert "gave the same" not in cli("agree", make_run(tmp_path / "few", ITEMS, ANSWERS, few).path).out


def test_clicks_beside_what_the_questions_say_is_relevant(cli: Cli, tmp_path: Path) -> None:
    """30 questions with two judged documents: clicks agree with 50 of 60; a document without a label counts nowhere."""
    items = [Item(id=f"q{n}", query=f"flat {n}?", relevant={"d1": 1, "d2": 0, "d3": -1}) for n in range(30)]
    clicked = [
        Verdict(item=f"q{n}", about=f"hit:d{d}", aspect="relevance", by="clicks:coec", value=value)
        for n in range(30)
        for d, value in ((1, float(n >= 10)), (2, 0.0), (4, 1.0))
    ]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="x") for item in items], clicked)
    told = cli("agree", run.path, "--judges", "clicks qrels", "--json")
    assert told.code == 0, told.err
    (row,) = [row for row in rows(told.out) if "agreement" in row]
    assert (row["n"], row["agreement"]) == (60, pytest.approx(50 / 60))
    assert "qrels" not in cli("agree", run.path).out
    bare = make_run(tmp_path / "bare", ITEMS, ANSWERS, verdicts_by("rules", [1.0]))
    refused = cli("agree", bare.path, "--judges", "rules qrels")
    assert refused.code == 2
    assert "no question of these runs says which documents are relevant" in refused.err


#: Shrout & Fleiss (1979), table 2: six targets, four judges; ICC(2,1) is .29 and ICC(2,4) .62 (table 4).
SHROUT_FLEISS = "9 2 5 8\n6 1 3 2\n8 4 6 8\n7 1 2 6\n10 5 6 9\n6 2 4 7"


def test_a_table_with_a_column_for_each_rater_is_enough(cli: Cli, tmp_path: Path) -> None:
    lines = [",".join(line.split()) for line in SHROUT_FLEISS.splitlines()]
    file = tmp_path / "ratings.csv"
    file.write_text("rater1,rater2,rater3,rater4\n" + "\n".join(lines) + "\n")
    told = cli("agree", file, "--json")
    assert told.code == 0, told.err
    assert "6 rows; raters: rater1, rater2, rater3, rater4 (--judges names others)" in told.err
    row = rows(told.out)[0]
    assert (round(row["icc"], 2), round(row["icc_mean"], 2)) == (0.29, 0.62)
    assert "ICC(2,1)" in cli("agree", file).out
    two = rows(cli("agree", file, "--judges", "rater1 rater4", "--json").out)[0]
    assert two["judges"] == "human:rater1, human:rater4"
    for option in ("--jury", "--raters"):
        refused = cli("agree", file, option)
        assert (refused.code, f"{option} needs run folders" in refused.err) == (2, True)


def test_the_unit_decides_what_is_resampled(cli: Cli, tmp_path: Path) -> None:
    """Two of 24 answers differ: kappa is (11/12 - 1/2) / (1 - 1/2), with an interval only if there are observations."""
    lines = [f"q{n},s1,{n % 2},{n % 2 if n > 1 else 1 - n % 2}" for n in range(24)]
    file = tmp_path / "ratings.csv"
    file.write_text("id,session,rater1,rater2\n" + "\n".join(lines) + "\n")
    row = rows(cli("agree", file, "--json").out)[0]
    assert row["kappa"] == pytest.approx((22 / 24 - 0.5) / 0.5)
    assert row["kappa_low"] < row["kappa"] < row["kappa_high"]
    assert "all 24 questions are of one session, and each counts as one observation" in cli("agree", file).out
    assert "one observation" not in cli("agree", file, "--unit", "question").out
    assert rows(cli("agree", file, "--unit", "session", "--json").out)[0]["kappa_low"] is None


def test_identical_pairs_are_no_agreement_of_two_people(cli: Cli, tmp_path: Path) -> None:
    """Of five pairs that were shown they agree on one; four identical pairs are left out, and counted."""
    items = ITEMS[:9]
    runs = [
        make_run(
            tmp_path / name,
            items,
            [Answer(item=item.id, text="same" if n > 4 else f"{name} {n}") for n, item in enumerate(items)],
        )
        for name in ("old", "new")
    ]
    tasks = PairTasks.of(runs)
    for name, values in (("Ana", "left left left left left"), ("Budi", "left right tie right right")):
        said = [
            Rating(id=task.id, task=task.id, on="preferred", value=value, at="2026-01-01")
            for task, value in zip(tasks.tasks, values.split(), strict=True)
        ]
        for run, verdicts in zip(runs, verdicts_of_pairs(said, tasks, name), strict=True):
            add(run, *verdicts)
    told = cli("agree", *(run.path for run in runs), "--raters", "--json")
    found = [row for row in rows(told.out) if "kappa" in row]
    assert [(row["aspect"], row["agreement"], row["n"]) for row in found] == [
        ("preferences", 0.2, 5),
    ]
    people = [row for row in rows(told.out) if "again" in row]
    assert [(row["rater"], row["ratings"], row["others"]) for row in people] == [
        ("human:Ana", 5, 0.2),
        ("human:Budi", 5, 0.2),
    ]
    said_of_it = " ".join(cli("agree", *(run.path for run in runs)).out.split())
    assert (
        "Left out: 4 pairs of identical answers, which are even by construction and were shown to nobody" in said_of_it
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--judges", "ana"), "each of several files is a rater, named like the file; leave --judges out"),
        (("--raters",), "--raters needs run folders"),
    ],
)
def test_a_file_of_each_rater_takes_no_option_of_run_folders(
    cli: Cli, tmp_path: Path, option: tuple[str, ...], message: str
) -> None:
    files = [tmp_path / f"{name}.csv" for name in ("ana", "budi")]
    for file in files:
        file.write_text("query_id,document_id,grade\n1,d1,1\n")
    refused = cli("agree", *files, *option)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


@pytest.mark.parametrize(
    "rater, options, title",
    [
        ("penilai", (), "seberapa jauh penilai dan juri sepakat"),
        ("evaluador", (), "hasta qué punto coinciden evaluadores y jueces"),
        ("rater", (), "how far judges agree"),
        ("score", (), "how far judges agree"),
        ("penilai", ("--report-language", "en"), "how far judges agree"),
    ],
)
def test_a_table_is_answered_in_the_language_of_its_raters_columns(cli, tmp_path, rater, options, title):
    (tmp_path / "t.csv").write_text(f"id,{rater} 1,{rater} 2\na,1,1\nb,0,1\nc,1,1\n", "utf-8")
    assert cli("agree", str(tmp_path / "t.csv"), *options).out.startswith(title)
