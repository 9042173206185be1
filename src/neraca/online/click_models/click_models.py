"""Fit click models to a log: how far its users look, and which model predicts their clicks best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neraca.number_format import number
from neraca.online.click_models.click_log import ClickLog, ClickLogOptions, click_log
from neraca.online.click_models.fits import ModelFit, fit_models, read_names, with_intervals
from neraca.online.click_models.model import CLICK_MODELS
from neraca.online.search_log import SearchLog
from neraca.result import Table, Tabular


@dataclass(frozen=True, eq=False, repr=False)
class ClickModels(Tabular):
    """Click models fitted to a log.

    Attributes
    ----------
    log
        The counts of the log.
    fits
        The fits, the one with the best prediction first; this one has intervals.
    refused
        Name → why the model could not be fitted.
    level
        Level of the intervals.
    """

    log: ClickLog
    fits: tuple[ModelFit, ...]
    refused: Mapping[str, str]
    level: float

    @property
    def best(self) -> ModelFit:
        """The model that predicts best."""
        return self.fits[0]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each model and rank."""
        return [
            {
                "model": fit.name,
                "rank": place + 1,
                "looks": float(fit.views.value[place]),
                "looks_low": float(fit.views.low[place]),
                "looks_high": float(fit.views.high[place]),
                "perplexity": float(fit.prediction.by_rank[place]),
                "log_likelihood": fit.prediction.log_likelihood,
            }
            for fit in self.fits
            for place in range(len(fit.views.value))
        ]

    def _tables(self) -> list[Table]:
        columns = ["model", "rank", "looks", "low", "high"]
        rows = [
            [row["model"], str(row["rank"]), *(number(row[name]) for name in ("looks", "looks_low", "looks_high"))]
            for row in self.rows()
        ]
        return [Table(columns, rows, "How far users look", 2)]


def click_models(
    log: SearchLog,
    models: Sequence[str] = ("all",),
    *,
    depth: int = 10,
    held_out: float = 0.2,
    level: float = 0.95,
    seed: int = 0,
) -> ClickModels:
    """Fit click models to a log, and give the best one intervals.

    Parameters
    ----------
    log
        A log of searches with the documents shown and clicked.
    models
        Names of models: PBM, CM, DCM, DBN, SDBN, CCM, or all.
    depth
        Lowest rank that is read.
    held_out
        Share of the sessions on which predictions are tested.
    level
        Level of the intervals.
    seed
        Seed of the choice of these sessions.

    Raises
    ------
    SpecError
        A model is unknown, or a number is out of range.
    InputError
        The log shows or clicks no document, or no model can be fitted.
    """
    names = read_names(models)
    patterns = any(CLICK_MODELS.get(name).needs_patterns for name in names)
    counts = click_log(log, ClickLogOptions(depth, held_out, seed, patterns))
    fits, refused = fit_models(counts, names)
    return ClickModels(counts, (with_intervals(fits[0], counts, level=level), *fits[1:]), refused, level)
