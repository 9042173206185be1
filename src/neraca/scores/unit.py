"""The unit that counts as one observation in every interval and test: a session, a question, or a tag.

Questions of one conversation depend on each other, so a session is one independent observation.  Variance cannot be
estimated from fewer than six observations (`FEWEST`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.translation import say

Ints = NDArray[np.int64]
AUTO, SESSION, QUESTION = "auto", "session", "question"
#: Fewer observations of several questions each do not show their variance.
FEWEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The unit that counts as one observation, and its basis.

    Attributes
    ----------
    asked
        `auto`, `session`, `question`, or the name of a tag.
    by
        The resulting unit: `session`, `question`, or the name of a tag.
    items, groups, sessions
        The numbers of questions, of observations, and of sessions.
    """

    asked: str = AUTO
    by: str = QUESTION
    items: int = 0
    groups: int = 0
    sessions: int = 0

    @property
    def assumed(self) -> bool:
        """Whether questions of one conversation count as independent although nobody said so."""
        return self.asked == AUTO and self.by == QUESTION and self.sessions < self.items

    @property
    def too_few(self) -> bool:
        """Whether there are too few observations for any interval or test."""
        return few(self.groups, self.items)


def _distinct(numbers: Ints) -> int:
    """Return the number of different numbers; `np.unique` would load numpy's masked arrays."""
    return int(np.count_nonzero(np.diff(np.sort(numbers)))) + 1 if len(numbers) else 0


def unit_of(asked: str, sessions: Ints, tags: Mapping[str, Categorical]) -> tuple[Unit, Ints]:
    """Decide what counts as one observation, and number the observation of each item, shape (n,).

    `auto` is by session, or by question if there is only one session.

    Parameters
    ----------
    asked
        `auto`, `session`, `question`, or the name of a tag; an item without a value of the tag is alone.
    sessions
        Number of each item's session, shape (n,); an item without one has a number of its own.
    tags
        Name → a value for each item.

    Raises
    ------
    SpecError
        If no item has the tag.

    Examples
    --------
    >>> unit, groups = unit_of("auto", np.array([4, 4, 4]), {})
    >>> unit.by, unit.groups, unit.assumed, groups.tolist()
    ('question', 3, True, [0, 1, 2])
    """
    n, n_sessions = len(sessions), _distinct(sessions)
    by = SESSION if n_sessions < n else QUESTION
    if asked == QUESTION or (asked == AUTO and n_sessions == 1):
        by, groups = QUESTION, np.arange(n)
    elif asked in (AUTO, SESSION):
        groups = sessions
    else:
        _check_tag(asked, tags)
        by, groups = asked, clusters_of(tags[asked][place] for place in range(n))
    return Unit(asked=asked, by=by, items=n, groups=_distinct(groups), sessions=n_sessions), groups


def _check_tag(asked: str, tags: Mapping[str, Categorical]) -> None:
    """Raise `SpecError` if no item has the tag."""
    tag_names = sorted(name for name, tag in tags.items() if set(tag.words) - {""})
    if asked not in tag_names:
        hint = nearest(asked, tag_names) if tag_names else say("no question has a tag")
        raise SpecError(
            say(
                "a unit is {auto}, {session}, {question}, or a tag of the questions, not {asked!r}; {hint}",
                auto=AUTO,
                session=SESSION,
                question=QUESTION,
                asked=asked,
                hint=hint,
            )
        )


def tag_of(asked: str) -> str:
    """Return the tag that a unit names; "" if it names none."""
    return "" if asked in (AUTO, SESSION, QUESTION) else asked


def few(groups: int, items: int) -> bool:
    """Return whether so many observations of several items each are too few to estimate variance."""
    return groups < min(FEWEST, items)


def enough(clusters: Ints) -> Ints:
    """Return the observation of each of n items for intervals and tests; if there are too few, all items are one.

    A single observation gives no interval and no test.

    >>> enough(np.array([7, 7, 5])).tolist(), enough(np.array([7, 4, 5])).tolist()
    ([0, 0, 0], [7, 4, 5])
    """
    return np.zeros_like(clusters) if few(_distinct(clusters), len(clusters)) else clusters


@dataclass
class SessionNumbers:
    """Numbers sessions, one block of items after the other; an item without a session is alone."""

    _number_by_session: dict[int, int] = field(default_factory=dict)
    _next: int = 0

    @property
    def several(self) -> bool:
        """Whether any item had a session."""
        return bool(self._number_by_session)

    def of(self, sessions: Iterable[str | None]) -> Ints:
        """Return the number of each item's session, shape (n,); the many names of sessions are not kept."""
        return np.array([self._number(name) for name in sessions], dtype=np.int64)

    def _number(self, name: str | None) -> int:
        key = hash(name) if name and name.strip() else None
        if key is not None and key in self._number_by_session:
            return self._number_by_session[key]
        self._next += 1
        if key is not None:
            self._number_by_session[key] = self._next - 1
        return self._next - 1


def clusters_of(sessions: Iterable[str | None]) -> Ints:
    """Return the number of each item's session, in order of first occurrence; an item without a session is alone.

    >>> clusters_of(["a", "", "a", None]).tolist()
    [0, 1, 0, 2]
    """
    return SessionNumbers().of(sessions)
