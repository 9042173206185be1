"""Summarise a run: what was asked, when, and how it went."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from neraca.comparisons.difference import Difference, in_order
from neraca.counts_and_lists import listed
from neraca.metrics.metric import Metric
from neraca.number_format import DASH, dollars, integer, number, seconds
from neraca.records import ANSWER_STATUSES, COSTS, FAILED, LEFT_OUT
from neraca.reports.formats.visible_text import field_text, line
from neraca.reports.sentences.reasons import source_words
from neraca.runs.run import Run
from neraca.scores.scores import RunScores, Scores
from neraca.translation import say
from neraca.verdicts.source import JURY, source_of

#: If the names of the runs together take more characters than this, the title has their number instead.
LONG = 60
#: Usage that Neraca itself measures in a browser → its label; a system's own usage keeps its name.
_USAGE = {
    "new_pages": "Pages opened",
    "reloaded_pages": "Pages loaded again",
    "watched_seconds": "Seconds of watching the page",
}


class Usage(NamedTuple):
    """The total of what answers used, such as their cost, and the number of answers that state it."""

    name: str
    total: float
    answers: int


@dataclass(frozen=True)
class RunSummary:
    """One run in a few lines.

    Attributes
    ----------
    settings
        The target's settings, flattened to (`headers.X-Key`, value); secrets were hidden when the run was made.
    statuses
        The statuses that occur, with their number of answers.
    unanswered
        Questions (times trials) without an answer.
    median, p95, mean
        Seconds per answer that can be read; None if no time is known.
    timed
        The number of answers that can be read whose time is known.
    first_token
        Median seconds to the first token, or None.
    usage
        What the answers used, such as tokens.
    cost
        US dollars that the target reports; None if no answer has a cost.
    judges
        The judges whose verdicts counted, with the number of verdicts.
    """

    name: str
    items: int
    folder: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    dataset: str = ""
    fingerprint: str = ""
    trials: int = 1
    started: str = ""
    ended: str = ""
    statuses: tuple[tuple[str, int], ...] = ()
    unanswered: int = 0
    replayed: int = 0
    median: float | None = None
    p95: float | None = None
    mean: float | None = None
    timed: int = 0
    first_token: float | None = None
    usage: tuple[Usage, ...] = ()
    cost: Usage | None = None
    judges: tuple[tuple[str, int], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    @property
    def answers(self) -> int:
        """The number of answers, of any status."""
        return sum(n for _, n in self.statuses)

    @property
    def failed(self) -> int:
        """The number of answers by which the user got nothing."""
        return sum(n for status, n in self.statuses if status in FAILED)

    @property
    def left_out(self) -> tuple[tuple[str, int], ...]:
        """The statuses of answers that are never scored, with their number of answers."""
        return tuple((status, n) for status, n in self.statuses if status in LEFT_OUT)


def summarise_run(run: RunScores) -> RunSummary:
    """Summarise a run; without a run folder, only the name and the number of items are known."""
    part = run.scorable
    if part is None or not part.offers("run"):
        return RunSummary(name=line(run.name), items=len(run))
    folder: Run = part.column("run")
    manifest, statuses = folder.manifest, Counter[str](part.column("status"))
    times: list[float] = []
    first_token_times: list[float] = []
    usage: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    costs: list[float] = []
    for answer in part.column("answers"):
        usage.update(answer.usage)
        stated.update(answer.usage.keys())
        costs += [] if answer.cost is None else [answer.cost]
        if answer.replied:
            times += [] if answer.seconds is None else [answer.seconds]
            first_token_times += [] if answer.first_token_seconds is None else [answer.first_token_seconds]
    judges: Counter[str] = part.column("verdicts").judges
    return RunSummary(
        name=line(run.name),
        folder=line(folder.name),
        settings=tuple((line(key), field_text(value, 200)) for key, value in _flat(manifest.target)),
        dataset=line(manifest.dataset),
        fingerprint=line(manifest.fingerprint),
        items=manifest.items,
        trials=manifest.trials,
        started=line(manifest.started),
        ended=line(manifest.ended),
        statuses=tuple((status, statuses[status]) for status in ANSWER_STATUSES if statuses[status]),
        unanswered=manifest.items * manifest.trials - part.n,
        replayed=manifest.replayed,
        median=_quantile(times, 0.5),
        p95=_quantile(times, 0.95),
        mean=math.fsum(times) / len(times) if times else None,
        timed=len(times),
        first_token=_quantile(first_token_times, 0.5),
        usage=tuple(Usage(line(name), float(total), stated[name]) for name, total in sorted(usage.items())),
        cost=Usage("cost", math.fsum(costs), len(costs)) if costs else None,
        judges=tuple((line(by), n) for by, n in sorted(judges.items())),
        versions=tuple((line(name), line(text)) for name, text in sorted(manifest.versions.items())),
    )


def cost_of_judges(run: RunScores) -> float | None:
    """Return the US dollars that the judges of a run cost; None if a judge asked a model and its cost is not known."""
    part = run.scorable
    if part is None or not part.offers("run"):
        return 0.0
    judging = part.column("run").manifest.judging
    asked = [by for by in part.column("verdicts").judges if source_of(by) == "llm" and by != JURY]
    costs = [*judging.values(), *(None for by in asked if by not in judging)]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _quantile(values: list[float], share: float) -> float | None:
    return float(np.quantile(values, share)) if values else None


def _flat(settings: Any, prefix: str = "") -> Iterable[tuple[str, Any]]:
    if not isinstance(settings, Mapping) or not settings:
        yield prefix, settings
        return
    for key, value in settings.items():
        yield from _flat(value, f"{prefix}.{key}".lstrip("."))


class RunFacts(NamedTuple):
    """The facts about runs: those that differ, with a value for each run, and those that all runs share."""

    differ: list[tuple[str, list[str]]]
    same: list[tuple[str, str]]


def facts(cards: Sequence[RunSummary]) -> RunFacts:
    """Split the facts of runs into those that differ and those that all share; one run shares all with itself."""
    facts_by_run = [dict(_facts(card)) for card in cards]
    names = dict.fromkeys(name for of_run in facts_by_run for name in of_run)
    rows = [(name, [of_run.get(name, DASH) for of_run in facts_by_run]) for name in names]
    return RunFacts(
        [(name, cells) for name, cells in rows if len(set(cells)) > 1],
        [(name, cells[0]) for name, cells in rows if len(set(cells)) == 1],
    )


def differing_settings(cards: Sequence[RunSummary]) -> list[str]:
    """Return the settings of the targets that are not the same in all runs; [] with fewer than two run folders."""
    settings = [dict(card.settings) for card in cards if card.folder]
    names = dict.fromkeys(name for of_run in settings for name in of_run)
    return [name or "target" for name in names if len({of_run.get(name) for of_run in settings}) > 1]


def _facts(card: RunSummary) -> Iterator[tuple[str, str]]:
    if not card.folder:
        yield say("Questions"), integer(card.items)
        return
    statuses = ", ".join(f"{integer(n)} {say(status)}" for status, n in card.statuses) or say("none")
    yield (
        say("Answers"),
        statuses + (say("; {unanswered:,} unanswered", unanswered=card.unanswered) if card.unanswered else ""),
    )
    yield (
        say("Questions"),
        integer(card.items) + (say(", {trials} times each", trials=card.trials) if card.trials > 1 else ""),
    )
    yield say("Seconds, median"), seconds(card.median)
    yield say("Seconds, 95th percentile"), seconds(card.p95)
    if card.first_token is not None:
        yield say("First token, median"), seconds(card.first_token)
    costs = next((name for name in COSTS if any(used.name == name for used in card.usage)), "")
    for name, total, stated in card.usage:
        if name == costs:  # below, in US dollars
            continue
        label = say(_USAGE[name]) if name in _USAGE else say("Usage: {name}", name=name)
        yield label, _of_answers(integer(total) if total.is_integer() else number(total), stated, card)
    if card.cost:
        mean = dollars(card.cost.total / card.cost.answers)
        yield say("US dollars for an answer, mean"), _of_answers(mean, card.cost.answers, card)
        yield say("US dollars, all answers"), _of_answers(dollars(card.cost.total), card.cost.answers, card)
    yield say("Dataset"), f"{card.dataset or say('unnamed')} ({card.fingerprint})"
    yield say("Started"), card.started or say("unknown")
    yield say("Ended"), card.ended or say("not finished")
    if card.replayed:
        yield say("Asked again to rebuild conversations"), integer(card.replayed)
    yield (
        say("Verdicts"),
        ", ".join(say("{n:,} by {by}", n=n, by=source_words(by)) for by, n in card.judges) or say("none"),
    )
    for key, value in card.settings:
        yield key or "target", value
    yield say("Versions"), ", ".join(f"{name} {text}" for name, text in card.versions) or say("unknown")


def _of_answers(amount: str, stated: int, card: RunSummary) -> str:
    """Say of how many answers an amount is, if it is not of all."""
    if stated == card.answers:
        return amount
    return f"{amount} ({say('{n:,} of {answers:,} answers', n=stated, answers=card.answers)})"


def best_first(scores: Scores, metric: str) -> Scores:
    """Return the scores with the best run in a metric first, runs without a value last, and equal runs as before."""
    overall = [score for score in scores.overall() if score.metric == metric]
    sign = -1 if Metric.of(metric).higher_is_better else 1
    places = sorted(
        range(len(overall)), key=lambda place: (math.isnan(overall[place].value), sign * overall[place].value)
    )
    return scores if places == sorted(places) else replace(scores, runs=tuple(scores.runs[place] for place in places))


def pairs_best_first(scores: Scores, differences: Sequence[Difference], metric: str) -> list[Difference]:
    """Return the differences with the better run of a metric first in each pair; a baseline stays the second."""
    return in_order(differences, [run.name for run in best_first(scores, metric).runs])


def title_of(cards: Sequence[RunSummary]) -> str:
    """Return the title of a report: the names of its runs, or their number."""
    names = listed([card.name for card in cards])
    subject = names if len(names) <= LONG or len(cards) < 2 else say("{n} runs", n=len(cards))
    return say("{names}: comparison", names=subject) if len(cards) > 1 else say("{names}: report", names=subject)
