"""The order in which a rater sees tasks, and what comes twice."""

import pytest

from neraca.errors import SpecError
from neraca.people.rater_order import ordered
from neraca.people.rating_task import RatedHit, RatingTask

TASKS = [RatingTask(id=f"t{n}", number=n, query="?", hits=(RatedHit(key=f"k{n}"),)) for n in range(20)]


def ids(tasks):
    return [task.id for task in tasks]


def test_each_rater_has_an_order_that_stays():
    ana = ids(ordered(TASKS, "ana"))
    assert sorted(ana) == sorted(ids(TASKS))
    assert ana != ids(TASKS)
    assert ana == ids(ordered(TASKS[::-1], "ana")), "however the tasks were listed"
    assert ana != ids(ordered(TASKS, "budi"))
    assert ana != ids(ordered(TASKS, "ana", seed=1))
    assert [one for one in ana if one != "t7"] == ids(ordered([t for t in TASKS if t.id != "t7"], "ana"))


@pytest.mark.parametrize("share, often", [(0, 0), (0.01, 1), (0.1, 2), (0.15, 3), (0.5, 10)])
def test_a_share_comes_again_half_of_all_tasks_later(share, often):
    seen = ids(ordered(TASKS, "ana", repeat=share))
    again = [one for one in seen if one.endswith("~2")]
    assert len(again) == often == len(seen) - 20
    firsts = [one for one in seen if not one.endswith("~2")]
    assert firsts == ids(ordered(TASKS, "ana")), "the others keep their order"
    for one in again:
        assert seen.index(one) - seen.index(one.removesuffix("~2")) >= 10


def test_hits_of_a_second_time_have_keys_of_their_own():
    second = next(task for task in ordered(TASKS, "ana", repeat=0.1) if task.id.endswith("~2"))
    assert second.hits[0].key == f"k{second.number}~2"


@pytest.mark.parametrize("count, again", [(1, 0), (2, 1), (3, 1)])
def test_few_tasks(count, again):
    assert len(ordered(TASKS[:count], "ana", repeat=0.5)) == count + again


@pytest.mark.parametrize("share", [-0.1, 0.6, float("nan")])
def test_another_share_is_refused(share):
    with pytest.raises(SpecError, match="from 0 to half"):
        ordered(TASKS, "ana", repeat=share)
