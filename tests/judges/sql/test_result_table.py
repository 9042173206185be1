"""Two results compared: counted by hand, and beside a slow search through all pairings of columns."""

import datetime as dt
import math
import random
import time
import uuid
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.errors import InputError
from neraca.judges.sql.result_table import Matching, ResultTable, cell, compare_results

NORTH = dt.timezone(dt.timedelta(hours=7))


def table(columns, *rows, ties=None):
    made = ResultTable.of(columns.split(), rows)
    return ResultTable(made.columns, made.rows, ties)


def compared(returned, expected, **how):
    found = compare_results(returned, expected, Matching(**how))
    return found.rows[0], found.columns[0], found.why


CITIES = table("city n", ("Medan", 3), ("Binjai", 1), ("Medan", 3))


@pytest.mark.parametrize(
    "value, same",
    [
        (None, None),
        ("1", "1"),
        (True, 1),
        (2, 2),
        (2.5, 2.5),
        (Decimal("2.50"), 2.5),
        (Decimal("3.00"), 3),
        (Decimal(10) ** 30, 10**30),
        (math.inf, "inf"),
        (Decimal("-Infinity"), "-inf"),
        (math.nan, "nan"),
        (Decimal("NaN"), "nan"),
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.datetime(2024, 5, 1), "2024-05-01"),
        (dt.datetime(2024, 5, 1, 9, 30), "2024-05-01 09:30:00"),
        (dt.datetime(2024, 5, 1, 7, tzinfo=NORTH), "2024-05-01"),
        (dt.datetime(2024, 5, 1, 9, tzinfo=NORTH), "2024-05-01 02:00:00"),
        (dt.time(9, 30), "09:30:00"),
        (dt.timedelta(days=1), "1 day, 0:00:00"),
        (b"\x01\xff", "\\x01ff"),
        ([1, Decimal("1.5"), None], "[1, 1.5, null]"),
        ({"b": dt.date(2024, 5, 1), "a": (True,)}, '{"a": [true], "b": "2024-05-01"}'),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    ],
)
def test_cells(value, same):
    found = cell(value)
    assert found == same
    assert type(found) is type(same)


def test_a_whole_number_beyond_floats_is_kept():
    assert cell(10**400) == str(10**400)


@pytest.mark.parametrize(
    "returned, rows, columns, why",
    [
        (CITIES, 3, 2, ""),
        (table("city n", ("Binjai", 1), ("Medan", 3), ("Medan", 3)), 3, 2, ""),
        (table("total place", (3, "Medan"), (1, "Binjai"), (3, "Medan")), 3, 2, ""),
        (table("city n", ("Medan", 3), ("Binjai", 1)), 2, 0, "2 of 3 expected rows are there, of 2 returned"),
        (
            table("city n", ("Medan", 3), ("Binjai", 1), ("Binjai", 1)),
            2,
            0,
            "2 of 3 expected rows are there, of 3 returned",
        ),
        (
            table("city n", ("Medan", 3), ("Binjai", 1), ("Medan", 3), ("Medan", 3)),
            3,
            0,
            "3 of 3 expected rows are there, of 4 returned",
        ),
        (
            table("city n", ("Medan", 3), ("Binjai", 2), ("Medan", 4)),
            1,
            1,
            "1 of 3 expected rows is there, of 3 returned",
        ),
        (table("city", ("Medan",), ("Binjai",), ("Medan",)), 0, 1, "1 column returned, 2 expected"),
        (
            table("n id city", (3, 7, "Medan"), (1, 8, "Binjai"), (3, 9, "Medan")),
            3,
            2,
            "3 columns returned, 2 expected",
        ),
        (table("city n"), 0, 0, "0 of 3 expected rows are there, of 0 returned"),
    ],
)
def test_by_hand(returned, rows, columns, why):
    assert compared(returned, CITIES) == (rows, columns, why)


def test_one_row_is_one_row():
    assert compared(table("n", (2,)), table("n", (1,)))[2] == "0 of 1 expected row are there, of 1 returned"


def test_many_rows_are_told_so_that_they_can_be_read():
    expected = table("n", *((number,) for number in range(2000)))
    why = "1,999 of 2,000 expected rows are there, of 1,999 returned"
    assert compared(table("n", *((number,) for number in range(1999))), expected) == (1999, 0, why)


def test_empty_results():
    assert compared(table("a b"), table("x y")) == (0, 2, "")
    assert compared(table("a"), table("x y")) == (0, 1, "1 column returned, 2 expected")
    assert compared(table("a b", (1, 2)), table("x y")) == (0, 0, "0 of 0 expected rows are there, of 1 returned")
    assert compared(table(""), table("")) == (0, 0, "")


@pytest.mark.parametrize(
    "one, other, equal",
    [
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (None, "None", False),
        (1, "1", False),
        (1, 1.0, True),
        (1, True, True),
        (0.1 + 0.2, 0.3, True),
        (Decimal("0.3"), 0.1 + 0.2, True),
        (0.3, 0.300001, False),
        (3, 2.9999999999, True),
        (1_000_000_000, 1_000_000_001, False),  # ids: nearer than the tolerance, and not the same
        (2**60, 2**60 + 1, False),
        (1e17, 1e17 + 16, True),  # sums of floats: whole, but not known to the last digit
        (1e-12, 0, True),
        (math.nan, math.nan, True),
        (math.inf, 1e299, False),
        ("Medan", "medan", False),
        (dt.datetime(2024, 5, 1), "2024-05-01", True),
        ("2024-05-01 00:00:00", "2024-05-01", False),
    ],
)
def test_values(one, other, equal):
    assert (compared(table("a", (one,)), table("a", (other,)))[2] == "") == equal
    assert (compared(table("a", (other,)), table("a", (one,)))[2] == "") == equal


def test_the_tolerance_is_of_the_larger_of_one_and_the_number():
    def equal(one, other, tolerance):
        return compared(table("a", (one,)), table("a", (other,)), tolerance=tolerance)[2] == ""

    assert equal(0.5, 0.509, 0.01)
    assert not equal(0.5, 0.511, 0.01)
    assert equal(500.5, 505.4, 0.01)
    assert not equal(500.5, 505.6, 0.01)
    assert not equal(500, 501, 0.01)  # whole numbers are counts and ids
    assert not equal(0.1 + 0.2, 0.3, 0)


NAMED = table("a b", (1, 2), (3, 4))


@pytest.mark.parametrize(
    "returned, how, rows, columns, why",
    [
        (table("B A", (2, 1), (4, 3)), "named", 2, 2, ""),
        (table("a c", (1, 2), (3, 4)), "named", 0, 1, "there is no column b"),
        (table("b a", (1, 2), (3, 4)), "named", 0, 0, "0 of 2 expected rows are there, of 2 returned"),
        (table("b a", (1, 2), (3, 4)), "ordered", 2, 2, ""),
        (table("b a", (2, 1), (4, 3)), "ordered", 0, 0, "0 of 2 expected rows are there, of 2 returned"),
        (table("x a b", (0, 1, 2), (0, 3, 4)), "named", 2, 2, "3 columns returned, 2 expected"),
        (table("a b x", (1, 2, 0), (3, 4, 0)), "ordered", 2, 2, "3 columns returned, 2 expected"),
        (table("a", (1,), (3,)), "ordered", 0, 1, "1 column returned, 2 expected"),
    ],
)
def test_names_and_order_where_asked(returned, how, rows, columns, why):
    assert compared(returned, NAMED, columns=how) == (rows, columns, why)


def test_a_name_that_stands_there_twice():
    one = table("id id", (1, 2), (3, 4))
    assert compared(one, one, columns="named") == (2, 2, "")
    assert compared(table("id", (1,), (3,)), one, columns="named")[1] == 1


PRICES = table("id name price", (1, "Asri", 10.5), (2, "Indah", 20.5), (3, "Jaya", 30.5))


@pytest.mark.parametrize(
    "returned, rows, columns",
    [
        (PRICES, 3, 3),
        (table("price id name", (10.5, 1, "Asri"), (20.5, 2, "Indah")), 2, 3),  # a row is missing, no column is
        (table("id name price", (1, "Asri", 10.5), (2, "Indah", 99), (3, "Jaya", 30.5)), 3, 2),
        (table("id price", (1, 10.5), (2, 20.5), (9, 30.5)), 2, 2),
        (table("name price", ("Asri", 10.5)), 0, 0),
        (table("id name price", (7, "Asri", 10.5)), 0, 0),
        (table("id name price"), 0, 0),
        (table("id name price", (1, "Asri", 10.5), (1, "Asri", 10.5)), 1, 3),
    ],
)
def test_rows_found_again_by_their_key(returned, rows, columns):
    found = compare_results(returned, PRICES, Matching(key=("ID",)))
    assert (found.rows, found.columns) == (
        (rows, len(returned.rows), 3),
        (columns, len(returned.columns), 3),
    )
    assert (found.why == "") == (returned is PRICES)


def test_keys_of_empty_results():
    empty = table("id n")
    assert compared(empty, empty, key=("id",)) == (0, 2, "")


def test_several_columns_are_a_key_together():
    expected = table("a b n", (1, 1, 5), (1, 2, 6), (2, 1, 7))
    returned = table("a b n", (1, 2, 6), (2, 2, 7), (1, 1, 0))
    assert compared(returned, expected, key=("a", "b"))[:2] == (2, 2)


def test_a_key_that_is_not_expected_is_told():
    with pytest.raises(InputError, match=r"the expected result has no column uid \(key\); it has id, name, price"):
        compare_results(PRICES, PRICES, Matching(key=("id", "uid")))


@pytest.mark.parametrize(
    "rows, ties, why",
    [
        ([1, 2, 3], (0, 1, 2), ""),
        ([2, 1, 3], (0, 1, 2), "the rows are right, their order is not"),
        ([2, 1, 3], (0, 0, 2), ""),
        ([2, 3, 1], (0, 0, 2), "the rows are right, their order is not"),
        ([3, 2, 1], (0, 0, 0), ""),
        ([3, 2, 1], None, ""),
    ],
)
def test_order_and_ties(rows, ties, why):
    expected = table("n", (1,), (2,), (3,), ties=ties)
    assert compared(table("n", *((n,) for n in rows)), expected)[2] == why


# beside a slow count

CELLS = st.sampled_from([None, 0, 1, 2, "a", "1"])


@st.composite
def tables(draw, width=None, most=4):
    columns = draw(st.integers(1, 3)) if width is None else width
    rows = draw(st.lists(st.tuples(*[CELLS] * columns), max_size=most))
    return ResultTable(tuple("abcd"[:columns]), tuple(rows))


def slow_rows(returned, expected):
    """The most rows in both under any pairing of columns, each row taken away as it is found."""
    best = 0
    for places in permutations(range(len(returned.columns)), len(expected.columns)):
        rest = [tuple(row[place] for place in places) for row in returned.rows]
        found = 0
        for row in expected.rows:
            for other in rest:
                if all(type(x) is type(y) and x == y for x, y in zip(row, other, strict=True)):
                    rest.remove(other)
                    found += 1
                    break
        best = max(best, found)
    return best


def slow_columns(returned, expected):
    """Each expected column takes the first returned one with the same values, which is as good as any."""
    rest, found = list(range(len(returned.columns))), 0
    for place in range(len(expected.columns)):
        wanted = sorted(map(repr, (row[place] for row in expected.rows)))
        for other in rest:
            if sorted(map(repr, (row[other] for row in returned.rows))) == wanted:
                rest.remove(other)
                found += 1
                break
    return found


@settings(max_examples=400)
@given(tables(), tables())
def test_against_every_pairing_of_columns(returned, expected):
    found = compare_results(returned, expected)
    assert found.rows == (slow_rows(returned, expected), len(returned.rows), len(expected.rows))
    assert found.columns[0] == slow_columns(returned, expected)
    same_size = len(returned.rows) == len(expected.rows) and len(returned.columns) == len(expected.columns)
    assert (found.why == "") == (same_size and found.rows[0] == len(expected.rows))


@given(tables(), st.data())
def test_neither_rows_nor_columns_have_an_order(table, data):
    rows = data.draw(st.permutations(table.rows))
    places = data.draw(st.permutations(range(len(table.columns))))
    mixed = ResultTable(tuple("wxyz"[: len(places)]), tuple(tuple(row[p] for p in places) for row in rows))
    found = compare_results(mixed, table)
    assert found.why == ""
    assert found.rows[0] == len(table.rows)
    assert found.columns[0] == len(table.columns)


@given(tables(2), tables(2))
def test_both_ways_alike(one, other):
    there, back = compare_results(one, other), compare_results(other, one)
    assert there.rows == (back.rows[0], back.rows[2], back.rows[1])
    assert there.columns[0] == back.columns[0]
    assert (there.why == "") == (back.why == "")


@given(tables(2), tables(2), CELLS)
def test_a_further_row_never_takes_one_away(returned, expected, value):
    more = ResultTable(returned.columns, (*returned.rows, (value, value)))
    assert compare_results(more, expected).rows[0] >= compare_results(returned, expected).rows[0]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.randoms())
def test_noise_below_the_tolerance_changes_nothing(numbers, chance):
    noisy = [number / 7 + chance.uniform(-4e-10, 4e-10) for number in numbers]
    exact = table("n", *((number / 7,) for number in numbers))
    assert compared(table("n", *((value,) for value in noisy)), exact)[2] == ""


@given(st.lists(st.floats(0, 3), min_size=1, max_size=12), st.lists(st.floats(0, 3), min_size=1, max_size=12))
def test_what_differs_by_more_than_the_tolerance_is_never_taken_for_equal(one, other):
    """However near the values between them are."""
    tolerance = 0.25
    found = compared(table("n", *((v,) for v in one)), table("n", *((v,) for v in other)), tolerance=tolerance)
    rest, most = sorted(other), 0  # from the smallest on, which for intervals gives the most pairs there can be
    for value in sorted(one):
        near = [v for v in rest if abs(v - value) <= tolerance * max(1, v, value) + 1e-12]
        if near:
            rest.remove(near[0])
            most += 1
    assert found[0] <= most


def test_wide_and_long_results_do_not_take_for_ever():
    """Twenty columns of flags, mixed: far more pairings than could be tried."""
    chance = random.Random(3)
    rows = [tuple(chance.randrange(2) for _ in range(20)) for _ in range(500)]
    places = chance.sample(range(20), 20)
    expected = table(" ".join(f"c{n}" for n in range(20)), *rows)
    mixed = table(" ".join(f"d{n}" for n in range(20)), *(tuple(row[p] for p in places) for row in rows[::-1]))
    wrong = table(" ".join(f"d{n}" for n in range(20)), *(tuple(1 - row[p] for p in places) for row in rows))
    began = time.process_time()
    assert compared(mixed, expected)[2] == ""
    told = compared(wrong, expected)[2]
    assert told.endswith("(not every pairing of the columns was tried)")
    assert time.process_time() - began < 20  # of some 10^18 pairings


def test_a_column_twice_is_no_riddle():
    """Equal columns are tried once, or ten of them would be ten factorial pairings."""
    expected = table(" ".join("abcdefghij"), *((n % 3,) * 10 for n in range(50)))
    returned = table(" ".join("abcdefghij"), *((n % 3 + 1,) * 10 for n in range(50)))
    assert compared(returned, expected)[::2] == (33, "33 of 50 expected rows are there, of 50 returned")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [6, 12, 20])
def test_one_wrong_row_costs_one_row_however_alike_the_columns_are(width, seed):
    chance = random.Random(seed)
    rows = [tuple(chance.randrange(2) for _ in range(width)) for _ in range(300)]
    places = chance.sample(range(width), width)
    mixed = [tuple(row[place] for place in places) for row in rows]
    mixed[7] = (5,) * width
    found = compared(table("d " * width, *mixed), table("c " * width, *rows))
    assert found == (299, 0, "299 of 300 expected rows are there, of 300 returned")
