import numpy as np
import pytest

from neraca.stats.agreement.krippendorff import alpha_counts, krippendorff_alpha, squared_distances

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section D: four observers, twelve units, values
# missing; nominal .743, interval .849 (unit 12 has one value and is left out).
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1],
]
VOTES = np.array([[list(unit).count(value) for value in range(1, 6)] for unit in zip(*OBSERVERS, strict=True)], float)


@pytest.mark.parametrize("distances, alpha", [(None, 0.743), (squared_distances(np.arange(1.0, 6)), 0.849)])
def test_the_published_example(distances, alpha):
    sums = alpha_counts(VOTES, distances).sum(axis=0)
    assert float(krippendorff_alpha(sums, distances)) == pytest.approx(alpha, abs=5e-4)


def test_full_agreement_is_1_and_one_category_alone_tells_nothing():
    assert krippendorff_alpha(alpha_counts(np.array([[2.0, 0], [0, 3]])).sum(axis=0)) == 1
    assert np.isnan(krippendorff_alpha(alpha_counts(np.array([[2.0, 0], [3, 0]])).sum(axis=0)))


def test_many_samples_at_once():
    sums = np.stack([alpha_counts(VOTES).sum(axis=0), alpha_counts(VOTES[:6]).sum(axis=0)])
    both = krippendorff_alpha(sums)
    assert both[0] == pytest.approx(0.743, abs=5e-4)
    assert both.shape == (2,)
