"""Judgments of several files: one rule for all verdicts of people, and everything that it settles is counted."""

from neraca.datasets.trec.qrels import Qrels
from neraca.verdicts.several_qrels import combine_qrels


def judged(**grades):
    return Qrels({"q": grades})


def test_yes_and_no_take_the_majority_and_a_tie_is_no_judgment():
    two = combine_qrels([judged(a=1, b=0, c=1, d=0), judged(a=1, b=1, c=0, e=1)])
    assert (two.rule, two.shared, two.differing) == ("majority", 3, 2)
    assert two.grades == {"q": {"a": 1, "d": 0, "e": 1}}
    assert two.undecided == {"q": {"b", "c"}}
    three = combine_qrels([judged(a=1, b=0, c=1), judged(a=1, b=1, c=0), judged(b=1, c=0)])
    assert three.grades == {"q": {"a": 1, "b": 1, "c": 0}}
    assert (three.shared, three.differing, three.undecided) == (3, 2, {})


def test_grades_take_the_lower_median_in_any_order_of_the_files():
    """Of 0 and 2 the lower is 0; of 1, 2 and 3 the middle is 2."""
    files = [judged(a=2, b=1), judged(a=0, b=2), judged(b=3)]
    for order in (files, files[::-1]):
        combined = combine_qrels(order)
        assert (combined.rule, combined.grades) == ("median", {"q": {"a": 0, "b": 2}})
        assert (combined.shared, combined.differing, combined.undecided) == (2, 2, {})


def test_a_rule_that_was_chosen_replaces_that_of_the_kind():
    files = [judged(a=2, b=0), judged(a=1, b=1)]
    assert combine_qrels(files, "newest").grades == {"q": {"a": 1, "b": 1}}
    assert combine_qrels(files, "majority").undecided == {"q": {"a", "b"}}
    assert combine_qrels(files, "mean").grades == {"q": {"a": 1.5, "b": 0.5}}


def test_minus_one_is_no_judgment_and_one_file_is_as_it_is():
    assert combine_qrels([judged(a=-1, b=2), judged(a=1, b=-1)]).grades == {"q": {"a": 1, "b": 2}}
    alone = combine_qrels([judged(a=3, b=-1)])
    assert (alone.grades, alone.shared, [*alone.sentences()]) == ({"q": {"a": 3}}, 0, [])


def test_the_sentences_count(tmp_path):
    """Of three documents in both files, two differ; one decides the yes or no of neither."""
    two = combine_qrels([judged(a=1, b=0, c=1), judged(a=1, b=1, c=0)])
    assert [*two.sentences(" (so)")] == [
        "3 documents are judged in several files, 2 of them differently: the majority counts (so).",
        "2 of these have no majority and count as not judged: let one more person judge.",
    ]
    assert [*combine_qrels([judged(a=1), judged(a=1)]).sentences()] == [
        "1 document is judged in several files, each with the same grade everywhere."
    ]
    for name in ("my ana.csv", "bob.csv"):
        (tmp_path / name).touch()
    files = [Qrels({"q": {"a": 1}}, source=str(tmp_path / name)) for name in ("my ana.csv", "bob.csv")]
    *_, last = combine_qrels([*files, judged(a=0)]).sentences()
    assert last.startswith("1 document"), "a source without a file: no command can be given"
    *_, last = combine_qrels([files[0], Qrels({"q": {"a": 0}}, source=files[1].source)]).sentences()
    assert last == f"How far the files agree: neraca agree '{tmp_path}/my ana.csv' {tmp_path}/bob.csv"
