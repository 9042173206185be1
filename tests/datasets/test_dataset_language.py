"""The language of questions: said in a column, in tags, or once for all; always checked, always its code."""

import json

import pytest

from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import InputError, SpecError


def languages_of(path, **options):
    return [item.tags.get("language") for item in read_dataset(path, **options)]


@pytest.mark.parametrize("column", ["language", "Lang", "LANGUAGE", "tag:language", "Tag: language"])
def test_a_column_says_it(csv, column):
    assert languages_of(csv(f"query,{column}\na,es\nb,Indonesian\nc,en-GB\nd,\n")) == ["es", "id", "en", None]


def test_it_is_a_tag_and_nothing_else(csv):
    item = read_dataset(csv("query,language,category\na,español,x\n")).items[0]
    assert (dict(item.tags), item.extra) == ({"category": "x", "language": "es"}, {})


def test_a_column_can_be_chosen_or_left_alone(csv):
    path = csv("query,Sprache,language\na,German,python\n")
    assert languages_of(path, columns={"language": "Sprache"}) == ["de"]
    item = read_dataset(path, columns={"language": ""}).items[0]
    assert (dict(item.tags), item.extra) == ({}, {"Sprache": "German", "language": "python"})
    assert languages_of(path, columns={"tag:language": "Sprache", "language": ""}) == ["de"]


def test_two_columns_of_it_are_ambiguous(csv):
    with pytest.raises(InputError, match="columns 'language' and 'tag:language' could both be language"):
        read_dataset(csv("query,language,tag:language\na,es,es\n"))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json", ".xlsx", ".parquet"])
def test_it_comes_back_from_every_format(csv, tmp_path, suffix):
    dataset = read_dataset(csv("query,language\na,es\nb,\n"), language="Arabic")
    write_dataset(tmp_path / f"out{suffix}", dataset)
    assert read_dataset(tmp_path / f"out{suffix}").items == dataset.items


def test_an_object_of_tags_says_it_too(tmp_path):
    (tmp_path / "q.jsonl").write_text(json.dumps({"query": "a", "tags": {"language": "spa"}}) + "\n")
    assert languages_of(tmp_path / "q.jsonl") == ["es"]


@pytest.mark.parametrize(
    "text, told",
    [
        (
            "query,lang\na,es\nb,Spansh\n",
            r"questions.csv line 3, column lang: no language is called 'Spansh'; did you mean Spanish",
        ),
        ('query,tags\na,"{""language"": ""xx""}"\n', r"line 2, column tags: no language is called 'xx'"),
        ("query,language\na,auto\n", "line 2, column language: no language is called 'auto'"),
        ("query,language\na,3.0\n", "line 2, column language: no language is called '3.0'"),
    ],
)
def test_a_wrong_one_is_told_with_its_place(csv, text, told):
    with pytest.raises(InputError, match=told):
        read_dataset(csv(text))


def test_one_for_all_that_do_not_say_theirs(csv, tmp_path):
    path = csv("query,language\na,es\nb,\n")
    assert languages_of(path, language="Indonesian") == ["es", "id"]
    (tmp_path / "topics.tsv").write_text("1\tred shoes\n2\tblue hat\n")
    assert languages_of(tmp_path / "topics.tsv", language="en-US") == ["en", "en"]
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "x"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "what"}\n')
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert languages_of(folder, language="fr") == ["fr"]


def test_other_tags_stay(csv):
    assert dict(read_dataset(csv("query,category\na,x\n"), language="es").items[0].tags) == {
        "category": "x",
        "language": "es",
    }


@pytest.mark.parametrize(
    "language, told", [("Spansh", "did you mean Spanish"), ("auto", "neraca score --language auto")]
)
def test_a_wrong_one_for_all(csv, language, told):
    with pytest.raises(SpecError, match=told):
        read_dataset(csv("query\na\n"), language=language)
