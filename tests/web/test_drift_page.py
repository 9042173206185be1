"""The page of a run over time, as `neraca serve` shows it."""

import pytest
from comparisons.drifting_run import turn, weeks_of, write_run
from web.test_explorer_app import built, explorer

from neraca.web.report_store import links_back


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served") / "runs"
    write_run(folder / "live", weeks_of([0.9, 0.9, 0.5], 60))
    write_run(folder / "short", [turn(n, 0, 1.0) for n in range(3)])
    with explorer(folder) as started:
        yield started.rstrip("/")


def test_a_report_of_one_run_leads_to_its_page_over_time(link):
    status, _, page = built(link, "/report?run=live")
    assert status == 200
    assert 'href="/drift?run=live"' in page
    status, _, page = built(link, "/drift?run=live")
    assert status == 200
    assert "live over time" in page
    assert "2026-10-05 to 2026-10-18" in page
    assert built(link, "/drift?run=live")[2] == page
    assert "/drift?" not in links_back(["live", "short"])[-1][0]
    by_day = built(link, "/drift?run=live&every=day&reference=14")[2]
    assert "as asked for (14)" in by_day


@pytest.mark.parametrize(
    "address, message",
    [
        ("/drift?run=short", "have 3 sessions"),
        ("/drift?run=live&run=short", "is of one run, not of 2"),
        ("/drift?run=live&every=year", "buckets are of a day, week, month"),
        ("/drift", "names no run"),
    ],
)
def test_what_cannot_be_shown_says_why(link, address, message):
    status, _, page = built(link, address)
    assert status == 400
    assert message in page
