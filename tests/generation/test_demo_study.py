"""A new study about the table of the demonstration has its twelve categories, and conversations only."""

import json
from collections import Counter

from neraca.demo import QUESTIONS
from neraca.generation.demo_study import demo_study


def test_a_new_study_has_thirty_turns_in_the_twelve_categories_of_the_demonstration():
    study = demo_study(5)
    categories = {json.loads(line)["tags"]["category"] for line in QUESTIONS.read_text("utf-8").splitlines()}
    assert len(categories) == 12
    assert study.counts("category").keys() == categories
    assert list(Counter(item.session for item in study.dataset).values()) == [2] * 15
    assert 2 <= study.counts("results")["none"] <= 10


def test_categories_ask_about_their_columns_and_second_questions_need_the_first():
    items = demo_study(6).dataset.items
    for first, second in zip(items[::2], items[1::2], strict=True):
        match first.tags["category"]:
            case "nearby_price":
                assert first.constraints.keys() == {"property_type", "nearby", "price"}
            case "complex_query":
                assert len(first.constraints) == 6
        assert (second.tags["category"] == "context_followup") == (second.constraints == first.constraints)


def test_equal_seeds_give_equal_studies():
    first, again, other = (demo_study(seed).dataset.items for seed in (1, 1, 2))
    assert first == again != other
