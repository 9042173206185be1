"""The Chromium of this machine, started as a test wants it."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from neraca.targets.browser import launch

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Without these features no window builds the two popups of its address bar: half of the CPU time of a small page.
OFF = "WebUIOmniboxPopup,WebUIOmniboxAimPopup"
#: What keeps a Chromium of a test to itself.
FLAGS = ["--no-sandbox", *launch.FLAGS]
SCRIPT = f"""#!/bin/sh
# Playwright names features that are off, and Chromium reads the last list alone: the others join that one.
for word; do
  shift
  case $word in --disable-features=*) word=$word,{OFF} ;; esac
  set -- "$@" "$word"
done
exec {{program}} "$@"
"""


def chromium_in(folder: Path) -> str:
    """A program in this folder that starts Chromium without the popups of its address bar.

    Without a Chromium the test is skipped; where CI is set it fails, so that none is ever missed.
    """
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        why = f"no Chromium is installed (looked for {', '.join(NAMES)} on PATH): apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    script = folder / "chromium"
    script.write_text(SCRIPT.format(program=shlex.quote(program)))
    script.chmod(0o755)
    return str(script)
