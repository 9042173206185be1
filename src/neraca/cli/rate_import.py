"""`neraca rate import FILE…`: write the ratings of people into the runs that they rated, and into no also_runs."""

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
    list[Path], typer.Option("--run", metavar="RUN", help="With import and export: the rated run; default: detected.")
]
Also = Annotated[
    list[Path],
    typer.Option(
        "--also",
        metavar="RUN",
        help="With import: another run that gets the ratings of answers it shares.",
    ),
]
#: Folders that hold no runs.
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})
TOP = 3
#: Noun and verb of a rating, by the kind of task.
_NOUN_AND_VERB = {"answer": ("answer", "rated"), "pair": ("pair", "compared"), "review": ("verdict", "reviewed")}
#: Exit code if a part was not imported.
IN_PART = 3


def import_files(files: Sequence[Path], runs: Sequence[Path], also: Sequence[Path], rater: str) -> None:
    """Import files of ratings into the runs that were rated, and into the runs `also`."""
    from neraca.generation.question_folder import open_reviewed
    from neraca.reports.sentences.notes import same_people
    from neraca.verdicts.ratings import same_ratings

    if not files:
        raise SpecError("name the files to import: neraca rate import FILE...")
    candidates = [open_reviewed(path) for path in options.only_run_folders(list(runs)) or _runs_below(Path())]
    also_runs = [open_reviewed(path) for path in options.only_run_folders(list(also))] if also else []
    empty_files: list[str] = []
    has_problems = False
    rated_runs: dict[Path, Run] = {}
    for file in files:
        work, imported, ratings = _read_ratings(file, candidates, also_runs, bool(runs), rater)
        has_problems |= bool(imported.problems)
        empty_files += [] if ratings else [str(file)]
        rated_runs |= {run.path.resolve(): run for run in work.runs} if ratings else {}
        _write_verdicts(work, imported, ratings)
    rate_serve.print_next_step(list(rated_runs.values()))
    for sentence in same_people(same_ratings(run.verdicts() for run in rated_runs.values())):
        speak(sentence)
    if empty_files:
        reason = "see above" if has_problems else "no column or cell with a rating was read; fill it in"
        raise InputError(f"nothing was imported from {', '.join(empty_files)}; {reason}")
    if has_problems:
        raise typer.Exit(IN_PART)


def _read_ratings(
    file: Path, candidates: Sequence[Run], also_runs: Sequence[Run], are_named: bool, rater: str
) -> tuple[Assignment, Imported, list[Rating]]:
    """Read a file of ratings; the assignment is of the runs that the file rates, and of the also_runs."""
    from neraca.people.import_ratings import count_rated, kind_of, read_saved, read_table, without_other_scales
    from neraca.people.rated_runs import rated_runs
    from neraca.people.rating_task import RatingTasks
    from neraca.people.ratings_file import is_table

    kind = kind_of(file)
    candidates = [run for run in candidates if kind == "review" or not run.parts_of_item]

    def count_in(runs: Sequence[Run]) -> int:
        try:
            return count_rated(file, _assignment(file, kind, [run.path for run in runs]))
        except NeracaError:  # these runs have nothing to rate, or no pair: the file does not rate them
            return 0

    runs, problems = rated_runs(file, candidates, are_named, count_in, also_runs)
    if not runs and not count_in(also_runs):
        names = ", ".join(str(run.path) for run in also_runs)
        raise InputError(
            f"{file}: it has no answer in common with {names}: it rates other runs, or the answers have changed since. "
            " Name the rated runs with --run, or have these runs rated (neraca rate RUN --page FILE)"
        )
    paths = {run.path.resolve() for run in runs}
    runs += [run for run in also_runs if run.path.resolve() not in paths]
    work = _assignment(file, kind, [run.path for run in runs])
    if is_table(file):
        imported, ratings = read_table(file, RatingTasks.of(work.runs), rater, top=TOP)
    else:
        imported, ratings = read_saved(file, work, rater)
    if kind == "answer":
        ratings = without_other_scales(ratings, work, imported)
    imported.notes[:0] = problems
    return work, imported, ratings


def _write_verdicts(work: Assignment, imported: Imported, ratings: Sequence[Rating]) -> None:
    """Write the verdicts, and print the problems and the number of verdicts of each run."""
    from neraca.people.import_ratings import add_ratings, count_emptied, similar_names
    from neraca.people.rating_task import RatingTasks
    from neraca.people.ratings_file import is_table
    from neraca.reports.counts_and_lists import count, form

    for problem in [*imported.notes, *imported.problems]:
        speak(problem)
    rater = imported.rater
    for name in similar_names(rater, work.runs):
        speak(f"{imported.file}: {rater} and {name} count as two people; if they are one, add --rater {name}")
    if is_table(imported.file) and (emptied := count_emptied(ratings, RatingTasks.of(work.runs), rater, work.scale)):
        speak(
            f"{imported.file}: {count(emptied, 'rating')} that {rater} gave before {form(emptied, 'is', 'are')} not in "
            "its cells now; the earlier word stands.  A page (neraca rate RUN --page FILE) takes a rating back"
        )
    counts_of_runs = add_ratings(ratings, work, imported.rater)
    noun, verb = _NOUN_AND_VERB[work.kind]
    n = len(imported.problems)
    problems = f", {count(n, 'problem')} (see above)" if n else ""
    counts = _counts_in_words(counts_of_runs)
    print(f"{imported.file}: {count(imported.rated, noun)} {verb} by {imported.rater}, {counts}{problems}")
    for run, of_run in zip(work.runs, counts_of_runs, strict=True) if any(c.changes for c in counts_of_runs) else ():
        print(f"  {rate_serve.path_from_here(run)}: {_counts_in_words([of_run])}")
    for kind, fate in _FATES.items():
        examples = [
            (run, w.examples[kind]) for run, w in zip(work.runs, counts_of_runs, strict=True) if kind in w.examples
        ]
        for run, (earlier, verdict) in examples[:1]:
            query = next(item.query for item in run.items if item.id == verdict.item)
            print(
                f"  {fate}: {verdict.aspect} of {query!r}, {_value_and_time(earlier)}, and {_value_and_time(verdict)} "
                f"in {imported.file.name}"
            )


#: Fate of ratings that contradict also_runs of the same person, as printed before an example.
_FATES = {
    "replaced": "replaced, such as",
    "older": "left out, such as",
    "contradicted": "said in two ways at the same time, and left undecided, such as",
}


def _counts_in_words(counts_of_runs: Sequence[Written]) -> str:
    """Return the counts of new and changed verdicts, in words."""
    from neraca.reports.counts_and_lists import count, form

    new, replaced, withdrawn, older, contradicted = (
        sum(getattr(counts, kind) for counts in counts_of_runs)
        for kind in ("new", "replaced", "withdrawn", "older", "contradicted")
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


def _value_and_time(verdict: Verdict) -> str:
    """Return the value of a verdict and its time, in words."""
    value = verdict.status.replace("_", " ") if verdict.value is None else f"{verdict.value:g}"
    return f"{value} said at {verdict.at or 'an unknown time'}"


def _assignment(file: Path, kind: str, runs: Sequence[Path]) -> Assignment:
    """Return the tasks that were rated; for pairs, of the kind of content that fits most tasks in the file."""
    from neraca.people.import_ratings import scale_in
    from neraca.people.pair_task import SHOWN
    from neraca.people.ratings_file import read_ratings
    from neraca.web.rating_settings import assign

    if kind != "pair":
        scale = scale_in(file) if kind == "answer" else ""
        return assign(rate_serve.RatingOptions(kind=kind, top=TOP, scale=scale).settings(runs))
    rated = {rating.task for rating in read_ratings(file).ratings}
    candidates = [assign(rate_serve.RatingOptions(kind=kind, show=show).settings(runs)) for show in SHOWN]
    return max(candidates, key=lambda work: len(rated.intersection(work.ids)))


def _runs_below(folder: Path) -> Iterator[Path]:
    """Yield the folders of runs and of questions below a folder, except in hidden folders."""
    from neraca.generation.question_folder import is_question_folder

    for where, folders, files in os.walk(folder):
        if "answers.jsonl" in files and ("manifest.json" in files or is_question_folder(where)):
            yield Path(where)
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
