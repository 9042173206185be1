"""`neraca compare --json` gives the statistic of the test and its degrees of freedom."""

import json

import pytest

A = (32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8)
B = (32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6)


@pytest.fixture
def compared(cli, tmp_path):
    """The row of A and B, whose t a lecture gives."""
    rows = [f"q{n},{a},{b}" for n, (a, b) in enumerate(zip(A, B, strict=True))]
    (tmp_path / "values.csv").write_text("\n".join(["item,A,B", *rows]))

    def row(*options):
        done = cli("compare", tmp_path / "values.csv", "--json", *options)
        assert done.code == 0, done.err
        return json.loads(done.out.splitlines()[0])

    return row


def test_student_t_and_its_degrees_of_freedom(compared):
    found = compared()
    assert found["statistic"] == pytest.approx(4.244464615962889, rel=1e-12)
    assert (found["df"], found["n"]) == (11, 12)
    assert found["p"] == pytest.approx(0.0013784945927875687, rel=1e-12)


@pytest.mark.parametrize("test, statistic", [("sign", 10), ("tukey", None)])
def test_other_tests_have_no_degrees_of_freedom(compared, test, statistic):
    """A is better 11 times and worse once; the p of Tukey's test comes from all runs together."""
    found = compared("--test", test)
    assert (found["statistic"], found["df"]) == (statistic, None)
