"""The meanings of metrics in the language of the report."""

import json
import re
from pathlib import Path

import pytest

import neraca.reports
from neraca.metrics import parameter_words
from neraca.metrics.metric import METRICS, Metric
from neraca.reports.blocks.method import plain_formula
from neraca.reports.metric_meanings import _SENTENCE_END, meaning_in_language
from neraca.translation import LANGUAGES, written_in

TABLE = json.loads((Path(neraca.reports.__file__).parent / "metric_meanings.json").read_text("utf-8"))
#: What stands in parentheses after the name of a metric that cannot be without it.
REQUIRED = {
    "Aspect": "polite",
    "Average": "ROUGE-L,BLEU",
    "Condensed": "AP",
    "CWL": "P@5",
    "IPrec": "0.5",
    "PassRate": "price",
    "Preferred": "old",
    "Residual": "AP",
    "Rubric": "quality",
}


def sentences():
    """Every sentence that can describe a metric, its parameters filled with 7, by what it is about."""
    by_subject = {f"parameter {name}": filled(text) for name, text in parameter_words._SENTENCES.items()}
    by_subject["any other parameter"] = "Here x is 7."
    ours = [name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.metrics")]
    assert len(ours) > 100
    for name in ours:
        described = METRICS.get(name).described
        by_subject |= {f"{name}({key})": filled(text) for key, text in described.items() if "{of}" not in text}
        by_subject[name] = Metric.of(f"{name}({REQUIRED[name]})" if name in REQUIRED else name).summary
    by_subject |= {of: f"The expected {of} of the user of 7." for of in ("depth", "cost", "total_cost")}
    return {
        f"{subject}: {place}": sentence
        for subject, text in by_subject.items()
        for place, sentence in enumerate(_SENTENCE_END.split(plain_formula(text)))
    }


def filled(template):
    return re.sub(r"\{[^}]*\}", "7", template)


def test_each_translation_has_every_language_and_the_same_names():
    for template, translations in TABLE.items():
        assert {*translations} == {*LANGUAGES} - {"en"}
        for text in translations.values():
            assert text.count("{") == template.count("{")
            assert text.format(n="7", name="x")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_no_sentence_about_a_metric_stays_english(language):
    with written_in(language):
        untranslated = {subject: text for subject, text in sentences().items() if meaning_in_language(text) == text}
    assert untranslated == {}


def test_every_translated_sentence_is_one_of_a_metric():
    texts = set(sentences().values())
    patterns = {template: re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)) for template in TABLE}
    unused = [
        template for template, pattern in patterns.items() if not any(re.fullmatch(pattern, text) for text in texts)
    ]
    assert unused == []


def test_values_stay_as_they_are():
    with written_in("es"):
        assert meaning_in_language("Share of answers that meet the criterion kind words.") == (
            "Proporción de respuestas que cumplen el criterio kind words."
        )
