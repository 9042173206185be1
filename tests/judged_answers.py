"""Short ways to write verdicts on one answer, to change them, and to score them; nothing here computes a metric."""

import math

from builders import make_scorable
from msgspec.structs import replace

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.example import judged
from neraca.records import Verdict

GONE = "no verdict at all"
ANA = "human:Ana"


def verdict_on(about, aspect, value, by="llm:m", why=""):
    """A verdict on the one answer of `judged`."""
    return Verdict(item="1", about=about, aspect=aspect, value=value, by=by, why=why)


def changed(verdicts, changes):
    """The verdicts with some values changed: `{"claim:1 supported": 0}`, a text is a why without a value."""
    found = []
    for verdict in verdicts:
        value = changes.get(f"{verdict.about} {verdict.aspect}", verdict.value)
        if value == GONE:
            continue
        why = value if isinstance(value, str) else verdict.why
        found.append(replace(verdict, value=None if isinstance(value, str) else value, why=why))
    return found


def outcome(name, verdicts, *more, changes=None, by="", item=None, answer=None):
    """Value and why of a metric on the one answer, with verdicts changed and added; the value None where unscored."""
    (one,), (given,) = verdicts.part.column("items"), verdicts.part.column("answers")
    said = [*changed(verdicts.verdicts.table, changes or {}), *more]
    part = make_scorable([(replace(one, **(item or {})), replace(given, **(answer or {})))], said, by=by)
    counts = score_metric(Metric.of(name), part)
    value = float(counts.per_answer[0])
    return (None if math.isnan(value) else value), counts.why[0]


def value(name, *args, **kwargs):
    """The value alone; None where unscored."""
    return outcome(name, *args, **kwargs)[0]


def why(name, *args, **kwargs):
    """The reason, of what must be unscored."""
    found, reason = outcome(name, *args, **kwargs)
    assert found is None
    return reason


__all__ = ["ANA", "GONE", "judged", "outcome", "value", "verdict_on", "why"]
