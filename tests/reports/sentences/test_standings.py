"""Five runs or more: a short sentence, counts of pairs, and a table that has each run once."""

import re
from itertools import combinations

from neraca.reports.blocks.block import Figure
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.html import to_html
from neraca.reports.formats.latex import to_latex
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.report import report

#: Two runs that no test tells apart, two a step below them, and one at the bottom; each step is beyond any chance.
RUNS = {
    "low": [0.11, 0.12, 0.13, 0.11, 0.12, 0.13],
    "top": [0.93, 0.90, 0.94, 0.90, 0.93, 0.92],
    "high": [0.90, 0.93, 0.92, 0.91, 0.92, 0.93],
    "middle": [0.50, 0.52, 0.51, 0.53, 0.50, 0.52],
    "also": [0.52, 0.50, 0.51, 0.50, 0.53, 0.51],
}


def test_a_crowd_of_runs_is_counted_and_a_table_names_each_run_once(weighed):
    made = report(*weighed(RUNS)).decision
    assert (
        made.sentence
        == "top is ahead, Given 0.920: better than 3 of the 4 other runs, but not surely better than high."
    )
    assert (made.shown, made.unshown) == (
        "which run is better in 8 of 10 pairs",
        "which run is better in 2 of 10 pairs",
    )
    assert made.standings is not None
    assert list(made.standings.columns) == ["Run", "Given", "Better than", "Not shown", "Worse than"]
    assert [list(row) for row in made.standings.rows] == [
        ["A. top", "0.920", "C–E", "B", "–"],
        ["B. high", "0.918", "C–E", "A", "–"],
        ["C. middle", "0.513", "E", "D", "A, B"],
        ["D. also", "0.512", "E", "C", "A, B"],
        ["E. low", "0.120", "–", "–", "A–D"],
    ]


def test_runs_with_the_same_values_have_a_column_of_their_own(weighed):
    standings = report(*weighed({**RUNS, "copy": RUNS["low"]})).decision.standings
    assert standings is not None
    assert standings.columns[-1] == "Equal on all questions", "no margin: nothing says that they are as good"
    assert [row[-1] for row in standings.rows] == ["–", "–", "–", "–", "F", "E"]


def test_few_runs_stay_in_words(weighed):
    four = {name: values for name, values in RUNS.items() if name != "also"}
    assert report(*weighed(four)).decision.standings is None


def test_a_baseline_among_many_runs_has_the_same_opening(weighed):
    made = report(*weighed(RUNS, against="low")).decision
    assert made.sentence == "In Given, all 4 other runs are shown to be better than low."
    assert made.shown == "which run is better in 4 of 4 pairs"
    tests = report(*weighed(RUNS, against="low")).finding
    assert tests.headline == (
        "Against low in Given after Holm's correction: all 4 other runs are better (by 0.392 to 0.800)."
    )
    assert "Told apart: 4 of 4 pairs (see the table)." in tests.details
    made_against_top = report(*weighed(RUNS, against="top"))
    assert made_against_top.decision.sentence == "In Given, 3 of the 4 other runs are shown to be worse than top."
    assert [list(row) for row in made.standings.rows] == [
        ["A. top", "0.920", "E", "–", "–"],
        ["B. high", "0.918", "E", "–", "–"],
        ["C. middle", "0.513", "E", "–", "–"],
        ["D. also", "0.512", "E", "–", "–"],
        ["E. low", "0.120", "–", "–", "A–D"],
    ]
    assert made.standings.title.endswith("Each run was compared with low only.")


def test_the_sentences_on_the_tests_count_pairs_too_and_every_format_has_the_table(weighed):
    made = report(*weighed(RUNS))
    assert made.finding.headline.startswith(
        "top has the highest Given (0.920) and is better than 3 of the 4 other runs"
    )
    assert made.finding.standings == made.decision.standings._replace(columns=made.finding.standings.columns)
    assert not [sentence for sentence in made.finding.details if sentence.startswith("Groups")]
    assert "Told apart: 8 of 10 pairs (see the table)." in made.finding.details
    assert "| E. low | 0.120 | – | – | A–D |" in to_markdown(comparison_document(made))


def test_a_winner_of_a_crowd_has_the_range_of_its_leads(weighed):
    """0.92 is 0.003 above high without that run, so `high` is left out: the leads are 0.407 to 0.8."""
    runs = {
        **{name: values for name, values in RUNS.items() if name != "high"},
        "lowest": [0.01, 0.02, 0.01, 0.02, 0.01, 0.02],
    }
    headline = report(*weighed(runs)).finding.headline
    assert (
        "top is better in Given than each of the 4 other runs after Holm's correction (by 0.407 to 0.905)." in headline
    )


def test_a_long_name_has_one_letter_in_the_whole_report(weighed):
    """The best run is A in the verdict, the figures and the tables of pairs, whatever the order of the files."""
    end = "-of-a-system-with-a-very-long-name"
    made = report(*weighed({f"{name}{end}": values for name, values in RUNS.items()}))
    document = comparison_document(made)
    legend = f"A: top{end}; B: high{end}; C: middle{end}; D: also{end}; E: low{end}."
    first, pairs = (
        next(b for b in document.blocks if isinstance(b, Figure) and b.name == n) for n in ("first", "pairs")
    )
    assert [f">{letter}. {name}" in first.svg for letter, name in zip("ABCDE", made.runs, strict=True)] == [False] * 5
    assert [f">{letter}. {name[:3]}" in first.svg for letter, name in zip("ABCDE", made.runs, strict=True)] == [
        True
    ] * 5
    assert made.decision.standings.rows[0][:3] == [f"A. top{end}", "0.920", "C–E"]
    assert pairs.caption.endswith(legend)
    assert [f">{pair}</text>" in pairs.svg for pair in ("A − B", "A − E", "D − E", "E − A")] == [
        True,
        True,
        True,
        False,
    ]
    assert to_html(document).count(legend) == 2
    rows = re.findall(r"([A-E] − [A-E])</t[hd]>", to_html(document))
    assert rows == [f"{a} − {b}" for a, b in combinations("ABCDE", 2)]
    assert to_latex(document).count("A \\ensuremath{-} E &") == 1


def test_a_letter_that_is_the_name_of_a_run_stands_for_no_other(weighed):
    standings = report(
        *weighed({("B" if name == "low" else name): values for name, values in RUNS.items()})
    ).decision.standings
    assert [row[0] for row in standings.rows] == ["1. top", "2. high", "3. middle", "4. also", "5. B"]
