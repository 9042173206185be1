"""Find the answer that a line of a rater's table rates, or say why there is none."""

from __future__ import annotations

from neraca.people.rating_table import RatedLine
from neraca.people.rating_task import RatingTask, RatingTasks
from neraca.translation import say


def answer_of_line(line: RatedLine, tasks: RatingTasks) -> RatingTask | None:
    """Return the answer that a line rates: by its opaque id, else the only answer to its question."""
    if (key := line.texts.get("answer", "")) in tasks.by_id:
        return tasks.by_id[key]
    answers = _answers_to(line, tasks)
    return answers[0] if len(answers) == 1 and not key else None


def why_no_answer(line: RatedLine, tasks: RatingTasks) -> str:
    """Return the reason why a line rates no answer of these runs, and what to do."""
    question = line.texts.get("question") or line.texts.get("query_id") or "?"
    runs = ", ".join(str(run.path) for run in tasks.runs)
    if reason := _other_question(line, tasks):
        return reason
    answers = _answers_to(line, tasks)
    if not answers:
        template = (
            "{question!r} is no answer of these runs: {runs} were not asked this question; name the runs that were"
        )
        return say(template, question=question, runs=runs)
    if line.texts.get("answer"):
        return say(
            "{question!r} was answered otherwise by {runs}, so the rating is of another run, or of an "
            "answer that has changed since; name the run that gave it, or rate again",
            question=question,
            runs=runs,
        )
    return say(
        "{question!r} has {n} answers in {runs}; say which in a column answer, as a template does",
        question=question,
        n=len(answers),
        runs=runs,
    )


def _other_question(line: RatedLine, tasks: RatingTasks) -> str:
    """Return a message if the id of a line is unknown or of another question than its text, else ""."""
    key, query = _id_of(line), line.texts.get("question", "")
    of_text = list(dict.fromkeys(item for item, text in tasks.queries.items() if query and text == query))
    items = _items_of(key, tasks)
    if not (key and of_text) or set(of_text) & set(items):
        return ""
    template = (
        "{id} is another question than its text, which is that of {others}: correct the id or the text"
        if items
        else "there is no question {id}; its text is that of {others}: correct the id, or leave the cell empty"
    )
    return say(template, id=key, others=say(" or ").join(of_text))


def _id_of(line: RatedLine) -> str:
    return line.texts.get("query_id", "").removesuffix(".0")


def _items_of(key: str, tasks: RatingTasks) -> list[str]:
    """Return the questions with this id, or if there is none, those with this number in their data set."""
    if key in tasks.queries:
        return [key]
    numbered = (run.items[int(key) - 1 : int(key)] if key.isdecimal() and int(key) else () for run in tasks.runs)
    return list(dict.fromkeys(item.id for items in numbered for item in items))


def _answers_to(line: RatedLine, tasks: RatingTasks) -> list[RatingTask]:
    """Return the answers to the question of a line, which its id and its text must both name if it has both."""
    key, query = _id_of(line), line.texts.get("question", "")
    items = _items_of(key, tasks)
    return [
        task
        for task in tasks.tasks
        if (not query or task.query == query) and (not key or tasks.places[task.id][0].item in items) and (key or query)
    ]
