"""Write every answer of the runs in full: as plain text to read, and blind, to rate beside a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neraca.errors import InputError
from neraca.people.assignment import rate_answers
from neraca.people.rating_task import Place, RatingTask, RatingTasks
from neraca.records import Answer
from neraca.reports.formats.visible_text import clean, field_text
from neraca.reports.report import Report
from neraca.runs.run import Run


def answers_text(report: Report) -> str:
    """Write each question with the answer and hits of each run, and its label; nothing is cut short."""
    return "\n".join([report.title, "", *_questions(_folders(report))]) + "\n"


def responses_text(report: Report) -> str:
    """Write the different answers without systems, under the labels and in the order of a table for raters."""
    return blind_text(_rated(_folders(report))[0]) + "\n"


def _folders(report: Report) -> list[Run]:
    runs = [run.scorable.column("run") for run in report.scores.runs if run.scorable and run.scorable.offers("run")]
    folders = [run for run in runs if isinstance(run, Run)]
    if not folders:
        raise InputError("a .txt file has the answers of run folders; here there are none")
    return folders


def _rated(runs: Sequence[Run]) -> tuple[list[RatingTask], dict[Place, str]]:
    """Return the different answers in the order of a table for raters, and place of an answer → its label."""
    rated = RatingTasks.of(runs)
    tasks: list[Any] = rate_answers(rated).in_order()
    label_by_place = {
        place: label for label, task in zip(labels(tasks), tasks, strict=True) for place in rated.places[task.id]
    }
    return tasks, label_by_place


def _questions(runs: list[Run]) -> Iterator[str]:
    answers = [run.answers() for run in runs]
    any_answer = any(not answer.failed for of_run in answers for answer in of_run.values())
    label_by_place = _rated(runs)[1] if any_answer else {}
    for number, item in enumerate(runs[0].items, start=1):
        yield f"{number}. {clean(item.query)}"
        facts = [f"id {item.id}", *(f"{name}: {value}" for name, value in item.tags.items())]
        yield f"   {'; '.join([*facts, *([f'session {item.session}'] if item.session else [])])}"
        for place, (run, answers_of_run) in enumerate(zip(runs, answers, strict=True)):
            for trial in range(run.manifest.trials):
                trial_label = f", trial {trial + 1}" if run.manifest.trials > 1 else ""
                label = label_by_place.get(Place(place, item.id, trial), "")
                yield f"\n   --- {run.name}{trial_label}{f', answer {label}' if label else ''} ---"
                answer = answers_of_run.get((item.id, trial))
                yield from _answer(answer) if answer else ["   not asked yet"]
        yield ""


def _answer(answer: Answer) -> Iterator[str]:
    if answer.status != "complete":
        yield f"   [{answer.status}{f': {clean(answer.error)}' if answer.error else ''}]"
    yield from (f"   {line}" for line in clean(answer.text).splitlines())
    if not answer.hits:
        yield f"   ({f'results unknown: {clean(answer.unknown_hits)}' if answer.unknown_hits else 'no results'})"
    for rank, hit in enumerate(answer.hits, start=1):
        yield f"   {rank:2}. [{clean(hit.id)}] {clean(hit.text)}".rstrip()
        yield from _fields(hit.fields)


def _fields(fields: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"         {clean(name)}: {clean(field_text(value, 10**6))}" for name, value in fields.items())


def blind_text(tasks: Sequence[RatingTask]) -> str:
    """Write the answers to rate under their labels, in the order of the table; nothing names the system."""
    lines: list[str] = []
    question = 0
    for label, task in zip(labels(tasks), tasks, strict=True):
        if task.number != question:
            question = task.number
            lines += [f"{question}. {clean(task.query)}"]
            lines += [f"   id {clean(task.query_id)}"] if task.query_id else []
            lines += [f"   {name}: {clean(value)}" for name, value in task.tags.items()]
            lines += [f"   asked before: {clean(earlier)}" for earlier in task.before]
            lines += [""]
        lines += [f"   --- answer {label} ---"]
        for place, replies in enumerate(task.replies):
            lines += ["   earlier in this conversation:" if not place else "   the same answer came after this, too:"]
            for query, reply in zip(task.before, replies, strict=False):
                lines += [
                    f"   > {clean(query)}",
                    *(f"     {line}" for line in clean(reply or "(nothing)").splitlines()),
                ]
        lines += ["   its answer:"] if task.replies else []
        lines += [f"   {line}" for line in clean(task.text).splitlines()]
        lines += [] if task.hits else ["   (no results)"]
        for rank, hit in enumerate(task.hits, start=1):
            text = clean(hit.text) or ("" if hit.fields else "(a result without text or fields)")
            lines += [f"   {rank:2}. {text}".rstrip(), *_fields(hit.fields)]
        lines += [""]
    return "\n".join(lines)


def labels(tasks: Sequence[RatingTask]) -> list[str]:
    """Return a short name for each answer: the number of its question and a letter.

    >>> labels([RatingTask(id=name, number=n, query="") for name, n in (("x", 1), ("y", 1), ("z", 2))])
    ['1a', '1b', '2a']
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    count_by_question: dict[int, int] = {}
    names = []
    for task in tasks:
        place = count_by_question.get(task.number, 0)
        count_by_question[task.number] = place + 1
        more, last = divmod(place, len(letters))
        names.append(f"{task.number}{letters[last]}{more or ''}")
    return names
