import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.counts import check_offered
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import RunGroup, Scorable


def answers(*ids, **item):
    return make_scorable([(make_item(id, relevant={}, **item), make_answer("a", id)) for id in ids])


def test_answers_are_looked_at_once_in_each_way():
    part = answers("1")
    assert part.view(Ranking) is part.view(Ranking)
    assert isinstance(part.view(Checks), Checks)


def test_a_column_is_made_when_it_is_first_asked_for_and_kept():
    made = []
    part = Scorable("run", 2, {"response": lambda: made.append(1) or ["a", "b"]})
    assert part.offers("response")
    assert not made
    assert part.column("response") == part.column("response") == ["a", "b"]
    assert made == [1]
    assert part.column("language", "?") == ["?", "?"]


def test_the_first_reason_why_an_answer_cannot_be_scored_counts():
    reasons = {"": lambda: ["", "cut off", ""], "references": lambda: ["none", "none", ""]}
    part = Scorable("run", 3, {}, reasons=reasons)
    assert part.why_not() == ["", "cut off", ""]
    assert part.why_not("hits", "references") == ["none", "cut off", ""]


@pytest.mark.parametrize("name", ["RR", "Average(TokenF1,Faithfulness)"])
def test_what_a_metric_needs_and_nobody_offers_is_said(name):
    part = Scorable("table", 1, {"response": lambda: ["a"], "references": lambda: [("a",)]}, holds="texts")
    check_offered(Metric.of("TokenF1"), part)
    with pytest.raises(SpecError, match="needs more than texts: ask with `neraca ask`"):
        check_offered(Metric.of(name), part)


@pytest.mark.parametrize(
    "name, judge", [("Similarity", "similarity"), ("ClaimF", "claims"), ("PassRatio", "rules"), ("Valid", "valid")]
)
def test_the_judge_that_a_metric_needs_is_named(name, judge):
    part = Scorable("table", 1, {"response": lambda: ["a"]}, holds="texts")
    remedy = f"--target replay:TABLE`.*neraca judge RUN --judge {judge}`, and score it with `neraca score`"
    with pytest.raises(SpecError, match=remedy):
        check_offered(Metric.of(name), part)


class Queries:
    """What parts share, for these tests: their questions."""

    made = 0

    def __init__(self, queries):
        self.queries = queries

    @classmethod
    def of(cls, group):
        cls.made += 1
        return cls([query for (query,) in group.rows("query")])


def test_what_parts_share_is_made_once_from_all_of_them():
    parts = [answers("1"), answers("2")]
    RunGroup(parts)
    found = [part.group.share(Queries) for part in parts]
    assert found[0] is found[1]
    assert found[0].queries == ["question 1", "question 2"]
    assert Queries.made == 1


def test_a_part_alone_shares_with_itself():
    assert answers("1").group.share(Queries).queries == ["question 1"]


def test_an_item_says_its_language_or_the_group_does():
    silent, said = answers("1", "2"), answers("3", tags={"language": "id"})
    group = RunGroup([silent, said], "es")
    assert (group.languages_of(silent), group.languages_of(said)) == (["es", "es"], ["id"])
    assert group.languages == ["es", "id"]
    assert RunGroup([silent]).languages == [""]


def test_the_language_of_answers_that_say_none_is_detected_from_their_references_or_else_the_answers():
    spanish = "La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."
    part = make_scorable([(make_item(references=(spanish,)), make_answer(text="ok"))])
    assert RunGroup([part], "auto").detected.code == "es"
    assert RunGroup([make_scorable([(make_item(), make_answer(text=spanish))])], "auto").detected.code == "es"
    assert RunGroup([answers("1", tags={"language": "id"})], "auto").detected is None
    assert RunGroup([part], "es").detected is None
