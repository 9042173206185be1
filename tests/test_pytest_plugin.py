"""The plugin of pytest: each question is a test case, and failures say what is wrong.  pytest runs in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
HEAD = "import pytest\nimport neraca\n\ndef bot(question):\n    return question.upper()\n\n"


def run(folder: Path, test: str, *options: str) -> str:
    """Run pytest on a test file in a folder, as a user does; returns what it prints."""
    (folder / "test_it.py").write_text(HEAD + test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "neraca.pytest_plugin", "-p", "no:cacheprovider", *options]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": "200",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What one run of many test functions prints, and its folder."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "questions.csv").write_text(
        "id,question,session,must_contain\n1,rooms?,a,ROOMS\n2,and the price?,a,2 turns\n3,lift?,,no\n"
    )
    test = """
ASKED = []

def remembers(question, history):
    ASKED.append(question)
    return f"{len(history) + 1} turns: {question.upper()}"

@pytest.mark.neraca("questions.csv", target=remembers)
def test_sessions(neraca_answer, neraca_item):
    assert neraca_item.query.upper() in neraca_answer.text
    assert sorted(ASKED) == ["and the price?", "lift?", "rooms?"]

@pytest.mark.neraca([{"id": "a", "question": "x"}], target=bot)
def test_own_lines(neraca_answer):
    assert neraca.check(neraca_answer, must_contain="y")

@pytest.fixture
def neraca_target(suffix):
    return lambda question: question + suffix

@pytest.mark.parametrize("suffix", ["!", "?"])
@pytest.mark.neraca([{"id": "a", "question": "x", "must_contain": "x!"}])
def test_choice(neraca_answer, suffix):
    pass

def broken(question):
    raise RuntimeError("no database")

@pytest.mark.neraca([{"id": "a", "question": "x"}], target=broken)
def test_broken(neraca_answer):
    pass

@pytest.mark.neraca([{"id": "a", "question": "x"}], target=lambda q: neraca.Answer(item="a", status="suspect"))
def test_doubtful(neraca_answer):
    pass

def test_without_the_mark(neraca_answer):
    pass

@pytest.mark.neraca([{"id": "a", "question": "x", "max_words": 5}], target=bot)
async def test_async(neraca_answer):
    assert neraca_answer.text == "X"
"""
    return run(
        folder, test, "-p", "pytest_asyncio.plugin", "--junitxml=results.xml", "-o", "asyncio_mode=auto", "-rA"
    ), folder


def outcomes(folder: Path) -> dict[str, str]:
    """Return the name of each test case → `passed`, or the first line of its failure or error."""
    cases = {}
    for case in ElementTree.parse(folder / "results.xml").getroot().iter("testcase"):
        problem = next((part for part in case if part.tag in ("failure", "error")), None)
        cases[str(case.get("name"))] = "passed" if problem is None else f"{problem.tag}: {problem.get('message')}"
    return cases


def test_every_question_is_a_case_and_its_checks_decide(printed: tuple[str, Path]) -> None:
    cases = outcomes(printed[1])
    assert [cases[f"test_sessions[{name}]"] for name in "12"] == ["passed", "passed"]
    assert 'failure: Failed: must_contain: "no" is not there' in cases["test_sessions[3]"]
    assert cases["test_async[a]"] == "passed"


def test_a_failure_of_the_test_shows_question_and_answer(printed: tuple[str, Path]) -> None:
    assert outcomes(printed[1])["test_own_lines[a]"].startswith("failure: assert <1 of 1 check failed: must_contain")
    assert "question  a: x\nanswer    X\n" in printed[0]


def test_another_parameter_may_choose_the_system(printed: tuple[str, Path]) -> None:
    cases = {name: text.splitlines()[0] for name, text in outcomes(printed[1]).items() if name.startswith("test_ch")}
    assert sorted(cases.values()) == ['failure: Failed: must_contain: "x!" is not there', "passed"]
    assert next(name for name, text in cases.items() if text == "passed") in ("test_choice[a-!]", "test_choice[!-a]")


def test_a_system_that_fails_fails_and_what_is_not_its_fault_is_an_error(printed: tuple[str, Path]) -> None:
    cases = outcomes(printed[1])
    assert cases["test_broken[a]"].startswith("failure: Failed: the target did not answer: error: ")
    assert "RuntimeError: no database" in cases["test_broken[a]"]
    assert cases["test_doubtful[a]"].startswith("error: ")
    assert "suspect: the answer may not be whole" in cases["test_doubtful[a]"]
    assert "@pytest.mark.neraca(" in cases["test_without_the_mark"]


def test_questions_without_a_check_are_counted(printed: tuple[str, Path]) -> None:
    assert "neraca: 2 of 8 questions have no check in their columns" in printed[0]


WRONG = {
    "('none.csv', target=bot)": "none.csv",
    "(target=bot)": "takes one table of questions",
    "(['x'], max_words=2)": "takes one table of questions",
    "(['x'])": "write a fixture `neraca_target`",
}


def test_a_mark_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    for n, mark in enumerate(WRONG):
        test = f"{HEAD}@pytest.mark.neraca{mark}\ndef test(neraca_answer): pass\n"
        (tmp_path / f"test_{n}.py").write_text(test, encoding="utf-8")
    printed = run(
        tmp_path, "@pytest.mark.neraca(['x'], target=bot)\ndef test(): pass\n", "--continue-on-collection-errors"
    )
    assert "no parameter `neraca_answer`" in printed
    assert [message for message in WRONG.values() if message not in printed] == []
    assert "5 errors" in printed
    assert "pytest_plugin.py:" not in printed, "a message, no traceback"


def test_tests_that_may_stop_early_ask_one_conversation_at_a_time(tmp_path: Path) -> None:
    test = (
        "ASKED = []\ndef bot(question):\n    ASKED.append(question)\n    return 'x'\n\n"
        "@pytest.mark.neraca(['a', 'b'], target=bot)\ndef test_it(neraca_answer, neraca_item):\n"
        "    assert ASKED == ['a', 'b'][:int(neraca_item.id)]\n"
    )
    assert "2 passed" in run(tmp_path, test, "-x")


def test_the_entry_point_is_the_plugin_and_costs_nothing_until_it_is_used(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"neraca.pytest_plugin": "neraca.pytest_plugin"}
    test = (
        "import sys\ndef test_nothing_is_loaded():\n"
        "    ours = {name for name in sys.modules if name.startswith('neraca.')}\n"
        "    assert ours == {'neraca.pytest_plugin'}\n    assert not {'numpy', 'polars'} & set(sys.modules)\n"
    )
    assert "1 passed" in run(tmp_path, test)
