"""On a terminal of any usual width no number is cut or broken, and no line is longer than the terminal is wide."""

import os
import pty
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from neraca.plain_table import cells

ROOT = Path(__file__).parents[2]
TREC = ROOT / "docs/trec"
LONG = [
    f"experiment-2024.11-{what}-retriever-with-reranker-and-query-rewriting-v{n}" for n, what in enumerate("abcdefgh")
]
NUMBER = re.compile(r"[-−+]?\d+(?:[.,/]\d+)*")
#: Runs each command, a line of words, on a terminal of each width, and with --wide on the first one.
ON_TERMINAL = """
import fcntl, struct, sys, termios
from neraca.cli import app
widths = [60, 80, 120]
for line in sys.argv[1:]:
    for width, more in [*((width, []) for width in widths), (60, ["--wide"])]:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        print(f"\\x1e{line}\\x1f{width}{' wide' if more else ''}\\x1f")
        words = [*line.split(), *more]
        app(words)(words, standalone_mode=False)
        sys.stdout.flush()
"""


def value(row, system):
    """Some number with three decimals; some are missing."""
    return "" if (row + system) % 11 == 0 else f"{((row * 37 + system * 101) % 997) / 997 - 0.4:.3f}"


@pytest.fixture(scope="module")
def output_by_command(tmp_path_factory):
    """Command, width → what stands on the terminal."""
    folder = tmp_path_factory.mktemp("terminal")
    header = ",".join(["id", "kind", *LONG])
    rows = [",".join([f"q{n}", "xy"[n % 2], *(value(n, s) for s in range(8))]) for n in range(24)]
    (folder / "values.csv").write_text("\n".join([header, *rows]))
    texts = [
        ",".join(["the red car" if n % 7 else "", f"kind-{n % 3}", str(n % 5), *[f"a {w} car" for w in LONG]])
        for n in range(20)
    ]
    (folder / "texts.csv").write_text("\n".join([",".join(["reference", "kind", "human", *LONG]), *texts]))
    for name, source in zip(LONG, ["api", "hybrid", "vector"] * 3, strict=False):
        shutil.copy(TREC / f"{source}.run", folder / name)
    two, all_ = LONG[:2], LONG
    responses = {n: " ".join(f"--response {name}" for name in names) for n, names in ((2, two), (8, all_))}
    commands = [
        f"trec {TREC}/qrels.txt {two[0]} {two[1]} -m AP,P@10,nDCG@10,RBP(p=0.8)".replace(",", " -m "),
        f"trec {TREC}/qrels.txt {' '.join(all_)} -m nDCG@10",
        f"score {' '.join(two)} --qrels {TREC}/qrels.txt -m AP -m RR -q",
        "score values.csv -g kind",
        f"compare values.csv {responses[2]} --margin 0.1",
        "compare values.csv",
        f"text texts.csv -l en -m TokenRecall -m ROUGE-L -m BLEU -g kind --human human {responses[2]}",
        f"text texts.csv -l en -m TokenRecall -m ExactMatch --group kind {responses[8]}",
        f"gate values.csv --response {LONG[1]} --against {LONG[2]} -r Value>=-0.9 -r Value>-0.5",
        f"reliability {' '.join(two)} --qrels {TREC}/qrels.txt --splits 20",
        "reliability values.csv --splits 20",
    ]
    ours, theirs = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-c", ON_TERMINAL, *commands]
    with (folder / "stderr.txt").open("wb") as said:
        process = subprocess.Popen(command, stdout=theirs, stderr=said, cwd=folder, env=settings)
    os.close(theirs)
    told = b"".join(_read(ours))
    os.close(ours)
    assert process.wait(60) == 0, (folder / "stderr.txt").read_text()
    parts = [part.split("\x1f") for part in told.decode().replace("\r\n", "\n").split("\x1e")[1:]]
    assert len(parts) == 4 * len(commands)
    return {(line, width): text for line, width, text in parts}


def _read(terminal):
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # nobody writes any more
            return
        yield part


def test_no_line_is_longer_than_the_terminal(output_by_command):
    for (command, width), text in output_by_command.items():
        if "wide" not in width:
            long = [line for line in text.split("\n") if cells(line) > int(width) and "|" not in line]
            assert long == [], f"{width}: {command}"


def test_every_number_is_whole_and_stands_as_often_as_in_one_piece(output_by_command):
    # a letter may stand for a name, and for its number in the table of what the data show
    in_names = {*NUMBER.findall(" ".join(LONG)), *(str(n) for n in range(1, len(LONG) + 1))}
    for (command, width), text in output_by_command.items():
        found, wide = (Counter(NUMBER.findall(part)) for part in (text, output_by_command[command, "60 wide"]))
        assert found.keys() - in_names == wide.keys() - in_names, f"{width}: {command}"
        for name in in_names:
            del wide[name]
        assert wide <= found, f"{width}: {command}"
    assert sum("wide" in width for _, width in output_by_command) == 11


def test_each_part_of_a_table_names_its_rows(output_by_command):
    (narrow,) = (
        text
        for (command, width), text in output_by_command.items()
        if command == "compare values.csv" and width == "80"
    )
    parts = [part for part in narrow.split("\n\n") if "─" in part]
    tables = [part.split("\n") for part in parts if re.search(r"^metric +a − b", part, re.MULTILINE)]
    assert len(tables) > 1
    assert len(parts) == len(tables) + 1  # and what the data show of each run
    legend = re.findall(r"^([A-H])  (\S+)$", narrow, re.MULTILINE)
    assert [letter for letter, _ in legend] == [*"ABCDEFGH"]
    assert {name for _, name in legend} == {*LONG}
    assert re.search(r"\nValue   [A-H] − [A-H] ", narrow)
    for lines in tables:
        rule = next(place for place, line in enumerate(lines) if line.startswith("─"))
        assert sum(line.startswith("Value ") for line in lines[rule + 1 :]) == 28  # 8 systems make so many pairs


def test_long_names_of_two_runs_stand_once_in_a_key_above_the_table_of_tests(output_by_command):
    (narrow,) = (text for (command, width), text in output_by_command.items() if "RBP" in command and width == "80")
    tests = narrow[narrow.index("paired t test") :]
    assert {name for _, name in re.findall(r"^([AB])  (\S+)$", tests, re.MULTILINE)} == {*LONG[:2]}
    rows = [row for row in tests.splitlines() if re.match(r"(AP|P@10|nDCG@10|RBP\S*) ", row)]
    assert rows
    assert all(re.match(r"\S+ +(A − B|B − A) ", row) for row in rows)


def test_wide_has_each_row_in_one_line(output_by_command):
    (wide,) = (
        text
        for (command, width), text in output_by_command.items()
        if command == "compare values.csv" and "wide" in width
    )
    (header,) = (line.split() for line in wide.split("\n") if line.startswith("metric"))
    assert header == [
        "metric",
        "a",
        "−",
        "b",
        "difference",
        "interval",
        "statistic",
        "p",
        "p",
        "adjusted",
        "effect",
        "wins/ties/losses",
        "n",
        "n",
        "needed",
        "(t)",
    ]
    rows = [line for line in wide.split("\n") if line.startswith("Value ")]
    assert len(rows) == 28
    means = {name: np.mean([float(v) for n in range(24) if (v := value(n, s))]) for s, name in enumerate(LONG)}
    best, second = sorted(LONG, key=lambda name: -means[name])[:2]
    assert rows[0].startswith(f"Value   {best} − {second} ")


def test_cautions_on_stderr_are_wrapped_on_a_terminal_and_in_one_line_in_a_file(tmp_path):
    """The note on the two queries that api.run lacks is longer than 60 characters."""
    command = [sys.executable, "-m", "neraca", "trec", f"{TREC}/qrels.txt", f"{TREC}/api.run", "-m", "AP"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=os.environ | {"COLUMNS": "60"})
    os.close(theirs)
    lines = b"".join(_read(ours)).decode().splitlines()
    os.close(ours)
    assert process.wait(60) == 0
    in_a_file = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    assert any(line.startswith("neraca: api: ") for line in in_a_file)
    assert len(lines) > len(in_a_file)
    assert max(map(cells, lines)) <= 60
    assert all(line.startswith(("neraca: ", " " * 8)) for line in lines)
    assert " ".join(line.strip() for line in lines) == " ".join(in_a_file)


def test_where_there_is_no_terminal_tables_are_as_wide_as_a_usual_one_or_as_asked(cli, monkeypatch):
    words = ["trec", TREC / "qrels.txt", TREC / "api.run", TREC / "vector.run", "-m", "AP"]

    def widest():
        return max(cells(line) for line in cli(*words).out.split("\n") if line.startswith("─"))

    assert 70 < widest() <= 100
    monkeypatch.setenv("COLUMNS", "70")
    assert widest() <= 70
    words.append("--wide")
    assert widest() > 100
