"""What a row of a Parquet file costs beside the libraries that people use: six metrics of texts, and nDCG, in one go.

    .venv/bin/python benchmarks/per_row.py [--rows 100000]

Neraca reads Parquet, scores and writes Parquet, one process; CPU time per row, once everything is imported.  The peers
get what is in memory already: rouge_score, sacreBLEU and NLTK, which Hugging Face's `evaluate` calls for these metrics
(it would load its own wrappers from a hub), on the first 1,500 pairs of 40 words; pytrec_eval gets its mappings, of
which the making is counted apart.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from scale import write_pairs

SIX = "ROUGE-1 ROUGE-2 ROUGE-L BLEU METEOR chrF"
OF_PEER = 1500


class NoSynonyms:
    """A WordNet without an entry."""

    def synsets(self, word: str) -> list[Any]:
        """None."""
        return []


def write_rankings(path: Path, rows: int) -> None:
    """Ten hits a row, and three judged documents as JSON."""
    rng = random.Random(0)
    graded = [{f"d{rng.randrange(1000)}": grade for grade in (2, 1, 1)} for _ in range(rows)]
    columns = {"id": [f"q{number}" for number in range(rows)], "relevant": list(map(json.dumps, graded))}
    hits = [list(dict.fromkeys(f"d{rng.randrange(1000)}" for _ in range(10))) for _ in range(rows)]
    pl.DataFrame({**columns, "hits": hits}).write_parquet(path, row_group_size=20_000)


def engine(data: Path, metrics: str, out: Path) -> float:
    """Microseconds of CPU a row; a first file, which imports and warms up, does not count."""
    from neraca.scores.score_parquet import ScaleOptions, score_parquet

    score_parquet(data, metrics, out / "first", ScaleOptions(workers=1))
    began = time.process_time()
    found = score_parquet(data, metrics, out / "second", ScaleOptions(workers=1))
    return (time.process_time() - began) / found.rows_done * 1e6


def each(rows: int, work: Callable[[], object]) -> float:
    """Microseconds of CPU a row."""
    began = time.process_time()
    work()
    return (time.process_time() - began) / rows * 1e6


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    import pytrec_eval
    import sacrebleu
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_pairs(place / "pairs", rows)
        write_rankings(place / "rankings.parquet", rows)
        print("| metrics | tool | µs a row |\n|---|---|---|")
        print(f"| {SIX} | Neraca | {engine(place / 'pairs', SIX, place):.0f} |")
        frame = pl.read_parquet(place / "pairs").head(OF_PEER)
        pairs = list(zip(frame["reference"].to_list(), frame["response"].to_list(), strict=True))
        rouge, synonyms = RougeScorer(["rouge1", "rouge2", "rougeL"]), NoSynonyms()
        peers: dict[str, Callable[[str, str], object]] = {
            "ROUGE-1, -2, -L | rouge_score": rouge.score,
            "BLEU | sacreBLEU": lambda a, b: sacrebleu.sentence_bleu(b, [a]),
            "chrF | sacreBLEU": lambda a, b: sacrebleu.sentence_chrf(b, [a]),
            "METEOR | NLTK": lambda a, b: single_meteor_score(a.split(), b.split(), wordnet=synonyms),
        }
        for name, score in peers.items():
            print(f"| {name} | {each(len(pairs), lambda score=score: [score(*pair) for pair in pairs]):.0f} |")
        (place / "ranked").mkdir()
        print(f"| nDCG@10 | Neraca | {engine(place / 'rankings.parquet', 'nDCG@10', place / 'ranked'):.1f} |")
        began = time.process_time()
        frame = pl.read_parquet(place / "rankings.parquet")
        qrels = {query: json.loads(text) for query, text in zip(frame["id"], frame["relevant"], strict=True)}
        run = {
            query: {doc: float(-rank) for rank, doc in enumerate(hits)}
            for query, hits in zip(frame["id"], frame["hits"].to_list(), strict=True)
        }
        made = (time.process_time() - began) / rows * 1e6
        print(f"| reading the same file into mappings | polars, json | {made:.1f} |")
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
        print(f"| nDCG@10 of these | pytrec_eval | {each(rows, lambda: evaluator.evaluate(run)):.1f} |")


if __name__ == "__main__":
    main()
