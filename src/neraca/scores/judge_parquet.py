"""Judge the rows of Parquet files of any size unit by unit, with one budget and one cache for all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.concurrency import Progress, silent
from neraca.datasets.parquet import parquet_bytes
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.work_unit import Source, Unit, read_unit, sources_of, units_of
from neraca.errors import SpecError
from neraca.files import fingerprint
from neraca.judges.judge import Announcing, Judge, make_judge
from neraca.judges.judge_set import Member
from neraca.judges.tally import Tally
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.records import Verdict
from neraca.result import Shown, Table
from neraca.runs.work_folder import JUDGED, ROWS, WorkFolder, WorkManifest
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.judged_columns import judged_columns
from neraca.scores.sources.text_columns import TextColumns
from neraca.scores.sources.text_rows import TextRows

#: Name of the column of verdicts, if the table has none.
VERDICTS = "verdicts"


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgedRows(Shown):
    """The number of judged rows, and the folder of their verdicts.

    Attributes
    ----------
    address
        The address of the folder; `score_parquet` reads its `rows`.
    rows, before
        The number of all rows, and of rows that an earlier command judged.
    verdicts
        The number of new verdicts.
    tallies
        Judge → how many verdicts it decided and left open, with the reasons.
    spent
        The cost; in a dry run, the cost that a real run would have.
    notes
        Notes for readers of the verdicts.
    """

    address: str
    rows: int
    before: int = 0
    verdicts: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    notes: tuple[str, ...] = ()

    def _tables(self) -> Iterator[Table]:
        cells = [f"{self.rows:,}", f"{self.before:,}", f"{self.verdicts:,}", str(self.spent)]
        yield Table(["rows", "judged before", "new verdicts", "spent"], [cells])

    def _sentences(self) -> Iterator[str]:
        yield from self.notes


def judge_parquet(
    sources: str | Path | Iterable[str | Path],
    members: Sequence[Member | str],
    out: str | Path,
    session: ModelSession,
    progress: Progress = silent,
) -> JudgedRows:
    """Judge rows, and write them with their verdicts into a folder.

    Units are judged one after the other, with as many calls at a time as the session allows, so one account, one
    budget and one cache hold for all rows.  A unit is written whole when all judges have finished it.  If the same
    command starts again, after a kill or with a larger budget, written units are not judged again, and replies that
    were paid for come from the cache.

    Parameters
    ----------
    sources
        See `score_parquet`.  Verdicts in a column `verdicts` are kept, except those of the same judges.
    members
        Judges, or their names.
    out
        The folder: `rows/` has all columns of the rows, and `verdicts` as JSON.
    session
        The session for calls of models.  In a dry run nothing is written.
    progress
        Called with the number of finished rows.

    Raises
    ------
    BudgetReached
        If the session's budget does not suffice; finished units are kept.
    InputError, RunError, SpecError
        See `score_parquet`.
    """
    chosen = [Member.of(member, {}) if isinstance(member, str) else member for member in members]
    if not chosen:
        raise SpecError("there is no judge; name at least one, such as rules")
    judges = {str(member): make_judge(member.kind, member.settings) for member in chosen}
    _refuse_whole_sessions(judges)
    table_sources = sources_of([str(sources)] if isinstance(sources, str | Path) else map(str, sources))
    panel = _Panel.of(table_sources, judges)
    folder = WorkFolder(str(out))
    if not session.dry_run:
        folder.begin(JUDGED, _manifest(table_sources, chosen))
    units, written = units_of(table_sources), set(folder.units(ROWS))
    missing = [unit for unit in units if unit.name not in written]
    total = sum(unit.rows for unit in units)
    before, spent_before = total - sum(unit.rows for unit in missing), session.spent
    rows, verdicts, notes = before, 0, dict[str, None]()
    for unit in missing:
        judged = panel.judge(unit, session)
        if not session.dry_run:
            folder.write(judged.data, ROWS, unit.name)
        rows, verdicts = rows + unit.rows, verdicts + judged.verdicts
        notes |= dict.fromkeys(judged.notes)
        progress(rows, total, str(session.spent))
    spent = session.spent - spent_before
    judged_rows = JudgedRows(address=str(out), rows=total, before=before, verdicts=verdicts, tallies=panel.tallies)
    return replace(judged_rows, spent=spent, notes=tuple(notes))


def _refuse_whole_sessions(judges: Mapping[str, Judge]) -> None:
    """Raise `SpecError` for a judge of whole conversations, which units of rows would cut apart."""
    for name, judge in judges.items():
        if getattr(judge, "whole_sessions", False):
            raise SpecError(
                f"{name} judges whole conversations, and units of rows cut them apart; make a run of the questions "
                "with `neraca ask`, and judge its folder"
            )


def _manifest(sources: Sequence[Source], members: Sequence[Member]) -> WorkManifest:
    settings = {str(member): [member.kind, fingerprint(dict(member.settings))] for member in members}
    return WorkManifest.of(sources, (), {}, {"judges": settings})


@dataclass(frozen=True)
class _JudgedUnit:
    """A judged unit: its file, the number of new verdicts, and notes for readers."""

    data: bytes
    verdicts: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Panel:
    """The judges, and the columns that they read."""

    names: tuple[str, ...]
    texts: TextColumns
    answers: AnswerRows
    judges: dict[str, Judge]
    tallies: dict[str, Tally]

    @classmethod
    def of(cls, sources: Sequence[Source], judges: dict[str, Judge]) -> _Panel:
        """Recognise columns by their names; raise `SpecError` if there is no column of answers or hits."""
        names = sources[0].footer.columns
        texts, answer_columns = judged_columns(names, sources[0].address)
        return cls(names, texts, AnswerRows(answer_columns), judges, {name: Tally() for name in judges})

    def judge(self, unit: Unit, session: ModelSession) -> _JudgedUnit:
        """Let all judges judge the rows of a unit."""
        import polars as pl

        frame = read_unit(unit, self.names)
        numbers = range(unit.first + 1, unit.first + 1 + len(frame))
        block = RowBatch(self.names, frame, Path(unit.source), "row", numbers)
        problems: dict[int, str] = {}
        rows = TextRows(unit.source, self.texts, problems=problems)
        items, answers, earlier = self.answers.records(
            block, rows.read_cells, lambda role: rows.text_column(block, role)
        )
        pairs = [pair for pair in zip(items, answers, strict=True) if int(pair[0].id) not in problems]
        notes, new = [f"row {numbers[row]:,} is not judged: {why}" for row, why in problems.items()], []
        for name, judge in self.judges.items():
            if isinstance(judge, Announcing) and (note := judge.note(pairs)):
                notes.append(note)
            verdicts = sorted(judge.judge(pairs, session), key=lambda v: (int(v.item), v.about, v.aspect, v.by))
            for verdict in verdicts:
                self.tallies[name].add(msgspec.structs.replace(verdict, item=f"row {numbers[int(verdict.item)]}"))
            new += verdicts
        column = self.answers.columns.verdicts or VERDICTS
        verdict_column = pl.Series(column, _as_json(earlier, new, len(frame)), pl.String)
        return _JudgedUnit(parquet_bytes(frame.with_columns(verdict_column)), len(new), tuple(notes))


def _as_json(earlier: Iterable[Verdict], new: Sequence[Verdict], n: int) -> list[str]:
    """Return the verdicts on each row as JSON: the new ones, and earlier ones of other judges."""
    judges = {verdict.by for verdict in new}
    rows: list[list[dict[str, Any]]] = [[] for _ in range(n)]
    for verdict in (*(verdict for verdict in earlier if verdict.by not in judges), *new):
        fields = msgspec.to_builtins(verdict)
        rows[int(fields.pop("item"))].append(fields)
    return [msgspec.json.encode(row).decode() for row in rows]
