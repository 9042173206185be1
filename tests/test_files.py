import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import InputError, RunError
from neraca.files import Lock, fingerprint, write_atomic


@contextlib.contextmanager
def process(code: str, *arguments: object):
    """Another Python, spoken to over its pipes; killed at the end."""
    started = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


# fingerprints

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(thing, chance):
    names = list(thing)
    chance.shuffle(names)
    assert fingerprint({name: thing[name] for name in names}) == fingerprint(thing)


@given(
    st.lists(
        st.tuples(JSON, JSON).filter(
            lambda two: (
                msgspec.json.encode(two[0], order="deterministic") != msgspec.json.encode(two[1], order="deterministic")
            )
        )
    )
)
def test_different_things_have_different_fingerprints(pairs):
    assert all(fingerprint(one) != fingerprint(other) for one, other in pairs)


def test_a_fingerprint_is_the_same_for_ever():
    # the first 16 digits of: printf '{"a":[1,2.5,"x"],"b":null}' | sha256sum
    assert fingerprint({"b": None, "a": (1, 2.5, "x")}) == "ebeb83367f9695ff"


# whole or not at all


def test_writing_makes_folders_and_replaces(tmp_path):
    path = tmp_path / "a" / "b" / "file.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_others_may_read_as_the_umask_says(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_text("kept")
    with pytest.raises(OSError, match="taken"):
        write_atomic(tmp_path / "taken", b"data")
    with pytest.raises(TypeError):
        write_atomic(tmp_path / "new", "text is not bytes")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken" / "inside").read_text() == "kept"


def test_a_file_that_another_program_has_open_on_windows(tmp_path, monkeypatch):
    (tmp_path / "scores.xlsx").write_text("before")

    def refuse(path, target):
        raise PermissionError(13, "Access is denied", str(path), 5, str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"scores\.xlsx: cannot be replaced \(Access is denied\); close the program"):
        write_atomic(tmp_path / "scores.xlsx", b"after")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_killed_at_any_moment_the_file_is_whole(tmp_path):
    path = tmp_path / "file"
    code = """
        import itertools, sys
        from pathlib import Path
        from neraca.files import write_atomic
        for letter in itertools.cycle(b"abcdefgh"):
            write_atomic(Path(sys.argv[1]), bytes([letter]) * 2_000_000)
            print(flush=True)
    """
    for rounds in (2, 3, 5, 8):
        with process(code, path) as writer:
            for _ in range(rounds):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        content = path.read_bytes()
        assert len(content) == 2_000_000
        assert len(set(content)) == 1


# one writer

HOLD = """
    import sys
    from pathlib import Path
    from neraca.files import Lock
    with Lock(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_second_process_is_refused_with_the_number_of_the_first(tmp_path):
    with process(HOLD, tmp_path) as holder:
        holder.stdout.readline()
        with pytest.raises(RunError, match=rf"pid {holder.pid}\) is writing"), Lock(tmp_path):
            pass
        holder.communicate(b"\n")
        with Lock(tmp_path):
            pass


def test_a_killed_process_holds_nothing(tmp_path):
    with process(HOLD, tmp_path) as holder:
        holder.stdout.readline()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with Lock(tmp_path):
            assert (tmp_path / ".lock").read_text() == f"\n{os.getpid()}"  # Windows locks the first byte


def test_this_process_is_refused_too_and_the_first_keeps_its_lock(tmp_path):
    with Lock(tmp_path / "run"):
        for _ in range(2):
            with pytest.raises(RunError, match=f"pid {os.getpid()}"), Lock(tmp_path / "run"):
                pass
    with Lock(tmp_path / "run"):
        pass


def test_a_lock_is_freed_by_an_exception(tmp_path):
    with pytest.raises(KeyError), Lock(tmp_path):
        raise KeyError
    with Lock(tmp_path):
        pass


def refuse_while_open(monkeypatch, refused):
    """Let the system rename no folder while `refused` says so, as Windows does where a file in it is open."""
    rename = Path.rename

    def renamed(path, target):
        if refused():
            raise PermissionError(13, "Access is denied", str(path))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)


@pytest.mark.parametrize("only_when_free", [False, True])
def test_a_locked_folder_is_moved(tmp_path, monkeypatch, only_when_free):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "answers").write_text("kept")
    with Lock(tmp_path / "run") as lock:
        if only_when_free:
            refuse_while_open(monkeypatch, lambda: lock._file is not None)
        lock.move_folder(tmp_path / "aside")
    assert (tmp_path / "aside" / "answers").read_text() == "kept"
    assert not (tmp_path / "run").exists()
    with Lock(tmp_path / "aside"):
        pass


def test_a_folder_that_cannot_be_moved_stays_and_is_free(tmp_path, monkeypatch):
    refuse_while_open(monkeypatch, lambda: True)
    with pytest.raises(PermissionError), Lock(tmp_path / "run") as lock:
        lock.move_folder(tmp_path / "aside")
    with Lock(tmp_path / "run"):
        pass


def test_a_lock_that_was_never_taken_is_freed_quietly():
    Lock(Path("nowhere")).__exit__()
