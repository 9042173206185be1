"""No code of Neraca starts a shell, runs text as code, or reads formats that run code when they are read."""

import ast
import tomllib
from pathlib import Path

import neraca

SOURCE = Path(neraca.__file__).parent
ROOT = Path(__file__).parents[2]
#: Modules whose formats run code when they are read.
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
CALLS = {"eval", "exec", "compile", "os.system", "os.popen", "os.execv", "subprocess.getoutput", "pty.spawn"}


def unsafe(text: str) -> list[str]:
    """What is not safe in a module, with its line."""
    remarks = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = {module.partition(".")[0], *(alias.name.partition(".")[0] for alias in node.names)}
            remarks += [f"{node.lineno}: imports {name}" for name in sorted(names & MODULES)]
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            remarks += [f"{node.lineno}: calls {called}"] if called in CALLS else []
            for keyword in node.keywords:
                value = keyword.value.value if isinstance(keyword.value, ast.Constant) else keyword.value
                if (keyword.arg == "shell" and value is not False) or (keyword.arg == "allow_pickle" and value):
                    remarks.append(f"{node.lineno}: {keyword.arg} is not off")
    return remarks


def test_no_module_is_unsafe():
    by_file = {str(path.relative_to(SOURCE)): unsafe(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert len(by_file) > 400
    assert {name: remarks for name, remarks in by_file.items() if remarks} == {}


def test_what_is_unsafe_is_seen():
    text = """
import pickle
from marshal import loads
subprocess.run("ls", shell=True)
eval(text)
os.system("ls")
np.load(file, allow_pickle=True)
np.load(file, allow_pickle=False)
re.compile("a")
"""
    assert unsafe(text) == [
        "2: imports pickle",
        "3: imports marshal",
        "4: shell is not off",
        "5: calls eval",
        "6: calls os.system",
        "7: allow_pickle is not off",
    ]


def test_the_version_to_cite_is_this_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\nversion: {project['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
