import math

import numpy as np
import pytest
from builders import make_verdict

from neraca.categorical import Categorical
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.effective import effective

NAN = math.nan

#: Rule, whose word was asked for, who said what in this order, what counts, by whom, of how many votes.
TABLE = [
    ("newest", "", [("llm:m", 1)], 1, "llm:m", 1),
    ("newest", "", [("llm:m", 1), ("rules", 0)], 0, "rules", 1),
    ("newest", "", [("rules", 0), ("llm:m", 1)], 0, "rules", 1),
    ("newest", "", [("human:Ana", 3), ("qrels", 1), ("rules", 0)], 3, "human:Ana", 1),
    ("newest", "", [("rules", 0), ("qrels", 1)], 1, "qrels", 1),
    ("newest", "", [("embed:e", 0.5), ("llm:m", 1)], 1, "llm:m", 1),
    ("newest", "", [("oracle", 0.5), ("embed:e", 1)], 1, "embed:e", 1),
    ("newest", "", [("human:Ana", 3), ("human:Ben", 1)], 1, "human:Ben", 2),
    ("newest", "", [("human:Ana", NAN), ("rules", 1)], NAN, "human:Ana", 1),
    ("newest", "rules", [("human:Ana", 3), ("rules", 0), ("rules", 1)], 1, "rules", 2),
    ("newest", "human", [("rules", 0)], None, "", 0),
    ("newest", "human:Ana", [("human:Ana", 3), ("human:Ben", 1)], 3, "human:Ana", 1),
    ("median", "", [("human:Ana", 3), ("human:Ben", 1)], 1, "human:Ben", 2),
    ("median", "", [(f"human:{n}", 1) for n in range(9)] + [("human:9", 0)], 1, "human:9", 10),
    ("median", "", [("human:Ana", 3), ("human:Ana", 0)], 0, "human:Ana", 1),
    ("median", "", [("human:Ana", NAN), ("rules", 1)], 1, "rules", 1),
    ("median", "", [("human:Ana", 3), ("human:Ana", NAN), ("llm:m", 1)], 1, "llm:m", 1),
    ("median", "human", [("human:Ana", NAN)], None, "", 0),
    ("majority", "", [("llm:a", 1), ("llm:b", 1), ("llm:c", 0)], 1, "llm:c", 3),
    ("majority", "", [("llm:a", 1), ("llm:b", 0)], NAN, "llm:b", 2),
    ("majority", "", [("llm:a", 1), ("llm:b", 0), ("llm:b", 1)], 1, "llm:b", 2),
    ("majority", "", [("llm:a", 4), ("llm:b", 5), ("llm:c", 1)], NAN, "llm:c", 3),
    ("majority", "", [("llm:a", 4), ("llm:b", 5)], NAN, "llm:b", 2),
    ("majority", "", [("human:Ana", 0), ("llm:a", 1), ("llm:b", 1)], 0, "human:Ana", 1),
    ("mean", "human", [("human:Ana", 4), ("human:Ben", 1), ("human:Cy", 1), ("rules", 0)], 2, "human:Cy", 3),
]


@pytest.mark.parametrize("rule, asked, said, value, by, votes", TABLE)
def test_what_counts(rule, asked, said, value, by, votes):
    names, values = zip(*said, strict=True)
    place, values = np.full(len(said), 7), np.array(values, dtype=float)
    found = effective(place, values, Categorical.of(names), rule, asked=asked)
    if value is None:
        assert len(found.place) == 0
        return
    assert (found.place.tolist(), found.votes.tolist()) == ([7], [votes])
    np.testing.assert_array_equal(found.value, [value])
    assert names[found.row[0]] == by


def test_each_place_is_settled_for_itself():
    by = Categorical.of(["rules", "human:Ana", "rules", "rules"])
    found = effective(np.array([5, 2, 2, 5]), np.array([0.0, 1.0, 0.0, 1.0]), by)
    assert (found.place.tolist(), found.value.tolist(), found.row.tolist()) == ([2, 5], [1, 1], [1, 3])


def test_a_model_whose_prompt_was_changed_votes_once():
    by = Categorical.of(["llm:m#1", "llm:m#2", "llm:n"])
    voters = Categorical.of(["llm:m", "llm:m", "llm:n"])
    values = np.array([0.0, 1.0, 1.0])
    assert effective(np.zeros(3, int), values, by, "majority").votes.tolist() == [3]
    found = effective(np.zeros(3, int), values, by, "mean", voters=voters)
    assert (found.value.tolist(), found.votes.tolist()) == ([1.0], [2])


def test_verdicts_stay_with_their_answer_in_the_order_in_which_things_came_up():
    said = [
        make_verdict("a", "price", 1, trial=1),
        make_verdict("b", "price", 0, trial=1),
        make_verdict("a", "price", 0, by="human:Ana", trial=1),
        make_verdict("a", "price", 0, item="2"),
        make_verdict("a", "price", 0, item="9"),
    ]
    answers = ["1", "1", "2"], np.array([0, 1, 0])
    verdicts = AnswerVerdicts.of(said, *answers)
    assert [list(map(said.index, verdicts.on(row))) for row in range(3)] == [[], [2, 1], [3]]
    assert verdicts.judges == {"human:Ana": 1, "rules": 4}, "the one that Ana overrules too"
    both = AnswerVerdicts.of([make_verdict("a", "valid", 1, by=f"llm:{name}") for name in "mn"], ["1"], np.array([0]))
    assert both.judges == {"llm:m": 1, "llm:n": 1}
    assert AnswerVerdicts.of(said, *answers, by="rules").on(1) == said[:2]
