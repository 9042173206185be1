"""What a judge could not decide, in words: on which answers, how often for which reason, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neraca.judges.judge_set import MemberResult
from neraca.judges.tally import MOST_UNDECIDED, Reason, Tally
from neraca.reports.escape import clip, visible
from neraca.reports.number_format import count, percent

_ANSWERS, _REASONS, _LENGTH = 10, 3, 200


def undecided(result: MemberResult) -> Iterator[str]:
    """Yield lines on what one judge left undecided on one run: its answers, then the three commonest reasons."""
    tally, where = result.tally, f"{result.run.path}: "
    if not tally.answers:
        yield visible(f"{where}{result.member} had nothing to decide")
        return
    reasons = tally.reasons()
    if tally.unscored:
        places = {item.id: place for place, item in enumerate(result.run.items)}
        lacking = sorted(tally.unscored, key=lambda key: (places[key[0]], key[1]))
        names = ", ".join(_name(*key) for key in lacking[:_ANSWERS]) + (", …" if len(lacking) > _ANSWERS else "")
        share = f"{len(lacking):,} of {tally.answers:,} answers"
        yield visible(f"{where}not everything could be decided on {share}: {names}")
    elif reasons:
        yield visible(f"{where}{result.member} decided nothing on {count(tally.answers, 'answer')}")
    yield from (f"  {reason}" for reason in commonest(tally))
    if others := reasons[_REASONS:]:
        left, file = sum(reason.count for reason in others), result.run.path / "verdicts.jsonl"
        yield visible(f"  {left:,} for {count(len(others), 'other reason')}: see {file}")


def commonest(tally: Tally) -> list[str]:
    """Return the three commonest reasons: how often each was given, its words, and on what it was given first."""
    return [_in_words(reason) for reason in tally.reasons()[:_REASONS]]


def _in_words(reason: Reason) -> str:
    verdict = reason.example
    about = "" if verdict.about == "answer" else f"{verdict.about}, "
    why = clip(verdict.reason, _LENGTH) or "no reason given"
    return visible(f"{reason.count:,} × {why} (such as {_name(verdict.item, verdict.trial)}: {about}{verdict.aspect})")


def remedy(results: Sequence[MemberResult]) -> str:
    """Return what to do where a judge left more than a tenth of a run's answers undecided; "" where none did."""
    lacking = dict.fromkeys(str(one.member) for one in results if one.tally.incomplete)
    if not lacking:
        return ""
    return (
        f"{', '.join(lacking)}: more than {percent(MOST_UNDECIDED)} of the answers stay undecided, so the exit code is "
        "3 (0 with --allow-undecided); remove the reason, and the same command asks again what is "
        "undecided; --retry-undecided leaves aside what was replied on these answers before"
    )


def _name(item: str, trial: int) -> str:
    return f"{item} (trial {trial + 1})" if trial else item
