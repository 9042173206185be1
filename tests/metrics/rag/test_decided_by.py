"""How many verdicts of whom a metric rests on, and which of them are by a model."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable
from judged_answers import ANA, judged, verdict_on
from msgspec.structs import replace

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.rag.decided_by import decided_by, overruled_models, verdicts_of_models
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, evidence_of, is_evidence
from neraca.records import Verdict
from neraca.runs.claim_aspects import CLAIM_LISTS


def rated(*by):
    """The answer to one question, rated by each of these."""
    said = [Verdict(item="0", about="answer", aspect="valid", value=1, by=name) for name in by]
    return make_scorable([(make_item("0"), make_answer(item="0", text="It costs 5."))], said)


def test_people_are_counted_together_and_judges_by_name():
    assert decided_by(Metric.of("Valid"), rated("llm:m#1")) == {"llm:m": 1}
    assert decided_by(Metric.of("Valid"), rated("llm:m#1", "human:ana")) == {"human": 1}


def test_a_model_whose_verdicts_people_replace_is_named_with_their_number():
    (of_valid,) = overruled_models(Metric.of("Valid"), rated("llm:m#1", "human:ana"))
    assert of_valid == ("llm:m", "valid", evidence_of(Metric.of("Valid")), 1)
    assert list(overruled_models(Metric.of("Valid"), rated("llm:m#1"))) == []
    assert list(overruled_models(Metric.of("Valid(by=human)"), rated("llm:m#1", "human:ana"))) == []


def test_nothing_is_counted_where_several_judges_decided_and_none_is_named():
    part = rated("llm:m#1", "llm:n#1")
    assert decided_by(Metric.of("Valid"), part) == {}
    assert decided_by(Metric.of("Valid(by=llm:n)"), part) == {"llm:n": 1}


def test_a_metric_of_no_judged_aspect_rests_on_nobody():
    assert decided_by(Metric.of("Words"), rated("llm:m#1")) == {}


def test_of_claims_only_the_verdicts_that_decide_on_the_metric_are_counted():
    """Ana's verdict on reference claim 2 moves ContextRecall alone, and that on claim 1 Faithfulness alone."""
    ana = verdict_on("reference:2@llm:m", "supported", 1, ANA), verdict_on("claim:1@llm:m", "supported", 0, ANA)
    verdicts = judged([("a", 1), ("b", 0)], [("a", 1, 1), ("", 0, 1), ("b", 1, 0)])
    (item,), (answer,) = verdicts.part.column("items"), verdicts.part.column("answers")
    part = make_scorable([(item, answer)], [*verdicts.verdicts.table, *ana])
    assert decided_by(Metric.of("ContextRecall"), part) == {"human": 1, "llm:m": 2}
    assert decided_by(Metric.of("Faithfulness"), part) == {"human": 1, "llm:m": 1}
    assert decided_by(Metric.of("ClaimF"), part) == {"llm:m": 5}


def models(name, part):
    """Judge, kind and number of verdicts of each model behind a metric."""
    return [(one.judge, one.kind, len(one.rows)) for one in verdicts_of_models(Metric.of(name), part)]


def test_a_model_is_named_without_its_prompt_and_people_overrule_it():
    assert models("Valid", rated("llm:m#1")) == [("llm:m", "valid", 1)]
    assert models("Valid", rated("llm:m#1", "human:ana")) == []
    assert models("Valid(by=llm:m)", rated("llm:m#1", "human:ana")) == [("llm:m", "valid", 1)]


def test_nothing_is_by_a_model_where_people_rules_or_nobody_decide():
    assert models("Valid", rated("human:ana")) == []
    assert models("Valid", rated("rules")) == []
    assert models("Words", rated("llm:m#1")) == []
    assert models("Valid", rated("llm:m#1", "llm:n#1")) == [], "two judges and none is named"


def test_a_metric_of_corpus_and_contexts_rests_on_two_judges():
    """Of three claims of a reference, the corpus decides three and the contexts three."""
    part = judged([], [("a", 0, 1), ("", 0, 1), ("", 0, 0)]).part
    assert models("FindableRecall", part) == [("llm:m", "corpus", 3), ("llm:m", "claims", 3)]
    assert models("CorpusCoverage", part) == [("llm:m", "corpus", 3)]
    assert models("ContextRecall", part) == [("llm:m", "claims", 3)]


def test_refusals_that_a_model_decided_are_by_the_judge_claims():
    assert models("RefusalF1", judged(declines=1).part) == [("llm:m", "claims", 1)]
    assert models("GoalReached", judged(goal=1).part) == [("llm:m", "aspect", 1)]


#: Metrics of judged answers that rest on no verdict of a model: on embeddings, or on rules that compare tables.
NO_MODEL = {"AnswerRelevance", "Similarity", "ColumnMatch", "RowMatch"}
WITH_NAME = {"Aspect": "Aspect(polite)", "Rubric": "Rubric(helpful)", "Preferred": "Preferred(b)"}
JUDGES = {name: METRICS.get(name).judge for name in METRICS.names()}
ON_CLAIMS = [name for name, judge in JUDGES.items() if judge in ("claims", "corpus") and name not in NO_MODEL]
EXAMPLE = judged(
    [("a", 1), ("b", 0), ("", 1), ("", 0), ("c", 1)],
    [("a", 1, 1), ("", 0, 1), ("b", 1, 0), ("", 1, 0)],
    useful=[1, 0, 1],
    text="So [1] and so [2].",
    similarity=0.5,
)


@pytest.mark.parametrize("name", [name for name, judge in JUDGES.items() if judge not in ("", "rules")])
def test_every_metric_with_a_judge_says_on_which_verdicts_it_rests(name):
    metric = Metric.of(WITH_NAME.get(name, name))
    assert metric.view is JudgeVerdicts
    assert bool(evidence_of(metric)) == (name not in NO_MODEL)


def value_with(name, rows):
    """The value of a metric if these verdicts are turned around."""
    table = EXAMPLE.verdicts.table
    turned = [replace(one, value=1 - one.value) if row in rows else one for row, one in enumerate(table)]
    (item,), (answer,) = EXAMPLE.part.column("items"), EXAMPLE.part.column("answers")
    return score_metric(Metric.of(name), make_scorable([(item, answer)], turned)).per_answer.tolist()


@pytest.mark.parametrize("name", ON_CLAIMS)
def test_only_the_verdicts_on_which_a_metric_rests_move_it(name):
    """Counts and texts of claims say what there is to decide, and are left as they are."""
    table = EXAMPLE.verdicts.table
    evidence = is_evidence(table, evidence_of(Metric.of(name)))
    decides = ~table.aspect.isin([*CLAIM_LISTS, "corpus_claims", "declines", "similarity"])
    before = value_with(name, ())
    assert [row for row in np.flatnonzero(decides & ~evidence).tolist() if value_with(name, {row}) != before] == []
    for kind in evidence_of(Metric.of(name)):
        rows = np.flatnonzero(is_evidence(table, [kind])).tolist()
        assert any(value_with(name, {row}) != before for row in rows), kind
