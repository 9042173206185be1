"""Interleaving in words: who won, what it rests on, whether the draft was fair, and what an experiment would need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from neraca.number_format import DASH, about, integer, number, p_value, percent_level, signed, span
from neraca.online.exclusions import Exclusion
from neraca.online.interleaving.fairness import FirstRank
from neraca.online.interleaving.preference import ANALYSES, InterleavingResult, Preference
from neraca.online.interleaving.sensitivity import Design, SensitivityPlan
from neraca.reports.blocks.block import Block, Document, Figure, Heading, Sentences, opening
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.figures.forest import Line, forest
from neraca.reports.formats.escape import line
from neraca.reports.online.exclusions import left_out
from neraca.result import Table
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS

#: With fewer users or sessions an interval from the spread between them is too narrow.
ENOUGH = 20
_WHAT = {
    "user": "of each user",
    "session": "of each session",
    "search": "of all searches",
    "majority": "of users by majority",
    "paired": "clicks per pair",
}


def lead(result: InterleavingResult) -> str:
    """Return the decision, one sentence for each pair of rankers that has one."""
    if result.unfair:
        return f"Do not trust this experiment yet: {_unfair(result.unfair[0])}"
    decided = [one for one in result.deciding if one.winner(result.level)]
    if decided:
        return " ".join(preference_sentence(one, result) for one in decided)
    first, *more = result.deciding
    if more:
        return f"No ranker is preferred to another: {count(len(result.deciding), 'pair')} compared."
    if not first.n:
        return f"Nothing was decided: no search tells {line(first.a, 40)} from {line(first.b, 40)}."
    both = f"{line(first.a, 40)} or {line(first.b, 40)}"
    return f"It is not decided whether users prefer {both}: {_of_winner(first, first.a, result)}."


def preference_sentence(one: Preference, result: InterleavingResult) -> str:
    """Say who is preferred, and by how much."""
    winner = one.winner(result.level)
    other = one.b if winner == one.a else one.a
    return f"Users prefer {line(winner, 40)} to {line(other, 40)}: {_of_winner(one, winner, result)}."


def table(result: InterleavingResult, whole: bool = False) -> Table:
    """Return all analyses of two rankers; for more rankers the deciding one of each pair, or all with `whole`."""
    two = len(result.credit.rankers) == 2
    shown = result.preferences if two or whole else result.deciding
    first = line(result.credit.rankers[0], 20) if two else "the first"
    names = [*([] if two else ["pair"]), *(["analysis"] if two or whole else [])]
    rows = [
        [
            *([] if two else [f"{line(one.a, 20)} – {line(one.b, 20)}"]),
            *([f"{_WHAT[one.analysis]}{' *' if one.analysis == result.unit else ''}"] if "analysis" in names else []),
            signed(one.value) if one.analysis == "paired" else _share(one.value),
            _bounds(one, one.low, one.high) or DASH,
            p_value(one.p_adjusted) if math.isfinite(one.p_adjusted) else DASH,
            *(integer(n) for n in (one.n, one.wins, one.ties, one.losses)),
        ]
        for one in shown
    ]
    kind = "credit" if result.credit.graded else "searches"
    decides = "* decides" if "analysis" in names else f"{_WHAT[result.unit]}; all analyses: --to or --json"
    valid = " valid whenever you look" if result.looks == "daily" else ""
    title = f"Share of {kind} won, {percent_level(result.level)} intervals{valid}; {decides}"
    return Table(
        [*names, f"won by {first}", "interval", "p", "n", "won", "tied", "lost"],
        rows,
        title,
        len(names),
        name="analyses",
    )


def sentences(result: InterleavingResult) -> list[str]:
    """Return the decision and the notes for the terminal."""
    return [lead(result), basis(result), *checks(result)]


def basis(result: InterleavingResult) -> str:
    """Say what the numbers rest on."""
    credit = result.credit
    clicked = int((credit.clicks > 0).sum())
    users, sessions = (int(numbers.max()) + 1 for numbers in (credit.users, credit.sessions))
    return (
        f"{count(len(credit), 'search', 'searches')} interleaved by {credit.method}, of {count(users, 'user')} in "
        f"{count(sessions, 'session')}; {clicked:,} with clicks. A search without clicks says nothing."
    )


def checks(result: InterleavingResult, whole: bool = False) -> list[str]:
    """Say whether the experiment is sound, and how to read its table."""
    return [
        *_first_ranks(result),
        *_looks(result),
        *_few(result),
        *_searches_alone(result),
        *_corrected(result),
        *_reading(result, whole),
        *_unused(result),
    ]


def interleaving_document(
    result: InterleavingResult, exclusions: Sequence[Exclusion], events: int, more: Iterable[Block] = ()
) -> Document:
    """Make the blocks of the report, with more blocks before what was left out."""
    undecided = [f"{line(one.a, 30)} and {line(one.b, 30)}" for one in result.deciding if not one.winner(result.level)]
    unfair = [_unfair(check) for check in result.unfair]
    level = percent_level(result.level)
    caption = f"How far the first ranker's share is above or below one half, with {level} intervals"
    blocks = [
        *opening(
            lead(result),
            Figure("preference", caption, _drawn(result)),
            shown=_agreeing(result) if not unfair else "",
            unshown=f"A preference between {listed(undecided)}." if undecided and not unfair else "",
            notes=[f"{sentence[0].upper()}{sentence[1:]}" for sentence in unfair],
        ),
        Heading("All analyses", "analyses", "Analyses"),
        Sentences((basis(result),)),
        table(result, True),
        Heading("Checks", "checks", "Checks"),
        Sentences(checks(result, True)),
        *more,
        *left_out(events, exclusions),
    ]
    return Document(f"Interleaving: {listed([line(name, 40) for name in result.credit.rankers])}", tuple(blocks))


def plan_table(plan: SensitivityPlan) -> Table:
    """Return the table of both designs, and of clicks by chance."""
    rows = [
        [name, signed(one.effect), span(one.low, one.high) if one.low < one.high else "exact", *_searches(one)]
        for name, one in (("interleaving", plan.interleaving), ("A/B test", plan.ab))
    ]
    rows.append(["clicks by chance", signed(plan.chance.effect), span(plan.chance.low, plan.chance.high), DASH, DASH])
    columns = ["design", "difference", "95 % interval", "searches", "between"]
    power = f"{percent_level(plan.options.power)} power at {percent_level(plan.options.alpha)}"
    return Table(columns, rows, f"Searches needed for {power}: {line(plan.a, 30)} minus {line(plan.b, 30)}")


def plan_sentences(plan: SensitivityPlan) -> list[str]:
    """Say what an experiment would need, and what was simulated."""
    return [_factor(plan), *_directions(plan), _simulation(plan), _chance(plan)]


def _agreeing(result: InterleavingResult) -> str:
    """Count the other analyses that confirm the deciding one; "" if that shows nothing."""
    said = []
    for one in result.deciding:
        if winner := one.winner(result.level):
            others = [other for other in result.preferences if (other.a, other.b) == (one.a, one.b) and other != one]
            same = sum(other.winner(result.level) == winner for other in others)
            pair = f"{line(winner, 30)} against {line(one.b if winner == one.a else one.a, 30)}"
            said.append(f"{pair}: {same} of {len(others)} other analyses show the same.")
    return " ".join(said[:3])


def _of_winner(one: Preference, winner: str, result: InterleavingResult) -> str:
    """Return what a ranker won, with its interval and p."""
    value, low, high = one.value, one.low, one.high
    if winner == one.b:
        value, low, high = 1 - value, 1 - high, 1 - low
    bounds = _bounds(one, low, high)
    level = percent_level(result.level)
    interval = f" ({level} interval {bounds})" if bounds else " (no interval can be given)"
    test = f", p = {p_value(one.p_adjusted)}".replace("= <", "<") if math.isfinite(one.p_adjusted) else ""
    kind = "credit" if result.credit.graded else "searches"
    whose = "" if one.analysis == "search" else f" of a {one.analysis}, on average"
    units = "" if one.analysis == "search" and result.credit.graded else f", {_units(one)}"
    return f"{line(winner, 40)} won {_share(value)} of the {kind}{whose}{interval}{test}{units}"


def _units(one: Preference) -> str:
    many = {"user": "users", "session": "sessions", "search": "searches with a winner"}
    single = {"search": "search with a winner"}.get(one.analysis, one.analysis)
    return count(one.n, single, many[one.analysis])


def _share(value: float) -> str:
    return DASH if math.isnan(value) else f"{100 * value:.1f} %"


def _bounds(one: Preference, low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    return span(low, high) if one.analysis == "paired" else f"{100 * low:.1f} to {100 * high:.1f} %"


def _compared(check: FirstRank) -> str:
    """Set side by side what the method promises to be alike for both rankers."""
    a, b = line(check.a, 40), line(check.b, 40)
    if check.by_credit:
        credits = f"{number(check.chance_a, 3)} and {b} with {number(check.chance_b, 3)}"
        return f"a click by chance would credit {a} with {credits} on average"
    return f"{a} is first in {count(check.of_a, 'list')}, {b} in {check.of_b:,}"


def _unfair(check: FirstRank) -> str:
    """Say why the draft was not fair, and what to do."""
    p = p_value(check.p)
    cause = (
        "A ranker then wins by clicks that have no reason"
        if check.by_credit
        else "Users click more at the top, so the ranker that is first more often wins"
    )
    return (
        f"{_compared(check)}, which a fair draft would not do (p {'' if p.startswith('<') else '= '}{p}). {cause}: "
        "find what changes the lists or loses some of them, before you read any result."
    )


def _first_ranks(result: InterleavingResult) -> list[str]:
    """Say that the draft looks fair, with one sentence for all fair pairs."""
    fair = [check for check in result.first_ranks if check not in result.unfair]
    if len(fair) < 2 or len(fair) < len(result.first_ranks):
        return [_fair(check, result.credit.method) for check in fair]
    lists = {name: n for check in fair for name, n in ((check.a, check.of_a), (check.b, check.of_b))}
    shares = listed([f"{line(name, 40)} is first in {count(n, 'list')}" for name, n in lists.items()])
    known = [check.p for check in fair if math.isfinite(check.p)]
    least = f" (the least p of {len(fair)} pairs is {p_value(min(known))})" if known else ""
    return [f"The draft looks fair: {shares}{least}."]


def _fair(check: FirstRank, method: str) -> str:
    compared = _compared(check)
    if not math.isfinite(check.p):
        start = "Not checked: " if check.by_credit else ""
        return f"{start}{compared}; too few users to check that by chance."
    promise = f" {method} does not promise that both are first equally often." if check.by_credit else ""
    return f"The draft looks fair: {compared} (p = {p_value(check.p)}).{promise}"


def _looks(result: InterleavingResult) -> Iterator[str]:
    """Say what intervals for daily looks are worth, and which analyses are not looked at yet."""
    if result.looks != "daily":
        return
    yield "These intervals and p hold at every look together: you may look each day, and stop when one decides."
    early = [_WHAT[one.analysis] for one in result.deciding if math.isnan(one.p) and one.n]
    if early:
        yield f"There is no interval yet {early[0]}: with fewer than {FEWEST_USERS} one does not look yet."


def _few(result: InterleavingResult) -> Iterator[str]:
    fewest = min(result.deciding, key=lambda one: one.n)
    if result.unit != "search" and 0 < fewest.n < ENOUGH:
        yield (
            f"Only {_units(fewest)} say anything about {line(fewest.a, 30)} and {line(fewest.b, 30)}: with fewer than "
            f"{ENOUGH} an interval is a guess."
        )


def _searches_alone(result: InterleavingResult) -> Iterator[str]:
    """Say where searches as the unit would decide and users do not."""
    for one in [] if result.unfair else result.preferences:
        if one.analysis == "search" and result.unit != "search" and one.winner(result.level):
            deciding = next(other for other in result.deciding if (other.a, other.b) == (one.a, one.b))
            if not deciding.winner(result.level):
                yield (
                    f"Search by search, {line(one.winner(result.level), 30)} would be called better "
                    f"(p {'' if p_value(one.p_adjusted).startswith('<') else '= '}{p_value(one.p_adjusted)}); but "
                    f"searches of one {result.unit} are alike, and count as less than that many observations."
                )


def _corrected(result: InterleavingResult) -> Iterator[str]:
    if len(result.deciding) > 1 and result.correction != "none":
        yield f"p is corrected for {len(result.deciding)} pairs of rankers ({result.correction})."


def _reading(result: InterleavingResult, whole: bool) -> Iterator[str]:
    shown = whole or len(result.credit.rankers) == 2
    if shown and any(one.analysis == "paired" for one in result.preferences):
        yield (
            "Clicks per pair: clicks on documents of the first ranker less those of the second, for each pair of "
            "documents that the two drafted; 0 means no difference."
        )
    if result.credit.method == "balanced":
        yield (
            "Balanced interleaving favours a ranking that is the other one moved up by a rank, also when users click "
            "by chance; team_draft does not."
        )


def _unused(result: InterleavingResult) -> Iterator[str]:
    unused = result.credit.left_out
    if n := unused.get("not_interleaved"):
        yield f"Not used: {count(n, 'search', 'searches')} without teams, which were not interleaved."
    if n := unused.get("no_rankings"):
        yield f"Not used: {count(n, 'search', 'searches')} of which the rankings do not say what the rankers returned."
    if n := unused.get("repeated_clicks"):
        yield f"Counted once: {count(n, 'click')} on a rank that had been clicked before."


def _drawn(result: InterleavingResult) -> str:
    lines = [
        Line(
            f"{line(one.a, 15)} – {line(one.b, 15)}",
            one.value - ANALYSES[one.analysis],
            one.low - ANALYSES[one.analysis],
            one.high - ANALYSES[one.analysis],
            _share(one.value),
            bool(result.winner(one)),
        )
        for one in result.deciding
    ]
    level = percent_level(result.level)
    return forest("preference", f"Share won less one half, with {level} intervals", lines, -0.5, 0.5, zero=True)


def _searches(one: Design) -> list[str]:
    """Write the searches needed, and their bounds from the simulation."""
    if one.searches is None:
        return [DASH, f"more than {about(one.at_least)}" if one.at_least else DASH]
    if one.at_least == one.at_most or one.at_least is None or one.at_most is None:
        return [about(one.searches), DASH]
    return [about(one.searches), f"{about(one.at_least)} and {about(one.at_most)}"]


def _factor(plan: SensitivityPlan) -> str:
    a, b = line(plan.a, 40), line(plan.b, 40)
    inter, ab = plan.interleaving, plan.ab
    if inter.searches is None:
        least = f" more than {about(inter.at_least)} searches are needed" if inter.at_least else " no number is known"
        return f"Interleaving did not tell {a} from {b} in {plan.options.searches:,} simulated searches:{least}."
    better = a if inter.effect > 0 else b
    text = f"Interleaving needs about {about(inter.searches)} searches to tell that users prefer {better}"
    if ab.searches is None:
        return f"{text}; an A/B test on click-through would never tell: both have the same."
    text += f"; an A/B test on click-through needs about {about(ab.searches)}"
    if plan.factor >= 1:
        return f"{text}, {number(plan.factor, 1)} times as many."
    return (
        f"{text}, and so fewer. That is so where one ranker often finds nothing, or nothing good: users click less on "
        "its lists, but an interleaved list has the good documents of the other one."
    )


def _directions(plan: SensitivityPlan) -> Iterator[str]:
    if plan.interleaving.searches is not None and plan.interleaving.effect * plan.ab.effect < 0:
        yield (
            "The two designs do not say the same: the ranker that wins by interleaving has the lower click-through. "
            "Decide first which of the two is what you want."
        )


def _simulation(plan: SensitivityPlan) -> str:
    clicks, options = plan.options.clicks, plan.options
    return (
        f"Simulated: {count(options.searches, 'search', 'searches')} of {count(plan.queries, 'query', 'queries')} by "
        f"{plan.method}, {count(options.length, 'document')} a page, each by a user of its own. A user looks at rank r "
        f"with the chance r^-{clicks.decay:g}, and clicks on what is seen with the chance {clicks.noise:g} to "
        f"{clicks.best:g} by its grade. Your users differ: set --noise, --best and --decay to what your log says, and "
        "plan for more, because searches of one user are alike."
    )


def _chance(plan: SensitivityPlan) -> str:
    chance = plan.chance
    if chance.searches is None:
        return (
            f"Users who click by chance prefer nobody on these rankings: {signed(chance.effect)} "
            f"({span(chance.low, chance.high)})."
        )
    return (
        f"Users who click by chance would seem to prefer {line(plan.a if chance.effect > 0 else plan.b, 40)} on these "
        f"rankings: {signed(chance.effect)} ({span(chance.low, chance.high)}). One such check in twenty looks so by "
        f"chance; repeat it with another --seed{', or take team_draft' if plan.method == 'balanced' else ''}."
    )
