"""Make questions about documents: a model writes them, rules and a second reader check each, refused ones are kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.generation.closed_book import ALONE, ClosedBook
from neraca.generation.document_question_set import DocumentQuestions
from neraca.generation.documents import Documents, read_documents
from neraca.generation.kinds import numbers_of
from neraca.generation.passages import LEAST_WORDS, Passages, is_long_enough
from neraca.generation.question_reader import READ, Reader
from neraca.generation.question_rounds import Rounds
from neraca.generation.question_writer import WRITE, Writer
from neraca.judges.llm.model_judge import LlmJudgeSettings, MakeChat, read_llm_settings
from neraca.language_detection import detect
from neraca.languages import AUTO, parse_language
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.translation import say

#: Kinds of questions → the share of each if no shares are named.
KINDS = {"single": 0.7, "unanswerable": 0.2, "multi": 0.1, "compare": 0.0, "followup": 0.0}
PROMPTS = (WRITE, READ, ALONE)
#: Documents whose texts tell the language.
_TELLING = 2_000


def generate_from_documents(
    documents: Documents | Path | str,
    n: int = 30,
    *,
    model: str,
    reader_model: str = "",
    kinds: str = "",
    language: str = "",
    seed: int = 0,
    session: ModelSession | None = None,
    settings: Mapping[str, Any] | None = None,
    chat: MakeChat = Chat,
) -> DocumentQuestions:
    """Make questions about documents; a model writes them, and each is checked before it counts.

    One call writes several questions about a document, with answers and word-for-word quotes.  Rules check each
    question.  Then a second reader, who does not see the answers, answers it from its document and from the passages of
    all documents that come nearest; other documents that answer it as well become further relevant documents.  A
    question that fails a check is kept with the reason and not asked; others are written in its place.  At last the
    reader answers the accepted ones without any document, and the tag `known` says which it knew.

    Parameters
    ----------
    documents
        A folder of texts, a file, a BEIR folder, a table of documents, or what `read_documents` returns.
    n
        The number of questions, from 1 to 10,000.
    model
        The model that writes, such as `openai:gpt-4o-mini`.
    reader_model
        The model that reads; "": the same.  Another one does not share the mistakes of the writer.
    kinds
        Kinds with their shares: `single`, `unanswerable`, `multi`, `compare`, `followup` (two turns of a conversation);
        "": 0.7, 0.2 and 0.1 of the first three.
    language
        Language of the questions, code or name; "": found in the documents.
    seed
        Seed of every choice: with equal seeds and replies the questions are equal.
    session
        The session that calls models; None: one with the default cache and no budget.  In a dry run there are no
        questions, and `spent` says what they would cost.
    settings
        Further settings of both models, as of a judge: `url`, `key`, `price`, `prompts`, `temperature` …
    chat
        Makes the models of a session.

    Raises
    ------
    InputError
        If the documents cannot be read, or no question was accepted.
    SpecError
        If n, a kind, the language or a setting cannot be used.
    NothingUsable
        If all first calls failed in the same way.
    """
    numbers = _in_pairs(numbers_of(n, kinds, KINDS))
    read = documents if isinstance(documents, Documents) else read_documents(documents)
    code, detected = _language(read, language)
    writer = read_llm_settings(LlmJudgeSettings, {**(settings or {}), "model": model}, "neraca generate")
    reader = read_llm_settings(
        LlmJudgeSettings, {**(settings or {}), "model": reader_model or model}, "neraca generate"
    )
    with ExitStack() as stack:
        used = session or stack.enter_context(ModelSession())
        earlier_name, used.run = used.run, _name_of_work(read, numbers, code, seed, writer, reader)
        stack.callback(setattr, used, "run", earlier_name)
        prompts, passages = writer.load(*PROMPTS), Passages(read.documents)
        rounds = Rounds(
            documents=read.documents,
            passages=passages,
            writer=Writer(chat(writer.chat, used), prompts, code),
            reader=Reader(chat(reader.chat, used), prompts, reader.by(prompts), code, passages),
            language=code,
            session=used,
            seed=seed,
        )
        rounds.run(numbers)
        checked, stopped = rounds.checked, rounds.stopped
        if stopped is None:
            closed_book = ClosedBook(chat(reader.chat, used), prompts, reader.by(prompts), code)
            checked, stopped = closed_book.mark(checked, used)
        spent = used.spent if used.dry_run else used.logged(used.run)
    if not used.dry_run and not rounds.checked and rounds.stopped is None:
        raise InputError(say("{path}: no question was written: {reason}", path=read.path, reason=_why(rounds, read)))
    return DocumentQuestions(
        documents=read,
        checked=() if used.dry_run else checked,
        asked=numbers,
        language=code,
        detected=detected,
        writer=writer.model,
        reader=reader.model,
        seed=seed,
        spent=spent,
        unwritten=rounds.unwritten,
        failures=rounds.failures,
        stopped=stopped,
    )


def _in_pairs(numbers: dict[str, int]) -> dict[str, int]:
    """Return the numbers of questions with an even number of turns; one too many becomes a question of another kind.

    Raise `SpecError` if there is no other kind.
    """
    if not numbers.get("followup", 0) % 2:
        return numbers
    other = next((kind for kind in numbers if kind != "followup"), "")
    if not other:
        raise SpecError(
            say(
                "--kinds followup: a conversation has two turns, and each counts as a question; name an even "
                "number, not {numbers}",
                numbers=numbers["followup"],
            )
        )
    return numbers | {"followup": numbers["followup"] - 1, other: numbers[other] + 1}


def _name_of_work(
    documents: Documents,
    numbers: Mapping[str, int],
    language: str,
    seed: int,
    writer: LlmJudgeSettings,
    reader: LlmJudgeSettings,
) -> str:
    """Return the name under which the calls are logged: equal for each start that goes on with the same work."""
    texts = fingerprint([(document.id, document.text) for document in documents])
    prompts = writer.load(*PROMPTS).hash
    return "generate " + fingerprint((texts, numbers, language, seed, writer.identity, reader.identity, prompts))


def _why(rounds: Rounds, documents: Documents) -> str:
    """Return why nothing was written."""
    if rounds.failures:
        return max(rounds.failures, key=lambda why: rounds.failures[why])
    if not any(map(is_long_enough, documents)):
        return f"all {len(documents)} documents have fewer than {LEAST_WORDS} words"
    return "the model left out every question"


def _language(documents: Documents, language: str) -> tuple[str, str]:
    """Return the code of the language, and how it was found; raise `SpecError` if the texts do not tell it."""
    code = parse_language(language)
    if code and code != AUTO:
        return code, ""
    detected = detect(document.text for document in documents.documents[:_TELLING])
    return detected.code, str(detected)
