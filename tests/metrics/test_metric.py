import math
import re
from pathlib import Path

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import NeracaError, SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.metrics.ranking import ranking as ranking_module
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import Scorable
from neraca.records import Answer, Hit
from neraca.stats.intervals.interval import Floats


@metric("TestWords", high=math.inf)
def words_of(response: str) -> int:
    return len(response.split())


@metric("TestShared", why_undefined="the reference has no words")
def shared(response: str, reference: str, *, fold: bool = True) -> float | None:
    """Share of the reference's words that the response has."""
    if fold:
        response, reference = response.lower(), reference.lower()
    wanted = set(reference.split())
    return len(wanted & set(response.split())) / len(wanted) if wanted else None


@metric("TestNothing", why_undefined="nothing was found")
def nothing(response: str, reference: str) -> None:
    return None


@metric("TestDistance", better="lower", high=math.inf)
def distance(reference, response):
    return abs(len(reference) - len(response))


@metric("TestEverything")
def everything(query, reference, response, contexts, item, answer, *, word: str, times: int = 1):
    told = (query, reference, response, contexts, item.id, answer.item, word, times)
    return float(told == ("question 7", "ref", "said", ["one", ""], "7", "7", "w", 3))


@metric("TestDepth", high=math.inf)
def depth(ranking: Ranking, *, rel: float = 1) -> Floats:
    return ranking.sum((ranking.grades >= rel) * ranking.rank)


@metric("TestCounts", total=lambda sums: sums[..., 0] / sums[..., 2], high=math.inf)
def three_counts(ranking: Ranking) -> Floats:
    return np.column_stack([ranking.returned, ranking.returned * 0, ranking.returned + 1.0])


@metric("TestBroken")
def broken(response: str) -> float:
    return 1 / len(response)


@metric("TestText")
def text_instead_of_number(response: str):
    return response


@metric("TestWrongName")
def wrong_name(response: str, gold: str) -> float:
    return 1.0


@metric("TestWrongFirstName")
def wrong_first_name(gold: str) -> float:
    return 1.0


def one(name, answer, **item):
    column = score_metric(Metric.of(name), make_scorable([(make_item(answer.item, **item), answer)]))
    return column.rows[0, 0], column.why[0]


def test_a_scorer_of_words():
    assert one("TestWords", make_answer(text="three words here")) == (3, "")


@pytest.mark.parametrize(
    "name, references, value",
    [("TestShared", ("a B", "A b c d"), 1), ("TestShared(fold=false)", ("a B", "A b c d"), 0.5)],
)
def test_with_several_references_the_best_counts(name, references, value):
    assert one(name, make_answer(text="a b"), references=references)[0] == value


def test_the_best_may_be_the_lowest():
    assert one("TestDistance", make_answer(text="abc"), references=("ab", "a", "abcde"))[0] == 1
    assert not Metric.of("TestDistance").higher_is_better


def test_a_reference_of_which_nothing_can_be_said_does_not_spoil_the_others():
    assert one("TestShared", make_answer(text="x"), references=(" ", "x y")) == (0.5, "")


def test_none_is_no_score_and_says_why():
    value, why = one("TestNothing", make_answer(text="x"), references=("y",))
    assert math.isnan(value)
    assert why == "nothing was found"


def test_without_a_reference_there_is_no_score():
    value, why = one("TestShared", make_answer(text="x"))
    assert math.isnan(value)
    assert why == "the item has no reference"


def test_everything_a_scorer_can_ask_for():
    answer = Answer(item="7", text="said", hits=(Hit(id="d1", text="one"), Hit(id="d2")))
    assert one("TestEverything(w,times=3)", answer, references=("ref",)) == (1, "")


def test_suspect_answers_are_not_put_to_a_scorer():
    value, why = one("TestBroken", make_answer(text="", status="suspect"))
    assert math.isnan(value)
    assert why.startswith("suspect")


def test_an_exception_of_a_scorer_names_metric_and_item():
    with pytest.raises(NeracaError, match=r"TestBroken: failed on item 'q9': ZeroDivisionError") as told:
        one("TestBroken", make_answer(item="q9", text=""))
    line = int(re.search(r"test_metric\.py line (\d+)\)$", str(told.value))[1])
    assert "1 / len(response)" in Path(__file__).read_text().splitlines()[line - 1]


def test_something_that_is_no_number_names_metric_and_item():
    with pytest.raises(NeracaError, match=r"TestText: failed on item 'q9': ValueError: .*'maybe'"):
        one("TestText", make_answer(item="q9", text="maybe"))


@pytest.mark.parametrize("name", ["TestWrongName", "TestWrongFirstName"])
def test_a_scorer_that_asks_for_something_unknown(name):
    with pytest.raises(SpecError, match=f"'{name}': cannot give its function 'gold'; .* answer, contexts, item"):
        one(name, make_answer(text="x"), references=("y",))


def test_a_metric_of_a_view_with_a_value_per_answer():
    assert one("TestDepth(rel=2)", make_answer("a b c"), relevant={"a": 1, "c": 2})[0] == 3


def test_a_metric_of_counts_with_its_own_total():
    found = Metric.of("TestCounts")
    pairs = [(make_item(str(n), relevant={"x": 1}), make_answer(docs, str(n))) for n, docs in enumerate(["a", "a b c"])]
    rows = score_metric(found, make_scorable(pairs)).rows
    assert rows.tolist() == [[1, 0, 2], [3, 0, 4]]
    assert found.total(rows.sum(axis=0)) == pytest.approx(4 / 6)


def test_what_a_metric_returns_is_not_changed():
    kept = np.array([[1.0, 2.0]])

    @metric("TestKept", total=lambda sums: sums[..., 0])
    def keep(ranking: Ranking) -> Floats:
        return kept

    assert np.isnan(one("TestKept", make_answer("a", status="suspect"))[0])
    assert kept.tolist() == [[1, 2]]


def test_a_name_is_given_once():
    with pytest.raises(SpecError, match=r"metric 'TestWords' is registered already, by .*words_of"):
        metric("TestWords")(lambda response: 1)


def test_the_same_source_may_give_its_name_again():
    assert metric("TestWords", high=math.inf)(words_of) is words_of
    assert METRICS.get("TestWords").function is words_of


@pytest.mark.parametrize(
    "asked, meant",
    [("ndgc@10", "nDCG"), ("P5", "P"), ("PasRatio", "PassRatio"), ("Succes@3", "Success"), ("precison@5", "precision")],
)
def test_did_you_mean(asked, meant):
    with pytest.raises(SpecError, match=rf"did you mean .*\b{meant}\b"):
        Metric.of(asked)


def test_a_metric_of_an_installed_package_is_found_by_its_name(tmp_path, monkeypatch):
    code = "from neraca import metric\n@metric('PluggedIn')\ndef plugged_in(response: str) -> float:\n    return 1.0\n"
    (tmp_path / "plug_in_metrics.py").write_text(code)
    info = tmp_path / "plug_in_metrics-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plug_in_metrics\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[neraca.metrics]\nmine = plug_in_metrics\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(METRICS, "_objects", dict(METRICS._objects))
    monkeypatch.setattr(METRICS, "_loaded", False)
    assert str(Metric.of("PluggedIn")) == "PluggedIn"


def test_far_from_everything():
    with pytest.raises(SpecError, match="no metric is called 'Xyzzyqwk'; neraca metrics lists all"):
        Metric.of("Xyzzyqwk")


@pytest.mark.parametrize(
    "name, canonical",
    [
        ("P", "P@10"),
        ("P@10", "P@10"),
        ("P( at = 5 )", "P@5"),
        ("P(rel=1)@5", "P@5"),
        ("P(rel=2.0)@5", "P(rel=2)@5"),
        ("nDCG(discount=jk, gains=exp) @ 10", "nDCG(gains=exp,discount=jk)@10"),
        ("AP(R=known)", "AP"),
        ("PassRate(aspect=price)", "PassRate(price)"),
        ("TestEverything(times=1,word=w)", "TestEverything(w)"),
        ("TestShared(fold=true)", "TestShared"),
    ],
)
def test_a_metric_is_equal_to_its_canonical_name(name, canonical):
    found = Metric.of(name)
    assert str(found) == canonical
    assert found == Metric.of(canonical) == Metric.of(found)
    assert hash(found) == hash(Metric.of(canonical))


def test_different_parameters_are_different_metrics():
    assert len({Metric.of(name) for name in ("P@5", "P@6", "P(rel=2)@5", "SetP", "nDCG@5", "nDCG(gains=exp)@5")}) == 6


@pytest.mark.parametrize(
    "name, message",
    [
        ("P@0", "cutoff is a whole number from 1, not 0"),
        ("P@-3", "cutoff is a whole number from 1, not -3"),
        ("P@2.5", "cutoff is a whole number from 1, not 2.5"),
        ("P@five", "cutoff is a whole number from 1, not 'five'"),
        ("P@true", "cutoff is a whole number from 1, not True"),
        ("P(rel=high)", "rel is a number, not 'high'"),
        ("P(rel=true)", "rel is a number, not True"),
        ("nDCG(gains=2)@5", "gains is a word, not 2"),
        ("TestShared(fold=1)", "fold is true or false, not 1"),
        ("QuerySuccess(at=often)", "at is a number, not 'often'"),
        ("P(depth=3)", "P has no parameter 'depth'; it takes at=10, rel=1, of=k"),
        ("SetP(3)", r"cannot place 3; it takes rel=1"),
        ("PassRate", "PassRate needs aspect; it takes aspect"),
        ("PassRate(a,b)", "cannot place 'b'"),
        ("Coverage@5", "Coverage has no parameter 'at'; Coverage takes no parameters"),
        ("P(at=3)@5", "gives the cutoff twice"),
        ("P(rel=1,rel=2)", "each key once"),
        ("P(rel=1", "cannot read"),
        ("", "cannot read"),
    ],
)
def test_wrong_parameters(name, message):
    with pytest.raises(SpecError, match=message):
        Metric.of(name)


def test_a_failed_answer_is_an_empty_one_for_a_users_scorer_too():
    @metric("TestHas")
    def has(response: str, contexts: list[str]) -> float:
        return float(bool(response) or bool(contexts))

    partial = make_answer("a", text="half of it", status="timeout")
    assert score_metric(Metric.of("TestHas"), make_scorable([(make_item(), partial)])).rows[0, 0] == 0


def test_a_value_outside_the_declared_range_is_refused_and_an_infinite_one_unscored():
    @metric("TestWide")
    def wide(response: str) -> float:
        return float(response)

    def rows(text):
        return score_metric(Metric.of("TestWide"), make_scorable([(make_item(), make_answer(text=text))])).rows

    assert rows("0.5")[0, 0] == 0.5
    assert math.isnan(rows("inf")[0, 0])
    with pytest.raises(SpecError, match=r"TestWide gave 60.*, which is outside its range of 0 to 1"):
        rows("60")


def test_an_annotation_that_only_type_checkers_know_is_no_view():
    @metric("TestUnseen")
    def unseen(thing: "Nowhere") -> float:  # noqa: F821
        return 1.0

    with pytest.raises(SpecError, match="cannot give its function 'thing'"):
        one("TestUnseen", make_answer())


def test_a_view_may_be_named_by_its_module_and_a_hint_is_never_run():
    @metric("TestDotted")
    def dotted(view: "ranking_module.Ranking") -> Floats:
        return np.ones(1)

    assert one("TestDotted", make_answer("a"), relevant={"a": 1})[0] == 1
    ran = []
    dotted.__globals__["_run"] = ran.append

    @metric("TestCode")
    def code(thing: "_run(1)") -> float:  # noqa: F821
        return 1.0

    with pytest.raises(SpecError, match="cannot give its function 'thing'"):
        one("TestCode", make_answer())
    assert ran == []


@metric("TestRatioPair", high=math.inf)
def ratio_pair(reference: str, response: str, *, of: str = "reference") -> float | None:
    return len(response) / len(reference) if reference else None


@metric("TestBest")
def best(part: Scorable, *metrics: str, over: float = 0) -> np.ndarray:
    """The best of several metrics, at least `over`."""
    values = [score_metric(Metric.of(name), part).per_answer for name in metrics]
    return np.max([*values, np.full(part.n, over)], axis=0)


def weighted(sums, *, weight=1.0):
    return weight * sums[..., 0] / sums[..., 1]


@metric("TestWeighted", total=weighted, high=math.inf)
def weighted_counts(ranking: Ranking, *, weight: float = 1.0) -> np.ndarray:
    return np.column_stack([ranking.returned, np.full(len(ranking.returned), 2.0)])


def test_one_pair_alone_without_a_run():
    assert Metric.of("TestRatioPair").pair("abcd", "ab") == 0.5
    assert math.isnan(Metric.of("TestRatioPair").pair("", "ab"))
    assert Metric.of("ROUGE-1").pair("the cat sat", "the cat") == pytest.approx(0.8, rel=1e-12)  # p 1, r 2/3


def test_one_pair_in_its_language():
    name = "ROUGE-1(tokens=word+stem)"
    assert Metric.of(name).pair("las casas", "la casa", "es") == 0.5  # only "las" and "la" differ
    assert Metric.of(name).pair("the houses", "the house", language="English") == 1


@pytest.mark.parametrize("name", ["P@5", "TestEverything(w)"])
def test_what_needs_more_than_two_texts_says_so(name):
    with pytest.raises(SpecError, match="does not compare a response with a reference"):
        Metric.of(name).pair("a", "b")


def test_a_metric_made_of_others_takes_any_number_of_names():
    found = Metric.of("TestBest( TestRatioPair , nDCG(gains=linear)@5,TestShared( fold=false ), over=0.25)")
    assert str(found) == "TestBest(TestRatioPair,nDCG@5,TestShared(fold=false),over=0.25)"
    assert Metric.of(str(found)) == found
    item, answer = make_item("1", references=("a b c d",)), make_answer(text="A b x")
    batch = make_scorable([(item, answer)])
    assert score_metric(Metric.of("TestBest(TestShared(fold=false))"), batch).rows[0, 0] == 0.25
    assert score_metric(Metric.of("TestBest(TestShared(fold=false),TestShared)"), batch).rows[0, 0] == 0.5


def test_an_unknown_name_among_the_others_is_an_error():
    with pytest.raises(SpecError, match="no metric is called 'Nonsense'"):
        Metric.of("TestBest(TestShared,Nonsense)")


def test_a_default_reaches_the_metrics_inside():
    assert str(Metric.of("TestBest(P@5,TestShared)", rel=2)) == "TestBest(P(rel=2)@5,TestShared)"


def test_a_metric_is_computed_once_for_a_run():
    batch = make_scorable([(make_item("1", references=("a",)), make_answer(text="a"))])
    assert score_metric(Metric.of("TestShared"), batch) is score_metric(Metric.of("TestShared"), batch)


def test_a_total_gets_the_parameters_that_it_takes():
    pairs = [(make_item("1", relevant={"a": 1}), make_answer("a b c"))]
    plain, heavy = Metric.of("TestWeighted"), Metric.of("TestWeighted(weight=3)")
    assert plain.total(score_metric(plain, make_scorable(pairs)).rows[0]) == 1.5
    assert heavy.total(score_metric(heavy, make_scorable(pairs)).rows[0]) == 4.5


def test_a_scorer_that_is_not_written_as_a_function_has_no_line():
    class Failing:
        """Fails whatever it gets."""

        def __init__(self):
            self.__qualname__ = "Failing"

        def __call__(self, response: str) -> float:
            raise ValueError("no idea")

    metric("TestFailing")(Failing())
    with pytest.raises(NeracaError, match=r"TestFailing: failed on item 'q9': ValueError: no idea$"):
        one("TestFailing", make_answer(item="q9", text="x"))


@pytest.mark.parametrize(
    "name, binary",
    [
        *(("Success@5", True), ("ExactMatch", True), ("Aspect(polite)", True), ("QuerySuccess", True)),
        *(("P@1", True), ("P@5", False), ("RR@1", True), ("RR", False), ("Condensed(P@1)", True)),
        *(("nDCG@1", False), ("Preferred(a)", False), ("Condensed(nDCG@10)", False)),
    ],
)
def test_whether_a_metric_is_0_or_1_is_declared(name, binary):
    assert Metric.of(name).binary is binary


def test_a_scorer_that_returns_bool_is_0_or_1_and_of_another_nobody_says():
    def yes(response: str) -> bool:
        return "yes" in response

    def some(response: str) -> float:
        return 1.0

    for name, function, declared in (
        ("TestYes", yes, {}),
        ("TestSome", some, {}),
        ("TestSaid", some, {"binary": True}),
    ):
        metric(name, **declared)(function)
    assert [Metric.of(name).binary for name in ("TestYes", "TestSome", "TestSaid")] == [True, None, True]


def test_the_description_follows_the_parameters():
    assert Metric.of("P@5").summary == "Precision at k: relevant hits among the first k, divided by k."
    of_returned = "Precision at k: relevant hits among the first k, divided by min(k, number of hits)."
    assert Metric.of("P(of=returned)@5").summary == of_returned
    assert Metric.of("AnswerCorrectness(weight=0.5)").summary.startswith("ClaimF, weighted by 0.5")
    assert Metric.of("AnswerCorrectness").summary == "Three quarters ClaimF and one quarter Similarity."


@pytest.mark.parametrize(
    "name, summary",
    [
        ("IAP(points=5)", "The mean of `IPrec` over 5 evenly spaced recalls from 0 to 1."),
        (
            "ROUGE-Lsum(stat=r)",
            "ROUGE-Lsum as recall: the words of the longest sequences that sentences of both texts share, divided by "
            "the number in the reference.",
        ),
        (
            "PassRatio(missing=fail,unjudged=fail)",
            "Constraint pass ratio (CPR): per hit PASS / all verdicts, of which what could not be checked counts as "
            "failed; per item the mean over its hits. A hit without any verdict counts 0.",
        ),
        (
            "AP(rel=2)@10",
            "Precision at the rank of each relevant hit, averaged over the relevant documents. Only the first 10 hits "
            "count. Relevant is a grade of at least 2.",
        ),
    ],
)
def test_the_description_names_what_each_parameter_changes(name, summary):
    assert Metric.of(name).summary == summary


@pytest.mark.parametrize(
    "names, reason", [(5, "metrics are names .* not 5"), (["P@5", 5], "a metric is a name .* not 5")]
)
def test_what_is_no_name_of_a_metric_is_told(names, reason):
    with pytest.raises(SpecError, match=reason):
        Metric.several(names)
