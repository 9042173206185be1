"""Cautions about raters: who is not steady, and what is not known of them."""

from __future__ import annotations

from neraca.counts_and_lists import listed
from neraca.metaeval.raters import FEWEST_RATERS, RaterQualities
from neraca.number_format import percent
from neraca.reports.formats.visible_text import line
from neraca.translation import say

#: A rater who repeats ratings less often than this is hardly steady enough to be a measure.
STEADY = 0.8


def sentences(raters: RaterQualities) -> list[str]:
    """Name raters who changed over time or are not steady, and say which ratings would show more."""
    if not raters:
        return [say("No person rated anything in these runs.")]
    texts = []
    if unsteady := [rater for rater in raters if rater.again.high < STEADY]:
        shares = [
            say("{rater} ({share} of {n:,})", rater=line(r.rater, 60), share=percent(r.again.value), n=r.again.n)
            for r in unsteady
        ]
        texts.append(
            say(
                "Not steady: {raters} said the same again; what two people disagree on may be this.",
                raters=listed(shares),
            )
        )
    if drifted := [line(rater.rater, 60) for rater in raters if rater.drift.high < 0]:
        texts.append(
            say(
                "Drift: {raters} agreed with the others less in the second half of the ratings.",
                raters=listed(drifted),
            )
        )
    if not any(rater.again.n for rater in raters):
        texts.append(say("Nobody rated anything twice: let some items come again, to see how steady each person is."))
    if not any(rater.others.n for rater in raters):
        texts.append(
            say("No two people rated the same: let some items be rated by several, to see how far they agree.")
        )
    elif not any(rater.competence.n for rater in raters):
        texts.append(say("Competence can be told from {n} people on who rated the same things.", n=FEWEST_RATERS))
    return texts
