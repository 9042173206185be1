"""What the README tells a reader to type works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from neraca.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUESTIONS = """question,expects,constraints,category
red shoes,results,"{""colour"": {""equals"": ""red""}}",shoes
green hat,results,"{""colour"": {""equals"": ""green""}}",hats
blue hat,results,"{""colour"": {""equals"": ""blue""}}",hats
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


class Shop(BaseHTTPRequestHandler):
    """Finds nothing when it is old, and a red thing when it is new."""

    def do_POST(self) -> None:
        new = b'"new"' in self.rfile.read(int(self.headers["Content-Length"]))
        hits = '[{"id": "1", "colour": "red"}]' if new else "[]"
        reply = f'{{"response": "here", "results": {hits}}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def python(code: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_five_lines_of_toml(tmp_path: Path, shop: str) -> None:
    (toml,) = blocks("toml")
    assert len(toml.strip().splitlines()) == 5
    (tmp_path / "study.toml").write_text(toml.replace("http://127.0.0.1:8000", shop))
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    told = python(
        "import sys; sys.argv = ['neraca', 'run', 'study.toml']; from neraca.cli import main; main()", tmp_path
    )
    assert "results/study/report.html" in told
    assert re.search(r"\nnew .* 0\.333 ", told), "one of three questions has its colour"


def test_the_two_lines_of_python_on_trec_files() -> None:
    _, _, trec, _ = blocks("python")
    told = python(trec, Path(__file__).parents[2])
    assert re.search(r"nDCG@10 +0\.876", told)


def test_the_two_lines_of_python_on_texts() -> None:
    """Without articles: recall 3 of 4 words; with them 3 of 5 and of 4 in order, F 2/3."""
    *_, text = blocks("python")
    told = python(text, ROOT)
    assert re.search(r"TokenRecall +0\.750", told)
    assert re.search(r"ROUGE-L +0\.667", told)


def test_the_command_on_texts(tmp_path: Path) -> None:
    (words,) = re.findall(r"^neraca (text .*)$", README, re.MULTILINE)
    words = words.replace("docs/", f"{ROOT}/docs/")
    code = f"import sys; sys.argv = {['neraca', *words.split()]!r}; from neraca.cli import main; main()"
    assert "new is better than old in TokenRecall" in python(code, tmp_path)
    assert (tmp_path / "scored.csv").read_text(encoding="utf-8").count("\n") == 13


def test_the_five_lines_of_python_with_the_metric_of_your_own(tmp_path: Path) -> None:
    verbs, own, _, _ = blocks("python")
    assert len(verbs.strip().splitlines()) == 5
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    functions = (
        "def old_search(query): return 'nothing'\n"
        "def new_search(query): return {'text': 'here', 'hits': [{'id': '1', 'colour': 'red'}]}\n"
    )
    shown = "\nprint([(s.run, s.metric, s.value) for s in scores.overall() if s.metric == 'Success'])"
    told = python(functions + own + verbs + shown, tmp_path)
    assert "('old_search', 'Success', 0.0)" in told
    assert "('new_search', 'Success', 0.3333333333333333)" in told
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_every_command_of_the_readme_exists_and_every_command_is_in_it() -> None:
    named = set(
        re.findall(r"`neraca ([a-z]+)[^`]*`", README[README.index("## The commands") : README.index("`--json`")])
    )
    assert named == {command.name for command in app().registered_commands}


def test_the_files_that_it_names_are_there() -> None:
    for target in re.findall(r"\]\(([\w/.-]+)\)", README):
        assert (ROOT / target).exists(), target
