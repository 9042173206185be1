"""Several replies to one question: what they settle on, and what is asked for again."""

import itertools
from statistics import median

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges.scripted_model import Script, data_of, reason_of

from neraca.errors import BudgetReached, ModelError, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.llm.majority_vote import median_outcome
from neraca.judges.llm.yes_no import ValidJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item

PAIR = (Item(id="q1", query="Where is it?"), Answer(item="q1", text="In Medan."))


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def judged(session, reply, **settings):
    script = Script(reply)
    judge = ValidJudge({"model": "test:script", **settings}, chat=script)
    (verdict,) = judge.judge([PAIR], session)
    return verdict, script


def replies_in_turn(*words):
    """A model that says these, by the number of the repeat; an error is raised."""

    def reply(prompt, repeat):
        word = words[repeat]
        return word if isinstance(word, Exception) else {"reason": f"reason {repeat}", "yes": word}

    return reply


@given(st.lists(st.integers(1, 5), max_size=7), st.integers(0, 7))
def test_it_settles_on_what_no_failed_reply_could_change(values, failed):
    """Against every way in which the failed replies could have come out."""
    failed += (len(values) + failed) % 2 == 0
    found, *doubt = median_outcome([(v, "r") for v in values], ["timeout"] * failed, (1, 5), "{:g}".format)
    possible = {median([*values, *more]) for more in itertools.combinations_with_replacement(range(1, 6), failed)}
    if len(possible) == 1:
        assert {found} == possible
        assert found in values
    else:
        assert (found, doubt) == (None, ["timeout", "unscored"])


@pytest.mark.parametrize(
    "words, value, why",
    [
        ([True], 1, "reason 0"),
        ([False], 0, "reason 0"),
        ([True, False, True], 1, "2 of 3 say yes (no yes yes): reason 0"),
        ([True, False, False], 0, "2 of 3 say no (no no yes): reason 1"),
        ([True, ModelError("down"), True], 1, "2 of 3 say yes (yes yes, 1 failed): reason 0"),
        ([True, ModelError("down"), False], None, "unscored: down"),
        ([ModelError("down")], None, "unscored: down"),
        ([True, False, True, False, True], 1, "3 of 5 say yes (no no yes yes yes): reason 0"),
    ],
)
def test_the_majority_and_how_large_it_is(session, words, value, why):
    verdict, script = judged(session, replies_in_turn(*words), repeats=len(words))
    assert (verdict.value, reason_of(verdict)) == (value, why)
    assert script.repeats == list(range(len(words)))
    assert len({(p.system, p.user) for p in script.prompts}) == 1


def test_more_repeats_pay_only_for_those_that_are_new(session):
    script = Script(replies_in_turn(True, False, False))
    for repeats in (1, 3, 3):
        list(ValidJudge({"model": "test:script", "repeats": repeats}, chat=script).judge([PAIR], session))
    assert script.repeats == [0, 1, 2]


def test_the_budget_ends_it_and_what_came_is_kept(session):
    script = Script(replies_in_turn(True, True, True), budget=2)
    judge = ValidJudge({"model": "test:script", "repeats": 3}, chat=script)
    with pytest.raises(BudgetReached):
        list(judge.judge([PAIR], session))
    script.budget = None
    (verdict,) = judge.judge([PAIR], session)
    assert verdict.value == 1
    assert script.calls == 3


@pytest.mark.parametrize("name", ["valid", "supported", "pairwise"])
@pytest.mark.parametrize("repeats", [0, 2, -1, 4])
def test_an_even_number_has_no_majority(name, repeats):
    with pytest.raises(SpecError, match=f"judge {name}: repeats is an odd number, so that .* not {repeats}"):
        make_judge(name, {"model": "a:b", "repeats": repeats})


def test_the_reason_is_asked_for_first(session):
    """A model writes the fields in the order of the schema, and thinks while it writes."""
    _, script = judged(session, replies_in_turn(True))
    assert list(msgspec.json.schema(script.prompts[0].kind)["$defs"]["YesNoReply"]["properties"]) == ["reason", "yes"]
    assert data_of(script.prompts[0]) == {"question": "Where is it?", "answer": "In Medan."}
