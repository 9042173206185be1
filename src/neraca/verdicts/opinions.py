"""The opinions of several judges and people on the same things, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from neraca.errors import SpecError
from neraca.records import Verdict
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.runs.preferred import is_of_one_order
from neraca.runs.session_contents import SESSION
from neraca.verdicts.pair_decisions import BESIDE
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import CATEGORICAL, JURY, QRELS, matches, source_of
from neraca.verdicts.things import verdicts_on_things

#: The thing decided on: run (the first that has it), item, trial, about.
Thing = tuple[int, str, int, str]
#: Aspect → thing → judge → the verdict that counts.
Opinions = Mapping[str, Mapping[Thing, Mapping[str, Verdict]]]


def opinions_by_aspect(runs: Iterable[Iterable[Verdict]], judges: Sequence[str] = ()) -> Opinions:
    """Return the newest decided verdict of each judge on each answer, hit and pair of answers (`merge_pairs`).

    Joint decisions of several people (`TOGETHER`) are left out, because they are no opinion of one person.

    Parameters
    ----------
    runs
        Verdicts of each run, oldest first.
    judges
        Sources to keep, as in `by`; empty: all whose values are categories.  The jury and `qrels` are kept only if
        they are named.

    Raises
    ------
    SpecError
        If one of `judges` gave no verdict on an answer or a hit.

    Examples
    --------
    >>> verdicts = [Verdict(item="1", about="answer", aspect="valid", by="llm:a#123456", value=1, why="it does")]
    >>> opinions_by_aspect([verdicts])["valid"][0, "1", 0, "answer"]["llm:a"].why
    'it does'
    """
    aspects: dict[str, dict[Thing, dict[str, Verdict]]] = {}
    active_judges: set[str] = set()
    for thing, verdict in verdicts_on_things(runs):
        on_answer_or_hit = verdict.about in ("answer", SESSION) or verdict.about.startswith(("hit:", BESIDE))
        lists_only = verdict.aspect in CLAIM_LISTS or is_of_one_order(verdict.aspect)
        if not on_answer_or_hit or lists_only or verdict.by == TOGETHER:
            continue
        if source_of(verdict.by) not in CATEGORICAL and not (verdict.by == QRELS and QRELS in judges):
            continue
        is_jury = verdict.by == JURY
        names = [name for name in judges if verdict.by == name or (not is_jury and matches(verdict.by, name))]
        if not names and (judges or is_jury):
            continue
        active_judges.update(names)
        opinions = aspects.setdefault(verdict.aspect, {}).setdefault(thing, {})
        name = verdict.by.partition("#")[0]
        opinions.pop(name, None)
        if verdict.value is not None:
            opinions[name] = verdict
    if silent := [name for name in judges if name not in active_judges]:
        raise SpecError(f"no verdict on an answer or a hit is by {silent[0]!r}")
    return aspects


def values_by_aspect(
    runs: Iterable[Iterable[Verdict]], judges: Sequence[str] = ()
) -> dict[str, dict[Thing, dict[str, float]]]:
    """Return the values of `opinions_by_aspect`: aspect → thing → judge → value.  Raise as it does."""
    return {
        aspect: {
            thing: {name: float(verdict.value) for name, verdict in opinions.items() if verdict.value is not None}
            for thing, opinions in opinions_by_thing.items()
        }
        for aspect, opinions_by_thing in opinions_by_aspect(runs, judges).items()
    }
