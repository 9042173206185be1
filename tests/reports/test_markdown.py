"""The Markdown: whole tables, nothing live, small enough for a comment or a wiki."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from neraca.comparisons.compare import compare
from neraca.records import Answer, Hit, Item
from neraca.reports.markdown import code, plain, table, to_markdown
from neraca.reports.report import report
from neraca.scores.score import score

METRICS = "nDCG@10 QuerySuccess P@5 RR AP SetP SetR PassRatio StrictPass QueryF1 Success Coverage DCG@10"
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = re.compile(r"<details>\n<summary>(<code>[^<>]*</code> ){2}[^<>]*</summary>\n|</details>\n")


DEAD = {"paragraph_open", "paragraph_close", "inline", "text", "code_inline", "text_special"}
LIVE = {"image", "link_open", "html_inline", "fence", "code_block", "blockquote_open", "hr", "s_open"}


def live(text):
    """The kinds of tokens that text which should be dead became."""
    tokens = [t for token in READER.parse(text) for t in (token, *(token.children or ()))]
    return {t.type for t in tokens} - {
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "code_inline",
        "text_special",
    }


def columns(markdown):
    """The number of cells of each line of each table, as GitHub counts them."""
    found, widths = [], []
    for row in [*markdown.splitlines(), ""]:
        if row.startswith("|"):
            widths.append(len(re.findall(r"(?<!\\)\|", row)))
        elif widths:
            found.append(widths)
            widths = []
    return found


def test_demo_is_small_and_its_tables_are_whole(search_runs):
    scores = score(search_runs(30), METRICS)
    made = report(scores, compare(scores, primary="nDCG@10"), primary="nDCG@10")
    text = to_markdown(made)
    assert len(text.encode()) < 300_000
    tables = columns(text)
    assert len(tables) == 15
    assert all(len(set(widths)) == 1 and len(widths) > 2 for widths in tables)
    assert sum(token.type == "table_open" for token in READER.parse(text)) == 15
    assert text.count("<details>") == text.count("</details>") == 30
    assert made.finding.headline in text.replace("\\_", "_")
    for words in (
        "## Runs",
        "## Metrics",
        "## Differences",
        "## How far",
        "## Counts",
        "## Questions and",
        "## How these numbers",
    ):
        assert words in text
    assert re.search(r"fail bedrooms: `bedrooms: 2, wanted 3`", text)
    assert re.search(r"missing floors: `no floors`", text)
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)
    assert text == to_markdown(made)


def test_hostile_texts_stay_texts(hostile_scores):
    text = to_markdown(report(*hostile_scores, title="# <b>x</b> ![i](http://evil.example)"))
    tokens = [t for token in READER.parse(text) for t in (token, *(token.children or ()))]
    assert not {t.type for t in tokens} & {
        "image",
        "link_open",
        "html_inline",
        "fence",
        "blockquote_open",
        "hr",
        "s_open",
    }
    for token in tokens:
        if token.type == "html_block":
            assert OURS.fullmatch(token.content), token.content
    assert [t.tag for t in tokens if t.type == "heading_open"].count("h1") == 1
    assert all(len(set(widths)) == 1 for widths in columns(text))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x08\x1b\x7f]", text)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)|<code>.*?</code>", "", text)
    assert "http://evil" not in outside
    assert "www.evil" not in outside
    assert not re.search(r"@(admin|evil)", outside)
    assert "منزل" in text


@given(st.text(st.characters(codec="utf-8"), max_size=40) | st.text("|`\\*_[]()<>!#&;~$@:/. -\n1a", max_size=25))
def test_plain_words_and_code_are_never_markdown(words):
    assert live(f"x {plain(words)} y") <= {"softbreak"}
    assert live(f"x {code(words)} y") <= {"softbreak"}
    rows = "\n".join(table(["a", "b"], [[plain(words), plain(words)]]))
    assert sum(token.type == "td_open" for token in READER.parse(rows)) == 2


@given(st.text("|`\\*_[]()<>!#&;~$@:/.-1a ", max_size=25))
def test_a_code_span_keeps_its_text(words):
    words = " ".join(words.split())
    shown = [
        t.content
        for token in READER.parse(f"x {code(words)} y")
        for t in token.children or ()
        if t.type == "code_inline"
    ]
    assert shown == ([words] if words else [])


def test_metric_names_can_be_copied():
    assert plain("nDCG@10, P@5 and P@20.") == "nDCG@10, P@5 and P@20."
    assert plain("a@b.example @admin x@1.example") == "a@\u2060b.example @\u2060admin x@\u20601.example"


def test_one_run_alone(search_runs):
    text = to_markdown(report(score(search_runs(4)[:1], "nDCG@10")))
    assert "Differences between runs" not in text
    assert "single run" in text


def test_answers_without_hits_or_text(weighed, folder):
    text = to_markdown(report(*weighed({"a": [0.5, None], "b": [None, None]}, metric="Given P@5")))
    assert "None: in no answer were the hits judged." in text
    assert "None: of no question it is known what it expects" in text
    assert "Given unscored (no value was given)" in text
    items = [Item(id="q", query="?"), Item(id="r", query="?")]
    hits = tuple(Hit(id=f"h{n}", text="") for n in range(12))
    run = folder("half", items, [Answer(item="q", hits=hits, first_token_seconds=0.5)])
    run.update(trials=2, replayed=3)
    text = to_markdown(report(score([run], "Coverage")))
    for words in ("No answer yet.", "2 more hits not shown.", "3 unanswered", "2 times each", "conversations | 3 |"):
        assert words in text


def test_questions_left_out_are_counted(weighed):
    text = to_markdown(report(*weighed({"a": [0.5, 0.1, 0.2], "b": [0.4, 0.9, 0.2]}), limit=1))
    assert "2 questions are not shown; these are those on which the runs\ndiffer most in Given." in text
    assert text.count("<details>") == 1
