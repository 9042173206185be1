"""The section on what metrics have in common: only where it says something, and every number that of `correlate`."""

import math
import re

import numpy as np
import pytest
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.metaeval.correlate import correlate
from neraca.metrics.metric import METRICS, metric
from neraca.number_format import correlation
from neraca.records import Answer, Item, Verdict
from neraca.reports.blocks.correlations import MOST, correlations, sentences, shade
from neraca.reports.report import report
from neraca.scores.score import score

MANY = 30


@pytest.fixture(autouse=True, scope="module")
def own_metrics():
    """`Nth0` to `Nth29`: the n-th number that was written into the answer; of the last one less is better."""

    def reader(place):
        def read(answer: Answer) -> float | None:
            return answer.usage.get(f"v{place}")

        return read

    for place in range(MANY):
        better = "lower" if place == MANY - 1 else "higher"
        metric(f"Nth{place}", better=better, low=-math.inf, high=math.inf)(reader(place))
    yield
    for place in range(MANY):
        del METRICS._objects[f"Nth{place}"], METRICS._sources[f"Nth{place}"]


@pytest.fixture
def numbered(folder):
    """Scores of runs whose answers carry these numbers, shape (runs, answers, metrics); people rate the first."""

    def make(values, human=None, aspects=("quality",)):
        items = [Item(id=f"q{n}", query=f"question {n}") for n in range(values.shape[1])]
        runs = []
        for place, table in enumerate(values):
            usage = [{f"v{k}": float(v) for k, v in enumerate(row) if not math.isnan(v)} for row in table]
            answers = [Answer(item=f"q{n}", text="x", usage=u) for n, u in enumerate(usage)]
            said = [
                Verdict(item=f"q{n}", about="answer", aspect=aspect, by="human:Ana", value=float(v))
                for n, v in enumerate([] if human is None or place else human)
                for aspect in aspects
            ]
            runs.append(folder(f"run{place}", items, answers, said))
        return score(runs, [f"Nth{k}" for k in range(values.shape[2])])

    return make


def noise(metrics, runs=1, answers=40, seed=0):
    """Of every five metrics the first four say nearly the same, the fifth something else."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(runs, answers, 1 + metrics // 5))
    values = np.repeat(base, 5, axis=2)[:, :, :metrics] + 0.05 * rng.normal(size=(runs, answers, metrics))
    values[:, :, 4::5] = rng.normal(size=values[:, :, 4::5].shape)
    return values


def sections(scores):
    made = report(scores, compare(scores) if len(scores.runs) > 1 else ())
    return made, to_html(made), to_markdown(made)


def test_numbers_are_those_of_correlate_and_alike_metrics_stand_together(numbered):
    values = noise(7, runs=2)
    values = values[:, :, [0, 4, 1, 5, 2, 3, 6]]
    scores = numbered(values)
    made = correlations(scores)
    found = correlate(scores)
    assert made.says == sentences(found)
    assert made.names == ("Nth0", "Nth2", "Nth4", "Nth5", "Nth1", "Nth3", "Nth6")
    for row, one in zip(made.rows, made.names, strict=True):
        assert row == tuple(found.value(one, other) for other in made.names[: len(row)])
    assert [len(row) for row in made.rows] == list(range(7))
    assert "over 80 answers of all runs together." in made.rests
    assert made.cut == ""
    assert made.agreements == ()


def test_html_and_markdown_show_it(numbered):
    made, page, text = sections(numbered(noise(6)))
    assert made.correlations.title == "What the metrics have in common"
    for sentence in made.correlations.says:
        assert sentence in page
    assert '<a href="#correlations">Correlations</a>' in page
    values = re.findall(r"<tr><th scope=\"row\" dir=\"auto\">\d Nth\d</th>(.*?)</tr>", page)
    assert len(values) == 6
    assert [len(re.findall("<td", row)) for row in values] == [5] * 6
    assert re.findall(r">([−0-9.–]+)</td>", values[5]) == [correlation(v) for v in made.correlations.rows[5]]
    part = text[text.index("## What the metrics have in common") :]
    assert [line.count("|") for line in part.splitlines() if line.startswith("|")][:8] == [7] * 8
    assert "| 1 Nth0 |  |  |  |  |  |" in part


def test_people_make_a_table_of_their_own(numbered):
    values = noise(2)
    made, page, text = sections(numbered(values, values[0, :, 0] + 0.3 * values[0, :, 1]))
    found = made.correlations
    assert found.title == "What the metrics have in common, and what with people"
    assert found.humans == ("quality",)
    assert [row.metric for row in found.agreements] == ["Nth0", "Nth1"]
    (row,) = found.agreements[0].cells
    interval = f"{correlation(row.low)} to {correlation(row.high)}"
    assert f"{correlation(row.value)} <small>{interval}, <span>n = 40</span></small>" in page
    assert f"| Nth0 | {correlation(row.value)} ({interval}) n = 40 |" in text
    assert any("people's scores (quality)" in sentence for sentence in found.says)


def test_a_metric_made_from_one_kind_of_scores_keeps_the_columns_in_their_places(folder, tmp_path):
    """Rubric(quality) is correlated with `tone` only; its value must not move under the heading of `quality`."""
    tones = [2, 3, 4, 5]
    quality = [3, 2, 5, 4]
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(4)]
    answers = [Answer(item=f"q{n}", text="x" * (n + 1)) for n in range(4)]
    verdicts = [
        Verdict(item=f"q{n}", about="answer", aspect=aspect, by="human:Ana", value=float(values[n]))
        for aspect, values in (("quality", quality), ("tone", tones))
        for n in range(4)
    ]
    made = report(score([folder("run", items, answers, verdicts)], ["Rubric(quality)", "Rubric(tone)"]))
    assert made.correlations.humans == ("quality", "tone")
    cells = {row.metric: row.cells for row in made.correlations.agreements}
    assert cells["Rubric(quality)"][0] is None
    assert cells["Rubric(tone)"][1] is None
    # Spearman by hand: every rank differs by 1, so rho = 1 - 6 * 4 / (4 * 15) = 0.6.
    assert [cells["Rubric(quality)"][1].value, cells["Rubric(tone)"][0].value] == pytest.approx([0.6, 0.6])
    (row,) = [line for line in to_markdown(made).splitlines() if line.startswith("| Rubric(quality) | made from")]
    assert re.fullmatch(r"\| Rubric\(quality\) \| made from them \| 0\.60 \(.*\) n = 4 \|", row)
    for name in ("report.docx", "report.tex"):
        made.save(tmp_path / name)


@pytest.mark.parametrize(
    "values",
    [noise(1), noise(2), np.ones((1, 9, 5)), np.full((1, 9, 4), np.nan), np.arange(9.0)[None, :, None] * [1, 0, 1, 0]],
    ids=["one", "two", "constant", "unscored", "two-that-vary"],
)
def test_without_three_metrics_that_vary_it_is_left_out(numbered, values):
    made, page, text = sections(numbered(values))
    assert made.correlations is None
    assert "#correlations" not in page
    assert "## What the metrics have in common" not in text


def test_a_single_answer_says_nothing(numbered):
    assert correlations(numbered(noise(6, answers=1))) is None


def test_people_who_agree_on_everything_are_not_shown(numbered):
    assert correlations(numbered(noise(2), human=[3] * 40)) is None


def test_one_metric_beside_people_has_no_matrix(numbered):
    values = noise(1)
    made, page, text = sections(numbered(values, human=np.arange(40)))
    assert made.correlations.names == ()
    assert 'class="heat"' not in page
    assert "Spearman's rho of every two" not in text


def test_of_many_metrics_some_are_left_out_and_that_is_said(numbered):
    made, page, text = sections(numbered(noise(MANY)))
    assert len(made.correlations.names) == MOST == 20
    assert made.correlations.cut.startswith("Not in the table: Nth2")
    assert made.correlations.cut.endswith("; the sentences count them too.")
    assert made.correlations.cut.count("Nth") == MANY - MOST
    assert made.correlations.cut in page
    assert made.correlations.cut in text


def test_errors_are_said_to_be_turned_around(numbered):
    values = np.full((1, 30, MANY), np.nan)
    values[:, :, [0, 1, MANY - 1]] = noise(3, answers=30)
    values[:, :, MANY - 1] *= -1
    made = correlations(numbered(values))
    assert made.rests.endswith("over 30 answers. Turned around, because less is better: Nth29.")
    assert made.rows[2][0] > 0.9


def test_answers_scored_by_some_metrics_only_are_counted(numbered):
    values = noise(3)
    values[0, :10, 1] = np.nan
    assert "over 30 to 40 answers." in correlations(numbered(values)).rests


def test_names_of_peoples_scores_are_made_fit_to_show(numbered):
    aspects = ("<b>tone</b>\u202e", "x" * 90 + "1", "x" * 90 + "2", "", *"abcde")
    made, page, text = sections(numbered(noise(3), human=np.arange(40), aspects=aspects))
    names = made.correlations.humans
    assert len(set(names)) == len(names) == 6
    assert max(map(len, names)) < 50
    assert "(no name)" in names
    assert "<b>tone" not in page
    assert text.count("<b>tone") == text.count("\\<b>tone")
    assert "\u202e" not in page + text


def test_shades_and_cells():
    steps = [shade(value) for value in (0, 0.29, 0.3, 0.5, 0.7, 0.9, 1, -0.5, math.nan)]
    assert steps == ["", "", "faint", "light", "deep", "deepest", "deepest", "minus light", ""]
    assert [correlation(value) for value in (0.999, -1, -0.001, math.nan)] == ["0.999", "−1.00", "0.00", "–"]
