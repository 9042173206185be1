"""How far judges agree, in a table and plain words; and where they differ most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neraca.metaeval.agreement import JURY, GradeAgreement, JudgeAgreement, Thing
from neraca.metrics.rag.claims import FOUND
from neraca.records import Item, Verdict
from neraca.reports.escape import line
from neraca.reports.number_format import DASH, count, listed, number, percent, percent_level, span
from neraca.runs.preferred import is_of_one_order
from neraca.scores.unit import clusters_of
from neraca.stats.interval import Estimate
from neraca.verdicts.source import matches, source_of

#: Aspect → which thing → judge → the verdict that counts.
Opinions = Mapping[str, Mapping[Thing, Mapping[str, Verdict]]]
#: With fewer independent questions an interval from resampling is too narrow.
ENOUGH = 20
#: So much larger than kappa, AC1 shows that kappa took agreement for chance.
APART = 0.2
_WHOSE = {"Cohen": "Cohen's", "Fleiss": "Fleiss'"}
_JUDGES = ("human", "rules", "llm")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing on which judges differ.

    Attributes
    ----------
    aspect
        What they decided on.
    thing
        Which run (from 0), item, trial and part of the answer.
    opinions
        Judge → verdict, by name.
    spread
        From the least to the largest of their values, as a share of the range that the aspect's values have; above 0.
    """

    aspect: str
    thing: Thing
    opinions: Mapping[str, Verdict]
    spread: float


def opinions_of(runs: Iterable[Iterable[Verdict]], judges: Sequence[str] = ()) -> Opinions:
    """What `neraca.agreement` compares of the same verdicts and judges, with the reasons.

    >>> verdicts = [Verdict(item="1", about="answer", aspect="valid", by="llm:a#123456", value=1, why="it does")]
    >>> opinions_of([verdicts])["valid"][0, "1", 0, "answer"]["llm:a"].why
    'it does'
    """
    aspects: dict[str, dict[Thing, dict[str, Verdict]]] = {}
    for run, verdicts in enumerate(runs):
        for verdict in verdicts:
            part = verdict.about == "answer" or verdict.about.startswith("hit:")
            found = verdict.aspect in FOUND or is_of_one_order(verdict.aspect)
            if not part or found or source_of(verdict.by) not in _JUDGES:
                continue
            named = verdict.by in judges
            if not named and (verdict.by == JURY or (judges and not any(matches(verdict.by, one) for one in judges))):
                continue
            thing = (run, verdict.item, verdict.trial, verdict.about)
            opinions = aspects.setdefault(verdict.aspect, {}).setdefault(thing, {})
            name = verdict.by.partition("#")[0]
            opinions.pop(name, None)
            if verdict.value is not None:
                opinions[name] = verdict
    return aspects


def disagreements(by_aspect: Opinions) -> list[Disagreement]:
    """All things on which judges differ, the most telling first.

    Those whose values lie furthest apart; of these, those where a person differs from a program; and of each aspect
    the first before the second of any.
    """
    ranked: list[tuple[tuple[float, bool, int], Disagreement]] = []
    for aspect, things in by_aspect.items():
        values = [_value(verdict) for opinions in things.values() for verdict in opinions.values()]
        seen = {False: 0, True: 0}
        for thing, opinions in things.items():
            numbers = [_value(verdict) for verdict in opinions.values()]
            if len(set(numbers)) < 2:
                continue
            spread = (max(numbers) - min(numbers)) / (max(values) - min(values))
            overruled = _overruled(opinions)
            ranked.append(
                (
                    (-spread, not overruled, seen[overruled]),
                    Disagreement(aspect, thing, dict(sorted(opinions.items())), spread),
                )
            )
            seen[overruled] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]


def _grades(things: Mapping[Thing, Mapping[str, Verdict]]) -> bool:
    """Whether there are other values than yes, no and even."""
    return any(_value(verdict) not in (0, 0.5, 1) for opinions in things.values() for verdict in opinions.values())


def _value(verdict: Verdict) -> float:
    """Of a verdict that counts, which is one with a value."""
    return math.nan if verdict.value is None else verdict.value


def _overruled(opinions: Mapping[str, Verdict]) -> bool:
    """Whether a person says otherwise than a program."""
    people = {verdict.value for name, verdict in opinions.items() if _person(name)}
    programs = {verdict.value for name, verdict in opinions.items() if not _person(name)}
    return any(one != other for one in people for other in programs)


def _person(name: str) -> bool:
    return source_of(name) == "human"


def opinion_rows(differing: Iterable[Disagreement], runs: Sequence[str]) -> list[dict[str, object]]:
    """A flat row for each judge's word on each thing on which judges differ; `runs` are the runs' names."""
    return [
        {
            "aspect": one.aspect,
            "run": runs[one.thing[0]],
            "item": one.thing[1],
            "trial": one.thing[2],
            "about": one.thing[3],
            "judge": name,
            "value": verdict.value,
            "why": verdict.why,
        }
        for one in differing
        for name, verdict in one.opinions.items()
    ]


def table(agreements: Sequence[JudgeAgreement]) -> tuple[list[str], list[list[str]]]:
    """Names of columns and rows of text."""
    groups = ["group"] if any(one.group for one in agreements) else []
    columns = ["agree", "interval", "kappa", "interval", "AC1", "interval", "alpha", "interval", "n", "judges"]
    columns = ["aspect", *groups, *columns]
    cells = [
        [
            line(one.aspect, 40),
            *([line(one.group, 60)] if groups else []),
            percent(one.agreement.value),
            _shares(one.agreement) or DASH,
            *(text for estimate in (one.kappa, one.ac1, one.alpha) for text in _cells(estimate)),
            f"{one.agreement.n:,}",
            listed([line(name, 60) for name in one.judges]),
        ]
        for one in agreements
    ]
    return columns, cells


def grade_table(agreements: Sequence[JudgeAgreement]) -> tuple[list[str], list[list[str]]]:
    """Names of columns and rows of text, of aspects with grades; no rows where there are none."""
    columns = ["aspect", "weighted kappa", "interval", "ICC(2,1)", "interval", "ICC(2,k)", "interval", "n of ICC"]
    cells = [
        [
            line(one.aspect, 40),
            *(text for estimate in _graded(one.grades) for text in _cells(estimate)),
            f"{one.grades.icc.n:,}",
        ]
        for one in agreements
        if one.grades
    ]
    return columns, cells


def _graded(grades: GradeAgreement) -> tuple[Estimate, Estimate, Estimate]:
    return grades.weighted_kappa, grades.icc, grades.icc_mean


def _cells(estimate: Estimate) -> tuple[str, str]:
    return number(estimate.value), span(estimate.low, estimate.high) or DASH


def _shares(estimate: Estimate) -> str:
    return "" if math.isnan(estimate.low) else f"{percent(estimate.low)} to {percent(estimate.high)}"


def sentences(
    agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item], level: float = 0.95
) -> list[str]:
    """What the agreement says, and what it does not; or why nothing can be compared."""
    texts = [] if agreements else [_nothing(by_aspect)]
    for one in agreements:
        several = {thing: opinions for thing, opinions in by_aspect[one.aspect].items() if len(opinions) > 1}
        texts.append(f"{line(one.aspect, 40)}: {_agree(one, several, level)}{_beyond_chance(one)}")
        texts += _near(one)
        texts += _beside_people(one, several)
    return texts + _alone(agreements, by_aspect) + _caution(agreements, by_aspect, items)


def _nothing(by_aspect: Opinions) -> str:
    names = sorted({name for things in by_aspect.values() for opinions in things.values() for name in opinions})
    if not names:
        return (
            "Nothing can be compared: there is no verdict with a value on an answer or a hit. (Claims are not "
            "compared: each judge finds its own.)"
        )
    if len(names) == 1:
        return (
            f"Nothing can be compared with one judge alone, {line(names[0], 60)}. Name another with --judges, let "
            "another model judge (neraca judge), or add verdicts of a person."
        )
    return "Nothing can be compared: no two judges decided on the same aspect of the same answer or hit."


def _agree(one: JudgeAgreement, several: Mapping[Thing, Mapping[str, Verdict]], level: float) -> str:
    who, share = listed([line(name, 60) for name in one.judges]), percent(one.agreement.value)
    hits = {thing[3] != "answer" for thing in several}
    kind = "hit" if hits == {True} else "answer" if hits == {False} else "answer or hit"
    many = "answers and hits" if len(hits) > 1 else ""
    bounds = _shares(one.agreement)
    never = one.agreement.value == 1
    why = "because they never differ" if never else "because there is too little to see how much chance there is"
    sure = f"{percent_level(level)} interval {bounds}" if bounds else f"no interval can be given, {why}"
    things = count(one.agreement.n, kind, many)
    if len(one.judges) == 2:
        return f"{who} agree on {share} of {things} ({sure})"
    return f"of every two of {who}, {share} agree, on average over {things} ({sure})"


def _beyond_chance(one: JudgeAgreement) -> str:
    kappa = one.kappa
    if math.isnan(kappa.value):
        return "; kappa is not defined, because all say the same throughout."
    sentence = f"; {_WHOSE[one.kappa_of]} kappa is {number(kappa.value)}"
    if kappa.low > 0:
        sentence += ": more than chance would give"
    elif kappa.high < 0:
        sentence += ": less than chance would give"
    elif not math.isnan(kappa.low):
        sentence += ": the data do not show that this is more than chance would give"
    if one.ac1.value - kappa.value >= APART:
        sentence += (
            ". Some values are much commoner than others, so that kappa takes much agreement for chance; look at "
            f"AC1 ({number(one.ac1.value)}) too"
        )
    return f"{sentence}."


def _near(one: JudgeAgreement) -> list[str]:
    """Of grades what counts near ones in part, and on what it rests."""
    grades = one.grades
    if grades is None:
        return []
    k, icc = len(one.judges), grades.icc
    weighted = f"{grades.weights}-weighted kappa {number(grades.weighted_kappa.value)}"
    left = one.agreement.n - icc.n
    rests = f", on the {icc.n:,} that all graded ({left:,} left out)" if left else ""
    if icc.n < 2:
        few = f"all {k} judges graded {icc.n} of them together" if k > 2 else "there is only one"
        rests = f"ICC is not defined, because {few}" + (
            "; name those who graded the same with --judges" if k > 2 else ""
        )
    elif math.isnan(icc.value):
        rests = "ICC is not defined, because of those that all graded none is graded higher than another"
    else:
        of_mean = f"ICC(2,{k}), of the mean, {number(grades.icc_mean.value)}"
        rests = f"ICC(2,1), of one judge, {number(icc.value)}; {of_mean}{rests}"
    return [f"{line(one.aspect, 40)}, near grades counted in part: {weighted}; {rests}."]


def _beside_people(one: JudgeAgreement, several: Mapping[Thing, Mapping[str, Verdict]]) -> list[str]:
    """Among several judges, how often each program says what a person says."""
    texts = []
    for person in filter(_person, one.judges if len(one.judges) > 2 else ()):
        parts = []
        for judge in one.judges:
            both = [(o[person].value, o[judge].value) for o in several.values() if person in o and judge in o]
            if both and not _person(judge):
                parts.append(f"{line(judge, 60)} {sum(a == b for a, b in both):,} times of {len(both):,}")
        if parts:
            texts.append(f"{line(one.aspect, 40)}: what {line(person, 60)} says, is also said by {listed(parts)}.")
    return texts


def _alone(agreements: Sequence[JudgeAgreement], by_aspect: Opinions) -> list[str]:
    """Which aspects are not compared, and who decided on them."""
    compared = {one.aspect for one in agreements}
    parts = []
    for aspect, things in by_aspect.items():
        names = sorted({line(name, 60) for opinions in things.values() for name in opinions})
        if names and aspect not in compared:
            who = f"only {names[0]}" if len(names) == 1 else f"{listed(names)}, never on the same answer or hit"
            parts.append(f"{line(aspect, 40)} ({who})")
    return [f"Not compared, with who of these judges decided: {listed(parts)}."] if parts else []


def _caution(agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item]) -> list[str]:
    """What a reader of these numbers must not take them for."""
    texts = []
    numbers = clusters_of(item.session for item in items)
    session = dict(zip((item.id for item in items), numbers.tolist(), strict=True))
    few = [
        line(one.aspect, 40)
        for one in agreements
        if len({session[item] for (_, item, _, _), o in by_aspect[one.aspect].items() if len(o) > 1}) < ENOUGH
    ]
    graded = [line(one.aspect, 40) for one in agreements if _grades(by_aspect[one.aspect])]
    if graded:
        texts.append(
            f"Of grades ({listed(graded)}) only equal ones count in agree, kappa and AC1: who says 4 and 5 differs as "
            "much as who says 1 and 5. Weighted kappa and ICC count how far grades are apart."
        )
    if few:
        texts.append(
            f"Fewer than {ENOUGH} independent questions (a session counts once) show how judges agree on "
            f"{listed(few)}: take what is said of it for a first look; intervals of so few are too narrow."
        )
    blind = [line(one.aspect, 40) for one in agreements if not any(map(_person, one.judges))]
    if blind:
        texts.append(
            f"No person is among the judges of {listed(blind)}. Programs that agree may be wrong together: whether to "
            "believe them, some verdicts of people show (by human:NAME)."
        )
    return texts


def shown(differing: Sequence[Disagreement], items: Sequence[Item], runs: Sequence[str], at_most: int = 5) -> list[str]:
    """The most telling disagreements as lines of text: which thing, then what each judge says and why."""
    if not differing:
        return []
    query = {item.id: item.query for item in items}
    rest = len(differing) > at_most
    lines = [f"Where they differ most ({at_most} of {len(differing):,}; all with --json):" if rest else "They differ:"]
    for one in differing[:at_most]:
        run, item, trial, about = one.thing
        hit = "" if about == "answer" else f"hit {line(about.removeprefix('hit:'), 60)} of "
        again = f" (trial {trial + 1})" if trial else ""
        where = f"{hit}question {line(item, 60)}{again} of {line(runs[run], 100)}"
        lines.append(f"{line(one.aspect, 40)}, {where}: {line(query[item], 120)}")
        for name, verdict in one.opinions.items():
            why = f": {line(verdict.why, 160)}" if verdict.why else ""
            lines.append(f"  {line(name, 60)} says {_value(verdict):g}{why}")
    return lines
