"""What a reader must know first: names stay as they are, and nothing is unscored without a reason."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca import compare, report, score, trec
from neraca.records import Answer, Item, Verdict
from neraca.reports.sentences.cautions import fold


@pytest.fixture
def cautions(tmp_path):
    """The cautions of the report of one run."""

    def make(items, answers, verdicts, metrics):
        return list(report(score([make_run(tmp_path / "run", items, answers, verdicts)], metrics)).notes)

    return make


def test_the_name_of_a_metric_keeps_its_letters_and_one_hit_is_undecided(cautions):
    level = [make_verdict("b", "relevance", n, f"human:{name}") for n, name in enumerate(("ana", "budi"))]
    verdicts = [make_verdict("a", "relevance", 1, "human:ana"), *level]
    notes = cautions([make_item("1", expects="results")], [make_answer("b a")], verdicts, "nDCG@10")
    assert any(note.startswith("nDCG@10 of run is 0.631 to 1.000 if these are decided") for note in notes)
    assert any(note.startswith("run: 1 of 2 hits is undecided;") for note in notes)


def test_what_is_unscored_has_a_reason_also_where_answers_have_none(cautions):
    """F1 of refusals counts no answer that is rightly given."""
    items = [Item(id=str(n), query="?", expects=expects) for n, expects in enumerate(("results", "none"))]
    declines = [
        Verdict(item=str(n), about="answer", aspect="declines", by="human:ana", value=float(n)) for n in range(2)
    ]
    notes = cautions(items, [Answer(item=str(n), text="so") for n in range(2)], declines, "RefusalF1")
    (note,) = [note for note in notes if note.startswith("RefusalF1 is unscored on 1 of 2")]
    assert note.endswith("because: none of their outcomes enters this ratio.")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Likewise, with other numbers: r1 2; r2 3; r3 4."), ("id", "dengan angka lain: r1 2")],
)
def test_what_runs_share_but_for_its_numbers_is_one_sentence(tmp_path, language, words):
    """Of five hits of each run, 1, 2, 3 and 4 were judged by nobody: the five that all share are said once."""
    items = [make_item("1", expects="results")]
    runs = [
        make_run(
            tmp_path / f"r{n}",
            items,
            [make_answer(" ".join(f"{hit}{n}" for hit in "abcde"))],
            [make_verdict(f"{hit}{n}", "relevance", 1, "human:ana") for hit in "abcde"[n + 1 :]],
        )
        for n in range(4)
    ]
    notes = [note for note in report(score(runs, "P@5"), language=language).notes if words in note]
    assert len(notes) == 1
    assert notes[0].startswith("r0: 1 "), notes[0]


def test_two_runs_keep_a_sentence_each():
    both = ["a: 3 of 9 hits fail.", "b: 4 of 9 hits fail."]
    assert fold(both, ["a", "b"]) == both
    assert fold([*both, "b.2: 4 of 8 hits fail."], ["a", "b", "b.2"]) == [
        "a: 3 of 9 hits fail. Likewise, with other numbers: b 4, 9; b.2 4, 8."
    ]


@pytest.mark.parametrize("unjudged", [False, True])
def test_where_raters_differ_another_rater_is_advised_and_a_pool_only_for_what_nobody_judged(tmp_path, unjudged):
    """Of two runs, one returns a document on which two raters differ: it is undecided, not unjudged."""
    level = [make_verdict("b", "relevance", n, f"human:{name}") for n, name in enumerate(("ana", "budi"))]
    verdicts = [make_verdict("a", "relevance", 1, "human:ana"), *level]
    answers = {"sure": "a", "open": "a b c" if unjudged else "a b"}
    item = make_item("1", expects="results")
    runs = [make_run(tmp_path / name, [item], [make_answer(hits)], verdicts) for name, hits in answers.items()]
    (caution,) = [note for note in report(score(runs, "P@3")).notes if note.startswith("Judged@3 is ")]
    assert "raters differ on 1 hit: let another rater decide these (neraca agree shows who differs)" in caution
    assert ("(neraca pool)" in caution) is unjudged


def test_what_doubts_the_comparison_comes_before_a_missing_topic_and_formalities_last():
    """Half of what `new` returns was judged by nobody; `old` lacks a topic, and nobody declared a primary metric."""
    judged = {str(n): {"good": 1, "bad": 0} for n in range(30)}
    old = {query: {"good": 2.0, "bad": 1.0} for query in judged if query != "7"}
    new = {query: {"good": 2.0, "unjudged": 1.0} for query in judged}
    scores = trec(judged, {"new": new, "old": old}, ["P@2", "P@1"])
    gravest, *others, formality = report(scores, compare(scores, correction="none")).notes
    assert gravest.startswith("Judged@2 is 0.500 (new) and 1.000 (old): ")
    assert [note for note in others if note.startswith("old: no document for 1 of 30 judged queries (7)")]
    assert formality == "No primary metric was declared; the first one scored, P@2, stands for it here."


def test_uncorrected_p_values_are_named_before_how_things_count():
    judged = {str(n): {"good": 1, "bad": 0} for n in range(30)}
    runs = {name: {query: {"good": 2.0, "bad": 1.0} for query in judged if query != name} for name in "789"}
    scores = trec(judged, runs, ["P@2"])
    uncorrected, *others = report(scores, compare(scores, correction="none")).notes
    assert uncorrected == "The p-values of 3 comparisons are not corrected: some may be low by chance."
    assert "7, 8 and 9" in others[0] or others[0].startswith("7: no document for 1 of 30")
