"""What all judges of one question have in common: texts that give orders stay data, and a real endpoint is asked."""

import json
import re
from types import SimpleNamespace

import pytest
from builders import make_run
from judges.scripted_model import CODE, Script, data_of, reason_of
from judges.test_injection import ATTEMPTS, ORDER
from models.llm_server import LlmServer

from neraca.judges.judge import judge
from neraca.judges.llm.aspect import AspectJudge
from neraca.judges.llm.pairwise import PairwiseJudge, judge_pairs
from neraca.judges.llm.rubric import RubricJudge
from neraca.judges.llm.yes_no import SupportedJudge, ValidJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item

RUBRIC = {"name": "helpfulness", "criteria": {1: "of no use", 5: "all that is needed"}}
BESIDE = {"beside": ["reference", "contexts"]}
JUDGES = {
    ValidJudge: {},
    SupportedJudge: {},
    AspectJudge: {"name": "polite", "criterion": "It is polite.", **BESIDE},
    RubricJudge: {**RUBRIC, **BESIDE},
    PairwiseJudge: {"reference": True},
}
KEYS = {"question", "answer", "reference", "contexts", "first", "second"}
REPLIES = {
    "YesNoReply": {"reason": "", "yes": True},
    "GradeReply": {"reason": "", "grade": 3},
    "PreferenceReply": {"reason": "", "better": "even"},
}


def reply(prompt, repeat):
    return REPLIES[prompt.kind.__name__]


def obeys(system, user):
    """Whether an order stands outside of the one line of data, or as a key in it."""
    code = CODE.search(system)[1]
    first, inside, last = user.split("\n")
    if first != code or last != code or code in inside or ORDER in system:
        return True
    return bool(set(json.loads(inside)) - KEYS)


def prompts_about(kind, attempt, place, folder, session):
    """All prompts about an answer of which one text is an attempt."""
    texts = dict.fromkeys(("query", "answer", "reference", "context", "hit"), "It is good.") | {place: attempt}
    item = Item(id="q1", query=texts["query"], references=(texts["reference"],))
    answer = Answer(item="q1", text=texts["answer"], hits=(Hit(id=texts["hit"], text=texts["context"]),))
    settings = {"model": "test:script", **JUDGES[kind]}
    if kind is PairwiseJudge:
        settings["over"] = str(make_run(folder, [item], [Answer(item="q1", text="Another one.")]).path)
    script = Script(reply)
    list(kind(settings, chat=script).judge([(item, answer)], session))
    return script.prompts


@pytest.mark.parametrize("place", ["query", "answer", "reference", "context", "hit"])
@pytest.mark.parametrize("kind", JUDGES)
def test_no_attempt_leaves_its_string(kind, place, tmp_path, record_property):
    with ModelSession(tmp_path / "models.sqlite") as session:
        found = [prompts_about(kind, attempt, place, tmp_path / str(n), session) for n, attempt in enumerate(ATTEMPTS)]
    assert all(found)
    done = sum(any(obeys(prompt.system, prompt.user) for prompt in prompts) for prompts in found)
    record_property("attempts", len(ATTEMPTS))
    record_property("obeyed", done)
    assert done == 0


def test_the_attempts_would_be_seen_where_they_leave_it():
    code = "0" * 16
    harmless = json.dumps({"question": ORDER, "answer": "x"})
    assert not obeys(f"`{code}`", f"{code}\n{harmless}\n{code}")
    assert obeys(f"`{code}` {ORDER}", f"{code}\n{harmless}\n{code}")
    assert obeys(f"`{code}`", f"{code}\n{json.dumps({'question': 'x', ORDER: 'x'})}\n{code}")
    assert obeys(f"`{code}`", f"{code}\n{json.dumps({'statements': {ORDER: 'x'}})}\n{code}")


# a real endpoint


ITEMS = [Item(id=str(n), query=f"Where is house {n}?", references=(f"In Medan {n}.",)) for n in range(6)]


def run_of(folder, texts):
    answers = [Answer(item=one.id, text=text) for one, text in zip(ITEMS, texts, strict=False)]
    return make_run(folder, ITEMS[: len(texts)], answers)


def served(call):
    """Yes to longer answers, the better one of two, a grade by length; by the schema that the endpoint was sent."""
    data = data_of(SimpleNamespace(system=call.system, user=call.user))
    fields = call.schema["properties"]
    if "better" in fields:
        assert fields["better"]["enum"] == ["even", "first", "second"]
        return {
            "reason": "One of the texts names the rooms, the garden and the price that were asked for, and the other "
            "says nothing of the garden.",
            "better": "first" if len(data["first"]) > len(data["second"]) else "second",
        }
    if "grade" in fields:
        return {"reason": "so long", "grade": len(data["answer"])}
    return {"reason": "long enough", "yes": len(data["answer"]) > 2}


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", wait=0.001) as session:
        yield session


def settings(server, **more):
    return {"model": "openai:judge", "url": server.url, "key": "k", "price": [1.0, 10.0], **more}


def test_repeats_are_calls_of_their_own_and_each_is_paid_once(tmp_path, session):
    run = run_of(tmp_path / "run", ["long", "s", "long too"])
    with LlmServer(reply=served) as server:
        for repeats, calls in ((1, 3), (3, 9), (3, 9)):
            judge(run, "valid", settings(server, repeats=repeats), session=session)
            assert server.count == calls
    assert {v.item: v.value for v in run.verdicts()} == {"0": 1, "1": 0, "2": 1}
    assert {reason_of(v) for v in run.verdicts() if v.value} == {"3 of 3 say yes (yes yes yes): long enough"}


def test_a_pair_costs_two_calls_for_both_runs(tmp_path, session):
    both = run_of(tmp_path / "a", ["aa", "aaaa", "aa"]), run_of(tmp_path / "b", ["bbb", "bb", "aa"])
    with LlmServer(reply=served) as server:
        done = judge_pairs(*both, settings(server), session=session)
        assert server.count == 4
        judge_pairs(*both[::-1], settings(server), session=session)
        assert server.count == 4
    said = [[v for v in run.verdicts() if v.aspect.startswith("preferred:")] for run in both]
    assert [{v.item: v.value for v in verdicts} for verdicts in said] == [
        {"0": 0, "1": 1, "2": 0.5},
        {"0": 1, "1": 0, "2": 0.5},
    ]
    assert (done[0].new, done[1].new, done[1].spent.calls, done[1].spent.cached) == (
        5,
        5,
        4,
        4,
    )  # two pairs also in one order


def test_a_dry_run_of_a_pair_counts_each_call_once(tmp_path):
    both = run_of(tmp_path / "a", ["aa", "aaaa"]), run_of(tmp_path / "b", ["bbb", "bb"])
    with LlmServer(reply=served) as server:
        with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
            told = judge_pairs(*both, settings(server), session=session)[1].spent
        with ModelSession(tmp_path / "models.sqlite") as session:
            real = judge_pairs(*both, settings(server), session=session)[1].spent
    assert told.calls == real.calls == 4
    assert told.cost == pytest.approx(real.cost, rel=0.3)


def test_a_grade_off_the_scale_is_asked_for_again_and_then_named(tmp_path, session):
    run = run_of(tmp_path / "run", ["four", "much too long"])
    with LlmServer(reply=served) as server:
        done = judge(run, "rubric", settings(server, retries=1, **RUBRIC), session=session)
        # off the scale in three ways of asking for the shape, where it is not known yet which of them works
        assert server.count >= 1 + 2
    said = {v.item: (v.value, reason_of(v)) for v in run.verdicts()}
    assert said["0"] == (4, "so long")
    assert said["1"][0] is None
    assert re.fullmatch(r"unscored: .*grade 13 is not from 1 to 5.*", said["1"][1])
    assert done.unscored == (("1", 0),)


@pytest.mark.parametrize("share", [3, 1])
def test_of_malformed_replies_every_unscored_verdict_is_named(share, tmp_path, session):
    run = run_of(tmp_path / "run", ["long", "s", "long too", "longer", "x", "longest"])
    with LlmServer(reply=served, fail=lambda call: "malformed" if call.number % share == 0 else None) as server:
        done = judge(run, "valid", settings(server, retries=0), session=session)
        assert len(run.verdicts()) == 6
        lacking = {v.item for v in run.verdicts() if v.value is None}
        assert all(reason_of(v).startswith("unscored: ") for v in run.verdicts() if v.value is None)
        assert {item for item, _ in done.unscored} == lacking
        assert (share == 1) <= (len(lacking) == 6)
        server.fail = lambda call: None
        again = judge(run, "valid", settings(server, retries=0), session=session)
    assert again.unscored == ()
    assert {v.item: v.value for v in run.verdicts()} == {"0": 1, "1": 0, "2": 1, "3": 1, "4": 0, "5": 1}
