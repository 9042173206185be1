"""Texts that break readers of words, and seeded pairs of texts; nothing here computes what a test checks."""

import random

HARD = (
    *("", " ", "a", "the", "a the an", "...", "!?", "the the the the", "a a b", "b a a", "the cat", "cat."),
    *("The  Cat!", "\n", "one\ntwo\tthree", "one two\u00a0three", "one\x1ctwo", " lead", "trail ", "x" * 300, "it's"),
    *("😀 😀 house", "👩\u200d👩\u200d👧 family", "e\u0301te\u0301", "été", "ﬁne oﬃce", "straße STRASSE", "İ I ı"),
    *("القُرْآنُ الكريم", "القران الكريم", "שלום עולם", "東京都に住む", "我们住在北京。", "ฉันรักเมืองไทย", "नमस्ते दुनिया"),
    *("running runs ran houses house", "house houses run running", "3,5 juta", "3.5 juta", "ΟΔΟΣ ΑΣ", "A_b c__d"),
)
WORDS = (
    *("the", "a", "house", "houses", "running", "runs", "ran", "Cat", "cats", "dog.", "in", "Medan", "3,5", "été"),
    *("relational", "relate", "dying", "skies", "sky", "happily", "happy", "conditional", "I", "x", "ß", "東京", "..."),
)
GAPS = (" ", " ", " ", " ", "  ", "\n", "\t", "\u00a0")


def random_text(chance: random.Random, most: int = 14) -> str:
    return "".join(chance.choice(WORDS) + chance.choice(GAPS) for _ in range(chance.randrange(most)))


def hard_pairs() -> list[tuple[str, str]]:
    """Each beside each, as (reference, response)."""
    return [(reference, response) for reference in HARD for response in HARD]


def random_pairs(seed: int, count: int) -> list[tuple[str, str]]:
    chance = random.Random(seed)
    return [(random_text(chance), random_text(chance)) for _ in range(count)]


def long_pair(seed: int, words: int = 5000) -> tuple[str, str]:
    chance = random.Random(seed)
    vocabulary = [*WORDS, *(f"word{number}" for number in range(2000))]
    one, other = (" ".join(chance.choices(vocabulary, k=words)) for _ in range(2))
    return one, other
