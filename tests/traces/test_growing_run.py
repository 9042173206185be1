"""A run that grows near its end is the run that is written at once."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.datasets.dataset import Dataset
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.traces.growing_run import GrowingRun
from neraca.traces.privacy import Privacy
from neraca.traces.trace_run import Pair, add_traces, run_settings

PRIVACY = Privacy(b"0" * 32)
SETTINGS = run_settings((), PRIVACY)


def pair(number: int, start: int) -> Pair:
    extra = {"from_trace": {"trace": f"t{number}", "span": "s", "start": start}, "ñ": 1.0}
    answer = Answer(item=f"t{number}", text="Two.", status="error" if number % 3 == 0 else "complete")
    return Item(id=f"t{number}", query=f"Question {number}, ñ?", extra=extra), answer


def written(folder: Path, pairs: list[Pair]) -> Run:
    run = add_traces(folder, SETTINGS, "x", {item.id: [(item, answer)] for item, answer in pairs}, PRIVACY)
    assert run is not None
    return run


@settings(max_examples=80, deadline=None)
@given(
    starts=st.lists(st.integers(0, 9), min_size=2, max_size=12),
    cuts=st.lists(st.integers(1, 11), max_size=4),
    most=st.integers(1, 5),
)
def test_it_is_the_run_that_is_written_at_once(starts: list[int], cuts: list[int], most: int) -> None:
    pairs = [pair(number, start) for number, start in enumerate(starts)]
    bounds = [0, *sorted({cut for cut in cuts if cut < len(pairs)} | {1}), len(pairs)]
    with tempfile.TemporaryDirectory() as place:
        once, folder = written(Path(place) / "once", pairs), Path(place) / "grown"
        growing: GrowingRun | None = None
        for start, end in pairwise(bounds):
            if growing is None or not growing.add(pairs[start:end]):
                written(folder, pairs[start:end])
                growing = GrowingRun(folder, most)
        grown = Run(folder)
        assert list(grown.items) == list(once.items)
        assert dict(grown.answers().items()) == dict(once.answers().items())
        assert grown.manifest.fingerprint == once.manifest.fingerprint == Dataset(tuple(once.items)).fingerprint
        assert dict(grown.manifest.statuses) == dict(Run(once.path).manifest.statuses)
        assert (grown.path / "items.jsonl").read_bytes() == (once.path / "items.jsonl").read_bytes()


def test_a_turn_from_before_the_last_ones_and_a_run_that_somebody_changed_are_left_to_others(tmp_path: Path) -> None:
    written(tmp_path / "run", [pair(number, number) for number in range(5)])
    growing = GrowingRun(tmp_path / "run", most=2)
    before = (tmp_path / "run" / "items.jsonl").read_bytes()
    assert not growing.add([pair(9, 1)])
    assert (tmp_path / "run" / "items.jsonl").read_bytes() == before
    assert growing.add([pair(9, 3)])
    written(tmp_path / "run", [pair(10, 10)])
    assert not growing.add([pair(11, 11)])
    assert [item.id for item in Run(tmp_path / "run").items] == ["t0", "t1", "t2", "t3", "t9", "t4", "t10"]
