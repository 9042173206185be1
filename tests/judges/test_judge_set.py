"""Judges as the command line and a study name them."""

import inspect

import pytest
from builders import make_answer, make_item, make_run
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.judges.judge import JUDGES, make_judge
from neraca.judges.judge_set import Member, judge_runs, setting_names
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession

MODEL = {"model": "openai:judge", "key": "k", "price": [1.0, 1.0]}


def test_a_member_is_called_as_its_table_and_is_what_its_kind_says():
    member = Member.of("strict", {"kind": "valid", **MODEL})
    assert (member.name, member.kind, member.model, member.asks) == ("strict", "valid", "openai:judge", True)
    assert str(member) == "strict (openai:judge)"
    assert "kind" not in member.settings
    assert not Member.of("rules", {}).asks
    assert str(Member.of("rules", {})) == "rules"


def test_a_mistake_names_the_table():
    with pytest.raises(SpecError, match=r"judges.strict: .*no setting 'modle'.*model"):
        Member.of("strict", {"kind": "valid", "modle": "x"})
    with pytest.raises(SpecError, match="did you mean valid"):
        Member.of("vald", {})


@pytest.mark.parametrize("name", [name for name in JUDGES.names() if not name.startswith("test")])
def test_what_a_judge_takes_is_what_its_reader_knows(name):
    """Each judge itself says which settings it does not know."""
    known = setting_names(name)
    for option in ("model", "url", "embed", "repeats", "language", "prompts", "lat"):
        with pytest.raises(SpecError) as error:
            make_judge(name, {option: object()})
        assert (f"no setting {option!r}" in str(error.value)) == (option not in known), option


def test_of_a_judge_that_does_not_say_it_nothing_is_known(monkeypatch):
    class Own:
        by = "own"

    Own.__module__ = "neraca.judges"
    monkeypatch.setitem(JUDGES._objects, "own", Own)
    assert "chat" not in inspect.signature(Own).parameters
    assert setting_names("own") == frozenset()


def add_name(answer, by):
    return replace(answer, text=f"{answer.text} It is {by} here.")


@pytest.fixture
def runs(tmp_path):
    items = [make_item("1"), make_item("2")]
    answers = [make_answer("a", "1", text="One thing. Another."), make_answer("a", "2", text="One.")]
    return [
        make_run(tmp_path / name, items, [add_name(answer, name) for answer in answers]) for name in ("a", "b", "c")
    ]


def test_each_judge_decides_on_each_run(runs, tmp_path):
    members = [Member.of("rules", {}), Member.of("screen", {"kind": "offline"})]
    with ModelSession(tmp_path / "models.sqlite") as session:
        done = list(judge_runs(members, runs, session))
    assert [(one.member.name, one.run.name, one.new) for one in done] == [
        *(("rules", name, 0) for name in "abc"),
        *(("screen", name, 10) for name in "abc"),
    ]
    assert all(one.spent == Spent() for one in done)


def test_a_judge_of_pairs_looks_at_every_two_runs_and_counts_their_calls_once(runs, tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        done = list(judge_runs([Member.of("pairwise", MODEL)], runs, session))
        total = session.spent
    assert [one.run.name for one in done] == ["a", "b", "a", "c", "b", "c"]
    assert [one.spent.calls for one in done] == [4, 0] * 3  # two questions, each in both orders
    assert total.calls == 12


def test_a_judge_of_pairs_with_one_run_needs_the_other(runs, tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        with pytest.raises(SpecError, match="compares answers of two runs"):
            list(judge_runs([Member.of("pairwise", MODEL)], runs[:1], session))
        over = Member.of("pairwise", {**MODEL, "over": str(runs[1].path)})
        assert [one.run.name for one in judge_runs([over], runs[:1], session)] == ["a"]
