"""What it costs to score runs again from verdicts on disk: no model, no network, no key.

    .venv/bin/python benchmarks/verdicts.py [--parts judge rules] [--verdicts N] [--questions N] [--rounds N]

judge: a run folder of so many verdicts (100,000) by an LLM judge, and the metrics of claims, questions, citations and
ratings.  The verdicts are in the words that the judge of claims writes: about 60 for an answer with 5 claims, 4 claims
of the reference and 5 contexts.  rules: two runs of so many questions (30,000), each answered with 5 hits, each hit
checked for 2 constraints, and the metrics that are scored where nobody names any.  Beside it stands what
two of its parts take: reading the verdicts that hold (`current_verdicts`), and deciding by them what is relevant.

Folders are made with a fixed seed.  A process of its own does each piece of work, from before it imports anything; CPU
seconds (user and system; of relevance those of the two parts alone) and peak memory are of that process, the least CPU
and the greatest peak of the rounds.  A child starts with the peak memory of its parent, so this one imports the
standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

SEED = 20240517
MB = 1 << (20 if sys.platform == "darwin" else 10)
METRICS = """
Faithfulness Hallucination SelfKnowledge NoiseSensitivity NoiseSensitivity(contexts=irrelevant) ClaimPrecision
ClaimRecall ClaimF AnswerCorrectness Similarity ContextPrecision ContextRecall ContextUtilisation AnswerRelevance
CitationPrecision CitationRecall Valid Rubric(helpfulness) Aspect(polite)
"""
JUDGE = "llm:openai:gpt-4o-mini#1a2b3c"
CLAIMS, WANTED, CONTEXTS = 5, 4, 5
HITS, CONSTRAINTS = 5, ("price", "place")
#: At most so many CPU seconds and MB, where rules wrote FULL verdicts.
FULL = 600_000
BARS: dict[str, dict[str, float]] = {"score": {"CPU s": 9, "MB": 500}, "relevance": {"CPU s": 3}}


def verdicts(rng: random.Random, number: int) -> Iterator[tuple[str, str, float, str, str]]:
    """(about, aspect, value, by, why) of one answer."""
    counts = {"claims": CLAIMS, "reference_claims": WANTED, "contexts": CONTEXTS, "declines": 0}
    for aspect, count in counts.items():
        yield "answer", aspect, count, JUDGE, ""
    for aspect in ("valid", "helpfulness", "polite"):
        yield "answer", aspect, float(rng.random() < 0.8), JUDGE, f"the reason of answer {number}"
    yield "answer", "similarity", rng.random(), "embed:usem3", ""
    for n in range(1, 4):
        yield f"question:{n}", "question", rng.random(), f"embed:usem3#{JUDGE}", f"question {n} of answer {number}?"
    for about, several, agreed in (("claim", CLAIMS, "correct"), ("reference", WANTED, "stated")):
        for place in (f"{about}:{n}" for n in range(1, several + 1)):
            by = [doc for doc in range(CONTEXTS) if rng.random() < 0.3]
            yield place, "claim", 1, JUDGE, f"{place} of answer {number} states something of a usual length."
            yield place, "supported", float(bool(by)), JUDGE, "the context says the same in other words"
            yield place, agreed, float(rng.random() < 0.7), JUDGE, "the other side says the same"
            for doc in by:
                yield place, f"hit:d{doc}", 1, JUDGE, ""
    for doc in range(CONTEXTS):
        yield f"hit:d{doc}", "useful", float(rng.random() < 0.5), JUDGE, ""


def make_judge(path: Path, wanted: int) -> int:
    """Write a run folder with at least so many verdicts by a model; return how many it holds."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Answer, Hit, Item, Verdict
    from neraca.runs.run import Run, content_of

    rng = random.Random(SEED)
    items: list[Item] = []
    answers: list[Answer] = []
    said: list[Verdict] = []
    text = "A sentence of an answer that cites what it found [1], and another one [3]. " * 4
    while len(said) < wanted:
        id = f"q{len(items)}"
        items.append(Item(id=id, query=f"question {id}?", references=("A reference of some ten words, as they are.",)))
        hits = tuple(Hit(id=f"d{doc}", text="words " * 120) for doc in range(CONTEXTS))
        answers.append(Answer(item=id, text=text, hits=hits))
        of = content_of(answers[-1])
        said += [
            Verdict(item=id, about=about, aspect=aspect, value=value, by=by, why=why, of=of)
            for about, aspect, value, by, why in verdicts(rng, len(items))
        ]
    run = Run.create(path, Dataset(tuple(items), "bench"), {"kind": "bench"})
    with run.writing():
        run.answers_journal.append(*answers)
        run.add_verdicts(said)
        run.record_end()
    return len(said)


def checks(rng: random.Random, answer: Any) -> Iterator[Any]:
    """The verdicts of rules on an answer's hits: each constraint passes, fails, or finds no data."""
    from neraca.records import Verdict
    from neraca.runs.run import content_of

    of = content_of(answer)
    for hit in answer.hits:
        for aspect in CONSTRAINTS:
            chance, place = rng.random(), {"item": answer.item, "about": f"hit:{hit.id}", "aspect": aspect}
            if chance < 0.05:
                yield Verdict(**place, by="rules", status="missing", why=f"no {aspect}", of=of)
            else:
                why = f"{aspect}: {rng.randint(50, 150)}, wanted at most 100"
                yield Verdict(**place, by="rules", value=float(chance < 0.6), why=why, of=of)


def make_rules(path: Path, questions: int) -> int:
    """Write two run folders of so many questions with verdicts of rules; return how many verdicts they hold."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Answer, Constraint, Hit, Item
    from neraca.runs.run import Run

    rng = random.Random(SEED)
    wanted = {"price": Constraint(max=100), "place": Constraint(contains_any=["medan"])}
    items = tuple(Item(id=f"q{n}", query=f"question {n}?", constraints=wanted) for n in range(questions))
    count = 0
    for name in ("a", "b"):
        answers = []
        for item in items:
            shown = (f"d{doc}" for doc in rng.sample(range(4000), HITS))
            hits = tuple(Hit(id=doc, text="a house", fields={"price": rng.randint(50, 150)}) for doc in shown)
            answers.append(Answer(item=item.id, text="An answer.", hits=hits))
        verdicts = [verdict for answer in answers for verdict in checks(rng, answer)]
        run = Run.create(path / name, Dataset(items, "bench"), {"kind": "bench"})
        with run.writing():
            run.answers_journal.append(*answers)
            run.add_verdicts(verdicts)
            run.record_end()
        count += len(verdicts)
    return count


def score_runs(folders: Sequence[Path], metrics: str = "") -> tuple[str, float]:
    """What was scored, and CPU seconds of this process from its start."""
    from neraca.scores.score import score

    rows = score(folders, metrics).overall()
    return f"{len({row.metric for row in rows})} metrics, {sum(row.n for row in rows):,} values", time.process_time()


def relevance(folders: Sequence[Path]) -> tuple[str, float]:
    """How much is judged, and CPU seconds of finding that out once items and answers are read, as when scoring."""
    from neraca.runs.run import Run
    from neraca.verdicts.current import current_verdicts
    from neraca.verdicts.relevance import Relevance

    runs = [Run(folder) for folder in folders]
    items, answers = [run.items for run in runs], [run.answers() for run in runs]
    start = time.process_time()
    found = Relevance.of(items[0], [current_verdicts(run, given) for run, given in zip(runs, answers, strict=True)])
    return f"{sum(map(len, found.grades.values())):,} documents judged", time.process_time() - start


#: Name of a part → who makes its folders, and names of what is done with them.
PARTS: dict[str, tuple[Callable[[Path, int], int], tuple[str, ...]]] = {
    "judge": (make_judge, ("score a judge's",)),
    "rules": (make_rules, ("score", "relevance")),
}
WORK: dict[str, Callable[[Sequence[Path]], tuple[str, float]]] = {
    "score a judge's": lambda folders: score_runs(folders, METRICS),
    "score": score_runs,
    "relevance": relevance,
}


def child(kind: str, name: str, folder: Path, size: int) -> None:
    """Make folders or do a piece of work, and print what came of it and what it cost this process."""
    if kind == "make":
        print(json.dumps(PARTS[name][0](folder, size)))
        return
    wall = time.perf_counter()
    result, cpu = WORK[name]([path.parent for path in sorted(folder.rglob("manifest.json"))])
    cost = {"CPU s": cpu, "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB}
    print(json.dumps({"result": result, "wall": time.perf_counter() - wall} | cost))


def process(kind: str, name: str, folder: Path, size: int = 0) -> Any:
    """What a child prints."""
    call = [sys.executable, __file__, "--child", kind, name, str(folder), str(size)]
    return json.loads(subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])


def measured(part: str, size: int, rounds: int) -> Iterator[str]:
    """The rows of the table for one part."""
    with tempfile.TemporaryDirectory() as folder:
        count = process("make", part, Path(folder) / "runs", size)
        for name in PARTS[part][1]:
            costs = [process("work", name, Path(folder)) for _ in range(rounds)]
            best = {"CPU s": min(cost["CPU s"] for cost in costs), "MB": max(cost["MB"] for cost in costs)}
            bars = BARS.get(name, {}) if count == FULL else {}
            met = "; ".join(f"≤ {bar:g} {of}: {'met' if best[of] <= bar else 'MISSED'}" for of, bar in bars.items())
            wall = min(cost["wall"] for cost in costs)
            row = f"{best['CPU s']:.2f} | {wall:.2f} | {best['MB']:.0f} | {met}"
            yield f"| {part} | {count:,} | {name} | {costs[0]['result']} | {row} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time and memory of scoring from verdicts.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--verdicts", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=30_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        kind, name, folder, size = asked.child
        return child(kind, name, Path(folder), int(size))
    print(f"Python {sys.version.split()[0]}; load of the machine: {os.getloadavg()[0]:.1f}\n")
    head = "| part | verdicts | work | result | CPU s | wall s | peak MB | bar |"
    print(f"{head}\n|{'---|' * (head.count('|') - 1)}")
    for part in asked.parts:
        for row in measured(part, {"judge": asked.verdicts, "rules": asked.questions}[part], asked.rounds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
