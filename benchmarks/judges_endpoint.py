"""A model on loopback for `benchmarks/judges.py`: OpenAI-compatible, slow by a fixed time, and right in what it says.

    python benchmarks/judges_endpoint.py

It prints its port and serves until it is killed.  Texts are made of facts of ten words each, so that it can tell what
follows from what by looking for a fact word for word; it answers in the schema of whichever tool asks: Neraca, ragas or
deepeval.  So all tools get the same judgements, and those that compute the same should report the same.

`POST /script` says how it behaves and sets its counts to zero; `GET /counts` tells them.  A prompt's tokens are a
quarter of the UTF-8 bytes of its messages and of the schema that is sent beside them, for every tool.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
import time
import zlib
from array import array
from contextlib import suppress
from typing import Any

from aiohttp import web

FACT = re.compile(r"[A-Z][a-z]+(?: [a-z]+){8} \d+\.")
RAGAS_INPUT = re.compile(r"Now perform the same with the following input\ninput: (.*)\nOutput: ", re.DOTALL)
RAGAS_KINDS = (
    "StatementGeneratorOutput",
    "NLIStatementOutput",
    "ResponseRelevanceOutput",
    "Verification",
    "ContextRecallClassifications",
    "ClassificationWithReason",
)
WHY = "one of the texts says this word for word"
QUESTIONS = [
    f"{ask} does the house near the market cost this year?" for ask in ("What", "How much", "In which town what")
]


def facts(text: str) -> list[str]:
    return FACT.findall(text)


def for_neraca(kind: str, data: Any) -> Any:
    if kind == "AnswerReply":
        return {"claims": facts(data["answer"]), "questions": QUESTIONS, "declines": False}
    if kind == "ReferencesReply":
        return {key: {"claims": facts(one["reference"])} for key, one in data.items()}
    mine, other, contexts = data["answer"], data["reference"], data["contexts"]
    reply: dict[str, Any] = {}
    for key in data["judge"]:
        if key in contexts:
            useful = any(fact in contexts[key] for fact in other.values())
            reply.setdefault("useful", {})[key] = useful
        else:
            fact = mine.get(key) or other[key]
            by = {x: fact in text for x, text in contexts.items()}
            stated = fact in (other if key in mine else mine).values()
            reply[key] = {"reason": WHY, "supported_by": by, "stated": stated}
    return reply


def for_ragas(kind: str, data: Any) -> Any:
    if kind == "StatementGeneratorOutput":
        return {"statements": facts(data["answer"])}
    if kind == "NLIStatementOutput":
        told = [(one, int(one in data["context"])) for one in data["statements"]]
        return {"statements": [{"statement": one, "reason": WHY, "verdict": yes} for one, yes in told]}
    if kind == "ResponseRelevanceOutput":
        return {"question": QUESTIONS[0], "noncommittal": 0}
    if kind == "Verification":
        return {"reason": WHY, "verdict": int(any(fact in data["context"] for fact in facts(data["answer"])))}
    if kind == "ContextRecallClassifications":
        told = [(one, int(one in data["context"])) for one in facts(data["answer"])]
        return {"classifications": [{"statement": one, "reason": WHY, "attributed": yes} for one, yes in told]}
    mine, other = data["answer"], data["ground_truth"]
    classes = {
        "TP": [one for one in mine if one in other],
        "FP": [one for one in mine if one not in other],
        "FN": [one for one in other if one not in mine],
    }
    return {name: [{"statement": one, "reason": WHY} for one in some] for name, some in classes.items()}


def after(text: str, heading: str) -> str:
    """What stands under the last heading of this name in a prompt of deepeval."""
    return text.rpartition(heading)[2]


def for_deepeval(kind: str, text: str) -> Any:
    if kind == "Truths":
        return {"truths": facts(after(text, "\nText:\n"))}
    if kind == "Claims":
        return {"claims": facts(after(text, "\nAI Output:\n"))}
    if kind == "Statements":
        return {"statements": facts(after(text, "\nText:\n"))}
    if kind == "Steps":
        return {
            "steps": ["Compare each fact with the expected output.", "Take points off for what is missing or wrong."]
        }
    if kind == "ReasonScore":
        return {"reason": WHY, "score": 7}
    if kind != "Verdicts":
        return {"reason": f"The score is what it is because {WHY}."}
    if "\nStatements:\n" in text:
        told = [True for _ in facts(after(text, "\nStatements:\n"))]
    elif "\nClaims:\n" in text:
        known = text.rpartition("\nClaims:\n")[0]
        told = [fact in known for fact in facts(after(text, "\nClaims:\n"))]
    elif "\nExpected output:\n" in text:
        wanted, _, found = after(text, "\nExpected output:\n").partition("\nRetrieval Context")
        told = [any(fact in one for fact in facts(wanted)) for one in found.split("', '")]
    else:
        wanted, _, found = after(text, "\nExpected Output:\n").partition("\nRetrieval Context")
        told = [fact in found for fact in facts(wanted)]
    return {"verdicts": [{"verdict": "yes" if yes else "no", "reason": WHY} for yes in told]}


def schema_of(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and schema that are sent beside the messages."""
    if body.get("tools"):
        function = body["tools"][0]["function"]
        return function["name"], function["parameters"]
    form = body.get("response_format") or {}
    inner = form.get("json_schema", {})
    return inner.get("name", ""), inner.get("schema", {})


def reply_to(kind: str, texts: list[str]) -> Any:
    last = texts[-1]
    if kind.endswith("Reply"):
        return for_neraca(kind, json.loads(last.split("\n")[1]))
    if found := RAGAS_INPUT.search(last):
        name = kind if kind in RAGAS_KINDS else next(one for one in RAGAS_KINDS if f'"title": "{one}"' in last)
        return for_ragas(name, json.loads(found[1]))
    return for_deepeval(kind or "ReasonScore", last)


def vector(text: str) -> list[float]:
    """256 numbers, each word adding to one of them."""
    found = [0.0] * 256
    for word in re.findall(r"\w+", text.lower()):
        found[zlib.crc32(word.encode()) % 256] += 1.0
    return found


class Endpoint:
    """What it was told to do, and what it saw."""

    def __init__(self) -> None:
        self.script: dict[str, Any] = {}
        self.tell({})

    def tell(self, script: dict[str, Any]) -> None:
        """`latency` in seconds; share of calls that go wrong (`fail`: in one of these ways); `most` in flight."""
        self.script = {"latency": 0.2, "share": 0.0, "fail": [], "most": None, **script}
        self.chance = random.Random(20240517)
        self.flying = 0
        self.counts: dict[str, Any] = dict.fromkeys(
            ("chat", "embeddings", "tokens", "written", "embedded", "failed", "refused", "peak", "references"), 0
        )
        self.first, self.last = 0.0, 0.0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        counts, script = self.counts, self.script
        self.first = self.first or time.monotonic()
        self.flying += 1
        counts["peak"] = max(counts["peak"], self.flying)
        try:
            if script["most"] is not None and self.flying > script["most"]:
                counts["refused"] += 1
                return web.json_response({"error": {"message": "too many requests"}}, status=429)
            return await (self.embed if request.path.endswith("/embeddings") else self.chat)(request, body)
        finally:
            self.flying -= 1
            self.last = time.monotonic()

    async def chat(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        counts, script = self.counts, self.script
        kind, schema = schema_of(body)
        texts = [_text(each["content"]) for each in body["messages"]]
        counts["chat"] += 1
        counts["references"] += kind == "ReferencesReply"
        read = (sum(len(text.encode()) for text in texts) + (len(json.dumps(schema)) if schema else 0)) // 4
        counts["tokens"] += read
        wrong = self.chance.choice(script["fail"]) if self.chance.random() < script["share"] else ""
        counts["failed"] += bool(wrong)
        if wrong == "hang":
            await asyncio.sleep(600)
        if wrong == "drop" and request.transport:
            request.transport.close()
        if wrong[:3].isdigit():
            status, _, wait = wrong.partition(" after ")
            headers = {"Retry-After": wait} if wait else {}
            return web.json_response({"error": {"message": wrong}}, status=int(status), headers=headers)
        text = json.dumps(reply_to(kind, texts))
        await asyncio.sleep(script["latency"])
        if wrong == "malformed":
            text = text[: len(text) // 2]
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if body.get("tools"):
            call = {"id": "t1", "type": "function", "function": {"name": kind, "arguments": text}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"message": message, "finish_reason": "tool_calls" if body.get("tools") else "stop", "logprobs": None}
        written = len(text) // 4
        counts["written"] += written
        return web.json_response(
            {
                "id": "c1",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [{"index": n, **choice} for n in range(body.get("n") or 1)],
                "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
            }
        )

    async def embed(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        read = sum(len(text) for text in texts) // 4
        self.counts["embeddings"] += 1
        self.counts["embedded"] += len(texts)
        await asyncio.sleep(self.script["latency"])
        vectors: list[Any] = [vector(text) for text in texts]
        if body.get("encoding_format") == "base64":
            vectors = [base64.b64encode(array("f", one).tobytes()).decode() for one in vectors]
        data = [{"object": "embedding", "index": n, "embedding": one} for n, one in enumerate(vectors)]
        usage = {"prompt_tokens": read, "total_tokens": read}
        return web.json_response({"object": "list", "data": data, "model": body["model"], "usage": usage})

    async def told(self, request: web.Request) -> web.StreamResponse:
        self.tell(await request.json())
        return web.json_response({})

    async def counted(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({**self.counts, "busy": self.last - self.first})


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


async def main() -> None:
    endpoint = Endpoint()
    app = web.Application(client_max_size=10**8)
    app.router.add_post("/script", endpoint.told)
    app.router.add_get("/counts", endpoint.counted)
    app.router.add_post("/v1/chat/completions", endpoint.answer)
    app.router.add_post("/v1/embeddings", endpoint.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=4096)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
