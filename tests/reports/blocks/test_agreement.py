"""What is said of judges who agree and differ."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metaeval.agreement import agreement
from neraca.metaeval.judge_confusion import judges_beside_people
from neraca.records import Item, Verdict
from neraca.reports.blocks import agreement as words
from neraca.reports.sentences.agreement import sentences
from neraca.verdicts.opinions import opinions_by_aspect
from neraca.verdicts.source import JURY

ITEMS = [Item(id=str(n), query=f"question {n}?") for n in range(60)]


def verdicts_by(by, values, aspect="valid", about="answer", **more):
    """One verdict on each item, none where the value is ..."""
    return [
        Verdict(item=str(n), about=about, aspect=aspect, by=by, value=value, **more)
        for n, value in enumerate(values)
        if value is not ...
    ]


def sentences_on(*said, judges=(), items=ITEMS, level=0.95):
    found = agreement(items, *said, judges=judges, samples=500, level=level)
    return sentences(found, opinions_by_aspect(said, judges), items, level)


def differing(*said, judges=()):
    return words.disagreements(opinions_by_aspect(said, judges))


# the sentences


def test_two_judges_in_a_sentence():
    """20 yes yes, 5 yes no, 10 no yes, 15 no no: 70 % agree, kappa .4."""
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    said = [*verdicts_by("llm:a#111111", [a for a, _ in pairs]), *verdicts_by("human:Ana", [b for _, b in pairs])]
    (sentence,) = sentences_on(said)
    assert sentence.startswith("valid: human:Ana and llm:a agree on 70 % of 50 answers (95 % interval ")
    assert sentence.endswith("; Cohen's kappa is 0.400: more than chance would give.")
    assert "(90 % interval " in sentences_on(said, level=0.9)[0]


def test_three_judges_and_each_beside_the_person():
    """Pairs agree 1, 1, 1/3: 78 %; a person and a program each say the same on 2 of 3, or on 1 of 1."""
    said = [*verdicts_by("llm:a", [1, 0, 1]), *verdicts_by("llm:b", [1, 0, 0]), *verdicts_by("human:Ana", [1, 0, 0])]
    sentence, beside, *_ = sentences_on(said)
    assert sentence.startswith(
        "valid: of every two of human:Ana, llm:a and llm:b, 78 % agree, on average over 3 answers"
    )
    assert "Fleiss' kappa is 0.550" in sentence  # 4 of 9 yes: (7/9 - 41/81) / (40/81) = 22/40
    assert beside == "valid: what human:Ana says, is also said by llm:a 2 times of 3 and llm:b 3 times of 3."
    two = [*verdicts_by("human:Ana", [1]), *verdicts_by("human:Budi", [1]), *verdicts_by("human:Cici", [0])]
    assert not any("also said" in one for one in sentences_on(two))


def test_what_chance_would_give():
    like_chance = [*verdicts_by("llm:a", [1, 0] * 20), *verdicts_by("human:A", [1, 1, 0, 0] * 10)]
    assert (
        "kappa is 0.000: the data do not show that this is more than chance would give." in sentences_on(like_chance)[0]
    )
    below = [*verdicts_by("llm:a", [1, 0] * 20), *verdicts_by("human:A", [1, 1, 0, 0] * 9 + [0, 1, 0, 0])]
    assert "kappa is −0.050: the data do not show that this is more than chance would give." in sentences_on(below)[0]
    opposed = [*verdicts_by("llm:a", [1, 0] * 10 + [1]), *verdicts_by("human:A", [0, 1] * 10 + [1])]
    assert "less than chance would give." in sentences_on(opposed)[0]
    same = [*verdicts_by("llm:a", [1] * 30), *verdicts_by("human:A", [1] * 30)]
    (sentence,) = sentences_on(same)
    assert "agree on 100 % of 30 answers (no interval can be given, because they never differ)" in sentence
    assert sentence.endswith("kappa is not defined, because all say the same throughout.")
    both = [*verdicts_by("llm:a", [1, 0] * 15), *verdicts_by("human:A", [1, 0] * 15)]
    assert sentences_on(both)[0].endswith("Cohen's kappa is 1.000.")


def test_where_one_value_is_common_kappa_is_not_the_last_word():
    """45 yes yes, 2 and 3 that differ: 90 % agree, kappa (.9 - .904) / .096 < 0, AC1 (.9 - .095) / .905."""
    said = [*verdicts_by("llm:a", [1] * 47 + [0] * 3), *verdicts_by("human:A", [1] * 45 + [0] * 2 + [1] * 3)]
    assert sentences_on(said)[0].endswith("look at AC1 (0.890) too.")
    even = [*verdicts_by("llm:a", [1, 0] * 25), *verdicts_by("human:A", [1, 0] * 20 + [0, 1] * 5)]
    assert "AC1" not in sentences_on(even)[0]


def test_one_session_shows_no_chance():
    items = [Item(id=str(n), query="?", session="s") for n in range(40)]
    said = [*verdicts_by("llm:a", [1, 0] * 20), *verdicts_by("human:A", [1, 0] * 19 + [0, 1])]
    sentence, few = sentences_on(said, items=items)
    assert "because there is too little to see how much chance there is" in sentence
    assert few.startswith("Fewer than 20 independent questions (a session counts once) show how judges agree on valid:")
    assert len(sentences_on(said)) == 1


def test_nineteen_questions_are_few_and_twenty_are_not():
    def cautious(n):
        said = [*verdicts_by("llm:a", [1, 0] * n)[:n], *verdicts_by("human:A", [1, 0, 0, 1] * n)[:n]]
        return any("Fewer than 20" in one for one in sentences_on(said))

    assert cautious(19)
    assert not cautious(20)


@pytest.mark.parametrize(
    "abouts, what",
    [(("hit:d",), "40 hits"), (("answer",), "40 answers"), (("answer", "hit:d"), "80 answers and hits")],
)
def test_what_was_decided_on(abouts, what):
    said = [v for about in abouts for by in ("rules", "human:A") for v in verdicts_by(by, [1, 0] * 20, "price", about)]
    assert f"price: human:A and rules agree on 100 % of {what} (" in sentences_on(said)[0]


def test_grades_and_programs_alone_are_cautioned():
    said = [*verdicts_by("llm:a", [1, 5] * 15, "clarity"), *verdicts_by("llm:b", [1, 4, 5] * 10, "clarity")]
    sentence, _, grades, alone = sentences_on(said)
    assert sentence.startswith("clarity: ")
    assert grades.startswith("Of grades (clarity) only equal ones count in agree, kappa and AC1")
    assert alone.startswith("No person is among the judges of clarity. Programs that agree may be wrong together")
    even = [*verdicts_by("llm:a", [1, 0.5] * 15, "preferred:x"), *verdicts_by("human:A", [1, 0] * 15, "preferred:x")]
    assert not any("grades" in one for one in sentences_on(even))


def test_why_nothing_can_be_compared():
    assert sentences_on() == sentences_on([])
    claims = [*verdicts_by("llm:a", [1], "supported", "claim:1"), *verdicts_by("llm:a", [3], "claims")]
    unscored = verdicts_by("llm:a", [None], why="down")
    for said in ([], claims, unscored):
        (sentence,) = sentences_on(said)
        assert sentence.startswith("Nothing can be compared: there is no verdict with a value on an answer or a hit.")
    alone = verdicts_by("llm:a", [1, 0])
    assert sentences_on(alone) == [
        "Nothing can be compared with one judge alone, llm:a. Name another with --judges, let another model judge "
        "(neraca judge), or add verdicts of a person.",
        "Not compared, with who of these judges decided: valid (only llm:a).",
    ]
    nothing, who = sentences_on(
        [*alone, *verdicts_by("llm:b", [1], "supported"), *verdicts_by("human:A", [..., ..., 1])]
    )
    assert nothing == "Nothing can be compared: no two judges decided on the same aspect of the same answer or hit."
    assert who.endswith(": valid (human:A and llm:a, never on the same answer or hit) and supported (only llm:b).")


# where they differ


def test_the_most_telling_come_first():
    """A whole range apart, then with a person, then each aspect's first before any's second."""
    grades = [
        *verdicts_by("llm:a", [1, 4, 2, 3], "clarity"),
        *verdicts_by("llm:b", [5, 5, 4, 3], "clarity"),
    ]  # 1, 1/4, 1/2, 0
    valid = [
        *verdicts_by("llm:a", [1, 1, 0, 1]),
        *verdicts_by("llm:b", [0, 1, 1, 1]),
        *verdicts_by("human:A", [..., ..., ..., 0]),
    ]
    found = [(one.aspect, one.thing[1], one.spread) for one in differing([*valid, *grades])]
    assert found == [
        ("valid", "3", 1),
        ("valid", "0", 1),
        ("clarity", "0", 1),
        ("valid", "2", 1),
        ("clarity", "2", 0.5),
        ("clarity", "1", 0.25),
    ]
    near = [
        *verdicts_by("llm:a", [1, 5], "fit"),
        *verdicts_by("llm:b", [5, 5], "fit"),
        *verdicts_by("human:A", [..., 4], "fit"),
    ]
    assert [one.thing[1] for one in differing(near)] == ["0", "1"]


def test_an_unscored_verdict_takes_the_place_of_the_one_before():
    said = [*verdicts_by("llm:a#1", [1]), *verdicts_by("llm:b", [0]), *verdicts_by("llm:a#2", [None], why="down")]
    assert differing(said) == []
    assert sentences_on(said)[0].startswith("Nothing can be compared with one judge alone, llm:b.")
    assert differing(said[:2], said[:2])[1].thing[0] == 1


def test_two_people_who_differ_overrule_no_program():
    people = [*verdicts_by("human:A", [1]), *verdicts_by("human:B", [0])]
    programs = [*verdicts_by("llm:a", [1], "polite"), *verdicts_by("human:B", [0], "polite")]
    assert [one.aspect for one in differing([*people, *programs])] == ["polite", "valid"]


def test_they_are_shown_with_question_values_and_reasons():
    one = verdicts_by("llm:a#123456", [1, 1], why="It says so.") + verdicts_by("human:A", [0, 1], why="Not\nat all.")
    two = verdicts_by("llm:a", [4.5], "fit", "hit:d1", trial=1) + verdicts_by("human:A", [2], "fit", "hit:d1", trial=1)
    found = differing(one, two)
    assert words.disagreement_lines(found, ITEMS, ["runs/old", "runs/new"]) == [
        "They differ:",
        "valid, question 0 of runs/old: question 0?",
        "  human:A says 0: Not at all.",
        "  llm:a says 1: It says so.",
        "fit, the result with the id d1 of question 0 (trial 2) of runs/new: question 0?",
        "  human:A says 2",
        "  llm:a says 4.5",
    ]
    assert words.disagreement_lines([], ITEMS, []) == []


def test_five_are_shown_and_all_are_rows():
    found = differing([*verdicts_by("llm:a", [1] * 7), *verdicts_by("llm:b", [0] * 7, why="no")])
    lines = words.disagreement_lines(found, ITEMS, ["r"])
    assert lines[0] == "Where they differ most (5 of 7; all with --json):"
    assert len(lines) == 1 + 5 * 3
    assert words.disagreement_lines(found[:5], ITEMS, ["r"])[0] == "They differ:"
    rows = words.opinion_rows(found, ["r"])
    assert len(rows) == 14
    place = {"aspect": "valid", "run": "r", "item": "0", "trial": 0, "about": "answer"}
    assert rows[1] == {**place, "judge": "llm:b", "value": 0, "why": "no"}


def test_hostile_names_are_shown_harmless():
    bad = "\x1b[31m\u202e"
    items = [Item(id=bad, query=bad)]
    said = [
        Verdict(item=bad, about=f"hit:{bad}", aspect=bad, by=f"{who}:{bad}", value=n, why=bad)
        for n, who in enumerate(("llm", "human"))
    ]
    found = agreement(items, said)
    by_aspect = opinions_by_aspect([said])
    differences = words.disagreement_lines(words.disagreements(by_aspect), items, [bad])
    shown = [*sentences(found, by_aspect, items), *differences]
    shown += [cell for row in words.table(found)[1] for cell in row]
    assert not any("\x1b" in text or "\u202e" in text for text in shown)


# tables and rows


def test_the_table_and_the_rows_hold_the_same_numbers():
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    said = [*verdicts_by("llm:a", [a for a, _ in pairs]), *verdicts_by("llm:b", [b for _, b in pairs])]
    found = agreement(ITEMS, said)
    columns, ((*cells,),) = words.table(found)
    measured = ("agree", "kappa", "AC1", "alpha")
    assert columns == ["aspect", *(name for one in measured for name in (one, "interval")), "n", "judges"]
    assert [cells[n] for n in (0, 1, 3, 5, 7, 9)] == ["valid", "70 %", "0.400", "0.406", "0.400", "50"]
    (row,) = found.rows()
    assert (row["aspect"], row["judges"], row["kappa_of"], row["n"]) == ("valid", "llm:a, llm:b", "Cohen", 50)
    assert row["ac1"] == pytest.approx((0.7 - 0.495) / 0.505)
    for name, estimate in (("agreement", found[0].agreement), ("kappa", found[0].kappa), ("ac1", found[0].ac1)):
        assert [row[f"{name}{end}"] for end in ("", "_low", "_high")] == [estimate.value, estimate.low, estimate.high]


def test_what_is_not_there_is_a_dash():
    found = agreement(ITEMS, [*verdicts_by("llm:a", [1]), *verdicts_by("llm:b", [1]), *verdicts_by("rules", [1])])
    assert words.table(found)[1] == [["valid", "100 %", *"–––", "1.000", *"–––", "1", "llm:a, llm:b and rules"]]
    (row,) = found.rows()
    assert row["kappa_of"] == "Fleiss"
    assert math.isnan(row["kappa"])


VERDICTS = st.builds(
    Verdict,
    item=st.sampled_from(["0", "1", "2"]),
    about=st.sampled_from(["answer", "answer", "hit:d", "claim:1"]),
    aspect=st.sampled_from(["valid", "valid", "clarity", "claims"]),
    by=st.sampled_from(["llm:a#1", "llm:a#2", "llm:b", "human:A", "rules", JURY, "embed:x", "qrels"]),
    value=st.sampled_from([None, 0.0, 1.0, 1.0, 3.0]),
)
JUDGES = st.sampled_from(
    [(), ("llm", "human"), ("llm:a", "human:A"), ("llm:a#1", "rules"), (JURY, "llm:b"), ("qrels",)]
)


@given(st.lists(st.lists(VERDICTS, max_size=25), max_size=2), JUDGES)
def test_what_is_heard_is_what_is_compared(said, judges):
    """The same judges, as many things, and as many of them alike, as the coefficients rest on."""
    try:
        by_aspect = opinions_by_aspect(said, judges)
        found = agreement(ITEMS, *said, judges=judges, samples=2)
    except ValueError:  # one of them said nothing
        return
    several = {aspect: [o for o in things.values() if len(o) > 1] for aspect, things in by_aspect.items()}
    assert [one.aspect for one in found] == [aspect for aspect, opinions in several.items() if opinions]
    for one in found:
        opinions = several[one.aspect]
        assert one.agreement.n == len(opinions)
        assert set(one.judges) == {name for opinion in by_aspect[one.aspect].values() for name in opinion}
        if len(one.judges) == 2:
            differ = [d for d in words.disagreements(by_aspect) if d.aspect == one.aspect]
            assert one.agreement.value == pytest.approx(1 - len(differ) / len(opinions))


# grades


def near(*said):
    return next(one for one in sentences_on(said) if "near grades" in one)


def test_of_grades_near_ones_count_in_part():
    """MSb 8, MSj 6, MSe 0: ICC(2,1) 8 / (8 + 2 × 6 / 3), ICC(2,2) 8 / (8 + 6 / 3)."""
    said = [*verdicts_by("human:Ana", [1, 3, 5], "clarity"), *verdicts_by("llm:a", [-1, 1, 3], "clarity")]
    assert "; ICC(2,1), of one judge, 0.667; ICC(2,k), of the mean of 2 grades, 0.800." in near(*said)
    found = agreement(ITEMS, said, samples=500)
    columns, (row,) = words.grade_table(found)
    assert dict(zip(columns, row, strict=True))["n of ICC"] == "3"
    (flat,) = found.rows()
    assert (flat["icc"], flat["weights"], flat["graded_by_all"]) == (pytest.approx(8 / 12), "quadratic", 3)
    assert words.grade_table(agreement(ITEMS, [*verdicts_by("llm:a", [1, 0]), *verdicts_by("llm:b", [1, 0])]))[1] == []


def test_weighted_kappa_is_named_cohens_for_two_raters_and_fleiss_for_three():
    """Fleiss' kappa is not the mean of Cohen's kappas of the pairs, so whoever recomputes it must know which it is."""
    two = [*verdicts_by("human:Ana", [1, 3, 5], "clarity"), *verdicts_by("human:Budi", [1, 3, 4], "clarity")]
    three = [*two, *verdicts_by("human:Citra", [2, 3, 5], "clarity")]
    assert "counted in part: Cohen's kappa with quadratic weights" in near(*two)
    assert "counted in part: Fleiss' kappa with quadratic weights" in near(*three)
    for said, kind in ((two, "Cohen"), (three, "Fleiss")):
        assert words.grade_table(agreement(ITEMS, said, samples=50))[0][1] == f"weighted kappa ({kind})"


def test_icc_says_on_what_it_rests_or_why_there_is_none():
    three = [*verdicts_by("human:Ana", [1, 3, 5], "clarity"), *verdicts_by("llm:a", [1, 3, 4], "clarity")]
    assert "on the 2 that all graded (1 left out)." in near(*three, *verdicts_by("llm:b", [2, 3], "clarity"))
    few = near(*three, *verdicts_by("llm:b", [2], "clarity"))
    assert "; ICC is not defined, because all 3 judges graded 1 of them together; name those" in few
    alone = [*verdicts_by("human:Ana", [1, 3], "clarity"), *verdicts_by("llm:a", [2], "clarity")]
    assert near(*alone).endswith("ICC is not defined, because there is only one.")
    even = [*verdicts_by("human:Ana", [3, 3, 5], "clarity"), *verdicts_by("llm:a", [3, 3, ..., 4], "clarity")]
    assert near(*even).endswith("because of those that all graded none is graded higher than another.")


def test_grades_have_the_words_of_peoples_scale_beside_a_judge_and_where_they_differ():
    said = [*verdicts_by("human:Ana", [0, 1, 2, 2], "quality"), *verdicts_by("llm:m", [2, 1, 2, 1], "quality")]
    scale = {"quality": {0.0: "wrong", 1.0: "", 2.0: "right"}}
    (confusion,) = judges_beside_people(ITEMS, said)
    assert [row[0] for row in words.confusion_table(confusion, scale).rows] == ["0: wrong", "1", "2: right"]
    assert [row[0] for row in words.confusion_table(confusion).rows] == ["0", "1", "2"]
    lines = words.disagreement_lines(differing(said), ITEMS, ["run"], words=scale)
    assert lines[2:4] == ["  human:Ana says 0: wrong", "  llm:m says 2"]
