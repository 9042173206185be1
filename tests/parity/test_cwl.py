"""The same numbers, question by question, as cwl_eval 1.0.12: its five measurements and their residuals.

Differences that are meant, each shown by a test here:
- cwl_eval sums gain in all and cost in all over where users stop, and forgets those who go on below its last rank;
  here it is the sum over what is seen, as in the papers, to which theirs comes when they are added;
- a dynamic BPM moves the limit of cost by what it finds (Zhang et al., 2017); cwl_eval moves the limit of gain there,
  after it was used, so that `hc` changes nothing;
- U-measure counts a gain at the end of the text where it stands (Sakai and Dou, 2013); cwl_eval counts it at the start,
  so that its L is one hit shorter, and its last rank is never seen;
- TBG has hits of different seconds (Smucker and Clarke, 2012); they are given to cwl_eval as a file of costs.
"""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.metrics.metric import Metric
from neraca.metrics.ranking.cwl import cwl
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.residual import residual

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # there are invalid escapes in its strings
    from cwl.ruler import cwl_ruler
    from cwl.ruler.ranking import Ranking

#: Measuring coverage here would double the time, and other tests reach the same lines.
pytestmark = pytest.mark.no_cover

NAN = float("nan")
#: `of` → where cwl_eval has the measurement, and its residual.
MEASUREMENTS = {
    "rate": ("expected_utility", "residual_expected_utility"),
    "total": ("expected_total_utility", "residual_expected_total_utility"),
    "cost": ("expected_cost", "residual_expected_cost"),
    "total_cost": ("expected_total_cost", "residual_expected_total_cost"),
    "depth": ("expected_items", "residual_expected_items"),
}
#: Our user model → theirs.
MODELS = {
    "P@1": ("PrecisionCWLMetric", 1),
    "P@10": ("PrecisionCWLMetric", 10),
    "RBP(p=0.2)": ("RBPCWLMetric", 0.2),
    "RBP(p=0.8)": ("RBPCWLMetric", 0.8),
    "RBP(p=0.99)": ("RBPCWLMetric", 0.99),
    "DCG@1": ("NDCGCWLMetric", 1),
    "DCG@10": ("NDCGCWLMetric", 10),
    "AP": ("APCWLMetric",),
    "RR": ("RRCWLMetric",),
    "INST(T=0.5)": ("INSTCWLMetric", 0.5),
    "INST(T=1)": ("INSTCWLMetric", 1.0),
    "INST(T=3.25)": ("INSTCWLMetric", 3.25),
    "INSQ(T=0.25)": ("INSQCWLMetric", 0.25),
    "INSQ(T=2)": ("INSQCWLMetric", 2.0),
    "BPM(T=1,K=20)": ("BPMCWLMetric", 1.0, 20),
    "BPM(T=2.75,K=7)": ("BPMCWLMetric", 2.75, 7),
    "BPM(T=1.5,K=8,hb=1)": ("BPMDCWLMetric", 1.5, 8, 1.0, 0.0),
    "BPM(T=1,K=30,hb=0.5,middle=0.25)": ("BPMDCWLMetric", 1, 30, 0.5, 0.0, 0.25),
    "IFT(T=2,b1=0.9,R1=10,A=-inf)": ("IFTGoalCWLMetric", 2.0, 0.9, 10),
    "IFT(T=1.5,b1=0.3,R1=1,A=-inf)": ("IFTGoalCWLMetric", 1.5, 0.3, 1),
    "IFT(T=inf,A=0.2,b2=0.9,R2=100)": ("IFTRateCWLMetric", 0.2, 0.9, 100),
    "IFT(T=inf,A=0.5,b2=2,R2=1)": ("IFTRateCWLMetric", 0.5, 2, 1),
    "IFT(T=2,b1=0.9,R1=10,A=0.2,b2=0.9,R2=10)": ("IFTGoalRateCWLMetric", 2.0, 0.9, 10, 0.2, 0.9, 10),
    "IFT(T=2,b1=0.8,R1=5,A=0.1,b2=0.7,R2=0)": ("IFTGoalRateCWLMetric", 2.0, 0.8, 5, 0.1, 0.7, 0),
    "TBG(halflife=22,summary=1,read=0)": ("TBGCWLMetric", 22),
    "UMeasure(L=51,length=1)": ("UMeasureCWLMetric", 50),
    "UMeasure(L=11,length=1)": ("UMeasureCWLMetric", 10),
    "NERR8@10": ("NERReq8CWLMetric", 10),
    "NERR9@10": ("NERReq9CWLMetric", 10),
    "NERR10(phi=0.8)": ("NERReq10CWLMetric", 0.8),
    "NERR11(T=2)": ("NERReq11CWLMetric", 2.0),
}

#: Grades of 0 to 4, so that gains are quarters; None: nobody judged it.
grades = st.lists(st.none() | st.integers(0, 4), min_size=1, max_size=40)


def ours(model, drawn, of, depth):
    """What our frame expects, and its residual."""
    view, name = ranking(drawn, unseen=[4]), f"CWL({model},of={of},depth={depth})"
    return Metric.of(name)(view)[0], residual(view, metric=name)[0]


def theirs(model, drawn, depth, costs=NAN):
    """`of` → what cwl_eval measures, and its residual, both with the users who go on below the last rank."""
    name, *parameters = model
    metric = getattr(cwl_ruler, name)(*parameters)
    metric.residuals = True
    gains = [NAN if grade is None else grade / 4 for grade in drawn]
    given = Ranking("1", gains, np.broadcast_to(costs, len(drawn)), max_n=depth)
    metric.measure(given)
    found = {of: [getattr(metric, name) for name in names] for of, names in MEASUREMENTS.items()}
    left = [metric.c_vector(given, worst).prod() for worst in (True, False)]
    for of, vector in (("total", given.get_gain_vector), ("total_cost", given.get_cost_vector)):
        below = [part * vector(worst).sum() for part, worst in zip(left, (True, False), strict=True)]
        found[of][0] += below[0]
        found[of][1] += below[1] - below[0]
    return found


def compare(model, reference, drawn, depth):
    expected = theirs(reference, drawn, depth)
    for of in MEASUREMENTS:
        found = ours(model, drawn, of, depth)
        assert found == pytest.approx(expected[of], rel=1e-9, abs=1e-9), (model, of, drawn)


@settings(max_examples=15)
@given(grades)
def test_every_user_model(drawn):
    for model, reference in MODELS.items():
        compare(model, reference, drawn, depth=60)


@settings(max_examples=1)
@given(grades)
def test_every_user_model_down_to_rank_1000(drawn):
    for model, reference in MODELS.items():
        compare(model, reference, drawn, depth=1000)


@settings(max_examples=40)
@given(grades)
def test_metrics_with_a_user(drawn):
    view = ranking(drawn, unseen=[4])
    for name, reference, of, scale in (
        ("RBP(p=0.7)", ("RBPCWLMetric", 0.7), "rate", 1),
        ("INST(T=2)", ("INSTCWLMetric", 2), "rate", 1),
        ("INSQ(T=2)", ("INSQCWLMetric", 2), "rate", 1),
        ("BPM(T=2,K=20)", ("BPMCWLMetric", 2, 20), "rate", 1),
        ("IFT(T=1,b=0.8,R=3)", ("IFTGoalRateCWLMetric", 1, 0.8, 3, 0.2, 0.8, 3), "rate", 1),
        ("TBG(halflife=22,summary=1,read=0,rel=0)", ("TBGCWLMetric", 22), "total", 0.64 * 0.77),
        ("UMeasure(L=20,length=1)", ("UMeasureCWLMetric", 19), "total", 19 / 20),
    ):
        found = Metric.of(name)(view)[0], residual(view, metric=name)[0]
        expected = [scale * value for value in theirs(reference, drawn, 1000)[of]]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), name


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=60, max_size=60))
def test_time_biased_gain_with_seconds(drawn):
    seconds = [4.4 + 16.8 * (0.39 + 0.25 * grade / 4) for grade in drawn]
    expected = theirs(("TBGCWLMetric", 224), drawn, 60, costs=np.array(seconds))
    for of in MEASUREMENTS:
        assert ours("TBG", drawn, of, 60)[0] == pytest.approx(expected[of][0], rel=1e-9), of


# what differs


def test_cwl_eval_forgets_users_who_go_on_below_its_last_rank():
    metric = cwl_ruler.INSQCWLMetric(1.0)
    metric.measure(Ranking("1", [1.0] * 10, [NAN] * 10, max_n=10))
    V = [4 / (rank + 1) ** 2 for rank in range(1, 12)]
    assert metric.expected_total_utility == pytest.approx(sum(V[:10]) - 10 * V[10])
    assert cwl(ranking([1] * 10), model="INSQ(T=1)", of="total", depth=10) == pytest.approx([sum(V[:10])])


@pytest.mark.parametrize("hc", [0, 1, 5])
def test_cwl_eval_has_a_dynamic_bpm_whose_limit_of_cost_does_not_move(hc):
    metric = cwl_ruler.BPMDCWLMetric(T=5, K=10, hb=0, hc=hc)
    metric.measure(Ranking("1", [0.0], [NAN]))
    assert metric.expected_items == 10
    # 10 - hc / 2 after the first, and so on: the first rank i with i >= 10 - (i - 1) hc / 2
    depth = math.ceil((10 + hc / 2) / (1 + hc / 2))
    assert cwl(ranking([0]), model=f"BPM(T=5,K=10,hc={hc})", of="depth") == pytest.approx([depth])


def test_cwl_eval_counts_a_text_before_it_is_read_and_never_the_last():
    metric = cwl_ruler.UMeasureCWLMetric(4)
    metric.measure(Ranking("1", [1.0], [NAN], max_n=10))
    assert metric.expected_items == pytest.approx(4 / 4 + 3 / 4 + 2 / 4 + 1 / 4)
    assert cwl(ranking([1]), model="UMeasure(L=4,length=1)", of="depth") == pytest.approx([1 + 2 / 3 + 1 / 3])
    metric.measure(Ranking("1", [1.0], [NAN], max_n=3))
    assert metric.expected_items == pytest.approx(4 / 4 + 3 / 4)
    assert cwl(ranking([1]), model="UMeasure(L=5,length=1)", of="depth", depth=3) == pytest.approx([1 + 3 / 4 + 2 / 4])
