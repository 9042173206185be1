"""Metrics of whole conversations, by hand: each conversation counts once, and people overrule judges."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scorable

import neraca
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.conversation import NO_TURNS, verdicts_beside
from neraca.records import Verdict

JUDGE = "llm:m#111111"
#: A session of three answers, one of one, and a question without a session; the last questions carry the verdicts.
ITEMS = [
    *(make_item(f"a{n}", session="a") for n in (1, 2, 3)),
    make_item("b1", session="b"),
    make_item("c1"),
]
PAIRS = [(item, make_answer(item=item.id, text="Yes.")) for item in ITEMS]


def verdict(item, value, about="session", by=JUDGE, aspect="remembers", **fields):
    return Verdict(item=item, about=about, aspect=aspect, value=value, by=by, **fields)


def scored(verdicts, name="KnowledgeRetention", pairs=PAIRS):
    """The total over conversations, the value of each answer, and the reasons."""
    counts = score_metric(Metric.of(name), make_scorable(pairs, verdicts))
    rows = counts.rows[~np.isnan(counts.rows).any(axis=1)]
    return float(counts.metric.total(rows.sum(axis=0))), counts.per_answer.tolist(), counts.why


def test_each_conversation_counts_once_and_each_answer_has_its_value():
    total, values, why = scored([verdict("a3", 0), verdict("b1", 1), verdict("c1", 1)])
    assert total == pytest.approx(2 / 3), "not 2 of 5 answers"
    assert values == pytest.approx([0, 0, 0, 1, 1])
    assert set(why) == {""}


@pytest.mark.parametrize(
    "name, aspect",
    [("Consistency", "consistent"), ("RoleAdherence", "stays"), ("SessionGoalReached", "resolves")],
)
def test_each_metric_reads_its_judge(name, aspect):
    verdicts = [verdict("a3", 1, aspect=aspect), verdict("b1", 0, aspect=aspect), verdict("c1", 0, aspect="other")]
    total, values, why = scored(verdicts, name)
    assert total == pytest.approx(1 / 2)
    assert values[:4] == pytest.approx([1, 1, 1, 0])
    assert why[4] == f"{JUDGE} did not judge its conversation: {aspect}"


def test_the_share_is_of_turns_that_were_decided_on():
    turns = [verdict("a3", 1, "turn:2"), verdict("a3", 0, "turn:3")]
    total, values, why = scored(
        [verdict("a3", 0), *turns, verdict("b1", 1), verdict("c1", None, status="not_applicable", why="one turn")],
        "KnowledgeRetention(share=true)",
    )
    assert (total, values[:3]) == (pytest.approx(0.5), pytest.approx([0.5] * 3))
    assert why[3:] == (NO_TURNS, "not applicable: one turn")


def test_a_verdict_on_another_answer_than_the_last_does_not_count():
    total, _, why = scored([verdict("a2", 0), verdict("b1", 1)])
    assert total == 1
    assert why[:3] == (f"{JUDGE} did not judge its conversation: remembers",) * 3


def test_people_overrule_a_judge():
    verdicts = [verdict("a3", 0), verdict("b1", 1), verdict("a3", 1, by="human:ana")]
    assert scored(verdicts)[0] == 1
    assert scored(verdicts, f"KnowledgeRetention(by={JUDGE})")[0] == 0.5
    assert scored(verdicts[-1:])[0] == 1, "people alone"


def test_trials_are_conversations_of_their_own():
    pairs = [(item, make_answer(item=item.id, text="Yes.", trial=trial)) for item in ITEMS[:3] for trial in (0, 1)]
    total, values, _ = scored([verdict("a3", 0), verdict("a3", 1, trial=1)], pairs=pairs)
    assert total == pytest.approx(0.5)
    assert values == pytest.approx([0, 1] * 3)


def test_order_and_names_of_conversations_change_nothing():
    verdicts = [verdict("a3", 0), verdict("b1", 1), verdict("c1", 0)]
    expected = scored(verdicts)
    turned = scored(verdicts, pairs=[*PAIRS[3:], *PAIRS[:3]])
    assert turned[0] == pytest.approx(expected[0])
    assert turned[1][2:] + turned[1][:2] == expected[1]


def test_a_run_is_scored_by_session_and_each_turn_is_marked(tmp_path):
    verdicts = [verdict("a3", 0, why="turn 2: it asks again"), verdict("a3", 0, "turn:2", why="it asks again")]
    verdicts += [verdict("b1", 1), verdict("c1", 1)]
    run = make_run(tmp_path / "run", ITEMS, [answer for _, answer in PAIRS], verdicts)
    scores = neraca.score(run, "KnowledgeRetention")
    assert scores.mean("KnowledgeRetention") == pytest.approx(2 / 3)
    part = scores.runs[0].scorable
    abouts = [[v.about for v in verdicts_beside(part, row)] for row in range(5)]
    assert abouts == [[], ["turn:2"], ["session"], ["session"], ["session"]]
