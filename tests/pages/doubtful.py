"""Chat pages on which something that may be wrong has looked like a whole answer, each with the status that is right.

`PAGES` says what there is, and what is right for each question of `TALK`.  A `House` serves them; `die` cuts its
connections as they are cut when the process of a server is killed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from aiohttp import web

from pages.hard import COMPOSER, EXPECTED, POOL, ROOMS, SAYS, SCRIPT, STYLE, WAY, parts

TALK = (ROOMS, WAY, POOL, ROOMS)
FIRST = [
    "Let me see what we have.\n",
    "A look at the map first.\n",
    "I will ask the owner.\n",
    "One more time, then.\n",
]
COMPLETE, SUSPECT = ("complete",) * 4, ("suspect",) * 4
SECOND_FAILS = ("complete", "error", "complete", "complete")
SECOND_BREAKS = ("complete", "suspect", "complete", "complete")

MORE = """
let asked = 0;
// A job is asked for again and again until it is done; until then its plain status is what there is.
async function* polled(question, every) {
  const { job } = await (await fetch(`/jobs?question=${encodeURIComponent(question)}`, { method: "POST" })).json();
  for (;;) {
    const { status, text } = await (await fetch(`/jobs?id=${job}`)).json();
    yield text || status;
    if (text) return;
    await sleep(every);
  }
}
// The same as `heard`, through a line that may close; where it is silent for `patience` seconds this gives up.
let line;
async function* called(question, how, { patience = 1e6, each = false } = {}) {
  const news = []; let wake = () => {}, over = false;
  if (!line || each || line.readyState > 1) {
    line = new WebSocket("/socket");
    await new Promise((open) => { line.onopen = open; });
  }
  line.onmessage = (event) => { news.push(JSON.parse(event.data)); wake(); };
  line.onclose = () => { over = true; wake(); };
  line.send(JSON.stringify({ question, how }));
  for (let text = ""; ;) {
    if (!news.length && !over) {
      const late = setTimeout(() => { over = true; wake(); }, patience * 1000);
      await new Promise((done) => { wake = done; });
      clearTimeout(late);
    }
    if (!news.length) throw new Error("The connection was lost. Trying again…");
    const part = news.shift();
    if (part === null) { if (each) line.close(); return; }
    yield (text += part);
  }
}
async function type(box, text, stall) {
  for (let end = 1; end <= text.length; end++) {
    box.innerHTML = markup(text.slice(0, end));
    await sleep(end === text.length >> 1 ? stall : 0.02);
  }
}
const say = (html) => put(`<div class="turn"><div class="text">${html}</div></div>`).lastChild;
const echo = (question) => put(`<div class="turn mine"><div class="text">${question}</div></div>`);
const lines = (text) => `<span style="white-space: pre-line">${text}</span>`;
async function stream(states, box = say(""), write = markup) {
  for await (const text of states) box.innerHTML = write(text);
}
"""


def chat(act: str, *, before: str = "<p id='banner'></p>", start: str = "") -> str:
    """A log with a composer below; `act` is what the page does with a `question`, the `asked`th."""
    script = f"{start} onsend(async (question, input, button) => {{ asked++; {act} }})"
    return f'{before}<div id="log"></div>{COMPOSER}<script>{script}</script>'


@dataclass(frozen=True)
class Doubtful:
    """A page, the right status of each question of `TALK`, what stands before each answer, and how it is asked."""

    body: str
    right: tuple[str, ...] = COMPLETE
    lead: Sequence[str] = ("",) * 4
    same: bool = False
    settings: Mapping[str, float] = field(default_factory=dict)

    def says(self, number: int) -> str:
        """The whole answer to this question of `TALK`."""
        return self.lead[number] + EXPECTED[ROOMS if self.same else TALK[number]]


_LOCAL = f"echo(question); await type(say(''), ({json.dumps(SAYS)})[question], 3);"
_PANEL = f"<section class='panel'><div id='log'></div>{COMPOSER}</section>"

PAGES: Mapping[str, Doubtful] = {
    # A plain status stands where the answer will be.
    "/job": Doubtful(chat("echo(question); await stream(polled(question, 1));")),
    "/slow-job": Doubtful(chat("echo(question); await stream(polled(question, 3));")),
    # Pauses in mid-answer: of a stream, of a socket beside which the button is off, of a page that types by itself.
    "/stream-pauses": Doubtful(chat("echo(question); await stream(said(question, 'stall=20'));")),
    "/socket-pauses": Doubtful(
        chat(
            "button.disabled = true; echo(question); await stream(heard(question, 'stall=8')); button.disabled = false;"
        )
    ),
    "/types": Doubtful(chat("echo(question); await type(say(''), await whole(question), 6);")),
    # Pauses where nothing tells of the end, unless somebody says how long a pause may be.
    "/no-sign": Doubtful(chat("echo(question); await stream(heard(question, 'stall=3&untold=1'));"), SUSPECT),
    # The same, but a last message of the socket says that the answer is over.
    "/told": Doubtful(chat("echo(question); await stream(heard(question, 'stall=3'));")),
    "/local": Doubtful(chat(_LOCAL), SUSPECT),
    "/local-still": Doubtful(chat(_LOCAL), settings={"still": 5.0}),
    # The second answer breaks off, and the page shows what it has.
    "/breaks": Doubtful(
        chat("echo(question); await stream(said(question, asked === 2 ? 'cut=3' : ''));"), SECOND_BREAKS
    ),
    "/closes": Doubtful(
        chat(
            "button.disabled = true; echo(question); try {"
            "await stream(called(question, asked === 2 ? 'cut=3' : '')); } finally { button.disabled = false; }"
        ),
        SECOND_BREAKS,
    ),
    "/offline": Doubtful(
        chat(
            "button.disabled = true; $('#banner').textContent = ''; echo(question);"
            "try { await stream(called(question, asked === 2 ? 'mute=3' : '', { patience: 2 })); }"
            "catch (error) { $('#banner').textContent = error.message; } button.disabled = false;"
        ),
        SECOND_BREAKS,
    ),
    # A line that is made as the answer is says who speaks and when, or asks what one thinks of it.
    "/byline": Doubtful(
        chat(
            "put(`<div class='turn'><div>You · just now</div><div>${question}</div></div>`);"
            "const turn = put(`<div class='turn'><div>Vera · just now</div><div></div></div>`);"
            "await stream(said(question), turn.lastChild, lines);"
        )
    ),
    "/name": Doubtful(
        chat(
            "put(`<div class='turn'><div>You</div><div>${question}</div></div>`);"
            "await stream(said(question), put(`<div class='turn'><div>Vera</div><div></div></div>`).lastChild, lines);"
        )
    ),
    "/helpful": Doubtful(
        chat(
            "echo(question); const box = say(''); await stream(said(question), box);"
            "box.after(made('<div class=text>Was this helpful?</div>'));"
        )
    ),
    # The chat is behind a button in the corner; a search of the site takes text too.
    "/launcher": Doubtful(
        "<form onsubmit='event.preventDefault()'><input type='search' placeholder='Search this site'>"
        "<button>Search</button></form><p>Houses and gardens.</p>"
        "<button class='launch' aria-label='Open the chat'>💬</button><script>$('.launch').onclick = () => {"
        f"$('.launch').remove(); document.body.append(made(`{_PANEL}`));"
        "onsend(async (question) => { echo(question); await stream(said(question)); }); };</script>"
    ),
    "/login": Doubtful(
        "<h1>Welcome back</h1><div><div><input placeholder='Your account'></div><div><input type='password'></div>"
        "<button>Continue</button></div>",
        ("login",) * 4,
    ),
    # A second after the second question the first answer is written otherwise.
    "/rewrites": Doubtful(
        chat(
            "echo(question); if (asked === 2) setTimeout(() => { $('.turn:not(.mine) .text').innerHTML ="
            "'<p>All rooms are taken this week.</p>'; }, 1000); await stream(said(question));"
        ),
        ("suspect", "suspect", "complete", "complete"),
    ),
    # Two answers to each question: the end of the first request is not the end of the answer.
    "/two-answers": Doubtful(
        chat(
            "echo(question); await whole('…'); say(first[(asked - 1) % 4]); await sleep(3);"
            "const text = await whole(question); say(markup(text));",
            start=f"const first = {json.dumps(FIRST)};",
        ),
        SUSPECT,
        FIRST,
    ),
    "/quotes": Doubtful(
        chat(
            "echo(question); const box = say(''); for await (const text of said(question))"
            "box.innerHTML = `<p>You asked:</p><p>${question}</p>` + markup(text);"
        ),
        lead=[f"You asked:\n{question}\n" for question in TALK],
    ),
    "/same-again": Doubtful(chat(f"echo(question); await stream(said({json.dumps(ROOMS)}, 'wait=1'));"), same=True),
    # Nothing but a passing notice, or a banner above, comes of the second question.
    "/toast": Doubtful(
        chat(
            "echo(question); if (asked !== 2) return stream(said(question)); await fetch('/fails');"
            "put('<div class=corner>Something went wrong. Please try again.</div>', document.body);"
            "setTimeout(() => $('.corner').remove(), 9000);"
        ),
        SECOND_FAILS,
    ),
    "/limit": Doubtful(
        chat(
            "echo(question); $('#banner').textContent = ''; if (asked !== 2) return stream(said(question));"
            "await fetch('/limited'); $('#banner').textContent = 'Too many messages. Please wait for a minute.';"
        ),
        SECOND_FAILS,
    ),
    # What is over keeps moving, as what was over before.
    "/restless": Doubtful(
        chat(
            "button.disabled = true; echo(question);"
            "const turn = put('<div class=turn><i class=dots>●</i><div class=text></div></div>');"
            "await stream(heard(question), turn.lastChild); button.disabled = false;",
            start="put('<div class=turn><i class=dots>●</i><div class=text>Welcome to the house.</div></div>');",
        )
    ),
    # A socket for each question, ended in due form.
    "/calls": Doubtful(
        chat(
            "button.disabled = true; echo(question); await stream(called(question, '', { each: true }));"
            "button.disabled = false;"
        )
    ),
    # The whole log is made anew for every word.
    "/anew": Doubtful(
        chat(
            "log.push(`<div class='turn mine'><p>${question}</p></div>`, ''); for await (const text of said(question))"
            "{ log[log.length - 1] = `<div class='turn'>${markup(text)}</div>`; $('#log').innerHTML = log.join(''); }",
            start="const log = [];",
        )
    ),
}
_STYLE = f"{STYLE} .launch, .panel {{ position: fixed; right: 20px; bottom: 20px; min-width: 48px }}"
_STATUS = ((0.5, "In the queue"), (2.5, "Reading the price list"), (5.0, ""))


class House:
    """Serves `PAGES` until it dies."""

    def __init__(self) -> None:
        self.url = ""
        self._site: web.TCPSite | None = None
        self._open: set[asyncio.Transport] = set()
        self._jobs: list[tuple[float, str]] = []

    async def die(self, hard: bool) -> None:
        """Take no more connections and cut those that are open, with a reset where `hard`."""
        if self._site is not None:
            await self._site.stop()
        for transport in self._open:
            (transport.abort if hard else transport.close)()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if isinstance(request.transport, asyncio.Transport):
            self._open.add(request.transport)
        if request.path in ("/fails", "/limited"):
            return web.Response(status=500 if request.path == "/fails" else 429)
        if request.path == "/jobs":
            return self._job(request)
        if request.path == "/say":
            return await self._say(request)
        if request.path == "/socket":
            return await self._socket(request)
        script = f"<style>{_STYLE}</style><script>{SCRIPT}{MORE}</script>"
        body = PAGES[request.path].body if request.path in PAGES else ""
        html = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>House</title>{script}<body>{body}</body>'
        return web.Response(text=html, content_type="text/html")

    def _job(self, request: web.Request) -> web.Response:
        now = asyncio.get_running_loop().time()
        if request.method == "POST":
            self._jobs.append((now, SAYS.get(request.query["question"], "I do not know.")))
            return web.json_response({"job": len(self._jobs) - 1}, status=202)
        begun, text = self._jobs[int(request.query["id"])]
        status = next(word for until, word in _STATUS if now - begun < until or not word)
        return web.json_response({"status": status} if status else {"status": "done", "text": text})

    async def _say(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain; charset=utf-8"})
        await response.prepare(request)
        async for part in _until(request.query, parts(request.query["question"], request.query)):
            if part is None and request.transport is not None:
                request.transport.close()
                return response
            await response.write((part or "").encode())
        return response

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            told = json.loads(message.data)
            how = dict(pair.split("=") for pair in told["how"].split("&") if pair)
            async for part in _until(how, parts(told["question"], how)):
                if part is None and "cut" in how and request.transport is not None:
                    request.transport.close()
                    return socket
                if part is None:
                    break
                await socket.send_str(json.dumps(part))
            else:
                if "untold" not in how:
                    await socket.send_str("null")
        return socket


async def _until(how: Mapping[str, str], said: AsyncIterator[str]) -> AsyncIterator[str | None]:
    """The parts; None after as many as `cut` or `mute` says."""
    left = int(how.get("cut") or how.get("mute") or 1000)
    async for part in said:
        if not left:
            yield None
            return
        yield part
        left -= 1


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    """A server of its own on loopback, for as long as the block."""
    made, app = House(), web.Application()
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
