"""Metrics of grades take their range from the scale that the runs state."""

import pytest
from builders import make_answer, make_item, make_run

from neraca import compare, gate, score
from neraca.errors import SpecError
from neraca.records import Verdict
from neraca.runs.run import Run
from neraca.scores.rated_scales import scale_ends

ITEMS = [make_item(str(n)) for n in range(8)]


def rated(folder, name, values, scale=""):
    run = make_run(folder / name, ITEMS, [make_answer(item=item.id, text=f"{name} {item.id}") for item in ITEMS[:-1]])
    with run.writing():
        run.add_verdicts(
            Verdict(item=str(n), about="answer", aspect="quality", by="human:ana", value=float(value))
            for n, value in enumerate(values)
        )
        if scale:
            run.update(scales={"quality": scale})
    return Run(run.path)


def test_the_range_is_that_of_the_scale(tmp_path):
    run = rated(tmp_path, "a", (9, 10, 10, 10, 10, 10, 10), "0-10")
    scores = score(run, "Rubric(quality)")
    (total,) = scores.overall()
    assert total.value == pytest.approx(69 / 7)
    assert total.high == pytest.approx(10, abs=0.01), "an interval of bounded values reaches to the end of the scale"
    assert score(run, "Rubric(quality,share=true)")["Rubric(quality,share=true)"]["a"] == pytest.approx(69 / 70)


def test_the_ends_of_scales_are_those_of_all_runs_together(tmp_path):
    one, two = rated(tmp_path, "a", (1, 2)), rated(tmp_path, "b", (1, 2), "0-10")
    two.update(scales={"quality": "0-10", "tone": "1-3"})
    assert scale_ends([one]) == {"quality": (0.0, 5.0)}
    assert scale_ends([one, Run(two.path)]) == {"quality": (0.0, 10.0), "tone": (1.0, 3.0)}
    assert scale_ends([]) == {}


def test_the_lowest_value_of_a_scale_is_no_share_of_it(tmp_path):
    run = rated(tmp_path, "a", (1, 1, 1, 7, 7, 7, 4), "1-7")
    assert score(run, "Rubric(quality,share=true)")["Rubric(quality,share=true)"]["a"] == pytest.approx(3.5 / 7)


def test_a_value_outside_the_stated_scale_is_refused(tmp_path):
    run = rated(tmp_path, "a", (0, 1, 2, 3, 4, 5, 6), "1-7")
    with pytest.raises(SpecError, match=r"gave 0 .* outside its range of 1 to 7"):
        score(run, "Rubric(quality)")
    with pytest.raises(SpecError, match="0 is outside its scale of 1 to 7"):
        score(run, "Rubric(quality,share=true)")


def test_runs_on_different_scales_are_compared_by_shares_alone(tmp_path):
    a = rated(tmp_path, "a", (0, 1, 2, 3, 4, 5, 5), "")
    b = rated(tmp_path, "b", (0, 2, 4, 6, 8, 10, 10), "0-10")
    with pytest.raises(SpecError, match=r"different scales \(b 0 to 10, a 0 to 5\); .*Rubric\(quality,share=true\)"):
        score([a, b], "Rubric(quality)")
    shares = score([a, b], "Rubric(quality,share=true)")["Rubric(quality,share=true)"]
    assert shares["a"] == shares["b"] == pytest.approx(20 / 35)
    nobody = rated(tmp_path, "c", (), "")
    assert score([b, nobody], "Rubric(quality)")["Rubric(quality)"]["b"] == pytest.approx(40 / 7)


def test_scores_of_one_scale_do_not_give_their_range_to_other_runs(tmp_path):
    b = rated(tmp_path, "b", (0, 2, 4, 6, 8, 10, 10), "0-10")
    metrics = score(b, "Rubric(quality)").metrics
    assert metrics[0].definition.limits == (0, 10)
    a = rated(tmp_path, "a", (0, 1, 2, 3, 4, 5, 5), "")
    assert score(a, metrics).metrics[0].definition.limits == (0, 5)


def test_a_gate_and_a_comparison_keep_to_the_scale(tmp_path):
    high, low = (rated(tmp_path, n, v, "0-10") for n, v in (("high", [10] * 7), ("low", [1] * 6 + [2])))
    (difference,) = compare([high, low], "Rubric(quality)")
    assert difference.difference == pytest.approx(70 / 7 - 8 / 7)
    assert difference.high <= 10
    (decision,) = gate(high, low, rules=["Rubric(quality) >= +4"]).decisions
    assert (decision.value, decision.outcome) == (10, "pass")
    assert gate(high, rules=["Rubric(quality) >= 3"]).decisions[0].outcome == "pass", "the scale is that of the run"
    with pytest.raises(SpecError, match="always from 0 to 10"):
        gate(high, rules=["Rubric(quality) >= 12"])
    assert gate(high, rules=["Rubric(quality,scale=0-10) >= 3"]).decisions[0].outcome == "pass"


def test_a_share_of_an_unknown_scale_is_refused(tmp_path):
    run = rated(tmp_path, "a", (0, 1), "")
    with run.writing():
        run.add_verdicts([Verdict(item="0", about="answer", aspect="tone", by="human:ana", value=3.0)])
    with pytest.raises(SpecError, match=r"write Rubric\(tone,scale=1-5,share=true\)"):
        score(Run(run.path), "Rubric(tone,share=true)")
    name = "Rubric(tone,scale=1-5,share=true)"
    assert score(Run(run.path), name)[name]["a"] == pytest.approx(0.5)
