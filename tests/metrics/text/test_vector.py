"""Each operation on plain lists against numpy's."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text import vector
from neraca.metrics.text.vector import Vector

A, B = [1.0, -2.5, 4.0, 0.0], [2.0, 0.5, -4.0, 1.0]
TRUE = [True, True, False, False]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
NUMBERS = st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-3)


def same(found, wanted):
    assert type(found) is Vector
    np.testing.assert_array_equal(np.array(list(found)), wanted)


def close(found, wanted):
    assert type(found) is Vector
    np.testing.assert_allclose(np.array(list(found)), wanted, rtol=1e-14)


@pytest.mark.parametrize("operation", [*ARITHMETIC, operator.eq])
def test_two_vectors(operation):
    same(operation(Vector(A), Vector(B)), operation(np.array(A), np.array(B)))
    same(operation(Vector(A), B), operation(np.array(A), np.array(B)))


@pytest.mark.parametrize("operation", [*ARITHMETIC, operator.eq])
@pytest.mark.parametrize("number", [2, 0.5])
def test_a_number_on_either_side(operation, number):
    values = [1.0, 2.0, 0.5, 3.0]
    close(operation(Vector(values), number), operation(np.array(values), number))
    close(operation(number, Vector(values)), operation(number, np.array(values)))


def test_truth_values_count_as_numbers():
    same(Vector(TRUE) * 1.0, np.array(TRUE) * 1.0)
    same(Vector(A) * Vector(TRUE), np.array(A) * np.array(TRUE))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6), st.sampled_from([*ARITHMETIC[:3], operator.eq]), NUMBERS)
def test_any_numbers(pairs, operation, number):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    same(operation(Vector(x), Vector(y)), operation(np.array(x), np.array(y)))
    same(operation(Vector(x), number), operation(np.array(x), number))
    same(operation(number, Vector(x)), operation(number, np.array(x)))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("a, b", [(A, B), (A, 1.0), (1.0, B), (A, -np.inf), (np.inf, B)])
def test_the_larger_and_the_smaller(name, a, b):
    vectors = [Vector(value) if isinstance(value, list) else value for value in (a, b)]
    same(getattr(vector, name)(*vectors), getattr(np, name)(a, b))


@pytest.mark.parametrize("a, b", [(A, B), (A, 7.0), (7.0, B), (1.0, 0.0), (A, np.nan)])
def test_where(a, b):
    vectors = [Vector(value) if isinstance(value, list) else value for value in (a, b)]
    same(vector.where(Vector(TRUE), *vectors), np.where(TRUE, a, b))
    same(vector.where(Vector(A) == 4, *vectors), np.where(np.array(A) == 4, a, b))


@pytest.mark.parametrize("places", [[0], [3, 0, 0, 2], [], [-1, 1]])
def test_gathering(places):
    same(Vector(A)[places], np.array(A)[np.array(places, dtype=int)])
    same(Vector(A)[Vector(places)], np.array(A)[np.array(places, dtype=int)])


def test_one_place():
    assert Vector(A)[1] == -2.5
    assert Vector(A)[-1] == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: vector.maximum(Vector([1, 2]), Vector([1])),
        lambda: vector.minimum(Vector([1, 2]), Vector([1])),
        lambda: vector.where(Vector([True, False]), Vector([1]), 0),
    ],
)
def test_lengths_must_fit(call):
    with pytest.raises(ValueError, match="argument"):
        call()
