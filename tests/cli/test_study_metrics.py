"""Commands on runs of a study use the metrics that the study declares, and say so."""

import pytest
from builders import make_run

from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.study_record import PhaseRecord, StudyRecord, common_phase

ITEMS = [Item(id=f"q{n}", query=f"question {n}") for n in range(8)]


@pytest.fixture
def study(tmp_path):
    """Two systems of one phase: `first` returns the relevant document on top, `second` as the second of two."""
    for name, order in {"first": "ab", "second": "ba"}.items():
        answers = [Answer(item=item.id, hits=tuple(Hit(id=d) for d in order)) for item in ITEMS]
        verdicts = [
            Verdict(item=item.id, about=f"hit:{d}", aspect="relevance", by="human:ana", value=float(d == "a"))
            for item in ITEMS
            for d in "ab"
        ]
        make_run(tmp_path / "shop/search" / name, ITEMS, answers, verdicts)
    phase = PhaseRecord(name="search", runs=("first", "second"), metrics=("P@1", "P@2", "RR"), primary="P@2")
    StudyRecord(name="Shop", phases=(phase,)).write(tmp_path / "shop")
    return tmp_path / "shop/search"


def test_a_report_takes_the_metrics_and_the_primary_one_of_the_study(cli, study, tmp_path):
    called = cli("report", study / "first", study / "second", "--to", tmp_path / "r.md")
    assert called.code == 0, called.err
    assert (
        "the metrics are those of study 'Shop' (-m names others); P@2 decides, as study 'Shop' declares" in called.err
    )
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "Precision@2" in text.split("\n## ")[0], "the decision is about the study's primary metric"


def test_options_overrule_the_study(cli, study):
    called = cli("compare", study / "first", study / "second", "-m", "RR P@2", "--json")
    assert "P@2 decides, as study 'Shop' declares" in called.err
    assert "the metrics are those" not in called.err
    called = cli("compare", study / "first", study / "second", "-m", "RR P@1", "--json")
    assert "decides" not in called.err, "the study's metric is not among those that were named"
    called = cli("compare", study / "first", study / "second", "--primary", "RR", "--json")
    assert "decides" not in called.err
    assert "the metrics are those of study 'Shop'" in called.err


def test_a_run_of_another_folder_ends_it(cli, study, tmp_path):
    other = make_run(tmp_path / "other", ITEMS, [Answer(item=item.id, hits=(Hit(id="a"),)) for item in ITEMS])
    assert common_phase([study / "first", other.path]) is None
    assert common_phase([study / "first"])[1].name == "search"
    assert common_phase([]) is None


def test_a_name_with_a_space_is_one_metric(cli, study):
    called = cli("compare", study / "first", study / "second", "-m", "P@2 RBP(p=0.5, rel=1)", "--json")
    assert "RBP(p=0.5," not in called.err.partition("declares")[0]
    assert "P@2 decides, as study 'Shop' declares" in called.err
