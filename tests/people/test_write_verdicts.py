"""Words of people into runs: the newest stands, whatever comes in first."""

from itertools import permutations

import pytest
from builders import make_run

from neraca.people.write_verdicts import write_verdicts
from neraca.records import Answer, Item, Verdict
from neraca.verdicts.current import current_verdicts


def word(value, at, **fields):
    status = "withdrawn" if value is None else "decided"
    fields = {"item": "q1", "about": "answer", "aspect": "quality", "by": "human:ana", "at": at} | fields
    return Verdict(value=value, status=status, **fields)


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", [Item(id="q1", query="houses?")], [Answer(item="q1", text="two")])


def stands(run):
    return [verdict.value for verdict in current_verdicts(run)]


AT = {9: "2026-11-24T09:00:00.000Z", 10: "2026-11-24T10:00:00Z", 11: "2026-11-24T13:00:00+02:00"}


@pytest.mark.parametrize(
    "words, value",
    [
        ([(1, 9), (5, 11), (2, 10)], [5]),
        ([(5, 9), (1, 10), (5, 11)], [5]),
        ([(5, 9), (None, 10)], []),
        ([(5, 9), (None, 10), (4, 11)], [4]),
        ([(5, 10), (1, 10)], []),
        ([(5, 10), (1, 10), (5, 9)], []),
        ([(5, 10), (1, 10), (3, 11)], [3]),
    ],
)
def test_the_order_of_imports_never_changes_what_stands(tmp_path, words, value):
    """The newest of words at 9, 10 and 11 o'clock UTC stands; two that differ at one time leave nothing."""
    for number, order in enumerate(permutations(words)):
        of_order = make_run(tmp_path / f"{number}", [Item(id="q1", query="houses?")], [Answer(item="q1", text="two")])
        for said, hour in order:
            write_verdicts([of_order], [[word(said, AT[hour])]])
        assert stands(of_order) == value, order


def test_what_was_done_is_counted(run):
    def write(value, hour):
        (written,) = write_verdicts([run], [[word(value, AT[hour])]])
        kinds = ("new", "replaced", "withdrawn", "older", "contradicted")
        return {kind: getattr(written, kind) for kind in kinds if getattr(written, kind)}, written

    assert write(1, 9)[0] == {"new": 1}
    assert write(1, 9)[0] == {}, "the same again changes nothing"
    counts, written = write(5, 10)
    assert counts == {"replaced": 1}
    assert [verdict.value for verdict in written.examples["replaced"]] == [1, 5]
    assert write(1, 9)[0] == {"older": 1}
    assert write(4, 10)[0] == {"contradicted": 1}
    assert write(4, 11)[0] == {"new": 1}
    assert write(None, 11)[0] == {"contradicted": 1}


def test_a_word_without_a_time_that_can_be_read_is_older_than_any_dated_one(run):
    write_verdicts([run], [[word(5, "some day")]])
    write_verdicts([run], [[word(1, AT[9])]])
    assert stands(run) == [1]
    write_verdicts([run], [[word(5, "some day")]])
    assert stands(run) == [1]
