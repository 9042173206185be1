"""Describe the method of a report: metrics, intervals, tests, versions."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from neraca.comparisons.difference import Difference, baseline_of
from neraca.metrics.metric import Metric
from neraca.number_format import integer, number, percent_level
from neraca.reports.blocks.tables import about_hits
from neraca.reports.metric_meanings import meaning_in_language
from neraca.reports.paper import made_again, paper_paragraph
from neraca.reports.sentences.margin import amount
from neraca.reports.sentences.parts import INTERVAL_OF, correction_words, tests_need
from neraca.reports.sentences.relevance_words import sources
from neraca.reports.sentences.unit import observation
from neraca.scores.scores import Scores
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

TESTS = {
    "t": "paired t-test, two-sided",
    "wilcoxon": "Wilcoxon's signed-rank test, two-sided; equal questions are left out",
    "sign": "exact sign test, two-sided, by the mean of each observation; equal ones are left out",
    "randomisation": "randomisation test, two-sided",
    "bootstrap": "studentised bootstrap test (bootstrap-t), two-sided",
    "mcnemar": "McNemar's test, two-sided",
    "tukey": "randomised Tukey HSD test of all runs at once, on the questions scored in all of them",
}
STATISTICS = {
    "t": "t with its degrees of freedom",
    "wilcoxon": "W, the sum of the signed ranks",
    "sign": "w − l, wins minus losses by the mean of each observation",
    "randomisation": "the mean difference",
    "bootstrap": "t, without degrees of freedom",
    "mcnemar": "b − c, how many more questions the first run alone has right than the second alone",
    "tukey": "the mean difference",
}
#: Correction → the promise of an adjusted p below the level.
PROMISES = {
    "holm": "the chance of even one such call by chance alone is at most that, in each family",
    "bonferroni": "the chance of even one such call by chance alone is at most that, in each family",
    "tukey": (
        "the chance of even one such call by chance alone is at most that in each metric, if no run differs from "
        "another"
    ),
    "bh": "at most that share of such calls is expected to be chance, in each family (false discovery rate)",
}
EFFECT = (
    "Cohen's d_z: mean difference / its standard deviation; 0.2 small, 0.5 medium, 0.8 large; its interval by the "
    "noncentral t distribution, for its own comparison alone"
)
BAYES = (
    "Bayesian signed-rank test (Benavoli and others, 2017) with the margin as region of practical equivalence: how "
    "likely means of two differences lie mostly above, within or below it; not corrected"
)
#: The source of a metric that stands in no paper.
OWN = "Neraca, as defined here."
INTERVALS = {
    "t": "Student's t on the values (for ratios: on jackknife pseudo-values)",
    "bounded": (
        "Wilson's interval for a mean of bounded values, with Student's quantile, where Student's t would leave the "
        "range of the metric"
    ),
    "wilson": "Wilson's interval, for values that are all 0 or 1",
    "bca": "BCa bootstrap (bias-corrected, accelerated; 10,000 resamples of whole observations, seed 0)",
    "percentile": "percentile bootstrap (10,000 resamples of whole observations, seed 0)",
    "none": "none, where there are too few observations (fewer than 3 of a metric with a range), or all say the same",
}


@dataclass(frozen=True)
class Definition:
    """The definition of a metric: a sentence, its parameters, range, direction and source."""

    metric: str
    text: str
    params: str
    range: str
    better: str
    source: str = ""


@dataclass(frozen=True)
class Method:
    """The method by which the numbers were made.

    Attributes
    ----------
    paragraph
        The method for a paper, in the past tense.
    definitions
        The definition of each metric.
    facts
        Names of parts of the method, and how they were done.
    signatures
        One line for each metric of texts.
    """

    paragraph: str
    definitions: tuple[Definition, ...]
    facts: tuple[tuple[str, str], ...]
    signatures: tuple[str, ...] = ()


def method(scores: Scores, differences: Sequence[Difference], primary: str) -> Method:
    """Describe how these scores and differences were made."""
    first = scores.runs[0]
    used = sorted({score.method for score in scores.overall()})
    relevance = (say("Relevance of a hit"), relevance_sources(scores))
    facts = [
        *([relevance] if about_hits(scores) else []),
        (
            say("Intervals"),
            f"{percent_level(scores.level)}; {'; '.join(say(INTERVALS.get(name, name)) for name in used)}",
        ),
        (say("Questions"), integer(len(first))),
        (say("One observation"), observation(scores.unit)),
    ]
    if differences:
        facts += [*_test_facts(differences, scores.level), *_margin_facts(differences, scores.level)]
    facts.append((say("Versions"), ", ".join(f"{name} {version(name)}" for name in ("neraca", "numpy", "scipy"))))
    facts.append((say("To make it again"), made_again(scores, differences, primary)))
    definitions = tuple(definition(metric) for metric in scores.metrics)
    paragraph = paper_paragraph(scores, differences, primary)
    return Method(paragraph, definitions, tuple(facts), tuple(scores.signatures.values()))


def relevance_sources(scores: Scores) -> str:
    """Name the sources of the verdicts on relevance that counted."""
    relevance = scores.relevance
    return (
        say("by {relevance}; source asked for: {source}", relevance=sources(scores), source=relevance.source)
        if relevance
        else say("by qrels")
    )


def _test_facts(differences: Sequence[Difference], level: float) -> list[tuple[str, str]]:
    """Return the facts about the tests of differences."""
    tests = sorted({d.test for d in differences})
    corrections = sorted({d.correction for d in differences})
    scope = say("each for its own comparison alone, not corrected")
    if "tukey" in corrections:
        scope = say("all intervals of a metric hold together")
    baseline = baseline_of(differences)
    test_level = say("by a single t-test at {level}", level=percent_level(1 - level))
    power = say("to find the difference seen 4 times out of 5 {needed}, if it is real", needed=test_level)
    return [
        (say("Test"), "; ".join(map(_test_words, tests))),
        (say("Statistic"), "; ".join(dict.fromkeys(say(STATISTICS[name_of_test(test)]) for test in tests))),
        *(
            [
                (
                    say("Compared"),
                    say("each run with {baseline} alone; p is corrected for these comparisons", baseline=baseline),
                )
            ]
            if baseline
            else []
        ),
        (say("Correction"), "; ".join(map(correction_words, corrections))),
        (
            say("Level"),
            say(
                "a run is called better where the adjusted p is below {promised}",
                promised=_level_promise(level, corrections),
            ),
        ),
        (say("Intervals of differences"), f"{_interval_quantities(tests)}{scope}"),
        (say("Effect"), say(EFFECT)),
        *([(say("n needed (t)"), power)] if tests_need(differences) else []),
    ]


def _margin_facts(differences: Sequence[Difference], level: float) -> list[tuple[str, str]]:
    """Return the facts about the tests of equivalence and non-inferiority; [] without a margin."""
    tested = [(d.metric, d.equivalence) for d in differences if d.equivalence]
    if not tested:
        return []
    margins = {metric: amount(e.margin) for metric, e in tested}
    tests = sorted({_test_words(e.test, one_sided=True) for _, e in tested})
    corrections = sorted({correction_words(e.correction) for _, e in tested})
    alpha, interval = percent_level(1 - level), percent_level(2 * level - 1)
    facts = [
        (say("Margin"), ", ".join(f"{metric} ±{margin}" for metric, margin in margins.items())),
        (
            say("Equivalent, not worse"),
            say(
                "shown where the p of one-sided tests is below {level}, after correction: that the mean "
                "difference is smaller than the margin on one side (not worse), or on both (two one-sided "
                "tests, TOST: the larger p). At {alpha} the interval of the same comparison is the "
                "{interval} one. {tests}; {corrections}, in which the two sides of a pair count as one "
                "comparison",
                level=number(1 - level, 2),
                alpha=alpha,
                interval=interval,
                tests="; ".join(tests),
                corrections=say(" or ").join(corrections),
            ),
        ),
    ]
    if any(d.bayes for d in differences):
        facts.append((say("Chances"), say(BAYES)))
    return facts


def _level_promise(level: float, corrections: Sequence[str]) -> str:
    """Return the level, and what it promises after these corrections."""
    return "; ".join([number(1 - level, 2), *(say(PROMISES[name]) for name in corrections if name in PROMISES)])


def _test_words(name: str, one_sided: bool = False) -> str:
    """Describe a test and its settings, such as "(exact)" or "(flips = 100000, seed = 0)"."""
    test, _, arguments = name.removesuffix(")").partition("(")
    settings = f" ({arguments.replace('=', ' = ')})" if arguments else ""
    name_in_words = say(TESTS[test]) if test in TESTS else say("{test} test", test=test)
    return f"{name_in_words.replace(say('two-sided'), say('one-sided')) if one_sided else name_in_words}{settings}"


def _interval_quantities(tests: Sequence[str]) -> str:
    """Say what the intervals are of, unless it is the mean."""
    return "".join(
        say("of the {what}; ", what=say(quantity))
        for test, quantity in INTERVAL_OF.items()
        if any(t.startswith(test) for t in tests)
    )


def definition(metric: Metric) -> Definition:
    """Describe a metric."""
    declaration = metric.definition
    text = inspect.getdoc(declaration.function) or ""
    source = re.search(r"^References\n-+\n(.+?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    settings = dict(metric.params)
    parameters = inspect.signature(declaration.function).parameters.values()
    params = {p.name: settings.get(p.name, p.default) for p in parameters if p.kind is p.KEYWORD_ONLY}
    params = {name: say("all") if name == "at" and value == 0 else value for name, value in params.items()}
    return Definition(
        str(metric),
        meaning_in_language(plain_formula(metric.summary)),
        ", ".join(
            f"{name} = {value}" for name, value in params.items() if value not in ("", None, -math.inf, math.inf)
        ),
        say(" to ").join(
            number(bound, 0 if float(bound).is_integer() else 2) for bound in (declaration.low, declaration.high)
        ),
        say("a diagnostic: no run is called better by it")
        if metric.diagnostic
        else say(f"{declaration.better} is better"),
        _source(" ".join(source[1].split())) if source else "",
    )


def _source(text: str) -> str:
    """Return the source of a metric; that it is Neraca's own in the language of the report."""
    return text.replace(OWN, say(OWN))


_SIGNS = {"sum": "Σ", "le": "≤", "ge": "≥", "in": "∈", "cdot": "·", "times": "×", "bar": "", "log": "log", "alpha": "α"}


def plain_formula(text: str) -> str:
    r"""Write the formulas of a docstring in plain characters.

    >>> plain_formula(r"Gain, $\sum_{i \le k} g(r_i) / \log_2(i+1)$; `rel` counts.")
    'Gain, Σ_(i ≤ k) g(r_i) / log_2(i+1); rel counts.'
    """
    text = re.sub(r"\\text\{(\w+)\}", r"\1", text)
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1) / (\2)", text)
    text = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda match: _SIGNS.get(match[1], match[1]), text)
    text = re.sub(r"\\([{}|,;])", lambda match: match[1] if match[1] in "{}|" else " ", text)
    return re.sub(r"[$`]", "", text)
