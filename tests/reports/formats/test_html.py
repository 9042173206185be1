"""The page as text: safe, small, the same every time."""

import base64
import gzip
import itertools
import json
import re
from html.parser import HTMLParser

from drawn import to_html

from neraca.comparisons.compare import compare
from neraca.reports.blocks import questions
from neraca.reports.formats import html
from neraca.reports.formats.html_table import draw_table, narrowed
from neraca.reports.report import report
from neraca.reports.sentences import captions
from neraca.result import Table
from neraca.scores.score import score

METRICS = "nDCG@10 QuerySuccess P@5 RR AP SetP SetR PassRatio StrictPass QueryF1 Success Coverage DCG@10"


class Reader(HTMLParser):
    """Collects the tags and attributes that a browser would see."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.ids, self.levels = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("href", "src", "action", "data", "poster"):
                assert value.startswith("#") or value == "data:,"


def test_demo_is_small_and_whole(search_runs):
    scores = score(search_runs(30), METRICS)
    page = to_html(report(scores, compare(scores, primary="nDCG@10"), primary="nDCG@10", title="Demo"))
    assert len(page.encode()) < 1_000_000
    read = Reader(page)
    assert len(read.ids) == len(set(read.ids))
    assert read.tags.count("h1") == 1
    assert all(next_ - level <= 1 for level, next_ in zip(read.levels, read.levels[1:], strict=False))
    assert page.count('<details class="q"') == 30
    assert "a long description" not in page.lower()
    for words in (
        "better than all",
        "Confusion matrix of hits",
        "correct empty",
        "How these numbers were made",
        "Holm",
    ):
        assert words in page
    assert re.search(r"<b>missing</b> floors: no floors", page)
    assert re.search(r"<b>fail</b> bedrooms: bedrooms: 2, wanted 3", page)
    assert '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';' in page


def test_same_input_same_bytes(search_runs):
    runs = search_runs(6)
    pages = set()
    for _ in range(2):
        scores = score([run.path for run in runs], METRICS)
        pages.add(to_html(report(scores, compare(scores))))
    assert len(pages) == 1


def test_hostile_texts_stay_texts(hostile_scores):
    page = to_html(report(*hostile_scores, title='</title><script>alert("t")</script>'))
    read = Reader(page)
    assert read.tags.count("script") == 1
    assert "img" not in read.tags
    assert "a" in read.tags
    assert read.tags.count("section") == page.count("</section>")
    assert read.tags.count("details") == page.count("</details>")
    assert read.tags.count("h1") == 1
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x08\x1b\x7f]", page)
    assert "منزل" in page
    assert "👩‍👩‍👧" in page
    assert "{{ 7 * 7 }}" in page
    assert "W" * 900 not in page


def test_one_run_alone(search_runs):
    page = to_html(report(score(search_runs(4)[:1], "nDCG@10")))
    assert "single run" in page
    assert '<a href="#differences">' not in page
    assert "pooled over the runs" not in page


def test_answers_without_hits_or_text(weighed):
    page = to_html(report(*weighed({"a": [0.5, None], "b": [None, None]}, metric="Given P@5")))
    assert "unscored: no value was given" in page
    assert "no test" in page
    assert "No confusion matrix of hits: no answer has judged hits." in page
    assert "No confusion matrix of questions" in page


def test_many_answers_are_packed_and_the_hits_of_most_left_to_the_explorer(search_runs, monkeypatch):
    monkeypatch.setattr(questions, "MANY", 80)
    monkeypatch.setattr(questions, "RICH", 12)
    monkeypatch.setattr(captions, "RICH", 12)
    monkeypatch.setattr(html, "IN_PLACE", 100_000)
    scores = score(search_runs(30, hits=4), METRICS)
    made = report(scores, compare(scores))
    page = to_html(made)
    assert page == to_html(made)
    assert page.count('<details class="q"') == len(made.questions) == 30
    assert page.count(" data-m ") == page.count('<div class="sides">') == 10  # those that matter stand in place
    (packed,) = re.findall(r'<script type="application/gzip">([A-Za-z0-9+/=]+)</script>', page)
    below = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert [bool(text) for text in below] == [not question.matters for question in made.questions]
    assert sum('<ol class="hits">' in text for text in below) == 2
    assert "results are shown of the 12 questions on which the runs differ most; neraca serve FOLDER shows" in page


def test_of_questions_drawn_at_random_half_have_their_hits(search_runs, monkeypatch):
    monkeypatch.setattr(questions, "MANY", 80)
    monkeypatch.setattr(questions, "RICH", 4)
    monkeypatch.setattr(captions, "RICH", 4)
    monkeypatch.setattr("neraca.reports.report.LIMIT", 12)
    scores = score(search_runs(30, hits=4), METRICS)
    made = report(scores, compare(scores))
    because = [dict(q.tags)["shown because"] for q in made.questions if any(r.hits for s in q.sides for r in s.replies)]
    assert sorted(because) == ["drawn at random"] * 2 + ["the runs differ most"] * 2
    assert "results are shown of 2 questions on which the runs differ most and of 2 drawn at random" in to_html(made)


def test_the_name_of_a_run_does_not_move_its_value_in_the_line_of_a_question(weighed):
    page = to_html(report(*weighed({"عربي.run": [0.5, 0.7], "plain": [0.2, 0.1]})))
    assert re.search(r'<span class="nb"><bdi>عربي\.run</bdi> <b>0\.500</b></span>', page)


def test_a_wide_table_says_what_all_rows_share_in_its_caption():
    """With its metric in the caption, the table of differences fits in a window of 1280 pixels."""
    columns = ("Metric", "Pair", *(f"c{n}" for n in range(8)))
    rows = [("P@5", f"a − {b}", *"12345678") for b in "bc"]
    wide = Table(columns, rows, "Pairs of runs.", names=2)
    assert narrowed(wide).title == "Pairs of runs. Metric: P@5."
    assert narrowed(wide).columns == columns[1:]
    assert [row[0] for row in narrowed(wide).rows] == ["a − b", "a − c"]
    assert narrowed(wide).names == 1
    several = wide._replace(rows=[rows[0], ("AP", *rows[1][1:])])
    assert narrowed(several) == several
    few = wide._replace(columns=columns[:9], rows=[row[:9] for row in rows])
    assert narrowed(few) == few


def test_a_table_of_many_pairs_has_letters_for_long_names_and_their_key_in_its_caption():
    def drawn(names):
        pairs = [(f"{a} − {b}", "0.5") for a, b in itertools.combinations(names, 2)]
        return draw_table(Table(("Pair", "p"), pairs, "Pairs."), "pairs")

    long_names = [f"a-system-with-a-long-name-{n}" for n in range(5)]
    html = drawn(long_names)
    caption, _, body = html.partition("</caption>")
    assert all(name in caption for name in long_names)
    assert "A − B" in body
    assert "long" not in body
    assert "A − B" not in drawn(long_names[:4])
    assert "A − B" not in drawn(["bm25-base", "dense-v2", "hybrid", "rerank", "splade"])
