"""Valid and Supported, with a model that is a script."""

import pytest
from builders import make_scorable
from judges.scripted_model import Script, data_of, reason_of, says

from neraca.errors import SpecError
from neraca.judges.judge import make_judge
from neraca.judges.llm.yes_no import SupportedJudge, ValidJudge
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item

ITEM = Item(id="q1", query="Where is the house?")
HITS = (Hit(id="L1", text="A house in Medan."), Hit(id="L2"), Hit(id="L1", text="A house in Medan."))


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def reply(prompt, repeat):
    """Yes where every long word of the answer is in the contexts, or without contexts in the question."""
    data = data_of(prompt)
    beside = " ".join(data.get("contexts", [data["question"]]))
    return {"reason": "so it is", "yes": says(beside, data["answer"])}


def judged(kind, session, *answers, item=ITEM):
    script = Script(reply)
    verdicts = list(kind({"model": "test:script"}, chat=script).judge([(item, one) for one in answers], session))
    return verdicts, script


def outcome(kind, session, answer, item=ITEM):
    """Value, why, and how many calls it took."""
    (verdict,), script = judged(kind, session, answer, item=item)
    return verdict.value, reason_of(verdict), script.calls


def test_a_verdict_on_each_answer(session):
    verdicts, script = judged(
        ValidJudge, session, Answer(item="q1", text="The house."), Answer(item="q1", trial=1, text="A river.")
    )
    assert {(v.item, v.trial, v.about, v.aspect, v.value, reason_of(v)) for v in verdicts} == {
        ("q1", 0, "answer", "valid", 1, "so it is"),
        ("q1", 1, "answer", "valid", 0, "so it is"),
    }
    assert script.kinds == ["YesNoReply"] * 2
    assert {v.by for v in verdicts} == {ValidJudge({"model": "test:script"}).by}


def test_the_two_are_told_apart_by_the_hash_of_their_prompts():
    valid, supported = (make_judge(name, {"model": "a:b"}).by for name in ("valid", "supported"))
    assert valid.rpartition("#")[0] == supported.rpartition("#")[0] == "llm:a:b"
    assert len({valid, supported, make_judge("valid", {"model": "a:b", "language": "es"}).by}) == 3
    assert len(valid) == len("llm:a:b#") + 6


@pytest.mark.parametrize(
    "answer, value, why",
    [
        (Answer(item="q1", text=" "), 0, "the answer is empty"),
        (Answer(item="q1", status="timeout", text="The house.", hits=HITS), 0, "the answer is empty"),
        (Answer(item="q1", text="", hits=HITS), None, "not applicable: the answer has no text"),
    ],
)
def test_valid_without_a_call(session, answer, value, why):
    assert outcome(ValidJudge, session, answer) == (value, why, 0)


@pytest.mark.parametrize(
    "answer, value, why, calls",
    [
        (Answer(item="q1", text="In Medan.", hits=HITS), 1, "so it is", 1),
        (Answer(item="q1", text="In Berlin.", hits=HITS), 0, "so it is", 1),
        (Answer(item="q1", text="In Medan."), 0, "so it is", 1),
        (Answer(item="q1", text="No."), 1, "so it is", 1),  # no long word: it states nothing, as with contexts
        (Answer(item="q1", text="In Medan.", hits=(Hit(id="h"),)), None, "not applicable: its hits have no text", 0),
        (Answer(item="q1", text="", hits=HITS), None, "not applicable: the answer has no text", 0),
        (
            Answer(item="q1", status="error", text="In Medan.", hits=HITS),
            0,
            "the answer is empty",
            0,
        ),
    ],
)
def test_supported(session, answer, value, why, calls):
    assert outcome(SupportedJudge, session, answer) == (value, why, calls)


@pytest.mark.parametrize("kind", [ValidJudge, SupportedJudge])
def test_hits_without_a_text_say_nothing_if_the_system_answers_in_words(kind, session):
    silent, spoken = Answer(item="q1", hits=HITS), Answer(item="q1", trial=1, text="The house.", hits=HITS)
    verdicts, _ = judged(kind, session, silent, spoken)
    assert {(v.trial, v.value, reason_of(v)) for v in verdicts} == {(0, 0, "the answer is empty"), (1, 1, "so it is")}


def test_each_context_is_shown_once_and_those_of_fields_as_json(session):
    answer = Answer(item="q1", text="In Medan.", hits=(*HITS, Hit(id="f", fields={"floors": 3})))
    _, script = judged(SupportedJudge, session, answer)
    assert data_of(script.prompts[0])["contexts"] == ["A house in Medan.", '{"floors":3}']


@pytest.mark.parametrize("kind", [ValidJudge, SupportedJudge])
def test_a_suspect_answer_is_not_judged(kind, session):
    verdicts, script = judged(kind, session, Answer(item="q1", text="In Me", status="suspect", hits=HITS))
    assert (verdicts, script.calls) == ([], 0)


def test_each_item_is_asked_in_its_language(session):
    begins = []
    for code in ("es", "Indonesian", "ar", ""):
        item = Item(id="q1", query="?", tags={"language": code})
        _, script = judged(ValidJudge, session, Answer(item="q1", text="x"), item=item)
        begins.append(script.prompts[0].system.split()[0])
    assert begins == ["Juzgas", "Anda", "مهمتك", "You"]


@pytest.mark.parametrize("kind, metric", [(ValidJudge, "Valid"), (SupportedJudge, "Supported")])
def test_the_metric_reads_it(kind, metric, session):
    pairs = [
        (Item(id=str(n), query="Where is the house?"), Answer(item=str(n), text=text, hits=HITS))
        for n, text in enumerate(("A house.", "Bananas.", "A house."))
    ]
    script = Script(reply)
    verdicts = list(kind({"model": "test:script"}, chat=script).judge(pairs, session))
    column = score_metric(Metric.of(metric), make_scorable(pairs, verdicts))
    assert [row[0] for row in column.rows] == [1, 0, 1]


def test_settings_that_cannot_be():
    with pytest.raises(SpecError, match="judge valid needs a model"):
        make_judge("valid")
    with pytest.raises(SpecError, match="judge supported: no setting 'repeat'; did you mean repeats"):
        make_judge("supported", {"model": "a:b", "repeat": 3})


def test_a_dry_run_asks_nobody(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        verdicts, script = judged(ValidJudge, session, Answer(item="q1", text="Bananas."))
    assert ([v.value for v in verdicts], script.calls) == ([1], 0)


@pytest.mark.parametrize("reason", [{}, {"reason": "At most 15 words, in the language of the answer"}])
def test_a_reply_without_a_reason_is_a_decision(session, reason):
    """The simplest form of a reply has none, and a small model may leave it out, or write its instructions in it."""
    script = Script(lambda prompt, repeat: {**reason, "yes": True})
    judge = ValidJudge({"model": "test:script"}, chat=script)
    (verdict,) = judge.judge([(ITEM, Answer(item="q1", text="In Medan."))], session)
    assert (verdict.value, reason_of(verdict)) == (1, "decided without a reason")
