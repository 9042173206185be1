"""Names of runs: from their files and folders, from `NAME=PATH`, and the run that a baseline names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any

from neraca.errors import InputError

#: The ending of a file, such as `.run` or `.txt.gz`; no number, such as `.9`, and no ending of a hidden file.
_ENDING = re.compile(r"(?<=.)\.[A-Za-z]{1,7}(?:\.(?:gz|zst))?$")
#: Endings that say how a file is written; others may be a part of the name, as in TREC's `input.bm25base`.
_USUAL_ENDING = re.compile(r"(?<=.)(?:\.(?:run|txt|trec|res|results|top|out|tsv|dat))?(?:\.(?:gz|zst))?$")


def path_of(source: str | os.PathLike[str]) -> Path:
    """Return the path of a file; raise `InputError` for the text of a file."""
    if "\n" in str(source):
        raise InputError(f"give the path of a file, not its text: {str(source)[:40]!r}…")
    return Path(source)


def is_run(source: Any) -> bool:
    """Return whether this is a `Run`, without importing the slow module `runs.run`."""
    return hasattr(source, "manifest") and hasattr(source, "answers")


def with_name(source: Any) -> tuple[str, Any]:
    """Return the name and the path of `NAME=PATH`; for any other source "" and the source."""
    if not isinstance(source, str | os.PathLike):
        return "", source
    name, equals, path = os.fspath(source).partition("=")
    is_named = name and equals and not path_of(source).exists() and path_of(path).exists()
    return (name, path) if is_named else ("", source)


def distinct_names(sources: list[Any]) -> list[str]:
    """Return the names of files, with as many of their folders as make them distinct; equal names get a number."""
    paths = [_parts(source) for source in sources]
    depth = [1] * len(paths)
    while True:
        names = ["/".join(path[-length:]) for path, length in zip(paths, depth, strict=True)]
        runs_by_name = Counter(names)
        ambiguous = [n for n, name in enumerate(names) if runs_by_name[name] > 1 and depth[n] < len(paths[n])]
        if not ambiguous:
            break
        for number in ambiguous:
            depth[number] += 1
    used_names, distinct = set(runs_by_name), []
    for name in names:
        if runs_by_name[name] > 1:
            name = next(
                new for n in range(1, len(names) + len(used_names) + 1) if (new := f"{name} {n}") not in used_names
            )
            used_names.add(name)
        distinct.append(name)
    return distinct


def without_ending(name: str) -> str:
    """Return the name of a file without its ending.

    >>> without_ending("bm25.k1-0.9.run"), without_ending("a.txt.gz"), without_ending("bm25.k1-0.9")
    ('bm25.k1-0.9', 'a', 'bm25.k1-0.9')
    """
    return _ENDING.sub("", name)


def without_endings(names: list[str], sources: Sequence[Any], others: Collection[str]) -> list[str]:
    """Return the names of files without their endings, if they stay distinct and none is one of the `others`.

    If all files have the same ending, it may be any; else each name lacks a usual one, such as `.run` or `.txt`.
    """
    is_file = [isinstance(source, Path) for source in sources]
    endings = {
        match[0] if (match := _ENDING.search(source.name)) else "" for source in sources if isinstance(source, Path)
    }
    ending = _USUAL_ENDING if len(endings) > 1 else _ENDING
    short = [ending.sub("", name) if of_file else name for name, of_file in zip(names, is_file, strict=True)]
    return short if len({*short}) == len(short) and not {*short} & {*others} else names


def _parts(source: Any) -> tuple[str, ...]:
    path = source.path.resolve() if is_run(source) else source
    return path.absolute().parts[1:] if isinstance(path, Path) else ("run",)


def with_baseline(runs: Sequence[Path], against: str) -> list[Path]:
    """Return the runs and the baseline, unless that is one of them, or the name of a run or column.

    Raise `InputError` if the baseline is the file of one of the runs under another name, which would count it twice.
    """
    name, path = with_name(against)
    if not against or against in {run.name for run in runs}:
        return [*runs]
    for run in runs:
        if Path(path).resolve() != Path(with_name(run)[1]).resolve():
            continue
        if name in ("", with_name(run)[0]):
            return [*runs]
        raise InputError(
            f"--against {against} is among the runs as {str(run)!r}, and would count twice: name it in the same way "
            f"(--against {with_name(run)[0] or run})"
        )
    return (
        [*runs, Path(against)] if _is_source(path) or (Path(path).exists() and not named_by(against, runs)) else [*runs]
    )


def _is_source(path: str | Path) -> bool:
    """Return whether a run can be read from a path: a file or a run folder."""
    return Path(path).is_file() or (Path(path) / "manifest.json").is_file()


def named_by(text: str | Path, sources: Iterable[Any]) -> list[int]:
    """Return the places of the sources that a text names.

    A source is named by its path, by the end of its path (`names_alike`), or by the name of `NAME=PATH`.  The path of a
    file or a run folder names only that.
    """
    named = [with_name(source.path if is_run(source) else source) for source in sources]
    paths = [Path(path) if isinstance(path, str | os.PathLike) else None for _, path in named]
    alias, named_path = with_name(text)
    resolved = Path(named_path).resolve()
    same = [place for place, path in enumerate(paths) if path is not None and path.resolve() == resolved]
    if same or alias or _is_source(resolved):
        return same
    return [
        place
        for place, ((name, _), path) in enumerate(zip(named, paths, strict=True))
        if str(text) == name or (path is not None and names_alike(text, path.absolute()))
    ]


def names_alike(text: str | Path, path: str | Path) -> bool:
    """Return whether a path ends in the parts of a text, whose file may lack its ending, or have one that it lacks.

    >>> [names_alike(text, "runs/bm25.run") for text in ("bm25", "bm25.run", "runs/bm25", "old/bm25", "bm25.txt")]
    [True, True, True, False, False]
    """
    *folders, name = PurePath(path).parts or ("",)
    *end_folders, end = PurePath(text).parts or ("",)
    same_name = end in (name, without_ending(name)) or without_ending(end) == name
    return bool(end) and same_name and folders[len(folders) - len(end_folders) :] == end_folders
