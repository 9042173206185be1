"""The scales of raters: the grades of hits, and the quality of answers with the runs that were rated on each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from neraca.errors import SpecError
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.translation import say

#: The aspect of verdicts on the quality of an answer.
QUALITY: Final = "quality"
#: The aspect of verdicts on a hit.
RELEVANCE: Final = "relevance"
#: The usual scale: 5 if all is relevant, down to 0, an error or nothing.
USUAL: Final = (0, 1, 2, 3, 4, 5)
#: The highest value that a scale may have.
HIGHEST: Final = 10
_RANGE = re.compile(r"\s*(\d+)\s*[-–]\s*(\d+)\s*", re.ASCII)
_VALUE = re.compile(r"\s*(\d+)\s*", re.ASCII)


def parse_scale(text: str) -> tuple[tuple[int, str], ...]:
    """Return the values of a scale of quality and their words; () for "", the usual scale.

    The values are whole numbers from 0 to 10.  A range may be followed by words for some of its values.  Raise
    `SpecError` if the scale cannot be read, has fewer than two values, or names one twice.

    >>> parse_scale("1-3"), parse_scale("1=wrong; 5 = right"), parse_scale("0-2; 0=wrong; 2=right")
    (((1, ''), (2, ''), (3, '')), ((1, 'wrong'), (5, 'right')), ((0, 'wrong'), (1, ''), (2, 'right')))
    """
    if not text.strip():
        return ()
    first, *others = (part for part in re.split(r"[;\n]", text) if part.strip())
    ends = _RANGE.fullmatch(first)
    values = list(range(int(ends[1]), int(ends[2]) + 1)) if ends and int(ends[2]) <= HIGHEST else []
    if ends and not values:
        raise _not_allowed(text)
    parts = [part.partition("=") for part in (others if ends else [first, *others])]
    if wrong := next((part for part in parts if not _VALUE.fullmatch(part[0])), None):
        raise SpecError(
            say(
                "scale: cannot read {part!r}; write 1-5, 1=poor;2=fair;3=good, or 0-10;0=poor;10=good",
                part="".join(wrong).strip(),
            )
        )
    words = {int(value): meaning.strip() for value, _, meaning in parts}
    own_values = values or list(words)
    if len(own_values) < 2 or max(own_values) > HIGHEST or len(words) < len(parts) or not words.keys() <= {*own_values}:
        raise _not_allowed(text)
    return tuple((value, words.get(value, "")) for value in sorted(own_values))


def parse_grades(grades: int | str) -> tuple[tuple[int, str], ...]:
    """Return the grades of a hit, from 0 (not relevant), and their words.

    `grades` is their number, 2 to 10, or a scale as in `parse_scale` up to 9.  Raise `SpecError` for anything else.

    >>> parse_grades(3), parse_grades("0=no; 1=partly; 2=yes")
    (((0, ''), (1, ''), (2, '')), ((0, 'no'), (1, 'partly'), (2, 'yes')))
    """
    text = str(grades).strip()
    n = int(text) if _VALUE.fullmatch(text) else 0
    if n and not 2 <= n <= HIGHEST:
        raise SpecError(say("grades: a hit has 2 to {highest} grades, not {n}", highest=HIGHEST, n=n))
    try:
        parsed = parse_scale(f"0-{n - 1}" if n else text)
    except SpecError as error:
        raise SpecError(f"grades: {str(error).removeprefix('scale: ')}") from None
    if not parsed or parsed[0][0] != 0 or parsed[-1][0] >= HIGHEST:
        raise SpecError(
            say(
                "grades: {text!r} must begin with 0, not relevant, and end at {highest} or lower",
                text=text,
                highest=HIGHEST - 1,
            )
        )
    return parsed


def _not_allowed(text: str) -> SpecError:
    return SpecError(
        say(
            "scale: {text!r} needs two or more different whole values from 0 to {highest}, such as 1-5, "
            "1-7 or 0-10. Grades on a longer scale come from a table with a column for each rater "
            "(neraca agree TABLE) or with a score of each text (neraca text TABLE --human COLUMN)",
            text=text,
            highest=HIGHEST,
        )
    )


def values_of(scale: str) -> tuple[int, ...]:
    """Return the values of a scale, those of the usual one for ""."""
    return tuple(value for value, _ in parse_scale(scale)) or USUAL


def scale_text(scale: str) -> str:
    """Return a scale as files hold it, each value with its words; a spreadsheet would read 1-5 as a date.

    >>> scale_text("1-3"), scale_text("0-2; 0=wrong"), scale_text("")
    ('1;2;3', '0=wrong;1;2', '')
    """
    return _joined(parse_scale(scale))


def grades_text(grades: int | str) -> str:
    """Return the grades of a hit as files hold them; "" for the usual two without words.

    >>> grades_text("0=no; 1=partly; 2=yes"), grades_text(3), grades_text(2)
    ('0=no;1=partly;2=yes', '0;1;2', '')
    """
    parsed = parse_grades(grades)
    return "" if parsed == parse_grades(2) else _joined(parsed)


def _joined(values: Iterable[tuple[int, str]]) -> str:
    return ";".join(f"{value}={words}" if words else str(value) for value, words in values)


def scale_words(scale: str, grades: str = "") -> dict[str, dict[str, str]]:
    """Return aspect → value → its words, "" for a value without words, as in `Manifest.scale_words`.

    Parameters
    ----------
    scale, grades
        The scale of quality and the grades of hits, as in `scale_text` and `grades_text`; "": none of their own.

    >>> scale_words("1=wrong;2;3=right")
    {'quality': {'1': 'wrong', '2': '', '3': 'right'}}
    """
    parsed = {QUALITY: parse_scale(scale), RELEVANCE: parse_grades(grades) if grades else ()}
    return {aspect: {str(value): words for value, words in values} for aspect, values in parsed.items() if values}


def highest_grade(runs: Iterable[Run], grades: str, default: int) -> int:
    """Return the highest grade of a hit that a file of ratings and the rated runs allow.

    Parameters
    ----------
    runs
        The runs that were rated; their manifests may state the grades and their words.
    grades
        The grades that the file states, as in `parse_grades`; "": it states none.
    default
        The result if nothing is stated.  If several are stated, the lowest counts: a higher grade is on another scale.
    """
    stated = [max(map(int, words)) for run in runs if (words := run.manifest.scale_words.get(RELEVANCE))]
    if grades:
        stated.append(parse_grades(grades)[-1][0])
    return min(stated, default=default)


def ends_of(scale: str) -> str:
    """Return the lowest and the highest value of a scale, as in `Manifest.scales`; "" for the usual scale.

    >>> ends_of("1=wrong;5=right"), ends_of("")
    ('1-5', '')
    """
    values = values_of(scale)
    return "" if values == USUAL else f"{values[0]}-{values[-1]}"


def conflict_with(run: Run, scale: str, verdicts: Iterable[Verdict]) -> str:
    """Return why people's quality on this scale cannot stand beside the quality that they gave in this run, or "".

    Parameters
    ----------
    run
        The run; its manifest may state a scale.
    scale
        The scale of the new ratings; "": the usual one.
    verdicts
        The verdicts of the run.  If its manifest states no scale, people's values on the quality decide: they were
        given from 0 to 5, and a scale within these that has all of them may be theirs.
    """
    stated, own = run.manifest.scales.get(QUALITY, ""), ends_of(scale)
    if stated == own or not (stated or own):
        return ""
    high = int((stated or own).partition("-")[2])
    if stated and (own or high > USUAL[-1]):
        return say(
            "people rated the quality in {run} from {first}, and these ratings go from {second}",
            run=run.path,
            first=_words(stated),
            second=_words(own),
        )
    values = {
        v.value for v in verdicts if v.aspect == QUALITY and v.value is not None and v.by.partition(":")[0] == "human"
    }
    if own and values and (high > USUAL[-1] or not values <= set(values_of(scale))):
        return say(
            "people rated the quality in {run} from {first}, and these ratings go from {second}",
            run=run.path,
            first=_words(""),
            second=_words(own),
        )
    return ""


def _words(ends: str) -> str:
    low, _, high = (ends or f"{USUAL[0]}-{USUAL[-1]}").partition("-")
    return say("{low} to {high}", low=low, high=high)


def check_grades(runs: Iterable[Run], grades: int | str) -> None:
    """Raise `SpecError` if people graded hits in one of these runs on another scale than `grades`.

    The grades that a run states decide.  If it states none, the grades that people gave do: if these are only 0 and 1,
    they were the usual ones, and no further grades stand beside them.
    """
    values = {value for value, _ in parse_grades(grades)}
    for run in runs:
        stated = {int(value) for value in run.manifest.scale_words.get(RELEVANCE, ())}
        if not stated:
            used = {v.value for v in run.verdicts() if _grades_a_hit(v) and v.value is not None}
            if not used or (used <= values and (max(used) > 1 or max(values) == 1)):
                continue
            stated = {0, *range(int(max(1, *used)) + 1)}
        if stated != values:
            raise SpecError(
                say(
                    "grades: people graded results in {run} from 0 to {first}, and these ratings go from 0 to "
                    "{second}; a mean of both means nothing. Rate with the first grades, or in a copy of the run",
                    run=run.path,
                    first=max(stated),
                    second=max(values),
                )
            )


def _grades_a_hit(verdict: Verdict) -> bool:
    return verdict.aspect == RELEVANCE and verdict.about.startswith("hit:") and verdict.by.partition(":")[0] == "human"


def check_scale(runs: Sequence[Run], scale: str) -> None:
    """Raise `SpecError` if people rated the quality in one of these runs on another scale.

    The verdicts do not hold their scale, and a mean over two scales would mean nothing.
    """
    if reason := next(filter(None, (conflict_with(run, scale, run.verdicts()) for run in runs)), ""):
        raise SpecError(
            say(
                "scale: {reason}; a mean of both means nothing. Rate on the first scale, or in a copy of the run",
                reason=reason,
            )
        )
