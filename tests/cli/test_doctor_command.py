"""`neraca doctor`: extras, keys and models."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models.llm_server import Call, LlmServer
from targets.json_service import json_service

from neraca.cli.doctor import EXTRAS
from neraca.cli.model_trial import Words, _print_speed
from neraca.models.prompt import Reply

Cli = Callable[..., Any]


def test_it_says_which_keys_are_set_and_never_a_key(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", "g-very-secret")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told = cli("doctor")
    assert told.code == 0, told.err
    for words in (
        "extra judge: installed",
        "category: category, kategori, categoría, catégorie, categoria",
        "extra embed: ",
        "extra sql: ",
        "models openai:… OPENAI_API_KEY is set; needs no extra",
        "models anthropic:… ANTHROPIC_API_KEY is not set; needs the extra judge",
        "models google:… GEMINI_API_KEY is set",
        f"{tmp_path}/neraca/models.sqlite (not there yet)",
    ):
        assert words in told.out
    assert "very-secret" not in told.out + told.err


def test_every_extra_is_listed_with_its_packages() -> None:
    extras = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(EXTRAS) == set(extras)
    for extra, requirements in extras.items():
        names = {re.split(r"[\[>=; ]", requirement)[0] for requirement in requirements}
        assert names <= {*EXTRAS[extra][1], "backports.zstd"}, extra


def shaped(call: Call) -> dict[str, Any]:
    """A reply in the form of whichever schema is sent."""
    return (
        {"number": 5, "enforced": True, "words": "one two " * 40} if "hello" not in call.system else {"enforced": True}
    )


def test_a_model_is_asked_three_times(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with LlmServer(reply=shaped) as server:
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert (told.code, server.count) == (0, 3)
        assert "schemas: enforced" in told.out
        assert "context length: the server does not say" in told.out
        assert re.search(r"tokens/s; 100 answers judged by claims \(210 calls, 65,500 tokens written\) take", told.out)
        server.context = 4096
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert "context length: 4,096 tokens, allowed by the server" in told.out
        assert "that is less than the 8,000 that long contexts need" in told.out
        server.reply = lambda call: "hello" if "hello" in call.system else shaped(call)
        assert "schemas: ignored" in cli("doctor", "--model", "openai:judge", "--url", server.url).out
    with LlmServer(reply=shaped, modes=("tool",)) as server:
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert told.code == 0, told.err
        assert "openai:judge answers in" in told.out
        assert "2 + 3 = 5" in told.out
        assert "price not known" in told.out
        assert "the schema of a tool" in told.out
        assert "schemas: not accepted" in told.out
        server.fail = lambda call: "500"
        broken = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert (broken.code, "no reply to the first of the three calls (2 + 3): " in broken.out) == (3, True)
        server.fail = lambda call: "401"
        wrong = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert wrong.code in (2, 3)
        assert "very-secret" not in wrong.out + wrong.err
    unknown = cli("doctor", "--model", "judge")
    assert (unknown.code, "PROVIDER:NAME" in unknown.err) == (2, True)


def test_a_server_that_ignores_schemas_is_asked_in_words(cli: Cli) -> None:
    def in_words(call: Call) -> Any:
        return {"number": 5} if call.mode == "prompted" and "number" in call.system else "Five, I would say."

    with LlmServer(reply=in_words) as server:
        server.reply = lambda call: {"words": "one two"} if '"words"' in call.system else in_words(call)
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
    assert told.code == 0, told.out + told.err
    assert "2 + 3 = 5" in told.out
    assert "the shape of a reply is demanded by: words in the prompt" in told.out
    assert "schemas: ignored; Neraca demands the form of replies in words" in told.out


def test_what_the_first_calls_showed_is_printed_if_the_last_hangs(cli: Cli) -> None:
    with LlmServer(reply=shaped, context=9000) as server:
        server.fail = lambda call: "hang" if "from 1 to 60" in call.user else None
        told = cli("doctor", "--model", "openai:judge", "--url", server.url, "--timeout", "0.3")
        assert told.code == 0, told.out + told.err
        assert "2 + 3 = 5" in told.out
        assert "schemas: enforced" in told.out
        assert "speed: not seen, because the third of the three calls" in told.out
        assert "--timeout 600" in told.out
        assert "context length: 9,000 tokens" in told.out
        assert "the server lists: judge" in told.out
        server.fail = lambda call: "hang"
        told = cli("doctor", "--model", "openai:judge", "--url", server.url, "--timeout", "0.3")
        assert told.code == 3
        assert "no reply to the first of the three calls (2 + 3): no reply within 0.3 seconds" in told.out
        assert "a model on a busy machine may need minutes: try again with --timeout 600" in told.out
        server.fail = lambda call: "hang" if "hello" in call.system else None
        told = cli("doctor", "--model", "openai:judge", "--url", server.url, "--timeout", "0.3")
        assert (told.code, "schemas: not seen, because the second of the three calls" in told.out) == (0, True)
        assert "tokens/s" in told.out


def test_a_wrong_sum_is_named(cli: Cli) -> None:
    with LlmServer(reply=lambda call: shaped(call) | ({} if "hello" in call.system else {"number": 1})) as server:
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
    assert told.code == 0, told.err
    assert "2 + 3 = 1;" in told.out
    assert "that is wrong: a model that cannot add is no judge" in told.out


def test_durations_from_two_hours_on_are_in_hours(capsys: pytest.CaptureFixture[str]) -> None:
    for seconds, words in ((10.9, "take about 119 min"), (11.0, "take about 2 hours"), (352.0, "take about 64 hours")):
        _print_speed(Reply(value=Words(""), seconds=seconds, cost=None, input_tokens=1, output_tokens=100))
        assert words in capsys.readouterr().out  # 65,500 tokens / (100 / seconds) / 60


def test_doctor_says_which_browser_is_found_and_that_it_shows_a_page(cli: Cli, chromium: str, tmp_path: Path) -> None:
    assert "extra browser: installed" in cli("doctor").out
    told = cli("doctor", "--browser")
    assert told.code == 0, told.err
    assert f"browser: {chromium} (the environment variable NERACA_BROWSER)" in told.out
    assert "it starts and shows a page; version " in told.out
    page = tmp_path / "chat.html"
    page.write_text('<!doctype html><form><input placeholder="Ask"><button>Send</button></form>')
    found = cli("doctor", "--browser", page.as_uri())
    assert found.code == 0, found.err
    assert f"{page.as_uri()}: a place for questions was found" in found.out
    missing = cli("doctor", "--browser", (tmp_path / "none.html").as_uri())
    assert missing.code == 3
    assert "ERR_FILE_NOT_FOUND" in missing.out


def test_doctor_says_what_is_wrong_with_the_browser(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NERACA_BROWSER", str(tmp_path / "none"))
    told = cli("doctor", "--browser")
    assert told.code == 2
    assert "NERACA_BROWSER" in told.err
    assert "is not there" in told.err
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("NERACA_BROWSER", str(broken))
    for words in ((), ("http://127.0.0.1/",)):
        told = cli("doctor", "--browser", *words)
        assert (told.code, "does not start" in told.out) == (3, True)
    told = cli("doctor", "http://127.0.0.1/")
    assert (told.code, "neraca doctor --browser http://127.0.0.1/" in told.err) == (2, True)


def test_doctor_says_why_a_page_gave_no_answer(cli: Cli, chromium: str, tmp_path: Path) -> None:
    page = tmp_path / "login.html"
    page.write_text('<!doctype html><form><input name="user"><input type="password"></form>')
    told = cli("doctor", "--target", f"browser:{page.as_uri()}")
    assert told.code == 3, told.err
    assert "status: refused" in told.out
    assert "password" in told.out


def test_an_address_alone_gives_the_target_file_that_works(cli: Cli, tmp_path: Path) -> None:
    with json_service(lambda sent: {"jawaban": "Ada."} if "message" in sent else 422) as url:
        told = cli("doctor", "--target", url, "--question", "rumah?")
        assert told.code == 0, told.err
        assert 'tried body = { query = "{query}", session = "{session}" }' in told.out
        file = told.out.partition("save it as target.toml:\n\n")[2]
        (tmp_path / "target.toml").write_text(file, encoding="utf-8")
        assert "text (4 characters): Ada." in cli("doctor", "--target", tmp_path / "target.toml").out
    with json_service(lambda sent: {"jawaban": "Halo."}) as url:
        constant = cli("doctor", "--target", url)
    assert (constant.code, "gets the same answer without the question" in constant.out) == (0, True)
    with json_service(lambda sent: 404) as url:
        none = cli("doctor", "--target", url)
    assert (none.code, "no answer: none of these requests works" in none.out) == (3, True)
