"""Name the columns of the user's own file of questions."""

from __future__ import annotations

from neraca.reports.formats.visible_text import line
from neraca.runs.run import Run
from neraca.scores.scores import RunScores
from neraca.translation import say


def expects_column(scored: RunScores) -> str:
    """Return the column that says what a good answer returns, by the name that it has in the file of questions.

    Runs of before files' names were kept, and runs of other sources, do not know it.
    """
    part = scored.scorable
    run = part.column("run") if part is not None and part.offers("run") else None
    columns = run.manifest.columns if isinstance(run, Run) else {}
    if name := columns.get("expects"):
        return say("the column {name}", name=line(name))
    if columns:
        return say("the column expects (your file has none yet)")
    return say("the column expects (it may have another name in your file)")
