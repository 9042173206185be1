"""Every fast metric of rankings against its slow definition."""

import math

import numpy as np
import oracle
import pytest
from builders import make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.records import Answer, Hit, Item

#: Name → slow definition of hits, pool and the largest grade of the collection.
DEFINITIONS = {
    "P@1": lambda hits, pool, top: oracle.precision(hits, 1),
    "P@5": lambda hits, pool, top: oracle.precision(hits, 5),
    "P(rel=2)@3": lambda hits, pool, top: oracle.precision(hits, 3, rel=2),
    "P(of=returned)@5": lambda hits, pool, top: oracle.precision_of_returned(hits, 5),
    "R@3": lambda hits, pool, top: oracle.recall(hits, pool, 3),
    "R(rel=2)@1000": lambda hits, pool, top: oracle.recall(hits, pool, 1000, rel=2),
    "Rprec": lambda hits, pool, top: oracle.r_precision(hits, pool),
    "Rprec(rel=2)": lambda hits, pool, top: oracle.r_precision(hits, pool, rel=2),
    "RR": lambda hits, pool, top: oracle.reciprocal_rank(hits),
    "RR(rel=2)@3": lambda hits, pool, top: oracle.reciprocal_rank(hits, 3, rel=2),
    "AP": lambda hits, pool, top: oracle.average_precision(hits, oracle.relevant_known(pool)),
    "AP(rel=2)@4": lambda hits, pool, top: oracle.average_precision(hits, oracle.relevant_known(pool, 2), 4, rel=2),
    "AP(R=returned)": lambda hits, pool, top: oracle.average_precision(hits, oracle.relevant_among(hits)),
    "AP(R=returned)@4": lambda hits, pool, top: oracle.average_precision(hits, oracle.relevant_among(hits, 4), 4),
    "DCG": lambda hits, pool, top: oracle.dcg(hits),
    "DCG(gains=exp)@4": lambda hits, pool, top: oracle.dcg(hits, 4, gains="exp"),
    "DCG(discount=jk)@4": lambda hits, pool, top: oracle.dcg(hits, 4, discount="jk"),
    "nDCG": lambda hits, pool, top: oracle.ndcg(hits, pool),
    "nDCG@3": lambda hits, pool, top: oracle.ndcg(hits, pool, 3),
    "nDCG(gains=exp)@4": lambda hits, pool, top: oracle.ndcg(hits, pool, 4, gains="exp"),
    "nDCG(gains=exp,discount=jk)": lambda hits, pool, top: oracle.ndcg(hits, pool, 0, "exp", "jk"),
    "Success": lambda hits, pool, top: oracle.success(hits, pool),
    "Success(rel=2)@3": lambda hits, pool, top: oracle.success(hits, pool, 3, rel=2),
    "SetP": lambda hits, pool, top: oracle.precision_of_returned(hits, 0),
    "SetR(rel=2)": lambda hits, pool, top: oracle.recall(hits, pool, rel=2, nothing=oracle.NAN),
    "SetF": lambda hits, pool, top: oracle.set_f(hits, pool),
    "SetF(beta=2,rel=2)": lambda hits, pool, top: oracle.set_f(hits, pool, beta=2, rel=2),
    "NumRet": lambda hits, pool, top: len(hits),
    "NumRel(rel=2)": lambda hits, pool, top: oracle.relevant_known(pool, 2),
    "NumRelRet": lambda hits, pool, top: oracle.relevant_among(hits),
    "Judged": lambda hits, pool, top: oracle.judged(hits),
    "Judged@4": lambda hits, pool, top: oracle.judged(hits, 4),
    "Judged(of=k)@4": lambda hits, pool, top: oracle.judged(hits, 4, of="k"),
    "ERR": lambda hits, pool, top: oracle.expected_reciprocal_rank(hits, top),
    "ERR(top=5)@4": lambda hits, pool, top: oracle.expected_reciprocal_rank(hits, 5, 4),
    "Bpref": lambda hits, pool, top: oracle.binary_preference(hits, pool),
    "Bpref(rel=2)": lambda hits, pool, top: oracle.binary_preference(hits, pool, rel=2),
    "InfAP": lambda hits, pool, top: oracle.inferred_average_precision(hits, pool),
    "InfAP(rel=2)": lambda hits, pool, top: oracle.inferred_average_precision(hits, pool, rel=2),
    "Compat": lambda hits, pool, top: oracle.compatibility(hits, pool),
    "Compat(p=0.5)@4": lambda hits, pool, top: oracle.compatibility(hits, pool, 0.5, 4),
    "Compat@100": lambda hits, pool, top: oracle.compatibility(hits, pool, k=100),
    "RBP": lambda hits, pool, top: oracle.rank_biased_precision(hits, top),
    "RBP(p=0.5,rel=1)@4": lambda hits, pool, top: oracle.rank_biased_precision(hits, top, 0.5, 4, rel=1),
    "IPrec(0)": lambda hits, pool, top: oracle.interpolated_precision(hits, pool, 0),
    "IPrec(0.3)": lambda hits, pool, top: oracle.interpolated_precision(hits, pool, 0.3),
    "IPrec(1,rel=2)": lambda hits, pool, top: oracle.interpolated_precision(hits, pool, 1, rel=2),
    "IAP": lambda hits, pool, top: oracle.interpolated_average(hits, pool, 11),
    "IAP(points=3,rel=2)": lambda hits, pool, top: oracle.interpolated_average(hits, pool, 3, rel=2),
    "Prefs": lambda hits, pool, top: oracle.preferences(hits, pool, "all"),
    "Prefs(of=either,per=pair)": lambda hits, pool, top: oracle.preferences(hits, pool, "either"),
    "Prefs(of=both,per=group)": lambda hits, pool, top: oracle.preferences(hits, pool, "both"),
}
#: What `Condensed` takes, by the same definitions.
CONDENSED = {
    name: definition
    for name, definition in DEFINITIONS.items()
    if Metric.of(name).view is Ranking and not Metric.of(name).definition.total
}
GRADES = st.sampled_from([-2, -1, 0, 0, 0.5, 1, 1, 2, 3, 4])


@st.composite
def answers(draw, unjudged=True):
    """Grades of the hits of one answer, and of what else is judged."""
    grades = GRADES if unjudged else GRADES.filter(lambda grade: grade != -1)
    kinds = [grades, grades, st.just(oracle.AGAIN)] + ([st.none()] if unjudged else [])
    hits = draw(st.lists(st.one_of(*kinds), max_size=12))
    if hits and hits[0] == oracle.AGAIN:
        hits[0] = 1
    return hits, draw(st.lists(grades, max_size=8))


def batch_of(drawn):
    pairs = []
    for row, (hits, unseen) in enumerate(drawn):
        # what stands there again is the first hit, which somebody may have judged or not
        ids = [f"d{0 if grade == oracle.AGAIN else place}" for place, grade in enumerate(hits)]
        judged = {doc: float(g) for doc, g in zip(ids, hits, strict=True) if g not in (None, oracle.AGAIN)}
        judged |= {f"u{place}": float(grade) for place, grade in enumerate(unseen)}
        item = Item(id=str(row), query="?", relevant=judged)
        pairs.append((item, Answer(item=str(row), hits=tuple(Hit(id=doc) for doc in ids))))
    return make_scorable(pairs)


def expected(definition, drawn):
    pools = [[*(grade for grade in hits if grade not in (None, oracle.AGAIN)), *unseen] for hits, unseen in drawn]
    top = max([1, *(grade for pool in pools for grade in pool)])
    return [definition(hits, pool, top) for (hits, _), pool in zip(drawn, pools, strict=True)]


def hold(definitions, drawn):
    batch = batch_of(drawn)
    for name, definition in definitions.items():
        metric = Metric.of(name)
        values = metric(batch.view(metric.view))
        wanted = expected(definition, drawn)
        if [*metric.with_inner()][-1].empty == "expected":
            # a right empty answer: no hit, and nothing relevant; grades of -1 alone do not say so
            right = [
                not hits and (not unseen or {*unseen} != {-1}) and not any(g > 0 for g in unseen)
                for hits, unseen in drawn
            ]
            wanted = np.where(right, oracle.NAN, wanted)
        np.testing.assert_allclose(values, wanted, rtol=1e-12, atol=1e-12, err_msg=name)
        assert values.dtype == np.float64, name


@settings(max_examples=100)
@given(st.lists(answers(), min_size=1, max_size=4))
def test_every_metric_is_what_its_definition_says(drawn):
    hold(DEFINITIONS, drawn)


@settings(max_examples=80)
@given(st.lists(answers(), min_size=1, max_size=4))
def test_condensed_is_the_definition_without_the_unjudged(drawn):
    hold(
        {
            f"Condensed({name})": lambda hits, *others, of=definition: of(oracle.condensed(hits), *others)
            for name, definition in CONDENSED.items()
        },
        drawn,
    )


@settings(max_examples=100)
@given(st.lists(answers(unjudged=False), min_size=1, max_size=4))
def test_condensed_changes_nothing_where_everything_is_judged(drawn):
    view = batch_of(drawn).view(Ranking)
    for name in CONDENSED:
        np.testing.assert_array_equal(Metric.of(f"Condensed({name})")(view), Metric.of(name)(view), name)


@pytest.mark.parametrize("name", [*DEFINITIONS, *(f"Condensed({name})" for name in CONDENSED)])
def test_no_answers_no_values(name):
    metric = Metric.of(name)
    values = metric(make_scorable([]).view(metric.view))
    assert (values.shape, values.dtype) == ((0,), np.float64)


def test_the_oracle_by_hand():
    """So that two mistakes do not agree."""
    r = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    assert oracle.rank_biased_precision(r, 1, 0.8) == pytest.approx(0.5211923456)
    assert oracle.dcg(r) == pytest.approx(2.6401807205)
    assert oracle.average_precision(r, oracle.relevant_among(r, 5), 5) == pytest.approx((1 + 1 + 3 / 5) / 3)
    assert oracle.ndcg([0, 1, 0, 1, 1], [1, 1, 1], 5) == pytest.approx(0.6797310500)
    assert oracle.expected_reciprocal_rank([1, 0, 2], 2) == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 3)
    assert oracle.binary_preference([1, 0, None, 1], [1, 1, 0, 0]) == pytest.approx((1 + 1 / 2) / 2)
    assert oracle.inferred_average_precision([1, None, None, 1], [1, 1]) == pytest.approx(0.75, abs=1e-5)
    assert oracle.compatibility([0, 1], [0, 1], 0.5) == pytest.approx((0.5 / 2) / (1 + 0.5 / 2))
    assert oracle.interpolated_precision([1, 0, 1, 1], [1, 1, 1], 0.5) == 3 / 4
    assert math.isnan(oracle.set_f([], []))
