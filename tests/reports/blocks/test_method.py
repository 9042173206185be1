"""What a report says of corrections, intervals and effects is true of the numbers beside it."""

import dataclasses

import pytest
from drawn import to_html as html
from drawn import to_markdown as markdown

from neraca.comparisons.compare import KNOWN_TESTS, compare
from neraca.metrics.metric import Metric
from neraca.reports.blocks.method import definition
from neraca.reports.report import report
from neraca.scores.score import score
from neraca.stats.tests.correction import CORRECTIONS
from neraca.translation import written_in

A = [0.9, 0.8, 0.9, 0.8, 0.85, 0.9, 0.3]
B = [0.5, 0.6, 0.55, 0.6, 0.5, 0.58, 0.4]
C = [0.1, 0.2, 0.1, 0.2, 0.15, 0.1, 0.2]


def facts(made):
    return dict(made.method.facts)


@pytest.mark.parametrize(
    "correction, named, promised",
    [
        ("holm", "Holm's correction", "even one such call"),
        ("bonferroni", "Bonferroni's correction", "even one such call"),
        ("bh", "Benjamini and Hochberg's correction (false discovery rate)", "that share of such calls"),
        ("none", "no correction", "0.05"),
    ],
)
def test_the_correction_is_named_with_what_it_promises(weighed, correction, named, promised):
    scores, differences = weighed({"a": A, "b": B, "c": C}, correction=correction)
    made = report(scores, differences)
    assert facts(made)["Correction"] == named
    assert promised in facts(made)["Level"]
    assert (f"after {named}" in made.finding.headline) == (correction != "none")
    said = "\n".join((made.finding.headline, *made.finding.details))
    others = {"Holm", "Bonferroni", "Hochberg"} - {named.split("'")[0].split()[-1]}
    assert not any(other in said for other in others)
    assert ("false discovery rate" in facts(made)["Level"]) == (correction == "bh")


def test_every_correction_has_words():
    from neraca.reports.blocks import method
    from neraca.reports.sentences import parts as sentences_parts

    assert sentences_parts.CORRECTIONS.keys() == {*CORRECTIONS, "tukey"} == {*method.PROMISES, "none"}
    assert method.TESTS.keys() == {*KNOWN_TESTS}


def test_a_pair_tells_its_p_before_and_after(weighed):
    scores, differences = weighed({"a": A, "b": B, "c": C}, correction="bh")
    told = [dataclasses.replace(d, p=0.02, p_adjusted=0.03) for d in differences]
    said = " ".join(report(scores, told).finding.details)
    assert "p = 0.020, 0.030 after Benjamini and Hochberg's correction (false discovery rate)" in said


@pytest.mark.parametrize("intervals, words", [("t", "Student's t"), ("bca", "BCa"), ("percentile", "percentile boot")])
def test_the_report_says_which_intervals_it_shows(weighed, intervals, words):
    runs = [each.scorable.column("run") for each in weighed({"a": A, "b": B})[0].runs]
    scores = score(runs, "Given", intervals=intervals)
    made = report(scores, compare(scores))
    told = facts(made)["Intervals"]
    assert words in told
    assert ("10,000 resamples of whole observations, seed 0" in told) == (intervals != "t")
    assert told.replace("'", "&#39;") in html(made)
    low = made.metrics[0].cells[0].score.low
    assert f"({low:.2f} to " in markdown(made)


def test_the_effect_has_its_interval_beside_it(weighed):
    scores, differences = weighed({"a": A, "b": B})
    (d,) = differences
    made = report(scores, differences)
    span = f"{d.effect_low:.2f} to {d.effect_high:.2f}"
    assert d.effect_low < d.effect < d.effect_high
    assert f"{d.effect:.2f} ({span})" in markdown(made).replace("\\", "")
    assert f"{d.effect:.2f} <small>{span}</small>" in html(made)
    assert "noncentral t" in facts(made)["Effect"]


def test_an_effect_without_interval_stands_alone(weighed):
    scores, differences = weighed({"a": [0.5, 0.6], "b": [0.5, 0.6]})
    made = report(scores, differences)
    assert "| 0.00 |" in markdown(made)
    assert '<td><span class="of" dir="auto">Effect</span> 0.00</td>' in html(made)


def test_the_source_of_a_metric_of_our_own_is_named_in_the_language_of_the_report():
    with written_in("es"):
        assert definition(Metric.of("Words")).source == "Neraca, según esta definición."
    assert definition(Metric.of("Words")).source == "Neraca, as defined here."
