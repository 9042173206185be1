"""The language of what a command prints for people: `--report-language`, or the language of the study of its runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

#: Parameters of commands that name run folders; `words` are those of `rate`.
_RUNS = ("runs", "words", "run")


def settle_language(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose option `report_language`, if it has one and it is "", names the language of the study.

    The command raises `SpecError` for an unknown language before it does anything.
    """

    @functools.wraps(command)
    def call(**options: Any) -> None:
        if "report_language" in options:
            from neraca.translation import checked_report_language

            language = options["report_language"] or _of_study(options)
            options["report_language"] = language and checked_report_language(language)
        command(**options)

    return call


def _of_study(options: Mapping[str, Any]) -> str:
    """Return the language of the reports of the study that the options name or whose runs they name; else English.

    Return "" if the runs are not known yet: `neraca rate import FILE` looks for them.
    """
    if options.get("study"):
        from neraca.study_file import read_study

        return read_study(options["study"]).report.language
    folders = _folders(options)
    if not folders:
        return "" if "words" in options else "en"
    from neraca.runs.study_record import common_language

    return common_language(folders) or "en"


def _folders(options: Mapping[str, Any]) -> list[Path]:
    values = [options[name] for name in _RUNS if options.get(name)]
    words = [word for value in values for word in (value if isinstance(value, list | tuple) else [value])]
    return [path for word in words if isinstance(word, str | Path) and _is_folder(path := Path(word))]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the command says what is wrong with this path
        return False
