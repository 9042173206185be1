import pytest

from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Hit
from neraca.targets.hits import HitShape
from neraca.targets.response_parser import ResponseParser, Shape, answer_from


def test_text_and_answers(item, talk):
    assert answer_from("Ada.", item, talk, seconds=2.0) == Answer(item="q1", trial=2, text="Ada.", seconds=2.0)
    brought = Answer(item="other", trial=9, text="x", seconds=0.5, key="k", status="suspect", note="n", at="2026")
    assert answer_from(brought, item, talk, seconds=2.0) == Answer(
        item="q1", trial=2, text="x", seconds=0.5, status="suspect", note="n", at="2026"
    )
    assert answer_from(Answer(item="", text="x"), item, talk, seconds=2.0).seconds == 2.0


@pytest.mark.parametrize(
    "reply, text",
    [
        ({"response": "a", "answer": "b"}, "a"),
        ({"response": None, "answer": "b"}, "b"),
        ({"answer": ""}, ""),
        ({"result": True, "text": "a"}, "a"),
        ({"message": {"content": "a"}}, "a"),
        ({"choices": [{"message": {"role": "assistant", "content": "a"}}]}, "a"),
        ({"answer": None, "text": ""}, ""),
        ({"answer": None, "hits": []}, ""),
        ({"choices": [{"message": {"content": None, "tool_calls": [{"name": "search"}]}}]}, ""),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}, {"text": "b"}]}}]}, "ab"),
        ({"content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "a"}]}, "a"),
        ({"output": [{"type": "reasoning"}, {"content": [{"type": "output_text", "text": "a"}]}]}, "a"),
        ({"output": [{"content": [{"type": "output_text", "text": "a"}]}]}, "a"),
    ],
)
def test_the_usual_names_of_text(item, talk, reply, text):
    assert answer_from(reply, item, talk).text == text


def test_hits_of_every_shape(item, talk):
    reply = {
        "answer": "Ada.",
        "results": [
            "Rumah di Medan",
            {"listing_id": 12, "title": "Ruko", "score": "0.5", "price": 3},
            {"_id": "e", "_score": 2, "_source": {"content": "isi", "city": "Medan", "_id": "inner"}},
            {"page_content": "dok", "metadata": {"id": "m1", "source": "a.pdf"}},
            {"id": "full", "score": None, "fields": {"title": "T"}},
            {"text": "Rumah di Medan", "score": 0.1},
            {"id": True, "url": "http://a", "score": "high", "similarity": float("nan"), "name": "N"},
        ],
    }
    one, two, three, four, five, six, seven = answer_from(reply, item, talk).hits
    assert one == Hit(id=one.id, text="Rumah di Medan")
    assert one.id.startswith("text:")
    assert two == Hit(id="12", text="Ruko", score=0.5, fields={"listing_id": 12, "title": "Ruko", "price": 3})
    assert three == Hit(id="e", text="isi", score=2.0, fields={"city": "Medan"})
    assert four == Hit(id="m1", text="dok", fields={"source": "a.pdf"})
    assert five == Hit(id="full", fields={"title": "T"})
    assert six == Hit(id=one.id, text="Rumah di Medan", score=0.1)
    assert (seven.id, seven.text, seven.score) == ("http://a", "N", None)


def test_a_plain_word_is_the_id_of_a_document_and_a_passage_is_not(item, talk):
    one, other, url, long = answer_from(["d1", " d2\n", "http://a/b?c=1", "x" * 201], item, talk).hits
    assert (one, other) == (Hit(id="d1", text="d1"), Hit(id="d2", text=" d2\n"))
    assert url.id == "http://a/b?c=1"
    assert long.id.startswith("text:")
    assert answer_from([{"text": "d1"}], item, talk).hits == (one,)  # the same passage has the same id


def test_a_hit_without_id_and_text_is_named_by_its_content(item, talk):
    first, again, other = answer_from([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2}], item, talk).hits
    assert first.id == again.id != other.id


@pytest.mark.parametrize("name", ["hits", "properties", "results", "documents", "contexts", "sources", "matches"])
def test_the_usual_names_of_hits(item, talk, name):
    assert answer_from({name: [{"id": "a"}]}, item, talk).hits == (Hit(id="a"),)


def test_elasticsearch(item, talk):
    reply = {
        "took": 3,
        "hits": {"total": 1, "hits": [{"_index": "i", "_id": "7", "_score": 1.5, "_source": {"text": "t"}}]},
    }
    assert answer_from(reply, item, talk).hits == (Hit(id="7", text="t", score=1.5, fields={"_index": "i"}),)


@pytest.mark.parametrize(
    "reply, problem",
    [
        (None, r"the reply is null \(None\)"),
        ((None, None), r"the reply is null \(None\)"),
        ({"answer": None}, "^answer is null, and there are neither hits nor tool calls"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, "content is null, and there are neither"),
    ],
)
def test_null_is_no_answer(item, talk, reply, problem):
    with pytest.raises(TargetError, match=problem):
        answer_from(reply, item, talk)


def test_a_text_that_may_be_absent_may_be_null(item, talk):
    assert answer_from({"reply": None}, item, talk, ResponseParser(Shape(text="reply?"))).text == ""


def test_hits_alone_a_pair_and_lists(item, talk):
    assert answer_from({"results": None}, item, talk).hits == ()
    assert answer_from([], item, talk) == Answer(item="q1", trial=2)
    assert [hit.text for hit in answer_from(["a", "b"], item, talk).hits] == ["a", "b"]
    pair = answer_from(("Ada.", [{"id": "a"}]), item, talk)
    assert (pair.text, pair.hits) == ("Ada.", (Hit(id="a"),))
    assert answer_from([Hit(id="z")], item, talk).hits == (Hit(id="z"),)


def test_paths_inside_a_hit(item, talk):
    shape = Shape(
        text="data.said",
        hits="data.rows[*].doc",
        hit=HitShape(id="meta.key", text="body.parts[*]", score="rank.s", fields={"price": "meta.price", "no": "x"}),
    )
    row = {"doc": {"id": "wrong", "meta": {"key": 5, "price": 7}, "body": {"parts": ["a", "b"]}, "rank": {"s": 2}}}
    answer = answer_from({"data": {"said": "hi", "rows": [row]}}, item, talk, ResponseParser(shape))
    assert (answer.text, answer.hits) == ("hi", (Hit(id="5", text="ab", score=2.0, fields={"price": 7}),))


def test_a_table_as_fields(item, talk):
    reading = ResponseParser(Shape(hit=HitShape(fields="info")))
    hit = {"id": "a", "info": {"x": 1}, "other": 2}
    assert answer_from({"hits": [hit]}, item, talk, reading).hits[0].fields == {"x": 1}
    with pytest.raises(TargetError, match=r"nothing at info: the reply has no 'info' \(it has: id\)"):
        answer_from({"hits": [{"id": "a"}]}, item, talk, reading)


def test_calls_and_usage(item, talk):
    reply = {
        "choices": [
            {
                "message": {
                    "content": None,
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": "cari", "arguments": '{"kota":"Medan"}'}},
                        {"id": "2", "type": "function", "function": {"name": "bad", "arguments": "{kota"}},
                        {"id": "3", "type": "function", "function": {"name": "none", "arguments": None}},
                    ],
                }
            }
        ],
        "usage": {"total_tokens": 5, "details": {"cached": 2, "tier": "x"}, "ok": True},
    }
    answer = answer_from(reply, item, talk)
    assert answer.calls == (
        {"name": "cari", "arguments": {"kota": "Medan"}},
        {"name": "bad", "arguments": {"": "{kota"}},
        {"name": "none", "arguments": {}},
    )
    assert answer.usage == {"total_tokens": 5, "details.cached": 2}
    plain = answer_from({"text": "x", "calls": ["cari", {"name": "b", "arguments": {}}]}, item, talk)
    assert plain.calls == ({"name": "cari"}, {"name": "b", "arguments": {}})


@pytest.mark.parametrize(
    "reply, shape, told",
    [
        ({"foo": {"bar": 1}}, Shape(), "found neither text nor hits (it has: foo (bar)); say where they are"),
        ({"foo": 1}, Shape(text="data.answer"), "nothing at data.answer: the reply has no 'data' (it has: foo)"),
        ({"data": {"answer": {"x": 1}}}, Shape(text="data.answer"), "data.answer is not text: it has: x"),
        ({"text": "a", "n": 3}, Shape(hits="docs"), "nothing at docs: the reply has no 'docs' (it has: text, n)"),
        ({"text": "a", "docs": "no"}, Shape(hits="docs"), "docs is not a list of hits: it is str"),
        ("just text", Shape(text="a"), "nothing at a: the reply has no 'a' (it is str)"),
        ({"hits": [3]}, Shape(), "a hit must be text or a table; it is int"),
        (3, Shape(), "the reply must be text, a table or a list of hits; it is int"),
        ({"text": "a", "calls": [1]}, Shape(), "a tool call must be a table or a name; it is int"),
        ([{"x": 1}], Shape(text="0.text"), "nothing at 0.text: 0 has no 'text' (it has: x)"),
    ],
)
def test_what_cannot_be_read_is_told(item, talk, reply, shape, told):
    with pytest.raises(TargetError) as raised:
        answer_from(reply, item, talk, ResponseParser(shape))
    assert told in str(raised.value)


def test_given_paths(item, talk):
    def read(reply, **paths):
        return answer_from(reply, item, talk, ResponseParser(Shape(**paths)))

    assert read([{"generated_text": "a"}], text="[0].generated_text").text == "a"
    assert read("whole", text="$").text == "whole"
    assert read({"n": 3}, text="n").text == "3"
    assert read({"docs": []}, hits="docs").text == ""
    assert read({"other": 1}, text="a?", hits="b?") == Answer(item="q1", trial=2)
    assert read({"a": "x", "b": {"c": [{"name": "t"}], "u": {"k": 1}}}, text="a", calls="b.c", usage="b.u").usage == {
        "k": 1
    }


@pytest.mark.parametrize(
    "error, told, again",
    [
        ("no such session", "no such session", False),
        ({"message": "slow down", "type": "overloaded_error"}, "slow down", True),
        ({"code": 5}, '{"code":5}', False),
    ],
)
def test_a_reply_may_say_that_it_is_an_error(item, talk, error, told, again):
    with pytest.raises(TargetError) as raised:
        answer_from({"answer": "x", "error": error}, item, talk)
    assert str(raised.value) == f"the target replied with an error: {told}"
    assert raised.value.again is again


@pytest.mark.parametrize("nothing", [None, False, "", {}])
def test_an_empty_error_is_none(item, talk, nothing):
    assert answer_from({"answer": "x", "error": nothing}, item, talk).text == "x"


def test_a_path_that_cannot_be_read_names_its_setting():
    with pytest.raises(SpecError, match=r"response\.hit\.id"):
        ResponseParser(Shape(hit=HitShape(id="a[x")))
