"""Another model behind the name of an old one is noticed, though every reply is in the cache."""

import asyncio

import msgspec
import pytest
from models.llm_server import LlmServer

from neraca.models.chat import Chat, ChatSettings
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt


class Grade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    grade: int


PROMPT = Prompt(system="s", user="u", kind=Grade, guess=Grade(1))


@pytest.fixture
def server():
    with LlmServer(reply=lambda call: {"grade": 3}) as running:
        yield running


def asked(server, path, model="openai:qwen", dry_run=False):
    """What a new session is told, and what it knows of the model."""
    told = []
    with ModelSession(path, tell=told.append, dry_run=dry_run) as session:
        asyncio.run(Chat(ChatSettings(model=model, url=server.url, key="k"), session).ask(PROMPT))
        return told, [*session.served.values()]


def test_a_new_model_behind_an_old_name_is_said_at_each_start(server, tmp_path):
    path = tmp_path / "replies.sqlite"
    server.listed = ("/models/first.gguf",)
    assert asked(server, path) == ([], [("first.gguf",)])
    assert asked(server, path) == ([], [("first.gguf",)])
    server.listed = ("/models/second.gguf",)
    for _ in range(2):
        told, served = asked(server, path)
        assert served == [("first.gguf", "second.gguf")]
        assert len(told) == 1
        assert "has second.gguf behind this name, and the first replies kept here were of first.gguf" in told[0]
    assert server.count == 1, "the reply was in the cache each time"
    assert asked(server, path, "openai:second") == ([], [("second.gguf",)]), "another name is another model"


def test_a_server_with_many_models_has_the_one_of_the_name(server, tmp_path):
    path = tmp_path / "replies.sqlite"
    server.listed = ("qwen", "llama")
    assert asked(server, path) == ([], [("qwen",)])
    server.listed = ("mistral", "llama")
    assert asked(server, path) == ([], [()]), "it does not say which of them answers"


def test_a_dry_run_asks_no_server(server, tmp_path):
    server.listed = ("a",)
    assert asked(server, tmp_path / "replies.sqlite", dry_run=True) == ([], [])
