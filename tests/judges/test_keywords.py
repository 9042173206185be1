"""Judges made with their settings as keywords."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from builders import make_answer, make_run

import neraca
from neraca.errors import SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.llm.claims import ClaimsJudge
from neraca.judges.llm.rubric import RubricJudge
from neraca.judges.llm.yes_no import ValidJudge
from neraca.records import Constraint, Item


def test_keywords_are_the_settings_of_the_table() -> None:
    by_keywords = ClaimsJudge(model="test:script", embed="none", words=100, price=(1, 2))
    assert by_keywords.by == JUDGES.get("claims")({"model": "test:script", "embed": "none"}).by
    criteria = {"1": "bad", "2": "good"}
    assert RubricJudge(model="test:script", name="tone", criteria=criteria).scale == (1, 2)
    assert ValidJudge(model="test:script", repeats=3).by.startswith("llm:test:script#")


def test_an_unknown_keyword_is_named_by_type_checkers_and_by_python() -> None:
    """mypy holds the first half: it warns of a type ignore that ignores nothing."""
    with pytest.raises(SpecError, match="judge claims: no setting 'modle'; did you mean model"):
        ClaimsJudge(modle="test:script")  # type: ignore[call-arg]
    with pytest.raises(SpecError, match="judge claims needs a model"):
        ClaimsJudge(embed="none")


@pytest.mark.parametrize("name", JUDGES.names())
def test_every_judge_shows_its_settings_and_is_at_the_face(name: str) -> None:
    kind = JUDGES.get(name)
    if kind.__module__.startswith("neraca."):
        assert getattr(neraca, kind.__name__) is kind
        assert kind.__name__.endswith("Judge")
        fields = kind.settings_type.__struct_fields__  # type: ignore[attr-defined]
        assert set(inspect.signature(kind).parameters) == set(fields)


def test_a_judge_with_keywords_judges_a_run(tmp_path: Path) -> None:
    item = Item(id="1", query="?", constraints={"floors": Constraint(exact=2)})
    run = make_run(tmp_path / "run", [item], [make_answer("a b")])
    assert neraca.judge(run, neraca.RulesJudge(language="en")).new == 2
