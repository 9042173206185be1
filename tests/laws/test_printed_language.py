"""What commands print for people is in the language of the study or of --report-language, and nothing in English.

What they write to files is the same in every language.
"""

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
GOLDEN = Path(__file__).parents[1] / "traces" / "golden"
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
        shutil.copy(GOLDEN / "genai.jsonl", "traces.jsonl")
        rated = "query_id,question,results_count,relevant_count,response_quality,category\n1,a,5,3,4,b\n2,c,5,2,3,b\n"
        Path("rated.csv").write_text(rated, encoding="utf-8")
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


#: Commands that print progress, costs, remedies or errors on the console, with what stderr or stdout has in Spanish.
WALK: dict[tuple[str, ...], str] = {
    ("ask", "questions.csv", "--target", "python:bot.py:by_words", "--out", "new"): "completa: ",
    (
        "ask",
        "questions.csv",
        "--target",
        "http://127.0.0.1:9/",
        "--out",
        "new",
        "--retries",
        "0",
    ): "preguntas seguidas fallaron igual",
    ("ask", "questions.csv", "--target", "bot", "--out", "new"): "no se puede leer el target",
    ("judge", *RUNS): "veredictos nuevos de rules",
    ("judge", RUNS[0], "--judge", "claims", "--model", "openai:m", "--dry-run"): "tendría que pagar unas",
    ("judge", RUNS[0], "--judge", "claims", "--model", "openai:m", "--budget", "1"): "hay que conocer su precio",
    ("judge", RUNS[0], "--seed", "3"): "--seed es para --draw",
    ("rate", "score", "rated.csv"): "La precisión a 5 se divide entre",
    ("doctor",): "las columnas de las tablas pueden llamarse",
    ("doctor", "--target", "study.toml", "--question", "rumah"): "resultados: ",
    ("doctor", "--target", "http://127.0.0.1:9/"): "ninguna de estas peticiones funciona",
    ("gate", RUNS[0], "-r", "TokenF1 > 0.5", "-r", "Rubric(tone) > 3"): "una columna references",
    ("gate", RUNS[0], "-r", "RR > 2"): "está siempre entre 0 y 1",
    ("pool", *RUNS, "-k", "5", "--to-qrels", "pool.qrels"): "El pool tiene",
    ("pool", *RUNS, "-s", "change", "-n", "3"): "Elegidos por el cambio esperado",
    ("traces", "traces.jsonl"): "No se escribió nada",
    ("traces", "traces.jsonl", "--probe"): "atributos no leídos",
    ("traces", "traces.jsonl", "--out", "new"): "sigue `neraca judge`",
    ("traces", "none.jsonl"): "dé los archivos que exportó",
    ("generate", "listings.json", "-n", "6", "--out", "new"): "respuestas correctas",
    ("generate", RUNS[0], "-n", "5", "--out", "new"): "las pregunta",
    ("generate", "listings.json", "-n", "6", "--out", "new", "--kinds", "x"): "no existe el tipo",
}
#: Lines that are the same in every language on purpose: names, headings that a program reads, answers, progress.
SAME = re.compile(
    r"neraca #[.#]+, Python|  +\S|#\. id=|\w+: #/#$|[cf]# +(s# +)?[A-Z]|q# +(s# +)?[A-Z]"
    r"|spans +#$|\S+_tokens +# +gen_ai|.* OpenTelemetry GenAI  "
)


def lines_of(cli: Cli, words: tuple[str, ...], language: str) -> tuple[str, list[str]]:
    """What a command prints in a language, in a folder without its result: the text, and its lines without digits."""
    shutil.rmtree("new", ignore_errors=True)
    told = cli(*words, "--report-language", language)
    text = f"{told.out}\n{told.err}"
    return text, [re.sub(r"\d+", "#", line) for line in text.splitlines()]


@pytest.mark.parametrize("words", WALK, ids=" ".join)
def test_no_line_is_that_of_the_english_run(cli: Cli, study: Path, words: tuple[str, ...]) -> None:
    _, in_english = lines_of(cli, words, "en")
    text, in_spanish = lines_of(cli, words, "es")
    assert WALK[words] in text
    left = [line for line in in_spanish if line in in_english and re.search(r"[^\W\d_]{2}", line)]
    assert [line for line in left if not SAME.match(line)] == []


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/", "python:bot.py:by_words"])
def test_what_a_run_holds_is_the_same_in_every_language(cli: Cli, study: Path, target: str) -> None:
    """Answers and verdicts, but for times: answers that failed, and verdicts with their reasons."""
    texts = []
    for language in ("en", "es"):
        shutil.rmtree("new", ignore_errors=True)
        how = ("--concurrency", "1", "--retries", "0", "--report-language", language)
        cli("ask", "questions.csv", "--target", target, "--out", "new", *how)
        cli("judge", "new", "--report-language", language)
        of_run = [(Path("new") / name).read_text("utf-8") for name in ("answers.jsonl", "verdicts.jsonl")]
        lines = re.sub(r'"(at|seconds|key|of)":("[^"]*"|[\d.e-]+)', "", "".join(of_run)).splitlines()
        texts.append(sorted(lines))
    assert texts[0] == texts[1]
    assert len(texts[0]) > 4


def english(text: str, language: str) -> list[str]:
    """The lines of a text with an English word; a command to type and the parameters of a metric are none."""
    lines = [re.sub(r"neraca [a-z]+( [A-Z-]\S*| import)*|--\w+|\w+\(\S*\)", "", line) for line in text.splitlines()]
    return [line for line in lines if {*ENGLISH.findall(line)} - NAMES[language]]
