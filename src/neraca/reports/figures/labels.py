"""Labels of runs in figures: short enough for their room, and never the same for two runs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations

#: Width of letters in thousandths of the size of the type, as in Arial and the typefaces that replace it.
_WIDTHS = {
    190: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft·",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    584: "+<=>~−",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…",
    1015: "@",
}
_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
#: The width of all other letters, and of those of East Asian scripts.
_OTHER, _WIDE = 570, 1000
#: The size of the type in a figure for a paper, in pixels; bold type is wider by this factor.
TYPE, BOLD = 10.67, 1.08
#: The width of a run's label in the figures for a paper, in pixels.
RUN_ROOM = 118.0
#: No label is cut to fewer letters.
_LEAST = 9
#: Labels that were alike at their ends shall differ in so many letters, if a cut does it: one is overlooked.
_APART = 3


def text_width(text: str, size: float = TYPE) -> float:
    """Return the width of a line of text in pixels, for type of this size in pixels.

    >>> round(text_width("mm"), 1), round(text_width("il"), 1)
    (17.8, 4.7)
    """
    return sum(_letter_width(letter) for letter in text) * size / 1000


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return _WIDTH.get(letter, _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER)


def short(label: str, length: int = 22) -> str:
    """Shorten one name to its two ends, because the names of a system's variants begin alike and differ at the end.

    If a figure shows several names, use `distinct`.

    >>> short("hybrid-with-reranking-v2", 15), short("hybrid-with-reranking-v3", 15)
    ('hybrid-…king-v2', 'hybrid-…king-v3')
    """
    half = (length - 1) // 2
    return _cut(label, half, half) if len(label) > length else label


def _cut(label: str, head: int, tail: int) -> str:
    return f"{label[:head]}…{label[len(label) - tail :]}"


def distinct(names: Iterable[str], length: int = 22) -> dict[str, str]:
    """Shorten names to at most `length` letters each, so that no two have the same label.

    Names that would look the same at their two ends are cut elsewhere, so that the first letters that differ are seen.
    If no cut tells them apart, their label begins with their place among the names.

    >>> distinct(["splade-v3-cocondenser-ensembledistil", "splade-v3-cocondenser-selfdistil"], 20).values()
    dict_values(['splade-v…mbledistil', 'splade-v…selfdistil'])
    >>> distinct(["a-long-name-1-with-an-end", "a-long-name-2-with-an-end"], 11).values()
    dict_values(['a-l…1-with…', 'a-l…2-with…'])
    """
    unique = list(dict.fromkeys(names))
    labels = {name: short(name, length) for name in unique}
    for name in unique:
        group = [
            other for other in unique if len(other) > length and _letters_apart((labels[other], labels[name])) < _APART
        ]
        others = {labels[other] for other in unique if other not in group}
        if len(name) > length and len(group) > 1:
            labels.update(_told_apart(group, length, others, unique))
    return labels


def _told_apart(group: Sequence[str], length: int, others: set[str], order: Sequence[str]) -> dict[str, str]:
    """Return labels for names whose two ends are alike; none of them is one of the `others`."""
    half = (length - 1) // 2
    same = _common_start(group)
    cuts = [[_cut(name, head, 2 * half - head) for name in group] for head in range(half, 2, -1)]
    cuts += [[_cut(name, head, 2 * half - head) for name in group] for head in range(half + 1, 2 * half - 2)]
    for head in range(min(half - 2, same), 0, -1):
        seen = length - head - 2
        cuts.append([f"{name[:head]}…{name[same : same + seen]}…" for name in group])
    best: Sequence[str] = ()
    for labels in cuts:
        if len({*labels} - others) == len(group) and _letters_apart(labels) > _letters_apart(best):
            best = labels
        if _letters_apart(best) >= _APART:
            break
    if best:
        return dict(zip(group, best, strict=True))
    return {name: f"{(place := order.index(name) + 1)}: {short(name, length - len(f'{place}: '))}" for name in group}


def _letters_apart(labels: Sequence[str]) -> int:
    """Return in how many letters the two most similar labels differ; 0 without labels."""
    pairs = combinations(labels, 2)
    return min((sum(x != y for x, y in zip(a, b, strict=False)) for a, b in pairs), default=0)


def _common_start(names: Sequence[str]) -> int:
    """Return the number of letters with which all names begin."""
    least, most = min(names), max(names)
    return next((n for n, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))


def fitted(names: Iterable[str], width: float, factor: float = 1.0) -> dict[str, str]:
    """Return the longest distinct labels that are at most so many pixels wide.

    `factor` is `BOLD` for bold type; for type of another size, that size as a multiple of `TYPE`.
    """
    unique = list(dict.fromkeys(names))
    longest = max(map(len, unique), default=_LEAST)
    for length in range(longest, _LEAST, -1):
        labels = distinct(unique, length)
        if all(factor * text_width(label) <= width for label in labels.values()):
            return labels
    return distinct(unique, _LEAST)


def run_labels(names: Iterable[str]) -> dict[str, str]:
    """Return the labels of runs in the figures for a paper: the same in all of them, whatever the order of the names.

    They are narrow enough for the figure with the least room, which has two names side by side.
    """
    return fitted(sorted(names), RUN_ROOM)


def wrapped(text: str, width: float, factor: float = 1.0, unbroken: str = "") -> list[str]:
    """Break a text at spaces into lines that are at most so many pixels wide, if its words are.

    The part `unbroken` counts as one word.

    >>> wrapped("by size of a − b", 50), wrapped("by size of a − b", 50, unbroken="a − b")
    (['by size of', 'a − b'], ['by size of', 'a − b'])
    """
    space = "\N{NO-BREAK SPACE}"
    parts = text.replace(unbroken, unbroken.replace(" ", space)) if unbroken else text
    lines = [""]
    for word in parts.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and factor * text_width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [line.replace(unbroken.replace(" ", space), unbroken) for line in lines] if unbroken else lines
