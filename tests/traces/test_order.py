"""Any order, duplication and splitting of spans over files gives the same run."""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import neraca

GOLDEN = Path(__file__).with_name("golden")
NAMES = (
    "genai.jsonl",
    "openinference.jsonl",
    "real_pydantic_ai_6.jsonl",
    "genai_logs_spans.jsonl",
    "genai_logs_logs.jsonl",
)


def pieces() -> list[dict[str, Any]]:
    """Each span and log record of these files as an export of its own; each file as a trace of its own."""
    found = []
    for number, name in enumerate(NAMES):
        for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines():
            for kind, scopes, records in (
                ("resourceSpans", "scopeSpans", "spans"),
                ("resourceLogs", "scopeLogs", "logRecords"),
            ):
                for resource in json.loads(line).get(kind, ()):
                    for scope in resource[scopes]:
                        for record in scope[records]:
                            if not name.startswith("real"):
                                record["traceId"] = f"{min(number, 3):032x}".replace("0", "a", 1)
                            part = {key: value for key, value in resource.items() if key != scopes}
                            found.append({kind: [part | {scopes: [{**scope, records: [record]}]}]})
    return found


PIECES = pieces()


def read(files: list[list[dict[str, Any]]]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for number, records in enumerate(files):
            text = "".join(json.dumps(record) + "\n" for record in records)
            (Path(folder) / f"{number}.jsonl").write_text(text, encoding="utf-8")
        reading = neraca.read_traces(folder)
    return [(turn, turn.hits) for turn in reading.turns], {loss.name: loss.count for loss in reading.losses}


WHOLE = read([PIECES])


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_order_duplication_and_splitting_change_nothing(data: st.DataObject) -> None:
    copies = data.draw(st.lists(st.sampled_from(range(len(PIECES))), max_size=5))
    order = data.draw(st.permutations([*range(len(PIECES)), *copies]))
    cuts = data.draw(st.lists(st.integers(0, len(order)), max_size=3))
    bounds = [0, *sorted(cuts), len(order)]
    files = [[PIECES[place] for place in order[start:end]] for start, end in pairwise(bounds)]
    assert read(files) == WHOLE


def test_the_whole_has_four_turns() -> None:
    assert len(WHOLE[0]) == 4
