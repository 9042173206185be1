"""`--margin`, `--bayes`, `--against` and `--test tukey`: the same in every command that compares."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_item, make_run
from scipy.stats import ttest_1samp

from neraca.cli.options import margin_of
from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.scores.trec import trec

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"
TREC = (DOCS / "qrels.txt", DOCS / "api.run", DOCS / "hybrid.run", DOCS / "vector.run", "-m", "nDCG@10 AP")


@metric("TestMark", low=0, high=1)
def mark(response: str) -> float:
    """A number that is the answer."""
    return float(response)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def alike(tmp_path: Path) -> list[Path]:
    """Two runs that differ by little, and one that is far worse."""
    draw = random.Random(4)
    items = [make_item(str(n)) for n in range(30)]
    for name, shift in (("new", 0.01), ("old", 0.0), ("poor", -0.3)):
        values = [str(round(0.5 + shift + draw.uniform(-0.1, 0.1), 3)) for _ in items]
        make_run(tmp_path / name, items, [make_answer(item=i.id, text=v) for i, v in zip(items, values, strict=True)])
    return [tmp_path / "new", tmp_path / "old", tmp_path / "poor"]


def test_what_a_margin_says() -> None:
    assert margin_of(["0.02"]) == 0.02
    assert margin_of(["RBP(p=0.8)@10=0.02, AP=0.01", "RR=1e-3"]) == {"RBP(p=0.8)@10": 0.02, "AP": 0.01, "RR": 0.001}
    assert margin_of([]) is None
    for words in (
        ["AP"],
        ["0.1", "0.2"],
        ["0.1 AP=0.1"],
        ["AP=x"],
        ["nDCG(gains=exp)@10"],
        ["=0.1"],
        ["AP=0.1 AP=0.2"],
    ):
        with pytest.raises(SpecError, match="cannot read --margin"):
            margin_of(words)


def test_compare_tells_equivalence(cli: Cli, alike: list[Path]) -> None:
    words = ("compare", *alike[:2], "-m", "TestMark", "--margin", "0.1")
    (found,) = rows(cli(*words, "--json").out)
    assert (found["shown"], found["margin"], found["margin_test"], found["chance_a"]) == ("equivalent", 0.1, "t", None)
    told = " ".join(cli(*words, "--bayes").out.split())
    assert "within the margin" in told
    assert "new and old are equivalent in TestMark within ±0.100 (TOST p " in told
    assert "Bayesian signed-rank test: the chance that questions mostly favour new by more than 0.100 is < 1 %" in told
    assert "within the margin" not in cli("compare", *alike[:2], "-m", "TestMark").out


def test_compare_with_tukeys_test(cli: Cli, alike: list[Path]) -> None:
    words = ("compare", *alike, "-m", "TestMark", "--test", "tukey", "--seed", "2")
    found = rows(cli(*words, "--json").out)
    assert {(row["test"], row["correction"]) for row in found} == {("tukey(samples=100000, seed=2)", "tukey")}
    told = cli(*words).out
    assert "paired tukey(samples=100000, seed=2) test of 3 differences, Tukey's correction for all pairs" in told
    assert "better than poor" in " ".join(told.split())


def test_trec_takes_margins_by_both_kinds_of_names(cli: Cli) -> None:
    found = rows(cli("trec", *TREC, "--compare", "--json", "--margin", "map=0.3").out)
    assert [row["margin"] for row in found] == [None] * 3 + [0.3] * 3
    scores = trec(DOCS / "qrels.txt", [DOCS / "hybrid.run", DOCS / "vector.run"], "AP")
    a, b = (scores.by_item("AP", run.name) for run in scores.runs)
    d = [a[query] - b[query] for query in a]
    alone = rows(cli("trec", *TREC[:1], *TREC[2:4], "-m", "AP", "--compare", "--json", "--margin", "0.3").out)[0]
    assert alone["p_a_not_worse"] == pytest.approx(ttest_1samp(d, -0.3, alternative="greater").pvalue)
    assert alone["p_b_not_worse"] == pytest.approx(ttest_1samp(d, 0.3, alternative="less").pvalue)
    told = cli("trec", *TREC, "--primary", "AP", "--margin", "0.3", "--test", "tukey", "--bayes")
    assert "chance that questions mostly favour the first by more than 0.300 / neither / the second" in told.out
    assert cli("trec", *TREC, "--margin", "P_5=0.1").code == 2


def test_text_columns_are_compared_with_a_margin(cli: Cli, tmp_path: Path) -> None:
    draw = random.Random(5)
    lines = ["reference,old,new"]
    for _ in range(40):
        said = [f"w{draw.randrange(50)}" for _ in range(8)]
        kept = (" ".join(word for word in said if draw.random() < 0.8) or "w" for _ in range(2))
        lines.append(",".join((" ".join(said), *kept)))
    (tmp_path / "two.csv").write_text("\n".join(lines))
    words = ("text", tmp_path / "two.csv", "-m", "TokenRecall ROUGE-L", "--response", "old", "--response", "new")
    told = " ".join(cli(*words, "--margin", "TokenRecall=0.3", "--bayes").out.split())
    assert "equivalent in TokenRecall within ±0.300" in told
    assert "Bayesian signed-rank test" in told
    refused = cli(*words, "--margin", "BLEU=0.3")
    assert (refused.code, refused.out) == (2, "")
    assert "--margin BLEU is not among the metrics scored: TokenRecall, ROUGE-L" in refused.err


def test_report_with_everything(cli: Cli, alike: list[Path], tmp_path: Path) -> None:
    words = ("report", *alike, "-m", "TestMark", "--test", "randomisation", "--seed", "3", "--margin", "0.1", "--bayes")
    told = cli(*words, "--to", tmp_path / "r.md")
    assert told.code == 0, told.err
    text = (tmp_path / "r.md").read_text()
    assert "seed = 3" in text
    assert "Within the margin" in text
    assert "Margin: TestMark ±0.100" in text
    assert re.search(r"\*\*\d\S+\*\* a \(.*\*\*\d\S+\*\* ab? \(", text), "new and old share a letter"
    assert cli("report", alike[0], "-m", "TestMark", "--margin", "0.1", "--to", tmp_path / "one.md").code == 0


@pytest.mark.parametrize(
    "words, told",
    [
        (("--margin", "0"), "more than 0, such as 0.02, not 0"),
        (("--margin", "-1"), "more than 0, such as 0.02, not -1"),
        (("--margin", "nan"), "not nan"),
        (("--margin", "1"), "a margin of 1 is as wide as all of TestMark (1)"),
        (("--margin", "AP=0.1"), "a margin for AP, which is not among the metrics scored: TestMark"),
        (("--margin", "wide"), "cannot read --margin 'wide'"),
        (("--bayes",), "give the margin from which it does"),
        (("--test", "tuckey"), "no test is called 'tuckey'; known: t, wilcoxon"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line(cli: Cli, alike: list[Path], words: tuple[str, ...], told: str) -> None:
    found = cli("compare", *alike, "-m", "TestMark", *words)
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert "Traceback" not in found.err


def test_a_baseline_is_named_by_its_folder_file_column_or_name(cli: Cli, alike: list[Path], tmp_path: Path) -> None:
    new, old, poor = alike
    pairs = [("new", "old"), ("poor", "old")]
    for words in ((new, old, poor, "--against", old), (*alike, "--against", "old"), (new, poor, "--against", old)):
        found = rows(cli("compare", *words, "-m", "TestMark", "--json").out)
        assert sorted((row["a"], row["b"]) for row in found) == pairs
    trec_runs = [(*TREC[:3], "--against", TREC[3]), (*TREC[:4], "--against", "vector.run")]
    outputs = {cli("trec", *words, "-m", "AP").out for words in trec_runs}
    assert len(outputs) == 1
    assert "Against vector in AP after Holm's correction: " in outputs.pop()
    assert cli("report", *alike, "-m", "TestMark", "--against", old, "--to", tmp_path / "r.md").code == 0
    assert "Against old in TestMark after Holm's correction: " in (tmp_path / "r.md").read_text()
    (tmp_path / "t.csv").write_text("reference,first,second,third\na b,a,a b,b\nc d,c,c d,c\ne f,e f,e,f\n")
    words = ("text", tmp_path / "t.csv", "-m", "TokenF1", "--response", "second", "--response", "third")
    text = " ".join(cli(*words, "--against", "first").out.split())
    assert "Against first in TokenF1 after Holm's correction: " in text


def test_a_baseline_that_cannot_be_is_refused(cli: Cli, alike: list[Path]) -> None:
    refused = cli("compare", *alike, "-m", "TestMark", "--against", "best")
    assert (refused.code, refused.out) == (2, "")
    assert "the baseline 'best' is none of the runs; these are new, old, poor" in refused.err
    assert "the test tukey compares every two runs" in cli("compare", *alike, "--against", "old", "--test", "tukey").err
