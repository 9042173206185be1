"""The progress on stderr: plain lines where nobody watches a terminal."""

import io
import sys

from neraca.cli.progress_bar import progress_bar


def test_without_a_terminal_each_tenth_is_a_line(capsys):
    with progress_bar("rows") as progress:
        for done in range(41):
            progress(done, 40, "")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"rows: {4 * tenth}/40" for tenth in range(11)]


def test_the_note_and_work_of_no_length(capsys):
    with progress_bar("asking") as progress:
        progress(1, 2, "1 failed")
        progress(0, 0, "")
    assert capsys.readouterr().err == "asking: 1/2 (1 failed)\nasking: 0/0\n"


def test_the_last_line_is_printed_though_it_is_no_new_tenth(capsys):
    with progress_bar("calls") as progress:
        progress(100, 100, "24 calls")
        progress(100, 100, "28 calls")
    assert capsys.readouterr().err == "calls: 100/100 (24 calls)\ncalls: 100/100 (28 calls)\n"


def test_on_a_terminal_it_is_a_bar(monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("asking") as progress:
        progress(3, 4, "1 failed")
    assert "3/4" in screen.getvalue()
    assert "1 failed" in screen.getvalue()
