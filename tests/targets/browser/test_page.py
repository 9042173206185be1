"""What the script reads off a page: small pages in real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from neraca.targets.browser.launch import Program, Started, start
from neraca.targets.browser.script import call, look
from neraca.targets.browser.watch import Learned

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUERY = "What is the price?"
COMPOSER = '<form class="composer"><input id="question" placeholder="Ask something"><button>Send</button></form>'
OPTIONS = {"ignore": "", "links": True, "busy": "", "sources": "", "response": ""}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(chromium: str) -> AsyncIterator[Started]:
    running = await start(Program(chromium, "the tests"))
    yield running
    await running.end()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def only(started: Started) -> Page:
    context = await started.context({"viewport": {"width": 1280, "height": 900}})
    return await context.new_page()


@pytest_asyncio.fixture(loop_scope="module")
async def page(only: Page) -> Page:
    """An empty page, on which no script has run."""
    await only.goto("about:blank")
    return only


async def arm(page: Page, query: str = QUERY, **options: Any) -> None:
    """Be ready for the answer to this question."""
    place = await page.query_selector("#question")
    await call(page.main_frame, "arm", query, place, OPTIONS | options, Learned().place, None)


async def lay_out(page: Page, body: str, *, head: str = "", **options: Any) -> None:
    """Show a page and be ready for a question."""
    await page.set_content(f'<base href="https://houses.example/">{head}<body>{body}{COMPOSER}</body>')
    await arm(page, **options)


async def put(page: Page, html: str, into: str = "main") -> None:
    await page.evaluate("([s, h]) => document.querySelector(s).insertAdjacentHTML('beforeend', h)", [into, html])


async def seen(page: Page) -> dict[str, Any]:
    found = await look(page.main_frame)
    assert found is not None
    return found


async def answer(page: Page, html: str, into: str = "main") -> str:
    """The answer, once this has come."""
    await put(page, html, into)
    return str((await seen(page))["text"])


async def read(page: Page, html: str, head: str = "", **options: Any) -> str:
    """What is written down of an answer that consists of this."""
    await lay_out(page, "<main></main>", head=head, response="main", **options)
    return await answer(page, html)


# how an answer is written down

MARKDOWN = {
    "paragraphs": ("<p>One\n two</p> <p>Three</p>", "One two\nThree"),
    "marks in a line": ("<p>A <b>b</b><i>c</i> <code>d</code> <mark>e</mark>m<sup>2</sup></p>", "A bc d em2"),
    "citations": (
        '<p>A<sup>[1]</sup> b<a href="#s">[2]</a> c<sup><a href="/x">3</a></sup> d<span class="citation">4</span>.</p>',
        "A b c d.",
    ),
    "a nested list": (
        "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul><p>e</p>",
        "- a\n  - b\n    1. c\n- d\ne",
    ),
    "paragraphs in a list": ("<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", "- a\n  b\n- c"),
    "an ordered list": ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
    "a list from three": ('<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"),
    "a list with values": ('<ol><li>a</li><li value="7">b</li></ol>', "1. a\n7. b"),
    "a list of links": ('<ul><li><a href="/x">a</a></li></ul>', "- [a](https://houses.example/x)"),
    "a table with a head": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><b>2</b></td></tr></tbody></table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a table without a head": (
        "<p>x</p><table><tr><td>1</td><td></td></tr><tr><td>3</td><td><p>4</p><p>5</p></td></tr></table><p>y</p>",
        "x\n| 1 |  |\n| --- | --- |\n| 3 | 4 5 |\ny",
    ),
    "an empty row": ("<table><tr><td> </td></tr><tr><td>1</td></tr></table>", "| 1 |\n| --- |"),
    "a link in a table": (
        '<table><tr><td><a href="/x">a</a></td></tr></table>',
        "| [a](https://houses.example/x) |\n| --- |",
    ),
    "a link elsewhere": ('See <a href="https://a.example/b">the  b</a>.', "See [the b](https://a.example/b)."),
    "an address as its own link": ('<a href="https://a.example/b">https://a.example/b</a>', "https://a.example/b"),
    "an address without its slash": ('<a href="https://a.example">https://a.example</a>', "https://a.example"),
    "a relative link": ('<a href="rooms?n=4">rooms</a>', "[rooms](https://houses.example/rooms?n=4)"),
    "an address for letters": ('<a href="mailto:a@b.example">a@b.example</a>', "a@b.example"),
    "a name for letters": ('<a href="mailto:a@b.example">Ana</a>', "[Ana](mailto:a@b.example)"),
    "a link within the page": ('<a href="#note">see the note</a>', "see the note"),
    "a link that runs a script": ('<a href="javascript:void 0">more</a> <a>there</a>', "more there"),
    "a link without text": ('Four<a href="/x"><img alt=""></a>', "Four"),
    "code": (
        "<p>Send:</p><pre><code>GET /houses\n  Accept: text\n\n</code></pre><p>Done</p>",
        "Send:\n```\nGET /houses\n  Accept: text\n```\nDone",
    ),
    "broken lines": ("a<br>b<br><br>c", "a\nb\nc"),
    "lines that are kept": ('<div style="white-space: pre-line">a\n b\n\nc</div>', "a\nb\nc"),
    "lines that are wrapped": ('<div style="white-space: pre-wrap">a\n  b</div><div>c\nd</div>', "a\nb\nc d"),
    "words that are boxes": ('<p>a<span style="display: inline-block">b</span> <i>c</i></p>', "ab c"),
    "words that are animated": ("<p><span>a </span><span>b </span><span>c</span></p>", "a b c"),
    "boxes beside each other": ('<div style="display: flex"><span>a</span><span>b</span></div>', "a\nb"),
    "boxes without a box": ('<p>a <span style="display: contents">b</span></p>', "a b"),
    "headings and quotes": ("<h2>a</h2><blockquote><p>b</p></blockquote><hr>c", "a\nb\nc"),
    "a list of terms": ("<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"),
    "a picture": ('<p>a</p><figure><img alt="no"><figcaption>b</figcaption></figure>', "a\nb"),
    "spaces of all kinds": ("<p>a&nbsp;b\u200b \u00a0 c\ufeff</p>", "a b c"),
    "signs that are marks elsewhere": ("<p>1 &lt; 2 &amp; *a* | _b_ # c</p>", "1 < 2 & *a* | _b_ # c"),
    "right to left": ('<p dir="rtl">نعم، يوجد <b>موقف</b>.</p>', "نعم، يوجد موقف."),
}


@pytest.mark.parametrize("html, text", MARKDOWN.values(), ids=MARKDOWN)
async def test_an_answer_is_written_down_as_markdown(page: Page, html: str, text: str) -> None:
    assert await read(page, html) == text


async def test_links_may_be_left_out(page: Page) -> None:
    assert await read(page, '<p>See <a href="/x">this</a></p>', links=False) == "See this"


HIDDEN = {
    "not displayed": '<p style="display: none">no</p>',
    "the attribute hidden": "<p hidden>no</p>",
    "invisible": '<p style="visibility: hidden">no</p>',
    "inside what is not displayed": '<div style="display: none"><section><p>no</p></section></div>',
    "for screen readers, clipped": '<span style="position: absolute; clip: rect(0, 0, 0, 0)">no</span>',
    "for screen readers, by a path": '<span style="position: absolute; clip-path: inset(50%)">no</span>',
    "for screen readers, one pixel": (
        '<h6 style="position: absolute; width: 1px; height: 1px; overflow: hidden">ChatBot said:</h6>'
    ),
    "hidden from screen readers": '<p aria-hidden="true">no</p>',
    "closed details": "<details><summary>Sources</summary><p>no</p></details>",
    "open details": "<details open><summary>Sources</summary><p>no</p></details>",
    "a button": "<button>Copy</button><a role=button>no</a><input type=button value=no>",
    "a toolbar": '<div role="toolbar">no</div><div role="menu"><p>no</p></div><div role="tooltip">no</div>',
    "fields": "<textarea>no</textarea><select><option>no</select><input value=no>",
    "programs": "<script>/* no */</script><style>no {}</style><template>no</template><noscript>no</noscript>",
    "drawings": "<svg><title>no</title><text>no</text></svg><canvas>no</canvas>",
    "a closed dialog": "<dialog>no</dialog>",
    "a bar": "<div role=progressbar>no</div><progress></progress>",
    "what is ignored": '<p class="by">no</p><p>One <span class="by">no</span></p>',
}


@pytest.mark.parametrize("html", HIDDEN.values(), ids=HIDDEN)
async def test_what_nobody_sees_or_presses_is_no_answer(page: Page, html: str) -> None:
    text = await read(page, f"<p>Four</p>{html}<p>rooms</p>", ignore=".by")
    assert text.replace("\nOne", "") == "Four\nrooms"


async def test_what_is_in_another_frame_is_not_read_with_this_one(page: Page) -> None:
    await lay_out(page, "<main></main>")
    assert await answer(page, '<p>Four</p><iframe srcdoc="<p>Elsewhere</p>"></iframe>') == "Four"


async def test_text_in_shadow_roots_and_slots_is_read_as_it_is_shown(page: Page) -> None:
    await lay_out(page, "<main></main>", response="main")
    await put(page, "<x-a><p slot=b>second</p><p>nowhere</p><i slot=c>third</i></x-a>")
    await page.evaluate("""() => {
        const root = document.querySelector('x-a').attachShadow({ mode: 'open' });
        root.innerHTML = '<p>first</p><slot name=b></slot><div>and <slot name=c></slot></div><slot name=d>else</slot>'
          + '<x-e></x-e>';
        root.querySelector('x-e').attachShadow({ mode: 'open' }).innerHTML = '<ul><li>deep</li></ul>';
    }""")
    assert (await seen(page))["text"] == "first\nsecond\nand third\nelse\n- deep"


# which text is the answer

ECHOES = {
    "as it is": f'<div class="me">{QUERY}</div>',
    "with a name in front": f'<div class="me">You: {QUERY}</div>',
    "with a time behind": f'<div class="me">{QUERY} <small>10:42</small></div>',
    "with a name above": f'<div class="me"><b>You</b><p>{QUERY}</p></div>',
    "with a name above in a block": f'<div class="me"><div>You</div><div>{QUERY}</div></div>',
    "in its own words and spaces": '<div class="me">What  is\nthe&nbsp;price?</div>',
    "twice": f'<h3>{QUERY}</h3><div class="me">{QUERY}</div>',
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
async def test_the_question_is_not_part_of_its_answer(page: Page, echo: str) -> None:
    await lay_out(page, "<main></main>")
    await put(page, echo)
    before = await seen(page)
    assert before["echo"]
    assert before["text"] in ("", "You")
    assert await answer(page, '<div class="bot"><p>Four million.</p><p>Taxes included.</p></div>') == (
        "Four million.\nTaxes included."
    )


async def test_a_question_of_several_paragraphs_is_not_part_of_its_answer(page: Page) -> None:
    query = "I have two children.\n\nIs there a school?\nHow far?"
    await lay_out(page, "<main></main>", query=query)
    await put(page, '<div class="me"><p>I have two children.</p><p>Is there a school? How far?</p></div>')
    assert ((await seen(page))["echo"], (await seen(page))["text"]) == (True, "")
    assert await answer(page, '<div class="bot"><p>Yes, 400 m.</p></div>') == "Yes, 400 m."


async def test_a_question_that_becomes_the_title_of_a_talk_is_no_answer(page: Page) -> None:
    await lay_out(page, "<nav><ul><li>Older talk</li></ul></nav><main></main>")
    await put(page, f"<li>{QUERY}</li>", "nav ul")
    await put(page, f'<div class="me">{QUERY}</div>')
    assert (await seen(page))["text"] == ""
    assert await answer(page, '<div class="bot"><p>Four million.</p></div>') == "Four million."


async def test_an_answer_that_quotes_its_question_is_whole(page: Page) -> None:
    await lay_out(page, "<main></main>")
    await put(page, f'<div class="me">{QUERY}</div>')
    await seen(page)
    text = await answer(page, f'<div class="bot"><p>{QUERY}</p><p>Four million.</p></div>')
    assert text == f"{QUERY}\nFour million."


AROUND = {
    "a name and a time above": ("<header><b>Bot</b> <time>10:42</time></header>", ""),
    "a name that was there before": ("<div>House assistant</div>", ""),
    "buttons below": ("", "<footer><button>Copy</button> <span role=button>Like</span></footer>"),
    "a time below": ("", "<div class=at>10:42 PM</div>"),
    "how long ago": ("", "<div class=at>2 minutes ago</div>"),
    "sources that fold": ("", "<details><summary>2 sources</summary><p>Listing 17</p></details>"),
    "steps that fold": ("<details open><summary>Thought</summary><p>First I look.</p></details>", ""),
    "a picture of who speaks": ('<img alt="Bot"><svg><text>B</text></svg>', ""),
}


@pytest.mark.parametrize("above, below", AROUND.values(), ids=AROUND)
async def test_what_stands_around_an_answer_is_no_part_of_it(page: Page, above: str, below: str) -> None:
    await lay_out(page, "<main><div>House assistant</div></main>")
    await put(page, f'<section><div class="me">{QUERY}</div></section>')
    text = "<p>There are four of them.</p><ul><li>the first</li></ul>"
    await put(page, f'<section>{above}<div class="text">{text}</div>{below}</section>')
    assert (await seen(page))["text"] == "There are four of them.\n- the first"


async def test_a_table_and_code_in_small_print_belong_to_an_answer(page: Page) -> None:
    await lay_out(page, "<main></main>")
    await put(page, f'<div class="me">{QUERY}</div>')
    small = '<table style="font-size: 12px"><tr><td>a</td></tr></table><pre style="font-size: 12px">b</pre>'
    text = await answer(
        page, f'<div class="bot"><div>These are they:</div><div>{small}</div><div>All of them.</div></div>'
    )
    assert text == "These are they:\n| a |\n| --- |\n```\nb\n```\nAll of them."


async def test_suggestions_after_an_answer_are_no_part_of_it(page: Page) -> None:
    await lay_out(page, "<main></main>")
    await put(page, f'<div class="me">{QUERY}</div><div class="bot"><p>Four</p></div>')
    await seen(page)
    await page.evaluate("document.querySelector('.bot p').textContent = 'Four million in all.'")
    await seen(page)
    assert await answer(page, "<div><button>Is it far?</button><button>Who sells it?</button></div>") == (
        "Four million in all."
    )


async def test_a_page_that_changes_elsewhere_does_not_get_into_the_answer(page: Page) -> None:
    await lay_out(page, "<p id=clock>10:42:01</p><main></main><p id=count>0 / 100</p>")
    await put(page, f'<div class="me">{QUERY}</div><div class="bot"><p>Four million.</p></div>')
    await page.evaluate("clock.textContent = '10:42:02'")
    assert (await seen(page))["text"] == "Four million."


async def test_the_same_answer_twice_is_two_answers(page: Page) -> None:
    await lay_out(page, "<main></main>")
    for _ in range(2):
        await put(page, f'<div class="me">{QUERY}</div>')
        assert (await seen(page))["text"] == ""
        assert await answer(page, '<div class="bot"><p>I do not know.</p></div>') == "I do not know."
        await arm(page)
        assert (await seen(page))["text"] == ""


async def test_a_talk_that_is_drawn_anew_shows_nothing_new(page: Page) -> None:
    await lay_out(page, '<main><div class="me">Hello</div><div class="bot"><p>I do not know.</p></div></main>')
    await page.evaluate("document.querySelector('main').innerHTML += ''")
    assert (await seen(page))["text"] == ""
    await put(page, f'<div class="me">{QUERY}</div><div class="bot"><p>I do</p></div>')
    assert (await seen(page))["text"] == "I do"
    await page.evaluate("document.querySelector('main').lastChild.innerHTML = '<p>I do not know.</p>'")
    await page.evaluate("document.querySelector('main').innerHTML += ''")
    assert (await seen(page))["text"] == "I do not know."


async def test_older_messages_that_are_loaded_above_are_no_answer(page: Page) -> None:
    await lay_out(page, '<main><div class="bot"><p>Hello</p></div></main>')
    await put(page, f'<div class="me">{QUERY}</div><div class="bot"><p>Four.</p></div>')
    script = "document.querySelector('main').insertAdjacentHTML('afterbegin', '<div class=bot><p>Much older</p></div>')"
    await page.evaluate(script)
    assert (await seen(page))["text"] == "Four."


async def test_an_answer_above_its_question_is_found(page: Page) -> None:
    await lay_out(page, "<main><section><p>Old</p><div>Older question</div></section></main>")
    await page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('afterbegin', html)",
        f'<section><div class="bot"><p>Four.</p></div><div class="me">{QUERY}</div></section>',
    )
    assert (await seen(page))["text"] == "Four."


async def test_a_page_that_was_loaded_anew_shows_only_what_it_did_not_show_before(page: Page) -> None:
    body = "<h1>Houses</h1><main>{}</main>"
    await page.set_content(f"<body>{body.format('<p>Hello</p>')}{COMPOSER}</body>")
    place = await page.query_selector("#question")
    before = await call(page.main_frame, "arm", QUERY, place, OPTIONS, Learned().place, None)
    assert before == ["Houses", "Hello"]
    await page.goto("about:blank")
    assert await look(page.main_frame) is None
    await page.set_content(f"<body>{body.format(f'<h2>{QUERY}</h2><p>Hello</p><p>Four.</p>')}{COMPOSER}</body>")
    await call(page.main_frame, "arm", QUERY, None, OPTIONS, Learned().place, before)
    assert (await seen(page))["text"] == "Four."


async def test_the_last_match_of_a_selector_is_the_answer(page: Page) -> None:
    await lay_out(page, '<main><div class="bot">Hello</div></main>', response=".bot")
    assert (await seen(page))["text"] == ""
    await put(page, f'<div class="me">{QUERY}</div><p>Ad</p><div class="bot"><b>Bot</b><p>Four.</p></div><p>Ad</p>')
    assert (await seen(page))["text"] == "Bot\nFour."


# where to type and what to press

INPUTS = {
    "a field among others": '<input type=search placeholder="Search"><input id=it placeholder="Ask"><input name=email>',
    "a text area": "<textarea id=it></textarea><input placeholder=Search>",
    "an editable element": '<div id=it contenteditable=true style="height: 20px"></div><input placeholder=Name>',
    "an element with that role": "<div id=it role=textbox style='height: 20px' aria-label=Chat></div><input name=url>",
    "the lower of two": "<input><p>between</p><p style='height: 300px'></p><input id=it>",
    "one with a label": "<label>Your question <input id=it></label><input>",
    "in Spanish": '<input><input id=it placeholder="Escribe tu consulta"><input>',
    "in Indonesian": '<input><input id=it placeholder="Tulis pertanyaan"><input>',
    "in Arabic": '<input><input id=it placeholder="اكتب رسالة"><input>',
    "not what is hidden": '<textarea placeholder="Ask" hidden></textarea><input id=it>',
    "not what cannot be seen": '<textarea placeholder="Ask" style="opacity: 0"></textarea><input id=it>',
    "not what is tiny": '<textarea placeholder="Ask" style="width: 20px; height: 3px"></textarea><input id=it>',
    "not what is locked": '<textarea placeholder="Ask" readonly></textarea><input id=it>',
    "not what takes nothing": "<div inert><textarea></textarea></div><input id=it>",
    "not a number": '<input type=number placeholder="Ask"><input type=checkbox name=ask><input id=it>',
    "a search page": '<input id=it type=search name=q><form><input name=email placeholder="Newsletter"></form>',
    "not the name beside a password": "<form><input name=chat><input type=password></form><input id=it>",
}


@pytest.mark.parametrize("html", INPUTS.values(), ids=INPUTS)
async def test_the_place_for_a_question_is_told_from_others(page: Page, html: str) -> None:
    await page.set_content(f"<body>{html}</body>")
    told = await call(page.main_frame, "inputs")
    best = max(told["found"], key=lambda one: one["score"])
    assert await page.evaluate("i => __neraca.state.inputs[i].id", best["index"]) == "it"


async def test_passwords_and_dialogs_are_told(page: Page) -> None:
    await page.set_content("<form><input name=a><input type=password></form><div role=dialog>We  value\nit</div>")
    told = await call(page.main_frame, "inputs")
    assert (told["found"], told["passwords"], told["dialog"]) == ([], 1, "We value it")


BUTTONS = {
    "its word": "<input id=question><button>Attach</button><button id=it>Send</button><button>Clear</button>",
    "its label": "<input id=question><button aria-label=Upload>+</button><button id=it aria-label=Send>➤</button>",
    "an arrow alone": "<input id=question><button id=it><svg width=9 height=9></svg></button>",
    "its form": "<form><input id=question><button type=button>Voice</button><input id=it type=submit value=Go></form>",
    "the nearer": "<button>One</button><div style='height: 400px'></div><input id=question><button id=it>Two</button>",
    "not what is disabled": "<input id=question><button disabled>Send</button><button id=it>Go</button>",
    "not what says it is": "<input id=question><button aria-disabled=true>Send</button><button id=it>Go</button>",
    "a role": "<input id=question><div id=it role=button>Enviar</div><button>Cerrar menu</button>",
    "in Indonesian": "<input id=question><button>Menu</button><button id=it>Kirim</button>",
}


@pytest.mark.parametrize("html", BUTTONS.values(), ids=BUTTONS)
async def test_the_button_that_sends_is_told_from_others(page: Page, html: str) -> None:
    await page.set_content(f"<body>{html}</body>")
    place = await page.query_selector("#question")
    await call(page.main_frame, "inputs")
    assert await page.evaluate("one => (__neraca.sendButton(one) || {}).id", place) == "it"


async def test_a_button_far_away_that_says_nothing_does_not_send(page: Page) -> None:
    await page.set_content("<input id=question><button style='position: absolute; left: 1200px; top: 850px'>X</button>")
    await call(page.main_frame, "inputs")
    assert await page.evaluate("__neraca.sendButton(document.querySelector('#question'))") is None


LAUNCHERS = {
    "a bubble": ('<button style="right: 9px; bottom: 9px">Chat with us</button>', True),
    "a link": ('<a href="#" style="right: 9px; bottom: 9px">💬</a>', True),
    "a label": ('<div role=button aria-label="Abrir ayuda" style="right: 9px; bottom: 9px">?</div>', True),
    "at the top": ('<button style="right: 9px; top: 9px">Chat</button>', False),
    "at the left": ('<button style="left: 9px; bottom: 9px">Chat</button>', False),
    "of something else": ('<button style="right: 9px; bottom: 9px">Top</button>', False),
    "hidden": ('<button hidden style="right: 9px; bottom: 9px">Chat</button>', False),
}


@pytest.mark.parametrize("html, there", LAUNCHERS.values(), ids=LAUNCHERS)
async def test_what_opens_a_chat_is_in_the_lower_right_corner(page: Page, html: str, there: bool) -> None:
    await page.set_content(f"<style>button, a, div {{ position: fixed }} [hidden] {{ display: none }}</style>{html}")
    await call(page.main_frame, "inputs")
    assert await page.evaluate("!!__neraca.launcher()") is there


SELECTORS = {
    "<p id=one>": "#one",
    '<p id="item-17" class="bot css-1x2y message">': "p.bot.message",
    '<p data-testid="answer">': '[data-testid="answer"]',
    '<section id=log><p class="bot">': "#log p.bot",
    "<div><div><p>": "div div p",
}


@pytest.mark.parametrize("html, selector", SELECTORS.items())
async def test_an_element_is_named_by_what_lasts(page: Page, html: str, selector: str) -> None:
    await page.set_content(f"<body>{html}</body>")
    await call(page.main_frame, "inputs")
    deepest = "[...document.body.querySelectorAll('*')].pop()"
    assert await page.evaluate(f"__neraca.selectorOf({deepest})") == selector
    assert await page.evaluate(f"document.querySelector({selector!r}) === {deepest}")


# whether the page is at work

STOPS = {
    "a word": ("<button>Stop</button>", True),
    "words": ("<button>◼ Stop generating</button>", True),
    "a label": ('<button aria-label="Stop response"><svg></svg></button>', True),
    "a name": ('<button data-testid="stop-button"><svg></svg></button>', True),
    "in Spanish": ("<button>Detener</button>", True),
    "in Indonesian": ("<button>Hentikan</button>", True),
    "busy": ("<div aria-busy=true>…</div>", True),
    "by a selector": ('<i class="dots" style="display: block; width: 9px; height: 9px"></i>', True),
    "disabled": ("<button disabled>Stop</button>", False),
    "hidden": ("<button hidden>Stop</button>", False),
    "a part of a word": ("<button>Stopwatch</button>", False),
    "no button": ("<p>Stop</p>", False),
    "a long text": (f"<button>{'The bus stop is near. ' * 8}</button>", False),
}


@pytest.mark.parametrize("html, there", STOPS.values(), ids=STOPS)
async def test_a_stop_button_tells_that_the_page_is_at_work(page: Page, html: str, there: bool) -> None:
    await lay_out(page, "<main></main>", busy=".dots")
    await put(page, html)
    assert (await seen(page))["stop"] is there


MOVES = {
    "turns for ever": ('<i class="turn ever">x</i>', True),
    "turns once": ('<i class="turn">x</i>', False),
    "hidden": ('<i class="turn ever" style="visibility: hidden">x</i>', False),
    "paused": ('<i class="turn ever" style="animation-play-state: paused">x</i>', False),
    "a drawing": ("<svg width=9 height=9><rect width=9 height=9><animate attributeName=x dur=1s></rect></svg>", True),
    "a bar": ("<progress></progress>", True),
    "a bar that says how far": ("<progress value=0.5></progress>", False),
    "a bar by its role": ("<div role=progressbar style='height: 9px'></div>", True),
}


@pytest.mark.parametrize("html, there", MOVES.values(), ids=MOVES)
async def test_what_moves_for_ever_and_is_new_tells_that_the_page_is_at_work(
    page: Page, html: str, there: bool
) -> None:
    turning = ".turn { animation: turn 60s linear } @keyframes turn { to { rotate: 1turn } }"
    style = f"<style>i {{ display: inline-block }} {turning} .ever {{ animation-iteration-count: infinite }}</style>"
    await lay_out(page, f'{style}<i class="turn ever">old</i><main></main>')
    assert not (await seen(page))["moving"]
    await put(page, html)
    assert (await seen(page))["moving"] is there


async def test_what_moves_in_a_shadow_root_counts_too(page: Page) -> None:
    await lay_out(page, "<main><x-a></x-a></main>")
    await page.evaluate("""() => document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML =
        '<style>@keyframes a { to { opacity: .5 } } i { animation: a 1s infinite }</style><i>x</i>'""")
    assert (await seen(page))["moving"]


CHANGES = {
    "disabled": "document.querySelector('button').disabled = true",
    "another word": "document.querySelector('button').textContent = 'Wait'",
    "another drawing": "document.querySelector('button').innerHTML = 'Send<svg><rect></rect></svg>'",
    "one more": "document.querySelector('form').append(document.createElement('button'))",
    "one less": "document.querySelector('button').remove()",
    "the input disabled": "question.disabled = true",
    "all gone": "document.querySelector('form').remove()",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_buttons_beside_the_input_that_change_tell_that_the_page_is_at_work(page: Page, change: str) -> None:
    await lay_out(page, "<main></main>")
    assert not (await seen(page))["composed"]
    await page.evaluate(change)
    assert (await seen(page))["composed"]


async def test_what_still_stands_in_the_input_is_told(page: Page) -> None:
    await lay_out(page, "<main></main>")
    await page.fill("#question", QUERY)
    assert ((await seen(page))["typed"], (await seen(page))["gone"]) == (QUERY, False)
    await page.evaluate("question.remove()")
    assert ((await seen(page))["typed"], (await seen(page))["gone"]) == ("", True)


# sources


async def test_the_sources_of_the_newest_answer_are_told(page: Page) -> None:
    source = '<li class="source"><a href="/{0}">Listing {0}</a></li>'
    await lay_out(page, f"<main>{source.format(1)}</main>", sources=".source")
    await put(page, f'<div class="me">{QUERY}</div><div class="bot"><p>Four.</p></div>{source.format(2)}')
    await put(page, '<li class="source">A  contract</li><a class="source" href="https://a.example/"></a>')
    await put(page, '<li class="source"> </li>')
    await seen(page)
    assert (await call(page.main_frame, "finish", True))["sources"] == [
        {"text": "Listing 2", "url": "https://houses.example/2"},
        {"text": "A contract", "url": ""},
        {"text": "", "url": "https://a.example/"},
    ]
    await arm(page, sources="")
    assert await answer(page, f'<div class="me">{QUERY}</div><div class="bot"><p>Four.</p></div>{source.format(3)}')
    assert (await call(page.main_frame, "finish", True))["sources"] == []


# what stands under every answer


@pytest.mark.parametrize("response", ["", ".answer"])
@pytest.mark.parametrize(
    "below",
    [
        "<div>¿Te ha resultado útil?</div>",
        "<div>Was this answer helpful?</div>",
        "<span style='display: block'>Apakah jawaban ini membantu?</span>",
        "<div class='message-sources'><div>Price list</div><div>Garden guide</div></div>",
        "<div><span style='border: 1px solid; border-radius: 9px'>Prices.pdf</span>"
        "<span style='background: #eee; border-radius: 9px'>Garden.pdf</span></div>",
    ],
)
async def test_feedback_words_and_chips_are_no_part_of_the_first_answer(page: Page, below: str, response: str) -> None:
    await lay_out(page, "<main></main>", response=response)
    html = f"<p>{QUERY}</p><div class=answer><p>It costs 40 euros.</p><p>Not on Monday.</p>{below}</div>"
    assert await answer(page, html) == "It costs 40 euros.\nNot on Monday."


async def test_a_short_answer_counts_above_a_longer_question_about_it(page: Page) -> None:
    """The answer is bare text in the element that has the question about it, and was not seen to grow."""
    await lay_out(page, "<main></main>")
    below = "<div><div>Was this answer useful? <button>yes</button></div></div>"
    assert await answer(page, f"<p>{QUERY}</p><div class=answer>40 euros{below}</div>") == "40 euros"


async def test_what_comes_again_under_another_answer_is_no_part_of_it(page: Page) -> None:
    below = "<div class=mine>Zufrieden?</div>"
    await lay_out(page, "<main></main>", response=".answer")
    first = await answer(page, f"<p>{QUERY}</p><div class=answer><p>It costs 40 euros.</p>{below}</div>")
    assert first == "It costs 40 euros.\nZufrieden?"
    learned = (await call(page.main_frame, "finish", True))["learned"]
    await call(page.main_frame, "arm", "And now?", await page.query_selector("#question"), OPTIONS, learned, None)
    then = await answer(page, f"<p>And now?</p><div class=answer><p>It is free.</p>{below}</div>")
    assert then == "It is free."


async def test_a_closing_line_of_the_text_itself_stays(page: Page) -> None:
    await lay_out(page, "<main></main>", response=".answer")
    html = "<div class=answer><p>It costs {} euros.</p><p>Shall I book it?</p></div>"
    await answer(page, f"<p>{QUERY}</p>" + html.format(40))
    learned = (await call(page.main_frame, "finish", True))["learned"]
    options = OPTIONS | {"response": ".answer"}
    await call(page.main_frame, "arm", "And now?", await page.query_selector("#question"), options, learned, None)
    assert await answer(page, "<p>And now?</p>" + html.format(50)) == "It costs 50 euros.\nShall I book it?"
