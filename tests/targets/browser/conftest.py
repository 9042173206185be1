"""A real Chromium, and the pages that it is to question; each program is started once and ended with the tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from pages.serve import Site, serve

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is.  Without one, tests are skipped; where CI is set they fail, so that none is ever missed."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        why = f"no Chromium is installed (looked for {', '.join(PROGRAMS)} on PATH): apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    return found


@pytest.fixture(scope="session")
def gradio_page() -> Iterator[Site]:
    with serve("gradio") as site:
        yield site


@pytest.fixture(scope="session")
def streamlit_page() -> Iterator[Site]:
    with serve("streamlit") as site:
        yield site


@pytest.fixture(scope="session")
def nicegui_page() -> Iterator[Site]:
    with serve("nicegui") as site:
        yield site


@pytest.fixture(scope="session")
def plain_pages() -> Iterator[Site]:
    """The hand-made ones: `plain_pages.url + path` with a path of `pages.plain.PAGES`, `?speed=10` behind it."""
    with serve("plain") as site:
        yield site
