"""`neraca clicks`, as a user types it: logs, tables of views, users for CWL, clicks as a judge."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_verdict
from online.click_models.simulated import lists_of_pairs

from neraca.online.click_models.position_based import PositionBased
from neraca.online.continuation import read_continuation
from neraca.records import Item
from neraca.runs.run import Run

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"
QUERIES, DEPTH = 12, 4
ATTRACTION = np.tile([0.5, 0.1, 0.7, 0.2], QUERIES)


def write_log(path: Path, n: int = 2400, moved: float = 1.0) -> Path:
    """Searches with clicks by users of whom 1, 0.6, 0.4 and 0.2 look at the ranks; d000000 is the first of q0."""
    rng = np.random.default_rng(2)
    pairs = lists_of_pairs(rng, n, QUERIES, DEPTH, moved)
    clicks = PositionBased(ATTRACTION, np.array([1, 0.6, 0.4, 0.2]), np.zeros(DEPTH)).simulate(rng, pairs)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["action", "user", "session", "search", "query", "time", "rank", "shown"])
        for number, (row, clicked) in enumerate(zip(pairs.tolist(), clicks, strict=True)):
            who, time = [f"u{number}", f"s{number}", f"i{number}"], 1.7e9 + 60 * number
            shown = " ".join(f"d{pair}" for pair in row)
            writer.writerow(["search", *who, f"query {row[0] // DEPTH}", time, "", shown])
            for rank in (np.flatnonzero(clicked) + 1).tolist():
                writer.writerow(["click", *who, "", time + rank, rank, ""])
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_log(tmp_path_factory.mktemp("log") / "log.csv")


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_how_far_users_look_and_which_model_fits(cli: Cli, log: Path, tmp_path: Path) -> None:
    said = cli("clicks", log, "--model", "PBM CM", "--to", tmp_path / "users.json", "--to", tmp_path / "users.md")
    assert said.code == 0
    assert "Leído: " in cli("clicks", log, "--model", "CM", "--report-language", "es").err
    assert "Of 10 users, 10 look at rank 1, 6 at rank 2, 4 at rank 3 and 2 at rank 4 (by PBM)." in said.out
    assert "PBM predicts best (position-based model)" in said.out
    assert "Intervals are 95 %, by how much the queries differ from each other" in said.out
    users = read_continuation(tmp_path / "users.json")
    assert users.model == "PBM"
    assert users.views == pytest.approx([1, 0.6, 0.4, 0.2], abs=0.1)
    assert "# How users look and click" in (tmp_path / "users.md").read_text(encoding="utf-8")
    scored = cli("trec", DOCS / "qrels.txt", DOCS / "hybrid.run", "-m", f"CWL({tmp_path / 'users.json'})")
    assert scored.code == 0
    assert "CWL(" in scored.out


def test_machines_get_flat_rows(cli: Cli, log: Path) -> None:
    found = rows(cli("clicks", log, "--model", "DCM,DBN", "--held-out", "0", "--json").out)
    models = [row for row in found if row["row"] == "model"]
    assert {row["model"] for row in models} == {"DCM", "DBN"}
    assert {row["searches"] for row in models} == {2400}
    assert [row["impressions"] for row in found if row["row"] == "clicks"] == [2400] * 4
    assert any(row["row"] == "parameter" and row["name"] == "going_on" for row in found)


def test_a_log_in_one_order_says_how_to_learn_more(cli: Cli, tmp_path: Path) -> None:
    fixed = write_log(tmp_path / "fixed.csv", 300, moved=0)
    alone = cli("clicks", fixed, "--model", "PBM")
    assert alone.code == 2
    assert "swap two neighbours" in alone.err
    several = cli("clicks", fixed, "--model", "PBM DCM")
    assert several.code == 0
    assert "PBM could not be fitted: no clicked document was shown at two ranks" in several.out


def test_a_table_of_views_alone(cli: Cli, tmp_path: Path) -> None:
    table = tmp_path / "views.csv"
    looks = [f"s{n},{rank},{int(n < 10 - 3 * rank)}" for n in range(10) for rank in (1, 2)]
    table.write_text("\n".join(["session,rank,seen", *looks]), encoding="utf-8")
    said = cli("clicks", "--views", table, "--to", tmp_path / "users.json")
    assert said.code == 0
    assert "Of 10 users, 7 look at rank 1 and 4 at rank 2 (by the table of views)." in said.out
    users = read_continuation(tmp_path / "users.json")
    assert (users.views, users.unit, users.n) == ([0.7, 0.4], "sessions", 10)
    assert users.continuation == pytest.approx([4 / 7], abs=1e-6)


def test_all_is_said_in_the_language_of_the_report(cli: Cli, tmp_path: Path) -> None:
    views = tmp_path / "views.csv"
    views.write_text("session,rank,seen\n" + "".join(f"s{n},1,1\ns{n},2,{n % 2}\n" for n in range(8)))
    page = tmp_path / "usuarios.html"
    printed = cli("clicks", "--views", views, "--to", page, "--report-language", "es")
    assert printed.code == 0
    assert "De 10 usuarios, 10 miran la posición 1 y 5 la posición 2 (según la tabla de vistas)." in printed.out
    assert "<h1" in (written := page.read_text(encoding="utf-8"))
    assert "Cómo miran y hacen clic los usuarios" in written
    refused = cli("clicks", "--views", views, "--report-language", "fr")
    assert (refused.code, refused.out) == (2, "")
    assert "one of en, id, es, not 'fr'" in refused.err


def test_both_stand_beside_each_other(cli: Cli, log: Path, tmp_path: Path) -> None:
    table = tmp_path / "views.csv"
    table.write_text("session,rank,seen\na,1,1\na,2,1\nb,1,1\nb,2,0\n", encoding="utf-8")
    found = cli("clicks", log, "--model", "PBM", "--views", table, "--to", tmp_path / "users.html", "--wide")
    assert "looked at (PBM)" in found.out
    assert "looked at (views)" in found.out
    assert "<svg" in (tmp_path / "users.html").read_text(encoding="utf-8")
    by_model: dict[str, list[int]] = {}
    for row in rows(cli("clicks", log, "--model", "PBM", "--views", table, "--json").out):
        if row["row"] == "rank":
            by_model.setdefault(row["model"], []).append(row["rank"])
    assert by_model == {"PBM": [1, 2, 3, 4], "views": [1, 2]}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Three questions, two of which are in the log; a person agrees with clicks on two of three hits."""
    items = [Item(id="1", query="Query 0"), Item(id="2", query="query  1"), make_item("3")]
    answers = [make_answer("d1 d2", "1"), make_answer("d6 d5", "2"), make_answer("x", "3")]
    verdicts = [make_verdict("d1", "relevance", 0, "human:Ana"), make_verdict("d2", "relevance", 1, "human:Ana")]
    verdicts += [make_verdict("d6", "relevance", 0, "human:Ana", "2")]
    return make_run(tmp_path / "run", items, answers, verdicts)


@pytest.mark.parametrize("how", ["coec", "pbm"])
def test_clicks_judge_a_run(cli: Cli, log: Path, run: Run, tmp_path: Path, how: str) -> None:
    """d0 and d2 attract more than the mean of 3/8, d1 and d3 less; so do d4 and d6, and not d5 and d7."""
    words = ("clicks", log, "--model", "PBM", "--judge", run.path, "--by-model", how, "--qrels", tmp_path / "q.txt")
    said = cli(*words)
    assert said.code == 0
    assert f"8 verdicts by clicks:{how} on 2 questions, 8 new; 1 question nobody searched for" in said.out
    values = {verdict.about: verdict.value for verdict in run.verdicts() if verdict.by == f"clicks:{how}"}
    assert values == {f"hit:d{n}": float(n in (0, 2, 4, 6)) for n in range(8)}
    assert (tmp_path / "q.txt").read_text().splitlines()[:3] == ["query_0 0 d0 1", "query_0 0 d1 0", "query_0 0 d2 1"]
    assert "8 verdicts by" in cli(*words).out
    by_clicks = rows(cli("score", run.path, "-m", "P@1", "--relevance", "clicks", "--json").out)
    assert [(row["value"], row["n"]) for row in by_clicks if row["metric"] == "P@1"] == [(0.5, 2)]
    beside = rows(cli("agree", run.path, "--judges", "clicks human", "--json").out)
    assert beside[0]["n"] == 3
    assert beside[0]["agreement"] == pytest.approx(2 / 3)


def test_verdicts_that_no_longer_hold_are_withdrawn(cli: Cli, log: Path, run: Run) -> None:
    cli("clicks", log, "--model", "PBM", "--judge", run.path)
    said = cli("clicks", log, "--model", "PBM", "--judge", run.path, "--least", "1000000", "--json")
    row = next(row for row in rows(said.out) if row["row"] == "judge")
    assert (row["verdicts"], row["too_few"], row["new_verdicts"]) == (0, 8, 8)
    assert "nobody in the log searched for one of its questions" in said.err
    assert {verdict.status for verdict in run.verdicts() if verdict.by == "clicks:coec"} == {"withdrawn"}


def test_other_ids_in_the_log_are_noticed(cli: Cli, log: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "other", [Item(id="1", query="query 0")], [make_answer("doc-1 doc-2", "1")])
    said = cli("clicks", log, "--model", "PBM", "--judge", run.path)
    assert "no hit has the id of a document of the log ('doc-1', in the log 'd0')" in said.err


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "name a log of clicks, or a table of views with --views"),
        (("log.csv", "--model", "PBN"), "no click model is called 'PBN'; did you mean PBM"),
        (("log.csv", "--by-model", "ctr"), "--by-model is coec or pbm, not 'ctr'"),
        (("log.csv", "--to", "users.gif"), "cannot tell the format"),
        (("--views", "v.csv", "--judge", "run"), "--judge and --qrels need a log of clicks"),
        (("log.csv", "--depth", "1"), "--depth must be from 2 to 60"),
    ],
)
def test_wrong_use_says_what_to_do(
    cli: Cli, log: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(log.parent)
    said = cli("clicks", *words)
    assert said.code == 2
    assert message in said.err
