"""Our own way to OpenAI-compatible endpoints: what is sent where, and what each refusal means."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from models import llm_server
from models.conftest import KEY
from models.llm_server import LlmServer

from neraca.errors import BudgetReached, ModelError, SpecError
from neraca.models.model_session import Misconfigured
from neraca.models.openai import Connection, Refused, address, secret


@pytest.fixture
def answering(server, monkeypatch):
    """Let the server answer every call with this."""

    def set_reply(status, body, **headers):
        monkeypatch.setattr(
            llm_server, "_refusal", lambda failed: web.Response(status=status, body=body, headers=headers)
        )
        server.fail = lambda call: str(status)

    return set_reply


async def post(url, key=KEY, headers=None):
    async with Connection(address(url, "chat/completions"), key) as connection:
        return await connection.post(b'{"model": "judge", "messages": []}', headers)


async def failed(server, kind=Exception):
    with pytest.raises(kind) as caught:
        await post(server.url)
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "status, kind, again, crowded",
    [
        (307, Misconfigured, False, False),
        (400, Refused, False, False),
        (401, Misconfigured, False, False),
        (403, Misconfigured, False, False),
        (404, Misconfigured, False, False),
        (408, ModelError, True, False),
        (409, ModelError, True, False),
        (413, Refused, False, False),
        (418, ModelError, False, False),
        (422, Refused, False, False),
        (425, ModelError, True, False),
        (429, ModelError, True, True),
        (500, ModelError, True, False),
        (502, ModelError, True, False),
        (503, ModelError, True, True),
        (504, ModelError, True, False),
        (529, ModelError, True, True),
    ],
)
async def test_what_a_status_means(server, answering, status, kind, again, crowded):
    answering(status, b'{"error": {"message": "No, %s.", "code": "why"}}' % KEY.encode(), Location="/x?k=" + KEY)
    error = await failed(server)
    assert (type(error), error.again, error.crowded, error.after) == (kind, again, crowded, None)
    said = "moved to /x" if status == 307 else "No, ***. (why)"
    assert str(error) == f"status {status}: {said}"
    assert server.count == 1, "a redirect is not followed"


@pytest.mark.parametrize(
    "status, code",
    [
        (402, ""),
        (429, "insufficient_quota"),
        (429, "billing_hard_limit_reached"),
        (429, "credit_balance_exhausted"),
        (429, "project_spend_limit_exceeded"),
        (403, "organization_usage_limit_exceeded"),
    ],
)
async def test_an_account_without_money(server, answering, status, code):
    answering(status, b'{"error": {"message": "Pay first.", "type": "%s"}}' % code.encode())
    assert "no money or quota left" in str(await failed(server, BudgetReached))


async def test_too_many_requests_are_no_lack_of_money(server, answering):
    answering(429, b'{"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}}')
    assert (await failed(server, ModelError)).crowded


@pytest.mark.parametrize("status", [429, 500])
async def test_the_time_to_wait_is_a_number_or_a_date(server, answering, status):
    answering(status, b"", **{"Retry-After": "7.5"})
    assert (await failed(server)).after == 7.5
    answering(status, b"", **{"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)})
    assert 0 < (await failed(server)).after <= 90
    answering(status, b"", **{"Retry-After": "soon"})
    error = await failed(server)
    assert (error.after, str(error)) == (None, f"status {status}")


@pytest.mark.parametrize(
    "body, message",
    [
        (
            b"<!DOCTYPE html><html><style>b {c}</style><h1>Bad\n gateway</h1>a &lt; b < c</html>",
            "Bad gateway a &lt; b < c",
        ),
        (b'{"error": "out of memory"}', '{"error": "out of memory"}'),
        (b'{"error": {"message": "m", "type": null, "code": 7}}', "m (7)"),
        (b'{"error": {"message": "m"}}', "m"),
        (b"\xff no text", "\ufffd no text"),
        (b"x" * 1000, "x" * 300),
    ],
)
async def test_what_an_error_says_is_shown_in_short(server, answering, body, message):
    answering(502, body)
    assert str(await failed(server)) == f"status 502: {message}"


async def test_nobody_listens():
    error = await failed(type("Nowhere", (), {"url": "http://127.0.0.1:9/v1"}))
    assert (type(error), error.again) == (Misconfigured, True)
    assert str(error).startswith("not reached: ")


async def test_a_reply_that_breaks_off(server, monkeypatch):
    async def half(request, call):
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"{")
        response.force_close()
        return response

    monkeypatch.setattr(server, "_respond", half)
    error = await failed(server)
    assert (type(error), error.again) == (ModelError, True)
    assert str(error).startswith("the reply broke off: ")


async def test_a_key_that_no_header_can_carry(server):
    with pytest.raises(Misconfigured, match="not sent") as caught:
        await post(server.url, "sk-of\ntwo-lines")
    assert "two-lines" not in str(caught.value)
    assert server.count == 0


# What goes where


def test_addresses():
    assert address("", "embeddings") == "https://api.openai.com/v1/embeddings"
    assert address("http://me:pw@h:1/deep/v1?version=2", "x") == "http://me:pw@h:1/deep/v1/x?version=2"


def test_keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " sk-env\n")
    assert (secret("m", "", ""), secret("m", "", "sk-own")) == ("sk-env", "sk-own")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert secret("m", "http://localhost/v1", "") == ""
    with pytest.raises(SpecError, match="openai:x: no key; set the environment variable OPENAI_API_KEY"):
        secret("openai:x", "", "")


async def test_headers_of_the_environment_and_of_the_call(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    await post(server.url, headers={"X-Own": "yes", "OpenAI-Project": "proj-2"})
    sent = server.calls[0].headers
    assert sent["Authorization"] == f"Bearer {KEY}"
    assert (sent["OpenAI-Organization"], sent["OpenAI-Project"], sent["X-Own"]) == ("org-1", "proj-2", "yes")
    assert sent["Content-Type"] == "application/json"
    await post(server.url, "")
    assert "Authorization" not in server.calls[1].headers


async def test_a_name_and_a_password_of_the_url_take_the_place_of_the_key(server):
    await post(server.url.replace("//", "//me:pw@"))
    assert server.calls[0].headers["Authorization"].startswith("Basic ")


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy"])
async def test_the_proxy_of_the_environment(server, monkeypatch, name):
    for other in ("HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, server.root.replace("//", "//me:proxy-password@"))
    await post("http://model.invalid/v1")
    assert server.calls[0].headers["Host"] == "model.invalid"
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.calls[0].headers["Proxy-Authorization"].startswith("Basic ")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with LlmServer() as near:
        await post(near.url)
        assert (near.count, server.count) == (1, 1)
    monkeypatch.setenv("no_proxy", "model.invalid")
    with pytest.raises(Misconfigured, match="not reached"):
        await post("http://model.invalid/v1")
    assert server.count == 1


@pytest.mark.parametrize("proxy", ["http://me:proxy-password@127.0.0.1:9", "socks5://me:proxy-password@127.0.0.1:9"])
async def test_a_proxy_that_does_not_work(server, monkeypatch, proxy):
    for other in ("HTTP_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(Misconfigured, match=r"not reached|not sent") as caught:
        await post(server.url)
    assert "proxy-password" not in str(caught.value)
    assert server.count == 0


async def test_a_proxy_that_makes_no_tunnel(server, monkeypatch):
    for other in ("HTTPS_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("https_proxy", server.root.replace("//", "//me:proxy-password@"))
    with pytest.raises(Misconfigured, match="not reached: 40") as caught:
        await post("https://model.invalid/v1")
    assert "proxy-password" not in str(caught.value)
    assert server.count == 0
