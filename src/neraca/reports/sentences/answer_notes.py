"""Notes on the answers of a chat page, scored beside the questions of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.reports.sentences.notes import notes
from neraca.scores.answer_table import AnswerScores


def answer_notes(scored: AnswerScores) -> Iterator[str]:
    """Yield the notes on these scores: failed and unscored answers, an unknown language, and those of `notes`."""
    answers, run = scored.answers, scored.run
    if scored.left_out:
        names = ", ".join(map(str, scored.left_out))
        yield f"no question has a reference, in a column such as ground_truth: without {names}"
    if failed := sum(answer.failed for answer in answers):
        yield f"{count(failed, 'answer')} failed and count{'s' if failed == 1 else ''} as an empty one in every metric"
    reasons = scored.reasons()
    for why, n in Counter(why for row in range(len(answers)) for why in reasons.get(row, ())).items():
        yield f"{count(n, 'answer is', 'answers are')} unscored: {why}"
    if not scored.left_out and run.scorable and "" in run.scorable.group.languages:
        yield "the language is not known (--language): words are compared without their stems, and articles count"
    yield from notes(scored.scores)
