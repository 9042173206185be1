"""The commands by which people label what a judge decided, as Neraca prints them, followed to the end."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from builders import make_run
from models.llm_server import LlmServer, sample

from neraca.records import Answer, Hit, Item

UNCHECKED = "no label in these runs checks the judge openai:m"


@pytest.fixture
def judge(cli, tmp_path, monkeypatch):
    """Makes a run of n answers that a scripted model judged, and returns what `neraca score` says of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    def reply(call: Any) -> Any:
        if "claims" in call.schema.get("properties", ()):
            return {"claims": ["One.", "Two."], "questions": ["Which?"], "declines": False}
        return sample(call.schema)

    with LlmServer(reply=reply) as server:

        def judged(n: int, *judges: str) -> None:
            items = [Item(id=f"q{n}", query=f"question {n}?") for n in range(n)]
            hits = (Hit(id="d1", text="one text"),)
            make_run(tmp_path / "runs/a", items, [Answer(item=i.id, text=f"so {i.id}", hits=hits) for i in items])
            told = cli("judge", "runs/a", *judges, "--model", "openai:m", "--url", server.url, "--allow-undecided")
            assert told.code == 0, told.err

        yield judged


def follow(cli: Any, text: str) -> str:
    """Run the command to label that a text names, decide on each task, and import the file that the page saves."""
    (command,) = re.findall(r"neraca (rate RUN… .*?review\.html)", " ".join(text.split()))
    page = cli(*shlex.split(command.replace("RUN…", "runs/a")))
    assert page.code == 0, page.err
    data = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', Path("review.html").read_text(), re.S)[1]
    )
    ratings = [{"id": task["id"], "task": task["id"], "on": "verdict", "value": 1} for task in data["tasks"]]
    saved = {name: data[name] for name in ("set", "runs")} | {"neraca": "ratings", "v": 1, "rater": "ana"}
    Path("reviews-ana.json").write_text(json.dumps(saved | {"ratings": ratings}))
    told = cli("rate", "import", "reviews-ana.json", "--run", "runs/a")
    assert told.code == 0, told.err
    return command


def notes_of(cli: Any, *words: str) -> str:
    told = cli("score", "runs/a", *words)
    assert told.code == 0, told.err
    return " ".join((told.out + told.err).split())


@pytest.mark.parametrize("n", [14, 40])
@pytest.mark.parametrize(
    ("judges", "aspect"),
    [
        (["--judge", "valid"], "valid"),
        (["--judge", "claims"], "supported"),
        (["--judge", "relevance"], "relevance"),
        (["--judge", "aspect", "--set", "name=polite", "--set", "criterion=It is polite."], "polite"),
    ],
    ids=["valid", "claims", "relevance", "aspect"],
)
def test_the_command_beside_the_numbers_labels_the_judge(cli, judge, n, judges, aspect):
    judge(n, *judges)
    before = notes_of(cli)
    assert UNCHECKED in before
    assert aspect in follow(cli, before)
    assert UNCHECKED not in notes_of(cli)


def test_a_plan_names_the_command_that_labels_its_questions(cli, judge):
    judge(40, "--judge", "valid")
    plan = cli("agree", "runs/a", "--plan", "plan.csv", "-m", "Valid")
    assert plan.code == 0, plan.err
    assert "--kind review --aspect valid --sample plan.csv" in follow(cli, plan.out)
    corrected = cli("score", "runs/a", "-m", "Valid", "--correct", "ppi", "--sample", "plan.csv")
    assert corrected.code == 0, corrected.err


def test_a_plan_of_too_few_questions_names_the_command_that_labels_them(cli, judge):
    judge(14, "--judge", "valid")
    plan = cli("agree", "runs/a", "--plan", "plan.csv", "-m", "Valid")
    assert (plan.code, "14 questions can be labelled for Valid; a corrected interval needs 30" in plan.err) == (2, True)
    follow(cli, plan.err)
    assert UNCHECKED not in notes_of(cli)


@pytest.mark.parametrize(
    ("judges", "metrics"),
    [
        (["--judge", "valid"], ["Valid"]),
        (["--judge", "claims"], ["Faithfulness"]),
        (["--judge", "aspect", "--set", "name=polite", "--set", "criterion=It is polite."], ["Aspect(polite)"]),
    ],
    ids=["valid", "claims", "aspect"],
)
def test_what_several_judges_decided_is_said_and_each_way_out_works(cli, judge, judges, metrics):
    """Two models judged all answers: no metric is chosen for them in silence."""
    judge(8, *judges, "--model", "openai:n")
    said = notes_of(cli)
    assert "everal judges decided on" in said, said
    (remedies,) = re.findall(
        r"everal judges decided on .*? \(llm:openai:m and llm:openai:n\), which leaves out (.*)", said
    )
    assert metrics[0] in remedies
    (by,) = re.findall(r"name one judge \(--by (\S+?)\)", remedies)
    by_one = notes_of(cli, "--by", by)
    assert metrics[0] in by_one
    assert "everal judges" not in by_one
    (names,) = re.findall(r"\(-m '(.*?)'\)", remedies)
    assert "openai:n" in notes_of(cli, "-m", names)
    told = cli("report", "runs/a", "--to", "report.md")
    assert told.code == 0, told.err
    assert "Several judges decided on" in Path("report.md").read_text()
    assert ("--jury" in remedies) == (judges[1] != "claims"), "nobody votes on claims that each judge found itself"
    if "--jury" in remedies:
        assert cli("agree", "runs/a", "--jury").code == 0
        voted = notes_of(cli)
        assert "by=llm:jury)" in voted
        assert "everal judges" not in voted
