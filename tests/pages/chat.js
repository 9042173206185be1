"use strict";

// The chat of the hand-made pages.  `chat({…})` lays it out; each option makes one thing harder to drive.

const conversation = String(Math.random());

const COMPOSERS = {
  field: `<form class="composer"><input name="q" placeholder="Ask about a house" autocomplete="off"><button>Ask</button></form>`,
  lines: `<div class="composer"><textarea rows="2" placeholder="Your message"></textarea>
    <button type="button" aria-label="Send">➤</button></div>`,
  editable: `<div class="composer"><div contenteditable="true" role="textbox" aria-label="Your message"></div>
    <button type="button">Send</button></div>`,
};

const EXTRAS = `<p class="buttons"><button>Copy</button> <button>Regenerate</button> <span role="button">👍</span></p>
  <details><summary>2 sources</summary><ul>SOURCES</ul></details>
  <p class="buttons"><button>Is it far from the sea?</button> <button>Who are the neighbours?</button></p>`;

/** What is to stand where the answer stands, again and again, from a response that stays open until the last. */
async function* byFetch(question) {
  const body = JSON.stringify({ page: location.pathname, conversation, question });
  const response = await fetch("/ask" + location.search, { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}

/** The same through one socket, open from the first question on; an empty message is the end of an answer. */
async function* bySocket(question) {
  bySocket.messages ??= [];
  if (!bySocket.socket) {
    bySocket.socket = new WebSocket("/socket" + location.search);
    bySocket.socket.onmessage = (event) => { bySocket.messages.push(event.data); bySocket.wake?.(); };
    await new Promise((opened) => { bySocket.socket.onopen = opened; });
  }
  bySocket.socket.send(JSON.stringify({ page: location.pathname, conversation, question }));
  for (;;) {
    while (!bySocket.messages.length) await new Promise((wake) => { bySocket.wake = wake; });
    const message = bySocket.messages.shift();
    if (!message) return;
    yield JSON.parse(message);
  }
}

/** An element of this class, with this markup. */
function made(name, html = "") {
  const element = document.createElement("div");
  element.className = name;
  element.innerHTML = html;
  return element;
}

/**
 * root      where the chat is laid out
 * composer  a form with a field; lines, where Enter does not send; or an editable element without a form
 * place     how an answer is placed: "last", "first" (on top), or "only" (instead of the one before)
 * ask       byFetch or bySocket
 * busy      whether the button is disabled while an answer is written
 * extras    whether names, times, sources, buttons and suggestions stand around an answer
 * remount   milliseconds until the composer is thrown away and made anew
 * meanwhile called with the number of each text that has been shown
 */
function chat({ root = document.body, composer = "field", place = "last", ask = byFetch, busy = true,
                extras = false, remount = 0, meanwhile = () => {} } = {}) {
  const log = made("log");
  let tools = mount();
  root.append(log, tools);
  if (remount) setTimeout(() => { const newer = mount(); tools.replaceWith(newer); tools = newer; }, remount);

  function mount() {
    const built = made("tools", COMPOSERS[composer]).firstElementChild;
    const input = built.querySelector("input, textarea, [contenteditable]");
    const submit = () => {
      const question = (input.value ?? input.innerText).trim();
      if (!question || built.querySelector("button").disabled) return;
      if ("value" in input) input.value = ""; else input.textContent = "";
      answer(question);
    };
    if (composer === "field") built.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
    else built.querySelector("button").addEventListener("click", submit);
    if (composer === "editable")
      input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); submit(); } });
    return built;
  }

  function exchange(question) {
    const said = made("answer");
    if (place === "only") { log.replaceChildren(said); return said; }
    const pair = made("exchange");
    pair.append(made("question"), said);
    pair.firstChild.textContent = question;
    if (extras) said.before(made("by", `<b>House assistant</b> <time>10:42</time>`));
    if (place === "first") log.prepend(pair); else log.append(pair);
    return said;
  }

  async function answer(question) {
    const said = exchange(question);
    tools.querySelector("button").disabled = busy;
    let number = 0;
    try {
      for await (const { html } of ask(question)) { said.innerHTML = html; meanwhile(++number); }
      if (extras) said.after(made("extras", EXTRAS.replace("SOURCES", document.body.dataset.sources)));
    } catch (error) {
      said.replaceChildren(made("error"));
      said.firstChild.setAttribute("role", "alert");
      said.firstChild.textContent = error.message;
    }
    tools.querySelector("button").disabled = false;
  }
}
