"""List verdicts that judges could not decide and ratings that people still owe: answers, reasons and remedies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from neraca.counts_and_lists import count
from neraca.judges.judge_set import MemberResult
from neraca.judges.tally import MOST_UNDECIDED, Reason, Tally
from neraca.number_format import integer, percent
from neraca.reports.formats.visible_text import clip, visible
from neraca.reports.sentences.reasons import verdict_reason
from neraca.runs.run import Run
from neraca.translation import say
from neraca.verdicts.ratings import unrated

_ANSWERS, _REASONS, _LENGTH = 10, 3, 200


def undecided(result: MemberResult) -> Iterator[str]:
    """Yield lines on what one judge left undecided in one run: the answers, then the three commonest reasons."""
    tally, prefix = result.tally, f"{result.run.path}: "
    if not tally.answers:
        yield visible(say("{prefix}{member} had nothing to decide", prefix=prefix, member=result.member))
        return
    reasons = tally.reasons()
    if tally.unscored:
        places = {item.id: place for place, item in enumerate(result.run.items)}
        lacking = sorted(tally.unscored, key=lambda key: (places[key[0]], key[1]))
        share = say("{n} of {all} answers", n=integer(len(lacking)), all=integer(tally.answers))
        yield visible(
            say(
                "{prefix}not everything could be decided on {share}: {questions}",
                prefix=prefix,
                share=share,
                questions=_names(lacking),
            )
        )
    elif reasons:
        yield visible(
            say(
                "{prefix}{member} decided nothing on {answers}",
                prefix=prefix,
                member=result.member,
                answers=count(tally.answers, "answer"),
            )
        )
    yield from (f"  {reason}" for reason in commonest(tally))
    if other_reasons := reasons[_REASONS:]:
        n_left, file = sum(reason.count for reason in other_reasons), result.run.path / "verdicts.jsonl"
        yield visible(
            say(
                "  {n} for {reasons}: see {file}",
                n=integer(n_left),
                reasons=count(len(other_reasons), "other reason"),
                file=file,
            )
        )


def commonest(tally: Tally) -> list[str]:
    """Return the three commonest reasons: their counts, their words, and a verdict as an example."""
    return [_in_words(reason) for reason in tally.reasons()[:_REASONS]]


def _in_words(reason: Reason) -> str:
    verdict = reason.example
    about = "" if verdict.about == "answer" else f"{verdict.about}, "
    why = clip(verdict_reason(verdict.by, verdict.reason), _LENGTH) or say("no reason given")
    example = f"{_names([(verdict.item, verdict.trial)])}: {about}{verdict.aspect}"
    return visible(say("{n:,} × {why} (such as {example})", n=reason.count, why=why, example=example))


def remedy(results: Sequence[MemberResult]) -> str:
    """Return what to do if a judge left more than a tenth of a run's answers undecided; "" if none did."""
    lacking = [result for result in results if result.tally.incomplete]
    if not lacking:
        return ""
    names = ", ".join(dict.fromkeys(str(result.member) for result in lacking))
    text = say(
        "{names}: more than {share} of the answers stay undecided, so the exit code is 3 (0 with "
        "--allow-undecided); remove the reason, and the same command asks again what is undecided",
        names=names,
        share=percent(MOST_UNDECIDED),
    )
    asks = any(result.member.asks for result in lacking)
    return (
        say("{text}; --retry-undecided leaves aside what a model replied on these answers before", text=text)
        if asks
        else text
    )


def missing_ratings(runs: Sequence[Run], page: Path) -> str:
    """Return which answers no person has rated yet, a line for each run, and how to rate them; "" if all are rated.

    `page` is the file with the rating page.
    """
    lines = []
    for run in runs:
        if keys := unrated(run):
            answers = len(run.answers())
            lines.append(
                say(
                    "{run}: {n} of {answers} not rated yet: {names}",
                    run=run.path,
                    n=integer(len(keys)),
                    answers=count(answers, "answer"),
                    names=_names(keys),
                )
            )
    if not lines:
        return ""
    instructions = say(
        "send {page} to those who rate, take in what they save with `neraca rate import FILE…` (or let them rate "
        "together: `neraca rate RUN… --raters ana,budi`), and start the same command again",
        page=page,
    )
    return visible("\n".join([*lines, instructions]))


def _names(keys: Sequence[tuple[str, int]]) -> str:
    names = ", ".join(f"{item} ({say('trial {n}', n=trial + 1)})" if trial else item for item, trial in keys[:_ANSWERS])
    return f"{names}, …" if len(keys) > _ANSWERS else names
