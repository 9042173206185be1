"""TFIDF(tokens=sklearn) against scikit-learn's TfidfVectorizer and cosine_similarity."""

import pytest
from builders import make_answer, make_item, make_scorable
from hard_texts import hard_pairs, long_pair, random_pairs
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

PAIR = Metric.of("TFIDF(tokens=sklearn)")
CORPUS = Metric.of("TFIDF(idf=corpus,tokens=sklearn)")


def theirs(one, other, fitted_on=None):
    vectorizer = TfidfVectorizer()
    if not any(map(vectorizer.build_analyzer(), fitted_on or [one, other])):
        return 0.0  # it raises "empty vocabulary"
    vectorizer.fit(fitted_on or [one, other])
    return float(cosine_similarity(vectorizer.transform([one]), vectorizer.transform([other]))[0, 0])


def test_hard_and_random_pairs_are_equal():
    for reference, response in [*hard_pairs()[::4], *random_pairs(1, 500)]:
        expected = theirs(reference, response)
        assert PAIR.pair(reference, response) == pytest.approx(expected, abs=1e-9), (reference, response)


def test_long_texts_are_equal():
    reference, response = long_pair(2)
    assert PAIR.pair(reference, response) == pytest.approx(theirs(reference, response), abs=1e-9)


@pytest.mark.parametrize("metric", [PAIR, CORPUS], ids=str)
def test_batches_are_equal_with_idf_of_the_references(metric):
    """Scikit-learn knows no word of the response that is in no reference; so here every word is in one."""
    made = [(reference, response) for reference, response in random_pairs(3, 300) if reference.strip()]
    made += [("the cat sat", "the cat"), ("the cat sat", "sat sat cat")]  # a reference twice is counted once
    everything = " ".join(response for _, response in made) + " cat"
    made.append((everything, "cat house"))
    references = sorted({reference for reference, _ in made})
    pairs = [
        (make_item(str(number), references=(reference,)), make_answer(item=str(number), text=response))
        for number, (reference, response) in enumerate(made)
    ]
    rows = score_metric(metric, make_scorable(pairs)).rows
    for (reference, response), (value, _) in zip(made, rows, strict=True):
        expected = theirs(reference, response, references if metric is CORPUS else None)
        assert value == pytest.approx(expected, abs=1e-9), (reference, response)
