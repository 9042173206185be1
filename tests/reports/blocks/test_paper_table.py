"""The table for a paper: runs as rows, metrics as columns, and a caption that says how to read it."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

import neraca
from neraca.comparisons.compare import compare
from neraca.reports.blocks.paper_notes import fewer_questions
from neraca.reports.blocks.paper_table import paper_table
from neraca.reports.report import report
from neraca.reports.sentences.conclusion import undeclared
from neraca.scores.score import score

LOW, MIDDLE, HIGH = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], [0.4, 0.6, 0.5, 0.4, 0.6, 0.5], [0.8, 0.9, 0.9, 0.8, 0.9, 0.8]


def table_of(weighed, runs, language="en", intervals=False, **comparing):
    table, notes = paper_table(report(*weighed(runs, **comparing), language=language), intervals)
    return table._replace(title=f"{table.title} // {' '.join(notes)}")


def test_runs_are_rows_and_the_best_is_bold(weighed):
    table = table_of(weighed, {"old": LOW, "new": HIGH})
    assert table.columns == ("Run", "Given")
    assert [(run, cell.text, cell.bold, cell.mark, cell.beside) for run, cell in table.rows] == [
        ("new", "0.850", True, "†", ""),
        ("old", "0.200", False, "", ""),
    ]
    assert table.title == (
        "Given of 2 runs, means over 6 questions. Bold: best value of its column. †: significantly better than the "
        "other run. // Tests: two-sided paired t-tests, p-values corrected by Holm's method, level 0.05."
    )


def test_three_runs_have_letters(weighed):
    table = table_of(weighed, {"a": LOW, "b": LOW[::-1], "c": HIGH})
    assert {run: cell.mark for run, cell in table.rows} == {"a": "b", "b": "b", "c": "a"}
    assert "Letters: two runs of a column differ significantly if they share none." in table.title


def test_against_a_baseline_runs_are_marked_as_better_or_worse(weighed):
    table = table_of(weighed, {"base": MIDDLE, "up": HIGH, "down": LOW, "same": MIDDLE[::-1]}, against="base")
    assert {run: cell.mark for run, cell in table.rows} == {"base": "", "up": "†", "down": "‡", "same": ""}
    assert "†: significantly better than base. ‡: significantly worse than base." in table.title


def test_no_significant_difference_is_said(weighed):
    table = table_of(weighed, {"a": LOW, "b": LOW[::-1]})
    assert "No difference is significant (two-sided paired t-tests, p-values corrected by Holm's method" in table.title


def test_intervals_come_on_request_and_fewer_questions_are_named(weighed):
    table = table_of(weighed, {"old": [None, *LOW[1:]], "new": HIGH}, intervals=True)
    assert table.rows[0][1].beside.count(" to ") == 1
    assert "means over 6 questions." in table.title
    assert "fewer than 6 questions, because a value is undefined elsewhere: old on 5." in table.title
    assert "In parentheses: 95 % intervals." in table.title


def test_means_over_the_same_fewer_questions_are_said_once(weighed):
    """Two questions have no reference, in every run: no run is named, whatever their number."""
    runs = {name: [None, *values[1:]] for name, values in {"a": LOW, "b": MIDDLE, "c": HIGH}.items()}
    assert table_of(weighed, runs).title.startswith("Given of 3 runs, means over 5 of 6 questions. ")
    runs["c"] = HIGH
    assert table_of(weighed, runs).title.endswith("because a value is undefined elsewhere: b and a on 5.")


def test_the_language_of_the_report_holds(weighed):
    table = table_of(weighed, {"old": LOW, "new": HIGH}, language="id")
    assert (table.rows[0][1].text, table.title.partition(".")[0]) == (
        "0,850",
        "Given dari 2 run, rata-rata dari 6 pertanyaan",
    )


def test_a_metric_of_which_less_is_better_has_an_arrow(weighed):
    table = table_of(weighed, {"old": HIGH, "new": LOW}, metric="Cost")
    assert table.columns == ("Run", "Cost ↓")
    assert {run: cell.bold for run, cell in table.rows} == {"old": False, "new": True}
    assert "↓: lower is better." in table.title


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("table.tex", "% needs"),
        ("table-main.tex", "% needs"),
        ("results_table.tex", "% needs"),
        ("report.tex", r"\doc"),
    ],
)
def test_the_name_of_the_file_chooses(weighed, tmp_path, name, start):
    neraca.write_report(tmp_path / name, report(*weighed({"old": LOW, "new": HIGH})))
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(start)
    assert (r"\label{tab:main}" in text) is (name == "table-main.tex")


def test_the_notes_name_the_primary_metric_and_that_nobody_declared_it(search_runs):
    scores = score(search_runs(30, hits=3), "P@5 nDCG@10 PassRatio")
    differences = compare(scores)
    apart = "its p-values are corrected apart from the others."
    by_default = report(scores, differences)
    assert f"Primary metric (by default): P@5; {apart}" in paper_table(by_default).notes
    assert by_default.notes[-1] == next(undeclared(scores))  # a formality stands behind what doubts the numbers
    declared = paper_table(report(scores, compare(scores, primary="PassRatio"), primary="PassRatio")).notes
    assert f"Primary metric: PassRatio; {apart}" in declared
    uncorrected = paper_table(report(scores, compare(scores, correction="none"))).notes
    assert "Primary metric (by default): P@5." in uncorrected


def test_a_metric_that_all_runs_lack_somewhere_is_not_read_as_one_of_a_run(weighed):
    made = report(*weighed({"api": LOW, "hybrid": HIGH}))
    clauses = fewer_questions(made.metrics, {"nDCG": [6, 6], "P@5": [4, 6], "SetR": [5, 5]}, 6)
    assert "; ".join(clauses) == f"SetR on 5; {made.runs[0]} in P@5 on 4"


TOPICS = {str(n): {"good": 2, "fair": 1, "bad": 0} for n in range(8)}
RANKED = {query: {"good": 3.0, "fair": 2.0, "bad": 1.0} for query in TOPICS}


def test_the_notes_say_what_counts_as_0_which_parameters_hold_and_why_a_column_has_no_letters():
    fewer = {query: hits for query, hits in RANKED.items() if query not in "07"}
    turned = {query: {"bad": 3.0, "good": 2.0, "fair": 1.0} for query in TOPICS}
    metrics = "nDCG@10 RBP P@2 Judged@2"
    scores = neraca.trec(TOPICS, {"full": RANKED, "gappy": fewer, "turned": turned}, metrics)
    table, notes = paper_table(report(scores, compare(scores)))
    assert table.title.startswith("4 metrics of 3 runs, means over 8 topics. Bold: best value of its column.")
    assert table.columns == ("Run", "nDCG@10", "RBP", "P@2", "Judged@2")
    assert "Topics without a document count as 0: gappy (2)." in notes
    assert "Parameters: nDCG@10: gains = linear, discount = log2; RBP: p = 0.8, graded." in notes
    assert "Relevant: grade ≥ 1 in P@2." in notes
    assert [note for note in notes if note.startswith("Without marks: Judged@2, because no value of it is better")]


def test_topics_that_are_left_out_of_the_means_do_not_count_as_0():
    fewer = {query: hits for query, hits in RANKED.items() if query != "0"}
    scores = neraca.trec(TOPICS, {"full": RANKED, "gappy": fewer}, "nDCG@10", only_answered=True)
    notes = " ".join(paper_table(report(scores, compare(scores))).notes)
    assert "count" not in notes.replace("discount", "")
    assert "because a value is undefined elsewhere: gappy on 7." in notes


def test_unjudged_hits_are_in_the_notes_where_the_report_cautions():
    fresh = {query: {"good": 3.0, "new": 2.0, "newer": 1.0} for query in TOPICS}  # one of the first two is judged
    scores = neraca.trec(TOPICS, {"full": RANKED, "fresh": fresh}, "P@2")
    caution = (
        "Judged@2 is 1.000 (full) and 0.500 (fresh): unjudged documents count as not relevant, so a difference may "
        "come from what was judged."
    )
    for language in ("en", "id", "es"):
        made = report(scores, compare(scores), language=language)
        found = [note for note in paper_table(made).notes if "Judged@2" in note]
        assert len(found) == 1
        assert language != "en" or found == [caution]
        assert any("Judged@2" in note for note in made.notes)
    turned = {query: {"bad": 3.0, "good": 2.0} for query in TOPICS}
    scores = neraca.trec(TOPICS, {"full": RANKED, "turned": turned}, "P@2")
    assert "judged" not in " ".join(paper_table(report(scores, compare(scores))).notes)


def test_hits_of_run_folders_that_nobody_judged_are_in_the_notes(tmp_path):
    items = [make_item("1", expects="results"), make_item("2", expects="results")]
    answers = [make_answer("b a", item=item.id) for item in items]
    verdicts = [make_verdict("a", "relevance", 1, "human:ana")]  # of the four hits, one of the first question
    made = report(score([make_run(tmp_path / "run", items, answers, verdicts)], "nDCG@10"))
    caution = "run: 3 of 4 hits were judged by nobody; ranking metrics take them for not relevant, which may be unjust."
    assert caution in made.notes
    assert caution in paper_table(made).notes


def test_ties_that_document_ids_decide_are_in_the_notes(tmp_path):
    """Of two documents with one score the id decides which is first: P@1 is 0 or 1 on each topic."""
    (tmp_path / "qrels.txt").write_text("".join(f"q{n} 0 a 1\n" for n in range(9)))
    tied, plain = ([f"q{n} Q0 {d} 1 {score} x\n" for n in range(9) for d, score in scores] for scores in (
        [("a", 1), ("b", 1)], [("a", 2), ("b", 1)]
    ))  # fmt: skip
    for name, lines in (("tied.run", tied), ("plain.run", plain)):
        (tmp_path / name).write_text("".join(lines))
    scores = neraca.trec(tmp_path / "qrels.txt", [tmp_path / "tied.run", tmp_path / "plain.run"], "P@1")
    _, notes = paper_table(neraca.report(scores))
    (note,) = [note for note in notes if "Tied documents" in note]
    assert note == (
        "Tied documents stand in the order of their ids; in the worst and the best order: tied (100 % of its lines) "
        "P@1 0.000 to 1.000."
    )
