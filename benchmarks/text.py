"""What text metrics cost, against the libraries that people use for them.

    .venv/bin/python benchmarks/text.py [--words 30 120 500] [--rounds N] [--parts many one million]

many: lists of responses and references to values, in one process in which the tools take turns; the least CPU time of
several rounds counts, per pair, and what each does to prepare its texts counts too.  A peer gets fewer pairs, the first
of ours, since it takes its time with each.  one: a metric made once scores one new pair after the other.  million:
processes of their own score 100,000 and 1,000,000 pairs of 40 words through `neraca.text`; CPU time and peak memory.

Texts are made with a fixed seed: words of a vocabulary of 20,000 drawn by Zipf's law, with capitals and punctuation;
a response is its reference with words left out, put in, changed and moved.  Nothing is downloaded: METEOR of NLTK gets
a WordNet without an entry.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import resource
import string
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from itertools import accumulate
from typing import Any

SEED, VOCABULARY = 20240517, 20_000
MB = 1 << (20 if sys.platform == "darwin" else 10)
#: Words per text → pairs of ours, pairs of a peer.
SIZES = {30: (4_000, 200), 120: (1_000, 60), 500: (300, 10)}
Pairs = list[tuple[str, str]]
Values = Sequence[float]


def vocabulary(rng: random.Random) -> list[str]:
    """Made-up words; the frequent ones are the short ones."""
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        syllables = (rng.choice("bcdfghjklmnprstvwz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
        found["".join(syllables) + rng.choice(("", "n", "r", "s", "ed", "ing"))] = None
    return sorted(found, key=lambda word: len(word) + rng.random() * 4)


def made(words: int, count: int) -> Pairs:
    """Pairs of a response and a reference of about so many words."""
    rng = random.Random(f"{SEED} {words}")
    known = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))

    def draw(number: int) -> list[str]:
        return rng.choices(known, cum_weights=weights, k=number)

    def edited(original: list[str]) -> list[str]:
        found = []
        for word in original:
            chance = rng.random()
            found += [] if chance < 0.1 else draw(1) if chance < 0.3 else [word]
            found += draw(1) if chance > 0.92 else []
        cut = rng.randrange(len(found) + 1) if rng.random() < 0.3 else 0
        return [word + "s" if rng.random() < 0.05 else word for word in found[cut:] + found[:cut]]

    def written(found: list[str]) -> str:
        text, capital = [], True
        for word in found:
            chance = rng.random()
            end = "." if chance < 0.07 else "," if chance < 0.13 else ""
            text.append((word.capitalize() if capital else word) + end)
            capital = end == "."
        return " ".join(text)

    pairs = []
    for _ in range(count):
        reference = draw(max(1, round(rng.gauss(words, words / 6))))
        pairs.append((written(edited(reference)), written(reference)))
    return pairs


# what others do with one pair: each function makes one that scores it


def rouge_score() -> Callable[[str, str], Any]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    return lambda response, reference: scorer.score(reference, response)


def nltk_bleu() -> Callable[[str, str], Any]:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    method = SmoothingFunction().method1
    return lambda response, reference: sentence_bleu(
        [reference.lower().split()], response.lower().split(), smoothing_function=method
    )


class NoWordNet:
    """A WordNet in which no word has a synonym."""

    def synsets(self, word: str) -> list[Any]:
        return []


def nltk_meteor() -> Callable[[str, str], Any]:
    from nltk.translate.meteor_score import single_meteor_score

    empty: Any = NoWordNet()
    return lambda response, reference: single_meteor_score(reference.split(), response.split(), wordnet=empty)


def sklearn_tfidf() -> Callable[[str, str], Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    def score(response: str, reference: str) -> float:
        vectors = TfidfVectorizer().fit_transform([response, reference])
        return float(cosine_similarity(vectors[0], vectors[1])[0, 0])

    return score


def sacre(name: str) -> Callable[[str, str], Any]:
    import sacrebleu

    metric = sacrebleu.CHRF() if name == "chrF" else sacrebleu.BLEU(effective_order=True)
    return lambda response, reference: metric.sentence_score(response, [reference]).score


def squad(name: str = "both") -> Callable[[str, str], Any]:
    """Exact match and F1 as SQuAD defines them: Rajpurkar et al. (2016)."""
    deleted = set(string.punctuation)

    def normal(text: str) -> str:
        kept = "".join(letter for letter in text.lower() if letter not in deleted)
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())

    def f1(response: str, reference: str) -> float:
        ours, theirs = normal(response).split(), normal(reference).split()
        shared = sum((Counter(ours) & Counter(theirs)).values())
        if not shared:
            return 0.0
        precision, recall = shared / len(ours), shared / len(theirs)
        return 2 * precision * recall / (precision + recall)

    def same(response: str, reference: str) -> bool:
        return normal(response) == normal(reference)

    alone = {"f1": f1, "em": same, "both": lambda *texts: (f1(*texts), same(*texts))}
    return alone[name]


@dataclass(frozen=True)
class Work:
    """Metrics of ours and the peers that do the same, with the ratio per number of words that we hold ourselves to."""

    metrics: str
    peers: tuple[Callable[[], Callable[[str, str], Any]], ...]
    bars: tuple[float, float, float]


SIX = "ROUGE-1 ROUGE-2 ROUGE-L BLEU METEOR TFIDF"
WORK = {
    "six metrics / four peers in turn": Work(SIX, (rouge_score, nltk_bleu, nltk_meteor, sklearn_tfidf), (100, 80, 250)),
    "ROUGE-1, 2, L / rouge_score": Work("ROUGE-1 ROUGE-2 ROUGE-L", (rouge_score,), (25, 70, 300)),
    "BLEU / sacreBLEU": Work("BLEU(tokens=13a)", (lambda: sacre("BLEU"),), (4, 4, 4)),
    "chrF / sacreBLEU": Work("chrF", (lambda: sacre("chrF"),), (9, 9, 9)),
    "METEOR / NLTK": Work("METEOR", (nltk_meteor,), (8, 8, 8)),
    "F1, EM / SQuAD": Work("TokenF1(tokens=squad) ExactMatch(tokens=squad)", (squad,), (2, 2, 2)),
}
#: One pair alone, and which peer it must not be slower than.
ONE: dict[str, Callable[[], Callable[[str, str], Any]]] = {
    "ROUGE-1": lambda: rouge_alone("rouge1"),
    "ROUGE-2": lambda: rouge_alone("rouge2"),
    "ROUGE-L": lambda: rouge_alone("rougeL"),
    "BLEU": nltk_bleu,
    "BLEU(tokens=13a)": lambda: sacre("BLEU"),
    "METEOR": nltk_meteor,
    "TFIDF": sklearn_tfidf,
    "chrF": lambda: sacre("chrF"),
    "TokenF1(tokens=squad)": lambda: squad("f1"),
    "ExactMatch(tokens=squad)": lambda: squad("em"),
}


def rouge_alone(name: str) -> Callable[[str, str], Any]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([name])
    return lambda response, reference: scorer.score(reference, response)


def cost(function: Callable[..., Any], *arguments: Any, **named: Any) -> float:
    """CPU seconds of this process."""
    gc.collect()
    start = time.process_time()
    function(*arguments, **named)
    return time.process_time() - start


def ours(metrics: str, pairs: Pairs) -> list[Values]:
    """From lists of texts to the values of each metric."""
    from neraca.metrics.metric import Metric
    from neraca.metrics.text.texts import Texts

    texts = Texts.of_pairs([response for response, _ in pairs], [reference for _, reference in pairs], "en")
    return [Metric.of(name)(texts) for name in metrics.split()]


def in_turn(peers: Sequence[Callable[[str, str], Any]], pairs: Pairs) -> None:
    for peer in peers:
        for response, reference in pairs:
            peer(response, reference)


def many(sizes: Iterable[int], rounds: int) -> Iterator[str]:
    """The rows of the first table."""
    for words in sizes:
        count, fewer = SIZES[words]
        pairs = made(words, count)
        for name, work in WORK.items():
            peers = [make() for make in work.peers]
            in_turn(peers, pairs[:2])
            ours(work.metrics, pairs[:500])
            mine, others = [], []
            for _ in range(rounds):
                mine.append(cost(ours, work.metrics, pairs) / count * 1e6)
                others.append(cost(in_turn, peers, pairs[:fewer]) / fewer * 1e6)
            bar = work.bars[list(SIZES).index(words)]
            yield f"| {name} | {words} | {line(min(mine), min(others), bar)} |"


def line(mine: float, other: float, bar: float) -> str:
    """Microseconds of both, how many times faster we are, and whether that is what we hold ourselves to."""
    ratio = other / mine
    return f"{mine:,.1f} | {other:,.1f} | {ratio:,.1f} | {bar:g}: {'met' if ratio >= bar else 'MISSED'}"


def alone(metric: Any, pairs: Pairs) -> None:
    for response, reference in pairs:
        metric.pair(reference, response, "en")


def one(sizes: Iterable[int], rounds: int) -> Iterator[str]:
    """The rows of the second table: every pair is new, since each round has its own."""
    from neraca.metrics.metric import Metric

    for words in sizes:
        each = SIZES[words][1]
        pairs = made(words, each * (rounds + 1))
        for name, make in ONE.items():
            metric, peer = Metric.of(name), make()
            mine, others = [], []
            for start in range(0, len(pairs), each):
                some = pairs[start : start + each]
                mine.append(cost(alone, metric, some))
                others.append(cost(in_turn, [peer], some))
            yield f"| {name} | {words} | {line(min(mine) / each * 1e6, min(others) / each * 1e6, 1)} |"


class Repeated(Sequence[str]):
    """So many texts, made of fewer when they are asked for; each has a number at its end."""

    def __init__(self, texts: Sequence[str], count: int) -> None:
        self.texts, self.count = texts, count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self.count))]
        return f"{self.texts[place % len(self.texts)]} {place}"


def score_million(count: int) -> None:
    """In a process of its own: score so many pairs and print CPU seconds and peak MB."""
    import neraca

    pairs = made(40, 20_000)
    responses, references = (Repeated([pair[side] for pair in pairs], count) for side in (0, 1))
    found = cost(neraca.text, references, responses, SIX, language="en")
    print(f"{found:.1f} | {found / count * 1e6:.1f} | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB:.0f}")


def million() -> Iterator[str]:
    """The rows of the third table."""
    for count in (100_000, 1_000_000):
        call = [sys.executable, __file__, "--child", str(count)]
        told = subprocess.run(call, stdout=subprocess.PIPE, check=True, text=True).stdout
        yield f"| {count:,} | {told.strip()} |"


def table(head: str, rows: Iterator[str]) -> None:
    print(f"\n{head}\n|{'---|' * (head.count('|') - 1)}")
    for row in rows:
        print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time and memory of text metrics, against peers.")
    parser.add_argument("--words", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=("many", "one", "million"), default=["many", "one"])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        return score_million(asked.child)
    shown = ("neraca", "numpy", "polars", "rapidfuzz", "rouge-score", "nltk", "sacrebleu", "scikit-learn", "PyStemmer")
    told = sorted({f"{package.name} {package.version}" for package in distributions() if package.name in shown})
    print(", ".join([f"Python {sys.version.split()[0]}", *told]))
    head = "| words | µs per pair | peer | ratio | bar |"
    if "many" in asked.parts:
        table(f"| many {head}", many(asked.words, asked.rounds))
    if "one" in asked.parts:
        table(f"| one pair alone {head}", one(asked.words, asked.rounds))
    if "million" in asked.parts:
        table("| pairs of 40 words | CPU s | µs per pair | peak MB |", million())


if __name__ == "__main__":
    main()
