import numpy as np
import polars as pl
import pytest
from online.click_models.simulated import blocks, lists_of_pairs, searches

from neraca.errors import InputError, SpecError
from neraca.online.click_models import click_log as module
from neraca.online.click_models.click_log import ClickLogOptions, click_log, normal_query


def frame(rows):
    """Searches of (user, query, shown, clicked)."""
    users, queries, shown, clicked = zip(*rows, strict=True)
    columns = {"user": users, "session": users, "query": queries, "shown": shown, "clicked": clicked}
    return pl.DataFrame(columns, schema_overrides={"shown": pl.List(pl.String), "clicked": pl.List(pl.Int64)})


ROWS = [
    ("ana", "Red shoes", ["a", "b", "c"], [2, 1, 2]),
    ("budi", "red  SHOES", ["a", "b", "c"], [1, 2]),
    ("citra", "red shoes", ["b", "a"], [3]),
    ("dewi", "hats", ["a", "", "c"], [1, 3]),
    ("eka", "hats", ["", "a"], [2]),
    ("fajar", "hats", [], []),
]


def test_counts_by_hand():
    """Twice the list a b c with clicks on a and b (a second click is none more); c below a gap is not used."""
    log = click_log([frame(ROWS)], ClickLogOptions(depth=3, held_out=0))
    assert list(zip(log.queries, log.documents, strict=True)) == [
        ("hats", "a"),
        ("red shoes", "a"),
        ("red shoes", "b"),
        ("red shoes", "c"),
    ]
    fitted = log.fitted
    cells = zip(fitted.pair, fitted.rank, fitted.impressions, fitted.clicks, strict=True)
    assert sorted(cells) == [(0, 0, 1, 1), (1, 0, 2, 2), (1, 1, 1, 0), (2, 0, 1, 0), (2, 1, 2, 2), (3, 2, 2, 0)]
    patterns = {
        (tuple(pairs), tuple(np.flatnonzero(clicks))): times
        for block in fitted.blocks()
        for pairs, clicks, times in zip(*block, strict=True)
    }
    assert patterns == {((0, -1, -1), (0,)): 1, ((1, 2, 3), (0, 1)): 2, ((2, 1, -1), ()): 1}
    assert (fitted.searches, log.held_out.searches) == (4, 0)
    assert log.left_out == {"empty": 1, "gap": 1}
    assert log.searches_of_query.tolist() == [1, 3]


def test_blocks_make_no_difference(monkeypatch):
    rng = np.random.default_rng(0)
    pairs = lists_of_pairs(rng, 600, 5, 4)
    clicks = rng.random(pairs.shape) < 0.3
    options = ClickLogOptions(depth=4, held_out=0.3)
    whole = click_log([searches(pairs, clicks)], options)
    monkeypatch.setattr(module, "SEARCHES_AT_ONCE", 50)
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    monkeypatch.setattr(module, "BLOCK", 7)
    parts = click_log(blocks(pairs, clicks, 120), options)
    for name in ("pair", "rank", "impressions", "clicks", "lists", "list_of", "mask", "count"):
        for of in ("fitted", "held_out"):
            assert np.array_equal(getattr(getattr(whole, of), name), getattr(getattr(parts, of), name)), name
    assert sum(len(block.times) for block in parts.fitted.blocks()) == len(parts.fitted.count)


def test_sessions_are_held_out_whole_and_by_the_seed():
    rng = np.random.default_rng(0)
    pairs = lists_of_pairs(rng, 1000, 5, 4)
    found = searches(pairs, rng.random(pairs.shape) < 0.3, sessions=300)
    log = click_log([found], ClickLogOptions(held_out=0.25))
    assert log.held_out.searches + log.fitted.searches == 1000
    assert 0.18 < log.held_out.searches / 1000 < 0.32
    one_user = found.with_columns(user=pl.lit("u"), session=pl.lit("s"))
    alone = click_log([one_user], ClickLogOptions(held_out=0.25))
    assert 0 in (alone.held_out.searches, alone.fitted.searches)
    other = click_log([found], ClickLogOptions(held_out=0.25, seed=1))
    assert other.held_out.searches != log.held_out.searches


def test_the_counts_of_some_queries():
    log = click_log([frame(ROWS)], ClickLogOptions(depth=3, held_out=0))
    hats = log.fitted.of_pairs(log.query == 0)
    assert (hats.searches, hats.impressions.sum(), hats.count.sum()) == (1, 1, 1)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([("ana", "q", [], [])], "no search of the log shows a document"),
        ([("ana", "q", ["a"], [])], "no document shown in the log was clicked"),
    ],
)
def test_a_log_without_what_is_needed(rows, message):
    with pytest.raises(InputError, match=message):
        click_log([frame(rows)], ClickLogOptions(held_out=0))


def test_options_that_make_no_sense():
    with pytest.raises(SpecError, match="--depth must be from 2 to 60"):
        ClickLogOptions(depth=1)
    with pytest.raises(SpecError, match="--held-out must be a share"):
        ClickLogOptions(held_out=1)


def test_queries_are_compared_without_case_and_spaces():
    assert normal_query(" Ｒed\tSHOES ") == "red shoes"
