"""Where the lines of one question begin: a search and an index find the same, in whatever way a line is written."""

import pytest
from builders import make_run

from neraca.errors import InputError
from neraca.records import Answer, Item
from neraca.web import line_index
from neraca.web.line_index import search_lines


def both(file, field, value):
    """What the search finds, once the index was seen to find the same."""
    found = list(search_lines(file, field, value))
    assert line_index.line_index(file, field).places(value) == found
    return found


def test_a_search_and_an_index_find_the_lines_of_a_question(tmp_path):
    items = [Item(id=name, query="?") for name in ("é", "b")]
    run = make_run(tmp_path / "run", items, [Answer(item="é", text='"item":"b"'), Answer(item="b", text="ü" * 9)])
    file = run.answers_journal.path
    first = len(file.read_bytes().splitlines()[0]) + 1
    assert (both(file, "item", "é"), both(file, "item", "b")) == ([0], [first])
    with file.open("ab") as opened:
        opened.write(b'{"item": "cut off\n')
    with run.answers_journal as journal:
        journal.append(Answer(item="é", text="second"))
    assert [answer.text for answer in run.answers_journal.at(both(file, "item", "é"))] == ['"item":"b"', "second"]


@pytest.mark.parametrize("before", [0, *range((1 << 20) - 140, 1 << 20, 7)])
def test_a_line_is_found_however_it_is_written_and_wherever_a_block_ends(tmp_path, before):
    """Files are read in blocks of 1 MiB: another line of so many bytes stands before those that are looked for."""
    first = b"{" + b" " * (before - 3) + b"}\n" if before else b""
    lines = [
        b'{"v":1,"item":"q1"}\n',
        b'{"v": 1, "text": "x", "item" :\t"q1"}\n',
        b'{"item":"q11"}\n',
        b'{"item":"q2","inner":{"item":"q1"}}\n',  # of another question: whoever reads it sees that
        b'{"item":"\\u00711"}\n',
        b'{"item":"q1"}',
    ]
    file = tmp_path / "lines.jsonl"
    file.write_bytes(first + b"".join(lines))
    begins = [before + sum(map(len, lines[:n])) for n in range(len(lines))]
    assert list(search_lines(file, "item", "q1")) == [begins[n] for n in (0, 1, 3, 4, 5)]
    assert line_index.line_index(file, "item").places("q1") == [begins[n] for n in (0, 1, 4, 5)]
    assert list(search_lines(file, "item", "q11")) == [begins[2], begins[4]], "a backslash may hide anything"


def test_where_there_is_nothing_nothing_is_found(tmp_path):
    assert list(search_lines(tmp_path / "none.jsonl", "item", "q1")) == []
    (tmp_path / "empty.jsonl").touch()
    assert both(tmp_path / "empty.jsonl", "item", "q1") == []


def test_a_line_that_is_no_record_is_said(tmp_path):
    run = make_run(tmp_path / "run", [Item(id="1", query="?")], [Answer(item="1")])
    with run.answers_journal.path.open("ab") as file:
        place = file.tell()
        file.write(b'{"v":1,"item":"1","trial":"first"}\n')
    with pytest.raises(InputError, match=rf"answers\.jsonl, at byte {place}: not a whole Answer: .*trial"):
        run.answers_journal.at(search_lines(run.answers_journal.path, "item", "1"))
