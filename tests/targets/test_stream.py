import asyncio
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import TargetError
from neraca.records import Hit, Item
from neraca.targets.response_parser import ResponseParser, Shape
from neraca.targets.stream import Assembly, Event, JsonLinesDecoder, Lines, SseDecoder, TextDecoder
from neraca.targets.target import Conversation, partial_of


def chunks_of(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


def decode(decoder, chunks):
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


CUTS = st.lists(st.integers(0, 10_000), max_size=12)
DATA = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=20)


@given(
    st.lists(st.tuples(st.sampled_from(["", "delta", "änder"]), DATA), max_size=6),
    CUTS,
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_events_survive_any_cut_and_any_line_end(events, cuts, end):
    lines = ["\ufeff: hello"]
    for name, data in events:
        lines += [f"event:{name}"] if name else []
        lines += [f"data: {line}" for line in data.split("\n")]
        lines += ["id: 3", "retry: 5", "", ""]
    found = decode(SseDecoder(), chunks_of(end.join(lines).encode(), cuts))
    assert found == [Event(name, data) for name, data in events]


@given(st.lists(DATA.filter(lambda text: "\n" not in text and text.strip()), max_size=6), CUTS, st.booleans())
def test_json_lines_survive_any_cut(lines, cuts, ends):
    data = "\n".join(lines).encode() + (b"\n" if ends else b"")
    assert [event.data for event in decode(JsonLinesDecoder(), chunks_of(data, cuts))] == lines


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50), CUTS)
def test_text_survives_any_cut(text, cuts):
    assert "".join(event.data for event in decode(TextDecoder(), chunks_of(text.encode(), cuts))) == text


@given(st.binary(max_size=60), CUTS)
def test_lines_of_any_bytes_are_the_same_however_cut(data, cuts):
    lines = Lines()
    found = [line for chunk in chunks_of(data, cuts) for line in lines.feed(chunk)]
    assert [*found, lines.close()] == data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def test_the_standards_own_examples():
    """WHATWG HTML, section 9.2.6."""
    stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
    assert [event.data for event in decode(SseDecoder(), [stream])] == ["first event", "second event", " third event"]
    assert [event.data for event in decode(SseDecoder(), [b"data\n\ndata\ndata\n\ndata:"])] == ["", "\n", ""]


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    assert decode(SseDecoder(), [b"\xef\xbb", b"\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"]) == [Event("", "a")]


def test_half_a_letter_at_the_end_is_seen():
    assert decode(TextDecoder(), [b"a\xc3"]) == [Event("", "a"), Event("", "\ufffd")]


def put_together(events, kind="sse", item=None, **more):
    shape = more.pop("shape", None)
    assembly = Assembly(ResponseParser(shape), **more)
    for event in events:
        if not assembly.take(event if isinstance(event, Event) else Event("", event), kind):
            break
    return assembly.answer(Item(id="q1", query="?"), Conversation(id="c"))


def test_pieces_hits_calls_and_usage_in_any_event():
    answer = put_together(
        [
            '{"hits": [{"id": "a"}]}',
            '{"delta": "Sa"}',
            '{"delta": "tu"}',
            '{"hits": [{"id": "b"}], "usage": {"in": 1}}',
            '{"calls": ["cari"], "usage": {"out": 2}}',
            "[DONE]",
            '{"delta": "never"}',
        ]
    )
    assert answer.text == "Satu"
    assert answer.hits == (Hit(id="a"), Hit(id="b"))
    assert answer.calls == ({"name": "cari"},)
    assert answer.usage == {"in": 1, "out": 2}
    assert 0 <= answer.first_token_seconds <= answer.seconds


def test_whole_texts_replace_one_another():
    events = ['{"answer": "S", "results": [{"id": "a"}]}', '{"answer": "Sa", "results": [{"id": "b"}]}']
    answer = put_together(events, whole=True)
    assert (answer.text, answer.hits) == ("Sa", (Hit(id="b"),))


def test_plain_text_events_without_a_path():
    assert put_together(["Hel", "lo ", "{not json", "42", "[1]"]).text == "Hello {not json42[1]"
    assert put_together(["a", "", "b"]).text == "ab"


def test_a_last_event_with_the_whole_text_does_not_double_it():
    assert put_together(['{"token": "a"}', '{"token": "b"}', '{"answer": "ab "}']).text == "ab"
    shape = Shape(text="t")
    assert put_together(['{"t": "a"}', '{"t": "b"}', '{"t": "ab"}'], shape=shape).text == "abab"


def test_only_events_of_some_names_give_text():
    events = [
        '{"type": "response.output_text.delta", "delta": "Sa"}',
        '{"type": "response.function_call_arguments.delta", "delta": "{}"}',
        '{"type": "response.output_text.delta", "delta": "tu"}',
        '{"type": "response.output_text.done", "text": "Satu"}',
    ]
    only = ["response.output_text.delta"]
    assert put_together(events, shape=Shape(text="delta"), only=only).text == "Satu"
    assert put_together([Event("msg", '{"text": "a"}'), Event("log", '{"text": "b"}')], only=["msg"]).text == "a"


@pytest.mark.parametrize(
    "event, told, again",
    [
        (Event("error", "boom"), "the target replied with an error: boom", False),
        (Event("error", ""), "no reason given", False),
        (
            Event("error", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
            "Overloaded",
            True,
        ),
        (Event("", '{"error": {"message": "rate limit reached"}}'), "rate limit reached", True),
        (Event("", '{"t": {"x": 1}}'), "t is not text: it has: x", False),
        (Event("", "{oops"), "an event of the stream is not JSON", False),
        (Event("", "3"), "a piece of an answer must be text, a table or a list of hits; it is int", False),
    ],
)
def test_what_goes_wrong_in_an_event(event, told, again):
    with pytest.raises(TargetError) as raised:
        put_together([event], shape=Shape(text="t"))
    assert told in str(raised.value)
    assert raised.value.again is again


def test_a_path_that_no_event_had():
    events = ['{"choices": [{"delta": {"content": "a"}}]}']
    with pytest.raises(TargetError, match=r"no event of the stream has.*nothing at choices.0.delta.text"):
        put_together(events, shape=Shape(text="choices.0.delta.text"))
    with pytest.raises(TargetError, match=r"no event of the stream has.*nothing at docs"):
        put_together(events, shape=Shape(text="choices.0.delta.content", hits="docs"))
    with pytest.raises(TargetError, match=r"found neither text nor hits \(it has: foo\)"):
        put_together(['{"foo": 1}'])
    assert put_together(events, shape=Shape(text="nothing?")).text == ""
    assert put_together(['{"usage": {"a": 1}}', "[DONE]"], shape=Shape(text="t?")).usage == {"a": 1}


def test_keep_alive_events_without_data_are_passed_over():
    assert put_together(["", '{"t": "a"}'], shape=Shape(text="t")).text == "a"


def test_json_lines_must_be_json():
    with pytest.raises(TargetError, match="not JSON"):
        put_together(["plain"], kind="jsonl")
    assert put_together(['"a"', '["b"]'], kind="jsonl").hits[0].text == "b"


def test_plain_text_does_not_fit_a_path():
    with pytest.raises(TargetError, match="nothing at answer"):
        put_together(["a"], kind="text", shape=Shape(text="answer"))
    assert put_together(["a", "[DONE]"], kind="text", shape=Shape(text="$")).text == "a[DONE]"


async def test_what_had_come_travels_with_the_timeout(item, talk):
    assembly = Assembly(ResponseParser())

    async def stopped_in_the_middle(pieces):
        with assembly.partial_when_stopped(item, talk):
            for piece in pieces:
                assembly.add(piece)
            await asyncio.sleep(30)

    with pytest.raises(TimeoutError) as nothing:
        async with asyncio.timeout(0.01):
            await stopped_in_the_middle([])
    assert partial_of(nothing.value) is None
    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.01):
            await stopped_in_the_middle(["half an ", "ans"])
    partial = partial_of(raised.value)
    assert (partial.text, partial.status, partial.item, partial.trial) == ("half an ans", "timeout", "q1", 2)
    assert msgspec.json.decode(msgspec.json.encode(partial), type=type(partial)) == partial
