"""The documents of a knowledge base, whatever form it has, and what is said of what cannot be read."""

import gzip
import json

import polars as pl
import pytest

from neraca.datasets.corpus import Corpus, Document
from neraca.errors import InputError


def read(path, **more):
    return [tuple(one) for one in Corpus(path, **more)]


def test_a_folder_holds_texts_by_their_path_and_names_what_it_does_not_read(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "dogs.MD").write_text("One dog.", encoding="utf-8")
    (tmp_path / "flat.txt").write_text("\ufeffThree rooms.\r\nA lift.", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("no")
    (tmp_path / "plan.pdf").write_bytes(b"%PDF")
    corpus = Corpus(tmp_path)
    assert list(corpus) == [
        Document("flat.txt", "", "Three rooms.\nA lift."),
        Document("rules/dogs.MD", "", "One dog."),
    ]
    assert list(corpus) == list(corpus)
    assert corpus.skipped == (tmp_path / "plan.pdf",)
    assert read(tmp_path / "flat.txt")[0][0] == "flat.txt"


@pytest.mark.parametrize("packed", [False, True])
def test_a_beir_folder_gives_its_corpus(tmp_path, packed):
    lines = [{"_id": "d1", "title": "Dogs", "text": "One dog.", "metadata": {}}, {"_id": 2, "text": "Cats."}]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = tmp_path / ("corpus.jsonl.gz" if packed else "corpus.jsonl")
    file.write_bytes(gzip.compress(data) if packed else data)
    (tmp_path / "queries.jsonl").write_text("")
    assert read(tmp_path) == read(file) == [("d1", "Dogs", "One dog."), ("2", "", "Cats.")]


def test_a_table_gives_its_columns_by_their_usual_names(tmp_path):
    (tmp_path / "kb.csv").write_text("doc_id,Title,Text,price\n7,Flat,Three rooms.,5\n,,Cats.,\n")
    assert read(tmp_path / "kb.csv") == [("7", "Flat", "Three rooms."), ("line 3", "", "Cats.")]
    pl.DataFrame({"isi": ["Satu.", None], "nomor": [7, 8]}).write_parquet(tmp_path / "kb.parquet")
    assert read(tmp_path / "kb.parquet", id_column="nomor") == [("7", "", "Satu."), ("8", "", "")]
    assert read(tmp_path / "kb.parquet") == [("row 1", "", "Satu."), ("row 2", "", "")]
    (tmp_path / "kb.jsonl").write_text('{"words": "One."}\n{"words": "Two.", "id": "b"}\n')
    assert read(tmp_path / "kb.jsonl", text_column="words") == [("line 1", "", "One."), ("b", "", "Two.")]


def test_an_encoding_is_taken_where_it_is_given(tmp_path):
    (tmp_path / "a.txt").write_bytes("El baño.".encode("cp1252"))
    assert read(tmp_path, encoding="cp1252") == [("a.txt", "", "El baño.")]
    with pytest.raises(InputError, match=r"a.txt line 1: byte 6 \(0xf1\) is not UTF-8; save .*encoding=cp1252"):
        read(tmp_path)


@pytest.mark.parametrize(
    "name, text, given, message",
    [
        ("none", None, {}, r"none: no such file or folder"),
        ("kb.csv", "id,price\n1,2\n", {}, r"kb.csv line 1: no column of texts \(there are id, price\); .*text_column"),
        ("kb.csv", "id,text\n1,2\n", {"text_column": "txt"}, r"no column 'txt'; did you mean text\?"),
        ("kb.csv", "id,text\n1,2\n", {"id_column": "ident"}, r"no column 'ident'"),
        ("kb.pdf", "%PDF", {}, r"kb.pdf: .pdf is not read; use one of"),
        ("kb.txt", "a", {"text_column": "text"}, r"only a table has columns"),
        ("corpus.jsonl.gz", "{}", {}, r"corpus.jsonl.gz: the name ends in .gz, but this is not a gzip file"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_remedy(tmp_path, name, text, given, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name, **given)


def test_a_folder_without_a_text_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no document in it, the folder is empty; put texts there"):
        Corpus(tmp_path)
    (tmp_path / "a.pdf").write_text("%PDF")
    with pytest.raises(InputError, match=r"no document in it; there are only \.pdf; put texts there \(\.txt \.md"):
        Corpus(tmp_path)


def test_the_stamp_changes_with_a_file(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    before = Corpus(tmp_path).stamp()
    assert Corpus(tmp_path).stamp() == before
    (tmp_path / "b.txt").write_text("two")
    assert Corpus(tmp_path).stamp() != before
