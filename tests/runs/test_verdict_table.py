"""Verdicts as columns say what the records said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.records import Verdict
from neraca.runs.verdict_table import VerdictTable, combined, last_of_each, numbered, times

WORDS = st.sampled_from(["", "a", "b", "hit:a", "é"])
NAMES = ("item", "about", "aspect", "by", "why", "of", "at")
WITHOUT_VALUE = st.sampled_from(["missing", "unscored", "withdrawn", "not_applicable"])
VERDICTS = st.lists(
    st.one_of(
        st.builds(Verdict, **dict.fromkeys(NAMES, WORDS), trial=st.integers(0, 3), value=st.floats(-5, 5)),
        st.builds(Verdict, **dict.fromkeys(NAMES, WORDS), value=st.none(), status=WITHOUT_VALUE),
    )
)


@given(VERDICTS)
def test_every_record_comes_back(verdicts):
    table = VerdictTable.made(verdicts)
    assert list(table) == verdicts
    assert len(table) == len(verdicts)
    assert list(table.take(np.arange(len(verdicts))[::-1])) == verdicts[::-1]


@given(VERDICTS)
def test_keys_are_equal_where_the_words_are(verdicts):
    keys = VerdictTable.made(verdicts).key("item", "trial", "about").tolist()
    words = [(verdict.item, verdict.trial, verdict.about) for verdict in verdicts]
    assert len(set(zip(keys, words, strict=True))) == len(set(keys)) == len(set(words))


def test_large_keys_are_numbered_anew():
    huge = np.array([1 << 61, 5, 1 << 61])
    found = combined(huge, np.array([0, 1, 1]), 4)
    assert len(set(found.tolist())) == 3
    assert numbered(np.array([9, 7, 9])).tolist() == [1, 0, 1]


def test_the_last_of_each_key():
    assert last_of_each(np.array([4, 1, 4, 4, 1])).tolist() == [3, 4]
    assert last_of_each(np.array([], int)).tolist() == []


@pytest.mark.parametrize(
    ("journals", "order"),
    [
        ([["3", "1", "2"]], [1, 2, 0]),
        ([["1", "3"], ["2", "4"]], [0, 2, 1, 3]),
        # what does not tell its time is as old as the one before it in its journal
        ([["2", "", "1"]], [2, 0, 1]),
        ([["5"], ["", "3"]], [1, 2, 0]),
    ],
)
def test_by_time_then_by_place(journals, order):
    tables = [
        VerdictTable.made(Verdict(item="1", about="answer", aspect="valid", by="rules", at=at) for at in journal)
        for journal in journals
    ]
    rank = times(VerdictTable.joined([table.dated() for table in tables]).at)
    assert np.argsort(rank, kind="stable").tolist() == order


@pytest.mark.parametrize("many", [127, 128, 129, 200, 40_000])
def test_columns_take_as_few_bytes_as_the_largest_number_needs(many):
    said = [
        Verdict(item=f"q{number}", trial=number, about="answer", aspect="valid", by="rules", value=1)
        for number in range(many)
    ]
    table = VerdictTable.made(said)
    assert [(one.item, one.trial) for one in table] == [(one.item, one.trial) for one in said]
    assert len(set(table.key("item", "trial").tolist())) == many
    width = 1 if many <= 128 else 2 if many <= 32_768 else 4
    assert (table.trial.itemsize, table.item.codes.itemsize, table.by.codes.itemsize) == (width, width, 1)
    both = VerdictTable.joined([table, table])
    assert [one.trial for one in both] == [one.trial for one in said] * 2
