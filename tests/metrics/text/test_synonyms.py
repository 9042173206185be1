import pytest

from neraca.errors import InputError
from neraca.metrics.text.synonyms import Synonyms
from neraca.metrics.text.tokenizer import Tokenizer

GROUPS = [["rumah", "hunian", "kediaman"], ["house", "home"]]


def load(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Synonyms.load(path)


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.csv", "rumah,hunian, kediaman\nhouse,home"),
        ("a.csv", "\ufeffrumah;hunian;kediaman;\r\n\r\nhouse;home;house\r\n"),
        ("a.CSV", 'rumah, "hunian", kediaman\nhouse\thome\n'),
        ("a.tsv", "rumah\thunian\tkediaman\n\nhouse\thome\n"),
        ("a.txt", "rumah, hunian, kediaman\n , \nhouse, home"),
        ("a.json", '[["rumah", "hunian", "kediaman"], ["house", "home"], []]'),
        ("a.jsonl", '["rumah", "hunian", "kediaman"]\n\n["house", "home"]\n'),
    ],
)
def test_a_line_is_a_group(tmp_path, name, text):
    assert load(tmp_path, name, text).groups == GROUPS


@pytest.mark.parametrize(
    "name, text, told",
    [
        ("a.csv", "a,b\n\nalone\n", "a.csv line 3: 'alone' stands alone; write two words or more"),
        ("a.csv", "a,b\nc, c\n", "a.csv line 2: 'c' stands alone"),
        ("a.csv", "\n,\n", "a.csv: has no synonyms; write words that mean the same on one line"),
        ("a.json", '{"a": "b"}', "a.json: must be a list of lists of words"),
        ("a.json", '[["a", 1]]', "a.json: must be a list of lists of words"),
        ("a.json", '[["a", "b"], ["c"]]', "a.json group 2: 'c' stands alone"),
        ("a.jsonl", '["a", "b"]\n"c"\n', "a.jsonl line 2: must be a list of words"),
        ("a.xlsx", "", "a.xlsx: synonyms are read from .csv .tsv .txt .json .jsonl; save them as one of these"),
        ("a.csv", b"caf\xe9,bar\n", "a.csv line 1: byte 4 (0xe9) is not UTF-8; save the file as UTF-8"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, name, text, told):
    with pytest.raises(InputError) as error:
        load(tmp_path, name, text)
    assert told in str(error.value)


def test_what_cannot_be_read_is_told(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder.csv: cannot be read: Is a directory"):
        Synonyms.load(tmp_path / "folder.csv")
    with pytest.raises(InputError, match=r"none.csv: no such file of synonyms \(looked from"):
        Synonyms.load(tmp_path / "none.csv")


def test_a_file_is_read_again_when_it_changes(tmp_path):
    first = load(tmp_path, "a.csv", "a,b")
    assert Synonyms.load(tmp_path / "a.csv") is first
    assert load(tmp_path, "a.csv", "a,b,c").groups == [["a", "b", "c"]]


def test_groups_are_not_chained(tmp_path):
    """bank = shore and bank = lender, but shore is no lender."""
    table = load(tmp_path, "a.csv", "bank,shore\nBank,lender").read([Tokenizer.of("word")])
    assert table["bank"] == {"bank", "shore", "lender"}
    assert table["shore"] == {"bank", "shore"}


def test_words_of_several_languages_are_read_in_each(tmp_path):
    readings = [Tokenizer.of("word+maystem", code) for code in ("en", "es", "th")]
    table = load(tmp_path, "a.csv", "casas,hogares").read(readings)
    assert table["cas"] == {"cas", "hogar"}
    assert table["casa"] == {"casa", "hogar"}
    assert table["casas"] == {"casas", "hogares"}


@pytest.mark.parametrize("word, told", [("sepeda motor", "2 words (sepeda motor)"), ("!!", "no word")])
def test_what_is_no_single_word_is_told(tmp_path, word, told):
    table = load(tmp_path, "a.csv", f"a,b\nmotor,{word}")
    with pytest.raises(InputError) as error:
        table.read([Tokenizer.of("word")])
    assert f"a.csv line 2: {word!r} is read as {told} by tokens=word; single words are aligned" in str(error.value)
