import math
from datetime import date

import msgspec
import numpy as np
import pytest
from builders import make_run
from comparisons.drifting_run import labelled, turn, weeks_of, write_run

from neraca.comparisons.drift import drift
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import metric
from neraca.records import Answer
from neraca.stats.intervals.reference_difference import period_mean, reference_difference

LATER = date(2027, 6, 1)


@metric("TestInvalid", better="lower")
def invalid(answer: Answer) -> float:
    """Nine tenths from the second week on, which is bad."""
    return 0.9 * (answer.at > "2026-10-11") + 0.001 * (int(answer.item[1:]) % 2)


def look(path, metrics="Valid", reference=1, today=LATER, **settings):
    return drift(path, metrics, reference=reference, today=today, **settings)


def numbers(result):
    """Period of a metric → its numbers, rounded far below what is printed."""
    return {
        (row["metric"], row["period"]): {
            name: round(value, 9) if isinstance(value, float) else value
            for name, value in row.items()
            if name not in ("run", "metric", "period")
        }
        for row in result.rows()
    }


def same(a, b):
    return {key: str(value) for key, value in a.items()} == {key: str(value) for key, value in b.items()}


def test_values_and_differences_by_hand(tmp_path):
    # 40 sessions a week of one turn: 36, 30 and 20 are valid
    write_run(tmp_path / "run", weeks_of([0.9, 0.75, 0.5], 40))
    result = look(tmp_path / "run")
    trend = result.trends[0]
    assert [score.value for score in trend.buckets] == [0.9, 0.75, 0.5]
    assert [(score.n, score.unscored) for score in trend.buckets] == [(40, 0)] * 3
    assert (trend.reference.value, trend.since.value, trend.since.n) == (0.9, 0.625, 80)
    # variances: 4 · 36 / 40 = 3.6 over 39 · 40, half of .01 + .81 over 40²; 50 · 30 / 80 = 18.75 over 79 · 80, …
    reference, since = 3.6 / 39 / 40 + 0.82 / 2 / 1600, 18.75 / 79 / 80 + (0.375**2 + 0.625**2) / 2 / 6400
    assert trend.shift.difference == pytest.approx(-0.275)
    whole = reference + since
    u = reference / whole
    z = 0.275 / math.sqrt(whole)
    assert trend.shift.p < 2 * math.exp(-2 * (0.9 * z * math.sqrt(u) / (1 + u)) ** 2)  # nearly the normal one
    assert (trend.shift.verdict, trend.shift.sessions) == ("worse", 80)
    first, second, third = trend.shifts
    assert first is None
    assert (second.difference, second.verdict) == (pytest.approx(-0.15), "")
    assert (third.difference, third.verdict) == (pytest.approx(-0.4), "worse")
    assert trend.first_shown == 2


def test_the_arithmetic_is_that_of_the_statistics(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.7], 50, seed=3))
    shift = look(tmp_path / "run").trends[0].shift
    ones = [np.array([1.0] * valid + [0.0] * (50 - valid)) for valid in (45, 35)]
    means = [period_mean(values, np.arange(50) + 50 * week, (0, 1), count=100) for week, values in enumerate(ones)]
    expected = reference_difference(means[0], means[1], 0, (-1, 1))
    assert (shift.low, shift.high, shift.p) == pytest.approx((expected.low, expected.high, expected.p))
    first = look(tmp_path / "run").trends[0].shifts[1]
    expected = reference_difference(means[0], means[1], 1, (-1, 1))
    assert (first.low, first.high, first.p) == pytest.approx((expected.low, expected.high, expected.p))


def test_turns_of_a_session_are_one_observation_across_periods_too(tmp_path):
    turns = weeks_of([0.8, 0.8], 30)
    alone = look(write_run(tmp_path / "alone", turns)).trends[0]
    doubled = [turn(f"{n}.{k}", 7 * (n // 30) + n % 7, float(n % 5 > 0), f"s{n}") for n in range(60) for k in "ab"]
    assert look(write_run(tmp_path / "two", doubled)).trends[0].shift.sessions == 30
    single = [turn(n, 7 * (n // 30) + n % 7, float(n % 5 > 0)) for n in range(60)]
    one = look(write_run(tmp_path / "one", single)).trends[0].shift
    two = look(tmp_path / "two").trends[0].shift
    assert (two.low, two.high) == pytest.approx((one.low, one.high))
    assert alone.shift.sessions == 30
    by_question = look(tmp_path / "two", unit="question").trends[0].shift
    assert by_question.high - by_question.low < two.high - two.low
    # each session has a turn in both weeks, with the same value: their difference does not vary
    both = [turn(f"{n}.{week}", 7 * week, float(n % 5 > 0), f"s{n}") for n in range(60) for week in (0, 1)]
    apart = [turn(f"{n}.{week}", 7 * week, float(n % 5 > 0)) for n in range(60) for week in (0, 1)]
    widths = []
    for name, turns in (("both", both), ("apart", apart)):
        shift = look(write_run(tmp_path / name, turns)).trends[0].shift
        widths.append(shift.high - shift.low)
    assert widths[0] < widths[1] / 2


def test_a_running_bucket_is_not_compared_and_all_since_is(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.8, 0.5], 40))
    result = look(tmp_path / "run", today=date(2026, 10, 25))  # the Sunday of the third week
    assert [shift is None for shift in result.trends[0].shifts] == [True, False, True]
    assert result.trends[0].shift.sessions == 80
    assert [bucket.name for bucket in result.filling] == ["2026-10-19"]
    assert look(tmp_path / "run", today=date(2026, 10, 26)).filling == ()


def test_few_sessions_are_not_compared(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.8], 19))
    assert look(tmp_path / "run").trends[0].shift.why == "fewer than 20 sessions"


def test_an_earlier_look_is_what_it_was(tmp_path):
    turns = weeks_of([0.9, 0.8, 0.6], 40)
    early = [t for t in turns if int(t[0].id[1:]) < 80]
    late = look(write_run(tmp_path / "late", turns)).trends[0]
    then = look(write_run(tmp_path / "early", early)).trends[0]
    assert str(late.looks[1]) == str(then.shift)
    assert str(late.shifts[1]) == str(then.shifts[1])


def test_unscored_turns_are_counted_in_their_bucket(tmp_path):
    turns = [*weeks_of([0.9, 0.8], 30), turn(99, 8, None), turn(100, 9, None)]
    trend = look(write_run(tmp_path / "run", turns)).trends[0]
    assert [(score.n, score.unscored) for score in trend.buckets] == [(30, 0), (30, 2)]


def test_turns_without_a_time_are_counted_and_change_nothing_else(tmp_path):
    turns = weeks_of([0.9, 0.7], 40)
    clean = look(write_run(tmp_path / "clean", turns))
    dirty = look(write_run(tmp_path / "dirty", [*turns, turn(99, "yesterday", 0.0), turn(98, "1970-01-01", 0.0)]))
    assert (clean.untimed, dirty.untimed, dirty.turns) == (0, 2, 80)
    assert same(numbers(clean), numbers(dirty))


def test_the_order_of_turns_and_names_of_sessions_do_not_matter(tmp_path):
    turns = weeks_of([0.9, 0.7, 0.8], 30)
    renamed = [turn(f"x{n}", 7 * (n // 30), 1.0, f"other {n // 2}") for n in range(90)]
    first = look(write_run(tmp_path / "first", turns))
    assert same(numbers(first), numbers(look(write_run(tmp_path / "second", turns[::-1]))))
    plain = [turn(f"y{n}", 7 * (n // 30), 1.0, f"s{n // 2}") for n in range(90)]
    results = [look(write_run(tmp_path / name, t)) for name, t in (("renamed", renamed), ("plain", plain))]
    assert same(*map(numbers, results))


def test_one_more_metric_changes_only_holm(tmp_path):
    turns = [
        turn(n, 7 * (n // 40) + n % 7, float(n % 40 < share), text="yes " * (1 + n % 7))
        for n, share in enumerate([36] * 40 + [24] * 40)
    ]
    write_run(tmp_path / "run", turns)
    one, two = numbers(look(tmp_path / "run")), numbers(look(tmp_path / "run", "Valid Words"))
    for key, row in one.items():
        more = two[key]
        differing = {name for name, value in row.items() if str(value) != str(more[name])}
        assert differing <= {"p_adjusted", "verdict"}, key
    p = one["Valid", "since"]["p"]
    assert two["Valid", "since"]["p_adjusted"] == pytest.approx(2 * p)
    assert two["Words", "since"]["p_adjusted"] == two["Words", "since"]["p"] == 1


def test_a_metric_that_counts_is_shown_and_not_compared(tmp_path):
    items = weeks_of([0.9, 0.8], 30)
    trend = look(write_run(tmp_path / "run", items), "NumRet").trends[0]
    assert trend.shift is None
    assert trend.why == "it counts all questions, and longer periods have more"


def test_one_metric_unscored_leaves_the_others(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.5], 40))
    valid, rr = look(tmp_path / "run", "Valid RR").trends
    assert valid.shift.verdict == "worse"
    assert (rr.shift, rr.why) == (None, "nothing is scored in the reference")
    assert [score.unscored for score in rr.buckets] == [40, 40]


def test_a_better_metric_and_a_diagnostic(tmp_path):
    turns = [
        turn(n, 7 * (n // 40), float(n % 40 < (20 if n < 40 else 38)), text="a " * (n // 20 + 1)) for n in range(80)
    ]
    valid, words = look(write_run(tmp_path / "run", turns), "Valid Words").trends
    assert (valid.shift.verdict, words.shift.verdict) == ("better", "higher")


def test_less_may_be_better(tmp_path):
    turns = [turn(n, 7 * (n // 40), float(n % 40 < (20 if n < 40 else 38))) for n in range(80)]
    write_run(tmp_path / "run", turns)
    (trend,) = look(tmp_path / "run", "TestInvalid").trends
    assert (trend.shift.difference, trend.shift.verdict) == (pytest.approx(0.9), "worse")


def test_of_several_trials_the_first_tells_the_time(tmp_path):
    turns = [turn(n, 7 * (n // 30), float(n % 5 > 0)) for n in range(60)]
    items, answers, verdicts = zip(*turns, strict=True)
    again = [msgspec.structs.replace(answer, trial=1, at="2026-12-01T00:00:00Z") for answer in answers]
    make_run(tmp_path / "run", items, [*again, *answers], [v for several in verdicts for v in several], trials=2)
    result = look(tmp_path / "run", "Words")
    assert [bucket.name for bucket in result.buckets.buckets] == ["2026-10-05", "2026-10-12"]


def test_before_the_reference_is_shown_and_not_compared(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.2, 0.9, 0.8], 30))
    result = look(tmp_path / "run", reference="2026-10-12..2026-10-18")
    assert (result.before, result.trends[0].reference.value, result.trends[0].since.n) == (30, 0.9, 30)
    assert [shift is None for shift in result.trends[0].shifts] == [True, True, False]


def test_the_mix_by_hand(tmp_path):
    # half of rent is valid and all of buy, in both weeks; but rent is a half of the first week, and 4 / 5 of the second
    turns = []
    for week, (rent, buy) in enumerate([(40, 40), (80, 20)]):
        values = [("rent", n % 2) for n in range(rent)] + [("buy", 1)] * buy
        turns += [turn(f"{week}.{n}", 7 * week, float(v), category=c) for n, (c, v) in enumerate(values)]
    result = look(write_run(tmp_path / "run", turns))
    mix = next(shift for shift in result.mix if shift.factor == "category")
    assert mix.raw == pytest.approx(0.6 - 0.75)
    assert mix.reweighted.difference == pytest.approx(0)
    assert mix.by_mix == pytest.approx(-0.15)
    assert (mix.new, mix.gone) == (0, 0)
    shares = {share.stratum: (share.reference, share.since) for share in result.shares if share.factor == "category"}
    assert shares == {"rent": (0.5, 0.8), "buy": (0.5, 0.2)}


def test_groups_that_one_period_lacks_are_counted(tmp_path):
    categories = [["rent"] * 30 + ["buy"] * 10, ["rent"] * 25 + ["swap"] * 15]
    turns = [
        turn(f"{week}.{n}", 7 * week, float(n % 2), category=category)
        for week, of_week in enumerate(categories)
        for n, category in enumerate(of_week)
    ]
    mix = next(shift for shift in look(write_run(tmp_path / "run", turns)).mix if shift.factor == "category")
    assert (mix.new, mix.gone) == (15, 0.25)
    assert mix.reweighted.difference == pytest.approx(12 / 25 - 15 / 30)
    assert mix.reweighted.sessions == 25


def test_no_group_in_both_leaves_nothing_to_weight(tmp_path):
    turns = [turn(f"{w}.{n}", 7 * w, float(n % 2), category="ab"[w]) for w in (0, 1) for n in range(30)]
    mix = next(shift for shift in look(write_run(tmp_path / "run", turns)).mix if shift.factor == "category")
    assert (mix.reweighted, mix.new, mix.gone) == (None, 30, 1)
    assert math.isnan(mix.by_mix)


def test_language_length_and_unanswered_are_looked_at(tmp_path):
    english = "Is there a room in the centre of the city that is not far from the station and has a garden?"
    spanish = "La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."
    turns = [
        turn(
            f"{week}.{n}",
            7 * week,
            float(n % 2),
            query=(f"{english} Please?" if n % 3 else spanish) if week else english,
            text="" if n % 5 == week else english,
        )
        for week in (0, 1)
        for n in range(30)
    ]
    result = look(write_run(tmp_path / "run", turns))
    shares = {(share.factor, share.stratum): share.n_since for share in result.shares}
    assert shares["language", "en"] + shares["language", "es"] + shares.get(("language", "unclear"), 0) == 30
    assert shares["language", "es"] > 0
    assert shares["answered", "unanswered"] == 6
    assert sum(n for (factor, _), n in shares.items() if factor == "words of question") == 30


def test_groups_are_compared_within_themselves(tmp_path):
    turns = [
        turn(f"{w}.{n}", 7 * w, float(n % 4 > (w and n % 2 == 0)), kind="ab"[n % 2]) for w in (0, 1) for n in range(60)
    ]
    result = look(write_run(tmp_path / "run", turns), group=["kind"])
    groups = {group.value: group.shift for group in result.groups}
    values = {
        kind: [[float(n % 4 > (w and n % 2 == 0)) for n in range(60) if "ab"[n % 2] == kind] for w in (0, 1)]
        for kind in "ab"
    }
    for kind, (before, after) in values.items():
        assert groups[kind].difference == pytest.approx(np.mean(after) - np.mean(before))
        assert groups[kind].verdict == ""
    with pytest.raises(SpecError, match="no item has the tag 'sort'"):
        look(tmp_path / "run", group=["sort"])


def test_changes_of_the_model(tmp_path):
    turns = [turn(n, n // 10, float(n % 3 > 0), model="mini" if n < 45 else "4.1") for n in range(140)]
    (change,) = look(write_run(tmp_path / "run", turns)).changes
    assert (change.attribute, change.before, change.after, change.day) == ("model", "mini", "4.1", date(2026, 10, 10))


def test_labels_show_that_only_the_judge_changed(tmp_path):
    labelled(tmp_path / "run", [0.9, 0.9, 0.9], 100, wrong=0.4)
    trend = look(tmp_path / "run", correct="ppi").trends[0]
    assert trend.shift.verdict == "worse"
    assert trend.corrected.shift.verdict == ""
    assert trend.decisive is trend.corrected.shift
    assert abs(trend.corrected.shift.difference) < abs(trend.shift.difference) / 2
    assert trend.corrected.reference.labels >= 30
    assert trend.corrected.since.value - trend.corrected.reference.value == trend.corrected.shift.difference
    row = look(tmp_path / "run", correct="ppi").rows()[1]
    assert row["corrected_difference"] == trend.corrected.shift.difference
    assert row["labels"] == trend.corrected.since.labels


def test_too_few_labels_are_said(tmp_path):
    labelled(tmp_path / "run", [0.9, 0.9], 40)
    trend = look(tmp_path / "run", correct="ppi").trends[0]
    assert trend.corrected.shift is None
    assert "labelled; the interval holds from 30" in trend.corrected.reference.why
    assert trend.decisive is trend.shift


def test_errors_say_what_to_do(tmp_path):
    turns = weeks_of([0.9, 0.8], 30)
    with pytest.raises(InputError, match=r"no answer has a time.*neraca traces"):
        look(write_run(tmp_path / "untimed", [turn(n, "", 1.0) for n in range(3)]))
    write_run(tmp_path / "run", turns)
    with pytest.raises(SpecError, match="write --correct ppi"):
        look(tmp_path / "run", correct="rogan-gladen")
    with pytest.raises(InputError, match=r"have 60 sessions"):
        look(tmp_path / "run", reference="")


def test_it_prints_as_a_table(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.5], 40))
    text = str(look(tmp_path / "run"))
    assert "since the reference, 2026-10-05 to 2026-10-11" in text
    assert "−0.400" in text
    assert "worse" in text
