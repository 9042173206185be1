"""`neraca agree`: how far judges agree, where they do not, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from neraca.cli import options, show, speak
from neraca.errors import InputError, SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.metaeval.agreement import AgreementOptions, Agreements
    from neraca.metaeval.judge_confusion import JudgeConfusions
    from neraca.metaeval.label_plan import PlanOptions
    from neraca.metaeval.raters import RaterQualities
    from neraca.records import Item, Verdict
    from neraca.runs.run import Run
    from neraca.verdicts.jury import JuryResult


#: Grades of which a table of people by judge is still read at a glance.
GRADES = 6


_JUDGES = (
    'Who is compared: "llm human" is all models and people, "llm:openai:gpt-4o-mini human:Ana" these two; default '
    "people, rules, models and clicks."
)
_PLAN = (
    "Instead: draw the questions that people should label so that a judge's scores can be corrected, and write them "
    "here (.csv, .xlsx, …)."
)
Judges = Annotated[list[str], typer.Option(help=_JUDGES, show_default=False)]
Jury = Annotated[
    bool,
    typer.Option("--jury", help="Write what the judges say together (default all models) as verdicts by llm:jury."),
]
Raters = Annotated[
    bool,
    typer.Option(
        "--raters", help="How good each person's ratings are: rated twice, beside gold labels and others, over time."
    ),
]
Weights = Annotated[
    str, typer.Option(help="Of weighted kappa, of grades: quadratic or linear in how far they are apart.")
]
Group = Annotated[list[str], typer.Option("--group", "-g", help="A tag to group by, such as category.")]
Seed = Annotated[int, typer.Option(help="Of the intervals, which are made by resampling sessions.", min=0)]
PlanFile = Annotated[Path | None, typer.Option(metavar="FILE", help=_PLAN, show_default=False)]
OfMetric = Annotated[str, typer.Option("--metric", "-m", help="Of the plan: for which metric.", show_default=False)]
OfJudge = Annotated[str, typer.Option(help="Of the plan: which judge is to be corrected.", show_default=False)]
Width = Annotated[
    float | None, typer.Option(help="Of the plan: how wide the interval may be, such as 0.1.", show_default=False)
]
Labels = Annotated[
    int | None, typer.Option(help="Of the plan: how many questions people will label.", show_default=False)
]
HumanCost = Annotated[float | None, typer.Option(help="Of the plan: what a person's label costs.", show_default=False)]
ModelCost = Annotated[float, typer.Option(help="Of the plan: what a model's judgement costs.")]


def command(
    runs: options.Runs,
    judges: Judges = [],
    jury: Jury = False,
    group: Group = [],
    raters: Raters = False,
    weights: Weights = "quadratic",
    plan: PlanFile = None,
    metric: OfMetric = "",
    by: OfJudge = "",
    width: Width = None,
    labels: Labels = None,
    human_cost: HumanCost = None,
    model_cost: ModelCost = 0.0,
    unit: options.Unit = "auto",
    level: options.Level = 0.95,
    seed: Seed = 0,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """How far judges agree on answers and hits, aspect by aspect, and where they differ most."""
    from neraca.metaeval.agreement import AgreementOptions
    from neraca.metaeval.label_plan import PlanOptions
    from neraca.reports.blocks import agreement as words
    from neraca.reports.sentences.agreement import sentences as in_words
    from neraca.reports.sentences.notes import same_people
    from neraca.verdicts.current import current_verdicts
    from neraca.verdicts.jury import write_jury
    from neraca.verdicts.opinions import opinions_by_aspect
    from neraca.verdicts.ratings import same_ratings

    opened = options.open_runs([*dict.fromkeys(runs)])
    if plan is not None:
        wished = PlanOptions(width=width, labels=labels, human_cost=human_cost, model_cost=model_cost, seed=seed)
        _plan(opened, plan, metric, wished, json=json, by=by, unit=unit, level=level)
        return
    items = _items(opened)
    verdicts = [current_verdicts(run) for run in opened]
    names_of_judges = _wanted(judges, verdicts)
    how = AgreementOptions(judges=names_of_judges, level=level, seed=seed, weights=weights)
    found = _Found.of(opened, items, verdicts, group, how, raters=raters)
    written = [_jury_row(result) for result in write_jury(opened, verdicts, names_of_judges)] if jury else []
    opinions = opinions_by_aspect(verdicts, names_of_judges)
    names = [str(run.path) for run in opened]
    differing = words.disagreements(opinions)
    same = same_ratings(verdicts)
    sentences = [*in_words(found.all, opinions, items, level), *same_people(same)]
    if json:
        if not found.all:
            for sentence in sentences:
                speak(sentence)
        show.jsonl([*found.rows(), *words.opinion_rows(differing, names), *written, *_same_rows(same)])
        return
    found.show(level, weights, wide)
    show.say(*sentences, *words.shown(differing, items, names), *map(_jury_sentence, written))


def _same_rows(pairs: Sequence[tuple[str, str, int]]) -> list[dict[str, object]]:
    """Write a flat row for every two people who gave the very same verdicts."""
    return [{"rater": rater, "same_as": other, "verdicts": n} for rater, other, n in pairs]


@dataclass(frozen=True)
class _Found:
    """What is printed as tables: agreement of all, by group, judges beside people, and the raters where asked for."""

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
        how: AgreementOptions,
        *,
        raters: bool,
    ) -> Self:
        """Compare everybody with everybody."""
        from neraca.metaeval.agreement import agreement, agreement_by_group
        from neraca.metaeval.judge_confusion import judges_beside_people
        from neraca.metaeval.raters import raters as quality

        together = agreement(items, *verdicts, **how)
        groups = {tag: agreement_by_group(items, tag, *verdicts, **how) for tag in tags}
        confused = judges_beside_people(items, *verdicts, judges=how["judges"], level=how["level"])
        journals = [run.verdicts_journal for run in runs]
        people = quality(items, journals, level=how["level"], seed=how["seed"]) if raters else None
        return cls(together, groups, confused, people)

    def rows(self) -> list[dict[str, object]]:
        """Flat rows for machines."""
        of_groups = [row for found in self.groups.values() for row in found.rows()]
        people = [] if self.raters is None else self.raters.rows()
        return [*self.all.rows(), *of_groups, *self.confused.rows(), *people]

    def show(self, level: float, weights: str, wide: bool) -> None:
        """Print the tables."""
        from neraca.number_format import percent_level
        from neraca.reports.blocks import agreement as words

        if self.all:
            title = f"how far judges agree, with {percent_level(level)} intervals"
            show.table(title, *words.table(self.all), wide=wide)
            columns, graded = words.grade_table(self.all)
            if graded:
                show.table(f"grades, near ones counted in part ({weights} weights)", columns, graded, wide=wide)
        for tag, found in self.groups.items():
            show.table(f"by {tag}", *words.table(found), names=2, wide=wide)
        if self.confused:
            show.result(self.confused.table(), "judges beside people", wide=wide)
            for one in self.confused:
                if 2 < len(one.scale) <= GRADES:
                    show.result(one.table(), "", wide=wide)
        if self.raters is not None:
            from neraca.reports.sentences import raters as of_raters

            show.result(self.raters.table(), "how good each person's ratings are", wide=wide)
            show.say(*of_raters.sentences(self.raters))


def _plan(runs: Sequence[Run], to: Path, metric: str, wished: PlanOptions, *, json: bool, **how: Any) -> None:
    """Draw the questions that people should label, write them, and say what that gives."""
    from dataclasses import asdict

    from neraca.datasets.sample_table import COLUMNS
    from neraca.datasets.table_writer import write_table
    from neraca.metaeval.label_plan import plan_labels
    from neraca.reports.sentences import label_plan as words
    from neraca.scores.score import score
    from neraca.verdicts.source import source_of

    rated = any(source_of(name) == "human" for run in runs for name in run.verdicts().by.words)
    found = plan_labels(score(runs, metric, correct="ppi" if rated else "", **how), metric, wished)
    write_table(to, found.questions, COLUMNS)
    if json:
        row = {name: value for name, value in asdict(found).items() if name not in ("questions", "foreseen", "split")}
        split = found.split._asdict() if found.split else {}
        show.jsonl([row | {f"cheapest_{name}": value for name, value in split.items()}])
        return
    show.result(found.table(), "")
    show.say(*words.sentences(found, str(to)))


def _items(runs: Sequence[Run]) -> list[Item]:
    """Return the questions of all runs; raise `InputError` where one id names two questions."""
    first_seen: dict[str, tuple[Item, Run]] = {}
    for run in runs:
        for item in run.items:
            seen, first = first_seen.setdefault(item.id, (item, run))
            if (seen.query, seen.session) != (item.query, item.session):
                raise InputError(
                    f"question {item.id!r} of {run.path} is not that of {first.path}; compare judges on runs over the "
                    "same dataset, or on each run alone"
                )
    return [item for item, _ in first_seen.values()]


def _wanted(words: list[str], parts: Sequence[Sequence[Verdict]]) -> list[str]:
    """Return the judges that the words name; a word holds several names or one name with a space.

    Raise `SpecError` for a judge who wrote no verdict.
    """
    bys = {verdict.by for verdicts in parts for verdict in verdicts}
    known = sorted({name for by in bys for name in (by, by.partition("#")[0], by.partition(":")[0])})
    names = dict.fromkeys(name for word in words for name in ([word] if word in known else word.split()))
    if strange := next((name for name in names if name not in known), ""):
        raise SpecError(f"nobody called {strange!r} wrote a verdict in these runs; {nearest(strange, known)}")
    return list(names)


def _jury_row(result: JuryResult) -> dict[str, object]:
    """Write the result of a jury as a flat row."""
    from neraca.verdicts.source import JURY

    numbers = {"verdicts": result.verdicts, "undecided": result.undecided, "new_verdicts": result.new_verdicts}
    return {"run": str(result.run.path), "by": JURY, **numbers}


def _jury_sentence(row: dict[str, object]) -> str:
    """Say how much a jury decided in a run."""
    if not row["verdicts"]:
        return f"{row['run']}: no verdict by {row['by']}: no two of its judges decided on the same thing"
    level = f", of which {row['undecided']:,} say that yes and no are level" if row["undecided"] else ""
    return f"{row['run']}: verdicts by {row['by']}: {row['verdicts']:,}{level}; new ones: {row['new_verdicts']:,}"
