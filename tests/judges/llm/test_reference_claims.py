"""Claims of references: several in one call, kept one by one, paid once for all runs."""

import asyncio

import pytest
from judges.scripted_model import Script, data_of, reply_to

from neraca.errors import ModelError
from neraca.judges.llm.claim_texts import distinct_claims
from neraca.judges.llm.claims import ClaimsJudge
from neraca.judges.llm.prompt import Prompts
from neraca.judges.llm.reference_claims import Reference, ReferenceClaims
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item

PROMPTS = Prompts(["reference_claims"])


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def some(count, **more):
    return [Reference(f"question {n}?", f"Fact {n}. Other {n}.", **more) for n in range(count)]


def find(session, references, script, only=None, identity="model"):
    async def all_of():
        claims = ReferenceClaims(references, script(None, session), PROMPTS, session, {"model": identity})
        found = await asyncio.gather(*(claims.of(one) for one in only or references), return_exceptions=True)
        return [one if isinstance(one, Exception) else list(one) for one in found]

    return asyncio.run(all_of())


def lots(script):
    return [[one["question"] for one in data_of(prompt).values()] for prompt in script.prompts]


def test_ten_stand_in_one_call(session):
    script = Script()
    assert find(session, some(23), script)[3] == ["Fact 3.", "Other 3."]
    assert [len(lot) for lot in lots(script)] == [10, 10, 3]


def test_long_ones_stand_in_fewer(session):
    script = Script()
    long = [Reference(f"q{n}", "word " * 700) for n in range(5)]
    find(session, long, script)
    assert [len(lot) for lot in lots(script)] == [2, 2, 1]


def test_each_language_is_asked_in_its_own_words(session):
    script = Script()
    mixed = [Reference(f"q{n}", "Text.", ("en", "es")[n % 2]) for n in range(6)]
    find(session, mixed, script)
    assert lots(script) == [["q0", "q2", "q4"], ["q1", "q3", "q5"]]
    assert [prompt.system.split()[0] for prompt in script.prompts] == ["You", "Descompones"]


def test_the_same_reference_of_two_items_is_asked_once(session):
    script = Script()
    assert find(session, [*some(2), *some(2)], script) == [["Fact 0.", "Other 0."], ["Fact 1.", "Other 1."]] * 2
    assert [len(lot) for lot in lots(script)] == [2]


def test_a_second_run_pays_nothing_and_one_with_more_questions_only_for_these(session):
    first, second, third = Script(), Script(), Script()
    expected = find(session, some(13), first)
    assert find(session, list(reversed(some(13))), second)[::-1] == expected
    assert second.calls == 0
    assert find(session, some(15), third)[:13] == expected
    assert lots(third) == [["question 13?", "question 14?"]]


@pytest.mark.parametrize("other", ["model", "question", "prompt"])
def test_what_shapes_the_reply_is_asked_anew(session, other, tmp_path, monkeypatch):
    find(session, some(1), Script())
    script = Script()
    if other == "prompt":
        (tmp_path / "reference_claims.md").write_text("---\nname: r\nversion: 1\nlanguage: en\n---\nData: `{{code}}`")
        monkeypatch.setitem(globals(), "PROMPTS", Prompts(["reference_claims"], folder=str(tmp_path)))
    changed = [Reference("another question?", "Fact 0. Other 0.")] if other == "question" else some(1)
    find(session, changed, script, identity="another" if other == "model" else "model")
    assert script.calls == 1


def test_only_missing_ones_are_asked_again(session):
    def forgets(prompt, repeat):
        said = reply_to(prompt)
        return {key: said[key] for key in said if key != "q1"} if repeat == 0 else said

    script = Script(forgets)
    assert find(session, some(3), script)[0] == ["Fact 0.", "Other 0."]
    assert lots(script) == [["question 0?", "question 1?", "question 2?"], ["question 0?"]]


def test_a_failure_is_told_and_not_kept(session):
    found = find(session, some(2), Script(lambda prompt, repeat: ModelError("down")))
    assert [str(error) for error in found] == ["down", "down"]
    assert find(session, some(2), Script())[1] == ["Fact 1.", "Other 1."]


def test_what_came_before_a_failure_is_kept(session):
    def half(prompt, repeat):
        return {"q1": reply_to(prompt)["q1"]} if repeat == 0 else ModelError("down")

    found = find(session, some(2), Script(half))
    assert found[0] == ["Fact 0.", "Other 0."]
    assert str(found[1]) == "down"
    script = Script()
    find(session, some(2), script)
    assert lots(script) == [["question 1?"]]


def test_a_dry_run_keeps_nothing(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        assert len(find(session, some(1), Script())[0]) == 1
    script = Script()
    with ModelSession(tmp_path / "models.sqlite") as session:
        find(session, some(1), script)
    assert script.calls == 1


def test_a_second_system_pays_for_no_reference_claim(session):
    items = [Item(id=str(n), query=f"q{n}?", references=(f"Fact {n}.",)) for n in range(25)]
    kinds = []
    for system in ("one", "two"):
        script = Script()
        pairs = [(item, Answer(item=item.id, text=f"Answer of {system} to {item.id}.")) for item in items]
        list(ClaimsJudge({"model": "test:script"}, chat=script).judge(pairs, session))
        kinds.append(script.kinds.count("ReferencesReply"))
    assert kinds == [3, 0]


def test_tidy():
    assert distinct_claims([" a  b ", "", "a b", "c"]) == ["a b", "c"]
