"""Let judges decide on labelled examples, each on the kinds of examples that it is made for."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.datasets.columns import ALL, column_named
from neraca.errors import InputError, SpecError
from neraca.judges.judge import JUDGES, Judge, make_judge
from neraca.judges.judge_set import Member
from neraca.judges.llm.model_judge import contexts_of
from neraca.metaeval.labelled import Labelled, counted
from neraca.models.model_session import ModelSession
from neraca.nearest import nearest
from neraca.records import Verdict
from neraca.scores.sources.answer_rows import NAMES
from neraca.translation import say

#: Kind of examples → the judge that decides on it if no judge is named, with its settings.
JUDGE_OF_KIND: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "supported": ("supported", {}),
    "correct": (
        "aspect",
        {
            "name": "correct",
            "criterion": "The answer says the same as the reference, in whatever words, and leaves out nothing that "
            "the question asks for.",
            "beside": ["reference"],
        },
    ),
    "relevant": ("relevance", {}),
    "responds": ("valid", {}),
}
#: Judge → the kind of examples that it is made for.
KIND_OF_JUDGE = {
    "supported": "supported",
    "claims": "supported",
    "similarity": "correct",
    "relevance": "relevant",
    "valid": "responds",
}
#: Share of the scale from which a verdict means right.
THRESHOLD = 0.5
_CLAIM = re.compile(r"claim:\d+")
#: The top of the scale of relevance.
_RELEVANCE = (0.0, 3.0)
_NOTHING = "the judge wrote no verdict on it"


@dataclass(frozen=True)
class PanelJudge:
    """A judge, and the examples on which it decides.

    Attributes
    ----------
    name
        Its name for readers, with its model.
    judge
        The judge.
    rows
        The numbers of its examples.
    kind
        The kind of examples that it is made for; "" for any.
    """

    name: str
    judge: Judge
    rows: tuple[int, ...]
    kind: str = ""

    def without_contexts(self, labelled: Labelled) -> str:
        """Return a note on examples without contexts, if the judge reads contexts and some examples lack them.

        Raise `InputError` if all of them lack contexts.
        """
        if self.kind != "supported":
            return ""
        lacking = sum(not contexts_of(labelled.answers[row]) for row in self.rows)
        if lacking == len(self.rows):
            raise InputError(_no_contexts(labelled, self.name))
        template = "examples without contexts, judged by {judge} as if nothing had been retrieved: {n:,}"
        return say(template, judge=self.name, n=lacking) if lacking else ""


@dataclass(frozen=True)
class Opinion:
    """A judge's opinion on an example.

    Attributes
    ----------
    score
        From 0 to 1, as a share of the judge's scale; NaN if it is undecided.
    right
        1 if the judge calls the example right, else 0; NaN if it is undecided.
    why
        The reason.
    """

    score: float
    right: float
    why: str


def panel(
    labelled: Labelled, judges: Sequence[str | Member | Judge], settings: Mapping[str, Any] | None, model: str
) -> list[PanelJudge]:
    """Choose the examples of each judge: those of its kind, or all if the table does not have this kind.

    Without judges, each kind of examples gets the judge that is made for it.  Raise `SpecError` if two judges would
    decide on the same example, or if no judge is named and the table has other kinds.
    """
    overrides = {**(settings or {}), **({"model": model} if model else {})}
    if not judges:
        return _panel_of_kinds(labelled, overrides)
    chosen, owner = [], dict[int, str]()
    for judge in judges:
        name, kind, made = _made(judge, overrides)
        rows = [row for row, value in enumerate(labelled.kinds) if value == KIND_OF_JUDGE.get(kind)]
        rows = rows or list(range(len(labelled)))
        if getattr(made, "whole_sessions", False) or kind == "pairwise":
            raise SpecError(f"{name} does not decide on single answers; labelled examples are single answers")
        if twice := [row for row in rows if row in owner]:
            raise SpecError(
                f"{owner[twice[0]]} and {name} would both decide on example {labelled.ids[twice[0]]}; validate one "
                "judge after the other"
            )
        owner |= dict.fromkeys(rows, name)
        chosen.append(PanelJudge(name, made, tuple(rows), KIND_OF_JUDGE.get(kind, "")))
    return chosen


def _no_contexts(labelled: Labelled, judge: str) -> str:
    """Say that a judge reads contexts and no example has any, and which column may hold them."""
    names = {"where": labelled.name, "judge": judge}
    if column := column_named((*ALL["contexts"], *NAMES["hits"]), labelled.columns):
        template = "{where}: {judge} reads contexts, and no example has any in the column {column!r}; fill it"
        return say(template, column=column, **names)
    return say(
        '{where}: {judge} reads contexts, and there is no column "contexts" (found: {columns}); {advice}',
        columns=", ".join(labelled.columns),
        advice=nearest("contexts", labelled.columns, 0.6, say("add it, or rename yours")),
        **names,
    )


def _panel_of_kinds(labelled: Labelled, overrides: Mapping[str, Any]) -> list[PanelJudge]:
    by_kind: dict[str, list[int]] = defaultdict(list)
    for row, kind in enumerate(labelled.kinds):
        if kind in JUDGE_OF_KIND:
            by_kind[kind].append(row)
    if not by_kind:
        raise SpecError(
            f"{labelled.name}: name the judge to validate (--judge supported); it is known only for examples whose "
            f"column kind says {', '.join(JUDGE_OF_KIND)} (found: {counted(labelled.kinds)})"
        )
    if not overrides.get("model"):
        raise SpecError("name the model of the judges: --model openai:gpt-4o-mini")
    chosen = []
    for kind, rows in by_kind.items():
        judge, settings = JUDGE_OF_KIND[kind]
        member = Member.of(judge, {**overrides, **settings})
        chosen.append(PanelJudge(str(member), make_judge(judge, member.settings), tuple(rows), kind))
    return chosen


def _made(judge: str | Member | Judge, overrides: Mapping[str, Any]) -> tuple[str, str, Judge]:
    """Return the name, the kind and the judge itself."""
    if isinstance(judge, str):
        judge = Member.of(judge, overrides)
    if isinstance(judge, Member):
        return str(judge), judge.kind, make_judge(judge.kind, judge.settings)
    kind = next((name for name in JUDGES.names() if JUDGES.get(name) is type(judge)), "")
    return f"{kind or type(judge).__name__} ({judge.by})", kind, judge


def opinions(member: PanelJudge, labelled: Labelled, session: ModelSession) -> dict[int, Opinion]:
    """Let a judge decide on its examples: number of the example → opinion."""
    items = [msgspec.structs.replace(labelled.items[row], id=str(row)) for row in member.rows]
    answers = [msgspec.structs.replace(labelled.answers[row], item=str(row)) for row in member.rows]
    by_row: dict[int, list[Verdict]] = {row: [] for row in member.rows}
    for verdict in member.judge.judge(list(zip(items, answers, strict=True)), session):
        session.check()
        by_row[int(verdict.item)].append(verdict)
    session.check()
    every = [verdict for verdicts in by_row.values() for verdict in verdicts]
    about, aspect = _part(member, every)
    low, high = _RELEVANCE if about == "hit" else getattr(member.judge, "scale", (0.0, 1.0))
    read = {row: [v for v in verdicts if _is_part(v, about, aspect)] for row, verdicts in by_row.items()}
    return {row: _opinion(verdicts, about, low, high) for row, verdicts in read.items()}


def _part(member: PanelJudge, verdicts: Iterable[Verdict]) -> tuple[str, str]:
    """Return which verdicts of a judge decide: (`claim`, aspect), (`hit`, aspect) or (`answer`, aspect)."""
    parts = {(verdict.about, verdict.aspect) for verdict in verdicts}
    if any(_CLAIM.fullmatch(about) and aspect == "supported" for about, aspect in parts):
        return "claim", "supported"
    if any(about.startswith("hit:") and aspect == "relevance" for about, aspect in parts):
        return "hit", "relevance"
    aspects = sorted({aspect for about, aspect in parts if about == "answer"})
    if len(aspects) > 1:
        raise SpecError(f"{member.name} decides on several things ({', '.join(aspects)}); labels say one thing only")
    return "answer", next(iter(aspects), "")


def _is_part(verdict: Verdict, about: str, aspect: str) -> bool:
    return verdict.about.partition(":")[0] == about and verdict.aspect == aspect


def _opinion(verdicts: Sequence[Verdict], about: str, low: float, high: float) -> Opinion:
    """Read the verdicts on an example.

    Of hits the best counts.  An answer is right by its claims if every claim is supported; its score is their share.
    """
    undecided = [verdict for verdict in verdicts if verdict.value is None]
    decided = [verdict for verdict in verdicts if verdict.value is not None]
    if not decided or (undecided and about == "claim"):
        return Opinion(math.nan, math.nan, undecided[0].reason if undecided else _NOTHING)
    shares = [((verdict.value or 0.0) - low) / (high - low) for verdict in decided]
    if about == "claim":
        score, worst = sum(shares) / len(shares), min(range(len(shares)), key=shares.__getitem__)
        return Opinion(score, float(score == 1), decided[worst].why)
    best = max(range(len(shares)), key=shares.__getitem__)
    score = min(1.0, max(0.0, shares[best]))
    return Opinion(score, float(score >= THRESHOLD), decided[best].why)
