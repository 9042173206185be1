"""Check one answer from Python: `neraca.check(answer, must_contain="48 hours")`, by the checks of a table's columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neraca.datasets.cells import EDGE, words
from neraca.datasets.expectations import expectation_columns, read_expectations
from neraca.datasets.misspelt import misspelt
from neraca.errors import InputError, SpecError
from neraca.languages import code_of
from neraca.metrics.text.expectation_checks import failures
from neraca.records import Answer, Item
from neraca.result import Table, Tabular

#: The check of what a question expects; it is a column of the questions too, but no check of words.
EXPECTS = "expects"


@dataclass(frozen=True, repr=False)
class CheckedAnswer(Tabular):
    """The checks of one answer; it is true if the answer meets all of them.

    Attributes
    ----------
    answer
        The answer that was checked.
    reasons
        Name of a check → why the answer does not meet it, or "".
    """

    answer: Answer
    reasons: Mapping[str, str]

    @property
    def failed(self) -> list[str]:
        """The checks that the answer does not meet, each with the reason."""
        return [f"{name}: {why}" for name, why in self.reasons.items() if why]

    @property
    def met(self) -> list[str]:
        """The names of the checks that the answer meets."""
        return [name for name, why in self.reasons.items() if not why]

    def __bool__(self) -> bool:
        return not self.failed

    def __repr__(self) -> str:
        """Return one line, which pytest shows if `assert neraca.check(…)` fails."""
        n, failed = len(self.reasons), self.failed
        counted = f"{n} check{'s' if n != 1 else ''}"
        return f"<{len(failed)} of {counted} failed: {'; '.join(failed)}>" if failed else f"<{counted} met>"

    def _tables(self) -> Iterator[Table]:
        rows = [[name, "no" if why else "yes", why] for name, why in self.reasons.items()]
        yield Table(("check", "met", "why not"), rows, names=3)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each check."""
        return [{"check": name, "met": not why, "why": why} for name, why in self.reasons.items()]


def check(
    answer: Any,
    checks: Item | Mapping[str, Any] | None = None,
    *,
    must_contain: Any = None,
    must_contain_any: Any = None,
    must_not_contain: Any = None,
    icontains: Any = None,
    must_equal: Any = None,
    must_not_equal: Any = None,
    must_start_with: Any = None,
    must_not_start_with: Any = None,
    must_match: Any = None,
    must_not_match: Any = None,
    must_equal_number: Any = None,
    tolerance: Any = None,
    max_words: Any = None,
    min_words: Any = None,
    must_be_json: Any = None,
    must_contain_json: Any = None,
    must_cite: Any = None,
    expects: str = "",
    language: str = "",
) -> CheckedAnswer:
    """Check an answer, as the columns of a table of questions do; the result is true if it meets every check.

    A value is what a cell of the column may hold.  A Python list holds several values, each exactly as it is; a text
    with `|` in it is several values too.

    Parameters
    ----------
    answer
        A text, an `Answer`, or any reply that a target may give: a dict with `text` and `hits`, a list of hits.
    checks
        A question (`Item`), whose columns, `expects` and language count; or a dict from names of columns to values,
        for all names that a table may have: `{"not-icontains": "sorry"}`.
    must_contain, must_contain_any, must_not_contain, icontains
        Texts of which all, one or none must be in the answer; the last one whatever the capitals.
    must_equal, must_not_equal, must_start_with, must_not_start_with
        Texts of which the answer must be one, or with one of which it must begin; or must not.
    must_match, must_not_match
        A regular expression that matches somewhere; or nowhere.
    must_equal_number, tolerance
        Numbers that must be among those of the answer, and how far off they may be: 2, or "5 %".
    max_words, min_words
        The most and the fewest words.
    must_be_json, must_contain_json
        True, or a JSON schema that the answer, or JSON inside it, must fit.
    must_cite
        Sources that must be cited; True: any source.
    expects
        `none`: the answer must decline or be empty; `results`: it must not.  Whether words decline is decided by the
        phrases of the judge `declines`, which miss many refusals.
    language
        The language in which numbers are read, such as `es`; "": any reading that fits is enough.

    Raises
    ------
    SpecError
        If nothing is to be checked, a name is none of a check, or the language is not known.
    InputError
        If a value cannot be read.

    Examples
    --------
    >>> check("Up to 72 hours before.", must_contain="48 hours", max_words=10)
    <1 of 2 checks failed: must_contain: "48 hours" is not there>
    >>> bool(check({"text": "It costs 1,250 euros."}, must_equal_number=1250, language="en"))
    True
    """
    by_keyword = {
        "must_contain": must_contain,
        "must_contain_any": must_contain_any,
        "must_not_contain": must_not_contain,
        "icontains": icontains,
        "must_equal": must_equal,
        "must_not_equal": must_not_equal,
        "must_start_with": must_start_with,
        "must_not_start_with": must_not_start_with,
        "must_match": must_match,
        "must_not_match": must_not_match,
        "must_equal_number": must_equal_number,
        "tolerance": tolerance,
        "max_words": max_words,
        "min_words": min_words,
        "must_be_json": must_be_json,
        "must_contain_json": must_contain_json,
        "must_cite": must_cite,
    }
    by_keyword = {name: value for name, value in by_keyword.items() if value is not None}
    if isinstance(checks, Item):
        cells = {name: checks.extra[name] for name in expectation_columns(checks.extra)}
        expects, language = expects or checks.expects or "", language or checks.tags.get("language", "")
    else:
        cells = dict(checks or {})
    if twice := [name for name in cells if name in by_keyword]:
        raise SpecError(f"check: {twice[0]} stands in `checks` and as a keyword; check one after the other")
    cells |= by_keyword
    _check_names(cells, expects)
    checked = _answer(answer)
    reasons = _reasons(cells, checked, code_of(language) if language else "")
    if expects:
        reasons[EXPECTS] = _unexpected(checked, expects)
    if not reasons:
        raise SpecError('check: there is nothing to check; name a check, such as must_contain="48 hours"')
    return CheckedAnswer(checked, reasons)


def has_checks(item: Item) -> bool:
    """Return whether a question says anything about its answer that `check` can decide."""
    return bool(item.expects or read_expectations(item.extra))


def _check_names(cells: Mapping[str, Any], expects: str) -> None:
    """Raise `SpecError` if a name is none of a check."""
    names = expectation_columns(cells)
    others = [name for name in cells if name not in names]
    if others:
        (hint,) = misspelt(others[:1], names, constraints=False) or [f"{others[0]} is not the name of a check"]
        raise SpecError(f"check: {hint} (a tolerance needs must_equal_number beside it; docs/text.md has all names)")
    if expects not in ("", "results", "none"):
        raise SpecError(f"check: expects is 'results' or 'none', not {expects!r}")


def _answer(answer: Any) -> Answer:
    """Return any reply of a target as an answer."""
    if isinstance(answer, Answer):
        return answer
    from neraca.targets.response_parser import answer_from
    from neraca.targets.target import Conversation

    return answer_from(answer, Item(id="1", query=""), Conversation("1"))


def _reasons(cells: Mapping[str, Any], answer: Answer, language: str) -> dict[str, str]:
    """Return the name of each check → why the answer does not meet it, or ""."""
    problems: dict[str, str] = {}
    expectations = read_expectations({name: _cell(name, value) for name, value in cells.items()}, problems)
    if problems:
        raise InputError("; ".join(f"check: {name} {problem}" for name, problem in problems.items()))
    reasons = failures(expectations, answer, language)
    names = [expectation.column for expectation in expectations]
    return {name: why.removeprefix(f"{name}: ") for name, why in zip(names, reasons, strict=True)}


def _cell(name: str, value: Any) -> Any:
    """Return a value of Python as the cell of a table: numbers in a list as text, all else as it is.

    >>> _cell("must_equal_number", [48, 2.5]), _cell("must_contain", ["a|b"])
    ('48 | 2.5', ['a|b'])
    """
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, list | tuple):
        if value and all(isinstance(part, int | float) for part in value):
            return " | ".join(map(words, value))
        if not all(isinstance(part, str) for part in value):
            raise InputError(f"check: {name} must be a list of texts or of numbers, found {value!r}")
        return list(value)
    if value is None or isinstance(value, str | bool | int | float | Mapping):
        return value
    raise InputError(f"check: {name} must be text, a number, a list or a JSON schema, found {type(value).__name__}")


def _unexpected(answer: Answer, expects: str) -> str:
    """Return why an answer is not of the expected kind: a refusal or nothing (`none`), or anything else (`results`)."""
    from neraca.judges.rules.declines import DeclinesJudge

    if not answer.replied:
        return f"there is no answer ({answer.status})"
    (verdict,) = DeclinesJudge().judge([(Item(id=answer.item, query=""), answer)])
    empty = not answer.text.strip(EDGE) and not answer.hits
    declines = verdict.value == 1 or empty
    if expects == "none" and not declines:
        return "none, but it does not decline: no phrase of the judge declines is in it, or it is long"
    if expects == "results" and declines:
        return "results, but it is empty" if empty else f"results, but it declines: {verdict.why}"
    return ""
