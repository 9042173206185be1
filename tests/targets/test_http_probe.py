"""Finding the request that a service wants, against real servers on loopback."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from targets.json_service import Reply, json_service

from neraca.targets.http_probe import guess_shapes, probe_http, target_file


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], str]]:
    """`serve(reply)`: the address of a service, as `json_service` makes it."""
    with ExitStack() as stack:
        yield lambda reply: stack.enter_context(json_service(reply))


@pytest.mark.parametrize("name", ["message", "question", "pertanyaan", "pregunta"])
async def test_the_name_of_the_question_is_found(serve: Callable[[Reply], str], name: str) -> None:
    url = serve(lambda sent: {"answer": f"about {sent[name]}"} if name in sent else 422)
    probed = await probe_http(url, "rooms?", 5)
    assert probed.answer is not None
    assert probed.answer.text == "about rooms?"
    written = tomllib.loads(target_file(url, probed.settings or {}))
    assert (written["kind"], written["url"], written["body"][name]) == ("http", url, "{query}")


async def test_a_request_whose_question_is_not_read_is_passed_over(serve: Callable[[Reply], str]) -> None:
    url = serve(lambda sent: {"answer": f"about {sent['pesan']}" if "pesan" in sent else "How can I help you?"})
    probed = await probe_http(url, "rumah?", 5)
    assert (probed.reads_question, probed.settings) == (True, {"body": {"pesan": "{query}"}})
    assert {failure for _, failure in probed.failures} == {"the answer is the same without the question"}


async def test_a_service_that_always_says_the_same_is_found_and_doubted(serve: Callable[[Reply], str]) -> None:
    probed = await probe_http(serve(lambda sent: {"answer": "Hello"}), "rooms?", 5)
    assert (probed.reads_question, probed.answer and probed.answer.text) == (False, "Hello")
    assert probed.settings == {"body": {"query": "{query}", "session": "{session}"}}


async def test_a_form_and_a_get_are_tried_after_json(serve: Callable[[Reply], str]) -> None:
    form = await probe_http(serve(lambda sent: {"text": sent["form"]} if "form" in sent else 415), "a b", 5)
    assert (form.settings, form.answer and form.answer.text) == ({"form": {"query": "{query}"}}, "query=a+b")
    get = await probe_http(serve(lambda sent: {"text": sent["q"]} if sent["method"] == "GET" else 405), "a b", 5)
    assert (get.settings, get.answer and get.answer.text) == ({"method": "GET", "params": {"q": "{query}"}}, "a b")


async def test_names_of_answers_in_other_languages_are_understood(serve: Callable[[Reply], str]) -> None:
    reply = {"jawaban": "Ada.", "properti": [{"id": "A1", "deskripsi": "Rumah", "harga": 5}]}
    answer = (await probe_http(serve(lambda sent: reply), "rumah?", 5)).answer
    assert answer is not None
    assert (answer.text, [(hit.id, hit.text, dict(hit.fields)) for hit in answer.hits]) == (
        "Ada.",
        [("A1", "Rumah", {"deskripsi": "Rumah", "harga": 5})],
    )


async def test_an_unknown_shape_is_guessed_and_written(serve: Callable[[Reply], str]) -> None:
    reply = {"ok": "1", "x.y": {"pesan_bot": "Ada dua rumah.", "daftar": [{"id": "A1"}, {"id": "A2"}]}}
    url = serve(lambda sent: reply)
    probed = await probe_http(url, "rumah?", 5)
    assert probed.answer is not None
    assert (probed.answer.text, len(probed.answer.hits)) == ("Ada dua rumah.", 2)
    response = tomllib.loads(target_file(url, probed.settings or {}))["response"]
    assert response == {"text": '["x.y"].pesan_bot', "hits": '["x.y"].daftar'}
    assert guess_shapes({"n": 1}) == []


@pytest.mark.parametrize("status, tried", [(404, 1), (401, 1), (500, 26)])
async def test_what_no_request_can_mend_is_not_tried_again(
    serve: Callable[[Reply], str], status: int, tried: int
) -> None:
    probed = await probe_http(serve(lambda sent: status), "?", 5)
    assert (probed.answer, len(probed.failures)) == (None, tried)
