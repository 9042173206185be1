"""Arrange the numbers of a report as sheets for people: headings in words, texts beside ids, and numbers as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from neraca.counts_and_lists import count, listed
from neraca.grades import UNJUDGED
from neraca.number_format import DASH, exact, number_of, parts_of_interval, share_of
from neraca.records import Answer, Hit
from neraca.reports.blocks.block import Document
from neraca.reports.blocks.cell_parts import with_parts_apart
from neraca.reports.blocks.questions import HITS, SNIPPET
from neraca.reports.blocks.run_summary import RunSummary
from neraca.reports.formats.visible_text import clip, line, snippet
from neraca.reports.formats.workbook_headings import SHEETS, format_of, heading_of
from neraca.reports.report import Report
from neraca.reports.sentences.aspect_words import about_words, aspect_words
from neraca.reports.sentences.interval_words import METHOD_WORDS
from neraca.reports.sentences.reasons import note_of, reason, source_words, verdict_reason
from neraca.reports.sentences.scale_words import words_of_scales
from neraca.reports.sentences.tag_words import group_words, tag_words
from neraca.result import Table
from neraca.scores.scores import Scores
from neraca.scores.sources.answer_records import AnswerRecord, Place, answers_of, items_of, judgments_of
from neraca.translation import say
from neraca.verdicts.raters import RELEVANCE

Rows = list[dict[str, Any]]
#: The most characters of a text; a cell holds some more, and a text that was cut ends with `…`.
LONGEST = 32_000
#: Headings of what an answer took, and of a run's answers together, in English, with their number formats.
SECONDS, COST = "Seconds", "US dollars for an answer"
_SECONDS_FORMAT, _COST_FORMAT = "0.000", "0.00####"
_RUN_FORMATS = {
    "Seconds, mean": _SECONDS_FORMAT,
    "Seconds, median": _SECONDS_FORMAT,
    "Seconds, 95th percentile": _SECONDS_FORMAT,
    "US dollars for an answer, mean": _COST_FORMAT,
    "US dollars, all answers": _COST_FORMAT,
    SECONDS: _SECONDS_FORMAT,
    COST: _COST_FORMAT,
}
#: Columns of words that the code chooses, of methods, and of reasons.
_WORDS = ("untested", "shown", "outcome", "kind", "outcome_in_both", "outcome_with_empties")
_METHODS = ("method", "interval_method", "correction", "margin_correction")
_REASONS = ("why", "why_no_interval", "margin_why_no_interval")


def report_sheets(report: Report, data: Mapping[str, Rows]) -> tuple[dict[str, Rows], dict[str, str]]:
    """Return the rows of each sheet of a comparison, and the number format of each column.

    Every question has a row for each run, with its text, the answer, its seconds and US dollars, and a column for each
    metric.  A metric has its canonical name in all sheets, and a sheet says what each metric is and how the other
    formats call it.  Run folders have a row each with what their answers took together; preferences on pairs of
    answers, and how far judges agree, have a sheet each.  Columns that are empty in all rows are left out.
    """
    scores = report.scores
    places = [(run, place) for run in range(len(scores.runs)) for place in range(len(scores.runs[0]))]
    records = answers_of(scores, places, depth=HITS)
    queries = _queries(scores, records)
    sheets: dict[str, Rows] = {}
    formats: dict[str, str] = {}
    for name, rows in data.items():
        if name == "questions":
            sheets[say(SHEETS[name])] = list(_questions(scores, queries, records))
            if any(card.timed or card.cost for card in report.cards):
                sheets[say("Runs")] = _filled(list(map(_run_row, report.cards)))
            continue
        texts = queries if name == "verdicts" else {}
        words_of = _agreement_in_words if name == "agreement" else _in_words
        headed, own_formats = _headed(name, [_with_query(words_of(row), texts) for row in rows])
        sheets[say(SHEETS[name])] = headed
        formats |= own_formats
        if name == "scores":
            sheets[say("Metrics")] = _filled(list(_metric_rows(report)))
    return sheets, formats | {say(heading): number_format for heading, number_format in _RUN_FORMATS.items()}


def _metric_rows(report: Report) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric: its canonical name, its short label, what it is, and whether it is the usual one."""
    labels = report.metric_labels
    for definition in report.method.definitions:
        yield {
            say("Metric"): definition.metric,
            say("In the report"): labels[definition.metric],
            say("What it is"): definition.text,
            say("Parameters"): definition.params,
            say("Range"): definition.range,
            say("Direction"): definition.better,
            say("Source"): definition.source,
            say("Remark"): labels.unusual([definition.metric]),
        }


def _run_row(card: RunSummary) -> dict[str, Any]:
    """Return what the answers of a run took together, and of how many answers it is known."""
    cost = card.cost
    return {
        say("Run"): card.name,
        say("Answers"): card.answers,
        say("Answers with seconds"): card.timed,
        say("Seconds, mean"): card.mean,
        say("Seconds, median"): card.median,
        say("Seconds, 95th percentile"): card.p95,
        say("Answers with a cost"): cost.answers if cost else 0,
        say("US dollars for an answer, mean"): cost.total / cost.answers if cost else None,
        say("US dollars, all answers"): cost.total if cost else None,
    }


def document_sheets(document: Document) -> tuple[dict[str, Rows], dict[str, str]]:
    """Return the rows of a report of another kind and number formats: its data, or else the cells of its tables."""
    if document.data:
        sheets: dict[str, Rows] = {}
        formats: dict[str, str] = {}
        for name, rows in document.data.items():
            sheets[say(SHEETS[name])], own_formats = _headed(name, list(map(_in_words, rows)))
            formats |= own_formats
        return sheets, formats
    tables = [with_parts_apart(table) for table in document.tables if table.columns]
    return {
        table.name or say("table {n}", n=place): list(_numbers(table)) for place, table in enumerate(tables, start=1)
    }, {}


def _headed(sheet: str, rows: Rows) -> tuple[Rows, dict[str, str]]:
    """Return the rows of a sheet under headings in words, without empty columns, and heading → number format."""
    filled = _filled(rows)
    keys = dict.fromkeys(key for row in filled for key in row)
    headings = dict(zip(keys, unique_names([heading_of(sheet, key) for key in keys]), strict=True))
    formats = {heading: format_of(key) for key, heading in headings.items() if format_of(key)}
    return [{headings[key]: value for key, value in row.items()} for row in filled], formats


def _numbers(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a printed table with numbers, and intervals in two columns."""
    columns = unique_names(table.columns)
    cells = [_cells(place, table) for place in range(len(columns))]
    for row in range(len(table.rows)):
        yield {
            heading: part
            for column, (headings, parts) in zip(columns, cells, strict=True)
            for heading, part in zip((say(template, number=column) for template in headings), parts[row], strict=True)
        }


def _cells(place: int, table: Table) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the templates of the headings of a column, and for each row its cells.

    A column of intervals becomes two columns, or three if some stand behind their value.  Shares are numbers up to 1
    in a column that says nothing else.
    """
    texts = [str(row[place]) for row in table.rows]
    if place < table.names:
        return ("{number}",), [(_date(text),) for text in texts]
    intervals = [parts_of_interval(text) for text in texts]
    if not any(intervals):
        shares = [share_of(text) for text in texts]
        only = all(text in (DASH, "") or share is not None for text, share in zip(texts, shares, strict=True))
        return ("{number}",), [(_value(text, share_of if only else number_of),) for text in texts]
    has_values = any(parts and parts[0] for parts in intervals)
    rows = []
    for text, parts in zip(texts, intervals, strict=True):
        value, *ends = parts or (text, "", "")
        cells = [_value(cell, share_of) for cell in (value, *ends)]
        rows.append(tuple(cells) if has_values else tuple(cells[1:]) if parts else (cells[0], None))
    templates = ("{number}", "{number} from", "{number} to")
    return templates if has_values else templates[1:], rows


def _value(text: str, read: Callable[[str], float | None]) -> Any:
    """Return the number in a cell, None for a dash, else the text, which may be a date."""
    number = read(text)
    return (None if text in (DASH, "") else _date(text)) if number is None else number


def unique_names(names: Sequence[str]) -> list[str]:
    """Number headings that occur again.

    >>> unique_names(["rank", "reads on", "reads on"])
    ['rank', 'reads on', 'reads on 2']
    """
    unique: list[str] = []
    for place, name in enumerate(names):
        repetitions = names[:place].count(name)
        unique.append(f"{name} {repetitions + 1}" if repetitions else name)
    return unique


def _in_words(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the data with its words in the language of the report."""
    words: dict[str, Any] = {name: say(row[name]) for name in _WORDS if isinstance(row.get(name), str) and row[name]}
    words |= {name: reason(row[name]) for name in _REASONS if isinstance(row.get(name), str)}
    words |= {name: say(word) for name in _METHODS if (word := METHOD_WORDS.get(row.get(name, "")))}
    if isinstance(row.get("group"), str):
        words["group"] = say("all") if row["group"] == "all" else group_words(row["group"])
    if row.get("unscored") == 0:  # nothing is left open
        words |= {name: None for name in ("lowest", "highest") if name in row}
    if row.get("drawn_of") == 0:  # nothing was drawn
        words["drawn_of"] = None
    if "aspect" in row:
        words["aspect"] = aspect_words(row["aspect"], 60)
    if isinstance(row.get("trial"), int):  # people count from 1
        words["trial"] = row["trial"] + 1
    if isinstance(row.get("at"), str):
        words["at"] = _date(row["at"])
    if "by" in row and "about" in row:  # a verdict
        words |= {"by": source_words(row["by"]), "why": verdict_reason(row["by"], row["why"])}
        words["about"] = about_words(row["about"])
    return {**row, **words}


def _date(text: str) -> str | datetime:
    """Return a time with its offset as the same time in UTC, which a cell holds as a date; other texts stay texts.

    >>> _date("2026-01-02T03:04:05+07:00"), _date("2026")
    (datetime.datetime(2026, 1, 1, 20, 4, 5), '2026')
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


def _agreement_in_words(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words of a row of agreement; weighted kappa is left out where it has a column for each weights."""
    words: dict[str, Any] = {name: reason(row[name]) for name in row if name.endswith("_why")}
    raters = listed([line(source_words(name), 60) for name in row["judges"].split(", ")], at_most=len(row["judges"]))
    left_out = dict.fromkeys(name for name in row if name.startswith("weight"))
    return {**row, **words, **left_out, "aspect": aspect_words(row["aspect"], 60), "judges": raters}


def _with_query(row: Mapping[str, Any], queries: Mapping[str, str]) -> dict[str, Any]:
    """Put the text of the question behind its id."""
    texts: dict[str, Any] = {}
    for key, value in row.items():
        texts[key] = value
        if key == "item" and queries:
            texts["query"] = clip(queries.get(value, ""), LONGEST)
    return texts


def _filled(rows: Rows) -> Rows:
    """Leave out the columns that are empty in all rows."""
    filled = {key for row in rows for key, value in row.items() if not _is_empty(value)}
    return [{key: value for key, value in row.items() if key in filled} for row in rows]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _queries(scores: Scores, records: Mapping[Place, Sequence[AnswerRecord]]) -> dict[str, str]:
    """Return id of a question → its text; the text of a row of a table stands beside its answer."""
    queries = {item.id: item.query for item in items_of(scores)}
    for (_, place), of_item in records.items():
        name = str(scores.runs[0].ids[place])
        queries[name] = queries.get(name) or of_item[0].item.query
    return {name: query for name, query in queries.items() if query}


def _questions(
    scores: Scores, queries: Mapping[str, str], records: Mapping[Place, Sequence[AnswerRecord]]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each question and run, with the values of all metrics."""
    texts = {place: _together([record.answer.text for record in of_item]) for place, of_item in records.items()}
    hits = {
        place: _together([_results(scores, place[0], record) for record in of_item])
        for place, of_item in records.items()
        if scores.runs[place[0]].scorable is not None  # the contexts of a row of a table stand in the table
    }
    columns = {say("Answer"): texts, say("Results"): hits}
    columns = {heading: cells for heading, cells in columns.items() if any(cells.values())}
    took = {
        say(SECONDS): _means(records, lambda answer: answer.seconds if answer.replied else None),
        say(COST): _means(records, lambda answer: answer.cost),
    }
    took = {heading: means for heading, means in took.items() if means}
    values = [[(str(metric), run.values(metric), run.why(metric)) for metric in scores.metrics] for run in scores.runs]
    names = {tag for run in scores.runs for tag in run.tags}
    tags = {tag: tag if (words := tag_words(tag)) in names else words for tag in names}
    for place, name in enumerate(map(str, scores.runs[0].ids)):
        for number, (run, metrics) in enumerate(zip(scores.runs, values, strict=True)):
            row: dict[str, Any] = {say("Question id"): name}
            row |= {say("Question"): clip(queries.get(name, ""), LONGEST)} if queries else {}
            row |= {tags[tag]: column[place] for tag, column in run.tags.items()}
            row |= {say("Run"): run.name}
            row |= {heading: clip(cells.get((number, place), ""), LONGEST) for heading, cells in columns.items()}
            row |= {heading: means.get((number, place)) for heading, means in took.items()}
            row |= {metric: float(numbers[place]) for metric, numbers, _ in metrics}
            reasons = {metric: why[place] for metric, _, why in metrics if place in why}
            yield row | {say("Reason"): "; ".join(f"{metric}: {reason(why)}" for metric, why in reasons.items())}


def _means(
    records: Mapping[Place, Sequence[AnswerRecord]], amount: Callable[[Answer], float | None]
) -> dict[Place, float]:
    """Return the mean of an amount over the answers to each question, without answers of which it is not known."""
    amounts = {
        place: [value for record in of_item if (value := amount(record.answer)) is not None]
        for place, of_item in records.items()
    }
    return {place: math.fsum(values) / len(values) for place, values in amounts.items() if values}


def _results(scores: Scores, run: int, record: AnswerRecord) -> str:
    """Return the first hits of an answer, one on a line, and how many more there are; of an absent one, what it is."""
    if record.absent:
        return note_of(record, scores.runs[run])
    hits, grades = record.answer.hits[:HITS], judgments_of(scores).get(record.item.id, {})
    words = words_of_scales(scores).get(RELEVANCE, {})
    lines = [_hit_line(rank, hit, grades.get(hit.id), words) for rank, hit in enumerate(hits, start=1)]
    if record.answer.unknown_hits:
        lines.append(say("hits unknown: {why}", why=record.answer.unknown_hits))
    if record.returned > len(hits) > 0:
        lines.append(say("{things} not shown.", things=count(record.returned - len(hits), "more hit")))
    return "\n".join(lines)


def _hit_line(rank: int, hit: Hit, grade: float | None, words: Mapping[float, str]) -> str:
    judged = say("not judged")
    if grade is not None and grade != UNJUDGED:
        meaning = f": {line(words[grade])}" if words.get(grade) else ""
        judged = say("grade {grade}", grade=f"{exact(grade)}{meaning}")
    text = snippet(hit, SNIPPET)
    return f"{rank}. {hit.id} ({judged}){f': {text}' if text else ''}"


def _together(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
