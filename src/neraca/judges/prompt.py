"""Prompts: Markdown files by language, read with their front matter, and filled with data that cannot speak.

`prompts/en/claims.md` is what a model is told about claims in English; a user's own folder of the same shape, or one
without the folders of languages, takes the place of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from neraca.errors import InputError, SpecError, nearest
from neraca.files import fingerprint
from neraca.languages import code_of
from neraca.models.prompt import Prompt
from neraca.records import Item

T = TypeVar("T", bound=msgspec.Struct)
SHIPPED = files("neraca.judges") / "prompts"
#: Languages of the prompts that are shipped; where an item is in another one, English asks.
LANGUAGES = ("en", "ar", "es", "id")
CODE, EXAMPLES = "{{code}}", "{{examples}}"
_FILE = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<text>.+)\Z", re.DOTALL)
_PLACE = re.compile(r"\{\{.*?\}\}")
_HEADING = re.compile(r"^# *(\w+) *$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A prompt before its data.

    Attributes
    ----------
    name, version, language
        As its front matter says.
    text
        What the model is told; `{{code}}` stands for the line around the data.
    """

    name: str
    version: str
    language: str
    text: str

    def about(self, data: Any, kind: type[T], guess: T, check: Callable[[T], str] = lambda reply: "") -> Prompt[T]:
        """One call about these data.

        They go as JSON on one line, between two lines of a code that is a hash of them and of the text: whoever wrote
        one of the data can neither leave their string nor know the code, and the same data make the same prompt.

        Parameters
        ----------
        data
            Whatever can be written as JSON.
        kind, guess, check
            The shape of the reply, a plausible one, and what may be wrong with it; see `Prompt`.
        """
        written = msgspec.json.encode(data).decode()
        code = fingerprint((self.text, written))
        return Prompt(
            system=self.text.replace(CODE, code),
            user=f"{code}\n{written}\n{code}",
            kind=kind,
            guess=guess,
            check=check,
        )


def read_template(text: str, where: str) -> Template:
    r"""Read a prompt's file; raises `InputError` for one without front matter or with other places than it may have.

    >>> read_template("---\nname: x\nversion: 1\nlanguage: en\n---\nData: {{code}}", "x.md").text
    'Data: {{code}}'
    """
    found = _FILE.match(text.replace("\r\n", "\n"))
    if not found:
        raise InputError(f"{where}: a prompt begins with front matter: a line ---, then name, version, language, ---")
    front = dict(line.partition(":")[::2] for line in found["front"].splitlines())
    told = {key.strip(): value.strip() for key, value in front.items()}
    for needed in ("name", "version", "language"):
        if not told.get(needed):
            raise InputError(f"{where}: the front matter does not say {needed}")
    places = set(_PLACE.findall(found["text"]))
    if CODE not in places:
        raise InputError(f"{where}: {CODE} is missing; it stands for the line before and after the data")
    if strange := sorted(places - {CODE, EXAMPLES}):
        raise InputError(f"{where}: {strange[0]} is not known; a prompt may have {CODE} and {EXAMPLES}")
    text = found["text"].strip()
    return Template(name=told["name"], version=told["version"], language=told["language"], text=text)


def read_examples(file: str | Path, names: Iterable[str]) -> dict[str, str]:
    """The user's examples, which are added to prompts: what stands under `# NAME` goes to that prompt alone.

    Text before the first such heading goes to all.  Raises `InputError` for a file that cannot be read, or that names
    a prompt which no judge has.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: examples cannot be read: {error}") from error
    everywhere, *parts = _HEADING.split(text)
    names, own = list(names), dict(zip(parts[::2], parts[1::2], strict=True))
    known = sorted({*names, *(shipped.name.removesuffix(".md") for shipped in (SHIPPED / "en").iterdir())})
    for name in own:
        if name not in known:  # one of another judge may stand in the same file
            raise InputError(f"{file}: no prompt is called {name!r}; {nearest(name, known)}")
    return {name: "\n\n".join(filter(None, (everywhere.strip(), own.get(name, "").strip()))) for name in names}


class Prompts:
    """The prompts of one judge, in every language that it may ask in.

    Parameters
    ----------
    names
        Such as `claims`.
    language
        A code or name in which all are asked; "": each in the language of its item.
    folder
        Of the user's own prompts, `NAME.md` for every language or `LANGUAGE/NAME.md`; what is not there is Neraca's.
    examples
        A file of examples from the user's domain; see `read_examples`.

    Raises
    ------
    SpecError
        For a language in which a prompt is missing.
    InputError
        For a folder or file that cannot be read.

    Examples
    --------
    >>> Prompts(["claims"], language="Spanish").of("claims", "").language
    'es'
    """

    def __init__(self, names: Iterable[str], *, language: str = "", folder: str = "", examples: str = "") -> None:
        names = list(names)
        if folder and not Path(folder).is_dir():
            raise InputError(f"prompts: {folder} is no folder (looked from {Path.cwd()})")
        self._fixed = code_of(language)
        own = {path.name for path in Path(folder).iterdir() if path.is_dir()} if folder else set()
        self._languages = [self._fixed] if self._fixed else sorted({*LANGUAGES, *own})
        added = read_examples(examples, names) if examples else {}
        self._templates = {
            (name, code): _with(template, added.get(name, ""))
            for name in names
            for code in self._languages
            if (template := _find(name, code, folder))
        }
        for name in names:
            if (name, self._fixed or "en") not in self._templates:
                told = f"no prompt {name!r} in {self._fixed!r}; {nearest(self._fixed, LANGUAGES)}"
                raise SpecError(f"{told}; make one with --translate, and name its folder as prompts")

    def of(self, name: str, language: str) -> Template:
        """The prompt of this name in a language given by its code; English where there is none in it."""
        asked = self._fixed or language
        return self._templates.get((name, asked)) or self._templates[name, "en"]

    @property
    def hash(self) -> str:
        """Six letters that change with any word of any of these prompts; part of every verdict's `by`."""
        return fingerprint({f"{code}/{name}": one.text for (name, code), one in self._templates.items()})[:6]


def language_of(item: Item) -> str:
    """The code of the language in which an item says it is (tag `language`), or ""; raises `SpecError`."""
    try:
        return code_of(item.tags.get("language", ""))
    except SpecError as error:
        raise SpecError(f"item {item.id!r}, tag language: {error}") from error


def _find(name: str, language: str, folder: str) -> Template | None:
    """The user's own in this language, the user's own in any, or the shipped one."""
    own = [Path(folder) / language / f"{name}.md", Path(folder) / f"{name}.md"] if folder else []
    for file in (*own, SHIPPED / language / f"{name}.md"):
        if file.is_file():
            return read_template(file.read_text(encoding="utf-8"), str(file))
    return None


def _with(template: Template, examples: str) -> Template:
    text = template.text.replace(EXAMPLES, "").strip()
    if examples:  # a user's own prompt may have no place for them: then they follow it
        place = template.text if EXAMPLES in template.text else f"{template.text}\n{EXAMPLES}"
        text = place.replace(EXAMPLES, f"\n{examples}").strip()
    return replace(template, text=text)
