"""One way to read texts for all metrics of a command: brackets win, and what does not take it is named."""

import pytest
from builders import make_run

import neraca
from neraca.errors import SpecError
from neraca.records import Answer, Item
from neraca.reports.sentences.notes import notes
from neraca.scores.sources.paths import PathOptions, score_paths

METRICS = "TokenF1 ROUGE-1(tokens=space) chrF Average(TokenF1,ROUGE-L)"
NAMES = [
    "TokenF1(tokens=word+stem)",
    "ROUGE-1(tokens=space)",
    "chrF",
    "Average(TokenF1(tokens=word+stem),ROUGE-L(tokens=word+stem))",
]


def notes_on_options(scores):
    return [note for note in notes(scores) if "left as they are" in note]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("reference,response,language\ntwo houses,two house,en\n", "utf-8")
    return path


@pytest.fixture
def run(tmp_path):
    item = Item(id="1", query="?", references=("two houses",), tags={"language": "en"})
    return make_run(tmp_path / "run", [item], [Answer(item="1", text="two house")])


def test_from_python_on_lists_and_on_runs(run):
    scores = neraca.text(["two houses"], ["two house"], METRICS, language="en", tokens="word+stem")
    assert list(map(str, scores.metrics)) == NAMES
    assert scores.mean(NAMES[0]) == 1
    assert scores.mean(NAMES[1]) == 0.5
    of_run = neraca.score([run], METRICS, tokens="word+stem")
    assert list(map(str, of_run.metrics)) == NAMES
    assert [of_run.mean(name) for name in NAMES] == [scores.mean(name) for name in NAMES]
    assert (
        notes_on_options(scores)
        == notes_on_options(of_run)
        == ["tokens=word+stem does not apply to chrF: left as they are"]
    )


@pytest.mark.parametrize(
    ("metrics", "tokens", "language", "names"),
    [
        ("TokenF1 ROUGE-L", "word+plain", "en", ["TokenF1(tokens=word+plain)"]),
        ("Average(TokenF1,ROUGE-L)", "word+plain", "en", ["TokenF1(tokens=word+plain)"]),
        ("TokenF1", "word+plain-articles", "en", []),
        ("TokenF1(tokens=word)", "word+plain", "en", []),
        ("TokenF1", "word+plain", "tr", []),
        ("TokenF1", "squad", "en", []),
        ("TokenF1", "", "en", []),
    ],
)
def test_articles_that_count_only_because_of_the_reading_for_all_are_said(metrics, tokens, language, names):
    scores = neraca.text(["the two houses"], ["two houses"], metrics, language=language, tokens=tokens)
    said = [note for note in notes(scores) if "articles count" in note]
    assert said == [
        f"articles count as words in {name}, which else leave them out: --tokens {tokens}-articles still does"
        for name in names
    ]


def test_a_row_that_cannot_be_stemmed_is_named_with_the_remedy(cli, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("response,reference,language\nthe cars,car,en\nla casa,casas,\nsol,sol,\n")
    result = cli("text", path, "-m", "TokenF1", "--tokens", "word+stem")
    assert result.code == 2
    assert "line 3 (and 1 more of 3): a stemmer needs the language of the text" in result.err
    assert "Say the language in a column `language`, or of all texts with --language CODE" in result.err
    path.write_text("response,reference,language\nthe cars,car,en\nabc,abc,vi\n")
    assert "line 3: there is no stemmer of Vietnamese" in cli("text", path, "-m", "METEOR(stem=true)").err


def test_of_default_metrics_too(run):
    names = list(map(str, neraca.score([run], tokens="word+stem").metrics))
    assert "TokenRecall(tokens=word+stem)" in names
    assert notes_on_options(neraca.score([run])) == []


def test_on_a_table_by_path(table):
    scores = score_paths([table], METRICS, PathOptions(tokens="word+stem", norm="nfkc"))
    assert str(scores.metrics[2]) == "chrF(norm=nfkc)"
    (note,) = notes_on_options(scores)
    assert note.startswith("tokens=word+stem does not apply"), "TokenF1 reads NFKC anyway"


@pytest.mark.parametrize("command", ["text", "score"])
def test_in_the_commands(cli, table, command):
    told_here = cli(command, str(table), "-m", "TokenF1 chrF", "--tokens", "word+stem", "--norm", "nfkc")
    assert "TokenF1|tokens:word+stem|" in told_here.out
    assert "chrF|order:6|beta:2|norm:nfkc|" in told_here.out
    assert "tokens=word+stem does not apply to chrF(norm=nfkc): left as they are" in told_here.err


def test_what_cannot_be_is_told(table, run, tmp_path):
    with pytest.raises(SpecError, match="norm is nfc or nfkc, not 'nfd'"):
        neraca.score([run], "TokenF1", norm="nfd")
    with pytest.raises(SpecError, match="no such way to read words"):
        neraca.text(["a"], ["a"], "TokenF1", tokens="wrod")
    values = tmp_path / "values.csv"
    values.write_text("question,a,b\nq1,1,2\nq2,3,4\n", "utf-8")
    with pytest.raises(SpecError, match="--tokens word: says how texts are read, and tables of ready values hold none"):
        score_paths([values], "", PathOptions(tokens="word"))
    with pytest.raises(SpecError, match=r"--norm nfkc: .*TREC runs hold none"):
        score_paths([table], "", PathOptions(norm="nfkc", qrels=table))
