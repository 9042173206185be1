"""Make the section on the metrics themselves: which agree with each other, and which agree with people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from neraca.counts_and_lists import count, listed
from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import PEOPLE as UNNAMED
from neraca.metaeval.correlations import Agreement, Correlations
from neraca.number_format import correlation, correlation_span, integer
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.scores.scores import Scores
from neraca.translation import say

#: The most metrics in a table that can be read and printed.
MOST = 20
#: The most kinds of people's scores that are shown.
PEOPLE = 6
#: The most names of metrics in a sentence.
NAMES = 10
#: On fewer answers than this no two metrics are called one signal.
FEW = 10


@dataclass(frozen=True)
class AgreementRow:
    """The agreement of one metric with people's scores.

    Attributes
    ----------
    cells
        One for each kind of scores, in the order of `CorrelationTable.humans`; None if the metric is made from these
        scores, and so is not correlated with them.
    """

    metric: str
    cells: tuple[Agreement | None, ...]


@dataclass(frozen=True)
class CorrelationTable:
    """The sentences and tables of the section.

    Attributes
    ----------
    says
        Sentences.
    names
        Metrics of the table; those of one cluster are adjacent.
    rows
        For each metric, its correlations with those before it.
    rests
        A sentence: how it was computed and on how many answers.
    cut
        A sentence: what the table leaves out, or "".
    humans
        Kinds of people's scores.
    agreements
        The agreement of each metric with them; metrics that agree most with the first kind come first.
    """

    says: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    rests: str
    cut: str
    humans: tuple[str, ...]
    agreements: tuple[AgreementRow, ...]

    @property
    def numbered(self) -> list[str]:
        """The names of the table, each after the number that heads its column."""
        return [f"{place} {name}" for place, name in enumerate(self.names, 1)]

    @property
    def title(self) -> str:
        """The heading of the section."""
        alone = "What the metrics have in common"
        return "What the metrics have in common, and what with people" if self.humans else alone


def correlations(scores: Scores) -> CorrelationTable | None:
    """Correlate the metrics of a report; None with fewer than three that vary and no scores of people."""
    result = _with_display_names(correlate(scores, level=scores.level))
    varying = [place for place in range(len(result.names)) if result.matrix[place, place] == 1]
    if len(varying) < 3 and not result.humans:
        return None
    order = {name: number for number, group in enumerate(result.clusters) for name in group}
    varying.sort(key=lambda place: (order[result.names[place]], place))
    table = varying[:MOST] if len(varying) > 1 else []
    matrix = result.matrix.tolist()
    omitted = [result.names[place] for place in varying[MOST:]]
    cut = (
        say("Not in the table: {left}; the sentences count them too.", left=listed(omitted, at_most=len(omitted)))
        if omitted
        else ""
    )
    rows = tuple(tuple(matrix[place][earlier] for earlier in table[:row]) for row, place in enumerate(table))
    names = tuple(result.names[place] for place in table)
    return CorrelationTable(
        sentences(result), names, rows, _basis(result, table, len(scores.runs)), cut, result.humans, _agreements(result)
    )


def _with_display_names(result: Correlations) -> Correlations:
    """Return the correlations with readable names of people's scores, without scores that have none."""
    humans = [row.human for row in result.with_human if not math.isnan(row.value)]
    names: dict[str, str] = {}
    for human in dict.fromkeys(humans):
        name = aspect_words(human) or say("(no name)")
        names[human] = name if name not in names.values() else f"{name} {len(names) + 1}"
    name_by_human = dict(list(names.items())[:PEOPLE])
    rows = (replace(row, human=name_by_human[row.human]) for row in result.with_human if row.human in name_by_human)
    return replace(result, with_human=tuple(rows))


def _agreements(result: Correlations) -> tuple[AgreementRow, ...]:
    agreements_by_metric: dict[str, dict[str, Agreement]] = {}
    for row in result.with_human:
        agreements_by_metric.setdefault(row.metric, {})[row.human] = row
    rows = (
        AgreementRow(metric, tuple(by_human.get(human) for human in result.humans))
        for metric, by_human in agreements_by_metric.items()
    )
    return tuple(row for row in rows if any(cell and not math.isnan(cell.value) for cell in row.cells))


def _basis(result: Correlations, table: Sequence[int], runs: int) -> str:
    sizes = [int(result.n[metric, earlier]) for row, metric in enumerate(table) for earlier in table[:row]] or [0]
    answers = (
        count(max(sizes), "answer")
        if min(sizes) == max(sizes)
        else say("{min:,} to {max:,} answers", min=min(sizes), max=max(sizes))
    )
    reversed_metrics = [name for name in result.turned if name in {result.names[place] for place in table}]
    reversal = (
        say(" Turned around, because less is better: {turned}.", turned=listed(reversed_metrics))
        if reversed_metrics
        else ""
    )
    return say(
        "Spearman's rho of every two metrics (1: they put the answers in the same order, 0: in unrelated ones) over "
        "{answers}{of_all}.{errors}",
        answers=answers,
        of_all=say(" of all runs together") if runs > 1 else "",
        errors=reversal,
    )


#: Least size of a correlation → the shade of its cell.
STEPS = ((0.9, "deepest"), (0.7, "deep"), (0.5, "light"), (0.3, "faint"))


def shade(value: float, steps: Sequence[tuple[float, str]] = STEPS) -> str:
    """Return the shade of a cell in a word; "" below the first step and without a value.

    >>> shade(0.95), shade(-0.3), shade(0.29)
    ('deepest', 'minus faint', '')
    """
    step = next((word for least, word in steps if abs(value) >= least), "")
    return f"minus {step}" if step and value < 0 else step


def sentences(result: Correlations) -> tuple[str, ...]:
    """Say which metrics agree with each other, which have no correlation, and which are closest to people."""
    people = ([row for row in result.with_human if row.human == name] for name in result.humans)
    closest = (_closest(rows, result.symbol) for rows in people)
    return (*_same_signal(result), *_without_correlation(result), *closest, *_left_out(result))


def _left_out(result: Correlations) -> Iterator[str]:
    """Name the metrics that are made from people's scores, and the scores with which they are not compared."""
    for human, metrics in result.left_out.items():
        if metrics:
            yield say(
                "Not compared with {human}, because made from them: {named}.",
                human=_people_named(aspect_words(human) or say("(no name)")),
                named=_names_in_sentence(list(metrics)),
            )


def too_few(groups: Mapping[str, Sequence[Agreement]], tag: str) -> str:
    """Name the groups with too few answers with people's scores for a correlation; "" if all have enough."""
    sizes = {group: most_answers(rows) for group, rows in groups.items()}
    small = [f"{line(group, 40) or '–'} ({integer(n)})" for group, n in sizes.items() if n < FEW]
    if not small:
        return ""
    return say(
        "Too few answers with people's scores to correlate anything (fewer than {few}) where {tag} is: {small}.",
        few=FEW,
        tag=line(tag, 40),
        small=listed(small, NAMES),
    )


def most_answers(rows: Sequence[Agreement]) -> int:
    """Return the largest number of answers behind these correlations."""
    return max((row.n for row in rows), default=0)


def _names_in_sentence(names: Sequence[str]) -> str:
    return listed(list(names), NAMES if len(names) <= NAMES else NAMES - 1)


def _range(least: str, most: str) -> str:
    return least if least == most else say("{least} to {most}", least=least, most=most)


def _same_signal(result: Correlations) -> Iterator[str]:
    """Name the metrics that agree nearly fully, as far as these answers show."""
    groups = [group for group in result.clusters if len(group) > 1]
    yield from (_one_signal(result, group) for group in groups)
    usable = [p for p, name in enumerate(result.names) if name not in result.counting and result.matrix[p, p] == 1]
    sizes = [abs(float(result.matrix[pair])) for pair in combinations(usable, 2)]
    sizes = [value for value in sizes if not math.isnan(value)]
    if not sizes or groups:
        return
    if len(usable) == 2:
        names = _names_in_sentence([result.names[place] for place in usable])
        yield say(
            "{both} do not say the same: {symbol} is {value} in size.",
            both=names,
            symbol=result.symbol,
            value=correlation(sizes[0]),
        )
    else:
        statement = say(
            "between any two of them {symbol} is at most {value} in size",
            symbol=result.symbol,
            value=correlation(max(sizes)),
        )
        yield say("No two of the {n} metrics say the same: {most}.", n=len(usable), most=statement)


def _one_signal(result: Correlations, group: Sequence[str]) -> str:
    pairs = list(combinations([result.names.index(name) for name in group], 2))
    values, sizes = [float(result.matrix[pair]) for pair in pairs], [int(result.n[pair]) for pair in pairs]
    n = _range(integer(min(sizes)), integer(max(sizes)))
    evidence = f"{result.symbol} {_range(correlation(min(values)), correlation(max(values)))}, n {n}"
    direction = say(", some the other way round") if min(values) < 0 else ""
    if min(sizes) < FEW:
        return say(
            "{named} say nearly the same{way} ({rests}), but on so few answers that it may be chance.",
            named=_names_in_sentence(group),
            way=direction,
            rests=evidence,
        )
    return say(
        "{named} say nearly the same{way} ({rests}): count them as one signal.",
        named=_names_in_sentence(group),
        way=direction,
        rests=evidence,
    )


def _without_correlation(result: Correlations) -> Iterator[str]:
    """Name the metrics that cannot be correlated."""
    flat = [place for place in range(len(result.names)) if math.isnan(result.matrix[place, place])]
    unscored = [result.names[place] for place in flat if result.n[place, place] == 0]
    constant = [result.names[place] for place in flat if result.n[place, place] > 0]
    if unscored:
        yield say("Without any value, and so without a correlation: {named}.", named=_names_in_sentence(unscored))
    if constant:
        yield say(
            "With the same value in every answer, and so without a correlation: {named}.",
            named=_names_in_sentence(constant),
        )


def _people_named(human: str) -> str:
    """Return the words for people's scores, with the name of their kind if they have one."""
    return say("people's scores") + (f" ({human})" if human != UNNAMED else "")


def _closest(rows: Sequence[Agreement], symbol: str) -> str:
    """Name the metric that agrees most with people, and the metrics that the data do not tell from it."""
    human = _people_named(rows[0].human)
    defined = [row for row in rows if not math.isnan(row.value)]
    if not defined:
        return say("Of agreement with {human} nothing can be said: no metric varies together with them.", human=human)
    best, other_rows = defined[0], defined[1:]
    highest = f"{best.metric}, {symbol} {correlation(best.value)}"
    if math.isnan(best.low):
        perfect = abs(best.value) == 1 and best.n >= FEW
        reason = say("at its limit it has no interval" if perfect else "too few independent answers for an interval")
        return say(
            "Highest correlation with {human}: {highest}, n {n:,}; {why}.",
            human=human,
            highest=highest,
            n=best.n,
            why=reason,
        )
    highest += f" ({correlation_span(best.low, best.high)}), n {integer(best.n)}"
    if best.low <= 0:
        return say(
            "No metric is shown to agree with {human}: the highest correlation is that of {highest}.",
            human=human,
            highest=highest,
        )
    if not other_rows:
        return say("Agreement with {human}: {highest}.", human=human, highest=highest)
    undecided = [row.metric for row in other_rows if not row.told_apart]
    if not undecided:
        return say(
            "Closest to {human}: {highest}; the tests tell it from every other metric.", human=human, highest=highest
        )
    contrast = "" if len(undecided) == len(other_rows) else say(", told apart from the others")
    return say(
        "Closest to {human}: {highest}; not told apart from {named}{rest}.",
        human=human,
        highest=highest,
        named=_names_in_sentence(undecided),
        rest=contrast,
    )
