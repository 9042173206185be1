"""The classic calls one by one, and ragas' formulas on what they said, with a model that is a script.

The formulas are those of ragas 0.3 (Es, S. and others, 2024, EACL; the modules faithfulness, answer_relevance,
context_precision, context_recall and answer_correctness), written down here from the replies themselves: lists of
verdicts, and classes TP, FP, FN.
"""

import random
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
import pytest
from builders import make_batch
from judges.scripted_model import Letters, Script, data_of

from neraca.errors import ModelError, SpecError
from neraca.judges.classic import NO_EMBEDDER, Classic
from neraca.judges.judge import make_judge
from neraca.metrics.metric import Metric
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item


@dataclass
class Case:
    """What the model will say of one answer.

    `faithful`: of each statement of the answer; `useful`: of each context; `attributed`: of each statement of the
    reference; `right`: statements of the answer that are TP; `missed`: of the reference that are FN.
    """

    faithful: list
    useful: list
    attributed: list
    right: list
    missed: list
    questions: list = field(default_factory=lambda: ["What is it?", "Where is it?", "Who is it?"])
    evasive: list = field(default_factory=lambda: [False, False, False])
    broken: tuple = ()

    @property
    def answer(self):
        return " ".join(f"Mine {n}." for n in range(len(self.faithful))) or "Well."

    @property
    def reference(self):
        return " ".join(f"Theirs {n}." for n in range(len(self.attributed))) or "Hm."

    def item(self, **more):
        return Item(id="q", query="Where is it?", references=(self.reference,), **more)

    def given(self, **more):
        hits = tuple(Hit(id=f"h{n}", text=f"Context {n}.") for n in range(len(self.useful)))
        return Answer(item="q", text=self.answer, hits=hits, **more)

    def __call__(self, prompt, repeat):
        data, kind = data_of(prompt), prompt.kind.__name__
        if kind in self.broken:
            return ModelError("the model is tired")
        if kind == "StatementsReply":
            mine = data["answer"] == self.answer
            count, word = (len(self.faithful), "Mine") if mine else (len(self.attributed), "Theirs")
            return {"statements": [f"{word} {n}." for n in range(count)]}
        if kind == "VerdictsReply":
            told = self.attributed if "question" in data else self.faithful
            return {
                "verdicts": [{"id": s, "reason": f"{s}?", "verdict": told[int(s[1:]) - 1]} for s in data["statements"]]
            }
        if kind == "QuestionReply":
            return {"question": self.questions[repeat], "noncommittal": self.evasive[repeat]}
        if kind == "UsefulReply":
            return {"reason": "so", "useful": self.useful[int(data["context"].split()[1][:-1])]}
        assert kind == "CorrectnessReply"
        classes = {"TP": [], "FP": [], "FN": []}
        for n, right in enumerate(self.right, 1):
            classes["TP" if right else "FP"].append({"id": f"a{n}", "reason": "so"})
        classes["FN"] = [{"id": f"g{n}", "reason": "no"} for n, missed in enumerate(self.missed, 1) if missed]
        return classes


CASE = Case([True, False], [False, True], [True, False], [True, False], [True, False])


@pytest.fixture
def account(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as account:
        yield account


def judged(account, case, *, item=None, answer=None, script=None, embed="letters"):
    script = script or Script(case)
    pair = item or case.item(), answer or case.given()
    judge = Classic({"model": "test:script", "embed": embed}, chat=script, embedder=Letters())
    return list(judge.judge([pair], account)), script, pair


def table(verdicts):
    return {(v.about, v.aspect): v.value for v in verdicts}


def value(name, verdicts, pair):
    """A metric's value, or why there is none."""
    metric = Metric.of(name)
    column = metric.score(make_batch([pair], verdicts))
    found = float(metric.total(column.rows[0]))
    return column.why[0] if np.isnan(found) else found


def cosine(a, b):
    u, v = (np.array([text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"], float) for text in (a, b))
    return float(u @ v) / float(np.linalg.norm(u) * np.linalg.norm(v))


def f_score(tp, fp, fn):
    """ragas: fbeta_score with beta 1."""
    precision, recall = tp / (tp + fp) if tp + fp else 0, tp / (tp + fn) if tp + fn else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def ragas(case):
    """Each metric by ragas' formula from the replies; None where it has none, or ours is documented to have none."""
    tp, fn = sum(case.right), sum(case.missed)
    ranks = [sum(case.useful[: k + 1]) / (k + 1) * useful for k, useful in enumerate(case.useful)]
    similar = cosine(case.answer, case.reference)
    factual = f_score(tp, len(case.right) - tp, fn)
    return {
        "Faithfulness": sum(case.faithful) / len(case.faithful) if case.faithful else None,
        "AnswerRelevance": fmean(cosine("Where is it?", one) for one in case.questions) * (not any(case.evasive)),
        "ContextPrecision": sum(ranks) / (sum(case.useful) + 1e-10),
        "ContextRecall": sum(case.attributed) / len(case.attributed) if case.attributed else None,
        "AnswerCorrectness": 0.75 * factual + 0.25 * similar if case.attributed else None,
        "ClaimF": factual if case.attributed else None,
        "Similarity": similar,
    }


def draw(chance):
    """Replies at random; now and then with nothing on one side."""
    often = chance.random()

    def coins(count):
        return [chance.random() < often for _ in range(count)]

    mine, theirs, contexts = chance.randint(0, 5), chance.randint(0, 4), chance.randint(1, 5)
    right, missed = coins(mine), coins(theirs)
    if not mine or not theirs:  # ragas asks all the same, and a model that is right says this
        right, missed = [False] * mine, [True] * theirs
    words = ["What is it?", "Where is it?", "Is it a house?", "Who knows?"]
    return Case(
        coins(mine),
        coins(contexts),
        coins(theirs),
        right,
        missed,
        chance.choices(words, k=3),
        [chance.random() < 0.1 for _ in range(3)],
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_metrics_have_the_values_of_ragas_formulas(seed, account):
    case = draw(random.Random(seed))
    verdicts, _, pair = judged(account, case)
    for name, expected in ragas(case).items():
        found = value(name, verdicts, pair)
        if expected is None:
            assert found in ("the answer claims nothing", "the reference claims nothing"), name
        else:
            assert found == pytest.approx(expected, abs=1e-6), name


def test_published_examples(account):
    """The second of two contexts alone is useful: 0.5; of two statements on each side one agrees: 0.5."""
    verdicts, _, pair = judged(account, CASE)
    assert value("ContextPrecision", verdicts, pair) == 0.5
    assert value("ClaimF", verdicts, pair) == 0.5
    assert value("Faithfulness", verdicts, pair) == value("ContextRecall", verdicts, pair) == 0.5


def test_a_correct_answer_comes_before_a_wrong_one_and_a_wrong_one_before_an_evasive_one(account):
    correct = Case([True], [True], [True], [True], [False])
    wrong = Case([False], [True], [True], [False], [True])
    evasive = Case([], [True], [True], [], [True], evasive=[False, True, False])
    scores = []
    for case in (correct, wrong, evasive):
        verdicts, _, pair = judged(account, case)
        scores.append({name: value(name, verdicts, pair) for name in ("AnswerCorrectness", "AnswerRelevance")})
    assert scores[0]["AnswerCorrectness"] > scores[1]["AnswerCorrectness"]
    assert scores[0]["AnswerRelevance"] == scores[1]["AnswerRelevance"] > scores[2]["AnswerRelevance"] == 0


def test_every_verdict_and_every_call(account):
    """Two contexts: ten calls; claims makes two."""
    verdicts, script, _ = judged(account, CASE)
    assert table(v for v in verdicts if not v.by.startswith("embed")) == {
        ("answer", "claims"): 2,
        ("answer", "reference_claims"): 2,
        ("answer", "contexts"): 2,
        ("answer", "declines"): 0,
        ("claim:1", "claim"): 1,
        ("claim:1", "supported"): 1,
        ("claim:1", "correct"): 1,
        ("claim:2", "claim"): 1,
        ("claim:2", "supported"): 0,
        ("claim:2", "correct"): 0,
        ("reference:1", "claim"): 1,
        ("reference:1", "supported"): 1,
        ("reference:1", "stated"): 0,
        ("reference:2", "claim"): 1,
        ("reference:2", "supported"): 0,
        ("reference:2", "stated"): 1,
        ("hit:h0", "useful"): 0,
        ("hit:h1", "useful"): 1,
    }
    assert [v.about for v in verdicts if v.by.startswith("embed:letters")] == [
        "question:1",
        "question:2",
        "question:3",
        "answer",
    ]
    assert {kind: script.kinds.count(kind) for kind in script.kinds} == {
        "StatementsReply": 2,
        "VerdictsReply": 2,
        "QuestionReply": 3,
        "UsefulReply": 2,
        "CorrectnessReply": 1,
    }
    assert {data_of(p)["answer"] for p in script.prompts if p.kind.__name__ == "UsefulReply"} == {CASE.reference}
    whys = {(v.about, v.aspect): v.why for v in verdicts}
    assert (whys["claim:2", "claim"], whys["claim:2", "supported"]) == ("Mine 1.", "s2?")


def test_a_second_system_pays_nothing_for_the_statements_of_the_reference(account):
    _, script, _ = judged(account, CASE)
    other = Case([True], [True], [True, False], [True], [False, False])
    script.reply = other
    judged(account, other, script=script)
    texts = [data_of(p)["answer"] for p in script.prompts if p.kind.__name__ == "StatementsReply"]
    assert texts == [CASE.answer, CASE.reference, other.answer]


def test_which_context_supports_is_not_known(account):
    verdicts, _, pair = judged(account, CASE)
    told = value("NoiseSensitivity", verdicts, pair)
    assert told == "somebody says that a claim is supported, but not by which context"


def test_without_a_reference_the_answer_is_the_goal(account):
    verdicts, script, _ = judged(account, CASE, item=Item(id="q", query="Where is it?"))
    found = table(verdicts)
    assert found["answer", "reference_claims"] is None
    assert ("claim:1", "correct") not in found
    assert found["hit:h1", "useful"] == 1
    goals = {data_of(p)["answer"] for p in script.prompts if p.kind.__name__ == "UsefulReply"}
    assert goals == {CASE.answer}
    assert {"CorrectnessReply"}.isdisjoint(script.kinds)


def test_without_an_embedder_no_questions_are_asked_for(account):
    verdicts, script, pair = judged(account, CASE, embed="")
    assert "QuestionReply" not in script.kinds
    assert value("AnswerRelevance", verdicts, pair) == NO_EMBEDDER
    assert value("Faithfulness", verdicts, pair) == 0.5


@pytest.mark.parametrize("answer", [Answer(item="q", status="error", text="x"), Answer(item="q", text=" ")])
def test_nothing_is_asked_about_an_answer_that_says_nothing(answer, account):
    verdicts, script, pair = judged(account, CASE, answer=answer)
    assert script.kinds == ["StatementsReply"]
    found = table(verdicts)
    assert (found["answer", "claims"], found["answer", "contexts"], found["answer", "declines"]) == (0, 0, 1)
    assert (found["reference:1", "supported"], found["reference:1", "stated"]) == (0, 0)
    assert value("AnswerRelevance", verdicts, pair) == 0
    assert value("AnswerCorrectness", verdicts, pair) == 0


def test_hits_without_text_and_an_answer_without_goal(account):
    answer = Answer(item="q", hits=(Hit(id="a"), Hit(id="b", text="Context 0.")))
    verdicts, script, _ = judged(account, CASE, item=Item(id="q", query="?"), answer=answer)
    told = {v.about: (v.value, v.why) for v in verdicts if v.aspect == "useful"}
    why = "not applicable: neither the answer nor a reference states anything"
    assert told == {"hit:a": (0, "it has no text"), "hit:b": (None, why)}
    assert script.calls == 0


def test_a_suspect_answer_is_not_judged(account):
    verdicts, script, _ = judged(account, CASE, answer=CASE.given(status="suspect"))
    assert (verdicts, script.calls) == ([], 0)


ROWS = [("claim:1", "supported"), ("claim:2", "supported"), ("reference:1", "supported"), ("reference:2", "supported")]
SIDES = [("claim:1", "correct"), ("claim:2", "correct"), ("reference:1", "stated"), ("reference:2", "stated")]


@pytest.mark.parametrize(
    "broken, lacking",
    [
        ("StatementsReply", [("answer", "claims"), ("answer", "reference_claims")]),
        ("VerdictsReply", ROWS),
        ("QuestionReply", [("answer", "declines")]),
        ("UsefulReply", [("hit:h0", "useful"), ("hit:h1", "useful")]),
        ("CorrectnessReply", SIDES),
    ],
)
def test_what_failed_is_named_and_nothing_else_is_lost(broken, lacking, account):
    case = Case(**{**CASE.__dict__, "broken": (broken,)})
    verdicts, _, _ = judged(account, case)
    found = {(v.about, v.aspect): v.why for v in verdicts if v.value is None}
    assert found == dict.fromkeys(lacking, "unscored: the model is tired")
    assert ("answer", "similarity") in table(verdicts)


def test_a_failed_side_leaves_the_other_unscored(account):
    def fails(prompt, repeat):
        theirs = prompt.kind.__name__ == "StatementsReply" and data_of(prompt)["answer"] == CASE.reference
        return ModelError("down") if theirs else CASE(prompt, repeat)

    verdicts, _, _ = judged(account, CASE, script=Script(fails))
    found = {(v.about, v.aspect): v.why for v in verdicts if v.value is None}
    lacking = [("answer", "reference_claims"), ("claim:1", "correct"), ("claim:2", "correct")]
    assert found == dict.fromkeys(lacking, "unscored: down")


def test_only_missing_statements_are_asked_again(account):
    def forgets(prompt, repeat):
        said = CASE(prompt, repeat)
        if prompt.kind.__name__ == "VerdictsReply" and repeat == 0:
            said["verdicts"] = said["verdicts"][1:]
        return said

    verdicts, script, _ = judged(account, CASE, script=Script(forgets))
    again = [p for p in script.prompts if p.kind.__name__ == "VerdictsReply"]
    assert [list(data_of(p)["statements"]) for p in again] == [["s1", "s2"], ["s1", "s2"], ["s1"], ["s1"]]
    assert None not in table(verdicts).values()


def entries(*ids):
    return [{"id": one, "reason": ""} for one in ids]


@pytest.mark.parametrize(
    "right, wrong, missed, told",
    [
        (["a1"], [], [], "each a stands in TP or in FP"),
        (["a1", "a2"], ["a2"], [], "each a stands in TP or in FP"),
        (["a1", "a2", "a3"], [], [], "each a stands in TP or in FP"),
        (["a1"], ["a2"], ["g3"], "only a g stands in FN"),
        (["a1"], ["a2"], ["a2"], "only a g stands in FN"),
    ],
)
def test_classes_that_cannot_be(right, wrong, missed, told, account):
    def odd(prompt, repeat):
        if prompt.kind.__name__ != "CorrectnessReply":
            return CASE(prompt, repeat)
        return {"TP": entries(*right), "FP": entries(*wrong), "FN": entries(*missed)}

    verdicts, _, _ = judged(account, CASE, script=Script(odd))
    found = {(v.about, v.aspect): v.why for v in verdicts if v.value is None}
    assert found == dict.fromkeys(SIDES, f"unscored: {told}")


def test_an_empty_question_is_no_question(account):
    case = Case(**{**CASE.__dict__, "questions": ["What?", " ", "Who?"]})
    verdicts, _, pair = judged(account, case)
    assert value("AnswerRelevance", verdicts, pair) == "unscored: the question is empty"


def test_a_dry_run_counts_every_call(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as account:
        verdicts, script, pair = judged(account, CASE)
    assert script.calls == 0
    assert None not in table(verdicts).values()
    assert value("Faithfulness", verdicts, pair) == 1


def test_its_name_and_settings():
    made = make_judge("ragas", {"model": "a:b"})
    assert made.by.startswith("llm:a:b#")
    assert made.by != make_judge("claims", {"model": "a:b"}).by
    with pytest.raises(SpecError, match="judge ragas needs a model"):
        make_judge("ragas")
