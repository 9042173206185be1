"""Runs whose answers have times and verdicts, for tests of drift."""

from datetime import UTC, datetime, timedelta

import numpy as np
from builders import make_answer, make_run

from neraca.records import Item, Verdict

START = datetime(2026, 10, 5, 12, tzinfo=UTC)  # a Monday


def turn(number, day, value, session=None, query="Is there a room?", text="Yes.", by="llm:m", **tags):
    """A question, its answer on a day, and a verdict `valid`; no verdict if the value is None."""
    name = f"t{number}"
    item = Item(id=name, query=query, session=session or f"s{number}", tags=tags)
    at = day if isinstance(day, str) else (START + timedelta(days=day)).isoformat()
    verdict = Verdict(item=name, about="answer", aspect="valid", by=by, value=value)
    return item, make_answer("a", name, text=text, at=at), [] if value is None else [verdict]


def write_run(path, turns, more=()):
    """Write the turns as a run, with more verdicts."""
    items, answers, verdicts = zip(*turns, strict=True)
    return make_run(path, items, answers, [*(v for several in verdicts for v in several), *more])


def weeks_of(shares, n=30, seed=0, **fields):
    """Turns of a session each, `n` in each week, of which this share is valid."""
    rng, turns = np.random.default_rng(seed), []
    for week, share in enumerate(shares):
        for place in range(n):
            value = float(place < round(share * n))
            turns.append(turn(len(turns), 7 * week + place % 7, value, **fields))
    rng.shuffle(turns)
    return turns


def labelled(path, week_shares, n=80, wrong=0.0, seed=1):
    """A judge who is wrong more often since the first week, and people who label half of the turns."""
    rng, turns, people = np.random.default_rng(seed), [], []
    for week, share in enumerate(week_shares):
        for _ in range(n):
            truth = float(rng.random() < share)
            judge = 1 - truth if week and rng.random() < wrong else truth
            turns.append(turn(len(turns), 7 * week, judge))
            if rng.random() < 0.5:
                item = turns[-1][0].id
                people.append(Verdict(item=item, about="answer", aspect="valid", by="human:Ana", value=truth))
    return write_run(path, turns, people)
