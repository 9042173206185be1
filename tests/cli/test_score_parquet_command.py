"""`neraca score … --out`, and `compare` of what it wrote, as a user types it."""

import json

import polars as pl
import pytest


@pytest.fixture
def data(tmp_path):
    rows = {
        "id": [f"q{n}" for n in range(60)],
        "reference": ["two floors", "a garden near the sea", "red"] * 20,
        "response": ["two", "a garden", "blue"] * 20,
        "category": ["short", "long", "short"] * 20,
    }
    pl.DataFrame(rows).write_parquet(tmp_path / "data.parquet")
    better = pl.DataFrame(rows | {"response": ["two floors", "a garden", "red"] * 20})
    better.write_parquet(tmp_path / "better.parquet")
    return tmp_path / "data.parquet"


def test_values_go_to_a_folder_and_totals_are_printed(cli, data, tmp_path):
    result = cli("score", data, "-m", "TokenRecall ExactMatch", "-g", "category", "--out", tmp_path / "out")
    assert result.code == 0
    # of "two floors" one of two words, of "a garden near the sea" two of five, of "red" none
    assert "TokenRecall  0.300" in result.out
    assert "category=long" in result.out
    assert "60 rows" in result.out
    assert f"values row by row: {tmp_path / 'out'}/values" in result.out
    assert "rows: 60/60" in result.err
    assert pl.read_parquet(tmp_path / "out/values")["TokenRecall"].to_list()[:3] == [0.5, 0.4, 0.0]
    again = cli("score", data, "-m", "TokenRecall ExactMatch", "-g", "category", "--out", tmp_path / "out")
    assert again.out == result.out


def test_rows_for_machines(cli, data, tmp_path):
    result = cli("score", data, "-m", "TokenRecall", "--out", tmp_path / "out", "--json")
    (row,) = map(json.loads, result.out.splitlines())
    assert (row["run"], row["metric"], row["n"], row["method"]) == ("response", "TokenRecall", 60, "t")
    assert row["value"] == pytest.approx(0.3)


def test_two_folders_are_compared(cli, data, tmp_path):
    for name in ("data", "better"):
        cli("score", tmp_path / f"{name}.parquet", "-m", "ExactMatch TokenRecall", "--out", tmp_path / f"of {name}")
    result = cli("compare", tmp_path / "of better", tmp_path / "of data")
    assert result.code == 0
    assert "of better − of data" in result.out
    assert "of better is better than of data by ExactMatch." in result.out
    rows = [
        json.loads(line)
        for line in cli("compare", tmp_path / "of better", tmp_path / "of data", "--json").out.splitlines()
    ]
    assert [(row["metric"], row["wins"], row["ties"], row["losses"]) for row in rows] == [
        ("ExactMatch", 40, 20, 0),
        ("TokenRecall", 40, 20, 0),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "ray"], "add --out FOLDER"),
        (["--out", "out", "--engine", "spark"], "no engine is called 'spark'; known: local, ray"),
        (["--out", "out", "--address", "auto"], "add --engine ray"),
        (["--out", "out", "-q"], "--per-item works with runs and small tables alone"),
        (["--out", "data.parquet"], "data.parquet: is a file; --out names a folder"),
        (["--out", "out", "-m", "TokenF9"], "TokenF1"),
        (["--out", "out", "--relevance", "priests"], "priests"),
    ],
)
def test_what_does_not_go_together_is_said(cli, data, monkeypatch, words, message):
    monkeypatch.chdir(data.parent)
    result = cli("score", "data.parquet", "-m", "TokenRecall", *words)
    assert result.code == 2
    assert message in " ".join(result.err.split())
    assert not (data.parent / "out").exists()


def test_folders_are_not_compared_with_runs(cli, data, tmp_path):
    cli("score", data, "-m", "ExactMatch", "--out", tmp_path / "out")
    (tmp_path / "run").mkdir()
    result = cli("compare", tmp_path / "out", tmp_path / "run")
    assert result.code == 2
    assert "run: was not written by `neraca score --out`" in " ".join(result.err.split())
    result = cli("compare", tmp_path / "out", "--test", "wilcoxon")
    assert "--test cannot be used with folders of finished scores" in " ".join(result.err.split())


def test_what_nobody_said_of_the_language_is_said(cli, data, tmp_path):
    silent = cli("score", data, "-m", "TokenF1", "--out", tmp_path / "silent")
    assert "the language is not known: words are compared without their stems" in " ".join(silent.err.split())
    told = cli("score", data, "-m", "TokenF1", "--language", "en", "--out", tmp_path / "told")
    assert "the language is not known" not in " ".join(told.err.split())


def test_who_takes_such_a_folder_for_a_run_learns_what_it_is(cli, data, tmp_path):
    cli("score", data, "-m", "ExactMatch", "--out", tmp_path / "out")
    result = cli("report", tmp_path / "out", "--to", tmp_path / "report.html")
    assert result.code == 2
    said = " ".join(result.err.split())
    assert "out: not a run folder (it has no manifest.json); `neraca score --out` wrote it" in said
