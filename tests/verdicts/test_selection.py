"""Whoever is named decides on relevance and on what questions expect, too."""

from builders import make_answer, make_item, make_run, make_verdict
from rated_runs import rated_runs

from neraca import notes, score
from neraca.records import Verdict
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.selection import Selection

ANA = make_verdict("a", "relevance", 1, "human:ana")
MODEL = Verdict(item="1", about="answer", aspect="valid", by="llm:m", value=1)
EXPECTS = Verdict(item="1", about="item", aspect="expects", by="human:ana", value=1)


def selection(*verdicts, by="", relevance="auto"):
    found = Selection.of([VerdictTable.made(verdicts)], by, relevance)
    return found.relevance, found.expects, found.silent


def test_the_source_named_decides_on_all_that_it_gave_verdicts_on():
    assert selection(ANA) == ("auto", "", ())
    assert selection(ANA, by="human:ana") == ("human:ana", "human:ana", ())
    assert selection(ANA, by="human:ana", relevance="qrels") == ("qrels", "human:ana", ())
    assert selection(make_verdict("a", "price", 1), by="rules") == ("rules", "", ())


def test_a_judge_without_verdicts_on_hits_leaves_them_to_others_and_a_person_to_no_other_person():
    assert selection(ANA, MODEL, EXPECTS, by="llm:m") == ("auto", "", ("relevance", "expects"))
    assert selection(MODEL, by="llm:m") == ("auto", "", ())
    tables = [VerdictTable.made([ANA, make_verdict("b", "relevance", 1, "llm:m"), MODEL])]
    (kept,) = Selection.of(tables, "human:budi").on_relevance(tables)
    assert [verdict.by for verdict in kept] == ["llm:m", "llm:m"]
    assert Selection.of(tables, "human:ana").on_relevance(tables) == tables
    assert Selection.of(tables, "llm:m").on_relevance(tables) == tables


def test_scores_by_one_person_rest_on_her_alone(tmp_path):
    """P@5 by ana: s1 .4 + .4 + .2 + 0 + 0 of 5 questions, s2 .4 + 0 + 0 + .2 + .2 of 5."""
    runs = rated_runs(tmp_path)
    by_ana = score(runs, "P@5 Rubric(quality)", by="human:ana")
    assert [by_ana["P@5"][run] for run in ("s1", "s2")] == [0.2, 0.16]
    assert by_ana["Rubric(quality)"]["s1"] == 3.0  # 18 of 5 answers, and 0 of the one that failed
    assert "raters" not in str(notes(by_ana))
    assert [score(runs, "P@5", relevance="human:ana")["P@5"][run] for run in ("s1", "s2")] == [0.2, 0.16]
    assert "relevance: " not in str(notes(score(runs, "P@5", relevance="human:ana")))


def test_notes_count_the_voters_of_the_source_that_was_asked(tmp_path):
    hits = [make_verdict("a", "relevance", value, by) for by, value in (("human:ana", 1), ("human:budi", 1))]
    run = make_run(tmp_path / "run", [make_item("1", expects="results")], [make_answer("a")], hits)
    with run.writing():
        run.add_verdicts([make_verdict("a", "relevance", 0, by) for by in ("llm:m#1", "llm:m#1")])
    assert "relevance: majority of 2 raters" in str(notes(score([run], "P@1")))
    assert "relevance: " not in str(notes(score([run], "P@1", relevance="llm")))
    with run.writing():
        run.add_verdicts([make_verdict("a", "relevance", 0, "llm:n")])
    told = str(notes(score([run], "P@1", relevance="llm")))
    assert "relevance: majority of 2 judges where several of them decided (1 time)" in told


def test_a_judge_who_gave_no_relevance_is_named_beside_the_number(tmp_path):
    run = make_run(tmp_path / "run", [make_item("1", expects="results")], [make_answer("a")], [ANA, MODEL, EXPECTS])
    told = str(notes(score([run], "P@1 Valid", by="llm:m")))
    assert "llm:m gave no verdict on relevance, so --by does not restrict it: relevance is by people (1 hit)" in told
    assert "llm:m gave no verdict on what questions expect" in told
    given = str(notes(score([run], "P@1 Valid", by="llm:m", relevance="human")))
    assert "no verdict on relevance" not in given
