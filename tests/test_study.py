"""Studies: what is refused with which words, and how phases build on each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders import make_answer, make_item, make_run

from neraca.errors import InputError, NeracaError, SpecError
from neraca.phase import PhaseResult
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.runs.study_record import StudyRecord
from neraca.study import StudyOptions, run_study
from neraca.study_file import read_study

BOT = """
FOUND = {"old": [], "new": [{"id": "1", "colour": "red"}]}
ASKED = []

def make(method):
    def search(query, item):
        ASKED.append(item.id)
        return {"text": method, "hits": FOUND[method]}
    return search

old, new = make("old"), make("new")

def loud(query):
    return {"text": "NEW", "hits": FOUND["new"]}
"""
QUESTIONS = """question,expects,constraints,category
red shoes,results,"{""colour"": {""equals"": ""red""}}",shoes
red hat,results,"{""colour"": {""equals"": ""red""}}",hats
blue hat,results,"{""colour"": {""equals"": ""blue""}}",hats
"""
HEAD = """
name = "Shop"
dataset.file = "questions.csv"
target.kind = "python"
judges.rules = {}
score.metrics = ["RR", "Success"]
"""
PHASES = """
[[phase]]
name = "search"
choose = "RR"
targets.old.function = "bot.py:old"
targets.new.function = "bot.py:new"
[[phase]]
name = "voice"
choose = "RR"
targets.calm = {}
targets.loud.function = "bot.py:loud"
[[phase]]
name = "people"
rate = true
"""


def write(folder: Path, text: str) -> Path:
    (folder / "bot.py").write_text(BOT)
    (folder / "questions.csv").write_text(QUESTIONS)
    (folder / "study.toml").write_text(text)
    return folder / "study.toml"


def runs(result: PhaseResult) -> dict[str, Run]:
    return {run.name: run for run in result.runs}


def test_a_phase_stands_on_the_winner_of_the_one_before(tmp_path: Path) -> None:
    search, voice, people = run_study(write(tmp_path, HEAD + PHASES))
    assert search.winner == "new"
    assert runs(voice)["calm"].manifest.target == {"kind": "python", "function": "bot.py:new"}
    assert runs(voice)["loud"].manifest.target == {"kind": "python", "function": "bot.py:loud"}
    assert {answer.text for answer in runs(voice)["calm"].answers().values()} == {"new"}
    assert search.note == "new was chosen by its mean; the data do not tell it from old", (
        "two wins of three prove nothing"
    )
    assert voice.winner == "calm"
    record = StudyRecord.read(tmp_path / "results/study")
    assert [(one.name, one.chosen) for one in record.phases] == [
        (search.phase.name, "new"),
        (voice.phase.name, "calm"),
        ("people", ""),
    ]
    assert record.phases[0].primary == search.report.primary
    assert record.phases[0].totals["new"]["RR"].value == pytest.approx(2 / 3), "as its report"
    assert "report.html" in record.files
    assert voice.note.startswith("RR is the same on every question for all of them: what varies here does not move it")
    assert [run.path for run in people.runs] == [run.path for run in voice.runs]
    assert people.waits
    assert people.note.count("3 of 3 answers not rated yet: ") == 2
    assert all(file.exists() for file in (*search.files, *voice.files))


def test_a_choice_that_ratings_change_is_said_and_stays_said(tmp_path: Path) -> None:
    study = write(tmp_path, HEAD + PHASES)
    first = run_study(study)[0]
    assert "chosen anew" not in first.note
    with runs(first)["new"].writing():
        runs(first)["new"].add_verdicts(
            Verdict(item=item, about="hit:1", aspect="relevance", by="human:Ani", value=0.0)
            for item in runs(first)["new"].item_ids
        )
    said = "chosen anew, by people's ratings too (before: new)"
    for _ in range(2):
        again = run_study(study, StudyOptions(phase=1, asks=False))[0]
        assert again.winner == "old"
        assert again.note.startswith(said)
        record = StudyRecord.read(tmp_path / "results/study").phases[0]
        assert (record.chosen, record.chosen_before, record.note) == ("old", "new", again.note)
    run_study(study, StudyOptions(asks=False))
    words = (tmp_path / "results/study/report.md").read_text(encoding="utf-8")
    assert "Chosen by RR: old. Chosen anew, by people's ratings too (before: new)" in words, "a sentence has a capital"


def test_the_report_of_a_study_has_every_phase_with_what_was_chosen_and_a_link(tmp_path: Path) -> None:
    *_, people = run_study(write(tmp_path, HEAD + PHASES))
    folder = tmp_path / "results/study"
    page, text = people.files[-2:]
    assert (page, text) == (folder / "report.html", folder / "report.md")
    words = text.read_text(encoding="utf-8")
    assert words.startswith("# Shop\n")
    assert "Chosen by RR: new. new was chosen by its mean; the data do not tell it from old\n" in words
    assert re.search(r"^\| search \| new \| RR \| 0\.667 .*\| 3 \| chosen \|$", words, re.MULTILINE)
    assert re.search(r"^\| voice \| loud \| RR \| .*\| 3 \|  \|$", words, re.MULTILINE)
    assert "3. people: Not scored yet: people's ratings are missing.\n" in words
    links = re.findall(r'href="([^"#]+\.html)"', page.read_text(encoding="utf-8"))
    assert links == ["search/report.html", "voice/report.html", "people/rating.html"]
    assert all((folder / link).is_file() for link in links)


def test_the_report_of_a_study_has_the_numbers_of_each_phase_and_of_its_users_in_every_format(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        HEAD + PHASES.partition('[[phase]]\nname = "people"')[0] + '[report]\nformats = ["md", "tex", "xlsx"]\n',
    )
    items = [make_item(f"ana-{n}", session="ana", tags={"person": "ana"}) for n in (1, 2)]
    grades = [Verdict(item=item.id, about="answer", aspect="quality", value=4.0, by="human:ana") for item in items]
    folder = tmp_path / "results/study"
    make_run(folder / "users", items, [make_answer("a", item.id, text="here") for item in items], grades)
    *_, voice = run_study(file)
    assert [path.name for path in voice.files[-4:]] == ["report.html", "report.md", "report.tex", "report.xlsx"]
    words = (folder / "report.md").read_text(encoding="utf-8")
    assert "## Phase 3: User study\n" in words
    assert re.search(r"^\| User study \| users \| Rubric\(quality\) \| 4\.000 .*\| 2 \|  \|$", words, re.MULTILINE)
    assert words.count("### Metrics\n") == 3
    assert words.count("### Differences between runs\n") == 2
    assert words.count("Confusion matrix of hits") == 2
    assert "user study" in (folder / "users.md").read_text(encoding="utf-8").lower()
    users = StudyRecord.read(folder).users
    assert (users.title, users.runs, users.primary) == ("User study", ("users",), "Rubric(quality)")
    assert users.files == ("users.md", "users.tex", "users.xlsx")


def test_one_phase_alone_uses_the_answers_of_those_before_as_they_are(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + PHASES)
    run_study(file, StudyOptions(phase=1))
    assert not (tmp_path / "results/study/voice").exists()
    (tmp_path / "bot.py").write_text(BOT.replace('"text": method', '"text": "changed"'))
    search, voice = run_study(file, StudyOptions(phase=2))
    assert {answer.text for answer in runs(search)["new"].answers().values()} == {"new"}
    assert {answer.text for answer in runs(voice)["calm"].answers().values()} == {"changed"}


def test_a_later_phase_before_the_first_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NeracaError, match="phase 'search' was not run yet, run it first"):
        run_study(write(tmp_path, HEAD + PHASES), StudyOptions(phase=2))


def test_targets_without_phases_are_one_phase(tmp_path: Path) -> None:
    text = HEAD + '[targets.old]\nfunction = "bot.py:old"\n[targets.new]\nfunction = "bot.py:new"\n'
    (result,) = run_study(write(tmp_path, text))
    values = (
        {score.run: score.value for score in result.scores.overall() if score.metric == "RR"} if result.scores else {}
    )
    assert values == {"old": 0, "new": pytest.approx(2 / 3)}
    assert result.winner == ""
    assert (tmp_path / "results/study/report.html").exists()


def test_a_failed_question_is_counted_and_asked_again_on_demand(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + '[targets.old]\nfunction = "bot.py:old"\n')
    (tmp_path / "bot.py").write_text("def old(query):\n    return 1 / 0\n")
    (result,) = run_study(file)
    assert result.unanswered == 3
    (tmp_path / "bot.py").write_text(BOT)
    (again,) = run_study(file)
    assert again.unanswered == 3
    (mended,) = run_study(file, StudyOptions(retry_failed=True))
    assert mended.unanswered == 0


def test_a_study_says_which_intervals_and_which_correction(tmp_path: Path) -> None:
    chosen = 'score.intervals = "bca"\nscore.correction = "bh"\nscore.metrics = ["P@5", "RR"]\n'
    head = HEAD.replace('score.metrics = ["RR", "Success"]\n', chosen)
    (done,) = run_study(
        write(tmp_path, head + "[targets.a]\nfunction = 'bot.py:old'\n[targets.b]\nfunction = 'bot.py:new'")
    )
    assert done.scores is not None
    assert "bca" in {score.method for score in done.scores.overall()}
    assert {d.correction for d in done.differences} == {"bh"}
    assert "BCa bootstrap" in done.files[1].read_text()


@pytest.mark.parametrize(
    "text, told",
    [
        ("name = 3", "name: expected `str`, got `int`"),
        ("nam = 'x'", "no setting 'nam'; did you mean name?"),
        ("name = 'x'", "the setting 'dataset' is missing"),
        (HEAD + "dataset.fil = 'x'" + PHASES, "no setting 'fil' in dataset; did you mean file?"),
        (HEAD + "dataset.qrel = 'x'" + PHASES, "no setting 'qrel' in dataset; did you mean qrels?"),
        (HEAD + "asking.timout = 3" + PHASES, "no setting 'timout' in asking; did you mean timeout?"),
        (HEAD + "[[phase]]\nname = 'x'\nchose = 'RR'", "no setting 'chose' in phase[0]; did you mean choose?"),
        (HEAD + "score.metric = []" + PHASES, "no setting 'metric' in score; did you mean metrics, margin?"),
        (HEAD, "write either [targets] or [[phase]] tables"),
        (HEAD + PHASES + "[targets.x]\n", "write either [targets] or [[phase]] tables"),
        (HEAD + PHASES + PHASES, "two phases are called 'search'"),
        (HEAD + "[[phase]]\nname = 'x'", "phase 'x' has no targets"),
        (HEAD + PHASES + "[[phase]]\nname = '../x'\nrate = true", "'../x' cannot be the name of a folder"),
        (HEAD + "[targets.'..']\n", "'..' cannot be the name of a folder"),
        (HEAD + "[targets.'report.html']\n", "'report.html' cannot be the name of a folder"),
        (HEAD + "asking.trials = 0\n[targets.a]\n", "asking.trials must be at least 1, not 0"),
        (HEAD + "asking.concurrency = 0\n[targets.a]\n", "concurrency is at least 1"),
        (HEAD + "score.level = 95\n[targets.a]\n", "a share such as 0.95, not 95"),
        (HEAD + "score.intervals = 'bc'\n[targets.a]\n", "no interval is called 'bc'; known: t, bca, percentile"),
        (HEAD + "score.relevance = 'me'\n[targets.a]\n", "cannot read relevance 'me'"),
        (HEAD + "score.test = 'u'\n[targets.a]\n", "no test is called 'u'"),
        (HEAD + "score.against = 'b'\n[targets.a]\n", "score.against must name a target, and none is called 'b'"),
        (HEAD + "score.seed = -3\n[targets.a]\n", "a seed is a whole number from 0, not -3"),
        (HEAD + "score.correction = 'fdr'\n[targets.a]\n", "no correction is called 'fdr'"),
        (HEAD + "score.groups = ['topic']\n[targets.a]\nfunction = 'bot.py:old'", "no question has the tag 'topic'"),
        (HEAD + "score.unit = 'user'\n[targets.a]\nfunction = 'bot.py:old'", "no question has the tag 'user'"),
        (HEAD + "[targets.'openai:gpt']\n", "'openai:gpt' cannot be the name of a folder"),
        (HEAD + "[targets.'end.']\n", "'end.' cannot be the name of a folder on Windows"),
        (HEAD + "[targets.AUX]\n", "'AUX' cannot be the name of a folder on Windows"),
        (HEAD + "[targets.'a/b']\n", "'a/b' cannot be the name of a folder"),
        (HEAD + "[[phase]]\nname = 'x'\nchoose = 'RRR'\ntargets.a = {}", "no metric is called 'RRR'; did you mean RR"),
        (HEAD.replace('"RR", ', '"ndgc", ') + "[targets.a]\n", "no metric is called 'ndgc'; did you mean nDCG"),
        (
            HEAD + "judges.ruels = {}\n[targets.a]\nfunction = 'bot.py:old'",
            "no judge is called 'ruels'; did you mean rules",
        ),
    ],
)
def test_what_is_wrong_with_a_study_is_said_before_anybody_is_asked(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SpecError) as raised:
        run_study(write(tmp_path, text))
    assert told in str(raised.value)
    assert not (tmp_path / "results").exists()


def test_files_that_are_no_studies(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`neraca init` writes one"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"not valid TOML: .*line 1"):
        read_study(write(tmp_path, "name = 3 3"))
    (tmp_path / "study.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(InputError, match=r"line 1: byte 9 .0xff. is not UTF-8"):
        read_study(tmp_path / "study.toml")
    with pytest.raises(SpecError, match="has 3 phases, not 4"):
        run_study(write(tmp_path, HEAD + PHASES), StudyOptions(phase=4))


def test_a_phase_in_which_nothing_is_scored_chooses_nothing_and_ends_the_study(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + PHASES.replace('choose = "RR"', 'choose = "SetP"'))
    (tmp_path / "bot.py").write_text("def old(query):\n    return 1 / 0\n\nnew = old\n")
    (search,) = run_study(file)
    assert search.winner == ""
    assert search.note.startswith("nothing was chosen: SetP is not scored on any question that all targets answered (")
    assert search.stops
    assert not (tmp_path / "results/study/voice").exists()


def test_a_metric_that_nobody_judged_chooses_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + PHASES.replace('choose = "RR"', 'choose = "Faithfulness"', 1))
    (search,) = run_study(file)
    assert (search.winner, search.stops) == ("", True)
    assert "(old: nobody judged the claims of the answer)" in search.note


def test_remarks_on_the_columns_come_before_anything_is_asked(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + PHASES)
    table = QUESTIONS.replace("question,", "colour note,question,").replace("\n", "\nx,").removesuffix("x,")
    (tmp_path / "questions.csv").write_text(table)
    remarks: list[tuple[str, bool]] = []
    asked = tmp_path / "results/study/search/old/answers.jsonl"
    (search, *_) = run_study(file, StudyOptions(notice=lambda remark: remarks.append((remark, asked.exists()))))
    assert remarks == [("columns not used: colour note", False)]
    assert "columns not used: colour note" in search.notes


def test_a_study_saved_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + PHASES)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_study(file).name == "Shop"


def test_judgments_of_a_study_stand_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot finds document 1: the first for question 1, not relevant to question 2; nobody judged question 3."""
    folder = tmp_path / "studies"
    (folder / "trec").mkdir(parents=True)
    (folder / "trec/qrels.txt").write_text("1 0 1 2\n2 0 1 0\n2 0 7 1\n77 0 1 1\n")
    text = HEAD.replace("judges.rules = {}", 'dataset.qrels = "trec/qrels.txt"')
    file = write(folder, text + '[targets.new]\nfunction = "bot.py:new"\n')
    monkeypatch.chdir(tmp_path)
    (result,) = run_study(file)
    assert result.scores
    found = {score.metric: (score.value, score.n) for score in result.scores.overall()}
    assert found["RR"] == (0.5, 2)
    (folder / "trec/qrels.txt").write_text("q1 0 1 2\n")
    with pytest.raises(InputError, match=r"judges 'q1', the questions are called '1', '2', '3'"):
        run_study(file)


def test_a_beir_folder_and_topics_are_data_sets_of_a_study(tmp_path: Path) -> None:
    text = HEAD.replace("judges.rules = {}", "").replace("questions.csv", "beir")
    file = write(tmp_path, text + '[targets.new]\nfunction = "bot.py:new"\n')
    (tmp_path / "beir/qrels").mkdir(parents=True)
    (tmp_path / "beir/queries.jsonl").write_text('{"_id": "a", "text": "red"}\n{"_id": "b", "text": "blue"}\n')
    (tmp_path / "beir/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t1\n")
    (result,) = run_study(file)
    assert [item.id for item in result.runs[0].items] == ["a"]
    (tmp_path / "web.xml").write_text('<topics><topic number="1"><query>red</query><title/></topic></topics>')
    file.write_text(file.read_text().replace('"beir"', '"web.xml"'))
    (result,) = run_study(file, StudyOptions(anew=True))
    assert [item.query for item in result.runs[0].items] == ["red"]


@pytest.mark.parametrize("margin", ["score.margin = 0.9", "score.margin = { RR = 0.9 }"])
def test_a_study_has_a_margin(tmp_path: Path, margin: str) -> None:
    head = HEAD + f"{margin}\nscore.bayes = true\nscore.test = 'randomisation'\n"
    search, _, _ = run_study(write(tmp_path, head + PHASES))
    assert {d.metric: d.equivalence.margin for d in search.differences if d.equivalence} == {"RR": 0.9}
    (d,) = (d for d in search.differences if d.metric == "RR")
    assert d.equivalence
    assert d.bayes
    assert (d.test, d.equivalence.test) == ("randomisation(exact)", "randomisation(exact)")  # RR is not declared 0 or 1
    assert d.bayes.chance_a + d.bayes.chance_equivalent + d.bayes.chance_b == pytest.approx(1)
    report = (tmp_path / "results/study/search/report.md").read_text(encoding="utf-8")
    assert "Margin: RR ±0.900" in report


@pytest.mark.parametrize(
    "setting, told",
    [
        ("score.margin = 0", "more than 0, such as 0.02, not 0"),
        ("score.margin = 1.0", "a margin of 1 is as wide as all of RR (1)"),
        ("score.margin = { AP = 0.1 }", "a margin for AP, which is not among the metrics scored: RR, Success"),
        ("score.margin = 'wide'", "margin"),
        ("score.bayes = true", "give the margin from which it does"),
    ],
)
def test_a_wrong_margin_is_told_before_anybody_is_asked(tmp_path: Path, setting: str, told: str) -> None:
    with pytest.raises(NeracaError, match=re.escape(told)):
        run_study(write(tmp_path, HEAD + setting + PHASES))
    assert not (tmp_path / "results").exists()


def test_rules_read_numbers_in_the_language_that_the_study_says_of_its_texts(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + 'score.language = "id"\ntargets.new.function = "bot.py:make_priced"\n')
    with (tmp_path / "bot.py").open("a") as bot:
        bot.write('\ndef make_priced(query):\n    return {"text": "Rp", "hits": [{"id": "1", "price": "1,2 M"}]}\n')
    (tmp_path / "questions.csv").write_text(
        'question,constraints\nrumah,"{""price"": {""min"": 1100000000, ""max"": 1300000000}}"\n'
    )
    (result,) = run_study(file)
    assert "rules: language as said to the judge: Indonesian (id)" in result.notes
    assert [verdict.value for verdict in result.runs[0].verdicts() if verdict.aspect == "price"] == [1.0], "1.2 billion"


def test_metrics_may_be_one_text_as_on_the_command_line(tmp_path: Path) -> None:
    head = HEAD.replace('["RR", "Success"]', '"P(of=returned)@5, RR"')
    study = read_study(write(tmp_path, head + "[targets.old]\nfunction = 'bot.py:old'\n"))
    assert study.score.metrics == ["P(of=returned)@5", "RR"]
