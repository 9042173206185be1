"""The meanings of metrics in the language of the report."""

import json
from pathlib import Path

import pytest

import neraca.reports
from neraca.metrics.metric import Metric
from neraca.reports.blocks.method import definition
from neraca.reports.metric_meanings import meaning_in_language
from neraca.reports.translation import LANGUAGES, written_in

TABLE = json.loads((Path(neraca.reports.__file__).parent / "metric_meanings.json").read_text("utf-8"))
USUAL = [
    "nDCG(empty=correct)@10",
    "DCG@10",
    "P@5",
    "P(of=returned)@5",
    "R@10",
    "SetP",
    "SetR",
    "SetF",
    "AP",
    "RR",
    "Success",
    "Coverage",
    "PassRatio",
    "StrictPass",
    "QuerySuccess",
    "QueryPrecision",
    "QueryRecall",
    "QueryF1",
    "QueryAccuracy",
    "RBP",
    "ERR",
    "Judged@10",
    "Rubric(quality)",
    "Aspect(polite)",
    "Faithfulness",
    "ContextPrecision",
    "ContextRecall",
    "AnswerRelevance",
    "TokenF1",
    "TokenRecall",
    "TokenPrecision",
    "ExactMatch",
    "ROUGE-L",
    "ROUGE-1",
    "BLEU",
    "METEOR",
    "chrF",
    "TFIDF",
    "Bpref",
    "PassRate(price)",
    "RefusalF1",
    "CitationPrecision",
    "CitationRecall",
    "WER",
    "Expectations",
    "Expectations(share=true)",
]


def test_each_translation_has_every_language_and_the_same_names():
    for template, translations in TABLE.items():
        assert {*translations} == {*LANGUAGES} - {"en"}
        for text in translations.values():
            assert text.count("{") == template.count("{")
            assert text.format(n="7", name="x")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_no_sentence_of_the_usual_metrics_stays_english(language):
    english = [definition(Metric.of(name)).text for name in USUAL]
    with written_in(language):
        translated = [definition(Metric.of(name)).text for name in USUAL]
    assert [text for text in english if text in translated] == []


def test_every_translated_sentence_is_one_of_a_metric():
    with written_in("id"):
        known = " ".join(definition(Metric.of(name)).text for name in USUAL)
    unused = [text for text in TABLE if text and meaning_of(text) not in known]
    assert unused == []


def meaning_of(template):
    filled = template.format(
        n="10", name="quality" if "grade" in template else "polite" if "answers" in template else "price"
    )
    with written_in("id"):
        return meaning_in_language(filled)


def test_values_stay_as_they_are():
    with written_in("es"):
        assert meaning_in_language("Share of answers that meet the criterion kind words.") == (
            "Proporción de respuestas que cumplen el criterio kind words."
        )
