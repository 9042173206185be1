"""The questions and answers behind some scores: looked up in the scorables, or read again from their files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from neraca.datasets.trec.file_encoding import files_in
from neraca.grades import UNJUDGED
from neraca.metrics.scorable import Scorable
from neraca.records import Answer, Hit, Item
from neraca.scores.scores import RunScores, Scores
from neraca.scores.sources.documents import read_documents

#: Returns the systems' scorables of each block of rows, read again.
Blocks = Callable[[], Iterable[Sequence[Scorable]]]
#: The number of characters that are kept of the text of a document.
LONGEST = 2000
#: The numbers of a run and of one of its items.
Place = tuple[int, int]


class AnswerRecord(NamedTuple):
    """An answer.

    Attributes
    ----------
    item, answer
        The question, and the answer with its first hits.
    returned
        The number of all its hits.
    language
        The code of the language of its texts, or "".
    row
        Its row in the scorable of the run, which has the verdicts on it; None if the scorable was not kept.
    absent
        Whether there is no such answer: a TREC run has no line for the topic, and an empty answer stands for it.
    """

    item: Item
    answer: Answer
    returned: int
    language: str = ""
    row: int | None = None
    absent: bool = False


def items_of(scores: Scores) -> Sequence[Item]:
    """Return the questions; without a run folder or topics, only their ids and tags are known."""
    first = scores.runs[0]
    if first.scorable is not None and first.scorable.offers("item_records"):
        records: Sequence[Item] = first.scorable.column("item_records")
        return records
    tags = {name: [column[place] for place in range(len(first))] for name, column in first.tags.items()}
    return [
        Item(id=str(name), query="", tags={tag: values[place] for tag, values in tags.items() if values[place]})
        for place, name in enumerate(first.ids)
    ]


def judgments_of(scores: Scores) -> Mapping[str, Mapping[str, float]]:
    """Return question → document → grade, of verdicts or of qrels; {} if the report is not about hits."""
    if scores.relevance is not None:
        return scores.relevance.grades
    part = scores.runs[0].scorable
    return part.column("judgments") if part is not None and part.offers("judgments") else {}


def has_scale(judgments: Mapping[str, Mapping[str, float]]) -> bool:
    """Return whether grades are on a scale of more than two, so that each is worth a number beside the word."""
    return any(grade not in (UNJUDGED, 0, 1) for grades in judgments.values() for grade in grades.values())


def answers_of(
    scores: Scores, places: Iterable[Place], *, ranked: Collection[int] | None = None, depth: int = 10
) -> Mapping[Place, Sequence[AnswerRecord]]:
    """Return some answers, one for each trial; none for an answer of which only scores were kept.

    Scores of tables, lists and TREC runs hold no answers.  Their files are read again, and only the answers at these
    places are kept.

    Parameters
    ----------
    places
        The run and the item of each answer.
    ranked
        The items of which the rankings of TREC runs are read; None: all of `places`.
    depth
        The number of documents that are read of a ranking.
    """
    items_by_run: dict[int, list[int]] = {}
    for run, item in dict.fromkeys(places):
        items_by_run.setdefault(run, []).append(item)
    blocks: Blocks | None = scores.facts.get("blocks")
    if blocks is not None:
        return _read_blocks(blocks, scores, items_by_run)
    answers: dict[Place, list[AnswerRecord]] = {}
    for run, items in items_by_run.items():
        of_run = _of_run(scores.runs[run], items, items if ranked is None else ranked, depth)
        answers |= {(run, item): records for item, records in of_run.items()}
    documents = scores.facts.get("documents")
    if documents is None:
        return answers
    with files_in(scores.facts.get("encoding")):
        return _with_texts(answers, documents)


def _of_run(run: RunScores, items: Sequence[int], ranked: Collection[int], depth: int) -> dict[int, list[AnswerRecord]]:
    """Return item → the answers of a run; {} if its scorable was not kept or has no answers."""
    part = run.scorable
    if part is None:
        return {}
    if part.offers("answers"):
        chosen = set(items)
        rows: dict[int, list[int]] = {}
        for row, item in enumerate(range(part.n) if run.item is None else run.item.tolist()):
            if item in chosen:
                rows.setdefault(item, []).append(row)
        records = iter(_records(part, [row for rows_of_item in rows.values() for row in rows_of_item]))
        return {item: [next(records) for _ in rows_of_item] for item, rows_of_item in rows.items()}
    return _of_ranking(part, items, ranked, depth) if part.offers("answer_reader") else {}


def _of_ranking(
    part: Scorable, items: Sequence[int], ranked: Collection[int], depth: int
) -> dict[int, list[AnswerRecord]]:
    """Return item → its answer, with the first documents of its ranking."""
    item_records: Sequence[Item] = part.column("item_records")
    names = {item: item_records[item].id for item in items}
    returned = part.column("grades").returned.tolist()
    read = {names[item] for item in items if item in ranked or not returned[item]}
    answers = part.column("answer_reader")(read, depth)
    return {
        item: [
            AnswerRecord(
                item_records[item],
                answers.get(name) or Answer(item=name),
                returned[item],
                absent=name in read and name not in answers,
            )
        ]
        for item, name in names.items()
    }


def _records(part: Scorable, rows: Iterable[int]) -> list[AnswerRecord]:
    """Return rows of a scorable that holds its answers."""
    items, languages = part.column("items"), part.column("language", "")
    answers = part.column("answers" if part.offers("answers") else "counted_answers")
    return [
        AnswerRecord(items[row], answers[row], len(answers[row].hits), languages[row] or part.group.language, row)
        for row in rows
    ]


def _read_blocks(
    blocks: Blocks, scores: Scores, items_by_run: Mapping[int, Sequence[int]]
) -> dict[Place, list[AnswerRecord]]:
    answers: dict[Place, list[AnswerRecord]] = {}
    rows_by_run = {run: sorted(items) for run, items in items_by_run.items()}
    last = max((rows[-1] for rows in rows_by_run.values()), default=-1)
    first_row = 0
    for parts in blocks():
        if first_row > last:
            break
        part_by_name = {part.name: part for part in parts}
        end = first_row + parts[0].n
        for run, rows in rows_by_run.items():
            here = rows[bisect_left(rows, first_row) : bisect_left(rows, end)]
            records = _records(part_by_name[scores.runs[run].name], (row - first_row for row in here)) if here else []
            answers |= {(run, row): [record._replace(row=None)] for row, record in zip(here, records, strict=True)}
        first_row = end
    return answers


def _with_texts(answers: Mapping[Place, Sequence[AnswerRecord]], documents: object) -> dict[Place, list[AnswerRecord]]:
    """Return the answers with the texts of their hits, read from the documents in one pass."""
    ids = {hit.id for records in answers.values() for record in records for hit in record.answer.hits if not hit.text}
    texts = read_documents(documents, ids, LONGEST)

    def with_text(hit: Hit) -> Hit:
        return texts[hit.id] if not hit.text and hit.id in texts else hit

    return {
        place: [
            record._replace(answer=replace(record.answer, hits=tuple(map(with_text, record.answer.hits))))
            for record in records
        ]
        for place, records in answers.items()
    }
