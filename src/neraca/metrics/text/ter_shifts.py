"""TER's search for shifts: runs of words that are moved, each for the price of one edit.

The candidates, the order of preference and the end of the search are those of sacreBLEU, which follows Tercom.  To save
time, a candidate first gets its true edit distance, which never exceeds the distance near the diagonal; the latter is
computed only for a candidate that can still be the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neraca.metrics.text.ter_beam import Alignment, Beam, Row

#: The most words in a shift, places between its start and target, and candidates for a pair of texts.
LONGEST, FARTHEST, MOST = 10, 50, 1000

#: The words of a shift, its start and its target.
Shift = tuple[int, int, int]


def edits(response: Sequence[str], reference: Sequence[str]) -> int:
    """Count the shifts and other edits that turn the response into the reference.

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
        for candidates in _candidates(text, target, places, beam.align(text, rows)):
            shifts.update(candidates)
            tried += len(candidates)
            if tried >= MOST:
                return moves + rows[-1].end
        moved = _best(text, shifts, beam, rows)
        if not moved:
            return moves + rows[-1].end
        moves += 1
        rows = beam.rows(moved, rows[: _shared(text, moved) + 1])
        text = moved


def _letters(response: Sequence[str], reference: Sequence[str]) -> tuple[str, str]:
    """Encode each word of both texts as a letter; words that the reference lacks share one letter."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(reference), start=1)}
    letter = [chr(number if number < 0xD800 else number + 0x800) for number in range(len(numbers) + 1)]
    response_letters = "".join([letter[numbers.get(word, 0)] for word in response])
    return response_letters, "".join([letter[numbers[word]] for word in reference])


def _candidates(
    text: str, target: str, places: Mapping[str, Sequence[int]], alignment: Alignment
) -> Iterator[list[Shift]]:
    """Yield shifts of runs of words that both texts have, for each run and place in the reference.

    The run and its target must be unmatched, and the target must lie outside the run.
    """
    partner, ours, theirs = alignment
    for start, letter in enumerate(text):
        ends = min(LONGEST, len(text) - start)
        if letter not in places or ours[start + ends] == ours[start]:
            continue
        for place in places[letter]:
            distance = partner[place] - start
            if distance == 0 or abs(place - start) > FARTHEST:
                continue
            most = min(ends, len(target) - place, distance if distance > 0 else LONGEST)
            size = 1
            while size <= most and text[start + size - 1] == target[place + size - 1]:
                if ours[start + size] > ours[start] and theirs[place + size] > theirs[place]:
                    goals = {partner[at] + 1 for at in range(place, place + size)}
                    goals.add(partner[place - 1] + 1 if place else 0)
                    yield [(size, start, goal) for goal in goals]
                size += 1


def _best(text: str, shifts: set[Shift], beam: Beam, rows: Sequence[Row]) -> str:
    """Return the text after the shift that saves most edits; "" if none saves any.

    Of equal shifts, the longest counts, then the first start, then the first target.
    """
    from rapidfuzz.distance import Levenshtein

    current = rows[-1].end
    promising = []
    for size, start, goal in shifts:
        moved = shifted(text, size, start, goal)
        distance = Levenshtein.distance(moved, beam.reference, score_cutoff=current - 1)
        if distance < current:
            promising.append((current - distance, size, -start, -goal, moved))
    best = (0, 0, 0, 0, "")
    for saved, size, start, goal, moved in sorted(promising, reverse=True):
        if (saved, size, start, goal, moved) < best:
            break
        if not beam.exact(current - saved):
            saved = current - beam.rows(moved, rows[: _shared(text, moved) + 1])[-1].end
        if saved > 0:
            best = max(best, (saved, size, start, goal, moved))
    return best[-1]


def shifted(text: str, size: int, start: int, goal: int) -> str:
    """Return the text with `size` letters from `start` moved before `goal`, or by `goal` - `start` if it is inside.

    >>> shifted("abcde", 2, 0, 4), shifted("abcde", 1, 3, 1), shifted("abcde", 2, 1, 2)
    ('cdabe', 'adbce', 'adbce')
    """
    run, end = text[start : start + size], start + size
    if goal < start:
        return text[:goal] + run + text[goal:start] + text[end:]
    stop = goal if goal > end else goal + size
    return text[:start] + text[end:stop] + run + text[stop:]


def _shared(text: str, moved: str) -> int:
    """Return the length of the common beginning of two texts of equal length."""
    return next((place for place, letter in enumerate(text) if letter != moved[place]), len(text))
