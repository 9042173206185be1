"""The randomisation test (Fisher's, a permutation test): signs of the differences turned by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.stats.interval import Floats, to_unit
from neraca.stats.paired import Paired, Sample, batches, cluster_sums, standard_error, trivial

FLIPS = 100_000
#: With so many independent items at most, every turning of signs is tried: 2^17 = 131,072.
EXACT = 17
#: Signs that are held at once (4 bytes each).
_SIGNS = 1 << 22
#: Sums closer than this share of their spread are equal: float32 rounds them.
_ROUNDING = 1e-5

Singles = NDArray[np.float32]


def randomisation(
    differences: Floats,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    seed: int = 0,
    flips: int = FLIPS,
) -> Paired:
    r"""Fisher's randomisation test: how often $|\sum_g \pm s_g| \ge |\sum_g s_g|$.

    $s_g$ is the sum of the differences of session $g$ (of each item, where they are not in sessions): if neither side
    is better, the two sides of a whole session could as well be exchanged.  Up to 17 sessions all $2^G$ ways are
    tried; with more, $m$ random ones, and $p = (1 + \mathrm{as\ large}) / (1 + m)$.

    The interval holds those shifts of the differences that the test does not reject: Hartigan's, between quantiles
    of the mean differences of random halves of the sessions.  None where there are too few, as five at 95 %.  The
    statistic is the mean difference.

    Parameters
    ----------
    differences, clusters, level
        As in `t_test`.
    seed, flips
        Of the random ways, and how many.  Samples of the same number of sessions see the same ones.

    References
    ----------
    Fisher, R. A. (1935). The Design of Experiments, sec. 21; Hartigan, J. A. (1969). J. Amer. Statist. Assoc. 64,
    1303-1317; Phipson, B. and Smyth, G. K. (2010). Stat. Appl. Genet. Mol. Biol. 9, 39.

    Examples
    --------
    >>> found = randomisation(np.array([1.0, 2, 3, -4]))  # of 16 sums 14 are 2 or more, or -2 or less
    >>> found.p, found.test
    (0.875, 'randomisation(exact)')
    """
    return randomisations([Sample(differences, clusters)], level, seed, flips)[0]


def randomisations(samples: Sequence[Sample], level: float = 0.95, seed: int = 0, flips: int = FLIPS) -> list[Paired]:
    """`randomisation` of many samples; those of the same number of sessions share their random signs, which is fast."""
    found: dict[int, Paired] = {}
    for place, sample in enumerate(samples):
        sums, sizes = cluster_sums(sample.differences, sample.clusters)
        few = len(sums) <= EXACT
        name = "randomisation(exact)" if few else f"randomisation(flips={flips}, seed={seed})"
        if (simple := trivial(sample.differences, name)) is not None:
            found[place] = simple
        elif few:
            found[place] = _paired(sample, _every(sums, sizes, level), name)
    for places in batches({place: sample for place, sample in enumerate(samples) if place not in found}):
        pairs = [cluster_sums(samples[place].differences, samples[place].clusters) for place in places]
        told = _random([sums for sums, _ in pairs], [sizes for _, sizes in pairs], level, (seed, flips))
        name = f"randomisation(flips={flips}, seed={seed})"
        found |= {place: _paired(samples[place], one, name) for place, one in zip(places, told, strict=True)}
    return [found[place] for place in range(len(samples))]


def _paired(sample: Sample, told: tuple[float, float, float], name: str) -> Paired:
    p, low, high = told
    d = sample.differences
    mean, error = float(d.mean()), standard_error(d, sample.clusters)
    # rounding must not put the mean outside
    return Paired(mean, min(low, mean), max(high, mean), p, mean, error, len(d), name)


def _every(sums: Floats, sizes: Floats, level: float) -> tuple[float, float, float]:
    """The p-value and bounds from all ways of signs."""
    turned, weights = np.zeros(1), np.zeros(1)
    for one, size in zip(sums, sizes, strict=True):
        turned = np.concatenate([turned + one, turned - one])
        weights = np.concatenate([weights + size, weights - size])
    slack = 1e-12 * float(np.abs(sums).sum())
    p = float((np.abs(turned) >= abs(float(sums.sum())) - slack).mean())
    # the first way turns nothing: it is as extreme as what was seen, whatever the shift
    means = (float(sums.sum()) - turned[1:]) / (float(sizes.sum()) - weights[1:])
    return p, *_between(means, len(turned), level)


def _between(means: NDArray[np.floating], ways: int, level: float) -> tuple[float, float]:
    """The bounds that leave out (1 - level) / 2 of the ways at either end, what was seen among them."""
    place = math.floor((1 - level) / 2 * ways * (1 + 1e-12))
    if place < 1 or len(means) < 2 * place:
        return math.nan, math.nan
    ordered = np.partition(means, [place - 1, len(means) - place])
    return float(ordered[place - 1]), float(ordered[-place])


def _random(
    sums: Sequence[Floats], sizes: Sequence[Floats], level: float, how: tuple[int, int]
) -> Iterator[tuple[float, float, float]]:
    """The p-value and bounds of each sample from the same random ways of signs."""
    seed, flips = how
    scale = [unit * (math.sqrt(float(one @ one)) or 1.0) for one, unit in map(to_unit, sums)]
    weighty = {column: one for column, one in enumerate(sizes) if (one != one[0]).any()}
    # the last column counts the items of equal sessions; unequal ones have a column for each sample
    columns = [*(one / size for one, size in zip(sums, scale, strict=True)), np.ones(len(sums[0])), *weighty.values()]
    table = np.stack(columns, axis=1).astype(np.float32)
    turned = np.empty((table.shape[1], flips), np.float32)
    done = 0
    for signs in _signs(len(table), flips, seed):
        turned[:, done : done + len(signs)] = (signs @ table).T
        done += len(signs)
    own = dict(zip(weighty, turned[len(sums) + 1 :], strict=True))
    for column, (one, size) in enumerate(zip(sums, sizes, strict=True)):
        seen, weight = float(one.sum()) / scale[column], float(size.sum())
        large = int((np.abs(turned[column]) >= np.float32(abs(seen) - _ROUNDING)).sum())
        weights = own[column] if column in own else turned[len(sums)] * np.float32(size[0])
        other = weights != np.float32(weight)
        means = (np.float32(seen) - turned[column][other]) / (np.float32(weight) - weights[other])
        low, high = _between(means, flips + 1, level)
        yield (large + 1) / (flips + 1), low * scale[column], high * scale[column]


def _signs(width: int, flips: int, seed: int) -> Iterator[Singles]:
    """Random signs, shape (some, width), a chunk at a time; bits are drawn and eight signs looked up for each byte."""
    rng = np.random.default_rng(seed)
    octets = (2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1).astype(np.float32)
    across, rows = -(-width // 8), max(1, _SIGNS // width)
    for start in range(0, flips, rows):
        some = min(rows, flips - start)
        drawn = np.frombuffer(rng.bytes(some * across), np.uint8).reshape(some, across)
        yield octets[drawn].reshape(some, across * 8)[:, :width]
