"""Short names of metrics for headlines, tables and figures: `nDCG@10` for `nDCG(empty=correct)@10`.

Data, commands and cautions keep the full name, which says how the number was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neraca.reports.counts_and_lists import listed
from neraca.reports.translation import say

#: Letters of trec_eval, and the words that people know.
WORDS = {"P": "Precision", "R": "Recall"}
#: A name with parameters that all have a name of their own: `P(of=returned)@5`, but not `IPrec(0.1)`.
WITH_SETTINGS = re.compile(r"(?P<base>[^()@]+)\([^()=,]+=[^()=,]*(?:,[^()=,]+=[^()=,]*)*\)(?P<cutoff>@\d+)?")
#: Such a letter in a sentence: before a cutoff, with or without parameters.
LETTER = re.compile(r"(?<![\w@.=(-])([PR])(?=(?:\([^()]*\))?@\d)")
WITHOUT = re.compile(r"(?P<base>[^()@]+)(?P<cutoff>@\d+)?")


@dataclass(frozen=True)
class MetricLabels:
    """The short name of each metric of a report; no two metrics share one."""

    by_metric: Mapping[str, str]

    @classmethod
    def of(cls, metrics: Iterable[str]) -> MetricLabels:
        """Choose the labels of metrics: a metric keeps its parameters if its short name would be another's too.

        >>> MetricLabels.of(["nDCG(empty=correct)@10", "P@5", "P(of=returned)@5", "IPrec(0.1)"]).by_metric
        {'nDCG(empty=correct)@10': 'nDCG@10', 'P@5': 'Precision@5', 'P(of=returned)@5': 'Precision(of=returned)@5', \
'IPrec(0.1)': 'IPrec(0.1)'}
        """
        names = list(dict.fromkeys(metrics))
        shortest = {name: _short(name) for name in names}
        owners = Counter(shortest.values())
        ambiguous = {name for name, label in shortest.items() if owners[label] > 1 and "(" in name}
        return cls({name: _worded(name) if name in ambiguous else label for name, label in shortest.items()})

    def __getitem__(self, metric: str) -> str:
        """Return the label of a metric."""
        return self.by_metric[metric]

    def full(self, metric: str) -> str:
        """Return the full name of a metric if its label is another, else ""."""
        return metric if self.by_metric[metric] != metric else ""

    def in_sentence(self, sentence: str) -> str:
        """Return the sentence with the labels of the metrics that it names.

        >>> MetricLabels.of(["RR(rel=2)", "P@5"]).in_sentence("RR(rel=2) 0.6, P@5 0.2; P(rel=2)@5 is higher.")
        'RR 0.6, Precision@5 0.2; Precision(rel=2)@5 is higher.'
        """
        names = sorted(self.by_metric, key=len, reverse=True)
        pattern = "|".join(map(re.escape, names))
        labelled = re.sub(rf"(?<![\w@.=(-])(?:{pattern})(?![\w@(=])", lambda match: self[match[0]], sentence)
        return LETTER.sub(lambda match: WORDS[match[1]], labelled)

    def explained(self, metrics: Iterable[str]) -> str:
        """Say which full name each label without its parameters has; "" if none left any out."""
        shortened = [name for name in metrics if "(" in name and "(" not in self[name]]
        names = [say("{label} is {metric}", label=self[name], metric=name) for name in shortened]
        return f"{listed(names, len(names))}." if names else ""


def _short(name: str) -> str:
    """Return a name without its parameters, if each of them has a name."""
    parts = WITH_SETTINGS.fullmatch(name) or WITHOUT.fullmatch(name)
    return f"{WORDS.get(parts['base'], parts['base'])}{parts['cutoff'] or ''}" if parts else name


def _worded(name: str) -> str:
    """Return a name with its parameters, and the letter of trec_eval as a word."""
    base, bracket, end = name.partition("(")
    return f"{WORDS.get(base, base)}{bracket}{end}"
