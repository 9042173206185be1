"""How often the judge `declines` is right: its phrases on 280 answers by hand, 40 refusals and 30 others a language.

    .venv/bin/python benchmarks/declines.py [--before FILE]

Writes `benchmarks/results/declines.md`.  Half of the answers, those on even places of each language and label, are held
out.  One person wrote answers and phrases, so that even these are not independent; the ten refusals of each language
that were written last, after the phrases were mended, are worded as unlike them as could be: the worst case.
`--before` is a file of earlier phrases.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from neraca.judges.rules.declines import DeclinesJudge
from neraca.judges.rules.phrases import Phrases
from neraca.records import Answer, Item

HERE = Path(__file__).parent
LANGUAGES = {"en": "English", "es": "Spanish", "id": "Indonesian", "ar": "Arabic"}


NOTES = (
    "One person wrote answers and phrases.  The first 60 answers of each language were written before that person read",
    "the phrases, so the honest numbers are those before the mending.  After it those for mending say nothing, those",
    "held out are too good, and those written after are the worst case: worded as unlike the phrases as could be.",
)
MENDING, HELD_OUT, AFTER = "mending", "held out", "written after"


def labelled() -> Iterator[tuple[str, str, bool, str]]:
    """Yield language, part, whether it declines, and the text of each answer."""
    places: dict[tuple[str, str], int] = {}
    for line in (HERE / "declines.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, label, text = line.split("\t")
            places[language, label] = place = places.get((language, label), 0) + 1
            part = AFTER if label == "2" else MENDING if place % 2 else HELD_OUT
            yield language, part, label != "0", text


def counts(judge: DeclinesJudge, language: str, part: str) -> tuple[int, int, int, int]:
    """Return refusals found and all refusals, others taken for refusals and all others."""
    chosen = [(declines, text) for code, of, declines, text in labelled() if (code, of) == (language, part)]
    pairs = [(Item(id=str(n), query="?"), Answer(item=str(n), text=text)) for n, (_, text) in enumerate(chosen)]
    found = [verdict.value == 1 for verdict in judge.judge(pairs)]
    truth = [declines for declines, _ in chosen]
    hits = sum(a and b for a, b in zip(found, truth, strict=True))
    return hits, sum(truth), sum(found) - hits, len(truth) - sum(truth)


def table(judge: DeclinesJudge) -> Iterator[str]:
    """Yield the rows of a table in Markdown."""
    yield "| language | refusals found: for mending | held out | written after | others taken for refusals |"
    yield "|---|---|---|---|---|"
    sums = [[0] * 4] * 3
    for code, name in LANGUAGES.items():
        parts = [counts(judge, code, part) for part in (MENDING, HELD_OUT, AFTER)]
        sums = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(sums, parts, strict=True)]
        yield _row(name, parts)
    yield _row("all", sums)


def _row(name: str, parts: Sequence[Sequence[int]]) -> str:
    cells = [f"{part[0]} of {part[1]}" for part in parts]
    cells.append(f"{sum(part[2] for part in parts)} of {sum(part[3] for part in parts)}")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    lines = ["# The judge `declines` on answers by hand", "", *NOTES, ""]
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
