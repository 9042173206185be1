"""Set the variants of questions in a run beside their questions, as if each variant were a run of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from neraca.errors import InputError
from neraca.metrics.counts import Counts
from neraca.records import VARIANT, VARIANT_OF
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import Ints


def by_variant(scores: Scores) -> Scores:
    """Return the scores with a run for each variant, in which a variant stands in the place of its question.

    A question without a variant is unscored in the run of that variant, so that only pairs are compared.  One
    observation is what it is for the questions themselves, such as their session.

    Raises
    ------
    InputError
        If a run has no variants.
    """
    runs = tuple(part for run in scores.runs for part in _parts(run))
    return replace(scores, runs=runs, labels=None)


def _parts(run: RunScores) -> Iterator[RunScores]:
    """Yield the questions of a run, and each of their variants."""
    if VARIANT not in run.tags or VARIANT_OF not in run.tags:
        raise InputError(
            f"{run.name}: its questions have no variants (the tags {VARIANT} and {VARIANT_OF}); "
            "make some: neraca generate … --variants typo,keywords"
        )
    variants = [run.tags[VARIANT][place] for place in range(len(run))]
    question = [run.tags[VARIANT_OF][place] for place in range(len(run))]
    first = variants[0]
    originals = [place for place, variant in enumerate(variants) if variant == first]
    for name in dict.fromkeys(variants):
        place_of = {question[place]: place for place, variant in enumerate(variants) if variant == name}
        places = np.array([place_of.get(question[place], -1) for place in originals], dtype=np.int64)
        yield RunScores(
            name=f"{run.name} ({name})",
            ids=[question[place] for place in originals],
            counts={metric: _counts(run, metric, places) for metric in run.counts},
            clusters=run.clusters[originals],
            tags={tag: of.take(originals) for tag, of in run.tags.items() if tag not in (VARIANT, VARIANT_OF)},
            sessions=None if run.sessions is None else run.sessions[originals],
        )


def _counts(run: RunScores, metric: str, places: Ints) -> Counts:
    """Return the counts of the items at some places; -1: the question has no such variant."""
    rows = run.rows(metric)[places]
    rows[places < 0] = np.nan
    why = run.why(metric)
    reasons = {
        row: why.get(place, "left out") if place >= 0 else "the question has no such variant"
        for row, place in enumerate(places.tolist())
        if np.isnan(rows[row]).any()
    }
    return Counts(run.counts[metric].metric, rows, reasons)
