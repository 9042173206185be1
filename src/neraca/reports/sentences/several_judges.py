"""Say which metrics are not scored by default because several judges decided, and how to choose."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from neraca.counts_and_lists import listed
from neraca.reports.formats.visible_text import line
from neraca.scores.default_metrics import SeveralJudges, of_judge
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.source import JURY, source_of


def several_judges(scores: Scores) -> Iterator[str]:
    """Name the judges, the metrics that are left out, and the ways to choose; nothing if the metrics were named."""
    for left_out in scores.facts.get("several_judges", ()):
        yield say(
            "several judges decided on {aspects} ({judges}), which leaves out {metrics}: {remedies}",
            aspects=listed([line(aspect) for aspect in left_out.aspects]),
            judges=listed([line(judge) for judge in left_out.judges]),
            metrics=listed([line(metric) for metric in left_out.metrics]),
            remedies=say(", or ").join(_remedies(left_out)),
        )


def _remedies(left_out: SeveralJudges) -> Iterator[str]:
    judge, metric = left_out.judges[0], left_out.metrics[0]
    if source_of(judge) != "embed":
        yield say("name one judge (--by {judge})", judge=shlex.quote(line(judge)))
    names = " ".join(of_judge(metric, name) for name in left_out.judges if name != JURY)
    yield say("each in the name of a metric (-m {names})", names=shlex.quote(line(names)))
    if left_out.can_vote:
        yield say("let them vote (neraca agree RUN… --jury)")
