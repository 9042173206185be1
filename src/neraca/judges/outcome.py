"""A judge's decision on one question, before it is written as a verdict."""

from __future__ import annotations

from typing import NamedTuple

from neraca.records import Answer, Verdict, VerdictStatus


class Outcome(NamedTuple):
    """A decision, or the kind of reason why there is none; the fields are as in `Verdict`."""

    value: float | None
    why: str = ""
    status: VerdictStatus = "decided"

    def on(self, answer: Answer, about: str, aspect: str, by: str) -> Verdict:
        """Write the decision down as a verdict on this answer."""
        return Verdict(
            item=answer.item,
            trial=answer.trial,
            about=about,
            aspect=aspect,
            value=self.value,
            status=self.status,
            by=by,
            why=self.why,
        )


def missing(why: str) -> Outcome:
    """Return the outcome if the data needed to decide are absent or unreadable."""
    return Outcome(None, why, "missing")


def not_applicable(why: str) -> Outcome:
    """Return the outcome if the question does not arise."""
    return Outcome(None, why, "not_applicable")


def unscored(why: object) -> Outcome:
    """Return the outcome if the judge failed, for example for lack of a usable reply; judging again may help."""
    return Outcome(None, str(why), "unscored")
