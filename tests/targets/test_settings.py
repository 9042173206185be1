import base64

import pytest

from neraca.errors import SpecError
from neraca.targets.settings import Secrets
from neraca.targets.target import TARGETS, make_target, settings_of


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"kind": "http", "ulr": "x"}, "target 'http': no setting 'ulr'; did you mean url?"),
        ({"kind": "http", "name": "api", "url": 3}, "target 'api': url: expected `str`, got `int`"),
        ({"kind": "http"}, "target 'http': the setting 'url' is missing"),
        (
            {"kind": "http", "url": "http://x", "response": {"hit": {"scor": "a"}}},
            "no setting 'scor' in response.hit; did you mean score?",
        ),
        ({"kind": "http", "url": "http://x", "headers": {"A": 1}}, "headers[...]: expected `str`, got `int`"),
        ({"kind": "http", "url": "http://x", "stream": "see"}, "stream: invalid enum value 'see'"),
        ({"kind": "python", "function": "a:b", "zzz": 1}, "no setting 'zzz'; known: kind, name, stateful, function"),
        ({"kind": "replay", "file": "f", "columns": {"txt": "a"}}, "no setting 'txt' in columns; did you mean text?"),
        ({"kind": "command", "command": "x", "mode": "line"}, "mode: invalid enum value 'line'"),
        ({"kind": "htpp"}, "no target is called 'htpp'; did you mean http"),
        ({}, "a target needs a kind, one of: "),
    ],
)
def test_a_wrong_setting_is_named(settings, told):
    with pytest.raises(SpecError) as raised:
        make_target(settings)
    assert told in str(raised.value)


def test_all_kinds_are_on_the_shelf():
    assert {"python", "http", "replay", "command"} <= set(TARGETS.names())


def test_words_of_the_command_line():
    assert settings_of("command:python bot.py") == {"kind": "command", "command": "python bot.py"}
    assert settings_of("replay:a.jsonl") == {"kind": "replay", "file": "a.jsonl"}
    assert settings_of("python:dir/bot.py:f") == {"kind": "python", "function": "dir/bot.py:f"}
    with pytest.raises(SpecError, match="cannot read target 'shop'"):
        settings_of("shop")


def test_a_secret_is_hidden_in_every_form(monkeypatch):
    monkeypatch.setenv("NERACA_KEY", 'pa"ss/w ord')
    secrets = Secrets()
    value = secrets.fill("${NERACA_KEY}", "headers")
    coded = base64.b64encode(value.encode()).decode()
    for form in (value, "pa%22ss%2Fw%20ord", "pa%22ss%2Fw+ord", "pa%22ss/w%20ord", r"pa\"ss/w ord", coded):
        assert secrets.hide(f"<{form}>").replace("=", "") == "<${NERACA_KEY}>"


def test_a_value_too_short_to_be_a_secret_leaves_messages_readable(monkeypatch):
    monkeypatch.setenv("NERACA_PORT", "80")
    secrets = Secrets()
    secrets.value("NERACA_PORT", "url")
    assert secrets.hide("80 questions") == "80 questions"
