"""How often a gate of m rules fails although every rule is kept, and how often it finds a real regression.

    .venv/bin/python benchmarks/gate_error_rates.py [--gates N] [--seed N]

Writes the table of benchmarks/results/gate_error_rates.md.  In each gate the new version and its baseline answer the
same questions, and m metrics are scored.  Every rule is `metric >= baseline - 0.05`.  "Only just kept" is the worst
case: the true loss is exactly 0.05 in each metric.  "No loss" is the usual case: both versions are equally good.  "One
broken": one metric truly loses 0.15, the others nothing.  Metrics are independent, or share most of what happens to a
question.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from neraca.stats.tests.correction import holm
from neraca.stats.tests.noninferiority import OneSidedHypothesis
from neraca.stats.tests.one_sided import one_sided_p
from neraca.stats.tests.paired import Sample

MARGIN, LOSS, SPREAD, ALPHA = 0.05, 0.15, 0.3, 0.05
#: Correlation of the differences in two metrics.
RELATED = (0.0, 0.8)
RULES = (1, 2, 3, 5, 10)
QUESTIONS = (30, 100)


def p_of_broken(
    rng: np.random.Generator, rules: int, questions: int, related: float, means: list[float]
) -> list[float]:
    """Draw paired differences, and return the p of the opposite of each rule."""
    common, own = rng.normal(size=questions), rng.normal(size=(rules, questions))
    drawn = SPREAD * (np.sqrt(related) * common + np.sqrt(1 - related) * own) + np.array(means)[:, None]
    return one_sided_p([OneSidedHypothesis(Sample(d), -MARGIN).opposite for d in drawn])


def rates(rules: int, questions: int, related: float, gates: int, seed: int) -> list[float]:
    """Shares of gates that fail: rules only just kept, no loss, one broken; and the last with Holm's correction."""
    rng = np.random.default_rng([seed, rules, questions, int(10 * related)])
    kept, no_loss, broken, shielded = 0, 0, 0, 0
    for _ in range(gates):
        kept += min(p_of_broken(rng, rules, questions, related, [-MARGIN] * rules)) <= ALPHA
        no_loss += min(p_of_broken(rng, rules, questions, related, [0.0] * rules)) <= ALPHA
        p = p_of_broken(rng, rules, questions, related, [-LOSS, *[0.0] * (rules - 1)])
        broken += min(p) <= ALPHA
        shielded += float(holm(np.array(p)).min()) <= ALPHA
    return [count / gates for count in (kept, no_loss, broken, shielded)]


def table(gates: int, seed: int) -> Iterator[str]:
    """Yield the lines of the table in Markdown."""
    yield f"# How often a gate fails: {gates:,} gates for each row, seed {seed}\n"
    yield "| rules | questions | correlation | only just kept | no loss | one broken | one broken, with Holm |"
    yield "|---|---|---|---|---|---|---|"
    for rules in RULES:
        for questions in QUESTIONS:
            for related in RELATED if rules > 1 else RELATED[:1]:
                shares = [f"{100 * share:.1f} %" for share in rates(rules, questions, related, gates, seed)]
                yield f"| {rules} | {questions} | {related:g} | {' | '.join(shares)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gates", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for line in table(options.gates, options.seed):
        print(line)


if __name__ == "__main__":
    main()
