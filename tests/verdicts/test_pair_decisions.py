"""A decision on two answers counts once, however many runs and trials gave these answers."""

from itertools import permutations

import pytest
from builders import make_run
from comparisons.test_preferences import add_preferences, runs
from sklearn.metrics import cohen_kappa_score

from neraca import score
from neraca.comparisons.preferences import preferences
from neraca.metaeval.agreement import agreement
from neraca.metaeval.judge_confusion import judges_beside_people
from neraca.people.pair_task import PairTasks
from neraca.people.pair_verdicts import verdicts_of_pairs
from neraca.people.rating import Rating
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.judges import section
from neraca.reports.sentences.agreement import merged_pairs
from neraca.reports.sentences.preferences import sentences
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.pair_decisions import MergedPairs, merge_pairs
from neraca.verdicts.pairs_not_shown import without_pairs_not_shown

#: What two raters say of the answers of c beside the others: 1 better, 0.5 even, 0 worse.
ANA, BUDI = [1, 1, 1, 0, 0, 0.5, 1, 0], [1, 1, 1, 0, 1, 0.5, 0.5, 0]


def rate(opened, rater, values, show="answers"):
    """Let somebody rate all pairs: `values` say how good the answer of c is, question by question."""
    tasks = PairTasks.of(opened, show=show, seed=rater)
    ratings = []
    for task in tasks.tasks:
        value = values[task.number - 1]
        left_is_c = task.left.text.startswith("c") or any(hit.key.startswith("c") for hit in task.left.hits)
        chosen = "tie" if value == 0.5 else "left" if (value == 1) == left_is_c else "right"
        ratings.append(Rating(id=task.id, task=task.id, on="preferred", value=chosen, at="2026-01-01T08:00:00Z"))
    for run, verdicts in zip(tasks.runs, verdicts_of_pairs(ratings, tasks, rater), strict=True):
        with run.writing():
            run.add_verdicts(verdicts)
    return len(ratings)


def merged(opened):
    shown, _ = without_pairs_not_shown(opened, [current_verdicts(run) for run in opened])
    return merge_pairs(opened, shown)


@pytest.fixture
def equal_pair(tmp_path):
    """Runs a and b, which give the same answers, and c; two raters compared each of the 8 pairs of answers."""
    opened = runs(tmp_path, "a b c")
    twin = make_run(tmp_path / "twin" / "b", opened[0].items, list(opened[0].answers().values()))
    opened[1] = twin
    assert rate(opened, "Ana", ANA) == rate(opened, "Budi", BUDI) == 8
    return opened


def test_a_decision_stands_once_beside_the_first_of_equal_runs(equal_pair):
    tables, counts = merged(equal_pair)
    assert counts == MergedPairs(comparisons=32, decisions=16, pairs=8)
    assert [len(table) for table in tables] == [16, 0, 0]
    assert {verdict.about for verdict in tables[0]} == {"beside:c"}
    by_ana = {verdict.item: verdict.value for verdict in tables[0] if verdict.by == "human:Ana"}
    assert by_ana == {f"q{n}": 1 - value for n, value in enumerate(ANA)}
    (said,) = merged_pairs(counts)
    assert said.startswith("Preferences: 16 decisions on 8 pairs of answers, ")
    assert said.endswith(
        "They are stored as 32 comparisons of runs, once for every two runs that gave the two answers, and merged here."
    )


def test_raters_agree_in_one_row_whatever_the_order_of_the_runs(equal_pair):
    """6 of 8 are equal; kappa is that of scikit-learn on each decision from both sides."""
    labels = [[str(value) for value in (*values, *(1 - v for v in values))] for values in (ANA, BUDI)]
    for opened in permutations(equal_pair):
        tables, _ = merged(opened)
        (row,) = agreement(opened[0].items, *tables, samples=100)
        assert (row.aspect, row.agreement.n, row.agreement.value) == ("preferences", 8, 6 / 8)
        assert row.kappa.value == pytest.approx(cohen_kappa_score(*labels))


def test_equal_runs_make_no_interval_narrower(equal_pair):
    """The decisions are copied for a and b, but a question stays one observation."""
    a, _, c = equal_pair
    alone, both = preferences([a, c]), preferences(equal_pair)
    assert both.votes.decided == {"human:Ana": 8, "human:Budi": 8}
    assert both.votes.judges == {"human:Ana": 16, "human:Budi": 16}
    first, second = alone.chance("a", "c"), both.chance("a", "c")
    assert (second.low, second.high) == pytest.approx((first.low, first.high), abs=0.02)
    assert second.high - second.low >= first.high - first.low - 1e-6
    text = " ".join(sentences(both))
    assert "This rests on 16 decisions by human:Ana (8) and human:Budi (8), a tie counted as half a win" in text
    assert "wins, ties and losses count 32 comparisons of runs" in text
    assert "comparisons of runs" not in " ".join(sentences(alone))


def test_answers_that_raters_saw_as_equal_are_one_though_their_texts_differ(tmp_path):
    """Raters compare results.  Those of a and b are the same, so their texts make no second decision."""
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(8)]
    opened = [
        make_run(
            tmp_path / name,
            items,
            [Answer(item=item.id, text=f"{name} {item.id}", hits=(Hit(id=f"{doc}1"),)) for item in items],
        )
        for name, doc in (("a", "d"), ("b", "d"), ("c", "c"))
    ]
    assert rate(opened, "Ana", ANA, show="results") == 8
    assert merged(opened)[1] == MergedPairs(comparisons=16, decisions=8, pairs=8)


def test_a_decision_on_the_same_answers_in_two_trials_counts_once(tmp_path):
    item = Item(id="q0", query="question 0")
    opened = [
        make_run(tmp_path / name, [item], [Answer(item="q0", trial=trial, text=name) for trial in (0, 1)], trials=2)
        for name in "ac"
    ]
    assert rate(opened, "Ana", ANA) == 1
    tables, counts = merged(opened)
    assert counts == MergedPairs(comparisons=2, decisions=1, pairs=1)
    assert [(verdict.trial, verdict.value) for verdict in tables[0]] == [(0, 0.0)]


def test_preferences_over_a_run_that_is_not_there_stay_as_they_are(tmp_path):
    a, b, c = runs(tmp_path, "a b c")
    add_preferences(a, b, [1] * 8)
    add_preferences(a, c, [1] * 8)
    tables, counts = merged([a, b])
    assert counts.decisions == 8
    assert sorted({verdict.aspect for verdict in tables[0]}) == ["preferences", "preferred:c"]
    assert len(tables[1]) == 0


def test_a_judge_beside_people_has_no_bias_on_pairs(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 1, 1, 0, 0, 0, 0])
    add_preferences(a, b, [1, 1, 1, 1, 1, 1, 0, 0], by="llm:m")
    verdicts = [list(table) for table in merged([a, b])[0]]
    (row,) = judges_beside_people(a.items, *verdicts)
    assert (row.aspect, row.agree.n, row.agree.value, row.bias.n) == ("preferences", 8, 0.75, 0)
    assert row.sensitivity.n == row.specificity.n == 0


def test_runs_without_preferences_are_left_alone(tmp_path):
    (run,) = runs(tmp_path, "a")
    with run.writing():
        run.add_verdicts([Verdict(item="q0", about="answer", aspect="valid", by="human:Ana", value=1)])
    tables, counts = merged([run])
    assert (counts, len(tables[0]), merged_pairs(counts)) == (MergedPairs(), 1, [])


def test_the_report_counts_the_decisions_of_people_and_not_what_they_decide_together(equal_pair):
    """Of two raters and 8 pairs these are 16, as `agree` says; their joint word is no decision of its own."""
    _, *said = section(score(equal_pair, "TokenF1"))
    sentences_of_all = [str(sentence) for block in said for sentence in getattr(block, "sentences", block)]
    (counted,) = [sentence for sentence in sentences_of_all if "Preferences: " in sentence]
    assert counted.startswith("Preferences: 16 decisions on 8 pairs of answers, ")
    assert "stored as 32 comparisons" in counted
