"""`--correct` in score, compare, gate and report, and in a study: people's labels beside a judge's numbers."""

import json

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.errors import SpecError
from neraca.study_file import read_study

N = 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The judge calls all hits of `kind` relevant that are, and half of the others; people rated 40 questions."""
    path, rng = tmp_path_factory.mktemp("runs"), np.random.default_rng(2)
    items = [make_item(str(n), expects="results") for n in range(N)]
    for name, good, mercy in (("plain", 0.7, 0.0), ("kind", 0.4, 0.8)):
        verdicts = []
        for n in range(N):
            for doc in "ab":
                right = float(rng.random() < good)
                judged = 1.0 if rng.random() < mercy else right
                verdicts.append(make_verdict(f"{name}-{doc}", "relevance", judged, "llm:m", str(n)))
                if n < 40:
                    verdicts.append(make_verdict(f"{name}-{doc}", "relevance", right, "human:ana", str(n)))
        answers = [make_answer(f"{name}-a {name}-b", item=str(n)) for n in range(N)]
        make_run(path / name, items, answers, verdicts)
    return path


@pytest.fixture
def call(cli):
    def called(*words):
        result = cli(*words)
        assert result.code in (0, 1), result.err
        return result.out

    return called


@pytest.fixture
def rows(call):
    return lambda *words: [json.loads(line) for line in call(*words, "--json").splitlines()]


def test_score(call, rows, folder):
    output = call("score", folder / "plain", folder / "kind", "-m", "P@2 NumRet", "--correct", "ppi")
    assert "corrected by people's labels" in output
    assert "Not corrected: NumRet of plain and NumRet of kind (it is no mean of the questions)." in output
    _, kind, *_ = rows("score", folder / "plain", folder / "kind", "-m", "P@2", "--correct", "ppi")
    assert kind["labels"] == 40
    assert kind["corrected_low"] < 0.4 < kind["corrected_high"] < kind["low"]
    assert "labels" not in rows("score", folder / "plain", "-m", "P@2")[0]


def test_compare_puts_the_labels_before_the_judge(call, rows, folder):
    words = ("compare", folder / "plain", folder / "kind", "-m", "P@2", "--correct", "ppi")
    output = " ".join(call(*words).split())
    assert "P@2 by people's labels of 40 of 80 questions: plain is better; kind − plain is −0." in output
    assert "By the judge alone: " in output
    assert output.index("plain is better") < output.index("By the judge alone")
    (row,) = rows(*words)
    assert row["difference"] < 0 < row["corrected_low"] <= row["corrected"]
    assert row["corrected_p_adjusted"] < 0.05


def test_gate(call, rows, folder):
    words = ("gate", folder / "plain", "--against", folder / "kind", "-r", "P@2 >= +0.05")
    assert "Corrected by 40 labels of people; by the judge alone it is −0." in call(*words, "--correct", "ppi")
    assert [row["outcome"] for row in rows(*words, "--correct", "ppi")] == ["pass"]
    assert [row["outcome"] for row in rows(*words, "--relevance", "llm")] == ["fail"]


def test_too_few_labels_leave_a_gate_undecided_and_say_so(call, folder, tmp_path):
    sample = tmp_path / "plan.csv"
    sample.write_text("item,draw,stratum\n" + "".join(f"{n},{n if n < 9 else ''},x\n" for n in range(N)))
    words = ("gate", folder / "plain", "-r", "P@2 > 0.5", "--correct", "ppi", "--sample", sample)
    output = " ".join(call(*words).split())
    assert "people's labels do not correct what the judge says" in output
    assert "not corrected: 9 labelled; the interval holds from 30" in output


@pytest.mark.parametrize("ending", ["md", "html"])
def test_report(call, folder, tmp_path, ending):
    to = tmp_path / f"report.{ending}"
    call("report", folder / "plain", folder / "kind", "-m", "P@2", "--correct", "ppi", "--to", to)
    text = to.read_text().replace("&#39;", "'")
    assert "Corrected by people's labels" in text
    assert text.index("plain is better") < text.index("By the judge alone: ")
    call("report", folder / "plain", folder / "kind", "-m", "P@2", "--to", to)
    assert "No correction was asked for." in to.read_text()


def test_a_report_of_one_run(call, folder, tmp_path):
    call("report", folder / "kind", "-m", "P@2", "--correct", "ppi", "--to", tmp_path / "r.md")
    assert "**Precision@2 of kind is 0." in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize("name", ["table.csv", "runs"])
def test_what_holds_no_verdicts_is_refused(cli, tmp_path, name):
    (tmp_path / name).write_text("a,b\n1,2\n")
    more = () if name.endswith(".csv") else ("--qrels", tmp_path / name)
    result = cli("score", tmp_path / name, *more, "--correct", "ppi")
    assert result.code == 2
    assert "--correct is of run folders" in " ".join(result.err.split())


def test_a_study_checks_it_before_it_asks(tmp_path):
    (tmp_path / "study.toml").write_text(
        'name = "s"\ndataset.file = "q.csv"\n[targets.a]\nkind = "replay"\n[score]\ncorrect = "boost"\n'
    )
    with pytest.raises(SpecError, match="ppi or rogan-gladen"):
        read_study(tmp_path / "study.toml")
