"""Start a process so that it can be killed together with its descendants, on any system."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

#: Arguments for `subprocess` that keep Ctrl-C from the process and let `kill_tree` reach its descendants.
OWN_GROUP: dict[str, Any] = (
    {"start_new_session": True}
    if hasattr(os, "killpg")
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)


def kill_tree(process: int, *, ended: bool) -> None:
    """Kill a process and its descendants.

    Parameters
    ----------
    process
        The id of a process that was started with `OWN_GROUP`.
    ended
        Whether it has ended by itself.  Windows then cannot find its descendants and leaves them running.
    """
    if hasattr(os, "killpg") and hasattr(signal, "SIGKILL"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
    elif not ended:
        command = ["taskkill", "/F", "/T", "/PID", str(process)]  # a program of Windows
        subprocess.run(command, capture_output=True, check=False)
