"""The metrics that a page of questions offers: those that were scored, and those that need no more data than these."""

from builders import make_answer, make_item, make_run, make_verdict

from neraca.web.measures import FURTHER, LISTED, Measures, offered_metrics, score_for_list


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


def test_the_list_of_runs_scores_the_usual_metrics_of_rankings_too_unless_metrics_were_named(tmp_path):
    """Two relevant documents, at ranks 1 and 3: AP = (1 + 2/3) / 2."""
    verdicts = [make_verdict(hit, "relevance", int(hit in "ac"), "qrels") for hit in "abc"]
    run = make_run(tmp_path / "run", [make_item("1", expects="results")], [make_answer("a b c")], verdicts)
    scores = score_for_list(Measures(), [run])
    assert {*LISTED} <= {str(metric) for metric in scores.metrics}
    assert abs(scores.runs[0].total("AP") - 5 / 6) < 1e-12
    assert Measures().primary_of(scores) == Measures().primary_of(Measures().score([run]))
    assert [str(metric) for metric in score_for_list(Measures(("P@5",)), [run]).metrics] == ["P@5"]
