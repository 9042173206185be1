"""TER's search for shifts: runs of words that are moved, each for the price of one edit.

Which shifts are tried, in which order they are preferred, and when the search ends, is as in sacreBLEU, which follows
Tercom.  What is not as there is how: a candidate is first given its true edit distance, which is quickly known and
never above the one near the diagonal; the slower one is computed only for a candidate that can still be the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neraca.metrics.text.ter_beam import Alignment, Beam, Row

#: Words in a shift, places between its start and its target, and candidates that are tried for a pair of texts.
LONGEST, FARTHEST, MOST = 10, 50, 1000

#: Words of a shift, and the places where it starts and where it goes.
Shift = tuple[int, int, int]


def edits(response: Sequence[str], reference: Sequence[str]) -> int:
    """Shifts, and then words inserted, deleted or replaced, that make the reference of the response.

    >>> edits("on the mat the cat sat".split(), "the cat sat on the mat".split())  # one shift of three words
    1
    """
    if not reference:
        return len(response)
    text, target = _letters(response, reference)
    if text == target:
        return 0
    beam = Beam(target, len(text))
    rows, tried, moves = beam.rows(text), 0, 0
    places: dict[str, list[int]] = {}
    for place, letter in enumerate(target):
        places.setdefault(letter, []).append(place)
    while True:
        shifts: set[Shift] = set()
        for some in _candidates(text, target, places, beam.align(text, rows)):
            shifts.update(some)
            tried += len(some)
            if tried >= MOST:
                return moves + rows[-1].end
        moved = _best(text, shifts, beam, rows)
        if not moved:
            return moves + rows[-1].end
        moves += 1
        rows = beam.rows(moved, rows[: _shared(text, moved) + 1])
        text = moved


def _letters(response: Sequence[str], reference: Sequence[str]) -> tuple[str, str]:
    """Both texts with a letter for each word; words that the reference does not have are one letter."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(reference), start=1)}
    letter = [chr(number if number < 0xD800 else number + 0x800) for number in range(len(numbers) + 1)]
    response_letters = "".join([letter[numbers.get(word, 0)] for word in response])
    return response_letters, "".join([letter[numbers[word]] for word in reference])


def _candidates(
    text: str, target: str, places: Mapping[str, Sequence[int]], alignment: Alignment
) -> Iterator[list[Shift]]:
    """Shifts of runs of words that both have, by run and place in the reference.

    The run must be wrong where it stands, the reference must be wrong where it would go, and that must not be within
    the run.
    """
    partner, ours, theirs = alignment
    for start, letter in enumerate(text):
        ends = min(LONGEST, len(text) - start)
        if letter not in places or ours[start + ends] == ours[start]:
            continue
        for place in places[letter]:
            away = partner[place] - start
            if away == 0 or abs(place - start) > FARTHEST:
                continue
            most = min(ends, len(target) - place, away if away > 0 else LONGEST)
            size = 1
            while size <= most and text[start + size - 1] == target[place + size - 1]:
                if ours[start + size] > ours[start] and theirs[place + size] > theirs[place]:
                    goals = {partner[at] + 1 for at in range(place, place + size)}
                    goals.add(partner[place - 1] + 1 if place else 0)
                    yield [(size, start, goal) for goal in goals]
                size += 1


def _best(text: str, shifts: set[Shift], beam: Beam, rows: Sequence[Row]) -> str:
    """Return the text after the shift that saves most edits; "" where none saves any.

    Of several the longest, then the one that starts first, then the one that goes to the first place.
    """
    from rapidfuzz.distance import Levenshtein

    now = rows[-1].end
    hopes = []
    for size, start, goal in shifts:
        moved = shifted(text, size, start, goal)
        distance = Levenshtein.distance(moved, beam.reference, score_cutoff=now - 1)
        if distance < now:
            hopes.append((now - distance, size, -start, -goal, moved))
    best = (0, 0, 0, 0, "")
    for saved, size, start, goal, moved in sorted(hopes, reverse=True):
        if (saved, size, start, goal, moved) < best:
            break
        if not beam.exact(now - saved):
            saved = now - beam.rows(moved, rows[: _shared(text, moved) + 1])[-1].end
        if saved > 0:
            best = max(best, (saved, size, start, goal, moved))
    return best[-1]


def shifted(text: str, size: int, start: int, goal: int) -> str:
    """The text with `size` letters from `start` on moved to before `goal`; by `goal` - `start` if it is within them.

    >>> shifted("abcde", 2, 0, 4), shifted("abcde", 1, 3, 1), shifted("abcde", 2, 1, 2)
    ('cdabe', 'adbce', 'adbce')
    """
    run, end = text[start : start + size], start + size
    if goal < start:
        return text[:goal] + run + text[goal:start] + text[end:]
    stop = goal if goal > end else goal + size
    return text[:start] + text[end:stop] + run + text[stop:]


def _shared(one: str, other: str) -> int:
    """Return how many letters both begin with."""
    return next((place for place, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]), len(one))
