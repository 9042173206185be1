"""Cautions about raters: who is not steady, and what is not known of them."""

from __future__ import annotations

from neraca.metaeval.raters import FEWEST_RATERS, RaterQualities
from neraca.number_format import integer, percent
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line

#: A rater who repeats a rating less often than this is hardly steady enough to be a measure.
STEADY = 0.8


def sentences(found: RaterQualities) -> list[str]:
    """Say who changed over time or is not steady, and which ratings would show more."""
    if not found:
        return ["No person rated anything in these runs."]
    texts = []
    if unsteady := [one for one in found if one.again.high < STEADY]:
        shares = [f"{line(one.rater, 60)} ({percent(one.again.value)} of {integer(one.again.n)})" for one in unsteady]
        texts.append(f"Not steady: {listed(shares)} said the same again; what two people disagree on may be this.")
    if drifted := [line(one.rater, 60) for one in found if one.drift.high < 0]:
        texts.append(f"Drift: {listed(drifted)} agreed with the others less in the second half of the ratings.")
    if not any(one.again.n for one in found):
        texts.append("Nobody rated anything twice: let some items come again, to see how steady each person is.")
    if not any(one.others.n for one in found):
        texts.append("No two people rated the same: let some items be rated by several, to see how far they agree.")
    elif not any(one.competence.n for one in found):
        texts.append(f"Competence can be told from {FEWEST_RATERS} people on who rated the same things.")
    return texts
