"""`neraca rate import FILE…`: what people rated comes into the runs that they rated, and into no others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, rate_serve, speak
from neraca.errors import InputError, NeracaError, SpecError

if TYPE_CHECKING:
    from neraca.people.assignment import Assignment
    from neraca.people.import_ratings import Imported
    from neraca.people.rating import Rating
    from neraca.people.write_verdicts import Written
    from neraca.records import Verdict
    from neraca.runs.run import Run

Into = Annotated[
    list[Path], typer.Option("--run", metavar="RUN", help="import: the runs that were rated; default: found.")
]
Also = Annotated[
    list[Path],
    typer.Option(
        "--also",
        metavar="RUN",
        help="import: another run that gets the ratings of what it returned too; none by itself.",
    ),
]
#: Folders that hold no runs.
_PASSED = frozenset({"node_modules", "__pycache__", "site-packages"})
TOP = 3
#: What was rated, by the kind of task.
_THINGS = {"answer": ("answer", "rated"), "pair": ("pair", "compared"), "review": ("verdict", "reviewed")}
#: Exit code where a part was not taken.
IN_PART = 3


def import_files(files: Sequence[Path], runs: Sequence[Path], also: Sequence[Path], rater: str) -> None:
    """Take files of ratings into the runs that were rated, and into those of `also`."""
    from neraca.reports.sentences.notes import same_people
    from neraca.runs.run import Run
    from neraca.verdicts.ratings import same_ratings

    if not files:
        raise SpecError("name the files to take in: neraca rate import FILE...")
    found = [Run(path) for path in options.only_run_folders(list(runs or _runs_below(Path())))]
    others = [Run(path) for path in options.only_run_folders(list(also))] if also else []
    nothing_of: list[str] = []
    wrong = False
    touched: dict[Path, Run] = {}
    for file in files:
        work, told, ratings = _read(file, found, others, bool(runs), rater)
        wrong |= bool(told.problems)
        nothing_of += [] if ratings else [str(file)]
        touched |= {run.path.resolve(): run for run in work.runs} if ratings else {}
        _write(work, told, ratings)
    for sentence in same_people(same_ratings(run.verdicts() for run in touched.values())):
        speak(sentence)
    if nothing_of:
        why = "see above" if wrong else "it has no rating; fill it in"
        raise InputError(f"nothing of {', '.join(nothing_of)} was taken; {why}")
    if wrong:
        raise typer.Exit(IN_PART)


def _read(
    file: Path, found: Sequence[Run], others: Sequence[Run], named: bool, rater: str
) -> tuple[Assignment, Imported, list[Rating]]:
    """Read a file; the assignment is of the runs that it is of, and of the others."""
    from neraca.people.import_ratings import count_rated, kind_of, read_saved, read_table
    from neraca.people.rated_runs import rated_runs
    from neraca.people.rating_task import RatingTasks
    from neraca.people.ratings_file import is_table

    kind = kind_of(file)

    def rated_of(runs: Sequence[Run]) -> int:
        try:
            return count_rated(file, _work(file, kind, [run.path for run in runs]))
        except NeracaError:  # there is nothing to rate in these, or no pair: the file is not of them
            return 0

    runs, problems = rated_runs(file, found, named, rated_of, others)
    if not runs and not rated_of(others):
        names = ", ".join(str(run.path) for run in others)
        raise InputError(
            f"{file}: it has no answer in common with {names}: its ratings are of other runs, or of answers that have "
            "changed since.  Name the runs that were rated with --run, or let these be rated (neraca rate RUN --page "
            "FILE)"
        )
    there = {run.path.resolve() for run in runs}
    runs += [run for run in others if run.path.resolve() not in there]
    work = _work(file, kind, [run.path for run in runs])
    if is_table(file):
        told, ratings = read_table(file, RatingTasks.of(work.runs), rater, top=TOP)
    else:
        told, ratings = read_saved(file, work, rater)
    told.notes[:0] = problems
    return work, told, ratings


def _write(work: Assignment, told: Imported, ratings: Sequence[Rating]) -> None:
    """Write verdicts, and say what was wrong and how many verdicts each run got."""
    from neraca.people.import_ratings import add_ratings
    from neraca.reports.counts_and_lists import count

    for problem in [*told.notes, *told.problems]:
        speak(problem)
    written = add_ratings(ratings, work, told.rater)
    thing, done = _THINGS[work.kind]
    problems = f", {count(len(told.problems), 'problem')} (see above)" if told.problems else ""
    print(f"{told.file}: {count(told.rated, thing)} {done} by {told.rater}, {_in_words(written)}{problems}")
    for run, of_run in zip(work.runs, written, strict=True) if any(one.changes for one in written) else ():
        path = run.path.relative_to(Path.cwd()) if run.path.is_relative_to(Path.cwd()) else run.path
        print(f"  {path}: {_in_words([of_run])}")
    for kind, how in _EXAMPLES.items():
        pairs = ((run, one.examples[kind]) for run, one in zip(work.runs, written, strict=True) if kind in one.examples)
        for run, (earlier, verdict) in list(pairs)[:1]:
            query = next(item.query for item in run.items if item.id == verdict.item)
            print(f"  {how}: {verdict.aspect} of {query!r}, {_said(earlier)}, and {_said(verdict)} in {told.file.name}")


#: What became of words that the same person had said otherwise, before an example.
_EXAMPLES = {
    "replaced": "replaced, such as",
    "older": "left out, such as",
    "contradicted": "said in two ways at the same time, and left undecided, such as",
}


def _in_words(written: Sequence[Written]) -> str:
    """What was done in runs; what did not happen is left out, but for new verdicts."""
    from neraca.reports.counts_and_lists import count, form

    new, replaced, withdrawn, older, contradicted = (
        sum(getattr(one, kind) for one in written) for kind in ("new", "replaced", "withdrawn", "older", "contradicted")
    )
    parts = [count(new, "new verdict")]
    if replaced:
        parts.append(f"{replaced:,} that {form(replaced, 'replaces', 'replace')} an earlier word of the same person")
    if withdrawn:
        parts.append(count(withdrawn, "withdrawal"))
    if older:
        parts.append(f"{older:,} left out because a newer word of the same person stands")
    if contradicted:
        parts.append(f"{contradicted:,} said in two ways at the same time, and left undecided")
    return ", ".join(parts)


def _said(verdict: Verdict) -> str:
    value = verdict.status.replace("_", " ") if verdict.value is None else f"{verdict.value:g}"
    return f"{value} said at {verdict.at or 'an unknown time'}"


def _work(file: Path, kind: str, runs: Sequence[Path]) -> Assignment:
    """What was rated; of pairs what was shown is that to which most of the file belongs."""
    from neraca.people.pair_task import SHOWN
    from neraca.people.ratings_file import read_ratings
    from neraca.web.rating_settings import assign

    if kind != "pair":
        return assign(rate_serve.Chosen(kind=kind, top=TOP).settings(runs))
    rated = {rating.task for rating in read_ratings(file).ratings}
    each = [assign(rate_serve.Chosen(kind=kind, show=show).settings(runs)) for show in SHOWN]
    return max(each, key=lambda work: len(rated.intersection(work.ids)))


def _runs_below(folder: Path) -> Iterator[Path]:
    """Run folders below a folder, not in hidden ones."""
    for where, folders, files in os.walk(folder):
        if "manifest.json" in files and "answers.jsonl" in files:
            yield Path(where)
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED)
