"""Written questions before and after they are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.generation.documents import Document
from neraca.judges.outcome import Outcome, unscored
from neraca.records import GENERATED, Answer, Hit, Item, Verdict

#: Kinds that only two documents answer together.
TWO_DOCUMENTS = ("multi", "compare")
#: Kinds of the two turns of a conversation, which users name `followup`.
FIRST, NEXT = "first", "next"
#: Ways in which the documents do not answer a question of the kind `unanswerable`, in turn.
UNANSWERABLE = ("near_miss", "false_premise", "out_of_scope", "underspecified")
RULES = "rules"
#: The aspect of the verdict whether a question passed every check.
ACCEPTED = "accepted"
#: The aspect of the verdict whether a model answers a question without documents: a mark, which refuses no question.
KNOWN = "known"


class Quote(msgspec.Struct, frozen=True, omit_defaults=True):
    """Words of a document, as the writer gave them; `document` is "" if the writer named none that it was shown."""

    document: str
    text: str


@dataclass(frozen=True)
class Window:
    """The part of a document that the writer is shown.

    Attributes
    ----------
    document, heading, text
        The document, its title and section, and the text of the part.
    passages
        The numbers of the passages in the search for passages.
    """

    document: Document
    heading: str
    text: str
    passages: range

    @property
    def whole(self) -> str:
        """The text after its heading."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question as it was written.

    Attributes
    ----------
    kind
        `single`, `first`, `next`, one of `TWO_DOCUMENTS` or one of `UNANSWERABLE`.
    question, answer, quotes
        What was written; `answer` of an unanswerable one says what is missing.
    windows
        The parts of documents that the writer was shown for it.
    standalone
        The same question with everything that an earlier turn has said; "" if it stands alone.
    """

    kind: str
    question: str
    answer: str
    quotes: tuple[Quote, ...]
    windows: Sequence[Window]
    standalone: str = ""

    @property
    def complete(self) -> str:
        """The question in a form that can be understood alone."""
        return self.standalone or self.question

    @property
    def answerable(self) -> bool:
        """Whether documents should answer it."""
        return self.kind not in UNANSWERABLE

    @property
    def user_kind(self) -> str:
        """The kind as a user names it."""
        if self.kind in (FIRST, NEXT):
            return "followup"
        return self.kind if self.answerable else "unanswerable"

    @property
    def documents(self) -> tuple[str, ...]:
        """The ids of the documents that it is about: those that it quotes, in a question of one kind the only one."""
        quoted = dict.fromkeys(quote.document for quote in self.quotes if quote.document)
        return tuple(quoted) or tuple(window.document.id for window in self.windows[:1])


@dataclass(frozen=True)
class Check:
    """The outcome of one check: the aspect of its verdict, the outcome (1: passed), and who checked."""

    aspect: str
    outcome: Outcome
    by: str = RULES

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the question: an aspect that does not apply does not."""
        return self.outcome.value == 1.0 or self.outcome.status == "not_applicable"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A question with the outcomes of its checks.

    Attributes
    ----------
    id
        Its id, which its verdicts name.
    draft, checks
        The question, and the checks in the order in which they were made.
    others
        Ids of further documents that answer it as well, found by the second reader.
    session
        The conversation in which it is asked; "": none.
    known
        Whether a model answers it without any document (1: it does); None: it was not asked.
    """

    id: str
    draft: Draft
    checks: tuple[Check, ...]
    others: tuple[str, ...] = ()
    session: str = ""
    known: Check | None = None

    @property
    def accepted(self) -> bool:
        """Whether it passed every check."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> list[Check]:
        """The checks that it did not pass."""
        return [check for check in self.checks if not check.passed]

    @property
    def unchecked(self) -> bool:
        """Whether only the lack of a usable reply speaks against it: no check that was made did."""
        return not self.accepted and all(check.outcome.value is None for check in self.failed)

    def verdicts(self) -> list[Verdict]:
        """Return a verdict about `item` for each check, one on `ACCEPTED`, and one on `KNOWN` if it was asked."""
        why = "; ".join(f"{check.aspect}: {check.outcome.why}" for check in self.failed)
        accepted = unscored(why) if self.unchecked else Outcome(float(self.accepted), why or "it passed every check")
        return [
            Verdict(
                item=self.id,
                about="item",
                aspect=check.aspect,
                by=check.by,
                value=check.outcome.value,
                status=check.outcome.status,
                why=check.outcome.why,
            )
            for check in (*self.checks, Check(ACCEPTED, accepted), *((self.known,) if self.known else ()))
        ]

    def answer(self) -> Answer:
        """Return the writer's answer, with the texts that the writer was shown, each with its quotes.

        Beside them stands the whole question if it leaves out what an earlier turn has said.
        """
        return Answer(item=self.id, text=self.draft.answer, hits=tuple(map(self._hit, self.draft.windows)))

    def _hit(self, window: Window) -> Hit:
        name = window.document.id
        quotes = [quote.text for quote in self.draft.quotes if quote.document == name]
        names = ["quote"] if len(quotes) == 1 else [f"quote {number}" for number in range(1, len(quotes) + 1)]
        fields = {"document": name, **dict(zip(names, quotes, strict=True))}
        fields |= {"question in full": self.draft.standalone} if self.draft.standalone else {}
        return Hit(id=name, text=window.whole, fields=fields)

    def item(self, language: str) -> Item:
        """Return the question of a data set; `language` is a code.

        What was written beside an unanswerable question is no reference: nothing in the documents supports it.
        """
        draft = self.draft
        is_vague = draft.kind == "underspecified"
        relevant = dict.fromkeys([*draft.documents, *self.others], 1.0) if draft.answerable else {}
        tags = {"kind": draft.user_kind, "source": draft.windows[0].document.source, "language": language}
        tags |= {} if draft.answerable else {"unanswerable": draft.kind}
        tags |= {"turn": draft.kind} if draft.kind in (FIRST, NEXT) else {}
        if self.known is not None and self.known.outcome.value is not None:
            tags[KNOWN] = "yes" if self.known.outcome.value else "no"
        return Item(
            id=self.id,
            query=draft.question,
            session=self.session or None,
            references=(draft.answer,) if draft.answer and draft.answerable else (),
            relevant=None if is_vague else relevant,
            expects=None if is_vague else "results" if draft.answerable else "none",
            tags={**tags, GENERATED: "documents"},
            extra={
                "quotes": [msgspec.to_builtins(quote) for quote in draft.quotes],
                **({"standalone": draft.standalone} if draft.standalone else {}),
            },
        )

    def refusal(self) -> dict[str, Any]:
        """Return a row about a question that is not asked: what was written, and which checks it did not pass."""
        draft = self.draft
        unchecked = {check.aspect: check.outcome.why for check in self.failed if check.outcome.value is None}
        return {
            "id": self.id,
            "query": draft.question,
            **({"standalone": draft.standalone} if draft.standalone else {}),
            "references": draft.answer,
            "kind": draft.user_kind,
            **({} if draft.answerable else {"unanswerable": draft.kind}),
            "documents": list(draft.documents),
            "quotes": [msgspec.to_builtins(quote) for quote in draft.quotes],
            "refused": {check.aspect: check.outcome.why for check in self.failed if check.outcome.value is not None},
            **({"unchecked": unchecked} if unchecked else {}),
        }
