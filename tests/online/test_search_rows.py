"""Logs with a row for each search: every form in which clicks, orders and flags stand in its cells."""

import json

import polars as pl
import pytest
from online.log_files import counts, read_log, write_log

from neraca.errors import InputError
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions
from neraca.online.search_log import search_log
from neraca.reports.online.ab import read as read_sentences

AT = 1_767_261_600
ROW = {"user": "ana", "variant": "A", "time": AT, "query": "red shoes", "shown": ["d1", "d2", "d3"]}


def read(folder, kind, *rows):
    """Write rows as JSON Lines, Parquet or CSV with JSON cells, and read them as a log."""
    path = folder / f"log.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        cells = [{k: json.dumps(v) if isinstance(v, list | bool) else v for k, v in row.items()} for row in rows]
        write_log(path, cells, [*cells[0]])
    return read_log(path)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv"])
@pytest.mark.parametrize(
    ("cells", "clicked", "unranked"),
    [
        ({"clicks": ["d2", "d3"]}, [2, 3], 0),
        ({"clicked_documents": ["d3"]}, [3], 0),
        ({"clicked_positions": [1, 3]}, [1, 3], 0),
        ({"clicks": [2]}, [2], 0),
        ({"clicks": 2}, [], 2),
        ({"clicked": True}, [], 1),
        ({"clicked": False}, [], 0),
        ({"clicks": []}, [], 0),
        ({"abandoned": False}, [], 1),
        ({"abandoned": True}, [], 0),
        ({"shown": [7, 8, 1], "clicks": [1]}, [3], 0),  # a number that was shown is a document
    ],
)
def test_clicks_in_a_cell(tmp_path, kind, cells, clicked, unranked):
    other = {"clicked": True, "abandoned": False, "clicks": 1, "clicked_documents": ["d1"], "clicked_positions": [1]}
    other |= {"clicks": ["d1"] if isinstance(cells.get("clicks"), list) else 1}
    if "shown" in cells:
        other |= {"clicks": [8], "shown": [7, 8, 1]}
    elif cells.get("clicks") == [2]:
        other |= {"clicks": [3]}
    (row, _), left_out, _ = read(tmp_path, kind, ROW | cells, ROW | {k: other.get(k) for k in cells} | {"user": "budi"})
    assert (row["clicked"], row["unranked"], left_out) == (clicked, unranked, {})


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv"])
@pytest.mark.parametrize(("yes", "no"), [(1, 0), (True, False)])
def test_a_list_with_a_flag_for_each_document_names_the_clicked_ranks(tmp_path, kind, yes, no):
    """Taken as ranks, each flag would be a click on the first document."""
    rows = [ROW | {"clicks": [no, yes, yes]}, ROW | {"user": "budi", "clicks": [no, no, no]}]
    found, left_out, _ = read(tmp_path, kind, *rows)
    assert ([row["clicked"] for row in found], left_out) == ([[2, 3], []], {})


def test_documents_called_0_and_1_are_no_flags(tmp_path):
    (row,), left_out, _ = read(tmp_path, "jsonl", ROW | {"shown": ["1", "7", "0"], "clicks": ["1", "0"]})
    assert (row["clicked"], left_out) == ([1, 3], {})
    (row, _), left_out, _ = read(tmp_path, "jsonl", ROW | {"clicks": [1]}, ROW | {"user": "budi", "clicks": [1, 3]})
    assert (row["clicked"], left_out) == ([1], {}), "these are ranks"


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_searches_without_clicks_where_others_have_an_empty_list_are_counted(tmp_path, kind):
    rows = [ROW | {"user": f"u{n}", "clicks": clicks} for n, clicks in enumerate((["d1"], [], None))]
    found, left_out, _ = read(tmp_path, kind, *rows)
    assert (sorted(len(row["clicked"]) for row in found), left_out) == ([0, 0, 1], {"no_clicks": 1})
    _, left_out, _ = read(tmp_path, kind, rows[0], rows[2])
    assert left_out == {}, "here an empty cell is the way to say that there was no click"


def test_an_id_that_several_searches_have_does_not_mix_them(tmp_path):
    """Ids that begin anew with each user: every row keeps its own clicks."""
    rows = [ROW | {"user": f"u{n}", "session": f"u{n}", "search": "s0", "clicks": ["d1"] * (n == 0)} for n in range(3)]
    found, left_out, _ = read(tmp_path, "jsonl", *rows)
    assert (sorted(row["clicked"] for row in found), left_out) == ([[], [], [1]], {"reused_id": 3})


def test_clicks_that_are_objects_have_times_and_dwell_times(tmp_path):
    clicks = [{"doc_id": "d2", "time": AT + 5, "dwell": 40}, {"doc_id": "d1", "time": AT + 60, "dwell": 3}]
    for kind in ("jsonl", "parquet", "csv"):
        (row,), left_out, log = read(tmp_path, kind, ROW | {"clicks": clicks})
        assert (row["clicked"], row["clicked_at"], row["dwell"], left_out) == ([2, 1], [5, 60], [40, 3], {})
        assert log.contents.untimed == 0


def test_times_and_dwell_times_beside_the_clicks(tmp_path):
    cells = {"clicks": ["d2", "d1"], "click_times": [4, 9.5], "dwell": [12, 31]}
    (row,), left_out, _ = read(tmp_path, "jsonl", ROW | cells)
    assert (row["clicked_at"], row["dwell"], left_out) == ([4, 9.5], [12, 31], {})
    (row,), left_out, _ = read(tmp_path, "jsonl", ROW | cells | {"dwell": [12, 31, 5]})
    assert (row["clicked"], left_out) == ([2, 1], {"uneven_cells": 1})
    (row,), left_out, _ = read(tmp_path, "jsonl", ROW | {"clicks": ["d2", "d1"], "dwell": 12})
    assert row["dwell"] == [None, 12], "one number is that of the last click"
    assert row["clicked_at"] == [None, None]


def test_orders_in_a_cell(tmp_path):
    rows = [
        ROW | {"order_values": [10, 10], "clicks": ["d1"]},
        ROW | {"user": "budi", "order_values": [], "clicks": []},
        ROW | {"user": "cita", "variant": "B", "order_values": [5], "clicks": ["d1"]},
        ROW | {"user": "doni", "variant": "B", "order_values": [], "clicks": []},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = ab(search_log(path), ["revenue", "conversions", "conversion"], AbOptions(checks=0))
    assert [(e.plain.a, e.plain.b) for e in found.effects] == [(10, 2.5), (1, 0.5), (0.5, 0.5)]
    assert (found.contents.conversions, found.contents.unvalued) == (3, 0)


def test_orders_in_lists_of_a_parquet_file(tmp_path):
    path = tmp_path / "log.parquet"
    rows = [ROW | {"user": f"u{n}", "search": f"q{n}", "clicks": ["d1"], "order_values": [5.0] * n} for n in range(3)]
    pl.DataFrame([row | {"variant": "AB"[n % 2]} for n, row in enumerate(rows)]).write_parquet(path)
    (effect,) = ab(search_log(path), ["revenue"], AbOptions(checks=0)).effects
    assert (effect.plain.a, effect.plain.b) == (5, 5)


def test_a_price_with_a_decimal_comma_is_not_two_orders(tmp_path):
    rows = [ROW | {"order_value": "12,34", "clicks": ["d1"]}, ROW | {"user": "budi", "variant": "B", "order_value": ""}]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    (effect,) = ab(search_log(path), ["conversions"], AbOptions(checks=0)).effects
    assert (effect.plain.a, effect.plain.b) == (1, 0)
    with pytest.raises(InputError, match=r"no conversion of 1 has a value that is a number; write 12\.5"):
        ab(search_log(path), ["revenue"], AbOptions(checks=0))
    rows[0]["order_value"] = "12.5,30"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [e.plain.a for e in ab(search_log(path), ["conversions", "revenue"], AbOptions(checks=0)).effects] == [
        2,
        42.5,
    ]


def test_the_log_itself_says_what_was_put_in_other_words(tmp_path):
    rows = [
        ROW | {"reformulated": word, "user": f"u{n}"}
        for n, word in enumerate((True, False, "Ya", "tidak", "yes", 0, None))
    ]
    rows += [ROW | {"user": "u6", "time": AT + 60, "query": "red running shoes", "reformulated": False}]
    found, _, log = read(tmp_path, "jsonl", *rows)
    found.sort(key=lambda row: row["user"])
    assert [row["reformulated"] for row in found if row["time"] == AT] == [True, False, True, False, True, False, True]
    assert log.contents.reformulations == 4


def test_a_contradiction_and_a_bad_rank_are_counted(tmp_path):
    _, left_out, _ = read(tmp_path, "jsonl", ROW | {"clicked_positions": [0, 2], "abandoned": True})
    assert left_out == {"contradicted": 1, "bad_rank": 1}
    (row,), left_out, _ = read(tmp_path, "jsonl", ROW | {"clicks": ["d9"]})
    assert (row["clicked"], left_out) == ([], {"not_shown": 1})


def test_a_repeated_row_is_one_search_with_its_clicks(tmp_path):
    row = ROW | {"clicks": ["d1", "d2"]}
    (found,), left_out, _ = read(tmp_path, "jsonl", row, row)
    assert (found["clicked"], left_out) == ([1, 2], {"duplicate": 1})


def test_columns_that_are_not_read_are_named(tmp_path):
    _, _, log = read(tmp_path, "jsonl", ROW | {"clicks": ["d1"], "latency": 3, "device": {"kind": "phone", "os": "x"}})
    assert log.unused == ["latency", "device"]
    assert log.contents.searches == log.contents.users == log.contents.clicks == 1


def test_metrics_that_the_log_cannot_measure(tmp_path):
    rows = [ROW | {"user": f"{arm}{n}", "variant": arm, "clicks": ["d1"] * (n % 2)} for arm in "AB" for n in range(6)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = ab(search_log(path), options=AbOptions(checks=0))
    assert [metric.name for metric in found.metrics] == ["click_through", "reformulation", "searches"]
    assert set(found.unmeasured) == {"success", "time_to_first_click"}
    with pytest.raises(InputError, match="success cannot be measured: no click has a time or a dwell time"):
        ab(search_log(path), ["success"])


def test_values_that_are_no_numbers_are_counted(tmp_path):
    rows = [ROW | {"user": "a", "order_values": "12,50 EUR", "clicks": ["d1"]}]
    _, left_out, log = read(tmp_path, "jsonl", *rows)
    assert left_out["bad_number"] >= 1
    assert counts(log.exclusions) == left_out


def of_users(flagged, n=40):
    """Return searches of users in turn of two arms, each put in other words; `flagged` says whether the log tells."""
    other = {"query": "red running shoes", "time": AT + 60, "clicks": []}
    rows = []
    for u in range(n):
        row = ROW | {"user": f"u{u}", "variant": "AB"[u % 2], "clicks": ["d1"]}
        rows += [one | ({"reformulated": value} if flagged(u) else {}) for one, value in ((row, 1), (row | other, 0))]
    return rows


def reformulation(folder, *rows, names=("reformulation",)):
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ab(search_log(path), names, AbOptions(checks=0))


def test_two_rules_for_two_arms_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"100 % of the searches of A .* 0 % of those of B.*--column reformulated="):
        reformulation(tmp_path, *of_users(lambda u: u % 2 == 0))
    result = reformulation(tmp_path, *of_users(lambda u: u % 2 == 0), names=())
    assert "reformulation" in result.unmeasured
    assert "reformulation" not in {e.metric.name for e in result.effects}


def test_a_flag_that_lacks_in_both_arms_is_filled_by_the_queries_and_counted(tmp_path):
    result = reformulation(tmp_path, *of_users(lambda u: u % 4 < 2))
    assert counts(result.exclusions)["no_flag"] == 40
    assert (result.effects[0].plain.a, result.effects[0].plain.b) == (0.5, 0.5)


def test_reformulations_that_one_arm_alone_logs_are_refused(tmp_path):
    rows = [row | {"action": "search", "search": f"s{n}"} for n, row in enumerate(of_users(lambda u: False))]
    logged = [row | {"action": "reformulation"} for row in rows if row["variant"] == "B"]
    with pytest.raises(InputError, match="40 reformulations of B are logged as events, and none of A"):
        reformulation(tmp_path, *rows, *logged)
    assert reformulation(tmp_path, *rows, *logged[:10]).unmeasured == {}, "ten may be chance"


def test_sessions_that_stand_for_users_are_said_first(tmp_path):
    rows = [{"session" if name == "user" else name: cell for name, cell in row.items()} for row in of_users(bool)]
    first = read_sentences(reformulation(tmp_path, *rows))[0]
    assert first.startswith("Read: 80 searches of 40 sessions, each taken for a user, 40 clicks")
    some = [*of_users(bool), ROW | {"user": None, "session": "x", "clicks": ["d1"]}]
    first = read_sentences(reformulation(tmp_path, *some))[0]
    assert first.startswith("Read: 81 searches of 41 users (sessions stand for users in 1 row without one), ")
