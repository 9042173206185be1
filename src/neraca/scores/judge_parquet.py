"""Judges on the rows of Parquet files of any size: unit by unit, with one budget and one cache over all of them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from neraca import object_stores
from neraca.concurrency import Progress, silent
from neraca.datasets.columns import ALL, fold
from neraca.datasets.row_batch import RowBatch
from neraca.errors import SpecError
from neraca.files import fingerprint
from neraca.judges.judge import Announcing, Judge, make_judge
from neraca.judges.judge_set import Member
from neraca.judges.tally import Tally
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.records import Verdict
from neraca.result import Shown, Table
from neraca.scores.engine.manifest import WorkManifest, begin, units_in
from neraca.scores.engine.work_unit import Source, Unit, read_unit, sources_of, units_of
from neraca.scores.sources.answer_rows import AnswerColumns, AnswerRows
from neraca.scores.sources.text_columns import TextColumns
from neraca.scores.sources.text_rows import TextRows

if TYPE_CHECKING:
    import polars as pl

#: In the output: the folder of rows with their verdicts, and what was asked for.
ROWS, MANIFEST = "rows", "judged.json"
#: What the column of verdicts is called.
VERDICTS = "verdicts"


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgedRows(Shown):
    """The number of rows that judges decided, and the folder of their verdicts.

    Attributes
    ----------
    address
        The address of the folder; `score_parquet` reads its `rows`.
    rows, before
        Rows in all, and how many of them were judged when this began.
    verdicts
        The number of new verdicts.
    tallies
        Judge → what it decided of them and what it left open, with the reasons.
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
    """Let judges decide on rows, and write the rows with what was decided into a folder.

    Units are judged one after the other, with as many calls at a time as the session bears, so that one account, one
    budget and one cache hold for all rows.  A unit is written whole when all judges are done with it; begun again after
    a kill or with a larger budget, what is written is not judged again, and what was paid for is in the cache.

    Parameters
    ----------
    sources
        As of `score_parquet`.  A column `verdicts` that is there already is kept, but for what the same judges said.
    members
        Judges, or names of such.
    out
        The folder: `rows/` has all columns of the rows, and `verdicts` as JSON.
    session
        Models are asked through it.  In a dry run nothing is written.
    progress
        Is told how many rows are done.

    Raises
    ------
    BudgetReached
        The session's budget does not suffice; units that are whole are kept.
    InputError, RunError, SpecError
        As of `score_parquet`.
    """
    chosen = [Member.of(one, {}) if isinstance(one, str) else one for one in members]
    if not chosen:
        raise SpecError("there is no judge; name at least one, such as rules")
    judges = {str(member): make_judge(member.kind, member.settings) for member in chosen}
    table_sources = sources_of([str(sources)] if isinstance(sources, str | Path) else map(str, sources))
    reading = _Reading.of(table_sources, judges)
    folder = object_stores.within(str(out), ROWS)
    if not session.dry_run:
        begin(object_stores.within(str(out), MANIFEST), _manifest(table_sources, chosen))
    units, there = units_of(table_sources), units_in(folder)
    waiting = [unit for unit in units if unit.name not in there]
    total = sum(unit.rows for unit in units)
    done = JudgedRows(address=str(out), rows=total, before=total - sum(unit.rows for unit in waiting))
    rows, verdicts, notes, before = done.before, 0, dict[str, None](), session.spent
    for unit in waiting:
        judged = reading.judged(unit, session)
        if not session.dry_run:
            object_stores.write_bytes(object_stores.within(folder, unit.name), judged.data)
        rows, verdicts = rows + unit.rows, verdicts + judged.new
        notes |= dict.fromkeys(judged.notes)
        progress(rows, total, str(session.spent))
    spent = session.spent - before
    return replace(done, verdicts=verdicts, tallies=reading.tallies, spent=spent, notes=tuple(notes))


def _manifest(sources: Sequence[Source], members: Sequence[Member]) -> WorkManifest:
    settings = {str(member): [member.kind, fingerprint(dict(member.settings))] for member in members}
    return WorkManifest.made(sources, (), {}, {"judges": settings})


@dataclass(frozen=True)
class _Judged:
    """A unit that was judged: the file to write, how many verdicts are new, and what is to be said."""

    data: bytes
    new: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Reading:
    """The columns to read, and the judges."""

    names: tuple[str, ...]
    texts: TextColumns
    answers: AnswerRows
    judges: dict[str, Judge]
    tallies: dict[str, Tally]

    @classmethod
    def of(cls, sources: Sequence[Source], judges: dict[str, Judge]) -> _Reading:
        """By the names of the columns; raise `SpecError` where there is neither an answer nor a hit."""
        names = sources[0].footer.columns
        free = {fold(name): name for name in reversed(names)}
        text_columns: set[str] = set()

        def one(role: str) -> str:
            name = next((free[fold(n)] for n in ALL[role] if fold(n) in free and free[fold(n)] not in text_columns), "")
            text_columns.add(name)
            return name

        query, contexts, references = one("query"), one("contexts"), one("references")
        response = one("response")
        if not response and fold(references) in map(fold, ALL["response"]):
            response, references = references, ""  # `answer` alone is what a system said
        texts = TextColumns(
            (references,) if references else (),
            (response,) if response else (),
            query=query,
            contexts=contexts,
            language=one("language"),
        )
        answer_columns = AnswerColumns.find(names, text_columns)
        if not response and not answer_columns.hits:
            raise SpecError(
                f"{sources[0].address}: no column for the response or the hits (found: {', '.join(names)}); there is "
                "nothing to judge"
            )
        return cls(names, texts, AnswerRows(answer_columns), judges, {name: Tally() for name in judges})

    def judged(self, unit: Unit, session: ModelSession) -> _Judged:
        """Let all judges decide on the rows of a unit."""
        import polars as pl

        frame = read_unit(unit, self.names)
        numbers = range(unit.first + 1, unit.first + 1 + len(frame))
        block = RowBatch(self.names, frame, Path(unit.source), "row", numbers)
        problems: dict[int, str] = {}
        rows = TextRows(unit.source, self.texts, problems=problems)
        items, answers, earlier = self.answers.records(block, rows.each, lambda what: rows.texts(block, what))
        pairs = [pair for pair in zip(items, answers, strict=True) if int(pair[0].id) not in problems]
        notes, new = [f"row {numbers[row]:,} is not judged: {why}" for row, why in problems.items()], []
        for name, judge in self.judges.items():
            if isinstance(judge, Announcing) and (note := judge.note(pairs)):
                notes.append(note)
            verdicts = sorted(judge.judge(pairs, session), key=lambda v: (int(v.item), v.about, v.aspect, v.by))
            for verdict in verdicts:
                self.tallies[name].add(_in_file(verdict, numbers))
            new += verdicts
        column = self.answers.columns.verdicts or VERDICTS
        written = pl.Series(column, _as_json(earlier, new, len(frame)), pl.String)
        return _Judged(_parquet(frame.with_columns(written)), len(new), tuple(notes))


def _in_file(verdict: Verdict, numbers: Sequence[int]) -> Verdict:
    """The verdict with the number of its row in the file, for messages."""
    return msgspec.structs.replace(verdict, item=f"row {numbers[int(verdict.item)]}")


def _as_json(earlier: Iterable[Verdict], new: Sequence[Verdict], n: int) -> list[str]:
    """The verdicts on each row: those that were there, but for what the same judges said, and the new ones."""
    judges = {verdict.by for verdict in new}
    rows: list[list[dict[str, Any]]] = [[] for _ in range(n)]
    for verdict in (*(one for one in earlier if one.by not in judges), *new):
        fields = msgspec.to_builtins(verdict)
        rows[int(fields.pop("item"))].append(fields)
    return [msgspec.json.encode(row).decode() for row in rows]


def _parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", row_group_size=max(1, len(frame)))
    return file.getvalue()
