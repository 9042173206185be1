"""Profiles: TOML files of settings for one chat front end.  Some come with Neraca, others are written by hand."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, SpecError
from neraca.files import write_atomic
from neraca.nearest import nearest
from neraca.settings import read_settings
from neraca.targets.browser.reply import Ways
from neraca.targets.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.async_api import Frame

_TARGET_SETTINGS = frozenset({"kind", "name", "stateful", "url", "profile"})
#: The settings that `save` writes, and the comment above each.
_COMMENTS = {
    "input": "Where the question is typed.",
    "submit": 'What to click to send it; "" if Enter sends it.',
    "response": "An answer; one in several bubbles has several matches.",
    "ignore": "Elements inside an answer that are not part of it.",
    "busy": "An element that is there only while an answer is being written, such as a stop button.",
    "ends": "The sign that ends an answer: stop, composed, moving, open, asking, told or sent.",
    "still": "Seconds without a change that end an answer if no sign does; 0: 15 s, and the answer is suspect.",
    "sources": "Each match in the newest answer is a source, and becomes a hit.",
    "click": "What to click, one after the other, when the page has opened.",
    "links": "Whether links keep their address, as Markdown.",
}


def names() -> list[str]:
    """Return the names of the profiles that come with Neraca."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def filled(settings: BrowserSettings) -> BrowserSettings:
    """Return the settings, filled in from their profile.

    The profile replaces every setting that has its default value.  It may hold any setting but `url` and those that
    name the target.

    Raise `SpecError` if there is no such profile, or it is not TOML, or it holds a setting that is unknown or wrong.
    """
    if not settings.profile:
        return settings
    who, text = _read_profile(settings.profile)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{who} is not TOML: {error}") from None
    for name in table:
        if name in _TARGET_SETTINGS:
            raise SpecError(f"{who}: {name!r} is a setting of the target, not of a profile")
    profile = read_settings(BrowserSettings, {"url": settings.url, **table}, who)
    unset = {
        field.encode_name: getattr(profile, field.encode_name)
        for field in msgspec.structs.fields(BrowserSettings)
        if field.encode_name in table and getattr(settings, field.encode_name) == _default(field)
    }
    return msgspec.structs.replace(settings, **unset)


async def known_sources(frame: Frame) -> str:
    """Return the `sources` of the profile whose `mark` is on this page; "" if there is none."""
    for name in names():
        table = tomllib.loads((_folder() / f"{name}.toml").read_text(encoding="utf-8"))
        if "mark" in table and await frame.locator(table["mark"]).count():
            return str(table.get("sources", ""))
    return ""


def _default(field: msgspec.structs.FieldInfo) -> object:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _folder() -> Path:
    return Path(str(files("neraca.targets.browser") / "profiles"))


def _read_profile(word: str) -> tuple[str, str]:
    """Return a profile's name for messages, and its text."""
    is_file = word.endswith(".toml") or Path(word).name != word
    path = Path(word).expanduser() if is_file else _folder() / f"{word}.toml"
    try:
        return f"profile {word!r}", read_text(path)
    except InputError as error:
        if is_file:
            raise SpecError(f"profile {word!r} cannot be read: {error}") from None
        raise SpecError(f"no profile is called {word!r}; {nearest(word, names())}, or name a TOML file") from None


def save(path: Path, settings: BrowserSettings, ways: Ways) -> None:
    """Write a profile that can be checked in and edited; `filled` reads it.

    Parameters
    ----------
    path
        The file.  An older one is replaced, whole or not at all.
    settings
        The settings used; only settings that describe the page are written, no headers and passwords.
    ways
        The elements that were found; they stand in for selectors that are not set.
    """
    selectors = {"input": ways.input, "submit": ways.submit, "response": ways.response, "ends": ways.ends}
    where = re.sub(r"//[^/@\s]*@", "//", settings.url).partition("?")[0].partition("#")[0]
    lines = [f"# How to question the chat at {_quoted(where)}; use it with --profile {path.name}."]
    if ways.frame:
        frame = re.sub(r"//[^/@\s]*@", "//", ways.frame).partition("?")[0]
        lines.append(f"# The chat is in the frame {_quoted(frame)}; selectors are looked for in every frame.")
    for name, description in _COMMENTS.items():
        value = getattr(settings, name)
        value = selectors.get(name, value) if value == "" else value
        unset = "" if value or name == "links" else "# "
        lines += ["", f"# {description}", f"{unset}{name} = {_toml(value)}"]
    write_atomic(path, ("\n".join(lines) + "\n").encode())


def _toml(value: str | bool | float | list[str]) -> str:
    if isinstance(value, bool | float):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    return _quoted(value)


def _quoted(text: str) -> str:
    """Return a basic string of TOML, which is a JSON string with the character DEL escaped."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
