"""A judge's numbers corrected by people's verdicts in run folders; the corrected mean itself is tested in stats."""

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.comparisons.compare import compare
from neraca.comparisons.corrected import corrected_differences
from neraca.comparisons.gate import gate
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.records import Verdict
from neraca.scores.judge_corrections import corrections
from neraca.scores.score import score
from neraca.stats.intervals.prediction_powered import prediction_powered, weighted_prediction_powered
from neraca.stats.intervals.rogan_gladen import rogan_gladen

N, LABELLED = 100, 40
LLM, ANA = "llm:m", "human:ana"


def valid(item, value, by=LLM):
    return Verdict(item=str(item), about="answer", aspect="valid", value=float(value), by=by)


def truth(n=N, seed=5, share=0.6):
    return (np.random.default_rng(seed).random(n) < share) * 1.0


def kind(right, seed=6):
    """What a judge says that calls half of the wrong answers right."""
    return np.where(np.random.default_rng(seed).random(len(right)) < 0.5, 1.0, right)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs of answers that a judge called valid, of which a person rated the first forty."""
    path = tmp_path_factory.mktemp("runs")
    items = [make_item(str(n), tags={"kind": "ab"[n % 2]}, session=f"s{n // 2}") for n in range(N)]
    for name, seed in (("new", 5), ("old", 7)):
        right = truth(seed=seed)
        verdicts = [valid(n, value) for n, value in enumerate(kind(right, seed + 10))]
        verdicts += [valid(n, right[n], ANA) for n in range(LABELLED)]
        make_run(path / name, items, [make_answer(item=str(n), text="an answer") for n in range(N)], verdicts)
    return path


def expected(seed, clusters=None, **how):
    right = truth(seed=seed)
    return prediction_powered(label_first(right), kind(right, seed + 10), clusters=clusters, **how)


def label_first(right, labelled=LABELLED):
    return np.where(np.arange(len(right)) < labelled, right, math.nan)


def test_the_scores_are_by_the_judge_alone_and_the_labels_correct_them(folder):
    scores = score([folder / "new"], "Valid", unit="question", correct="ppi")
    judge = kind(truth(), 15)
    assert scores.mean("Valid") == judge.mean()
    (one,) = corrections(scores)
    wanted = expected(5)
    found = one.correction
    assert (found.raw, found.value) == pytest.approx((judge.mean(), wanted.value))
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert (found.labels, found.n, found.method, found.why) == (LABELLED, N, "ppi", "")
    assert abs(found.value - 0.6) < abs(found.raw - 0.6)


def test_without_correction_nothing_changes(folder):
    scores = score([folder / "new"], "Valid")
    right = truth()
    assert scores.labels is None
    assert scores.mean("Valid") == np.where(np.arange(N) < LABELLED, right, kind(right, 15)).mean()
    with pytest.raises(SpecError, match="--correct"):
        corrections(scores)


def test_sessions_are_one_label_each(folder):
    (one,) = corrections(score([folder / "new"], "Valid", correct="ppi"))
    assert (one.correction.labels, one.correction.why) == (20, "20 labelled; the interval holds from 30")
    assert math.isnan(one.correction.value)


def test_groups_with_too_few_labels_are_refused(folder):
    found = corrections(score([folder / "new"], "Valid", unit="question", correct="ppi"), ["kind"])
    assert [(one.group, one.correction.labels, bool(one.correction.why)) for one in found] == [
        ("", 40, False),
        ("kind=a", 20, True),
        ("kind=b", 20, True),
    ]


def test_rogan_gladen(folder):
    (one,) = corrections(score([folder / "new"], "Valid", unit="question", correct="rogan-gladen"))
    wanted = rogan_gladen(label_first(truth()), kind(truth(), 15))
    assert (one.correction.value, one.correction.low) == pytest.approx((wanted.value, wanted.low))


def test_differences_are_corrected_pair_by_pair(folder):
    scores = score([folder / "new", folder / "old"], "Valid", unit="question", correct="ppi")
    (one,) = corrected_differences(scores, compare(scores))
    labels = label_first(truth(seed=5)) - label_first(truth(seed=7))
    values = kind(truth(seed=5), 15) - kind(truth(seed=7), 17)
    wanted = prediction_powered(labels, values, small="leverage")
    assert (one.correction.value, one.correction.p) == pytest.approx((wanted.value, wanted.p()))
    assert one.p_adjusted == one.correction.p
    assert corrected_differences(scores, compare(scores)).rows()[0]["raw"] == pytest.approx(values.mean())


def test_a_gate_is_decided_by_the_labels(folder):
    how = {"unit": "question", "correct": "ppi"}
    rules = ["Valid > 0.6", "Valid >= -0.5"]
    by_judge = gate(folder / "new", folder / "old", rules, unit="question", by="llm")
    by_labels = gate(folder / "new", folder / "old", rules, **how)
    assert [one.outcome for one in by_judge.decisions] == ["pass", "pass"]
    assert [one.outcome for one in by_labels.decisions] == ["undecided", "pass"]
    first = by_labels.decisions[0]
    wanted = expected(5, level=0.9)
    assert (first.value, first.low, first.high) == pytest.approx((wanted.value, wanted.low, wanted.high))
    assert first.p == pytest.approx(wanted.p_above(0.6))
    assert by_labels.rows()[0]["labels"] == LABELLED
    few = gate(folder / "new", folder / "old", rules, correct="ppi")
    assert {one.outcome for one in few.decisions} == {"undecided"}


def test_what_is_no_mean_of_questions_is_not_corrected(folder):
    found = corrections(score([folder / "new"], "NumRet", unit="question", correct="ppi"))
    assert found[0].correction.why == "it is no mean of the questions"


@pytest.mark.parametrize(
    "how, match",
    [
        ({"correct": "boost"}, "ppi or rogan-gladen"),
        ({"sample": "x.csv"}, "--correct"),
        ({"correct": "ppi", "by": "human:ana"}, "no judge"),
        ({"correct": "ppi", "relevance": "human"}, "no judge"),
    ],
)
def test_what_cannot_be_is_refused(folder, how, match):
    with pytest.raises(SpecError, match=match):
        score([folder / "new"], "Valid", **how)


def test_without_people_there_is_nothing_to_correct_by(tmp_path):
    run = make_run(tmp_path / "run", [make_item("0")], [make_answer(item="0", text="an answer")], [valid(0, 1)])
    with pytest.raises(SpecError, match="human"):
        score([run], "Valid", correct="ppi")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run whose hits a judge graded; a person graded those of the first fifty questions, not all to the end."""
    rng = np.random.default_rng(1)
    items = [make_item(str(n), expects="results") for n in range(N)]
    answers = [make_answer("a b c" if n % 5 else "", item=str(n)) for n in range(N)]
    verdicts = []
    for n in range(N):
        for doc in "abc" if n % 5 else "":
            right = float(rng.random() < 0.5)
            by_judge = right if rng.random() < 0.8 else 1.0
            verdicts.append(make_verdict(doc, "relevance", by_judge, LLM, str(n)))
            if n < 50 and not (doc == "c" and n % 2):
                verdicts.append(make_verdict(doc, "relevance", right, ANA, str(n)))
    return make_run(tmp_path_factory.mktemp("hits") / "run", items, answers, verdicts)


class TestHits:
    """Labels of hits: a question counts where people graded every hit that the metric looks at."""

    def test_down_to_the_rank_that_the_metric_looks_at(self, run):
        scores = score([run], "P@2 P@3 nDCG@2", correct="ppi")
        found = {one.metric: one.correction for one in corrections(scores)}
        assert found["P@2"].labels == found["nDCG@2"].labels == 40
        assert found["P@3"].labels == 20
        assert "20 labelled" in found["P@3"].why

    def test_empty_answers_need_no_people_and_count_for_what_they_are(self, run):
        scores = score([run], "P@2", correct="ppi")
        (one,) = corrections(scores)
        judge, people = scores.values("P@2"), score([run], "P@2", relevance="human").values("P@2")
        some = np.arange(N) % 5 > 0
        rated = some & (np.arange(N) < 50)
        rest = prediction_powered(np.where(rated, people, math.nan)[some], judge[some])
        assert one.correction.value == pytest.approx(0.8 * rest.value)

    def test_rogan_gladen_says_that_they_stand_in_its_way(self, run):
        found = corrections(score([run], "Success P@2", correct="rogan-gladen"))
        assert "use ppi" in found[0].correction.why
        assert "0 or 1" in found[1].correction.why


class TestSample:
    """How the questions were drawn, by a file."""

    def write(self, path, rows, head="item,draw,stratum,probability"):
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    def test_strata(self, folder, tmp_path):
        judge = kind(truth(), 15)
        rows = [f"{n},{n if n < LABELLED else ''},{judge[n]:.0f},0.4" for n in range(N)]
        sample = self.write(tmp_path / "plan.csv", rows)
        (one,) = corrections(score([folder / "new"], "Valid", unit="question", correct="ppi", sample=sample))
        wanted = prediction_powered(label_first(truth()), judge, strata=judge.astype(int))
        assert (one.correction.value, one.correction.high) == pytest.approx((wanted.value, wanted.high))
        assert one.correction.method == "ppi(stratified)"

    def test_chances(self, folder, tmp_path):
        judge, chances = kind(truth(), 15), np.where(np.arange(N) < 20, 0.2, 0.5)
        rows = [f"{n},{n if n < LABELLED else ''},,{chances[n]}" for n in range(N)]
        sample = self.write(tmp_path / "plan.csv", rows)
        (one,) = corrections(score([folder / "new"], "Valid", unit="question", correct="ppi", sample=sample))
        wanted = weighted_prediction_powered(label_first(truth()), judge, chances)
        assert (one.correction.value, one.correction.low) == pytest.approx((wanted.value, wanted.low))
        assert "fewer than 100 labels" in one.correction.caution

    def test_only_what_was_drawn_counts(self, folder, tmp_path):
        rows = [f"{n},{n if n < 32 else ''},x,0.4" for n in range(N)]
        sample = self.write(tmp_path / "plan.csv", rows)
        (one,) = corrections(score([folder / "new"], "Valid", unit="question", correct="ppi", sample=sample))
        assert one.correction.labels == 32

    def test_strata_without_labels_are_named(self, folder, tmp_path):
        rows = [f"{n},1,{'late' if n > 60 else 'early'},0.4" for n in range(N)]
        sample = self.write(tmp_path / "plan.csv", rows)
        (one,) = corrections(score([folder / "new"], "Valid", unit="question", correct="ppi", sample=sample))
        assert "1 of the strata" in one.correction.why

    @pytest.mark.parametrize(
        "rows, head, match",
        [
            (["0,1"], "item,draw", "stratum or probability"),
            (["0,a"], "query,stratum", 'no column "item"'),
            (["0,1.5"], "item,probability", "is not a number above 0 and at most 1"),
            (["0,x"], "item,probability", "is not a number above 0 and at most 1"),
            (["0,1", "0,1"], "item,probability", "comes twice"),
            (["0,1"], "item,probability", "'1' of .* is not in it"),
        ],
    )
    def test_what_cannot_be_read(self, folder, tmp_path, rows, head, match):
        sample = self.write(tmp_path / "plan.csv", rows, head)
        with pytest.raises(InputError, match=match):
            score([folder / "new"], "Valid", correct="ppi", sample=sample)


def test_few_labels_apart_are_a_caution(tmp_path):
    items = [make_item(str(n)) for n in range(N)]
    docs = [make_answer("a b", item=str(n)) for n in range(N)]
    grades = [make_verdict(doc, "relevance", 1.0, LLM, str(n)) for n in range(N) for doc in "ab"]
    grades += [
        make_verdict(doc, "relevance", float(n > 3 or doc == "a"), ANA, str(n)) for n in range(40) for doc in "ab"
    ]
    run = make_run(tmp_path / "run", items, docs, grades)
    (one,) = corrections(score([run], "P@2", correct="ppi"))
    assert one.correction.value < 1
    assert "all but 4 labels are the same" in one.correction.caution


def test_a_metric_that_names_its_judge_is_corrected_as_well(folder):
    (one,) = corrections(score([folder / "new"], [Metric.of("Valid(by=llm:m)")], unit="question", correct="ppi"))
    assert (one.metric, one.correction.value) == ("Valid(by=llm:m)", pytest.approx(expected(5).value))


def test_rows_and_tables_say_the_same(folder):
    found = corrections(score([folder / "new", folder / "old"], "Valid", unit="question", correct="ppi"), ["kind"])
    assert found.table().columns[:3] == ["metric", "run", "group"]
    assert str(found).count("kind=a") == 2
    (first, *_) = found.rows()
    assert (first["run"], first["labels"], first["method"]) == ("new", LABELLED, "ppi")
    pairs = corrected_differences(
        scores := score([folder / "new", folder / "old"], "Valid", correct="ppi"), compare(scores)
    )
    assert "20" in str(pairs)


def test_a_judge_no_better_than_chance_is_not_taken_back(tmp_path):
    items = [make_item(str(n)) for n in range(60)]
    verdicts = [valid(n, n % 2) for n in range(60)] + [valid(n, n // 2 % 2, ANA) for n in range(40)]
    run = make_run(tmp_path / "run", items, [make_answer(item=str(n), text="an answer") for n in range(60)], verdicts)
    (one,) = corrections(score([run], "Valid", correct="rogan-gladen"))
    assert "no better than chance" in one.correction.why


def test_labels_that_show_no_chance_give_no_interval(tmp_path):
    items = [make_item(str(n)) for n in range(60)]
    verdicts = [make_verdict("a", "relevance", 1.0, LLM, str(n)) for n in range(60)]
    verdicts += [make_verdict("a", "relevance", 2.0, ANA, str(n)) for n in range(40)]
    run = make_run(tmp_path / "run", items, [make_answer("a", item=str(n)) for n in range(60)], verdicts)
    (one,) = corrections(score([run], "DCG@1", correct="ppi"))
    assert "show no chance" in one.correction.why


def test_several_judges_must_be_told_apart(tmp_path):
    items = [make_item(str(n)) for n in range(40)]
    verdicts = [valid(n, n % 2, by) for n in range(40) for by in ("llm:a", "llm:b", ANA)]
    run = make_run(tmp_path / "run", items, [make_answer(item=str(n), text="an answer") for n in range(40)], verdicts)
    with pytest.raises(SpecError, match="choose one"):
        score([run], "Valid", correct="ppi")
    (one,) = corrections(score([run], "Valid", correct="ppi", by="llm:b"))
    assert one.correction.value == pytest.approx(0.5)
