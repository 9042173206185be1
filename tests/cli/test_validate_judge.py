"""`neraca agree --validate`, as a user types it, with a model endpoint on loopback."""

import json

import pytest
from models.llm_server import LlmServer, sample

ROWS = [
    {"question": f"Is flat {n} let?", "response": "Yes." if n % 2 else "I like flats.", "label": n % 2, "lang": "en"}
    for n in range(8)
]


@pytest.fixture
def server(monkeypatch, tmp_path):
    """It says yes to an answer that does."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def reply(call):
        yes = {"reason": "Said so.", "yes": "Yes." in call.user}
        return yes if "yes" in call.schema["properties"] else sample(call.schema)

    with LlmServer(reply=reply) as running:
        yield running


def validate(cli, server, *words):
    model = ("--model", "openai:judge", "--url", server.url, "--cache", "models.sqlite", "--set", "price=[1.0, 10.0]")
    return cli("agree", "--validate", *words, *model)


def test_one_command_validates_a_judge_and_writes_its_card(cli, server, tmp_path):
    told = validate(cli, server, "labelled.jsonl", "--judge", "valid", "--to", "card.html")
    assert told.code == 0, told.err
    assert "labelled.jsonl: to pay for about 8 calls" in told.err
    assert "On 8 of 8 labelled examples that it decided, the judge says the same as the label in 100 %" in " ".join(
        told.out.split()
    )
    assert "There are only 4 right and 4 wrong examples; figures of so few say little." in " ".join(told.out.split())
    assert "llm:openai:judge#" in told.out
    assert "llm:openai:judge#" in (tmp_path / "card.html").read_text().replace("<wbr>", "")
    again = validate(cli, server, "labelled.jsonl", "--judge", "valid", "--json")
    assert server.count == 8
    row, *_ = (json.loads(line) for line in again.out.splitlines())
    assert (row["group"], row["n"], row["agree"], row["auroc"]) == ("", 8, 1.0, 1.0)


def test_examples_are_read_in_the_encoding_that_is_named(cli, server, tmp_path):
    (tmp_path / "old.csv").write_bytes("question,response,label\n¿Hay?,Sí,1\n¿Hay?,Qué,0\n".encode("cp1252"))
    assert validate(cli, server, "old.csv", "--judge", "valid", "--dry-run").code == 2
    told = validate(cli, server, "old.csv", "--judge", "valid", "--dry-run", "--encoding", "cp1252")
    assert told.out.startswith("old.csv: would pay for about 2 calls")


def test_a_dry_run_only_says_what_it_would_cost(cli, server):
    told = validate(cli, server, "labelled.jsonl", "--judge", "valid", "--dry-run")
    assert told.code == 0
    assert told.out.startswith("labelled.jsonl: would pay for about 8 calls")
    assert server.count == 0


def test_a_mistyped_column_of_contexts_is_named_before_any_call(cli, server, tmp_path):
    (tmp_path / "typed.csv").write_text(
        "question,contxts,response,label\nIs it?,It is.,Yes.,right\nIs it?,No.,Yes.,wrong\n"
    )
    told = validate(cli, server, "typed.csv", "--judge", "supported")
    assert (told.code, server.count) == (2, 0)
    assert (
        'there is no column "contexts" (found: question, contxts, response, label); did you mean contxts?' in told.err
    )


def test_wrong_use_says_what_to_do(cli, server):
    told = validate(cli, server, "labelled.jsonl")
    assert told.code == 2
    assert "name the judge to validate (--judge supported)" in told.err
    told = cli("agree")
    assert told.code == 2
    assert "name run folders, a table of ratings, or labelled examples (--validate LABELLED)" in " ".join(
        told.err.split()
    )
    told = validate(cli, server, "labelled.jsonl", "--settings", "judges.toml")
    assert told.code == 2
    assert "--settings needs the name of the judge" in told.err


def test_if_nothing_is_decided_the_exit_code_is_3(cli, server):
    server.reply = lambda call: "I cannot say {"
    told = validate(cli, server, "labelled.jsonl", "--judge", "valid", "--set", "retries=0")
    assert told.code == 3
