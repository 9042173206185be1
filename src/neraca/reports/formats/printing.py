"""Print pages and drawings with the browser of this machine: PNG and PDF."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from neraca.errors import TargetError
from neraca.reports.figures.figures import Picture

if TYPE_CHECKING:
    from playwright.async_api import Page

    from neraca.targets.browser.launch import Program

#: Seconds in which a page must be drawn: on a busy machine half a minute is not enough.
_PATIENCE = 120
#: Pixels of a picture for each pixel of a page: enough for print.
_DOTS = 3
_PAPER = {"top": "16mm", "bottom": "16mm", "left": "14mm", "right": "14mm"}


def find_printer() -> Program:
    """Return the browser that prints; without one, raise `SpecError` or `MissingExtra` with what to install."""
    from neraca.targets.browser.launch import find_browser

    return find_browser()


def print_page(html: str) -> bytes:
    """Print a page as PDF on A4; raise as `find_printer`, and `TargetError` if the browser does not start."""

    async def printed(page: Page) -> bytes:
        await page.set_content(html)
        return await page.pdf(format="A4", print_background=True, margin=_PAPER)  # type: ignore[arg-type]

    return _with_browser([printed])[0]


def print_figures(pictures: Sequence[Picture], kinds: Iterable[str] = (".png", ".pdf")) -> dict[tuple[str, str], bytes]:
    """Print figures: (name, kind) → a PNG three times as fine as a screen, or a PDF of the figure's size.

    Raise as `print_page`.
    """

    def printer_of(picture: Picture, kind: str) -> Any:
        async def outputs(page: Page) -> bytes:
            await page.set_viewport_size({"width": picture.width, "height": picture.height})
            await page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{picture.svg}")
            if kind == ".png":
                return await page.screenshot()
            # one pixel more: a page that is exactly full is followed by an empty one
            return await page.pdf(width=f"{picture.width}px", height=f"{picture.height + 1}px", print_background=True)

        return outputs

    outputs = [(picture, kind) for picture in pictures for kind in kinds]
    contents = _with_browser([printer_of(picture, kind) for picture, kind in outputs])
    return {(picture.name, kind): data for (picture, kind), data in zip(outputs, contents, strict=True)}


def _with_browser(jobs: Sequence[Any]) -> list[bytes]:
    """Run each job on one page, in a thread of its own, since an event loop may be running here."""
    program = find_printer()

    async def work() -> list[bytes]:
        from playwright.async_api import Error

        from neraca.targets.browser.launch import start

        started = await start(program)
        try:
            context = await started.context({"device_scale_factor": _DOTS, "color_scheme": "light", "offline": True})
            page = await context.new_page()
            page.set_default_timeout(_PATIENCE * 1000)
            return [await job(page) for job in jobs]
        except Error as error:
            raise TargetError(f"the browser did not print: {str(error).splitlines()[0]}; try again") from error
        finally:
            await started.end()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work()).result()
