"""Labels of runs in figures: no two are the same, none is cut at an edge, and they use the room that there is."""

import re
from xml.etree import ElementTree

import pytest

from neraca.errors import SpecError
from neraca.reports.figures.axes import COLUMN
from neraca.reports.figures.labels import BOLD, RUN_ROOM, distinct, fitted, run_labels, text_width, wrapped
from neraca.reports.figures.paper_figures import Subject, paper_figure
from neraca.reports.formats.write import write_report
from neraca.reports.report import report

SVG = "{http://www.w3.org/2000/svg}"
START = "splade-v3-distilbert-msmarco-cocondenser"
LONG = {
    f"{START}-ensembledistil.run": [0.1, 0.3, 0.2, 0.2, 0.1, 0.3],
    f"{START}-selfdistil.run": [0.3, 0.5, 0.4, 0.3, 0.4, 0.5],
    "monoT5-3B-MMMM-WWWW-rerank-top1000-of-bm25.run": [0.2, 0.4, 0.4, 0.3, 0.4, 0.4],
}


@pytest.mark.parametrize("length", [9, 12, 15, 20, 22, 30])
@pytest.mark.parametrize(
    "names",
    [
        [*LONG],
        [f"a-system-with-a-long-name-{n:02}-and-the-same-end-as-all" for n in range(30)],
        [f"{'x' * n}" for n in range(40, 60)],
        ["left-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-right", "left-aaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaa-right"],
    ],
)
def test_no_two_names_get_the_same_label_and_none_is_too_long(names, length):
    labels = distinct(names, length)
    assert len({*labels.values()}) == len(names)
    assert max(map(len, labels.values())) <= length


def test_names_that_fit_stay_whole_and_one_letter_is_no_difference_to_see():
    assert distinct(["a", "bm25"], 9) == {"a": "a", "bm25": "bm25"}
    a, b = distinct([*LONG][:2], 25).values()
    assert sum(x != y for x, y in zip(a, b, strict=True)) >= 3


def test_widths_are_those_of_the_letters():
    """In Arial, at 10 pixels, M is 8.33 wide and i 2.22; Chinese letters are as wide as they are high."""
    assert text_width("MMi", 10) == pytest.approx(2 * 8.33 + 2.22)
    assert text_width("租房", 10) == 20
    labels = fitted(LONG, 150)
    assert 130 < max(map(text_width, labels.values())) <= 150
    assert max(BOLD * text_width(line) for line in wrapped("a title of many words " * 5, 100, BOLD)) <= 100


def edges(text):
    """Return the left and right end of a text in a figure."""
    x, factor = float(text.get("x")), BOLD if text.get("class") == "title" else 1.0
    before = {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
    width = factor * text_width(text.text)
    return x - before * width, x + (1 - before) * width


@pytest.mark.parametrize("kind", ["forest", "bars", "effects", "differences"])
def test_nothing_in_a_figure_is_clipped_and_every_run_has_a_label_of_its_own(weighed, kind):
    picture = paper_figure(Subject(*weighed(LONG), "Given"), kind)
    root = ElementTree.fromstring(picture.svg)
    across = [text for text in root.iter(f"{SVG}text") if not text.get("transform")]
    assert min(edges(text)[0] for text in across) >= 0
    assert max(edges(text)[1] for text in across) <= COLUMN
    assert max(float(text.get("y")) for text in across) <= picture.height - 2
    names = [text.text for text in across if "spla" in text.text or "monoT5" in text.text]
    assert len({*names}) == len(names) == {"forest": 3, "bars": 3, "effects": 3, "differences": 1}[kind]


def test_a_run_has_the_same_label_in_every_figure(weighed):
    """However much room a figure has, and in whatever order it draws the runs."""
    subject = Subject(*weighed(LONG), "Given")
    labels = {*run_labels(LONG).values()}
    assert any("…" in label for label in labels)
    for kind, runs in (("forest", labels), ("bars", labels), ("effects", labels)):
        root = ElementTree.fromstring(paper_figure(subject, kind).svg)
        texts = " ".join(text.text for text in root.iter(f"{SVG}text"))
        assert all(label in texts for label in runs)
    assert run_labels(reversed([*LONG])) == run_labels(LONG)
    assert max(map(text_width, labels)) <= RUN_ROOM


def test_the_first_figure_of_a_page_tells_the_runs_apart(weighed, tmp_path):
    write_report(tmp_path / "report.html", report(*weighed(LONG)))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    drawing = re.search(r'<svg role="img".*?</svg>', page, re.DOTALL)[0]
    labels = re.findall(r'class="label">(.*?)</text>', drawing)
    assert len({*labels}) == len(labels) == 3


@pytest.mark.parametrize("kind", ["zzzz", "forrest"])
def test_an_unknown_figure_is_refused_with_the_figures_named_once(weighed, kind):
    with pytest.raises(SpecError) as refusal:
        paper_figure(Subject(*weighed(LONG), "Given"), kind)
    assert str(refusal.value).count("precision-recall") == 1
