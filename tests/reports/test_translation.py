"""Reports in other languages: nothing is left in English by accident, and nothing that a template brings is lost."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from drawn import to_html, to_latex, to_markdown

from neraca import compare, report, score
from neraca.errors import SpecError
from neraca.reports import translation
from neraca.reports.translation import LANGUAGES, say, translations, written_in

SOURCE = Path(translation.__file__).parent
#: The rooms that write for people: reports and commands.
ROOMS = (SOURCE, SOURCE.parent / "cli")
#: What is printed in a terminal on stderr or served by the explorer alone; it is written in English.
IN_ENGLISH = {"answer_notes", "explorer", "undecided"}
#: Placeholders for words that only English grammar needs.
GRAMMAR = {"are", "come", "counts", "do", "has", "them", "what", "is"}


def literals(node):
    """The texts that an argument may be: itself, or both sides of a condition."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))


def said_in_code():
    for path in sorted(path for room in ROOMS for path in room.rglob("*.py")):
        if path.stem in IN_ENGLISH:
            continue
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                texts = [text for argument in call.args for text in literals(argument)]
                if call.func.id in ("say", "say_all"):
                    yield from texts
                elif call.func.id in ("count", "form") and texts:
                    yield from (texts[0], texts[1] if len(texts) > 1 else f"{texts[0]}s")


def said_in_templates():
    text = r""""([^"]*)"|'((?:[^'\\]|\\.)*)'"""
    for path in sorted(SOURCE.glob("formats/templates/*/*")):
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
    files = [*SOURCE.parent.rglob("*.py")]
    trees = [ast.parse(path.read_text("utf-8")) for path in files]
    texts = {
        n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    texts |= {*said_in_templates()}
    texts |= {
        text
        for path in SOURCE.glob("formats/templates/*/*")
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


class Recording(dict):
    """The table of translations, which keeps what it did not find."""

    def __init__(self, table):
        super().__init__(table)
        self.missing = set()

    def get(self, template, default=None):
        if template and template not in self:
            self.missing.add(template)
        return super().get(template, default)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_whole_reports_say_nothing_that_has_no_translation(search_runs, weighed, monkeypatch, language):
    searched = score(search_runs(), "P@5, nDCG@10, Success, PassRatio, QueryF1")
    values = {"a": [0.5, 0.1, 0.2, 0.4], "b": [0.4, 0.9, 0.2, 0.3], "c": [0.5] * 4}
    margins = weighed(values, margin=0.1, bayes=True)
    table = Recording(translations())
    monkeypatch.setattr(translation, "translations", lambda: table)
    for scores, differences in ((searched, compare(searched, test="randomisation")), margins, (margins[0], ())):
        made = report(scores, differences, language=language)
        for write in (to_html, to_markdown, to_latex):
            write(made)
    reasons = {why for run in searched.runs for metric in searched.metrics for why in run.why(metric).values()}
    assert sorted(table.missing - reasons) == []
