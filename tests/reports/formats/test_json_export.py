"""The report as JSON; that nothing of a page is absent from it is a law (tests/laws/test_reports_as_json.py)."""

import json

import numpy as np

from neraca.comparisons.compare import compare
from neraca.reports.blocks.run_summary import RunSummary
from neraca.reports.formats.json_export import plain, to_json
from neraca.reports.report import report
from neraca.scores.score import score


def test_the_opening_and_each_section_say_where_a_sentence_stands(search_runs):
    scores = score(search_runs(12), "nDCG@10 P@5")
    made = report(scores, compare(scores), sections="method metrics")
    whole = json.loads(to_json(made))
    assert list(whole["sections"]) == ["finding", "metrics", "method"]
    said = {(one["section"], one["at"]): one["text"] for one in whole["sentences"]}
    assert said["finding", "decision.sentence"] == made.decision.sentence
    assert said["finding", "notes.0"] == made.notes[0]
    assert said["method", "method.paragraph"] == made.method.paragraph
    assert said["metrics", "captions.plain"] == "Mean, 95 % interval, questions scored."
    assert {len(row["cells"]) for row in whole["sections"]["metrics"]["metrics"]} == {3}


def test_a_section_without_content_says_why(weighed):
    whole = json.loads(to_json(report(*weighed({"a": [1, 2, None, 4]}))))
    reason = "There is one run. Name two or more, and they are compared."
    assert whole["sections"]["differences"] == {"heading": "Differences between runs", "nothing": reason}
    assert {"section": "differences", "at": "nothing", "text": reason} in whole["sentences"]
    values = [row["value"] for row in whole["tables"]["questions"]]
    assert values == [1, 2, None, 4]


def test_texts_of_others_are_no_sentences_of_the_report_and_steer_nothing(hostile_scores):
    text = to_json(report(*hostile_scores))
    assert "\x1b" not in text
    assert "\u202e" not in text
    whole = json.loads(text)
    assert not any("evil.example" in one["text"] for one in whole["sentences"] if one["section"] == "questions")


def test_the_same_report_gives_the_same_bytes(search_runs):
    scores = score(search_runs(6), "P@5")
    assert to_json(report(scores, compare(scores))) == to_json(report(scores, compare(scores)))


def test_a_record_has_its_derived_values_and_no_number_that_json_lacks():
    card = plain(RunSummary("new", 3, statuses=(("timeout", 2), ("complete", 1)), median=float("inf")))
    assert (card["failed"], card["statuses"], card["median"]) == (2, [["timeout", 2], ["complete", 1]], None)
    assert plain([np.float64("nan"), np.arange(2), {"a": True}]) == [None, [0, 1], {"a": True}]
    assert plain(1 + 2j) == "(1+2j)"
