"""Labels drawn by the judge's uncertainty beside labels drawn uniformly: bias, coverage and width of `--correct ppi`.

    python benchmarks/uncertain_labels.py --repeats 4000

A graded judge gives each of 1,000 answers a value p from 0 to 1.  In the world `calibrated` an answer is right with the
chance p.  In `overconfident` this chance is 0.5 + 0.5 (p - 0.5), so that the judge is often wrong where it is certain.
In `certain` most values are near 0 or 1, as those of good judges are.  The table gives, for each number of labels and
each strategy, the mean error of the corrected value, the share of 95 % intervals that hold the mean, and their average
width.
"""

import argparse

import numpy as np

from neraca.metaeval.label_draw import draw_labels, uncertainty_of
from neraca.metrics.metric import Metric
from neraca.stats.intervals.prediction_powered import prediction_powered, weighted_prediction_powered

ITEMS = 1000


def world(name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the judge's values and the right labels, shape (ITEMS,) each."""
    values = rng.beta(0.3, 0.2, ITEMS) if name == "certain" else rng.beta(2, 1.5, ITEMS)
    chance = 0.5 + 0.5 * (values - 0.5) if name == "overconfident" else values
    return values, (rng.random(ITEMS) < chance) * 1.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=4000)
    repeats = parser.parse_args().repeats
    metric = Metric.of("P@5")
    print("| judge | labels | strategy | mean error | intervals that hold | width |\n|---|---|---|---|---|---|")
    for name in ("calibrated", "overconfident", "certain"):
        for labels in (60, 100, 200):
            for strategy in ("uniform", "uncertain"):
                rng = np.random.default_rng(1)
                errors, held, widths = [], 0, []
                for seed in range(repeats):
                    values, truth = world(name, rng)
                    draw = draw_labels(strategy, values, uncertainty_of(metric, [values], []), labels, seed)
                    known = np.full(ITEMS, np.nan)
                    known[draw.drawn] = truth[draw.drawn]
                    if strategy == "uniform":
                        result = prediction_powered(known, values)
                    else:
                        result = weighted_prediction_powered(known, values, draw.chances)
                    low, high = result.bounds_within((0, 1), 0.95)
                    errors.append(result.value - truth.mean())
                    # the intervals are about the system: the expected share of right answers
                    expected = {"calibrated": 4 / 7, "overconfident": 0.5 + 0.5 * (4 / 7 - 0.5), "certain": 0.6}[name]
                    held += low <= expected <= high
                    widths.append(high - low)
                row = (f"{np.mean(errors):+.4f}", f"{held / repeats:.1%}", f"{np.mean(widths):.3f}")
                print(f"| {name} | {labels} | {strategy} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
