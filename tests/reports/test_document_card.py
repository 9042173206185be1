"""The card of questions from documents says what was refused and why, what is covered, and whom to doubt."""

import pytest
from generation.planted_questions import Writer, branches, reply_to, write_folder
from judges.scripted_model import Script

import neraca
from neraca.reports.document_card import card_document, summary


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    folder = write_folder(tmp_path_factory.mktemp("docs"), branches(8))
    (folder / "notes.md").write_text("# Notes\n\nSoon more.\n")
    (folder / "photo.jpg").write_bytes(b"x")

    def make(n=8, **settings):
        writer = Writer()
        script = Script(lambda prompt, repeat: reply_to(writer)(prompt))
        with neraca.ModelSession(folder.parent / "cache.sqlite", concurrency=1) as session:
            settings = {"model": "openai:gpt-4o-mini", "language": "en", "session": session, "chat": script, **settings}
            return neraca.generate_from_documents(folder, n, **settings)

    return make


def page(questions, tmp_path, language="en"):
    card_document(questions, language).save(tmp_path / "card.md")
    return (tmp_path / "card.md").read_text(encoding="utf-8")


def test_the_card_shows_each_check_with_an_example_and_what_is_not_covered(make, tmp_path):
    questions = make()
    text = page(questions, tmp_path)
    assert (
        f"8 questions about 9 documents of docs0: openai:gpt-4o-mini wrote {len(questions.checked)}, rules and" in text
    )
    for question in questions.refused:
        assert question.draft.question in text
    for check in ("grounded", "standalone", "copied", "language", "duplicate"):
        assert f"| {check} | rules |" in text
    assert "| answerable | llm:openai:gpt-4o-mini#" in text
    assert "| notes.md | 1 | 0 | 0 |" in text
    assert "1 document with fewer than 12 words are not asked about" in text
    assert "*.jpg: files of this kind are not read: 1" in text
    words = [question.draft.question.split()[0].lower() for question in questions.accepted]
    assert f"| {words[0]} | {words.count(words[0])} |" in text
    assert "they do not rank the models that write answers" in text


@pytest.mark.parametrize(
    ("reader", "warning"),
    [
        ("", "one model, openai:gpt-4o-mini, wrote and read the questions"),
        ("openai:gpt-4.1", "openai:gpt-4o-mini and openai:gpt-4.1 are of one family"),
        ("openai:qwen3:8b", ""),
    ],
)
def test_it_warns_of_a_reader_like_the_writer(make, reader, warning):
    sentences = " ".join(summary(make(4, reader_model=reader)))
    assert warning in sentences
    assert warning or not any(words in sentences for words in ("one model", "one family"))


def test_it_says_which_kind_has_fewer_questions_and_in_which_language_the_rules_know_no_words(make, tmp_path):
    questions = make(80, kinds="multi", language="de")
    sentences = summary(questions)
    assert f"{len(questions)} of 80 questions of the kind multi passed all checks" in sentences
    assert any("known only for en, id, es and ar" in sentence for sentence in sentences)
    for language, word in (("id", "Pemeriksaan"), ("es", "Comprobaciones")):
        assert word in page(questions, tmp_path, language)
