"""Which spans are turns, what belongs to them, and what is counted as lost."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from neraca.traces.losses import Losses
from neraca.traces.spans import Span
from neraca.traces.turns import Turn, turns_of

KINDS = {
    "chain": "CHAIN",
    "llm": "LLM",
    "retriever": "RETRIEVER",
    "tool": "TOOL",
    "evaluator": "EVALUATOR",
    "agent": "AGENT",
    "": "",
}


def span(id: str, kind: str = "", parent: str = "", at: float = 0, until: float = 0, **more: Any) -> Span:
    """A span from `at` to `until` seconds after a moment; `question`, `answer` and `docs` are its content."""
    attributes = {"openinference.span.kind": KINDS[kind]} if kind else {}
    names = {"question": "input.value", "answer": "output.value"}
    attributes |= {names[name]: more.pop(name) for name in ("question", "answer") if name in more}
    if (docs := more.pop("docs", None)) is not None:
        attributes["retrieval.documents"] = [
            {"document.id": doc, "document.content": f"text {doc}"} for doc in docs.split()
        ]
    moment = 10**18
    times = {"start": moment + int(at * 1e9), "end": moment + int((until or at + 0.1) * 1e9)}
    return Span(
        trace="t",
        id=id,
        parent=parent,
        name=f"span {id}",
        attributes=attributes | more.pop("more", {}),
        **times,
        **more,
    )


def read(*spans: Span, **options: Any) -> tuple[list[Turn], dict[str, int]]:
    losses = Losses()
    turns = turns_of(sorted(spans, key=lambda span: (span.start, -span.end, span.id)), losses, **options)
    return turns, {loss.name: loss.count for loss in losses if loss.name != "no cost"}


def test_the_outermost_span_with_a_question_is_the_turn() -> None:
    (turn,), losses = read(
        span("http", until=3),
        span("chain", "chain", "http", 0.1, 2, question="Where?", answer="Here."),
        span("find", "retriever", "chain", 0.2, docs="a b"),
        span("llm", "llm", "chain", 0.5, question="Context: a b. Where?", answer="Here, says the model."),
    )
    assert (turn.id, turn.span, turn.question, turn.text) == ("t", "chain", "Where?", "Here.")
    assert turn.hits is not None
    assert [hit.id for hit in turn.hits] == ["a", "b"]
    assert turn.seconds == pytest.approx(1.9)
    assert losses == {}


def test_a_retrieval_beside_the_answering_chain_belongs_to_the_turn() -> None:
    (turn,), _ = read(
        span("http", until=3),
        span("search", "chain", "http", 0.1, question="rooms", answer="2 documents"),
        span("find", "retriever", "search", 0.15, docs="a"),
        span("reply", "chain", "http", 0.5, question="Where?", answer="Here."),
        span("llm", "llm", "reply", 0.6, question="Where?", answer="Here."),
    )
    assert (turn.span, turn.question) == ("reply", "Where?")
    assert turn.hits is not None
    assert turn.hits[0].id == "a"


def test_without_a_chain_the_first_call_of_a_model_asks_and_the_last_answers() -> None:
    (turn,), losses = read(
        span("http", until=3),
        span("rewrite", "llm", "http", 0.1, question="And there?", answer="rooms in Asri"),
        span("find", "retriever", "http", 0.3, docs="a"),
        span("reply", "llm", "http", 0.5, question="text a\nAnd there?", answer="No."),
    )
    assert (turn.question, turn.text, turn.span) == ("And there?", "No.", "http")
    assert turn.origins["question"].span == "span rewrite"
    assert losses == {}


def test_several_agents_under_one_root_are_turns_of_one_session() -> None:
    turns, _ = read(
        span("root", until=9),
        *(
            each
            for n in (1, 2)
            for each in (
                span(f"a{n}", "chain", "root", n, question=f"Question {n}", answer=f"Answer {n}"),
                span(f"l{n}", "llm", f"a{n}", n, answer="x"),
            )
        ),
    )
    assert [(turn.id, turn.question, turn.session) for turn in turns] == [
        ("t.a1", "Question 1", "t"),
        ("t.a2", "Question 2", "t"),
    ]


def test_evaluators_are_no_part_of_the_system() -> None:
    (turn,), _ = read(
        span("chain", "chain", question="Where?", answer="Here.", until=2),
        span("judge", "evaluator", "chain", 1, question="Is it right?", answer="no"),
        span("inner", "llm", "judge", 1.1, answer="no", more={"llm.token_count.prompt": 500}),
        span("llm", "llm", "chain", 0.5, answer="Here.", more={"llm.token_count.prompt": 7}),
    )
    assert (turn.text, turn.usage) == ("Here.", {"input_tokens": 7})


def test_hits_are_of_the_last_retrieval_before_the_answer() -> None:
    (turn,), losses = read(
        span("chain", "chain", question="Where?", answer="Here.", until=9),
        span("one", "retriever", "chain", 1, docs="a"),
        span("two", "retriever", "chain", 2, docs="b c"),
        span("llm", "llm", "chain", 3, answer="Here."),
        span("log", "retriever", "chain", 5, docs="z"),
    )
    assert turn.hits is not None
    assert [hit.id for hit in turn.hits] == ["b", "c"]
    assert turn.retrievals == (("span one", ("a",)), ("span two", ("b", "c")))
    assert losses == {"several retrievals": 1}


def test_a_retriever_around_others_has_the_merged_hits_and_nothing_is_lost() -> None:
    (turn,), losses = read(
        span("chain", "chain", question="Where?", answer="Here.", until=9),
        span("hybrid", "retriever", "chain", 1, 2, docs="b a"),
        span("one", "retriever", "hybrid", 1.1, docs="a"),
        span("two", "retriever", "hybrid", 1.2, docs="b"),
        span("llm", "llm", "chain", 3, answer="Here."),
    )
    assert turn.hits is not None
    assert [hit.id for hit in turn.hits] == ["b", "a"]
    assert losses == {}


@pytest.mark.parametrize(
    "docs, hits, why", [("", (), ""), (None, None, "the retrieval 'span find' records no documents")]
)
def test_nothing_found_is_not_the_same_as_nothing_recorded(docs: Any, hits: Any, why: str) -> None:
    (turn,), losses = read(
        span("chain", "chain", question="Where?", answer="Here."), span("find", "retriever", "chain", docs=docs)
    )
    assert (turn.hits, turn.unknown_hits) == (hits, why)
    assert losses == ({} if docs == "" else {"no documents": 1})


def test_a_tool_that_the_user_names_is_a_retriever() -> None:
    spans = (
        span("chain", "chain", question="Where?", answer="Here.", until=3),
        span("tool", "tool", "chain", 1, question='{"city": "Asri"}', answer='{"results": [{"id": "k1"}]}'),
    )
    (turn,), losses = read(*spans)
    assert (turn.hits, losses) == (None, {"no retrieval": 1})
    (turn,), losses = read(*spans, retrievers=["span tool"])
    assert turn.hits is not None
    assert ([hit.id for hit in turn.hits], losses) == (["k1"], {})
    assert turn.calls == ({"name": "span tool", "arguments": {"city": "Asri"}},)


def test_an_answer_that_is_not_recorded_and_one_that_is_empty() -> None:
    (turn,), losses = read(span("chain", "chain", question="Where?"), span("f", "retriever", "chain", docs=""))
    assert (turn.text, losses) == (None, {"no answer": 1})
    (turn,), losses = read(
        span("chain", "chain", question="Where?", answer=""), span("f", "retriever", "chain", docs="")
    )
    assert (turn.text, losses) == ("", {})


def test_a_failed_turn_has_an_error_and_lacks_no_answer() -> None:
    (turn,), losses = read(
        span("c", "chain", question="Where?", error="out of tokens"), span("f", "retriever", "c", docs="")
    )
    assert (turn.error, turn.text, losses) == ("out of tokens", None, {})


def test_what_is_cut_off_is_noticed() -> None:
    (turn,), losses = read(
        span("c", "chain", question="Where?", answer="Two flo... [truncated]"), span("f", "retriever", "c", docs="")
    )
    assert (turn.doubt, losses) == ("a text of the trace was cut off", {"truncated": 1})


def test_a_prompt_with_the_documents_is_said_to_be_one() -> None:
    text = "a text of more than twenty characters"
    documents = [{"document.id": "a", "document.content": text}]
    _, losses = read(
        span("http", until=3),
        span("find", "retriever", "http", 0.1, more={"retrieval.documents": documents}),
        span("llm", "llm", "http", 0.5, question=f"Read: {text}. Where?", answer="Here."),
    )
    assert losses == {"prompt": 1}


def test_content_that_is_switched_off_names_the_switch() -> None:
    losses = Losses()
    turns = turns_of([Span(trace="t", id="s", attributes={"gen_ai.operation.name": "chat"})], losses)
    (loss,) = losses
    assert (turns, loss.name, loss.count) == ([], "no question", 1)
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT" in str(loss)


def test_an_unknown_dialect_is_told_by_its_attributes() -> None:
    losses = Losses()
    turns_of([Span(trace="t", id="s", attributes={"my.question": "Where?", "my.answer": "Here."})], losses)
    (loss,) = losses
    assert str(loss) == (
        "Traces in no known dialect: 1 (first: trace t). They are left out. Their commonest attributes: my.answer, "
        "my.question; record one of the conventions beside them."
    )


def test_spans_without_their_parents_and_circles_are_read() -> None:
    (turn,), losses = read(
        span("chain", "chain", "gone", question="Where?", answer="Here."), span("f", "retriever", "chain", docs="")
    )
    assert (turn.question, losses) == ("Where?", {"orphan": 1})
    (turn,), _ = read(
        span("a", "chain", "b", question="Where?", answer="Here."), span("b", "llm", "a", 1, question="x", answer="y")
    )
    assert turn.question == "Where?"


@pytest.mark.parametrize(
    "output, text",
    [
        ({"output": ["KTP", " dan", " slip gaji"]}, "KTP dan slip gaji"),
        ('["x", "y"]', "xy"),
        ([{"type": "text", "text": "KTP"}, {"type": "text", "text": " dan"}], "KTP dan"),
        ([{"choices": [{"delta": {"content": "A"}}]}, {"choices": [{"delta": {"content": "B"}}]}], "AB"),
        ({"choices": [{"message": {"role": "assistant", "content": each}} for each in "AB"]}, "A"),
        ({"content": [{"type": "thinking", "thinking": "T"}, {"type": "text", "text": "A"}]}, "A"),
        ({"content": [{"type": "thinking", "thinking": "T"}]}, None),
        ({"answer": ""}, ""),
        ({"answer": None}, None),
        ({}, None),
        ({"rows": 0}, '{"rows":0}'),
    ],
)
def test_an_output_in_pieces_is_one_answer_and_a_blank_one_is_none(output: Any, text: str | None) -> None:
    (turn,), _ = read(span("chain", "chain", question="Where?", answer=output))
    assert turn.text == text


@pytest.mark.parametrize("said", ["", "I look it up."])
def test_an_answer_is_lost_if_the_final_call_of_a_model_records_none(said: str) -> None:
    calls = {"role": "assistant", "content": said, "tool_calls": [{"function": {"name": "search"}}]}
    (turn,), losses = read(
        span("http", until=3),
        span("first", "llm", "http", 0.1, question="Where?", answer=[calls]),
        span("tool", "tool", "http", 0.5),
        span("final", "llm", "http", 0.7, question="Where?"),
    )
    assert (turn.text, losses["no answer"]) == (None, 1)


@pytest.mark.parametrize(
    "content",
    [
        {"output.value": {"role": "assistant", "content": "Ini jaw", "stop_reason": "max_tokens"}},
        {
            "output.value": {
                "choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "Ini"}}]
            }
        },
        {"output.value": "Ini jaw", "gen_ai.response.finish_reasons": ["length"]},
        {"output.value": "Ini jaw", "ai.response.finishReason": "length"},
    ],
)
def test_an_answer_that_ended_at_the_limit_of_the_model_is_cut(content: Any) -> None:
    (turn,), losses = read(span("llm", "llm", question="Apa?", more=content))
    assert (turn.doubt, losses["stopped"]) == ("the model ended its answer at its limit of tokens", 1)
    whole = str(content).replace("length", "stop").replace("max_tokens", "end_turn")
    (turn,), losses = read(span("llm", "llm", question="Apa?", more=ast.literal_eval(whole)))
    assert (turn.doubt, "stopped" in losses) == ("", False)


def priced(id: str, parent: str, at: float, **amounts: Any) -> Span:
    """A call of a model with amounts such as `total=0.1`, of its cost."""
    return span(id, "llm", parent, at, answer="x", more={f"llm.cost.{name}": each for name, each in amounts.items()})


@pytest.mark.parametrize(
    "outer, first, second, cost",
    [
        ({}, {"total": 0.25}, {"total": 0.5}, 0.75),
        ({"llm.cost.total": 0.75}, {"total": 0.25}, {"total": 0.5}, 0.75),
        ({"llm.cost.total": 1.0}, {"total": 0.25}, {"total": 0.5}, 1.0),
        ({"llm.cost.total": 0.75}, {"total": 0.25}, {}, 0.75),
        ({}, {"total": 0.25}, {"prompt": 0.25, "completion": 0.5}, 1.0),
        ({}, {"total": 0.25}, {}, None),
    ],
)
def test_a_part_of_the_cost_is_never_given_as_the_whole(outer: Any, first: Any, second: Any, cost: Any) -> None:
    (turn,), losses = read(
        span("chain", "chain", question="Where?", answer="Here.", until=9, more=outer),
        priced("one", "chain", 1, **first),
        priced("two", "chain", 2, **second),
    )
    assert turn.usage.get("cost") == cost
    assert losses.get("part of usage", 0) == (cost is None)


def test_without_a_root_a_turn_lasts_from_the_first_beginning_to_the_last_end() -> None:
    (turn,), losses = read(
        span("find", "retriever", "gone", 1, docs="a"),
        span("llm", "llm", "gone", 2, 3, question="Where?", answer="Here."),
    )
    assert (turn.seconds, losses) == (pytest.approx(2.0), {"no root": 1, "orphan": 2})


def test_turns_that_are_not_told_apart_are_counted() -> None:
    calls = [span(f"l{n}", "llm", "root", n, question=f"Question {n}?", answer=f"Answer {n}.") for n in (1, 2, 3)]
    (turn,), losses = read(span("root", until=9), *calls)
    assert (turn.question, losses["other questions"]) == ("Question 1?", 2)
    assert turn.doubt == "the trace holds further questions that are not told apart as turns"
    (turn,), losses = read(
        span("root", "chain", question="Question 1?", answer="Answer 2.", until=9),
        *(span(f"a{n}", "agent", "root", n, question=f"Question {n}?", answer=f"Answer {n}.") for n in (1, 2)),
    )
    assert losses["other questions"] == 1


@pytest.mark.parametrize("second", ["Question 1? Rooms in Asri.", "Read: rooms in Asri"])
def test_steps_of_one_turn_are_no_further_turns(second: str) -> None:
    _, losses = read(
        span("root", until=9),
        span("rewrite", "llm", "root", 1, question="Question 1?", answer="rooms in Asri"),
        span("reply", "llm", "root", 2, question=second, answer="Two."),
    )
    assert "other questions" not in losses


def test_questions_after_an_earlier_turn_in_the_same_trace_are_counted() -> None:
    first = [{"role": "user", "content": "One?"}]
    then = [*first, {"role": "assistant", "content": "A"}, {"role": "user", "content": "Two?"}]
    _, losses = read(
        span("root", until=9),
        span("l1", "llm", "root", 1, question=first, answer="A"),
        span("l2", "llm", "root", 2, question=then, answer="B"),
    )
    assert losses["other questions"] == 1
