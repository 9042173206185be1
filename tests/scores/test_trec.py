"""Runs against qrels.  Parity with trec_eval and ndeval is in tests/parity/test_trec_files.py."""

import gzip
import math
import random
import shutil

import numpy as np
import pandas as pd
import polars as pl
import pytest
from builders import make_answer, make_item, make_run
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

import neraca
from neraca.comparisons.compare import compare
from neraca.datasets.trec.qrels import Qrels
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.reports.sentences.notes import notes
from neraca.runs.run import Run
from neraca.scores.export import query_rows
from neraca.scores.score import score
from neraca.scores.trec import trec

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\nq2 0 d4 0\nq3 0 d5 0\n"
RUN = "q1 Q0 d2 1 9 a\nq1 Q0 d1 2 8 a\nq1 Q0 x 3 8 a\nq1 Q0 d3 4 1 a\nq3 Q0 d5 1 1 a\nq9 Q0 d1 1 1 a\nq8 Q0 d1 1 1 a\n"
#: q1: d2, x, d1, d3, since x is greater than d1.
NDCG_1 = (2 / 2 + 1 / math.log2(5)) / (2 + 1 / math.log2(3))
AP_1 = (1 / 3 + 2 / 4) / 2


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path / "qrels.txt", tmp_path / "a.run"


def run_rows(text=RUN):
    return [(line.split()[0], line.split()[2], float(line.split()[4])) for line in text.splitlines()]


def as_mapping(text=RUN):
    found = {}
    for query, doc, value in run_rows(text):
        found.setdefault(query, {})[doc] = value
    return found


QRELS_MAPPING = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": 0}, "q3": {"d5": 0}}


# values


def test_by_hand(files):
    found = trec(*files, "nDCG@10 AP RR P@2 R@3 NumRet NumRel NumRelRet Success@2")
    assert found.by_item("nDCG@10") == pytest.approx({"q1": NDCG_1, "q2": 0, "q3": 0})
    assert found.by_item("AP") == pytest.approx({"q1": AP_1, "q2": 0, "q3": 0})
    means = {name: found.mean(name) for name in map(str, found.metrics)}
    assert means == pytest.approx(
        {
            "nDCG@10": NDCG_1 / 3,
            "AP": AP_1 / 3,
            "RR": 1 / 9,
            "P@2": 0,
            "R@3": 0.5 / 3,
            "NumRet": 5,
            "NumRel": 3,
            "NumRelRet": 2,
            "Success@2": 0,
        }
    )


def test_queries_that_the_run_lacks_are_left_out_where_that_is_wished(files):
    found = trec(*files, "AP NumRel", only_answered=True)
    assert found.by_item("AP") == pytest.approx({"q1": AP_1, "q3": 0})
    assert found.mean("AP") == pytest.approx(AP_1 / 2)
    assert found.mean("NumRel") == 2
    assert notes(found)[1] == "a: no document for 1 of 3 judged queries (q2); left out of the means"


def test_what_is_not_defined_is_nan_and_in_no_mean(files):
    """q2 has no documents, and nothing is relevant to q3."""
    found = trec(*files, "SetP SetR SetF")
    assert found.by_item("SetP") == pytest.approx({"q1": 2 / 4, "q2": math.nan, "q3": 0}, nan_ok=True)
    assert found.by_item("SetR") == pytest.approx({"q1": 1, "q2": 0, "q3": math.nan}, nan_ok=True)
    assert (found.mean("SetP"), found.mean("SetR")) == (1 / 4, 1 / 2)
    assert list(notes(found))[3:] == [
        "a: SetP is not defined for 1 of 3 queries (nothing was returned); left out of its mean",
        "a: SetR is not defined for 1 of 3 queries (nothing is known to be relevant); left out of its mean",
    ]
    assert [row["value"] for row in query_rows(found, True) if row["query"] == "q2"][1:] == [0, 0]


def test_a_metric_that_is_defined_nowhere_has_no_mean():
    found = trec({"q": {"d": 0}}, {"q": {"d": 1.0}}, "SetR")
    assert math.isnan(found.mean("SetR"))
    assert "–" in str(found)


def test_nothing_answered_is_0_or_nothing():
    run = {"q1": {}, "zz": {"d": 1.0}}
    assert trec(QRELS_MAPPING, run, "AP").mean("AP") == 0
    found = trec(QRELS_MAPPING, run, "AP NumRet", only_answered=True)
    assert math.isnan(found.mean("AP"))
    assert (found.mean("NumRet"), found.by_item("AP")) == (0, {})


def test_the_smallest_relevant_grade(files):
    found = trec(*files, "AP RR nDCG P(rel=1)@1 Condensed(RR)", relevant_from=2)
    assert list(map(str, found.metrics)) == ["AP(rel=2)", "RR(rel=2)", "nDCG", "P@1", "Condensed(RR(rel=2))"]
    assert found.by_item("AP")["q1"] == found.by_item("map")["q1"] == found.by_item("AP(rel=2)")["q1"] == 1 / 3
    assert found.by_item("Condensed(RR)")["q1"] == 1 / 2
    # with 0 every judged document is relevant: d2, d1, d3 at 1, 3, 4
    assert trec(*files, "AP", relevant_from=0).by_item("AP")["q1"] == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert trec(*files, "AP", relevant_from=-1).mean("AP") == trec(*files, "AP", relevant_from=0).mean("AP")


@pytest.mark.parametrize("level", [math.nan, math.inf, "2", [1]])
def test_a_smallest_grade_that_is_no_number(files, level):
    with pytest.raises(SpecError, match="the smallest relevant grade is a number, not "):
        trec(*files, "AP", relevant_from=level)


# what may be brought


def test_every_form_of_qrels_and_runs(files, tmp_path):
    qrels, run = files
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(QRELS.encode(), mtime=0))
    (tmp_path / "beir/qrels").mkdir(parents=True)
    lines = ["\t".join((query, doc, grade)) for query, _, doc, grade in map(str.split, QRELS.splitlines())]
    (tmp_path / "beir/qrels/test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]))
    grades = [(query, doc, grade) for query, docs in QRELS_MAPPING.items() for doc, grade in docs.items()]
    frame = pl.DataFrame(run_rows(), schema=["query", "document", "score"], orient="row")
    judged = [
        qrels,
        str(qrels),
        tmp_path / "qrels.gz",
        tmp_path / "beir",
        tmp_path / "beir/qrels/test.tsv",
        QRELS_MAPPING,
        Qrels.read(qrels),
        pl.DataFrame(grades, schema=["query", "document", "grade"], orient="row"),
        pl.LazyFrame(grades, schema=["query", "document", "grade"], orient="row"),
        pd.DataFrame(grades, columns=["qid", "docno", "label"]),
    ]
    runs = [
        run,
        str(run),
        as_mapping(),
        frame,
        frame.lazy(),
        pd.DataFrame(run_rows(), columns=["qid", "docno", "score"]),
    ]
    for source in judged:
        assert trec(source, run, "AP").mean("AP") == pytest.approx(AP_1 / 3)
    found = trec(qrels, runs, ["AP"])
    assert [found.mean("AP", one.name) for one in found.runs] == pytest.approx([AP_1 / 3] * len(runs))


def test_names_of_runs(files, tmp_path):
    qrels, run = files
    assert [run.name for run in trec(qrels, run, "AP").runs] == ["a"]
    assert [run.name for run in trec(qrels, as_mapping(), "AP").runs] == ["run"]
    found = trec(qrels, {"old": run, "new": as_mapping()}, "AP")
    assert [run.name for run in found.runs] == ["old", "new"]
    assert found.mean("AP", "old") == found.mean("AP", "new")
    assert [s.name for s in trec(qrels, {"old": {"q1": {}}, "new": as_mapping()}, "AP").runs] == ["old", "new"]
    frame = pd.DataFrame(run_rows(), columns=["qid", "docno", "score"]).assign(name="x")
    found = trec(qrels, (source for source in (as_mapping(), frame)), "AP")
    assert [run.name for run in found.runs] == ["run 1", "run 2"]


def test_a_file_is_named_as_on_the_command_line(files, tmp_path):
    """`NAME=PATH` names a run, unless a file has that whole name."""
    qrels, run = files
    shutil.copy(run, tmp_path / "odd=b.run")
    named = trec(qrels, [f"bm25={run}", run, str(tmp_path / "odd=b.run")], "AP")
    assert [scored.name for scored in named.runs] == ["bm25", "a", "odd=b"]
    with pytest.raises(InputError, match=r"two runs are called 'bm25'; give each a name of its own"):
        trec(qrels, [f"bm25={run}", f"bm25={run}"], "AP")
    with pytest.raises(InputError, match=r"bm25=none\.run: no such file"):
        trec(qrels, ["bm25=none.run"], "AP")


def test_the_ending_of_a_file_is_no_part_of_its_name(files, tmp_path):
    """Names that would be alike keep it, as do names that a caller gave; a number is no ending.

    If endings differ, an unusual one may be the name of the run, as in TREC's `input.TAG`.
    """
    qrels, run = files
    for name in ("b.run", "c.txt", "a.k1-0.9", "b.k1-0.9", "input.tagA", "a.txt"):
        shutil.copy(run, tmp_path / name)

    def names(*sources):
        paths = [f"a.run={run}" if source == "named" else f"{tmp_path / source}" for source in sources]
        return [scored.name for scored in trec(qrels, paths, "AP").runs]

    assert names("a.run", "b.run") == ["a", "b"]
    assert names("a.run", "c.txt") == ["a", "c"]
    assert names("a.run", "a.txt", "c.txt") == ["a.run", "a.txt", "c.txt"]
    assert names("b.run", "input.tagA") == ["b", "input.tagA"]
    assert names("a.k1-0.9", "b.k1-0.9") == ["a.k1-0.9", "b.k1-0.9"]
    assert names("named", "b.run") == ["a.run", "b"]
    scores = trec(qrels, [run, tmp_path / "b.run"], "AP")
    assert compare(scores, against="b.run") == compare(scores, against="b")


def test_files_of_the_same_name_are_told_apart_by_their_folders(files, tmp_path, monkeypatch):
    qrels, _ = files
    for folder in ("bm25/first", "dense/first", "dense/second", "bm25"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "run.txt").write_text(RUN)
    (tmp_path / "other.txt").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    paths = ["bm25/first/run.txt", "dense/first/run.txt", "dense/second/run.txt", "other.txt"]
    assert [s.name for s in trec(qrels, paths, "AP").runs] == [
        "bm25/first/run",
        "dense/first/run",
        "second/run",
        "other",
    ]
    twice = trec(qrels, ["other.txt", tmp_path / "other.txt", {"q1": {"d1": 1.0}}], "AP")
    names = [run.name for run in twice.runs]
    assert len(set(names)) == 3
    assert names[2] == "run"
    assert all(name.startswith(f"{tmp_path}/other.txt "[1:]) for name in names[:2])
    assert len({run.name for run in trec(qrels, ["bm25/run.txt", "bm25/first/run.txt"], "AP").runs}) == 2


@pytest.fixture
def folder(tmp_path):
    """A run folder: q1 with a document twice, q2 failed, q3 empty, q4 not asked."""
    items = [
        make_item("q1", relevant={"d1": 2.0, "d2": 0.0, "d3": 1.0}),
        make_item("q2", relevant={"d1": 1.0}),
        make_item("q3", relevant={"d5": 1.0, "d6": 0.0}),
        make_item("q4", relevant={"d5": 1.0}),
    ]
    answers = [
        make_answer("d2 x d2 d1 d3", item="q1"),
        make_answer("d1", item="q2", status="error", error="gone"),
        make_answer("", item="q3"),
    ]
    return make_run(tmp_path / "hybrid", items, answers)


def test_answers_of_a_run_are_scored_as_neraca_score_does(folder):
    names = ["AP", "RR", "SetP", "SetR", "P@4", "R@10", "Rprec", "Bpref", "Success", "Coverage", "nDCG@9", "ERR", "RBP"]
    qrels = {item.id: item.relevant for item in folder.items if item.id != "q4"}
    theirs = score([folder], names).runs[0]
    for source in (folder, folder.path, str(folder.path)):
        found = trec(qrels, source, names)
        assert found.runs[0].name == "hybrid"
        for name in names:
            right = dict(zip(["q1", "q2", "q3"], theirs.values(name).tolist(), strict=False))
            assert found.by_item(name) == pytest.approx(right, nan_ok=True), name
    # the first d2 and d1, d3: ranks 1, 4, 5; of 5 hits 2 are relevant
    assert found.by_item("AP")["q1"] == pytest.approx((1 / 4 + 2 / 5) / 2)
    assert found.by_item("SetP")["q1"] == 2 / 5
    assert notes(found)[0] == "hybrid: no document for 2 of 3 judged queries (q2, q3); counted as 0, as by trec_eval -c"


def test_answers_of_a_run_are_scored_as_their_trec_file(tmp_path):
    draw = random.Random(2)
    docs = [f"d{n}" for n in range(30)]
    qrels = {f"q{n}": {doc: float(draw.randint(-1, 3)) for doc in draw.sample(docs, 12)} for n in range(6)}
    lists = {query: draw.sample(docs, draw.randint(1, 25)) for query in qrels}
    answers = [make_answer(" ".join(found), item=query) for query, found in lists.items()]
    run = make_run(tmp_path / "run", [make_item(query) for query in qrels], answers)
    lines = [f"{query} Q0 {doc} 0 {-rank} x\n" for query, found in lists.items() for rank, doc in enumerate(found)]
    (tmp_path / "a.run").write_text("".join(lines))
    found = trec(qrels, {"folder": run, "file": tmp_path / "a.run"}, "AP nDCG P@5 Bpref Judged@7 NumRet Compat")
    for name in found.metrics:
        assert found.by_item(name, "folder") == pytest.approx(found.by_item(name, "file"))


def test_a_run_whose_every_answer_failed_is_scored(tmp_path):
    answers = [make_answer("d1", item="q1", status="error", error="gone")]
    run = make_run(tmp_path / "down", [make_item("q1")], answers)
    assert trec({"q1": {"d1": 1}}, run, "AP").by_item("AP") == {"q1": 0}
    with pytest.raises(
        InputError, match="down: none of its queries is judged in qrels: the run has 'q1', the qrels 'z'"
    ):
        trec({"z": {"d1": 1}}, run, "AP")


def test_of_several_trials_the_first_counts_and_it_is_said(tmp_path):
    answers = [make_answer("d1", item="q1"), make_answer("x d1", item="q1", trial=1)]
    run = make_run(tmp_path / "r", [make_item("q1")], answers, trials=2)
    found = trec({"q1": {"d1": 1}}, run, "RR")
    assert found.mean("RR") == 1
    assert list(notes(found)) == ["r: each question was asked 2 times; the first answer counts"]


# what is said


def test_notes(files):
    assert list(notes(trec(*files, "AP"))) == [
        "no judged document is relevant for 1 of 3 queries: counted as 0 in every run, as by trec_eval -c; they lower "
        "each mean and tell no runs apart",
        "a: no document for 1 of 3 judged queries (q2); counted as 0, as by trec_eval -c",
        "a: 2 queries of the run are not judged; left out",
        "a: 40 % of its lines have the score of another line of the same query and are ranked by document id; in "
        "the worst and the best order of these, AP is 0.139 to 0.167",  # d1 behind x, or before it: (1/2 + 2/4) / 2 / 3
    ]
    qrels = {f"q{n}": {"d": 1} for n in range(6)}
    found = trec(qrels, {"q0": {"d": 1.0}, "zz": {"d": 1.0}}, "AP")
    assert list(notes(found)) == [
        "run: no document for 5 of 6 judged queries (q1, q2, q3, …); counted as 0, as by trec_eval -c",
        "run: 1 query of the run is not judged; left out",
    ]
    assert list(notes(trec(qrels, {query: {"d": 1.0} for query in qrels}, "AP"))) == []


def test_it_prints_as_a_table(files):
    found = trec(files[0], {"a": files[1], "long name": files[1]}, "nDCG@10 NumRet")
    lines = str(found).splitlines()
    assert lines[0].split() == ["metric", "run", "value", "interval", "n", "unscored"]
    assert [line.split()[:1] + line.split()[-2:] for line in lines[2:]] == [
        [name, "3", "0"] for name in ["nDCG@10"] * 2 + ["NumRet"] * 2
    ]
    assert lines[3].startswith(f"nDCG@10  long name  {NDCG_1 / 3:.3f}  0.005 to 0.906  ")
    assert lines[4].split()[:3] == ["NumRet", "a", "5"]
    assert repr(found) == str(found)
    assert len(repr(found.runs[0])) < 200


def test_rows(files):
    found = trec(*files, "NumRet AP")
    assert query_rows(found) == [
        {"run": "a", "query": "all", "metric": "NumRet", "value": 5},
        {"run": "a", "query": "all", "metric": "AP", "value": AP_1 / 3},
    ]
    each = query_rows(found, per_query=True)
    assert [row["query"] for row in each] == ["q1", "q2", "q3", "all"] * 2
    assert [type(row["value"]) for row in each] == [int] * 4 + [float] * 4
    assert [row["value"] for row in each[:4]] == [4, 0, 1, 5]


def test_what_is_returned_can_be_changed_without_harm(files):
    found = trec(*files, "AP")
    found.values("AP")[:] = 7
    found.by_item("AP").clear()
    assert found.by_item("AP") == pytest.approx({"q1": AP_1, "q2": 0, "q3": 0})


# comparing


def test_comparing_is_the_paired_t_test_with_holms_correction():
    draw = random.Random(1)
    qrels = {f"q{n}": {f"d{k}": draw.randint(0, 2) for k in range(20)} for n in range(30)}

    def ranked(bias):
        return {q: {doc: draw.gauss(bias * grade, 1) for doc, grade in docs.items()} for q, docs in qrels.items()}

    runs = {name: ranked(bias) for name, bias in (("a", 0.2), ("b", 0.25), ("c", 0.9))}
    found = trec(qrels, runs, "nDCG@10 AP")
    differences = compare(found)
    assert [(d.metric, d.a, d.b) for d in differences] == [
        (name, *pair) for name in ("nDCG@10", "AP") for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]
    ps = []
    for d in differences:
        a, b = (np.array(list(found.by_item(d.metric, run).values())) for run in (d.a, d.b))
        assert d.difference == pytest.approx((a - b).mean())
        ps.append(ttest_rel(a, b).pvalue)
        assert (d.wins, d.losses, d.n) == ((a > b + 1e-9).sum(), (a < b - 1e-9).sum(), d.wins + d.ties + d.losses)
    assert [d.p for d in differences] == pytest.approx(ps)
    families = [p for family in (ps[:3], ps[3:]) for p in multipletests(family, method="holm")[1]]
    assert [d.p_adjusted for d in differences] == pytest.approx(families)
    assert {d.better for d in differences} == {"", "c"}


def test_only_queries_that_both_are_scored_on_are_compared():
    qrels = {f"q{n}": {"d": 1, "e": 0} for n in range(4)}
    runs = {
        "a": {"q0": {"d": 1.0}, "q1": {"d": 1.0}, "q2": {"d": 1.0, "e": 2.0}},
        "b": {"q1": {"d": 1.0, "e": 2.0}, "q2": {"d": 1.0}, "q3": {"d": 1.0}},
    }
    (both,) = compare(trec(qrels, runs, "RR", only_answered=True))
    assert (both.n, both.difference, both.wins, both.losses) == (2, 0, 1, 1)
    (whole,) = compare(trec(qrels, runs, "RR"))
    assert (whole.n, whole.difference, whole.wins, whole.losses) == (4, 0, 2, 2)
    (defined,) = compare(trec(qrels, runs, "SetP"))
    assert defined.n == 2


def test_counts_are_compared_by_their_sums():
    qrels = {f"q{n}": {"d": 1} for n in range(3)}
    runs = {"a": {query: {"d": 1.0} for query in qrels}, "b": {"q0": {"d": 1.0, "e": 1.0}}}
    found = trec(qrels, runs, "NumRet NumRelRet")
    assert [d.difference for d in compare(found)] == pytest.approx([3 - 2, 3 - 1])


# metrics of one's own


@metric("TestFirst", why_undefined="nothing stands first")
def first(ranking: Ranking, *, grade: float = 1) -> object:
    """1 where the first hit has this grade; written for arrays of numpy alone."""
    found = np.full(ranking.n, np.nan)
    found[ranking.returned > 0] = 0
    found[ranking.owner[ranking.rank == 1][ranking.grades[ranking.rank == 1] >= grade]] = 1
    return found


@metric("TestShare", total=lambda sums: sums[..., 0] / np.maximum(sums[..., 1], 1))
def share(ranking: Ranking) -> object:
    """Relevant of all hits; over queries by their sums."""
    return np.column_stack([ranking.sum(ranking.relevant(1)), ranking.returned])


@metric("TestWrong")
def wrong(ranking: Ranking, *, how: str = "length") -> object:
    if how == "raise":
        raise KeyError("oops")
    return {"length": [1.0], "range": np.full(ranking.n, 7.0), "number": 3, "text": ["x"] * ranking.n}[how]


@metric("TestReply")
def text(reference: str, response: str) -> float:
    return 1.0


def test_a_metric_of_ones_own(files):
    found = trec(*files, "TestFirst TestFirst(grade=0) Condensed(TestFirst) TestShare")
    assert found.by_item("TestFirst") == pytest.approx({"q1": 0, "q2": math.nan, "q3": 0}, nan_ok=True)
    assert found.mean("TestFirst(grade=0)") == 1
    assert found.mean("TestFirst") == 0
    assert found.by_item("TestShare") == {"q1": 2 / 4, "q2": 0, "q3": 0}
    assert found.mean("TestShare") == 2 / 5
    told = "a: TestFirst is not defined for 1 of 3 queries (nothing stands first); left out of its mean"
    assert list(notes(found))[3] == told
    assert len(list(notes(found))) == 6
    only = trec(*files, "TestShare TestFirst", only_answered=True)
    assert (only.mean("TestShare"), only.mean("TestFirst"), len(list(notes(only)))) == (2 / 5, 0, 3)
    assert only.by_item("TestShare") == {"q1": 2 / 4, "q3": 0}


def test_a_metric_of_ones_own_that_is_defined_nowhere_has_no_value():
    assert math.isnan(trec({"q": {"d": 1}}, {"q": {}}, "TestFirst").mean("TestFirst"))


@pytest.mark.parametrize(
    "name, told",
    [
        ("TestWrong", "it gave 1 values for 3; it must give one for each"),
        ("TestWrong(how=raise)", "failed on a: KeyError: 'oops'"),
        ("TestWrong(how=number)", "failed on a: TypeError"),
        ("TestWrong(how=text)", "failed on a: ValueError"),
        ("TestWrong(how=range)", ", which is outside its range of 0 to 1"),
    ],
)
def test_a_metric_of_ones_own_that_is_wrong(files, name, told):
    with pytest.raises(SpecError, match="TestWrong") as error:
        trec(*files, name)
    assert told in str(error.value)


# mistakes


@pytest.mark.parametrize("name", ["PassRatio", "QuerySuccess", "TestReply"])
def test_a_metric_that_needs_more_than_documents(files, name):
    with pytest.raises(SpecError, match=f"{name} needs more than judged documents.*neraca ask.*neraca score"):
        trec(*files, name)


@pytest.mark.parametrize(
    "names, told",
    [
        ("nDGC@10", "no metric is called 'nDGC'; did you mean nDCG"),
        ("", "there is no metric"),
        ([], "there is no metric"),
        (" , ", "there is no metric"),
        ("P@0", "the cutoff is a whole number from 1"),
        ("AP(x=1)", "AP has no parameter 'x'"),
        ("AP(", "the parentheses of 'AP\\(' do not match"),
        (None, "metrics are names such as nDCG@10, or a list of them, not None"),
        (10, "metrics are names such as nDCG@10, or a list of them, not 10"),
        ([10], "a metric is a name such as nDCG@10, not 10"),
        ([None], "a metric is a name such as nDCG@10, not None"),
    ],
)
def test_metrics_that_are_none(files, names, told):
    with pytest.raises(SpecError, match=told):
        trec(*files, names)


def test_metrics_may_be_named_in_many_ways(files):
    lists = (["AP", "P@5"], ("map", "P_5"), ["AP P@5"], [Metric.of("AP"), "P@5"], iter(["AP", "P@5"]))
    for names in ("AP P@5", "AP,P@5", *lists):
        assert trec(*files, names).metrics == ("AP", "P@5")
    assert trec(*files, Metric.of("AP")).metrics == ("AP",)
    assert trec(*files, "AP map AP").metrics == ("AP",)


def test_asking_for_what_was_not_scored(files):
    found = trec(files[0], {"a": files[1], "b": files[1]}, "AP P@5")
    for name in ("nDCG", "P_5,10", "P@10", "AP P@5"):
        with pytest.raises(SpecError, match=r"not scored; name one of those that were: AP, P@5"):
            found.mean(name, "a")
    with pytest.raises(SpecError, match="this was not scored"):
        found.mean("", "a")
    with pytest.raises(InputError, match="say which run: a, b"):
        found.mean("AP")
    with pytest.raises(InputError, match="no run is called 'c'; known: a, b"):
        found.by_item("AP", "c")
    assert found.mean("P_5", "a") == found.mean(Metric.of("P@5"), "a")


@pytest.mark.parametrize(
    "qrels, told",
    [
        (5, "qrels are a path, a mapping or a data frame, not int"),
        (None, "not NoneType"),
        ([("q1", "d1", 1)], "not list"),
        ({}, "there is no judgment in it"),
        ({"q1": {}}, "there is no judgment in it"),
        ({"q1": ["d1"]}, "query 'q1' has ['d1']; document → grade is needed there"),
        ({"q1": {"d1": "1"}}, "query 'q1', document 'd1': the grade '1' is not a number"),
        ({"q1": {"d1": None}}, "the grade None is not a number"),
        ({"q1": {"d1": math.nan}}, "the grade nan is not a number"),
        ({1: {"d1": 1}}, "query 1: ids are texts, not int"),
        ({"q1": {"d1": 1, 2: 1}}, "query 'q1', document 2: ids are texts, not int"),
        ("q1 0 d1 1\nq2 0 d1 1\n", "give the path of a file, not its text: 'q1 0 d1 1"),
        ("none.txt", "none.txt: no such file"),
    ],
)
def test_qrels_that_are_none(files, qrels, told):
    with pytest.raises(InputError) as error:
        trec(qrels, files[1], "AP")
    assert told in str(error.value)


@pytest.mark.parametrize(
    "run, told",
    [
        (5, "run: a run is a path, a mapping"),
        (None, "not NoneType"),
        ([], "there is no run to score"),
        ({}, "there is no run to score"),
        ({"a": {}}, "the run has 'a', the qrels 'q1'"),
        ({"a": {}, "b": {"q1": {"d1": 1.0}}}, "a: there is no query in it"),
        ([{}], "run: there is no query in it"),
        ({"q1": ["d1", "d2"]}, "q1: a run is a path, a mapping from queries to documents to scores"),
        ({"q1": {"d1": 1.0}, "q2": 5}, "run: query 'q2' has 5; document → score is needed there"),
        ([{"q1": {"d1": 1.0}, "q2": 5}], "run: query 'q2' has 5; document → score is needed there"),
        ({"q1": {"d1": "1"}}, "score"),
        ({"q1": {"d1": None}}, "score"),
        ({"q1": {"d1": math.nan}}, "the score is not a number (NaN)"),
        ({"q1": {1: 1.0}}, "query 'q1', document 1: ids are texts, not int"),
        ({1: {"d1": 1.0}}, "query 1: ids are texts, not int"),
        ({"q1": {"d1": 1.0, 2: 1.0}}, "run: ids are texts and scores are numbers: "),
        ({"bm25": {"q1": {"d1": math.nan}}}, "bm25: query 'q1', document 'd1': the score is not"),
        ("none.run", "none.run: no such file"),
        ("q1 Q0 d1 1 1 a\n", "give the path of a file, not its text"),
        ({"z1": {"d": 1.0}, "z2": {"d": 1.0}}, "the run has 'z1', 'z2', the qrels 'q1', 'q2', 'q3'; do the two belong"),
        (pd.DataFrame({"qid": [1.0], "docno": ["d"], "score": [1]}), "the run has '1.0', the qrels 'q1', 'q2', 'q3'"),
        (pl.LazyFrame({"query": ["z"], "document": ["d"], "score": [1]}), "the run has 'z', the qrels"),
    ],
)
def test_runs_that_are_none(files, run, told):
    with pytest.raises(InputError) as error:
        trec(files[0], run, "AP")
    assert told in str(error.value)


def test_files_that_have_no_query_in_common(files, tmp_path):
    (tmp_path / "b.run").write_text("".join(f"{n} Q0 d1 1 1 a\n" for n in range(1, 6)))
    with pytest.raises(InputError) as error:
        trec(files[0], tmp_path / "b.run", "AP")
    told = "the run has '1', '2', '3', the qrels 'q1', 'q2', 'q3'; do the two belong together?"
    assert str(error.value) == f"b.run: none of its queries is judged in {files[0]}: {told}"


@pytest.mark.parametrize(
    "qrels, run, told",
    [
        (QRELS, RUN + "q1 Q0 d2 1 9 a\n", "a.run line 8"),
        (QRELS, RUN.replace("d1 2 8", "d1 2 nan"), "a.run line 2"),
        (QRELS, RUN.replace("d1 2 8", "d1 2 high"), "a.run line 2"),
        (QRELS, RUN.replace("d1 2 8", "d1 8"), "a.run line 2"),
        (QRELS, "", "a.run: the file is empty"),
        (QRELS, "# nothing\n", "a.run"),
        (QRELS + "q1 0 d1 1\n", RUN, "qrels.txt line 7"),
        (QRELS.replace("d3 1", "d3 0.5"), RUN, "qrels.txt line 3"),
        (QRELS.replace("d3 1", "d3 yes"), RUN, "qrels.txt line 3"),
        (QRELS.replace("0 d3 1", "d3 1"), RUN, "qrels.txt line 3"),
        ("", RUN, "qrels.txt: the file is empty"),
        (RUN, QRELS, "qrels.txt line 1"),
    ],
)
def test_bad_lines_are_named(files, qrels, run, told):
    files[0].write_text(qrels)
    files[1].write_text(run)
    with pytest.raises(InputError) as error:
        trec(*files, "AP")
    assert told in str(error.value)


def test_a_folder_is_no_file(files, tmp_path):
    for pair in ((tmp_path, files[1]), (files[0], tmp_path)):
        with pytest.raises(InputError, match="this is a folder, not a file"):
            trec(*pair, "AP")


def test_the_two_liner_of_the_face(files):
    found = neraca.trec(str(files[0]), str(files[1]), ["nDCG@10"])
    assert isinstance(found, neraca.Scores)
    assert neraca.compare(neraca.trec(files[0], [files[1], files[1]], ["nDCG@10"]))[0].difference == 0
    assert Run is neraca.Run


def test_a_document_that_comes_again_in_an_answer_is_judged_and_gains_nothing(tmp_path):
    run = make_run(tmp_path / "r", [make_item("1")], [make_answer("x a a b", "1")])
    qrels = {"1": {"a": 1, "b": 1, "c": 0}}
    found = trec(qrels, run, "Judged@4 Condensed(RR) P@4 AP NumRet StRecall@4")
    assert found.mean("Judged@4") == 3 / 4
    assert found.mean("Condensed(RR)") == 1
    assert found.mean("P@4") == 2 / 4
    assert found.mean("AP") == (1 / 2 + 2 / 4) / 2
    assert (found.mean("NumRet"), found.mean("StRecall@4")) == (4, 1)


def test_answers_that_may_not_be_whole_are_left_out_and_told(tmp_path):
    items = [make_item("1"), make_item("2")]
    run = make_run(tmp_path / "r", items, [make_answer("a", "1"), make_answer("b", "2", status="suspect")])
    found = trec({"1": {"a": 1}, "2": {"b": 1, "c": 1}}, run, "R@5")
    assert found.by_item("R@5") == {"1": 1.0}
    assert any("r: 1 left out (suspect: the answer may not be whole)" in note for note in notes(found))


def test_grades_beyond_what_sums_can_hold_are_refused():
    with pytest.raises(SpecError, match="gains=exp needs grades of at most 1000, not 1024"):
        trec({"1": {"a": 1024}}, {"1": {"a": 1.0}}, "nDCG(gains=exp)")
    with pytest.raises(InputError, match=r"a grade is too large: 1e\+300"):
        trec({"1": {"a": 1e300}}, {"1": {"a": 1.0}}, "DCG")
