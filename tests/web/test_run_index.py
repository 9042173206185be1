"""The index of runs: scores come from another process, however soon, and a problem is looked at again."""

import threading
from concurrent.futures import Future

import pytest
from builders import make_run

from neraca.errors import InputError, NeracaError
from neraca.records import Answer, Item
from neraca.reports.formats.explorer import explorer_page
from neraca.web.run_index import INDEX, RunIndex
from neraca.web.run_list import list_view
from neraca.web.worker_process import WorkerProcess


@pytest.fixture
def folder(tmp_path):
    items = [Item(id="1", query="?", references=("red",))]
    make_run(tmp_path / "shop/run", items, [Answer(item="1", text="red")])
    return tmp_path


def at_once(_, function, *given):
    future = Future()
    future.set_result(function(*given))
    return future


def lost(_, function, *given):
    future = Future()
    future.set_exception(NeracaError("the process ended"))
    return future


def value_of(entry):
    return entry.metrics[entry.primary].value


def test_scores_that_are_there_at_once_are_taken(folder, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    index = RunIndex(folder)
    looking = threading.Thread(target=index.entries, daemon=True)
    looking.start()
    looking.join(30)
    assert not looking.is_alive(), "it waits for itself"
    entry = index.entry("shop/run")
    assert (entry.primary, value_of(entry), entry.scored, entry.waits) == ("TokenRecall", 1.0, True, False)


def test_the_list_says_that_it_renews_itself_if_a_run_was_scored_after_it_was_read(folder, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    index = RunIndex(folder)
    views = [list_view(index, dict.fromkeys(("q", "folder", "tag", "state"), ""), 1) for _ in range(2)]
    assert [(view["waiting"], view["live"]) for view in views] == [(1, True), (0, False)]


def test_the_list_offers_the_primary_metric_once(folder, monkeypatch):
    """The metric "" is the primary one, and a link to it by its name shows the same."""
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    index, no_filters = RunIndex(folder, "TokenF1"), dict.fromkeys(("q", "folder", "tag", "state"), "")
    list_view(index, no_filters, 1)
    for metric in ("", "TokenF1"):
        view = list_view(index, no_filters, 1, metric)
        choice = view["choices"][-1]
        labels = [choice.everything, *(option.label for option in choice.options)]
        assert (labels.count("TokenF1"), len(set(labels)), choice.chosen, choice.note) == (1, len(labels), "", "")
        assert view["parts"][0].metric == "TokenF1"


def test_a_problem_is_shown_and_looked_at_again_by_the_next_server(folder, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "submit", lost)
    first = RunIndex(folder)
    first.entries()
    assert first.entry("shop/run").problem == "the process ended"
    assert (folder / INDEX).is_file()
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    second = RunIndex(folder)
    second.entries()
    assert (second.entry("shop/run").problem, value_of(second.entry("shop/run"))) == ("", 1.0)


def test_an_entry_is_read_anew_where_its_files_changed_and_gone_where_they_are(folder, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    monkeypatch.setattr("neraca.web.run_index._RESCAN_AFTER", 0)
    index = RunIndex(folder)
    before = index.entry("shop/run")
    with (folder / "shop/run/answers.jsonl").open("ab") as file:
        file.write(b'{"v":1,"item":"1","text":"blue"}\n')
    index.entry("shop/run")  # what changed is scored anew
    after = index.entry("shop/run")
    assert (before.stamp != after.stamp, value_of(after)) == (True, 0.0)
    (folder / "shop").rename(folder / "store")
    with pytest.raises(InputError, match="there is no run"):
        index.entry("shop/run")
    assert index.entry("store/run").metrics["TokenRecall"].n == 1


def test_a_run_that_lost_answers_after_its_end_is_not_finished_and_has_no_value(tmp_path, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "submit", at_once)
    items = [Item(id=str(number), query="?", references=("red",)) for number in range(12)]
    for name in ("whole", "cut"):
        make_run(tmp_path / name, items, [Answer(item=item.id, text="red") for item in items])
    file = tmp_path / "cut/answers.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    index = RunIndex(tmp_path)
    index.entries()
    entries = [index.entry(name) for name in ("whole", "cut")]
    assert [(entry.finished, entry.live, entry.answers, entry.asked) for entry in entries] == [
        (True, False, 12, 12),
        (False, False, 2, 12),
    ]
    assert [bool(entry.metrics) for entry in entries] == [True, False]
    no_filters = {"q": "", "folder": "", "tag": "", "state": ""}
    matches = list_view(index, no_filters | {"state": "not finished"}, 1)["parts"]
    assert [row.run.path for part in matches for row in part.rows] == ["cut"]
    page = explorer_page("runs", "Runs", **list_view(index, no_filters, 1))
    assert "not finished: 2 of 12 answers" in page
