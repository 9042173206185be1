import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges.scripted_model import reason_of

from neraca.errors import InputError, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.rules.rules_judge import RulesJudge
from neraca.records import Answer, Constraint, Hit, Item, Near, Verdict

HOUSE = Item(
    id="q1",
    query="rumah dijual di Cemara Asri 1M an, 3 kamar, 2 lantai",
    constraints={
        "type": Constraint(equals="house"),
        "listing": Constraint(equals="dijual"),
        "location": Constraint(
            contains_any=["cemara asri"],
            near=Near(lat=3.6, lng=98.7, radius_km=3, name="Cemara Asri"),
            fields=["district", "address"],
        ),
        "price": Constraint(min=1e9, max=1999999999),
        "bedrooms": Constraint(exact=3),
        "floors": Constraint(exact=2),
    },
)
HIT = Hit(
    id="L7",
    text="Rumah asri",
    fields={
        "type": "Rumah",
        "listing": "Dijual",
        "district": "Cemara Asri",
        "price": "Rp 1.250.000.000",
        "bedrooms": 2,
        "floors": "2 lantai",
    },
)


def judged(item, *hits, settings=None, **answer):
    return list(RulesJudge(settings or {}).judge([(item, Answer(item=item.id, hits=hits, **answer))]))


def asking(**constraints):
    return Item(id="q", query="?", constraints=constraints)


def test_worked_example_five_of_six_pass():
    verdicts = judged(HOUSE, HIT, settings={"synonyms": {"house": ["rumah", "home"]}}, trial=2)
    assert {v.aspect: (v.value, reason_of(v)) for v in verdicts} == {
        "type": (1, "type is Rumah, which counts as house"),
        "listing": (1, "listing is Dijual, as wanted"),
        "location": (1, "district contains cemara asri"),
        "price": (1, "price 1,250,000,000 is within 1,000,000,000 to 1,999,999,999"),
        "bedrooms": (0, "bedrooms: 2, wanted 3"),
        "floors": (1, "floors: 2, wanted 2"),
    }
    assert sum(v.value for v in verdicts) / len(verdicts) == pytest.approx(0.8333, abs=5e-5)
    assert {(v.item, v.trial, v.about, v.by, v.at) for v in verdicts} == {("q1", 2, "hit:L7", "rules", "")}


def test_a_verdict_is_whole():
    assert judged(asking(floors=Constraint(exact=3)), Hit(id="a:b", fields={"floors": None})) == [
        Verdict(item="q", about="hit:a:b", aspect="floors", by="rules", status="missing", why="no floors")
    ]


def test_order_and_one_verdict_per_hit_id():
    item = asking(floors=Constraint(exact=2), price=Constraint(max=5))
    first, second = Hit(id="z", fields={"floors": 2}), Hit(id="a", fields={"floors": 3})
    again = Hit(id="z", fields={"floors": 9})
    verdicts = judged(item, first, second, again)
    assert [(v.about, v.aspect, v.value) for v in verdicts] == [
        ("hit:z", "floors", 1),
        ("hit:z", "price", None),
        ("hit:a", "floors", 0),
        ("hit:a", "price", None),
    ]


@pytest.mark.parametrize(
    "status, count", [("complete", 6), ("suspect", 6), ("timeout", 0), ("refused", 0), ("error", 0)]
)
def test_failed_answers_get_none(status, count):
    assert len(judged(HOUSE, HIT, status=status)) == count


def test_no_constraints_no_hits_no_pairs_no_verdicts():
    assert judged(asking(), HIT) == []
    assert judged(asking(price=Constraint()), HIT) == []
    assert judged(HOUSE) == []
    assert list(RulesJudge().judge([])) == []


def test_several_items_keep_their_own_constraints():
    two, three = asking(floors=Constraint(exact=2)), asking(floors=Constraint(exact=3))
    answer = Answer(item="q", hits=(Hit(id="h", fields={"floors": 2}),))
    verdicts = RulesJudge().judge([(two, answer), (three, answer), (two, answer)])
    assert [v.value for v in verdicts] == [1, 0, 1]


def test_an_impossible_constraint_is_told_before_the_first_verdict():
    bad = Item(id="q9", query="?", constraints={"price": Constraint(min=2, max=1)})
    with pytest.raises(InputError, match="item q9, constraint 'price': min 2 is above max 1"):
        RulesJudge().judge([(HOUSE, Answer(item="q1")), (bad, Answer(item="q9"))])


def test_settings_reach_the_checks():
    hit = Hit(id="h", fields={"harga": "1.5 M", "pos": {"y": 3.6, "x": 98.7}, "ram": "16 sacks"})
    item = asking(
        price=Constraint(exact=1.5e6),
        place=Constraint(near=Near(lat=3.6, lng=98.7, radius_km=1)),
        ram=Constraint(min=16),
    )
    settings = {"language": "en", "fields": {"price": ["harga"]}, "lat": "pos.y", "lng": "pos.x", "units": ["SACKS"]}
    assert [v.value for v in judged(item, hit, settings=settings)] == [1, 1, 1]
    assert [v.value for v in judged(item, hit)] == [None, None, None]


def test_it_is_on_the_shelf():
    made = make_judge("rules", {"style": "en"})
    assert isinstance(made, RulesJudge)
    assert made.by == "rules"
    with pytest.raises(SpecError, match=r"a judge needs a name, one of: .*rules"):
        make_judge("")


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"synonym": {}}, "judge rules: no setting 'synonym'; did you mean synonyms?"),
        ({"zzz": 1}, "judge rules: no setting 'zzz'; known: synonyms, fields, lat, lng, language, units, style"),
        ({"language": "klingon"}, "judge rules: no language is called 'klingon'"),
        ({"style": "xx"}, "judge rules: no language is called 'xx'"),
        ({"style": "id", "language": "en"}, "judge rules: language is 'en' and style, its older name, 'id'"),
        ({"synonyms": {"house": "rumah"}}, r"judge rules: synonyms\[...\]: expected `array`, got `str`"),
        ({"lat": "y"}, "judge rules: give both lat and lng, or neither"),
        ({"synonyms": {"house": [""]}}, "judge rules: a word in synonyms is empty; take it out"),
    ],
)
def test_wrong_settings_are_told(settings, message):
    with pytest.raises(SpecError, match=message):
        RulesJudge(settings)


def priced(price, max=2_000_000, **item):
    """A question that asks for at most this price, and the hit's price as text."""
    asked = Item(id="q", query="?", constraints={"price": Constraint(max=max)}, **item)
    return asked, Hit(id="h", fields={"price": price})


def test_a_price_in_english_is_not_read_in_indonesian():
    item, hit = priced("$1.2M", tags={"language": "en"})
    (verdict,) = judged(item, hit)
    assert (verdict.value, verdict.why) == (1, 'price 1,200,000 ("$1.2M" in English) is at most 2,000,000')
    item, hit = priced("Rp 1,2 M", tags={"language": "id"})
    (verdict,) = judged(item, hit)
    assert (verdict.value, verdict.why) == (0, 'price 1,200,000,000 ("Rp 1,2 M" in Indonesian) is above 2,000,000')


def test_without_a_language_what_differs_is_missing_and_says_what_to_do():
    (verdict,) = judged(*priced("$1.2M"))
    assert (verdict.value, verdict.status, verdict.why) == (
        None,
        "missing",
        'price: "$1.2M" is 1,200,000 in English and 1,200,000,000 in Indonesian; say the language: [dataset] '
        'language = "en" (or --language en)',
    )
    (verdict,) = judged(*priced("Rp 1.250.000"))
    assert verdict.value == 1


@pytest.mark.parametrize(
    "tag, settings, number",
    [
        ("", {}, None),
        ("", {"language": "en"}, 1),
        ("", {"language": "Indonesian"}, 0),
        ("", {"language": "auto"}, None),
        ("", {"style": "id"}, 0),
        ("", {"style": "id", "language": "ind"}, 0),
        ("en", {}, 1),
        ("en", {"language": "id"}, 1),
        ("Indonesian", {"style": "en"}, 0),
    ],
)
def test_the_item_says_the_language_before_the_judge_is_asked(tag, settings, number):
    item, hit = priced("1.2M", tags={"language": tag} if tag else {})
    assert [verdict.value for verdict in judged(item, hit, settings=settings)] == [number]


@pytest.mark.parametrize(
    "tag, language, number",
    [
        ("es", "", None),
        ("es", "es-ES", 0),
        ("es", "es-MX", 1),
        ("es-MX", "es", 1),
        ("es-ES", "", 0),
        ("en", "es-ES", 1),
    ],
)
def test_a_country_settles_what_its_language_leaves_open(tag, language, number):
    item, hit = priced("1.200", max=2, tags={"language": tag})
    assert [verdict.value for verdict in judged(item, hit, settings={"language": language})] == [number]


def test_items_of_several_languages_are_each_read_in_theirs():
    english, hit = priced("1.200", max=2, tags={"language": "en"})
    indonesian, _ = priced("1.200", max=2, tags={"language": "id"})
    answer = Answer(item="q", hits=(hit,))
    verdicts = RulesJudge().judge([(english, answer), (indonesian, answer)])
    assert [verdict.value for verdict in verdicts] == [1, 0]


def test_the_language_is_found_over_all_questions():
    questions = [
        "What is the cheapest house in Medan?",
        "Show me flats with a pool and a garden",
        "Which of these has the lowest price?",
        "Is there a house with three rooms near the station?",
        "I want to rent an office for my company",
    ]
    constraints = {"price": Constraint(max=2_000_000)}
    items = [Item(id=str(n), query=query, constraints=constraints) for n, query in enumerate(questions)]
    pairs = [(item, Answer(item=item.id, hits=(Hit(id="h", fields={"price": "$1.2M"}),))) for item in items]
    assert {verdict.value for verdict in RulesJudge().judge(pairs)} == {1}
    assert RulesJudge().note(pairs).startswith("language found in the questions, not said: English (en): ")
    assert RulesJudge({"language": "id"}).note(pairs) == "language as said to the judge: Indonesian (id)"
    assert {verdict.value for verdict in RulesJudge({"language": "id"}).judge(pairs)} == {0}


@pytest.mark.parametrize(
    "constraint, speaks",
    [
        (Constraint(max=3), True),
        (Constraint(equals=3), True),
        (Constraint(equals=["x", "3 floors"]), True),
        (Constraint(equals="x", synonyms=["5 m"]), True),
        (Constraint(equals="house"), False),
        (Constraint(equals=True), False),
        (Constraint(contains_any=["3"]), False),
        (Constraint(near=Near(lat=3.6, lng=98.7, radius_km=1)), False),
    ],
)
def test_of_a_language_is_spoken_only_where_numbers_are_asked_for(constraint, speaks):
    item = Item(id="q", query="?", constraints={"x": constraint}, tags={"language": "id"})
    note = "language as the questions say: Indonesian (id) of 1"
    assert RulesJudge().note([(item, Answer(item="q"))]) == (note if speaks else "")


def test_a_language_that_is_not_known_is_told_with_its_item():
    item, hit = priced("1.2M", tags={"language": "python"})
    with pytest.raises(SpecError, match="item 'q', tag language: no language is called 'python'"):
        judged(item, hit)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["ac", "2 lantai"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "lat", "lng", "a"]), inner),
    max_leaves=8,
)
NEAR = Near(lat=3.6, lng=98.7, radius_km=3)
EVERYTHING = asking(
    x=Constraint(equals=["ac", 2, True], fields=["x", "a.x"]),
    y=Constraint(min=1, about=2, fields=["x", "a.x", "text"]),
    z=Constraint(contains_any=["ac"], near=NEAR, fields=["x", "a"]),
)


@given(st.dictionaries(st.sampled_from(["x", "a", "lat", "lng", "location"]), ANYTHING), st.text(max_size=8))
def test_whatever_a_hit_holds_it_gets_every_verdict_with_a_why(fields, text):
    verdicts = judged(EVERYTHING, Hit(id="h", text=text, fields=fields))
    assert [v.aspect for v in verdicts] == ["x", "y", "z"]
    for verdict in verdicts:
        assert verdict.value in (0, 1, None)
        assert reason_of(verdict)
        assert reason_of(verdict).startswith("missing: ") == (verdict.value is None)


def memories(texts, **constraint):
    item = Item(id="q", query="laptop", constraints={"ram": Constraint(**constraint)})
    hits = tuple(Hit(id=f"h{n}", fields={"ram": text}) for n, text in enumerate(texts))
    return [(v.value, v.status) for v in RulesJudge({"language": "en"}).judge([(item, Answer(item="q", hits=hits))])]


def test_numbers_are_read_with_their_units():
    assert memories(["16 GB", "8GB", 32, "16 GB RAM"], min=16) == [(v, "decided") for v in (1, 0, 1, 1)]


def test_an_odd_unit_among_others_of_its_kind_is_missing_and_never_compared():
    missing = (None, "missing")
    assert memories(["16 GB"] * 4 + ["512 MB"], min=16) == [(1, "decided")] * 4 + [missing]
    assert memories(["16 GB"] * 3 + ["512 MB"], min=16) == [missing] * 4  # which of them is meant is not clear
    assert memories(["1 TB", "2 terabytes", 3], min=2) == [(0, "decided"), (1, "decided"), (1, "decided")]
