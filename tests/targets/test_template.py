from urllib.parse import quote

import pytest

from neraca.errors import SpecError, TargetError
from neraca.records import Item
from neraca.targets.settings import Secrets
from neraca.targets.target import Conversation
from neraca.targets.template import Template

PAST = [{"query": "halo", "text": "Halo!"}, {"query": "2 kamar?", "text": "Ada."}]
CHAT = [
    {"role": "user", "content": "halo"},
    {"role": "assistant", "content": "Halo!"},
    {"role": "user", "content": "2 kamar?"},
    {"role": "assistant", "content": "Ada."},
    {"role": "user", "content": 'rumah "murah" di Medan?'},
]


def fill(tree, item, talk, **more):
    return Template(tree, "body", Secrets(), **more).fill(item, talk)


def test_every_placeholder(item, talk):
    tree = {
        "q": "{query}",
        "s": "{session}",
        "t": "{trial}",
        "h": "{history}",
        "i": "{item.id}/{item.session}",
        "b": "{item.extra.budget}",
        "k": "{item.tags.kind}",
        "deep": [{"fixed": 1, "x": ["{ trial }"]}, None, True],
    }
    assert fill(tree, item, talk) == {
        "q": 'rumah "murah" di Medan?',
        "s": "c-7",
        "t": 2,
        "h": PAST,
        "i": "q1/s",
        "b": 500,
        "k": "price",
        "deep": [{"fixed": 1, "x": [2]}, None, True],
    }


def test_the_order_of_keys_stays(item, talk):
    assert list(fill({"z": "{query}", "a": 1, "m": "{trial}", "b": 2}, item, talk)) == ["z", "a", "m", "b"]


def test_messages_stand_among_others_or_alone(item, talk):
    system = {"role": "system", "content": "Be {{kind}}."}
    assert fill([system, "{messages}"], item, talk) == [{"role": "system", "content": "Be {kind}."}, *CHAT]
    assert fill({"messages": "{messages}"}, item, talk) == {"messages": CHAT}
    assert fill([["{history}"], "history", "{{messages}}"], item, talk) == [PAST, "history", "{messages}"]


def test_contents_are_geminis(item, talk):
    filled = fill("{contents}", item, talk)
    assert [part["role"] for part in filled] == ["user", "model", "user", "model", "user"]
    assert filled[-1] == {"role": "user", "parts": [{"text": item.query}]}


def test_inside_text_a_list_is_json_and_null_is_nothing(item, talk):
    assert fill("past={history}; x={item.session}", Item(id="1", query="?"), Conversation(id="c")) == "past=[]; x="
    assert fill("{{{trial}}}", item, talk) == "{2}"


def test_escaped_text_is_always_text(item, talk):
    assert fill("/s/{query}/{trial}", item, talk, escape=lambda text: quote(text, safe="")) == (
        "/s/rumah%20%22murah%22%20di%20Medan%3F/2"
    )
    assert fill("{trial}", item, talk, escape=str) == "2"


def test_a_question_with_braces_is_not_a_template(talk):
    assert fill("Q: {query}", Item(id="1", query="{session} ${HOME} }}"), talk) == "Q: {session} ${HOME} }}"


@pytest.mark.parametrize(
    "text, told",
    [
        ("{qery}", "body: no placeholder {qery}; did you mean query?"),
        ("{item.references}", "body: no placeholder {item.references}"),
        ("a { b", r"body: a lone '{' in 'a { b'; write {{ for the brace itself"),
        ("a } b", "a lone '}'"),
        ("${NERACA_NOT_SET}", "body: the environment variable NERACA_NOT_SET is not set"),
    ],
)
def test_mistakes_are_told(text, told):
    with pytest.raises(SpecError) as raised:
        Template({"x": [text]}, "body", Secrets())
    assert told in str(raised.value)


def test_a_column_that_an_item_lacks(item, talk):
    with pytest.raises(TargetError, match=r"item 'q1' has no extra column 'price' \(it has: budget\)") as raised:
        fill("{item.extra.price}", item, talk)
    assert raised.value.refused


def test_environment_and_what_is_used(item, talk, monkeypatch):
    monkeypatch.setenv("NERACA_KEY", " se{query}cret\n")
    template = Template({"a": "Bearer ${NERACA_KEY}", "b": "{item.extra.budget} {trial}"}, "headers", Secrets())
    assert template.fill(item, talk)["a"] == "Bearer se{query}cret"
    assert template.uses == {"item.extra.budget", "trial"}
