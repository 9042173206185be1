"""Queries on real databases: SQLite, DuckDB and a PostgreSQL server."""

import sqlite3
import sys
import threading
import time
from collections.abc import Iterator

import duckdb
import postgres
import psycopg
import pytest
from judges.scripted_model import reason_of

from neraca.errors import InputError, MissingExtra, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.sql.engines import Limits, QueryFailed, open_database
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item

needs_postgres = pytest.mark.skipif(bool(postgres.MISSING), reason=postgres.MISSING)
KINDS = ["sqlite", "duckdb", pytest.param("postgres", marks=needs_postgres)]
each_engine = pytest.mark.parametrize("kind", KINDS)
HOUSES = """
CREATE TABLE house (id INTEGER, district VARCHAR(20), price DOUBLE PRECISION, rooms INTEGER, listed DATE);
INSERT INTO house VALUES (1, 'Asri', 800.5, 3, '2024-05-01'), (2, 'Asri', 900.25, 4, '2024-05-02'),
  (3, 'Helvetia', 650, 3, '2024-05-02'), (4, 'Johor', 900.25, NULL, NULL);
"""
FAST = Limits(seconds=0.5, rows=100)
FOR_EVER = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.postgres() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(HOUSES)
            connection.execute("CREATE SEQUENCE s; CREATE ROLE reader LOGIN PASSWORD 'open sesame'")
            connection.execute("GRANT SELECT ON house TO reader")
        yield url


@pytest.fixture
def database(kind, request, tmp_path):
    """The same four houses in a database of each kind; returns what stands in the settings."""
    if kind == "postgres":
        return request.getfixturevalue("server")
    path = tmp_path / "houses #1?.db"  # letters that mean something in the address of a file
    if kind == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute(HOUSES)
    else:
        with sqlite3.connect(path) as connection:
            connection.executescript(HOUSES)
        connection.close()
    return str(path)


def content(kind, database):
    """All that is in the table, read without the house."""
    if kind == "postgres":
        with psycopg.connect(database) as connection:
            return connection.execute("SELECT * FROM house ORDER BY id").fetchall()
    connection = duckdb.connect(database) if kind == "duckdb" else sqlite3.connect(database)
    try:
        return connection.execute("SELECT * FROM house ORDER BY id").fetchall()
    finally:
        connection.close()


@each_engine
def test_a_query_and_its_result(kind, database):
    with open_database(database, FAST) as engine:
        assert engine.dialect == kind
        found = engine.run("SELECT id, district AS d, price, rooms, listed FROM house ORDER BY id;")
        assert found.columns == ("id", "d", "price", "rooms", "listed")
        assert found.rows == (
            (1, "Asri", 800.5, 3, "2024-05-01"),
            (2, "Asri", 900.25, 4, "2024-05-02"),
            (3, "Helvetia", 650, 3, "2024-05-02"),
            (4, "Johor", 900.25, None, None),
        )
        assert engine.run("SELECT id, price FROM house WHERE id > 9") == type(found)(("id", "price"), ())
        assert engine.run("SELECT count(*) AS n, avg(rooms) AS r FROM house WHERE district LIKE '%s%'").rows[0][0] == 2


@each_engine
@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM house",
        "UPDATE house SET price = 0",
        "INSERT INTO house (id) VALUES (9)",
        "DROP TABLE house",
        "CREATE TABLE other (a INTEGER)",
        "ALTER TABLE house ADD COLUMN a INTEGER",
        "SELECT 1; DELETE FROM house",
        "DELETE FROM house; SELECT 1",
        "COMMIT; DELETE FROM house",
        "BEGIN",
        "VACUUM",
    ],
)
def test_engines_let_nothing_be_written_whatever_was_checked_before(kind, database, query):
    before = content(kind, database)
    with open_database(database, FAST) as engine:
        with pytest.raises(QueryFailed):
            engine.run(query)
        assert engine.run("SELECT count(*) FROM house").rows == ((4,),)
    assert content(kind, database) == before


@pytest.mark.parametrize(
    "kind, query",
    [
        ("sqlite", "ATTACH '{folder}/new.db' AS other"),
        ("sqlite", "VACUUM INTO '{folder}/new.db'"),
        ("sqlite", "PRAGMA table_info(house)"),
        ("sqlite", "SELECT * FROM pragma_database_list"),
        ("sqlite", "SELECT load_extension('x')"),
        ("duckdb", "SELECT * FROM read_text('{folder}/secret.csv')"),
        ("duckdb", "SELECT * FROM '{folder}/secret.csv'"),
        ("duckdb", "COPY house TO '{folder}/new.csv'"),
        ("duckdb", "ATTACH '{folder}/new.db' AS other"),
        ("duckdb", "SET enable_external_access = true"),
        ("duckdb", "SELECT * FROM query('DELETE FROM house RETURNING id')"),
        ("duckdb", "SELECT * FROM glob('{folder}/*')"),
        ("duckdb", "INSTALL httpfs"),
        ("duckdb", "WITH x AS (DELETE FROM house RETURNING id) SELECT * FROM x"),
        pytest.param("postgres", "COPY house TO '{folder}/new.csv'", marks=needs_postgres),
        pytest.param("postgres", "SET TRANSACTION READ WRITE", marks=needs_postgres),
        pytest.param("postgres", "SELECT nextval('s')", marks=needs_postgres),
        pytest.param("postgres", "SELECT set_config('transaction_read_only', 'off', false)", marks=needs_postgres),
        pytest.param("postgres", "WITH x AS (DELETE FROM house RETURNING id) SELECT * FROM x", marks=needs_postgres),
        pytest.param("postgres", "SELECT * INTO other FROM house", marks=needs_postgres),
        pytest.param("postgres", "SELECT * FROM house FOR UPDATE", marks=needs_postgres),
    ],
)
def test_ways_around(kind, database, query, tmp_path):
    secret, new = tmp_path / "secret.csv", [tmp_path / "new.csv", tmp_path / "new.db"]
    secret.write_text("a\n1\n")
    before = content(kind, database)
    with open_database(database, FAST) as engine, pytest.raises(QueryFailed):
        engine.run(query.format(folder=tmp_path))
    assert content(kind, database) == before
    assert not any(path.exists() for path in new)


def test_each_guard_of_sqlite_holds_alone(tmp_path):
    """The file is open for reading; and where it were not, the authorizer says no (as shown above)."""
    path = tmp_path / "a.db"
    sqlite3.connect(path).executescript("CREATE TABLE t (a);").connection.close()
    with open_database(str(path), FAST) as engine:
        engine._connection.set_authorizer(None)
        with pytest.raises(QueryFailed, match="readonly database"):
            engine.run("INSERT INTO t VALUES (1)")


def test_each_guard_of_duckdb_holds_alone(tmp_path):
    path = tmp_path / "a.db"
    duckdb.connect(path).execute("CREATE TABLE t (a INTEGER)").close()
    python_variable = duckdb.sql("SELECT 1 AS a")
    with open_database(str(path), FAST) as engine:
        connection = engine._connection
        with pytest.raises(duckdb.Error, match="read-only mode"):
            connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(duckdb.Error, match="configuration has been locked"):
            connection.execute("SET memory_limit = '3GB'")
        with pytest.raises(duckdb.Error, match="python_variable does not exist"):
            connection.execute("SELECT * FROM python_variable")
    assert python_variable.fetchall() == [(1,)]


@each_engine
def test_a_query_without_end_is_stopped(kind, database):
    with open_database(database, FAST) as engine:
        began = time.monotonic()
        with pytest.raises(QueryFailed, match=r"it did not end within 0\.5 s \(timeout\)"):
            engine.run(FOR_EVER)
        assert time.monotonic() - began < 10
        assert engine.run("SELECT 1").rows == ((1,),)  # and the next one has its own time


@each_engine
def test_too_many_rows(kind, database):
    with open_database(database, Limits(rows=15)) as engine:
        many = "SELECT a.id FROM house a CROSS JOIN house b"
        with pytest.raises(QueryFailed, match=r"it returns more than 15 rows \(rows\)"):
            engine.run(many)
        assert engine.run("SELECT 1").rows == ((1,),)
    with open_database(database, Limits(rows=16)) as engine:
        assert len(engine.run(many).rows) == 16


@each_engine
def test_mistakes_are_told_in_one_line_and_the_next_query_runs(kind, database):
    with open_database(database, FAST) as engine:
        for query in ("SELECT nope FROM house", "SELECT * FROM nowhere", "SELECT nonsense(1)", "SELEC 1"):
            with pytest.raises(QueryFailed) as error:
                engine.run(query)
            assert str(error.value).strip()
            assert "\n" not in str(error.value)
        assert engine.run("SELECT 1").rows == ((1,),)


def test_full_text_tables_of_sqlite_can_be_searched(tmp_path):
    path = tmp_path / "text.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIRTUAL TABLE page USING fts5(body)")
        connection.execute("INSERT INTO page VALUES ('rumah di Medan'), ('tanah')")
    connection.close()
    with open_database(str(path), FAST) as engine:
        assert engine.run("SELECT body FROM page WHERE page MATCH 'medan'").rows == (("rumah di Medan",),)
        for query in ("UPDATE sqlite_master SET sql = ''", "DELETE FROM page", "INSERT INTO page VALUES ('x')"):
            with pytest.raises(QueryFailed):
                engine.run(query)


def test_text_of_sqlite_that_is_no_text(tmp_path):
    path = tmp_path / "odd.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST(x'ff41' AS TEXT) AS a, x'ff41' AS b")
    connection.close()
    with open_database(str(path), FAST) as engine:
        assert engine.run("SELECT a, b FROM t").rows == (("�A", "\\xff41"),)


def test_values_that_would_fill_the_memory(tmp_path):
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with open_database(str(path), FAST) as engine, pytest.raises(QueryFailed, match="too big"):
        engine.run("SELECT zeroblob(1000000000)")


def test_databases_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"database: .*nothing\.db: no such file"):
        open_database(str(tmp_path / "nothing.db"), FAST)
    text = tmp_path / "text.db"
    text.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="neither an SQLite nor a DuckDB file"):
        open_database(str(text), FAST)
    for begins in (b"SQLite format 3\0", b"12345678DUCK"):
        text.write_bytes(begins + b"x" * 5000)
        with pytest.raises(InputError, match="cannot be read"):
            open_database(str(text), FAST)


def test_the_file_may_be_named_by_the_environment(tmp_path, monkeypatch):
    sqlite3.connect(tmp_path / "a.db").executescript("CREATE TABLE t (a);").connection.close()
    monkeypatch.setenv("DATA", str(tmp_path))
    with open_database("${DATA}/a.db", FAST) as engine:
        assert engine.run("SELECT a FROM t").rows == ()
    with pytest.raises(SpecError, match="environment variable NOT_SET is not set"):
        open_database("${NOT_SET}/a.db", FAST)


@pytest.mark.parametrize("package, database", [("duckdb", "a.duckdb"), ("psycopg", "postgresql://127.0.0.1:1/x")])
def test_without_the_extra(package, database, tmp_path, monkeypatch):
    duckdb.connect(tmp_path / "a.duckdb").close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf'judge sql needs {package}: pip install "neraca\[sql\]"'):
        open_database(database, FAST)


def test_no_server():
    with pytest.raises(InputError, match="judge sql: database: "):
        open_database("postgresql://127.0.0.1:1/x", FAST)
    with pytest.raises(SpecError, match=r"judge sql: database: .*nonsense"):
        open_database("postgresql://127.0.0.1:1/x?nonsense=1", FAST)


@needs_postgres
def test_passwords_come_from_the_environment_and_are_never_told(server, monkeypatch):
    monkeypatch.setenv("SHOP_PASSWORD", "open sesame")
    url = server.replace("neraca@", "reader:${SHOP_PASSWORD}@")
    with open_database(url, FAST) as engine:
        assert engine.run("SELECT current_user, count(*) FROM house").rows == (("reader", 4),)
    with pytest.raises(InputError) as error:
        open_database(url.replace("/postgres?", "/${SHOP_PASSWORD}?"), FAST)
    assert "sesame" not in str(error.value)
    assert 'database "${SHOP_PASSWORD}" does not exist' in str(error.value)


@needs_postgres
def test_a_lost_connection_is_no_fault_of_the_query(server):
    with open_database(server, Limits(seconds=20)) as engine:
        (pid,) = engine.run("SELECT pg_backend_pid() AS pid").rows[0]

        def end():
            time.sleep(0.3)
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute("SELECT pg_terminate_backend(%s)", [pid])

        thread = threading.Thread(target=end)
        thread.start()
        with pytest.raises(InputError, match="the connection to the database was lost"):
            engine.run("SELECT pg_sleep(10)")
        thread.join()


@needs_postgres
def test_types_of_postgres(server):
    query = """SELECT 1.50::numeric, 7::bigint, true, 'x'::text, '2024-05-01 07:00+07'::timestamptz, ARRAY[1, 2],
        '{"a": 1}'::jsonb, NULL, 'NaN'::float8, '\\x01'::bytea, 'a'::"char" """
    with open_database(server, FAST) as engine:
        (row,) = engine.run(query).rows
    assert row == (1.5, 7, 1, "x", "2024-05-01", "[1, 2]", '{"a": 1}', None, "nan", "\\x01", "a")


EQUIVALENT = [
    (
        "SELECT district, count(*) FROM house GROUP BY district",
        "SELECT count(1) AS n, district FROM house GROUP BY 2",
        1,
    ),
    ("SELECT avg(price) FROM house", "SELECT sum(price) / count(*) FROM house", 1),
    ("SELECT id FROM house WHERE rooms IS NULL", "SELECT id FROM house WHERE rooms = NULL", 0),
    ("SELECT id FROM house ORDER BY price DESC", "SELECT id FROM house ORDER BY price DESC, id DESC", 1),  # ties
    ("SELECT id FROM house ORDER BY price DESC", "SELECT id FROM house ORDER BY price", 0),
    ("SELECT id FROM house", "SELECT id FROM house ORDER BY price", 1),
    ("SELECT DISTINCT district FROM house", "SELECT district FROM house", 0),
    ("SELECT listed FROM house WHERE id = 1", "SELECT min(listed) FROM house", 1),
    ("SELECT id FROM house", "DELETE FROM house", 0),
    ("SELECT id FROM house", "SELECT id FROM houses", 0),
    ("SELECT id FROM house", FOR_EVER, 0),
]


@each_engine
def test_the_judge(kind, database, tmp_path):
    before = content(kind, database)
    judge = make_judge("sql", {"database": database, "timeout": 0.5})
    pairs = [
        (Item(id=str(n), query="?", references=(expected,)), Answer(item=str(n), text=f"```sql\n{query}\n```"))
        for n, (expected, query, _) in enumerate(EQUIVALENT)
    ]
    verdicts = list(judge.judge(pairs, ModelSession(tmp_path / "models.sqlite")))
    found = {v.item: (v.value, reason_of(v)) for v in verdicts if v.aspect == "sql_equivalent"}
    wrong = {EQUIVALENT[int(n)]: told for n, told in found.items() if told[0] != EQUIVALENT[int(n)][2]}
    assert wrong == {}
    assert content(kind, database) == before
