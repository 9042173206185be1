"""Reports in other languages: nothing is left in English by accident, and nothing that a template brings is lost."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from neraca import translation
from neraca.errors import SpecError
from neraca.translation import LANGUAGES, say, translations, written_in

SOURCE = Path(translation.__file__).parent
REPORTS = SOURCE / "reports"
#: What is printed in a terminal on stderr or served by the explorer alone; it is written in English.
IN_ENGLISH = {"answer_notes", "explorer"}
#: Placeholders for words that only English grammar needs.
GRAMMAR = {"are", "cells", "come", "counts", "do", "has", "them", "what", "is", "get"}


def literals(node):
    """The texts that an argument may be: itself, or both sides of a condition."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))


def said_in_code():
    for path in sorted(SOURCE.rglob("*.py")):
        if path.stem in IN_ENGLISH:
            continue
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Assign) and getattr(call.targets[0], "id", "") == "template":
                yield from (text for text in literals(call.value) if " " in text)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                texts = [text for argument in call.args for text in literals(argument)]
                if call.func.id in ("say", "say_all"):
                    yield from texts
                elif call.func.id in ("count", "form") and texts:
                    yield from (texts[0], texts[1] if len(texts) > 1 else f"{texts[0]}s")


def said_in_templates():
    text = r""""([^"]*)"|'((?:[^'\\]|\\.)*)'"""
    for path in sorted(REPORTS.glob("formats/templates/*/*")):
        page = path.read_text("utf-8")
        for call in re.findall(rf"\bsay(?:_all)?\(((?:(?:{text})(?:, | if [^()]*? else )?)+)", page):
            yield from (double or single.replace("\\'", "'") for double, single in re.findall(text, call[0]))
        for one, many in re.findall(r'count\("([^"]*)"(?:, "([^"]*)")?\)', page):
            yield from (one, many or f"{one}s")


def fields(template):
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_template_is_translated():
    said = {*said_in_code(), *said_in_templates()}
    assert len(said) > 600
    assert [text for text in sorted(said) if set(translations().get(text, {})) != {*LANGUAGES} - {"en"}] == []


def test_no_translation_is_of_a_text_that_nobody_says():
    files = [*SOURCE.rglob("*.py")]
    trees = [ast.parse(path.read_text("utf-8")) for path in files]
    texts = {
        n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    texts |= {*said_in_templates()}
    texts |= {
        text
        for path in REPORTS.glob("formats/templates/*/*")
        for text in re.findall('"([^"]*)"', path.read_text("utf-8"))
    }
    texts |= {f"{text}s" for text in texts} | {f"more {text}" for text in texts} | {f"more {text}s" for text in texts}
    texts |= {f"{direction} is better" for direction in ("higher", "lower", "neither")}
    assert sorted({*translations()} - texts) == []


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_translation_has_the_placeholders_of_its_template(language):
    for template, of in translations().items():
        assert fields(of[language]) <= fields(template), template
        assert fields(template) - fields(of[language]) <= GRAMMAR, template
        ends = template[:1] == " ", template[-1:] == " "
        assert not of[language] or ends == (of[language][:1] == " ", of[language][-1:] == " "), template


def test_an_unknown_language_is_told():
    with pytest.raises(SpecError, match="the language of a report is one of en, id, es, not 'fr'"), written_in("fr"):
        pass


def test_what_stands_in_braces_in_a_value_stays_as_it_is():
    with written_in("es"):
        assert say("{run} better", run="{n}") == "{n} mejor"


#: Rooms and files whose errors a student meets in a study: every sentence goes through `say`.
SPOKEN = (
    *(f"people/{name}.py" for name in ("import_ratings", "rating_table", "ratings_file", "rated_runs", "rating")),
    *(f"people/{name}.py" for name in ("quality_scale", "rating_task", "review_task", "review_verdicts", "pair_task")),
    *(f"people/{name}.py" for name in ("pair_verdicts", "write_verdicts", "repeated_lines")),
    *(f"datasets/{name}.py" for name in ("cells", "columns", "constraints", "constraint_columns", "expectations")),
    *(f"datasets/{name}.py" for name in ("table_reader", "csv_files", "spreadsheet", "json_tables", "dataset")),
    *(f"datasets/{name}.py" for name in ("read_dataset", "rater_table", "text_encoding", "misspelt")),
    *("study.py", "study_file.py", "study_matrix.py", "runs/run.py", "web/rating_settings.py"),
    *(f"cli/{name}.py" for name in ("rate", "rate_import", "rate_serve", "rate_study", "agree", "options")),
)


@pytest.mark.parametrize("file", SPOKEN)
def test_an_error_of_a_study_is_never_plain_english(file):
    for call in ast.walk(ast.parse((SOURCE / file).read_text("utf-8"))):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("InputError", "SpecError", "RunError"):
            message = call.args[0] if call.args else ast.Constant("")
            parts = message.values if isinstance(message, ast.JoinedStr) else [message]
            plain = " ".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
            assert not re.search(r"[a-z]{3,} [a-z]{2,}", plain), f"{file}, line {call.lineno}: {plain}"
