"""Between which values metrics lie, however the things that people left undecided are decided.

The numbers are calculated by hand from `rated_runs`.  P@5 of s1 over q1, q2, q4, q5, q6: .4 + .2 + .2 + 0 + 0, of 5;
q3 is rightly empty and left out, as long as nobody decides that it should have results.
"""

import pytest
from builders import make_answer, make_item, make_run, make_verdict
from rated_runs import by_people, decide, rated_runs

from neraca import score
from neraca.verdicts.undecided import MOST_SCENARIOS


def ranges(runs, metrics, **how):
    return score(runs, metrics, **how).facts["if_decided"]


def test_ranges_hold_for_hits_and_for_what_questions_expect(tmp_path):
    found = ranges(rated_runs(tmp_path), "P@5 Success Rubric(quality)")
    # s1: low, q3 should have had results (0.8 of 6); high, v1 relevant (1.0 of 5) and z1 a hit where none is right
    assert found["s1", "P@5"][0] == pytest.approx(0.8 / 6)
    # s2: low as it is (0.6 of 5); high, h3 and g2 relevant and q2 rightly empty (1.0 of 4)
    assert found["s2", "P@5"] == (pytest.approx(0.6 / 5), pytest.approx(1.0 / 4))
    # s1: low, q3 is a false empty and q2 has hits where none are expected (2 of 6); high, as it is
    assert found["s1", "Success"] == (2 / 6, 4 / 6)
    assert found["s2", "Success"] == (4 / 6, 5 / 6)  # q2 is rightly empty
    assert ("s1", "Rubric(quality)") not in found, "nothing undecided concerns a mean of grades"


@pytest.mark.parametrize(
    ("item", "value", "run", "metric", "decided"),
    [
        ("q3", 1, "s1", "Success", 3 / 6),
        ("q3", 1, "s1", "P@5", 0.8 / 6),
        ("q2", 0, "s2", "Success", 5 / 6),
        ("q2", 0, "s1", "Success", 3 / 6),
    ],
)
def test_what_is_decided_lies_within_the_range(tmp_path, item, value, run, metric, decided):
    runs = rated_runs(tmp_path)
    low, high = ranges(runs, metric)[run, metric]
    decide(runs[0], item=item, about="item", aspect="expects", value=value)
    assert score(runs, metric)[metric][run] == pytest.approx(decided)
    assert low - 1e-12 <= decided <= high + 1e-12


def test_a_scale_is_decided_to_be_one_of_the_grades_that_people_gave(tmp_path):
    """Two grades each: 3 and 4, 2 and 5.  Alone they would give 2 to 5; together 2.5 to 4.5."""
    runs = [
        make_run(
            tmp_path / "run", [make_item("1"), make_item("2")], [make_answer(item=n, text="an answer") for n in "12"]
        )
    ]
    with runs[0].writing():
        for item, values in (("1", "34"), ("2", "25")):
            runs[0].add_verdicts(by_people(values, item=item, about="answer", aspect="quality"))
    assert ranges(runs, "Rubric(quality)", combine="majority") == {("run", "Rubric(quality)"): (2, 5)}
    assert ranges(runs, "Rubric(quality)") == {}


def test_many_undecided_hits_of_one_question_are_tried_alone_and_together(tmp_path):
    docs = [f"d{n}" for n in range(10)]
    assert 3 ** len(docs) > MOST_SCENARIOS
    runs = [make_run(tmp_path / "run", [make_item("1")], [make_answer(" ".join(docs))])]
    with runs[0].writing():
        runs[0].add_verdicts(
            make_verdict(doc, "relevance", value, f"human:{name}")
            for doc in docs
            for name, value in (("a", 1), ("b", 0))
        )
    assert ranges(runs, "P@10 RR") == {("run", "P@10"): (0, 1), ("run", "RR"): (0, 1)}


def test_counts_are_summed_and_trials_are_decided_side_by_side(tmp_path):
    """`RefusalF1` is a ratio of sums.  One refusal is right; the other is right or not: 1, or 2/3 beside a miss."""
    items = [make_item(name, expects="none") for name in "12"]
    answers = [make_answer(item=name, text="No.", trial=trial) for name in "12" for trial in (0, 1)]
    runs = [make_run(tmp_path / "run", items, answers, trials=2)]
    with runs[0].writing():
        for item, trial, values in (("1", 0, "11"), ("1", 1, "11"), ("2", 0, "01"), ("2", 1, "01")):
            runs[0].add_verdicts(by_people(values, item=item, trial=trial, about="answer", aspect="declines"))
    low, high = ranges(runs, "RefusalF1")["run", "RefusalF1"]
    assert (low, high) == (pytest.approx(2 / 3), 1)
