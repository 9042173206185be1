"""`neraca prefer`, as a user types it."""

from __future__ import annotations

import json

from comparisons.test_preferences import add_preferences, runs


def test_a_table_and_what_it_says(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b, c = runs(tmp_path, "a b c")
    add_preferences(a, b, [1, 1, 0, 1, 0.5, 1, 1, 0])
    add_preferences(b, c, [1, 0, 1, 1, 1, 0.5, 0, 1])
    told = cli("prefer", "a", "b", "c")
    assert [line.split()[0] for line in told.out.splitlines()[4:7]] == ["a", "b", "c"]
    assert told.code == 0, told.err
    assert "8 of 24 pairs of answers were not compared" in told.out
    rows = [json.loads(line) for line in cli("prefer", "a", "b", "c", "--json", "--length").out.splitlines()]
    assert [row.get("run") for row in rows] == ["a", "b", "c"]
    assert {"preferred", "strength", "low", "high", "wins", "ties", "losses", "n"} <= rows[0].keys()


def test_runs_that_nobody_compared(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs(tmp_path)
    told = cli("prefer", "a", "b")
    assert "nobody compared the answers of a, b; let a model do so (neraca judge RUN RUN --judge pairwise" in told.err
