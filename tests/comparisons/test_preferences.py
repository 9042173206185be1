"""Runs in the order in which people and judges prefer them."""

import math
from itertools import combinations

import pytest
from builders import make_run
from judges.llm.test_pairwise import always
from judges.scripted_model import Script

import neraca
from neraca.comparisons.preference_votes import Votes
from neraca.comparisons.preferences import preferences
from neraca.errors import InputError, SpecError
from neraca.judges.llm.pairwise import PairwiseJudge, judge_pairs
from neraca.models.model_session import ModelSession
from neraca.people.pair_task import PairTasks
from neraca.people.pair_verdicts import verdicts_of_pairs
from neraca.people.rating import Rating
from neraca.records import Answer, Item, Verdict
from neraca.runs.preferred import preferred_first, preferred_over

ITEMS = [Item(id=f"q{n}", query=f"question {n}", tags={"kind": "ab"[n % 2]}) for n in range(8)]


def runs(folder, names="a b", items=ITEMS, words=lambda name, n: 2):
    return [
        make_run(
            folder / name,
            items,
            [Answer(item=item.id, text=f"{name} " * words(name, n)) for n, item in enumerate(items)],
        )
        for name in names.split()
    ]


def add_preferences(one, other, values, by="human:Ana", first=None):
    """Write what somebody says of the answers of `one` beside those of `other`; `first`: which stood first."""
    for run, opposite, turned in ((one, other, False), (other, one, True)):
        verdicts = []
        for n, value in enumerate(values):
            if value is None:
                continue
            given = {"item": f"q{n}", "about": "answer", "by": by, "value": 1 - value if turned else value}
            verdicts.append(Verdict(aspect=preferred_over(opposite.name), **given))
            if first and first[n] is run:
                verdicts.append(Verdict(aspect=preferred_first(opposite.name), **given))
        with run.writing():
            run.add_verdicts(verdicts)


def standing(found, run):
    return next(one for one in found.standings if one.run == run)


def test_a_share_of_wins_with_ties_as_halves(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 1, 1, 1, 0.5, 0.5, 0])  # 6 of 8
    found = neraca.preferences([a, b])
    assert [(one.run, one.wins, one.ties, one.losses) for one in found.standings] == [("a", 5, 2, 1), ("b", 1, 2, 5)]
    assert found.chance("a", "b").value == pytest.approx(0.75)
    assert standing(found, "a").strength.value == pytest.approx(math.log(3) / 2)
    assert standing(found, "a").preferred == pytest.approx(0.75)
    first = found.rows()[0]
    assert (first["run"], first["n"], first["strength"]) == ("a", 8, pytest.approx(math.log(3) / 2))
    assert "a        75.0%      0.55" in str(found)


def test_every_two_runs_have_their_decisions_and_the_chance_by_the_model(tmp_path):
    """a beats b 6 of 8, b beats c 5 of 8 with a tie, and nobody compared a and c: their chance follows by b."""
    a, b, c = runs(tmp_path, "a b c")
    add_preferences(a, b, [1, 1, 1, 1, 1, 1, 0, 0])
    add_preferences(b, c, [1, 1, 1, 1, 1, 0.5, 0, 0])
    pairs = {(one.run, one.other): one for one in neraca.preferences([c, b, a]).pairs}
    counts = {pair: (one.wins, one.ties, one.losses) for pair, one in pairs.items()}
    assert counts == {("a", "b"): (6, 0, 2), ("a", "c"): (0, 0, 0), ("b", "c"): (5, 1, 2)}
    odds = {("a", "b"): 6 / 2, ("b", "c"): 5.5 / 2.5, ("a", "c"): 3 * 2.2}
    for pair, of_pair in odds.items():
        assert pairs[pair].chance.value == pytest.approx(of_pair / (1 + of_pair), abs=1e-6)


def test_a_question_is_one_observation_however_many_compared(tmp_path):
    a, b = runs(tmp_path)
    values = [1, 1, 1, 1, 1, 1, 0, 0]
    add_preferences(a, b, values)
    alone = preferences([a, b]).chance("a", "b")
    for rater in ("Budi", "Citra", "Dewi"):
        add_preferences(a, b, values, f"human:{rater}")
    found = preferences([a, b])
    assert found.votes.judges == {"human:Ana": 8, "human:Budi": 8, "human:Citra": 8, "human:Dewi": 8}
    assert (found.chance("a", "b").low, found.chance("a", "b").high) == pytest.approx((alone.low, alone.high))
    by_tag = preferences([a, b], unit="kind")
    assert (by_tag.unit.groups, math.isnan(by_tag.chance("a", "b").low)) == (2, True), "two show no chance"


def test_people_come_before_the_judge_on_what_they_compared(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 6 + [0, 0], "llm:m#123456")
    add_preferences(a, b, [0, 0])
    found = preferences([a, b])
    assert found.votes.judges == {"llm:m": 6, "human:Ana": 2}
    assert (standing(found, "a").wins, standing(found, "a").losses) == (4, 4)
    assert preferences([a, b], by="human").votes.judges == {"human:Ana": 2}
    with pytest.raises(SpecError, match="by=llm:z: it did not judge this"):
        preferences([a, b], by="llm:z")
    add_preferences(a, b, [1, 1], "llm:other#123456")
    with pytest.raises(SpecError, match="several judges decided on"):
        preferences([a, b])
    assert preferences([a, b], by="llm:other").votes.judges == {"llm:other": 2}, "whoever is named counts alone"


def test_a_judge_who_compared_nothing_is_no_judge(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 0])
    with pytest.raises(SpecError, match="by=llm:z: it compared no answers of these runs"):
        preferences([a, b], by="llm:z")


def test_a_model_in_both_orders_shows_what_the_place_does(tmp_path):
    """Of four pairs it decides two by the place alone, one for a in both orders and one for b."""
    a, b = runs(tmp_path, items=ITEMS[:4])
    add_preferences(a, b, [1, 0, 0.5, 0.5], "llm:m#123456")
    for run, other, values in ((a, b, [1, 0, 1, 1]), (b, a, [0, 1, 1, 1])):
        with run.writing():
            run.add_verdicts(
                Verdict(
                    item=f"q{n}", about="answer", aspect=preferred_first(other.name), by="llm:m#123456", value=value
                )
                for n, value in enumerate(values)
            )
    found = preferences([a, b], position=True)
    assert found.votes.flips == (2, 4)
    assert found.effect("position").value == pytest.approx(math.log(3)), "six of eight times the first one"
    assert found.chance("a", "b").value == pytest.approx(0.5)
    assert [row.get("effect") for row in found.rows()] == [None, None, "position"]
    assert found.strengths.n == 8


def test_a_model_that_looks_at_the_place_alone(tmp_path):
    three = runs(tmp_path, "a b c", words=lambda name, n: ord(name))
    with ModelSession(tmp_path / "models.sqlite") as session:
        for one, two in combinations(three, 2):
            judge_pairs(
                one, two, PairwiseJudge({"model": "test:script"}, chat=Script(always("first"))), session=session
            )
    plain, corrected = preferences(three), preferences(three, position=True)
    assert plain.chance("a", "b").value == pytest.approx(0.5), "in both orders it is even"
    assert plain.votes.flips == corrected.votes.flips == (24, 24)
    assert corrected.chance("a", "c").value == pytest.approx(0.5)
    assert corrected.effect("position").value == pytest.approx(math.log(49)), "48 won, and one more won and lost"


def test_the_side_on_which_people_saw_it_is_taken_out(tmp_path):
    """Each run wins whenever it stands left, and a stood left six times of eight."""
    a, b = runs(tmp_path)
    left = [a] * 6 + [b] * 2
    add_preferences(a, b, [1, 1, 1, 1, 1, 0, 0, 1], first=left)
    plain, corrected = preferences([a, b]), preferences([a, b], position=True)
    assert plain.chance("a", "b").value == pytest.approx(6 / 8)
    assert corrected.chance("a", "b").value < 0.75
    # logistic regression by hand: left wins 5 of 6 as a and 1 of 2 as b
    theta = (math.log(5) + math.log(1)) / 2
    assert corrected.chance("a", "b").value == pytest.approx(1 / (1 + math.exp(-(math.log(5) - math.log(1)) / 2)))
    assert corrected.effect("position").value == pytest.approx(theta)


def test_what_cannot_be_told_apart_is_said(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 1, 0, 1, 0, 1, 1], first=[a] * 8)
    found = preferences([a, b], position=True, length=True)
    assert found.effects == ()
    assert found.not_told == {
        "position": "it goes together with the runs, so that nobody can tell which of the two it was",
        "length": "all answers are equally long",
    }
    c, d = runs(tmp_path, "c d")
    add_preferences(c, d, [1, 0, 1])
    assert preferences([c, d], position=True).not_told == {"position": "it was not kept which answer stood first"}


def test_length_is_taken_out(tmp_path):
    """The longer one always wins but once; a is the longer one in six of eight."""
    a, b = runs(tmp_path, words=lambda name, n: 3 if (name == "a") == (n < 6) else 1)
    add_preferences(a, b, [1, 1, 1, 1, 1, 0, 0, 1])
    found = preferences([a, b], length=True)
    # as with the side above, and the difference is (3 - 1) / (3 + 1)
    assert found.effect("length").value / 2 == pytest.approx(math.log(5) / 2)
    assert found.chance("a", "b").value == pytest.approx(1 / (1 + 5**-0.5))


def test_no_chain_of_comparisons_is_an_error(tmp_path):
    a, b, c, d = runs(tmp_path, "a b c d")
    with pytest.raises(InputError, match="nobody compared the answers of a, b"):
        preferences([a, b])
    add_preferences(a, b, [1, 0])
    add_preferences(c, d, [1, 0])
    with pytest.raises(InputError, match="no chain of comparisons leads from a to c, d; compare some"):
        preferences([a, b, c, d])
    add_preferences(b, c, [0.5])
    assert len(preferences([a, b, c, d]).standings) == 4


@pytest.mark.parametrize("names, told", [("a", "at least two runs"), ("a a", "two runs are called 'a'")])
def test_runs_that_cannot_be_told_apart(tmp_path, names, told):
    with pytest.raises(SpecError, match=told):
        preferences([runs(tmp_path / str(n), name)[0] for n, name in enumerate(names.split())])


def test_how_many_pairs_were_compared(tmp_path):
    a, b, c = runs(tmp_path, "a b c")
    add_preferences(a, b, [1, 0, None, 1])
    add_preferences(b, c, [1])
    votes = Votes.of([a, b, c])
    assert (votes.compared, votes.pairs) == (4, 24)


def test_a_pairwise_judge_of_many_runs_gives_the_same_order_as_its_shares(tmp_path):
    """Equal texts are even and some is better than none, so that it needs no model."""
    texts = {"a": "xxxx", "b": "xx  ", "c": "    "}
    made = [
        make_run(tmp_path / name, ITEMS[:4], [Answer(item=f"q{n}", text=text[n].strip()) for n in range(4)])
        for name, text in texts.items()
    ]
    with ModelSession(tmp_path / "models.sqlite") as session:
        for one, two in combinations(made, 2):
            judge_pairs(one, two, {"model": "test:never-asked"}, session=session)
    found = preferences(made)
    assert [(one.run, one.wins, one.ties, one.losses) for one in found.standings] == [(name, 0, 0, 0) for name in "abc"]
    assert [(one.identical, one.no_text) for one in found.standings] == [(2, 6), (2, 4), (0, 6)]
    assert found.strengths.regularised, "c never won"
    assert (found.votes.judges, found.shown) == ({}, {}), "nobody was asked"


def same_or_not(folder, identical):
    """Two runs over 8 questions, whose answers to the first `identical` questions are the same."""
    return [
        make_run(
            folder / name,
            ITEMS,
            [Answer(item=f"q{n}", text="same" if n < identical else f"{name} {n}") for n in range(8)],
        )
        for name in "ab"
    ]


def test_identical_pairs_are_counted_apart_from_what_a_person_said(tmp_path):
    """Of 8 questions 4 have the same answer; of the others a person prefers a three times, and finds one even.

    All: (3 + 1/2 + 4/2) / 8 = 68.75 %; of those that were shown: 3.5 / 4 = 87.5 %.
    """
    tasks = PairTasks.of(same_or_not(tmp_path, 4), seed="Ana")
    a = [f"a {n}" for n in range(4, 8)]
    said = [
        Rating(
            id=task.id,
            task=task.id,
            on="preferred",
            value="tie" if "a 7" in (task.left.text, task.right.text) else "left" if task.left.text in a else "right",
        )
        for task in tasks.tasks
    ]
    for name in ("Ana", "Budi"):
        for run, verdicts in zip(tasks.runs, verdicts_of_pairs(said, tasks, name), strict=True):
            with run.writing():
                run.add_verdicts(verdicts)
    for by, times in (("human:Ana", 1), ("", 2)):
        found = preferences(tasks.runs, by=by)
        first = found.standings[0]
        assert (first.run, first.wins, first.ties, first.losses) == ("a", 3 * times, times, 0)
        assert (first.identical, first.no_text) == (4, 0), "a pair counts once, however many people compared others"
        assert first.preferred == pytest.approx(5.5 / 8)
        assert found.shown["a"] == pytest.approx(3.5 / 4)
        row = found.rows()[0]
        assert (row["n"], row["identical"], row["preferred_shown"]) == (4 * times, 4, found.shown["a"])
    assert found.votes.judges == {"human:Ana": 4, "human:Budi": 4}
    assert (found.votes.compared, found.votes.pairs) == (8, 8)
    assert "identical" in str(found).splitlines()[0]
