"""Show the built-in prompts, and write them to files as a start for a user's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.judges.llm.prompt import LANGUAGES, SHIPPED
from neraca.languages import code_of
from neraca.nearest import nearest

#: The command that reads prompts without a judge.
GENERATE = "neraca generate"
#: Prompt → the judges or the command that read it, if it is not named after its judge.
_JUDGES = {
    "answer_alone": (GENERATE,),
    "context_matrix": ("claims", "corpus"),
    "reference_claims": ("claims", "corpus"),
    "read_questions": (GENERATE,),
    "write_questions": (GENERATE,),
}


def prompt_names() -> list[str]:
    """Return the names of the built-in prompts."""
    return sorted(file.name.removesuffix(".md") for file in (SHIPPED / "en").iterdir())


def judges_of_prompt(name: str) -> tuple[str, ...]:
    """Return the judges that read a prompt, or the command that does.

    >>> judges_of_prompt("context_matrix"), judges_of_prompt("valid")
    (('claims', 'corpus'), ('valid',))
    """
    return _JUDGES.get(name, (name,))


def shipped_prompt(name: str, language: str = "en") -> str:
    """Return the file of a built-in prompt; raise `SpecError` if there is none of this name or language."""
    if name not in prompt_names():
        raise SpecError(f"no prompt is called {name!r}; {nearest(name, prompt_names())}")
    code = code_of(language)
    if code not in LANGUAGES:
        raise SpecError(
            f"there are no prompts in {language!r}, only in {', '.join(LANGUAGES)}; neraca judge --translate makes some"
        )
    return (SHIPPED / code / f"{name}.md").read_text(encoding="utf-8")


def export_prompts(
    folder: str | Path, names: Iterable[str] = (), languages: Iterable[str] = LANGUAGES
) -> tuple[list[Path], list[Path]]:
    """Write built-in prompts to `FOLDER/LANGUAGE/NAME.md`, as the setting `prompts` of a judge finds them.

    Parameters
    ----------
    folder
        The folder, which is made if it does not exist.
    names, languages
        The names and languages of the prompts; no names: all prompts.

    Returns
    -------
    tuple
        The new files, and the files that existed before and were left unchanged.

    Raises
    ------
    SpecError
        If there is no prompt of this name or language.
    """
    chosen = list(names) or prompt_names()
    texts = {
        Path(folder) / code_of(language) / f"{name}.md": shipped_prompt(name, language)
        for language in languages
        for name in chosen
    }
    existing_files = [file for file in texts if file.exists()]
    new_files = [file for file in texts if file not in existing_files]
    for file in new_files:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, texts[file].encode())
    return new_files, existing_files
