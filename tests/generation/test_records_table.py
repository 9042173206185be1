"""Which columns of a table questions can ask about, and how their values are read."""

import polars as pl
import pytest

import neraca
from neraca.errors import InputError, SpecError
from neraca.generation.distances import EDGE
from neraca.generation.records_table import read_records
from neraca.judges.rules.geo import haversine

HOMES = [
    {"id": f"h{n}", "type": kind, "city": city, "price": price, "rooms": rooms, "garden": garden, "parts": parts}
    for n, (kind, city, price, rooms, garden, parts) in enumerate(
        [
            ("house", "Leeds", "£250,000", 3, "yes", ["garage", "pool"]),
            ("flat", "Leeds", "£95,000", 1, "no", ["lift"]),
            ("house", "York", "£420,000", 5, "yes", ["garage"]),
            ("flat", "York", None, 2, "", []),
        ]
    )
]


def records(rows=HOMES, language="en", **columns):
    return read_records(rows, language, columns)


def test_each_kind_of_column_is_recognised():
    fields = {field.name: (field.kind, field.role) for field in records().fields}
    assert fields == {
        "type": ("category", "noun"),
        "city": ("category", "place"),
        "price": ("number", ""),
        "rooms": ("count", ""),
        "garden": ("flag", ""),
        "parts": ("words", ""),
    }


def test_values_are_read_and_what_cannot_be_read_is_counted():
    by_name = {field.name: field for field in records().fields}
    assert by_name["price"].values == [250_000, 95_000, 420_000, None]
    assert by_name["garden"].values == [True, False, True, None]
    assert by_name["parts"].values == [("garage", "pool"), ("lift",), ("garage",), None]
    assert {name: field.missing for name, field in by_name.items()} == {
        "type": 0,
        "city": 0,
        "price": 1,
        "rooms": 0,
        "garden": 1,
        "parts": 1,
    }


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["007", "012", "007", "033"], "its numbers begin with 0"),
        (["a", "b", "c", "d"], "most of its values occur once"),
        ([1, 1, 1, 1], "all records have the same value"),
        (["x", "x", "x", "x"], "all records have the same value"),
        ([None, "", " ", []], "no record has a value"),
        (["long text " * 9, "b", "b", "b"], "its texts are long"),
        ([float("nan")] * 4, "no record has a value"),
    ],
)
def test_a_column_that_cannot_be_asked_about_has_its_reason(values, reason):
    rows = [{**home, "other": value} for home, value in zip(HOMES, values, strict=True)]
    assert reason in records(rows).unused["other"]


def test_a_column_of_other_words_than_numbers_is_not_read_as_numbers():
    rows = [{**home, "price": price} for home, price in zip(HOMES, ["12", "ask us", "ask us", "9"], strict=True)]
    assert {field.name: field.kind for field in records(rows).fields}["price"] == "category"


def test_the_user_names_and_leaves_out_columns():
    table = records(noun="type", garden="")
    assert {field.name: field.role for field in table.fields}["type"] == "noun"
    assert table.unused["garden"] == "left out as you said"
    assert not table.numbered
    assert records([{k: v for k, v in home.items() if k != "id"} for home in HOMES]).numbered


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([], {}, "no records"),
        (HOMES, {"noun": "kind"}, "no column 'kind' (found: id, type, city"),
        (HOMES, {"verb": "type"}, "--column verb=type: no such role"),
        ([*HOMES, HOMES[0]], {}, "'h0' is also the id of row 1"),
        ([{**HOMES[0], "id": " "}], {}, "row 1, column id: a record has no id"),
        ([{"id": "a", "title": "x"}, {"id": "b", "title": "y"}], {}, "no column can be asked about (title: most"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(rows, columns, message):
    with pytest.raises(InputError) as error:
        records(rows, **columns)
    assert message in str(error.value)


def test_the_language_is_found_in_the_texts_or_must_be_named():
    with pytest.raises(SpecError, match="say it with --language"):
        records(language="")
    with pytest.raises(SpecError, match="no questions are written in 'fr'; use one of en"):
        records(language="fr")
    spanish = "La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."
    found = records([{**home, "note": spanish} for home in HOMES], language="")
    assert (found.language, found.detected[:13]) == ("es", "Spanish (es):")


ARABIC = [
    {"id": f"villa-number-{n}", "sku": f"abc{n}", "النوع": ("فيلا", "شقة")[n % 2], "السعر": 100 + n}
    | {"المدينة": ("الرياض", "دبي", "القاهرة")[n % 3]}
    for n in range(60)
]


def test_ids_and_codes_play_no_part_in_finding_the_language():
    table = records(ARABIC, language="")
    assert table.language == "ar"
    assert table.detected.startswith("Arabic (ar): ")
    spanish = "La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."
    rows = [{**home, "id": f"the house of and {home['id']}", "note": spanish} for home in HOMES]
    assert records(rows, language="").language == "es"


def test_other_languages_in_arabic_script_are_not_called_arabic():
    persian = [{**row, "المدينة": ("تهران بزرگ", "مشهد")[n % 2]} for n, row in enumerate(ARABIC)]
    with pytest.raises(SpecError, match="say it with --language"):
        records(persian, language="")


def test_numbers_in_text_are_read_in_the_language_of_the_table(tmp_path):
    pl.DataFrame({"id": ["a", "b"], "harga": ["Rp 1,2 M", "800 jt"]}).write_csv(tmp_path / "rumah.csv")
    (price,) = read_records(tmp_path / "rumah.csv", "Indonesian").fields
    assert price.values == [1.2e9, 8e8]


def test_a_part_inside_another_part_is_not_asked_for_and_spellings_are_one_value():
    parts = ["pool; garden", "pool table; garden", "no garden; lift", "lift, garage"]
    cities = ["York", "york ", "York", "Leeds"]
    rows = [{**home, "parts": part, "city": city} for home, part, city in zip(HOMES, parts, cities, strict=True)]
    by_name = {field.name: field for field in records(rows).fields}
    # "pool" is found in "pool table", and "garden" in "no garden"
    assert by_name["parts"].values == [None, ("pool table",), ("no garden", "lift"), ("lift", "garage")]
    assert by_name["city"].values == ["York", "York", "York", "Leeds"]


def test_cells_that_are_no_numbers_are_missing_among_numbers():
    prices = ["Rp 1,2 M", "800 jt", "hubungi kami", "NaN"]
    rows = [{**home, "price": price} for home, price in zip(HOMES, prices, strict=True)]
    (price,) = (field for field in records(rows, language="id").fields if field.name == "price")
    assert (price.kind, price.values, price.missing) == ("number", [1.2e9, 8e8, None, None], 2)


def test_a_column_of_ids_that_is_left_out_is_no_id():
    twice = [*HOMES, HOMES[0]]
    table = records(twice, id="")
    assert table.numbered
    assert [hit.id for hit in table.hits] == ["1", "2", "3", "4", "5"]


def test_a_role_needs_a_column_of_shared_texts():
    with pytest.raises(InputError, match="--column place=rooms needs a column of texts"):
        records(place="rooms")


def test_a_text_inside_another_is_not_asked_for_in_any_role():
    kinds = ["car", "sports car", "van", "car"]
    cities = ["Newcastle", "Newcastle upon Tyne", "Newcastle upon Tyne", "Leeds"]
    parts = [{"type": kind, "city": city} for kind, city in zip(kinds, cities, strict=True)]
    by_name = {field.name: field for field in records([{**h, **p} for h, p in zip(HOMES, parts, strict=True)]).fields}
    assert by_name["type"].values == [None, "sports car", "van", None]
    assert by_name["city"].values == [None, "Newcastle upon Tyne", "Newcastle upon Tyne", "Leeds"]
    assert by_name["type"].inside == {"car": "sports car"}
    assert by_name["city"].inside == {"Newcastle": "Newcastle upon Tyne"}
    # They have a value, so that a question for a van leaves some out.
    assert (by_name["type"].missing, by_name["city"].missing) == (0, 0)


def test_no_question_asks_for_a_text_inside_another():
    rows = [
        {"id": n, "type": ("car", "sports car")[n % 2], "city": ("Medan", "Medan Johor", "Binjai")[n % 3]}
        | {"lat": n / 1000 + n % 3 // 2, "lng": 0.5, "seats": n % 4}
        for n in range(40)
    ]
    questions = neraca.generate(rows, 60, language="en")
    said = {str(of.equals) for item in questions.dataset for of in item.constraints.values() if of.equals is not None}
    assert said == {"sports car", "Medan Johor", "Binjai"}
    near = [of.near for item in questions.dataset for of in item.constraints.values() if of.near]
    assert {circle.name for circle in near} == {"Medan Johor", "Binjai"}
    for circle in near:  # the records of Medan are not at the edge either
        distances = [haversine(circle.lat, circle.lng, row["lat"], row["lng"]) for row in rows]
        assert all(abs(distance - circle.radius_km) >= EDGE * circle.radius_km for distance in distances)


def test_cells_that_are_not_read_are_kept_for_the_card():
    prices = ["€1,250,000", "€950.000", "€ 450,000", "€ 150,000"]
    rows = [{**home, "price": price} for home, price in zip(HOMES, prices, strict=True)]
    (price,) = (field for field in records(rows).fields if field.name == "price")
    assert (price.values, price.unread) == ([1_250_000, None, 450_000, 150_000], ("€950.000",))
