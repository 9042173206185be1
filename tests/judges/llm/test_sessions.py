"""Judges of whole conversations: a scripted model on loopback finds every planted break, and none elsewhere."""

from collections import Counter

import pytest
from builders import make_run
from judges.conversations import KINDS, PLACES, ROLE, conversation, planted, reply_about, turns
from judges.scripted_model import Script, data_of, reason_of
from models.llm_server import LlmServer
from msgspec.structs import replace

import neraca
from neraca.errors import ModelError, SpecError
from neraca.judges.judge import judge, make_judge
from neraca.judges.judge_set import Member
from neraca.judges.llm.sessions import ConsistentJudge, RemembersJudge, ResolvesJudge, StaysJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item, Verdict
from neraca.scores.judge_parquet import judge_parquet
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.jury import jury

SETTINGS = {"remembers": {}, "consistent": {}, "stays": {"role": ROLE}, "resolves": {}}
TURNED = {"remembers": RemembersJudge, "consistent": ConsistentJudge, "stays": StaysJudge}


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def reply(prompt, repeat):
    return reply_about(prompt.system, prompt.user, prompt.kind.__struct_fields__)


def judged(kind, pairs, session, script=None, **settings):
    script = script or Script(reply)
    return list(kind({"model": "test:script", **settings}, chat=script).judge(pairs, session)), script


def pairs_of(*conversations):
    return [pair for items, answers in conversations for pair in zip(items, answers, strict=True)]


def values(verdicts):
    return {(v.item, v.about): v.value for v in verdicts}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Five good conversations, and twenty with a break of one kind, judged by all four judges over loopback."""
    folder = tmp_path_factory.mktemp("conversations")
    made = [conversation(f"{place}-good", turns(place), PLACES[place][-1]) for place in PLACES]
    made += [
        conversation(f"{place}-{kind}", turns(place, kind), PLACES[place][-1]) for place in PLACES for kind in KINDS
    ]
    items, answers = ([record for part in made for record in part[side]] for side in (0, 1))
    run = make_run(folder / "run", items, answers)
    with LlmServer(reply=lambda call: reply_about(call.system, call.user, call.schema["properties"])) as server:
        for name, settings in SETTINGS.items():
            model = {"model": "openai:judge", "url": server.url, "key": "k", "price": [1, 10], **settings}
            with ModelSession(folder / "models.sqlite") as session:
                judge(run, name, model, session=session)
        calls = server.count
    return run, calls


def test_every_planted_break_is_found_at_its_turn_and_none_elsewhere(run):
    found = {}
    for verdict in run[0].verdicts():
        name, place = verdict.item.rpartition("-")[0], verdict.about
        assert place == "session" or place.startswith("turn:")
        if verdict.value == 0:
            found.setdefault((name, verdict.aspect), set()).add(place)
    broken = {
        (f"{place}-{kind}", kind): {"session"} | {f"turn:{n}" for n in planted(place, kind) if kind != "resolves"}
        for place in PLACES
        for kind in KINDS
    }
    assert len(broken) == 20
    assert found == broken


def test_a_conversation_takes_one_call_and_its_verdicts_stand_on_its_last_answer(run):
    assert run[1] == 4 * 25
    verdicts = list(run[0].verdicts())
    assert {verdict.item.rpartition("-")[2] for verdict in verdicts} == {"5"}
    assert Counter(v.aspect for v in verdicts if v.about == "session") == dict.fromkeys(KINDS, 25)
    assert Counter(v.aspect for v in verdicts if v.about != "session") == {
        "remembers": 100,
        "consistent": 100,
        "stays": 125,
    }


def test_the_metrics_read_them(run):
    names = ["KnowledgeRetention", "Consistency", "RoleAdherence", "SessionGoalReached"]
    scores = neraca.score(run[0])
    assert set(names) <= set(map(str, scores.metrics)), "they are scored by default"
    assert [scores.mean(name) for name in names] == pytest.approx([20 / 25] * 4)
    shared = neraca.score(run[0], ["KnowledgeRetention(share=true)", "RoleAdherence(share=true)"])
    # five conversations keep to it in three of four turns; of the role, in four of five
    assert [shared.mean(metric) for metric in shared.metrics] == pytest.approx([1 - 5 / 25 / 4, 1 - 5 / 25 / 5])


def test_the_reason_names_the_broken_turn(session):
    (first, *_), _ = judged(StaysJudge, pairs_of(conversation("a", turns("library", "stays"))), session, role=ROLE)
    assert (first.about, first.value, first.why) == ("session", 0, "turn 2: it breaks")
    (first, *_), _ = judged(RemembersJudge, pairs_of(conversation("a", turns("gym"))), session)
    assert (first.value, first.why) == (1, "all of 4 answers")


@pytest.mark.parametrize("name", TURNED)
def test_order_and_names_of_sessions_change_nothing(session, name):
    made = [conversation(f"s{n}", turns(place, name)) for n, place in enumerate(PLACES)]
    names = {item.id: item.id.replace("s", "z9 ") for items, _ in made for item in items}
    renamed = [
        (
            [replace(item, id=names[item.id], session=item.session.replace("s", "z9 ")) for item in items],
            [replace(answer, item=names[answer.item]) for answer in answers],
        )
        for items, answers in made
    ]
    settings = SETTINGS[name]
    first, _ = judged(TURNED[name], pairs_of(*made), session, **settings)
    second, _ = judged(TURNED[name], pairs_of(*reversed(renamed)), session, **settings)
    assert {(names[item], about): value for (item, about), value in values(first).items()} == values(second)
    mixed = sorted(pairs_of(*made), key=lambda pair: pair[0].id.rpartition("-")[2])  # sessions in turns
    assert values(judged(TURNED[name], mixed, session, **settings)[0]) == values(first)


@pytest.mark.parametrize("kind", [RemembersJudge, ConsistentJudge])
@pytest.mark.parametrize("named", ["a", None])
def test_one_turn_has_nothing_to_keep_to(session, kind, named):
    pair = Item(id="1", query="I am a student.", session=named), Answer(item="1", text="Are you?")
    (verdict,), script = judged(kind, [pair], session)
    assert (verdict.about, reason_of(verdict)) == ("session", "not applicable: the conversation has one turn")
    assert script.calls == 0


def test_a_question_without_a_session_is_a_conversation_by_itself(session):
    pairs = [(Item(id=n, query="?"), Answer(item=n, text="Let us talk of the election.")) for n in "12"]
    verdicts, script = judged(StaysJudge, pairs, session, role=ROLE)
    assert values(verdicts) == {(n, about): 0 for n in "12" for about in ("session", "turn:1")}
    assert script.calls == 2


def test_trials_are_conversations_of_their_own(session):
    items, answers = conversation("a", turns("hotel", "stays"))
    _, good = conversation("a", turns("hotel"))
    pairs = [*zip(items, answers, strict=True), *((i, replace(a, trial=1)) for i, a in zip(items, good, strict=True))]
    verdicts, _ = judged(StaysJudge, pairs, session, role=ROLE)
    assert {(v.trial, v.value) for v in verdicts if v.about == "session"} == {(0, 0), (1, 1)}


@pytest.mark.parametrize(
    "status, hits, value, why",
    [
        ("timeout", (), 0, "no turn has an answer"),
        ("complete", (), 0, "no turn has an answer"),
        ("complete", (Hit(id="a", text="x"),), None, "not applicable: no answer to it has text"),
    ],
)
def test_a_session_without_answers(session, status, hits, value, why):
    pairs = [(Item(id=n, query="?", session="a"), Answer(item=n, status=status, hits=hits)) for n in "12"]
    (verdict,), script = judged(ResolvesJudge, pairs, session)
    assert (verdict.item, verdict.value, reason_of(verdict), script.calls) == ("2", value, why, 0)
    (verdict,), script = judged(StaysJudge, pairs, session, role=ROLE)
    assert (reason_of(verdict), script.calls) == ("not applicable: no answer to it has text", 0)


def test_a_failed_turn_is_shown_and_not_decided_on(session):
    items, answers = conversation("a", turns("hotel"))
    answers[2] = Answer(item=items[2].id, status="error", text="half an ans")
    verdicts, script = judged(StaysJudge, pairs_of((items, answers)), session, role=ROLE)
    assert data_of(script.prompts[0])["conversation"][2]["answer"] == ""
    assert {v.about for v in verdicts} == {"session", "turn:1", "turn:2", "turn:4", "turn:5"}


def test_a_doubtful_turn_leaves_the_session_open(session):
    items, answers = conversation("a", turns("hotel"))
    answers[1] = replace(answers[1], status="suspect")
    (verdict,), script = judged(RemembersJudge, pairs_of((items, answers)), session)
    assert reason_of(verdict) == "missing: turn 2: suspect: the answer may not be whole"
    assert script.calls == 0


def test_a_long_conversation_takes_several_calls_that_see_all_of_it(session):
    rows = [["I am a cook.", "Yes."]] + [["?", "Yes."]] * 58 + [["?", "And what are you?"]]
    verdicts, script = judged(RemembersJudge, pairs_of(conversation("a", rows)), session)
    assert [len(data_of(prompt)["judge"]) for prompt in script.prompts] == [30, 29]
    assert {len(data_of(prompt)["conversation"]) for prompt in script.prompts} == {60}
    assert [v.about for v in verdicts if v.value == 0] == ["session", "turn:60"]


def test_a_goal_in_the_questions_is_told_once(session):
    items, answers = conversation("a", turns("hotel"), goal="the price and the hours")
    _, script = judged(ResolvesJudge, pairs_of((items, answers)), session)
    assert data_of(script.prompts[0])["goal"] == "the price and the hours"
    assert "goal" not in data_of(
        judged(ResolvesJudge, pairs_of(conversation("b", turns("gym"))), session)[1].prompts[0]
    )


def test_a_judge_that_fails_leaves_the_session_undecided(session):
    script = Script(lambda prompt, repeat: ModelError("no usable reply"))
    (verdict,), _ = judged(ResolvesJudge, pairs_of(conversation("a", turns("hotel"))), session, script)
    assert (verdict.about, verdict.status, verdict.why) == ("session", "unscored", "no usable reply")


def test_the_role_is_needed_and_part_of_the_judge():
    with pytest.raises(SpecError, match="judge stays needs a role"):
        make_judge("stays", {"model": "a:b"})
    names = {make_judge("stays", {"model": "a:b", "role": role}).by for role in ("a cook", "a nurse")}
    assert len(names) == 2


def test_undecided_conversations_are_asked_again_whole_and_hold_while_nothing_changes(tmp_path):
    items, answers = conversation("a", turns("hotel", "remembers"))
    run = make_run(tmp_path / "run", items, answers)
    failing = [True]

    def flaky(prompt, repeat):
        return ModelError("no usable reply") if failing[0] else reply(prompt, repeat)

    script = Script(flaky)
    remembers = RemembersJudge({"model": "test:script"}, chat=script)
    with ModelSession(tmp_path / "models.sqlite") as session:
        assert judge(run, remembers, session=session).unscored == ((items[-1].id, 0),)
        failing[0], session.retry_undecided = False, True
        judge(run, remembers, session=session)
    assert len(data_of(script.prompts[-1])["conversation"]) == 5
    assert values(current_verdicts(run))[items[-1].id, "session"] == 0
    with run.writing():
        run.answers_journal.append(replace(answers[0], text="An earlier answer changed."))
    assert list(current_verdicts(run)) == []


def test_rows_of_a_table_have_no_conversations(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session, pytest.raises(SpecError, match="judges whole conv"):
        judge_parquet(tmp_path / "a.parquet", [Member.of("resolves", {"model": "a:b"})], tmp_path / "out", session)


def test_a_jury_decides_on_a_conversation():
    verdicts = [
        Verdict(item="1", about=about, aspect="resolves", by=f"llm:{name}", value=1, of=of)
        for name in "ab"
        for about, of in (("session", "conversation"), ("answer", "answer"))
    ]
    decided = {(v.about, v.value, v.of) for v in jury(verdicts)}
    assert decided == {("session", 1, "conversation"), ("answer", 1, "answer")}
