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
        file; its settings hold where these say nothing.
    input, submit, response
        CSS selectors of the element that takes the question, of what is clicked to send it, and of an answer
        (the last match counts).  They are looked for in every frame and in shadow roots.
    ignore
        What inside an answer is not part of it.
    busy
        What is on the page only while an answer is being written, such as a stop button.
    sources
        Each match that belongs to the newest answer is a source, and becomes a hit.  Where nothing is named, the
        sources of a profile whose `mark` is on the page.
    mark
        What is on every page of the front end that a profile is for.
    still
        Seconds without a change that end an answer where nothing on the page tells its end; 0: 15, and the answer is
        suspect.
    ends
        By what the page tells the end of an answer, as `--profile-out` has found it: `stop`, `composed`, `moving`,
        `open`, `asking` or `sent`.
    click
        Clicked one after the other when the page has opened, where they are there: cookie banners, chat bubbles.
    links
        Whether links keep their address, as Markdown.
    browser, headed
        The program of the browser, and whether its window is shown.
    storage_state
        A file with cookies and local storage, as `neraca browser --login` saves it.
    headers, user_agent, locale, timezone, viewport, proxy
        Of every page; `viewport` is "WIDTHxHEIGHT".  Headers may hold `${NAME}` of the environment.
    basic_auth
        `NAME:PASSWORD` of HTTP authentication, best written `${NAME}`.
    open_timeout
        Seconds until the page must have opened and its input be found.
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
