"""Metrics of claims against the published definitions of ragas and RAGChecker, on random verdicts.

Es, S. and others (2024), RAGAs, EACL; the ragas library, versions 0.1 to 0.3 (faithfulness, answer relevancy, context
precision and recall, answer correctness, noise sensitivity); Ru, D. and others (2024), RAGChecker, NeurIPS, section 3.3
(hallucination, self-knowledge, context utilisation, noise sensitivity).  Both are written down here again from tables
of yes and no: `answer[i][k]` context k supports claim i of the answer, `right[i]` the reference states it;
`reference[j][k]` context k supports claim j of the reference, `stated[j]` the answer states it; `useful[k]`.
"""

import random
from dataclasses import dataclass
from statistics import fmean

import pytest
from builders import make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Hit, Item, Verdict


@dataclass
class Table:
    """What a judge said of one answer."""

    answer: list
    right: list
    reference: list
    stated: list
    useful: list
    cosines: list
    evasive: bool
    similarity: float


def draw(rng):
    """A random table; now and then with nothing on one side."""
    claims, wanted, contexts = rng.randint(0, 6), rng.randint(0, 5), rng.choice([0, 1, 2, 5])
    often = rng.random()

    def coin():
        return rng.random() < often

    return Table(
        [[coin() for _ in range(contexts)] for _ in range(claims)],
        [coin() for _ in range(claims)],
        [[coin() for _ in range(contexts)] for _ in range(wanted)],
        [coin() for _ in range(wanted)],
        [coin() for _ in range(contexts)],
        [rng.random() for _ in range(3)],
        rng.random() < 0.2,
        rng.random(),
    )


def f_score(tp, fp, fn, beta):
    precision = tp / (tp + fp) if tp + fp else 0
    recall = tp / (tp + fn) if tp + fn else 0
    if not precision and not recall:
        return 0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def expected(table):
    """Every metric by its definition; None where it has none, or where ours is documented to have none."""
    n = len(table.answer)
    supported = [any(row) for row in table.answer]
    found = [any(row) for row in table.reference]
    relevant = [any(row[k] for row in table.reference) for k in range(len(table.useful))]
    by_relevant = [any(yes and relevant[k] for k, yes in enumerate(row)) for row in table.answer]
    by_others = [any(yes and not relevant[k] for k, yes in enumerate(row)) for row in table.answer]
    up_to = [sum(table.useful[: k + 1]) / (k + 1) for k in range(len(table.useful))]
    sides = bool(table.answer and table.reference)
    both = list(zip(supported, table.right, strict=True))

    def share(yes, of):
        return sum(yes) / of if of else None

    scores = {
        "Faithfulness": share(supported, n),
        "ContextRecall": share(found, len(found)),
        "ContextPrecision": sum(p for p, yes in zip(up_to, table.useful, strict=True) if yes)
        / max(sum(table.useful), 1),
        "AnswerRelevance": 0 if table.evasive else fmean(table.cosines),
        "ContextUtilisation": share([f and s for f, s in zip(found, table.stated, strict=True)], sum(found)),
        "ClaimRecall": share(table.stated, len(table.stated)),
    }
    wrong = [not right for right in table.right]
    scores |= {
        "Hallucination": share([not s and not r for s, r in both], n) if sides else None,
        "SelfKnowledge": share([not s and r for s, r in both], n) if sides else None,
        "ClaimPrecision": share(table.right, n) if sides else None,
        "NoiseSensitivity": share([a and w for a, w in zip(by_relevant, wrong, strict=True)], n) if sides else None,
        "NoiseSensitivity(contexts=irrelevant)": share(
            [b and not a and w for a, b, w in zip(by_relevant, by_others, wrong, strict=True)], n
        )
        if sides
        else None,
    }
    for name, beta in (("", 1), ("(beta=2)", 2), ("(beta=0.5)", 0.5)):
        f = f_score(sum(table.right), n - sum(table.right), len(table.stated) - sum(table.stated), beta)
        scores[f"ClaimF{name}"] = f if table.reference else None
        scores[f"AnswerCorrectness{name}"] = (0.75 * f + 0.25 * table.similarity) if table.reference else None
    return scores


def verdicts(id, table):
    """The table in a judge's words."""

    def verdict_on(about, aspect, value, by="llm:model#abcdef"):
        return Verdict(item=id, about=about, aspect=aspect, value=float(value), by=by)

    yield verdict_on("answer", "claims", len(table.answer))
    yield verdict_on("answer", "reference_claims", len(table.reference))
    yield verdict_on("answer", "contexts", len(table.useful))
    yield verdict_on("answer", "declines", table.evasive)
    for about, rows, aspect, agreed in (
        ("claim", table.answer, "correct", table.right),
        ("reference", table.reference, "stated", table.stated),
    ):
        for number, (row, same) in enumerate(zip(rows, agreed, strict=True), start=1):
            yield verdict_on(f"{about}:{number}", "claim", 1)
            yield verdict_on(f"{about}:{number}", "supported", any(row))
            yield verdict_on(f"{about}:{number}", aspect, same)
            for k, yes in enumerate(row):
                if yes:
                    yield verdict_on(f"{about}:{number}", f"hit:d{k}", 1)
    for k, yes in enumerate(table.useful):
        yield verdict_on(f"hit:d{k}", "useful", yes)
    for number, cosine in enumerate(table.cosines, start=1):
        yield verdict_on(f"question:{number}", "question", cosine, "embed:e#llm:model#abcdef")
    yield verdict_on("answer", "similarity", table.similarity, "embed:e")


def test_random_verdicts_give_the_published_values():
    rng = random.Random(6)
    tables = {str(number): draw(rng) for number in range(400)}
    pairs = [
        (
            Item(id=id, query="?", references=("r",)),
            Answer(item=id, text="a", hits=tuple(Hit(id=f"d{k}", text="t") for k in range(len(table.useful)))),
        )
        for id, table in tables.items()
    ]
    said = [verdict for id, table in tables.items() for verdict in verdicts(id, table)]
    rng.shuffle(said)
    batch = make_scorable(pairs, said)
    wanted = {id: expected(table) for id, table in tables.items()}
    for name in wanted["0"]:
        metric = Metric.of(name)
        column = score_metric(metric, batch)
        for (id, scores), row, why in zip(wanted.items(), column.rows, column.why, strict=True):
            if scores[name] is None:
                assert why, (name, tables[id])
            else:
                assert not why
                assert metric.total(row) == pytest.approx(scores[name], abs=1e-12), (name, tables[id])


def test_published_examples():
    """Ragas' documentation: one of two claims right on each side, and the useful context in the second place."""
    table = Table(
        [[True, False], [False, False]],
        [True, False],
        [[True, False], [False, False]],
        [True, False],
        [False, True],
        [1, 1, 1],
        False,
        0.5,
    )
    assert expected(table)["ClaimF"] == 0.5
    assert expected(table)["ContextPrecision"] == 0.5
    assert expected(table)["AnswerCorrectness"] == 0.5


def test_a_wrong_formula_would_be_noticed():
    """On these tables the definitions are not equal to each other by chance."""
    rng = random.Random(6)
    found = [expected(draw(rng)) for _ in range(400)]
    names = list(found[0])
    columns = {name: tuple(scores[name] for scores in found) for name in names}
    assert len(set(columns.values())) == len(names)
