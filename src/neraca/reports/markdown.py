"""The report in GitHub-flavoured Markdown: the same tables and words, without drawings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from neraca.comparisons.difference import Difference
from neraca.reports import sentences_margin
from neraca.reports.advice import shown_by
from neraca.reports.correlations import AgreementRow, cell
from neraca.reports.escape import clip, visible
from neraca.reports.forest import pair_words
from neraca.reports.number_format import count, number, p_value, percent, percent_level, seconds, signed, span
from neraca.reports.questions import Check, HitLine, Question, Reply, Side
from neraca.reports.report import POOLED, Report
from neraca.reports.run_summary import RunSummary
from neraca.reports.sentences_finding import FEW
from neraca.reports.tables import Cell, CountRow, left_out
from neraca.scores.confusion import Confusion
from neraca.scores.scores import Score

_ENTITIES = {"\\": "&#92;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "&": "&amp;", "`": "&#96;", ":": "&#58;"}
_ESCAPED = re.compile(r"[\\|<>&`*_\[\]~$#!]|:(?=//)|(?<=www)\.|@(?<!\w@)|@(?!\d+(?![\w-]|\.\w))")


def plain(text: str) -> str:
    r"""Words in which nothing is Markdown any more, for one line or one cell.

    >>> plain("a|b *c* ![x](http://y) nDCG@10")
    'a&#124;b \\*c\\* \\!\\[x\\](http&#58;//y) nDCG@10'
    """
    return _ESCAPED.sub(_escape, " ".join(visible(text).split()))


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    if sign == "@":  # a word joiner keeps mentions and addresses from becoming links, and is not seen
        return "@\u2060"
    return "&#46;" if sign == "." else _ENTITIES.get(sign, f"\\{sign}")


def code(text: str, length: int = 0) -> str:
    """A text that a model, a page or a user wrote, exactly, as a code span in which nothing is ever live.

    >>> code("![x](http://y) `b`"), code("")
    ('`` ![x](http://y) `b` ``', '(empty)')
    """
    text = " ".join((clip(text, length) if length else visible(text)).split())
    if not text:
        return "(empty)"
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of finished cells; the first column is to the left, the others to the right."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def to_markdown(report: Report) -> str:
    """Write a report as Markdown; the same report gives the same bytes."""
    parts = (_top, _advice, _cards, _metrics, _pairs, _groups, _correlations, _reliability, _counts, _questions)
    return "\n".join(line for part in (*parts, _method) for line in part(report)).rstrip() + "\n"


def _top(report: Report) -> Iterator[str]:
    yield from (f"# {plain(report.title)}", "", f"**{plain(report.finding.headline)}**", "")
    yield from (f"- {plain(detail)}" for detail in report.finding.details)
    yield ""
    if report.notes:
        yield from ("Before you trust it:", "", *(f"- {plain(note)}" for note in report.notes), "")


def _advice(report: Report) -> Iterator[str]:
    if not report.advice:
        return
    yield from ("## What to mend first", "")
    for one in report.advice.runs:
        yield from (f"**{plain(one.headline)}**", "", *(f"- {plain(detail)}" for detail in one.details))
        if one.examples:
            named = ", ".join(f"{code(example.id)} ({number(example.value, 2)})" for example in one.examples)
            yield f"- {plain(shown_by(one.examples, one.metric))}: {named}"
        yield ""
    yield from (plain(report.advice.how), "")


def _cards(report: Report) -> Iterator[str]:
    yield from ("## Runs", "")
    pooled = f" {POOLED}" if len(report.cards) > 1 else ""
    if report.about_hits:
        yield from (f"Relevance of hits: by {plain(report.relevance)}.{pooled}", "")
    facts = [dict(_facts(card)) for card in report.cards]
    names = list(dict.fromkeys(name for found in facts for name in found))
    rows = ([plain(name), *(plain(found.get(name, "–")) for found in facts)] for name in names)
    yield from table(["", *map(plain, report.runs)], rows)


def _facts(card: RunSummary) -> Iterator[tuple[str, str]]:
    statuses = ", ".join(f"{n:,} {status}" for status, n in card.statuses) or "none"
    yield "Answers", statuses + (f"; {card.unanswered:,} unanswered" if card.unanswered else "")
    yield "Questions", f"{card.items:,}" + (f", {card.trials} times each" if card.trials > 1 else "")
    yield "Seconds, median", seconds(card.median)
    yield "Seconds, 95th percentile", seconds(card.p95)
    if card.first_token is not None:
        yield "First token, median", seconds(card.first_token)
    for name, total in card.usage:
        yield f"Usage: {name}", number(total)
    yield "Dataset", f"{card.dataset or 'unnamed'} ({card.fingerprint})"
    yield "Started", card.started or "unknown"
    yield "Ended", card.ended or "not finished"
    if card.replayed:
        yield "Asked again to rebuild conversations", f"{card.replayed:,}"
    yield "Verdicts", ", ".join(f"{n:,} by {by}" for by, n in card.judges) or "none"
    for key, value in card.settings:
        yield key or "target", value
    yield "Versions", ", ".join(f"{name} {text}" for name, text in card.versions) or "unknown"


def _metrics(report: Report) -> Iterator[str]:
    yield from ("## Metrics", "")
    yield f"Value, {percent_level(report.level)} interval, questions scored. Bold: best value of its row."
    if report.pairs:
        yield "▲: the tests say that it is better than every other run."
    yield ""
    rows = []
    for row in report.metrics:
        notes = [
            *(["primary"] if row.primary else []),
            *([] if row.better == "higher" else [f"{row.better} is better"]),
        ]
        name = plain(row.metric) + (f" ({', '.join(notes)})" if notes else "")
        rows.append([name, *map(_cell, row.cells)])
    yield from table(["Metric", *map(plain, report.runs)], rows)


def _cell(cell: Cell) -> str:
    value = f"**{number(cell.score.value)}**" if cell.best else number(cell.score.value)
    unscored = f", {left_out(cell.score)}" if cell.score.unscored else ""
    return f"{value}{' ▲' if cell.beats_all else ''} {_bounds(cell.score)} n = {cell.score.n}{unscored}"


def _bounds(score: Score) -> str:
    found = span(score.low, score.high, 2)
    return f"({found})" if found else "(no interval)"


def _pairs(report: Report) -> Iterator[str]:
    if not report.pairs:
        return
    yield from ("## Differences between runs", "")
    yield from (report.intervals_are, "")
    yield from (f"- {plain(group)}" for group in report.groups_alike)
    yield ""
    header = ["Metric", "Pair", "Result", "Difference", f"{percent_level(report.level)} interval", "p", "p adjusted"]
    header += ["Effect", "Wins / ties / losses", "n", "Questions needed"]
    if report.margins:
        header.insert(3, "Within the margin")
    yield from table(header, (_pair(d, 1 - report.level, report.margins) for d in report.pairs))
    if report.charts:
        yield from (f"Question by question, in {plain(report.primary)}:", "")
        yield from (f"- {plain(pair_words(chart))}" for chart in report.charts)
        yield ""


def _pair(d: Difference, alpha: float, margins: bool) -> list[str]:
    untold = "they differ" if d.p_adjusted < alpha else "not told apart" if d.tested else "no test"
    result = f"{plain(d.better)} better" if d.better else untold
    needed = "–" if d.needed is None else f"{d.needed:,}"
    return [
        plain(d.metric),
        f"{plain(d.a)} − {plain(d.b)}",
        result,
        *([plain(sentences_margin.cell(d, alpha))] if margins else []),
        signed(d.difference),
        span(d.low, d.high) or "–",
        plain(p_value(d.p, alpha)),
        plain(p_value(d.p_adjusted, alpha)),
        number(d.effect, 2) + (f" ({bounds})" if (bounds := span(d.effect_low, d.effect_high, 2)) else ""),
        f"{d.wins} / {d.ties} / {d.losses}",
        str(d.n),
        needed,
    ]


def _groups(report: Report) -> Iterator[str]:
    if not report.groups:
        return
    yield from ("## Groups of questions", "")
    yield from (f"† fewer than {FEW} questions scored: an example, not evidence.", "")
    for found in report.groups:
        yield from (f"### {plain(found.metric)} by {plain(found.tag)}", "")
        rows = ([plain(row.value), str(row.items), *map(_group_cell, row.scores)] for row in found.rows)
        yield from table([plain(found.tag), "Questions", *map(plain, report.runs)], rows)


def _group_cell(score: Score) -> str:
    return f"{number(score.value)}{'†' if score.n < FEW else ''} {_bounds(score)} n = {score.n}"


def _correlations(report: Report) -> Iterator[str]:
    found = report.correlations
    if not found:
        return
    yield from (f"## {found.title}", "", *(f"- {plain(sentence)}" for sentence in found.says), "")
    if found.agreements:
        yield from ("Spearman's rho with people's scores; above 0: what the metric calls better, people do too.", "")
        yield from table(["Metric", *map(plain, found.humans)], map(_agreement, found.agreements))
    if found.names:
        yield from (plain(f"{found.rests} {found.cut}"), "")
        rows = (
            [f"{place} {plain(name)}", *map(cell, row), *[""] * (len(found.names) - 1 - len(row))]
            for place, (name, row) in enumerate(zip(found.names, found.rows, strict=True), start=1)
        )
        yield from table(["Metric", *map(str, range(1, len(found.names)))], rows)


def _agreement(row: AgreementRow) -> list[str]:
    cells = [plain(row.metric)]
    for a in row.cells:
        bounds = "no interval" if math.isnan(a.low) else f"{cell(a.low)} to {cell(a.high)}"
        cells.append(f"{cell(a.value)} ({bounds}) n = {a.n}{', less than the best' if a.told_apart else ''}")
    return cells


def _reliability(report: Report) -> Iterator[str]:
    found = report.reliability
    if not found:
        return
    yield from (f"## {found.title}", "", *(f"- {plain(sentence)}" for sentence in (*found.says, *found.missing)), "")
    for one in found.tables:
        more = f" ({count(one.left_out, 'row')} more not shown)" if one.left_out else ""
        yield from (f"{plain(one.title)}{more}", "")
        yield from table([*map(plain, one.columns)], ([*map(plain, row)] for row in one.rows))


def _counts(report: Report) -> Iterator[str]:
    if not report.counted:
        return
    yield from ("## Counts", "", "### Outcomes", "")
    rows = (
        [name, *(_share(row, place) for row in report.counts)]
        for place, (name, _) in enumerate(report.counts[0].outcomes)
    )
    yield from table(["Outcome", *map(plain, report.runs)], rows)
    header = ["Run", "TP", "FP", "FN", "TN", "Precision", "Recall", "F1", "Accuracy", "Unscored answers"]
    hits, asked = "Confusion matrix of hits, within what was judged", "Confusion matrix of questions"
    asked += f" (success: pass ratio of at least {report.success_at:g})"
    if any(row.hits_counted for row in report.counts):
        yield from (f"### {hits}", "", *table(header, (_matrix(row.run, row.hits) for row in report.counts)))
    elif report.about_hits:
        yield from (f"### {hits}", "", "None: in no answer were the hits judged.", "")
    if any(row.questions_counted for row in report.counts):
        yield from (f"### {asked}", "", *table(header, (_matrix(row.run, row.questions) for row in report.counts)))
    elif report.about_hits:
        why = "of no question it is known what it expects, or none of its hits was judged"
        yield from (f"### {asked}", "", f"None: {why}.", "")
    if report.aspects:
        yield from ("### Checks passed, by constraint (missing counts as not passed)", "")
        yield from table(
            ["Constraint", *map(plain, report.runs)],
            (
                [
                    plain(row.aspect),
                    *(f"{plain(percent(c.rate))} ({c.passed} of {c.asked}, {c.missing} missing)" for c in row.cells),
                ]
                for row in report.aspects
            ),
        )


def _share(row: CountRow, place: int) -> str:
    n = row.outcomes[place][1]
    return f"{n} ({plain(percent(n / row.answers if row.answers else None))})"


def _matrix(run: str, c: Confusion) -> list[str]:
    shares = (number(c.precision), number(c.recall), number(c.f1), number(c.accuracy))
    return [plain(run), *map(str, (c.tp, c.fp, c.fn, c.tn)), *shares, str(c.unscored)]


def _questions(report: Report) -> Iterator[str]:
    yield from ("## Questions and answers", "")
    if report.left_out:
        yield f"{count(report.left_out, 'question is', 'questions are')} not shown; these are those on which the runs"
        yield from (f"differ most in {plain(report.primary)}. All questions count in the numbers above.", "")
    if any(r.checks or r.hits for q in report.questions for side in q.sides for r in side.replies):
        yield from ("Checks that passed are named only; of the others the reason is given.", "")
    for question in report.questions:
        yield from _question(question, report)


def _question(q: Question, report: Report) -> Iterator[str]:
    values = " · ".join(
        f"{escape(visible(side.run))} {number(v.value)}"
        for side in q.sides
        for v in side.values
        if v.metric == report.primary
    )
    query = escape(" ".join(visible(q.query).split()))
    yield "<details>"
    yield f"<summary><code>{escape(q.id)}</code> <code>{query}</code> {values}</summary>"
    yield ""
    facts = [f"{plain(name)} {plain(value)}" for name, value in q.tags]
    facts += [f"session {plain(q.session)}, turn {q.turn}"] if q.session else []
    facts += [f"expects {q.expects}"] if q.expects else []
    if facts:
        yield from (f"*{' · '.join(facts)}*", "")
    yield from (f"- {plain(name)}: {plain(words)}" for name, words in q.constraints)
    yield from (f"- expected answer: {code(text)}" for text in q.references)
    if q.more_references:
        yield f"- {count(q.more_references, 'more expected answer')} not shown"
    for side in q.sides:
        yield from ("", f"**{plain(side.run)}**: {'; '.join(_values(side)) or 'no metric'}", "")
        if not side.replies:
            yield from ("No answer yet.", "")
        for reply in side.replies:
            yield from _reply(reply, report.about_hits)
    yield from ("", "</details>", "")


def _values(side: Side) -> Iterator[str]:
    for v in side.values:
        why = f" ({plain(v.why)})" if v.why else ""
        yield f"{plain(v.metric)} {f'unscored{why}' if math.isnan(v.value) else number(v.value)}"


def _reply(r: Reply, about_hits: bool) -> Iterator[str]:
    facts = [r.status, seconds(r.seconds)]
    if r.hits or about_hits:
        facts.append(count(len(r.hits) + r.cut, "hit"))
    facts = [f"trial {r.trial + 1}", *facts] if r.trial else facts
    said = [*facts, *(code(text) for text in (r.error, r.note) if text)]
    yield f"{', '.join(said)}{f': {code(r.text, 400)}' if r.text else ''}"
    yield ""
    if r.checks:
        yield from (f"- {words}" for words in _checks(r.checks))
        yield ""
    for hit in r.hits:
        yield _hit(hit)
    if r.hits:
        yield ""
    if r.cut:
        yield from (f"{count(r.cut, 'more hit')} not shown.", "")


def _hit(hit: HitLine) -> str:
    shown = code(hit.text or hit.fields, 80) if hit.text or hit.fields else ""
    parts = [f"{code(hit.id)} {hit.relevance}", *([shown] if shown else []), *_checks(hit.checks)]
    return f"{hit.rank}. {' · '.join(parts)}"


def _checks(checks: Sequence[Check]) -> Iterator[str]:
    """Those that passed by name, each of the others with its reason."""
    passed = [plain(check.aspect) for check in checks if check.word == "pass"]
    if passed:
        yield f"pass {', '.join(passed)}"
    for check in checks:
        if check.word != "pass":
            by = f" (by {plain(check.by)})" if check.by else ""
            yield f"{check.word} {plain(check.aspect)}{f': {code(check.why)}' if check.why else ''}{by}"


def _method(report: Report) -> Iterator[str]:
    yield from ("## How these numbers were made", "")
    yield from (f"- {name}: {plain(words)}" for name, words in report.method.facts)
    yield ""
    yield from table(
        ["Metric", "What it is", "Parameters", "Range"],
        (
            [plain(d.metric), plain(d.text), plain(d.params or "none"), f"{d.range}, {d.better}"]
            for d in report.method.definitions
        ),
    )
    if report.method.signatures:
        yield from ("Signatures: how each score of texts was made", "")
        yield from (f"- {code(line)}" for line in report.method.signatures)
