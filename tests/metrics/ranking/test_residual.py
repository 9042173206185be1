import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.residual import FRAMED, residual


def test_golden_value():
    view = ranking([1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
    assert residual(view, metric="RBP(p=0.8)@10") == pytest.approx([0.1073741824])
    assert residual(view, metric="CWL(RBP(p=0.8))@10") == pytest.approx([0.1073741824])


@pytest.mark.parametrize(
    "grades, metric, value",
    [
        ([1, None, 1], "RBP(p=0.5)", 1 / 4 + 1 / 8),
        ([1, None, 1], "RBP(p=0.5)@2", 1 / 4 + 1 / 4),
        ([2, None, 1], "RBP(p=0.5,rel=2)", 1 / 4 + 1 / 8),
        ([1, None, 1], "CWL(P@3)", 1 / 3),
        ([1, None, 1], "CWL(P@4)", 2 / 4),
        ([1, 0, 1], "CWL(P@4)@2", 2 / 4),
        ([1, 0, 1], "CWL(P@4,of=total)", 1),
        ([None, 1], "CWL(RR)", 1 / 2),
        ([1, None], "CWL(RR)", 0),
        ([None, 1], "CWL(RR,of=depth)", -1),
        ([2, None, 1], "CWL(P@3)", 1 / 3),
        ([2, None, 1], "CWL(P@3,rel=2)", 1 / 3),
        ([1, None, 1], "UMeasure(L=10,length=2)", 0.6 + 0.2),
        ([1, 0, 1], "UMeasure(L=10,length=2)@2", 0.4 + 0.2),
        # at the fourth hit, or one more and then 1.75 at the sixth: the player who finds more leaves better unseen
        ([0, 0, 0, None, 3, 4], "BPM", 1 / 4 - 1.75 / 6),
        ([None], "BPM", 1),
        # all that is not seen after 9 s, each second a hit: 0.4928 * 2^-9 * (1 + 1/2 + ...)
        ([0] * 9, "TBG(halflife=1,summary=1,read=0)", 0.64 * 0.77 * 2**-8),
        ([], "INST", 1),
        ([], "INSQ(T=3)", 1),
        ([], "IFT", 1),
        ([], "RBP", 1),
    ],
)
def test_by_hand(grades, metric, value):
    assert residual(ranking(grades, unseen=[1]), metric=metric) == pytest.approx([value])


def test_a_document_that_comes_again_is_judged():
    view = make_scorable([(make_item(relevant={"a": 1}), make_answer("a a x"))]).view(Ranking)
    assert residual(view, metric="CWL(P@3)") == pytest.approx([1 / 3])
    assert residual(view, metric="RBP(p=0.5)") == pytest.approx([1 / 8 + 1 / 8])


def test_many_answers_and_none():
    pairs = [
        (make_item("1", relevant={"a": 1}), make_answer("x a", "1")),
        (make_item("2", relevant={"a": 1}), make_answer("", "2")),
    ]
    for metric, values in (("CWL(P@2)", [1 / 2, 1]), ("RBP(p=0.5)", [1 / 2 + 1 / 4, 1])):
        assert residual(make_scorable(pairs).view(Ranking), metric=metric) == pytest.approx(values)
        assert residual(make_scorable([]).view(Ranking), metric=metric).tolist() == []


@pytest.mark.parametrize(
    "metric, said",
    [
        ("P@10", f"P has none; {', '.join(FRAMED)} and RBP have one; write Residual\\(CWL\\(P@10\\)\\)"),
        ("nDCG", "nDCG has none; .* have one$"),
        ("Residual(RBP)", "Residual has none"),
        ("RPB", "did you mean RBP"),
        (5, "cannot read '5'"),
        ("INST(T=0)", "at least 0.5, not 0"),
    ],
)
def test_what_has_no_residual(metric, said):
    with pytest.raises(SpecError, match=said):
        residual(ranking([1]), metric=metric)


def test_names():
    metric = Metric.of("Residual( RBP(p=0.8)@10 )")
    assert str(metric) == "Residual(RBP@10)"
    assert not metric.higher_is_better
    assert metric(ranking([1] * 10)) == pytest.approx([0.1073741824])
    with pytest.raises(SpecError, match="Residual needs metric"):
        Metric.of("Residual")
