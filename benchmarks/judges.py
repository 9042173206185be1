"""What judging by a language model costs: calls, prompt tokens, time, CPU, memory; against ragas and deepeval.

    .venv/bin/python benchmarks/judges.py [--ragas PYTHON] [--deepeval PYTHON] [--samples N] [--rounds N] [--parts ...]

PYTHON is that of a virtual environment in which the peer is installed; without it the peer is left out.  The model is
`judges_endpoint.py`, a process of its own that takes 200 ms for each call.

peers: samples of a question, an answer of 60 words, a reference of 40 and five contexts of 120 each; faithfulness,
answer relevance, correctness, context precision and recall, 16 calls in flight.  Each tool is a process of its own,
from before it imports anything until it has all scores, with nothing cached; the tools take turns, and the median of
the rounds counts.  second: another system on the same questions.  failing: a share of the calls goes wrong.  crowded:
an endpoint that refuses more than 40 in flight, against one that refuses nothing and a limit that stands at 40;
here a call takes one second, since at 200 ms the client's own CPU time bounds the calls in flight, not the limit.

A child starts with the peak memory of its parent, so this one imports the standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
METRICS = "Faithfulness AnswerRelevance AnswerCorrectness ContextPrecision ContextRecall"
IN_FLIGHT, REFUSED_ABOVE, CROWD = 16, 40, 1000
FAILURES = ["429", "429 after 1", "500", "503", "hang", "drop", "malformed"]
WORDS = re.findall(
    r"\w+",
    """
house kitchen market garden window table river street winter summer morning evening neighbour family teacher doctor
village station bridge forest mountain bottle paper letter picture number colour water bread butter cheese apple orange
carries opens closes builds repairs paints counts leaves enters visits covers holds keeps finds buys sells brings takes
small large narrow wide quiet bright heavy light early late cheap modern ancient wooden empty famous between behind
under above around along across toward with from near after before against without because although while where often
never always seldom about every other several many most same next last first second
""",
)
# Nobody is told over the network that a tool was run, and nothing else than the endpoint is asked.
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "LANGSMITH_TRACING": "false",
    "OPENAI_API_KEY": "k",
    "PYTHONWARNINGS": "ignore",
}
Row = dict[str, Any]


def made(count: int, system: str) -> list[Row]:
    """Samples of one data set; answers and what was found differ between systems, questions and references do not."""
    samples = []
    for number in range(count):
        of_all, mine = random.Random(f"data {number}"), random.Random(f"{system} {number}")

        def facts(chance: random.Random, several: int) -> list[str]:
            words = ([chance.choice(WORDS) for _ in range(9)] + [str(chance.randrange(10**4))] for _ in range(several))
            return [" ".join(one).capitalize() + "." for one in words]

        question = " ".join(of_all.choice(WORDS) for _ in range(11)).capitalize() + "?"
        reference = facts(of_all, 4)
        contexts = [facts(mine, 12) for _ in range(5)]
        for fact in mine.sample(reference, 3):
            mine.choice(contexts)[mine.randrange(12)] = fact
        known = [fact for one in contexts for fact in one if fact not in reference]
        right, found = mine.randint(1, 3), mine.randint(1, 3)
        answer = mine.sample(reference, right) + mine.sample(known, found) + facts(mine, 6 - right - found)
        samples.append(
            {
                "question": question,
                "answer": " ".join(answer),
                "reference": " ".join(reference),
                "contexts": [" ".join(one) for one in contexts],
            }
        )
    return samples


def write(samples: str, folder: str) -> None:
    """A run folder of these samples."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Answer, Hit, Item
    from neraca.runs.run import Run

    rows = list(enumerate(json.loads(Path(samples).read_text())))
    items = tuple(Item(id=str(n), query=one["question"], references=(one["reference"],)) for n, one in rows)
    run = Run.create(Path(folder), Dataset(items, "bench"), {"kind": "bench"})
    with run.writing():
        for n, one in rows:
            hits = tuple(Hit(id=f"d{place}", text=text) for place, text in enumerate(one["contexts"]))
            run.answers_journal.append(Answer(item=str(n), text=one["answer"], hits=hits))
        run.record_end()


def neraca(folder: str, cache: str, url: str, concurrency: int, more: Row) -> None:
    """Judge and score a run, and print what it cost this process."""
    start = time.perf_counter()
    from neraca.judges.judge import judge
    from neraca.models.adaptive_concurrency import AdaptiveLimit
    from neraca.models.model_session import ModelSession
    from neraca.runs.run import Run
    from neraca.scores.score import score

    class Fixed(ModelSession):
        def limit(self, endpoint: str) -> AdaptiveLimit:
            return self._limits.setdefault(endpoint, AdaptiveLimit(concurrency, first=concurrency))

    kind = Fixed if more.pop("fixed", False) else ModelSession
    embed = {"model": "openai:text-embedding-3-small", "url": url, "key": "k"}
    settings = {"model": "openai:gpt-4o-mini", "url": url, "key": "k", "embed": embed, **more}
    with kind(Path(cache), concurrency=concurrency) as session:
        done = judge(Run(folder), "claims", settings, session=session)
    scores = score([folder], METRICS)
    rows = scores.overall()
    used = resource.getrusage(resource.RUSAGE_SELF)
    named = {item for item, _ in done.unscored}
    values = [row for metric in METRICS.split() for run in scores.runs for row in run.item_rows(metric)]
    nameless = [row for row in values if row["value"] is None and not (row["why"] and row["item"] in named)]
    print(
        json.dumps(
            {
                "tool": "Neraca",
                "cpu": used.ru_utime + used.ru_stime,
                "wall": time.perf_counter() - start,
                "peak": used.ru_maxrss / 1024,
                "means": {row.metric: row.value for row in rows},
                "scores": sum(row.n for row in rows),
                "decided": done.new - len([v for v in Run(folder).verdicts() if v.status in ("missing", "unscored")]),
                "verdicts": done.new,
                "wasted": done.spent.wasted,
                "unscored": len(done.unscored),
                "nameless": len(nameless),
            }
        )
    )


class Bench:
    """The endpoint, and a folder of samples and runs."""

    def __init__(self, folder: Path, port: str) -> None:
        self.folder, self.root = folder, f"http://127.0.0.1:{port}"

    def ask(self, path: str, script: Row | None = None) -> Row:
        data = None if script is None else json.dumps(script).encode()
        with urllib.request.urlopen(urllib.request.Request(self.root + path, data)) as reply:
            found: Row = json.load(reply)
        return found

    def environment(self) -> dict[str, str]:
        """Every tool may keep what Python compiles, whether or not its own folder has that already."""
        mine = {**os.environ, **QUIET, "PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}
        mine.pop("PYTHONDONTWRITEBYTECODE", None)
        return mine

    def samples(self, count: int, system: str = "one") -> Path:
        path = self.folder / f"{system}-{count}.json"
        if not path.exists():
            path.write_text(json.dumps(made(count, system)))
            mine = [sys.executable, __file__, "--write", str(path), str(path.with_suffix(""))]
            subprocess.run(mine, check=True)
        return path

    def run(self, call: list[str], script: Row | None = None) -> Row:
        """What a process said of itself, and what the endpoint saw of it."""
        self.ask("/script", script or {})
        told = subprocess.run(
            call, stdout=subprocess.PIPE, text=True, check=True, env=self.environment(), cwd=self.folder
        )
        return json.loads(told.stdout.splitlines()[-1]) | {"saw": self.ask("/counts")}

    def judge(
        self, samples: Path, *, cache: str = "", concurrency: int = IN_FLIGHT, script: Row | None = None, **more: Any
    ) -> Row:
        """Neraca on a copy of a run, with a cache of its own if none is named; `more`: settings of the judge."""
        with tempfile.TemporaryDirectory(dir=self.folder) as fresh:
            shutil.copytree(samples.with_suffix(""), f"{fresh}/run")
            told = [f"{fresh}/run", cache or f"{fresh}/cache", f"{self.root}/v1", str(concurrency), json.dumps(more)]
            return self.run([sys.executable, __file__, "--neraca", *told], script)


def peers(bench: Bench, asked: argparse.Namespace) -> None:
    samples, few = bench.samples(asked.samples), bench.samples(4)
    tools: dict[str, Callable[[Path], Row]] = {"Neraca": bench.judge}
    for name in ("ragas", "deepeval"):
        if python := getattr(asked, name):
            program, told = [python, str(HERE / "judges_peers.py"), name], [f"{bench.root}/v1", str(IN_FLIGHT)]
            tools[name] = lambda path, program=program, told=told: bench.run([*program, str(path), *told])
    rows: dict[str, list[Row]] = {name: [] for name in tools}
    for tool in tools.values():
        tool(few)  # so that Python has compiled whatever it will import
    for _ in range(asked.rounds):
        for name, tool in tools.items():
            rows[name].append(tool(samples))
            print(json.dumps(rows[name][-1]), file=sys.stderr, flush=True)
    middle = {
        name: {what: statistics.median(row[what] for row in some) for what in ("wall", "cpu", "peak")}
        for name, some in rows.items()
    }
    print("| | chat calls | prompt tokens | embedding calls | in flight | wall | CPU | peak memory | scores |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, some in rows.items():
        saw, n, cost = some[-1]["saw"], asked.samples, middle[name]
        print(
            f"| {some[-1]['tool']} | {saw['chat'] / n:.2f} | {saw['tokens'] / n:,.0f} | {saw['embeddings'] / n:.2f} | "
            f"{saw['peak']} | {cost['wall']:.1f} s | {cost['cpu']:.1f} s | {cost['peak']:.0f} MB | "
            f"{some[-1]['scores']} |"
        )
    ours, saw = middle["Neraca"], rows["Neraca"][-1]["saw"]
    bar("chat calls", saw["chat"] / asked.samples, 2.2)
    print(
        f"{saw['written'] / asked.samples:,.0f} tokens written a sample; {rows['Neraca'][-1]['decided']:,} of "
        f"{rows['Neraca'][-1]['verdicts']:,} verdicts decided"
    )
    bar("prompt tokens", saw["tokens"] / asked.samples, 2600)
    if "ragas" in middle:
        bar("wall / ragas", ours["wall"] / middle["ragas"]["wall"], 1 / 10)
        bar("CPU / ragas", ours["cpu"] / middle["ragas"]["cpu"], 1 / 3)
        bar("memory / ragas", ours["peak"] / middle["ragas"]["peak"], 1 / 2)


def second(bench: Bench, asked: argparse.Namespace) -> None:
    cache = str(bench.folder / "shared")
    first = bench.judge(bench.samples(asked.samples), cache=cache)["saw"]
    then = bench.judge(bench.samples(asked.samples, "two"), cache=cache)["saw"]
    print(
        f"second system: {then['chat']} chat calls after {first['chat']}, {then['references']} of them for references"
    )
    bar("references paid again", then["references"], 0)


def failing(bench: Bench, asked: argparse.Namespace) -> None:
    samples = bench.samples(asked.samples)
    for share, fail, more in (
        (0.05, FAILURES, {"timeout": 2}),
        (0.3, ["malformed"], {}),
        (0.3, ["malformed"], {"retries": 0}),
    ):
        row = bench.judge(samples, script={"share": share, "fail": fail}, **more)
        print(
            f"{share:.0%} of calls fail ({', '.join(fail)}; {more}): {row['saw']['failed']} of {row['saw']['chat']}, "
            f"{row['scores']} of {5 * asked.samples} scores, {row['unscored']} unscored, {row['wall']:.1f} s"
        )
        if share < 0.1:
            bar("scores lost", 5 * asked.samples - row["scores"], 0)
        bar("scores lost without a name and a why", row["nameless"], 0)


def crowded(bench: Bench, asked: argparse.Namespace) -> None:
    samples = bench.samples(CROWD)
    calm = bench.judge(samples, concurrency=REFUSED_ABOVE, script={"latency": 1.0}, fixed=True)["saw"]
    full = bench.judge(samples, concurrency=64, script={"latency": 1.0, "most": REFUSED_ABOVE})["saw"]
    speed = [(saw["chat"] + saw["embeddings"]) / saw["busy"] for saw in (calm, full)]
    wasted = full["refused"] / (full["chat"] + full["embeddings"])
    print(
        f"{CROWD} samples: {speed[0]:.0f} calls a second with a fixed {REFUSED_ABOVE} in flight, {speed[1]:.0f} "
        f"where more are refused; {full['refused']} refused, {wasted:.2%}"
    )
    bar("lost throughput", 1 - speed[1] / speed[0], 0.2)
    bar("wasted calls", wasted, 0.01)


def bar(name: str, value: float, most: float) -> None:
    print(f"{name}: {value:.4g}, bar {most:.4g}: {'met' if value <= most else 'MISSED'}", file=sys.stderr, flush=True)


PARTS = {"peers": peers, "second": second, "failing": failing, "crowded": crowded}


def main() -> None:
    parser = argparse.ArgumentParser(description="What judging by a language model costs.")
    parser.add_argument("--ragas")
    parser.add_argument("--deepeval")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    asked = parser.parse_args()
    server = subprocess.Popen([sys.executable, str(HERE / "judges_endpoint.py")], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(Path(folder), server.stdout.readline().strip())
            for part in asked.parts:
                PARTS[part](bench, asked)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", samples, folder]:
            write(samples, folder)
        case ["--neraca", folder, cache, url, concurrency, more]:
            neraca(folder, cache, url, int(concurrency), json.loads(more))
        case _:
            main()
