"""Settings that an option names: a word, or a TOML file."""

from __future__ import annotations

from pathlib import Path

from neraca.errors import InputError, SpecError
from neraca.translation import say


def target_settings(word: str) -> dict[str, object]:
    """Return the settings of `--target`: of a word, of the first target of a study, or of a TOML file of settings."""
    from neraca.targets.target import settings_of

    if not word.endswith(".toml"):
        return settings_of(word)
    path = Path(word)
    if not path.is_file():
        template = "{file}: no such file; --target takes a word such as python:module:function, or a TOML file"
        raise SpecError(say(template, file=path))
    table = toml_table(path, "target")
    if "dataset" not in toml_table(path, ""):
        return table
    from neraca.study_file import first_target, read_study

    return first_target(read_study(path))


def toml_table(path: Path, name: str) -> dict[str, object]:
    """Return the table of this name in a TOML file, or the whole file if it has no such table."""
    import tomllib

    from neraca.datasets.text_encoding import read_text

    try:
        settings = tomllib.loads(read_text(path))
    except (InputError, tomllib.TOMLDecodeError) as error:
        raise SpecError(say("{file}: not a TOML file of settings: {error}", file=path, error=error)) from error
    table = settings.get(name, settings)
    return table if isinstance(table, dict) else settings
