"""Laws of dirty logs: one fault in a clean log of an A/B test never changes a number in silence.

Either the numbers of the clean log stand, or what was left out, corrected or doubted is printed, or the log is refused.
"""

import csv
import gzip
import json
import math
import random
from datetime import UTC, datetime, timedelta, timezone

import polars as pl
import pytest

from neraca.errors import InputError, SpecError
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions
from neraca.online.search_log import search_log
from neraca.reports.online.ab import read

AT, DAY = 1_767_225_600, 86_400
FIELDS = ("action", "user", "session", "search", "query", "variant", "time", "shown", "rank", "document", "value")
QUERIES = ("red shoes", "red running shoes", "house bandung", "cheap house bandung", "villa")


def clean_log():
    """Return the events of 240 users, half in each arm, who searched before the test and in its two weeks."""
    chance, rows = random.Random(7), []
    for u in range(240):
        eager = chance.betavariate(2, 3) + 0.3 * (u % 2)
        for n in range(6):
            at = AT + chance.randrange(14 * DAY) * (-1 if n < 2 else 1)
            for again in range(1 + (chance.random() < 0.3)):
                row = {"user": f"u{u}", "session": f"u{u}-{n}", "search": f"q{len(rows)}"}
                row |= {"variant": "AB"[u % 2] if at >= AT else "", "time": at + 60 * again}
                documents = [f"d{document}" for document in chance.sample(range(90), 5)]
                query = QUERIES[(chance.randrange(2) * 2 + again) % 5]
                rows.append(row | {"action": "search", "query": query, "shown": " ".join(documents)})
                if chance.random() < eager:
                    rank = chance.randrange(5)
                    click = {"action": "click", "time": row["time"] + 7, "rank": rank + 1, "document": documents[rank]}
                    rows.append(row | click)
                    if chance.random() < 0.2:
                        value = chance.randrange(10, 90)
                        rows.append(row | {"action": "purchase", "time": row["time"] + 40, "value": value})
    return rows


def write(folder, rows, fields=FIELDS):
    path = folder / "log.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def analyse(path):
    return ab(search_log(path), options=AbOptions(checks=0))


def numbers(found):
    values = {}
    for e in found.effects:
        each = (e.plain.a, e.plain.b, e.effect.difference, e.low, e.high, e.p_adjusted)
        values[e.metric.name, e.arm] = [round(value, 9) if value == value else None for value in each]
    return values, dict(found.users)


def explanations(found):
    """Return everything that is printed about the log besides its numbers of events."""
    left_out = [(one.reason, one.n) for one in found.exclusions]
    return [*left_out, *found.doubts, *found.unmeasured.items(), *read(found)[1:], found.trusted]


def of(rows, **cells):
    """Return the rows whose cells are these."""
    return [row for row in rows if all(str(row.get(name, "")) == value for name, value in cells.items())]


def some(rows, share, **cells):
    """Return a share of the rows whose cells are these, the same each time."""
    chosen = of(rows, **cells)
    return random.Random(1).sample(chosen, max(1, int(share * len(chosen))))


def with_cells(share, to, **cells):
    """Make a fault that sets cells of a share of the rows with these cells; a function gets the row."""

    def fault(rows):
        for row in some(rows, share, **cells):
            row.update({name: value(row) if callable(value) else value for name, value in to.items()})
        return rows

    return fault


def adding(*rows):
    """Make a fault that adds rows."""
    return lambda clean: [*clean, *rows]


def iso(row, zone=UTC):
    return datetime.fromtimestamp(row["time"], zone).isoformat()


def written(row, form):
    return datetime.fromtimestamp(row["time"], UTC).strftime(form)


def shuffled(rows):
    random.Random(2).shuffle(rows)
    return rows


def without(share, **cells):
    """Make a fault that loses a share of the rows with these cells."""

    def fault(rows):
        lost = {id(row) for row in some(rows, share, **cells)}
        return [row for row in rows if id(row) not in lost]

    return fault


def of_some_users(share, to, arm="B"):
    """Make a fault that sets cells in all rows of a share of the users of an arm."""

    def fault(rows):
        names = sorted({row["user"] for row in of(rows, variant=arm)})
        chosen = set(random.Random(3).sample(names, int(share * len(names))))
        for row in rows:
            if row["user"] in chosen:
                row.update({name: value(row) if callable(value) else value for name, value in to.items()})
        return rows

    return fault


STRAY = {"action": "search", "user": "u1", "session": "x", "search": "x1", "query": "villa", "shown": "d1 d2"}
SEARCH, CLICK, ORDER = {"action": "search"}, {"action": "click"}, {"action": "purchase"}
CLICK_IN_B = {"action": "click", "variant": "B"}
IN_B = {"action": "search", "variant": "B"}
BOT = [STRAY | {"user": "bot", "variant": "B", "search": f"b{n}", "time": AT + DAY + n} for n in range(900)]
SLOW_BOT = [one | {"time": AT + n % 13 * DAY + n * 100} for n, one in enumerate(BOT)]
SAME, SAID, REFUSED = "same", "said", "refused"
FAULTS = {
    # times
    "a search with time 0": (SAID, adding(STRAY | {"variant": "B", "time": 0})),
    "a search before the test with time 0": (SAID, adding(STRAY | {"variant": "", "time": 0})),
    "a click with time 0": (SAID, with_cells(0, {"time": 0}, **CLICK)),
    "a negative time": (SAID, adding(STRAY | {"variant": "B", "time": -5e8})),
    "an arm three days early": (SAID, adding(STRAY | {"variant": "B", "time": AT - 3 * DAY})),
    "an arm a month early": (SAID, adding(STRAY | {"variant": "A", "user": "u2", "time": AT - 30 * DAY})),
    "a search years ahead": (SAID, adding(STRAY | {"variant": "B", "time": AT + 4000 * DAY})),
    "a click years ahead": (SAID, with_cells(0, {"time": AT + 4000 * DAY}, **CLICK)),
    "a tenth of the clicks an hour behind": (SAID, with_cells(0.1, {"time": lambda row: row["time"] - 3600}, **CLICK)),
    "milliseconds": (SAME, with_cells(1, {"time": lambda row: row["time"] * 1000})),
    "milliseconds in half of the rows": (SAME, with_cells(0.5, {"time": lambda row: row["time"] * 1000})),
    "dates": (SAME, with_cells(1, {"time": iso})),
    "dates of another zone": (SAME, with_cells(1, {"time": lambda row: iso(row, timezone(timedelta(hours=7)))})),
    "dates in half of the rows": (SAME, with_cells(0.5, {"time": iso})),
    "no time": (SAID, with_cells(0.01, {"time": ""}, **IN_B)),
    "a time in words": (SAID, with_cells(0.01, {"time": "yesterday"}, **IN_B)),
    "a time before all calendars": (SAID, adding(STRAY | {"variant": "B", "time": -1e11})),
    "dates with UTC behind": (SAME, with_cells(1, {"time": lambda row: iso(row)[:19] + " UTC"})),
    "dates without an hour": (SAID, with_cells(1, {"time": lambda row: iso(row)[:10]})),
    "days of a spreadsheet": (SAID, with_cells(1, {"time": lambda row: row["time"] / DAY + 25_569})),
    "dates with the day first": (SAID, with_cells(1, {"time": lambda row: written(row, "%d/%m/%Y %H:%M:%S")})),
    "dates with the month first": (SAID, with_cells(1, {"time": lambda row: written(row, "%m/%d/%Y %I:%M:%S %p")})),
    "dates with dots": (SAID, with_cells(1, {"time": lambda row: written(row, "%d.%m.%Y %H:%M:%S")})),
    "dates with the day first in half of the rows": (
        SAID,
        with_cells(0.5, {"time": lambda row: written(row, "%d/%m/%Y %H:%M:%S")}),
    ),
    "a few dates of another form": (
        SAID,
        with_cells(0.01, {"time": lambda row: written(row, "%m/%d/%Y %H:%M:%S")}, **IN_B),
    ),
    "days and months that no number tells apart": (
        REFUSED,
        with_cells(1, {"time": lambda row: written(row, "%m/%m/%Y %H:%M:%S")}),
    ),
    "dates in both orders": (
        REFUSED,
        with_cells(1, {"time": lambda row: written(row, "%d/%m/%Y" if row["user"] > "u2" else "%m/%d/%Y")}),
    ),
    "minutes since 1970": (SAID, with_cells(1, {"time": lambda row: row["time"] / 60})),
    "a decimal comma in times": (REFUSED, with_cells(1, {"time": lambda row: f"{row['time']},5"})),
    "a tenth of the clicks an hour ahead": (SAID, with_cells(0.1, {"time": lambda row: row["time"] + 3600}, **CLICK)),
    "clicks of an arm in another zone": (SAID, with_cells(1, {"time": lambda row: row["time"] + 25_200}, **CLICK_IN_B)),
    "an infinite time": (SAID, with_cells(0.01, {"time": "inf"}, **IN_B)),
    # order and repeats
    "rows in any order": (SAME, shuffled),
    "rows backwards": (SAME, lambda rows: rows[::-1]),
    "every row twice": (SAID, lambda rows: [*rows, *rows]),
    "a click ten times": (SAID, lambda rows: [*rows, *of(rows, **CLICK)[:1] * 9]),
    "a header in the middle": (SAID, adding(dict(zip(FIELDS, FIELDS, strict=True)))),
    "an id for two searches of a user": (SAID, with_cells(1, {"search": "same"}, user="u1", **SEARCH)),
    # users and sessions
    "no user and no session": (SAID, with_cells(0.02, {"user": "", "session": ""}, **SEARCH)),
    "sessions in place of some users": (SAID, with_cells(0.1, {"user": ""}, **SEARCH)),
    "sessions in place of users": (SAID, with_cells(1, {"user": ""})),
    "users called null": (SAID, of_some_users(0.2, {"user": "null"})),
    "users called undefined": (SAID, of_some_users(0.2, {"user": "undefined"})),
    "users called None": (SAID, of_some_users(0.2, {"user": "None"})),
    "users called anonymous": (SAID, of_some_users(0.2, {"user": "anonymous"})),
    "users called 0": (SAID, of_some_users(0.2, {"user": "0"})),
    "users with an accent and a face": (SAME, with_cells(1, {"user": lambda row: f"\u00e9\U0001f642{row['user']}"})),
    "users in capitals in half of the rows": (SAID, with_cells(0.5, {"user": lambda row: row["user"].upper()})),
    "spaces around users": (SAME, with_cells(0.3, {"user": lambda row: f" {row['user']} "})),
    "no sessions": (SAID, with_cells(1, {"session": ""})),
    "a session for each event": (SAID, with_cells(1, {"session": id})),
    "sessions called null": (SAID, with_cells(0.3, {"session": "null"})),
    # arms
    "an arm in small letters": (SAID, of_some_users(0.1, {"variant": lambda row: row["variant"].lower()})),
    "spaces around arms": (SAME, with_cells(0.3, {"variant": " B "}, variant="B")),
    "arms called null": (SAME, with_cells(0.2, {"variant": "null"}, variant="")),
    "an arm called NA before the test": (REFUSED, with_cells(1, {"variant": "NA"}, variant="")),
    "an arm with a letter that nobody sees": (SAID, with_cells(0.3, {"variant": "B\u200b"}, variant="B")),
    "an arm that nobody planned": (SAID, adding(STRAY | {"user": "new", "variant": "C", "time": AT + DAY})),
    "users who change their arm": (SAID, with_cells(0.01, {"variant": "A"}, **IN_B)),
    "many users who change their arm": (SAID, with_cells(0.3, {"variant": "A"}, **IN_B)),
    "lost users of an arm": (SAID, of_some_users(0.6, {"user": "", "session": ""})),
    "the arm of some users is not logged": (SAID, of_some_users(0.1, {"variant": ""})),
    "an empty arm in some clicks": (SAME, with_cells(0.5, {"variant": ""}, **CLICK)),
    # clicks
    "the clicks of an arm are lost": (SAID, without(1, action="click", variant="A")),
    "clicks of unknown searches": (SAID, with_cells(0.1, {"search": "nowhere"}, **CLICK)),
    "ranks from 0": (SAID, with_cells(1, {"rank": lambda row: row["rank"] - 1}, **CLICK)),
    "ranks from 0 without documents": (
        SAID,
        with_cells(1, {"rank": lambda row: row["rank"] - 1, "document": ""}, **CLICK),
    ),
    "rank 0 for some unknown ranks": (SAID, with_cells(0.05, {"rank": 0, "document": ""}, **CLICK)),
    "0 as the rank of searches": (SAME, with_cells(1, {"rank": 0}, **SEARCH)),
    "ranks below 0": (SAID, with_cells(0.1, {"rank": -1}, **CLICK)),
    "a document for a rank": (SAID, with_cells(0.2, {"rank": lambda row: row["document"], "document": 1}, **CLICK)),
    "ranks too far down": (SAID, with_cells(0.1, {"rank": 77, "document": ""}, **CLICK)),
    "documents that were not shown": (SAID, with_cells(0.1, {"rank": "", "document": "d999"}, **CLICK)),
    "ranks in words": (SAID, with_cells(0.1, {"rank": "second"}, **CLICK)),
    "clicks on nothing": (SAID, with_cells(0.1, {"rank": "", "document": ""}, **CLICK)),
    "actions in capitals": (SAME, with_cells(0.5, {"action": "CLICK "}, **CLICK)),
    "some clicks called clik": (SAID, with_cells(0.1, {"action": "clik"}, **CLICK)),
    "clicks called tap": (REFUSED, with_cells(1, {"action": "tap"}, **CLICK)),
    "no action": (SAID, with_cells(0.05, {"action": ""}, **CLICK)),
    "no click at all": (REFUSED, without(1, **CLICK)),
    "a bot": (SAID, adding(*BOT)),
    "a bot with few searches in a day": (SAID, adding(*SLOW_BOT)),
    # queries and values
    "some queries are lost": (SAID, with_cells(0.3, {"query": ""}, **SEARCH)),
    "some queries are called NaN": (SAID, with_cells(0.3, {"query": "NaN"}, **SEARCH)),
    "all queries are called None": (SAID, with_cells(1, {"query": "None"}, **SEARCH)),
    "values below 0": (SAID, with_cells(0.3, {"value": lambda row: -row["value"]}, **ORDER)),
    "all queries are lost": (SAID, with_cells(1, {"query": ""}, **SEARCH)),
    "values with a comma": (SAID, with_cells(0.5, {"value": lambda row: f"{row['value']},50"}, **ORDER)),
    "values with a currency": (SAID, with_cells(1, {"value": lambda row: f"${row['value']}"}, **ORDER)),
    "no values": (SAID, with_cells(1, {"value": ""}, **ORDER)),
    "some values are lost": (SAID, with_cells(0.3, {"value": ""}, **ORDER)),
    "a value of a million": (SAID, with_cells(0, {"value": 1_000_000}, **ORDER)),
    # names of fields
    "user called visitor_id": (SAME, "user", "visitor_id"),
    "variant called flag": (REFUSED, "variant", "flag"),
    "rank and document called otherwise": (REFUSED, "rank document", "place thing"),
    "session called trip": (SAID, "session", "trip"),
    "query called words": (SAID, "query", "words"),
}  # fmt: skip


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    found = analyse(write(tmp_path_factory.mktemp("clean"), clean_log()))
    assert found.effects[0].better == "B"
    assert (found.exclusions, found.doubts, found.earlier > 0) == ((), (), True)
    return found


SAME_NUMBERS = (
    "dates with the day first",
    "dates with the month first",
    "dates with dots",
    "dates with the day first in half of the rows",
    "ranks from 0",
    "ranks from 0 without documents",
)


@pytest.mark.parametrize("fault", SAME_NUMBERS)
def test_what_is_recognised_changes_no_number(clean, tmp_path, fault):
    assert numbers(analyse(write(tmp_path, FAULTS[fault][1](clean_log())))) == numbers(clean)


def outcome(clean, path):
    """Return `same`, `said` or `refused`; "silent" if a number changed without a word."""
    try:
        found = analyse(path)
    except (InputError, SpecError):
        return REFUSED
    if numbers(found) == numbers(clean) and found.trusted:
        return SAME if explanations(found) == explanations(clean) else SAID
    return SAID if explanations(found) != explanations(clean) else "silent"


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_changes_a_number_in_silence(clean, tmp_path, fault):
    expected, change, *names = FAULTS[fault]
    if names:
        renamed = dict(zip(change.split(), names[0].split(), strict=True))
        rows = [{renamed.get(name, name): value for name, value in row.items()} for row in clean_log()]
        path = write(tmp_path, rows, [renamed.get(name, name) for name in FIELDS])
    else:
        path = write(tmp_path, change(clean_log()))
    assert outcome(clean, path) == expected


def as_json(path):
    rows = [{name: value for name, value in row.items() if value != ""} for row in clean_log()]
    rows = [row | ({"shown": row["shown"].split()} if "shown" in row else {}) for row in rows]
    return path.with_suffix(".jsonl"), "".join(json.dumps(row) + "\n" for row in rows).encode()


def with_nan(path):
    """Write each missing field as NaN, as Python does with missing numbers."""
    rows = [{name: math.nan if value == "" else value for name, value in row.items()} for row in clean_log()]
    rows = [row | ({"query": 'a "NaN", or "villa"'} if row.get("query") == "villa" else {}) for row in rows]
    return path.with_suffix(".jsonl"), "".join(json.dumps(row) + "\n" for row in rows).encode()


def latin_json(path, n):
    name, content = as_json(path)
    return name, content.replace(b"bandung", b"band\xfang", n)


def half_packed(path):
    content = gzip.compress(path.read_bytes())
    return path.with_suffix(".csv.gz"), content[: len(content) // 2]


def as_parquet(path, **columns):
    file = path.with_suffix(".parquet")
    pl.read_csv(path).with_columns(**columns).write_parquet(file)
    return file, file.read_bytes()


FILES = {
    "a byte-order mark": (SAME, lambda path: (path, b"\xef\xbb\xbf" + path.read_bytes())),
    "line ends of Unix": (SAME, lambda path: (path, path.read_bytes().replace(b"\r\n", b"\n"))),
    "semicolons": (SAME, lambda path: (path, path.read_bytes().replace(b",", b";"))),
    "packed": (SAME, lambda path: (path.with_suffix(".csv.gz"), gzip.compress(path.read_bytes()))),
    "JSON Lines": (SAME, as_json),
    "NaN in JSON Lines": (SAME, with_nan),
    "empty lines": (SAME, lambda path: (path, path.read_bytes().replace(b"\r\nclick", b"\r\n\r\nclick", 5))),
    "a line that is half written": (SAID, lambda path: (path, path.read_bytes() + b"click,u1,u1-")),
    "a line with too many cells": (SAID, lambda path: (path, path.read_bytes() + b"click" + b",1" * 20 + b"\r\n")),
    "lines that are no JSON": (SAID, lambda path: (as_json(path)[0], as_json(path)[1] + b"[1]\n{broken\n")),
    "a cell that is not UTF-8": (SAID, lambda path: (path, path.read_bytes().replace(b"bandung", b"band\xfang", 1))),
    "Latin-1": (REFUSED, lambda path: (path, path.read_bytes().replace(b"bandung", b"band\xfang"))),
    "a line of JSON that is not UTF-8": (SAID, lambda path: latin_json(path, 1)),
    "Latin-1 in JSON Lines": (REFUSED, lambda path: latin_json(path, -1)),
    "a byte-order mark in JSON Lines": (SAME, lambda path: (as_json(path)[0], b"\xef\xbb\xbf" + as_json(path)[1])),
    "UTF-16": (REFUSED, lambda path: (path, path.read_bytes().decode().encode("utf-16"))),
    "half of a packed file": (REFUSED, half_packed),
    "tabs": (SAME, lambda path: (path, path.read_bytes().replace(b",", b"\t"))),
    "bars": (REFUSED, lambda path: (path, path.read_bytes().replace(b",", b"|"))),
    "a comment before the header": (REFUSED, lambda path: (path, b"# from the shop\r\n" + path.read_bytes())),
    "line ends of an old Mac": (REFUSED, lambda path: (path, path.read_bytes().replace(b"\r\n", b"\r"))),
    "a quote that is not closed": (REFUSED, lambda path: (path, path.read_bytes().replace(b",u39,", b',"u39,', 1))),
    "NaN for a missing rank": (SAME, lambda path: as_parquet(path, rank=pl.col("rank").fill_null(math.nan))),
    "times of 32 bits": (REFUSED, lambda path: as_parquet(path, time=pl.col("time").cast(pl.Float32))),
    "a column of spans": (REFUSED, lambda path: as_parquet(path, time=pl.col("time").cast(pl.Duration("ms")))),
    "a column of dates": (SAID, lambda path: as_parquet(path, time=pl.from_epoch("time").dt.date())),
}  # fmt: skip


@pytest.mark.parametrize("fault", FILES)
def test_no_form_of_a_file_changes_a_number_in_silence(clean, tmp_path, fault):
    expected, change = FILES[fault]
    path, content = change(write(tmp_path, clean_log()))
    path.write_bytes(content)
    assert outcome(clean, path) == expected


def test_a_table_of_columns_is_the_same_log(clean, tmp_path):
    pl.read_csv(write(tmp_path, clean_log())).write_parquet(tmp_path / "log.parquet")
    assert outcome(clean, tmp_path / "log.parquet") == SAME
