import json

import pytest
from builders import make_answer, make_item, make_run

from neraca.records import Verdict


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Two questions with grades 1 and 0.5 of four, the others unscored."""
    monkeypatch.chdir(tmp_path)
    items = [make_item(f"q{n}") for n in (1, 2, 3, 4)]
    said = [
        Verdict(item=f"q{n}", about="answer", aspect=aspect, value=value, by="llm:m#abcdef", why="" if value else "no")
        for aspect in ("valid", "tone")
        for n, value in enumerate((1, 0.5, None, None), start=1)
    ]
    make_run(tmp_path / "run", items, [make_answer("a", item.id, text="t") for item in items], said)


def test_what_the_unscored_could_change_stands_beside_their_number(cli, judged):
    told = cli("score", "run", "-m", "Valid Rubric(tone)")
    assert told.code == 0, told.err
    # (1 + 0.5 + 0 + 0) / 4 and (1 + 0.5 + 1 + 1) / 4; grades have no range
    lines = {line.split()[0]: line.split() for line in told.out.splitlines() if line}
    assert lines["Valid"][-5:] == ["2", "2", "0.375", "to", "0.875"]
    assert lines["Rubric(tone)"][-2:] == ["2", "2"]
    assert "if all counted: between which values the mean of all lies" in told.out


def test_json_has_it_in_every_row(cli, judged):
    told = cli("score", "run", "-m", "Valid Rubric(tone)", "--json")
    valid, rubric = (json.loads(line) for line in told.out.splitlines())
    assert (valid["lowest"], valid["highest"]) == (0.375, 0.875)
    assert rubric["lowest"] is rubric["highest"] is None


def test_by_names_the_model_without_its_prompt(cli, judged):
    assert cli("score", "run", "-m", "Valid", "--by", "llm:m").code == 0
    told = cli("score", "run", "-m", "Valid", "--by", "llm:n")
    assert told.code == 2
    assert "did you mean llm:m" in told.err
