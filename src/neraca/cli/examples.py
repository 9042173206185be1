"""Two examples for the help of each command, which run on the files that `neraca init` writes."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple


class Examples(NamedTuple):
    """Two command lines, and the files that they need."""

    lines: tuple[str, str]
    #: The starter with these files, a word of `neraca init --for`; "": the command needs none of them.
    starter: str = ""
    #: Whether the files are those after `neraca run study.toml`.
    after_study: bool = False


_ONE, _OTHER = "results/study/search/filter", "results/study/search/words"
#: Command → its examples.
EXAMPLES = {
    "demo": Examples(("neraca demo", "neraca demo --online")),
    "init": Examples(("neraca init --for trec", "neraca init --for thesis houses --language es")),
    "generate": Examples(
        (
            "neraca generate listings.json --out questions -n 30",
            "neraca generate . --out quiz -n 20 --model openai:gpt-4o-mini --dry-run",
        ),
        "thesis",
    ),
    "run": Examples(("neraca run study.toml", "neraca run study.toml --phase 1"), "thesis"),
    "ask": Examples(
        (
            "neraca ask questions.jsonl --target replay:old.jsonl --out runs/old",
            "neraca ask questions.jsonl --target http://127.0.0.1:8000/ask --out runs/new",
        ),
        "rag",
    ),
    "traces": Examples(("neraca traces export.jsonl --probe", "neraca traces export.jsonl --out runs/november")),
    "receive": Examples(
        ("neraca receive --out runs/live", "neraca receive --out runs/live --host 0.0.0.0 --port 4318")
    ),
    "judge": Examples(
        (f"neraca judge {_ONE}", f"neraca judge {_ONE} --judge claims --model openai:gpt-4o-mini --dry-run"),
        "thesis",
        after_study=True,
    ),
    "pool": Examples(
        (
            "neraca pool bm25.run dense.run --depth 5",
            "neraca pool bm25.run dense.run --depth 10 --qrels qrels.txt --out judge.csv",
        ),
        "trec",
    ),
    "rate": Examples(
        (f"neraca rate {_ONE} {_OTHER} --page rate.html", f"neraca rate {_ONE} --template ratings.xlsx"),
        "thesis",
        after_study=True,
    ),
    "agree": Examples(
        (
            'neraca agree runs/new --judges "rules human"',
            "neraca agree runs/new --plan label.csv --labels 60 --strategy uncertain",
        )
    ),
    "prefer": Examples(("neraca prefer runs/old runs/new", "neraca prefer runs/old runs/new --position")),
    "score": Examples(
        (
            'neraca score bm25.run dense.run --qrels qrels.txt -m "nDCG@10 AP"',
            "neraca score bm25.run --qrels qrels.txt -q",
        ),
        "trec",
    ),
    "compare": Examples(
        (
            "neraca compare bm25.run dense.run --qrels qrels.txt",
            'neraca compare bm25.run dense.run --qrels qrels.txt -m "AP nDCG@10" --margin AP=0.05',
        ),
        "trec",
    ),
    "gate": Examples(
        (
            f'neraca gate {_ONE} --against {_OTHER} --rule "P@5 >= -0.1"',
            f'neraca gate {_ONE} --rule "Coverage >= 0.5"',
        ),
        "thesis",
        after_study=True,
    ),
    "report": Examples(
        (
            "neraca report bm25.run dense.run --qrels qrels.txt --to report.html",
            "neraca report bm25.run dense.run --qrels qrels.txt --to table.tex",
        ),
        "trec",
    ),
    "serve": Examples(("neraca serve results", "neraca serve results --primary P@5 --open"), "thesis", True),
    "trec": Examples(
        ("neraca trec qrels.txt bm25.run dense.run --compare", "neraca trec qrels.txt bm25.run --trec-eval"), "trec"
    ),
    "text": Examples(
        (
            "neraca text answers.csv --response old --response new",
            'neraca text answers.csv --response new -m "ROUGE-L chrF" --out scored.csv',
        ),
        "texts",
    ),
    "browser": Examples(
        (
            "neraca browser --probe http://127.0.0.1:8000/",
            "neraca browser --url http://127.0.0.1:8000/ --input questions.csv --output answers.csv",
        ),
        "chatpage",
    ),
    "drift": Examples(
        (
            "neraca drift runs/november -m Coverage --reference 2",
            "neraca drift runs/november -m Coverage --to drift.html",
        )
    ),
    "power": Examples(
        (
            "neraca power --difference 0.05 --sd 0.2",
            "neraca power bm25.run dense.run --qrels qrels.txt -m AP --difference 0.05",
        ),
        "trec",
    ),
    "ab": Examples(("neraca ab log.csv", "neraca ab log.csv --plan --effect 5%"), "online"),
    "interleave": Examples(
        (
            "neraca interleave --plan bm25.run dense.run --qrels qrels.txt",
            "neraca interleave searches.jsonl --to interleaving.html",
        ),
        "trec",
    ),
    "clicks": Examples(("neraca clicks log.csv", "neraca clicks log.csv --to users.json"), "online"),
    "reliability": Examples(
        (
            "neraca reliability bm25.run dense.run --qrels qrels.txt -m AP",
            'neraca reliability bm25.run dense.run --qrels qrels.txt -m "AP RR" --splits 100',
        ),
        "trec",
    ),
    "metrics": Examples(("neraca metrics", "neraca metrics nDCG@10")),
    "prompts": Examples(("neraca prompts claims", "neraca prompts --export prompts")),
    "doctor": Examples(("neraca doctor", "neraca doctor --target study.toml"), "thesis"),
    "help": Examples(("neraca help", "neraca help drift")),
}


def examples_text(command: str, width: int = 78) -> str:
    """Return the examples of a command with a title that names their files; long lines go on after a backslash.

    >>> print(examples_text("clicks"))
    Examples, with the files of `neraca init --for online`:
      neraca clicks log.csv
      neraca clicks log.csv --to users.json
    """
    examples = EXAMPLES[command]
    where = f", with the files of `neraca init --for {examples.starter}`" if examples.starter else ""
    where += " after `neraca run study.toml`" if examples.after_study else ""
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    title = textwrap.fill(f"Examples{where}:", width)
    lines = [" \\\n      ".join(textwrap.wrap(line, width - 8, **options)) for line in examples.lines]
    return "\n  ".join([title, *lines])
