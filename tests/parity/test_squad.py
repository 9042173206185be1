"""TokenF1 and ExactMatch with tokens=squad against SQuAD's evaluation, written from its published definition.

Rajpurkar, P. and others (2016): lower case, ASCII punctuation deleted, a, an and the deleted, white space made single;
the answer matches if it is equal, its F1 is that of the bags of tokens, over several answers the best.  Version 2
(2018): where either has no token left, F1 is whether both have none.
"""

import re
import string
from collections import Counter

import pytest
from builders import make_answer, make_item, make_scorable
from hard_texts import hard_pairs, long_pair, random_pairs

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

F1, EXACT = Metric.of("TokenF1(tokens=squad)"), Metric.of("ExactMatch(tokens=squad)")
PRECISION, RECALL = Metric.of("TokenPrecision(tokens=squad)"), Metric.of("TokenRecall(tokens=squad)")


def normal(text):
    without = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", without).split())


def scores(reference, response):
    """Precision, recall and F1."""
    gold, said = normal(reference).split(), normal(response).split()
    if not gold or not said:
        return (float(gold == said),) * 3
    same = sum((Counter(gold) & Counter(said)).values())
    precision, recall = same / len(said), same / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall) if same else 0.0


def test_hard_random_and_long_pairs_are_equal():
    for reference, response in [*hard_pairs(), *random_pairs(1, 3000), long_pair(2)]:
        found = [metric.pair(reference, response) for metric in (PRECISION, RECALL, F1, EXACT)]
        expected = [*scores(reference, response), float(normal(reference) == normal(response))]
        assert found == pytest.approx(expected, abs=1e-9), (reference, response)


def test_the_best_of_several_answers_is_equal():
    made = [
        (("The " + one, other, "cats"), third)
        for (one, other), (third, _) in zip(random_pairs(3, 400), random_pairs(4, 400), strict=True)
    ]
    pairs = [
        (make_item(str(number), references=several), make_answer(item=str(number), text=response))
        for number, (several, response) in enumerate(made)
    ]
    batch = make_scorable(pairs)
    found = {metric: score_metric(metric, batch).rows[:, 0] for metric in (F1, EXACT)}
    for number, (several, response) in enumerate(made):
        whole = [text for text in several if text.strip()]
        assert found[F1][number] == pytest.approx(max(scores(text, response)[2] for text in whole), abs=1e-9)
        assert found[EXACT][number] == max(normal(text) == normal(response) for text in whole)
