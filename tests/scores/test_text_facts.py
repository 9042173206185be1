"""How many answers of a table or a run each way of reading texts matters for."""

import pytest
from builders import make_run

import neraca
from neraca.metrics.text.ter import is_unspaced
from neraca.records import Answer, Item

#: Ten words, of which the number is typed in full width, or the first word begins with a mark of direction.
REFERENCE = "the house in Mill Street has 12 rooms and one"
RESPONSES = [REFERENCE, REFERENCE.replace("12", "１２"), f"\u200f{REFERENCE}", "１２", f"{REFERENCE} Zürich"]
AS_READ = {"normalized": False, "no_punct": False, "asian": False, "case": False}


def facts(references, responses, metrics):
    return neraca.text(references, responses, metrics).runs[0].facts


def test_rows_whose_value_is_another_in_nfkc_are_counted():
    """TER of the second and the third is .1 for 0; the fourth has no word in common either way, and TER 1 for .9."""
    found = facts([REFERENCE] * 5, RESPONSES, "TER TER(norm=nfkc) chrF TokenF1")
    assert found["form TER"] == 3
    assert "form TER(norm=nfkc)" not in found
    assert "form TokenF1" not in found
    assert facts([REFERENCE] * 5, [REFERENCE] * 5, "TER chrF")["form chrF"] == 0


def test_a_small_change_is_not_told():
    """One of forty words: .025."""
    long = " ".join([REFERENCE] * 4)
    assert facts([long], [long.replace("12", "１２", 1)], "TER")["form TER"] == 0


def test_the_best_of_several_references_counts_and_a_row_without_one_has_no_value():
    found = facts([["other", REFERENCE], None], [REFERENCE.replace("12", "１２")] * 2, "CorpusTER CorpusChrF chrF++")
    assert found["form CorpusTER"] == 1
    assert found["form CorpusChrF"] == found["form chrF++"] == 1


def test_those_of_an_average_count_too():
    assert facts(["12"], ["１２"], "Average(chrF,TokenF1)")["form chrF"] == 1


@pytest.mark.parametrize(
    "text, expected",
    [
        ("今天天气很好", True),
        ("我喜欢猫", True),
        ("สวัสดีครับ ยินดีต้อนรับทุกท่าน", True),
        ("今天 天气 很 好", False),
        ("The capital is 東京", False),
        ("猫", False),
        ("Straße", False),
    ],
)
def test_texts_without_spaces(text, expected):
    assert is_unspaced(text, **AS_READ) is expected


def test_rows_of_which_ter_sees_one_word_are_counted():
    references, responses = ["今天天气很好", "two floors"], ["今天天气不好", "two floors"]
    assert facts(references, responses, "TER")["unspaced TER"] == 1
    asian = "TER(normalized=true,asian=true)"
    assert facts(references, responses, asian)[f"unspaced {asian}"] == 0
    assert neraca.text(references, responses, "TER").values("TER").tolist() == [1, 0]
    assert neraca.text(references, responses, "WER").values("WER").tolist() == [pytest.approx(1 / 6), 0]


@pytest.mark.parametrize("metrics, expected", [("TokenF1", 1), ("RR", None)])
def test_runs_have_them_too_where_texts_are_read(tmp_path, metrics, expected):
    items = [Item(id="1", query="?", references=("كتاب جديد",), tags={"language": "ar"})]
    run = make_run(tmp_path / "run", items, [Answer(item="1", text="كِتَابٌ جَدِيد")])
    assert neraca.score([run], metrics).runs[0].facts.get("marks") == expected
