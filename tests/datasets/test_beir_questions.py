"""BEIR's folders as questions, and its judgments beside other questions."""

import gzip

import pytest

from neraca.datasets.beir_questions import read_beir
from neraca.datasets.read_dataset import read_dataset
from neraca.errors import InputError
from neraca.records import Item

QUERIES = """{"_id": "q2", "text": "Is aspirin an analgesic?", "metadata": {"year": 2001}}
{"_id": "q3", "text": "nobody judged this", "metadata": {}}
{"_id": "q1", "text": " What cures a cold? ", "metadata": {}}
"""
TEST = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td 2\t0\nq2\td1\t1\n"
DEV = "query-id\tcorpus-id\tscore\nq3\td9\t1\n"


@pytest.fixture
def folder(tmp_path):
    """A BEIR folder: three questions, two judged for testing, one for development."""
    made = tmp_path / "tiny"
    (made / "qrels").mkdir(parents=True)
    (made / "queries.jsonl").write_text(QUERIES)
    (made / "qrels/test.tsv").write_text(TEST)
    (made / "qrels/dev.tsv").write_text(DEV)
    return made


def refused(function, *words, **options):
    with pytest.raises(InputError) as told:
        function(**options)
    for part in words:
        assert part in str(told.value)
    assert "\n" not in str(told.value)


def test_judged_questions_in_the_order_of_their_file(folder):
    found = read_beir(folder)
    assert found.items == (
        Item(id="q2", query="Is aspirin an analgesic?", relevant={"d1": 1.0}, extra={"metadata": {"year": 2001}}),
        Item(id="q1", query="What cures a cold?", relevant={"d1": 2.0, "d 2": 0.0}),
    )
    assert found.source == f"{folder} (test.tsv)"
    assert all(isinstance(grade, float) for item in found for grade in item.relevant.values())
    assert [item.id for item in read_beir(folder, "dev")] == ["q3"]


def test_a_packed_folder(folder):
    plain = read_beir(folder).items
    for name in ("queries.jsonl", "qrels/test.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), mtime=0))
    (folder / "queries.jsonl").rename(folder / "a")
    (folder / "qrels/test.tsv").rename(folder / "b")
    assert read_beir(folder).items == plain
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "what is not packed is newer"}')
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td\t1\n")
    assert read_beir(folder).items == (Item(id="q1", query="what is not packed is newer", relevant={"d": 1.0}),)


def test_numbers_as_ids(folder):
    (folder / "queries.jsonl").write_text('\n{"_id": 3, "text": "three"}\n')
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n3\t7\t1\n")
    assert read_beir(folder).items == (Item(id="3", query="three", relevant={"7": 1.0}),)


@pytest.mark.parametrize(
    "line, words",
    [
        ("{", "queries.jsonl line 4: not a JSON object"),
        ("[1]", 'line 4: a line must be an object such as {"_id": "q1", "text": "the question"}'),
        ('{"_id": "q9"}', "line 4: a line must be an object"),
        ('{"text": "q"}', "line 4: a line must be an object"),
        ('{"_id": [1], "text": "q"}', "line 4: _id: must be text, found [1]"),
        ('{"_id": " ", "text": "q"}', "line 4: the _id is empty"),
        ('{"_id": "q2", "text": "again"}', "line 4: the _id 'q2' is already in line 1; every id must occur once"),
        ('{"_id": "q8", "text": ""}', "line 4: text: the question is empty"),
        ('{"_id": "q8", "text": {"a": 1}}', "line 4: text: must be text"),
    ],
)
def test_a_line_that_is_no_question(folder, line, words):
    (folder / "queries.jsonl").write_text(QUERIES + line + "\n")
    (folder / "qrels/test.tsv").write_text(TEST + "q8\td1\t1\n")
    refused(read_beir, words, folder=folder)


def test_an_empty_question_that_nobody_judged_does_not_matter(folder):
    (folder / "queries.jsonl").write_text(QUERIES + '{"_id": "q8", "text": ""}\n')
    assert len(read_beir(folder)) == 2


def test_a_judged_question_that_is_not_there(folder):
    (folder / "qrels/test.tsv").write_text(TEST + "q9\td1\t1\n")
    refused(read_beir, "qrels/test.tsv line 5: the query 'q9' is not in", "tiny/queries.jsonl", folder=folder)
    (folder / "queries.jsonl").unlink()
    refused(read_beir, "tiny: no queries.jsonl", folder=folder)


# as a data set


def test_a_folder_is_a_data_set(folder):
    assert read_dataset(folder) == read_beir(folder)
    assert read_dataset(folder, qrels=folder / "qrels/dev.tsv").items == read_beir(folder, "dev").items
    refused(
        read_dataset,
        "a BEIR folder is not a table; leave encoding, sheet out",
        path=folder,
        encoding="cp1252",
        sheet="a",
    )


def test_other_judgments_of_a_folder(folder, tmp_path):
    (tmp_path / "trec.txt").write_text("q3 0 d4 1\nq77 0 d4 1\n")
    found = read_dataset(folder, qrels=str(tmp_path / "trec.txt"))
    assert found.items == (Item(id="q3", query="nobody judged this", relevant={"d4": 1.0}),)
    assert found.source == f"{folder} (trec.txt)"
    (tmp_path / "trec.txt").write_text("77 0 d4 1\n")
    words = (
        "trec.txt: no question of",
        "it judges '77', the questions are called 'q2', 'q3', 'q1'; give both the same",
    )
    refused(read_dataset, *words, path=folder, qrels=tmp_path / "trec.txt")


def test_judgments_beside_a_table(folder, csv):
    table = csv("id,query,relevant,note\nq1,cold,d7,a\nq2,aspirin,,b\nx,other,d8,c\n")
    found = read_dataset(table, qrels=folder / "qrels/test.tsv")
    assert found.items == (
        Item(id="q1", query="cold", relevant={"d1": 2.0, "d 2": 0.0}, extra={"note": "a"}),
        Item(id="q2", query="aspirin", relevant={"d1": 1.0}, extra={"note": "b"}),
        Item(id="x", query="other", relevant={"d8": 1.0}, extra={"note": "c"}),
    )
    assert found.source == str(table)
    assert read_dataset(table, qrels=folder).items == found.items


def test_judgments_of_other_questions(folder, csv):
    words = ("it judges 'q1', 'q2', the questions are called '1', '2', '3'; give both the same ids",)
    refused(read_dataset, *words, path=csv("query\na\nb\nc\nd\n"), qrels=folder)


def test_a_grade_beyond_all_numbers(csv, tmp_path):
    (tmp_path / "big.txt").write_text(f"1 0 d1 {'9' * 400}\n")
    refused(read_dataset, "big.txt line 1: the grade", path=csv("query\na\n"), qrels=tmp_path / "big.txt")
