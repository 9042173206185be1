"""Figures for a paper: one column wide, with named axes, readable in grey, and places that follow from the values."""

import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest

import neraca
from neraca.errors import SpecError
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.block import Document, Figure
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.figures.axes import COLUMN, LOOKS, PLAIN, STRONG, WEAK, Axis
from neraca.reports.figures.paper_figures import KINDS, Subject, paper_figure
from neraca.reports.figures.svg import drawing
from neraca.reports.formats.html import to_html
from neraca.reports.formats.plot import plot_document
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.scores.score import score

SVG = "{http://www.w3.org/2000/svg}"
LOW, HIGH = [0.1, 0.3, 0.2, 0.2, 0.1, 0.3], [0.3, 0.5, 0.4, 0.3, 0.4, 0.5]  # means 0.2 and 0.4


def drawn(subject, kind):
    picture = paper_figure(subject, kind)
    root = ElementTree.fromstring(picture.svg)
    assert (picture.width, root.get("width"), root.get("height")) == (320, "320", str(picture.height))
    assert not re.search(r"var\(|href|url\(", picture.svg)
    return root, [text.text for text in root.iter(f"{SVG}text")]


@pytest.fixture
def subject(weighed):
    return Subject(*weighed({"old": LOW, "new": HIGH}), "Given")


@pytest.fixture
def ranked(tmp_path):
    """One query with two relevant documents, at ranks 1 and 3 of the first run and at none of the second."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 c 1\n")
    lines = {"good": "abc", "bad": "xyz"}
    for name, documents in lines.items():
        rows = [f"q1 Q0 {document} {rank} {9 - rank} r\n" for rank, document in enumerate(documents, 1)]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    return Subject(neraca.trec(tmp_path / "qrels.txt", {n: tmp_path / f"{n}.run" for n in lines}, "AP"), (), "AP")


def test_a_forest_names_runs_numbers_and_the_metric(subject):
    _, texts = drawn(subject, "forest")
    assert {"old (n = 6)", "new (n = 6)", "0.200", "0.400", "Given with 95 % interval; filled: the best"} <= {*texts}


def test_bars_begin_at_zero_and_are_as_long_as_their_values(subject):
    root, _ = drawn(subject, "bars")
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("fill") in (STRONG, PLAIN)]
    assert [bar.get("fill") for bar in bars] == [STRONG, PLAIN], "the best first"
    assert float(bars[0].get("width")) == pytest.approx(2 * float(bars[1].get("width")), abs=0.02)


@pytest.mark.parametrize("kind", ["forest", "bars"])
def test_runs_stand_in_the_order_of_their_values_the_best_first(weighed, kind):
    values = {"low": LOW, "high": HIGH, "middle": [(a + b) / 2 for a, b in zip(LOW, HIGH, strict=True)]}
    _, texts = drawn(Subject(*weighed(values), "Given"), kind)
    assert [text.partition(" ")[0] for text in texts if "(n = " in text] == ["high", "middle", "low"]


def test_of_many_pairs_a_figure_draws_those_of_the_best_run_and_says_so(weighed, tmp_path):
    """Eight runs make 28 pairs, more than 20; the best run has seven of them, and each has two lines of text."""
    runs = {f"run-{n}": [value + n / 100 for value in LOW] for n in range(8)}
    scores, differences = weighed(runs)
    (remark,) = write_report(tmp_path / "figure-effects.svg", report(scores, differences))
    drawn_now = "Drawn are 7 pairs of run-7, which has the best value; 21 other pairs are not."
    assert remark == (
        f"{tmp_path / 'figure-effects.svg'}: {drawn_now} Its caption should say so; --against RUN draws the pairs of "
        "another run."
    )
    picture = (tmp_path / "figure-effects.svg").read_text(encoding="utf-8")
    assert [f">run-{a} − run-{b}<" in picture for a, b in ((7, 6), (7, 0), (6, 5))] == [True, True, False]
    assert drawn_now in picture
    seven = [d for d in differences if "run-0" in (d.a, d.b)]
    assert write_report(tmp_path / "figure-effects.svg", report(scores, seven)) == []
    assert differences.plot().picture.left_out == drawn_now, "without scores the leads are added up"
    page = to_html(comparison_document(report(scores, differences)))
    assert page.count(drawn_now) == 1


def test_a_figure_taller_than_a_page_says_so_and_what_to_do(weighed, tmp_path):
    """40 rows of 19 pixels with 6 above and 32 for the axis, and two titles below: more than 550 / 0.75 pixels."""
    runs = {f"run-{n}": [value + n / 100 for value in LOW] for n in range(40)}
    (remark,) = write_report(tmp_path / "figure-forest.svg", report(*weighed(runs, against="run-0")))
    assert re.search(r"it is \d{3} pt high, taller than a page of a paper \(about 550 pt\); choose fewer runs$", remark)


def test_effects_stand_on_both_sides_of_a_line_of_zero(subject):
    root, texts = drawn(subject, "effects")
    assert {"new − old", "+0.200"} <= {*texts}
    assert "Difference in Given, 95 % interval; filled: told apart by the test" in " ".join(texts)
    zero = next(line for line in root.iter(f"{SVG}line") if line.get("class") == "zero")
    circle = next(root.iter(f"{SVG}circle"))
    assert float(circle.get("cx")) > float(zero.get("x1"))
    with pytest.raises(SpecError, match="give compare\\(scores\\) too"):
        drawn(Subject(subject.scores, (), "Given"), "effects")


def test_differences_are_sorted_and_coloured_by_who_is_better(weighed):
    subject = Subject(*weighed({"a": [1, 2, 3, 4], "b": [3, 2, 1, 3]}), "Given")  # differences −2, 0, 2, 1
    root, texts = drawn(subject, "differences")
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("fill") in (STRONG, WEAK)]
    assert [bar.get("fill") for bar in bars] == [STRONG, STRONG, WEAK, WEAK]
    assert float(bars[0].get("height")) == pytest.approx(2 * float(bars[1].get("height")), abs=0.02)
    assert {"4 questions, by size of a − b", "Δ Given"} <= {*texts}


def points(root):
    lines = [line.get("points") for line in root.iter(f"{SVG}polyline")]
    return [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]


def test_the_curve_has_eleven_points_of_recall(ranked):
    root, texts = drawn(ranked, "precision-recall")
    curve = points(root)[0]
    y = Axis(0, 1, 190, 8)
    # interpolated precision is 1 up to recall 0.5, at rank 1, and 2/3 beyond, at rank 3
    assert [place for _, place in curve] == pytest.approx([y.at(1)] * 6 + [y.at(2 / 3)] * 5, abs=0.06)
    assert [place for _, place in points(root)[1]] == pytest.approx([y.at(0)] * 11)
    assert {"Recall", "Interpolated precision", "good", "bad"} <= {*texts}


def test_the_curve_by_rank_has_precision_and_recall_after_each(ranked):
    root, _ = drawn(ranked, "ranks")
    x, y = Axis(0, 1, 46, 312), Axis(0, 1, 190, 8)
    curve = points(root)[0]
    assert len(curve) == 20
    expected = [(x.at(0.5), y.at(1)), (x.at(0.5), y.at(1 / 2)), (x.at(1), y.at(2 / 3)), (x.at(1), y.at(2 / 4))]
    assert [value for point in curve[:4] for value in point] == pytest.approx(
        [v for p in expected for v in p], abs=0.06
    )


def test_the_axis_of_the_curve_by_rank_ends_at_a_round_recall(tmp_path):
    """Of 40 relevant documents the run returned 10: recall ends at 0.25, so the axis ends at 0.3."""
    (tmp_path / "qrels.txt").write_text("".join(f"q1 0 d{n} 1\n" for n in range(40)))
    (tmp_path / "a.run").write_text("".join(f"q1 Q0 d{n} {n + 1} {40 - n} r\n" for n in range(10)))
    scores = neraca.trec(tmp_path / "qrels.txt", {"a": tmp_path / "a.run"}, "AP")
    root, texts = drawn(Subject(scores, (), "AP"), "ranks")
    x = Axis(0, 0.3, 46, 312)
    assert [place for place, _ in points(root)[0][:10]] == pytest.approx([x.at(n / 40) for n in range(1, 11)], abs=0.06)
    assert texts.count("1.0") == 1, "precision alone reaches 1"
    assert "0.30" in texts


def test_cost_is_that_of_a_question_and_a_run_without_it_is_named(folder):
    items = [Item(id=str(n), query="q") for n in range(2)]
    usage = {"dear": {"v": 1.0, "cost": 0.03}, "cheap": {"v": 0.5, "cost": 0.01}, "free": {"v": 0.2}}
    runs = [folder(name, items, [Answer(item=i.id, usage=of_run) for i in items]) for name, of_run in usage.items()]
    picture = paper_figure(Subject(score(runs, "Given"), (), "Given"), "cost")
    assert picture.caption == "Given with 95 % interval against: Cost of a question (US dollars); not drawn: free"
    assert "dear" in picture.svg
    assert "free" not in picture.svg.partition("</title>")[2]


def test_curves_and_costs_have_the_runs_in_the_order_of_the_metric(folder):
    items = [Item(id="q", query="?", relevant={"d": 1})]
    worse = Answer(item="q", hits=(Hit(id="x"), Hit(id="d")), usage={"cost": 0.1}, seconds=1.0)
    better = Answer(item="q", hits=(Hit(id="d"),), usage={"cost": 0.2}, seconds=2.0)
    made = Subject(score([folder("worse", items, [worse]), folder("better", items, [better])], "RR"), [], "RR")
    for kind in ("cost", "seconds", "ranks", "precision-recall"):
        texts = [
            part.text
            for part in ElementTree.fromstring(paper_figure(made, kind).svg).iter()
            if part.text in ("worse", "better")
        ]
        assert texts == ["better", "worse"], kind


def test_what_a_figure_lacks_is_said(subject):
    for kind, message in (
        ("cost", "no answer has a cost"),
        ("precision-recall", "old has values only|no hit is known|needs"),
        ("forrest", "did you mean forest"),
    ):
        with pytest.raises(SpecError, match=message):
            drawn(subject, kind)


def test_series_differ_without_colour():
    assert len({look.shape for look in LOOKS}) == len(LOOKS) == len({look.dashes for look in LOOKS})

    def brightness(colour):
        red, green, blue = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
        return 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2

    assert min(abs(brightness(a) - brightness(b)) for a, b in combinations((STRONG, WEAK, PLAIN), 2)) > 0.1


def test_the_name_of_a_file_chooses_the_figure(weighed, tmp_path):
    made = report(*weighed({"old": LOW, "new": HIGH}), language="es")
    for kind in ("forest", "bars", "effects", "differences"):
        write_report(tmp_path / f"figure-{kind}.svg", made)
        assert "Given" in (tmp_path / f"figure-{kind}.svg").read_text(encoding="utf-8")
    assert "Diferencia en Given, intervalo al 95 %" in (tmp_path / "figure-effects.svg").read_text(encoding="utf-8")
    with pytest.raises(SpecError, match="no figure is called 'nonsense'"):
        write_report(tmp_path / "figure-nonsense.svg", made)
    other = Document("T", (Figure("days", "By day", drawing("days", "t", "d", 20, ())),))
    write_report(tmp_path / "figure-days.svg", other)
    with pytest.raises(SpecError, match="the figures: days"):
        write_report(tmp_path / "figure-hours.svg", other)
    with pytest.raises(SpecError, match="this report has no figure"):
        write_report(tmp_path / "figure-hours.svg", Document("T", ()))


def test_results_plot_themselves(weighed, tmp_path):
    scores, differences = weighed({"old": LOW, "new": HIGH})
    plot = scores.plot("effects", differences=differences, language="id")
    assert "Selisih Given" in plot._repr_svg_()
    assert repr(plot).startswith("Plot('Selisih Given; berisi: dibedakan oleh uji')")
    plot.save(tmp_path / "effects.svg")
    assert (tmp_path / "effects.svg").read_text(encoding="utf-8") == plot._repr_svg_()
    with pytest.raises(SpecError, match=r"a figure ends in \.svg, \.png, \.pdf"):
        plot.save(tmp_path / "effects.gif")
    assert (
        report(scores, differences).plot("effects").picture == scores.plot("effects", differences=differences).picture
    )
    with pytest.raises(SpecError, match="this result has no figure"):
        plot_document(Document("T", ()))


def test_a_pdf_is_one_page_of_a_column_with_its_font(subject, tmp_path, chromium):
    subject.scores.plot("forest").save(tmp_path / "figure.pdf")
    data = (tmp_path / "figure.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", data)) == 1
    assert float(re.search(rb"/MediaBox \[0 0 ([\d.]+) ", data)[1]) == pytest.approx(240, abs=0.5)
    assert b"/FontFile" in data


def test_every_kind_is_in_the_help_of_plot():
    assert all(f"`{kind}`" in neraca.Scores.plot.__doc__ for kind in KINDS)


def test_the_cost_of_judges_counts_where_it_is_known_for_every_run(folder):
    items = [Item(id=str(n), query="q") for n in range(2)]

    def drawn_cost(**judging):
        runs = []
        for name, dollars in judging.items():
            answers = [Answer(item=i.id, usage={"v": 0.5, "cost": 0.01}) for i in items]
            verdicts = [Verdict(item=i.id, about="answer", aspect="valid", value=1, by="llm:m#1") for i in items]
            run = folder(name, items, answers, verdicts)
            if dollars is not None:
                run.update(judging={"llm:m#1": dollars})
            runs.append(run)
        return paper_figure(Subject(score(runs, "Given"), (), "Given"), "cost")

    both = drawn_cost(one=0.06, two=0.02)
    assert both.caption == "Given with 95 % interval against: Cost of a question, judges included (US dollars)"
    assert "0.04" in re.findall(r">(0\.\d+)<", both.svg)  # 0.01 for the answer and 0.06 / 2 for its judge
    unknown = drawn_cost(three=0.06, four=None)
    assert unknown.caption == (
        "Given with 95 % interval against: Cost of a question, without judges (US dollars); the cost of the judges "
        "of four is not known"
    )


def test_a_comparison_draws_its_differences(weighed):
    _, differences = weighed({"old": LOW, "new": HIGH})
    plot = differences.plot()
    assert plot.picture.caption == "Differences in Given; filled: told apart by the test"
    assert plot._repr_svg_().count("new − old") == 1 or plot._repr_svg_().count("old − new") == 1
    assert "Diferencia en Given" in differences.plot("Given", language="es").picture.svg
    with pytest.raises(SpecError, match=r"no difference in 'P@5' to draw; the metrics compared: Given"):
        differences.plot("P@5")
    with pytest.raises(SpecError, match="compare two runs"):
        type(differences)().plot()


def test_the_numbers_of_effects_stand_on_white_ground_as_the_names_do(subject):
    """No line crosses a label: before each text above the axis stands a white rectangle that is as wide."""
    svg = paper_figure(subject, "effects").svg
    for text in ("new − old", r"\+0.200"):
        rectangle = r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="12" fill="#fff"/>'
        ground = re.search(f"{rectangle}<text[^>]*>{text}", svg)
        assert ground, text
        assert float(ground[1]) + float(ground[2]) <= COLUMN


def test_names_from_right_to_left_stay_on_their_side_of_the_minus(weighed):
    """Without isolates, a browser would draw the second name first, and the difference would have the wrong sign."""
    subject = Subject(*weighed({"קדם": LOW, "אחר": HIGH}), "Given")
    _, texts = drawn(subject, "effects")
    assert "\u2068אחר\u2069 − \u2068קדם\u2069" in texts


@pytest.mark.parametrize(
    ("options", "interval", "key"),
    [
        ({}, "95 % interval of one comparison", "told apart after Holm's correction"),
        ({"correction": "bonferroni"}, "95 % interval of one comparison", "told apart after Bonferroni's correction"),
        ({"correction": "none"}, "95 % interval", "told apart by the test"),
        ({"test": "tukey"}, "95 % interval of all comparisons at once", "told apart after Tukey's correction"),
    ],
)
def test_effects_name_the_correction_because_an_interval_may_exclude_zero_beside_a_hollow_mark(
    weighed, options, interval, key
):
    """The intervals of all tests but Tukey's are of one comparison; marks are filled by the corrected p."""
    scores, differences = weighed({"old": LOW, "new": HIGH, "mid": [*HIGH[:3], *LOW[3:]]}, **options)
    subject = Subject(scores, differences, "Given")
    words = " ".join(drawn(subject, "effects")[1])
    assert any(d.better for d in differences)
    assert f"Difference in Given, {interval}; filled: {key}" in words
    assert f"filled: {key}" in paper_figure(subject, "effects").caption
    none_apart = [replace(d, better="", p_adjusted=0.06) for d in differences]
    hollow = paper_figure(Subject(scores, none_apart, "Given"), "effects").caption
    assert "filled" not in hollow
    assert (f"none {key}" in hollow) is (options != {"correction": "none"})
