"""What paths hold decides how they are scored."""

from pathlib import Path

import pytest
from builders import make_answer, make_item, make_run

import neraca
from neraca.errors import InputError, NeracaError, SpecError
from neraca.reports.sentences.notes import notes
from neraca.scores.sources.paths import PathOptions, score_paths

TREC = Path(__file__).parents[3] / "docs" / "trec"


@pytest.fixture
def here(tmp_path):
    (tmp_path / "values.csv").write_text("query,old,new,kind\n1,0.1,0.3,a\n2,0.2,0.5,b\n3,0.4,0.5,a\n")
    (tmp_path / "texts.csv").write_text("reference,old,new,kind\na b,a,a b,x\nc,d,c,y\n")
    (tmp_path / "topics.csv").write_text("id,query,category,session\nq01,first,easy,s\nq02,second,hard,s\n")
    make_run(tmp_path / "run", [make_item("q", relevant={"d": 1})], [make_answer("x d", "q")])
    return tmp_path


def test_run_folders(here):
    assert score_paths([here / "run"], "RR").mean("RR") == 0.5
    assert "P@5" in score_paths([here / "run"]).metrics


def test_what_stands_among_runs_and_is_none_is_passed_over_and_named(here):
    (here / "report.html").write_text("<html>")
    (here / "old").mkdir()
    paths = [here / "old", here / "report.html", here / "run"]
    scores = score_paths(paths, "RR")
    assert [run.name for run in scores.runs] == ["run"]
    assert f"no run folder, passed over: {here / 'old'}, {here / 'report.html'}" in list(notes(scores))
    with pytest.raises(NeracaError, match="nowhere: not a run folder"):
        score_paths([here / "run", here / "nowhere"], "RR")


def test_trec_runs_with_qrels(here):
    options = PathOptions(qrels=TREC / "qrels.txt", topics=here / "topics.csv", level=0.9, intervals="bca")
    scores = score_paths([TREC / "api.run", TREC / "hybrid.run"], "", options)
    known = neraca.trec(TREC / "qrels.txt", [TREC / "api.run", TREC / "hybrid.run"], "nDCG@10 AP RR P@10")
    assert [row.value for row in scores.overall()] == [row.value for row in known.overall()]
    assert (scores.level, scores.overall()[0].method) == (0.9, "bca")
    assert scores.groups("category") == ["easy", "hard", ""]
    first, second = (list(scores.runs[0].ids).index(name) for name in ("q01", "q02"))
    clusters = scores.runs[0].clusters.tolist()
    assert clusters[first] == clusters[second]
    assert len(set(clusters)) == len(clusters) - 1


def test_a_table_of_texts(here):
    options = PathOptions(reference=["reference"], response=["old", "new"], group=["kind"])
    scores = score_paths([here / "texts.csv"], "TokenRecall", options)
    assert [scores.mean("TokenRecall", name) for name in ("old", "new")] == [0.25, 1]
    assert scores.groups("kind") == ["x", "y"]
    (here / "known.csv").write_text("question,ground_truth,answer\nq,a b,a\n")
    assert score_paths([here / "known.csv"], "TokenRecall").mean("TokenRecall") == 0.5


def test_a_table_of_values(here):
    scores = score_paths([here / "values.csv"])
    assert [run.name for run in scores.runs] == ["old", "new"]
    assert scores.mean("Value", "new") == pytest.approx(1.3 / 3)
    assert scores.groups("kind") == ["a", "b"]
    (only,) = score_paths([here / "values.csv"], "Value(better=lower)", PathOptions(response=["new"])).runs
    assert only.name == "new"


def test_a_table_is_read_in_the_encoding_that_is_named(here):
    (here / "texts_1252.csv").write_bytes("question;ground_truth;answer\nq;Málaga sí;Málaga\n".encode("cp1252"))
    options = PathOptions(encoding="cp1252", delimiter=";")
    assert score_paths([here / "texts_1252.csv"], "TokenRecall", options).mean("TokenRecall") == 0.5
    (here / "values_1252.csv").write_bytes("id,año\n1,0.5\n2,1\n".encode("cp1252"))
    (run,) = score_paths([here / "values_1252.csv"], options=PathOptions(encoding="cp1252")).runs
    assert (run.name, run.total("Value")) == ("año", 0.75)
    with pytest.raises(InputError):
        score_paths([here / "values_1252.csv"])


def test_what_is_left_out_of_values_is_said(here):
    (here / "some.csv").write_text("id,a,year\n1,1,2020\n2,x,2021\n3,2,2022\n")
    left_out = "column 'a': 1 cell is no number and left out, such as \"x\" (line 3)"
    assert list(notes(score_paths([here / "some.csv"]))) == [
        left_out,
        "each column of numbers is taken as a system: 'a' and 'year'; name others with --response",
    ]
    assert list(notes(score_paths([here / "some.csv"], options=PathOptions(response=["a"])))) == [left_out]


def test_paths_of_different_kinds(here):
    with pytest.raises(InputError, match=r"values\.csv: a table is scored alone"):
        score_paths([here / "values.csv", here / "run"])
    with pytest.raises(InputError, match=r"api\.run: not a run folder, nor a table .*--qrels FILE"):
        score_paths([TREC / "api.run"])
    with pytest.raises(SpecError, match="needs more than ready values"):
        score_paths([here / "values.csv"], "nDCG@10")


def test_options_of_something_else(here):
    with pytest.raises(SpecError, match="give their --qrels too"):
        score_paths([here / "values.csv"], "", PathOptions(topics=here / "topics.csv"))
    with pytest.raises(SpecError, match=r"--encoding cp1252: says how a table is read, and .*run is none"):
        score_paths([here / "run"], "", PathOptions(encoding="cp1252"))
    with pytest.raises(SpecError, match=r"name columns of a table; .*run is none"):
        score_paths([here / "run"], "", PathOptions(response=["new"]))


def test_topics_of_other_queries(here):
    (here / "other.csv").write_text("id,query\nz1,one\nz2,two\n")
    options = PathOptions(qrels=TREC / "qrels.txt", topics=here / "other.csv")
    with pytest.raises(InputError, match=r"other\.csv: it has no judged query: it has 'z1', 'z2', the qrels "):
        score_paths([TREC / "api.run"], "AP", options)
