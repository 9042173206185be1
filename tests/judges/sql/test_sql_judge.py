"""The judge of SQL: which queries it takes, and what it writes about them.  All on a real SQLite file."""

import sqlite3

import pytest
from builders import make_run
from judges.scripted_model import reason_of

from neraca.errors import InputError, SpecError
from neraca.judges.judge import judge as let_judge
from neraca.judges.judge import make_judge
from neraca.judges.sql.sql_judge import COUNTS, SqlJudge
from neraca.metrics.metric import Metric
from neraca.records import Answer, Item
from neraca.scores.score import score

ALL = ("sql_equivalent", *COUNTS)
IDS = "SELECT id, name FROM house ORDER BY id"


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE house (id INTEGER, name TEXT, price REAL)")
        connection.execute("INSERT INTO house VALUES (1, 'Asri', 10.5), (2, 'Indah', 20.5), (3, 'Jaya', 20.5)")
    connection.close()
    return str(path)


@pytest.fixture
def judged(database):
    def judge(query="", *expected, settings=None, extra=None, **answer):
        item = Item(id="q", query="?", references=expected, extra=extra or {})
        made = SqlJudge({"database": database, **(settings or {})})
        verdicts = list(made.judge([(item, Answer(item="q", text=query, **answer))], None))
        assert {v.by for v in verdicts} == {"rules:sql"}
        assert {v.about for v in verdicts} == {"answer"}
        assert [v.aspect for v in verdicts] == list(ALL)
        return [v.value for v in verdicts], reason_of(verdicts[0])

    return judge


def test_the_same(judged):
    assert judged(IDS, IDS) == ([1, 3, 3, 3, 2, 2, 2], "3 rows, as expected")
    assert judged("SELECT 1", "SELECT 1")[1] == "1 row, as expected"


def test_a_row_is_missing(judged):
    why = "2 of 3 expected rows are there, of 2 returned"
    assert judged("SELECT id, name FROM house WHERE id < 3", IDS) == ([0, 2, 2, 3, 0, 2, 2], why)


def test_a_column_too_many(judged):
    assert judged("SELECT * FROM house", IDS) == ([0, 3, 3, 3, 2, 3, 2], "3 columns returned, 2 expected")


def test_two_empty_results_say_little(judged):
    nothing = "SELECT id FROM house WHERE id > 9"
    assert judged(nothing, nothing) == ([1, 0, 0, 0, 1, 1, 1], "both results are empty")


@pytest.mark.parametrize(
    "query, why",
    [
        ("", "its query failed: there is no query"),
        ("I do not know.", "its query failed: only SELECT, or WITH and SELECT, is run"),
        ("SELECT nope FROM house", "its query failed: no such column: nope"),
        ("DROP TABLE house", "its query failed: only SELECT, or WITH and SELECT, is run"),
    ],
)
def test_a_query_that_cannot_be_run_returned_nothing(judged, query, why):
    assert judged(query, IDS) == ([0, 0, 0, 3, 0, 0, 2], why)


def test_an_answer_that_failed_returned_nothing(judged):
    found = judged(IDS, IDS, status="timeout")
    assert found == ([0, 0, 0, 3, 0, 0, 2], "the target failed (timeout)")


@pytest.mark.parametrize(
    "expected, why",
    [
        ((), "unscored: the question has no expected query as its reference"),
        (("", "  "), "unscored: the question has no expected query as its reference"),
        (
            ("SELECT nope FROM house",),
            "unscored: the expected query cannot be used: no such column: nope",
        ),
        (("three",), "unscored: the expected query cannot be used: only SELECT, or WITH and SELECT, is run"),
    ],
)
@pytest.mark.parametrize("status", ["complete", "error"])
def test_nothing_to_compare_with(judged, expected, why, status):
    assert judged(IDS, *expected, status=status) == ([None] * 7, why)


def test_of_several_references_the_best_counts(judged):
    assert judged("SELECT 1", "SELECT 2", "SELECT 1", "SELECT nope")[0][0] == 1
    assert judged("SELECT * FROM house", IDS, "SELECT * FROM house")[0][0] == 1
    values, _ = judged("SELECT id FROM house", "SELECT id + 9 FROM house", "SELECT id FROM house WHERE id < 3")
    assert values[:4] == [0, 2, 3, 2]
    assert judged("", "SELECT nope", "SELECT 1") == ([0, 0, 0, 1, 0, 0, 1], "its query failed: there is no query")


def test_the_expected_query_in_a_column_of_its_own(judged):
    settings = {"expected": "sql"}
    assert judged(IDS, "three houses", settings=settings, extra={"sql": f"```sql\n{IDS}\n```"})[0][0] == 1
    for extra in ({}, {"sql": None}, {"sql": 3}):
        why = "unscored: the question has no expected query in column sql"
        assert judged(IDS, IDS, settings=settings, extra=extra) == ([None] * 7, why)


@pytest.mark.parametrize(
    "calls, right",
    [
        (({"name": "run", "args": {"query": IDS}},), 1),
        (
            (
                {"name": "run", "args": {"query": "SELECT 1"}},
                {"function": {"name": "run", "arguments": {"query": IDS}}},
            ),
            1,
        ),
        (({"name": "run", "args": {"query": IDS}}, {"name": "stop"}), 1),
        (({"name": "run", "args": {"query": IDS}}, {"name": "plot", "args": {"query": None}}, {}), 1),
        (({"name": "run", "args": {"query": IDS}}, {"name": "run", "args": {"query": "SELECT 1"}}), 0),
        (({"name": "run", "args": "SELECT 1"},), 0),
        ((), 0),
    ],
)
def test_the_query_in_a_tool_call(judged, calls, right):
    values, _ = judged("I looked it up.", IDS, settings={"argument": "query"}, calls=calls)
    assert values[0] == right


def test_order(judged):
    by_price = "SELECT id FROM house ORDER BY price"
    assert judged("SELECT id FROM house ORDER BY price, id DESC", by_price)[0][0] == 1
    down = judged("SELECT id FROM house ORDER BY price DESC", by_price)
    assert down == ([0, 3, 3, 3, 1, 1, 1], "the rows are right, their order is not")
    assert judged("SELECT id FROM house ORDER BY price DESC", by_price, settings={"order": "ignore"})[0][0] == 1


def test_what_is_ordered_by_and_cannot_be_returned(judged):
    """With DISTINCT nothing can be added to what is returned; then no two rows are tied."""
    expected = "SELECT DISTINCT id FROM house ORDER BY price"
    assert judged(expected, expected)[0][0] == 1
    assert judged("SELECT id FROM house ORDER BY id", "SELECT id FROM house ORDER BY neraca_no()")[0][0] is None
    renamed = "SELECT id AS x FROM house ORDER BY x * -1"
    assert judged(renamed, renamed)[0][0] == 1
    assert judged("SELECT id FROM house ORDER BY id", renamed)[1] == "the rows are right, their order is not"
    grouped = "SELECT max(id) FROM house GROUP BY price ORDER BY sum(price)"
    assert judged(grouped, grouped)[0][0] == 1


def test_how_results_are_compared_is_set(judged):
    one, other = "SELECT id AS a, name FROM house", "SELECT id AS b, name FROM house"
    assert judged(one, other)[0][0] == 1
    assert judged(one, other, settings={"columns": "named"})[0][0] == 0
    assert judged("SELECT name, id FROM house", one, settings={"columns": "ordered"})[0][0] == 0
    assert judged("SELECT price + 0.001 FROM house", "SELECT price FROM house")[0][0] == 0
    assert (
        judged("SELECT price + 0.001 FROM house", "SELECT price FROM house", settings={"tolerance": 0.001})[0][0] == 1
    )
    values, _ = judged("SELECT id, 'x' AS name FROM house WHERE id < 3", IDS, settings={"key": ["id"]})
    assert values == [0, 2, 2, 3, 1, 2, 2]
    why = "unscored: the expected result has no column uid (key); it has id, name"
    assert judged(IDS, IDS, settings={"key": ["uid"]}) == ([None] * 7, why)


def test_another_dialect(judged):
    mysql = "SELECT `id`, IFNULL(`name`, '') FROM `house` ORDER BY `price` LIMIT 1, 2"
    assert judged(mysql, mysql, settings={"dialect": "mysql"})[1] == "2 rows, as expected"


def test_limits(judged):
    many = "SELECT a.id FROM house a, house b"
    assert judged(many, IDS, settings={"rows": 8})[1] == "its query failed: it returns more than 8 rows (rows)"
    why = "unscored: the expected query cannot be used: it returns more than 8 rows (rows)"
    assert judged(IDS, many, settings={"rows": 8}) == ([None] * 7, why)


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"databse": "x"}, "no setting 'databse'; did you mean database"),
        ({"order": "yes"}, "order is reference or ignore, not 'yes'"),
        ({"columns": "all"}, "columns: invalid enum value 'all'"),
        ({"tolerance": -1}, "tolerance is a share from 0 and below 1, not -1"),
        ({"tolerance": 1}, "tolerance is a share"),
        ({"timeout": 0}, "timeout is in seconds, above 0"),
        ({"timeout": float("nan")}, "timeout is in seconds"),
        ({"rows": 0}, "rows is at least 1"),
        ({"dialect": "oracel"}, "dialect: "),
    ],
)
def test_wrong_settings(settings, told):
    given = settings if settings == {"databse": "x"} else {"database": "x", **settings}
    with pytest.raises(SpecError, match=told):
        make_judge("sql", given)


def test_a_database_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        list(SqlJudge({"database": str(tmp_path / "x.db")}).judge([], None))


def test_the_expected_query_is_run_once(database, monkeypatch):
    """However many answers there are to its question."""
    run = []
    from neraca.judges.sql import engines as sql_engines

    original = sql_engines.SQLite.run
    monkeypatch.setattr(sql_engines.SQLite, "run", lambda self, query: (run.append(query), original(self, query))[1])
    item = Item(id="q", query="?", references=("SELECT 1 AS a",))
    pairs = [(item, Answer(item="q", trial=trial, text="SELECT 2 AS a")) for trial in range(3)]
    verdicts = list(SqlJudge({"database": database}).judge(pairs, None))
    assert sorted(run) == ["SELECT 1 AS a", *["SELECT 2 AS a"] * 3]
    assert [v.trial for v in verdicts if v.aspect == "sql_equivalent"] == [0, 1, 2]


def test_from_run_to_scores(database, tmp_path):
    items = [Item(id=str(n), query="?", references=(IDS,)) for n in range(4)]
    texts = [IDS, "SELECT id, name FROM house WHERE id < 3", "SELECT", "SELECT name, id FROM house ORDER BY 2"]
    answers = [Answer(item=str(n), text=text) for n, text in enumerate(texts)]
    answers[2] = Answer(item="2", status="error")
    make_run(tmp_path / "run", items, answers)
    let_judge(tmp_path / "run", "sql", {"database": database})
    names = ["SQLEquivalent", "RowMatch", "RowMatch(stat=p)", "ColumnMatch(stat=r)"]
    scores = score([tmp_path / "run"], names)
    assert [s.value for s in scores.overall()] == pytest.approx([2 / 4, (1 + 0.8 + 0 + 1) / 4, 1, 2 / 4])
    assert [s.unscored for s in scores.overall()] == [0, 0, 1, 0]
    assert scores.runs[0].why("RowMatch(stat=p)")[2].startswith("no row was returned")
    assert Metric.of("SQLEquivalent") in scores.metrics
