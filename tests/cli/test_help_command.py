"""`neraca help`: every guide by its topic, with links that can be followed in a terminal."""

import re
from pathlib import Path

from neraca.cli import COMMANDS
from neraca.cli.help import guides_by_topic

DOCS = Path(__file__).parents[2] / "docs"


def test_every_guide_is_a_topic_of_its_own_and_is_listed_with_its_title(cli):
    assert sorted(guides_by_topic().values()) == sorted(DOCS.rglob("*.md"))
    lines = dict(re.findall(r"^  (\S+) +(.+)$", cli("help").out, re.M))
    assert lines.keys() == guides_by_topic().keys()
    assert lines["power"] == "How many questions? Planning a comparison"


def test_a_guide_in_a_pipe_is_its_markdown_without_pictures_and_names_the_topics_of_its_links(cli):
    printed = cli("help", "traces").out
    assert printed.startswith("# What production records: traces\n")
    assert "](" not in printed.replace("](http", "")
    named = {topic for name in guides_by_topic() for topic in re.findall(r"`neraca help (\S+)`", cli("help", name).out)}
    assert {"drift", "receive", "judges"} <= named
    assert named <= guides_by_topic().keys() | {"[TOPIC]"}


def test_a_command_without_a_guide_shows_its_options_and_another_word_says_what_is_near(cli):
    assert "score" in COMMANDS
    assert "Usage: neraca score" in cli("help", "score").out
    unknown = cli("help", "drifts")
    assert unknown.code == 2
    assert "did you mean drift?" in unknown.err
