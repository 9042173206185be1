"""When an answer on a page is complete: decided from what is seen, with no page at hand.

That a text stands still proves nothing: models pause, and a page says "searching…" for as long as it takes.  So an
answer is complete when its text is still *and* the page shows nothing of being at work: its buttons look as they did
before the question, no request is open, nothing new moves endlessly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

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
#: A text that changes so often while the page shows nothing of being at work is typed out by a clock.
_OFTEN = 3
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
    stop, moving, composed
        Whether the page shows that it is at work: by a stop button or the like, by an animation that was not there
        before, by buttons beside the input that look otherwise than before.
    calm
        Whether no request of the page is open, and nothing has come through its sockets for a moment.
    answered
        Whether a request was made for the question and has ended.
    """

    at: float
    text: str
    stop: bool = False
    moving: bool = False
    composed: bool = False
    calm: bool = True
    answered: bool = False

    @property
    def signs(self) -> list[str]:
        """By what the page shows that it is at work."""
        signals = {
            "a stop button": self.stop,
            "an animation": self.moving,
            "other buttons beside the input": self.composed,
            "an open connection": not self.calm,
        }
        return [sign for sign, there in signals.items() if there]


@dataclass(frozen=True, slots=True)
class Ended:
    """That an answer has ended, and how this is known; a suspect one may not be whole."""

    why: str
    suspect: bool = False


@dataclass
class Watch:
    """Follows an answer from the moment the question was sent.

    Attributes
    ----------
    started
        When that was.
    soon
        Seconds that the text must stand still when the page was seen at work and has come to rest.
    fetched
        The same when all that was seen is that the requests of the page have ended.
    late
        The same for a page that was never seen at work, or that writes on without a sign of it; twice the longest
        pause of this answer where that is longer.
    text, partial
        What stands there now, and what was last seen of the answer.
    last
        Seconds after which a text that stands still is taken although the page never came to rest: it is suspect.
    """

    started: float
    soon: float = 0.8
    fetched: float = 1.5
    late: float = 4.0
    last: float = 12.0
    text: str = ""
    partial: str = ""
    changed: float = 0.0
    _worked: bool = False
    _unsigned: int = 0
    _pause: float = 0.0
    _seen: list[tuple[float, str]] = field(default_factory=list)

    def see(self, look: Look) -> Ended | None:
        """Take in what is seen now; says so when the answer has ended."""
        self._worked = self._worked or look.stop or look.moving or look.composed
        if look.text != self.text:
            self._unsigned += bool(self.text and not look.signs)
            if not placeholder(self.text):
                self._pause = max(self._pause, look.at - self.changed)
            self.text, self.changed = look.text, look.at
            self.partial = self.partial if placeholder(look.text) else look.text
            self._seen.append((look.at, look.text))
        if not look.text:
            return None
        return self._ended(look, look.at - self.changed)

    def _ended(self, look: Look, still: float) -> Ended | None:
        waits, signs = placeholder(look.text), look.signs
        late = max(self.late, 2 * self._pause)
        rest = self.soon if self._worked else self.fetched if look.answered else late
        if not waits and not signs and self._unsigned < _OFTEN and still > min(rest, late):
            return Ended("the page came to rest" if rest < late else f"nothing changed for {late:.1f} s")
        if not waits and not signs and still > late:
            return Ended(f"nothing changed for {late:.1f} s")
        if not waits and look.composed and len(signs) == 1 and still > 2 * late:
            return Ended(f"nothing changed for {2 * late:.1f} s, though the buttons look otherwise than before")
        # A lone sign may deceive, such as a picture that moves for ever; two of them do not.
        lone = len(signs) < 2 and not look.stop and (self.streamed or not look.moving)
        if lone and still > max(self.last, 2 * late):
            looks = "it looks like a placeholder" if waits else f"the page still shows {signs[0]}"
            return Ended(f"nothing changed for {still:.0f} s, but {looks}", suspect=True)
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
