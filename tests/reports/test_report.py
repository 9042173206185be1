"""The report as data: every number is that of scores, and what is left out is said."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import make_run
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.outcome import Outcomes
from neraca.records import Answer, Constraint, Hit, Item, Near, Verdict
from neraca.reports.blocks.block import flat
from neraca.reports.blocks.method import definition
from neraca.reports.blocks.questions import constraint_words, questions
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.reports.sentences.notes import notes
from neraca.result import Table
from neraca.scores import confusion
from neraca.scores.score import score

METRICS = "nDCG@10 QuerySuccess P@5 PassRatio QueryF1"


@pytest.fixture
def searched(search_runs):
    scores = score(search_runs(30), METRICS)
    return scores, compare(scores, primary="nDCG@10")


def test_values_are_those_of_scores(searched):
    scores, differences = searched
    made = report(scores, differences, primary="nDCG@10")
    cells = [cell.score for row in made.metrics for cell in row.cells]
    assert sorted(cells, key=str) == sorted(scores.overall(), key=str)
    best_first = made.runs
    assert sorted(made.pairs, key=str) == sorted(
        (d if best_first.index(d.a) < best_first.index(d.b) else d.swapped() for d in differences), key=str
    )
    for counts in made.counts:
        part = scores.run(counts.run).scorable
        assert counts.hits == confusion.hits(part)
        assert counts.questions == confusion.questions(part)
        outcomes = confusion.outcomes(part)
        assert outcomes.pop("rightly refused") == 0  # shown only if some run has one
        assert dict(counts.outcomes) == outcomes
    assert [table.metric for table in made.groups] == METRICS.split()
    assert {score for table in made.groups for row in table.rows for score in row.scores} <= set(
        scores.by_group("category")
    )


def test_aspects_agree_with_pass_rate(searched):
    scores, _ = searched
    made = report(scores)
    assert [row.aspect for row in made.aspects] == ["type", "location", "price", "bedrooms", "floors"]
    for row in made.aspects:
        metric = Metric.of(f"PassRate({row.aspect})")
        for cell in row.cells:
            rows = score_metric(metric, scores.run(cell.run).scorable).rows
            rows = rows[~np.isnan(rows).any(axis=1)]
            assert cell.rate == pytest.approx(rows.sum(axis=0)[0] / rows.sum(axis=0)[1])
            assert cell.asked == rows.sum(axis=0)[1]
    assert sum(cell.missing for cell in made.aspects[-1].cells) > 0


def test_the_primary_metric_comes_first(searched):
    scores, differences = searched
    made = report(scores, differences, primary="P@5")
    assert made.metrics[0].metric == made.pairs[0].metric == made.charts[0].metric == "P@5"
    assert "in P@5" in made.finding.headline


def test_the_best_run_in_the_primary_metric_stands_first_and_one_without_a_value_last(weighed):
    low, best = [0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8]
    made = report(*weighed({"none": [None] * 4, "low": low, "best": best, "tie": low}))
    assert made.runs == ("best", "low", "tie", "none")
    assert [cell.score.run for cell in made.metrics[0].cells] == [side.run for side in made.questions[0].sides]
    assert [cell.score.run for cell in made.metrics[0].cells] == list(made.runs)


def test_a_run_whose_name_reads_like_a_metric_keeps_its_name(weighed):
    scores, differences = weighed({"R@10": [0.9, 0.8, 0.9, 0.8], "b": [0.1, 0.2, 0.1, 0.3]}, metric="Given P@5")
    assert report(scores, differences).decision.sentence.startswith("R@10 is better than b: Given 0.850")


def test_best_is_marked_and_better_than_all_only_where_the_tests_say_so(weighed):
    scores, differences = weighed({"a": [0.9, 0.8, 0.9, 0.8], "b": [0.1, 0.2, 0.1, 0.3], "c": [0.2, 0.1, 0.3, 0.1]})
    marks = [(cell.best, cell.beats_all) for cell in report(scores, differences).metrics[0].cells]
    assert marks == [(True, True), (False, False), (False, False)]
    assert not any(cell.beats_all for cell in report(scores).metrics[0].cells)


def test_against_a_baseline_the_table_of_metrics_marks_what_is_better_or_worse(weighed, tmp_path):
    """The same marks as in the table for a paper, with a sentence that explains them, on every page."""
    low, middle, high = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], [0.4, 0.6, 0.5, 0.4, 0.6, 0.5], [0.8, 0.9, 0.9, 0.8, 0.9, 0.8]
    runs = {"base": middle, "up": high, "down": low, "same": middle[::-1]}
    made = report(*weighed(runs, against="base"))
    assert {c.score.run: c.sign for c in made.metrics[0].cells} == {"up": "†", "base": "", "same": "", "down": "‡"}
    made.save(tmp_path / "report.md")
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "†: significantly better than base. ‡: significantly worse than base." in page
    assert "0.850** †" in page
    assert "0.200 ‡" in page
    without = report(*weighed(runs))
    assert not any(cell.sign for cell in without.metrics[0].cells)


def test_nothing_is_best_among_equals_or_alone(weighed):
    scores, differences = weighed({"a": [0.5, 0.7], "b": [0.5, 0.7]})
    assert not any(cell.best for cell in report(scores, differences).metrics[0].cells)
    scores, _ = weighed({"alone": [0.5, 0.7]})
    assert [(c.best, c.beats_all) for c in report(scores).metrics[0].cells] == [(False, False)]


def test_lower_is_best_where_lower_is_better(weighed):
    scores, differences = weighed({"a": [5, 6, 5, 6], "b": [1, 2, 1, 3]}, metric="Cost")
    made = report(scores, differences)
    marks = [(cell.score.run, cell.best, cell.beats_all) for cell in made.metrics[0].cells]
    assert marks == [("b", True, True), ("a", False, False)]
    assert (made.charts[0].better, made.charts[0].equal, made.charts[0].worse) == (4, 0, 0)
    assert "lower is better" in made.finding.headline


def test_chart_is_sorted_and_leaves_unscored_out(weighed):
    scores, differences = weighed({"a": [0.1, 0.9, None, 0.5], "b": [0.5, 0.5, 0.5, 0.5]})
    chart = report(scores, differences).charts[0]
    assert chart.items == ("q1", "q3", "q0")
    assert chart.values == pytest.approx((0.4, 0.0, -0.4))
    assert (chart.better, chart.equal, chart.worse) == (1, 1, 1)


def test_notes_tell_what_went_wrong(searched):
    scores, differences = searched
    notes = " ".join(report(scores, differences, primary="nDCG@10").notes)
    assert (
        "lexical: 1 answer failed (1 timeout); a failed answer counts as an empty one, and is never right; "
        "1 answer is left unscored (suspect: the answer may not be whole)" in notes
    )
    assert "nDCG@10 is unscored on" in notes


def test_unfinished_run_and_nobody_judged(folder):
    items = [Item(id=name, query="?", session="s") for name in "ab"]
    scores = score([folder("half", items, [Answer(item="a", text="x", usage={"v": 1.0}, seconds=2.0)])], "Given P@5")
    made = report(scores)
    assert "half: 1 answer is still missing (the run is not finished)." in made.notes
    assert "Nobody judged the relevance of any hit." in made.notes
    assert "These are only 2 questions: read the result as an example, not as evidence." in made.notes
    assert [len(q.sides[0].replies) for q in made.questions] == [1, 0]
    assert [q.turn for q in made.questions] == [1, 2]
    assert made.cards[0].unanswered == 1
    assert made.cards[0].median == 2.0


def test_card_says_how_it_went_and_hides_secrets(searched):
    card = next(card for card in report(searched[0]).cards if card.name == "lexical")
    assert dict(card.settings)["api_key"].startswith("(hidden ")
    assert dict(card.statuses) == {"complete": 28, "suspect": 1, "timeout": 1}
    times = [a.seconds for a in searched[0].runs[0].scorable.column("answers") if not a.failed]
    assert card.median == pytest.approx(np.median(times))
    assert card.p95 == pytest.approx(np.quantile(times, 0.95))
    assert card.first_token == pytest.approx(0.1)
    assert card.usage == (("tokens", 3600, 30),)
    assert dict(card.judges)["rules"] > 1000


def test_of_many_questions_half_are_those_that_differ_most_and_half_are_drawn(weighed):
    a = [0.5] * 20
    b = [0.5] * 20
    b[7], b[3], b[15] = 0.0, 0.9, 0.4
    scores, differences = weighed({"a": a, "b": b})
    chosen = questions(scores, "Given", 4)
    made = replace(report(scores, differences), questions=chosen)
    shown = {q.id: dict(q.tags)["shown because"] for q in chosen}
    assert shown["q3"] == shown["q7"] == "the runs differ most"
    assert sorted(shown.values()) == ["drawn at random"] * 2 + ["the runs differ most"] * 2
    assert [q.number for q in chosen] == sorted(q.number for q in chosen)
    assert {q.id for q in questions(scores, "Given", 4)} == set(shown)
    assert made.left_out == 16
    assert "these are 2 on which the runs differ most in Given, and 2 of the others, drawn at random (seed 0)" in (
        to_html(made)
    )


def test_long_answers_hits_and_trials_are_cut_and_counted(folder):
    item = Item(id="q", query="?", relevant={"h0": 1}, references=("good",))
    hits = tuple(
        Hit(id=f"h{n}", text="t" * 500, fields={"a": "b" * 70, "c": "d" * 70, "e": "f" * 70}) for n in range(15)
    )
    answers = [Answer(item="q", trial=trial, text="x" * 5000, hits=hits) for trial in range(5)]
    run = folder("many", [item], answers)
    run.update(trials=5)
    reply = report(score([run], "P@5")).questions[0].sides[0]
    assert (len(reply.replies), reply.more) == (3, 2)
    assert (len(reply.replies[0].hits), reply.replies[0].cut) == (10, 5)
    assert len(reply.replies[0].text) == 800
    assert len(reply.replies[0].hits[0].text) == 160
    assert reply.replies[0].hits[0].fields.endswith("…")
    assert reply.replies[0].hits[0].relevance == "relevant"
    assert reply.replies[0].hits[1].relevance == "not judged"


def test_verdicts_are_named_as_what_they_are(folder):
    item = Item(id="q", query="?", constraints={"price": Constraint(max=5), "floors": Constraint(exact=2)})
    hit = Hit(id="h", fields={"price": 9, "none": None, "ok": True, "list": ["x", 2.5], "nested": {"a": 1}})

    def verdict_on(about, aspect, value, by="rules", **fields):
        return Verdict(item="q", about=about, aspect=aspect, value=value, by=by, **fields)

    verdicts = [
        verdict_on("hit:h", "price", 0.0, why="price: 9 is above 5"),
        verdict_on("hit:h", "floors", None, status="missing", why="no floors"),
        verdict_on("hit:h", "relevance", 0.5, by="human:Ana"),
        verdict_on("answer", "quality", 1.0, by="human:Ana", why="poor"),
        verdict_on("claim:1", "supported", None, why="no reply"),
    ]
    reply = report(score([folder("r", [item], [Answer(item="q", hits=(hit,))], verdicts)], "PassRatio")).questions[0]
    found = reply.sides[0].replies[0]
    assert [(c.word, c.aspect, c.why, c.by) for c in found.hits[0].checks] == [
        ("fail", "price", "price: 9 is above 5", ""),
        ("missing", "floors", "no floors", ""),
        ("0.5", "relevance", "", "human:Ana"),
    ]
    assert [(c.word, c.aspect) for c in found.checks] == [("1", "quality"), ("not decided", "claim:1 supported")]
    assert found.hits[0].relevance == "not relevant (0.5)"
    assert found.hits[0].fields == 'price 9 · ok true · list x, 2.5 · nested {"a": 1}'


@pytest.mark.parametrize(
    "constraint, words",
    [
        (Constraint(equals=["a", True, 2.0]), "a or true or 2"),
        (Constraint(min=1e9), "at least 1,000,000,000"),
        (Constraint(max=5, tolerance=0.1), "at most 5; tolerance 10 %"),
        (Constraint(exact=3), "exactly 3"),
        (Constraint(about=2), "about 2"),
        (
            Constraint(contains_any=["x", "y"], near=Near(lat=1.5, lng=2.5, radius_km=3), fields=["f"]),
            "contains x or y, or within 3 km of 1.5, 2.5 [in f]",
        ),
    ],
)
def test_constraints_in_words(constraint, words):
    assert constraint_words(constraint) == words


def test_definitions():
    assert definition(Metric.of("P@5")).text.endswith("relevant hits among the first k, divided by k.")
    assert definition(Metric.of("P(of=returned)@5")).text.endswith("divided by min(k, number of hits).")
    assert definition(Metric.of("P@5")).params == "at = 5, rel = 1, of = k"
    assert definition(Metric.of("RR")).params.startswith("at = all")
    assert definition(Metric.of("ROUGE-L")).params == "stat = f, tokens = word"
    assert definition(Metric.of("ROUGE-L(language=es)")).params.endswith("language = es")
    assert definition(Metric.of("Given")).text == "The value written into the answer, v ≤ 10."
    assert definition(Metric.of("Cost")).range == "0 to ∞"
    assert definition(Metric.of("Cost")).better == "lower is better"
    assert "$" not in definition(Metric.of("nDCG@10")).text + definition(Metric.of("DCG")).text


def test_success_threshold_is_the_one_that_was_scored(searched):
    scores = score([each.scorable.column("run") for each in searched[0].runs], "P@5 QueryF1(at=0.9)")
    made = report(scores)
    assert made.success_at == 0.9
    assert made.counts[0].questions == confusion.questions(scores.run(made.counts[0].run).scorable, 0.9)


def test_wrong_requests_are_refused(searched, weighed):
    scores, _ = searched
    with pytest.raises(SpecError, match="the primary metric RR is not among those scored: nDCG@10"):
        report(scores, primary="RR")
    with pytest.raises(SpecError, match="no item has the tag 'colour'"):
        report(scores, groups=["colour"])
    _other, differences = weighed({"x": [1, 2], "y": [2, 3]})
    with pytest.raises(SpecError, match="the difference of x and y in Given is not of these scores"):
        report(scores, differences)
    assert report(scores, groups=[]).groups == ()


def test_files_by_suffix(weighed, tmp_path):
    made = report(*weighed({"a": [0.5, 0.7], "b": [0.4, 0.7]}))
    write_report(tmp_path / "deep" / "r.HTML", made)
    write_report(tmp_path / "r.md", made)
    assert (tmp_path / "deep" / "r.HTML").read_text().startswith("<!doctype html>")
    assert (tmp_path / "r.md").read_text().startswith("# a and b: comparison\n")
    with pytest.raises(SpecError, match=r"let the file's name end in \.html, \.htm, \.md"):
        write_report(tmp_path / "r.odt", made)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("r")) == ["r.md"]


def test_spread_counts_only_runs_that_have_a_value(weighed):
    scores, _ = weighed({"a": [0.5, None, None], "b": [0.25, 0.75, None]})
    assert [q.spread for q in report(scores).questions] == [0.25, 0.0, 0.0]
    assert math.isnan(report(scores).questions[2].sides[0].values[0].value)
    assert report(scores).questions[2].sides[0].values[0].why == "no value was given"


def test_a_run_whose_hits_nobody_judged_is_not_beaten_in_silence(tmp_path):
    item = Item(id="q1", query="?", expects="results")
    verdict = Verdict(item="q1", about="hit:a", aspect="relevance", by="human:Ana", value=1)
    runs = [make_run(tmp_path / name, [item], [Answer(item="q1", hits=(Hit(id=name),))], [verdict]) for name in "ab"]
    notes = report(score(runs, "RR"), title="x").notes
    assert any(note.startswith("b: 1 of 1 hits were judged by nobody") for note in notes)
    assert not any(note.startswith("a: 1 of 1") for note in notes)


def test_hits_of_questions_for_which_nothing_can_be_relevant_are_not_missing_a_judgment(tmp_path):
    items = [Item(id="q1", query="?", expects="results"), Item(id="q2", query="?", expects="none")]
    items.append(Item(id="q3", query="?", relevant={}))
    verdict = Verdict(item="q1", about="hit:a", aspect="relevance", by="human:Ana", value=1)
    for name, extra in (("all", ()), ("some", (Hit(id="x"),))):
        answers = [Answer(item=item.id, hits=(Hit(id="a"), *extra)) for item in items]
        make_run(tmp_path / name, items, answers, [verdict])
    notes = report(score([tmp_path / "all", tmp_path / "some"], "RR")).notes
    assert [note.partition(";")[0] for note in notes if "judged by nobody" in note] == [
        "some: 1 of 2 hits were judged by nobody (without 4 hits of questions that expect nothing)"
    ]


def test_hits_on_which_people_disagree_were_judged_and_are_undecided(tmp_path):
    """Of three hits one is judged, on one people disagree, and nobody looked at the third."""
    item = Item(id="q1", query="?", expects="results")
    verdict = [
        Verdict(item="q1", about=f"hit:{doc}", aspect="relevance", by=f"human:{name}", value=value)
        for doc, name, value in (("a", "ana", 1), ("b", "ana", 1), ("b", "budi", 0))
    ]
    run = make_run(tmp_path / "run", [item], [Answer(item="q1", hits=tuple(Hit(id=doc) for doc in "abc"))], verdict)
    notes = report(score([run], "RR")).notes
    assert any(
        note.startswith("run: 1 of 3 hits were judged by nobody and 1 of 3 hits is undecided;") for note in notes
    )
    run = make_run(tmp_path / "level", [item], [Answer(item="q1", hits=(Hit(id="b"),))], verdict[1:])
    assert score([run], "RR").runs[0].why("RR") == {0: "people disagree on its hits, which stay undecided"}
    assert "level: 1 of 1 hits is undecided" not in str(report(score([run], "RR")).notes), "nothing counts as judged"


def test_a_grade_that_contradicts_what_its_question_expects_is_named(tmp_path):
    """A hit that somebody calls relevant where nothing is to be found is 0 in Success, and P@1 takes the grade."""
    item = Item(id="q5", query="?", expects="none")
    verdict = Verdict(item="q5", about="hit:z1", aspect="relevance", by="human:Ana", value=1)
    run = make_run(tmp_path / "run", [item], [Answer(item="q5", hits=(Hit(id="z1"),))], [verdict])
    scores = score([run], "Success P(empty=correct)@1 RR(empty=correct) P@1")
    assert [row["value"] for row in scores.rows()] == [0, 0, 0, 1]
    told = "yet 1 document is graded as relevant there, for example z1 for the question q5: Success"
    assert told in " ".join(str(notes(scores)).split())
    assert Outcomes.of(scores.runs[0].scorable).names().tolist() == ["none relevant"]


def test_tables_of_groups_say_which_metrics_they_leave_out(search_runs):
    names = "nDCG@10 P@5 RR AP SetP SetR"
    made = report(score(search_runs(12), names), groups=["category"])
    assert [table.metric for table in made.groups] == names.split()
    drawn = [table.name for table in flat(comparison_document(made).blocks) if isinstance(table, Table)]
    by_category = [name for name in drawn if name.endswith("by category")]
    assert by_category == [f"{metric} by category" for metric in ("nDCG@10", "P@5", "RR", "AP")]
    verdict = (
        "4 of 6 metrics. Not shown by group: SetP and SetR. The HTML report has them, and neraca score with the same "
        "-m and -g category prints them."
    )
    assert verdict in to_markdown(made)
    assert "SetR by category" in to_html(made)
    first = report(score(search_runs(12), "RR AP SetP SetR"), groups=["category"])
    assert first.groups_cut == ""
    assert report(score(search_runs(12), names), groups=[]).groups_cut == ""


def test_what_is_cut_short_is_said_with_the_place_where_it_is_whole(folder):
    items = [Item(id="q", query="?")]
    cut = (
        [Answer(item="q", text="word " * 300)],
        [Answer(item="q", hits=tuple(Hit(id=f"h{n}") for n in range(11)))],
        [Answer(item="q", hits=(Hit(id="h", text="word " * 99),))],
        [Answer(item="q", trial=trial) for trial in range(4)],
    )
    for n, answers in enumerate((*cut, [Answer(item="q", text="short")])):
        run = folder(f"run{n}", items, answers)
        run.update(trials=len(answers))
        made = report(score([run], "Coverage"))
        page = to_html(made)
        assert ("answers.jsonl in the folder of each run" in page) is (n < len(cut))
        assert ("1 more trial not shown." in to_markdown(made)) is (len(answers) == 4)


def test_pairs_that_are_not_drawn_are_counted(weighed):
    scores, differences = weighed({name: [n, n + 1, 2 * n] for n, name in enumerate("abcde")})
    assert "4 more pairs not shown here; the table of differences has every pair." in to_markdown(
        report(scores, differences)
    )
    assert "4 more pairs not shown here; the table of differences has every pair." in to_html(
        report(scores, differences)
    )


def test_a_caution_says_whose_word_counted_where_people_judged_a_part(search_runs):
    """Of one run 2 hits by a person, the others by rules; the sum is that of all hits that anybody judged."""
    (run,) = search_runs(6)[:1]
    before = score([run], "P@5").relevance.used
    assert not any("hits by people" in one for one in report(score([run], "P@5"), ()).notes), "rules alone"
    found = next((a.item, a.hits[:2]) for a in run.answers().values() if len(a.hits) > 1)
    with run.writing():
        run.add_verdicts(
            Verdict(item=found[0], about=f"hit:{hit.id}", aspect="relevance", by="human:ani", value=1.0)
            for hit in found[1]
        )
    scores = score([run], "P@5")
    assert scores.relevance.used == {"human": 2, "rules": before["rules"] - 2}
    verdict = f"Relevance: 2 hits by people, {before['rules'] - 2} by rules; numbers move as people judge more."
    assert verdict in report(scores, ()).notes


def test_a_cost_of_some_answers_and_unknown_hits_are_said(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}") for n in range(3)]
    answers = [
        Answer(item="q0", text="a", hits=(Hit(id="d"),), usage={"cost": 0.25}),
        Answer(item="q1", text="b", unknown_hits="no span retrieves", usage={"cost": 0.5}),
        Answer(item="q2", text="c", hits=(Hit(id="d"),)),
    ]
    folder = make_run(tmp_path / "live", items, answers)
    made = report(score([folder], "Words"))
    [card] = made.cards
    assert card.cost == ("cost", 0.75, 2)
    page, text = to_html(made), to_markdown(made)
    for written in (page, text):
        assert "$0.75 (2 of 3 answers)" in written
        assert "$0.38" in written.replace("\\", ""), "the mean over the two answers, 0.375"
        assert "hits unknown: no span retrieves" in written


def test_the_pairs_drawn_question_by_question_are_those_of_the_best_runs(weighed):
    values = {f"r{n}": [n / 10, n / 10, n / 10 + 0.01] for n in range(5)}
    made = report(*weighed(values))
    assert [{chart.a, chart.b} for chart in made.charts][:3] == [{"r4", "r3"}, {"r4", "r2"}, {"r3", "r2"}]
    assert len(made.charts) == 6
    assert made.more_charts == 4


def test_the_same_caution_on_several_runs_stands_once(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}", references=("yes",) if n else ()) for n in range(6)]
    runs = [make_run(tmp_path / run, items, [Answer(item=item.id, text=run) for item in items]) for run in "abc"]
    scores = score(runs, "TokenF1")
    notes = [note for note in report(scores, compare(scores)).notes if "is unscored on" in note]
    assert [note.partition(", most often")[0] for note in notes] == [
        "TokenF1 is unscored on 1 of 6 questions of a, b and c"
    ]
