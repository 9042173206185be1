"""Short labels of metrics for headlines, tables and figures: `nDCG@10` for `nDCG(empty=correct)@10`.

Data, commands and cautions keep the canonical name, whose parameters say how the number was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neraca.counts_and_lists import listed
from neraca.metrics.metric import Metric
from neraca.metrics.parameter_words import sentences_of
from neraca.registry import Spec, Value
from neraca.reports.metric_meanings import meaning_in_language
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.translation import say

#: Canonical names of one letter, and the word that a reader of a table expects.
WORDS = {"P": "Precision", "R": "Recall"}
#: Such a letter in a sentence: before a cutoff, with or without parameters.
_LETTER = r"(?<![\w@.=(-])[PR](?=(?:\([^()]*\))?@\d)"
#: An option of a command with its value, which has the canonical name of a metric.
_OPTION = r"--[\w-]+[ =](?:'[^']*'|\"[^\"]*\"|\S+)|-m \S+"


@dataclass(frozen=True)
class MetricLabels:
    """The label of each metric of a report, by its canonical name; no two metrics have the same label.

    Attributes
    ----------
    by_metric
        Canonical name → label.
    shortened
        The canonical names of the metrics whose labels leave out parameters.
    """

    by_metric: Mapping[str, str]
    shortened: frozenset[str] = frozenset()

    @classmethod
    def of(cls, metrics: Iterable[Metric | str]) -> MetricLabels:
        """Choose labels: names without parameters, except the cutoff and what a metric is about.

        If two metrics would have the same label, those with parameters keep them.

        >>> names = ["nDCG(empty=correct)@10", "P@5", "P(of=returned)@5", "Rubric(quality)"]
        >>> list(MetricLabels.of(names).by_metric.values())
        ['nDCG@10', 'Precision@5', 'Precision(of=returned)@5', 'Rubric(quality)']
        """
        specs = [Metric.of(metric).spec for metric in metrics]
        shortest = [_label(spec, _cutoff(spec)) for spec in specs]
        owners = Counter(shortest)
        by_metric, shortened = {}, set()
        for spec, label in zip(specs, shortest, strict=True):
            has_settings = spec.params != _cutoff(spec)
            by_metric[str(spec)] = _label(spec, spec.params) if has_settings and owners[label] > 1 else label
            if has_settings and owners[label] == 1:
                shortened.add(str(spec))
        return cls(by_metric, frozenset(shortened))

    def __getitem__(self, metric: str) -> str:
        """Return the label of a metric."""
        return self.by_metric[metric]

    def full(self, metric: str) -> str:
        """Return the canonical name of a metric if its label is another, else ""."""
        return metric if self.by_metric[metric] != metric else ""

    def in_sentence(self, sentence: str) -> str:
        """Return the sentence with the labels of the metrics that it names; commands keep their canonical names.

        >>> MetricLabels.of(["RR(rel=2)", "P@5"]).in_sentence("RR(rel=2) 0.6, P@5 0.2; P(rel=2)@5 is higher.")
        'RR 0.6, Precision@5 0.2; Precision(rel=2)@5 is higher.'
        """
        names = sorted(self.by_metric, key=len, reverse=True)
        pattern = "|".join(map(re.escape, names))
        name = rf"(?<![\w@.=(-])(?:{pattern})(?![\w@(=])"
        labels = {**WORDS, **self.by_metric}
        return re.sub(rf"{_OPTION}|{name}|{_LETTER}", lambda match: labels.get(match[0], match[0]), sentence)

    def parameters_line(self, metrics: Iterable[str] = ()) -> str:
        """Return the canonical names of metrics (default all) whose labels leave out parameters; "" if none does.

        >>> MetricLabels.of(["P(rel=2)@5", "RR"]).parameters_line()
        'With all parameters: P(rel=2)@5.'
        """
        names = [name for name in metrics or self.by_metric if name in self.shortened]
        return say("With all parameters: {names}.", names=listed(names, len(names))) if names else ""

    def unusual(self, metrics: Iterable[str]) -> str:
        """Say of each of these metrics whose label leaves out parameters what it is, and what they change; or "".

        >>> MetricLabels.of(["P(rel=2)@5", "RR"]).unusual(["P(rel=2)@5", "RR"])
        'Precision@5 here is P(rel=2)@5, not the usual Precision@5. Relevant is a grade of at least 2.'
        """
        lines = []
        for name in metrics:
            if name in self.shortened:
                lines.append(say("{label} here is {name}, not the usual {label}.", label=self[name], name=name))
                lines.append(meaning_in_language(sentences_of(dict(Metric.of(name).params))))
        return " ".join(filter(None, lines))


def _cutoff(spec: Spec) -> dict[str, Value]:
    return {"at": spec.params["at"]} if "at" in spec.params else {}


def _label(spec: Spec, params: Mapping[str, Value]) -> str:
    """Return a name with these parameters; an aspect that it is about has its word in the language of the report."""
    values = tuple(aspect_words(value) if isinstance(value, str) else value for value in spec.values)
    return str(Spec(WORDS.get(spec.name, spec.name), dict(params), values))
