"""`neraca rate RUN…` and `neraca rate export`: what is printed, and what ends in the runs."""

import json
import socket

import pytest
import uvicorn
from web.live import data_of, page, rating, request, send, serving, two_runs

from neraca.cli import rate_serve
from neraca.errors import InputError, MissingExtra, RunError, SpecError
from neraca.people.ratings_file import read_ratings
from neraca.runs.run import Run


@pytest.fixture
def rated(tmp_path):
    """Two runs and a log in which ana rated two answers; the server was killed, so that no verdicts were written."""
    runs = two_runs(tmp_path)
    db = f"sqlite:///{tmp_path}/log.sqlite"
    with serving(runs, db) as server:
        tasks = data_of(request(server.links["ana"])[2])["tasks"]
        same = next(task for task in tasks if task.get("text") == "the same")
        empty = next(task for task in tasks if not task.get("hits"))
        sent = [rating(same, "quality", 4), rating(same, "note", "fine"), rating(empty, "empty", "none")]
        assert send(server.links["ana"], *sent)[0] == 200
    assert [len(Run(run.path).verdicts()) for run in runs] == [0, 0]
    return runs, db, sent


def test_verdicts_can_be_taken_out_at_any_time_and_once(rated, capsys):
    runs, db, _ = rated
    rate_serve.export([], db)
    told = capsys.readouterr().out
    assert f"{runs[0].path}: 3 verdicts added" in told
    assert [line.split() for line in told.splitlines() if line.startswith("ana")] == [["ana", "2", "of", "4", "-", "-"]]
    rate_serve.export([run.path for run in runs], db)
    assert capsys.readouterr().out.count(": 0 verdicts added") == 2


def test_ratings_can_be_taken_out_as_files(rated, tmp_path, capsys):
    runs, db, sent = rated
    rate_serve.export([], db, to=tmp_path / "out")
    files = [line.removeprefix("ratings: ") for line in capsys.readouterr().out.splitlines()]
    ana = read_ratings(tmp_path / "out" / next(name for name in files if "ana" in name).rpartition("/")[2])
    assert (ana.rater, [one.id for one in ana.ratings]) == ("ana", [one["id"] for one in sent])
    assert [len(run.verdicts()) for run in runs] == [0, 0], "no verdicts"


def test_gold_is_laid_beside_what_was_rated(rated, tmp_path, capsys):
    _, db, sent = rated
    gold = tmp_path / "gold.json"
    right = [sent[0] | {"value": 5}, sent[2]]
    gold.write_text(json.dumps({"neraca": "ratings", "v": 1, "rater": "expert", "ratings": right}))
    rate_serve.export([], db, gold=gold)
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("ana"))
    assert line.split()[4:] == ["-", "1", "of", "2"], "two answers are too few for an interval"


@pytest.mark.parametrize("content", ["", "[]", '{"neraca": "runs", "v": 1, "rater": "", "ratings": []}'])
def test_gold_that_is_no_file_of_ratings_is_said(rated, tmp_path, content):
    (tmp_path / "gold.json").write_text(content)
    with pytest.raises(InputError, match=r"gold\.json: not a file of ratings"):
        rate_serve.export([], rated[1], gold=tmp_path / "gold.json")
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        rate_serve.export([], rated[1], gold=tmp_path / "none.json")


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(InputError, match="no such file; name the database"):
        rate_serve.export([], f"sqlite:///{tmp_path}/none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(rate_serve, "lacking", lambda extra: ["sqlalchemy"])
    with pytest.raises(MissingExtra, match=r'rating together needs sqlalchemy: pip install "neraca\[web\]"'):
        rate_serve.serve([], rate_serve.RatingOptions(), page)


@pytest.fixture
def at_once(monkeypatch):
    """A server that is ended as soon as it is up."""
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)


def test_another_host_is_said_loudly(tmp_path, capsys, at_once):
    paths = [run.path for run in two_runs(tmp_path)]
    how = {"db": f"{tmp_path}/log.sqlite", "port": 0, "host": "0.0.0.0"}
    rate_serve.serve(paths, rate_serve.RatingOptions(**how, url="http://ratings.example"), page)
    told = capsys.readouterr()
    assert "rater  http://ratings.example/r/" in told.out
    assert "WARNING: other machines can reach this server" in told.err
    assert "http:// is not encrypted" in told.err
    rate_serve.serve(paths, rate_serve.RatingOptions(**how, url="https://ratings.example"), page)
    assert "not encrypted" not in capsys.readouterr().err
    with pytest.raises(SpecError, match="give the raters' one by --url"):
        rate_serve.serve(paths, rate_serve.RatingOptions(**how), page)


def test_a_port_that_is_taken_is_said(tmp_path, at_once):
    paths = [run.path for run in two_runs(tmp_path)]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        chosen = rate_serve.RatingOptions(db=f"{tmp_path}/log.sqlite", port=taken.getsockname()[1])
        with pytest.raises(InputError, match=r"cannot listen on 127\.0\.0\.1 port .*choose another --port"):
            rate_serve.serve(paths, chosen, page)


def test_a_run_that_is_written_to_at_the_end_loses_no_rating(rated, capsys, at_once):
    runs, db, _ = rated
    with Run(runs[0].path).writing(), pytest.raises(RunError, match="all ratings are kept; take them out with"):
        rate_serve.serve([run.path for run in runs], rate_serve.RatingOptions(db=db, port=0, seed=1), page)


def test_a_system_that_names_itself_is_said(tmp_path, capsys, at_once):
    runs = two_runs(tmp_path)
    named = runs[0].path.rename(tmp_path / "words")
    rate_serve.serve([named], rate_serve.RatingOptions(db=f"{tmp_path}/log.sqlite", port=0), page)
    assert "the name 'words' occurs in answers of a system" in capsys.readouterr().err
