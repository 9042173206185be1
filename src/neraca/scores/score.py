"""Scores of run folders: each metric overall, per group and per item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from neraca.errors import InputError, SpecError
from neraca.languages import parse_language
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.runs.run import Run
from neraca.scores.default_metrics import default_metrics
from neraca.scores.of_runs import People, scorables_of_runs
from neraca.scores.people_labels import check_method, people_labels
from neraca.scores.scores import Scores
from neraca.scores.scoring import INTERVALS, ChanceOptions, Prepared, check_level, run_scores, score_parts, scores_of
from neraca.verdicts.raters import SCALES, YES_NO, Kinds, read_rule
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.source import source_of


def score(
    runs: Run | str | Path | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    relevance: str = "auto",
    by: str = "",
    combine: str = "",
    language: str = "",
    **chance: Unpack[ChanceOptions],
) -> Scores:
    """Score runs over the same dataset.

    What is relevant is pooled over all runs given, so recall, AP and nDCG of a run are relative to what these runs
    found together; a failed answer counts as an empty one, an answer that may not be whole is unscored.

    Parameters
    ----------
    runs
        Runs or their folders, or one of them; equal names get a number.
    metrics
        Names (`"P@5 nDCG@10"`, or a list); default `default_metrics`: those for which there is what they need.
    relevance
        Whose word on the relevance of a hit counts: `auto` (the first of people, qrels, rules, LLM that has an
        opinion), `human`, `rules(at=0.8)`, `human:NAME`, …; see `Relevance.of`.
    by
        Whose verdicts count in metrics of verdicts; "" is the first in the same order.  In metrics of claims and
        ratings it names the judge (`llm:gpt-4o-mini`), whom people overrule; of several judges one must be named.
    combine
        How several people's verdicts on one thing count together: `mean`, `median` (the lower one), `majority`,
        `newest`; "" is by the kind of verdict (`verdicts/raters.py`).
    language
        Of questions that do not say theirs, for text metrics: `es`, `Spanish`, or `auto` (found in their references).
    chance
        `level` (0.95) of the intervals, and `intervals`, how they are made: `t` (Student's), `bca` or `percentile`
        (bootstrap); of values that are all 0 or 1 it is Wilson's.  `unit` is what counts as one observation in
        intervals and tests: `session`, `question`, or a tag; `auto` is by session, by question if there is but one.
        Fewer than six observations of several questions get no interval and no test.  With `correct` (`ppi` or
        `rogan-gladen`) the judge's scores stand beside corrections by people's labels, drawn as the file `sample` says.

    Raises
    ------
    SpecError, InputError
        For an unknown metric, with what may have been meant; when the runs do not answer the same questions.
    """
    opened = _opened([runs] if isinstance(runs, Run | str | Path) else runs)
    asked = Metric.several(metrics)
    check_scoring(relevance, chance.get("level", 0.95), language, chance.get("intervals", "t"))
    correct, sample = chance.pop("correct", ""), chance.pop("sample", None)
    check_correcting(correct, sample, relevance, by)
    people = People(counted=not correct, combine=read_rule(combine), kinds=_kinds(asked))
    parts, pooled = scorables_of_runs(opened, relevance, by, people)
    chosen = asked or Metric.several(default_metrics(parts, by))
    group = score_parts(parts, chosen, Prepared(language))
    scored = [run_scores(part, chosen) for part in parts]
    labels = people_labels(opened, chosen, correct, sample, language) if correct else None
    facts = {name: parts[0].column(name) for name in ("raters", "same_ratings", "unreturned")}
    if pooled.undecided or pooled.contradicted or any(together.undecided for together in facts["raters"].values()):
        both = [scorables_of_runs(opened, relevance, by, replace(people, ties=ties))[0] for ties in (0.0, 1.0)]
        facts["if_decided"] = _if_decided(both, chosen, language)
    return scores_of(scored, chosen, group, relevance=pooled, labels=labels, facts=facts, **chance)


def _kinds(metrics: Sequence[Metric]) -> Kinds:
    """Return which aspects metrics declare as a scale (`Rubric`), and which as yes or no (`Aspect`)."""
    made_of = [part for metric in metrics for part in metric.with_inner()]
    scales, yes_no = (
        frozenset(str(dict(part.params)["name"]) for part in made_of if part.spec.name == kind)
        for kind in ("Rubric", "Aspect")
    )
    return Kinds(scales.union(SCALES), yes_no.union(YES_NO))


def _opened(runs: Iterable[Run | str | Path]) -> list[Run]:
    if opened := [run if isinstance(run, Run) else Run(run) for run in runs]:
        return opened
    raise InputError("there is no run to score; name at least one run folder")


def _if_decided(
    both: Sequence[Sequence[Scorable]], metrics: Sequence[Metric], language: str
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return (run, metric) → the least and the largest total if level votes are all no, or all yes."""
    ranges = {}
    for parts in both:
        score_parts(parts, metrics, Prepared(language))
    for outcomes in zip(*both, strict=True):
        all_no, all_yes = (run_scores(part, metrics) for part in outcomes)
        for name in map(str, metrics):
            totals = all_no.total(name), all_yes.total(name)
            if totals[0] != totals[1]:
                ranges[all_no.name, name] = (min(totals), max(totals))
    return ranges


def check_correcting(correct: str, sample: Path | str | None = None, relevance: str = "auto", by: str = "") -> None:
    """Raise `SpecError` where scores could not be corrected so."""
    if correct:
        check_method(correct)
    elif sample:
        raise SpecError("a sample says how the questions were drawn by which scores are corrected; add --correct ppi")
    asked = [word for word in (relevance, by) if correct and source_of(word) == "human"]
    if asked:
        raise SpecError(f"people's labels correct a judge, and {asked[0]!r} is no judge; name another with --by")


def check_scoring(relevance: str, level: float, language: str = "", intervals: str = "t") -> None:
    """Raise `SpecError` where these could not be used to score."""
    Relevance.of([], [], relevance)
    parse_language(language)
    check_level(level)
    if intervals not in INTERVALS:
        raise SpecError(f"no interval is called {intervals!r}; known: {', '.join(INTERVALS)}")
