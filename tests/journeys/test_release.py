"""The built wheel in clean environments: an extra's command works with that extra alone; without it an error names it.

The extra `gs` is not tried: no server here speaks its protocol.
"""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from chromium import chromium_in
from models.llm_server import LlmServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from s3_server import bucket, s3_server

from neraca.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]
ANSWERS = """\
{"id": "q1", "query": "How many rooms?", "expected": "Three rooms.", "sql": "select 1", "response": "select 1"}
{"id": "q2", "query": "How many cars?", "expected": "Three cars.", "sql": "select 2", "response": "select 1"}
"""
RUNS = [str(ROOT / "docs/trec" / name) for name in ("api.run", "hybrid.run")]
TEXT = "The house at Elm street has three rooms and costs five dollars a night, which is cheap."
#: Extra → a command that needs it, in a folder made by `work`.
NEEDS = {
    "docx": ["report", *RUNS, "--qrels", str(ROOT / "docs/trec/qrels.txt"), "--to", "report.docx"],
    "sql": ["judge", "run", "--judge", "sql", "--set", "expected=sql", "--set", "database=data.sqlite"],
    "embed": ["judge", "run", "--judge", "similarity"],
    "html": ["generate", "pages", "--out", "from pages", "--model", "openai:x", "--language", "en", "--dry-run"],
    "pdf": ["generate", "papers", "--out", "from papers", "--model", "openai:x", "--language", "en", "--dry-run"],
    "zst": ["text", "answers.csv.zst", "-m", "TokenRecall", "--language", "en"],
    "browser": ["doctor", "--browser"],
    "ray": ["score", "table.parquet", "-m", "TokenRecall", "--language", "en", "--out", "by ray", "--engine", "ray"],
    "demo": ["demo", "--online", "--users", "100", "--out", "online"],
}
#: Extra → a server, which is started and asked.
SERVERS = {"web": ["serve", "runs", "--port", "0"], "traces": ["receive", "--out", "live", "--port", "0"]}

LONG = {"ray", "demo"}
#: The extras, and which of them take too long for each run of the tests.
TRIED = [pytest.param(extra, marks=[pytest.mark.soak] * (extra in LONG)) for extra in sorted(set(EXTRAS) - {"gs"})]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with wheel and sdist, built by the tool that `make` installs."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--quiet", "--out-dir", folder, ROOT)
    return folder


def uv(*words):
    """Run uv; what was fetched before is not fetched again."""
    command = [Path(sys.executable).with_name("uv"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def environment(folder, built, extra):
    """Make an environment of this Python with the wheel and one extra; return its `neraca`."""
    wheel = next(built.glob("*.whl"))
    uv("venv", "--quiet", "--python", sys.executable, folder)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    package = f"{wheel}[{extra}]" if extra else wheel
    uv("pip", "install", "--quiet", "--python", programs / "python", "-c", ROOT / "constraints.txt", package)
    return programs / "neraca"


def outside():
    """The variables of this process without those that lead to this checkout."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}


@pytest.fixture(scope="module")
def core(built, tmp_path_factory):
    """The `neraca` of an environment without any extra."""
    return environment(tmp_path_factory.mktemp("core") / "venv", built, "")


@pytest.fixture
def work(tmp_path, core):
    """A folder with what the commands read: answers, a run, a page, a paper, a compressed and a Parquet table."""
    (tmp_path / "answers.jsonl").write_text(ANSWERS, encoding="utf-8")
    table = pl.read_ndjson(tmp_path / "answers.jsonl").rename({"expected": "reference"})
    table.write_parquet(tmp_path / "table.parquet")
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    (tmp_path / "answers.csv.zst").write_bytes(zstd.compress(table.write_csv().encode()))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/house.html").write_text(f"<h1>Houses</h1><p>{TEXT}</p>", encoding="utf-8")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers/house.pdf").write_bytes(paper())
    (tmp_path / "runs").mkdir()
    with closing(sqlite3.connect(tmp_path / "data.sqlite")) as database:
        database.execute("create table house (rooms integer)")
    done = call(core, ["ask", "answers.jsonl", "--target", "replay:answers.jsonl", "--out", "run"], tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def call(program, words, folder, **variables):
    """Run a command of an installed Neraca in a folder."""
    return subprocess.run(
        [program, *words], cwd=folder, env=outside() | variables, capture_output=True, text=True, check=False
    )


def paper():
    """A PDF with one line of text, written by hand."""
    stream = f"BT /F1 9 Tf 20 700 Td ({TEXT}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    pdf, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 5\n0000000000 65535 f \n%strailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return pdf + end % (rows, len(pdf))


def test_the_wheel_holds_the_package_and_the_sdist_what_a_developer_needs(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        roots = {Path(name).parts[0] for name in wheel.namelist()}
        package = {name for name in wheel.namelist() if name.startswith("neraca/")}
    assert {re.sub(r"-.*(?=\.dist-info)", "", root) for root in roots} == {"neraca", "neraca.dist-info"}
    guides = {f"neraca/guides/{path.relative_to(ROOT / 'docs').as_posix()}" for path in (ROOT / "docs").rglob("*.md")}
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.stdout:
        assert package == guides | {name.removeprefix("src/") for name in tracked.stdout.splitlines()}
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        inside = {Path(name).parts[1] for name in sdist.getnames() if len(Path(name).parts) > 1}
    assert {"src", "tests", "docs", "benchmarks", "Makefile", "constraints.txt", "LICENSE", "README.md"} <= inside
    assert inside.isdisjoint({".git", ".venv", ".mypy_cache", "build", "dist", ".ci"})


def test_the_core_alone_scores_compares_and_reports(core, tmp_path):
    qrels = ["--qrels", ROOT / "docs/trec/qrels.txt"]
    for words in (
        ["score", *RUNS, *qrels],
        ["compare", *RUNS, *qrels],
        ["report", *RUNS, *qrels, "--to", "report.html"],
    ):
        done = call(core, words, tmp_path)
        assert done.returncode == 0, done.stderr
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert call(core, ["help", "drift"], tmp_path).stdout.startswith("# What changes over time: drift\n")


@pytest.mark.parametrize("extra", TRIED)
def test_with_an_extra_alone_its_command_works_and_without_it_an_error_names_it(extra, built, core, work, monkeypatch):
    if extra == "browser":
        (work / "browser").mkdir()
        chromium_in(work / "browser")
    program = environment(work / "venv", built, extra)
    printed = call(program, ["doctor"], work).stdout
    assert f"extra {extra}: installed" in printed
    try:
        if extra in SERVERS:
            server_answers(extra, program, core, work)
            return
        with needed(extra, work, monkeypatch) as (words, variables):
            lacking = call(core, words, work, **variables)
            assert lacking.returncode == 2
            assert f"neraca[{extra}]" in lacking.stderr
            done = call(program, words, work, **variables)
            assert done.returncode == 0, done.stderr + done.stdout
    finally:
        shutil.rmtree(work / "venv")


@contextmanager
def needed(extra, work, monkeypatch):
    """Yield the command that needs an extra, and its environment variables."""
    if extra == "judge":
        with LlmServer() as server:
            words = ["judge", "run", "--judge", "supported", "--model", "anthropic:judge", "--url", server.root]
            yield words, {"ANTHROPIC_API_KEY": "k", "NERACA_CACHE": str(work / "cache.sqlite")}
            assert server.calls, "the model was never asked"
    elif extra == "s3":
        with s3_server() as server:
            address = bucket(server, monkeypatch)
            import s3fs

            s3fs.S3FileSystem().put(str(work / "table.parquet"), f"{address}/table.parquet")
            yield ["score", f"{address}/table.parquet", "-m", "TokenRecall", "--language", "en", "--out", "scored"], {}
    else:
        yield NEEDS[extra], {"NERACA_BROWSER": str(work / "browser/chromium")} if extra == "browser" else {}


def server_answers(extra, program, core, work):
    """Start the server of an extra; ask it once; stop it."""
    if extra == "web":
        lacking = call(core, SERVERS[extra], work)
        assert lacking.returncode == 2
        assert "neraca[web]" in lacking.stderr
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([program, *SERVERS[extra]], cwd=work, env=outside(), **out) as running:
        lines = iter(running.stdout.readline, "")
        url = next(match[0] for line in lines if (match := re.search(r"http://127\.0\.0\.1:\d+\S*", line)))
        if extra == "traces":
            request = urllib.request.Request(f"{url}/v1/traces", ExportTraceServiceRequest().SerializeToString())
            request.add_header("Content-Type", "application/x-protobuf")
            url = request
        with urllib.request.urlopen(url, timeout=60) as reply:
            assert reply.status == 200
        running.send_signal(signal.SIGINT)
