from random import Random

import pytest

from neraca.stats.planning.systematic_sampling import draw_by_weight, inclusion_chances


def test_chances_add_up_to_the_number_drawn_and_are_those_of_the_drawn():
    # of 1, 2, 3, 10 and 3 draws: 10/16 · 3 is above 1; then 6 / 2 = 3 for each of two further draws, so 3/3 is 1, too
    assert inclusion_chances([1, 2, 3, 10], 3) == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert dict(draw_by_weight([1, 2, 3, 10], 3, Random(1))).items() <= {0: 1 / 3, 1: 2 / 3, 2: 1.0, 3: 1.0}.items()
    assert inclusion_chances([2, 0, 1], 5) == [1, 0, 1]


def test_each_is_drawn_as_often_as_its_chance_says():
    counts = [0, 0, 0]
    for seed in range(2000):
        for place, _ in draw_by_weight([1, 2, 5], 1, Random(seed)):
            counts[place] += 1
    assert [count / 2000 for count in counts] == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=0.03)
