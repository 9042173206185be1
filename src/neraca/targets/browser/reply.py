"""The result of one question to a page: its reply, or an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from neraca.errors import NotAsked, TargetError


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source that a page shows beside an answer: its text, and the address that it links to, or ""."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The elements of a page that served one question and its answer, as CSS selectors; "" if there was none.

    Attributes
    ----------
    input
        The element that the question was typed into.
    submit
        The element that was clicked to send it; "" if Enter sent it.
    response
        The element that held the answer.
    frame
        The address of the frame that holds the chat; "" for the page itself.
    ends
        The sign by which the page ended the answer, a key of `watch.SIGNS`; "" if there was none.
    """

    input: str = ""
    submit: str = ""
    response: str = ""
    frame: str = ""
    ends: str = ""

    def __str__(self) -> str:
        frame = f" in the frame {self.frame}" if self.frame else ""
        answer = f", and {self.response!r} for its answers" if self.response else ""
        return f"{self.input!r}{frame} was taken for the field of the chat{answer}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer of a page.

    Attributes
    ----------
    text
        The answer without the question, placeholders, sources and buttons; lists, tables and links as Markdown.
    status
        `complete`, or `suspect` if no sign showed that this is the whole answer.
    why
        The sign that it is complete, or the reason why it is suspect.
    seconds, first_token_seconds
        Seconds from sending the question to the last change of the answer, and to its first text.
    sources
        The sources that the profile or a selector finds.
    ways
        The elements that served the question and the answer.
    earlier
        The present text of the previous answer; None if it has not changed.
    watched
        Seconds for which the page was watched after the end of the answer.
    late
        Longest time in seconds from an end of the answer until the page changed it; 0: it never did.
    """

    text: str
    status: Literal["complete", "suspect"]
    why: str
    seconds: float
    first_token_seconds: float | None = None
    sources: tuple[Source, ...] = ()
    ways: Ways = Ways()
    earlier: str | None = None
    watched: float = 0.0
    late: float = 0.0


class PageError(TargetError):
    """A page gave no complete answer; `partial` is the text that had arrived."""

    def __init__(self, message: str, *, partial: str = "", again: bool = False) -> None:
        super().__init__(message, again=again)
        self.partial = partial


class FailedAnswer(PageError):
    """The page answered with the report of a failure; its conversation goes on."""


class LoginNeeded(PageError):
    """The page asks for a password."""

    @property
    def status(self) -> Literal["refused", "error", "not_asked"]:
        """The status of the answer."""
        return "refused"


class BrowserFailed(NotAsked, PageError):
    """The browser, its driver or Neraca failed, and not the page."""
