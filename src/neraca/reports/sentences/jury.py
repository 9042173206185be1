"""Say how far several models that judged the same runs agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neraca.counts_and_lists import listed
from neraca.judges.judge_set import Member
from neraca.metaeval.agreement import agreement
from neraca.metaeval.judged_aspect import JudgeAgreement
from neraca.number_format import number, percent, span
from neraca.runs.run import Run
from neraca.translation import say
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.pair_decisions import merge_pairs
from neraca.verdicts.pairs_not_shown import without_pairs_not_shown


def jury_agreement(members: Sequence[Member], runs: Sequence[Run]) -> Iterator[str]:
    """Yield a sentence on each aspect that two of several models decided; nothing if there is one model."""
    jury = {f"llm:{member.model}" for member in members if member.model}
    if len(jury) < 2:
        return
    shown, _ = without_pairs_not_shown(runs, [current_verdicts(run) for run in runs])
    parts, _ = merge_pairs(runs, shown)
    decided = jury & {verdict.by.partition("#")[0] for part in parts for verdict in part if verdict.value is not None}
    items = {item.id: item for run in runs for item in run.items}
    if len(decided) > 1:
        yield from map(_sentence, agreement([*items.values()], *parts, judges=sorted(decided)))


def _sentence(row: JudgeAgreement) -> str:
    template = (
        "{aspect}: {judges} agree on {share} of {n:,} (kappa {kappa}, {kappa_interval}; AC1 {ac1}, {ac1_interval})"
    )
    return say(
        template,
        aspect=row.aspect,
        judges=listed(row.judges),
        share=percent(row.agreement.value),
        n=row.agreement.n,
        kappa=number(row.kappa.value, 2),
        kappa_interval=span(row.kappa.low, row.kappa.high, 2) or say("no interval"),
        ac1=number(row.ac1.value, 2),
        ac1_interval=span(row.ac1.low, row.ac1.high, 2) or say("no interval"),
    )
