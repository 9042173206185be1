"""How many verdicts of whom a metric rests on."""

from builders import make_answer, make_item, make_scorable

from neraca.metrics.metric import Metric
from neraca.metrics.rag.decided_by import decided_by
from neraca.records import Verdict


def rated(*by):
    """The answer to one question, rated by each of these."""
    said = [Verdict(item="0", about="answer", aspect="valid", value=1, by=name) for name in by]
    return make_scorable([(make_item("0"), make_answer(item="0", text="It costs 5."))], said)


def test_people_are_counted_together_and_judges_by_name():
    assert decided_by(Metric.of("Valid"), rated("llm:m#1")) == {"llm:m": 1}
    assert decided_by(Metric.of("Valid"), rated("llm:m#1", "human:ana")) == {"human": 1}


def test_nothing_is_counted_where_several_judges_decided_and_none_is_named():
    part = rated("llm:m#1", "llm:n#1")
    assert decided_by(Metric.of("Valid"), part) == {}
    assert decided_by(Metric.of("Valid(by=llm:n)"), part) == {"llm:n": 1}


def test_a_metric_of_no_judged_aspect_rests_on_nobody():
    assert decided_by(Metric.of("Words"), rated("llm:m#1")) == {}
