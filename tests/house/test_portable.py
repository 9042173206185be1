"""The package asks of the system only what Windows has too.  No test was ever run there: the syntax is read instead.

What Windows lacks is taken from the stubs that mypy brings; `mypy --platform win32` in `make check` looks at the types.
"""

import ast
import functools
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import mypy
import pytest

SOURCE = Path(__file__).parents[2] / "src" / "neraca"
STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
OLDEST, NEWEST = (3, 11), (3, 14)
#: What the stubs have for every system, and Windows refuses, passes over, or does in another way.
REFUSED = {
    *("add_signal_handler", "remove_signal_handler", "add_reader", "remove_reader", "add_writer", "remove_writer"),
    *("create_unix_connection", "create_unix_server", "open_unix_connection", "start_unix_server"),
    *("preexec_fn", "start_new_session", "process_group", "pass_fds"),
    *("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe"),
    *("symlink", "symlink_to", "SO_REUSEADDR", "SO_REUSEPORT"),
}
#: Places that only Unix has, and days and hours without a zero, which only its `strftime` writes.
PLACES = re.compile(r"^/(?:dev|tmp|proc|sys|etc|usr|bin|var)(?:/|$)|%-[dmHIMjSy]")


@functools.cache
def stub(module):
    path = STUBS / Path(*module.split("."))
    files = [file for file in (path / "__init__.pyi", path.with_suffix(".pyi")) if file.exists()]
    return ast.parse(files[0].read_text(encoding="utf-8")) if files else None


def defined(statements, platform, version):
    """The names that a stub defines on a system."""
    system = {"sys": SimpleNamespace(platform=platform, version_info=version)}
    for node in statements:
        if isinstance(node, ast.If):
            true = eval(compile(ast.Expression(node.test), "stub", "eval"), system)
            yield from defined(node.body if true else node.orelse, platform, version)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


@functools.cache
def lacking(module):
    """The names that a module of Python has on Unix, and not on Windows with the oldest Python that is supported."""
    if stub(module) is None:
        return frozenset()
    unix = {name for system in ("linux", "darwin") for name in defined(stub(module).body, system, NEWEST)}
    new = set(defined(stub(module).body, "win32", NEWEST)) - set(defined(stub(module).body, "linux", OLDEST))
    return frozenset(unix - new - set(defined(stub(module).body, "win32", OLDEST)))


def only_unix(module):
    """Whether a module of Python holds nothing on Windows but what it imports."""
    body = stub(module).body if lacking(module) else []
    own = [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return bool(own) and not set(defined(own, "win32", OLDEST))


def asks(test):
    """The names for which a condition asks by `hasattr`."""
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    return {call.args[1].value for call in calls if ast.unparse(call.func) == "hasattr"}


class Portable(ast.NodeVisitor):
    """Collects what Windows does not have: what is asked for, and what is used without asking."""

    def __init__(self):
        self.modules, self.asked, self.used, self._guarded = {}, set(), [], False

    def _use(self, node, name):
        if not self._guarded:
            self.used.append((node.lineno, name))

    def _within(self, guarded, nodes):
        before, self._guarded = self._guarded, self._guarded or guarded
        for node in nodes:
            self.visit(node)
        self._guarded = before

    def visit_If(self, node):
        asked = asks(node.test)
        self.asked |= asked
        self._within(False, [node.test])
        self._within(bool(asked), node.body if isinstance(node.body, list) else [node.body])
        self._within(False, node.orelse if isinstance(node.orelse, list) else [node.orelse])

    visit_IfExp = visit_If

    def visit_BoolOp(self, node):
        asked = set()
        for value in node.values:
            self._within(bool(asked) and isinstance(node.op, ast.And), [value])
            asked |= asks(value)
        self.asked |= asked

    def visit_Import(self, node):
        for alias in node.names:
            self.modules[alias.asname or alias.name] = alias.name
            if only_unix(alias.name):
                self._use(node, alias.name)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if not node.level and (only_unix(node.module) or alias.name in lacking(node.module) | REFUSED):
                self._use(node, f"{node.module}.{alias.name}")

    def visit_Attribute(self, node):
        module = self.modules.get(ast.unparse(node.value))
        if (module and node.attr in lacking(module)) or node.attr in REFUSED:
            self._use(node, ast.unparse(node))
        self.generic_visit(node)

    def visit_keyword(self, node):
        if node.arg in REFUSED:
            self._use(node.value, node.arg)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and (node.value in REFUSED or PLACES.search(node.value)):
            self._use(node, node.value)

    def visit_Call(self, node):
        if ast.unparse(node.func) == "getattr" and len(node.args) == 3:  # asks, and says what to take instead
            module = self.modules.get(ast.unparse(node.args[0]))
            if module and isinstance(node.args[1], ast.Constant) and node.args[1].value in lacking(module):
                self.asked.add(node.args[1].value)
        self.generic_visit(node)


def looked_at(code):
    found = Portable()
    found.visit(ast.parse(code))
    return found


@functools.cache
def package():
    files = sorted(SOURCE.rglob("*.py"))
    return {file.relative_to(SOURCE).as_posix(): looked_at(file.read_text(encoding="utf-8")) for file in files}


def test_nothing_is_used_that_windows_does_not_have():
    assert [(file, *use) for file, found in package().items() for use in found.used] == []


def test_each_thing_is_asked_for_in_one_place():
    unix = lacking("os") | lacking("signal")
    places = {name: [file for file, found in package().items() if name in found.asked] for name in unix}
    assert {name: files for name, files in places.items() if files} == {
        "fdatasync": ["files.py"],
        "killpg": ["targets/process_tree.py"],
        "SIGKILL": ["targets/process_tree.py"],
        "geteuid": ["targets/browser/launch.py"],
        "nice": ["web/worker_process.py"],
        "sched_getaffinity": ["scores/engine/local.py"],
    }


@pytest.mark.parametrize(
    "code",
    [
        "import fcntl",
        "def late():\n    import resource",
        "from pwd import getpwnam",
        "from os import fork",
        "import os\nos.fork()",
        "import os as system\nsystem.pread(3, 1, 1)",
        "import os\nos.execv('a', [])",
        "import signal\nsignal.SIGKILL",
        "import signal, os\nos.kill(1, signal.SIGALRM)",
        "import socket\nsocket.AF_UNIX",
        "import select\nselect.poll()",
        "import time\ntime.tzset()",
        "import os\nos.set_blocking(1, False)",
        "loop.add_signal_handler(1, print)",
        "loop.add_reader(0, print)",
        "subprocess.Popen([], start_new_session=True)",
        "how = {'preexec_fn': print}",
        "open('/dev/null')",
        "now.strftime('%-d')",
        "import os\nif hasattr(os, 'fork'):\n    pass\nelse:\n    os.fork()",
        "import os\nhasattr(os, 'fork') or os.fork()",
    ],
)
def test_what_windows_lacks_is_found(code):
    assert len(looked_at(code).used) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import os, signal\nos.replace('a', 'b'); os.kill(1, signal.SIGTERM); os.fsync(3); os.umask(0)",
        "import os\nif hasattr(os, 'fork'):\n    os.fork()",
        "import os\nroot = hasattr(os, 'geteuid') and os.geteuid() == 0",
        "import os\nsync = getattr(os, 'fdatasync', os.fsync)",
        "import select, socket, time\nselect.select([], [], []); socket.AF_INET; time.monotonic()",
        "url = '/devices'; there = 'a/tmp/b'",
    ],
)
def test_what_windows_has_is_not(code):
    assert looked_at(code).used == []


# text files


#: What is opened by these is no file.
NO_FILES = {"tab", "self._chat"}


def text_files(tree):
    """The calls that open, read or write a file as text, and whether they write it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if name in ("open", "fdopen"):
            owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            place = 0 if owner and owner != "os" else 1
            mode = given.get("mode", node.args[place] if len(node.args) > place else None)
            mode = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
            if owner not in NO_FILES and "b" not in mode and not (owner == "os" and name == "open"):
                yield node, given, bool(set("wax+") & set(mode))
        elif isinstance(node.func, ast.Attribute) and name in ("read_text", "write_text"):
            given |= {"encoding": node.args[0]} if name == "read_text" and node.args else {}
            yield node, given, name == "write_text"
        elif ast.unparse(node.func).startswith("subprocess.") and {"text", "universal_newlines"} & set(given):
            yield node, given, False


def careless(code):
    return [
        node.lineno
        for node, given, written in text_files(ast.parse(code))
        if "encoding" not in given or (written and "newline" not in given)
    ]


def test_text_is_opened_with_its_encoding_and_written_with_its_line_ends():
    """Left to Python, Windows would read in the encoding of the country and write CRLF."""
    found = {file.relative_to(SOURCE): careless(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")}
    assert {str(file): lines for file, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "code, lines",
    [
        ("open('a')", [1]),
        ("path.open()", [1]),
        ("path.open('w', encoding='utf-8')", [1]),
        ("path.open('w', encoding='utf-8', newline='')", []),
        ("path.open(encoding='utf-8')\npath.open('rb')\nopen('a', 'wb')\nos.open('a', 1)\nos.fdopen(3, 'rb')", []),
        ("path.read_text()\npath.read_text('utf-8')\npath.write_text('a', encoding='utf-8')", [1, 3]),
        ("os.fdopen(3)\nsubprocess.run([], text=True)\nsubprocess.run([], text=True, encoding='utf-8')", [1, 2]),
    ],
)
def test_text_without_encoding_or_line_ends_is_found(code, lines):
    assert careless(code) == lines


def test_the_oldest_python_is_that_of_the_package():
    told = re.search(r'requires-python = ">=(\d+)\.(\d+)"', (SOURCE.parents[1] / "pyproject.toml").read_text("utf-8"))
    assert tuple(map(int, told.groups())) == OLDEST <= sys.version_info[:2]
