"""Whatever stands at whatever place of an export, reading it ends with a result or with an error of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import neraca
from neraca.errors import NeracaError

GOLDEN = Path(__file__).with_name("golden")
RECORDS = [
    json.loads(line)
    for path in sorted(GOLDEN.glob("*.json*"))
    for line in ([path.read_text("utf-8")] if path.suffix == ".json" else path.read_text("utf-8").splitlines())
]
STRANGE = [
    *(None, 0, -1, 1.5, 1e300, True, "", "x", "{", "[1", "[]", "{}", "null", "NaN", "\x00", "9" * 30),
    *([], {}, [None], [[]], [[1]], {"a": None}, {"role": 7}, [{"role": "user"}], [{"role": "user", "content": 7}]),
    *([{"role": "user", "content": [7, {"type": {}}]}], {"documents": [None, 7, {}]}, [{"document": None}]),
    *([{"id": [], "kwargs": {}}], {"generations": [[]]}, {"choices": [{}]}, {"message": "x", "role": "user"}),
    '{"a": "\\ud83d"}',
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside a value."""
    if path:
        yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


PLACES = [(number, path) for number, record in enumerate(RECORDS) for path in places(record)]


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(STRANGE)), min_size=3, max_size=20))
def test_strange_values_are_read_or_refused(changes: list[Any], tmp_path_factory: Any) -> None:
    records = copy.deepcopy([RECORDS[number] for number in {number for (number, _), _ in changes}])
    by_number = dict(zip({number for (number, _), _ in changes}, records, strict=True))
    for (number, path), value in changes:
        inner = by_number[number]
        try:
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):  # an earlier change has removed the place
            continue
    file = tmp_path_factory.mktemp("strange") / "a.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with suppress(NeracaError):
        reading = neraca.read_traces(file, retrievers=["search"])
        assert str(reading)
        assert str(reading.probe())
