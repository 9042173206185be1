"""A process and all that it starts: begun so that they can be ended together, on any system."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

#: What to start a process with, so that Ctrl-C does not reach it and `kill_tree` reaches what it starts.
OWN_GROUP: dict[str, Any] = (
    {"start_new_session": True}
    if hasattr(os, "killpg")
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)


def kill_tree(process: int, *, ended: bool) -> None:
    """Kill a process and what it has started.

    Parameters
    ----------
    process
        Its id; it was started with `OWN_GROUP`.
    ended
        Whether it has ended by itself.  Windows then no longer finds what it started, and leaves that running.
    """
    if hasattr(os, "killpg") and hasattr(signal, "SIGKILL"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
    elif not ended:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process)], capture_output=True, check=False)
