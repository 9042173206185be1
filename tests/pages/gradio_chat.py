"""A chat as Gradio makes one: `python -m pages.gradio_chat PORT`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from pages.bot import SOURCES, shown


def asked_before(question: str, history: list[dict[str, Any]]) -> int:
    """How often the user asked this before; a message is a text, or a list of parts with one each."""
    said = (message["content"] for message in history if message["role"] == "user")
    texts = (part if isinstance(part, str) else "".join(piece["text"] for piece in part) for part in said)
    return sum(text.strip() == question.strip() for text in texts)


def main(port: int) -> None:
    import gradio

    listed = "\n".join(f"- [{title}]({url})" for title, url in SOURCES)
    sources = gradio.ChatMessage(content=listed, metadata={"title": "Sources", "status": "done"})

    def reply(question: str, history: list[dict[str, Any]]) -> Iterator[Any]:
        for state in shown(question, asked_before(question, history)):
            time.sleep(state.seconds)
            yield state.text
        yield [gradio.ChatMessage(content=state.text), sources]

    chat = gradio.ChatInterface(reply, title="Houses", examples=["Is it far?", "Who are you?"], cache_examples=False)
    theme = gradio.themes.Base(font=["sans-serif"], font_mono=["monospace"])
    chat.launch(server_name="127.0.0.1", server_port=port, theme=theme, ssr_mode=False, quiet=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
