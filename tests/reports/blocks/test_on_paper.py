"""Blocks on pages of paper: a long list shows its first sentences, and goes on after everything else."""

from neraca.reports.blocks.block import Heading, Sentences, on_paper
from neraca.result import Table

TABLE = Table(("run", "value"), [("a", "1")])


def test_a_long_list_goes_on_at_the_end_and_no_sentence_is_lost():
    cautions = Sentences([f"Caution {n}." for n in range(20)], title="Before you trust it", first=2)
    first, table, heading, others = on_paper([cautions, TABLE])
    assert table is TABLE
    assert first.sentences[:5] == tuple(cautions.sentences[:5])
    assert first.sentences[5] == "15 more stand at the end: Before you trust it, continued."
    assert heading == Heading("Before you trust it, continued")
    assert [*first.sentences[:5], *others.sentences] == cautions.sentences
    assert (others.title, others.kind) == ("", "list")


def test_a_list_of_eight_and_one_that_no_page_folds_stay_whole():
    short = Sentences([f"Caution {n}." for n in range(8)], title="Before you trust it", first=2)
    whole = Sentences([f"Step {n}." for n in range(20)])
    assert [*on_paper([short, whole])] == [short, whole]
