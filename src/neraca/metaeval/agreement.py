"""Agreement of judges and people, aspect by aspect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypedDict, Unpack

import numpy as np

from neraca.errors import InputError, SpecError, nearest
from neraca.number_format import number, span
from neraca.records import Item, Verdict
from neraca.result import Results, Table
from neraca.scores.unit import clusters_of
from neraca.stats.agreement.intraclass import graded_counts, icc_of_mean, icc_of_one
from neraca.stats.agreement.kappa import (
    agreed_share,
    cohen_kappa,
    cross_counts,
    distance_weights,
    fleiss_kappa,
    gwet_ac1,
    shared_counts,
)
from neraca.stats.agreement.krippendorff import alpha_counts, krippendorff_alpha, squared_distances
from neraca.stats.intervals.bootstrap_interval import bootstrap_interval
from neraca.stats.intervals.interval import Estimate, Floats, Total
from neraca.verdicts.opinions import Thing, values_by_aspect
from neraca.verdicts.source import matches

#: Values that an aspect may have, where it has no others.
_SCALES = ((0.0, 1.0), (0.0, 0.5, 1.0))
#: How much a near miss counts in weighted kappa: the power of how far two grades are apart.
WEIGHTS = {"quadratic": 2, "linear": 1}


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """Agreement of the judges of one aspect, counting near grades in part.

    Attributes
    ----------
    weighted_kappa
        Cohen's kappa for two judges, Fleiss' for more, weighted by the distance between grades.
    weights
        Name of the weights, from `WEIGHTS`.
    icc, icc_mean
        ICC(2,1), of one judge, and ICC(2,k), of the mean of these judges; their `n` counts the things that all of
        them graded, on which both rest.
    """

    weighted_kappa: Estimate
    weights: str
    icc: Estimate
    icc_mean: Estimate


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of the judges of one aspect.

    Attributes
    ----------
    aspect
        Aspect of the verdicts, such as `valid` or `relevance`.
    judges
        Their names as in `by`, without the hash of a prompt.
    agreement
        Share of the pairs of judges who agree, mean over things; its `n` is how many things two judges at least
        decided on.
    kappa
        Cohen's kappa for two judges, Fleiss' for more.
    ac1
        Gwet's AC1.
    alpha
        Krippendorff's alpha: nominal for categories, of squared distances for grades.
    grades
        Measures that count near grades in part; None if values are yes, no and even.
    group
        Group of questions, such as `category=price`; "" for all.
    """

    aspect: str
    judges: tuple[str, ...]
    agreement: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    grades: GradeAgreement | None = None
    group: str = ""

    @property
    def kappa_of(self) -> str:
        """Name of the kappa: `Cohen` for two judges, `Fleiss` for more."""
        return "Cohen" if len(self.judges) == 2 else "Fleiss"


class Agreements(Results[JudgeAgreement]):
    """Agreement of judges, aspect by aspect; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        groups = ["group"] if any(one.group for one in self) else []
        columns = ["aspect", *groups, "judges", "agree", "kappa", "interval", "AC1", "alpha", "n"]
        rows = [
            [
                *(one.aspect, *([one.group] if groups else []), ", ".join(one.judges), number(one.agreement.value)),
                *(number(one.kappa.value), span(one.kappa.low, one.kappa.high), number(one.ac1.value)),
                *(number(one.alpha.value), f"{one.agreement.n:,}"),
            ]
            for one in self
        ]
        yield Table(columns, rows, names=2 + len(groups))

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for each aspect; `kappa_of` is `Cohen` or `Fleiss`; of grades also weighted kappa and ICC."""
        return [
            {
                "aspect": one.aspect,
                **({"group": one.group} if one.group else {}),
                "judges": ", ".join(one.judges),
                **_flat("agreement", one.agreement),
                **_flat("kappa", one.kappa),
                "kappa_of": one.kappa_of,
                **_flat("ac1", one.ac1),
                **_flat("alpha", one.alpha),
                "n": one.agreement.n,
                **(_flat_grades(one.grades) if one.grades else {}),
            }
            for one in self
        ]


def _flat_grades(grades: GradeAgreement) -> dict[str, Any]:
    return {
        **_flat("weighted_kappa", grades.weighted_kappa),
        "weights": grades.weights,
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


def agreement(
    items: Sequence[Item],
    *verdicts: Iterable[Verdict],
    judges: Sequence[str] = (),
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    weights: str = "quadratic",
) -> Agreements:
    """Measure how far judges agree on answers and hits, for each aspect on which two of them decided.

    Claims are not compared, since each judge finds its own.  Each value is a category of its own, also of grades: 4
    and 5 differ as 1 and 5 do, but for weighted kappa and ICC, which grades get beside.  Things with fewer than two
    decisions are left out; a hit of the same question, or an equal answer, is one thing in all runs.  Cohen's kappa
    takes each judge's own shares, Fleiss' and Gwet's those of all.  Intervals are BCa, from resampling sessions.

    Parameters
    ----------
    items
        The questions; those of one session are drawn together.
    verdicts
        The verdicts on each run, oldest first; of one judge with several prompts the newest counts.
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
        For a verdict on a question that is not among `items`.

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
    for aspect, things in values_by_aspect(verdicts, judges).items():
        several = {thing: opinions for thing, opinions in things.items() if len(opinions) > 1}
        if strange := next((item for _, item, _, _ in several if item not in session), None):
            raise InputError(f"there is a verdict about item {strange!r}, which is not among the questions")
        if several:
            groups = np.array([session[item] for _, item, _, _ in several], dtype=np.int64)
            estimate = partial(bootstrap_interval, clusters=groups, level=level, samples=samples, seed=seed)
            agreements.append(_agreement(aspect, things, list(several.values()), estimate, weights))
    return agreements


def agreement_by_group(
    items: Sequence[Item], tag: str, *verdicts: Iterable[Verdict], **how: Unpack[AgreementOptions]
) -> Agreements:
    """`agreement` for each value of a tag, such as `category`, in order of first occurrence.

    Raises `SpecError` where no question has the tag; otherwise as `agreement`.
    """
    values = dict.fromkeys(item.tags.get(tag, "") for item in items)
    if values.keys() <= {""}:
        known = sorted({name for item in items for name in item.tags})
        raise SpecError(f"no question has the tag {tag!r} to group by; known: {', '.join(known) or 'none'}")
    tables = [list(part) for part in verdicts]
    judges = how.get("judges", ())
    found = Agreements()
    for value in values:
        some = [item for item in items if item.tags.get(tag, "") == value]
        ids = {item.id for item in some}
        own = [[verdict for verdict in part if verdict.item in ids] for part in tables]
        present = {verdict.by for part in own for verdict in part}
        asked = [name for name in judges if any(matches(by, name) for by in present)]
        if asked or not judges:
            chosen = AgreementOptions(**how) | AgreementOptions(judges=asked)
            group = agreement(some, *own, **chosen)
            found.extend(replace(one, group=f"{tag}={value or '–'}") for one in group)
    return found


def _agreement(
    aspect: str,
    things: Mapping[Thing, Mapping[str, float]],
    several: Sequence[Mapping[str, float]],
    estimate: Callable[[Floats, Total], Estimate],
    weights: str,
) -> JudgeAgreement:
    """Measure agreement on one aspect; `several` holds the opinions on each thing that has at least two."""
    names = sorted({name for opinions in things.values() for name in opinions})
    scale = _scale(value for opinions in things.values() for value in opinions.values())
    counts = [[list(opinions.values()).count(value) for value in scale] for opinions in several]
    votes = np.array(counts, dtype=np.float64)
    rows = shared_counts(votes)
    crossed: Floats | None = None
    if len(names) == 2:
        codes = np.array([[scale.index(opinions[name]) for name in names] for opinions in several])
        crossed = cross_counts(codes, len(scale))

    def kappa(w: Floats | None = None) -> Estimate:
        if crossed is not None:
            return estimate(crossed, partial(cohen_kappa, weights=w))
        return estimate(shared_counts(votes, w), partial(fleiss_kappa, weights=w))

    grades, apart = None, None
    if scale not in _SCALES and len(scale) > 1:
        by_all = _by_all(several, names)
        apart = squared_distances(np.array(scale))
        weighted = kappa(distance_weights(np.array(scale), WEIGHTS[weights]))
        grades = GradeAgreement(weighted, weights, estimate(by_all, icc_of_one), estimate(by_all, icc_of_mean))
    agreed, ac1 = estimate(rows, agreed_share), estimate(rows, gwet_ac1)
    alpha = estimate(alpha_counts(votes, apart), partial(krippendorff_alpha, distances=apart))
    return JudgeAgreement(aspect, tuple(names), agreed, kappa(), ac1, alpha, grades)


def _by_all(several: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """Rows for ICC, NaN of things that some judge did not grade."""
    grades = np.array([[opinions.get(name, np.nan) for name in names] for opinions in several])
    graded = ~np.isnan(grades).any(axis=1)
    rows = np.full((len(grades), len(names) + 3), np.nan)
    rows[graded] = graded_counts(grades[graded])
    return rows


def _scale(values: Iterable[float]) -> tuple[float, ...]:
    """Return the categories: yes and no, also if all say yes; better, even, worse; else the values that occur."""
    seen = set(values)
    return next((scale for scale in _SCALES if seen <= set(scale)), tuple(sorted(seen)))
