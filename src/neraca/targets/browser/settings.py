"""The settings of a `browser` target, and the profiles that fill them in."""

from __future__ import annotations

import msgspec

from neraca.targets.settings import Settings


class BrowserSettings(Settings, frozen=True, kw_only=True):
    """The settings of a `browser` target; all but `url` may be left out.

    Attributes
    ----------
    url
        The page with the chat.
    profile
        The name of a profile that comes with Neraca (`gradio`, `streamlit`, `chainlit`, `open-webui`), or a TOML
        file.  It replaces every setting here that has its default value.
    input, submit, response
        CSS selectors of the element to type the question in, of the button to send it, and of an answer (the last
        match counts).  They are searched for in every frame and in shadow roots.
    ignore
        CSS selector of elements inside an answer that are not part of it.
    busy
        CSS selector of an element that is there only while an answer is being written, such as a stop button.
    sources
        CSS selector of sources: each match that belongs to the newest answer becomes a hit.  If it is empty, it comes
        from the profile whose `mark` is on the page.
    mark
        CSS selector of an element that is on every page of the profile's front end.
    still
        Seconds without a change that every answer needs, and that end it if no sign on the page does; 0: 15 s, and an
        answer without a sign is suspect.
    watch
        Seconds for which an answer must not change after its end, until the page is known not to change answers; 0:
        answers are not watched.
    ends
        The sign that ends an answer, as `--profile-out` has found it: `stop`, `composed`, `moving`, `open`, `asking`,
        `told` or `sent`.
    click
        CSS selectors of elements to click, one after the other, when the page has opened: cookie banners, chat bubbles.
    links
        Whether links keep their address, as Markdown.
    browser, headed
        The program of the browser, and whether its window is shown.
    storage_state
        A file with cookies and local storage, as `neraca browser --login` saves it.
    headers, user_agent, locale, timezone, viewport, proxy
        Options of every page; `viewport` is "WIDTHxHEIGHT".  Headers may hold `${NAME}` of the environment.
    basic_auth
        `NAME:PASSWORD` of HTTP authentication, best written `${NAME}`.
    open_timeout
        Seconds within which the page must have opened and its input been found.
    """

    url: str
    profile: str = ""
    input: str = ""
    submit: str = ""
    response: str = ""
    ignore: str = ""
    busy: str = ""
    sources: str = ""
    mark: str = ""
    click: list[str] = msgspec.field(default_factory=list)
    links: bool = True
    still: float = 0.0
    watch: float = 10.0
    ends: str = ""
    browser: str = ""
    headed: bool = False
    storage_state: str = ""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    basic_auth: str = ""
    user_agent: str = ""
    locale: str = ""
    timezone: str = ""
    viewport: str = "1280x900"
    proxy: str = ""
    open_timeout: float = 30.0
