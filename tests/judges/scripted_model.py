"""A language model that is a script: it reads the data of a prompt, judges by words, and can be told to misbehave.

It takes for data what stands between the two lines of the code that the system message names, as JSON; all else that it
is shown it takes for instructions.
"""

import asyncio
import json
import re

import numpy as np

from neraca.errors import BudgetReached
from neraca.models.cost import tokens
from neraca.models.prompt import Reply
from neraca.models.reply_schema import reply_schema

CODE = re.compile(r"`([0-9a-f]{8,})`")


def data_of(prompt):
    """What stands between the lines of the code."""
    code = CODE.search(prompt.system)[1]
    before, inside, after = prompt.user.split(code)
    assert before == after == ""
    return json.loads(inside)


def kind_of(schema):
    """The kind of reply that a schema asks for; a further attempt may ask about some references only, such as q4."""
    names = schema["properties"]
    if "declines" in names:
        return "AnswerReply"
    return "ReferencesReply" if any(re.fullmatch(r"q\d+", name) for name in names) else "MatrixReply"


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


def says(text, statement):
    """Whether a text has every word of a statement of four letters or more, and every number."""
    return {word for word in words(statement) if len(word) > 3 or word.isdigit()} <= words(text)


def parts(text):
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]


def reply_to(prompt):
    """What a careful model would say, as plain JSON."""
    data, kind = data_of(prompt), prompt.kind.__name__
    if kind == "AnswerReply":
        text = data["answer"]
        questions = [f"{ask} {text[:40]}?" for ask in ("What is", "Where is", "How many are")]
        return {"claims": parts(text), "questions": questions, "declines": "not know" in text}
    if kind == "ReferencesReply":
        return {key: {"claims": parts(one["reference"])} for key, one in data.items()}
    assert kind == "MatrixReply", kind
    mine, other = data["answer"], data["reference"]
    reply = {}
    for key in data["judge"]:
        if key in data["contexts"]:
            goal = other or mine
            useful = any(says(data["contexts"][key], text) for text in goal.values())
            reply.setdefault("useful", {})[key] = useful
        else:
            text = mine.get(key) or other[key]
            by = {x: says(context, text) for x, context in data["contexts"].items()}
            stated = says(" ".join((other if key in mine else mine).values()), text)
            reply[key] = {"reason": f"{sum(by.values())} texts say it", "supported_by": by, "stated": stated}
    return reply


class Script:
    """A model behind a session, as `neraca.models.chat.Chat`.

    Parameters
    ----------
    reply
        From a prompt and the number of the repeat to plain JSON, or to an error that is raised.
    budget
        How many calls may be made.
    seconds
        That each call takes.
    """

    def __init__(self, reply=lambda prompt, repeat: reply_to(prompt), budget=None, seconds=0.0):
        self.reply, self.budget, self.seconds = reply, budget, seconds
        self.prompts, self.repeats, self.cache, self.settings = [], [], {}, None

    def __call__(self, settings, session):
        self.settings, self.session = settings, session
        return self

    @property
    def calls(self):
        return len(self.prompts)

    @property
    def kinds(self):
        return [prompt.kind.__name__ for prompt in self.prompts]

    @property
    def tokens(self):
        """Of all prompts."""
        return sum(tokens(prompt.system) + tokens(prompt.user) for prompt in self.prompts)

    async def ask(self, prompt, repeat=0):
        key = (prompt.system, prompt.user, repeat)
        if self.session.dry_run:
            return Reply(value=prompt.guess, seconds=0, cost=0, input_tokens=0, output_tokens=0)
        if key not in self.cache:
            if self.budget is not None and self.calls >= self.budget:
                raise BudgetReached("the budget is reached")
            self.prompts.append(prompt)
            self.repeats.append(repeat)
            await asyncio.sleep(self.seconds)
            said = self.reply(prompt, repeat)
            if isinstance(said, BaseException):
                raise said
            value = reply_schema(prompt.kind).read(json.dumps(said), prompt.check, prompt.texts)
            self.cache[key] = value
        return Reply(value=self.cache[key], seconds=0.2, cost=0.0, input_tokens=1, output_tokens=1)


class Letters:
    """An embedder that counts letters: enough to tell near from far, and easy to compute by hand."""

    name = "letters"
    languages = frozenset({"en", "es"})

    def __init__(self):
        self.texts = []

    def __call__(self, name, session):
        return self

    async def embed(self, texts):
        self.texts += texts
        counts = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


def reason_of(verdict):
    """The why of a verdict, with its status before it where it has no value."""
    return verdict.why if verdict.value is not None else f"{verdict.status.replace('_', ' ')}: {verdict.why}"
