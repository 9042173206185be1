"""Let a model write questions about documents: one call gives several, each with its answer and quotes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from neraca.errors import ModelError
from neraca.generation.drafts import NEXT, Draft, Quote, Window
from neraca.judges.llm.complete_replies import reply_struct, set_fields
from neraca.judges.llm.prompt import Prompts
from neraca.languages import language_of
from neraca.models.chat import Chat

WRITE = "write_questions"
#: The question of a made-up reply in a dry run, which no rule looks at.
MADE_UP = "Which of the things that are said about it holds for most of those who ask?"


class WrittenQuote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quote in the reply of the writer."""

    document: str
    text: str


class WrittenQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question in the reply of the writer.  The quotes come first, so that the question is made from them."""

    quotes: list[WrittenQuote]
    question: str
    answer: str


class WrittenTurn(WrittenQuestion, frozen=True, forbid_unknown_fields=True):
    """A later turn of a conversation in the reply of the writer."""

    standalone: str


_GUESS = WrittenQuestion(
    [WrittenQuote("d1", "It holds for most of those who ask, unless one of the named exceptions applies to them.")],
    MADE_UP,
    "It holds unless one of the named exceptions applies.",
)
_GUESSED_TURN = WrittenTurn(_GUESS.quotes, MADE_UP, _GUESS.answer, MADE_UP)


class Writer:
    """Writes questions in one language.

    Parameters
    ----------
    chat, prompts
        The model, and the prompts of this name.
    language
        Code of the language to write in.
    """

    def __init__(self, chat: Chat, prompts: Prompts, language: str) -> None:
        self._chat, self._language = chat, language
        self._template = prompts.of(WRITE, language)

    async def write(
        self, windows: Sequence[Window], kinds: Sequence[str], asked: Sequence[str]
    ) -> tuple[list[Draft], str]:
        """Return questions about parts of documents, and why there are none: a call that failed.

        Parameters
        ----------
        windows
            One part, or two of two documents.
        kinds
            The kind of each question.
        asked
            Questions about these documents that need not be asked again.
        """
        documents = {f"d{n}": window for n, window in enumerate(windows, 1)}
        kind_by_id = {f"q{n}": kind for n, kind in enumerate(kinds, 1)}
        guesses = {key: _GUESSED_TURN if kind == NEXT else _GUESS for key, kind in kind_by_id.items()}
        reply = reply_struct("QuestionsReply", tuple((key, type(guess)) for key, guess in guesses.items()))
        data = {
            "language": language_of(self._language).name,
            "documents": {key: {"title": part.heading, "text": part.text} for key, part in documents.items()},
            "asked": list(asked),
            "write": kind_by_id,
        }
        prompt = self._template.about(data, reply, reply(**guesses))
        try:
            written = set_fields((await self._chat.ask(prompt)).value)
        except ModelError as error:
            return [], str(error)
        ids = {key: window.document.id for key, window in documents.items()}
        drafts = [_draft(kind_by_id[key], question, ids, windows) for key, question in written.items()]
        return [draft for draft in drafts if draft.question], ""


def _draft(kind: str, written: WrittenQuestion, ids: dict[str, str], windows: Sequence[Window]) -> Draft:
    only = windows[0].document.id if len(windows) == 1 else ""
    quotes = tuple(Quote(ids.get(quote.document.strip(), only), quote.text.strip()) for quote in written.quotes)
    return Draft(
        kind=kind,
        question=" ".join(written.question.split()),
        answer=" ".join(written.answer.split()),
        quotes=quotes,
        windows=windows,
        standalone=" ".join(written.standalone.split()) if isinstance(written, WrittenTurn) else "",
    )
