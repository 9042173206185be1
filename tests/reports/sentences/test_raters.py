from neraca.metaeval.raters import raters
from neraca.records import Item, Verdict
from neraca.reports.sentences.raters import sentences

ITEMS = [Item(id=str(n), query="?") for n in range(60)]


def rated(by, n, value, hour=10):
    at = f"2026-01-01T{hour:02}:00:00"
    return Verdict(item=str(n), about="answer", aspect="valid", by=f"human:{by}", value=float(value), at=at)


def text_on(verdicts):
    return " ".join(sentences(raters(ITEMS, [verdicts])))


def test_what_to_rate_to_know_more():
    alone = text_on([rated("ana", n, 1) for n in range(9)])
    assert "Nobody rated anything twice" in alone
    assert "No two people rated the same" in alone
    assert "from 3 people on" in text_on([rated(by, n, 1) for n in range(9) for by in ("ana", "budi")])
    assert text_on([]) == "No person rated anything in these runs."


def test_who_is_not_steady():
    twice = [rated("ana", n, n % 2, 10) for n in range(30)] + [rated("ana", n, 0, 12) for n in range(30)]
    assert "Not steady: human:ana (50 % of 30)" in text_on(twice)
    steady = [rated("ana", n, 1, hour) for n in range(30) for hour in (10, 12)]
    assert "Not steady" not in text_on(steady)


def test_who_drifts():
    budi = [rated("budi", n, 1) for n in range(40)]
    ana = [rated("ana", n, n % 10 > 0 if n < 20 else n % 10 == 0, 10 + (n >= 20)) for n in range(40)]
    drift = text_on([*budi, *ana])
    assert drift.startswith("Drift: human:ana and human:budi agreed with the others less")  # two cannot tell who it is
    assert "Drift" not in text_on([*budi, *[rated("ana", n, n % 10 > 0, 10 + (n >= 20)) for n in range(40)]])
