import asyncio
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import perf_counter

import msgspec
import pytest
from aiohttp import web
from targets.loopback import WAIT, read_by_now

from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Hit, Item
from neraca.targets.http import HttpTarget
from neraca.targets.target import Conversation, partial_of

CHAT = [
    {"role": "user", "content": "halo"},
    {"role": "assistant", "content": "Halo!"},
    {"role": "user", "content": "2 kamar?"},
    {"role": "assistant", "content": "Ada."},
    {"role": "user", "content": 'rumah "murah" di Medan?'},
]


@pytest.fixture
async def made():
    """Makes targets, and closes them whatever becomes of the test."""
    targets = []

    def make(settings) -> HttpTarget:
        targets.append(HttpTarget(settings))
        return targets[-1]

    yield make
    for target in targets:
        await target.close()


@pytest.fixture
async def ask(made, item, talk):
    """Asks one question of a target with these settings."""

    async def once(url: str, **settings) -> Answer:
        return await made({"kind": "http", "url": url, **settings}).ask(item, talk)

    return once


def answer_with(reply, **more):
    """A handler that answers every request with this JSON."""

    async def handler(request):
        await request.read()
        return web.json_response(reply, **more)

    return handler


def echo(seen: dict):
    async def handler(request):
        body = await request.read()
        seen.update(method=request.method, path=request.raw_path, headers=request.headers, body=body)
        return web.json_response({"answer": "ok"})

    return handler


def stream_of(*pieces: bytes, kind="text/event-stream", apart=False):
    """A handler that sends these pieces; `apart`: each only when the one before it has been read."""

    async def handler(request):
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            if apart:
                await read_by_now()
        return response

    return handler


async def test_the_usual_request_and_reply(serve, ask):
    seen = {}
    url = await serve(echo(seen))
    started = perf_counter()
    answer = await ask(url)
    elapsed = perf_counter() - started
    assert seen["method"] == "POST"
    assert seen["headers"]["Content-Type"] == "application/json"
    assert msgspec.json.decode(seen["body"]) == {"query": 'rumah "murah" di Medan?', "session": "c-7"}
    assert (answer.item, answer.trial, answer.text, answer.status) == ("q1", 2, "ok", "complete")
    assert 0 < answer.seconds <= elapsed
    assert answer.first_token_seconds is None


async def test_everything_of_a_request_is_a_template(serve, ask):
    seen = {}
    url = await serve(echo(seen))
    await ask(
        f"{url}/v1/{{item.session}}/{{query}}",
        method="put",
        headers={"X-Session": "id {session}", "Content-Type": "application/vnd.shop+json"},
        params={"q": "{query}", "n": 5, "tag": ["a", "{trial}"], "none": None, "deep": "{history}"},
        body={"messages": [{"role": "system", "content": "{{}}"}, "{messages}"], "top": 3},
    )
    assert seen["method"] == "PUT"
    path, _, query = seen["path"].partition("?")
    assert path == "/v1/s/rumah%20%22murah%22%20di%20Medan%3F"
    assert "n=5&tag=a&tag=2&deep=" in query
    assert "none" not in query
    assert seen["headers"]["X-Session"] == "id c-7"
    assert seen["headers"]["Content-Type"] == "application/vnd.shop+json"
    sent = msgspec.json.decode(seen["body"])
    assert sent == {"messages": [{"role": "system", "content": "{}"}, *CHAT], "top": 3}


async def test_forms_and_plain_bodies(serve, ask):
    seen = {}
    url = await serve(echo(seen))
    await ask(url, form={"q": "{query}", "n": 1})
    assert seen["body"] == b"q=rumah+%22murah%22+di+Medan%3F&n=1"
    assert seen["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
    await ask(url, body="Q: {query}")
    assert seen["body"] == b'Q: rumah "murah" di Medan?'
    assert seen["headers"]["Content-Type"].startswith("text/plain")


async def test_a_get_sends_no_body(serve, ask):
    seen = {}
    await ask(f"{await serve(echo(seen))}/s?lang=id", method="GET", params={"q": "{query}"})
    assert seen["method"] == "GET"
    assert seen["body"] == b""
    assert seen["path"].startswith("/s?lang=id&q=rumah")


async def test_openai(serve, ask):
    seen = {}

    async def handler(request):
        seen.update(await request.json(), key=request.headers["Authorization"])
        message = {"role": "assistant", "content": "Ada tiga."}
        return web.json_response({"choices": [{"index": 0, "message": message}], "usage": {"total_tokens": 9}})

    answer = await ask(
        await serve(handler),
        headers={"Authorization": "Bearer k"},
        body={"model": "m", "messages": "{messages}"},
        response={"text": "choices.0.message.content"},
    )
    assert seen == {"model": "m", "messages": CHAT, "key": "Bearer k"}
    assert (answer.text, answer.usage) == ("Ada tiga.", {"total_tokens": 9})


@pytest.mark.parametrize("response", [{}, {"text": "choices.0.delta.content?"}])
async def test_openai_streaming(serve, ask, response):
    handler = stream_of(
        b'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n',
        b'data: {"choices":[{"delta":{"content":"Ada "}}]}\n\ndata: {"choices":[{"delta"',
        b':{"content":"ti\xc3',
        b'\xa9ga"}}]}\n\n',
        b'data: {"choices":[{"delta":{}}]}\n\ndata: {"choices":[],"usage":{"total_tokens":9}}\n\ndata: [DONE]\n\n',
        apart=True,
    )
    answer = await ask(await serve(handler), response=response)
    assert (answer.text, answer.usage) == ("Ada tiéga", {"total_tokens": 9})
    # one wait stands before the first word, and two behind it, of which most of one may be over when it is read
    assert WAIT <= answer.first_token_seconds <= answer.seconds - WAIT


async def test_anthropic_streaming(serve, ask):
    events = [
        ("message_start", '{"type":"message_start","message":{"content":[],"usage":{"input_tokens":25}}}'),
        ("content_block_start", '{"type":"content_block_start","content_block":{"type":"text","text":""}}'),
        ("ping", '{"type": "ping"}'),
        ("content_block_delta", '{"type":"content_block_delta","delta":{"type":"text_delta","text":"Ada"}}'),
        ("content_block_delta", '{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"x"}}'),
        ("content_block_delta", '{"type":"content_block_delta","delta":{"type":"text_delta","text":"!"}}'),
        ("message_delta", '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}'),
        ("message_stop", '{"type":"message_stop"}'),
    ]
    data = "".join(f"event: {name}\r\ndata: {data}\r\n\r\n" for name, data in events).encode()
    url = await serve(stream_of(data[:150], data[150:]))
    for response in ({}, {"text": "delta.text"}):
        answer = await ask(url, response=response)
        assert answer.text == "Ada!"
        assert answer.usage == {"input_tokens": 25, "output_tokens": 15}


async def test_anthropic_overloaded_in_the_middle(serve, ask):
    handler = stream_of(
        b'event: content_block_delta\ndata: {"delta":{"text":"Ada"}}\n\n',
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    )
    with pytest.raises(TargetError, match="the target replied with an error: Overloaded") as raised:
        await ask(await serve(handler))
    assert raised.value.again


async def test_gemini(serve, ask):
    seen = {}

    async def handler(request):
        seen.update(await request.json())
        content = {"role": "model", "parts": [{"text": "Ada "}, {"functionCall": {"name": "f"}}, {"text": "tiga."}]}
        return web.json_response({"candidates": [{"content": content}], "usageMetadata": {"totalTokenCount": 4}})

    answer = await ask(
        await serve(handler),
        body={"contents": "{contents}"},
        response={"text": "candidates.0.content.parts[*].text", "calls": "candidates.0.content.parts[*].functionCall"},
    )
    assert [part["role"] for part in seen["contents"]] == ["user", "model", "user", "model", "user"]
    assert (answer.text, answer.usage, answer.calls) == ("Ada tiga.", {"totalTokenCount": 4}, ({"name": "f"},))


async def test_gemini_streaming(serve, ask):
    piece = b'data: {"candidates": [{"content": {"parts": [{"text": "%s"}]}}]}\r\n\r\n'
    answer = await ask(await serve(stream_of(piece % b"Ada", piece % b" tiga")))
    assert answer.text == "Ada tiga"


async def test_json_lines_and_text_streams(serve, ask):
    lines = await serve(
        stream_of(b'{"response":"A', b'"}\n{"response":"da"}\n{"hits":[{"id":"7"}]}', kind="application/x-ndjson")
    )
    answer = await ask(lines)
    assert (answer.text, answer.hits) == ("Ada", (Hit(id="7"),))
    text = await serve(stream_of(b"A\xc3", b"\xa9da", kind="text/plain", apart=True))
    answer = await ask(text, stream="text")
    assert answer.text == "Aéda"
    assert answer.first_token_seconds is not None
    assert (await ask(text)).text == "Aéda"
    assert (await ask(await serve(stream_of(kind="text/plain")), stream="text")).text == ""


async def test_a_stream_of_whole_texts(serve, ask):
    url = await serve(stream_of(b'data: {"a":"A"}\n\n', b'data: {"a":"Ad"}\n\n', b'data: {"a":"Ada"}\n\n'))
    assert (await ask(url, stream_text="whole", response={"text": "a"})).text == "Ada"


async def test_a_stream_in_which_only_some_events_are_text(serve, ask):
    url = await serve(stream_of(b'event: log\ndata: {"text":"x"}\n\nevent: msg\ndata: {"text":"Ada"}\n\n'))
    assert (await ask(url, stream_events=["msg"])).text == "Ada"


async def test_a_stream_without_events(serve, ask):
    with pytest.raises(TargetError, match="the stream ended without an event") as raised:
        await ask(await serve(stream_of()))
    assert raised.value.again
    with pytest.raises(TargetError, match=r"without an event; it began with '\{\"answer\": \"x\"\}'") as raised:
        await ask(await serve(answer_with({"answer": "x"})), stream="sse")
    assert not raised.value.again


async def test_a_server_that_stays_open_after_done_holds_nobody_up(serve, ask):
    released = asyncio.Event()

    async def handler(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"text":"Ada"}\n\ndata: [DONE]\n\n')
        await released.wait()
        return response

    url = await serve(handler)
    started = perf_counter()
    try:
        async with asyncio.timeout(60):
            answer = await ask(url)
    finally:
        released.set()
    assert answer.text == "Ada"
    assert answer.seconds < perf_counter() - started - 0.04, "the wait for the end of the stream does not count"


async def test_a_finished_stream_gives_its_connection_back(serve, made, item, talk):
    ports = []

    async def handler(request):
        ports.append(request.transport.get_extra_info("peername")[1])
        return await stream_of(b'data: {"text":"Ada"}\n\ndata: [DONE]\n\n')(request)

    target = made({"url": await serve(handler)})
    for _ in range(3):
        await target.ask(item, talk)
    assert len(set(ports)) == 1


async def test_an_answer_cut_off_by_the_time_limit_is_not_lost(serve, made, stopped_after, item, talk):
    written, gone = asyncio.Event(), asyncio.Event()

    async def handler(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"text":"Ada "}\n\ndata: {"text":"tiga"}\n\n')
        written.set()
        try:
            while True:
                await asyncio.sleep(0.01)
                await response.write(b": still here\n\n")
        except (ConnectionError, asyncio.CancelledError):
            gone.set()
            raise

    target = made({"url": await serve(handler)})
    with pytest.raises(TimeoutError) as raised:
        async with stopped_after(written):
            await target.ask(item, talk)
    partial = partial_of(raised.value)
    assert (partial.text, partial.status, partial.item, partial.trial) == ("Ada tiga", "timeout", "q1", 2)
    async with asyncio.timeout(60):
        await gone.wait()


@pytest.mark.parametrize(
    "status, again, refused",
    [
        *((status, False, True) for status in (400, 401, 404, 422)),
        *((status, True, False) for status in (408, 425, 429, 500, 503, 529)),
    ],
)
async def test_what_a_status_means(serve, ask, status, again, refused):
    url = await serve(answer_with({"detail": "x" * 500}, status=status))
    with pytest.raises(TargetError) as raised:
        await ask(f"{url}/chat?key=hidden")
    told = str(raised.value)
    assert told.startswith(f"POST {url}/chat: {status}")
    assert told.count("x") < 310
    assert told.endswith("xxx")
    assert "hidden" not in told
    assert (raised.value.again, raised.value.refused, raised.value.after) == (again, refused, None)


@pytest.mark.parametrize(
    "status, value, least, most",
    [
        (429, "7", 7, 7),
        (503, "0.5", 0.5, 0.5),
        (429, timedelta(seconds=3600), 3500, 3600),
        (429, timedelta(seconds=-60), 0, 0),
    ],
)
async def test_retry_after(serve, ask, status, value, least, most):
    if isinstance(value, timedelta):
        value = format_datetime(datetime.now(UTC) + value, usegmt=True)
    with pytest.raises(TargetError) as raised:
        await ask(await serve(answer_with({}, status=status, headers={"Retry-After": value})))
    assert least <= raised.value.after <= most


@pytest.mark.parametrize("status, value", [(429, "soon"), (429, "-3"), (400, "7")])
async def test_retry_after_that_cannot_be_read_or_does_not_matter(serve, ask, status, value):
    with pytest.raises(TargetError) as raised:
        await ask(await serve(answer_with({}, status=status, headers={"Retry-After": value})))
    assert raised.value.after is None


async def test_no_redirect_is_followed_unless_the_settings_allow_it(serve, ask):
    """Another server would get the headers of the request, and so its key."""
    reached = []

    async def stranger(request):
        reached.append(request.headers.get("X-Api-Key"))
        return web.json_response({"answer": "from elsewhere"})

    async def handler(request):
        if request.path == "/new":
            return web.json_response({"answer": f"{request.method} {(await request.json())['query']}"})
        places = {"/old": ("/new", 307), "/seen": ("/new", 302), "/round": ("/round", 308), "/odd": ("ftp://x", 307)}
        places["/away"] = (elsewhere, 307)
        place, status = places[request.path]
        return web.Response(status=status, headers={"Location": place})

    url, elsewhere = await serve(handler), await serve(stranger)
    for path, options, reason in (
        ("old", {}, r'307: it redirects to .*/new; write this address as url, or redirects = "same-origin"'),
        ("seen", {"redirects": "same-origin"}, "302: it redirects to .*/new; where POST would become GET"),
        ("away", {"redirects": "same-origin"}, "another server would get the question and the headers"),
        ("away", {}, f"307: it redirects to {elsewhere}"),
        ("odd", {"redirects": "same-origin"}, "307: it redirects to ftp://x; another server"),
        ("round", {"redirects": "same-origin"}, "more than 5 redirects"),
    ):
        with pytest.raises(TargetError, match=reason) as raised:
            await ask(f"{url}/{path}", headers={"X-Api-Key": "s3cret"}, **options)
        assert not raised.value.again
    assert reached == []
    assert (await ask(f"{url}/old", redirects="same-origin")).text == 'POST rumah "murah" di Medan?'


async def test_connections_that_fail(serve, ask, unused_port):
    with pytest.raises(TargetError) as raised:
        await ask(f"http://user:pw@127.0.0.1:{unused_port}/chat?key=hidden")
    assert raised.value.again
    assert str(raised.value).startswith(f"POST http://127.0.0.1:{unused_port}/chat: ClientConnectorError")
    assert "hidden" not in str(raised.value)
    assert "pw" not in str(raised.value)
    with pytest.raises(TargetError, match=r"ClientConnector.*Error") as raised:
        await ask("http://neraca.invalid/chat")
    assert raised.value.again


@pytest.fixture
async def unused_port():
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


@pytest.fixture
async def raw():
    """A server that answers with bytes as given and hangs up."""
    servers = []

    async def start(data: bytes) -> str:
        async def talk(reader, writer):
            await reader.read(100)
            writer.write(data)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    yield start
    for server in servers:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize(
    "data, told, again",
    [
        (b"", "ServerDisconnectedError|ClientOSError", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", "ClientPayloadError", True),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:",
            "PayloadError",
            True,
        ),
        (b"nonsense\r\n\r\n", "not understood as HTTP", False),
    ],
)
async def test_replies_that_break_off(raw, ask, data, told, again):
    with pytest.raises(TargetError, match=told) as raised:
        await ask(await raw(data))
    assert raised.value.again is again


def page(body, **more):
    """A handler that answers with this body."""

    async def handler(request):
        return web.Response(body=body, **more)

    return handler


async def test_what_is_not_json_is_shown(serve, ask):
    with pytest.raises(TargetError, match=r"the reply is not JSON.*it begins with '<html> login"):
        await ask(await serve(page(b"<html>\n login" + b"x" * 900, content_type="text/html")))
    with pytest.raises(TargetError, match="it is empty"):
        await ask(await serve(page(b"")))
    with pytest.raises(TargetError, match="the reply is not JSON"):
        await ask(await serve(page(b"\xff{}", headers={"Content-Type": "application/json; charset=nonsense"})))
    assert (await ask(await serve(page(b"\xef\xbb\xbf" + b'{"answer": "a"}')))).text == "a"
    latin = page('{"answer": "é"}'.encode("latin-1"), headers={"Content-Type": "application/json; charset=latin-1"})
    assert (await ask(await serve(latin))).text == "é"
    assert (await ask(await serve(page(b"Ada.", content_type="text/plain")))).text == "Ada."
    assert (await ask(await serve(page(b'{"answer": "a"}', content_type="text/plain")))).text == "a"


@pytest.mark.parametrize("reply", [{"answer": ""}, ""])
async def test_an_empty_text_is_a_complete_answer(serve, ask, reply):
    answer = await ask(await serve(answer_with(reply)))
    assert (answer.text, answer.status) == ("", "complete")


@pytest.mark.parametrize(
    "body, problem",
    [
        (b"null", "the reply is null"),
        (b'{"answer": null}', "answer is null, and there are neither hits nor tool calls"),
        (b"[" * 20_000 + b"]" * 20_000, r"the reply is JSON that is nested too deeply; it begins with '\[\[\["),
    ],
    ids=["null", "text is null", "deep"],
)
async def test_null_and_deep_json_are_named(serve, ask, body, problem):
    with pytest.raises(TargetError, match=problem):
        await ask(await serve(page(body, content_type="application/json")))


async def test_a_wrong_path_names_the_request_and_what_is_there(serve, ask):
    url = await serve(answer_with({"data": {"reply": "x"}}))
    with pytest.raises(TargetError) as raised:
        await ask(url, response={"text": "data.answer"})
    assert str(raised.value) == f"POST {url}: nothing at data.answer: data has no 'answer' (it has: reply)"
    assert not raised.value.again


async def test_a_reply_that_is_too_long(serve, ask):
    url = await serve(answer_with({"answer": "x" * 300_000}))
    assert len((await ask(url, max_megabytes=0.4)).text) == 300_000
    with pytest.raises(TargetError, match=r"longer than 0.2 MB; raise max_megabytes"):
        await ask(url, max_megabytes=0.2)
    stream = await serve(stream_of(b"x" * 300_000))
    with pytest.raises(TargetError, match=r"longer than 0.2 MB"):
        await ask(stream, stream="text", max_megabytes=0.2)
    with pytest.raises(TargetError, match=r": 500 Internal Server Error$"):
        await ask(await serve(answer_with("x" * 1_200_000, status=500)))


async def test_secrets_are_never_told(serve, ask, monkeypatch):
    secret = 'sk-"123/456 789'
    monkeypatch.setenv("NERACA_KEY", secret)

    async def handler(request):
        key = request.headers["X-Key"].removeprefix("Bearer ")
        if request.path == "/bad":
            return web.json_response({"you sent": key, "pad": "." * 270 + key}, status=401)
        if request.path == "/page":
            return web.Response(text=f"<html>{'.' * 285}{key}", content_type="text/html")
        if request.path == "/error":
            return web.json_response({"error": {"message": f"wrong key {key}"}})
        if request.path == "/stream":
            return await stream_of(f"event: error\ndata: {key} is wrong\n\n".encode())(request)
        if request.path == "/broken":
            return await stream_of(b"data: {" + b"." * 290 + key.encode() + b"\n\n")(request)
        return web.json_response({"answer": "ok"} if key == secret else {}, status=200)

    url = await serve(handler)
    settings = {"headers": {"X-Key": "Bearer ${NERACA_KEY}"}, "response": {"text": "answer"}}
    assert (await ask(f"{url}/fine", **settings)).text == "ok"
    paths = [f"{url}/{path}" for path in ("bad", "page", "error", "stream", "broken")]
    for path in (*paths, "http://127.0.0.1:1/${NERACA_KEY}"):
        with pytest.raises(TargetError) as raised:
            await ask(path, **settings)
        assert "sk-" not in str(raised.value), path
        assert raised.value.__cause__ is None
    with pytest.raises(TargetError, match="wrong key \\$"):
        await ask(f"{url}/error", **settings)


async def test_a_missing_secret_is_found_before_the_first_question():
    with pytest.raises(SpecError, match="target 'api': headers: the environment variable NERACA_NOT_SET is not set"):
        HttpTarget({"name": "api", "url": "http://x", "headers": {"X-Key": "${NERACA_NOT_SET}"}})


async def test_a_question_cannot_break_out_of_a_header(serve, made, talk):
    target = made({"url": await serve(answer_with({"answer": "x"})), "headers": {"X-Q": "{query}"}})
    with pytest.raises(TargetError, match=r"(?i)newline|header"):
        await target.ask(Item(id="1", query="a\r\nX-Admin: 1"), talk)


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"url": "127.0.0.1:8000/chat"}, "'127.0.0.1:8000/chat' is not a URL; write http://HOST/PATH"),
        ({"url": "ftp://user:pw@host"}, "'ftp://host' is not a URL"),
        ({"url": "http://[x"}, "is not a URL"),
        ({"url": "http://x", "method": "GET"}, "the question is nowhere in the request"),
        ({"url": "http://x", "body": {"a": 1}}, "the question is nowhere in the request"),
        ({"url": "http://x", "method": "PO ST"}, "'PO ST' is not an HTTP method"),
        ({"url": "http://x", "body": {}, "form": {}}, "give body or form, not both"),
        ({"url": "http://x", "connect_timeout": 0}, "must be above 0"),
        ({"url": "http://a:b@x", "headers": {"authorization": "x"}}, "an Authorization header, not both"),
        ({"url": "http://x", "body": {"q": "{question}"}}, "body: no placeholder {question}"),
        ({"url": "http://x", "response": {"text": "a[b"}}, "response.text: cannot read the path"),
    ],
)
def test_wrong_settings(settings, told):
    with pytest.raises(SpecError) as raised:
        HttpTarget({"kind": "http", **settings})
    assert told in str(raised.value)


async def test_a_url_that_only_one_question_spoils(made, talk):
    target = made({"url": "{item.extra.url}"})
    with pytest.raises(TargetError, match=r"item '1': .* is not a URL"):
        await target.ask(Item(id="1", query="q", extra={"url": "nowhere"}), talk)
    with pytest.raises(TargetError, match="has no extra column 'url'"):
        await target.ask(Item(id="1", query="q"), talk)


@pytest.mark.parametrize(
    "settings, stateful",
    [
        ({}, True),
        ({"body": {"q": "{query}", "s": "{session}"}}, True),
        ({"body": {"q": "{query}", "s": "{session}", "h": "{history}"}}, False),
        ({"body": {"m": "{messages}"}, "headers": {"X-Session": "{session}"}}, False),
        ({"body": {"q": "{query}"}}, False),
        ({"body": {"q": "{query}"}, "headers": {"X-Session": "{session}"}}, True),
        ({"body": {"q": "{query}"}, "stateful": True}, True),
        ({"stateful": False}, False),
    ],
)
def test_who_remembers_the_conversation(settings, stateful):
    assert HttpTarget({"url": "http://x", **settings}).stateful is stateful


async def test_cookies_do_not_join_conversations(serve, made, item):
    seen = []

    async def handler(request):
        seen.append(dict(request.cookies))
        response = web.json_response({"answer": "x"})
        response.set_cookie("session", "1")
        return response

    url = (await serve(handler)).replace("127.0.0.1", "localhost")  # cookies of bare addresses are never kept
    target = made({"url": url})
    await target.ask(item, Conversation(id="a"))
    await target.ask(item, Conversation(id="b"))
    assert seen == [{}, {}]


async def test_many_at_once_and_again_after_closing(serve, made, talk):
    waiting = 0
    together = asyncio.Event()

    async def handler(request):
        nonlocal waiting
        waiting += 1
        if waiting == 150:
            together.set()
        await together.wait()
        return web.json_response({"answer": (await request.json())["query"]})

    target = made({"url": await serve(handler)})
    async with asyncio.timeout(120):
        answers = await asyncio.gather(*(target.ask(Item(id=str(n), query=f"q{n}"), talk) for n in range(150)))
    assert [answer.text for answer in answers] == [f"q{n}" for n in range(150)]
    await target.close()
    assert (await target.ask(Item(id="1", query="x"), talk)).text == "x"
    await target.close()
    await target.close()


async def test_a_proxy_is_asked(serve, ask):
    seen = {}

    async def proxy(request):
        seen["path"] = str(request.url)
        return web.json_response({"answer": "by proxy"})

    assert (await ask("http://neraca.invalid/chat", proxy=await serve(proxy))).text == "by proxy"
    assert seen["path"] == "http://neraca.invalid/chat"


async def test_certificates(ask, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    app = web.Application()
    app.router.add_post("/", answer_with({"answer": "tls"}))
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    url = f"https://127.0.0.1:{runner.addresses[0][1]}/"
    with pytest.raises(TargetError, match="CERTIFICATE_VERIFY_FAILED") as raised:
        await ask(url)
    assert not raised.value.again
    assert (await ask(url, verify_tls=False)).text == "tls"
    await runner.cleanup()


async def test_numbers_that_json_does_not_have_do_not_cost_the_answer(serve, ask):
    hits = [{"id": "1", "score": float("nan")}, {"id": "2", "score": float("-inf")}]
    answer = await ask(await serve(answer_with({"response": "here", "results": hits})))
    assert (answer.text, [hit.id for hit in answer.hits]) == ("here", ["1", "2"])
    assert all(hit.score is None for hit in answer.hits)
