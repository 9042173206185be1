"""METEOR(tokens=nltk) against nltk.translate.meteor_score of texts split at white space."""

import random

import pytest
from builders import make_answer, make_item, make_scorable
from hard_texts import HARD, hard_pairs, long_pair, random_pairs, random_text
from nltk.translate.meteor_score import meteor_score, single_meteor_score

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

METEOR = Metric.of("METEOR(tokens=nltk)")


class Lemma:
    def __init__(self, word):
        self.word = word

    def name(self):
        return self.word


class Synset:
    def __init__(self, words):
        self.words = words

    def lemmas(self):
        return [Lemma(word) for word in self.words]


class WordNet:
    """What NLTK asks of WordNet, for groups of words; NLTK's own needs a download."""

    def __init__(self, *groups):
        self.groups = groups

    def synsets(self, word):
        return [Synset(group) for group in self.groups if word in group]


def theirs(reference, response, **options):
    return single_meteor_score(reference.split(), response.split(), **{"wordnet": WordNet(), **options})


def test_hard_and_random_pairs_are_equal():
    for reference, response in [*hard_pairs(), *random_pairs(1, 2000)]:
        expected = theirs(reference, response)
        assert METEOR.pair(reference, response) == pytest.approx(expected, abs=1e-9), (reference, response)


def test_long_texts_are_equal():
    reference, response = long_pair(2)
    assert METEOR.pair(reference, response) == pytest.approx(theirs(reference, response), abs=1e-9)


@pytest.mark.parametrize("alpha, beta, gamma", [(0.5, 1.0, 0.2), (0.1, 0.0, 1.0), (1.0, 2.5, 0.0), (0.0, 3.0, 0.5)])
def test_parameters_are_equal(alpha, beta, gamma):
    metric = Metric.of(f"METEOR(alpha={alpha},beta={beta},gamma={gamma},tokens=nltk)")
    for reference, response in random_pairs(3, 400):
        expected = theirs(reference, response, alpha=alpha, beta=beta, gamma=gamma)
        assert metric.pair(reference, response) == pytest.approx(expected, abs=1e-9), (reference, response)


def test_synonyms_are_equal(tmp_path):
    """A word in two groups, words that are no stems (houses), and one that stands for many places."""
    groups = [("hous", "home", "flat"), ("cat", "dog"), ("dog", "hound", "houses"), ("run", "ran", "the")]
    (tmp_path / "groups.csv").write_text("\n".join(map(",".join, groups)), encoding="utf-8")
    metric = Metric.of(f"METEOR(synonyms={tmp_path}/groups.csv,tokens=nltk)")
    chance = random.Random(4)
    words = [word for group in groups for word in group] + ["house", "running", "flats", "x"]
    differ = 0
    for _ in range(2000):
        reference, response = (" ".join(chance.choices(words, k=chance.randrange(12))) for _ in range(2))
        expected = theirs(reference, response, wordnet=WordNet(*groups))
        assert metric.pair(reference, response) == pytest.approx(expected, abs=1e-9), (reference, response)
        differ += expected != pytest.approx(theirs(reference, response))
    assert differ > 1000, "the table plays a part"


def test_the_best_of_several_references_is_equal():
    chance = random.Random(5)
    made = []
    for number in range(300):
        hard = HARD[number] if number < len(HARD) else random_text(chance)
        several = (hard, random_text(chance), random_text(chance))
        made.append((several, random_text(chance)))
    pairs = [
        (make_item(str(number), references=several), make_answer(item=str(number), text=response))
        for number, (several, response) in enumerate(made)
    ]
    column = score_metric(METEOR, make_scorable(pairs))
    for (several, response), (value, _), why in zip(made, column.rows, column.why, strict=True):
        whole = [text.split() for text in several if text.strip()]
        if whole:
            assert value == pytest.approx(meteor_score(whole, response.split(), wordnet=WordNet()), abs=1e-9)
        else:
            assert why == "the item has no reference"
