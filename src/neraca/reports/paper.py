"""Write the method of a report as one paragraph for a paper, and the command that repeats the report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from neraca.comparisons.difference import Difference, baseline_of
from neraca.counts_and_lists import count, listed
from neraca.number_format import number, percent_level
from neraca.reports.sentences.relevance_words import sources
from neraca.scores.scores import Scores
from neraca.translation import language, say

_TESTS = {
    "t": "paired t-tests",
    "wilcoxon": "Wilcoxon signed-rank tests",
    "sign": "exact sign tests",
    "randomisation": "paired randomisation tests",
    "bootstrap": "studentised bootstrap tests",
    "mcnemar": "McNemar tests",
    "tukey": "randomised Tukey HSD tests",
}
_CORRECTIONS = {
    "holm": "corrected by Holm's method",
    "bonferroni": "corrected by Bonferroni's method",
    "bh": "corrected by Benjamini and Hochberg's method",
}
_INTERVALS = {
    "t": "Student's t",
    "wilson": "Wilson",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
}


def paper_paragraph(scores: Scores, differences: Sequence[Difference], primary: str) -> str:
    """Describe in the past tense how the runs were scored and compared."""
    return " ".join(_sentences(scores, differences, primary))


def _sentences(scores: Scores, differences: Sequence[Difference], primary: str) -> Iterator[str]:
    runs, items, n_others = len(scores.runs), len(scores.runs[0]), len(scores.metrics) - 1
    more = say(" and, beside it, by {metrics}", metrics=count(n_others, "other metric")) if n_others else ""
    yield say(
        "We scored {runs} on {questions} by {primary}{more}.",
        runs=count(runs, "run"),
        questions=count(items, "question"),
        primary=primary,
        more=more,
    )
    if scores.relevance is not None and scores.relevance.used:
        yield say("Relevance was judged by {relevance}.", relevance=sources(scores))
    methods = sorted({say(_INTERVALS[score.method]) for score in scores.overall() if score.method in _INTERVALS})
    if methods:
        yield say("Intervals are at {level} ({made}).", level=percent_level(scores.level), made=listed(methods))
    if not (tests := tests_of(differences)):
        return
    baseline = baseline_of(differences)
    design = (
        say("Each run was compared with {baseline}", baseline=baseline)
        if baseline
        else say("Runs were compared in pairs")
    )
    corrections = corrections_of(differences)
    correction = say(", p-values {corrected}", corrected=corrections) if corrections else ""
    yield say(
        "{whom} by two-sided {tests}{how}; the level of significance was {level}.",
        whom=design,
        tests=tests,
        how=correction,
        level=number(1 - scores.level, 2),
    )
    if margins := {d.metric: d.equivalence.margin for d in differences if d.equivalence}:
        margin_texts = listed(
            [f"{metric} ±{number(margin)}" for metric, margin in margins.items()], at_most=len(margins)
        )
        yield say("Equivalence within a margin ({words}) was tested by two one-sided tests.", words=margin_texts)
    yield say("Effect sizes are Cohen's d_z.")


def tests_of(differences: Sequence[Difference]) -> str:
    """Return the tests of differences in words; "" without a test."""
    return listed(sorted({say(_TESTS.get(name, name)) for d in differences for name in [d.test.partition("(")[0]]}))


def corrections_of(differences: Sequence[Difference]) -> str:
    """Return how p-values were corrected for the number of comparisons, in words; "" if they were not."""
    return listed(sorted({say(_CORRECTIONS[d.correction]) for d in differences if d.correction in _CORRECTIONS}))


def made_again(scores: Scores, differences: Sequence[Difference], primary: str) -> str:
    """Write the command that makes the same report again from the same files."""
    run_folders = [run.name for run in scores.runs if run.scorable is not None and run.scorable.offers("run")]
    if len(run_folders) < len(scores.runs):
        return say(
            "the same command on the same files gives the same numbers: what is drawn by chance has a fixed seed"
        )
    metrics = " ".join(map(str, scores.metrics))
    command = [
        "neraca",
        "report",
        *run_folders,
        "-m",
        metrics,
        *_options(scores, differences, primary),
        *([] if language() == "en" else ["--report-language", language()]),
        "--to",
        "report-again.html",
    ]
    return say("{command} in the folder of these runs; nothing is asked or judged again", command=shlex.join(command))


def _options(scores: Scores, differences: Sequence[Difference], primary: str) -> Iterator[str]:
    if len(scores.metrics) > 1:
        yield from ("--primary", primary)
    if scores.relevance is not None and scores.relevance.source != "auto":
        yield from ("--relevance", scores.relevance.source)
    if scores.level != 0.95:
        yield from ("--level", f"{scores.level:g}")
    for test, _, arguments in sorted({d.test.partition("(") for d in differences if d.metric == primary}):
        if test != "t":
            yield from ("--test", test)
        seed = arguments.removesuffix(")").rpartition("seed=")[2] if "seed=" in arguments else "0"
        if seed != "0":
            yield from ("--seed", seed)
    for correction in sorted({d.correction for d in differences} - {"holm", "tukey", ""}):
        if len(differences) > 1:
            yield from ("--correction", correction)
    if baseline := baseline_of(differences):
        yield from ("--against", baseline)
    if margins := {d.metric: d.equivalence.margin for d in differences if d.equivalence}:
        yield from ("--margin", " ".join(f"{metric}={margin:g}" for metric, margin in margins.items()))
