"""Write the captions of a report's tables and drawings."""

from __future__ import annotations

from neraca.counts_and_lists import count
from neraca.number_format import number, percent_level
from neraca.reports.blocks import disagreements
from neraca.reports.blocks.metric_rows import marks, unscored_notes
from neraca.reports.blocks.pair_matrix import CAPTION
from neraca.reports.blocks.questions import RICH, SEED
from neraca.reports.figures.forest import bars_title, describe_bars, values_caption
from neraca.reports.figures.pairs_drawn import pairs_drawn
from neraca.reports.report import Report
from neraca.reports.sentences.finding import FEW
from neraca.reports.sentences.interval_words import missing_intervals
from neraca.reports.sentences.lists_shown import lists_shown
from neraca.reports.sentences.parts import after, interval_scope
from neraca.translation import say

#: Section → name → sentence.
Captions = dict[str, dict[str, str]]


def captions_by_section(report: Report) -> Captions:
    """Return the captions of each section ("" if not needed); a format prints those of its tables."""
    level, relevance = percent_level(report.level), report.scores.relevance
    judged = relevance is None or bool(relevance.used)
    return {
        "finding": {
            "values": values_caption(report.primary_row, report.metric_labels[report.primary], level),
            "more": count(len(report.notes) - 2, "more caution") if len(report.notes) > 2 else "",
        },
        "runs": {"relevance": say("Relevance of hits: by {whom}.", whom=report.relevance) if judged else ""},
        "metrics": _of_metrics(report, level),
        "differences": _of_differences(report, level),
        "by_question": _of_pairs(report),
        "questions": _of_questions(report),
        "groups": {
            "shaded": say(
                "Value with its {level} interval. ° fewer than {few} questions scored: an example, not evidence. "
                "The darker a cell, the nearer to the best value of its table.",
                level=level,
                few=FEW,
            ),
            "no_interval": missing_intervals(s for g in report.main_groups for row in g.rows for s in row.scores),
            "few": say("° fewer than {few} questions scored: an example, not evidence.", few=FEW),
        },
        "counts": {
            "success": say(
                "Confusion matrix of questions: success is a mean pass ratio of hits of at least {at}, or rightly "
                "nothing.",
                at=number(report.success_at, 2),
            ),
        },
        "words": _of_words(report),
        "correlations": _of_correlations(report, level),
        "disagreements": {"columns": say(disagreements.CAPTION)},
    }


def _of_metrics(report: Report, level: str) -> dict[str, str]:
    sentences = {
        "plain": say("Mean, {level} interval, questions scored.", level=level),
        "marks": marks(report.metrics, report.pairs),
        "no_interval": missing_intervals(cell.score for row in report.metrics for cell in row.cells),
    }
    return sentences | {f"unscored {n}": note for n, (_, note) in enumerate(unscored_notes(report.metrics), 1)}


def _of_differences(report: Report, level: str) -> dict[str, str]:
    pairs = [d for d in report.pairs if d.metric == report.primary]
    return {
        "drawn": say(
            "{metric}: difference of each pair with its {level} {interval}. Right of the line of zero the first run "
            "has the higher value; in colour where the test tells the two apart{after}.",
            metric=report.metric_labels[report.primary],
            level=level,
            interval=interval_scope(pairs),
            after=after(pairs),
        ),
        "left_out": pairs_drawn(pairs, report.runs[0]).note,
        "interval": say("{level} interval", level=level),
        "matrix": say(CAPTION) if report.matrix else "",
    }


def _of_pairs(report: Report) -> dict[str, str]:
    primary = report.metric_labels[report.primary]
    sentences = {"metric": say("In {metric}:", metric=primary), "not_shown": ""}
    if report.more_charts:
        pairs = count(report.more_charts, "more pair")
        sentences["not_shown"] = say("{pairs} not shown here; the table of differences has every pair.", pairs=pairs)
    for chart in report.charts:
        pair = f"{chart.a} − {chart.b}"
        sentences[pair] = describe_bars(chart)
        sentences[f"{pair}: bars"] = bars_title(chart, primary)
        sentences[f"{pair}: marks"] = say(
            "{a} upwards, {b} to the right, in {metric}; on the diagonal both are equal",
            a=chart.a,
            b=chart.b,
            metric=primary,
        )
    return sentences


def _of_questions(report: Report) -> dict[str, str]:
    nouns, n_random = ("question is", "questions are"), len(report.questions) // 2
    unlisted = report.left_out + len(report.questions) - len(report.listed)
    sentences = dict.fromkeys(("left_out", "shown", "unlisted", "hits"), "")
    sentences["lists"] = lists_shown(report)
    if report.left_out:
        sentences["left_out"] = say("{questions} not shown here", questions=count(report.left_out, *nouns))
        sentences["shown"] = say(
            "these are {n:,} on which the runs differ most in {metric}, and {drawn:,} of the others, drawn at random "
            "(seed {seed}). All questions count in the numbers above; neraca score with -q prints the values of each.",
            n=len(report.questions) - n_random,
            drawn=n_random,
            seed=SEED,
            metric=report.primary,
        )
    if unlisted:
        sentences["unlisted"] = say(
            "{questions} not shown; these are those on which the runs differ most in {metric}. All questions count in "
            "the numbers above; neraca score with -q prints the values of each.",
            questions=count(unlisted, *nouns),
            metric=report.primary,
        )
    if report.many_answers and report.asked:
        sentences["hits"] = _hits_shown(report)
    return sentences


def _hits_shown(report: Report) -> str:
    """Say for which questions hits are shown if there are too many answers to show all."""
    if report.left_out:
        return say(
            "Of so many answers, results are shown of {n} questions on which the runs differ most and of {n} drawn at "
            "random; neraca serve FOLDER shows those of all.",
            n=RICH // 2,
        )
    return say(
        "Of so many answers, results are shown of the {n} questions on which the runs differ most; neraca serve "
        "FOLDER shows those of all.",
        n=RICH,
    )


def _of_correlations(report: Report, level: str) -> dict[str, str]:
    if not (report.correlations and report.correlations.agreements):
        return {}
    return {
        "people": say(
            "Spearman's rho of each metric with people's scores, with its {level} interval. Above 0: what the metric "
            "calls better (of a count: more), people do too. Answers to questions of one session, and of several runs "
            "to one question, count as one source of chance.",
            level=level,
        ),
    }


def _of_words(report: Report) -> dict[str, str]:
    n_more = report.words.all - len(report.words.questions)
    if n_more <= 0:
        return {"more": ""}
    return {"more": say("{n} more questions have words; all stand in the table of verdicts (--to FOLDER).", n=n_more)}
