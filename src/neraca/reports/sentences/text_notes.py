"""Notes on how texts were read: marks, forms of characters, words without spaces between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from neraca.counts_and_lists import form, listed
from neraca.languages import language_of
from neraca.metrics.metric import Metric
from neraca.scores.scores import RunScores, Scores
from neraca.translation import say


def text_notes(scores: Scores) -> Iterator[str]:
    """Say for each run in how many answers the way of reading texts changes a value."""
    for run in scores.runs:
        name = f"{run.name}: " if len(scores.runs) > 1 else ""
        marks, effects = run.facts.get("marks", 0), "; ".join(_effects_of_marks(scores))
        if marks and effects:
            yield say(
                "{name}in {marks:,} of {n:,} {rows} one side has harakat or tatweel that the other lacks: {effects}",
                name=name,
                marks=marks,
                effects=effects,
                **_row_count(run),
            )
        if strange := run.facts.get("not_arabic", 0):
            yield say(
                "{name}in {strange:,} of {n:,} {rows} the language is ar and no letter is Arabic: if the texts look "
                "garbled, read the file with another --encoding, such as cp1256",
                name=name,
                strange=strange,
                **_row_count(run),
            )
        digits, counting = run.facts.get("digits", 0), _counting_digits(scores)
        if digits and counting:
            yield say(
                "{name}in {digits:,} of {n:,} {rows} one side has digits such as ٢٠١٥ and the other such as 2015: they "
                "count as differences in {metrics}; --tokens word+fold makes them equal, but not 450000 and ٤٥٠٬٠٠٠, "
                "which has a sign of thousands",
                name=name,
                digits=digits,
                metrics=listed(counting),
                **_row_count(run),
            )
        for metric in _metrics_by_name(scores).values():
            yield from _of_metric(run, metric, name)
    yield from _articles(scores)


def _articles(scores: Scores) -> Iterator[str]:
    """Name the metrics that count articles only because of the reading that was given for all metrics."""
    codes = filter(None, scores.facts.get("languages", ()))
    metrics = scores.facts.get("counting_articles", ())
    if metrics and any(language_of(code).articles for code in codes):
        tokens = Metric.of(metrics[0]).settings["tokens"]
        yield say(
            "articles count as words in {metrics}, which else leave them out: --tokens {other} still does",
            metrics=listed(metrics),
            other=f"{tokens}-articles",
        )


def _counting_digits(scores: Scores) -> list[str]:
    """Return the metrics that split texts into words without making digits of several scripts equal."""
    names = [name for name, metric in _metrics_by_name(scores).items() if "tokens" in metric.settings]
    return [name for name in names if "+fold" not in str(_metrics_by_name(scores)[name].settings["tokens"])]


def _effects_of_marks(scores: Scores) -> Iterator[str]:
    """Say which metrics ignore harakat and tatweel, by their signatures, and which do not.

    A metric that is made of others, such as `Average`, ignores them if all of its parts do.
    """
    folding: list[str] = []
    counting: list[str] = []
    for name, metric in _metrics_by_name(scores).items():
        _, *parts = metric.with_inner()
        text_metrics = [part for part in (parts or [metric]) if part.reads_texts and not [*part.with_inner()][1:]]
        signatures = [scores.signatures.get(str(text_metric), "") for text_metric in text_metrics]
        if signatures:
            (folding if all("|marks:folded" in signature for signature in signatures) else counting).append(name)
    if folding:
        yield say("in Arabic and Persian they play no part in {metrics}", metrics=listed(folding))
    if counting:
        yield say("they count as differences in {metrics}", metrics=listed(counting))


def _metrics_by_name(scores: Scores) -> Mapping[str, Metric]:
    return {str(inner): inner for metric in scores.scored for inner in metric.with_inner()}


def _of_metric(run: RunScores, metric: Metric, name: str) -> Iterator[str]:
    if changed := run.facts.get(f"form {metric}", 0):
        yield say(
            "{name}in {changed:,} of {n:,} {rows} {metric} would differ by more than 0.05 if full-width signs and "
            "no-break spaces were read as plain ones, and unseen marks of direction not at all: {other} does so",
            name=name,
            changed=changed,
            metric=metric,
            other=Metric.of(str(metric), norm="nfkc"),
            **_row_count(run),
        )
    if unspaced := run.facts.get(f"unspaced {metric}", 0):
        yield say(
            "{name}in {unspaced:,} of {n:,} {rows} {metric} takes a text that is written without spaces for one word, "
            "or for few: WER reads each letter of Chinese, Japanese and Thai as a word, and CER reads characters",
            name=name,
            unspaced=unspaced,
            metric=metric,
            **_row_count(run),
        )


def _row_count(run: RunScores) -> dict[str, object]:
    """Return how many answers a run has, and what they are called: rows of a table, answers of a run folder."""
    if run.scorable is None:
        return {"n": len(run), "rows": form(len(run), "row")}
    return {"n": run.scorable.n, "rows": form(run.scorable.n, "answer")}
