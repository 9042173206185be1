"""Advice on what to try next, for each reason why an answer of a page is not complete."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

#: A pattern of the reason → what to try.  The first that matches counts.
REMEDIES = (
    ("browser failed|Neraca failed|does not start|opens no page|crashed|page was closed",
     "start the same command again"),
    ("asks for a password|sent the browser to|page answers 40[17]", "log in once: --login URL --storage-state FILE"),
    ("page does not open|page answers", "open the address in a browser, and correct --url if that fails"),
    ("nothing matches", "correct --input-selector, or name what opens the chat: --click CSS"),
    ("no place to type|takes no text|took only", "name the field: --input-selector CSS, --click CSS"),
    ("did not accept the question", "name the button that sends it: --submit-selector CSS"),
    ("no longer answers|mid-sentence|socket of the page|page was lost", "look whether the server died, then ask again"),
    ("the page says|request failed|alert", "look into the server's log, then --retry-failed"),
    ("another place than earlier|does not show the question|above its question|received more than it shows",
     "name the element that holds an answer: --response-selector CSS"),
    ("may not belong to it", "name what is no part of an answer: --ignore CSS"),
    ("changed another|changed it|changed its", "ask again, now that each answer will be watched: --retry-failed"),
    ("still changed", "watch for longer: --watch SECONDS"),
    ("still shows|time limit|no answer within", "give it more time: --timeout SECONDS, or name its sign: --busy CSS"),
    ("nothing changed for|placeholder|shows no answer",
     "say how long the page may pause: --still SECONDS, or what ends an answer: --busy CSS"),
)  # fmt: skip
_OTHERWISE = "look at the screenshot, and try the page alone: --probe URL"


def remedies(reasons: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield what to try, each with the number of answers that it may help, the most useful first.

    >>> list(remedies(["it is in another place than earlier answers", "nothing changed for 15 s"]))[0]
    ('name the element that holds an answer: --response-selector CSS', 1)
    """
    yield from Counter(map(remedy, reasons)).most_common()


def remedy(reason: str) -> str:
    """Return what to try next for one reason."""
    return next((advice for pattern, advice in REMEDIES if re.search(pattern, reason)), _OTHERWISE)
