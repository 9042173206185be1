"""Which context supports what: order, long contexts, and what is left when part of it fails."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges.scripted_model import Script, data_of, reply_to

from neraca.errors import ModelError
from neraca.judges.llm.context_matrix import Sides, _spread, check_matrix, cut_text
from neraca.judges.llm.prompt import Prompts
from neraca.judges.outcome import Outcome, unscored
from neraca.models.reply_schema import reply_schema

TEMPLATE = Prompts(["context_matrix"]).of("context_matrix", "en")


class Through:
    dry_run = False


def check(script, *, claims=(), reference=(), contexts=None, seed=0, words=3000):
    sides = Sides(question="?", claims=claims, reference=reference, contexts=contexts or {})
    return asyncio.run(check_matrix(script(None, Through), TEMPLATE, sides, seed=seed, words=words))


def contexts_by_call(script):
    return [list(data_of(prompt)["contexts"].values()) for prompt in script.prompts]


TEN = {f"d{n}": f"text {n}" for n in range(10)}


def test_contexts_come_in_an_order_of_chance_that_the_seed_repeats():
    orders = []
    for seed in (0, 0, 1):
        script = Script()
        check(script, claims=["a"], contexts=TEN, seed=seed)
        orders += contexts_by_call(script)
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(TEN.values()) != orders[0]


def test_the_order_in_which_they_were_found_changes_nothing():
    """So that two systems that find the same texts, ranked differently, are judged by the same call."""
    one, other = Script(), Script()
    check(one, claims=["a"], contexts=TEN)
    check(other, claims=["a"], contexts=dict(reversed(TEN.items())))
    assert one.prompts[0].user == other.prompts[0].user


def test_no_place_is_favoured():
    """Of 200 questions each place holds each of four contexts about 50 times (binomial, five standard errors)."""
    counts = [[0] * 4 for _ in range(4)]
    for n in range(200):
        script = Script()
        check(script, claims=[f"claim {n}"], contexts=dict(list(TEN.items())[:4]))
        for place, text in enumerate(contexts_by_call(script)[0]):
            counts[place][int(text[-1])] += 1
    assert all(50 - 31 < count < 50 + 31 for row in counts for count in row)


def test_ids_tell_hits_apart_after_shuffling():
    contexts = {f"d{n}": f"only {word} here" for n, word in enumerate(["apples", "pears", "plums", "grapes"])}
    found = check(Script(), claims=["plums", "grapes and pears"], contexts=contexts)
    assert found.rows["c1"].hits == {"d2"}
    assert found.rows["c2"].supported[0] == 0
    assert {hit: value for hit, (value, *_) in found.useful.items()} == {"d0": 0, "d1": 0, "d2": 1, "d3": 0}


LONG = {"d1": "filler words here " * 40 + "plums", "d2": "apples " * 10}


def test_long_contexts_are_shared_out_and_support_in_any_part_counts():
    whole, parts = Script(), Script()
    expected = check(whole, claims=["plums", "apples", "cherries"], reference=["plums"], contexts=LONG)
    found = check(parts, claims=["plums", "apples", "cherries"], reference=["plums"], contexts=LONG, words=50)
    assert whole.calls == 1
    assert parts.calls > 2
    assert [row.hits for row in found.rows.values()] == [row.hits for row in expected.rows.values()]
    assert [row.supported[0] for row in found.rows.values()] == [1, 1, 0, 1]
    assert [row.stated[0] for row in found.rows.values()] == [1, 0, 0, 1]
    assert {hit: value for hit, (value, *_) in found.useful.items()} == {"d1": 1, "d2": 0}


def test_a_part_that_fails_hides_only_what_it_may_have_held():
    def breaks(prompt, repeat):
        apples = any("apples" in text for text in data_of(prompt)["contexts"].values())
        return ModelError("broken") if apples else reply_to(prompt)

    apart = {"d1": "words " * 40 + "plums", "d2": "words " * 40 + "apples"}
    found = check(Script(breaks), claims=["plums", "apples", "cherries"], reference=["plums"], contexts=apart, words=50)
    assert [row.supported for row in found.rows.values()] == [
        Outcome(1.0, "1 texts say it"),
        unscored("broken"),
        unscored("broken"),
        Outcome(1.0, "1 texts say it"),
    ]
    assert found.rows["c1"].stated[0] == 1
    assert found.useful["d2"] == unscored("broken")
    assert found.useful["d1"][0] == 1
    assert found.failed == ""


def test_nothing_is_asked_where_a_side_is_empty():
    script = Script()
    nothing = check(script)
    claims = check(script, claims=["a"])
    reference = check(script, reference=["a"])
    contexts = check(script, contexts={"d": "a"})
    assert script.calls == 0
    assert nothing.rows == nothing.useful == contexts.useful == {}
    assert claims.rows["c1"].supported == Outcome(0, "there is no context")
    assert reference.rows["r1"].stated == Outcome(0, "the other side states nothing")
    assert not any(one.failed for one in (nothing, claims, reference, contexts))


@given(st.text(), st.integers(4, 60))
def test_a_text_iscut_text_without_losing_a_letter(text, most):
    pieces = list(cut_text(text, most))
    assert "".join(pieces) == text
    assert all(len(piece.encode()) <= most for piece in pieces)


def test_it_iscut_text_at_white_space():
    assert list(cut_text("one two three four", 10)) == ["one two ", "three four"]
    assert list(cut_text("abcdefghijkl", 5)) == ["abcde", "fghij", "kl"]


@given(st.lists(st.text("abc ", max_size=80), max_size=6), st.integers(1, 12))
def test_lots_hold_everything_once(texts, words):
    contexts = {f"x{n}": text for n, text in enumerate(texts, 1)}
    lots = list(_spread(contexts, words))
    assert {x: "".join(lot.get(x, "") for lot in lots) for x in contexts} == contexts
    assert all(sum(len(text) for text in lot.values()) <= words * 6 for lot in lots)
    assert len(lots) == 1 or all(lots)


@pytest.mark.parametrize("words", [0, -5])
def test_a_budget_of_nothing_still_comes_to_an_end(words):
    assert len(list(_spread({"x1": "äöü" * 5}, words))) == 5


def test_many_statements_and_contexts_take_several_calls_of_at_most_a_hundred_properties():
    """70 statements, 3 calls each for 40 contexts in 2 parts: 6 calls; each pair is decided once."""
    script, contexts = Script(), {f"d{n}": f"fact {n} is here" for n in range(40)}
    found = check(script, claims=[f"fact {n}" for n in range(70)], contexts=contexts)
    assert script.calls == 6
    for prompt in script.prompts:
        schema = reply_schema(prompt.kind).schema
        objects = [schema, *schema["$defs"].values()]
        assert sum(len(part["properties"]) for part in objects) < 100
    assert [sorted(row.hits) for row in found.rows.values()] == [[f"d{n}"] if n < 40 else [] for n in range(70)]
    assert len(found.useful) == 40


def test_the_text_of_a_context_counts_as_its_id():
    def by_text(prompt, repeat):
        said, contexts = reply_to(prompt), data_of(prompt)["contexts"]
        for key in ("c1", "c2"):
            supported = said[key]["supported_by"].items()
            said[key]["supported_by"] = [contexts[x].upper() for x, yes in supported if yes]
        return said

    script = Script(by_text)
    contexts = {"d1": "only plums here", "d2": "only apples here"}
    assert check(script, claims=["plums", "apples"], contexts=contexts).rows["c2"].hits == {"d2"}
    assert script.calls == 1
