"""A chat as one lays it out with NiceGUI: `python -m pages.nicegui_chat PORT`."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter

from pages.bot import SOURCES, shown


def chat() -> None:
    """One page, and with it one conversation."""
    from nicegui import ui

    asked: Counter[str] = Counter()

    async def send() -> None:
        question = box.value.strip()
        if not question:
            return
        box.value = ""
        with talk:
            ui.chat_message(question, name="You", sent=True)
            with ui.chat_message(name="Bot"):
                answer = ui.markdown()
                spinner = ui.spinner(type="dots")
        nth, asked[question] = asked[question], asked[question] + 1
        for state in shown(question, nth):
            await asyncio.sleep(state.seconds)
            answer.set_content(state.text)
        spinner.delete()
        with talk, ui.expansion("Sources", icon="description"):
            for title, url in SOURCES:
                ui.link(title, url)

    ui.label("Houses").classes("text-h5")
    talk = ui.column().classes("w-full max-w-2xl mx-auto items-stretch")
    with ui.footer().classes("bg-white"), ui.row().classes("w-full no-wrap items-center"):
        box = ui.input(placeholder="Ask about a house").classes("w-full").on("keydown.enter", send)
        ui.button(icon="send", on_click=send).props("flat")


def main(port: int) -> None:
    from nicegui import ui

    ui.run(chat, host="127.0.0.1", port=port, reload=False, show=False, show_welcome_message=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
