"""Embeddings of an endpoint beside a chat model: to which address they go, what they cost; they are tried first."""

from dataclasses import dataclass

import pytest
from aiohttp import web
from builders import make_run
from judges.test_claims_endpoint import reply
from models.llm_server import LlmServer

from neraca.errors import SpecError
from neraca.judges.judge import judge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item


@dataclass
class Both(LlmServer):
    """Chats, and counts letters as embeddings; `embeds` false: has no embeddings."""

    embeds: bool = True

    async def _respond(self, request, call):
        if not call.path.endswith("/embeddings"):
            return await super()._respond(request, call)
        if not self.embeds:
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        rows = [
            {"index": n, "embedding": [text.count("a"), text.count("b"), 1]}
            for n, text in enumerate(call.body["input"])
        ]
        return web.json_response({"data": rows, "usage": {"prompt_tokens": 1_000_000}})

    def kinds(self):
        return [call.path.rpartition("/")[2] for call in self.calls]


@pytest.fixture
def server():
    with Both(reply=reply) as running:
        yield running


@pytest.fixture
def run(tmp_path):
    hits = (Hit(id="h", text="It has two rooms."),)
    return make_run(
        tmp_path / "run",
        [Item(id="q", query="How many rooms?", references=("Two rooms.",))],
        [Answer(item="q", text="It has two rooms.", hits=hits)],
    )


def judged(server, run, tmp_path, kind="claims", **settings):
    table = {"url": server.url, "key": "k", "embed": "openai:letters"}
    table |= {"model": "openai:judge"} if kind == "claims" else {}
    with ModelSession(tmp_path / "models.sqlite", wait=0.001) as session:
        return judge(run, kind, table | settings, session=session)


@pytest.mark.parametrize("kind", ["claims", "similarity"])
def test_embeddings_go_to_the_address_of_the_judge_with_its_key(server, run, tmp_path, monkeypatch, kind):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    judged(server, run, tmp_path, kind)
    asked = [call for call in server.calls if call.path.endswith("/embeddings")]
    assert asked
    assert {call.headers["Authorization"] for call in asked} == {"Bearer k"}
    assert ("embed:openai:letters", "similarity") in {(v.by, v.aspect) for v in run.verdicts() if v.value is not None}


def test_an_address_of_their_own_comes_first_and_gets_no_key_of_another(server, run, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "of the environment")
    with Both(reply=reply) as other:
        judged(server, run, tmp_path, embed={"model": "openai:letters", "url": other.url})
        assert set(other.kinds()) == {"embeddings"}
        assert "k" not in {call.headers.get("Authorization", "").removeprefix("Bearer ") for call in other.calls}
    assert set(server.kinds()) == {"completions"}


def test_they_are_tried_before_anything_is_paid(server, run, tmp_path):
    judged(server, run, tmp_path)
    assert server.kinds()[:2] == ["embeddings", "completions"]
    assert server.calls[0].body["input"] == ["house"]


def test_where_they_fail_nothing_is_paid_and_it_is_said_what_to_do(server, run, tmp_path):
    server.embeds = False
    with pytest.raises(
        SpecError, match=r"openai:letters: a test of the embeddings failed.*no such model.* works without embeddings"
    ):
        judged(server, run, tmp_path, price=[1, 1])
    assert set(server.kinds()) == {"embeddings"}
    assert not run.verdicts()


def test_what_is_kept_needs_no_endpoint(server, run, tmp_path):
    judged(server, run, tmp_path)
    before = server.count
    judged(server, run, tmp_path)
    assert server.count == before


@pytest.mark.parametrize(
    ("kind", "settings", "cost"),
    [
        ("similarity", {"price": 0.5}, 0.5),  # a million tokens, says the server of each call; one call, no trial
        ("similarity", {"price": [0.5, 9]}, 0.5),
        ("similarity", {"price": 0.5, "embed_price": 2}, 2.0),
        ("claims", {"price": [0, 0], "embed_price": 2}, 4.0),  # the trial is the second call
        ("claims", {"price": [0.5, 0]}, None),
    ],
)
def test_what_they_cost(server, run, tmp_path, kind, settings, cost):
    spent = judged(server, run, tmp_path, kind, **settings).spent
    if cost is None:  # a million tokens each, beside the few of the chat model
        assert 1.0 <= spent.cost < 1.01
    else:
        assert spent.cost == pytest.approx(cost)


def test_with_a_budget_the_price_of_the_chat_model_is_enough(server, run, tmp_path):
    with ModelSession(tmp_path / "models.sqlite", budget=100) as session:
        table = {"model": "openai:judge", "url": server.url, "key": "k", "embed": "openai:letters", "price": [1, 1]}
        assert judge(run, "claims", table, session=session).unscored == ()


def test_an_estimate_counts_the_trial(server, run, tmp_path):
    table = {"model": "openai:judge", "url": server.url, "key": "k", "embed": "openai:letters", "price": [1, 1]}
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        told = judge(run, "claims", table, session=session).spent
    assert server.count == 0
    assert judged(server, run, tmp_path, price=[1, 1]).spent.calls <= told.calls == 5
