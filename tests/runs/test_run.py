"""Run folders: what they keep, what they refuse, what survives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, RunError
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.runs.hidden_secrets import hide_secrets
from neraca.runs.run import Run

QUESTIONS = Dataset((Item(id="1", query="one"), Item(id="2", query="two")), "questions.csv")
TARGET = {"kind": "http", "url": "http://127.0.0.1:1/chat", "body": {"method": "api"}}


def test_a_run_keeps_its_items_whole(tmp_path: Path) -> None:
    item = Item(id="ü", query="¿dónde?", relevant={}, constraints={"price": Constraint(max=5)}, tags={"category": "x"})
    run = Run.create(tmp_path / "run", Dataset((item,), "q"), TARGET)
    assert Run(run.path).items == (item,)


def test_the_same_configuration_opens_the_same_run(tmp_path: Path) -> None:
    first = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    again = Run.create(tmp_path / "run", QUESTIONS, dict(reversed(TARGET.items())))
    assert again.manifest == first.manifest


def test_another_configuration_is_refused_with_the_difference(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", QUESTIONS, TARGET)
    with pytest.raises(RunError, match=r"target\.body\.method was 'api', is 'vector'.*--anew"):
        Run.create(tmp_path / "run", QUESTIONS, TARGET | {"body": {"method": "vector"}})
    other = Dataset((Item(id="1", query="one"),), "shorter.csv")
    with pytest.raises(RunError, match=r"2 of questions\.csv then, 1 of shorter\.csv now"):
        Run.create(tmp_path / "run", other, TARGET)


def test_anew_keeps_the_old_run_beside_the_new(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    with run.writing():
        run.answers_journal.append(Answer(item="1", text="old"))
    fresh = Run.create(tmp_path / "run", QUESTIONS, TARGET | {"url": "http://other"}, anew=True)
    assert fresh.answers() == {}
    (old,) = [path for path in tmp_path.iterdir() if path.name.startswith("run~")]
    assert Run(old).answers()["1", 0].text == "old"


def test_a_folder_with_other_things_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("do not lose me")
    with pytest.raises(RunError, match="not empty and not a run folder"):
        Run.create(tmp_path, QUESTIONS, TARGET)
    with pytest.raises(RunError, match=r"no manifest\.json"):
        Run(tmp_path)


def test_a_broken_manifest_is_said(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="cannot be read"):
        Run(tmp_path)


def test_items_that_were_cut_are_noticed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    lines = (run.path / "items.jsonl").read_bytes().splitlines(keepends=True)
    (run.path / "items.jsonl").write_bytes(lines[0])
    with pytest.raises(InputError, match="holds 1 items, the manifest says 2"):
        _ = Run(run.path).items


def test_the_newest_answer_counts(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    with run.writing():
        run.answers_journal.append(Answer(item="1", text="a", hits=(Hit(id="x", fields={"price": 1}),)))
        run.answers_journal.append(Answer(item="1", text="b"))
    assert run.answers()["1", 0].text == "b"
    assert run.missing() == 1


def test_the_same_verdict_is_written_once_and_a_changed_one_again(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    verdict = Verdict(item="1", about="hit:x", aspect="price", by="rules", value=1, why="fine")
    changed = Verdict(item="1", about="hit:x", aspect="price", by="rules", value=0, why="too dear")
    with run.writing():
        assert run.add_verdicts([verdict]) == 1
        assert run.add_verdicts([verdict]) == 0
        assert run.add_verdicts([changed]) == 1
    (newest,) = run.verdicts()
    assert (newest.value, newest.why) == (0, "too dear")
    assert newest.at
    assert len((run.path / "verdicts.jsonl").read_bytes().splitlines()) == 2


def test_two_writers_of_one_run_the_second_is_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    code = f"from neraca.runs.run import Run\nwith Run({str(run.path)!r}).writing(): pass"
    with run.writing():
        second = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert second.returncode != 0
    assert f"another process (pid {os.getpid()}) is writing" in second.stderr
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_secrets_do_not_reach_the_disk(tmp_path: Path) -> None:
    settings = {
        "kind": "http",
        "url": "https://ana:hunter2@shop.example/chat",
        "headers": {"Authorization": "Bearer abc123", "X-Api-Key": "k-987", "Accept": "text/plain"},
        "body": {"password": ["p1", "p2"], "message": "{query}"},
    }
    run = Run.create(tmp_path / "run", QUESTIONS, settings)
    written = (run.path / "manifest.json").read_text()
    assert not any(secret in written for secret in ("hunter2", "abc123", "k-987", "p1", "p2"))
    assert json.loads(written)["target"]["headers"]["Accept"] == "text/plain"
    assert hide_secrets({"tokenizer": "bert", "max_token": "a"})["tokenizer"] == "bert"
    changed = settings | {"headers": settings["headers"] | {"Authorization": "Bearer xyz"}}  # type: ignore[operator]
    with pytest.raises(RunError, match=r"headers\.Authorization was"):
        Run.create(tmp_path / "run", QUESTIONS, changed)
    assert hide_secrets({"headers": {"Authorization": "Bearer ${KEY}"}}) == {
        "headers": {"Authorization": "Bearer ${KEY}"}
    }


def test_a_folder_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    run.update(v=99)
    with pytest.raises(RunError, match="written by a newer Neraca"):
        Run(run.path)


def test_verdicts_come_in_the_order_of_the_newest(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    said = [("human:Ana", 1.0), ("human:Ben", 1.0), ("human:Ana", 0.0)]
    with run.writing():
        for who, value in said:
            run.add_verdicts([Verdict(item="1", about="hit:x", aspect="relevance", by=who, value=value)])
    assert [(verdict.by, verdict.value) for verdict in run.verdicts()] == [("human:Ben", 1), ("human:Ana", 0)]


def test_a_run_that_was_killed_before_its_manifest_was_written_begins_again(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    (run.path / "manifest.json").rename(run.path / ".manifest.json.abc")
    assert Run.create(tmp_path / "run", QUESTIONS, TARGET).items == QUESTIONS.items


def test_a_verdict_that_a_person_appended_without_a_newline_is_kept(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    line = b'{"item":"1","about":"hit:x","aspect":"relevance","by":"human:Ana","value":1}'
    (run.path / "verdicts.jsonl").write_bytes(line)
    assert [verdict.by for verdict in run.verdicts()] == ["human:Ana"]
    with run.writing():
        run.add_verdicts([Verdict(item="2", about="hit:x", aspect="price", by="rules", value=1)])
    assert [verdict.by for verdict in run.verdicts()] == ["human:Ana", "rules"]


@pytest.mark.parametrize("trials", [0, -1])
def test_a_run_without_trials_is_refused(tmp_path: Path, trials: int) -> None:
    with pytest.raises(RunError, match="at least once"):
        Run.create(tmp_path / "run", QUESTIONS, TARGET, trials=trials)


def test_nobody_begins_a_run_anew_under_its_writer(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    code = (
        "from neraca import Dataset, Item, Run\n"
        f"Run.create({str(run.path)!r}, Dataset((Item(id='1', query='x'),)), {{'kind': 'test'}}, anew=True)"
    )
    with run.writing():
        second = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "is writing to this run" in second.stderr
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(RunError, match="began this run anew in the meantime"), run.writing():
        pass


def test_a_corrected_constraint_is_taken_over_without_asking_again(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    with run.writing():
        run.answers_journal.append(Answer(item="1", text="kept"))
    corrected = Dataset((Item(id="1", query="one", expects="none"), Item(id="2", query="two")), "questions.csv")
    again = Run.create(tmp_path / "run", corrected, TARGET)
    assert again.answers()["1", 0].text == "kept"
    assert Run(run.path).items == corrected.items
    assert Run(run.path).manifest.fingerprint == corrected.fingerprint
    reworded = Dataset((Item(id="1", query="one"), Item(id="2", query="zwei")), "questions.csv")
    with pytest.raises(RunError, match=r"the questions differ .*; first at item 2"):
        Run.create(tmp_path / "run", reworded, TARGET)


def test_what_a_judge_decided_before_it_broke_off_is_kept(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)

    def half_way() -> Iterator[Verdict]:
        for number in range(2500):
            yield Verdict(item="1", about=f"hit:{number}", aspect="price", by="rules", value=1)
        raise ConnectionError("the model is gone")

    with pytest.raises(ConnectionError), run.writing():
        run.add_verdicts(half_way())
    assert len(run.verdicts()) == 2500


def test_a_person_may_come_back_to_her_first_word(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    word = Verdict(item="1", about="hit:x", aspect="relevance", by="human:Ana", value=1)
    with run.writing():
        assert [run.add_verdicts([word]), run.add_verdicts([word])] == [1, 1]


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "https://h.example/search?q=1&api_key=S3CRET"},
        {"headers": {"X-Auth": "S3CRET"}},
        {"headers": {"Ocp-Apim-Subscription-Key": "S3CRET"}},
        {"env": {"DB_PASSWD": "S3CRET"}},
        {"command": "bot --api-key S3CRET"},
        {"command": "bot --token=S3CRET"},
        {"command": ["bot", "--token", "S3CRET"]},
        {"command": ["bot", "--api-key=S3CRET"]},
        {"url": "https://u:S3CRET@h.example/${PATH_OF_CHAT}"},
        {"url": "https://h.example/?token=S3CRET&shop=${SHOP}"},
        {"headers": {"Authorization": "Bearer S3CRET${SUFFIX}"}},
        {"auth": {"user": "ana", "word": "S3CRET"}},
        {"auth": ["ana", "S3CRET"]},
        {"body": {"login": {"pass": "S3CRET"}}},
    ],
)
def test_secrets_in_many_shapes_are_hidden(settings: dict[str, object]) -> None:
    assert "S3CRET" not in str(hide_secrets(settings))


def test_what_only_looks_like_a_secret_is_shown() -> None:
    settings = {"tokenizer": "bert", "author": "Ana", "keyword": "sea", "url": "http://h/?page=1", "max_tokens": 500}
    assert hide_secrets(settings) == settings


def test_a_password_of_digits_is_hidden_and_hiding_again_changes_nothing() -> None:
    hidden = hide_secrets({"password": 4711, "url": "http://ana:4711@h/?key=4711", "headers": {"X-Key": "4711"}})
    assert "4711" not in str(hidden)
    assert hide_secrets(hidden) == hidden


def test_variables_are_kept_in_addresses_and_options() -> None:
    settings = {"url": "https://ana:${PASSWORD}@h/?key=${KEY}", "command": ["bot", "--token", "${TOKEN}"]}
    assert hide_secrets(settings) == settings


def test_a_finished_run_that_gets_more_trials_is_not_finished(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", QUESTIONS, TARGET)
    with run.writing():
        run.answers_journal.append(Answer(item="1"), Answer(item="2"))
        assert run.record_end() == 0
    assert Run(run.path).manifest.ended
    Run.create(tmp_path / "run", QUESTIONS, TARGET, trials=2)
    assert Run(run.path).manifest.ended == ""
    assert Run(run.path).missing() == 2


def test_verdicts_of_version_1_are_read(tmp_path):
    run = make_run(tmp_path / "r", [make_item("q1")], [make_answer("a b", item="q1")])
    run.verdicts_journal.path.write_bytes((Path(__file__).parent / "golden" / "verdicts-v1.jsonl").read_bytes())
    assert [(v.about, v.by, v.value, v.status, v.why) for v in run.verdicts()] == [
        ("hit:a", "rules", 1.0, "decided", "price: 3 is at most 5"),
        ("hit:b", "rules", None, "missing", "no price"),
        ("answer", "llm:m#1a2b3c", None, "not_applicable", "the answer has no text"),
        ("claim:1", "llm:m#1a2b3c", None, "unscored", "timeout: 30 s"),
        ("claim:2", "llm:m#1a2b3c", None, "withdrawn", "judged again without it"),
        ("answer", "human:Ana", 4.0, "decided", ""),
        ("answer", "human:Budi", None, "unscored", "I cannot tell: too long"),
        ("answer", "human:Budi", None, "not_applicable", "no words"),
    ]
    with run.writing():
        run.add_verdicts([make_verdict("c", "price", None, item="q1", status="missing", why="no price")])
    assert b'{"v":2,"item":"q1","about":"hit:c"' in run.verdicts_journal.path.read_bytes().splitlines()[-1]
    assert run.verdicts()[-1].status == "missing"


def test_a_verdict_has_a_value_or_a_reason():
    assert Verdict(item="1", about="answer", aspect="valid", by="llm:m").status == "unscored"
    with pytest.raises(ValueError, match="a verdict with a value is decided, not missing"):
        Verdict(item="1", about="answer", aspect="valid", by="llm:m", value=1, status="missing")
