import asyncio
import contextvars
import functools
import sys
import threading
import time
from collections import namedtuple
from dataclasses import dataclass

import msgspec
import numpy as np
import pytest

from neraca.errors import InputError, SpecError, TargetError
from neraca.records import Answer, Hit, Item
from neraca.targets.python import PythonTarget
from neraca.targets.target import make_target, partial_of

PAST = [{"query": "halo", "text": "Halo!"}, {"query": "2 kamar?", "text": "Ada."}]


async def ask(function, item, talk):
    return await PythonTarget.of(function).ask(item, talk)


async def test_what_parameters_are_called_is_what_they_get(item, talk):
    def named(*, item, trial, session, messages, history, query):
        return repr((item.id, trial, session, messages[-1]["content"], history, query))

    expected = ("q1", 2, "c-7", item.query, PAST, item.query)
    assert (await ask(named, item, talk)).text == repr(expected)


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda question: f"{question}", 'rumah "murah" di Medan?'),
        (lambda question, past: f"{len(past)}", "2"),
        (lambda history, question: f"{len(history)} {question[:5]}", "2 rumah"),
        (lambda query, top=3, *, trial=9: f"{top} {trial}", "3 2"),
        (lambda query, top=3, session="": f"{top} {session}", "3 c-7"),
        (lambda query, /, *rest, **more: f"{query[:5]} {rest} {more}", "rumah () {}"),
        (lambda messages: messages[0]["content"], "halo"),
        (lambda item: item.tags["kind"], "price"),
        (functools.partial(lambda a, query: a + query[:5], "x"), "xrumah"),
        (str.upper, 'RUMAH "MURAH" DI MEDAN?'),
        (str, 'rumah "murah" di Medan?'),
    ],
)
async def test_how_functions_are_called(item, talk, function, text):
    assert (await ask(function, item, talk)).text == text


def test_functions_that_cannot_be_called():
    with pytest.raises(SpecError, match="requires 'top'; a target's function can have: query, history"):
        PythonTarget.of(lambda query, history, top: "")
    with pytest.raises(SpecError, match="requires 'top'"):
        PythonTarget.of(lambda query, *, top: "")
    with pytest.raises(SpecError, match="takes no question"):
        PythonTarget.of(lambda: "")
    with pytest.raises(SpecError, match="is not a function but str"):
        PythonTarget.of("shop:answer")


async def test_async_functions_and_objects(item, talk):
    class Bot:
        async def __call__(self, query):
            await asyncio.sleep(0.02)
            return query.upper()

        async def method(self, query):
            return "method"

    @functools.wraps(Bot().method)
    def wrapped(query):
        return Bot().method(query)

    started = time.perf_counter()
    answer = await ask(Bot(), item, talk)
    elapsed = time.perf_counter() - started
    assert answer.text == item.query.upper()
    assert 0.02 <= answer.seconds <= elapsed
    assert answer.first_token_seconds is None
    assert (await ask(Bot().method, item, talk)).text == "method"
    assert (await ask(wrapped, item, talk)).text == "method"


async def test_plain_functions_run_side_by_side_and_know_their_context(item, talk):
    here = contextvars.ContextVar("here")
    here.set("context")
    together = threading.Barrier(40, timeout=120)

    def slow(query):
        together.wait()
        return here.get()

    target = PythonTarget.of(slow)
    answers = await asyncio.gather(*(target.ask(item, talk) for _ in range(40)))
    assert {answer.text for answer in answers} == {"context"}


@dataclass
class Doc:
    id: int
    text: str
    price: np.float32


class Model:
    """Stands for what pydantic makes."""

    def model_dump(self):
        return {"page_content": "p", "metadata": {"id": "m"}}


class Odd:
    def __str__(self):
        return "odd"


Pair = namedtuple("Pair", "text hits")


@pytest.mark.parametrize(
    "reply, expected",
    [
        ("a", Answer(item="q1", trial=2, text="a")),
        (("a", [Hit(id="x")]), Answer(item="q1", trial=2, text="a", hits=(Hit(id="x"),))),
        (Pair("a", ["b"]), None),
        (
            [Doc(3, "t", np.float32(1.5))],
            Answer(item="q1", trial=2, hits=(Hit(id="3", text="t", fields={"price": 1.5}),)),
        ),
        ([Model()], Answer(item="q1", trial=2, hits=(Hit(id="m", text="p"),))),
        (
            {
                "text": "a",
                "hits": [{"id": "x", "vector": np.arange(2), "odd": Odd(), 3: {4}}],
                "usage": {"n": np.int64(2)},
            },
            Answer(
                item="q1",
                trial=2,
                text="a",
                hits=(Hit(id="x", fields={"vector": [0, 1], "odd": "odd", "3": [4]}),),
                usage={"n": 2},
            ),
        ),
        (
            Answer(item="?", text="a", hits=(Hit(id="x", fields={"n": np.int64(1)}),), status="suspect", key="k"),
            Answer(item="q1", trial=2, text="a", hits=(Hit(id="x", fields={"n": 1}),), status="suspect"),
        ),
    ],
)
async def test_what_functions_may_return(item, talk, reply, expected):
    answer = await ask(lambda query: reply, item, talk)
    msgspec.json.encode(answer)
    if expected is None:
        assert (answer.text, [hit.text for hit in answer.hits]) == ("a", ["b"])
    else:
        assert msgspec.structs.replace(answer, seconds=None) == expected


async def test_what_functions_may_not_return(item, talk):
    with pytest.raises(TargetError, match="the reply must be text, a table or a list of hits; it is int"):
        await ask(lambda query: 3, item, talk)


async def test_pieces_as_they_come(item, talk):
    def pieces(query):
        time.sleep(0.03)
        yield "Ada "
        time.sleep(0.03)
        yield "tiga"
        yield {"hits": [{"id": "a"}], "usage": {"n": 3}}
        yield [Hit(id="b")]

    async def async_pieces(query):
        for piece in pieces(query):
            await asyncio.sleep(0)
            yield piece

    for function in (pieces, async_pieces, lambda query: pieces(query), lambda query: async_pieces(query)):
        answer = await ask(function, item, talk)
        assert (answer.text, answer.hits, answer.usage) == ("Ada tiga", (Hit(id="a"), Hit(id="b")), {"n": 3})
        assert 0.03 <= answer.first_token_seconds < answer.seconds - 0.025

    async def later(query):
        return pieces(query)

    assert (await ask(later, item, talk)).text == "Ada tiga"
    assert (await ask(lambda query: iter([]), item, talk)).text == ""


async def test_what_had_come_is_kept_when_stopped(item, talk, stopped_after):
    told, closed = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    go_on = threading.Event()

    async def async_pieces(query):
        try:
            yield "half"
            told.set()
            await asyncio.sleep(600)
        finally:
            loop.call_soon(closed.set)

    def pieces(query):
        yield "half"
        loop.call_soon_threadsafe(told.set)
        go_on.wait(600)

    for function in (async_pieces, pieces):
        told.clear()
        with pytest.raises(TimeoutError) as raised:
            async with stopped_after(told):
                await ask(function, item, talk)
        assert partial_of(raised.value).text == "half"
    go_on.set()
    assert closed.is_set()


async def test_a_generator_is_closed_when_a_piece_cannot_be_read(item, talk):
    closed = []

    async def pieces(query):
        try:
            yield 3
        finally:
            closed.append(True)

    with pytest.raises(TargetError, match="a piece of an answer must be text"):
        await ask(pieces, item, talk)
    assert closed == [True]


async def test_a_function_that_never_returns_holds_nobody_up(item, talk):
    go_on, returned = threading.Event(), threading.Event()

    def slow(query):
        go_on.wait(600)
        returned.set()

    target = PythonTarget.of(slow)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await target.ask(item, talk)
    assert not returned.is_set()
    assert any(thread.name == "neraca-ask" and thread.daemon for thread in threading.enumerate())
    go_on.set()
    await target.close()


def fail(query):
    raise {"value": ValueError("no such city"), "exit": SystemExit(3), "connection": ConnectionResetError("gone")}.get(
        query, TimeoutError()
    )


@pytest.mark.parametrize(
    "query, told, again",
    [
        ("value", r"fail raised ValueError: no such city \(test_python.py line \d+\)", False),
        ("exit", r"fail raised SystemExit: 3", False),
        ("connection", "fail raised ConnectionResetError: gone", True),
        ("time", r"fail raised TimeoutError \(", True),
    ],
)
async def test_what_functions_raise(talk, query, told, again):
    async def fail_later(query):
        fail(query)

    for function in (fail, functools.update_wrapper(fail_later, fail)):
        with pytest.raises(TargetError, match=told) as raised:
            await ask(function, Item(id="1", query=query), talk)
        assert raised.value.again is again
        assert not raised.value.refused


async def test_a_function_may_refuse_or_cancel_itself(item, talk):
    def refuse(query):
        raise TargetError("not my field", refused=True)

    async def cancel(query):
        raise asyncio.CancelledError

    with pytest.raises(TargetError, match=r"^not my field$") as raised:
        await ask(refuse, item, talk)
    assert raised.value.refused
    with pytest.raises(TargetError, match="cancelled itself"):
        await ask(cancel, item, talk)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("neraca_test_", "neraca_target_")):
            del sys.modules[name]


async def test_functions_are_found_from_the_current_directory(here, item, talk):
    (here / "neraca_test_shop").mkdir()
    (here / "neraca_test_shop" / "__init__.py").touch()
    (here / "neraca_test_shop" / "bot.py").write_text(
        "class Bot:\n    @staticmethod\n    def answer(q): return 'module'\n"
    )
    target = make_target({"kind": "python", "function": "neraca_test_shop.bot:Bot.answer"})
    assert (await target.ask(item, talk)).text == "module"
    assert target.stateful is False
    assert make_target({"kind": "python", "function": "neraca_test_shop.bot:Bot.answer", "stateful": True}).stateful


async def test_functions_are_found_in_files(here, item, talk):
    (here / "src").mkdir()
    (here / "src" / "neraca_test_side.py").write_text("WORD = 'file'\n")
    (here / "src" / "my bot.py").write_text(
        "from neraca_test_side import WORD\ndef a(q): return WORD\ndef b(q): return 'b'\n"
    )
    a, b = (make_target({"kind": "python", "function": f"src/my bot.py:{name}"}) for name in "ab")
    assert (await a.ask(item, talk)).text == "file"
    assert (await b.ask(item, talk)).text == "b"
    assert len([name for name in sys.modules if name.startswith("neraca_file_my bot")]) == 1


@pytest.mark.parametrize(
    "function, told",
    [
        ("bot", "cannot read function 'bot'; write module:function"),
        (":f", "cannot read function"),
        ("neraca_test_none.x:f", "no module 'neraca_test_none' in "),
        ("neraca_test_needs:f", "neraca_test_needs cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        (
            "neraca_test_broken:f",
            "neraca_test_broken cannot be imported: ZeroDivisionError: division by zero (neraca_test_broken.py line 2)",
        ),
        ("neraca_test_good:anser", "neraca_test_good has no 'anser'; did you mean answer?"),
        ("neraca_test_good:NUMBER", "neraca_test_good:NUMBER is not a function but int"),
        ("none.py:f", "none.py: no such file"),
        ("neraca_test_broken.py:f", "neraca_test_broken.py: cannot be loaded: ZeroDivisionError"),
    ],
)
def test_functions_that_are_not_there(here, function, told):
    (here / "neraca_test_good.py").write_text("NUMBER = 3\ndef answer(query): return ''\n")
    (here / "neraca_test_broken.py").write_text("\n1 / 0\n")
    (here / "neraca_test_needs.py").write_text("import nowhere\n")
    with pytest.raises((SpecError, InputError)) as raised:
        make_target({"kind": "python", "function": function})
    assert told in str(raised.value)
