"""`neraca power`, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_item, make_run

from neraca.comparisons.power import power
from neraca.metrics.metric import metric
from neraca.scores.trec import trec

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"
TREC = (DOCS / "hybrid.run", DOCS / "api.run", "--qrels", DOCS / "qrels.txt")


@metric("TestWorth", low=0, high=10)
def worth(response: str) -> float:
    """A number that is the answer."""
    return float(response)


@pytest.fixture
def two_runs(tmp_path: Path) -> list[Path]:
    items = [make_item(str(n), session=str(n // 2)) for n in range(12)]
    numbers = {"old": [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3], "new": [2, 2, 4, 5, 5, 8, 6, 8, 9, 3, 3, 3]}
    for name, values in numbers.items():
        make_run(tmp_path / name, items, [make_answer(item=str(n), text=str(v)) for n, v in enumerate(values)])
    return [tmp_path / "new", tmp_path / "old"]


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_plan_on_paper(cli: Cli) -> None:
    told = cli("power", "--difference", "0.05", "--sd", "0.2", "--n", "30")
    assert told.code == 0, told.err
    assert "128 questions are needed" in told.out
    assert "would be found 3 times of 10 (26 %)" in told.out
    assert "128 (needed)" in told.out
    assert "30 (yours)" in told.out


def test_an_effect_size_level_and_power(cli: Cli) -> None:
    assert "90 questions are needed" in cli("power", "--effect", "0.3").out
    # statsmodels TTestPower().solve_power(.3, alpha=.01, power=.9) = 168.7
    assert "169 questions are needed" in cli("power", "--effect", "0.3", "--alpha", "0.01", "--power", "0.9").out


def test_json_has_a_row_for_each_number_of_questions_and_nothing_else(cli: Cli) -> None:
    found = rows(cli("power", "--difference", "0.05", "--sd", "0.2", "--n", "30", "--json").out)
    (mine,) = [row for row in found if row["n"] == 30]
    plan = power(0.2, difference=0.05, n=30)
    assert (mine["power"], mine["detectable"]) == (pytest.approx(plan.reached), pytest.approx(plan.detectable))
    assert (mine["needed"], mine["simulated"], mine["test"], mine["wanted"]) == (128, None, "t", 0.8)
    assert [row["n"] for row in found] == [point.n for point in plan.curve]


def test_trec_runs(cli: Cli) -> None:
    found = rows(cli("power", *TREC, "-m", "AP", "--difference", "0.1", "--seed", "3", "--json").out)
    scores = trec(DOCS / "qrels.txt", [DOCS / "hybrid.run", DOCS / "api.run"], "AP")
    plan = power(scores, difference=0.1, seed=3)
    assert [row["simulated"] for row in found] == [point.simulated for point in plan.curve]
    assert {(row["metric"], row["a"], row["b"], row["seed"]) for row in found} == {("AP", "hybrid", "api", 3)}
    told = cli("power", *TREC)
    assert "nDCG@10, hybrid − api: over 30 questions" in told.out
    assert "your data resampled" in told.out
    assert "api: no document for 2 of 30" in told.err


def test_run_folders_with_sessions(cli: Cli, two_runs: list[Path]) -> None:
    told = cli("power", *two_runs, "-m", "TestWorth", "--difference", "0.5")
    assert told.code == 0, told.err
    assert "TestWorth, new − old: over 12 questions a mean difference of 0.583" in told.out
    assert "in 6 sessions, tell as much as" in told.out


def test_the_observed_difference_is_warned_of_in_words_and_beside_json(cli: Cli, two_runs: list[Path]) -> None:
    words = ("power", *two_runs, "-m", "TestWorth", "--difference", "observed")
    assert "adds nothing to the p-value" in " ".join(cli(*words).out.split())
    told = cli(*words, "--json")
    assert "adds nothing to the p-value" in told.err
    assert {row["assumed"] for row in rows(told.out)} == {"observed"}
    assert cli("power", *two_runs, "-m", "TestWorth", "--json").err == ""


@pytest.mark.parametrize(
    "words, told",
    [
        ((), "say what to plan for"),
        (("--difference", "0.05"), "give their standard deviation"),
        (("--difference", "five", "--sd", "1"), "not 'five'"),
        (("--difference", "0", "--sd", "1"), "no number of questions finds a difference of 0"),
        (("--difference", "nan", "--sd", "1"), "not nan"),
        (("--effect", "0.3", "--n", "1"), "n = 1: a single question"),
        (("--sd", "0", "--difference", "0.1"), "more than 0, not 0"),
        ((DOCS / "api.run",), "two runs; there is 1"),
        ((*TREC[:2], DOCS / "vector.run"), "two runs; there are 3"),
        ((*TREC, "--sd", "0.2"), "the runs show the spread"),
        ((*TREC, "-m", "AP RR"), "one metric; name one of AP, RR"),
        ((*TREC[:2],), "not a run folder"),
        ((DOCS / "api.run", DOCS / "api.run", *TREC[2:]), "the values are the same on all 30 questions"),
    ],
)
def test_what_makes_no_plan_is_one_clear_line(cli: Cli, words: tuple[object, ...], told: str) -> None:
    found = cli("power", *words)
    assert found.code == 2
    assert told in found.err
    assert found.out == ""
    assert "Traceback" not in found.err
