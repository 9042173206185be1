"""`neraca rate`: pages and tables out, ratings in, a rater's table by itself."""

import csv
import json
import re
from pathlib import Path

import openpyxl
import pytest
from builders import make_run

from neraca.people.assignment import rate_answers
from neraca.people.pair_task import PairTasks
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
    assert "rating.html: 3 different answers of 2 runs to rate" in told.out
    assert "the name 'api' occurs in answers of a system" in told.err
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


def test_each_row_of_a_template_has_its_answer_in_a_text_without_systems(cli, tmp_path, monkeypatch):
    """Two answers to one question with as many results differ by their label, in both files and in one order."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("zanzibar", "first text"), ("quokka", "second text")):
        hits = (Hit(id=f"{name}-1", fields={"price": name[0]}), Hit(id=f"{name}-2"))
        make_run(tmp_path / name, ITEMS, [Answer(item="q1", text=text, hits=hits), Answer(item="q2")])
    told = cli("rate", "zanzibar", "quokka", "--template", "t.csv")
    assert "t-answers.txt: what each quality means, and the answers in full, by the same labels in" in told.out
    rows = list(csv.DictReader(Path("t.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["label"], row["query_id"]) for row in rows] == [("1a", "q1"), ("1b", "q1"), ("2a", "q2")]
    assert {row["answer_text"] for row in rows[:2]} == {"first text", "second text"}
    text = Path("t-answers.txt").read_text(encoding="utf-8")
    assert not re.search("zanzibar|quokka", text)
    assert re.findall(r"--- answer (\w+) ---", text) == ["1a", "1b", "2a"]
    parts = dict(zip(("1a", "1b", "2a"), re.split(r"--- answer \w+ ---", text)[1:], strict=True))
    for row in rows[:2]:
        shown = next(one for one in RatingTasks.of([Run("zanzibar"), Run("quokka")]).tasks if one.id == row["answer"])
        assert shown.text in parts[row["label"]]
        assert f"price: {shown.hits[0].fields['price']}" in parts[row["label"]]
    assert "(no results)" in parts["2a"]
    assert cli("report", "zanzibar", "quokka", "--to", "responses.txt").code == 0
    quality, _, answers = text.partition("\n\n")
    assert Path("responses.txt").read_text(encoding="utf-8").strip() == answers.strip(), (
        "the same labels, and no system"
    )
    assert quality.splitlines() == [
        "Quality of the answer (response_quality)",
        "   Results", "    5  all fit", "    4  over 70 % fit", "    3  half or more fit", "    2  under half fit",
        "    1  none fits", "    0  error or nothing",
        "   Nothing was found.", "    5  right: nothing exists", "    4  right: nothing exists, but badly explained",
        "    3  partly right: only similar things exist", "    2  wrong: something exists", "    1  wrong: much exists",
        "    0  an error",
    ]  # fmt: skip
    assert cli("rate", "zanzibar", "--template", "t.csv", "--language", "es", "--scale", "1=mala;2=buena").code == 0
    text = Path("t-answers.txt").read_text(encoding="utf-8")
    assert text.startswith("Calidad de la respuesta (response_quality)\n    2  buena\n    1  mala\n\n1. ")
    assert cli("report", "zanzibar", "quokka", "--to", "answers.txt").code == 0
    by_system = Path("answers.txt").read_text(encoding="utf-8")
    label_of_first = next(row["label"] for row in rows if row["answer_text"] == "first text")
    assert f"--- zanzibar, answer {label_of_first} ---\n   first text" in by_system
    assert by_system.count("answer 2a ---") == 2, "one label for equal answers"


def test_counts_alone_become_verdicts_on_the_answer(cli, runs):
    Path("ana.csv").write_text(
        "query_id,question,results_count,relevant_count,first_relevant_rank,precision_at_5,response_quality\n"
        "1,houses?,3,1,3,0.2,3\n",
        encoding="utf-8",
    )
    told = cli("rate", "import", "ana.csv", "--run", "runs/api", "--rater", "Ana B")
    assert "1 answer rated by Ana B" in told.out
    verdicts = {v.aspect: v.value for v in Run("runs/api").verdicts() if v.by == "human:Ana B"}
    assert verdicts == pytest.approx(
        {"relevant_count": 1, "first_relevant_rank": 3, "overall_precision": 1 / 3, "precision_at_5": 0.2, "mrr": 1 / 3,
         "success": 1, "quality": 3}
    )  # fmt: skip


def test_what_is_wrong_is_told_line_by_line_and_the_rest_is_taken(cli, runs):
    key = task("runs/api", "houses?").id
    Path("ana.csv").write_text(
        "query_id,answer,results_count,ratings,success,mrr,response_quality,rated_at\n"
        f"1,{key},1,1;0,0,0.5,2,2026-01-01\n"
        "9,unknown,1,1,0,yes,5,2026-01-01\n",
        encoding="utf-8",
    )
    told = cli("rate", "import", "ana.csv")
    first, second, *others = told.err.splitlines()  # one message for a line, which says what becomes of it
    assert first == "neraca: ana.csv line 2: 2 ratings for 3 results; only quality and note are taken"
    assert second.startswith("neraca: ana.csv line 3: '9' is no answer of these runs")
    assert (others, "2 problems" in told.out) == ([], True)
    assert [v.aspect for v in Run("runs/api").verdicts()] == ["quality"]


def test_broken_json_and_ratings_of_other_runs(cli, runs):
    Path("a.json").write_text('{"neraca": "ratings"', encoding="utf-8")
    assert "not a file of ratings" in cli("rate", "import", "a.json").err
    other = {"id": "1", "task": "elsewhere", "on": "quality", "value": 3}
    Path("b.json").write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "x", "ratings": [other]}))
    told = cli("rate", "import", "b.json")
    assert told.code == 2
    assert "rating 1: a rating of 'elsewhere', which is no answer of these runs" in told.err
    assert "name the runs that were rated" in told.err
    assert "nothing was imported from b.json; see above" in told.err


def test_a_newer_word_is_not_undone_by_an_older_file(cli, runs):
    key = task("runs/api", "houses?").id

    def import_rating(value, at):
        one = {"id": at, "task": key, "on": "quality", "value": value, "at": at}
        Path("a.json").write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "x", "ratings": [one]}))
        assert cli("rate", "import", "a.json").code == 0

    import_rating(5, "2026-02-01T00:00:00.000Z")
    import_rating(1, "2026-01-01T00:00:00.000Z")
    assert [v.value for v in Run("runs/api").verdicts()] == [5]
    import_rating(2, "2026-03-01T00:00:00.000Z")
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
        (("import",), "name the files to import"),
        (("score",), "name one table"),
        (("runs/api", "--page", "x.html", "--grades", "11"), "a hit has 2 to 10 grades, not 11"),
        (("runs/api", "--page", "x.html", "--language", "xx"), "the page is written in en, id, es, ar"),
    ],
)
def test_wrong_usage(cli, runs, words, told):
    said = cli("rate", *words)
    assert said.code == 2
    assert told in said.err


@pytest.fixture
def phases(tmp_path, monkeypatch):
    """Two phases of a study, whose runs returned the same documents, and the same answer to q1."""
    monkeypatch.chdir(tmp_path)
    hits = tuple(Hit(id=f"d{n}", text=f"house {n}") for n in range(3))
    for phase, text in (("1", "old"), ("2", "new")):
        answers = [Answer(item="q1", text="same", hits=hits), Answer(item="q2", text=text, hits=hits[:2])]
        made = make_run(tmp_path / f"study/phase{phase}/api", ITEMS, answers)
        made.update(run=f"run of phase {phase}")
    return "study/phase1/api", "study/phase2/api"


def page_of(run, rater="ani", **changes):
    """What the page of a run saves when every hit is called relevant, and every answer gets 4."""
    work = rate_answers(RatingTasks.of([Run(run)]))
    said = [
        {"id": f"{task.id} {on}", "task": task.id, "on": on, "value": value, "at": "2026-01-01T10:00:00.000Z"}
        for task in work.tasks
        for on, value in [("quality", 4), *((f"hit:{hit.key}", 1) for hit in task.hits)]
    ]
    return {
        "neraca": "ratings",
        "v": 1,
        "rater": rater,
        "set": work.set,
        "runs": work.run_keys,
        "ratings": said,
    } | changes


def save(name, saved):
    Path(name).write_text(json.dumps(saved), encoding="utf-8")


def human(run):
    return [one for one in Run(run).verdicts() if one.by.startswith("human:")]


def test_ratings_come_only_into_the_runs_that_the_page_was_made_for(cli, phases):
    """By hand: in each phase two grades of quality, three hits of q1 and two of q2."""
    one, two = phases
    save("ratings-ani.json", page_of(two))
    told = cli("rate", "import", "ratings-ani.json")
    assert told.code == 0, told.err
    assert told.out.splitlines() == [
        "ratings-ani.json: 2 answers rated by ani, 7 new verdicts",
        "  study/phase2/api: 7 new verdicts",
    ]
    assert (len(human(one)), len(human(two))) == (0, 7)
    named = cli("rate", "import", "ratings-ani.json", "--run", one)
    assert named.code == 2
    assert (
        "its ratings were made for 1 other run, of which none is study/phase1/api. These gave 4 of the rated answers"
        in named.err
    )
    assert "--also" in named.err
    both = cli("rate", "import", "ratings-ani.json", "--run", one, "--run", two)
    assert f"it was not made for {one}, which gets nothing; --also {one} imports it" in both.err
    assert human(one) == []
    more = cli("rate", "import", "ratings-ani.json", "--also", one)
    old, new = more.out.splitlines()[1:]
    assert (old, new) == ("  study/phase2/api: 0 new verdicts, 7 confirmed", "  study/phase1/api: 6 new verdicts")
    assert len(human(one)) == 6, "its q1 with quality, and the same two documents of q2"


def test_a_file_that_does_not_say_its_runs_is_not_spread_over_phases(cli, phases):
    one, two = phases
    save("ratings-ani.json", page_of(two, runs=[]))
    told = cli("rate", "import", "ratings-ani.json")
    assert told.code == 2
    assert "it does not name the rated runs, and runs of 2 folders returned the same answers" in told.err
    assert human(one) == human(two) == []
    assert cli("rate", "import", "ratings-ani.json", "--run", two).code == 0
    assert (len(human(one)), len(human(two))) == (0, 7)
    only = page_of(two, runs=[], rater="beni")
    only["ratings"] = [r for r in only["ratings"] if r["task"] == task(two, "a warehouse?").id and r["on"] == "quality"]
    save("ratings-beni.json", only)
    assert cli("rate", "import", "ratings-beni.json").code == 0, "only phase 2 gave this answer"
    assert (len(human(one)), len(human(two))) == (0, 8)


def test_a_template_says_its_runs(cli, phases):
    one, two = phases
    assert cli("rate", two, "--template", "ratings-ani.csv").code == 0
    text = Path("ratings-ani.csv").read_text(encoding="utf-8")
    Path("ratings-ani.csv").write_text(text.replace(",;;,", ",1;1;0,"), encoding="utf-8")
    assert "1;1;0" in Path("ratings-ani.csv").read_text(encoding="utf-8")
    assert cli("rate", "import", "ratings-ani.csv").code == 0
    assert (len(human(one)), len(human(two))) == (0, 3)


def test_a_second_download_is_asked_about_and_is_no_second_person(cli, phases):
    _, two = phases
    save("ratings-ani.json", page_of(two))
    save("ratings-ani (1).json", page_of(two))
    assert "by ani, 7 new verdicts" in cli("rate", "import", "ratings-ani.json").out
    assert "by ani, 0 new verdicts" in cli("rate", "import", "ratings-ani (1).json").out, "the file says whose it is"
    lines = [
        "query_id,question,results_count,ratings,response_quality",
        "1,houses?,3,1;1;1,4",
        "2,a warehouse?,2,1;1,4",
    ]
    Path("ratings-ani (1).csv").write_text("\n".join(lines), encoding="utf-8")
    asked = cli("rate", "import", "ratings-ani (1).csv", "--run", two)
    assert asked.code == 2
    assert "it names no rater, and" in asked.err
    assert "--rater 'ani'" in asked.err
    assert "0 new verdicts" in cli("rate", "import", "ratings-ani (1).csv", "--run", two, "--rater", "ani").out
    told = cli("rate", "import", "ratings-ani (1).csv", "--run", two, "--rater", "ani (1)")
    assert "ani and ani (1) gave alike all 7 verdicts of ani" in told.err
    named = [lines[0] + ",rater", lines[1] + ",ani", lines[2] + ",ani"]
    Path("ratings-ani (2).csv").write_text("\n".join(named), encoding="utf-8")
    assert "by ani, 0 new verdicts" in cli("rate", "import", "ratings-ani (2).csv", "--run", two).out
    Path("both.csv").write_text("\n".join([named[0], named[1], lines[2] + ",beni"]), encoding="utf-8")
    assert "its column rater names ani, beni" in cli("rate", "import", "both.csv", "--run", two).err


def rater_table(name, sessions=0):
    """Three results of which two are relevant, then one of one, 45 times; with `sessions` so many of them."""
    lines = ["query_id,results_count,relevant_count,first_relevant_rank" + ",session" * bool(sessions)]
    for n in range(90):
        said = "3,2,1" if n < 45 else "1,1,1"
        lines.append(f"{n + 1},{said}" + f",s{n * sessions // 90}" * bool(sessions))
    Path(name).write_text("\n".join(lines), encoding="utf-8")


def precision(cli, *words):
    rows = [json.loads(line) for line in cli("rate", "score", *words, "--json").out.splitlines()]
    return next(row for row in rows if row["measure"] == "precision_at_5" and not row["group"])


def test_precision_is_divided_by_five_or_by_what_was_returned(cli, tmp_path, monkeypatch):
    """By hand: of 5 it is (2 / 5 + 1 / 5) / 2 = 0.3; of what was returned (2 / 3 + 1 / 1) / 2 = 0.8333."""
    monkeypatch.chdir(tmp_path)
    rater_table("ani.csv")
    assert precision(cli, "ani.csv")["value"] == pytest.approx(0.3)
    assert precision(cli, "ani.csv", "--of", "returned")["value"] == pytest.approx(5 / 6)
    assert "Precision at 5 is divided by 5." in cli("rate", "score", "ani.csv").out
    words = " ".join(cli("rate", "score", "ani.csv", "--of", "returned").out.split())
    assert "Precision at 5 is divided by the number of results, at most 5." in words
    wrong = cli("rate", "score", "ani.csv", "--of", "found")
    assert (wrong.code, "not 'found'" in wrong.err) == (2, True)
    Path("said.csv").write_text("results_count,relevant_count,precision_at_5\n2,2,1\n", encoding="utf-8")
    assert "the counts give 0.4" not in cli("rate", "score", "said.csv", "--of", "returned").err
    Path("high.csv").write_text("results_count,response_quality\n2,9\n", encoding="utf-8")
    high = cli("rate", "score", "high.csv")
    assert (high.code, "response_quality is 9, which is out of its range" in high.err) == (3, True)


def test_answers_of_one_session_are_one_source_of_chance(cli, tmp_path, monkeypatch):
    """In nine sessions of ten each the halves hang together: the interval is that of nine means, by Student's t.

    The session means of P@5 are 0.4 four times, 0.3 and 0.2 four times: mean 0.3, standard deviation
    sqrt(8 * 0.01 / 8) = 0.1, and t(0.975; 8) = 2.306, so that the half-width is 2.306 * 0.1 / 3 = 0.0769.
    """
    monkeypatch.chdir(tmp_path)
    rater_table("alone.csv")
    rater_table("nine.csv", sessions=9)
    rater_table("one.csv", sessions=1)
    nine = precision(cli, "nine.csv")
    assert (nine["low"], nine["high"]) == pytest.approx((0.3 - 0.0769, 0.3 + 0.0769), abs=2e-4)
    alone = precision(cli, "alone.csv")
    assert alone["high"] - alone["low"] < (nine["high"] - nine["low"]) / 3
    told = " ".join(cli("rate", "score", "nine.csv").out.split())
    assert "One observation in the intervals: all questions of one session" in told
    assert "the table has no column session" in " ".join(cli("rate", "score", "alone.csv").out.split())
    Path("empty.csv").write_text("query_id,results_count,ratings,session\n1,1,1,\n2,1,0,\n", encoding="utf-8")
    assert "the column session of the table is empty" in " ".join(cli("rate", "score", "empty.csv").out.split())
    one = precision(cli, "one.csv", "--unit", "session")
    assert (one["low"], one["high"]) == (None, None), "of one source of chance there is no interval"
    said = " ".join(cli("rate", "score", "one.csv").out.split())
    assert "because all are of one session" in said
    assert "intervals are too narrow" in said


def test_only_the_questions_that_a_plan_drew_are_rated(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items = [Item(id=f"q{n}", query=f"question {n}?") for n in range(4)]
    make_run(tmp_path / "run", items, [Answer(item=item.id, text=f"answer to {item.id}") for item in items])
    Path("plan.csv").write_text("item,draw,stratum\nq0,,a\nq1,2,a\nq2,,b\nq3,1,b\n")
    told = cli("rate", "run", "--page", "page.html", "--sample", "plan.csv")
    assert "page.html: 2 different answers of 1 run to rate" in told.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert [f"answer to q{n}" in page for n in range(4)] == [False, True, False, True]
    Path("other.csv").write_text("item,draw,stratum\nx,1,a\n")
    none = cli("rate", "run", "--page", "page.html", "--sample", "other.csv")
    assert (none.code, "run is to a question drawn" in none.err) == (2, True)


def test_a_table_runs_no_formula_in_a_spreadsheet_and_is_read_back(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '=HYPERLINK("http://evil.example","x")'
    make_run(tmp_path / "run", [Item(id="q1", query=text)], [Answer(item="q1", text=text)])
    assert cli("rate", "run", "--template", "t.csv").code == 0
    (row,) = csv.DictReader(Path("t.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row["question"], row["answer_text"]) == (f"'{text}", f"'{text}")
    assert cli("rate", "run", "--template", "t.xlsx").code == 0
    cells = [cell for line in openpyxl.load_workbook("t.xlsx").active.iter_rows() for cell in line]
    assert {cell.data_type for cell in cells if str(cell.value).startswith("=")} == {"s"}
    filled = Path("t.csv").read_text(encoding="utf-8-sig").splitlines()
    table = [row | {"response_quality": "4"}]
    with Path("ratings-ana.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=filled[0].split(","))
        writer.writeheader()
        writer.writerows(table)
    assert "1 answer rated by ana, 1 new verdict" in cli("rate", "import", "ratings-ana.csv").out


def test_a_template_keeps_its_scale(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(2)]
    make_run(tmp_path / "run", items, [Answer(item=item.id, text=item.query) for item in items])
    assert cli("rate", "run", "--template", "t.csv", "--scale", "1-3").code == 0
    rows = list(csv.DictReader(Path("t.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert {row["scale"] for row in rows} == {"1;2;3"}
    with Path("ratings-ana.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=rows[0])
        writer.writeheader()
        writer.writerows(row | {"response_quality": quality} for row, quality in zip(rows, ("0", "3"), strict=True))
    told = cli("rate", "import", "ratings-ana.csv")
    assert "response_quality is 0, but the scale here is 1;2;3; it is left out" in told.err
    assert "1 new verdict" in told.out
    assert cli("rate", "run", "--template", "t.csv").code == 0
    assert "scale" not in Path("t.csv").read_text(encoding="utf-8-sig").splitlines()[0]


def test_trec_runs_to_rate_have_the_names_of_the_command_line(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one").mkdir()
    Path("a.run").write_text("1 Q0 d1 1 1 a\n")
    Path("one/a.run").write_text("1 Q0 d2 1 1 b\n")
    Path("topics.tsv").write_text("1\thouses?\n")
    Path("collection.tsv").write_text('d1\tone "house\nd2\ttwo houses\n')
    texts = ("--topics", "topics.tsv", "--documents", "collection.tsv")
    told = cli("rate", "old=a.run", "new=one/a.run", "--page", "page.html", *texts)
    assert told.code == 0, told.err
    runs = {run.name: run for run in map(Run, Path("rated").iterdir())}
    assert {name: run.answers()["1", 0].hits[0].text for name, run in runs.items()} == {
        "old": 'one "house',
        "new": "two houses",
    }


def test_pairs_of_trec_runs_need_no_run_folder(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("q1 Q0 d1 1 1 a\n")
    Path("b.run").write_text("q1 Q0 d2 1 1 b\n")
    Path("topics.csv").write_text("id,question\nq1,houses?\n")
    Path("documents.csv").write_text("id,text\nd1,one house\nd2,two houses\n")
    words = ("rate", "a.run", "b.run", "--kind", "pair", "--page", "pairs.html")
    refused = cli(*words)
    assert (refused.code, "--topics FILE --documents FILE" in refused.err) == (2, True)
    told = cli(*words, "--topics", "topics.csv", "--documents", "documents.csv")
    assert "1 pair of different answers of 2 runs to compare" in told.out, told.err
    assert "ratings of the top 10 of each question go to " in told.err
    page = Path("pairs.html").read_text(encoding="utf-8")
    assert "one house" in page
    assert "two houses" in page
    pair = PairTasks.of(map(Run, sorted(Path("rated").iterdir())), "results").tasks[0]
    better = "left" if pair.left.hits[0].text == "two houses" else "right"
    rating = {"id": "1", "task": pair.id, "on": "preferred", "value": better, "at": "2026-01-31T09:30:00Z"}
    Path("ratings-ana.json").write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "ana", "ratings": [rating]}))
    assert (
        "1 pair compared by ana"
        in cli("rate", "import", "ratings-ana.json", "--run", "rated/a.run", "--run", "rated/b.run").out
    )
    (first, *_) = [json.loads(line) for line in cli("prefer", "rated/a.run", "rated/b.run", "--json").out.splitlines()]
    assert (first["run"], first["wins"]) == ("b.run", 1)


def test_a_report_beside_the_runs_is_passed_over(cli, runs):
    told = cli("rate", *runs, "runs/report.html", "--page", "page.html")
    assert (told.code, "passed over: runs/report.html" in told.err) == (0, True)
    assert "3 different answers of 2 runs to rate" in told.out
