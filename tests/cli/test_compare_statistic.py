"""The statistic of a test and its degrees of freedom stand beside p, in tables and in JSON."""

import json

import pytest

A = (32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8)
B = (32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6)


@pytest.fixture
def compared(cli, tmp_path):
    """What is printed of A and B, whose t a lecture gives."""
    rows = [f"q{n},{a},{b}" for n, (a, b) in enumerate(zip(A, B, strict=True))]
    (tmp_path / "values.csv").write_text("\n".join(["item,A,B", *rows]))

    def printed(*options):
        done = cli("compare", tmp_path / "values.csv", *options)
        assert done.code == 0, done.err
        return done.out

    return printed


@pytest.fixture
def row(compared):
    return lambda *options: json.loads(compared("--json", *options).splitlines()[0])


def test_student_t_and_its_degrees_of_freedom(row):
    found = row()
    assert found["statistic"] == pytest.approx(4.244464615962889, rel=1e-12)
    assert (found["df"], found["n"]) == (11, 12)
    assert found["p"] == pytest.approx(0.0013784945927875687, rel=1e-12)


@pytest.mark.parametrize(
    "test, statistic", [("sign", 10), ("wilcoxon", 75), ("tukey", 4.6 / 12), ("bootstrap", 4.24446)]
)
def test_other_tests_have_no_degrees_of_freedom(row, test, statistic):
    """A is better 11 times and worse once, by 0.1, which shares the ranks 1 and 2 with another: W is 78 - 2 * 1.5."""
    found = row("--test", test)
    assert found["statistic"] == pytest.approx(statistic, rel=1e-5)
    assert found["df"] is None


@pytest.mark.parametrize(
    "test, cell", [("t", "t(11) = 4.244"), ("bootstrap", "t = 4.244"), ("sign", "w − l = 10"), ("wilcoxon", "W = 75")]
)
def test_the_table_has_the_statistic(compared, test, cell):
    assert cell in compared("--test", test)


@pytest.mark.parametrize("test", ["randomisation", "tukey"])
def test_no_column_repeats_the_difference(compared, test):
    assert "statistic" not in compared("--test", test)


def test_the_questions_needed_are_of_the_t_test_and_stand_beside_no_other(compared, row):
    assert row()["needed"] == 8
    assert "(t)" in compared()
    for test in ("wilcoxon", "sign", "randomisation", "bootstrap", "tukey"):
        assert row("--test", test)["needed"] is None
        assert "needed" not in compared("--test", test)


def test_a_side_that_is_behind_has_a_negative_statistic_of_the_width_of_its_table(compared):
    """A is ahead, so that the table has A − B, and with the baseline A it has B − A."""
    assert "t(11) = 4.244" in compared("--response", "B", "--response", "A")
    against = ("--response", "B", "--response", "A", "--against", "A")
    assert "t(11) = −4.244" in compared(*against)
    assert "w − l = −10" in compared(*against, "--test", "sign")


def test_no_test_has_no_statistic(cli, tmp_path):
    (tmp_path / "one.csv").write_text("item,A,B\nq,1,2\n")
    done = cli("compare", tmp_path / "one.csv", "--wide")
    assert "t(" not in done.out
    (found,) = map(json.loads, cli("compare", tmp_path / "one.csv", "--json").out.splitlines())
    assert (found["statistic"], found["df"], found["untested"]) == (None, None, "one question")


def test_text_gives_the_rows_of_compare(cli, tmp_path):
    rows = "one two,one,one two\nthree,three,four\nfive six,five,five six\n"
    (tmp_path / "texts.csv").write_text(f"reference,old,new\n{rows}")
    words = (tmp_path / "texts.csv", "--reference", "reference", "--response", "old", "--response", "new")
    ours = cli("text", *words, "-m", "TokenF1", "--compare", "--json")
    theirs = cli("compare", *words, "-m", "TokenF1", "--json")
    assert (ours.code, ours.out) == (0, theirs.out)
    (found,) = map(json.loads, ours.out.splitlines())
    assert found["df"] == 2
    shown = cli("text", *words, "-m", "TokenF1", "--compare").out
    assert shown.startswith("paired t test of 1 difference")
    assert f"t(2) = {found['statistic']:.3f}" in shown


def test_text_compares_two_columns_at_least(cli, tmp_path):
    (tmp_path / "texts.csv").write_text("reference,response\none,one\n")
    done = cli("text", tmp_path / "texts.csv", "--compare")
    assert done.code == 2
    assert "name two or more with --response" in done.err
