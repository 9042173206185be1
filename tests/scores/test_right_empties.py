"""Right empty answers counted beside junk, on runs made by hand."""

import numpy as np
from builders import make_answer, make_item, make_run, make_scores

from neraca.metrics.metric import Metric
from neraca.scores.right_empties import count_right_empties, scored_in_one, settled_by
from neraca.scores.score import score


def test_a_right_empty_answer_counts_1_and_junk_0(tmp_path):
    items = [make_item(str(n), relevant={"d": 1.0} if n < 2 else {}, session=str(n // 2)) for n in range(4)]
    for name, answers in (("quiet", ["d", "x", "", ""]), ("loud", ["d", "d", "x", ""])):
        make_run(tmp_path / name, items, [make_answer(docs, str(n)) for n, docs in enumerate(answers)])
    metric = Metric.of("P@1")
    scores = score([tmp_path / "quiet", tmp_path / "loud"], metric, unit="session")
    assert scored_in_one(scores.runs, metric).tolist() == [False, False, True, False]
    counting = count_right_empties(scores, metric)
    assert [counting.values("P(empty=correct)@1", run).tolist() for run in ("quiet", "loud")] == [
        [1, 0, 1, 1],
        [1, 1, 0, 1],
    ]
    assert counting.unit == scores.unit
    assert settled_by(counting, scores.runs, metric).tolist() == [False, False, True, False]


def test_values_without_answers_and_metrics_without_empties_have_no_such_form():
    scores = make_scores({"old": {"RR": [1, np.nan]}, "new": {"RR": [1, 0]}})
    assert count_right_empties(scores, Metric.of("RR")) is None
    assert count_right_empties(scores, Metric.of("Words")) is None
