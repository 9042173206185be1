"""Drift of a run of which a judge saw a random part."""

from datetime import date, datetime, timedelta

from builders import make_item, make_run

from neraca.comparisons.drift import drift
from neraca.judges.judge import judge
from neraca.records import Answer, Verdict
from neraca.reports.sentences.drift import cautions


class ByText:
    by = "llm:test#1"

    def judge(self, pairs, session):
        for item, answer in pairs:
            value = float(answer.text == "good")
            yield Verdict(item=item.id, about="answer", aspect="valid", by=self.by, value=value)


def test_the_reference_counts_drawn_turns_and_the_draw_is_said(tmp_path):
    start = datetime(2026, 9, 7)
    answers = [
        Answer(item=str(k), text="good" if k % 3 else "bad", at=(start + timedelta(hours=2 * k)).isoformat() + "Z")
        for k in range(840)  # ten weeks of 84 turns
    ]
    run = make_run(tmp_path / "live", [make_item(str(k)) for k in range(840)], answers)
    judge(run, ByText(), draw=420, seed=1)
    result = drift(run, "Valid", today=date(2026, 12, 1))
    # a hundred drawn turns are those of more than two weeks; all turns of two weeks would be 168
    assert result.reference.last >= 2
    [trend] = result.trends
    assert result.reference_sessions == trend.reference.n
    assert trend.reference.unscored == trend.since.unscored == 0
    assert trend.reference.n + trend.since.n == 420
    assert "Valid rests on 420 of 840 answers, drawn at random (seed 1)" in " ".join(cautions(result))
