"""Scores of run folders: each metric overall, per group and per item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from neraca.errors import InputError, SpecError
from neraca.languages import parse_language
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.runs.run import Run
from neraca.scores.default_metrics import default_metrics, several_judges
from neraca.scores.drawn import with_draws
from neraca.scores.if_decided import ranges_if_decided
from neraca.scores.rated_scales import with_rated_scales
from neraca.scores.reading import ReadingOptions, parse_metrics, reading_facts
from neraca.scores.scores import RunScores, Scores
from neraca.scores.scoring import INTERVALS, Prepared, check_level, run_scores, score_parts, scores_of
from neraca.scores.sources.people_labels import check_method, people_labels
from neraca.scores.sources.runs import People, scorables_of_runs
from neraca.scores.text_facts import with_text_facts
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.raters import SCALES, YES_NO, Kinds, read_rule
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.source import is_human
from neraca.verdicts.undecided import Decisions

#: Columns of runs that are facts of their scores.
FACTS = ("raters", "selection", "overruled", "same_ratings", "unreturned", "pairs_not_shown")


def score(
    runs: Run | str | Path | Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    relevance: str = "auto",
    by: str = "",
    combine: str = "",
    language: str = "",
    tokens: str = "",
    norm: str = "",
    level: float = 0.95,
    intervals: str = "t",
    unit: str = "auto",
    correct: str = "",
    sample: str | Path | None = None,
) -> Scores:
    """Score runs over the same dataset.

    What is relevant is pooled over all runs, so recall, AP and nDCG are relative to what these found together; a failed
    answer counts as an empty one, an answer that may not be whole is unscored.

    Parameters
    ----------
    runs
        Runs or their folders, or one of them; equal names get a number.
    metrics
        Names (`"P@5 nDCG@10"`, or a list); default `default_metrics`: those for which there is what they need.
    relevance
        The source that decides the relevance of a hit: `auto` (the first of people, qrels, rules, LLM that has an
        opinion), `human`, `rules(at=0.8)`, `human:NAME`, …; see `Relevance.of`.  With `by`, `auto` is that source.
    by
        The only source whose verdicts count; "" is the first in the same order, and people overrule judges.  It
        holds for relevance and for what questions expect too, if this source decided on them.  Of several judges of
        claims or ratings one must be named (`llm:gpt-4o-mini`).
    combine
        The rule for several people's verdicts on one thing: `mean`, `median` (the lower one), `majority`,
        `newest`; "" is by the kind of verdict (`verdicts/raters.py`).
    language
        The language of questions without one, for text metrics: `es`, `Spanish`, or `auto` (that of their references).
    tokens, norm
        The words (`word+stem`) and the form of Unicode (`nfc`, `nfkc`) for each metric that takes them and does not
        name its own.
    level
        The confidence of the intervals.
    intervals
        `t` (Student's), `bca` or `percentile` (bootstrap).  Values that are all 0 or 1 get Wilson's interval.
    unit
        One observation in intervals and tests: `session`, `question`, or a tag.  `auto` is the session, or the
        question if there is only one session.  Fewer than six observations get no interval and no test.
    correct
        Correct a judge by people's labels: `ppi` or `rogan-gladen`; "": do not.
    sample
        The file that says how the labelled questions were drawn.

    Raises
    ------
    SpecError, InputError
        For an unknown metric, with what may have been meant; when the runs do not answer the same questions.
    """
    named_metrics = parse_metrics(metrics, reading := ReadingOptions(tokens=tokens, norm=norm))
    check_scoring(relevance, level, language, intervals)
    check_correcting(correct, sample, relevance, by)
    people = People(counted=not correct, combine=read_rule(combine), kinds=_kinds(named_metrics))
    opened = _open_runs([runs] if isinstance(runs, Run | str | Path) else runs)
    parts, pooled = scorables_of_runs(opened, relevance, by, people)
    chosen = with_rated_scales(named_metrics or parse_metrics(default_metrics(parts, by), reading), opened)
    group = score_parts(parts, chosen, Prepared(language))
    labels = people_labels(opened, chosen, correct, sample, language) if correct else None
    score_without = partial(_score_without, opened, chosen, people, (relevance, by, language))
    scored = [
        with_draws(_score_run(part, chosen), run, partial(score_without, place))
        for place, (part, run) in enumerate(zip(parts, opened, strict=True))
    ]
    score_decided = partial(_score_decided, opened, chosen, people, (relevance, by, language))
    ranges = ranges_if_decided(parts[0].column("open"), scored, score_decided)
    facts = _facts(parts[0]) | {"if_decided": ranges} | reading_facts(chosen, reading)
    facts |= {} if named_metrics else {"several_judges": several_judges(parts, by)}
    return scores_of(
        *(scored, chosen, group),
        unit=unit,
        relevance=pooled,
        labels=labels,
        facts=facts,
        level=level,
        intervals=intervals,
    )


def _facts(part: Scorable) -> dict[str, object]:
    """Return the facts that go with the scores of runs, by name of the column."""
    return {name: part.column(name) for name in FACTS}


def _score_run(part: Scorable, metrics: Sequence[Metric]) -> RunScores:
    run = run_scores(part, metrics)
    return with_text_facts(run, part, metrics) if any(metric.reads_texts for metric in metrics) else run


def _kinds(metrics: Sequence[Metric]) -> Kinds:
    """Return which aspects metrics declare as a scale (`Rubric`), and which as yes or no (`Aspect`)."""
    inner_metrics = [part for metric in metrics for part in metric.with_inner()]
    scales, yes_no = (
        frozenset(str(dict(part.params)["name"]) for part in inner_metrics if part.spec.name == kind)
        for kind in ("Rubric", "Aspect")
    )
    return Kinds(scales.union(SCALES), yes_no.union(YES_NO))


def _score_decided(
    runs: Sequence[Run],
    metrics: Sequence[Metric],
    people: People,
    selection: tuple[str, str, str],
    decisions: Decisions,
    items: Collection[str],
) -> list[RunScores]:
    """Score some questions with these decisions on undecided verdicts; `selection`: relevance, by and language."""
    relevance, by, language = selection
    parts, _ = scorables_of_runs(runs, relevance, by, replace(people, decisions=decisions), items)
    score_parts(parts, metrics, Prepared(language))
    return [run_scores(part, metrics) for part in parts]


def _score_without(
    runs: Sequence[Run],
    metrics: Sequence[Metric],
    people: People,
    selection: tuple[str, str, str],
    place: int,
    sources: Collection[str],
    items: Collection[str],
) -> dict[str, Floats | None]:
    """Score some questions of the run in this place without the verdicts of some sources; None: there is no score."""
    relevance, by, language = selection
    parts, _ = scorables_of_runs(runs, relevance, by, replace(people, without=sources), items)
    values: dict[str, Floats | None] = {}
    for metric in metrics:
        try:
            score_parts(parts, [metric], Prepared(language))
            values[str(metric)] = run_scores(parts[place], [metric], keep=False).values(metric)
        except SpecError:  # without this judge there is nothing to score
            values[str(metric)] = None
    return values


def _open_runs(runs: Iterable[Run | str | Path]) -> list[Run]:
    if opened := [run if isinstance(run, Run) else Run(run) for run in runs]:
        return opened
    raise InputError("there is no run to score; name at least one run folder")


def check_correcting(correct: str, sample: Path | str | None = None, relevance: str = "auto", by: str = "") -> None:
    """Raise `SpecError` if these options cannot correct scores."""
    if correct:
        check_method(correct)
    elif sample:
        raise SpecError("a sample says how the questions were drawn by which scores are corrected; add --correct ppi")
    people = [word for word in (relevance, by) if correct and is_human(word)]
    if people:
        raise SpecError(f"people's labels correct a judge, and {people[0]!r} is no judge; name another with --by")


def check_scoring(relevance: str, level: float, language: str = "", intervals: str = "t") -> None:
    """Raise `SpecError` if one of these options is invalid."""
    Relevance.of([], [], relevance)
    parse_language(language)
    check_level(level)
    if intervals not in INTERVALS:
        raise SpecError(f"no interval is called {intervals!r}; known: {', '.join(INTERVALS)}")
