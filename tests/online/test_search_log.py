"""Logs as searches: every form that a log comes in, every way in which it is broken, and one read part by part."""

import json
import sqlite3
from contextlib import closing

import polars as pl
import pytest
from online.log_files import CLICK, SEARCH, counts, read_log, write_log

from neraca.errors import InputError, SpecError
from neraca.online import search_log as module
from neraca.online.log_options import LogOptions
from neraca.online.search_log import search_log

AT = 1_767_261_600.0  # 2026-01-01T10:00:00Z


def test_a_search_knows_what_it_showed_and_what_was_clicked_when(tmp_path):
    (row,), left_out, _ = read_log(
        write_log(tmp_path / "log.csv", [SEARCH, CLICK, CLICK | {"rank": "1", "time": AT + 9}])
    )
    assert left_out == {}
    assert (row["user"], row["search"], row["query"], row["variant"]) == ("ana", "q1", "red shoes", "A")
    assert row["time"] == AT
    assert row["shown"] == ["d1", "d2", "d3"]
    assert row["clicked"] == [2, 1]
    assert row["clicked_at"] == [5.0, 9.0]
    assert row["dwell"] == [4.0, None], "until the next event; after the last one nobody knows"


UBI_QUERY = {
    "query_id": "q1",
    "client_id": "ana",
    "user_query": "red shoes",
    "timestamp": "2026-01-01T10:00:00.000Z",
    "query_attributes": {"variant": "A"},
    "query_response_hit_ids": ["d1", "d2", "d3"],
}
UBI_EVENT = {
    "action_name": "click",
    "query_id": "q1",
    "client_id": "ana",
    "timestamp": "2026-01-01T10:00:05Z",
    "event_attributes": {"object": {"object_id": "d2"}, "position": {"ordinal": 2}},
}


def ubi_files(folder, without_user=False):
    event = {key: value for key, value in UBI_EVENT.items() if key != "client_id" or not without_user}
    for name, row in (("ubi_queries", UBI_QUERY), ("ubi_events", event)):
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return [folder / "ubi_queries.jsonl", folder / "ubi_events.jsonl"]


def ubi_sqlite(folder):
    with closing(sqlite3.connect(folder / "ubi.sqlite")) as db:
        for table, row in (("ubi_queries", UBI_QUERY), ("ubi_events", UBI_EVENT)):
            texts = [value if isinstance(value, str) else json.dumps(value) for value in row.values()]
            db.execute(f"CREATE TABLE {table} ({', '.join(row)})")
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", texts)
        db.commit()
    return [folder / "ubi.sqlite"]


def ubi_parquet(folder):
    for name, row in (("ubi_queries", UBI_QUERY), ("ubi_events", UBI_EVENT)):
        pl.DataFrame([row]).write_parquet(folder / f"{name}.parquet")
    return [folder / "ubi_queries.parquet", folder / "ubi_events.parquet"]


@pytest.mark.parametrize("bring", [ubi_files, ubi_sqlite, ubi_parquet, lambda f: ubi_files(f, without_user=True)])
def test_ubi_needs_no_mapping(tmp_path, bring):
    log = search_log(bring(tmp_path))
    (row,) = pl.concat(log).to_dicts()
    assert (row["user"], row["variant"], row["shown"], row["clicked"]) == ("ana", "A", ["d1", "d2", "d3"], [2])
    assert row["clicked_at"] == [5.0]
    assert log.exclusions == []


def test_a_table_of_what_was_shown_and_clicked_is_a_log(tmp_path):
    rows = [{"user": "u", "qid": "7", "ts": 10, "rank": r, "doc": f"d{r}", "clicked": int(r == 2)} for r in (1, 2, 3)]
    (row,), left_out, _ = read_log(write_log(tmp_path / "log.csv", rows, [*rows[0]]))
    assert (row["shown"], row["clicked"], left_out) == (["d1", "d2", "d3"], [2], {})


def test_a_log_divided_by_user_gives_the_same_searches(tmp_path, monkeypatch):
    rows = [row | {"user": f"u{n % 40}", "search": f"q{n}"} for n in range(120) for row in (SEARCH, CLICK)]
    path = write_log(tmp_path / "log.csv", rows)
    whole = pl.concat(search_log(path)).sort("search")
    monkeypatch.setattr(module, "IN_MEMORY", 50)
    monkeypatch.setattr("neraca.datasets.log_reader.BYTES", 2000)
    log = search_log(path)
    parts = list(log)
    assert len(parts) > 1
    users = [set(part["user"]) for part in parts]
    assert sum(map(len, users)) == len(set().union(*users)), "each user is in one part"
    assert pl.concat(parts).sort("search").equals(whole)


BUDI = SEARCH | {"user": "budi", "search": "q2"}
LATER = {"time": "2026-01-01T11:00:00Z"}
BROKEN = {
    "a clock that runs backwards": ([SEARCH, CLICK | {"time": "2026-01-01T09:00:00Z"}], {"early": 1}),
    "a click before its search was logged": ([CLICK], None),
    "a click of an unknown search": ([SEARCH, CLICK | {"search": "q9"}], {"no_search": 1}),
    "a click below what was shown": ([SEARCH, CLICK | {"rank": "7"}], {"not_shown": 1}),
    "a click on another document": ([SEARCH, CLICK | {"rank": "", "document": "d77"}], {"not_shown": 1}),
    "a click on nothing": ([SEARCH, CLICK | {"rank": ""}], {"no_rank": 1}),
    "rank 0": ([SEARCH, CLICK | {"rank": "0"}], {"bad_rank": 1}),
    "rank 1.5": ([SEARCH, CLICK | {"rank": "1.5"}], {"bad_rank": 1}),
    "a rank in words": ([SEARCH, CLICK | {"rank": "second"}], {"bad_rank": 1}),
    "the same event twice": ([SEARCH, CLICK, CLICK], {"duplicate": 1}),
    "an id used for two searches": ([SEARCH, SEARCH | LATER | {"query": "other"}], {"repeated_search": 1}),
    "no user": ([SEARCH, SEARCH | {"user": "", "session": ""}], {"no_user": 1}),
    "no action": ([SEARCH, CLICK | {"action": ""}], {"no_action": 1}),
    "no time": ([SEARCH, CLICK | {"time": ""}], {"no_time": 1}),
    "a time in words": ([SEARCH, CLICK | {"time": "yesterday"}], {"no_time": 1}),
    "an infinite time": ([SEARCH, CLICK | {"time": "inf"}], {"no_time": 1}),
    "a user in both arms": ([SEARCH, BUDI, BUDI | {"search": "q3", "variant": "B"}], {"both_arms": 1}),
    "an arm that nobody named": ([SEARCH, SEARCH | {"user": "budi", "variant": "C"}], {"unknown_arm": 1}),
    "a test user": ([SEARCH, SEARCH | {"user": "qa-7"}], {"test_user": 1}),
    "a robot": ([SEARCH, *(SEARCH | {"user": "bot", "search": f"b{n}"} for n in range(9))], {"bot": 1}),
    "events after the end": ([SEARCH, SEARCH | {"search": "q2", "time": "2027-01-01"}], {"late": 1}),
    "an impression without a rank": ([SEARCH, CLICK | {"action": "impression", "rank": ""}], {"no_rank": 1}),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_is_left_out_counted_and_said(tmp_path, kind):
    rows, expected = BROKEN[kind]
    path = write_log(tmp_path / "log.csv", rows)
    options = {"arms": ("A", "B"), "test_users": ("qa-*",), "most_searches": 8, "until": AT + 86_400}
    if expected is None:
        log = search_log(path, LogOptions(**options))
        assert [*log] == []
        assert counts(log.exclusions) == {"no_search": 1}
        return
    kept, left_out, log = read_log(path, **options)
    assert left_out == expected
    assert [row["search"] for row in kept] == ["q1"], "nothing else is lost"
    assert all(one.what and one.n for one in log.exclusions)


def test_half_written_lines_are_counted_in_each_format(tmp_path):
    csv = write_log(tmp_path / "log.csv", [SEARCH, CLICK])
    csv.write_text(csv.read_text() + "click,ana,s1,q1,,A,5,,2,,,more,cells\nclick,ana,s")
    (row,), left_out, _ = read_log(csv)
    assert (row["clicked"], left_out) == ([2], {"broken": 1, "no_time": 1})
    lines = tmp_path / "log.jsonl"
    lines.write_text("\n".join(map(json.dumps, (SEARCH, CLICK))) + '\n[1]\n{"action": "cli')
    (row,), left_out, _ = read_log(lines)
    assert (row["clicked"], left_out) == ([2], {"broken": 2})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("action,user\nclick,u\n", "no field holds the time of an event"),
        ("action,time\nclick,3\n", "no field holds the user"),
        ("user,time\nu,3\n", "no field says what happened"),
        ("action,user,time\n", "the log has no events"),
        ("action,user,time,time\n", "two columns are called 'time'"),
        (
            "act\xedon,user,time\n",
            "not UTF-8; the log may be in Latin-1 .*: iconv -f cp1252 -t utf-8 log.csv > utf8.csv",
        ),
        ("action,user,time\n" + "search,Jos\xe9,3\n" * 9, "log.csv line 2: not UTF-8, and 8 more of 10 lines are not"),
    ],
)
def test_a_log_that_cannot_be_read_says_why_and_what_to_do(tmp_path, text, words):
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=words) as error:
        list(search_log(path))
    assert "log.csv" in str(error.value)


def test_a_field_that_is_not_there_is_an_error_with_what_was_meant(tmp_path):
    path = write_log(tmp_path / "log.csv", [SEARCH])
    with pytest.raises(SpecError, match=r"no field is called 'varian' \(for variant\); did you mean variant"):
        search_log(path, LogOptions(columns={"variant": "varian"}))
    with pytest.raises(SpecError, match="colour: there is no such role"):
        LogOptions(columns={"colour": "variant"})


def test_times_come_in_many_forms(tmp_path):
    forms = [
        "1767261600",
        "1767261600000",
        "1767261600000000",
        "2026-01-01 10:00:00",
        "2026-01-01T17:00:00+07:00",
        "2026-01-01T10:00",
    ]
    rows = [SEARCH | {"search": f"q{n}", "time": time} for n, time in enumerate(forms)]
    found, left_out, _ = read_log(write_log(tmp_path / "log.csv", rows))
    assert {row["time"] for row in found} == {AT}
    assert (len(found), left_out) == (len(forms), {})


def test_without_sessions_a_pause_ends_one(tmp_path):
    times = (0, 60, 60 + 1801)
    rows = [SEARCH | {"session": "", "search": f"q{n}", "time": AT + t} for n, t in enumerate(times)]
    found, _, _ = read_log(write_log(tmp_path / "log.csv", rows))
    one, same, other = (row["session"] for row in found)
    assert one == same != other


def test_a_database_with_several_tables_asks_for_a_query(tmp_path):
    path = tmp_path / "log.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE one (a)")
        db.execute("CREATE TABLE two (action, user, time, shown)")
        db.execute("INSERT INTO two VALUES ('search', 'ana', 5, 'd1 d2')")
        db.commit()
    with pytest.raises(InputError, match="which table is the log\\? it has: one, two"):
        search_log(path)
    (row,), _, _ = read_log(path, query="SELECT * FROM two")
    assert row["shown"] == ["d1", "d2"]
    with pytest.raises(InputError, match="no such table"):
        search_log(path, LogOptions(query="SELECT * FROM three"))


def test_a_field_that_first_appears_late_is_read_as_from_parquet(tmp_path):
    """The first 6,000 lines of the log have no variant and no clicks."""
    rows = [SEARCH | {"user": f"u{n}", "search": f"q{n}"} for n in range(6001)]
    for row in rows[:-1]:
        del row["variant"]
    lines, columns = tmp_path / "log.jsonl", tmp_path / "log.parquet"
    rows[-1]["rank"] = 1
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(columns)
    logs = [search_log(path) for path in (lines, columns)]
    assert {table.columns.index("rank") >= 0 for log in logs for table, _ in log.fields} == {True}
    assert [pl.concat(log)["variant"].drop_nulls().to_list() for log in logs] == [["A"], ["A"]]


def test_a_segment_of_one_table_belongs_to_its_searches(tmp_path):
    queries, events = ubi_files(tmp_path)
    queries.write_text(json.dumps(UBI_QUERY | {"device": "phone"}) + "\n")
    (row,) = pl.concat(search_log([queries, events], LogOptions(segments=("device",)))).to_dicts()
    assert (row["device"], row["clicked"]) == ("phone", [2])


@pytest.mark.parametrize(
    ("delimiter", "line_end", "message"),
    [
        ("|", "\n", r"line 1: no delimiter is known for 'user\|time\|shown'; name it.*--delimiter '\|'"),
        (",", "\r", "its lines end with a carriage return alone"),
    ],
)
def test_a_form_of_text_that_is_not_read_is_named(tmp_path, delimiter, line_end, message):
    path = tmp_path / "log.csv"
    rows = (("user", "time", "shown"), ("ana", str(AT), "d1 d2"))
    path.write_bytes(line_end.join(map(delimiter.join, rows)).encode())
    with pytest.raises(InputError, match=message):
        search_log(path)
    if delimiter == "|":
        ((row,), _, _) = read_log(path, delimiter="|")
        assert row["shown"] == ["d1", "d2"]
        with pytest.raises(InputError, match="no delimiter is known"):
            search_log(path, LogOptions(delimiter="||"))


def test_times_of_32_bits_are_refused_as_too_coarse(tmp_path):
    path = tmp_path / "log.parquet"
    log = pl.DataFrame({"user": ["ana"], "time": [AT], "shown": [["d1"]]})
    log.with_columns(pl.col("time").cast(pl.Float32)).write_parquet(path)
    with pytest.raises(InputError, match="'time' holds numbers of 32 bits, which tell times two minutes apart at best"):
        list(search_log(path))


@pytest.mark.parametrize("number", [20260101100000, "20260101100000", 202601011000])
def test_a_date_as_one_number_is_no_count_of_milliseconds(tmp_path, number):
    ((row,), _, _) = read_log(write_log(tmp_path / "log.csv", [SEARCH | {"time": number}]))
    assert row["time"] == AT
    path = tmp_path / "log.parquet"
    pl.DataFrame({"user": ["ana"], "time": [int(number)], "shown": [["d1"]]}).write_parquet(path)
    ((row,), _, _) = read_log(path)
    assert row["time"] == AT


def test_ids_as_decimal_numbers_are_the_whole_numbers_of_other_tables(tmp_path):
    searches, clicks = tmp_path / "searches.parquet", tmp_path / "clicks.csv"
    pl.DataFrame({"action": ["search"] * 2, "user": [7, 8], "search": [1, 2], "time": [AT, AT]}).write_parquet(searches)
    clicks.write_text(f"action,user,search,time,rank\nclick,7.0,1.0,{AT + 5},2\nclick,8,2.0,{AT + 5},1\n")
    log = search_log([searches, clicks])
    rows = [row for frame in log for row in frame.to_dicts()]
    assert {(row["user"], row["search"]): row["clicked"] for row in rows} == {("7", "1"): [2], ("8", "2"): [1]}
    assert counts(log.exclusions)["float_id"] == 3


def test_an_event_without_a_user_belongs_to_the_user_of_its_query(tmp_path):
    queries, events = tmp_path / "ubi_queries.jsonl", tmp_path / "ubi_events.jsonl"
    event = {"action_name": "click", "query_id": "q1", "timestamp": "2026-01-01T10:00:05Z"}
    lines = [
        event | {"client_id": client, "event_attributes": {"position": {"ordinal": rank}}}
        for client, rank in (("ana", 1), (None, 2))
    ]
    queries.write_text(json.dumps(UBI_QUERY))
    events.write_text("\n".join(map(json.dumps, lines)))
    log = search_log([queries, events])
    ((row,),) = (frame.to_dicts() for frame in log)
    assert (row["user"], row["clicked"]) == ("ana", [1, 2])
    assert "no_user" not in counts(log.exclusions)


def test_names_of_teams_have_no_spaces_around_them(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(SEARCH | {"shown": ["d1", "d2", "d3"], "teams": ["new", "old ", None]}))
    ((row,), _, _) = read_log(path)
    assert row["teams"] == ["new", "old", ""]
