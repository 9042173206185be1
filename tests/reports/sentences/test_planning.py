"""What a plan of power says in words."""

import numpy as np
import pytest

from neraca.comparisons.power import power
from neraca.reports.sentences import planning


def plan_in_words(*given, **settings):
    return " ".join(planning.sentences(power(*given, **settings)))


@pytest.mark.parametrize(
    "share, words",
    [
        (0.0, "less than 1 time of 1,000"),
        (0.001, "1 time of 1,000"),
        (0.01, "1 time of 100"),
        (0.04, "1 time of 25"),
        (0.1, "1 time of 10"),
        (0.26, "3 times of 10"),
        (0.5, "5 times of 10"),
        (0.9, "9 times of 10"),
        (0.98, "49 times of 50"),
        (1.0, "more than 999 times of 1,000"),
    ],
)
def test_chances_are_said_as_people_say_them(share, words):
    assert planning.often(share) == words


def test_both_errors_are_explained_with_the_numbers_at_hand():
    said = plan_in_words(0.2, difference=-0.05, n=30)
    assert "To find a true difference of 0.050 (effect size 0.25) 8 times of 10, 128 questions are needed." in said
    assert "With 30 questions, a true difference of 0.050 would be found 3 times of 10 (26 %)" in said
    assert "missed 7 times of 10 (type II error)" in said
    assert "not there would be called real 1 time of 20, however many questions (a false alarm, type I" in said
    assert "The smallest true difference that 30 questions find 8 times of 10 is 0.106." in said
    assert "Warning" not in said


def test_a_plan_without_questions_at_hand():
    said = plan_in_words(effect=0.3, alpha=0.01, power=0.9)
    # statsmodels TTestPower().solve_power(.3, alpha=.01, power=.9) = 168.7
    assert said.startswith("To find a true difference of 0.300 standard deviations 9 times of 10, 169 questions are")
    assert "still be missed 1 time of 10 (type II error)" in said
    assert "called real 1 time of 100" in said
    assert plan_in_words(1.5, difference=1e-5).startswith(
        "To find a true difference of 0.000010 (effect size 0.00) 8 times of 10, more than ten million questions"
    )
    assert "type II" not in plan_in_words(1.5, difference=1e-5)


def test_the_observed_difference_comes_with_a_warning():
    d = np.random.default_rng(1).normal(0.1, 0.2, 40)
    said = plan_in_words(d, difference="observed")
    assert "adds nothing to the p-value" in said
    assert "The smallest true difference that 40 questions find 8 times of 10 is" in said
    assert planning.warning(power(d, difference="observed")) in said
    assert planning.warning(power(d, difference=0.1)) == planning.warning(power(d)) == ""


def test_without_a_difference_nothing_goes_in_circles():
    said = plan_in_words(np.random.default_rng(1).normal(0.1, 0.2, 40))
    assert "No difference that would matter was given" in said
    assert "questions are needed" not in said
    assert "The smallest true difference" not in said
    assert "found 8 times of 10 (80 %)" in said


def test_own_data_are_described_and_drawn_again():
    said = plan_in_words([0.0, 0, 0.2, -0.1, 0.4, 0.1], difference=0.1)
    assert said.startswith("over 6 questions a mean difference of 0.100; ")
    assert "standard deviation of 0.179, and 2 of them are 0" in said  # (.01 + .01 + .01 + .04 + .09 + 0) / 5 = .032
    assert "5,000 simulated t-tests for each number of questions, seed 0" in said
    assert "session" not in said.replace("questions or sessions", "")
    assert "were not drawn again" in plan_in_words([0.0, 0.1, 0.2, 0.4], difference=0.1)


def test_a_test_that_does_not_keep_its_level_is_told():
    d = np.where(np.arange(100) % 20 == 0, 1.0, 0.0) + np.linspace(0, 0.01, 100)
    assert "more often than promised" in plan_in_words(d, difference=0.06, n=10)
    assert "more often than promised" not in plan_in_words(np.random.default_rng(4).normal(size=300), difference=0.2)


def test_data_that_fall_short_of_the_formula_are_trusted_more():
    shares = np.repeat([1, 0], [10, 20])
    assert "With 6 questions it finds the difference 5 times of 10" in plan_in_words(shares, difference=0.9)
    assert "trust your data" not in plan_in_words(np.random.default_rng(4).normal(size=300), difference=0.2)


def test_shares_of_which_nothing_can_be_found():
    said = plan_in_words([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1])
    assert "the two disagree on too few of 11 questions for any to be found" in said
    assert "true difference" not in said


def test_the_table_marks_what_was_asked_for():
    columns, rows = planning.table(power(0.2, difference=0.05, n=30))
    assert columns == ["questions", "formula", "smallest difference found 8 times of 10"]
    assert ["30 (yours)", "26 %", "0.106"] in rows
    assert ["128 (needed)", "80 %", "0.050"] in rows
    assert planning.title(power(effect=0.3)).startswith("chance to find a true difference of 0.300 standard deviations")


def test_the_table_has_a_column_for_what_there_is():
    columns, rows = planning.table(power(n=30))
    assert columns == ["questions", "smallest difference found 8 times of 10"]
    assert ["30 (yours)", "0.529"] in rows
    columns, _ = planning.table(power(np.repeat([1, 0, -1], [10, 20, 3]), difference=0.1))
    assert columns[1:3] == ["McNemar's formula", "your data resampled"]
    _, rows = planning.table(power([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1]))
    assert rows[0][-1] == "–"
    assert planning.title(power(n=30)) == "two-sided test at 5 %"
