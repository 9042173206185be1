"""The layout of tables in Word: on the page that they need, with columns that break no number."""

import pytest

from neraca.reports.formats.word_layout import TURNED, UPRIGHT, lay_out
from neraca.result import Table


def table(columns, length=5, names=1):
    return Table(("Run", *(f"m{n}" for n in range(columns))), [("new", *(["1" * length] * columns))], names=names)


def test_a_narrow_table_is_no_wider_than_it_needs():
    (layout,) = lay_out(table(3))
    assert not layout.turned
    assert sum(layout.widths) < UPRIGHT / 2


def test_a_wide_table_turns_its_page():
    (layout,) = lay_out(table(6, length=12))  # 6 columns of 12 letters are 16.2 cm
    assert layout.turned
    assert UPRIGHT < sum(layout.widths) <= TURNED


def test_a_wider_table_is_split_and_repeats_its_names():
    layouts = lay_out(table(20, length=12))
    assert len(layouts) == 3
    assert [layout.table.columns[0] for layout in layouts] == ["Run"] * 3
    assert [name for layout in layouts for name in layout.table.columns[1:]] == [f"m{n}" for n in range(20)]
    assert max(sum(layout.widths) for layout in layouts) <= TURNED


def test_long_texts_wrap_on_an_upright_page():
    words = Table(("Metric", "Meaning"), [("nDCG", "a word and another " * 20)], names=2)
    (layout,) = lay_out(words)
    assert not layout.turned
    assert sum(layout.widths) == pytest.approx(UPRIGHT)
    assert layout.widths[1] > 4 * layout.widths[0]


def test_an_endless_name_does_not_widen_the_page():
    (layout,) = lay_out(Table(("Run", "n"), [("w" * 500, "5")]))
    assert sum(layout.widths) <= TURNED + 0.01


def test_a_table_without_rows_has_widths():
    (layout,) = lay_out(Table(("Run", "n"), []))
    assert len(layout.widths) == 2


def test_the_name_of_a_metric_has_room_for_its_capitals():
    """In 8 points of Liberation Sans, nDCG@10 is 39 points wide, 1.4 cm, beside 0.38 cm of margins of the cell."""
    columns = ("Metric", *(f"m{n}" for n in range(12)))
    for layout in lay_out(Table(columns, [("nDCG@10", *["−0.259 to −0.100"] * 12)])):
        assert layout.widths[0] >= 1.78
