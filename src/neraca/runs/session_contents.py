"""Verdicts on whole conversations: which they are, and the hash of the conversation that they are on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from neraca.files import fingerprint
from neraca.records import Item

#: What a verdict on a whole conversation is about; it stands on the last question of the session.
SESSION = "session"
#: The beginning of what a verdict on one turn of a conversation is about.
TURN = "turn:"


def is_on_session(about: str) -> bool:
    """Return whether a verdict is about a conversation or one of its turns.

    >>> is_on_session("session"), is_on_session("turn:3"), is_on_session("answer")
    (True, True, False)
    """
    return about == SESSION or about.startswith(TURN)


def session_contents(items: Iterable[Item], contents: Mapping[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    """Return (item, trial) → the hash of its conversation up to this answer, in the order of the items.

    `contents` are the hashes of the answers by item and trial.  An item without a session is a conversation by itself.

    >>> items = [Item(id="1", query="?", session="a"), Item(id="2", query="?", session="a")]
    >>> before = session_contents(items, {("1", 0): "x", ("2", 0): "y"})
    >>> after = session_contents(items, {("1", 0): "z", ("2", 0): "y"})
    >>> before["2", 0] == after["2", 0]  # an earlier answer changed
    False
    """
    trials = sorted({trial for _, trial in contents})
    hashes: dict[tuple[str, int], str] = {}
    so_far: dict[tuple[str, int], str] = {}
    for item in items:
        for trial in trials:
            if (content := contents.get((item.id, trial))) is None:
                continue
            before = "" if item.session is None else so_far.get((item.session, trial), "")
            hashes[item.id, trial] = fingerprint((before, content))
            if item.session is not None:
                so_far[item.session, trial] = hashes[item.id, trial]
    return hashes


def with_whole_sessions(keys: Collection[tuple[str, int]], items: Iterable[Item]) -> set[tuple[str, int]]:
    """Return (item, trial) of all items in the conversations of these.

    >>> items = [Item(id="1", query="?", session="a"), Item(id="2", query="?", session="a"), Item(id="3", query="?")]
    >>> sorted(with_whole_sessions({("2", 0)}, items))
    [('1', 0), ('2', 0)]
    """
    items = list(items)
    session_of = {item.id: item.session for item in items}
    chosen = {(session_of.get(name), trial) for name, trial in keys}
    trials = sorted({trial for _, trial in keys})
    whole = {(item.id, trial) for item in items for trial in trials if item.session and (item.session, trial) in chosen}
    return whole | set(keys)
