"""The number of ratings with each value of a scale, with its words, in every format."""

import json

import openpyxl
import pytest
from builders import make_run
from drawn import to_html

from neraca import report, score
from neraca.people.write_verdicts import write_verdicts
from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import MANIFEST, Run

ITEMS = [Item(id=f"q{n}", query=f"question {n}") for n in range(4)]
SCALE, GRADES = "1=wrong;2=partly right;3=right", "0=no;1=partly;2=yes"


def rated(path, by_person, scale=SCALE, grades=GRADES):
    """Make a run of answers with a hit each, from person → quality of each answer; the grade of its hit is one less."""
    answers = [Answer(item=item.id, text=f"{path.name} {item.id}", hits=(Hit(id="d"),)) for item in ITEMS]
    run = make_run(path, ITEMS, answers)
    verdicts = [
        Verdict(item=item.id, about=about, aspect=aspect, by=f"human:{person}", value=value, at="2026-01-31T09:30:00Z")
        for person, values in by_person.items()
        for item, quality in zip(ITEMS, values, strict=True)
        for about, aspect, value in (("answer", "quality", quality), ("hit:d", "relevance", quality - 1))
    ]
    write_verdicts([run], [verdicts], scale, grades)
    return Run(path)


@pytest.fixture
def runs(tmp_path):
    a = rated(tmp_path / "a", {"Ana": [1, 3, 3, 3], "Budi": [1, 1, 3, 3]})
    return [a, rated(tmp_path / "b", {"Ana": [1, 1, 1, 3]})]


def test_ratings_are_counted_by_value_also_values_that_nobody_gave(runs):
    """a: 1 was given 3 times and 3 five times by two people; nobody said 2."""
    made = report(score(runs, ["Rubric(quality)"]))
    quality, relevance = made.ratings
    assert (quality.aspect, quality.raters) == ("quality", 2)
    assert dict(quality.words) == {1: "wrong", 2: "partly right", 3: "right"}
    assert quality.counts == {"a": (3, 0, 5), "b": (3, 0, 1)}
    assert (relevance.aspect, relevance.counts) == ("relevance", {"a": (3, 0, 5), "b": (3, 0, 1)})
    page = to_html(made)
    assert "2: partly right" in page
    assert "Ratings of quality by 2 people: how often each value was given" in page
    assert any("graded from 1 to 3 (1: wrong; 2: partly right; 3: right)" in note for note in made.notes)


def test_a_workbook_and_json_have_the_words_beside_the_values(runs, tmp_path):
    made = report(score(runs, ["Rubric(quality)"]))
    made.save(tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    head, *rows = book["Ratings"].iter_rows(values_only=True)
    assert head == ("Aspect", "Value", "In words", "Run", "Ratings", "Share", "Number of raters")
    assert rows[0] == ("quality", 1, "wrong", "a", 3, 3 / 8, 2)
    assert book["Ratings"]["F2"].number_format == "0.0%"
    head, *rows = book["Verdicts"].iter_rows(values_only=True)
    places = [head.index(name) for name in ("Aspect", "Value", "In words")]
    assert {tuple(row[place] for place in places) for row in rows} == {
        *(("quality", 1, "wrong"), ("quality", 3, "right"), ("relevance", 0, "no"), ("relevance", 2, "yes")),
    }
    made.save(tmp_path / "report.json")
    tables = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["tables"]
    assert tables["ratings"][1]["words"] == "partly right"


def test_runs_that_were_rated_before_words_were_kept_open_and_show_values_alone(tmp_path):
    run = rated(tmp_path / "a", {"Ana": [1, 3, 3, 3]})
    file = run.path / MANIFEST
    manifest = json.loads(file.read_text(encoding="utf-8"))
    del manifest["scale_words"]
    file.write_text(json.dumps(manifest), encoding="utf-8")
    quality, _ = report(score(Run(run.path), ["Rubric(quality)"])).ratings
    assert dict(quality.words) == {1: "", 3: ""}
    assert quality.counts == {"a": (1, 3)}


def test_words_that_a_run_has_stay_and_a_scale_without_words_takes_none_away(tmp_path):
    run = rated(tmp_path / "a", {"Ana": [1, 3, 3, 3]})
    for scale in ("1-3", "1=salah;2=sebagian;3=benar"):
        again = Verdict(item="q0", about="answer", aspect="quality", by="human:Budi", value=2)
        write_verdicts([run], [[again]], scale)
        assert Run(run.path).manifest.scale_words["quality"] == {"1": "wrong", "2": "partly right", "3": "right"}
    assert "relevance" not in rated(tmp_path / "b", {"Ana": [1, 2, 3, 3]}, grades="").manifest.scale_words
