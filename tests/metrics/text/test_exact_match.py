import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric


def value(references, response, tokens="word-articles", language="en"):
    batch = make_scorable([(make_item(references=references, tags={"language": language}), make_answer(text=response))])
    return score_metric(Metric.of(f"ExactMatch(tokens={tokens})"), batch).rows[0, 0]


@pytest.mark.parametrize(
    "reference, response, expected",
    [
        ("The Eiffel Tower", "eiffel  tower.", 1),
        ("two floors", "floors two", 0),
        ("two floors", "two floors up", 0),
        ("two floors", "", 0),
        ("e\u0301te\u0301", "été", 1),  # NFD and NFC
        ("5 km²", "5 km2", 1),  # NFKC
    ],
)
def test_case_punctuation_and_articles_play_no_part(reference, response, expected):
    assert value([reference], response) == expected


@pytest.mark.parametrize(
    "reference, response, expected",
    [("The Tower", "  The\n\tTower ", 1), ("The Tower", "the Tower", 0), ("The Tower", "The Tower.", 0)],
)
def test_split_minds_everything_but_white_space(reference, response, expected):
    assert value([reference], response, "split") == expected


def test_any_reference_will_do():
    assert value(("Jakarta", "DKI Jakarta", "..."), "DKI  JAKARTA") == 1


def test_texts_without_words():
    assert value(["..."], "...") != value(["..."], "..."), "NaN: ours has no value"
    assert value(["the"], "...", "squad") == 1
    assert value(["..."], "!!!", "split") == 0
