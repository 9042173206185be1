"""The charts of the explorer: six questions with known values of P@5, and drawings that say in words what they show."""

import math
import re
from contextlib import closing
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from builders import make_run
from web.test_question_filters import PATHS, done, six_questions

from neraca.number_format import seconds_on_axis
from neraca.records import Answer, Item
from neraca.reports.figures import svg
from neraca.reports.figures.difference_histogram import bars_of_differences, difference_histogram
from neraca.reports.figures.labels import text_width
from neraca.reports.figures.trade_off import Effort, trade_off, undominated
from neraca.reports.formats.explorer import explorer_page
from neraca.web.choices import Option
from neraca.web.facts_store import FactsStore
from neraca.web.measures import Measures
from neraca.web.question_facts import question_facts
from neraca.web.run_history import _heat_values, history_view
from neraca.web.run_index import RunIndex


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = RunIndex(six_questions(tmp_path_factory.mktemp("charts")))
    made.begin = lambda write, *given: done(write(*given))
    yield made
    made.close()


def view(index, **heat):
    return history_view(index, FactsStore(index), PATHS, "", heat)


def test_a_heat_map_has_the_mean_of_each_metric_in_each_category(index):
    heat = view(index, of="0")["heat"]
    place = heat.metrics.index(("Precision@5", "P@5"))
    category, n, cells = heat.rows[0]
    assert (category, n, len(heat.rows)) == ("a", 6, 1)
    assert cells[place].text == "0.133", "0.8 / 6"
    newest = view(index)["heat"].rows[0][2]
    assert newest[place].text == "0.067", "0.4 / 6"
    apart = view(index, of="difference")["heat"].rows[0][2][place]
    assert (apart.text, apart.shade) == ("+0.067", "light"), "first − second, as in the table: the older one is better"


def test_names_from_right_to_left_move_nothing_beside_them_and_the_heat_map_names_its_cells_on_a_telephone(index):
    """Without isolation "אב − b" is read as b minus אב."""
    values = view(index, of="difference")
    values["differences"] = [("אב − new", values["differences"][0][1])]
    options = [Option("difference", "אב − new")]
    values["heat_choices"] = [replace(choice, options=options) for choice in values["heat_choices"]]
    page = explorer_page("history", "Charts", **values)
    assert "<figcaption><bdi>אב</bdi> − new</figcaption>" in page
    assert ">\u2068אב\u2069 − new" in page
    assert '<span class="of">Precision@5</span> +0.067</td>' in page
    assert svg.text("0", 1, "אב 0.5") == '<text x="0" y="1">\u2068אב\u2069 0.5</text>'
    assert "run <bdi>אב</bdi>: damaged" in explorer_page("message", "Damaged", message="run אב: damaged")


def test_a_heat_map_has_every_metric_and_says_which_have_no_colour(tmp_path):
    metrics = (*(f"P@{n}" for n in range(1, 13)), "DCG@10")
    folder = six_questions(tmp_path)
    facts = question_facts([folder / run for run in PATHS], Measures(metrics))
    with closing(RunIndex(folder)) as made:
        made.begin = lambda write, *given: done(write(*given))
        heat = _heat_values(facts, FactsStore(made).lists.of(PATHS), {"of": "0"})["heat"]
    assert (len(heat.metrics), len(heat.rows[0][2]), heat.plain) == (13, 13, True)
    # Gain 1 at rank 1 for q1, q3 and q6; q6 has a second at rank 2: 1/log2(3) = 0.631; (3 + 0.631) / 6 = 0.605
    assert heat.rows[0][2][12] == ("0.605", "")
    assert heat.rows[0][2][0].shade


def test_differences_are_first_minus_second_as_in_the_table_and_without_seconds_nothing_is_drawn(index):
    charts = view(index)
    assert [heading for heading, _ in charts["differences"]] == ["old − new"]
    assert "Higher on 2 questions, equal on 3, lower on 1." in charts["differences"][0][1]
    assert charts["efforts"] == []
    assert [(row[0], row[2], row[4]) for row in charts["rows"]] == [("old", "0.133", 6), ("new", "0.067", 6)]


def test_seconds_are_the_median_of_answers_as_in_the_report(tmp_path):
    items = [Item(id=str(n), query="?", references=("red",)) for n in range(3)]
    for run, last in (("old", 0.9), ("new", 0.3)):
        times = [0.1, 0.2, 0.2, 0.2, last, last]  # two answers to each question; the means are 0.417 and 0.217 s
        answers = [Answer(item=str(n // 2), trial=n % 2, text="red", seconds=time) for n, time in enumerate(times)]
        make_run(tmp_path / run, items, answers, trials=2)
    with closing(RunIndex(tmp_path)) as made:
        made.begin = lambda write, *given: done(write(*given))
        (heading, drawn), *others = view(made)["efforts"]
    assert (heading, others) == ("TokenRecall against seconds", [])
    assert "old 1.000 for 200 ms; new 1.000 for 200 ms</desc>" in drawn
    assert "Seconds for an answer, median" in drawn


def rectangles(differences, **options):
    """Return the middle of each bar, in per cent of the width, and its hover text."""
    drawn = difference_histogram("d", "a − b", np.array(differences), **options)
    bars = re.findall(r'<rect[^>]* x="([\d.]+)%" width="([\d.]+)%"[^>]*><title>([^<]*)<', drawn)
    return [(float(x) + float(width) / 2, words) for x, width, words in bars]


def test_few_distinct_differences_have_a_bar_each_at_their_value():
    """0 stands at 53 % and the largest difference 40 % from there; 0.6 − 0.4 is 0.2 but for rounding."""
    places, words = zip(*rectangles([-0.2, 0.0, 0.6 - 0.4, 0.2, 0.4, math.nan]), strict=True)
    assert places == pytest.approx((33, 53, 73, 93), abs=0.011)
    assert words == ("1 question: −0.200", "1 question: equal", "2 questions: +0.200", "1 question: +0.400")
    assert [tuple(bar) for bar in bars_of_differences(np.zeros(3))] == [(0, 0, 3)]
    assert rectangles([math.nan]) == []


def test_many_or_close_differences_are_counted_in_equal_bins_whose_bars_stand_in_their_middle():
    bars = bars_of_differences(np.array([-0.4, -0.04, 0.0, 0.041, 0.4, math.nan]))
    assert [round(bar.high if bar.middle > 0 else bar.low, 9) for bar in bars] == [-0.4, -0.04, 0, 0.041, 0.4]
    close = rectangles([-0.4, 0.0, 0.041, 0.042, 0.4])
    assert [words for _, words in close] == [
        *("1 question: −0.400 to −0.360", "1 question: equal", "2 questions: +0.040 to +0.080"),
        "1 question: +0.360 to +0.400",
    ]
    assert close[2][0] == pytest.approx(53 + 40 * 0.06 / 0.4, abs=0.011)
    many = bars_of_differences(np.arange(-13, 14) / 13)
    assert sum(bar.questions for bar in many) == 27
    assert [bar.questions for bar in many if not bar.middle] == [1], "equal values are never counted with others"
    assert all(bar.low == bar.high for bar in bars_of_differences(np.arange(12) / 12))
    assert any(bar.low != bar.high for bar in bars_of_differences(np.arange(13) / 13))


def test_a_difference_is_coloured_by_what_is_better():
    assert 'class="worse"' not in difference_histogram("d", "a − b", np.array([0.5, 0.0]))
    assert 'class="better"' not in difference_histogram("d", "a − b", np.array([0.5, 0.0]), higher_is_better=False)


def test_a_line_joins_the_runs_that_no_other_equals_for_less():
    runs = [Effort("slow", 3.0, 0.9, 0.8, 1.0), Effort("bad", 3.0, 0.5, 0.4, 0.6), Effort("fast", 1.0, 0.5, 0.4, 0.6)]
    assert undominated(runs) == [0, 2]
    assert undominated(runs, higher_is_better=False) == [2]
    assert undominated([runs[0], runs[0]]) == [0, 1], "equal runs do not beat each other"
    drawn, numbered = trade_off("t", ("P@5", "Seconds"), runs, (0, 1), lambda value: f"{value:g} s", best=[0])
    assert not numbered
    assert "slow 0.900 for 3 s; bad 0.500 for 3 s; fast 0.500 for 1 s</desc>" in drawn
    assert drawn.count('class="dot strong"') == 1, "a colour means the best value, as in a report"
    assert drawn.count('class="grid joined"') == 1, "from fast to slow"


LONG = [f"rag-2025-{month:02}-gpt-4o-mini-prompt-v{month}" for month in range(1, 9)]


def places(drawn, width):
    """Return the boxes of the labels at the marks of a trade-off, in a drawing of this width."""
    label = r'translate\(([-\d.]+) 0\)"><text x="([\d.]+)%" y="([-\d.]+)" class="value" text-anchor="(\w+)">([^<]*)<'
    boxes = {}
    for shift, share, y, anchor, words in re.findall(label, drawn):
        x, size = float(share) * width / 100 + float(shift), text_width(words, 12)
        left = x - {"start": 0, "middle": size / 2, "end": size}[anchor]
        boxes[words] = (left, float(y) - 9, left + size, float(y))
    return boxes


@pytest.mark.parametrize("width", [340, 400, 700, 1000])
def test_marks_have_numbers_where_names_do_not_fit_and_no_number_lies_on_another(width):
    takes = [38, 36, 30, 40, 33, 53, 62, 33]
    runs = [
        Effort(name, time * 1e-6, 0.5 + 0.25 * (place % 2), 0.24 + 0.13 * (place % 2), 0.75 + 0.2 * (place % 2), place)
        for place, (name, time) in enumerate(zip(LONG, takes, strict=True), start=1)
    ]
    drawn, numbered = trade_off("t", ("P@5", "Seconds"), runs, (0, 1), lambda value: seconds_on_axis(value, 62e-6))
    boxes = places(drawn, width)
    assert numbered
    assert sorted(boxes) == [*"12345678"]
    assert [
        (one, other)
        for (one, a), (other, b) in combinations(boxes.items(), 2)
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ] == []
    ticks = re.findall(r">(\d+ µs)</text>", drawn)
    assert ticks == ["0 µs", "20 µs", "40 µs", "60 µs"]


def test_the_table_has_the_numbers_of_the_marks_and_stands_below_the_chart_if_names_are_long(tmp_path, index):
    items = [Item(id="1", query="?", references=("red",))]
    for run in LONG:
        make_run(tmp_path / run, items, [Answer(item="1", text="red", seconds=0.00003)])
    with closing(RunIndex(tmp_path)) as made:
        made.begin = lambda write, *given: done(write(*given))
        values = history_view(made, FactsStore(made), LONG)
    assert (values["numbered"], values["numbered_efforts"], values["below"]) == (True, True, True)
    page = explorer_page("history", "Charts", **values)
    assert f'<th scope="row"><span class="key">2</span> <bdi>{LONG[1]}</bdi></th>' in page
    assert '<div class="versions below">' in page
    assert re.findall(r'class="tick" text-anchor="middle">([^<]*)<', str(values["drawing"])) == [*"87654321"]
    short = view(index)
    assert (short["numbered"], short["numbered_efforts"], short["below"]) == (False, False, False)
    assert 'class="key"' not in explorer_page("history", "Charts", **short)
