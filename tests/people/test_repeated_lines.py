"""An answer that several lines of a rater's table rate counts once, as on import."""

from neraca.people.rating_table import columns_by_measure, read_rating_table
from neraca.people.repeated_lines import merge_repeated

HEADINGS = "query_id,results_count,ratings,response_quality,notes,answer,rater,rated_at\n"


def merged(tmp_path, *lines):
    """The merged lines of a table, the notes and the problems."""
    file = tmp_path / "ratings.csv"
    file.write_text(HEADINGS + "".join(f"{line}\n" for line in lines))
    return merge_repeated(read_rating_table(file))


def test_a_repeated_line_counts_once_and_lines_without_an_answer_stay(tmp_path):
    lines, notes, problems = merged(
        tmp_path, "1,2,1;0,4,,x,Ana,", "1,2,1;0,4,,x,Ana,", "1,2,1;0,4,,,Ana,", "1,2,1;0,4,,,Ana,"
    )
    assert len(lines) == 3
    assert (notes, problems) == (["line 2 and line 3 rate the same answer; it counts once"], [])


def test_two_raters_of_one_answer_are_two_lines(tmp_path):
    lines, notes, _ = merged(tmp_path, "1,2,1;0,4,,x,Ana,", "1,2,1;0,4,,x,Budi,")
    assert (len(lines), notes) == (2, [])


def test_what_lines_of_one_time_contradict_is_left_out_and_the_others_stay(tmp_path):
    (line,), _, (problem,) = merged(tmp_path, "1,2,1;0,4,,x,Ana,", "1,2,1;0,3,,x,Ana,")
    assert line.grades == (1, 0)
    assert "response_quality" not in line.measures()
    assert problem.startswith("line 2 and line 3 contradict each other on the same answer in response_quality; neither")
    (line,), _, (problem,) = merged(tmp_path, "1,2,1;0,4,,x,Ana,", "1,2,0;0,4,,x,Ana,")
    assert line.measures() == {"response_quality": 4, "coverage": 1}
    assert "in ratings; neither" in problem
    (line,), _, (problem,) = merged(tmp_path, "1,0,,,no data exists,x,,", "1,0,,,should have results,x,,")
    assert line.measures() == {"coverage": 0}
    assert "in notes; neither" in problem


def test_the_latest_line_counts(tmp_path):
    lines, notes, problems = merged(
        tmp_path, "1,2,1;0,4,,x,Ana,2026-01-02T00:00:00Z", "1,2,1;0,1,,x,Ana,2026-01-01T00:00:00Z"
    )
    assert columns_by_measure(lines)["response_quality"] == [4]
    assert (notes, problems) == (["line 2 and line 3 rate the same answer; the latest counts"], [])
