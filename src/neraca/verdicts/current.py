"""The verdicts on a run's answers as they are now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError
from neraca.nearest import nearest
from neraca.records import Answer
from neraca.runs.run import Run, content_of
from neraca.runs.session_contents import SESSION, TURN, is_on_session, session_contents
from neraca.runs.verdict_table import STATUSES, VerdictTable

_ABOUT = ("hit:", "claim:", "reference:", "question:", TURN)


def current_verdicts(run: Run, answers: Mapping[tuple[str, int], Answer] | None = None) -> VerdictTable:
    """Return the verdicts on the present answers, without withdrawn verdicts and verdicts on earlier answers.

    `answers` are the run's answers, if they are read already.

    Raise `InputError` if a verdict is on an unknown item, or about an unknown kind of thing.
    """
    table = run.verdicts()
    _check(run, table)
    holds = table.status != STATUSES.index("withdrawn")
    if any(table.of.words):
        answers = run.answers() if answers is None else answers
        judged_items = frozenset(table.item.words)
        current = _is_of(table, ((key, content_of(a)) for key, a in answers.items() if key[0] in judged_items))
        if any(map(is_on_session, table.about.words)):
            conversations = session_contents(run.items, {key: content_of(a) for key, a in answers.items()})
            current = np.where(table.about.where(is_on_session), _is_of(table, conversations.items()), current)
        holds &= current
    return table if holds.all() else table.take(holds)


def _is_of(table: VerdictTable, contents: Iterable[tuple[tuple[str, int], str]]) -> NDArray[np.bool_]:
    """Return whether each verdict is on the present content of its item and trial, or on any; shape (n,)."""
    trials = int(table.trial.max(initial=0)) + 1
    items = {name: code for code, name in enumerate(table.item.words)}
    hashes = {name: code for code, name in enumerate(table.of.words)}
    current = np.full(len(items) * trials, -1)
    for (item, trial), content in contents:
        if item in items and trial < trials:
            current[items[item] * trials + trial] = hashes.get(content, -1)
    current_of_row = current[table.item.codes.astype(np.int64) * trials + table.trial]
    holds: NDArray[np.bool_] = (table.of.codes == hashes.get("", -1)) | (table.of.codes == current_of_row)
    return holds


def _check(run: Run, table: VerdictTable) -> None:
    """Raise `InputError` for a verdict that no metric would ever see."""
    item_ids = set(run.item_ids)
    known_about = table.about.where(lambda about: about in ("answer", "item", SESSION) or about.startswith(_ABOUT))
    for valid in (table.item.isin(item_ids), known_about):
        wrong = np.flatnonzero(~valid)
        if not len(wrong):
            continue
        verdict = table[int(wrong[0])]
        if verdict.item not in item_ids:
            near = nearest(verdict.item, sorted(item_ids)[:50])
            problem = f"about item {verdict.item!r}, which this run does not have; {near}"
        else:
            problem = (
                f"about {verdict.about!r}; it must be answer, item, hit:ID, claim:N, reference:N, question:N, session "
                "or turn:N"
            )
        raise InputError(f"{run.path}/verdicts.jsonl: a verdict by {verdict.by} is {problem}")
