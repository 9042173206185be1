"""Keep in a run which answers were drawn for a judge, with the chance of each, and read it again."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from neraca.datasets.sample_table import COLUMNS, Draw, read_sample
from neraca.datasets.table_writer import write_table
from neraca.files import fingerprint
from neraca.runs.judge_draw import DrawRecord, JudgeDraw
from neraca.runs.run import Run


def record_draw(run: Run, draw: JudgeDraw, source: str, sources: Collection[str] = ()) -> None:
    """Store a draw in the run, with the chance of each question; only while `writing()`.

    `sources` are further sources that the judge's verdicts name.
    """
    name = f"draw-{fingerprint(source)}.csv"
    chance = len(draw.order) / draw.of
    rows = [
        {"item": item, "draw": draw.order.get(unit, ""), "stratum": "", "probability": chance}
        for item, unit in draw.units.items()
    ]
    write_table(run.path / name, sorted(rows, key=lambda row: row["draw"] or math.inf), COLUMNS[:-1])
    record = DrawRecord(
        n=len(draw.order),
        of=draw.of,
        unit=draw.unit,
        seed=draw.settings.seed,
        sources=tuple(sorted({source, *sources})),
        file=name,
    )
    run.update(draws={**run.manifest.draws, source: record})


def remove_draw(run: Run, source: str) -> None:
    """Remove the record of a draw, because the judge has now decided on all answers; only while `writing()`."""
    if record := run.manifest.draws.get(source):
        run.update(draws={name: draw for name, draw in run.manifest.draws.items() if name != source})
        (run.path / record.file).unlink(missing_ok=True)


def read_draw(run: Run, source: str) -> Mapping[str, Draw]:
    """Return question id → its sampling; questions that are not in it had no chance to be drawn."""
    return read_sample(run.path / run.manifest.draws[source].file)
