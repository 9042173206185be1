"""`neraca rate import FILE…`: write the ratings of people into the runs that they rated, and into no also_runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, rate_serve, show, speak
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
#: The highest grade of a hit if neither a file of ratings nor a run states its grades.
TOP = 3
#: Exit code if a part was not imported.
IN_PART = 3


def import_files(
    files: Sequence[Path], runs: Sequence[Path], also: Sequence[Path], rater: str, report_language: str = ""
) -> None:
    """Import files of ratings into the runs that were rated, and into the runs `also`.

    What is printed is in the language of the report; "": the language of the study of the runs that were rated.
    """
    from neraca.generation.question_folder import open_reviewed
    from neraca.reports.sentences.notes import same_people
    from neraca.runs.study_record import common_language
    from neraca.translation import say, written_in
    from neraca.verdicts.ratings import same_ratings

    if not files:
        raise SpecError(say("name the files to import: neraca rate import FILE..."))
    candidates = [open_reviewed(path) for path in options.only_run_folders(list(runs)) or _runs_below(Path())]
    also_runs = [open_reviewed(path) for path in options.only_run_folders(list(also))] if also else []
    empty_files: list[str] = []
    has_problems = False
    rated_runs: dict[Path, Run] = {}
    for file in files:
        with written_in(report_language or common_language(run.path for run in [*candidates, *also_runs]) or "en"):
            work, notes = _assign(file, candidates, also_runs, bool(runs))
        with written_in(report_language or common_language(run.path for run in work.runs) or "en"):
            imported, ratings = _read_ratings(file, work, rater)
            imported.notes[:0] = notes
            _write_verdicts(work, imported, ratings)
        has_problems |= bool(imported.problems)
        empty_files += [] if ratings else [str(file)]
        rated_runs |= {run.path.resolve(): run for run in work.runs} if ratings else {}
    with written_in(report_language or common_language(rated_runs or [run.path for run in candidates]) or "en"):
        rate_serve.print_next_step(list(rated_runs.values()))
        for sentence in same_people(same_ratings(run.verdicts() for run in rated_runs.values())):
            speak(sentence)
        if empty_files:
            template = "nothing was imported from {files}; no column or cell with a rating was read; fill it in"
            if has_problems:
                template = "nothing was imported from {files}; see above"
            raise InputError(say(template, files=", ".join(empty_files)))
    if has_problems:
        raise typer.Exit(IN_PART)


def _assign(
    file: Path, candidates: Sequence[Run], also_runs: Sequence[Run], are_named: bool
) -> tuple[Assignment, list[str]]:
    """Return the assignment of the runs that a file of ratings rates and of the also_runs, and notes on the choice."""
    from neraca.people.import_ratings import count_rated, kind_of
    from neraca.people.rated_runs import rated_runs
    from neraca.translation import say

    kind = kind_of(file)
    candidates = [run for run in candidates if kind == "review" or not run.parts_of_item]

    def count_in(runs: Sequence[Run]) -> int:
        try:
            return count_rated(file, _assignment(file, kind, [run.path for run in runs]))
        except NeracaError:  # these runs have nothing to rate, or no pair: the file does not rate them
            return 0

    runs, notes = rated_runs(file, candidates, are_named, count_in, also_runs)
    if not runs and not count_in(also_runs):
        names = ", ".join(str(run.path) for run in also_runs)
        raise InputError(
            say(
                "{file}: it has no answer in common with {names}: it rates other runs, or the answers have changed "
                "since. Name the rated runs with --run, or have these runs rated (neraca rate RUN --page FILE)",
                file=file,
                names=names,
            )
        )
    paths = {run.path.resolve() for run in runs}
    runs += [run for run in also_runs if run.path.resolve() not in paths]
    return _assignment(file, kind, [run.path for run in runs]), notes


def _read_ratings(file: Path, work: Assignment, rater: str) -> tuple[Imported, list[Rating]]:
    """Read the ratings in a file that the assignment allows."""
    from neraca.people.import_ratings import read_saved, read_table, without_other_scales
    from neraca.people.rating_task import RatingTasks
    from neraca.people.ratings_file import is_table

    if is_table(file):
        imported, ratings = read_table(file, RatingTasks.of(work.runs), rater, top=_top(file, work.runs))
    else:
        imported, ratings = read_saved(file, work, rater)
    return imported, without_other_scales(ratings, work, imported) if work.kind == "answer" else ratings


def _write_verdicts(work: Assignment, imported: Imported, ratings: Sequence[Rating]) -> None:
    """Write the verdicts, and print the problems and the number of verdicts of each run."""
    from neraca.counts_and_lists import count
    from neraca.people.import_ratings import add_ratings
    from neraca.reports.sentences.aspect_words import aspect_words
    from neraca.translation import say

    for problem in [*imported.notes, *imported.problems]:
        speak(problem)
    for sentence in _cautions(work, imported, ratings):
        speak(sentence)
    counts_of_runs = add_ratings(ratings, work, imported.rater)
    n = len(imported.problems)
    show.print_sentences(
        say(
            "{file}: {rated} by {rater}, {counts}{problems}",
            file=imported.file,
            rated=_rated(work.kind, imported.rated),
            rater=imported.rater,
            counts=_counts_in_words(counts_of_runs),
            problems=say(", {problems} (see above)", problems=count(n, "problem")) if n else "",
        )
    )
    for run, of_run in zip(work.runs, counts_of_runs, strict=True) if any(c.changes for c in counts_of_runs) else ():
        show.print_sentences(f"  {rate_serve.path_from_here(run)}: {_counts_in_words([of_run])}")
    for kind, template in _FATES.items():
        examples = [
            (run, w.examples[kind]) for run, w in zip(work.runs, counts_of_runs, strict=True) if kind in w.examples
        ]
        for run, (earlier, verdict) in examples[:1]:
            query = next(item.query for item in run.items if item.id == verdict.item)
            example = say(
                "{aspect} of {query!r}, {earlier}, and {later} in {file}",
                aspect=aspect_words(verdict.aspect),
                query=query,
                earlier=_value_and_time(earlier),
                later=_value_and_time(verdict),
                file=imported.file.name,
            )
            show.print_sentences(f"  {say(template, example=example)}")


def _cautions(work: Assignment, imported: Imported, ratings: Sequence[Rating]) -> Iterator[str]:
    """Yield cautions: names that may be one person's, and ratings that a table no longer has."""
    from neraca.counts_and_lists import count, form
    from neraca.people.import_ratings import count_emptied, similar_names
    from neraca.people.rating_task import RatingTasks
    from neraca.people.ratings_file import is_table
    from neraca.translation import say

    file, rater = imported.file, imported.rater
    for name in similar_names(rater, work.runs):
        yield say(
            "{file}: {rater} and {name} count as two people; if they are one, add --rater {name}",
            file=file,
            rater=rater,
            name=name,
        )
    if is_table(file) and (emptied := count_emptied(ratings, RatingTasks.of(work.runs), rater, work.scale)):
        yield say(
            "{file}: {ratings} that {rater} gave before {are} not in its cells now; the earlier word stands. A page "
            "(neraca rate RUN --page FILE) takes a rating back",
            file=file,
            ratings=count(emptied, "rating"),
            are=form(emptied, "is", "are"),
            rater=rater,
        )


def _rated(kind: str, n: int) -> str:
    """Return how many answers, pairs or verdicts were rated, in words."""
    from neraca.counts_and_lists import count

    if kind == "pair":
        return count(n, "pair compared", "pairs compared")
    if kind == "review":
        return count(n, "verdict reviewed", "verdicts reviewed")
    return count(n, "answer rated", "answers rated")


#: Fate of ratings that contradict others of the same person, as printed with an example.
_FATES = {
    "replaced": "changed, such as: {example}",
    "older": "left out, such as: {example}",
    "contradicted": "said in two ways at the same time, and left undecided, such as: {example}",
}


def _counts_in_words(counts_of_runs: Sequence[Written]) -> str:
    """Return the counts of new, changed and confirmed verdicts, in words."""
    from neraca.counts_and_lists import count
    from neraca.translation import say

    new, replaced, confirmed, withdrawn, older, contradicted = (
        sum(getattr(counts, kind) for counts in counts_of_runs)
        for kind in ("new", "replaced", "confirmed", "withdrawn", "older", "contradicted")
    )
    parts = [count(new, "new verdict")]
    if replaced:
        parts.append(say("{n:,} changed", n=replaced))
    if confirmed:
        parts.append(say("{n:,} confirmed", n=confirmed))
    if withdrawn:
        parts.append(count(withdrawn, "withdrawal"))
    if older:
        parts.append(say("{n:,} left out because a newer word of the same person stands", n=older))
    if contradicted:
        parts.append(say("{n:,} said in two ways at the same time, and left undecided", n=contradicted))
    return ", ".join(parts)


def _value_and_time(verdict: Verdict) -> str:
    """Return the value of a verdict and its time, in words."""
    from neraca.number_format import localised
    from neraca.translation import say

    value = say(verdict.status.replace("_", " ")) if verdict.value is None else localised(f"{verdict.value:g}")
    return say("{value} said at {time}", value=value, time=verdict.at or say("an unknown time"))


def _assignment(file: Path, kind: str, runs: Sequence[Path]) -> Assignment:
    """Return the tasks that were rated; for pairs, of the kind of content that fits most tasks in the file."""
    from neraca.people.import_ratings import scales_in
    from neraca.people.pair_task import SHOWN
    from neraca.people.ratings_file import read_ratings
    from neraca.runs.run import Run
    from neraca.web.rating_settings import assign

    if kind != "pair":
        scales = scales_in(file) if kind == "answer" else {"scale": "", "grades": ""}
        top = _top(file, map(Run, runs)) if kind == "answer" else TOP
        rating = rate_serve.RatingOptions(kind=kind, top=top, scale=scales["scale"], grades=scales["grades"])
        return assign(rating.settings(runs))
    rated = {rating.task for rating in read_ratings(file).ratings}
    candidates = [assign(rate_serve.RatingOptions(kind=kind, show=show).settings(runs)) for show in SHOWN]
    return max(candidates, key=lambda work: len(rated.intersection(work.ids)))


def _top(file: Path, runs: Iterable[Run]) -> int:
    """Return the highest grade of a hit that a file of ratings of answers may hold."""
    from neraca.people.import_ratings import scales_in
    from neraca.people.quality_scale import highest_grade

    return highest_grade(runs, scales_in(file)["grades"], TOP)


def language_below(folder: Path) -> str:
    """Return the language of the studies with runs below a folder; "" if there are none, or several languages."""
    from neraca.runs.study_record import common_language

    languages = {common_language([run]) for run in _runs_below(folder)} - {""}
    return languages.pop() if len(languages) == 1 else ""


def _runs_below(folder: Path) -> Iterator[Path]:
    """Yield the folders of runs and of questions below a folder, except in hidden folders."""
    from neraca.generation.question_folder import is_question_folder

    for where, folders, files in os.walk(folder):
        if "answers.jsonl" in files and ("manifest.json" in files or is_question_folder(where)):
            yield Path(where)
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
