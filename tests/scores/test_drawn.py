"""Scores of runs of which a judge saw a random part."""

import numpy as np
import pytest
from builders import make_item, make_run

from neraca.comparisons.compare import compare
from neraca.comparisons.gate import gate
from neraca.datasets.dataset import Dataset
from neraca.datasets.sample_table import read_sample
from neraca.errors import SpecError
from neraca.judges.judge import judge
from neraca.metrics.metric import Metric
from neraca.records import Answer, Hit, Verdict
from neraca.reports.sentences.cautions import ungraded
from neraca.reports.sentences.notes import notes
from neraca.reports.sentences.untested_questions import unpaired
from neraca.runs.run import Run
from neraca.scores.drawn import drawn_scores
from neraca.scores.ranking_basis import judged_share
from neraca.scores.right_empties import count_right_empties
from neraca.scores.score import score
from neraca.scores.undrawn import NOT_DRAWN

N = 120


class ByText:
    """Says that an answer is valid if its text is "good"; decides nothing about failed answers."""

    by = "llm:test#1"

    def judge(self, pairs, session):
        for item, answer in pairs:
            if not answer.failed:
                value = float(answer.text == "good")
                yield Verdict(item=item.id, trial=answer.trial, about="answer", aspect="valid", by=self.by, value=value)


class ByConversation(ByText):
    whole_sessions = True


def answers_of(n=N, failed=4, good=3):
    """Every fourth answer failed, and of the others every third is good."""
    return [
        Answer(item=str(k), status="error", error="down")
        if k % failed == 0
        else Answer(item=str(k), text="good" if k % good == 0 else "bad")
        for k in range(n)
    ]


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "live", [make_item(str(k)) for k in range(N)], answers_of())


def test_the_run_keeps_the_chance_of_each_answer_and_another_draw_of_it_holds_the_smaller_one(run):
    result = judge(run, ByText(), draw=30, seed=1)
    assert "30 of 120 answers (seed 1)" in result.note
    record = Run(run.path).manifest.draws["llm:test#1"]
    assert (record.n, record.of, record.unit, record.seed) == (30, 120, "answer", 1)
    small = read_sample(run.path / record.file)
    assert len(small) == 120
    assert {draw.probability for draw in small.values()} == {0.25}
    drawn = {item for item, draw in small.items() if draw.drawn}
    assert {verdict.item for verdict in run.verdicts()} <= drawn
    assert len(drawn) == 30
    judge(run, ByText(), draw=60, seed=1)
    large = read_sample(run.path / record.file)
    assert drawn < {item for item, draw in large.items() if draw.drawn}


def test_failed_answers_that_were_not_drawn_do_not_lower_the_mean(run):
    # 30 of 120 answers are good: 0.25.  If the 30 failed answers all counted, beside a third of the others, the mean
    # would be 10 / (30 + 30) = 0.17.
    means = []
    for seed in range(60):
        judge(run, ByText(), draw=40, seed=seed)
        scores = score(run, "Valid")
        [only] = scores.overall()
        assert (only.n, only.unscored, only.drawn_of) == (40, 0, 120)
        means.append(only.value)
    spread = np.sqrt(0.25 * 0.75 / 40 * (1 - 40 / 120) / 60)
    assert np.mean(means) == pytest.approx(0.25, abs=3 * spread)


def test_a_metric_that_needs_no_judge_rests_on_all_answers_and_the_note_names_the_others(run):
    judge(run, ByText(), draw=30, seed=1)
    scores = score(run, "Valid Words")
    assert [(row.n, row.drawn_of) for row in scores.overall()] == [(30, 120), (120, 0)]
    assert set(scores.runs[0].why("Valid").values()) == {NOT_DRAWN}
    assert "30 of 120" in scores.overall().table().rows[0]
    said = " ".join(notes(scores))
    assert "live: Valid rests on 30 of 120 answers, drawn at random (seed 1) for the judge llm:test#1" in said
    assert "with all of them judged, this judge would give Valid" in said


def test_with_all_judged_the_record_goes_and_all_count(run):
    judge(run, ByText(), draw=30, seed=1)
    judge(run, ByText())
    assert not run.manifest.draws
    assert not list(run.path.glob("draw-*"))
    assert score(run, "Valid").overall()[0].n == 120
    assert judge(run, ByText(), draw=500).note.startswith("drawn at random: 120 of 120")
    assert not run.manifest.draws


def test_the_same_seed_draws_the_same_questions_in_two_runs_and_other_seeds_are_named(run, tmp_path):
    other = make_run(tmp_path / "new", [make_item(str(k)) for k in range(N)], answers_of(good=2))
    for folder, seed in ((run, 1), (other, 1)):
        judge(folder, ByText(), draw=30, seed=seed)
    scores = score([run, other], "Valid")
    assert compare(scores)[0].n == 30
    assert "different random parts" not in " ".join(notes(scores))
    judge(other, ByText(), draw=30, seed=2)
    scores = score([run, other], "Valid")
    both = scores.runs[0].draws["Valid"].drawn & scores.runs[1].draws["Valid"].drawn
    assert compare(scores)[0].n == both.sum() < 30
    assert "different random parts" in " ".join(notes(scores))


def test_a_gate_does_not_take_undrawn_questions_for_lost_ones(run, tmp_path):
    judge(run, ByText())
    other = make_run(tmp_path / "new", [make_item(str(k)) for k in range(N)], answers_of())
    judge(other, ByText(), draw=60, seed=1)
    [decision] = gate(other, run, "Valid >= -0.3").decisions
    assert decision.lost == 0
    assert decision.n == 60


class ByHits(ByText):
    """Says that the only hit of an answer is relevant."""

    def judge(self, pairs, session):
        for item, answer in pairs:
            for hit in answer.hits:
                yield Verdict(item=item.id, about=f"hit:{hit.id}", aspect="relevance", by=self.by, value=1.0)


def test_questions_that_one_draw_alone_has_are_not_counted_by_another_form_of_the_metric(tmp_path):
    """By the draw they lack a value, not by an empty answer, so `empty=correct` cannot count them."""
    items = [make_item(str(k)) for k in range(20)]
    answers = [Answer(item=item.id, hits=(Hit(id="d"),)) for item in items]
    runs = [make_run(tmp_path / name, items, answers) for name in "ab"]
    for seed, each in enumerate(runs):
        judge(each, ByHits(), draw=8, seed=seed)
    scores = score(runs, "P@1")
    counting = count_right_empties(scores, Metric.of("P@1"))
    assert [run.draws["P@1"].drawn.sum() for run in scores.runs] == [8, 8]
    for before, after in zip(scores.runs, counting.runs, strict=True):
        assert np.isnan(before.values("P@1")).sum() == 12
        np.testing.assert_array_equal(after.values(counting.metrics[0]), before.values("P@1"))
    (difference,) = compare(scores)
    (pair,) = unpaired(scores, [difference], "P@1")
    assert pair.n > 0
    assert pair.counting is None


def test_hits_of_undrawn_answers_are_not_called_unjudged(tmp_path):
    """No number counts them, so a caution that they are taken for not relevant would be untrue."""
    items = [make_item(str(k)) for k in range(20)]
    run = make_run(tmp_path / "live", items, [Answer(item=item.id, hits=(Hit(id="d"),)) for item in items])
    judge(run, ByHits(), draw=8, seed=1)
    scores = score(run, "P@1")
    assert judged_share(scores.runs[0], 1) == 1
    assert [*ungraded(scores)] == []


def test_answers_that_came_after_the_draw_had_no_chance_and_are_counted(run):
    judge(run, ByText(), draw=30, seed=1)
    with run.writing():
        run.extend(Dataset((*run.items, make_item("late")), "questions.csv"))
        run.answers_journal.append(Answer(item="late", status="error", error="down"))
    scores = score(run, "Valid")
    assert (scores.overall()[0].n, scores.overall()[0].drawn_of) == (30, 120)
    assert "1 answer had no chance to be drawn" in " ".join(notes(scores))


def test_whole_conversations_are_drawn_for_a_judge_of_conversations(tmp_path):
    items = [make_item(str(k), session=f"s{k // 4}") for k in range(N)]
    run = make_run(tmp_path / "live", items, answers_of())
    judge(run, ByConversation(), draw=10, seed=1)
    record = run.manifest.draws["llm:test#1"]
    assert (record.n, record.of, record.unit) == (10, 30, "conversation")
    [part] = drawn_scores(score(run, "Valid", unit="question"))
    assert part.part.drawn.sum() == 40
    drawn = part.part.drawn.reshape(30, 4)
    assert (drawn.all(axis=1) == drawn.any(axis=1)).all()


def test_a_draw_of_nothing_is_refused(run):
    with pytest.raises(SpecError, match="1 answer or more"):
        judge(run, ByText(), draw=0)
