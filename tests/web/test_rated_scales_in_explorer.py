"""The explorer draws grades on the scale on which people gave them, as runs state it, and not on the usual one."""

import re
from contextlib import closing

import pytest
from builders import make_answer, make_item, make_run
from web.test_question_filters import done

from neraca.records import Verdict
from neraca.web.facts_file import read_facts, write_facts
from neraca.web.facts_store import FactsStore
from neraca.web.matrix import _axis
from neraca.web.measures import Measures, limits_of
from neraca.web.question_facts import question_facts
from neraca.web.run_entry import read_entry, scored_entry
from neraca.web.run_history import history_view
from neraca.web.run_index import RunIndex
from neraca.web.run_list import _stated

METRIC = "Rubric(quality)"
MEASURES = Measures((METRIC,), METRIC)


@pytest.fixture
def rated(tmp_path):
    """Two runs that people rated from 0 to 10; no grade is the highest or the lowest."""
    items = [make_item(str(n)) for n in range(4)]
    for name, grades in {"old": (4, 3, 5, 4), "new": (8, 7, 9, 8)}.items():
        answers = [make_answer(item=item.id, text=f"{name} {item.id}", seconds=2.0) for item in items]
        run = make_run(tmp_path / name, items, answers)
        with run.writing():
            run.add_verdicts(
                Verdict(item=item.id, about="answer", aspect="quality", by="human:ana", value=float(grade))
                for item, grade in zip(items, grades, strict=True)
            )
            run.update(scales={"quality": "0-10"})
    return tmp_path


def test_an_axis_of_grades_is_the_scale_of_the_runs(rated):
    facts = question_facts([rated / "old", rated / "new"], MEASURES)
    assert facts.limits == {METRIC: (0.0, 10.0)}
    assert _axis(facts, METRIC) == (0.0, 10.0)
    assert limits_of(METRIC, (4, 8), {}) == (0.0, 8.0), "without the stated scale: the usual 0 to 5, widened"
    assert read_facts(write_facts(rated / "facts", [rated / "old", rated / "new"], MEASURES)).limits == facts.limits


def test_the_list_and_the_charts_know_the_scale(rated):
    entries = [scored_entry(rated / name, read_entry(rated / name, name, "", ""), MEASURES) for name in ("old", "new")]
    assert _stated(entries) == {METRIC: (0.0, 10.0)}
    with closing(RunIndex(rated, METRIC)) as index:
        index.begin = lambda write, *given: done(write(*given))
        values = history_view(index, FactsStore(index), ["old", "new"])
    drawings = [str(values["drawing"]), *(str(svg) for _, svg in values["efforts"])]
    assert len(drawings) == 2
    heights = [float(y) for drawing in drawings for y in re.findall(r'cy="([-\d.]+)"', drawing)]
    assert len(heights) == 4
    assert min(heights) > 0, "no mark lies outside of its drawing, as a grade of 8 on a scale that ends at 5 would"
