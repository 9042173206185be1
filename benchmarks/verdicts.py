"""What it costs to score a run again from the verdicts of an LLM judge: no model, no network, no key.

    .venv/bin/python benchmarks/verdicts.py [VERDICTS]

A process of its own reads a run folder of so many verdicts (100,000) and computes the metrics of claims, questions,
citations and ratings; CPU seconds (user and system) and peak memory of that process, imports included, the least of
three rounds.  The verdicts are made with a fixed seed, in the words that the judge of claims writes: about 60 for an
answer with 5 claims, 4 claims of the reference and 5 contexts.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

METRICS = """
Faithfulness Hallucination SelfKnowledge NoiseSensitivity NoiseSensitivity(contexts=irrelevant) ClaimPrecision
ClaimRecall ClaimF AnswerCorrectness Similarity ContextPrecision ContextRecall ContextUtilisation AnswerRelevance
CitationPrecision CitationRecall Valid Rubric(helpfulness) Aspect(polite)
"""
JUDGE = "llm:openai:gpt-4o-mini#1a2b3c"
CLAIMS, WANTED, CONTEXTS = 5, 4, 5


def verdicts(rng: random.Random, number: int) -> Iterator[tuple[str, str, float, str, str]]:
    """(about, aspect, value, by, why) of one answer."""
    counts = {"claims": CLAIMS, "reference_claims": WANTED, "contexts": CONTEXTS, "declines": 0}
    for aspect, count in counts.items():
        yield "answer", aspect, count, JUDGE, ""
    for aspect in ("valid", "helpfulness", "polite"):
        yield "answer", aspect, float(rng.random() < 0.8), JUDGE, f"the reason of answer {number}"
    yield "answer", "similarity", rng.random(), "embed:minilm", ""
    for n in range(1, 4):
        yield f"question:{n}", "question", rng.random(), f"embed:minilm#{JUDGE}", f"question {n} of answer {number}?"
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


def make(path: Path, wanted: int) -> int:
    """Write a run folder; returns how many verdicts it holds."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Answer, Hit, Item, Verdict
    from neraca.runs.run import Run, content_of

    rng = random.Random(20240517)
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
        run.close_books()
    return len(said)


def one(path: str) -> None:
    """Score the run and print what it cost this process."""
    wall = time.perf_counter()
    from neraca.scores.score import score

    rows = score([path], METRICS).overall()
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "cpu": used.ru_utime + used.ru_stime,
                "wall": time.perf_counter() - wall,
                "peak": used.ru_maxrss / 1024,
                "metrics": len(rows),
                "scored": sum(row.n for row in rows),
            }
        )
    )


def main(wanted: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        count = make(Path(folder) / "run", wanted)
        rounds = []
        for _ in range(3):
            call = [sys.executable, __file__, "--one", str(Path(folder) / "run")]
            told = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
            rounds.append(json.loads(told.stdout.splitlines()[-1]))
    best = min(rounds, key=lambda found: found["cpu"])
    print("verdicts  metrics  values scored  CPU s  wall s  peak MB")
    print(
        f"{count:8,}  {best['metrics']:7}  {best['scored']:13,}  {best['cpu']:5.2f}  {best['wall']:6.2f}"
        f"  {best['peak']:7.0f}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
