"""A report of questions with expected answers, and no ranking: nothing in it speaks of hits."""

import re

import pytest
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.records import Answer, Hit, Item
from neraca.reports.report import report
from neraca.scores.score import score

METRICS = "TokenRecall ROUGE-1 Words"
NOISE = ("hit", "Hit", "relevan", "pooled", "Confusion", "confusion", "outcome", "Outcome", "Checks")


@pytest.fixture
def texts(folder):
    """Two runs of twelve questions; the second one leaves words out, and repeats the others."""

    def make(metrics=METRICS, hits=(), usage=None, **fields):
        good = [f"the house number {n} has {n % 4 + 1} bedrooms and a garden" for n in range(12)]
        items = [Item(id=f"q{n}", query=f"what has {n}?", references=(text,), **fields) for n, text in enumerate(good)]
        whole = [Answer(item=f"q{n}", text=text, hits=hits, usage=usage or {}) for n, text in enumerate(good)]
        cut = [text.split()[: 3 + n % 5] for n, text in enumerate(good)]
        part = [
            Answer(item=f"q{n}", text=" ".join(words * 4), hits=hits, usage=usage or {}) for n, words in enumerate(cut)
        ]
        scores = score([folder("whole", items, whole), folder("part", items, part)], metrics)
        made = report(scores, compare(scores))
        return made, to_html(made), to_markdown(made)

    return make


def body(page):
    """What is to be read: without the style and the script."""
    return page[page.index("<body>") : page.index("<script>")]


def test_nothing_speaks_of_hits(texts):
    made, page, text = texts()
    assert not made.about_hits
    assert not made.counted
    for word in NOISE:
        assert word not in body(page), word
        assert word not in text, word
    assert "Nobody judged the relevance of any hit." not in made.notes
    assert '<a href="#counts">' not in page


@pytest.mark.parametrize(
    "metrics, fields",
    [(f"{METRICS} P@5", {}), ("Condensed(AP)", {}), (METRICS, {"expects": "results"})],
    ids=["a ranking metric", "one made of another", "what is expected is known"],
)
def test_where_hits_matter_they_are_spoken_of(texts, metrics, fields):
    made, page, text = texts(metrics, **fields)
    assert made.counted
    assert "#counts" in page
    assert "## Counts" in text
    assert ("Nobody judged the relevance of any hit." in made.notes) == (not fields)


def test_metrics_made_of_metrics_of_texts_do_not_look_at_hits(texts):
    assert not texts("Average(TokenRecall,ROUGE-1)")[0].about_hits


def test_checks_of_the_words_of_answers_do_not_look_at_hits_and_usage_is_counted_in_whole_numbers(texts):
    made, _, text = texts("TokenRecall Expectations", extra={"must_contain": "garden"}, usage={"new_pages": 1.0})
    assert not made.counted
    assert "## Counts" not in text
    assert "- Pages opened: 12\n" in text


def test_contexts_are_shown_although_nobody_judged_them(texts):
    made, page, text = texts(hits=(Hit(id="doc7", text="a context"),))
    assert not made.about_hits
    assert "1 hit" in page
    assert "1 hit" in text
    assert "a context" in page


def test_the_expected_answer_stands_beside_the_given_one(texts, folder):
    _, page, text = texts()
    sides = page[page.index('<div class="sides">') :]
    assert sides.index("Expected answer") < sides.index(">whole<") < sides.index(">part<")
    assert '<blockquote dir="auto">the house number 0 has 1 bedrooms and a garden</blockquote>' in page
    assert "- expected answer: `the house number 0 has 1 bedrooms and a garden`" in text
    item = Item(id="q", query="?", references=tuple(f"answer {n}" for n in range(8)))
    made = report(score([folder("several", [item], [Answer(item="q", text="answer 1")])], "TokenRecall"))
    assert "Expected: any of these" in to_html(made)
    assert "3 more expected answers not shown." in to_html(made)
    assert "3 more expected answers not shown" in to_markdown(made)


def test_nobody_is_better_in_what_is_only_counted(texts):
    made, page, text = texts()
    row = next(row for row in made.metrics if row.metric == "Words")
    assert not any(cell.best or cell.beats_all for cell in row.cells)
    (found,) = [d for d in made.pairs if d.metric == "Words"]
    assert found.p_adjusted < 0.05
    assert found.better == ""
    assert "they differ" in page
    assert re.search(r"^\| Words \| .* \(p < 0.001, they differ\)", text, re.MULTILINE)
    assert "neither is better" in page
    assert "Words (neither is better)" in text
    assert made.finding.details[-1] == "In the other metrics, whole against part: whole is better in ROUGE-1."


def test_what_is_only_counted_decides_nothing(texts):
    made, _, _ = texts("Words TokenRecall")
    assert made.primary == "TokenRecall"
    assert "the first one that is no diagnostic, TokenRecall, stands for it here." in " ".join(made.notes)
    made, _, _ = texts("Words")
    told = "Words, a diagnostic by which no run is called better, is 10.0 for whole and 19.0 for part."
    assert made.finding.headline[:60] == told[:60]
