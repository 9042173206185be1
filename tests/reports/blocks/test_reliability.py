"""What the section on the metrics themselves says, in every case."""

import math
from dataclasses import replace

import pytest

from neraca.metaeval.reliability import reliability
from neraca.records import Answer, Item
from neraca.reports.blocks.reliability import MOST, TITLE, section, tables
from neraca.reports.sentences.reliability import sentences
from neraca.scores.score import score


@pytest.fixture
def scores_of_trials(folder):
    """Scores of runs whose values are given for each trial of each question: name → rows; None: no value."""

    def make(runs, metrics="Given", sessions=None):
        size = len(next(iter(runs.values())))
        items = [
            Item(id=f"q{n}", query=f"question {n}", session=sessions[n] if sessions else None) for n in range(size)
        ]
        made = []
        for name, rows in runs.items():
            answers = [
                Answer(item=f"q{n}", trial=trial, usage={} if value is None else {"v": float(value)})
                for n, row in enumerate(rows)
                for trial, value in enumerate(row)
            ]
            made.append(folder(name, items, answers))
            made[-1].update(trials=max(map(len, rows)))
        return score(made, metrics)

    return make


def sentences_on(scores, **settings):
    return " ".join(sentences(reliability(scores, **settings)))


def once(*values):
    return [[value] for value in values]


A = [[1, 3, 2], [5, 7, 6.5], [2, 2, 1], [9, 8, 9]]
B = [[0, 1, 0], [4, 4, 6], [3, 3, 3], [7, 6, 8]]


def test_one_run_asked_once_has_no_section(scores_of_trials):
    assert section(scores_of_trials({"a": once(1, 2, 3)})) is None


def test_trials_in_words(scores_of_trials):
    scores = scores_of_trials({"a": A, "b": B})
    found, said = reliability(scores), sentences_on(scores)
    # (F - 1) / (F + 2) with F of scipy.stats.f_oneway: 0.942 and 0.920
    icc = found.repeats[1].components.icc
    assert said.startswith("Given of b: 92 % of the variance of single answers lies between questions, the rest is")
    assert f"(ICC 0.92, interval {icc.low:.2f} to {icc.high:.2f}). That is the smallest ICC; the largest: 0.94" in said
    parts = found.differences[0].parts
    share = round(100 * parts.share)
    assert f"Given, a − b: the standard error is {parts.error:.3f}, and of its square {share} % is due to tri" in said
    assert f"It would be {parts.with_more(trials=2):.3f} with twice the trials, " in said
    assert f"and {parts.with_more(items=2):.3f} with twice the questions." in said
    assert said.count("the standard error is") == 1
    assert "new questions of the same kind never gain less than new trials" in said


def test_a_single_run_asked_often_is_told_by_itself(scores_of_trials):
    said = sentences_on(scores_of_trials({"a": A}))
    assert "Given, a: the standard error is" in said
    assert "That is the least" not in said
    assert "runs" not in said


def test_trials_that_never_change(scores_of_trials):
    said = sentences_on(scores_of_trials({"a": [[1, 1], [2, 2]], "b": [[0, 0], [3, 3]]}))
    assert said.startswith("Asked again, no value of a question changed: Given of a and Given of b.")
    assert "lies between questions" not in said
    assert "and of its square 0 % is due to trials" in said


def test_trials_that_change_as_much_as_questions_do(scores_of_trials):
    said = sentences_on(scores_of_trials({"a": [[0, 2], [2, 0.5], [1, 1.5]]}))
    assert "answers to one question differ no less than answers to different questions (ICC −" in said
    assert "the variance between questions is estimated as 0" in said


def test_where_nothing_varies_no_share_is_told(scores_of_trials):
    said = sentences_on(scores_of_trials({"a": [[1, 1], [1, 1]], "b": [[1, 1], [1, 1]]}))
    assert "the standard error" not in said
    assert "nan" not in said
    assert "–" not in said


def test_decisions_in_words(scores_of_trials):
    scores = scores_of_trials({"a": A, "b": B})
    assert "flip" not in sentences_on(scores)
    said = sentences_on(scores, at=2)
    # of a 0 1 1, 1 1 1, 1 1 0, 1 1 1: four of twelve pairs; of b none
    assert "Decisions flip most often in Given of a: of two answers to the same question one passes" in said
    assert "in 33 % of cases (4 questions, interval 4 % to" in said
    never = sentences_on(scores, at=-1)
    assert "No decision flipped between trials (4 questions; up to 49 % cannot be ruled out)." in never
    assert sentences_on(scores_of_trials({"c": A}), at=2).count("Decisions flip (Given of c): of two answers") == 1


def test_a_share_of_flips_without_an_interval(scores_of_trials):
    assert "in 67 % of cases (2 questions)." in sentences_on(scores_of_trials({"a": [[1, 3, 3], [1, 1, 3]]}), at=2)


def test_halves_of_two_runs(scores_of_trials):
    said = sentences_on(scores_of_trials({"a": once(5, 6, 7, 8), "b": once(1, 2, 2, 4)}))
    assert "Two random halves of the questions put the two runs in opposite orders by Given in 0 % of cases" in said
    assert "(1,000 splits)" in said
    assert "Given tells 1 of 1 pair of runs apart at 5 % (t, each p-value for itself)." in said
    assert "τ" not in said


def test_runs_that_are_not_told_apart(scores_of_trials):
    one = sentences_on(scores_of_trials({"a": once(1, 2), "b": once(2, 1)}))
    assert "Given tells no two runs apart at 5 %" in one
    both = sentences_on(scores_of_trials({"c": once(1, 2), "d": once(2, 1)}, "Given Cost"))
    assert "No metric tells any two runs apart at 5 %" in both
    assert "in 100 % of cases by each metric" in both


def test_three_runs_in_two_metrics_of_opposite_directions(scores_of_trials):
    values = {"a": once(1, 2, 1, 2), "b": once(3, 4.5, 3, 5), "c": once(6, 7, 8, 9.5)}
    said = sentences_on(scores_of_trials(values, "Given Cost"))
    assert "Given and Cost put the runs in different orders (Kendall's τ −1.000, of 3 runs)." in said
    assert "Each metric tells 3 of 3 pairs of runs apart at 5 %" in said
    assert "put two runs in opposite orders in 0 % of cases by each metric" in said
    tukey = sentences_on(scores_of_trials(values), test="tukey")
    assert "(tukey, corrected for the number of pairs)" in tukey


def test_metrics_that_differ_in_what_they_tell(scores_of_trials):
    values = {"a": once(1, 2, 1, 2, 1), "b": once(1, 2, 2, 2, 1), "c": once(6, 7, 8, 9, 8)}
    found = reliability(scores_of_trials(values, "Given Cost"))
    assert "Each metric tells 2 of 3 pairs of runs apart" in " ".join(sentences(found))
    given, cost = found.stability
    less = replace(
        cost, discrimination=replace(cost.discrimination, told_apart=0), split=replace(cost.split, swaps=0.4)
    )
    said = " ".join(sentences(replace(found, stability=(given, less))))
    assert (
        "Most are told apart at 5 % (t, each p-value for itself) by Given: 2 of 3 pairs of runs; fewest by Cost: 0 of"
        in said
    )
    swaps = round(100 * given.split.swaps)
    assert f"least often by Given ({swaps} %), most often by Cost (40 %; 1,000 splits)." in said


def test_nothing_to_compare_says_nothing_of_order(scores_of_trials):
    found = reliability(scores_of_trials({"a": once(1, None), "b": once(None, 2)}))
    assert sentences(found) == []
    assert tables(found) == []
    assert section(scores_of_trials({"c": once(1, None), "d": once(None, 2)})) is None


def test_one_question_is_tested_but_not_split(scores_of_trials):
    found = section(scores_of_trials({"a": once(1, None), "b": once(3, 2)}))
    assert found.says == ("Given tells no two runs apart at 5 % (t, each p-value for itself).",)
    assert found.tables[0].rows == (("Given", "1", "0 of 1", "–", "–", "–"),)
    three = section(scores_of_trials({"c": once(1), "d": once(3), "e": once(4)}))
    assert three.tables[0].rows[0][-2:] == ("–", "–")


def test_the_section_has_tables_for_what_there_is(scores_of_trials):
    found = section(scores_of_trials({"a": A, "b": B, "c": B}, "Given Cost"))
    assert found.title == TITLE
    titles = [table.title.split()[0] for table in found.tables]
    assert titles == ["Asked", "What", "Whether", "Whether"]
    assert all(len(row) == len(table.columns) for table in found.tables for row in table.rows)
    again, errors, order, beside = found.tables
    assert [row[:2] for row in again.rows] == [(m, r) for m in ("Given", "Cost") for r in "abc"]
    assert [row[1] for row in errors.rows[:6]] == ["a", "b", "c", "a − b", "a − c", "b − c"]
    assert [row[0] for row in order.rows] == ["Given", "Cost"]
    assert beside.rows == (("Given", "Cost", "−1.00", *beside.rows[0][3:]),)
    assert found.missing == ()
    assert "flipped" not in again.columns


def test_the_table_of_flips_has_their_interval(scores_of_trials):
    again = tables(
        reliability(scores_of_trials({"a": [[1, 3], [5, 5], [6, 6]], "b": [[3, 3], [5, None], [4, None]]}), at=2)
    )[0]
    assert again.columns[-1] == "flipped"
    assert [row[-1] for row in again.rows] == ["33 % (6 % to 79 %)", "0 %"]  # of one question there is no interval
    assert [row[3] for row in again.rows] == ["2", "1.2"]


def test_a_report_shows_no_more_rows_than_can_be_read(scores_of_trials):
    runs = {f"r{n}": [[n, n + 1], [2, n / 2]] for n in range(9)}
    errors = section(scores_of_trials(runs)).tables[1]
    assert len(errors.rows) == MOST
    assert errors.title.endswith(f"({9 + 36 - MOST} rows more not shown; neraca reliability prints all)")
    assert "not shown" not in tables(reliability(scores_of_trials({"a": A}))).pop(0).title


def test_ties_in_halves_are_said_to_count_as_half_a_swap(scores_of_trials):
    """Runs that are equal in all questions are never put in opposite orders, and yet swap in half of the splits."""
    scores = scores_of_trials({"a": once(1, 2, 1, 2), "b": once(1, 2, 1, 2)})
    assert reliability(scores).stability[0].split.swaps == 0.5
    assert "50 % of cases (1,000 splits). A tie in a half counts as half a swap;" in sentences_on(scores)


def test_all_metrics_in_one_order(scores_of_trials):
    values = {"a": once(1, 2, 1, 2), "b": once(3, 4.5, 3, 5), "c": once(6, 7, 8, 9.5)}
    found = reliability(scores_of_trials(values, "Given Cost"))
    same = replace(found.rankings[0], tau=1.0)
    assert "Given and Cost put the runs in the same order." in sentences(replace(found, rankings=(same,)))
    third = replace(same, other="Third")
    assert "Given, Cost and Third put the runs in the same order." in sentences(replace(found, rankings=(same, third)))
    beside = replace(third, tau=math.nan)  # a metric by which all runs are equal
    assert "Given and Cost put the runs in the same order." in sentences(replace(found, rankings=(same, beside)))
    worse = replace(third, tau=0.5)
    assert sentences(replace(found, rankings=(same, worse)))[-1] == (
        "Given and Third differ most in how they order the runs (Kendall's τ +0.500, of 3 runs)."
    )
    unknown = replace(same, tau=math.nan)
    assert sentences(replace(found, rankings=(unknown,))) == sentences(replace(found, rankings=()))
