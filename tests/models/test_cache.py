import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from neraca.errors import InputError
from neraca.models.cache import Cache, CallRecord, default_path, key_of
from neraca.models.cost import Spent


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "models.sqlite"


def made(**more):
    usual = {"run": "r", "model": "m", "url": "u", "mode": "native", "reply": b"{}", "seconds": 0.5, "input_tokens": 7}
    return CallRecord(**{**usual, "output_tokens": 2, "cost": 0.25, **more})


def test_what_is_kept_is_found_by_any_other_reader(path):
    one, other = Cache(path), Cache(path)
    assert other.reply(b"k") is None
    one.keep_reply(b"k", made(request=b'{"q":1}'))
    assert other.reply(b"k") == made()
    one.keep_reply(b"k", made(reply=b"[]"))
    assert other.reply(b"k").reply == b"[]"
    assert other.reply(b"other") is None


def test_derived_values_go_in_and_out_by_the_hundred(path):
    cache = Cache(path)
    values = {key_of(number): bytes([number % 256]) * 3 for number in range(1201)}
    cache.put(values)
    assert Cache(path).get([*values, b"missing"]) == values
    assert cache.get([]) == {}
    cache.put({key_of(0): b"new"})
    assert cache.get([key_of(0)]) == {key_of(0): b"new"}


def test_values_are_put_all_or_none(path):
    cache = Cache(path)
    with pytest.raises(InputError):
        cache.put({b"a": b"1", b"b": object()})
    assert cache.get([b"a", b"b"]) == {}
    cache.put({b"a": b"2"})
    assert cache.get([b"a"]) == {b"a": b"2"}


def test_the_cost_log_of_a_run(path):
    cache = Cache(path)
    assert cache.spent("r") == Spent()
    cache.keep_reply(b"1", made())
    cache.keep_reply(b"2", made(cost=0.5))
    cache.log_wasted(made(why="no JSON", cost=0.125))
    cache.keep_reply(b"3", made(run="other", cost=None))
    assert cache.spent("r") == Spent(calls=2, wasted=1, input_tokens=21, output_tokens=6, cost=0.875)
    assert cache.spent("other").cost is None


def test_a_call_paid_for_nothing_is_not_a_reply(path):
    cache = Cache(path)
    cache.log_wasted(made(why="no JSON"))
    rows = sqlite3.connect(path)
    assert rows.execute("SELECT count(*) FROM calls").fetchone() == (0,)
    assert rows.execute("SELECT why FROM wasted").fetchone() == ("no JSON",)
    rows.close()


def test_only_its_owner_reads_it(path):
    Cache(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_closing_twice(path):
    cache = Cache(path)
    cache.close()
    cache.close()
    with pytest.raises(InputError, match=r"models\.sqlite: not usable"):
        cache.reply(b"k")


def test_other_files_are_refused_and_left_alone(path, tmp_path):
    path.parent.mkdir()
    path.write_text("not a database, but somebody's notes\n" * 100)
    with pytest.raises(InputError, match=r"models\.sqlite: not usable as a cache .* choose another file"):
        Cache(path)
    assert path.read_text().startswith("not a database")
    with pytest.raises(InputError, match="choose another file"):
        Cache(tmp_path)
    newer = tmp_path / "newer.sqlite"
    database = sqlite3.connect(newer)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(InputError, match="newer Neraca"):
        Cache(newer)


def write_many(path, start):
    cache = Cache(path)
    for number in range(start, start + 100):
        cache.keep_reply(key_of(number), made())
    os._exit(0)


def test_processes_share_it_from_the_first_moment_on(path):
    """Four processes that create the file at once and write 100 replies each."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(path, start)) for start in range(0, 400, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert Cache(path).spent("r").calls == 400


OPENERS = """
import os, pathlib, sys
from neraca.models.cache import Cache

failed = 0
for number in range(60):
    path, (gate, opener), processes = pathlib.Path(sys.argv[1], f"{number}.sqlite"), os.pipe(), []
    for _ in range(6):
        process = os.fork()
        if not process:
            os.close(opener)
            os.read(gate, 1)
            Cache(path).close()
            os._exit(0)
        processes.append(process)
    os.close(opener)
    os.close(gate)
    failed += sum(os.waitpid(process, 0)[1] != 0 for process in processes)
print(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that begin at one moment need fork")
def test_many_processes_may_open_a_new_file_at_one_moment(tmp_path):
    """SQLite does not wait while a new file gets its log: of 900 openings of six processes at once, 9 failed."""
    done = subprocess.run([sys.executable, "-c", OPENERS, tmp_path], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_usual_place(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "neraca" / "models.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_path() == tmp_path / ".cache" / "neraca" / "models.sqlite"


def test_keys_depend_on_all_values_and_not_on_the_order():
    assert key_of({"a": [1, 2]}) != key_of({"a": [2, 1]})
    assert key_of({"a": {"x": 1, "y": 2}}) == key_of({"a": {"y": 2, "x": 1}})
