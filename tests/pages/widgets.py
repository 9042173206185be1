"""Chat pages that behave as well-known widgets and front ends do; none of their code is used.

`PAGES` says what there is.  Each is asked numbered questions; `answer_to` is the whole answer, and `right` says which
status is right.  `handle` serves the pages and what their bot says.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

_TOPICS = ("the breakfast", "a late arrival", "the pool", "dogs", "the garage", "a baby bed", "the view", "the sauna")


def question(number: int) -> str:
    """Return the question with this number."""
    return f"What do you charge for {_TOPICS[number % len(_TOPICS)]} in week {number + 1}?"


def answer_to(number: int) -> str:
    """Return the whole answer to a question."""
    topic = _TOPICS[number % len(_TOPICS)]
    short = f"For {topic} we charge {20 + 3 * number} euros a day."
    long = f"{short}\nWeek {number + 1} is one of our quiet ones, so there is still room.\nYou pay when you leave."
    return short if number % 3 == 0 else long


@dataclass(frozen=True)
class Widget:
    """A page: its body, and the statuses that are right, in turn, for its questions."""

    body: str
    right: tuple[str, ...] = ("complete",)

    def status(self, number: int) -> str:
        """Return the status that is right for a question in a conversation."""
        return self.right[number % len(self.right)]


_SCRIPT = """
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const html = (text) => text.split("\\n").map((line) => `<p>${line}</p>`).join("");
const make = (markup) => {
  const box = document.createElement("template");
  box.innerHTML = markup;
  return box.content.firstElementChild;
};
let count = 0;
async function whole(question, how = "") {
  return (await fetch(`/w/say?q=${encodeURIComponent(question)}&${how}`)).text();
}
async function* stream(question, how = "") {
  const body = (await fetch(`/w/stream?q=${encodeURIComponent(question)}&${how}`)).body;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "", part; !(part = await reader.read()).done;) yield (text += part.value);
}
let line;
async function* socket(question) {
  if (!line) { line = new WebSocket("/w/socket"); await new Promise((open) => { line.onopen = open; }); }
  const news = []; let wake = () => {};
  line.onmessage = (event) => { news.push(JSON.parse(event.data)); wake(); };
  line.send(question);
  for (let text = ""; ;) {
    while (!news.length) await new Promise((done) => { wake = done; });
    const part = news.shift();
    if (part === null) return;
    yield (text += part);
  }
}
// A log and a field below it; `act` is what happens to a question.
function chat(root, act, { hint = "Send a message", clear = true } = {}) {
  root.innerHTML = `<div class="log"></div><form class="bar"><textarea rows="1" placeholder="${hint}"></textarea>
    <button aria-label="Send">➤</button></form>`;
  const log = root.querySelector(".log"), area = root.querySelector("textarea"), button = root.querySelector("button");
  const send = () => {
    const asked = area.value.trim();
    if (!asked || area.disabled) return;
    if (clear) area.value = "";
    count++; act(asked, log, area, button);
  };
  area.onkeydown = (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); send(); } };
  root.querySelector("form").onsubmit = (event) => { event.preventDefault(); send(); };
}
const mine = (log, text) => log.appendChild(make(`<div class="row me"><div class="bubble">${text}</div></div>`));
const theirs = (log, inner = "") =>
  log.appendChild(make(`<div class="row bot"><div class="bubble">${inner}</div></div>`));
const dots = (log) => log.appendChild(make('<div class="row dots"><i>●</i><i>●</i><i>●</i></div>'));
"""
_STYLE = """body { font: 16px sans-serif; margin: 0 } .bubble { padding: 8px; border-radius: 12px }
.corner { position: fixed; right: 20px; bottom: 20px; border: 0 } iframe.panel { width: 380px; height: 560px }
.dots i { animation: pulse 1s infinite } @keyframes pulse { 50% { opacity: .2 } } .chip { border: 1px solid #999;
border-radius: 12px; padding: 2px 8px; cursor: pointer } .small { font-size: 12px; color: #777 }"""


def _own(act: str, **options: str | bool) -> str:
    """Return a page that is all chat."""
    script = f"chat(app, async (asked, log, area, button) => {{ {act} }}, {json.dumps(options)})"
    return f"<main id=app></main><script>{script}</script>"


def _site(widget: str, label: str, *, shadow: bool = False) -> str:
    """Return a site whose chat is in a frame, behind a button in the corner."""
    host = "document.body.appendChild(make('<div></div>'))" + (".attachShadow({ mode: 'closed' })" if shadow else "")
    place = "position:fixed;right:20px;bottom:20px"
    frame = f"<iframe style={place};width:380px;height:560px src=/w/{widget}></iframe>"
    return (
        "<header><a href=/w/home>Home</a> <form role=search><input name=q placeholder=Search></form></header>"
        f"<h1>Hotel Mar</h1><p>Rooms by the sea.</p><script>const host = {host};"
        f"host.innerHTML = '<button style={place} aria-label={json.dumps(label)}>💬</button>';"
        f"host.querySelector('button').onclick = () => {{ host.innerHTML = '{frame}'; }};</script>"
    )


_WAIT = "mine(log, asked); const wait = dots(log); const text = await whole(asked); wait.remove();"
_STREAM = "for await (const text of stream(asked)) box.innerHTML = html(text);"
PAGES: Mapping[str, Widget] = {
    # messengers behind a button
    "intercom": Widget(_site("intercom-frame", "Open Intercom Messenger")),
    "zendesk": Widget(_site("zendesk-frame", "Open messaging window", shadow=True)),
    "drift": Widget(
        _own(
            _WAIT + "const row = theirs(log, html(text)); await sleep(.3);"
            "row.append(make('<div><span class=chip>Book now</span> <span class=chip>Talk to a person</span></div>'));"
        )
    ),
    "tawk": Widget(_own("mine(log, asked); const wait = dots(log); for await (const text of socket(asked)) "
                        "{ wait.remove(); if (!log.lastChild.matches('.bot')) theirs(log);"
                        " log.lastChild.firstChild.innerHTML = html(text); }")),
    "botpress": Widget(_own(_WAIT + "theirs(log, html(text)).append(make('<div class=small>Bot · just now</div>'));")),
    "rasa": Widget(_own(_WAIT + "for (const part of text.split('\\n')) { theirs(log, html(part)); await sleep(.4); }")),
    "chatwoot": Widget(
        _own(
            "mine(log, asked); button.disabled = true; const wait = dots(log); let box;"
            "for await (const text of socket(asked)) { if (!box) { wait.remove(); box = theirs(log).firstChild; }"
            " box.innerHTML = html(text); } button.disabled = false;"
        )
    ),
    # front ends of models
    "open-webui": Widget(
        _own(
            "mine(log, asked); button.textContent = '■'; button.setAttribute('aria-label', 'Stop');"
            f"const box = theirs(log).firstChild; {_STREAM}"
            "button.textContent = '➤'; button.setAttribute('aria-label', 'Send');"
            "fetch('/w/title'); await sleep(1);"
            "log.lastChild.append(make('<div class=suggestions><button>And in winter?</button></div>'));"
        )
    ),
    "librechat": Widget(
        _own(
            f"mine(log, asked); const box = theirs(log).firstChild; {_STREAM}"
            "log.lastChild.append(make('<div class=small><button aria-label=Copy>⧉</button> 1 / 1</div>'));"
        )
    ),
    "chainlit": Widget(
        _own(
            "mine(log, asked); log.append(make('<details><summary>Used search</summary>Found 3 pages.</details>'));"
            f"const box = theirs(log).firstChild; {_STREAM}"
        )
    ),
    "gradio": Widget(
        _own(
            "window.said ??= []; said.push(`<div class='row me'><div class=bubble>${asked}</div></div>`, '');"
            "for await (const text of stream(asked)) { said[said.length - 1] = `<div class='row bot'><div class=bubble>"
            "${html(text)}</div></div>`; log.innerHTML = said.join(''); }"
        )
    ),
    "streamlit": Widget(
        _own(
            "area.disabled = true; mine(log, asked);"
            "const run = document.body.appendChild(make('<div aria-busy=true>Running</div>'));"
            f"const box = theirs(log).firstChild; {_STREAM} run.remove(); area.disabled = false; area.focus();"
        )
    ),
    "deep-chat": Widget(
        "<div id=host></div><script>const inner = host.attachShadow({ mode: 'open' });"
        "const app = make('<section></section>'); inner.append(app); chat(app, async (asked, log) => {"
        f"mine(log, asked); const box = theirs(log).firstChild; {_STREAM} }})</script>"
    ),
    # what pages do with their lists and answers
    "virtual-list": Widget(
        _own(
            "mine(log, asked); const box = theirs(log).firstChild;"
            f"while (log.children.length > 4) log.firstChild.remove(); {_STREAM}"
        )
    ),
    "drafts": Widget(
        _own(_WAIT + "const box = theirs(log, '<p>I am not sure, perhaps 15 euros.</p>').firstChild; await sleep(3);"
             " box.innerHTML = html(text);")
    ),
    "some-drafts": Widget(
        _own(_WAIT + "const box = theirs(log, html(count % 3 ? text : 'I think it is about 90 euros.')).firstChild;"
             " await sleep(2); box.innerHTML = html(text);")
    ),
    "citations": Widget(
        _own(
            _WAIT + "const row = theirs(log, html(text).replaceAll('.</p>', '<sup><a href=#1>[1]</a></sup>.</p>'));"
            "row.append(make('<div class=sources><div>Price list</div><div>House rules</div></div>'));"
        )
    ),
    "feedback": Widget(
        _own(_WAIT + "const row = theirs(log, html(text)); await sleep(1.5);"
             " row.append(make('<div>¿Te ha resultado útil?</div>'));")
    ),
    "carousel": Widget(
        _own(
            _WAIT + "theirs(log, html(text) + '<div class=cards style=overflow:hidden;height:60px><button>‹</button>"
            "<button>Sea room</button><button>Garden room</button><button>›</button></div>');"
        )
    ),
    "canvas": Widget("<canvas width=1200 height=800></canvas>", ("error",)),
    # failures
    "error-bubbles": Widget(
        _own("mine(log, asked); if (count % 4 === 0) { await whole(asked); return theirs(log,"
             " 'Lo siento, ha ocurrido un error. Inténtalo de nuevo.'); } theirs(log, html(await whole(asked)));"),
        ("complete", "complete", "complete", "error"),
    ),
    "server-errors": Widget(
        _own("mine(log, asked); "
             "const reply = await fetch(`/w/${count % 4 ? 'say' : 'broken'}?q=${encodeURIComponent(asked)}`);"
             " theirs(log, html(await reply.text()));"),
        ("complete", "complete", "complete", "error"),
    ),
    "rate-limit": Widget(
        _own("mine(log, asked); if (count % 5 === 0) { await fetch('/w/limited'); return theirs(log, "
             "'Too many requests. Please wait for a minute.'); } theirs(log, html(await whole(asked)));"),
        ("complete", "complete", "complete", "complete", "error"),
    ),
    "session-expiry": Widget(
        _own("mine(log, asked); if (count > 3) { await whole(asked); return theirs(log,"
             " 'Your session has expired. Please sign in again.'); } theirs(log, html(await whole(asked)));"),
        ("complete",) * 3 + ("error",) * 27,
    ),
    "no-length": Widget(_own("mine(log, asked); const box = theirs(log).firstChild;"
                             "for await (const text of stream(asked, 'bare=1')) box.innerHTML = html(text);")),
}  # fmt: skip
_FRAMES = {
    "intercom-frame": _own(
        _WAIT + "theirs(log, html(text)).append(make('<div class=small>Fin · AI Agent · just now</div>'));",
        hint="Ask a question…",
    ),
    "zendesk-frame": _own(
        _WAIT + "theirs(log, html(text)); await sleep(1);"
        "log.lastChild.append(make('<div>Was this helpful? <button>Yes</button><button>No</button></div>'));",
        hint="Type a message",
    ),
}


async def handle(request: web.Request) -> web.StreamResponse:
    """Serve a page, or what its bot says."""
    name = request.path.removeprefix("/w/")
    if name in ("broken", "limited"):
        return web.Response(status=500 if name == "broken" else 429, text="Internal Server Error")
    if name == "socket":
        return await _socket(request)
    if name in ("say", "stream"):
        number = int(request.query["q"].strip("?").split()[-1]) - 1
        if name == "say":
            await asyncio.sleep(0.4)
            return web.Response(text=answer_to(number))
        return await _stream(request, answer_to(number))
    body = PAGES[name].body if name in PAGES else _FRAMES.get(name, "")
    head = f"<!doctype html><meta charset=utf-8><title>Hotel Mar</title><style>{_STYLE}</style><body>"
    return web.Response(text=f"{head}<script>{_SCRIPT}</script>{body}", content_type="text/html")


async def _stream(request: web.Request, text: str) -> web.StreamResponse:
    words = text.split(" ")
    parts = [" ".join(words[: end + 1])[len(" ".join(words[:end])) :] for end in range(len(words))]
    transport = request.transport
    if request.query.get("bare") and transport is not None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
        for part in parts:
            transport.write(part.encode())
            await asyncio.sleep(0.03)
        transport.close()
    response = web.StreamResponse(headers={"Content-Type": "text/plain; charset=utf-8"})
    if transport is not None and transport.is_closing():
        return response
    await response.prepare(request)
    for part in parts:
        await response.write(part.encode())
        await asyncio.sleep(0.03)
    await response.write_eof()
    return response


async def _socket(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        number = int(message.data.strip("?").split()[-1]) - 1
        await asyncio.sleep(0.4)
        for word in answer_to(number).split(" "):
            await socket.send_str(json.dumps(f"{word} "))
            await asyncio.sleep(0.03)
        await socket.send_str("null")
    return socket
