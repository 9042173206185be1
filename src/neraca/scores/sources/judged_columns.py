"""The columns of a table whose rows are judged: question, response, contexts, reference, hits."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.datasets.columns import ALL, fold
from neraca.errors import SpecError
from neraca.scores.sources.answer_rows import AnswerColumns
from neraca.scores.sources.text_columns import TextColumns


def judged_columns(names: Sequence[str], where: str) -> tuple[TextColumns, AnswerColumns]:
    """Recognise columns by their names; raise `SpecError` if there is no column of answers, contexts or hits.

    A column `answer` is the reference if there is another column of responses, else the response.
    """
    free = {fold(name): name for name in reversed(names)}
    text_columns: set[str] = set()

    def take(role: str) -> str:
        name = next((free[fold(n)] for n in ALL[role] if fold(n) in free and free[fold(n)] not in text_columns), "")
        text_columns.add(name)
        return name

    query, contexts, references = take("query"), take("contexts"), take("references")
    response = take("response")
    if not response and fold(references) in map(fold, ALL["response"]):
        response, references = references, ""  # without another column, `answer` is the response
    texts = TextColumns(
        (references,) if references else (),
        (response,) if response else (),
        query=query,
        contexts=contexts,
        language=take("language"),
    )
    answer_columns = AnswerColumns.find(names, text_columns)
    if not response and not contexts and not answer_columns.hits:
        raise SpecError(
            f"{where}: no column for the response or the hits (found: {', '.join(names)}); there is nothing to judge"
        )
    return texts, answer_columns
