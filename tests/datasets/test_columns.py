import pytest

from neraca.datasets.columns import ALL, BY_LANGUAGE, OF_TEXTS, fold, headings, not_used, recognise
from neraca.errors import InputError

WHERE = "q.csv line 1"


def roles(*columns, **mapping):
    return recognise(columns, mapping, WHERE).roles


@pytest.mark.parametrize(
    "name",
    [
        "query",
        "question",
        "user_input",
        "input",
        "prompt",
        "pertanyaan",
        "pregunta",
        "Question",
        "User Input",
        "user-input",
        "userInput",
        " QUERY ",
    ],
)
def test_every_name_of_the_question(name):
    assert roles(name) == {"query": name}


@pytest.mark.parametrize(
    "role,name",
    [("id", n) for n in ["id", "ID", "query_id", "question_id", "qid", "_id"]]
    + [
        ("references", n)
        for n in ["reference", "references", "ground_truth", "ground_truths", "Ground Truth", "answer"]
    ]
    + [("references", n) for n in ["expected_answer", "expected", "golden_answer", "expected_output", "answers"]]
    + [("session", n) for n in ["session", "session_id", "conversation", "conversation_id", "thread"]]
    + [("expects", n) for n in ["expects", "expected_results"]]
    + [("relevant", n) for n in ["relevant", "relevant_docs", "qrels", "relevant_ids"]]
    + [("constraints", "constraints"), ("expected_calls", "expected_calls"), ("expected_calls", "reference_tool_calls")]
    + [("tags", "tags"), ("extra", "extra")],
)
def test_every_name_of_the_rest(role, name):
    assert roles("query", name) == {"query": "query", role: name}


def test_of_several_names_the_first_of_the_list_is_taken_wherever_it_stands():
    assert roles("user_input", "question", "query_id", "id") == {"query": "question", "id": "id"}
    assert roles("_id", "id", "query") == {"id": "id", "query": "query"}


def test_ragas_answer_is_the_systems_when_there_is_a_ground_truth():
    assert roles("question", "answer", "contexts", "ground_truth") == {
        "query": "question",
        "references": "ground_truth",
    }


def test_two_columns_that_fold_alike_are_ambiguous_until_chosen():
    with pytest.raises(
        InputError, match=r"q.csv line 1: columns 'Question' and 'question' could both be query; rename one$"
    ):
        roles("Question", "question")
    assert roles("Question", "question", query="question") == {"query": "question"}


def test_mapping_goes_before_recognition_and_frees_the_column():
    assert roles("query", "answer", query="answer") == {"query": "answer"}
    assert roles("Frage", "question", query="Frage") == {"query": "Frage"}


def test_an_empty_mapping_turns_recognition_off():
    assert roles("query", "session", session="") == {"query": "query"}


def test_tags_by_prefix_category_and_mapping():
    plan = recognise(
        ("query", "Category", "tag:level", "TAG: Sprache", "Stufe"), {"tag:step": "Stufe", "query": "query"}, WHERE
    )
    assert plan.tags == {"level": "tag:level", "Sprache": "TAG: Sprache", "category": "Category", "step": "Stufe"}
    assert recognise(("query", "Rubrik"), {"category": "Rubrik"}, WHERE).tags == {"category": "Rubrik"}
    assert recognise(("query", "tag:a"), {"tag:a": ""}, WHERE).tags == {}


@pytest.mark.parametrize("columns", [("query", "category", "tag:category"), ("query", "tag:a", "Tag: a")])
def test_one_tag_from_two_columns_is_ambiguous(columns):
    with pytest.raises(InputError, match="could both be"):
        recognise(columns, {}, WHERE)


def test_a_mapped_column_that_is_not_there():
    with pytest.raises(InputError) as told:
        roles("question", "answer", query="Frage")
    assert str(told.value) == ('q.csv line 1: no column "Frage" for query (found: question, answer); name one of these')
    with pytest.raises(InputError, match=r'no column "x" for session \(found: question\)'):
        roles("question", session="x")


def test_no_column_for_the_question():
    with pytest.raises(InputError, match=r"no column for the question \(found: frage\); call it query or question$"):
        roles("frage")
    with pytest.raises(InputError, match=r"\(found: none\)"):
        roles()


def test_an_unknown_role_is_told_with_what_is_near():
    with pytest.raises(InputError, match=r"columns.sesion: there is no such role; did you mean session\?"):
        roles("query", sesion="query")
    with pytest.raises(InputError, match=r"known: id, query.*tag:NAME"):
        roles("query", **{"zzz": "query"})
    with pytest.raises(InputError, match="there is no such role"):
        recognise(("query",), {"tag:": "query"}, WHERE)


def test_fold_keeps_the_first_underscore():
    assert fold("_id") != fold("id")
    assert fold("Query ID") == fold("query-id") == "queryid"


def test_headings():
    assert headings([" a", "b ", "", None], WHERE) == ("a", "b")
    assert headings(["﻿a", 3], WHERE) == ("a", "3")
    with pytest.raises(InputError, match=r"q.csv line 1: column 2 has no name"):
        headings(["a", " ", "c"], WHERE)
    with pytest.raises(InputError, match=r"q.csv line 1: two columns are called 'a'"):
        headings(["a", "b", "a "], WHERE)


@pytest.mark.parametrize(
    "columns",
    [
        ("pertanyaan", "sesi", "kategori", "harapan", "batasan", "jawaban_acuan", "bahasa"),
        ("Pregunta", "Sesión", "Categoría", "espera", "restricciones", "Respuesta esperada", "idioma"),
        ("pregunta", "sesion", "categoria", "espera", "restricciones", "respuesta_esperada", "idioma"),
        ("question", "session", "catégorie", "attend", "contraintes", "réponse attendue", "langue"),
        ("pergunta", "sessão", "categoria", "espera", "restrições", "resposta_esperada", "língua"),
        ("السؤال", "الجلسة", "الفئة", "النتائج المتوقعة", "القيود", "الإجابة المتوقعة", "اللغة"),
    ],
)
def test_headings_in_languages_of_users(columns):
    query, session, category, expects, constraints, references, language = columns
    plan = recognise(columns, {}, WHERE)
    assert plan.roles == {
        "query": query,
        "session": session,
        "expects": expects,
        "constraints": constraints,
        "references": references,
    }
    assert plan.tags == {"category": category, "language": language}
    assert plan.unused(columns) == ()


def test_an_answer_beside_an_expected_one_is_the_systems_in_every_language():
    assert roles("pertanyaan", "jawaban", "kunci_jawaban")["references"] == "kunci_jawaban"
    assert roles("pregunta", "respuesta", "respuesta_esperada")["references"] == "respuesta_esperada"
    assert roles("pertanyaan", "jawaban")["references"] == "jawaban"


def test_a_heading_has_one_role():
    """But for an answer, which is a system's or a good one by what stands beside it."""
    of_questions = [
        (role, name) for role, names in ALL.items() if role not in OF_TEXTS for name in set(map(fold, names))
    ]
    assert len({name for _, name in of_questions}) == len(of_questions)
    assert all({"en"} <= languages.keys() for languages in BY_LANGUAGE.values())


def test_columns_without_a_role_are_named_with_what_may_be_meant():
    plan = recognise(("query", "sesion_id_", "kategory", "price", "tag:level"), {}, WHERE)
    unused = plan.unused(("query", "sesion_id_", "kategory", "price", "tag:level"))
    assert not_used(unused) == (
        "columns not used: sesion_id_, kategory, price; did you mean session for sesion_id_, category for kategory?"
    )
    assert not_used(()) == ""


def test_several_columns_of_references_are_all_kept():
    plan = recognise(["q", "a", "b", "answer"], {"query": "q", "references": ["b", "a"]}, WHERE)
    assert (plan.roles["references"], plan.more_references) == ("b", ("a",))
    assert plan.unused(["q", "a", "b", "answer"]) == ("answer",)


@pytest.mark.parametrize("mapping", [{"query": ["a", "b"]}, {"query": "q", "references": ["a", ""]}])
def test_several_columns_where_that_cannot_be_are_an_error(mapping):
    with pytest.raises(InputError, match="only references may be several"):
        recognise(["q", "a", "b"], mapping, WHERE)


def test_each_of_several_columns_must_be_there():
    with pytest.raises(InputError, match='no column "c"'):
        recognise(["q", "a"], {"query": "q", "references": ["a", "c"]}, WHERE)
