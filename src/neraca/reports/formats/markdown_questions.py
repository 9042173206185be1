"""The questions of a report in Markdown: each can be unfolded, with the answers of all runs below each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from neraca.number_format import number, seconds
from neraca.reports.blocks.block import Questions
from neraca.reports.blocks.questions import LISTED, Check, HitLine, Question, Reply, Side, Value
from neraca.reports.counts_and_lists import count
from neraca.reports.formats.escape import visible
from neraca.reports.formats.markdown_text import code, plain
from neraca.reports.translation import say

#: Characters of an answer and of a hit that are shown.
ANSWER, HIT = 400, 80


def question_cards(block: Questions) -> str:
    """Write the first `LISTED` questions on which the runs differ most."""
    listed = [question for question in block.questions if question.rank < LISTED]
    return "\n\n".join("\n\n".join(_question(question, block)) for question in listed)


def _question(q: Question, block: Questions) -> Iterator[str]:
    values = " · ".join(f"{_html(side.run)} {number(side.value_of(block.primary))}" for side in q.sides)
    query = f"<code>{_html(q.query)}</code> " if q.query or block.asked else ""
    yield f"<details>\n<summary><code>{_html(q.id)}</code> {query}{values}</summary>"
    about = [f"{plain(name)} {plain(value)}" for name, value in q.tags]
    about += [plain(say("session {session}, turn {turn}", session=q.session, turn=q.turn))] if q.session else []
    about += [plain(say("expects {what}", what=say(q.expects)))] if q.expects else []
    if about:
        yield f"*{' · '.join(about)}*"
    asked = [f"- {plain(name)}: {plain(words)}" for name, words in q.constraints]
    asked += [f"- {plain(say('expected answer'))}: {code(text)}" for text in q.references]
    if q.more_references:
        more = count(q.more_references, "more expected answer")
        asked.append(f"- {plain(say('{things} not shown', things=more))}")
    if asked:
        yield "\n".join(asked)
    for side in q.sides:
        yield from _side(side, block)
    yield "</details>"


def _side(side: Side, block: Questions) -> Iterator[str]:
    values = "; ".join(map(_value, side.values)) or plain(say("no metric"))
    yield f"**{plain(side.run)}**: {values}"
    for reply in side.replies:
        yield from _reply(reply, block.about_hits)
    if not side.replies and block.asked:
        yield plain(say("No answer yet."))
    if side.more:
        yield _not_shown(side.more, "more trial")


def _value(value: Value) -> str:
    if not math.isnan(value.value):
        return f"{plain(value.metric)} {plain(number(value.value))}"
    why = f" ({plain(value.why)})" if value.why else ""
    return f"{plain(value.metric)} {plain(say('unscored'))}{why}"


def _reply(reply: Reply, about_hits: bool) -> Iterator[str]:
    trial = [plain(say("trial {n}", n=reply.number))] if reply.trial else []
    parts = [*trial, plain(say(reply.status)), plain(seconds(reply.seconds))]
    parts += [plain(count(reply.returned, "hit"))] if reply.hits or about_hits else []
    parts += [code(text) for text in (reply.error, reply.note) if text]
    yield ", ".join(parts) + (f": {code(reply.text, ANSWER)}" if reply.text else "")
    lines = [_claims(reply)] if reply.marked.claims else []
    lines += [f"- {words}" for words in _checks(reply.checks)]
    if lines:
        yield "\n".join(lines)
    if reply.hits:
        yield "\n".join(map(_hit, reply.hits))
    if reply.cut:
        yield _not_shown(reply.cut, "more hit")


def _claims(reply: Reply) -> str:
    marked = reply.marked
    claims = count(marked.claims, "claim is", "claims are")
    words = plain(say("{n} of {claims} supported by a context", n=marked.supported, claims=claims))
    claims = ", ".join(map(code, marked.unsupported))
    unsupported = f"; {plain(say('not supported'))}: {claims}" if claims else ""
    return f"- {words}{unsupported}."


def _checks(checks: Sequence[Check]) -> Iterator[str]:
    """Name the checks that passed together; give the reason of each other one."""
    if passed := [check.aspect for check in checks if check.word == "pass"]:
        yield f"{plain(say('pass'))} {plain(', '.join(passed))}"
    for check in checks:
        if check.word != "pass":
            why = f": {code(check.why)}" if check.why else ""
            by = f" ({plain(say('by {whom}', whom=check.by))})" if check.by else ""
            yield f"{plain(say(check.word))} {plain(check.aspect)}{why}{by}"


def _hit(hit: HitLine) -> str:
    text = hit.text or hit.fields
    parts = [f"{code(hit.id)} {plain(hit.relevance)}", *([code(text, HIT)] if text else []), *_checks(hit.checks)]
    return f"{hit.rank}. {' · '.join(parts)}"


def _not_shown(n: int, what: str) -> str:
    return plain(say("{things} not shown.", things=count(n, what)))


def _html(text: str) -> str:
    """Write words on one line inside an element of HTML."""
    return escape(" ".join(visible(text).split()), quote=False)
