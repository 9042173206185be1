import subprocess
import sys
from importlib.metadata import version


def test_python_m_neraca_is_the_command_line():
    command = [sys.executable, "-m", "neraca"]
    told = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"neraca {version('neraca')}\n"
    wrong = subprocess.run([*command, "nothing"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "No such command 'nothing'" in wrong.stderr
