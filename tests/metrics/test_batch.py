import pytest
from builders import make_answer, make_batch, make_item, make_verdict

from neraca.errors import SpecError
from neraca.metrics.batch import Batch, Relevance, Together, matches, opinions
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.records import Verdict

ITEM = make_item("1", "price rooms floors", relevant={"q": 2.0})
RULES = [make_verdict("a", "price", 1), make_verdict("a", "rooms", 1), make_verdict("a", "floors", 0)]
LLM = make_verdict("a", "relevance", 0.5, by="llm:gpt-4o")
ANA = make_verdict("a", "relevance", 3, by="human:Ana")


def grades(verdicts, source="auto", item=ITEM):
    return Relevance.of([item], [verdicts], source).grades.get(item.id)


@pytest.mark.parametrize(
    "verdicts, grade",
    [([LLM], 0.5), ([*RULES, LLM], 0), ([LLM, *RULES, ANA], 3), ([ANA, *RULES, LLM], 3)],
)
def test_the_first_source_that_has_an_opinion_counts_whatever_its_place(verdicts, grade):
    assert grades(verdicts) == {"q": 2, "a": grade}


def test_qrels_come_after_people_and_before_rules():
    item = make_item("1", "price", relevant={"a": 2.0, "b": 1.0})
    said = [
        make_verdict("a", "price", 0),
        make_verdict("b", "price", 0),
        make_verdict("b", "relevance", 0, by="human:Ana"),
    ]
    assert grades(said, item=item) == {"a": 2, "b": 0}
    assert Relevance.of([item], [said]).used == {"qrels": 1, "human": 1}


@pytest.mark.parametrize(
    "source, expected",
    [
        ("human", {"a": 3}),
        ("human:Ana", {"a": 3}),
        ("human:Ben", None),
        ("qrels", {"q": 2}),
        ("rules", {"a": 0}),
        ("rules(at=0.6)", {"a": 1}),
        ("rules(at=0.7)", {"a": 0}),
        ("llm", {"a": 0.5}),
        ("llm:gpt-4o", {"a": 0.5}),
        ("llm:gpt-5", None),
        ("embed", None),
    ],
)
def test_one_source_alone(source, expected):
    assert grades([*RULES, LLM, ANA], source) == expected


@pytest.mark.parametrize("by", ["human:Ana María", "llm:openai:gpt-4o", "llm:meta/llama-3 (70B)@x"])
def test_names_of_people_and_models_may_hold_anything(by):
    source = by.partition(":")[0]
    said = [make_verdict("a", "relevance", 1, by=by), make_verdict("b", "relevance", 1, by=f"{source}:other")]
    assert grades(said, by) == {"a": 1}


def test_nobody_judged_is_not_nothing_relevant():
    assert grades([], item=make_item("1")) is None
    assert grades([], item=make_item("1", relevant={})) == {}
    assert grades([], "human") is None


def test_within_a_source_the_newest_verdict_counts():
    changed = make_verdict("a", "relevance", 1, by="human:Ana")
    assert grades([ANA, changed]) == {"q": 2, "a": 1}
    assert grades([changed, ANA]) == {"q": 2, "a": 3}


def test_grades_of_several_people_are_averaged():
    assert grades([ANA, make_verdict("a", "relevance", 1, by="human:Ben")], "human") == {"a": 2}


def test_a_person_overrules_one_constraint_and_the_relevance_by_rules_follows():
    assert grades(RULES, "rules") == {"a": 0}
    for said in (
        [*RULES, make_verdict("a", "floors", 1, by="human:Ana")],
        [make_verdict("a", "floors", 1, by="human:Ana"), *RULES],
    ):
        assert grades(said, "rules") == {"a": 1}


def test_a_constraint_that_could_not_be_checked_is_not_passed_but_out_of_the_share():
    said = [*RULES[:2], make_verdict("a", "floors", None, why="missing")]
    assert grades(said, "rules") == {"a": 0}
    assert grades(said, "rules(at=1)") == {"a": 1}
    assert grades([make_verdict("a", "price", None)], "rules(at=0.5)") == {"a": 0}


def test_a_share_that_is_reached_exactly_is_enough():
    item = make_item("1", "a b c d e")
    said = [make_verdict("x", name, float(name != "e")) for name in "abcde"]
    assert grades(said, "rules(at=0.8)", item) == {"x": 1}


def test_no_opinion_and_verdicts_on_other_things_are_not_heard():
    said = [
        make_verdict("a", "relevance", None, by="human:Ana", why="cannot tell"),
        make_verdict("a", "beauty", 1, by="human:Ana"),
        make_verdict("a", "relevance", 1, by="human:Ana", item="2"),
        Verdict(item="1", about="answer", aspect="relevance", value=1, by="human:Ana"),
    ]
    assert grades(said, "human") is None


@pytest.mark.parametrize(
    "source",
    [
        "",
        "people",
        "auto:x",
        "human(at=0.5)",
        "rules(0.8)",
        "rules(at=0)",
        "rules(at=1.5)",
        "rules(at=high)",
        "rules(x=1)",
        "rulesX",
    ],
)
def test_sources_that_cannot_be_read(source):
    with pytest.raises(SpecError, match=r"relevance|cannot read"):
        Relevance.of([], [], source)


def test_who_decided_is_told():
    item = make_item("1", "price rooms floors", relevant={f"q{n}": 1.0 for n in range(1200)})
    found = Relevance.of([item], [[*RULES, make_verdict("z", "relevance", 1, by="llm:m")]])
    assert str(found) == "qrels (1,200 hits), rules (1 hits), llm (1 hits)"
    assert str(Relevance.of([item], [], "human")) == "nobody"


@pytest.mark.parametrize(
    "by, wanted, heard",
    [
        ("human:Ana", "", True),
        ("human:Ana", "human", True),
        ("human:Ana", "human:Ana", True),
        ("human:Ana", "human:Ben", False),
        ("human:Anabel", "human:Ana", False),
        ("rules", "llm", False),
        ("llm:m#1a2b3c", "llm", True),
        ("llm:m#1a2b3c", "llm:m", True),
        ("llm:m#1a2b3c", "llm:m#1a2b3c", True),
        ("llm:m#1a2b3c", "llm:m#ffffff", False),
        ("llm:mini#1a2b3c", "llm:m", False),
        ("llm:m", "llm:m#1a2b3c", False),
    ],
)
def test_who_is_heard(by, wanted, heard):
    assert matches(by, wanted) is heard


def test_opinions_people_before_rules_before_models_and_the_newest_of_a_kind():
    model, unknown = make_verdict("a", "price", 0.3, by="llm:m"), make_verdict("a", "price", 0.1, by="oracle")
    rules, again = make_verdict("a", "price", 0), make_verdict("a", "price", 1)
    person = make_verdict("a", "price", 0.7, by="human:Ana")
    place = ("hit:a", "price")
    assert opinions([unknown, model])[("1", 0)][place] is model
    assert opinions([rules, again, model])[("1", 0)][place] is again
    assert opinions([person, rules, model])[("1", 0)][place] is person
    assert opinions([person, rules, again], by="rules")[("1", 0)][place] is again
    assert opinions([rules], by="human") == {}


def test_opinions_stay_with_their_answer():
    found = opinions([make_verdict("a", "price", 1, trial=1), make_verdict("a", "price", 0, item="2")])
    assert found.keys() == {("1", 1), ("2", 0)}


def test_relevance_is_pooled_over_trials_and_runs():
    said = [make_verdict("a", "relevance", 1, by="human:Ana", trial=3)]
    batch = make_batch([(make_item("1", expects="results"), make_answer("b a"))], said)
    assert Metric.of("RR").score(batch).rows[0, 0] == 0.5


def test_a_batch_is_looked_at_once_in_each_way():
    batch = make_batch([(make_item("1", relevant={}), make_answer("a"))])
    assert batch.view(Ranking) is batch.view(Ranking)
    assert isinstance(batch.view(Checks), Checks)


def test_one_persons_word_on_a_constraint_is_not_her_word_on_relevance():
    item = make_item(constraints="price floors")
    passed = make_verdict("a", "price", 1, by="human:Ana")
    assert Relevance.of([item], [[passed]], "human:Ana").grades == {}
    assert Relevance.of([item], [[passed]], "human").grades == {}


def test_one_dissenting_person_does_not_overrule_nine():
    said = [make_verdict("a", "relevance", value, by=f"human:{n}") for n, value in enumerate([1] * 9 + [0])]
    assert grades(said, "human") == {"a": 1}


def test_a_hit_of_which_only_some_constraints_were_judged_is_not_known_to_pass_all():
    item = make_item(constraints="price floors")
    half = [make_verdict("a", "price", 1)]
    assert Relevance.of([item], [half]).grades["1"] == {"a": 0}
    assert Relevance.of([item], [[*half, make_verdict("a", "floors", 1)]]).grades["1"] == {"a": 1}


def test_a_verdict_by_qrels_beside_the_items_own_grades():
    item = make_item(relevant={"a": 1})
    assert Relevance.of([item], [[make_verdict("b", "relevance", 2, by="qrels")]]).grades["1"] == {"a": 1, "b": 2}


class Queries:
    """What batches share, for these tests: their questions."""

    made = 0

    def __init__(self, queries):
        self.queries = queries

    @classmethod
    def of(cls, together):
        cls.made += 1
        return cls([item.query for item, _ in together.pairs()])


def test_what_batches_share_is_made_once_from_all_of_them():
    first, second = ([(make_item(id), make_answer("a", id))] for id in ("1", "2"))
    together = Together([first, second])
    batches = [Batch(pairs, {}, Relevance.of([], []), together) for pairs in (first, second)]
    found = [batch.together.share(Queries) for batch in batches]
    assert found[0] is found[1]
    assert found[0].queries == ["question 1", "question 2"]
    assert Queries.made == 1


def test_a_batch_alone_shares_with_itself():
    batch = make_batch([(make_item("1"), make_answer("a", "1"))])
    assert batch.together.share(Queries).queries == ["question 1"]


def test_an_item_says_its_language_or_the_batches_do():
    together = Together([], "es")
    assert together.language_of(make_item("1")) == "es"
    assert together.language_of(make_item("1", tags={"language": "id"})) == "id"
    assert Together([]).language_of(make_item("1")) == ""
