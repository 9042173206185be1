"""Fisher's randomisation test (a permutation test), which changes signs of differences at random."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, to_unit
from neraca.stats.tests.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial

FLIPS = 100_000
#: With at most this many independent items, every combination of signs is tried: 2^17 = 131,072.
EXACT = 17
#: Signs in memory at a time (4 bytes each).
_SIGNS = 1 << 22
#: Sums closer than this share of their spread are equal: float32 rounds them.
_ROUNDING = 1e-5

Singles = NDArray[np.float32]


def randomisations(
    samples: Sequence[Sample], level: float = 0.95, seed: int = 0, flips: int = FLIPS, exact: int = EXACT
) -> list[Paired]:
    r"""Fisher's randomisation test: how often $|\sum_g \pm s_g| \ge |\sum_g s_g|$.

    $s_g$ is the sum of the differences of session $g$ (of each item, without sessions).  If neither side is better, the
    two sides of a session can be exchanged.  Up to 17 sessions all $2^G$ combinations of signs are tried; with more,
    $m$ random ones, and $p = (1 + \mathrm{as\ large}) / (1 + m)$.

    The interval (Hartigan's) holds the shifts of the differences that the test does not reject.  Its bounds are
    quantiles of the mean differences of random halves of the sessions.  There is none with too few sessions, such as
    five at 95 %.  The statistic is the mean difference.

    Parameters
    ----------
    samples, level
        As in `t_test`.
    seed, flips
        The seed and number of random signs.  Samples with equally many sessions share them, which is fast.
    exact
        With more sessions than this the signs are random.

    References
    ----------
    Fisher, R. A. (1935). The Design of Experiments, sec. 21; Hartigan, J. A. (1969). J. Amer. Statist. Assoc. 64,
    1303-1317; Phipson, B. and Smyth, G. K. (2010). Stat. Appl. Genet. Mol. Biol. 9, 39.

    Examples
    --------
    >>> (result,) = randomisations([Sample(np.array([1.0, 2, 3, -4]))])  # 14 of 16 sums are at least 2 in size
    >>> result.p, result.test
    (0.875, 'randomisation(exact)')
    """
    random = f"randomisation(flips={flips}, seed={seed})"
    results: dict[int, Paired] = {}
    for place, sample in enumerate(samples):
        few = sample.sessions <= exact
        test = "randomisation(exact)" if few else random
        if (simple := trivial(sample.differences, test)) is not None:
            results[place] = simple
        elif few:
            sums = cluster_sums(sample.differences, sample.clusters)
            results[place] = _paired(sample, _all_signs(*sums, level), test)
    for places in batches({place: sample for place, sample in enumerate(samples) if place not in results}):
        batch = [cluster_sums(samples[place].differences, samples[place].clusters) for place in places]
        bounds = _random_signs([sums for sums, _ in batch], [sizes for _, sizes in batch], level, (seed, flips))
        for place, p_and_bounds in zip(places, bounds, strict=True):
            results[place] = _paired(samples[place], p_and_bounds, random)
    return [results[place] for place in range(len(samples))]


def _paired(sample: Sample, p_and_bounds: tuple[float, float, float], test: str) -> Paired:
    p, low, high = p_and_bounds
    d = sample.differences
    mean, error = float(d.mean()), standard_error(d, sample.clusters)
    # rounding must not move the mean outside the bounds
    return Paired(mean, min(low, mean), max(high, mean), p, mean, error, len(d), test)


def _all_signs(sums: Floats, sizes: Floats, level: float) -> tuple[float, float, float]:
    """Return the p-value and bounds from all combinations of signs."""
    signed_sums, weights = np.zeros(1), np.zeros(1)
    for value, size in zip(sums, sizes, strict=True):
        signed_sums = np.concatenate([signed_sums + value, signed_sums - value])
        weights = np.concatenate([weights + size, weights - size])
    slack = 1e-12 * float(np.abs(sums).sum())
    p = float((np.abs(signed_sums) >= abs(float(sums.sum())) - slack).mean())
    # the first combination changes no sign: it is as extreme as the observed sum at every shift
    means = (float(sums.sum()) - signed_sums[1:]) / (float(sizes.sum()) - weights[1:])
    return p, *_between(means, len(signed_sums), level)


def _between(means: NDArray[np.floating], ways: int, level: float) -> tuple[float, float]:
    """Return the bounds that leave out (1 - level) / 2 of all combinations (including the observed) on either side."""
    place = math.floor((1 - level) / 2 * ways * (1 + 1e-12))
    if place < 1 or len(means) < 2 * place:
        return math.nan, math.nan
    ordered = np.partition(means, [place - 1, len(means) - place])
    return float(ordered[place - 1]), float(ordered[-place])


def _random_signs(
    sums: Sequence[Floats], sizes: Sequence[Floats], level: float, drawing: tuple[int, int]
) -> Iterator[tuple[float, float, float]]:
    """Return the p-value and bounds of each sample from the same random signs; `drawing` is their seed and number."""
    seed, flips = drawing
    scale = [unit * (math.sqrt(float(scaled @ scaled)) or 1.0) for scaled, unit in map(to_unit, sums)]
    unequal = {column: size for column, size in enumerate(sizes) if (size != size[0]).any()}
    # a column counts the items of equal sessions for all samples; unequal sessions have a column for each sample
    columns = [*(s / unit for s, unit in zip(sums, scale, strict=True)), np.ones(len(sums[0])), *unequal.values()]
    table = np.stack(columns, axis=1).astype(np.float32)
    signed_sums = np.empty((table.shape[1], flips), np.float32)
    start = 0
    for signs in _signs(len(table), flips, seed):
        signed_sums[:, start : start + len(signs)] = (signs @ table).T
        start += len(signs)
    weights_of_column = dict(zip(unequal, signed_sums[len(sums) + 1 :], strict=True))
    for column, (values, size) in enumerate(zip(sums, sizes, strict=True)):
        observed, weight = float(values.sum()) / scale[column], float(size.sum())
        large = int((np.abs(signed_sums[column]) >= np.float32(abs(observed) - _ROUNDING)).sum())
        weights = weights_of_column.get(column)
        if weights is None:
            weights = signed_sums[len(sums)] * np.float32(size[0])
        moves = weights != np.float32(weight)
        means = (np.float32(observed) - signed_sums[column][moves]) / (np.float32(weight) - weights[moves])
        low, high = _between(means, flips + 1, level)
        yield (large + 1) / (flips + 1), low * scale[column], high * scale[column]


def _signs(width: int, flips: int, seed: int) -> Iterator[Singles]:
    """Yield random signs, shape (rows, width), a chunk at a time; each random byte gives eight signs."""
    rng = np.random.default_rng(seed)
    octets = (2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1).astype(np.float32)
    across, most = -(-width // 8), max(1, _SIGNS // width)
    for start in range(0, flips, most):
        rows = min(most, flips - start)
        random_bytes = np.frombuffer(rng.bytes(rows * across), np.uint8).reshape(rows, across)
        yield octets[random_bytes].reshape(rows, across * 8)[:, :width]
