"""`neraca agree`: measure how far judges agree, list where they differ, and combine their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import typer

from neraca.cli import options, show, speak
from neraca.cli.label_plan import Labelling, draw_labels, print_plan
from neraca.cli.model_options import ModelCalls
from neraca.cli.table_options import Encoding
from neraca.cli.validate_judge import Validating, validate
from neraca.counts_and_lists import count
from neraca.errors import InputError, SpecError
from neraca.nearest import nearest
from neraca.translation import say, written_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.datasets.rater_table import RaterTable
    from neraca.metaeval.agreement import AgreementOptions, Agreements
    from neraca.metaeval.judge_confusion import JudgeConfusions
    from neraca.metaeval.raters import RaterQualities
    from neraca.records import Item, Verdict
    from neraca.reports.sentences.scale_words import ScaleWords
    from neraca.runs.run import Run
    from neraca.runs.verdict_table import VerdictTable
    from neraca.scores.unit import Unit
    from neraca.verdicts.jury import JuryResult
    from neraca.verdicts.pair_decisions import MergedPairs
    from neraca.verdicts.pairs_not_shown import Reason

#: Most grades for which a table of people by judge is printed.
GRADES = 11

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN... | TABLE...",
        help="Run folders with verdicts; one table with a column of ratings for each rater; or a file of judgments of "
        "each rater, such as the tables of neraca pool.",
        show_default=False,
    ),
]
Judges = Annotated[
    list[str],
    typer.Option(
        help='Judges to compare: "llm human" is all models and people, "llm:openai:gpt-4o-mini human:Ana" one of each, '
        '"clicks qrels" the clicks and the relevance in the questions; default: people, rules, models and clicks. '
        'Repeatable; a name with spaces stands alone: --judges llm --judges "human:Ana Ruiz". With a table: the '
        "columns of the raters.",
        show_default=False,
    ),
]
Jury = Annotated[
    bool,
    typer.Option(
        "--jury",
        help="Combine the verdicts of the judges (default: all models), and write the result by llm:jury.",
    ),
]
Raters = Annotated[
    bool,
    typer.Option(
        "--raters",
        help="Also print how good each person's ratings are: repeated ratings, agreement with gold labels and other "
        "people, and changes over time.",
    ),
]
Weights = Annotated[str, typer.Option(help="Weights in the kappa of grades, by their distance: quadratic or linear.")]


def command(
    runs: Runs = [],
    *,
    judges: Judges = [],
    jury: Jury = False,
    group: options.Groups = [],
    raters: Raters = False,
    weights: Weights = "quadratic",
    labelling: Labelling,
    validating: Validating,
    calls: ModelCalls,
    encoding: Encoding = None,
    unit: options.Unit = "auto",
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Measure how far judges agree, and list where they differ.

    Verdicts on answers and hits are compared aspect by aspect.  With --validate, a judge decides on labelled examples.
    """
    from neraca.datasets.trec.file_encoding import files_in
    from neraca.metaeval.agreement import AgreementOptions, items_by_unit
    from neraca.reports.sentences.scale_words import words_of_runs
    from neraca.verdicts.jury import write_jury
    from neraca.verdicts.pair_decisions import merge_pairs
    from neraca.verdicts.pairs_not_shown import without_pairs_not_shown

    with files_in(encoding):
        if validating.validate:
            return validate(validating, calls, level, report_language, output)
        table = _rater_table(runs, judges, jury=jury, raters=raters, plan=labelling.plan)
    opened = [] if table else _open_runs(runs)
    if labelling.plan is not None:
        plan = draw_labels(opened, labelling.plan, labelling, seed=seed, unit=unit, level=level)
        return print_plan(plan, labelling.plan, report_language, output)
    observed, items = items_by_unit(list(table.items) if table else _items(opened), unit)
    all_verdicts = _verdicts(opened, judges, table)
    shown, not_shown = without_pairs_not_shown(opened, all_verdicts)
    verdicts, merged = merge_pairs(opened, shown)
    chosen = [] if table else _judge_names(judges, all_verdicts)
    settings = AgreementOptions(judges=chosen, level=level, seed=seed, weights=weights)
    result = _AgreementResult.of(opened, items, verdicts, group, settings, raters=raters)
    jury_rows = list(map(_jury_row, write_jury(opened, all_verdicts, chosen) if jury else []))
    names = [str(run.path) for run in opened] or [" and ".join(map(str, runs))]
    compared = _Compared(result, observed, items, verdicts, chosen, not_shown, merged, names, words_of_runs(opened))
    with written_in(report_language):
        _print(compared, jury_rows, settings, output)


class _Compared(NamedTuple):
    """The result of a comparison of judges, and the questions, verdicts and judges that it rests on."""

    result: _AgreementResult
    unit: Unit
    items: Sequence[Item]
    verdicts: Sequence[VerdictTable]
    judges: Sequence[str]
    not_shown: Mapping[Reason, int]
    merged: MergedPairs
    names: Sequence[str]
    words: ScaleWords


def _print(
    compared: _Compared, jury_rows: Sequence[dict[str, Any]], settings: AgreementOptions, output: options.Output
) -> None:
    """Print how far the judges agree, with cautions and disagreements; or everything as JSON Lines."""
    from neraca.reports.blocks import agreement as agreement_block
    from neraca.reports.sentences import agreement as agreement_words
    from neraca.reports.sentences.notes import same_people
    from neraca.reports.sentences.unit import unit_notes
    from neraca.verdicts.opinions import opinions_by_aspect
    from neraca.verdicts.ratings import same_ratings

    result, items, verdicts, level = compared.result, compared.items, compared.verdicts, settings["level"]
    words = compared.words
    opinions = opinions_by_aspect(verdicts, compared.judges)
    differing, same_pairs = agreement_block.disagreements(opinions), same_ratings(verdicts)
    cautions = [*same_people(same_pairs), *agreement_words.chosen_labels(verdicts)]
    cautions += [*agreement_words.merged_pairs(compared.merged), *agreement_words.left_out_pairs(compared.not_shown)]
    sentences = [*agreement_words.sentences(result.all, opinions, items, level), *cautions]
    if output.json:
        for sentence in () if result.all else sentences:
            speak(sentence)
        rows = [*result.rows(), *agreement_block.opinion_rows(differing, compared.names), *jury_rows]
        return show.jsonl([*rows, *_same_rows(same_pairs)])
    result.print_tables(level, settings["weights"], words, output.wide)
    show.print_sentences(
        *(f"{note}." for note in (unit_notes(compared.unit) if compared.unit.assumed else ())),
        *sentences,
        *agreement_block.disagreement_lines(differing, items, compared.names, words=words),
        *map(_jury_sentence, jury_rows),
    )


def _open_runs(folders: Sequence[Path]) -> list[Run]:
    """Open the runs; raise `SpecError` if people rated the quality in them on different scales."""
    from neraca.people.quality_scale import QUALITY
    from neraca.scores.rated_scales import check_one_scale

    opened = options.open_runs([*dict.fromkeys(folders)])
    check_one_scale(opened, QUALITY, "agreement counts the distances of grades, so name only runs of one scale")
    return opened


def _rater_table(
    paths: Sequence[Path], columns: Sequence[str], *, jury: bool, raters: bool, plan: Path | None
) -> RaterTable | None:
    """Read the table of raters if the path is a file, and say on stderr what was read; None for run folders.

    Raise `SpecError` without a path, and for run folders with an encoding.
    """
    if not paths:
        raise SpecError(say("name run folders, a table of ratings, or labelled examples (--validate LABELLED)"))
    from neraca.datasets.rater_files import read_rater_files
    from neraca.datasets.rater_table import read_rater_table
    from neraca.datasets.trec.file_encoding import declared_encoding, table_encoding
    from neraca.scores.sources.paths import reads_no_table

    if not all(path.is_file() for path in paths):
        if encoding := declared_encoding():
            raise reads_no_table("encoding", encoding, next(path for path in paths if not path.is_file()))
        return None
    for option, value in (("--jury", jury), ("--raters", raters), ("--plan", plan)):
        if value:
            message = say("{option} needs run folders; {file} is a table of ratings", option=option, file=paths[0])
            raise SpecError(message)
    if len(paths) > 1:
        if columns:
            raise SpecError(say("each of several files is a rater, named like the file; leave --judges out"))
        table = read_rater_files(paths)
        counts = (f"{name} ({sum(v.by == f'human:{name}' for v in table.verdicts):,})" for name in table.raters)
        speak(say("raters, with the documents that they judge: {raters}", raters=", ".join(counts)))
        for note in table.notes:
            speak(note)
        return table
    names = [name for word in columns for name in ([word] if " " not in word else _columns_in(word, paths[0]))]
    table = read_rater_table(paths[0], names, encoding=table_encoding(paths[0]))
    others = say("; columns of other numbers: {columns}", columns=", ".join(table.others)) if table.others else ""
    chosen = "" if names else say(" (--judges names others)")
    parts = {"rows": count(len(table.items), "row"), "raters": ", ".join(table.raters), "chosen": chosen}
    speak(say("{file}: {rows}; raters: {raters}{chosen}{others}", file=paths[0], **parts, others=others))
    for note in table.notes:
        speak(f"{paths[0]}: {note}")
    return table


def _columns_in(words: str, path: Path) -> list[str]:
    """Return the columns in one `--judges`: the words are one name with spaces, or several names."""
    from neraca.datasets.table_reader import read_table
    from neraca.datasets.trec.file_encoding import table_encoding

    return [words] if words in read_table(path, encoding=table_encoding(path)).columns else words.split()


def _verdicts(runs: Sequence[Run], judges: Sequence[str], ratings: RaterTable | None) -> list[VerdictTable]:
    """Return the verdicts of each run, or those in a table of ratings.

    If `qrels` is named among the judges, add the relevance that the questions carry as verdicts by `qrels`; raise
    `SpecError` if no question carries any.
    """
    from neraca.runs.verdict_table import VerdictTable
    from neraca.verdicts.current import current_verdicts
    from neraca.verdicts.labels import label_verdicts

    if ratings:
        return [VerdictTable.made(ratings.verdicts)]
    tables = [current_verdicts(run) for run in runs]
    if "qrels" not in " ".join(judges).split() or any("qrels" in table.by.words for table in tables):
        return tables
    labels = [VerdictTable.made(label_verdicts(run.items)) for run in runs]
    if not any(map(len, labels)):
        raise SpecError(
            say("no question of these runs says which documents are relevant; add them to the questions first")
        )
    return [VerdictTable.joined([table, own]) for table, own in zip(tables, labels, strict=True)]


def _same_rows(pairs: Sequence[tuple[str, str, int]]) -> list[dict[str, object]]:
    """Write a flat row for every two people who gave the very same verdicts."""
    return [{"rater": rater, "same_as": twin, "verdicts": n} for rater, twin, n in pairs]


@dataclass(frozen=True)
class _AgreementResult:
    """The tables to print: agreement overall and by group, judges beside people, and raters if requested."""

    all: Agreements
    groups: Mapping[str, Agreements]
    confused: JudgeConfusions
    raters: RaterQualities | None

    @classmethod
    def of(
        cls,
        runs: Sequence[Run],
        items: Sequence[Item],
        verdicts: Sequence[Sequence[Verdict]],
        tags: Sequence[str],
        settings: AgreementOptions,
        *,
        raters: bool,
    ) -> Self:
        """Compare every two judges."""
        from neraca.datasets.columns import tag_named
        from neraca.metaeval.agreement import agreement, agreement_by_group
        from neraca.metaeval.judge_confusion import judges_beside_people
        from neraca.metaeval.raters import raters as quality
        from neraca.runs.verdict_table import VerdictTable
        from neraca.scores.rated_scales import scale_ends
        from neraca.verdicts.pair_decisions import merge_pairs
        from neraca.verdicts.pairs_not_shown import without_pairs_not_shown

        together = agreement(items, *verdicts, **settings)
        tag_names = {name for item in items for name in item.tags}
        groups = {
            tag: agreement_by_group(items, tag, *verdicts, **settings)
            for tag in dict.fromkeys(tag_named(tag, tag_names) for tag in tags)
        }
        ends, level = scale_ends(runs), settings["level"]
        confused = judges_beside_people(items, *verdicts, judges=settings["judges"], level=level, ends=ends)
        people = None
        if raters:
            tables = [VerdictTable.made(run.verdicts_journal) for run in runs]
            journals, _ = merge_pairs(runs, without_pairs_not_shown(runs, tables)[0])
            people = quality(items, journals, level=settings["level"], seed=settings["seed"])
        return cls(together, groups, confused, people)

    def rows(self) -> list[dict[str, object]]:
        """Return all tables as flat rows."""
        of_groups = [row for agreements in self.groups.values() for row in agreements.rows()]
        people = [] if self.raters is None else self.raters.rows()
        return [*self.all.rows(), *of_groups, *self.confused.rows(), *people]

    def print_tables(self, level: float, weights: str, words: ScaleWords, wide: bool) -> None:
        """Print the tables; `words` are those of the values of people's scales."""
        from neraca.number_format import percent_level
        from neraca.reports.blocks import agreement as agreement_block
        from neraca.reports.blocks.table_words import translated
        from neraca.reports.sentences.agreement import graded_title
        from neraca.reports.sentences.tag_words import tag_words

        if self.all:
            title = say("how far judges agree, with {level} intervals", level=percent_level(level))
            show.table(title, *agreement_block.table(self.all), wide=wide)
            columns, graded = agreement_block.grade_table(self.all)
            if graded:
                show.table(graded_title(weights), columns, graded, wide=wide)
        for tag, agreements in self.groups.items():
            title = say("by {tag}", tag=tag_words(tag))
            show.table(title, *agreement_block.table(agreements), names=2, wide=wide)
        if self.confused:
            show.result(translated(self.confused.table()), say("judges beside people"), wide=wide)
            for confusion in self.confused:
                if 2 < len(confusion.scale) <= GRADES:
                    show.result(agreement_block.confusion_table(confusion, words), "", wide=wide)
        if self.raters is not None:
            from neraca.reports.sentences import raters as rater_sentences

            show.result(translated(self.raters.table()), say("how good each person's ratings are"), wide=wide)
            show.print_sentences(*rater_sentences.sentences(self.raters))


def _items(runs: Sequence[Run]) -> list[Item]:
    """Return the questions of all runs; raise `InputError` if one id names two questions."""
    first_seen: dict[str, tuple[Item, Run]] = {}
    for run in runs:
        for item in run.items:
            earlier, first = first_seen.setdefault(item.id, (item, run))
            if (earlier.query, earlier.session) != (item.query, item.session):
                raise InputError(
                    say(
                        "question {question!r} of {first} differs from that of {second}; compare judges on runs over "
                        "the same dataset, or on each run alone",
                        question=item.id,
                        first=run.path,
                        second=first.path,
                    )
                )
    return [item for item, _ in first_seen.values()]


def _judge_names(words: list[str], parts: Sequence[Sequence[Verdict]]) -> list[str]:
    """Return the judges that the words name; a word holds several names or one name with a space.

    Raise `SpecError` for a judge who wrote no verdict.
    """
    bys = {verdict.by for verdicts in parts for verdict in verdicts}
    existing = sorted({name for by in bys for name in (by, by.partition("#")[0], by.partition(":")[0])})
    names = dict.fromkeys(name for word in words for name in ([word] if word in existing else word.split()))
    if unknown := next((name for name in names if name not in existing), ""):
        from neraca.judges.judge import source_hint

        hint = source_hint(unknown) or nearest(unknown, existing)
        raise SpecError(
            say("nobody called {unknown!r} wrote a verdict in these runs; {hint}", unknown=unknown, hint=hint)
        )
    return list(names)


def _jury_row(result: JuryResult) -> dict[str, Any]:
    """Write the result of a jury as a flat row."""
    from neraca.verdicts.source import JURY

    numbers = {"verdicts": result.verdicts, "undecided": result.undecided, "new_verdicts": result.new_verdicts}
    return {"run": str(result.run.path), "by": JURY, **numbers}


def _jury_sentence(row: dict[str, Any]) -> str:
    """Say how much a jury decided in a run."""
    names = {"run": row["run"], "by": row["by"]}
    if not row["verdicts"]:
        return say("{run}: no verdict by {by}: no two of its judges decided on the same thing", **names)
    ties = say(", of which {n:,} say that yes and no are level", n=row["undecided"]) if row["undecided"] else ""
    return say(
        "{run}: verdicts by {by}: {verdicts:,}{ties}; new ones: {new:,}",
        **names,
        verdicts=row["verdicts"],
        ties=ties,
        new=row["new_verdicts"],
    )
