"""Write and check questions in rounds, until as many are accepted as were asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from neraca.errors import BudgetReached
from neraca.generation.document_sample import sample_documents
from neraca.generation.documents import Document
from neraca.generation.drafts import FIRST, NEXT, TWO_DOCUMENTS, UNANSWERABLE, Check, Checked, Draft, Window
from neraca.generation.passages import Passages, is_long_enough
from neraca.generation.question_duplicates import check_duplicates
from neraca.generation.question_reader import Reader
from neraca.generation.question_rules import check_by_rules
from neraca.generation.question_writer import MADE_UP, Writer
from neraca.judges.concurrent import concurrently
from neraca.judges.outcome import Outcome
from neraca.models.model_session import ModelSession

#: Questions in one call, about one document or about two.
PER_CALL, PER_PAIR = 3, 2
#: Rounds one after the other that accept less than this share of what they were to write, before it is given up.
MOST_POOR_ROUNDS, POOR = 2, 0.2


@dataclass(frozen=True)
class Group:
    """The questions of one call: its place in the round, the parts of documents, the kinds, and what was asked."""

    place: int
    windows: tuple[Window, ...]
    kinds: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass(frozen=True)
class _Outcome:
    """The questions of a group after rules and reader, without their ids; `why` it has none."""

    group: Group
    checked: tuple[Checked, ...]
    why: str = ""


@dataclass
class Rounds:
    """Makes questions round by round.

    Attributes
    ----------
    documents, passages
        The documents that questions are written about, and the passages of all documents.
    writer, reader, language
        Who writes and who reads, and the code of the language.
    session, seed
        The session that calls models, and the seed of every choice.
    checked
        All questions so far, in order.
    failures
        Why calls of the writer gave nothing → their number.
    unwritten
        Number of questions that the writer left out, as the document allows none of the kind.
    stopped
        Why the work ended early; None: it did not.
    """

    documents: Sequence[Document]
    passages: Passages
    writer: Writer
    reader: Reader
    language: str
    session: ModelSession
    seed: int
    checked: list[Checked] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    unwritten: int = 0
    stopped: BudgetReached | None = None
    _pool: list[Document] = field(default_factory=list)
    _unanswerable: int = 0

    def run(self, numbers: Mapping[str, int]) -> None:
        """Make as many questions of each kind as `numbers` says, or until nothing more is gained."""
        poor = number = 0
        while (missing := self._missing(numbers)) and poor < MOST_POOR_ROUNDS and self.stopped is None:
            accepted = self._accepted()
            groups = self._groups(number, missing)
            if not groups:
                return
            self._do(groups)
            asked_for = sum(len(group.kinds) for group in groups)
            poor = poor + 1 if self._accepted() - accepted < POOR * asked_for else 0
            number += 1
            if (
                self.session.dry_run and self.session.spent.calls
            ):  # the replies that decide on a further round are not there
                return

    def _accepted(self) -> int:
        return sum(question.accepted for question in self.checked)

    def _missing(self, numbers: Mapping[str, int]) -> dict[str, int]:
        made = Counter(question.draft.user_kind for question in self.checked if question.accepted)
        return {kind: number - made[kind] for kind, number in numbers.items() if number > made[kind]}

    def _groups(self, number: int, missing: Mapping[str, int]) -> list[Group]:
        """Return the calls of a round, each about another document."""
        random = Random(f"{self.seed} {number}")
        turns = [(FIRST, NEXT)[at % 2] for at in range(missing.get("followup", 0))]
        kinds = list(self._kinds(missing))
        singles = [kind for kind in kinds if kind not in TWO_DOCUMENTS]
        random.shuffle(singles)
        pairs = [kind for kind in kinds if kind in TWO_DOCUMENTS]
        calls = [part[at : at + PER_PAIR] for part in (pairs, turns) for at in range(0, len(part), PER_PAIR)]
        calls += [singles[at : at + PER_CALL] for at in range(0, len(singles), PER_CALL)]
        groups: list[Group] = []
        documents = self._drawn(len(calls), self.seed + number)
        random.shuffle(documents)
        for document, together in zip(documents, calls, strict=False):
            window = self.passages.window(document, random)
            windows: tuple[Window, ...] = (window,)
            if together[0] in TWO_DOCUMENTS:
                if (neighbour := self.passages.neighbour(window)) is None:
                    self.unwritten += len(together)
                    continue
                windows = (window, neighbour)
            groups.append(Group(len(groups), windows, tuple(together), self._asked(windows)))
        return groups

    def _kinds(self, missing: Mapping[str, int]) -> Iterator[str]:
        """Yield the kind of each question that is no turn; those of unanswerable ones in turn."""
        for kind, number in missing.items():
            for _ in range(0 if kind == "followup" else number):
                if kind == "unanswerable":
                    yield UNANSWERABLE[self._unanswerable % len(UNANSWERABLE)]
                    self._unanswerable += 1
                else:
                    yield kind

    def _drawn(self, n: int, seed: int) -> list[Document]:
        """Return documents that were not drawn before, of near duplicates one; when all were, they are drawn again."""
        if not self._pool:
            self._pool = [document for document in self.documents if is_long_enough(document)]
        if not self._pool:
            return []
        sample = sample_documents(self._pool, n, seed)
        gone = {document.id for document in sample.documents} | sample.duplicates.keys()
        self._pool = [document for document in self._pool if document.id not in gone]
        return list(sample.documents)

    def _asked(self, windows: Sequence[Window]) -> tuple[str, ...]:
        """Return the questions that were written about these documents in earlier rounds."""
        names = {window.document.id for window in windows}
        return tuple(
            question.draft.complete
            for question in self.checked
            if names & {window.document.id for window in question.draft.windows}
        )

    def _do(self, groups: Sequence[Group]) -> None:
        """Do the calls of a round; when the budget is reached, keep what is finished."""
        outcomes: list[_Outcome] = []
        try:
            outcomes.extend(concurrently(groups, self._one, self.session))
        except BudgetReached as error:
            self.stopped = error
        outcomes.sort(key=lambda outcome: outcome.group.place)
        for outcome in outcomes:
            if outcome.why:
                self.failures[outcome.why] += 1
            else:
                self.unwritten += len(outcome.group.kinds) - len(outcome.checked)
        fresh = [question for outcome in outcomes for question in outcome.checked]
        first = len(self.checked) + 1
        fresh = [replace(question, id=f"d{number}") for number, question in enumerate(fresh, first)]
        self._without_duplicates(fresh)

    async def _one(self, group: Group) -> list[_Outcome]:
        """Write the questions of a group, check them by rules, and let the reader read those that passed."""
        drafts, why = await self.writer.write(group.windows, group.kinds, group.asked)
        if why:
            return [_Outcome(group, (), why)]
        by_rules = [[] if draft.question == MADE_UP else check_by_rules(draft, self.language) for draft in drafts]
        passed = [
            draft for draft, checks in zip(drafts, by_rules, strict=True) if all(check.passed for check in checks)
        ]
        readings = dict(zip(map(id, passed), await self.reader.read(passed) if passed else [], strict=True))
        checked = [
            Checked(id="", draft=draft, checks=(*checks, *read), others=self._with_copies(draft, others))
            for draft, checks in zip(drafts, by_rules, strict=True)
            for read, others in [readings.get(id(draft), ([], ()))]
        ]
        return [_Outcome(group, tuple(checked))]

    def _with_copies(self, draft: Draft, others: Sequence[str]) -> tuple[str, ...]:
        """Return further documents that answer a question, with the exact copies of those that it is about."""
        copies = [name for source in draft.documents if draft.answerable for name in self.passages.copies(source)]
        return tuple(name for name in dict.fromkeys([*others, *copies]) if name not in draft.documents)

    def _without_duplicates(self, fresh: Sequence[Checked]) -> None:
        """Add the questions of a round; of those that passed so far, compare each with all accepted ones."""
        accepted = [question for question in self.checked if question.accepted]
        new = [question for question in fresh if question.accepted and question.draft.question != MADE_UP]
        checks = check_duplicates([*accepted, *new], self.language)[len(accepted) :]
        check_by_id = {question.id: check for question, check in zip(new, checks, strict=True)}
        before = len(self.checked)
        for question in fresh:
            check = check_by_id.get(question.id)
            question = replace(question, checks=(*question.checks, check)) if check else question
            self.checked.append(self._in_conversation(question))
        self.checked[before:] = map(_without_lone_turn, self.checked[before:])

    def _in_conversation(self, question: Checked) -> Checked:
        """Return a later turn in the conversation of the turn before it, or refused if that was refused."""
        if question.draft.kind != NEXT or question.draft.question == MADE_UP:
            return question
        first = self.checked[-1] if self.checked else None
        if first is None or first.draft.kind != FIRST or first.draft.windows != question.draft.windows:
            why = "the first question of its conversation was not written"
        elif not first.accepted:
            why = f"the question before it, {first.id}, was refused"
        else:
            if question.accepted:
                self.checked[-1] = replace(first, session=f"s{first.id}")
            return replace(question, session=f"s{first.id}")
        return replace(question, checks=(*question.checks, Check("follows", Outcome(0.0, why))))


def _without_lone_turn(question: Checked) -> Checked:
    """Return a question; a first turn that no accepted turn follows is refused, for it is no conversation."""
    is_lone = question.draft.kind == FIRST and question.accepted and not question.session
    if not is_lone or question.draft.question == MADE_UP:
        return question
    return replace(
        question, checks=(*question.checks, Check("follows", Outcome(0.0, "no turn that follows it was accepted")))
    )
