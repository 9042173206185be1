import pytest

from neraca.errors import SpecError, TargetError
from neraca.targets.jsonpath import ABSENT, JsonPath

REPLY = {
    "choices": [{"message": {"content": "hi"}}],
    "a.b": {"c": None},
    "rows": [{"doc": 1}, {"x": 2}, {"doc": 3}],
    "n": {"0": "zero"},
}


@pytest.mark.parametrize(
    "path, found",
    [
        ("choices.0.message.content", "hi"),
        ("choices[0].message.content", "hi"),
        ("$.choices[-1]['message'].content", "hi"),
        ('["a.b"].c', None),
        ("rows[*].doc", [1, 3]),
        ("rows.*.doc", [1, 3]),
        ("rows[*]", REPLY["rows"]),
        ("$", REPLY),
        ("n.0", "zero"),
        ("rows.3", ABSENT),
        ("rows.doc", ABSENT),
        ("rows[*].nothing", ABSENT),
        ("choices.0.message.content.more", ABSENT),
    ],
)
def test_a_path_finds_what_is_there(path, found):
    assert JsonPath(path).get(REPLY) == found


def test_no_members_is_an_empty_list_and_not_absent():
    assert JsonPath("rows[*].doc").get({"rows": []}) == []


def test_members_of_lists_in_a_list_become_one_list():
    assert JsonPath("o[*].c[*].t").get({"o": [{"c": [{"t": 1}, {}]}, {}, {"c": []}, {"c": [{"t": 2}]}]}) == [1, 2]


@pytest.mark.parametrize(
    "path, told",
    [
        ("choices.0.mesage", "nothing at choices.0.mesage: choices.0 has no 'mesage' (it has: message (content))"),
        ("choices.4", "nothing at choices.4: choices has no '4' (it is a list of 1)"),
        ("rows[*].nothing", "no member of the list at rows has 'nothing' (it has: doc)"),
        ("a.b", "the reply has no 'a' (it has: choices, a.b (c), rows, n (0))"),
        ('["a.b"].c.d', "a.b.c has no 'd' (it is null)"),
        ("n[*]", "n has no list (it has: 0)"),
    ],
)
def test_a_wrong_path_says_where_it_ends_and_what_is_there(path, told):
    with pytest.raises(TargetError) as raised:
        JsonPath(path).need(REPLY)
    assert told in str(raised.value)
    assert not raised.value.again


def test_a_path_that_cannot_be_read():
    with pytest.raises(SpecError, match=r"response.text: cannot read the path 'a\[b\]'"):
        JsonPath("a[b]", "response.text")


def test_a_question_mark_makes_it_optional():
    assert JsonPath("a.b?").optional
    assert JsonPath("a.b?").get({"a": {"b": 1}}) == 1
    assert not JsonPath("a.b").optional
    assert repr(JsonPath("a.b?")) == "JsonPath('a.b?')"
