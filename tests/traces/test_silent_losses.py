"""What traces say wrongly is counted: names of retrievers, times, amounts below 0."""

from traces.exports import body, span

from neraca.traces.trace_reading import read_traces


def read(tmp_path, *spans, **options):
    (tmp_path / "export.json").write_bytes(body(*spans))
    return read_traces(tmp_path / "export.json", **options)


def turn(**attributes):
    named = {"openinference_span_kind": "CHAIN", "input_value": "How many?", "output_value": "Two."}
    return span(1, **named, **attributes)


def test_a_retriever_that_matches_nothing_is_said_with_the_names_that_there_are(tmp_path):
    search = span(1, 2, 1, input_value="many") | {"name": "search"}
    reading = read(tmp_path, turn(), search, retrievers=["serach", "search"])
    loss = reading.losses.by_name["no such retriever"]
    assert (loss.count, loss.where) == (1, "serach")
    assert loss.detail in ("answer, search", "search, answer")
    assert "no such retriever" not in read(tmp_path, turn(), search, retrievers=["search"]).losses.by_name
    assert "no such retriever" not in read(tmp_path, turn(), search).losses.by_name


def test_a_turn_whose_time_cannot_be_read_is_counted(tmp_path):
    assert read(tmp_path, turn() | {"startTimeUnixNano": "soon"}).losses.by_name["no time"].count == 1
    assert "no time" not in read(tmp_path, turn()).losses.by_name


def test_a_turn_with_negative_amounts_is_counted_once_and_has_none(tmp_path):
    counts = {"llm.token_count.prompt": -3, "llm.token_count.completion": -1}
    wrong = turn()
    wrong["attributes"] += [{"key": name, "value": {"intValue": str(n)}} for name, n in counts.items()]
    reading = read(tmp_path, wrong)
    loss = reading.losses.by_name["negative usage"]
    assert (loss.count, loss.detail) == (1, "llm.token_count.prompt")
    assert reading.turns[0].usage == {}
