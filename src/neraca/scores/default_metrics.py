"""Which metrics are scored where nobody names any: those for which questions and verdicts have what they need."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.metrics.batch import matches
from neraca.records import Item, Verdict

#: Of hits, where the questions say what is relevant, what a hit must be, or whether there should be any.
RANKED = ("P@5", "RR", "nDCG@10", "Success", "Coverage")
#: Of answers, where the questions have references.  TokenRecall leads: see there.
WORDED = ("TokenRecall", "TokenF1", "ROUGE-L", "METEOR", "TFIDF", "ExactMatch")
#: Of tool calls, where the questions have expected ones.
CALLED = ("ToolCallAccuracy",)
#: Of what one judge said: the aspects of an answer on which it must have decided → metrics.
JUDGED = {
    ("reference_claims", "contexts"): ("ContextRecall",),
    ("contexts",): ("ContextPrecision",),
    ("claims",): ("Faithfulness",),
    ("reference_claims", "claims"): ("ClaimF",),
    ("reference_claims", "claims", "similarity"): ("AnswerCorrectness",),
    ("claims", "question"): ("AnswerRelevance",),
    ("valid",): ("Valid",),
    ("supported",): ("Supported",),
    ("sql_equivalent",): ("SQLEquivalent",),
}


def usual_metrics(items: Iterable[Item], verdicts: Iterable[Verdict] = (), by: str = "") -> tuple[str, ...]:
    """Names of metrics for these questions and verdicts; those of hits where nobody says anything at all.

    Parameters
    ----------
    items
        The questions.
    verdicts
        On all runs that are scored; those of people overrule judges and choose no metric.
    by
        Whose verdicts are to count.  What several judges decided is left out where nobody chose one.

    Examples
    --------
    >>> usual_metrics([Item(id="1", query="How much?", references=("two",))])[0]
    'TokenRecall'
    >>> usual_metrics([Item(id="1", query="?")], [Verdict(item="1", about="answer", aspect="valid", by="llm:m")])
    ('Valid',)
    """
    known = list(items)
    worded = any(item.references for item in known)
    ranked = any(item.relevant is not None or item.constraints or item.expects for item in known)
    judged = _judged(verdicts, by)
    called = any(item.expected_calls for item in known)
    told = (judged, CALLED if called else (), RANKED if ranked else (), WORDED if worded else ())
    return tuple(name for names in told for name in names) or RANKED


def _judged(verdicts: Iterable[Verdict], by: str) -> tuple[str, ...]:
    judges: dict[str, set[str]] = {}
    for verdict in verdicts:
        kind = verdict.by.partition(":")[0]
        whole = verdict.about == "answer" or verdict.about.startswith("question:")
        if whole and (kind == "embed" or (kind in ("llm", "rules") and matches(verdict.by, by))):
            judges.setdefault(verdict.aspect, set()).add(verdict.by.partition("#")[0])
    alone = {aspect for aspect, found in judges.items() if len(found) == 1}
    return tuple(name for needed, names in JUDGED.items() if alone.issuperset(needed) for name in names)
