"""Say how far the models behind numbers can be trusted: whether labels check them, and what may have steered them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from neraca.counts_and_lists import count, form, listed
from neraca.metaeval.judge_checks import JudgeCheck, judge_checks, overruled_checks
from neraca.metaeval.label_command import review_command
from neraca.metrics.metric import Metric
from neraca.metrics.rag.decided_by import decided_by
from neraca.number_format import number
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import source_words
from neraca.reports.sentences.served_models import more_than_one_model
from neraca.scores.cautioned import CautionedAnswers, cautioned_answers
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.source import JURY

#: Most metrics whose values without cautioned answers a sentence names.
MOST_CHANGED = 5

#: A sentence, and the metrics that it is about.
Doubt = tuple[str, Collection[str]]


def judge_doubts(scores: Scores, primary: str = "") -> list[str]:
    """Say how far people's labels check the models behind metrics, and which answers may have steered these.

    Sentences on the primary metric (default: the first) come first.  Of scores that people's labels correct only the
    answers are named.
    """
    primary = primary or str(scores.metrics[0])
    checks = judge_checks(scores) if scores.labels is None else []
    labelled = list(_checked_judges(scores, [check for check in checks if check.labelled]))
    steered = [_cautioned(answers, primary) for answers in cautioned_answers(scores)]
    doubts = [*_unchecked_judges(scores, [check for check in checks if not check.labelled]), *labelled, *steered]
    of_primary = [text for text, metrics in doubts if primary in metrics]
    others = [doubt for doubt in doubts if primary not in doubt[1]]
    return [
        *more_than_one_model(scores),
        *of_primary,
        *(text for text, _ in sorted(others, key=lambda doubt: doubt in labelled)),
    ]


def _unchecked_judges(scores: Scores, checks: Sequence[JudgeCheck]) -> Iterator[Doubt]:
    """Name the models behind metrics of which people labelled no verdict in these runs, and how to check them."""
    checks_by_judge: dict[str, list[JudgeCheck]] = {}
    for check in checks:
        checks_by_judge.setdefault(check.judge, []).append(check)
    for judge, of_judge in checks_by_judge.items():
        names = list(dict.fromkeys(name for check in of_judge for name in check.metrics))
        text = say(
            "no label in these runs checks the judge {judge}, on which {metrics} {rest}: {remedy}",
            judge=_judge(judge, [check.kind for check in of_judge]),
            metrics=listed([_title(scores, name) for name in names]),
            rest=form(len(names), "rests", "rest"),
            remedy=_remedy(judge, of_judge),
        )
        yield text, names


def _checked_judges(scores: Scores, checks: Sequence[JudgeCheck]) -> Iterator[Doubt]:
    """Say how often people agree with the models behind metrics."""
    if scores.labels is not None:
        return
    sources = {str(metric): _sources(scores, metric) for metric in scores.scored}
    mixed = {name: counts for name, counts in sources.items() if counts["human"] and len(counts) > 1}
    yield from _mixed(mixed, checks)
    yield from _checked(scores, [check for check in checks if not mixed.keys() >= set(check.metrics)])
    yield from _overruled(scores)


def _overruled(scores: Scores) -> Iterator[Doubt]:
    """Name the metrics whose every verdict is a person's although a model decided too, and how often these agree."""
    for check, n_people in overruled_checks(scores):
        text = say(
            "{metrics}: all {n:,} verdicts are people's, who overrule {judge} ({agreed})",
            metrics=listed([_title(scores, name) for name in check.metrics]),
            n=n_people,
            judge=line(source_words(check.judge)),
            agreed=_same(check),
        )
        yield text, check.metrics


def judges_of_columns(scores: Scores, columns: Mapping[str, str]) -> Iterator[str]:
    """Name the models behind the columns of a paper's table, and how far labels check them.

    `columns`: metric → its heading.  Nothing is said of scores that people's labels correct.
    """
    for check in judge_checks(scores) if scores.labels is None else ():
        if headings := [columns[name] for name in check.metrics if name in columns]:
            labels = say("which no label checks")
            if check.labelled:
                labels = say(
                    "of which people labelled {labelled:,} of {all:,} too and said the same on {same:,}",
                    labelled=check.labelled,
                    all=check.verdicts,
                    same=check.same,
                )
            yield say(
                "{metrics}: verdicts of the model {judge}, {labels}.",
                metrics=listed(headings),
                judge=_judge(check.judge, [check.kind]),
                labels=labels,
            )


def _mixed(sources: Mapping[str, Counter[str]], checks: Sequence[JudgeCheck]) -> Iterator[Doubt]:
    """Name the metrics that rest on verdicts of people and of a judge side by side, and how often these agree.

    `sources`: metric → source → the number of its verdicts.
    """
    metrics: dict[tuple[tuple[tuple[str, int], ...], str], list[str]] = {}
    for name, counts in sources.items():
        people_first = tuple(sorted(counts.items(), key=lambda pair: pair[0] != "human"))
        agreed = listed([_same(check) for check in checks if name in check.metrics])
        metrics.setdefault((people_first, agreed), []).append(name)
    for (counts_by_source, agreed), names in metrics.items():
        (_, n_people), *other_sources = counts_by_source
        text = say(
            "{metrics}: {people:,} verdicts by people beside {others}, and people's word counts where both decided"
            "{agreed}; --by names one of them alone, and --correct ppi says what people would have said of all",
            metrics=listed([line(name) for name in names]),
            people=n_people,
            others=listed(
                [say("{n:,} by {source}", n=n, source=line(source_words(source))) for source, n in other_sources]
            ),
            agreed=f" ({agreed})" if agreed else "",
        )
        yield text, names


def _sources(scores: Scores, metric: Metric) -> Counter[str]:
    """Count the verdicts of each source that a metric uses, in all runs."""
    counts = Counter[str]()
    for run in scores.runs:
        if run.scorable is not None:
            counts += decided_by(metric, run.scorable)
    return counts


def _checked(scores: Scores, checks: Sequence[JudgeCheck]) -> Iterator[Doubt]:
    """Say how many verdicts of a model people labelled too, and on how many they agree."""
    metrics: dict[tuple[str, str, int, int, int], list[str]] = {}
    for check in checks:
        key = (check.judge, check.kind, check.verdicts, check.labelled, check.same)
        metrics.setdefault(key, []).extend(check.metrics)
    for (judge, kind, n_verdicts, labelled, same), names in metrics.items():
        text = say(
            "{metrics} {rest} on the judge {judge}: people labelled {labelled:,} of its {verdicts} too, and say the "
            "same on {same:,} (neraca agree)",
            metrics=listed([_title(scores, name) for name in names]),
            rest=form(len(names), "rests", "rest"),
            judge=_judge(judge, [kind]),
            labelled=labelled,
            verdicts=count(n_verdicts, "verdict"),
            same=same,
        )
        yield text, names


def _same(check: JudgeCheck) -> str:
    """Say on how many of the things that both decided people and a model say the same."""
    return say("the same on {same:,} of {labelled:,}", same=check.same, labelled=check.labelled)


def _remedy(judge: str, checks: Sequence[JudgeCheck]) -> str:
    """Say how to check a model: by the examples that come with Neraca if they are for its judge, and by own labels."""
    from neraca.metaeval.judge_panel import KIND_OF_JUDGE  # slow to import, and judges with labels do not need it

    command = review_command({kind for check in checks for kind in check.evidence})
    labels = say("label some of the answers ({command})", command=line(command))
    judge_of_examples: dict[str, str] = {}  # two judges cannot decide on the same examples in one card
    kinds = list(dict.fromkeys(check.kind for check in checks if check.kind in KIND_OF_JUDGE))
    for kind in kinds:
        judge_of_examples.setdefault(KIND_OF_JUDGE[kind], kind)
    others = [kind for kind in kinds if kind not in judge_of_examples.values()]
    if judge == JURY or not judge_of_examples:
        return labels
    judges = "".join(f" --judge {kind}" for kind in judge_of_examples.values())
    return say(
        "try it on labelled examples (neraca agree --validate examples{judges} --model {model}, with the same --url "
        "if it has one{others}), or {labels}",
        judges=judges,
        others=say("; {judges} in a card of its own", judges=listed(others)) if others else "",
        model=shlex.quote(line(judge.partition(":")[2])),
        labels=labels,
    )


def _cautioned(answers: CautionedAnswers, primary: str) -> Doubt:
    """Say how many answers of a run carry a caution, and what the metrics are without them.

    The primary metric comes first, then those that change most.
    """
    names = sorted(answers.values, key=lambda name: (name != primary, -answers.changes[name]))
    changes = {name: tuple(map(number, answers.values[name])) for name in names}
    changed = [
        say("{metric} is {without} instead of {value}", metric=line(name), without=without, value=value)
        for name, (value, without) in changes.items()
        if without != value
    ]
    if len(changed) > MOST_CHANGED:
        changed[MOST_CHANGED:] = [say("{n:,} more change", n=len(changed) - MOST_CHANGED)]
    same = [line(name) for name, (value, without) in changes.items() if without == value]
    unchanged = [f"{listed(same)} {form(len(same), 'stays the same', 'stay the same')}"] if same else []
    parts = [*unchanged, *changed] if primary in changes and len(set(changes[primary])) == 1 else [*changed, *unchanged]
    effect = say("; if left out, {effect}", effect=listed(parts, at_most=len(parts)))
    text = say(
        "{run}: {n:,} of {answers} {carry} a caution, because a text reads like an order to the judge{effect}",
        run=line(answers.run),
        n=answers.n,
        answers=count(answers.all, answers.unit),
        carry=form(answers.n, "carries", "carry"),
        effect=effect if answers.n < answers.all else "",
    )
    return text, tuple(answers.values)


def _judge(judge: str, kinds: Sequence[str]) -> str:
    """Return the name of a model, with the judges that ask it in brackets."""
    names = ", ".join(dict.fromkeys(filter(None, kinds)))
    return f"{line(judge.partition(':')[2])}{f' ({names})' if names else ''}"


def _title(scores: Scores, name: str) -> str:
    return line(scores.title(name))
