"""Files as Windows writes them and names as it has them, tried where tests run: lines that end in CRLF, backslashes.

That the package asks nothing of the system that Windows lacks is held in `tests/house/test_portable.py`; the last test
here takes those things away and works through a study all the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from house.test_portable import lacking

import neraca
from neraca.cli import main
from neraca.comparisons.gate_rule import read_rules
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_reader import read_table
from neraca.judges.llm.prompt import read_examples
from neraca.metrics.text.synonyms import Synonyms
from neraca.records import Item
from neraca.runs.run import Run
from neraca.study_file import read_study

DOCS = Path(__file__).parents[2] / "docs"
TOPICS = "<top>\n<num> Number: 301\n<title> Crime that\nis organised\n<desc> Description:\nFind it.\n</top>\n"
TABLE = 'question,expects,category,constraints\n"two\nlines",none,a,\nwho?,,b,"{""price"": {""max"": 9}}"\n'
OBJECTS = '{"id": "1", "question": "who?", "category": "a"}\n{"id": "2", "question": "why?", "category": "b"}\n'


def both(folder: Path, name: str, text: str) -> tuple[Path, Path]:
    """The same file with the line ends of Unix and with those of Windows."""
    paths = folder / "unix" / name, folder / "windows" / name
    for path, end in zip(paths, ("\n", "\r\n"), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("\n", end).encode())
    return paths


@pytest.mark.parametrize(
    "name, text",
    [
        ("q.csv", TABLE.replace("two\n", "two ")),
        ("q.tsv", "question\tcategory\nwho?\ta\nwhy?\tb\n"),
        ("q.jsonl", OBJECTS),
        ("q.json", json.dumps([json.loads(line) for line in OBJECTS.splitlines()], indent=1)),
        ("topics.txt", TOPICS),
        ("topics.xml", '<topics>\n<topic number="1">\n<query>who\ncame?</query>\n</topic>\n</topics>\n'),
        ("queries.tsv", "19\twho came?\n20\twhy?\n"),
    ],
)
def test_questions(tmp_path, name, text):
    unix, windows = (read_dataset(path) for path in both(tmp_path, name, text))
    assert tuple(unix) == tuple(windows) != ()
    assert unix.fingerprint == windows.fingerprint, "a run that was begun on one system goes on on the other"


def test_a_cell_of_two_lines_as_excel_saves_it(tmp_path):
    """CRLF between rows, LF inside a cell."""
    unix, windows = both(tmp_path, "q.csv", TABLE)
    windows.write_bytes(windows.read_bytes().replace(b"two\r\n", b"two\n"))
    assert tuple(read_dataset(windows)) == tuple(read_dataset(unix))
    assert next(iter(read_dataset(windows))).query == "two\nlines"


def test_a_beir_folder(tmp_path):
    both(tmp_path, "beir/queries.jsonl", '{"_id": "q1", "text": "who?"}\n{"_id": "q2", "text": "why?"}\n')
    both(tmp_path, "beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td1\t1\n")
    unix, windows = (tuple(read_dataset(tmp_path / system / "beir")) for system in ("unix", "windows"))
    assert unix == windows
    assert windows[0].relevant == {"d1": 2.0}


def test_trec_files(tmp_path):
    qrels = both(tmp_path, "qrels.txt", (DOCS / "trec/qrels.txt").read_text("utf-8"))
    runs = both(tmp_path, "hybrid.run", (DOCS / "trec/hybrid.run").read_text("utf-8"))
    unix, windows = (neraca.trec(q, r, ["nDCG@10", "AP"]) for q, r in zip(qrels, runs, strict=True))
    assert windows.mean("nDCG@10") == unix.mean("nDCG@10") > 0
    assert windows.mean("AP") == unix.mean("AP")


def test_a_table_of_texts(tmp_path):
    files = both(tmp_path, "answers.csv", (DOCS / "text/answers.csv").read_text("utf-8"))
    unix, windows = (read_table(file).rows for file in files)
    assert unix == windows != []


def test_recorded_answers(tmp_path):
    table = 'query,answer,contexts\nwho?,Ana,"[""a"", ""b""]"\nwhy?,Because,[]\n'
    questions = Dataset((Item(id="1", query="who?"), Item(id="2", query="why?")), "questions")
    unix, windows = (
        neraca.ask(questions, {"kind": "replay", "file": str(file)}, file.parent / "run")
        for file in both(tmp_path, "answers.csv", table)
    )
    assert [answer.text for answer in windows.answers().values()] == ["Ana", "Because"]
    assert [a.hits for a in windows.answers().values()] == [a.hits for a in unix.answers().values()]


def test_settings_rules_synonyms_and_examples(tmp_path):
    study = 'name = "s"\n[dataset]\nfile = "q.csv"\n[target]\nkind = "command"\ncommand = """\nbot\n"""\n[targets.a]\n'
    unix, windows = (read_study(path) for path in both(tmp_path, "study.toml", study))
    assert unix == windows
    for read, name, text in (
        (read_rules, "rules.txt", "# rules\nnDCG@10 >= -0.02\n\nRR >= 0.3\n"),
        (lambda path: Synonyms.load(path).groups, "synonyms.txt", "house, home\nbig, large\n"),
        (lambda path: read_examples(path, ["claims"]), "examples.md", "# claims\nOne.\n\nTwo.\n"),
    ):
        unix, windows = (read(path) for path in both(tmp_path, name, text))
        assert repr(windows).replace("windows", "unix") == repr(unix), name


# names with backslashes


@pytest.fixture
def error_of(monkeypatch, capsys, tmp_path):
    """What the command line says, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["neraca", *words])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().err

    return call


@pytest.mark.parametrize("columns", ["60", "200"])
def test_a_path_of_windows_stands_in_messages_as_it_was_typed(error_of, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    path = r"C:\new\[bold]tests\u0041.csv"
    assert path in error_of("ask", path, "--target", "command:true", "--out", "run")
    assert path in error_of("run", path)
    assert path in error_of("text", path, "-m", "ROUGE-L").replace("\n", "")
    assert path in error_of("score", path, "-m", "P@5").replace("\n", "")


def test_a_path_of_windows_stands_in_a_run_and_in_its_report_as_it_is(tmp_path):
    path = tmp_path / r"C:\new\questions.csv"
    path.write_text("question,answer\nwho?,Ana\n")
    run = neraca.ask(path, {"kind": "replay", "file": str(path)}, tmp_path / r"runs\new")
    assert Run(run.path).manifest.dataset == str(path)
    assert Run(run.path).manifest.target["file"] == str(path)
    page = neraca.report(neraca.score([run], "P@5"))
    neraca.write_report(tmp_path / "report.md", page)
    neraca.write_report(tmp_path / "report.html", page)
    assert r"runs\new" in (tmp_path / "report.html").read_text("utf-8")


def test_a_function_in_a_file_of_windows(tmp_path):
    questions = Dataset((Item(id="1", query="who?"),), "questions")
    (tmp_path / r"C:\new\bot.py").write_text("def answer(query): return 'Ana'")
    run = neraca.ask(questions, {"kind": "python", "function": rf"{tmp_path}/C:\new\bot.py:answer"}, tmp_path / "run")
    assert run.answers()["1", 0].text == "Ana"


# nothing that Windows lacks

WORK = """
import os, pathlib, signal, sys
import asyncio, concurrent.futures, subprocess, filelock, polars, aiohttp, openpyxl, scipy.stats
lacking_os, lacking_signal = (set(words.split(",")) for words in sys.argv[2:4])
# Python's own modules need these where they run on Unix.
lacking_os -= {"waitstatus_to_exitcode", "WNOHANG", "set_blocking", "get_blocking", "register_at_fork"}
lacking_signal -= {"siginterrupt", "SIGCHLD"}
for module, names in ((os, lacking_os), (signal, lacking_signal)):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
import neraca
folder = pathlib.Path(sys.argv[1])
(folder / "bot.py").write_text("import json, sys; sys.stdin.read(); print(json.dumps({'hits': [{'id': 'a'}]}))")
bot = [sys.executable, str(folder / "bot.py")]
(folder / "q.csv").write_text("question,relevant\\nwho?,a\\nwhy?,b\\n")
runs = []
for name in ("old", "new"):
    runs.append(neraca.ask(folder / "q.csv", {"kind": "command", "command": bot}, folder / name))
    neraca.judge(runs[-1], "rules")
again = neraca.ask(folder / "q.csv", {"kind": "command", "command": bot}, folder / "new", anew=True)
assert not hasattr(os, "fdatasync") and not hasattr(os, "killpg")
scores = neraca.score(runs, "RR")
neraca.write_report(folder / "report.html", neraca.report(scores, neraca.compare(scores, primary="RR")))
print(scores.mean("RR", "old"), sorted(path.name[:6] for path in folder.iterdir()))
"""


def test_a_study_without_what_windows_lacks(tmp_path):
    names = [",".join(sorted(lacking(module))) for module in ("os", "signal")]
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(tmp_path), *names], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(maxsplit=1)[0] == "0.5"
    assert (tmp_path / "report.html").exists()
    manifest = msgspec.json.decode((tmp_path / "new/manifest.json").read_bytes())
    assert manifest["statuses"] == {"complete": 2}
