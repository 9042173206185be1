"""The reasons behind the column `unscored`."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import listed
from neraca.judges.tally import kind_of
from neraca.number_format import integer
from neraca.reports.sentences.reasons import reason as in_words
from neraca.scores.scores import Scores
from neraca.translation import say

#: The number of reasons that are said; `--per-item` shows all.
_MOST = 3


def why_unscored(scores: Scores) -> Iterator[str]:
    """Yield a sentence for each of the commonest reasons why items are unscored, with their number.

    An item of one run counts once for a reason, by however many metrics it is unscored.  Reasons that differ only in
    numbers and quotations count as one, and the first of them is said.
    """
    items: dict[str, set[tuple[str, int]]] = {}
    metrics: dict[str, dict[str, None]] = {}
    first: dict[str, str] = {}
    for row in scores.overall():
        reasons = scores.run(row.run).why(row.metric) if row.unscored else {}
        for place, reason in reasons.items():
            kind = kind_of(reason)
            first.setdefault(kind, reason)
            items.setdefault(kind, set()).add((row.run, place))
            metrics.setdefault(kind, {})[row.metric] = None
    kinds = sorted(items, key=lambda kind: -len(items[kind]))
    for kind in kinds[:_MOST]:
        with_it = {run for run, _ in items[kind]}
        yield say(
            "unscored, {n} of {runs} by {metrics}: {reason}",
            n=integer(len(items[kind])),
            runs=listed([run.name for run in scores.runs if run.name in with_it]),
            metrics=listed([*metrics[kind]]),
            reason=in_words(first[kind]),
        )
    if len(kinds) > _MOST:
        yield say("unscored, further reasons: {n}; --per-item shows them", n=integer(len(kinds) - _MOST))
