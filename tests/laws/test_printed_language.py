"""What commands print for people is in the language of the study or of --report-language, and nothing in English."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
#: English words that no sentence, heading or table in Indonesian or Spanish has.
ENGLISH = re.compile(
    r"(?<![\w./-])(the|of|and|with|is|are|or|by|from|not|for|that|which|none|question|questions|answers?|value|run|"
    r"wins|losses|rated|compared|interval of|all items|unscored)(?![\w./-])"
)
#: Words of these languages among them, the names of commands, and names of metrics, runs and verdicts.
NAMES = {"id": {"run"}, "es": set[str]()}
RUNS = ("results/study/search/filter", "results/study/search/combined")
ALL = (*RUNS, "results/study/search/words")
#: Commands on a study and on ratings of it; what their output says in Indonesian.
COMMANDS: dict[tuple[str, ...], str] = {
    ("run", "study.toml"): "Dipilih menurut",
    ("score", *ALL, "-m", "RR P@5 Rubric(quality)", "-g", "category"): "menurut kategori",
    ("score", *ALL, "-m", "RR", "-q"): "semua pertanyaan",
    ("score", *RUNS, "-m", "RR", "--intervals", "bca"): "Interval 95 % (bootstrap BCa",
    ("score", *RUNS, "-m", "P@5", "--by", "rules", "--correct", "ppi"): "dikoreksi dengan label orang",
    ("compare", *ALL): "berpasangan atas",
    ("compare", *RUNS, "-m", "RR P@5", "--margin", "0.1", "--correction", "none"): "tanpa koreksi",
    ("agree", *RUNS, "--raters", "-g", "category"): "seberapa jauh penilai dan juri sepakat",
    ("agree", *RUNS, "--judges", "human rules"): "juri",
    ("prefer", *RUNS, "--length", "--position"): "seberapa sering jawaban disukai",
    ("power", *RUNS, "-m", "RR"): "simpangan baku",
    ("power", *RUNS, "-m", "RR", "--difference", "observed"): "Peringatan",
    ("power", *RUNS, "-m", "RR", "--difference", "0.2", "-n", "30"): "kesalahan tipe II",
    ("reliability", *ALL, "-m", "RR P@5", "--splits", "20"): "metrik",
    ("gate", RUNS[0], "--against", RUNS[1], "-r", "RR >= -0.1"): "RR",
    ("rate", *RUNS, "--page", "page.html"): "jawaban berbeda",
    ("rate", *RUNS, "--template", "table.csv"): "jawaban selengkapnya",
    ("rate", "import", "again.json"): "dinilai oleh ana",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A study of the starter in Indonesian, with ratings and choices of two people."""
    from typer.testing import CliRunner

    from neraca.cli import app

    folder, before = tmp_path_factory.mktemp("study"), Path.cwd()
    os.chdir(folder)
    try:
        for words in (
            ["init", "--for", "thesis", "--language", "id", "."],
            ["run", "study.toml"],
            ["rate", *RUNS, "--page", "answers.html"],
            ["rate", *RUNS, "--kind", "pair", "--page", "pairs.html"],
        ):
            done = CliRunner().invoke(app(words), words)
            assert done.exit_code == 0, done.output
        for kind in ("answers", "pairs"):
            for rater in ("ana", "budi"):
                write_ratings(Path(f"{kind}.html"), rater, Path(f"{kind}-{rater}.json"))
                words = ["rate", "import", f"{kind}-{rater}.json"]
                done = CliRunner().invoke(app(words), words)
                assert done.exit_code == 0, done.output
        shutil.copy("answers-ana.json", "again.json")
        yield folder
    finally:
        os.chdir(before)


def write_ratings(page: Path, rater: str, to: Path) -> None:
    """Rate every task of a page by chance, as the page saves ratings."""
    (text,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    data, chance = json.loads(text), random.Random(rater)
    ratings: list[dict[str, Any]] = []
    for task in data["tasks"]:
        said = {f"hit:{hit['key']}": chance.choice([0, 1, 1]) for hit in task.get("hits", ())}
        said |= {"quality": chance.choice([3, 4, 5])} if said else {}
        said |= {"preferred": chance.choice(["left", "right", "tie"])} if task.get("kind") == "pair" else {}
        for on, value in said.items():
            ratings.append({"id": f"{rater}{to}{len(ratings)}", "task": task["id"], "on": on, "value": value})
            ratings[-1]["at"] = f"2026-01-01T10:{len(ratings) // 60:02}:{len(ratings) % 60:02}Z"
    content = {"neraca": "ratings", "v": 1, "rater": rater, "set": data["set"], "runs": data["runs"]}
    to.write_text(json.dumps({**content, "ratings": ratings}), encoding="utf-8")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_prints_the_language_of_the_study(cli: Cli, study: Path, words: tuple[str, ...]) -> None:
    told = cli(*words)
    assert told.code in (0, 1), told.err  # a gate may fail
    assert COMMANDS[words] in told.out
    assert english(told.out, "id") == []


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] != "run"][::2], ids=" ".join)
def test_a_command_prints_the_language_that_is_asked_for(cli: Cli, study: Path, words: tuple[str, ...]) -> None:
    told = cli(*words, "--report-language", "es")
    assert told.code in (0, 1), told.err
    assert english(told.out, "es") == []
    assert COMMANDS[words] not in told.out


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] not in ("run", "rate", "gate")][::3])
def test_what_programs_read_is_the_same_in_every_language(cli: Cli, study: Path, words: tuple[str, ...]) -> None:
    in_english, in_indonesian = (cli(*words, "--json", "--report-language", code).out for code in ("en", "id"))
    assert in_english == in_indonesian


def test_an_unknown_language_is_refused_before_anything_is_read(cli: Cli, tmp_path: Path) -> None:
    for command in ("score", "compare", "agree", "prefer", "power", "reliability"):
        told = cli(command, tmp_path / "none", "--report-language", "fr")
        assert (told.code, told.out) == (2, "")
        assert "the language of a report is one of en, id, es, not 'fr'" in told.err


def english(text: str, language: str) -> list[str]:
    """The lines of a text with an English word; a command to type and the parameters of a metric are none."""
    lines = [re.sub(r"neraca [a-z]+( [A-Z-]\S*| import)*|--\w+|\w+\(\S*\)", "", line) for line in text.splitlines()]
    return [line for line in lines if {*ENGLISH.findall(line)} - NAMES[language]]
