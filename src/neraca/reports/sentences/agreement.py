"""Describe the agreement of judges: whether it is beyond chance, how judges agree with people, and cautions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from neraca.counts_and_lists import count, listed
from neraca.metaeval.judged_aspect import JudgeAgreement
from neraca.number_format import number, percent, percent_level
from neraca.people.review_task import CHOSEN
from neraca.records import Item, Verdict
from neraca.reports.blocks.agreement import has_grades, shares
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.reasons import source_words
from neraca.runs.session_contents import SESSION
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.unit import clusters_of
from neraca.translation import say
from neraca.verdicts.opinions import Opinions, Thing
from neraca.verdicts.pair_decisions import MergedPairs, is_on_pair
from neraca.verdicts.pairs_not_shown import IDENTICAL, NO_TEXT, Reason
from neraca.verdicts.source import is_human

#: With fewer independent questions an interval from resampling is too narrow.
ENOUGH = 20
#: If AC1 exceeds kappa by this much, kappa takes much agreement for chance.
APART = 0.2
_POSSESSIVE = {"Cohen": "Cohen's", "Fleiss": "Fleiss'"}


def sentences(
    agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item], level: float = 0.95, most: int = 0
) -> list[str]:
    """Describe the agreement and its limits, or say why nothing can be compared.

    If `most` is given, describe only that many aspects, those with the most answers that two judges decided on.
    """
    texts = [] if agreements else [_nothing(by_aspect)]
    chosen = sorted(agreements, key=lambda agreement: -agreement.agreement.n)[:most] if most else agreements
    for agreement in chosen:
        opinions_by_answer = {
            thing: opinions for thing, opinions in by_aspect[agreement.aspect].items() if len(opinions) > 1
        }
        share, chance = _agree(agreement, opinions_by_answer, level), _beyond_chance(agreement)
        texts.append(f"{aspect_words(agreement.aspect)}: {share}{chance}")
        texts += _near(agreement)
        texts += _beside_people(agreement, opinions_by_answer)
    if len(chosen) < len(agreements):
        texts.append(say("These are the {n} of {all} aspects on which most was compared.", n=most, all=len(agreements)))
    return texts + _alone(agreements, by_aspect) + _caution(agreements, by_aspect, items)


def _nothing(by_aspect: Opinions) -> str:
    judges = sorted({name for things in by_aspect.values() for opinions in things.values() for name in opinions})
    if not judges:
        return say(
            "Nothing can be compared: there is no verdict with a value on an answer or a hit. (Claims are not "
            "compared: each judge finds its own.)"
        )
    if len(judges) == 1:
        return say(
            "Nothing can be compared with one judge alone, {judge}. Name another with --judges, let "
            "another model judge (neraca judge), or add verdicts of a person.",
            judge=line(source_words(judges[0]), 60),
        )
    return say("Nothing can be compared: no two judges decided on the same aspect of the same answer or hit.")


def _agree(agreement: JudgeAgreement, opinions_by_answer: Mapping[Thing, Mapping[str, Verdict]], level: float) -> str:
    judges, share = (
        listed([line(source_words(name), 60) for name in agreement.judges]),
        percent(agreement.agreement.value),
    )
    hits = {thing[3].startswith("hit:") for thing in opinions_by_answer}
    noun = "conversation" if all(thing[3] == SESSION for thing in opinions_by_answer) else "answer"
    bounds = shares(agreement.agreement)
    agree_always = agreement.agreement.value == 1
    why = say(
        "because they never differ" if agree_always else "because there is too little to see how much chance there is"
    )
    interval = (
        say("{level} interval {bounds}", level=percent_level(level), bounds=bounds)
        if bounds
        else say("no interval can be given, {why}", why=why)
    )
    n = agreement.agreement.n
    if all(is_on_pair(thing[3]) for thing in opinions_by_answer):
        noun = "pair"
    any_noun = count(n, "answer or hit", "answers and hits")
    subjects = any_noun if len(hits) > 1 else count(n, "hit") if hits == {True} else count(n, noun)
    if len(agreement.judges) == 2:
        return say(
            "{who} agree on {share} of {things} ({sure})", who=judges, share=share, things=subjects, sure=interval
        )
    return say(
        "of every two of {who}, {share} agree, on average over {things} ({sure})",
        who=judges,
        share=share,
        things=subjects,
        sure=interval,
    )


def _beyond_chance(agreement: JudgeAgreement) -> str:
    kappa = agreement.kappa
    if math.isnan(kappa.value):
        return say("; kappa is not defined, because all say the same throughout.")
    sentence = say("; {whose} kappa is {value}", whose=say(_POSSESSIVE[agreement.kappa_of]), value=number(kappa.value))
    if kappa.low > 0:
        sentence += say(": more than chance would give")
    elif kappa.high < 0:
        sentence += say(": less than chance would give")
    elif not math.isnan(kappa.low):
        sentence += say(": the data do not show that this is more than chance would give")
    if agreement.ac1.value - kappa.value >= APART:
        sentence += say(
            ". Some values are much commoner than others, so that kappa takes much agreement for "
            "chance; look at AC1 ({value}) too",
            value=number(agreement.ac1.value),
        )
    return f"{sentence}."


def graded_title(weights: str) -> str:
    """Return the title of the table of weighted kappa and ICC."""
    if weights == "linear":
        return say("grades, near ones counted in part (linear weights)")
    return say("grades, near ones counted in part (quadratic weights)")


def _near(agreement: JudgeAgreement) -> list[str]:
    """Describe weighted kappa and ICC, which count near grades in part, and the answers behind them."""
    grades = agreement.grades
    if grades is None:
        return []
    k, icc = len(agreement.judges), grades.icc
    weighted = say(
        "{whose} kappa with linear weights {value}"
        if grades.weights == "linear"
        else "{whose} kappa with quadratic weights {value}",
        whose=say(_POSSESSIVE[agreement.kappa_of]),
        value=number(grades.weighted_kappa.value),
    )
    left_out = agreement.agreement.n - icc.n
    basis = say(", on the {n:,} that all graded ({left:,} left out)", n=icc.n, left=left_out) if left_out else ""
    if icc.n < 2:
        reason = say("all {k} judges graded {n} of them together", k=k, n=icc.n) if k > 2 else say("there is only one")
        basis = say("ICC is not defined, because {few}", few=reason) + (
            say("; name those who graded the same with --judges") if k > 2 else ""
        )
    elif math.isnan(icc.value):
        basis = say("ICC is not defined, because of those that all graded none is graded higher than another")
    else:
        of_mean = say("ICC(2,k), of the mean of {k} grades, {value}", k=k, value=number(grades.icc_mean.value))
        basis = say(
            "ICC(2,1), of one judge, {value}; {of_mean}{rests}", value=number(icc.value), of_mean=of_mean, rests=basis
        )
    return [
        say(
            "{aspect}, near grades counted in part: {weighted}; {rests}.",
            aspect=aspect_words(agreement.aspect),
            weighted=weighted,
            rests=basis,
        )
    ]


def _beside_people(agreement: JudgeAgreement, opinions_by_answer: Mapping[Thing, Mapping[str, Verdict]]) -> list[str]:
    """Say how often each program among several judges agrees with a person."""
    texts = []
    for person in filter(is_human, agreement.judges if len(agreement.judges) > 2 else ()):
        parts = []
        for judge in agreement.judges:
            value_pairs = [
                (o[person].value, o[judge].value) for o in opinions_by_answer.values() if person in o and judge in o
            ]
            if value_pairs and not is_human(judge):
                parts.append(
                    say(
                        "{judge} {times} of {all:,}",
                        judge=line(source_words(judge), 60),
                        times=count(sum(a == b for a, b in value_pairs), "time"),
                        all=len(value_pairs),
                    )
                )
        if parts:
            texts.append(
                say(
                    "{aspect}: what {person} says, is also said by {parts}.",
                    aspect=aspect_words(agreement.aspect),
                    person=line(source_words(person), 60),
                    parts=listed(parts),
                )
            )
    return texts


def _alone(agreements: Sequence[JudgeAgreement], by_aspect: Opinions) -> list[str]:
    """Name the aspects that are not compared, and the judges that decided on them."""
    compared = {agreement.aspect for agreement in agreements}
    parts = []
    for aspect, things in by_aspect.items():
        names = sorted({line(source_words(name), 60) for opinions in things.values() for name in opinions})
        if names and aspect not in compared:
            judges_label = (
                say("only {judge}", judge=names[0])
                if len(names) == 1
                else say("{judges}, never on the same answer or hit", judges=listed(names))
            )
            parts.append(f"{aspect_words(aspect)} ({judges_label})")
    return [say("Not compared, with who of these judges decided: {parts}.", parts=listed(parts))] if parts else []


def chosen_labels(tables: Iterable[VerdictTable]) -> list[str]:
    """Return a caution if people labelled questions because programs disagree on them; [] if not."""
    chosen = [table.take(table.aspect.isin([CHOSEN])) for table in tables]
    people = sorted({table.by[row] for table in chosen for row in range(len(table))})
    if not people:
        return []
    return [
        say(
            "{people} labelled {answers} because programs disagree on them: these are no random sample, so agreement "
            "with people looks lower than it is.",
            people=listed([line(source_words(name), 60) for name in people]),
            answers=count(sum(len({(verdict.item, verdict.trial) for verdict in table}) for table in chosen), "answer"),
        )
    ]


def merged_pairs(merged: MergedPairs) -> list[str]:
    """Say how many decisions the comparisons of pairs are; [] if nobody compared pairs."""
    if not merged.decisions:
        return []
    text = say(
        "Preferences: {decisions} on {pairs} of answers, each counted half for each order of the two answers, because "
        "it is arbitrary which one is named first.",
        decisions=count(merged.decisions, "decision"),
        pairs=count(merged.pairs, "pair"),
    )
    if merged.comparisons == merged.decisions:
        return [text]
    more = say(
        "They are stored as {comparisons} of runs, once for every two runs that gave the two answers, and merged here.",
        comparisons=count(merged.comparisons, "comparison"),
    )
    return [f"{text} {more}"]


def left_out_pairs(counts: Mapping[Reason, int]) -> list[str]:
    """Say how many pairs of answers are left out because no judge was asked about them; [] if there are none."""
    texts = []
    if n := counts.get(IDENTICAL, 0):
        texts.append(
            say(
                "Left out: {pairs} of identical answers, which are even by construction and were shown to nobody.",
                pairs=count(n, "pair"),
            )
        )
    if n := counts.get(NO_TEXT, 0):
        texts.append(
            say(
                "Left out: {pairs} of which one answer has no text, so that the other is better by construction.",
                pairs=count(n, "pair"),
            )
        )
    return texts


def _caution(agreements: Sequence[JudgeAgreement], by_aspect: Opinions, items: Sequence[Item]) -> list[str]:
    """Warn against wrong conclusions from these numbers."""
    texts = []
    clusters = clusters_of(item.session for item in items)
    cluster_by_item = dict(zip((item.id for item in items), clusters.tolist(), strict=True))
    few_aspects = [
        aspect_words(agreement.aspect)
        for agreement in agreements
        if len({cluster_by_item[item] for (_, item, _, _), o in by_aspect[agreement.aspect].items() if len(o) > 1})
        < ENOUGH
    ]
    graded_aspects = [
        aspect_words(agreement.aspect) for agreement in agreements if has_grades(by_aspect[agreement.aspect])
    ]
    if graded_aspects:
        texts.append(
            say(
                "Of grades ({aspects}) only equal ones count in agree, kappa and AC1: who says 4 and 5 "
                "differs as much as who says 1 and 5. Weighted kappa and ICC count how far grades are "
                "apart.",
                aspects=listed(graded_aspects),
            )
        )
    if few_aspects:
        texts.append(
            say(
                "Fewer than {n} independent questions (a session counts once) show how judges agree "
                "on {aspects}: take what is said of it for a first look; intervals of so few are too narrow.",
                n=ENOUGH,
                aspects=listed(few_aspects),
            )
        )
    aspects_without_people = [
        aspect_words(agreement.aspect) for agreement in agreements if not any(map(is_human, agreement.judges))
    ]
    if aspects_without_people:
        texts.append(
            say(
                "No person is among the judges of {aspects}. Programs that agree may be wrong together: "
                "whether to believe them, some verdicts of people show (by human:NAME).",
                aspects=listed(aspects_without_people),
            )
        )
    return texts
