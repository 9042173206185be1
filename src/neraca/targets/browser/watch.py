"""When an answer on a page is complete: decided from what is seen, with no page at hand.

That a text stands still proves nothing: models pause, servers die, a page says "searching…" for as long as it takes.
An answer is complete when something *told its end*: what was at work while it came, such as a request, a stop button
or a button that was off, has gone, and not before the last change of the text.  The first time that a page gives such
a sign, the sign is tried: nothing may change for some seconds after it.  Where there is no sign, only time passes, and
the answer is suspect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

_WORDS = (
    "thinking|searching|loading|generating|working|typing|writing|processing|retrieving|analy[sz]ing|reading|looking|"
    "let me (?:think|check|look)|one moment|please wait|hold on|just a|"
    "pensando|buscando|cargando|generando|escribiendo|procesando|consultando|analizando|un momento|"
    "memuat|mencari|berpikir|mengetik|sebentar|tunggu|memproses|menulis|"
    "جار[يٍ]?|يبحث|يكتب|لحظة|انتظر"
)
_PLACEHOLDER = re.compile(rf"\W*(?:{_WORDS})\b.{{0,60}}", re.IGNORECASE | re.DOTALL)
#: Longer texts are answers, and so are texts of some length that end in dots without being such words.
_LONGEST, _SHORT = 90, 60
#: Seconds before the last change in which a sign of work belongs to it, as one does that the look before it saw.
_SLACK = 0.7
#: What stands at the end of a text that is still being written.
_CURSOR = " \n▌▍▎█▋●⬤⚫■|_.…"


def placeholder(text: str) -> bool:
    """Whether a text only says that an answer is on its way.

    >>> placeholder("Searching the documents…"), placeholder("…"), placeholder("Thinking is what philosophers do.")
    (True, True, False)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return False
    if text.endswith(("…", "...")) and len(text) < _SHORT:
        return True
    return not text.strip(_CURSOR) or (bool(_PLACEHOLDER.fullmatch(text)) and not text.endswith((".", "!", "?")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen of a page at one moment.

    Attributes
    ----------
    at
        Seconds, of a clock that only goes forward.
    text
        The answer as far as it is there.
    signs
        What tells that the page is at work, compared with how it was before the question: `stop` (a stop button or the
        like), `moving` (an animation of another kind than before), `composed` (buttons beside the input look
        otherwise), `open` (a request), `asking` (the same request again and again), `spoke` (a socket just now).
    ended
        When the last request that was made for the question ended well; None where none has.
    shows
        Whether the text is the `whole` of what the page was sent, a `part` from its beginning, or "": not known.
    failed
        What failed since the question: a request, a socket, or a notice of the page; "" where nothing did.
    """

    at: float
    text: str
    signs: frozenset[str] = frozenset()
    ended: float | None = None
    shows: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """That an answer has ended, and how this is known; a suspect one may not be whole."""

    why: str
    suspect: bool = False


@dataclass
class Learned:
    """What the answers of a page have taught; one for all conversations with a target.

    Attributes
    ----------
    trusted, lied
        The signs of an end that were tried: after which nothing changed, and after which the text went on.
    place
        Where answers stand and how they are held, as the script of the page says it.
    """

    trusted: set[str] = field(default_factory=set)
    lied: set[str] = field(default_factory=set)
    place: dict[str, Any] = field(default_factory=lambda: {"order": "", "makes": [], "edges": [], "furniture": []})


#: How the signs of work are called, and what it is called that one has gone.
SIGNS = {
    "stop": ("a stop button", "its stop button went"),
    "composed": ("other buttons beside the input", "the buttons beside the input came back"),
    "moving": ("an animation", "its animation ended"),
    "open": ("an open connection", "its request ended"),
    "asking": ("that it asks again and again", "it asks its server no more"),
    "sent": ("", "it shows all that it was sent"),
}


@dataclass
class Watch:
    """Follows an answer from the moment the question was sent.

    Attributes
    ----------
    started
        When that was.
    still
        Seconds without a change after which a text is taken where nothing tells its end.
    told
        Whether somebody said so: then it is complete, else suspect.
    learned
        What earlier answers taught, and what this one teaches.
    soon, tried
        Seconds that the text must stand still after a sign that is trusted, and after one that is tried.
    text, partial
        What stands there now, and what was last seen of the answer.
    """

    started: float
    still: float = 15.0
    told: bool = False
    learned: Learned = field(default_factory=Learned)
    soon: float = 0.6
    tried: float = 5.0
    text: str = ""
    partial: str = ""
    changed: float = 0.0
    sign: str = ""
    _at_work: dict[str, float] = field(default_factory=dict)
    _worked: float = 0.0
    _looked: float = 0.0
    _since: float = 0.0
    _trying: str = ""
    _seen: list[tuple[float, str]] = field(default_factory=list)

    def see(self, look: Look) -> Ended | None:
        """Take in what is seen now; says so when the answer has ended."""
        if look.signs == {"moving"} and look.text == self.text and self._at_work.get("stop", -1.0) >= self._since:
            look = replace(look, signs=frozenset())  # it goes on although the stop button went: it is no work
        if look.text != self.text:
            if self._trying and look.at - self.changed > self.soon:
                self.learned.lied.add(self._trying)
            self.text, self.changed = look.text, look.at
            self._since = min(look.at - _SLACK, self._looked)
            self.partial = self.partial if placeholder(look.text) else look.text
            self._seen.append((look.at, look.text))
        for sign in look.signs:
            if sign != "moving" or (look.text and not placeholder(look.text)):  # dots before an answer tell no end
                self._at_work[sign] = look.at
        if look.signs:
            self._worked = look.at
        self._trying, self._looked = "" if look.signs else self._sign(look), look.at
        return self._ended(look, look.at - max(self.changed, self.started))

    def _sign(self, look: Look) -> str:
        """What told the end: was at work until the last change, and is no more."""
        if look.shows == "part":
            return ""
        last = self._at_work | ({} if look.ended is None else {"open": max(look.ended, self._at_work.get("open", 0.0))})
        if look.shows == "whole" and "asking" not in last:
            last["sent"] = look.at
        if look.ended is None:
            last.pop("open", None)
        signs = [one for one in SIGNS if last.get(one, -1.0) >= self._since and one not in self.learned.lied]
        if "asking" in last:  # each of many requests ends, and none of them tells anything
            signs = [one for one in signs if one != "open"]
        return next((one for one in signs if one in self.learned.trusted), next(iter(signs), ""))

    def _ended(self, look: Look, still: float) -> Ended | None:
        calm, waits = look.at - max(self.changed, self._worked), placeholder(look.text)
        if look.signs:
            return self._though_at_work(look, still)
        if look.failed:
            return Ended(look.failed, suspect=True) if calm > self.tried else None
        if not look.text:
            return None
        if waits or look.shows == "part":
            looks = "it looks like a placeholder" if waits else "the page was sent more than it shows"
            late = calm > 2 * self.still
            return Ended(f"nothing changed for {calm:.0f} s, but {looks}", suspect=True) if late else None
        if self._trying:
            trusted = self._trying in self.learned.trusted
            if calm > (self.soon if trusted else min(self.tried, self.still)):
                self.sign = self._trying
                self.learned.trusted.add(self.sign)
                return Ended(SIGNS[self.sign][1])
            return None
        if still > self.still:
            known = self.told or bool(self.learned.trusted)
            return Ended(f"nothing changed for {still:.0f} s{'' if known else ', and nothing told the end'}", not known)
        return None

    def _though_at_work(self, look: Look, still: float) -> Ended | None:
        """A lone sign may deceive, such as a picture that moves for ever; a stop button and two others do not."""
        signs = look.signs - {"spoke"}
        if look.failed and still > self.still:
            return Ended(look.failed, suspect=True)
        if not look.text or len(signs) != 1 or "stop" in signs or ("moving" in signs and not self.streamed):
            return None
        if still > 2 * self.still:
            shows = f"but the page still shows {SIGNS[min(signs)][0]}"
            return Ended(f"nothing changed for {still:.0f} s, {shows}", suspect=True)
        return None

    @property
    def streamed(self) -> bool:
        """Whether the text grew more than once."""
        texts = [text.rstrip(_CURSOR) for _, text in self._seen]
        return sum(len(new) > len(old) and new.startswith(old) for old, new in pairwise(texts)) >= 2

    @property
    def first(self) -> float | None:
        """Seconds until the first sight of what became the answer; None while there is none."""
        for at, text in self._seen:
            start = text.rstrip(_CURSOR)
            if start and not placeholder(text) and self.text.startswith(start):
                return at - self.started
        return None

    @property
    def total(self) -> float:
        """Seconds until the last change."""
        return max(0.0, self.changed - self.started)
