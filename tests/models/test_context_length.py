"""The context length, where each kind of server tells it; the replies have the form of those servers' documentation."""

import asyncio
import threading
from contextlib import contextmanager

import pytest
from aiohttp import web

from neraca.models.context_length import ContextLength, context_length

MODELS = {"object": "list", "data": [{"id": "other", "max_model_len": 7}, {"id": "qwen", "max_model_len": 32768}]}
SERVERS = {
    "llama.cpp": ({"/props": {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2}}, 4096, True),
    "llama.cpp without props": (
        {"/v1/models": {"data": [{"id": "a.gguf", "meta": {"n_ctx_train": 32768}}]}},
        32768,
        False,
    ),
    "vllm": ({"/v1/models": MODELS}, 32768, True),
    "openrouter": ({"/v1/models": {"data": [{"id": "qwen", "context_length": 131072}]}}, 131072, True),
    "lm studio": (
        {
            "/v1/models": {"data": [{"id": "qwen"}, {"id": "other"}]},
            "/api/v0/models": {
                "data": [{"id": "qwen", "max_context_length": 32768, "loaded_context_length": 8192}, {"id": "other"}]
            },
        },
        8192,
        True,
    ),
    "tgi": ({"/info": {"model_id": "qwen", "max_total_tokens": 2048}}, 2048, True),
    "ollama, loaded": (
        {
            "/api/ps": {"models": [{"name": "qwen", "context_length": 4096}]},
            "/api/show": {"model_info": {"qwen2.context_length": 32768}},
        },
        4096,
        True,
    ),
    "ollama, not loaded": (
        {"/api/ps": {"models": []}, "/api/show": {"model_info": {"qwen2.context_length": 32768}}},
        32768,
        False,
    ),
}


@contextmanager
def serving(replies):
    """A server that has these replies, and nothing else."""
    loop, started = asyncio.new_event_loop(), threading.Event()
    state = {}

    async def live():
        state["over"] = asyncio.Event()

        async def answer(request):
            reply = replies.get(request.path)
            if reply is None:
                return web.Response(status=404)
            return web.Response(text=reply) if isinstance(reply, str) else web.json_response(reply)

        app = web.Application()
        app.router.add_route("*", "/{other:.*}", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        state["url"] = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        started.set()
        await state["over"].wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(live()), daemon=True)
    thread.start()
    started.wait()
    try:
        yield state["url"]
    finally:
        loop.call_soon_threadsafe(state["over"].set)
        thread.join()
        loop.close()


@pytest.mark.parametrize("name", SERVERS)
def test_each_server_tells_it_in_its_own_place(name):
    replies, tokens, served = SERVERS[name]
    with serving(replies) as url:
        assert asyncio.run(context_length("openai:qwen", url)) == ContextLength(tokens, served)


@pytest.mark.parametrize(
    "replies",
    [
        {},
        {"/props": "no JSON", "/v1/models": []},
        {"/v1/models": {"data": [{"id": "a"}, {"id": "b", "max_model_len": 9}]}, "/props": {"n_ctx": 3}},
        {"/api/show": {"model_info": {"qwen2.context_length": "long"}}, "/info": {"max_total_tokens": True}},
    ],
)
def test_a_server_that_does_not_say_is_not_guessed(replies):
    with serving(replies) as url:
        assert asyncio.run(context_length("openai:qwen", url)) is None


def test_a_server_that_is_not_there_says_nothing():
    assert asyncio.run(context_length("openai:qwen", "http://127.0.0.1:9/v1")) is None
