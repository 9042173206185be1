"""`neraca generate` writes a folder that every command reads."""

import json

import polars as pl

ROWS = {
    "id": [f"h{n}" for n in range(30)],
    "city": ["Leeds", "York", "Hull"] * 10,
    "price": [100 * n for n in range(30)],
}


def test_from_a_table_to_scores(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(ROWS).write_csv("homes.csv")
    told = cli("generate", "homes.csv", "--language", "en", "-n", "8", "--out", "q")
    assert told.code == 0, told.err
    assert "8 questions about 30 records of homes.csv, 4 of them in " in told.out
    assert {path.name for path in (tmp_path / "q").iterdir()} == {
        "card.html",
        "card.json",
        "card.md",
        "questions.jsonl",
    }
    lines = [{"id": "h1"}] * 8
    questions = [json.loads(line) for line in (tmp_path / "q/questions.jsonl").read_text("utf-8").splitlines()]
    answers = [{"id": question["id"], "hits": [line]} for question, line in zip(questions, lines, strict=True)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert cli("ask", "q", "--target", "replay:a.jsonl", "--out", "run").code == 0
    scored = cli("score", "run", "-m", "P@5")
    assert scored.code == 0, scored.err
    assert "8 of 8 questions are generated questions" in " ".join((scored.out + scored.err).split())


def test_json_lines_and_errors(cli, tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "homes.csv")
    told = cli("generate", tmp_path / "homes.csv", "--language", "en", "-n", "4", "--out", tmp_path / "q", "--json")
    assert [json.loads(line)["id"] for line in told.out.splitlines()] == ["c1", "c2", "f1", "f2"]
    again = cli("generate", tmp_path / "homes.csv", "--language", "en", "--out", tmp_path / "q")
    assert again.code == 2
    assert "there are questions already" in again.err
    nothing = cli("generate", tmp_path / "no.csv", "--out", tmp_path / "r")
    assert nothing.code == 2
    assert "no such file" in nothing.err
