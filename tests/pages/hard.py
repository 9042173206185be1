"""Chat pages laid out as chats out there are, each with something that has once been taken for a part of the answer.

`PAGES` says what there is; `handle` serves them, what the bot says, and its socket; `EXPECTED` is what to read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

from aiohttp import web

ROOMS = "Which rooms are free?"
WAY = "How do I get there?"
POOL = "Is there a pool?"

SAYS = {
    ROOMS: "Three rooms are free this week, all with a view.\n\nThe garden room costs 80 euros, the tower room 95.\n\n"
    "- breakfast until ten\n- parking behind the house",
    WAY: "Take bus 12 to the market.",
    POOL: "No.",
}
EXPECTED = {question: says.replace("\n\n", "\n") for question, says in SAYS.items()}
"""What the target must return for each question."""

SCRIPT = """
const $ = (selector, root = document) => root.querySelector(selector);
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const markup = (text) => text.split("\\n\\n").map((part) => (part.startsWith("- ")
  ? `<ul>${part.slice(2).split("\\n- ").map((item) => `<li>${item}</li>`).join("")}</ul>` : `<p>${part}</p>`)).join("");
const made = (html) => {
  const box = document.createElement("template");
  box.innerHTML = html;
  return box.content.firstElementChild;
};
const put = (html, place = $("#log")) => place.appendChild(made(html));

// What the bot has said so far, again and again; `how` is pace=SECONDS, wait=SECONDS, stall=SECONDS.
async function* said(question, how = "") {
  const response = await fetch(`/say?${how}&question=${encodeURIComponent(question)}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part; !(part = await reader.read()).done;) yield (text += part.value);
}
async function whole(question, how = "") {
  let text = "";
  for await (text of said(question, how + "&pace=0"));
  return text;
}

let socket;
async function* heard(question, how = "") {
  const news = []; let wake;
  if (!socket) { socket = new WebSocket("/socket"); await new Promise((open) => { socket.onopen = open; }); }
  socket.onmessage = (event) => { news.push(JSON.parse(event.data)); if (wake) wake(); };
  socket.send(JSON.stringify({ question, how }));
  for (let text = ""; ;) {
    while (!news.length) await new Promise((done) => { wake = done; });
    const part = news.shift();
    if (part === null) return;
    yield (text += part);
  }
}

// What happens to a question that is sent by Enter or by the button.
function onsend(act, { clear = true, root = document } = {}) {
  const input = $(".composer :is(textarea,input,[contenteditable])", root);
  const button = $(".composer :is(button,[role=button])", root);
  const send = () => {
    const question = (input.value ?? input.textContent).trim();
    if (!question) return;
    if (clear && "value" in input) input.value = ""; else if (clear) input.textContent = "";
    act(question, input, button);
  };
  input.onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); send(); } };
  if (button) button.onclick = send;
}
const DOTS = '<span class="dots">●</span>';
"""

STYLE = """body { font: 15px sans-serif; margin: 0 } small, .small { font-size: 11px } .still { user-select: none }
@keyframes pulse { 50% { opacity: .3 } } .dots { display: inline-block; animation: pulse 1s infinite }
.corner { position: fixed; top: 9px; right: 9px } .pick { cursor: pointer } textarea, input { width: 20em }"""

COMPOSER = (
    '<div class="composer"><textarea placeholder="Ask the hotel"></textarea><button aria-label="Send">➤</button></div>'
)


def chat(act: str, *, before: str = "", after: str = "", composer: str = COMPOSER, log: str = "div") -> str:
    """A log with a composer below; `act` is what the page does with a `question`."""
    return (
        f'{before}<{log} id="log"></{log}>{composer}{after}'
        f"<script>onsend(async (question, input, button) => {{ {act} }})</script>"
    )


_ASKED = "put(`<div class='turn mine'><div class='text'>${question}</div></div>`);"
_BOT = "const turn = put(`<div class='turn'><div class='text'></div></div>`), box = $('.text', turn);"
_STREAM = "for await (const text of said(question)) box.innerHTML = markup(text);"

PAGES: Mapping[str, str] = {
    # Only a part of the answer was taken, because its other lines had been said before; or the line below the input.
    "/sidebar": chat(
        "button.setAttribute('aria-label', 'Stop'); put(`<article><h5 class='small'>You "
        "said:</h5><div><div class='bubble'>"
        "${question}</div></div></article>`); if (!$('#now')) $('ol').prepend(made(`<li id='now'>New chat</li>`));"
        "const turn = put(`<article><h6 class='small'>Bot said:</h6><div><div "
        "class='prose'>${DOTS}</div></div></article>`);"
        "for await (const text of said(question)) $('.prose', turn).innerHTML = markup(text); "
        "$('#now').textContent = question;"
        "turn.append(made('<div><button>Copy</button> <button>Good</button></div>')); "
        "button.setAttribute('aria-label', 'Send');"
        "$('#note').textContent = 'This machine makes mistakes, so please check what matters before "
        "you rely on any of it.';",
        before="<nav><ol><li>Dinner for two</li></ol></nav>",
        after='<p id="note">This machine makes mistakes.</p>',
    ),
    # Each paragraph is a bubble; under the newest stands who said it, under the question that it was seen.
    "/bubbles": chat(
        "const mine = put(`<div class='row out'><div class='bubble'><p>${question}</p></div></div>`);"
        "mine.append(made('<div class=small>Seen 10:42</div>')); const answer = await whole(question);"
        "for (const part of answer.split('\\n\\n')) { const dots = put(`<div class='row "
        "in'>${DOTS}</div>`); await sleep(1);"
        "dots.remove(); document.querySelectorAll('.who').forEach((one) => one.remove());"
        "put(`<div class='row in'><div><div class='bubble'>${markup(part)}</div><div class='who'>Bot "
        "· just now</div></div></div>`); }",
        before="<h3>Hotel bot</h3><div>Today</div>",
    ),
    # The name stands in the answer's element, and above the first one for the first time.
    "/named": chat(
        "put(`<div class='turn'><h2>You</h2><div class='body'>${question}</div></div>`);"
        "const turn = put(`<div class='turn'><h2>Model 4</h2><div class='column'><div "
        "class='body'></div></div></div>`);"
        "for await (const text of said(question)) $('.body', turn).innerHTML = markup(text);"
    ),
    # Sources and questions to ask next that are no buttons, a count of words, a notice in the corner.
    "/around": chat(
        f"put('<div class=corner>Your conversation has been saved for the next time.</div>', "
        f"document.body); {_ASKED} {_BOT} {_STREAM}"
        "turn.append(made('<div><div>CITATIONS</div><div class=pick>prices-and-rooms.docx</div></div>'));"
        "turn.append(made('<div class=small>Time 1.2 s, 331 words</div>')); await sleep(0.5);"
        "turn.append(made('<div><div class=still>TRY TO ASK</div><div class=pick>How much is a "
        "double room in August?</div></div>'));"
    ),
    "/shadow-parts": "<script>customElements.define('bot-turn', class extends HTMLElement { connectedCallback() {"
    "this.attachShadow({ mode: 'open' }).innerHTML = `<style>footer { font-size: 11px "
    "}</style><header><slot name='by'></slot></header>"
    "<main><slot></slot></main><footer>Content written by machines may be incorrect</footer>`; } });</script>"
    + chat(
        f"{_ASKED} const turn = put(`<bot-turn><span slot='by'>Pilot</span><div class='body'></div></bot-turn>`);"
        "for await (const text of said(question)) $('.body', turn).innerHTML = `<div "
        "class='block'>${markup(text)}</div>`;"
    ),
    # The list of sources is inside the answer's own element.
    "/listed": chat(
        f"{_ASKED} {_BOT} {_STREAM} box.append(made(`<div><h4>Sources</h4><ol><li><a href='http://hotel.example/1'>"
        "Price list of the house</a></li><li>Rules of the house</li></ol></div>`));"
    ),
    # Steps that stay, and a long train of thought that folds up when the answer comes.
    "/thinks": chat(
        f"{_ASKED} const turn = put(`<div class='turn'><div class='steps'></div><div "
        f"class='thought'></div><div class='text'>"
        "</div></div>`), box = $('.text', turn); for (const step of ['Searching 3 documents', "
        "'Reading the list of prices']) {"
        "put(`<div class='step'>${step}</div>`, $('.steps', turn)); await sleep(0.8); }"
        "for (const word of 'The guest asks about the house, so I look at the rooms and at the way "
        "there and at the pool'.split(' '))"
        "{ $('.thought', turn).textContent += word + ' '; await sleep(0.08); }"
        f"$('.thought', turn).style.cssText = 'height: 0; overflow: hidden'; {_STREAM}"
    ),
    "/list": chat(
        "put(`<li class='mine'>${question}</li>`); const box = put(`<li class='bot'></li>`);" + _STREAM, log="ul"
    ),
    "/time-inside": chat(
        f"{_ASKED} const text = await whole(question); put(`<div class='turn'><div class='text'>"
        "${text.replaceAll('\\n\\n', '<br>').replaceAll('\\n', '<br>')} <small>10:43</small></div></div>`);"
    ),
    # Of the log only the newest four entries are there: what was said first has gone when it is said again.
    "/window": chat(
        f"{_ASKED} {_BOT} while ($('#log').children.length > 4) $('#log').firstChild.remove();"
        "for await (const text of heard(question, 'pace=0&wait=1')) box.innerHTML = markup(text);"
    ),
    # One element for all answers, in which the same may be said again.
    "/in-place": chat(
        "$('#out').textContent = 'Searching…'; for await (const text of said(question)) $('#out').textContent = text;",
        after='<div id="out">The answer comes here.</div><p>Write to us at any time, and we will see '
        "what we can do.</p>",
    ),
    # The answer is typed out after all of it has come, with pauses.
    "/typewriter": chat(
        f"{_ASKED} {_BOT} const text = await whole(question); for (let end = 1; end <= text.length; end++)"
        "{ box.innerHTML = markup(text.slice(0, end)); await sleep(text[end] === '\\n' ? 0.9 : 0.025); }"
    ),
    "/stall": chat(
        f"{_ASKED} {_BOT} for await (const text of heard(question, 'stall=3')) box.innerHTML = markup(text);"
    ),
    "/polling": chat(
        f"{_ASKED} {_BOT} const words = (await whole(question)).split(' '); for (let end = 1; end <= "
        f"words.length; end += 4)"
        "{ await whole('more?', 'wait=0'); box.innerHTML = markup(words.slice(0, end).join(' ')); await sleep(1); }"
        "box.innerHTML = markup(words.join(' '));"
    ),
    # Nothing on the page tells for six seconds that the question was taken.
    "/slow-to-take": "<script>let asked = 0;</script>"
    + chat(
        f"asked++; const text = await whole(question, 'wait=6'); for (; asked; asked--) {{ {_ASKED} {_BOT}"
        "box.innerHTML = markup(text); } input.value = ''; }, { clear: false"
    ),
    "/control-enter": '<div id="log"></div><div class="composer"><textarea '
    'placeholder="Message"></textarea></div><script>'
    "$('textarea').onkeydown = async (event) => { if (event.key !== 'Enter' || !event.ctrlKey) return;"
    f"const question = event.target.value; event.target.value = ''; {_ASKED} {_BOT} {_STREAM} }};</script>",
    "/not-yet": chat(
        f"{_ASKED} {_BOT} {_STREAM}",
        after="<script>{ const input = $('textarea'); input.disabled = true; setTimeout(() => { "
        "input.disabled = false; }, 5000); }</script>",
    ),
    "/never": '<textarea disabled placeholder="Loading the model"></textarea>',
    "/corner": "<iframe title='Launcher' style='position: fixed; right: 20px; bottom: 20px; width: "
    "60px; height: 60px' srcdoc=\""
    "<div role='button' aria-label='Open Messenger' style='width: 48px; height: 48px' "
    "onclick='parent.unfold()'></div>\"></iframe>"
    "<script>window.unfold = () => document.body.append(made(`<iframe src='/named' style='width: "
    "380px; height: 600px'></iframe>`));"
    "</script>",
    "/system-prompt": chat(
        f"{_ASKED} {_BOT} {_STREAM}",
        after="<textarea name='system' placeholder='System instructions: you are a helpful assistant'></textarea>",
    ),
    "/short": chat(
        f"{_ASKED} {_BOT} {_STREAM}",
        after="<script>$('textarea').oninput = (event) => { event.target.value = "
        "event.target.value.slice(0, 11); }</script>",
    ),
    # An error where the answer would be.
    "/alert": chat(
        f"{_ASKED} await sleep(1); put(`<div role='alert'><p>The prices are being changed. Ask again tomorrow.</p>"
        "<button>Retry</button></div>`);"
    ),
    # Four rows that show the newest entries, each row another one after each question.
    "/recycled": '<div id="log"><div></div><div></div><div></div><div></div></div>'
    + COMPOSER
    + "<script>const entries = [];"
    "const draw = () => [...$('#log').children].forEach((row, i) => { const html = "
    "entries[Math.max(0, entries.length - 4) + i] || '';"
    "if (row.innerHTML !== html) row.innerHTML = html; }); onsend(async (question) => { "
    "entries.push(`<p>${question}</p>`, DOTS); draw();"
    "for await (const text of said(question)) { entries[entries.length - 1] = markup(text); draw(); } })</script>",
}


async def parts(question: str, how: Mapping[str, str]) -> AsyncIterator[str]:
    """What the bot says, in words that come one by one, or at once where the pace is 0."""
    words = SAYS.get(question, "I do not know.").split(" ")
    pace = float(how.get("pace", "0.06"))
    await asyncio.sleep(float(how.get("wait", "0.4")))
    for place, word in enumerate(words):
        yield f" {word}" if place else word
        await asyncio.sleep(pace)
        if pace and place == len(words) // 2:
            await asyncio.sleep(float(how.get("stall", "0.5")))


async def _say(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/plain; charset=utf-8"})
    await response.prepare(request)
    async for part in parts(request.query["question"], request.query):
        await response.write(part.encode())
    return response


async def _socket(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        asked = json.loads(message.data)
        how = dict(pair.split("=") for pair in asked["how"].split("&") if pair)
        async for part in parts(asked["question"], how):
            await socket.send_str(json.dumps(part))
        await socket.send_str("null")
    return socket


async def handle(request: web.Request) -> web.StreamResponse:
    """Any of `PAGES`, and what they ask for."""
    if request.path in ("/say", "/socket"):
        return await (_say if request.path == "/say" else _socket)(request)
    body = PAGES.get(request.path, "")
    head = (
        f'<!doctype html><html lang="en"><meta '
        f'charset="utf-8"><title>Hotel</title><style>{STYLE}</style><script>{SCRIPT}</script>'
    )
    return web.Response(text=f"{head}<body>{body}</body></html>", content_type="text/html")
