"""Scores of texts in a language: said, found, or nobody's; and the lines that say how they were made."""

import pytest
from builders import make_answer, make_item, make_run
from drawn import to_html, to_markdown

from neraca.errors import SpecError
from neraca.reports.report import report
from neraca.reports.sentences.notes import notes
from neraca.scores.score import score

SPANISH = (
    "La casa está en el centro de la ciudad y tiene dos baños, pero no hay jardín.",
    "No se sabe cuando fue, porque nadie lo ha dicho desde entonces; sin embargo también es muy antigua.",
)


def run_of(folder, references, answers, **tags):
    items = [make_item(str(n), references=(text,), tags=tags) for n, text in enumerate(references)]
    return make_run(folder / "run", items, [make_answer(item=str(n), text=text) for n, text in enumerate(answers)])


def values(run, metric, **options):
    return score([run], metric, **options).runs[0].values(metric).tolist()


def test_articles_of_the_language_said_fall_away(tmp_path):
    run = run_of(tmp_path, ["el gato"], ["gato"])
    assert values(run, "TokenF1", language="Spanish") == [1]
    assert values(run, "TokenF1", language="en") == values(run, "TokenF1") == [pytest.approx(2 / 3)]


def test_what_an_item_says_goes_before(tmp_path):
    run = run_of(tmp_path, ["el gato"], ["gato"], language="es")
    assert values(run, "TokenF1", language="en") == [1]


def test_auto_finds_it_and_says_so(tmp_path):
    run = run_of(tmp_path, SPANISH, [text.replace("La ", "").replace("el ", "") for text in SPANISH])
    scores = score([run], "TokenF1 P@5", language="auto")
    assert scores.runs[0].scorable.group.language == "es"
    (note,) = notes(scores)
    assert note.startswith("language found in the texts, not said: Spanish (es): ")
    assert list(scores.signatures) == ["TokenF1"]
    assert "|language:es(auto)|" in scores.signatures["TokenF1"]
    assert any(one.startswith("Language found in the texts, not said: Spanish") for one in report(scores).notes)


def test_auto_detects_nothing_where_every_item_names_its_language(tmp_path):
    scores = score([run_of(tmp_path, ["el gato"], ["gato"], language="es")], "TokenF1", language="auto")
    assert scores.runs[0].scorable.group.language != "es"
    assert scores.runs[0].values("TokenF1").tolist() == [1]


def test_an_unknown_language_of_an_item_is_named_with_the_item(tmp_path):
    with pytest.raises(SpecError, match="item '0', tag language: no language is called 'python'"):
        score([run_of(tmp_path, ["a"], ["b"], language="python")], "TokenF1")


def test_auto_is_not_asked_where_no_text_is_read(tmp_path):
    run = run_of(tmp_path, ["12"], ["x"])
    scores = score([run], "P@5", language="auto")
    assert (scores.signatures, list(notes(scores))) == ({}, [])
    with pytest.raises(SpecError, match="say it with --language"):
        score([run], "TokenF1", language="auto")


def test_a_language_said_is_no_note(tmp_path):
    run = run_of(tmp_path, SPANISH, SPANISH)
    assert list(notes(score([run], "TokenF1", language="es"))) == []
    assert "|language:unknown|" in score([run], "TokenF1").signatures["TokenF1"]


def test_an_unknown_language_is_told_whatever_is_scored(tmp_path):
    with pytest.raises(SpecError, match="did you mean Spanish"):
        score([run_of(tmp_path, ["a"], ["b"])], "P@5", language="Spansh")


def test_reports_print_every_signature(tmp_path):
    made = report(score([run_of(tmp_path, SPANISH, SPANISH)], "TokenF1 P@5", language="es"))
    line = made.method.signatures[0]
    assert line.startswith("TokenF1|tokens:word-articles|")
    assert f"- `{line}`" in to_markdown(made)
    assert f"<li><code>{line}</code>" in to_html(made)


def test_reports_without_texts_have_none(tmp_path):
    made = report(score([run_of(tmp_path, SPANISH, SPANISH)], "P@5"))
    assert made.method.signatures == ()
    assert "Signatures" not in to_markdown(made) + to_html(made)
