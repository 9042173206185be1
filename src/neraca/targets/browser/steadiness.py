"""Learn whether a page changes answers after their end, and decide how long each answer is watched.

The end of an answer shows only that the page has stopped working.  A page may still correct what it has said.  So the
first answers of a page and of a conversation are watched for some seconds after their end, later ones at random, and
the last one of a conversation always.  After a late change, every answer is watched.
"""

from __future__ import annotations

from dataclasses import dataclass

from neraca.files import fingerprint

#: Number of answers of a page that are watched in any case, and one in how many later ones is watched.
FIRST_CHECKS, ONE_IN = 3, 5


@dataclass
class Steadiness:
    """Knowledge of the late changes of a page.

    Attributes
    ----------
    full
        Seconds for which an answer must not change after its end; 0: answers are not watched.
    passed
        Number of answers that were watched for so long and did not change.
    longest_delay
        Longest time in seconds from the end of an answer until the page changed it; 0: it never did.
    """

    full: float = 10.0
    passed: int = 0
    longest_delay: float = 0.0

    @property
    def corrects(self) -> float:
        """Seconds without a change that every answer needs on a page that corrects itself; 0 on any other page."""
        return self.longest_delay + self.full / 2 if self.longest_delay else 0.0

    def changed(self, delay: float) -> None:
        """Take in that an answer changed so many seconds after its end."""
        self.longest_delay, self.passed = max(self.longest_delay, delay), 0

    def seconds(self, question: str, *, first: bool, last: bool) -> float:
        """Return for how many seconds the answer to a question is watched.

        Parameters
        ----------
        question
            The id of the question.  It decides whether a later answer is checked, so that a repeated run checks the
            same ones.
        first, last
            Whether it is the first or the last question of its conversation.
        """
        if not self.full:
            return 0.0
        drawn = int(fingerprint(("watched", question))[:8], 16) % ONE_IN == 0
        checked = first or last or drawn or (self.passed < FIRST_CHECKS and not self.longest_delay)
        return max(self.full, self.corrects) if checked else self.corrects
