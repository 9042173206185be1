"""Writing a report to a file."""

import pytest

import neraca
from neraca.errors import SpecError


@pytest.fixture
def made():
    scores = neraca.values({"old": [0.2, 0.4, 0.3], "new": [0.3, 0.6, 0.5]})
    return neraca.report(scores, neraca.compare(scores))


def test_a_report_saves_itself_as_write_report_writes_it(made, tmp_path):
    assert made.save(tmp_path / "saved.md") == neraca.write_report(tmp_path / "written.md", made) == []
    assert (tmp_path / "saved.md").read_bytes() == (tmp_path / "written.md").read_bytes() != b""


def test_swapped_arguments_are_named(made, tmp_path):
    with pytest.raises(SpecError, match=r"takes the path first, such as 'report.html', not Report; swap"):
        neraca.write_report(made, tmp_path / "report.md")
