"""Laws of pairs that nobody was shown: more of them change no agreement, no rater, and no count of what was said."""

import random
from collections import Counter

import numpy as np
import pytest
from builders import make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.metaeval.raters import raters
from neraca.people.pair_task import PairTasks
from neraca.people.pair_verdicts import verdicts_of_pairs
from neraca.people.rating import Rating
from neraca.records import Answer, Hit, Item
from neraca.reports.formats.data_export import report_data
from neraca.reports.report import report
from neraca.reports.sentences.notes import notes
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.pair_decisions import merge_pairs
from neraca.verdicts.pairs_not_shown import IDENTICAL, NO_TEXT, without_pairs_not_shown

DRAWN = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
DIFFERENT = 6


def rated(folder, show, identical, no_text, chance):
    """Two runs that two people compared, with so many pairs that needed no rating after the six that did."""
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(DIFFERENT + identical + no_text)]

    def answer(name, n):
        words = f"{name} {n}" if n < DIFFERENT else "the same"
        if n >= DIFFERENT + identical and name == "b":
            words = ""
        return Answer(item=f"q{n}", text=words if show == "answers" else "", hits=(Hit(id=words or "none"),))

    runs = [make_run(folder / name, items, [answer(name, n) for n in range(len(items))]) for name in "ab"]
    for name in ("Ana", "Budi"):
        tasks = PairTasks.of(runs, show, seed=name)
        assert len(tasks.tasks) == DIFFERENT
        said = [
            Rating(
                id=task.id, task=task.id, on="preferred", value=chance.choice(("left", "tie", "right")), at="2026-01-01"
            )
            for task in tasks.tasks
        ]
        for run, verdicts in zip(runs, verdicts_of_pairs(said, tasks, name), strict=True):
            with run.writing():
                run.add_verdicts(verdicts)
    return runs


def agreements(runs):
    tables, counts = without_pairs_not_shown(runs, list(map(current_verdicts, runs)))
    found = neraca.agreement(list(runs[0].items), *tables, samples=99)
    return [
        (one.aspect, one.agreement.value, one.kappa.value, one.alpha.value, one.agreement.n) for one in found
    ], counts


def quality(runs):
    tables, _ = without_pairs_not_shown(runs, list(map(current_verdicts, runs)))
    return [
        (one.rater, one.ratings, one.others.value) for one in raters(list(runs[0].items), merge_pairs(runs, tables)[0])
    ]


def scored(runs):
    """What scores count of people's preferences: rule, raters and times by aspect; answers with one; pairs left out."""
    scores = neraca.score(runs, "P@1")
    together = {aspect: rules["human"] for aspect, rules in scores.facts["raters"].items() if "preferred" in aspect}
    answers = {
        (run.name, aspect): np.count_nonzero(~np.isnan(values))
        for run in scores.runs
        for aspect, values in run.scorable.column("verdicts").ratings().items()
    }
    joint = {aspect: (group.rule, group.raters, group.places) for aspect, group in together.items()}
    said = [note for note in notes(scores) if note.startswith("Left out")]
    rows = Counter(row["aspect"] for row in report_data(report(scores))["verdicts"])
    assert rows["preferred:a"] == rows["preferred:b"] == rows["preferred_first:a"] + rows["preferred_first:b"]
    return joint, answers, scores.facts["pairs_not_shown"], said


def outcomes(runs):
    return {one.run: (one.wins, one.ties, one.losses) for one in neraca.preferences(runs).standings}


@pytest.mark.parametrize("show", ["answers", "results"])
@DRAWN
@given(identical=st.integers(0, 9), no_text=st.integers(0, 3), seed=st.integers(0, 99))
def test_pairs_that_nobody_was_shown_are_nobodys_opinion(tmp_path_factory, show, identical, no_text, seed):
    no_text = no_text if show == "answers" else 0
    plain = rated(tmp_path_factory.mktemp("plain"), show, 0, 0, random.Random(seed))
    more = rated(tmp_path_factory.mktemp("more"), show, identical, no_text, random.Random(seed))
    (before, nothing), (after, counts) = agreements(plain), agreements(more)
    assert before == after
    assert [n for *_, n in after] == [DIFFERENT, DIFFERENT]
    assert (sum(nothing.values()), counts) == (0, {IDENTICAL: identical, NO_TEXT: no_text})
    assert quality(plain) == quality(more)
    assert [ratings for _, ratings, _ in quality(more)] == [DIFFERENT, DIFFERENT]
    assert outcomes(plain) == outcomes(more)
    (rules, answers, _, silent), (rules_of_more, answers_of_more, left_out, said) = scored(plain), scored(more)
    assert rules == rules_of_more
    assert {times for _, _, times in rules.values()} == {DIFFERENT}
    assert answers == answers_of_more == {("a", "preferred:b"): DIFFERENT, ("b", "preferred:a"): DIFFERENT}
    assert (left_out, silent, len(said)) == (counts, [], bool(identical) + bool(no_text))
    first = next(one for one in neraca.preferences(more).standings if one.run == "a")
    assert (first.identical, first.no_text) == (identical, no_text)


@DRAWN
@given(identical=st.integers(1, 9), seed=st.integers(0, 99))
def test_identical_pairs_draw_the_shares_to_one_half_by_their_number(tmp_path_factory, identical, seed):
    """Wins and half the ties of the pairs that were shown, and half of each identical pair, over all pairs."""
    runs = rated(tmp_path_factory.mktemp("runs"), "answers", identical, 0, random.Random(seed))
    found = neraca.preferences(runs)
    wins, ties, losses = outcomes(runs)["a"]
    n = wins + ties + losses
    assert found.chance("a", "b").value == pytest.approx((wins + ties / 2 + identical) / (n + 2 * identical))
    if wins + ties and ties + losses:
        assert found.shown["a"] == pytest.approx((wins + ties / 2) / n)
