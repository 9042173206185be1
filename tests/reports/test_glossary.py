"""One thing has one name in each language: a small glossary, and the synonyms that may not stand beside its words."""

import json
import re
from pathlib import Path

import pytest

import neraca
from neraca.reports.metric_meanings import meaning_in_language
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.translation import translations, written_in

SOURCE = Path(neraca.__file__).parent
#: Language → the word that we use → words that name the same thing.
GLOSSARY = {
    "id": {
        "kualitas": "mutu",
        "dataset": "kumpulan data|himpunan data",
        "juri": "hakim|penilai model|juri dan orang|juri, termasuk orang",
        "sesi": "percakapan",
        "alfa": "alpha",
        "sama persis": "identik",
        "file": "berkas",
        "pengaturan": "setelan",
        "kesepakatan": "kesesuaian",
        "batasan": "syarat|kendala",
        "putusan": "verdik",
        "rata-rata": "rerata|purata",
        "folder": "direktori",
    },
    "es": {
        "restricción": "condición|condiciones",
        "acuerdo": "coincidencia|concordancia",
        "sesión": "conversación|conversaciones",
        "evaluadores y jueces": "jueces y personas|jueces, personas incluidas",
        "evaluación": "valoración|valoraciones",
        "grado": "calificación|calificaciones",
        "archivo": "fichero",
        "carpeta": "directorio",
        "conjunto de datos": "dataset",
        "ejecución": "corrida",
    },
}
#: Placeholders, and names of tables and columns, which are the same in all languages.
NAMES = re.compile(r"\{.*?\}|\[[\w.]+\]|`[^`]*`")


def texts(language):
    """All texts for people in a language, by the place where they stand."""
    meanings = json.loads((SOURCE / "reports/metric_meanings.json").read_text("utf-8"))
    pages = json.loads((SOURCE / "reports/formats/rating_page/strings.json").read_text("utf-8"))[language]
    yield from ((template, of[language]) for template, of in translations().items())
    yield from ((name, of[language]) for name, of in meanings.items() if language in of)
    yield from ((f"page {name}", json.dumps(text, ensure_ascii=False)) for name, text in pages.items())


@pytest.mark.parametrize("language", GLOSSARY)
def test_no_synonym_stands_beside_a_word_of_the_glossary(language):
    for word, synonyms in GLOSSARY[language].items():
        pattern = re.compile(rf"\b(?:{synonyms})(?:nya|es|s)?\b", re.IGNORECASE)
        wrong = [f"{place}: {text}" for place, text in texts(language) if pattern.search(NAMES.sub("", text))]
        assert wrong == [], f"say {word}"


@pytest.mark.parametrize("language", GLOSSARY)
def test_each_word_of_the_glossary_is_in_use(language):
    said = " ".join(text for _, text in texts(language)).casefold()
    assert [word for word in GLOSSARY[language] if word not in said] == []


@pytest.mark.parametrize(
    "language, both, adjusted, expects",
    [("id", "penilai dan juri", "p terkoreksi", "harapan"), ("es", "evaluadores y jueces", "p ajustado", "espera")],
)
def test_a_column_has_one_heading_in_console_report_and_workbook(language, both, adjusted, expects):
    """Rows on agreement may be about people and programs; p and what is expected have one name each."""
    of = {template: words[language].casefold() for template, words in translations().items()}
    assert {of["judges"], of["Raters"], of["Judges and people"]} == {both}
    assert {of["p adjusted"], of["adjusted p"]} == {adjusted}
    assert of["alpha"] == of["Alpha"] == "alfa"
    assert of["expects"] == expects
    assert [text for text in of.values() if re.search(r"(?<!--column )\bexpects\b", text) and expects not in text] == []


def test_the_quality_has_one_name_in_a_table_a_meaning_and_an_import():
    with written_in("id"):
        assert MetricLabels.of(["Rubric(quality)", "Rubric(tone)"]).by_metric == {
            "Rubric(quality)": "Rubric(kualitas)",
            "Rubric(tone)": "Rubric(tone)",
        }
        assert "kriteria kualitas" in meaning_in_language("Mean grade of the answers by the criterion quality.")
    assert MetricLabels.of(["Rubric(quality)"])["Rubric(quality)"] == "Rubric(quality)"
