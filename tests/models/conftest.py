"""A model endpoint, a session, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from models.llm_server import LlmServer

from neraca.models.chat import Chat, ChatSettings
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt

KEY = "sk-very-secret-0123456789"


class Grade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the prompts of these tests ask for."""

    grade: int
    why: str = ""


def prompt(number: int = 1, **more: Any) -> Prompt[Grade]:
    return Prompt(system="You grade.", user=f"answer {number}", kind=Grade, guess=Grade(3, "fine"), **more)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(reply=lambda call: {"grade": 4, "why": call.user}) as running:
        yield running


@pytest.fixture
def session(tmp_path) -> Callable[..., ModelSession]:
    def opened(**options: Any) -> ModelSession:
        return ModelSession(tmp_path / "models.sqlite", **{"wait": 0.01, **options})

    return opened


@pytest.fixture
def chat(server, session) -> Callable[..., Chat]:
    def opened(own: ModelSession | None = None, **settings: Any) -> Chat:
        given = {"model": "openai:judge", "url": server.url, "key": KEY, "timeout": 5.0, **settings}
        return Chat(msgspec.convert(given, ChatSettings), own or session())

    return opened
