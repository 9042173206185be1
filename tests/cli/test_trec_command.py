"""`neraca trec`, as a user types it."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_answer, make_item, make_run
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from neraca.registry import load_file

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"
#: q1: d2, d1, d3 by score; the rank column lies.  Nothing is returned for q2, nothing is relevant to q3.
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\nq3 0 d5 0\n"
RUN = "q1 Q0 d3 1 1 a\nq1 Q0 d1 2 8 a\nq1 Q0 d2 3 9 a\nq3 Q0 d5 1 1 a\nq9 Q0 d1 1 1 a\n"
AP = (1 / 2 + 2 / 3) / 2


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where one is, with qrels and a run."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    return tmp_path


@pytest.fixture
def three(here: Path) -> Path:
    """Three runs over 40 queries: a and b alike, c clearly better."""
    draw = random.Random(3)
    queries = [f"{401 + n}" for n in range(40)]
    grades = {query: {f"D{n}": draw.choice((0, 0, 1, 2)) for n in range(20)} for query in queries}
    Path("qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in grades.items() for d, g in docs.items()))
    for name, bias in (("a", 0.2), ("b", 0.22), ("c", 1.5)):
        scored = [(q, d, draw.gauss(bias * g, 1)) for q, docs in grades.items() for d, g in docs.items()]
        Path(f"{name}.run").write_text("".join(f"{q} Q0 {d} 0 {score:.4f} x\n" for q, d, score in scored))
    return here


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def tables(text: str) -> Iterator[list[list[str]]]:
    """The cells of every table of a Markdown text."""
    for part in text.split("\n\n"):
        lines = part.strip().splitlines()
        if lines and lines[0].startswith("|"):
            assert all(line.startswith("| ") or line.startswith("|--") for line in lines)
            yield [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]


# one run


def test_trec_evals_lines(cli: Cli, here: Path) -> None:
    """Name in 22 columns, tab, query, tab, value: as trec_eval's own test/out.test; counts are whole there."""
    told = cli("trec", "qrels.txt", "a.run", "-m", "map recip_rank num_ret num_rel num_rel_ret P_1,2 set_P")
    assert told.code == 0
    assert told.out == (
        f"AP                    \tall\t{AP / 3:.4f}\n"
        f"RR                    \tall\t{1 / 6:.4f}\n"
        "NumRet                \tall\t4\n"
        "NumRel                \tall\t3\n"
        "NumRelRet             \tall\t2\n"
        "P@1                   \tall\t0.0000\n"
        f"P@2                   \tall\t{0.5 / 3:.4f}\n"
        f"SetP                  \tall\t{(2 / 3 + 0) / 2:.4f}\n"
    )
    assert told.err == (
        "neraca: no judged document is relevant for 1 of 3 queries: counted as 0 in every run, as by trec_eval -c; "
        "they lower each mean and tell no runs apart\n"
        "neraca: a: no document for 1 of 3 judged queries (q2); counted as 0, as by trec_eval -c\n"
        "neraca: a: 1 query of the run is not judged; left out\n"
        "neraca: a: SetP is not defined for 1 of 3 queries (nothing was returned); left out of its mean\n"
    )


def test_a_row_per_query(cli: Cli, here: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "-m", "AP NumRet SetR", "-q")
    lines = [line.split("\t") for line in told.out.splitlines()]
    assert [[name.strip(), query, value] for name, query, value in lines] == [
        ["AP", "q1", f"{AP:.4f}"],
        ["NumRet", "q1", "3"],
        ["SetR", "q1", "1.0000"],
        ["AP", "q2", "0.0000"],
        ["NumRet", "q2", "0"],
        ["SetR", "q2", "0.0000"],
        ["AP", "q3", "0.0000"],
        ["NumRet", "q3", "1"],
        ["SetR", "q3", "nan"],
        ["AP", "all", f"{AP / 3:.4f}"],
        ["NumRet", "all", "4"],
        ["SetR", "all", "0.5000"],
    ]


def test_queries_that_the_run_lacks(cli: Cli, here: Path) -> None:
    for words, mean, queries in (((), AP / 3, 3), (("-c",), AP / 3, 3), (("-C",), AP / 2, 2)):
        found = rows(cli("trec", "qrels.txt", "a.run", "-m", "AP", "--json", "-q", *words).out)
        assert found[-1]["value"] == pytest.approx(mean)
        assert len(found) == queries + 1
    told = cli("trec", "qrels.txt", "a.run", "-m", "AP", "--only-answered")
    assert "no document for 1 of 3 judged queries (q2); left out of the means" in told.err


def test_the_smallest_relevant_grade(cli: Cli, here: Path) -> None:
    for words in (("-l", 2), ("--relevant-from", "2.0"), ("-l2",)):
        (row,) = rows(cli("trec", "qrels.txt", "a.run", "-m", "AP", "--json", *words).out)
        assert (row["metric"], row["value"]) == ("AP(rel=2)", pytest.approx(1 / 2 / 3))
    (row,) = rows(cli("trec", "qrels.txt", "a.run", "-m", "AP", "--json", "-l", 0).out)
    assert (row["metric"], row["value"]) == ("AP(rel=0)", pytest.approx((1 + 0 + 1) / 3))
    assert cli("trec", "qrels.txt", "a.run", "-l", "nan").code == 2


FIELDS = ("run", "query", "metric", "value")
#: Of rows over all queries.
BASIS = ("judged", "tied", "worst", "best")


def test_json_has_rows_of_four_fields_and_for_means_what_they_rest_on(cli: Cli, here: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "-m", "SetR,NumRet", "--json", "-q")
    found = rows(told.out)
    assert {(row["query"] == "all", tuple(row)) for row in found} == {(False, FIELDS), (True, FIELDS + BASIS)}
    assert [(row["run"], row["query"], row["metric"], row["value"]) for row in found] == [
        ("a", "q1", "SetR", 1),
        ("a", "q2", "SetR", 0),
        ("a", "q3", "SetR", None),
        ("a", "all", "SetR", 0.5),
        ("a", "q1", "NumRet", 3),
        ("a", "q2", "NumRet", 0),
        ("a", "q3", "NumRet", 1),
        ("a", "all", "NumRet", 4),
    ]
    assert cli("trec", "qrels.txt", "a.run", "-m", "SetR,NumRet", "-f", "json", "-q").out == told.out


def test_csv(cli: Cli, here: Path) -> None:
    (here / 'odd, "name".run').write_text(RUN)
    told = cli("trec", "qrels.txt", 'odd, "name".run', "-m", "SetR NumRet AP", "-f", "csv", "-q")
    found = list(csv.DictReader(io.StringIO(told.out)))
    assert {row["run"] for row in found} == {'odd, "name"'}
    assert [row["value"] for row in found if row["metric"] == "SetR"] == ["1.0", "0.0", "", "0.5"]
    assert [row["value"] for row in found if row["metric"] == "NumRet"] == ["3", "0", "1", "4"]
    assert float(found[-1]["value"]) == pytest.approx(AP / 3)


def test_a_table_of_one_run(cli: Cli, here: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "-m", "AP NumRet SetR", "-f", "table", "-q")
    assert told.out.startswith("3 queries")
    lines = [line.split() for line in told.out.splitlines()]
    assert ["run", "answered", "AP", "NumRet", "SetR"] in lines
    assert ["a", "2", "of", "3", f"{AP / 3:.4f}", "4", "0.5000"] in lines
    assert ["q3", "0.0000", "1", "–"] in lines
    assert "better" not in told.out


def test_defaults(cli: Cli, here: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run")
    assert [line.split()[0] for line in told.out.splitlines()] == ["AP", "RR", "P@10", "R@1000", "nDCG@10"]


def test_a_beir_folder_a_packed_run_and_a_run_folder(cli: Cli, here: Path) -> None:
    Path("beir/qrels").mkdir(parents=True)
    Path("beir/queries.jsonl").write_text('{"_id": "q1", "text": "?"}\n')
    Path("beir/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t1\n")
    make_run(here / "hybrid", [make_item("q1")], [make_answer("d2 d1 d3", item="q1")])
    found = rows(cli("trec", "beir", "a.run", "hybrid", "-m", "AP", "--json").out)
    assert {row["run"]: row["value"] for row in found} == pytest.approx({"a": AP, "hybrid": AP})


def test_single_precision(cli: Cli, here: Path) -> None:
    Path("b.run").write_text(f"q1 Q0 d1 1 {1 + 2**-30!r} x\nq1 Q0 d2 2 1 x\n")
    for words, value in (((), 1 / 3), (("--float32",), 1 / 6)):
        (row,) = rows(cli("trec", "qrels.txt", "b.run", "-m", "RR", "--json", *words).out)
        assert row["value"] == pytest.approx(value)


def test_words_that_are_not_plain(cli: Cli, here: Path) -> None:
    """These are read by typer itself."""
    plain = cli("trec", "qrels.txt", "a.run", "-q", "-C", "-m", "AP", "-f", "csv").out
    assert cli("trec", "qrels.txt", "a.run", "-qC", "-mAP", "--format=csv").out == plain
    assert cli("trec", "-qC", "--metrics=map", "-fcsv", "--", "qrels.txt", "a.run").out == plain
    told = cli("trec", "--help")
    assert told.code == 0
    assert "--relevant-from" in told.out


# several runs


def test_a_table_says_which_is_better_and_whether_that_is_real(cli: Cli, three: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "b.run", "c.run", "-m", "nDCG@10 AP")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("40 queries")
    assert (
        "test of 3 differences in nDCG@10 and 3 in the other metrics, each group corrected by itself (Holm's "
        "correction)" in " ".join(told.out.split())
    )
    assert "c is better in nDCG@10 than each of the other runs after Holm's correction: " in told.out
    assert "Not told apart: b and a" in told.out
    assert "In the other metrics, c against a: c is better in AP." in told.out
    assert "No primary metric was declared; the first one scored, nDCG@10, stands for it here." in told.out
    assert "answered" not in told.out
    told = cli("trec", "qrels.txt", "a.run", "b.run", "-m", "nDCG@10")
    assert "declared" not in told.out
    assert "The data do not tell b and a apart in nDCG@10: " in told.out
    assert "paired t test of 1 difference, Holm's correction" in told.out


def test_pairs_stand_as_in_the_report_the_better_run_first(cli: Cli, three: Path) -> None:
    """nDCG@10 orders c, b, a; the files are in another order, and so are the rows for programs."""
    words = ("trec", "qrels.txt", "a.run", "b.run", "c.run", "-m", "nDCG@10 AP")
    pairs = ["c − b", "c − a", "b − a"]
    cli(*words, "--to", "pairs.md")
    page = Path("pairs.md").read_text(encoding="utf-8")
    for table in (cli(*words, "--compare").out, cli("compare", "--qrels", *words[1:]).out, page):
        rows_of_metric = [line for line in table.splitlines() if re.search(r"nDCG@10.*[a-c] − [a-c]", line)]
        assert [re.findall(r"[a-c] − [a-c]", line)[0] for line in rows_of_metric][:3] == pairs
        assert re.search(r"c − b.* \+?0\.341 ", table), table
    first, *_ = rows(cli(*words, "--compare", "--json").out)
    assert (first["a"], first["b"]) == ("a", "b")


def test_the_tests_are_scipys_with_holms_correction(cli: Cli, three: Path) -> None:
    words = ("trec", "qrels.txt", "a.run", "b.run", "c.run", "-m", "nDCG@10 AP")
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows(cli(*words, "--json", "-q").out):
        if row["query"] != "all":
            values.setdefault((row["metric"], row["run"]), []).append(row["value"])
    found = rows(cli(*words, "--json", "--compare").out)
    assert [(row["metric"], row["a"], row["b"]) for row in found] == [
        (metric, a, b) for metric in ("nDCG@10", "AP") for a, b in ("ab", "ac", "bc")
    ]
    ps = [ttest_rel(values[r["metric"], r["a"]], values[r["metric"], r["b"]]).pvalue for r in found]
    assert [row["p"] for row in found] == pytest.approx(ps)
    assert [row["p_adjusted"] for row in found] == pytest.approx(
        [p for family in (ps[:3], ps[3:]) for p in multipletests(family, method="holm")[1]]
    )
    differences = [np.subtract(values[r["metric"], r["a"]], values[r["metric"], r["b"]]).mean() for r in found]
    assert [row["difference"] for row in found] == pytest.approx(differences)
    primary = rows(cli(*words, "--json", "--compare", "--primary", "map").out)
    assert [row["p_adjusted"] for row in primary] == pytest.approx(
        [*multipletests(ps[:3], method="holm")[1], *multipletests(ps[3:], method="holm")[1]]
    )
    none = rows(cli(*words, "--json", "--compare", "--correction", "none").out)
    assert [row["p_adjusted"] for row in none] == pytest.approx(ps)


def test_other_tests_are_offered_and_say_how_they_were_made(cli: Cli, three: Path) -> None:
    words = ("trec", "qrels.txt", "a.run", "b.run", "c.run", "-m", "AP", "--compare")
    for test, made in (
        ("wilcoxon", "wilcoxon(exact)"),
        ("sign", "sign"),
        ("randomisation", "randomisation(flips=100000, seed=4)"),
        ("bootstrap", "bootstrap(samples=10000, seed=4)"),
    ):
        found = rows(cli(*words, "--test", test, "--seed", "4", "--json").out)
        assert {row["test"] for row in found} == {made}
        assert f"paired {made} test of 3 differences" in cli(*words, "--test", test, "--seed", "4").out
    told = cli("trec", "qrels.txt", "a.run", "b.run", "-m", "AP", "--compare", "--test", "mcnemar")
    assert told.code == 2
    assert "mcnemar is of values that are 0 or 1 on each question, and AP has others" in " ".join(told.err.split())


def test_the_primary_metric_has_the_first_word(cli: Cli, three: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "c.run", "-m", "nDCG@10 P@5 AP", "--primary", "AP")
    assert "c is better than a in AP by " in told.out
    assert "declared" not in told.out
    told = cli("trec", "qrels.txt", "a.run", "c.run", "-m", "nDCG@10 AP", "--primary", "AP", "-l", 2)
    assert "c is better than a in AP(rel=2) by " in told.out


def test_machines_get_values_or_comparisons_but_never_both(cli: Cli, three: Path) -> None:
    words = ("trec", "qrels.txt", "a.run", "c.run", "-m", "AP")
    assert {tuple(row) for row in rows(cli(*words, "--json").out)} == {FIELDS + BASIS}
    (row,) = csv.DictReader(io.StringIO(cli(*words, "-f", "csv", "--compare").out))
    (same,) = rows(cli(*words, "--json", "--compare").out)
    assert set(same) >= {"metric", "a", "b", "difference", "low", "high", "p", "p_adjusted", "effect"}
    assert {name: "" if value is None else str(value) for name, value in same.items()} == row
    assert "run, query" not in cli(*words, "-f", "csv", "--compare").out


def test_what_cannot_be_tested_is_null_and_empty(cli: Cli, here: Path) -> None:
    Path("q1.txt").write_text("q1 0 d1 1\n")
    Path("b.run").write_text("q1 Q0 d1 1 1 x\n")
    words = ("trec", "q1.txt", "a.run", "b.run", "-m", "AP", "--compare")
    (row,) = rows(cli(*words, "--json").out)
    assert (row["difference"], row["p"], row["better"], row["needed"]) == (-0.5, None, "", None)
    (row,) = csv.DictReader(io.StringIO(cli(*words, "-f", "csv").out))
    assert (row["difference"], row["p"], row["needed"]) == ("-0.5", "", "")
    told = cli("trec", "q1.txt", "a.run", "b.run", "-m", "AP")
    assert "b is ahead of a in AP by 0.500, but no test can be made: only one question" in told.out


def test_the_comparison_alone(cli: Cli, three: Path) -> None:
    told = cli("trec", "qrels.txt", "a.run", "c.run", "-m", "AP", "--compare")
    assert told.out.startswith("paired t test of 1 difference")
    assert "c is better than a in AP by " in told.out


BY_ITSELF = "in the other metrics, each group corrected by itself (Holm's correction)"
TEN = "AP RR P@5 P@2 P@3 P@4 P@6 P@7 P@8 P@9"


@pytest.mark.parametrize(
    "runs, names, shown, told",
    [
        ("abc", TEN, 30, f"3 differences in AP and 27 {BY_ITSELF}\n"),
        ("abc", f"{TEN} P@1", 3, f"3 differences in AP and 30 {BY_ITSELF}; here those in AP, all with --compare\n"),
        ("dabcefghi", "AP", 8, "36 differences, Holm's correction; here those of c in AP, all with --compare\n"),
        ("xdabcefgh", "SetP", 8, "36 differences, Holm's correction; here those of d in SetP, all"),
        ("dabcefghi", "Residual(RBP)", 8, "36 differences, Holm's correction; here those of a in Residual(RBP), all"),
    ],
)
def test_of_very_many_differences_a_few_are_shown(
    cli: Cli, three: Path, runs: str, names: str, shown: int, told: str
) -> None:
    """The best run has the most AP, or the least residual: d to i lack a query, of which they know nothing."""
    for name in "defghi":
        Path(f"{name}.run").write_text(Path("a.run").read_text().replace("401 ", "999 "))
    make_run(three / "x.run", [make_item("401")], [make_answer("", item="401")])  # of which SetP is not defined
    words = ("trec", "qrels.txt", *(f"{name}.run" for name in runs), "-m", names, "-f", "markdown")
    said = cli(*words).out
    assert told in said
    *_, table = (table for table in tables(said) if table[0][0] != "Run")
    assert len(table) == 2 + shown
    *_, table = (table for table in tables(cli(*words, "--compare").out) if table[0][0] != "Run")
    assert len(table) == 2 + sum(map(int, re.findall(r"^\d+|(?<=and )\d+", told)))


def test_letters_of_long_names_are_those_of_the_table_of_many_runs(cli: Cli, three: Path) -> None:
    """`c` is the best of the three; the copies of `a` and `b` share their values."""
    names = {name: f"{name}-with-a-name-that-is-long-enough-for-a-letter.run" for name in "abcde"}
    for source, name in zip("abcab", names.values(), strict=True):
        Path(name).write_text(Path(f"{source}.run").read_text())
    told = cli("trec", "qrels.txt", *names.values(), "-m", "AP").out
    legend = dict(re.findall(r"^([A-E])  (\S+)$", told, re.MULTILINE))
    verdicts = dict(re.findall(r"^([A-E])\. (\S+)", told, re.MULTILINE))
    assert legend == verdicts
    assert (len(legend), legend["A"]) == (5, names["c"].removesuffix(".run"))
    assert re.search(rf"^A\. {legend['A']} .* B–E ", told, re.MULTILINE)
    assert "named by their letter" in told


def test_markdown(cli: Cli, three: Path) -> None:
    Path("a|b_*c.run").write_text(Path("a.run").read_text())
    told = cli("trec", "qrels.txt", "a|b_*c.run", "c.run", "-m", "nDCG@10 alpha_nDCG@5", "-f", "markdown", "-q")
    found = list(tables(told.out))
    assert [len(table) for table in found] == [2 + 2, 2 + 40, 2 + 40, 2 + 2]
    for table in found:
        assert len({len(line) for line in table}) == 1
        assert set("".join(table[1])) <= set("-:")
    assert found[0][2][0] == "a\\|b\\_\\*c"
    assert told.out.startswith("40 queries\n\n| run |")
    assert "\n\nc is better than a\\|b\\_\\*c in nDCG@10 by " in told.out
    assert "\n- Question by question" in told.out


def test_several_runs_in_trec_evals_format(cli: Cli, here: Path) -> None:
    Path("b.run").write_text("q1 Q0 d1 1 1 x\n")
    told = cli("trec", "qrels.txt", "a.run", "b.run", "-m", "AP", "-f", "trec")
    assert [line.split() for line in told.out.splitlines()] == [
        ["runid", "all", "a"],
        ["AP", "all", f"{AP / 3:.4f}"],
        ["runid", "all", "b"],
        ["AP", "all", f"{0.5 / 3:.4f}"],
    ]


def test_runs_that_answered_different_queries(cli: Cli, here: Path) -> None:
    Path("b.run").write_text("q1 Q0 d1 1 1 x\nq2 Q0 d1 1 1 x\nq3 Q0 d1 1 1 x\n")
    told = cli("trec", "qrels.txt", "a.run", "b.run", "-m", "AP RR", "-C")
    lines = [line.split() for line in told.out.splitlines()]
    assert told.out.startswith("2 to 3 queries")
    assert ["a", "2", "of", "3", f"{AP / 2:.4f}", "0.2500"] in lines
    assert ["b", "3", "of", "3", "0.5000", "0.6667"] in lines


def test_files_of_the_same_name_in_different_folders(cli: Cli, here: Path) -> None:
    for name in ("old", "new"):
        Path(name).mkdir()
        Path(name, "run.txt").write_text(RUN)
    found = rows(cli("trec", "qrels.txt", "old/run.txt", "new/run.txt", "a.run", "-m", "AP", "--json").out)
    assert [row["run"] for row in found] == ["old/run", "new/run", "a"]


def test_a_name_cannot_steer_the_terminal(cli: Cli, here: Path) -> None:
    Path("a\x1b[31m.run").write_text(RUN)
    for name in ("table", "markdown"):
        told = cli("trec", "qrels.txt", "a\x1b[31m.run", "a.run", "-m", "AP", "-f", name)
        assert "a\ufffd[31m: no document for" in told.err
        assert "\x1b" not in told.out + told.err
    assert "\x1b" not in cli("trec", "qrels.txt", "b\x1b[31m.run").err


def test_the_runs_of_the_documents(cli: Cli) -> None:
    """As docs/ranking.md shows them."""
    shown = (DOCS.parent / "ranking.md").read_text(encoding="utf-8").split("\n```\n")
    (example,) = [part for part in shown if part.startswith("$ neraca trec docs/trec/qrels.txt docs/trec/hybrid.run")]
    told = cli("trec", DOCS / "qrels.txt", DOCS / "hybrid.run", "-m", "nDCG@10 AP RBP(p=0.8) P@5")
    assert told.out.splitlines() == example.splitlines()[1:]


# mistakes


@pytest.mark.parametrize(
    "words, told",
    [
        ("qrels.txt none.run", "none.run: no such file"),
        ("none.txt a.run", "none.txt: no such file"),
        ("qrels.txt .", ".: this is a folder, not a file"),
        (". a.run", ".: this is a folder, not a file"),
        ("qrels.txt a.run bad.run", "bad.run line 2: "),
        ("qrels.txt empty.run", "empty.run: the file is empty"),
        ("qrels.txt other.run", "none of its queries is judged in qrels.txt: the run has 'z1', 'z2', the qrels 'q1'"),
        ("a.run qrels.txt", "a.run line 1: a line has 4 fields"),
        ("qrels.txt a.run -m nDGC@10", "no metric is called 'nDGC'; did you mean nDCG"),
        ("qrels.txt a.run -m PassRatio", "PassRatio needs more than judged documents"),
        ("qrels.txt a.run -m ,", "there is no metric"),
        ("qrels.txt a.run -f xml", "no format is called 'xml'; known: trec, table, json, csv, markdown"),
        ("qrels.txt a.run -f csv --json", "--json and --format csv are two formats; give one"),
        ("qrels.txt a.run --compare", "a comparison needs at least two runs"),
        ("qrels.txt a.run copy=a.run --compare -f trec", "the format trec has no place for paired tests"),
        ("qrels.txt a.run --test wilcox", "no test is called 'wilcox'; known: t, wilcoxon"),
        ("qrels.txt a.run copy=a.run --correction x", "no correction is called 'x'; known: holm, bh, bonferroni, none"),
        ("qrels.txt a.run copy=a.run --primary nDCG", "nDCG was not scored; name one of those that were: AP"),
        ("qrels.txt a.run --plugin none.py", "none.py: no such file"),
        ("qrels.txt broken", "broken/manifest.json"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(cli: Cli, here: Path, words: str, told: str) -> None:
    Path("bad.run").write_text("q1 Q0 d1 1 1 x\nq1 Q0 d2 1 high x\n")
    Path("empty.run").write_text("")
    Path("other.run").write_text("z1 Q0 d1 1 1 x\nz2 Q0 d2 1 1 x\n")
    Path("broken").mkdir()
    Path("broken/manifest.json").write_text("{")
    said = cli("trec", *words.split(" "))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("neraca: ")
    assert said.err.count("\n") == 1
    assert told in said.err


@pytest.mark.parametrize("words", ["", "q", "q a -l high", "q a --no-such", "q a -m", "q a --test"])
def test_wrong_usage(cli: Cli, here: Path, words: str) -> None:
    said = cli("trec", *words.split())
    assert (said.code, said.out) == (2, "")
    assert "Error" in said.err


def test_what_the_system_refuses_is_one_line(cli: Cli, here: Path) -> None:
    said = cli("trec", "qrels.txt", "a" * 300)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"neraca: {'a' * 300}/manifest.json: File name too long\n"


def test_who_stops_it_is_told_so(cli: Cli, here: Path) -> None:
    Path("stop.py").write_text("raise KeyboardInterrupt\n")
    said = cli("trec", "qrels.txt", "a.run", "--plugin", "stop.py")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("neraca: stopped; ")


# in a process of its own


def run(*words: object, env: dict[str, str] | None = None, code: str = "main()") -> subprocess.CompletedProcess[str]:
    program = f"import sys; from neraca.cli import main; {code}"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **(env or {})},
        encoding="utf-8",
    )


def test_a_small_file_needs_nothing_heavy_but_numpy(cli: Cli, here: Path) -> None:
    names = "nDCG@10 AP RR P@10 R@1000 num_ret set_F Rprec bpref infAP RBP(p=0.8) ERR@20 Condensed(AP) Judged@5"
    words = ("trec", DOCS / "qrels.txt", DOCS / "api.run", "-m", names, "-q")
    done = run(*words, code="import atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main()")
    assert done.returncode == 0, done.stderr
    heavy = {"polars", "scipy", "rich", "msgspec", "pydantic", "aiohttp", "neraca.runs.run"}
    assert "neraca.scores.trec" in done.stderr
    assert heavy & set(done.stderr.split()) == set()
    assert done.stdout == cli(*words).out


def test_a_metric_of_ones_own_from_a_file(here: Path) -> None:
    Path("own.py").write_text(
        "from neraca.metrics.metric import metric\n"
        "from neraca.metrics.ranking.ranking import Ranking\n\n"
        "@metric('First')\n"
        "def first(ranking: Ranking):\n"
        '    """1 where the first hit is relevant."""\n'
        "    found = ranking.returned * 0.0\n"
        "    top = (ranking.rank == 1) & (ranking.grades >= 1)\n"
        "    found[ranking.owner[top]] = 1\n"
        "    return found\n"
    )
    Path("b.run").write_text("q1 Q0 d2 1 1 x\nq2 Q0 d1 1 1 x\n")
    done = run("trec", "qrels.txt", "b.run", "--plugin", "own.py", "-m", "AP First", "-q")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("First")] == [
        ["q1", "0.0000"],
        ["q2", "1.0000"],
        ["q3", "0.0000"],
        ["all", "0.3333"],
    ]


def test_a_metric_of_ones_own_that_reads_texts(cli: Cli, here: Path) -> None:
    Path("texts.py").write_text(
        "from neraca.metrics.metric import metric\n\n@metric('TrecTexts')\ndef texts(response: str):\n    return 1.0\n"
    )
    load_file(Path("texts.py"))
    said = cli("trec", "qrels.txt", "a.run", "--plugin", "texts.py", "-m", "TrecTexts")
    assert said.code == 2
    assert "TrecTexts needs more than judged documents" in said.err
    assert "`neraca score`" in said.err


@pytest.mark.parametrize("queries", [1, 20_000])
def test_whoever_reads_may_stop(here: Path, queries: int) -> None:
    """As `| head -1` does: of much it reads a line, of little it may read nothing."""
    Path("qrels.txt").write_text("".join(f"q{n} 0 d 1\n" for n in range(queries)))
    Path("a.run").write_text("".join(f"q{n} Q0 d 1 1 x\n" for n in range(queries)))
    program = "from neraca.cli import main; main()"
    words = [sys.executable, "-c", program, "trec", "qrels.txt", "a.run", "-q"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout
        assert process.stderr
        if queries > 1:
            assert process.stdout.readline() == "AP                    \tq0\t1.0000\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


def test_a_terminal_that_cannot_show_everything(three: Path) -> None:
    Path("é.run").write_text(Path("a.run").read_text())
    for name in ("table", "trec", "markdown", "csv", "json"):
        words = ("trec", "qrels.txt", "é.run", "c.run", "-m", "AP", "-f", name)
        done = run(*words, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
        assert done.returncode == 0, done.stderr
        assert "\\xe9" in done.stdout or name == "json"
        assert "0." in done.stdout


def test_means_are_over_what_is_defined_nowhere_else(cli: Cli, here: Path) -> None:
    Path("q3.txt").write_text("q3 0 d5 0\n")
    assert cli("trec", "q3.txt", "a.run", "-m", "SetR").out.split() == ["SetR", "all", "nan"]
    (row,) = rows(cli("trec", "q3.txt", "a.run", "-m", "SetR", "--json").out)
    assert row["value"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("trec", "qrels.txt", "old=a.run", "new=b.run", "--against", "old"),
        ("trec", "qrels.txt", "new=b.run", "--against", "old=a.run"),
        ("compare", "new=b.run", "--against", "old=a.run", "--qrels", "qrels.txt"),
        ("compare", "old=a.run", "new=b.run", "--against", "old=a.run", "--qrels", "qrels.txt"),
    ],
)
def test_runs_and_their_baseline_are_named_on_the_command_line(cli: Cli, here: Path, words: tuple[str, ...]) -> None:
    Path("b.run").write_text("q1 Q0 d1 1 9 b\nq2 Q0 d1 1 9 b\nq3 Q0 d5 1 9 b\n")
    done = cli(*words, "-m", "P@1", "--json")
    assert done.code == 0, done.err
    assert '"old"' in done.out
    assert '"new"' in done.out
    assert ".run" not in done.out


def test_many_runs_end_in_a_table_of_who_is_better_than_whom(cli, tmp_path: Path) -> None:
    """Topic t has one relevant document, which run n ranks n-th or one below, so that no run has the same AP twice."""
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 good 1\n" for t in range(12)))
    for n in range(1, 6):
        lines = []
        for t in range(12):
            documents = [f"d{i}" for i in range(12)]
            documents.insert(n - 1 + (t % 3 == 0), "good")
            lines += [f"{t} Q0 {document} {rank} {20 - rank} x\n" for rank, document in enumerate(documents, 1)]
        (tmp_path / f"r{n}.run").write_text("".join(lines))
    told = cli("trec", str(tmp_path / "qrels.txt"), *(str(tmp_path / f"r{n}.run") for n in range(1, 6)), "-m", "AP").out
    assert re.search(r"A\. r1 +0\.833 +B–E +– +–\nB\. r2 +0\.444 +C–E +– +A\n", told)
    assert "r1 is better in AP than each of the 4 other runs after Holm's correction (by 0.389 to " in told


def test_a_baseline_that_is_a_run_under_another_name_is_refused(cli: Cli, here: Path) -> None:
    """It would count twice, and double the corrected p."""
    (here / "c.run").write_text(RUN)
    said = cli(*["trec", "qrels.txt", "a.run", "c.run", "-m", "AP", "--against", "b=a.run"])
    assert said.code == 2
    assert "would count twice: name it in the same way" in said.err


@pytest.mark.parametrize(
    "first, against",
    [
        *(("runs/base.txt", text) for text in ("base", "base.txt", "runs/base", "runs/base.txt", "./runs/base.txt")),
        *(("old=runs/base.txt", text) for text in ("old", "base", "base.txt", "runs/base.txt", "old=runs/base.txt")),
    ],
)
def test_a_baseline_is_named_in_every_way_that_names_one_run(cli: Cli, here: Path, first: str, against: str) -> None:
    """The endings of the files differ, and each run keeps the name that it has alone."""
    (here / "runs").mkdir()
    (here / "base").mkdir()  # a folder that is no run has the name, too
    (here / "runs" / "base.txt").write_text(RUN)
    done = cli("trec", "qrels.txt", first, "a.run", "-m", "AP", "--compare", "--json", "--against", against)
    assert done.code == 0, done.err
    (row,) = map(json.loads, done.out.splitlines())
    assert (row["a"], row["b"]) == ("a", "old" if first.startswith("old=") else "base")


def test_a_baseline_that_names_no_run_or_several_is_refused_with_the_names_that_work(cli: Cli, here: Path) -> None:
    for name in ("base.txt", "base.run"):
        (here / name).write_text(RUN)
    words = ("trec", "qrels.txt", "base.txt", "base.run", "a.run", "-m", "AP")
    several = cli(*words, "--against", "base")
    assert (several.code, several.out) == (2, "")
    assert "the baseline 'base' may be each of base.txt, base.run; name one of these" in several.err
    none = cli(*words, "--against", "bsae.txt")
    assert none.code == 2
    assert "is none of the runs; these are base.txt, base.run, a.run (did you mean base.txt" in none.err


def test_a_gate_takes_its_baseline_by_name_from_several_runs(cli: Cli, here: Path) -> None:
    (here / "base.txt").write_text(RUN)
    words = ("a.run", "base.txt", "--qrels", "qrels.txt", "--rule", "AP >= -0.5 observed", "--json")
    by_name, by_path = (cli("gate", *words, "--against", text) for text in ("base", "base.txt"))
    assert by_name.code == 0, by_name.err
    assert by_name.out == by_path.out


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le"])
@pytest.mark.parametrize("other", [0, 1])
def test_a_file_in_utf8_stays_so_beside_files_in_another_encoding(
    cli: Cli, tmp_path: Path, encoding: str, other: int
) -> None:
    """AP is 1/2 for q1 and 1 for q2; read as latin-1, no id of the file in UTF-8 would match."""
    for place, (name, text) in enumerate(zip(("qrels.txt", "a.run"), ACCENTED, strict=True)):
        (tmp_path / name).write_text(text, encoding=encoding if place == other else "utf-8")
    words = ("trec", tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "AP", "--encoding", encoding)
    assert cli(*words).out == "AP                    \tall\t0.7500\n"


def test_a_file_that_mixes_encodings_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(ACCENTED[0])
    lines = "".join(f"q1 Q0 d{n} {n + 1} {10**6 - n} x\n" for n in range(9000))
    (tmp_path / "a.run").write_bytes(
        "q1 Q0 año 0 10000000 x\n".encode() + (lines + "q2 Q0 niño 1 9 x\n").encode("latin-1")
    )
    told = cli("trec", tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "AP", "--encoding", "latin-1")
    assert (told.code, "begins as UTF-8 and goes on in another encoding" in told.err) == (2, True)


ACCENTED = ("q1 0 año 1\nq1 0 más 0\nq2 0 niño 1\n", "q1 Q0 más 1 9 x\nq1 Q0 año 2 8 x\nq2 Q0 niño 1 9 x\n")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-8"])
def test_files_in_another_encoding_give_the_same_numbers_and_lists(cli: Cli, tmp_path: Path, encoding: str) -> None:
    """AP is 1/2 for q1 and 1 for q2, if the documents of the run are those of the qrels."""
    for name, text in zip(("qrels.txt", "a.run"), ACCENTED, strict=True):
        (tmp_path / name).write_text(text, encoding=encoding)
    (tmp_path / "topics.tsv").write_text("id\tquery\nq1\t¿dónde?\nq2\t¿cuándo?\n", encoding=encoding)
    words = ("trec", tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "AP", "--encoding", encoding)
    assert cli(*words).out == "AP                    \tall\t0.7500\n"
    cli(*words, "--topics", tmp_path / "topics.tsv", "--to", tmp_path / "report.md")
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert [word for word in ("¿dónde?", "año", "más", "niño") if word not in page] == []
    if encoding == "utf-16":  # the byte order mark names it
        assert cli(*words[:-2]).out == cli(*words).out
    gate = ("gate", tmp_path / "a.run", "--qrels", tmp_path / "qrels.txt", "--rule", "AP > 0.1 observed", "--json")
    assert json.loads(cli(*gate, "--encoding", encoding).out)["value"] == 0.75


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "line 1: byte 7 (0xf1) is not UTF-8; save the file as UTF-8, or pass --encoding cp1252"),
        (("--encoding", "ascii"), "cannot be read as ascii: ordinal not in range(128)"),
        (("--encoding", "klingon"), "no text encoding is called 'klingon'; try utf-8, utf-16 or cp1252"),
    ],
)
def test_a_file_in_another_encoding_than_named_is_refused(
    cli: Cli, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    for name, text in zip(("qrels.txt", "a.run"), ACCENTED, strict=True):
        (tmp_path / name).write_text(text, encoding="latin-1")
    refused = cli("trec", tmp_path / "qrels.txt", tmp_path / "a.run", *options)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    pool = cli("pool", tmp_path / "a.run", "--qrels", tmp_path / "qrels.txt")
    assert "is not UTF-8; save the file as UTF-8, or pass --encoding cp1252" in pool.err


def test_different_grades_under_several_names_in_the_second_column_are_counted(cli: Cli, tmp_path: Path) -> None:
    """Two of three documents have two grades; metrics of subtopics need them, and a document graded alike has none."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("1 ana d1 1\n1 bob d1 3\n1 ana d2 2\n1 bob d2 2\n2 ana d1 0\n2 bob d1 1\n")
    run.write_text("1 Q0 d1 1 9 x\n2 Q0 d1 1 9 x\n")
    said = "2 documents with different grades under ana, bob (the second column of the qrels): the highest counts."
    assert said in cli("trec", qrels, run, "-m", "AP").err
    assert "different grades" not in cli("trec", qrels, run, "-m", "alpha_nDCG@10").err
    qrels.write_text("1 0 d1 1\n2 0 d1 1\n")
    assert "different grades" not in cli("trec", qrels, run, "-m", "AP").err
