"""What is said of correlations: true of few answers and of none, and never more than the tests show."""

import dataclasses
import math

import numpy as np

from neraca.metaeval.correlate import correlate
from neraca.number_format import correlation
from neraca.reports.blocks.correlations import sentences

NAN = math.nan


def columns(n=120, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    f = quality + 0.6 * rng.normal(size=n)
    return {
        "ROUGE-1": f,
        "ROUGE-L": f + 0.1 * rng.normal(size=n),
        "TokenF1": f + 0.05 * rng.normal(size=n),
        "TokenRecall": quality + 0.3 * rng.normal(size=n),
        "Luck": rng.normal(size=n),
    }, np.clip(np.round(quality + 0.5 * rng.normal(size=n)) + 3, 1, 5)


def test_sentences():
    values, human = columns()
    found = correlate({**values, "Words": 3 * values["ROUGE-1"], "Flat": np.ones(120)}, human={"quality": human})
    assert found.clusters == (("ROUGE-1", "ROUGE-L", "TokenF1"), ("TokenRecall",), ("Luck",), ("Words",), ("Flat",))
    least, most = found.value("ROUGE-L", "TokenF1"), found.value("ROUGE-1", "TokenF1")
    same, flat, closest = sentences(found)
    assert same == (
        f"ROUGE-1, ROUGE-L and TokenF1 say nearly the same (rho {least:.2f} to {correlation(most)}, n 120): "
        "count them as one signal."
    )
    assert flat == "With the same value in every answer, and so without a correlation: Flat."
    row = found.with_human[0]
    said = f"TokenRecall, rho {row.value:.2f} ({row.low:.2f} to {row.high:.2f}), n 120"
    assert closest == f"Closest to people's scores (quality): {said}; the tests tell it from every other metric."


def test_what_the_tests_tell_apart_and_what_they_do_not():
    values, human = columns()
    near = values["TokenRecall"] + 0.15 * np.random.default_rng(5).normal(size=120)
    chosen = {"Near": near, "TokenRecall": values["TokenRecall"], "Luck": values["Luck"]}
    found = correlate(chosen, human={"quality": human})
    apart = {row.metric: row.told_apart for row in found.with_human}
    assert apart == {"TokenRecall": False, "Near": False, "Luck": True}
    assert sentences(found)[-1].endswith("n 120; not told apart from Near, told apart from the others.")
    del chosen["Luck"]
    assert sentences(correlate(chosen, human={"quality": human}))[-1].endswith("n 120; not told apart from Near.")


def test_of_many_metrics_some_are_named():
    a = np.random.default_rng(6).normal(size=50)
    same = {f"m{n}": a + 0.01 * n * a**3 for n in range(14)}
    names = "m0, m1, m2, m3, m4, m5, m6, m7, m8 and 5 more"
    assert sentences(correlate(same)) == (f"{names} say nearly the same (rho 1.00, n 50): count them as one signal.",)


def says(columns, human=None, **options):
    return sentences(correlate(columns, human={} if human is None else {"people": human}, **options))


def test_true_when_there_is_nothing():
    assert says({}) == ()
    assert says({"a": []}) == ("Without any value, and so without a correlation: a.",)
    assert says({"a": [1.0, 2.0]}) == ()
    assert says({}, [1, 2]) == ()
    nothing = "Of agreement with people's scores nothing can be said: no metric varies together with them."
    assert says({"a": [1, 2, 3], "b": [NAN] * 3}, [None, None, None])[-1] == nothing
    assert says({"a": [1, 2, 3]}, [4, 4, 4]) == (nothing,)
    assert says({"a": [NAN, 1, 1], "b": [1, NAN, NAN]}) == (
        "With the same value in every answer, and so without a correlation: a and b.",
    )


def test_true_with_few_answers():
    assert says({"a": [1, 2, 3], "b": [1, 2, 4]}) == (
        "a and b say nearly the same (rho 1.00, n 3), but on so few answers that it may be chance.",
    )
    assert says({"a": [1, 2, 3], "b": [-1, -2, -4]}) == (
        "a and b say nearly the same, some the other way round (rho −1.00, n 3), but on so few answers that it may be "
        "chance.",
    )
    highest = "Highest correlation with people's scores: a, rho 1.00, n 3"
    assert says({"a": [1, 2, 3]}, [1, 2, 4]) == (f"{highest}; too few independent answers for an interval.",)
    ten = list(range(10))
    assert says({"a": ten}, ten)[0].endswith("a, rho 1.00, n 10; at its limit it has no interval.")


def test_true_with_two_metrics_and_with_none_alike():
    rng = np.random.default_rng(2)
    a, b, c = rng.normal(size=(3, 50))
    assert says({"a": a, "b": b})[0].startswith("a and b do not say the same: rho is 0.")
    assert says({"a": a, "flat": np.ones(50), "b": b})[0].startswith("a and b do not say the same")
    most = np.abs(np.triu(correlate({"a": a, "b": b, "c": c}).matrix, 1)).max()
    expected = f"No two of the 3 metrics say the same: between any two of them rho is at most {most:.2f} in size."
    assert says({"a": a, "b": b, "c": c}) == (expected,)


def test_the_other_way_round():
    a = np.random.default_rng(3).normal(size=50)
    assert says({"a": a, "b": -a}) == (
        "a and b say nearly the same, some the other way round (rho −1.00, n 50): count them as one signal.",
    )


def test_nobody_is_called_closest_without_evidence():
    rng = np.random.default_rng(4)
    told = says({"a": rng.normal(size=30), "b": rng.normal(size=30)}, rng.normal(size=30))
    assert told[-1].startswith("No metric is shown to agree with people's scores: the highest correlation")
    values, human = columns()
    assert says({"a": values["TokenRecall"]}, human)[0].startswith("Agreement with people's scores: a, rho 0.")
    alone = says({"TokenRecall": values["TokenRecall"], "Luck": values["Luck"]}, human)[-1]
    assert alone.endswith("n 120; the tests tell it from every other metric.")


def test_numbers_in_words():
    assert [correlation(x) for x in (0.994, 0.9951, 0.9999999, 1, -1, -0.9999, -0.001, 0.0)] == [
        "0.99", "0.995", "0.9999999", "1.00", "−1.00", "−0.9999", "0.00", "0.00",
    ]  # fmt: skip


def test_what_is_made_from_the_scores_themselves_is_named_and_not_called_closest():
    values, human = columns()
    found = correlate({**values, "Rubric(quality)": human}, human={"quality": human})
    assert "Highest correlation with people's scores (quality): Rubric(quality), rho 1.00" in sentences(found)[-1], (
        "given as numbers"
    )
    rows = tuple(row for row in found.with_human if row.metric != "Rubric(quality)")
    left = dataclasses.replace(found, with_human=rows, left_out={"quality": ("Rubric(quality)",)})
    assert sentences(left)[-2].startswith("Closest to people's scores (quality): TokenRecall")
    assert sentences(left)[-1] == (
        "Not compared with people's scores (quality), because made from them: Rubric(quality)."
    ), "it names these scores, because beside others of people the metric has a row"
