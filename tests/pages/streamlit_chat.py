"""A chat as Streamlit makes one: `streamlit run tests/pages/streamlit_chat.py`."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pages.bot import SOURCES, placeholders, stream


def words(question: str, nth: int) -> Iterator[str]:
    for seconds, piece in stream(question, nth):
        time.sleep(seconds)
        yield piece


def main() -> None:
    import streamlit

    def show_sources() -> None:
        with streamlit.expander("Sources"):
            streamlit.markdown("\n".join(f"- [{title}]({url})" for title, url in SOURCES))

    streamlit.title("Houses")
    talk: list[tuple[str, str]] = streamlit.session_state.setdefault("talk", [])
    for earlier, answer in talk:
        streamlit.chat_message("user").markdown(earlier)
        with streamlit.chat_message("assistant"):
            streamlit.markdown(answer)
            show_sources()
    if question := streamlit.chat_input("Ask about a house"):
        streamlit.chat_message("user").markdown(question)
        with streamlit.chat_message("assistant"):
            for seconds, text in placeholders(question):
                with streamlit.spinner(text):
                    time.sleep(seconds)
            nth = sum(question == earlier for earlier, _ in talk)
            talk.append((question, str(streamlit.write_stream(words(question, nth)))))
            show_sources()


if __name__ == "__main__":
    main()
