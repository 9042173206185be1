"""Words and tables on how users of a site look and click."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.number_format import integer, number, percent, percent_level, span, with_interval
from neraca.online.click_models.click_log import ClickLog
from neraca.online.click_models.fits import Bounded, ModelFit
from neraca.online.click_relevance import Matched
from neraca.online.continuation import Continuation
from neraca.online.view_probability import ViewProbability
from neraca.reports.blocks.block import Document, Figure, Heading, Sentences, opening
from neraca.reports.counts_and_lists import count, form, listed
from neraca.reports.figures.forest import Line, forest
from neraca.result import Table

#: A query that was searched for less often says little about its documents.
RARE = 10
#: Effective queries from which intervals by the sandwich variance hold (`benchmarks/click_intervals.py`).
FEW_QUERIES = 3
#: Log-likelihoods of a search that differ by less are called equal.
SAME = 0.005
#: Parameter → its meaning.
PARAMETERS = {
    "after_click": "goes on after a click",
    "going_on": "goes on, if no click satisfied",
    "after_skip": "goes on without a click",
    "after_satisfied": "goes on after a click that satisfied",
}
LEFT_OUT = {
    "empty": ("that showed nothing", "they have no part in models of clicks"),
    "gap": ("of which the first result is not known", "log every document that was shown"),
}


@dataclass(frozen=True)
class UsersFound:
    """Results about users: from a log, from a table of views, or from both.

    Attributes
    ----------
    log, fits, refused
        A log, the models fitted to it (the best prediction first; that one has intervals), and name → why one could
        not be fitted.
    views
        Of the table of views.
    level
        Of the intervals.
    """

    log: ClickLog | None
    fits: Sequence[ModelFit]
    refused: Mapping[str, str]
    views: ViewProbability | None
    level: float = 0.95

    @property
    def best(self) -> ModelFit | None:
        """The fitted model that predicts best."""
        return self.fits[0] if self.fits else None

    @property
    def looks(self) -> Bounded:
        """V by rank: measured if there is a table of views, else that of the best model."""
        if self.views is not None:
            return self.views.views
        return self.fits[0].views

    @property
    def reads_on(self) -> Bounded:
        """C by rank, of the same source as `looks`."""
        if self.views is not None:
            return self.views.continuation
        return self.fits[0].continuation

    def continuation(self) -> Continuation:
        """Return the user model for a file; raises `SpecError` where fewer than two ranks are known."""
        looks = self.looks
        if self.views is not None:
            source = {
                "model": "views",
                "how": "share of the ranks shown that were seen",
                "unit": "sessions" if self.views.by_session else "rows",
            }
            n = self.views.sessions
        else:
            fit = self.fits[0]
            source = {"model": fit.name, "how": f"{fit.model.title}: {fit.model.how}", "unit": "searches"}
            n = self.log.fitted.searches if self.log else 0
        return Continuation.of_views(looks.value, looks.low, looks.high, n=n, **source)


def tables(users: UsersFound) -> list[Table]:
    """Return the table by rank, that of the models, and that of their other parameters."""
    return [_by_rank(users), *([_models(users)] if users.fits else []), *_parameters(users)]


def _by_rank(users: UsersFound) -> Table:
    depths = [len(one.views.value) for one in (*users.fits, users.views) if one is not None]
    columns, rows = ["rank"], [[str(rank)] for rank in range(1, max(depths) + 1)]
    if users.log is not None:
        sample = users.log.fitted
        columns += ["impressions", "click-through"]
        for place, row in enumerate(rows):
            there = place < sample.depth and sample.shown_at[place]
            row += [integer(sample.shown_at[place]), number(sample.clicked_at[place] / there)] if there else ["–", "–"]
    best = users.best
    if best is not None:
        columns += [f"looked at ({best.name})", "reads on"]
        _add(rows, best.views, best.continuation)
    if users.views is not None:
        columns += ["looked at (views)", "reads on"]
        _add(rows, users.views.views, users.views.continuation)
    return Table(columns, rows, "How far users look", name="ranks")


def _add(rows: Sequence[list[str]], looks: Bounded, reads_on: Bounded) -> None:
    for place, row in enumerate(rows):
        for one in (looks, reads_on):
            if place < len(one.value):
                row.append(with_interval(number(one.value[place]), span(one.low[place], one.high[place])))
            else:
                row.append("–")


def _models(users: UsersFound) -> Table:
    rows = [
        [
            fit.name,
            number(fit.prediction.log_likelihood),
            number(fit.prediction.perplexity),
            f"{number(fit.prediction.by_rank[0])} … {number(_last(fit.prediction.by_rank))}",
        ]
        for fit in users.fits
    ]
    columns = ["model", "log-likelihood of a search", "perplexity", "at first … last rank"]
    return Table(columns, rows, f"How well models predict clicks: {_tested_on(users)}", name="models")


def _last(values: np.ndarray[Any, Any]) -> float:
    estimates = values[~np.isnan(values)]
    return float(estimates[-1]) if len(estimates) else np.nan


def _tested_on(users: UsersFound) -> str:
    log = users.log
    if log is None:
        return ""
    if log.held_out.searches:
        return f"{count(log.held_out.searches, 'search', 'searches')} that were held out"
    return "the searches that they were fitted on"


def _parameters(users: UsersFound) -> list[Table]:
    best = users.best
    rows = [] if best is None else [list(row) for row in _parameter_rows(best)]
    return (
        [Table(["parameter", "rank", "value", "interval"], rows, f"What else {best.name} says", 2, name="parameters")]
        if best and rows
        else []
    )


def _parameter_rows(fit: ModelFit) -> Iterator[tuple[str, str, str, str]]:
    for name, one in fit.parameters.items():
        for place in np.flatnonzero(~np.isnan(one.value)).tolist():
            rank = str(place + 1) if len(one.value) > 1 else ""
            interval = span(one.low[place], one.high[place])
            yield PARAMETERS[name], rank, number(one.value[place]), interval


def sentences(users: UsersFound) -> list[str]:
    """Return what users do, which model fits best, and what it rests on."""
    return [habits(users), *_fitting(users), *notes(users)]


def habits(users: UsersFound) -> str:
    """Say how far down users look, in tenths.

    "All" are those who look at the first rank for a model in which everybody does.
    """
    looks = users.looks.value
    estimated = np.flatnonzero(~np.isnan(looks))
    chosen = [place for place in (0, 1, 2, 4, 9, len(looks) - 1) if place in estimated]
    first, *others = [f"{_tenths(looks[place])} at rank {place + 1}" for place in dict.fromkeys(chosen)]
    source = "by the table of views" if users.views is not None else f"by {users.fits[0].name}"
    return f"Of 10 users, {listed([first.replace(' at', ' look at', 1), *others], 8)} ({source})."


def _tenths(share: float) -> str:
    tenths = 10 * share
    if tenths < 0.5:
        return "fewer than 1"
    return f"{tenths:.0f}" if abs(tenths - 10) > 0.5 or share == 1 else "nearly 10"


def _fitting(users: UsersFound) -> Iterator[str]:
    best = users.best
    if best is None:
        return
    if len(users.fits) == 1:
        yield f"The model is {best.name} ({best.model.title}): {best.model.idea}."
        return
    near = [fit.name for fit in users.fits[1:] if best.prediction.log_likelihood - fit.prediction.log_likelihood < SAME]
    yield (
        f"{best.name} predicts best ({best.model.title}): {best.model.idea}. Its perplexity is "
        f"{number(best.prediction.perplexity)}; 1 is perfect, 2 a coin."
        + (f" {listed(near)} {form(len(near), 'predicts', 'predict')} about as well." if near else "")
    )


def notes(users: UsersFound) -> Iterator[str]:
    """Say what a reader must know before trusting the numbers."""
    for name, why in users.refused.items():
        yield f"{name} could not be fitted: {why.removeprefix(f'{name}: ')}."
    log, best = users.log, users.best
    if log is not None and best is not None:
        yield from _about_fit(best, users.level)
        rare = (log.searches_of_query > 0) & (log.searches_of_query < RARE)
        if rare.any():
            share = percent(float(log.searches_of_query[rare].sum()) / max(1, log.fitted.searches))
            yield (
                f"{int(rare.sum()):,} of {count(len(log.searches_of_query), 'query', 'queries')} came fewer than "
                f"{RARE} times ({share} of the searches): little is known of their documents."
            )
        for reason, n in log.left_out.items():
            what, remedy = LEFT_OUT[reason]
            yield f"Left out: {count(n, 'search', 'searches')} {what}; {remedy}."
    if users.views is not None:
        level = percent_level(users.level)
        if users.views.by_session:
            sessions = count(users.views.sessions, "session")
            yield f"The views are those of {sessions}; {level} intervals are by session."
        else:
            looks = count(users.views.sessions, "row")
            yield (
                f"The views are those of {looks} without a session: {level} intervals take each row for itself, and "
                "are too narrow if a person has several. A column `session` mends that."
            )


def _about_fit(best: ModelFit, level: float) -> Iterator[str]:
    if best.name == "PBM":
        yield "PBM sees ranks only beside each other: everybody is taken to look at rank 1."
    if np.isnan(best.views.value).any():
        unknown = [str(rank + 1) for rank in np.flatnonzero(np.isnan(best.views.value))]
        yield (
            f"Nothing can be said of {form(len(unknown), 'rank')} {listed(unknown)}: no clicked document stood there "
            "and at another rank for the same query; show the results of some searches in another order."
        )
    if not best.model.converged:
        yield f"The fit of {best.name} did not converge: take its numbers for rough ones."
    if best.groups:
        yield (
            f"Intervals are {percent_level(level)}, by leaving out {best.groups} groups of queries one after the other "
            "(jackknife)."
        )
    elif best.queries:
        yield (
            f"Intervals are {percent_level(level)}, by how much the queries differ from each other (sandwich variance)."
        )
        if best.queries < FEW_QUERIES:
            yield (
                f"The intervals rest on few queries, in effect on {number(best.queries, 1)}: they hold from "
                f"{FEW_QUERIES} on, and are rough below; log more queries that show documents in several orders."
            )
    else:
        yield "There are no intervals: the log has too few queries."


def next_steps(users: UsersFound, written: Sequence[str]) -> list[str]:
    """Say what can be done with the results."""
    file = next((name for name in written if name.endswith(".json")), "")
    if file:
        return [
            f'Score with these users: neraca score RUN -m "CWL({file})", or neraca trec QRELS RUN -m "CWL({file})".'
        ]
    return ["Make these users a metric: --to users.json. Let clicks judge a run: --judge RUN."]


def judged(run: str, how: str, matched: Matched, new: int, least: int) -> str:
    """Say what clicks decided about a run."""
    too_few = ""
    if matched.too_few:
        rare = f"{count(matched.too_few, 'document')} shown fewer than {least} times"
        too_few = f"; {rare} {form(matched.too_few, 'is', 'are')} left out"
    unknown = f"; {count(matched.unknown, 'question')} nobody searched for" if matched.unknown else ""
    return (
        f"{run}: {count(len(matched.verdicts), 'verdict')} by clicks:{how} on {count(matched.items, 'question')}, "
        f"{new:,} new{too_few}{unknown}. They count where asked for: neraca score {run} -m P@5 --relevance clicks."
    )


def rows(users: UsersFound) -> list[dict[str, Any]]:
    """Return flat rows for machines: of ranks, of models, of parameters."""
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


def clicks_document(users: UsersFound) -> Document:
    """Make the blocks of the report: how far users look first, then the models."""
    by_rank, *others = tables(users)
    drawn = forest("looks", "Looks by rank", list(_lines(users.looks)), 0.0, 1.0)
    figure = Figure("looks", "The share of users who look at each rank", drawn)
    blocks = [
        *opening(habits(users), figure, notes=list(notes(users))),
        Heading("How far users look", "ranks", "Ranks"),
        by_rank._replace(title=""),
    ]
    if others:
        heading = Heading("How well models predict clicks", "models", "Models")
        blocks += [heading, Sentences(list(_fitting(users))), *others]
    return Document("How users look and click", tuple(blocks))


def _lines(looks: Bounded) -> Iterator[Line]:
    for rank, (value, low, high) in enumerate(zip(looks.value, looks.low, looks.high, strict=True), start=1):
        if not np.isnan(value):
            yield Line(f"rank {rank}", value, low, high, with_interval(number(value), span(low, high)), False)
