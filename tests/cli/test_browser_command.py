"""`neraca browser`: from a table of questions to a table of answers and scores."""

from __future__ import annotations

import asyncio
import csv
import functools
import json
import os
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from neraca import demo
from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import write_table
from neraca.errors import TargetError
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.targets.browser import login as login_by_hand
from neraca.targets.target import Conversation

Cli = Callable[..., Any]
HOTEL = (Path(__file__).parents[2] / "docs" / "browser" / "chat.html").as_uri()
LOGIN = "<form><input name=name placeholder=Name><input type=password name=password><button>Go</button></form>"
URL = "http://127.0.0.1:9/chat"
METRICS = ("TFIDF", "ROUGE-L", "ExactMatch", "TokenF1", "METEOR", "TokenRecall")
QUESTIONS = (
    "nr;query;ground_truth;owner\n"
    "007;¿Cuántas plantas tiene la casa?;dos plantas;Ana\n"
    "008;¿Se admiten perros?;sí, se admiten perros pequeños;Luis\n"
    "009;¿Cuánto cuesta?;250.000 euros;Ana\n"
)


@dataclass
class Page:
    """A chat page that answers from a script: question → text, an answer, or an error."""

    says: dict[str, Any] = field(default_factory=dict)
    stateful: bool = True
    asked: list[str] = field(default_factory=list)
    conversations: list[tuple[str, str]] = field(default_factory=list)
    settings: list[Mapping[str, Any]] = field(default_factory=list)

    def __call__(self, settings: Mapping[str, Any]) -> Page:
        self.settings.append(settings)
        return self

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        self.asked.append(item.query)
        self.conversations.append((item.query, conversation.id))
        reply = self.says.get(item.query, f"Tiene dos plantas. {item.query}")
        if isinstance(reply, BaseException):
            raise reply
        known = {"seconds": 2.0, "first_token_seconds": 0.5}
        return reply if isinstance(reply, Answer) else Answer(item=item.id, text=reply, **known)

    async def close(self) -> None:
        pass


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    made = Page()
    monkeypatch.setattr("neraca.runs.ask.make_target", made)
    return made


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "queries.csv"
    file.write_text(QUESTIONS, encoding="utf-8")
    return file


def evaluate(cli: Cli, *more: object, output: str = "results.csv", given: str = "queries.csv") -> Any:
    usual = {"--input": given, "--output": output}
    return cli(
        "browser", "--url", URL, *(word for name in usual.keys() - {*more} for word in (name, usual[name])), *more
    )


def written(file: str = "results.csv") -> list[dict[str, str]]:
    with Path(file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_the_rows_come_back_with_the_answer_a_column_for_each_metric_and_how_it_went(
    cli: Cli, page: Page, questions: Path
) -> None:
    told = evaluate(cli, "--language", "es")
    assert told.code == 0, told.err
    rows = written()
    facts = ["status", "seconds", "first_token_seconds", "error", "note"]
    own = ["nr", "query", "ground_truth", "owner"]
    assert list(rows[0]) == [*own, "actual_response", *METRICS, "Average", "Band", *facts]
    assert [[row[name] for name in own] for row in rows] == [line.split(";") for line in QUESTIONS.splitlines()[1:]]
    assert rows[0]["actual_response"] == "Tiene dos plantas. ¿Cuántas plantas tiene la casa?"
    assert (float(rows[0]["TokenRecall"]), float(rows[0]["ExactMatch"])) == (1, 0)
    assert [rows[2][name] for name in (*facts, "TokenRecall", "Band")] == [
        "complete",
        "2.0",
        "0.5",
        "",
        "",
        "0.0",
        "poor",
    ]
    assert "answers: 3 complete" in told.out
    assert "seconds to the whole answer: 2.00 (median), 2.00 (95th percentile); to the first words 0.50" in told.out
    assert "language:es" in told.out


def test_the_numbers_are_those_of_the_text_command(cli: Cli, page: Page, questions: Path) -> None:
    asked = evaluate(cli, "--language", "es")
    texts = cli("text", "results.csv", "--language", "es", "-m", " ".join(METRICS), "--no-average", "--json")
    assert texts.code == 2, "the metrics stand there already"
    plain = [{name: row[name] for name in ("ground_truth", "actual_response")} for row in written()]
    write_table("plain.csv", plain)
    again = [
        json.loads(line)
        for line in cli("text", "plain.csv", "-l", "es", "-m", " ".join(METRICS), "--json").out.splitlines()
    ]
    for mine, theirs in zip(written(), again, strict=True):
        assert [float(mine[name]) for name in (*METRICS, "Average")] == [theirs[name] for name in (*METRICS, "Average")]
        assert mine["Band"] == theirs["Band"]
    assert asked.out.count(" to ") >= len(METRICS), "each mean has an interval"


def test_the_same_command_again_asks_only_what_is_missing(cli: Cli, page: Page, questions: Path) -> None:
    page.says["¿Se admiten perros?"] = KeyboardInterrupt()
    stopped = evaluate(cli, "--parallel", "1")
    assert (stopped.code, Path("results.csv").exists()) == (3, False)
    assert "the same command goes on" in stopped.err
    page.says.clear()
    page.asked.clear()
    assert evaluate(cli, "--parallel", "1").code == 0
    assert page.asked == ["¿Se admiten perros?", "¿Cuánto cuesta?"]
    before = Path("results.csv").read_bytes()
    page.asked.clear()
    assert evaluate(cli).code == 0
    assert (page.asked, Path("results.csv").read_bytes()) == ([], before)
    assert evaluate(cli, "--anew").code == 0
    assert len(page.asked) == 3


def test_other_metrics_another_language_and_another_format_cost_no_question(
    cli: Cli, page: Page, questions: Path
) -> None:
    evaluate(cli)
    page.asked.clear()
    assert evaluate(cli, "-m", "ROUGE-1 TER", "-l", "Spanish", output="results.xlsx").code == 0
    assert page.asked == []
    table = read_table("results.xlsx")
    assert table.columns[4:8] == ("actual_response", "ROUGE-1", "TER", "status")
    assert table.rows[0]["nr"] == "007"
    assert isinstance(table.rows[0]["ROUGE-1"], float)


def test_a_suspect_answer_is_shown_apart_and_not_scored(cli: Cli, page: Page, questions: Path) -> None:
    unsure = Answer(item="", text="dos pla", status="suspect", note="nothing told that it was whole")
    page.says["¿Cuántas plantas tiene la casa?"] = unsure
    told = evaluate(cli)
    assert told.code == 3, "more than a tenth of the answers are not complete"
    assert "1 answer is not complete; what to try: " in told.err
    row = written()[0]
    assert (row["actual_response"], row["status"]) == ("dos pla", "suspect")
    assert [row[name] for name in (*METRICS, "Average", "Band")] == [""] * 8
    assert row["note"] == "nothing told that it was whole; suspect: the answer may not be whole"
    assert "answers: 2 complete, 1 suspect" in told.out
    assert "1 (suspect) ¿Cuántas plantas tiene la casa?: nothing told that it was whole" in told.out
    assert "1 answer is unscored: suspect" in told.err


def test_a_failed_question_counts_as_empty_is_listed_and_asked_again_on_demand(
    cli: Cli, page: Page, questions: Path
) -> None:
    page.says["¿Se admiten perros?"] = Answer(
        item="", text="sí, se", status="timeout", error="no answer within 120 s", note="screenshot: evidence/2-0.png"
    )
    page.says["¿Cuánto cuesta?"] = TargetError("the page asks for a password", refused=True)
    told = evaluate(cli)
    assert told.code == 3
    late, refused = written()[1:]
    assert (late["actual_response"], late["status"], late["error"]) == ("sí, se", "timeout", "no answer within 120 s")
    assert [float(late[name]) for name in METRICS] == [0] * 6, "what the user got in time is nothing"
    assert (refused["status"], refused["error"]) == ("refused", "the page asks for a password")
    assert "2 answers failed and count as an empty one" in told.err
    assert "2 questions have no answer; --retry-failed asks them again" in told.err
    assert "answers: 1 complete, 1 timeout, 1 refused" in told.out
    assert "no answer within 120 s; screenshot: results.run/evidence/2-0.png" in told.out
    page.says.clear()
    page.asked.clear()
    assert evaluate(cli, "--retry-failed").code == 0
    assert sorted(page.asked) == ["¿Cuánto cuesta?", "¿Se admiten perros?"]


def test_where_nothing_is_answered_the_summary_says_so_and_lists_the_first_twenty(
    cli: Cli, page: Page, questions: Path
) -> None:
    asked = [f"pregunta {n}" for n in range(22)]
    write_table(questions, [{"query": query, "ground_truth": "sí"} for query in asked])
    reasons = (f"\x1b[31m{letter}: the page is gone" for letter in "abcdefghijklmnopqrstuv")
    page.says = {query: TargetError(reason) for query, reason in zip(asked, reasons, strict=True)}
    told = evaluate(cli, "-l", "es")
    assert told.code == 3
    assert "no question was answered" in told.out
    assert told.out.count("the page is gone") == 20
    assert "and 2 more: see the column status" in told.out
    assert "\x1b" not in told.out + told.err, "nothing on a page steers the terminal"


def test_an_unknown_language_is_told_as_it_is_by_the_text_command(cli: Cli, page: Page, questions: Path) -> None:
    assert "the language is not known (--language)" in evaluate(cli).err
    assert "the language is not known" not in evaluate(cli, "-l", "es").err
    text = "La casa tiene dos plantas y el jardín es de los vecinos que viven en la otra calle desde hace un año"
    write_table("long.csv", [{"query": "¿Y la casa?", "reference": text}])
    assert (
        "language found in the texts, not said: Spanish"
        in evaluate(cli, "-l", "auto", given="long.csv", output="l.csv").err
    )


def test_without_references_the_length_of_the_answers_is_all_there_is_to_score(
    cli: Cli, page: Page, questions: Path
) -> None:
    questions.write_text("question\nuna\ndos\n")
    told = evaluate(cli, "-l", "auto")
    assert told.code == 0
    assert list(written()[0])[:4] == ["question", "actual_response", "Words", "status"]
    assert written()[0]["Words"] == "4.0"
    assert "no question has a reference, in a column such as ground_truth: without TFIDF, ROUGE-L" in told.err


def test_a_row_without_a_reference_says_so_and_the_others_are_scored(cli: Cli, page: Page, questions: Path) -> None:
    questions.write_text("query,ground_truth\nuna,\ndos,dos plantas\n")
    told = evaluate(cli, "-m", "TokenRecall")
    assert [(row["TokenRecall"], row["note"]) for row in written()] == [("", "the item has no reference"), ("1.0", "")]
    assert "1 answer is unscored: the item has no reference" in told.err


def test_equal_questions_are_each_asked_and_keep_their_rows(cli: Cli, page: Page, questions: Path) -> None:
    questions.write_text("query,ground_truth\nuna,a\nuna,b\n")
    assert evaluate(cli).code == 0
    assert page.asked == ["una", "una"]
    assert [row["ground_truth"] for row in written()] == ["a", "b"]


def test_each_question_has_a_conversation_of_its_own_unless_rows_or_the_user_say_otherwise(
    cli: Cli, page: Page, questions: Path
) -> None:
    questions.write_text("query,session\nuna,\ndos,s\ntres,s\ncuatro,\n")
    evaluate(cli, "--parallel", "1")
    ids = dict(page.conversations)
    assert len(set(ids.values())) == 3
    assert ids["dos"] == ids["tres"]
    page.conversations.clear()
    told = evaluate(cli, "--conversation", "--run", "other", "--parallel", "1")
    assert told.code == 0, told.err
    ids = dict(page.conversations)
    assert (ids["una"], ids["dos"]) == (ids["cuatro"], ids["tres"])
    assert ids["una"] != ids["dos"], "rows that say their session keep it"
    assert [row["session"] for row in written()] == ["", "s", "s", ""]


def test_one_conversation_for_all_counts_by_question_and_says_so(cli: Cli, page: Page, questions: Path) -> None:
    told = evaluate(cli, "--conversation", "-m", "TokenF1")
    assert len({conversation for _, conversation in page.conversations}) == 1
    assert "all 3 questions are of one session, and each counts as one observation" in told.err
    assert "no answer depends on the questions before it" in told.err
    assert "TokenF1|" in told.out
    assert " to " in told.out.partition("answers:")[0]


def test_a_limit_asks_the_first_and_keeps_its_answers_apart(cli: Cli, page: Page, questions: Path) -> None:
    assert evaluate(cli, "--limit", "2").code == 0
    assert [row["nr"] for row in written()] == ["007", "008"]
    assert len(Run("results.first-2.run").answers()) == 2
    assert evaluate(cli).code == 0, "the limit is no other configuration that would be refused"
    assert len(written()) == 3


def test_each_of_several_trials_has_a_row(cli: Cli, page: Page, questions: Path) -> None:
    assert evaluate(cli, "--trials", "2").code == 0
    assert [(row["nr"], row["trial"]) for row in written()] == [(nr, t) for nr in ("007", "008", "009") for t in "01"]
    assert len(page.asked) == 6


@pytest.mark.parametrize("suffix", ["tsv", "xlsx", "jsonl", "parquet"])
def test_other_formats_go_in_and_out(cli: Cli, page: Page, questions: Path, suffix: str) -> None:
    write_table(f"given.{suffix}", read_table(questions).rows)
    told = evaluate(cli, given=f"given.{suffix}", output=f"deep/folder/out.{suffix}")
    assert told.code == 0, told.err
    table = read_table(f"deep/folder/out.{suffix}")
    assert table.columns[:5] == ("nr", "query", "ground_truth", "owner", "actual_response")
    assert table.rows[0]["actual_response"].startswith("Tiene dos plantas")
    assert float(table.rows[0]["TokenRecall"]) == 1
    assert Path("deep/folder/out.run/answers.jsonl").is_file()


def test_columns_of_other_names_are_named_by_option(cli: Cli, page: Page, questions: Path) -> None:
    questions.write_text("Nummer,Frage,Antwort,Gruppe\n1,una,a,x\n1,dos,b,x\n", encoding="utf-16")
    named = ("--query", "Frage", "--reference", "Antwort", "--column", "session=Gruppe", "--encoding", "utf-16")
    told = evaluate(cli, *named, "-m", "TokenRecall")
    assert told.code == 0, told.err
    assert len({conversation for _, conversation in page.conversations}) == 1
    assert [row["TokenRecall"] for row in written()] == ["0.0", "0.0"]


def test_the_summary_as_json_is_one_object_and_nothing_else(cli: Cli, page: Page, questions: Path) -> None:
    page.says["¿Cuánto cuesta?"] = TargetError("the page is gone")
    told = evaluate(cli, "--json")
    (line,) = told.out.splitlines()
    found = json.loads(line)
    assert told.code == 3
    assert (found["questions"], found["answers"]) == (3, {"complete": 2, "error": 1})
    assert [row["metric"] for row in found["metrics"]] == [*METRICS, "Average"]
    assert set(found["metrics"][0]) == {"metric", "value", "low", "high", "n", "unscored"}
    assert found["seconds"] == {"median": 2.0, "p95": 2.0}
    assert found["first_token_seconds"] == {"median": 0.5}
    assert found["band"] == "poor"
    assert found["not_complete"] == [
        {"id": "3", "trial": 0, "status": "error", "query": "¿Cuánto cuesta?", "why": "the page is gone"}
    ]
    assert (found["output"], found["run"]) == ("results.csv", "results.run")
    lonely = json.loads(evaluate(cli, "-m", "TokenF1", "--json").out)
    assert lonely["band"] is None, "of one metric there is no average"


def test_options_become_settings_of_the_target_and_secrets_stay_out_of_the_run(
    cli: Cli, page: Page, questions: Path
) -> None:
    told = evaluate(
        *(cli, "--input-selector", "#q", "--submit-selector", "#s", "--response-selector", ".a", "--profile", "gradio"),
        *("--header", "X-Api-Key: abc:def", "--header", "Accept-Language:es", "--basic-auth", "me:pass"),
        *("--click", "#cookies", "--click", ".open", "--headed", "--locale", "es-MX", "--viewport", "800x600"),
        *("--ignore", ".x", "--busy", ".y", "--sources", ".z", "--browser", "chromium", "--proxy", "http://p:1"),
        *("--storage-state", "state.json", "--timezone", "America/Bogota", "--user-agent", "us"),
    )
    assert told.code == 0, told.err
    (settings,) = page.settings
    assert settings == {
        **{"kind": "browser", "url": URL, "input": "#q", "submit": "#s", "response": ".a", "profile": "gradio"},
        **{"headers": {"X-Api-Key": "abc:def", "Accept-Language": "es"}, "basic_auth": "me:pass"},
        **{"click": ["#cookies", ".open"], "headed": True, "locale": "es-MX", "viewport": "800x600"},
        **{"ignore": ".x", "busy": ".y", "sources": ".z", "browser": "chromium", "proxy": "http://p:1"},
        **{"storage_state": "state.json", "timezone": "America/Bogota", "user_agent": "us"},
    }
    kept = Path("results.run/manifest.json").read_text()
    assert "abc:def" not in kept
    assert "me:pass" not in kept
    refused = evaluate(cli)
    assert refused.code == 2
    assert "made with another configuration" in refused.err


def test_what_is_not_named_is_left_to_the_target(cli: Cli, page: Page, questions: Path) -> None:
    evaluate(cli)
    assert page.settings == [{"kind": "browser", "url": URL}]


@pytest.mark.parametrize(
    "content, more, message",
    [
        (QUESTIONS, ["--output", "queries.csv"], "is the table of questions; give the one with the answers another"),
        (QUESTIONS, ["--output", "results"], "a name without ending is not written"),
        (QUESTIONS, ["--output", "folder.csv"], "is a folder; name a file in it"),
        (QUESTIONS, ["--input", "none.csv"], "none.csv: no such file"),
        (QUESTIONS, ["--url", ""], "name --url, --input and --output"),
        (QUESTIONS, ["--header", "secret"], 'write --header "Name: value"'),
        (QUESTIONS, ["-m", "nDCG@10"], "nDCG@10 needs more than texts"),
        (QUESTIONS, ["-m", "Rogue-L"], "ROUGE-L"),
        (QUESTIONS, ["-l", "klingonian"], "klingonian"),
        (QUESTIONS, ["-l", "auto"], "say it with --language es"),
        (QUESTIONS, ["--query", "Frage"], 'no column "Frage" for query (found: nr, query'),
        (QUESTIONS, ["--column", "id=query", "--column", "x"], "cannot read --column 'x'"),
        ("", [], "queries.csv"),
        ("query,ground_truth\n", [], "no questions; write at least one row"),
        ("text,ground_truth\na,b\n", [], "no column for the question (found: text, ground_truth)"),
        ("id,query\n1,a\n1,b\n", [], "line 3, column id: '1' is also the id of line 2"),
        ("id,query\n1,a\n,b\n", [], "line 3, column id: the id is empty"),
        ("query,b\na,1\n ,2\n", [], "line 3, column query: the question is empty"),
        ("query,actual_response\na,b\n", [], "as in what an earlier start wrote"),
        ("query,status\na,b\n", [], "there is a column 'status' already, and it is not overwritten"),
        ("query,trial\na,b\n", ["--trials", "2"], "there is a column 'trial' already"),
        ("query,Average,reference\na,b,c\n", [], "there is a column 'Average' already"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_asked(
    cli: Cli, page: Page, questions: Path, content: str, more: list[str], message: str
) -> None:
    questions.write_text(content, encoding="utf-8")
    Path("folder.csv").mkdir()
    told = evaluate(cli, *more)
    assert (told.code, page.asked) == (2, []), told.out
    assert message in told.err
    assert "secret" not in told.err
    assert not Path("results.run").exists()


def test_a_file_of_numbered_lines_without_names_of_columns_is_refused(cli: Cli, page: Page, questions: Path) -> None:
    Path("topics.tsv").write_text("1\twhat is a house\n2\twhat is a car\n")
    told = evaluate(cli, given="topics.tsv")
    assert (told.code, page.asked) == (2, [])
    assert "its first line must name the columns" in told.err


def test_text_in_another_encoding_is_named_with_the_remedy(cli: Cli, page: Page, questions: Path) -> None:
    questions.write_text(QUESTIONS, encoding="cp1252")
    told = evaluate(cli)
    assert (told.code, page.asked) == (2, [])
    assert "encoding" in told.err
    assert evaluate(cli, "--encoding", "cp1252").code == 0
    assert written()[1]["query"] == "¿Se admiten perros?"


# with a real browser


@pytest.fixture
def login_page(tmp_path: Path) -> str:
    """The address of a page that asks for a password."""
    file = tmp_path / "login.html"
    file.write_text(f"<!doctype html><title>Log in</title>{LOGIN}")
    return file.as_uri()


@pytest.fixture(scope="module")
def demo_url() -> Iterator[str]:
    with demo.start(method="api") as server:
        yield server.url


def demo_reply(url: str, message: str) -> str:
    """What the demo answers to a program."""
    body = json.dumps({"message": message}).encode()
    request = urllib.request.Request(f"{url}/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["response"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        pytest.param([], id="without-selectors"),
        pytest.param(
            ["--input-selector", "#query-input", "--submit-selector", "#submit-button", "--response-selector", ".said"],
            id="with-selectors",
        ),
    ],
)
def test_the_page_of_the_demo_gives_what_the_demo_says(
    cli: Cli, questions: Path, chromium: str, demo_url: str, more: list[str]
) -> None:
    asked = ["rumah 3 kamar di Johor", "gudang di Sunggal", "apartemen dengan kolam renang"]
    write_table(questions, [{"query": query, "ground_truth": "Johor"} for query in asked])
    told = cli("browser", "--url", demo_url, "--input", questions, "--output", "results.csv", *more)
    assert told.code == 0, told.err
    assert [row["actual_response"] for row in written()] == [demo_reply(demo_url, query) for query in asked]
    assert all(0 < float(row["first_token_seconds"]) <= float(row["seconds"]) for row in written())


@pytest.mark.slow
def test_a_password_page_is_refused_in_the_table_with_its_screenshot(
    cli: Cli, questions: Path, chromium: str, login_page: str
) -> None:
    questions.write_text("id,query,ground_truth\nperros,¿Se admiten perros?,sí\n", encoding="utf-8")
    told = cli("browser", "--url", login_page, "--input", questions, "--output", "results.csv")
    assert told.code == 3
    (row,) = written()
    assert row["status"] == "refused"
    assert "asks for a password" in row["error"]
    picture = Path(row["note"].partition("screenshot: ")[2])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in told.out


@pytest.mark.slow
def test_a_probe_says_what_it_found_and_its_profile_can_be_used(cli: Cli, questions: Path, chromium: str) -> None:
    told = cli("browser", "--probe", HOTEL, "--question", "¿Hay aparcamiento?", "--profile-out", "hotel.toml")
    assert told.code == 0, told.err
    for line in ("input: #query-input", "submit: Enter", "status: complete", "profile: hotel.toml"):
        assert line in told.out.splitlines()
    assert "text: El hotel tiene aparcamiento gratuito para 40 coches." in told.out
    used = cli("browser", "--probe", HOTEL, "--question", "¿Y la playa?", "--profile", "hotel.toml", "--json")
    found = json.loads(used.out)
    assert (found["text"], found["sources"]) == ("La playa está a 300 metros, unos cinco minutos a pie.", 0)
    assert 0 < found["first_token_seconds"] < found["seconds"]


@pytest.mark.slow
def test_a_probe_without_an_answer_says_why_and_keeps_a_picture(
    cli: Cli, questions: Path, chromium: str, login_page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(questions.parent))
    told = cli("browser", "--probe", login_page, "--profile-out", "none.toml")
    assert told.code == 3
    assert "reason: the page asks for a password" in told.out
    (picture,) = questions.parent.glob("neraca-*.png")
    assert f"screenshot: {picture}" in told.out
    assert not Path("none.toml").exists()


def test_a_profile_has_the_ending_by_which_it_is_known(cli: Cli) -> None:
    told = cli("browser", "--probe", HOTEL, "--profile-out", "hotel")
    assert (told.code, "the name of a profile ends in .toml" in told.err) == (2, True)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal as standard input; what is written to this handle was typed there."""
    keyboard, terminal = os.openpty()
    with os.fdopen(terminal, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keyboard
    os.close(keyboard)


class Visited(BaseHTTPRequestHandler):
    """A page that counts its visits in local storage, and then says so."""

    page = b"<script>localStorage.visits = 1 + Number(localStorage.visits || 0); fetch('/visited')</script>"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)
        if self.path == "/visited":
            self.server.visited.set()  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def visited() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Visited) as server:
        server.visited = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_a_login_is_kept_when_enter_is_pressed_and_begins_the_next_one(
    cli: Cli, questions: Path, chromium: str, terminal: int, visited: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = functools.partial(login_by_hand.login, headed=False)

    async def typing(settings: Any, file: Path, enough: Any) -> int:
        async def enter() -> None:
            await asyncio.to_thread(visited.visited.wait, 60)
            os.write(terminal, b"\n")
            await enough

        return await hidden(settings, file, enter())

    monkeypatch.setattr(login_by_hand, "login", typing)
    monkeypatch.setenv("DISPLAY", ":0")
    for visit in ("1", "2"):
        visited.visited.clear()
        url = f"http://127.0.0.1:{visited.server_address[1]}/"
        told = cli("browser", "--login", url, "--storage-state", "state.json")
        assert told.code == 0, told.err
        assert "press Enter here" in told.err
        assert "state.json: saved" in told.out
        assert json.loads(Path("state.json").read_text())["origins"][0]["localStorage"][0]["value"] == visit
    assert Path("state.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_a_login_says_at_once_that_it_needs_a_display(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    told = cli("browser", "--login", HOTEL, "--storage-state", "new.json")
    assert told.code == 2
    assert told.err.startswith("neraca: the browser's window cannot be shown: there is no display")


def test_a_login_without_anything_to_keep_is_told_and_needs_a_file(
    cli: Cli, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--login needs --storage-state FILE" in cli("browser", "--login", HOTEL).err
    seen: list[Any] = []

    async def nobody(settings: Any, file: Path, enough: Any) -> int:
        seen.append((settings.storage_state, file, enough))
        return 0

    monkeypatch.setattr(login_by_hand, "login", nobody)
    monkeypatch.setenv("DISPLAY", ":0")
    with questions.open() as no_terminal:
        monkeypatch.setattr("sys.stdin", no_terminal)
        told = cli("browser", "--login", HOTEL, "--storage-state", "new.json")
    assert told.code == 0
    assert "nobody logged in" in told.err
    assert seen == [("", Path("new.json"), None)], "a file that is not there yet is no state to begin with"
