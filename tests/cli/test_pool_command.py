"""`neraca pool`, as a user types it."""

import csv
import json
from pathlib import Path

import pytest
from builders import make_run
from models.llm_server import LlmServer

from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import Run

ROOT = Path(__file__).parents[2]
TREC = ROOT / "docs" / "trec"
RUNS = [TREC / f"{name}.run" for name in ("api", "hybrid", "vector")]


@pytest.fixture
def old_qrels(tmp_path):
    """Qrels made when there was the run api alone: its first ten documents of each question."""
    returned = {tuple(line.split()[0:3:2]) for line in (TREC / "api.run").read_text().splitlines()}
    lines = [line for line in (TREC / "qrels.txt").read_text().splitlines() if tuple(line.split()[0:3:2]) in returned]
    (tmp_path / "old.qrels").write_text("\n".join(lines))
    return tmp_path / "old.qrels"


def test_unjudged_documents_of_a_new_run_against_old_qrels(cli, old_qrels):
    """The rows are, for each question, the first ten documents of the run without those of the qrels."""
    told = cli("pool", TREC / "vector.run", "--qrels", old_qrels, "--depth", 10, "--json")
    assert told.code == 0, told.err
    judged = {tuple(line.split()[0:3:2]) for line in old_qrels.read_text().splitlines()}
    returned = {tuple(line.split()[0:3:2]) for line in (TREC / "vector.run").read_text().splitlines()}
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert {(row["query_id"], row["document_id"]) for row in rows} == returned - judged
    assert len(rows) == len(returned - judged) > 0
    text = cli("pool", TREC / "vector.run", "--qrels", old_qrels, "--depth", 10).out
    share = len(returned & judged) / len(returned)
    assert f"{share:.3f}" in text, "each of the 30 questions has ten documents, so the mean is the share of all"


def test_what_a_rater_fills_in_counts(cli, old_qrels, tmp_path):
    """The table goes to a rater, who gives every document 1; then nothing is left to judge."""
    table, filled = tmp_path / "pool.csv", tmp_path / "filled.csv"
    words = ("pool", *RUNS, "--qrels", old_qrels)
    assert cli(*words, "--out", table).code == 0
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    with filled.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "grade": "1"} for row in rows)
    told = cli(*words, "--qrels", filled, "--to-qrels", tmp_path / "new.qrels")
    assert "To judge (depth): 0 documents." in told.out
    assert (tmp_path / "new.qrels").read_text().count(" -1\n") == 0
    scored = cli("trec", tmp_path / "new.qrels", *RUNS, "-m", "Judged@10", "--json")
    assert {json.loads(line)["value"] for line in scored.out.splitlines()} == {1}


def test_what_is_not_judged_on_the_pools_own_qrels_is_what_the_pool_says(cli, old_qrels, tmp_path):
    """Documents of the pool that nobody judged have the grade -1 there, which is no judgment."""
    pool, scored = tmp_path / "pool.qrels", {}
    told = cli("pool", *RUNS, "--qrels", old_qrels, "--to-qrels", pool)
    assert pool.read_text().count(" -1\n") == 322
    for row in map(json.loads, cli("trec", pool, *RUNS, "-m", "Judged@10", "--json").out.splitlines()):
        scored[row["run"]] = row["value"]
    assert scored["api"] > 0.98 > scored["vector"]
    for name, value in scored.items():
        assert any(name in line and f"{value:.3f}" in line for line in told.out.splitlines()), told.out


@pytest.mark.parametrize("strategy", ["rrf", "uniform", "move-to-front", "max-mean", "change"])
def test_each_strategy_chooses_that_many(cli, old_qrels, strategy):
    told = cli("pool", *RUNS, "--qrels", old_qrels, "-s", strategy, "-n", 2, "--json")
    rows = [json.loads(line) for line in told.out.splitlines()]
    per_question = [sum(row["query_id"] == name for row in rows) for name in {row["query_id"] for row in rows}]
    assert sum(per_question) == 2 if strategy == "change" else max(per_question) == 2, told.err
    assert {row["probability"] is None for row in rows} == {strategy != "uniform"}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    items = [Item(id="q", query="a house with a garden?")]
    house, flat = Hit(id="h", text="A house with a garden."), Hit(id="f", text="A flat.")
    make_run(tmp_path / "runs/new", items, [Answer(item="q", hits=(house, flat))])
    make_run(tmp_path / "runs/old", items, [Answer(item="q", hits=(flat,))])
    (tmp_path / "runs/report.html").write_text("<!doctype html>")
    return [tmp_path / "runs/new", tmp_path / "runs/old"]


def test_a_model_judges_a_pool_and_every_run_gets_its_verdicts(cli, folders):
    """The model gives the house 3 and the flat 0; so P@1 of the new run is 1, of the old one 0."""
    told = cli("pool", *folders, "runs/report.html", "--out", "pool")
    assert told.code == 0, told.err
    assert "passed over: runs/report.html" in told.err
    with LlmServer(reply=lambda call: {"reason": "so", "grade": 3 if "A house" in str(call.body) else 0}) as server:
        judge = ("judge", "pool", "--judge", "relevance", "--model", "openai:judge", "--url", server.url)
        told = cli(*judge, "--set", "price=[1, 1]", "--cache", "models.sqlite")
    assert told.code == 0, told.err
    told = cli("pool", *folders, "pool", "--return-verdicts", "--to-qrels", "all.qrels")
    assert "runs/new: 2 new verdicts" in told.err
    assert "runs/old: 1 new verdict" in told.err
    assert "2 are judged (by llm), 0 not" in told.out
    assert Path("all.qrels").read_text() == "q 0 f 0\nq 0 h 3\n"
    scored = cli("score", *folders, "-m", "P@1")
    assert "relevance by models (2 hits)" in scored.out
    rows = [json.loads(line) for line in cli("score", *folders, "-m", "P@1", "--json").out.splitlines()]
    assert [row["value"] for row in rows] == [1, 0]


def test_a_person_in_the_pool_overrules_the_model(cli, folders):
    cli("pool", *folders, "--out", "pool")
    said = [("llm:m#1", 0), ("human:ana", 1)]
    with Run("pool").writing() as pool:
        pool.add_verdicts(
            Verdict(item="q", about="hit:h", aspect="relevance", value=value, by=by) for by, value in said
        )
    told = cli("pool", *folders, "pool", "--to-qrels", "all.qrels")
    assert "1 is judged (by human), 1 not" in told.out
    assert Path("all.qrels").read_text() == "q 0 f -1\nq 0 h 1\n"


@pytest.mark.parametrize(
    "words, message",
    [
        (["--return-verdicts"], "needs the folder of a pool"),
        (["--out", "pool.doc"], ".doc is not written"),
        (["-s", "depht"], "did you mean depth?"),
        (["--qrels", "nowhere.qrels"], "no such file"),
    ],
)
def test_what_cannot_be_done_is_said(cli, folders, words, message):
    told = cli("pool", *folders, *words)
    assert (told.code, message in told.err) == (2, True), told.err


def filled(path, table, grades):
    """Write the table of a pool with a grade for each (query, document) of `grades`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows({**row, "grade": grades[row["query_id"], row["document_id"]]} for row in table)


def test_two_raters_judge_a_pool_from_start_to_end(cli, tmp_path):
    """The second rater says no where the first says yes in every fifth document: kappa is (0.8 - e) / (1 - e)."""
    words = ("pool", *RUNS, "--depth", 5)
    assert cli(*words, "--out", tmp_path / "pool.csv").code == 0
    table = list(csv.DictReader((tmp_path / "pool.csv").read_text(encoding="utf-8").splitlines()))
    places = [(row["query_id"], row["document_id"]) for row in table]
    ana = {place: n % 2 for n, place in enumerate(places)}
    bob = {place: 1 - grade if n % 5 == 0 else grade for n, (place, grade) in enumerate(ana.items())}
    for name, grades in (("ana", ana), ("bob", bob)):
        filled(tmp_path / f"{name}.csv", table, grades)
    files = (tmp_path / "ana.csv", tmp_path / "bob.csv")
    n, differing = len(places), sum(ana[place] != bob[place] for place in places)
    yes = [sum(grades.values()) / n for grades in (ana, bob)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    agreed = cli("agree", *files)
    assert agreed.code == 0, agreed.err
    assert f"ana ({n:,}), bob ({n:,})" in agreed.err
    assert f"Cohen's kappa is {(1 - differing / n - chance) / (1 - chance):.3f}" in " ".join(agreed.out.split())
    both = (*words, "--qrels", files[0], "--qrels", files[1])
    told = cli(*both, "--out", tmp_path / "third.csv")
    assert f"{n:,} documents are judged in several files, {differing:,} of them differently: the majority" in told.out
    assert f"{differing:,} of these have no majority and count as not judged" in told.out
    disputed = list(csv.DictReader((tmp_path / "third.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["query_id"], row["document_id"]) for row in disputed} == {p for p in places if ana[p] != bob[p]}
    assert "the majority counts" in cli(*both, "--json").err
    filled(tmp_path / "third.csv", disputed, dict.fromkeys(places, 1))
    all_files = (*both, "--qrels", tmp_path / "third.csv", "--to-qrels", tmp_path / "joint.qrels")
    assert "To judge (depth): 0 documents." in cli(*all_files).out
    joint = {
        tuple(line.split()[0:3:2]): int(line.split()[3]) for line in (tmp_path / "joint.qrels").read_text().splitlines()
    }
    assert joint == {p: 1 if ana[p] != bob[p] else ana[p] for p in places}
    assert cli("trec", tmp_path / "joint.qrels", *RUNS, "-m", "P@5").code == 0
    newest = cli(*both, "--combine", "newest", "--to-qrels", tmp_path / "newest.qrels").out
    assert "the newest word counts" in newest
    last = {
        tuple(line.split()[0:3:2]): int(line.split()[3])
        for line in (tmp_path / "newest.qrels").read_text().splitlines()
    }
    assert last == bob


def test_files_in_another_encoding_are_pooled_and_those_in_utf8_beside_them_too(cli, tmp_path):
    """The run and the qrels are in latin-1, the topics and the documents in UTF-8."""
    (tmp_path / "a.run").write_text("q Q0 dé1 1 9 a\nq Q0 dé2 2 8 a\n", encoding="latin-1")
    (tmp_path / "q.txt").write_text("q 0 dé1 1\n", encoding="latin-1")
    (tmp_path / "topics.csv").write_text("query_id,question\nq,¿Qué es?\n", encoding="utf-8")
    (tmp_path / "docs.csv").write_text("id,text\ndé2,un año\n", encoding="utf-8")
    words = ("pool", tmp_path / "a.run", "--qrels", tmp_path / "q.txt", "--topics", tmp_path / "topics.csv")
    words += ("--documents", tmp_path / "docs.csv", "--json")
    assert "another --encoding" in cli(*words).err or "not UTF-8" in cli(*words).err
    (row,) = map(json.loads, cli(*words, "--encoding", "latin-1").out.splitlines())
    assert (row["document_id"], row["question"], row["text"]) == ("dé2", "¿Qué es?", "un año")
