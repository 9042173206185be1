"""The same systems as run folders, TREC files and a table of texts, for laws that hold of all three."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders import make_run

from neraca.records import Answer, Hit, Item

KINDS = ("folders", "trec", "texts")
#: Of each question the documents 0, 1 and 2 are relevant and make its reference; 3 to 7 are not.
DOCS, RELEVANT, DEPTH = range(8), range(3), 5
WORDS = ("garden", "river", "house", "shop", "tower", "road", "market", "school")
#: A system: for each question the documents that it returns, best first.
Systems = Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Source:
    """Systems in files: the paths and options that follow a command's name, and the metrics that suit them."""

    kind: str
    paths: Mapping[str, str]
    options: tuple[str, ...]
    metrics: tuple[str, ...]

    def words(self, *names: str) -> list[str]:
        """The paths and options of some systems, default all, in this order."""
        chosen = names or tuple(self.paths)
        if self.kind == "texts":
            columns = [word for name in chosen for word in ("--response", name)]
            return [next(iter(self.paths.values())), *self.options, *columns]
        return [*(self.paths[name] for name in chosen), *self.options]

    def gate_words(self, name: str, baseline: str) -> list[str]:
        """What follows `gate` for one system beside its baseline."""
        if self.kind == "texts":
            return [self.paths[name], *self.options, "--response", name, "--against", baseline]
        return [self.paths[name], *self.options, "--against", self.paths[baseline]]


def draw_systems(seed: int, names: Sequence[str] = ("new", "old"), questions: int = 12, loss: float = 0.0) -> Systems:
    """Systems whose answers are drawn; with `loss` the first one returns relevant documents less often."""
    chance = random.Random(seed)
    return {name: [_answer(chance, 0.6 - loss * (name == names[0])) for _ in range(questions)] for name in names}


def _answer(chance: random.Random, quality: float) -> list[int]:
    good = [doc for doc in RELEVANT if chance.random() < quality]
    bad = chance.sample([doc for doc in DOCS if doc not in RELEVANT], DEPTH - len(good))
    return chance.sample([*good, *bad], DEPTH)


def rows_of(systems: Systems) -> range:
    return range(len(next(iter(systems.values()))))


def write_source(kind: str, folder: Path, systems: Systems, prefix: str = "") -> Source:
    """Write systems as files of a kind; `prefix` stands before the ids of questions and documents."""
    folder.mkdir(parents=True, exist_ok=True)
    return {"folders": write_folders, "trec": write_trec, "texts": write_texts}[kind](folder, systems, prefix)


def items_of(systems: Systems, prefix: str = "") -> list[Item]:
    """A question with qrels and a reference for each row."""
    grades = {f"{prefix}d{doc}": float(doc in RELEVANT) for doc in DOCS}
    reference = " ".join(WORDS[doc] for doc in RELEVANT)
    return [
        Item(id=f"{prefix}q{row}", query=f"question {row}", relevant=grades, references=(reference,))
        for row in rows_of(systems)
    ]


def answers_of(answers: Sequence[Sequence[int]], prefix: str = "") -> list[Answer]:
    return [
        Answer(
            item=f"{prefix}q{row}",
            text=" ".join(WORDS[doc] for doc in docs),
            hits=tuple(Hit(id=f"{prefix}d{doc}", score=float(DEPTH - rank)) for rank, doc in enumerate(docs)),
        )
        for row, docs in enumerate(answers)
    ]


def write_folders(folder: Path, systems: Systems, prefix: str = "") -> Source:
    items = items_of(systems, prefix)
    paths = {
        name: str(make_run(folder / name, items, answers_of(answers, prefix)).path) for name, answers in systems.items()
    }
    return Source("folders", paths, (), ("P@3", "nDCG@5", "RR", "TokenF1"))


def write_trec(folder: Path, systems: Systems, prefix: str = "") -> Source:
    judged = [f"{prefix}q{row} 0 {prefix}d{doc} {int(doc in RELEVANT)}" for row in rows_of(systems) for doc in DOCS]
    write_lines(folder / "qrels.txt", judged)
    for name, answers in systems.items():
        lines = [
            f"{prefix}q{row} Q0 {prefix}d{doc} {rank} {DEPTH + 1 - rank} {name}"
            for row, docs in enumerate(answers)
            for rank, doc in enumerate(docs, 1)
        ]
        write_lines(folder / name, lines)
    paths = {name: str(folder / name) for name in systems}
    return Source("trec", paths, ("--qrels", str(folder / "qrels.txt")), ("P@3", "nDCG@5", "RR", "AP"))


def write_texts(folder: Path, systems: Systems, prefix: str = "") -> Source:
    write_table(folder / "texts.csv", text_rows(systems, prefix))
    paths = dict.fromkeys(systems, str(folder / "texts.csv"))
    return Source("texts", paths, ("--reference", "reference"), ("TokenF1", "ROUGE-L", "TokenRecall", "BLEU"))


def text_rows(systems: Systems, prefix: str = "") -> list[dict[str, Any]]:
    reference = " ".join(WORDS[doc] for doc in RELEVANT)
    return [
        {"id": f"{prefix}q{row}", "reference": reference}
        | {name: " ".join(WORDS[doc] for doc in answers[row]) for name, answers in systems.items()}
        for row in rows_of(systems)
    ]


def write_lines(path: Path, lines: Iterable[str], mark: str = "", end: str = "\n") -> Path:
    path.write_bytes((mark + "".join(f"{line}{end}" for line in lines)).encode())
    return path


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], mark: str = "", end: str = "\n") -> Path:
    """Write rows as CSV, TSV, JSON Lines or JSON, by the suffix."""
    if path.suffix == ".jsonl":
        return write_lines(path, [json.dumps(row) for row in rows], mark, end)
    if path.suffix == ".json":
        return write_lines(path, json.dumps(rows, indent=1).split("\n"), mark, end)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(mark)
        delimiter = "\t" if path.suffix == ".tsv" else ","
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator=end)
        writer.writeheader()
        writer.writerows(rows)
    return path
