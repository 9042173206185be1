"""People's labels beside the verdicts of models behind scores: how many they cover, and how many say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import msgspec

from neraca.metrics.rag.decided_by import decided_by, overruled_models
from neraca.metrics.rag.judge_verdicts import is_evidence
from neraca.metrics.scorable import Scorable
from neraca.records import Verdict
from neraca.scores.scores import Scores
from neraca.scores.verdicts_behind import ON_HITS, judged_parts, verdicts_behind
from neraca.verdicts.labels import label_verdicts
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import is_human, judge_of, matches
from neraca.verdicts.things import verdicts_on_things


@dataclass(frozen=True)
class JudgeCheck:
    """A model behind one or several metrics, and people's labels on the same things.

    Attributes
    ----------
    metrics
        The metrics whose values rest on these verdicts.
    judge, kind
        The model, `llm:NAME`, and the name of the judge that asks it, such as `valid`.
    evidence
        The kinds of these verdicts, as in `evidence_of`.
    verdicts
        The number of its verdicts; a hit or an equal answer in several runs counts once.  0 if `labelled` is 0: then
        they are not counted, which saves much time.
    labelled, same
        How many of these people labelled too, and on how many of them they say the same; of several people the median
        counts.
    """

    metrics: tuple[str, ...]
    judge: str
    kind: str
    evidence: frozenset[str]
    verdicts: int
    labelled: int
    same: int


def judge_checks(scores: Scores) -> list[JudgeCheck]:
    """Return the models on whose verdicts these scores rest, with people's labels; [] if no model decided anything.

    Labels count as in `neraca.agreement`: the newest of each person on the same answer, hit or conversation.  Labels of
    the claims that this model extracted count too, and the grades of hits that the questions carry.
    """
    parts = judged_parts(scores)
    if not parts:
        return []
    return parts[0].group.once(("judge checks", scores.scored), lambda: _checks(scores, parts))


def overruled_checks(scores: Scores) -> list[tuple[JudgeCheck, int]]:
    """Return the models behind metrics whose every verdict is replaced by a person's, with the number of people's.

    They decide on no value of these scores, so `judge_checks` leaves them out.  A model that decided on nothing that
    people decided on is left out here too.
    """
    parts = judged_parts(scores)
    if not any(map(_is_labelled, parts)):
        return []
    return parts[0].group.once(("overruled checks", scores.scored), lambda: _overruled(scores, parts))


def _overruled(scores: Scores, parts: Sequence[Scorable]) -> list[tuple[JudgeCheck, int]]:
    metrics: dict[tuple[str, str, frozenset[str], int], list[str]] = {}
    for metric in scores.scored:
        if sum((decided_by(metric, part) for part in parts), Counter[str]()).keys() != {"human"}:
            continue
        people = Counter[tuple[str, str, frozenset[str]]]()
        for part in parts:
            for judge, kind, evidence, n in overruled_models(metric, part):
                people[judge, kind, evidence] += n
        for key, n in people.items():
            metrics.setdefault((*key, n), []).append(str(metric))
    checks = [
        (JudgeCheck(tuple(names), judge, kind, evidence, *_counts(parts, judge, evidence)), n)
        for (judge, kind, evidence, n), names in metrics.items()
    ]
    return [(check, n) for check, n in checks if check.labelled]


def _checks(scores: Scores, parts: Sequence[Scorable]) -> list[JudgeCheck]:
    metrics: dict[tuple[str, str, frozenset[str]], dict[str, None]] = {}
    for metric in scores.scored:
        for run in scores.runs:
            for behind in verdicts_behind(metric, run, scores):
                metrics.setdefault((behind.judge, behind.kind, behind.evidence), {})[str(metric)] = None
    return [
        JudgeCheck(tuple(names), judge, kind, evidence, *_counts(parts, judge, evidence))
        for (judge, kind, evidence), names in metrics.items()
    ]


def _counts(parts: Sequence[Scorable], judge: str, evidence: frozenset[str]) -> tuple[int, int, int]:
    """Return how many verdicts of this kind a model gave, how many people labelled too, and how many are the same."""
    if not any(map(_is_labelled, parts)):
        return 0, 0, 0
    opinions: dict[tuple[object, str], dict[str, float]] = {}
    for thing, verdict in verdicts_on_things(_opinions(part, judge, evidence) for part in parts):
        name = judge_of(verdict.by)
        of_thing = opinions.setdefault((thing, verdict.aspect), {})
        of_thing.pop(name, None)
        if verdict.value is not None:
            of_thing[name] = verdict.value
    judged = [of_thing for of_thing in opinions.values() if judge in of_thing]
    labels = [[value for name, value in of_thing.items() if name != judge] for of_thing in judged]
    pairs = [(of_thing[judge], median(values)) for of_thing, values in zip(judged, labels, strict=True) if values]
    return len(judged), len(pairs), sum(value == label for value, label in pairs)


def _is_labelled(part: Scorable) -> bool:
    """Return whether people wrote any verdict on these answers, or the questions carry grades."""
    if any(map(is_human, part.column("verdicts").table.by.words)):
        return True
    return part.offers("item_records") and any(item.relevant for item in part.column("item_records"))


def _opinions(part: Scorable, judge: str, evidence: frozenset[str]) -> Iterator[Verdict]:
    """Yield the verdicts of a model and of people on the same kind of things, oldest first."""
    table = part.column("verdicts").table
    sources = table.by.where(lambda name: judge_of(name) == judge or (is_human(name) and name != TOGETHER))
    if evidence == ON_HITS and part.offers("item_records"):
        yield from label_verdicts(part.column("item_records"))
    for verdict in table.take(sources & is_evidence(table, evidence)):
        about, _, owner = verdict.about.partition("@")
        if verdict.about.startswith("hit:") or not owner:
            yield verdict
        elif matches(judge, judge_of(owner)):  # a person's verdict on a claim names the judge that found it
            yield msgspec.structs.replace(verdict, about=about)
