"""Validate a judge: compare its verdicts on labelled examples with the labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from neraca.errors import SpecError
from neraca.judges.judge import Judge
from neraca.judges.judge_set import Member
from neraca.judges.tally import MOST_UNDECIDED
from neraca.metaeval.agreement import agreement_of_columns
from neraca.metaeval.judge_confusion import JudgeConfusion, confusion_of
from neraca.metaeval.judge_panel import Opinion, opinions, panel
from neraca.metaeval.judged_aspect import JudgeAgreement
from neraca.metaeval.labelled import Labelled, counted, read_labelled
from neraca.models.cost import Spent
from neraca.models.endpoint import public
from neraca.models.model_session import ModelSession
from neraca.models.served_model import models_of_replies
from neraca.number_format import number, span
from neraca.result import SavedReport, Table, Tabular
from neraca.runs.run import now
from neraca.scores.unit import Ints, clusters_of
from neraca.stats.agreement.auroc import auroc
from neraca.stats.agreement.calibration import BINS, bin_numbers, calibration_counts, calibration_error
from neraca.stats.intervals.bootstrap_interval import bootstrap_interval
from neraca.stats.intervals.interval import Estimate, Floats, interval

#: With fewer examples of a class, a group gets no figures.
FEWEST_OF_CLASS = 30
TAGS = ("kind", "language", "length")


@dataclass(frozen=True, slots=True)
class ValidatedGroup:
    """Agreement of a judge with the labels of all examples, or of one group.

    Attributes
    ----------
    group
        `kind=supported`, `language=es`, `length=…`; "" for all.
    n, undecided
        Examples, and those among them on which the judge did not decide.
    right, wrong
        Examples that are labelled right, and wrong.
    confusion
        Agreement, bias (share that the judge calls right minus share that is labelled right), sensitivity and
        specificity; None if there are no figures (fewer than `FEWEST_OF_CLASS` of a class, or more than a tenth
        undecided).
    auroc, brier, calibration
        Chance that a right example has a higher score than a wrong one; mean squared distance of score and label;
        expected calibration error.  None like `confusion`.
    """

    group: str
    n: int
    undecided: int
    right: int
    wrong: int
    confusion: JudgeConfusion | None = None
    auroc: Estimate | None = None
    brier: Estimate | None = None
    calibration: Estimate | None = None

    @property
    def few(self) -> bool:
        """Whether there are fewer than `FEWEST_OF_CLASS` examples of a class."""
        return min(self.right, self.wrong) < FEWEST_OF_CLASS

    @property
    def commoner_label(self) -> float:
        """Share of the commoner label among the decided examples; NaN if none is decided.

        Whoever always says this label agrees on so many.
        """
        if self.confusion is None:
            return math.nan
        counts = [sum(row) for row in self.confusion.counts]
        return max(counts) / sum(counts)

    @property
    def shown_better(self) -> bool:
        """Whether the interval of the agreement lies above the share of the commoner label."""
        return self.confusion is not None and self.confusion.agree.low > self.commoner_label

    def estimates(self) -> dict[str, Estimate]:
        """Return the name of each figure → its estimate; {} without figures."""
        if not (self.confusion and self.auroc and self.brier and self.calibration):
            return {}
        shares = {name: getattr(self.confusion, name) for name in ("agree", "sensitivity", "specificity", "bias")}
        return shares | {"auroc": self.auroc, "brier": self.brier, "calibration": self.calibration}


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Decided examples with a score from `low` to `high`: the mean score, and the share that is labelled right."""

    low: float
    high: float
    score: float
    right: Estimate


@dataclass(frozen=True, slots=True)
class Mistake:
    """An example on which judge and label differ: its id, kind, question, label, and the judge's reason."""

    id: str
    kind: str
    question: str
    label: float
    why: str


@dataclass(frozen=True, repr=False)
class JudgeValidation(SavedReport, Tabular):
    """A judge beside labels: prints as a table, and `save` writes a card.

    Attributes
    ----------
    data, data_hash, shipped
        The name of the labelled examples, a hash of them, and whether they come with Neraca.
    judges
        The judge of each kind → the source of its verdicts, which names model and prompt.
    groups
        All examples first, then each group.
    bins
        Scores and labels, over all examples.
    mistakes
        Examples on which judge and label differ, in the order of the file.
    labellers
        Agreement of those who labelled the examples; None if the table does not have their labels.
    notes
        What is left out, counted.
    spent
        The cost of the calls.
    day, version
        The day on which it was made, ISO 8601 in UTC, and the version of Neraca.
    endpoints, served, temperatures
        The base URLs of the judges' models, where the settings name any; the ids of the models that the servers list;
        and the temperatures.
    """

    report = "judge_validation:validation_document"

    data: str
    data_hash: str
    shipped: bool
    judges: Mapping[str, str]
    groups: tuple[ValidatedGroup, ...]
    bins: tuple[ScoreBin, ...]
    mistakes: tuple[Mistake, ...]
    labellers: JudgeAgreement | None = None
    notes: tuple[str, ...] = ()
    undecided_reasons: Mapping[str, int] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    level: float = 0.95
    day: str = ""
    version: str = ""
    endpoints: tuple[str, ...] = ()
    served: tuple[str, ...] = ()
    temperatures: tuple[float, ...] = ()

    @property
    def all(self) -> ValidatedGroup:
        """All examples together."""
        return self.groups[0]

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each group: names, counts and each figure with its interval."""
        names = {"data": self.data, "data_hash": self.data_hash, "judges": " ".join(self.judges.values())}
        rows = []
        for group in self.groups:
            counts = {"n": group.n, "undecided": group.undecided, "right": group.right, "wrong": group.wrong}
            figures: dict[str, Any] = {"commoner_label": group.commoner_label} if group.estimates() else {}
            for name, estimate in group.estimates().items():
                bounds = {f"{name}_low": estimate.low, f"{name}_high": estimate.high, f"{name}_why": estimate.why}
                figures |= {name: estimate.value, **bounds}
            rows.append(names | {"group": group.group} | counts | figures)
        return rows

    def _tables(self) -> Iterator[Table]:
        columns = ["group", "n", "undecided", "agree", "interval", "AUROC", "interval"]
        rows = []
        for group in self.groups:
            figures = group.estimates()
            shown = [figures[name] for name in ("agree", "auroc")] if figures else []
            cells = [cell for e in shown for cell in (number(e.value), span(e.low, e.high))] or [""] * 4
            rows.append([group.group or "all", f"{group.n:,}", f"{group.undecided:,}", *cells])
        yield Table(columns, rows, f"{self.data}: {', '.join(self.judges)}")

    def _sentences(self) -> Iterator[str]:
        yield from self.notes


def validate_judge(
    labelled: str | Path,
    judges: str | Member | Judge | Sequence[str | Member | Judge] = (),
    settings: Mapping[str, Any] | None = None,
    *,
    model: str = "",
    session: ModelSession | None = None,
    level: float = 0.95,
) -> JudgeValidation:
    """Let judges decide on labelled examples, and compare their verdicts with the labels.

    A verdict from the middle of the judge's scale upwards means right.  By claims, an answer is right if every claim is
    supported.  Undecided examples are left out of all figures and counted.  A group with fewer than 30 examples of a
    class, or with more than a tenth undecided, gets no figures.  The examples of a session are one observation.

    Parameters
    ----------
    labelled
        A table with columns `question`, `response`, `contexts`, `reference` and `label` (see `read_labelled`), or
        `examples` for the 240 examples in four languages that come with Neraca.
    judges
        Judges, or their names; (): for each kind of examples the judge that is made for it.  A judge made for one of
        the kinds in the table decides on these examples only.
    settings, model
        The settings and the model of judges that are named, or not named at all.
    session
        The session that calls models; None: one with the default cache and no budget.
    level
        Confidence of the intervals.

    Raises
    ------
    InputError, SpecError
        If the table has no labels, or no contexts for a judge that reads them, or the judges do not fit it.
    """
    if not 0 < level < 1:
        raise SpecError(f"level must be between 0 and 1, not {level}")
    examples = read_labelled(labelled)
    chosen = [judges] if isinstance(judges, str | Member) or hasattr(judges, "judge") else list(judges)
    members = panel(examples, chosen, settings, model)  # type: ignore[arg-type]
    notes = filter(None, [member.without_contexts(examples) for member in members])
    examples = replace(examples, notes=(*examples.notes, *notes))
    opinion_by_row: dict[int, Opinion] = {}
    with nullcontext(session) if session else ModelSession() as opened:
        before = opened.spent
        for member in members:
            opinion_by_row |= opinions(member, examples, opened)
        spent = opened.spent - before
        served = models_of_replies(opened, "", spent)
    names = {member.name: member.judge.by for member in members}
    measured = _validation(examples, opinion_by_row, names, level, spent)
    tables = [settings or {}, *(judge.settings for judge in chosen if isinstance(judge, Member))]
    return replace(
        measured,
        day=now()[:10],
        version=version("neraca"),
        endpoints=_named(tables, "url"),
        temperatures=_named(tables, "temperature"),
        served=served,
    )


def _named(tables: Iterable[Mapping[str, Any]], setting: str) -> tuple[Any, ...]:
    """Return the different values of a setting, without the secrets of a URL."""
    values = (table[setting] for table in tables if table.get(setting) not in (None, ""))
    return tuple(dict.fromkeys(public(value) if isinstance(value, str) else value for value in values))


def _validation(
    examples: Labelled, opinion_by_row: Mapping[int, Opinion], judges: Mapping[str, str], level: float, spent: Spent
) -> JudgeValidation:
    rows = sorted(opinion_by_row)
    values = np.array([[opinion_by_row[row].score, opinion_by_row[row].right] for row in rows])
    labels, clusters = examples.labels[rows], clusters_of(examples.items[row].session for row in rows)
    measure = partial(_group, judge=", ".join(judges), labels=labels, values=values, clusters=clusters, level=level)
    groups = [measure("", np.ones(len(rows), bool))]
    for tag in TAGS:
        column = [examples.groups[tag][row] for row in rows] if tag in examples.groups else []
        for value in dict.fromkeys(column) if len(set(column)) > 1 else ():
            groups.append(measure(f"{tag}={value or '–'}", np.array([own == value for own in column])))
    unread = [kind for row, kind in enumerate(examples.kinds) if row not in opinion_by_row]
    notes = [*examples.notes, *([f"examples of other kinds, left out: {counted(unread)}"] if unread else [])]
    decided = ~np.isnan(values[:, 1])
    reasons: dict[str, int] = {}
    for place in np.flatnonzero(~decided).tolist():
        reasons[opinion_by_row[rows[place]].why] = reasons.get(opinion_by_row[rows[place]].why, 0) + 1
    wrong = [rows[place] for place in np.flatnonzero(decided & (values[:, 1] != labels)).tolist()]
    return JudgeValidation(
        data=examples.name,
        data_hash=examples.hash,
        shipped=examples.shipped,
        judges=judges,
        groups=tuple(groups),
        bins=tuple(_bins(values[decided, 0], labels[decided], clusters[decided], level)),
        mistakes=tuple(_mistake(examples, row, opinion_by_row[row]) for row in wrong),
        labellers=_labellers(examples, level),
        notes=tuple(notes),
        undecided_reasons=dict(sorted(reasons.items(), key=lambda pair: -pair[1])),
        spent=spent,
        level=level,
    )


def _mistake(examples: Labelled, row: int, opinion: Opinion) -> Mistake:
    kind, question = examples.kinds[row], examples.items[row].query
    return Mistake(examples.ids[row], kind, question, float(examples.labels[row]), opinion.why)


def _group(
    name: str, chosen: np.ndarray[Any, Any], *, judge: str, labels: Floats, values: Floats, clusters: Ints, level: float
) -> ValidatedGroup:
    """Measure the chosen examples.

    A group that is not all examples needs `FEWEST_OF_CLASS` of each class, of which at most a tenth is undecided.
    """
    decided = chosen & ~np.isnan(values[:, 1])
    own, score, right, numbers = labels[decided], values[decided, 0], values[decided, 1], clusters[decided]
    n, undecided, ones = int(chosen.sum()), int(chosen.sum() - decided.sum()), int(labels[chosen].sum())
    counts = (name, n, undecided, ones, n - ones)
    if (name and (min(ones, n - ones) < FEWEST_OF_CLASS or undecided > MOST_UNDECIDED * n)) or not len(own):
        return ValidatedGroup(*counts)
    squares = np.column_stack([(score - own) ** 2, np.ones(len(own))])
    return ValidatedGroup(
        *counts,
        confusion=confusion_of("label", judge, np.column_stack([own, right]), numbers, level),
        auroc=auroc(score, own, numbers, level),
        brier=interval(squares, clusters=numbers, level=level, limits=(0.0, 1.0)),
        calibration=bootstrap_interval(calibration_counts(score, own), calibration_error, numbers, level),
    )


def _bins(scores: Floats, labels: Floats, clusters: Ints, level: float) -> Iterator[ScoreBin]:
    """Yield the parts of 0 to 1 that hold scores."""
    numbers = bin_numbers(scores)
    for place in sorted(set(numbers.tolist())):
        rows = numbers == place
        ones = np.column_stack([labels[rows], np.ones(rows.sum())])
        right = interval(ones, clusters=clusters[rows], level=level)
        yield ScoreBin(place / BINS, (place + 1) / BINS, float(scores[rows].mean()), right)


def _labellers(examples: Labelled, level: float) -> JudgeAgreement | None:
    """Return how far those who labelled the examples agree, if the table has the labels of each.

    Of two labellers, the share of equal labels has the interval of a share; it has a width even if they never differ.
    """
    if not examples.labellers:
        return None
    numbers = clusters_of(item.session for item in examples.items)
    agreed = next(iter(agreement_of_columns(examples.labellers, numbers, level)), None)
    if agreed is None or len(examples.labellers) > 2:
        return agreed
    first, second = examples.labellers.values()
    equal = np.column_stack([np.where(np.isnan(first + second), np.nan, first == second), np.ones(len(first))])
    return replace(agreed, agreement=interval(equal, clusters=numbers, level=level))
