"""Where on a page a question is typed: pages that hide it, build it late, or have none."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from html import escape
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Page
from targets.serving import serving

from neraca.targets.browser.input_locator import InputLocator, Place
from neraca.targets.browser.launch import Program, start
from neraca.targets.browser.reply import LoginNeeded, PageError
from neraca.targets.browser.script import BEFORE_ALL
from neraca.targets.browser.settings import BrowserSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAT = '<textarea id="it" placeholder="Your message"></textarea>'


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def only(chromium: str) -> AsyncIterator[Page]:
    running = await start(Program(chromium, "the tests"))
    one = await (await running.context({"viewport": {"width": 1280, "height": 900}})).new_page()
    await one.add_init_script(BEFORE_ALL)
    yield one
    await running.end()


@pytest_asyncio.fixture(loop_scope="module")
async def page(only: Page) -> Page:
    await only.goto("about:blank")
    return only


def frame(html: str) -> str:
    return f'<iframe style="width: 900px; height: 300px" srcdoc="{escape(html)}"></iframe>'


async def find(page: Page, html: str, seconds: float = 60.0, **settings: Any) -> Place:
    await page.set_content(html)
    given = BrowserSettings(url="http://127.0.0.1/", open_timeout=seconds, **settings)
    return await InputLocator(page, given).locate()


async def name(place: Place) -> str:
    assert await place.element.evaluate("one => one.isConnected")
    return str(await place.element.evaluate("one => one.id"))


async def test_the_best_place_of_all_frames_is_taken(page: Page) -> None:
    html = f'<input type="search" placeholder="Search">{frame(f"<p>deep</p>{frame(CHAT)}")}{frame("<input>")}'
    place = await find(page, html)
    assert await name(place) == "it"
    assert place.frame.parent_frame is not None
    assert place.frame.parent_frame.parent_frame == page.main_frame


async def test_a_selector_is_looked_for_in_every_frame_and_its_last_match_taken(page: Page) -> None:
    html = f"{CHAT}{frame('<input class=q id=no><input class=q id=yes>')}"
    place = await find(page, html, input=".q")
    assert await name(place) == "yes"
    assert place.frame != page.main_frame


async def test_a_selector_is_waited_for_until_it_is_seen(page: Page) -> None:
    html = "<input class=q id=yes hidden><script>setTimeout(() => { yes.hidden = false }, 1500)</script>"
    assert await name(await find(page, html, input=".q")) == "yes"


async def test_a_place_that_is_thrown_away_again_and_again_is_not_taken(page: Page) -> None:
    script = (
        "let left = 10; const timer = setInterval(() => { const last = !--left; if (last) clearInterval(timer);"
        " document.querySelector('div').innerHTML = `<input id=${last ? 'last' : 'early'}>` }, 150)"
    )
    assert await name(await find(page, f"<div>{CHAT}</div><script>{script}</script>")) == "last"


async def test_a_frame_that_goes_away_meanwhile_is_forgotten(page: Page) -> None:
    html = (
        f"{frame(CHAT)}<script>setTimeout(() => document.querySelector('iframe').remove(), 300)</script><input id=it>"
    )
    place = await find(page, html)
    assert (await name(place), place.frame) == ("it", page.main_frame)


async def test_what_is_to_be_clicked_is_clicked_in_its_order_and_once(page: Page) -> None:
    html = (
        "<script>clicks = []; function more(id) { clicks.push(id) }</script>"
        '<button id=first onclick="more(1); second.hidden = false">Accept</button>'
        "<button id=second hidden onclick=\"more(2); document.body.insertAdjacentHTML('beforeend', '<input id=it>')\">"
        "Start</button>"
    )
    place = await find(page, html, click=["#first", "#never", "#second"])
    assert await name(place) == "it"
    assert await page.evaluate("clicks") == [1, 2]


async def test_what_is_to_be_clicked_may_be_in_a_frame(page: Page) -> None:
    inside = "<button onclick=\"document.body.innerHTML = '<input id=it>'\">Start</button>"
    assert await name(await find(page, frame(inside), click=["button"])) == "it"


async def test_a_chat_behind_a_bubble_in_a_frame_is_opened(page: Page) -> None:
    bubble = (
        "<style>button { position: fixed; right: 5px; bottom: 5px }</style>"
        "<button aria-label='Open chat' onclick=\"document.body.innerHTML = '<textarea id=it></textarea>'\">?</button>"
    )
    assert await name(await find(page, f"<h1>Houses</h1>{frame(bubble)}")) == "it"


async def test_a_selector_that_matches_nothing_is_named(page: Page) -> None:
    with pytest.raises(PageError, match=r"nothing matches '#nope' within 1 s"):
        await find(page, CHAT, 1.0, input="#nope")


async def test_a_dialog_that_lies_over_the_page_is_named(page: Page) -> None:
    html = "<div role=dialog><p>We value your privacy</p><button>Accept</button></div>"
    with pytest.raises(PageError, match=r"'We value your privacy Accept' lies over the page: name its button with"):
        await find(page, html, 1.0)


@pytest.mark.parametrize("html", ["{}", "<p>Hello</p><iframe srcdoc='{}'></iframe>"])
async def test_a_page_that_asks_for_a_password_is_told_at_once(page: Page, html: str) -> None:
    form = "<form><input name=user><input type=password></form>"
    begun = time.monotonic()
    with pytest.raises(LoginNeeded, match="asks for a password: log in once with"):
        await find(page, html.format(form), 600.0)
    assert time.monotonic() - begun < 300


async def test_a_password_beside_a_chat_is_no_login_page(page: Page) -> None:
    assert await name(await find(page, f"<form><input type=password></form>{CHAT}")) == "it"


async def test_places_that_have_gone_are_not_the_same(page: Page) -> None:
    place = await find(page, CHAT)
    assert await place.is_same(place)
    await page.evaluate("it.remove()")
    assert not await place.is_same(place)
    await page.goto("about:blank")
    assert not await place.is_same(place)


async def test_a_chat_behind_a_bubble_is_opened_before_a_search_of_the_site_is_used(page: Page) -> None:
    bubble = (
        "<button style='position: fixed; right: 5px; bottom: 5px' aria-label='Open chat' onclick=\""
        "document.body.insertAdjacentHTML('beforeend', '<input id=it>')\">?</button>"
    )
    assert await name(await find(page, f"<input type=search placeholder='Search or ask'>{bubble}")) == "it"
    assert await name(await find(page, f"{CHAT}{bubble.replace('id=it', 'id=other')}")) == "it"


async def test_a_closed_shadow_root_is_looked_into_like_an_open_one(page: Page) -> None:
    root = "document.querySelector('x-chat').attachShadow({ mode: 'closed' })"
    html = f"<x-chat></x-chat><script>{root}.innerHTML = '<textarea id=it></textarea>'</script>"
    assert await name(await find(page, html)) == "it"


async def test_a_page_that_is_drawn_is_refused_soon(page: Page) -> None:
    begun = time.monotonic()
    with pytest.raises(PageError, match=r'drawn on a canvas.*: ask the system itself, with kind = "http"'):
        await find(page, "<canvas width=900 height=800></canvas>", 60.0)
    assert time.monotonic() - begun < 20, "seconds of a busy machine; two where it rests"


async def test_a_login_without_a_form_or_on_another_host_is_told(page: Page) -> None:
    with pytest.raises(LoginNeeded, match="asks for a password"):
        await find(page, "<div><input placeholder=Account></div><div><input type=password></div>")

    async def account(request: web.Request) -> web.Response:
        return web.Response(text="<input placeholder='Your account'>", content_type="text/html")

    async with serving(account) as url:
        await page.goto(url.replace("127.0.0.1", "localhost"))
        with pytest.raises(LoginNeeded, match="the page sent the browser to localhost: log in once"):
            await InputLocator(page, BrowserSettings(url="http://127.0.0.1/")).locate()


def banner(text: str, *labels: str, style: str = "position: fixed; inset: auto 0 0 0") -> str:
    """Return a banner whose buttons say which of them was clicked."""
    click = "top.clicked = this.textContent; this.parentNode.remove()"
    buttons = "".join(f'<button onclick="{click}">{label}</button>' for label in labels)
    return f'<div style="{style}"><p>{text}</p>{buttons}</div>'


@pytest.mark.parametrize(
    "text, labels, clicked",
    [
        ("We use cookies.", ("Accept all", "Reject all"), "Reject all"),
        ("Usamos cookies propias.", ("Aceptar", "Configurar", "Rechazar todas"), "Rechazar todas"),
        ("Wir verwenden Cookies.", ("Alle akzeptieren", "Nur notwendige Cookies"), "Nur notwendige Cookies"),
        ("Мы используем куки.", ("Принять",), "Принять"),
        ("当サイトはクッキーを使用します。", ("同意する", "拒否する"), "拒否する"),
        ("Cookies, or pay.", ("Subscribe and reject for 3 €", "Accept and log in", "Agree"), "Agree"),
    ],
)
async def test_a_banner_for_cookies_is_dismissed_first(page: Page, text: str, labels: Any, clicked: str) -> None:
    assert await name(await find(page, f"{CHAT}{banner(text, *labels)}")) == "it"
    assert await page.evaluate("window.clicked") == clicked


@pytest.mark.parametrize(
    "html",
    [
        frame("<p>We use cookies.</p><button onclick='top.clicked = 1'>Reject all</button>"),
        "<div id=host></div><script>host.attachShadow({mode: 'closed'}).innerHTML = "
        "`<div role=dialog>Your privacy<button onclick='window.clicked = 1'>Decline</button></div>`</script>",
    ],
)
async def test_a_banner_in_a_frame_or_a_shadow_root_is_dismissed(page: Page, html: str) -> None:
    assert await name(await find(page, CHAT + html)) == "it"
    assert await page.evaluate("window.clicked") == 1


@pytest.mark.parametrize(
    "html",
    [
        banner("We deliver tomorrow.", "Accept", "Decline"),
        banner("We use cookies.", "Buy and accept", "Subscribe"),
        banner("We use cookies.", "Accept", style=""),
    ],
)
async def test_no_other_button_is_clicked(page: Page, html: str) -> None:
    await page.evaluate("window.clicked = 0")
    assert await name(await find(page, CHAT + html)) == "it"
    assert not await page.evaluate("window.clicked")


async def test_a_search_of_the_site_is_taken_only_where_there_is_nothing_else(page: Page) -> None:
    search = '<form role=search><input id=search placeholder="Ask us anything"></form>'
    assert await name(await find(page, search)) == "search"
    assert await name(await find(page, f"{search}<input id=it>")) == "it"
    late = "setTimeout(() => { document.body.insertAdjacentHTML('beforeend', `<input id=it>`) }, 1500)"
    assert await name(await find(page, f"{search}<script>{late}</script>")) == "it"
