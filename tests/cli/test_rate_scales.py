"""`neraca rate --scale`: scales up to 10 from the page and the template into the runs, their metrics and agreement."""

import csv
import json
from pathlib import Path

import openpyxl
import pytest
from builders import make_run
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright

import neraca
from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import Run

ITEMS = [Item(id=f"q{n}", query=f"question {n}?") for n in range(11)]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hits = (Hit(id="d", text="a house"),)
    return make_run(tmp_path / "api", ITEMS, [Answer(item=item.id, text=f"of {item.id}", hits=hits) for item in ITEMS])


def table(run, values, scale="", name="ratings-ana.csv"):
    """A template of the command, with these qualities filled in."""
    rows = list(csv.DictReader(Path("t.csv").read_text(encoding="utf-8-sig").splitlines()))
    for row, value in zip(rows, values, strict=True):
        row["response_quality"] = value
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def test_eleven_values_from_a_template_to_the_metric_and_back(cli, run):
    told = cli("rate", "api", "--template", "t.csv", "--scale", "0-10;0=poor;10=good")
    assert told.code == 0, told.err
    rows = table(run, range(11))
    assert {row["scale"] for row in rows} == {"0=poor;1;2;3;4;5;6;7;8;9;10=good"}
    assert (
        Path("t-answers.txt")
        .read_text(encoding="utf-8")
        .startswith("Quality of the answer (response_quality)\n   10  good\n    0  poor\n")
    )
    told = cli("rate", "import", "ratings-ana.csv")
    assert (told.code, "11 answers rated by ana, 11 new verdicts" in told.out) == (0, True), told.err
    assert Run("api").manifest.scales == {"quality": "0-10"}
    words = Run("api").manifest.scale_words["quality"]
    assert (words["0"], words["1"], words["10"], len(words)) == ("poor", "", "good", 11)
    assert neraca.score("api", "Rubric(quality)")["Rubric(quality)"] == {"api": 5}
    assert neraca.score("api", "Rubric(quality,share=true)")["Rubric(quality,share=true)"] == {"api": 0.5}
    assert "Rubric(quality): graded from 0 to 10" in cli("score", "api", "-m", "Rubric(quality)").err
    score = cli("rate", "score", "ratings-ana.csv", "--json")
    (quality,) = [row for row in map(json.loads, score.out.splitlines()) if row["measure"] == "response_quality"]
    assert quality["value"] == 5
    assert cli("report", "api", "-m", "Rubric(quality)", "--to", "r.html").code == 0


def test_grades_without_words_are_stated_and_a_second_scale_of_them_is_refused(cli, run):
    """What a page of --grades 3 saves: a grade above 2 is left out, and pages of other grades are refused."""
    tasks = RatingTasks.of([run]).tasks
    ratings = [
        {"id": f"r{n}", "task": task.id, "on": f"hit:{task.hits[0].key}", "value": n, "at": "2026-01-01T00:00:00Z"}
        for n, task in enumerate(tasks[:4])
    ]
    saved = {"neraca": "ratings", "v": 1, "rater": "ana", "grades": "0;1;2", "ratings": ratings}
    Path("ratings-ana.json").write_text(json.dumps(saved))
    told = cli("rate", "import", "ratings-ana.json", "--run", "api")
    assert told.code == 3
    assert "d: 3 is not one of 0, 1, 2" in told.err
    assert "3 answers rated by ana" in told.out
    assert Run("api").manifest.scale_words == {"relevance": {"0": "", "1": "", "2": ""}}
    for grades in ("2", "4", "0=no;1=yes"):
        for to in (("--page", "p.html"), ("--template", "t.csv"), ("--raters", "ana")):
            told = cli("rate", "api", *to, "--grades", grades)
            assert told.code == 2
            assert "api from 0 to 2, and these ratings go from 0 to" in told.err
    assert not Path("p.html").exists()
    assert cli("rate", "api", "--page", "p.html", "--grades", "3").code == 0
    assert cli("rate", "api", "--kind", "pair", "api", "--page", "q.html").err.count("graded") == 0


def test_a_workbook_keeps_the_scale(cli, run):
    assert cli("rate", "api", "--template", "t.xlsx", "--scale", "1-7").code == 0
    book = openpyxl.load_workbook("t.xlsx")
    head = {cell.value: cell.column - 1 for cell in book.active[1]}
    for row, value in zip(book.active.iter_rows(min_row=2), (*range(1, 8), 7, 7, 8, 0), strict=True):
        row[head["response_quality"]].value = value
    book.save("ratings-ana.xlsx")
    told = cli("rate", "import", "ratings-ana.xlsx")
    assert told.code == 3
    assert "response_quality is 8, but the scale here is 1;2;3;4;5;6;7; it is left out" in told.err
    assert "9 answers rated by ana" in told.out
    assert Run("api").manifest.scales == {"quality": "1-7"}
    again = cli("rate", "import", "ratings-ana.xlsx")
    assert "0 new verdicts" in again.out


def test_a_table_with_two_scales_or_none_that_can_be_read_is_refused(cli, run):
    cli("rate", "api", "--template", "t.csv", "--scale", "1-7")
    text = Path("t.csv").read_text(encoding="utf-8")
    Path("two.csv").write_text(text.replace("1;2;3;4;5;6;7", "1;2;3", 1), encoding="utf-8")
    two = cli("rate", "import", "two.csv", "--rater", "ana")
    assert (two.code, "its column scale has 1;2;3, 1;2;3;4;5;6;7; write a file for each" in two.err) == (2, True)
    Path("no.csv").write_text(text.replace("1;2;3;4;5;6;7", "Jan 7"), encoding="utf-8")
    no = cli("rate", "import", "no.csv", "--rater", "ana")
    assert (no.code, "its column scale cannot be read" in no.err) == (2, True)


def test_a_second_scale_is_left_out_and_named_and_the_rest_is_taken(cli, run):
    cli("rate", "api", "--template", "t.csv", "--scale", "0-10")
    table(run, range(11))
    cli("rate", "import", "ratings-ana.csv")
    for how in ("--page", "--template"):
        refused = cli("rate", "api", how, "p.html" if how == "--page" else "u.csv")
        assert refused.code == 2
        assert "from 0 to 10, and these ratings go from 0 to 5; a mean of both means nothing" in refused.err
    tasks = RatingTasks.of([run]).tasks
    ratings = [
        {"id": f"{on}{n}", "task": task.id, "on": on, "value": 1, "at": "2026-01-01T00:00:00Z"}
        for n, task in enumerate(tasks)
        for on in ("quality", f"hit:{task.hits[0].key}")
    ]
    content = {"neraca": "ratings", "v": 1, "rater": "budi", "ratings": ratings}
    Path("ratings-budi.json").write_text(json.dumps(content), encoding="utf-8")
    told = cli("rate", "import", "ratings-budi.json")
    assert (told.code, "so 11 ratings of the quality are left out" in " ".join(told.err.split())) == (3, True)
    assert "11 new verdicts" in told.out
    assert {v.aspect for v in Run("api").verdicts() if v.by == "human:budi"} == {"relevance"}


def test_a_matrix_of_eleven_values_fits_in_eighty_columns(cli, run):
    with run.writing():
        run.add_verdicts(
            Verdict(item=item.id, about="answer", aspect="quality", by=by, value=float((n + shift) % 11))
            for by, shift in (("human:ana", 0), ("llm:m", 1))
            for n, item in enumerate(ITEMS)
        )
        run.update(scales={"quality": "0-10"})
    told = cli("agree", "api")
    assert told.code == 0, told.err
    lines = told.out.splitlines()
    (place,) = [n for n, line in enumerate(lines) if line == "quality: people in the rows, llm:m in the columns"]
    assert lines[place + 2].split() == ["people", *map(str, range(11))]
    assert lines[place + 4].split() == ["0", "0", "1", *"0" * 9]
    assert max(map(len, lines[place : place + 14])) <= 80


def test_the_interval_of_judge_minus_people_stays_within_the_scale(cli, run):
    with run.writing():
        run.add_verdicts(
            Verdict(item=item.id, about="answer", aspect="quality", by=by, value=value)
            for by, values in (("human:ana", (5.0, 5.0, 5.0)), ("llm:m", (4.0, 3.0, 1.0)))
            for item, value in zip(ITEMS, values, strict=False)
        )
        run.update(scales={"quality": "1-5"})
    rows = [json.loads(line) for line in cli("agree", "api", "--json").out.splitlines()]
    bias = next(row for row in rows if "bias" in row)
    assert bias["bias"] == pytest.approx(-7 / 3)
    assert -4 < bias["bias_low"] < -7 / 3 < bias["bias_high"] < 4


def test_agreement_over_runs_of_two_scales_is_refused(cli, run, tmp_path):
    other = make_run(tmp_path / "vector", ITEMS, [Answer(item=item.id, text="other") for item in ITEMS])
    for place, scale in ((run, "0-10"), (other, "1-7")):
        place.update(scales={"quality": scale})
    told = cli("agree", "api", "vector")
    assert told.code == 2
    assert "quality was graded on different scales (api 0 to 10, vector 1 to 7)" in " ".join(told.err.split())


@pytest.mark.parametrize("width", [1280, 390])
def test_ten_has_a_key_of_its_own_and_the_files_hold_the_scale(cli, run, tmp_path, width):
    assert cli("rate", "api", "--page", "p.html", "--scale", "0-10;10=all").code == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True).new_page()
        page.goto(Path("p.html").absolute().as_uri())
        buttons = page.locator('[data-on="quality"] .choice')
        assert buttons.all_inner_texts() == [*map(str, range(10)), "x\n10 all"]
        for box in (buttons.nth(n).bounding_box() for n in range(11)):
            assert min(box["width"], box["height"]) >= 24
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        page.fill("#rater", "ana")
        page.keyboard.press("Escape")
        for key in "1x191":
            page.keyboard.press(key)
        expect(page.locator("#progress")).to_have_text("2 of 11 answers rated")
        page.keyboard.press("?")
        keys = dict(
            zip(page.locator("dialog dt").all_inner_texts(), page.locator("dialog dd").all_inner_texts(), strict=True)
        )
        assert (keys["0 – 9"], keys["x"]) == ("rate the marked line", "give 10")
        page.keyboard.press("Escape")
        for kind in ("csv", "json"):
            with page.expect_download() as download:
                page.click(f"#{kind}")
            download.value.save_as(f"ratings-ana.{kind}")
        browser.close()
    told = cli("rate", "import", "ratings-ana.json")
    assert "3 answers rated by ana, 5 new verdicts" in told.out, told.err
    assert "0 new verdicts" in cli("rate", "import", "ratings-ana.csv").out
    assert sorted(v.value for v in Run("api").verdicts() if v.aspect == "quality") == [9, 10]
    assert Run("api").manifest.scales == {"quality": "0-10"}


def test_a_rule_of_a_gate_takes_the_scale_of_the_run(cli, run):
    """Eleven grades of 0 to 10 have the mean 5 and a standard deviation of 3.3, so it is above 2.5 (t = 2.5)."""
    cli("rate", "api", "--template", "t.csv", "--scale", "0-10")
    table(run, range(11))
    assert cli("rate", "import", "ratings-ana.csv").code == 0
    passed = cli("gate", "api", "--rule", "Rubric(quality) > 2.5", "--unit", "question", "--strict")
    assert passed.code == 0, passed.out
    failed = cli("gate", "api", "--rule", "Rubric(quality) > 8", "--unit", "question")
    assert (failed.code, "fail" in failed.out) == (1, True), "8 is a bound on this scale"
    impossible = cli("gate", "api", "--rule", "Rubric(quality) > 11", "--unit", "question")
    assert impossible.code == 2
    assert "a value of Rubric(quality) is always from 0 to 10, so that this can never be shown" in impossible.err
