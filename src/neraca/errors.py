"""Every error that Neraca raises on purpose, with the exit code that the command line gives it.

NeracaError
    InputError      a file, a table or a record that was brought is not as it must be (exit 2)
    SpecError       a metric, judge, target or study was named or configured wrongly (exit 2)
    RunError        a run folder cannot be used as asked: locked, other configuration (exit 2)
    TargetError     a target did not answer; knows whether asking again may help (recorded in the answer)
    ModelError      a model gave no usable reply; knows whether asking again may help (recorded in the verdict)
    BudgetReached   the money that was allowed for model calls is spent; what was finished is kept (exit 3)
    MissingExtra    an optional package is not installed (exit 2)
"""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """What was probably meant by a word that nobody knows, else what there is.

    >>> nearest("ulr", ["url", "body"])
    'did you mean url?'
    >>> nearest("xyz", ["url", "body"])
    'known: url, body'
    """
    import difflib  # which takes a while to import, and nothing may be wrong

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


class ModelError(NeracaError):
    """A model gave no usable reply.

    Parameters
    ----------
    message
        What happened, in words that a user understands; never with a key in it.
    again
        Whether the same call may succeed when made again (connection lost, timeout, 429, 5xx, not the schema).
    after
        Seconds that the other side asked to wait (Retry-After), or None.
    crowded
        The other side had too many calls in flight (429, 503, timeout), so that fewer should be made at once.
    """

    def __init__(self, message: str, *, again: bool = False, after: float | None = None, crowded: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.after = after
        self.crowded = crowded


class BudgetReached(NeracaError):
    """The money allowed for model calls is spent: no new call is made, and the same command goes on with more."""
