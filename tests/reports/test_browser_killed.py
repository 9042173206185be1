"""A browser that is killed within a second of the last key: its ratings are there when the page is opened again."""

import os
import signal
import subprocess
import sys
import time

import pytest
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright

from neraca.people.rating_task import RatedHit, RatingTask
from neraca.reports.formats.rating_html import RatingPage, rating_page

TASKS = [RatingTask(id=f"t{n}", number=n, query=f"q{n}", hits=(RatedHit(key=f"k{n}", text="x"),)) for n in range(12)]


def processes_of(profile):
    """The ids of the browser that this test started: those whose command line names its profile."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [int(line.split()[0]) for line in listed if f"--user-data-dir={profile}" in line]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the processes of the browser by ps")
def test_a_kill_loses_no_rating(tmp_path):
    file, profile = tmp_path / "rating.html", tmp_path / "profile"
    file.write_text(rating_page(TASKS, RatingPage(set="set", rater="ana")), encoding="utf-8")
    with sync_playwright() as playwright:

        def opened():
            context = playwright.chromium.launch_persistent_context(
                str(profile), executable_path=chromium_in(tmp_path), args=FLAGS
            )
            page = context.new_page()
            page.goto(file.as_uri())
            return context, page

        context, page = opened()
        for _ in range(10):
            page.keyboard.press("1")
            page.keyboard.press("5")
        expect(page.locator("#progress")).to_have_text("10 of 12 answers rated")
        time.sleep(0.2)
        pids = processes_of(profile)
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while processes_of(profile) and time.monotonic() < deadline:
            time.sleep(0.05)
        for lock in profile.glob("Singleton*"):
            lock.unlink()
        context, page = opened()
        expect(page.locator("#progress")).to_have_text("10 of 12 answers rated")
        page.keyboard.press("u")
        expect(page.locator("#progress"), "what came back can be taken back").to_have_text("9 of 12 answers rated")
        context.close()
