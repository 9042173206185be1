"""Pages and drawings printed by the browser of this machine: PNG and PDF."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from neraca.reports.figures.figures import WIDTH, Picture

if TYPE_CHECKING:
    from playwright.async_api import Page

    from neraca.targets.browser.launch import Program

#: Dots of a picture for each pixel of a page: enough for print.
_DOTS = 3
_PAPER = {"top": "16mm", "bottom": "16mm", "left": "14mm", "right": "14mm"}


def find_printer() -> Program:
    """The browser that prints; raises `SpecError` or `MissingExtra`, with what to install, where there is none."""
    from neraca.targets.browser.launch import find_browser

    return find_browser()


def print_page(html: str) -> bytes:
    """Print a page as PDF on A4; raises as `find_printer`, and `TargetError` where the browser does not start."""

    async def printed(page: Page) -> bytes:
        await page.set_content(html)
        return await page.pdf(format="A4", print_background=True, margin=_PAPER)  # type: ignore[arg-type]

    return _with_browser([printed])[0]


def print_figures(drawn: Sequence[Picture], kinds: Iterable[str] = (".png", ".pdf")) -> dict[tuple[str, str], bytes]:
    """Print figures: (name, kind) → a PNG three times as fine as a screen, or a PDF of the figure's size.

    Raises as `print_page`.
    """

    def job(figure: Picture, kind: str) -> Any:
        async def printed(page: Page) -> bytes:
            await page.set_viewport_size({"width": WIDTH, "height": figure.height})
            await page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{figure.svg}")
            if kind == ".png":
                return await page.screenshot()
            # a pixel is added, since a page that is just full makes a second, empty one
            return await page.pdf(width=f"{WIDTH}px", height=f"{figure.height + 1}px", print_background=True)

        return printed

    printed = [(figure, kind) for figure in drawn for kind in kinds]
    bytes_of = _with_browser([job(figure, kind) for figure, kind in printed])
    return {(figure.name, kind): data for (figure, kind), data in zip(printed, bytes_of, strict=True)}


def _with_browser(jobs: Sequence[Any]) -> list[bytes]:
    """Do each job on one page; in a thread of its own, since a loop may be running here."""
    program = find_printer()

    async def work() -> list[bytes]:
        from neraca.targets.browser.launch import start

        started = await start(program)
        try:
            context = await started.context({"device_scale_factor": _DOTS, "color_scheme": "light", "offline": True})
            page = await context.new_page()
            return [await job(page) for job in jobs]
        finally:
            await started.end()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work()).result()
