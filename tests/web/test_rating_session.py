"""Rating together without the network: what is kept, what is refused, and what becomes verdicts."""

import json

import msgspec
import pytest
from web.live import two_runs

from neraca.errors import InputError, RunError, SpecError
from neraca.people.rating import Rating
from neraca.people.ratings_file import read_ratings
from neraca.runs.run import Run
from neraca.web.rating_session import MOST_RATINGS, open_session, stored_sessions
from neraca.web.ratings_database import RatingsDatabase, RatingSettings


@pytest.fixture
def runs(tmp_path):
    return two_runs(tmp_path)


@pytest.fixture
def database(tmp_path):
    with RatingsDatabase(f"{tmp_path}/log.sqlite") as opened:
        yield opened


def settings(runs, **how):
    return RatingSettings(runs=tuple(str(run.path) for run in runs), **how)


@pytest.fixture
def session(runs, database):
    return open_session(database, settings(runs, repeat=0.5), ["ana", "budi"])


def rating_of(task, on, value, id="r", at="2026-01-02T03:04:05.678Z"):
    return {"id": id, "task": task.id, "on": on, "value": value, "at": at}


def receive(session, *ratings, rater="ana"):
    return session.receive(rater, json.dumps({"ratings": ratings}).encode())


def with_hits(session, rater="ana"):
    return next(task for task in session.tasks(rater) if task.hits)


def test_what_was_kept_comes_back_and_twice_is_once(session):
    task = with_hits(session)
    hit = f"hit:{task.hits[0].key}"
    sent = [
        rating_of(task, "quality", 4, "a"),
        rating_of(task, hit, 1, "b"),
        rating_of(task, "note", "good", "c.d:e-f_1"),
    ]
    for _ in range(2):
        assert receive(session, *sent).stored == ["a", "b", "c.d:e-f_1"]
    assert [(r.id, r.on, r.value) for r in session.ratings("ana")] == [(s["id"], s["on"], s["value"]) for s in sent]
    assert session.ratings("budi") == []


def test_a_scale_of_eleven_values_is_kept_by_the_session_and_stated_by_its_runs(runs, database, tmp_path):
    session = open_session(database, settings(runs, scale="0-10;10=good"), ["ana"])
    task = with_hits(session)
    received = receive(session, rating_of(task, "quality", 10, "a"), rating_of(task, "quality", 11, "b"))
    assert received.stored == ["a"]
    assert "quality: 11 is not one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10" in received.refused["b"]
    for scale in ("", "1-10"):
        with pytest.raises(SpecError, match="is being rated from 0 to 10, not from"):
            open_session(database, settings(runs, scale=scale), ["ana"])
    (file,) = session.write_files(tmp_path / "out")
    assert read_ratings(file).scale == "0;1;2;3;4;5;6;7;8;9;10=good"
    (stored,) = stored_sessions(database)
    assert sum(stored.export().written) > 0
    assert "good" in {Run(run.path).manifest.scale_words.get("quality", {}).get("10") for run in runs}
    assert "0-10" in {Run(run.path).manifest.scales.get("quality") for run in runs}
    with (
        RatingsDatabase(f"{tmp_path}/other.sqlite") as other,
        pytest.raises(SpecError, match="mean of both means nothing"),
    ):
        open_session(other, settings(runs), ["ana"])


def test_a_session_of_before_scales_were_kept_goes_on(runs, database):
    open_session(database, settings(runs), ["ana"])
    assert open_session(database, settings(runs, scale="1-5"), ["ana"]).settings.scale == ""
    with pytest.raises(SpecError, match="is being rated from 0 to 5, not from 0 to 10"):
        open_session(database, settings(runs, scale="0-10"), ["ana"])


@pytest.mark.parametrize(
    "change, why",
    [
        ({"value": 6}, "quality: 6 is not one of"),
        ({"task": "nowhere"}, "'nowhere', which is no answer of these runs"),
        ({"on": "hit:nowhere", "value": 1}, "the hit 'nowhere'"),
        ({"on": "note", "value": "x" * 20_001}, "the note has 20,001 characters; at most 20,000 are allowed"),
        ({"value": True}, "Expected `float | str | null`, got `bool`"),
        ({"on": None}, "Expected `str`, got `null`"),
        ({"value": 1e400}, None),
    ],
)
def test_one_that_is_wrong_is_refused_and_the_others_are_kept(session, change, why):
    task = with_hits(session)
    sent = [rating_of(task, "quality", 4, "a") | change, rating_of(task, "quality", 3, "b")]
    if why is None:
        with pytest.raises(InputError, match="the body is not JSON"):
            receive(session, *sent)
        return
    received = receive(session, *sent)
    assert received.stored == ["b"]
    assert why in received.refused["a"]
    assert [r.id for r in session.ratings("ana")] == ["b"]


def test_an_id_that_was_used_for_something_else_is_not_called_stored(session):
    task = with_hits(session)
    receive(session, rating_of(task, "quality", 4, "a"))
    received = receive(session, rating_of(task, "quality", 5, "a"), rating_of(task, "note", "x", "b"))
    assert (received.stored, received.refused) == (["b"], {"a": "another rating has this id"})


@pytest.mark.parametrize("id", ["", "x" * 101, "a b", "a\n", "é", "\x00", 7, None, ["a"]])
def test_what_has_no_name_is_not_kept(session, id):
    received = receive(session, rating_of(with_hits(session), "quality", 4, id))
    assert (received.stored, received.refused, session.ratings("ana")) == ([], {}, [])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[",
        b"[]",
        b"7",
        b'{"ratings": {}}',
        b'{"ratings": NaN}',
        b"\xff\xfe",
        b'{"ratings":' + b"[" * 100_000,
        json.dumps({"ratings": [{}] * (MOST_RATINGS + 1)}).encode(),
        b'{"ratings": [' + b"9" * 5000 + b"]}",
    ],
)
def test_a_body_that_is_no_list_of_ratings_is_refused_whole(session, body):
    with pytest.raises(InputError, match="the body is n"):
        session.receive("ana", body)


def test_half_a_character_does_not_stop_the_rest(session):
    body = json.dumps({"ratings": [rating_of(with_hits(session), "note", "so \ud83d good 😀", "a")]})
    assert session.receive("ana", body.encode()).stored == ["a"]
    assert session.ratings("ana")[0].value == "so \ufffd good 😀"


@pytest.mark.parametrize(
    "at, kept",
    [
        ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05.000Z"),
        ("0001-01-01T00:00:00+23:59", None),
        ("2999-01-01T00:00:00Z", None),
        ("2026-01-02T03:04:05", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_the_time_is_that_of_the_rater_unless_it_cannot_be(session, at, kept):
    receive(session, rating_of(with_hits(session), "quality", 4, "a", at))
    stored = session.ratings("ana")[0].at
    assert stored == kept if kept else "2026-01-02" < stored < "2990"


def test_verdicts_are_written_once_and_again_when_something_changed(session, runs):
    task = next(task for task in session.tasks("ana") if task.text == "the same" and "~" not in task.id)
    receive(session, rating_of(task, "quality", 4, "a"), rating_of(task, f"hit:{task.hits[1].key}", 0, "b"))
    receive(session, rating_of(task, "quality", 2, "a"), rater="budi")
    assert session.export().written == [3, 3], "both systems answered alike"
    assert session.export().written == [0, 0]
    receive(session, rating_of(task, "quality", 5, "c", "2026-01-02T03:05:00Z"))
    assert session.export().written == [1, 1]
    found = sorted((v.by, v.about, v.value) for v in Run(runs[0].path).verdicts())
    assert found == [("human:ana", "answer", 5), ("human:ana", "hit:e0", 0), ("human:budi", "answer", 2)]


def test_the_second_time_is_kept_apart(session, runs, tmp_path):
    again = next(task for task in session.tasks("ana") if task.id.endswith("~2") and task.hits)
    first = next(task for task in session.tasks("ana") if task.id == again.id.removesuffix("~2"))
    hit, hit_again = (f"hit:{task.hits[0].key}" for task in (first, again))
    sent = [(first, "quality", 4), (again, "quality", 1), (first, hit, 1), (again, hit_again, 1)]
    received = receive(session, *(rating_of(task, on, value, f"r{n}") for n, (task, on, value) in enumerate(sent)))
    assert (len(received.stored), received.refused) == (4, {})
    assert "is not part of this task" in receive(session, rating_of(again, hit, 1)).refused["r"]
    exported = session.export(gold=[Rating(id="g", task=first.id, on="quality", value=4)])
    values = {(v.about, v.value) for run in runs for v in run.verdicts()}
    assert {value for about, value in values if about == "answer"} == {4}
    ana = exported.quality[0]
    assert (ana.rated, ana.repeated.n, ana.repeated.value) == (1, 2, 0.5)
    assert (ana.gold.n, ana.gold.value) == (1, 1)
    (file, _) = session.write_files(tmp_path / "out")
    assert [(r.task, r.value) for r in read_ratings(file).ratings] == [(task.id, value) for task, _, value in sent]


def test_ratings_of_an_answer_that_is_gone_are_left_out_and_counted(session, runs, database):
    task = next(task for task in session.tasks("ana") if task.text == "the first words")
    receive(session, rating_of(task, "quality", 4))
    run = Run(runs[0].path)
    with run.writing():
        run.answers_journal.append(msgspec.structs.replace(run.answers()["q1", 0], text="anew"))
    (later,) = stored_sessions(database)
    exported = later.export()
    assert (exported.written, exported.left_out) == ([0, 0], 1)
    assert later.ratings("ana") == []


def test_a_run_that_somebody_writes_to_stops_the_export_and_loses_nothing(session, runs):
    receive(session, rating_of(with_hits(session), "quality", 4))
    with Run(runs[0].path).writing(), pytest.raises(RunError, match="another process"):
        session.export()
    assert sum(session.export().written) > 0


def test_a_second_start_goes_on(session, runs, database):
    again = open_session(database, settings(runs[::-1], repeat=0.5))
    assert again.tokens == session.tokens, "nobody named: those who are known"
    assert [t.id for t in again.tasks("ana")] == [t.id for t in session.tasks("ana")]
    with pytest.raises(SpecError, match=r"rated with --repeat 0.5, not 0; leave it so"):
        open_session(database, settings(runs))
    alone = open_session(database, settings(runs[:1]))
    assert list(alone.tokens) == ["rater"]


def test_what_was_rated_is_found_again(session, runs, database, tmp_path):
    moved = runs[0].path.rename(tmp_path / "moved")
    (found,) = stored_sessions(database, [str(moved), str(runs[1].path)])
    assert (found.tokens, found.assignment.set) == (session.tokens, session.assignment.set)
    with pytest.raises(InputError, match="holds no ratings of these 1 runs together"):
        stored_sessions(database, [str(moved)])


def test_a_database_without_ratings_is_said(database):
    with pytest.raises(InputError, match="holds no ratings of any runs"):
        stored_sessions(database)


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 101])
def test_a_name_that_cannot_be_one_is_refused(runs, database, name):
    with pytest.raises(SpecError, match="cannot be a rater's name"):
        open_session(database, settings(runs), [name])


def test_a_token_lets_in_one_rater(session):
    for name, token in session.tokens.items():
        assert session.rater(token) == name
        assert session.rater(token[:-1]) is session.rater(token + "x") is session.rater("é") is None
