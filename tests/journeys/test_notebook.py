"""docs/notebook.ipynb, executed by a real kernel: each result shows itself as a table, in HTML and as text."""

import warnings
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


@pytest.fixture(scope="module")
def cell_outputs(tmp_path_factory):
    """What each cell of code shows, as (HTML, text)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that only run it
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOK, as_version=4)
        folder = str(tmp_path_factory.mktemp("notebook"))
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
    cells = [cell.outputs[-1].data for cell in notebook.cells if cell.cell_type == "code"]
    return [(data["text/html"], data["text/plain"]) for data in cells]


def test_every_result_is_a_table_in_html_and_in_text(cell_outputs):
    assert len(cell_outputs) == 5
    for html, text in cell_outputs[:4]:
        assert "<table" in html
        assert max(map(len, text.splitlines())) <= 100
    run, scores, differences, report = (text for _, text in cell_outputs[:4])
    assert "by_words" in run
    assert "12" in run
    assert {"nDCG@10", "P@1", "RR"} <= set(scores.split())
    assert "by_words − by_last_word" in differences
    assert "by_words is better than by_last_word" in report


def test_the_numbers_are_those_of_the_definition(cell_outputs):
    """By words the right one stands first; by the last word it is first, second, third and fourth of four alike."""
    rows = {
        tuple(line.split()[:2]): line.split()[2]
        for line in cell_outputs[1][1].splitlines()
        if line.startswith(("P@1", "RR"))
    }
    assert rows == {
        ("P@1", "by_words"): "1.000",
        ("P@1", "by_last_word"): "0.250",
        ("RR", "by_words"): "1.000",
        ("RR", "by_last_word"): f"{(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4:.3f}",
    }
