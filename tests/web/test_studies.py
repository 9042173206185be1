"""Studies in the list of runs: their phases, primary metrics, choices, reports and costs; reports are built once."""

import re
import time
from concurrent.futures import Future

import msgspec
import pytest
from builders import make_run
from web.test_explorer_app import explorer, get, scored

from neraca.errors import InputError
from neraca.phase import Phase, PhaseResult
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.figures.version_plot import Version, version_plot
from neraca.runs.study_record import PhaseRecord, StudyRecord
from neraca.scores.score import score
from neraca.web.report_store import VIEW, ReportStore
from neraca.web.run_index import RunIndex
from neraca.web.run_list import list_view

ITEMS = [Item(id=str(n), query=f"{n}?", references=("red",)) for n in range(4)]
JUDGE = "llm:test:a#123456"


def phase(name, **more):
    files = (f"{name}/report.html",)
    return PhaseRecord(name=name, runs=("b", "a"), metrics=("TokenF1", "TokenRecall"), files=files, **more)


def a_study(root):
    """A study of two phases with two targets each, and a run outside of it."""
    for name in ("shop/search/a", "shop/search/b", "shop/model/a", "shop/model/b", "alone"):
        text = "red" if name.endswith("a") else "red or blue"
        answers = [Answer(item=item.id, text=text, usage={"cost": 0.5}) for item in ITEMS]
        run = make_run(root / name, ITEMS, answers, [Verdict(item="1", about="answer", aspect="x", by=JUDGE, value=1)])
        if name.endswith("a"):
            run.update(judging={JUDGE: 0.25})
    phases = (phase("search", primary="TokenF1", chosen="a"), phase("model", primary="TokenRecall"))
    StudyRecord(name="Shop", phases=phases, files=("report.html",)).write(root / "shop")
    (root / "shop/search/report.html").write_text("<p>the report of the phase")
    (root / "shop/model/secret.html").write_text("secret")
    return root


@pytest.fixture
def folder(tmp_path):
    return a_study(tmp_path / "runs")


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    with explorer(a_study(tmp_path_factory.mktemp("study") / "runs")) as started:
        scored(started.rstrip("/"))
        yield started.rstrip("/")


def rows(page):
    """Path of a run → its row, in the order of the page."""
    return {name: row for row in page.split("<tr>") for name in re.findall(r'name="run" value="([^"]*)"', row)}


def value_of(row):
    """The label of the metric in a row, and its value."""
    return re.search(r'<td><span class="of">([^<]*)</span> <div><b>([^<]*)</b>', row).groups()


def test_runs_stand_under_their_study_with_its_own_metric_and_choice(link):
    page = get(link, "/")[2]
    of_runs = rows(page)
    study = [name for name in of_runs if name.startswith("shop")]
    assert study == ["shop/search/b", "shop/search/a", "shop/model/b", "shop/model/a"], "as the study lists them"
    assert ">Shop <small>" in page.replace("\n", " ")
    assert "by TokenF1, chosen: a" in page
    assert [name for name, row in of_runs.items() if "chosen</span>" in row] == ["shop/search/a"]
    assert value_of(of_runs["shop/search/b"]) == ("TokenF1", "0.500"), "1 of 3 words, all of 1"
    assert value_of(of_runs["shop/model/b"]) == ("TokenRecall", "1.000")
    assert all("<svg" in row for row in of_runs.values()), "each row draws its value"
    assert page.count("they are of each run alone.") == page.count(">its report</a>") > 0, "a record without values"
    switched = rows(get(link, "/?metric=TokenRecall")[2])
    assert value_of(switched["shop/search/b"]) == ("TokenRecall", "1.000")
    assert "selected>TokenRecall" in get(link, "/?metric=TokenRecall")[2]


def wait_for_all(index):
    """Wait until every run of an index has been scored."""
    for _ in range(600):
        if not any(entry.waits for entry in index.entries()):
            return
        time.sleep(0.05)
    raise TimeoutError


def test_values_under_a_study_are_those_of_its_report_which_pools_what_its_runs_found(tmp_path):
    root, runs = tmp_path / "runs", []
    for name in ("a", "b"):  # each finds one relevant document: all of those that it knows, half of those of both
        found = Answer(item="0", hits=(Hit(id=name),))
        relevant = Verdict(item="0", about=f"hit:{name}", aspect="relevance", by="human:x", value=1)
        runs.append(make_run(root / "shop/search" / name, ITEMS[:1], [found], [relevant]))
    recorded = PhaseResult(
        Phase(name="search", targets={"a": {}, "b": {}}),
        tuple(runs),
        score(runs, "SetR"),
        files=(root / "shop/search/report.html",),
    )
    record = recorded.record(root / "shop")
    StudyRecord(name="Shop", phases=(msgspec.structs.replace(record, primary="SetR"),)).write(root / "shop")
    index = RunIndex(root)
    try:
        wait_for_all(index)
        alone = {entry.name: entry.metrics["SetR"].value for entry in index.entries()}
        assert alone == {"a": 1.0, "b": 1.0}
        filters = {"q": "", "folder": "", "tag": "", "state": ""}
        [part] = list_view(index, filters, 1)["parts"]
        assert [row.total.value for row in part.rows] == [0.5, 0.5]
        assert not part.cautions
        with runs[0].writing() as changed:
            changed.add_verdicts([Verdict(item="0", about="hit:a", aspect="relevance", by="human:y", value=0)])
        wait_for_all(index)
        [part] = list_view(index, filters, 1)["parts"]
        assert [row.total.value for row in part.rows] == [0.5, 0.5], "the report was not made again"
        assert "have changed since the report was made: a." in part.cautions[0]
    finally:
        index.close()


def test_the_cost_is_that_of_judges_and_targets_and_what_is_not_known_is_said(link):
    of_runs = rows(get(link, "/")[2])
    assert "$2.25 <small>judges $0.25, target $2.00</small>" in of_runs["shop/search/a"]
    assert "$2.00 or more <small>judges not known, target $2.00</small>" in of_runs["shop/search/b"]


def test_reports_of_a_study_are_shown_in_a_sandbox_and_nothing_else_is(link):
    status, headers, page = get(link, "/study/shop/search/report.html")
    assert (status, page) == (200, "<p>the report of the phase")
    assert "; sandbox allow-scripts;" in headers["content-security-policy"]
    for path in (
        "shop/model/secret.html",
        "shop/study.json",
        "../runs/shop/search/report.html",
        "alone/manifest.json",
    ):
        status, _, page = get(link, f"/study/{path}")
        assert status in (400, 404), path
        assert "secret" not in page


def test_a_metric_of_the_server_is_that_of_all_pages(folder):
    with explorer(folder, "--primary", "ROUGE-1") as started:
        of_runs = rows(scored(started.rstrip("/")))
        assert all(value_of(row)[0] == "ROUGE-1" for row in of_runs.values())


def test_a_record_keeps_later_phases_when_an_earlier_one_runs_again(tmp_path):
    first, second = phase("search"), phase("model")
    StudyRecord(name="Shop", phases=(first, second), files=("report.html",)).write(tmp_path)
    StudyRecord(name="Shop", phases=(phase("search", chosen="b"),)).write(tmp_path)
    again = StudyRecord.read(tmp_path)
    assert [one.chosen for one in again.phases] == ["b", ""]
    assert again.files == ("report.html",)
    users = PhaseRecord(name="", title="User study", runs=("users",))
    StudyRecord(name="Shop", phases=(first, second), users=users).write(tmp_path)
    StudyRecord(name="Shop", phases=(first,)).write(tmp_path)
    assert [part.title or part.name for part in StudyRecord.read(tmp_path).parts] == ["search", "model", "User study"]
    StudyRecord(name="Other", phases=(first,)).write(tmp_path)
    assert len(StudyRecord.read(tmp_path).parts) == 1
    (tmp_path / "study.json").write_text("{")
    assert StudyRecord.read(tmp_path) is None


def test_a_report_is_built_once_for_each_state_of_its_runs(folder, monkeypatch):
    index, begun = RunIndex(folder), []

    def begin(function, *given):
        begun.append(given[0])
        future = Future()
        future.set_result(function(*given))
        return future

    monkeypatch.setattr(index, "begin", begin)
    reports, paths = ReportStore(index), ["shop/search/a", "shop/search/b"]
    first = reports.begin(paths, VIEW).result()
    assert reports.begin(paths, VIEW).result() == ReportStore(index).begin(paths, VIEW).result() == first
    assert len(begun) == 1
    page = first.read_text(encoding="utf-8")
    assert '<a href="/">All runs</a>' in page
    assert "TokenF1" in page, "the metric of the study"
    assert reports.begin(paths, ".md").result().suffix == ".md"
    with index.run(paths[0]).writing() as changed:
        changed.answers_journal.append(Answer(item="1", text="blue"))
    time.sleep(0.6)  # until the index looks at the files again
    assert reports.begin(paths, VIEW).result() != first
    assert len(begun) == 3
    first.unlink()
    with pytest.raises(InputError, match="there is no run"):
        reports.begin(["nowhere"], VIEW)
    index.close()


def test_a_metric_over_versions_is_described_in_words():
    versions = [
        Version("v1", "2026-01-01", 0.5, 0.4, 0.6),
        Version("v2", "2026-01-02", 0.75, float("nan"), float("nan")),
    ]
    drawn = version_plot("v", "P@5 over versions", "P@5", versions, (0, 1), best=[0])
    assert "v1 0.500 (0.400 to 0.600); v2 0.750</desc>" in drawn
    assert drawn.count("joined") == 1
    methods = version_plot("v", "P@5", "P@5", [*versions, *versions, *versions[:1]], (0, 1), joined=False)
    assert "joined" not in methods
    assert [methods.count(f">v{n}</text>") for n in (1, 2)] == [3, 2], "each has its name"
    assert drawn.count("<circle") == 2
    assert drawn.count('class="dot strong"') == 1
    assert drawn.index('class="dot strong"') < drawn.index('class="dot"'), "the best, which is the first"
    long = [Version(f"a-version-with-a-long-name-{n}", "2026-01-01", 0.5, 0.4, 0.6) for n in range(8)]
    numbered = version_plot("v", "P@5", "P@5", long, (0, 1))
    below = re.findall(r'class="tick" text-anchor="middle">([^<]*)<', numbered)
    assert below == ["8", "7", "6", "5", "4", "3", "2", "1"], "no cut name, and no date that touches the next"
