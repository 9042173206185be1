"""The section of a report on preferences says what `neraca prefer` says."""

import pytest
from comparisons.test_preferences import ITEMS, add_preferences, runs

from neraca import compare, report, score
from neraca.comparisons.preferences import preferences
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.html import to_html
from neraca.reports.formats.latex import to_latex
from neraca.reports.sentences.preferences import sentences, table


def reported(opened, by="", **options):
    scores = score(opened, ["Words"], by=by)
    return report(scores, compare(scores), **options)


@pytest.mark.parametrize("identical", [False, True])
def test_the_table_and_the_sentences_are_those_of_the_command(tmp_path, identical):
    """Six of eight for a, or four of six beside two pairs of the same words, which nobody was shown."""
    a, b = runs(tmp_path, words=lambda name, n: 0 if identical and n < 2 else 2)
    add_preferences(a, b, [0.5 if identical else 1] * 2 + [1, 1, 1, 0.5, 0.5, 0])
    made, ranked = reported([a, b]), preferences([a, b])
    (shown,) = made.preferences.tables
    assert (list(shown.columns), [list(row) for row in shown.rows]) == table(ranked)
    assert list(made.preferences.sentences) == sentences(ranked)
    assert "Which answers are preferred" in to_html(comparison_document(made))
    assert made.preferences.sentences[0] in to_latex(comparison_document(made)).replace("\\%", "%")


def test_reports_without_such_ratings_lack_the_section(tmp_path):
    made = reported(runs(tmp_path))
    assert made.preferences is None
    assert "preferences" not in [section.name for section, _ in made.outline]


def test_the_source_of_the_verdicts_is_that_of_the_report(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 8, by="human:Ana")
    add_preferences(a, b, [0] * 8, by="human:Budi")
    assert reported([a, b], by="human:Budi").preferences.tables[0].rows[0][0] == "b"
    assert "human:Ana (8) and human:Budi (8)" in " ".join(reported([a, b]).preferences.sentences)


def test_runs_that_cannot_be_ranked_are_said_with_the_reason(tmp_path):
    a, b, c = runs(tmp_path, "a b c", items=ITEMS)
    add_preferences(a, b, [1] * 8)
    made = reported([a, b, c]).preferences
    assert not made.tables
    assert "no chain of comparisons leads from a to c" in made.sentences[0]


def test_the_section_is_in_the_language_of_the_report(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 1, 0, 1, 0.5, 0.5, 0])
    made = reported([a, b], language="es").preferences
    assert made.tables[0].columns[1:3] == ["preferida", "fuerza"]
    assert (
        made.sentences[1]
        == "Esto se basa en 8 decisiones de Ana (8); un empate cuenta como media victoria para cada una."
    )
