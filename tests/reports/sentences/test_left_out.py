"""What is said of answers that failed, and of trials."""

from builders import make_run

import neraca
from neraca.records import Answer, Hit, Item

ITEMS = [Item(id=f"q{n}", query=f"houses {n}?", relevant={"a": 1}) for n in range(4)]


def make(folder, trials, *failed):
    answers = [
        Answer(item=f"q{n}", trial=trial, status="error", error="gone")
        if (n, trial) in failed
        else Answer(item=f"q{n}", trial=trial, hits=(Hit(id="a"),))
        for n in range(4)
        for trial in range(trials)
    ]
    return make_run(folder, ITEMS, answers, trials=trials)


def test_answers_that_failed_and_trials_are_said_beside_scores(tmp_path):
    """Three of eight answers failed; P@1 is the mean of 1, 1, 0 and 1/2."""
    scores = neraca.score([make(tmp_path / "bot", 2, (2, 0), (2, 1), (3, 0))], "P@1")
    assert scores.mean("P@1", "bot") == 2.5 / 4
    notes = list(neraca.notes(scores))
    assert "bot: 3 of 8 answers failed (3 error); a failed answer counts as an empty one, and is never right" in notes
    assert "bot: each question was asked 2 times; the mean of its answers counts" in notes


def test_nothing_is_said_where_nothing_failed(tmp_path):
    notes = list(neraca.notes(neraca.score([make(tmp_path / "bot", 1)], "P@1")))
    assert not any("failed" in note or "times" in note for note in notes)


def test_compare_and_gate_say_it_too(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "old", 1), make(tmp_path / "new", 1, (1, 0))
    said = "new: 1 of 4 answers failed (1 error); a failed answer counts as an empty one, and is never right"
    assert said in cli("compare", "old", "new", "-m", "P@1").err
    assert said in cli("gate", "new", "--against", "old", "--rule", "P@1 >= -0.9").err


def test_sessions_of_a_table_of_values_are_said(cli, tmp_path):
    rows = "".join(f"q{n},s{n // 2},0.{n},0.{n + 1}\n" for n in range(8))
    (tmp_path / "s.csv").write_text(f"id,session,a,b\n{rows}", encoding="utf-8")
    for command in ("score", "compare"):
        told = cli(command, tmp_path / "s.csv", "--unit", "session")
        assert "rows of one session (column 'session') count as one source of chance" in told.err
