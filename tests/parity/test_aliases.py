"""A name of another library is taken where its number is the same."""

import pytest
import sacrebleu
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

from neraca.metrics.metric import Metric

PAIRS = [
    ("The house has two floors.", "It has two floors and a garden."),
    ("prices were rising", "The price rises in the north, running up to 3%."),
    ("Yes", "yes, it is"),
]


@pytest.mark.parametrize("reference, response", PAIRS)
def test_names_of_ragas_give_the_numbers_of_the_libraries_that_it_calls(reference, response):
    """They are sacreBLEU, rouge_score with its stemmer, and rapidfuzz."""
    theirs = {
        "BleuScore": sacrebleu.corpus_bleu([response], [[reference]]).score / 100,
        "ChrfScore": sacrebleu.corpus_chrf([response], [[reference]]).score / 100,
        "RougeScore": RougeScorer(["rougeL"], use_stemmer=True).score(reference, response)["rougeL"].fmeasure,
        "rouge_score(mode=recall)": RougeScorer(["rougeL"], use_stemmer=True)
        .score(reference, response)["rougeL"]
        .recall,
        "NonLLMStringSimilarity": Levenshtein.normalized_similarity(reference, response),
    }
    for name, value in theirs.items():
        assert Metric.of(name).pair(reference, response) == pytest.approx(value, abs=1e-9), name
