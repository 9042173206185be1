"""What holds of every metric that is registered, whoever adds it: nothing here knows what a metric measures.

A new metric is tested by being registered; if it has parameters without a default, give them in `REQUIRED`, and
its other ways of counting in `VARIANTS`.
"""

import numpy as np
import pytest
from builders import make_scorable
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.scorable import RunGroup
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.stats.intervals.interval import interval
from neraca.verdicts.relevance import Relevance

REQUIRED = {"PassRate": "(c0)", "IPrec": "(0.3)", "Condensed": "(AP)", "CWL": "(RBP)", "Residual": "(RBP)"}
REQUIRED |= {"Average": "(TokenF1,TFIDF)", "Rubric": "(tone)", "Aspect": "(polite)", "Preferred": "(other)"}
VARIANTS = (
    "P@1",
    "P(rel=2)@3",
    "P(of=returned)@3",
    "RR@2",
    "AP@3",
    "AP(R=returned)",
    "AP(R=returned)@3",
    "nDCG@2",
    "nDCG(gains=exp)@3",
    "nDCG(discount=jk)",
    "DCG(gains=exp,discount=jk)@4",
    "SetP(rel=2)",
    "SetR(rel=2)",
    "Success(rel=2)@2",
    "PassRatio(missing=fail,unjudged=fail)",
    "StrictPass(missing=skip)",
    "QuerySuccess(at=0.9)",
    "QueryF1(at=0.9)",
    "alpha_DCG@10",
    "alpha_nDCG(alpha=0.9)@3",
    "ERR_IA@10",
    "ERR_IA(alpha=0.1)@1",
    "nERR_IA@2",
    "NRBP(alpha=0.2,beta=0.9)",
    "nNRBP(beta=0.8)",
    "StRecall@2",
    "P_IA@10",
    "P_IA@1",
    "R@2",
    "R(rel=2)@3",
    "Rprec(rel=2)",
    "SetF(beta=2,rel=2)",
    "NumRel(rel=2)",
    "NumRelRet(rel=2)",
    "Judged@2",
    "Judged(of=k)@3",
    "ERR@3",
    "ERR(top=4)",
    "Bpref(rel=2)",
    "InfAP(rel=2)",
    "Compat(p=0.5)@3",
    "Compat@100",
    "IPrec(0)",
    "IPrec(1,rel=2)",
    "GMAP(rel=2)",
    "IAP(points=3,rel=2)",
    "Prefs(of=both)",
    "Prefs(of=either,per=pair)",
    "Prefs(per=group)",
    "Condensed(nDCG@3)",
    "Condensed(P(of=returned)@3)",
    "Condensed(Bpref)",
    "Condensed(ERR)",
    "Condensed(Compat)",
    "RBP(p=0.5,rel=2)@3",
    "INST(T=3)",
    "INST(T=0.5,rel=1)@2",
    "INSQ(T=2,rel=1)@3",
    "BPM(T=2,K=3,rel=1)",
    "BPM(hb=1,hc=1)",
    "IFT(T=inf)",
    "IFT(A=-inf)",
    "TBG(halflife=20)@3",
    "TBG(rel=0)",
    "UMeasure(L=10,length=2)",
    "CWL(DCG@10,of=total)",
    "CWL(P@4,rel=1)@3",
    "CWL(AP)",
    "CWL(RR)",
    "CWL(NERR10)",
    "Residual(BPM)",
    "Residual(CWL(AP))",
    "METEOR(alpha=0.5,stem=false)",
    "METEOR(tokens=nltk)",
    "TFIDF(idf=corpus)",
    "TokenRecall(tokens=squad)",
    "ExactMatch(tokens=split)",
    "LengthRatio(tokens=char)",
    "Average(nDCG@3,ExactMatch)",
    "TER(normalized=true,no_punct=true,asian=true,case=true)",
    "CorpusTER(no_punct=true)",
    "WER(tokens=split)",
    "CER(tokens=raw)",
    "Levenshtein(tokens=raw)",
    "JaroWinkler(tokens=word)",
    "OverlapStem(language=ar)",
    "OverlapSupport(language=id)",
    "Faithfulness(by=llm:m)",
    "ClaimF(beta=2)",
    "AnswerCorrectness(beta=0.5,weight=0.5)",
    "AnswerCorrectness(weight=1)",
    "NoiseSensitivity(contexts=irrelevant)",
    "AnswerRelevance(embed=e)",
    "Similarity(embed=e)",
    "Valid(by=llm)",
    "KnowledgeRetention(share=true)",
    "ToolCallAccuracy(order=free,unsaid=none)",
    "ToolCallF1(arguments=ignore)",
    "RowMatch(stat=p)",
    "ColumnMatch(stat=r)",
)
OURS = [  # but Value, which is not of answers
    name
    for name in METRICS.names()
    if METRICS.get(name).function.__module__.startswith("neraca.")
    and METRICS.get(name).function.__module__ != "neraca.metrics.values.value"
]
NAMES = [*(name + REQUIRED.get(name, "") for name in OURS), *VARIANTS]
#: At most 3 of 12 relevant documents fit; the default depth is more than 12; not all grades are the largest; the
#: bound is one that no ranking reaches; or users of the model never find enough.
NEVER_PERFECT = {
    *("AP@3", "R@2", "R(rel=2)@3"),
    *("alpha_DCG", "ERR_IA", "P_IA", "NRBP(alpha=0.2,beta=0.9)"),
    *("alpha_nDCG", "alpha_nDCG(alpha=0.9)@3", "nERR_IA", "nERR_IA@2", "nNRBP", "nNRBP(beta=0.8)"),
    *("ERR", "ERR@3", "ERR(top=4)", "Condensed(ERR)", "InfAP", "InfAP(rel=2)", "RBP", "RBP(p=0.5,rel=2)@3"),
    *("INST", "INST(T=3)", "INST(T=0.5,rel=1)@2", "INSQ", "INSQ(T=2,rel=1)@3", "IFT(T=inf)"),
    *("METEOR", "METEOR(alpha=0.5,stem=false)", "METEOR(tokens=nltk)"),  # its penalty is for one chunk too
    "SelfKnowledge",  # neither way is better
    *("RefusalPrecision", "RefusalRecall", "RefusalF1"),  # the question can be answered, and nothing is refused
}
#: Its R grows with the cutoff's content; shown in tests/metrics/ranking/test_average_precision.py.
NOT_MONOTONE = {
    "AP(R=returned)@3",
    *("Judged@2", "Judged(of=k)@3"),  # who was judged, not how
    *("InfAP", "InfAP(rel=2)"),  # see tests/metrics/ranking/test_infap.py
    *("BPM", "BPM(hb=1,hc=1)", "IFT", "IFT(T=inf)", "IFT(A=-inf)"),  # who finds more stops earlier
    *("Residual(RBP)", "Residual(BPM)", "Residual(CWL(AP))"),  # of what is unknown
    "ContextPrecision",  # useful is not relevant; shown in tests/metrics/rag/test_context_precision.py
    *("CitationPrecision", "CitationRecall"),  # another rank is another citation
}
#: They count or measure something else than how useful an answer is.
NOT_OF_USE = ("Coverage", "NumRet", "NumRel", "NumRel(rel=2)", "Judged", "Judged@2", "Judged(of=k)@3")
NOT_OF_USE += ("Words", "LengthRatio", "LengthRatio(tokens=char)")
#: They compare characters, and the space is one.
NOT_OF_USE += ("Levenshtein", "Levenshtein(tokens=raw)", "DamerauLevenshtein")
NOT_OF_USE += ("JaroWinkler", "JaroWinkler(tokens=word)")
#: What is right without a context, and what is taken from the other kind of contexts; the worst cosine is seldom seen.
NOT_OF_USE += ("SelfKnowledge", "NoiseSensitivity", "NoiseSensitivity(contexts=irrelevant)")
NOT_OF_USE += ("Similarity", "Similarity(embed=e)")

DOCS = tuple(f"d{number}" for number in range(8))
#: Few words, so that texts share some; from none to more than BLEU's longest run of words.
WORDS = ("Rumah", "rumah", "the", "houses", "house", "Medan", "3,5", "3.5", "kamar!", "...", "東京", "\n")
TEXTS = st.lists(st.sampled_from((*WORDS, "[1]", "[d2, 9]")), max_size=7).map(" ".join)
#: What a judge says of an answer as a whole; `similarity` is by embeddings.
RATINGS = ("valid", "supported", "polite", "tone", "preferred:other", "similarity", "goal", "sql_equivalent")
#: Tool calls: two tools, and one of them with two values that are not the same.
CALLS = st.lists(
    st.sampled_from([{"name": "stop"}, {"name": "f", "args": {"n": 1}}, {"name": "f", "args": {"n": "1"}}, {}]),
    max_size=3,
).map(tuple)
every_metric = pytest.mark.parametrize("name", NAMES)


def claims_of(id, claims, wanted, contexts, *, yes):
    """Verdicts of a judge of claims; `yes` says of each thing whether it holds."""

    def verdict_on(about, aspect, value, by="llm:m#a1b2c3"):
        return Verdict(item=id, about=about, aspect=aspect, value=float(value), by=by)

    counts = {"claims": claims, "reference_claims": wanted, "contexts": len(contexts), "declines": not yes("declines")}
    said = [verdict_on("answer", aspect, number) for aspect, number in counts.items()]
    said += [
        verdict_on("answer", name, yes(name), "embed:e" if name == "similarity" else "llm:m#a1b2c3") for name in RATINGS
    ]
    said += [verdict_on(f"question:{n}", "question", yes("question"), "embed:e#llm:m#a1b2c3") for n in (1, 2, 3)]
    said += [verdict_on(f"hit:{doc}", "useful", yes(doc)) for doc in contexts]
    for about, number, agreed in (("claim", claims, "correct"), ("reference", wanted, "stated")):
        for place in (f"{about}:{n}" for n in range(1, number + 1)):
            by = [doc for doc in contexts if yes(place + doc)]
            said += [
                verdict_on(place, "claim", 1),
                verdict_on(place, "supported", bool(by)),
                verdict_on(place, agreed, yes(place)),
            ]
            said += [verdict_on(place, f"hit:{doc}", 1) for doc in by]
    there = [(f"reference:{n}", "in_corpus", yes(f"corpus{n}")) for n in range(1, wanted + 1)]
    said += [verdict_on(*what, "llm:m#c0c0c0") for what in [("answer", "corpus_claims", wanted), *there]]
    said += [verdict_on("session", aspect, yes(aspect)) for aspect in ("remembers", "consistent", "stays", "resolves")]
    said += [verdict_on("turn:1", aspect, yes(aspect + "1")) for aspect in ("remembers", "consistent", "stays")]
    return said


def results_of(id, matched, returned, expected):
    """Verdicts of a judge of SQL: how many rows, and as many columns, are in both results."""
    counts = {"matched": matched, "returned": returned, "expected": expected}
    return [
        Verdict(item=id, about="answer", aspect=f"{what}_{part}", value=value, by="rules:sql")
        for what in ("rows", "columns")
        for part, value in counts.items()
    ]


@st.composite
def judgings(draw, id, contexts):
    """What a judge of claims said of one answer, now and then not all of it."""
    if draw(st.integers(0, 3)) == 0:
        return []
    chance = draw(st.randoms(use_true_random=False))
    said = claims_of(
        id, draw(st.integers(0, 3)), draw(st.integers(0, 2)), contexts, yes=lambda thing: chance.random() < 0.6
    )
    spoilt = draw(st.sets(st.sampled_from([*range(len(said)), *range(4)]), max_size=2))
    return [
        replace(verdict, value=None, status="unscored", why="?") if place in spoilt else verdict
        for place, verdict in enumerate(said)
    ]


@st.composite
def questions(draw, number=0, repeats=True):
    """An item, an answer and the verdicts on it."""
    id = str(number)
    relevant = draw(st.none() | st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3).map(float), max_size=8))
    names = draw(st.sampled_from([(), ("c0",), ("c0", "c1", "c2")]))
    expects = draw(st.sampled_from(["results", "none", None]))
    docs = draw(st.lists(st.sampled_from(DOCS), max_size=8, unique=not repeats))
    said_text, *references = draw(st.lists(TEXTS, min_size=1, max_size=3))
    status = draw(st.sampled_from(["complete"] * 6 + ["suspect", "timeout", "error"]))
    said = []
    for doc in sorted(set(docs)):
        for name in names:
            if (value := draw(st.sampled_from([1.0, 0.0, None, "no verdict"]))) != "no verdict":
                said.append(Verdict(item=id, about=f"hit:{doc}", aspect=name, value=value, by="rules"))
    constraints = {name: Constraint(exact=1) for name in names}
    tags = {"language": draw(st.sampled_from(["en", "id"]))}
    item = Item(
        id=id,
        query="?",
        relevant=relevant,
        expects=expects,
        constraints=constraints,
        references=tuple(references),
        tags=tags,
        expected_calls=draw(CALLS),
    )
    hits = tuple(Hit(id=doc, text=draw(TEXTS)) for doc in docs)
    said += draw(judgings(id, sorted(set(docs))))
    said += draw(st.sampled_from([[], results_of(id, 0, 0, 0), results_of(id, 1, 2, 4), results_of(id, 0, 0, 2)]))
    return item, Answer(item=id, text=said_text, hits=hits, calls=draw(CALLS), status=status), said


@st.composite
def batches(draw, most=6, repeats=True):
    """Some of them, with all verdicts."""
    drawn = [draw(questions(number, repeats)) for number in range(draw(st.integers(1, most)))]
    return [(item, answer) for item, answer, _ in drawn], [verdict for _, _, said in drawn for verdict in said]


METRICS_UNDER_LAW = tuple(Metric.of(name) for name in NAMES)


def unscored(column):
    return np.isnan(column.rows).any(axis=1)


@settings(max_examples=60)
@given(batches())
def test_values_are_within_the_declared_range_and_a_reason_stands_exactly_where_one_is_missing(drawn):
    batch = make_scorable(*drawn)
    for metric in METRICS_UNDER_LAW:
        column = score_metric(metric, batch)
        assert len(column.why) == len(column.rows) == len(drawn[0])
        assert [bool(why) for why in column.why] == unscored(column).tolist(), metric
        scored = column.rows[~unscored(column)]
        values = [metric.total(row) for row in scored] + ([metric.total(scored.sum(axis=0))] if len(scored) else [])
        low, high = metric.definition.low, metric.definition.high
        assert all(low - 1e-12 <= value <= high + 1e-12 for value in values if not np.isnan(value)), (metric, values)


@settings(max_examples=20)
@given(batches(), st.data())
def test_the_order_of_the_items_does_not_matter(drawn, data):
    pairs, said = drawn
    order = data.draw(st.permutations(range(len(pairs))))
    before, after = make_scorable(pairs, said), make_scorable([pairs[place] for place in order], said[::-1])
    for metric in METRICS_UNDER_LAW:
        np.testing.assert_array_equal(
            score_metric(metric, after).rows, score_metric(metric, before).rows[order], str(metric)
        )


@settings(max_examples=20)
@given(batches())
def test_an_answer_is_scored_alike_alone_and_among_others(drawn):
    pairs, said = drawn
    together = make_scorable(pairs, said)
    pooled = Relevance.of([item for item, _ in pairs], [said])
    alone = [scorable_of_answers([item], [answer], said, relevance=pooled) for item, answer in pairs]
    RunGroup(alone)
    for metric in METRICS_UNDER_LAW:
        whole, parts = score_metric(metric, together), [score_metric(metric, batch) for batch in alone]
        np.testing.assert_allclose(
            np.vstack([part.rows for part in parts]), whole.rows, rtol=1e-12, err_msg=str(metric)
        )
        assert tuple(part.why[0] for part in parts) == whole.why, metric


@settings(max_examples=12)
@given(batches())
def test_twice_the_same_is_the_same_and_the_estimate_over_one_item_is_its_value(drawn):
    once, again = make_scorable(*drawn), make_scorable(*drawn)
    for metric in METRICS_UNDER_LAW:
        first = score_metric(metric, once).rows
        np.testing.assert_array_equal(score_metric(metric, once).rows, first, str(metric))
        np.testing.assert_array_equal(score_metric(metric, again).rows, first, str(metric))
        for row in first:
            np.testing.assert_equal(interval(row[None, :], metric.total).value, float(metric.total(row)), str(metric))


def score(name, pairs, said):
    metric = Metric.of(name)
    return metric, score_metric(metric, make_scorable(pairs, said))


@every_metric
def test_a_perfect_answer_has_the_best_value(name):
    """Twelve relevant documents, all in the order of their grades, every constraint kept, the reference's words."""
    grades = {f"d{rank}": 4.0 - rank // 4 for rank in range(12)}
    text = "The house in Medan has 3 rooms and a garden."
    cites = " [d0] [d1] [d2] [d3]" if "Citation" in name else ""
    item = Item(
        id="1",
        query="?",
        relevant=grades,
        expects="results",
        constraints={"c0": Constraint(exact=1)},
        references=("Something else.", text),
        tags={"language": "en"},
        extra={"must_contain": "3 rooms", "max_words": "20"},
        expected_calls=({"name": "f", "args": {"n": 1}}, {"name": "stop"}),
    )
    aspects = ("c0", "subtopic:a")
    said = [Verdict(item="1", about=f"hit:{doc}", aspect=a, value=1, by="rules") for doc in grades for a in aspects]
    said += claims_of("1", 3, 2, list(grades), yes=lambda thing: True)
    said += results_of("1", 3, 3, 3)
    hits = tuple(Hit(id=doc, text=text) for doc in grades)
    metric, column = score(
        name, [(item, Answer(item="1", text=text + cites, hits=hits, calls=item.expected_calls))], said
    )
    best = metric.definition.high if metric.higher_is_better else metric.definition.low
    if np.isfinite(best) and name not in NEVER_PERFECT:
        assert metric.total(column.rows[0]) == pytest.approx(best)


@every_metric
def test_a_useless_answer_has_the_worst_value(name):
    """Documents that are not relevant and break every constraint, where others are; not a letter of the reference."""
    item = Item(
        id="1",
        query="?",
        relevant={"z": 3.0},
        expects="results",
        constraints={"c0": Constraint(exact=1)},
        references=("zzz qqq",),
        expected_calls=({"name": "f"},),
    )
    said = [Verdict(item="1", about=f"hit:{doc}", aspect="c0", value=0, by="rules") for doc in DOCS]
    said.append(Verdict(item="1", about="hit:z", aspect="subtopic:a", value=1, by="rules"))
    said += claims_of("1", 3, 2, list(DOCS), yes=lambda thing: False)
    said += results_of("1", 0, 3, 3)
    hits = tuple(Hit(id=doc, text="zzz qqq") for doc in DOCS)
    cites = " [d0]" if "Citation" in name else ""
    metric, column = score(
        name, [(item, Answer(item="1", text="Five houses in Medan" + cites, hits=hits, calls=({"name": "g"},)))], said
    )
    value = metric.total(column.rows[0])
    worst = metric.definition.low if metric.higher_is_better else metric.definition.high
    if name not in NOT_OF_USE and not name.startswith("Residual") and np.isfinite(worst) and not np.isnan(value):
        assert value == worst


@settings(max_examples=50)
@given(questions(repeats=False), st.data())
def test_a_better_rank_never_lowers_a_score(drawn, data):
    """Two neighbours change places, so that the one with the higher grade stands higher."""
    item, answer, said = drawn
    assume(len(answer.hits) > 1)
    place = data.draw(st.integers(0, len(answer.hits) - 2))
    grades = Relevance.of([item], [said]).grades.get(item.id, {})
    worst_first = sorted(answer.hits[place : place + 2], key=lambda hit: grades.get(hit.id, 0))
    batches = [
        make_scorable([(item, replace(answer, hits=(*answer.hits[:place], *two, *answer.hits[place + 2 :])))], said)
        for two in (worst_first, worst_first[::-1])
    ]
    for metric in METRICS_UNDER_LAW:
        if str(metric) in NOT_MONOTONE:
            continue
        worse, better = (metric.total(score_metric(metric, batch).rows[0]) for batch in batches)
        assert np.isnan(worse) == np.isnan(better), metric
        assert np.isnan(worse) or (better - worse) * (1 if metric.higher_is_better else -1) >= -1e-12, metric


@every_metric
def test_the_canonical_name_leads_back_to_the_metric(name):
    metric = Metric.of(name)
    assert Metric.of(str(metric)) == metric
    assert str(Metric.of(str(metric))) == str(metric)


@given(
    name=st.sampled_from(["P", "nDCG", "DCG", "AP", "RR"]),
    at=st.none() | st.integers(1, 10**6),
    rel=st.none() | st.integers(-3, 9) | st.floats(-5, 5, allow_nan=False),
    gains=st.sampled_from([None, "exp", "linear"]),
)
def test_names_with_parameters_lead_back_to_the_metric(name, at, rel, gains):
    takes = {"P": "rel", "AP": "rel", "RR": "rel", "nDCG": "gains", "DCG": "gains"}[name]
    value = rel if takes == "rel" else gains
    inside = [f"{takes}={value}"] if value is not None else []
    metric = Metric.of(f"{name}({','.join(inside + ([f'at={at}'] if at else []))})")
    assert Metric.of(str(metric)) == metric
    assert dict(Metric.of(str(metric)).params) == dict(metric.params)


def test_every_metric_of_the_house_is_under_these_laws():
    assert {"P", "SetP", "SetR", "RR", "AP", "DCG", "nDCG", "Success", "Coverage"} <= set(OURS)
    assert {"PassRatio", "PassRate", "StrictPass", "QuerySuccess", "QueryF1"} <= set(OURS)
    assert {"Faithfulness", "AnswerCorrectness", "ContextRecall", "CitationPrecision", "Rubric"} <= set(OURS)
    assert all(METRICS.get(name).function.__doc__ for name in OURS)
