"""Say what to do about questions without a value, by the reason why they have none."""

from __future__ import annotations

import re

from neraca.metrics.metric import Metric
from neraca.translation import say

_ASK = re.compile(r"not asked|no answer yet|suspect")
_NOTHING_MISSING = re.compile(r"nothing to find|nothing was returned|not applicable|expects none")
_REFERENCE = re.compile(r"\breferences?\b")
_JUDGE = re.compile(r"judg|rated|verdict|undecided|relevant")
_QUESTION = re.compile(r"the question (has no|does not say)|the question expects|constraint|checks")


def unscored_remedy(metric: Metric, why: str) -> str:
    """Return what to do about questions that a metric does not score; `why` is the commonest reason, in English.

    >>> unscored_remedy(Metric.of("TokenF1"), "the item has no reference")
    'Give the questions good answers (a column references), or choose a metric that needs none.'
    """
    if _ASK.search(why):
        return say("Ask them again: neraca ask with the same --out and --retry-failed.")
    if _NOTHING_MISSING.search(why):
        return say("Nothing is missing there: the metric has no value for such answers.")
    if _REFERENCE.search(why):
        return say("Give the questions good answers (a column references), or choose a metric that needs none.")
    if _JUDGE.search(why) and metric.definition.judge:
        template = "Judge the answers (neraca judge RUN --judge {judge}), or let people rate them (neraca rate RUN)."
        return say(template, judge=metric.definition.judge)
    if _JUDGE.search(why):
        return say(
            "Judge the hits (neraca judge RUN), let people rate them (neraca rate RUN), or name what is relevant in "
            "the questions or --qrels."
        )
    if _QUESTION.search(why):
        return say("Say it in the questions of the data set, or choose a metric that does not need it.")
    return say(
        "Ask, judge or rate what is missing, or take these questions out of the data set if they must not count."
    )
