"""Laws of dirty logs with a row for each search: one fault never changes a number in silence.

The faults are those of cells that hold the clicks, orders and flags of a search; for those of times, users and arms see
`test_dirty_logs.py`.
"""

import csv
import json
import random

import polars as pl
import pytest
from laws.test_dirty_logs import AT, DAY, QUERIES, REFUSED, SAID, SAME, analyse, numbers, outcome

ROWS = 1500


def clean_rows():
    """Return searches of 240 users in two arms, each with lists of documents shown and clicked, orders and a flag."""
    chance, rows = random.Random(11), []
    for n in range(ROWS):
        user = chance.randrange(240)
        shown = [f"d{document}" for document in chance.sample(range(90), 5)]
        clicks = [document for document in shown if chance.random() < 0.12 + 0.1 * (user % 2)]
        row = {"user": f"u{user}", "session": f"u{user}-{n}", "search": f"q{n}", "query": QUERIES[n % 5]}
        row |= {"variant": "AB"[user % 2], "time": AT + n * (14 * DAY // ROWS), "shown": shown, "clicks": clicks}
        row |= {"click_times": [7 * (place + 1) for place in range(len(clicks))]}
        rows.append(row | {"order_values": [20.5] * (chance.random() < 0.1), "reformulated": chance.random() < 0.2})
    return rows


def as_json(folder, rows):
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def as_parquet(folder, rows):
    path = folder / "rows.parquet"
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    return path


def as_csv(cell):
    """Make a writer of CSV that writes lists by a function."""

    def write(folder, rows):
        path = folder / "rows.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*dict.fromkeys(name for row in rows for name in row)], restval="")
            writer.writeheader()
            for row in rows:
                writer.writerow({name: cell(v) if isinstance(v, list) else v for name, v in row.items()})
        return path

    return write


def joined(separator):
    return lambda cells: separator.join(map(str, cells))


def cells(share, **to):
    """Make a fault that sets cells of a share of the rows; a function gets the row."""

    def fault(rows):
        for row in random.Random(1).sample(rows, max(1, int(share * len(rows)))):
            row.update({name: value(row) if callable(value) else value for name, value in to.items()})
        return rows

    return fault


def in_b(**to):
    """Make a fault that sets cells of all rows of arm B."""

    def fault(rows):
        for row in rows:
            if row["variant"] == "B":
                row.update({name: value(row) if callable(value) else value for name, value in to.items()})
        return rows

    return fault


def renamed(**names):
    """Make a fault that renames columns."""
    return lambda rows: [{names.get(name, name): value for name, value in row.items()} for row in rows]


def ranks(start):
    """Return the ranks of the clicks of a row, the first of which is `start`."""
    return lambda row: [row["shown"].index(document) + start for document in row["clicks"]]


def positions(start):
    """Make a fault that names clicks by rank."""

    def fault(rows):
        for row in rows:
            row["clicked_positions"] = ranks(start)(row)
            del row["clicks"]
        return rows

    return fault


def too_early(row):
    return [row["time"] - 9] * len(row["clicks"])


def objects(row):
    times = zip(row["clicks"], row["click_times"], strict=True)
    return [{"doc_id": document, "time": row["time"] + seconds} for document, seconds in times]


FAULTS = {
    # the same log in other forms
    "Parquet": (SAME, None, as_parquet),
    "lists as JSON in CSV": (SAME, None, as_csv(json.dumps)),
    "lists as Python in CSV": (SAME, None, as_csv(str)),
    "lists with spaces": (SAME, None, as_csv(joined(" "))),
    "lists with bars": (SAME, None, as_csv(joined("|"))),
    "lists with semicolons": (SAME, None, as_csv(joined(";"))),
    "ranks from 1": (SAME, positions(1), as_json),
    "ranks from 0": (SAID, positions(0), as_json),
    "ranks from 0 in CSV": (SAID, positions(0), as_csv(joined(" "))),
    "clicks that are objects": (SAME, cells(1, clicks=objects, click_times=None), as_json),
    "a flag for each document": (
        SAME,
        cells(1, clicks=lambda row: [int(document in row["clicks"]) for document in row["shown"]]),
        as_json,
    ),
    "flags in words": (SAME, cells(1, reformulated=lambda row: "Yes" if row["reformulated"] else "no"), as_json),
    "rows in any order": (SAME, lambda rows: random.Random(2).sample(rows, len(rows)), as_json),
    "documents as numbers": (
        SAME,
        cells(1, **{n: lambda row, n=n: [int(d[1:]) for d in row[n]] for n in ("shown", "clicks")}),
        as_json,
    ),
    # clicks
    "no clicks in some rows": (SAID, cells(0.1, clicks=None), as_json),
    "no clicks in some rows of Parquet": (SAID, cells(0.1, clicks=None), as_parquet),
    "empty cells for some clicks": (SAID, cells(0.1, clicks=""), as_csv(json.dumps)),
    "the clicks of an arm are lost": (SAID, in_b(clicks=[], click_times=[]), as_json),
    "the clicks of an arm are missing": (SAID, in_b(clicks=None, click_times=None), as_json),
    "all clicks are lost": (REFUSED, cells(1, clicks=[], click_times=[]), as_json),
    "clicks on documents that were not shown": (SAID, cells(0.1, clicks=["d999"], click_times=[3]), as_json),
    "ranks below the list": (SAID, lambda rows: cells(0.1, clicked_positions=[77])(positions(1)(rows)), as_json),
    "ranks in words": (SAID, lambda rows: cells(0.1, clicked_positions=["first"])(positions(1)(rows)), as_json),
    "a few ranks 0": (SAID, lambda rows: cells(0.02, clicked_positions=[0])(positions(1)(rows)), as_json),
    "clicks in a column of another name": (REFUSED, renamed(clicks="tapped"), as_json),
    # times of clicks
    "a time too many": (SAID, cells(0.1, click_times=lambda row: [*row["click_times"], 99]), as_json),
    "no times of clicks": (SAID, cells(1, click_times=None), as_json),
    "times of all clicks before their search": (
        REFUSED,
        cells(1, click_times=too_early),
        as_json,
    ),
    "times of clicks before the search": (SAID, cells(0.1, click_times=too_early), as_json),
    # orders and flags
    "orders with a decimal comma": (
        SAID,
        cells(1, order_values=lambda row: "20,5" * bool(row["order_values"])),
        as_csv(str),
    ),
    "orders with a currency": (SAID, cells(1, order_values=lambda row: "$20" * bool(row["order_values"])), as_csv(str)),
    "an order of a million": (SAID, cells(0, order_values=[1e6]), as_json),
    "orders below 0": (SAID, cells(0.05, order_values=[-20.5]), as_json),
    "no flag in some rows": (SAID, cells(0.3, reformulated=None), as_json),
    "no flag in an arm": (SAID, in_b(reformulated=None), as_json),
    "a flag that says nothing": (SAID, cells(0.3, reformulated="maybe"), as_json),
    # rows
    "every row twice": (SAID, lambda rows: [*rows, *rows], as_json),
    "an id for all searches of a user": (SAID, cells(1, search=lambda row: row["user"]), as_json),
    "no ids": (SAME, cells(1, search=None), as_json),
    "lists of documents that end early": (SAID, cells(0.1, shown=lambda row: row["shown"][:2]), as_json),
    "a list of documents that is half written": (
        SAID,
        cells(0.1, shown=lambda row: json.dumps(row["shown"])[:-3]),
        as_csv(json.dumps),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    found = analyse(as_json(tmp_path_factory.mktemp("clean"), clean_rows()))
    assert found.effects[0].better == "B"
    assert (found.exclusions, found.doubts) == ((), ())
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_a_row_changes_a_number_in_silence(clean, tmp_path, fault):
    expected, change, write = FAULTS[fault]
    assert outcome(clean, write(tmp_path, change(clean_rows()) if change else clean_rows())) == expected


@pytest.mark.parametrize("fault", ["ranks from 0", "ranks from 0 in CSV"])
def test_ranks_from_0_change_no_number(clean, tmp_path, fault):
    _, change, write = FAULTS[fault]
    assert numbers(analyse(write(tmp_path, change(clean_rows())))) == numbers(clean)
