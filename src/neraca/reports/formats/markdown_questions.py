"""Write the questions of a report in Markdown: each unfolds to show the answers of all runs one below another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from neraca.counts_and_lists import count
from neraca.number_format import number, seconds
from neraca.reports.blocks.block import Questions
from neraca.reports.blocks.checks import Check
from neraca.reports.blocks.questions import LISTED, HitLine, Question, Reply, Side, Value
from neraca.reports.formats.markdown_text import code, plain
from neraca.reports.formats.visible_text import visible
from neraca.translation import say

#: The most characters that are shown of an answer and of a hit.
ANSWER, HIT = 400, 80


def question_cards(block: Questions) -> str:
    """Write the `LISTED` questions on which the runs differ most."""
    listed = [question for question in block.questions if question.rank < LISTED]
    return "\n\n".join("\n\n".join(_question(question, block)) for question in listed)


def _question(q: Question, block: Questions) -> Iterator[str]:
    values = " · ".join(f"{_html(side.run)} {number(side.value_of(block.primary))}" for side in q.sides)
    query = f"<code>{_html(q.query)}</code> " if q.query or block.asked else ""
    yield f"<details>\n<summary><code>{_html(q.id)}</code> {query}{values}</summary>"
    facts = [f"{plain(name)} {plain(value)}" for name, value in q.tags]
    facts += [plain(say("session {session}, turn {turn}", session=q.session, turn=q.turn))] if q.session else []
    facts += [plain(say("expects {what}", what=say(q.expects)))] if q.expects else []
    if facts:
        yield f"*{' · '.join(facts)}*"
    requirements = [f"- {plain(name)}: {plain(constraint)}" for name, constraint in q.constraints]
    requirements += [f"- {plain(say('expected answer'))}: {code(text)}" for text in q.references]
    if q.more_references:
        more = count(q.more_references, "more expected answer")
        requirements.append(f"- {plain(say('{things} not shown', things=more))}")
    if requirements:
        yield "\n".join(requirements)
    for side in q.sides:
        yield from _side(side, block)
    yield "</details>"


def _side(side: Side, block: Questions) -> Iterator[str]:
    values = "; ".join(map(_value, side.values)) or plain(say("no metric"))
    yield f"**{plain(side.run)}**: {values}"
    for reply in side.replies:
        yield from _reply(reply, block)
    if not side.replies and block.asked:
        yield plain(say("No answer yet."))
    if side.more:
        yield _not_shown(side.more, "more trial")


def _value(value: Value) -> str:
    if not math.isnan(value.value):
        return f"{plain(value.metric)} {plain(number(value.value))}"
    why = f" ({plain(value.why)})" if value.why else ""
    return f"{plain(value.metric)} {plain(say('unscored'))}{why}"


def _reply(reply: Reply, block: Questions) -> Iterator[str]:
    trial = [plain(say("trial {n}", n=reply.number))] if reply.trial else []
    parts = [*trial, *([plain(say(reply.status)), plain(seconds(reply.seconds))] if block.asked else [])]
    if reply.unknown_hits:
        parts.append(plain(say("hits unknown: {why}", why=reply.unknown_hits)))
    elif not reply.absent and (block.about_hits or (reply.hits and reply.hits[0].id)):
        parts.append(plain(count(reply.returned, "hit")))
    parts += [plain(reply.note)] if reply.absent else [code(text) for text in (reply.error, reply.note) if text]
    if summary := ": ".join(filter(None, (", ".join(parts), code(reply.text, ANSWER) if reply.text else ""))):
        yield summary
    lines = [_claims(reply)] if reply.marked.claims else []
    lines += [f"- {check}" for check in _checks(reply.checks)]
    if lines:
        yield "\n".join(lines)
    if reply.hits:
        yield "\n".join(map(_hit, reply.hits))
    if reply.cut:
        yield _not_shown(reply.cut, "more hit")


def _claims(reply: Reply) -> str:
    marked = reply.marked
    claims = count(marked.claims, "claim is", "claims are")
    summary = plain(say("{n} of {claims} supported by a context", n=marked.supported, claims=claims))
    texts = ", ".join(map(code, marked.unsupported))
    unsupported = f"; {plain(say('not supported'))}: {texts}" if texts else ""
    return f"- {summary}{unsupported}."


def _checks(checks: Sequence[Check]) -> Iterator[str]:
    """Name the passed checks together; give each other check with its reason."""
    if passed := [check.aspect for check in checks if check.word == "pass"]:
        yield f"{plain(say('pass'))} {plain(', '.join(passed))}"
    for check in checks:
        if check.word != "pass":
            why = f": {code(check.why)}" if check.why else ""
            by = f" ({plain(say('by {whom}', whom=check.by))})" if check.by else ""
            yield f"{plain(say(check.word) if check.word else '')} {plain(check.aspect)}{why}{by}".lstrip()


def _hit(hit: HitLine) -> str:
    text = hit.text or hit.fields
    name = [f"{code(hit.id)} {plain(hit.relevance)}"] if hit.id else []
    parts = [*name, *([code(text, HIT)] if text else []), *_checks(hit.checks)]
    return f"{hit.rank}. {' · '.join(parts)}"


def _not_shown(n: int, noun: str) -> str:
    return plain(say("{things} not shown.", things=count(n, noun)))


def _html(text: str) -> str:
    """Escape a text for one line inside an HTML element."""
    return escape(" ".join(visible(text).split()), quote=False)
