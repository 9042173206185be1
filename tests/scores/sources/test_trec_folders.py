"""Run folders of TREC runs, for raters."""

from __future__ import annotations

from pathlib import Path

import pytest

from neraca.errors import InputError, RunError
from neraca.runs.run import Run
from neraca.scores.sources.trec_folders import folders_of_trec_runs


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Run a ranks two documents for q1, b one for each question."""
    texts = {
        "a.run": "q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n",
        "b.run": "q1 Q0 d2 1 1.0 b\nq2 Q0 d3 1 1.0 b\n",
        "topics.csv": "id,question\nq1,houses?\nq2,flats?\nq3,never ranked?\n",
        "documents.csv": "docno,text,price\nd1,one,4\nd2,two,5\nd3,three,6\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name.partition(".")[0]: tmp_path / name for name in texts} | {"into": tmp_path / "rated"}


def make(files: dict[str, Path], depth: int = 10) -> list[Run]:
    return folders_of_trec_runs(
        [files["a"], files["b"]], files["topics"], files["documents"], depth, into=files["into"]
    )


def test_each_run_is_a_folder_with_the_texts_of_its_documents(files: dict[str, Path]) -> None:
    a, b = make(files)
    assert [[(item.id, item.query) for item in run.items] for run in (a, b)] == [
        [("q1", "houses?"), ("q2", "flats?")]
    ] * 2
    hits = {key: [(hit.id, hit.text, dict(hit.fields)) for hit in answer.hits] for key, answer in a.answers().items()}
    assert hits == {("q1", 0): [("d1", "one", {"price": "4"}), ("d2", "two", {"price": "5"})], ("q2", 0): []}
    assert [hit.id for hit in make(files)[1].answers()["q2", 0].hits] == ["d3"]


def test_the_same_command_goes_on_and_another_run_of_the_name_is_refused(files: dict[str, Path]) -> None:
    first, _ = make(files)
    again, _ = make(files)
    assert again.manifest.run == first.manifest.run, "ratings that name the run still find it"
    files["a"].write_text("q1 Q0 d2 1 2.0 a\n")
    with pytest.raises(RunError, match=r"Rename that folder.*NAME=FILE") as refused:
        make(files)
    assert "--anew" not in str(refused.value), "rate has no such option"
    files["a"] = Path(f"other={files['a']}")
    assert make(files)[0].name == "other", "what the message advises works"


def test_a_document_without_a_text_is_counted_and_shown_by_its_id(files: dict[str, Path]) -> None:
    files["documents"].write_text("docno,text\nd1,one\nd2,two\n")
    notes: list[str] = []
    runs = [files["a"], files["b"]]
    _, b = folders_of_trec_runs(runs, files["topics"], files["documents"], 10, into=files["into"], notice=notes.append)
    (hit,) = b.answers()["q2", 0].hits
    assert (hit.id, hit.text, hit.fields) == ("d3", "", {"id": "d3"})
    (note,) = notes
    assert note.startswith("1 of 3 ranked documents are not in ")
    assert "'d3'" in note


def test_what_raters_could_not_read_is_an_error(files: dict[str, Path]) -> None:
    files["topics"].write_text("id,question\nq1,houses?\n")
    with pytest.raises(InputError, match="no text for question 'q2'"):
        make(files)
