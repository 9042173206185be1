"""Streamed replies of a slow endpoint: what arrives is a sign of life, and the reply is the same as in one piece."""

import json

import msgspec
import pytest
from models.conftest import KEY, Grade, prompt

from neraca.errors import ModelError
from neraca.models.prompt import Prompt
from neraca.models.streamed_reply import Watch, joined

#: Seconds that a call may take by the settings, and those for a letter of the reply, which has 28: 1.7 s in all.
LIMIT, LETTER = 0.5, 0.06
NUMBERS = " ".join(map(str, range(1500)))


def slow(server):
    server.reply = lambda call: {"grade": 4, "why": "answer 1"}
    server.letter = LETTER


def streamed(call):
    return bool(call.body.get("stream"))


@pytest.fixture
def hosted(monkeypatch, server):
    """Put the server in the place of OpenAI's, which no setting names."""
    monkeypatch.setattr("neraca.models.openai._OPENAI", server.url)
    return {"url": "", "key": KEY}


async def test_a_reply_that_streams_is_not_cancelled_however_long_it_takes(server, chat, hosted):
    slow(server)
    reply = await chat(timeout=LIMIT, retries=4, **hosted).ask(prompt())
    assert reply.value == Grade(4, "answer 1")
    assert [streamed(call) for call in server.calls] == [False, True], "one call was lost, and the next is streamed"
    assert reply.seconds > 3 * LIMIT
    assert (reply.input_tokens, reply.output_tokens) == (server.calls[1].prompt_tokens, 7), "as the server counts them"


async def test_a_fast_provider_is_not_asked_to_stream(server, chat, hosted):
    judge = chat(timeout=20, **hosted)
    await judge.ask(prompt(1))
    await judge.ask(prompt(2))
    assert [streamed(call) for call in server.calls] == [False, False]


async def test_an_endpoint_of_the_user_streams_from_the_first_call(server, chat):
    await chat(timeout=20).ask(prompt(1))
    assert [streamed(call) for call in server.calls] == [True]


async def test_streamed_and_whole_replies_have_one_key_in_the_cache(server, chat, session):
    slow(server)
    await chat(timeout=LIMIT).ask(prompt())
    assert (await chat(session()).ask(prompt())).cached


async def test_what_is_not_heard_of_is_cancelled_though_it_was_to_be_streamed(server, chat):
    slow(server)
    server.fail = lambda call: "hang" if call.number < 2 else None
    reply = await chat(timeout=LIMIT).ask(prompt())
    assert reply.value.grade == 4
    assert [streamed(call) for call in server.calls] == [True, True, True]


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
async def test_every_mode_streams(server, chat, mode):
    slow(server)
    server.modes = (mode,)
    assert (await chat(timeout=LIMIT).ask(prompt())).value == Grade(4, "answer 1")
    assert [call.mode for call in server.calls if call.answered] == [mode]


@pytest.mark.parametrize("failure", ["cut short", "error at the end"])
async def test_a_stream_that_ends_badly_is_asked_again(server, chat, failure):
    slow(server)
    server.letter = LETTER / 2
    server.fail = lambda call: failure if call.number == 0 else None
    assert (await chat(timeout=LIMIT).ask(prompt())).value.grade == 4
    assert server.count == 2


@pytest.mark.parametrize("refused", ["stream", "stream_options"])
async def test_a_server_that_refuses_to_stream_is_asked_without(server, chat, session, refused):
    slow(server)
    server.letter = LETTER / 2
    server.refuses = (refused,)
    reply = await chat(timeout=LIMIT).ask(prompt())
    assert reply.value.grade == 4
    assert refused not in server.calls[-1].body
    assert (await chat(session()).ask(prompt())).cached, "the key does not depend on it"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("and so on " * 500, "it repeats itself; reply briefly"), (NUMBERS, "it was far too long; reply briefly")],
    ids=["repeats", "goes on"],
)
async def test_a_reply_without_an_end_is_ended_and_the_model_is_told(server, chat, session, text, remedy):
    """A small model may write until max_tokens, and meanwhile a server with one slot serves nobody else."""
    server.reply = lambda call: {"grade": 4, "why": text if call.number == 0 else "a"}
    server.letter = 0.0001
    own = session()
    assert (await chat(own, timeout=20, price=(1.0, 1.0)).ask(prompt())).value == Grade(4, "a")
    assert [call.answered for call in server.calls] == [False, True], "ended, answered"
    assert remedy in server.calls[1].system
    assert own.spent.wasted == 1
    assert own.spent.cost == pytest.approx((own.spent.input_tokens + own.spent.output_tokens) / 1e6)
    assert 100 < own.spent.output_tokens < 2500, "what was written until then is paid for"


class Reasoned(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply with a reason, which its simplest form leaves out."""

    reason: str | msgspec.UnsetType = msgspec.UNSET
    yes: bool


async def test_after_a_reply_without_an_end_no_reason_is_asked_for(server, chat, session):
    """The model repeats itself in each reason, so it never comes to its grade."""
    server.reply = lambda call: {"reason": "and so on " * 500, "yes": True} if call.number == 0 else {"yes": True}
    server.letter = 0.0001
    request = Prompt(system="You grade.", user="answer", kind=Reasoned, guess=Reasoned(reason="fine", yes=False))
    assert (await chat(timeout=20).ask(request)).value == Reasoned(yes=True)
    first, second = ({**call.body["response_format"]["json_schema"]["schema"]} for call in server.calls)
    assert (first["required"], second["required"]) == (["reason", "yes"], ["yes"])
    assert "Leave `reason` out." in server.calls[1].system
    assert (await chat(session()).ask(request)).cached, "it is kept under the key of the first request"


async def test_the_last_attempt_asks_for_no_reason(server, chat):
    server.reply = lambda call: {"reason": "a"} | ({"yes": True} if "Leave `reason` out." in call.system else {})
    request = Prompt(system="You grade.", user="answer", kind=Reasoned, guess=Reasoned(reason="fine", yes=False))
    assert (await chat(timeout=20).ask(request)).value == Reasoned(reason="a", yes=True), "it may have a reason"
    attempts = [call.system for call in server.calls if call.system.startswith("You grade.")]
    assert ["Leave `reason` out." in system for system in attempts] == [False, False, True]


async def test_thoughts_are_no_part_of_a_long_reply(server, chat):
    server.reply = lambda call: f"<think>{NUMBERS}</think>" + json.dumps({"grade": 4, "why": "a"})
    server.letter = 0.0001
    assert (await chat(timeout=20).ask(prompt())).value == Grade(4, "a")
    assert server.count == 1


def test_long_replies_about_many_ids_do_not_repeat_themselves():
    supported = {f"x{n}": False for n in range(40)}
    text = json.dumps({f"c{n}": {"supported_by": supported, "stated": False} for n in range(60)})
    assert len(text) > 30_000
    watch = Watch(10**6)
    for begin in range(0, len(text), 7):
        event = {"choices": [{"delta": {"content": text[begin : begin + 7]}}]}
        watch.add(b"data: " + json.dumps(event).encode() + b"\n\n")


def test_a_body_that_is_no_stream_stays_as_it_is():
    assert joined(b'{"choices": []}') == b'{"choices": []}'


def test_comments_and_names_of_events_are_no_data():
    text = b': wait\n\nevent: x\ndata: {"choices": [{"delta": {"content": "4"}, "finish_reason": "stop"}]}\r\n\r\n'
    assert msgspec.json.decode(joined(text))["choices"][0]["message"] == {"content": "4"}


def test_a_refusal_is_kept_and_an_error_is_said():
    refusal = b'data: {"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]}\n'
    assert msgspec.json.decode(joined(refusal))["choices"][0]["message"] == {"refusal": "No."}
    with pytest.raises(ModelError, match=r"broke off: .*out of memory"):
        joined(b'data: {"error": {"message": "out of memory"}}\n\n')
