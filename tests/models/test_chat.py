import asyncio
import json
import re
import sqlite3
import warnings
from dataclasses import replace

import msgspec
import pytest
from models.conftest import KEY, Grade, prompt
from models.llm_server import LlmServer

from neraca.errors import BudgetReached, ModelError, NothingUsable, SpecError
from neraca.models.chat import Chat, ChatSettings
from neraca.models.compatibility import MODES
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt


async def ask_all(chat, numbers):
    return await asyncio.gather(*(chat.ask(prompt(number)) for number in numbers))


async def test_a_reply_with_what_it_took(server, chat):
    judge = chat(price=(1.0, 10.0))
    reply = await judge.ask(prompt())
    assert judge.name == "openai:judge"
    assert reply.value == Grade(4, "answer 1")
    sent = server.calls[0]
    assert (sent.system, sent.user, sent.mode, sent.model) == ("You grade.", "answer 1", "native", "judge")
    assert sent.headers["Authorization"] == f"Bearer {KEY}"
    assert (sent.body["temperature"], sent.body["max_completion_tokens"]) == (0.0, 8000)
    written = len(json.dumps({"grade": 4, "why": "answer 1"})) // 4
    assert (reply.input_tokens, reply.output_tokens, reply.cached) == (sent.prompt_tokens, written, False)
    assert reply.cost == pytest.approx((sent.prompt_tokens + 10 * written) / 1e6)
    assert 0 < reply.seconds < 5


async def test_the_schema_is_strict_and_whole(server, chat):
    class Part(msgspec.Struct, forbid_unknown_fields=True):
        id: str

    class Whole(msgspec.Struct, forbid_unknown_fields=True):
        parts: list[Part]

    server.reply = lambda call: {"parts": [{"id": "a"}]}
    reply = await chat().ask(_prompt_of(Whole, Whole([])))
    assert reply.value == Whole([Part("a")])
    schema = server.calls[0].schema
    assert (schema["type"], schema["additionalProperties"], schema["required"]) == ("object", False, ["parts"])
    assert server.calls[0].body["response_format"]["json_schema"]["strict"] is True


def _prompt_of(kind, guess):
    return Prompt(system="s", user="u", kind=kind, guess=guess)


# the cache


async def test_the_second_time_it_comes_from_the_cache_also_in_another_process(server, chat, session):
    first = await chat(price=(1.0, 1.0)).ask(prompt())
    own = session()
    again = await chat(own, price=(1.0, 1.0)).ask(prompt())
    assert (again.value, again.cached, again.cost, again.seconds) == (first.value, True, first.cost, first.seconds)
    assert server.count == 1
    assert own.spent == Spent(cached=1)


@pytest.mark.parametrize(
    "other",
    [
        {"model": "openai:judge-2"},
        {"model": "openai-chat:judge"},
        {"temperature": 0.5},
        {"temperature": None},
        {"max_tokens": 100},
        {"extra": {"top_p": 0.5}},
        {"url": "/elsewhere"},
    ],
    ids=str,
)
async def test_who_is_asked_otherwise_never_gets_the_first_ones_reply(server, chat, other):
    await chat().ask(prompt())
    if other.get("url"):
        with LlmServer(reply=lambda call: {"grade": 1}) as elsewhere:
            reply = await chat(url=elsewhere.url).ask(prompt())
            assert (reply.value.grade, elsewhere.count, server.count) == (1, 1, 1)
    else:
        assert not (await chat(**other).ask(prompt())).cached
        assert server.count == 2


async def test_another_prompt_shape_or_repeat_is_another_call(server, chat):
    class Other(msgspec.Struct, forbid_unknown_fields=True):
        grade: int
        why: str

    judge = chat()
    await judge.ask(prompt())
    for again in (prompt(2), _prompt_of(Grade, Grade(1)), _prompt_of(Other, Other(1, ""))):
        assert not (await judge.ask(again)).cached
    repeated = await judge.ask(prompt(), repeat=1)
    assert not repeated.cached
    assert (await judge.ask(prompt(), repeat=1)).cached
    assert server.count == 5


async def test_key_timeout_retries_and_price_shape_no_reply(server, chat):
    await chat().ask(prompt())
    reply = await chat(key="another", timeout=9.0, retries=1, price=(1.0, 2.0)).ask(prompt())
    assert reply.cached


async def test_of_many_that_ask_the_same_at_once_one_pays(server, chat, session):
    server.latency = 0.05
    own = session()
    replies = await ask_all(chat(own), [7] * 20)
    assert server.count == 1
    assert [reply.cached for reply in replies].count(False) == 1
    assert (own.spent.calls, own.spent.cached) == (1, 19)


async def test_a_kept_reply_that_fails_a_new_check_is_asked_anew(server, chat):
    await chat().ask(prompt())
    server.reply = lambda call: {"grade": 2}
    stricter = prompt(check=lambda grade: "" if grade.grade < 3 else "grades end at 2")
    assert (await chat().ask(stricter)).value.grade == 2
    assert (await chat().ask(stricter)).cached


async def test_the_cache_never_holds_a_key_nor_an_error(server, chat, session, tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGE_HEADER", "header-secret-4711")
    server.fail = lambda call: ("malformed", "500", "429", None)[min(call.number, 3)]
    extra = {"extra_headers": {"X-Key": "${JUDGE_HEADER}", "X-Plain": "plain-secret-4712"}}
    url = server.url.replace("//", "//me:url-secret-4713@")
    await chat(extra=extra, key=KEY, url=url).ask(prompt())
    assert server.calls[-1].headers["X-Key"] == "header-secret-4711"
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (KEY, "header-secret-4711", "plain-secret-4712", "url-secret-4713"):
        assert secret.encode() not in held
    rows = sqlite3.connect(tmp_path / "models.sqlite")
    assert rows.execute("SELECT count(*), max(model), max(url) FROM calls").fetchone() == (
        1, "openai:judge", server.url,
    )  # fmt: skip
    logged = json.loads(rows.execute("SELECT request FROM calls").fetchone()[0])
    assert (logged["system"], logged["user"], logged["repeat"]) == ("You grade.", "answer 1", 0)
    rows.close()


# failures


@pytest.mark.parametrize("failure", ["429", "429 after 0", "500", "503", "529", "drop", "malformed", "wrong", "empty"])
async def test_what_may_help_is_tried_again(server, chat, session, failure):
    await chat(own := session()).ask(prompt(0))
    server.fail = lambda call: failure if call.number in (1, 2) else None
    assert (await chat(own).ask(prompt())).value.grade == 4
    paid = failure in ("malformed", "wrong", "empty")
    assert (server.count, own.spent.calls) == (4, 2)
    assert (own.spent.wasted, own.spent.refused) == ((2, 0) if paid else (0, 2)), "paid is told from unpaid"


async def test_a_hang_ends_after_the_timeout(server, chat):
    server.fail = lambda call: "hang" if call.number == 0 else None
    reply = await chat(timeout=0.3).ask(prompt())
    assert reply.value.grade == 4
    server.fail = lambda call: "hang"
    with pytest.raises(ModelError, match=r"no reply within 0\.2 seconds") as caught:
        await chat(timeout=0.1, retries=1).ask(prompt(2))
    assert caught.value.again
    assert caught.value.crowded


async def test_after_the_last_attempt_the_error_says_what_came(server, chat, session):
    server.fail = lambda call: "prose" if call.number else None
    judge = chat(own := session(), retries=2, price=(1.0, 1.0))
    await judge.ask(prompt(0))
    with pytest.raises(ModelError, match=r"does not fit.*'I would rather not say\.'"):
        await judge.ask(prompt())
    assert server.count == 1 + 3
    assert own.spent.wasted == 3
    assert own.spent.input_tokens == server.prompt_tokens, "they are paid like others"
    kept = own.cache.spent("")
    assert kept == replace(own.spent, cost=pytest.approx(kept.cost)), "sums of costs, in another order"
    server.fail = lambda call: None
    assert not (await judge.ask(prompt())).cached


async def test_words_around_the_json_are_forgiven(server, chat):
    server.fail = lambda call: "fenced"
    assert (await chat().ask(prompt())).value.grade == 4
    assert server.count == 1


async def test_a_check_that_fails_is_named(server, chat):
    with pytest.raises(ModelError, match="the reply is wrong: grades end at 3"):
        await chat(retries=0).ask(prompt(check=lambda grade: "grades end at 3"))


@pytest.mark.parametrize(
    "failure, told", [("cut", "cut off at max_tokens = 8000; raise max_tokens"), ("filter", "content filter")]
)
async def test_what_would_not_help_is_not_tried_again(server, chat, failure, told):
    server.fail = lambda call: failure
    with pytest.raises(ModelError, match=told) as caught:
        await chat().ask(prompt())
    assert not caught.value.again
    assert server.count == 1


async def test_retry_after_holds_back_every_call_to_the_endpoint(server, chat, session):
    own = session()
    judge = chat(own)
    await judge.ask(prompt(0))
    server.fail = lambda call: "429 after 1" if call.number == 1 else None
    clock = asyncio.get_running_loop().time
    started = clock()
    first = asyncio.create_task(judge.ask(prompt(1)))
    await asyncio.sleep(0.3)
    await asyncio.gather(first, judge.ask(prompt(2)))
    assert 0.95 < clock() - started < 3
    assert server.count == 4


async def test_a_crowded_endpoint_loses_no_call(server, chat):
    """Two at a time, no retries left for anything else: refusals do not use them up while others are answered."""
    server.most, server.latency = 2, 0.01
    replies = await ask_all(chat(retries=0), range(40))
    assert len(replies) == 40
    assert server.refused > 0


async def test_an_endpoint_that_refuses_everybody_ends(server, chat):
    server.fail = lambda call: "429"
    with pytest.raises(ModelError, match="429") as caught:
        await chat(retries=2).ask(prompt())
    assert caught.value.crowded
    assert server.count == 3


async def test_a_server_that_never_answers_is_given_up_as_soon_while_other_calls_wait(server, chat, session):
    server.fail = lambda call: "hang"
    said = []
    own = chat(session(tell=said.append), timeout=0.05, retries=9)
    done = await asyncio.gather(*(own.ask(prompt(n)) for n in range(6)), return_exceptions=True)
    assert {type(error) for error in done} == {NothingUsable}
    assert server.count <= 6 + 3, "all at first, then one at a time"
    assert [text.partition(": ")[2] for text in said] == ["no reply within 0.05 s; waiting longer, for fewer calls"]


async def test_five_in_a_hundred_calls_fail_and_all_are_answered(server, chat, session):
    """429, 500, a hang, half a JSON text and a lost connection, mixed, from the first call on."""
    failures = ("429", "500", "hang", "malformed", "drop", "429 after 0")
    server.fail = lambda call: failures[call.number // 20 % 6] if call.number % 20 == 3 else None
    own = session()
    replies = await ask_all(chat(own, timeout=0.5), range(300))
    assert [reply.value.why for reply in replies] == [f"answer {number}" for number in range(300)]
    assert own.spent.calls == 300
    assert 10 < own.spent.refused < 60


@pytest.mark.parametrize("failure, told", [("401", "401"), ("403", "403"), ("404", "404"), ("400", "400")])
async def test_settings_that_cannot_work_are_said_at_once(server, chat, failure, told):
    server.fail = lambda call: failure
    with pytest.raises(SpecError, match=f"^openai:judge: .*{told}") as caught:
        await chat().ask(prompt())
    assert server.count == (3 if failure == "400" else 1)
    assert KEY not in str(caught.value)


async def test_once_it_has_answered_such_an_error_is_of_the_call(server, chat):
    judge = chat()
    await judge.ask(prompt(0))
    server.fail = lambda call: "403"
    with pytest.raises(ModelError, match="403"):
        await judge.ask(prompt(1))


async def test_nobody_there(chat):
    with pytest.raises(SpecError, match="not reached"):
        await chat(url="http://127.0.0.1:9/v1", retries=1).ask(prompt())


async def test_an_empty_account_at_the_provider_stops_like_a_budget(server, chat):
    server.fail = lambda call: "quota"
    with pytest.raises(BudgetReached, match="no money or quota left"):
        await chat().ask(prompt())
    assert server.count == 1


async def test_a_server_that_echoes_keys_does_not_betray_them(server, chat, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment-99")
    server.reply = lambda call: call.headers["Authorization"]
    with pytest.raises(ModelError) as caught:
        await chat(key="", retries=0).ask(prompt())
    assert "sk-of" not in str(caught.value)
    assert server.calls[0].headers["Authorization"] == "Bearer sk-of-the-environment-99"


# how the shape is demanded


@pytest.mark.parametrize("works, tried", [(("tool",), 2), (("prompted",), 3)])
async def test_an_endpoint_that_refuses_a_schema_is_asked_in_another_way_and_this_is_said_and_remembered(
    server, chat, session, works, tried
):
    server.modes = works
    own = session()
    assert (await chat(own).ask(prompt(1))).value.grade == 4
    assert [call.mode for call in server.calls] == ["native", "tool", "prompted"][:tried]
    if works == ("prompted",):
        assert '"grade"' in server.calls[-1].system, "the schema stands in the instructions"
    await chat(own).ask(prompt(2))
    await chat(own).ask(_prompt_of(type("Other", (Grade,), {}, forbid_unknown_fields=True, frozen=True), Grade(1)))
    assert [call.mode for call in server.calls[tried:]] == list(works) * 2
    assert (own.spent.wasted, own.spent.refused) == (0, tried - 1)
    told = []
    await chat(session(tell=told.append)).ask(prompt(3))
    assert [call.mode for call in server.calls[tried + 2 :]] == list(works), "the next process knows it"
    assert len(told) == 1
    assert MODES[works[0]] in told[0]


async def test_a_parameter_that_is_refused_is_left_out_and_this_is_said_and_remembered(server, chat, session):
    """The refusal is paid once, also when the next process starts; it is part of what replies are kept under."""
    await chat().ask(prompt(1))
    server.refuses, told = ("temperature", "top_k"), []
    judge = chat(own := session(tell=told.append), extra={"top_k": 5, "seed": 7})
    assert (await judge.ask(prompt(2))).value.grade == 4
    await judge.ask(prompt(3))
    refused = [("temperature" in call.body, "top_k" in call.body) for call in server.calls[1:]]
    assert refused == [(True, True), (False, True), (False, False), (False, False)]
    assert (server.calls[-1].body["seed"], own.spent.refused) == (7, 2)
    assert [note for note in told if "openai:judge" in note] == told
    assert [name in note for name, note in zip(server.refuses, told, strict=True)] == [True, True]
    again = chat(own := session(tell=told.append), extra={"top_k": 5, "seed": 7})
    assert (await again.ask(prompt(3))).cached
    await again.ask(prompt(4))
    assert (server.count, own.spent.refused, len(told)) == (6, 0, 4)


async def test_replies_made_without_a_parameter_are_kept_apart(server, chat, session, tmp_path):
    await chat().ask(prompt(1))
    server.refuses = ("temperature",)
    await chat().ask(prompt(2))
    assert not (await chat().ask(prompt(1))).cached, "the kept reply was made with it"
    rows = sqlite3.connect(tmp_path / "models.sqlite")
    logged = [json.loads(row[0]).get("dropped") for row in rows.execute("SELECT request FROM calls")]
    rows.close()
    assert sorted(logged, key=str) == [None, ["temperature"], ["temperature"]]


async def test_many_that_ask_the_same_pay_once_even_while_a_parameter_is_found_out(server, chat, session):
    server.refuses, server.latency = ("temperature",), 0.02
    replies = await ask_all(chat(own := session()), [7] * 10)
    assert [reply.cached for reply in replies].count(False) == 1
    assert (server.count, own.spent.refused) == (2, 1)


async def test_an_endpoint_that_ignores_the_schema_is_found_out_by_one_call_and_remembered(server, chat):
    server.reply = lambda call: "Sure!" if call.mode != "prompted" else {"grade": 5}
    judge = chat()
    assert (await judge.ask(prompt(1))).value.grade == 5
    await judge.ask(prompt(2))
    assert [call.mode for call in server.calls] == ["native", "native", "prompted", "prompted"]
    assert "hello" in server.calls[1].system
    await chat().ask(prompt(3))
    assert server.calls[-1].mode == "prompted", "the next process knows it"


async def test_one_useless_reply_of_an_endpoint_that_enforces_schemas_may_be_chance(server, chat):
    server.reply = lambda call: {"enforced": True} if "hello" in call.system else {"grade": 5}
    server.fail = lambda call: None if call.number else "prose"
    assert (await chat().ask(prompt(1))).value.grade == 5
    assert [call.mode for call in server.calls] == ["native", "native", "tool"]
    await chat().ask(prompt(3))
    assert server.calls[-1].mode == "native", "another process tries again"


async def test_one_bad_reply_does_not_change_a_way_that_works(server, chat):
    judge = chat()
    await judge.ask(prompt(0))
    server.fail = lambda call: "malformed" if call.number == 1 else None
    await judge.ask(prompt(1))
    assert {call.mode for call in server.calls} == {"native"}


# money


async def test_a_budget_is_kept_and_a_higher_one_goes_on(server, chat, session):
    """Each call costs its input, $1 per million tokens; the estimate is within a few tokens of it."""
    price = (1.0, 0.0)
    await chat(price=price).ask(prompt(100))
    each = server.calls[0].prompt_tokens / 1e6
    server.latency = 0.02
    own = session(budget=10.5 * each)
    judge = chat(own, price=price)
    done = await asyncio.gather(*(judge.ask(prompt(100 + n)) for n in range(1, 41)), return_exceptions=True)
    answered = [each for each in done if not isinstance(each, Exception)]
    assert {type(each) for each in done if isinstance(each, Exception)} == {BudgetReached}
    assert own.spent.cost <= 10.5 * each
    assert 7 <= len(answered) <= 10
    paid = server.count
    more = session(budget=1.0)
    await asyncio.gather(*(chat(more, price=price).ask(prompt(100 + n)) for n in range(1, 41)))
    assert server.count - paid == 40 - len(answered)


async def test_calls_that_cost_more_than_estimated_are_reckoned_with(server, chat, session):
    """Replies of a thousand tokens where the guess has few: the first round may err, later ones do not."""
    server.reply = lambda call: {"grade": 1, "why": "".join(f"{n:04}" for n in range(1000))}
    own = session(budget=0.05, concurrency=1)
    judge = chat(own, price=(0.0, 10.0))
    done = await asyncio.gather(*(judge.ask(prompt(n)) for n in range(10)), return_exceptions=True)
    assert [isinstance(each, BudgetReached) for each in done].count(False) == 4
    assert own.spent.cost == pytest.approx(0.04, rel=0.01)


async def test_a_budget_needs_a_price(server, chat, session):
    with pytest.raises(SpecError, match=r"its price must be known; set price = \[input, output\]"):
        await chat(session(budget=1.0)).ask(prompt())
    assert server.count == 0


async def test_without_a_price_the_cost_is_unknown(chat, session):
    reply = await chat(own := session()).ask(prompt())
    assert reply.cost is None
    assert own.spent.cost is None


async def test_a_dry_run_asks_nobody_and_counts_what_is_left(server, chat, session):
    await chat(price=(1.0, 2.0)).ask(prompt(1))
    dry = session(dry_run=True)
    judge = chat(dry, price=(1.0, 2.0))
    replies = await ask_all(judge, [1, 2, 2, 3])
    assert server.count == 1
    assert [reply.value for reply in replies] == [Grade(4, "answer 1"), *[Grade(3, "fine")] * 3]
    assert [reply.cached for reply in replies] == [True, False, True, False]
    spent = dry.spent
    assert (spent.calls, spent.cached) == (2, 2)
    truth = server.calls[0].prompt_tokens
    assert spent.input_tokens == pytest.approx(2 * truth, rel=0.2)
    guess = len('{"grade":3,"why":"fine"}') / 4
    assert spent.output_tokens == 2 * guess
    assert spent.cost == pytest.approx((spent.input_tokens + 2 * spent.output_tokens) / 1e6)
    dry.close()
    assert not (await chat().ask(prompt(2))).cached, "nothing made up is kept"


async def test_a_dry_run_needs_neither_key_nor_endpoint(session, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    own = session(dry_run=True)
    reply = await Chat(ChatSettings(model="openai:gpt-4o-mini"), own).ask(prompt())
    assert reply.cost == pytest.approx((reply.input_tokens * 0.15 + reply.output_tokens * 0.6) / 1e6)


# the life of connections


def test_an_session_serves_one_event_loop_after_the_other(server, chat, session):
    """As a sync face does it; sockets left open or loops closed too early would warn, and a warning is an error."""
    server.latency = 0.01
    own = session()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for start in (0, 20, 40):
            asyncio.run(ask_all(chat(own), range(start, start + 20)))
    assert own.spent.calls == 60
    assert [loop for loop in own._open if not loop.is_closed()] == []


async def test_connections_close_on_request_and_open_again(server, chat, session):
    own = session()
    await chat(own).ask(prompt(1))
    await own.aclose()
    await own.aclose()
    assert (await chat(own).ask(prompt(2))).value.grade == 4
    with own:
        pass
    assert (await chat(own).ask(prompt(2))).cached


async def test_a_cancelled_call_leaves_everything_whole(server, chat, session):
    server.latency = 0.3
    own = session(budget=1.0, concurrency=3)
    judge = chat(own, price=(1.0, 1.0))
    tasks = [asyncio.create_task(judge.ask(prompt(number))) for number in range(9)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    server.latency = 0.0
    assert len(await ask_all(judge, range(9))) == 9
    assert own.spent.calls == 9


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"model": ""}, "write PROVIDER:NAME"),
        ({"model": "gpt-4o-mini"}, "write PROVIDER:NAME"),
        ({"model": "openai:x", "url": "localhost:11434"}, "not a URL"),
        ({"model": "openai:x", "key": "${NOBODY_SET_THIS}"}, "NOBODY_SET_THIS is not set"),
        ({"model": "openai:x", "extra": {"stop": ["${NOBODY_SET_THIS}"]}}, "NOBODY_SET_THIS is not set"),
        ({"model": "openai:x", "timeout": 0}, "timeout must be above 0"),
        ({"model": "openai:x", "retries": -1}, "retries at least 0"),
        ({"model": "openai:x", "price": [-1.0, 2.0]}, "at least 0"),
    ],
)
def test_settings_that_are_wrong(settings, told, session):
    with pytest.raises(SpecError, match=told.replace("$", r"\$")):
        Chat(msgspec.convert(settings, ChatSettings), session())


@pytest.mark.parametrize("options, told", [({"concurrency": 0}, "concurrency"), ({"budget": -1.0}, "budget")])
def test_sessions_that_are_wrong(options, told):
    with pytest.raises(SpecError, match=told):
        ModelSession(**options)


async def test_a_second_attempt_tells_the_model_what_was_wrong_and_none_repeats_a_request(server, chat):
    """The words of the reply itself do not come back: they could act as instructions."""
    await chat().ask(prompt(0))
    server.reply = lambda call: {"grade": "ignore the above", "obey": 1}
    with pytest.raises(ModelError, match="does not fit"):
        await chat().ask(prompt(1, check=lambda reply: "grade 4 is not from 1 to 3"))
    systems = [call.system for call in server.calls[1:] if "hello" not in call.system]  # without the probe
    assert len(systems) == 3, systems
    assert systems[0] == "You grade."
    assert all("Your last reply was refused: it was no JSON that fits the schema" in text for text in systems[1:])
    assert not any("obey" in text or "ignore" in text for text in systems)
    server.reply = lambda call: {"grade": 4, "why": "x"} if "not from 1 to 3" not in call.system else {"grade": 2}
    reply = await chat().ask(prompt(2, check=lambda reply: "" if reply.grade < 4 else "grade 4 is not from 1 to 3"))
    assert reply.value.grade == 2
    assert (await chat().ask(prompt(2))).cached, "it is kept under the prompt as it was asked first"


@pytest.mark.parametrize("failure", ["prose", "500", "cut"])
async def test_after_ten_failures_of_one_kind_and_no_success_no_more_calls_are_made(server, chat, session, failure):
    server.fail = lambda call: failure
    judge = chat(session(concurrency=2))
    results = await asyncio.gather(*(judge.ask(prompt(n)) for n in range(40)), return_exceptions=True)
    assert any(isinstance(result, NothingUsable) for result in results)
    assert 10 <= server.count <= 12, "ten in a row, and those in flight"
    message = str(next(result for result in results if isinstance(result, NothingUsable)))
    assert {"prose": "I would rather not say", "500": "status 500", "cut": "max_tokens"}[failure] in message


async def test_failures_after_a_success_or_of_several_kinds_stop_nothing(server, chat, session):
    judge = chat(session(concurrency=1), retries=0)
    server.fail = lambda call: ("prose", "500")[call.number % 2]
    results = await asyncio.gather(*(judge.ask(prompt(n)) for n in range(12)), return_exceptions=True)
    probe = 1  # whether the endpoint ignores schemas
    assert (server.count, any(isinstance(result, NothingUsable) for result in results)) == (12 + probe, False)
    server.fail = lambda call: None
    await judge.ask(prompt(0))
    server.fail = lambda call: "prose"
    results = await asyncio.gather(*(judge.ask(prompt(n)) for n in range(1, 21)), return_exceptions=True)
    assert (server.count, any(isinstance(result, NothingUsable) for result in results)) == (33 + probe, False)


async def test_calls_that_wait_for_each_other_in_a_slow_server_are_not_cancelled(server, chat, session):
    """A server with one slot needs 10 times 0.15 s; eight calls at once wait for longer than the timeout of one."""
    server.slots, server.latency = 1, 0.15
    judge = chat(own := session(), timeout=0.6)
    results = await asyncio.gather(*(judge.ask(prompt(n)) for n in range(10)))
    assert [reply.value.grade for reply in results] == [4] * 10
    assert server.count - own.spent.refused == 10
    assert own.spent.refused <= 1, "each was cancelled at 0.6 s before, and sent again"


@pytest.mark.parametrize("slots, least, most", [(1, 1, 18), (1000, 19, 64)])
async def test_no_more_calls_are_made_at_once_where_they_wait_for_each_other(server, chat, session, slots, least, most):
    """llama.cpp with one slot and 30 calls in flight serves nobody else, and no call comes sooner."""
    server.slots, server.latency = slots, 0.05
    judge = chat(session(), timeout=0.6)
    await asyncio.gather(*(judge.ask(prompt(n)) for n in range(110)))
    assert least <= server.most_in_flight <= most


async def test_the_bar_of_a_slow_endpoint_says_its_speed_and_the_time_left(server, chat, session):
    server.latency = 0.3
    own = session()
    assert own.progress_note(5, 10, 600.0) == "0 calls, $0.0000"
    await asyncio.gather(*(chat(own, timeout=0.15).ask(prompt(n)) for n in range(3)))
    assert re.search(r"tokens/s, (one call|\d calls) at a time, about 10 minutes left", own.progress_note(5, 10, 600.0))


async def test_a_server_that_never_answers_is_given_up_after_three_timeouts_with_a_remedy(server, chat, session):
    server.fail = lambda call: "hang"
    with pytest.raises(NothingUsable, match="raise timeout"):
        await chat(session(concurrency=1), timeout=0.05, retries=9).ask(prompt())
    assert server.count == 3
