"""The scale of quality: how it is written, and that two scales never stand in one run."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.errors import InputError, SpecError
from neraca.people.quality_scale import check_grades, check_scale, ends_of, grades_text, parse_scale, values_of
from neraca.people.write_verdicts import write_verdicts
from neraca.records import Verdict
from neraca.runs.run import Run


@pytest.mark.parametrize(
    "text, values",
    [("1-7", range(1, 8)), ("0-10", range(11)), ("1–10", range(1, 11)), ("0=poor;10=good", (0, 10)), ("", range(6))],
)
def test_whole_scales_go_up_to_ten(text, values):
    assert values_of(text) == tuple(values)


def test_a_range_may_have_words_for_some_of_its_values():
    assert parse_scale("1-3; 3=right; 1 = wrong") == ((1, "wrong"), (2, ""), (3, "right"))


@pytest.mark.parametrize("text", ["0-11", "3-3", "5-1", "1-3;4=x", "1-3;1=a;1=b", "7", "0.5-2", "1-3;2-4"])
def test_what_is_no_scale_is_refused(text):
    with pytest.raises(SpecError, match=r"^scale: "):
        parse_scale(text)


def test_the_usual_scale_is_not_stated():
    assert (ends_of("0-5"), ends_of("0-5;5=all"), ends_of("1-5"), ends_of("0-10")) == ("", "", "1-5", "0-10")


def rated(tmp_path, values, scale):
    items = [make_item(str(n)) for n in range(len(values))]
    run = make_run(tmp_path / "run", items, [make_answer(item=item.id, text="words") for item in items])
    write(run, values, scale)
    return Run(run.path)


def write(run, values, scale, by="human:ana"):
    verdicts = [
        Verdict(item=str(n), about="answer", aspect="quality", by=by, value=float(value))
        for n, value in enumerate(values)
    ]
    return write_verdicts([run], [verdicts], scale)


def test_a_run_states_the_scale_on_which_it_was_rated(tmp_path):
    run = rated(tmp_path, (0, 7, 10), "0-10;10=good")
    assert run.manifest.scales == {"quality": "0-10"}
    check_scale([run], "0-10")
    assert [counts.new for counts in write(run, (1, 2, 3), "0-10", "human:budi")] == [3]


@pytest.mark.parametrize(
    "first, second", [("0-10", ""), ("0-10", "1-10"), ("1-7", "0-10"), ("1-5", "1-3"), ("", "0-10")]
)
def test_ratings_on_a_second_scale_are_refused_and_nothing_is_written(tmp_path, first, second):
    run = rated(tmp_path, (1, 2, 3), first)
    with pytest.raises(SpecError, match=r"people rated the quality in .*run from \d to \d+, and these ratings go from"):
        check_scale([run], second)
    before = len(run.verdicts())
    with pytest.raises(InputError, match="a mean of both means nothing"):
        write(run, (1, 2, 3), second, "human:budi")
    assert len(Run(run.path).verdicts()) == before


def test_ratings_of_before_scales_were_stated_go_with_a_scale_that_has_all_of_them(tmp_path):
    run = rated(tmp_path, (1, 2, 3), "")
    assert run.manifest.scales == {}
    check_scale([run], "1-5")
    with pytest.raises(SpecError, match="from 0 to 5, and these ratings go from 1 to 2"):
        check_scale([run], "1-2")
    write(run, (4, 5), "1-5", "human:budi")
    assert Run(run.path).manifest.scales == {"quality": "1-5"}


def graded(tmp_path, values, grades):
    """A run of which ana graded one result of each question."""
    items = [make_item(str(n)) for n in range(len(values))]
    run = make_run(tmp_path / "run", items, [make_answer("d", item.id) for item in items])
    verdicts = [make_verdict("d", "relevance", value, "human:ana", str(n)) for n, value in enumerate(values)]
    write_verdicts([run], [verdicts], grades=grades_text(grades))
    return Run(run.path)


@pytest.mark.parametrize(
    "first, values, second", [(3, (0, 1), 4), ("0=no;1=partly;2=yes", (0, 1), 2), (2, (0, 1), 3), (2, (0, 3), 3)]
)
def test_a_second_scale_of_grades_is_refused(tmp_path, first, values, second):
    run = graded(tmp_path, values, first)
    with pytest.raises(SpecError, match=r"^grades: people graded results in .*run from 0 to \d, and these ratings go"):
        check_grades([run], second)


@pytest.mark.parametrize("first, second", [(3, 3), (3, "0=no;1=partly;2=yes"), (2, 2), (2, "0=no;1=yes")])
def test_the_same_grades_are_taken_with_words_and_without(tmp_path, first, second):
    check_grades([graded(tmp_path, (0, 1), first)], second)


def test_grades_of_before_they_were_stated_go_with_a_scale_that_has_all_of_them(tmp_path):
    run = graded(tmp_path, (0, 2), 2)
    assert run.manifest.scale_words == {}
    check_grades([run], 3)
    check_grades([run], 4)
