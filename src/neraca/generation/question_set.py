"""Make questions about records: constraints are drawn, looked up in the table, and written in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError
from neraca.generation.constraint_draws import ConstraintDraws, Constraints, quotas, stratum_of
from neraca.generation.kinds import numbers_of
from neraca.generation.question_folder import save_questions
from neraca.generation.record_search import RecordSearch
from neraca.generation.records_table import Records, read_records
from neraca.generation.sessions import TURNS, Sessions
from neraca.generation.wording import Wording
from neraca.records import GENERATED, Item
from neraca.result import Table, Tabular, short
from neraca.translation import say

#: Kinds of questions → the share of each if no shares are named.
KINDS = {"constraint": 0.5, "followup": 0.5}


@dataclass(frozen=True, repr=False)
class QuestionSet(Tabular):
    """Generated questions, and how they came about.

    Attributes
    ----------
    dataset
        The questions.
    records
        The table that they ask about.
    asked
        Kind → the number of questions that was asked for.
    seed
        The seed of the random numbers.
    """

    dataset: Dataset
    records: Records
    asked: Mapping[str, int]
    seed: int

    def __len__(self) -> int:
        return len(self.dataset)

    def save(self, folder: Path | str) -> None:
        """Write the questions into a folder that every command reads as a data set; see `save_questions`."""
        save_questions(folder, self.dataset)

    def counts(self, tag: str) -> Counter[str]:
        """Return how many questions have each value of a tag: `kind`, `turn` or `results`."""
        return Counter(item.tags.get(tag, "") for item in self.dataset)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question."""
        return self.dataset.rows()

    def _tables(self) -> Iterator[Table]:
        rows = [
            [item.id, item.session or "", short(item.query), str(len(item.relevant or {}))] for item in self.dataset
        ]
        yield Table(["id", "session", "question", "right answers"], rows, names=3, most=10)


def generate(
    records: Any,
    n: int = 30,
    *,
    kinds: str = "",
    language: str = "",
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
) -> QuestionSet:
    """Make questions about a table of records, with right answers that are exact; no model is asked.

    A constraint is drawn around the value of a record (its price, its district), and looked up in the whole table by
    the checks of the judge `rules`.  The records that meet all constraints of a question are its relevant documents.
    A fifth of the single questions has no right answer, though one would have without one of the constraints.

    Parameters
    ----------
    records
        A table file, a list of dicts, or a data frame; each row is a record.
    n
        The number of questions, from 1 to 10,000; each turn of a conversation is one.
    kinds
        Kinds with their shares: `constraint`, or `constraint=0.7,followup=0.3`; "": half of each.
    language
        Language of the questions: en, id, es or ar; "": found in the texts of the table.
    columns
        Role → column: `id`, `noun` (what a record is), `place`; column → "": no question asks about it.
    seed
        Seed of the random numbers: equal seeds give equal questions.

    Raises
    ------
    InputError
        If the table cannot be read, or has no column that can be asked about.
    SpecError
        If n, a kind or the language cannot be used.

    Examples
    --------
    >>> import neraca
    >>> rooms = [{"id": f"r{i}", "city": "Medan" if i % 2 else "Binjai", "price": 100 * i} for i in range(1, 9)]
    >>> questions = neraca.generate(rooms, 2, kinds="constraint", language="en")
    >>> len(questions), {item.tags["kind"] for item in questions.dataset}
    (2, {'constraint'})
    """
    numbers = numbers_of(n, kinds, KINDS)
    table = read_records(records, language, columns)
    random = Random(seed)
    search = RecordSearch(table)
    draws, wording = ConstraintDraws(table, search, random), Wording(table, random)
    items = [*_single(numbers.get("constraint", 0), draws, wording)]
    items += _in_sessions(numbers.get("followup", 0), draws, Sessions(draws, wording, random), wording)
    if not items:
        raise InputError(
            say("{source}: no question was found; its {n} records differ too little", source=table.source, n=len(table))
        )
    return QuestionSet(Dataset(tuple(items), table.source), table, numbers, seed)


def _single(n: int, draws: ConstraintDraws, wording: Wording) -> Iterator[Item]:
    """Yield questions that stand alone, the strata of their results in turn; a stratum without any gives its place."""
    strata = [name for name, number in quotas(n).items() for _ in range(number)]
    draws.random.shuffle(strata)
    exhausted: set[str] = set()
    for number, name in enumerate(strata, start=1):
        constraints = None
        for stratum in (name, "few", "many", "one", "none"):
            if stratum not in exhausted and (constraints := draws.draw(stratum)):
                break
            exhausted.add(stratum)
        if constraints is None:
            return
        yield make_item(
            f"c{number:0{len(str(n))}}", wording.first(constraints), constraints, draws, wording, kind="constraint"
        )


def _in_sessions(n: int, draws: ConstraintDraws, sessions: Sessions, wording: Wording) -> Iterator[Item]:
    """Yield the turns of conversations, n in all."""
    made = session = 0
    while made < n:
        turns = sessions.session(_turns(n - made))
        if not turns:
            return
        session += 1
        for turn in turns:
            made += 1
            tags = {"kind": "followup", "turn": turn.kind}
            name = f"f{made:0{len(str(n))}}"
            yield make_item(name, turn.text, turn.constraints, draws, wording, session=f"s{session}", **tags)


def _turns(left: int) -> int:
    """Return the length of the next conversation, so that none has only one turn unless one question is left.

    >>> [_turns(left) for left in (7, 5, 4, 3, 2, 1)]
    [3, 3, 2, 3, 2, 1]
    """
    return 2 if left == TURNS + 1 else min(TURNS, left)


def make_item(
    name: str,
    text: str,
    constraints: Constraints,
    draws: ConstraintDraws,
    wording: Wording,
    session: str | None = None,
    **tags: str,
) -> Item:
    """Return a question with its right answers, and the reason why these are right."""
    right_answers = draws.search.ids(constraints)
    misses = {} if right_answers else draws.near_misses(constraints)
    return Item(
        id=name,
        query=text,
        session=session,
        relevant=dict.fromkeys(right_answers, 1.0),
        expects="results" if right_answers else "none",
        constraints=constraints,
        tags={
            **tags,
            "results": stratum_of(len(right_answers)),
            "language": draws.records.language,
            GENERATED: "records",
        },
        extra={"why": wording.why(len(right_answers), len(draws.records), misses)},
    )
