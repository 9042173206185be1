"""What the next request shows of an answer before it: a reply without a length whose server is gone may be cut off."""

from __future__ import annotations

import asyncio
from pathlib import Path

from neraca.datasets.dataset import Dataset
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.browser import BrowserTarget

ANSWER = "A room with a view costs 40 euros a night."
PAGE = """<!doctype html><meta charset="utf-8"><main id="log"></main>
<form id="form"><input id="question" placeholder="Ask something"><button>Send</button></form>
<script>
const add = (kind) => log.appendChild(Object.assign(document.createElement("div"), { className: kind }));
form.onsubmit = async (event) => {
  event.preventDefault();
  const text = question.value; question.value = ""; add("user").textContent = text;
  const answer = await fetch("/ask"), box = add("bot");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part; !(part = await reader.read()).done;) box.textContent += part.value;
};
</script>"""


class Mortal:
    """A server that gives one answer, shows once more that it is alive, and is gone.

    The reply is the beginning of a longer one: it ends with a sentence, and the connection ends with it.
    """

    def __init__(self, *, with_length: bool) -> None:
        self._head = f"Content-Length: {len(ANSWER)}\r\n" if with_length else ""
        self._server: asyncio.Server | None = None
        self._answered = False

    async def start(self) -> str:
        """Begin to serve; return the address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        asks = " /ask " in request
        kind, length = ("plain", self._head) if asks else ("html", f"Content-Length: {len(PAGE)}\r\n")
        start = f"HTTP/1.1 200 OK\r\nContent-Type: text/{kind}\r\n{length}Connection: close\r\n\r\n"
        writer.write((start + (ANSWER if asks else "" if request.startswith("HEAD") else PAGE)).encode())
        self._answered |= asks
        if self._answered and (request.startswith("HEAD") or self._head) and self._server is not None:
            self._server.close()
        writer.close()


async def two_answers(chromium: str, folder: Path, *, with_length: bool) -> list[Answer]:
    """Return what the journal of a run says of two questions, of which the second finds nobody."""
    items = (Item(id="a", query="What does a view cost?", session="s"), Item(id="b", query="And a bed?", session="s"))
    settings = {"kind": "browser", "url": await Mortal(with_length=with_length).start(), "watch": 0}
    run = Run.create(folder / "run", Dataset(items), settings)
    with run.writing():
        await ask_all(run, BrowserTarget(settings | {"browser": chromium}), AskOptions(1, 60.0, 0))
    return list(run.answers_journal)


async def test_an_answer_without_a_length_is_suspect_if_the_next_request_finds_no_server(
    chromium: str, tmp_path: Path
) -> None:
    first, again, second = await two_answers(chromium, tmp_path, with_length=False)
    assert (first.item, first.status, first.text) == ("a", "complete", ANSWER)
    assert (again.item, again.status, again.text, again.key) == ("a", "suspect", ANSWER, first.key)
    assert "came without a length, and the next request failed: GET /ask ERR_CONNECTION_REFUSED" in again.note
    assert (second.item, second.status) == ("b", "error")


async def test_an_answer_with_a_length_stays_complete(chromium: str, tmp_path: Path) -> None:
    first, second = await two_answers(chromium, tmp_path, with_length=True)
    assert (first.status, first.text, second.status) == ("complete", ANSWER, "error")


class Cutting(Mortal):
    """A server that ends every other answer in the middle, without a length, and stays alive."""

    def __init__(self) -> None:
        super().__init__(with_length=False)
        self._count = 0

    def close(self) -> None:
        """End the server."""
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        asks = " /ask " in request
        self._count += asks
        body = f"{self._count}. {ANSWER}" if self._count % 2 else f"{self._count}. {ANSWER[:16]}"
        kind, length = ("plain", "") if asks else ("html", f"Content-Length: {len(PAGE)}\r\n")
        start = f"HTTP/1.1 200 OK\r\nContent-Type: text/{kind}\r\n{length}Connection: close\r\n\r\n"
        writer.write((start + (body if asks else "" if request.startswith("HEAD") else PAGE)).encode())
        writer.close()


async def test_every_answer_that_ends_in_mid_sentence_is_suspect_where_most_do_not(
    chromium: str, tmp_path: Path
) -> None:
    items = tuple(Item(id=str(n), query=f"What does view {n} cost?", session="s") for n in range(1, 7))
    server = Cutting()
    settings = {"kind": "browser", "url": await server.start(), "watch": 0}
    run = Run.create(tmp_path / "run", Dataset(items), settings)
    with run.writing():
        await ask_all(run, BrowserTarget(settings | {"browser": chromium}), AskOptions(1, 60.0, 0))
    server.close()
    answers = run.answers()
    told = [answers[item.id, 0].status for item in items]
    assert told == ["complete", "suspect"] * 3, [(a.text, a.note) for a in answers.values()]
