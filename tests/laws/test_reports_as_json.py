"""Law of reports: whatever a page says with a number stands in the JSON of the same report, in the same section.

A sentence stands there word for word, with the canonical names of metrics where a page has their labels.  A number in a
cell is the rounding of a number there.
"""

import json
import re
from html.parser import HTMLParser

import pytest
from builders import make_run
from drawn import to_html, to_markdown
from law_sources import RELEVANT, answers_of, draw_systems, items_of, rows_of, write_texts, write_trec
from msgspec.structs import replace

import neraca
from neraca.number_format import (
    correlation,
    exact,
    integer,
    localised,
    number,
    numbers_in,
    p_value,
    percent,
    percent_level,
    seconds,
)
from neraca.records import Verdict
from neraca.reports.blocks.sections import SECTIONS
from neraca.reports.formats.json_export import to_json
from neraca.translation import written_in

TWO, EIGHT = ("new", "old"), (*(f"system-{letter}" for letter in "abcdefg"), "copy")
BLOCKS = {"p", "li", "td", "th", "dd", "dt", "caption", "figcaption", "summary", "blockquote", "article", "h1", "h2"}
BLOCKS |= {"h3", "h4", "section", "div", "ul", "ol", "tr", "details", "small"}
#: Drawings, and what steers the page.
UNREAD = {"script", "style", "svg", "form", "head", "nav"}
VALUE = re.compile(r"([+−-]?\d(?:[\d,.]*\d)?)(?:\s?%)? \(")
NUMBER = re.compile(r"[+−-]?\d(?:[\d,.]*\d)?(?:e[-+]?\d+)?")

#: As in "q15 (0.00 against 1.00)".
PAIRS = re.compile(r"\(\d[.,]\d\d [^\d()]+ \d[.,]\d\d\)")


class Page(HTMLParser):
    """The visible texts of a page, block by block: its section, the text, whether it is a cell of a table."""

    def __init__(self, page):
        super().__init__()
        self.blocks, self._text, self._section, self._unread, self._tag = [], [], "finding", 0, ""
        self.feed(page)
        self._end()

    def handle_starttag(self, tag, attrs):
        self._unread += tag in UNREAD
        if tag in BLOCKS:
            self._end()
            self._tag = tag
        if tag == "section":
            self._section = dict(attrs)["aria-labelledby"]
        if tag == "sub" and not self._unread:  # the JSON writes d_z
            self._text.append("_")

    def handle_endtag(self, tag):
        self._unread -= tag in UNREAD
        if tag in BLOCKS:
            self._end()

    def handle_data(self, data):
        if not self._unread:
            self._text.append(data)

    def _end(self):
        text = one_line("".join(self._text))
        if text:
            self.blocks.append((self._section, text, self._tag in ("td", "th", "div", "small")))
        self._text = []


def blocks_of_markdown(text, headings):
    """Lines and cells of Markdown without its marks, as the blocks of a page."""
    section = "finding"
    for line in text.splitlines():
        if line.startswith("## "):
            section = headings.get(line[3:], section)
            continue
        line = re.sub(r"\\([\\*`|_<&\]\[$~^#>+.)-])", r"\1", re.sub(r"</?\w+>|(?<!\\)\*\*|(?<!\\)`", "", line))
        for cell in line.split(" | ") if line.startswith("|") else [re.sub(r"^\s*(- |#+ )", "", line)]:
            if words := one_line(cell.strip("| ")):
                yield section, words, line.startswith("|")


def one_line(text):
    return " ".join(text.split())


def leaves(content):
    """All texts and numbers of a part of the JSON, the names of its fields too."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield name
            yield from leaves(value)
    elif isinstance(content, list):
        for value in content:
            yield from leaves(value)
    elif content is not None and not isinstance(content, bool):
        yield content


def written(value, level):
    """The ways to write a number of the JSON in the language of the report."""
    forms = [
        integer(value),
        exact(value),
        localised(f"{value:g}"),
        number(value),
        number(value, 2),
        percent(value),
        seconds(value),
    ]
    forms += [p_value(value), p_value(value, 1 - level), percent_level(value), correlation(value)]
    return {token.lstrip("+").replace("−", "-") for form in forms for token in NUMBER.findall(form)}


class Section:
    """What the JSON says in one section, also with the labels of metrics."""

    def __init__(self, whole, name, labels):
        parts = list(leaves(whole["sections"].get(name, {})))
        self.texts = {one_line(part) for part in parts if isinstance(part, str)} | {whole["title"]}
        self.texts |= {labels.in_sentence(text) for text in self.texts}
        self.sentences = {one_line(one["text"]) for one in whole["sentences"] if one["section"] == name}
        self.sentences |= {labels.in_sentence(text) for text in self.sentences}
        self.numbers = set()
        for value in [part for part in parts if not isinstance(part, str)] + [whole["level"]]:
            self.numbers |= written(value, whole["level"])
        names = {*whole["runs"], *(row["metric"] for row in whole["tables"]["scores"])}
        names |= {text for text in self.texts if any(map(str.isdigit, text))}
        alone = {text for text in names if NUMBER.fullmatch(text)}  # such as the id of a question, or a cell
        before_intervals = {match[1] for text in self.texts if (match := VALUE.match(text))}  # pages show them apart
        self.numbers |= {text.lstrip("+").replace("−", "-") for text in alone | before_intervals}
        names -= alone
        self._names = sorted(names, key=len, reverse=True)

    def has(self, text):
        """Whether every number of a text is in this section, in a sentence or by itself."""
        if any(text in known for known in self.texts):
            return True
        for name in self._names:
            text = text.replace(name, " ")
        tokens = [token.lstrip("+").rstrip(",.").replace("−", "-") for token in NUMBER.findall(text)]
        return all(token in self.numbers or token.lstrip("-") in self.numbers for token in tokens)


def is_sentence(text):
    """Whether a text is prose, and no cell or label, nor a list of questions with two values each."""
    return text.count(" ") > 5 and len(re.findall(r"[^\W\d_]{3,}", text)) > 5 and not PAIRS.search(text)


def judged_folders(folder, names):
    """Folders with two raters, ties, an unjudged hit, refusals, tags, sessions, and a copy among eight."""
    systems = dict(draw_systems(7, names, questions=18, loss=0.4))
    if "copy" in systems:
        systems["copy"] = systems[names[0]]
    items = [
        replace(
            item,
            relevant=None,
            expects="none" if row % 9 == 8 else "results",
            tags={"kind": ("easy", "hard")[row % 2]},
            session=f"s{row // 2}",
        )
        for row, item in enumerate(items_of(systems))
    ]
    runs = []
    for name, answers in systems.items():
        verdicts = [
            Verdict(item=f"q{row}", about=f"hit:d{doc}", aspect="relevance", value=float(grade), by=f"human:{rater}")
            for row, docs in enumerate(answers)
            for rank, doc in enumerate(docs)
            for rater, grade in (("ani", doc in RELEVANT), ("budi", doc in RELEVANT or (row + rank) % 7 == 0))
            if (row + doc) % 6
        ]
        for row in rows_of(systems):
            verdicts.append(
                Verdict(item=f"q{row}", about="answer", aspect="declines", value=float(row % 9 == 8), by="rules")
            )
            verdicts.append(
                Verdict(item=f"q{row}", about="answer", aspect="quality", value=float(row % 6), by="human:ani")
            )
            verdicts.append(
                Verdict(item=f"q{row}", about="answer", aspect="quality", value=float(row % 5), by="llm:m#1")
            )
        runs.append(make_run(folder / name, items, answers_of(answers), verdicts))
    return neraca.score(runs, "nDCG@5 P@5 AP RR RefusalF1 TokenF1 Rubric(quality)")


def trec_scores(folder, names):
    source = write_trec(folder, draw_systems(3, names, loss=0.3))
    return neraca.trec(source.options[1], list(source.paths.values()), "AP P@5 nDCG@5")


def text_scores(folder, names):
    from neraca.scores.sources.paths import PathOptions, score_paths

    source = write_texts(folder, draw_systems(5, names, loss=0.3))
    options = PathOptions(reference=("reference",), response=names)
    return score_paths([folder / "texts.csv"], " ".join(source.metrics), options)


SOURCES = {"folders": judged_folders, "trec": trec_scores, "texts": text_scores}


@pytest.mark.parametrize("names, language", [(TWO, "es"), (EIGHT, "en")], ids=["2-es", "8-en"])
@pytest.mark.parametrize("kind", SOURCES)
def test_all_that_a_page_says_with_a_number_is_in_its_json(tmp_path, kind, names, language):
    scores = SOURCES[kind](tmp_path, names)
    margin = {str(scores.metrics[0]): 0.05}
    made = neraca.report(scores, neraca.compare(scores, margin=margin), language=language)
    whole = json.loads(to_json(made))
    with numbers_in(language), written_in(language):
        labels = made.metric_labels
        sections = {name: Section(whole, name, labels) for name in ("finding", *(section.name for section in SECTIONS))}
    headings = {parts["heading"]: name for name, parts in whole["sections"].items() if "heading" in parts}
    blocks = [*Page(to_html(made)).blocks, *blocks_of_markdown(to_markdown(made), headings)]
    with_numbers = [block for block in blocks if any(map(str.isdigit, block[1]))]
    assert len(with_numbers) > 100
    absent = [(name, text) for name, text, _ in with_numbers if not sections[name].has(text)]
    assert absent == []
    prose = [(name, text) for name, text, cell in with_numbers if not cell and is_sentence(text)]
    prose = [(name, text) for name, text in prose if name not in ("questions", "words")]  # others' texts
    assert len(prose) > 10
    missing = []
    for name, text in prose:
        # The caption of a wide table names the metric of all its rows; the JSON has it in each row.
        rest = re.sub(r"(Metric|Métrica): \S+\.$", "", text)
        for sentence in sorted(sections[name].sentences, key=len, reverse=True):
            rest = rest.replace(sentence, " ")
        if is_sentence(rest) and any(map(str.isdigit, rest)):
            missing.append((name, rest))
    assert missing == []


def test_the_command_writes_the_json_with_unrounded_numbers(cli, tmp_path):
    source = write_trec(tmp_path, draw_systems(3))
    told = cli("report", *source.words(), "-m", "AP P@5", "--to", tmp_path / "report.json")
    assert told.code == 0, told.err
    whole = json.loads((tmp_path / "report.json").read_text())
    scores = neraca.trec(source.options[1], list(source.paths.values()), "AP P@5")
    cells = [cell["score"] for row in whole["sections"]["metrics"]["metrics"] for cell in row["cells"]]
    means = {(run, metric): scores.mean(metric, run) for run in ("new", "old") for metric in ("AP", "P@5")}
    assert {(score["run"], score["metric"]): score["value"] for score in cells} == means
    headline = whole["sections"]["finding"]["finding"]["headline"]
    assert {"section": "finding", "at": "finding.headline", "text": headline} in whole["sentences"]
