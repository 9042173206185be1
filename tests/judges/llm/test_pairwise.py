"""Preferred: two runs side by side in both orders, with a model that is a script."""

import asyncio
import threading

import pytest
from builders import make_run, make_scorable
from judges.scripted_model import Script, data_of, reason_of

from neraca.errors import BudgetReached, InputError, ModelError, SpecError
from neraca.judges.judge import judge, make_judge
from neraca.judges.llm.pairwise import PairwiseJudge, judge_pairs, judge_pairs_async
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item
from neraca.runs.preferred import is_of_one_order

ITEMS = [Item(id=str(n), query=f"Where is house {n}?", references=(f"In Medan {n}.",)) for n in range(3)]
MODEL = {"model": "test:script"}
NOT_THERE = "not applicable: the other run has no whole answer to it"


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def runs(tmp_path, mine, theirs, items=ITEMS):
    """Two runs; a text or an answer for each item."""
    folders = []
    for name, given in (("mine", mine), ("theirs", theirs)):
        answers = [
            Answer(item=item.id, text=one) if isinstance(one, str) else one
            for item, one in zip(items, given, strict=False)
            if one is not None
        ]
        folders.append(make_run(tmp_path / name, items, answers))
    return folders


def decisions(run):
    """The verdicts on both orders together."""
    return [verdict for verdict in run.verdicts() if not is_of_one_order(verdict.aspect)]


def longer(prompt, repeat):
    """Prefers the longer answer, wherever it stands."""
    data = data_of(prompt)
    difference = len(data["first"]) - len(data["second"])
    return {"reason": "it says more", "better": "first" if difference > 0 else "second" if difference < 0 else "even"}


def always(*words):
    return lambda prompt, repeat: {"reason": f"reason {repeat}", "better": words[repeat]}


def compared(tmp_path, session, mine, theirs, reply=longer, **settings):
    """item → (value, why) in the first run, and in the second, and the model."""
    both, script = runs(tmp_path, mine, theirs), Script(reply)
    judge_pairs(*both, PairwiseJudge({**MODEL, **settings}, chat=script), session=session)
    said = []
    for run, other in zip(both, ("theirs", "mine"), strict=True):
        verdicts = decisions(run)
        assert {(v.about, v.aspect) for v in verdicts} <= {("answer", f"preferred:{other}")}
        said.append({v.item: (v.value, reason_of(v)) for v in verdicts})
    return *said, script


def test_each_pair_is_shown_in_both_orders_and_kept_in_both_runs(tmp_path, session):
    mine, theirs, script = compared(
        tmp_path, session, ["long answer", "short", "same"], ["brief", "longer one", "same"]
    )
    assert mine == {
        "0": (1, "better in both orders; shown first: it says more"),
        "1": (0, "worse in both orders; shown first: it says more"),
        "2": (0.5, "even: the answers are equal"),
    }
    assert {item: value for item, (value, _) in theirs.items()} == {"0": 0, "1": 1, "2": 0.5}
    assert script.calls == 4
    shown = [(data["first"], data["second"]) for data in map(data_of, script.prompts) if "0" in data["question"]]
    assert sorted(shown) == [("brief", "long answer"), ("long answer", "brief")]


@pytest.mark.parametrize(
    "word, told",
    [
        ("first", "even: shown first it is better (reason 0), shown second worse (reason 0)"),
        ("second", "even: shown first it is worse (reason 0), shown second better (reason 0)"),
        ("even", "even in both orders; shown first: reason 0"),
    ],
)
def test_a_model_that_looks_at_the_place_alone_prefers_nobody(tmp_path, session, word, told):
    mine, theirs, _ = compared(tmp_path, session, ["a"], ["b"], always(word))
    assert mine == {"0": (0.5, told)}
    assert theirs["0"][0] == 0.5


def test_what_was_said_of_the_one_that_stood_first_is_kept_beside(tmp_path, session):
    both = runs(tmp_path, ["a"], ["b"])
    judge_pairs(*both, PairwiseJudge(MODEL, chat=Script(always("first"))), session=session)
    said = [{v.aspect: (v.value, v.why) for v in run.verdicts()} for run in both]
    assert said[0]["preferred_first:theirs"] == said[1]["preferred_first:mine"] == (1, "reason 0")
    assert said[0]["preferred:theirs"][0] == said[1]["preferred:mine"][0] == 0.5


def test_even_in_one_order_and_better_in_the_other_is_even(tmp_path, session):
    def wavers(prompt, repeat):
        return {"reason": "hm", "better": "first" if data_of(prompt)["first"] == "a" else "even"}

    mine, theirs, _ = compared(tmp_path, session, ["a"], ["b"], wavers)
    assert (mine["0"][0], theirs["0"][0]) == (0.5, 0.5)


def test_repeats_decide_in_each_order(tmp_path, session):
    def mostly(prompt, repeat):
        good = "first" if data_of(prompt)["first"] == "a" else "second"
        return {"reason": f"reason {repeat}", "better": good if repeat else "even"}

    mine, theirs, script = compared(tmp_path, session, ["a"], ["b"], mostly, repeats=3)
    assert mine["0"] == (1, "better in both orders; shown first: 2 of 3 say better (even better better): reason 1")
    assert theirs["0"][0] == 0
    assert sorted(script.repeats) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    "mine, theirs, value, why",
    [
        ("", "b", 0, "worse: the answer has no text"),
        ("a", " ", 1, "better: the other answer has no text"),
        ("a", Answer(item="0", text="half an", status="timeout"), 1, "better: the other answer has no text"),
        ("", "", None, "not applicable: neither answer has a text"),
        (" a", "a ", 0.5, "even: the answers are equal"),
        ("a", None, None, NOT_THERE),
        (
            "a",
            Answer(item="0", text="ha", status="suspect"),
            None,
            "not applicable: the other run has no whole answer to it",
        ),
        ("a", Answer(item="0", hits=(Hit(id="h"),)), 1, "better: the other answer has no text"),
    ],
)
def test_what_is_plain_needs_no_model(tmp_path, session, mine, theirs, value, why):
    found, _, script = compared(tmp_path, session, [mine, "x"], [theirs, "x"])
    assert found["0"] == (value, why)
    assert script.calls == 0


def test_a_failed_order_leaves_the_pair_unscored(tmp_path, session):
    for place in ("first", "second"):
        folder = tmp_path / place
        folder.mkdir()

        def fails(prompt, repeat, place=place):
            return ModelError("tired") if data_of(prompt)[place] == "a" else longer(prompt, repeat)

        mine, theirs, _ = compared(folder, session, ["a"], ["bb"], fails)
        assert mine == theirs == {"0": (None, "unscored: tired")}


def test_the_criterion_and_the_reference_are_shown_if_wanted(tmp_path, session):
    _, _, script = compared(tmp_path, session, ["a"], ["bb"], criterion="Shorter is better.", reference=True)
    assert script.prompts[0].system.endswith("\n\n`criterion`: Shorter is better.")
    assert data_of(script.prompts[0])["reference"] == ["In Medan 0."]
    folder = tmp_path / "plain"
    folder.mkdir()
    _, _, script = compared(folder, session, ["a"], ["bb"])
    assert "`criterion`: " not in script.prompts[0].system
    assert list(data_of(script.prompts[0])) == ["question", "first", "second"]


def test_without_a_reference_that_is_wanted_nothing_is_compared(tmp_path, session):
    item = Item(id="0", query="?")
    both = runs(tmp_path, ["a"], ["b"], [item])
    script = Script(longer)
    judge_pairs(*both, PairwiseJudge({**MODEL, "reference": True}, chat=script), session=session)
    assert [reason_of(v) for v in both[0].verdicts()] == ["not applicable: the item has no reference"]
    assert script.calls == 0


def test_trials_are_compared_one_by_one(tmp_path, session):
    both = []
    for name, texts in (("mine", ("aaa", "a")), ("theirs", ("bb", "bb"))):
        answers = [Answer(item="0", trial=trial, text=text) for trial, text in enumerate(texts)]
        both.append(make_run(tmp_path / name, ITEMS[:1], answers, trials=2))
    judge_pairs(*both, PairwiseJudge(MODEL, chat=Script(longer)), session=session)
    assert {v.trial: v.value for v in decisions(both[0])} == {0: 1, 1: 0}


def test_a_run_of_other_questions(tmp_path, session):
    one = make_run(tmp_path / "one", ITEMS[:2], [Answer(item="0", text="a"), Answer(item="1", text="a")])
    changed = [Item(id="0", query="Where is house 0?"), Item(id="1", query="Another question?")]
    two = make_run(tmp_path / "two", changed, [Answer(item="0", text="bb"), Answer(item="1", text="bb")])
    judge_pairs(one, two, PairwiseJudge(MODEL, chat=Script(longer)), session=session)
    assert {v.item: (v.value, reason_of(v)[:14]) for v in decisions(one)} == {
        "0": (0, "worse in both "),
        "1": (None, "not applicable"),
    }
    three = make_run(tmp_path / "three", changed[1:], [Answer(item="1", text="bb")])
    with pytest.raises(InputError, match=r"three: it has none of the questions of the run that it is compared with"):
        judge_pairs(one, three, PairwiseJudge(MODEL, chat=Script(longer)), session=session)


def test_two_runs_of_one_name(tmp_path, session):
    (tmp_path / "old").mkdir()
    one, _ = runs(tmp_path, ["a"], ["b"])
    other, _ = runs(tmp_path / "old", ["a"], ["b"])
    for second in (one, other.path):
        with pytest.raises(SpecError, match="have the same name"):
            judge_pairs(one, second, MODEL, session=session)


def test_comparing_with_a_third_run_withdraws_nothing(tmp_path, session):
    one, two = runs(tmp_path, ["a"], ["bb"])
    three = make_run(tmp_path / "three", ITEMS, [Answer(item="0", text="")])
    for other in (two, three):
        judge_pairs(one, other, PairwiseJudge(MODEL, chat=Script(longer)), session=session)
    assert {v.aspect: v.value for v in decisions(one)} == {"preferred:theirs": 0, "preferred:three": 1}
    assert not any(v.status == "withdrawn" for v in one.verdicts())


def test_as_a_judge_of_a_study_it_names_the_other_run(tmp_path, session):
    one, two = runs(tmp_path, ["aaa"], ["bb"])
    done = judge(one, PairwiseJudge({**MODEL, "over": str(two.path)}, chat=Script(longer)), session=session)
    assert (done.new, [(v.aspect, v.value) for v in one.verdicts()]) == (
        2,
        [("preferred:theirs", 1), ("preferred_first:theirs", 1)],
    )
    assert not two.verdicts()
    with pytest.raises(SpecError, match="judge pairwise needs two runs; name the other one"):
        judge(one, make_judge("pairwise", MODEL), session=session)


def test_the_budget_stops_it_and_the_next_call_goes_on(tmp_path, session):
    both = runs(tmp_path, ["aaa", "a", "aaa"], ["bb", "bb", "b"])
    script = Script(longer, budget=3)
    with pytest.raises(BudgetReached):
        judge_pairs(*both, PairwiseJudge(MODEL, chat=script), session=session)
    assert len(decisions(both[0])) < 3
    script.budget = None
    judge_pairs(*both, PairwiseJudge(MODEL, chat=script), session=session)
    assert script.calls == 6
    assert [{v.item: v.value for v in decisions(run)} for run in both] == [
        {"0": 1, "1": 0, "2": 1},
        {"0": 0, "1": 1, "2": 0},
    ]


def test_the_metric_reads_it(tmp_path, session):
    one, _ = both = runs(tmp_path, ["aaa", "a", "aaa"], ["bb", "bb", "b"])
    judge_pairs(*both, PairwiseJudge(MODEL, chat=Script(longer)), session=session)
    batch = make_scorable([(item, one.answers()[item.id, 0]) for item in ITEMS], one.verdicts())
    assert [row[0] for row in score_metric(Metric.of("Preferred(theirs)"), batch).rows] == [1, 0, 1]


class HeldScript(Script):
    """A scripted model that replies after `may_reply` is set."""

    def __init__(self):
        super().__init__(longer)
        self.called, self.may_reply = threading.Event(), threading.Event()

    async def ask(self, prompt, repeat=0):
        self.called.set()
        while not self.may_reply.is_set():
            await asyncio.sleep(0.01)
        return await super().ask(prompt, repeat)


async def until(event):
    while not event.is_set():
        await asyncio.sleep(0.01)


async def test_an_event_loop_goes_on_while_pairs_are_judged(tmp_path, session):
    both, script = runs(tmp_path, ["long text"] * 3, ["text"] * 3), HeldScript()
    work = asyncio.create_task(judge_pairs_async(*both, PairwiseJudge(MODEL, chat=script), session=session))
    await until(script.called)
    script.may_reply.set()  # a blocked loop would never come here
    first, second = await work
    assert (first.new, second.new) == (6, 6), "three questions: both orders together, and this answer first"
    assert [[verdict.value for verdict in decisions(run)] for run in both] == [[1, 1, 1], [0, 0, 0]]


async def test_cancelled_judging_of_pairs_can_be_repeated(tmp_path, session):
    both, script = runs(tmp_path, ["long text"] * 3, ["text"] * 3), HeldScript()
    work = asyncio.create_task(judge_pairs_async(*both, PairwiseJudge(MODEL, chat=script), session=session))
    await until(script.called)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert [decisions(run) for run in both] == [[], []]
    script.may_reply.set()
    await judge_pairs_async(*both, PairwiseJudge(MODEL, chat=script), session=session)
    assert [[verdict.value for verdict in decisions(run)] for run in both] == [[1, 1, 1], [0, 0, 0]]
