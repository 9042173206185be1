"""Decide when an answer on a page is complete, from a series of observations of the page.

A text that has stopped changing may be incomplete: models pause, servers die, a page shows "searching…" for a while.
An answer is complete when a *sign of work* ends.  Such a sign, for example an open request, a stop button or a disabled
button, was there while the answer came, and ends with or after the last change of the text.  When a page ends its first
answer by a sign, the sign is tested: nothing may change for some seconds after it.  If there is no sign, the answer is
taken after a time without change, and is suspect.

An answer that has ended may still be corrected by the page.  If its text is replaced with no sign of further work, the
sign of its end still holds, but the page is one that corrects itself; see `steadiness`.  If its text grows, or a
request brought the change, the sign was not its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from neraca.targets.browser.steadiness import FIRST_CHECKS, Steadiness

_WORDS = (
    "thinking|searching|loading|generating|working|typing|writing|processing|retrieving|analy[sz]ing|reading|looking|"
    "let me (?:think|check|look)|one moment|please wait|hold on|just a|"
    "pensando|buscando|cargando|generando|escribiendo|procesando|consultando|analizando|un momento|"
    "memuat|mencari|berpikir|mengetik|sebentar|tunggu|memproses|menulis|"
    "جار[يٍ]?|يبحث|يكتب|لحظة|انتظر"
)
_PLACEHOLDER = re.compile(rf"\W*(?:{_WORDS})\b.{{0,60}}", re.IGNORECASE | re.DOTALL)
#: Longest placeholder in characters, and the longest one that is recognised only by the dots at its end.
_MAX_PLACEHOLDER, _MAX_DOTTED_PLACEHOLDER = 90, 60
#: Seconds before the last change of the text within which a sign of work still belongs to this change.
_SLACK = 0.7
#: Seconds for which a text may vanish while a page draws it again.
_FLICKER = 1.0
#: Seconds without a change and without a sign of work after which a text rests.
_RESTS_AFTER = 2.0
#: Seconds without a change after a sign that ends an answer of a page that is known to write nothing after it.
_AT_ONCE = 0.2
#: Characters, such as a cursor, that end a text that is still being written.
_CURSOR = " \n▌▍▎█▋●⬤⚫■|_.…"


def placeholder(text: str) -> bool:
    """Return whether a text only says that an answer is on its way.

    >>> placeholder("Searching the documents…"), placeholder("…"), placeholder("Thinking is what philosophers do.")
    (True, True, False)
    """
    text = text.strip()
    if len(text) > _MAX_PLACEHOLDER:
        return False
    if text.endswith(("…", "...")) and len(text) < _MAX_DOTTED_PLACEHOLDER:
        return True
    return not text.strip(_CURSOR) or (bool(_PLACEHOLDER.fullmatch(text)) and not text.endswith((".", "!", "?")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """An observation of a page at one moment.

    Attributes
    ----------
    at
        Seconds of a monotonic clock.
    text
        The part of the answer that is there.
    signs
        Signs of work that were not there before the question: `stop` (a stop button or the like), `moving` (an
        animation of another kind), `composed` (the buttons beside the input look different), `open` (a request),
        `asking` (the same request again and again), `spoke` (a socket message just now).
    ended
        The time when the last request for the question succeeded; None if none has.
    over
        The time when a message of a socket last said that the answer is over; None if none has.
    shows
        Whether the text is the `whole` of a text that the page received, or a `part` from its beginning; "": unknown.
    failed
        Failures since the question: of a request or a socket, or a notice of the page; "" if there were none.
    """

    at: float
    text: str
    signs: frozenset[str] = frozenset()
    ended: float | None = None
    over: float | None = None
    shows: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of an answer and the reason to believe it; a suspect answer may be incomplete."""

    why: str
    suspect: bool = False


@dataclass
class Learned:
    """Knowledge gained from the answers of a page; all conversations with a target share it.

    Attributes
    ----------
    trusted, lied
        The tested signs: those after which nothing changed, and those after which the text went on.
    open_ends, closed_ends
        Number of answers that do not end as sentences do, and of those that do.
    place
        The position and the elements of answers, as the script in the page describes them.
    steadiness
        Whether the page changes answers after their end.
    longest_gap
        Longest time in seconds after the end of a sign until the text went on, of times that were too short to count
        as an end.
    first_state
        The field and the texts of a new page before its first question, without digits; None before there was one.
    failed_renewals
        Number of pages in a row that did not show their first state again after they were loaded again.
    """

    trusted: set[str] = field(default_factory=set)
    lied: set[str] = field(default_factory=set)
    open_ends: int = 0
    closed_ends: int = 0
    place: dict[str, Any] = field(
        default_factory=lambda: {"order": "", "makes": [], "edges": [], "furniture": [], "tails": []}
    )
    steadiness: Steadiness = field(default_factory=Steadiness)
    longest_gap: float = 0.0
    first_state: list[str] | None = None
    failed_renewals: int = 0


#: Sign of work → its name in messages, and the words for its end.
SIGNS = {
    "stop": ("a stop button", "its stop button went"),
    "composed": ("other buttons beside the input", "the buttons beside the input came back"),
    "moving": ("an animation", "its animation ended"),
    "open": ("an open connection", "its request ended"),
    "asking": ("repeated requests", "its repeated requests stopped"),
    "told": ("", "its socket said that the answer is over"),
    "sent": ("", "it shows all that it received"),
}


@dataclass
class Watch:
    """Follows an answer from the moment the question was sent.

    Attributes
    ----------
    started
        The time when the question was sent, by the clock of `Look.at`.
    still
        Seconds without a change after which a text is taken if no sign ends it.
    still_is_set
        Whether the user set `still`: no answer is then taken earlier, and a text that is taken after it is complete.
    learned
        Knowledge from earlier answers, to which this one adds.
    soon, tried
        Seconds without a change that are required after a trusted sign, and after a sign that is being tested.
    quiet
        Seconds without a change that an answer needs after its end: more than 0 while it is watched.
    text, partial
        The text that is there now, and the last text that was not a placeholder.
    late
        Longest time in seconds from an end of this answer until the page changed it; 0: it never did.
    """

    started: float
    still: float = 15.0
    still_is_set: bool = False
    learned: Learned = field(default_factory=Learned)
    soon: float = 0.6
    tried: float = 5.0
    quiet: float = 0.0
    text: str = ""
    partial: str = ""
    changed: float = 0.0
    sign: str = ""
    late: float = 0.0
    _over: Ended | None = None
    _corrected_after: str = ""
    _gone_since: float = 0.0
    _unfinished: bool = False
    _shows_whole: bool = False
    _work_seen: dict[str, float] = field(default_factory=dict)
    _last_work_at: float = 0.0
    _last_look_at: float = 0.0
    _change_start: float = 0.0
    _candidate_sign: str = ""
    _texts: list[tuple[float, str]] = field(default_factory=list)

    def see(self, look: Look) -> Ended | None:
        """Take in an observation; return how the answer ended, or None if it has not."""
        stop_ended = self._work_seen.get("stop", -1.0) >= self._change_start
        if look.signs == {"moving"} and look.text == self.text and stop_ended:
            look = replace(look, signs=frozenset())  # an animation that outlasts the stop button is not a sign of work
        if self._flickers(look):
            return None
        if look.text != self.text:
            self._note_late_change(look)
            self.text, self.changed = look.text, look.at
            self._change_start = min(look.at - _SLACK, self._last_look_at)
            self.partial = self.partial if placeholder(look.text) else look.text
            self._texts.append((look.at, look.text))
        for sign in look.signs:
            if sign != "moving" or (look.text and not placeholder(look.text)):  # moving dots precede the answer
                self._work_seen[sign] = look.at
        if look.signs:
            self._note_gap(look, self._candidate_sign)
            self._last_work_at, self._corrected_after = look.at, ""
        self._shows_whole = look.shows == "whole"
        self._unfinished = bool(look.signs or look.failed) or look.shows == "part"
        self._candidate_sign, self._last_look_at = "" if look.signs else self._sign(look), look.at
        still = look.at - max(self.changed, self.started)
        self._over = self._over or self._ended(look, still)
        return self._over if still >= self.quiet else None

    def _flickers(self, look: Look) -> bool:
        """Return whether a text that was there has just vanished, because the page draws it again."""
        if look.text or not self.text:
            self._gone_since = 0.0
            return False
        self._gone_since = self._gone_since or look.at
        return look.at - self._gone_since < _FLICKER

    def _note_late_change(self, look: Look) -> None:
        """Learn from a text that changes after a sign has ended it."""
        delay, sign = look.at - self.changed, self.sign if self._over else self._candidate_sign
        over, self._over = self._over, None
        if not (sign or over) or delay <= self._soon:
            self._note_gap(look, sign)
            return
        is_end = bool(look.text) and not placeholder(look.text) and not placeholder(self.text)
        asked_again = bool(look.signs) or (look.ended is not None and look.ended > self.changed + _SLACK)
        corrected = is_end and not asked_again and not look.text.startswith(self.text.rstrip(_CURSOR))
        if is_end and (over or corrected):
            self.late = max(self.late, delay)
            self.learned.steadiness.changed(delay)
        if corrected:
            self._corrected_after = sign
        elif sign:
            self.learned.lied.add(sign)
            self._corrected_after = ""

    def _note_gap(self, look: Look, sign: str) -> None:
        """Learn that the page went on so soon after the end of a sign that it did not count as an end."""
        if sign and self._over is None:
            gap = look.at - max(self.changed, self._last_work_at)
            self.learned.longest_gap = max(self.learned.longest_gap, gap)

    def _sign(self, look: Look) -> str:
        """Return the sign that ended the answer: one that lasted until the last change and is gone; "" if none."""
        if look.shows == "part":
            return ""
        if self._corrected_after:
            return self._corrected_after
        last_seen = dict(self._work_seen)
        if look.ended is not None:
            last_seen["open"] = max(look.ended, last_seen.get("open", 0.0))
        if look.over is not None:
            last_seen["told"] = look.over
        if look.shows == "whole" and "asking" not in last_seen:
            last_seen["sent"] = look.at
        if look.ended is None:
            last_seen.pop("open", None)
        signs = [s for s in SIGNS if last_seen.get(s, -1.0) >= self._change_start and s not in self.learned.lied]
        if "asking" in last_seen:  # the end of one of many repeated requests means nothing
            signs = [sign for sign in signs if sign != "open"]
        return next((sign for sign in signs if sign in self.learned.trusted), next(iter(signs), ""))

    def _ended(self, look: Look, still: float) -> Ended | None:
        calm, is_placeholder = look.at - max(self.changed, self._last_work_at), placeholder(look.text)
        if look.signs:
            return self._end_despite_signs(look, still)
        if look.failed:
            return Ended(look.failed, suspect=True) if calm > self.tried else None
        if not look.text:
            return None
        if is_placeholder or look.shows == "part":
            doubt = "it looks like a placeholder" if is_placeholder else "the page received more than it shows"
            late = calm > 2 * self.still
            return Ended(f"nothing changed for {calm:.0f} s, but {doubt}", suspect=True) if late else None
        if self._candidate_sign:
            trusted = self._candidate_sign in self.learned.trusted
            needed = self._soon if trusted else min(self.tried, self.still)
            needed = max(needed, self.still if self.still_is_set else 0.0)
            if calm > max(needed, self.learned.steadiness.corrects if self._corrected_after else 0.0):
                self.sign = self._candidate_sign
                self.learned.trusted.add(self.sign)
                return Ended(SIGNS[self.sign][1])
            return None
        if still > self.still:
            trusted = self.still_is_set or bool(
                self.learned.trusted - {"told"}
            )  # a socket that is silent tells nothing
            doubt = "" if trusted else ", and no sign ended the answer"
            return Ended(f"nothing changed for {still:.0f} s{doubt}", not trusted)
        return None

    @property
    def _soon(self) -> float:
        """Seconds without a change that are required after a trusted sign.

        They are fewer if the page worked until its last change or shows all that it received, has passed its first
        checks, and never wrote on after a sign but at once.
        """
        learned, worked_on = self.learned, self._last_work_at >= self.changed or self._shows_whole
        steady = learned.steadiness.passed >= FIRST_CHECKS and not learned.steadiness.longest_delay
        return _AT_ONCE if worked_on and steady and 2 * learned.longest_gap < _AT_ONCE else self.soon

    def _end_despite_signs(self, look: Look, still: float) -> Ended | None:
        """Return how the answer ended although signs of work remain, because a single sign may mislead; else None."""
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
    def ending(self) -> bool:
        """Whether a sign has ended the answer, so that only a short time without a change is lacking."""
        return self._candidate_sign in self.learned.trusted

    @property
    def rests(self) -> bool:
        """Whether there is a text that has not changed for some seconds, and no sign that the page is at work."""
        calm = self._last_look_at - max(self.changed, self._last_work_at)
        return bool(self.text) and not placeholder(self.text) and not self._unfinished and calm > _RESTS_AFTER

    @property
    def streamed(self) -> bool:
        """Whether the text grew more than once."""
        texts = [text.rstrip(_CURSOR) for _, text in self._texts]
        return sum(len(new) > len(old) and new.startswith(old) for old, new in pairwise(texts)) >= 2

    @property
    def first(self) -> float | None:
        """Seconds until the first part of the answer was seen; None if there is none yet."""
        for at, text in self._texts:
            start = text.rstrip(_CURSOR)
            if start and not placeholder(text) and self.text.startswith(start):
                return at - self.started
        return None

    @property
    def total(self) -> float:
        """Seconds until the last change."""
        return max(0.0, self.changed - self.started)
