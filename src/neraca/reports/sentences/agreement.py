"""Sentences on the agreement of judges: beyond chance or not, beside people, and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from neraca.metaeval.agreement import JudgeAgreement
from neraca.number_format import number, percent, percent_level
from neraca.records import Item, Verdict
from neraca.reports.blocks.agreement import has_grades, is_person, shares
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.translation import say
from neraca.scores.unit import clusters_of
from neraca.verdicts.opinions import Opinions, Thing

#: With fewer independent questions an interval from resampling is too narrow.
ENOUGH = 20
#: If AC1 exceeds kappa by this much, kappa took agreement for chance.
APART = 0.2
_WHOSE = {"Cohen": "Cohen's", "Fleiss": "Fleiss'"}


def sentences(
    agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item], level: float = 0.95, most: int = 0
) -> list[str]:
    """Say what the agreement shows and what it does not; or why nothing can be compared.

    With `most` only of so many aspects, those on which most was decided twice.
    """
    texts = [] if agreements else [_nothing(by_aspect)]
    described = sorted(agreements, key=lambda one: -one.agreement.n)[:most] if most else agreements
    for one in described:
        several = {thing: opinions for thing, opinions in by_aspect[one.aspect].items() if len(opinions) > 1}
        texts.append(f"{line(one.aspect, 40)}: {_agree(one, several, level)}{_beyond_chance(one)}")
        texts += _near(one)
        texts += _beside_people(one, several)
    if len(described) < len(agreements):
        texts.append(say("These are the {n} of {all} aspects on which most was compared.", n=most, all=len(agreements)))
    return texts + _alone(agreements, by_aspect) + _caution(agreements, by_aspect, items)


def _nothing(by_aspect: Opinions) -> str:
    names = sorted({name for things in by_aspect.values() for opinions in things.values() for name in opinions})
    if not names:
        return say(
            "Nothing can be compared: there is no verdict with a value on an answer or a hit. (Claims are not "
            "compared: each judge finds its own.)"
        )
    if len(names) == 1:
        return say(
            "Nothing can be compared with one judge alone, {judge}. Name another with --judges, let "
            "another model judge (neraca judge), or add verdicts of a person.",
            judge=line(names[0], 60),
        )
    return say("Nothing can be compared: no two judges decided on the same aspect of the same answer or hit.")


def _agree(one: JudgeAgreement, several: Mapping[Thing, Mapping[str, Verdict]], level: float) -> str:
    who, share = listed([line(name, 60) for name in one.judges]), percent(one.agreement.value)
    hits = {thing[3] != "answer" for thing in several}
    bounds = shares(one.agreement)
    never = one.agreement.value == 1
    why = say("because they never differ" if never else "because there is too little to see how much chance there is")
    sure = (
        say("{level} interval {bounds}", level=percent_level(level), bounds=bounds)
        if bounds
        else say("no interval can be given, {why}", why=why)
    )
    n = one.agreement.n
    both = count(n, "answer or hit", "answers and hits")
    things = both if len(hits) > 1 else count(n, "hit") if hits == {True} else count(n, "answer")
    if len(one.judges) == 2:
        return say("{who} agree on {share} of {things} ({sure})", who=who, share=share, things=things, sure=sure)
    return say(
        "of every two of {who}, {share} agree, on average over {things} ({sure})",
        who=who,
        share=share,
        things=things,
        sure=sure,
    )


def _beyond_chance(one: JudgeAgreement) -> str:
    kappa = one.kappa
    if math.isnan(kappa.value):
        return say("; kappa is not defined, because all say the same throughout.")
    sentence = say("; {whose} kappa is {value}", whose=say(_WHOSE[one.kappa_of]), value=number(kappa.value))
    if kappa.low > 0:
        sentence += say(": more than chance would give")
    elif kappa.high < 0:
        sentence += say(": less than chance would give")
    elif not math.isnan(kappa.low):
        sentence += say(": the data do not show that this is more than chance would give")
    if one.ac1.value - kappa.value >= APART:
        sentence += say(
            ". Some values are much commoner than others, so that kappa takes much agreement for "
            "chance; look at AC1 ({value}) too",
            value=number(one.ac1.value),
        )
    return f"{sentence}."


def _near(one: JudgeAgreement) -> list[str]:
    """Return the coefficients of grades that count near grades in part, and the answers they rest on."""
    grades = one.grades
    if grades is None:
        return []
    k, icc = len(one.judges), grades.icc
    weighted = say(
        "{weights}-weighted kappa {value}", weights=grades.weights, value=number(grades.weighted_kappa.value)
    )
    left_out = one.agreement.n - icc.n
    rests = say(", on the {n:,} that all graded ({left:,} left out)", n=icc.n, left=left_out) if left_out else ""
    if icc.n < 2:
        few = say("all {k} judges graded {n} of them together", k=k, n=icc.n) if k > 2 else say("there is only one")
        rests = say("ICC is not defined, because {few}", few=few) + (
            say("; name those who graded the same with --judges") if k > 2 else ""
        )
    elif math.isnan(icc.value):
        rests = say("ICC is not defined, because of those that all graded none is graded higher than another")
    else:
        of_mean = say("ICC(2,{k}), of the mean, {value}", k=k, value=number(grades.icc_mean.value))
        rests = say(
            "ICC(2,1), of one judge, {value}; {of_mean}{rests}", value=number(icc.value), of_mean=of_mean, rests=rests
        )
    return [
        say(
            "{aspect}, near grades counted in part: {weighted}; {rests}.",
            aspect=line(one.aspect, 40),
            weighted=weighted,
            rests=rests,
        )
    ]


def _beside_people(one: JudgeAgreement, several: Mapping[Thing, Mapping[str, Verdict]]) -> list[str]:
    """Say how often each program among several judges agrees with a person."""
    texts = []
    for person in filter(is_person, one.judges if len(one.judges) > 2 else ()):
        parts = []
        for judge in one.judges:
            both = [(o[person].value, o[judge].value) for o in several.values() if person in o and judge in o]
            if both and not is_person(judge):
                parts.append(
                    say(
                        "{judge} {times} of {all:,}",
                        judge=line(judge, 60),
                        times=count(sum(a == b for a, b in both), "time"),
                        all=len(both),
                    )
                )
        if parts:
            texts.append(
                say(
                    "{aspect}: what {person} says, is also said by {parts}.",
                    aspect=line(one.aspect, 40),
                    person=line(person, 60),
                    parts=listed(parts),
                )
            )
    return texts


def _alone(agreements: Sequence[JudgeAgreement], by_aspect: Opinions) -> list[str]:
    """Name the aspects that are not compared, and who decided on them."""
    compared = {one.aspect for one in agreements}
    parts = []
    for aspect, things in by_aspect.items():
        names = sorted({line(name, 60) for opinions in things.values() for name in opinions})
        if names and aspect not in compared:
            who = (
                say("only {judge}", judge=names[0])
                if len(names) == 1
                else say("{judges}, never on the same answer or hit", judges=listed(names))
            )
            parts.append(f"{line(aspect, 40)} ({who})")
    return [say("Not compared, with who of these judges decided: {parts}.", parts=listed(parts))] if parts else []


def _caution(agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item]) -> list[str]:
    """Warn the reader against wrong conclusions from these numbers."""
    texts = []
    numbers = clusters_of(item.session for item in items)
    session = dict(zip((item.id for item in items), numbers.tolist(), strict=True))
    few = [
        line(one.aspect, 40)
        for one in agreements
        if len({session[item] for (_, item, _, _), o in by_aspect[one.aspect].items() if len(o) > 1}) < ENOUGH
    ]
    graded = [line(one.aspect, 40) for one in agreements if has_grades(by_aspect[one.aspect])]
    if graded:
        texts.append(
            say(
                "Of grades ({aspects}) only equal ones count in agree, kappa and AC1: who says 4 and 5 "
                "differs as much as who says 1 and 5. Weighted kappa and ICC count how far grades are "
                "apart.",
                aspects=listed(graded),
            )
        )
    if few:
        texts.append(
            say(
                "Fewer than {n} independent questions (a session counts once) show how judges agree "
                "on {aspects}: take what is said of it for a first look; intervals of so few are too narrow.",
                n=ENOUGH,
                aspects=listed(few),
            )
        )
    blind = [line(one.aspect, 40) for one in agreements if not any(map(is_person, one.judges))]
    if blind:
        texts.append(
            say(
                "No person is among the judges of {aspects}. Programs that agree may be wrong together: "
                "whether to believe them, some verdicts of people show (by human:NAME).",
                aspects=listed(blind),
            )
        )
    return texts
