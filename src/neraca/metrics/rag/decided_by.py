"""Count the verdicts of each source behind a metric of judged answers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, aspects_of
from neraca.metrics.scorable import Scorable
from neraca.runs.session_contents import SESSION, TURN
from neraca.verdicts.source import is_human, judge_of

#: Aspects of an answer with parts (claims, questions) that people can decide on one by one.
_WITH_PARTS = frozenset({"claims", "reference_claims", "question"})


def decided_by(metric: Metric, part: Scorable) -> Counter[str]:
    """Count the verdicts of each source that a metric uses; people are `human`.

    The result is empty if the metric uses no judged aspect, or if several judges decided and none is named.
    """
    aspects = aspects_of(metric)
    if not aspects or not part.offers("verdicts"):
        return Counter()
    try:
        judged = part.view(JudgeVerdicts).of_judge(aspects, str(metric.settings.get("by", "")))
    except SpecError:
        return Counter()
    table = judged.table
    on_aspect = table.aspect.isin(aspects)[judged.rows]
    whole = np.array([about in ("answer", SESSION) for about in judged.abouts], dtype=bool)
    others = ("hit:", "answer", "item", SESSION, TURN)
    in_parts = np.array([not about.startswith(others) for about in judged.abouts], dtype=bool)
    counts = whole & on_aspect | (in_parts if _WITH_PARTS.intersection(aspects) else False)
    rows = judged.rows[counts]
    rows = rows[~np.isnan(table.value[rows])]
    names = ("human" if is_human(table.by[row]) else judge_of(table.by[row]) for row in rows.tolist())
    return Counter(names)
