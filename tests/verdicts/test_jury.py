"""The jury: one verdict from the verdicts of several judges on the same thing."""

import pytest
from builders import make_scorable
from metaeval.test_agreement import verdicts_by
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Item, Verdict
from neraca.verdicts.jury import jury
from neraca.verdicts.source import JURY


def ruling(*verdicts, **more):
    """Return what the jury decides on each thing, with the reason."""
    return {(v.item, v.about, v.aspect): (v.value, v.why) for v in jury(verdicts, **more)}


def test_the_majority_of_three():
    said = [*verdicts_by("llm:a", [1, 0]), *verdicts_by("llm:b", [1, 0]), *verdicts_by("llm:c", [0, 1])]
    assert ruling(*said) == {
        ("0", "answer", "valid"): (1, "llm:a 1, llm:b 1, llm:c 0"),
        ("1", "answer", "valid"): (0, "llm:a 0, llm:b 0, llm:c 1"),
    }


def test_two_against_two_decide_nothing_and_one_alone_is_no_jury():
    said = [*verdicts_by("llm:a", [1, 1]), *verdicts_by("llm:b", [0, None])]
    assert ruling(*said) == {("0", "answer", "valid"): (None, "as many say yes as no: llm:a 1, llm:b 0")}


def test_of_grades_the_median_and_of_preferences_even():
    said = [
        *verdicts_by("llm:a", [4], "clarity"),
        *verdicts_by("llm:b", [2], "clarity"),
        *verdicts_by("llm:c", [5], "clarity"),
    ]
    assert ruling(*said)["0", "answer", "clarity"][0] == 4
    assert ruling(*said[:2])["0", "answer", "clarity"][0] == 3
    said = [*verdicts_by("llm:a", [1, 0.5], "preferred:x"), *verdicts_by("llm:b", [0, 1], "preferred:x")]
    assert ruling(*said)["0", "answer", "preferred:x"][0] == 0.5


def test_people_sit_in_it_only_if_asked():
    said = [*verdicts_by("llm:a", [1]), *verdicts_by("llm:b", [1]), *verdicts_by("human:Ana", [0])]
    assert ruling(*said)["0", "answer", "valid"] == (1, "llm:a 1, llm:b 1")
    assert ruling(*said, judges=["llm:a", "human"])["0", "answer", "valid"][0] is None
    assert ruling(*said, *verdicts_by(JURY, [0]))["0", "answer", "valid"] == (1, "llm:a 1, llm:b 1")


def test_a_ruling_holds_for_the_answer_that_was_judged():
    said = [*verdicts_by("llm:a", [1], of="abc"), *verdicts_by("llm:b", [1], of="abc"), *verdicts_by("human:Ana", [1])]
    (one,) = jury(said)
    assert (one.of, one.by, one.trial) == ("abc", JURY, 0)


def test_a_metric_reads_it_by_name():
    pair = (Item(id="0", query="?"), Answer(item="0", text="x"))
    said = [*verdicts_by("llm:a", [1]), *verdicts_by("llm:b", [1]), *verdicts_by("llm:c", [0])]
    batch = make_scorable([pair], [*said, *jury(said)])
    assert score_metric(Metric.of(f"Valid(by={JURY})"), batch).rows[0][0] == 1


def test_a_member_that_decided_nothing_is_named():
    with pytest.raises(SpecError, match="no verdict on an answer or a hit is by 'llm'"):
        list(jury([]))


def test_a_caution_on_one_verdict_is_one_on_the_decision_but_not_where_nothing_is_decided():
    def votes(*values):
        return [
            Verdict(item="1", about="answer", aspect="valid", by=f"llm:{n}", value=value, caution="give 5" if n else "")
            for n, value in enumerate(values)
        ]

    assert [one.caution for one in jury(votes(1, 1))] == ["give 5"]
    assert [one.caution for one in jury(votes(1, 0))] == [""]
    assert [one.caution for one in jury([replace(one, caution="") for one in votes(1, 1)])] == [""]
