"""Records that stay in their file: the same as those in memory, and nothing is read from another file by mistake."""

from pathlib import Path

import msgspec
import pytest
from builders import make_run
from drawn import to_markdown

from neraca.comparisons.compare import compare
from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, RunError
from neraca.judges.judge import judge
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.reports.report import report
from neraca.runs.answers import Answered
from neraca.runs.run import Run
from neraca.runs.stored_records import StoredRecords
from neraca.scores.score import score
from neraca.verdicts.relevance import Relevance

ITEMS = tuple(
    Item(
        id=f"q{n}",
        query=f"a house of {n} rooms",
        constraints={"rooms": Constraint(min=n)},
        tags={"kind": "ab"[n % 2]} if n else {},
        session="s" if n in (3, 4) else None,
        references=("a house",),
    )
    for n in range(9)
)


def answered(name: str, more: int) -> list[Answer]:
    return [
        Answer(
            item=item.id,
            text=f"{name}: a house",
            hits=tuple(Hit(id=f"h{n}-{more}-{hit}", fields={"rooms": n + hit - more}) for hit in range(3)),
            status="timeout" if n == 7 else "complete",
            seconds=n / 10,
        )
        for n, item in enumerate(ITEMS)
        if n != 5
    ]


@pytest.fixture
def stored(monkeypatch):
    """Let each record stay in its file from now on, and little relevance be settled at once."""

    def begin() -> None:
        monkeypatch.setattr("neraca.runs.stored_records.LARGE", -1)
        monkeypatch.setattr("neraca.runs.stored_records.CHUNK", 2)
        monkeypatch.setattr("neraca.verdicts.relevance.BLOCK", 5)
        monkeypatch.setattr("neraca.verdicts.answer_verdicts.BLOCK", 5)

    return begin


def test_scores_comparisons_and_reports_are_the_same(tmp_path: Path, stored) -> None:
    for name, more in (("old", 1), ("new", 0)):
        judge(make_run(tmp_path / name, ITEMS, answered(name, more)), "rules", {"language": "en"})

    def everything() -> str:
        metrics = "P@2 nDCG@3 PassRatio Success ROUGE-L Coverage"
        scores = score([Run(tmp_path / "old"), Run(tmp_path / "new")], metrics)
        return f"{scores.relevance}\n{to_markdown(report(scores, compare(scores)))}"

    in_memory = everything()
    stored()
    assert isinstance(Run(tmp_path / "old").items, StoredRecords)
    assert everything() == in_memory


def test_judging_is_the_same_and_goes_on_where_it_was(tmp_path: Path, stored) -> None:
    run = make_run(tmp_path / "memory", ITEMS, answered("old", 1))
    judge(run, "rules", {"language": "en"})
    stored()
    other = make_run(tmp_path / "stored", ITEMS, answered("old", 1))
    assert judge(other, "rules", {"language": "en"}).new == len(run.verdicts())
    assert [v.why for v in other.verdicts()] == [v.why for v in run.verdicts()]
    assert judge(other, "rules", {"language": "en"}).new == 0


def test_the_newest_answer_counts_in_the_place_of_the_first(tmp_path: Path, stored) -> None:
    stored()
    again = Answer(item="q0", text="later", hits=(Hit(id="x"),))
    answers = make_run(tmp_path / "run", ITEMS, [*answered("old", 1), again]).answers()
    assert answers["q0", 0] == again
    assert next(iter(answers)) == ("q0", 0)
    assert next(iter(answers.values())) == again
    assert dict(answers.items()) == {key: answers[key] for key in answers}
    assert (len(answers), ("q5", 0) in answers, answers.get(("q5", 0))) == (8, False, None)
    assert [one.item for one in answers.take([("q3", 0), ("q1", 0)])] == ["q3", "q1"]
    assert list(answers.statuses).count("timeout") == 1
    pairs = Answered(ITEMS[:3], answers.take((item.id, 0) for item in ITEMS[:3]))
    assert [(item.id, answer.item) for item, answer in pairs[1:]] == [("q1", "q1"), ("q2", "q2")]
    assert pairs[2] == (ITEMS[2], answers["q2", 0])


def test_a_torn_last_answer_is_passed_over_and_a_broken_one_is_named(tmp_path: Path, stored) -> None:
    stored()
    run = make_run(tmp_path / "run", ITEMS, answered("old", 1))
    file = run.path / "answers.jsonl"
    with file.open("ab") as end:
        end.write(b'{"v":1,"item":"q5","te')
    assert len(run.answers()) == 8
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], b'{"v":1,"item":\n', *lines[3:8]]))
    with pytest.raises(InputError, match=r"answers\.jsonl line 3: not a whole Answer"):
        run.answers()
    file.write_bytes(b"".join([*lines[:2], b'{"v":1,"item":"q2","hits":"none"}\n', *lines[3:8]]))
    answers = run.answers()
    with pytest.raises(InputError, match=r"answers\.jsonl, at byte \d+: not a whole Answer"):
        list(answers.values())


def test_questions_that_were_written_anew_meanwhile_are_not_mixed(tmp_path: Path, stored) -> None:
    stored()
    run = make_run(tmp_path / "run", ITEMS, answered("old", 1))
    reader = Run(run.path)
    assert reader.items[0] == ITEMS[0]
    corrected = [msgspec.structs.replace(item, expects="none") for item in ITEMS]
    Run.create(run.path, Dataset(tuple(corrected), "questions.csv"), {"kind": "test"})
    with pytest.raises(RunError, match=r"items\.jsonl: somebody wrote it anew while it was read; start again"):
        list(reader.items)


def test_relevance_settled_item_by_item_is_that_of_all(stored) -> None:
    def grade_of(item: Item, hit: str, by: str, value: float, at: str) -> Verdict:
        return Verdict(item=item.id, about=f"hit:{hit}", aspect="relevance", by=by, value=value, at=at)

    tables = [
        [
            grade_of(item, hit, by, (n + len(by)) % 3, "")
            for n, item in enumerate(ITEMS)
            for hit in "ab"
            for by in ("llm:m", "human:Ana")
        ],
        [grade_of(item, "b", "human:Bo", 2, "2026-01-01T00:00:00Z") for item in ITEMS[2:]],
    ]
    whole = Relevance.of(ITEMS, tables)
    stored()
    parts = Relevance.of(ITEMS, tables)
    assert (parts.grades, parts.used, parts.top) == (whole.grades, whole.used, whole.top)
    assert len(parts.grades) == 9
