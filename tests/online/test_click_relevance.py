import numpy as np
import pytest
from online.click_models.simulated import searches, simulated_log

from neraca.online.click_models.click_log import ClickLogOptions, click_log
from neraca.online.click_models.position_based import PositionBased
from neraca.online.click_relevance import click_relevance, click_verdicts, qrels_lines
from neraca.records import Item

LOOKS = np.array([1.0, 0.5, 0.25])


def test_coec_by_hand():
    """Click-through 3/4 at rank 1 and 1/4 at rank 2.

    d0 has 2 clicks where 2 · 3/4 + 2 · 1/4 = 2 were expected, d1 as many impressions at the same ranks, and 2 clicks.
    """
    pairs = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    clicks = np.array([[1, 0], [1, 0], [1, 0], [0, 0]], dtype=bool)
    log = click_log([searches(pairs, clicks)], ClickLogOptions(depth=2, held_out=0))
    assert click_relevance(log).value == pytest.approx([2 / 1.5, 1 / 1.5])
    half = click_log([searches(pairs, clicks)], ClickLogOptions(depth=2, held_out=0.5, seed=3))
    assert half.held_out.searches
    assert click_relevance(half).value == pytest.approx([2 / 1.5, 1 / 1.5])


def test_a_good_document_far_down_is_found_where_plain_clicks_would_miss_it():
    """In a ranking that is mostly fixed d2 attracts most, but stands last: few clicks, and the best value."""
    attraction = np.tile([0.2, 0.1, 0.6], 3)
    log = simulated_log(PositionBased(attraction, LOOKS, np.zeros(3)), 6000, 3, 3, moved=0.1)
    for how in ("coec", "pbm"):
        found = click_relevance(log, how)
        assert found.clicks[2] < found.clicks[0]
        assert [found.grade(pair) for pair in (0, 1, 2)] == [0, 0, 1]


def test_verdicts_find_items_by_their_words_or_by_their_id():
    pairs = np.tile([[0, 1, 2]], (30, 1))
    clicks = np.tile([[True, False, False]], (30, 1))
    shown = searches(pairs, clicks)
    rare = searches(np.array([[3, 4, 5]]), np.array([[True, False, False]]))
    log = click_log([shown, rare], ClickLogOptions(depth=3, held_out=0))
    items = [Item(id="1", query=" Q00000 "), Item(id="q00000", query="other"), Item(id="2", query="q00001")]
    found = click_verdicts(click_relevance(log), [*items, Item(id="3", query="nobody")])
    said = [(v.item, v.about, v.value, v.by, v.aspect) for v in found.verdicts]
    assert said == [(item, "hit:d000000", 1.0, "clicks:coec", "relevance") for item in ("1", "q00000")]
    assert (found.items, found.unknown) == (2, 1)
    assert found.too_few == 2 * 2 + 3  # two whose ranks got no click at all, for each of two items; three shown once
    assert found.verdicts[0].why.startswith("30 clicks on 30 impressions, 1.0")
    assert qrels_lines(click_relevance(log))[0] == "q00000 0 d000000 1"
