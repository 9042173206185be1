"""The Markdown: whole tables, nothing live, small enough for a comment or a wiki."""

import re
from dataclasses import replace

import pytest
from drawn import to_markdown
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from neraca.comparisons.compare import compare
from neraca.records import Answer, Hit, Item
from neraca.reports.blocks.questions import questions
from neraca.reports.formats.markdown_text import cell, code, plain, table
from neraca.reports.formats.visible_text import visible
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
    assert len(tables) == 16
    assert all(len(set(widths)) == 1 and len(widths) > 2 for widths in tables)
    assert sum(token.type == "table_open" for token in READER.parse(text)) == 16
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
    assert not re.search(r"(?<![\w.])@admin", outside)
    assert not re.search("\u2060|&#|&quot;", text)
    assert "منزل" in text


WORDS = st.text(st.characters(codec="utf-8"), max_size=40) | st.text("|`\\*_[]()<>!#&;~$^@:/.+=- \n1ax", max_size=25)


def read(markdown, *around):
    """The words that a reader of this Markdown sees, in which nothing but these blocks is live."""
    tokens = READER.parse(markdown)
    assert {token.type.removesuffix("_open").removesuffix("_close") for token in tokens} <= {"inline", *around}
    parts = [part for token in tokens for part in token.children or ()]
    assert {part.type for part in parts} <= {"text", "text_special", "code_inline"}
    return "".join(part.content for part in parts)


@given(WORDS)
def test_plain_words_are_read_as_they_are(words):
    seen = " ".join(visible(words).split())
    assert read(f"x {plain(words)}", "paragraph") == f"x {seen}".strip()
    assert read(f"- {plain(words)}", "bullet_list", "list_item", "paragraph") == seen
    assert read(f"# {plain(words)}", "heading") == seen
    assert read(f"- {plain(words)}: y", "bullet_list", "list_item", "paragraph") == f"{seen}: y"
    rows = "\n".join(table(["a", "b"], [[cell(words), cell(words)]]))
    assert read(rows, "table", "thead", "tbody", "tr", "th", "td") == f"ab{seen}{seen}"
    assert live(f"x {code(words)} y") == set()


@pytest.mark.parametrize(
    "words, written",
    [
        ("P(of=returned)@5 is -0.183, p < 0.001", "P(of=returned)@5 is -0.183, p < 0.001"),
        ("http://127.0.0.1:80/chat_v2?a=1&b=2", "http://127.0.0.1:80/chat_v2?a=1&b=2"),
        ("${NERACA_URL}/chat ~5 x_y__z [in a, b]. #3", "${NERACA_URL}/chat ~5 x_y__z [in a, b]. #3"),
        ("_a_ __b c_", "\\_a\\_ \\_\\_b c\\_"),
        ("1. a", "1\\. a"),
        ("[x] done", "\\[x] done"),
        ("[a]: b", "[a\\]: b"),
        ("[a]", "\\[a]"),
        ("within [a]", "within [a]"),
        ("![i](u)", "![i\\](u)"),
        ("a|b\\", "a\\|b\\\\"),
        ("$5 and 6$, ~a~", "$5 and 6\\$, ~a\\~"),
        ("<b> &amp; <!-- <- >", "\\<b> \\&amp; \\<!-- <- >"),
        ("@admin (@5x) me@a.example @5", "`@admin` (`@5x`) me@a.example @5"),
    ],
)
def test_only_what_is_markdown_is_escaped(words, written):
    assert plain(words) == written


def test_metrics_and_addresses_are_plain_text(folder):
    items = [Item(id="q", query='Where\'s "it"?')]
    target = {"kind": "http", "url": "http://127.0.0.1:8000/chat_v2", "body": {"method": "api_v2"}}
    text = to_markdown(
        report(score([folder("api_v2", items, [Answer(item="q")], **target)], "P(of=returned)@5 nDCG@10"))
    )
    assert "| Precision@5 (P(of=returned)@5, primary) |" in text
    assert "- url: http://127.0.0.1:8000/chat_v2\n" in text
    assert '<code>Where\'s "it"?</code>' in text
    assert not re.search(r"\u2060|&|\\", text)


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


def test_one_run_alone(search_runs):
    text = to_markdown(report(score(search_runs(4)[:1], "nDCG@10")))
    assert "## Differences between runs" not in text
    assert "single run" in text


def test_answers_without_hits_or_text(weighed, folder):
    text = to_markdown(report(*weighed({"a": [0.5, None], "b": [None, None]}, metric="Given P@5")))
    assert "No confusion matrix of hits: no answer has judged hits." in text
    assert "No confusion matrix of questions: no question says what it expects" in text
    assert "Given unscored (no value was given)" in text
    items = [Item(id="q", query="?"), Item(id="r", query="?")]
    hits = tuple(Hit(id=f"h{n}", text="") for n in range(12))
    run = folder("half", items, [Answer(item="q", hits=hits, first_token_seconds=0.5)])
    run.update(trials=2, replayed=3)
    text = to_markdown(report(score([run], "Coverage")))
    for words in ("No answer yet.", "2 more hits not shown.", "3 unanswered", "2 times each", "conversations: 3"):
        assert words in text


def test_questions_left_out_are_counted(weighed):
    scores, differences = weighed({"a": [0.5, 0.1, 0.2], "b": [0.4, 0.9, 0.2]})
    text = to_markdown(replace(report(scores, differences), questions=questions(scores, "Given", 1)))
    assert "2 questions are not shown; these are those on which the runs differ most in Given." in text
    assert text.count("<details>") == 1
