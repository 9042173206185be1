"""A rater's table, as it was written and as spreadsheets mangle it."""

import math
from datetime import UTC, datetime, timedelta

import openpyxl
import pytest

from neraca.errors import InputError
from neraca.people.rating_table import MEASURES, columns_by_measure, read_rating_table, unread_columns

HEAD = (
    "query_id,question,category,results_count,relevant_count,first_relevant_rank,overall_precision,precision_at_5,mrr,"
    "success,response_quality,notes\n"
)
LINES = """\
1,Carikan rumah dijual di daerah cemara,location_simple,5,4,1,0.80,0.80,1.00,1,4,
2,Carikan rumah dijual di daerah ringroad,location_simple,5,5,1,1.00,1.00,1.00,1,5,
3,apakah ada gudang di KIM?,property_type,0,0,,,,0,1,0,no data exists
4,cari rumah di cemara,location_simple,0,0,,,,0,0,0,should have results
5,cari rumah harga 1M di cemara,location_price,5,3,2,0.60,0.60,0.50,1,3,
"""


def means(path):
    measures = columns_by_measure(read_rating_table(path))
    kept = {name: [value for value in values if not math.isnan(value)] for name, values in measures.items()}
    return {name: round(sum(values) / len(values), 4) for name, values in kept.items() if values}


THESIS = dict(zip(MEASURES, (0.8, 0.8, 0.8333, 0.8, 0.6, 2.4), strict=True))


def test_the_numbers_of_the_thesis(tmp_path):
    """Precision and MRR over three answers with results, success, coverage and quality over all five."""
    (tmp_path / "ana.csv").write_text(HEAD + LINES, encoding="utf-8")
    assert means(tmp_path / "ana.csv") == THESIS
    assert [line.problems for line in read_rating_table(tmp_path / "ana.csv")] == [[]] * 5


def test_semicolons_decimal_commas_and_a_byte_order_mark(tmp_path):
    mangled = (HEAD + LINES).replace(",", ";").replace(".", ",")
    (tmp_path / "ana.csv").write_text(mangled, encoding="utf-8-sig")
    assert means(tmp_path / "ana.csv") == THESIS


def test_a_workbook_with_moved_columns_and_other_headings(tmp_path):
    book = openpyxl.Workbook()
    rows = [line.split(",") for line in (HEAD + LINES).splitlines()]
    for row in rows:
        moved = [*reversed(row)]
        book.active.append([float(c) if c.replace(".", "").isdigit() else c or None for c in moved])
    book.active["L1"], book.active["K1"], book.active["J1"] = "nomor_pertanyaan", "Pertanyaan", "Kategori"
    book.save(tmp_path / "ana.xlsx")
    assert means(tmp_path / "ana.xlsx") == THESIS
    assert read_rating_table(tmp_path / "ana.xlsx")[0].texts["category"] == "location_simple"


def test_grades_by_rank_say_all_counts(tmp_path):
    (tmp_path / "a.csv").write_text(
        "query_id,results_count,ratings,notes\n1,7,0;1;1;0;0;1;2,far; x\n", encoding="utf-8"
    )
    (line,) = read_rating_table(tmp_path / "a.csv")
    assert line.grades == (0, 1, 1, 0, 0, 1, 2)
    assert line.measures() == pytest.approx(
        {"precision_at_5": 2 / 5, "overall_precision": 4 / 7, "mrr": 1 / 2, "success": 1, "coverage": 1}
    )


@pytest.mark.parametrize(
    "cells, told",
    [
        ("5,4,2,0.5,0.8,0.5,1,4", "overall_precision is 0.5, but the counts give 0.8"),
        ("5,4,2,0.8,0.8,1,1,4", "mrr is 1, but the counts give 0.5"),
        ("5,4,1,0.8,0.8,1,0,4", "success is 0, but the counts give 1"),
        ("5,6,1,,,,,4", "6 relevant of 5 results; the number of relevant ones is left out"),
        ("5,4,1,0.8,0.8,1,1,7", "response_quality is 7, which is out of its range"),
        ("five,4,1,0.8,0.8,1,1,4", "results_count is 'five', which is no number"),
    ],
)
def test_what_contradicts_or_cannot_be_read_is_told_and_the_rest_taken(tmp_path, cells, told):
    (tmp_path / "a.csv").write_text(f"{HEAD}1,q,c,{cells},\n", encoding="utf-8")
    (line,) = read_rating_table(tmp_path / "a.csv")
    assert any(told in problem for problem in [*line.problems, *line.contradictions()])
    assert line.texts["question"] == "q"


def test_a_line_whose_counts_cannot_be_spoils_no_other(tmp_path, cli):
    """8 grades for 5 results, 6 relevant of 5, a first rank of 0.5 and a cell with NaN; the other line has all."""
    head = "query_id,question,results_count,relevant_count,first_relevant_rank,response_quality,ratings\n"
    lines = "1,a,5,,,5,1;1;1;1;1;1;1;1\n2,b,5,6,,4,\n3,c,5,,0.5,NaN,\n4,d,2,,,3,1;0\n"
    (tmp_path / "ana.csv").write_text(head + lines, encoding="utf-8")
    assert means(tmp_path / "ana.csv") == {
        "overall_precision": 0.5, "precision_at_5": 0.2, "mrr": 1, "success": 1, "coverage": 1, "response_quality": 4,
    }  # fmt: skip
    called = cli("rate", "score", tmp_path / "ana.csv")
    assert "8 ratings for 5 results; the ratings are left out" in called.err
    assert "first_relevant_rank is below 1" in called.err
    assert "overall_precision" in called.out


def test_columns_that_are_not_read_are_named_with_those_that_may_be_meant(tmp_path):
    (tmp_path / "a.csv").write_text("label,query_id,results_count,rating,colour\n1a,1,3,1;0;1,red\n", encoding="utf-8")
    assert unread_columns(tmp_path / "a.csv") == [
        "the column 'rating' is not read: did you mean ratings?",
        "columns that are not read, because a table of ratings has no such ones: colour",
    ]
    (tmp_path / "b.csv").write_text(HEAD + LINES, encoding="utf-8")
    assert unread_columns(tmp_path / "b.csv") == []


def test_a_table_that_says_nothing_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("question,answer\nq,a\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a table of ratings: it needs a column results_count"):
        read_rating_table(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "written, read",
    [
        ("2026-01-31T09:30:00.123Z", "2026-01-31T09:30:00.123Z"),
        ("2026-01-31T11:30:00+02:00", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31 09:30:00", "2026-01-31T09:30:00.000Z"),
    ],
)
def test_the_time_of_a_line_is_read_as_utc(tmp_path, written, read):
    file = tmp_path / "ana.csv"
    file.write_text(f"query_id,response_quality,rated_at\n1,4,{written}\n2,4,yesterday\n", encoding="utf-8")
    lines = read_rating_table(file)
    assert lines[0].texts["rated_at"] == read
    assert "which is no time" in lines[1].problems[0]


def test_a_time_in_the_future_is_left_out(tmp_path):
    """Else no later correction would count.  Half a day ahead may be a clock of another zone."""
    soon, later = (datetime.now(UTC) + timedelta(hours=hours) for hours in (12, 48))
    file = tmp_path / "ana.csv"
    file.write_text(f"query_id,response_quality,rated_at\n1,4,{soon.isoformat()}\n2,4,{later.isoformat()}\n")
    lines = read_rating_table(file)
    assert [("rated_at" in line.texts, len(line.problems)) for line in lines] == [(True, 0), (False, 1)]
    assert "which is in the future" in lines[1].problems[0]


@pytest.mark.parametrize("top, taken", [("1", None), ("1.0", None), ("3", (1, 2)), ("", (1, 2))])
def test_a_grade_above_those_of_the_template_is_no_grade(tmp_path, top, taken):
    """A slip of the finger must not make a scale of yes and no."""
    (tmp_path / "a.csv").write_text(f"query_id,results_count,ratings,top_grade\n1,2,1;2,{top}\n", encoding="utf-8")
    (line,) = read_rating_table(tmp_path / "a.csv")
    assert line.grades == taken
    problem = "ratings is '1;2', but a grade is at most 1 (top_grade), so 2 is no grade here; "
    problem += "the ratings of this line's results are ignored"
    assert line.problems == ([] if taken else [problem])
