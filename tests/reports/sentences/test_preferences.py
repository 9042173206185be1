"""What comparisons of two answers say, in words."""

import pytest
from comparisons.test_preferences import add_preferences, runs

from neraca.comparisons.preferences import preferences
from neraca.people.tournament import Preference, Tournament
from neraca.records import Item, Verdict
from neraca.reports.sentences.preferences import saved, sentences, table

MANY = [Item(id=f"q{n}", query=f"question {n}") for n in range(40)]


def text_on(found):
    return "\n".join(sentences(found))


def test_a_clear_order_and_what_it_rests_on(tmp_path):
    a, b = runs(tmp_path, items=MANY)
    add_preferences(a, b, [1] * 28 + [0.5] * 4 + [0] * 4)  # 30 of 36
    found = preferences([a, b])
    columns, rows = table(found)
    assert dict(zip(columns, rows[0], strict=True)) | {"interval": ""} == {
        "run": "a",
        "preferred": "83 %",
        "strength": "0.80",  # half of log 5
        "interval": "",
        "wins": "28",
        "ties": "4",
        "losses": "4",
    }
    text = text_on(found)
    assert "The answer of a is preferred to that of b with a chance of 83 % (95 % interval 6" in text
    assert "36 decisions by human:Ana (36), a tie counted as half a win for each; 4 of 40 pairs of answers" in text
    assert "first look" not in text


def test_no_difference_few_questions_and_no_interval(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 0, 1, 0, 1, 0, 1, 1])
    assert "): the data do not show that either is better." in text_on(preferences([a, b]))
    assert "All comparisons are on 8 questions: of fewer than 20" in text_on(preferences([a, b]))
    assert "(no interval can be given)." in text_on(preferences([a, b], unit="kind"))
    assert "There are no intervals: the 8 questions are of 2 values of kind" in text_on(
        preferences([a, b], unit="kind")
    )


def test_who_never_loses(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 8)
    assert "Each run was given one more win and one more loss" in text_on(preferences([a, b]))


def test_what_stands_first_and_what_is_longer(tmp_path):
    a, b = runs(tmp_path, words=lambda name, n: 2 if (name == "a") == (n % 4 < 2) else 1)
    add_preferences(a, b, [1, 1, 0, 1, 0, 1, 1, 0], first=[a, b] * 4)
    text = text_on(preferences([a, b], position=True, length=True))
    assert "Of two equally good answers the one that stands first is preferred with a chance of" in text
    assert "the one that has twice as many words is preferred with a chance of" in text
    assert "seen in both orders" not in text


def test_how_often_the_order_decided(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 0, 0], first=[a, a, b, b])
    with b.writing():  # of the first two also in the other order, once otherwise
        b.add_verdicts(
            Verdict(item=item, about="answer", aspect="preferred_first:a", by="human:Ana", value=value)
            for item, value in (("q0", 0), ("q1", 1))
        )
    assert "Of 2 pairs seen in both orders 1 was decided otherwise" in text_on(preferences([a, b]))


def test_what_could_not_be_told(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 0])
    assert "The length is not taken into account: all answers are equally long." in text_on(
        preferences([a, b], length=True)
    )


@pytest.mark.parametrize("best, said", [(1, "The best answer is known for"), (2, "The best 2 answers are known for")])
def test_what_a_tournament_saved(best, said):
    chain = (Preference(0, 1, 1), Preference(1, 2, 1))
    half = "1 of 2 questions, from 2 comparisons of 6 possible ones; 1 need not be made."
    assert saved([Tournament(3, chain, best), Tournament(3, (), best)]) == f"{said} {half}"
    assert saved([Tournament(3)]).endswith("from 0 comparisons of 3 possible ones.")
