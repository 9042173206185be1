"""`neraca rate`: pages and tables out, ratings in, a rater's table by itself."""

import json
from pathlib import Path

import openpyxl
import pytest
from builders import make_run

from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item
from neraca.runs.run import Run

ITEMS = [Item(id="q1", query="houses?", tags={"category": "place"}), Item(id="q2", query="a warehouse?")]


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hits = tuple(Hit(id=f"d{n}", text=f"house {n}") for n in range(3))
    make_run(tmp_path / "runs/api", ITEMS, [Answer(item="q1", text="by api", hits=hits), Answer(item="q2")])
    make_run(tmp_path / "runs/vector", ITEMS, [Answer(item="q1", text="two", hits=hits[1:]), Answer(item="q2")])
    (tmp_path / "runs/report.html").write_text("no run")
    return ["runs/api", "runs/vector"]


def task(run, query):
    return next(one for one in RatingTasks.of([Run(run)]).tasks if one.query == query)


def test_a_page_warns_where_a_system_names_itself(cli, runs):
    told = cli("rate", *runs, "--page", "rating.html", "--language", "id", "--guideline", "Jujurlah")
    assert told.code == 0, told.err
    assert "rating.html: 3 answers to rate" in told.out
    assert "the name 'api' occurs in what a system itself wrote" in told.err
    assert "Jujurlah" in Path("rating.html").read_text(encoding="utf-8")


def test_a_template_is_filled_in_and_taken_in_again(cli, runs):
    """RR by hand: first relevant at rank 2 of api."""
    assert cli("rate", *runs, "--template", "rating.xlsx").code == 0
    book = openpyxl.load_workbook("rating.xlsx")
    head = {cell.value: cell.column for cell in book.active[1]}
    for row in book.active.iter_rows(min_row=2):
        if row[head["results_count"] - 1].value == 3:
            row[head["ratings"] - 1].value = "0;1;0"
            row[head["response_quality"] - 1].value = "4,0"
        if row[head["results_count"] - 1].value == 0:
            row[head["notes"] - 1].value = "No data exists; I know the place"
    book.save("ratings-budi.xlsx")
    told = cli("rate", "import", "ratings-budi.xlsx")
    assert told.code == 0, told.err
    assert "2 answers rated by budi, 10 new verdicts" in told.out, "5 hits, a quality, expects and a note twice"
    assert "0 new verdicts" in cli("rate", "import", "ratings-budi.xlsx").out
    rows = [
        json.loads(line) for line in cli("score", *runs, "-m", "RR Success", "--by", "human", "--json").out.splitlines()
    ]
    values = {(row["run"], row["metric"]): row["value"] for row in rows}
    assert values["api", "RR"] == 1 / 2
    assert values["vector", "RR"] == 1, "the same house stands first there"
    assert values["api", "Success"] == 1


def test_counts_alone_become_verdicts_on_the_answer(cli, runs):
    Path("ana.csv").write_text(
        "query_id,question,results_count,relevant_count,first_relevant_rank,precision_at_5,response_quality\n"
        "1,houses?,3,1,3,0.2,3\n",
        encoding="utf-8",
    )
    told = cli("rate", "import", "ana.csv", "--run", "runs/api", "--rater", "Ana B")
    assert "1 answers rated by Ana B" in told.out
    verdicts = {v.aspect: v.value for v in Run("runs/api").verdicts() if v.by == "human:Ana B"}
    assert verdicts == pytest.approx(
        {"relevant_count": 1, "first_relevant_rank": 3, "overall_precision": 1 / 3, "precision_at_5": 0.2, "mrr": 1 / 3,
         "success": 1, "quality": 3}
    )  # fmt: skip


def test_what_is_wrong_is_told_line_by_line_and_the_rest_is_taken(cli, runs):
    key = task("runs/api", "houses?").id
    Path("ana.csv").write_text(
        f"query_id,answer,results_count,ratings,response_quality\n1,{key},3,1;0,2\n9,unknown,1,1,5\n", encoding="utf-8"
    )
    told = cli("rate", "import", "ana.csv")
    assert "line 2: 2 ratings for 3 results; only quality and note are taken" in told.err
    assert "line 3: '9' is no answer of these runs" in told.err
    assert [v.aspect for v in Run("runs/api").verdicts()] == ["quality"]


def test_broken_json_and_ratings_of_other_runs(cli, runs):
    Path("a.json").write_text('{"neraca": "ratings"', encoding="utf-8")
    assert "no file of ratings" in cli("rate", "import", "a.json").err
    other = {"id": "1", "task": "elsewhere", "on": "quality", "value": 3}
    Path("b.json").write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "x", "ratings": [other]}))
    told = cli("rate", "import", "b.json")
    assert told.code == 2
    assert "rating 1: a rating of 'elsewhere', which is no answer of these runs" in told.err
    assert "name the runs that were rated with --run" in told.err


def test_a_newer_word_is_not_undone_by_an_older_file(cli, runs):
    key = task("runs/api", "houses?").id

    def say(value, at):
        one = {"id": at, "task": key, "on": "quality", "value": value, "at": at}
        Path("a.json").write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "x", "ratings": [one]}))
        assert cli("rate", "import", "a.json").code == 0

    say(5, "2026-02-01T00:00:00.000Z")
    say(1, "2026-01-01T00:00:00.000Z")
    assert [v.value for v in Run("runs/api").verdicts()] == [5]
    say(2, "2026-03-01T00:00:00.000Z")
    assert [v.value for v in Run("runs/api").verdicts()] == [2]


def test_a_table_alone(cli, tmp_path):
    (tmp_path / "ana.csv").write_text(
        "query_id,category,results_count,relevant_count,first_relevant_rank,response_quality\n1,a,5,4,1,4\n2,b,0,0,,0\n"
    )
    rows = [json.loads(line) for line in cli("rate", "score", tmp_path / "ana.csv", "--json").out.splitlines()]
    overall = {row["measure"]: (row["value"], row["n"]) for row in rows if not row["group"]}
    assert overall["precision_at_5"] == (0.8, 1)
    assert overall["coverage"] == (0.5, 2)
    assert {row["group"] for row in rows} == {"", "category=a", "category=b"}
    assert "by category" in cli("rate", "score", tmp_path / "ana.csv").out


@pytest.mark.parametrize(
    "words, told",
    [
        (("import",), "name the files to take in"),
        (("score",), "name one table"),
        (("runs/api", "--page", "x.html", "--grades", "3"), "a hit has 2 or 4 grades, not 3"),
        (("runs/api", "--page", "x.html", "--language", "xx"), "the page is written in en, id, es, ar"),
    ],
)
def test_wrong_usage(cli, runs, words, told):
    said = cli("rate", *words)
    assert said.code == 2
    assert told in said.err
