"""What a judge left open: when it is too much, and for which reasons."""

import pytest

from neraca.judges.tally import Tally
from neraca.records import Verdict


def tally(*outcomes):
    """One verdict on each answer: a value, or a status with its reason."""
    counted = Tally()
    for number, outcome in enumerate(outcomes):
        status, why = outcome if isinstance(outcome, tuple) else ("decided", "")
        value = None if isinstance(outcome, tuple) else outcome
        counted.add(
            Verdict(item=str(number), about="answer", aspect="valid", by="x", value=value, status=status, why=why)
        )
    return counted


FAILED, MISSING, MOOT = ("unscored", "down"), ("missing", "no price"), ("not_applicable", "no reference")


@pytest.mark.parametrize(
    ("outcomes", "incomplete"),
    [
        ([FAILED] + [1] * 9, False),  # a tenth
        ([FAILED] * 2 + [1] * 17, True),  # 2 of 19
        ([MISSING] * 9 + [1], False),  # the answers lack something, not the judge
        ([MISSING] * 3, True),  # nothing was decided
        ([MISSING, MOOT], True),
        ([MOOT] * 3, False),  # the question never arises
        ([0, 0], False),
        ([], False),
    ],
)
def test_more_than_a_tenth_or_nothing_at_all(outcomes, incomplete):
    assert tally(*outcomes).incomplete is incomplete


def test_an_answer_counts_once_however_many_verdicts_it_lacks():
    counted = tally(*[1] * 20)
    for n in range(5):
        counted.add(Verdict(item="3", about=f"claim:{n}", aspect="correct", by="x", status="unscored", why="down"))
    assert (counted.answers, counted.unscored, counted.incomplete) == (20, (("3", 0),), False)


def test_reasons_that_differ_in_numbers_and_quotes_are_one_and_the_commonest_is_first():
    late = [("unscored", f"no reply within {seconds} seconds") for seconds in (1, 2.5, 30)]
    refused = [("unscored", f'the endpoint says "{word}"') for word in ("no", "never")]
    reasons = tally(("unscored", "down"), *refused, *late, 1, MISSING).reasons()
    assert [(reason.count, reason.example.why) for reason in reasons] == [
        (3, "no reply within 1 seconds"),
        (2, 'the endpoint says "no"'),
        (1, "down"),
    ]


def test_where_nothing_is_decided_every_kind_of_reason_counts():
    assert [reason.count for reason in tally(MOOT, MISSING, MISSING, FAILED).reasons()] == [2, 1, 1]
