"""Questions from logs and runs: what is read, masked, merged and drawn, with which chance."""

import json
from collections import Counter
from random import Random

import pytest

import neraca
from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, SpecError
from neraca.generation.log_questions import generate_from_log
from neraca.generation.log_source import is_log, is_run
from neraca.generation.wordings_of_questions import merge_wordings
from neraca.personal_data import mask
from neraca.reports.log_card import summary
from neraca.stats.planning.systematic_sampling import draw_by_weight


def table(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def asked(questions):
    return {item.query: item.extra["asked"] for item in questions.dataset}


@pytest.mark.parametrize(
    "text, masked",
    [
        ("write to Ana.Lopez+x@mail.example.co.id now", "write to [e-mail] now"),
        ("call 0812-3456-7890", "call [phone]"),
        ("call +44 (0)20 7946 0958", "call [phone]"),
        ("(555) 123-4567 or 555-123-4567", "[phone] or [phone]"),
        ("card 4111-1111-1111-1111", "card [card]"),
        ("card 4111 1111 1111 1112", "card 4111 1111 1111 1112"),  # the last digit does not fit
        ("nik 3171234567890123", "nik [number]"),
        ("nik 3171-2345-1278-0123 or 317123-451278-0123", "nik [number] or [number]"),  # born on 5 December, a woman
        ("from 3171-2399-6789-0123", "from 3171-2399-6789-0123"),  # no day 99
        ("ssn 123-45-6789", "ssn [number]"),
        ("part 123-00-6789", "part 123-00-6789"),  # never given
        ("iban ES91 2100 0418 4502 0005 1332 please", "iban [number] please"),
        ("to GB29NWBK60161331926819, thanks", "to [number], thanks"),
        ("to GB29NWBK60161331926818, thanks", "to GB29NWBK60161331926818, thanks"),  # the check digits do not fit
        ("اتصل على ٠٥٠١٢٣٤٥٦٧", "اتصل على [phone]"),
        ("بيت بسعر ١٬٢٥٠٬٠٠٠ ريال", "بيت بسعر ١٬٢٥٠٬٠٠٠ ريال"),
        ("hp08123456789 WA+62 812-3456-7890", "hp[phone] WA[phone]"),
        ("sku08123456789", "sku08123456789"),
        ("tel:+44-20-7946-0958;ext=123", "tel:[phone]"),
        ("020 7946 0958 ext. 12 or 020 7946 0958x7 now", "[phone] or [phone] now"),
        ("house under 1.250.000.000", "house under 1.250.000.000"),
        ("house under 350000000 from 2026-11-26 to 26.11.2027", "house under 350000000 from 2026-11-26 to 26.11.2027"),
        ("iso 9001 2015, 120 m2 3 rooms", "iso 9001 2015, 120 m2 3 rooms"),
    ],
)
def test_personal_data_is_masked_and_prices_and_dates_are_not(text, masked):
    assert mask(text)[0] == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("+62 812\u20113456\u20117890", "[phone]"),
        ("4111\u00a01111\u202f1111\u00a01111", "[card]"),
        ("DE89\u00a03704 0044 0532 0130 00", "[number]"),
        ("+62812\u200b3456\u200b7890", "[phone]"),
        ("62 812-3456-7890", "[phone]"),
        ("budi\uff20mail.com, budi%40mail.com, b&#64;mail.com", "[e-mail], [e-mail], [e-mail]"),
        ("0.000123456789", "0.000123456789"),
        ("3\u20135 days\u00a0", "3\u20135 days\u00a0"),
    ],
)
def test_signs_that_look_like_others_hide_nothing_and_stay_where_nothing_is_masked(text, masked):
    assert mask(text)[0] == masked


def test_wordings_of_one_question_are_merged_and_numbers_and_order_count():
    questions = merge_wordings(
        {"3 bedrooms": 5, "2 bedrooms": 4, "Medan to Binjai": 3, "binjai to medan": 2, "medan-to-BINJAI!": 1, "": 1}
    )
    assert [(question.text, question.asked) for question in questions] == [
        ("3 bedrooms", 5),
        ("2 bedrooms", 4),
        ("Medan to Binjai", 4),
        ("binjai to medan", 2),
        ("", 1),
    ]


@pytest.mark.parametrize(
    "rare, common, merged",
    [
        ("apartmnet", "apartment", True),  # two letters changed places
        ("aparment", "apartment", True),
        ("cork", "york", False),  # another first letter, and too short
        ("murmur", "mormon", False),  # two letters
    ],
)
def test_a_rare_misspelling_is_the_common_word(rare, common, merged):
    assert (len(merge_wordings({common: 50, rare: 5})) == 1) == merged
    assert len(merge_wordings({common: 49, rare: 5})) == 2  # not ten times as common


def test_questions_are_drawn_with_the_chance_that_is_named():
    counts = [60, 20, 10, 5, 3, 2]
    drawn = Counter()
    chances = {}
    for seed in range(2_000):
        places = draw_by_weight(counts, 3, Random(seed))
        assert len(places) == 3
        drawn.update(place for place, _ in places)
        chances |= dict(places)
    # 60 of 100 is more than a third, and 20 of the other 40 is a half: both are certain.  One of the others is drawn.
    assert chances == pytest.approx({0: 1, 1: 1, 2: 0.5, 3: 0.25, 4: 0.15, 5: 0.1})
    assert all(drawn[place] / 2_000 == pytest.approx(chance, abs=0.05) for place, chance in chances.items())


def test_a_list_of_questions_with_counts(tmp_path):
    path = table(
        tmp_path / "top.csv", 'Top queries,Searches\nhouse,"1,200"\nHOUSE?,300\nflat,0\n,7\nmail a@b.example,5\n'
    )
    questions = generate_from_log(path, 5)
    assert asked(questions) == {"house": 1500, "mail [e-mail]": 5}
    assert (questions.searches, questions.wordings, questions.distinct) == (1505, 3, 2)
    assert questions.masked == {"e-mail": 1}
    assert questions.left_out == {"searches without a question": 7, "rows whose count is not a number from 1": 1}
    assert questions.how == "query: Top queries, count: Searches"


def test_a_log_of_events_counts_searches_and_not_clicks(tmp_path):
    events = [
        {"user": f"u{user}", "time": 1000 * user + step, "action": action, "query": query, "search": f"{user}-{query}"}
        for user in range(4)
        for query in ("house", "flat")[: 1 + user % 2]
        for step, action in enumerate(("search", "click", "click"))
    ]
    path = table(tmp_path / "log.jsonl", "\n".join([*map(json.dumps, events), "{half"]))
    questions = generate_from_log(path, 5)
    assert asked(questions) == {"house": 4, "flat": 2}
    assert sum(questions.left_out.values()) == 1


@pytest.mark.parametrize("action", [{}, {"action": "search"}])
@pytest.mark.parametrize("columns", [{}, {"user": "user", "time": "time"}])
def test_bots_and_repeated_rows_are_left_out_whether_or_not_a_column_says_what_happened(tmp_path, action, columns):
    rows = [{"user": f"u{number}", "time": 1e9 + 60 * number, "query": "house"} for number in range(5)]
    rows += [rows[0]] * 3
    rows += [{"user": "bot", "time": 1e9 + number, "query": "spam"} for number in range(600)]
    path = table(tmp_path / "log.jsonl", "\n".join(json.dumps(row | action) for row in rows))
    questions = generate_from_log(path, 5, columns=columns)
    assert asked(questions) == {"house": 5}
    assert questions.left_out == {
        "repeated rows": 3,
        "searches of users with more of them in a day than a person makes": 600,
    }


def test_a_table_of_counts_with_a_time_stays_a_list_unless_its_user_is_named(tmp_path):
    path = table(tmp_path / "a.csv", "query,count,user,time\nhouse,7,u1,2026-05-01\nflat,2,u2,2026-05-01\n")
    assert asked(generate_from_log(path, 5)) == {"house": 7, "flat": 2}
    assert asked(generate_from_log(path, 5, columns={"user": "user"})) == {"house": 1, "flat": 1}


def test_a_user_without_a_time_is_an_error_that_names_the_time(tmp_path):
    path = table(tmp_path / "a.csv", "query,who\nhouse,u1\n")
    with pytest.raises(InputError, match="no field holds the time of an event; name it: --column time=FIELD"):
        generate_from_log(path, 5, columns={"user": "who"})


def test_ubi_queries_need_no_options(tmp_path):
    rows = [
        {"timestamp": f"2026-11-0{day}T10:00:00Z", "query_id": f"q{day}", "client_id": f"c{day}", "user_query": "kos"}
        | {"query_response_id": f"r{day}", "query_response_hit_ids": ["a"]}
        for day in range(1, 5)
    ]
    path = table(tmp_path / "ubi.ndjson", "\n".join(map(json.dumps, rows)))
    assert is_log(path)
    assert asked(generate_from_log(path, 5)) == {"kos": 4}


def test_a_log_is_told_from_records_by_its_column_of_questions(tmp_path):
    assert is_log(table(tmp_path / "a.csv", "user_query,n\nhouse,3\n"))
    assert not is_log(table(tmp_path / "b.csv", "id,keywords,price\n1,house,3\n"))
    assert not is_log(tmp_path)
    assert not is_log(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="no column holds what people asked"):
        generate_from_log(tmp_path / "b.csv", columns={"query": ""})
    with pytest.raises(SpecError, match="did you mean price"):
        generate_from_log(tmp_path / "b.csv", columns={"query": "prise"})
    with pytest.raises(SpecError, match="no such role"):
        generate_from_log(tmp_path / "a.csv", columns={"shelf": "n"})
    assert asked(generate_from_log(tmp_path / "b.csv", columns={"query": "keywords"})) == {"house": 1}


def test_a_log_without_a_usable_question_is_an_error_with_the_reasons(tmp_path):
    path = table(tmp_path / "a.csv", "query\n??\n" + "x" * 1_001)
    with pytest.raises(InputError, match=r"1 questions without a letter or digit; 1 questions over 1,000 characters"):
        generate_from_log(path)
    with pytest.raises(SpecError, match="at least 1"):
        generate_from_log(path, 0)


def test_equal_seeds_draw_equal_questions_and_the_folder_is_a_data_set(tmp_path):
    path = table(tmp_path / "a.csv", "query\n" + "\n".join(f"q {number % 40}" for number in range(100)))
    generate_from_log(path, 10, seed=3).save(tmp_path / "first")
    again = generate_from_log(path, 10, seed=3)
    again.save(tmp_path / "second")
    first, second = ((tmp_path / name / "questions.jsonl").read_bytes() for name in ("first", "second"))
    assert first == second
    assert [item.query for item in neraca.read_dataset(tmp_path / "first")] == [item.query for item in again.dataset]
    assert asked(generate_from_log(path, 10, seed=4)) != asked(again)
    with pytest.raises(InputError, match="there are questions already"):
        again.save(tmp_path / "first")


def test_conversations_of_a_run_stay_whole(tmp_path):
    items = tuple(
        neraca.Item(id=f"{session}{turn}", query=f"turn {turn} of a@b.example", session=session, relevant={"d": 1.0})
        for session in "abcdefgh"
        for turn in range(3)
    )
    neraca.ask(Dataset(items), lambda query: {"text": "yes"}, tmp_path / "run")
    assert is_run(tmp_path / "run")
    questions = generate_from_log(tmp_path / "run", 6, seed=1)
    by_session = Counter(item.session for item in questions.dataset)
    assert list(by_session.values()) == [3, 3]
    item = questions.dataset.items[1]
    assert (item.query, item.relevant, item.tags["source"]) == ("turn 1 of [e-mail]", {"d": 1.0}, "run")
    assert (item.extra["chance"], questions.masked) == (0.25, {"e-mail": 24})


def test_generated_questions_of_a_run_stay_generated_and_are_called_so(tmp_path):
    made = {"generated": "records", "source": "homes.csv"}
    items = (
        neraca.Item(id="a", query="a house", tags=made, relevant={"d": 1.0}),
        neraca.Item(id="b", query="a flat", relevant={"d": 1.0}),
    )
    neraca.ask(Dataset(items), lambda query: {"text": "yes"}, tmp_path / "run")
    questions = generate_from_log(tmp_path / "run", 2)
    assert [item.tags for item in questions.dataset] == [made, {"source": "run"}]
    text = " ".join(summary(questions))
    assert text.startswith("2 questions drawn from the 2 of the run run; ")
    assert "1 of 2 questions are generated questions: " in text
    assert "people asked" not in text


def test_variants_are_drawn_together_with_their_questions(tmp_path):
    items = [neraca.Item(id=f"q{n}", query=f"house number {n}", relevant={"d": 1.0}) for n in range(8)]
    items += [
        neraca.Item(id=f"{s}{n}", query=f"another house {s}{n}", session=s, relevant={"d": 1.0})
        for s in "stuv"
        for n in range(2)
    ]
    varied = neraca.add_variants(Dataset(tuple(items)), "typo", language="en").dataset
    neraca.ask(varied, lambda query: {"text": "yes"}, tmp_path / "run")
    for seed in range(5):
        drawn = generate_from_log(tmp_path / "run", 8, seed=seed).dataset
        variants = {}
        for item in drawn:
            variants.setdefault(item.tags["variant_of"], set()).add(item.tags["variant"])
        assert variants
        assert all(names == {"original", "typo"} for names in variants.values())


@pytest.mark.parametrize("word", ["x", "x.", "7", "7 ", "a@"])
def test_long_texts_are_masked_in_linear_time(word):
    text = word * 200_000  # in quadratic time this would take an hour
    assert len(mask(text)[0]) > 1000
