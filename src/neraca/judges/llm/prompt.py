"""Read prompts, which are Markdown files by language, and fill in data so that they cannot act as instructions.

`prompts/en/claims.md` instructs a model about claims in English.  Files in a user's own folder, with or without folders
for languages in it, replace the shipped ones.  What differs from call to call stands at the end of each prompt: servers
that keep what they read last (llama.cpp, vLLM and others) then read the instructions once, and not in every call.
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
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.languages import code_of
from neraca.models.prompt import Prompt
from neraca.nearest import nearest
from neraca.records import Item

T = TypeVar("T", bound=msgspec.Struct)
SHIPPED = files("neraca.judges.llm") / "prompts"
#: Languages of the shipped prompts; items in other languages are asked in English.
LANGUAGES = ("en", "ar", "es", "id")
CODE, EXAMPLES = "{{code}}", "{{examples}}"
_FILE = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<text>.+)\Z", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")
_NO_EXAMPLES = re.compile(r"\n?\{\{examples\}\}")
_HEADING = re.compile(r"^# *(\w+) *$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A prompt before its data.

    Attributes
    ----------
    name, version, language
        From its front matter.
    text
        The instructions; `{{code}}` stands for the line around the data.
    """

    name: str
    version: str
    language: str
    text: str

    def about(self, data: Any, kind: type[T], guess: T, check: Callable[[T], str] = lambda reply: "") -> Prompt[T]:
        """Return the prompt for one call about these data.

        The data are JSON on one line, between two lines with a code, the hash of the data and of the instructions.  So
        text in the data can neither leave its string nor know the code, and the same data make the same prompt.

        Parameters
        ----------
        data
            A value that can be written as JSON.
        kind, guess, check
            The struct of the reply, a plausible reply, and its check; see `Prompt`.
        """
        json_text = msgspec.json.encode(data).decode()
        code = fingerprint((self.text, json_text))
        return Prompt(
            system=self.text.replace(CODE, code),
            user=f"{code}\n{json_text}\n{code}",
            kind=kind,
            guess=guess,
            check=check,
        )


def read_template(text: str, where: str) -> Template:
    r"""Read a prompt's file; raise `InputError` if it has no front matter or has unknown placeholders.

    >>> read_template("---\nname: x\nversion: 1\nlanguage: en\n---\nData: {{code}}", "x.md").text
    'Data: {{code}}'
    """
    parts = _FILE.match(text.replace("\r\n", "\n"))
    if not parts:
        raise InputError(f"{where}: a prompt begins with front matter: a line ---, then name, version, language, ---")
    lines = (line.partition(":") for line in parts["front"].splitlines())
    front = {key.strip(): value.strip() for key, _, value in lines}
    for key in ("name", "version", "language"):
        if not front.get(key):
            raise InputError(f"{where}: the front matter does not say {key}")
    placeholders = set(_PLACEHOLDER.findall(parts["text"]))
    if CODE not in placeholders:
        raise InputError(f"{where}: {CODE} is missing; it stands for the line before and after the data")
    if unknown := sorted(placeholders - {CODE, EXAMPLES}):
        raise InputError(f"{where}: {unknown[0]} is not known; a prompt may have {CODE} and {EXAMPLES}")
    text = parts["text"].strip()
    return Template(name=front["name"], version=front["version"], language=front["language"], text=text)


def read_examples(file: str | Path, names: Iterable[str]) -> dict[str, str]:
    """Read the user's examples: text under a heading `# NAME` goes to that prompt, text before the headings to all.

    Raise `InputError` if the file cannot be read, or names a prompt that no judge has.
    """
    for_all, *parts = _HEADING.split(read_text(Path(file)))
    names, by_prompt = list(names), dict(zip(parts[::2], parts[1::2], strict=True))
    prompts = sorted({*names, *(shipped.name.removesuffix(".md") for shipped in (SHIPPED / "en").iterdir())})
    for name in by_prompt:
        if name not in prompts:  # the file may also have examples for prompts of other judges
            raise InputError(f"{file}: no prompt is called {name!r}; {nearest(name, prompts)}")
    return {name: "\n\n".join(filter(None, (for_all.strip(), by_prompt.get(name, "").strip()))) for name in names}


class Prompts:
    """The prompts of one judge in all languages.

    Parameters
    ----------
    names
        The names of the prompts, such as `claims`.
    language
        The language of all prompts, a code or name; "": the language of each item.
    folder
        The folder of the user's own prompts: `NAME.md` for all languages, or `LANGUAGE/NAME.md`.  Prompts that are not
        in it are the shipped ones.
    examples
        A file of examples from the user's domain; see `read_examples`.

    Raises
    ------
    SpecError
        If a prompt is missing in this language.
    InputError
        If a folder or file cannot be read.

    Examples
    --------
    >>> Prompts(["claims"], language="Spanish").of("claims", "").language
    'es'
    """

    def __init__(self, names: Iterable[str], *, language: str = "", folder: str = "", examples: str = "") -> None:
        names = list(names)
        if folder and not Path(folder).is_dir():
            raise InputError(f"prompts: {folder} is no folder (looked from {Path.cwd()})")
        self._language = code_of(language)
        own_languages = {path.name for path in Path(folder).iterdir() if path.is_dir()} if folder else set()
        self._languages = [self._language] if self._language else sorted({*LANGUAGES, *own_languages})
        examples_by_name = read_examples(examples, names) if examples else {}
        self._templates = {
            (name, code): _with_examples(template, examples_by_name.get(name, ""))
            for name in names
            for code in self._languages
            if (template := _find(name, code, folder))
        }
        for name in names:
            if (name, self._language or "en") not in self._templates:
                missing = f"no prompt {name!r} in {self._language!r}; {nearest(self._language, LANGUAGES)}"
                raise SpecError(f"{missing}; make one with --translate, and name its folder as prompts")

    def of(self, name: str, language: str) -> Template:
        """Return the prompt of this name in a language, given by its code, or in English if there is none in it."""
        return self._templates.get((name, self._language or language)) or self._templates[name, "en"]

    @property
    def hash(self) -> str:
        """Six letters of the hash of all these prompts, for the `by` of verdicts."""
        texts = {f"{code}/{name}": template.text for (name, code), template in self._templates.items()}
        return fingerprint(texts)[:6]


def language_of(item: Item) -> str:
    """Return the code of the language that an item names (tag `language`), or ""; raises `SpecError`."""
    try:
        return code_of(item.tags.get("language", ""))
    except SpecError as error:
        raise SpecError(f"item {item.id!r}, tag language: {error}") from error


def _find(name: str, language: str, folder: str) -> Template | None:
    """Return the user's prompt in this language, else the user's prompt for all languages, else the shipped one."""
    own_files = [Path(folder) / language / f"{name}.md", Path(folder) / f"{name}.md"] if folder else []
    for file in (*own_files, SHIPPED / language / f"{name}.md"):
        if file.is_file():
            return read_template(read_text(Path(str(file))), str(file))
    return None


def _with_examples(template: Template, examples: str) -> Template:
    text = _NO_EXAMPLES.sub("", template.text).strip()
    if examples:  # if a user's own prompt has no placeholder, they follow it
        with_placeholder = template.text if EXAMPLES in template.text else f"{template.text}\n{EXAMPLES}"
        text = with_placeholder.replace(EXAMPLES, f"\n{examples}").strip()
    return replace(template, text=text)
