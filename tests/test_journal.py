"""Journals: what was acknowledged is there after a kill, a full disk, a torn line and an old version."""

import os
import signal

import msgspec
import pytest
from test_files import process

from neraca.errors import InputError, RunError
from neraca.journal import Journal
from neraca.records import Answer, Hit, Item, Verdict


class Note(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    text: str = ""


NOTES = [Note(id=1, text="satu"), Note(id=2, text='dua – ñ 二\n"quoted"'), Note(id=3, text="x" * 300)]


def journal(path, *notes):
    with Journal(path, Note) as opened:
        opened.append(*notes)
    return Journal(path, Note)


def test_lines_that_were_saved_with_the_line_ends_of_windows_are_read(tmp_path):
    path = journal(tmp_path / "notes.jsonl", *NOTES).path
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(Journal(path, Note)) == NOTES
    path.write_bytes(path.read_bytes() + b'{"v":0,"id":4}\r\n')  # of an older version: read line by line
    with Journal(path, Note, upgrades={0: dict}) as opened:
        opened.append(Note(id=5))
        assert list(opened) == [*NOTES, Note(id=4), Note(id=5)]


def test_what_is_written_is_read(tmp_path):
    found = journal(tmp_path / "new" / "notes.jsonl", *NOTES)
    assert list(found) == list(found) == NOTES
    assert list(journal(found.path, Note(id=4))) == [*NOTES, Note(id=4)]


def test_each_line_carries_its_version(tmp_path):
    lines = journal(tmp_path / "notes.jsonl", *NOTES).path.read_bytes().splitlines()
    assert [msgspec.json.decode(line)["v"] for line in lines] == [1, 1, 1]


def test_a_journal_that_is_not_there_is_empty(tmp_path):
    assert list(Journal(tmp_path / "none.jsonl", Note)) == []
    assert not (tmp_path / "none.jsonl").exists()


def test_nothing_to_append(tmp_path):
    assert list(journal(tmp_path / "notes.jsonl")) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_closed_journal_is_not_written(tmp_path, when):
    found = Journal(tmp_path / "notes.jsonl", Note)
    if when == "after":
        with found:
            pass
    with pytest.raises(RunError, match=r"notes\.jsonl: the journal is not open"):
        found.append(NOTES[0])
    found.__exit__()


def test_torn_at_every_byte(tmp_path):
    whole = journal(tmp_path / "whole.jsonl", *NOTES[:2]).path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(len(whole) + 1):
        path = tmp_path / "torn.jsonl"
        path.write_bytes(whole[:length])
        # a record that lacks nothing but its newline is whole: a person may have added it with an editor
        kept = NOTES[: (length >= first - 1) + (length >= len(whole) - 1)]
        assert list(Journal(path, Note)) == kept
        assert path.read_bytes() == whole[:length], "reading changes nothing"
        assert list(journal(path, NOTES[2])) == [*kept, NOTES[2]]


@pytest.mark.parametrize("tail", [65_535, 65_536, 65_537, 200_000])
def test_a_long_torn_tail_is_cut_at_the_last_newline(tmp_path, tail):
    path = journal(tmp_path / "notes.jsonl", NOTES[0]).path
    with path.open("ab") as file:
        file.write(b"x" * tail)
    assert list(journal(path, NOTES[1])) == NOTES[:2]
    path.write_bytes(b"x" * tail)
    assert list(journal(path, NOTES[1])) == NOTES[1:2]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"v":1,"id":2,"te',
        b"",
        b"[1]",
        b'{"v":1,"id":"two"}',
        b'{"v":1}',
        b'{"v":1,"id":2,"text":"\xff"}',
        b"null",
        b'{"v":"1","id":2}',
        b'{"v":0,"id":2}',
    ],
)
def test_a_broken_line_in_the_middle_is_told_with_its_number(tmp_path, broken):
    path = journal(tmp_path / "notes.jsonl", *NOTES[:2]).path
    one, two = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(one + two + broken + b"\n" + one)
    reading = iter(Journal(path, Note))
    assert [next(reading), next(reading)] == NOTES[:2]
    with pytest.raises(InputError, match=r"notes\.jsonl line 3: not a whole Note"):
        next(reading)


def test_a_line_of_a_newer_program(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"v":3,"id":2}\n')
    with pytest.raises(InputError, match=r"line 1: .*version 3 is newer than the 2 known here; update Neraca"):
        list(Journal(path, Note, version=2, upgrades={1: dict}))


def test_old_lines_are_read_for_ever_and_new_ones_written_beside_them(tmp_path):
    """A golden file: notes of version 1 had a name, of version 2 a number in words, and none a version at first."""
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"name":"zero"}\n{"v":1,"name":"one"}\n{"v":2,"number":"2","text":"two"}\n{"v":3,"id":3}\n')
    words = {"zero": "0", "one": "1"}
    upgrades = {
        1: lambda old: {"number": words[old["name"]], "text": old["name"]},
        2: lambda old: {"id": int(old["number"]), "text": old["text"]},
    }
    with Journal(path, Note, version=3, upgrades=upgrades) as opened:
        opened.append(Note(id=4))
        found = list(opened)
    assert [(note.id, note.text) for note in found] == [(0, "zero"), (1, "one"), (2, "two"), (3, ""), (4, "")]
    assert path.read_bytes().splitlines()[-1] == b'{"v":3,"id":4,"text":""}'


def test_fields_of_a_newer_program_of_the_same_version_are_passed_over(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"v":1,"id":1,"colour":"red"}\n')
    assert list(Journal(path, Note)) == [Note(id=1)]


#: As version 1 wrote them; these lines must be read for ever.
GOLDEN = {
    Answer: b'{"v":1,"item":"q1","trial":1,"text":"dua rumah",'
    b'"hits":[{"id":"a","score":0.5,"fields":{"price":9}},{"id":"b"}],'
    b'"seconds":0.25,"status":"suspect","key":"k","at":"2026-11-20T10:00:00Z"}\n',
    Verdict: b'{"v":1,"item":"q1","about":"hit:a","aspect":"price","by":"rules","value":0.0,"why":"9 > 8"}\n',
    Item: b'{"v":1,"id":"q1","query":"rumah?","session":"s","relevant":{"a":2.0},'
    b'"constraints":{"price":{"max":8.0}}}\n',
}


@pytest.mark.parametrize("kind", GOLDEN)
def test_records_of_version_1(tmp_path, kind):
    path = tmp_path / "records.jsonl"
    path.write_bytes(GOLDEN[kind])
    (found,) = Journal(path, kind)
    with Journal(tmp_path / "again.jsonl", kind) as again:
        again.append(found)
    assert (tmp_path / "again.jsonl").read_bytes() == GOLDEN[kind]
    if kind is Answer:
        assert found.hits == (Hit(id="a", score=0.5, fields={"price": 9}), Hit(id="b"))


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path):
    """The system lets the file grow to 4,000 bytes, so that the last write is cut in the middle."""
    code = """
        import resource, signal, sys
        from pathlib import Path
        from neraca.errors import RunError
        from neraca.journal import Journal
        from neraca.records import Verdict
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        with Journal(Path(sys.argv[1]), Verdict) as journal:
            for number in range(1000):
                try:
                    journal.append(Verdict(item=str(number), about="answer", aspect="quality", by="rules"))
                except RunError as error:
                    print(number, error, flush=True)
                    break
            try:
                journal.append(Verdict(item="x" * 200, about="answer", aspect="quality", by="rules"))
            except RunError:
                pass
    """
    path = tmp_path / "verdicts.jsonl"
    with process(code, path) as writer:
        told = writer.communicate(timeout=60)[0].decode()
    number = int(told.split()[0])
    assert "is the disk full?" in told
    assert path.read_bytes().endswith(b"\n")
    assert [verdict.item for verdict in Journal(path, Verdict)] == [str(n) for n in range(number)]


def test_killed_at_any_moment_what_was_acknowledged_is_there(tmp_path):
    code = """
        import itertools, sys
        from pathlib import Path
        from neraca.journal import Journal
        from neraca.records import Answer
        with Journal(Path(sys.argv[1]), Answer) as journal:
            for number in itertools.count(int(sys.argv[2])):
                journal.append(Answer(item=str(number), text="x" * 5000))
                print(number, flush=True)
    """
    path, known = tmp_path / "answers.jsonl", 0
    for rounds in (3, 11, 27):
        with process(code, path, known) as writer:
            for _ in range(rounds):
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        items = [int(answer.item) for answer in Journal(path, Answer)]
        assert items == list(range(len(items)))
        assert len(items) > acknowledged
        known = len(items)


@pytest.mark.skipif(not hasattr(os, "fdatasync"), reason="this system has no fdatasync")
def test_an_appended_record_is_synced_before_append_returns(tmp_path, monkeypatch):
    """The real call, watched: what was written when the system was asked to sync it."""
    synced = []

    def watched(file):
        os.fdatasync(file)
        synced.append(os.fstat(file).st_size)

    monkeypatch.setattr("neraca.journal.sync", watched)
    with Journal(tmp_path / "notes.jsonl", Note) as opened:
        for note in NOTES[:2]:
            opened.append(note)
            assert synced[-1:] == [(tmp_path / "notes.jsonl").stat().st_size]
    assert len(synced) == 2
