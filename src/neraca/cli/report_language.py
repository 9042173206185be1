"""The language of what a command prints for people: `--report-language`, or the language of the study of its runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Parameters of commands that name run folders; `words` are those of `rate`.
_RUNS = ("runs", "words", "run")


def settle_language(options: dict[str, Any]) -> str:
    """Return the language in which a command prints, errors included; enter it as the option `report_language`.

    A command without that option prints English, except `neraca run`, which prints in the language of its study.  For
    `agree TABLE`, it is the language of the names of its raters' columns.  Raise `SpecError` for an unknown language.
    """
    if "report_language" not in options:
        return _of_file(options["study"]) or "en" if options.get("study") else "en"
    from neraca.translation import checked_report_language

    language = options["report_language"] or _of_study(options)
    options["report_language"] = language and checked_report_language(language)
    return language or "en"


def _of_study(options: Mapping[str, Any]) -> str:
    """Return the language of the reports of the study that the options name or whose runs they name; else English.

    `--target study.toml` names a study, too.

    Return "" if the runs are not known yet: `neraca rate import FILE` looks for them.
    """
    if options.get("study"):
        return _of_file(options["study"]) or "en"
    if str(options.get("target") or "").endswith(".toml"):
        return _of_file(options["target"]) or "en"
    folders = _folders(options)
    if not folders:
        return "" if "words" in options else _of_table(options) or "en"
    from neraca.runs.study_record import common_language

    return common_language(folders) or "en"


def _of_table(options: Mapping[str, Any]) -> str:
    """Return the language of a table of raters by its columns, such as `penilai 1`; "" for another or no table."""
    runs = options.get("runs") or []
    if "judges" not in options or "jury" not in options or len(runs) != 1:
        return ""
    from neraca.datasets.rater_table import language_of_columns
    from neraca.datasets.table_reader import read_table
    from neraca.errors import NeracaError
    from neraca.translation import LANGUAGES

    try:
        language = language_of_columns(read_table(Path(runs[0])).columns)
    except (OSError, NeracaError):  # the command says what is wrong with this file
        return ""
    return language if language in LANGUAGES else ""


def _of_file(study: Path) -> str:
    """Return the language in a study file; "" if it cannot be read or names none that reports have."""
    from neraca.translation import LANGUAGES

    try:
        language = tomllib.loads(Path(study).read_text("utf-8-sig"))["report"]["language"]
    except (OSError, ValueError, KeyError, TypeError):  # the command says what is wrong with this file
        return ""
    return language if language in LANGUAGES else ""


def _folders(options: Mapping[str, Any]) -> list[Path]:
    values = [options[name] for name in _RUNS if options.get(name)]
    words = [word for value in values for word in (value if isinstance(value, list | tuple) else [value])]
    return [path for word in words if isinstance(word, str | Path) and _is_folder(path := Path(word))]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the command says what is wrong with this path
        return False
