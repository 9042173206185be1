"""The scenarios of things that people left undecided."""

from neraca.verdicts.undecided import ALL_RUNS, MOST_SCENARIOS, Place, scenarios, scenarios_by_item

YES_NO = (0.0, 1.0)


def hit(doc, item="1"):
    return Place(ALL_RUNS, item, 0, f"hit:{doc}", "relevance")


def test_each_thing_takes_each_value_or_stays_undecided():
    decided = scenarios({hit("a"): YES_NO, hit("b"): (1.0, 2.0, 3.0)})
    assert len(decided) == 3 * 4
    assert decided[0] == {}
    assert {hit("a"): 0.0, hit("b"): 3.0} in decided
    assert {hit("b"): 2.0} in decided


def test_answers_of_several_runs_are_decided_side_by_side():
    first, second = (Place(run, "1", 0, "answer", "valid") for run in (0, 1))
    assert scenarios({first: YES_NO, second: YES_NO}) == [{}, {first: 0, second: 0}, {first: 1, second: 1}]
    assert len(scenarios({first: YES_NO, second: YES_NO, hit("a"): YES_NO})) == 9
    constraint = Place(1, "1", 0, "hit:a", "price")
    assert len(scenarios({constraint: YES_NO, hit("a"): YES_NO})) == 9, "a person's word on it holds in all runs"


def test_of_too_many_scenarios_those_with_one_alone_and_with_all_are_taken():
    places = {hit(str(n)): YES_NO for n in range(5)} | {Place(ALL_RUNS, "1", 0, "item", "expects"): YES_NO}
    assert 3 ** len(places) > MOST_SCENARIOS
    decided = scenarios(places)
    assert len(decided) == 3 * 3 + 2 * 6
    assert dict.fromkeys(places, 1.0) in decided
    assert all({place: value} in decided for place in places for value in YES_NO)
    answers = {Place(0, "1", 0, "answer", f"aspect {n}"): YES_NO for n in range(5)}
    assert {next(iter(answers)): 1.0} in scenarios(answers)
    few = dict.fromkeys(list(answers)[:2], YES_NO) | {hit("a"): YES_NO, hit("b"): YES_NO, hit("c"): YES_NO}
    assert len(scenarios(few)) < MOST_SCENARIOS < 3**5


def test_questions_are_decided_apart():
    by_item = scenarios_by_item({hit("a", "1"): YES_NO, hit("a", "2"): YES_NO})
    assert {item: len(several) for item, several in by_item.items()} == {"1": 3, "2": 3}
