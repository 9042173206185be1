"""Profiles: what is known about a chat front end, in TOML; some come with Neraca, others are written by hand."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, SpecError, nearest
from neraca.files import write_atomic
from neraca.settings import read_settings
from neraca.targets.browser.reply import Ways
from neraca.targets.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.async_api import Frame

_NOT_OF_A_PROFILE = frozenset({"kind", "name", "stateful", "url", "profile"})
#: What `save` writes, and what it says above each line.
_SAID = {
    "input": "Where the question is typed.",
    "submit": 'What is clicked to send it; "" where Enter sends it.',
    "response": "An answer; the last match is the newest.",
    "ignore": "What inside an answer is not part of it.",
    "busy": "What is on the page only while an answer is being written, such as a stop button.",
    "ends": "By what the page tells the end of an answer: stop, composed, moving, open, asking or sent.",
    "still": "Seconds without a change that end an answer where nothing tells its end; 0: 15, and it is suspect.",
    "sources": "Each match in the newest answer is a source, and becomes a hit.",
    "click": "Clicked one after the other when the page has opened, where they are there.",
    "links": "Whether links keep their address, as Markdown.",
}


def names() -> list[str]:
    """The profiles that come with Neraca."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def filled(settings: BrowserSettings) -> BrowserSettings:
    """The settings, with those of the profile where they say nothing.

    A profile may hold every setting but `url` and what names the target.  A setting that has its default says
    nothing.

    Raises
    ------
    SpecError
        When there is no such profile, or it is not TOML, or holds a setting that is unknown or wrong.
    """
    if not settings.profile:
        return settings
    who, text = _read(settings.profile)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{who} is not TOML: {error}") from None
    for name in table:
        if name in _NOT_OF_A_PROFILE:
            raise SpecError(f"{who}: {name!r} is a setting of the target, not of a profile")
    known = read_settings(BrowserSettings, {"url": settings.url, **table}, who)
    silent = {
        field.encode_name: getattr(known, field.encode_name)
        for field in msgspec.structs.fields(BrowserSettings)
        if field.encode_name in table and getattr(settings, field.encode_name) == _default(field)
    }
    return msgspec.structs.replace(settings, **silent)


async def known_sources(frame: Frame) -> str:
    """The sources of the profile that knows this page by its `mark`; "" where none does."""
    for name in names():
        table = tomllib.loads((_folder() / f"{name}.toml").read_text(encoding="utf-8"))
        if "mark" in table and await frame.locator(table["mark"]).count():
            return str(table.get("sources", ""))
    return ""


def _default(field: msgspec.structs.FieldInfo) -> object:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _folder() -> Path:
    return Path(str(files("neraca.targets.browser") / "profiles"))


def _read(word: str) -> tuple[str, str]:
    """What to call a profile in messages, and its text."""
    given = word.endswith(".toml") or Path(word).name != word
    path = Path(word).expanduser() if given else _folder() / f"{word}.toml"
    try:
        return f"profile {word!r}", read_text(path)
    except InputError as error:
        if given:
            raise SpecError(f"profile {word!r} cannot be read: {error}") from None
        raise SpecError(f"no profile is called {word!r}; {nearest(word, names())}, or name a TOML file") from None


def save(path: Path, settings: BrowserSettings, ways: Ways) -> None:
    """Write a profile that can be checked in and edited; `filled` reads it again.

    Parameters
    ----------
    path
        The file; an older one is replaced, whole or not at all.
    settings
        What was set; only what describes the page is written, no headers and passwords.
    ways
        What was found where the settings say nothing.
    """
    selectors = {"input": ways.input, "submit": ways.submit, "response": ways.response, "ends": ways.ends}
    where = re.sub(r"//[^/@\s]*@", "//", settings.url).partition("?")[0].partition("#")[0]
    lines = [f"# How to question the chat at {_quoted(where)}; use it with --profile {path.name}."]
    if ways.frame:
        frame = re.sub(r"//[^/@\s]*@", "//", ways.frame).partition("?")[0]
        lines.append(f"# The chat is in the frame {_quoted(frame)}; selectors are looked for in every frame.")
    for name, description in _SAID.items():
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
    """A basic string of TOML, which is one of JSON but for the sign DEL."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
