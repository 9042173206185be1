"""A log in PostgreSQL: the tables of UBI as JSON columns, found without options, and a query of one's own."""

import json

import postgres
import psycopg
import pytest
from online.log_files import read_log

from neraca.errors import InputError

pytestmark = pytest.mark.skipif(bool(postgres.MISSING), reason=postgres.MISSING)


@pytest.fixture(scope="module")
def server():
    with postgres.postgres() as url:
        with psycopg.connect(url, autocommit=True) as db:
            db.execute(
                "CREATE TABLE ubi_queries (query_id text, client_id text, user_query text, timestamp timestamptz, "
                "query_attributes jsonb, query_response_hit_ids text[])"
            )
            db.execute(
                "CREATE TABLE ubi_events (action_name text, query_id text, client_id text, timestamp timestamptz, "
                "event_attributes jsonb)"
            )
            at = "2026-01-01T17:00:00+07:00"
            variant, shown = json.dumps({"variant": "A"}), ["d1", "d2"]
            row = ("q1", "ana", "red shoes", at, variant, shown)
            db.execute("INSERT INTO ubi_queries VALUES (%s, %s, %s, %s, %s, %s)", row)
            place = json.dumps({"object": {"object_id": "d2"}, "position": {"ordinal": 2}})
            clicked = ("click", "q1", "ana", "2026-01-01T10:00:05Z", place)
            db.execute("INSERT INTO ubi_events VALUES (%s, %s, %s, %s, %s)", clicked)
        yield url


def test_ubi_in_postgresql_needs_no_options(server):
    (row,), left_out, _ = read_log(server)
    assert (row["user"], row["variant"], row["shown"], row["clicked"]) == ("ana", "A", ["d1", "d2"], [2])
    assert (row["time"], row["clicked_at"], left_out) == (1_767_261_600.0, [5.0], {})


def test_a_query_that_fails_says_so_and_shows_no_password(server):
    with pytest.raises(InputError, match='relation "nothing" does not exist') as error:
        read_log(server, query="SELECT * FROM nothing")
    assert "neraca@" not in str(error.value)


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="postgresql://127\\.0\\.0\\.1/x") as error:
        read_log("postgresql://me:secret@127.0.0.1:1/x")
    assert "secret" not in str(error.value)
