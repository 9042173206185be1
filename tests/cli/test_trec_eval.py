"""`neraca trec --trec-eval` beside trec_eval 10's own test: the same files, the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
#: The data of trec_eval's own test, and what it prints; LICENSE.md there.
DATA = Path(__file__).parents[1] / "scores" / "trec_eval"
PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 "
    "-msuccess.2,5,20 qrels.test results.test"
)
#: What it prints → the options that its Makefile gives.
CASES = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.prefs": "-m all_prefs -q -R prefs prefs.test prefs.results.test",
    "out.test.qrels_prefs": "-m all_prefs -q -R qrels_prefs qrels.test results.test",
    "out.test.qrels_jg": "-m qrels_jg -q -R qrels_jg qrels.123 results.test",
    "out.test.meas_params": PARAMETERS,
    "out.test.aqZ": "-q -m all_trec -Z zscores_file qrels.test results.test",
}


@pytest.mark.parametrize("output", CASES)
def test_the_same_bytes(cli: Cli, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    monkeypatch.chdir(DATA)
    told = cli("trec", "--trec-eval", *CASES[output].split())
    assert (told.code, told.err) == (0, "")
    assert told.out == Path(output).read_text()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    Path("run").write_text("q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\n")
    return tmp_path


def test_without_c_only_queries_of_the_run_count(cli: Cli, here: Path) -> None:
    def lines(*options: str) -> list[list[str]]:
        return [line.split() for line in cli("trec", "--trec-eval", *options, "qrels", "run").out.splitlines()]

    asked = ("-m", "num_q", "-m", "map")
    assert lines(*asked) == [["num_q", "all", "1"], ["map", "all", "0.5000"]]
    assert lines(*asked, "-c") == [["num_q", "all", "2"], ["map", "all", "0.2500"]]


@pytest.mark.parametrize(
    "options, complaint",
    [
        ("--trec-eval --compare qrels run", "--compare works only without --trec-eval; leave one of the two out"),
        ("--trec-eval --json qrels run", "--json works only without --trec-eval"),
        ("-M 3 qrels run", "--depth works only with --trec-eval; add it"),
        ("-R prefs qrels run", "--judgments works only with --trec-eval"),
        ("--trec-eval qrels run run", "--trec-eval takes one run, not 2; call it for each"),
        ("--trec-eval -l 1.5 qrels run", "-l 1.5: with --trec-eval grades are whole numbers"),
        ("--trec-eval -l -1 qrels run", "-l -1: the smallest relevant grade is 0 or more"),
        ("--trec-eval -m mapp qrels run", "trec_eval has no measure 'mapp': did you mean map"),
        ("--trec-eval -R trees qrels run", "-R trees: judgments are in one of the forms qrels, prefs, qrels_prefs"),
        (
            "--trec-eval -R qrels_prefs qrels run",
            "the measure num_ret cannot be computed from judgments as qrels_prefs; with -R qrels_prefs write -m",
        ),
        ("--trec-eval -m map_avgjg qrels run", "map_avgjg cannot be computed from judgments as qrels; add -R qrels_jg"),
        ("--to r.html --json qrels run", "--to writes the report alone; leave --format, --json, --compare and -q out"),
        ("--to r.html -q qrels run", "--to writes the report alone"),
    ],
)
def test_what_is_refused(cli: Cli, here: Path, options: str, complaint: str) -> None:
    told = cli("trec", *options.split())
    assert (told.code, told.out) == (2, "")
    assert complaint in told.err


def test_the_report_is_that_of_report(cli: Cli, here: Path) -> None:
    asked = ("-m", "AP RR", "--primary", "RR", "--test", "sign")
    Path("other").write_text("q1 Q0 a 1 2 x\nq2 Q0 a 2 1 x\n")
    told = cli("trec", "qrels", "run", "other", *asked, "--to", "one.md")
    assert (told.code, told.out) == (0, "one.md\n")
    assert cli("report", "--qrels", "qrels", "run", "other", *asked, "--to", "two.md").code == 0
    assert Path("one.md").read_text() == Path("two.md").read_text()
    assert cli("trec", "qrels", "run", "--to", "alone.html").code == 0
    assert "<html" in Path("alone.html").read_text()


def test_files_in_another_encoding_are_read(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q 0 dé 1\n", encoding="latin-1")
    (tmp_path / "a.run").write_text("q Q0 dé 1 9 a\n", encoding="latin-1")
    words = ("trec", "--trec-eval", "-m", "map", tmp_path / "q.txt", tmp_path / "a.run")
    assert cli(*words).code == 2
    assert cli(*words, "--encoding", "latin-1").out == "map                   \tall\t1.0000\n"
