"""Judges behind whose name a server had more than one model."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import source_words
from neraca.runs.run import Run
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.source import judge_of


def more_than_one_model(scores: Scores) -> Iterator[str]:
    """Say of each judge whose verdicts in these runs are of several models: they are not those of one judge."""
    ids_by_judge: dict[str, dict[str, None]] = {}
    for part in (run.scorable for run in scores.runs):
        run = part.column("run") if part is not None and part.offers("run") else None
        for by, ids in run.manifest.served.items() if isinstance(run, Run) else ():
            ids_by_judge.setdefault(judge_of(by), {}).update(dict.fromkeys(ids))
    for by, names in ids_by_judge.items():
        if len(names) > 1:
            yield say(
                "the server had several models behind the name {judge} ({ids}), so its verdicts are not of one judge: "
                "judge again, each model under a name of its own (--model openai:NAME)",
                judge=source_words(by),
                ids=line(", ".join(names), 120),
            )
