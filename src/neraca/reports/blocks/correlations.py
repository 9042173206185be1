"""The part of a report on metrics themselves: which say the same, and which say what people say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import PEOPLE as UNNAMED
from neraca.metaeval.correlations import Agreement, Correlations
from neraca.number_format import correlation, correlation_span, integer
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.translation import say
from neraca.scores.scores import Scores

#: More metrics than this are too many for a table that can be read and printed.
MOST = 20
#: More kinds of people's scores than this are not shown.
PEOPLE = 6
#: Of more metrics than this the names are not all said.
NAMES = 10
#: On fewer answers than this no two metrics are called one signal.
FEW = 10


@dataclass(frozen=True)
class AgreementRow:
    """One metric beside people's scores, one cell for each kind of them."""

    metric: str
    cells: tuple[Agreement, ...]


@dataclass(frozen=True)
class CorrelationTable:
    """The sentences and tables of the section.

    Attributes
    ----------
    says
        Sentences.
    names
        Metrics of the table, those that say the same beside each other.
    rows
        For each of them its correlations with those before it.
    rests
        How it was computed and on how many answers, in a sentence.
    cut
        What the table leaves out, in a sentence, or "".
    humans
        Kinds of people's scores.
    agreements
        The metrics beside them, those that agree most with the first kind first.
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
    """Correlate the metrics of a report; None with fewer than three that vary, and no scores of people."""
    result = _shown(correlate(scores, level=scores.level))
    varying = [place for place in range(len(result.names)) if result.matrix[place, place] == 1]
    if len(varying) < 3 and not result.humans:
        return None
    order = {name: number for number, group in enumerate(result.clusters) for name in group}
    varying.sort(key=lambda place: (order[result.names[place]], place))
    table = varying[:MOST] if len(varying) > 1 else []
    matrix = result.matrix.tolist()
    left = [result.names[place] for place in varying[MOST:]]
    cut = (
        say("Not in the table: {left}; the sentences count them too.", left=listed(left, at_most=len(left)))
        if left
        else ""
    )
    rows = tuple(tuple(matrix[place][other] for other in table[:row]) for row, place in enumerate(table))
    names = tuple(result.names[place] for place in table)
    return CorrelationTable(
        sentences(result), names, rows, _rests(result, table, len(scores.runs)), cut, result.humans, _agreements(result)
    )


def _shown(result: Correlations) -> Correlations:
    """With the names of people's scores made fit to show, and without those that nothing can be said of."""
    humans = [row.human for row in result.with_human if not math.isnan(row.value)]
    names: dict[str, str] = {}
    for human in dict.fromkeys(humans):
        name = line(human, 40) or say("(no name)")
        names[human] = name if name not in names.values() else f"{name} {len(names) + 1}"
    name_by_human = dict(list(names.items())[:PEOPLE])
    rows = (replace(row, human=name_by_human[row.human]) for row in result.with_human if row.human in name_by_human)
    return replace(result, with_human=tuple(rows))


def _agreements(result: Correlations) -> tuple[AgreementRow, ...]:
    cells: dict[str, list[Agreement]] = {}
    for row in result.with_human:
        cells.setdefault(row.metric, []).append(row)
    rows = (AgreementRow(metric, tuple(of_metric)) for metric, of_metric in cells.items())
    return tuple(row for row in rows if any(not math.isnan(cell.value) for cell in row.cells))


def _rests(result: Correlations, table: Sequence[int], runs: int) -> str:
    sizes = [int(result.n[one, other]) for row, one in enumerate(table) for other in table[:row]] or [0]
    answers = (
        count(max(sizes), "answer")
        if min(sizes) == max(sizes)
        else say("{min:,} to {max:,} answers", min=min(sizes), max=max(sizes))
    )
    turned = [name for name in result.turned if name in {result.names[place] for place in table}]
    errors = say(" Turned around, because less is better: {turned}.", turned=listed(turned)) if turned else ""
    return say(
        "Spearman's rho of every two metrics (1: they put the answers in the same order, 0: in unrelated ones) over "
        "{answers}{of_all}.{errors}",
        answers=answers,
        of_all=say(" of all runs together") if runs > 1 else "",
        errors=errors,
    )


#: From which size on a cell is how dark: the darkest say nearly the same.
STEPS = ((0.9, "deepest"), (0.7, "deep"), (0.5, "light"), (0.3, "faint"))


def shade(value: float) -> str:
    """Return the shade of a cell in a word; "" below the first step and without a value.

    >>> shade(0.95), shade(-0.3), shade(0.29)
    ('deepest', 'minus faint', '')
    """
    step = next((word for least, word in STEPS if abs(value) >= least), "")
    return f"minus {step}" if step and value < 0 else step


def sentences(result: Correlations) -> tuple[str, ...]:
    """Say which metrics say the same, which say nothing, and which are closest to people."""
    people = ([row for row in result.with_human if row.human == name] for name in result.humans)
    closest = (_closest(rows, result.symbol) for rows in people)
    return (*_same(result), *_silent(result), *closest, *_left_out(result))


def _left_out(result: Correlations) -> Iterator[str]:
    """Metrics that are people's scores themselves."""
    if names := dict.fromkeys(name for made in result.left_out.values() for name in made):
        yield say("Made from people's scores, and so not set beside them: {named}.", named=_named(list(names)))


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
    """On how many answers these rest at most."""
    return max((row.n for row in rows), default=0)


def _named(names: Sequence[str]) -> str:
    return listed(list(names), NAMES if len(names) <= NAMES else NAMES - 1)


def _range(least: str, most: str) -> str:
    return least if least == most else say("{least} to {most}", least=least, most=most)


def _same(result: Correlations) -> Iterator[str]:
    """Name the metrics that say the same, as far as these answers show."""
    groups = [group for group in result.clusters if len(group) > 1]
    yield from (_one_signal(result, group) for group in groups)
    usable = [p for p, name in enumerate(result.names) if name not in result.counting and result.matrix[p, p] == 1]
    known = [abs(float(result.matrix[pair])) for pair in combinations(usable, 2)]
    known = [value for value in known if not math.isnan(value)]
    if not known or groups:
        return
    if len(usable) == 2:
        both = _named([result.names[place] for place in usable])
        yield say(
            "{both} do not say the same: {symbol} is {value} in size.",
            both=both,
            symbol=result.symbol,
            value=correlation(known[0]),
        )
    else:
        most = say(
            "between any two of them {symbol} is at most {value} in size",
            symbol=result.symbol,
            value=correlation(max(known)),
        )
        yield say("No two of the {n} metrics say the same: {most}.", n=len(usable), most=most)


def _one_signal(result: Correlations, group: Sequence[str]) -> str:
    pairs = list(combinations([result.names.index(name) for name in group], 2))
    values, sizes = [float(result.matrix[pair]) for pair in pairs], [int(result.n[pair]) for pair in pairs]
    n = _range(integer(min(sizes)), integer(max(sizes)))
    rests = f"{result.symbol} {_range(correlation(min(values)), correlation(max(values)))}, n {n}"
    way = say(", some the other way round") if min(values) < 0 else ""
    if min(sizes) < FEW:
        return say(
            "{named} say nearly the same{way} ({rests}), but on so few answers that it may be chance.",
            named=_named(group),
            way=way,
            rests=rests,
        )
    return say(
        "{named} say nearly the same{way} ({rests}): count them as one signal.",
        named=_named(group),
        way=way,
        rests=rests,
    )


def _silent(result: Correlations) -> Iterator[str]:
    """Metrics that cannot be correlated with anything."""
    flat = [place for place in range(len(result.names)) if math.isnan(result.matrix[place, place])]
    unscored = [result.names[place] for place in flat if result.n[place, place] == 0]
    constant = [result.names[place] for place in flat if result.n[place, place] > 0]
    if unscored:
        yield say("Without any value, and so without a correlation: {named}.", named=_named(unscored))
    if constant:
        yield say("With the same value in every answer, and so without a correlation: {named}.", named=_named(constant))


def _closest(rows: Sequence[Agreement], symbol: str) -> str:
    """Name the metric that agrees most with people, and the others from which the data tell it."""
    human = say("people's scores") + (f" ({rows[0].human})" if rows[0].human != UNNAMED else "")
    known = [row for row in rows if not math.isnan(row.value)]
    if not known:
        return say("Of agreement with {human} nothing can be said: no metric varies together with them.", human=human)
    best, others = known[0], known[1:]
    highest = f"{best.metric}, {symbol} {correlation(best.value)}"
    if math.isnan(best.low):
        whole = abs(best.value) == 1 and best.n >= FEW
        why = say("at its limit it has no interval" if whole else "too few independent answers for an interval")
        return say(
            "Highest correlation with {human}: {highest}, n {n:,}; {why}.",
            human=human,
            highest=highest,
            n=best.n,
            why=why,
        )
    highest += f" ({correlation_span(best.low, best.high)}), n {integer(best.n)}"
    if best.low <= 0:
        return say(
            "No metric is shown to agree with {human}: the highest correlation is that of {highest}.",
            human=human,
            highest=highest,
        )
    if not others:
        return say("Agreement with {human}: {highest}.", human=human, highest=highest)
    same = [row.metric for row in others if not row.told_apart]
    if not same:
        return say(
            "Closest to {human}: {highest}; the tests tell it from every other metric.", human=human, highest=highest
        )
    rest = "" if len(same) == len(others) else say(", told apart from the others")
    return say(
        "Closest to {human}: {highest}; not told apart from {named}{rest}.",
        human=human,
        highest=highest,
        named=_named(same),
        rest=rest,
    )
