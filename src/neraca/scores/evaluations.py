"""Verdicts and metrics of a run made of traces, on their way back to the tool that recorded them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from neraca.concurrency import run_async
from neraca.errors import InputError
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.number_format import integer
from neraca.records import FROM_TRACE, Verdict
from neraca.result import Results, Table
from neraca.runs.run import Run
from neraca.scores.score import score
from neraca.traces.evaluation import Evaluation
from neraca.traces.evaluation_forms import form_of, write_requests
from neraca.traces.evaluation_sender import Sent, send
from neraca.translation import say, say_all
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.raters import YES_NO
from neraca.verdicts.source import matches

#: Most reasons of verdicts that the explanation of a metric names.
_REASONS = 3


class Evaluations(Results[Evaluation]):
    """Values of turns with the ids of their traces; prints how many there are of each name.

    Attributes
    ----------
    run
        The run.
    left_out
        Reason → number of values that cannot go back.
    """

    __slots__ = ("left_out", "run")

    def __init__(
        self, run: Run, evaluations: Iterable[Evaluation] = (), left_out: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(evaluations)
        self.run = run
        self.left_out = Counter(left_out or {})

    def _tables(self) -> Iterator[Table]:
        counts = Counter((each.name, each.by) for each in self)
        if self:
            rows = [[name, by, integer(n)] for (name, by), n in counts.items()]
            yield Table(list(say_all("name", "by", "turns")), rows, names=2)

    def _sentences(self) -> Iterator[str]:
        for reason, n in self.left_out.items():
            yield say("{n:,} left out: {reason}.", n=n, reason=say(reason))

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each: {item, trace, span, name, value, label, by, why, at}."""
        return [msgspec.structs.asdict(each) for each in self]

    def ready_for(self, tool: str) -> Evaluations:
        """Return those that a tool can take (`langfuse`, `otlp`, `phoenix`); the others are counted in `left_out`.

        Raise `SpecError` for an unknown tool.
        """
        form = form_of(tool)
        reasons = [form.why_not(each) for each in self]
        ready = [each for each, reason in zip(self, reasons, strict=True) if not reason]
        return Evaluations(self.run, ready, self.left_out + Counter(filter(None, reasons)))

    def save(self, path: str | Path, tool: str) -> Evaluations:
        """Write a file of requests for a tool, a JSON object a line, each with at most 100 values.

        Return what was written.  Raise `SpecError` for an unknown tool.
        """
        ready = self.ready_for(tool)
        write_requests(Path(path), tool, ready)
        return ready

    def send(self, tool: str, url: str) -> Sent:
        """Send to a server what a tool can take; see `neraca.traces.evaluation_sender.send`."""
        return run_async(send(self.ready_for(tool), tool, url, self.run.path))


def evaluations(run: Run | str | Path, metrics: str | Iterable[str | Metric] = "", *, by: str = "") -> Evaluations:
    """Return the judgements of a run made of traces, with the ids of the traces.

    Parameters
    ----------
    run
        A run of `neraca traces` or `neraca receive`, or its folder.
    metrics
        Metrics whose value of each turn is returned.  "": the verdicts on answers as a whole, with their reasons.
    by
        The only source whose verdicts count; "": each.

    Raises
    ------
    InputError
        If the run was not made of traces, or there is nothing to return.
    SpecError
        As `score`.
    """
    opened = run if isinstance(run, Run) else Run(run)
    if opened.manifest.target.get("kind") != "traces":
        raise InputError(
            f"{opened.path}: its answers are not those of recorded traces, so nothing can go back there; name a run "
            "that `neraca traces --out` or `neraca receive` made"
        )
    traces = {item.id: _ids(item.extra.get(FROM_TRACE)) for item in opened.items}
    verdicts = [verdict for verdict in current_verdicts(opened) if not by or matches(verdict.by, by)]
    times = {item: answer.at for (item, _), answer in opened.answers().items()}
    judged = list(_of_metrics(opened, metrics, by, verdicts) if metrics else _of_answers(verdicts))
    if not judged:
        remedy = "name metrics, such as -m Faithfulness" if verdicts and not metrics else "judge the run first"
        raise InputError(f"{opened.path}: there is no verdict on an answer to send back; {remedy}")
    traced = [
        msgspec.structs.replace(
            each, trace=traces[each.item][0], span=traces[each.item][1], at=each.at or times.get(each.item, "")
        )
        for each in judged
        if traces.get(each.item, ("", ""))[0]
    ]
    lost = len(judged) - len(traced)
    return Evaluations(opened, traced, {"their questions name no trace": lost} if lost else None)


def _ids(recorded: Any) -> tuple[str, str]:
    """Return the ids of the trace and of the span in the extras of a question; "" without one."""
    table = recorded if isinstance(recorded, Mapping) else {}
    return str(table.get("trace") or ""), str(table.get("span") or "")


def _of_answers(verdicts: Iterable[Verdict]) -> Iterator[Evaluation]:
    """Yield the decided verdicts on whole answers."""
    for verdict in verdicts:
        if verdict.about == "answer" and verdict.value is not None:
            is_yes_no = verdict.aspect in YES_NO and verdict.value in (0, 1)
            yield Evaluation(
                item=verdict.item,
                trace="",
                span="",
                name=verdict.aspect,
                value=verdict.value,
                label=("pass" if verdict.value else "fail") if is_yes_no else "",
                by=verdict.by,
                why=verdict.why,
                at=verdict.at,
            )


def _of_metrics(
    run: Run, metrics: str | Iterable[str | Metric], by: str, verdicts: Sequence[Verdict]
) -> Iterator[Evaluation]:
    """Yield the value of each metric for each scored turn, with the reasons of the lowest verdicts behind it."""
    scores = score(run, metrics, by=by)
    of_item: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        of_item.setdefault(verdict.item, []).append(verdict)
    for metric in scores.scored:
        aspects = aspects_of(metric)
        for item, value in scores.by_item(metric).items():
            if math.isnan(value):
                continue
            behind = [each for each in of_item.get(item, ()) if each.aspect in aspects and each.value is not None]
            behind.sort(key=lambda each: (each.value or 0.0, each.about))
            whys = dict.fromkeys(each.why for each in behind if each.why and (each.value or 0.0) < 1)
            yield Evaluation(
                item=item,
                trace="",
                span="",
                name=str(metric),
                value=value,
                by=by or "neraca",
                why="; ".join([*whys][:_REASONS]),
                at=max((each.at for each in behind), default=""),
            )
