"""Make the blocks of a comparison's report: the opening, then each section that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from neraca.number_format import DASH, integer, number, percent, percent_level, span
from neraca.reports.blocks.block import (
    Block,
    Cell,
    Document,
    Figure,
    Heading,
    Named,
    Questions,
    Sentence,
    Sentences,
    opening,
)
from neraca.reports.blocks.correlation_tables import correlation_blocks
from neraca.reports.blocks.count_tables import count_blocks
from neraca.reports.blocks.difference_tables import difference_table, effect_table
from neraca.reports.blocks.labelled import with_labels
from neraca.reports.blocks.metric_rows import Cell as MetricCell
from neraca.reports.blocks.metric_rows import MetricRow, marks, unscored_notes
from neraca.reports.blocks.ratings import rating_tables
from neraca.reports.blocks.reliability import ReliabilitySection
from neraca.reports.blocks.run_summary import facts
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.blocks.tables import Extreme, needs_relevance_of_all
from neraca.reports.figures.forest import (
    difference_forest,
    interval_bars,
    letters_of_forest,
    metric_forest,
    pair_bars,
    values_caption,
)
from neraca.reports.figures.pairs_drawn import pairs_drawn
from neraca.reports.figures.scatter import pair_scatter
from neraca.reports.formats.visible_text import line
from neraca.reports.formats.word_letters import legend
from neraca.reports.report import Report
from neraca.reports.sentences.advice import shown_by
from neraca.reports.sentences.captions import Captions, captions_by_section
from neraca.reports.sentences.finding import FEW
from neraca.reports.sentences.standings import letters_of
from neraca.reports.sentences.tag_words import tag_words
from neraca.result import Parts, Table
from neraca.translation import say, say_all, written_in

#: Where to read the long texts that a report cuts short.
WHOLE = (
    "Long texts and lists are cut short here; items.jsonl and answers.jsonl in the folder of each run have them whole."
)

POOLED = (
    "What is relevant is pooled over the runs shown here: recall, AP and nDCG are relative to what these runs found "
    "together, and change when another run is added."
)

#: The most characters of a question that stands for its id in a sentence.
QUERY = 50

BARS = (
    "Bars: one for each question scored in both runs, sorted. Up: the first run has the higher value. Marks: the first "
    "run upwards, the second to the right; on the diagonal both are equal."
)


def comparison_document(report: Report) -> Document:
    """Make the blocks of a report, in its language; sections without content stand last, with the reason."""
    with written_in(report.language):
        introduction = _introduction(report)
        blocks = list(
            with_labels(
                [*_opening(report, introduction), *section_blocks(report)],
                report.metric_labels,
                report.runs,
                introduction,
            )
        )
        empty_sections = [(say(s.heading), say(s.nothing)) for s, has_content in report.outline if not has_content]
        if empty_sections:
            blocks += [Heading(say("Nothing to say"), "nothing"), Table((), empty_sections)]
        return Document(report.title, tuple(blocks), report.language)


def section_blocks(report: Report, names: Collection[str] = ()) -> Iterator[Block]:
    """Yield the blocks of the sections that have content, or of those among `names`, in the language of the caller."""
    captions = captions_by_section(report)
    for section, has_content in report.outline:
        if has_content and (section.name in names or not names):
            yield Heading(say(section.heading), section.name, say(section.short))
            yield from SECTION_BLOCKS[section.name](report, captions)


def _tested(report: Report) -> tuple[str, ...]:
    """Return the sentences on what the tests say."""
    headline = report.finding.headline
    return (*(() if report.decision.sentence == headline else (headline,)), *report.finding.details)


def _introduction(report: Report) -> str:
    """Return the canonical names of the metrics that the opening calls by a label without parameters; or ""."""
    labels, sentences = report.metric_labels, (*_tested(report), *report.notes)
    others = [
        name
        for name in labels.shortened
        if name not in report.decision.labels and any(name in sentence for sentence in sentences)
    ]
    line_of_others = labels.parameters_line(sorted(others)) if others else ""
    return " ".join(filter(None, (report.decision.labels, line_of_others)))


def _opening(report: Report, introduction: str) -> Iterator[Block]:
    decision = report.decision
    blocks = opening(
        decision.sentence,
        primary_figure("first", report, letters_of(report.runs) if decision.standings else {}),
        decision.shown,
        decision.unshown,
        _tested(report),
        report.notes,
        introduction,
    )
    for block in blocks:
        if decision.standings and isinstance(block, Sentences) and block.first == 0:  # what the tests say
            yield decision.standings
        yield block


def primary_figure(name: str, report: Report, letters: Mapping[str, str] = {}) -> Figure:
    """Draw the primary metric of all runs, with their letters if a table beside it has letters."""
    row, level = report.primary_row, percent_level(report.level)
    label = report.metric_labels[row.metric]
    return Figure(name, values_caption(row, label, level), metric_forest(name, row, label, level, letters))


def _runs(report: Report, captions: Captions) -> Iterator[Block]:
    if report.about_hits:
        several = report.asked and len(report.cards) > 1
        pooled = (say(POOLED),) if several and any(map(needs_relevance_of_all, report.scores.metrics)) else ()
        yield Sentences((" ".join((captions["runs"]["relevance"], *pooled)),), "words")
    facts_of_runs = facts(report.cards)
    if facts_of_runs.differ:
        rows = [(name, *map(Cell, cells)) for name, cells in facts_of_runs.differ]
        yield Table(("", *report.runs), rows, say("In what the runs differ"), 1 + len(report.runs), name="runs")
    if facts_of_runs.same:
        title = say("The same in all runs") if len(report.runs) > 1 else ""
        yield Table((), facts_of_runs.same, title, depth=1 if facts_of_runs.differ else 0)


def _metrics(report: Report, captions: Captions) -> Iterator[Block]:
    labels = report.metric_labels
    rows = [
        (
            Cell(labels[row.metric], ", ".join(filter(None, (labels.full(row.metric), *_remarks(row))))),
            *(_value(cell, bar) for cell, bar in zip(row.cells, interval_bars(row), strict=True)),
        )
        for row in report.metrics
    ]
    caption = f"{captions['metrics']['plain']} {marks(report.metrics, report.pairs)}".rstrip()
    yield Table((say("Metric"), *report.runs), rows, caption, name="values", parts=_parts(report))
    notes = [f"{run}: {words}" for run, words in unscored_notes(report.metrics)]
    no_interval = captions["metrics"]["no_interval"]
    if below := [*notes, *report.without_letters, *([no_interval] if no_interval else [])]:
        yield Sentences(below)


def _parts(report: Report) -> Parts:
    """Return the headings of the parts of a value."""
    interval = say("{level} interval", level=percent_level(report.level))
    return Parts(say("Run"), say("Mean"), interval, "n")


def _remarks(row: MetricRow) -> Iterator[str]:
    if row.primary:
        yield say("primary")
    if row.better != "higher":
        yield say(f"{row.better} is better")


def _value(cell: MetricCell, bar: str) -> Cell:
    score = cell.score
    unscored_note = (say("{n:,} unscored", n=score.unscored),) if score.unscored else ()
    return Cell(
        number(score.value),
        span(score.low, score.high, 2) or say("no interval"),
        mark=" ".join(filter(None, (cell.letters, cell.sign, "▲" if cell.beats_all else ""))),
        note=", ".join((*cell.remarks, *unscored_note)),
        bold=cell.best or cell.tied,
        drawn=bar,
    )


def _differences(report: Report, captions: Captions) -> Iterator[Block]:
    level = percent_level(report.level)
    of_primary = [d for d in report.pairs if d.metric == report.primary]
    if of_primary:
        letters, drawn = letters_of_forest(of_primary, report.runs), pairs_drawn(of_primary, report.runs[0])
        svg = difference_forest("pairs", report.metric_labels[report.primary], drawn.pairs, level, letters)
        texts = captions["differences"]
        caption = " ".join(filter(None, (texts["drawn"], texts["left_out"], legend(letters))))
        yield Figure("pairs", caption, svg)
    differences = difference_table(report.detailed, report.intervals_are, report.level, report.metric_labels)
    yield differences._replace(runs=report.runs)
    if report.matrix:
        yield effect_table(report.matrix, 1 - report.level)._replace(runs=report.runs)
        yield Sentences((_colour_key("the first run of the pair is ahead", "the second"),), "words", only="page")


def _colour_key(blue: str, orange: str) -> str:
    """Explain the colours of a page."""
    return f"{say('Blue')}: {say(blue)}; {say('orange')}: {say(orange)}."


def _by_question(report: Report, captions: Captions) -> Iterator[Block]:
    texts, charts = captions["by_question"], report.charts
    yield Sentences((texts["metric"],), "words", only="flat")
    yield Sentences((f"{say(BARS)} {_colour_key('the first run is better', 'it is worse')}",), "words", only="page")
    scale = [value for chart in charts for value in chart.values]
    queries = {question.number: question.query for question in report.questions}
    primary, label = report.primary_row, report.metric_labels[report.primary]
    for place, chart in enumerate(charts):
        yield Heading(f"{chart.a} − {chart.b}", level=3)
        favour = []
        for run in (chart.a, chart.b):
            parts: list[str | Named] = [say("Most in favour of"), f" {run}: "]
            for e in chart.extremes(run):
                values = say("{one} against {other}", one=number(e.of_a, 2), other=number(e.of_b, 2))
                parts += [Named(_question_name(e, queries), e.number), f" ({values})", ", "]
            favour += [Sentence(*parts[:-1])] if chart.extremes(run) else []
        pair = f"{chart.a} − {chart.b}"
        yield Sentences((texts[pair], *favour))
        if not any(chart.values):  # equal on every question, as the sentence says
            continue
        yield Figure(f"c{place}", texts[f"{pair}: bars"], pair_bars(f"c{place}", chart, label, scale))
        scatter = pair_scatter(f"s{place}", chart, label, (primary.low, primary.high), report.runs)
        yield Figure(f"s{place}", texts[f"{pair}: marks"], scatter)
    if report.more_charts:
        yield Sentences((texts["not_shown"],), "words")


def _question_name(extreme: Extreme, queries: Mapping[int, str]) -> str:
    """Return the beginning of a question with its id; only the id if its text is not known."""
    query = line(queries.get(extreme.number, ""), QUERY)
    return f"{query} [{extreme.item}]" if query and query != extreme.item else extreme.item


def _questions(report: Report, captions: Captions) -> Iterator[Block]:
    texts = captions["questions"]
    page_sentences = [f"{texts['left_out']}; {texts['shown']}"] if report.left_out else []
    page_sentences += [say(WHOLE)] if report.shortened and report.asked else []
    page_sentences += [texts[name] for name in ("hits", "lists") if texts[name]]
    flat_sentences = [texts["unlisted"]] if texts["unlisted"] else []
    flat_sentences += [texts["lists"]] if texts["lists"] else []
    flat_sentences += [say(WHOLE)] if report.asked else []
    if report.checked:
        flat_sentences.append(say("Checks that passed are named only; of the others the reason is given."))
    yield Sentences(page_sentences, "words", only="page")
    yield Sentences(flat_sentences, "words", only="flat")
    yield Questions(report.questions, report.primary, report.asked, report.about_hits)


def _groups(report: Report, captions: Captions) -> Iterator[Block]:
    texts = captions["groups"]
    no_interval = texts["no_interval"]
    yield Sentences((f"{texts['shaded']} {no_interval}".rstrip(),), "words", only="page")
    flat = (texts["few"], no_interval, report.groups_cut)
    yield Sentences((" ".join(filter(None, flat)),), "words", only="flat")
    main, tags = report.main_groups, set[str]()
    for table in report.groups:
        rows = [
            (
                row.value,
                integer(row.items),
                *(
                    Cell(
                        f"{number(score.value)}{'°' if score.n < FEW else ''}",
                        span(score.low, score.high, 2) or say("no interval"),
                        note=f"n = {integer(score.n)}",
                        shade=table.shade(score),
                    )
                    for score in row.scores
                ),
            )
            for row in table.rows
        ]
        title = say("{metric} by {tag}", metric=table.metric, tag=tag_words(table.tag))
        depth = 2 if table not in main else int(table.tag in tags)
        columns = (tag_words(table.tag), say("Questions"), *report.runs)
        yield Table(columns, rows, title, name=title, depth=depth, parts=_parts(report))
        tags.add(table.tag)


def _notes_of_people(report: Report, captions: Captions) -> Iterator[Block]:
    if omitted := captions["words"]["more"]:
        yield Sentences((omitted,), "words")
    for question in report.words.questions:
        yield Heading(question.query, level=3)
        run_labels = [f", {say('of')} {note.run}" if len(report.runs) > 1 else "" for note in question.words]
        yield Sentences(
            [f"{note.text} ({note.person}{run})" for note, run in zip(question.words, run_labels, strict=True)]
        )


def _disagreements(report: Report, captions: Captions) -> Iterator[Block]:
    def above(metric: str, value: float, share: float) -> str:
        return f"{metric} {number(value)}, {say('above {share}', share=percent(share))}"

    rows = [
        (
            Sentence(Named(d.question, d.number)),
            d.run,
            above(d.high, d.high_value, d.above_high),
            above(d.low, d.low_value, d.above_low),
            d.means,
        )
        for d in report.disagreements or ()
    ]
    columns = say_all("Question", "Run", "High by", "Low by", "What it may mean")
    yield Table(columns, rows, captions["disagreements"]["columns"], 5, name="disagreements")


def _ready(section: str) -> Callable[[Report, Captions], Iterator[Block]]:
    """Return the function that makes the blocks of a section whose sentences and tables are finished."""

    def blocks(report: Report, _: Captions) -> Iterator[Block]:
        part: FinishedSection | ReliabilitySection = getattr(report, section)
        yield Sentences(part.sentences)
        yield from part.tables

    return blocks


def _advice(report: Report, captions: Captions) -> Iterator[Block]:
    if report.advice is None:
        return
    for run in report.advice.runs:
        parts: list[str | Named] = [f"{shown_by(run.examples, run.metric)}: "]
        for example in run.examples:
            parts += [Named(example.id, example.number), f" ({number(example.value, 2)})", ", "]
        yield Heading(run.headline, level=3)
        yield Sentences((*run.details, *([Sentence(*parts[:-1])] if run.examples else [])))
    yield Sentences((report.advice.how,), "words")


def _method(report: Report, captions: Captions) -> Iterator[Block]:
    method, labels = report.method, report.metric_labels
    yield Sentences((method.paragraph,), "words")
    yield Table((), method.facts)
    rows = [
        (
            Cell(labels[d.metric], labels.full(d.metric)),
            d.text,
            d.params or say("none"),
            f"{d.range}, {d.better}",
            d.source or DASH,
        )
        for d in method.definitions
    ]
    columns = say_all("Metric", "What it is", "Parameters", "Range", "Source")
    yield Table(columns, rows, say("What the metrics are"), 5, name="metrics")
    if method.signatures:
        title = say("Signatures: how each score of texts was made")
        yield Sentences([Sentence(Named(signature)) for signature in method.signatures], title=title)


def _counts(report: Report, captions: Captions) -> Iterator[Block]:
    yield from count_blocks(report.counts, report.aspects, report.about_hits, captions["counts"]["success"])
    yield from rating_tables(report.ratings)


#: The blocks of each section of `sections.SECTIONS`.
SECTION_BLOCKS: dict[str, Callable[[Report, Captions], Iterator[Block]]] = {
    "runs": _runs,
    "metrics": _metrics,
    "differences": _differences,
    "by_question": _by_question,
    "preferences": _ready("preferences"),
    "factors": _ready("factors"),
    "questions": _questions,
    "groups": _groups,
    "counts": _counts,
    "conversations": _ready("conversations"),
    "corrected": _ready("corrected"),
    "judges": _ready("judges"),
    "words": _notes_of_people,
    "correlations": correlation_blocks,
    "disagreements": _disagreements,
    "reliability": _ready("reliability"),
    "advice": _advice,
    "method": _method,
}
