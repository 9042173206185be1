"""Write conversations as texts that people can read: each question with its answer, turn by turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from neraca.records import Answer, Hit, Item

#: Most hits of an earlier answer without a text that are listed.
HITS = 10


def transcript(items: Iterable[Item], answers: Mapping[tuple[str, int], Answer], last: Item, trial: int) -> str:
    r"""Return the turns of a conversation up to an item; `items` are the questions of the run, in order.

    >>> items = [Item(id="1", query="Rooms?", session="a"), Item(id="2", query="And baths?", session="a")]
    >>> answers = {("1", 0): Answer(item="1", text="Two."), ("2", 0): Answer(item="2", status="timeout")}
    >>> transcript(items, answers, items[1], 0)
    '1. Rooms?\n→ Two.\n\n2. And baths?\n→ (timeout)'
    """
    turns: list[str] = []
    for item in items:
        if item.id == last.id or (item.session is not None and item.session == last.session):
            answer = answers.get((item.id, trial))
            if answer is not None:
                reply = answer.text or ("(…)" if answer.replied else f"({answer.status})")
                turns.append(f"{len(turns) + 1}. {item.query}\n→ {reply}")
        if item.id == last.id:
            break
    return "\n\n".join(turns)


def earlier_replies(
    items: Iterable[Item], answers: Mapping[tuple[str, int], Answer], trials: int
) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return (item, trial) → the answers to the earlier questions of its session, as `reply` writes them.

    `items` are the questions of the run, in order; those without a session have no earlier answers.

    >>> items = [Item(id="1", query="Rooms?", session="a"), Item(id="2", query="And baths?", session="a")]
    >>> earlier_replies(items, {("1", 0): Answer(item="1", text="Two.")}, trials=1)
    {('1', 0): (), ('2', 0): ('Two.',)}
    """
    replies: dict[tuple[str, int], tuple[str, ...]] = {}
    sessions: defaultdict[tuple[str, int], tuple[str, ...]] = defaultdict(tuple)
    for item in items:
        for trial in range(trials):
            if item.session is None:
                replies[item.id, trial] = ()
                continue
            replies[item.id, trial] = sessions[item.session, trial]
            sessions[item.session, trial] += (reply(answers.get((item.id, trial))),)
    return replies


def reply(answer: Answer | None) -> str:
    """Return an answer as a text: its text, else its hits in lines; its status if it failed, "" if it is empty.

    >>> reply(Answer(item="1", hits=(Hit(id="d7", fields={"price": 3}),)))
    '1. price: 3'
    >>> reply(None)
    '(…)'
    """
    if answer is None:
        return "(…)"
    if not answer.replied:
        return f"({answer.status})"
    lines = [f"{rank}. {_hit_line(hit)}".rstrip() for rank, hit in enumerate(answer.hits[:HITS], start=1)]
    if answer.text.strip():
        return answer.text.strip()
    return "\n".join([*lines, "…"] if len(answer.hits) > HITS else lines)


def _hit_line(hit: Hit) -> str:
    fields = (f"{name}: {value}" for name, value in hit.fields.items() if isinstance(value, str | int | float))
    return hit.text.strip() or ", ".join(fields)
