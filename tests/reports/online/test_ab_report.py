"""Reports of A/B tests: arms stay distinct, and what is said of them is true of them."""

from pathlib import Path

from online.log_files import CLICK, SEARCH, write_log

from neraca.online.ab import ab
from neraca.online.experiment import AbOptions, Experiment
from neraca.online.search_log import search_log
from neraca.reports.online.ab import ab_document, lead

AT = 1_767_261_600


def experiment(folder: Path, clicks_by_arm: dict[str, int], program: bool = False) -> Experiment:
    """Compare arms of 200 users with one search each, of whom so many click."""
    rows = []
    for arm, clicks in clicks_by_arm.items():
        users = [{"user": f"{arm}{u}", "session": f"{arm}{u}", "search": f"{arm}{u}"} for u in range(200)]
        rows += [SEARCH | user | {"variant": arm, "time": AT} for user in users]
        rows += [CLICK | user | {"time": AT + 5, "rank": 1} for user in users[:clicks]]
    last = {"user": "program", "session": "program", "variant": arm}
    rows += [SEARCH | last | {"search": f"p{n}", "time": AT + 60 * n} for n in range(400 * program)]
    log = search_log(write_log(folder / "log.csv", rows, [*{name: 0 for row in rows for name in row}]))
    return ab(log, ["click_through"], AbOptions(looks="once", checks=0))


def test_long_names_of_arms_stay_distinct_and_the_undecided_ones_are_counted(tmp_path):
    names = [f"the ranker with embeddings of the whole catalogue, version {n}" for n in range(3)]
    ab_document(experiment(tmp_path, dict(zip(names, (60, 120, 62), strict=True)))).save(tmp_path / "ab.md")
    page = (tmp_path / "ab.md").read_text(encoding="utf-8")
    assert "version 1 is better than the ranker" in page.replace("\n", " ")
    assert "A difference in click_through (of 1 of 2 arms)." in page.replace("\\", "")
    for n in range(3):
        assert f"version {n}" in page


def test_the_first_sentence_says_why_nothing_is_decided(tmp_path):
    """A program with half of all searches of B decides by the formula alone."""
    told = lead(experiment(tmp_path, {"A": 120, "B": 150}, program=True))
    assert told.startswith("It is not decided whether B or A is better by click_through")
    assert "but with users drawn again it may be zero (" in told
