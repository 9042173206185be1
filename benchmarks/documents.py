"""What it costs to read, deduplicate and sample many documents.

    .venv/bin/python benchmarks/documents.py [--documents 25000 50000 100000]

A corpus in the format of BEIR: texts of 20 to 200 words, of which every tenth is a near duplicate of the one before.  A
process reads each corpus and draws 50 documents; the system counts its CPU time (user and system) and peak memory.  A
child starts with the peak memory of its parent, so this one imports the standard library only.  The results stand in
benchmarks/results/documents.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

READ = """
import sys, time
from neraca.generation.documents import read_documents
from neraca.generation.document_sample import sample_documents
start = time.process_time()
documents = read_documents(sys.argv[1])
read = time.process_time() - start
sample = sample_documents(documents.documents, 50)
print(f"{read:.1f} {len(documents)} {len(sample.duplicates)} {len(sample.documents)}")
"""


def write_corpus(path: Path, count: int) -> None:
    """Write a corpus of that many documents."""
    chance = random.Random(count)
    words = [f"{chance.randrange(10**6):06d}w" for _ in range(50_000)]
    text = ""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            copied = number % 10 == 9
            text = f"{text} again" if copied else " ".join(chance.choices(words, k=chance.randint(20, 200)))
            file.write(json.dumps({"_id": f"d{number}", "title": "", "text": text}) + "\n")


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    print("| documents | file | CPU | of it reading | peak memory | near duplicates found |\n|---|---|---|---|---|---|")
    for count in parser.parse_args().documents:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus.jsonl"
            write_corpus(corpus, count)
            process = subprocess.Popen([sys.executable, "-c", READ, folder], stdout=subprocess.PIPE, text=True)
            _, status, usage = os.wait4(process.pid, 0)
            assert status == 0
            assert process.stdout
            read, documents, duplicates, drawn = process.stdout.read().split()
            assert (int(documents), int(drawn)) == (count, 50)
            size = corpus.stat().st_size / 1e6
        cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        found = f"{int(duplicates):,} of {count // 10:,}"
        print(f"| {count:,} | {size:.0f} MB | {cpu:.1f} s | {read} s | {memory:.0f} MB | {found} |", flush=True)


if __name__ == "__main__":
    main()
