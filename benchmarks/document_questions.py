"""What it costs this machine to prepare questions about many documents, without the calls of models.

    .venv/bin/python benchmarks/document_questions.py [--documents 25000 50000 100000]

A dry run of 50 questions about the corpora of `benchmarks/documents.py`: they are read, cut into passages and indexed,
near duplicates are found, documents drawn, and the calls estimated.  The results stand in
benchmarks/results/document_questions.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from documents import write_corpus

DRY_RUN = """
import sys
from pathlib import Path
import neraca
with neraca.ModelSession(Path(sys.argv[1]) / "cache.sqlite", dry_run=True) as session:
    questions = neraca.generate_from_documents(
        sys.argv[1], 50, model="openai:gpt-4o-mini", language="en", session=session
    )
print(questions.spent.calls)
"""


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    print("| documents | CPU | peak memory | calls that 50 questions would take |\n|---|---|---|---|")
    for count in parser.parse_args().documents:
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(Path(folder) / "corpus.jsonl", count)
            process = subprocess.Popen([sys.executable, "-c", DRY_RUN, folder], stdout=subprocess.PIPE, text=True)
            _, status, usage = os.wait4(process.pid, 0)
            assert status == 0
            assert process.stdout
            calls = int(process.stdout.read())
        cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        print(f"| {count:,} | {cpu:.1f} s | {memory:.0f} MB | {calls} |", flush=True)


if __name__ == "__main__":
    main()
