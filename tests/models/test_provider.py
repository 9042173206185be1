import sys

import pytest
from models.conftest import KEY, prompt

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.models.chat import Chat, Settings
from neraca.models.endpoint import filled, hide, place_of, public, url_of


@pytest.mark.parametrize("modes", [("native",), ("tool",)])
async def test_anthropic(server, account, modes):
    """The same through Anthropic's own client, whichever way of demanding the shape it is asked in."""
    server.modes = modes
    given = Settings(model="anthropic:claude-haiku-5-5", url=server.root, key=KEY, temperature=None)
    own = account()
    reply = await Chat(given, own).ask(prompt())
    sent = server.calls[-1]
    assert (reply.value.grade, sent.system, sent.user, sent.mode) == (4, "You grade.", "answer 1", modes[0])
    assert KEY in (sent.headers.get("X-Api-Key", "") + sent.headers.get("Authorization", ""))
    assert (reply.input_tokens, own.spent.calls) == (sent.prompt_tokens, 1)
    assert reply.cost is None, "this endpoint is not Anthropic's"


async def test_anthropic_failures(server, account):
    given = Settings(model="anthropic:claude-haiku-5-5", url=server.root, key=KEY, temperature=None, retries=2)
    judge = Chat(given, account())
    server.fail = lambda call: ("529", "429", None)[min(call.number, 2)]
    assert (await judge.ask(prompt())).value.grade == 4
    assert server.count == 3


@pytest.mark.filterwarnings("ignore:Sampling parameters")  # as provider.py does, which pytest undoes
async def test_reasoning_models_take_no_temperature(server, chat):
    reply = await chat(model="openai:o3-mini").ask(prompt())
    assert reply.value.grade == 4
    assert "temperature" not in server.calls[0].body


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"model": "opnai:gpt-4o-mini"}, "opnai:gpt-4o-mini: .*[Uu]nknown"),
        ({"model": "anthropic:claude-haiku-5-5"}, "ANTHROPIC_API_KEY"),
        ({"model": "deepseek:deepseek-chat", "key": "k", "url": "http://localhost/v1"}, "'deepseek' takes no url"),
    ],
)
async def test_models_that_cannot_be_opened(settings, told, account, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SpecError, match=told):
        await Chat(Settings(**settings), account()).ask(prompt())


async def test_a_provider_whose_package_is_missing(account, monkeypatch):
    monkeypatch.setitem(sys.modules, "mistralai", None)
    with pytest.raises(MissingExtra, match="mistral"):
        await Chat(Settings(model="mistral:small", key="k"), account()).ask(prompt())


async def test_without_the_extra(account, monkeypatch):
    monkeypatch.delitem(sys.modules, "neraca.models.provider", raising=False)
    monkeypatch.delattr("neraca.models.provider", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    with pytest.raises(MissingExtra, match=r"pip install 'neraca\[judge\]'"):
        await Chat(Settings(model="openai:judge", key="k"), account()).ask(prompt())


def test_prices_need_the_extra_too(monkeypatch):
    from neraca.models.cost import Price

    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert Price("a:b", given=(1.0, 1.0)).of(1_000_000, 0) == 1.0
    with pytest.raises(MissingExtra, match=r"neraca\[judge\]"):
        Price("a:b").of(1, 1)


async def test_a_reply_that_is_no_chat_completion(server, chat):
    server.fail = lambda call: "other"
    with pytest.raises(ModelError, match="not understood"):
        await chat(retries=1).ask(prompt())
    assert server.count == 2


async def test_the_url_may_stand_in_the_environment(server, account, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    judge = Chat(Settings(model="openai:judge", key=KEY), own := account())
    assert not (await judge.ask(prompt())).cached
    assert server.count == 1
    same = Chat(Settings(model="openai:judge", key=KEY, url=f"{server.url}/"), own)
    assert (await same.ask(prompt())).cached
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(SpecError, match="not reached"):
        await Chat(Settings(model="openai:judge", key=KEY, retries=0), account()).ask(prompt())


# where, without asking


def test_places(monkeypatch):
    assert url_of("openai:x", "https://host/v1/") == "https://host/v1"
    assert place_of("openai:x", "https://me:pw@host:8/v1?a=1") == "https://host:8/v1?a=1"
    assert place_of("nobody:x", "") == "nobody"
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert place_of("bedrock:x", "") == "bedrock AWS_REGION=eu-west-1"
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine")
    assert place_of("azure:x", "") == "azure AZURE_OPENAI_ENDPOINT=https://mine"


def test_a_wrong_url_is_shown_without_its_password():
    with pytest.raises(SpecError, match="'ftp://host/x' is not a URL"):
        url_of("openai:x", "ftp://me:pw@host/x?key=secret")
    assert public("https://host/v1") == "https://host/v1"


def test_variables_are_filled_everywhere(monkeypatch):
    monkeypatch.setenv("A_B", " value ")
    assert filled({"x": ["a ${A_B}", 1], "y": {"z": "${A_B}"}}, "m") == {"x": ["a value", 1], "y": {"z": "value"}}


def test_secrets_are_hidden(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "abcd-1234")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    text = "Bearer abcd-1234 and the-key and abc"
    assert hide(text, "the-key") == "Bearer *** and *** and abc", "three letters are no secret, but any word's part"
