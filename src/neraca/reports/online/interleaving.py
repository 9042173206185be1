"""The report of an interleaving experiment: who won, by which analyses, and whether the draft was fair."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.counts_and_lists import listed
from neraca.metaeval.correlations import Correlations
from neraca.number_format import DASH, integer, p_value, percent_level, signed
from neraca.online.interleaving.interleaving_result import ANALYSES, InterleavingResult, Preference
from neraca.reports.blocks.block import Block, Document, Figure, Heading, Sentences, opening
from neraca.reports.figures.forest import Line, forest
from neraca.reports.formats.visible_text import line
from neraca.reports.online.interleaving_sentences import (
    ANALYSIS_NAMES,
    agreeing,
    basis,
    checks,
    lead,
    lost_teams,
    outside_n,
    unfair_sentence,
    write_bounds,
    write_share,
)
from neraca.reports.online.log_contents import contents_sentences
from neraca.reports.online.log_section import log_blocks
from neraca.reports.online.offline_online import section
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: Sections that the terminal leaves out.
ON_PAGES = ("all",)


def interleaving_document(
    result: InterleavingResult, language: str = "en", predicted: Correlations | None = None
) -> Document:
    """Make the blocks of the report.

    Parameters
    ----------
    result
        The result.
    language
        The language of the report, one of `LANGUAGES`.
    predicted
        Offline metrics beside what users preferred, if they were correlated.
    """
    with written_in(language):
        rankers = listed([line(name, 40) for name in result.credit.rankers])
        title = say("Interleaving: {rankers}", rankers=rankers)
        return Document(title, tuple(_blocks(result, predicted)), language)


def _blocks(result: InterleavingResult, predicted: Correlations | None) -> Iterator[Block]:
    contents = contents_sentences(result.log.contents, result.log.exclusions, result.log.unused) if result.log else []
    decision, *more = opening(
        lead(result),
        _forest(result),
        shown="" if result.unfair else agreeing(result),
        unshown="" if result.unfair else _unshown(result),
        notes=[*(unfair_sentence(check) for check in result.unfair), *lost_teams(result)],
    )
    yield from (decision, Sentences((*contents[:1], basis(result)), "words"), *more)
    two = len(result.credit.rankers) == 2
    yield Heading(say("Preferences"), "preferences", say("Preferences"))
    if two:
        yield all_analyses(result)
        yield from _reading(result)
    else:
        yield _pairs(result)
    yield Heading(say("Checks"), "checks", say("Checks"))
    yield Sentences(tuple(checks(result)))
    if not two:
        yield Heading(say("All analyses"), "all", say("Analyses"))
        yield all_analyses(result)
        yield from _reading(result)
    if predicted:
        yield from section(predicted)
    if result.log:
        yield from log_blocks(result.log.events, result.log.exclusions, contents[1:])


def _unshown(result: InterleavingResult) -> str:
    """Name the pairs of which neither ranker is shown to be preferred; "" if there are none."""
    undecided = [
        say("{a} and {b}", a=line(preference.a, 30), b=line(preference.b, 30))
        for preference in result.deciding
        if not preference.winner(result.level)
    ]
    return say("A preference between {pairs}.", pairs="; ".join(undecided)) if undecided else ""


def all_analyses(result: InterleavingResult) -> Table:
    """Return all analyses of all pairs of rankers."""
    two = len(result.credit.rankers) == 2
    rows = [
        [*([] if two else [_pair(preference)]), _name(preference, result), *_numbers(preference)]
        for preference in result.preferences
    ]
    names = say_all("analysis") if two else say_all("pair", "analysis")
    first = line(result.credit.rankers[0], 20) if two else say("the first")
    title = say("{title}; * decides", title=_title(result))
    return Table([*names, *_columns(first)], rows, title, len(names), name="analyses")


def _pairs(result: InterleavingResult) -> Table:
    """Return the deciding analysis of each pair of rankers."""
    rows = [[_pair(preference), *_numbers(preference)] for preference in result.deciding]
    title = f"{_title(result)}; {say(ANALYSIS_NAMES[result.unit])}"
    return Table([say("pair"), *_columns(say("the first"))], rows, title, name="pairs")


def _title(result: InterleavingResult) -> str:
    level = percent_level(result.level)
    if result.looks == "daily":
        return say(
            "Share of credit won, {level} intervals valid whenever you look"
            if result.credit.graded
            else "Share of searches won, {level} intervals valid whenever you look",
            level=level,
        )
    return say(
        "Share of credit won, {level} intervals"
        if result.credit.graded
        else "Share of searches won, {level} intervals",
        level=level,
    )


def _columns(first: str) -> list[str]:
    return [say("won by {ranker}", ranker=first), *say_all("interval", "p", "n", "won", "tied", "lost")]


def _pair(preference: Preference) -> str:
    return f"{line(preference.a, 20)} – {line(preference.b, 20)}"


def _name(preference: Preference, result: InterleavingResult) -> str:
    return say(ANALYSIS_NAMES[preference.analysis]) + (" *" if preference.analysis == result.unit else "")


def _numbers(preference: Preference) -> list[str]:
    """Write the numbers of an analysis, as in `_columns`."""
    return [
        signed(preference.value) if preference.analysis == "paired" else write_share(preference.value),
        write_bounds(preference, preference.low, preference.high) or DASH,
        p_value(preference.p_adjusted) if math.isfinite(preference.p_adjusted) else DASH,
        *(integer(n) for n in (preference.n, preference.wins, preference.ties, preference.losses)),
    ]


def _reading(result: InterleavingResult) -> Iterator[Sentences]:
    """Say who is not in n, and explain the row on clicks per pair, if there is one."""
    if sentence := outside_n(result):
        yield Sentences((sentence,))
    if any(preference.analysis == "paired" for preference in result.preferences):
        explanation = say(
            "Clicks per pair: clicks on documents of the first ranker less those of the second, for each pair of "
            "documents that the two drafted; 0 means no difference."
        )
        yield Sentences((explanation,))


def _forest(result: InterleavingResult) -> Figure:
    lines = [
        Line(
            line(preference.a),
            preference.value - ANALYSES[preference.analysis],
            preference.low - ANALYSES[preference.analysis],
            preference.high - ANALYSES[preference.analysis],
            signed(preference.value - ANALYSES[preference.analysis]),
            bool(result.winner(preference)),
            line(preference.b),
        )
        for preference in result.deciding
    ]
    level = percent_level(result.level)
    title = say("Share won less one half, with {level} intervals", level=level)
    caption = say("How far the first ranker's share is above or below one half, with {level} intervals", level=level)
    drawn = forest("preference", title, say("Share won less one half"), lines, (-0.5, 0.5), zero=True)
    return Figure("preference", caption, drawn)
