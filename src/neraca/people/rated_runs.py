"""Find the runs that a file of ratings rates: only runs that its page was made for get its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from neraca.counts_and_lists import count, form
from neraca.errors import InputError
from neraca.people.assignment import run_key
from neraca.people.rating_table import read_rating_table
from neraca.people.ratings_file import is_table, read_ratings
from neraca.runs.run import Run
from neraca.translation import say


def keys_of_runs(path: Path) -> tuple[str, ...]:
    """Return the opaque names of the runs in a file of ratings; () if the file does not name them."""
    if not is_table(path):
        return read_ratings(path).runs
    return tuple(dict.fromkeys(key for line in read_rating_table(path) for key in line.texts.get("runs", "").split()))


def rated_runs(
    path: Path,
    runs: Sequence[Run],
    named_by_user: bool,
    count_rated: Callable[[Sequence[Run]], int],
    other_targets: Sequence[Run] = (),
) -> tuple[list[Run], list[str]]:
    """Choose the runs that a file of ratings rates, and return notes on the choice.

    Parameters
    ----------
    path
        The file.
    runs
        The candidates.
    named_by_user
        Whether the user named them.
    count_rated
        Counts the ratings of the file that rate answers of some runs; called if the file does not name its runs.
    other_targets
        Further runs that will get the ratings; with them the rated runs may be missing.

    Raises
    ------
    InputError
        If the file does not name its runs and runs in several folders fit, or if none of its runs is a candidate.
    """
    keys = keys_of_runs(path)
    if not keys:
        return _likely(path, runs, named_by_user, count_rated), []
    chosen = [run for run in runs if run_key(run) in keys]
    if not chosen:
        if other_targets:
            return [], []
        raise InputError(_why_no_run(path, runs, named_by_user, len(keys), count_rated(runs) if runs else 0))
    skipped = [str(run.path) for run in runs if named_by_user and run not in chosen]
    problems = [
        say("{file}: it was not made for {name}, which gets nothing; --also {name} imports it", file=path, name=name)
        for name in skipped
    ]
    if absent := len(set(keys) - set(map(run_key, chosen))):
        template = "{file}: {n} of the {all} runs that were rated {are} not here, and {get} nothing"
        are, get = form(absent, "is", "are"), form(absent, "gets", "get")
        problems.append(say(template, file=path, n=absent, all=len(keys), are=are, get=get))
    return chosen, problems


def _why_no_run(path: Path, runs: Sequence[Run], named_by_user: bool, n_rated: int, common: int) -> str:
    """Say why none of the candidates gets the ratings of a file, and what to do.

    `n_rated` runs were rated; `common` of the rated answers were also given by the candidates.
    """
    names = ", ".join(str(run.path) for run in runs) or say("this folder")
    missing = say("{file}: its ratings were made for {runs}", file=path, runs=count(n_rated, "other run"))
    if runs and not common:
        template = (
            "{missing}, of which none is among {names}, and these have no answer in common with them. Import the file "
            "where the rated runs are, or have these runs rated: neraca rate RUN --page FILE"
        )
        return say(template, missing=missing, names=names)
    if named_by_user:
        template = (
            "{missing}, of which none is {names}. These gave {common:,} of the rated answers too: --also imports the "
            "ratings there"
        )
        return say(template, missing=missing, names=names, common=common)
    template = (
        "{missing}, of which none is here; name them with --run, or name other runs that returned the same answers "
        "with --also"
    )
    return say(template, missing=missing)


def _likely(
    path: Path, runs: Sequence[Run], named_by_user: bool, count_rated: Callable[[Sequence[Run]], int]
) -> list[Run]:
    """Return the runs of the only folder with rated answers; named runs are returned as they are."""
    folders: dict[Path, list[Run]] = {}
    for run in runs:
        folders.setdefault(run.path.resolve().parent, []).append(run)
    if named_by_user or len(folders) < 2:
        return list(runs)
    fit = {folder: in_folder for folder, in_folder in folders.items() if count_rated(in_folder)}
    if len(fit) > 1:
        names = ", ".join(str(run.path) for in_folder in fit.values() for run in in_folder)
        raise InputError(
            say(
                "{file}: it does not name the rated runs, and runs of {n} folders returned the same answers "
                "({names}); name the rated ones with --run",
                file=path,
                n=len(fit),
                names=names,
            )
        )
    return next(iter(fit.values()), list(runs))
