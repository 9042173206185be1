"""`neraca traces back`: verdicts on a run of traces, in the forms of three tools, to files and to servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_item, make_run
from traces.exports import body, turn
from traces.tool_server import tool_server
from web.receiving import post, receiving

from neraca.errors import InputError, SpecError
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.scores.evaluations import evaluations

Cli = Callable[..., Any]


@pytest.fixture
def run(cli: Cli, tmp_path: Path) -> Run:
    """Three turns as traces of OpenTelemetry; a model judged all answers, and Ana the first."""
    (tmp_path / "export.json").write_bytes(body(*(turn(n) for n in (1, 2, 3))))
    assert cli("traces", tmp_path / "export.json", "--out", tmp_path / "live").code == 0
    run = Run(tmp_path / "live")
    ids = [item.id for item in run.items]
    with run.writing():
        run.add_verdicts(
            [
                *(
                    Verdict(item=item, about="answer", aspect="valid", by="llm:m#1", value=float(n > 0), why=f"w{n}")
                    for n, item in enumerate(ids)
                ),
                Verdict(item=ids[0], about="answer", aspect="quality", by="human:Ana", value=4.0, why="friendly"),
                Verdict(item=ids[1], about="claim:1", aspect="faithful", by="llm:m#1", value=1.0),
                Verdict(item=ids[2], about="answer", aspect="declines", by="phrases", status="missing", why="none"),
            ]
        )
    return run


def test_a_file_for_each_tool_holds_every_decided_verdict_on_an_answer(cli: Cli, run: Run, tmp_path: Path) -> None:
    for tool in ("langfuse", "otlp", "phoenix"):
        told = cli("traces", "back", run.path, "--to", tool, "--out", tmp_path / f"{tool}.jsonl")
        assert told.code == 0, told.err
        assert f"4 values for {tool}." in told.out
    [langfuse] = map(json.loads, (tmp_path / "langfuse.jsonl").read_text(encoding="utf-8").splitlines())
    first = langfuse["batch"][0]["body"]
    assert first["traceId"] == f"{1:032x}"
    assert first["observationId"] == f"{1:016x}"
    assert {"name": "valid", "value": 0.0, "comment": "w0", "dataType": "NUMERIC"}.items() <= first.items()
    [phoenix] = map(json.loads, (tmp_path / "phoenix.jsonl").read_text(encoding="utf-8").splitlines())
    kinds = [(each["name"], each["annotator_kind"], each["result"].get("label")) for each in phoenix["data"]]
    assert kinds == [
        ("valid", "LLM", "fail"),
        ("valid", "LLM", "pass"),
        ("valid", "LLM", "pass"),
        ("quality", "HUMAN", None),
    ]


def test_metrics_go_back_turn_by_turn_with_the_reasons_of_low_verdicts(run: Run) -> None:
    values = {(each.item, each.name): (each.value, each.why) for each in evaluations(run, "Valid Words", by="llm:m")}
    first, second = (item.id for item in run.items[:2])
    assert values[first, "Valid"] == (0.0, "w0")
    assert values[second, "Valid"] == (1.0, "")
    assert values[second, "Words"] == (1.0, "")


def test_sending_twice_makes_no_duplicates_and_says_so(cli: Cli, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHOENIX_API_KEY", "px-secret-key")
    with tool_server() as server:
        words = ("traces", "back", run.path, "--to", "phoenix", "--url", server.address)
        told = cli(*words)
        assert told.code == 0, told.err
        assert "4 sent." in told.out
        assert "0 sent, 4 sent before and not changed." in cli(*words).out
        assert (len(server.held), len(server.requests)) == (4, 1)
        server.known_spans = set()
        with run.writing():
            run.add_verdicts([Verdict(item=run.items[0].id, about="answer", aspect="valid", by="llm:m#1", value=1.0)])
        refused = cli(*words)
        assert refused.code == 3
        assert "1 refused: the server does not know the span." in refused.out


def test_our_own_receiver_takes_them_and_its_run_stays_as_it_is(cli: Cli, tmp_path: Path) -> None:
    live = tmp_path / "runs" / "live"
    with receiving(live) as server:
        assert post(server.port, body(turn(1), turn(2))).status == 200
        assert server.end()[0] == 0
    run = Run(live)
    before = [*run.items], dict(run.answers())
    with run.writing():
        run.add_verdicts(
            Verdict(item=item.id, about="answer", aspect="valid", by="llm:m#1", value=1.0) for item in run.items
        )
    with receiving(live) as server:
        told = cli("traces", "back", live, "--to", "otlp", "--url", server.address)
        assert told.code == 0, told.err
        assert "2 sent." in told.out
        code, _, err = server.end()
        assert (code, "Traceback" in err) == (0, False)
    after = Run(live)
    assert ([*after.items], dict(after.answers())) == before
    assert len(after.verdicts()) == 2


@pytest.mark.parametrize(
    "words, message",
    [
        (["back", "x", "--out", "f"], "name the tool: --to langfuse, --to otlp or --to phoenix"),
        (["back", "x", "--to", "langfuse"], "give either --out FILE, to write requests, or --url SERVER"),
        (["back", "--to", "langfuse", "--out", "f"], "name one run"),
        (["back", "x", "--to", "phenix", "--out", "f"], "not to 'phenix'"),
        (["export.json", "--to", "otlp"], "--to is for `neraca traces back RUN`"),
    ],
)
def test_wrong_usage_says_what_to_do(words: list[str], message: str, cli: Cli) -> None:
    told = cli("traces", *words)
    assert told.code == 2
    assert message in " ".join(told.err.split())


def test_answers_of_another_system_never_go_to_the_traces_of_the_first(tmp_path: Path) -> None:
    item = make_item(extra={"from_trace": {"trace": f"{1:032x}", "span": f"{1:016x}"}})
    verdict = Verdict(item="1", about="answer", aspect="valid", by="llm:m", value=1.0)
    asked = make_run(tmp_path / "new", [item], [make_answer(text="Two.")], [verdict])
    with pytest.raises(InputError, match="are not those of recorded traces"):
        evaluations(asked)


def test_without_verdicts_on_answers_metrics_are_asked_for(run: Run) -> None:
    with pytest.raises(InputError, match="name metrics, such as -m Faithfulness"):
        evaluations(run, by="phrases")
    with pytest.raises(SpecError):
        evaluations(run, "Valid", by="nobody")
