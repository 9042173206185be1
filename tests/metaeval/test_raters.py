import math

import numpy as np
import pytest

from neraca.metaeval.raters import raters
from neraca.records import Item, Verdict


def rated(by, item, value, at="2026-01-01T10:00:00", about="answer", aspect="valid"):
    return Verdict(item=str(item), about=about, aspect=aspect, by=f"human:{by}", value=value, at=at)


ITEMS = [Item(id=str(n), query="?", relevant={"d": float(n % 2)}) for n in range(60)]


def quality(verdicts, items=ITEMS):
    return {one.rater: one for one in raters(items, [verdicts])}


def test_what_was_rated_twice():
    """Five things twice, four of them alike; a slip that was put right after a minute is none."""
    said = [rated("ana", n, 1.0) for n in range(5)]
    said += [rated("ana", n, float(n != 4), "2026-01-01T11:00:00") for n in range(5)]
    said += [rated("ana", 9, 0.0), rated("ana", 9, 1.0, "2026-01-01T10:01:00")]
    ana = quality(said)["human:ana"]
    assert (ana.again.value, ana.again.n, ana.ratings) == (0.8, 5, 6)


def test_what_was_taken_back_never_was():
    said = [rated("ana", 1, 1.0), rated("ana", 1, None, "2026-01-01T12:00:00"), rated("ana", 2, 1.0)]
    ana = quality(said)["human:ana"]
    assert (ana.ratings, ana.again.n) == (1, 0)
    assert math.isnan(ana.again.value)


def test_gold_labels():
    said = [rated("ana", n, 1.0, about="hit:d", aspect="relevance") for n in range(4)]
    assert quality(said)["human:ana"].gold.value == 0.5


def test_agreement_with_others_and_its_drift():
    """Ana agrees with Budi in the morning and not in the afternoon."""
    said = [rated("budi", n, 1.0) for n in range(40)]
    said += [rated("ana", n, float(n < 20), f"2026-01-01T{10 + (n >= 20) * 5}:00:00") for n in range(40)]
    ana = quality(said)["human:ana"]
    assert (ana.others.value, ana.others.n) == (0.5, 40)
    assert ana.drift.value == -1
    steady = [rated(by, n, float(n % 3 > 0) if by == "ana" else 1.0) for n in range(40) for by in ("ana", "budi")]
    drift = quality(steady)["human:ana"].drift
    assert drift.low < 0 < drift.high


def test_competence_finds_who_knows():
    rng = np.random.default_rng(4)
    said = []
    for n in range(60):
        truth = float(rng.random() < 0.5)
        for by, knows in (("ana", 0.95), ("budi", 0.9), ("citra", 0.1)):
            said.append(rated(by, n, truth if rng.random() < knows else float(rng.random() < 0.5)))
    found = quality(said)
    ana, citra = found["human:ana"].competence, found["human:citra"].competence
    assert ana.low > citra.high
    assert ana.low <= ana.value <= ana.high
    assert citra.value == pytest.approx(0.1, abs=0.2)


def test_two_people_do_not_show_who_knows():
    said = [rated(by, n, 1.0) for n in range(9) for by in ("ana", "budi")]
    assert math.isnan(quality(said)["human:ana"].competence.value)


def test_the_table_has_columns_for_what_is_known():
    said = [rated(by, n, 1.0) for n in range(9) for by in ("ana", "budi")]
    found = raters(ITEMS, [said])
    assert found.table().columns == ["rater", "ratings", "as others", "interval", "n", "drift", "interval", "n"]
    assert found.rows()[0]["others"] == 1
    assert "human:ana" in str(found)


def test_programs_and_unknown_items_are_left_out():
    said = [Verdict(item="1", about="answer", aspect="valid", by="llm:m", value=1.0), rated("ana", "x", 1.0)]
    assert not quality(said)
