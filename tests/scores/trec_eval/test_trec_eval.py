"""What the data of trec_eval's own test do not show, by hand from its definitions."""

import math
from pathlib import Path

import pytest

from neraca.errors import InputError, SpecError
from neraca.scores.trec_eval.trec_eval import TrecEvalOptions, trec_eval

LOG3 = math.log2(3)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """q1: b (grade 0), a (2), then x that nobody judged; c (1) is not returned.  The run lacks q2."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 d -1\nq2 0 a 1\n")
    Path("run").write_text("q1 Q0 b 1 3 tag\nq1 Q0 a 2 2 tag\nq1 Q0 x 3 1 tag\n")


def value(*measures, query="q1", qrels="qrels", run="run", **options):
    """What is printed for a query by the last of the measures."""
    printed = trec_eval(Path(qrels), Path(run), measures, TrecEvalOptions(per_query=True, **options))
    [found] = [line.split("\t")[2] for line in printed.splitlines() if line.split("\t")[1] == query]
    return found


def written(number):
    return f"{number:.4f}"


@pytest.mark.parametrize(
    "measure, number",
    [
        ("dcg", 2 / LOG3),
        ("ideal_dcg", 2 + 1 / LOG3),
        ("ndcg", (2 / LOG3) / (2 + 1 / LOG3)),
        ("ndcg.2=1,1=4", (1 / LOG3) / (4 + 1 / LOG3)),
        ("ndcg.0=1", (1 + 2 / LOG3) / (2 + 1 / LOG3 + 1 / 2)),  # c and b gain 1 each
        ("ndcg.2=0,1=0", 0),
        ("ndcg_rel", (2 / LOG3) / (2 + 1 / LOG3)),  # after a, and at the end for c
        ("ndcg_rel.2=0,1=0", 0),
        ("Rndcg", (0 / 2 + (2 / LOG3) / (2 + 1 / LOG3)) / 2),  # after ranks 1 and 2
        ("Rndcg.2=0,1=0", 0),
        ("G", 2 / math.log2(2 + 3 - 2) / 3),
        ("binG", 1 / math.log2(3) / 2),
        ("rbp", 0.1 * 0.9),  # grades divided by 2
        ("rbp.p=0.5", 0.5 * 0.5),
        ("rbp.2=0.5", 0.1 * 0.9 * 0.5),
        ("rbp.0=-1,1=0,2=1", 0.1 * (0 + 0.9)),  # from -1..1 to 0..1: b gains 0
        ("rbp_resid", 0.9**3 + 0.1 * 0.81),
        ("unj.2", 0),
        ("unj.5", 1 / 5),
        ("yaap", math.log((1 + 1 / 2) / (1 + 2 - 1 / 2))),
        ("utility.1,10,100,1000", 1 * 1 + 10 * 2 + 100 * 1 + 1000 * (1 - 3 - 2)),
        ("set_F.3", 4 * (1 / 3) * (1 / 2) / (3 * (1 / 3) + 1 / 2)),
        ("set_F.0", 1 / 3),
        ("relative_P.1", 0),
        ("relative_P.5", 1 / 2),
        ("set_relative_P", 1 / 2),
        ("iprec_at_recall.0.7", 1 / 2),  # 1.4 documents are 1
        ("11pt_avg.0.5,0.8", (1 / 2 + 0) / 2),
        ("Rprec_mult.1.5", 1 / 3),
    ],
)
def test_by_hand(files, measure, number):
    assert value(measure) == written(number)


def test_grades_as_letters(files):
    Path("qrels").write_text("q1 0 a 10\nq1 0 b -2\nq1 0 c 3\n")
    Path("run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 x 3 1 t\nq1 Q0 c 4 0 t\n")
    assert value("relstring") == "'.>-3'"
    assert value("relstring.2") == "'.>'"
    assert value("relstring.-2") == "''"


@pytest.mark.parametrize(
    "measure, printed",
    [
        ("num_ret", "0"),
        ("num_rel", "1"),
        ("set_P", "0.0000"),
        ("utility", "0.0000"),
        ("utility.1,-1,0,0", "-1.0000"),  # under this name the one document counts
        ("relstring", "''"),
        ("relstring.5", "'-'"),
        ("unj.5", "0.0000"),
        ("rbp_resid", "0.0000"),
        ("yaap", written(math.log(1 / 2))),
    ],
)
def test_a_query_that_the_run_lacks_has_one_document_that_nobody_judged(files, measure, printed):
    assert value(measure, query="q2", complete=True) == printed


def test_no_value_where_nothing_is_relevant(files):
    assert {value(name, level=3) for name in ("Rndcg", "map", "Rprec_mult.1", "relative_P.5", "binG")} == {"0.0000"}
    Path("qrels").write_text("q1 0 a 0\n")
    assert {value(name) for name in ("ndcg", "ndcg_rel", "Rndcg", "G", "rbp")} == {"0.0000"}


def test_z_scores(files):
    Path("z").write_text("q1 map 0.5 0.25\nq1 num_rel 2 0\nq1 num_ret 2 0\n")
    assert value("map", zscores=Path("z")) == "-1.0000"  # AP is 1/4
    assert value("num_rel", zscores=Path("z")) == "0.0000"
    assert value("num_ret", zscores=Path("z")) == value("bpref", zscores=Path("z")) == "-1000000.0000"


def test_equal_scores_stand_the_other_way_round_in_preferences(files):
    Path("run").write_text("q1 Q0 a 1 1 t\nq1 Q0 b 2 1 t\n")
    Path("qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    assert value("recip_rank") == "0.5000"
    assert value("prefs_simp", form="qrels_prefs") == "1.0000"


def test_as_many_nonrelevant_documents_as_relevant(files):
    # one relevant, four not: of these the first counts, which stands above it; it is compared with all four
    Path("qrels").write_text("".join(f"q1 0 {doc} {grade}\n" for doc, grade in zip("abcde", "10000", strict=True)))
    Path("run").write_text("".join(f"q1 Q0 {doc} 1 {9 - n} t\n" for n, doc in enumerate("bacd")))
    assert value("prefs_avgjg_Rnonrel", form="qrels_prefs") == "0.0000"
    Path("run").write_text("".join(f"q1 Q0 {doc} 1 {9 - n} t\n" for n, doc in enumerate("abcd")))
    assert value("prefs_avgjg_Rnonrel", form="qrels_prefs") == written(1 / 5)


def test_lists_of_which_the_first_nonrelevant_count(files):
    # a is relevant, b and c are not: c is left out, and with it what was preferred to it
    Path("prefs").write_text("q1 g 1 a 1\nq1 g 1 b 0\nq1 g 2 a 1\nq1 g 2 c 0\n")
    Path("run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 c 3 1 t\n")
    assert value("prefs_simp", form="prefs", qrels="prefs") == "0.5000"
    assert value("prefs_avgjg_Rnonrel", form="prefs", qrels="prefs") == "0.0000"
    assert value("prefs_avgjg_Rnonrel_ret", form="prefs", qrels="prefs") == "0.0000"


@pytest.mark.parametrize(
    "lines, complaint",
    [
        ("q1 g 1 a 2\nq1 g 1 b 1\nq1 g 2 b 2\nq1 g 2 a 1\n", "query 'q1', group 'g': its lists contradict each other"),
        (
            "q1 g 1 a 1\nq1 g 1 b 0\nq1 g 2 a 1\nq1 g 2 b 2\n",
            "a document has the level 0, which is not relevant, in one",
        ),
        ("q1 g 1 a 2\nq1 g 1 a 1\n", "prefs line 2: query 'q1' has the document 'a' twice in the group g, 1"),
        ("q1 g 1 a much\n", "prefs line 1: the level 'much' is not a number"),
        ("q1 g a 2\n", r"prefs line 1: a line has 5 fields (query, group, subgroup, document, level)"),
    ],
)
def test_preferences_that_cannot_be(files, lines, complaint):
    Path("prefs").write_text(lines)
    with pytest.raises(InputError) as refused:
        value("prefs_simp", qrels="prefs", form="prefs")
    assert complaint in str(refused.value)


def test_a_document_that_is_judged_twice(files):
    Path("qrels").write_text("q1 0 a 1\nq1 1 a 0\n")
    with pytest.raises(InputError, match="query 'q1' has the document 'a' twice; judgments of several groups"):
        value("map")
    assert value("map_avgjg", form="qrels_jg") == written((1 / 2 + 0) / 2)
    Path("qrels").write_text("q1 1 a 1\nq1 1 a 0\nq1 2 b 0\n")
    with pytest.raises(InputError, match=r"query 'q1' has the document 'a' twice$"):
        value("map_avgjg", form="qrels_jg")


@pytest.mark.parametrize("form, measure", [("qrels", "map"), ("qrels_prefs", "prefs_simp"), ("qrels_jg", "map_avgjg")])
def test_no_query_in_common(files, form, measure):
    Path("run").write_text("q9 Q0 a 1 1 t\n")
    with pytest.raises(InputError, match=r"run: none of its queries is judged in qrels: the run has 'q9'"):
        value(measure, form=form)


def test_the_tag_is_that_of_the_last_line(files):
    Path("run").write_text("q1 Q0 a 1 2 one\nq1 Q0 b 2 1 two and more\n# a comment\n\n")
    assert value("runid", query="all") == "two"


def test_measures_need_their_own_form(files):
    with pytest.raises(
        SpecError, match="the measure prefs_simp cannot be computed from judgments as qrels; add -R prefs"
    ):
        value("prefs_simp")
