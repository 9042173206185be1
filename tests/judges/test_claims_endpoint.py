"""The two-call judge against a real endpoint on loopback: calls, tokens, failures, a second system, a budget."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from builders import make_run
from judges.scripted_model import kind_of, reason_of, reply_to
from models.llm_server import LlmServer
from msgspec.structs import replace

from neraca.errors import BudgetReached, NothingUsable
from neraca.judges.judge import judge
from neraca.judges.llm.prompt import LANGUAGES
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item

WORDS = re.findall(
    r"\w+",
    """the flat near a market has two small rooms and one kitchen where people cook on gas while rain falls against
windows that were mended last winter by neighbours who lived there before moving toward another street because prices
kept rising every year""",
)


def text(chance, count):
    """Prose of so many words, in sentences of twelve; a word has as many letters as in English prose, about five."""
    words = [chance.choice(WORDS) for _ in range(count)]
    return " ".join(" ".join(words[at : at + 12]).capitalize() + "." for at in range(0, count, 12))


def sample(count, system="one"):
    """Questions with a reference of 40 words, answers of 60, and five contexts of 120 words each."""
    chance = random.Random(system)
    of_all = random.Random("data set")
    items = [Item(id=str(n), query=text(of_all, 12), references=(text(of_all, 40),)) for n in range(count)]
    hits = [tuple(Hit(id=f"h{n}", text=text(chance, 120)) for n in range(5)) for _ in items]
    return items, [
        Answer(item=one.id, text=text(chance, 60), hits=found) for one, found in zip(items, hits, strict=True)
    ]


def reply(call):
    kind = kind_of(call.schema)
    return reply_to(SimpleNamespace(system=call.system, user=call.user, kind=SimpleNamespace(__name__=kind)))


CHILD = """
import sys
from pathlib import Path
from neraca.judges.judge import judge
from neraca.models.model_session import ModelSession
run, cache, url = sys.argv[1:]
settings = {"model": "openai:judge", "url": url, "key": "k", "price": [1.0, 10.0], "embed": "none"}
with ModelSession(Path(cache), concurrency=8) as session:
    judge(run, "claims", settings, session=session)
"""


def judged(server, run, session, **settings):
    table = {"model": "openai:judge", "url": server.url, "key": "k", "price": [1.0, 10.0], "embed": "none", **settings}
    return judge(run, "claims", table, session=session)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sample_costs_two_calls_and_a_tenth_and_2600_tokens(tmp_path, language):
    items, answers = sample(20)
    items = [replace(item, tags={"language": language}) for item in items]
    run = make_run(tmp_path / "run", items, answers)
    with LlmServer(reply=reply) as server, ModelSession(tmp_path / "models.sqlite") as session:
        done = judged(server, run, session)
    assert done.spent.calls == server.count == 42
    assert server.prompt_tokens / 20 <= 2600
    assert done.spent.input_tokens == server.prompt_tokens
    assert done.unscored == ()
    assert not any(word in json.dumps(call.schema) for call in server.calls for word in ("title", "description"))


def test_a_second_system_pays_for_no_reference_and_the_same_one_for_nothing(tmp_path):
    one, two = (make_run(tmp_path / name, *sample(12, name)) for name in ("one", "two"))
    with LlmServer(reply=reply) as server, ModelSession(tmp_path / "models.sqlite") as session:
        judged(server, one, session)
        before = server.count
        judged(server, two, session)
        again = judged(server, two, session)
        asked = [name for call in server.calls[before:] for name in call.schema["properties"]]
    assert before == 2 + 24
    assert server.count == before + 24
    assert "q1" not in asked
    assert again.new == 0


def places(run):
    return {(v.item, v.about, v.aspect) for v in run.verdicts() if not v.aspect.startswith("hit:")}


@pytest.mark.parametrize("share, retries", [(0.1, 4), (0.3, 0)])
def test_of_malformed_replies_every_unscored_verdict_is_named(tmp_path, share, retries):
    """Whatever fails, each answer has its counts, and each claim that was found all of its verdicts."""
    chance = random.Random(7)
    items, answers = sample(20)
    run = make_run(tmp_path / "run", items, answers)
    with (
        LlmServer(reply=reply, fail=lambda call: "malformed" if chance.random() < share else None) as server,
        ModelSession(tmp_path / "models.sqlite", wait=0.001) as session,
    ):
        done = judged(server, run, session, retries=retries)
    found = {(v.item, v.about, v.aspect): v for v in run.verdicts()}
    for item in items:
        assert {(item.id, "answer", name) for name in ("claims", "reference_claims", "contexts", "declines")} <= set(
            found
        )
        assert {(item.id, f"hit:h{n}", "useful") for n in range(5)} <= set(found)
        for kind, other in (("claim", "correct"), ("reference", "stated")):
            count = found[item.id, "answer", {"claim": "claims"}.get(kind, "reference_claims")].value or 0
            assert {
                (item.id, f"{kind}:{n}", aspect) for n in range(1, int(count) + 1) for aspect in ("supported", other)
            } <= set(found)
    nameless = [v for v in found.values() if v.value is None and not reason_of(v).startswith("unscored: ")]
    assert nameless == []
    lacking = {v.item for v in found.values() if v.value is None}
    assert {item for item, _ in done.unscored} == lacking
    assert bool(lacking) == (retries < 4)


def test_a_server_that_always_talks_nonsense_is_asked_some_ten_times_and_its_words_are_shown(tmp_path):
    """59 calls were announced for such a run, and 885 were made."""
    items, answers = sample(28)
    run = make_run(tmp_path / "run", items, answers)
    with (
        LlmServer(reply=lambda call: "I do not know {") as server,
        ModelSession(tmp_path / "models.sqlite", wait=0.001, concurrency=8) as session,
        pytest.raises(NothingUsable, match=r"I do not know \{"),
    ):
        judged(server, run, session)
    assert 10 <= server.count <= 10 + 8
    assert session.spent.wasted == server.count
    assert session.spent.refused == 0


def test_what_failed_is_asked_again_the_next_time(tmp_path):
    items, answers = sample(10)
    bad, good = (make_run(tmp_path / name, items, answers) for name in ("bad", "good"))
    with LlmServer(reply=reply) as server, ModelSession(tmp_path / "models.sqlite", wait=0.001) as session:
        server.fail = lambda call: "malformed" if call.number % 3 == 2 else None
        assert judged(server, bad, session, retries=0).unscored
        server.fail = lambda call: None
        assert judged(server, bad, session, retries=0).unscored == ()
    with LlmServer(reply=reply) as server, ModelSession(tmp_path / "other.sqlite") as session:
        judged(server, good, session)
    said = [
        {(v.item, v.about, v.aspect): v.value for v in run.verdicts() if v.value is not None} for run in (bad, good)
    ]
    assert said[0] == said[1]


SECOND = sample(2)[0][1].query


def evasive(call):
    """Name a context that was not shown, where the question is the second: such a reply is not believed."""
    replied = reply(call)
    for key, row in replied.items():
        if SECOND in call.user and key[0] in "cr" and "stated" in row:
            row["supported_by"] = ["x99"]
    return replied


def test_what_no_reply_made_clear_is_asked_again_by_the_next_start_and_the_rest_is_not(tmp_path):
    run = make_run(tmp_path / "run", *sample(3))
    cache = tmp_path / "models.sqlite"
    with LlmServer(reply=evasive) as server:
        with ModelSession(cache) as session:
            assert {item for item, _ in judged(server, run, session).unscored} == {"1"}
        lacking = len({v.about for v in run.verdicts() if v.value is None})
        # Two calls an answer and one for the references; one more in vain, and one for each statement that is missing.
        assert server.count == 1 + 2 * 3 + 1 + lacking
        before = server.count
        with ModelSession(cache) as session:
            assert {item for item, _ in judged(server, run, session).unscored} == {"1"}
        assert server.count - before == lacking
        server.reply = reply
        with ModelSession(cache) as session:
            done = judged(server, run, session)
        assert (done.unscored, done.spent.calls) == ((), lacking)
        before = server.count
        with ModelSession(cache) as session:
            assert judged(server, run, session).new == 0
        assert server.count == before


def test_retried_an_undecided_answer_is_judged_by_new_replies_alone_and_no_other_is(tmp_path):
    run = make_run(tmp_path / "run", *sample(3))
    with LlmServer(reply=evasive) as server:
        with ModelSession(tmp_path / "models.sqlite") as session:
            judged(server, run, session)
        before, server.reply = server.count, reply
        for calls in (2, 0):
            with ModelSession(tmp_path / "models.sqlite") as session:
                session.retry_undecided = True
                done = judged(server, run, session)
            assert (done.unscored, done.spent.calls) == ((), calls)
        questions = [call.user for call in server.calls[before:]]
    assert len(questions) == 2
    assert all(SECOND in text for text in questions)


def test_a_dry_run_tells_what_it_will_cost(tmp_path):
    run = make_run(tmp_path / "run", *sample(20))
    with LlmServer(reply=reply) as server:
        with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
            told = judged(server, run, session).spent
        assert server.count == 0
        with ModelSession(tmp_path / "models.sqlite") as session:
            real = judged(server, run, session).spent
    assert told.calls == real.calls == 42
    assert told.cost == pytest.approx(real.cost, rel=0.3)


def test_a_budget_stops_it_and_a_greater_one_goes_on(tmp_path):
    """Of a budget for two thirds most is spent, nothing above it, and some answers are whole."""
    run, other = (make_run(tmp_path / name, *sample(20)) for name in ("run", "other"))
    with LlmServer(reply=reply) as server:
        with ModelSession(tmp_path / "other.sqlite") as session:
            allowed = judged(server, other, session).spent.cost * 2 / 3
        server.count = 0
        with ModelSession(tmp_path / "models.sqlite", budget=allowed) as session:
            with pytest.raises(BudgetReached):
                judged(server, run, session)
            assert allowed * 0.8 < session.spent.cost <= allowed
        half = len({v.item for v in run.verdicts()})
        with ModelSession(tmp_path / "models.sqlite", budget=5.0) as session:
            judged(server, run, session)
    assert 0 < half < 20
    assert len({v.item for v in run.verdicts()}) == 20
    assert server.count == 42


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_what_a_blow_leaves_is_not_paid_again(tmp_path, blow):
    """At most the eight calls in flight are made twice, and Ctrl-C leaves what was finished."""
    run = make_run(tmp_path / "run", *sample(60))
    with LlmServer(reply=reply, latency=0.05) as server:
        command = [sys.executable, "-c", CHILD, str(run.path), str(tmp_path / "models.sqlite"), server.url]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
            while server.count < 60 and child.poll() is None:
                time.sleep(0.01)
            child.send_signal(blow)
            said = child.communicate()[1]
        assert child.returncode != 0
        assert server.count < 126
        kept = {v.item for v in run.verdicts()}
        with ModelSession(tmp_path / "models.sqlite") as session:
            judged(server, run, session)
    assert 126 <= server.count <= 126 + 8
    assert len({v.item for v in run.verdicts()}) == 60
    if blow == signal.SIGINT:
        assert said.rstrip().endswith("KeyboardInterrupt")
        assert not re.search("never retrieved|loop is closed|destroyed|never awaited|Unclosed", said)
        assert kept
