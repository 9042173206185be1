"""Laws of queries whose judgments alone make them 0: every way to a number counts them beside it, and changes none."""

import json
import random

import pytest

DOCUMENTS = [f"d{place}" for place in range(12)]
NOTES = ("no document is judged for 4 of 14 queries", "no judged document is relevant for 3 of 14 queries")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Qrels in which 4 queries have no judged document, 3 no relevant one and 7 both; and two runs."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    kinds = [[-1]] * 4 + [[-1, 0]] * 3 + [[-1, 0, 1, 2]] * 7
    lines = [
        f"q{number} 0 {document} {grade}\n"
        for number, grades in enumerate(kinds)
        for document, grade in zip(DOCUMENTS, grades * 12, strict=False)
    ]
    (tmp_path / "all.qrels").write_text("".join(lines))
    (tmp_path / "part.qrels").write_text("".join(lines[4 * 12 :]))
    for name in ("a", "b"):
        ranked = [(number, draw.sample(DOCUMENTS, 8)) for number in range(len(kinds))]
        lines = [f"q{n} Q0 {doc} 0 {-rank} x\n" for n, docs in ranked for rank, doc in enumerate(docs)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "trec all.qrels a.run",
        "trec all.qrels a.run b.run --json",
        "score a.run b.run --qrels all.qrels -m nDCG@10",
        "compare a.run b.run --qrels all.qrels -m nDCG@10",
        "report a.run b.run --qrels all.qrels -m nDCG@10 --to report.md",
        "gate a.run --against b.run --qrels all.qrels --rule nDCG@10>=-0.9",
    ],
)
def test_every_command_counts_them_beside_its_numbers(cli, files, command):
    printed = cli(*command.split())
    assert printed.code == 0, printed.err
    report = files / "report.md"
    text = (printed.err + printed.out + (report.read_text() if report.exists() else "")).lower()
    assert [text.count(note) for note in NOTES] == [1, 1]


def test_without_their_lines_the_mean_is_that_over_the_other_queries(cli, files):
    def means(qrels):
        rows = map(json.loads, cli("trec", qrels, "a.run", "--json").out.splitlines())
        return {row["metric"]: row["value"] for row in rows}

    whole, part = means("all.qrels"), means("part.qrels")
    assert part == pytest.approx({metric: value * 14 / 10 for metric, value in whole.items()})
    assert whole["AP"] > 0
