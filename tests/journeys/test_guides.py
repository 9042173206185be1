"""Every command, every cell of Python and every file of the README and the guides works as it is printed there."""

from __future__ import annotations

import json
import math
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from builders import make_answer, make_item, make_run
from generation.planted_questions import Writer, branches, read, write_folder
from journeys.guide import ROOT, WIDTH, Reader, blocks
from journeys.test_llm_judge import reply
from judges.scripted_model import CODE
from models.llm_server import Call, LlmServer, sample
from traces.exports import body, span
from web.receiving import post, receiving

import neraca
from neraca.datasets.beir_qrels import read_qrels
from neraca.datasets.table_reader import read_table
from neraca.judges.judge import JUDGES
from neraca.metrics.metric import METRICS
from neraca.metrics.ranking.cwl import USER_MODELS
from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Verdict
from neraca.runs.run import Run
from neraca.study_file import read_study
from neraca.targets.target import TARGETS
from neraca.web.rating_settings import RatingSettings, assign

#: Commands that no test can run → why.
LEFT_OUT = {
    "python -m venv .venv": "makes an environment",
    r'.venv\Scripts\pip install -c constraints.txt ".[demo]"': "fetches packages, on Windows",
    r".venv\Scripts\neraca demo": "the path is that of Windows; the command is run as that of `make demo`",
    'pip install ".[browser]"': "fetches packages",
    'pip install ".[judge]"': "fetches packages",
    'pip install "$(ls tools/neraca-*.whl)[browser]"': "fetches packages",
    "playwright install chromium": "fetches a browser",
    "podman build -t neraca .": "needs a container engine",
    "podman run --rm -p 127.0.0.1:8765:8765 -v ./results:/data neraca": "needs a container engine",
    'pip install "neraca[web]"': "fetches packages",
    "neraca rate runs/api runs/vector runs/hybrid --raters ana,budi": "serves until it is ended; tests/cli does it",
    "neraca rate runs/* --raters ana,budi --url https://ratings.example.org": "serves until it is ended",
    "neraca rate export --db sqlite:///ratings.sqlite": "needs what raters said on a server; tests/cli does it",
    "neraca rate export --db sqlite:///ratings.sqlite --to out": "needs what raters said on a server",
    "neraca rate --study study.toml --raters ana,budi,citra,dewi,eka": "serves until it is ended; tests/web does it",
    'neraca report results/study/users --to users.html -m "P@5 RR Rubric(quality)"': "needs what users asked",
    "neraca demo --llm openai:gpt-4o-mini --llm anthropic:claude-haiku-4-5 --rate": "waits for a person",
    "neraca serve results --rate results/study/search/api --rate results/study/search/hybrid --raters ana,budi": (
        "serves until it is ended; tests/web does it"
    ),
    "neraca serve runs --rate runs/rag --kind review --raters ana": "serves until it is ended; tests/web does it",
    "neraca demo --online": "test_online_demo.py does it, with fewer users",
    "neraca serve runs": "serves until it is ended; tests/web does it",
    'pip install "neraca[traces]"': "fetches packages",
    "neraca receive --out runs/live": "serves until it is ended; tests/web does it",
    "neraca receive --out runs/live --host 0.0.0.0": "serves until it is ended; tests/web does it",
    "neraca traces back runs/november --to langfuse --url https://cloud.langfuse.com": (
        "sends to a service; tests/cli does it with a server on loopback"
    ),
    "neraca browser --login https://chat.example.org --storage-state login.json": "waits for a person in a window",
}
#: Pages that are no guide: the map of the house has a test of its own, tests/house/test_contributing.py.
OTHERS = {"CONTRIBUTING.md"}
PAGES = [
    page
    for folder in ("*.md", "docs/**/*.md", "benchmarks/**/*.md", "tests/**/*.md")
    for page in sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(folder))
    if page not in OTHERS and blocks(page)
]
QUESTIONS = """question,expects,constraints,category
red shoes,results,"{""colour"": {""equals"": ""red""}}",shoes
green hat,results,"{""colour"": {""equals"": ""green""}}",hats
blue hat,results,"{""colour"": {""equals"": ""blue""}}",hats
"""


@pytest.fixture
def reader(
    page: str,
    cli: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Reader]:
    """A reader of the page, in a folder that has nothing but the data of the guides."""
    for folder in ("browser", "text", "trec"):
        shutil.copytree(ROOT / "docs" / folder, tmp_path / "docs" / folder)
    monkeypatch.chdir(tmp_path)
    for name, value in {"PWD": tmp_path, "COLUMNS": WIDTH, "XDG_CACHE_HOME": tmp_path / "cache"}.items():
        monkeypatch.setenv(name, str(value))
    yield Reader(page, tmp_path, cli, capsys, monkeypatch, LEFT_OUT)
    for registry in (METRICS, JUDGES, TARGETS, USER_MODELS):
        for name in [name for name, source in registry._sources.items() if source.startswith("page.")]:
            del registry._objects[name], registry._sources[name]


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


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    """A scripted model, where those of OpenAI and Anthropic are looked for."""

    def answer(call: Call) -> Any:
        claims = {"declines", "q1", "c1", "r1"} & call.schema["properties"].keys()
        return reply(call) if claims else sample(call.schema)

    with LlmServer(reply=answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(name, "sk-test")
        yield server


def make_runs(folder: Path, **ranks: int | None) -> None:
    """Run folders of twelve questions by name; of two thirds, the relevant document has this rank, or is not found."""
    items = [make_item(str(n), relevant={"d": 1}, references=("It has two floors.",)) for n in range(12)]
    for name, usual in ranks.items():
        answers = []
        for n in range(12):
            rank = usual and usual + (n % 3 == 0)
            docs = " ".join("d" if place == rank else f"x{place}" for place in range(1, 6))
            answers.append(make_answer(docs, str(n), text="Two floors." if rank == 1 else "Two."))
        make_run(folder / "runs" / name, items, answers)


def write_values(folder: Path) -> None:
    rows = [f"{n},{0.5 + 0.03 * (n % 5)},{0.4 + 0.05 * (n % 3)}" for n in range(20)]
    (folder / "values.csv").write_text("\n".join(["id,old,new", *rows, ""]))


def start(reader: Reader, get: Callable[[str], Any]) -> None:
    def old_search(query: str) -> str:
        return "nothing"

    def new_search(query: str) -> dict[str, Any]:
        return {"text": "here", "hits": [{"id": "1", "colour": "red"}]}

    get("chromium"), get("model")
    (reader.folder / "questions.csv").write_text(QUESTIONS)
    make_runs(reader.folder, flat=1)
    (reader.folder / "kb").mkdir()
    (reader.folder / "kb" / "house.txt").write_text("It has two floors.")
    reader.known |= {"old_search": old_search, "new_search": new_search}
    reader.files = ["study.toml"]
    reader.replaced = {
        "http://127.0.0.1:8000": get("shop"),
        "judge RUN": "judge runs/flat",
        "--budget": '--set "price=[1, 10]" --budget',
    }
    reader.read()
    of = reader.of
    assert len((reader.folder / "study.toml").read_text().strip().splitlines()) == 5, '"in five lines of TOML"'
    assert "results/study/report.html" in of["neraca run study.toml"]
    assert re.search(r"\nnew .* 0\.333 ", of["neraca run study.toml"]), "one of three questions has its colour"
    success = {score.run: score.value for score in reader.known["scores"].overall() if score.metric == "Success"}
    assert success == {"old_search": 0, "new_search": 1 / 3}
    assert (reader.folder / "report.html").stat().st_size > 10_000
    (texts,) = (done for line, done in of.items() if line.startswith("neraca text"))
    assert "new is better than old in TokenRecall" in texts
    assert (reader.folder / "scored.csv").read_text(encoding="utf-8").count("\n") == 13
    # without articles recall is 3 of 4 words; with them 3 of 5 and of 4 are in order, F 2/3
    assert re.search(r"TokenRecall +0\.750", reader.cells[-1])
    assert re.search(r"ROUGE-L +0\.667", reader.cells[-1])
    assert re.search(r"nDCG@10 +0\.876", reader.cells[-2])


def browser(reader: Reader, get: Callable[[str], Any]) -> None:
    def the_answers() -> None:
        table = read_table(reader.folder / "resultados.csv")
        assert table.columns[:5] == ("id", "query", "ground_truth", "tema", "actual_response")
        cancel = next(row for row in table.rows if row["id"] == "cancelar")
        assert "72 horas" in cancel["actual_response"]
        assert "48 horas" in cancel["ground_truth"]
        text = (ROOT / reader.page).read_text(encoding="utf-8")
        assert f"has {float(cancel['Average']):.2f} on average" in text
        reader.type("neraca report resultados.run --to report.html --language es")
        assert (reader.folder / "report.html").stat().st_size > 10_000

    def the_study() -> None:
        assert "results/study/report.html" in reader.type("neraca run study.toml")
        answers = (reader.folder / "results/study/page/answers.jsonl").read_text(encoding="utf-8")
        assert answers.count('"text":"Sí, se admiten perros pequeños por 15 euros la noche."') == 1

    get("chromium")
    chat = f"file://{reader.folder}/docs/browser/chat.html"
    reader.patch.setenv("URL", chat)
    shutil.copy(ROOT / "docs/browser/preguntas.csv", reader.folder)
    (reader.folder / "login.json").write_text('{"cookies": [], "origins": []}')
    reader.files = ["preguntas.csv", "study.toml"]
    reader.replaced = {
        "https://chat.example.org": chat,
        "resultados.csv --storage-state": "private.csv --limit 1 --storage-state",
        "resultados.csv --profile": "checked.csv --profile",
        "gate resultados.run": "gate checked.run",
    }
    reader.then = {blocks(reader.page)[2].commands()[0][0]: the_answers, "study.toml": the_study}
    reader.read()
    assert "TokenRecall" in reader.of['neraca gate resultados.run --rule "TokenRecall > 0.7" --language es']


def agree(reader: Reader, get: Callable[[str], Any]) -> None:
    """Sixty questions that a model judged and forty of which a person did, mostly alike."""
    items = [make_item(str(n)) for n in range(60)]
    for shift, name in enumerate(("hybrid", "vector")):
        verdicts = []
        for n in range(60):
            for by, value in (("llm:m", (n + shift) % 3 != 0), ("human:Ana", (n + shift) % 4 != 0)):
                if by == "llm:m" or n < 40:
                    verdicts += [
                        Verdict(
                            item=str(n), about=f"hit:d{k}", aspect="relevance", by=by, value=float(value or k == n % 5)
                        )
                        for k in range(5)
                    ]
                    verdicts.append(Verdict(item=str(n), about="answer", aspect="valid", by=by, value=float(value)))
        answers = [make_answer("d0 d1 d2 d3 d4", str(n), text="Two.") for n in range(60)]
        make_run(reader.folder / "runs" / name, items, answers, verdicts)
    get("model")
    rows = [{"question": "A lift?", "response": "Yes.", "kind": "responds", "label": n % 2} for n in range(6)]
    (reader.folder / "few.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    reader.files = ["labelled.csv"]
    reader.replaced = {"--validate examples": "--validate few.jsonl"}
    reader.read()
    assert (reader.folder / "plan.csv").exists()
    assert (reader.folder / "card.html").exists()


def calls(reader: Reader, get: Callable[[str], Any]) -> None:
    def the_verdicts() -> None:
        verdicts = (reader.folder / "results/study/agent/verdicts.jsonl").read_text(encoding="utf-8")
        assert "3 of 4 expected rows are there, of 3 returned" in verdicts
        assert "no such table: houses" in verdicts

    server = get("model")
    reader.files = ["questions.jsonl", "answers.jsonl", "study.toml"]
    reader.exits = {"neraca judge results/study/agent --judge sql --set expected=sql --set dialect=sqlite": 3}
    reader.then = {"neraca run study.toml": the_verdicts}
    reader.read()
    assert server.count == 3, "no pair of queries differs in spelling only"


def compare(reader: Reader, get: Callable[[str], Any]) -> None:
    make_runs(reader.folder, api=2, hybrid=1, vector=None, old=3, new=2, newer=1, newest=1)
    write_values(reader.folder)
    for name, source in {"a.run": "api.run", "b.run": "hybrid.run", "qrels.txt": "qrels.txt"}.items():
        shutil.copy(ROOT / "docs/trec" / source, reader.folder / name)
    topics = [f"q{n:02},question {n},s{n % 10}" for n in range(1, 31)]
    (reader.folder / "topics.csv").write_text("\n".join(["id,query,session", *topics, ""]))
    table = (ROOT / "docs/text/answers.csv").read_text(encoding="utf-8")
    (reader.folder / "answers.csv").write_text(table.replace("reference", "ground_truth", 1), encoding="utf-8")
    reader.read()


def generate(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.files = ["homes.csv", "queries.csv"]
    write_folder(reader.folder / "handbook", branches(12))
    writer = Writer()

    def write_or_read(call: Call) -> Any:
        data = json.loads(call.user.split(CODE.search(call.system)[1])[1])
        return writer(data) if "write" in data else read(data)

    def review() -> None:
        """Refuse the first accepted question, and confirm the checks of the others."""
        work = assign(RatingSettings(kind="review", runs=("asked",), aspect="accepted", show_verdict=True))
        first = min((task for task in work.tasks if task.opinions[0].value), key=lambda task: task.number)
        ratings = [
            {"id": task.id, "task": task.id, "on": "verdict", "value": task.opinions[0].value * (task != first)}
            for task in work.tasks
        ]
        page = {"neraca": "ratings", "v": 1, "rater": "ana", "runs": work.run_keys, "ratings": ratings}
        (reader.folder / "reviews-ana.json").write_text(json.dumps(page), encoding="utf-8")

    get("model").reply = write_or_read
    reader.then = {"neraca rate asked --kind review --page review.html": review}
    reader.read()
    assert {path.name for path in (reader.folder / "questions").iterdir()} == {
        "questions.jsonl",
        "card.html",
        "card.md",
        "card.json",
    }
    assert any("right answers" in cell for cell in reader.cells)
    assert {path.name for path in (reader.folder / "asked").iterdir()} >= {"questions.jsonl", "refused.jsonl"}


def gate(reader: Reader, get: Callable[[str], Any]) -> None:
    make_runs(reader.folder, old=1, new=None)
    reader.exits = {block.commands()[0][0]: 1 for block in blocks(reader.page)[:2]}
    reader.read()
    outcome, *rule, decision, difference, nothing_left_out = reader.cells[-1].split()
    assert nothing_left_out == "[]"
    assert "Control: no pasa" not in (page := (reader.folder / "gate.html").read_text(encoding="utf-8"))
    assert "Gate: fail" in page
    assert (outcome, rule, decision) == ("fail", ["nDCG@10", ">=", "-0.1"], "fail")
    assert float(difference) == pytest.approx(-(8 + 4 / math.log2(3)) / 12), "of ranks 1 and 2"


def local_models(reader: Reader, get: Callable[[str], Any]) -> None:
    """A scripted model enforces schemas, tells its context length, and is the target, too."""
    server = get("model")
    server.context = 8192
    server.reply = lambda call: {
        name: {"integer": 5, "boolean": True}.get(part.get("type"), "one two") if name != "enforced" else True
        for name, part in call.schema.get("properties", {}).items()
    }
    make_runs(reader.folder, flat=1)
    (reader.folder / "questions.csv").write_text("question\nIs there a lift?\n")
    rows = [{"question": "A lift?", "response": "Yes.", "kind": "responds", "label": n % 2} for n in range(6)]
    (reader.folder / "few.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    reader.files = ["target.toml"]
    reader.replaced = {"http://localhost:11434/v1": server.url, "--validate examples": "--validate few.jsonl"}
    reader.read()
    assert (reader.folder / "card.html").exists()


def judges(reader: Reader, get: Callable[[str], Any]) -> None:
    def the_study() -> None:
        head = 'name = "Flat"\ndataset.file = "questions.csv"\ntargets.flat = {kind = "replay", file = "answers.jsonl"}'
        settings = (reader.folder / "judges.toml").read_text(encoding="utf-8")
        (reader.folder / "study.toml").write_text(f"{head}\n{settings}", encoding="utf-8")
        reader.type("neraca run study.toml")
        verdicts = list(Run(reader.folder / "results/study/flat").verdicts())
        by = {verdict.by.partition("#")[0] for verdict in verdicts}
        assert {"llm:openai:gpt-4o-mini", "llm:anthropic:claude-haiku-4-5"} <= by
        assert {verdict.value for verdict in verdicts if verdict.aspect == "helpfulness"} == {1}

    server = get("model")
    judge = "neraca judge runs/flat --judge claims --model openai:gpt-4o-mini"
    asked = []
    reader.files = ["questions.csv", "answers.jsonl", "kb/flat.md", "kb/house.txt", "judges.toml"]
    reader.replaced = {
        "--budget": '--set "price=[1, 10]" --budget',
        "--corpus kb": '--corpus kb --set "price=[0.15, 0.60]"',
        '4o-mini"\n': '4o-mini"\nprice = [1, 10]\n',
        'haiku-4-5"\n': 'haiku-4-5"\nprice = [1, 10]\n',
    }
    reader.then = {
        f"{judge} --dry-run": lambda: asked.append(server.count),
        f"{judge} --budget 0.50": lambda: asked.append(server.count),
        "judges.toml": the_study,
    }
    reader.patch.delenv("OPENAI_API_KEY")
    items = [make_item(f"{name}{n}", session=name) for name in "ab" for n in (1, 2)]
    chat = make_run(reader.folder / "runs/chat", items, [make_answer(item=item.id, text="Yes.") for item in items])
    reader.read()
    assert {verdict.aspect for verdict in chat.verdicts()} == {"remembers", "consistent", "resolves", "stays"}
    assert asked == [0, 7]
    assert "would pay for about 7 calls" in reader.of[f"{judge} --dry-run"]
    assert "Faithfulness" in reader.of["neraca score runs/flat"]
    assert (reader.folder / "report.html").exists()


def power(reader: Reader, get: Callable[[str], Any]) -> None:
    make_runs(reader.folder, old=1, new=2)
    write_values(reader.folder)
    reader.read()


def python(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.read()
    known = reader.known
    assert known["best"] == "by_words"
    # "red hat" finds the red hat third: s1 and s2 are red things, too; the other three questions find theirs first
    assert known["scores"]["RR"]["by_first_word"] == pytest.approx((1 + 1 / 3 + 1 + 1) / 4)
    assert known["each"].columns == ["item", "category", "by_words", "by_first_word"]
    assert "by_first_word" in (reader.folder / "report.html").read_text(encoding="utf-8")


def pytest_page(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.files = ["bot.py", "hotel.csv", "test_bot.py"]
    line = "pytest test_bot.py --junitxml=results.xml"
    reader.exits = {line: 1}
    reader.read()
    assert "1 failed, 4 passed" in reader.of[line]
    cases = ElementTree.parse(reader.folder / "results.xml").getroot().iter("testcase")
    failures = {str(case.get("name")): case.find("failure") for case in cases}
    assert [*failures] == [f"test_the_hotel[{name}]" for name in ("cancel", "price", "dogs", "stars", "towel")]
    failed = [failure.get("message") for failure in failures.values() if failure is not None]
    assert [str(message).splitlines()[0] for message in failed] == ['Failed: must_contain: "48 hours" is not there']
    assert reader.known["checked"].failed == ['must_contain: "48 hours" is not there']


def ranking(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.read()
    # after the perfect hit everybody goes on, then half: 1 + 1 + 1/2 + 1/4 + … = 3 ranks are looked at for a gain of 1
    found = neraca.trec({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "CWL(Patient(p=0.5))")
    assert found.mean("CWL(Patient(p=0.5))") == pytest.approx(1 / 3)


def scale(reader: Reader, get: Callable[[str], Any]) -> None:
    server = get("model")
    reader.replaced = {"--budget": '--set "price=[1, 10]" --budget'}
    reader.read()
    assert 0 < server.count < 50, "equal rows are asked about once"
    assert (reader.folder / "correct/values").is_dir()


def study(reader: Reader, get: Callable[[str], Any]) -> None:
    def the_rating() -> None:
        (reader.folder / "questions.csv").write_text("id,question\nq1,Is there a lift?\n")
        (reader.folder / "answers.jsonl").write_text('{"id": "q1", "response": "Yes."}\n')
        (reader.folder / "rated.toml").write_text(
            'name = "Rated"\ndataset.file = "questions.csv"\nscore.metrics = ["Words"]\n[[phase]]\nname = "people"\n'
            'rate = true\ntargets.bot = { kind = "replay", file = "answers.jsonl" }\n'
        )
        reader.exits = {"neraca run rated.toml": 3}
        reader.type("neraca run rated.toml")
        with (reader.folder / "results/rated/people/bot/verdicts.jsonl").open("a") as verdicts:
            verdicts.write((reader.folder / "rating.jsonl").read_text(encoding="utf-8"))
        reader.exits = {}
        assert "report.html" in reader.type("neraca run rated.toml")

    def the_constraints() -> None:
        house = {"id": "h", "property_type": "Villa", "district": "Cemara Asri", "price": "Rp 1,2 M", "bedrooms": 3}
        near = {"id": "n", "property_type": "villa", "lat": 3.64, "lng": 98.70, "price": 2e9, "bedrooms": 2}
        hits = [{**house, "land_size": 181}, {**near, "land_size": 179}]
        constraints = json.loads((reader.folder / "constraints.json").read_text())
        question = {"id": "1", "question": "rumah murah", "language": "id", "constraints": constraints}
        (reader.folder / "asked.jsonl").write_text(json.dumps(question))
        (reader.folder / "found.jsonl").write_text(json.dumps({"id": "1", "response": "", "hits": hits}))
        reader.type("neraca ask asked.jsonl --target replay:found.jsonl --out constrained")
        reader.type("neraca judge constrained --judge rules")
        met = {(verdict.about, verdict.aspect): verdict.value for verdict in Run("constrained").verdicts()}
        assert [met["hit:h", name] for name in constraints] == [1, 1, 1, 1, 1]
        assert [met["hit:n", name] for name in constraints] == [1, 1, 0, 0, 0]

    def the_matrix() -> None:
        (phase,) = read_study(reader.folder / "matrix.toml").phases
        assert [*phase.targets] == ["short+small", "short+large", "reasons+small", "reasons+large"]
        assert phase.targets["short+large"]["body"] == {"system": "Answer in one sentence.", "model": "large"}

    reader.files = ["rating.jsonl", "matrix.toml", "constraints.json"]
    reader.then = {"rating.jsonl": the_rating, "matrix.toml": the_matrix, "constraints.json": the_constraints}
    reader.read()
    assert neraca.text(["x"], ["three words here"], "Length", language="en").mean("Length") == 3
    assert [JUDGES.get("polite"), TARGETS.get("echo")] == [reader.known["Polite"], reader.known["Echo"]]
    for place, target in enumerate(({"kind": "echo", "greeting": "Please wait"}, {"kind": "echo"})):
        run = neraca.ask(["rooms?"], target, f"echo {place}")
        neraca.judge(run, "polite")
        assert neraca.score(run, "Aspect(polite)").mean("Aspect(polite)") == 1 - place


def text(reader: Reader, get: Callable[[str], Any]) -> None:
    old = ["dos plantas", "no", "x"]
    reader.known |= {"references": ["dos plantas", "sí", None], "responses": old, "old": old, "new": old}
    reader.read()
    assert re.search(r"TokenRecall +0\.500 +none \(n < 3\) +2 +1", reader.cells[-1])
    assert reader.known["found"].why("ROUGE-L") == {2: "the item has no reference"}


def pool(reader: Reader, get: Callable[[str], Any]) -> None:
    """With what was judged when there was the run api alone: of the bundled judgments those on its documents."""
    data = reader.folder / "docs/trec"
    returned = {tuple(line.split()[0:3:2]) for line in (data / "api.run").read_text().splitlines()}
    judged = [line for line in (data / "qrels.txt").read_text().splitlines() if tuple(line.split()[0:3:2]) in returned]
    (reader.folder / "old.qrels").write_text("\n".join(judged), encoding="utf-8")
    _three_raters(reader.folder, data)
    get("model")
    items = [make_item(str(n)) for n in range(3)]
    for name in "ab":
        hits = tuple(Hit(id=f"{name}{n}", text=f"house {n}") for n in range(2))
        answers = [Answer(item=item.id, text="Two.", hits=hits) for item in items]
        make_run(reader.folder / "runs" / name, items, answers)
    reader.read()
    assert (reader.folder / "all.qrels").read_text().count(" -1\n") > 0


def _three_raters(folder: Path, data: Path) -> None:
    """Fill in the pool of the bundled runs to depth 5: of every tenth document Budi says the opposite of Ana.

    Citra judges only these.
    """
    grades = read_qrels(data / "qrels.txt").grades
    pooled = neraca.pool(sorted(map(str, data.glob("*.run"))), 5).documents
    places = sorted((document.query_id, document.document_id) for document in pooled)
    for name in ("ana", "budi", "citra"):
        lines = ["query_id,document_id,grade"]
        for n, (query, document) in enumerate(places, start=1):
            relevant = grades[query].get(document, 0) > 0
            if name != "citra" or n % 10 == 0:
                lines.append(f"{query},{document},{int(relevant != (name == 'budi' and n % 10 == 0))}")
        (folder / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")


def prefer(reader: Reader, get: Callable[[str], Any]) -> None:
    get("model")
    make_runs(reader.folder, api=1, vector=2, hybrid=3)
    reader.read()


def rate(reader: Reader, get: Callable[[str], Any]) -> None:
    make_runs(reader.folder, api=1, hybrid=2)
    tasks = RatingTasks.of([Run(reader.folder / "runs/api")]).tasks
    said = [{"id": task.id, "task": task.id, "on": "quality", "value": 4} for task in tasks]
    page = {"neraca": "ratings", "v": 1, "rater": "ana", "ratings": said}
    (reader.folder / "ratings-ana.json").write_text(json.dumps(page), encoding="utf-8")
    lines = [f"{task.number},2,1,1,4,{task.id}" for task in tasks]
    head = "query_id,results_count,relevant_count,first_relevant_rank,response_quality,answer"
    for name in ("ana", "budi"):
        (reader.folder / f"ratings-{name}.csv").write_text("\n".join([head, *lines]), encoding="utf-8")
    reader.read()
    assert {v.by for v in Run(reader.folder / "runs/api").verdicts()} == {"human:ana", "human:budi"}


def spreadsheet(reader: Reader, get: Callable[[str], Any]) -> None:
    """The second folder has no bot yet when the page shows the new one."""
    get("chromium")
    reader.files = ["biblioteca/questions.csv", "nueva/bot.js"]
    reader.then = {
        "neraca init --for chatpage --language es nueva": (reader.folder / "nueva/bot.js").unlink,
    }
    reader.read()
    rows = {row["id"]: row for row in read_table(reader.folder / "antes.csv").rows}
    assert (rows["wifi"]["TokenRecall"], rows["multa"]["TokenRecall"]) == ("0.0", "0.75")
    assert "1 euro" in rows["multa"]["actual_response"]
    assert "Sin ganador: despues.run va por delante" in (reader.folder / "informe.html").read_text(encoding="utf-8")
    assert (reader.folder / "informe.docx").stat().st_size > 10_000


def thesis(reader: Reader, get: Callable[[str], Any]) -> None:
    def they_rate() -> None:
        runs = [Run(reader.folder / "shop/results/study/search" / name) for name in ("filter", "combined")]
        tasks = RatingTasks.of(runs).tasks
        ratings = [{"id": task.id, "task": task.id, "on": "quality", "value": 4} for task in tasks]
        page = {"neraca": "ratings", "v": 1, "rater": "ana", "ratings": ratings}
        (reader.folder / "ratings-ana.json").write_text(json.dumps(page), encoding="utf-8")

    searched = "shop/results/study/search"
    reader.then = {f"neraca rate {searched}/filter {searched}/combined --page rating.html": they_rate}
    reader.read()
    assert (reader.folder / "thesis.docx").stat().st_size > 10_000
    assert "human:ana" in {verdict.by for verdict in Run(reader.folder / f"{searched}/combined").verdicts()}


def user_study(reader: Reader, get: Callable[[str], Any]) -> None:
    target = '{ kind = "replay", file = "a.jsonl" }'
    (reader.folder / "study.toml").write_text(f'name = "s"\ndataset.file = "q.csv"\ntargets.a = {target}\n')
    (reader.folder / "q.csv").write_text("id,question,reference\n1,rooms?,two\n")
    (reader.folder / "a.jsonl").write_text('{"item": "1", "text": "two"}\n')
    reader.read()


def traces(reader: Reader, get: Callable[[str], Any]) -> None:
    get("model")
    reader.files = ["export.jsonl"]
    reader.read()
    probe = reader.of["neraca traces export.jsonl --probe"]
    assert re.search(r"question +Is there a room in Asri\? +langfuse\.observation\.input +answer", probe)
    scored = reader.of['neraca score runs/november -m "Faithfulness AnswerRelevance"']
    assert re.search(r"Faithfulness .* 1 +1 ", scored), "the turn without a retrieval is not scored"
    assert "Turns without a retrieval: 1 (first: span b1 of trace t2)." in reader.cells[-1]


def receive(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.files = ["collector.yaml", "printed.txt"]
    with receiving(Path("runs/live")) as server:
        steps = []
        for trace, question in ((1, "I am ana@example.com. Is there a room in Asri?"), (2, "And in Johor?")):
            found = '[{"document.id": "k1", "document.content": "Room in Asri."}]'
            steps += [
                span(trace, openinference_span_kind="CHAIN", session_id="s", input_value=question, output_value="Yes."),
                span(trace, 2, 1, openinference_span_kind="RETRIEVER", retrieval_documents=found),
            ]
        assert post(server.port, body(*steps)).status == 200
        (reader.folder / "printed.txt").write_text(server.end()[1], encoding="utf-8")
    reader.read()


def serve(reader: Reader, get: Callable[[str], Any]) -> None:
    queries = read_qrels(reader.folder / "docs/trec/qrels.txt").queries
    rows = [f"{query},what is {query}?" for query in queries]
    (reader.folder / "topics.csv").write_text("\n".join(["id,question", *rows]), encoding="utf-8")
    reader.read()
    made, run = neraca.score([reader.folder / "explore/hybrid"], "nDCG@10"), reader.folder / "docs/trec/hybrid.run"
    assert made.mean("nDCG@10") == neraca.trec(reader.folder / "docs/trec/qrels.txt", run, "nDCG@10").mean("nDCG@10")


def readme(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.replaced = {"make demo": "neraca demo --out demo", "make test": "make --dry-run test"}
    reader.read()


def demo(reader: Reader, get: Callable[[str], Any]) -> None:
    reader.replaced = {"make demo": "neraca demo --out demo"}
    reader.read()


READ: dict[str, Callable[[Reader, Callable[[str], Any]], None]] = {
    "README.md": readme,
    "docs/agree.md": agree,
    "docs/browser.md": browser,
    "docs/calls.md": calls,
    "docs/compare.md": compare,
    "docs/demo.md": demo,
    "docs/gate.md": gate,
    "docs/generate.md": generate,
    "docs/judges.md": judges,
    "docs/pool.md": pool,
    "docs/local-models.md": local_models,
    "docs/power.md": power,
    "docs/prefer.md": prefer,
    "docs/pytest.md": pytest_page,
    "docs/python.md": python,
    "docs/ranking.md": ranking,
    "docs/receive.md": receive,
    "docs/start.md": start,
    "docs/rate.md": rate,
    "docs/scale.md": scale,
    "docs/serve.md": serve,
    "docs/study.md": study,
    "docs/text.md": text,
    "docs/traces.md": traces,
    "docs/tutorials/tester.md": spreadsheet,
    "docs/tutorials/thesis.md": thesis,
    "docs/user-study.md": user_study,
}


#: They start browsers.
SLOW = {"docs/start.md", "docs/browser.md", "docs/tutorials/tester.md"}


@pytest.mark.parametrize("page", [pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW)) for page in PAGES])
def test_every_block_of_a_page_works(page: str, reader: Reader, request: pytest.FixtureRequest) -> None:
    """A page that is not in `READ` is read as it stands: its commands find nothing but the data of the guides."""
    READ.get(page, lambda reader, get: reader.read())(reader, request.getfixturevalue)


def test_what_is_left_out_stands_in_the_pages() -> None:
    typed = {line for page in PAGES for block in blocks(page) if block.is_commands for line, _ in block.commands()}
    assert LEFT_OUT.keys() - typed == set()


def test_the_other_pages_have_nothing_but_examples_with_a_path() -> None:
    """Which their own tests run."""
    starts = [(block.language, block.text[:2]) for page in OTHERS for block in blocks(page)]
    assert set(starts) == {("python", "# ")}


@pytest.mark.parametrize("page", ["wrong.md"])
@pytest.mark.parametrize(
    "block, message",
    [
        ("\ngit push", "shows 'git push'"),
        ("\nneraca nothing", "No such command"),
        ("\npip install neraca", "nobody runs this"),
        ("\n$ neraca metrics P\n…\nno formula\n…", "shows 'no formula'"),
        (
            "\n$ neraca text docs/text/answers.csv --response old\nanswers.csv: 12 rows",
            "shows '.what follows the last line.'",
        ),
        ("sh\ngit push", "nobody runs this"),
        ("json\n{}", "which file is this"),
        ("rust\n{}", "nobody knows what to do with 'rust'"),
        ("python\n1 + 1  # 3", "says 3, not 2"),
    ],
)
def test_what_is_not_so_is_told_with_its_page_and_line(reader: Reader, block: str, message: str) -> None:
    reader.page = str(reader.folder / "wrong.md")
    Path(reader.page).write_text(f"# Wrong\n\n```{block}\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=rf"(?s)wrong\.md:4.*{message}"):
        reader.read()
