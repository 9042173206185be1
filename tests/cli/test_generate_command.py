"""`neraca generate` writes a folder that every command reads."""

import json

import polars as pl
import pytest
from generation.planted_questions import Writer, branches, read, write_folder
from judges.scripted_model import CODE
from models.llm_server import LlmServer

ROWS = {
    "id": [f"h{n}" for n in range(30)],
    "city": ["Leeds", "York", "Hull"] * 10,
    "price": [100 * n for n in range(30)],
}


def test_from_a_table_to_scores(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(ROWS).write_csv("homes.csv")
    told = cli("generate", "homes.csv", "--language", "en", "-n", "8", "--out", "q")
    assert told.code == 0, told.err
    assert "8 questions about 30 records of homes.csv, 4 of them in " in told.out
    assert {path.name for path in (tmp_path / "q").iterdir()} == {
        "card.html",
        "card.json",
        "card.md",
        "questions.jsonl",
    }
    lines = [{"id": "h1"}] * 8
    questions = [json.loads(line) for line in (tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()]
    answers = [{"id": question["id"], "hits": [line]} for question, line in zip(questions, lines, strict=True)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert cli("ask", "q", "--target", "replay:a.jsonl", "--out", "run").code == 0
    scored = cli("score", "run", "-m", "P@5")
    assert scored.code == 0, scored.err
    assert "8 of 8 questions are generated questions" in " ".join((scored.out + scored.err).split())


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"id,city\na,Leeds, Yorkshire\n", "save the file with commas"),
        (b"id,city\na,Le\0eds\n", "save it as UTF-8"),
        (b"id,city\na,M\xe1laga\n", "save the file as UTF-8"),
    ],
)
def test_errors_of_tables_say_what_can_be_done_without_an_option(cli, tmp_path, data, advice):
    (tmp_path / "homes.csv").write_bytes(data)
    told = cli("generate", tmp_path / "homes.csv", "--out", tmp_path / "q", "--from", "records")
    assert told.code == 2
    assert advice in " ".join(told.err.split())


def test_json_lines_and_errors(cli, tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "homes.csv")
    told = cli("generate", tmp_path / "homes.csv", "--language", "en", "-n", "4", "--out", tmp_path / "q", "--json")
    assert [json.loads(line)["id"] for line in told.out.splitlines()] == ["c1", "c2", "f1", "f2"]
    again = cli("generate", tmp_path / "homes.csv", "--language", "en", "--out", tmp_path / "q")
    assert again.code == 2
    assert "there are questions already" in again.err
    nothing = cli("generate", tmp_path / "no.csv", "--out", tmp_path / "r")
    assert nothing.code == 2
    assert "no such file" in nothing.err


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A server that writes and reads questions about the branches in `docs`, and the options that name it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    write_folder(tmp_path / "docs", branches(12))
    writer = Writer()

    def reply(call):
        data = json.loads(call.user.split(CODE.search(call.system)[1])[1])
        return writer(data) if "write" in data else read(data)

    with LlmServer(reply=reply) as server:
        options = ("--model", "openai:w", "--url", server.url, "--cache", "c.sqlite", "--set", "price=[1, 2]")
        server.options = ("generate", "docs", "--language", "en", *options)
        yield server


def test_documents_become_questions_that_can_be_asked(cli, model, tmp_path):
    dry = cli(*model.options, "-n", 8, "--out", "q", "--dry-run")
    assert dry.code == 0, dry.err
    assert "q: would pay for about 7 calls, $" in dry.out
    assert (model.count, (tmp_path / "q").exists()) == (0, False)
    told = cli(*model.options, "-n", 8, "--out", "q", "--budget", "1")
    assert told.code == 0, told.err
    assert "8 questions about 12 documents of docs: openai:w wrote " in " ".join(told.out.split())
    assert "repeats its own mistakes" in told.out
    names = {"card.html", "card.json", "card.md", "questions.jsonl", "refused.jsonl", "verdicts.jsonl"}
    assert {path.name for path in (tmp_path / "q").iterdir()} == names | {"items.jsonl", "answers.jsonl"}
    calls = model.count
    assert cli(*model.options, "--out", "q").code == 2, "questions are not overwritten"
    again = cli(*model.options, "-n", 8, "--out", "again", "--json")
    assert (len(again.out.splitlines()), model.count) == (8, calls), "every reply is in the cache"
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "q").iterdir()
    }
    rows = [json.loads(line) for line in again.out.splitlines()]
    answers = [{"id": row["id"], "hits": [{"id": name} for name in row["relevant"] or {}]} for row in rows]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert cli("ask", "q", "--target", "replay:a.jsonl", "--out", "run").code == 0
    scored = cli("score", "run", "-m", "RR")
    assert scored.code == 0, scored.err
    assert "8 of 8 questions are generated questions" in " ".join((scored.out + scored.err).split())


def test_a_spent_budget_keeps_what_is_done_and_the_same_command_goes_on(cli, model, tmp_path):
    told = cli(*model.options, "-n", 20, "--out", "q", "--budget", "0.025")
    assert told.code == 3, told.err
    assert "the budget of $0.025 is reached" in told.err
    assert (tmp_path / "q/unfinished.json").exists()
    part = (tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()
    assert 0 < len(part) < 20
    told = cli(*model.options, "-n", 20, "--out", "q")
    assert told.code == 0, told.err
    assert len((tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()) == 20
    requests = [json.dumps(call.body, sort_keys=True) for call in model.calls]
    assert len(requests) == len(set(requests))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("docs",), "docs: a model writes questions about documents; name it: --model openai:gpt-4o-mini"),
        (("docs", "--model", "openai:w", "--column", "id=name"), "--column is for questions about records"),
        (("docs", "--model", "openai:w", "--kinds", "constraint"), "there is no kind 'constraint'"),
        (("none", "--model", "openai:w"), "none"),
    ],
)
def test_what_cannot_be_made_from_documents_is_said(cli, model, words, message):
    told = cli("generate", *words, "--out", "r")
    assert (told.code, message in told.err) == (2, True), told.err


LOG = "\n".join(
    json.dumps({"user": f"u{n}", "time": 1_000 * n, "action": "search", "search": f"s{n}", "query": query})
    for n, query in enumerate(["house in York"] * 6 + ["House in york?", "flat", "mail me at a@b.example", "flat"])
)


def test_a_log_is_recognised_and_said_and_its_questions_are_drawn(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text(LOG)
    told = cli("generate", "log.jsonl", "-n", "5", "--out", "q")
    assert told.code == 0, told.err
    out = " ".join(told.out.split())
    assert "3 questions that people asked, drawn from 10 searches of log.jsonl" in out
    assert "read as the log of a search system (query: query, user: user, time: time, action: action)" in out
    assert "the log has no more than these questions; 5 were asked for" in out
    assert "masked: e-mail 1" in out
    assert "nobody has said yet which answers are right" in out
    questions = [json.loads(line) for line in (tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()]
    assert [question["query"] for question in questions] == ["house in York", "flat", "mail me at [e-mail]"]
    assert "left out" not in out
    card = (tmp_path / "q/card.md").read_text("utf-8")
    assert "House in york?" in card
    assert "Common and rare questions" in card


def test_the_kind_of_a_source_can_be_said(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(ROWS | {"query": ["fine", "good", "bad"] * 10}).write_csv("homes.csv")
    records = cli("generate", "homes.csv", "--from", "records", "--language", "en", "-n", "4", "--out", "r")
    assert "4 questions about 30 records of homes.csv" in records.out
    log = cli("generate", "homes.csv", "-n", "4", "--out", "l", "--report-language", "id")
    assert "dibaca sebagai log sistem pencarian" in " ".join(log.out.split())
    for options, message in (
        (["--from", "logs"], "there is no such source; did you mean log?"),
        (["--from", "run"], "not the folder of a run"),
        (["--from", "documents"], "a model writes questions about documents"),
        (["--from", "log", "--model", "openai:x"], "--from log needs none"),
        (["--kinds", "single"], "--kinds is for questions about records and documents"),
        (["--variants", "typos"], "there is no variant 'typos'; did you mean typo?"),
    ):
        told = cli("generate", "homes.csv", "--out", "n", *options)
        assert told.code == 2
        assert message in " ".join(told.err.split())


def test_variants_are_asked_and_compared(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(ROWS).write_csv("homes.csv")
    options = ("--kinds", "constraint", "--language", "en", "-n", "8", "--variants", "typo,keywords")
    told = cli("generate", "homes.csv", *options, "--out", "q")
    assert told.code == 0, told.err
    assert "variants of the questions, with the same right answers: typo 8, keywords 8" in " ".join(told.out.split())
    assert "same right answers" in " ".join((tmp_path / "q/card.md").read_text("utf-8").split())
    questions = [json.loads(line) for line in (tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()]
    right = {"id": "h1", "fields": {}}
    answers = [{"id": q["id"], "hits": [right] if q["tag:variant"] == "original" else []} for q in questions]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert cli("ask", "q", "--target", "replay:a.jsonl", "--out", "run").code == 0
    told = cli("compare", "run", "--variants", "-m", "nDCG(empty=correct)@10", "--json")
    assert told.code == 0, told.err
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert [(row["a"], row["b"], row["n"]) for row in rows] == [
        *(("run (typo)", "run (original)", 8), ("run (keywords)", "run (original)", 8))
    ]
    assert cli("compare", "run", "--variants", "--against", "run").code == 2
