"""Generated questions: their right answers equal an independent search, and equal seeds give equal bytes."""

import re
from collections import Counter
from itertools import groupby, pairwise

import pytest

import neraca
from neraca.demo import LISTINGS
from neraca.errors import InputError, SpecError
from neraca.generation.words import wordings

ROWS = [
    {"id": f"r{n}", "city": ("Medan", "Binjai", "Kota Lama")[n % 3], "price": 100.0 * n, "rooms": n % 5}
    for n in range(1, 41)
]


def by_sql(database, constraints):
    """The ids that DuckDB finds in the table, by conditions written here."""
    conditions = []
    for name, c in constraints.items():
        if c.contains_any:
            (phrase,) = c.contains_any
            words = f"strip_accents(lower(array_to_string({name}, ' | ')))"
            pattern = rf"(^|[^a-z0-9]){phrase.lower()}($|[^a-z0-9])"
            conditions.append(f"regexp_matches({words}, '{pattern}')")
        elif c.near is not None:
            across = f"pow(sin(radians(lng - {c.near.lng}) / 2), 2) * cos(radians(lat)) * cos(radians({c.near.lat}))"
            half = f"pow(sin(radians(lat - {c.near.lat}) / 2), 2) + {across}"
            conditions.append(f"2 * 6371 * asin(sqrt({half})) <= {c.near.radius_km}")
        elif c.equals is not None:
            conditions.append(f"lower({name}) = lower('{c.equals}')")
        for sign, bound in (("=", c.exact), (">=", c.min), ("<=", c.max)):
            if bound is not None:
                conditions.append(f"{name} {sign} {bound}")
        if c.about is not None:
            conditions.append(f"{name} between {0.9 * c.about} and {1.1 * c.about}")
    return {row[0] for row in database.sql(f"select id from homes where {' and '.join(conditions)}").fetchall()}


@pytest.mark.parametrize("n", [150, pytest.param(1000, marks=pytest.mark.soak)])
def test_right_answers_equal_those_of_a_database(n):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'neraca[sql]'")
    questions = neraca.generate(LISTINGS, n, kinds="constraint=0.7,followup=0.3", language="id")
    assert len(questions) == n
    with duckdb.connect() as database:
        database.sql(f"create table homes as select * from read_json('{LISTINGS}')")
        for item in questions.dataset:
            assert set(item.relevant) == by_sql(database, item.constraints), item.query
            assert item.expects == ("results" if item.relevant else "none")


def test_the_judge_of_rules_passes_the_right_answers_and_no_other_record():
    questions = neraca.generate(ROWS, 40, language="en")
    hits = tuple(neraca.Hit(id=row["id"], fields=row) for row in ROWS)
    for item in questions.dataset:
        verdicts = list(neraca.RulesJudge({"language": "en"}).judge([(item, neraca.Answer(item=item.id, hits=hits))]))
        failed = {verdict.about for verdict in verdicts if verdict.value != 1}
        assert {hit.id for hit in hits if f"hit:{hit.id}" not in failed} == set(item.relevant)


def test_equal_seeds_give_equal_bytes_and_another_seed_gives_other_questions(tmp_path):
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        neraca.generate(ROWS, 20, language="en", seed=seed).save(tmp_path / folder)
    first, again, other = ((tmp_path / name / "questions.jsonl").read_bytes() for name in "abc")
    assert first == again != other


def test_each_question_that_stands_alone_is_made_once_and_results_are_spread():
    single = neraca.generate(LISTINGS, 50, kinds="constraint", language="id")
    assert len({str(item.constraints) for item in single.dataset}) == 50
    assert single.counts("results") == {"none": 10, "one": 10, "few": 20, "many": 10}


def test_a_question_without_an_answer_would_have_one_without_one_of_its_constraints():
    items = [
        item for item in neraca.generate(LISTINGS, 30, kinds="constraint", language="id").dataset if not item.relevant
    ]
    assert len(items) == 6
    assert all(re.match(r"0 dari 446 data memenuhi semua syarat; \d+ jika tanpa ", item.extra["why"]) for item in items)


def test_conversations_have_two_or_three_turns_and_each_turn_changes_what_its_kind_says():
    items = neraca.generate(LISTINGS, 60, kinds="followup", language="id").dataset.items
    assert len(items) == 60
    sessions = [list(group) for _, group in groupby(items, key=lambda item: item.session)]
    assert {len(session) for session in sessions} <= {2, 3}
    kinds = Counter(item.tags["turn"] for item in items)
    assert set(kinds) == {"first", "narrow", "change", "drop", "another"}
    for session in sessions:
        for before, after in pairwise(session):
            old, new = before.constraints, after.constraints
            match after.tags["turn"]:
                case "narrow":
                    assert new.keys() > old.keys()
                case "drop":
                    assert new.keys() < old.keys()
                case "change":
                    assert new.keys() == old.keys()
                    assert new != old
                case "another":
                    assert new == old


def test_a_table_that_is_too_small_gives_fewer_questions_and_counts_them():
    rows = [{"id": "a", "city": "Medan", "rooms": 1}, {"id": "b", "city": "Medan", "rooms": 2}]
    questions = neraca.generate(rows, 200, kinds="constraint", language="en")
    assert 1 <= len(questions) < 200
    assert questions.asked == {"constraint": 200}


@pytest.mark.parametrize("language", sorted(wordings()))
def test_every_language_words_every_question(language):
    rows = [{**row, "property_type": "rumah", "pool": row["rooms"] > 2, "listing_type": "dijual"} for row in ROWS]
    rows[0]["property_type"] = rows[1]["property_type"] = "ruko"
    items = neraca.generate(rows, 60, language=language).dataset.items
    assert len(items) == 60
    assert not [item.query for item in items if "{" in item.query or "None" in item.query or "  " in item.query]
    assert {item.tags["language"] for item in items} == {language}


def test_numbers_are_written_as_the_language_writes_them():
    rows = [{"id": str(n), "price": 1_000_000 * n} for n in range(1, 30)]
    queries = {code: str([i.query for i in neraca.generate(rows, 9, language=code).dataset]) for code in ("en", "id")}
    assert ",000,000" in queries["en"]
    assert ".000.000" in queries["id"]


def test_a_folder_of_questions_is_a_data_set_and_is_not_overwritten(tmp_path):
    questions = neraca.generate(ROWS, 12, language="en")
    questions.save(tmp_path / "q")
    assert neraca.read_dataset(tmp_path / "q").fingerprint == questions.dataset.fingerprint
    with pytest.raises(InputError, match="there are questions already; name another folder"):
        questions.save(tmp_path / "q")


@pytest.mark.parametrize(
    ("n", "kinds", "message"),
    [
        (0, "", "from 1 to 10,000, not 0"),
        (5, "singel", "there is no kind 'singel'"),
        (5, "constraint=x", "'x' is no share"),
        (5, "constraint=0", "'0' is no share"),
        (5, "constraint=nan", "'nan' is no share"),
        (5, "constraint,constraint", "constraint stands twice"),
    ],
)
def test_what_cannot_be_asked_for_is_said(n, kinds, message):
    with pytest.raises(SpecError) as error:
        neraca.generate(ROWS, n, kinds=kinds, language="en")
    assert message in str(error.value)


def test_no_constraint_is_met_by_all_and_more_is_asked_for_only_where_there_is_more():
    items = neraca.generate(ROWS, 100, language="en").dataset.items
    for item in items:
        for name, constraint in item.constraints.items():
            alone = neraca.Item(id="one", query="?", constraints={name: constraint})
            hits = tuple(neraca.Hit(id=row["id"], fields=row) for row in ROWS)
            verdicts = neraca.RulesJudge({"language": "en"}).judge([(alone, neraca.Answer(item="one", hits=hits))])
            assert any(verdict.value == 0 for verdict in verdicts), (name, constraint)
        assert item.tags.get("turn") != "another" or len(item.relevant) > 10


def test_a_column_called_text_can_be_asked_about():
    rows = [{"id": str(n), "text": ("red", "blue")[n % 2], "size": n} for n in range(12)]
    items = neraca.generate(rows, 20, kinds="constraint", language="en").dataset.items
    asked = [item for item in items if "text" in item.constraints and item.relevant]
    assert asked
    for item in asked:
        assert all(rows[int(doc)]["text"] == item.constraints["text"].equals for doc in item.relevant)
