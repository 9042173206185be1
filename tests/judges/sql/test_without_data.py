"""The judge of SQL without a database, with a model that is a script."""

import pytest
from builders import make_run
from judges.scripted_model import Script, data_of

from neraca.errors import SpecError
from neraca.judges.judge import judge as let_judge
from neraca.judges.judge import make_judge
from neraca.judges.sql.sql_judge import SqlJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item
from neraca.scores.score import score

EXPECTED = "SELECT id FROM house WHERE rooms > 2"
TEXTS = {
    "spelt": "```sql\nselect h.ID as n from House h where 2 < h.rooms\n```",
    "other": "SELECT id FROM house WHERE rooms >= 3",
    "none": "",
    "prose": "I cannot help with that.",
}


@pytest.fixture
def run(tmp_path):
    items = [Item(id=name, query="Which?", references=(EXPECTED,)) for name in TEXTS]
    items += [Item(id="unknown", query="Which?"), Item(id="failed", query="Which?", references=(EXPECTED,))]
    answers = [Answer(item=name, text=text) for name, text in TEXTS.items()]
    answers += [Answer(item="unknown", text=EXPECTED), Answer(item="failed", status="error")]
    return make_run(tmp_path / "run", items, answers)


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def verdicts(run):
    return {v.item: v for v in run.verdicts()}


def test_without_a_model_what_is_written_differently_is_undecided_with_a_remedy(run, session):
    done = let_judge(run, "sql", {}, session=session)
    found = verdicts(run)
    assert {name: v.value for name, v in found.items()} == {
        "spelt": 1,
        "other": None,
        "none": 0,
        "prose": None,
        "unknown": None,
        "failed": 0,
    }
    assert {(v.by, v.aspect, v.about) for v in found.values()} == {("sqlglot", "sql_equivalent", "answer")}
    assert "name a database to run both on, or a model" in found["other"].why
    assert "no expected query as its reference" in found["unknown"].why
    assert found["failed"].why == "the target failed (error)"
    assert done.tally.incomplete


def test_a_model_decides_only_what_is_left_and_all_verdicts_are_its(run, session):
    script = Script(lambda prompt, repeat: {"reason": "3 is above 2", "yes": "rooms >= 3" in data_of(prompt)["query"]})
    let_judge(run, SqlJudge({"model": "test:script", "dialect": "sqlite"}, chat=script), session=session)
    found = verdicts(run)
    assert {name: v.value for name, v in found.items()} == {
        "spelt": 1,
        "other": 1,
        "none": 0,
        "prose": 0,
        "unknown": None,
        "failed": 0,
    }
    assert {v.by.partition("#")[0] for v in found.values()} == {"llm:test:script"}
    assert found["other"].why == "3 is above 2"
    assert "nothing was run" in found["spelt"].why
    asked = [data_of(prompt) for prompt in script.prompts]
    assert {one["query"] for one in asked} == {TEXTS["other"], TEXTS["prose"]}
    assert asked[0] | {"query": ""} == {"question": "Which?", "expected": [EXPECTED], "query": "", "dialect": "sqlite"}


def test_a_model_that_is_asked_later_comes_before_what_the_writing_said(run, session):
    let_judge(run, "sql", {}, session=session)
    assert [one.value for one in score([run], ["SQLEquivalent"]).overall()] == pytest.approx([1 / 3])
    script = Script(lambda prompt, repeat: {"reason": "so", "yes": True})
    let_judge(run, SqlJudge({"model": "test:script"}, chat=script), session=session)
    assert [one.value for one in score([run], ["SQLEquivalent"]).overall()] == pytest.approx([3 / 5])


def test_settings_of_the_model_are_those_of_other_judges(tmp_path):
    with pytest.raises(SpecError, match="repeats is an odd number"):
        make_judge("sql", {"model": "openai:m", "repeats": 2})
    (tmp_path / "sql.md").write_text("---\nname: sql\nversion: 2\nlanguage: en\n---\nMine. {{code}}")
    shipped, own = (make_judge("sql", {"model": "openai:m", **more}).by for more in ({}, {"prompts": str(tmp_path)}))
    assert shipped != own
