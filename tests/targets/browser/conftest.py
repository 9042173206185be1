"""A real Chromium, and the pages that it is to question; each program is started once and ended with the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import chromium_in
from pages.serve import Site, serve


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program that starts the browser; without one, tests are skipped."""
    return chromium_in(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def plain_pages() -> Iterator[Site]:
    """The hand-made ones: `plain_pages.url + path` with a path of `pages.plain.PAGES`, `?speed=10` behind it."""
    with serve("plain") as site:
        yield site
