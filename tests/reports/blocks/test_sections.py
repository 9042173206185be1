"""What is said where a section has nothing to say."""

import pytest
from builders import make_answer, make_run
from drawn import to_markdown

from neraca import report, score
from neraca.records import Item


@pytest.mark.parametrize(
    ("tags", "begins"),
    [
        ([{}] * 4, "No question has a tag."),
        ([{"category": str(n)} for n in range(4)], "By itself a report groups by a tag of 2 to 30 values"),
        ([{"category": "one"}] * 4, "By itself a report groups by a tag of 2 to 30 values"),
    ],
)
def test_a_report_without_groups_says_why(tmp_path, tags, begins):
    """Four values of four questions are too many to group by, and one is no group."""
    items = [Item(id=str(n), query="?", relevant={"a": 1}, tags=each) for n, each in enumerate(tags)]
    scores = score([make_run(tmp_path / "run", items, [make_answer("a", item.id) for item in items])], "RR")
    assert f"- Groups of questions: {begins}" in to_markdown(report(scores))
    named = report(scores, groups=[*tags[0]])
    assert ("## Groups of questions" in to_markdown(named)) == bool(tags[0])
