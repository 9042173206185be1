import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_answers import judged, outcome, value, why

from neraca.metrics.rag.citation import cited
from neraca.records import Answer, Hit


@pytest.mark.parametrize(
    "text, expected",
    [
        ("no citation", ""),
        ("so [1].", "x1"),
        ("so [1][3] and [ 2 ]", "x1 x3 x2"),
        ("so [1, 3; 2]", "x1 x3 x2"),
        ("so [1-3]", "x1 x2 x3"),
        ("so [^2] and [^1–^2]", "x1 x2"),
        ("so [3-1]", ""),
        ("so [x2]", "x2"),
        ("so [x2, 1]", "x1 x2"),
        ("so [12]", "12th"),
        ("so [4]", "?4"),
        ("so 【2†report.pdf】", "x2"),
        ("so 【x3】", "x3"),
        ("so [2](https://example.com)", "x2"),
        ("[sic] [X2] [] [0] [2024] [1a] [note 1] (1) 【†】", ""),
        ("an id with commas [a, b]", "a, b"),
        ("[[1]]", "x1"),
    ],
)
def test_what_is_a_citation(text, expected):
    hits = tuple(Hit(id=id) for id in ("x1", "x2", "x3"))
    if "12" in expected:
        hits = tuple(Hit(id="12th" if rank == 12 else f"h{rank}") for rank in range(1, 13))
    if "comma" in text:
        hits = (Hit(id="a, b"), Hit(id="a"))
    assert cited(Answer(item="1", text=text, hits=hits)) == ({expected} if "," in expected else set(expected.split()))


def test_an_id_that_is_a_number_is_an_id():
    hits = tuple(Hit(id=id) for id in ("3", "2", "7"))
    assert cited(Answer(item="1", text="[3] [2] [1]", hits=hits)) == {"3", "2"}
    assert cited(Answer(item="1", text="[1]", hits=hits)) == {"3"}, "no id: the first"


@given(st.text("[]【】1234567890-–,;^† ab", max_size=30))
def test_any_text_can_be_read(text):
    assert len(cited(Answer(item="1", text=text, hits=(Hit(id="a"), Hit(id="b"))))) <= 999 * 15


@pytest.mark.parametrize(
    "text, precision, recall",
    [
        ("[1] [2]", 1, 1),
        ("[1]", 1, 1 / 2),
        ("[1] [3]", 1 / 2, 1 / 2),
        ("[3]", 0, 0),
        ("[1] [9]", 1 / 2, 1 / 2),  # there is no ninth
        ("[1] [a] [1-2]", 1, 1),  # each counts once
        ("nothing", None, 0),
    ],
)
def test_by_hand(text, precision, recall):
    said = judged([("a", 1), ("b", 0)], useful=[1, 1, 0], text=text)
    assert value("CitationPrecision", said) == precision
    assert value("CitationRecall", said) == recall


def test_claims_that_nothing_supports_cannot_be_cited():
    said = judged([("a", 1), ("", 0), ("b", 1)], text="[1] [2]")
    assert value("CitationRecall", said) == pytest.approx(2 / 3)
    assert value("CitationRecall", said) == value("Faithfulness", said)


def test_a_failed_answer_cites_nothing():
    said, gone = judged([("a", 1)], text="[1]"), {"answer": {"status": "error"}}
    assert value("CitationPrecision", said, **gone) == value("CitationRecall", said, **gone) == 0
    gone["item"] = {"expects": "none"}
    assert why("CitationPrecision", said, **gone) == "the answer cites nothing"
    assert why("CitationRecall", said, **gone) == "the answer claims nothing"
    assert outcome("CitationPrecision", judged([], text="[1]")) == (0, "")
