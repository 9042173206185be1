import math
import re

import msgspec
import polars as pl
import pytest
from builders import make_answer, make_item, make_run, make_verdict

import neraca
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric, metric
from neraca.records import Verdict
from neraca.runs.run import Run, content_of
from neraca.scores.export import save_scores
from neraca.scores.score import score
from neraca.scores.unit import clusters_of


@metric("TestNumber", low=-math.inf, high=math.inf)
def number(response: str) -> float | None:
    """The number that the answer says."""
    return float(response) if response else None


ITEMS = [
    make_item("q1", relevant={"a": 1}, session="s", tags={"category": "easy"}),
    make_item("q2", relevant={"a": 1, "b": 1}, session="s", tags={"category": "easy"}),
    make_item("q3", relevant={"c": 1}, tags={"category": "hard"}),
    make_item("q4", relevant={}, tags={"category": "hard"}),
]


def answers(*docs):
    return [make_answer(hits, f"q{place}") for place, hits in enumerate(docs, start=1)]


@pytest.fixture
def alpha(tmp_path):
    return make_run(tmp_path / "alpha", ITEMS, answers("a x", "x b", "x c", ""))


@pytest.fixture
def beta(tmp_path):
    return make_run(tmp_path / "beta", ITEMS, answers("x a", "x b", "", "x"))


def values_of(scores):
    return {(s.run, s.group, s.metric): (s.value, s.n, s.unscored) for s in scores}


def test_overall(alpha, beta):
    found = values_of(score([alpha, beta], "RR Success").overall())
    # RR: 1, 1/2, 1/2 and a correct empty; 1/2, 1/2, false empty, wrong hit
    assert found == {
        ("alpha", "", "RR"): (pytest.approx(2 / 3), 3, 1),
        ("beta", "", "RR"): (pytest.approx(1 / 4), 4, 0),
        ("alpha", "", "Success"): (1, 4, 0),
        ("beta", "", "Success"): (0.5, 4, 0),
    }


def test_by_group(alpha, beta):
    found = values_of(score([alpha, beta], "RR").by_group("category"))
    assert found == {
        ("alpha", "category=easy", "RR"): (0.75, 2, 0),
        ("beta", "category=easy", "RR"): (0.5, 2, 0),
        ("alpha", "category=hard", "RR"): (0.5, 1, 1),
        ("beta", "category=hard", "RR"): (0, 2, 0),
    }


def test_items_of_a_session_are_one_source_of_chance(tmp_path):
    # mean 1/2; sums of residuals 1/2 (session s), -1/4, -1/4 and three times 0: se = sqrt(6/5 * 3/8) / 7;
    # t(5) = 2.570582
    items = [make_item(str(n), session="s" if n < 2 else None) for n in range(7)]
    numbers = [0.75, 0.75, 0.25, 0.25, 0.5, 0.5, 0.5]
    text = [make_answer(item=str(n), text=str(value)) for n, value in enumerate(numbers)]
    (found,) = score([make_run(tmp_path / "run", items, text)], "TestNumber").overall()
    half = 2.570582 * math.sqrt(6 / 5 * 3 / 8) / 7
    assert (found.low, found.high, found.method) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half), "t")


def test_fewer_than_six_sources_of_chance_get_no_interval(alpha):
    """Three of q1 to q4, of which two share a session: neither of a mean nor of a share."""
    for found in score([alpha], "RR Success").overall():
        assert (found.method, math.isnan(found.low), found.value > 0) == ("none", True, True)
    assert all(found.method != "none" for found in score([alpha], "RR Success", unit="question").overall())


def test_shares_get_wilson(alpha):
    (found,) = score([alpha], "Success", unit="question").overall()
    assert found.method == "wilson"
    assert 0 < found.low < found.high == 1


def test_what_can_be_above_one_is_no_share(tmp_path):
    """Each answer is as long as its reference: nothing shows how much chance there is, and 1 is no upper end."""
    items = [make_item(f"q{place}", references=("two",)) for place in range(9)]
    run = make_run(tmp_path / "run", items, [make_answer(item=item.id, text="one") for item in items])
    ratio, rate, match = score([run], "LengthRatio TER ExactMatch").overall()
    assert (ratio.value, ratio.method, rate.value, rate.method) == (1, "none", 1, "none")
    assert math.isnan(ratio.low)
    assert (match.value, match.method) == (0, "wilson")


def test_a_share_of_judged_hits_is_a_share(alpha):
    (found,) = score([alpha], "Condensed(P@1)", unit="question").overall()
    assert found.method == "wilson"


def test_clusters_are_sessions_and_items_alone(tmp_path):
    items = [
        make_item("x", session="s"),
        make_item("s"),
        make_item("y", session="s"),
        make_item("z"),
        make_item("w", session=""),
    ]
    run = score([make_run(tmp_path / "run", items, [])], "RR").run()
    assert run.clusters.tolist() == [0, 1, 0, 2, 3]
    assert clusters_of("aba").tolist() == [0, 1, 0]


def test_a_value_of_a_run_and_why_it_is_empty(alpha):
    run = score([alpha], "RR").run("alpha")
    assert run.values("RR") == pytest.approx([1, 0.5, 0.5, math.nan], nan_ok=True)
    assert run.why("RR") == {3: "correct empty: nothing to find, nothing returned"}
    assert [hit.id for hit in run.scorable.column("answers")[0].hits] == ["a", "x"]


def test_a_question_without_answer_is_counted(tmp_path):
    run = make_run(tmp_path / "half", ITEMS, answers("a", "a"))
    scores = score([run], "RR")
    assert values_of(scores.overall()) == {("half", "", "RR"): (1, 2, 2)}
    assert scores.run("half").why("RR") == dict.fromkeys([2, 3], "it has no answer yet")


def test_a_run_without_any_answer(tmp_path):
    (found,) = score([make_run(tmp_path / "empty", ITEMS, [])], "RR").overall()
    assert (found.n, found.unscored, found.method) == (0, 4, "none")
    assert all(math.isnan(value) for value in (found.value, found.low, found.high))


def test_trials_are_averaged_before_anything_else(tmp_path):
    asked = [
        *(make_answer(docs, "q1", trial=trial) for trial, docs in enumerate(["a", "x a", "x x2 x3 a"])),
        make_answer("a", "q2", trial=0),
        make_answer("a", "q2", trial=1, status="suspect"),
        make_answer("a", "q3", trial=1, status="suspect"),
    ]
    scores = score([make_run(tmp_path / "run", ITEMS, asked, trials=3)], "RR")
    run = scores.run("run")
    assert run.values("RR") == pytest.approx([(1 + 1 / 2 + 1 / 4) / 3, 1, math.nan, math.nan], nan_ok=True)
    assert {place: why[:7] for place, why in run.why("RR").items()} == {2: "suspect", 3: "it has "}
    assert values_of(scores.overall()) == {("run", "", "RR"): (pytest.approx((1.75 / 3 + 1) / 2), 2, 2)}
    assert run.trial[run.item == 0].tolist() == [0, 1, 2]


def test_answers_of_trials_beyond_those_planned_do_not_count(tmp_path):
    run = make_run(tmp_path / "run", ITEMS, [make_answer("a", "q1"), make_answer("x", "q1", trial=1)])
    assert score([run], "RR").run("run").values("RR")[0] == 1


def test_the_newest_answer_counts(tmp_path):
    run = make_run(tmp_path / "run", ITEMS, [make_answer("x", "q1"), make_answer("a", "q1")])
    assert score([run], "RR").run("run").values("RR")[0] == 1


def test_ratios_of_counts_over_trials_and_items(tmp_path):
    # q1: 1 of 1 and 0 of 3 passes over two trials: counts (1/2, 2); q2: (0, 1): together (1/2) / 3
    items = [make_item("q1", "c", expects="results"), make_item("q2", "c", expects="results")]
    asked = [make_answer("a", "q1"), make_answer("b c d", "q1", trial=1), make_answer("e", "q2")]
    said = [make_verdict("a", "c", 1, item="q1"), *(make_verdict(doc, "c", 0, item="q1", trial=1) for doc in "bcd")]
    said.append(make_verdict("e", "c", 0, item="q2"))
    scores = score([make_run(tmp_path / "run", items, asked, said, trials=2)], "PassRatio")
    assert scores.run("run").values("PassRatio").tolist() == [0.25, 0]
    assert scores.overall()[0].value == pytest.approx(1 / 6)


def test_what_is_relevant_is_pooled_over_the_runs(tmp_path):
    items = [make_item("q1", "c", expects="results")]
    runs = [
        make_run(
            tmp_path / name,
            items,
            [make_answer(docs, "q1")],
            [make_verdict(doc, "c", 1, item="q1") for doc in docs.split()],
        )
        for name, docs in (("one", "a"), ("two", "b c"))
    ]
    assert values_of(score(runs[:1], "SetR").overall()) == {("one", "", "SetR"): (1, 1, 0)}
    scores = score(runs, "SetR")
    assert {s.run: s.value for s in scores.overall()} == {"one": pytest.approx(1 / 3), "two": pytest.approx(2 / 3)}
    assert str(scores.relevance) == "rules (3 hits)"


def test_whose_word_counts(tmp_path):
    items = [make_item("q1", "c", expects="results")]
    said = [make_verdict("a", "c", 0, item="q1"), make_verdict("a", "relevance", 1, item="q1", by="human:Ana")]
    said += [make_verdict("a", "c", 1, item="q1", by="llm:m")]
    run = make_run(tmp_path / "run", items, [make_answer("a", "q1")], said)

    def value(name, **options):
        return score([run], name, **options).overall()[0].value

    assert [value("RR", relevance=whose) for whose in ("auto", "human", "rules")] == [1, 1, 0]
    assert [value("PassRatio", by=whose) for whose in ("", "rules", "llm", "llm:m")] == [0, 0, 1, 1]
    assert math.isnan(value("PassRatio", by="human"))


def test_the_newest_word_counts_in_whichever_run_it_was_said(tmp_path):
    items = [make_item("q1", expects="results")]
    said = {"early": (0, "2026-01-01T00:00:00Z"), "late": (1, "2026-01-02T00:00:00Z")}
    runs = [
        make_run(
            tmp_path / name,
            items,
            [make_answer("a", "q1")],
            [make_verdict("a", "relevance", value, "human:Ana", item="q1", at=at)],
        )
        for name, (value, at) in said.items()
    ]
    for order in (runs, runs[::-1]):
        assert [found.value for found in score(order, "RR").overall()] == [1, 1]


def test_what_people_say_of_a_constraint_is_decided_by_their_majority(tmp_path):
    run = make_run(tmp_path / "run", [make_item("q1", "c", expects="results")], [make_answer("a", "q1")])
    said = [("Ana", 1, 1), ("Ben", 1, 2), ("Cy", 0, 3)]
    with run.writing():
        for who, value, day in said:
            at = f"2026-01-0{day}T00:00:00Z"
            run.add_verdicts([make_verdict("a", "c", value, f"human:{who}", item="q1", at=at)])
    assert score([run], "PassRatio").overall()[0].value == 1
    assert score([run], "PassRatio", combine="newest").overall()[0].value == 0
    with run.writing():
        run.add_verdicts([make_verdict("a", "c", 0, "human:Ana", item="q1", at="2026-01-04T00:00:00Z")])
    assert score([run], "PassRatio").overall()[0].value == 0  # Ana's newest word replaces her older one
    with pytest.raises(
        SpecError, match="no rule between raters is called 'best'; known: majority, mean, median, newest"
    ):
        score([run], "PassRatio", combine="best")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_raters_have_the_mean_of_their_grades_whoever_was_imported_first(tmp_path, order):
    """15 answers rated by both: the means are 3.4 and 59/15, so together 11/3."""
    grades = {"ani": [3] * 9 + [4] * 6, "beni": [4] * 14 + [3]}
    names = [list(grades)[place] for place in order]
    items = [make_item(str(n)) for n in range(15)]
    run = make_run(tmp_path / "run", items, [make_answer(item=str(n), text="yes") for n in range(15)])
    with run.writing():
        for name in names:
            run.add_verdicts(
                Verdict(item=str(n), about="answer", aspect="quality", value=grade, by=f"human:{name}")
                for n, grade in enumerate(grades[name])
            )
    scores = score([run], "Rubric(quality)")
    assert scores.mean("Rubric(quality)") == pytest.approx(11 / 3)
    assert "quality: mean of 2 raters" in str(neraca.notes(scores))
    assert score([run], "Rubric(quality,by=human:ani)").overall()[0].value == pytest.approx(3.4)
    assert score([run], "Rubric(quality)", by="human:beni").overall()[0].value == pytest.approx(59 / 15)


def test_quality_is_a_scale_also_where_only_its_lowest_grades_were_given(tmp_path):
    run = make_run(tmp_path / "run", [make_item("1")], [make_answer(text="no")])
    with run.writing():
        run.add_verdicts(
            Verdict(item="1", about="answer", aspect="quality", value=value, by=f"human:{name}")
            for name, value in (("ani", 1), ("beni", 0))
        )
    assert score([run], "Rubric(quality)").mean("Rubric(quality)") == 0.5


def test_a_level_vote_leaves_a_hit_unjudged_and_the_range_of_both_outcomes_is_told(tmp_path):
    items = [make_item("q1", relevant={"b": 1})]
    run = make_run(tmp_path / "run", items, [make_answer("a b", "q1")])
    with run.writing():
        for name, value in (("ani", 1), ("beni", 0)):
            run.add_verdicts([make_verdict("a", "relevance", value, f"human:{name}", item="q1")])
    scores = score([run], "P@2 Judged@2")
    assert [one.value for one in scores.overall()] == [0.5, 0.5]
    text = str(neraca.notes(scores))
    assert "undecided, because as many people said yes as no, and taken as unjudged: 1" in text
    assert "P@2 of run is 0.500 to 1.000 if these are decided either way" in text


def test_runs_may_be_folders_and_metrics_a_list(alpha):
    for runs in ([alpha], [alpha.path], [str(alpha.path)]):
        scores = score(runs, ["P@5", Metric.of("RR"), "P(at=5)"])
        assert [str(found) for found in scores.metrics] == ["P@5", "RR"]
    assert [str(found) for found in score([alpha], "P( at = 5 ), RR P@5").metrics] == ["P@5", "RR"]


def test_runs_of_the_same_name_get_numbers(tmp_path):
    runs = [make_run(tmp_path / folder / "run", ITEMS, answers("a")) for folder in "xyz"]
    other = make_run(tmp_path / "other", ITEMS, answers("a"))
    assert [run.name for run in score([runs[0], other, *runs[1:]], "RR").runs] == [
        "run 1",
        "other",
        "run 2",
        "run 3",
    ]


def test_a_run_is_found_by_name(alpha, beta):
    scores = score([alpha, beta], "RR")
    assert scores.run("beta").scorable.column("run") is beta
    with pytest.raises(InputError, match="no run is called 'gamma'; known: alpha, beta"):
        scores.run("gamma")


def test_runs_over_other_questions_are_refused(alpha, tmp_path):
    other = make_run(tmp_path / "other", ITEMS[:3], answers("a"))
    with pytest.raises(
        InputError,
        match=r"alpha and .*other answer different questions: .* different numbers of questions, \d+ and 3\.",
    ):
        score([alpha, other], "RR")


def test_the_first_question_that_differs_is_named(alpha, tmp_path):
    changed = (*ITEMS[:1], msgspec.structs.replace(ITEMS[1], expects="none"), *ITEMS[2:])
    other = make_run(tmp_path / "other", changed, answers("a"))
    with pytest.raises(InputError, match=r"question 2 \(\w+\) differs first, in its expects: .*, 'none' in the o"):
        score([alpha, other], "RR")


def test_nothing_to_score(alpha):
    with pytest.raises(InputError, match="no run to score"):
        score([], "RR")
    with pytest.raises(SpecError, match="did you mean nDCG"):
        score([alpha], "NDGC@5")


RELEVANT, WORDED = {"relevant": {"a": 1}}, {"references": ("two",)}


@pytest.mark.parametrize(
    "fields, first, last",
    [
        (RELEVANT, "P@5", "Coverage"),
        ({"expects": "none"}, "P@5", "Coverage"),
        ({}, "P@5", "Coverage"),
        (WORDED, "TokenRecall", "ExactMatch"),
        (RELEVANT | WORDED, "P@5", "ExactMatch"),
    ],
)
def test_without_names_the_metrics_are_those_for_which_the_questions_have_something(tmp_path, fields, first, last):
    run = make_run(tmp_path / "run", [make_item("1", **fields)], [make_answer("a", "1", text="two")])
    for nothing in ("", " , ", []):
        names = list(map(str, score([run], nothing).metrics))
        assert (names[0], names[-1]) == (first, last)


def test_groups(alpha, tmp_path):
    scores = score([alpha], "RR")
    assert scores.groups("category") == ["easy", "hard"]
    with pytest.raises(SpecError, match="no item has the tag 'colour' to group by; known: category"):
        scores.by_group("colour")
    run = make_run(tmp_path / "plain", [make_item("q1")], [])
    with pytest.raises(SpecError, match="known: none"):
        score([run], "RR").groups("colour")


def test_items_without_the_tag_are_a_group_of_their_own(tmp_path):
    items = [make_item("q1", relevant={"a": 1}, tags={"level": "2"}), make_item("q2", relevant={"a": 1})]
    run = make_run(tmp_path / "run", items, answers("a", "x"))
    assert values_of(score([run], "RR").by_group("level")) == {
        ("run", "level=2", "RR"): (1, 1, 0),
        ("run", "level=", "RR"): (0, 1, 0),
    }


def test_tags_worth_grouping_by(tmp_path):
    items = [
        make_item(str(n), tags={"one": "x", "two": str(n % 2), "half": str(n // 2), "own": str(n)}) for n in range(8)
    ]
    assert score([make_run(tmp_path / "run", items, [])], "RR").tags() == ["two", "half"]
    few = [make_item(str(n), tags={"own": str(n)}) for n in range(2)]
    assert score([make_run(tmp_path / "few", few, [])], "RR").tags() == ["own"]


def test_one_row_per_item_and_metric(alpha):
    found = score([alpha], "RR").per_item()
    assert found[0] == {"run": "alpha", "item": "q1", "metric": "RR", "value": 1.0, "why": ""}
    assert found[3] == {
        "run": "alpha",
        "item": "q4",
        "metric": "RR",
        "value": None,
        "why": "correct empty: nothing to find, nothing returned",
    }


def test_scores_are_kept_beside_the_run(alpha, beta):
    scores = score([alpha, beta], "RR Success")
    save_scores(scores)
    table = pl.read_parquet(alpha.path / "scores.parquet")
    assert table.columns == ["run", "item", "metric", "value", "why"]
    assert table.rows() == [tuple(row.values()) for row in scores.per_item() if row["run"] == "alpha"]
    assert pl.read_parquet(beta.path / "scores.parquet")["value"].to_list() == [0.5, 0.5, 0, 0, 1, 1, 0, 0]


def test_a_scorer_of_the_user(tmp_path):
    items = [make_item(f"q{n}") for n in (1, 2, 3)]
    run = make_run(
        tmp_path / "run", items, [make_answer(item=f"q{n}", text=t) for n, t in ((1, "3"), (2, "-1"), (3, ""))]
    )
    assert values_of(score([run], "TestNumber").overall()) == {("run", "", "TestNumber"): (1, 2, 1)}


def test_scoring_changes_nothing_in_the_run(alpha):
    before = {path.name: path.read_bytes() for path in alpha.path.iterdir()}
    score([Run(alpha.path)], "RR nDCG@5 PassRatio")
    assert {path.name: path.read_bytes() for path in alpha.path.iterdir()} == before


def test_what_one_run_has_no_data_for_another_may_show(tmp_path):
    """The same document, whole in one run and without its price in the other: the order of the runs says nothing."""
    items = [make_item("q1", "price", expects="results")]
    whole = make_run(tmp_path / "whole", items, [make_answer("a", "q1")], [make_verdict("a", "price", 1, item="q1")])
    thin = make_run(tmp_path / "thin", items, [make_answer("a", "q1")], [make_verdict("a", "price", None, item="q1")])
    for order in ((whole, thin), (thin, whole)):
        assert {row.value for row in score(order, "RR").overall()} == {1}
    assert score([thin], "RR").overall()[0].value == 0


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"item": "Q1"}, "about item 'Q1', which this run does not have; did you mean q1"),
        ({"about": "a"}, "about 'a'; it must be answer, item, hit:ID"),
    ],
)
def test_a_verdict_that_nobody_would_hear_is_an_error(tmp_path, wrong, message):
    said = make_verdict("a", "relevance", 1, item="q1", by="human:Ana")
    run = make_run(tmp_path / "run", ITEMS, answers("a x"), [msgspec.structs.replace(said, **wrong)])
    with pytest.raises(InputError, match=re.escape(message)):
        score([run], "RR")


@pytest.mark.parametrize("level", [0, 1, 95, -1])
def test_a_level_that_is_no_share_is_refused(alpha, level):
    with pytest.raises(SpecError, match=r"a share such as 0\.95"):
        score([alpha], "RR", level=level)


def test_somebody_who_wrote_nothing_is_asked_about(tmp_path):
    said = [make_verdict("a", "relevance", 1, item="q1", by="human:Ana")]
    run = make_run(tmp_path / "run", ITEMS, answers("a x", "x b", "x c", ""), said)
    assert score([run], "RR", by="human").runs
    assert score([run], "RR", by="human:Ana").runs
    with pytest.raises(
        SpecError, match="nobody called 'human:Anna' wrote a verdict in these runs; did you mean human:Ana"
    ):
        score([run], "RR", by="human:Anna")
    with pytest.raises(SpecError, match="wrote a verdict in these runs; the judge declines writes as phrases"):
        score([run], "RR", by="declines")


def test_a_verdict_counts_only_for_the_answer_that_it_was_given_on(tmp_path):
    items = [make_item("q1", "price", expects="results")]
    answer = make_answer("a", "q1")
    run = make_run(tmp_path / "run", items, [answer])
    with run.writing():
        run.add_verdicts([make_verdict("a", "price", 1, item="q1", by="rules", of=content_of(answer))])
    assert score([run], "RR").overall()[0].value == 1
    with run.writing():
        run.answers_journal.append(make_answer("a", "q1", text="asked again"))
    found = score([run], "RR").overall()[0]
    assert (found.n, found.unscored) == (0, 1), "nobody judged the new answer"


def test_what_a_metric_does_not_define_for_one_question_is_said(tmp_path):
    items = [make_item("q1", "c", expects="none")]
    (row,) = score([make_run(tmp_path / "run", items, [make_answer("", "q1")])], "QueryF1").per_item()
    assert (row["value"], row["why"]) == (None, "not defined for one question alone")
