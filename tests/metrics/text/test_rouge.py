"""Worked by hand; the same numbers as other programs are in tests/parity/test_rouge.py."""

import math

import pytest
from builders import make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.texts import NO_WORDS
from neraca.records import Answer

GUNMAN = "police killed the gunman"
NAMES = ("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-Lsum")


def scored(name, *cases):
    """Values and reasons of cases, each of a response and its references."""
    items = [make_item(str(row), references=references) for row, (_, *references) in enumerate(cases)]
    answers = [Answer(item=item.id, text=text) for item, (text, *_) in zip(items, cases, strict=True)]
    column = score_metric(Metric.of(name), make_scorable(list(zip(items, answers, strict=True))))
    return column.rows[:, 0].tolist(), list(column.why)


@pytest.mark.parametrize(
    "response, two, longest",
    [
        # Lin (2004), section 3.1, sentences 1 to 4; all have four words
        ("police kill the gunman", 1 / 3, 3 / 4),
        ("the gunman kill police", 1 / 3, 2 / 4),
        ("the gunman police killed", 2 / 3, 2 / 4),
    ],
)
def test_the_example_of_the_paper(response, two, longest):
    for name, value in (("ROUGE-2", two), ("ROUGE-L", longest)):
        assert scored(name, (response, GUNMAN))[0] == pytest.approx([value])
        assert Metric.of(name).pair(GUNMAN, response) == pytest.approx(value)


@pytest.mark.parametrize(
    "name, p, r",
    [
        # response a b a b c, reference a b c d a b: runs that both have, of 5, 4, 3, 2 and of 6, 5, 4, 3
        ("ROUGE-1", 5 / 5, 5 / 6),  # a a b b c
        ("ROUGE-2", 3 / 4, 3 / 5),  # ab ba ab bc: ab twice, bc
        ("ROUGE-3", 1 / 3, 1 / 4),  # abc
        ("ROUGE-4", 0, 0),
        ("ROUGE-L", 4 / 5, 4 / 6),  # a b a b
        ("ROUGE-Lsum", 4 / 5, 4 / 6),
    ],
)
def test_runs_are_counted_as_often_as_in_the_text_that_has_them_less_often(name, p, r):
    f = 2 * p * r / (p + r) if p + r else 0
    for stat, value in (("p", p), ("r", r), ("f", f)):
        assert scored(f"{name}(stat={stat})", ("a b a b c", "a b c d a b"))[0] == pytest.approx([value])


@pytest.mark.parametrize("name", NAMES)
def test_texts_without_words(name):
    """An empty response is worth nothing; a reference without words gives no value, and says why."""
    values, why = scored(
        name, ("", "a b c d"), ("!", "a b c d"), ("a b c d", "!"), ("a b c d",), ("a b c d", "A b c d")
    )
    assert values[:2] == [0, 0]
    assert all(map(math.isnan, values[2:4]))
    assert values[4] == 1
    assert why == ["", "", NO_WORDS, "the item has no reference", ""]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tokens", ["google", "google+stem", "squad"])
def test_other_libraries_have_a_number_there(name, tokens):
    assert scored(f"{name}(tokens={tokens})", ("a b", "?"), ("", "a"), ("é", "é?"))[0][:2] == [0, 0]


def test_a_text_of_one_word_has_no_pair():
    assert scored("ROUGE-2", ("Paris", "Paris"), ("Paris", "in Paris"), ("in Paris", "Paris"))[0] == [0, 0, 0]
    assert scored("ROUGE-1", ("Paris", "Paris"))[0] == [1]


def test_rouge_score_loses_letters_that_we_keep():
    arabic = "القرآن الكريم"
    assert scored("ROUGE-1", (arabic, arabic))[0] == [1]
    assert scored("ROUGE-1(tokens=google)", (arabic, arabic), ("ni o", "niño"))[0] == [0, 1]
    assert scored("ROUGE-1", ("ni o", "niño"))[0] == [0]


@pytest.mark.parametrize("name", ["ROUGE-1", "ROUGE-L", "ROUGE-Lsum"])
def test_of_several_references_the_best_counts(name):
    """rouge_score gives precision and recall too for the reference of the best F."""
    case = ("a b x x", "a", "a b c d")  # F 2/5 and 4/8, P 1/4 and 2/4, R 1/1 and 2/4
    assert scored(name, case, ("a", "z", "a"))[0] == [0.5, 1]
    assert scored(f"{name}(stat=r)", case, ("a", "z", "a"))[0] == [1, 1]
    assert scored(f"{name}(stat=r,tokens=google)", case, ("a", "z", "a"))[0] == [0.5, 1]
    assert scored(f"{name}(stat=p,tokens=google)", case, ("a", "z", "a"))[0] == [0.5, 1]


def test_rouge_score_takes_the_first_of_equally_good_references():
    few, many = "a b x y", "a b c x y z v w"  # F 4/8 and 6/12, R 2/4 and 3/8
    assert scored("ROUGE-1(stat=r,tokens=google)", ("a b c d", few, many), ("a b c d", many, few))[0] == [0.5, 0.375]
    assert scored("ROUGE-1(stat=r)", ("a b c d", few, many), ("a b c d", many, few))[0] == [0.5, 0.5]
    values, why = scored("ROUGE-1(stat=r,tokens=google)", ("a",), ("a", "a b", "a"))
    assert math.isnan(values[0])
    assert values[1] == 1
    assert why[0] == "the item has no reference"


def test_stems_by_language():
    assert scored("ROUGE-1(tokens=word+stem,language=es)", ("casa roja", "casas rojas"))[0] == [1]
    assert scored("ROUGE-1(tokens=google+stem)", ("running nations", "runs nation"))[0] == [1]
    assert scored("ROUGE-1(tokens=google)", ("running nations", "runs nation"))[0] == [0]


@pytest.mark.parametrize("name", [*NAMES, "ROUGE-1(tokens=pltrdy)", "ROUGE-L(tokens=pltrdy)"])
def test_another_stat_is_refused(name):
    inside = name.partition("(")[2].rstrip(")")
    asked = f"{name.partition('(')[0]}({inside + ',' if inside else ''}stat=F1)"
    with pytest.raises(SpecError, match=r"stat is f .* not 'F1'"):
        Metric.of(asked).pair("a", "a")
