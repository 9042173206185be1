"""Make the section of a report on preferences: which runs people or a judge prefer, pair by pair."""

from __future__ import annotations

from neraca.comparisons.preferences import preferences
from neraca.errors import NeracaError
from neraca.number_format import percent_level
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.sentences.preferences import pair_table, sentences, table
from neraca.result import Table
from neraca.runs.preferred import preferred_over
from neraca.runs.run import Run
from neraca.scores.scores import Scores
from neraca.translation import say


def section(scores: Scores) -> FinishedSection | None:
    """Rank the runs by preferences, as `neraca prefer` does; None if nobody compared two of their answers.

    The source is that of the verdicts of the scores.  If the runs cannot be ranked, such as if several judges compared
    them, the section says why.
    """
    parts = [run.scorable for run in scores.runs if run.scorable is not None and run.scorable.offers("verdicts")]
    runs: list[Run] = [part.column("run") for part in parts]
    aspects = {preferred_over(run.name) for run in runs}
    is_compared = any(aspects & {*part.column("verdicts").table.aspect.words} for part in parts)
    if len(runs) < 2 or len(runs) < len(scores.runs) or len(aspects) < len(runs) or not is_compared:
        return None
    try:
        ranked = preferences(runs, by=parts[0].column("selection").by, level=scores.level, unit=scores.unit.asked)
    except NeracaError as error:
        return FinishedSection((), (say("Preferences on pairs of answers cannot rank the runs: {why}.", why=error),))
    level = percent_level(scores.level)
    title = say("how often answers are preferred, and strength in log odds with {level} intervals", level=level)
    pairs = [pair_table(ranked)] if len(runs) > 2 else []
    return FinishedSection(
        (Table(*table(ranked), f"{title[0].upper()}{title[1:]}", name="preferences"), *pairs),
        tuple(sentences(ranked)),
        {"preferences": ranked.rows(), "pairs": [pair.row() for pair in ranked.pairs]},
    )
