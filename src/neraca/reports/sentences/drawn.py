"""Say which scores rest on a random part of the answers."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count, form
from neraca.number_format import percent_level, span
from neraca.runs.judge_draw import DrawRecord
from neraca.scores.drawn import DrawnScore, drawn_scores
from neraca.scores.scores import Scores
from neraca.translation import say


def drawn_notes(scores: Scores) -> Iterator[str]:
    """Say for each run on how many drawn answers its metrics rest, and where they would lie with all judged."""
    draws = drawn_scores(scores)
    for drawn in draws:
        yield _of_draw(drawn, scores.level)
    if _is_split(draws):
        yield say(
            "the runs were judged on different random parts, and only questions drawn in both are compared: judge "
            "them with the same --seed and --draw"
        )


def _of_draw(drawn: DrawnScore, level: float) -> str:
    """Say what was drawn, by which seed and judge, and the interval of all answers."""
    parts = [_sentence(drawn, source, record) for source, record in drawn.part.records.items()]
    if drawn.all_judged:
        bounds = ", ".join(f"{name} {span(*bounds)}" for name, bounds in drawn.all_judged.items())
        parts.append(
            say(
                "with all of them judged, this judge would give {bounds} ({level} intervals, corrected for the finite "
                "number of answers)",
                bounds=bounds,
                level=percent_level(level),
            )
        )
    if later := drawn.part.later:
        parts.append(
            say(
                "{answers} no chance to be drawn (they came later, or cannot be scored): draw again to include them",
                answers=count(later, "answer had", "answers had"),
            )
        )
    return "; ".join(parts)


def _sentence(drawn: DrawnScore, source: str, record: DrawRecord) -> str:
    return say(
        "{run}: {metrics} {rest} on {n:,} of {units}, drawn at random (seed {seed}) for the judge {judge}",
        run=drawn.run,
        metrics=", ".join(drawn.metrics),
        rest=form(len(drawn.metrics), "rests", "rest"),
        n=record.n,
        units=count(record.of, record.unit),
        seed=record.seed,
        judge=source,
    )


def _is_split(draws: list[DrawnScore]) -> bool:
    """Return whether one metric rests on draws with different seeds in two runs."""
    seeds: dict[str, set[int]] = {}
    for drawn in draws:
        for metric in drawn.metrics:
            seeds.setdefault(metric, set()).update(record.seed for record in drawn.part.records.values())
    return any(len(of_metric) > 1 for of_metric in seeds.values())
