"""How many faulty questions the checks of questions from documents refuse, and how many good ones.

    python benchmarks/planted_questions.py > benchmarks/results/planted_questions.md

A scripted writer writes about 400 questions about 120 documents; every second one has one of eight known faults.  A
scripted reader looks in the texts that it is shown for what a question asks.  `tests/generation/planted_questions.py`
has both.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.remove(str(Path(__file__).parent))  # it has a judges.py too

from generation.planted_questions import FAULTS, Writer, branches, fault_of, reply_to, write_folder
from judges.scripted_model import Script

import neraca
from neraca.generation.question_duplicates import check_duplicates

#: What each fault is.
NAMES = {
    "unanswerable": "called answerable, but no text answers it",
    "quote": "the quote is invented",
    "deictic": "“this document”",
    "copied": "the sentence of the document",
    "duplicate": "the same in other words",
    "language": "another language",
    "half": "one of the two documents is enough",
    "answerable": "called unanswerable, but a text answers it",
}
RULES = {"grounded", "standalone", "copied", "language"}


def refused_by_rules(questions):
    """The ids of the questions that rules alone refuse."""
    by_rules = [
        replace(question, checks=tuple(check for check in question.checks if check.aspect in RULES))
        for question in questions.checked
    ]
    passed = [question for question in by_rules if question.accepted]
    repeated = [q for q, check in zip(passed, check_duplicates(passed, "en"), strict=True) if not check.passed]
    return {question.id for question in by_rules if not question.accepted} | {question.id for question in repeated}


def main():
    writer = Writer()
    script = Script(lambda prompt, repeat: reply_to(writer)(prompt))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        write_folder(path / "docs", branches(120))
        with neraca.ModelSession(path / "cache.sqlite", concurrency=1) as session:
            questions = neraca.generate_from_documents(
                path / "docs",
                205,
                kinds="single=0.5,unanswerable=0.25,multi=0.25",
                model="openai:writer",
                language="en",
                session=session,
                chat=script,
            )
    by_rules = refused_by_rules(questions)
    print("# The checks of questions from documents, on planted faults\n")
    print(
        f"A script wrote {len(questions.checked)} questions about 120 documents, every second one with a known fault;"
    )
    print("another script read them.\n")
    print("| fault | questions | refused by rules alone | refused by rules and the second reader |")
    print("|---|---|---|---|")
    groups = {fault: [q for q in questions.checked if fault_of(writer, q.draft) == fault] for fault in (*FAULTS, "")}
    faulty = [question for fault in FAULTS for question in groups[fault]]
    rows = {NAMES[fault]: groups[fault] for fault in FAULTS} | {"all faults": faulty, "none": groups[""]}
    for name, group in rows.items():
        alone = sum(question.id in by_rules for question in group)
        both = sum(not question.accepted for question in group)
        print(f"| {name} | {len(group)} | {alone} | {both} |")
    print(
        f"\n{script.calls} calls, {script.calls / len(questions):.2f} for each of {len(questions)} accepted questions."
    )


if __name__ == "__main__":
    main()
