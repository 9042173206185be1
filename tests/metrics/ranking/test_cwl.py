from math import log2, pi

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.ranking.cwl import CELLS, USER_MODELS, cwl, read_user, stops, user_model, views, weights
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking
from neraca.online.continuation import Continuation, write_continuation

MODELS = [
    "P@3", "RBP(p=0.6)", "DCG@4", "DCG", "AP", "RR", "INST(T=2)", "INSQ(T=2)", "BPM(T=2,K=5)", "BPM(hb=1,hc=1)",
    "IFT", "TBG", "UMeasure(L=9,length=2)", "NERR8@4", "NERR9@4", "NERR10(phi=0.7)", "NERR11(T=2)",
]  # fmt: skip
#: Users who never go on below the last of 12 ranks.
FINITE = {"P@3", "DCG@4", "BPM(T=2,K=5)", "UMeasure(L=9,length=2)", "NERR8@4", "NERR9@4"}

grades = st.lists(st.none() | st.integers(0, 3), max_size=30)
binary = st.lists(st.none() | st.integers(0, 1), max_size=30)


def score(name, view):
    return Metric.of(name)(view)


# the metrics that everybody knows, from the frame


@given(grades, st.lists(st.integers(0, 3), max_size=4))
def test_known_metrics_are_instances_of_the_frame(drawn, unseen):
    view = ranking(drawn, unseen)
    for framed, known in (
        ("CWL(P@10,rel=1)", "P@10"),
        ("CWL(P@3,rel=2)", "P(rel=2)@3"),
        ("CWL(RR,rel=1)", "RR"),
        ("CWL(RR,rel=2)@4", "RR(rel=2)@4"),
        ("CWL(RBP(p=0.6))", "RBP(p=0.6)"),
        ("CWL(RBP(p=0.9),rel=2)@7", "RBP(p=0.9,rel=2)@7"),
        ("CWL(AP,rel=1)", "AP(R=returned)"),
        ("CWL(INST(T=2))", "INST(T=2)"),
        ("CWL(INSQ(T=2),rel=1)@5", "INSQ(T=2,rel=1)@5"),
        ("CWL(BPM(T=2,K=5,hb=1,hc=0.5))", "BPM(T=2,K=5,hb=1,hc=0.5)"),
        ("CWL(IFT(T=1,b1=2,R1=3,A=0.3,b2=2,R2=3))", "IFT(T=1,A=0.3,b=2,R=3)"),
    ):
        assert score(framed, view) == pytest.approx(score(known, view), abs=1e-12, nan_ok=True), framed


@given(grades)
def test_dcg_is_the_total_of_the_frame(drawn):
    view = ranking(drawn, unseen=[3])
    discounts = sum(1 / log2(rank + 1) for rank in range(1, 11))
    assert score("CWL(DCG@10,of=total)", view) * 3 == pytest.approx(score("DCG@10", view))
    assert score("CWL(DCG@10)", view) * 3 == pytest.approx(score("DCG@10", view) / discounts)
    assert score("CWL(DCG,of=total)", view) * 3 == pytest.approx(score("DCG", view))


@given(binary)
def test_where_all_that_is_relevant_was_returned_ap_is_an_instance(drawn):
    view = ranking(drawn)
    assert score("CWL(AP)", view) == pytest.approx(score("AP", view), abs=1e-12, nan_ok=True)


def test_golden_values():
    view = ranking([1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
    assert score("CWL(RBP(p=0.8))@10", view) == pytest.approx([0.5211923456])
    assert score("CWL(DCG@10,of=total)", view) == pytest.approx([2.6401807205])
    assert score("CWL(P@5)", view) == pytest.approx([0.6])
    assert score("CWL(AP)@5", view) == pytest.approx([0.8666666667])


@pytest.mark.parametrize(
    "model, depth",
    [
        ("P@20", 20),
        ("RBP(p=0.5)", 2),
        ("RBP(p=0.9)", 10),
        ("DCG@10", 4.544),
        ("DCG@5", 2.948),
        ("INSQ(T=2)", 4.525),
        ("INSQ(T=1)", 2.576),
        ("BPM(T=1000,K=10)", 10),
        ("TBG(halflife=22,summary=1,read=0)", 32.242),
    ],
)
def test_expected_depths_of_cwl_eval(model, depth):
    # the table in the README of cwl_eval 1.0.12, printed to three places; these users do not look at gains
    assert cwl(ranking([0, 1]), model=model, of="depth") == pytest.approx([depth], abs=5e-4)


# the laws of the frame


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 4), min_size=12, max_size=12), min_size=1, max_size=4))
def test_laws(rows):
    gains = np.array(rows) / 4
    for model in MODELS:
        said = read_user(model)(gains)
        C = np.atleast_2d(said[0] if isinstance(said, tuple) else said)
        V, W, L = views(C), weights(C), stops(C)
        assert (V[:, 0] == 1).all(), model
        assert (np.diff(V, axis=1) <= 0).all(), model
        assert W.sum(axis=1) == pytest.approx(1), model
        assert 1 / W[:, 0] == pytest.approx(V.sum(axis=1)), model
        assert L.sum(axis=1) + C.prod(axis=1) == pytest.approx(1), model
        if model in FINITE:
            assert L.sum(axis=1) == pytest.approx(1), model
        # gain in all, counted rank by rank or by where users stop
        stopped = (L * gains.cumsum(axis=1)).sum(axis=1) + C.prod(axis=1) * gains.sum(axis=1)
        assert (V * gains).sum(axis=1) == pytest.approx(stopped), model


@given(grades)
def test_what_is_expected_hangs_together(drawn):
    view = ranking(drawn, unseen=[3])
    for model in MODELS:
        found = {of: cwl(view, model=model, of=of)[0] for of in ("rate", "total", "depth", "cost", "total_cost")}
        assert 0 <= found["rate"] <= 1 + 1e-12, model
        assert 1 <= found["depth"] <= 1000, model
        assert found["total"] == pytest.approx(found["rate"] * found["depth"]), model
        assert found["total_cost"] == pytest.approx(found["cost"] * found["depth"]), model


def test_v_w_and_l_by_hand():
    C = np.array([[1.0, 0.5, 0.0]])
    assert views(C).tolist() == [[1, 1, 0.5]]
    assert weights(C).tolist() == [[0.4, 0.4, 0.2]]
    assert stops(C).tolist() == [[0, 0.5, 0.5]]


@pytest.mark.parametrize(
    "model, drawn, of, value",
    [
        ("P@4", [1, 0, 1], "rate", 2 / 4),
        ("P@4", [1, 0, 1], "total", 2),
        ("P@4", [1, 0, 1], "depth", 4),
        ("P@4", [1, 0, 1], "cost", 1),
        ("P@4", [1, 0, 1], "total_cost", 4),
        ("RR", [0, 0, 1], "depth", 3),
        ("RR", [0, 0, 1], "total", 1),
        ("RR", [0, 0], "depth", 1000),
        ("RR", [0, 1, 4], "rate", 1 / 8),
        ("AP", [0, 0], "rate", 0),
        ("AP", [0, 0], "depth", 1),
        # V = 1, (1/3) / (1/1 + 1/3) twice: 1 + 1/4 + 1/4 hits seen
        ("AP", [1, 0, 1], "depth", 1.5),
        ("UMeasure(L=40,length=10)", [1], "cost", 10),
        # V = 3/3, 2/3, 1/3
        ("UMeasure(L=40,length=10)", [1], "total_cost", 20),
        # C = 1/2, 1/2 * (1 - 1), so V = 1, 1/2
        ("NERR10(phi=0.5)", [0, 1, 1], "rate", 1 / 3),
        # V = 1, 1/2, 1/2 * 2/3 * (1 - 1/2)
        ("NERR9@3", [0, 2, 4], "total", 1 / 4 + 1 / 6),
        ("NERR8@3", [0, 2, 4], "total", 1 / 2 + 1 / 2),
        # V = 1, (2/3)^2
        ("NERR11(T=1)", [0, 4], "depth", 1 + 4 / 9),
    ],
)
def test_by_hand(model, drawn, of, value):
    assert cwl(ranking(drawn), model=model, of=of) == pytest.approx([value])


# edges


@pytest.mark.parametrize("model", MODELS)
def test_nothing_returned_nothing_relevant_and_no_answers(model):
    for view in (ranking([], unseen=[1]), ranking([0, None]), ranking([], expects="none")):
        assert cwl(view, model=model).tolist() == [0]
        assert cwl(view, model=model, of="total").tolist() == [0]
    assert cwl(make_scorable([]).view(Ranking), model=model).tolist() == []


def test_cutoff_grade_and_repeats():
    view = make_scorable([(make_item(relevant={"a": 2, "b": 4, "c": 4}), make_answer("a a b c"))]).view(Ranking)
    assert cwl(view, model="P@4") == pytest.approx([(1 / 2 + 1 + 1) / 4])
    assert cwl(view, model="P@4", at=3) == pytest.approx([(1 / 2 + 1) / 4])
    assert cwl(view, model="P@4", rel=2) == pytest.approx([3 / 4])
    assert cwl(view, model="P@4", rel=3) == pytest.approx([2 / 4])
    with pytest.raises(SpecError, match="rel is 0"):
        cwl(view, model="P@4", rel=-1)


def test_below_the_depth_nobody_looks():
    view = ranking([1, 0, 1, 1])
    assert cwl(view, model="DCG", of="total", depth=3) == pytest.approx([1 + 1 / 2])
    assert cwl(view, model="DCG", of="depth", depth=2) == pytest.approx([1 + 1 / log2(3)])
    assert cwl(view, model="P@3", depth=3) == pytest.approx([2 / 3])
    assert cwl(view, model="DCG", of="total", depth=3, at=2) == pytest.approx([1])
    assert cwl(view, model="DCG", of="total", depth=3, at=4) == pytest.approx([1 + 1 / 2])
    with pytest.raises(SpecError, match="down to rank 4 needs depth=4 or more, not 3"):
        cwl(view, model="P@4", depth=3)


def test_answers_that_do_not_fit_into_one_block():
    pairs = [
        (make_item("1", relevant={"a": 1, "b": 1}), make_answer("x a b", "1")),
        (make_item("2", relevant={"a": 1}), make_answer("", "2")),
        (make_item("3", relevant={"a": 1, "b": 0}), make_answer("a b", "3")),
    ]
    view = make_scorable(pairs).view(Ranking)
    for depth in (10, CELLS // 2, CELLS):  # 3, 2 and 1 answers at a time
        assert cwl(view, model="P@4", depth=depth) == pytest.approx([2 / 4, 0, 1 / 4])
        assert cwl(view, model="RR", depth=depth) == pytest.approx([1 / 2, 0, 1])


@pytest.mark.parametrize("depth", [0, -1, 2.5, float("inf"), float("nan")])
def test_a_depth_is_a_number_of_ranks(depth):
    with pytest.raises(SpecError, match="depth is a whole number of ranks from 1"):
        cwl(ranking([1]), model="RR", depth=depth)


def test_what_is_not_expected():
    with pytest.raises(SpecError, match="of is rate, total, depth, cost, total_cost, not 'gain'"):
        cwl(ranking([1]), model="RR", of="gain")


@pytest.mark.parametrize(
    "model, said",
    [
        ("INTS", "no user model is called 'INTS'; did you mean INST"),
        ("RBP(q=1)", "RBP has no parameter 'q'; it takes p=0.8"),
        ("RBP(p=1)", "above 0 and below 1, not 1"),
        ("P@x", "the cutoff is a whole number from 1"),
        ("NERR10(phi=2)", "nerr10_user: C must be probabilities between 0 and 1"),
        ("NERR11(T=0)", "above 0, not 0"),
        (10, "the user model is a name such as RBP"),
    ],
)
def test_models_that_cannot_be_read(model, said):
    with pytest.raises(SpecError, match=said):
        cwl(ranking([0]), model=model)


def test_names():
    assert str(Metric.of("CWL( DCG@10 , of = total)")) == "CWL(DCG@10,of=total)"
    assert str(Metric.of("CWL(RBP(p=0.8),rel=1,of=rate)@5")) == "CWL(RBP(p=0.8),rel=1)@5"
    assert Metric.of("CWL(model=RR)") == "CWL(RR)"
    with pytest.raises(SpecError, match="CWL needs model"):
        Metric.of("CWL")


# a model of one's own


def test_a_users_own_model():
    @user_model("Hasty")
    def hasty(gains, *, left: float = 0.5):
        """Stops at once where the hit gains something, else with some probability."""
        return np.where(gains > 0, 0.0, left)

    try:
        view = ranking([0, 0, 1, 1])
        assert score("CWL(Hasty,of=depth)", view) == pytest.approx([1 + 1 / 2 + 1 / 4])
        assert score("CWL(Hasty(left=0.1),of=total)", view) == pytest.approx([0.01])
        assert score("Residual(CWL(Hasty(left=0.1),of=total))", ranking([None, 1])) == pytest.approx([1 - 0.1])
        with pytest.raises(SpecError, match="'RBP' is registered already"):
            user_model("RBP")(hasty)
    finally:
        del USER_MODELS._objects["Hasty"]


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda gains: gains - 1, "of shape \\(1, 1000\\), from -1 to -1"),
        (lambda gains: gains + 2, "from 2 to 2"),
        (lambda gains: gains * float("nan"), "from nan to nan"),
        (lambda gains: gains[:, :5], "it is of shape \\(1, 5\\), from 0 to 0"),
        (lambda gains: 0.5, "it is of shape \\(\\), from 0.5 to 0.5"),
        (lambda gains: (gains[:0], 2), "it is of shape \\(0, 1000\\), from inf to -inf"),
    ],
)
def test_a_model_that_is_wrong_is_told_so(wrong, said):
    USER_MODELS.add("Wrong", wrong)
    try:
        with pytest.raises(SpecError, match=f"C must be probabilities .*{said}"):
            cwl(ranking([0]), model="Wrong")
    finally:
        del USER_MODELS._objects["Wrong"]


def test_metrics_with_a_user_have_a_model_of_the_same_name():
    for name in ("RBP", "INST", "INSQ", "BPM", "IFT", "TBG", "UMeasure", "P", "DCG", "AP", "RR"):
        assert name in USER_MODELS.names()
        assert name in METRICS.names()


def test_a_user_who_wants_one_hit_sees_a_number_known_to_euler():
    # INST with T = 1 and a first hit that is relevant: V(i) = 1/i^2, and the sum of all 1/i^2 is pi^2/6
    found = cwl(ranking([1]), model="INST(T=1)", of="depth", depth=10**5)
    assert found == pytest.approx([pi**2 / 6], abs=1.1e-5)


def test_a_user_of_a_file_goes_on_as_it_says(tmp_path):
    """C = 1/2 at each rank is the user of RBP(p=0.5)."""
    unknown = np.full(4, np.nan)
    user = Continuation.of_views(
        np.array([1, 1 / 2, 1 / 4, 1 / 8]), unknown, unknown, model="PBM", how="", n=8, unit=""
    )
    write_continuation(tmp_path / "users.json", user)
    ranks = ranking([1, 0, 1, 0, 1])
    assert score(f"CWL({tmp_path}/users.json)", ranks) == pytest.approx(score("RBP(p=0.5)", ranks), abs=1e-9)
