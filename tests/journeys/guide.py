"""A page of Markdown, read as a user reads it: block by block, in one folder, from the first to the last.

Commands are typed, cells of Python run, files written.  What the page shows is held to what was printed; a line `…` in
it stands for any lines.  A block without a language is commands if it begins with `$` or the name of a program, else it
shows what the block before it printed.  A number in a comment behind a line of Python is its value.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
#: What a line of commands begins with.
PROGRAMS = {"$", "export", "make", "neraca", "pip", "playwright", "pytest", "python"}
SHELLS = {"console", "powershell", "sh"}
FILES = {"csv", "js", "json", "py", "text", "toml", "yaml"}
#: The width of the terminal in which commands are typed.
WIDTH = 80


@dataclass(frozen=True)
class Block:
    """What stands between two fences; `line` is that of its first line."""

    page: str
    line: int
    language: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def is_commands(self) -> bool:
        """Whether it is typed; of a workflow, each line is a step that runs a command."""
        if self.language == "yaml":
            return all(line.startswith("- run: ") for line in self.lines)
        return self.language in SHELLS or (self.language == "" and self.text.split(maxsplit=1)[0] in PROGRAMS)

    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command, in one line, with the lines that are shown below it."""
        shows = self.lines[0].startswith("$ ")
        found: list[tuple[str, list[str]]] = []
        for line in self.text.replace("\\\n", " ").splitlines():
            if shows and not line.startswith("$ "):
                found[-1][1].append(line)
            elif line.strip() and not line.startswith("#"):
                found.append((re.sub(r"^\$ |^- run: |\s+# .*", "", line), []))
        return found


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, whose path begins at the root of the house."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [
        Block(page, text.count("\n", 0, match.start()) + 2, match[1], tuple(match[2].splitlines()))
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    ]
    assert 2 * len(found) == len(re.findall(r"^\s*```", text, re.MULTILINE)), f"{page}: a fence that is not understood"
    return found


def untrue(shown: Sequence[str], printed: str) -> str:
    """The first line that is shown and not printed at its place; "" if all is as it is shown."""
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    pattern = ""
    for line in shown:
        pattern += r"(?:.*\n)*?" if line == "…" else re.escape(f"{line.rstrip()}\n")
        if not re.match(pattern, text):
            return line
    return "" if re.fullmatch(pattern, text) else "(what follows the last line)"


@dataclass
class Reader:
    """Somebody who reads a page in a fresh folder.

    `left_out`: commands that are not run.  `files`: names of the blocks that are files, in the order of the page.
    `replaced`: what stands in commands and files → what is written in its place, such as addresses of loopback.
    `exits`: command → its exit code, where that is not 0.  `then`: command or file → what is done after it.
    `known`: the names that Python knows.
    """

    page: str
    folder: Path
    cli: Callable[..., Any]
    printing: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    left_out: Collection[str]
    files: Sequence[str] = ()
    replaced: Mapping[str, str] = field(default_factory=dict)
    exits: Mapping[str, int] = field(default_factory=dict)
    then: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    #: What was printed by the last block, by each command, and by the cells of Python.
    printed: str = ""
    of: dict[str, str] = field(default_factory=dict)
    cells: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Do what the page says, from its first block to the last."""
        names = iter(self.files)
        for block in blocks(self.page):
            if block.language == "python":
                self.printed = self._run_cell(block)
                self.cells.append(self.printed)
            elif block.is_commands:
                self._type_all(block)
            elif block.language == "":
                self._hold(block, block.lines, self.printed)
            else:
                self._take_file(block, next(names, ""))
        assert next(names, "") == "", f"{self.page} does not show all of {self.files}"
        text = "".join(block.text for block in blocks(self.page))
        whole = (ROOT / self.page).read_text(encoding="utf-8")
        idle = [old for old in self.replaced if old not in text]
        idle += [each for each in (*self.exits, *self.then) if each not in self.of and each not in self.files]
        idle += [name for name in self.files if name not in self.then and name not in whole]
        assert not idle, f"nothing in {self.page} has to do with {idle}"

    def type(self, line: str) -> str:
        """Type a command; returns what it prints."""
        typed = self._replace(line)
        words = []
        for word in shlex.split(os.path.expandvars(typed)):
            words += sorted(map(str, Path().glob(word))) if "*" in word else [word]
        self.of[line] = ""
        if words[0] == "neraca":
            done = self.cli(*words[1:])
            assert done.code == self.exits.get(line, 0), f"{typed}\n{done.out}{done.err}"
            self.of[line] = done.out
        elif words[0] == "export":
            self.patch.setenv(*words[1].split("=", 1))
        elif words[0] == "pytest":
            plugin = ["-p", "neraca.pytest_plugin", "-p", "no:cacheprovider"]
            command = [sys.executable, "-m", "pytest", *plugin, *words[1:]]
            shown = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=False)
            assert shown.returncode == self.exits.get(line, 0), f"{typed}\n{shown.stdout}"
            self.of[line] = shown.stdout
        elif words[0] == "make":
            subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        else:
            raise AssertionError("nobody runs this; see to it that it is run, or say in LEFT_OUT why it cannot be")
        return self.of[line]

    def _replace(self, text: str) -> str:
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return text

    def _type_all(self, block: Block) -> None:
        self.printed = ""
        for line, shown in block.commands():
            if line not in self.left_out:
                try:
                    printed = self.type(line)
                except AssertionError as error:
                    raise AssertionError(f"{block.page}:{block.line} {line}: {error}") from None
                self.printed += printed
                if shown:
                    self._hold(block, shown, printed)
                self.then.get(line, str)()

    def _hold(self, block: Block, shown: Sequence[str], printed: str) -> None:
        wrong = untrue(shown, printed)
        if wrong:
            raise AssertionError(f"{block.page}:{block.line} shows {wrong!r}, but this is what there is:\n{printed}")

    def _take_file(self, block: Block, name: str) -> None:
        """Write the file; one that is there already is held to what the page shows of it."""
        assert block.language in FILES, f"{block.page}:{block.line}: nobody knows what to do with {block.language!r}"
        assert name, f"{block.page}:{block.line}: which file is this? Say it in `files`"
        path = self.folder / name
        if path.exists():
            self._hold(block, block.lines, path.read_text(encoding="utf-8"))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(self._replace(block.text), encoding="utf-8")
        self.then.get(name, str)()

    def _run_cell(self, block: Block) -> str:
        """Run a cell as a notebook does, inside a running event loop; returns what it prints and shows."""

        async def run() -> Any:
            result = None
            for node in ast.parse(block.text).body:
                end = (node.end_lineno or 0) - 1
                ast.increment_lineno(node, block.line - 1)
                if isinstance(node, ast.Expr):
                    awaits = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                    result = eval(compile(ast.Expression(node.value), block.page, "eval", awaits), self.known)
                    result = await result if inspect.iscoroutine(result) else result
                    if stated := re.search(r"  # (-?\d+(?:\.(\d+))?)$", block.lines[end]):
                        value = f"{result:.{len(stated[2] or '')}f}"
                        assert value == stated[1], f"{block.page}:{block.line + end} says {stated[1]}, not {value}"
                else:
                    result = exec(compile(ast.Module([node], []), block.page, "exec"), self.known)
            return result

        self.printing.readouterr()
        result = asyncio.run(run())
        return self.printing.readouterr().out + ("" if result is None else f"{result}\n")
