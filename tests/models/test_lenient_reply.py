"""Replies that are clear though written otherwise are read; those that may mean two things are not."""

import msgspec
import pytest

from neraca.models.reply_schema import ReplySchema, Unfit


class Flags(msgspec.Struct, forbid_unknown_fields=True):
    x1: bool | msgspec.UnsetType = msgspec.UNSET
    x2: bool | msgspec.UnsetType = msgspec.UNSET


class Row(msgspec.Struct, forbid_unknown_fields=True):
    supported_by: Flags | msgspec.UnsetType = msgspec.UNSET
    grade: int | msgspec.UnsetType = msgspec.UNSET


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    c1: Row | msgspec.UnsetType = msgspec.UNSET
    c2: Row | msgspec.UnsetType = msgspec.UNSET


TEXTS = {"x1": "A lift was  built in 2019.", "x2": "Cats are welcome."}


def read(kind, text, texts=TEXTS):
    return ReplySchema(kind).read(text, lambda value: "", texts)


@pytest.mark.parametrize(
    "text",
    [
        '{"x1": true, "x2": false}',
        'Here you are:\n```json\n{"x1": true, "x2": false}\n```\nI hope {this} helps.',
        '{"X1": "yes", " x2 ": "No"}',
        '["x1"]',
        '"x1" is right: ["x1"]',
        '["a lift was built in 2019."]',
        '{"A lift was built in 2019.": true, "Cats are welcome.": false}',
        '[{"id": "x1", "useful": true}, {"id": "x2", "useful": false}]',
        '[{"x1": 1, "x2": 0}]',
        '{"x1": true, "x2": false, "x9": false}',
        '{"x1": true, "x1": true, "x2": false}',
        '{"x1": true, "x2": false} {"x1": true, "x2": false}',
    ],
)
def test_what_is_clear_is_read(text):
    assert read(Flags, text) == Flags(True, False)


@pytest.mark.parametrize(
    "text",
    [
        "I do not know {",
        '{"x1": true, "x2": fal',
        '{"x1": true, "x9": true}',
        '["x9"]',
        '{"x1": true, "x2": false} {"x1": false, "x2": false}',
        '[{"x1": true}, {"x2": true}]',
        '{"quite": "different"}',
        "{}",
        "[" * 100_000,
        "[1, 2]",
    ],
)
def test_what_is_not_is_refused(text):
    with pytest.raises(Unfit) as raised:
        read(Flags, text)
    assert raised.value.again
    assert "quite" not in raised.value.remedy


def test_a_value_that_is_not_clear_is_left_out_and_the_others_are_kept():
    assert read(Flags, '{"x1": true, "x2": "perhaps"}') == Flags(x1=True)
    assert read(Flags, '{"x1": true, "x1": false, "x2": true}') == Flags(x2=True)


def test_a_text_that_two_ids_have_names_neither():
    same = {"x1": "Cats are welcome.", "x2": "Cats are welcome."}
    with pytest.raises(Unfit):
        read(Flags, '["Cats are welcome."]', same)


def test_objects_within_objects_are_read_alike():
    text = '{"statements": [{"id": "c1", "supported_by": ["x2"], "grade": "4"}, {"id": "c2", "supported_by": []}]}'
    assert read(Whole, text) == Whole(Row(Flags(False, True), 4), Row(Flags(False, False)))
    assert read(Whole, '{"c1": {"supported_by": ["x9"], "grade": 3.0, "more": 1}}') == Whole(Row(grade=3))


def test_what_was_kept_is_read_as_it_was_written():
    assert read(Flags, b'{"x1":true}') == Flags(x1=True)
    with pytest.raises(Unfit):
        read(Flags, b'["x1"]')
