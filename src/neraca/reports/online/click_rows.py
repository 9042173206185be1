"""Flat rows on how users look and click, for machines."""

from __future__ import annotations

from typing import Any

from neraca.online.click_models.fits import Bounded
from neraca.reports.online.click_models import UserFindings


def rows(users: UserFindings) -> list[dict[str, Any]]:
    """Return a row for each model, rank and parameter."""
    made: list[dict[str, Any]] = []
    for fit in users.fits:
        made.append(
            {
                "row": "model",
                "model": fit.name,
                "searches": fit.prediction.searches,
                "perplexity": fit.prediction.perplexity,
                "log_likelihood": fit.prediction.log_likelihood,
                "converged": fit.model.converged,
            }
        )
        made += [
            {"row": "rank", "model": fit.name, **one, "perplexity": float(fit.prediction.by_rank[place])}
            for place, one in enumerate(_rank_rows(fit.views, fit.continuation))
        ]
        made += [
            {"row": "parameter", "model": fit.name, "name": name, **_bounded("value", one, place), "rank": place + 1}
            for name, one in fit.parameters.items()
            for place in range(len(one.value))
        ]
    if users.log is not None:
        sample = users.log.fitted
        made += [
            {"row": "clicks", "rank": place + 1, "impressions": int(shown), "clicks": int(clicked)}
            for place, (shown, clicked) in enumerate(zip(sample.shown_at, sample.clicked_at, strict=True))
        ]
    if users.views is not None:
        ranks = _rank_rows(users.views.views, users.views.continuation)
        made += [{"row": "rank", "model": "views", **one} for one in ranks]
    return made


def _rank_rows(looks: Bounded, reads_on: Bounded) -> list[dict[str, Any]]:
    last = len(reads_on.value)
    none = {"reads_on": None, "reads_on_low": None, "reads_on_high": None}
    return [
        {"rank": place + 1, **_bounded("looks", looks, place)}
        | (_bounded("reads_on", reads_on, place) if place < last else none)
        for place in range(len(looks.value))
    ]


def _bounded(name: str, one: Bounded, place: int) -> dict[str, float]:
    return {
        name: float(one.value[place]),
        f"{name}_low": float(one.low[place]),
        f"{name}_high": float(one.high[place]),
    }
