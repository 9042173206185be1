"""`neraca interleave`, as a user types it: logs, plans and drafts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_run

import neraca
from neraca.records import Item

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"


def write_log(path: Path, teams: Callable[[int], str], rank: Callable[[int], int], users: int = 30) -> Path:
    """One search of each user, with these teams, and a click on this rank (0: none)."""
    events = []
    for n in range(users):
        search = {"user": f"u{n}", "search": f"s{n}", "time": 1.7e9 + n}
        shown = [f"d{place}" for place in range(len(teams(n)))]
        events.append({"action": "search", **search, "query": f"q{n % 3}", "shown": shown, "teams": list(teams(n))})
        if rank(n):
            events.append({"action": "click", **search, "time": 1.7e9 + n + 5, "rank": rank(n)})
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Of 30 users 24 click on b, 3 on a, 3 on nothing; a and b are first in turns."""

    def rank(n: int) -> int:
        return 0 if n % 10 == 0 else (2 if n % 2 else 1) if n % 10 == 1 else (1 if n % 2 else 2)

    return write_log(tmp_path / "log.jsonl", lambda n: "ba" if n % 2 else "ab", rank)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_winner_is_said_with_its_interval(cli: Cli, log: Path) -> None:
    said = cli("interleave", log)
    assert said.code == 0
    # 24 of 27 users, Wilson: 0.7194 to 0.9615
    assert "Users prefer b to a: b won 88.9 % of the searches of a user, on average" in said.out
    assert "(95 % interval 71.9 to 96.1 %), p < 0.001, 27 users." in said.out
    assert "a is first in 15 lists, b in 15" in said.out
    assert "30 searches interleaved by team_draft" in said.out


def test_machines_get_flat_rows(cli: Cli, log: Path) -> None:
    found = {row["analysis"]: row for row in rows(cli("interleave", log, "--json").out)}
    assert list(found) == ["user", "session", "search", "majority", "paired"]
    assert found["user"]["value"] == pytest.approx(3 / 27)
    assert (found["user"]["decides"], found["search"]["decides"], found["user"]["winner"]) == (True, False, "b")
    assert found["search"]["p"] == pytest.approx(2 * (1 + 27 + 351 + 2925) / 2**27), "sign test, 3 of 27"
    assert found["paired"]["value"] == pytest.approx((3 - 24) / 30)


def test_the_order_of_the_rankers_is_that_of_the_option(cli: Cli, log: Path) -> None:
    first = rows(cli("interleave", log, "--rankers", "b,a", "--unit", "search", "--json").out)[0]
    assert (first["a"], first["b"], first["value"]) == ("b", "a", pytest.approx(24 / 27))
    assert "won 88.9 % of the searches (" in cli("interleave", log, "--unit", "search").out


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_the_report_begins_with_the_decision(cli: Cli, log: Path, tmp_path: Path, name: str) -> None:
    assert cli("interleave", log, "--to", tmp_path / name).code == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.index("Users prefer b to a") < text.index("of users by majority") < text.index("Nothing was left out")


def test_a_draft_that_was_not_left_to_chance_is_loud(cli: Cli, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", lambda n: "ab" if n % 6 else "ba", lambda n: 1, users=60)
    said = cli("interleave", log, "--to", tmp_path / "r.md")
    assert "Do not trust this experiment yet: a is first in 50 lists, b in 10" in said.out
    assert "Users prefer" not in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_nothing_decided_is_said(cli: Cli, tmp_path: Path) -> None:
    even = write_log(tmp_path / "even.jsonl", lambda n: "ab" if n % 2 else "ba", lambda n: 1)
    assert "It is not decided whether users prefer a or b: a won 50.0 %" in cli("interleave", even).out
    ties = write_log(tmp_path / "ties.jsonl", lambda n: ["a", "b", ""], lambda n: 3, users=3)
    assert "no search tells a from b" in cli("interleave", ties).out


def test_a_log_without_clicks_is_refused_and_names_the_column_that_may_hold_them(cli: Cli, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", lambda n: "ab", lambda n: 0)
    assert "no click was found in 30 searches, so no ranker can win a search" in cli("interleave", log).err
    rows_of_searches = [json.loads(line) | {"clicked_documents": ["d0"]} for line in log.read_text().splitlines()]
    log.write_text("\n".join(map(json.dumps, rows_of_searches)), encoding="utf-8")
    assert "clicked_documents holds its clicks, pass --column action=" in cli("interleave", log).err
    assert "of 30 users, 30 clicks" in cli("interleave", log, "--column", "action=").out


def test_users_who_are_not_in_n_are_said(cli: Cli, tmp_path: Path) -> None:
    teams = lambda n: ["a", "b", ""] if n % 2 else ["b", "a", ""]  # noqa: E731
    log = write_log(tmp_path / "log.jsonl", teams, lambda n: 0 if n < 4 else 3 if n < 9 else 1)
    assert "n is 21 of 30 users: 4 without a click and 5 with ties alone" in cli("interleave", log).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "optimised"], "as --rankings old=old.run --rankings new=new.run"),
        (["--rankings", "a,b"], "write --rankings RANKER=FILE, such as --rankings old=old.run"),
        (["--rankers", "a,b", "--rankings", "a=a.run"], "--rankers names 'b', of which there are no rankings"),
        (["--method", "optimised", "--rankings", "a=a.run", "b=a.run", "c=a.run"], "interleaves two rankers, not 3"),
        (
            ["--method", "probabilistic", "--rankers", "a,c", "--rankings", "a=a.run", "b=a.run", "c=a.run"],
            "the log names the ranker 'b', which --rankers leaves out",
        ),
        (["--method", "probabilistic", "--rankings", "a=a.run", "c=a.run"], "no rankings of 'b', which the log names"),
    ],
)
def test_rankings_that_do_not_fit_say_what_to_give(cli: Cli, log: Path, tmp_path: Path, words, message) -> None:
    run = tmp_path / "a.run"
    run.write_text("".join(f"s{n} Q0 d{rank} {rank} {9 - rank} t\n" for n in range(30) for rank in (0, 1)))
    arguments = []
    for word in words:
        pair = "=a.run" in word
        arguments += ["--rankings"] * (pair and arguments[-1] != "--rankings") + [word.replace("a.run", str(run))]
    result = cli("interleave", log, *arguments)
    assert (result.code, message in result.err) == (2, True), result.err
    assert "Read: 0" not in result.err


def test_what_was_left_out_is_said_also_where_nothing_is_left(cli: Cli, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", lambda n: "ab", lambda n: 1)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    short = [line | ({"teams": ["a"]} if "teams" in line else {}) for line in lines]
    log.write_text("\n".join(map(json.dumps, short)), encoding="utf-8")
    said = cli("interleave", log)
    assert said.code == 2
    assert "Left out: 30 searches with more or fewer teams than documents shown" in said.err
    assert "no search of the log can be used" in said.err


def test_searches_of_two_users_are_not_eighty_observations(cli: Cli, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", lambda n: "ba" if n % 2 else "ab", lambda n: n % 2 + 1, users=80)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    of_two = [event | {"user": f"u{int(event['search'][1:]) < 40}"} for event in events]
    log.write_text("\n".join(map(json.dumps, of_two)), encoding="utf-8")
    said = cli("interleave", log).out
    assert "Search by search, a would be called better than b (p < 0.001)" in said
    assert "Only 2 users say anything" in said
    assert "Users prefer" not in said


def test_three_rankers_are_compared_in_pairs(cli: Cli, tmp_path: Path) -> None:
    turns = ["abc", "bca", "cab"]
    log = write_log(tmp_path / "log.jsonl", lambda n: turns[n % 3], lambda n: turns[n % 3].index("c") + 1)
    said = cli("interleave", log)
    assert "Users prefer c to a" in said.out
    assert "Users prefer c to b" in said.out
    assert "p is corrected for 3 pairs of rankers (Holm's correction)." in said.out
    assert "The draft looks fair: a is first in 10 lists, b is first in 10 lists and c is first in 10 lists" in said.out
    assert "a – c" in said.out
    assert "by majority" not in said.out
    cli("interleave", log, "--to", tmp_path / "r.md")
    assert "by majority" in (tmp_path / "r.md").read_text(encoding="utf-8")
    even = write_log(tmp_path / "even.jsonl", lambda n: turns[n % 3], lambda n: 1)
    assert "No ranker is preferred to another: 3 pairs compared." in cli("interleave", even).out


def test_credit_by_what_the_rankers_returned(cli: Cli, log: Path, tmp_path: Path) -> None:
    for name, order in {"a": ("d0", "d1"), "b": ("d1", "d0")}.items():
        lines = [f"s{n} Q0 {doc} {r} {9 - r} {name}" for n in range(29) for r, doc in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines), encoding="utf-8")
    given = [word for name in "ab" for word in ("--rankings", f"{name}={tmp_path / name}.run")]
    said = cli("interleave", log, "--method", "optimised", *given)
    assert "of the credit of a user" in said.out
    assert "Not used: 1 search of which the rankings do not say" in said.out
    assert "Balanced interleaving favours" in cli("interleave", log, "--method", "balanced", *given).out
    missing = cli("interleave", log, "--method", "balanced")
    assert (missing.code, "--rankings" in missing.err) == (2, True)


def test_values_of_queries_go_into_a_table(cli: Cli, log: Path, tmp_path: Path) -> None:
    assert "3 queries" in cli("interleave", log, "--values", tmp_path / "values.csv").err
    with (tmp_path / "values.csv").open(encoding="utf-8") as file:
        table = {row["query"]: float(row["b"]) for row in csv.DictReader(file)}
    assert table.keys() == {"q0", "q1", "q2"}
    assert all(0.5 < share <= 1 for share in table.values())
    assert cli("score", tmp_path / "values.csv").code == 0


def test_offline_metrics_stand_beside_what_users_preferred(cli: Cli, tmp_path: Path) -> None:
    """Users click the good document of each query; the ranker that has it first wins there, by RR and by clicks."""
    log = write_log(tmp_path / "log.jsonl", lambda n: "ab" if n % 2 else "ba", lambda n: 1 + (n % 2 != n // 2 % 2), 48)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    for event in events:
        event |= {"query": f"words {int(event['search'][1:]) // 2 % 8}"} if "query" in event else {}
    log.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    for place, name in enumerate("ab"):
        lines = [f"t{t} Q0 {'good' if t % 2 != place else 'bad'} 1 1 {name}" for t in range(8)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("\n".join(f"t{t} 0 good 1" for t in range(8)), encoding="utf-8")
    (tmp_path / "topics.csv").write_text(
        "\n".join(["id,query", *(f"t{t},words {t}" for t in range(8))]), encoding="utf-8"
    )
    words = ["interleave", log, "--qrels", tmp_path / "qrels.txt", "-m", "RR P@2"]
    words += [word for name in "ab" for word in ("--offline", f"{name}={tmp_path / name}.run")]
    said = cli(*words, "--topics", tmp_path / "topics.csv", "--json")
    found = {row["metric"]: row for row in rows(said.out) if "metric" in row}
    assert (found["RR"]["value"], found["RR"]["n"]) == (pytest.approx(1), 8)
    text = cli(*words, "--topics", tmp_path / "topics.csv", "--to", tmp_path / "r.html").out
    assert "Offline metrics beside what users preferred, query by query" in text
    assert "Offline metrics and users" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "--topics FILE" in cli(*words).err
    assert "--offline compares two rankers" in cli(*words[:-2]).err


def test_a_plan_compares_both_designs(cli: Cli) -> None:
    runs = ("interleave", "--plan", DOCS / "hybrid.run", DOCS / "vector.run", "--qrels", DOCS / "qrels.txt")
    said = cli(*runs, "--searches", 1000)
    assert "Interleaving needs about" in said.out
    assert "times as many" in said.out
    found = {row["design"]: row for row in rows(cli(*runs, "--searches", 1000, "--json").out)}
    assert list(found) == ["interleaving", "ab", "clicks_by_chance"]
    assert found["ab"]["searches"] > found["interleaving"]["searches"] > 10
    same = cli("interleave", "--plan", DOCS / "api.run", DOCS / "hybrid.run", "--qrels", DOCS / "qrels.txt")
    assert "needs about" in same.out


def test_run_folders_know_what_is_relevant_and_the_words_of_questions(cli: Cli, log: Path, tmp_path: Path) -> None:
    items = [Item(id=f"i{n}", query=f"q{n}", relevant={"good": 1}) for n in range(3)]
    for name, docs in {"a": ("x y good", "good x y", "y x"), "b": ("good x y", "x good y", "x good y")}.items():
        make_run(tmp_path / name, items, [make_answer(text, item.id) for text, item in zip(docs, items, strict=True)])
    plan = rows(cli("interleave", "--plan", tmp_path / "a", tmp_path / "b", "--searches", 400, "--json").out)
    assert [row["queries"] for row in plan] == [3, 3, 3]
    given = [word for name in "ab" for word in ("--offline", f"{name}={tmp_path / name}")]
    said = rows(cli("interleave", log, *given, "-m", "RR", "--json").out)
    assert said[-1]["metric"] == "RR"
    assert said[-1]["n"] == 3


def test_a_draft_of_files_is_that_of_the_library(cli: Cli, tmp_path: Path) -> None:
    said = cli("interleave", "--draft", tmp_path / "lists.csv", DOCS / "hybrid.run", DOCS / "api.run", "--length", 4)
    assert "30 queries" in said.err
    with (tmp_path / "lists.csv").open(encoding="utf-8") as file:
        table = [row for row in csv.DictReader(file) if row["query"] == "q01"]
    lists = {
        f"{name}.run": [line.split()[2] for line in (DOCS / f"{name}.run").read_text().splitlines() if "q01" in line][
            :4
        ]
        for name in ("hybrid", "api")
    }
    drafted = neraca.interleave(lists, query="q01", length=4)
    assert [row["document"] for row in table] == list(drafted.documents)
    assert {row["ranking_id"] for row in table} == {drafted.ranking_id}


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "name a log of events"),
        (("--plan",), "name two runs"),
        (("--plan", "--draft", "x.csv"), "give one of them"),
        (("LOG", "--unit", "users"), "no unit is called 'users'; did you mean user"),
        (("LOG", "--method", "teamdraft"), "did you mean team_draft"),
        (("LOG", "--rankers", "a,x"), "the log has no document from the ranker 'x'"),
        (("LOG", "--to", "report.gif"), "let the file's name end in .html"),
    ],
)
def test_what_cannot_be_done_is_said(cli: Cli, log: Path, words: tuple[str, ...], message: str) -> None:
    said = cli("interleave", *(log if word == "LOG" else word for word in words))
    assert (said.code, message in said.err) == (2, True), said.err
