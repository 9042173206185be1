"""Starts a page in a process of its own: `with serve("gradio") as site: … site.url`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent

PROGRAMS: dict[str, tuple[str, ...]] = {
    "gradio": ("-m", "pages.gradio_chat", "{port}"),
    "streamlit": ("-m", "streamlit", "run", str(HERE / "streamlit_chat.py"), "--server.port", "{port}"),
    "nicegui": ("-m", "pages.nicegui_chat", "{port}"),
    "plain": ("-m", "pages.plain", "{port}"),
}
"""What Python is to run for each name."""

# Nothing is reported to anybody, no newer version asked for, and no browser opened.
QUIET = {
    "DO_NOT_TRACK": "1",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
    "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
    "STREAMLIT_SERVER_HEADLESS": "true",
    "STREAMLIT_CLIENT_TOOLBAR_MODE": "viewer",
    "NO_PROXY": "127.0.0.1",
}


@dataclass(frozen=True)
class Site:
    """A page that answers; its address has no slash at the end."""

    url: str


@contextmanager
def serve(name: str, *, speed: float | None = None, patience: float = 180) -> Iterator[Site]:
    """Keep the page of this name up; `speed` is how many times faster than life its bot speaks.

    Raises `RuntimeError` with what the program printed where it ends, or does not answer in `patience` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="neraca-pages-", ignore_cleanup_errors=True) as folder:
        port = _free_port()
        # NiceGUI behaves otherwise under pytest; what asks it questions must not be seen by what answers.
        ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = ours | QUIET | {"HOME": folder, "TMPDIR": folder, "PYTHONPATH": str(HERE.parent)}
        if speed is not None:
            environment["NERACA_PAGES_SPEED"] = str(speed)
        command = [sys.executable, *(word.format(port=port) for word in PROGRAMS[name])]
        log = Path(folder) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _await_page(url, process, log, patience)
            yield Site(url)
        finally:
            _end(process)


def _await_page(url: str, process: subprocess.Popen[bytes], log: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while not _answers(url):
        if process.poll() is not None or time.monotonic() > end:
            how = "does not answer" if process.poll() is None else f"ended with {process.returncode}"
            raise RuntimeError(f"{url} {how}:\n{log.read_text(errors='replace')[-4000:]}")
        time.sleep(0.1)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and whatever it started."""
    for which in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, which)
            process.wait(timeout=5)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
