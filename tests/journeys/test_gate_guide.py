"""The workflow of docs/gate works as it stands there, and docs/gate.md leaves nothing out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml  # type: ignore[import-untyped]

from neraca.cli import gate as command
from neraca.cli.option_group import option_parameters
from neraca.comparisons.gate_rule import Rule

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "benchmarks" / "results" / "gate_error_rates.md").read_text(encoding="utf-8")
WORKFLOW = (ROOT / "docs" / "gate" / "evaluate.yml").read_text(encoding="utf-8")
COLOURS = ("red", "green", "blue", "black", "white")
QUESTIONS = "question,expects,constraints\n" + "".join(
    f'{colour} {thing},results,"{{""colour"": {{""equals"": ""{colour}""}}, ""thing"": {{""equals"": ""{thing}""}}}}"\n'
    for colour in COLOURS
    for thing in ("shoes", "hat", "coat", "scarf")
)
GOOD = """
def search(query):
    colour, thing = query.split()
    return [{"id": query, "colour": colour, "thing": thing}]
"""
#: It answers, and every hit has the wrong colour.
BROKEN = GOOD.replace('"id": query, "colour": colour', '"id": "grey " + thing, "colour": "grey"')
FAILING = "def search(query):\n    raise RuntimeError('out of order')\n"
#: Another reply, as good as the old one.
CHANGED = GOOD.replace("return [", "return [{'id': 'a', 'colour': colour, 'thing': thing}, ")


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(WORKFLOW)["jobs"]["gate"]["steps"]
    return found


def run_steps(folder: Path, new: str) -> tuple[int, str, str]:
    """What GitHub does with the steps that run something: each in bash, up to the first that fails.

    Not run are the checkouts, which are these two folders, and the installation of what is tested here.
    """
    for name, code in (("old", GOOD), ("new", new)):
        (folder / name).mkdir(parents=True)
        (folder / name / "search.py").write_text(code)
        (folder / name / "questions.csv").write_text(QUESTIONS)
    bin, home = folder / "bin", folder / "home"
    bin.mkdir()
    (bin / "neraca").write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from neraca.cli import main; main()" "$@"\n')
    (bin / "neraca").chmod(0o755)
    summary = folder / "summary.md"
    summary.write_text("what another step wrote")
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary), "HOME": str(home)}
    for step in steps():
        if "run" in step and step["name"] != "Install":
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode:
                return done.returncode, step["name"], summary.read_text(encoding="utf-8")
    return 0, "", summary.read_text(encoding="utf-8")


def junit(folder: Path) -> dict[str, str]:
    """Rule → what JUnit says of it."""
    cases = ElementTree.parse(folder / "gate.xml").getroot().iter("testcase")
    return {case.attrib["name"]: next(iter(case)).tag for case in cases}


def test_a_system_as_good_as_before_passes(tmp_path: Path) -> None:
    code, step, summary = run_steps(tmp_path, CHANGED)
    assert (code, step) == (0, "")
    assert summary.startswith("what another step wrote\n")
    assert "\n## Gate: pass\n" in summary
    assert junit(tmp_path) == {"nDCG@10 >= -0.1": "system-out", "Success > 0.7": "system-out"}


def test_a_broken_system_fails(tmp_path: Path) -> None:
    status, step, summary = run_steps(tmp_path, BROKEN)
    assert (status, step) == (1, "Gate")
    assert "\n## Gate: fail\n" in summary
    assert "2 of 2 rules are shown to be broken" in summary
    assert junit(tmp_path) == {"nDCG@10 >= -0.1": "failure", "Success > 0.7": "failure"}


def test_a_system_that_does_not_answer_stops_the_job_before_the_gate(tmp_path: Path) -> None:
    code, step, _ = run_steps(tmp_path, FAILING)
    assert (code, step) == (3, "Ask both the questions of the new version")


def test_the_steps_that_are_not_run_here_are_the_checkouts_and_the_upload() -> None:
    used = [step["uses"].partition("@")[0] for step in steps() if "uses" in step]
    assert used == ["actions/checkout", "actions/checkout", "actions/setup-python", "actions/upload-artifact"]
    upload = steps()[-1]
    assert upload["if"] == "always()", "also where the gate failed"
    assert upload["with"]["path"] in next(step["run"] for step in steps() if step.get("name") == "Gate")


def test_the_guide_shows_rules_that_can_be_read_and_every_option() -> None:
    shown = re.findall(r'(?:--rule |^\| `)"?([^"`]+? [<>]=? [^"`]+?)["`]', GUIDE, re.MULTILINE)
    assert len(shown) >= 8
    for rule in shown:
        assert Rule.of(rule), rule
    names = {option.name.replace("_", "-") for option in option_parameters(command.command)} - {"runs"}
    assert {name for name in names if f"--{name}" not in GUIDE} == set()


def test_the_figures_are_those_of_the_simulation() -> None:
    section = GUIDE[GUIDE.index("## Several rules") :].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) > 8
    assert set(rows) <= set(RESULTS.splitlines())
    # of m independent rules that are only just kept 1 - .95^m fail, but for the chance of 4,000 gates (4 errors: 3 %)
    for rules, _, related, kept, *_ in ([cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]):
        false_alarms = 1 - 0.95 ** int(rules)
        assert float(kept.strip(" %")) / 100 <= false_alarms + 0.03
        assert related != "0" or float(kept.strip(" %")) / 100 >= false_alarms - 0.03
