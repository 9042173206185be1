"""What a query is, before it is run."""

import sys

import pytest

from neraca.errors import MissingExtra, SpecError
from neraca.judges.sql.engines import QueryFailed
from neraca.judges.sql.query import Query, check_dialect, query_in
from neraca.judges.sql.result_table import ResultTable


@pytest.mark.parametrize(
    "text, query",
    [
        ("SELECT 1", "SELECT 1"),
        ("  SELECT 1;\n", "SELECT 1;"),
        ("Here:\n```sql\nSELECT 1\n```\nbye", "SELECT 1"),
        ("```SQL\nSELECT 1\nFROM t\n```", "SELECT 1\nFROM t"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```sqlite\nSELECT 1\n```", "SELECT 1"),
        ("first\n```sql\nSELECT 1\n```\nbetter\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```sql\nSELECT 1\n```\nIt gives\n```\n1\n```", "SELECT 1"),  # a result is no query
        ("```python\nx = 1\n```\n```\nSELECT 1\n```", "SELECT 1"),
        ("```sql\nSELECT 1", "SELECT 1"),  # cut off
        ("``` sql title=x\r\nSELECT 1\r\n```", "SELECT 1"),
        ("", ""),
    ],
)
def test_where_the_query_stands(text, query):
    assert query_in(text) == query


READING = [
    "SELECT 1",
    "select a, b from t where a > 1 order by b limit 3;",
    "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
    "SELECT 1 UNION ALL SELECT 2",
    "(SELECT 1)",
    "SELECT ';' AS a -- ; DROP TABLE t",
    "/* first */ SELECT 1",
    "SELECT count(*), max(a), lower(b), coalesce(a, 0), round(a, 2) FROM t GROUP BY 3",
    "SELECT a FROM t WHERE a IN (SELECT b FROM u) AND EXISTS (SELECT 1)",
    "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
    "SELECT pg_typeof(a), replace(b, 'x', 'y'), strftime('%Y', c) FROM t",
    "SELECT a FROM t WHERE a GLOB 'x*' OR a LIKE 'y%' OR glob('z*', a)",
]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
@pytest.mark.parametrize("text", READING)
def test_what_reads_is_run_as_it_was_written(text, dialect):
    assert Query.read(text, dialect).text == text


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "there is no query"),
        (" \n", "there is no query"),
        ("-- nothing", "only SELECT"),
        (";", "only SELECT"),
        ("SELECT 1; SELECT 2", "only one statement"),
        ("SELECT 1; DROP TABLE t", "only one statement"),
        ("INSERT INTO t VALUES (1)", "only SELECT"),
        ("UPDATE t SET a = 1", "only SELECT"),
        ("DELETE FROM t", "only SELECT"),
        ("DROP TABLE t", "only SELECT"),
        ("CREATE TABLE x AS SELECT 1", "only SELECT"),
        ("ATTACH 'x.db' AS y", "only SELECT"),
        ("PRAGMA writable_schema = 1", "only SELECT"),
        ("SET search_path = x", "only SELECT"),
        ("COPY t TO 'x.csv'", "only SELECT"),
        ("VACUUM INTO 'x'", "only SELECT"),
        ("EXPLAIN ANALYZE DELETE FROM t", "only SELECT"),
        ("CALL f()", "only SELECT"),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", r"more than read \(DELETE\)"),
        ("WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT * FROM x", r"more than read \(INSERT\)"),
        ("WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x", r"more than read \(UPDATE\)"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "only SELECT"),
        ("SELECT * INTO x FROM t", r"more than read \(INTO\)"),
        ("SELECT * FROM t FOR UPDATE", r"more than read \(LOCK\)"),
        ("SELECT pg_read_file('PG_VERSION')", "calls pg_read_file, which does more"),
        ("SELECT pg_catalog.\"pg_read_file\"('x')", "calls pg_read_file"),
        ("SELECT * FROM PG_LS_DIR('.')", "calls PG_LS_DIR"),
        ("SELECT lo_export(1, 'x')", "calls lo_export"),
        ("SELECT * FROM dblink('x', 'y') AS t(a int)", "calls dblink"),
        ("SELECT query_to_xml('DELETE FROM t', true, true, '')", "calls query_to_xml"),
        ("SELECT set_config('a', 'b', false)", "calls set_config"),
        ("SELECT nextval('s')", "calls nextval"),
        ("SELECT 1 WHERE EXISTS (SELECT pg_terminate_backend(3))", "calls pg_terminate_backend"),
        ("The query is SELECT 1", "only SELECT"),
        ("SELECT FROM WHERE", "it cannot be read as postgres"),
        ("SELECT 'open", "it cannot be read as postgres"),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "it cannot be read as postgres"),
    ],
)
def test_what_is_not_run(text, told):
    with pytest.raises(QueryFailed, match=told):
        Query.read(text, "postgres")


def test_messages_have_no_colours_and_one_line():
    with pytest.raises(QueryFailed) as error:
        Query.read("SELECT a FROM t WHERE GROUP BY\n\n a", "sqlite")
    assert "\x1b" not in str(error.value)
    assert "\n" not in str(error.value)


def test_another_dialect_is_translated():
    query = Query.read("SELECT IFNULL(`a`, 0) FROM t LIMIT 2, 3", "postgres", "mysql")
    assert query.text == 'SELECT COALESCE("a", 0) FROM t LIMIT 3 OFFSET 2'
    with pytest.raises(QueryFailed, match="as mysql"):
        Query.read("SELECT (", "postgres", "mysql")


def test_dialects():
    check_dialect("mysql")
    with pytest.raises(SpecError, match=r"judge sql: dialect: .*oracel"):
        check_dialect("oracel")


@pytest.mark.parametrize(
    "text, further, keys",
    [
        ("SELECT a, b FROM t ORDER BY b", [], (1,)),
        ("SELECT a, b FROM t ORDER BY B DESC, 1", [], (1, 0)),
        ("SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n", [], (1,)),
        ("SELECT a, count(*) FROM t GROUP BY a ORDER BY COUNT(*) DESC", [], (1,)),
        ("SELECT t.a FROM t ORDER BY t.a", [], (0,)),
        ("(SELECT a FROM t ORDER BY a)", [], (0,)),
        ("SELECT a FROM t ORDER BY b", ["b AS neraca_order_0"], (-1,)),
        ("SELECT a FROM t ORDER BY a, lower(b), c", ["LOWER(b) AS neraca_order_0", "c AS neraca_order_1"], (0, -1, -2)),
        ("SELECT * FROM t ORDER BY b", ["b AS neraca_order_0"], (-1,)),
        ("SELECT a FROM t ORDER BY 7", ["7 AS neraca_order_0"], (-1,)),
        ("SELECT DISTINCT * FROM t ORDER BY b", [], ("b",)),
        ("SELECT DISTINCT a FROM t ORDER BY lower(a)", [], ("",)),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY a", [], (0,)),
        ("WITH x AS (SELECT a, b FROM t) SELECT a FROM x ORDER BY b", ["b AS neraca_order_0"], (-1,)),
    ],
)
def test_by_what_a_query_orders(text, further, keys):
    order = Query.read(text, "sqlite").ordered()
    assert order.keys == keys
    assert order.hidden == len(further)
    assert order.text == text if not further else all(part in order.text for part in further)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t",
        "SELECT a FROM (SELECT a FROM t ORDER BY a)",
        "SELECT row_number() OVER (ORDER BY a) FROM t",
        "SELECT a FROM t LIMIT 3",
    ],
)
def test_queries_that_do_not_order(text):
    assert Query.read(text, "sqlite").ordered() is None


@pytest.mark.parametrize(
    "text, columns, rows, ties",
    [
        ("SELECT a, b FROM t ORDER BY b", "a b", [(1, 5), (2, 5), (3, 6)], (0, 0, 2)),
        ("SELECT a, b FROM t ORDER BY b, a", "a b", [(1, 5), (2, 5), (2, 5)], (0, 1, 1)),
        ("SELECT a FROM t ORDER BY b", "a neraca_order_0", [(1, 5), (2, 5), (3, 6)], (0, 0, 2)),
        ("SELECT a FROM t ORDER BY b, c", "a o0 o1", [(1, 5, 1), (2, 5, 2), (3, 5, 2), (4, 6, 2)], (0, 1, 1, 3)),
        ("SELECT DISTINCT a FROM t ORDER BY a, lower(a)", "a", [(1,), (1,)], (0, 1)),
        ("SELECT DISTINCT * FROM t ORDER BY B", "a b", [(1, 5), (2, 5), (3, 6)], (0, 0, 2)),
        ("SELECT DISTINCT * FROM t ORDER BY t.c", "a b", [(1, 5), (2, 5), (3, 6)], (0, 1, 2)),
        ("SELECT DISTINCT a FROM t ORDER BY lower(a)", "a", [(1,), (1,)], (0, 1)),
        ("SELECT a FROM t ORDER BY a", "a", [(None,), (None,), (1,)], (0, 0, 2)),
        ("SELECT a FROM t ORDER BY a", "a", [], ()),
    ],
)
def test_ties(text, columns, rows, ties):
    order = Query.read(text, "sqlite").ordered()
    found = order.result(ResultTable.of(columns.split(), rows))
    assert found.ties == ties
    width = len(columns.split()) - order.hidden
    assert found.columns == tuple(columns.split()[:width])
    assert found.rows == tuple(row[:width] for row in rows)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingExtra, match=r'the judge sql needs sqlglot: pip install "neraca\[sql\]"'):
        Query.read("SELECT 1", "sqlite")
