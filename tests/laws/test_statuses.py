"""Laws of the statuses of answers: a failure of the system is an empty answer, a failure of ours says nothing."""

import asyncio
import math
from pathlib import Path

import pytest
from builders import make_answer, make_item, make_run, make_scorable

from neraca import judge, read_dataset, score
from neraca.comparisons.preference_votes import Votes
from neraca.errors import NotAsked, TargetError
from neraca.judges.outcome import Outcome
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.people.rating_task import RatingTasks
from neraca.records import ANSWER_STATUSES, FAILED, LEFT_OUT, REPLIED, Answer, Hit, Item
from neraca.reports.sentences.notes import notes
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.scores.score_parquet import score_parquet
from neraca.scores.sources.paths import score_paths
from neraca.scores.sources.text_table import TextTable
from neraca.targets.target import Conversation

ITEMS = [
    make_item(name, references=("two floors",), relevant={"a": 1}, expects="results", expected_calls=())
    for name in "1234"
]
METRICS = "nDCG@2 Success P(empty=correct)@2 TokenRecall ROUGE-L ExactMatch Words ToolCallAccuracy QuerySuccess"


def answers_of(status: str, text: str = "two floors") -> list[Answer]:
    """Four answers; the last has this status."""
    first, second, third = make_answer("a", "1", text="two"), make_answer("b", "2"), make_answer("", "3", text="x")
    return [first, second, third, make_answer("a", "4", text=text, status=status, calls=({"name": "f"},))]


def test_every_status_has_one_meaning():
    assert set(ANSWER_STATUSES) == FAILED | set(LEFT_OUT) | {"complete"}
    assert not FAILED & (set(LEFT_OUT) | REPLIED)
    assert {status: Answer(item="1", status=status).left_out for status in LEFT_OUT} == dict(LEFT_OUT)


@pytest.mark.parametrize("status", sorted(FAILED))
def test_a_failed_answer_is_an_empty_one_whatever_arrived_before_it_failed(tmp_path, status):
    said = make_run(tmp_path / "said", ITEMS, answers_of(status))
    empty = make_run(tmp_path / "empty", ITEMS, [*answers_of(status)[:3], Answer(item="4", status=status)])
    scores = score([said, empty], METRICS)
    for metric in scores.metrics:
        first, second = (scores[str(metric)][run.name] for run in scores.runs)
        assert first == second, metric
        assert scores.runs[0].counts[str(metric)].why[3] == "", metric


@pytest.mark.parametrize("status", LEFT_OUT)
def test_an_answer_that_is_left_out_changes_no_mean_and_is_counted(tmp_path, status):
    run = make_run(tmp_path / "run", ITEMS, answers_of(status))
    without = make_run(tmp_path / "without", ITEMS[:3], answers_of(status)[:3])
    scores, expected = score([run], METRICS), score([without], METRICS)
    for metric in map(str, scores.metrics):
        assert scores[metric]["run"] == expected[metric]["without"], metric
        assert scores.runs[0].counts[metric].why[3] == LEFT_OUT[status], metric
    more = [row.unscored - before.unscored for row, before in zip(scores.overall(), expected.overall(), strict=True)]
    assert set(more) == {1}
    assert any(LEFT_OUT[status] in sentence for sentence in notes(scores))


@pytest.mark.parametrize("status", LEFT_OUT)
def test_rows_of_a_table_follow_the_same_rule(tmp_path, status):
    import polars as pl

    rows = [
        {"query": "?", "relevant": '{"a": 1}', "hits": '["a"]', "status": word}
        for word in ("complete", status, "error")
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    scored = score_parquet(tmp_path / "rows.parquet", "Success", tmp_path / "out")
    (row,) = scored.overall()
    assert (row.value, row.n, row.unscored) == (0.5, 2, 1)


TABLE = [
    "query,ground_truth,actual_response,status,tema",
    "a,two floors,two floors,complete,x",
    "b,two floors,two,timeout,x",
    "c,two floors,two floors,suspect,x",
    "d,two floors,two floors,not_asked,x",
]


def test_a_table_that_the_browser_wrote_is_read_by_the_same_rule(tmp_path):
    (tmp_path / "rows.csv").write_text("\n".join(TABLE))
    for scores in (score_paths([tmp_path / "rows.csv"], "TokenRecall"), TextTable(path=tmp_path / "rows.csv").score()):
        (row,) = (row for row in scores.overall() if row.metric == "TokenRecall")
        assert (row.value, row.n, row.unscored) == (0.5, 2, 2)
        said = list(notes(scores))
        assert any("1 of 4 answers failed (1 timeout)" in sentence for sentence in said)
        assert all(any(why in sentence for sentence in said) for why in LEFT_OUT.values())
    scored = score_parquet(tmp_path / "rows.csv", "TokenRecall", tmp_path / "out")
    assert [(row.value, row.n, row.unscored) for row in scored.overall()] == [(0.5, 2, 2)]


def test_beside_several_systems_a_status_belongs_to_the_response_that_it_names(tmp_path):
    rows = ["ground_truth,old,old_status,new", "two,two,complete,two", "two,two,error,two", "two,two,suspect,"]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    scores = TextTable(path=tmp_path / "rows.csv", responses=["old", "new"], metrics="ExactMatch").score()
    assert [(row.value, row.n) for row in scores.overall()] == [(0.5, 2), (pytest.approx(2 / 3), 3)]


def test_a_column_called_status_that_holds_something_else_is_left_alone_and_named(tmp_path):
    (tmp_path / "rows.csv").write_text("ground_truth,response,status\ntwo,two,open\ntwo,two,error\n")
    scores = TextTable(path=tmp_path / "rows.csv", metrics="ExactMatch").score()
    assert scores.mean("ExactMatch") == 1
    assert any("column 'status' does not hold the status of answers, but \"open\"" in note for note in notes(scores))


class Reader:
    """A judge that says what it read."""

    by = "rules"

    def judge(self, pairs, session=None):
        for _, answer in pairs:
            yield Outcome(1.0, answer.status).on(answer, "answer", "read", self.by)


def test_nobody_judges_rates_or_compares_an_answer_that_was_not_asked(tmp_path):
    runs = [make_run(tmp_path / status, ITEMS, answers_of(status)) for status in ("not_asked", "complete")]
    judge(runs[0], Reader())
    assert [verdict.item for verdict in runs[0].verdicts()] == ["1", "2", "3"]
    assert [task.query_id for task in RatingTasks.of(runs[:1]).tasks] == ["1", "2", "3"]
    assert Votes.of(runs).pairs == 3


class Flaky:
    """A target whose browser dies at some questions."""

    stateful = False

    def __init__(self, **failures: TargetError) -> None:
        self.failures, self.asked = failures, []

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        self.asked.append(item.id)
        if item.id in self.failures:
            raise self.failures[item.id]
        return Answer(item=item.id, text=f"yes, after {len(conversation.turns)}")

    async def close(self) -> None:
        """Nothing to give back."""


def go(run: Run, target: Flaky, **options) -> int:
    with run.writing():
        return asyncio.run(ask_all(run, target, AskOptions(retries=0, **options)))


def test_the_next_start_asks_again_what_was_not_asked_and_nothing_else(tmp_path: Path):
    (tmp_path / "q.csv").write_text("id,query,session\na,A,s\nb,B,s\nc,C,s\nd,D,\ne,E,\n")
    run = Run.create(tmp_path / "run", read_dataset(tmp_path / "q.csv"), {"kind": "test"})
    missing = go(run, Flaky(b=NotAsked("the driver died"), d=TargetError("HTTP 500")))
    statuses = {name: status for (name, _), status in run.statuses().items()}
    assert statuses == {"a": "complete", "b": "not_asked", "c": "complete", "d": "error", "e": "complete"}
    assert (missing, run.missing(), run.unanswered(), run.manifest.ended) == (1, 1, 2, "")
    assert run.answers()["b", 0].error == "the driver died"
    again = Flaky()
    assert go(run, again) == 0
    assert again.asked == ["b", "c"]  # c builds on b
    assert run.answers()["c", 0].text == "yes, after 2"
    assert (run.unanswered(), run.manifest.statuses) == (1, {"complete": 4, "error": 1})
    last = Flaky()
    go(run, last, retry_failed=True)
    assert last.asked == ["d"]


def test_a_conversation_that_is_rebuilt_keeps_its_answers_if_the_browser_dies(tmp_path: Path):
    (tmp_path / "q.csv").write_text("id,query,session\na,A,s\nb,B,s\n")
    run = Run.create(tmp_path / "run", read_dataset(tmp_path / "q.csv"), {"kind": "test"})
    go(run, Flaky(b=NotAsked("died")))
    target = Flaky(a=NotAsked("died"), b=NotAsked("died"))
    target.stateful = True
    go(run, target)
    assert {name: answer.status for (name, _), answer in run.answers().items()} == {"a": "complete", "b": "not_asked"}


def test_the_metric_of_a_single_answer_says_why_it_is_left_out():
    part = make_scorable([(ITEMS[0], Answer(item="1", status="not_asked", hits=(Hit(id="a"),)))])
    for metric in Metric.several(METRICS):
        counts = score_metric(metric, part)
        assert math.isnan(counts.rows[0].sum()), metric
        assert list(counts.why) == [LEFT_OUT["not_asked"]], metric
