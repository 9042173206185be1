"""CONTRIBUTING.md is right: what it names is there, its walks are walked, its examples run."""

import ast
import functools
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "neraca"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", GUIDE, flags=re.DOTALL)
#: Path of an example → its text, whose first line is the path.
EXAMPLES = {path: text for text, path in re.findall(r"```python\n(# (\S+)\n.*?)```", GUIDE, re.DOTALL)}
#: `room/file.py: name, Class.method`.
STOPS = re.compile(r"`([\w/]+\.py): ([\w., ]+)`")

#: What is done on each walk, in a folder of its own; `{root}` is that of the house.
WALKS = {
    "question": """
import pathlib, neraca
pathlib.Path("questions.csv").write_text('''question,expects,constraints
red shoes,results,"{{""colour"": {{""equals"": ""red""}}}}"
blue hat,results,"{{""colour"": {{""equals"": ""blue""}}}}"
''')
def old(query): return "nothing"
def new(query): return {{"text": "here", "hits": [{{"id": "1", "colour": "red"}}]}}
runs = [neraca.ask("questions.csv", system, system.__name__) for system in (old, new)]
for run in runs: neraca.judge(run, "rules")
scores = neraca.score(runs, "nDCG@10")
neraca.write_report("report.html", neraca.report(scores, neraca.compare(scores)))
assert "nDCG@10" in pathlib.Path("report.html").read_text()
""",
    "trec": """
from neraca.cli import app
files = [f"{root}/docs/trec/{{name}}" for name in ("qrels.txt", "vector.run", "api.run")]
app()(["trec", *files], standalone_mode=False)
""",
    "text": """
from neraca.cli import app
words = "-m ROUGE-L --response new --out scored.csv".split()
app()(["text", "{root}/docs/text/answers.csv", *words], standalone_mode=False)
""",
}
#: Prints every function of ours that the code, its last argument, calls: file, tab, name.
TRACE = """
import sys, threading
source, code = sys.argv[1:]
called = set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(source):
        called.add((frame.f_code.co_filename[len(source) + 1 :], frame.f_code.co_qualname))
threading.setprofile(note)
sys.setprofile(note)
try:
    exec(code, {"__name__": "__main__"})
finally:
    sys.setprofile(None)
for place in called: print(*place, sep="\\t")
"""
#: Runs the examples as if they stood in the house: their folders become parts of the rooms of the same name.
RUN = """
import doctest, importlib, sys
from pathlib import Path
import pytest
folder, guide = map(Path, sys.argv[1:3])
for path in sys.argv[3:]:
    if path.startswith("src/"):
        *room, file = Path(path).with_suffix("").parts[1:]
        importlib.import_module(".".join(room)).__path__.append(str((folder / path).parent))
        found = doctest.testmod(importlib.import_module(".".join([*room, file])))
        if found.failed: sys.exit(f"{path}: {found}")
tests = [str(folder / path) for path in sys.argv[3:] if path.startswith("tests/")]
# The plugin of Neraca is a module of the package, which the examples have imported already.
options = ["-p", "no:cacheprovider", "-W", "ignore:Module already imported"]
sys.exit(pytest.main(["-c", str(guide / "pyproject.toml"), "--rootdir", str(folder), *options, *tests]))
"""


def python(code, *arguments, folder):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


@functools.cache
def names_in(path):
    """Functions, classes and methods (`Class.method`) of a file."""
    found = set()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, kinds):
            found.add(node.name)
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, kinds)}
    return found


def stops(text):
    return [(file, name) for file, names in STOPS.findall(text) for name in names.split(", ")]


def walk(name):
    """The text of a walk, from its mark to the next one or the next heading."""
    return re.search(rf"<!-- walk: {name} -->(.*?)(?=<!-- walk|\n## )", GUIDE, re.DOTALL).group(1)


def paths(text):
    """The files and rooms that a text names."""
    named = re.findall(r"`((?:[\w.-]+/)+|[\w./-]+\.(?:py|md|toml|txt))(?:: [^`]*)?`", text)
    return {name for name in named if "/" in name or (ROOT / name).suffix in (".py", ".md", ".toml", ".txt")}


def test_files_and_rooms_that_it_names_exist():
    named = paths(PROSE)
    assert {"scores/", "datasets/trec/", "records.py", "pyproject.toml", "tests/laws/"} <= named
    assert [name for name in sorted(named) if not ((SOURCE / name).exists() or (ROOT / name).exists())] == []


def test_functions_that_it_names_exist():
    assert len(stops(PROSE)) > 40
    assert [f"{file}: {name}" for file, name in stops(PROSE) if name not in names_in(SOURCE / file)] == []


def rooms():
    table = GUIDE[GUIDE.index("\n## Rooms") : GUIDE.index("\n## Where")]
    return [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(.*?)`", row)]


def test_the_picture_shows_the_imports_of_today():
    floors = runpy.run_path(str(ROOT / "docs" / "draw_floors.py"))
    assert floors["PICTURE"].read_text("utf-8") == floors["draw"](), "run python docs/draw_floors.py"


def test_every_room_stands_in_the_map_once():
    folders = {f"{path.parent.relative_to(SOURCE)}/" for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE}
    files = {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")}
    assert sorted(rooms()) == sorted(folders | files)


def test_the_map_has_the_order_of_the_floors():
    """As import-linter knows it; the files that it does not know stand anywhere."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = tools["importlinter"]["contracts"][0]["layers"]
    floors = {room: floor for floor, line in enumerate(layers) for room in re.findall(r"\w+", line)}
    order = [floors[room] for name in rooms() if (room := re.split(r"[/.]", name)[0]) in floors]
    assert order == sorted(order)


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_passes_every_stop(name, tmp_path):
    told = python(TRACE, SOURCE, WALKS[name].format(root=ROOT), folder=tmp_path)
    called = {tuple(line.split("\t")) for line in told.splitlines() if "\t" in line}
    assert len(stops(walk(name))) > 10
    assert [f"{file}: {name}" for file, name in stops(walk(name)) if (file, name) not in called] == []


def test_its_examples_run(tmp_path):
    assert len(EXAMPLES) == 8
    assert re.search(r'not_for=".{20,160}"', EXAMPLES["src/neraca/metrics/ranking/ncg.py"])
    for path, text in EXAMPLES.items():
        assert not (ROOT / path).exists(), "an example shows something new"
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    told = python(RUN, tmp_path, ROOT, *EXAMPLES, folder=tmp_path)
    assert re.search(r"\b7 passed", told)


def test_what_it_tells_to_make_can_be_made():
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = set(re.findall(r"`make (\w+)`", GUIDE))
    assert {"test", "check", "soak", "demo"} <= named <= set(phony.split())
