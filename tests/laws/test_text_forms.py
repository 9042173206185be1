"""A text in NFC or NFD, read from a file with or without a BOM, has the same value, of every metric of two texts."""

import csv
import io
import itertools
import json
import unicodedata

import pytest

import neraca
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.text.texts import Texts
from neraca.scores.sources.paths import score_paths
from neraca.scores.sources.text_table import TextTable

#: Reference and response, in letters that have marks of their own or composed ones.
PAIRS = [
    ("ṣalāh at the mosque of Córdoba", "the ṣalāh in the mosque of Cordoba"),
    ("Señor Núñez nació en Cádiz.", "El señor Núñez nació en Cádiz, no en León."),
    ("القُرْآن كتاب أحمد", "القرآن كتاب أحمد الجديد"),
    ("Việt Nam có bao nhiêu tỉnh", "Việt Nam có 63 tỉnh"),
    ("한국의 수도는 서울", "수도는 서울입니다"),
    ("two floors", "two floors"),
]
METRICS_OF_TEXTS = [
    name
    for name in METRICS.names()
    if METRICS.get(name).function.__module__.startswith("neraca.metrics.text.") and Metric.of(name).view is Texts
]
FORMS = list(itertools.product(("NFC", "NFD"), repeat=2))


def rows(of_reference, of_response):
    return [(unicodedata.normalize(of_reference, a), unicodedata.normalize(of_response, b)) for a, b in PAIRS]


def values(scores):
    return {str(metric): scores.values(metric).tolist() for metric in scores.metrics}


@pytest.mark.parametrize("name", METRICS_OF_TEXTS)
def test_every_metric_of_texts_has_one_value_for_all_forms(name):
    made = []
    for forms in FORMS:
        references, responses = zip(*rows(*forms), strict=True)
        made.append(neraca.text(references, responses, name).values(name).tolist())
    assert all(one == pytest.approx(made[0], nan_ok=True) for one in made)


def written(kind, pairs):
    if kind == "jsonl":
        return "".join(json.dumps({"reference": a, "response": b}, ensure_ascii=False) + "\n" for a, b in pairs)
    file = io.StringIO()
    csv.writer(file, delimiter="\t" if kind == "tsv" else ",").writerows([("reference", "response"), *pairs])
    return file.getvalue()


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_files_with_and_without_a_byte_order_mark_have_the_values_of_the_lists(kind, tmp_path):
    references, responses = zip(*PAIRS, strict=True)
    names = " ".join(METRICS_OF_TEXTS)
    expected = values(neraca.text(references, responses, names))
    for forms, encoding in itertools.product(FORMS, ("utf-8", "utf-8-sig")):
        path = tmp_path / f"{'-'.join(forms)}-{encoding}.{kind}"
        path.write_text(written(kind, rows(*forms)), encoding=encoding)
        for scores in (score_paths([path], names), TextTable(path=path, metrics=names).score()):
            assert {name: pytest.approx(each, nan_ok=True) for name, each in values(scores).items()} == expected
