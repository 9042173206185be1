"""A run made of traces is a run like any other; personal data do not reach it; unknown hits are never an empty list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_item, make_scorable, make_verdict

import neraca
from neraca.errors import InputError, RunError, SpecError
from neraca.judges.llm.yes_no import SupportedJudge
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Verdict
from neraca.traces.attributes import decoded
from neraca.traces.privacy import Privacy

GOLDEN = Path(__file__).with_name("golden")
PERSONAL = "Call +62 812-3456-7890 or ana@example.com"


def write(folder: Path, *turns: dict[str, Any]) -> Path:
    """Rows of Langfuse: a root for each turn, and a retrieval if it has `docs`."""
    rows: list[dict[str, Any]] = []
    for n, turn in enumerate(turns):
        common = {"trace_id": f"t{n}", "session_id": turn.get("session", ""), "user_id": turn.get("user", "")}
        times = {"start_time": f"2026-11-01 10:0{n}:00", "end_time": f"2026-11-01 10:0{n}:02"}
        root = {"id": f"r{n}", "parent_observation_id": "", "type": "CHAIN", "name": "answer"}
        content = {"input": turn["question"], "output": turn.get("answer"), "level": turn.get("level", "DEFAULT")}
        rows.append(common | times | root | content)
        if "docs" in turn:
            find = {"id": f"f{n}", "parent_observation_id": f"r{n}", "type": "RETRIEVER", "name": "find"}
            rows.append(common | times | find | {"output": turn["docs"]})
    folder.mkdir(exist_ok=True)
    path = folder / "langfuse.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


DOCS = [{"id": "d1", "text": "Two floors."}]


def test_the_run_holds_questions_and_answers_by_time(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x",
        {"question": "How many floors?", "answer": "Two.", "docs": DOCS, "session": "s"},
        {"question": "And rooms?", "answer": "Three.", "session": "s"},
        {"question": "Where?", "level": "ERROR"},
        {"question": "When?"},
    )
    reading = neraca.read_traces(path, tmp_path / "run")
    run = neraca.Run(tmp_path / "run")
    assert [(item.id, item.query, item.session) for item in run.items] == [
        ("t0", "How many floors?", "s"),
        ("t1", "And rooms?", "s"),
        ("t2", "Where?", None),
        ("t3", "When?", None),
    ]
    answers = run.answers()
    assert [(a.status, a.text, len(a.hits), bool(a.unknown_hits)) for a in answers.values()] == [
        ("complete", "Two.", 1, False),
        ("complete", "Three.", 0, True),
        ("error", "", 0, True),
        ("suspect", "", 0, True),
    ]
    assert answers["t0", 0].at == "2026-11-01T10:00:00.000Z"
    assert (run.manifest.ended != "", run.manifest.target["kind"]) == (True, "traces")
    assert [row["hits"] for row in reading.rows()] == [["d1"], None, None, None]


def test_the_questions_of_a_run_can_be_asked_again(tmp_path: Path) -> None:
    path = write(tmp_path / "x", {"question": "How many floors?", "answer": "Two.", "session": "s"})
    neraca.read_traces(path, tmp_path / "run")
    again = neraca.ask(tmp_path / "run", lambda query: "Two floors.", tmp_path / "new")
    assert list(again.items) == list(neraca.Run(tmp_path / "run").items)
    values = neraca.score([tmp_path / "run", tmp_path / "new"], "Words")["Words"]
    assert dict(values) == {"run": 1, "new": 2}
    with pytest.raises(InputError, match="the folder of a run is not a table; leave columns out"):
        neraca.read_dataset(tmp_path / "run", columns={"query": "question"})


def test_reading_again_changes_nothing_and_other_traces_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x", {"question": "Where?", "answer": "Here.", "user": "ana"})
    first = neraca.read_traces(path, tmp_path / "run")
    before = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir() if file.suffix == ".jsonl"}
    again = neraca.read_traces(path, tmp_path / "run")
    assert {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir() if file.suffix == ".jsonl"} == before
    assert first.rows() == again.rows()
    write(tmp_path / "x", {"question": "Where else?", "answer": "Here.", "user": "ana"})
    with pytest.raises(RunError, match=r"the questions differ .* start anew with --anew"):
        neraca.read_traces(path, tmp_path / "run")
    neraca.read_traces(path, tmp_path / "run", anew=True)
    assert neraca.Run(tmp_path / "run").items[0].query == "Where else?"


def test_users_are_hashed_with_the_salt_of_the_run(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x", *({"question": "Where?", "answer": "Here.", "user": user} for user in ("ana", "ana", "budi"))
    )
    users = []
    for name in ("one", "two"):
        neraca.read_traces(path, tmp_path / name)
        users.append([item.extra["from_trace"]["user"] for item in neraca.Run(tmp_path / name).items])
        assert (tmp_path / name / "users.salt").stat().st_mode & 0o077 == 0
    (a, same, b), others = users
    assert a == same != b
    assert not {a, b} & set(others)
    assert b"budi" not in (tmp_path / "one" / "items.jsonl").read_bytes()


def test_the_same_traces_read_again_under_another_salt_are_the_same_questions(tmp_path: Path) -> None:
    path = write(tmp_path / "x", {"question": "Where?", "answer": "Here.", "user": "ana"})
    for name in ("one", "two"):
        neraca.read_traces(path, tmp_path / name)
    one, two = (neraca.Run(tmp_path / name) for name in ("one", "two"))
    assert one.items[0].extra != two.items[0].extra
    assert one.manifest.fingerprint == two.manifest.fingerprint
    assert neraca.score([one, two], "Words").mean("Words", "one") == 1


def test_json_that_is_nested_too_deeply_inside_a_text_stays_text() -> None:
    deep = '{"a": ' * 101 + "1" + "}" * 101
    assert decoded(deep) == deep
    assert decoded(f"{deep[6:-1]}") != deep[6:-1]
    wide = json.dumps([[n] for n in range(500)])
    assert decoded(wide) == [[n] for n in range(500)]


def test_whole_numbers_keys_names_and_ids_are_masked_too(tmp_path: Path) -> None:
    privacy = Privacy(b"0" * 32)
    plain = {"rooms": 3, "is_new": True, "price": 0.5, "at": 1764201234567, "1764201234567": 1764201234567890}
    assert privacy.value(plain) == plain
    [(key, value)] = privacy.value({"ana@example.com": {"card": 4111111111111111, "phone": 6281234567890}}).items()
    assert ("ana" in key, value) == (False, {"card": "[card]", "phone": "[phone]"})
    ids = ["2026112700000001", "2026112700000002", "0812-3456-7890", "550e8400-e29b-41d4-a716-446655440000"]
    assert [privacy.id(name) for name in ids] == ids
    assert privacy.masked == {"e-mail": 1, "card": 1, "phone": 1}
    path = write(
        tmp_path / "x",
        {"question": "Where?", "answer": "Here.", "docs": [{"id": f"https://x?e={PERSONAL}", "text": "t"}]},
    )
    neraca.read_traces(path, tmp_path / "run")
    written = b"".join(file.read_bytes() for file in (tmp_path / "run").glob("*.jsonl"))
    assert b"ana@example.com" not in written


def test_personal_data_are_masked_in_all_texts_and_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x",
        {"question": PERSONAL, "answer": PERSONAL, "docs": [{"id": "d", "text": PERSONAL, "owner": PERSONAL}]},
    )
    reading = neraca.read_traces(path, tmp_path / "run")
    written = b"".join(file.read_bytes() for file in (tmp_path / "run").glob("*.jsonl"))
    assert (b"ana@example.com" in written, b"812-3456" in written) == (False, False)
    assert reading.privacy.masked == {"e-mail": 4, "phone": 4}
    assert "Masked before anything was written: e-mail 4, phone 4." in str(reading)
    neraca.read_traces(path, tmp_path / "plain", masks=False)
    assert neraca.Run(tmp_path / "plain").items[0].query == PERSONAL


def test_a_function_of_the_user_sees_every_text(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x", {"question": "Mr Hadi asks", "answer": "Hadi!", "docs": [{"id": "d", "text": "of Hadi"}]}
    )
    neraca.read_traces(path, tmp_path / "run", redact=lambda text: text.replace("Hadi", "[name]"))
    answer = neraca.Run(tmp_path / "run").answers()["t0", 0]
    assert (answer.text, answer.hits[0].text) == ("[name]!", "of [name]")
    with pytest.raises(SpecError, match="must return text, not None"):
        neraca.read_traces(path, redact=lambda text: None)  # type: ignore[arg-type,return-value]


def test_hits_that_are_unknown_are_not_scored_as_none() -> None:
    pairs = [
        (make_item("1", relevant={"d": 1.0}, expects="results"), make_answer("d")),
        (
            make_item("2", relevant={"d": 1.0}, expects="results"),
            make_answer("", item="2", unknown_hits="not recorded"),
        ),
        (make_item("3", relevant={"d": 1.0}, expects="results"), make_answer("", item="3")),
    ]
    for name in ("P@1", "RR", "nDCG@10", "Success", "Coverage"):
        counts = score_metric(Metric.of(name), make_scorable(pairs))
        assert counts.values[[0, 2]].tolist() == [1, 0], name
        assert (counts.values[1] != counts.values[1], counts.why[1]) == (True, "not recorded"), name


def test_faithfulness_is_unknown_without_recorded_contexts() -> None:
    answers = [Answer(item=n, text="Two.", unknown_hits=why) for n, why in (("1", ""), ("2", "not recorded"))]
    verdicts = []
    for n, contexts in (("1", 0.0), ("2", None)):
        said = {"item": n, "by": "llm:m#1"}
        status = {} if contexts is not None else {"status": "missing", "why": "not recorded"}
        verdicts += [
            Verdict(about="answer", aspect="claims", value=1, **said),
            Verdict(about="answer", aspect="contexts", value=contexts, **said, **status),
            Verdict(about="claim:1", aspect="claim", value=1, **said),
            Verdict(about="claim:1", aspect="supported", value=contexts, **said, **status),
        ]
    part = make_scorable([(make_item(a.item), a) for a in answers], verdicts)
    counts = score_metric(Metric.of("Faithfulness"), part)
    assert counts.values[0] == 0
    assert counts.values[1] != counts.values[1]
    assert "not recorded" in counts.why[1]


def test_the_judge_supported_does_not_ask_about_unknown_contexts() -> None:
    judge = SupportedJudge({"model": "openai:m"})
    outcome = judge.prompt_data(make_item(), Answer(item="1", text="Two.", unknown_hits="not recorded"))
    assert (outcome.value, outcome.status, outcome.why) == (None, "missing", "not recorded")  # type: ignore[union-attr]


def test_constraints_are_unscored_if_the_hits_are_unknown() -> None:
    pairs = [
        (make_item("1", "price"), make_answer("d")),
        (make_item("2", "price"), make_answer("", item="2", unknown_hits="not recorded")),
    ]
    counts = score_metric(Metric.of("PassRatio"), make_scorable(pairs, [make_verdict("d", "price", 1)]))
    assert counts.why[1] == "not recorded"
    assert not counts.why[0]
