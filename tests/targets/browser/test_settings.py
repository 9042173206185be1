"""Settings of a browser target: checked before anything starts, and turned into what Playwright takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neraca.errors import SpecError
from neraca.runs.hidden_secrets import hide_secrets
from neraca.targets.browser import context
from neraca.targets.browser.context import prepare
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.target import make_target, settings_of

URL = "http://127.0.0.1:8000/chat"


def options(url: str = URL, **settings: Any) -> dict[str, Any]:
    return prepare(BrowserSettings(kind="browser", url=url, **settings)).options


def test_a_word_of_the_command_line_names_a_page() -> None:
    assert settings_of(f"browser:{URL}") == {"kind": "browser", "url": URL}


def test_without_settings_only_the_size_of_the_page_is_set() -> None:
    assert options() == {"viewport": {"width": 1280, "height": 900}}


def test_every_setting_of_a_visitor_becomes_an_option(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text('{"cookies": [], "origins": []}')
    assert options(
        viewport="390x844",
        headers={"X-Tenant": "a b"},
        basic_auth="ana:pa:ss",
        user_agent="Neraca",
        locale="pt_BR",
        timezone="America/Lima",
        proxy="http://me:w%40rd@[::1]:3128",
        storage_state=str(state),
    ) == {
        "viewport": {"width": 390, "height": 844},
        "extra_http_headers": {"X-Tenant": "a b"},
        "http_credentials": {"username": "ana", "password": "pa:ss", "origin": "http://127.0.0.1:8000"},
        "user_agent": "Neraca",
        "locale": "pt-BR",
        "timezone_id": "America/Lima",
        "proxy": {"server": "http://[::1]:3128", "username": "me", "password": "w@rd"},
        "storage_state": {"cookies": [], "origins": []},
    }
    assert options(proxy="proxy.example:3128")["proxy"] == {"server": "http://proxy.example:3128"}
    assert options(proxy="socks5://proxy.example")["proxy"] == {"server": "socks5://proxy.example"}
    assert "origin" not in options("file:///srv/page.html", basic_auth="a:b")["http_credentials"]


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"url": "example.org/chat"}, "'example.org/chat' is not the address of a page"),
        ({"url": "ftp://example.org/"}, "is not the address of a page"),
        ({"url": "http://"}, "is not the address of a page"),
        ({"url": "http://example.org:99999/"}, "is not the address of a page"),
        ({"viewport": "1280*900"}, "viewport '1280*900' is not WIDTHxHEIGHT"),
        ({"viewport": "0x900"}, "viewport '0x900' is not WIDTHxHEIGHT"),
        ({"headers": {"X Y": "1"}}, "headers.X Y: not a valid HTTP header"),
        ({"headers": {"X": "hush\nSet-Cookie: a"}}, "headers.X: not a valid HTTP header"),
        ({"basic_auth": "hush"}, "basic_auth is not NAME:PASSWORD"),
        ({"locale": "español!"}, "locale 'español!' is not a language"),
        ({"timezone": "Europe/Madird"}, "timezone 'Europe/Madird' is not known; did you mean Europe/Madrid"),
        ({"proxy": "gopher://x"}, "proxy 'gopher://x' is not an address"),
        ({"proxy": "http://me:hush@[::1"}, "is not an address"),
        ({"proxy": "socks5://me:hush@x:1"}, "browsers cannot log in at a SOCKS proxy"),
        ({"open_timeout": 0}, "open_timeout must be above 0"),
        ({"storage_state": "no-such-file.json"}, "storage_state 'no-such-file.json': No such file"),
        ({"url": "http://h/?k=${NERACA_NOT_SET}"}, "url: the environment variable NERACA_NOT_SET is not set"),
        ({"headers": {"X": "${NERACA_NOT_SET}"}}, "headers.X: the environment variable NERACA_NOT_SET is not set"),
    ],
)
def test_a_wrong_setting_of_a_browser_is_named_and_no_secret_shown(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError) as caught:
        prepare(BrowserSettings(**{"kind": "browser", "name": "shop", "url": URL} | settings))
    assert str(caught.value).startswith("target 'shop': ")
    assert told in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "content, told",
    [
        ("{not json", "is not JSON"),
        ("[]", "holds no cookies"),
        ("{}", "holds no cookies"),
        ('{"cookies": 1}', "no cook"),
    ],
)
def test_a_state_that_is_none_names_the_command_that_writes_one(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "state.json").write_text(content)
    with pytest.raises(SpecError, match=told) as caught:
        options(storage_state=str(tmp_path / "state.json"))
    assert "neraca browser --login" in str(caught.value)


def test_secrets_come_from_the_environment_and_stay_out_of_messages_and_manifests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NERACA_TEST_KEY", "very-secret")
    given = {
        "url": "http://ana:pass@h/?key=${NERACA_TEST_KEY}",
        "headers": {"X-Key": "Bearer ${NERACA_TEST_KEY}"},
        "basic_auth": "ana:${NERACA_TEST_KEY}",
        "proxy": "http://me:${NERACA_TEST_KEY}@p:1",
    }
    prepared = prepare(BrowserSettings(kind="browser", **given))
    assert prepared.settings.url == "http://ana:pass@h/?key=very-secret"
    assert prepared.options["extra_http_headers"] == {"X-Key": "Bearer very-secret"}
    assert prepared.options["http_credentials"]["password"] == "very-secret"
    assert prepared.options["http_credentials"]["origin"] == "http://h"
    assert prepared.options["proxy"]["password"] == "very-secret"
    assert prepared.hide(f"no route to {prepared.settings.url}") == "no route to http://h/?key=${NERACA_TEST_KEY}"
    literal = {
        "basic_auth": "ana:hush",
        "proxy": "http://me:hush@p:1",
        "url": "http://me:hush@h/",
        "storage_state": "f",
    }
    assert "hush" not in json.dumps(hide_secrets(literal | {"headers": {"Authorization": "Bearer hush"}}))


def test_where_the_machine_knows_no_time_zones_the_browser_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context.zoneinfo, "available_timezones", set)
    assert options(timezone="Europe/Madird")["timezone_id"] == "Europe/Madird"


def test_an_unknown_setting_of_a_browser_is_named() -> None:
    with pytest.raises(SpecError, match=r"no setting 'sumbit'; did you mean submit"):
        make_target({"kind": "browser", "url": URL, "sumbit": "#go"})
