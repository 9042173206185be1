"""The log of ratings, in both databases."""

import sqlite3

import pytest
from postgres import MISSING, postgres
from sqlalchemy import text

from neraca.errors import InputError, SpecError
from neraca.people.rating import Rating
from neraca.web.ratings_database import RatingsDatabase, RatingSettings


@pytest.fixture(scope="module")
def server():
    if MISSING:
        pytest.skip(MISSING)
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    url = f"sqlite:///{tmp_path}/log.sqlite" if request.param == "sqlite" else request.getfixturevalue("server")
    with RatingsDatabase(url) as opened:
        yield opened
        if request.param == "postgresql":
            with opened._engine.begin() as connection:
                connection.execute(text("DROP TABLE ratings, raters, rated_sets"))


def rating(id, value=1.0, at="2026-01-01T00:00:00.000Z", **fields):
    return Rating(**{"id": id, "task": "t", "on": "quality", "value": value, "at": at} | fields)


def test_what_is_added_comes_back_by_the_time_it_was_said(database):
    late = rating("a", 2, at="2026-01-01T00:00:02.000Z")
    early = rating("b", "it’s \x00 “fine” 😀", at="2026-01-01T00:00:01.000Z", on="note")
    database.append("set", "ana", [late])
    database.append("set", "ana", [early, rating("c", None, at=late.at)])
    assert database.ratings("set", "ana") == [early, late, rating("c", None, at=late.at)]
    assert database.ratings("set", "budi") == database.ratings("other", "ana") == []


def test_an_id_counts_once_for_each_rater(database):
    one, later = rating("a", 1), rating("a", 1, at="2026-01-01T00:00:09.000Z")
    assert database.append("set", "ana", [one, rating("a", 2)]) == [one]
    assert database.append("set", "ana", [rating("a", 3), rating("b", 4)]) == [rating("b", 4)]
    assert database.append("set", "ana", [later]) == [later], "the same, sent once more"
    assert database.append("set", "budi", [rating("a", 5)]) == [rating("a", 5)]
    assert database.append("set", "budi", []) == []
    assert [r.value for r in database.ratings("set", "ana")] == [1, 4]
    assert [r.value for r in database.ratings("set", "budi")] == [5]


def test_tokens_stay_and_cannot_be_guessed(database):
    first = database.raters("set", ["ana", "budi"])
    assert database.raters("set", ["budi", "citra"]) == first | {"citra": database.raters("set")["citra"]}
    others = database.raters("other", ["ana"])
    tokens = [*database.raters("set").values(), *others.values()]
    assert len(set(tokens)) == 4
    assert all(len(token) == 32 for token in tokens), "24 random bytes in base64"


def test_the_first_settings_stand(database):
    settings = RatingSettings(runs=("a", "b"), seed=7)
    assert database.begin("set", settings) == settings
    assert database.begin("set", RatingSettings(seed=8)) == settings
    assert database.sets() == {"set": settings}


def test_a_newer_version_is_refused(database):
    database.begin("set", RatingSettings())
    with database._engine.begin() as connection:
        connection.execute(text("UPDATE rated_sets SET v = 2"))
    with pytest.raises(InputError, match="written by a newer Neraca"):
        database.sets()


def test_every_commit_is_synced(database):
    sqlite = database._engine.dialect.name == "sqlite"
    asked = ["PRAGMA journal_mode", "PRAGMA synchronous"] if sqlite else ["SHOW synchronous_commit"]
    with database._engine.connect() as connection:
        assert [connection.execute(text(one)).scalar() for one in asked] == (["wal", 2] if sqlite else ["on"])


def test_a_file_by_its_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with RatingsDatabase("log.sqlite") as database:
        database.append("set", "ana", [rating("a")])
    assert (tmp_path / "log.sqlite").stat().st_mode & 0o777 == 0o600, "it holds tokens"
    (count,) = sqlite3.connect("log.sqlite").execute("SELECT count(*) FROM ratings").fetchone()
    assert count == 1


@pytest.mark.parametrize(
    "url", ["mysql://u:secret@h/d", "sqlite://", "sqlite:///:memory:", "http:///x y", "postgresql"]
)
def test_other_databases_are_refused(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if url == "postgresql":
        RatingsDatabase(url).close()  # a name of a file like any other
        return
    with pytest.raises(SpecError, match="write sqlite:///FILE or postgresql://") as caught:
        RatingsDatabase(url)
    assert "secret" not in str(caught.value)


def test_what_cannot_be_opened_is_said_without_the_password(tmp_path):
    (tmp_path / "log.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="cannot be opened: file is not a database"):
        RatingsDatabase(f"sqlite:///{tmp_path}/log.sqlite")
    with pytest.raises(InputError, match="cannot be opened: No such file or directory"):
        RatingsDatabase(f"sqlite:///{tmp_path}/nowhere/log.sqlite")
    with pytest.raises(InputError, match="no such file; name the database"):
        RatingsDatabase(f"sqlite:///{tmp_path}/none.sqlite", make=False)
    with pytest.raises(InputError, match=r"postgresql://\(hidden\)@/d\?host=.*cannot be opened") as caught:
        RatingsDatabase(f"postgresql://user:secret@/d?host={tmp_path}")
    assert "secret" not in str(caught.value)
