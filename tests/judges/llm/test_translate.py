"""Prompts in one more language, written once."""

import pytest
from judges.scripted_model import Script, data_of

from neraca.errors import ModelError, SpecError
from neraca.judges.llm.prompt import SHIPPED, Prompts
from neraca.judges.llm.translate import translate
from neraca.models.chat import ChatSettings
from neraca.models.model_session import ModelSession

NAMES = sorted(file.name for file in (SHIPPED / "en").iterdir())
MODEL = ChatSettings(model="test:script")


def german(prompt, repeat):
    return {"text": data_of(prompt).replace("You ", "Sie ")}


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def test_a_judge_can_use_what_was_translated(session, tmp_path):
    script = Script(german)
    files = translate("German", tmp_path / "mine", MODEL, session, chat=script)
    assert [file.relative_to(tmp_path / "mine").as_posix() for file in files] == [f"de/{name}" for name in NAMES]
    prompts = Prompts(["claims"], language="de", folder=str(tmp_path / "mine"))
    assert prompts.of("claims", "").text.startswith("Sie take an answer apart")
    assert "translated by: test:script" in files[0].read_text()
    assert "to German" in script.prompts[0].system


def test_what_is_there_stays(session, tmp_path):
    place = tmp_path / "de"
    place.mkdir()
    (place / "claims.md").write_text("mine")
    script = Script(german)
    files = translate("de", tmp_path, MODEL, session, chat=script)
    assert place / "claims.md" not in files
    assert (place / "claims.md").read_text() == "mine"
    assert script.calls == len(NAMES) - 1


@pytest.mark.parametrize("lost", ["{{code}}", "{{examples}}", "`claims`"])
def test_a_translation_that_loses_a_place_or_a_name_is_refused(session, tmp_path, lost):
    loses = Script(lambda prompt, repeat: {"text": data_of(prompt).replace(lost, "")})
    with pytest.raises(ModelError, match="places in braces and the words in backticks differ"):
        translate("de", tmp_path / "mine", MODEL, session, chat=loses)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("language", ["es", "Indonesian", ""])
def test_a_language_that_has_prompts(session, tmp_path, language):
    with pytest.raises(SpecError, match="these have prompts already"):
        translate(language, tmp_path, MODEL, session, chat=Script(german))


def test_a_dry_run_writes_nothing(tmp_path):
    with ModelSession(tmp_path / "models.sqlite", dry_run=True) as session:
        assert translate("de", tmp_path / "mine", MODEL, session, chat=Script(german)) == []
    assert not (tmp_path / "mine").exists()
