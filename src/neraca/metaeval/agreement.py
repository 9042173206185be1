"""Agreement of judges and people, aspect by aspect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

import msgspec
import numpy as np

from neraca.categorical import Categorical
from neraca.datasets.columns import tag_named
from neraca.datasets.rater_table import verdicts_of
from neraca.errors import InputError, SpecError
from neraca.metaeval.judged_aspect import WEIGHTS, GradeAgreement, JudgeAgreement, JudgedAspect
from neraca.nearest import nearest
from neraca.number_format import number, span
from neraca.records import Item, Verdict
from neraca.result import Results, Table
from neraca.scores.unit import Ints, Unit, clusters_of, unit_of
from neraca.stats.intervals.bootstrap_interval import bootstrap_interval
from neraca.stats.intervals.interval import Estimate, Floats
from neraca.verdicts.opinions import values_by_aspect
from neraca.verdicts.pair_decisions import is_on_pair
from neraca.verdicts.source import matches


class Agreements(Results[JudgeAgreement]):
    """Agreement of judges, aspect by aspect; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        groups = ["group"] if any(row.group for row in self) else []
        columns = ["aspect", *groups, "judges", "agree", "kappa", "interval", "AC1", "alpha", "n"]
        rows = [
            [
                *(row.aspect, *([row.group] if groups else []), ", ".join(row.judges), number(row.agreement.value)),
                *(number(row.kappa.value), span(row.kappa.low, row.kappa.high), number(row.ac1.value)),
                *(number(row.alpha.value), f"{row.agreement.n:,}"),
            ]
            for row in self
        ]
        yield Table(columns, rows, names=2 + len(groups))

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each aspect with all numbers; for grades also weighted kappa and ICC."""
        return [
            {
                "aspect": row.aspect,
                **({"group": row.group} if row.group else {}),
                "judges": ", ".join(row.judges),
                **_flat("agreement", row.agreement),
                **_flat("kappa", row.kappa),
                "kappa_of": row.kappa_of,
                **_flat("ac1", row.ac1),
                **_flat("alpha", row.alpha),
                "n": row.agreement.n,
                "raters": len(row.judges),
                "decisions": row.decisions,
                **(_flat_grades(row.grades) if row.grades else {}),
            }
            for row in self
        ]


def _flat_grades(grades: GradeAgreement) -> dict[str, Any]:
    """Return weighted kappa with the chosen weights and with each, and ICC."""
    return {
        **_flat("weighted_kappa", grades.weighted_kappa),
        "weights": grades.weights,
        **_flat("kappa_linear", grades.kappa_by_weights["linear"]),
        **_flat("kappa_quadratic", grades.kappa_by_weights["quadratic"]),
        **_flat("icc", grades.icc),
        **_flat("icc_mean", grades.icc_mean),
        "graded_by_all": grades.icc.n,
    }


def _flat(name: str, estimate: Estimate) -> dict[str, float | str]:
    flat: dict[str, float | str] = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return flat | {f"{name}_why": estimate.why}


class AgreementOptions(TypedDict, total=False):
    """Optional parameters of `agreement`."""

    judges: Sequence[str]
    level: float
    samples: int
    seed: int
    weights: str


def items_by_unit(items: Sequence[Item], unit: str) -> tuple[Unit, list[Item]]:
    """Return the unit of observation, and the items with the number of their observation as their session.

    `unit` is `auto` (the session, or the question if there is only one session), `session`, `question` or a tag.
    Raise `SpecError` if no item has the tag.
    """
    names = dict.fromkeys(name for item in items for name in item.tags)
    tags = {name: Categorical.of(item.tags.get(name, "") for item in items) for name in names}
    observed, numbers = unit_of(unit, clusters_of(item.session for item in items), tags)
    sessions = zip(items, numbers.tolist(), strict=True)
    return observed, [msgspec.structs.replace(item, session=str(number)) for item, number in sessions]


def agreement(
    items: Sequence[Item],
    *verdicts: Iterable[Verdict],
    judges: Sequence[str] = (),
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    weights: str = "quadratic",
) -> Agreements:
    """Measure how far judges agree on answers and hits, for each aspect on which at least two of them decided.

    Claims are not compared, because each judge finds its own.  Of decisions on pairs of answers (`merge_pairs`), each
    counts half as it is and half with the two answers swapped, because it is arbitrary which of them is named first:
    kappa does not depend on the order of the runs.  Every value is a category, also a grade: 4 and 5 differ
    as much as 1 and 5, except in weighted kappa and ICC, which are added for grades.  Answers and hits with fewer than
    two decisions are left out.  The same hit of a question, or an equal answer, counts once over all runs.  Cohen's
    kappa uses the marginal shares of each judge, Fleiss' and Gwet's those of all judges.  Intervals are BCa intervals
    that resample sessions.

    Parameters
    ----------
    items
        The questions; a session is resampled as a whole.
    verdicts
        The verdicts on each run, oldest first; if a judge had several prompts, its newest verdict counts.
    judges
        Judges to compare, as in `by`: `llm` is every model, `llm:openai:gpt-4o-mini` this one; (): people, rules and
        models, but no jury.
    level, samples, seed, weights
        Confidence, resamples and seed of the intervals; weights of weighted kappa: `quadratic` or `linear`.

    Raises
    ------
    SpecError
        If one of `judges` decided on nothing, or `weights` has another name.
    InputError
        If a verdict is on a question that is not among `items`.

    Examples
    --------
    >>> values = {"llm:a": (1, 1, 0, 1), "llm:b": (1, 1, 0, 0)}
    >>> result = agreement(
    ...     [Item(id=str(n), query="?") for n in range(4)],
    ...     [Verdict(item=str(n), about="answer", aspect="valid", by=by, value=value)
    ...      for by, row in values.items() for n, value in enumerate(row)],
    ... )
    >>> result[0].judges, result[0].agreement.value, result[0].kappa.value  # by chance .75 × .5 + .25 × .5
    (('llm:a', 'llm:b'), 0.75, 0.5)
    """
    if weights not in WEIGHTS:
        raise SpecError(f"no weights of kappa are called {weights!r}; {nearest(weights, WEIGHTS)}")
    numbers = clusters_of(item.session for item in items)
    session = dict(zip((item.id for item in items), numbers.tolist(), strict=True))
    agreements = Agreements()
    for aspect, opinions_by_thing in values_by_aspect(verdicts, judges).items():
        shared = {thing: opinions for thing, opinions in opinions_by_thing.items() if len(opinions) > 1}
        if strange := next((item for _, item, _, _ in shared if item not in session), None):
            raise InputError(f"there is a verdict about item {strange!r}, which is not among the questions")
        if shared:
            groups = np.array([session[item] for _, item, _, _ in shared], dtype=np.int64)
            interval = partial(bootstrap_interval, clusters=groups, level=level, samples=samples, seed=seed)
            opinions_of = JudgedAspect.of_pairs if all(is_on_pair(about) for *_, about in shared) else JudgedAspect
            judged = opinions_of(aspect, opinions_by_thing.values(), list(shared.values()), interval)
            agreements.append(replace(judged.agreement(weights), decisions=sum(map(len, shared.values()))))
    return agreements


def agreement_of_columns(columns: Mapping[str, Floats], clusters: Ints, level: float = 0.95) -> Agreements:
    """Measure `agreement` of raters who have a column each: rater → value of each row, NaN for none."""
    items = [Item(id=str(row), query="", session=str(cluster)) for row, cluster in enumerate(clusters.tolist())]
    return agreement(items, verdicts_of([item.id for item in items], columns), level=level)


def agreement_by_group(
    items: Sequence[Item], tag: str, *verdicts: Iterable[Verdict], **how: Unpack[AgreementOptions]
) -> Agreements:
    """Measure `agreement` for each value of a tag, such as `category`, in order of first occurrence.

    Raise `SpecError` if no question has the tag, and what `agreement` raises.
    """
    tag = tag_named(tag, (name for item in items for name in item.tags))
    values = dict.fromkeys(item.tags.get(tag, "") for item in items)
    if values.keys() <= {""}:
        tags = sorted({name for item in items for name in item.tags})
        raise SpecError(f"no question has the tag {tag!r} to group by; known: {', '.join(tags) or 'none'}")
    verdicts_by_run = [list(of_run) for of_run in verdicts]
    judges = how.get("judges", ())
    agreements = Agreements()
    for value in values:
        group_items = [item for item in items if item.tags.get(tag, "") == value]
        ids = {item.id for item in group_items}
        group_verdicts = [[verdict for verdict in of_run if verdict.item in ids] for of_run in verdicts_by_run]
        sources = {verdict.by for of_run in group_verdicts for verdict in of_run}
        active_judges = [name for name in judges if any(matches(by, name) for by in sources)]
        if active_judges or not judges:
            options = AgreementOptions(**how) | AgreementOptions(judges=active_judges)
            rows = agreement(group_items, *group_verdicts, **options)
            agreements.extend(replace(row, group=f"{tag}={value or '–'}") for row in rows)
    return agreements
