import sys

import pytest
from models.conftest import KEY, Grade, prompt

from neraca.errors import BudgetReached, MissingExtra, ModelError, SpecError
from neraca.models import provider
from neraca.models.chat import Chat, ChatSettings
from neraca.models.client import Declined
from neraca.models.cost import Price
from neraca.models.endpoint import base_url, endpoint_name, fill_variables, hide, public
from neraca.models.model_session import Misconfigured
from neraca.models.reply_schema import ReplySchema


@pytest.mark.parametrize("modes", [("native",), ("tool",)])
async def test_anthropic(server, session, modes):
    """The same through Anthropic's own client, whichever way of demanding the shape it is asked in."""
    server.modes = modes
    given = ChatSettings(model="anthropic:claude-haiku-5-5", url=server.root, key=KEY, temperature=None)
    own = session()
    reply = await Chat(given, own).ask(prompt())
    sent = server.calls[-1]
    assert (reply.value.grade, sent.system, sent.user, sent.mode) == (4, "You grade.", "answer 1", modes[0])
    assert KEY in (sent.headers.get("X-Api-Key", "") + sent.headers.get("Authorization", ""))
    assert (reply.input_tokens, own.spent.calls) == (sent.prompt_tokens, 1)
    assert reply.cost is None, "this endpoint is not Anthropic's"


async def test_anthropic_failures(server, session):
    given = ChatSettings(model="anthropic:claude-haiku-5-5", url=server.root, key=KEY, temperature=None, retries=2)
    judge = Chat(given, session())
    server.fail = lambda call: ("529", "429", None)[min(call.number, 2)]
    assert (await judge.ask(prompt())).value.grade == 4
    assert server.count == 3


@pytest.mark.parametrize(
    "failure, kind, again, crowded",
    [
        ("400", Declined, False, False),
        ("401", Misconfigured, False, False),
        ("404", Misconfigured, False, False),
        ("429 after 7", ModelError, True, True),
        ("503", ModelError, True, True),
        ("500", ModelError, True, False),
        ("418", ModelError, False, False),
        ("drop", Misconfigured, True, False),
        ("other", ModelError, True, False),
        ("402", BudgetReached, None, None),
    ],
)
async def test_what_the_errors_of_pydantic_ai_mean(server, failure, kind, again, crowded):
    server.fail = lambda call: failure
    with pytest.raises(kind) as caught:
        await complete(server)
    error = caught.value
    assert type(error) is kind
    assert (getattr(error, "again", None), getattr(error, "crowded", None)) == (again, crowded)
    assert getattr(error, "after", None) == (7 if "after" in failure else None)
    assert KEY not in str(error)


async def test_a_time_limit_of_the_client_itself(server):
    server.fail = lambda call: "hang"
    with pytest.raises(TimeoutError):
        await complete(server, timeout=0.2)


async def test_a_way_that_a_model_is_known_not_to_take(server):
    """pydantic-ai knows of this one that it has no schema of its own, and does not ask."""
    with pytest.raises(Declined):
        await complete(server, model="anthropic:claude-3-5-haiku-latest")
    assert server.count == 0


async def complete(server, model="anthropic:claude-haiku-5-5", **settings):
    mode = provider.reply_modes("Grade", ReplySchema(Grade).schema)["native"]
    stream = provider.connect(model, server.root, KEY)
    try:
        return await provider.complete(await anext(stream), prompt(), mode, settings, [], KEY)
    finally:
        await stream.aclose()


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"model": "opnai:gpt-4o-mini"}, "opnai:gpt-4o-mini: .*[Uu]nknown"),
        ({"model": "anthropic:claude-haiku-5-5"}, "ANTHROPIC_API_KEY"),
        (
            {"model": "deepseek:deepseek-chat", "key": "k", "url": "http://localhost/v1"},
            "'deepseek' does not accept the setting url",
        ),
    ],
)
async def test_models_that_cannot_be_opened(settings, told, session, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SpecError, match=told):
        await Chat(ChatSettings(**settings), session()).ask(prompt())


async def test_a_provider_whose_package_is_missing(session, monkeypatch):
    monkeypatch.setitem(sys.modules, "mistralai", None)
    with pytest.raises(MissingExtra, match="mistral"):
        await Chat(ChatSettings(model="mistral:small", key="k"), session()).ask(prompt())


def test_without_the_extra_prices_are_unknown(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert Price("a:b", per_million=(1.0, 1.0)).of(1_000_000, 0) == 1.0
    price = Price("openai:gpt-4o-mini")
    assert (price.of(1, 1), price.of(1, 1)) == (None, None)


async def test_the_url_may_stand_in_the_environment(server, session, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    judge = Chat(ChatSettings(model="openai:judge", key=KEY), own := session())
    assert not (await judge.ask(prompt())).cached
    assert server.count == 1
    same = Chat(ChatSettings(model="openai:judge", key=KEY, url=f"{server.url}/"), own)
    assert (await same.ask(prompt())).cached
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(SpecError, match="not reached"):
        await Chat(ChatSettings(model="openai:judge", key=KEY, retries=0), session()).ask(prompt())


# where, without asking


def test_places(monkeypatch):
    assert base_url("openai:x", "https://host/v1/") == "https://host/v1"
    assert endpoint_name("openai:x", "https://me:pw@host:8/v1?a=1") == "https://host:8/v1?a=1"
    assert endpoint_name("nobody:x", "") == "nobody"
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert endpoint_name("bedrock:x", "") == "bedrock AWS_REGION=eu-west-1"
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine")
    assert endpoint_name("azure:x", "") == "azure AZURE_OPENAI_ENDPOINT=https://mine"


def test_a_wrong_url_is_shown_without_its_password(monkeypatch):
    with pytest.raises(SpecError, match="'ftp://host/x' is not a URL"):
        base_url("openai:x", "ftp://me:pw@host/x?key=secret")
    with pytest.raises(SpecError, match=r"'http://\[x\]/v1' is not a URL: "):
        base_url("openai:x", "http://me:pw@[x]/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000/v1")
    with pytest.raises(SpecError, match="'localhost:8000/v1' is not a URL; write http://HOST/v1"):
        base_url("openai:x", "")
    assert public("https://host/v1") == "https://host/v1"


def test_variables_are_filled_everywhere(monkeypatch):
    monkeypatch.setenv("A_B", " value ")
    assert fill_variables({"x": ["a ${A_B}", 1], "y": {"z": "${A_B}"}}, "m") == {
        "x": ["a value", 1],
        "y": {"z": "value"},
    }


def test_secrets_are_hidden(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "abcd-1234")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    text = "Bearer abcd-1234 and the-key and abc at http://me:pw@host"
    assert hide(text, "the-key") == "Bearer *** and *** and abc at http://host", (
        "three letters are no secret, but any word's part"
    )
