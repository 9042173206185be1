import numpy as np
import pytest

from neraca.stats.agreement.competence import competence, competence_intervals


def votes(rng, n, knows, likes=0.5):
    truth = (rng.random(n) < 0.5) * 1
    said = [np.where(rng.random(n) < p, truth, rng.random(n) < likes) for p in knows]
    thing, rater = np.tile(np.arange(n), len(knows)), np.repeat(np.arange(len(knows)), n)
    return thing, rater, np.concatenate(said).astype(np.int64)


def test_it_finds_how_often_each_knew():
    found = competence(*votes(np.random.default_rng(1), 2000, (0.9, 0.7, 0.4, 0.1)))
    assert np.abs(found - [0.9, 0.7, 0.4, 0.1]).max() < 0.06


def test_things_that_count_twice_are_as_things_that_are_there_twice():
    thing, rater, said = votes(np.random.default_rng(2), 30, (0.9, 0.6, 0.5))
    counts = np.where(np.arange(30) < 10, 2.0, 1.0)
    more = thing < 10
    twice = competence(np.append(thing, thing[more] + 30), np.append(rater, rater[more]), np.append(said, said[more]))
    assert np.abs(competence(thing, rater, said, counts) - twice).max() < 1e-3


@pytest.mark.slow
def test_intervals_hold_the_truth_most_times():
    rng, knows, held = np.random.default_rng(3), np.array([0.8, 0.6, 0.3, 0.5]), []
    for _ in range(6):
        drawn = votes(rng, 150, knows)
        low, high = competence_intervals(*drawn, np.arange(150), samples=40)
        held += ((low <= knows) & (knows <= high)).tolist()
    assert np.mean(held) > 0.75
