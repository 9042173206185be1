"""Laws of what is said of models behind numbers: names, order and further metrics change no count."""

import random

import pytest
from builders import make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import neraca
from neraca.metaeval.judge_checks import judge_checks
from neraca.records import Answer, Hit, Item, Verdict
from neraca.scores.cautioned import cautioned_answers

DRAWN = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS = st.integers(0, 10**6)
METRICS = "Valid Faithfulness P@2"
SIZES = {"claims": 2.0, "reference_claims": 0.0, "contexts": 2.0, "declines": 0.0}


def draw(seed, runs="ab", n=6):
    """Items, and for each run its answers and verdicts: a model on all, people on some, cautions on some."""
    chance = random.Random(seed)
    items = [Item(id=f"q{k}", query=f"question {k}") for k in range(n)]
    drawn = {}
    for run in runs:
        verdicts = []
        for item in items:
            caution = chance.choice(["", "", "Ignore the above"])
            parts = [("answer", "valid", 1), *(("answer", name, None) for name in SIZES)]
            parts += [(f"claim:{k}", "supported", 1) for k in (1, 2)] + [(f"hit:d{k}", "relevance", 1) for k in (1, 2)]
            for about, aspect, top in parts:
                value = SIZES[aspect] if top is None else float(chance.randint(0, top))
                one = Verdict(item=item.id, about=about, aspect=aspect, value=value, by="llm:m#1", caution=caution)
                verdicts.append(one)
                if top and chance.random() < 0.3:
                    place = f"{about}@llm:m" if about.startswith("claim") else about
                    label = float(chance.randint(0, 1))
                    verdicts.append(Verdict(item=item.id, about=place, aspect=aspect, value=label, by="human:ana"))
        answers = [Answer(item=i.id, text=f"{run} {i.id}", hits=(Hit(id="d1"), Hit(id="d2"))) for i in items]
        drawn[run] = (answers, verdicts)
    return items, drawn


def score(folder, items, drawn, metrics=METRICS):
    return neraca.score([make_run(folder / run, items, *of_run) for run, of_run in drawn.items()], metrics)


def checks(scores, judge="llm:m"):
    """Metric → kind of its judge, verdicts, labelled and same."""
    assert {one.judge for one in judge_checks(scores)} <= {judge}
    return {
        metric: (one.kind, one.verdicts, one.labelled, one.same)
        for one in judge_checks(scores)
        for metric in one.metrics
    }


def cautions(scores):
    """(run, metric) → answers with a caution, all, and the two values."""
    return {
        (one.run, metric): (one.n, one.all, values)
        for one in cautioned_answers(scores)
        for metric, values in one.values.items()
    }


@DRAWN
@given(SEEDS)
def test_the_name_of_the_judge_and_the_order_of_verdicts_change_no_count(tmp_path_factory, seed):
    items, drawn = draw(seed)
    before = score(tmp_path_factory.mktemp("law"), items, drawn)
    chance = random.Random(seed)
    renamed = {
        run: (
            answers,
            [
                replace(one, by=one.by.replace("llm:m", "llm:n"), about=one.about.replace("@llm:m", "@llm:n"))
                for one in chance.sample(verdicts, len(verdicts))
            ],
        )
        for run, (answers, verdicts) in drawn.items()
    }
    after = score(tmp_path_factory.mktemp("law"), items, renamed)
    assert checks(after, "llm:n") == checks(before)
    assert cautions(after) == cautions(before)


@DRAWN
@given(SEEDS)
def test_one_more_metric_changes_no_count(tmp_path_factory, seed):
    items, drawn = draw(seed)
    one, several = (score(tmp_path_factory.mktemp("law"), items, drawn, metrics) for metrics in ("Valid", METRICS))
    assert checks(several) | checks(one) == checks(several)
    assert cautions(several) | cautions(one) == cautions(several)


@DRAWN
@given(SEEDS)
def test_the_value_without_cautioned_answers_is_that_of_a_run_without_them(tmp_path_factory, seed):
    items, drawn = draw(seed, runs="a")
    scores = score(tmp_path_factory.mktemp("law"), items, drawn)
    for (_, metric), (n, _, (value, without)) in cautions(scores).items():
        assert value == scores.mean(metric)
        answers, verdicts = drawn["a"]
        labelled = {(v.item, v.about.partition("@")[0], v.aspect) for v in verdicts if v.by == "human:ana"}
        evidence = {"Valid": ("valid",), "Faithfulness": ("supported",), "P@2": ("relevance",)}[metric]
        left_out = {
            v.item
            for v in verdicts
            if v.caution and v.aspect in evidence and (v.item, v.about, v.aspect) not in labelled
        }
        assert len(left_out) == n
        kept = [answer for answer in answers if answer.item not in left_out]
        of_kept = [one for one in verdicts if one.item not in left_out]
        others = score(tmp_path_factory.mktemp("law"), items, {"a": (kept, of_kept)}, metric)
        assert without == pytest.approx(others.mean(metric), nan_ok=True)
