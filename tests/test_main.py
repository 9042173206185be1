import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest


def test_python_m_neraca_is_the_command_line():
    command = [sys.executable, "-m", "neraca"]
    told = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"neraca {version('neraca')}\n"
    wrong = subprocess.run([*command, "nothing"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "No such command 'nothing'" in wrong.stderr


#: A completion as bash asks for it when Tab is pressed.
SHELL = """
eval "$(neraca --show-completion bash)"
COMP_WORDS=({line}) COMP_CWORD={place}
_neraca_completion neraca
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("line", "place", "words"),
    [
        ("neraca sc", 1, ["score"]),
        ("neraca score --interv", 2, ["--intervals"]),
        ("neraca compare --test wi", 3, ["wilcoxon"]),
        ("neraca help dri", 2, ["drift"]),
        ("neraca metrics nDC", 2, ["nDCG"]),
        ("neraca init --for th", 3, ["thesis"]),
        ("neraca judge run --judge pair", 4, ["pairwise"]),
    ],
)
def test_bash_completes_commands_options_and_values(line, place, words):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = SHELL.format(line=line, place=place)
    completed = subprocess.run(["bash", "-c", script], env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert completed.stdout.split() == words, completed.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_are_answered_too(shell):
    variables = {"_NERACA_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "neraca sc"}
    variables["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    program = Path(sys.executable).with_name("neraca")
    completed = subprocess.run([program], env=os.environ | variables, capture_output=True, text=True)
    assert "score" in completed.stdout
    assert "serve" not in completed.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_completion_is_installed_for_neraca_however_it_was_called(tmp_path):
    """The shell is the one that starts the command, so bash does here; `true` keeps it from being replaced by it."""
    script = f"'{sys.executable}' -m neraca --install-completion; true"
    subprocess.run(["bash", "-c", script], env=os.environ | {"HOME": str(tmp_path)}, check=True, capture_output=True)
    (installed,) = (tmp_path / ".bash_completions").iterdir()
    assert installed.name == "neraca.sh"
    assert installed.read_text().rstrip().endswith("complete -o default -F _neraca_completion neraca")
