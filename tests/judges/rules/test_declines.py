"""The judge `declines`: phrases of four languages, and what is no refusal."""

import pytest
from builders import make_answer, make_item

from neraca.errors import NeracaError
from neraca.judges.judge import make_judge


def verdicts(*answers, **settings):
    return list(make_judge("declines", settings).judge([(make_item(), answer) for answer in answers], None))


@pytest.mark.parametrize(
    "text",
    [
        "I’m sorry, but I DON’T KNOW.",
        "The documents do not contain information about that.",
        "Maaf, saya tidak tahu harganya.",
        "Informasi tidak tersedia.",
        "Lo siento, no se la respuesta.",
        "No he encontrado ningún piso así.",
        "عذرا، لا أعرف الجواب.",
        "لا توجد معلومات عن هذا.",
    ],
)
def test_it_declines(text):
    (verdict,) = verdicts(make_answer(text=text))
    assert (verdict.value, verdict.about, verdict.aspect, verdict.by) == (1, "answer", "declines", "phrases")
    assert verdict.why.startswith('it says "')


@pytest.mark.parametrize(
    "text", ["It costs 5.", "Harganya 5 juta.", "Cuesta cinco.", "ثمنه خمسة.", "You know, I don't like it.", "Nothing."]
)
def test_it_answers(text):
    assert [verdict.value for verdict in verdicts(make_answer(text=text))] == [0]


def test_an_empty_answer_declines_hits_do_not_and_a_failed_one_gets_no_verdict():
    found = verdicts(make_answer(), make_answer("a b"), make_answer(status="timeout"))
    assert [(verdict.value, verdict.why) for verdict in found] == [(1, "the answer is empty"), (0, "it returns hits")]


def test_a_long_answer_says_something_else_besides():
    text = "I don't know the price. " + "But the house has a garden. " * 11
    assert [one.value for one in verdicts(make_answer(text=text))] == [0]
    assert [one.value for one in verdicts(make_answer(text=text), words=100)] == [1]


def test_phrases_of_ones_own():
    (verdict,) = verdicts(make_answer(text="Das weiß ich leider nicht."), phrases=["weiß ich leider nicht"])
    assert (verdict.value, verdict.why) == (1, 'it says "weiss ich leider nicht"')
    with pytest.raises(NeracaError):
        verdicts(make_answer(), phrase=["x"])
