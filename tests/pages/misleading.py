"""Pages from which wrong answers were once called complete, on a server of their own that can be killed.

`/drafts` shows a draft and replaces it by the answer after `?late=SECONDS`; both come in one JSON reply.  With
`&only=NUMBER`, only the answer about this lamp has a draft.  `/bubbles` repeats the question below its answer, in a
bubble of its own.  `/feedback` says only the price, and asks under each answer, in its bubble, whether that was useful.
`/shop` has a banner for cookies and a search box, and its chat is in a frame in a shadow root, behind a button in the
corner.  `/cut` gets its answer in a body without a length, so that a killed server looks like one that has finished.
`/search` is a search of the site and no chat; `/same` says the same to everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web

QUESTIONS = tuple(f"What is the price of lamp number {number}?" for number in range(30))

_CHAT = """<main id="log"></main>
<form id="form"><input id="box" placeholder="{hint}"><button>Send</button></form><script>
const add = (kind, text) => {{
  const made = document.createElement("div");
  made.className = kind; made.textContent = text; log.append(made);
  return made;
}};
form.onsubmit = (event) => {{
  event.preventDefault();
  const question = box.value;
  box.value = ""; add("me", question); reply(question);
}};
{act}
</script>"""
_DRAFTS = """const asked = new URLSearchParams(location.search), late = Number(asked.get("late") || 2);
const only = asked.get("only");
async function reply(question) {
  const told = await (await fetch("/both?question=" + encodeURIComponent(question))).json();
  const made = add("bot", only && !question.endsWith(` ${only}?`) ? told.answer : told.draft);
  setTimeout(() => { made.textContent = told.answer; }, late * 1000);
}"""
_FEEDBACK = """add("bot", "Hello, what is it about?");
async function reply(question) {
  const told = await (await fetch("/both?question=" + encodeURIComponent(question))).json();
  const price = told.answer.match(/costs (.*? euros)/)[1], made = add("bot", "");
  for (const part of price.split(" ")) {
    made.innerText = `${made.innerText} ${part}`.trim();
    await new Promise((done) => setTimeout(done, 200));
  }
  const below = made.appendChild(document.createElement("div"));
  below.innerHTML = `<div style="font-size: 12px">Sources: <a href="#1">The list of lamps</a></div>
    <div>Was this answer useful? <button>👍</button><button>👎</button></div>`;
}"""
_BUBBLES = """async function reply(question) {
  const told = await (await fetch("/both?question=" + encodeURIComponent(question))).json();
  for (const part of [told.answer, `The question was "${question.toUpperCase()}", and its words are understood.`]) {
    add("bot", part);
    await new Promise((done) => setTimeout(done, 150));
  }
}"""
_STREAM = """async function reply(question) {
  const body = (await fetch("/stream?question=" + encodeURIComponent(question))).body;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader(), made = add("bot", "");
  for (let part; !(part = await reader.read()).done;) made.textContent += part.value;
}"""
_SAME = """async function reply(question) { add("bot", await (await fetch("/same-answer")).text()); }"""
_SEARCH = """<header><form role="search" action="/results"><input name="q" placeholder="What are you looking for?">
<button>Search</button></form></header><h1>Lamps</h1>"""
_SHOP = f"""{_SEARCH}<p>Every lamp of this shop is made by hand.</p>
<div id="widget"></div>
<div id="consent" style="position: fixed; inset: auto 0 0 0; height: 60%; background: white">
<p>We use cookies to make your visit better.</p><button onclick="accepted = true; consent.remove()">Accept all</button>
<button onclick="accepted = false; consent.remove()">Reject all</button></div><script>
const root = widget.attachShadow({{ mode: "closed" }});
root.innerHTML = `<button style="position: fixed; right: 20px; bottom: 20px" aria-label="Chat with us">💬</button>`;
root.querySelector("button").onclick = () => {{
  root.innerHTML = `<iframe src="/widget" style="position: fixed; right: 20px; bottom: 20px; width: 380px;
    height: 500px; background: white"></iframe>`;
}};
</script>"""


def answer_to(question: str) -> str:
    """Return what the bot says at last."""
    number = int(question.strip("?").split()[-1])
    return f"The lamp of which you ask, number {number}, costs {40 + number} euros. It is sold in three colours."


def draft_of(question: str) -> str:
    """Return what the bot says at first."""
    return f"I think that lamp number {question.strip('?').split()[-1]} costs about 30 euros. Ask again tomorrow."


def _page(hint: str, act: str) -> str:
    return _CHAT.format(hint=hint, act=act)


PAGES = {
    "/drafts": _page("Ask something", _DRAFTS),
    "/shop": _SHOP,
    "/search": _SEARCH,
    "/same": _page("Ask something", _SAME),
    "/bubbles": _page("Ask something", _BUBBLES),
    "/feedback": _page("Ask something", _FEEDBACK),
    "/widget": _page("Write a message", _STREAM),
    "/cut": _page("Ask something", _STREAM),
}


class Shop:
    """Serves the pages until it is killed.  `asked`: the questions that came; `hold`: how much of a stream is sent.

    A stream with a `hold` stops after this number of characters, until `kill` cuts it; with a `stop` it ends there.
    """

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.hold = self.stop = 0
        self._site: web.TCPSite | None = None
        self._open: set[asyncio.Transport] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        transport = request.transport
        if request.path in ("/both", "/stream"):
            question = request.query["question"]
            self.asked.append(question)
            if request.path == "/both":
                return web.json_response({"draft": draft_of(question), "answer": answer_to(question)})
            assert isinstance(transport, asyncio.Transport)
            await self._stream(transport, answer_to(question))
        if request.path == "/same-answer":
            return web.Response(text="Nothing was found.")
        if request.path == "/results":
            found = (
                f"<form role=search action=/results><input name=q></form><p>Nothing was found. {len(request.query)}</p>"
            )
            return web.Response(text=f"<!doctype html><h1>Results</h1>{found}", content_type="text/html")
        body = PAGES.get(request.path, "")
        return web.Response(text=f'<!doctype html><meta charset="utf-8"><body>{body}', content_type="text/html")

    async def _stream(self, transport: asyncio.Transport, text: str) -> None:
        """Write an answer without a length: its body ends with the connection."""
        self._open.add(transport)
        transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
        for start in range(0, self.stop or len(text), 8):
            if self.hold and start >= self.hold:
                await asyncio.Event().wait()
            transport.write(text[start : start + 8].encode())
            await asyncio.sleep(0.02)
        transport.close()

    async def kill(self) -> None:
        """Take no more connections, and end those that are open as a process that dies does."""
        if self._site is not None:
            await self._site.stop()
        for transport in self._open:
            transport.close()


@asynccontextmanager
async def shop() -> AsyncIterator[Shop]:
    """A server on loopback, for as long as the block."""
    made, app = Shop(), web.Application()
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    made._site = web.TCPSite(runner, "127.0.0.1", 0, backlog=128)
    await made._site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        with suppress(RuntimeError):
            await runner.cleanup()
