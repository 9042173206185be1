"""The card of questions made from documents: what was refused and why, what they cover, what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from neraca.counts_and_lists import count, listed
from neraca.generation.document_question_set import DocumentQuestions
from neraca.generation.drafts import Check, Checked
from neraca.generation.model_families import same_family
from neraca.generation.passages import LEAST_WORDS, is_long_enough
from neraca.generation.question_rules import rule_words
from neraca.number_format import exact, integer
from neraca.number_format import number as number_text
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.sentences.generated import trust
from neraca.result import Table, short
from neraca.translation import say, say_all, written_in
from neraca.unicode_words import unicode_words


def card_document(questions: DocumentQuestions, language: str = "en") -> Document:
    """Make the blocks of the card in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(say("Card of generated questions"), tuple(_blocks(questions)), language)


def summary(questions: DocumentQuestions) -> list[str]:
    """Say how many questions were made, and what is to be known before they are asked."""
    return [_lead(questions), *_notes(questions), _spent(questions)]


def _spent(questions: DocumentQuestions) -> str:
    """Say what all calls cost, in this start and in earlier ones, as the table of costs does."""
    return say(
        "cost: {calls} of models, {dollars}", calls=count(_calls(questions), "call"), dollars=_dollars(questions)
    )


def _calls(questions: DocumentQuestions) -> int:
    return questions.spent.calls + questions.spent.wasted


def _dollars(questions: DocumentQuestions) -> str:
    cost = questions.spent.cost
    return say("price not known") if cost is None else f"${exact(round(cost, 6))}"


def _blocks(questions: DocumentQuestions) -> Iterator[Block]:
    yield Sentences((_lead(questions),), "lead")
    yield Sentences(tuple(_notes(questions)), title=say("Before you trust it"))
    yield Heading(say("Checks"), "checks", say("Checks"))
    yield _kinds(questions)
    yield _checks(questions)
    yield Heading(say("What they ask about"), "coverage", say("Coverage"))
    yield _coverage(questions)
    yield _first_words(questions)
    if questions.documents.losses:
        losses = tuple(f"{loss.source}: {loss.reason}" for loss in questions.documents.losses)
        yield Sentences(losses, title=say("Not read"))
    yield Heading(say("Cost"), "cost", say("Cost"))
    yield _cost(questions)
    yield _all(questions)
    if questions.refused:
        yield _refused(questions)


def _lead(questions: DocumentQuestions) -> str:
    return say(
        "{questions} about {documents} of {source}: {writer} wrote {written}, rules and {reader} refused {refused}; "
        "seed {seed}.",
        questions=count(len(questions), "question"),
        documents=count(len(questions.documents), "document"),
        source=Path(questions.documents.path).name,
        writer=questions.writer,
        written=integer(len(questions.checked)),
        reader=questions.reader,
        refused=integer(len(questions.refused)),
        seed=questions.seed,
    )


def _notes(questions: DocumentQuestions) -> Iterator[str]:
    """Say what differs from what was asked for, what was guessed, and what such questions can show."""
    if questions.stopped is not None:
        yield say("stopped early: {why}", why=questions.stopped)
    if questions.unchecked:
        reasons = Counter(check.outcome.why for question in questions.unchecked for check in question.failed)
        yield say(
            "{questions} could not be checked, as the second reader gave no usable reply, and are not asked: {why}",
            questions=count(len(questions.unchecked), "question"),
            why=short(reasons.most_common(1)[0][0], 200),
        )
    yield from _missing(questions)
    if questions.detected:
        yield say("language found in the texts, not said: {detected}", detected=questions.detected)
    if questions.language not in rule_words():
        yield say(
            "whether a question points at a text that nobody has seen was not checked: these words are known only for "
            "{languages}",
            languages=listed(list(rule_words())),
        )
    if questions.writer == questions.reader:
        yield say(
            "one model, {model}, wrote and read the questions, and repeats its own mistakes: name another with "
            "--reader-model",
            model=questions.writer,
        )
    elif same_family(questions.writer, questions.reader):
        yield say(
            "{writer} and {reader} are of one family, and may share mistakes: name a reader of another family",
            writer=questions.writer,
            reader=questions.reader,
        )
    yield from _known(questions)
    if tiny := sum(not is_long_enough(document) for document in questions.documents):
        yield say(
            "{documents} with fewer than {least} words are not asked about",
            documents=count(tiny, "document"),
            least=LEAST_WORDS,
        )
    yield say(
        "right answers are the documents that the second reader found to answer; it saw the passages nearest to each "
        "question, not all, so that further documents may answer too"
    )
    yield say("generated questions") + ": " + trust()


def _known(questions: DocumentQuestions) -> Iterator[str]:
    """Say how many questions a model answers without documents, and how many were not asked."""
    answerable = [question for question in questions.accepted if question.draft.answerable]
    values = [question.known.outcome.value for question in answerable if question.known is not None]
    asked = [value for value in values if value is not None]
    if known_number := int(sum(asked)):
        yield say(
            "{reader} answers {known} of {asked} without any document: they tell less about the search (tag known=yes)",
            reader=questions.reader,
            known=count(known_number, "question"),
            asked=integer(len(asked)),
        )
    if unasked := len(answerable) - len(asked):
        yield say(
            "whether a model answers them without documents is not known of {questions}",
            questions=count(unasked, "question"),
        )


def _missing(questions: DocumentQuestions) -> Iterator[str]:
    """Say which kinds have fewer questions than asked for, and where the others went."""
    made = questions.counts("kind")
    missing = {kind: asked for kind, asked in questions.asked.items() if made[kind] < asked}
    for kind, asked in missing.items():
        numbers = {"made": integer(made[kind]), "asked": integer(asked), "kind": kind}
        if questions.stopped is not None:
            yield say("{made} of {asked} questions of the kind {kind} were accepted before it stopped", **numbers)
        else:
            yield say("{made} of {asked} questions of the kind {kind} passed all checks", **numbers)
    if missing and questions.unwritten:
        yield say("the writer left out {questions}", questions=count(questions.unwritten, "question"))
    for why, calls in questions.failures.items():
        yield say("{calls} of the writer gave nothing: {why}", calls=count(calls, "call"), why=short(why, 200))


def _kinds(questions: DocumentQuestions) -> Table:
    parts = [
        Counter(question.draft.user_kind for question in part)
        for part in (questions.accepted, questions.refused, questions.unchecked)
    ]
    rows = [[kind, integer(asked), *(integer(part[kind]) for part in parts)] for kind, asked in questions.asked.items()]
    columns = say_all("kind", "asked for", "accepted", "refused", "not checked")
    return Table(columns, rows, say("Questions by kind"), name="kinds")


def _checks(questions: DocumentQuestions) -> Table:
    """Return for each check how many questions passed, failed or had no reply, and one that failed, with the reason."""
    checks: dict[tuple[str, str], list[tuple[Checked, Check]]] = {}
    for question in questions.checked:
        for check in question.checks:
            checks.setdefault((check.aspect, check.by), []).append((question, check))
    rows = []
    for (aspect, by), outcomes in checks.items():
        unchecked = sum(check.outcome.value is None and not check.passed for _, check in outcomes)
        refused = [pair for pair in outcomes if not pair[1].passed and pair[1].outcome.value is not None]
        example = f"{refused[0][0].draft.question} ({refused[0][1].outcome.why})" if refused else ""
        numbers = (len(outcomes) - len(refused) - unchecked, len(refused), unchecked)
        rows.append([aspect, by, short(example, 160), *map(integer, numbers)])
    columns = say_all("check", "by", "an example of what was refused", "passed", "refused", "not checked")
    return Table(columns, rows, say("Questions by check"), names=3, name="checks")


def _coverage(questions: DocumentQuestions) -> Table:
    """Return for each file its documents, how many of them have a question, and the number of questions."""
    source_by_id = {document.id: document.source for document in questions.documents}
    asked = {name for question in questions.accepted for name in question.draft.documents}
    documents = Counter(source_by_id.values())
    covered = Counter(source_by_id[name] for name in asked if name in source_by_id)
    numbers = questions.counts("source")
    rows = [
        [source, integer(total), integer(covered[source]), integer(numbers[source])]
        for source, total in documents.items()
    ]
    rows.append([say("all"), *map(integer, (documents.total(), covered.total(), numbers.total()))])
    columns = say_all("source", "documents", "with a question", "questions")
    return Table(columns, rows, say("Questions by source"), name="coverage")


def _first_words(questions: DocumentQuestions) -> Table:
    """Return the words that questions begin with, the commonest first: whether they are all asked in one way."""
    counts = Counter(words[0] for q in questions.accepted if (words := unicode_words(q.draft.question.lower())))
    rows = [[word, integer(number)] for word, number in counts.most_common()]
    lengths = [len(unicode_words(question.draft.question)) for question in questions.accepted]
    mean = number_text(sum(lengths) / len(lengths)) if lengths else "–"
    title = say("First words of the questions, which have {mean} words on average", mean=mean)
    return Table(say_all("first word", "questions"), rows, title, most=10, name="first_words", depth=1)


def _cost(questions: DocumentQuestions) -> Table:
    spent = questions.spent
    calls = _calls(questions)
    rows = [
        [say("calls of models"), integer(calls)],
        *([[say("calls whose reply could not be used"), integer(spent.wasted)]] if spent.wasted else []),
        [say("calls for each accepted question"), number_text(calls / len(questions)) if len(questions) else ""],
        [say("tokens read"), integer(spent.input_tokens)],
        [say("tokens written"), integer(spent.output_tokens)],
        [say("US dollars"), say("price not known") if spent.cost is None else exact(round(spent.cost, 6))],
    ]
    return Table((), rows, name="cost")


def _all(questions: DocumentQuestions) -> Table:
    rows = [
        [
            question.id,
            question.draft.kind,
            question.draft.question,
            question.draft.answer if question.draft.answerable else say("none: {why}", why=question.draft.answer),
            ", ".join([*question.draft.documents, *question.others]) if question.draft.kind != "out_of_scope" else "",
        ]
        for question in questions.accepted
    ]
    columns = say_all("id", "kind", "question", "answer", "documents")
    return Table(columns, rows, say("All questions"), names=5, most=max(len(rows), 1), name="all", depth=1)


def _refused(questions: DocumentQuestions) -> Table:
    rows = [
        [
            question.id,
            question.draft.kind,
            question.draft.question,
            "; ".join(f"{check.aspect}: {check.outcome.why}" for check in question.failed),
        ]
        for question in questions.refused
    ]
    columns = say_all("id", "kind", "question", "why")
    return Table(columns, rows, say("Refused questions"), names=4, most=len(rows), name="refused", depth=1)
