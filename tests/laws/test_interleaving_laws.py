"""Laws of interleaving: pages are parts of one list; notation and order change no result."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.online.interleaving.click_credit import click_credit
from neraca.online.interleaving.method import METHODS
from neraca.online.interleaving.sensitivity import PlanOptions, plan_interleaving
from neraca.online.search_log import search_log

DRAWN = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS = st.integers(0, 10**6)
#: How often `probabilistic` opens the next documents of each ranking; other methods have no such number.
DEPTH = 10
PAGED = ["team_draft", "probabilistic", "probabilistic(tau=1)", "balanced"]


def draw_rankings(chance, most=35, rankers="ab"):
    """Draw rankings of some of forty documents, of unequal lengths."""
    documents = [f"d{n}" for n in range(40)]
    return {name: chance.sample(documents, chance.randrange(most + 1)) for name in rankers}


@pytest.mark.parametrize("method", PAGED)
@DRAWN
@given(SEEDS)
def test_pages_joined_are_one_long_list_however_long_the_lists_of_the_rankers_are(method, seed):
    chance = random.Random(seed)
    rankings, user = draw_rankings(chance), str(seed)
    whole = neraca.interleave(rankings, query="q", user=user, method=method, length=70)
    assert len(set(whole.documents)) == len(whole.documents) == len({*rankings["a"], *rankings["b"]})
    start, documents, teams = 0, [], []
    while start < 70:
        length = chance.randrange(1, 25)
        needed = -(-(start + length) // DEPTH) * DEPTH + chance.randrange(5)
        cut = {name: ranking[:needed] for name, ranking in rankings.items()}
        page = neraca.interleave(cut, query="q", user=user, method=method, length=length, start=start)
        documents += page.documents
        teams += page.teams
        assert page.ranking_id == whole.ranking_id
        start += length
    assert (tuple(documents), tuple(teams)) == (whole.documents, whole.teams)


@pytest.mark.parametrize("method", METHODS.names())
@DRAWN
@given(SEEDS)
def test_the_order_of_the_rankers_in_the_dictionary_changes_nothing(method, seed):
    rankings = draw_rankings(random.Random(seed), most=8)
    turned = dict(reversed(rankings.items()))
    drafts = [neraca.interleave(lists, query="q", user=str(seed), method=method) for lists in (rankings, turned)]
    assert drafts[0] == drafts[1]


@pytest.mark.parametrize("method", METHODS.names())
def test_the_order_of_the_rankers_turns_the_sign_of_a_plan_and_nothing_else(method):
    chance = random.Random(1)
    rankings = {name: {f"q{n}": chance.sample("uvwxyz", 4) for n in range(9)} for name in ("old", "new")}
    grades = {f"q{n}": {document: float(document in "uv") for document in "uvwxyz"} for n in range(9)}
    options = PlanOptions(method=method, searches=300, length=4)
    there, back = (plan_interleaving(lists, grades, options) for lists in (rankings, dict(reversed(rankings.items()))))
    for name in ("interleaving", "ab", "chance"):
        ahead, behind = getattr(there, name), getattr(back, name)
        assert ahead.effect == pytest.approx(-behind.effect)
        assert (ahead.searches, ahead.at_least) == (behind.searches, behind.at_least)


def draw_log(seed):
    """Draw searches with three documents shown, some of no team, and a click on each of some."""
    chance = random.Random(seed)
    events = []
    for n in range(30):
        search = {"user": f"u{n % 7}", "search": f"s{n}", "time": 1.7e9 + 60 * n}
        teams = [chance.choice(["a", "b", ""]) for _ in range(3)]
        shown = [f"d{n} {place}" for place in range(3)]
        events.append(
            {"action": "search", "query": f"q{n % 5}", "shown": shown, "teams": teams, "rank": None, **search}
        )
        events += [
            {"action": "click", "query": None, "shown": None, "teams": None, **search, "rank": rank}
            for rank in (1, 2, 3)
            if chance.random() < 0.4
        ]
    return events


def with_teams(events, write, both=False):
    """Return the events with each list of teams (`both`: also of documents) in another notation."""
    names = ("teams", "shown") if both else ("teams",)
    return [event | {name: write(event[name]) for name in names if event[name] is not None} for event in events]


def write_csv(path: Path, events) -> Path:
    """Write events as CSV; lists must be texts."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, events[0].keys(), restval="")
        writer.writeheader()
        writer.writerows(events)
    return path


def write_jsonl(path: Path, events) -> Path:
    """Write events as JSON Lines."""
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    return path


def nulls(teams):
    """Write no team as null."""
    return [team or None for team in teams]


@pytest.mark.parametrize("seed", range(3))
def test_every_notation_of_no_team_is_the_same_log(tmp_path, seed):
    """The library writes "" for a document of no team; null, None and nothing between two commas mean it, too."""
    events = draw_log(seed)
    with_nulls = with_teams(events, nulls)
    logs = [
        write_jsonl(tmp_path / "lists.jsonl", events),
        write_jsonl(tmp_path / "nulls.jsonl", with_nulls),
        write_jsonl(tmp_path / "texts.jsonl", with_teams(with_nulls, json.dumps, both=True)),
        write_csv(tmp_path / "json.csv", with_teams(events, json.dumps, both=True)),
        write_csv(tmp_path / "python.csv", with_teams(with_nulls, str, both=True)),
        write_jsonl(tmp_path / "commas.jsonl", with_teams(events, ",".join)),
        tmp_path / "lists.parquet",
        tmp_path / "nulls.parquet",
    ]
    for name, rows in {"lists": events, "nulls": with_nulls}.items():
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / f"{name}.parquet")
    credits = [click_credit(search_log(log), rankers=["a", "b"]) for log in logs]
    searches = sum(any(event["teams"] or ()) for event in events)  # one whose documents are all of no team is left out
    assert 28 <= searches <= 30
    assert [len(credit) for credit in credits] == [searches] * len(logs)
    for name in ("credit", "drafted", "first", "clicks"):
        first, *others = (getattr(credit, name).tolist() for credit in credits)
        assert others == [first] * len(others)
