"""One question in several runs: its answers side by side, the claims in them, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from neraca.errors import NeracaError
from neraca.grades import UNJUDGED
from neraca.metrics.metric import Metric
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.claims_in_text import Claim, MarkedText, claims_of, mark_claims
from neraca.reports.formats.explorer import word_changes
from neraca.reports.formats.visible_text import clean, clip, field_text, line
from neraca.reports.sentences.scale_words import value_in_words, words_of, words_of_runs
from neraca.runs.answers import Answers
from neraca.runs.run import Run, content_of
from neraca.runs.session_contents import TURN, is_on_session, session_contents
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.sources.runs import scorables_of_runs
from neraca.verdicts.raters import RELEVANCE
from neraca.web.verdict_sentences import VerdictSentence, VerdictSummary, verdict_sentences

#: The most characters of a hit's text before a reader asks for more, and of its text altogether.
SNIPPET, TEXT = 280, 20_000


@dataclass(frozen=True)
class Conversation:
    """The questions of a session in order, all answers to them, and the verdicts on the last question."""

    items: Sequence[Item]
    answers: Sequence[Answer]
    last_verdicts: Sequence[Verdict]

    @cached_property
    def contents(self) -> Mapping[tuple[str, int], str]:
        """(item, trial) → the hash of the conversation up to this answer."""
        return session_contents(self.items, {(a.item, a.trial): content_of(a) for a in self.answers})

    def before(self, item: str) -> Sequence[Item]:
        """Return the questions of the session before this one."""
        return self.items[: [each.id for each in self.items].index(item)]

    def on_turn(self, item: str, trial: int) -> list[Verdict]:
        """Return the verdicts on one turn that stand on the last question, and hold for the conversation as it is."""
        last = self.items[-1].id
        about = f"{TURN}{[each.id for each in self.items].index(item) + 1}"
        newest = {(v.aspect, v.by): v for v in self.last_verdicts if v.about == about and v.trial == trial}
        current = ("", self.contents.get((last, trial), ""))
        return [v for v in newest.values() if item != last and v.status != "withdrawn" and v.of in current]


class OneQuestion(Run):
    """A run of which only the records about one question are read.

    Parameters
    ----------
    path
        The folder of the run.
    item, answers, verdicts
        The question, its answers and the verdicts on them.
    conversation
        The session of the question; None if it has none.
    """

    def __init__(
        self,
        path: Path,
        item: Item,
        answers: Sequence[Answer],
        verdicts: Iterable[Verdict],
        conversation: Conversation | None = None,
    ) -> None:
        super().__init__(path)
        self.conversation = conversation or Conversation((item,), answers, ())
        self.items = (item,)
        self.item_ids = (item.id,)
        newest = {(answer.item, answer.trial): answer for answer in answers}
        rows = {key: row for row, key in enumerate(newest)}
        self._answers = Answers(rows, list(newest.values()), [answer.status for answer in newest.values()])
        self._verdicts = VerdictTable.made(verdicts).newest()

    def answers(self) -> Answers:
        """Return the answers to the question."""
        return self._answers

    def verdicts(self) -> VerdictTable:
        """Return the newest verdicts on the question and its answers."""
        return self._verdicts


@dataclass(frozen=True)
class ShownHit:
    """A hit: the beginning of its text, the rest, and its grade in words; `relevant` is None if nobody judged it."""

    id: str
    text: str
    more: str
    fields: str
    relevant: bool | None
    grade: str


@dataclass(frozen=True)
class ShownAnswer:
    """One answer.

    Attributes
    ----------
    marked
        The text with the verdicts on its claims; `claims` is 0 if no claims were judged.
    parts
        The text with what differs from the first answer that has a text: (`same`, `ins` or `del`, words); [] without
        a text.
    """

    answer: Answer
    marked: MarkedText
    parts: list[tuple[str, str]]
    hits: list[ShownHit]
    verdicts: list[VerdictSentence | VerdictSummary]


def shown_answers(runs: Sequence[OneQuestion], metrics: Sequence[str] = ()) -> list[list[ShownAnswer]]:
    """Return for each run its answers to the one question, in the order of the trials.

    Which judge's claims are marked follows from the metrics, as in a report.
    """
    grades, claims = _grades_and_claims(runs, metrics)
    grade_words = words_of_runs(runs).get(RELEVANCE, {})
    first = next((text for run in runs for _, answer in sorted(run.answers().items()) if (text := answer.text)), "")
    shown = []
    for run, claims_by_trial in zip(runs, claims, strict=True):
        verdicts = [verdict for verdict in run.verdicts() if verdict.status != "withdrawn"]
        of_run = []
        for (_, trial), answer in sorted(run.answers().items()):
            current = {True: run.conversation.contents.get((answer.item, trial), ""), False: content_of(answer)}
            counting = [v for v in verdicts if v.trial == trial and v.of in ("", current[is_on_session(v.about)])]
            of_run.append(
                ShownAnswer(
                    answer,
                    mark_claims(clean(answer.text), claims_by_trial.get(trial, ())),
                    word_changes(first, answer.text) if answer.text else [],
                    [_hit(hit, grades, grade_words) for hit in answer.hits],
                    verdict_sentences(
                        [*counting, *run.conversation.on_turn(answer.item, trial)], partial(words_of, run)
                    ),
                )
            )
        shown.append(of_run)
    return shown


def _grades_and_claims(
    runs: Sequence[OneQuestion], metrics: Sequence[str]
) -> tuple[Mapping[str, float], list[dict[int, Sequence[Claim]]]]:
    """Return the grade of each judged hit, and for each run the claims of each trial."""
    try:
        parts, pooled = scorables_of_runs(runs)
        named = [Metric.of(name) for name in metrics]
        claims = [
            dict(zip((answer.trial for answer in part.column("answers")), claims_of(part, named), strict=True))
            for part in parts
        ]
    except NeracaError:  # runs of different questions, and damaged verdicts, are still shown side by side
        return {}, [{} for _ in runs]
    return pooled.grades.get(runs[0].items[0].id, {}), claims


def _hit(hit: Hit, grades: Mapping[str, float], grade_words: Mapping[float, str]) -> ShownHit:
    grade = None if grades.get(hit.id) == UNJUDGED else grades.get(hit.id)
    text = "" if hit.text.strip() == hit.id else clip(hit.text, TEXT)
    beginning = clip(text, SNIPPET)
    more = text if beginning != text else ""
    fields = " · ".join(
        f"{line(str(name), 30)} {field_text(value, 60)}"
        for name, value in hit.fields.items()
        if value not in (None, "", [])
    )
    words = "not judged" if grade is None else "relevant" if grade >= 1 else "not relevant"
    has_scale = any(other not in (UNJUDGED, 0, 1) for other in grades.values())
    graded = words
    if grade is not None and grade_words.get(grade):
        graded = f"{words} ({value_in_words(grade, grade_words[grade])})"
    elif grade is not None and has_scale:
        graded = f"{words} ({field_text(grade)})"
    return ShownHit(line(hit.id, 80), beginning, more, clip(fields, 600), None if grade is None else grade >= 1, graded)
