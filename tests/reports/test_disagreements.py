"""Answers on which metrics of texts disagree: found by their places, with what the pattern may mean."""

import pytest

from neraca.comparisons.compare import compare
from neraca.records import Answer, Item
from neraca.reports.disagreements import disagreements
from neraca.reports.html import to_html
from neraca.reports.markdown import to_markdown
from neraca.reports.report import report
from neraca.scores.score import score

REFERENCE = "the red house near the old river has four bright rooms"


@pytest.fixture
def answered(folder):
    """A run of twelve questions: the third answer is turned round, the fifth says more, the others are cut short."""

    def make(metrics, size=12, name="new"):
        words = REFERENCE.split()
        texts = [" ".join(words[: 3 + n % 6]) for n in range(size)]
        texts[2] = " ".join(reversed(words))
        texts[4] = f"{REFERENCE} and {'it is dear and far from here and nobody wants it ' * 3}"
        items = [Item(id=f"q{n + 1}", query="?", references=(REFERENCE,)) for n in range(size)]
        return score(
            [folder(name, items, [Answer(item=i.id, text=t) for i, t in zip(items, texts, strict=True)])], metrics
        )

    return make


def test_what_disagrees_most_comes_first_with_what_it_may_mean(answered):
    """Turned round it has every word of the reference and a longest common sequence of one word."""
    first, second, *_ = disagreements(answered("TokenRecall TokenPrecision ROUGE-L"))
    assert (first.question, first.high, first.low) == ("q3", "TokenRecall", "ROUGE-L")
    assert first.means == "the right words, in another order or among many others"
    assert first.high_value == 1
    assert first.above_high == pytest.approx(10.5 / 11)  # above ten of eleven others, level with one
    assert first.above_low == 0
    assert (second.question, second.means) == ("q5", "says what is expected, and more besides")


def test_they_stand_in_both_formats_with_a_link_to_the_question(answered):
    made = report(answered("TokenRecall ROUGE-L"))
    assert '<a href="#q-3" dir="auto">q3</a>' in to_html(made)
    text = to_markdown(made)
    assert "## Where metrics of texts disagree" in text
    assert "| q3 | new | TokenRecall 1.000, above 95 % | ROUGE-L " in text


def test_metrics_that_look_at_the_same_have_no_such_section(answered, search_runs):
    assert disagreements(answered("ROUGE-2 ROUGE-L")) is None
    assert disagreements(answered("TokenRecall ROUGE-L", size=9, name="few")) is None
    scores = score(search_runs(12), "nDCG@10 P@5")
    assert "metrics of texts disagree" not in to_markdown(report(scores, compare(scores)))


def test_where_all_agree_the_section_says_so(folder):
    items = [Item(id=f"q{n}", query="?", references=(REFERENCE,)) for n in range(12)]
    answers = [Answer(item=f"q{n}", text=" ".join(REFERENCE.split()[: n % 11])) for n in range(12)]
    made = report(score([folder("same", items, answers)], "TokenF1 ROUGE-L"))
    assert made.disagreements == ()
    assert "- Where metrics of texts disagree: No answer stands high by one metric" in to_markdown(made)
