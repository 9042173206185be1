"""`neraca doctor`: extras, keys and models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models.llm_server import LlmServer

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
        "extra embed: ",
        "extra sql: ",
        "models openai:… OPENAI_API_KEY is set",
        "models anthropic:… ANTHROPIC_API_KEY is not set",
        "models google:… GEMINI_API_KEY is set",
        f"{tmp_path}/neraca/models.sqlite (not there yet)",
    ):
        assert words in told.out
    assert "very-secret" not in told.out + told.err


def test_a_model_is_asked_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with LlmServer(reply=lambda call: {"number": 5}, modes=("tool",)) as server:
        told = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert told.code == 0, told.err
        assert "openai:judge answers in" in told.out
        assert "2 + 3 = 5" in told.out
        assert "price not known" in told.out
        assert "the schema of a tool" in told.out
        server.fail = lambda call: "500"
        broken = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert (broken.code, "no reply: " in broken.out) == (3, True)
        server.fail = lambda call: "401"
        wrong = cli("doctor", "--model", "openai:judge", "--url", server.url)
        assert wrong.code in (2, 3)
        assert "very-secret" not in wrong.out + wrong.err
    unknown = cli("doctor", "--model", "judge")
    assert (unknown.code, "PROVIDER:NAME" in unknown.err) == (2, True)
