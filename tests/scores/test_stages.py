"""Which stage is shown to be weak, and which is first: by hand, beside scipy, and by simulation."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from staged import around, staged

from neraca.metrics.scorable import Scorable
from neraca.scores import stages as subject
from neraca.scores.stages import FEWEST, stages

PIPELINE = ("ContextRecall", "ContextPrecision", "Faithfulness")


def stages_of(values, **more):
    (one,) = stages(staged(values, **more))
    return one


def verdicts(values, **more):
    return {one.stage: one.verdict for one in stages_of(values, **more).standings}


def test_a_stage_is_weak_or_good_only_where_its_whole_interval_is():
    assert verdicts({"ContextRecall": around(0.5), "Faithfulness": around(0.9), "ContextPrecision": around(0.8)}) == {
        "finding": "weak",
        "ranking": "open",
        "grounding": "good",
    }


def test_intervals_are_bonferronis_by_scipy():
    one = stages_of({name: around(0.6 + n / 20) for n, name in enumerate(PIPELINE)})
    assert one.level == pytest.approx(1 - 0.05 / 3)
    values = around(0.65)
    low, high = stats.t.interval(one.level, 29, np.mean(values), stats.sem(values))
    standing = one.of("ranking")
    assert (standing.score.low, standing.score.high) == (pytest.approx(low), pytest.approx(high))
    assert (standing.metric, standing.score.n, standing.clusters) == ("ContextPrecision", 30, 30)


def test_too_few_questions_say_nothing_nor_do_too_few_sessions():
    assert verdicts({"Faithfulness": around(0.2, FEWEST - 1)}) == {"grounding": "open"}
    assert verdicts({"Faithfulness": around(0.2, FEWEST)}) == {"grounding": "weak"}
    sessions = [f"s{n // 2}" for n in range(2 * FEWEST - 2)]
    assert verdicts({"Faithfulness": around(0.2, 2 * FEWEST - 2)}, sessions=sessions) == {"grounding": "open"}
    half = [value if n % 2 else None for n, value in enumerate(around(0.2, 2 * FEWEST - 2))]
    assert verdicts({"Faithfulness": half}) == {"grounding": "open"}


def test_where_all_say_the_same_there_is_no_interval_and_no_verdict():
    assert verdicts({"ContextRecall": [0.5] * 40}) == {"finding": "open"}
    assert verdicts({"ContextRecall": [0.0] * 40}) == {"finding": "weak"}  # a share has Wilson's
    assert verdicts({"ContextRecall": [None] * 40}) == {"finding": "open"}


def test_the_lowest_comes_first_where_the_pairs_show_it():
    one = stages_of(
        {"ContextRecall": around(0.6), "ContextPrecision": around(0.5, step=0.06), "Faithfulness": around(0.9)}
    )
    assert one.first.stage == "ranking"
    (lower,) = one.lower
    expected = stats.ttest_rel(around(0.6), around(0.5, step=0.06))
    assert (lower.lower, lower.higher, lower.n) == ("ranking", "finding", 30)
    assert lower.difference == pytest.approx(0.1)
    assert lower.p == pytest.approx(expected.pvalue)


def test_where_they_do_not_the_earlier_stage_does():
    noise = np.random.default_rng(1).normal(0, 0.1, (2, 30))
    one = stages_of({"Faithfulness": 0.5 + noise[0], "ContextRecall": 0.52 + noise[1]})
    assert one.lower == ()
    assert [standing.stage for standing in one.weak] == ["finding", "grounding"]
    assert one.first.stage == "finding"


def test_the_p_of_three_pairs_are_holms():
    noise = np.random.default_rng(3).normal(0, 0.1, (3, 30))
    values = dict(zip(PIPELINE, (0.6 + noise[0], 0.5 + noise[1], 0.4 + noise[2]), strict=True))
    p = {
        (a, b): stats.ttest_rel(values[a], values[b]).pvalue
        for a, b in ((PIPELINE[0], PIPELINE[1]), (PIPELINE[0], PIPELINE[2]), (PIPELINE[1], PIPELINE[2]))
    }
    least, middle, most = sorted(p.values())
    holm = [3 * least, max(3 * least, 2 * middle), max(3 * least, 2 * middle, most)]
    assert sorted(lower.p for lower in stages_of(values).lower) == pytest.approx(holm)


def test_questions_of_one_session_are_one_source_of_chance():
    """Pairs of equal questions: their means are the sample, of half as many."""
    a, b = around(0.6, 24), around(0.5, 24, step=0.2)
    one = stages_of(
        {"ContextRecall": np.repeat(a, 2), "Faithfulness": np.repeat(b, 2)}, sessions=[f"s{n // 2}" for n in range(48)]
    )
    (lower,) = one.lower
    assert lower.p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert one.of("finding").clusters == 24


def test_only_questions_scored_in_both_are_compared():
    """Faithfulness is lower on all questions, and higher on those that have both."""
    recall = [*around(0.5, 30), *[None] * 30]
    faithful = [*around(0.6, 30, step=0.04), *around(0.1, 30)]
    one = stages_of({"ContextRecall": recall, "Faithfulness": faithful})
    assert one.of("grounding").score.value < one.of("finding").score.value
    assert one.first.stage == "finding"
    assert one.lower[0].n == 30


def test_answering_looks_only_where_everything_was_found():
    recall = [1.0] * 25 + around(0.3, 25)
    right = around(0.9, 25) + around(0.1, 25)
    one = stages_of({"ContextRecall": recall, "AnswerCorrectness": right})
    assert {standing.stage: standing.verdict for standing in one.standings} == {
        "finding": "weak",
        "answering": "good",
        "outcome": "weak",
    }
    assert one.of("answering").score.value == pytest.approx(0.9)
    assert [standing.stage for standing in one.weak] == ["finding"]
    assert one.level == pytest.approx(1 - 0.05 / 3)


def test_answering_is_never_compared_since_finding_chose_its_questions():
    recall = [1.0] * 25 + [0.0] * 25
    one = stages_of({"ContextRecall": recall, "AnswerCorrectness": around(0.2, 50)})
    assert [standing.stage for standing in one.weak] == ["finding", "answering"]
    assert one.lower == ()
    assert one.first is None, "25 bad answers come from each"


def test_without_recall_nobody_knows_where_answers_go_wrong():
    one = stages_of({"AnswerCorrectness": around(0.2)})
    assert [standing.stage for standing in one.standings] == ["outcome"]
    assert one.first is None


def test_the_first_metric_of_a_stage_counts_and_no_other():
    one = stages_of({"ClaimRecall": around(0.2), "ClaimF": around(0.9), "Faithfulness": around(0.9)})
    assert one.of("outcome").metric == "ClaimF"
    assert stages(staged({"TokenF1": around(0.2)})) == ()


def test_the_worst_questions_are_those_below_enough_lowest_first():
    values = [0.9, 0.3, None, 0.1, 0.3, *around(0.9, 30)]
    assert stages_of({"Faithfulness": values}).of("grounding").worst == (3, 1, 4)
    (one,) = stages(staged({"Faithfulness": values}), most=2)
    assert one.of("grounding").worst == (3, 1)


def simulated(mean, times=150, size=30, seed=0):
    """How often a weak stage is called, and a lower one, where every stage has the same mean."""
    chance = np.random.default_rng(seed)
    weak = lower = 0
    for _ in range(times):
        one = stages_of({name: chance.binomial(4, mean, size) / 4 for name in PIPELINE})
        weak += bool(one.weak)
        lower += bool(one.lower)
    return weak / times, lower / times


#: Fault of a system that is otherwise good → the stage to mend, where somebody looked in the corpus.
FAULTS = {
    "lacks documents": "knowledge",
    "misses": "finding",
    "late": "ranking",
    "invents": "grounding",
    "ignores the contexts": "grounding",
    "refuses": "answering",
    "": None,
}
CLAIMS, HITS = 4, 5


def question_of(fault, chance, looking):
    """What is there and was found of it, recall, order, faithfulness and F of one answer.

    Half of the answers show the fault, a twentieth another slip.  Who looks in the corpus overlooks a claim of thirty
    that stands there, and believes to see one of thirty that does not.
    """
    shows = chance.random() < 0.5
    unknown = 0.5 if fault in ("misses", "lacks documents") and shows else 0.04
    known = int((chance.random(CLAIMS) > unknown).sum())
    seen = looking.binomial(known, 29 / 30)
    unseen_there = looking.binomial(CLAIMS - known, 1 / 30 if fault == "lacks documents" and shows else 29 / 30)
    there = seen + unseen_there
    helps = np.arange(HITS) < known
    if fault == "late" and shows:
        helps = helps[::-1]
    elif chance.random() < 0.3:
        chance.shuffle(helps)
    unseen = fault in ("late", "ignores the contexts") and shows
    repeated = chance.binomial(known, 0.3) if unseen else max(0, known - int(chance.random() < 0.05))
    made_up = int(chance.random() < 0.05)
    if fault in ("invents", "ignores the contexts") and shows:
        made_up = int(chance.integers(3, 7))
    if fault == "refuses" and shows:
        repeated = made_up = 0
    ranks = np.flatnonzero(helps)
    order = float(np.mean((np.arange(len(ranks)) + 1) / (ranks + 1))) if known else 0.0
    claims = repeated + made_up
    faithful = repeated / claims if claims else None
    of_corpus = there / CLAIMS, seen / there if there else None
    return *of_corpus, known / CLAIMS, order, faithful, 2 * repeated / (claims + CLAIMS)


NAMES = ("CorpusCoverage", "FindableRecall", "ContextRecall", "ContextPrecision", "Faithfulness", "ClaimF")


def called(fault, names, times=100, size=60):
    """How often each stage is called the first to mend, where these metrics are scored."""
    firsts = []
    for seed in range(times):
        chance, looking = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        values = zip(*(question_of(fault, chance, looking) for _ in range(size)), strict=True)
        columns = dict(zip(NAMES, map(list, values), strict=True))
        one = stages_of({name: columns[name] for name in names})
        firsts.append(one.first and one.first.stage)
    return {stage: firsts.count(stage) for stage in dict.fromkeys(firsts)}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_system_with_one_fault_is_sent_to_its_stage(fault):
    assert called(fault, NAMES).get(FAULTS[fault], 0) >= 90


@pytest.mark.parametrize("fault", FAULTS)
def test_where_nobody_looked_in_the_corpus_what_is_not_there_is_not_found(fault):
    assert called(fault, NAMES[2:]).get("finding" if fault == "lacks documents" else FAULTS[fault], 0) >= 90


def test_what_is_not_there_counts_neither_against_finding_nor_against_answers():
    """Of 40 questions 15 are in no document; all else is found, and said but once."""
    there, wrong = [0.0] * 15 + [1.0] * 25, [0.0] * 15 + [0.5] + [1.0] * 24
    values = {"CorpusCoverage": there, "ContextRecall": there, "ClaimF": wrong}
    one = stages_of(values)
    assert one.of("finding").metric == "ContextRecall"
    assert (one.of("finding").score.n, one.of("finding").score.value, one.of("finding").worst) == (25, 1, ())
    assert one.of("answering").score.n == 25
    assert one.causes.places == {
        "knowledge": tuple(range(15)),
        "finding": (),
        "grounding": (),
        "ranking": (),
        "answering": (15,),
    }
    assert one.first.stage == "knowledge"
    assert one.absent == tuple(range(15))
    findable = stages_of(values | {"FindableRecall": [None] * 15 + [1.0] * 25})
    assert findable.of("finding").metric == "FindableRecall"
    assert findable.of("finding").score.n == 25
    assert (findable.of("answering").score.n, findable.first.stage) == (25, "knowledge")


def test_what_was_found_all_the_same_is_not_called_absent():
    there = [0.0, 0.5, 0.9, None, *around(0.95, 30, step=0.01)]
    found_all = [1.0, 0.5, 0.1, 0.0, *[1.0] * 30]
    assert stages_of({"CorpusCoverage": there}).absent == (0, 1)
    assert stages_of({"CorpusCoverage": there, "ContextRecall": found_all}).absent == (1,)
    one = stages_of({"CorpusCoverage": there, "ContextRecall": found_all, "ClaimF": [0.1] * 34})
    assert one.causes.places["knowledge"] == (1,)
    assert one.causes.places["finding"] == (2, 3)


def test_without_recall_the_weak_stage_of_the_corpus_comes_first():
    values = {"CorpusCoverage": around(0.5), "FindableRecall": around(0.3), "ContextPrecision": around(0.6, step=0.06)}
    one = stages_of(values)
    assert one.first.stage == "knowledge"
    assert [(lower.lower, lower.higher) for lower in one.lower] == [("finding", "ranking")]
    assert stages_of(values | {"ClaimF": around(0.2)}).first.stage == "knowledge"


def test_the_same_contexts_in_a_better_system_clear_them():
    """Half of the answers are wrong; another system makes all of them right from the same contexts."""
    size = 40
    wrong = {"ContextRecall": [0.5] * size, "ContextPrecision": [0.4] * size, "ClaimF": [0.1, 1.0] * (size // 2)}
    alone = staged(wrong).runs[0]
    contexts = {"contexts": lambda: [["a", f"context {n}"] for n in range(size)]}
    pair = [
        replace(run, scorable=Scorable(run.name, size, contexts))
        for run in (alone, staged(wrong | {"ClaimF": [1.0] * size}, name="better").runs[0])
    ]
    scores = replace(staged(wrong), runs=tuple(pair))
    assert stages(staged(wrong))[0].first.stage == "finding"
    why = stages(scores)[0].causes
    assert (why.bad, why.cleared, why.others) == (20, 20, ("better",))
    assert stages(scores)[0].first.stage == "answering"
    other = {"contexts": lambda: [["a", "another context"]] * size}
    apart = replace(scores, runs=(pair[0], replace(pair[1], scorable=Scorable("better", size, other))))
    assert stages(apart)[0].first.stage == "finding"


def test_chance_alone_is_seldom_called_a_weak_stage():
    """Where every mean is just enough, one run of twenty may be called weak anywhere."""
    assert simulated(0.8)[0] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 150)


def test_chance_alone_is_seldom_called_a_lower_stage():
    weak, lower = simulated(0.5)
    assert weak > 0.95
    assert lower <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 150)


def test_the_simulation_would_notice_advice_by_values_alone(monkeypatch):
    monkeypatch.setattr(subject, "_verdict", lambda score, sources, enough: "weak" if score.value < enough else "good")
    assert simulated(0.8)[0] > 0.5
