"""A law of undecided verdicts: deciding one of them, either way, never leaves the range that is stated."""

import math
import tempfile
from pathlib import Path

from builders import make_answer, make_item, make_run, make_verdict
from hypothesis import given, settings
from hypothesis import strategies as st
from rated_runs import decide

from neraca import score
from neraca.records import Verdict

METRICS = "P@2 Success AP nDCG@2 RR Judged@2 Rubric(quality) RefusalF1 bpref P(empty=correct)@2"
DOCS = ("a", "b")
VOTES = st.lists(st.integers(0, 1), min_size=0, max_size=2)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_deciding_one_undecided_verdict_never_leaves_the_range(data):
    items = [make_item(name, expects=data.draw(st.sampled_from(["results", "none"]))) for name in "12"]
    verdicts, undecided = [], []
    for name in "12":
        places = [{"item": name, "about": f"hit:{doc}", "aspect": "relevance"} for doc in DOCS]
        places += [{"item": name, "about": "item", "aspect": "expects"}]
        places += [{"item": name, "about": "answer", "aspect": aspect} for aspect in ("quality", "declines")]
        for place in places:
            votes = data.draw(VOTES)
            verdicts += [Verdict(by=f"human:{n}", value=value, **place) for n, value in enumerate(votes)]
            if sorted(votes) == [0, 1]:
                undecided.append(place)
    verdicts.append(make_verdict("z", "relevance", 1, "human:0"))  # some other document is relevant
    answers = [make_answer(data.draw(st.sampled_from(["", "a", "a b", "c b"])), name, text="no") for name in "12"]
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", items, answers, verdicts)
        before = score([run], METRICS, combine="majority")
        if not undecided:
            assert before.facts["if_decided"] == {}
            return
        decide(run, value=data.draw(st.integers(0, 1)), **data.draw(st.sampled_from(undecided)))
        after = score([run], METRICS, combine="majority")
        for metric in map(str, before.metrics):
            old, new = before[metric]["run"], after[metric]["run"]
            low, high = before.facts["if_decided"].get(("run", metric), (old, old))
            assert math.isnan(new) or low - 1e-9 <= new <= high + 1e-9, (metric, old, new, low, high)
