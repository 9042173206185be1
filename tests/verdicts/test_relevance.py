import pytest
from builders import make_answer, make_item, make_scorable, make_verdict
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Verdict
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.undecided import ALL_RUNS, Place

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


def test_several_people_who_grade_count_by_the_lower_median():
    assert grades([ANA, make_verdict("a", "relevance", 1, by="human:Ben")], "human") == {"a": 1}


def test_yes_and_no_of_two_people_is_undecided_and_no_weaker_source_decides():
    ana, ben = (make_verdict("a", "relevance", value, by=by) for value, by in ((1, "human:Ana"), (0, "human:Ben")))
    said = [*RULES, ana, ben]
    for order in (said, said[::-1]):
        assert grades(order, "auto") == {"q": 2}  # the label of the question
    level = Relevance.of([ITEM], [said], "auto")
    assert (level.undecided, level.several, level.rule) == (1, 1, "majority")
    labelled = Relevance.of([replace(ITEM, relevant={"a": 1})], [said], "auto")
    assert dict(labelled.grades.get("1", {})) == {}
    third = [*said, make_verdict("a", "relevance", 1, by="human:Cy")]
    assert grades(third, "auto") == {"a": 1, "q": 2}
    assert Relevance.of([ITEM], [said], "auto", decisions={Place(ALL_RUNS, "1", 0, "hit:a", "relevance"): 1.0}).grades[
        "1"
    ] == {"a": 1, "q": 2}
    assert Relevance.of([ITEM], [said], "auto", "newest").grades["1"] == {"a": 0, "q": 2}


@pytest.mark.parametrize("combine", ["newest", "majority", "median", "mean"])
def test_people_are_counted_and_not_their_words_in_several_runs(combine):
    said = [
        replace(make_verdict("a", "relevance", n % 2, by=f"human:{name}"), at=f"2026-01-0{n + 1}T00:00:00Z")
        for n, name in enumerate(("Ana", "Budi", "Citra"))
    ]
    assert Relevance.of([ITEM], [said, said], "auto", combine).together["human"].raters == 3


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


@pytest.mark.parametrize(
    "source, relevant",
    [
        ("rules", ""),
        ("rules(missing=fail)", ""),
        ("rules(missing=skip)", "half"),
        ("rules(at=0.5)", "half mixed"),
        ("rules(at=0.5,missing=skip)", "half mixed"),
        ("rules(at=0.5,missing=fail)", "half"),
        ("auto(missing=skip)", "half"),
        ("auto", ""),
    ],
)
def test_a_missing_constraint_fails_or_is_left_out_as_the_policy_says(source, relevant):
    item = make_item("1", "a b c d")
    said = [
        *(make_verdict("half", name, value) for name, value in zip("abcd", (1, 1, None, None), strict=True)),
        *(make_verdict("mixed", name, value) for name, value in zip("abcd", (1, 0, None, None), strict=True)),
        *(make_verdict("unread", name, None) for name in "abcd"),
    ]
    found = grades(said, source, item)
    assert found == {name: float(name in relevant.split()) for name in ("half", "mixed", "unread")}


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
        "rules(missing=half)",
        "qrels(missing=skip)",
        "rulesX",
    ],
)
def test_sources_that_cannot_be_read(source):
    with pytest.raises(SpecError, match=r"relevance|cannot read"):
        Relevance.of([], [], source)


def test_who_decided_is_told():
    item = make_item("1", "price rooms floors", relevant={f"q{n}": 1.0 for n in range(1200)})
    found = Relevance.of([item], [[*RULES, make_verdict("z", "relevance", 1, by="llm:m")]])
    assert str(found) == "qrels (1,200 hits), rules (1 hit), llm (1 hit)"
    assert str(Relevance.of([item], [], "human")) == "nobody"


def test_relevance_is_pooled_over_trials_and_runs():
    said = [make_verdict("a", "relevance", 1, by="human:Ana", trial=3)]
    batch = make_scorable([(make_item("1", expects="results"), make_answer("b a"))], said)
    assert score_metric(Metric.of("RR"), batch).rows[0, 0] == 0.5


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


def test_the_grade_of_what_nobody_judged_overrules_no_judge():
    """-1 in qrels is "in the pool, not judged": the word of a judge counts, and the qrels decided nothing."""
    item = make_item("1", relevant={"a": -1, "b": -1, "c": 2})
    said = Verdict(item="1", trial=0, about="hit:a", aspect="relevance", value=1.0, by="llm:m")
    found = Relevance.of([item], [[said]])
    assert dict(found.grades["1"]) == {"a": 1, "b": -1, "c": 2}
    assert found.used == {"llm": 1, "qrels": 1}
