"""Fields of many lines at once, against Python's own split, float and comparison."""

import itertools
import random
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from neraca.datasets.trec.line_fields import PAD, LineFields


def lines_of(*rows, before=b"\0" * PAD, after=b"\0" * PAD):
    """Lines of some fields each, between other bytes."""
    data = b"".join(b" ".join(field.encode() for field in row) + b"\n" for row in rows)
    return LineFields.of(before + data + after, len(before), len(before) + len(data), len(rows[0]))


def column(*texts):
    return lines_of(*((text,) for text in texts))


def of_texts(texts):
    return LineFields.of_texts([text.encode() for text in texts])


def numbers(texts):
    """As they are read, None where one is none; and the same from columns between others."""
    found = []
    for lines, place in (
        (column(*texts), 0),
        (lines_of(*(("-1.5", text, "9.9") for text in texts), before=b"77.7 7.7", after=b"1.5 12345"), 1),
        (lines_of(*((text, ".", "5") for text in texts), before=b"1234567."), 0),
        (of_texts(texts), 0),
    ):
        try:
            found.append([repr(number) for number in lines.numbers(place).tolist()])
        except ValueError:
            found.append(None)
    assert all(one == found[0] for one in found)
    return found[0]


def by_python(texts):
    """What Python's float makes of them, which takes underscores too."""
    try:
        return [repr(float(text)) for text in texts] if not any("_" in text for text in texts) else None
    except ValueError:
        return None


# numbers

PLAIN = st.decimals(-(10**8) + 1, 10**8 - 1, allow_nan=False, places=3).map(lambda value: f"{value:f}")
FREE = st.from_regex(r"[-+]?[0-9]{0,17}(\.[0-9]{0,17})?(e[0-9])?", fullmatch=True).filter(bool)
ODD = st.text("0123456789.-+e_/:;aAnif\x7f", min_size=1, max_size=20)
ALIKE = st.tuples(st.integers(0, 9), st.integers(0, 9)).flatmap(
    lambda size: st.lists(
        st.from_regex(rf"-?[0-9]{{{size[0]}}}(\.[0-9]{{{size[1]}}})", fullmatch=True), min_size=1, max_size=5
    )
)


@settings(max_examples=500)
@given(st.one_of(ALIKE, *(st.lists(one, min_size=1, max_size=5) for one in (PLAIN, FREE, ODD))))
@example(["1.5", "2.25", "3"])
@example(["-0", "0"])
@example(["-.5", "5."])
@example(["12345678.1234567", "0.1"])
@example(["12345678.12345678"])
@example(["99999999.99999999"])  # 16 figures are too many for a double
@example(["123456789.5"])
@example(["1.123456789"])
@example(["1.2.3"])
@example(["-"])
@example(["."])
@example(["-."])
@example(["--1"])
@example(["1-2", "1.5"])
@example(["1_0"])
@example(["1_0.5", "1.5"])
@example(["5", "77.7"])
@example(["1.5", "inf"])
@example(["1.5", "nan"])
@example(["1e5", "+7"])
def test_numbers_are_those_of_python(texts):
    assert numbers(texts) == by_python(texts)


def test_numbers_of_one_form_in_many_rows():
    """Each number of digits before and after the point, where no row is read by Python's float."""
    chance = random.Random(3)
    for whole, after, signed in itertools.product(range(1, 9), range(9), (False, True)):
        if whole + after > 15:
            continue
        texts = [f"{chance.uniform(-signed, 1) * (10**whole - 1):.{after}f}" for _ in range(50)]
        lines = column(*texts)
        assert lines._decimals(0) is not None, texts
        assert lines.numbers(0).tolist() == list(map(float, texts))


def test_every_byte_that_is_no_figure_is_seen():
    for byte in {*range(33, 127)} - {*b"0123456789"}:
        for text in ("12{}4", "{}234", "123{}", "1{}.5", "1.{}5", "123456{}.5"):
            field = text.format(chr(byte))
            assert numbers([field, "123.5"]) == by_python([field, "123.5"]), field


def test_no_lines_have_no_numbers():
    assert LineFields.of(bytes(2 * PAD), PAD, PAD, 1).numbers(0).tolist() == []


# hashes and changes

TEXTS = st.text("ab\x7fé日𝄞", max_size=30)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.binary(min_size=PAD, max_size=30), st.binary(min_size=PAD))
def test_hashes_are_equal_for_equal_texts_alone(texts, before, after):
    """Whatever stands around them and in the other rows."""
    texts = ["".join(("x", text)) for text in texts]
    alone = {text: int(of_texts([text]).hashes(0)[0]) for text in texts}
    assert len(set(alone.values())) == len(alone)
    for lines, place in (
        (of_texts(texts), 0),
        (lines_of(*((text, "b") for text in texts), before=before, after=after), 0),
        (lines_of(*(("a" * (row + 1), text) for row, text in enumerate(texts)), before=before, after=after), 1),
    ):
        assert lines.hashes(place).tolist() == [alone[text] for text in texts]


def test_hashes_differ_for_many_similar_texts():
    for form in ("{:07}", "{:08}", "d{}", "doc-{:020}", "{:012}-{:012}", "x{:03}" * 6):
        texts = [form.format(*[number] * 6) for number in range(20_000)]
        assert len(set(of_texts(texts).hashes(0).tolist())) == len(texts), form


@given(st.lists(st.text("ab", min_size=7, max_size=9).map(lambda text: text * 2), min_size=1, max_size=20))
def test_changes_are_where_a_new_text_starts(texts):
    starts, row = [], 0
    for _, group in itertools.groupby(texts):
        starts.append(row)
        row += len(list(group))
    assert column(*texts).changes(0).tolist() == starts


def test_changes_see_each_byte():
    for length in (1, 7, 8, 9, 16, 17, 24, 30):
        for place in range(length):
            other = "a" * place + "b" + "a" * (length - place - 1)
            assert column("a" * length, other, other, "a" * length + "a").changes(0).tolist() == [0, 1, 3]
    assert LineFields.of(bytes(2 * PAD), PAD, PAD, 1).changes(0).tolist() == []


# fields


def by_split(data, width):
    """Fields of each line; None where one line has not so many, or a gap of other than one byte."""
    rows = [re.split(rb"[\x00-\x20]", line) for line in data.split(b"\n")[:-1]]
    return rows if all(len(row) == width and all(row) for row in rows) else None


@settings(max_examples=500)
@given(
    st.one_of(
        st.text("ab \t\n\r\0", max_size=20),
        st.lists(st.sampled_from(("a b", "aa\tb", "é x", "a", "a b c", " a b")), max_size=4).map("\n".join),
    ),
    st.integers(1, 3),
)
def test_fields_are_those_of_split(text, width):
    data = text.encode() + b"\n" if text else b""
    lines = LineFields.of(b"1 2\n4 6\n" + data + b"\n" * PAD, PAD, PAD + len(data), width)
    expected = by_split(data, width)
    if expected is None:
        assert lines is None
    else:
        assert [list(row) for row in zip(*(lines.texts(place) for place in range(width)), strict=True)] == expected
        assert len(lines) == len(expected)


def test_fields_of_some_rows():
    lines = lines_of(("a", "bb"), ("ccc", "d"), ("e", "f"))
    assert lines.texts(0, np.array([2, 0])) == [b"e", b"a"]
    assert lines.texts(1, np.array([1])) == [b"d"]
    assert lines.starts(0, np.array([1])).tolist() == [PAD + 5]


@pytest.mark.parametrize("texts", ([], [""], ["", "a b", "", "c\nd", "é" * 9]))
def test_texts_may_hold_anything(texts):
    lines = of_texts(texts)
    assert [text.decode() for text in lines.texts(0)] == texts
    assert len(lines.hashes(0)) == len(texts)
