"""The metrics that a page of questions offers: those that were scored, and those that need no more data than these."""

from neraca.web.measures import FURTHER, offered_metrics


def offered(*scored):
    return [option.value for option in offered_metrics(scored)]


def test_where_hits_have_grades_every_usual_metric_of_rankings_is_offered_after_the_scored_ones():
    names = offered("P@5", "nDCG(empty=correct)@10")
    assert names[:2] == ["P@5", "nDCG(empty=correct)@10"]
    assert {"nDCG@10", "AP", "RR", "R@100", "RBP", "ERR@10", "Bpref"} <= {*names}
    assert len(names) == len({*names})
    assert "ROUGE-L" not in names


def test_where_answers_have_references_the_metrics_of_texts_are_offered_and_no_others():
    assert {"TokenRecall", "ROUGE-L", "chrF"} <= {*offered("TokenF1")}
    assert "AP" not in offered("TokenF1")
    assert {*offered("AP", "TokenF1")} == {*FURTHER}


def test_verdicts_alone_offer_nothing_more():
    assert offered("Faithfulness") == ["Faithfulness"]
