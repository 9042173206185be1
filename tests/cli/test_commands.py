"""The commands, as a user types them, on a small study of a shop search."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from neraca.runs.run import Run

Cli = Callable[..., Any]
SHOP = Path(__file__).parent / "shop"


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study of two searches in one shop."""
    shutil.copytree(SHOP, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_runs(cli: Cli, shop: Path) -> tuple[Path, Path]:
    for name in ("by_words", "by_letters"):
        asked = cli("ask", "questions.csv", "--target", f"python:bot.py:{name}", "--out", shop / name)
        assert asked.code == 0, asked.err
        assert "6 complete of 6 questions" in asked.out
    judged = cli("judge", shop / "by_words", shop / "by_letters")
    assert judged.code == 0, judged.err
    assert "new verdicts by rules" in judged.out
    return shop / "by_words", shop / "by_letters"


def test_the_version(cli: Cli) -> None:
    told = cli("--version")
    assert (told.code, told.out) == (0, f"neraca {version('neraca')}\n")
    assert "--version" in cli("--help").out


def test_recorded_answers_that_are_no_utf8(cli: Cli, shop: Path) -> None:
    Path("answers.csv").write_bytes("query,response\n¿año?,mañana\n".encode("cp1252"))
    told = cli("ask", "questions.csv", "--target", "replay:answers.csv", "--out", "run")
    assert told.code == 2
    assert "answers.csv line 2: byte 1 (0xbf) is not UTF-8; save the file as UTF-8" in told.err
    Path("target.toml").write_text('kind = "replay"\nfile = "answers.csv"\nencoding = "cp1252"\n')
    Path("questions.csv").write_text("query\n¿año?\n", encoding="utf-8")
    assert cli("ask", "questions.csv", "--target", "target.toml", "--out", "run").code == 0


def test_columns_that_are_not_used_are_named(cli: Cli, shop: Path) -> None:
    Path("soal.csv").write_text("pertanyaan,sesi,kategori,harga,batassan\nrooms?,s1,a,1,\n", encoding="utf-8")
    told = cli("ask", "soal.csv", "--target", "python:bot.py:by_words", "--out", "run")
    assert "soal.csv: columns not used: harga, batassan; did you mean constraints for batassan?" in told.err
    item = Run(Path("run")).items[0]
    assert (item.session, item.tags, item.extra["harga"]) == ("s1", {"category": "a"}, "1")


def test_a_study_whose_metric_is_not_scored_ends_with_the_reason(cli: Cli, shop: Path) -> None:
    study = Path("study.toml").read_text()
    Path("study.toml").write_text(study.replace('choose = "nDCG(empty=correct)@10"', 'choose = "Faithfulness"'))
    told = cli("run", "study.toml")
    assert told.code == 3
    assert "Nothing was chosen: Faithfulness is not scored on any question that all targets answered" in told.out
    assert "Chosen by" not in told.out


def test_a_study_is_run_and_reported(cli: Cli, shop: Path) -> None:
    told = cli("run", "study.toml")
    assert told.code == 0, told.err
    assert "Chosen by nDCG(empty=correct)@10: words" in told.out
    assert (shop / "results/study/search/report.html").stat().st_size > 10_000
    assert (shop / "results/study/search/report.md").exists()
    assert len(Run(shop / "results/study/search/words").answers()) == 6


def test_a_second_run_of_a_study_asks_nothing_and_says_the_same(cli: Cli, shop: Path) -> None:
    first = cli("run", "study.toml")
    (shop / "bot.py").write_text(
        "def by_words(query):\n    raise RuntimeError('asked again')\n\nby_letters = by_words\n"
    )
    second = cli("run", "study.toml")
    assert second.code == 0, second.err
    assert second.out == first.out


def test_run_as_json_prints_score_rows_and_nothing_else(cli: Cli, shop: Path) -> None:
    found = rows(cli("run", "study.toml", "--json").out)
    assert {row["run"] for row in found} == {"words", "letters"}
    assert set(found[0]) == {"phase", "run", "group", "metric", "value", "low", "high", "n", "unscored", "method"}


def test_score_overall_per_group_and_per_item(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    words = ("score", *two_runs, "-m", "P@5 RR", "--json")
    found = {(row["run"], row["metric"]): row for row in rows(cli(*words).out)}
    assert found["by_words", "P@5"]["n"] + found["by_words", "P@5"]["unscored"] == 6
    grouped = rows(cli(*words, "--group", "category").out)
    assert "category=clothes" in {row["group"] for row in grouped}
    single = rows(cli(*words, "-q").out)
    assert {row["item"] for row in single} == {f"q{n}" for n in range(1, 7)}
    carpet = next(row for row in single if row["item"] == "q6" and row["run"] == "by_words" and row["metric"] == "RR")
    assert (carpet["value"], carpet["why"][:13]) == (None, "correct empty")
    table = cli("score", *two_runs, "-m", "P@5", "-q", "-g", "category")
    assert "relevance by rules" in table.out
    assert [line.split()[:3] for line in table.out.splitlines() if line.startswith("clothes")] == [
        ["clothes", "by_words", "3"],
        ["clothes", "by_letters", "3"],
    ]


def test_the_numbers_are_those_worked_by_hand(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    """q1 'red shoes under 50': by words red matches 1, 2 and 4 in file order; only 1 is a red shoe under 50."""
    single = rows(cli("score", two_runs[0], "-m", "P@5 RR SetP PassRatio", "-q", "--json").out)
    q1 = {row["metric"]: row["value"] for row in single if row["item"] == "q1"}
    assert q1["RR"] == 1
    assert q1["P@5"] == pytest.approx(1 / 5)
    assert q1["SetP"] == pytest.approx(1 / 3)
    assert q1["PassRatio"] == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)


def test_compare_prints_differences_and_a_conclusion(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    (found,) = rows(cli("compare", *two_runs, "-m", "RR", "--json").out)
    assert (found["a"], found["b"], found["test"], found["correction"]) == ("by_words", "by_letters", "t", "holm")
    assert found["wins"] + found["ties"] + found["losses"] == found["n"]
    told = cli("compare", *two_runs, "-m", "RR P@5", "--primary", "RR")
    assert told.code == 0, told.err
    assert "by_words − by_letters" in told.out


UNITS = {1: "all 12 questions are of one session, and each counts as one observation", 3: "no interval and no test"}


@pytest.mark.parametrize("sessions", [1, 3, 6])
def test_every_command_says_what_counts_as_one_observation(cli: Cli, tmp_path: Path, sessions: int) -> None:
    table = tmp_path / "values.csv"
    lines = [f"q{n},s{n * sessions // 12},u{n % 7},{n % 5 / 5},{n % 5 / 5 + 0.1 + n % 3 / 10}" for n in range(12)]
    table.write_text("\n".join(["id,session,user,old,new", *lines]))
    for words in (("score",), ("compare",), ("reliability",), ("report", "--to", tmp_path / "report.md")):
        told = cli(words[0], table, *words[1:])
        said = told.err if words[0] != "report" else (tmp_path / "report.md").read_text().replace("All 12", "all 12")
        assert [sessions == one for one, note in UNITS.items() if note in said] == [True] * (sessions < 6), words
    (found,) = rows(cli("compare", table, "--json").out)
    assert (found["p"] is None) == (sessions == 3)
    for unit in ("question", "user"):
        (found,) = rows(cli("compare", table, "--unit", unit, "--json").out)
        assert found["p"] < 0.05
    assert "did you mean user" in cli("compare", table, "--unit", "users").err
    assert ("make fewer than 6 observations" in cli("power", table, "--unit", "session").err) == (sessions < 6)
    words = ("gate", table, "--response", "new", "--against", "old", "--rule", "Value > baseline", "--strict")
    assert (cli(*words).code, cli(*words, "--unit", "question").code) == (int(sessions < 6), 0)


def test_score_says_how_its_intervals_were_made(cli: Cli, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    words = ("score", *two_runs, "-m", "P@5 Success", "--unit", "question")
    t, bca = (rows(cli(*words, "--json", *more).out) for more in ((), ("--intervals", "bca")))
    assert [row["value"] for row in t] == [row["value"] for row in bca]
    assert [row["low"] for row in t if row["metric"] == "P@5"] != [r["low"] for r in bca if r["metric"] == "P@5"]
    assert [row["low"] for row in t if row["metric"] != "P@5"] == [r["low"] for r in bca if r["metric"] != "P@5"]
    assert "\n95 % intervals" in cli(*words).out
    told = cli(*words, "--intervals", "bca").out
    assert "\n95 % intervals (BCa bootstrap; of shares Wilson's)" in told
    assert "known: t, bca, percentile" in cli(*words, "--intervals", "bootstrap").err
    cli("report", *two_runs, "--to", tmp_path / "r.md", "-m", "P@5", "--intervals", "percentile", "--unit", "question")
    assert "percentile bootstrap" in (tmp_path / "r.md").read_text()


def test_corrections_are_chosen_by_name_and_effects_have_intervals(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    words = ("compare", *two_runs, "-m", "RR P@5 SetP", "--unit", "question")
    found = {name: rows(cli(*words, "--correction", name, "--json").out) for name in ("bh", "bonferroni", "none")}
    p = [row["p"] for row in found["none"]]
    assert [row["p_adjusted"] for row in found["bonferroni"]] == pytest.approx(
        [p[0], *(min(1, 2 * one) for one in p[1:])]  # the first metric is primary, a family of its own
    )
    assert max(row["p_adjusted"] for row in found["bh"]) == pytest.approx(max(p))
    told_of = [row for row in found["bh"] if row["effect_low"] is not None]
    assert all(row["effect_low"] < row["effect"] < row["effect_high"] for row in told_of)
    told = cli(*words, "--correction", "bh").out
    assert "each group corrected by itself (Benjamini and Hochberg" in " ".join(told.split())
    row = told_of[0]
    assert f"{row['effect']:.2f} ({row['effect_low']:.2f} to {row['effect_high']:.2f})".replace("-", "−") in told


def test_report_to_html_and_markdown_and_nothing_else(cli: Cli, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    for name, title in (("r.html", "Shoes &amp; hats"), ("r.md", "# Shoes & hats")):
        told = cli("report", *two_runs, "--to", tmp_path / name, "-m", "P@5 RR", "--title", "Shoes & hats")
        assert told.code == 0, told.err
        assert title in (tmp_path / name).read_text()
    assert cli("report", *two_runs, "--to", tmp_path / "r.odt", "-m", "P@5").code == 2
    assert cli("report", two_runs[0], "--to", tmp_path / "one.html", "-m", "P@5").code == 0


def test_report_and_compare_correct_alike_where_no_metric_was_declared(
    cli: Cli, two_runs: tuple[Path, Path], tmp_path: Path
) -> None:
    """A metric that is only the first one named is no family of its own."""
    assert cli("report", *two_runs, "--to", tmp_path / "r.md", "-m", "P@5 RR").code == 0
    told = (tmp_path / "r.md").read_text()
    assert "No primary metric was declared" in told
    cells = [line.split(" | ") for line in told.splitlines() if " − " in line]
    first, other = rows(cli("compare", *two_runs, "-m", "P@5 RR", "--json").out)
    (detailed,) = [line for line in cells if "Precision@5" in line[0]]
    assert detailed[6] == f"{first['p_adjusted']:.3f}"
    assert re.search(rf"^\| RR \| .*\(p {other['p_adjusted']:.3f}\) \|$", told, re.MULTILINE)


@pytest.mark.parametrize(
    "words, told",
    [
        (("score", "nowhere", "-m", "P@5"), "nowhere: not a run folder"),
        (("run", "nowhere.toml"), "no such file; `neraca init` writes one"),
        (("ask", "questions.csv", "--target", "bot", "--out", "x"), "cannot read target 'bot'"),
        (("ask", "questions.csv", "--target", "t.toml", "--out", "x"), "t.toml: no such file"),
        (("ask", "nothing.csv", "--target", "python:bot.py:by_words", "--out", "x"), "nothing.csv"),
        (
            ("ask", "questions.csv", "--target", "python:bot.py:by_words", "--out", "x", "--query-column", "Frage"),
            'no column "Frage"',
        ),
        (
            ("ask", "questions.csv", "--target", "python:bot.py:b", "--out", "x", "--column", "query"),
            "--column 'query'",
        ),
        (("metrics", "NDGC"), "did you mean nDCG"),
        (("metrics", "--plugin", "none.py"), "none.py: no such file"),
        (("doctor", "--target", "carrier-pigeon:x"), "no target is called 'carrier-pigeon'"),
    ],
)
def test_wrong_input_is_one_clear_line_and_exit_code_2(cli: Cli, shop: Path, words: tuple[str, ...], told: str) -> None:
    found = cli(*words)
    assert found.code == 2
    assert told in found.err
    assert found.err.startswith("neraca: ")
    assert "Traceback" not in found.err
    assert found.out == ""


def test_an_unknown_judge_is_said(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    told = cli("judge", two_runs[0], "--judge", "ruels")
    assert told.code == 2
    assert "did you mean rules" in told.err


def test_judging_twice_writes_nothing_new(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    (again,) = rows(cli("judge", two_runs[0], "--json").out)
    assert again["new_verdicts"] == 0


def test_a_run_with_failed_questions_exits_with_3_and_says_how_to_go_on(cli: Cli, shop: Path) -> None:
    (shop / "bad.py").write_text("def bot(query):\n    return 'fine' if 'hat' in query else 1 / 0\n")
    told = cli("ask", "questions.csv", "--target", "python:bad.py:bot", "--out", "bad")
    assert told.code == 3
    assert "5 questions have no answer; --retry-failed" in told.out
    assert "the commonest reason (5 of 5): bad.py:bot raised ZeroDivisionError: division by zero" in told.out
    (found,) = rows(cli("ask", "questions.csv", "--target", "python:bad.py:bot", "--out", "bad", "--json").out)
    assert (found["complete"], found["error"]) == (1, 5)


def test_metrics_are_listed_and_explained(cli: Cli) -> None:
    listed = cli("metrics").out.splitlines()
    heads = [line.partition(":")[0] for line in listed if line and not line.startswith((" ", "`"))]
    assert heads[:4] == ["ranking", "text", "RAG", "constraints"]
    assert listed.index(next(line for line in listed if line.split()[:1] == ["ROUGE-L"])) > listed.index(
        next(line for line in listed if line.startswith("text"))
    )
    assert "parameters: model, of=rate" in cli("metrics", "CWL").out
    kinds = {row["metric"]: row["kind"] for row in rows(cli("metrics", "--json").out)}
    names = set(kinds)
    assert (kinds["nDCG"], kinds["chrF"], kinds["PassRate"]) == ("ranking", "text", "constraints")
    assert {"P", "SetP", "SetR", "RR", "AP", "nDCG", "Success", "Coverage", "PassRatio", "PassRate"} <= names
    text = cli("metrics", "TokenF1").out
    assert "tokens: how words are read: word, space, char" in text
    assert "language: such as es" in text
    one = cli("metrics", "nDCG(gains=linear)@10").out
    assert "tokens:" not in one
    assert one.startswith("nDCG@10\n")
    assert "Järvelin" in one
    assert "gains=linear" in one


def test_a_users_own_metric_from_a_file(cli: Cli, shop: Path) -> None:
    (shop / "mine.py").write_text(
        "from neraca import metric\n\n"
        '@metric("Shouts", better="lower")\n'
        "def shouts(response: str) -> float:\n"
        '    "Share of capital letters."\n'
        "    return sum(c.isupper() for c in response) / max(len(response), 1)\n"
    )
    assert cli("ask", "questions.csv", "--target", "python:bot.py:by_words", "--out", "own").code == 0
    told = cli("score", "own", "-m", "Shouts", "--plugin", "mine.py", "--json", "-q")
    q1 = next(row for row in rows(told.out) if row["item"] == "q1")
    response = Run("own").answers()["q1", 0].text
    assert q1["value"] == pytest.approx(1 / len(response)), "one capital: the I of 'I found'"


def test_doctor_says_what_is_installed_and_tries_a_target(cli: Cli, shop: Path) -> None:
    assert "extra demo: installed" in cli("doctor").out
    told = cli("doctor", "--target", "python:bot.py:by_words", "--question", "green hat")
    assert told.code == 0, told.err
    assert "status: complete" in told.out
    assert "1. id=5" in told.out
    assert "colour=green" in told.out
    assert cli("doctor", "--target", "http://127.0.0.1:9/chat").code == 3
    (shop / "silent.py").write_text("def bot(query):\n    return ''\n")
    assert "status: complete" in cli("doctor", "--target", "study.toml", "--question", "green hat").out
    (shop / "sub").mkdir()
    os.chdir(shop / "sub")
    assert "1. id=5" in cli("doctor", "--target", "../study.toml", "--question", "green hat").out
    os.chdir(shop)
    assert "nothing was understood" in cli("doctor", "--target", "python:silent.py:bot").out


def test_every_command_explains_itself(cli: Cli) -> None:
    top = cli("--help")
    assert top.code == 0
    for name in ("demo", "init", "run", "ask", "judge", "score", "compare", "report", "metrics", "doctor"):
        assert name in top.out
        assert cli(name, "--help").code == 0
    assert cli("score").code == 2


def test_what_the_system_refuses_is_one_line(cli: Cli, two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = cli("report", two_runs[0], "--to", tmp_path / "file" / "r.html", "-m", "P@5")
    assert told.code == 2
    assert told.err.startswith("neraca: ")
    assert "Traceback" not in told.err
    assert cli("ask", "questions.csv", "--target", "python:bot.py:by_words", "--out", tmp_path / "file").code == 2


def test_a_terminal_is_not_steered_by_an_answer(cli: Cli, shop: Path) -> None:
    (shop / "loud.py").write_text("def bot(query):\n    return '\\x1b[2J\\x1b]0;title\\x07gone'\n")
    told = cli("doctor", "--target", "python:loud.py:bot")
    assert "gone" in told.out
    assert "\x1b" not in told.out


def test_a_table_with_an_unusual_delimiter(cli: Cli, shop: Path) -> None:
    (shop / "pipes.csv").write_text("question|category\ngreen hat|a\nred shoe|b\n")
    told = cli("ask", "pipes.csv", "--target", "python:bot.py:by_words", "--out", "pipes", "--delimiter", "|")
    assert "2 complete of 2 questions" in told.out


@pytest.fixture
def beir(shop: Path) -> Path:
    """A BEIR folder of three questions, and a program that gives the same three documents to each."""
    (shop / "tiny/qrels").mkdir(parents=True)
    texts = {"q1": "what cures a cold", "q2": "is tea healthy", "q3": "who found aspirin"}
    lines = [json.dumps({"_id": name, "text": text, "metadata": {}}) for name, text in texts.items()]
    (shop / "tiny/queries.jsonl").write_text("\n".join(lines))
    judged = ["query-id\tcorpus-id\tscore", "q1\td1\t2", "q1\td2\t1", "q2\td2\t1", "q3\td9\t1"]
    (shop / "tiny/qrels/test.tsv").write_text("\n".join(judged))
    (shop / "fixed.py").write_text("def bot(query):\n    return [{'id': name} for name in ('d2', 'd3', 'd1')]\n")
    return shop / "tiny"


def test_a_beir_folder_is_asked_and_scored(cli: Cli, beir: Path) -> None:
    """q1: DCG 1/log2(2) + 2/log2(4) = 2, ideal 2/log2(2) + 1/log2(3) = 2.63093; q2: the first; q3: none."""
    told = cli("ask", beir, "--target", "python:fixed.py:bot", "--out", "asked")
    assert told.code == 0, told.err
    assert "3 complete of 3 questions" in told.out
    found = {(row["item"], row["metric"]): row["value"] for row in rows(cli(*SCORE, "-q").out)}
    assert found["q1", "nDCG@10"] == pytest.approx(2 / 2.6309297536)
    assert [found[name, "nDCG@10"] for name in ("q2", "q3")] == [1, 0]
    assert [found[name, "P@1"] for name in ("q1", "q2", "q3")] == [1, 1, 0]
    assert {row["metric"]: row["n"] for row in rows(cli(*SCORE).out)} == {"nDCG@10": 3, "P@1": 3}


SCORE = ("score", "asked", "-m", "nDCG@10 P@1", "--json")


def test_topics_are_asked_and_judgments_may_come_later(cli: Cli, beir: Path) -> None:
    Path("t.txt").write_text("<top><num> Number: 1<title> tea<desc> Description: is it healthy?</top>")
    Path("qrels.txt").write_text("1 0 d3 1\n2 0 d1 1\n")
    ask = ("ask", "t.txt", "--target", "python:fixed.py:bot", "--out", "asked", "--query-column", "desc")
    assert cli(*ask).code == 0
    assert Run("asked").items[0].query == "is it healthy?"
    assert {row["n"] for row in rows(cli(*SCORE).out)} == {0}
    told = cli(*ask, "--qrels", "qrels.txt")
    assert told.code == 0, told.err
    assert {row["metric"]: row["value"] for row in rows(cli(*SCORE).out)}["P@1"] == 0
    assert Run("asked").items[0].relevant == {"d3": 1.0}


def test_judgments_that_do_not_fit_are_one_clear_line(cli: Cli, beir: Path) -> None:
    Path("other.txt").write_text("77 0 d1 1\n")
    ask = ("ask", beir, "--target", "python:fixed.py:bot", "--out", "x", "--qrels")
    for qrels, words in (("other.txt", "it judges '77', the questions"), ("none.txt", "none.txt: no such file")):
        told = cli(*ask, qrels)
        assert (told.code, told.out, told.err[:8]) == (2, "", "neraca: ")
        assert words in told.err
        assert not Path("x").exists()


def test_help_names_every_paired_test() -> None:
    from neraca.cli.options import Comparison
    from neraca.comparisons.compare import KNOWN_TESTS

    help_of_test = get_type_hints(Comparison, include_extras=True)["test"].__metadata__[0].help
    assert all(f" {name}" in help_of_test for name in KNOWN_TESTS)
