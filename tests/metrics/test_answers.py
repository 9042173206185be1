"""The answers of a run as a scorable: its languages, what its items offer, and why hits are not judged."""

import pytest
from builders import make_answer, make_item, make_scorable, make_verdict

from neraca.errors import SpecError
from neraca.metrics.metric import Metric


def test_the_columns_for_default_metrics_are_those_in_which_an_item_has_something():
    items = [
        make_item("1", references=("four",)),
        make_item("2", relevant={}),
        make_item("3", expects="none"),
        make_item("4", extra={"must_contain": "four"}),
        make_item("5", expected_calls=()),
    ]
    kinds = ["references", "grades", "expects", "expectations", "expected_calls"]
    for item, kind in zip(items, kinds, strict=True):
        assert make_scorable([(item, make_answer(item=item.id))]).column("available") == {kind}
    assert make_scorable([(make_item(), make_answer())]).column("available") == frozenset()
    assert make_scorable([(make_item(constraints="price"), make_answer())]).column("available") == {"grades"}


def test_a_language_that_is_not_known_is_named_with_its_item():
    pairs = [
        (make_item(tags={"language": "es"}), make_answer()),
        (make_item("2", tags={"language": "xq"}), make_answer()),
    ]
    with pytest.raises(SpecError, match=r"item '2', tag language: .*xq"):
        make_scorable(pairs).column("language")
    assert make_scorable(pairs[:1]).column("language") == ["es"]


def test_hits_on_which_people_disagree_have_no_grade_and_the_reason_says_whether_the_item_expects_results():
    disagreement = [make_verdict("a", "relevance", value, by=by) for value, by in ((1, "human:ana"), (0, "human:budi"))]
    answer = make_answer("a")
    unsure = "people disagree on its hits, which stay undecided"
    for expects, reason in ((None, f"{unsure}, and what it expects is not said"), ("results", unsure)):
        part = make_scorable([(make_item(expects=expects), answer)], disagreement)
        assert part.why_not("grades") == [reason]


def test_checks_of_a_table_are_decided_on_its_responses():
    from neraca.metrics.counts import score_metric
    from neraca.metrics.scorable import RunGroup, Scorable

    pairs = [(make_item(str(n), extra={"must_contain": "four"}), make_answer(item=str(n))) for n in range(3)]
    checks = make_scorable(pairs).column("expectations")
    columns = {"response": ["four rooms", "five", "four"], "status": ["complete", "complete", "timeout"]}
    table = Scorable("t.csv", 3, {"expectations": lambda: checks, **{k: lambda v=v: v for k, v in columns.items()}})
    RunGroup([table])
    assert score_metric(Metric.of("Expectations"), table).values.tolist() == [1, 0, 0], "a failed answer meets no check"
