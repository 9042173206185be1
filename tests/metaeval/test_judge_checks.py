"""How many verdicts of a model people labelled too, and on how many they say the same."""

import pytest
from builders import make_run

import neraca
from neraca.metaeval.judge_checks import judge_checks
from neraca.records import Answer, Hit, Item, Verdict

ITEMS = [Item(id=f"q{n}", query=f"question {n}", references=("So.",)) for n in range(4)]
JUDGE, ANA, BUDI = "llm:m#1a2b3c", "human:ana", "human:budi"


def make(folder, verdicts, items=ITEMS):
    answers = [Answer(item=item.id, text=f"{folder.name} {item.id}", hits=(Hit(id="d", text="x"),)) for item in items]
    return make_run(folder, items, answers, verdicts)


def on(about, aspect, values, by):
    """Verdicts on this part of the first answers."""
    return [Verdict(item=f"q{n}", about=about, aspect=aspect, value=value, by=by) for n, value in enumerate(values)]


def counts(runs, metrics, **how):
    """Judge, kind, verdicts, labelled and same, in the order of the metrics."""
    checks = judge_checks(neraca.score(runs, metrics, **how))
    return [(one.metrics, one.judge, one.kind, one.verdicts, one.labelled, one.same) for one in checks]


def test_labels_are_counted_on_the_same_answers_and_of_several_people_the_median(tmp_path):
    """Of the labelled q0 to q2: equal; 1 and 0 by people, whose median 0.5 is no 1; different."""
    labels = on("answer", "valid", [1, 1, 1], ANA) + on("answer", "valid", [1, 0], BUDI)
    run = make(tmp_path / "a", on("answer", "valid", [1, 1, 0, 0], JUDGE) + labels)
    assert counts([run], "Valid") == [(("Valid",), "llm:m", "valid", 4, 3, 1)]
    assert counts([run], "Valid(by=llm:m)")[0][3:] == (4, 3, 1), "the judge alone is checked by the same labels"


def test_nothing_rests_on_a_model_where_people_decided_all_or_alone_count(tmp_path):
    both = on("answer", "valid", [1, 1], JUDGE) + on("answer", "valid", [1, 1, 0, 0], ANA)
    run = make(tmp_path / "a", both)
    assert counts([run], "Valid") == []
    assert counts([run], "Valid", by="human") == []
    assert counts([run], "Words") == []


def test_a_hit_of_two_runs_counts_once_and_grades_in_the_questions_are_labels(tmp_path):
    items = [ITEMS[0], *(Item(id=f"q{n}", query="?", relevant={"d": 1}) for n in (1, 2)), ITEMS[3]]
    verdicts = on("hit:d", "relevance", [1, 1, 0, 1], JUDGE)
    runs = [make(tmp_path / name, verdicts, items) for name in "ab"]
    assert counts(runs, "P@1") == [(("P@1",), "llm:m", "relevance", 4, 2, 1)]
    assert counts(runs, "Judged@1") == [], "whether a hit was judged does not depend on the verdict"


def test_only_the_named_source_of_relevance_is_behind_metrics_of_hits(tmp_path):
    verdicts = on("hit:d", "relevance", [1, 1, 0, 1], JUDGE) + on("hit:d", "relevance", [0] * 4, "llm:n")
    run = make(tmp_path / "a", [*verdicts, *on("hit:d", "relevance", [1], ANA)])
    assert [check[1] for check in counts([run], "P@1")] == ["llm:m", "llm:n"]
    assert counts([run], "P@1", relevance="llm:n") == [(("P@1",), "llm:n", "relevance", 4, 1, 0)]
    assert counts([run], "P@1", relevance="human") == []


@pytest.mark.parametrize("owner, labelled", [("llm:m", 1), ("llm:other", 0)])
def test_a_person_labels_a_claim_of_the_judge_that_found_it(tmp_path, owner, labelled):
    sizes = {"claims": 1.0, "reference_claims": 0.0, "contexts": 1.0, "declines": 0.0}
    verdicts = [v for aspect, size in sizes.items() for v in on("answer", aspect, [size] * 4, JUDGE)]
    verdicts += on("claim:1", "claim", [1] * 4, JUDGE) + on("claim:1", "supported", [1] * 4, JUDGE)
    run = make(tmp_path / "a", [*verdicts, *on(f"claim:1@{owner}", "supported", [1], ANA)])
    assert counts([run], "Faithfulness")[0][4:] == (labelled, labelled)


def test_metrics_of_the_same_verdicts_are_together_and_others_apart(tmp_path):
    verdicts = on("answer", "valid", [1] * 4, JUDGE) + on("answer", "polite", [1] * 4, JUDGE)
    run = make(tmp_path / "a", verdicts + on("answer", "polite", [0], ANA))
    checks = counts([run], "Valid Aspect(polite) Average(Valid,ExactMatch)")
    assert checks == [
        (("Valid", "Average(Valid,ExactMatch)"), "llm:m", "valid", 4, 0, 0),
        (("Aspect(polite)",), "llm:m", "aspect", 4, 1, 0),
    ]
