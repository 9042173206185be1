"""The paragraph for a paper, and the command that makes the report again: true of what was computed."""

import shlex

import pytest
from drawn import to_markdown

from neraca.comparisons.compare import compare
from neraca.reports.report import report
from neraca.scores.score import score

METRICS = "nDCG@10 P(of=returned)@5 RR"


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"test": "randomisation", "seed": 3, "margin": {"RR": 0.5, "nDCG@10": 0.25}, "correction": "bh"},
        {"test": "tukey", "seed": 1},
        {"against": "lexical"},
    ],
    ids=["usual", "randomisation", "tukey", "baseline"],
)
def test_the_command_makes_the_same_report(cli, search_runs, how, monkeypatch):
    runs = search_runs(14)
    scores = score(runs, METRICS)
    made = report(scores, compare(scores, primary="RR", **how), primary="RR", title="same")
    command, _, rest = dict(made.method.facts)["To make it again"].partition(" in the folder of these runs; ")
    assert rest == "nothing is asked or judged again"
    monkeypatch.chdir(runs[0].path.parent)
    words = [word.replace(".html", ".md") for word in shlex.split(command)]
    assert words[0] == "neraca"
    assert cli(*words[1:], "--title", "same").code == 0
    assert (runs[0].path.parent / "report-again.md").read_text(encoding="utf-8") == to_markdown(made)


def test_the_paragraph_says_what_was_done(weighed):
    values = {"a": [0.1, 0.5, 0.2, 0.6], "b": [0.4, 0.3, 0.9, 0.8]}
    made = report(*weighed(values, metric="Given Cost", test="wilcoxon", margin=0.5, primary="Given"), primary="Given")
    assert made.method.paragraph == (
        "We scored 2 runs on 4 questions by Given and, beside it, by 1 other metric. "
        "Intervals are at 95 % (Student's t). Runs were compared in pairs by two-sided Wilcoxon signed-rank tests, "
        "p-values corrected by Holm's method; the level of significance was 0.05. Equivalence within a margin "
        "(Given ±0.500) was tested by two one-sided tests. Effect sizes are Cohen's d_z."
    )


def test_one_run_is_scored_and_not_compared(weighed):
    made = report(*weighed({"alone": [0.1, 0.5, 0.2]}))
    assert "compared" not in made.method.paragraph
    assert dict(made.method.facts)["To make it again"].startswith(
        "neraca report alone -m Given --to report-again.html in"
    )
