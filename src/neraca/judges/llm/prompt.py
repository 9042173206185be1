"""Prompts: Markdown files by language, read with their front matter, and filled with data that cannot speak.

`prompts/en/claims.md` instructs a model about claims in English.  A user's own folder of the same shape, or one without
the folders of languages, takes the place of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, SpecError, nearest
from neraca.files import fingerprint
from neraca.languages import code_of
from neraca.models.prompt import Prompt
from neraca.records import Item

T = TypeVar("T", bound=msgspec.Struct)
SHIPPED = files("neraca.judges.llm") / "prompts"
#: Languages of the shipped prompts; items in other languages are asked in English.
LANGUAGES = ("en", "ar", "es", "id")
CODE, EXAMPLES = "{{code}}", "{{examples}}"
_FILE = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<text>.+)\Z", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")
_HEADING = re.compile(r"^# *(\w+) *$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A prompt before its data.

    Attributes
    ----------
    name, version, language
        As its front matter says.
    text
        The instructions; `{{code}}` stands for the line around the data.
    """

    name: str
    version: str
    language: str
    text: str

    def about(self, data: Any, kind: type[T], guess: T, check: Callable[[T], str] = lambda reply: "") -> Prompt[T]:
        """Return the prompt for one call about these data.

        The data go as JSON on one line, between two lines of a code that is a hash of them and of the text.  So text in
        the data can neither leave its string nor know the code, and the same data make the same prompt.

        Parameters
        ----------
        data
            Anything that can be written as JSON.
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
    r"""Read a prompt's file; raises `InputError` for one without front matter or with unknown placeholders.

    >>> read_template("---\nname: x\nversion: 1\nlanguage: en\n---\nData: {{code}}", "x.md").text
    'Data: {{code}}'
    """
    parts = _FILE.match(text.replace("\r\n", "\n"))
    if not parts:
        raise InputError(f"{where}: a prompt begins with front matter: a line ---, then name, version, language, ---")
    lines = (line.partition(":") for line in parts["front"].splitlines())
    front = {key.strip(): value.strip() for key, _, value in lines}
    for needed in ("name", "version", "language"):
        if not front.get(needed):
            raise InputError(f"{where}: the front matter does not say {needed}")
    placeholders = set(_PLACEHOLDER.findall(parts["text"]))
    if CODE not in placeholders:
        raise InputError(f"{where}: {CODE} is missing; it stands for the line before and after the data")
    if unknown := sorted(placeholders - {CODE, EXAMPLES}):
        raise InputError(f"{where}: {unknown[0]} is not known; a prompt may have {CODE} and {EXAMPLES}")
    text = parts["text"].strip()
    return Template(name=front["name"], version=front["version"], language=front["language"], text=text)


def read_examples(file: str | Path, names: Iterable[str]) -> dict[str, str]:
    """Read the user's examples for prompts: text under `# NAME` goes to that prompt alone, text before it to all.

    Raises `InputError` for a file that cannot be read, or that names a prompt which no judge has.
    """
    everywhere, *parts = _HEADING.split(read_text(Path(file)))
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
        Of the user's own prompts, `NAME.md` for every language or `LANGUAGE/NAME.md`; the others are the shipped ones.
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
            (name, code): _with_examples(template, added.get(name, ""))
            for name in names
            for code in self._languages
            if (template := _find(name, code, folder))
        }
        for name in names:
            if (name, self._fixed or "en") not in self._templates:
                missing = f"no prompt {name!r} in {self._fixed!r}; {nearest(self._fixed, LANGUAGES)}"
                raise SpecError(f"{missing}; make one with --translate, and name its folder as prompts")

    def of(self, name: str, language: str) -> Template:
        """Return the prompt of this name in a language, given by its code; in English where there is none in it."""
        return self._templates.get((name, self._fixed or language)) or self._templates[name, "en"]

    @property
    def hash(self) -> str:
        """Six letters that change with any word of any of these prompts; part of every verdict's `by`."""
        return fingerprint({f"{code}/{name}": one.text for (name, code), one in self._templates.items()})[:6]


def language_of(item: Item) -> str:
    """Return the code of the language that an item names (tag `language`), or ""; raises `SpecError`."""
    try:
        return code_of(item.tags.get("language", ""))
    except SpecError as error:
        raise SpecError(f"item {item.id!r}, tag language: {error}") from error


def _find(name: str, language: str, folder: str) -> Template | None:
    """Return the user's own prompt in this language, the user's own in any, or the shipped one."""
    own = [Path(folder) / language / f"{name}.md", Path(folder) / f"{name}.md"] if folder else []
    for file in (*own, SHIPPED / language / f"{name}.md"):
        if file.is_file():
            return read_template(read_text(Path(str(file))), str(file))
    return None


def _with_examples(template: Template, examples: str) -> Template:
    text = template.text.replace(EXAMPLES, "").strip()
    if examples:  # where a user's own prompt has no placeholder, they follow it
        with_placeholder = template.text if EXAMPLES in template.text else f"{template.text}\n{EXAMPLES}"
        text = with_placeholder.replace(EXAMPLES, f"\n{examples}").strip()
    return replace(template, text=text)
