"""The script that reads a page from inside, and what it says."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from neraca.errors import MissingExtra

try:
    from playwright.async_api import Error as Error
except ImportError as _missing:
    raise MissingExtra('a browser as the target needs Playwright: pip install "neraca[browser]"') from _missing

if TYPE_CHECKING:
    from playwright.async_api import Frame

_PARTS = ("blocks", "find", "work", "answer")
_SCRIPT = "\n".join(
    (
        "(() => { if (window.__neraca) return;",
        *((files("neraca.targets.browser") / "page" / f"{part}.js").read_text(encoding="utf-8") for part in _PARTS),
        "})();",
    )
)
#: Runs before the scripts of every page: counts the sockets that were lost, which only the page can tell, and leaves
#: every shadow root open.
BEFORE_ALL = """(() => { const Plain = WebSocket, attach = Element.prototype.attachShadow; window.__neracaLost = 0;
window.WebSocket = class WebSocket extends Plain { constructor(...given) { super(...given);
this.addEventListener('close', (event) => { window.__neracaLost += event.wasClean ? 0 : 1; }); } };
Element.prototype.attachShadow = function (how) { return attach.call(this, { ...how, mode: 'open' }); }; })();"""
_LOOK = "() => (window.__neraca && __neraca.state.query ? __neraca.look() : null)"
_ANEW = (
    *("not attached", "context was destroyed", "__neraca", "navigat", "Frame was detached", "Cannot find context"),
    *("JSHandle is disposed", "JSHandles can be evaluated only", "Unable to adopt"),
)


async def call(frame: Frame, name: str, *arguments: Any) -> Any:
    """What a function of the script gives in this frame."""
    await frame.evaluate(_SCRIPT)
    return await frame.evaluate(f"arguments => __neraca.{name}(...arguments)", list(arguments))


async def look(frame: Frame) -> dict[str, Any] | None:
    """What is to be seen in the frame now; None where it has been loaded anew since the question."""
    seen: dict[str, Any] | None = await frame.evaluate(_LOOK)
    return seen


def made_anew(error: Error) -> bool:
    """Whether an error only says that a page, a frame or an element has been made anew."""
    return any(sign in str(error) for sign in _ANEW)
