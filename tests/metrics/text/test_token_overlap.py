import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

NAMES = ("TokenPrecision", "TokenRecall", "TokenF1")


def values(references, response, tokens="", language="", names=NAMES):
    item = make_item(references=tuple(references), tags={"language": language} if language else {})
    batch = make_scorable([(item, make_answer(text=response))])
    inside = f"(tokens={tokens})" if tokens else ""
    return [score_metric(Metric.of(name + inside), batch).rows[0, 0] for name in names]


@pytest.mark.parametrize(
    "reference, response, precision, recall, f1",
    [
        ("dua kamar tidur", "Rumah: dua kamar!", 2 / 3, 2 / 3, 2 / 3),
        ("a a b", "a a a b b", 3 / 5, 1, 3 / 4),  # repeats count, each as often as the one that has it less often
        ("a b", "b a", 1, 1, 1),
        ("a b", "c", 0, 0, 0),
        ("a b", "", 0, 0, 0),
    ],
)
def test_by_hand(reference, response, precision, recall, f1):
    assert values([reference], response) == pytest.approx([precision, recall, f1])


def test_articles_are_those_of_the_language():
    """La is an article in Spanish, "a" in English; without a language both are words."""
    assert values(["la casa"], "casa a", language="es") == pytest.approx([1 / 2, 1, 2 / 3])
    assert values(["la casa"], "casa a", language="en") == pytest.approx([1, 1 / 2, 2 / 3])
    assert values(["la casa"], "casa a") == pytest.approx([1 / 2, 1 / 2, 1 / 2])


def test_the_best_reference_counts_for_each():
    assert values(["a b c d", "a"], "a b") == pytest.approx([1, 1, 2 / 3])


def test_texts_without_words():
    """Ours has no value where the reference has no word; SQuAD's script calls two empty texts equal."""
    nan = pytest.approx([float("nan")] * 3, nan_ok=True)
    assert values(["..."], "...") == nan
    assert values(["..."], "a") == nan
    assert values(["the!"], "...", "squad") == [1, 1, 1]
    assert values(["the!"], "cat", "squad") == [0, 0, 0]
    assert values(["cat"], "the!", "squad") == [0, 0, 0]


def test_recall_does_not_mind_what_is_said_around_it():
    short, long = (
        values(["12 Mei 1998"], said) for said in ("12 Mei 1998", "Itu terjadi pada 12 Mei 1998 di Jakarta.")
    )
    assert short == [1, 1, 1]
    assert long == pytest.approx([3 / 8, 1, 6 / 11])
