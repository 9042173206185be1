"""Run the script that reads a page from inside."""

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

_PARTS = ("blocks", "find", "consent", "work", "furniture", "answer")
_SCRIPT = "\n".join(
    (
        "(() => { if (window.__neraca) return;",
        *((files("neraca.targets.browser") / "page" / f"{part}.js").read_text(encoding="utf-8") for part in _PARTS),
        "})();",
    )
)
#: Runs before the scripts of every page.  It counts lost sockets, which are visible only inside the page, and keeps
#: every shadow root open.
BEFORE_ALL = """(() => { const Plain = WebSocket, attach = Element.prototype.attachShadow; window.__neracaLost = 0;
window.WebSocket = class WebSocket extends Plain { constructor(...given) { super(...given);
this.addEventListener('close', (event) => { window.__neracaLost += event.wasClean ? 0 : 1; }); } };
Element.prototype.attachShadow = function (how) { return attach.call(this, { ...how, mode: 'open' }); }; })();"""
_CALL = "([name, given]) => (window.__neraca ? { value: __neraca[name](...given) } : null)"
_LOOK = "() => (window.__neraca && __neraca.state.query ? __neraca.look() : null)"
_RELOAD_MESSAGES = (
    *("not attached", "context was destroyed", "__neraca", "navigat", "Frame was detached", "Cannot find context"),
    "Cannot read properties of null",
    *("JSHandle is disposed", "JSHandles can be evaluated only", "Unable to adopt"),
)


async def call(frame: Frame, name: str, *arguments: Any) -> Any:
    """Call a function of the script in this frame and return its result; a frame without the script gets it first."""
    if (result := await frame.evaluate(_CALL, [name, list(arguments)])) is None:
        await frame.evaluate(_SCRIPT)
        result = await frame.evaluate(_CALL, [name, list(arguments)]) or {}
    return result.get("value")


async def look(frame: Frame) -> dict[str, Any] | None:
    """Return what the frame shows now; None if it has been reloaded since the question."""
    state: dict[str, Any] | None = await frame.evaluate(_LOOK)
    return state


def made_anew(error: Error) -> bool:
    """Return whether an error only says that a page, a frame or a node has been replaced while it was read."""
    return any(sign in str(error) for sign in _RELOAD_MESSAGES)
