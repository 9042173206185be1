"""Metrics of whole conversations: conversations are counted, not their answers."""

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run

import neraca
from neraca.metrics.rag.session_mean import rows_of_sessions
from neraca.records import Verdict

#: Conversation → number of its answers, and the verdict on it; None: no verdict.
LENGTHS = {"a": (4, 1), "b": (1, 0), "c": (2, 1), "d": (3, None), "e": (2, 1), "f": (2, 1)}


def folder(path, name="run", flipped=""):
    items = [make_item(f"{s}{n}", session=s) for s, (length, _) in LENGTHS.items() for n in range(length)]
    verdicts = [
        Verdict(
            item=f"{s}{n - 1}", about="session", aspect="remembers", by="llm:m#1", value=1 - v if s == flipped else v
        )
        for s, (n, v) in LENGTHS.items()
        if v is not None
    ]
    return make_run(path / name, items, [make_answer(item=item.id, text="Yes.") for item in items], verdicts)


@pytest.fixture
def run(tmp_path):
    return folder(tmp_path)


@pytest.mark.parametrize("unit", ["auto", "question", "session"])
def test_n_and_unscored_count_conversations_whatever_the_unit(run, unit):
    (score,) = neraca.score(run, "KnowledgeRetention", unit=unit).overall()
    assert (score.value, score.n, score.unscored) == (pytest.approx(4 / 5), 5, 1)


def test_the_interval_is_that_of_a_share_of_conversations(run):
    (score,) = neraca.score(run, "KnowledgeRetention").overall()
    z, n, p = 1.959963984540054, 5, 4 / 5  # Wilson (1927)
    centre, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    assert score.method == "wilson"
    assert [score.low, score.high] == pytest.approx([(centre + s * half) / (1 + z * z / n) for s in (-1, 1)])


def test_other_metrics_of_the_same_run_count_answers(run):
    assert [(s.metric, s.n) for s in neraca.score(run, "KnowledgeRetention Words").overall()] == [
        ("KnowledgeRetention", 5),
        ("Words", 14),
    ]


def test_the_table_of_a_run_counts_them_too(run):
    (table,) = neraca.score(run, "KnowledgeRetention").runs[0]._tables()
    assert [row[-2:] for row in table.rows] == [["5", "1"]]


def test_a_conversation_of_which_some_answers_are_scored_is_scored():
    rows = np.array([[0.25, 0.5], [np.nan, np.nan], [np.nan, np.nan]])
    sums, first = rows_of_sessions(rows, np.array([3, 3, 1]))
    assert sums[1].tolist() == [0.25, 0.5]
    assert np.isnan(sums[0]).all()
    assert first.tolist() == [2, 0]
