"""All errors that Neraca raises on purpose, with their exit codes on the command line.

NeracaError
    InputError      a file, a table or a record of the user is malformed or missing (exit 2)
    SpecError       a metric, judge, target or study has a wrong name or setting (exit 2)
    RunError        a run folder cannot be used as asked: it is locked or has another configuration (exit 2)
    TargetError     a target did not answer; says whether asking again may help (recorded in the answer)
      NotAsked      Neraca or its browser failed before the target could answer (recorded in the answer)
    ModelError      a model gave no usable reply; says whether asking again may help (recorded in the verdict)
    BudgetReached   the budget for model calls is spent; finished work is kept (exit 3)
    NothingUsable   a model or target failed in the same way from the start; finished work is kept (exit 3)
    MissingExtra    an optional package is not installed (exit 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal


class NeracaError(Exception):
    """Base of all errors raised on purpose; the message says what is wrong, where, and what to do."""


class InputError(NeracaError, ValueError):
    """A file or value of the user cannot be read; the message names the place and the remedy.

    `remedies` holds further advice that needs an option: parameter of a command → advice.  The command line adds to the
    message the advice that fits the command, so that nobody is told to use an option that a command lacks.
    """

    def __init__(self, message: str = "", remedies: Mapping[str, str] = {}) -> None:
        super().__init__(message)
        self.remedies = remedies


class SpecError(NeracaError, ValueError):
    """A name or setting, such as `nDCG@10` or `targets.api.url`, is unknown or wrong."""


class StopAsking(SpecError):
    """A target found that its settings are wrong, so that no further question may be put to it.

    `doubtful` holds the ids and trials of answers that it returned before it knew.
    """

    def __init__(self, message: str, doubtful: Iterable[tuple[str, int]] = ()) -> None:
        super().__init__(message)
        self.doubtful = tuple(doubtful)


class NoStemmer(SpecError):
    """Texts are to be stemmed, but their language is unknown or has no stemmer; `language` is its code."""

    language: str = ""


class RunError(NeracaError):
    """A run folder cannot be used as asked."""


class MissingExtra(NeracaError, ImportError):
    """An optional package is missing; the message names the extra that installs it."""


class TargetError(NeracaError):
    """A target did not give an answer.

    Parameters
    ----------
    message
        The failure, in words that a user understands.
    again
        Whether the same question may succeed when asked again (connection lost, 429, 5xx).
    after
        Seconds that the target asked to wait (Retry-After), or None.
    refused
        Whether the target understood and declined (4xx); the answer's status is then `refused` instead of `error`.
    """

    def __init__(self, message: str, *, again: bool = False, after: float | None = None, refused: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.after = after
        self.refused = refused

    @property
    def status(self) -> Literal["refused", "error", "not_asked"]:
        """The status of the answer."""
        return "refused" if self.refused else "error"


class NotAsked(TargetError):
    """The browser, its driver or Neraca itself failed, so that nothing is known about the target.

    The answer's status is `not_asked`: it is unscored, counted, and asked again by the next start.
    """

    @property
    def status(self) -> Literal["refused", "error", "not_asked"]:
        """The status of the answer."""
        return "not_asked"


class ModelError(NeracaError):
    """A model gave no usable reply.

    Parameters
    ----------
    message
        The failure, in words that a user understands, without any API key.
    again
        Whether the same call may succeed when made again (connection lost, timeout, 429, 5xx, reply not in the schema).
    after
        Seconds that the other side asked to wait (Retry-After), or None.
    crowded
        Whether the other side had too many calls at once (429, 503, timeout), so that fewer should be made.
    """

    def __init__(self, message: str, *, again: bool = False, after: float | None = None, crowded: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.after = after
        self.crowded = crowded
        self.paid = False  # whether the failure is a reply that was paid for


class NothingUsable(NeracaError):
    """The first calls all failed in the same way, so no more are made."""


class BudgetReached(NeracaError):
    """The budget for model calls is spent: no call is made until the same command runs with a larger one."""
