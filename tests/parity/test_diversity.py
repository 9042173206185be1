"""The same numbers, question by question, as ndeval (through pyndeval), and as the definitions in exact fractions.

Differences that are meant:
- at k = 1 ndeval leaves out the division of alpha-DCG and ERR-IA by their highest values, so that they reach the
  number of subtopics; here they are divided at every k;
- documents that gain as much as each other in the ideal ranking are tied here; ndeval adds the gains of their
  subtopics in the order of the qrels, and where alpha is no binary fraction the sums can differ in the last digit,
  which decides between them;
- where nothing is relevant nNRBP is not a number there and 0 here, as all the others are;
- ndeval knows no k above 20.
"""

import math
from fractions import Fraction

import pyndeval
import pytest
from builders import make_scorable, make_verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.subtopics import Subtopics
from neraca.records import Answer, Hit, Item

#: Measuring coverage here would double the time, and other tests reach the same lines.
pytestmark = pytest.mark.no_cover

DOCS = tuple(f"d{number:02}" for number in range(14))
SUBTOPICS = ("1", "2", "3", "7", "12", "x")
CUTOFFS = (1, 2, 3, 5, 10, 20)
AT = {
    "alpha_DCG": "alpha-DCG",
    "alpha_nDCG": "alpha-nDCG",
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "StRecall": "strec",
    "P_IA": "P-IA",
}
WHOLE = {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP_IA": "MAP-IA"}
#: Not divided at k = 1 by ndeval.
UNDIVIDED = ("alpha_DCG", "ERR_IA")


@st.composite
def topics(draw, most=6):
    """Some questions: grades of documents for subtopics (negative ones too), and a ranking with unjudged documents."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        grades = draw(
            st.dictionaries(
                st.sampled_from(DOCS),
                st.dictionaries(st.sampled_from(SUBTOPICS), st.integers(-1, 3), min_size=1, max_size=most),
                min_size=1,
                max_size=12,
            )
        )
        docs = draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=14, unique=True))
        found.append((str(number), grades, docs))
    return found


def qrels_of(drawn):
    return [
        (query, subtopic, doc, grade)
        for query, grades, _ in drawn
        for doc, names in grades.items()
        for subtopic, grade in names.items()
    ]


def run_of(drawn):
    """Scores that fall with the rank, so that nothing is tied."""
    return [(query, doc, float(-rank)) for query, _, docs in drawn for rank, doc in enumerate(docs)]


def theirs(drawn, alpha, beta, run=None):
    """ndeval's value of each question by our name."""
    names = {f"{ours}@{k}": f"{name}@{k}" for ours, name in AT.items() for k in CUTOFFS} | WHOLE
    found = pyndeval.ndeval(qrels_of(drawn), run or run_of(drawn), names.values(), alpha=alpha, beta=beta)
    return {query: {name: values[reference] for name, reference in names.items()} for query, values in found.items()}


def named(name, alpha, beta):
    """With the parameters that it takes: `alpha_DCG@5` is `alpha_DCG(alpha=0.3)@5`."""
    word, _, at = name.partition("@")
    takes = {"NRBP": f"(alpha={alpha},beta={beta})"}.get(word.removeprefix("n"), f"(alpha={alpha})")
    takes = "" if word in ("StRecall", "P_IA", "MAP_IA") else takes
    return f"{word}{takes}@{at}" if at else word + takes


def scorable_of(drawn):
    """Answers and verdicts on the documents; built once for all metrics, which takes most of the time."""
    pairs = [
        (Item(id=query, query="?"), Answer(item=query, hits=tuple(Hit(id=doc) for doc in docs)))
        for query, _, docs in drawn
    ]
    said = [
        make_verdict(doc, f"subtopic:{subtopic}", float(grade), "qrels", item=query)
        for query, subtopic, doc, grade in qrels_of(drawn)
    ]
    return make_scorable(pairs, said)


def ours(name, part):
    """Our value of each question, in the order of the questions."""
    return score_metric(Metric.of(name), part).rows[:, 0].tolist()


def count(grades):
    """How many subtopics have a relevant document."""
    return len({name for names in grades.values() for name, grade in names.items() if grade > 0})


def compare(drawn, alpha, beta, run=None):
    reference = theirs(drawn, alpha, beta, run)
    subtopics = {query: count(grades) for query, grades, _ in drawn}
    part = scorable_of(drawn)
    for name in next(iter(reference.values())):
        for query, value in zip(subtopics, ours(named(name, alpha, beta), part), strict=True):
            expected = reference[query][name]
            if math.isnan(expected):
                assert (name, subtopics[query], value) == ("nNRBP", 0, 0)
                continue
            if name in [f"{undivided}@1" for undivided in UNDIVIDED]:
                expected = expected / max(subtopics[query], 1)
            assert value == pytest.approx(expected, abs=1e-9), (name, query)


@settings(max_examples=50)
@given(topics(), st.sampled_from([0, 0.25, 0.5, 0.75, 0.875]), st.sampled_from([0.1, 0.5, 0.8]))
def test_ndeval(drawn, alpha, beta):
    compare(drawn, alpha, beta)


@settings(max_examples=30)
@given(topics(most=2), st.sampled_from([0.1, 0.3, 0.6, 0.9]))
def test_ndeval_with_an_alpha_that_is_no_binary_fraction(drawn, alpha):
    """With two subtopics to a document the order of the sum does not matter."""
    compare(drawn, alpha, 0.5)


@settings(max_examples=40)
@given(topics(), st.data())
def test_ndeval_with_tied_scores_in_its_own_order(drawn, data):
    """pyndeval puts tied documents in the order of their ids."""
    scored = [(query, doc, float(data.draw(st.integers(0, 2)))) for query, _, docs in drawn for doc in docs[::-1]]
    ranked = [
        (query, grades, [doc for own, doc, _ in sorted(scored, key=lambda row: (-row[2], row[1])) if own == query])
        for query, grades, _ in drawn
    ]
    compare(ranked, 0.5, 0.5, scored)


def test_at_the_first_rank_ndeval_does_not_divide():
    drawn = [("1", {"a": {"1": 1, "2": 1}, "b": {"3": 1}}, ["a"])]
    found = theirs(drawn, 0.5, 0.5)["1"]
    assert (found["alpha_DCG@1"], found["ERR_IA@1"]) == (2, 2)
    part = scorable_of(drawn)
    assert (ours("alpha_DCG@1", part), ours("ERR_IA@1", part)) == ([pytest.approx(2 / 3)],) * 2


def test_documents_that_gain_the_same_are_tied_whatever_the_order_of_the_sum():
    """After d, both b and c gain 1 + 2 * 0.4; the last id is c, but 0.4 + 1 + 0.4 < 0.4 + 0.4 + 1 by one digit."""
    relevant = {"a": "24", "b": "135", "c": "143", "d": "123", "e": "5"}
    drawn = [("1", {doc: dict.fromkeys(names, 1) for doc, names in relevant.items()}, list("abcde"))]
    exact = oracle(list("abcde"), {doc: set(names) for doc, names in relevant.items()}, Fraction(6, 10), 10)
    assert ours("alpha_nDCG(alpha=0.6)@10", scorable_of(drawn))[0] == pytest.approx(
        float(exact["alpha_nDCG"]), abs=1e-12
    )
    assert theirs(drawn, 0.6, 0.5)["1"]["alpha_nDCG@10"] < float(exact["alpha_nDCG"]) - 1e-4


def oracle(docs, relevant, alpha, at, beta=Fraction(1, 2)):
    """Every metric from its definition, subtopic by subtopic; the ideal order chosen by exact fractions."""
    subtopics = sorted({name for names in relevant.values() for name in names})
    ideal = greedy(relevant, alpha)

    def err(order, name, depth):
        """Satisfied at this rank, after no hit above it satisfied."""
        found, unsatisfied = Fraction(0), Fraction(1)
        for rank, doc in enumerate(order[:depth], start=1):
            if name in relevant.get(doc, ()):
                found += unsatisfied / rank
                unsatisfied *= 1 - alpha
        return found

    def dcg(order, depth):
        found = 0.0
        for rank, doc in enumerate(order[:depth], start=1):
            above = order[: rank - 1]
            for name in relevant.get(doc, ()):
                before = sum(name in relevant.get(other, ()) for other in above)
                found += float((1 - alpha) ** before) / math.log2(rank + 1)
        return found

    def rbp(order, name):
        places = [place for place, doc in enumerate(order) if name in relevant.get(doc, ())]
        return sum(((1 - alpha) ** known * beta**place for known, place in enumerate(places)), Fraction(0))

    def ap(name):
        ranks = [rank for rank, doc in enumerate(docs, start=1) if name in relevant.get(doc, ())]
        known = sum(name in names for names in relevant.values())
        return sum((Fraction(number, rank) for number, rank in enumerate(ranks, start=1)), Fraction(0)) / known

    def mean(values):
        return sum(values) / len(subtopics) if subtopics else 0

    def share(part, whole):
        return part / whole if whole else 0

    highest = sum((1 - alpha) ** (rank - 1) / rank for rank in range(1, at + 1))
    highest_dcg = sum(float((1 - alpha) ** (rank - 1)) / math.log2(rank + 1) for rank in range(1, at + 1))
    top = docs[:at]
    return {
        "alpha_DCG": mean([dcg(docs, at) / highest_dcg]),
        "alpha_nDCG": share(dcg(docs, at), dcg(ideal, at)),
        "ERR_IA": mean([err(docs, name, at) / highest for name in subtopics]),
        "nERR_IA": share(mean([err(docs, n, at) for n in subtopics]), mean([err(ideal, n, at) for n in subtopics])),
        "NRBP": mean([(1 - (1 - alpha) * beta) * rbp(docs, name) for name in subtopics]),
        "nNRBP": share(sum(rbp(docs, name) for name in subtopics), sum(rbp(ideal, name) for name in subtopics)),
        "StRecall": mean([any(name in relevant.get(doc, ()) for doc in top) for name in subtopics]),
        "P_IA": mean([Fraction(sum(name in relevant.get(doc, ()) for doc in top), at) for name in subtopics]),
        "MAP_IA": mean([ap(name) for name in subtopics]),
    }


def greedy(relevant, alpha):
    """At each rank the document that gains most, the last id among equals."""
    order, left = [], dict(relevant)
    while left:
        gains = {
            doc: sum((1 - alpha) ** sum(name in relevant[above] for above in order) for name in names)
            for doc, names in left.items()
        }
        order.append(max(gains, key=lambda doc: (gains[doc], doc)))
        del left[order[-1]]
    return order


@settings(max_examples=200)
@given(topics(), st.integers(0, 9), st.integers(1, 30), st.integers(1, 9))
def test_the_definitions_in_exact_fractions(drawn, alpha, at, beta):
    for query, grades, docs in drawn:
        relevant = {doc: {name for name, grade in names.items() if grade > 0} for doc, names in grades.items()}
        relevant = {doc: names for doc, names in relevant.items() if names}
        view = Subtopics.judged([docs], [relevant])
        for name, value in oracle(docs, relevant, Fraction(alpha, 10), at, Fraction(beta, 10)).items():
            text = named(f"{name}@{at}" if name in AT else name, alpha / 10, beta / 10)
            assert Metric.of(text)(view)[0] == pytest.approx(float(value), abs=1e-12), (query, text)
