"""--language as a user types it, and `language` in a study."""

import json

import pytest

from neraca.errors import SpecError
from neraca.runs.run import Run
from neraca.study import run_study
from neraca.study_file import read_study

QUESTIONS = (
    "query,ground_truth,language\n"
    "a,El gato está en la casa y no sale de ella porque es muy viejo.,\n"
    "b,The cat,en\n"
    "c,Los perros son como los gatos pero también les gusta el agua cuando hay sol.,\n"
)
BOT = 'def bot(query):\n    return {"a": "gato está en casa", "b": "cat", "c": "perros son como gatos"}[query]\n'


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(cli, *words):
    return cli("ask", "questions.csv", "--target", "python:bot.py:bot", "--out", "run", *words)


def languages():
    return [item.tags.get("language") for item in Run("run").items]


def test_ask_keeps_the_language_with_the_questions(cli, place):
    assert ask(cli, "--language", "Spanish").code == 0
    assert languages() == ["es", "en", "es"]
    told = cli("score", "run", "-m", "TokenF1")
    assert "|language:en,es|" in told.out
    assert told.err == ""


def test_ask_refuses_what_it_does_not_know(cli, place):
    told = ask(cli, "--language", "Spansh")
    assert (told.code, "did you mean Spanish" in told.err) == (2, True)
    told = ask(cli, "--language", "auto")
    assert (told.code, "neraca score --language auto" in told.err) == (2, True)
    assert not (place / "run").exists()


def test_score_in_a_language_and_by_finding_it(cli, place):
    assert ask(cli).code == 0
    assert languages() == [None, "en", None]
    assert "|language:en,es|" in cli("score", "run", "-m", "TokenF1", "--language", "es").out
    assert "|language:en,unknown|" in cli("score", "run", "-m", "TokenF1").out
    told = cli("score", "run", "-m", "TokenF1", "--language", "auto")
    assert "|language:en,es(auto)|" in told.out
    assert told.err.startswith("neraca: language found in the texts, not said: Spanish (es)")
    assert cli("score", "run", "-m", "TokenF1", "--language", "Spansh").code == 2


def test_json_keeps_its_rows_and_says_the_rest_on_stderr(cli, place):
    assert ask(cli).code == 0
    told = cli("score", "run", "-m", "TokenF1 P@5", "--language", "auto", "--json")
    rows = [json.loads(line) for line in told.out.splitlines()]
    columns = {"run", "group", "metric", "value", "low", "high", "n", "unscored", "lowest", "highest", "method"}
    assert [set(row) for row in rows] == [columns] * 2
    note, signature = told.err.splitlines()
    assert "Spanish (es)" in note
    assert signature.startswith("neraca: TokenF1|tokens:word-articles|")


def test_compare_and_report_take_it(cli, place):
    assert ask(cli).code == 0
    assert cli("ask", "questions.csv", "--target", "python:bot.py:bot", "--out", "two").code == 0
    told = cli("compare", "run", "two", "-m", "TokenF1", "--language", "auto")
    assert (told.code, "Spanish (es)" in told.err) == (0, True)
    told = cli("report", "run", "--to", "r.md", "-m", "TokenF1", "--language", "es")
    assert (told.code, "--language es is of the texts; for a report in it, add --report-language es" in told.err) == (
        0,
        True,
    )
    assert "|language:en,es|" in (place / "r.md").read_text()


STUDY = """
name = "Texts"
dataset.file = "questions.csv"
targets.bot = { kind = "python", function = "bot.py:bot" }
score.metrics = ["TokenF1"]
"""


def test_a_study_says_it_for_its_questions(place):
    (place / "study.toml").write_text(f'{STUDY}dataset.language = "Spanish"\n')
    (result,) = run_study(place / "study.toml")
    assert [item.tags["language"] for item in result.runs[0].items] == ["es", "en", "es"]
    assert "|language:en,es|" in result.scores.signatures["TokenF1"]


def test_a_study_can_have_it_found(cli, place):
    (place / "study.toml").write_text(f'{STUDY}score.language = "auto"\n')
    told = cli("run", "study.toml")
    assert told.code == 0, told.err
    assert "language found in the texts, not said: Spanish (es)" in told.out
    (result,) = run_study(place / "study.toml")
    assert "|language:en,es(auto)|" in result.scores.signatures["TokenF1"]


@pytest.mark.parametrize(
    "line", ['dataset.language = "Spansh"', 'score.language = "Spansh"', 'dataset.language = "auto"']
)
def test_a_study_is_refused_before_anything_is_asked(place, line):
    (place / "study.toml").write_text(f"{STUDY}{line}\n")
    with pytest.raises(SpecError, match=r"Spanish|neraca score --language auto"):
        read_study(place / "study.toml")


PRICES = (
    "query,constraints\n"
    'What is the cheapest house in Medan?,"{""price"": {""max"": 2000000}}"\n'
    'Which of these houses has the lowest price?,"{""price"": {""max"": 2000000}}"\n'
    'Is there one with three rooms near the station?,"{""price"": {""max"": 2000000}}"\n'
    'I want to rent an office for my company,"{""price"": {""max"": 2000000}}"\n'
)
SELLER = 'def bot(query):\n    return {"text": "", "hits": [{"id": "h", "price": "$1.2M"}]}\n'
ENGLISH = "rules: language found in the questions, not said: English (en)"


@pytest.fixture
def shop(place):
    (place / "questions.csv").write_text(PRICES)
    (place / "bot.py").write_text(SELLER)
    return place


def values(run="run"):
    newest = {(verdict.item, verdict.about): verdict for verdict in Run(run).verdicts()}
    return {verdict.value for verdict in newest.values()}


def test_judge_says_which_language_it_found(cli, shop):
    assert ask(cli).code == 0
    told = cli("judge", "run")
    assert (told.code, values()) == (0, {1})
    assert told.err.startswith(f"neraca: {ENGLISH}")
    assert "say it with --language en" in told.err
    assert told.out == "run: 4 new verdicts by rules\n"
    as_json = cli("judge", "run", "--json")
    assert as_json.err.startswith(f"neraca: {ENGLISH}")
    assert [json.loads(line)["new_verdicts"] for line in as_json.out.splitlines()] == [0]


def test_judge_is_told_the_language_of_questions_that_do_not_say_theirs(cli, shop):
    assert ask(cli).code == 0
    told = cli("judge", "run", "--language", "id")
    assert (told.code, values()) == (0, {0})
    assert told.err == "neraca: rules: language as said to the judge: Indonesian (id)\n"
    assert ask(cli, "--language", "en", "--anew").code == 0
    told = cli("judge", "run", "--language", "id")
    assert (told.code, values()) == (0, {1})
    assert told.err == "neraca: rules: language as the questions say: English (en) of 4\n"


def test_a_note_on_several_runs_is_said_once(cli, shop):
    assert ask(cli).code == 0
    assert cli("ask", "questions.csv", "--target", "python:bot.py:bot", "--out", "two").code == 0
    assert cli("judge", "run", "two").err.count(ENGLISH) == 1


PRICED = """
name = "prices"
dataset.file = "questions.csv"
target.kind = "python"
targets.shop.function = "bot.py:bot"
score.metrics = ["PassRatio"]
"""


@pytest.mark.parametrize(
    "tables, number, note",
    [
        ("[judges.rules]", 1, ENGLISH),
        ('[judges.rules]\nlanguage = "id"', 0, "rules: language as said to the judge: Indonesian (id)"),
        ('[judges.rules]\nstyle = "id"', 0, "rules: language as said to the judge: Indonesian (id)"),
        ('dataset.language = "id"\n[judges.rules]', 0, "rules: language as the questions say: Indonesian (id) of 4"),
        (
            'dataset.language = "en"\n[judges.rules]\nlanguage = "id"',
            1,
            "rules: language as the questions say: English (en) of 4",
        ),
    ],
)
def test_a_study_says_the_language_of_prices(cli, shop, tables, number, note):
    (shop / "study.toml").write_text(PRICED + tables)
    told = cli("run", "study.toml", "--json")
    assert told.code == 0, told.err
    assert f"neraca: {note}" in told.err
    assert values("results/study/shop") == {number}


def test_a_short_set_that_tells_no_language_names_what_settles_it(cli, shop):
    (shop / "questions.csv").write_text('query,constraints\nrumah murah,"{""price"": {""max"": 2000000}}"\n')
    assert ask(cli).code == 0
    told = cli("judge", "run")
    assert "language not said and not clear in questions, references, answers and hits" in told.err
    (verdict,) = Run("run").verdicts()
    assert (verdict.value, verdict.status) == (None, "missing")
    assert 'say the language: [dataset] language = "en" (or --language en)' in verdict.why


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--report-language", "fr"], "the language of a report is one of en, id, es, not 'fr'"),
        (["--sections", "metric"], "no section of a report is called metric; there are: runs, metrics"),
        (["--to", "report.foo"], "report.foo: cannot tell the format"),
    ],
)
def test_a_report_that_cannot_be_written_is_told_before_anything_is_read(cli, wrong, message):
    told = cli("report", "no/such/run", *([] if "--to" in wrong else ["--to", "report.md"]), *wrong)
    assert told.code == 2
    assert message in told.err


def test_a_study_says_in_which_language_its_report_is(tmp_path):
    (tmp_path / "q.csv").write_text("id,query,expects\n1,red,results\n")
    (tmp_path / "a.jsonl").write_text('{"item": "1", "hits": [{"id": "x"}]}\n')
    study = tmp_path / "study.toml"
    text = 'name = "S"\ndataset.file = "q.csv"\ntargets.a = {kind = "replay", file = "a.jsonl"}\n'
    study.write_text(
        f'{text}score.metrics = ["Success"]\nreport = {{language = "id", formats = ["md"], sections = ["runs"]}}\n'
    )
    run_study(study)
    assert [path.name for path in (tmp_path / "results/study").glob("report.*")] == ["report.md"]
    written = (tmp_path / "results/study/report.md").read_text(encoding="utf-8")
    assert "Sebelum Anda memercayainya" in written
    assert "## Metrik" not in written
    study.write_text(f'{text}report = {{formats = ["dox"]}}\n')
    with pytest.raises(SpecError, match=r"report\.dox: cannot tell the format"):
        read_study(study)
