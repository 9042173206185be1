"""The verb that lets a judge decide on a run: what is kept, what is counted, what is withdrawn."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import make_answer, make_run
from judges.scripted_model import Letters, Script, reply_to

from neraca.errors import BudgetReached, ModelError, SpecError
from neraca.judges.judge import JUDGES, judge, make_judge
from neraca.judges.llm.claims import ClaimsJudge
from neraca.judges.similarity import SimilarityJudge
from neraca.models.cache import CallRecord
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.runs.run import Run
from neraca.scores.score import score

ITEMS = [Item(id=str(n), query=f"q{n}?", references=(f"Fact {n}.",)) for n in range(4)]
ANSWERS = [Answer(item=str(n), text=f"Fact {n}.", hits=(Hit(id="h", text=f"fact {n}"),)) for n in range(4)]


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", ITEMS, ANSWERS)


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def claims(reply=None, **more):
    script = Script(reply, **more) if reply else Script(**more)
    return ClaimsJudge({"model": "test:script", "embed": "none"}, chat=script)


def lines(run):
    return len((run.path / "verdicts.jsonl").read_bytes().splitlines())


def test_verdicts_are_kept_under_the_hash_of_their_answer_and_written_once(run, session):
    first, second = judge(run, claims(), session=session), judge(run.path, claims(), session=session)
    assert (first.new, second.new, lines(run)) == (4 * 13, 0, 4 * 13)
    assert first.unscored == ()
    assert len({verdict.of for verdict in run.verdicts()}) == 4
    assert "" not in {verdict.of for verdict in run.verdicts()}


def test_a_judge_without_a_model_opens_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    item = Item(id="1", query="?", constraints={"floors": Constraint(exact=2)})
    run = make_run(tmp_path / "run", [item], [make_answer("a b")])
    done = judge(run, "rules")
    assert (done.new, done.unscored, done.spent.calls, done.spent.cost) == (2, (), 0, 0.0)
    assert not (tmp_path / "cache").exists()


def test_ctrl_c_while_a_verdict_is_written_ends_the_judge_at_once(run, session, monkeypatch):
    """Although the trace, which is held here, still holds what was to be written."""
    ended = []

    class Slow:
        by = "test"

        def judge(self, pairs, session):
            try:
                for item, _ in pairs:
                    yield Verdict(item=item.id, about="answer", aspect="x", by=self.by, value=1.0)
            finally:
                ended.append(True)

    def interrupted(verdicts, earlier):
        next(verdicts)
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "add_verdicts", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        judge(run, Slow(), session=session)
    assert ended == [True]
    assert caught.tb is not None


def test_unscored_answers_are_named(run, session):
    def fails(prompt, repeat):
        return ModelError("down") if "Fact 2" in prompt.user and "r1" not in prompt.user else reply_to(prompt)

    done = judge(run, claims(fails), session=session)
    assert {item for item, _ in done.unscored} == {"0", "1", "2", "3"}  # one call holds all references

    def fails_once(prompt, repeat):
        answer = prompt.kind.__name__ == "AnswerReply" and "Fact 2" in prompt.user
        return ModelError("down") if answer else reply_to(prompt)

    done = judge(run, claims(fails_once), session=session)
    assert done.unscored == (("2", 0),)


def test_a_dry_run_writes_nothing_and_needs_no_lock(run, tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session, run.writing():
        done = judge(run, claims(), session=session)
    assert (done.new, lines(run)) == (0, 0)


def test_the_budget_keeps_what_is_finished_and_the_next_call_goes_on(run, session):
    script = Script(budget=6)  # one for the references, then two for an answer
    with pytest.raises(BudgetReached):
        judge(run, ClaimsJudge({"model": "test:script", "embed": "none"}, chat=script), session=session)
    kept = {verdict.item for verdict in run.verdicts()}
    assert len(kept) == 1
    script.budget = None
    done = judge(run, ClaimsJudge({"model": "test:script", "embed": "none"}, chat=script), session=session)
    assert done.new == 3 * 13
    assert script.calls == 1 + 2 * 4


def test_what_a_judge_no_longer_says_is_withdrawn(run, session):
    """The second judging finds no claim in the answer to 0; people's words and other judges' stay."""
    judge(run, claims(), session=session)
    others = [
        Verdict(item="0", about="claim:1", aspect="supported", by=by, value=0) for by in ("human:Ana", "llm:other#1")
    ]
    with run.writing():
        run.add_verdicts(others)

    def forgets(prompt, repeat):
        said = reply_to(prompt)
        return said | {"claims": []} if "Fact 0" in prompt.user and "questions" in said else said

    done = judge(run, claims(forgets), session=session)
    mine = {(v.about, v.aspect): v for v in run.verdicts() if v.item == "0" and v.by == claims().by}
    gone = {place for place, v in mine.items() if v.status == "withdrawn"}
    assert gone == {("claim:1", aspect) for aspect in ("claim", "supported", "hit:h", "correct")}
    assert all(mine[place].value is None for place in gone)
    assert mine["answer", "claims"].value == 0
    assert {v.value for v in run.verdicts() if v.by in ("human:Ana", "llm:other#1")} == {0}
    assert done.new == 4 + 2  # withdrawn; the number of claims and that of the reference is not stated
    assert judge(run, claims(forgets), session=session).new == 0
    assert judge(run, claims(), session=session).new == 4 + 2


def test_nothing_is_withdrawn_of_answers_that_were_not_reached(run, session):
    judge(run, claims(), session=session)
    with pytest.raises(BudgetReached):
        judge(run, claims(budget=0), session=session)
    assert not any(v.status == "withdrawn" for v in run.verdicts())


def test_a_judge_of_no_name(run):
    with pytest.raises(SpecError, match=r"a judge needs a name, one of: .*claims.*offline.*rules.*similarity"):
        judge(run, "")


def test_the_questions_of_two_judges_and_of_other_embeddings_stand_side_by_side(run, session):
    """Each judge's AnswerRelevance is the same, whoever judged after it with the same embeddings.

    The question q0? has no letter in common with What is Fact 0.?, and no other than Q?.
    """
    settings = {"model": "test:script", "embed": "letters"}

    def asks(prompt, repeat):
        kind = prompt.kind.__name__
        return reply_to(prompt) if kind in ("AnswerReply", "ReferencesReply", "MatrixReply") else ModelError("down")

    def asks_q(prompt, repeat):
        found = asks(prompt, repeat)
        return {**found, "questions": ["Q?", "Q!", "Q."]} if prompt.kind.__name__ == "AnswerReply" else found

    one = ClaimsJudge(settings, chat=Script(asks), embedder=Letters())
    other = ClaimsJudge(settings | {"model": "test:other"}, chat=Script(asks_q), embedder=Letters())
    judge(run, one, session=session)
    alone = {v for v in run.verdicts() if v.aspect == "question"}
    judge(run, other, session=session)
    judge(run, SimilarityJudge({"embed": "letters"}, embedder=Letters()), session=session)
    assert {v.by for v in run.verdicts() if v.aspect == "similarity"} == {"embed:letters"}
    questions = [v for v in run.verdicts() if v.aspect == "question"]
    assert alone < set(questions)
    assert len(questions) == 2 * len(alone) == 2 * 3 * 4
    for by, expected in (("llm:test:script", 0), ("llm:test:other", 1)):
        (found,) = score([run], f"AnswerRelevance(by={by})").overall()
        assert (found.n, found.value) == (4, pytest.approx(expected))


class Plain:
    by = "rules:plain"

    def judge(self, pairs, session):
        for item, _ in pairs:
            yield Verdict(item=item.id, about="answer", aspect="plain", by=self.by, value=True)


class WithKeywords(Plain):
    def __init__(self, words, *, least=2):
        self.by = f"rules:{words}:{least}"


class WithTable(Plain):
    def __init__(self, settings):
        self.by = f"rules:{sorted(settings)}"


class Silent:
    by = "rules:silent"


@pytest.fixture
def own(monkeypatch):
    for name, kind in (("plain", Plain), ("keywords", WithKeywords), ("table", WithTable), ("silent", Silent)):
        monkeypatch.setitem(JUDGES._objects, name, kind)


def test_a_judge_of_ones_own_gets_its_settings_as_keywords_or_as_a_table(own, run):
    assert judge(run, "plain").new == judge(run, Plain()).new + 4 == 4
    assert [verdict.value for verdict in run.verdicts()] == [1.0] * 4  # True is 1
    assert make_judge("keywords", {"words": 3}).by == "rules:3:2"
    assert make_judge("keywords", {"words": 3, "least": 1}).by == "rules:3:1"
    assert make_judge("table", {"anything": 3}).by == "rules:['anything']"


@pytest.mark.parametrize(
    "name, settings, message",
    [
        ("plain", {"words": 3}, "judge plain: no setting 'words'; it takes none"),
        ("keywords", {"word": 3}, "judge keywords: no setting 'word'; did you mean words?"),
        ("keywords", {}, "judge keywords: the setting 'words' is missing"),
        ("silent", {}, "judge silent: Silent has no 'judge'; it needs by, judge"),
    ],
)
def test_wrong_settings_of_ones_own_judge_are_named(own, name, settings, message):
    with pytest.raises(SpecError) as error:
        make_judge(name, settings)
    assert str(error.value).startswith(message)


class Priced:
    """A judge whose calls cost a dollar each."""

    by = "llm:test:priced#123456"

    def __init__(self, cost=1.0, ends=False):
        self.cost, self.ends = cost, ends

    def judge(self, pairs, session):
        for _, answer in pairs:
            session.count(Spent(calls=1, cost=self.cost))
            yield Verdict(item=answer.item, about="answer", aspect="good", by=self.by, value=1)
            if self.ends:
                raise BudgetReached("spent")


def test_the_run_keeps_what_its_judges_cost_also_after_an_error(run, session):
    with pytest.raises(BudgetReached):
        judge(run, Priced(ends=True), session=session)
    assert Run(run.path).manifest.judging == {Priced.by: 1.0}


def test_the_cost_of_a_judge_adds_up_and_stays_unknown_once_it_is(run, session):
    judge(run, Priced(), session=session)
    assert Run(run.path).manifest.judging == {Priced.by: 4.0}
    judge(run, Priced(0.5), session=session)
    assert Run(run.path).manifest.judging == {Priced.by: 6.0}
    judge(run, Priced(None), session=session)
    judge(run, Priced(), session=session)
    assert Run(run.path).manifest.judging == {Priced.by: None}


def test_a_cost_from_before_costs_were_kept_is_not_known(run, session):
    with run.writing():
        run.add_verdicts([Verdict(item="1", about="answer", aspect="good", by=Priced.by, value=1)])
    judge(run, Priced(), session=session)
    assert Run(run.path).manifest.judging == {Priced.by: None}


class Paying(Priced):
    """A judge whose calls cost a dollar each and are logged; it may die after them, as after a kill."""

    def __init__(self, calls, dies=False):
        self.calls, self.dies = calls, dies

    def judge(self, pairs, session):
        for number in range(self.calls):
            session.settle(f"{session.run} {number}".encode(), CallRecord(cost=1.0), None)
            yield Verdict(item=pairs[0][1].item, about="answer", aspect=f"good{number}", by=self.by, value=1)
        if self.dies:
            os._exit(9)


DYING = """
import sys
from pathlib import Path
from judges.test_judge import Paying
from neraca.judges.judge import judge
from neraca.models.model_session import ModelSession
judge(sys.argv[1], Paying(int(sys.argv[3]), dies=True), session=ModelSession(Path(sys.argv[2])))
"""


def killed(run, cache, calls):
    command = [sys.executable, "-c", DYING, str(run.path), str(cache), str(calls)]
    assert subprocess.run(command, cwd=Path(__file__).parents[1], check=False).returncode == 9


def test_calls_of_killed_processes_count_once_at_the_next_start(run, session, tmp_path):
    killed(run, tmp_path / "models.sqlite", 3)
    killed(run, tmp_path / "models.sqlite", 2)
    assert Run(run.path).manifest.judging == {Priced.by: 3.0}, "the second start found the calls of the first"
    for expected in (9.0, 13.0):  # 3 + 2 + 4, and 4 more
        judge(run, Paying(4), session=session)
        assert Run(run.path).manifest.judging == {Priced.by: expected}
    shutil.copytree(run.path, tmp_path / "copy")
    judge(Run(tmp_path / "copy"), Paying(1), session=session)
    assert Run(tmp_path / "copy").manifest.judging == {Priced.by: 14.0}, "a copy begins with the cost of its original"
