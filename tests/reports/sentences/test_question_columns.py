"""Sentences name the columns of the user's own file of questions."""

import json

import pytest
from builders import make_run

import neraca
from neraca.records import Answer, Hit
from neraca.reports.sentences.question_columns import expects_column
from neraca.reports.sentences.relevance_words import contradictions
from neraca.runs.run import Run
from neraca.scores.score import score

HIT = Answer(item="1", hits=(Hit(id="d7", text="a house"),))


@pytest.mark.parametrize(
    "header, column",
    [("Pertanyaan,Harapan,relevan", "the column Harapan"), ("Pertanyaan,Jawaban?,relevan", "the column Jawaban?")],
)
def test_a_question_that_contradicts_its_grades_is_mended_in_the_users_own_column(tmp_path, header, column):
    file = tmp_path / "soal.csv"
    file.write_text(f"{header}\nrumah di Cemara?,tidak ada,d7\n", encoding="utf-8")
    own_names = {} if "Harapan" in header else {"expects": "Jawaban?"}
    dataset = neraca.read_dataset(file, columns={"relevant": "relevan", **own_names})
    run = Run.create(tmp_path / "run", dataset, {"kind": "test"})
    with run.writing():
        run.answers_journal.append(HIT)
    assert json.loads((run.path / "manifest.json").read_text())["columns"]["query"] == "Pertanyaan"
    (note,) = contradictions(score(Run(run.path), "P@5"))
    assert note.endswith(f"correct the grades, or set {column} to results")


def test_without_such_a_column_or_without_a_file_it_is_the_usual_name(tmp_path):
    dataset = neraca.read_dataset([{"question": "rooms?", "relevant": "d7"}])
    of_table = Run.create(tmp_path / "table", dataset, {"kind": "test"})
    with of_table.writing():
        of_table.answers_journal.append(HIT)
    of_records = make_run(tmp_path / "records", [*dataset], [HIT])
    assert (dict(of_table.manifest.columns), of_records.manifest.columns) == (
        {"query": "question", "relevant": "relevant"},
        {},
    )
    words = [expects_column(score(run, "P@5").runs[0]) for run in (of_table, of_records)]
    assert words == [
        "the column expects (your file has none yet)",
        "the column expects (it may have another name in your file)",
    ]
