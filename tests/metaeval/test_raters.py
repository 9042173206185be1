import math

import msgspec
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


def pair_study(pairs, value_of):
    """Journals of runs a, b, c: each pair of a question is compared once, twenty minutes after the one before."""
    journals = {name: [] for name in "abc"}
    for n, (one, other) in enumerate(pairs):
        at = f"2026-01-01T{10 + n // 3:02d}:{n % 3 * 20:02d}:00"
        for run, against, value in ((one, other, value_of(n)), (other, one, 1 - value_of(n))):
            aspect = f"preferred:{against}"
            said = rated("ana", n // 3, value, at, aspect=aspect)
            journals[run].append(msgspec.structs.replace(said, of=f"answer of {run}"))
    return list(journals.values())


def test_different_pairs_after_a_break_are_not_the_same_pair_again():
    """Of three runs each pair is compared once: nothing was rated twice, however the answers were told apart."""
    journals = pair_study([("a", "b"), ("a", "c"), ("b", "c")] * 4, lambda n: float(n % 2))
    for by_hand in (False, True):
        given = [[msgspec.structs.replace(v, of="" if by_hand else v.of) for v in one] for one in journals]
        ana = raters(ITEMS, given)[0]
        assert (ana.again.n, math.isnan(ana.again.value)) == (0, True)
    again = [*journals[0], *(msgspec.structs.replace(v, at="2026-01-02T10:00:00") for v in journals[0])]
    assert raters(ITEMS, [again, *journals[1:]])[0].again.value == 1.0, "the same pairs on the next day are rated again"


def test_the_quality_of_two_runs_answers_is_not_said_twice_of_one():
    """Five answers of each run, the second run's an hour later with another grade; the same hit is one thing."""
    first = [rated("ana", n, 4.0, aspect="quality") for n in range(5)]
    second = [rated("ana", n, 1.0, "2026-01-01T11:00:00", aspect="quality") for n in range(5)]
    ana = raters(ITEMS, [first, second])[0]
    assert (ana.ratings, ana.again.n) == (10, 0)
    hits = [[rated("ana", 1, 1.0, at, "hit:d", "relevance")] for at in ("2026-01-01T10:00:00", "2026-01-01T12:00:00")]
    assert (raters(ITEMS, hits)[0].again.n, raters(ITEMS, hits)[0].again.value) == (1, 1.0)


def test_a_verdict_by_hand_is_on_the_answer_that_the_others_rated():
    """Ana's rating names the answer by its content, Budi wrote his by hand in the same run: both are on one answer."""
    ana = msgspec.structs.replace(rated("ana", 1, 1.0), of="content")
    assert raters(ITEMS, [[ana, rated("budi", 1, 1.0)]])[0].others.n == 1
