"""The table of one rater: a line for each answer with counts, precision, rank, success, quality and notes.

It is what the rating page saves as CSV, what a rater fills in by hand, and what a spreadsheet made of it: with
semicolons, decimal commas, other orders of columns, as XLSX.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neraca.datasets.cells import blank
from neraca.datasets.columns import NAMES, fold
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError

COLUMNS = (
    *("query_id", "question", "category", "results_count", "relevant_count", "first_relevant_rank"),
    *("overall_precision", "precision_at_5", "mrr", "success", "response_quality", "notes", "answer", "ratings"),
    *("session", "rater", "runs", "rated_at", "top_grade"),
)
#: What a line measures, in the order in which it is printed.
MEASURES = ("precision_at_5", "overall_precision", "mrr", "success", "coverage", "response_quality")
#: Notes that say whether an answer without results was right.
NOTHING_EXISTS, SHOULD_HAVE = "no data exists", "should have results"
#: The largest value of each measure; the least is 0.
LARGEST = dict.fromkeys(MEASURES, 1.0) | {"response_quality": 5.0}
_OTHERS = {
    "query_id": NAMES["id"],
    "question": NAMES["query"],
    "category": NAMES["category"],
    "session": NAMES["session"],
}
#: What precision at 5 can be divided by, in words.
DIVISORS = {"k": "5", "returned": "the number of results, at most 5"}
_CLOSE = 0.006
_NUMBERS = frozenset(COLUMNS[3:11])


@dataclass
class RatedLine:
    """One line: what it says, and what follows from its counts.

    Attributes
    ----------
    place
        Where it stands, for people.
    texts
        Column → text, of those that hold words.
    numbers
        Column → number; those that are empty are missing.
    grades
        Grade of each hit by rank, None where it is not rated; None where no column says it.
    problems
        What cannot be read, and what contradicts what.
    of
        What precision at 5 is divided by: `k`, which is 5, or `returned`, the number of results where these are fewer.
    """

    place: str
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    grades: tuple[int | None, ...] | None = None
    problems: list[str] = field(default_factory=list)
    of: str = "k"

    @property
    def empty(self) -> str:
        """Of an answer without results: `none` (rightly), `results` (something should have come), or ""."""
        told = self.texts.get("notes", "").casefold()
        if self.numbers.get("results_count", 0) > 0 or (NOTHING_EXISTS in told and SHOULD_HAVE in told):
            return ""
        return "none" if NOTHING_EXISTS in told else "results" if SHOULD_HAVE in told else ""

    @property
    def note(self) -> str:
        """The rater's own words."""
        pattern = rf"\s*(?:{NOTHING_EXISTS}|{SHOULD_HAVE})\s*;?\s*"
        return re.sub(pattern, "", self.texts.get("notes", ""), flags=re.IGNORECASE).strip()

    def measures(self) -> dict[str, float]:
        """Each measure that this line has: recomputed from its counts where they say it, else as it is written.

        Precision and MRR only where there are results; success and coverage always; quality where it is given.
        """
        results, said = self.numbers.get("results_count"), dict(self.numbers)
        found = self._counted() if results else {}
        if results == 0:
            found = {"success": 1.0 if self.empty == "none" else 0.0} if self.empty else {}
            said = {name: said[name] for name in ("success", "response_quality") if name in said}
        coverage = {} if results is None else {"coverage": float(results > 0)}
        return {name: said[name] for name in MEASURES if name in said} | found | coverage

    def _counted(self) -> dict[str, float]:
        results = self.numbers["results_count"]
        relevant, first = self.numbers.get("relevant_count"), self.numbers.get("first_relevant_rank")
        found: dict[str, float] = {}
        divisor = min(results, 5) if self.of == "returned" else 5
        if self.grades is not None and None not in self.grades:
            marks = [bool(grade) for grade in self.grades]
            relevant, first = float(sum(marks)), float(marks.index(True) + 1 if any(marks) else 0)
            found["precision_at_5"] = sum(marks[:5]) / divisor
        if relevant is not None:
            found |= {"overall_precision": relevant / results, "success": float(relevant > 0)}
            if results <= 5 and "precision_at_5" not in self.numbers:
                found.setdefault("precision_at_5", relevant / divisor)
            if relevant == 0:
                found["mrr"] = 0.0
        if first:
            found["mrr"] = 1 / first
        return found

    def contradictions(self) -> Iterator[str]:
        """Yield what is written and does not follow from the counts of this line."""
        counted = self.measures()
        for name in ("overall_precision", "precision_at_5", "mrr", "success"):
            said = self.numbers.get(name)
            if said is not None and name in counted and abs(said - counted[name]) > _CLOSE:
                yield f"{name} is {said:g}, but the counts give {counted[name]:.4g}; the counts are taken"
        told = self.texts.get("notes", "").casefold()
        if NOTHING_EXISTS in told and SHOULD_HAVE in told:
            yield f"notes say both {NOTHING_EXISTS!r} and {SHOULD_HAVE!r}; neither is taken, so leave one of them out"
        results, relevant = self.numbers.get("results_count"), self.numbers.get("relevant_count")
        if results is not None and relevant is not None and relevant > results:
            yield f"{relevant:g} relevant of {results:g} results"


def read_rating_table(path: Path | str, of: str = "k") -> list[RatedLine]:
    """Read a rater's table; what cannot be read in a line stands in its `problems`, and the rest of it is taken.

    `of` is what precision at 5 is divided by, as in `RatedLine`.

    Raises
    ------
    InputError
        Where it is no table, or has none of the columns that say something.
    """
    table = read_table(path)
    columns = _columns(table)
    if not {"ratings", "results_count", "response_quality"} & columns.keys():
        raise InputError(
            f"{path}: no table of ratings: it needs a column results_count, ratings or response_quality (found: "
            f"{', '.join(table.columns)}); see neraca rate RUN --template"
        )
    return [_line(columns, RatedLine(table.place(number), of=of), row) for number, row in enumerate(table.rows)]


def has_column(path: Path | str, name: str) -> bool:
    """Tell whether a rater's table has a column, under whatever heading."""
    return name in _columns(read_table(path))


def _columns(table: RowBatch) -> dict[str, str]:
    """Column of a rater's table → what it is called here."""
    folded = {fold(name): name for name in reversed(table.columns)}
    found: dict[str, str] = {}
    for name in COLUMNS:
        known = (name, name.replace("_", " "), *_OTHERS.get(name, ()))
        found |= next(({name: folded[fold(one)]} for one in known if fold(one) in folded), {})
    return found


def _line(columns: Mapping[str, str], line: RatedLine, row: Mapping[str, Any]) -> RatedLine:
    for name, column in columns.items():
        value = row.get(column)
        if blank(value):
            continue
        if name in _NUMBERS:
            _take_number(line, name, value)
        elif name == "rated_at":
            _take_time(line, value)
        elif name not in ("ratings", "top_grade"):
            line.texts[name] = str(value).strip().removeprefix("'")
    if "ratings" in columns:
        _take_grades(line, row.get(columns["ratings"]), row.get(columns.get("top_grade", "")))
    line.problems += line.contradictions()
    return line


def _take_number(line: RatedLine, name: str, value: Any) -> None:
    try:
        number = float(str(value).strip().replace(",", "."))
    except ValueError:
        line.problems.append(f"{name} is {value!r}, which is no number")
        return
    top = {"response_quality": 5.0, "results_count": math.inf, "relevant_count": math.inf}
    if not 0 <= number <= top.get(name, math.inf if name == "first_relevant_rank" else 1.0):
        line.problems.append(f"{name} is {number:g}, which is out of its range")
    else:
        line.numbers[name] = number


def _take_time(line: RatedLine, value: Any) -> None:
    """When something was last said of the answer, UTC; what a page writes, or a spreadsheet makes of it."""
    try:
        at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    except ValueError:
        line.problems.append(f"rated_at is {value!r}, which is no time such as 2026-01-31T09:30:00Z; it is left out")
        return
    utc = at.astimezone(UTC) if at.tzinfo else at
    line.texts["rated_at"] = f"{utc.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _take_grades(line: RatedLine, value: Any, top: Any) -> None:
    """Grades by rank, such as `1;0;;1`; a spreadsheet makes a number of a single one.

    `top` is the highest grade that the raters were to give, where the table says it.
    """
    text = "" if blank(value) else str(value).strip()
    text = text.removesuffix(".0")
    if not re.fullmatch(r"[0-9]?(?:[;|][0-9]?)*", text):
        line.problems.append(f"ratings is {text!r}; it is a grade for each result by rank, such as 1;0;;1")
        return
    grades = tuple(int(grade) if grade else None for grade in re.split("[;|]", text)) if text else None
    highest = str(top).strip().removesuffix(".0")
    above = [grade for grade in grades or () if grade is not None and highest.isdecimal() and grade > int(highest)]
    if above:
        line.problems.append(
            f"ratings is {text!r}, but a grade is at most {highest} (top_grade), so {above[0]} is none; no rating of "
            "this line's results is taken"
        )
        return
    line.grades = grades


def table_rows(lines: Sequence[RatedLine]) -> dict[str, list[float]]:
    """Measure → its value in each line, NaN where the line does not have it."""
    found = [line.measures() for line in lines]
    return {name: [one.get(name, math.nan) for one in found] for name in MEASURES}
