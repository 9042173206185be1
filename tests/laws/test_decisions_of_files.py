"""Laws of decisions, from files through the command line: run folders, TREC files and tables of texts alike.

Another rule never turns a failure into a pass, another metric never hides a loss, and a copy equals its run.
"""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from law_sources import KINDS, draw_systems, write_source

from neraca.reports.sentences.metric_labels import MetricLabels

DRAWN = settings(
    max_examples=3,
    phases=[Phase.generate],  # a seed is no smaller than another
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SEEDS = st.integers(0, 10**6)
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def place(tmp_path_factory):
    """A new folder each time, also for each example of one test."""
    return lambda: tmp_path_factory.mktemp("law")


def rows(outcome):
    assert not outcome.code, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


@every_kind
@DRAWN
@given(seed=SEEDS, loss=st.sampled_from([0.0, 0.1, 0.3, 0.6]))
def test_adding_a_rule_never_changes_what_another_rule_decides(cli, place, kind, seed, loss):
    source = write_source(kind, place(), draw_systems(seed, loss=loss))
    first, *others = [f"{metric} >= baseline - 0.05" for metric in source.metrics]
    words = ["gate", *source.gate_words("new", "old"), "--json", "-r"]
    alone = cli(*words, first)
    together = cli(*words, first, *[word for rule in [*others, "Average > 0.01"][:3] for word in ("-r", rule)])
    (decided,), (again, *_) = (list(map(json.loads, told.out.splitlines())) for told in (alone, together))
    assert (again["outcome"], again["p"]) == (decided["outcome"], decided["p"])
    assert not alone.code or together.code == alone.code  # what fails alone fails with company


@every_kind
@DRAWN
@given(seed=SEEDS)
def test_adding_a_metric_never_removes_a_loss_from_the_headline(cli, place, kind, seed):
    source = write_source(kind, place(), draw_systems(seed, loss=0.4))
    lost = source.metrics[0]
    (loss,) = rows(cli("compare", *source.words("new", "old"), "-m", lost, "--json"))
    for metrics in (f"{lost} NumRet", f"{lost} {source.metrics[1]}", " ".join(source.metrics)):
        if kind == "texts" and "NumRet" in metrics:
            metrics = metrics.replace("NumRet", "Words")
        folder = place()
        told = cli("report", *source.words("new", "old"), "-m", metrics, "--to", folder / "r.md")
        assert told.code == 0, told.err
        opening = (folder / "r.md").read_text().partition("\n## ")[0]
        if loss["p"] < 0.05 and loss["difference"] < 0:
            assert MetricLabels.of([lost])[lost] in opening
            assert "old" in opening


@every_kind
@DRAWN
@given(seed=SEEDS)
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey"])
def test_a_copy_equals_its_run_in_every_test(cli, place, kind, test, seed):
    folder, systems = place(), draw_systems(seed, ("run",))
    source = write_source(kind, folder, systems | {"copy": systems["run"]})
    if kind == "folders":  # not only the same values but the same bytes
        shutil.rmtree(source.paths["copy"])
        shutil.copytree(source.paths["run"], source.paths["copy"])
        assert Path(source.paths["copy"], "answers.jsonl").read_bytes()
    words = [*source.words("run", "copy"), "-m", " ".join(source.metrics), "--test", test, "--json"]
    words += [word for metric in source.metrics if test != "tukey" for word in ("--margin", f"{metric}=0.05")]
    for row in rows(cli("compare", *words)):
        assert (row["difference"], row["better"]) == (0, ""), row
        assert row["p"] in (1, None), row
        assert row["wins"] == row["losses"] == 0
        assert test == "tukey" or row["shown"] == "equivalent", row


@every_kind
@DRAWN
@given(seed=SEEDS)
def test_a_copy_of_the_baseline_never_breaks_a_rule(cli, place, kind, seed):
    systems = draw_systems(seed, ("run",))
    source = write_source(kind, place(), systems | {"copy": systems["run"]})
    rules = [word for metric in source.metrics for word in ("-r", f"{metric} >= baseline - 0.01")]
    told = cli("gate", *source.gate_words("run", "copy"), *rules, "--json")
    assert {row["outcome"] for row in rows(told)} == {"pass"}
