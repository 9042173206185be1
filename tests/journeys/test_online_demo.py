"""The demonstration of online experiments: real HTTP, real SQLite, two designs that agree, logs that can be read."""

import json
import re
from html import unescape

import pytest
from journeys.conftest import run_neraca


@pytest.fixture(scope="module")
def online(tmp_path_factory):
    folder = tmp_path_factory.mktemp("online")
    told = run_neraca("demo", "--online", "--users", "300", "--out", folder)
    assert told.returncode == 0, told.stderr
    return folder / "online", told


def test_both_designs_find_the_better_method_and_interleaving_needs_fewer_users(online):
    _, told = online
    assert "hybrid is better than vector by click_through" in told.stdout
    assert "Users prefer hybrid to vector" in told.stdout
    ab, interleaving = (
        int(n.replace(",", "")) for n in re.findall(r"8 times of 10, it needs about ([\d,]+)\.", told.stdout)
    )
    assert interleaving < ab
    assert "rank r is looked at with probability r^-0.7" in told.stderr, "the model of the users is stated"


def test_its_logs_are_ubi_and_need_no_options(online):
    folder, _ = online
    ab = run_neraca("ab", folder / "ab.sqlite", "-m", "click_through", "--json")
    (row,) = map(json.loads, ab.stdout.splitlines())
    assert (row["control"], row["arm"]) == ("hybrid", "vector")
    assert row["difference"] < -0.1
    assert 100 < row["users_control"] + row["users_arm"] < 200
    interleaved = run_neraca("interleave", folder / "interleaving.sqlite", "--json")
    winners = {json.loads(line)["winner"] for line in interleaved.stdout.splitlines()}
    assert winners == {"hybrid"}
    assert "neraca: Left out" not in ab.stderr + interleaved.stderr


def test_the_reports_say_the_same(online):
    folder, told = online
    for name in ("ab", "interleaving"):
        page = (folder / f"{name}.html").read_text()
        lead = re.search(r'<p class="lead">(.*?)</p>', page)
        assert lead
        assert unescape(lead[1]).replace("\u00a0", " ") in told.stdout
