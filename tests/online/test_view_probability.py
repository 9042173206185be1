import numpy as np
import pytest

from neraca.errors import InputError
from neraca.online.view_probability import read_views, view_probability


def table(path, rows, header="session,query,rank,seen"):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_views_and_continuation_by_hand(tmp_path):
    """Rank 1: 3 of 4 looked; rank 2: 1 of 2 of those who were shown it; C(1) = 1/2 / 3/4."""
    rows = ["a,q,1,1", "a,q,2,1", "b,q,1,1", "b,q,2,0", "c,q,1,1", "d,q,1,0"]
    found = read_views(table(tmp_path / "views.csv", rows))
    assert found.views.value == pytest.approx([3 / 4, 1 / 2])
    assert found.continuation.value == pytest.approx([2 / 3])
    assert found.shown.tolist() == [4, 2]
    assert found.sessions == 4
    assert found.views.low[0] == pytest.approx(0.3006, abs=1e-4)  # Wilson's for 3 of 4


def test_without_sessions_each_row_counts_by_itself(tmp_path):
    found = read_views(table(tmp_path / "views.csv", ["1,1", "1,0", "2,1"], "rank,seen"))
    assert (found.views.value.tolist(), found.sessions, found.by_session) == ([0.5, 1.0], 3, False)


def test_seconds_count_from_the_threshold(tmp_path):
    rows = ["a,q,1,0.1", "a,q,2,0.05", "b,q,1,2", "b,q,2,0.3"]
    file = table(tmp_path / "views.csv", rows, "session,query,rank,seconds")
    assert read_views(file).views.value == pytest.approx([1, 0.5])
    assert read_views(file, seen_from=0.5).views.value == pytest.approx([0.5, 0])


def test_sessions_with_many_rows_widen_the_interval():
    """The same 400 looks by 20 sessions that always look alike say less than by 400 sessions."""
    seen = np.repeat([1.0, 0.0], 200)
    rank = np.zeros(400, dtype=np.int64)
    alone = view_probability(np.arange(400), rank, seen).views
    together = view_probability(np.arange(400) // 20, rank, seen).views
    assert (together.high - together.low)[0] > 3 * (alone.high - alone.low)[0]


def test_the_interval_of_c_holds_what_made_the_table():
    """90 % of those who look at rank 1 look at rank 2."""
    rng = np.random.default_rng(1)
    first = rng.random(2000) < 0.8
    second = first & (rng.random(2000) < 0.9)
    session, rank = np.tile(np.arange(2000), 2), np.repeat([0, 1], 2000)
    found = view_probability(session, rank, np.concatenate([first, second]).astype(float)).continuation
    assert found.low[0] < 0.9 < found.high[0]
    assert found.high[0] - found.low[0] == pytest.approx(2 * 1.96 * np.sqrt(0.9 * 0.1 / 1600), rel=0.15)


@pytest.mark.parametrize(
    "rows, header, message",
    [
        (["a,1"], "session,seen", r'no column "rank" \(found: session, seen\)'),
        (["a,1"], "session,rank", r'no column "seen \(0 or 1\) or seconds"'),
        (["a,0,1"], "session,rank,seen", r"line 2: rank must be a whole number from 1 to 1000, not '0'"),
        (["a,first,1"], "session,rank,seen", "line 2: rank must be a whole number from 1 to 1000, not 'first'"),
        (["a,1,0.7"], "session,rank,seen", "line 2: seen must be 0 or 1, not '0.7'"),
        (["a,1,long"], "session,rank,seconds", "line 2: seconds must be a number, at least 0, not 'long'"),
        ([], "session,rank,seen", "the table has no rows"),
    ],
)
def test_broken_tables(tmp_path, rows, header, message):
    with pytest.raises(InputError, match=message):
        read_views(table(tmp_path / "views.csv", rows, header))
