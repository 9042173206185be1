"""Caution readers of runs that return many unjudged documents, or many more than another run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from neraca.counts_and_lists import count, listed
from neraca.number_format import number
from neraca.reports.sentences.parts import CROWD
from neraca.reports.sentences.ungraded_hits import hits_without_grade
from neraca.scores.ranking_basis import judged_share, last_rank
from neraca.scores.scores import Scores
from neraca.translation import say

#: The share of judged documents below which a run gets a caution, and the difference above which two runs do.
ENOUGH_JUDGED, UNLIKE_JUDGED = 0.8, 0.1


def judged_shares_caution(scores: Scores) -> Iterator[str]:
    """Caution whoever made the runs: yield one sentence with the shares and with what to do, or none."""
    shares = judged_shares(scores)
    if not shares:
        return
    relevance = scores.relevance if scores.relevance and scores.relevance.undecided_hits else None
    hits = [hits_without_grade(run, relevance, max(_depths(scores))) for run in scores.runs] if relevance else []
    undecided = sum(of_run.undecided for of_run in hits)
    if not undecided:
        yield say(
            "{shares}: unjudged documents count as not relevant, so a difference may come from what was "
            "judged; judge what is missing (neraca pool) before you trust it",
            shares=shares,
        )
        return
    others = say(", and judge the others (neraca pool)") if any(of_run.unjudged for of_run in hits) else ""
    yield say(
        "{shares}: documents without a grade count as not relevant, so a difference may come from that; raters differ "
        "on {hits}: let another rater decide these (neraca agree shows who differs){others} before you trust it",
        shares=shares,
        hits=count(undecided, "hit"),
        others=others,
    )


def judged_shares(scores: Scores) -> str:
    """Return Judged@k of each run at the cutoffs of the metrics where it calls for caution; "" if nowhere.

    It does if a run has few judged documents, or many fewer than another run.
    """
    parts = []
    for k in _depths(scores):
        shares = {run.name: share for run in scores.runs if not np.isnan(share := judged_share(run, k))}
        values = shares.values()
        if values and (min(values) < ENOUGH_JUDGED or max(values) - min(values) > UNLIKE_JUDGED):
            parts.append(say("Judged@{k} is {values}", k=k, values=_values_in_runs(shares)))
    return "; ".join(parts)


def _depths(scores: Scores) -> list[int]:
    """Return the cutoffs of the metrics that rank runs, ascending."""
    return sorted({last_rank(metric) for metric in scores.metrics if not metric.diagnostic} - {0})


def _values_in_runs(values: Mapping[str, float]) -> str:
    """Write the value of each run; of `CROWD` runs or more only the lowest and the highest."""
    texts = {name: f"{number(value)} ({name})" for name, value in values.items()}
    if len(texts) < CROWD:
        return listed([*texts.values()])
    lowest, highest = (texts[pick(values, key=values.__getitem__)] for pick in (min, max))
    return say("{lowest} to {highest}", lowest=lowest, highest=highest)
