"""How often the judge `declines` is right: its phrases on 240 answers by hand, 30 refusals and 30 others a language.

    .venv/bin/python benchmarks/declines.py [--before FILE]

Writes `benchmarks/results/declines.md`.  Half of the answers, those on even places of each language and label, are held
out: no phrase was added with an eye on them.  `--before` is a file of phrases from before they were mended.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator
from pathlib import Path

from neraca.judges.declines import DeclinesJudge
from neraca.judges.phrases import Phrases
from neraca.records import Answer, Item

HERE = Path(__file__).parent
LANGUAGES = {"en": "English", "es": "Spanish", "id": "Indonesian", "ar": "Arabic"}


def labelled() -> Iterator[tuple[str, bool, bool, str]]:
    """Yield language, whether it is held out, whether it declines, and the text of each answer."""
    places: dict[tuple[str, str], int] = {}
    for line in (HERE / "declines.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, label, text = line.split("\t")
            places[language, label] = place = places.get((language, label), 0) + 1
            yield language, place % 2 == 0, label == "1", text


def counts(judge: DeclinesJudge, language: str, held_out: bool) -> tuple[int, int, int, int]:
    """Return refusals found and all refusals, others taken for refusals and all others."""
    chosen = [(declines, text) for code, held, declines, text in labelled() if (code, held) == (language, held_out)]
    pairs = [
        (Item(id=str(n), query="?"), Answer(item=str(n), text=text)) for n, (_, text) in enumerate(chosen)
    ]
    found = [verdict.value == 1 for verdict in judge.judge(pairs)]
    truth = [declines for declines, _ in chosen]
    hits = sum(a and b for a, b in zip(found, truth, strict=True))
    return hits, sum(truth), sum(found) - hits, len(truth) - sum(truth)


def table(judge: DeclinesJudge) -> Iterator[str]:
    """Yield the rows of a table in Markdown."""
    yield "| language | refusals found, for mending | held out | others taken for refusals, for mending | held out |"
    yield "|---|---|---|---|---|"
    sums = [[0] * 4, [0] * 4]
    for code, name in LANGUAGES.items():
        halves = [counts(judge, code, held_out) for held_out in (False, True)]
        sums = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(sums, halves, strict=True)]
        yield _row(name, *halves)
    yield _row("all", *sums)


def _row(name: str, mending: list[int] | tuple[int, ...], held: list[int] | tuple[int, ...]) -> str:
    cells = [f"{half[at]} of {half[at + 1]}" for at in (0, 2) for half in (mending, held)]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    lines = ["# The judge `declines` on answers by hand", ""]
    if options.before:
        judge = DeclinesJudge({})
        before = tomllib.loads(options.before.read_text(encoding="utf-8"))
        judge._phrases = Phrases([phrase for phrases in before.values() for phrase in phrases])
        lines += ["Before phrases were mended:", "", *table(judge), ""]
    lines += ["With the phrases that are shipped:", "", *table(DeclinesJudge({})), ""]
    (HERE / "results" / "declines.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
