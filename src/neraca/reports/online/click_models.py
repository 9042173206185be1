"""Report how users of a site look and click: sentences, tables and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.counts_and_lists import count, form, listed
from neraca.number_format import integer, number, percent, percent_level, span, with_interval
from neraca.online.click_models.click_log import ClickLog
from neraca.online.click_models.fits import Bounded, ModelFit
from neraca.online.click_relevance import Matched
from neraca.online.continuation import Continuation
from neraca.online.view_probability import ViewProbability
from neraca.reports.blocks.block import Block, Document, Figure, Heading, Sentences, opening
from neraca.reports.figures.forest import Line, forest
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: A query with fewer searches says little about its documents.
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
#: Reason → the sentence on the searches that were left out.
LEFT_OUT = {
    "empty": "Left out: {searches} that showed nothing; they have no part in models of clicks.",
    "gap": "Left out: {searches} of which the first result is not known; log every document that was shown.",
}


@dataclass(frozen=True)
class UserFindings:
    """Results about users: from a log, from a table of views, or from both.

    Attributes
    ----------
    log, fits, refused
        A log; the models fitted to it, the best prediction first, which has intervals; and name → why a model could
        not be fitted.
    views
        The estimates from the table of views.
    level
        Level of the intervals.
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
        """C by rank, from the same source as `looks`."""
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


def tables(users: UserFindings) -> list[Table]:
    """Return the tables of ranks, of models, and of the other parameters of the best model."""
    return [_by_rank(users), *([_models(users)] if users.fits else []), *_parameters(users)]


def _by_rank(users: UserFindings) -> Table:
    depths = [len(source.views.value) for source in (*users.fits, users.views) if source is not None]
    columns, rows = [say("rank")], [[str(rank)] for rank in range(1, max(depths) + 1)]
    if users.log is not None:
        sample = users.log.fitted
        columns += say_all("impressions", "click-through")
        for place, row in enumerate(rows):
            impressions = sample.shown_at[place] if place < sample.depth else 0
            click_through = number(sample.clicked_at[place] / impressions) if impressions else "–"
            row += [integer(impressions) if impressions else "–", click_through]
    best = users.best
    if best is not None:
        columns += [say("looked at ({model})", model=best.name), say("reads on")]
        _add(rows, best.views, best.continuation)
    if users.views is not None:
        columns += say_all("looked at (views)", "reads on")
        _add(rows, users.views.views, users.views.continuation)
    return Table(columns, rows, say("How far users look"), name="ranks")


def _add(rows: Sequence[list[str]], looks: Bounded, reads_on: Bounded) -> None:
    for place, row in enumerate(rows):
        for estimate in (looks, reads_on):
            if place < len(estimate.value):
                row.append(
                    with_interval(number(estimate.value[place]), span(estimate.low[place], estimate.high[place]))
                )
            else:
                row.append("–")


def _models(users: UserFindings) -> Table:
    rows = [
        [
            fit.name,
            number(fit.prediction.log_likelihood),
            number(fit.prediction.perplexity),
            f"{number(fit.prediction.by_rank[0])} … {number(_last(fit.prediction.by_rank))}",
        ]
        for fit in users.fits
    ]
    columns = say_all("model", "log-likelihood of a search", "perplexity", "at first … last rank")
    title = say("How well models predict clicks: {searches}", searches=_tested_on(users))
    return Table(columns, rows, title, name="models")


def _last(values: np.ndarray[Any, Any]) -> float:
    estimates = values[~np.isnan(values)]
    return float(estimates[-1]) if len(estimates) else np.nan


def _tested_on(users: UserFindings) -> str:
    log = users.log
    if log is None:
        return ""
    if log.held_out.searches:
        searches = count(log.held_out.searches, "search", "searches")
        return say("{searches} that were held out", searches=searches)
    return say("the searches that they were fitted on")


def _parameters(users: UserFindings) -> list[Table]:
    best = users.best
    rows = [] if best is None else [list(row) for row in _parameter_rows(best)]
    if best is None or not rows:
        return []
    columns = say_all("parameter", "rank", "value", "interval")
    return [Table(columns, rows, say("What else {model} says", model=best.name), 2, name="parameters")]


def _parameter_rows(fit: ModelFit) -> Iterator[tuple[str, str, str, str]]:
    for name, estimate in fit.parameters.items():
        for place in np.flatnonzero(~np.isnan(estimate.value)).tolist():
            rank = str(place + 1) if len(estimate.value) > 1 else ""
            interval = span(estimate.low[place], estimate.high[place])
            yield say(PARAMETERS[name]), rank, number(estimate.value[place]), interval


def sentences(users: UserFindings) -> list[str]:
    """Return sentences on how far users look, which model predicts best, and cautions."""
    return [habits(users), *_fitting(users), *notes(users)]


def habits(users: UserFindings) -> str:
    """Say how far down users look, in tenths.

    In most models every user looks at the first rank.
    """
    looks = users.looks.value
    estimated = np.flatnonzero(~np.isnan(looks))
    chosen = [place for place in (0, 1, 2, 4, 9, len(looks) - 1) if place in estimated]
    first_place, *lower_places = dict.fromkeys(chosen)
    parts = [say("{users} look at rank {rank}", users=_tenths(looks[first_place]), rank=first_place + 1)]
    parts += [say("{users} at rank {rank}", users=_tenths(looks[place]), rank=place + 1) for place in lower_places]
    if users.views is not None:
        return say("Of 10 users, {ranks} (by the table of views).", ranks=listed(parts, 8))
    return say("Of 10 users, {ranks} (by {model}).", ranks=listed(parts, 8), model=users.fits[0].name)


def _tenths(share: float) -> str:
    tenths = 10 * share
    if tenths < 0.5:
        return say("fewer than 1")
    return f"{tenths:.0f}" if abs(tenths - 10) > 0.5 or share == 1 else say("nearly 10")


def _fitting(users: UserFindings) -> Iterator[str]:
    best = users.best
    if best is None:
        return
    facts = {"model": best.name, "title": say(best.model.title), "idea": say(best.model.idea)}
    if len(users.fits) == 1:
        yield say("The model is {model} ({title}): {idea}.", **facts)
        return
    highest = best.prediction.log_likelihood
    close_models = [fit.name for fit in users.fits[1:] if highest - fit.prediction.log_likelihood < SAME]
    predicts = say(
        "{model} predicts best ({title}): {idea}. Its perplexity is {perplexity}; 1 is perfect, 2 a coin.",
        perplexity=number(best.prediction.perplexity),
        **facts,
    )
    if close_models:
        models = listed(close_models)
        if len(close_models) == 1:
            also = say("{models} predicts about as well.", models=models)
        else:
            also = say("{models} predict about as well.", models=models)
        predicts = f"{predicts} {also}"
    yield predicts


def notes(users: UserFindings) -> Iterator[str]:
    """Say what a reader must know before trusting the numbers."""
    for name, why in users.refused.items():
        yield say("{model} could not be fitted: {reason}.", model=name, reason=why.removeprefix(f"{name}: "))
    log, best = users.log, users.best
    if log is not None and best is not None:
        yield from _about_fit(best, users.level)
        rare = (log.searches_of_query > 0) & (log.searches_of_query < RARE)
        if rare.any():
            share = percent(float(log.searches_of_query[rare].sum()) / max(1, log.fitted.searches))
            yield say(
                "{n:,} of {queries} came fewer than {rare} times ({share} of the searches): little is known of their "
                "documents.",
                n=int(rare.sum()),
                queries=count(len(log.searches_of_query), "query", "queries"),
                rare=RARE,
                share=share,
            )
        for reason, n in log.left_out.items():
            yield say(LEFT_OUT[reason], searches=count(n, "search", "searches"))
    if users.views is not None:
        level = percent_level(users.level)
        if users.views.by_session:
            sessions = count(users.views.sessions, "session")
            yield say(
                "The views are those of {sessions}; {level} intervals are by session.", sessions=sessions, level=level
            )
        else:
            looks = count(users.views.sessions, "row")
            yield say(
                "The views are those of {rows} without a session: {level} intervals take each row for itself, and are "
                "too narrow if a person has several. A column `session` mends that.",
                rows=looks,
                level=level,
            )


def _about_fit(best: ModelFit, level: float) -> Iterator[str]:
    if best.name == "PBM":
        yield say("PBM sees ranks only beside each other: everybody is taken to look at rank 1.")
    if np.isnan(best.views.value).any():
        unknown = [str(rank + 1) for rank in np.flatnonzero(np.isnan(best.views.value))]
        yield say(
            "Nothing can be said of {ranks}: no clicked document stood there and at another rank for the same query; "
            "show the results of some searches in another order.",
            ranks=f"{form(len(unknown), 'rank')} {listed(unknown)}",
        )
    if not best.model.converged:
        yield say("The fit of {model} did not converge: take its numbers for rough ones.", model=best.name)
    if best.groups:
        yield say(
            "Intervals are {level}, by leaving out {groups} groups of queries one after the other (jackknife).",
            level=percent_level(level),
            groups=best.groups,
        )
    elif best.queries:
        yield say(
            "Intervals are {level}, by how much the queries differ from each other (sandwich variance).",
            level=percent_level(level),
        )
        if best.queries < FEW_QUERIES:
            yield say(
                "The intervals rest on few queries, in effect on {n}: they hold from {few} on, and are rough below; "
                "log more queries that show documents in several orders.",
                n=number(best.queries, 1),
                few=FEW_QUERIES,
            )
    else:
        yield say("There are no intervals: the log has too few queries.")


def next_steps(users: UserFindings, files: Sequence[str]) -> list[str]:
    """Say what can be done with the results."""
    file = next((name for name in files if name.endswith(".json")), "")
    if file:
        commands = {"score": f'neraca score RUN -m "CWL({file})"', "trec": f'neraca trec QRELS RUN -m "CWL({file})"'}
        return [say("Score with these users: {score}, or {trec}.", **commands)]
    return [say("Make these users a metric: --to users.json. Let clicks judge a run: --judge RUN.")]


def verdicts_sentence(run: str, how: str, matched: Matched, new: int, least: int) -> str:
    """Say what clicks decided about a run."""
    too_few = unknown = ""
    if matched.too_few:
        documents = count(matched.too_few, "document")
        are = "is" if matched.too_few == 1 else "are"
        too_few = say(
            "; {documents} shown fewer than {least} times {are} left out", documents=documents, least=least, are=are
        )
    if matched.unknown:
        unknown = say("; {questions} nobody searched for", questions=count(matched.unknown, "question"))
    return say(
        "{run}: {verdicts} by clicks:{how} on {questions}, {new:,} new{too_few}{unknown}. They count where asked for: "
        "neraca score {run} -m P@5 --relevance clicks.",
        run=run,
        verdicts=count(len(matched.verdicts), "verdict"),
        how=how,
        questions=count(matched.items, "question"),
        new=new,
        too_few=too_few,
        unknown=unknown,
    )


def clicks_document(users: UserFindings, language: str = "en") -> Document:
    """Make the blocks of the report in a language of `LANGUAGES`: how far users look first, then the models."""
    with written_in(language):
        return Document(say("How users look and click"), tuple(_blocks(users)), language)


def _blocks(users: UserFindings) -> Iterator[Block]:
    by_rank, *model_tables = tables(users)
    caption = say("The share of users who look at each rank")
    axis = say("Share of users who look")
    picture = forest("looks", say("Looks by rank"), axis, list(_lines(users.looks)), (0.0, 1.0))
    figure = Figure("looks", caption, picture)
    yield from opening(habits(users), figure, notes=list(notes(users)))
    yield Heading(say("How far users look"), "ranks", say("Ranks"))
    yield by_rank._replace(title="")
    if model_tables:
        yield Heading(say("How well models predict clicks"), "models", say("Models"))
        yield Sentences(list(_fitting(users)))
        yield from model_tables


def _lines(looks: Bounded) -> Iterator[Line]:
    for rank, (value, low, high) in enumerate(zip(looks.value, looks.low, looks.high, strict=True), start=1):
        if not np.isnan(value):
            label = with_interval(number(value), span(low, high))
            yield Line(say("rank {rank}", rank=rank), value, low, high, label, False)
