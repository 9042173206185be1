"""The layout of tables in Word: on the page that they need, with columns that break no number."""

import itertools

import pytest

from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.cell_parts import with_parts_apart
from neraca.reports.formats.table_layout import LETTER, SPACE, TURNED, UPRIGHT, lay_out, printed
from neraca.result import Parts, Table


def table(columns, length=5, names=1, rows=1):
    return Table(
        ("Run", *(f"m{n}" for n in range(columns))), [("new", *(["1" * length] * columns))] * rows, names=names
    )


def test_a_narrow_table_is_no_wider_than_it_needs():
    (layout,) = lay_out(table(3))
    assert not layout.turned
    assert sum(layout.widths) < UPRIGHT / 2


def test_a_wide_table_turns_its_page_if_it_fills_it():
    (layout,) = lay_out(table(6, length=12, rows=13))  # 6 columns of 12 letters are 16.2 cm
    assert layout.turned
    assert UPRIGHT < sum(layout.widths) <= TURNED


def test_a_short_table_that_is_wider_than_a_turned_page_stands_in_parts_on_upright_ones():
    layouts = lay_out(table(10, length=12, rows=12))
    assert [len(layout.table.columns) for layout in layouts] == [6, 6]
    assert not any(layout.turned for layout in layouts)


def test_rows_become_columns_before_a_page_is_turned_and_what_all_say_stands_in_the_title():
    """Twelve columns of three pairs fit upright as three columns; twenty pairs do not."""
    columns = ("Metric", "Pair", "Result", *(f"number {n}" for n in range(9)))
    rows = [("P@5", f"{a} − {b}", "not told apart", *["−0.071 to 0.414"] * 9) for a, b in ("ab", "ac", "bc")]
    (layout,) = lay_out(Table(columns, rows, "Pairs of runs", names=3))
    assert layout.table.columns == ("Pair", "a − b", "a − c", "b − c")
    assert layout.table.title == "Pairs of runs. Metric: P@5. Result: not told apart."
    assert not layout.turned
    many = [("P@5", f"{n} − {n + 1}", "A better", *["−0.071 to 0.414"] * 9) for n in range(20)]
    assert len(lay_out(Table(columns, many, "Pairs of runs", names=3))[0].table.rows) == 20


def test_parts_of_a_table_are_numbered_and_notes_stand_below_the_last_only():
    layouts = printed(table(30, length=12, rows=20)._replace(title="Values. A note."))
    titles = [layout.table.title for layout in layouts]
    assert titles[0] == f"Values (1 of {len(layouts)})."
    assert titles[-1] == f"Values ({len(layouts)} of {len(layouts)}). A note."


def test_names_with_hyphens_wrap_before_a_page_is_turned():
    names = [f"hybrid-rrf-k60-bge-m3-int{n}" for n in range(6)]
    (layout,) = lay_out(Table(("Metric", *names), [("P@5", *["0.833"] * 6)] * 40))
    assert not layout.turned
    assert sum(layout.widths) <= UPRIGHT + 0.01


def test_a_wider_table_is_split_and_repeats_its_names():
    layouts = lay_out(table(20, length=12, rows=20))
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


def test_long_names_of_runs_leave_room_for_numbers():
    """Names may break: two columns of 5.1 cm and five of 1 cm are less than the 24.7 cm of a page."""
    layouts = lay_out(Table(("Pair", "Result", *"abcde"), [("w" * 70, "v" * 70 + " better", *["0.5"] * 5)], names=2))
    assert [len(layout.table.columns) for layout in layouts] == [7]
    assert min(layouts[0].widths[2:]) >= 1.04


def test_a_value_and_its_interval_stand_on_the_same_page():
    cells = [Cell("0.50", "−0.11 to 1.10"), *["−0.330 to −0.141"] * 5, Cell("0.50", "−0.11 to 1.10")]
    whole = Table(("Pair", "d", *"abcde", "effect"), [("w" * 26, *cells)], parts=Parts("", "", "interval"))
    for intervals in range(7):
        columns = ("Pair", *whole.columns[1 : 2 + intervals], "effect")
        row = ("w" * 26, *cells[: 1 + intervals], cells[-1])
        layouts = lay_out(with_parts_apart(whole._replace(columns=columns, rows=[row] * 2)))
        places = [layout.table.columns.index("effect") for layout in layouts if "effect" in layout.table.columns]
        (last,) = [layout.table.columns for layout in layouts if "effect" in layout.table.columns]
        assert last[places[0] + 1] == "interval", intervals


def test_a_table_without_rows_has_widths():
    (layout,) = lay_out(Table(("Run", "n"), []))
    assert len(layout.widths) == 2


def test_the_name_of_a_metric_has_room_for_its_capitals():
    """In 8 points of Liberation Sans, nDCG@10 is 39 points wide, 1.4 cm, beside 0.38 cm of margins of the cell."""
    columns = ("Metric", *(f"m{n}" for n in range(12)))
    for layout in lay_out(Table(columns, [("nDCG@10", *["−0.259 to −0.100"] * 12)] * 2)):
        assert layout.widths[0] >= 1.78


def test_each_part_has_the_legend_and_no_part_has_one_value_alone():
    names = [f"a-system-with-a-long-name-{n}" for n in range(4)]
    values = [f"value number {n}" for n in range(12)]
    rows = [(f"{a} − {b}", *["t(39) = −0.123"] * 12) for a, b in itertools.combinations(names, 2)] * 5
    parts = printed(Table(("Pair", *values), rows, "Pairs. Notes."))
    assert len(parts) > 1
    assert min(len(part.table.columns) for part in parts) > 2
    assert all(f"D: {names[3]}." in part.table.title for part in parts)
    assert ["Notes." in part.table.title for part in parts] == [*[False] * (len(parts) - 1), True]
    assert [name for part in parts for name in part.table.columns[1:]] == values


def test_cells_stand_on_one_line_before_headings_do():
    """Nine columns with long headings fill a turned page; the words of the first need 14 letters."""
    headings = ["result", *(f"a heading of many words {n}" for n in range(8))]
    rows = [["not told apart", *(f"{n}.{row} to {n}.{row}9" for n in range(8))] for row in range(10)]
    (layout,) = lay_out(Table(headings, rows, "Pairs.", 1))
    assert layout.turned
    assert layout.widths[0] >= 14 * LETTER + SPACE
    assert sum(layout.widths) <= TURNED + 1e-9


def test_an_n_that_is_the_same_in_every_row_goes_into_the_title_of_a_wide_table():
    rows = [[f"run-{n}", *(f"0.{n}{place} to 0.{n}{place}9" for place in range(7)), "1,050"] for n in range(30)]
    wide = Table(["run", *(f"m{place}" for place in range(7)), "n"], rows, "Values.", 1)
    (layout,) = lay_out(wide)
    assert layout.table.title == "Values. n: 1,050."
    assert "n" not in layout.table.columns
    differing = wide._replace(rows=[*rows[:-1], [*rows[-1][:-1], "9"]])
    assert lay_out(differing)[0].table.columns[-1] == "n"


def test_counts_that_are_all_zero_stand_in_the_notes_of_a_table_that_is_too_wide():
    names = [f"precision{n}" for n in range(8)]
    rows = [[f"run {n}", *[f"0.{n}"] * 8, "0"] for n in range(10)]
    (layout,) = lay_out(Table(("Run", *names, "Unscored"), rows, "Counts"))
    assert list(layout.table.columns) == ["Run", *names]
    assert layout.table.title == "Counts. Unscored: 0."
    rows[3][-1] = "1"
    assert "Unscored" in lay_out(Table(("Run", *names, "Unscored"), rows, "Counts"))[0].table.columns
