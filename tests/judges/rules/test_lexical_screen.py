"""The screen without a model."""

import pytest
from judges.scripted_model import reason_of

from neraca.errors import SpecError
from neraca.judges.judge import make_judge
from neraca.judges.rules.lexical_screen import LexicalScreenJudge
from neraca.metrics.metric import METRICS
from neraca.records import Answer, Hit, Item

ITEM = Item(id="q", query="?")
HITS = (Hit(id="a", text="Rumah di Medan, 3 kamar"), Hit(id="b", text="Vila é cara"), Hit(id="c"))


def screened(text, *hits, **more):
    verdicts = LexicalScreenJudge().judge([(ITEM, Answer(item="q", text=text, hits=hits, **more))])
    return [(v.about, v.aspect, v.value, reason_of(v)) for v in verdicts]


def test_each_sentence_stands_beside_the_hit_that_has_most_of_its_words():
    assert screened("RUMAH di Medan. Rumah 5 kamar! Vila e Cara?", *HITS) == [
        ("claim:1", "sentence", 1, "RUMAH di Medan."),
        ("claim:1", "overlap", 1, "most words in a"),
        ("claim:2", "sentence", 1, "Rumah 5 kamar!"),
        ("claim:2", "overlap", pytest.approx(2 / 3), "most words in a, not there: 5"),
        ("claim:3", "sentence", 1, "Vila e Cara?"),
        ("claim:3", "overlap", 1, "most words in b"),
    ]


def test_a_word_said_twice_counts_once():
    assert screened("Rumah rumah pantai.", HITS[0])[1][2] == 0.5


def test_scripts_without_spaces_are_compared_letter_by_letter():
    assert screened("東京は雨。", Hit(id="a", text="京都は雨"))[1][2:] == (0.75, "most words in a, not there: 東")


def test_without_hits_nothing_is_there():
    assert screened("Rumah.")[1][2:] == (0, "there is no hit with text")


@pytest.mark.parametrize("more", [{"status": "suspect"}, {"status": "error"}])
def test_answers_that_are_not_whole_are_left_out(more):
    assert screened("Rumah.", *HITS, **more) == []
    assert screened("... !") == []


def test_its_names_are_those_of_no_metric_of_the_llm_judges():
    aspects = {aspect for _, aspect, _, _ in screened("Rumah.", *HITS)}
    assert aspects.isdisjoint({"claim", "supported", "correct", "stated", "claims"})
    assert "OverlapSupport" in METRICS.names()
    assert make_judge("offline").by == "overlap"


def test_it_has_no_settings():
    with pytest.raises(SpecError, match="judge offline: no setting 'model'"):
        make_judge("offline", {"model": "x"})
