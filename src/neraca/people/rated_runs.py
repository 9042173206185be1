"""Which runs a file of ratings is of: only those that its page was made for get its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from neraca.errors import InputError
from neraca.people.assignment import run_key
from neraca.people.rating_table import read_rating_table
from neraca.people.ratings_file import is_table, read_ratings
from neraca.runs.run import Run


def keys_of_runs(path: Path) -> tuple[str, ...]:
    """Return the opaque names of the runs that a file of ratings is of; () where it does not say them."""
    if not is_table(path):
        return read_ratings(path).runs
    return tuple(dict.fromkeys(key for line in read_rating_table(path) for key in line.texts.get("runs", "").split()))


def rated_runs(
    path: Path,
    runs: Sequence[Run],
    named: bool,
    count_rated: Callable[[Sequence[Run]], int],
    others: Sequence[Run] = (),
) -> tuple[list[Run], list[str]]:
    """Choose the runs that a file of ratings is of, and say what a reader must know of the choice.

    Parameters
    ----------
    path
        The file.
    runs
        Those that were found, or named.
    named
        Whether the user named them.
    count_rated
        From runs to how much of the file is of their answers; asked where the file does not say its runs.
    others
        Other runs that the user wants to get the ratings, too; with them the runs that were rated may be elsewhere.

    Raises
    ------
    InputError
        Where the file does not say its runs, and answers of several folders of runs could be meant; or where none of
        its runs is here.
    """
    keys = keys_of_runs(path)
    if not keys:
        return _likely(path, runs, named, count_rated), []
    chosen = [run for run in runs if run_key(run) in keys]
    if not chosen:
        if others:
            return [], []
        names = ", ".join(str(run.path) for run in runs) or "this folder"
        gone = f"{path}: its ratings were made for {len(keys)} other run{'s' * (len(keys) > 1)}, of which none is "
        common = count_rated(runs) if runs else 0
        if runs and not common:
            raise InputError(
                f"{gone}among {names}, and these have no answer in common with them.  Take the file where the runs are "
                "that were rated, or let these be rated: neraca rate RUN --page FILE"
            )
        if named:
            raise InputError(
                f"{gone}{names}.  These gave {common:,} of the rated answers too: --also takes the ratings in there"
            )
        raise InputError(
            f"{gone}here; name them with --run, or, to take the ratings into other runs that returned the same, with "
            "--also"
        )
    passed = [str(run.path) for run in runs if named and run not in chosen]
    problems = [f"{path}: it was not made for {one}, which gets nothing; --also {one} takes it in" for one in passed]
    if lacking := len(set(keys) - set(map(run_key, chosen))):
        are, get = ("is", "gets") if lacking == 1 else ("are", "get")
        problems.append(f"{path}: {lacking} of the {len(keys)} runs that were rated {are} not here, and {get} nothing")
    return chosen, problems


def _likely(path: Path, runs: Sequence[Run], named: bool, count_rated: Callable[[Sequence[Run]], int]) -> list[Run]:
    """The runs of the one folder in which rated answers are; those that were named are taken at their word."""
    folders: dict[Path, list[Run]] = {}
    for run in runs:
        folders.setdefault(run.path.resolve().parent, []).append(run)
    if named or len(folders) < 2:
        return list(runs)
    fit = {folder: there for folder, there in folders.items() if count_rated(there)}
    if len(fit) > 1:
        names = ", ".join(str(run.path) for there in fit.values() for run in there)
        raise InputError(
            f"{path}: it does not say which runs were rated, and runs of {len(fit)} folders returned the same "
            f"({names}); name those that were rated with --run"
        )
    return next(iter(fit.values()), list(runs))
