"""Whether ranks count from 0 or from 1, told by the ranks of the log."""

import json

import pytest
from online.log_files import CLICK, SEARCH, read_log, write_log

from neraca.reports.online.log_contents import contents_sentences

AT = 1_767_261_600


def clicks_at(ranks):
    """A search of three documents for each rank, and a click there."""
    for n, rank in enumerate(ranks):
        which = {"user": f"u{n}", "session": f"u{n}", "search": f"q{n}"}
        yield from (SEARCH | which, CLICK | which | {"rank": str(rank)})


def clicked(rows):
    return sorted(rank for row in rows for rank in row["clicked"])


@pytest.mark.parametrize("stray", [[], ["-1"], ["x"]])
def test_ranks_whose_smallest_is_0_count_from_0(tmp_path, stray):
    path = write_log(tmp_path / "log.csv", [*clicks_at([0] * 6 + [1] * 4 + [2] * 2 + stray)])
    rows, left_out, log = read_log(path)
    assert (clicked(rows), left_out) == ([1] * 6 + [2] * 4 + [3] * 2, {"bad_rank": 1} if stray else {})
    assert any("Ranks were read as counted from 0" in text for text in contents_sentences(log.contents, ()))
    rows, left_out, log = read_log(path, first_rank=1)
    assert (clicked(rows), left_out) == ([1] * 4 + [2] * 2, {"bad_rank": 6 + len(stray)})
    assert not any("Ranks" in text for text in contents_sentences(log.contents, ()))


@pytest.mark.parametrize(
    ("ranks", "zeros"),
    [
        ([0] * 4 + [1] * 4 + [2] * 2, 4),  # too few to change all others
        ([0] * 5 + [1] * 11 + [2] * 2, 5),  # fewer than half as many as at rank 1
        ([0] * 9 + [1] * 9 + [2] * 4 + [3] * 2, 9),  # rank 3 of three documents exists only if ranks count from 1
    ],
)
def test_ranks_of_0_among_ranks_from_1_are_left_out_and_counted(tmp_path, ranks, zeros):
    rows, left_out, log = read_log(write_log(tmp_path / "log.csv", [*clicks_at(ranks)]))
    assert (clicked(rows), left_out) == (ranks[zeros:], {"bad_rank": zeros})
    (bad,) = log.exclusions
    assert "--first-rank 0" in bad.remedy
    assert str(bad.example) == "row 3"


def test_positions_in_the_cell_of_a_search_count_from_0_too(tmp_path):
    path = tmp_path / "log.jsonl"
    row = {"shown": ["d1", "d2", "d3"], "time": AT, "variant": "A"}
    cells = [[0], [0, 1], [0, 2], [0], [1, 0], []]
    path.write_text("\n".join(json.dumps(row | {"user": n, "clicked_positions": c}) for n, c in enumerate(cells)))
    rows, left_out, _ = read_log(path)
    assert (clicked(rows), left_out) == ([1] * 5 + [2] * 2 + [3], {})


def test_a_flag_for_each_document_has_no_number(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"user": "u", "shown": ["d1", "d2", "d3"], "time": AT, "clicked": [0, 1, 0]}))
    assert [clicked(read_log(path, first_rank=first)[0]) for first in (None, 0, 1)] == [[2], [2], [2]]


def test_a_number_in_place_of_the_rank_of_a_search_is_no_rank(tmp_path):
    """Tables of whole numbers have 0 where there is no rank."""
    log = [row | ({"rank": "0"} if row["action"] == "search" else {}) for row in clicks_at([1] * 6)]
    rows, left_out, _ = read_log(write_log(tmp_path / "log.csv", log))
    assert (clicked(rows), left_out) == ([1] * 6, {})
