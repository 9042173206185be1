"""`neraca ab`: what is said and written, for two arms and more, for a bad split, a plan and totals."""

import json
import random

import pytest
from online.log_files import write_log
from online.test_ab import AT, DAY, click, search


def log(folder, arms=("A", "B"), users=240, shares=(0.3, 0.6), **other):
    """Users of each arm in turn, who search once a day for four days and click with the chance of their arm."""
    chance, rows = random.Random(11), []
    for n in range(users):
        arm = n % len(arms)
        for day in range(4):
            at = AT + day * DAY + n
            rows.append(search(f"u{n}", arms[arm], day, at, device="phone" if n % 3 else "", **other))
            if chance.random() < shares[arm % len(shares)]:
                rows.append(click(f"u{n}", day, at + 5))
    return write_log(folder / "log.csv", rows, [*{name: 0 for row in rows for name in row}])


def test_the_decision_stands_below_the_table_and_in_the_report(cli, tmp_path):
    path = log(tmp_path)
    result = cli("ab", path, "-m", "click_through searches", "--segment", "device", "--to", tmp_path / "ab.html")
    lead = "B is better than A by click_through (searches with a click): "
    assert result.code == 0
    assert lead in result.out
    assert "Users divide 120 to 120 (A and B), as planned" in result.out
    assert "device=phone" in result.out
    page = (tmp_path / "ab.html").read_text()
    assert lead in page
    for heading in ("Effects", "Over days", "Segments", "Checks", "What was read, and what was left out"):
        assert f">{heading}</h2>" in page
    cli("ab", path, "-m", "click_through searches", "--to", tmp_path / "ab.md")
    assert lead in (tmp_path / "ab.md").read_text()


def test_rows_for_machines(cli, tmp_path):
    result = cli("ab", log(tmp_path), "-m", "click_through", "--guard", "reformulation=0.05", "--json")
    first, guard = map(json.loads, result.out.splitlines())
    assert (first["metric"], first["arm"], first["better"], first["looks"]) == ("click_through", "B", "B", "daily")
    assert first["low"] < first["difference"] < first["high"]
    assert guard["margin"] == 0.05
    assert (guard["metric"], guard["low"], guard["p_adjusted"]) == ("reformulation", None, None), "nobody reformulates"


def test_values_before_and_after_adjustment_stand_beside_each_other(cli, tmp_path):
    chance, rows = random.Random(2), []
    for n in range(120):
        habit = chance.random()
        for day in range(8):
            rows.append(search(f"u{n}", "AB"[n % 2] if day > 3 else "", day, AT + day * DAY))
            rows += [click(f"u{n}", day, AT + day * DAY + 5)] * (chance.random() < habit)
    path = write_log(tmp_path / "log.csv", rows)
    shown, plain = (cli("ab", path, "-m", "click_through", *words) for words in ([], ["--no-cuped"]))
    assert "Before adjustment, as on a dashboard" in shown.out
    assert "Metrics with * are adjusted" in shown.out
    assert "adjust" not in plain.out


def test_a_split_that_is_not_planned_is_said_before_all_else(cli, tmp_path):
    result = cli("ab", log(tmp_path), "--share", "A=0.8 B=0.2", "-m", "click_through")
    warning, table = (
        result.out.index("Before you trust it: Users divide 120 to 120"),
        result.out.index("metric  "),
    )
    assert warning < table
    assert "better" not in result.out[table : result.out.index("Do not trust", table)]


def test_three_arms_with_names_of_every_kind(cli, tmp_path):
    path = log(tmp_path, ("kontrol", "<b>baru</b>", "بحث دلالي"), shares=(0.4, 0.42, 0.41))
    result = cli("ab", path, "--control", "kontrol", "-m", "click_through", "--to", tmp_path / "ab.html")
    assert "None of 2 arms is shown to be better or worse than kontrol by click_through." in result.out
    page = (tmp_path / "ab.html").read_text()
    assert "<b>baru" not in page
    assert "&lt;b&gt;baru&lt;/b&gt;" in page


def test_what_was_left_out_is_said(cli, tmp_path):
    path = log(tmp_path)
    path.write_text(path.read_text() + "search,late")
    line = "Left out: 1 event whose time cannot be read"
    assert line in cli("ab", path, "-m", "click_through").out
    assert line in cli("ab", path, "-m", "click_through", "--json").err


def test_a_plan_and_totals(cli, tmp_path):
    plan = cli("ab", log(tmp_path), "--plan", "--effect", "10%", "-m", "click_through")
    assert "To find a change of 10 % with a chance of 80 %" in plan.out
    counts = cli("ab", "--counts", "A:clicks=5000,reformulations=1300", "B:clicks=100000,reformulations=58")
    assert "22.4 times fewer reformulations" in counts.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--looks", "weekly"], "--looks is daily or once"),
        (["--to", "ab.gif"], "let the file's name end in .html"),
        (["--segment", "colour"], "no field is called 'colour'"),
        (["--guard", "x"], "cannot read --guard 'x'"),
        (["--guard", "unknown=0.1"], "no online metric is called 'unknown'"),
        (["--since", "2027-01-01", "--until", "2026-01-01"], "--since must be before --until"),
        (["--since", "soon"], "cannot read --since 'soon'"),
        (["--share", "A=0.5"], "give the planned share of every arm"),
        (["--plan", "--effect", "much"], "cannot read --effect 'much'"),
        (["--column", "time=when"], "no field is called 'when' (for time)"),
    ],
)
def test_what_makes_no_sense_is_said_with_the_remedy(cli, tmp_path, words, said):
    result = cli("ab", log(tmp_path, users=12), *words)
    assert result.code == 2
    assert said in result.err


def with_orders(path, **cells):
    """Add orders to a log, five of arm B in six."""
    orders = [f"purchase,u{n},su{n},{AT + DAY + n + 50},{cells.get('value', '')}" for n in (0, 1, 3, 5, 7, 9)]
    head, *lines = path.read_text().splitlines()
    names = head.split(",")
    rows = [
        dict(zip(("action", "user", "session", "time", "value"), order.split(","), strict=True)) for order in orders
    ]
    more = [",".join(row.get(name, "") for name in [*names, "value"]) for row in rows]
    path.write_text("\n".join([f"{head},value", *(f"{line}," for line in lines), *more]) + "\n")
    return path


def test_orders_without_values_say_so_instead_of_no_revenue(cli, tmp_path):
    path = with_orders(log(tmp_path, users=40))
    result = cli("ab", path)
    assert "revenue is not measured: no conversion of 6 has a value; name it with --column value=FIELD." in result.out
    assert "\nrevenue  " not in result.out
    refused = cli("ab", path, "-m", "revenue")
    assert (refused.code, "revenue cannot be measured: no conversion of 6 has a value" in refused.err) == (2, True)
    assert "revenue " in cli("ab", with_orders(log(tmp_path, users=40), value="20")).out


def test_what_was_read_stands_first_and_columns_that_were_not_are_named(cli, tmp_path):
    result = cli("ab", log(tmp_path, colour="red"), "-m", "click_through searches")
    first = "Read: 960 searches of 240 users, 427 clicks, 0 reformulations, 4 days (2026-01-01 to 2026-01-04, UTC)."
    assert result.out.startswith(first)
    assert "Columns that were not read: device and colour." in result.out
    assert (
        "searches has no p: neither direction is better, so nothing is tested." not in result.out
    )  # no interval either
    assert cli("ab", log(tmp_path), "--json").err.startswith(f"neraca: {first}")


def test_what_is_shown_is_not_said_to_agree_with_a_metric_that_points_away(cli, tmp_path):
    """B clicks more, and both `clicks` and `click_through` show it; that it is slower is not shown."""
    chance, rows = random.Random(2), []
    for n in range(400):
        rows.append(search(f"u{n}", "AB"[n % 2], 0, AT + n))
        if chance.random() < (0.3, 0.7)[n % 2]:
            rows.append(click(f"u{n}", 0, AT + n + chance.randrange(1, 60) + n % 2))
    path = write_log(tmp_path / "log.csv", rows, [*{name: 0 for row in rows for name in row}])
    result = cli("ab", path, "-m", "click_through clicks time_to_first_click")
    assert "\nclick_through and clicks favour B. time_to_first_click points the other way" in result.out
    assert "points the same way" not in result.out


def test_users_who_are_left_out_are_counted_with_their_searches(cli, tmp_path):
    path = log(tmp_path, users=60)
    robot = [f"search,robot,srobot,r{n},red shoes,B,{AT + n},d1,,phone" for n in range(900)]
    head = path.read_text().splitlines()[0].split(",")
    names = ("action", "user", "session", "search", "query", "variant", "time", "shown", "rank", "device")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in robot]
    with path.open("a") as file:
        file.writelines(",".join(row.get(name, "") for name in head) + "\n" for row in rows)
    result = cli("ab", path, "-m", "click_through")
    assert "Left out: 1 user with more searches in a day" in result.out
    assert ", 900 searches (79 % of all)" in result.out
    assert "900 searches, 79 % of all, are left out with 1 user" in result.out
