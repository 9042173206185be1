"""Verdicts from a table of numbers, for examples and to compute a metric by hand."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts
from neraca.records import Answer, Constraint, Expects, Hit, Item, Verdict

Claim = tuple[str, int] | tuple[str, int, float]
BY = {"question": "embed:e#llm:m", "similarity": "embed:e"}
BY |= dict.fromkeys(("corpus_claims", "in_corpus"), "llm:m#corpus")


def checks(
    hits: Sequence[Sequence[float | None]],
    names: Sequence[str] = (),
    expects: str | None = "results",
    status: str = "complete",
) -> Checks:
    """Return the view of one answer, from a row per hit and a column per constraint (1 pass, 0 fail, None missing).

    >>> checks([[1, 0], [None, 1]]).value
    array([ 1.,  0., nan,  1.])
    """
    names = names or [f"c{number}" for number in range(max((len(row) for row in hits), default=0))]
    item = Item(id="1", query="?", constraints={name: Constraint(exact=1) for name in names}, expects=expects)  # type: ignore[arg-type]
    answer = Answer(item="1", hits=tuple(Hit(id=f"d{rank}") for rank in range(len(hits))), status=status)  # type: ignore[arg-type]
    verdicts = [
        Verdict(item="1", about=f"hit:d{rank}", aspect=name, by="rules", value=value)
        for rank, row in enumerate(hits)
        for name, value in zip(names, row, strict=False)
    ]
    return Checks.of(scorable_of_answers([item], [answer], verdicts))


def judged(
    answer: Sequence[Claim] = (),
    reference: Sequence[Claim] = (("", 1),),
    useful: Sequence[float | None] = (1, 0),
    *,
    text: str = "It says so.",
    questions: Sequence[float] = (),
    declines: float = 0,
    **ratings: float,
) -> JudgeVerdicts:
    """Return the view of one answer that an LLM has judged.

    Parameters
    ----------
    answer
        For each claim of the answer the contexts that support it (`"a b"`), and whether the reference states it.
    reference
        For each claim of the reference the contexts that support it, whether the answer states it, and optionally
        whether it is in the corpus.
    useful
        For each context, named a, b, c, …, whether it is useful.
    questions
        Cosines of the questions that the answer would answer.
    ratings
        Verdicts on the answer as a whole, such as `valid=1`; `similarity` is by embeddings.

    Examples
    --------
    >>> next(iter(judged([("a", 1)]).of_judge(["claims"])))["claim:1", "supported"].value
    1.0
    """
    docs = "abcdefghijklmnopqrstuvwxyz"[: len(useful)]
    sizes = {"claims": len(answer), "reference_claims": len(reference), "contexts": len(docs), "declines": declines}
    rows: list[tuple[str, str, float | None]] = [("answer", name, float(value)) for name, value in sizes.items()]
    rows += [("answer", name, value) for name, value in ratings.items()]
    rows += [(f"question:{number}", "question", value) for number, value in enumerate(questions, start=1)]
    rows += [(f"hit:{doc}", "useful", value) for doc, value in zip(docs, useful, strict=True)]
    for about, agreed, side in (("claim", "correct", answer), ("reference", "stated", reference)):
        for number, (contexts, agrees, *in_corpus) in enumerate(side, start=1):
            place = f"{about}:{number}"
            rows += [(place, "in_corpus", value) for value in in_corpus]
            rows += [(place, "claim", 1), (place, "supported", float(bool(contexts.split()))), (place, agreed, agrees)]
            rows += [(place, f"hit:{doc}", 1) for doc in contexts.split()]
    if corpus_claims := sum(aspect == "in_corpus" for _, aspect, _ in rows):
        rows.append(("answer", "corpus_claims", corpus_claims))
    item = Item(id="1", query="?", references=("something",))
    record = Answer(item="1", text=text, hits=tuple(Hit(id=doc, text="?") for doc in docs))
    verdicts = [
        Verdict(item="1", about=about, aspect=aspect, value=value, by=BY.get(aspect, "llm:m"))
        for about, aspect, value in rows
    ]
    return JudgeVerdicts.of(scorable_of_answers([item], [record], verdicts))


def refusal(expects: Expects, declines: float) -> JudgeVerdicts:
    """Return the view of one answer that declines (1) or does not (0), to a question that expects this.

    >>> refusal("none", 1).verdicts.table[0].value
    1.0
    """
    verdict = Verdict(item="1", about="answer", aspect="declines", value=declines, by="llm:m")
    item = Item(id="1", query="?", expects=expects)
    return JudgeVerdicts.of(scorable_of_answers([item], [Answer(item="1", text="No.")], [verdict]))


def conversation(aspect: str, value: float | None, turns: Sequence[float] = (), length: int = 5) -> JudgeVerdicts:
    """Return the view of a conversation with a verdict on the whole of it, and on its last turns.

    >>> [verdict.about for verdict in conversation("remembers", 0, turns=[1, 0]).verdicts.table]
    ['session', 'turn:4', 'turn:5']
    """
    items = [Item(id=str(number), query="?", session="s") for number in range(1, length + 1)]
    answers = [Answer(item=item.id, text="Yes.") for item in items]
    first = length - len(turns) + 1
    rows = [("session", value), *((f"turn:{n}", decided) for n, decided in enumerate(turns, start=first))]
    verdicts = [
        Verdict(item=str(length), about=about, aspect=aspect, value=number, by="llm:m") for about, number in rows
    ]
    return JudgeVerdicts.of(scorable_of_answers(items, answers, verdicts))
