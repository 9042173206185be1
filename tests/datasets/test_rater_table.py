"""Tables with a column of ratings for each rater."""

from __future__ import annotations

from pathlib import Path

import pytest

from neraca.datasets.rater_table import RaterTable, read_rater_table
from neraca.errors import InputError


def read(folder: Path, text: str, *raters: str) -> RaterTable:
    file = folder / "ratings.csv"
    file.write_text(text, encoding="utf-8")
    return read_rater_table(file, raters)


def values(table: RaterTable) -> dict[str, list[float | None]]:
    return {name: [v.value for v in table.verdicts if v.by == f"human:{name}"] for name in table.raters}


def test_columns_named_like_raters_are_taken_before_other_numbers(tmp_path: Path) -> None:
    table = read(tmp_path, "id,pertanyaan,harga,Penilai 1,Penilai 2\nq1,a?,500,5,4\nq2,b?,700,,2\n")
    assert values(table) == {"Penilai 1": [5], "Penilai 2": [4, 2]}
    assert table.others == ("harga",)
    assert [(item.id, item.query) for item in table.items] == [("q1", "a?"), ("q2", "b?")]


def test_without_such_names_all_columns_of_numbers_are_raters(tmp_path: Path) -> None:
    table = read(tmp_path, 'question,kind,ani,budi\na,x,1,0\nb,y,"0",1\n')
    assert (table.raters, [item.tags for item in table.items]) == (("ani", "budi"), [{"kind": "x"}, {"kind": "y"}])


def test_yes_and_no_in_the_words_of_raters_and_other_words_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "id,juri A,juri B\n1,ya,yes\n2,Tidak,sí\n3,ya,mungkin\n")
    assert values(table) == {"juri A": [1, 0, 1], "juri B": [1, 1]}
    assert table.notes == ('juri B: cells without a rating, left out: 1, such as "mungkin" (line 4)',)


def test_a_question_in_several_rows_is_one_session(tmp_path: Path) -> None:
    table = read(tmp_path, "question,system,rater1,rater2\na,x,1,2\na,y,2,2\nb,x,3,1\n")
    assert [(item.id, item.session) for item in table.items] == [("a", "a"), ("a (2)", "a"), ("b", "b")]


def test_one_column_of_ratings_is_too_few_and_names_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"two columns of ratings are needed.*found rater1 among id, rater1, note"):
        read(tmp_path, "id,rater1,note\n1,2,x\n")
    with pytest.raises(InputError, match='no column "dewi"'):
        read(tmp_path, "id,rater1,rater2\n1,2,3\n", "rater1", "dewi")


def test_rows_of_a_question_are_told_apart_by_their_documents(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("query_id,document_id,ana,budi\n7,d1,1,0\n7,d2,2,2\n7,d2,0,1\n8,d1,1,1\n")
    table = read_rater_table(tmp_path / "r.csv")
    assert [item.id for item in table.items] == ["7, d1", "7, d2", "7, d2 (2)", "8, d1"]
    assert [item.session for item in table.items] == ["7", "7", "7", "8"]
    assert table.items[0].query == "7"
