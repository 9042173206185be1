"""Laws of silence and of refusals: who says nothing never gains, and who rightly declines never loses by being
asked."""

import math
from pathlib import Path

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.test_laws import OURS, REQUIRED
from msgspec.structs import replace

import neraca.metrics
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.rag.example import judged
from neraca.records import Verdict

DRAWN = settings(max_examples=40, deadline=None)
FAULTS = "counts faults, and silence has none; read it beside Faithfulness and ClaimRecall"
UNBOUNDED = "silence is 1, and a long wrong answer is above 1"
SUMMED = "its counts are summed over all answers: the wrong words of a bad answer may weigh more than no words"
NEUTRAL = "neither more nor less is better"
BREAKS = "looks for answers that break something, and silence breaks nothing; read it beside SessionGoalReached"
#: Metrics of answers of which the law does not hold, and why.
EXEMPT = {
    **dict.fromkeys(("Hallucination", "NoiseSensitivity"), FAULTS),
    **dict.fromkeys(("KnowledgeRetention", "Consistency", "RoleAdherence"), BREAKS),
    **dict.fromkeys(("WER", "CER", "TER", "CorpusTER"), UNBOUNDED),
    **dict.fromkeys(("CorpusBLEU", "CorpusChrF"), SUMMED),
    **dict.fromkeys(("Words", "LengthRatio", "SelfKnowledge"), NEUTRAL),
    **dict.fromkeys(("CorpusCoverage", "FindableRecall"), "is of the corpus, and does not look at the answer"),
}
OF_ANSWERS = [
    name + REQUIRED.get(name, "")
    for name in OURS
    if neraca.metrics.MODULE_BY_NAME[name].startswith(("rag.", "text.")) and name not in EXEMPT
]
TEXTS = ("It has two rooms [1].", "Two rooms and a garden [2].", "The harbour.", "It has three floors [1] [3].")


def draw_row(chance, number):
    """A question that can be answered, an answer in words, and what judges said of it."""
    contexts, claims = chance.integers(0, 4), chance.integers(0, 4)
    places = "abc"[:contexts]

    def supported():
        return " ".join(place for place in places if chance.random() < 0.4)

    view = judged(
        [(supported(), int(chance.integers(0, 2))) for _ in range(claims)],
        [(supported(), int(chance.integers(0, 2))) for _ in range(chance.integers(1, 3))],
        chance.integers(0, 2, contexts).tolist(),
        questions=chance.uniform(0, 1, 2).round(2).tolist(),
        text=TEXTS[chance.integers(0, 4)],
        similarity=round(chance.uniform(0, 1), 2),
        valid=chance.integers(0, 2),
        supported=chance.integers(0, 2),
        polite=chance.integers(0, 2),
        tone=chance.integers(1, 6),
        **{"preferred:other": chance.choice([0, 0.5, 1])},
    )
    references = ("It has two rooms.",) if chance.random() < 0.7 else ()
    item = make_item(str(number), references=references, expects=chance.choice(["results", None]))
    (answer,) = view.part.column("answers")
    said = [replace(verdict, item=str(number)) for verdict in view.verdicts.table]
    if not references:
        said = [one for one in said if one.aspect not in ("reference_claims", "similarity", "correct")]
        said = [one for one in said if not one.about.startswith("reference")]
    return item, replace(answer, item=str(number)), said


def silence(row, how):
    """The same question without an answer, and what judges say of that."""
    item, answer, said = row
    keeps = how == "without a text"  # what was retrieved
    answer = replace(answer, text="", status="error" if how == "failed" else "complete", hits=answer.hits * keeps)
    nothing = {"claims": 0, "declines": 1, "valid": 0, "polite": 0, "tone": 1, "supported": 0, "similarity": 0}
    nothing |= {"stated": 0, "preferred:other": 0} | ({} if keeps else {"contexts": 0})
    kept = []
    for verdict in said:
        if verdict.about.startswith(("claim:", "question:")):
            continue
        if (verdict.about == "answer" and verdict.aspect in nothing) or verdict.aspect == "stated":
            verdict = replace(verdict, value=float(nothing[verdict.aspect]))
        elif verdict.about.startswith("reference:") and not keeps and verdict.aspect.startswith("hit:"):
            continue
        elif verdict.about.startswith("reference:") and not keeps and verdict.aspect == "supported":
            verdict = replace(verdict, value=0.0)
        elif verdict.about.startswith("hit:") and not item.references:
            verdict = replace(verdict, value=None, status="not_applicable", why="nothing is stated")
        kept.append(verdict)
    return item, answer, kept


def totals(rows):
    """Return the metrics of all rows by name."""
    part, values = make_scorable([row[:2] for row in rows], [verdict for row in rows for verdict in row[2]]), {}
    for name in OF_ANSWERS:
        counts = score_metric(Metric.of(name), part)
        scored = ~np.isnan(counts.rows).any(axis=1)
        values[name] = float(counts.metric.total(counts.rows[scored].sum(axis=0))) if scored.any() else math.nan
    return values


def test_every_metric_of_answers_is_under_the_law_or_exempt_for_a_reason():
    assert set(EXEMPT) < set(OURS)
    assert {"Faithfulness", "Rubric(tone)", "Aspect(polite)", "Supported", "TokenF1"} < set(OF_ANSWERS)
    guide = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in guide for name in ("Hallucination", "NoiseSensitivity", "ContextRecall"))


@DRAWN
@given(st.integers(0, 10**6), st.sampled_from(["failed", "empty", "without a text"]))
def test_a_system_that_goes_silent_on_one_answerable_question_never_gains(seed, how):
    chance = np.random.default_rng(seed)
    rows = [draw_row(chance, number) for number in range(4)]
    before, after = totals(rows), totals([silence(rows[0], how), *rows[1:]])
    for name, value in before.items():
        higher = METRICS.get(name.partition("(")[0]).better == "higher"
        gained = after[name] > value + 1e-12 if higher else after[name] < value
        assert not gained, (name, value, after[name])


@pytest.mark.parametrize("name", ["Faithfulness", "AnswerRelevance", "CitationRecall", "Valid", "Rubric(tone)"])
@pytest.mark.parametrize("status", ["error", "complete"])
def test_silence_is_0_even_if_nobody_judged_it(name, status):
    rows = [draw_row(np.random.default_rng(1), 0), (make_item("1"), make_answer(item="1", status=status), [])]
    part = make_scorable([row[:2] for row in rows], rows[0][2])
    assert score_metric(Metric.of(name), part).values[1] == 0


REFUSALS = {
    "in words": make_answer(text="I do not know."),
    "in words beside hits": make_answer("a b", text="I do not know."),
    "empty": make_answer(),
}


@pytest.mark.parametrize("name", [name + REQUIRED.get(name, "") for name in OURS])
@pytest.mark.parametrize("answer", REFUSALS.values(), ids=REFUSALS)
def test_marking_a_question_as_unanswerable_never_makes_a_right_refusal_worse(name, answer):
    said = {"claims": 0, "contexts": len(answer.hits), "reference_claims": 1, "declines": 1, "valid": 0, "polite": 0}
    said |= {"tone": 1, "supported": 1, "similarity": 0.2, "preferred:other": 0}
    verdicts = [Verdict(item="1", about="answer", aspect=aspect, value=v, by="llm:m") for aspect, v in said.items()]
    verdicts += [Verdict(item="1", about=f"hit:{hit.id}", aspect="useful", value=0, by="llm:m") for hit in answer.hits]
    values = []
    for expects in (None, "results", "none"):
        item = make_item(expects=expects, references=("Nobody knows.",))
        values.append(float(score_metric(Metric.of(name), make_scorable([(item, answer)], verdicts)).per_answer[0]))
    *before, after = values
    if math.isnan(after):
        return
    definition = Metric.of(name).definition
    sign = -1 if definition.better == "lower" else 1
    if definition.better != "neither":
        assert all(math.isnan(value) or sign * after >= sign * value for value in before)
        assert not math.isnan(before[0]) or after != (definition.low if sign == 1 else definition.high)
