"""Every error that Neraca raises on purpose, with the exit code that the command line gives it.

NeracaError
    InputError      a file, a table or a record that was brought is not as it must be (exit 2)
    SpecError       a metric, judge, target or study was named or configured wrongly (exit 2)
    RunError        a run folder cannot be used as asked: locked, other configuration (exit 2)
    TargetError     a target did not answer; knows whether asking again may help (recorded in the answer)
    MissingExtra    an optional package is not installed (exit 2)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """What was probably meant by a word that nobody knows, else what there is.

    >>> nearest("ulr", ["url", "body"])
    'did you mean url?'
    >>> nearest("xyz", ["url", "body"])
    'known: url, body'
    """
    known = list(known)
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), folded, n=3, cutoff=0.5)
    return f"did you mean {', '.join(folded[name] for name in close)}?" if close else f"known: {', '.join(known)}"


class NeracaError(Exception):
    """Base of all errors raised on purpose: says what, where and what to do."""


class InputError(NeracaError, ValueError):
    """Something that the user brought cannot be read: names the place and the remedy."""


class SpecError(NeracaError, ValueError):
    """A name or setting such as `nDCG@10` or `targets.api.url` could not be understood."""


class RunError(NeracaError):
    """A run folder cannot be used as asked."""


class MissingExtra(NeracaError, ImportError):
    """An optional package is missing: names the extra that brings it."""


class TargetError(NeracaError):
    """A target did not give an answer.

    Parameters
    ----------
    message
        What happened, in words that a user understands.
    again
        Whether the same question may succeed when asked again (connection lost, 429, 5xx).
    after
        Seconds that the target asked to wait (Retry-After), or None.
    refused
        The target understood and declined (4xx), so that the answer's status is `refused` and not `error`.
    """

    def __init__(self, message: str, *, again: bool = False, after: float | None = None, refused: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.after = after
        self.refused = refused
