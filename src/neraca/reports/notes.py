"""What a reader of scores must know: what was left out, what counts as what, which language was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from neraca.metrics.metric import Metric
from neraca.reports.unit import unit_notes
from neraca.result import Sentences
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import SESSION

_UNSAID = "the language is not known: words are compared without their stems, and articles count as words"


def notes(scores: Scores, *, unscored: bool = True) -> Sentences:
    """What to know of scores of anything; without `unscored` not what has no value, for those who say it themselves."""
    return Sentences(_notes(scores, unscored))


def _notes(scores: Scores, unscored: bool) -> Iterator[str]:
    if unscored and scores.relevance is not None:
        from neraca.reports.unread import unread

        yield from unread(scores)
    if scores.labels is None and (used := scores.relevance.used if scores.relevance else {}):
        yield from _mixed(used)
    for run in scores.runs:
        if "queries" in run.facts:
            yield from _queries(run, scores.metrics if unscored else ())
        if "empty" in run.facts:
            yield from _rows(run, scores.metrics if unscored else (), f"{run.name}: " if len(scores.runs) > 1 else "")
    for metric in scores.scored:
        if metric.spec.name == "Average":
            yield from _average(scores, metric)
    yield from _table(scores)
    yield from unit_notes(scores.unit)
    reads = any(_reads_language(inner) for metric in scores.metrics for inner in metric.with_inner())
    if scores.facts.get("languages") == ("",) and reads:
        yield _UNSAID
    if scores.detected:
        yield f"language found in the texts, not said: {scores.detected}"


def _mixed(used: Mapping[str, int]) -> Iterator[str]:
    """That people and a judge count side by side, where people judged the smaller part."""
    judge = next((source for source in ("rules", "llm") if used.get(source, 0) > used.get("human", 0) > 0), "")
    if judge:
        yield (
            f"people judged {used['human']:,} hits and {judge} {used[judge]:,} others: such a mixture is as wrong as "
            f"{judge} on what people did not see; --correct ppi says what people would have said of all"
        )


def passed_over_note(paths: Iterable[str | Path]) -> str:
    """What to know where some of the paths that should be run folders are none."""
    return f"no run folder, passed over: {', '.join(map(str, paths))}"


def _queries(run: RunScores, metrics: Sequence[Metric]) -> Iterator[str]:
    """Notes on a TREC run beside its qrels."""
    facts = run.facts
    if facts["suspect"]:
        yield f"{run.name}: {facts['suspect']} answers may not be whole and are left out"
    if facts["trials"] > 1:
        yield f"{run.name}: each question was asked {facts['trials']} times; the first answer counts"
    if facts["absent"]:
        names = ", ".join(facts["absent_names"]) + (", …" if facts["absent"] > len(facts["absent_names"]) else "")
        whole = run.left_out is None
        counted = "counted as 0, as by trec_eval -c" if whole else "left out of the means"
        missing = f"{facts['absent']} of {facts['queries']} judged queries ({names})"
        yield f"{run.name}: no document for {missing}; {counted}"
    if facts["unjudged_queries"]:
        which = "query of the run is" if facts["unjudged_queries"] == 1 else "queries of the run are"
        yield f"{run.name}: {facts['unjudged_queries']} {which} not judged; left out"
    out = set() if run.left_out is None else set(run.left_out.nonzero()[0].tolist())
    for metric in metrics:
        reasons = Counter(why for row, why in run.why(metric).items() if row not in out)
        if count := reasons.total():
            where, why = f"{count} of {len(run) - len(out)} queries", reasons.most_common(1)[0][0]
            yield f"{run.name}: {metric} is not defined for {where} ({why}); left out of its mean"


def _rows(run: RunScores, metrics: Sequence[Metric], name: str) -> Iterator[str]:
    n, empty = len(run), run.facts["empty"]
    if n and empty == n:
        yield f"{name}every response is empty; is it the right column?"
    elif empty:
        what = "is empty and counts" if empty == 1 else "are empty and count"
        yield f"{name}{empty:,} of {n:,} responses {what} as an answer without a word"
    without: dict[tuple[str, int], list[str]] = {}
    for metric in metrics:
        for why, count in Counter(run.why(metric).values()).items():
            without.setdefault((why, count), []).append(str(metric))
    for (why, count), names in without.items():
        where = "" if len(names) == len(metrics) else f" in {', '.join(names)}"
        yield f"{name}{count:,} of {n:,} rows {'is' if count == 1 else 'are'} unscored{where}: {why}"


def _average(scores: Scores, metric: Metric) -> Iterator[str]:
    """That an average rests on fewer answers than some of its metrics."""
    for run in scores.runs:
        name, n, out = f"{run.name}: " if len(scores.runs) > 1 else "", len(run), len(run.why(metric))
        missing = {inner: len(run.why(inner)) for inner in map(str, metric.spec.values) if inner in run.counts}
        if out > min(missing.values(), default=out):
            why = ", ".join(f"{inner} has none for {times:,}" for inner, times in missing.items() if times)
            yield (
                f"{name}{scores.title(metric)} rests on {n - out:,} of {n:,} answers, those for which all its metrics "
                f"have a value ({why}); each metric beside it rests on all for which it has one"
            )


def _table(scores: Scores) -> Iterator[str]:
    """Notes on the cells and columns of a table, or on what stood among runs."""
    facts = scores.facts
    if passed_over := facts.get("passed_over"):
        yield passed_over_note(passed_over)
    for name, (times, first, none) in facts.get("no_numbers", {}).items():
        cells = "cell is" if times == 1 else "cells are"
        yield (
            f"column {name!r}: {times:,} {cells} no number and left out, such as {first}"
            f"{'; none is a number' if none else ''}"
        )
    for name, times in facts.get("words_for_nothing", {}).items():
        cells = "cell holds" if times == 1 else "cells hold"
        yield (
            f"column {name!r}: {times:,} {cells} a word such as NaN, None or #N/A, which is text like any other; leave "
            "a cell empty where there is nothing"
        )
    if facts.get("session") and scores.unit.by == SESSION:
        yield f"rows of one session (column {facts['session']!r}) count as one source of chance"
    if facts.get("unused"):
        yield (
            f"the reference is {' and '.join(facts['references'])}, the response is "
            f"{' and '.join(facts['responses'])}; not used: {', '.join(facts['unused'])} (name others with --reference "
            "and --response)"
        )
    if whose := facts.get("whose"):
        systems = len(scores.runs)
        yield (
            f"people's scores (column {whose!r}) are not used: nobody can tell which of {systems} systems they are of; "
            "name one --human for each --response, in the same order"
        )
    if facts.get("unknown") or facts.get("without_contexts"):
        yield from _columns(facts.get("unknown", ()), facts.get("without_contexts", False))


def _columns(unknown: Sequence[str], without_contexts: bool) -> Iterator[str]:
    """Notes on columns of a table by their headings."""
    from neraca.datasets.columns import ALL, not_used

    yield from filter(None, [not_used(unknown)])
    if without_contexts:
        yield f"no column has contexts; call it one of {', '.join(ALL['contexts'][:4])}"


def _reads_language(metric: Metric) -> bool:
    """Whether the metric drops articles or compares stems where the language is known."""
    settings = metric.settings
    tokens = str(settings.get("tokens", "stem"))
    return "language" in settings and ("articles" in tokens or "stem" in tokens or "stem" in settings)
