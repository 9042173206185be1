"""The table of one rater: a line for each answer with counts, precision, rank, success, quality and notes.

The rating page saves it as CSV, or a rater fills it in by hand.  A spreadsheet may have changed it: semicolons, decimal
commas, another order of columns, XLSX.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neraca.datasets.cells import blank, marked
from neraca.datasets.columns import NAMES, fold
from neraca.datasets.misspelt import ALIKE
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError, SpecError
from neraca.nearest import nearest
from neraca.people.quality_scale import HIGHEST, USUAL, grades_text, scale_text, values_of
from neraca.people.rating_time import read_time
from neraca.translation import say

COLUMNS = (
    *("query_id", "question", "category", "results_count", "relevant_count", "first_relevant_rank"),
    *("overall_precision", "precision_at_5", "mrr", "success", "response_quality", "notes", "answer", "ratings"),
    *("session", "rater", "runs", "rated_at", "top_grade", "grades", "scale"),
)
#: Columns of a template that show an answer to people, and that no import reads.
_FOR_PEOPLE = ("label", "answer_text")
#: Measures of a line, in the order in which they are printed.
MEASURES = ("precision_at_5", "overall_precision", "mrr", "success", "coverage", "response_quality")
#: Notes on an answer without results: it was right, or it was wrong.
NOTHING_EXISTS, SHOULD_HAVE = "no data exists", "should have results"
_HEADINGS = {
    "query_id": NAMES["id"],
    "question": NAMES["query"],
    "category": NAMES["category"],
    "session": NAMES["session"],
}
#: Divisors of precision at 5, in words.
DIVISORS = {"k": "5", "returned": "the number of results, at most 5"}
_TOLERANCE = 0.006
_NUMBERS = frozenset(
    (
        *("results_count", "relevant_count", "first_relevant_rank", "overall_precision", "precision_at_5"),
        *("mrr", "success", "response_quality"),
    )
)


@dataclass
class RatedLine:
    """One line of the table, and the measures that follow from its counts.

    Attributes
    ----------
    place
        Place of the line, in words.
    texts
        Column → text, for columns of words.
    numbers
        Column → number, without empty cells.
    grades
        Grade of each hit by rank, None for a hit without a rating; None without such a column.
    problems
        Cells that cannot be read; for contradictions see `contradictions`.
    divisor
        Divisor of precision at 5: `k`, which is 5, or `returned`, the number of results if there are fewer.
    """

    place: str
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    grades: tuple[int | None, ...] | None = None
    problems: list[str] = field(default_factory=list)
    divisor: str = "k"

    @property
    def empty(self) -> str:
        """The rating of an answer without results: `none` (right), `results` (there should be some), or ""."""
        notes = self.texts.get("notes", "").casefold()
        if self.numbers.get("results_count", 0) > 0 or (NOTHING_EXISTS in notes and SHOULD_HAVE in notes):
            return ""
        return "none" if NOTHING_EXISTS in notes else "results" if SHOULD_HAVE in notes else ""

    @property
    def note(self) -> str:
        """The notes without the phrases about empty answers."""
        pattern = rf"\s*(?:{NOTHING_EXISTS}|{SHOULD_HAVE})\s*;?\s*"
        return re.sub(pattern, "", self.texts.get("notes", ""), flags=re.IGNORECASE).strip()

    def measures(self) -> dict[str, float]:
        """Return the measures of this line, computed from its counts if possible, else as written.

        Precision and MRR need results; success and coverage do not; quality is there if it was rated.
        """
        results, values = self.numbers.get("results_count"), dict(self.numbers)
        computed = self._from_counts() if results else {}
        if results == 0:
            computed = {"success": 1.0 if self.empty == "none" else 0.0} if self.empty else {}
            values = {name: values[name] for name in ("success", "response_quality") if name in values}
        coverage = {} if results is None else {"coverage": float(results > 0)}
        return {name: values[name] for name in MEASURES if name in values} | computed | coverage

    def _from_counts(self) -> dict[str, float]:
        """Return the measures that follow from the grades and counts of a line with results."""
        results = self.numbers["results_count"]
        relevant, first = self.numbers.get("relevant_count"), self.numbers.get("first_relevant_rank")
        measures: dict[str, float] = {}
        n_counted = min(results, 5) if self.divisor == "returned" else 5
        if self.grades is not None and None not in self.grades and len(self.grades) <= results:
            marks = [bool(grade) for grade in self.grades]
            relevant, first = float(sum(marks)), float(marks.index(True) + 1 if any(marks) else 0)
            measures["precision_at_5"] = sum(marks[:5]) / n_counted
        if relevant is not None and relevant <= results:
            measures |= {"overall_precision": relevant / results, "success": float(relevant > 0)}
            if results <= 5 and "precision_at_5" not in self.numbers:
                measures.setdefault("precision_at_5", relevant / n_counted)
            if relevant == 0:
                measures["mrr"] = 0.0
        if first and first >= 1:
            measures["mrr"] = 1 / first
        return measures

    def contradictions(self) -> Iterator[str]:
        """Yield sentences on numbers that contradict the counts of this line, or each other."""
        measures = self.measures()
        for name in ("overall_precision", "precision_at_5", "mrr", "success"):
            value = self.numbers.get(name)
            if value is not None and name in measures and abs(value - measures[name]) > _TOLERANCE:
                yield say(
                    "{name} is {value:g}, but the counts give {measure:.4g}; the counts are taken",
                    name=name,
                    value=value,
                    measure=measures[name],
                )
        notes = self.texts.get("notes", "").casefold()
        if NOTHING_EXISTS in notes and SHOULD_HAVE in notes:
            yield say(
                "notes say both {first!r} and {second!r}; neither is taken, so leave one of them out",
                first=NOTHING_EXISTS,
                second=SHOULD_HAVE,
            )
        results, relevant = self.numbers.get("results_count"), self.numbers.get("relevant_count")
        if results is not None and relevant is not None and relevant > results:
            yield say(
                "{relevant:g} relevant of {results:g} results; the number of relevant ones is left out",
                relevant=relevant,
                results=results,
            )
        if results and self.grades is not None and len(self.grades) > results:
            yield say(
                "{n} ratings for {results:g} results; the ratings are left out", n=len(self.grades), results=results
            )
        if 0 < self.numbers.get("first_relevant_rank", 0) < 1:
            yield say("first_relevant_rank is below 1, the first rank; it is left out")


def one_message(problems: Iterable[str]) -> str:
    """Return all that is wrong in one line as one message.

    >>> one_message(["success is 'x', which is no number", "the note is empty"])
    "success is 'x', which is no number. The note is empty"
    """
    first, *others = problems
    return ". ".join([first, *(problem[:1].upper() + problem[1:] for problem in others)])


def read_rating_table(path: Path | str, divisor: str = "k") -> list[RatedLine]:
    """Read a rater's table; cells that cannot be read become `problems` of their line.

    `divisor` is that of precision at 5, as in `RatedLine`.

    Raises
    ------
    InputError
        If the file is not a table, or has no column of ratings.
    """
    table = read_table(path)
    columns = _columns(table)
    texts = {"scale": _one_text(table, columns, "scale"), "grades": _one_text(table, columns, "grades")}
    texts = {name: text for name, text in texts.items() if text}
    if not {"ratings", "results_count", "response_quality"} & columns.keys():
        raise InputError(
            say(
                "{file}: not a table of ratings: it needs a column results_count, ratings or "
                "response_quality (found: {columns}); see neraca rate RUN --template",
                file=path,
                columns=", ".join(table.columns),
            )
        )
    return [
        _line(columns, RatedLine(table.place(number), dict(texts), divisor=divisor), row)
        for number, row in enumerate(table.rows)
    ]


def _one_text(table: RowBatch, columns: Mapping[str, str], name: str) -> str:
    """Return the scale of quality in a table (`scale`) or the grades of its hits (`grades`), or "".

    Raise `InputError` if it names several.
    """
    cells = [row.get(columns.get(name, "")) for row in table.rows]
    texts = sorted({str(cell).strip().removeprefix("'") for cell in cells if not (blank(cell) or marked(cell))})
    if len(texts) > 1:
        template = "{file}: its column {name} has {texts}; write a file for each of them"
        raise InputError(say(template, file=table.path, name=name, texts=", ".join(texts)))
    if not texts:
        return ""
    try:
        return scale_text(texts[0]) if name == "scale" else grades_text(texts[0])
    except SpecError as error:
        template = "{file}: its column {name} cannot be read; {error}"
        raise InputError(say(template, file=table.path, name=name, error=error)) from error


def ends_of_measure(name: str, lines: Sequence[RatedLine]) -> tuple[float, float]:
    """Return the lowest and the highest value of a measure; those of quality are on the scale of the table."""
    if name != "response_quality":
        return 0.0, 1.0
    values = values_of(next((line.texts["scale"] for line in lines if "scale" in line.texts), ""))
    return float(values[0]), float(values[-1])


def has_column(path: Path | str, name: str) -> bool:
    """Return whether a rater's table has a column, under any of its headings."""
    return name in _columns(read_table(path))


def unread_columns(path: Path | str) -> list[str]:
    """Say which columns of a rater's table are not read, each with the column that may be meant."""
    table = read_table(path)
    columns = _columns(table)
    missing = [name for name in COLUMNS if name not in columns]
    unread = [
        name for name in table.columns if name not in columns.values() and fold(name) not in map(fold, _FOR_PEOPLE)
    ]
    remarks = [(name, nearest(name, missing, ALIKE, "-")) for name in unread]
    likely = [
        say("the column {name!r} is not read: {advice}", name=name, advice=advice)
        for name, advice in remarks
        if advice != "-"
    ]
    others = ", ".join(name for name, advice in remarks if advice == "-")
    return [
        *likely,
        *(
            [say("columns that are not read, because a table of ratings has no such ones: {others}", others=others)]
            if others
            else []
        ),
    ]


def _columns(table: RowBatch) -> dict[str, str]:
    """Return column of a rater's table → its heading in this table."""
    folded = {fold(name): name for name in reversed(table.columns)}
    headings: dict[str, str] = {}
    for name in COLUMNS:
        accepted = (name, name.replace("_", " "), *_HEADINGS.get(name, ()))
        headings |= next(({name: folded[fold(heading)]} for heading in accepted if fold(heading) in folded), {})
    return headings


def _line(columns: Mapping[str, str], line: RatedLine, row: Mapping[str, Any]) -> RatedLine:
    for name, column in columns.items():
        value = row.get(column)
        if blank(value) or marked(value):
            continue
        if name in _NUMBERS:
            _take_number(line, name, value)
        elif name == "rated_at":
            _take_time(line, value)
        elif name not in ("ratings", "top_grade", "grades", "scale"):
            line.texts[name] = str(value).strip().removeprefix("'")
    if "response_quality" in line.numbers:
        _check_quality(line)
    if "ratings" in columns:
        _take_grades(line, row.get(columns["ratings"]), row.get(columns.get("top_grade", "")))
    return line


def _check_quality(line: RatedLine) -> None:
    """Leave out a quality that is not among the values of the table's scale, such as `1;2;3`."""
    scale, quality = line.texts.get("scale", ""), line.numbers["response_quality"]
    if scale and quality not in values_of(scale):
        line.problems.append(
            say(
                "response_quality is {quality:g}, but the scale here is {scale}; it is left out",
                quality=quality,
                scale=_listed(values_of(scale)),
            )
        )
    elif not scale and quality > USUAL[-1]:
        line.problems.append(
            say(
                "response_quality is {quality:g}, which is out of its range; name a longer scale than 0 to 5 "
                "in a column scale, such as 1;2;3;4;5;6;7",
                quality=quality,
            )
        )
    else:
        return
    del line.numbers["response_quality"]


def _listed(values: Sequence[int]) -> str:
    return ";".join(map(str, values))


def _take_number(line: RatedLine, name: str, value: Any) -> None:
    try:
        number = float(str(value).strip().replace(",", "."))
    except ValueError:
        line.problems.append(say("{name} is {value!r}, which is no number", name=name, value=value))
        return
    top = {"response_quality": HIGHEST, "results_count": math.inf, "relevant_count": math.inf}
    if not 0 <= number <= top.get(name, math.inf if name == "first_relevant_rank" else 1.0):
        line.problems.append(say("{name} is {number:g}, which is out of its range", name=name, number=number))
    else:
        line.numbers[name] = number


def _take_time(line: RatedLine, value: Any) -> None:
    """Read the time of the last rating of the answer, as a page writes it or a spreadsheet changes it."""
    time, problem = read_time("rated_at", value)
    if problem:
        line.problems.append(problem)
    else:
        line.texts["rated_at"] = time


def _take_grades(line: RatedLine, value: Any, top: Any) -> None:
    """Read grades by rank, such as `1;0;;1`; a spreadsheet turns a single one into a number.

    `top` is the highest grade of the table, if it names one.
    """
    text = "" if blank(value) or marked(value) else str(value).strip()
    text = text.removesuffix(".0")
    if not re.fullmatch(r"[0-9]?(?:[;|][0-9]?)*", text):
        line.problems.append(
            say("ratings is {text!r}; it is a grade for each result by rank, such as 1;0;;1", text=text)
        )
        return
    grades = tuple(int(grade) if grade else None for grade in re.split("[;|]", text)) if text else None
    highest = str(top).strip().removesuffix(".0")
    above = [grade for grade in grades or () if grade is not None and highest.isdecimal() and grade > int(highest)]
    if above:
        line.problems.append(
            say(
                "ratings is {text!r}, but a grade is at most {highest} (top_grade), so {grade} is no grade "
                "here; the ratings of this line's results are ignored",
                text=text,
                highest=highest,
                grade=above[0],
            )
        )
        return
    line.grades = grades


def columns_by_measure(lines: Sequence[RatedLine]) -> dict[str, list[float]]:
    """Return measure → its value in each line, NaN for a line without it."""
    measures = [line.measures() for line in lines]
    return {name: [of_line.get(name, math.nan) for of_line in measures] for name in MEASURES}
