"""What commands print on the bundled data, as a whole: every word and digit as it is stored in `stored/`.

`make stored` writes the files anew; whoever changes what is printed reads the difference before committing it.
"""

import os
import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).with_name("stored")
QRELS, RUNS = "docs/trec/qrels.txt", ["docs/trec/api.run", "docs/trec/hybrid.run", "docs/trec/vector.run"]
VALUES = "tests/cli/stored/values.csv"
TEXTS = ["docs/text/answers.csv", "-m", "TokenRecall ROUGE-L", "-l", "en", "--response", "old", "--response", "new"]
COMMANDS = {
    "trec": ["trec", QRELS, *RUNS],
    "trec-compare": ["trec", QRELS, *RUNS, "--compare", "--test", "tukey", "--margin", "0.1"],
    "score-trec": ["score", *RUNS, "--qrels", QRELS, "--intervals", "bca"],
    "reliability-trec": ["reliability", *RUNS, "--qrels", QRELS, "--splits", "50"],
    "compare-values": ["compare", VALUES, "--bayes", "--margin", "0.1"],
    "score-values": ["score", VALUES, "-g", "kind"],
    "gate-values": ["gate", VALUES, "--response", "A", "--against", "B", "-r", "Value >= -0.1"],
    "power-values": ["power", VALUES, "--difference", "0.3"],
    "text": ["text", *TEXTS],
}
REPORTS = {"report-trec": [*RUNS, "--qrels", QRELS], "report-values": [VALUES, "-g", "kind"]}


def as_stored(name, printed):
    """The text without the version, compared with what is stored, or stored."""
    text = re.sub(rf"(?<=neraca:){re.escape(version('neraca'))}", "VERSION", printed)
    text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    if os.environ.get("NERACA_STORE"):
        (STORED / name).write_text(text, encoding="utf-8")
    assert text == (STORED / name).read_text(encoding="utf-8"), f"{name}: see what changed, then `make stored`"


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_printed(cli, name, monkeypatch):
    monkeypatch.chdir(ROOT)
    told = cli(*COMMANDS[name])
    assert told.code == 0, told.err
    as_stored(f"{name}.txt", f"{told.out}\n{told.err}")


@pytest.mark.parametrize("name", REPORTS)
def test_what_is_reported(cli, name, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    told = cli("report", *REPORTS[name], "--to", tmp_path / "report.md")
    assert told.code == 0, told.err
    as_stored(f"{name}.md", (tmp_path / "report.md").read_text(encoding="utf-8"))
