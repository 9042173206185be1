"""What people wrote, in reports: by question, once for equal answers, inert, and only people's."""

import re

from builders import make_run
from drawn import to_html, to_markdown

import neraca
from neraca.records import Answer, Item, Verdict
from neraca.reports.sentences.people_words import people_words

ITEMS = [Item(id="q1", query="rooms?"), Item(id="q2", query="price?"), Item(id="q3", query="garden?")]


def note(item, why, by="human:Ana"):
    return Verdict(item=item, about="answer", aspect="note", by=by, status="not_applicable", why=why)


def made(folder, name, *verdicts):
    rated = [Verdict(item=i.id, about="answer", aspect="valid", by="human:Ana", value=1.0) for i in ITEMS]
    return make_run(
        folder / name, ITEMS, [Answer(item=i.id, text=f"{name} {i.id}") for i in ITEMS], [*rated, *verdicts]
    )


def test_words_stand_by_question_with_who_wrote_them_of_what(tmp_path):
    evil = "too <script>hurt()</script> *short*"
    one = made(tmp_path, "one", note("q2", "slow"), note("q1", evil), note("q1", "by a model", "llm:m"))
    two = made(tmp_path, "two", note("q2", "slow"), note("q2", "dear", "human:Budi"))
    scores = neraca.score([one, two], "Valid")
    words = people_words(scores)
    assert [(q.query, [tuple(w) for w in q.words]) for q in words.questions] == [
        ("rooms?", [("one", "Ana", evil)]),
        ("price?", [("one, two", "Ana", "slow"), ("two", "Budi", "dear")]),
    ]
    page = to_html(neraca.report(scores))
    assert "<script>hurt" not in page
    assert re.search(r"price\?</h3>\s*<ul class=.said.>\s*<li>slow \(Ana, of one, two\)", page)
    text = to_markdown(neraca.report(scores))
    assert "### price?\n\n- slow (Ana, of one, two)\n- dear (Budi, of two)\n" in text
    assert r"too \<script>hurt()\</script> \*short\*" in text


def test_without_words_the_section_says_how_people_write_some(tmp_path):
    text = to_markdown(neraca.report(neraca.score(made(tmp_path, "one"), "Valid")))
    assert "## What people wrote" not in text
    assert "- What people wrote: Nobody wrote a note. People write them on the pages of neraca rate." in text
