"""Draw questions that people asked, from the log of a search system or from a run, with the chance of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, SpecError
from neraca.generation.log_source import is_run, read_asked
from neraca.generation.question_folder import save_questions
from neraca.generation.wordings_of_questions import AskedQuestion, merge_wordings
from neraca.number_format import localised
from neraca.personal_data import mask
from neraca.records import GENERATED, VARIANT_OF, Item
from neraca.result import Table, Tabular, short
from neraca.runs.run import Run
from neraca.stats.planning.systematic_sampling import draw_by_weight
from neraca.translation import say

#: The commonest questions, those in the middle, and the rarest: each are asked by about a third of all searches.
FREQUENCIES = ("head", "middle", "tail")
#: Longer texts are not questions.
LONGEST = 1_000
TOO_LONG, NO_WORD = "questions over 1,000 characters", "questions without a letter or digit"
#: Other wordings that are kept with a question.
_MOST_WORDINGS = 5


@dataclass(frozen=True, kw_only=True, repr=False)
class LogQuestions(Tabular):
    """Questions of a log or a run, and how they were drawn.

    Attributes
    ----------
    dataset
        The questions.  Extras: `asked` (the number of searches), `chance` (of being drawn), `wordings` (others).
    source, how
        The log or run, and which of its columns were read.
    number
        The number of questions that was asked for.
    searches, wordings, distinct
        Numbers of searches that could be drawn from, of their wordings, and of questions in any wording.
    by_frequency
        `head`, `middle`, `tail` → numbers of questions and of searches.
    masked
        Kind of personal data → the number of places in all wordings.
    left_out
        Reason → the number of searches, questions or events that were left out.
    seed
        The seed of the random numbers.
    """

    dataset: Dataset
    source: str
    how: str
    number: int
    searches: int
    wordings: int
    distinct: int
    by_frequency: Mapping[str, tuple[int, int]]
    masked: Mapping[str, int]
    left_out: Mapping[str, int]
    seed: int

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def generated(self) -> int:
        """The number of questions that a program or model made, and no person."""
        return sum(GENERATED in item.tags for item in self.dataset)

    def save(self, folder: Path | str) -> None:
        """Write the questions into a folder that every command reads as a data set; see `save_questions`."""
        save_questions(folder, self.dataset)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question."""
        return self.dataset.rows()

    def _tables(self) -> Iterator[Table]:
        rows = [
            [
                item.id,
                item.session or "",
                short(item.query),
                str(item.extra["asked"]),
                localised(f"{item.extra['chance']:.3g}"),
            ]
            for item in self.dataset
        ]
        yield Table(["id", "session", "question", "asked", "chance"], rows, names=3, most=10)


def generate_from_log(
    source: Path | str, n: int = 30, *, columns: Mapping[str, str] | None = None, seed: int = 0
) -> LogQuestions:
    """Draw questions that people asked from a log or a run; no model is asked.

    Wordings that differ in case, accents, punctuation or a rare misspelling are one question.  Each question is drawn
    with a chance in proportion to the number of its searches, so that the mean over the drawn questions is a mean over
    searches, as far as no question is so common that it is drawn for certain.

    Parameters
    ----------
    source
        A log (CSV, TSV, JSON Lines, Parquet, Arrow, SQLite, PostgreSQL; UBI needs no options), or the folder of a run,
        whose conversations stay whole.  Variants are drawn together with their questions, and generated questions keep
        the tag `generated`.
    n
        The number of questions.
    columns
        Role → column, for columns that are not recognised: `query`, `count`, `user`, `time` ….
    seed
        Seed of the random numbers: equal seeds draw equal questions.

    Raises
    ------
    InputError
        If the source cannot be read, or holds no question.
    SpecError
        If n is below 1, or a role or column does not exist.

    Examples
    --------
    >>> import neraca
    >>> questions = neraca.generate_from_log("log.jsonl", 40)  # doctest: +SKIP
    >>> questions.dataset.items[0].extra["asked"]  # doctest: +SKIP
    310
    """
    if n < 1:
        raise SpecError(say("the number of questions must be at least 1, not {n}", n=n))
    return _of_run(source, n, seed) if is_run(source) else _of_log(source, n, columns, seed)


def _of_log(source: Path | str, n: int, columns: Mapping[str, str] | None, seed: int) -> LogQuestions:
    asked = read_asked(source, columns)
    masked: Counter[str] = Counter()
    left_out = asked.left_out.copy()
    counts: Counter[str] = Counter()
    for wording in sorted(asked.counts):
        text, marks = mask(" ".join(wording.split()))
        if reason := _unusable(text):
            left_out[reason] += asked.counts[wording]
        else:
            counts[text] += asked.counts[wording]
            masked += marks
    if not counts:
        reasons = "; ".join(f"{number} {reason}" for reason, number in left_out.items()) or "it is empty"
        raise InputError(
            say(
                "{source}: nobody asked a question in it ({reasons}); look at the columns ({how})",
                source=source,
                reasons=reasons,
                how=asked.how,
            )
        )
    questions = merge_wordings(counts)
    strata = frequencies([question.asked for question in questions])
    drawn = draw_by_weight([question.asked for question in questions], n, Random(seed))
    digits = len(str(len(drawn)))
    items = tuple(
        _item(f"q{number:0{digits}}", questions[place], chance, strata[place])
        for number, (place, chance) in enumerate(drawn, 1)
    )
    by_frequency = dict.fromkeys(FREQUENCIES, (0, 0))
    for question, name in zip(questions, strata, strict=True):
        number, searches = by_frequency[name]
        by_frequency[name] = (number + 1, searches + question.asked)
    return LogQuestions(
        dataset=Dataset(items, str(source)),
        source=str(source),
        how=asked.how,
        number=n,
        searches=counts.total(),
        wordings=len(counts),
        distinct=len(questions),
        by_frequency=by_frequency,
        masked=masked,
        left_out=+left_out,
        seed=seed,
    )


def _unusable(text: str) -> str:
    if len(text) > LONGEST:
        return TOO_LONG
    return "" if any(map(str.isalnum, text)) else NO_WORD


def _item(name: str, question: AskedQuestion, chance: float, frequency: str) -> Item:
    extra: dict[str, Any] = {"asked": question.asked, "chance": round(chance, 6)}
    if question.others:
        extra["wordings"] = list(question.others[:_MOST_WORDINGS])
    return Item(
        id=name, query=question.text, tags={"kind": "asked", "source": "log", "frequency": frequency}, extra=extra
    )


def _of_run(source: Path | str, n: int, seed: int) -> LogQuestions:
    """Draw whole conversations of a run, and questions that stand alone, each with its variants and right answers."""
    run = Run(source)
    masked: Counter[str] = Counter()
    unit_by_id: dict[str, list[Item]] = {}
    for session in Dataset(tuple(run.items)).sessions():
        unit = unit_by_id.setdefault(session[0].tags.get(VARIANT_OF, session[0].id), [])
        for item in session:
            text, marks = mask(item.query)
            masked += marks
            unit.append(msgspec.structs.replace(item, query=text))
    units = list(unit_by_id.values())
    total = sum(map(len, units))
    if not total:
        raise InputError(say("{source}: the run has no questions", source=source))
    drawn = draw_by_weight([1] * len(units), max(1, round(n * len(units) / total)), Random(seed))
    items = tuple(
        msgspec.structs.replace(
            item,
            tags={"source": "run", **item.tags},
            extra={**item.extra, "asked": 1, "chance": round(chance, 6)},
        )
        for place, chance in drawn
        for item in units[place]
    )
    return LogQuestions(
        dataset=Dataset(items, str(source)),
        source=str(source),
        how="",
        number=n,
        searches=total,
        wordings=len({item.query for unit in units for item in unit}),
        distinct=total,
        by_frequency={},
        masked=masked,
        left_out={},
        seed=seed,
    )


def frequencies(counts: Sequence[int]) -> list[str]:
    """Return the stratum of each question, from counts in falling order: each has about a third of the searches.

    >>> frequencies([4, 2, 1, 1, 1, 1, 1, 1])
    ['head', 'middle', 'middle', 'middle', 'tail', 'tail', 'tail', 'tail']
    """
    total, before, strata = sum(counts), 0, []
    for count in counts:
        strata.append(FREQUENCIES[min(2, 3 * before // total)])
        before += count
    return strata
