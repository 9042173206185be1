"""`neraca text`, as a user types it."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import write_table

Cli = Callable[..., Any]
ROWS = [
    {"question": "q1", "ground_truth": "two floors", "answer": "It has two floors.", "kind": "a"},
    {"question": "q2", "ground_truth": "the red car", "answer": "The car", "kind": "b"},
    {"question": "q3", "ground_truth": "", "answer": "hello", "kind": "a"},
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where one is, with a table."""
    monkeypatch.chdir(tmp_path)
    write_table("in.csv", ROWS)
    return tmp_path


LONG = """
from neraca.metrics.metric import metric

@metric("Long")
def long(response: str) -> float | None:
    return 1.0 if len(response) > 6 else None
"""
BROKEN = """
from neraca.metrics.metric import metric

def halved(text):
    return 1 / (len(text) - 7)

@metric("Broken")
def broken(response: str) -> float:
    return halved(response)

@metric("Wordy")
def wordy(response: str) -> float:
    return "many"
"""


def test_an_average_says_on_how_many_answers_it_rests(cli: Cli, here: Path) -> None:
    Path("own.py").write_text(LONG)
    told = cli("text", "in.csv", "-m", "TokenF1 Long", "--plugin", "own.py").err
    assert "Average rests on 2 of 3 answers" not in told  # "The car" and "It has two floors." are long enough
    write_table("in.csv", [*ROWS[:2], {**ROWS[2], "ground_truth": "hello"}])
    told = cli("text", "in.csv", "-m", "TokenF1 Long").err
    assert "Average rests on 2 of 3 answers, those for which all its metrics have a value (Long has none for 1)" in told
    assert "rests on" not in cli("text", "in.csv", "-m", "TokenF1 TokenRecall").err


def test_a_scorer_that_fails_is_named_with_file_and_line(cli: Cli, here: Path) -> None:
    Path("own.py").write_text(BROKEN)
    told = cli("text", "in.csv", "-m", "Broken", "--plugin", "own.py").err
    assert "Broken: failed on item 'line 3': ZeroDivisionError: division by zero (own.py line 5)" in told
    told = cli("text", "in.csv", "-m", "Wordy").err
    assert "could not convert string to float: 'many' (own.py line 11)" in told


@pytest.fixture
def systems(here: Path) -> Path:
    """Two systems, of which the new one is better, with people's scores that say so."""
    draw = random.Random(5)
    rows = []
    for n in range(40):
        reference = " ".join(f"w{draw.randrange(50)}" for _ in range(8))
        old, new = (" ".join(word for word in reference.split() if draw.random() < share) for share in (0.3, 0.9))
        rows.append({"reference": reference, "old": old, "new": new, "h_old": len(old), "h_new": len(new), "n": n % 2})
    write_table("two.csv", rows)
    return here


def lines(text: str, start: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.split()[:1] == [start]]


def test_the_summary(cli: Cli, here: Path) -> None:
    told = cli("text", "in.csv", "-m", "TokenRecall,ExactMatch", "-g", "kind")
    assert told.code == 0
    recall, *_ = lines(told.out, "TokenRecall")
    assert (recall[1], recall[-3:]) == ("0.833", ["2", "1", "2.3"])
    assert lines(told.out, "Average")[0][1:3] == ["(acceptable)", "0.417"]
    by_kind = [line[:3] for name in "ab" for line in lines(told.out, name) if line[1].isdigit()]
    assert by_kind == [["a", "2", "1.000"], ["b", "1", "0.667"]]
    assert "TokenRecall|tokens:" in told.out
    assert "neraca: 1 of 3 rows is unscored: the item has no reference" in told.err
    assert not Path("out.csv").exists()


def test_rows_as_json_lines_and_nothing_else(cli: Cli, here: Path) -> None:
    told = cli("text", "in.csv", "-m", "TokenRecall ExactMatch", "--json", "--out", "out.jsonl")
    found = [json.loads(line) for line in told.out.splitlines()]
    assert [list(row) for row in found] == [[*ROWS[0], "TokenRecall", "ExactMatch", "Average", "Band"]] * 3
    assert [row["TokenRecall"] for row in found] == [1, 2 / 3, None]
    assert read_table("out.jsonl").rows == found


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".parquet", ".json"])
def test_rows_as_a_file(cli: Cli, here: Path, suffix: str) -> None:
    told = cli("text", "in.csv", "-m", "TokenRecall", "-o", f"out{suffix}")
    assert f"rows: out{suffix}" in told.out
    assert [row["question"] for row in read_table(f"out{suffix}").rows] == ["q1", "q2", "q3"]


def test_one_row_is_one_row_and_nothing_varies_together(cli: Cli, here: Path) -> None:
    write_table("one.csv", ROWS[:1])
    told = cli("text", "one.csv", "-m", "TokenRecall TokenF1 ROUGE-L").out
    assert "one.csv: 1 row" in told
    assert "1 rows" not in told
    assert "correlation" not in told
    assert "correlation" in cli("text", "in.csv", "-m", "ExactMatch TokenF1 ROUGE-L(stat=r)").out


def test_bands(cli: Cli, here: Path) -> None:
    cli("text", "in.csv", "-m", "TokenRecall ExactMatch", "--bands", "0.4,0.3,0.1", "--out", "o.csv")
    with Path("o.csv").open(newline="") as file:
        assert [row["Band"] for row in csv.DictReader(file)] == ["excellent", "good", ""]
    assert "three numbers that fall" in cli("text", "in.csv", "--bands", "high").err
    assert cli("text", "in.csv", "--bands", "0.1,0.2,0.3").code == 2


def test_systems_are_compared_by_the_test_and_the_correction_asked_for(cli: Cli, systems: Path) -> None:
    words = ("text", "two.csv", "--response", "old", "--response", "new", "-m", "TokenRecall TokenF1")
    told = cli(*words, "--test", "randomisation", "--correction", "bonferroni")
    families = (
        "paired randomisation(flips=100000, seed=0) test of 1 difference in TokenRecall and 1 in the other metrics"
    )
    assert families in " ".join(told.out.split())
    assert "(Bonferroni's correction)" in told.out
    for option, wrong in (("--test", "wilcokson"), ("--correction", "hom"), ("--seed", "-1")):
        assert cli(*words, option, wrong, "--out", "o.csv").code == 2
        assert not Path("o.csv").exists(), "said before anything is scored"


def test_several_systems_are_compared(cli: Cli, systems: Path) -> None:
    words = ("text", "two.csv", "--response", "old", "--response", "new", "-m", "TokenRecall TokenF1")
    told = cli(*words)
    assert "new is better than old in TokenRecall by" in told.out
    families = "paired t test of 1 difference in TokenRecall and 1 in the other metrics, each group corrected by itself"
    assert families in " ".join(told.out.split())
    assert "the first one scored, TokenRecall, stands for it" in told.out
    told = cli(*words, "--primary", "TokenF1")
    assert "new is better than old in TokenF1 by" in told.out
    assert "stands for it" not in told.out
    told = cli(*words, "--primary", "ROUGE-L", "--out", "o.csv")
    assert (told.code, told.out, Path("o.csv").exists()) == (2, "", False)


def test_peoples_scores_are_set_beside_the_metrics(cli: Cli, systems: Path) -> None:
    told = cli("text", "two.csv", "--response", "new", "--human", "h_new", "-m", "TokenRecall TokenF1 ROUGE-L")
    assert "correlation with people's scores" in told.out
    assert [line[1] for line in lines(told.out, "TokenRecall") if "h_new" in line] == ["h_new"]
    assert "Closest to people's scores (h_new)" in told.out or "Highest correlation" in told.out
    assert "say nearly the same" in told.out
    assert "turned around" not in told.out
    of_errors = cli("text", "two.csv", "--response", "new", "--human", "h_new", "-m", "TER TokenF1")
    assert "TER: less is better, so these are turned around, and above 0 means agreement." in of_errors.out
    both = ("--response", "old", "--response", "new")
    assert "name one --human for each" in cli("text", "two.csv", *both, "--human", "h_new").err
    assert cli("text", "two.csv", *both, "--human", "h_old", "--human", "h_new").code == 0


def test_raters_of_one_system_are_compared_and_correlated_in_three_ways(cli: Cli, systems: Path) -> None:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    out = cli("text", "two.csv", "--response", "new", "--human", "h_new", "--human", "h_old", "-m", "TokenRecall").out
    assert "how far people agree" in out
    assert "human:h_new and human:h_old" in out or "human:h_old and human:h_new" in out
    cli("text", "two.csv", "--response", "new", "-m", "TokenRecall", "--out", "scored.csv")
    table = read_table("scored.csv").rows
    pair = [[float(row[name]) for row in table] for name in ("TokenRecall", "h_new")]
    (row,) = [line for line in lines(out.partition("correlation with")[2], "TokenRecall") if line[1] == "h_new"]
    expected = [f"{test(*pair).statistic:.3f}" for test in (spearmanr, pearsonr, kendalltau)]
    assert [row[2], *row[-3:-1]] == expected


PEOPLE = ("--response", "old", "--response", "new", "--human", "h_old", "--human", "h_new", "-m", "TokenRecall")


def test_peoples_scores_are_tested_like_a_metric(cli: Cli, systems: Path) -> None:
    from scipy.stats import ttest_rel

    table = read_table("two.csv").rows
    old, new = ([float(row[name]) for row in table] for name in ("h_old", "h_new"))
    told = cli("text", "two.csv", *PEOPLE, "--margin", "0.1")
    assert "paired t test of people's scores: 1 difference, Holm's correction" in told.out
    means = told.out.partition("people's scores")[2]
    assert lines(means, "old")[0][1] == f"{sum(old) / 40:.3f}"
    assert lines(means, "new")[0][1] == f"{sum(new) / 40:.1f}"
    known = ttest_rel(new, old).confidence_interval()
    assert f"{known.low:.1f} to {known.high:.1f}" in " ".join(
        word for row in lines(told.out, "HumanScore") for word in row
    )
    assert "new is better than old in HumanScore by" in told.out
    assert "The margin is one of the metrics' and not of people's scores" in told.out
    told = cli("text", "two.csv", *PEOPLE[:-1], "ExactMatch", "--test", "mcnemar")
    assert "People's scores are not tested: the test mcnemar is of values that are 0 or 1" in told.out
    told = cli("text", "two.csv", *PEOPLE[2:4], "--human", "h_new")
    assert "People's scores are not tested: they are all of one system" in told.out
    assert "people" not in cli("text", "two.csv", *PEOPLE[2:4]).out


def test_correlations_with_people_in_each_group(cli: Cli, systems: Path) -> None:
    rows = read_table("two.csv").rows
    for n, row in enumerate(rows):
        row["language"] = ("es", "ar", "", "id")[(n > 19) + (n > 35) + (n > 37)]
        row["h_new"] = "" if n > 37 else row["h_new"]
    write_table("two.csv", rows)
    told = cli("text", "two.csv", *PEOPLE, "-g", "language")
    within = told.out.partition("correlation with people's scores by language")[2]
    assert [(line[0], line[1], line[-1]) for word in ("es", "ar") for line in lines(within, word)] == [
        (word, name, n) for word, n in (("es", "40"), ("ar", "32")) for name in ("TokenRecall",)
    ]
    assert "(fewer than 10) where language is: – (4) and id (2)." in told.out
    only = [row for row in rows if row["language"] == "id"]
    write_table("few.csv", only)
    told = cli("text", "few.csv", *PEOPLE, "-g", "language")
    assert "where language is: id (2)." in told.out
    assert "people's scores by language" in told.out
    assert "correlation with people's scores by language" not in told.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("none.csv",), "none.csv: no such file"),
        (("in.csv", "-m", "ROUGE-LL"), "did you mean ROUGE-L"),
        (("in.csv", "-l", "Klingon"), "no language is called 'Klingon'"),
        (
            ("in.csv", "--reference", "gold"),
            'in.csv line 1: no column "gold" (found: question, ground_truth, answer, kind)',
        ),
        (("in.csv", "--out", "in.csv"), "in.csv: is the table that is read; give the new one another name"),
        (("in.csv", "--out", "out.doc"), ".doc is not written; use one of"),
        (("in.csv", "--encoding", "klingon"), "no text encoding is called"),
        (("in.csv", "--sheet", "2"), "leave --sheet out"),
        (("latin.csv",), "latin.csv line 2: byte 1 (0xe9) is not UTF-8"),
        (("long.csv",), "long.csv line 3: 3 cells where the header has 2"),
        (("twice.csv",), "twice.csv line 1: two columns are called 'a'"),
        (("empty.csv",), "empty.csv: the file is empty"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(cli: Cli, here: Path, words: tuple[str, ...], told: str) -> None:
    Path("latin.csv").write_bytes("reference,response\né,e\n".encode("latin-1"))
    Path("long.csv").write_text("reference,response\na,b\na,b,c\n")
    Path("twice.csv").write_text("a,a\n1,2\n")
    Path("empty.csv").write_text("")
    before = sorted(here.iterdir())
    found = cli("text", *words, *(() if "--out" in words else ("--out", "o.csv")))
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert len(found.err.splitlines()) == 1
    assert sorted(here.iterdir()) == before


def test_a_place_that_cannot_be_written_to_is_found_before_the_work(cli: Cli, here: Path) -> None:
    (here / "slow.py").write_text(
        "from neraca import metric\n\n@metric('Stops')\ndef stops(response: str):\n    1 / 0\n"
    )
    told = cli("text", "in.csv", "-m", "Stops", "--plugin", "slow.py", "--out", "in.csv/o.csv")
    assert (told.code, told.err.startswith("neraca: in.csv")) == (2, True)


def test_a_plugin(cli: Cli, here: Path) -> None:
    Path("mine.py").write_text(
        "from neraca import metric\n\n@metric('Loud')\n"
        "def loud(response: str) -> float:\n    return float(response.endswith('.'))\n"
    )
    told = cli("text", "in.csv", "-m", "Loud", "--plugin", "mine.py", "--json")
    assert [json.loads(line)["Loud"] for line in told.out.splitlines()] == [1, 0, 0]


def test_reasons(cli: Cli, here: Path) -> None:
    assert "--why writes the reason" in cli("text", "in.csv", "-m", "TokenRecall", "--out", "a.csv").err
    told = cli("text", "in.csv", "-m", "TokenRecall", "--out", "b.csv", "--why")
    assert "--why" not in told.err
    assert [row["why"] for row in read_table("b.csv").rows] == ["", "", "the item has no reference"]


def test_a_large_file_tells_how_far_it_is(cli: Cli, here: Path) -> None:
    assert "scoring" not in cli("text", "in.csv", "-m", "TokenRecall").err
    write_table("in.csv", [row | {"notes": "x" * 2_000_000} for row in ROWS])
    assert "scoring in.csv (%): 100/100 (3 rows)" in cli("text", "in.csv", "-m", "TokenRecall").err


def test_stopped_by_the_user_it_leaves_nothing(here: Path) -> None:
    Path("slow.py").write_text(
        "import time\nfrom neraca import metric\n\n@metric('Slow')\n"
        "def slow(response: str) -> float:\n    time.sleep(0.05)\n    return 1.0\n"
    )
    write_table("many.csv", ROWS * 1000)
    words = ["text", "many.csv", "-m", "Slow", "--plugin", "slow.py", "--out", "o.csv"]
    code = "import sys; from neraca.cli import main; sys.argv[1:] = sys.argv[1:]; main()"
    with subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if [path for path in here.iterdir() if path.name.startswith(".o.csv.")]:
                break
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (3, "neraca: stopped; o.csv is not written\n")
    assert [path.name for path in here.iterdir() if "o.csv" in path.name] == []


def test_the_sentence_on_people_speaks_of_the_rows_of_the_table_and_raters_have_a_mean(cli, tmp_path, monkeypatch):
    """The metric that a sentence calls closest is the first of the table, also if it is the average."""
    monkeypatch.chdir(tmp_path)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    rows = [
        f"{' '.join(words)},{' '.join(words[: n + 1])} {'x ' * (n % 3)},{n % 5 + n // 4},{n % 4}" for n in range(12)
    ]
    Path("people.csv").write_text("reference,response,ani,beni\n" + "\n".join(rows) + "\n")
    raters = ("--human", "ani", "--human", "beni")
    out = cli("text", "people.csv", *raters, "-m", "TokenF1 ROUGE-L chrF").out
    table = out.partition("correlation with people's scores")[2].partition("rho is")[0]
    for people in ("ani", "beni", "mean of them"):
        first = next(line for line in table.splitlines() if people in line).split()[0]
        (sentence,) = [line for line in out.splitlines() if f"people's scores ({people})" in line]
        assert f": {first}, rho" in sentence or f"is that of {first}, rho" in sentence
