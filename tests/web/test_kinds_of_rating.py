"""Pairs and reviews by keyboard in a real browser, offline and on the real server, until they count."""

import re
import signal

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders import make_question_folder, make_run
from playwright.sync_api import expect
from web.live import rating_command, request

import neraca
from neraca.errors import SpecError
from neraca.generation.question_folder import QuestionFolder
from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import Run
from neraca.web.rating_settings import RatingSettings

HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1><svg onload=window.hurt=1>"
ITEMS = [Item(id="q1", query=f"houses? {HOSTILE}"), Item(id="q2", query="cheaper?", tags={"category": HOSTILE})]
HIT = Hit(id="d1", text=f"one {HOSTILE}", fields={"url": "javascript:window.hurt=1", HOSTILE: HOSTILE})
#: By the words of their answers, the best first.
RANK = ["good", "fair", "poor"]


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    opened.errors = []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    yield opened
    assert opened.errors == []
    assert opened.evaluate("window.hurt") is None
    context.close()


@pytest.fixture
def runs(tmp_path):
    """Three systems, whose names stand in no answer."""
    names = dict(zip(("zanzibar", "quokka", "ibex"), RANK, strict=True))
    return [
        make_run(tmp_path / name, ITEMS, [Answer(item=i.id, text=f"{word} {HOSTILE}", hits=(HIT,)) for i in ITEMS])
        for name, word in names.items()
    ]


def prefer(page):
    """Say which answer is better, by one key."""
    left, right = (page.locator(".side .answer").nth(n).inner_text().split()[0] for n in (0, 1))
    page.keyboard.press("1" if RANK.index(left) < RANK.index(right) else "3")


def arrived(page):
    expect(page.locator("#saved")).not_to_have_class("warning")


def accessible(page):
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_tournament_asks_for_fewer_pairs_and_gives_the_same_order(runs, page, tmp_path):
    paths = [run.path for run in runs]
    how = ("--kind", "pair", "--best", "1", "--raters", "ana,budi", "--db", f"{tmp_path}/log.sqlite")
    with rating_command(*paths, *how) as server:
        link = server.links["ana"]
        _, headers, html = request(link)
        assert not any(run.name in f"{headers} {html}" for run in runs)
        page.goto(link)
        accessible(page)
        for pressed in range(1, 5):
            prefer(page)
            expect(page.locator("#progress")).to_have_text(re.compile(f"^{pressed} of"))
            arrived(page)
        expect(page.locator("#progress")).to_have_text("4 of 4 pairs compared")  # two tell the best of three
        assert request(server.links["budi"])[2].count("preferred") == html.count("preferred"), "budi sees nothing of it"
        told = server.end(signal.SIGINT)
    assert told.count("verdicts added") == 3
    found = neraca.preferences(paths, by="human:ana")
    assert next(iter(found.standings)).run == "zanzibar"
    assert found.chance("zanzibar", "ibex").value > 0.5


def test_pairs_on_a_page_without_a_server_come_back_as_a_file(runs, page, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = cli("rate", *(str(run.path) for run in runs), "--kind", "pair", "--page", "pairs.html")
    assert told.out.startswith("pairs.html: 6 pairs of different answers of 3 runs to compare")
    page.goto((tmp_path / "pairs.html").as_uri())
    assert page.locator("#csv").count() == 0, "a table has no place for pairs"
    page.fill("#rater", "ana")
    page.keyboard.press("Escape")
    for _ in range(6):
        prefer(page)
    with page.expect_download() as download:
        page.click("#json")
    assert download.value.suggested_filename == "pairs-ana.json", "no other kind of ratings has this name"
    download.value.save_as(tmp_path / "pairs-ana.json")
    told = cli("rate", "import", "pairs-ana.json")
    # for each of 3 runs and 2 questions: its word on 2 others, and of each pair who stood first
    what, *of_runs = told.out.splitlines()
    assert what == "pairs-ana.json: 6 pairs compared by ana, 18 new verdicts"
    assert of_runs == ["  ibex: 5 new verdicts", "  quokka: 7 new verdicts", "  zanzibar: 6 new verdicts"]
    assert cli("rate", "import", "pairs-ana.json").out.endswith("0 new verdicts, 18 confirmed\n")
    assert [one.run for one in neraca.preferences([run.path for run in runs]).standings] == [
        "zanzibar",
        "quokka",
        "ibex",
    ]


def test_a_reviewer_overrules_a_rule(runs, page, tmp_path):
    run = runs[0]
    with run.writing():
        run.add_verdicts(
            Verdict(item=item.id, about="answer", aspect="valid", by="rules", value=1.0, why=HOSTILE) for item in ITEMS
        )
    how = ("--kind", "review", "--aspect", "valid", "--raters", "ana", "--db", f"{tmp_path}/log.sqlite")
    with rating_command(run.path, *how) as server:
        page.goto(server.links["ana"])
        accessible(page)
        for key in "21":  # the first fails, the second is confirmed
            page.keyboard.press(key)
        expect(page.locator("#progress")).to_have_text("2 of 2 verdicts reviewed")
        arrived(page)
        server.end(signal.SIGINT)
    assert sorted(one.value for one in Run(run.path).verdicts() if one.by == "human:ana") == [0, 1]
    assert neraca.score(run.path, "Valid")["Valid"] == {run.name: 0.5}


def test_people_review_generated_questions_blind(page, tmp_path, cli):
    folder = tmp_path / "halls"
    make_question_folder(folder, [True, True, False])
    how = ("--kind", "review", "--raters", "ana", "--db", f"{tmp_path}/log.sqlite")
    with rating_command(folder, *how) as server:
        assert '"opinions":' not in request(server.links["ana"])[2]
        page.goto(server.links["ana"])
        accessible(page)
        for told in ("What it was judged on", "at nine", "opens at nine", "A question that a person could ask"):
            expect(page.locator("article.review")).to_contain_text(told)
        decisions = {}
        for reviewed in range(1, 4):
            query = re.search(r"When does hall (\d) open\?", page.locator("main").inner_text())
            decisions[f"d{query[1]}"] = float(query[1] != "2")
            page.keyboard.press("1" if query[1] != "2" else "2")
            expect(page.locator("#progress")).to_have_text(f"{reviewed} of 3 verdicts reviewed")
        arrived(page)
        told = server.end(signal.SIGINT)
    assert f"{folder}: 3 verdicts added" in told
    assert f"neraca generate {folder} --out" in told
    reviews = [v for v in QuestionFolder(folder).verdicts() if v.by == "human:ana"]
    assert {v.item: v.value for v in reviews} == decisions == {"d1": 1, "d2": 0, "d3": 1}
    assert {(v.about, v.aspect) for v in reviews} == {("item", "accepted")}
    made = cli("generate", str(folder), "--out", str(tmp_path / "final"))
    assert made.code == 0, made.err
    assert "people refused 1 question, which passed all checks, and accepted 1 question" in " ".join(made.out.split())
    assert [item.id for item in neraca.read_dataset(tmp_path / "final")] == ["d1", "d3"]


def test_reviewers_of_questions_see_the_checks_only_if_asked(tmp_path, cli):
    make_question_folder(tmp_path / "halls", [True, False])
    shown = cli("rate", tmp_path / "halls", "--kind", "review", "--show-verdict", "--page", tmp_path / "r.html")
    assert f"2 verdicts of {tmp_path / 'halls'} to confirm or overrule" in shown.out
    assert '"opinions":[{"source":"rules"' in (tmp_path / "r.html").read_text("utf-8")
    how = ("--kind", "review", "--aspect", "answerable", "--page", tmp_path / "a.html")
    assert cli("rate", tmp_path / "halls", *how).code == 0
    assert (tmp_path / "a.html").read_text("utf-8").count('"aspect":"answerable"') == 2
    wrong = cli("rate", tmp_path / "halls", "--page", tmp_path / "b.html")
    assert (wrong.code, "--kind review" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    "given, why",
    [
        ({"kind": "duel"}, "not one of answer, pair, review"),
        ({"best": 2}, "best: belongs to --kind pair"),
        ({"kind": "pair", "aspect": "valid"}, "aspect: belongs to --kind review"),
        ({"kind": "pair", "best": 1, "repeat": 0.1}, "leave out --repeat"),
        ({"kind": "review", "repeat": 0.1}, "come once; leave out --repeat"),
    ],
)
def test_settings_that_do_not_go_together(given, why):
    with pytest.raises(SpecError, match=why):
        RatingSettings(**given)
