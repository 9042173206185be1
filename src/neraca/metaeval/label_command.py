"""The commands by which people label the things that a judge decided on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import evidence_of

#: Largest number of verdicts to review if no plan drew the questions.
FEW_LABELS = 60
#: Aspects of lists of claims, which nobody reviews one by one: the contexts of a claim are reviewed with it.
_NOT_REVIEWED = frozenset({"hit"})


def review_command(evidence: Iterable[str], sample: str = "") -> str:
    """Return the command that lets people label the verdicts of these kinds (`evidence_of`), without seeing them.

    `sample`: the file of a plan, whose questions are labelled; by default `FEW_LABELS` verdicts are drawn at random.

    >>> review_command(["answer valid", "session valid"])
    'neraca rate RUN… --kind review --aspect valid --most 60 --page review.html'
    >>> review_command(["claim supported", "claim correct", "claim hit"], "plan.csv")
    "neraca rate RUN… --kind review --aspect 'correct supported' --sample plan.csv --page review.html"
    """
    aspects = sorted({kind.partition(" ")[2] for kind in evidence} - _NOT_REVIEWED)
    if any(aspect.startswith("preferred") for aspect in aspects):
        return "neraca rate RUN… --kind pair --page pairs.html"
    draw = f"--sample {shlex.quote(sample)}" if sample else f"--most {FEW_LABELS}"
    return f"neraca rate RUN… --kind review --aspect {shlex.quote(' '.join(aspects))} {draw} --page review.html"


def label_command(metric: Metric, sample: str = "") -> str:
    """Return the command that lets people label what a metric rests on, of all questions or those of a plan.

    >>> label_command(Metric.of("P@5"), "plan.csv")
    'neraca rate RUN… --sample plan.csv --page ratings.html'
    >>> label_command(Metric.of("Faithfulness"), "plan.csv")
    'neraca rate RUN… --kind review --aspect supported --sample plan.csv --page review.html'
    """
    evidence = {kind for inner in metric.with_inner() for kind in evidence_of(inner)}
    if evidence:
        return review_command(evidence, sample)
    return f"neraca rate RUN… {f'--sample {shlex.quote(sample)} ' if sample else ''}--page ratings.html"
