"""Profiles: what they fill in, and that a saved one says the same when it is read."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.targets.browser.profile import filled, names, save
from neraca.targets.browser.reply import Ways
from neraca.targets.browser.settings import BrowserSettings

PAGE = BrowserSettings(kind="browser", url="http://127.0.0.1/")


def with_profile(profile: str | Path, **settings: object) -> BrowserSettings:
    return msgspec.structs.replace(PAGE, profile=str(profile), **settings)


def test_without_a_profile_settings_stay_as_they_are() -> None:
    assert filled(PAGE) is PAGE


def test_the_front_ends_of_the_package_can_all_be_read() -> None:
    assert names() == ["chainlit", "gradio", "open-webui", "streamlit"]
    for name in names():
        assert filled(with_profile(name)) != with_profile(name), f"{name} says something"


def test_a_profile_speaks_where_the_settings_say_nothing(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text('input = "#ask"\nsubmit = "#go"\nlinks = false\nclick = ["#ok"]\nviewport = "390x844"\n')
    found = filled(with_profile(file, submit="#mine"))
    assert (found.input, found.submit, found.links, found.click) == ("#ask", "#mine", False, ["#ok"])
    assert found.viewport == "390x844"
    assert found.url == PAGE.url


@pytest.mark.parametrize(
    "text, told",
    [
        ("input = ", "is not TOML"),
        ('imput = "#a"', "no setting 'imput'; did you mean input"),
        ("links = 3", "links: expected `bool`, got `int`"),
        ('url = "http://elsewhere/"', "'url' is a setting of the target, not of a profile"),
        ('profile = "gradio"', "'profile' is a setting of the target"),
    ],
)
def test_a_wrong_profile_is_named_with_its_mistake(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(text)
    with pytest.raises(SpecError) as caught:
        filled(with_profile(file))
    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_profile_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SpecError, match=r"no profile is called 'gradoi'; did you mean gradio\?, or name a TOML file"):
        filled(with_profile("gradoi"))
    with pytest.raises(SpecError, match=r"profile 'no/such.toml' cannot be read: .*No such file"):
        filled(with_profile("no/such.toml"))


def test_a_saved_profile_holds_what_was_found_and_set_and_no_secrets(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(
        PAGE,
        url="http://ana:hush@127.0.0.1/chat?key=hush",
        submit="#mine",
        ignore=".time",
        links=False,
        click=["#ok", "#chat"],
        headers={"Authorization": "hush"},
        basic_auth="ana:hush",
    )
    ways = Ways(input="#ask", submit="#other", response=".bot", frame="http://127.0.0.1/frame?key=hush")
    save(tmp_path / "shop.toml", settings, ways)
    text = (tmp_path / "shop.toml").read_text()
    assert "hush" not in text
    assert 'The chat is in the frame "http://127.0.0.1/frame"' in text
    assert "# Where the question is typed.\ninput =" in text
    assert '# busy = ""' in text, "what is not set is there to be filled in"
    found = filled(with_profile(tmp_path / "shop.toml"))
    assert (found.input, found.submit, found.response) == ("#ask", "#mine", ".bot")
    assert (found.ignore, found.links, found.click) == (".time", False, ["#ok", "#chat"])


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_selector_survives_being_saved(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shop.toml"
        save(file, msgspec.structs.replace(PAGE, ignore=text, click=[text]), Ways(input=text, frame=text))
        table = tomllib.loads(file.read_bytes().decode())
        assert (table.get("ignore", ""), table["click"], table.get("input", "")) == (text, [text], text)
