"""What one question to a page gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from neraca.errors import TargetError


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source that a page shows beside an answer: its text, and the address that it links to, or ""."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How a question was put and its answer found; each is a CSS selector, or "" where there is none.

    Attributes
    ----------
    input
        Where the question was typed.
    submit
        What was clicked to send it; "" where Enter sent it.
    response
        The element that held the answer.
    frame
        The address of the frame that holds the chat; "" for the page itself.
    ends
        By what the page told the end of the answer, a key of `watch.SIGNS`; "" where nothing did.
    """

    input: str = ""
    submit: str = ""
    response: str = ""
    frame: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a page answered.

    Attributes
    ----------
    text
        Without the question's echo, placeholders, sources and buttons; lists, tables and links as Markdown.
    status
        `complete`, or `suspect` where nothing told that it was the whole answer.
    why
        How it was known to be complete, or why it is suspect.
    seconds, first_token_seconds
        From the moment the question was sent to the last change of the answer, and to its first text.
    sources
        Those that the profile or a selector finds.
    ways
        How the question was put and the answer found.
    earlier
        What the page has made of the answer before; None where it is as it was.
    """

    text: str
    status: Literal["complete", "suspect"]
    why: str
    seconds: float
    first_token_seconds: float | None = None
    sources: tuple[Source, ...] = ()
    ways: Ways = Ways()
    earlier: str | None = None


class PageError(TargetError):
    """A page that gave no answer; `partial` is what had come."""

    def __init__(self, message: str, *, partial: str = "", again: bool = False) -> None:
        super().__init__(message, again=again)
        self.partial = partial


class LoginNeeded(PageError):
    """The page asks for a password."""
