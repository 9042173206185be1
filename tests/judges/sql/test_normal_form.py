"""Which queries are the same but for spelling; what could change a result never is."""

import pytest

from neraca.judges.sql.engines import QueryFailed
from neraca.judges.sql.normal_form import same_form

SAME = [
    (
        "SELECT a FROM t WHERE x IN (SELECT y FROM u WHERE z>1)",
        "SELECT a FROM t WHERE x IN (SELECT y FROM u WHERE 1<z)",
    ),
    ("SELECT a, b FROM t ORDER BY 1", "SELECT b, a FROM t ORDER BY a"),
    (
        "WITH q AS (SELECT a, b FROM t) SELECT a FROM q WHERE b=1",
        "with Q as (select a, b from t) select q.a from q where 1=q.b",
    ),
    ("select count(1) as n from House h where h.rooms > 2", "SELECT COUNT(*) FROM house WHERE 2 < rooms"),
    ("SELECT a, b FROM t ORDER BY a ASC", "select t.b, t.a from t order by t.a"),
    ("SELECT a FROM t WHERE (x=1 AND y=2) AND z=3", "SELECT a FROM t WHERE z=3 AND 2=y AND x=1"),
    ("SELECT a FROM t WHERE x IN (1,2)", "SELECT a FROM t WHERE x IN (2,1);"),
    ("SELECT o.id FROM orders o INNER JOIN c ON o.c=c.id", "SELECT x.id FROM orders AS x JOIN c AS y ON y.id = x.c"),
    ("SELECT a FROM t WHERE NOT x = 1", "SELECT a FROM t WHERE x <> 1"),
    (
        "SELECT d, count(*) AS n FROM h GROUP BY d HAVING count(*)>2 ORDER BY n DESC",
        "SELECT d, count(*) AS k FROM h GROUP BY d HAVING 2 < count(*) ORDER BY k DESC",
    ),
    ("SELECT a FROM t WHERE x=1 OR (y=2 AND z=3)", "SELECT a FROM t WHERE (z=3 AND y=2) OR x=1"),
]
DIFFERENT = [
    ("SELECT a AS b FROM t, u GROUP BY b", "SELECT a AS d FROM t, u GROUP BY b"),
    ("SELECT a AS b, b AS a FROM t ORDER BY t.a", "SELECT a AS b, b AS a FROM t ORDER BY a"),
    ("SELECT a, b FROM t, u ORDER BY 1", "SELECT b, a FROM t, u ORDER BY 1"),
    ("SELECT a, b FROM t ORDER BY 1", "SELECT b, a FROM t ORDER BY 1"),
    ("SELECT a FROM t WHERE x IN (SELECT y FROM u)", "SELECT a FROM t WHERE x IN (SELECT z FROM u)"),
    ("SELECT a AS x FROM t, u WHERE x=1", "SELECT a AS y FROM t, u WHERE y=1"),
    ("SELECT id FROM house WHERE rooms >= 2", "SELECT id FROM house WHERE rooms > 2"),
    ("SELECT a FROM t WHERE x=1 AND y=2 OR z=3", "SELECT a FROM t WHERE x=1 AND (y=2 OR z=3)"),
    ("SELECT a FROM t LIMIT 3", "SELECT a FROM t"),
    ("SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ("SELECT a FROM t ORDER BY a DESC", "SELECT a FROM t ORDER BY a"),
    ("SELECT count(x) FROM t", "SELECT count(*) FROM t"),
    ("SELECT a-b FROM t", "SELECT b-a FROM t"),
    ("SELECT a FROM t WHERE n='Asri'", "SELECT a FROM t WHERE n='asri'"),
    ("SELECT a-(b-c) FROM t", "SELECT a-b-c FROM t"),
    ("SELECT x.id FROM o x LEFT JOIN c ON x.c=c.id", "SELECT x.id FROM o x JOIN c ON x.c=c.id"),
    ("SELECT a FROM t GROUP BY a", "SELECT a FROM t"),
    ("SELECT a FROM t UNION SELECT b FROM u", "SELECT a FROM t UNION ALL SELECT b FROM u"),
    ("SELECT count(NULL) FROM t", "SELECT count(*) FROM t"),
    ("SELECT a FROM t1 x JOIN t2 y ON x.i=y.i WHERE x.p=1", "SELECT a FROM t1 x JOIN t2 y ON x.i=y.i WHERE y.p=1"),
    ("SELECT count(0.5) FROM t, u", "SELECT count(*) FROM t"),
    ("SELECT a FROM t WHERE NOT (x = 1 AND y = 2)", "SELECT a FROM t WHERE NOT x = 1 AND y = 2"),
    ("SELECT count(DISTINCT 1) FROM t", "SELECT count(*) FROM t"),
    ("SELECT a AS b, b AS a FROM t ORDER BY a", "SELECT a, b FROM t ORDER BY a"),
    ("SELECT a FROM t CROSS JOIN u", "SELECT a FROM t JOIN u ON true"),
    ("SELECT a FROM t FULL OUTER JOIN u ON t.i=u.i", "SELECT a FROM t JOIN u ON t.i=u.i"),
    ("SELECT -(a) FROM t", "SELECT a FROM t"),
    ("SELECT a, b FROM t WHERE x > ANY (SELECT y FROM u)", "SELECT a, b FROM t WHERE x > ALL (SELECT y FROM u)"),
]


def both(first, second, **how):
    """What is said of a pair, in both directions."""
    return {same_form(first, second, **how), same_form(second, first, **how)}


@pytest.mark.parametrize(("first", "second"), SAME)
def test_spelling_plays_no_part(first, second):
    assert both(first, second) == {True}


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_could_change_a_result_does(first, second):
    assert both(first, second) == {False}


def test_order_of_rows_counts_where_the_expected_query_orders_them():
    plain, ordered = "SELECT a FROM t", "SELECT a FROM t ORDER BY a"
    assert same_form(ordered, plain)
    assert not same_form(plain, ordered)
    assert same_form(plain, ordered, ordered=False)
    assert not same_form("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY b LIMIT 3", ordered=False)


def test_names_and_order_of_columns_are_as_they_are_compared():
    swapped, renamed = ("SELECT b, a FROM t", "SELECT a, b FROM t"), ("SELECT a AS x FROM t", "SELECT a FROM t")
    assert [both(*swapped, columns=how) for how in ("any", "named", "ordered")] == [{True}, {True}, {False}]
    assert [both(*renamed, columns=how) for how in ("any", "named", "ordered")] == [{True}, {False}, {True}]


def test_a_dialect_says_what_is_a_name():
    assert both('SELECT a FROM t WHERE b = "x"', "SELECT a FROM t WHERE b = 'x'", dialect="mysql") == {True}
    assert both('SELECT a FROM t WHERE b = "x"', "SELECT a FROM t WHERE b = 'x'", dialect="postgres") == {False}


@pytest.mark.parametrize("query", ["DELETE FROM t", "SELECT 1; SELECT 2", "SELECT (((", ""])
def test_what_is_no_query_that_reads(query):
    with pytest.raises(QueryFailed):
        same_form(query, "SELECT 1")
