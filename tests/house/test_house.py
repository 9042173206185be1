"""The rules of the house (CONTRIBUTING), as far as a program can hold them."""

import ast
import functools
import inspect
import re
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

import neraca
from neraca.metrics.metric import METRICS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "neraca"
FILES = sorted(SOURCE.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION, MOST_PARAMETERS, MOST_MODULES = 400, 60, 7, 200
NO_NAMES = {"util", "utils", "helper", "helpers", "common", "core", "base", "manager", "managers", "misc"}
OURS = [name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.")]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def is_face(path, node):
    """Whether a function is one of `import neraca`."""
    return (module_of(path), node.name) in FACE


def place(path, node):
    return f"{path.relative_to(ROOT)}:{node.lineno} {getattr(node, 'name', '')}".rstrip()


@functools.cache
def nodes_by_kind():
    """Return the syntax nodes of all source files by type, each with its file."""
    by_kind = {}
    for path in FILES:
        for node in ast.walk(tree(path)):
            by_kind.setdefault(type(node), []).append((path, node))
    return by_kind


def nodes(*kinds):
    return [node for kind in kinds for node in nodes_by_kind().get(kind, [])]


def parameters(function):
    given = function.args
    names = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return [name.arg for name in names if name.arg not in ("self", "cls")]


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done


def in_new_process(code):
    return run(sys.executable, "-c", code).stdout.split()


# size


def module_of(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: Functions of `import neraca`, by module and name.
FACE_FUNCTIONS = [thing for name in neraca.__all__ if inspect.isfunction(thing := getattr(neraca, name))]
FACE = {(function.__module__, function.__name__) for function in FACE_FUNCTIONS}


def test_files_are_short():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > LONGEST_FILE} == {}


def length(path, node):
    """The lines of a function; of one of the face only its body, because it explains each of its parameters."""
    explained = is_face(path, node) and len(node.body) > 1
    return node.end_lineno - (node.body[1].lineno if explained else node.lineno) + 1


def test_functions_are_short():
    found = {place(path, node): length(path, node) for path, node in nodes(*FUNCTIONS)}
    assert {where: length for where, length in found.items() if length > LONGEST_FUNCTION} == {}


def test_functions_have_few_parameters():
    """Functions of the face write out all that a user can choose, and commands all their options.

    The view that a metric works on is not counted: what a user can write in its name is.
    """
    found = {
        place(path, node): len(parameters(node))
        - any(ast.unparse(d).startswith("metric(") for d in node.decorator_list)
        for path, node in nodes(*FUNCTIONS)
        if not (path.parent == SOURCE / "cli" and node.name == "command") and not is_face(path, node)
    }
    assert {where: count for where, count in found.items() if count > MOST_PARAMETERS} == {}


# names


def test_modules_have_names_that_say_something():
    names = {part for path in FILES for part in path.relative_to(SOURCE).with_suffix("").parts}
    assert names & NO_NAMES == set()


#: First words after which a docstring goes around what it describes.
ROUNDABOUT = re.compile(r"(Of|Those|That|So many|In which|What|Which|Whose|Who|How|Why|Where)\b")


def test_docstrings_begin_with_a_verb_or_a_noun():
    documented = nodes(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    roundabout = [
        f"{path.relative_to(ROOT)}:{node.body[0].lineno} {first_words.group()!r}"
        for path, node in documented
        if (first_words := ROUNDABOUT.match(ast.get_docstring(node) or ""))
    ]
    assert roundabout == [], "begin these docstrings with a verb in the imperative or a noun phrase"


@pytest.mark.parametrize("name", OURS)
def test_a_metric_is_in_the_file_that_one_would_search(name):
    """Its file is called as its function is, or says its name in the first lines."""
    definition = METRICS.get(name)
    module = inspect.getmodule(definition.function)
    room, stem = module.__name__.split(".")[-2:]
    assert module.__name__ == f"neraca.metrics.{room}.{stem}", "a room of metrics, then a file"
    said = re.findall(r"\w+", module.__doc__)
    words = {word.rstrip("s") for word in stem.split("_")}
    assert name in said or words & {word.rstrip("s") for word in definition.function.__name__.split("_")}, stem


# documentation


def test_everything_public_says_what_it_is():
    silent = []
    for path in FILES:
        if path.name == "__init__.py" and not tree(path).body:
            silent.append(str(path.relative_to(ROOT)))
            continue
        owners = [tree(path), *(node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))]
        public = [owner for owner in owners if not getattr(owner, "name", "").startswith("_")]
        members = [node for owner in public for node in owner.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))]
        for node in [tree(path), *(member for member in members if not member.name.startswith("_"))]:
            overload = any("setter" in ast.unparse(decorator) for decorator in getattr(node, "decorator_list", []))
            if not ast.get_docstring(node) and not overload:
                silent.append(str(path.relative_to(ROOT)) if isinstance(node, ast.Module) else place(path, node))
    assert silent == []


@pytest.mark.parametrize("name", OURS)
def test_every_metric_shows_its_formula_an_example_its_source_and_when_not_to_use_it(name):
    definition = METRICS.get(name)
    told = inspect.getdoc(definition.function) or ""
    assert 20 < len(definition.not_for) < 160
    others = re.findall(r"`([\w+-]+)(?:[(@][^`]*)?`", definition.not_for)
    assert {other for other in others if other not in (*METRICS.names(), "neraca", "not")} == set()
    assert re.findall(r"^(Examples|References)\n-+\n\S", told, re.MULTILINE) == ["References", "Examples"]
    assert re.search(r"^\$\$ .+? \$\$$", told, re.MULTILINE | re.DOTALL)


# what the code does not do


def test_input_is_never_checked_by_assert():
    assert [place(path, node) for path, node in nodes(ast.Assert)] == []


def test_no_exception_is_swallowed_unnamed():
    assert [place(path, node) for path, node in nodes(ast.ExceptHandler) if node.type is None] == []


def test_only_the_command_line_prints_or_exits():
    spoken = []
    for path, node in nodes(ast.Call):
        room = path.relative_to(SOURCE).parts[0]
        called = ast.unparse(node.func)
        if called in ("print", "sys.exit", "exit", "quit") and room not in ("cli", "demo"):
            spoken.append(place(path, node))
    assert spoken == []


#: Two spaces between sentences, which docstrings have and nothing that is printed.
TWO_SPACES = re.compile(r"[.!?\u2026:]\)? {2,}(?=[^\W\d_]|$)")


def test_sentences_that_are_printed_have_one_space_between_them():
    docstrings = {id(node.value) for _, node in nodes(ast.Expr)}
    texts = [(path, node) for path, node in nodes(ast.Constant) if isinstance(node.value, str)]
    texts = [(path, node) for path, node in texts if id(node) not in docstrings and "\n\n    " not in node.value]
    assert len(texts) > 10_000
    assert [place(path, node) for path, node in texts if TWO_SPACES.search(node.value)] == []
    assert TWO_SPACES.search((SOURCE / "translations.json").read_text("utf-8")) is None


def test_nothing_is_pickled():
    names = {alias.name for _, node in nodes(ast.Import) for alias in node.names}
    names |= {node.module for _, node in nodes(ast.ImportFrom) if node.module}
    assert not names & {"pickle", "dill", "cloudpickle", "shelve", "marshal"}


#: Rooms that turn records into numbers; what they write, `datasets` and `runs` write for them.
READING_ROOMS = ("scores", "metrics", "comparisons", "metaeval", "verdicts")
#: Calls that write or remove a file, whatever their arguments.
FILE_WRITERS = re.compile(
    r"write_(text|bytes|atomic|parquet|csv|ipc|json|ndjson|excel|database)|sink_\w+|savez\w*|savetxt|tofile"
    r"|mkdir|makedirs|unlink|touch|symlink_to|hardlink_to|rmtree|copyfile|copytree|replacing|open_to_append"
    r"|mkstemp|mkdtemp|NamedTemporaryFile|TemporaryFile|SpooledTemporaryFile|TemporaryDirectory"
)
#: Standard output of a worker process is a pipe to the process that started it, no file.
PIPES = {("scores/engine/local.py", "os.fdopen")}


def calls_that_write_files(source):
    """Return the called functions that write a file: those that always do, and `open` with a mode to write."""
    writers = []
    for node in ast.walk(source):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg in (None, "mode"))]
        modes = [argument.value for argument in arguments if isinstance(argument, ast.Constant)]
        to_write = any(isinstance(mode, str) and re.fullmatch(r"[rwxabt+]*[wxa+][rwxabt+]*", mode) for mode in modes)
        if FILE_WRITERS.fullmatch(name) or (name in ("open", "fdopen", "FileIO") and to_write):
            writers.append(ast.unparse(node.func))
    return writers


def test_rooms_of_numbers_write_no_files():
    paths = [path for room in READING_ROOMS for path in (SOURCE / room).rglob("*.py")]
    writers = {
        (path.relative_to(SOURCE).as_posix(), call) for path in paths for call in calls_that_write_files(tree(path))
    }
    assert writers == PIPES, "hand the bytes or the table to a module of `datasets` or `runs`"


def test_every_way_to_write_a_file_is_noticed():
    writing = [
        "open(path, 'w')",
        "path.open(mode='ab')",
        "os.fdopen(1, 'wb')",
        "path.write_text(text)",
        "object_stores.write_bytes(address, data)",
        "frame.write_parquet(path)",
        "path.parent.mkdir()",
        "tempfile.TemporaryDirectory()",
    ]
    assert [len(calls_that_write_files(ast.parse(line))) for line in writing] == [1] * len(writing)
    reading = ["open(path)", "path.open('rb')", "open(path, encoding='utf-8')", "folder.write(data, name)"]
    assert [calls_that_write_files(ast.parse(line)) for line in reading] == [[]] * len(reading)


# imports


MODULES = {module_of(path): path for path in FILES}


def imported(path):
    """The modules of ours that a file imports, inside functions and under TYPE_CHECKING too."""
    package = module_of(path).split(".")[: None if path.name == "__init__.py" else -1]
    names = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            full = {f"{module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else module for name in full}
    return names & MODULES.keys() - {module_of(path)}


def circles(imports):
    """The sets of modules that import each other, over however many steps; `imports`: module -> what it imports."""
    reached = {}
    for module in imports:
        seen, left = set(), [module]
        while left:
            new = imports[left.pop()] - seen
            seen |= new
            left += new
        reached[module] = seen
    return {
        frozenset(other for other in seen if module in reached[other])
        for module, seen in reached.items()
        if module in seen
    }


def test_no_files_import_each_other():
    found = circles({module: imported(path) for module, path in MODULES.items()})
    assert list(map(sorted, found)) == []


def test_every_kind_of_import_counts():
    imports = imported(SOURCE / "cli" / "__init__.py")
    assert {"neraca.cli.command", "neraca.errors"} <= imports
    assert "neraca.datasets.dataset" in imported(SOURCE / "__init__.py"), "it stands under TYPE_CHECKING"
    assert "neraca.datasets.read_dataset" in imported(SOURCE / "cli" / "ask.py"), "it stands in a function"
    assert "neraca.datasets.cells" in imported(SOURCE / "datasets" / "read_dataset.py"), "from a package"


def test_circles_are_found():
    imports = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a", "d"}}
    assert circles(imports) == {frozenset("abc"), frozenset("de")}
    assert circles({"a": {"b"}, "b": set()}) == set()


# the face


def test_the_face_is_importable():
    assert neraca.__all__
    assert all(getattr(neraca, name) is not None for name in neraca.__all__)
    assert set(neraca.__all__) <= set(dir(neraca))


def test_functions_of_the_face_write_out_their_keywords():
    """An editor can complete them, and a reader sees types and defaults."""
    kinds = {
        function.__name__: {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        for function in FACE_FUNCTIONS
    }
    assert [name for name, found in kinds.items() if inspect.Parameter.VAR_KEYWORD in found] == []


def test_the_face_does_not_pretend():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        neraca.nothing  # noqa: B018
    with pytest.raises(AttributeError, match=r"neraca\.prefer is now called neraca\.judge_pairs"):
        neraca.prefer  # noqa: B018


def test_type_checkers_and_python_see_the_same_face():
    seen = {}
    for node in ast.walk(tree(SOURCE / "__init__.py")):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            seen = {alias.asname or alias.name: part.module for part in node.body for alias in part.names}
    assert set(seen) == set(neraca.__all__)
    assert {name: seen[name] for name in seen} == {name: home_of(getattr(neraca, name), seen[name]) for name in seen}


def test_using_the_face_does_not_change_it():
    """A room of the same name would take the place of a verb as soon as it is imported."""
    told = in_new_process(
        "import pkgutil, inspect, neraca\n"
        "for found in pkgutil.iter_modules(neraca.__path__, 'neraca.'): __import__(found.name)\n"
        "print(*(name for name in neraca.__all__ if inspect.ismodule(getattr(neraca, name))))"
    )
    assert told == []


def home_of(thing, module):
    """The module if the face gives the very thing that is there."""
    return module if getattr(sys.modules.get(module), thing.__name__, None) is thing else f"not in {module}"


def test_importing_costs_next_to_nothing():
    before, after, *heavy = in_new_process(
        "import sys; before = len(sys.modules); import neraca; print(before, len(sys.modules), *sys.modules)"
    )
    assert int(after) - int(before) < MOST_MODULES
    assert not {"numpy", "scipy", "polars", "aiohttp", "openpyxl", "chromadb", "fastapi"} & set(heavy)


def test_python_counts_the_same_imports():
    told = run(sys.executable, "-X", "importtime", "-c", "import neraca").stderr
    assert 10 < len(told.splitlines()) < MOST_MODULES
    assert "| neraca" in told


def test_metrics_wait_for_scipy_and_polars_until_they_are_used():
    loaded = set(
        in_new_process(
            "import sys; from neraca.scores import score; from neraca.comparisons import compare; print(*sys.modules)"
        )
    )
    assert not {"scipy", "polars", "aiohttp", "openpyxl"} & loaded


# tests


#: Constants that tests change, by test file: limits that only much data reaches, one class of a fake library (USE), and
#: the address of a provider.
PATCHED = {
    "metrics/text/test_pair_counts_numpy.py": {"BITS"},
    "models/test_embed.py": {"USE"},
    "models/test_streamed_reply.py": {"_OPENAI"},
    "online/click_models/test_click_log.py": {"BLOCK", "MOST_ROWS", "SEARCHES_AT_ONCE"},
    "online/test_search_log.py": {"BYTES", "IN_MEMORY"},
    "reports/formats/test_html.py": {"IN_PLACE", "LIMIT", "MANY", "RICH"},
    "reports/test_page.py": {"FIRST", "IN_PLACE"},
    "runs/test_stored_records.py": {"BLOCK", "CHUNK", "LARGE"},
    "web/test_question_filters.py": {"PER_PAGE"},
    "web/test_run_index.py": {"_RESCAN_AFTER"},
}


def patched_constants(path):
    """Return the names in capitals that a test file sets in a module by `monkeypatch`."""
    text = path.read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)] if ".setattr(" in text else []
    named = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "setattr"]
    words = [word.value for call in named for word in call.args[:2] if isinstance(word, ast.Constant)]
    names = {str(word).rpartition(".")[2] for word in words}
    return {name for name in names if re.fullmatch(r"_?[A-Z][A-Z_]{2,}", name)}


def test_no_further_constant_is_patched():
    """Take real data that is large enough, a parameter, or test the smaller function."""
    tests = ROOT / "tests"
    patched = {path.relative_to(tests).as_posix(): patched_constants(path) for path in sorted(tests.rglob("*.py"))}
    assert {name: constants for name, constants in patched.items() if constants} == PATCHED


# what must not be published


@functools.cache
def published():
    """Text files that are, or would be, under version control; all sources where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    names = [name for name in listed.stdout.split("\0") if name] if listed.returncode == 0 else []
    paths = [ROOT / name for name in names] or [*SOURCE.rglob("*"), *(ROOT / "tests").rglob("*.py"), *ROOT.glob("*.*")]
    found = {}
    for path in paths:
        if path.is_file():
            try:
                found[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found


@pytest.mark.parametrize(
    "what, pattern",
    [
        ("paths of somebody's machine", r"(?<![\w.}~*])/(?:home|root|work|Users|mnt)/\w"),
        (
            "package indexes and mirrors",
            r"(?<!emit-)[i]ndex-url|[f]ind-links|[p]ythonhosted|[a]rtifactory|[d]evpi|/[s]imple/",
        ),
        ("hosts of a private network", r"://(?:10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"),
        ("keys", r"\bsk-[A-Za-z0-9]{20,}|\bghp_[A-Za-z0-9]{20,}|-----[B]EGIN [A-Z ]*PRIVATE"),
    ],
)
def test_no_file_names(what, pattern):
    found = [
        f"{name}:{text.count(chr(10), 0, hit.start()) + 1} {hit.group()}"
        for name, text in published().items()
        for hit in re.finditer(pattern, text)
    ]
    assert found == [], what


def test_the_patterns_find_what_they_are_for():
    assert len(published()) > len(FILES)
    assert any(name.endswith("test_house.py") for name in published())


def test_each_sentence_gets_the_values_that_it_names():
    """A sentence with a value too few ends with a `KeyError` where a user should read what is wrong."""
    wrong = []
    for path, call in nodes(ast.Call):
        template = call.args[0] if call.args else None
        if not (isinstance(call.func, ast.Name) and call.func.id == "say" and isinstance(template, ast.Constant)):
            continue
        values = {keyword.arg for keyword in call.keywords}
        fields = {re.split(r"[.\[]", name)[0] for _, name, *_ in Formatter().parse(template.value) if name}
        complete = fields == values if None not in values else True
        if values and not complete:
            wrong.append(f"{path.relative_to(ROOT)}:{call.lineno} {sorted(fields ^ values)}")
    assert wrong == [], "a value is missing, or too many are given"
