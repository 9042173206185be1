"""What several runs share is one thing, and a word on it is one word."""

from builders import make_item, make_verdict

from neraca.metaeval.agreement import agreement
from neraca.records import Verdict
from neraca.verdicts.things import verdicts_on_things


def rated(values, by, of="same"):
    """The quality of each answer, by one person; `of` is the content of the answers."""
    return [
        Verdict(item=str(n), about="answer", aspect="quality", by=by, value=value, of=of and f"{of} {n}")
        for n, value in enumerate(values)
    ]


ITEMS = [make_item(str(n)) for n in range(4)]
RUN = [*rated([3, 5, 4, 1], "human:ana"), *rated([4, 4, 4, 2], "human:budi")]
RUN += [make_verdict("d", "relevance", value, by, item="0") for by, value in (("human:ana", 1), ("human:budi", 0))]


def test_copies_of_a_run_add_nothing_to_agreement():
    """On four answers and one hit two people decided, however many folders hold the same."""
    for runs in ([RUN], [RUN] * 4):
        assert {one.aspect: one.agreement.n for one in agreement(ITEMS, *runs, samples=200)} == {
            "quality": 4,
            "relevance": 1,
        }
    assert agreement(ITEMS, RUN, RUN, samples=200) == agreement(ITEMS, RUN, samples=200)


def test_other_answers_are_other_things_and_a_hit_is_the_same_everywhere():
    other = [*rated([3, 5, 4, 1], "human:ana", "other"), *rated([4, 4, 4, 2], "human:budi", ""), *RUN[-2:]]
    counts = {one.aspect: one.agreement.n for one in agreement(ITEMS, RUN, other, samples=200)}
    assert counts == {"quality": 8, "relevance": 1}, "who says not of which answer speaks of that of the run"


def test_the_newest_word_counts_in_whichever_run_it_stands():
    new = make_verdict("d", "relevance", 1, "human:ana", at="2026-02-01")
    old = make_verdict("d", "relevance", 0, "human:ana", at="2026-01-01")
    for runs in ([[new], [old]], [[old], [new]]):
        assert [verdict.value for _, verdict in verdicts_on_things(runs)] == [0, 1]
        assert {thing for thing, _ in verdicts_on_things(runs)} == {(0, "1", 0, "hit:d")}
