"""What evaluating TREC runs costs, against pytrec_eval and trec_eval.

    .venv/bin/python benchmarks/ranking.py [--data DIR] [--repeat N] [--sets small marco] [--trec-eval PATH] [--curve]

Cold: a process of its own goes from files on disk to nDCG@10, AP, RR, P@10 and R@1000 of every query; CPU time (user
and system) and peak memory are what the operating system says of it.  Warm: one process holds qrels and run as dicts
and as data frames and evaluates them again and again; pytrec_eval always gets dicts, and everything after that counts,
for it and for us.  The tools take turns, the least CPU time and the greatest peak count, and a first round, not
counted, fills the caches and checks that all means agree: to 1e-4, as pytrec_eval and trec_eval 9 rank in float32.

The data sets are made with a fixed seed and kept in DIR (440 MB); `--curve` makes 4 GB more and deletes them.  A child
starts with the peak of its parent, so this one imports the standard library only, and peaks below 25 MB mean little.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

METRICS = ("nDCG@10", "AP", "RR", "P@10", "R@1000")
MEASURES = ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_1000")
FLAGS = ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000")
SEED, AGREE = 20240517, 1e-4
MB = 1 << (20 if sys.platform == "darwin" else 10)
API, COMMAND, PYTREC_EVAL, TREC_EVAL = "Neraca, Python", "Neraca, command", "pytrec_eval", "trec_eval"

PYTREC_EVAL_PROGRAM = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    qrels, run = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
measures = sys.argv[3].split()
values = pytrec_eval.RelevanceEvaluator(qrels, set(measures)).evaluate(run)
if len(sys.argv) > 4:
    for measure in measures:
        print(measure, "all", sum(row[measure] for row in values.values()) / len(values))
"""
NERACA_PROGRAM = """
import sys, neraca
metrics = sys.argv[3].split()
scores = neraca.trec(sys.argv[1], sys.argv[2], metrics)
values = [scores.by_item(metric) for metric in metrics]
if len(sys.argv) > 4:
    for metric, row in zip(metrics, values):
        print(metric, "all", sum(row.values()) / len(row))
"""


@dataclass(frozen=True)
class Shape:
    """A made data set: `grades` is the top grade, `judged` the judged documents of a query (0: one or two)."""

    queries: int
    docs: int
    ids: str
    scores: str
    judged: int = 0
    grades: int = 1


SHAPES = {
    "small": Shape(50, 1_000, "press", "6 decimals", judged=200, grades=2),
    "graded": Shape(250, 1_000, "press", "ties", judged=150, grades=4),
    "shuffled": Shape(250, 1_000, "press", "shuffled integers", judged=150, grades=4),
    "marco": Shape(6_980, 1_000, "passage", "4 decimals"),
    "many": Shape(50_000, 100, "segment", "4 decimals"),
}
CURVE = {f"curve-{millions}M": Shape(millions * 1_000, 1_000, "passage", "4 decimals") for millions in (1, 10, 100)}
# Primes: documents of a query are start + step * k modulo one of these, so that none occurs twice in a query.
PRIMES = {"press": 499_979, "passage": 8_841_823, "segment": 999_999_937}
# What we hold ourselves to: at most so many times a peer's CPU time, and so many MB.
COLD_BARS: dict[tuple[str, str], dict[str, float]] = {
    ("small", API): {"× pytrec_eval": 0.95},
    ("small", COMMAND): {"× pytrec_eval": 1.35},
    ("graded", API): {"× pytrec_eval": 0.9},
    ("marco", API): {"× pytrec_eval": 0.25, "× trec_eval": 0.3, "MB": 350},
    ("many", API): {"× pytrec_eval": 0.25},
}


def make(name: str, folder: Path) -> None:
    """Write NAME.qrels and NAME.run, a chunk of queries at a time."""
    import numpy as np

    shape = (SHAPES | CURVE)[name]
    random = np.random.default_rng([SEED, *name.encode()])
    queries = np.sort(random.choice(max(1_102_400, 2 * shape.queries), shape.queries, replace=False)) + 1
    if shape.judged:
        queries = np.arange(301, 301 + shape.queries)
    step, prime = 1_000_000 // shape.docs, PRIMES[shape.ids]
    with (folder / f"{name}.qrels.part").open("wb") as qrels, (folder / f"{name}.run.part").open("wb") as run:
        for start in range(0, shape.queries, step):
            some = queries[start : start + step]
            documents = random.integers(0, prime, len(some)), random.integers(1, prime, len(some))
            write_run(shape, some, documents, random, run)
            write_qrels(shape, some, documents, random, qrels)
    for suffix in ("qrels", "run"):
        (folder / f"{name}.{suffix}.part").rename(folder / f"{name}.{suffix}")


def names(shape: Shape, documents: tuple[Any, Any], which: Any, ranks: Any) -> Any:
    """The ids of the documents at these ranks, from 0, of these queries; ranks past the end were not retrieved."""
    import polars as pl

    start, step = documents
    number = pl.lit(pl.Series((start[which] + step[which] * ranks) % PRIMES[shape.ids]))
    if shape.ids == "passage":
        return number.cast(pl.String)
    if shape.ids == "segment":
        return pl.format("D{}-{}", (number // 100).cast(pl.String).str.zfill(7), (number % 100).cast(pl.String))
    press = (number // 100_000).replace_strict(list(range(5)), ["FBIS3", "FBIS4", "FT911", "LA0101", "FR940"])
    return pl.format("{}-{}", press, (number % 100_000).cast(pl.String))


def write_run(shape: Shape, queries: Any, documents: tuple[Any, Any], random: Any, file: Any) -> None:
    """Scores fall from rank to rank by steps that are exponentially distributed."""
    import numpy as np
    import polars as pl

    size = len(queries), shape.docs
    which = np.repeat(np.arange(size[0]), size[1])
    ranks = np.tile(np.arange(size[1]), size[0])
    scores = random.uniform(20, 35, (size[0], 1)) - np.cumsum(random.exponential(10 / size[1], size), axis=1)
    if shape.scores == "shuffled integers":
        order = np.argsort(random.random(size), axis=1)
        ranks, scores = order.ravel(), np.take_along_axis(scores, order, axis=1)
    score = pl.lit(pl.Series(scores.ravel()))
    if "decimals" not in shape.scores:
        whole = pl.lit(pl.Series((which % 2 == 0) | (shape.scores != "ties")))
        integer, rounded = score.round(0).cast(pl.Int64).cast(pl.String), score.round(2).cast(pl.String)
        score = pl.when(whole).then(integer).otherwise(rounded)
    query, doc, rank = pl.Series(queries[which]), names(shape, documents, which, ranks), pl.Series(ranks + 1)
    tag = pl.lit("runid" if shape.judged else "run")
    lines = pl.select(query=query, q0=pl.lit("Q0"), doc=doc, rank=rank, score=score, tag=tag)
    lines.write_csv(file, include_header=False, separator=" ", float_precision=6 if "6" in shape.scores else 4)


def write_qrels(shape: Shape, queries: Any, documents: tuple[Any, Any], random: Any, file: Any) -> None:
    """Pooled: half of the judged documents were retrieved, more of them on top, and grades fall; else one or two."""
    import numpy as np
    import polars as pl

    count = len(queries)
    if shape.judged:
        half = shape.judged // 2
        missed = np.arange(shape.docs, shape.docs + half)
        found = [np.unique((shape.docs * random.random(half) ** 2).astype(np.int64)) for _ in range(count)]
        judged = [np.concatenate([ranks, missed]) for ranks in found]
        which, ranks = np.repeat(np.arange(count), [len(row) for row in judged]), np.concatenate(judged)
        chance = np.where(ranks < shape.docs, 0.5 * (1 - np.minimum(ranks / shape.docs, 1)) ** 2 + 0.05, 0.1)
        grades = random.binomial(shape.grades, chance)
    else:
        which = np.repeat(np.arange(count), 1 + (random.random(count) < 0.07))
        ranks = np.minimum(random.geometric(0.08, len(which)) - 1, shape.docs - 2)
        ranks = np.where(random.random(len(which)) < 0.85, ranks, shape.docs)
        ranks[1:] += (which[1:] == which[:-1]) & (ranks[1:] == ranks[:-1])
        grades = np.ones(len(which), np.int64)
    query, doc, grade = pl.Series(queries[which]), names(shape, documents, which, ranks), pl.Series(grades)
    lines = pl.select(query=query, iteration=pl.lit(0), doc=doc, grade=grade)
    lines.write_csv(file, include_header=False, separator=" ")


def files(name: str, folder: Path) -> tuple[Path, Path]:
    """The two files of a data set, made by a process of its own if they are not there."""
    qrels, run = folder / f"{name}.qrels", folder / f"{name}.run"
    if not (qrels.exists() and run.exists()):
        print(f"making {name}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, __file__, "--child", "make", name, "--data", str(folder)], check=True)
    return qrels, run


def commands(qrels: Path, run: Path, trec_eval: str | None) -> dict[str, list[str]]:
    """How each tool is called."""
    paths = [str(qrels), str(run)]
    command = shutil.which("neraca", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    calls = {
        PYTREC_EVAL: [sys.executable, "-c", PYTREC_EVAL_PROGRAM, *paths, " ".join(MEASURES)],
        API: [sys.executable, "-c", NERACA_PROGRAM, *paths, " ".join(METRICS)],
    }
    calls[TREC_EVAL] = [trec_eval or "", "-q", *(f"-m{flag}" for flag in FLAGS), *paths]
    calls[COMMAND] = [command or "", "trec", *paths, "-m", " ".join(METRICS), "-q"]
    return {tool: call for tool, call in calls.items() if call[0]}


def child(call: list[str], out: Any = subprocess.DEVNULL) -> tuple[float, float, str | None]:
    """CPU seconds and peak MB of a process, and the last line of its complaint if it failed."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(call, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip("╭╮╰╯─│ \n").splitlines()
    wrong = None if process.returncode == 0 else (lines or [f"exit code {process.returncode}"])[-1]
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MB, wrong


def means(text: str) -> dict[str, float]:
    """The means in what a tool printed: lines with a metric's name, the word "all" and a number, in any order."""
    known = dict(zip((*METRICS, *MEASURES), (*METRICS, *METRICS), strict=True))
    rows = [words for words in map(str.split, text.replace("│", " ").splitlines()) if "all" in words]
    return {known[word]: float(words[-1]) for words in rows for word in words if word in known}


def compare(name: str, told: dict[str, dict[str, float]]) -> None:
    """Warn of every mean that is not pytrec_eval's, or was not told."""
    for tool, values in told.items():
        for metric in METRICS:
            ours, theirs = values.get(metric, math.nan), told.get(PYTREC_EVAL, {}).get(metric, math.nan)
            if not abs(ours - theirs) < AGREE:
                print(
                    f"WARNING: {name}: mean {metric} is {ours:.6f} by {tool}, {theirs:.6f} by pytrec_eval",
                    file=sys.stderr,
                )


def check(name: str, calls: dict[str, list[str]]) -> dict[str, list[str]]:
    """Run each tool once, compare the means, and keep the tools that work."""
    told = {}
    for tool, call in calls.items():
        with tempfile.TemporaryFile() as out:
            *_, wrong = child([*call, "means"] if "-c" in call else call, out)
            out.seek(0)
            if wrong:
                print(f"{name}: {tool} left out: {wrong}", file=sys.stderr)
            else:
                told[tool] = means(out.read().decode())
    compare(name, told)
    return {tool: calls[tool] for tool in told}


def cold(name: str, folder: Path, trec_eval: str | None, repeat: int) -> Iterator[str]:
    """The rows of the first table for one data set."""
    calls = check(name, commands(*files(name, folder), trec_eval))
    seen: dict[str, list[tuple[float, float]]] = {tool: [] for tool in calls}
    for _ in range(repeat):
        for tool, call in calls.items():
            seen[tool].append(child(call)[:2])
    cpu = {tool: min(cost for cost, _ in costs) for tool, costs in seen.items()}
    for tool, costs in seen.items():
        found = {f"× {peer}": cpu[tool] / cpu.get(peer, math.nan) for peer in (PYTREC_EVAL, TREC_EVAL)}
        found["MB"] = max(peak for _, peak in costs)
        bars = [verdict(bar, limit, found[bar]) for bar, limit in COLD_BARS.get((name, tool), {}).items()]
        ratios = " | ".join("" if math.isnan(ratio) else f"{ratio:.2f}" for ratio in list(found.values())[:2])
        yield f"| {name} | {tool} | {cpu[tool]:.3f} | {found['MB']:.0f} | {ratios} | {'; '.join(filter(None, bars))} |"


def verdict(bar: str, limit: float, value: float) -> str:
    """A bar, and whether it is met; nothing without the peer."""
    return "" if math.isnan(value) else f"≤ {limit:g} {bar}: {'met' if value <= limit else 'MISSED'}"


def inputs(qrels: Path, run: Path) -> dict[str, tuple[Any, Any]]:
    """The same qrels and run as dicts and as data frames."""
    import polars as pl

    kinds = {"query": pl.String, "_": pl.String, "doc": pl.String}
    read = {"separator": " ", "has_header": False}
    judged = pl.read_csv(qrels, schema={**kinds, "grade": pl.Int64}, **read).drop("_")
    ranked = pl.read_csv(run, schema={**kinds, "rank": pl.Int64, "score": pl.Float64, "tag": pl.String}, **read)
    frames = judged, ranked.select("query", "doc", "score")
    made: dict[str, tuple[Any, Any]] = {"dict": (nested(frames[0]), nested(frames[1])), "polars": frames}
    if find_spec("pandas"):
        from pandas import DataFrame

        one, two = (DataFrame({name: frame[name].to_list() for name in frame.columns}) for frame in frames)
        made["pandas"] = one, two
    return made


def nested(frame: Any) -> dict[str, dict[str, Any]]:
    """A frame of query, document and value as a dict of dicts."""
    made: dict[str, dict[str, Any]] = {}
    for query, doc, value in frame.iter_rows():
        made.setdefault(query, {})[doc] = value
    return made


def by_neraca(qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    import neraca

    scores = neraca.trec(qrels, run, list(METRICS))
    return {metric: scores.by_item(metric) for metric in METRICS}


def by_pytrec_eval(qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES)).evaluate(run)


def timed(function: Callable[[Any, Any], Any], pair: tuple[Any, Any]) -> tuple[float, Any]:
    gc.collect()
    start = time.process_time()
    values = function(*pair)
    return time.process_time() - start, values


def measure_warm(name: str, folder: Path, repeat: int) -> None:
    """In a process of its own: print the least CPU seconds and the means per input as JSON."""
    import neraca

    data = inputs(*files(name, folder))
    work: dict[str, tuple[Callable[[Any, Any], Any], tuple[Any, Any]]] = {PYTREC_EVAL: (by_pytrec_eval, data["dict"])}
    if hasattr(neraca, "trec"):
        work |= {kind: (by_neraca, pair) for kind, pair in data.items()}
    cpu: dict[str, float] = {}
    told: dict[str, dict[str, float]] = {}
    for turn in range(repeat + 1):
        for tool, (function, pair) in work.items():
            cost, values = timed(function, pair)
            if turn:
                cpu[tool] = min(cost, cpu.get(tool, cost))
                continue
            if tool == PYTREC_EVAL:
                pairs = zip(METRICS, MEASURES, strict=True)
                values = {ours: {query: row[theirs] for query, row in values.items()} for ours, theirs in pairs}
            told[tool] = {metric: sum(row.values()) / len(row) for metric, row in values.items()}
    print(json.dumps({"cpu": cpu, "means": told}))


def warm(name: str, folder: Path, repeat: int) -> Iterator[str]:
    """The rows of the second table for one data set."""
    files(name, folder)
    call = [sys.executable, __file__, "--child", "warm", name, "--data", str(folder), "--repeat", str(repeat)]
    told = json.loads(subprocess.run(call, stdout=subprocess.PIPE, check=True).stdout)
    compare(f"{name}, warm", told["means"])
    peer = told["cpu"].pop(PYTREC_EVAL)
    yield f"| {name} | pytrec_eval, dict | {peer:.4f} | 1.00 | |"
    for kind, cost in told["cpu"].items():
        bar = verdict("× pytrec_eval", 1, cost / peer)
        yield f"| {name} | Neraca, {kind} | {cost:.4f} | {cost / peer:.2f} | {bar} |"


def curve(folder: Path, repeat: int) -> Iterator[str]:
    """CPU and memory by size; the files are deleted one after the other."""
    for number, (name, shape) in enumerate(CURVE.items()):
        paths = files(name, folder)
        try:
            size = paths[1].stat().st_size
            call = commands(*paths, None)[API]
            costs = [child(call) for _ in range(max(1, repeat - number))]
        finally:
            for path in paths:
                path.unlink()
        cpu, peak = min(cpu for cpu, *_ in costs), max(peak for _, peak, _ in costs)
        yield f"| {shape.queries * shape.docs:,} | {size / 1e6:,.0f} | {cpu:.2f} | {peak:.0f} | {costs[0][-1] or ''} |"


def table(head: str, rows: Iterator[str]) -> None:
    print(f"\n{head}\n|{'---|' * (head.count('|') - 1)}")
    for row in rows:
        print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time and memory of evaluating TREC runs, against peers.")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "neraca-benchmark", metavar="DIR")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of small data sets; large ones get half of it")
    parser.add_argument("--sets", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--trec-eval", default=shutil.which("trec_eval"), metavar="PATH")
    parser.add_argument("--parts", nargs="+", choices=("cold", "warm"), default=["cold", "warm"])
    parser.add_argument("--curve", action="store_true", help="only 1, 10 and 100 million lines, Neraca alone")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled modules are kept, as on any machine
    if asked.child:
        kind, name = asked.child
        return make(name, asked.data) if kind == "make" else measure_warm(name, asked.data, asked.repeat)
    shown = ("neraca", "numpy", "pandas", "polars", "pytrec_eval-terrier")
    told = sorted(f"{package.name} {package.version}" for package in distributions() if package.name in shown)
    print(", ".join([f"Python {sys.version.split()[0]}", *told]))
    rounds = {
        name: max(1, (asked.repeat + 1) // 2) if name in ("marco", "many") else asked.repeat for name in asked.sets
    }
    if asked.curve:
        rows = curve(asked.data, max(1, (asked.repeat + 1) // 2))
        return table("| lines | MB on disk | CPU s | peak MB | failed |", rows)
    if "cold" in asked.parts:
        rows = (row for name in asked.sets for row in cold(name, asked.data, asked.trec_eval, rounds[name]))
        table("| data set | cold | CPU s | peak MB | × pytrec_eval | × trec_eval | bar |", rows)
    if "warm" in asked.parts:
        rows = (row for name in asked.sets for row in warm(name, asked.data, 3 * rounds[name]))
        table("| data set | warm | CPU s | × pytrec_eval | bar |", rows)


if __name__ == "__main__":
    main()
