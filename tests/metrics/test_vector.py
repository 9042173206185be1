"""Each operation on plain lists against numpy's."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics import vector
from neraca.metrics.vector import Vector

A, B = [1.0, -2.5, 4.0, 0.0], [2.0, 0.5, -4.0, 1.0]
TRUE, FALSE = [True, True, False, False], [True, False, True, False]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
LOGIC = [operator.and_, operator.or_]
NUMBERS = st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-3)


def same(found, wanted):
    assert type(found) is Vector
    np.testing.assert_array_equal(np.array(list(found)), wanted)


def close(found, wanted):
    assert type(found) is Vector
    np.testing.assert_allclose(np.array(list(found)), wanted, rtol=1e-14)


@pytest.mark.parametrize("operation", [*ARITHMETIC, *COMPARISONS])
def test_two_vectors(operation):
    x, y = ([1, 2, 3, 4], [3, 2, 1, 5]) if operation is operator.pow else (A, B)
    same(operation(Vector(x), Vector(y)), operation(np.array(x), np.array(y)))
    same(operation(Vector(x), y), operation(np.array(x), np.array(y)))


@pytest.mark.parametrize("operation", [*ARITHMETIC, *COMPARISONS])
@pytest.mark.parametrize("number", [2, 0.5])
def test_a_number_on_either_side(operation, number):
    values = [1.0, 2.0, 0.5, 3.0]
    close(operation(Vector(values), number), operation(np.array(values), number))
    close(operation(number, Vector(values)), operation(number, np.array(values)))


@pytest.mark.parametrize("operation", LOGIC)
def test_truth_values(operation):
    same(operation(Vector(TRUE), Vector(FALSE)), operation(np.array(TRUE), np.array(FALSE)))
    for truth in (True, False):
        same(operation(Vector(TRUE), truth), operation(np.array(TRUE), truth))
        same(operation(truth, Vector(TRUE)), operation(truth, np.array(TRUE)))


def test_truth_values_count_as_numbers():
    same(Vector(TRUE) * 1.0, np.array(TRUE) * 1.0)
    same(Vector(A) * Vector(TRUE), np.array(A) * np.array(TRUE))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6), st.sampled_from([*ARITHMETIC[:3], *COMPARISONS]), NUMBERS)
def test_any_numbers(pairs, operation, number):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    same(operation(Vector(x), Vector(y)), operation(np.array(x), np.array(y)))
    same(operation(Vector(x), number), operation(np.array(x), number))
    same(operation(number, Vector(x)), operation(number, np.array(x)))


@pytest.mark.parametrize("name", ["log2", "exp2", "log1p", "exp", "floor"])
def test_functions(name):
    values = [0.5, 1.0, 2.0, 3.7, 10.0]
    close(getattr(vector, name)(Vector(values)), getattr(np, name)(np.array(values)))
    assert getattr(vector, name)(3.7) == pytest.approx(getattr(np, name)(3.7), rel=1e-14)
    same(getattr(vector, name)(Vector()), [])


def test_functions_of_numbers_below_0():
    close(vector.exp2(Vector([-1, -2.5])), np.exp2(np.array([-1, -2.5])))
    same(vector.floor(Vector([-0.5, -3])), np.floor([-0.5, -3]))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("a, b", [(A, B), (A, 1.0), (1.0, B), (A, -np.inf), (np.inf, B)])
def test_the_larger_and_the_smaller(name, a, b):
    mine = [Vector(value) if isinstance(value, list) else value for value in (a, b)]
    same(getattr(vector, name)(*mine), getattr(np, name)(a, b))


@pytest.mark.parametrize("a, b", [(A, B), (A, 7.0), (7.0, B), (1.0, 0.0), (A, np.nan)])
def test_where(a, b):
    mine = [Vector(value) if isinstance(value, list) else value for value in (a, b)]
    same(vector.where(Vector(TRUE), *mine), np.where(TRUE, a, b))
    same(vector.where(Vector(A) > 0.5, *mine), np.where(np.array(A) > 0.5, a, b))


@pytest.mark.parametrize("places", [[0], [3, 0, 0, 2], [], [-1, 1]])
def test_gathering(places):
    same(Vector(A)[places], np.array(A)[np.array(places, dtype=int)])
    same(Vector(A)[Vector(places)], np.array(A)[np.array(places, dtype=int)])


def test_one_place():
    assert Vector(A)[1] == -2.5
    assert Vector(A)[-1] == 0


def test_sums():
    same(vector.cumsum(Vector(A)), np.cumsum(A))
    same(vector.cumsum([]), np.cumsum([]))
    same(vector.bincount(Vector([2, 0, 2]), weights=Vector([1.5, 2, 3]), minlength=4), [2, 0, 4.5, 0])
    same(
        vector.bincount(Vector([2, 0, 2]), Vector([1.5, 2, 3]), 4),
        np.bincount([2, 0, 2], weights=[1.5, 2, 3], minlength=4),
    )
    same(vector.bincount(Vector(), Vector(), 2), np.bincount(np.array([], dtype=int), weights=[], minlength=2))


@pytest.mark.parametrize(
    "call",
    [
        lambda: vector.maximum(Vector([1, 2]), Vector([1])),
        lambda: vector.minimum(Vector([1, 2]), Vector([1])),
        lambda: vector.where(Vector([True, False]), Vector([1]), 0),
        lambda: vector.bincount(Vector([0, 1]), Vector([1]), 2),
    ],
)
def test_lengths_must_fit(call):
    with pytest.raises(ValueError, match="argument"):
        call()
