"""Prompts: the same in every language, replaceable, and closed to the data that they are filled with."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges.scripted_model import data_of

from neraca.errors import InputError, SpecError
from neraca.judges.llm.claims import PROMPTS, AnswerReply
from neraca.judges.llm.prompt import LANGUAGES, SHIPPED, Prompts, language_of, read_examples, read_template
from neraca.records import Item

NAMES = sorted(file.name for file in (SHIPPED / "en").iterdir())
GUESS = AnswerReply(["a"], ["b?"], False)


def shipped(language, name):
    return read_template((SHIPPED / language / name).read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_language_has_the_same(language, name):
    """The same places, the same names of fields and values as often, the same rules, the same version."""
    english, other = shipped("en", name), shipped(language, name)
    assert (other.name, other.version, other.language) == (name.removesuffix(".md"), english.version, language)
    for pattern in (r"\{\{\w+\}\}", r"`[^`]+`", r"^- ", r"^`", r"\n\n", r"\(\w1.*?\)"):
        counts = [sorted(re.findall(pattern, one.text, re.MULTILINE)) for one in (english, other)]
        counts = [[re.sub(r"[\s،,…]+", "", word) for word in found] for found in counts]
        assert counts[0] == counts[1], pattern
    assert ("15" in english.text) == ("15" in other.text)
    assert len(other.text) < 1.5 * len(english.text)


def test_the_languages_are_those_with_a_folder():
    assert sorted(folder.name for folder in SHIPPED.iterdir()) == sorted(LANGUAGES)
    assert all(sorted(f.name for f in (SHIPPED / code).iterdir()) == NAMES for code in LANGUAGES)
    assert {f"{name}.md" for name in PROMPTS} <= set(NAMES)


def test_no_language_is_a_copy_of_another():
    for name in NAMES:
        assert len({shipped(code, name).text for code in LANGUAGES}) == len(LANGUAGES)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_data_come_out_as_they_went_in_and_on_one_line(question, answer):
    data = {"question": question, "answer": answer}
    prompt = Prompts(["claims"]).of("claims", "en").about(data, AnswerReply, GUESS)
    assert data_of(prompt) == data
    assert prompt.user.count("\n") == 2


def test_the_code_follows_from_the_data():
    template = Prompts(["claims"]).of("claims", "en")
    one, same, other = (template.about({"answer": text}, AnswerReply, GUESS) for text in ("a", "a", "b"))
    assert (one.system, one.user) == (same.system, same.user)
    assert one.user.splitlines()[0] != other.user.splitlines()[0]
    assert one.user.splitlines()[0] in one.system
    assert "{{" not in one.system
    assert json.loads(one.user.splitlines()[1]) == {"answer": "a"}


@pytest.mark.parametrize("name", [file.name for file in (SHIPPED / "en").iterdir()])
@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_differ_only_at_their_ends_so_that_a_server_reads_the_instructions_once(name, language):
    template = Prompts([name.removesuffix(".md")]).of(name.removesuffix(".md"), language)
    one, other = (template.about({"answer": text}, AnswerReply, GUESS) for text in ("a", "b"))
    same = next(n for n, letters in enumerate(zip(one.system, other.system, strict=True)) if len(set(letters)) > 1)
    assert "\n\n" not in one.system[same:]
    assert "\n\n\n" not in one.system


def test_letters_are_not_escaped_since_that_would_cost_tokens():
    prompt = Prompts(["claims"]).of("claims", "en").about({"answer": "مرحبا, niño"}, AnswerReply, GUESS)
    assert "مرحبا, niño" in prompt.user


def own(folder, text="Mine. {{code}}", name="claims.md", language="en"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"---\nname: mine\nversion: 7\nlanguage: {language}\n---\n{text}\n")


def test_a_folder_takes_the_place_of_any_prompt(tmp_path):
    own(tmp_path / "es", "Mío. {{code}}")
    prompts = Prompts(PROMPTS, folder=str(tmp_path))
    assert prompts.of("claims", "es").text == "Mío. {{code}}"
    assert prompts.of("claims", "id").text.startswith("Anda")
    own(tmp_path)
    prompts = Prompts(PROMPTS, folder=str(tmp_path))
    assert prompts.of("claims", "id").text == "Mine. {{code}}"
    assert prompts.of("claims", "es").text == "Mío. {{code}}"
    assert prompts.of("context_matrix", "es").text.startswith("Compruebas")


def test_a_folder_may_bring_a_language(tmp_path):
    own(tmp_path / "de", "Meins. {{code}}", language="de")
    prompts = Prompts(PROMPTS, folder=str(tmp_path))
    assert prompts.of("claims", "de").text == "Meins. {{code}}"
    assert prompts.of("context_matrix", "de").language == "en"


def test_one_language_for_all():
    prompts = Prompts(["claims"], language="Indonesian")
    assert {prompts.of("claims", code).language for code in ("en", "es", "", "de")} == {"id"}


def test_examples_stand_where_they_belong(tmp_path):
    file = tmp_path / "examples.md"
    file.write_text("Prices are in rupiah.\n\n# claims\n2 KT means two bedrooms.\n# context_matrix\nM is a billion.\n")
    added = read_examples(file, ["claims", "reference_claims", "context_matrix"])
    assert added == {
        "claims": "Prices are in rupiah.\n\n2 KT means two bedrooms.",
        "reference_claims": "Prices are in rupiah.",
        "context_matrix": "Prices are in rupiah.\n\nM is a billion.",
    }
    prompts = Prompts(["claims"], examples=str(file))
    assert (
        "la respuesta.\n\nPrices are in rupiah.\n\n2 KT means two bedrooms.\n\nEntre" in prompts.of("claims", "es").text
    )
    own(tmp_path / "mine")
    assert Prompts(["claims"], folder=str(tmp_path / "mine"), examples=str(file)).of("claims", "").text == (
        "Mine. {{code}}\n\nPrices are in rupiah.\n\n2 KT means two bedrooms."
    )


def test_examples_for_a_prompt_that_is_not_there(tmp_path):
    file = tmp_path / "examples.md"
    file.write_text("# clams\nx")
    with pytest.raises(InputError, match=r"examples\.md: no prompt is called 'clams'; did you mean claims"):
        Prompts(["claims"], examples=str(file))
    with pytest.raises(InputError, match=r"none\.md: cannot be read: No such file"):
        Prompts(["claims"], examples=str(tmp_path / "none.md"))


def test_the_hash_changes_with_every_word(tmp_path):
    file = tmp_path / "examples.md"
    file.write_text("One.")
    own(tmp_path / "mine")
    made = [
        Prompts(["claims"]),
        Prompts(PROMPTS),
        Prompts(["claims"], language="en"),
        Prompts(["claims"], language="es"),
        Prompts(["claims"], examples=str(file)),
        Prompts(["claims"], folder=str(tmp_path / "mine")),
    ]
    assert len({one.hash for one in made}) == len(made)
    assert Prompts(["claims"]).hash == made[0].hash
    assert re.fullmatch("[0-9a-f]{6}", made[0].hash)


@pytest.mark.parametrize(
    "text, told",
    [
        ("No front matter {{code}}", "begins with front matter"),
        ("---\nname: x\nlanguage: en\n---\n{{code}}", "does not say version"),
        ("---\nname: x\nversion: 1\nlanguage: en\n---\nNo place", r"\{\{code\}\} is missing"),
        ("---\nname: x\nversion: 1\nlanguage: en\n---\n{{code}} {{answer}}", r"\{\{answer\}\} is not known"),
    ],
)
def test_a_file_that_is_no_prompt(text, told):
    with pytest.raises(InputError, match=f"x.md: .*{told}"):
        read_template(text, "x.md")


def test_line_ends_of_windows_are_read():
    assert (
        read_template("---\r\nname: x\r\nversion: 1\r\nlanguage: en\r\n---\r\na\r\n{{code}}", "x").text == "a\n{{code}}"
    )


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        Prompts(["claims"], folder=str(tmp_path / "none"))


def test_a_language_without_prompts():
    with pytest.raises(SpecError, match=r"no prompt 'claims' in 'de'.*--translate"):
        Prompts(["claims"], language="de")


def test_the_language_of_an_item():
    assert language_of(Item(id="q", query="?", tags={"language": "Spanish"})) == "es"
    assert language_of(Item(id="q", query="?")) == ""
    with pytest.raises(SpecError, match="item 'q', tag language"):
        language_of(Item(id="q", query="?", tags={"language": "Elvish"}))
