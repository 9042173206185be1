"""Write a conversation as a text that people can read: each question with its answer, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neraca.records import Answer, Item


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
