"""What a reader must know first: names stay as they are, and nothing is unscored without a reason."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca import report, score
from neraca.records import Answer, Item, Verdict


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
