"""Whatever somebody sends, the receiver takes it or refuses it with an error of ours, and goes on."""

from __future__ import annotations

import copy
import gzip
import json
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces.exports import export, in_protobuf, request, turn
from traces.test_mutations import STRANGE, places
from traces.test_order import PIECES
from traces.test_receiver import Restarted, queries

from neraca.errors import InputError, NeracaError
from neraca.traces.losses import Losses
from neraca.traces.otlp_export import Export, TooLargeError, spans_in
from neraca.traces.receiver import Accepted

PLACES = [(number, path) for number, piece in enumerate(PIECES) for path in places(piece)]


def still_works(server: Restarted, *exports: Export) -> None:
    """Take these exports and a good one, and write the run."""
    for each in server.take(*exports, export(turn(1))):
        assert isinstance(each, Accepted | NeracaError)
        assert isinstance(each, Accepted) or str(each).count(" ") > 3, "it is a sentence"
    server.finish()
    assert "Question 1?" in queries(server.out)


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(STRANGE)), min_size=3, max_size=20))
def test_strange_values_in_exports(changes: list[Any]) -> None:
    changed = {number: copy.deepcopy(PIECES[number]) for (number, _), _ in changes}
    for (number, path), value in changes:
        inner: Any = changed[number]
        with suppress(KeyError, IndexError, TypeError):  # an earlier change has removed the place
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = copy.deepcopy(value)
    exports = [
        Export(signal="traces" if "resourceSpans" in piece else "logs", media="json", data=json.dumps(piece).encode())
        for piece in changed.values()
    ]
    with tempfile.TemporaryDirectory() as folder, Restarted(Path(folder) / "run") as server:
        still_works(server, *exports)


GOOD = in_protobuf(request(turn(2)))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_bytes(data: st.DataObject) -> None:
    signal, media, coding = (
        data.draw(st.sampled_from(each)) for each in (["traces", "logs"], ["json", "protobuf"], ["", "gzip"])
    )
    body = data.draw(st.binary(max_size=200) | st.just(GOOD) | st.just(json.dumps(request(turn(2))).encode()))
    body = gzip.compress(body) if coding and data.draw(st.booleans()) else body
    spots = data.draw(st.lists(st.tuples(st.integers(0, max(0, len(body) - 1)), st.integers(0, 255)), max_size=4))
    damaged = bytearray(body)
    for spot, value in spots:
        if damaged:
            damaged[spot] = value
    with tempfile.TemporaryDirectory() as folder, Restarted(Path(folder) / "run") as server:
        still_works(server, Export(signal=signal, media=media, coding=coding, data=bytes(damaged)))


@pytest.mark.parametrize("media, deepest", [("json", 63), ("protobuf", 47)])
def test_attributes_may_be_nested_so_deep_as_the_guide_says(media: Any, deepest: int) -> None:
    for levels in (deepest, deepest + 1):
        value: dict[str, Any] = {"stringValue": "x"}
        for _ in range(levels):
            value = {"arrayValue": {"values": [value]}}
        deep = request({**turn(1), "attributes": [{"key": "a", "value": value}]})
        data = in_protobuf(deep) if media == "protobuf" else json.dumps(deep).encode()
        if levels == deepest:
            assert len(list(spans_in(Export(signal="traces", media=media, data=data), "x", Losses()))) == 1
        else:
            with pytest.raises(InputError):
                list(spans_in(Export(signal="traces", media=media, data=data), "x", Losses()))


def test_a_bomb_is_not_unpacked_beyond_the_limit() -> None:
    """A gigabyte of spaces in a megabyte: the memory of this process grows by less than a third of it."""
    import resource

    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([*(packer.compress(b" " * (1 << 20)) for _ in range(1024)), packer.flush()])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TooLargeError, match="over 64 MiB, unpacked; export smaller batches"):
        list(spans_in(Export(signal="traces", media="json", coding="gzip", data=bomb), "x", Losses()))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024
