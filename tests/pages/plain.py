"""Hand-made chat pages, each hard to drive in its own way: `python -m pages.plain PORT`.

`PAGES` says what there is.  `?speed=10` behind any address lets the bot speak ten times faster on that page.
"""

from __future__ import annotations

import asyncio
import html
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from markdown_it import MarkdownIt

from pages.bot import SOURCES, Shown, half, shown

SAME = "I am afraid that I do not know."
"""What `/same` answers, whatever it is asked."""

FAILURE = "Something went wrong (500). Please try again later."
"""What `/broken` shows instead of an answer."""

PASSWORD = "sesame"
"""What opens `/login`, with any address."""


@dataclass(frozen=True)
class Page:
    """What is hard about it, and its body; `$search` is the query of its address, `$elsewhere` another origin."""

    hard: str
    body: str


_LOGIN = (
    '<form method="post"><input type="email" name="email" placeholder="Email">'
    '<input type="password" name="password" placeholder="Password"><button>Sign in</button></form>'
)

PAGES: dict[str, Page] = {
    "/plain": Page("Nothing: a field, a button, and the answers one below the other.", "<script>chat()</script>"),
    "/iframe": Page("The chat is in a frame of the page.", '<h1>Welcome</h1><iframe src="/plain$search"></iframe>'),
    "/nested": Page(
        "The chat is in a frame in a frame, and the inner one comes from another origin.",
        '<h1>Welcome</h1><iframe src="/inner$search"></iframe>',
    ),
    "/inner": Page("The middle one of `/nested`.", '<iframe src="$elsewhere/plain$search"></iframe>'),
    "/shadow": Page(
        "The chat is in the open shadow root of a custom element.",
        "<house-chat></house-chat><script>customElements.define('house-chat', class extends HTMLElement {"
        "connectedCallback() { chat({ root: this.attachShadow({ mode: 'open' }) }); } })</script>",
    ),
    "/editable": Page(
        "The input is an editable element, not a field, and in no form.",
        "<script>chat({ composer: 'editable' })</script>",
    ),
    "/bubble": Page(
        "There is no chat until a bubble in the corner is clicked.",
        '<h1>Houses</h1><button class="bubble" aria-label="Open the chat" '
        'onclick="this.remove(); chat()">Chat with us</button>',
    ),
    "/cookies": Page(
        "A banner lies over the page, which takes no input until it is accepted.",
        '<main inert><script>chat({ root: document.querySelector("main") })</script></main>'
        '<div class="veil" role="dialog"><p>We value your privacy.</p><button>Settings</button> '
        "<button onclick=\"document.querySelector('main').inert = false; this.parentElement.remove()\">"
        "Accept all</button></div>",
    ),
    "/remount": Page(
        "The composer is thrown away and made anew 300 ms after the page has loaded.",
        "<script>chat({ remount: 300 })</script>",
    ),
    "/newline": Page("Enter makes a new line; only the button sends.", "<script>chat({ composer: 'lines' })</script>"),
    "/classic": Page("Sending opens another page, on which the answer stands.", ""),
    "/socket-chat": Page(
        "Answers come through a WebSocket: no request ends when an answer does.",
        "<script>chat({ ask: bySocket })</script>",
    ),
    "/silent": Page(
        "As `/socket-chat`, and nothing on the page tells that an answer is being written.",
        "<script>chat({ ask: bySocket, busy: false })</script>",
    ),
    "/animation": Page("Something turns for ever.", '<div class="turning">✳</div><script>chat()</script>'),
    "/clock": Page(
        "A clock on the page shows another text each second.",
        "<p>It is <time></time>.</p><script>setInterval(() => { document.querySelector('time').textContent ="
        " new Date().toLocaleTimeString(); }, 1000); chat()</script>",
    ),
    "/decoys": Page(
        "A search field above the chat and a field for a newsletter below it take input as well.",
        '<form role="search"><input type="search" placeholder="Search this site"><button>Search</button></form>'
        '<section></section><form><input name="email" placeholder="Your email"><button>Subscribe</button></form>'
        "<script>chat({ root: document.querySelector('section') })</script>",
    ),
    "/beside": Page(
        "Around an answer stand a name, a time, collapsed sources, buttons and questions to ask next.",
        "<script>chat({ extras: true })</script>",
    ),
    "/slow": Page(
        "“…” and then “Searching…” stand in the answer's place for three seconds.", "<script>chat()</script>"
    ),
    "/freezes": Page("In the middle of an answer the stream stands still for ever.", "<script>chat()</script>"),
    "/frozen": Page("“Thinking…” is all that ever comes.", "<script>chat()</script>"),
    "/broken": Page(
        "The server answers 500, and the page says so where the answer would be.", "<script>chat()</script>"
    ),
    "/login": Page("One must sign in first.", "<script>chat()</script>"),
    "/nothing": Page("There is nowhere to ask.", "<h1>Houses</h1><p>We are closed for the season.</p>"),
    "/hangs": Page(
        "In the middle of an answer a script waits for what never comes, and nothing on the page can be reached.",
        "<script>chat({ meanwhile: (number) => { if (number !== 4) return; const never = new XMLHttpRequest(); "
        "never.open('GET', 'never', false); never.send(); } })</script>",
    ),
    "/leaves": Page(
        "In the middle of an answer the browser is sent to an empty page.",
        "<script>chat({ meanwhile: (number) => { if (number === 4) location.href = 'about:blank'; } })</script>",
    ),
    "/newest-first": Page(
        "Each new question and its answer stand on top.", "<script>chat({ place: 'first' })</script>"
    ),
    "/replaced": Page(
        "There is one place for answers, each instead of the one before, and the question is not shown.",
        "<script>chat({ place: 'only' })</script>",
    ),
    "/same": Page("Each answer is the same as the one before.", "<script>chat()</script>"),
}

_STYLE = """body { font: 16px sans-serif; margin: 2em auto; max-width: 46em; } iframe { width: 100%; height: 40em; }
.composer { display: flex; gap: .5em; } input, textarea, [contenteditable] { flex: 1; border: 1px solid }
.question { text-align: right; margin: 1em 0; } .answer { background: #eee; padding: .1em 1em; min-height: 1em }
.bubble { position: fixed; right: 2em; bottom: 2em } .veil { position: fixed; inset: 0; background: #fffc }
.turning { display: inline-block; animation: turn 1s linear infinite } @keyframes turn { to { rotate: 1turn } }"""

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")

_ASKED: Counter[tuple[str, str]] = Counter()


def _document(body: str) -> web.Response:
    listed = "".join(f'<li><a href="{url}">{title}</a></li>' for title, url in SOURCES)
    return web.Response(
        content_type="text/html",
        text=f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Houses</title><style>{_STYLE}</style>'
        f'<script src="/chat.js"></script><body data-sources="{html.escape(listed)}">{body}</body></html>',
    )


async def _page(request: web.Request) -> web.Response:
    """Any of `PAGES` but `/classic`; `/login` only with the cookie that a right password sets."""
    page = PAGES.get(request.path)
    if page is None:
        lines = (f'<li><a href="{path}">{path}</a> {html.escape(page.hard)}</li>' for path, page in PAGES.items())
        return _document(f"<ul>{''.join(lines)}</ul>")
    if request.path == "/login" and request.cookies.get("member") != "yes":
        return _document(_LOGIN)
    search = f"?{request.query_string}" if request.query_string else ""
    elsewhere = f"http://localhost:{request.url.port}"
    return _document(page.body.replace("$search", search).replace("$elsewhere", elsewhere))


async def _login(request: web.Request) -> web.Response:
    if (await request.post()).get("password") != PASSWORD:
        return _document("<p>Wrong password.</p>" + _LOGIN)
    response = web.Response(status=303, headers={"Location": str(request.rel_url)})
    response.set_cookie("member", "yes")
    return response


async def _classic(request: web.Request) -> web.Response:
    """The field, and below it the question that came with the address, and its whole answer."""
    question, talk = request.query.get("q", ""), request.cookies.get("talk", "")
    told = ""
    if question:
        await asyncio.sleep(1.5 / _speed(request))
        *_, last = shown(question, _nth(talk, question))
        told = f"<h2>{html.escape(question)}</h2><article>{_MARKDOWN.render(last.text)}</article>"
    response = _document(
        '<form><input name="q" placeholder="Ask about a house">'
        f'<input type="hidden" name="speed" value="{_speed(request)}"><button>Ask</button></form>{told}'
    )
    response.set_cookie("talk", talk or str(id(request)))
    return response


def _speed(request: web.Request) -> float:
    return float(request.query.get("speed", "1"))


def _nth(conversation: str, question: str) -> int:
    """How often this was asked before in the conversation; counts it."""
    _ASKED[conversation, question] += 1
    return _ASKED[conversation, question] - 1


def _script(page: str, question: str, nth: int) -> Iterator[Shown]:
    """What this page shows, and when."""
    if page == "/same":
        yield Shown(0.1, "Thinking…", placeholder=True)
        yield from (Shown(0.4, SAME[:end]) for end in (8, 16, len(SAME)))
        return
    if page in ("/slow", "/frozen"):
        yield Shown(0.1, "…" if page == "/slow" else "Thinking…", placeholder=True)
        yield Shown(1.5, "Searching…" if page == "/slow" else "Thinking…", placeholder=True)
        yield Shown(1.5, "" if page == "/frozen" else "Searching…", placeholder=True)
    yield from (state for state in shown(question, nth) if page != "/slow" or not state.placeholder)


async def _told(request: web.Request, asked: dict[str, str]) -> AsyncIterator[str]:
    """The states of an answer as lines of JSON; never ends on a page that freezes."""
    page, question = asked["page"], asked["question"]
    for state in _script(page, question, _nth(asked["conversation"], question)):
        await asyncio.sleep(state.seconds / _speed(request))
        yield json.dumps({"html": html.escape(state.text) if state.placeholder else _MARKDOWN.render(state.text)})
        begun = not state.placeholder and state.text.strip() == half(question)
        if (page == "/freezes" and begun) or page == "/frozen":
            await asyncio.Event().wait()


async def _ask(request: web.Request) -> web.StreamResponse:
    asked = json.loads(await request.text())
    if asked["page"] == "/broken":
        await asyncio.sleep(0.5)
        return web.Response(status=500, text=FAILURE)
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    async for line in _told(request, asked):
        await response.write(line.encode() + b"\n")
    return response


async def _socket(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        async for line in _told(request, json.loads(message.data)):
            await socket.send_str(line)
        await socket.send_str("")
    return socket


async def _never(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise web.HTTPGone


async def _code(_: web.Request) -> web.FileResponse:
    return web.FileResponse(Path(__file__).with_name("chat.js"))


def main(port: int) -> None:
    app = web.Application()
    app.router.add_get("/chat.js", _code)
    app.router.add_get("/classic", _classic)
    app.router.add_get("/never", _never)
    app.router.add_get("/socket", _socket)
    app.router.add_post("/ask", _ask)
    app.router.add_post("/login", _login)
    app.router.add_get("/{page:.*}", _page)
    web.run_app(app, host="127.0.0.1", port=port, handler_cancellation=True, shutdown_timeout=0.2, print=None)


if __name__ == "__main__":
    main(int(sys.argv[1]))
